"""Says if a PGM and a PNG picture have the same pixels.

Usage: same-picture.py PICTURE.pgm PICTURE.png
"""

import pathlib
import struct
import sys
import zlib

kind, size, largest, pixels = pathlib.Path(sys.argv[1]).read_bytes().split(b"\n", 3)
width, height = map(int, size.split())
png = pathlib.Path(sys.argv[2]).read_bytes()
assert kind == b"P5" and largest == b"255" and png[:8] == b"\x89PNG\r\n\x1a\n"
chunks, at = {}, 8
while at < len(png):
    length, name = struct.unpack_from(">I4s", png, at)
    chunks[name] = png[at + 8:at + 8 + length]
    assert struct.unpack_from(">I", png, at + 8 + length)[0] == zlib.crc32(name + chunks[name])
    at += 12 + length
assert struct.unpack(">IIBBBBB", chunks[b"IHDR"]) == (width, height, 8, 0, 0, 0, 0)
rows = zlib.decompress(chunks[b"IDAT"])
lines = [rows[i * (width + 1):(i + 1) * (width + 1)] for i in range(height)]
assert all(line[0] == 0 for line in lines) and b"".join(line[1:] for line in lines) == pixels
print(f"{width} x {height}, the same {len(pixels)} pixels")

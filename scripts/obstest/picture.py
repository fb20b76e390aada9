"""Grey pictures of arrays: the least value is black, the largest white.

In: an array of rank 2 in a NumPy file. Out: a picture in the PNG or PGM format. Ends the command if the
array or the name of the picture is of another kind. Needs Python only.
"""

import ast
import pathlib
import struct
import sys
import zlib

TYPES = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q",
         "f4": "f", "f8": "d"}


def read(path):
    """Height, width and elements of an array in a NumPy file."""
    data = pathlib.Path(path).read_bytes()
    if data[:6] != b"\x93NUMPY" or data[6] not in (1, 2, 3):
        sys.exit(f"{path} is no NumPy file")
    size, begin = (struct.unpack_from("<H", data, 8)[0], 10) if data[6] == 1 else (
        struct.unpack_from("<I", data, 8)[0], 12)
    header = ast.literal_eval(data[begin:begin + size].decode())
    shape, kind = header["shape"], header["descr"].lstrip("<|")
    if len(shape) != 2 or kind not in TYPES or header["fortran_order"]:
        sys.exit(f"{path} is not an array of numbers of rank 2 in rows: {header}")
    elements = struct.unpack_from(f"<{shape[0] * shape[1]}{TYPES[kind]}", data, begin + size)
    return shape[0], shape[1], elements


def png(height, width, pixels):
    """A grey picture of 8 bits in the PNG format."""
    def chunk(name, body):
        return (struct.pack(">I", len(body)) + name + body
                + struct.pack(">I", zlib.crc32(name + body)))
    rows = b"".join(b"\0" + pixels[i * width:(i + 1) * width] for i in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def convert(source, target, invert=False):
    height, width, elements = read(source)
    low, high = min(elements, default=0), max(elements, default=0)
    scale = 255 / (high - low) if high > low else 0
    pixels = bytes(round((high - x if invert else x - low) * scale) for x in elements)
    if target.endswith(".png"):
        data = png(height, width, pixels)
    elif target.endswith(".pgm"):
        data = b"P5\n%d %d\n255\n" % (width, height) + pixels
    else:
        sys.exit(f"{target} ends neither in .pgm nor in .png")
    pathlib.Path(target).write_bytes(data)

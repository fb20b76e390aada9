#!/usr/bin/env python3
"""Runs example programs on files of this repository and checks the results.

Usage: demo.py WORK-FOLDER, from the root of the repository, with the tools in PATH

Each program is compiled to PTX. It runs on the emulator, and on the GPU if there
is one. The result is compared with that of Python. Needs Python only.
"""

import array
import collections
import ctypes
import pathlib
import subprocess
import sys

DEVICES = {"emulate": "emulator", "cuda": "GPU"}


def has_gpu():
    """True when the NVIDIA driver loads and reports a device."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
        count = ctypes.c_int(0)
        return (cuda.cuInit(0) == 0
                and cuda.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0)
    except OSError:
        return False


def ints(values):
    """The numbers as an array file of i32, little-endian."""
    result = array.array("i", list(values))
    if sys.byteorder == "big":
        result.byteswap()
    return result.tobytes()


def numbers(data):
    """The i32 numbers of an array file."""
    result = array.array("i")
    result.frombytes(data)
    if sys.byteorder == "big":
        result.byteswap()
    return list(result)


def last_words(data):
    """The last printable line of a text, shortened."""
    line = data.decode("ascii", "replace").strip().splitlines()[-1].strip()
    return f'"{line[-60:]}"'


def frequent(data):
    """The most frequent bytes of a histogram."""
    counts = collections.Counter(dict(enumerate(numbers(data))))
    return ", ".join(f"{chr(v)!r} {n} times" for v, n in counts.most_common(5))


def ends(data):
    """The first and the last of a list of numbers."""
    values = [str(v) for v in numbers(data)]
    return "{} ... {}".format(" ".join(values[:6]), " ".join(values[-6:]))


def blur(pixels, height, width):
    """Sums of 3 x 3 pixels; the border is mirrored."""
    def at(i, j):
        i, j = (min(max(k, 0), n - 1) for k, n in ((i, height), (j, width)))
        return pixels[i * width + j]
    return [sum(at(i + y, j + x) for y in (-1, 0, 1) for x in (-1, 0, 1))
            for i in range(height) for j in range(width)]


def programs():
    """(program, what it does, input, its type, expected result, how to show)."""
    text = pathlib.Path("LICENSE").read_bytes()
    readme = pathlib.Path("README.md").read_bytes()

    counts = collections.Counter(text)
    yield ("histogram", f"how often each byte occurs in LICENSE ({len(text)} bytes)",
           text, "i8", ints(counts[v] for v in range(256)), frequent)

    yield ("reverse", f"README.md backwards ({len(readme)} bytes)",
           readme, "i8", readme[::-1], last_words)

    yield ("sum-chunks", "sums of chunks of 512 bytes of LICENSE",
           ints(text), "i32",
           ints(sum(text[i:i + 512]) for i in range(0, len(text), 512)), ends)

    lines = [len(line) for line in text.split(b"\n")][:1024]
    yield ("odd-even-sort", f"lengths of the {len(lines)} lines of LICENSE, sorted",
           ints(lines), "i32", ints(sorted(lines)), ends)

    width = 64
    height = len(readme) // width
    pixels = readme[:height * width]
    yield ("stencil", f"README.md as an image of {height} x {width} pixels, 3 x 3 sums",
           ints(pixels), f"{height}x{width}xi32",
           ints(blur(pixels, height, width)), ends)


def tool(*command):
    """Output of a command; ends the demo if the command fails."""
    result = subprocess.run(command, check=False, text=True, capture_output=True)
    if result.returncode:
        sys.exit("{}\n{}{}".format(" ".join(command), result.stdout, result.stderr))
    return result.stdout + result.stderr


def cost(report):
    """The cost of the launches of a report, as text for the reader."""
    lines = []
    for line in report.splitlines():
        if not line.startswith("launch: "):
            continue
        field = dict(word.split("=") for word in line.split()[1:])
        lines.append(
            f"kernel {field['kernel']}: {field['blocks']} block(s) of {field['threads']} threads, "
            f"{field['block-barriers']} block barriers in all, {field['shared-bytes']} bytes of shared memory; "
            f"global memory: {field['bytes-loaded']} bytes read, {field['bytes-stored']} written, "
            f"{field['atomics']} atomics")
    return lines


def main(work):
    pathlib.Path(work).mkdir(parents=True, exist_ok=True)
    devices = ["emulate"] + (["cuda"] if has_gpu() else [])
    wrong = 0
    for name, title, data, kind, expected, show in programs():
        source = f"examples/{name}.mlir"
        ptx, file, out = (f"{work}/{name}{end}" for end in (".ptx", ".in", ".out"))
        print(f"\n-- {source}: {title}", flush=True)
        tool("obs-translate", "--obs-to-ptx", source, "-o", ptx)
        code = pathlib.Path(ptx).read_text()
        lines, kernels = len(code.splitlines()), code.count(".entry")
        print(f"   PTX       {ptx}: {lines} lines, {kernels} kernel{'' if kernels == 1 else 's'}",
              flush=True)
        pathlib.Path(file).write_bytes(data)
        for device in devices:
            pathlib.Path(out).unlink(missing_ok=True)
            report = tool("obs-run", source, "--device=" + device, "--report",
                          f"{file}:{kind}", "--out=" + out)
            found = pathlib.Path(out).read_bytes()
            same = found == expected
            wrong += not same
            print(f"   {DEVICES[device]:<9} {show(found)}")
            print("   check     %s" % ("equal to what Python computes" if same
                                       else "WRONG: Python computes " + show(expected)))
            if device == "emulate":
                for line in cost(report):
                    print("   cost      " + line, flush=True)
    if len(devices) == 1:
        print("\n(no NVIDIA GPU here: the emulator ran the kernels)")
    if wrong:
        sys.exit(f"{wrong} results are wrong")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])

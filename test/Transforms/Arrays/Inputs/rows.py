"""Compares programs of rows with NumPy: rows.py OBS_RUN PROGRAM STAGED RESULT.

The interpreter runs the program with rows in shared memory, and the emulator the whole pipeline.
"""

import subprocess
import sys

import numpy as np

tool, program, staged, result = sys.argv[1:]
COUNTS = [0, 1, 31, 32, 127, 128, 129, 257, 1000]


def run(path, entry, shape, kind, *options):
    argument = f"iota:{'x'.join(map(str, shape))}x{kind}"
    command = [tool, path, f"--entry={entry}", f"--out={result}", *options, argument]
    subprocess.run(command, check=True)
    return np.load(result)


def check(entry, numbers, kind, expected, threads=96):
    checked = ["--device=emulate", "--check", f"--threads={threads}", "--schedule=random", "--seed=1"]
    for path, options in ((staged, ["--device=interpret"]), (program, checked), (program, ["--device=emulate"])):  # fmt: skip
        found = run(path, entry, numbers.shape, kind, *options)
        assert (found == expected).all(), (entry, numbers.shape, options)


def iota(*shape, kind="i4"):
    return np.arange(np.prod(shape)).astype(kind).reshape(shape)


for count in COUNTS:
    numbers = iota(count, 33)
    check("scans", numbers, "i32", np.cumsum(numbers, axis=1), threads=17 if count == 129 else 1024)
    numbers = iota(count, 12)
    at = np.ones((count, 1), "i4")
    for column in numbers.T:
        at = at * column[:, None] + np.int32(7)
    check("maps", numbers, "i32", at)
numbers = iota(6600)
rows = numbers.reshape(550, 12)
check("flat", numbers, "i32", rows.max(axis=1, keepdims=True) - rows)
for shape in ((1, 1, 17), (3, 50, 17), (20, 33, 17), (0, 4, 17)):
    numbers = iota(*shape, kind="i1")
    check("planes", numbers, "i8", np.cumsum(numbers[..., ::-1], axis=2, dtype="i1")[..., ::-1])

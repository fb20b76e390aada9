"""Compares transpositions with NumPy: transposes.py OBS_RUN PROGRAM TILED RESULT.

The interpreter runs the program with tiles, and the emulator the whole pipeline.
"""

import subprocess
import sys

import numpy as np

tool, program, tiled, result = sys.argv[1:]
SHAPES = [(0, 5), (1, 1), (3, 100), (100, 3), (5, 40), (6, 16), (31, 33), (32, 32), (33, 65), (17, 129)]


def run(path, entry, shape, kind, *options):
    argument = f"iota:{'x'.join(map(str, shape))}x{kind}"
    command = [tool, path, f"--entry={entry}", f"--out={result}", *options, argument]
    subprocess.run(command, check=True)
    return np.load(result)


def check(entry, shape, kind, expected):
    for path, options in ((tiled, ["--device=interpret"]),
                          (program, ["--device=emulate", "--check", "--threads=96", "--schedule=random", "--seed=1"])):  # fmt: skip
        found = run(path, entry, shape, kind, *options)
        assert (found == expected).all(), (entry, shape, options)


for shape in SHAPES:
    check("map", shape, "i32", np.arange(np.prod(shape)).reshape(shape).T * 3)
for shape in ((2, 3, 5), (4, 33, 40), (1, 17, 31)):
    numbers = np.arange(np.prod(shape)).astype("i1").reshape(shape)
    check("planes", shape, "i8", numbers.transpose(2, 0, 1))
check("points", (700, 3), "f64", np.arange(2100.0).reshape(700, 3).T)

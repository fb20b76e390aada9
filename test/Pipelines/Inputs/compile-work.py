"""Fails if a program needs more than the given kernels, lines of level IR or lines of PTX.

Usage: compile-work.py PROGRAM KERNELS LEVELS PTX
"""

import subprocess
import sys


def lines(*command):
    return subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True
    ).stdout.splitlines()


program, *limits = sys.argv[1:]
levels = lines("obs-opt", "--obs-to-levels", program)
kernels = [line for line in levels if line.lstrip().startswith("obs.kernel ")]
ptx = lines("obs-translate", "--obs-to-ptx", program)
found = {"kernels": len(kernels), "lines of level IR": len(levels), "lines of PTX": len(ptx)}
excess = [
    f"{count} {what}, and the limit is {limit}"
    for (what, count), limit in zip(found.items(), map(int, limits))
    if count > limit
]
if excess or not kernels:
    sys.exit("; ".join([program, *excess]))

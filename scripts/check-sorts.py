#!/usr/bin/env python3
"""Runs the sorting programs of examples/ on many inputs and compares with NumPy.

  scripts/check-sorts.py --obs-run=build/bin/obs-run [--count=10000] [OBS-RUN OPTION ...]

Sizes are near the sizes of warps, blocks and tiles, and near powers of two. Inputs are random,
sorted, reversed, equal, of few different values, or first ascending and then descending ("organ
pipe"). Floats include NaN, infinities and zeros of both signs. Input number i is the same in every
run with the same seed. Prints the numbers of inputs and of problems. Exits with 1 if there are
problems.
"""

import sys

from obstest.sorts import main

if __name__ == "__main__":
    sys.exit(main(__doc__))

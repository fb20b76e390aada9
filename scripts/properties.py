#!/usr/bin/env python3
"""The properties of Obsidian's thesis and papers, on random programs and inputs.

  scripts/properties.py --obs-run build/bin/obs-run --programs 200 --seed 1

Q1 to Q9 are the QuickCheck properties of the thesis. The others are laws that the
later papers use. Each property selects a program and its input, and computes the
expected results in Python. The interpreter and the emulator must have these
results, the emulator with all checks, on random numbers of threads and blocks, in
order and in random order. If a property states that two programs are equal, both
run. A law for some lengths or operators only also has a case in which it is false,
so that a test that cannot fail is found. Prints the numbers, and each failing
program with its property, seed and launch. Exits with 1 if a program fails.
"""

import sys

from obstest.properties.run import main

if __name__ == "__main__":
    sys.exit(main(__doc__))

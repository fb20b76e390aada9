#!/usr/bin/env python3
"""Random obs programs: interpreter, emulator and Python must agree.

  scripts/random-programs.py --obs-run build/bin/obs-run --programs 200 --seed 1

Programs are built from the combinators of the Obsidian papers (sequencing,
reverse, riffle as interleave of halves, unriffle, two, ilv, parl, comparators on
neighbours and on pairs that differ in one bit, force) and of the dialect (loops
that carry arrays, sub-programs of the same and of lower levels). Each takes
chunks of `n` elements of an array of any length. The same program is evaluated
here on Python lists, which checks the interpreter. The emulator runs it with
random numbers of threads and blocks and a random schedule. Prints the numbers of
programs and of failures, and each failing program with its seed and launch.
"""

import sys

from obstest.random_programs import main

if __name__ == "__main__":
    sys.exit(main(__doc__))

#!/usr/bin/env python3
"""The properties of Obsidian's thesis and papers, on random programs and inputs.

  scripts/properties.py --obs-run build/bin/obs-run --programs 200 --seed 1

Q1 to Q9 are the QuickCheck properties of the thesis; the others are laws that the
later papers use. Each draws a program and its input, and says in Python what the
results are. Interpreter and emulator must have them, the emulator with all of its
checks, on random numbers of threads and blocks, in order and in random order.
A property that two programs are equal runs both. A law that holds for some
lengths or operators only comes with a case in which it does not, so that a test
that cannot fail is noticed. Ends with the numbers; a failing program is printed
with its property, seed and launch; exits with 1 if there is any.
"""

import sys

from obstest.properties.run import main

if __name__ == "__main__":
    sys.exit(main(__doc__))

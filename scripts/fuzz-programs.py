#!/usr/bin/env python3
"""Runs random programs of all kinds of arrays: Python, interpreter and emulator must agree, bit for bit.

  scripts/fuzz-programs.py --tools build/bin --programs 1000 --seed 1
  scripts/fuzz-programs.py --tools build/bin --programs 20000 --seed 9 --emit DIR
  scripts/fuzz-programs.py --tools build/bin --replay DIR --device=cuda --ptxas ptxas

Unlike the programs of random-programs.py, these have arrays of one to three dimensions and of tuples,
elements of all types, negative and unsigned indices, fills in fills with initial contents, collectives and
irregular operations at every level, and loops and branches that carry arrays. They are correct by
construction: every index is mapped into the range of its array. Each program is evaluated on Python lists.
It runs on the interpreter, and on the emulator with random threads, blocks and schedule and with all checks.
All NaNs are equal. The package fuzzing/ has the modules of this program; its __init__.py lists them.

A program counts as refused if its error has a label, such as [R8-inside]. More than 5 % of refused programs
are a failure, and so is any other error. Failing programs are printed, or kept in the folder --keep with
their inputs, and --reduce makes them small. --only N runs program N only. --emit writes programs, inputs,
expected results, PTX and `manifest.json` to a folder. --replay runs these programs and compares the results.
Prints the numbers of programs and of failures. Exits with 1 if there are failures or no programs.
"""

import sys

from fuzzing.run_programs import main

if __name__ == "__main__":
    sys.exit(main(__doc__))

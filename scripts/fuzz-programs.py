#!/usr/bin/env python3
"""Random programs of all kinds of arrays: Python, interpreter and emulator must agree, bit for bit.

  scripts/fuzz-programs.py --tools build/bin --programs 1000 --seed 1
  scripts/fuzz-programs.py --tools build/bin --programs 20000 --seed 9 --emit DIR
  scripts/fuzz-programs.py --tools build/bin --replay DIR --device=cuda --ptxas ptxas

Unlike those of random-programs.py, they have arrays of one to three dimensions and of tuples, elements of
all types, negative and unsigned indices, fills in fills with initial contents, collectives and irregular
operations at every level, and loops and branches that carry arrays. They are right by construction: every
index is brought into the range of its array. Each is evaluated on Python lists, and run on the interpreter
and on the emulator with random threads, blocks and schedule and with all checks; NaNs are equal to one
another. The package fuzzing/ has the parts of this program; its __init__.py lists them.

A program counts as refused if its error has a label, such as [R8-inside]. More than 5 % of them are a
failure, and so is any other error. Failing programs are printed, or kept in the folder --keep with their
inputs, and --reduce makes them small. --only N runs program N alone. --emit writes programs, inputs,
expected results, PTX and `manifest.json` to a folder, and --replay runs those programs and compares. Ends
with the number of programs and of failures; exits with 1 if there are failures or no programs.
"""

import sys

from fuzzing.run_programs import main

if __name__ == "__main__":
    sys.exit(main(__doc__))

#!/usr/bin/env python3
"""Reductions, scans, compact, rank, expand and scatter of every kind, level,
extent, block size, operator and strategy, on the emulator and the interpreter,
against plain loops in Python. For compact and expand an operator stands for its
elements. The values that a scatter fetches depend on the order, but not their sum for each
index.

Usage: collective-matrix.py --obs-run OBS-RUN [--full] [--kind KIND ...]
           [--device DEVICE ...] [--check CHECKS] [--limit N] [--part K/N] [--seconds N] [--seed N] [--jobs N]

Without --full the cases are few, and yet every two values of two dimensions
(say, extent 33 and strategy raking) meet in one of them. Many cases share one
module and so one process. Prints one line for each case that fails, and a
summary; exits with 1 if any fails. A case whose arrays do not fit into shared
memory must be refused with that reason, and counts as such.
"""

import sys

from obstest.collectives.run import main

if __name__ == "__main__":
    sys.exit(main(__doc__))

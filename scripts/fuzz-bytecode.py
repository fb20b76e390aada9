#!/usr/bin/env python3
"""Tests obs-opt on bytecode with changed bytes: it refuses it with a reason, or reads a program that verifies.

  scripts/fuzz-bytecode.py --tools build/bin --programs 2000 --seed 1
  scripts/fuzz-bytecode.py --tools build/bin --programs 50000 --seed 3 --keep DIR

The programs of examples/ and test/ are written as MLIR bytecode (obs-opt --emit-bytecode). Bytes of them
are changed, deleted, inserted, copied from elsewhere, or cut off, and the result is read again. The script
reports crashes, more than --seconds of processor time, more than --memory MiB, a failure without an error,
an error with exit code 0, and a program that is read but does not survive printing and reading. A crash
without a function of Obsidian on the stack belongs to MLIR's reader. It is listed, but is not a failure
(this needs llvm-symbolizer in PATH). Findings with one cause count once. Each is printed with its command,
and kept in the folder --keep. Prints the numbers of programs and of failures. Exits with 1 if there are
failures or no programs.
"""

import sys

from fuzzing.run_bytecode import main

if __name__ == "__main__":
    sys.exit(main(__doc__))

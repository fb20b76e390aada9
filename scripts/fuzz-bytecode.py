#!/usr/bin/env python3
"""Bytecode with changed bytes: obs-opt refuses it with a reason, or reads a program that verifies.

  scripts/fuzz-bytecode.py --tools build/bin --programs 2000 --seed 1
  scripts/fuzz-bytecode.py --tools build/bin --programs 50000 --seed 3 --keep DIR

The programs of examples/ and test/ are written as MLIR bytecode (obs-opt --emit-bytecode). Bytes of them
are changed, deleted, inserted, copied from elsewhere, or cut off, and the result is read again. Reported
are crashes, more than --seconds of processor time, more than --memory MiB, a failure without an error,
an error with exit code 0, and a program that is read but does not survive printing and reading. A crash
without a function of Obsidian on the stack is one of MLIR's reader, which is listed but no failure
(llvm-symbolizer has to be in PATH for that). Findings with one cause count once; each is printed with its
command, and kept in the folder --keep. Ends with the number of programs and of failures; exits with 1 if
there are failures or no programs.
"""

import sys

from fuzzing.run_bytecode import main

if __name__ == "__main__":
    sys.exit(main(__doc__))

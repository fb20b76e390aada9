#!/usr/bin/env python3
"""Tests the tools on mutants of the programs in examples/ and test/: none crashes, hangs or fails without a reason.

  scripts/fuzz-mutations.py --tools build/bin --programs 5000 --seed 1
  scripts/fuzz-mutations.py --tools build/bin --programs 100000 --seed 7 --keep DIR --reduce

A mutant is a program with a few lines, tokens, numbers, types, operations, levels, operands or
attributes changed, or with lines of another program. All are parsed, verified, printed and read again
(obs-opt --verify-roundtrip). Mutants that pass are lowered, to PTX and by one more pipeline. One process
reads many mutants (--split-input-file). If one of them ends the process, the halves are tried again.

The script reports crashes, more than --seconds of processor time, more than --memory MiB, a failure
without `file:line:column: error:`, an error with exit code 0, and a program that changes when it is printed
and read again. A crash without a function of Obsidian on the stack belongs to MLIR. It is listed, but is
not a failure (this needs llvm-symbolizer in PATH). With --unlabelled, programs that verify and fail later
without a label such as [R2-bounded] are failures. Findings with one cause count once. Each is printed with
the command, and kept in the folder --keep. Prints the numbers of programs and of failures. Exits with 1 if
there are failures or no programs.
"""

import sys

from fuzzing.run_mutations import main

if __name__ == "__main__":
    sys.exit(main(__doc__))

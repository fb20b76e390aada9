#!/usr/bin/env python3
"""Mutants of the programs in examples/ and test/: no tool crashes, hangs or fails without a reason.

  scripts/fuzz-mutations.py --tools build/bin --programs 5000 --seed 1
  scripts/fuzz-mutations.py --tools build/bin --programs 100000 --seed 7 --keep DIR --reduce

A mutant is a program with a few lines, tokens, numbers, types, operations, levels, operands or
attributes changed, or with lines of another program. All are parsed, verified, printed and read again
(obs-opt --verify-roundtrip); those that pass are lowered, to PTX and by one more pipeline. One process
takes many mutants (--split-input-file); if one of them ends it, it is tried again with halves of them.

Reported are crashes, more than --seconds of processor time, more than --memory MiB, a failure without
`file:line:column: error:`, an error with exit code 0, and a program that changes when it is printed and
read again. A crash without a function of Obsidian on the stack is one of MLIR, which is listed but no
failure (llvm-symbolizer has to be in PATH for that). Programs that verify and fail later without a label
such as [R2-bounded] count as failures with --unlabelled. Findings with one
cause count once; each is printed with the command, and kept in the folder --keep. Ends with the number of
programs and of failures; exits with 1 if there are failures or no programs.
"""

import sys

from fuzzing.run_mutations import main

if __name__ == "__main__":
    sys.exit(main(__doc__))

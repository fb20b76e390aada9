#!/usr/bin/env python3
"""Mutants of StableHLO modules: the importer has a located error, or its program compiles.

  stablehlo-mutations.py --tools build/bin --programs 200 --seed 1 FILE...

A mutant is a function of the files with a few lines, tokens, numbers, types, operands or attributes changed, or
with lines of another one. Reported are crashes, a failure without `file:line:column: error:`, and a program of the
importer that is not lowered, without a label such as [R7-order]. Prints the mutants that were reported, and the
numbers of programs, of those that were imported, and of failures; exits with 1 if there are any.
"""

import argparse
import pathlib
import random
import re
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).parents[2] / "scripts"))

from fuzzing.mutator import Mutator
from fuzzing.runner import Limits, Runner, judge, label

PRIVATE = re.compile(r'sym_visibility = "private"')


def functions(text):
    """The functions of a file, each with the private ones that follow it."""
    parts = re.split(r'^(?="(?:func\.func|builtin\.module)")', text, flags=re.MULTILINE)[1:]
    found = []
    for part in parts:
        part = re.sub(r"^//.*\n", "", part, flags=re.MULTILINE)
        if found and PRIVATE.search(part.split("\n", 1)[0]):
            found[-1] += part
        else:
            found.append(part)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=pathlib.Path)
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    programs = [function for file in options.files for function in functions(file.read_text())]
    mutator = Mutator(programs, random.Random(options.seed))
    runner = Runner(options.tools, Limits(60, 20, 4096))
    imported = failures = 0
    command = ["obs-opt", "--allow-unregistered-dialect", "--obs-import-stablehlo"]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "mutant.mlir"
        for number in range(options.programs):
            text = mutator.mutant()
            path.write_text(text)
            verdict = judge(runner.run([*command, "-o", "/dev/null", str(path)]))
            if verdict.accepted and verdict.problem is None:
                imported += 1
                verdict = judge(runner.run([*command, "--obs-to-gpu", "-o", "/dev/null", str(path)]))
                is_fine = verdict.problem is None and (verdict.accepted or label(verdict) is not None)
            else:
                is_fine = verdict.problem is None
            if verdict.problem == "crash":
                # A crash without a function of Obsidian on the stack is one of MLIR.
                verdict = runner.explain([*command, str(path)], verdict)
                is_fine = verdict.problem != "crash"
            if not is_fine:
                failures += 1
                print(f"mutant {number}: {verdict}\n{text}")
    print(f"{options.programs} programs, {imported} imported, {failures} failures")
    return 1 if failures or not imported or imported == options.programs else 0


if __name__ == "__main__":
    sys.exit(main())

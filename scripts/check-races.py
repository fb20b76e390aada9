#!/usr/bin/env python3
"""Proves that kernels have no races, and tests the proof.

  scripts/check-races.py --obs-opt build/bin/obs-opt [--mutants N] [--threads N,...] [--part K/N] FILE...

Lowers each program for each number of threads (0: the number in the program) and runs
obs-check-races on it: it must prove every kernel. With --mutants, the script then
deletes one barrier at a time, or replaces a barrier of a block with several warps by
a barrier of a warp. The checker must not prove the changed kernel. The script selects
N changes, the same ones in each run (all: every change). With --part, it checks a part
of the kernels and of these changes. Prints the problems and the numbers. Exits with 1 if
there is a problem.
"""

import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys

from obstest import mutants
from obstest.parts import Part, part

# In seconds, for one kernel.
TIMEOUT = 600


def check(obs_opt, lines, kernel):
    """Whether one kernel is proved, whether under a contract, and otherwise the problem."""
    try:
        done = subprocess.run([obs_opt, "--obs-check-races", "-o", "/dev/null", "-"], check=False, capture_output=True, text=True,
                              input="\n".join(mutants.isolate_kernel(lines, kernel)), timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return False, False, f"no answer in {TIMEOUT} s"
    proved = [line for line in done.stderr.splitlines() if "is proved free of races" in line]
    errors = [line for line in done.stderr.splitlines() if " error: " in line]
    error = errors[0] if errors else "" if done.returncode == 0 and proved else f"exit status {done.returncode}"
    return bool(proved), any("under contract" in line for line in proved), error


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--obs-opt", default="obs-opt")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--mutants", default="0")
    parser.add_argument("--threads", default="0")
    parser.add_argument("--part", type=part, default=Part(), metavar="K/N")
    parser.add_argument("--summary", help="a file for the last line, too")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    programs = [(path, threads) for path in options.files for threads in options.threads.split(",")]
    proved = promised = tried = caught = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = pool.map(lambda p: mutants.lower(options.obs_opt, p[0], f"threads={p[1]}")[0], programs)
        texts = [(f"{path}, threads={threads}", lines) for (path, threads), lines in zip(programs, found) if lines]
        # Many programs, and launches, have the same kernel.
        distinct = {}
        for place, lines in texts:
            for kernel in mutants.kernels(lines).items():
                distinct.setdefault(kernel, (place, lines, kernel[0]))
        kernels = list(distinct.values())
        found = options.part.of(kernels)
        for (place, _, kernel), (isProved, isPromised, error) in zip(
                found, pool.map(lambda f: check(options.obs_opt, *f[1:]), found)):
            proved += isProved
            promised += isPromised
            if error:
                print(f"{place}, {kernel}: {error}", flush=True)

        def attempt(mutant):
            _, lines, change = mutant
            return check(options.obs_opt, mutants.apply(lines, change), change.kernel)[2]

        changes = [(place, lines, change) for place, lines, kernel in kernels
                   for change in mutants.find_changes(lines) if change.kernel == kernel]
        changes = options.part.of(mutants.draw(changes, None if options.mutants == "all" else int(options.mutants)))
        for (place, lines, change), error in zip(changes, pool.map(attempt, changes)):
            tried += 1
            if re.search(r"\[(race|race-unproved|barrier-divergence)\]", error):
                caught += 1
            else:
                print(f"{place}, {mutants.describe(lines, change)}: {error or 'still proved'}", flush=True)
    wrong = len(found) - proved
    summary = f"races: {proved} kernels proved, {promised} of them under contract, {wrong} not proved"
    if tried:
        summary += f"; {tried} mutants, {caught} caught ({100 * caught / tried:.1f} %)"
    print(summary)
    if options.summary:
        pathlib.Path(options.summary).write_text(summary + "\n")
    return 1 if wrong or caught < tried or not proved else 0


if __name__ == "__main__":
    sys.exit(main())

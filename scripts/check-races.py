#!/usr/bin/env python3
"""Proves kernels free of races, and shows that the proof would notice.

  scripts/check-races.py --obs-opt build/bin/obs-opt [--mutants N] [--threads N,...] FILE...

Lowers each program for each number of threads (0: as it says) and runs
obs-check-races on it: every kernel must be proved. With --mutants, then takes away
one barrier at a time, or lets a barrier of a block wait for its warp only, where the
block has several: the checker must not prove that kernel any more. So many of
these changes are drawn, the same ones each time (all: all of them). Prints what
went wrong, and the numbers; exits with 1 if anything did.
"""

import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys

import mutants


def check(obs_opt, lines):
    """The kernels proved, with and without contracts, and the first error."""
    done = subprocess.run([obs_opt, "--obs-check-races", "-o", "/dev/null", "-"], input="\n".join(lines),
                          capture_output=True, text=True, timeout=600)
    proved = [line for line in done.stderr.splitlines() if "is proved free of races" in line]
    errors = [line for line in done.stderr.splitlines() if " error: " in line]
    error = errors[0] if errors else "" if done.returncode == 0 else f"exit status {done.returncode}"
    return len(proved), sum("under contract" in line for line in proved), error


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--obs-opt", default="obs-opt")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--mutants", default="0")
    parser.add_argument("--threads", default="0")
    parser.add_argument("--summary", help="a file for the last line, too")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    programs = [(path, threads) for path in options.files for threads in options.threads.split(",")]
    kernels = promised = wrong = tried = caught = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        found = pool.map(lambda p: mutants.lower(options.obs_opt, p[0], f"threads={p[1]}")[0], programs)
        texts = [(f"{path}, threads={threads}", lines) for (path, threads), lines in zip(programs, found) if lines]
        for (place, _), result in zip(texts, pool.map(lambda t: check(options.obs_opt, t[1]), texts)):
            kernels += result[0]
            promised += result[1]
            if result[2]:
                wrong += 1
                print(f"{place}: {result[2]}")

        def attempt(mutant):
            _, lines, change = mutant
            return check(options.obs_opt, mutants.isolate_kernel(mutants.apply(lines, change), change.kernel))

        changes = [(place, lines, change) for place, lines in texts for change in mutants.find_changes(lines)]
        changes = mutants.draw(changes, None if options.mutants == "all" else int(options.mutants))
        for (place, lines, change), result in zip(changes, pool.map(attempt, changes)):
            tried += 1
            if re.search(r"\[(race|race-unproved|barrier-divergence)\]", result[2]):
                caught += 1
            else:
                print(f"{place}, {mutants.describe(lines, change)}: {result[2] or 'still proved'}")
    summary = f"races: {kernels} kernels proved, {promised} of them under contract, {wrong} programs not proved"
    if tried:
        summary += f"; {tried} mutants, {caught} caught ({100 * caught / tried:.1f} %)"
    print(summary)
    if options.summary:
        pathlib.Path(options.summary).write_text(summary + "\n")
    return 1 if wrong or caught < tried or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())

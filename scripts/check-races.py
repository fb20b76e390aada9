#!/usr/bin/env python3
"""Proves kernels free of races, and shows that the proof would notice.

  scripts/check-races.py --obs-opt build/bin/obs-opt [--mutants N] [--threads N,...] FILE...

Lowers each program for each number of threads (0: as it says) and runs
obs-check-races on it: every kernel must be proved. With --mutants, then takes away
one barrier at a time, or lets a barrier of a block wait for its warp only, where the
block has several: the checker must not prove that kernel any more. Every Nth of
these changes is tried (1: all). Prints what went wrong, and the numbers; exits with
1 if anything did.
"""

import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys

BARRIER = re.compile(r"^\s*(gpu\.barrier|nvvm\.bar\.warp\.sync)\b")
SIZE = re.compile(r"known_block_size = array<i32: (\d+)")


def lower(obs_opt, path, threads):
    done = subprocess.run([obs_opt, f"--obs-to-gpu=threads={threads}", str(path)], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def check(obs_opt, text):
    """The kernels proved, with and without contracts, and the first error."""
    done = subprocess.run([obs_opt, "--obs-check-races", "-o", "/dev/null", "-"], input=text, capture_output=True,
                          text=True, timeout=600)
    proved = [line for line in done.stderr.splitlines() if "is proved free of races" in line]
    errors = [line for line in done.stderr.splitlines() if " error: " in line]
    error = errors[0] if errors else "" if done.returncode == 0 else f"exit status {done.returncode}"
    return len(proved), sum("under contract" in line for line in proved), error


def find_changes(text):
    """The text without one barrier, or with a weaker one, for each of them."""
    lines = text.splitlines()
    threads = 0
    for number, line in enumerate(lines):
        size = SIZE.search(line)
        if size:
            threads = int(size[1])
        if not BARRIER.match(line):
            continue
        yield number + 1, "deleted", "\n".join(lines[:number] + lines[number + 1:])
        if "gpu.barrier" in line and threads > 32:
            weak = ["%mutant = arith.constant -1 : i32", "nvvm.bar.warp.sync %mutant : i32"]
            yield number + 1, "weakened", "\n".join(lines[:number] + weak + lines[number + 1:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--obs-opt", default="obs-opt")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--mutants", type=int, default=0)
    parser.add_argument("--threads", default="0")
    parser.add_argument("--summary", help="a file for the last line, too")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    programs = [(path, threads) for path in options.files for threads in options.threads.split(",")]
    kernels = promised = wrong = mutants = caught = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        texts = list(pool.map(lambda p: lower(options.obs_opt, *p), programs))
        texts = [(p, text) for p, text in zip(programs, texts) if text is not None]
        for ((path, threads), _), result in zip(texts, pool.map(lambda t: check(options.obs_opt, t[1]), texts)):
            kernels += result[0]
            promised += result[1]
            if result[2]:
                wrong += 1
                print(f"{path}, threads={threads}: {result[2]}")
        if options.mutants:
            changes = [(p, *change) for p, text in texts for change in find_changes(text)][::options.mutants]
            for ((path, threads), line, how, _), result in zip(
                    changes, pool.map(lambda c: check(options.obs_opt, c[3]), changes)):
                mutants += 1
                if re.search(r"\[(race|race-unproved|barrier-divergence)\]", result[2]):
                    caught += 1
                else:
                    print(f"{path}, threads={threads}: line {line} {how}: {result[2] or 'still proved'}")
    summary = f"races: {kernels} kernels proved, {promised} of them under contract, {wrong} programs not proved"
    if options.mutants:
        summary += f"; {mutants} mutants, {caught} caught ({100 * caught / max(1, mutants):.1f} %)"
    print(summary)
    if options.summary:
        pathlib.Path(options.summary).write_text(summary + "\n")
    return 1 if wrong or caught < mutants or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())

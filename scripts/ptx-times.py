#!/usr/bin/env python3
"""How long programs with one collective take to PTX: every kind, level and
strategy, for 4096 elements (257 at level thread), without limit or with it in the
type, a sum and products of 2 by 2 matrices.

Usage: ptx-times.py --obs-translate OBS-TRANSLATE [--limit SECONDS] [--runs N]

Prints the median of the runs of each program, and the slowest; exits with 1 if
one takes longer than the limit.
"""

import argparse
import importlib.util
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent


def load_matrix():
    spec = importlib.util.spec_from_file_location("matrix", HERE / "collective-matrix.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--obs-translate", required=True)
    parser.add_argument("--limit", type=float, default=0.15)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    matrix = load_matrix()
    slowest, count, late = (0, ""), 0, 0
    for case in matrix.all_cases(list(matrix.STRATEGIES)):
        _, level, extent, threads, operator, _ = case
        if (threads != 128 or operator not in ("add-i32", "matrix") or matrix.is_large(case)
                or extent != (257 if level == "thread" else 4096)):
            continue
        text = matrix.write_module([case])
        times = []
        for _ in range(arguments.runs):
            begin = time.monotonic()
            done = subprocess.run([arguments.obs_translate, "--obs-to-ptx", "-"], input=text,
                                  capture_output=True, text=True)
            times.append(time.monotonic() - begin)
            if "[shared-limit]" in done.stderr:
                break
            if done.returncode or ".entry" not in done.stdout:
                sys.exit(f"{case}:\n{done.stderr[:2000]}")
        if "[shared-limit]" in done.stderr:
            continue
        seconds = statistics.median(times)
        name = " ".join(map(str, case))
        print(f"{seconds:.3f} s  {name}", flush=True)
        slowest = max(slowest, (seconds, name))
        count += 1
        late += seconds > arguments.limit
    print(f"{count} programs, median of {arguments.runs}; the slowest takes {slowest[0]:.3f} s "
          f"({slowest[1]}); {late} take longer than {arguments.limit} s")
    return 1 if late or not count else 0


if __name__ == "__main__":
    sys.exit(main())

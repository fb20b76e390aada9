#!/usr/bin/env python3
"""Measures the time to compile programs with one collective to PTX: every kind, level and
strategy, for 4096 elements (257 at level thread), without a limit or with a limit in the
type, a sum and products of 2 by 2 matrices.

Usage: ptx-times.py --obs-translate OBS-TRANSLATE [--examples] [--limit SECONDS] [--runs N]

With --examples, the whole programs of examples/ instead.

Prints the median of the runs of each program, and the slowest; exits with 1 if
one takes longer than the limit.
"""

import argparse
import statistics
import subprocess
import sys
import time

from obstest import ROOT
from obstest.collectives.cases import STRATEGIES, all_cases, is_large
from obstest.collectives.programs import write_module

EXAMPLES = ROOT / "examples"


def collectives():
    """Names and texts of programs with one collective."""
    for case in all_cases(list(STRATEGIES)):
        _, level, extent, threads, operator, _ = case
        if (threads == 128 and operator in ("add-i32", "matrix") and not is_large(case)
                and extent == (257 if level == "thread" else 4096)):
            yield " ".join(map(str, case)), write_module([case])


def examples():
    for path in sorted(EXAMPLES.glob("*.mlir")):
        yield path.name, path.read_text()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--obs-translate", required=True)
    parser.add_argument("--examples", action="store_true")
    parser.add_argument("--limit", type=float, help="in seconds; by default 0.15, for examples 0.5")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    limit = arguments.limit or (0.5 if arguments.examples else 0.15)
    slowest, count, late = (0, ""), 0, 0
    for name, text in examples() if arguments.examples else collectives():
        times = []
        for _ in range(arguments.runs):
            begin = time.monotonic()
            done = subprocess.run([arguments.obs_translate, "--obs-to-ptx", "-"], check=False, input=text,
                                  capture_output=True, text=True)
            times.append(time.monotonic() - begin)
            if "[shared-limit]" in done.stderr:
                break
            if done.returncode or ".entry" not in done.stdout:
                sys.exit(f"{name}:\n{done.stderr[:2000]}")
        if "[shared-limit]" in done.stderr:
            continue
        seconds = statistics.median(times)
        print(f"{seconds:.3f} s  {name}", flush=True)
        slowest = max(slowest, (seconds, name))
        count += 1
        late += seconds > limit
    print(f"{count} programs, median of {arguments.runs}; the slowest takes {slowest[0]:.3f} s "
          f"({slowest[1]}); {late} take longer than {limit} s")
    return 1 if late or not count else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Compares the collectives of rows-without-bound.mlir with NumPy.

  rows-without-bound.py OBS_RUN PROGRAM
"""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np


ENTRIES = ["inclusive", "exclusive", "last", "segments", "kept", "count", "total", "offsets", "sums"]


def expected(entry: str, a: np.ndarray) -> np.ndarray:
    """The results for the rows of `a`."""
    if entry == "count":
        return np.sum(a % 2 == 0, axis=1, keepdims=True, dtype=np.int32)
    out = np.zeros_like(a)
    for i, row in enumerate(a):
        if entry == "inclusive":
            out[i] = 5 + np.cumsum(row)
        elif entry == "exclusive":
            out[i] = 5 + np.cumsum(row) - row
        elif entry == "last":
            before = 0
            for j, x in enumerate(row):
                before = x if x % 7 == 0 else before
                out[i, j] = before
        elif entry == "kept":
            even = row[row % 2 == 0]
            out[i] = -1
            out[i, : len(even)] = even
        elif entry == "total":
            out[i] = np.cumsum(row[::-1])[::-1]
        elif entry == "offsets":
            offsets = [s * len(row) // 3 for s in range(4)]
            for begin, end in zip(offsets, offsets[1:]):
                out[i, begin:end] = 2 + np.cumsum(row[begin:end])
        elif entry == "sums":
            # The initial value is that of each segment, and of elements behind the last one.
            out[i] = -7
            segment = -1
            for j, x in enumerate(row):
                segment += j == 0 or x % 5 == 0
                out[i, segment] += x
        else:
            total = 1
            for j, x in enumerate(row):
                total = 1 if x % 5 == 0 else total
                out[i, j] = total
                total += x
    return out


def main() -> int:
    tool, program = sys.argv[1:]
    numbers = np.random.default_rng(1)
    launches = [[], ["--device=emulate", "--check"], ["--device=emulate", "--threads=17", "--blocks=1"]]
    failures = runs = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shapes = [(3, 0), (0, 3), (2, 1), (2, 31), (3, 129), (2, 1024), (2, 1025), (1, 3000)]
        for number, (rows, columns) in enumerate(shapes):
            a = numbers.integers(0, 100, (rows, columns), dtype=np.int32)
            np.save(folder / "a.npy", a)
            for entry in ENTRIES:
                # Every other shape by the launch with few threads.
                for options in launches if number % 2 else launches[:2]:
                    out = folder / "r.npy"
                    out.unlink(missing_ok=True)
                    command = [tool, program, f"--entry={entry}", *options, f"--out={out}", str(folder / "a.npy")]
                    done = subprocess.run(command, check=False, capture_output=True, text=True)
                    runs += 1
                    want = expected(entry, a)
                    right = done.returncode == 0 and np.array_equal(np.load(out).reshape(want.shape), want)
                    if not right:
                        failures += 1
                        print(entry, rows, columns, options, done.stderr[:500])
    print(f"{runs} runs, {failures} failures")
    return 1 if failures or not runs else 0


if __name__ == "__main__":
    sys.exit(main())

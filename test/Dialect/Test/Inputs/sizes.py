"""Run programs.mlir on arrays of many extents, and compare each result with a closed form.

Usage: sizes.py OBS-TEST PROGRAM DEVICE...
"""

import array
import os
import subprocess
import sys
import tempfile

tool, program, *devices = sys.argv[1:]
EXTENTS = [0, 1, 31, 32, 33, 100, 257, 1000, 1024, 1025]
THREADS = {0: 1, 1: 17, 31: 32, 32: 96, 33: 128, 100: 17, 257: 32, 1000: 128, 1024: 1024, 1025: 96}
MASK = 0xFFFFFFFF


def signed(number):
    number &= MASK
    return number - (1 << 32) if number >> 31 else number


def padded(n, size):
    """The tiles of 0 ... n - 1."""
    return [[i if i < n else 0 for i in range(t, t + size)] for t in range(0, n, size)]


def digest(digits, base):
    """The sum of digits times powers, each computed on its own."""
    n = len(digits)
    return signed(sum(d * pow(base, n - 1 - i, 1 << 32) for i, d in enumerate(digits)))


def flat(values):
    return [x for v in values for x in flat(v)] if isinstance(values, list) else [values]


def run(device, entry, n, *scalars):
    options = (
        ["--device=" + device]
        + (["--check"] if device == "emulate" else [])
        + ([f"--threads={THREADS[n]}"] if device != "interpret" else [])
    )
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result")
        done = subprocess.run(
            [
                tool,
                "run",
                program,
                "--entry=" + entry,
                *options,
                "--out=" + path,
                f"iota:{n}xi32",
                *map(str, scalars),
            ],
            check=False, stderr=subprocess.PIPE,
            text=True,
        )
        if done.returncode:
            sys.exit(f"{entry} of {n} on {device}: {done.stderr}")
        with open(path, "rb") as file:
            return array.array("i", file.read()).tolist()


for n in EXTENTS:
    a = list(range(n))
    cases = []
    for k in sorted({n // 2, n}):
        cases += [
            ((entry, n, k), [k + i for i in range(n - k)]) for entry in ("drop_pull", "drop_push")
        ]
    for k in (1, 64):
        cases.append(
            (
                ("drop_in_tiles", n, k),
                flat([[2 * x for x in reversed(t[k:])] for t in padded(n, 64)]),
            )
        )
    k = min(n, 3)
    cases.append((("drop_in_loop", n, k), [2 * (k + i) for i in range(n - k)]))
    if n >= 2:
        cases.append((("window", n), [2 * (3 * i + 3) for i in reversed(range(n - 2))]))
        # Binomial sums: each step doubles the slope, and moves by half of it.
        k = min(n, 3)
        cases.append(
            (("window_in_loop", n, k), [(1 << k) * i + k * (1 << k) // 2 for i in range(n - k)])
        )
    cases.append(
        (
            ("window_in_blocks", n),
            flat(
                [
                    [
                        t[i] + 2 * t[i + 1] + 3 * t[i + 2] + 2 * t[i + 3] + t[i + 4]
                        for i in range(28)
                    ]
                    for t in padded(n, 32)
                ]
            ),
        )
    )
    cases.append((("repeat", n), [2 * (i // 3) for i in reversed(range(3 * n))]))
    cases.append(
        (
            ("repeat_in_blocks", n),
            flat([[t[i // 3] for i in reversed(range(96))] for t in padded(n, 32)]),
        )
    )
    for base in (1, 10):
        cases.append((("digest_grid", n, base), [signed(2 * digest([x + 1 for x in a], base))]))
        cases += [
            ((entry, n, base), [digest(a, base)])
            for entry in ("digest_block", "digest_tree", "digest_warp")
        ]
        cases.append((("digest_thread", n, base), [digest(t, base) for t in padded(n, 8)]))
    for call, expected in cases:
        for device in devices:
            result = run(device, *call)
            if result != expected:
                sys.exit(f"{call} on {device}: {result}, not {expected}")

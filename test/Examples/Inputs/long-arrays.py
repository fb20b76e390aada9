"""Runs long-arrays.mlir for N elements and compares with closed forms.

  long-arrays.py OBS-RUN N [OPTION ...]
"""

import pathlib
import subprocess
import sys

PROGRAM = pathlib.Path(__file__).with_name("long-arrays.mlir")
obs_run, n, options = sys.argv[1], int(sys.argv[2]), sys.argv[3:]


def signed(x):
    x %= 2**64
    return x - 2**64 if x >= 2**63 else x


# Of x + 1 and then 3x + 1, which is 3x + 4, n / 2 times.
power = pow(3, n // 2, 2**64)
EXPECTED = {
    "sum": [n * (n - 1) // 2],
    "functions": [power, 2 * (power - 1) + n % 2],
    "scan": [0],
    "compact": [(n + 2) // 3, 0],
    "histogram": [(n + 7 - k) // 8 for k in range(8)],
}

failed = False
for entry, expected in EXPECTED.items():
    done = subprocess.run([obs_run, PROGRAM, "--entry=" + entry, *options, str(n)], check=False, capture_output=True, text=True)
    found = [int(word) for word in done.stdout.replace("[", " ").replace("]", " ").replace(",", " ").split()]
    if done.returncode or found != [signed(x) for x in expected]:
        failed = True
        print(f"{entry} of {n}: {found} instead of {expected}; {done.stderr[-500:]}")
print(f"{len(EXPECTED)} functions of {n} elements {'differ' if failed else 'as expected'}")
sys.exit(failed)

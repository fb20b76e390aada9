"""Scans of rows of known length by threads, warps and blocks on a GPU, in microseconds.

    OBS_LIBRARY=.../libobsidian.so PYTHONPATH=python python3 python/tests/gpu_scans.py 100 1000

Needs a GPU and PyTorch. Arguments are the lengths of the rows of a matrix of 2^25 `f32`. The scans
are sums, the largest element with its place, and the logarithm of a sum of exponentials. Each is
compared with PyTorch. Times are with cold caches, as in gpu_torch. The exit status is the number of
scans that are wrong.
"""

from __future__ import annotations

import math
import operator
import sys
from typing import Any

import torch
from gpu_torch import WAIT, on_gpu

import obsidian as obs
from obsidian import Pull, arrays, f32, i32

LENGTHS = (33, 50, 100, 256, 512, 600, 1000, 1024)


def larger(a: Any, b: Any) -> Any:
    return obs.where((b[0] > a[0]) | ((b[0] == a[0]) & (b[1] >= a[1])), b, a)


def log_add(a: Any, b: Any) -> Any:
    high = obs.max(a, b)
    return high + obs.log(obs.exp(a - high) + obs.exp(b - high))


def sums(m: Any, level: Any) -> Any:
    return rows_of(m, level, lambda row: row.scan(operator.add, -0.0))


def extremes(m: Any, level: Any) -> Any:
    pairs = obs.generate(*m.shape)(lambda i, k: (m[i, k], k.to(i32)))
    found = rows_of(pairs, level, lambda row: row.scan(larger, (-math.inf, -1)))
    return found.force().unzip()


def logs(m: Any, level: Any) -> Any:
    return rows_of(m, level, lambda row: row.scan(log_add, -math.inf))


def rows_of(m: Any, level: Any, scan: Any) -> Any:
    return arrays.folds.rows(m, level, scan)


SCANS = {
    sums: lambda x: x.cumsum(1),
    extremes: lambda x: x.cummax(1).values,
    logs: lambda x: x.logcumsumexp(1),
}


def measure(scan: Any, x: torch.Tensor, level: Any) -> tuple[float, bool]:
    """The time of a scan of the rows of a matrix, and if its result is right."""

    def program(m):  # type: ignore[no-untyped-def]
        return scan(m, level)

    program.__annotations__ = {"m": Pull[(*x.shape, f32)]}
    function = obs.jit(program)
    found = function(x)
    found = torch.as_tensor(found[0] if isinstance(found, (tuple, list)) else found, device="cuda")
    is_right = torch.allclose(found, SCANS[scan](x), atol=1e-2, rtol=1e-3)
    return on_gpu(lambda: function(x), WAIT), is_right


def main() -> int:
    wrong = 0
    print(torch.cuda.get_device_name())
    for length in [int(n) for n in sys.argv[1:]] or LENGTHS:
        x = torch.randn((1 << 25) // length, length, device="cuda")
        for level in (obs.thread, obs.warp, obs.block):
            found = {scan.__name__: measure(scan, x, level) for scan in SCANS}
            wrong += sum(not is_right for _, is_right in found.values())
            times = "  ".join(f"{name} {time:7.1f}" for name, (time, _) in found.items())
            print(f"rows of {length:5} {level!s:7} {times}", flush=True)
    return wrong


if __name__ == "__main__":
    sys.exit(main())

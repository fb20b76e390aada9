"""Programs of rows by torch.compile on a GPU: results against eager mode, times beside Inductor.

    OBS_LIBRARY=.../libobsidian.so PYTHONPATH=python python3 python/tests/gpu_rows.py 100 768 6145

Needs a GPU and PyTorch with Triton. Arguments are lengths of rows. A matrix has 2^24 elements.
Prints one line for each program and type: microseconds with cold caches as in gpu_torch, the time
of Inductor divided by ours, and the rate of the bytes of arguments and results. The exit status is
the number of programs that are wrong.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from gpu_torch import LEAVES, WAIT, on_gpu

import obsidian.torch  # noqa: F401 (registers the backend)

ELEMENTS = 1 << 24


def softmax(x: Any, w: Any) -> Any:
    return x.softmax(-1)


def rms_norm(x: Any, w: Any) -> Any:
    y = x.float()
    return (y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-6)).to(x.dtype) * w


def layer_norm(x: Any, w: Any) -> Any:
    return F.layer_norm(x, w.shape, w, w)


def total(x: Any, w: Any) -> Any:
    return x.sum(-1)


def log_sum_exp(x: Any, w: Any) -> Any:
    return x.logsumexp(-1)


def add_norm(x: Any, w: Any) -> Any:
    y = x + w
    return y, F.layer_norm(y, w.shape, w, w)


def measure(function: Callable[..., Any], columns: int, dtype: Any) -> bool:
    """Prints the line of a program, and returns whether its results are right."""
    torch.manual_seed(0)
    x = torch.randn(ELEMENTS // columns, columns, device="cuda", dtype=dtype)
    w = torch.randn(columns, device="cuda", dtype=dtype)
    torch._dynamo.reset()
    mine = torch.compile(function, backend="obsidian", dynamic=False)
    expected, check = LEAVES(function(x, w)), "ok"
    loose = 1e-3 if dtype == torch.float32 else 3e-2
    try:
        for a, b in zip(LEAVES(mine(x, w)), expected):
            torch.testing.assert_close(a.float(), b.float(), rtol=loose, atol=loose)
    except AssertionError as error:
        check = "wrong: " + str(error).replace("\n", " ")
    ours = on_gpu(lambda: mine(x, w), WAIT)
    torch._dynamo.reset()
    inductor = torch.compile(function, dynamic=False)
    inductor(x, w)
    peer = on_gpu(lambda: inductor(x, w), WAIT)
    rate = (x.nbytes + sum(t.nbytes for t in expected)) / ours / 1e3
    print(
        f"{function.__name__:11} {str(dtype)[6:]:8} {columns:6} ours {ours:7.1f} "
        f"Inductor {peer:7.1f} ratio {peer / ours:5.2f} {rate:5.0f} GB/s {check}",
        flush=True,
    )
    return check == "ok"


if __name__ == "__main__":
    functions = (softmax, rms_norm, layer_norm, total, log_sum_exp, add_norm)
    wrong = 0
    for number in map(int, sys.argv[1:]):
        for kind in (torch.float32, torch.bfloat16):
            wrong += sum(not measure(function, number, kind) for function in functions)
    sys.exit(wrong)

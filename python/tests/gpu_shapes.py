"""Functions of PyTorch over awkward shapes by torch.compile on a GPU, beside eager mode.

    OBS_LIBRARY=.../libobsidian.so PYTHONPATH=python python3 python/tests/gpu_shapes.py 300 cumsum t

Needs a GPU and PyTorch. Arguments are the seconds after which no other function begins, and the
names of functions (all). With --symbolic, programs accept all extents, and with --symbolic=0 all
extents of dimension 0. Matrices have 2^25 elements: 4096 x 8191, 100 x 335003, 1000003 x 33.
Prints one line for each function and shape: the rate of the bytes of arguments and results divided
by that of a copy in this run, the time of eager mode divided by ours, and both in microseconds,
with cold caches as in gpu_torch. The exit status is the number of functions that are wrong.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from gpu_torch import LEAVES, WAIT, on_gpu

import obsidian.torch  # noqa: F401 (registers the backend)

WIDE, LONG, TALL = (4096, 8191), (100, 335003), (1000003, 33)
MATRICES = (WIDE, LONG, TALL)
VOLUMES, IMAGES = ((64, 513, 1001),), ((4, 8, 1080, 1023),)
Function = Callable[..., Any]

#: Functions of one tensor, and the shapes of the tensor.
SHAPED: dict[str, tuple[Function, Sequence[tuple[int, ...]]]] = {
    "sum0": (lambda x: x.sum(0), MATRICES),
    "sum1": (lambda x: x.sum(1), MATRICES),
    "max1": (lambda x: x.max(1), MATRICES),
    "argmax0": (lambda x: x.argmax(0), MATRICES),
    "var1": (lambda x: x.var(1), MATRICES),
    "any1": (lambda x: (x > 4).any(1), MATRICES),
    "softmax0": (lambda x: x.softmax(0), MATRICES),
    "softmax1": (lambda x: x.softmax(1), MATRICES),
    "logsumexp1": (lambda x: x.logsumexp(1), MATRICES),
    "centre0": (lambda x: x - x.mean(0), MATRICES),
    "norm": (lambda x: x / x.norm(dim=1, keepdim=True), MATRICES),
    "layer_norm": (lambda x: F.layer_norm(x, x.shape[1:]), MATRICES),
    "cumsum0": (lambda x: x.cumsum(0), MATRICES),
    "cumsum1": (lambda x: x.cumsum(1), MATRICES),
    "logcumsumexp1": (lambda x: x.logcumsumexp(1), (WIDE,)),
    "cummax1": (lambda x: x.cummax(1), (WIDE,)),
    "transpose": (lambda x: x.t().contiguous(), MATRICES),
    "flip0": (lambda x: x.flip(0), MATRICES),
    "flip1": (lambda x: x.flip(1), MATRICES),
    "roll": (lambda x: x.roll(7, 1), MATRICES),
    "diff": (lambda x: x[:, 1:] - x[:, :-1], MATRICES),
    "every_second": (lambda x: x[:, ::2] * 2, MATRICES),
    "total": (lambda x: x.sum(), MATRICES),
    "triu": (lambda x: x.triu(), MATRICES),
    "pad": (lambda x: F.pad(x, (1, 1, 1, 1)), MATRICES),
    "blur": (lambda x: (x[2:] + 2 * x[1:-1] + x[:-2]) * 0.25, MATRICES),
    "row_and_column": (lambda x: x + x[:, :1] - x[:1], MATRICES),
    "cat": (lambda x: torch.cat([x, x * 2], 1), MATRICES),
    "stack": (lambda x: torch.stack([x, x + 1], -1), MATRICES),
    "permute": (lambda x: x.permute(2, 0, 1).contiguous(), VOLUMES),
    "swap": (lambda x: x.transpose(1, 2).contiguous(), VOLUMES),
    "sum_middle": (lambda x: x.sum(1), VOLUMES),
    "softmax_middle": (lambda x: x.softmax(1), VOLUMES),
    "cumsum_middle": (lambda x: x.cumsum(1), VOLUMES),
    "average_pool": (lambda x: F.avg_pool2d(x, 2), IMAGES),
    "max_pool": (lambda x: F.max_pool2d(x, 3, 1, 1), IMAGES),
    "reflect": (lambda x: F.pad(x, (2, 2, 2, 2), mode="reflect"), IMAGES),
    "channels_last": (lambda x: x.permute(0, 2, 3, 1).contiguous(), IMAGES),
    "batch_norm": (lambda x: F.batch_norm(x, None, None, training=True), IMAGES),
    "group_norm": (lambda x: F.group_norm(x, 4), IMAGES),
    "bilinear": (lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), ((4, 8, 540, 512),)),
}


def floats(*shape: int) -> torch.Tensor:
    return torch.randn(*shape, device="cuda")


def places(high: int, *shape: int) -> torch.Tensor:
    return torch.randint(0, high, shape, device="cuda")


#: Functions that read and write at places, and their arguments.
PLACED: dict[str, tuple[Function, Callable[[], list[torch.Tensor]]]] = {
    "rows": (lambda x, i: x[i], lambda: [floats(100000, 256), places(100000, 120000)]),
    "short_rows": (lambda x, i: x[i], lambda: [floats(1000003, 33), places(1000003, 1000000)]),
    "elements": (lambda x, i: x[i], lambda: [floats(1 << 24), places(1 << 24, 1 << 24)]),
    "gather": (
        lambda x, i: x.gather(1, i), lambda: [floats(4096, 8191), places(8191, 4096, 2000)]),
    "index_add": (
        lambda x, i: torch.zeros(1000, 256, device=x.device).index_add(0, i, x),
        lambda: [floats(100000, 256), places(1000, 100000)]),
    "scatter_add": (
        lambda x, i: torch.zeros(100000, device=x.device).scatter_add(0, i, x),
        lambda: [floats(1 << 24), places(100000, 1 << 24)]),
    "embedding": (
        lambda x, i: F.embedding(i, x).sum(1),
        lambda: [floats(50000, 128), places(50000, 8192, 50)]),
    "cross_entropy": (F.cross_entropy, lambda: [floats(8192, 4001), places(4001, 8192)]),
}  # fmt: skip


def is_right(found: Any, expected: Any) -> bool:
    """True if floats agree up to the order of sums, and few indices of equal elements differ."""
    for one, other in zip(LEAVES(found), LEAVES(expected)):
        if not other.is_floating_point():
            if (one != other).float().mean().item() > 1e-3:
                return False
            continue
        size = other.double().abs()
        error = (one.double() - other.double()).abs() / (size + 1 + size.mean())
        if not error.max().item() < 2e-3:
            return False
    return True


def rate_of_copy() -> float:
    """Bytes of a copy in a microsecond, read plus written."""
    source = torch.empty(1 << 26, device="cuda")
    target = torch.empty_like(source)
    return 2 * source.nbytes / on_gpu(lambda: target.copy_(source), WAIT)


def main() -> int:
    words = [word for word in sys.argv[1:] if not word.startswith("--symbolic")]
    limit, names = float(words[0]) if words else 300.0, words[1:]
    is_symbolic, is_batch = "--symbolic" in sys.argv, "--symbolic=0" in sys.argv
    warnings.simplefilter("ignore")
    cases = [
        (name, function, shape, lambda shape=shape: [floats(*shape)])
        for name, (function, shapes) in SHAPED.items()
        for shape in shapes
    ] + [(name, function, (), arguments) for name, (function, arguments) in PLACED.items()]
    rate = rate_of_copy()
    print(f"{torch.cuda.get_device_name()}, a copy moves {rate / 1e3:.0f} GB/s")
    begin, wrong = time.perf_counter(), 0
    for name, function, shape, build in cases:
        if (names and name not in names) or time.perf_counter() - begin > limit:
            continue
        torch._dynamo.reset()
        arguments = build()
        mine = torch.compile(
            function, backend="obsidian", dynamic=None if is_batch else is_symbolic
        )
        for tensor in arguments if is_batch else []:
            torch._dynamo.mark_dynamic(tensor, 0)
        found = mine(*arguments)
        right = is_right(found, function(*arguments))
        wrong += not right
        size = sum(t.nbytes for t in [*arguments, *LEAVES(found)])
        ours = on_gpu(lambda f=mine, a=arguments: f(*a), WAIT)
        eager = on_gpu(lambda f=function, a=arguments: f(*a), WAIT)
        label = f"{name} {' x '.join(map(str, shape))}".strip()
        print(f"{label:34} rate {size / ours / rate:5.2f}  eager / ours {eager / ours:7.2f}  "
              f"ours {ours:8.1f} us  eager {eager:9.1f} us{'' if right else '  WRONG'}",
              flush=True)  # fmt: skip
    return wrong


if __name__ == "__main__":
    sys.exit(main())

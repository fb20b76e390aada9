"""Products `a @ b` on a GPU, of known and unknown extents: results, and times beside cuBLAS.

    OBS_LIBRARY=.../libobsidian.so PYTHONPATH=python python3 python/tests/gpu_matmul.py
    compute-sanitizer --kernel-name kernel_substring=product ... gpu_matmul.py --small

Needs a GPU and PyTorch. Prints the number of wrong results, which is the exit status, and then one
line for each product: the medians of the microseconds of all kernels of a call with cold caches.
With `--small`, it only compares the results of some small products.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable
from typing import Any

import torch

import obsidian as obs
from obsidian import Pull, bf16, f16, f32

Shape = tuple[int, int, int]

DTYPES = {f16: torch.float16, bf16: torch.bfloat16, f32: torch.float32}
UNKNOWN = ("m", "k", "n")
SMALL: list[Shape] = [(129, 40, 264), (200, 72, 136), (131, 33, 67)]
EXACT: list[Shape] = [
    *[(100, 77, 130), (129, 64, 256), (257, 100, 300), (1000, 1023, 1001)],
    *[(128, 128, 128), (16, 16, 16), (17, 1, 33), (300, 72, 264)],
]
TIMED: list[tuple[Any, Shape]] = [
    *[(bf16, (n, n, n)) for n in (512, 1024, 2048, 4096)],
    (bf16, (1000, 1023, 1001)),
    *[(f32, (n, n, n)) for n in (512, 1024, 2048, 4096)],
    *[(f32, (1000, 1023, 1001)), (f32, (64, 8192, 64))],
]


def programs(extents: tuple[Any, Any, Any], element: Any) -> tuple[Any, Any]:
    """The product of two matrices, and that of the second one transposed."""
    m, k, n = extents

    def product(a: Any, b: Any) -> Any:
        return a.matmul(b, dtype=f32)

    def product_transposed(a: Any, b: Any) -> Any:
        return a.matmul(b.transpose(1, 0), dtype=f32)

    product.__annotations__ = {"a": Pull[m, k, element], "b": Pull[k, n, element]}
    product_transposed.__annotations__ = {"a": Pull[m, k, element], "b": Pull[n, k, element]}
    return obs.jit(product), obs.jit(product_transposed)


def integers(rows: int, columns: int, element: Any) -> torch.Tensor:
    """A matrix of small integers."""
    return torch.randint(-4, 5, (rows, columns), device="cuda").to(DTYPES[element])


def count_wrong(shapes: list[Shape], elements: list[Any]) -> int:
    """The number of products that are not exact."""
    wrong = 0
    for element in elements:
        unknown = programs(UNKNOWN, element)
        for m, k, n in shapes:
            for program in (unknown, programs((m, k, n), element)):
                a, b = integers(m, k, element), integers(k, n, element)
                expected = (a.double() @ b.double()).float()
                for function, other in zip(program, (b, b.T.contiguous())):
                    wrong += not torch.equal(torch.as_tensor(function(a, other)), expected)
    return wrong


def measure(call: Callable[[], Any], cache: torch.Tensor) -> float:
    """The median of the microseconds of the kernels of `call`, without those that empty caches."""
    times = []
    call()
    for _ in range(7):
        cache.zero_()
        torch.cuda.synchronize()
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as run:
            call()
            torch.cuda.synchronize()
        events = (e for e in run.events() if e.device_type == torch.autograd.DeviceType.CUDA)
        times.append(sum(e.device_time for e in events))
    return statistics.median(times)


def main() -> int:
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = False
    is_small = "--small" in sys.argv[1:]
    wrong = count_wrong(SMALL if is_small else EXACT, [f16, f32] if is_small else list(DTYPES))
    print("wrong results:", wrong)
    if is_small:
        return wrong
    cache = torch.empty(1 << 26, device="cuda")
    for element, (m, k, n) in TIMED:
        a, b = integers(m, k, element), integers(k, n, element)
        t = b.T.contiguous()
        found = [
            measure(lambda f=f, x=x: f(a, x), cache)
            for extents in (UNKNOWN, (m, k, n))
            for f, x in zip(programs(extents, element), (b, t))
        ]
        found.append(measure(lambda: a @ b, cache))
        times = " ".join(f"{time:9.1f}" for time in found)
        print(f"{m:5} {k:5} {n:5} {element.__name__:5} {times}", flush=True)
    return wrong


if __name__ == "__main__":
    sys.exit(main())

"""Rows of matrices by blocks and warps on a GPU, beside PyTorch.

    OBS_LIBRARY=.../libobsidian.so PYTHONPATH=python python3 python/tests/gpu_levels.py

Needs a GPU and PyTorch. A matrix has 2^24 floats. The length of a row is known at run time only
(`n`), has a bound (`n <= 128`), or is static. Prints one line for each length, kind and level:
for a softmax, sums in order and sums in any order, the microseconds with cold caches as in
gpu_torch, and the time of eager PyTorch divided by ours. The exit status is the number of results
that are wrong.
"""

import sys
import warnings
from collections.abc import Callable
from typing import Annotated, Any

import torch
from gpu_torch import WAIT, on_gpu

import obsidian as obs
from obsidian import Pull, block, f32, warp

ELEMENTS = 1 << 24
#: The lengths, and the bounds of their kind.
LENGTHS = {33: 128, 100: 128, 1000: 1024, 4096: 4096, 12289: 16384}
#: Rows for warps are at most this long.
LONGEST = 1024


def programs(extent: str, level: Any, threads: int | None) -> list[Callable[..., Any]]:
    """A softmax, sums in order, and sums in any order."""
    can_store = extent != "n"

    @obs.jit(threads=threads)
    def softmax(x: Annotated[Pull, "rows", extent, f32]) -> Any:
        def row(r: Any) -> Any:
            e = obs.exp(r - r.max())
            e = e.force() if can_store else e
            return e / e.sum()

        return obs.stack((row(r) for r in x.rows()), level=level)

    @obs.jit(threads=threads)
    def in_order(x: Annotated[Pull, "rows", extent, f32]) -> Any:
        return obs.concat((obs.full(1, r.sum()) for r in x.rows()), level=level)

    @obs.jit(threads=threads)
    def in_any_order(x: Annotated[Pull, "rows", extent, f32]) -> Any:
        return obs.concat((obs.full(1, r.sum(commutative=True)) for r in x.rows()), level=level)

    return [softmax, in_order, in_any_order]


def measure(columns: int, extent: str, level: Any, threads: int | None = None) -> int:
    """Print a line, and return the number of wrong results."""
    x = torch.randn(ELEMENTS // columns, columns, device="cuda")
    line, wrong = f"{columns:6} {extent:12} {level!s:6} {threads or '':4}", 0
    for function, peer in zip(
        programs(extent, level, threads),
        (lambda: x.softmax(-1), lambda: x.sum(-1), lambda: x.sum(-1)),
    ):
        is_right = torch.allclose(function(x).view(peer().shape), peer(), rtol=1e-3, atol=1e-3)
        ours = on_gpu(lambda f=function: f(x), WAIT)
        line += f" {ours:8.1f} {on_gpu(peer, WAIT) / ours:5.2f}{'' if is_right else ' wrong'}"
        wrong += not is_right
    print(line, flush=True)
    return wrong


def main() -> int:
    """The number of wrong results."""
    # The programs of this script are those that the compiler warns of.
    warnings.simplefilter("ignore", obs.PerformanceWarning)
    print(f"{torch.cuda.get_device_name()}: softmax, sums in order, sums in any order")
    wrong = 0
    for columns, bound in LENGTHS.items():
        for extent in ("n", f"n <= {bound}", "static n"):
            for level in (block, warp) if columns <= LONGEST else (block,):
                wrong += measure(columns, extent, level)
        for threads in (32, 256):
            wrong += measure(columns, "n", block, threads)
    return wrong


if __name__ == "__main__":
    sys.exit(main())

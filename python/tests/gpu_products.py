"""Products of matrices of bf16 by JAX on a GPU: results against XLA, and times beside it.

    OBS_LIBRARY=.../libobsidian.so PYTHONPATH=python python3 python/tests/gpu_products.py 4096

Needs a GPU, JAX with CUDA, and PyTorch, as gpu_jax does. Arguments are names of products (all).
Prints one line for each: the microseconds of all kernels with cold caches, those of XLA, the time
of XLA divided by ours, and the largest difference from XLA divided by the largest element.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import gpu_jax
import jax
import jax.numpy as jnp
import numpy as np

from obsidian.jax import jit

gpu_jax.ROUNDS = 7
Shapes = list[tuple[int, ...]]


def product(a: Any, b: Any) -> Any:
    return a @ b


def right_columns(a: Any, b: Any) -> Any:
    return a @ b.T


def left_columns(a: Any, b: Any) -> Any:
    return a.T @ b


def layer(x: Any, w: Any, b: Any) -> Any:
    return jax.nn.gelu(x @ w + b)


def two_layers(x: Any, w: Any, b: Any, v: Any) -> Any:
    return layer(x, w, b) @ v


def attention(q: Any, k: Any, v: Any) -> Any:
    scores = jnp.einsum("bhid,bhjd->bhij", q, k).astype(jnp.float32)
    weights = jax.nn.softmax(scores, -1).astype(jnp.bfloat16)
    return jnp.einsum("bhij,bhjd->bhid", weights, v)


WORKS: dict[str, tuple[Callable[..., Any], Shapes]] = {
    **{str(n): (product, [(n, n)] * 2) for n in (512, 1024, 1536, 2048, 3072, 4096, 8192)},
    **{f"{n}, a @ b.T": (right_columns, [(n, n)] * 2) for n in (2048, 3072, 4096)},
    "4096, a.T @ b": (left_columns, [(4096, 4096)] * 2),
    "1000 x 1023 x 1001": (product, [(1000, 1023), (1023, 1001)]),
    "64 x 4096 x 4096": (product, [(64, 4096), (4096, 4096)]),
    "8192 x 4096 x 1024": (product, [(8192, 4096), (4096, 1024)]),
    "4096 x 512 x 4096": (product, [(4096, 512), (512, 4096)]),
    "64 products of 256": (product, [(64, 256, 256)] * 2),
    "layer": (layer, [(4096, 4096), (4096, 4096), (4096,)]),
    "two layers": (two_layers, [(4096, 1024), (1024, 4096), (4096,), (4096, 1024)]),
    "attention": (attention, [(4, 16, 1024, 64)] * 3),
}


def deviates(shape: tuple[int, ...], seed: int) -> Any:
    """Normal deviates divided by 8."""
    return (jax.random.normal(jax.random.PRNGKey(seed), shape) / 8).astype(jnp.bfloat16)


def main() -> int:
    wrong = 0
    for name in sys.argv[1:] or WORKS:
        function, shapes = WORKS[name]
        arguments = [deviates(shape, seed) for seed, shape in enumerate(shapes)]
        mine, other = jit(function), jax.jit(function)
        found, expected = (np.asarray(f(*arguments), np.float32) for f in (mine, other))
        difference = float(abs(found - expected).max() / abs(expected).max())
        ours, theirs = (
            gpu_jax.kernels(lambda f=f: f(*arguments)) for f in (mine, other)
        )  # fmt: skip
        # An element of bf16 has 8 bits.
        wrong += not difference < 0.02
        print(f"{name:20} {ours:8.1f} {theirs:8.1f} {theirs / ours:7.2f}  {difference:.0e}",
              flush=True)  # fmt: skip
    return wrong


if __name__ == "__main__":
    sys.exit(main())

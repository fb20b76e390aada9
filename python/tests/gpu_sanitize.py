"""Scans, compactions, stencils and scatters of one force on a GPU against NumPy.

    compute-sanitizer --tool memcheck python3 python/tests/gpu_sanitize.py

Needs OBS_LIBRARY, a GPU and CuPy. The sizes are small, so that tools that watch each access can run
the programs. Prints the number of results that are right.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import cupy
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "python"))

import convolution
import k_means
import whole_arrays

MODES = {"clamp": "edge", "mirror": "symmetric", "wrap": "wrap", "constant": "constant"}


def scans(n: int) -> int:
    """Scans of all integers and of floats, and a compaction."""
    rng = np.random.default_rng(n)
    for kind in (np.int8, np.int16, np.int32, np.int64):
        a = rng.integers(-50, 50, n).astype(kind)
        found = cupy.asnumpy(whole_arrays.sums(cupy.asarray(a)))
        np.testing.assert_array_equal(found, np.cumsum(a, dtype=kind))
    floats = rng.random(n).astype(np.float32)
    found = cupy.asnumpy(whole_arrays.sums(cupy.asarray(floats)))
    np.testing.assert_allclose(found, np.cumsum(floats.astype(np.float64)), 1e-4)
    numbers = rng.integers(-50, 50, n).astype(np.int32)
    kept, count = (cupy.asnumpy(r) for r in whole_arrays.below(cupy.asarray(numbers), 10))
    expected = numbers[numbers < 10]
    assert int(count.ravel()[0]) == len(expected)
    np.testing.assert_array_equal(kept[: len(expected)], expected)
    return 6


def stencils(rule: str, h: int, w: int) -> int:
    """A convolution of 3 x 3 weights."""
    a = np.random.default_rng(h).integers(-100, 100, (h, w)).astype(np.int32)
    weights = np.arange(9, dtype=np.int32).reshape(3, 3)
    border = 0 if rule == "constant" else rule
    result = convolution.direct(cupy.asarray(a), cupy.asarray(weights), k=3, rule=border)
    padded = np.pad(a, 1, mode=MODES[rule])  # type: ignore[call-overload]
    sums = [weights[u, v] * padded[u : u + h, v : v + w] for u in range(3) for v in range(3)]
    np.testing.assert_array_equal(cupy.asnumpy(result), np.sum(sums, axis=0))
    return 1


def scatters(n: int) -> int:
    """A step of k-means: three scatters of one force."""
    x, y = (np.random.default_rng(n + i).integers(0, 1000, n).astype(np.int32) for i in (0, 1))
    u = np.arange(64, dtype=np.int32) * 15
    v = u[::-1].copy()
    points, centres = ((cupy.asarray(a), cupy.asarray(b)) for a, b in ((x, y), (u, v)))
    (moved, _), labels = k_means.step(points, centres)
    nearest = ((x[:, None] - u) ** 2 + (y[:, None] - v) ** 2).argmin(1)
    np.testing.assert_array_equal(cupy.asnumpy(labels), nearest)
    count = np.bincount(nearest, minlength=64)
    sums = np.bincount(nearest, x, 64).astype(np.int64)
    means = np.where(count > 0, sums // np.maximum(count, 1), u)
    np.testing.assert_array_equal(cupy.asnumpy(moved), means)
    return 1


def main() -> None:
    """Run all."""
    warnings.simplefilter("ignore")
    right = sum(scans(n) for n in (1, 33, 1000, 4096, 4097, 50_003))
    sizes = ((5, 4), (33, 64), (65, 260), (31, 33))
    right += sum(stencils(rule, h, w) for rule in MODES for h, w in sizes)
    right += sum(scatters(n) for n in (100, 20_000))
    print(right, "results are right")


if __name__ == "__main__":
    main()

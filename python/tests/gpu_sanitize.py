"""Scans, compactions, stencils, scatters of one force, sorts and products on a GPU against NumPy.

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
import counting_sort
import k_means
import large_sort
import matmul_registers
import whole_arrays

import radix_sort

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


def sorts(n: int) -> int:
    """Sorts by counts, marks, digits and a network."""
    rng = np.random.default_rng(n)
    for limit in (256, 5000, 70_000, 300_000, 5_000_000):
        a = rng.integers(0, limit, n).astype(np.int32)
        found = counting_sort.counting(cupy.asarray(a), limit)
        np.testing.assert_array_equal(cupy.asnumpy(found), np.sort(a))
        found = counting_sort.occurrence(cupy.asarray(a), limit)
        np.testing.assert_array_equal(cupy.asnumpy(found), np.unique(a))
    keys = rng.integers(0, 1000, n).astype(np.int32)
    found = radix_sort.pairs(cupy.asarray(keys), cupy.arange(n, dtype=cupy.int32))
    order = np.argsort(keys, kind="stable")
    np.testing.assert_array_equal(cupy.asnumpy(found[0]), keys[order])
    np.testing.assert_array_equal(cupy.asnumpy(found[1]), order)
    numbers = rng.integers(-(2**31), 2**31 - 1, n).astype(np.int32)
    found = large_sort.large_sort(cupy.asarray(numbers))
    np.testing.assert_array_equal(cupy.asnumpy(found), np.sort(numbers))
    return 13


def products(n: int) -> int:
    """A matrix product with tiles in registers, and a dot product."""
    rng = np.random.default_rng(n)
    x, y = (rng.random(shape, np.float32) for shape in ((130, 70), (70, 140)))
    found = matmul_registers.matmul_registers(cupy.asarray(x), cupy.asarray(y))
    np.testing.assert_allclose(cupy.asnumpy(found), x @ y, 1e-4)
    z = rng.random(n, np.float32)
    found = whole_arrays.dot(cupy.asarray(z), cupy.asarray(z))
    np.testing.assert_allclose(cupy.asnumpy(found).ravel()[0], np.dot(z.astype(float), z), 1e-4)
    return 2


def main() -> None:
    """Run all."""
    warnings.simplefilter("ignore")
    right = sum(scans(n) for n in (1, 33, 1000, 4096, 4097, 50_003))
    sizes = ((5, 4), (33, 64), (65, 260), (31, 33))
    right += sum(stencils(rule, h, w) for rule in MODES for h, w in sizes)
    right += sum(scatters(n) for n in (100, 20_000))
    right += sum(sorts(n) + products(n) for n in (1000, 20_001))
    print(right, "results are right")


if __name__ == "__main__":
    main()

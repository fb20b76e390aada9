"""Scans, compactions, stencils, scatters of one force, sorts and products on a GPU against NumPy.

    compute-sanitizer --tool memcheck python3 python/tests/gpu_sanitize.py

Needs OBS_LIBRARY, a GPU and CuPy. The sizes are small, so that tools that watch each access can run
the programs. Prints the number of results that are right.
"""

from __future__ import annotations

import operator
import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import cupy
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "python"))

import convolution
import counting_sort
import k_means
import large_sort
import matmul_registers
import whole_arrays

import obsidian as obs
from obsidian import Pull, arrays, block, f32, i8, i32

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


Matrix = Annotated[Pull, "h", "w", i32]


@obs.jit
def row_sums(m: Matrix):  # type: ignore[no-untyped-def]
    """Sums of rows by blocks, in order and in any order, and by warps; and rows with a mask."""
    ordered = obs.concat((r.reduce(affine, (1, 0)) for r in pairs_of(m).rows()), level=block)
    free = obs.concat((r.sum(commutative=True) for r in m.rows()), level=block)
    return *ordered.force().unzip(), free, m.map(lambda x: x > 0)


def pairs_of(m: Pull) -> Pull:
    """The function x -> (2 e + 1) x + e for each element e."""
    return m.map(lambda x: (2 * x + 1, x))


def affine(f: Any, g: Any) -> Any:
    """The function f, then g."""
    return g[0] * f[0], g[0] * f[1] + g[1]


@obs.jit
def column_sums(m: Matrix):  # type: ignore[no-untyped-def]
    """Sums of columns, which are not commutative."""
    return arrays.fold(affine, (1, 0), pairs_of(m).T)


@obs.jit
def bytes_sum(a: Annotated[Pull, "n", i8]):  # type: ignore[no-untyped-def]
    """A sum of wide numbers from narrow ones."""
    return a.to(i32).sum()


def composed(m: Any) -> tuple[Any, Any]:
    """The composition of the functions of each row, by NumPy."""
    factor, offset = np.ones(len(m), np.int32), np.zeros(len(m), np.int32)
    with np.errstate(over="ignore"):
        for e in m.T:
            factor, offset = (2 * e + 1) * factor, (2 * e + 1) * offset + e
    return factor, offset


def rows(h: int, w: int) -> int:
    """Sums of rows and columns of unknown length."""
    m = np.random.default_rng(h + w).integers(-9, 9, (h, w)).astype(np.int32)
    given = cupy.asarray(m)
    found = [cupy.asnumpy(r) for r in row_sums(given)]
    expected = *composed(m), m.sum(1, dtype=np.int32), m > 0
    for result, right in zip(found, expected):
        np.testing.assert_array_equal(result, right)
    for result, right in zip(column_sums(given), composed(m.T)):
        np.testing.assert_array_equal(cupy.asnumpy(result), right)
    narrow = m.astype(np.int8).ravel()
    total = cupy.asnumpy(bytes_sum(cupy.asarray(narrow)))
    np.testing.assert_array_equal(total, [narrow.sum(dtype=np.int32)])
    return 7


def products(n: int) -> int:
    """Matrix products with tiles in registers, and a dot product."""
    rng = np.random.default_rng(n)
    x, y = (rng.random(shape, np.float32) for shape in ((130, 70), (70, 140)))
    found = matmul_registers.matmul_registers(cupy.asarray(x), cupy.asarray(y))
    np.testing.assert_allclose(cupy.asnumpy(found), x @ y, 1e-4)
    found = product(cupy.asarray(x), cupy.asarray(y))
    np.testing.assert_allclose(cupy.asnumpy(found), x @ y, 1e-4)
    z = rng.random(n, np.float32)
    found = whole_arrays.dot(cupy.asarray(z), cupy.asarray(z))
    np.testing.assert_allclose(cupy.asnumpy(found).ravel()[0], np.dot(z.astype(float), z), 1e-4)
    return 3


@obs.jit
def product(a: Annotated[Pull, "m", "k", f32], b: Annotated[Pull, "k", "n", f32]):  # type: ignore[no-untyped-def]
    """The product of the library."""
    return obs.matmul(a, b)


#: A table that blocks copy to shared memory.
SQUARES = (np.arange(256) ** 2).astype(np.int32)


@obs.jit
def looked_up(a: Annotated[Pull, "n", i32]):  # type: ignore[no-untyped-def]
    """Elements of the table at indices that depend on data, and two reductions in one kernel."""
    table = obs.table(SQUARES)
    return a.map(lambda v: table[v & 255]), a.min(), a.max()


@obs.jit(threads=32)
def smooth(a: Annotated[Pull, "d", "h", "w", i8]):  # type: ignore[no-untyped-def]
    """Sums of neighbours in a periodic volume."""
    return arrays.stencil(lambda w: w[0, 0, -1] + w[0, 0, 1] - w[-1, 0, 0] * w[1, 1, 0], a, "wrap")


@obs.jit(threads=32)
def row_scans(m: Annotated[Pull, "h", "w", i32]):  # type: ignore[no-untyped-def]
    """Scans of rows of unknown length."""
    return obs.stack((row.scan(operator.add, 0) for row in m.rows()), level=block)


def lookups(n: int) -> int:
    """Tables in shared memory, and merged reductions."""
    a = np.random.default_rng(n).integers(-(2**31), 2**31, n).astype(np.int32)
    found, least, most = (cupy.asnumpy(r) for r in looked_up(cupy.asarray(a)))
    np.testing.assert_array_equal(found, SQUARES[a & 255])
    assert (least.ravel()[0], most.ravel()[0]) == (a.min(), a.max())
    return 3


def volumes(d: int, h: int, w: int) -> int:
    """Stencils of three dimensions, and scans of rows."""
    a = np.random.default_rng(w).integers(-9, 9, (d, h, w)).astype(np.int8)
    right = np.roll(a, 1, 2) + np.roll(a, -1, 2) - np.roll(a, 1, 0) * np.roll(a, (-1, -1), (0, 1))
    np.testing.assert_array_equal(cupy.asnumpy(smooth(cupy.asarray(a))), right)
    m = a.reshape(d * h, w).astype(np.int32)
    found = cupy.asnumpy(row_scans(cupy.asarray(m)))
    np.testing.assert_array_equal(found, m.cumsum(1, dtype=np.int32))
    return 2


def main() -> None:
    """Run all."""
    warnings.simplefilter("ignore")
    right = sum(scans(n) for n in (1, 33, 1000, 4096, 4097, 50_003))
    sizes = ((5, 4), (33, 64), (65, 260), (31, 33), (264, 256), (263, 257))
    right += sum(stencils(rule, h, w) for rule in MODES for h, w in sizes)
    right += sum(scatters(n) for n in (100, 20_000))
    right += sum(sorts(n) + products(n) for n in (1000, 20_001))
    lengths = ((1, 1), (3, 33), (40, 257), (33, 1000), (5, 2049), (600, 40), (2, 40_000))
    right += sum(rows(h, w) for h, w in lengths)
    right += sum(lookups(n) for n in (1000, 100_003))
    right += sum(volumes(*shape) for shape in ((5, 3, 7), (3, 40, 160), (4, 33, 161), (2, 2, 3000)))
    print(right, "results are right")


if __name__ == "__main__":
    main()

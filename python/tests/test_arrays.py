"""The elements, folds and scans of obsidian.arrays against NumPy."""

from __future__ import annotations

import functools
import operator
import re
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest
from array_programs import (
    LEVELS,
    PROGRAMS,
    SIZES,
    START,
    Floats,
    Numbers,
    affine,
    affine_of_numpy,
    both,
    equal,
    folded,
    maps_of,
    numbers,
    prefixes,
    run,
    shapes,
    suffixes,
    vector,
)

import obsidian as obs
from obsidian import Pull, arrays, i32
from obsidian.arrays import ALL
from obsidian.arrays.shared_rows import are_columns, is_shared

pytestmark = pytest.mark.filterwarnings("ignore::obsidian.PerformanceWarning")


def test_the_operator_is_no_commutative_one() -> None:
    a, b, c = 3 << 16 | 4, 5 << 16 | 6, 7 << 16 | 8
    assert affine_of_numpy(a, b) != affine_of_numpy(b, a)
    both_ways = affine_of_numpy(affine_of_numpy(a, b), c), affine_of_numpy(a, affine_of_numpy(b, c))
    assert both_ways[0] == both_ways[1]


# ---- elements


@pytest.mark.parametrize("shape", shapes(1, 2, 3, 4), ids=str)
def test_elementwise(shape: tuple[int, ...]) -> None:
    def program(a, b):  # type: ignore[no-untyped-def]
        doubled = arrays.map(lambda x: 2 * x, a)
        pairs = arrays.zip(doubled, b)
        low, high = arrays.unzip(arrays.map(lambda x, y: (obs.min(x, y), obs.max(x, y)), pairs))
        return low, arrays.zip_with(lambda x, y, z: x - y + z, high, b, doubled)

    a, b = numbers(shape), numbers(shape, 1)
    found = run(program, [vector(len(shape))] * 2, a, b)
    equal(found, np.minimum(2 * a, b), np.maximum(2 * a, b) - b + 2 * a)


@pytest.mark.parametrize("shape", [(), *shapes(1, 2, 3, 4)], ids=str)
def test_generate(shape: tuple[int, ...]) -> None:
    @obs.jit
    def program() -> Any:
        return arrays.generate(
            shape, lambda *i: functools.reduce(lambda s, k: 10 * s + k.to(i32), i, i32(3))
        )

    expected = functools.reduce(lambda s, k: 10 * s + k, np.indices(shape), np.full(shape, 3))
    equal(both(program), expected.reshape(shape or (1,)))


@pytest.mark.parametrize("shape", shapes(1, 2, 3, 4), ids=str)
def test_index_maps(shape: tuple[int, ...]) -> None:
    rank = len(shape)

    def program(a):  # type: ignore[no-untyped-def]
        turned = arrays.backpermute(
            a.shape, lambda *i: tuple(n - 1 - k for n, k in zip(a.shape, i)), a
        )
        return (
            turned,
            arrays.transpose(a),
            arrays.transpose(a, *range(1, rank), 0),
            arrays.replicate((2, *[ALL] * rank), a),
            arrays.replicate((*[ALL] * rank, 3), a),
            arrays.reshape((a.size,), a),
        )

    a = numbers(shape)
    equal(
        run(program, [vector(rank)], a),
        np.flip(a), a.T, np.moveaxis(a, 0, -1), np.stack([a] * 2),
        np.stack([a] * 3, axis=-1), a.ravel(),
    )  # fmt: skip


@pytest.mark.parametrize("shape", [s for s in shapes(1, 2, 3, 4) if 0 not in s], ids=str)
def test_slice(shape: tuple[int, ...]) -> None:
    rank = len(shape)

    def program(a, k: obs.index):  # type: ignore[no-untyped-def]
        first = arrays.slice(a, (0, *[ALL] * (rank - 1))) if rank > 1 else arrays.slice(a, 0)
        last = arrays.slice(a, (*[ALL] * (rank - 1), k)) if rank > 1 else arrays.slice(a, k)
        return first, last, arrays.slice(a, (*[0] * (rank - 1), -1))

    a = numbers(shape)
    k = shape[-1] // 2
    found = run(program, [vector(rank), obs.index], a, k)
    equal(found, a[0].reshape(a.shape[1:] or (1,)), a[..., k].reshape(a.shape[:-1] or (1,)),
          a[(*[0] * (rank - 1), -1)].reshape(1))  # fmt: skip


def test_rank_0() -> None:
    def program(a):  # type: ignore[no-untyped-def]
        total = arrays.fold(operator.add, 0, a)
        three = arrays.generate((), lambda: i32(3))
        product = arrays.zip_with(operator.mul, total, three)
        cut = arrays.backpermute((), lambda: 1, a)
        again = arrays.backpermute(a.shape, lambda _: (), cut)
        return product, arrays.replicate((2, 2), product), cut, again, arrays.reshape((), three)

    a = numbers((33,))
    s = 3 * a.sum()
    equal(run(program, [vector(1)], a), [s], [[s, s], [s, s]], [a[1]], np.full(33, a[1]), [3])


# ---- folds and scans


@pytest.mark.parametrize("shape", shapes(1, 2, 3, 4), ids=str)
@pytest.mark.parametrize("level", LEVELS, ids=str)
def test_fold(shape: tuple[int, ...], level: Any) -> None:
    def program(a):  # type: ignore[no-untyped-def]
        before = arrays.map(lambda x: x + 1, a)
        whole = arrays.fold(affine, START, before, level=level)
        return arrays.map(lambda x: x ^ 3, whole)

    a = maps_of(shape)
    expected = prefixes(a + 1)[..., -1] ^ 3
    found = run(program, [vector(len(shape))], a)
    equal(found, expected.reshape(shape[:-1] or (1,)))


@pytest.mark.parametrize("shape", shapes(1, 2, 3, 4), ids=str)
def test_fold_all(shape: tuple[int, ...]) -> None:
    def program(a):  # type: ignore[no-untyped-def]
        return arrays.fold_all(affine, START, a), arrays.fold(
            operator.add, 5, a, level=obs.grid, commutative=True
        )

    a = maps_of(shape)
    sums = 5 + a.sum(-1, dtype=np.int32)
    found = run(program, [vector(len(shape))], a)
    equal(found, [list(folded(a.ravel()))[-1]], sums.reshape(shape[:-1] or (1,)))


@pytest.mark.parametrize("shape", [s for s in shapes(1, 2, 3, 4) if s[-1]], ids=str)
def test_fold1(shape: tuple[int, ...]) -> None:
    def program(a):  # type: ignore[no-untyped-def]
        largest = arrays.fold1(obs.max, a)
        return arrays.fold1(affine, a), largest, arrays.fold1(operator.add, a)

    a = maps_of(shape)
    found = run(program, [vector(len(shape))], a)
    rest = shape[:-1] or (1,)
    equal(found, prefixes(a, None)[..., -1].reshape(rest), a.max(-1).reshape(rest),
          a.sum(-1, dtype=np.int32).reshape(rest))  # fmt: skip


@pytest.mark.parametrize(
    "shape", [(0, 3), (3, 0), (1, 1), (31, 7), (33, 9), (5, 1000), (2, 0, 9), (2, 33, 17)], ids=str
)
def test_fold_of_rows_that_share_their_elements(shape: tuple[int, ...]) -> None:
    """A block has 32 rows. A thread folds a part of a row, in order, and the start is used once."""

    def program(a, b):  # type: ignore[no-untyped-def]
        all_pairs = arrays.zip_with(
            operator.xor,
            arrays.replicate((*[ALL] * a.ndim, b.size), a),
            arrays.replicate((*a.shape, ALL), b),
        )
        found = arrays.fold(affine, START, all_pairs)
        return arrays.zip_with(operator.add, found, a)

    a, b = maps_of(shape[:-1]), maps_of(shape[-1:])
    found = run(program, [vector(a.ndim), Pull["m", i32]], a, b)
    equal(found, prefixes(a[..., None] ^ b)[..., -1] + a)
    assert "32 x i32" in PROGRAMS[next(reversed(PROGRAMS))].mlir()


@pytest.mark.parametrize(
    ("rows", "length", "level"),
    [(512, 17, "block"), (512, 16, "thread"), (511, 17, "warp"), (1 << 16, 17, "thread")],
)
def test_level_of_rows_that_share_their_elements(rows: int, length: int, level: str) -> None:
    def program(b):  # type: ignore[no-untyped-def]
        terms = arrays.generate((rows, length), lambda i, j: (3 << 16) + i.to(i32) * b[j])
        return arrays.fold(affine, START, terms)

    program.__annotations__ = {"b": Pull[length, i32]}
    traced = obs.jit(program)
    assert f"obs.distribute {level} in grid" in traced.mlir()
    b = numbers((length,))
    if rows < 1 << 16:
        terms = (3 << 16) + np.arange(rows)[:, None] * b
        equal(both(traced, b), prefixes(terms.astype(np.int32))[:, -1])


#: Matrices of a vector, a matrix and its extents, and if their rows share what they read.
READS: dict[str, tuple[Any, bool]] = {
    "own": (lambda a, m, h, w: m, False),
    "mapped": (lambda a, m, h, w: 2 * m, False),
    "transposed": (lambda a, m, h, w: m.T, False),
    "stored": (lambda a, m, h, w: (2 * m).force(), False),
    "column": (lambda a, m, h, w: arrays.generate((h, w), lambda i, j: m[i, 0] + m[0, j]), True),
    "turned": (lambda a, m, h, w: arrays.generate((w, h), lambda i, j: a[i] - a[j]).T, True),
    "mirrored": (lambda a, m, h, w: arrays.replicate((h, ALL), a[::-1][2:]), True),
    "diagonal": (lambda a, m, h, w: arrays.generate((h, w), lambda i, j: a[i + j]), False),
    "indirect": (lambda a, m, h, w: arrays.generate((h, w), lambda i, j: a[a[i] + a[j]]), False),
    "of_numbers": (lambda a, m, h, w: arrays.zip(obs.full((h, w), 3), obs.ones(h, w)), True),
    "of_parts": (lambda a, m, h, w: arrays.unzip(arrays.zip(m, m.T))[0], False),
    "branch": (
        lambda a, m, h, w: arrays.generate(
            (h, w), lambda i, j: obs.branching.choose(i > j, lambda: a[i], lambda: a[j])
        ),
        True,
    ),
    "branch_of_index": (
        lambda a, m, h, w: arrays.generate(
            (h, w), lambda i, j: a[obs.branching.choose(i > j, lambda: i, lambda: j)]
        ),
        False,
    ),
    "loop": (
        lambda a, m, h, w: arrays.generate(
            (h, w), lambda i, j: obs.loop(3, 0)(lambda k, s: s + a[i])
        ),
        False,
    ),
    "reshaped": (lambda a, m, h, w: a.reshape(h, w), False),
    "reshaped_column": (
        lambda a, m, h, w: arrays.zip_with(
            operator.sub,
            arrays.replicate((ALL, w), arrays.slice((2 * m).reshape(h * w, 1), (ALL, 0))[:h]),
            arrays.replicate((h, ALL), a[:w]),
        ),
        True,
    ),
}


@pytest.mark.parametrize("name", READS)
def test_rows_that_share_their_elements(name: str) -> None:
    matrix, expected = READS[name]

    @obs.jit
    def program(a: Numbers, m: Annotated[Pull, "h", "w", i32]) -> Any:
        return obs.full(1, is_shared(matrix(a, m, *m.shape)))

    equal(program.interpret(numbers((9,)), numbers((3, 3))), [expected])


@pytest.mark.parametrize("width", [1, 2, 4, 5])
@pytest.mark.parametrize("is_static", [False, True])
def test_few_rows_that_share_their_elements_are_one(width: int, is_static: bool) -> None:
    """Up to 4 neighbouring rows are one reduction, in the order of the elements, behind `init`."""
    count, length = 520, 17

    def function(x, y):  # type: ignore[no-untyped-def]
        shape = x.shape[0], width, y.shape[0]
        matrix = arrays.generate(shape, lambda i, c, j: x[i, c] * (y[j, 0] + y[j, c]))
        # The last element that is not a multiple of 3.
        last = arrays.fold(lambda a, b: obs.where(b % 3 == 0, a, b), 7, matrix)
        return last, arrays.fold(operator.add, 1, matrix, commutative=True)

    n, m = (count, length) if is_static else "nm"
    function.__annotations__ = {"x": Pull[n, width, i32], "y": Pull[m, width, i32]}
    program = obs.jit(function)
    rng = np.random.default_rng(width)
    x, y = (rng.integers(-9, 9, (n, width)).astype(np.int32) for n in (count, length))
    matrix = x[:, :, None] * (y[:, :1] + y).T
    last = np.full((count, width), 7, np.int32)
    for j in range(length):
        last = np.where(matrix[..., j] % 3 == 0, last, matrix[..., j])
    equal(both(program, x, y), last, matrix.sum(2) + 1)
    components = re.findall(r"(%.*) = obs.reduce", program.mlir())
    assert {c.count("%") for c in components} == {width if width <= 4 else 1}


SHAPES_OF_COLUMNS = [
    *((h, w, False) for h in (0, 1, 8, 33, 300, 2051) for w in (0, 1, 2, 33, 100)),
    (0, 33, True), (8, 33, True), (300, 2, True), (300, 33, True), (1025, 34, True),
]  # fmt: skip


@functools.cache
def on_columns(function: Any, *extents: Any) -> Any:
    """A program of a matrix, compiled once for its type."""

    def program(m):  # type: ignore[no-untyped-def]
        return function(m)

    program.__annotations__ = {"m": Pull[(*extents, i32)]}
    return obs.jit(program)


def folds_of_columns(m: Any) -> Any:
    digits = arrays.map(lambda x: (x, x + 1), m.T)
    found = arrays.fold(lambda f, g: (f[0] * g[0], g[0] * f[1] + g[1]), (3, 5), digits)
    shared = arrays.fold(operator.add, 7, m.T)
    return obs.full(1, are_columns(m.T)), obs.full(1, are_columns(m)), *found.unzip(), shared


@pytest.mark.parametrize("h, w, is_static", SHAPES_OF_COLUMNS)
def test_folds_of_columns(h: int, w: int, is_static: bool) -> None:
    """Columns of any length: one piece or several, in order."""
    m = np.random.default_rng(h + w).integers(-9, 9, (h, w)).astype(np.int32)
    factor, offset = np.full(w, 3, np.int32), np.full(w, 5, np.int32)
    for row in m:
        factor, offset = factor * row, row * offset + row + 1
    program = on_columns(folds_of_columns, *((h, w) if is_static else "hw"))
    equal(program(m), [True], [False], factor, offset, m.sum(0, dtype=np.int32) + 7)


def test_columns_behind_a_reshape() -> None:
    """The first and the last extents of a reshape keep their place, if they are known."""

    @obs.jit
    def program(m: Annotated[Pull, 4, 6, 33, i32]) -> Any:
        planes = m.reshape(2, 2, 6, 33).transpose(3, 0, 1, 2)
        columns, mixed = planes.reshape(33, 24), m.reshape(33, 24)
        return [obs.full(1, are_columns(a)) for a in (columns, mixed, columns.T.reshape(33, 24))]

    equal(program.interpret(np.zeros((4, 6, 33), np.int32)), [True], [False], [False])


def scans_of_columns(m: Any) -> Any:
    left = arrays.scanl(affine, START, m.T)
    right = arrays.scanr1(affine, arrays.map(lambda x: x + 1, m.T))
    sums = arrays.scanl1(operator.add, arrays.map(lambda x: (x, x), m.T).unzip()[1])
    pairs = arrays.scanl1(lambda a, b: (a[0] + b[0], b[1]), arrays.map(lambda x: (x, x), m.T))
    return left, arrays.map(lambda x: x + 1, right).transpose(1, 0), sums.T, *pairs.unzip()


@pytest.mark.parametrize("h, w, is_static", SHAPES_OF_COLUMNS)
def test_scans_of_columns(h: int, w: int, is_static: bool) -> None:
    """Columns of any length, in one piece or several, whose results have either order in memory."""
    m = maps_of((h, w))
    found = on_columns(scans_of_columns, *((h, w) if is_static else "hw"))(m)
    total = np.cumsum(m, 0, dtype=np.int32)
    equal(found, prefixes(m.T), suffixes(m.T + 1, None).T + 1, total, total.T, m.T)


@pytest.mark.parametrize("h, kernels", [(8, 1), (300, 3)])
def test_a_scan_of_columns_is_stored_once(h: int, kernels: int) -> None:
    """Functions of the result, its reverse, and its transposition are part of the scan."""

    def program(m):  # type: ignore[no-untyped-def]
        found = arrays.scanr1(operator.add, m.T)
        return arrays.map(lambda x: 2 * x, found).transpose(1, 0)

    program.__annotations__ = {"m": Pull[h, 1000, i32]}
    assert len(obs.jit(program).contract()["kernels"]) == kernels


def test_fold1_of_no_elements() -> None:
    @obs.jit
    def program(a: Numbers) -> Any:
        return arrays.fold1(affine, a)

    with pytest.raises(obs.RunError, match="fold1 needs an element in each row"):
        program(numbers((0,)))


@pytest.mark.parametrize("level", LEVELS, ids=str)
@pytest.mark.parametrize("shape", shapes(1, 2, 3, 4), ids=str)
def test_scans(shape: tuple[int, ...], level: Any) -> None:
    def program(a):  # type: ignore[no-untyped-def]
        b = arrays.map(lambda x: x + 1, a)
        left = arrays.scanl(affine, START, b, level=level)
        right = arrays.scanr(affine, START, b, level=level)
        return arrays.map(lambda x: x ^ 3, left), right

    a = maps_of(shape)
    found = run(program, [vector(len(shape))], a)
    equal(found, prefixes(a + 1) ^ 3, suffixes(a + 1))


@pytest.mark.parametrize("shape", shapes(1, 2, 3, 4), ids=str)
def test_scans_without_init(shape: tuple[int, ...]) -> None:
    def program(a):  # type: ignore[no-untyped-def]
        return (
            arrays.scanl1(affine, a), arrays.scanr1(affine, a), arrays.scanl1(operator.add, a),
        )  # fmt: skip

    a = maps_of(shape)
    found = run(program, [vector(len(shape))], a)
    equal(found, prefixes(a, None), suffixes(a, None), np.cumsum(a, -1, dtype=np.int32))


@pytest.mark.parametrize("shape", shapes(1, 2, 3, 4), ids=str)
def test_primed_scans(shape: tuple[int, ...]) -> None:
    def program(a):  # type: ignore[no-untyped-def]
        return arrays.scanl_(affine, START, a), arrays.scanr_(affine, START, a)

    a = maps_of(shape)
    found = run(program, [vector(len(shape))], a)
    left, right, rest = prefixes(a), suffixes(a), shape[:-1] or (1,)
    equal(found, left[..., :-1], left[..., -1].reshape(rest), right[..., 1:],
          right[..., 0].reshape(rest))  # fmt: skip


class Interval(NamedTuple):
    first: i32
    last: i32


def test_intervals() -> None:
    """The operator of Accelerate's tests: (a, b) (b, c) = (a, c); a wrong order is an error."""

    def joined(x: Any, y: Any) -> Any:
        is_right = (x.last == y.first) & (x.first >= 0) & (y.first >= 0)
        return Interval(obs.where(is_right, x.first, -1), obs.where(is_right, y.last, -2))

    @obs.jit
    def program(n: obs.index) -> Any:
        steps = arrays.generate(n, lambda i: Interval(i.to(i32), i.to(i32) + 1))
        one = arrays.scanl1(joined, steps)
        return one, arrays.scanr1(joined, steps), arrays.scanl(joined, Interval(0, 0), steps)

    for n in SIZES:
        ends = np.arange(n, dtype=np.int32)
        equal(both(program, n), ends * 0, ends + 1, ends, ends * 0 + n, np.zeros(n + 1, int),
              np.arange(n + 1))  # fmt: skip


@pytest.mark.parametrize("n", SIZES[1:])
def test_known_operators(n: int) -> None:
    """Operators with a neutral element need no flags; the results are those of all others."""

    def program(a, x, b):  # type: ignore[no-untyped-def]
        return (
            arrays.fold1(obs.min, a), arrays.fold1(obs.max, x), arrays.fold1(obs.min, x),
            arrays.fold1(operator.mul, a), arrays.fold1(operator.xor, a),
            arrays.fold1(operator.and_, a), arrays.fold1(operator.or_, a),
            arrays.fold1(operator.and_, b), arrays.fold1(operator.or_, b),
            arrays.fold1(operator.add, x), arrays.scanl1(operator.xor, b),
        )  # fmt: skip

    a, x = numbers((n,)), np.full(n, -0.0, np.float32)
    b = a > 20
    types = [Numbers.__metadata__, Floats.__metadata__, ("n", obs.i1)]
    found = run(program, [Pull[t] for t in types], a, x, b)
    with np.errstate(over="ignore"):
        product = np.multiply.reduce(a, dtype=np.int32)
    equal(found, [a.min()], [0], [0], [product], [np.bitwise_xor.reduce(a)],
          [np.bitwise_and.reduce(a)], [np.bitwise_or.reduce(a)], [b.all()], [b.any()], [0],
          np.logical_xor.accumulate(b))  # fmt: skip
    # The sum of -0 is -0.
    assert np.signbit(found[9]).all()

"""The segments, writes, stencils and loops of obsidian.arrays against NumPy."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from array_programs import (
    SIZES,
    START,
    Numbers,
    affine,
    equal,
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

pytestmark = pytest.mark.filterwarnings("ignore::obsidian.PerformanceWarning")


# ---- segments


def lengths_for(n: int, seed: int = 0) -> np.ndarray:
    """The lengths of segments that cover n elements, some of which are empty."""
    rng = np.random.default_rng(seed)
    ends = np.sort(rng.integers(0, n + 1, n // 7 + 3))
    return np.diff(np.concatenate([[0], ends, [n]])).astype(np.int32)


def parts(a: np.ndarray, lengths: np.ndarray) -> list[np.ndarray]:
    return np.split(a, np.cumsum(lengths)[:-1], axis=-1)


def segmented(
    function: Callable[[np.ndarray], np.ndarray], a: np.ndarray, lengths: np.ndarray
) -> np.ndarray:
    return np.concatenate([function(part) for part in parts(a, lengths)], -1)


SEGMENTED = [*shapes(1), (3, 33), (2, 0), (2, 1000), (2, 2, 31)]


@pytest.mark.parametrize("shape", SEGMENTED, ids=str)
def test_fold_seg(shape: tuple[int, ...]) -> None:
    def program(a, lengths, limits):  # type: ignore[no-untyped-def]
        known = arrays.fold_seg(affine, START, a, offsets=limits)
        return (
            arrays.map(lambda x: x ^ 3, arrays.fold_seg(affine, START, a, lengths)),
            known,
            arrays.fold1_seg(affine, a, lengths),
        )

    a, lengths = maps_of(shape), lengths_for(shape[-1])
    limits = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    types = [vector(len(shape)), vector(1), Pull["m", i32]]
    expected = segmented(lambda p: prefixes(p)[..., -1:], a, lengths)
    without = segmented(
        lambda p: prefixes(p, None)[..., -1:] if p.shape[-1] else prefixes(p)[..., -1:] * 0,
        a, lengths,
    )  # fmt: skip
    equal(run(program, types, a, lengths, limits), expected ^ 3, expected, without)


@pytest.mark.parametrize("shape", SEGMENTED, ids=str)
def test_segmented_scans(shape: tuple[int, ...]) -> None:
    def program(a, lengths):  # type: ignore[no-untyped-def]
        return (
            arrays.scanl_seg(affine, START, a, lengths),
            arrays.scanr_seg(affine, START, a, lengths),
            arrays.scanl1_seg(affine, a, lengths),
            arrays.scanr1_seg(affine, a, lengths),
        )

    a, lengths = maps_of(shape), lengths_for(shape[-1])
    equal(
        run(program, [vector(len(shape)), vector(1)], a, lengths),
        segmented(prefixes, a, lengths), segmented(suffixes, a, lengths),
        segmented(lambda p: prefixes(p, None), a, lengths),
        segmented(lambda p: suffixes(p, None), a, lengths),
    )  # fmt: skip


@pytest.mark.parametrize("shape", SEGMENTED, ids=str)
def test_primed_segmented_scans(shape: tuple[int, ...]) -> None:
    def program(a, lengths):  # type: ignore[no-untyped-def]
        return (
            arrays.scanl_seg_(affine, START, a, lengths),
            arrays.scanr_seg_(affine, START, a, lengths),
        )

    a, lengths = maps_of(shape), lengths_for(shape[-1])
    equal(
        run(program, [vector(len(shape)), vector(1)], a, lengths),
        segmented(lambda p: prefixes(p)[..., :-1], a, lengths),
        segmented(lambda p: prefixes(p)[..., -1:], a, lengths),
        segmented(lambda p: suffixes(p)[..., 1:], a, lengths),
        segmented(lambda p: suffixes(p)[..., :1], a, lengths),
    )  # fmt: skip


# ---- writes


@pytest.mark.parametrize("n", SIZES)
def test_permute(n: int) -> None:
    def program(a, base):  # type: ignore[no-untyped-def]
        size = base.size

        def place(i: Any) -> Any:
            # Numbers below 0 go nowhere.
            return a[i]

        ones = arrays.map(lambda _: i32(1), a)
        return (
            arrays.permute("add", base, place, ones),
            arrays.permute(lambda x, y: obs.max(x, y), -7, place, a, (size,)),
            arrays.permute(None, 9, lambda i: a.size - 1 - i, a, a.shape),
            arrays.permute("add", 1, lambda i: (i % 3, i % 2), ones, (3, 2)),
            arrays.permute("add", 1, lambda i: (), a, ()),
        )

    a, base = numbers((n,)), numbers((40,), 1)
    inside = a[(a >= 0) & (a < 40)]
    counts = np.bincount(inside, minlength=40)
    largest = np.where(counts > 0, np.arange(40), -7)
    grid = np.ones((3, 2), int)
    np.add.at(grid, (np.arange(n) % 3, np.arange(n) % 2), 1)
    found = run(program, [vector(1), vector(1)], a, base)
    equal(found, base + counts, largest, a[::-1], grid, [1 + a.sum()])


@pytest.mark.parametrize("shape", shapes(2, 3, 4), ids=str)
def test_permute_of_rank(shape: tuple[int, ...]) -> None:
    def program(a):  # type: ignore[no-untyped-def]
        whole = arrays.permute(None, 0, lambda *i: i[::-1], a, a.shape[::-1])
        return whole, arrays.permute("add", 2, lambda *i: i[:1], a, a.shape[:1])

    a = numbers(shape)
    sums = 2 + a.reshape(shape[0], -1).sum(-1, dtype=np.int32) if shape[0] else np.zeros(0, int)
    equal(run(program, [vector(len(shape))], a), a.T, sums)


@pytest.mark.parametrize("shape", shapes(1, 2, 3, 4), ids=str)
def test_compact(shape: tuple[int, ...]) -> None:
    def program(a):  # type: ignore[no-untyped-def]
        b = arrays.map(lambda x: x + 1, a)
        return arrays.compact(lambda x: x % 3 == 0, b), arrays.compact(a > 0, b)

    a = numbers(shape)
    three, rest = (a + 1) % 3 == 0, shape[:-1] or (1,)
    equal(run(program, [vector(len(shape))], a), (a + 1)[three], three.sum(-1).reshape(rest),
          (a + 1)[a > 0], (a > 0).sum(-1).reshape(rest))  # fmt: skip


@pytest.mark.parametrize("n", [*SIZES, 5000])
def test_partition(n: int) -> None:
    """Numbers by their last bits, pairs by a digit, and a pending array; all are stable."""

    def program(a):  # type: ignore[no-untyped-def]
        places = arrays.generate(a.shape, lambda i: i.to(i32))
        pairs = obs.zip(a, places)
        tens = arrays.partition(lambda x, i: (x + 50) // 10, 10, pairs)
        sums = arrays.scanl1(operator.add, a)
        one = arrays.partition(lambda x: x & 0, 1, sums)
        return arrays.partition(lambda x: x & 3, 4, a), tens, arrays.map(lambda x: 2 * x, one)

    a = numbers((n,))
    order, tens = (np.argsort(key, kind="stable") for key in (a & 3, (a + 50) // 10))
    sums = np.cumsum(a, dtype=np.int32)
    equal(run(program, [vector(1)], a), a[order], a[tens], tens, 2 * sums)


def test_partition_with_an_unknown_key() -> None:
    @obs.jit
    def program(a: Numbers) -> Any:
        return arrays.partition(lambda x: x, 3, a)

    for key in (3, -1):
        with pytest.raises(obs.RunError, match="partition-range"):
            program.interpret(np.int32([1, key, 2]))


# ---- stencils

MODES = {"clamp": "edge", "mirror": "symmetric", "wrap": "wrap"}


def padded(a: np.ndarray, rule: Any) -> np.ndarray:
    """An array with a border of one element on each side."""
    if isinstance(rule, str):
        return np.pad(a, 1, mode=MODES[rule])
    if isinstance(rule, int):
        return np.pad(a, 1, constant_values=rule)
    result = np.pad(a, 1)
    for place in np.ndindex(result.shape):
        inner = tuple(k - 1 for k in place)
        if any(not 0 <= k < n for k, n in zip(inner, a.shape)):
            result[place] = 100 * inner[0] + sum(inner)
    return result


def shifted(p: np.ndarray, *offsets: int) -> np.ndarray:
    return p[tuple(slice(1 + d, n - 1 + d) for d, n in zip(offsets, p.shape))]


def by_index(*place: Any) -> Any:
    total = 100 * place[0]
    for k in place:
        total = total + k
    return total.to(i32)


RULES = ("clamp", "mirror", "wrap", -3, by_index)
STENCILS = [*shapes(1), (1, 1), (5, 31), (33, 2), (3, 0), (2, 3, 5), (2, 1, 3, 4)]


@pytest.mark.parametrize("rule", RULES, ids=lambda r: getattr(r, "__name__", str(r)))
@pytest.mark.parametrize("shape", STENCILS, ids=str)
def test_stencil(shape: tuple[int, ...], rule: Any) -> None:
    rank = len(shape)
    rest = (0,) * (rank - 1)

    def program(a):  # type: ignore[no-untyped-def]
        found = arrays.stencil(
            lambda w: w[(-1, *rest)] + 3 * w[(0, *rest)] - 2 * w[(*rest, 1)],
            arrays.map(lambda x: 2 * x, a), rule,
        )  # fmt: skip
        return arrays.map(lambda x: x + 1, found)

    a = numbers(shape)
    found = run(program, [vector(rank)], a)
    if 0 in shape:
        equal(found, a)
        return
    p = padded(2 * a, rule)
    expected = shifted(p, -1, *rest) + 3 * 2 * a - 2 * shifted(p, *rest, 1) + 1
    equal(found, expected)


def test_stencil2() -> None:
    def program(a, b):  # type: ignore[no-untyped-def]
        return arrays.stencil2(
            lambda v, w: v[-1, 0] * w[0, 1] - v[1, 1] + w[-1, -1], a, "clamp", b, 5
        )

    for shape in [(0, 3), (1, 1), (3, 33), (5, 31)]:
        a, b = numbers(shape), numbers(shape, 1)
        p, q = padded(a, "clamp") if a.size else np.zeros((2, 5), int), padded(b, 5)
        expected = shifted(p, -1, 0) * shifted(q, 0, 1) - shifted(p, 1, 1) + shifted(q, -1, -1)
        equal(run(program, [vector(2)] * 2, a, b), expected)


# ---- loops and other programs


@pytest.mark.parametrize("n", SIZES)
def test_loops(n: int) -> None:
    def program(a):  # type: ignore[no-untyped-def]
        def step(k: Any, x: Any) -> Any:
            smooth = arrays.stencil(lambda w: w[-1] + w[1], x, "wrap")
            return arrays.map(lambda y: (y + k.to(i32)) & 0xFF, smooth)

        def halve(x: Any) -> Any:
            return arrays.map(lambda y: y // 2, x)

        def is_large(x: Any) -> Any:
            return arrays.map(lambda s: s > 100, arrays.fold(operator.add, 0, x))

        return arrays.loop(3, a)(step), arrays.while_loop(is_large, a & 0xFFF)(halve)

    a = numbers((n,))
    x, y = a, a & 0xFFF
    for k in range(3):
        x = (np.roll(x, 1) + np.roll(x, -1) + k) & 0xFF
    while y.sum() > 100:
        y = y // 2
    equal(run(program, [vector(1)], a), x, y)


@obs.function
def tree(c: Any) -> Any:
    while len(c) > 1:
        low, high = c.halve()
        c = (low + high).force()
    return c


def tree_sums(a: Any) -> Any:
    """A function with levels."""
    return obs.concat((tree(c) for c in a.split(64, pad=0)), level=obs.warp)


@obs.jit
def leveled(a: Numbers) -> Any:
    return tree_sums(a)


@pytest.mark.parametrize("n", SIZES)
def test_functions_with_levels(n: int) -> None:
    def program(a):  # type: ignore[no-untyped-def]
        scanned = arrays.scanl1(operator.add, a)
        return arrays.fold(obs.max, 0, tree_sums(scanned).force()), leveled(arrays.map(abs, a))

    a = numbers((n,))
    chunks = np.pad(np.cumsum(a), (0, -n % 64)).reshape(-1, 64).sum(1)
    plain = np.pad(abs(a), (0, -n % 64)).reshape(-1, 64).sum(1)
    equal(run(program, [vector(1)], a), [max([0, *chunks])], plain)

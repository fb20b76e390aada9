"""The operations of obsidian.arrays against NumPy: all ranks, edge sizes, hard operators."""

from __future__ import annotations

import functools
import operator
import warnings
from collections.abc import Callable, Iterator
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

import obsidian as obs
from obsidian import Pull, arrays, f32, i32
from obsidian.arrays import ALL

Numbers = Annotated[Pull, "n", i32]
Others = Annotated[Pull, "m", i32]
Floats = Annotated[Pull, "n", f32]
pytestmark = pytest.mark.filterwarnings("ignore::obsidian.PerformanceWarning")
SIZES = (0, 1, 31, 33, 1000)
#: The shapes of each rank: extents at the edges of a warp, and arrays without elements.
SHAPES: dict[int, list[tuple[int, ...]]] = {
    1: [(n,) for n in SIZES],
    2: [(0, 3), (3, 0), (1, 1), (5, 31), (3, 33), (2, 1000), (33, 2)],
    3: [(2, 0, 3), (2, 3, 31), (1, 2, 33)],
    4: [(2, 1, 3, 33), (1, 2, 2, 0)],
}
LEVELS = (None, obs.thread, obs.warp, obs.block)


@functools.cache
def vector(rank: int, kind: Any = i32) -> Any:
    """The type of arrays of a rank."""
    return Pull[(*(None,) * rank, kind)]


#: The last programs of `run`: arrays of one rank and all shapes have the same one. They are few,
#: since each has memory for the threads of the emulator.
PROGRAMS: dict[Any, Any] = {}


def run(function: Callable[..., Any], types: Any, *values: Any, **static: Any) -> Any:
    """The results of a program on the interpreter, after the emulator has given the same."""
    captured = tuple(cell.cell_contents for cell in function.__closure__ or ())
    key = (function.__code__, tuple(types), captured)
    if key not in PROGRAMS:
        function.__annotations__ = dict(zip(function.__code__.co_varnames, types))
        PROGRAMS[key] = obs.jit(function)
        if len(PROGRAMS) > 4:
            del PROGRAMS[next(iter(PROGRAMS))]
    return both(PROGRAMS[key], *values, **static)


def both(program: Any, *values: Any, **static: Any) -> Any:
    """The results of the interpreter; the emulator, with all checks, has the same."""
    expected = program.interpret(*values, **static)
    found = program.emulate(*values, check=True, schedule="random", seed=1, **static)
    for one, other in zip(flat(found), flat(expected)):
        np.testing.assert_array_equal(one, other)
    return expected


def flat(value: Any) -> list[np.ndarray]:
    if isinstance(value, tuple):
        return [part for item in value for part in flat(item)]
    return [np.asarray(value)]


def equal(found: Any, *expected: Any) -> None:
    parts = flat(found)
    assert len(parts) == len(expected)
    for one, other in zip(parts, expected):
        other = np.asarray(other)
        assert one.shape == other.shape, (one.shape, other.shape)
        np.testing.assert_array_equal(one, other)


def numbers(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(-50, 50, shape).astype(np.int32)


def shapes(*ranks: int) -> list[tuple[int, ...]]:
    return [shape for rank in ranks for shape in SHAPES[rank]]


# Operators that are associative and not commutative, for single numbers: affine maps x -> p x + q,
# packed as p and q in one i32 modulo 2^16, and "the last number that is not zero".
def affine(a: Any, b: Any) -> Any:
    p = (a >> 16) * (b >> 16)
    q = (a & 0xFFFF) * (b >> 16) + (b & 0xFFFF)
    return (p << 16) | (q & 0xFFFF)


def affine_of_numpy(a: int, b: int) -> int:
    a, b = int(a) & 0xFFFFFFFF, int(b) & 0xFFFFFFFF
    p = (a >> 16) * (b >> 16) & 0xFFFF
    q = ((a & 0xFFFF) * (b >> 16) + (b & 0xFFFF)) & 0xFFFF
    return int(np.uint32(p << 16 | q).view(np.int32))


ONE = 1 << 16
START = 5 << 16 | 7


def folded(row: Any, start: int | None = START) -> Iterator[int]:
    """All prefixes of a row, combined with affine_of_numpy."""
    state = start
    if state is not None:
        yield state
    for x in row:
        state = int(x) if state is None else affine_of_numpy(state, x)
        yield state


def by_rows(function: Callable[[np.ndarray], Any], a: np.ndarray, length: int) -> np.ndarray:
    """Apply a function to all rows of an array."""
    count = int(np.prod(a.shape[:-1]))
    rows = [function(row) for row in a.reshape(count, a.shape[-1])]
    return np.array(rows, np.int32).reshape(*a.shape[:-1], length)


def prefixes(a: np.ndarray, start: int | None = START) -> np.ndarray:
    extra = start is not None
    return by_rows(lambda r: list(folded(r, start)), a, a.shape[-1] + extra)


def backwards(row: np.ndarray, start: int | None = START) -> list[int]:
    state, found = start, [] if start is None else [start]
    for x in row[::-1]:
        state = int(x) if state is None else affine_of_numpy(x, state)
        found.append(state)
    return found[::-1]


def suffixes(a: np.ndarray, start: int | None = START) -> np.ndarray:
    return by_rows(lambda r: backwards(r, start), a, a.shape[-1] + (start is not None))


def test_the_operator_is_no_commutative_one() -> None:
    a, b, c = 3 << 16 | 4, 5 << 16 | 6, 7 << 16 | 8
    assert affine_of_numpy(a, b) != affine_of_numpy(b, a)
    both_ways = affine_of_numpy(affine_of_numpy(a, b), c), affine_of_numpy(a, affine_of_numpy(b, c))
    assert both_ways[0] == both_ways[1]


def maps_of(shape: tuple[int, ...]) -> np.ndarray:
    """Random affine maps."""
    rng = np.random.default_rng(4)
    return (rng.integers(1, 4, shape) << 16 | rng.integers(0, 100, shape)).astype(np.int32)


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
    @obs.jit
    def program(a: Numbers, base: Others) -> Any:
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
    equal(both(program, a, base), base + counts, largest, a[::-1], grid, [1 + a.sum()])


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
    @obs.jit
    def program(a: Numbers) -> Any:
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
    equal(both(program, a), x, y)


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
    @obs.jit
    def program(a: Numbers) -> Any:
        scanned = arrays.scanl1(operator.add, a)
        return arrays.fold(obs.max, 0, tree_sums(scanned).force()), leveled(arrays.map(abs, a))

    a = numbers((n,))
    chunks = np.pad(np.cumsum(a), (0, -n % 64)).reshape(-1, 64).sum(1)
    plain = np.pad(abs(a), (0, -n % 64)).reshape(-1, 64).sum(1)
    equal(both(program, a), [max([0, *chunks])], plain)


# ---- sharing, in the cost report


def kernels_of(program: Any) -> int:
    return len(program.cost().kernels)


def test_fusion_before_and_behind_collectives() -> None:
    @obs.jit
    def one(a: Floats) -> Any:
        total = arrays.fold(operator.add, 0.0, arrays.map(lambda x: x * x, a))
        return arrays.map(obs.sqrt, total)

    @obs.jit
    def also_one(a: Annotated[Pull, "h", 33, f32]) -> Any:
        scanned = arrays.scanl1(operator.add, arrays.map(lambda x: x * x, a))
        return arrays.zip_with(lambda x, y: x / y, scanned, a)

    @obs.jit
    def around(a: Floats) -> Any:
        smooth = arrays.stencil(lambda w: w[-1] + w[1], arrays.map(abs, a), "clamp")
        return 2 * arrays.map(obs.sqrt, smooth) + 1

    assert [kernels_of(p) for p in (one, also_one, around)] == [1, 1, 1]
    assert [one.cost().kernels[0].memory["global"].read] != [None]


def test_collectives_are_stored_once() -> None:
    @obs.jit
    def shared(a: Floats) -> Any:
        total = arrays.fold(operator.add, 0.0, a)
        return arrays.map(lambda x: x / total[0], a), arrays.map(obs.sqrt, total)

    @obs.jit
    def twice(a: Floats) -> Any:
        sums = arrays.scanl(operator.add, 0.0, a)
        return sums, arrays.map(obs.sqrt, sums), arrays.fold(obs.max, 0.0, sums)

    assert shared.mlir().count("obs.reduce") == 1
    assert twice.mlir().count("obs.scan") == 1
    assert kernels_of(shared) == 2
    # The scan, and then the map and the fold.
    assert twice.mlir().count("obs.force") == 2
    a = np.float32([1, 2, 3, 4])
    equal(both(shared, a), a / np.float32(10), [np.sqrt(np.float32(10))])
    sums = np.cumsum(np.float32([0, 1, 2, 3, 4]), dtype=np.float32)
    equal(both(twice, a), sums, np.sqrt(sums), [10])


def test_a_pending_array_that_a_loop_reads_is_computed_before_it() -> None:
    @obs.jit
    def program(a: Numbers) -> Any:
        total = arrays.fold(operator.add, 0, a)
        doubled = arrays.map(lambda x: 2 * x, total)
        # The number 0 has no type before the loop: its body is traced twice.
        found, count = arrays.loop(3, a, 0)(lambda k, x, c: (x + doubled[0], c + doubled[0]))
        return found, arrays.generate((), lambda: count), total

    text = program.mlir()
    assert text.index("obs.reduce") < text.index("scf.for") and text.count("obs.reduce") == 1
    a = numbers((33,))
    s = a.sum(dtype=np.int32)
    equal(both(program, a), a + 6 * s, [6 * s], [s])


@pytest.mark.parametrize("rank", [2, 3, 4])
@pytest.mark.parametrize("level", LEVELS[1:], ids=str)
def test_rows_have_no_races(rank: int, level: Any) -> None:
    def program(a):  # type: ignore[no-untyped-def]
        sums = arrays.fold(affine, 0, a, level=level)
        return arrays.map(abs, sums), arrays.scanr(operator.add, 0, a, level=level)

    program.__annotations__ = {"a": vector(rank)}
    assert obs.jit(program).races()


def test_levels_of_rows() -> None:
    def level_of(columns: Any, **keywords: Any) -> str:
        def program(a):  # type: ignore[no-untyped-def]
            return arrays.fold(affine, 0, a, **keywords)

        program.__annotations__ = {"a": Pull["h", columns, i32]}
        text = obs.jit(program).mlir()
        return next(w for w in ("thread", "warp", "block") if f"obs.distribute {w} in grid" in text)

    found = [level_of(c) for c in (1, 16, 17, 1024, 1025, "w", "w <= 100")]
    assert found == ["thread", "thread", "warp", "warp", "block", "block", "warp"]
    assert level_of(8, level=obs.block) == "block"


# ---- errors


def located(function: Callable[..., Any], *types: Any) -> obs.TraceError:
    function.__annotations__ = dict(zip(function.__code__.co_varnames, types))
    with pytest.raises(obs.TraceError) as caught:
        obs.jit(function).mlir()
    first = function.__code__.co_firstlineno
    assert caught.value.location.file == __file__
    assert first <= caught.value.location.line <= first + 3
    return caught.value


V, M = Pull["n", i32], Pull["h", 3, i32]
REFUSALS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], str]] = {
    "map": (lambda a: arrays.map(3, a), (V,), "map takes a function, not a int"),
    "number": (lambda a: arrays.map(abs, 3), (V,), "map takes an array, not a int"),
    "scalar": (lambda a: arrays.map(abs, a), (i32,), "map takes an array, not a scalar"),
    "push": (lambda a: arrays.map(abs, a.push()), (V,), "force the push array first"),
    "one": (lambda a: arrays.zip_with(abs, a), (V,), "two or more arrays; map takes one"),
    "ranks": (
        lambda a, b: arrays.zip_with(operator.add, a, b), (V, M),
        "arrays of one shape, not of ? and ?x3: arrays.replicate adds dimensions",
    ),
    "shapes": (
        lambda a, b: arrays.zip(a, b), (Pull["h", 4, i32], M), "one shape, not of ?x4 and ?x3",
    ),
    "generate": (lambda: arrays.generate(3, 4), (), "generate takes a function, not a int"),
    "extent": (lambda: arrays.generate(-1, lambda i: i), (), "-1 is no extent"),
    "backpermute": (
        lambda a: arrays.backpermute(3, lambda i: i, a), (M,), "returns 1 indices, and 2 are",
    ),
    "replicate": (lambda a: arrays.replicate((3, ALL), a), (M,), "names 2 dimensions with ALL"),
    "slice": (lambda a: arrays.slice(a, (0,)), (M,), "takes 2 parts, each ALL or an index"),
    "slice_range": (lambda a: arrays.slice(a, (ALL, 3)), (M,), "index 3 is out of range"),
    "unzip": (lambda a: arrays.unzip(a), (V,), "the elements of this one are numbers"),
    "fold_type": (
        lambda a: arrays.fold(lambda x, y: x.to(f32) + y.to(f32), 0, a), (V,), "i32 do not mix",
    ),
    "fold_init": (lambda a: arrays.fold(operator.add, 0.5, a), (V,), "the float 0.5 does not"),
    "fold_level": (lambda a: arrays.fold(operator.add, 0, a, level=1), (V,), "level= of fold is"),
    "scan_level": (
        lambda a: arrays.scanl(operator.add, 0, a, level=obs.grid), (M,), "has no level grid",
    ),
    "fold1": (lambda a: arrays.fold1(affine, a), (Pull[3, 0, i32],), "use fold with an initial"),
    "below": (
        lambda a: obs.stack(arrays.scanl1(operator.add, r) for r in a.rows()), (M,),
        "arrays.scanl1 works on whole arrays, at level grid",
    ),
    "segments": (lambda a: arrays.fold_seg(operator.add, 0, a), (V,), "lengths of segments, or"),
    "segment_type": (
        lambda a, s: arrays.fold_seg(operator.add, 0, a, s), (V, Pull["m", f32]),
        "are a vector of integers",
    ),
    "permute": (lambda a: arrays.permute("add", 0, lambda i: i, a), (V,), "or an element and"),
    "permute_rank": (
        lambda a: arrays.permute("add", 0, lambda i: i, a, (3, 4)), (V,), "and 2 are needed",
    ),
    "permute_combine": (
        lambda a: arrays.permute(3, 0, lambda i: i, a, 3), (V,), "combine of permute is a function",
    ),
    "permute_word": (
        lambda a: arrays.permute("plus", 0, lambda i: i, a, 3), (V,), "combine= is 'any'",
    ),
    "compact": (lambda a: arrays.compact(a, a), (V,), "flags are i1, not i32: compare"),
    "stencil": (lambda a: arrays.stencil(lambda w: w[0], a, "edge"), (V,), "clamp, mirror, wrap"),
    "window": (lambda a: arrays.stencil(lambda w: w[0], a, 0), (M,), "takes 2 distances, not 1"),
    "window_end": (lambda a: arrays.stencil(lambda w: sum(w), a, 0), (V,), "a window has no end"),
    "arity_map": (
        lambda a: arrays.map(lambda x, y: x, a), (V,), "the function of map has 1 argument here",
    ),
    "arity_zip": (lambda a: arrays.zip_with(lambda x: x, a, a), (V,), "zip_with has 2 arguments"),
    "arity_generate": (lambda: arrays.generate((3, 4), lambda i: i), (), "generate has 2 argum"),
    "arity_fold": (lambda a: arrays.fold(lambda x: x, 0, a), (V,), "of fold has 2 arguments here"),
    "arity_permute": (
        lambda a: arrays.permute("add", 0, lambda i: i, a, 3), (M,), "permute has 2 arguments",
    ),
    "arity_loop": (lambda a: arrays.loop(3, a)(lambda x: x), (V,), "of loop has 2 arguments here"),
    "arity_boundary": (
        lambda a: arrays.stencil(lambda w: w[0, 0], a, lambda i: 0), (M,),
        "the function of the boundary of stencil has 2 arguments",
    ),
    "boundary": (
        lambda a: arrays.stencil(lambda w: w[0], a, None), (V,), 'is "clamp", "mirror", "wrap"',
    ),
    "tuples": (
        lambda a: arrays.scanl1(operator.add, a), (Pull["n", (i32, i32)],),
        "an element consists of 2 values, not of 4",
    ),
    "default": (
        lambda a, b: arrays.permute("add", b, lambda i: i, a), (V, Pull["m", f32]),
        "the default of permute has elements of type (f32), and the array of type (i32)",
    ),
    "rank": (lambda a, s: arrays.fold_seg(operator.add, 0, a, s), (V, M), "vector of integers"),
    "condition": (
        lambda a: arrays.while_loop(lambda x: x, a)(lambda x: x), (V,), "is an i1: compare",
    ),
    "carried": (
        lambda a: arrays.loop(3, a)(lambda k, x: x.to(f32)), (V,), "a loop does not change types",
    ),
    "stencil2": (
        lambda a, b: arrays.stencil2(lambda v, w: v[0], a, 0, b, 0), (V, M),
        "two arrays of one rank, not of 1 and 2",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSALS)
def test_refusal(name: str) -> None:
    function, types, message = REFUSALS[name]
    assert message in located(function, *types).message


def test_extents_that_the_program_compares() -> None:
    @obs.jit
    def program(a: Numbers, b: Others) -> Any:
        return arrays.zip_with(operator.add, a, b)

    with pytest.raises(obs.RunError):
        program(numbers((3,)), numbers((4,)))


def test_no_warnings_of_vectors() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")

        @obs.jit
        def program(a: Floats) -> Any:
            total = arrays.fold(operator.add, 0.0, a)
            return arrays.map(lambda x: x / total[0], a), arrays.scanl1(operator.add, a)

        program(np.float32([1, 2, 3]))


def test_two_elements_with_one_target() -> None:
    @obs.jit
    def program(a: Numbers) -> Any:
        return arrays.permute(None, 0, lambda i: a[i], a, 5)

    a = np.int32([1, 2, 1])
    for run_it in (program.interpret, lambda a: program.emulate(a, check=True)):
        with pytest.raises(obs.RunError, match="R5-disjoint"):
            run_it(a)


def test_segments_that_do_not_cover_the_row() -> None:
    @obs.jit
    def program(a: Numbers, lengths: Others) -> Any:
        return arrays.fold_seg(operator.add, 0, a, lengths)

    with pytest.raises(obs.RunError, match="segment-offsets"):
        program.interpret(numbers((5,)), np.int32([2, 9]))


def test_branches_and_other_operations() -> None:
    """Pending arrays in control flow of Python's syntax, and in all other reads of the package."""

    @obs.jit
    def program(a: Numbers, k: i32) -> Any:
        sums = arrays.scanl1(operator.add, a)
        total = arrays.fold(operator.add, 0, a)
        if k > 3:  # noqa: SIM108
            first = arrays.map(lambda x: 2 * x, total)
        else:
            first = total + 1
        for i in obs.range(k):
            sums = arrays.scanl1(operator.add, sums + i)
        chunks = obs.concat(c.sum() for c in sums.split(4, pad=0))
        return first, chunks, obs.where(sums > 3, sums, -sums), sums.shape[0], sums.reverse()

    for n, k in [(0, 5), (1, 0), (33, 2), (33, 4)]:
        a = numbers((n,))
        s, total = np.cumsum(a, dtype=np.int32), a.sum(dtype=np.int32)
        for i in range(k):
            s = np.cumsum(s + np.int32(i), dtype=np.int32)
        chunks = np.pad(s, (0, -n % 4)).reshape(-1, 4).sum(1, dtype=np.int32)
        equal(both(program, a, k), [2 * total if k > 3 else total + 1], chunks,
              np.where(s > 3, s, -s), n, s[::-1])  # fmt: skip


def test_one_result_twice() -> None:
    @obs.jit
    def program(a: Numbers) -> Any:
        total, doubled = arrays.fold(operator.add, 0, a), 2 * a
        return total, total, doubled, doubled

    a = numbers((33,))
    equal(both(program, a), [a.sum()], [a.sum()], 2 * a, 2 * a)
    assert program.mlir().count("obs.reduce") == 1


@pytest.mark.parametrize("shape", [(1,), (2,), (33,), (3, 0), (3, 1), (0, 5), (2, 31), (2, 2, 33)])
def test_sort(shape: tuple[int, ...]) -> None:
    """Rows by an order of pairs: the tens downwards, then the places upwards, which is stable."""

    def program(a):
        places = arrays.generate(a.shape, lambda *i: i[-1].to(i32))

        def is_before(x, y):
            return (x[0] // 10 > y[0] // 10) | ((x[0] // 10 == y[0] // 10) & (x[1] < y[1]))

        first = arrays.sort(operator.lt, a, first=2)
        return arrays.sort(is_before, obs.zip(a, places)), arrays.sort(operator.lt, a), first

    a = numbers(shape)
    order = np.argsort(-(a // 10), axis=-1, kind="stable")
    found = run(program, [Pull[(*shape, i32)]], a)
    equal(
        found,
        np.take_along_axis(a, order, -1),
        order,
        np.sort(a, axis=-1),
        np.sort(a, axis=-1)[..., :2],
    )


def test_sort_refuses_rows_that_are_long() -> None:
    @obs.jit
    def long(a: Annotated[Pull, 2, 2049, i32]):
        return arrays.sort(operator.lt, a)

    @obs.jit
    def unknown(a: Numbers):
        return arrays.sort(operator.lt, a)

    for program in (long, unknown):
        with pytest.raises(obs.TraceError, match="rows of a known length up to 2048"):
            program.mlir()


@pytest.mark.parametrize("length", [3 << 12, (3 << 12) + 1, 1 << 15, (1 << 15) + 1, 40_000])
def test_few_long_rows_belong_to_the_grid(length: int) -> None:
    """Blocks fold parts of a row, in order, and combine the initial value once."""

    def program(m):
        total, last = arrays.fold(operator.add, 7, m), arrays.fold1(lambda a, b: b, m)
        return total, last, arrays.scanl1(operator.add, m)

    def sums(m):
        return arrays.fold(operator.add, 7, m)

    program.__annotations__ = sums.__annotations__ = {"m": Pull[2, length, i32]}
    program = obs.jit(program)
    m = numbers((2, length))
    equal(program(m), 7 + m.sum(1), m[:, -1], np.cumsum(m, axis=1, dtype=np.int32))
    blocks = [int(kernel["grid"]) for kernel in obs.jit(sums).contract()["kernels"]]
    parts = [2 * (length >> 13), 2] if length > 1 << 15 else [2]
    assert len(blocks) == len(parts)
    assert all(b >= p for b, p in zip(blocks, parts))
    assert ("obs.segmented_scan grid" in program.mlir()) is (length > 3 << 12)

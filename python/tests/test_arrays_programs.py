"""Whole programs of obsidian.arrays: what is shared and stored, errors, and sorts."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
import pytest
from array_programs import (
    LEVELS,
    Floats,
    Numbers,
    Others,
    affine,
    both,
    equal,
    numbers,
    run,
    vector,
)

import obsidian as obs
from obsidian import Pull, arrays, f32, i32
from obsidian.arrays import ALL

pytestmark = pytest.mark.filterwarnings("ignore::obsidian.PerformanceWarning")


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
    def level_of(columns: Any, rows: Any = "h", scan: bool = False, **keywords: Any) -> str:
        def program(a):  # type: ignore[no-untyped-def]
            if scan:
                return arrays.scanl1(affine, a)
            return arrays.fold(affine, 0, a, **keywords)

        program.__annotations__ = {"a": Pull[rows, columns, i32]}
        text = obs.jit(program).mlir()
        return next(w for w in ("thread", "warp", "block") if f"obs.distribute {w} in grid" in text)

    found = [level_of(c) for c in (1, 16, 64, 65, 1024, 1025, "w", "w <= 60")]
    assert found == ["thread", "thread", "thread", "warp", "warp", "block", "block", "warp"]
    assert level_of(8, level=obs.block) == "block"
    # With few rows, some multiprocessors would have no block of threads with a row each.
    found = [level_of(c, rows) for c in (16, 17) for rows in ((1 << 15) - 1, 1 << 15)]
    assert found == ["thread", "thread", "warp", "thread"]
    found = [level_of(c, scan=True) for c in (128, 129, 512, 513)]
    assert found == ["thread", "warp", "warp", "block"]


@pytest.mark.parametrize("w, kernels", [((1 << 18) - 1, 2), (1 << 18, 1)])
def test_pieces_of_columns(w: int, kernels: int) -> None:
    """A thread folds a column if there are columns for all threads of a GPU, else a piece."""

    def program(a):  # type: ignore[no-untyped-def]
        return arrays.fold(affine, 0, a.T)

    program.__annotations__ = {"a": Pull[40, w, i32]}
    assert len(obs.jit(program).contract()["kernels"]) == kernels


# ---- errors


def located(function: Callable[..., Any], *types: Any) -> obs.TraceError:
    function.__annotations__ = dict(zip(function.__code__.co_varnames, types))
    with pytest.raises(obs.TraceError) as caught:
        obs.jit(function).mlir()
    first = function.__code__.co_firstlineno
    assert caught.value.location.file == __file__
    assert first <= caught.value.location.line <= first + 3
    return caught.value


def turned(*order: int) -> Callable[[Any], Any]:
    return lambda m: arrays.scanl1(operator.add, m.T).transpose(*order)


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
    "transpose": (turned(0, 5), (M,), "(0, 5) is no permutation of 2 dimensions"),
    "transpose_once": (turned(0), (M,), "is no permutation of 2 dimensions"),
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
    "partition": (lambda a: arrays.partition(lambda x: x, 0, a), (V,), "of keys from 1 to 4096"),
    "partition_rank": (
        lambda a: arrays.partition(lambda x: x, 9, a), (M,), "a vector, not an array of rank 2",
    ),
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
    "arity_partition": (
        lambda a: arrays.partition(lambda: 0, 9, a), (V,), "the function of partition has 1 arg",
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
        lambda a: arrays.while_loop(lambda x: x, a)(lambda x: x), (V,), "is one i1",
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

    for lengths in ([2, 9], [2, 1], [-1, 6]):
        for run_it in (program.interpret, lambda *a: program.emulate(*a, check=True)):
            with pytest.raises(obs.RunError, match="segment-offsets"):
                run_it(numbers((5,)), np.int32(lengths))
    result = program.emulate(np.int32([1, 2, 3]), np.int32([2, 1]), check=True)
    assert result.tolist() == [3, 3]


def test_sort_with_a_negative_number_of_elements() -> None:
    @obs.jit
    def program(a: Annotated[Pull, 4, i32]) -> Any:
        return arrays.sort(operator.lt, a, first=-1)

    with pytest.raises(obs.TraceError, match="first=-1 is no number of elements"):
        program(np.int32([3, 1, 2, 0]))


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


@pytest.mark.parametrize("length", [1 << 14, (1 << 14) + 1, 40_000])
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
    parts = [2 * (length >> 13), 2] if length > 1 << 14 else [2]
    assert len(blocks) == len(parts)
    assert all(b >= p for b, p in zip(blocks, parts))
    assert ("obs.segmented_scan grid" in program.mlir()) is (length > 1 << 14)


@pytest.mark.parametrize("length", [0, 1, 33, 16_385, 24_000])
def test_parts_of_rows_begin_with_a_neutral_value(length: int) -> None:
    """Affine functions are composed in order; parts have no flags that they are empty."""

    def program(m):
        pairs = arrays.map(lambda v: (v % 3 + 1, v), m)
        compose = lambda f, g: (f[0] * g[0], f[1] * g[0] + g[1])  # noqa: E731
        return arrays.unzip(arrays.fold(compose, (1, 0), pairs, neutral=True))

    program.__annotations__ = {"m": Pull[2, length, i32]}
    m = numbers((2, length))
    scale, offset = np.ones(2, np.int32), np.zeros(2, np.int32)
    for column in m.T:
        factor = column % 3 + 1
        scale, offset = scale * factor, offset * factor + column
    program = obs.jit(program)
    equal(program(m), scale, offset)
    assert "x i1" not in program.mlir()


def test_scans_and_folds_of_pending_rows() -> None:
    """The rows of a scan of rows are scanned and folded again, also if they are columns."""

    def program(m):
        sums = arrays.scanl1(operator.add, m)
        columns = arrays.transpose(arrays.scanl1(operator.add, arrays.transpose(m)))
        totals = arrays.fold(operator.add, 0, arrays.scanl1(operator.add, columns))
        return arrays.scanl1(operator.add, sums), totals

    for shape in [(5, 7), (3, 100)]:
        m = numbers(shape)
        twice = np.cumsum(np.cumsum(m, axis=0), axis=1)
        found = run(program, [vector(2)], m)
        equal(found, np.cumsum(np.cumsum(m, axis=1), axis=1), twice.sum(1))


def test_permute_onto_arrays_that_are_computed() -> None:
    """The default is a map, a part of an array, or a component of a fold of tuples."""

    def program(m, x):
        def larger(p, q):
            return obs.where(q[0] > p[0], q, p)

        pairs = arrays.generate(m.shape, lambda i, j: (m[i, j], j.to(i32)))
        _, places = arrays.unzip(arrays.fold1(larger, pairs))
        kept, _ = arrays.compact(lambda v: v > 0, x)
        ones = arrays.map(lambda _: i32(1), x)
        return tuple(
            arrays.permute("add", default, lambda i: i % 3, ones)
            for default in (arrays.map(lambda v: 2 * v, x), places, kept)
        )

    m, x = numbers((4, 33)), np.arange(-4, 6, dtype=np.int32)
    expected = [2 * x, m.argmax(1).astype(np.int32), x[x > 0]]
    for result in expected:
        np.add.at(result, np.arange(10) % 3, 1)
    equal(run(program, [vector(2), vector(1)], m, x), *expected)


def test_written_elements_beside_transposed_ones() -> None:
    """A kernel copies the transposed matrix before another one writes the moved elements."""

    def program(m):
        columns = arrays.transpose(arrays.compute(arrays.map(lambda v: v + 1, m)))
        moved = arrays.permute(
            "any", 0, lambda i, j: ((i + 5) % columns.shape[0], j), columns, columns.shape
        )
        return columns + moved

    m = numbers((33, 40))
    columns = m.T + 1
    equal(run(program, [vector(2)], m), columns + np.roll(columns, 5, axis=0))


@pytest.mark.parametrize("kind", [obs.f64, obs.i64, f32])
@pytest.mark.parametrize("width", [1, 2, 4])
def test_mirrored_windows_of_short_rows(kind: Any, width: int) -> None:
    def program(a):
        return arrays.stencil(lambda w: w[-1, -1, 0] + 2 * w[1, 0, 0] - w[1, 0, 1], a, "mirror")

    types = [Pull[None, "h <= 7", width, kind]]
    program.__annotations__ = {"a": types[0]}
    a = numbers((2, 3, width)).astype(np.float64 if kind is obs.f64 else np.int64)
    a = a.astype(np.float32) if kind is f32 else a
    around = np.pad(a, 1, mode="symmetric")
    expected = around[:-2, :-2, 1:-1] + 2 * around[2:, 1:-1, 1:-1] - around[2:, 1:-1, 2:]
    equal(both(obs.jit(program), a), expected)


def test_bounds_of_extents_pass_through_loops() -> None:
    def program(m):
        below = arrays.loop(3, m)(lambda _, x: arrays.stencil(lambda w: w[0, 0] + w[1, 0], x, 0))
        return below, m.slice((0, 1), (m.shape[0] - 1, m.shape[1] - 1))

    program.__annotations__ = {"m": Pull["h <= 40", "w <= 40", i32]}
    m = numbers((33, 5))
    below = m
    for _ in range(3):
        below = below + np.pad(below, ((0, 1), (0, 0)))[1:]
    equal(both(obs.jit(program), m), below, m[:-1, 1:])


def test_pairs_of_elements_of_which_one_is_stored() -> None:
    """The values of a pair are from one write, also where another function makes pairs."""

    def program(x):
        def last(a, b):
            return obs.where(b != 0, b, a)

        halves = arrays.permute("any", 0, lambda i: i // 2, x, x.shape)
        low, high = arrays.unzip(arrays.map(lambda v: (v, v + 1), halves))
        return arrays.scanl1(last, halves), low, high - low

    x = numbers((100,))
    program.__annotations__ = {"x": vector(1)}
    found, low, ones = obs.jit(program).emulate(x, check=True, schedule="random", seed=2)
    pairs = x.reshape(50, 2)
    assert all(v in pair for v, pair in zip(low, pairs))
    assert not low[50:].any()
    equal(ones, np.ones(100, np.int32))
    filled = low.copy()
    for i in range(1, 100):
        filled[i] = filled[i] or filled[i - 1]
    equal(found, filled)

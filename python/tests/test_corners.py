"""Corners of the language that no other test visits."""

from __future__ import annotations

import operator
import re
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest

import obsidian as obs
from obsidian import Pull, TraceError, f32, f64, i1, i32, i64

Ints = Annotated[Pull, "n", i32]
A = np.array([-7, -1, 0, 1, 2, 5, 100], np.int32)

FACTORS = {"one": 1, "two": 2}
TABLE = np.int32([10, 20, 30])


# ------------------------------------------------------------------------------ Captures


def test_captured_tables_are_part_of_the_key() -> None:
    @obs.jit
    def scaled(a: Ints) -> Any:
        return a * FACTORS["two"] + int(TABLE[1])

    try:
        np.testing.assert_array_equal(scaled(A), A * 2 + 20)
        FACTORS["two"], TABLE[1] = 3, 50
        np.testing.assert_array_equal(scaled(A), A * 3 + 50)
    finally:
        FACTORS["two"], TABLE[1] = 2, 20


def test_globals_that_are_defined_later() -> None:
    @obs.jit
    def scaled(a: Ints) -> Any:
        return a * LATER_FACTOR  # noqa: F821

    for factor in (2, 3, 2):
        globals()["LATER_FACTOR"] = factor
        np.testing.assert_array_equal(scaled(A), A * factor)


def test_functions_that_change_captured_values() -> None:
    names = [1]

    @obs.jit
    def appends(a: Ints) -> Any:
        names.append(2)
        return a + len(names)

    with pytest.raises(TraceError, match="the function changes a list"):
        appends(A)

    @obs.jit
    def assigns(a: Ints) -> Any:
        global LATER
        LATER = 5
        return a

    globals()["LATER"] = 4
    with pytest.raises(TraceError, match="the function changes LATER"):
        assigns(A)


def test_names_that_have_no_value_yet() -> None:
    """The cell of `later` is empty while the annotations are read, and full at the call."""

    @obs.jit
    def early(a: Ints) -> Any:
        return later(a)

    assert "func" in repr(early.mlir) or early._signature
    later = obs.function(lambda a: a + 1)
    np.testing.assert_array_equal(early(A), A + 1)


def test_annotations_that_cannot_be_read() -> None:
    def wrong(a: Any) -> Any:
        return a

    wrong.__annotations__["a"] = "Pull[nothing]"
    with pytest.raises(TraceError, match=r"annotations of wrong cannot be read: .*nothing"):
        obs.jit(wrong)(A)


# ------------------------------------------------------------------------------ Control flow


def test_names_without_a_value() -> None:
    """Each use of such a name is an error that contains the name."""

    def used(use: Any) -> Any:
        @obs.jit
        def f(a: Ints) -> Any:
            def g(x: Any) -> Any:
                if x > 0:
                    y = x
                return use(y)

            return a.map(g)

        return f

    uses: list[Any] = [
        lambda y: y + 1, lambda y: 1 + y, lambda y: y[0], lambda y: y(), lambda y: y.to(i64),
        lambda y: [*y], len, bool, lambda y: y < 2,
    ]  # fmt: skip
    for use in uses:
        with pytest.raises(
            TraceError, match=r"y has no value after the `if` in line .* in one of the branches"
        ):
            used(use)(A)


def test_branches_that_do_not_fit() -> None:
    @obs.jit
    def shapes(a: Ints) -> Any:
        def g(x: Any) -> Any:
            y = (x, x)
            if x > 0:
                y = x
            return y[0] + 1

        return a.map(g)

    @obs.jit
    def kinds(a: Ints) -> Any:
        def g(x: Any) -> Any:
            y = x
            if x > 0:
                y = x.to(f32)
            return y

        return a.map(g)

    @obs.jit
    def text(a: Ints) -> Any:
        def g(x: Any) -> Any:
            y: Any = "a"
            if x > 0:
                y = "b"
            return x + len(y)

        return a.map(g)

    @obs.jit
    def number(a: Ints) -> Any:
        return a.map(lambda x: obs.when(x)(lambda: x, lambda: 0))

    for function in (shapes, kinds, text, number):
        with pytest.raises(TraceError):
            function(A)


def test_conditions_of_python() -> None:
    @obs.jit
    def f(a: Ints, *, flag: bool) -> Any:
        b = obs.when(flag)(lambda: a + 1, lambda: a)
        assert flag in (False, True), "logic"
        obs.assert_(True, "always")
        c = obs.where(flag, b, -b)
        return c.map(lambda x: obs.max(x, obs.ceil_div(7, 2)))

    np.testing.assert_array_equal(f(A, flag=True), np.maximum(A + 1, 4))
    np.testing.assert_array_equal(f(A, flag=False), np.maximum(-A, 4))

    @obs.jit
    def wrong(a: Ints) -> Any:
        obs.assert_(False, "never")
        return a

    with pytest.raises(TraceError, match="never"):
        wrong(A)

    @obs.jit
    def plain(a: Ints, *, size: int = 3) -> Any:
        assert size > 5, f"{size} is too small"
        return a

    with pytest.raises(AssertionError, match="3 is too small"):
        plain(A)


def test_a_loop_whose_condition_never_changes() -> None:
    @obs.jit
    def f(a: Ints) -> Any:
        def g(x: Any) -> Any:
            while x > 0:
                pass
            return x

        return a.map(g)

    with pytest.raises(TraceError, match="changes with no name"):
        f(A)


def test_statements_around_branches() -> None:
    """Imports, exceptions, with, loops with returns, and global names stay as they are."""

    @obs.jit
    def f(a: Ints) -> Any:
        import contextlib

        def g(x: Any) -> Any:
            try:
                k = {}["k"]
            except KeyError as error:
                k = len(error.args)
            with contextlib.nullcontext(2) as two:
                x = x * two
            for step in range(3):
                if step == 2:
                    return x + k
            return x

        def h(x: Any) -> Any:
            class Local:
                value = 3

            if x > 0:
                return x + Local.value
            else:  # noqa: RET505
                y = -x
            return y if y > 3 else 0

        return a.map(g), a.map(h)

    first, second = f(A)
    np.testing.assert_array_equal(first, 2 * A + 1)
    np.testing.assert_array_equal(second, np.where(A > 0, A + 3, np.where(-A > 3, -A, 0)))


def test_open_types_of_loops() -> None:
    """The number that a loop carries takes its type from an iteration; an error shows there."""

    @obs.jit
    def f(a: Ints) -> Any:
        def g(x: Any) -> Any:
            total = 0
            for _ in obs.range(3):
                total = total + x.to(f64)
            return total

        return a.map(g)

    np.testing.assert_array_equal(f(A), 3.0 * A)

    @obs.jit
    def wrong(a: Ints) -> Any:
        return a.map(lambda x: obs.loop(3, 0)(lambda k, t: t + x.to(f64) + x))

    with pytest.raises(TraceError, match="do not mix"):
        wrong(A)


# ------------------------------------------------------------------------------ Values


def test_choices_of_arrays() -> None:
    @obs.jit
    def either(a: Ints, flag: i1) -> Any:
        return obs.where(flag, a, (a * 2).force())

    for flag in (False, True, np.bool_(True)):
        np.testing.assert_array_equal(either(A, flag), A if flag else 2 * A)

    @obs.jit
    def wrong(a: Ints, flag: i1) -> Any:
        return obs.where(flag, a, a.map(lambda x: x.to(i64)))

    with pytest.raises(TraceError, match="a choice between arrays of different types"):
        wrong(A, True)


def test_push_arrays_are_not_read() -> None:
    """The error names the operation, and `force`."""

    @obs.jit
    def f(a: Ints) -> Any:
        return obs.concat(c.force() for c in a.split(4, pad=0)).split(2)

    with pytest.raises(TraceError, match=r"split.*push array.*force\(\)"):
        f(A)

    @obs.jit
    def g(a: Ints) -> Any:
        return obs.concat(c.force() for c in a.split(4, pad=0)).splits

    with pytest.raises(AttributeError, match="splits"):
        g(A)


@pytest.mark.parametrize(
    ("message", "function"),
    [
        (r"no astype: write a\.to\(obs\.f32\)", lambda a: a.astype(np.float32)),
        (r"no cumsum: write a\.scan", lambda a: (a + 1).cumsum()),
        (r"no mean: write a\.sum", lambda a: obs.concat(c.force() for c in a.split(2)).mean()),
        ("pass it as an argument", lambda a: a + A),
        ("pass it as an argument", lambda a: a.map(lambda x: x) * A),
        ("arrays never change", lambda a: operator.setitem(a, 0, 1)),
        (r"obs\.filter\(a, flags\)", lambda a: a[a > 0]),
        (r"places\.map", lambda a: a[obs.iota(3)]),
        ("sub-programs are a generator", lambda a: obs.stack([a, a])),
        ("no type of the language", lambda a: a.to(np.float64)),
        ("no type of the language", lambda a: a.to("i64")),
    ],
)
def test_what_people_try_of_numpy(message: str, function: Any) -> None:
    def f(a: Ints) -> Any:
        return function(a)

    with pytest.raises(TraceError, match=message):
        obs.jit(f)(A)


def test_extents_in_a_tuple_and_flags() -> None:
    @obs.jit
    def f(a: Annotated[Pull, "h", "w", i32]) -> Any:
        flat = (a * 2).reshape(a.size)
        same = obs.generate(a.shape)(lambda i, j: a[i, j])
        return flat.reshape(a.shape), same, obs.filter(flat, flat > 3)

    a = np.arange(6, dtype=np.int32).reshape(2, 3)
    doubled, same, large = f(a)
    np.testing.assert_array_equal(doubled, a * 2)
    np.testing.assert_array_equal(same, a)
    np.testing.assert_array_equal(large, [4, 6, 8, 10])


def test_extents_of_constants() -> None:
    """They are one tuple, or one by one, and all three functions take the type of the elements."""

    @obs.jit
    def f(a: Annotated[Pull, "h", "w", i32]) -> Any:
        return (
            obs.zeros(a.shape, dtype=i64), obs.ones(2, a.dim(1)), obs.ones((3,), dtype=i1),
            obs.full(a.shape, 7, f64), obs.full(4, -1, dtype=obs.i8), obs.full(2, (1, 2.5)),
        )  # fmt: skip

    found = f(np.zeros((2, 3), np.int32))
    expected = (
        np.zeros((2, 3), np.int64), np.ones((2, 3), np.float32), np.ones(3, bool),
        np.full((2, 3), 7.0), np.full(4, -1, np.int8),
    )  # fmt: skip
    for one, other in zip(found, expected):
        np.testing.assert_array_equal(one, other, strict=True)
    np.testing.assert_array_equal(found[5][1], np.full(2, 2.5, np.float32))


def test_numbers_in_a_tuple_and_from_the_end() -> None:
    """As in NumPy: extents and dimensions are one tuple, and -1 is the last dimension."""

    @obs.jit
    def f(a: Annotated[Pull, "h", "w", i32]) -> Any:
        @obs.fill((2, 3), i32)
        def written() -> None:
            obs.par((2, 3))(lambda i, j: {(i, j): a[i, j]})

        return (
            a.transpose((1, 0)), a.take((1, 2)), a.ix_map(lambda i, j: (j, i), (2, 2)),
            a.reverse(-1), obs.concat(a, a, dim=-1), obs.grid_of((2, 3))(lambda i, j: a[i, j]),
            written,
        )  # fmt: skip

    a = np.arange(6, dtype=np.int32).reshape(2, 3)
    expected = (
        a.T, a[:1, :2], a[:2, :2].T, a[:, ::-1], np.concatenate([a, a], 1), a[..., None], a
    )  # fmt: skip
    for one, other in zip(f(a), expected):
        np.testing.assert_array_equal(one, other)


def test_filters_take_the_arguments_of_compact() -> None:
    @obs.jit
    def f(a: Ints) -> Any:
        short = obs.filter(a, lambda x: x > 0, dtype=obs.i8, init=-1, strategy="three_kernels")
        kept, counts = obs.arrays.compact(lambda x: x < 0, a.reshape(a.size, 1), dtype=i64)
        return short, kept, counts

    assert re.search(r"obs.compact .* init .*strategy = \"three_kernels\".*1 x i8", f.mlir())
    short, kept, counts = f(A)
    np.testing.assert_array_equal(short, A[A > 0])
    np.testing.assert_array_equal(kept, A[A < 0])
    np.testing.assert_array_equal(counts, (A < 0).astype(np.int64), strict=True)


def test_strategies_of_fills_are_any_text() -> None:
    @obs.jit
    def f(a: Ints) -> Any:
        return obs.fill(3, i32, over=3, combine="add", init=0, strategy='a "b"')(lambda i: {i: 1})

    with pytest.raises(obs.CompileError, match="'a \"b\"' is not a strategy"):
        f(A)


def test_each_fold_can_be_commutative() -> None:
    """Any order of elements is allowed, and the results are those of whole numbers."""

    @obs.jit
    def f(x: Annotated[Pull, "n", f32]) -> Any:
        limits = obs.table([0, 3, 3, 7])
        return (
            x.prod(commutative=True),
            x.segmented_reduce(operator.add, 1, offsets=limits, commutative=True),
            x.segmented_scan(operator.add, 0, offsets=limits, commutative=True),
            obs.arrays.fold1(operator.add, x, commutative=True),
            obs.arrays.fold_seg(operator.add, 1, x, offsets=limits, commutative=True),
            obs.arrays.fold1_seg(operator.mul, x, offsets=limits, commutative=True),
        )

    assert f.mlir().count("{commutative}") == 6
    x = np.float32([3, -1, 2, 1, 2, 5, 4])
    sums, scans = [1 + 4, 1, 1 + 12], [3, 2, 4, 1, 3, 8, 12]
    expected = [[-240], sums, scans, [16], sums, [-6, 1, 40]]
    for one, other in zip(f(x), expected):
        np.testing.assert_array_equal(np.ravel(one), other)
    assert "commutative" not in obs.jit(lambda x: x.prod()).mlir(x)


def test_a_loop_that_begins_with_numbers_of_python() -> None:
    """The first condition is known while the function is traced, later ones are not."""

    @obs.jit
    def search(keys: Ints, wanted: Annotated[Pull, "m", i32], *, size: int) -> Any:
        def place(v: Any) -> Any:
            low, high = 0, size
            while low < high:
                middle = (low + high) // 2
                if keys[middle] < v:
                    low = middle + 1
                else:
                    high = middle
            return low

        return wanted.map(place)

    keys = np.sort(np.random.default_rng(1).integers(0, 50, 33)).astype(np.int32)
    wanted = np.arange(-1, 52, dtype=np.int32)
    np.testing.assert_array_equal(
        search(keys, wanted, size=33), np.searchsorted(keys, wanted, side="left")
    )
    np.testing.assert_array_equal(search(keys, wanted, size=0), np.zeros(53))


def test_places_of_arrays_and_numbers() -> None:
    wrong: dict[str, Any] = {
        "an index is an integer, not f32": lambda a: a.map(lambda x: a[x.to(f32)]),
        "an array stands where a number": lambda a: a.map(lambda x: obs.when(x > 0)(
            lambda: x, lambda: a)),
        "neither true nor false": lambda a: a if a else -a,
    }  # fmt: skip
    for message, function in wrong.items():
        with pytest.raises(TraceError, match=message):
            obs.jit(function)(A)


def test_numbers_of_numpy() -> None:
    @obs.jit
    def f(a: Ints) -> Any:
        start = np.int64(3)
        return obs.full(2, start), obs.full(2, np.float64(0.5)), obs.full(2, True), a

    integers, floats, flags, _ = f(A)
    assert [x.dtype for x in (integers, floats, flags)] == [np.int64, np.float64, np.bool_]


def test_operators_on_records() -> None:
    """An operator of tuples of tuples: pairs of a value and a place."""

    @obs.jit
    def first_largest(a: Ints) -> Any:
        def larger(p: Any, q: Any) -> Any:
            better = (q[0] > p[0]) | ((q[0] == p[0]) & (q[1] < p[1]))
            return obs.where(better, q, p)

        return obs.tree_reduce(obs.zip(a, obs.iota(a.size)).take(4).force(), larger, ordered=True)

    value, place = first_largest(np.int32([3, 9, 1, 9]))
    assert (value.tolist(), place.tolist()) == ([9], [1])


def test_lists_of_arrays() -> None:
    @obs.jit
    def f(a: Ints) -> Any:
        return obs.concat([a, a + 1])

    np.testing.assert_array_equal(f(A), np.concatenate([A, A + 1]))


@pytest.mark.parametrize("bits", range(5))
def test_bitonic_merge(bits: int) -> None:
    size = 1 << bits

    @obs.jit
    def merge(a: Ints) -> Any:
        return obs.concat(
            (obs.bitonic_merge(c) for c in a.split(size, pad=0)), level=obs.block, to=a.size
        )

    random = np.random.default_rng(bits)
    halves = [np.sort(random.integers(0, 99, (5, max(size // 2, 1))), axis=1) for _ in range(2)]
    rows = np.concatenate(halves if bits else halves[:1], axis=1)
    found = merge(rows.astype(np.int32).ravel())
    np.testing.assert_array_equal(found.reshape(rows.shape), np.sort(rows, axis=1))


def test_annotations_of_extents() -> None:
    for extent, message in ((True, "extents are numbers"), (-1, "extents are numbers from 0")):
        with pytest.raises(TraceError, match=message):
            Pull[extent, f32]
    with pytest.raises(TraceError, match="elements of a parameter are scalars"):
        Pull["n", Pull["m", f32].type]


def test_elements_of_any_type() -> None:
    """None in place of the elements is the type of the argument; extents are checked."""

    @obs.jit
    def f(
        a: Annotated[Pull, "n", None], b: Annotated[Pull, "n", 2, None], k: i32, *, more: int = 0
    ):
        return a + a, b[0], k + more

    x, y = np.arange(3, dtype=np.int32), np.ones((3, 2), np.float32)
    for kind, other in ((np.int32, np.float32), (np.float16, np.int8), (np.int32, np.float32)):
        doubled, row, number = f(x.astype(kind), y.astype(other), 7)
        assert (doubled.dtype, row.dtype, number) == (kind, other, 7)
        np.testing.assert_array_equal(doubled, 2 * x)
    for arguments, kind, message in (
        ((x, y[:, :1], 7), obs.ArgumentError, "dimension 1 of b has 1 elements, not 2"),
        ((x, y[1:], 7), obs.ArgumentError, "n is 3 in a, 2 in b"),
        ((y, y, 7), obs.ArgumentTypeError, "a has 1 dimensions, not 2"),
        (
            ([1], y, 7),
            obs.ArgumentTypeError,
            "a is an array of any type.*this is list: pass an arr",
        ),
        ((x.astype(np.uint8), y, 7), obs.ArgumentTypeError, "this is an array of uint8: .*write"),
    ):
        with pytest.raises(kind, match=message):
            f(*arguments)
    with pytest.raises(obs.ArgumentTypeError, match="a is an array of any type of the language"):
        f.mlir()
    with pytest.raises(TraceError, match="extents, then elements"):
        Pull[None]


def test_static_extents() -> None:
    """The extents of the arguments are numbers of Python, in all parameters with the name."""

    @obs.jit
    def centred(
        x: Annotated[Pull, "rows", "static n", f32], w: Annotated[Pull, "n", f32], k: f32, *, by=1
    ):
        assert type(x.shape[1]) is type(w.shape[0]) is int

        def row(r):
            # Storing a row needs a limit of its length.
            r = r.force()
            return (r - r.sum() / x.shape[1]) * w * k * by

        return obs.stack(row(r) for r in x.rows())

    rng = np.random.default_rng(7)
    for columns in (1, 33, 100, 33):
        x = rng.integers(-8, 8, (3, columns)).astype(np.float32)
        w = rng.integers(-8, 8, columns).astype(np.float32)
        expected = (x - x.sum(1, keepdims=True) / np.float32(columns)) * w * 6
        np.testing.assert_allclose(centred(x, w, 2.0, by=3), expected, rtol=1e-4, atol=1e-4)
    assert len(centred._programs) == 3
    assert "x 33 x f32" in centred.mlir(np.ones((2, 33), np.float32))
    with pytest.raises(obs.ArgumentTypeError, match=r"extent n is static.*pass the arrays"):
        centred.mlir()
    with pytest.raises(obs.ArgumentError, match="n is 33 in x, 32 in w"):
        centred(x, w[1:], 2.0)
    with pytest.raises(TraceError, match=r"'static n <= 3 4' is no extent.*'static n'"):
        Pull["static n <= 3 4", f32]


def test_unsigned_arrays_without_an_annotation() -> None:
    @obs.jit
    def f(a):
        return a

    with pytest.raises(obs.ArgumentTypeError, match=r'are uint8: .*Annotated\[Pull, "n", i8\]'):
        f(np.uint8([1]))


def test_a_reshape_to_the_other_elements() -> None:
    """-1 has the meaning of NumPy, for extents that are known while tracing and others."""

    @obs.jit
    def f(a: Ints, m: Annotated[Pull, "h", "w", i32], b: Annotated[Pull, "k <= 64", i32]):
        k = m.dim(0)
        rows = obs.concat((r + 1).force() for r in b.reshape(2, -1).rows())
        return a.reshape(-1, 4), m.reshape(-1), m.reshape(2, -1, k), a.take(6).reshape(-1, 2), rows

    a, m = np.arange(24, dtype=np.int32), np.arange(18, dtype=np.int32).reshape(3, 6)
    found = f(a, m, a)
    expected = (a.reshape(-1, 4), m.ravel(), m.reshape(2, -1, 3), a[:6].reshape(-1, 2), a + 1)
    for one, other in zip(found, expected):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(obs.RunError, match=r"obs\.reshape: the numbers of elements differ"):
        f(a[:23], m, a)


def test_loops_of_arrays_until_a_number_is_reached() -> None:
    @obs.jit
    def program(a: Ints) -> Any:
        grown = obs.arrays.while_loop(lambda x: x.force()[0] < 5, a)(lambda x: x + 1)
        obs.loop(2)(lambda k: None)
        return grown, a.map(lambda x: +x.bitcast(i32))

    found, same = program(A)
    np.testing.assert_array_equal(found, A + 12)
    np.testing.assert_array_equal(same, A)


def test_names_of_parameters() -> None:
    """A parameter has any name of Python: that of a constant in the text, or other letters."""

    @obs.jit
    def f(c0: Ints, c1: i32, σ: Annotated[Pull, "λ", i32], arg2: i32):
        return (c0 * 7 + c1)[1:].reverse(), σ + 5 * arg2

    one, other = f(A, 3, A, 4)
    np.testing.assert_array_equal(one, (A * 7 + 3)[:0:-1])
    np.testing.assert_array_equal(other, A + 20)
    assert f.cost(n=1, λ=100).bytes() == 2 * 4 * 100
    assert "λ" in f.cost().text
    with pytest.raises(obs.ArgumentTypeError, match="has 1 dimensions"):
        f(A, 3, A[None], 4)


def test_names_of_donated_parameters(tmp_path: Path) -> None:
    @obs.jit(donate=("é", "c0"))
    def update(é: Annotated[Pull, "n", (i32, i32)], c0: Ints, c0_1: Ints):
        return é.map(lambda x, y: (x + y, x - y)).force(into=é), (c0 + c0_1).force(into=c0)

    x, y, z = A.copy(), A[::-1].copy(), A.copy()
    first, second = update((x, y), z, A)
    np.testing.assert_array_equal(x, A + A[::-1])
    np.testing.assert_array_equal(y, A - A[::-1])
    np.testing.assert_array_equal(z, 2 * A)
    assert first[0] is x
    assert second is z
    assert "é" in update.export(tmp_path, name="update")[-1].read_text(encoding="utf-8")

"""Results in the memory of arguments: `donate=` and `into=`; and `copy=False`."""

from __future__ import annotations

import operator
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest
from foreign import Described, Exporter

import obsidian as obs
from obsidian import (
    ArgumentError,
    CompileError,
    Pull,
    RunError,
    TraceError,
    f32,
    i8,
    i32,
)

Ints = Annotated[Pull, "n", i32]
LENGTHS = (0, 1, 31, 32, 33, 100, 257, 1000, 1024, 1025)


@obs.jit(donate="a")
def increment(a: Ints) -> Any:
    return (a + 1).force(into=a)


@pytest.mark.parametrize("n", LENGTHS)
def test_results_are_in_the_memory_of_the_argument(n: int) -> None:
    a = np.arange(n, dtype=np.int32)
    found = increment(a)
    assert found is a
    np.testing.assert_array_equal(a, np.arange(n) + 1)
    assert "memref<?xi32>" in increment.mlir()
    np.testing.assert_array_equal(increment.emulate(a, check=True), np.arange(n) + 2)
    np.testing.assert_array_equal(increment.interpret(a), np.arange(n) + 3)


@pytest.mark.parametrize("dtype", [np.int32, np.uint32])
def test_unsigned_numbers_are_bits(dtype: Any) -> None:
    a = np.array([0, 2**31 - 1], dtype)
    assert increment(a) is a
    np.testing.assert_array_equal(a.view(np.uint32), [1, 2**31])


def test_no_memory_is_allocated() -> None:
    (function,) = increment.contract()["functions"]
    # Steps on scalars find the number of blocks.
    assert [step["step"] for step in function["steps"] if step["step"] != "let"] == ["launch"]
    assert function["results"][0]["value"] == "a"


def test_several_forces_into_one_array() -> None:
    @obs.jit(donate=("x", "y"))
    def steps(k: i32, x: Ints, y: Ints) -> Any:
        moved = obs.force((x * k), y - k, into=(x, y))
        first = (moved[0] + 1).force(into=moved[0])
        return moved[1].sum(), first, moved[1]

    x, y = np.arange(100, dtype=np.int32), np.arange(100, 200, dtype=np.int32)
    total, first, second = steps(3, x, y)
    assert (first is x, second is y) == (True, True)
    np.testing.assert_array_equal(x, np.arange(100) * 3 + 1)
    np.testing.assert_array_equal(y, np.arange(97, 197))
    np.testing.assert_array_equal(total, [y.sum()])


def test_swaps_in_place() -> None:
    """Each iteration reads what it alone writes: a step of a sorting network."""

    @obs.jit(donate="a")
    def step(a: Annotated[Pull, 64, i32]) -> Any:
        @obs.fill(64, i32, over=32)
        def swapped(t: Any) -> Any:
            i, j = 2 * t, 2 * t + 1
            return {i: obs.min(a[i], a[j]), j: obs.max(a[i], a[j])}

        return swapped.force(into=a)

    a = np.random.default_rng(1).integers(0, 99, 64).astype(np.int32)
    expected = np.sort(a.reshape(-1, 2)).ravel()
    assert step(a) is a
    np.testing.assert_array_equal(a, expected)


class Point(NamedTuple):
    x: Any
    y: Any


Point.__annotations__.update(x=f32, y=i8)


@pytest.mark.parametrize("extents", [("n",), ("n <= 100", 3), (None, "n")])
def test_tuples_bounds_and_dimensions(extents: Any) -> None:
    def move(p: Any, k: f32) -> Any:
        moved = p.map(lambda q: Point(q.x * k, q.y + 1))
        return p.size, moved.force(into=p)

    move.__annotations__.update(p=Annotated[(Pull, *extents, Point)], k=f32)
    shape = (5,) if len(extents) == 1 else (5, 3)
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    y = x.astype(np.int8)
    expected = x * 2, y + 1
    count, found = obs.jit(move, donate="p")(Point(x, y), 2.0)
    assert count == x.size
    assert (found.x is x, found.y is y) == (True, True)
    np.testing.assert_array_equal(x, expected[0])
    np.testing.assert_array_equal(y, expected[1])


def test_donated_arrays_that_are_only_read() -> None:
    @obs.jit(donate="a")
    def running(a: Ints) -> Any:
        return a.scan(operator.add, 0)

    a = np.arange(5, dtype=np.int32)
    np.testing.assert_array_equal(running(a), [0, 1, 3, 6, 10])
    np.testing.assert_array_equal(a, np.arange(5))


def test_results_that_are_parts_are_copies_on_the_host() -> None:
    @obs.jit(donate="a")
    def rest(a: Ints) -> Any:
        return (a + 1).force(into=a)[1:]

    np.testing.assert_array_equal(rest(np.arange(4, dtype=np.int32)), [2, 3, 4])


def test_functions_that_read_what_is_overwritten() -> None:
    @obs.jit(donate="a")
    def reverse(a: Ints) -> Any:
        return a.reverse().force(into=a)

    @obs.jit(donate="a")
    def later(a: Ints) -> Any:
        return (a + 1).force(into=a) + a

    @obs.jit(donate="a")
    def longer(a: Ints) -> Any:
        return obs.concat(a, a).force(into=a)

    a = np.arange(5, dtype=np.int32)
    with pytest.raises(CompileError, match=r"\[R8-inside\]"):
        reverse(a)
    with pytest.raises(CompileError, match=r"\[R8-after\]"):
        later(a)
    with pytest.raises((CompileError, RunError), match=r"\[R\d-\w+\]"):
        longer(a)
    np.testing.assert_array_equal(a, np.arange(5))


def test_several_arrays_at_once() -> None:
    """Arrays that depend on each other change in place as one parameter; the errors name this."""
    x, y = np.arange(5, dtype=np.int32), np.arange(5, dtype=np.int32)[::-1].copy()
    first, second = x.copy(), y.copy()

    @obs.jit(donate=("a", "b"))
    def apart(a: Ints, b: Ints) -> Any:
        return obs.force(a + b, a - b, into=(a, b))

    with pytest.raises(CompileError, match=r"(?s)\[R8-inside\].*note: in Python, .*one parameter"):
        apart(x, y)

    @obs.jit(donate=("a", "b"))
    def zipped(a: Ints, b: Ints) -> Any:
        return obs.zip(a + b, a - b).force(into=(a, b))

    with pytest.raises(TraceError, match=r"into= names 2 arrays, and force has 1: .*tuple of arr"):
        zipped(x, y)

    @obs.jit(donate="s")
    def together(s: Annotated[Pull, "n", (i32, i32)]) -> Any:
        return s.map(lambda a, b: (a + b, a - b)).force(into=s)

    found = together((x, y))
    assert found[0] is x
    assert found[1] is y
    np.testing.assert_array_equal(x, first + second)
    np.testing.assert_array_equal(y, first - second)


def test_mistakes_of_functions() -> None:
    a = np.arange(5, dtype=np.int32)

    @obs.jit
    def other(a: Ints) -> Any:
        return (a + 1).force(into=a)

    with pytest.raises(TraceError, match=r'parameter that the function donates.*donate="a"'):
        other(a)

    @obs.jit(donate="a")
    def two(a: Ints) -> Any:
        return obs.force(a + 1, a + 2, into=a)

    with pytest.raises(TraceError, match=r"into= names 1 arrays, and force has 2\n"):
        two(a)

    def scaled(k: i32, a: Ints) -> Any:
        return a * k

    for name in ("k", "b"):
        with pytest.raises(TraceError, match=f"donate= names arrays, and {name} is none"):
            obs.jit(scaled, donate=name)(2, a)

    @obs.jit(donate="a")
    def narrow(a: Ints) -> Any:
        return a.map(lambda x: x.to(i8)).force(into=a)

    with pytest.raises(CompileError, match="memref"):
        narrow(a)


def test_arguments_that_cannot_be_written() -> None:
    a = np.arange(10, dtype=np.int32)
    fixed = a.copy()
    fixed.flags.writeable = False
    cases = {
        "a is donated, and this array of NumPy is read-only": fixed,
        "a is donated, so it is not copied, and it is not contiguous": a[::2],
        "is read-only: pass a copy": Exporter(a.copy()),
        "of NumPy is read-only": bytes(8),
    }
    for message, value in cases.items():
        function = increment
        if isinstance(value, bytes):
            value = Described("__array_interface__", fixed, data=(fixed.ctypes.data, True))
        with pytest.raises(ArgumentError, match=message):
            function(value)
    np.testing.assert_array_equal(fixed, np.arange(10))

    @obs.jit(donate="x")
    def add(x: Ints, y: Annotated[Pull, None, i32]) -> Any:
        return (x + y[0]).force(into=x)

    for shared in (a, a[9:], a[:1]):
        with pytest.raises(ArgumentError, match="x is donated, and y shares its memory"):
            add(a, shared)
    assert add(a[:5], a[5:])[0] == 5
    empty = a[:0]
    assert add(empty, a) is not None


def test_arguments_that_are_not_contiguous() -> None:
    @obs.jit
    def total(a: Ints) -> Any:
        return a + 1

    @obs.jit(copy=False)
    def strict(a: Ints) -> Any:
        return a + 1

    a = np.arange(10, dtype=np.int32)
    with pytest.warns(obs.PerformanceWarning, match="a is not contiguous.*: it is copied") as seen:
        np.testing.assert_array_equal(total(a[::2]), a[::2] + 1)
    assert seen[0].filename == __file__
    for _ in range(2):
        with pytest.raises(ArgumentError, match="a is not contiguous, row by row"):
            strict(a[::2])
        np.testing.assert_array_equal(strict(a), a + 1)


def _doubled(x: Any, n: int) -> Any:
    for _ in range(n):
        x = x * 2 + 1
    return x


@obs.jit(donate="a")
def in_a_loop(a: Ints, n: i32) -> Any:
    x = a
    for _ in obs.range(n):
        x = (x * 2 + 1).force(into=a)
    return x


@obs.jit(donate="a")
def of_its_name(a: Ints, n: i32) -> Any:
    for _ in obs.range(n):
        a = (a * 2 + 1).force(into=a)
    return a


@obs.jit(donate="a")
def by_functions(a: Ints, n: i32) -> Any:
    return obs.loop(n, a)(lambda _, x: (x * 2 + 1).force(into=x))


@obs.jit(donate="a")
def in_a_branch(a: Ints, n: i32) -> Any:
    for k in obs.range(n + 1):
        if k > 0:
            a = (a * 2 + 1).force(into=a)
    return a


@obs.jit(donate="a")
def in_nested_loops(a: Ints, n: i32) -> Any:
    for _ in obs.range(n):
        for _ in obs.range(1):
            a = (a * 2 + 1).force(into=a)
    return a


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize(
    "function", [in_a_loop, of_its_name, by_functions, in_a_branch, in_nested_loops]
)
def test_loops_that_change_an_argument(function: Any, n: int) -> None:
    start = np.arange(100, dtype=np.int32)
    for run in (function, function.emulate, function.interpret):
        a = start.copy()
        found = run(a, n)
        np.testing.assert_array_equal(found, _doubled(start, n))
        np.testing.assert_array_equal(a, found)
        assert found is a
    (main,) = function.contract()["functions"]
    assert "alloc" not in str(main["steps"])


def test_loops_that_change_tuples() -> None:
    @obs.jit(donate="s")
    def turned(s: Annotated[Pull, "n", (i32, i32)], n: i32) -> Any:
        return obs.loop(n, s)(lambda _, t: t.map(lambda x, y: (-y, x)).force(into=t))

    x, y = np.arange(40, dtype=np.int32), np.arange(40, 80, dtype=np.int32)
    found = turned((x, y), 3)
    assert (found[0] is x, found[1] is y) == (True, True)
    np.testing.assert_array_equal(x, np.arange(40, 80))
    np.testing.assert_array_equal(y, -np.arange(40))


def test_loops_that_leave_the_memory() -> None:
    """The old elements are not read in a loop either, and `into=` names one memory."""

    @obs.jit(donate="a")
    def reverse(a: Ints, n: i32) -> Any:
        for _ in obs.range(n):
            a = a.reverse().force(into=a)
        return a

    @obs.jit(donate="a")
    def start(a: Ints, n: i32) -> Any:
        return obs.loop(n, a)(lambda _, x: (a + x).force(into=x))

    @obs.jit(donate="a")
    def moves(a: Ints, n: i32) -> Any:
        for _ in obs.range(n):
            a = ((a + 1).force(into=a) + 1).force()
        return a

    @obs.jit(donate=("a", "b"))
    def swaps(a: Ints, b: Annotated[Pull, "n", i32], n: i32) -> Any:
        for _ in obs.range(n):
            a, b = b, (a + 1).force(into=a)
        return a, b

    a, b = np.arange(5, dtype=np.int32), np.arange(5, dtype=np.int32)
    with pytest.raises(CompileError, match=r"\[R8-inside\]"):
        reverse(a, 2)
    with pytest.raises(CompileError, match=r"\[R8-after\]"):
        start(a, 2)
    with pytest.raises(TraceError, match=r"test_donate.*into= names a, which the loop carries"):
        moves(a, 2)
    with pytest.raises(TraceError, match=r"test_donate.*into= names a, which the loop carries"):
        swaps(a, b, 2)
    np.testing.assert_array_equal(a, np.arange(5))

    @obs.jit(donate="a")
    def ends_elsewhere(a: Ints, n: i32) -> Any:
        x = (a + 0).force()
        for _ in obs.range(n):
            x = (x + 1).force()
        return x

    np.testing.assert_array_equal(ends_elsewhere(a, 2), np.arange(5) + 2)
    np.testing.assert_array_equal(a, np.arange(5))


def test_whiles_do_not_change_an_argument() -> None:
    @obs.jit(donate="a")
    def of_its_name(a: Ints, n: i32) -> Any:
        while n > 0:
            a = (a + 1).force(into=a)
            n -= 1
        return a

    @obs.jit(donate="a")
    def of_another(a: Ints, n: i32) -> Any:
        x = a
        while n > 0:
            x = (x + 1).force(into=a)
            n -= 1
        return x

    a = np.arange(5, dtype=np.int32)
    with pytest.raises(TraceError, match=r"test_donate.*`while` carries is neither: use `for k"):
        of_its_name(a, 2)
    with pytest.raises(CompileError, match=r"test_donate.*\[R8-\w+\]"):
        of_another(a, 2)
    np.testing.assert_array_equal(a, np.arange(5))

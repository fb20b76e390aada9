"""Rewritten functions have the old results on values of Python, and the same on traced ones.

The oracle is the function as it stands here, which Python runs on numbers.
"""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest

import obsidian as obs
from obsidian import Pull, i32, syntax

Ints = Annotated[Pull, "n", i32]


def elif_chain(x: Any) -> Any:
    if x > 10:
        y = x * 2
    elif x > 5:
        y = x + 100
    elif x == 0:
        y = 7
    else:
        y = -x
    return y


def early_returns(x: Any) -> Any:
    if x < -3:
        return x * x
    y = x + 1
    if y > 4:
        if y > 8:
            return y - 8
        return y
    y = y * 3
    return y + 1


def nested_loops(x: Any) -> Any:
    total = 0
    for i in obs.range(3):
        for j in obs.range(4):
            if (i + j) % 2 == 0:
                total += x + j.to(i32)
        total = total * 2
    return total


def while_with_conditions(x: Any) -> Any:
    n = x
    count = 0
    while n > 1 and count < 20:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        count += 1
    return count * 1000 + n


def boolean_operators(x: Any) -> Any:
    is_odd = x % 2 == 1
    small = x > -5 and x < 5 and not is_odd
    large = x > 8 or x < -8
    if small or (large and 9 <= x < 12):
        return 1
    return 2 if large else 3


def chained(x: Any) -> Any:
    return 1 if -2 <= x - 1 < 5 != x else 0


def swapped(x: Any) -> Any:
    a, b = x, x + 5
    if a % 2 == 0:
        a, b = b, a
    return a * 10 + b


def inner_function(x: Any) -> Any:
    def step(y: Any) -> Any:
        if y > 2:
            return y - 2
        return y

    z = step(x)
    if z > 3:
        z = step(z)
    return z


def python_loop_in_a_branch(x: Any) -> Any:
    total = x * 0
    if x > 0:
        for k in range(4):
            if k == 2:
                continue
            total = total + k * x
    return total


def temporary_names(x: Any) -> Any:
    if x > 3:
        square = x * x
        y = square - 1
    else:
        y = x
    return y


def augmented(x: Any) -> Any:
    y = x
    y += 3
    if y > 6:
        y -= 6
        y *= 2
    return y


TRACED = [
    elif_chain, early_returns, while_with_conditions, boolean_operators, chained, swapped,
    inner_function, python_loop_in_a_branch, temporary_names, augmented,
]  # fmt: skip


@pytest.mark.parametrize("function", TRACED, ids=lambda f: f.__name__)
def test_traced_values(function: Callable[[Any], Any]) -> None:
    """The program computes what Python computes for each number."""
    rewritten = obs.function(function)

    @obs.jit
    def apply(a: Ints):
        return a.map(rewritten)

    values = np.arange(-12, 40, dtype=np.int32)
    expected = [int(function(int(v))) for v in values]
    np.testing.assert_array_equal(apply(values), expected)
    assert [int(rewritten(int(v))) for v in values] == expected


def test_nested_loops_of_the_program() -> None:
    @obs.jit
    def apply(a: Ints):
        return a.map(obs.function(nested_loops))

    values = np.arange(-3, 4, dtype=np.int32)
    expected = []
    for x in values.tolist():
        total = 0
        for i in range(3):
            total = 2 * (total + sum(x + j for j in range(4) if (i + j) % 2 == 0))
        expected.append(total)
    np.testing.assert_array_equal(apply(values), expected)
    assert apply.mlir().count("scf.for") == 2


def loop_else(n: int) -> Any:
    for k in range(n):
        if k == 3:
            break
    else:
        return "done"
    while n > 0:
        n -= 1
        if n == 1:
            continue
    else:
        n = 9
    return n, k


def values_of_operators(a: Any, b: Any) -> Any:
    return a and b, a or b, not a, a if b else "no", [] or a or b, a and not b


def exceptions(n: int) -> Any:
    try:
        if n == 0:
            raise KeyError("zero")
        value = 10 // (n - 1)
    except ZeroDivisionError as error:
        value = str(error)
    except KeyError:
        value = "key"
    finally:
        n += 1
    with np.errstate(all="ignore"):
        if n > 2:
            value = [value, n]
    return value, n


def scopes(n: int, *rest: int, flag: bool = True, **named: int) -> Any:
    """A function with all kinds of parameters."""
    squares = [k * k for k in range(n) if k % 2 == 0 and k != 4]
    table = {k: v for k, v in zip("abc", squares) if v or flag}
    if flag:
        adders = [lambda x, k=k: x + k for k in range(3)]
        extra = sum(f(n) for f in adders)
    if (total := n + len(rest)) > 3:
        total += 1
    first, *others = (n, *rest, 4)
    if flag and others:
        del others[0]
    return squares, table, extra if flag else None, total, first, others, named


def matching(value: Any) -> Any:
    match value:
        case [a, b] if a < b:
            kind = "rising" if a > 0 else "from below"
        case {"k": k}:
            kind = k
        case _:
            kind = None
    return kind


def counter(n: int) -> Any:
    count = 0

    def add() -> None:
        nonlocal count
        if n > 0:
            count += n

    add()
    add()
    return count


def generator_inside(n: int) -> Any:
    def up() -> Iterator[int]:
        k = 0
        while k < n:
            if k % 2 == 0:
                yield k
            k += 1

    return list(up())


def late_binding(n: int) -> Any:
    functions = []
    for k in range(n):
        if k % 2:
            functions.append(lambda: k)
    return [f() for f in functions]


def chain_with_in(x: int) -> Any:
    return 0 < x in (1, 2), 0 < x < 5 > 3, 1 < x != 4


PLAIN: list[tuple[Callable[..., Any], list[tuple[Any, ...]]]] = [
    (loop_else, [(0,), (2,), (5,)]),
    (values_of_operators, [(0, 1), ("", []), ([1], 0), (None, "x"), (3, 4)]),
    (exceptions, [(0,), (1,), (2,), (3,)]),
    (scopes, [(5,), (0, 1, 2)]),
    (matching, [([1, 2],), ([-1, 2],), ({"k": 3},), (4,)]),
    (counter, [(0,), (3,)]),
    (generator_inside, [(6,)]),
    (late_binding, [(5,)]),
    (chain_with_in, [(1,), (4,), (7,)]),
    *((f, [(k,) for k in range(-4, 12, 3)]) for f in TRACED),
]


@pytest.mark.parametrize("case", PLAIN, ids=lambda case: case[0].__name__)
def test_values_of_python(case: tuple[Callable[..., Any], list[tuple[Any, ...]]]) -> None:
    """Each construct keeps its meaning."""
    function, calls = case
    rewritten = syntax.rewrite(function)  # type: ignore[arg-type]
    assert inspect.signature(rewritten) == inspect.signature(function)
    assert rewritten.__doc__ == function.__doc__
    for arguments in calls:
        assert rewritten(*arguments) == function(*arguments)
    if function is scopes:
        assert rewritten(3, flag=False, z=1) == function(3, flag=False, z=1)


def test_variables_stay_local_to_a_loop() -> None:
    """A loop carries the variables it needs, but not one that is set first in each iteration."""

    @obs.jit
    def apply(a: Ints):
        part = a
        total = i32(0)
        for k in obs.range(3):
            part = a.split(10, pad=0)[k].force(kernel="part")
            total = total + part.sum().force(kernel="total")[0]
        return total

    values = np.arange(30, dtype=np.int32)
    assert apply(values) == values.sum()


def test_loop_with_the_types_of_its_counter() -> None:
    @obs.jit
    def apply(a: Ints, n: i32):
        total = 0
        for k in obs.range(1, n, 2):
            total += k
        return a + total

    np.testing.assert_array_equal(apply(np.zeros(2, np.int32), 10), [25, 25])


def test_condition_of_the_host_carries_arrays() -> None:
    @obs.jit
    def apply(a: Ints, n: i32):
        if n > 5:
            a = (a * 2).force(kernel="double")
        elif n > 3:
            a = (a + 1).force(kernel="more")
        return a

    values = np.arange(5, dtype=np.int32)
    for n, expected in ((6, values * 2), (4, values + 1), (0, values)):
        np.testing.assert_array_equal(apply(values, n), expected)


def with_a_context(x):
    if x > 0:
        with contextlib.nullcontext(2) as k:
            y = x * k
    else:
        y = -x
    return y


def with_an_import(x):
    if x > 0:
        import math as numbers

        y = x * numbers.gcd(4, 6)
    else:
        y = -x
    return y


def with_a_return_in_the_other_branch(x):
    if x > 0:
        y = x * 2
    else:
        return -x
    return y + 1


def with_an_exception(x):
    if x > 0:
        try:
            y = x * len(5)  # type: ignore[arg-type]
        except TypeError as error:
            y = x * len(error.args) * 2
    else:
        y = -x
    return y


@pytest.mark.parametrize(
    ("function", "more"),
    [
        (with_a_context, 0), (with_an_import, 0), (with_a_return_in_the_other_branch, 1),
        (with_an_exception, 0),
    ],
)  # fmt: skip
def test_statements_in_branches(function: Any, more: int) -> None:
    """By hand: twice a positive number, and the magnitude of others."""
    traced = obs.function(function)

    @obs.jit
    def program(a: Ints):
        return a.map(traced)

    a = np.int32([-3, 0, 4])
    np.testing.assert_array_equal(program(a), [3, 0, 8 + more])


def partly(x):
    if x > 0:
        if x > 3:
            return x
        x = x + 1
    return x * 10


def without_else(x):  # noqa: RET503
    if x > 0:
        return x


def named_in_a_branch(x):
    return (y := x + 1) * y if x > 0 else x


def named_in_an_operand(x):
    return 1 if x > 0 and (y := x) > y - 1 else 0


def of_an_integer(x):
    if x:
        return x
    return -x


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (partly, "this `return` cannot stand in a loop or a branch"),
        (without_else, "return values of one form; these differ"),
        (named_in_a_branch, "the program decides this condition"),
        (named_in_an_operand, "the program decides this condition"),
        (of_an_integer, "a condition is an i1, not i32: compare"),
    ],
)
def test_conditions_that_cannot_be_rewritten(function: Any, message: str) -> None:
    traced = obs.function(function)

    @obs.jit
    def program(a: Ints):
        return a.map(traced)

    with pytest.raises(obs.TraceError, match=message):
        program(np.int32([1]))


def test_ranges_by_other_names() -> None:
    """A name of the closure counts; an element of a list does not."""
    steps, several = obs.range, [obs.range]

    @obs.jit
    def by_name(a: Ints):
        for _ in steps(3):
            a = (a + 1).force()
        return a

    @obs.jit
    def by_element(a: Ints):
        for _ in several[0](3):
            a = (a + 1).force()
        return a

    @obs.jit
    def with_contexts(a: Ints):
        for _ in obs.range(3):
            with contextlib.nullcontext(2) as step:
                b = a + step
            a = b.force()
        return a

    np.testing.assert_array_equal(by_name(np.int32([1, 5])), [4, 8])
    np.testing.assert_array_equal(with_contexts(np.int32([1, 5])), [7, 11])
    with pytest.raises(obs.TraceError, match=r"a loop over obs\.range needs a function"):
        by_element(np.int32([1]))


def test_functions_that_are_defined_later() -> None:
    @obs.jit
    def program(a: Ints):
        return later(a)

    assert list(program.parameter_types()) == ["a"]

    def later(a: Any) -> Any:
        return a + 1

    np.testing.assert_array_equal(program(np.int32([1])), [2])


def test_decorated_functions_in_functions() -> None:
    """A function that is rewritten with the function around it is not rewritten again."""

    @obs.function
    def in_function(a: Any) -> Any:
        @obs.function
        def inner(x: Any) -> Any:
            if x > 2:
                return x * 10
            return x

        return a.map(inner)

    @obs.jit
    def in_program(a: Ints):
        @obs.function
        def inner(x: Any) -> Any:
            if x > 2:
                return x * 10
            return x

        def plain(x: Any) -> Any:
            return x * 10 if x > 2 else x

        return a.map(inner), a.map(obs.function(plain)), in_function(a)

    @obs.jit
    def program_in_program(a: Ints):
        @obs.jit
        def inner(b: Ints) -> Any:
            for _ in obs.range(2):
                b = (b + 1).force()
            return b

        return inner(a)

    x = np.int32([1, 2, 3, 4])
    for found in in_program(x):
        np.testing.assert_array_equal(found, [1, 2, 30, 40])
    np.testing.assert_array_equal(program_in_program(x), x + 2)


def test_rewriting_takes_linear_time(tmp_path: Path) -> None:
    """A function of four times the length takes about four times the calls of Python."""

    def count_calls(length: int) -> int:
        lines = ["def f(a):", *(f"    a = a.map(lambda x: x + {n})" for n in range(length))]
        file = tmp_path / f"long_{length}.py"
        file.write_text("\n".join([*lines, "    return a", ""]))
        scope: dict[str, Any] = {}
        exec(compile(file.read_text(), str(file), "exec"), scope)
        count = 0

        def add(frame: object, event: str, argument: object) -> None:
            nonlocal count
            count += 1

        sys.setprofile(add)
        try:
            syntax.rewrite(scope["f"])
        finally:
            sys.setprofile(None)
        return count

    assert count_calls(200) < 6 * count_calls(50)


@pytest.mark.parametrize("kind", ["elif", "return"])
def test_statements_that_are_nested_too_deeply(kind: str, tmp_path: Path) -> None:
    lines = ["def f(a):", "    def g(x):", "        y = x"]
    for n in range(300):
        lines.append(f"        {'elif' if kind == 'elif' and n else 'if'} x == {n}:")
        lines.append(f"            {'y =' if kind == 'elif' else 'return'} x + {n}")
    lines += ["        return y", "    return a.map(g)", ""]
    file = tmp_path / f"{kind}.py"
    file.write_text("\n".join(lines))
    scope: dict[str, Any] = {}
    exec(compile(file.read_text(), str(file), "exec"), scope)
    scope["f"].__annotations__["a"] = Ints
    with pytest.raises(obs.TraceError, match="nested too deeply") as caught:
        obs.jit(scope["f"]).mlir()
    assert caught.value.location is not None
    assert caught.value.location.file == str(file)

"""Operators of arrays and scalars against NumPy, and the message of each refusal of the tracer."""

from __future__ import annotations

import functools
import math
import operator
import sys
import warnings
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
import pytest

import obsidian as obs
from obsidian import Pull, TraceError, bf16, f16, f32, f64, i1, i8, i32, i64, index

Ints = Annotated[Pull, "n", i32]
A = np.array([-7, -1, 0, 1, 2, 5, 100], np.int32)
TABLE = np.ones(7, np.int32)
B = np.array([3, -2, 4, 1, -5, 2, 7], np.int32)

INTEGER = ["add", "sub", "mul", "floordiv", "mod", "and_", "or_", "xor"]
COMPARISONS = ["lt", "le", "gt", "ge", "eq", "ne"]


@pytest.mark.parametrize("name", INTEGER + COMPARISONS)
def test_operators_of_integers(name: str) -> None:
    function = getattr(operator, name)

    @obs.jit
    def apply(a: Ints, b: Ints, k: i32):
        return (
            function(a, b),
            function(a, 3),
            function(3, b),
            function(a, k),
            a.map(lambda x: function(x, k)),
            a.map(lambda x, y: function(x, y), b),
            b.map(lambda y: function(3, y)),
        )

    k = np.int32(4)
    left, three = function(A, B), function(A, np.int32(3))
    expected = (left, three, function(np.int32(3), B), function(A, k), function(A, k), left)
    found = apply(A, B, 4)
    for one, other in zip(found, (*expected, function(np.int32(3), B))):
        np.testing.assert_array_equal(one, other)


def test_numbers_of_numpy_on_the_left() -> None:
    """NumPy asks the class of the right operand, which is an array or a scalar of the program."""
    functions = [getattr(operator, name) for name in (*INTEGER, *COMPARISONS, "lshift", "rshift")]
    three = np.int32(3)

    @obs.jit
    def apply(a: Ints) -> Any:
        of_arrays = [function(three, a) for function in functions]
        of_scalars = [a.map(lambda x, f=f: f(three, x)) for f in functions]
        return (*of_arrays, *of_scalars, divmod(three, a))

    a = np.int32([1, 2, 5])
    expected = [function(three, a) for function in functions]
    found = apply(a)
    for one, other in zip(found, [*expected, *expected], strict=False):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(found[-1], divmod(three, a))


def test_operators_of_floats() -> None:
    @obs.jit
    def apply(x: Annotated[Pull, "n", f64], k: f64):
        return x + k, 1 - x, x * 2, 1 / x, x / k, -x, +x, abs(x), x**3, x**0, k - x, 2 * k + x

    x, k = np.array([0.5, -1.25, 3.0]), 1.5
    expected = (
        x + k, 1 - x, x * 2, 1 / x, x / k, -x, x, abs(x), x * x * x, x * 0 + 1, k - x, 3 + x
    )  # fmt: skip
    for one, other in zip(apply(x, k), expected):
        np.testing.assert_array_equal(one, other)


#: Functions of Python on floats, each with the function of NumPy.
OF_FLOATS: list[tuple[Callable[[Any], Any], Callable[[Any], Any]]] = [
    *((f, f) for f in (
        lambda x: 2**abs(x), lambda x: 1.5**x, lambda x: np.float64(3) ** x,
        lambda x: x**-1, lambda x: x**-3, lambda x: x**65, lambda x: x**5, lambda x: x**2.0,
        lambda x: x ** np.float64(3), lambda x: abs(x) ** 0.5, lambda x: abs(x) ** 2.25,
        lambda x: divmod(x, 0.75), lambda x: divmod(2.5, x),
    )),
    (round, np.round), (lambda x: round(x, 0), np.round), (math.floor, np.floor),
    (math.ceil, np.ceil), (math.trunc, np.trunc),
]  # fmt: skip
#: The same for integers.
OF_INTEGERS: list[tuple[Callable[[Any], Any], Callable[[Any], Any]]] = [
    *((f, f) for f in (
        lambda x: x**0, lambda x: x**7, lambda x: x ** np.int32(3), lambda x: divmod(x, 3),
        lambda x: divmod(-20, 2 * x + 1), lambda x: abs(x > 0),
    )),
    (round, np.round), (math.floor, np.floor), (math.ceil, np.ceil), (math.trunc, np.trunc),
]  # fmt: skip


@pytest.mark.parametrize("kind", [f64, i32])
@pytest.mark.parametrize("run", ["interpret", "emulate"])
def test_functions_of_python(kind: Any, run: str) -> None:
    """A function of the elements of pull arrays and push arrays, and of scalars."""
    functions = OF_FLOATS if kind is f64 else OF_INTEGERS
    values = A if kind is i32 else np.float64([-2.5, -0.5, 1.5, 2.5, 3.75, -3.25])

    def apply(a: Any, k: Any) -> Any:
        results = []
        for function, _ in functions:
            of_scalar = function(k)
            parts = of_scalar if isinstance(of_scalar, tuple) else (of_scalar,)
            results += [function(a), function(a.push()), a.map(function)]
            results.append(tuple(obs.full(1, part) for part in parts))
        return tuple(results)

    apply.__annotations__.update(a=Annotated[Pull, "n", kind], k=kind)
    found = iter(getattr(obs.jit(apply), run)(values, values[-1]))
    for _, function in functions:
        expected = function(values)
        for one in (next(found), next(found), next(found)):
            np.testing.assert_allclose(one, expected, rtol=1e-14)
        last = np.asarray(expected)[..., -1:]
        np.testing.assert_allclose(np.asarray(next(found)).reshape(last.shape), last, rtol=1e-14)


def test_powers_of_two_operands() -> None:
    """Operands of `**` and `divmod` are arrays or scalars, on both sides."""

    @obs.jit
    def apply(x: Annotated[Pull, "n", f64], y: Annotated[Pull, "n", f64], k: f64):
        return x**y, x**k, k**x, x.push() ** y, k**k * x, divmod(x, y), divmod(k, x), divmod(x, k)

    x, y, k = np.float64([0.5, 1.5, 2.25]), np.float64([-2, 0.5, 3]), 1.25
    expected = (
        x**y, x**k, k**x, x**y, k**k * x, divmod(x, y), divmod(k, x), divmod(x, k)
    )  # fmt: skip
    for one, other in zip(apply(x, y, k), expected):
        np.testing.assert_allclose(one, other, rtol=1e-14)


def test_shifts_and_bits() -> None:
    @obs.jit
    def apply(a: Ints):
        flags = a > 0
        return (
            a << 2, a >> 1, ~a, ~flags, flags & (a < 5), flags | (a < -3), flags ^ True, -a, +a,
            a.map(lambda x: 1 << (x & 7)), a.map(lambda x: 1000 >> (x & 7)), abs(a), a**2,
        )  # fmt: skip

    flags = A > 0
    expected = (
        A << 2, A >> 1, ~A, ~flags, flags & (A < 5), flags | (A < -3), ~flags, -A, A,
        np.int32(1) << (A & 7), np.int32(1000) >> (A & 7), abs(A), A**2,
    )  # fmt: skip
    for one, other in zip(apply(A), expected):
        np.testing.assert_array_equal(one, other)


def test_reductions() -> None:
    @obs.jit
    def apply(a: Ints, x: Annotated[Pull, "n", f32]):
        return (
            a.sum(), a.prod(), a.max(), a.min(), (a > 3).any(), (a > 300).all(), x.max(), x.min(),
            obs.sum(a), obs.sum(5, lambda k: a[k]),
        )  # fmt: skip

    x = A.astype(np.float32)
    expected = (
        A.sum(), A.prod(), A.max(), A.min(), True, False, x.max(), x.min(), A.sum(), A[:5].sum()
    )  # fmt: skip
    for one, other in zip(apply(A, x), expected):
        assert one[0] == np.asarray(other).astype(one.dtype)


def test_small_floats() -> None:
    @obs.jit
    def apply(x: Annotated[Pull, "n", f16]):
        y = x.to(bf16) * 2 + bf16(float("inf")) * 0.0
        return x * f16.max, y.to(f32), x.to(f64), x.to(bf16).bitcast(obs.i16)

    x = np.array([1, 0.5], np.float16)
    scaled, nan, wide, bits = apply(x)
    np.testing.assert_array_equal(scaled, x * np.float16(65504))
    assert np.isnan(nan).all()
    np.testing.assert_array_equal(wide, x)
    np.testing.assert_array_equal(bits, [0x3F80, 0x3F00])


def test_strategies_and_segments() -> None:
    @obs.jit
    def apply(a: Ints):
        flags = obs.iota(a.size).map(lambda i: i % 3 == 0)
        total = a.scan(operator.add, 0, total=True, strategy="one_pass")
        return (
            a.segmented_reduce(operator.add, 0, flags=flags, extent=4),
            a.reduce(operator.add, 0, commutative=True, strategy="atomic"),
            total[0] + total[1],
        )

    sums, total, scanned = apply(A)
    np.testing.assert_array_equal(sums, [A[:3].sum(), A[3:6].sum(), A[6], 0])
    assert total[0] == A.sum()
    np.testing.assert_array_equal(scanned, np.cumsum(A) + A.sum())


#: Programs on an array of integers, a matrix, and a float, each with a part of its message.
REFUSALS: list[tuple[Callable[[Any, Any, Any], Any], str]] = [
    (lambda a, m, k: a + m, "arrays of ranks"),
    (lambda a, m, k: a.map(lambda x: None), "the function returns nothing"),
    (lambda a, m, k: a.map(lambda x: "text"), "str is no value of a program"),
    (lambda a, m, k: a.map(lambda x: a.push()), "a push array is no element"),
    (lambda a, m, k: a.map(lambda x: x, 3), "map takes arrays"),
    (lambda a, m, k: a[0, 0], "2 indices for an array of 1 dimensions"),
    (lambda a, m, k: a[1.5], "is a whole number or a traced integer"),
    (lambda a, m, k: a[k], r"whole number or a traced integer.* write x\.to\(obs\.index\)"),
    (lambda a, m, k: a[::0], "the step of a slice"),
    (lambda a, m, k: a[5:2], "ends before it begins"),
    (lambda a, m, k: a.take(3)[-5], "out of range"),
    (lambda a, m, k: a.take(3)[3], "index 3 is out of range: the extent is 3"),
    (lambda a, m, k: m.take(2, 3)[2], "index 2 is out of range: the extent is 2"),
    (lambda a, m, k: m.take(2, 3)[:, 3], "index 3 is out of range: the extent is 3"),
    (lambda a, m, k: m.take(2, 3)[-3, :], "index -3 is out of range: the extent is 2"),
    (lambda a, m, k: a.dim(1), "there is no dimension 1"),
    (lambda a, m, k: a.slice((0, 0), (1, 1)), "a slice of an array of rank 1"),
    (lambda a, m, k: m.transpose(0, 0), "is no permutation"),
    (lambda a, m, k: m.split(4), "split takes 2 sizes"),
    (lambda a, m, k: a.join(), "join takes an array of arrays"),
    (lambda a, m, k: a.nest(1), "one dimension has no rows: a.split"),
    (lambda a, m, k: a.unnest(), "unnest takes an array of arrays"),
    (lambda a, m, k: m.sum(), "takes an array of one dimension"),
    (lambda a, m, k: a.push().ix_map(lambda i: (i, i)), "returns 2 indices, and 1 are needed"),
    (lambda a, m, k: a.take(5).halve(), "has no halves"),
    (lambda a, m, k: obs.matmul(m.take(2, 3), m.take(2, 3)), "a column for each row"),
    (lambda a, m, k: (m > 0) @ (m > 0), r"integers and floats, not i1: .*a.to\(obs.i32\)"),
    (lambda a, m, k: m.to(index) @ m.to(index), "integers and floats, not index"),
    (lambda a, m, k: m.matmul(m, dtype=obs.i1), "integers and floats, not i1"),
    (lambda a, m, k: m @ 3, "takes two pull arrays, not int"),
    (lambda a, m, k: m @ m.push(), "force a push array first"),
    (lambda a, m, k: m @ np.ones((2, 2)), "takes two pull arrays, not ndarray"),
    (lambda a, m, k: obs.windows(a, 3, step=0), "a step of 1 or more"),
    (lambda a, m, k: obs.concat(m, m, dim=2), "no dimension 2: the array has 2"),
    (lambda a, m, k: obs.merge_runs(a.take(8), 4), "the array has 8"),
    (lambda a, m, k: obs.table([300], obs.i8), "300 is out of the range of i8"),
    (lambda a, m, k: obs.table([1.5], obs.i32), "the float 1.5 does not become i32"),
    (lambda a, m, k: obs.table([2**40]), "out of the range of i32"),
    (lambda a, m, k: obs.table([[1, 2], [3]]), "rows of one length"),
    (lambda a, m, k: k + 10**400, "out of the range of f32"),
    (lambda a, m, k: k * 1e39, r"1e\+39 is out of the range of f32: obs.f32.max is its largest"),
    (lambda a, m, k: k * -3.5e38, r"out of the range of f32.*obs.f32.inf is infinity"),
    (lambda a, m, k: obs.table([65520.0], f16), r"65520.0 is out of the range of f16"),
    (lambda a, m, k: bf16(2.0**128 - 2.0**119), "out of the range of bf16"),
    (lambda a, m, k: index(2**63), "9223372036854775808 is out of the range of index"),
    (lambda a, m, k: obs.table(np.ma.masked_less(A, 0)), r"no mask: write obs.table\(x.filled"),
    (lambda a, m, k: obs.full(obs.up_to(a.size, -1), 1), "a number from 0 on, not -1"),
    (lambda a, m, k: obs.full(obs.up_to(a.size, 2.5), 1), "a number from 0 on, not 2.5"),
    (lambda a, m, k: a.force("foo"), "'foo' is no memory: use registers, shared"),
    (lambda a, m, k: a.force(threads=0), "from 1 to 1024, not 0"),
    (lambda a, m, k: a.force(kernel='x"y'), "letters, digits and _"),
    (lambda a, m, k: (), "returns its results"),
    (lambda a, m, k: list(a.push()), "a push array cannot be read"),
    (lambda a, m, k: bool(a), "an array is neither true nor false"),
    (lambda a, m, k: range(a.size), "Python needs a number here"),
    (lambda a, m, k: range(a), "Python needs a number here, and this is an array"),  # type: ignore[call-overload]
    (lambda a, m, k: [1, 2][a], "Python needs a number here, and this is an array"),  # type: ignore[call-overload]
    (lambda a, m, k: int(a), r"this is an array: a\[i\] is an element"),
    (lambda a, m, k: float(a.push()), r"this is an array: a\[i\] is an element"),
    (lambda a, m, k: math.sqrt(a), "functions such as obs.sqrt take arrays"),
    (lambda a, m, k: int(k), r"int\(\) makes a number of Python.*x\.to\(obs\.i32\)"),
    (lambda a, m, k: float(a[0]), r"x\.to\(obs\.f32\) in place of float\(x\)"),
    (lambda a, m, k: math.sqrt(k), "obs.sqrt in place of math.sqrt"),
    (lambda a, m, k: complex(k), "Python needs a number here"),
    (lambda a, m, k: len(a), "len.. cannot tell it: use a.size"),
    (lambda a, m, k: len(k), "one f32, which has no length"),
    (lambda a, m, k: k[0], "one f32, which has no elements"),
    (lambda a, m, k: iter(k), "this is one f32, not a tuple"),
    (lambda a, m, k: next(iter(a)), r"loop over them: write obs\.concat"),
    (lambda a, m, k: iter(a.push()), "a push array cannot be read: store it first"),
    (lambda a, m, k: tuple(a[0]), "this is one i32, not a tuple"),
    (lambda a, m, k: 2 in k, "one f32, which has no elements: compare by =="),
    (lambda a, m, k: k in (1, 2), r"\(x == 1\) \| \(x == 2\) stands for x in \(1, 2\)"),
    (lambda a, m, k: 2 in a, r"`in` cannot answer: write \(a == x\)\.any\(\)"),
    (lambda a, m, k: k in a.push(), r"`in` cannot answer: write \(a == x\)\.any\(\)"),
    (lambda a, m, k: 0 < k < 2, r"\(0 < x\) & \(x < 2\) for 0 < x < 2"),
    (lambda a, m, k: 0 < a < 2, r"by &, \| and ~, as in \(0 < a\) & \(a < 2\)"),
    (lambda a, m, k: a.push() == a == 3, "an array is neither true nor false"),
    (lambda a, m, k: f"{k:.3f}", r'cannot format it: obs\.print\("x = {}", x\)'),
    (lambda a, m, k: f"{a[0]}", "Python cannot format it"),
    (lambda a, m, k: f"{a.push():>9}", "Python cannot format it"),
    (lambda a, m, k: hex(k), "Python needs a number here"),
    (lambda a, m, k: a**a, r"whole number from 0 to 64.*1 << n.*obs\.pow"),
    (lambda a, m, k: 2**a, r"whole number from 0 to 64.*1 << n.*obs\.pow"),
    (lambda a, m, k: a.push() ** 65, "whole number from 0 to 64"),
    (lambda a, m, k: a[0] ** -1, "whole number from 0 to 64"),
    (lambda a, m, k: a**0.5, r"0\.5 does not become i32.*\.to\(obs\.f32\)"),
    (lambda a, m, k: k ** a[0], "i32 and f32 do not mix"),
    (lambda a, m, k: k ** np.int32(2), "a NumPy int32 and f32 do not mix"),
    (lambda a, m, k: (a > 0) ** 2, "an i1 is true or false"),
    (lambda a, m, k: divmod(a > 0, a > 1), "an i1 is true or false"),
    (lambda a, m, k: divmod(k, None), "NoneType is no operand"),  # type: ignore[call-overload]
    (lambda a, m, k: k ** "text", "str is no operand"),
    (lambda a, m, k: k * [1], "list is no operand"),
    (lambda a, m, k: TABLE**k, "an array of NumPy is no array of the program"),
    (lambda a, m, k: divmod(TABLE, a), "an array of NumPy is no array of the program"),
    (lambda a, m, k: round(k, 2), r"has no digits: write obs\.round\(x \* 100\) / 100"),
    (lambda a, m, k: round(a > 0), "an i1 is true or false"),
    (lambda a, m, k: math.floor(a[0] > 0), "an i1 is true or false"),
    (lambda a, m, k: k @ k, "@ is for matrices, and this is one f32"),
    (lambda a, m, k: 2 @ a[0], "@ is for matrices, and this is one i32"),
    (lambda a, m, k: k & 1, "this operator is for integers, not for f32"),
    (lambda a, m, k: (a[0] > 0) + 1, "an i1 is true or false"),
    (lambda a, m, k: (a[0] > 0) < True, "has no order"),
    (lambda a, m, k: k.bitcast(f64), "differ in their sizes"),
    (lambda a, m, k: k + np.float64(1), "a NumPy float64 and f32 do not mix"),
    (lambda a, m, k: k + np.complex64(1), "do not mix"),
    (lambda a, m, k: obs.exp(a[0]), "exp takes a float, not i32"),
    (lambda a, m, k: obs.exp(k, k), "exp takes 1 operands, not 2"),
    (lambda a, m, k: obs.ctlz(k), "ctlz takes a int"),
    (lambda a, m, k: obs.min(k), "two operands or more"),
    (lambda a, m, k: obs.sum(a, lambda x: x * x), "sum takes an array alone"),
    (lambda a, m, k: obs.sum(a, init=3), "sum takes an array alone"),
    (lambda a, m, k: obs.full(3, 1, np.float32), "is no type of the language"),
    (lambda a, m, k: obs.zeros(3, dtype="f32"), "is no type of the language"),
    (lambda a, m, k: obs.table([1], np.int32), "is no type of the language"),
    (lambda a, m, k: obs.iota(3, f32), "a type of whole numbers, such as obs.i32, not f32"),
    (lambda a, m, k: obs.filter(a, a > 0, dtype=f32), "a type of whole numbers"),
    (lambda a, m, k: obs.pad(m, (1, 2, 3), 0), "3 numbers for 2 dimensions"),
    (lambda a, m, k: m.reverse(2), "there is no dimension 2"),
    (lambda a, m, k: obs.concat(m, a, dim=1), r"arrays of one rank, not of \[1, 2\]"),
    (lambda a, m, k: obs.div(k, k), "for integers"),
    (lambda a, m, k: a.take(obs.up_to(a.size, 4)), r"belongs to a new array or a slice"),
    (lambda a, m, k: a.split(obs.up_to(a.size, 4)), r"as in a\.slice\(0, obs\.up_to\(n, 64\)\)"),
    (lambda a, m, k: a.reduce(operator.add, a), "an array stands where a number of type i32"),
    (lambda a, m, k: obs.loop(3, a)(lambda i, x: 5), "a number stands where an array is expected"),
    (lambda a, m, k: obs.loop(3, a, 1)(lambda i, x, y: x), "new carried values, 2 of them"),
    (lambda a, m, k: obs.fill(9, i32)(lambda: obs.put(a, at=k)), "integer, not f32: write x.to"),
    (lambda a, m, k: obs.scatter(a.push(), at=a, into=8), "scatter takes a pull array"),
    (lambda a, m, k: obs.stack(r for r in m.rows() for _ in range(2)), "more than the arrays of"),
    (lambda a, m, k: a.map(lambda x: x < 1 << 31), "2147483648 is a number with a sign here"),
    (lambda a, m, k: a.map(lambda x: x & "text"), "str is no operand"),
    (
        lambda a, m, k: a.map(lambda x: 1 if x else 0),
        "an i32 is neither true nor false|Python cannot",
    ),
    (lambda a, m, k: obs.arrays.zip(a), "zip takes two or more arrays"),
    (lambda a, m, k: obs.arrays.fold_all(5, 0, a), "fold_all takes a function, not a int"),
    (lambda a, m, k: obs.arrays.fold(max, 0, a), "the program decides this condition"),
    (lambda a, m, k: obs.unsigned.div(k, k), "for integers"),
    (lambda a, m, k: obs.where(k, 1, 2), "a condition is an i1"),
    (lambda a, m, k: obs.where(a[0] > 0, a, m), "different types"),
    (lambda a, m, k: obs.when(k)(lambda: 1), "a condition is an i1"),
    (lambda a, m, k: obs.when(a[0] > 0)(lambda: 1, lambda: (1, 2)), "values of one form"),
    (lambda a, m, k: obs.when(a[0] > 0)(lambda: a, lambda: m), "different types"),
    (lambda a, m, k: obs.when(a[0] > 0)(lambda: k, lambda: a[0]), "do not mix"),
    (lambda a, m, k: obs.while_loop(lambda: True), "a loop that carries no value"),
    (lambda a, m, k: obs.while_loop(lambda x: 1, k)(lambda x: x), "is an i1: compare"),
    (lambda a, m, k: obs.loop(3, k)(lambda i, x: (x, x)), "in the form of the initial ones"),
    (lambda a, m, k: obs.loop(3, a.push())(lambda i, x: x), "which a loop cannot carry"),
    (lambda a, m, k: obs.generate(k)(lambda i: i), "is a whole number or a traced integer"),
    (lambda a, m, k: obs.generate(-1)(lambda i: i), "extents are numbers from 0 on"),
    (lambda a, m, k: obs.table(3), "a table is a list"),
    (lambda a, m, k: obs.write(1, at=0), "write stands in a program of obs.fill"),
    (lambda a, m, k: obs.fill(3, i32, over=3)(lambda t: 5), "returns a dictionary"),
    (
        lambda a, m, k: obs.fill(3, (i32, f32), over=3)(lambda t: {t: 5, 0: (1, 2, 3)}),
        "consists of",
    ),
    (lambda a, m, k: obs.fill(3, "i32", over=3)(lambda t: {t: 5}), "is not an element type"),
    (lambda a, m, k: obs.force(3), "force takes arrays"),
    (lambda a, m, k: a.compact(a), "flags are i1"),
    (lambda a, m, k: a.segmented_scan(operator.add, 0), "one of flags= and offsets="),
    (lambda a, m, k: a.segmented_reduce(operator.add, 0, flags=a > 0), "extent= is the number"),
    (lambda a, m, k: obs.scatter(a, at=a, into=3, combine="plus"), "combine= is 'any'"),
    (lambda a, m, k: obs.scatter(k, at=a, into=3, combine="xor"), "does not fit elements"),
    (lambda a, m, k: a.scan(operator.add, 0).reduce, "has no attribute"),
    (lambda a, m, k: obs.zip(a, a) + 1, "the elements are tuples, not numbers"),
    (lambda a, m, k: obs.zip(a, a).max(), "the elements are tuples"),
    (lambda a, m, k: a.split(4, pad=0).sum(), "a number stands where an array is expected|arrays"),
    (lambda a, m, k: obs.concat(a, level=obs.block), "belong to concat of a generator"),
    (lambda a, m, k: obs.concat(c for c in [1, 2]), "walks over no array"),
    (lambda a, m, k: obs.stack(c.force(kernel="k") for c in a.split(4, pad=0)), "level grid"),
    (lambda a, m, k: obs.bitonic_sort(a.take(5)), "the array has 5 elements"),
    (lambda a, m, k: obs.pad(a, 1, "nearest"), "the rule for what is outside"),
    (lambda a, m, k: obs.sum(5), "sum takes an array, or a number and a function"),
    (
        lambda a, m, k: obs.stack(obs.filter(c, lambda x: x > 0) for c in a.split(4)),
        "at level grid",
    ),
    (lambda a, m, k: obs.assert_(False, "never"), "never"),
    (lambda a, m, k: i8(300), "300 is out of the range of i8"),
    (lambda a, m, k: i32(a), "Pull is not a number"),
    (lambda a, m, k: index(1.5), "1.5 does not become index"),
    (lambda a, m, k: a.map(lambda x: i64(x) + i1(True)), "i1 and i64 do not mix"),
    (lambda a, m, k: {"a": a}, "dict is no value of a program: return a tuple"),
    (lambda a, m, k: str(a[0]), r"str is no value.*obs\.print shows numbers"),
    (lambda a, m, k: obs.generate(a.size), r"function is no value.*obs\.generate\(n\)\(f\)"),
    (lambda a, m, k: (r for r in m), "generator is no value.*obs.concat and obs.stack take"),
    (lambda a, m, k: A, "ndarray is no value.*pass the array as an argument"),
    (lambda a, m, k: a.map(lambda x: object()), "object is no value.*numbers and arrays"),
    (lambda a, m, k: obs.generate(a.size, lambda i: i), "takes the extents first"),
    (lambda a, m, k: m.sum(axis=1), r"sum: .*'axis': .*for r in m\.rows\(\)"),
    (lambda a, m, k: a.max(0), "max: too many positional arguments: it combines"),
    (lambda a, m, k: a.scan(obs.max, exclusive=True), "scan needs an initial value.*write init="),
    (lambda a, m, k: a.scan(obs.max, total=True), "scan needs an initial value.*write init="),
    (lambda a, m, k: a.reduce(obs.max, None), "reduce needs an initial value.*write init="),
    (lambda a, m, k: a.reduce(obs.max), r"reduce: .*'init': .*a\.reduce\(obs\.min"),
    (lambda a, m, k: m @ a, r"for a matrix and a vector write obs\.concat"),
    (lambda a, m, k: m @ m.reshape(1, 2, 2), "arrays of one rank"),
    (lambda a, m, k: m @ (m + m.push()), "force a push array first"),
    (lambda a, m, k: TABLE @ a, "@ takes pull arrays, not an array of NumPy"),
    (lambda a, m, k: a.sort(), r"no sort: write obs\.arrays\.sort"),
    (lambda a, m, k: obs.sort(a), r"no attribute 'sort': write obs\.arrays\.sort"),
    (lambda a, m, k: obs.nothing, "no attribute 'nothing'$"),
    (lambda a, m, k: m.reshape(-1, -1), "one extent of a reshape may be -1"),
    (lambda a, m, k: a.take(8).reshape(-1, 3), "has 8 elements, and the product .* is 3"),
    (lambda a, m, k: a.reshape(0, -1), "the product of the other extents is 0"),
    (lambda a, m, k: obs.zip(a, a).map(lambda x: x), "another number of arguments than 2"),
    (lambda a, m, k: m.ix_map(lambda i: (i, i)), "another number of arguments than 2"),
    (lambda a, m, k: obs.generate(3)(lambda i, j: i), "another number of arguments than 1"),
    (lambda a, m, k: a.reduce(abs, 0), "another number of arguments than 2"),
    (lambda a, m, k: obs.fill(9, i32, over=9)(lambda: None), "another number of arguments than 1"),
    (lambda a, m, k: a.split(2).each(obs.block)(lambda: a), "another number of arguments than 1"),
    (lambda a, m, k: a.map(lambda x: len(5)), "has no len"),  # type: ignore[arg-type]
    (lambda a, m, k: a.map(5), "a function stands here, not 5"),
    (lambda a, m, k: a.map(np.sqrt), r"np\.sqrt takes no values of a program: write obs\.sqrt"),
    (lambda a, m, k: np.sin(a), r"np\.sin takes no values of a program: write obs\.sin"),
    (lambda a, m, k: np.arcsin(k), r"np\.arcsin takes no values .*: write obs\.asin\(a\)"),
    (lambda a, m, k: np.add(a, a), r"np\.add takes no values of a program: write a \+ b"),
    (lambda a, m, k: np.add(TABLE, a, out=TABLE), r"np\.add takes no values of a program"),
    (lambda a, m, k: np.spacing(k), "np.spacing takes no values of a program: functions of this"),
    (lambda a, m, k: np.maximum.reduce(a), r"np\.maximum takes no values"),
    (
        lambda a, m, k: np.sum(m, axis=1),
        r"np\.sum takes .*, or obs\.concat\(r\.sum",
    ),
    (lambda a, m, k: np.where(a > 0, a, 0), r"np\.where takes .*: write obs\.where"),
    (lambda a, m, k: np.concatenate([a, a]), r"write obs\.concat\(a, b\)"),
    (lambda a, m, k: np.asarray(a), "an array of NumPy has numbers"),
    (lambda a, m, k: np.array([k, k]), "an array of NumPy has numbers"),
    (lambda a, m, k: np.float32(k), "an array of NumPy has numbers"),
    (lambda a, m, k: pow(a, 2, 7), r"two operands: write x\*\*y % m"),
    (lambda a, m, k: pow(a[0], 2, 7), r"two operands: write x\*\*y % m"),
    (lambda a, m, k: obs.pow(k, k, k), "pow takes 2 operands, not 3"),
    (lambda a, m, k: obs.round(a), "round takes a float, not i32"),
    (lambda a, m, k: obs.zip(), r"zip takes arrays, as in obs\.zip\(a, b\), not nothing"),
    (lambda a, m, k: obs.interleave(a, 1), "interleave takes arrays, .* not int"),
    (lambda a, m, k: obs.zeros(2**50), "at most 2.48 elements, and this one has 1125899906842624"),
    (lambda a, m, k: obs.iota(2**70), "at most 2.48 elements"),
    (lambda a, m, k: obs.full((2**30, 2**30), 1), "at most 2.48 elements"),
    (lambda a, m, k: obs.full(2**30, 1).split(1).map(lambda c: obs.iota(2**30)), "at most 2.48"),
    (lambda a, m, k: m.nest(2), "nest keeps 1 to 1 of 2 dimensions, not 2"),
    (lambda a, m, k: obs.windows(a.take(5), 9), "a window of 9 elements is longer .* has 5"),
    (lambda a, m, k: obs.thread_columns(a.take(8), 0, lambda c: c), "32 elements .* array has 8"),
    (lambda a, m, k: obs.stack(c.rank(2.5)[0] for c in a.split(4)), "rank takes a number of keys"),
    (lambda a, m, k: obs.concat(), "concat takes arrays"),
    (lambda a, m, k: obs.concat((c for c in a.split(2)), level="block in grid"), "level= is obs"),
    (lambda a, m, k: obs.grid_of(3, level=3)(lambda i: a), "level= is obs.thread.*not 3"),
    (lambda a, m, k: obs.full(obs.up_to(3, 2), 1), r"up_to\(3, 2\) is an extent above its bound"),
    (lambda a, m, k: obs.pad(a, -1, 0), "the width of a border is at least 0, not -1"),
    (lambda a, m, k: a << 32, "a shift of i32 is by 0 to 31 bits, not by 32"),
    (lambda a, m, k: a >> -1, "a shift of i32 is by 0 to 31 bits, not by -1"),
    (lambda a, m, k: a.map(lambda x: x.to(i64) >> 64), "a shift of i64 is by 0 to 63 bits"),
    (lambda a, m, k: obs.unsigned.shr(a, 32), "a shift of i32 is by 0 to 31 bits, not by 32"),
    (lambda a, m, k: a.map(getattr), "getattr expected|another number of arguments than 1"),
    (lambda a, m, k: a - a.max(), r"array of one element.*a\.max\(\)\.force\(\)\[0\]"),
    (lambda a, m, k: a // (a.sum().force() + 1), "array of one element"),
    (lambda a, m, k: obs.zip(a.min(), a), "array of one element"),
]


@pytest.mark.parametrize("case", REFUSALS, ids=lambda case: case[1])
def test_refusal(case: tuple[Callable[[Any, Any, Any], Any], str]) -> None:
    function, message = case

    def program(a: Any, m: Any, k: Any) -> Any:
        return function(a, m, k)

    program.__annotations__.update(
        a=Annotated[Pull, "n", i32], m=Annotated[Pull, "h", "w", i32], k=f32
    )
    with pytest.raises((TraceError, AttributeError, TypeError), match=message) as caught:
        obs.jit(program).mlir()
    if isinstance(caught.value, TraceError) and caught.value.location.line > 1:
        assert caught.value.location.file == __file__


def test_signatures() -> None:
    for wrong, message in (
        (lambda *a: a, r"no \* or \*\* parameter"),
        (lambda a: a, "has no annotation"),
    ):
        with pytest.raises((TraceError, obs.ArgumentTypeError), match=message):
            obs.jit(wrong).mlir(object())
    with pytest.raises(TraceError, match="stands before a function"):
        obs.jit(5)  # type: ignore[type-var]

    def static(*, size: int) -> Any:
        return obs.iota(size)

    with pytest.raises(obs.ArgumentTypeError, match="the static value size is missing"):
        obs.jit(static).mlir()
    assert "!obs.pull<4 x index>" in obs.jit(static).mlir(size=4)
    assert repr(obs.jit(static)) == "<obs.jit function static>"


def test_traced_values_show_their_types() -> None:
    seen: list[str] = []

    class Log:
        def show(self, value: Any) -> Any:
            seen.append(repr(value))
            return value

    log = Log()

    @obs.jit
    def apply(a: Ints):
        return log.show(a).map(log.show)

    apply.mlir()
    assert seen[0] == "<traced !obs.pull<? x i32> %a>"
    assert seen[1].startswith("<traced i32 %")


def test_lengths_that_are_known_when_the_program_runs() -> None:
    """A wrong extent stops the program, on the interpreter and on the emulator."""

    @obs.jit
    def product(a: Annotated[Pull, "h", "w", i32], b: Annotated[Pull, "k", "l", i32]):
        return obs.matmul(a, b)

    @obs.jit
    def halves(a: Ints):
        low, high = a.halve()
        return low + high

    left, right = np.ones((2, 100), np.int32), np.ones((3, 2), np.int32)
    np.testing.assert_array_equal(product(left.T.copy(), left), np.full((100, 100), 2))
    np.testing.assert_array_equal(halves(np.int32([1, 2, 3, 4])), [4, 6])
    for run in ("interpret", "emulate"):
        with pytest.raises(obs.RunError, match="a column for each row of the second"):
            getattr(product, run)(left, right)
        with pytest.raises(obs.RunError, match="the number of elements is odd"):
            getattr(halves, run)(np.int32([1, 2, 3]))


def test_options_of_runs_and_compilations() -> None:
    @obs.jit
    def more(a: Ints):
        return a + 1

    for run, message in (
        (lambda: more.emulate(A, schedule="foo"), "one of ticket, random, not 'foo'"),
        (lambda: more.emulate(A, seed="x"), "seed= is a number"),
        (lambda: more.bench(A, device="foo"), "one of interpret, emulate, cuda"),
        (lambda: more.ptx(chip=90), "chip= is the name of a GPU, as in 'sm_90', not 90"),
        (lambda: more.ptx(threads="x"), "threads= is a number from 0 to 1024"),
        (lambda: more.cost(n=-5), "extents are numbers from 0 on"),
    ):
        with pytest.raises(obs.ArgumentError, match=message):
            run()
    with pytest.raises(obs.CompileError, match=r"^error: unknown chip 'sm_1'") as caught:
        more.ptx(chip="sm_1")
    assert caught.value.location is None
    with pytest.raises(TraceError, match="at least 1, not -1"):

        @obs.jit
        def down(a: Ints):
            return obs.full(1, obs.loop(0, i32(0), start=5, step=-1)(lambda k, s: s + a[k]))

        down(A)


def test_recursion_and_threads_of_a_function() -> None:
    @obs.jit
    def endless(a: Ints):
        return endless(a)

    with pytest.raises(obs.TraceError, match="does not end"):
        endless(A)
    for threads in (0, -5, 1025, True, "a"):
        with pytest.raises(obs.TraceError, match="a number from 1 to 1024"):
            obs.jit(threads=threads)(lambda a: a)
    with pytest.raises(obs.TraceError, match="one number or more"):

        @obs.jit
        def empty(a: Annotated[Pull, "n", ()]):
            return a

        empty(A)


def test_numbers_of_unsigned_types() -> None:
    """A literal, and a number of NumPy, may have the bits of an unsigned number."""

    @obs.jit
    def fill(x: obs.i8):
        return obs.full(2, x)

    np.testing.assert_array_equal(fill(np.uint8(255)), np.int8([-1, -1]))
    np.testing.assert_array_equal(fill.interpret(np.uint8(255)), np.int8([-1, -1]))

    @obs.jit
    def shift(a: Ints):
        return 1 << a, 64 >> a, a + obs.table(np.uint32([1, 2**32 - 1, 3]))

    powers, parts, sums = shift(np.int32([0, 1, 5]))
    np.testing.assert_array_equal(powers, [1, 2, 32])
    np.testing.assert_array_equal(parts, [64, 32, 2])
    np.testing.assert_array_equal(sums, [1, 0, 8])


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (i8, [-128, 127, np.uint8(255), np.int64(100)], [128, 255, -129, np.uint64(200)]),
        (i32, [-(2**31), 2**31 - 1, np.uint32(2**32 - 1)], [2**31, 2**32 - 1, np.int64(2**31)]),
        (i64, [2**63 - 1, np.uint64(2**64 - 1)], [2**63, 2**64 - 1]),
        (index, [2**63 - 1, np.uint64(5)], [2**63, np.uint64(2**63)]),
        (f16, [65504.0, math.nextafter(65520, 0), -math.inf], [65520.0, -1e300, np.float32(1e5)]),
        (bf16, [math.inf, -1.5, 255 * 2.0**120], [255.5 * 2.0**120, -1e39]),
        (f32, [-3.4028235e38, math.inf, math.nan], [2.0**128 - 2.0**103, -1e39, np.float64(1e300)]),
        (f64, [1e308, math.inf, np.float32(3)], [10**400]),
    ],
    ids=["i8", "i32", "i64", "index", "f16", "bf16", "f32", "f64"],
)
def test_numbers_out_of_range(kind: Any, good: list[Any], bad: list[Any]) -> None:
    """A number that its type cannot hold is refused; NumPy converts the others."""

    def fill(x: Any) -> Any:
        return obs.full(1, x)

    fill.__annotations__.update(x=kind)
    function = obs.jit(fill)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for number in good:
            expected = np.asarray(number).astype(f32.dtype if kind is bf16 else kind.dtype)
            if kind is bf16:
                expected = expected.view(np.uint32) >> 16
            np.testing.assert_array_equal(function.interpret(number), [expected])
        for number in bad:
            with pytest.raises(obs.ArgumentError, match=f"out of the range of {kind.type_name}"):
                function.interpret(number)


def test_reads_of_arrays_without_elements() -> None:
    """Code of an element is traced also if there are no elements."""

    @obs.jit
    def centred(x: Annotated[Pull, "static n", f32]) -> Any:
        return x.map(lambda v: v - x[0] - x[-1])

    np.testing.assert_array_equal(centred(np.float32([1, 5, 2])), [-2, 2, -1])
    assert centred(np.empty(0, np.float32)).shape == (0,)


def test_masked_arrays() -> None:
    masked = np.ma.masked_less(A, 0)
    for run in (obs.jit(lambda a: a + 1), obs.jit(lambda k: obs.full(1, k))):
        with pytest.raises(obs.ArgumentTypeError, match=r"has no mask: pass x\.filled\(0\)"):
            run(masked)


def test_messages_of_assertions_with_any_characters() -> None:
    @obs.jit
    def check(a: Ints):
        assert a.size > 1, 'line "one"\nline\ttwo'
        return a + 1

    np.testing.assert_array_equal(check(np.int32([1, 2])), [2, 3])
    with pytest.raises(obs.RunError, match='line "one"'):
        check(np.int32([1]))


@pytest.mark.parametrize("name", ["sub", "truediv"])
def test_operators_that_are_not_associative(name: str) -> None:
    """A program is refused, unless one thread combines the elements in order."""
    combine = getattr(operator, name)

    @obs.jit
    def grid(a: Annotated[Pull, "n", f32]):
        return a.scan(combine, 1)

    @obs.jit
    def rows(a: Annotated[Pull, "h", "w", f32]):
        return a.rows().map(lambda row: row.reduce(combine, 1))

    x = np.float32([[2, 4, 8], [1, 0.5, 2]])
    with pytest.raises(
        obs.CompileError, match=r"collective-order\] the operator is not assoc"
    ) as e:
        grid(x[0])
    assert e.value.location is not None
    assert e.value.location.file == __file__
    expected = functools.reduce(combine, x.T, np.ones(2, np.float32))
    np.testing.assert_array_equal(rows(x), expected)


def test_mistakes_before_a_function_is_traced(monkeypatch: pytest.MonkeyPatch) -> None:
    @obs.jit
    def shifted(a: Annotated[Pull, "n", i32]) -> Any:
        return (a << 31) | (a >> 0)

    x = np.arange(5, dtype=np.int32)
    np.testing.assert_array_equal(shifted(x), np.left_shift(x, 31) | x)
    with pytest.raises(obs.ArgumentTypeError, match=r"run takes obs\.RunOptions"):
        shifted.run("emulate", x)  # type: ignore[arg-type]
    for length in (-1, {"n": -1}, 2.5):
        with pytest.raises(obs.ArgumentError, match="lengths= has numbers from 0 on, and"):
            obs.check(shifted, lengths=(3, length))  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(obs.ObsidianError, match="an operator of PyTorch needs PyTorch"):
        shifted.torch_op("test::shifted")
    with pytest.raises(obs.ArgumentTypeError, match=r"check takes a function with @obs\.jit"):
        obs.check(3)  # type: ignore[call-overload]

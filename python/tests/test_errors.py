"""Each mistake raises an exception of a documented class, at the line of the user.

The line of each mistake ends with a comment `# <- name`; the test looks for this line.
"""

from __future__ import annotations

import gc
import operator
import re
import warnings
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest

import obsidian as obs
from obsidian import (
    ArgumentError,
    ArgumentTypeError,
    CompileError,
    Pull,
    RunError,
    TraceError,
    block,
    f32,
    i8,
    i32,
    index,
    warp,
)
from obsidian.backend import RunOptions

Ints = Annotated[Pull, "n", i32]
A = np.arange(100, dtype=np.int32)
LINES = Path(__file__).read_text().splitlines()


def place(name: str, text: str | None = None) -> tuple[int, int]:
    """The line with a mark, and the column of a text in it."""
    number = next(k for k, line in enumerate(LINES) if line.endswith(f"# <- {name}"))
    return number + 1, LINES[number].index(text) + 1 if text else 0


def refused(
    function: Any,
    name: str,
    text: str | None,
    message: str,
    *arguments: Any,
    kind: Any = TraceError,
) -> Any:
    """Call a function; its error is at the marked line, and its message has a text."""
    with pytest.raises(kind, match=message) as caught:
        function(*(arguments or (A,)))
    error = caught.value
    assert error.location.file == __file__
    line, column = place(name, text)
    assert error.location.line == line
    if text is not None and error.location.column:
        assert error.location.column == column
    assert f"{__file__}:{line}" in str(error)
    assert LINES[line - 1].strip() in str(error)
    return error


def test_condition_of_the_program_in_a_lambda() -> None:
    """A lambda outside of the function is not rewritten."""
    helper = lambda x: x + 1 if x > 0 else x  # noqa: E731  # <- lambda

    @obs.jit
    def f(a: Ints):
        return a.map(helper)

    refused(f, "lambda", "x > 0", r"obs\.where.*obs\.when")


def statements_of_loops() -> list[tuple[Any, str, str]]:
    """Functions of an element with a statement that the program cannot have, its mark and text."""

    def break_of_python(x: Any) -> Any:
        for _ in range(3):
            if x > 0:
                break  # <- break-of-python
        return x

    def break_of_while(x: Any) -> Any:
        while x > 1:
            if x == 7:
                break  # <- break-of-while
            x = x - 1
        return x

    def continue_of_range(x: Any) -> Any:
        for k in obs.range(3):
            if x > k:
                continue  # <- continue-of-range
            x = x - 1
        return x

    def return_of_while(x: Any) -> Any:
        while x > 1:
            for _ in range(2):
                return x  # <- return-of-while
        return x

    def return_of_branch(x: Any) -> Any:
        if x > 0:
            if x > 3:
                return x  # <- return-of-branch
            x = x + 1
        return x

    def else_of_range(x: Any) -> Any:
        for _ in obs.range(3):
            x = x - 1
        else:
            x = 2 * x  # <- else-of-range
        return x

    def name_in_while(x: Any) -> Any:
        while (y := x - 1) > 1:  # <- name-in-while
            x = x - y
        return x

    def del_in_branch(x: Any) -> Any:
        y = x
        if x > 0:
            del y  # <- del-in-branch
        return x

    return [
        (break_of_python, "break-of-python", "break"),
        (break_of_while, "break-of-while", "break"),
        (continue_of_range, "continue-of-range", "continue"),
        (return_of_while, "return-of-while", "return"),
        (return_of_branch, "return-of-branch", "return"),
        (else_of_range, "else-of-range", "x = 2"),
        (name_in_while, "name-in-while", "y := "),
        (del_in_branch, "del-in-branch", "del"),
    ]


@pytest.mark.parametrize("case", statements_of_loops(), ids=lambda case: case[1])
def test_statements_that_the_program_cannot_have(case: tuple[Any, str, str]) -> None:
    function, mark, text = case
    traced = obs.function(function)

    @obs.jit
    def f(a: Ints):
        return a.map(traced)

    word = {"x = 2": "else", "y := ": ":="}.get(text, text)
    refused(f, mark, text, f"this `{word}` cannot stand in a loop or a branch")


def test_types_do_not_mix() -> None:
    @obs.jit
    def f(a: Ints, k: f32):
        return a * k  # <- mix

    refused(f, "mix", "a * k", r"f32 and i32 do not mix: .*x\.to\(obs\.i32\)", A, 1.0)


def test_float_for_an_integer() -> None:
    @obs.jit
    def f(a: Ints):
        return a + 1.5  # <- float

    refused(f, "float", "a + 1.5", "the float 1.5 does not become i32")


def test_division_of_integers() -> None:
    @obs.jit
    def f(a: Ints):
        return a / 2  # <- divide

    refused(f, "divide", "a / 2", r"use // \(rounds down\)")


def test_number_out_of_range() -> None:
    @obs.jit
    def f(a: Annotated[Pull, "n", i8]):
        return a + 300  # <- range

    refused(f, "range", "a + 300", "300 is out of the range of i8", A.astype(np.int8))


def test_list_in_place_of_a_generator() -> None:
    @obs.jit
    def f(a: Ints):
        return obs.concat([c.sum() for c in a.split(10)])  # <- list

    refused(f, "list", None, "with round brackets")


def test_loop_over_an_array() -> None:
    @obs.jit
    def f(a: Ints):
        total = 0
        for x in a:  # <- walk
            total += x
        return total

    refused(f, "walk", None, "Python cannot loop over them")


def test_generator_that_is_used_twice() -> None:
    @obs.jit
    def f(a: Ints):
        chunks = (c.sum() for c in a.split(10))
        return obs.concat(chunks), obs.concat(chunks)  # <- twice

    refused(f, "twice", "obs.concat(chunks)  #", "use each generator once")


def test_generator_over_other_things() -> None:
    @obs.jit
    def counted(a: Ints):
        return obs.concat(c.sum() + i for i, c in enumerate(a.split(10)))  # <- enumerate

    @obs.jit
    def zipped(a: Ints):
        return obs.concat(c.sum() + i for i, c in zip(range(9), a.split(10)))  # <- zip

    @obs.jit
    def pairs(a: Ints):
        return obs.concat(c.sum() + d.sum() for c in a.split(10) for d in a.split(10))  # <- pairs

    refused(counted, "enumerate", "obs.concat", "enumerate counts while Python traces")
    refused(zipped, "zip", "obs.concat", "zip in a generator")
    refused(pairs, "pairs", None, "has one `for`")


def test_length_known_at_run_time() -> None:
    @obs.jit
    def f(a: Ints):
        return a[: len(a) // 2]  # <- len

    refused(f, "len", "len(a)", r"use a\.size")


def test_value_that_leaves_its_function() -> None:
    @obs.jit
    def f(a: Ints):
        kept: list[Any] = []
        a.map(lambda x: kept.append(x) or x)
        return a + kept[0]  # <- leave

    refused(f, "leave", "a + kept[0]", "inside of a function that is done")


def test_array_of_another_trace() -> None:
    class Store:
        value: Any = None

    store = Store()

    @obs.jit
    def f(a: Ints):
        store.value = a
        return a + 1

    @obs.jit
    def g(a: Ints):
        return a + store.value  # <- other

    f(A)
    refused(g, "other", "a + store", "another trace")


def test_array_outside_of_a_trace() -> None:
    with pytest.raises(TraceError, match=r"use this operation in a function with @obs\.jit"):
        obs.iota(5)
    with pytest.raises(TraceError, match=r"@obs\.jit"):
        f32(1.0)


def test_push_array_is_read() -> None:
    @obs.jit
    def f(a: Ints):
        return a + a.scan(operator.add, 0)[0]  # <- push

    refused(f, "push", "a.scan", r"a\.force\(\)\[i\]")


def test_loop_changes_a_type() -> None:
    @obs.jit
    def f(a: Ints):
        def g(x: Any) -> Any:
            for _ in obs.range(3):  # <- carry
                x = x.to(f32) + 1.0
            return x

        return a.map(g)

    refused(f, "carry", None, "x is i32 before the loop and f32 after an iteration")


def test_name_without_a_value() -> None:
    @obs.jit
    def f(a: Ints):
        def g(x: Any) -> Any:
            if x > 0:
                y = x
            return y + 1  # <- unset

        return a.map(g)

    refused(f, "unset", None, "y has no value after the `if` in line")


def test_range_without_rewriting() -> None:
    helper = lambda a: [a[k] for k in obs.range(3)]  # noqa: E731

    @obs.jit
    def f(a: Ints):
        return helper(a)[0] + a

    with pytest.raises(TraceError, match=r"elsewhere use obs\.loop"):
        f(A)


def test_names_of_one_branch() -> None:
    """A name that a function returns is an error at the `if`, and a name of a loop at the loop."""

    @obs.jit
    def branch(a: Ints):
        def g(x: Any) -> Any:
            if x > 0:  # <- one-branch
                y = x
            return y

        return a.map(g)

    @obs.jit
    def types(a: Ints, k: i32):
        b: Any = a
        if k > 0:  # <- two-types
            b = a.to(f32)
        return a, b

    @obs.jit
    def loop(a: Ints):
        def g(x: Any) -> Any:
            for k in obs.range(3):  # <- inner-name
                y = x + k.to(i32)
            return obs.where(x > 0, x, y)

        return a.map(g)

    number = place("one-branch")[0]
    refused(branch, "one-branch", None, f"after the `if` in line {number}: .* one of the branches")
    refused(types, "two-types", None, "b has no value .* has different types", A, 1)
    refused(loop, "inner-name", None, "y has a value inside of the loop in line")


def test_recursion_that_does_not_end() -> None:
    """The error is at the call by which the function runs again."""

    def down(a: Any) -> Any:
        return down(a)  # <- plain

    @obs.jit
    def f(a: Ints):
        return down(a)

    @obs.function
    def fib(n: Any) -> Any:
        if n < 2:
            return n
        return fib(n - 1) + fib(n - 2)  # <- fib

    @obs.jit
    def g(a: Ints):
        return a.map(fib)

    refused(f, "plain", "down", "this recursion does not end")
    refused(g, "fib", "fib", "this recursion does not end .* `while` is a loop of the program")


def test_functions_that_are_no_programs() -> None:
    def generator(a: Any) -> Any:
        yield a

    async def coroutine(a: Any) -> Any:
        return a

    class Model:
        def of_self(self, a: Ints) -> Any:
            return a

        def of_class(cls, a: Ints) -> Any:
            return a

    for wrong, message in (
        (generator, "a generator or an `async` function is no program"),
        (coroutine, "a generator or an `async` function is no program"),
        (Model.of_self, "a method is no program, because self is no array"),
        (Model.of_class, "a method is no program, because cls is no array"),
        (
            staticmethod(lambda a: a),
            "stands before a function: @staticmethod stands above @obs.jit",
        ),
        (5, "@obs.jit stands before a function$"),
    ):
        with pytest.raises(TraceError, match=re.compile(message, re.MULTILINE)):
            obs.jit(wrong)
    for wrong in (generator, coroutine):
        with pytest.raises(TraceError, match=r"function with @obs\.function runs to its end"):
            obs.function(wrong)

    @obs.jit
    def mapped(a: Ints) -> Any:
        return a.map(coroutine)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(TraceError, match=r"coroutine is no value .* no `async` function"):
            mapped(A)
        gc.collect()

    class Working:
        @staticmethod
        @obs.jit
        def twice(a: Ints) -> Any:
            return 2 * a

        more = obs.jit(lambda a: a + 1)

    np.testing.assert_array_equal(Working().twice(A), 2 * A)
    np.testing.assert_array_equal(Working().more(A), A + 1)


def test_function_that_changes_what_it_captures() -> None:
    count = 0

    @obs.jit
    def f(a: Ints):
        nonlocal count
        count += 1
        return a

    with pytest.raises(TraceError, match="the function changes count"):
        f(A)


def test_function_without_a_result() -> None:
    @obs.jit
    def f(a: Ints):
        a + 1

    with pytest.raises(TraceError, match="returns its results"):
        f(A)


def test_compiler_names_the_line() -> None:
    """An error of the verifier: two iterations write one element."""

    @obs.jit
    def f(a: Ints):
        return obs.fill(8, i32, over=8)(lambda t: {t // 2: 1})  # <- disjoint

    error = refused(f, "disjoint", None, r"\[R5-disjoint\]", kind=CompileError)
    assert error.diagnostics[0].severity == "error"


def test_level_rule_of_the_compiler() -> None:
    @obs.jit
    def f(a: Ints):
        def inner(c: Any) -> Any:
            return obs.stack((d.force() for d in c.split(5)), level=block)  # <- level

        return obs.stack((inner(c) for c in a.split(50)), level=warp)

    refused(f, "level", None, r"\[R1-upward\]", kind=CompileError)


def test_run_names_the_line() -> None:
    """A read outside of an array, which the emulator finds."""

    @obs.jit
    def f(a: Ints, k: index):
        return obs.generate(a.size)(lambda i: a[i + k])  # <- bounds

    error = refused(f, "bounds", None, "out-of-bounds", A, 1000, kind=RunError)
    assert "in kernel" in str(error)


def test_extents_that_disagree_when_the_program_runs() -> None:
    @obs.jit
    def f(a: Annotated[Pull, "n", i32], b: Annotated[Pull, "m", i32]):
        return a + b  # <- extents

    refused(f, "extents", "a + b", r"\[R4-extents\]", A, A[:5], kind=RunError)
    np.testing.assert_array_equal(f(A, A), A + A)


def test_corrections_in_python() -> None:
    """A message of the compiler whose correction is written otherwise in Python has a note."""

    @obs.jit
    def rows(m: Annotated[Pull, "h", "w", f32]):
        return obs.stack((r + 1.0).force() for r in m.rows())  # <- bound

    m = np.ones((2, 3), np.float32)
    note = r'(?s)\[R2-bounded\].*note: in Python, .*Annotated\[Pull, "n <= 1024", f32\]'
    refused(rows, "bound", None, note, m, kind=CompileError)

    @obs.jit
    def chunks(a: Ints):
        return obs.concat(c.sum() for c in a.split(3))  # <- chunks

    refused(chunks, "chunks", None, r"(?s)chunk size.*a\.split\(size, pad=0\)", kind=RunError)


def test_results_that_are_no_values() -> None:
    """The error is at the `return` of the function, not at its call."""

    @obs.jit
    def f(a: Ints):
        b = a + 1
        return {"b": b}  # <- dictionary

    refused(f, "dictionary", "return", "dict is no value of a program: return a tuple")

    @obs.jit
    def g(a: Ints):
        return obs.generate(a.size, lambda i: a[i])  # <- generate

    refused(g, "generate", "obs.generate", r"the extents first: obs\.generate\(n\)\(")


def test_assertion_of_the_program() -> None:
    @obs.jit
    def f(a: Ints, k: i32):
        assert k > 0, "k is positive"  # <- assert
        return a + k

    np.testing.assert_array_equal(f(A, 1), A + 1)
    refused(f, "assert", None, "k is positive", A, 0, kind=RunError)


def test_arguments() -> None:
    @obs.jit
    def f(k: i32, x: Annotated[Pull, "n", f32], y: Annotated[Pull, "n", f32], *, s: int = 1):
        return x * k.to(f32) + y + float(s)

    x = np.ones(10, np.float32)
    for arguments, kind, message in (
        ((1, x, x[:9]), ArgumentError, "n is 10 in x, 9 in y"),
        ((1, x, x.astype(np.float64)), ArgumentTypeError, "elements of y are f32.*float64"),
        ((1, x, x.reshape(5, 2)), ArgumentTypeError, "y has 1 dimensions, not 2"),
        ((1, x, [1.0, 2.0]), ArgumentTypeError, r"y is an array of f32, not list: .*np\.asarray"),
        ((1, x, (x, x)), ArgumentTypeError, "y is an array of f32, not tuple"),
        ((2**40, x, x), ArgumentError, "k: 1099511627776 is out of the range of i32"),
        ((1.5, x, x), ArgumentTypeError, "k is i32, and 1.5 is not"),
        ((1, x), ArgumentTypeError, "missing a required argument"),
    ):
        with pytest.raises(kind, match=message):
            f(*arguments)
    with pytest.raises(ArgumentTypeError, match="static values are hashable"):
        f(1, x, x, s=[])
    np.testing.assert_array_equal(f(2, x[::-1], x), 3 * x + 1)
    np.testing.assert_array_equal(f(2, np.ones((10, 2), np.float32)[:, 0], x), 3 * x + 1)


def test_static_extents_and_bounds() -> None:
    @obs.jit
    def f(x: Annotated[Pull, 16, i32], y: Annotated[Pull, "n <= 8", i32]):
        return x[: y.size] + y

    with pytest.raises(ArgumentError, match="dimension 0 of x has 100 elements, not 16"):
        f(A, A[:3])
    with pytest.raises(ArgumentError, match="dimension 0 of y has 9 elements, more than 8"):
        f(A[:16], A[:9])


def test_annotations() -> None:
    for hint, message in (
        ("n", "is no type of a parameter"),
        (Annotated[Pull, "n"], "an array type has extents, then elements"),
        (Annotated[Pull, "n", float], "is not an element type"),
        (Annotated[Pull, "n-1", i32], "is no extent"),
        (Annotated[Pull, "n <= 10000000000000000000000", i32], "at most 2.48 elements"),
        (Annotated[Pull, 2**30, 2**30, i32], "at most 2.48 elements"),
    ):

        def f(a: Any) -> Any:
            return a

        f.__annotations__["a"] = hint if hint != "n" else list
        with pytest.raises(TraceError, match=message):
            obs.jit(f)(A)


def test_checks_of_the_emulator_find_a_race() -> None:
    """A promise that no element is written twice, which is wrong."""

    @obs.jit
    def f(a: Ints):
        return obs.fill(8, i32, over=a.size, unchecked=True)(lambda t: {a[t]: t.to(i32)})  # <- race

    zeros = np.zeros(50, np.int32)
    run = lambda a: f.run(RunOptions(check=True), a)  # noqa: E731
    refused(run, "race", None, "written twice|disjoint|race", zeros, kind=RunError)


def test_long_programs_are_a_warning() -> None:
    @obs.jit
    def f(a: Ints):
        for _ in range(3400):
            a = a + 1
        return a

    with pytest.warns(UserWarning, match="unrolls its own loops"):
        f.mlir()


def test_remarks_are_warnings_at_their_place() -> None:
    @obs.jit
    def f(a: Ints):
        b = 1000 // (a + 1)  # <- computed again
        return b + b.reverse()

    with pytest.warns(obs.PerformanceWarning, match="computed in 2 places") as seen:
        f(A)
    assert {Path(w.filename).name for w in seen} == {"test_errors.py"}
    assert place("computed again")[0] in [w.lineno for w in seen]
    values = 1000 // (A + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(f(A), values + values[::-1])


def test_no_remark_on_elements_that_are_computed_once() -> None:
    """Uses at the same index in one kernel are one, and a conversion is cheaper than memory."""

    @obs.jit
    def gelu(x: Annotated[Pull, "n", f32]):
        u = obs.tanh(0.8 * (x + 0.045 * x * x * x))
        return 0.5 * x * (u * u + u)

    @obs.jit
    def laplace(a: Annotated[Pull, "n", i8]):
        wide = a.to(i32)
        return wide[2:] - 2 * wide[1:-1] + obs.generate(a.size - 2)(lambda i: wide[i] + wide[i + 1])

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gelu(A.astype(np.float32))
        laplace(A.astype(np.int8))


def test_error_in_a_short_body_has_its_place() -> None:
    """The map of one operation is printed in a short form, which has the place of the operation."""

    @obs.jit
    def shift(a: Annotated[Pull, "n", i32], k: Annotated[Pull, "n", i32]):
        return a << k

    with pytest.raises(
        obs.RunError, match=r"(?s)test_errors.py:\d+:\d+: .*shifts 32 bits by 40.*a << k"
    ):
        shift.interpret(np.int32([1]), np.int32([40]))
    assert "loc" not in shift.mlir()

"""Tests of functions on all executors: `check`, and the plugin for pytest that collects them.

In: a function with @obs.jit, and a function of NumPy arrays that computes the expected results.
Out: a test for each length, number of threads and executor. `import obsidian` does not need pytest.
The package names this module as a plugin in its entry points:

    [project.entry-points.pytest11]
    obsidian = "obsidian.testing"
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .backend import CompileOptions, RunOptions, backend
from .calls import Call
from .errors import ArgumentError, ArgumentTypeError
from .types import ParameterType, flatten

if TYPE_CHECKING:
    from .jit import Function

Executor = Literal["interpret", "ticket", "random1", "random2", "cuda"]
#: The length of all extents, or the extents by name.
Length = int | Mapping[str, int]

LENGTHS = (0, 1, 31, 32, 33, 1000)
THREADS = (None, 17, 128)
_RUNS: dict[str, RunOptions] = {
    "interpret": RunOptions("interpret"),
    "ticket": RunOptions("emulate", check=True),
    "random1": RunOptions("emulate", check=True, schedule="random", seed=1),
    "random2": RunOptions("emulate", check=True, schedule="random", seed=2),
    "cuda": RunOptions("cuda"),
}


@dataclass(frozen=True)
class Case:
    """One test: the extents, the threads of a block (None: the program's), and the executor."""

    length: Length
    threads: int | None
    executor: Executor

    def __str__(self) -> str:
        named = isinstance(self.length, Mapping)
        sizes = self.length if isinstance(self.length, Mapping) else {"n": self.length}
        words = [f"{k}={v}" for k, v in sizes.items()] if named else [f"n={self.length}"]
        words += [f"threads={self.threads}"] if self.threads else []
        return "-".join([*words, self.executor])


@functools.cache
def has_gpu() -> bool:
    """True if the CUDA driver finds a GPU."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int()
    return (
        driver.cuInit(0) == 0 and not driver.cuDeviceGetCount(ctypes.byref(count)) and bool(count)
    )


def cases(lengths: Iterable[Length], threads: Iterable[int | None]) -> list[Case]:
    """All tests for these lengths and numbers of threads. The interpreter has no threads."""
    executors: list[Executor] = ["ticket", "random1", "random2"]
    if has_gpu():
        executors.append("cuda")
    found = []
    for length in lengths:
        found.append(Case(length, None, "interpret"))
        found += [Case(length, count, one) for count in threads for one in executors]
    return found


def _numbers(kind: Any, shape: tuple[int, ...], rng: np.random.Generator) -> Any:
    """Random elements. Sums and products of a thousand such floats are exact in f32."""
    if kind.kind == "bool":
        return rng.integers(0, 2, shape).astype(np.bool_)
    if kind.kind == "float":
        floats = (rng.integers(-32, 33, shape) / 4).astype(np.float32)
        if kind.type_name == "bf16":
            return (np.asarray(floats).view(np.uint32) >> 16).astype(np.uint16)
        return floats.astype(kind.dtype)
    least = 0 if kind.kind == "index" else -100
    return rng.integers(least, 101, shape).astype(kind.dtype)


def random_arguments(
    function: Function[Any],
    length: Length,
    rng: np.random.Generator,
    static: Mapping[str, Any] | None = None,
) -> list[Any]:
    """Arguments of the annotated types.

    `length` is the value of all extents that are not in the types, or has the extents by name. An
    extent without a name has the name of its parameter and dimension: `x_dim0`. Extents are within
    their bounds. Floats are multiples of 1/4 from -8 to 8. Integers are -100 to 100; `index` is not
    negative.
    Raises ArgumentTypeError for a parameter without an annotation.
    """
    given, _ = function._bind((), dict(static or {}), is_call=False)
    arguments = []
    for name in given:
        kind = function._parameter(name, None)
        if not isinstance(kind, ParameterType):
            arguments.append(_numbers(kind, (), rng)[()])
            continue
        shape = tuple(_extent(kind, name, d, length) for d in range(kind.type.rank))
        leaves = [_numbers(leaf, shape, rng) for leaf in kind.type.element.leaves]
        arguments.append(kind.type.element.value(leaves))
    return arguments


def _extent(kind: ParameterType, name: str, dimension: int, length: Length) -> int:
    extent, bound = kind.type.extents[dimension], kind.type.bounds[dimension]
    if extent is not None:
        return extent
    if isinstance(length, Mapping):
        label = kind.names[dimension] or f"{name}_dim{dimension}"
        if label not in length:
            raise ArgumentTypeError(f"the lengths of the check have no {label}")
        length = length[label]
    return length if bound is None else min(length, bound)


def _run(function: Function[Any], case: Case, arguments: Sequence[Any], static: Any) -> Any:
    """The results of one executor, compiled for the threads of the case."""
    options = CompileOptions(threads=case.threads or 0)
    program, artifact = function._compiled(tuple(arguments), dict(static), options)
    given, _ = function._bind(tuple(arguments), dict(static), is_call=True)
    return Call(program, artifact, backend())([*given.values()], _RUNS[case.executor])


def assert_equal(found: Any, expected: Any, rtol: float, atol: float, what: str) -> None:
    """Compare results, part by part. NaN equals NaN. Raises AssertionError if a part differs."""
    ours, theirs = flatten(found)[0], flatten(expected)[0]
    assert len(ours) == len(theirs), f"{what}: {len(ours)} results, not {len(theirs)}"
    for number, (one, other) in enumerate(zip(ours, theirs)):
        one, other = np.asarray(one), np.asarray(other)
        name = what if len(ours) == 1 else f"{what}, result {number}"
        assert one.shape == other.shape, f"{name}: extents {one.shape}, not {other.shape}"
        close = np.isclose(one, other, rtol, atol, equal_nan=True) if rtol or atol else one == other
        if one.dtype.kind == "f" and other.dtype.kind == "f":
            close = close | (np.isnan(one) & np.isnan(other))
        wrong = np.argwhere(~np.asarray(close))
        if len(wrong):
            place = tuple(map(int, wrong[0]))
            raise AssertionError(
                f"{name}: {len(wrong)} of {one.size} elements are wrong; at "
                f"{list(place)}: {one[place]}, not {other[place]}"
            )


def check(
    function: Function[Any] | None = None,
    *,
    oracle: Callable[..., Any] | None = None,
    lengths: Iterable[Length] = LENGTHS,
    threads: Iterable[int | None] = THREADS,
    arguments: Callable[[Any, np.random.Generator], Sequence[Any]] | None = None,
    static: Mapping[str, Any] | None = None,
    rtol: float = 0.0,
    atol: float = 0.0,
    seed: int = 0,
) -> Any:
    """Make a test of a function with @obs.jit, for pytest.

    The test runs the function on the interpreter, on the emulator with all checks in three orders
    of execution, and on the GPU if there is one, for each length and number of threads. `oracle`
    takes the same arguments and static values, and returns the expected results. Without an oracle,
    the interpreter computes them. Floats are equal within `rtol` and `atol`; by default exactly.

    `arguments(length, rng)` returns the arguments; by default `random_arguments`. `seed` is that of
    the random numbers. The result is a function of one `Case`. `cases` lists its tests, and
    `function` is the tested function. With the plugin, its name need not begin with `test_`.
    """
    if function is None:
        return functools.partial(
            check,
            oracle=oracle,
            lengths=lengths,
            threads=threads,
            arguments=arguments,
            static=static,
            rtol=rtol,
            atol=atol,
            seed=seed,
        )
    if not hasattr(function, "parameter_types"):
        raise ArgumentTypeError(f"check takes a function with @obs.jit, not {function!r}")
    tested, fixed = function, dict(static or {})
    name = tested.__wrapped__.__name__

    def test(case: Case) -> None:
        rng = np.random.default_rng(seed)
        given = (
            arguments(case.length, rng)
            if arguments is not None
            else random_arguments(tested, case.length, rng, fixed)
        )
        if oracle is not None:
            expected = oracle(*given, **fixed)
        else:
            expected = _run(tested, Case(case.length, None, "interpret"), given, fixed)
        assert_equal(_run(tested, case, given, fixed), expected, rtol, atol, f"{name} {case}")

    test.__name__ = test.__qualname__ = name
    test.__module__, test.__doc__ = tested.__wrapped__.__module__, tested.__wrapped__.__doc__
    lengths = tuple(lengths)
    for length in lengths:
        for size in length.values() if isinstance(length, Mapping) else (length,):
            if isinstance(size, bool) or not isinstance(size, int) or size < 0:
                raise ArgumentError(f"lengths= has numbers from 0 on, and {size!r} is none")
    found = cases(lengths, tuple(threads))
    for key, value in {"cases": found, "function": tested}.items():
        setattr(test, key, value)
    _mark(test, found)
    return test


def _mark(test: Callable[[Case], None], found: Sequence[Case]) -> None:
    """Let pytest call a test once for each case, if pytest is there."""
    try:
        import pytest
    except ImportError:
        return
    pytest.mark.parametrize("case", found, ids=list(map(str, found)))(test)


def pytest_pycollect_makeitem(collector: Any, name: str, obj: Any) -> Any:
    """Collect the tests of `check` under any name. A hook of pytest."""
    is_test = callable(obj) and isinstance(getattr(obj, "cases", None), list)
    if not is_test or collector.funcnamefilter(name):
        return None
    return list(collector._genfunctions(name, obj))

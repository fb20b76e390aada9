"""Static and captured values that decide which program a call runs."""

from __future__ import annotations

import enum
import functools
import math
import operator
import types
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pytest

import obsidian as obs
from obsidian import Pull, f32, i32

Ints = Annotated[Pull, "n", i32]
Floats = Annotated[Pull, "n", f32]
A = np.arange(5, dtype=np.int32)
X = np.arange(5, dtype=np.float32)


# ------------------------------------------------------------------------------ Static values


@dataclass(frozen=True)
class Config:
    """A static value with one field."""

    k: Any


class One(enum.IntEnum):
    """A number that is equal to 1."""

    one = 1


#: Values that are equal, with the types of the numbers in them.
EQUAL: list[tuple[Any, Any]] = [
    ((1,), (1.0,)),
    ((1.0,), (True,)),
    (((1,),), ((1.0,),)),
    (frozenset([1]), frozenset([1.0])),
    (Config(1), Config(1.0)),
    (Config((True,)), Config((1,))),
    (1, One.one),
    (0.0, -0.0),
    (-0.0, 0.0),
    ((0.0,), (-0.0,)),
    (complex(0.0, 0.0), complex(0.0, -0.0)),
    (np.float32(0.0), np.float32(-0.0)),
    (Config(0.0), Config(-0.0)),
]


@pytest.mark.parametrize("pair", EQUAL, ids=repr)
def test_equal_static_values_that_are_not_the_same(pair: tuple[Any, Any]) -> None:
    assert pair[0] == pair[1]
    seen: list[Any] = []

    class Log:
        def add(self, value: Any) -> None:
            seen.append(value)

    log = Log()

    @obs.jit
    def spelt(a: Ints, *, k: Any) -> Any:
        log.add(k)
        return a + len(repr(k))

    for value in (*pair, *pair):
        np.testing.assert_array_equal(spelt(A, k=value), A + len(repr(value)))
    assert list(map(repr, seen)) == list(map(repr, pair))


def test_programs_of_equal_static_values() -> None:
    @obs.jit
    def divided(a: Floats, *, k: Any) -> Any:
        return a / k[0] if isinstance(k[0], float) else a.map(lambda x: x.to(i32) // k[0])

    np.testing.assert_array_equal(divided(X, k=(2,)), X.astype(np.int32) // 2)
    np.testing.assert_array_equal(divided(X, k=(2.0,)), X / 2)

    @obs.jit
    def sign(*, k: float) -> Any:
        return obs.full(1, obs.copysign(f32(1.0), f32(k)))

    assert [sign(k=k)[0] for k in (0.0, -0.0, 0.0)] == [1, -1, 1]


def test_static_values_by_value() -> None:
    """Equal objects and NaNs share a program, and an unhashable part is refused."""
    count = 0

    class Log:
        def add(self) -> None:
            nonlocal count
            count += 1

    log = Log()

    @obs.jit
    def plus(a: Ints, *, k: Any) -> Any:
        log.add()
        return a + 1

    for value in (Config((1, "x")), Config((1, "x")), float("nan"), math.inf - math.inf):
        plus(A, k=value)
    assert count == 2
    for value in ([1], ([1],), Config([1]), Config({})):
        with pytest.raises(obs.ArgumentTypeError, match="static values are hashable"):
            plus(A, k=value)


# -------------------------------------------------------------------------- Captured attributes


class Settings:
    """An object whose attributes programs read."""

    #: A value that instances may hide.
    shared = 10

    def __init__(self, k: Any) -> None:
        self.k = k
        self.runs = 0

    @property
    def doubled(self) -> Any:
        return 2 * self.k

    @functools.cached_property
    def late(self) -> Any:
        return 3 * self.k

    def run(self) -> None:
        self.runs += 1


class Derived(Settings):
    """A class without attributes of its own."""


def test_attributes_of_captured_objects() -> None:
    """An attribute that has changed is a new program, and the same value is none."""
    settings, inner, module = Settings(1), Settings(Settings(2)), types.ModuleType("module")
    module.k = 3  # type: ignore[attr-defined]

    @obs.jit
    def plus(a: Ints) -> Any:
        settings.run()
        numbers = (settings.k, inner.k.k, module.k, settings.shared, Derived.shared)
        return a + sum(numbers) + a.map(lambda x: x * 0 + settings.k)

    def check(programs: int) -> None:
        numbers = (settings.k, inner.k.k, module.k, settings.shared, Derived.shared, settings.k)  # type: ignore[attr-defined]
        for _ in range(2):
            np.testing.assert_array_equal(plus(A), A + sum(numbers))
        assert settings.runs == programs

    check(1)
    settings.k = 5
    check(2)
    settings.k = 1
    check(2)
    inner.k.k = 7
    check(3)
    inner.k = Settings(8)
    check(4)
    module.k = 9  # type: ignore[attr-defined]
    check(5)
    try:
        Settings.shared = 11
        check(6)
        settings.shared = 12
        check(7)
        Derived.shared = 13
        check(8)
    finally:
        Settings.shared = 10
        del Derived.shared
    del settings.shared
    # These are the values of the fifth program.
    check(8)


def test_attributes_that_are_set_after_the_function() -> None:
    class Model:
        def __init__(self) -> None:
            @obs.jit
            def scaled(a: Ints) -> Any:
                return a * self.k

            self.scaled = scaled
            self.k = 2

    model = Model()
    np.testing.assert_array_equal(model.scaled(A), 2 * A)
    model.k = 3
    np.testing.assert_array_equal(model.scaled(A), 3 * A)
    model.k = [4]  # type: ignore[assignment]
    by_list = obs.jit(lambda a: a * model.k[0])  # type: ignore[index]
    np.testing.assert_array_equal(by_list(A), 4 * A)
    model.k[0] = 5  # type: ignore[index]
    np.testing.assert_array_equal(by_list(A), 5 * A)


def test_attributes_that_functions_compute() -> None:
    """They are read when the function is traced, and a cached one may get its value then."""
    settings = Settings(2)

    @obs.jit
    def plus(a: Ints) -> Any:
        return a + settings.doubled + settings.late

    np.testing.assert_array_equal(plus(A), A + 10)
    np.testing.assert_array_equal(plus(A), A + 10)

    @obs.jit
    def counting(a: Ints) -> Any:
        settings.runs = settings.runs + 1
        return a

    with pytest.raises(obs.TraceError, match="the function changes runs, which it takes from"):
        counting(A)


def test_attributes_cost_nothing_elsewhere() -> None:
    """Attributes of this package and of the standard library are not watched."""

    @obs.jit
    def plus(a: Ints) -> Any:
        return obs.where(a > 0, a, math.pi > 3) + operator.add(a, One.one)

    np.testing.assert_array_equal(plus(A), np.where(A > 0, A, 1) + A + 1)
    names = [name for _, name, _ in plus._captures._globals]
    assert sorted(names) == ["One", "math", "obs", "operator"]
    watched = plus._captures.watched(plus._captures.key())
    assert watched is not None

    settings = Settings(2)
    of_class = obs.jit(lambda a: a + settings.k + Settings.shared)
    watched = of_class._captures.watched(of_class._captures.key())
    assert watched is not None
    assert all(type(item[0]) is dict for item in watched[0])
    assert [item[1:] for item in watched[0]] == [("Settings", Settings), ("k", 2), ("shared", 10)]

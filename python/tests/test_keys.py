"""Static and captured values that decide which program a call runs."""

from __future__ import annotations

import enum
import math
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

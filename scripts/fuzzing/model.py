"""The values of a random program: arrays with their types, scalars, and the regions they belong to.

In: names, element types and extents. Out: the spelling of array types, and for each instance of a region
(a thread, a warp, an iteration) the instance around it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

LEVELS = ["thread", "warp", "block", "grid"]
# The values of each name, one for each instance of its region: numbers for a scalar, and lists of tuples for
# an array.
Env = dict[str, list[Any]]
# Computes one operation.
Step = Callable[[Env], None]


class Dim(NamedTuple):
    """An extent. The type may leave it open, and then may give a bound."""

    n: int
    is_open: bool = False
    bound: int | None = None


class Frame:
    """A region, of which many instances run at once; `up` is the instance around each of them."""

    def __init__(self, level: str, parent: Frame | None, up: list[int]) -> None:
        self.level, self.parent, self.up = level, parent, up

    @property
    def size(self) -> int:
        return len(self.up)

    def map_to(self, outer: Frame) -> list[int] | None:
        """The instance of an outer region around each instance of this one; None if both are one region."""
        if outer is self:
            return None
        assert self.parent is not None
        above = self.parent.map_to(outer)
        return self.up if above is None else [above[k] for k in self.up]


class Array(NamedTuple):
    name: str
    elements: tuple[str, ...]
    dims: tuple[Dim, ...]
    frame: Frame
    level: str | None = None  # of a push array

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(dim.n for dim in self.dims)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def type(self) -> str:
        return array_type(self.elements, self.dims, self.level)


class Scalar(NamedTuple):
    name: str
    type: str
    frame: Frame
    limit: int | None = None  # of an index: 0 <= x < limit


def array_type(elements: Sequence[str], dims: Sequence[Dim], level: str | None = None) -> str:
    extents = " x ".join("?" if dim.is_open else str(dim.n) for dim in dims)
    bound = ""
    if any(dim.bound is not None for dim in dims):
        entries = ("?" if d.is_open and d.bound is None else str(d.bound if d.is_open else d.n) for d in dims)
        bound = f" bound [{', '.join(entries)}]"
    head = "!obs.pull<" if level is None else f"!obs.push<{level}, "
    return f"{head}{extents} x {', '.join(elements)}{bound}>"


def strides(shape: Sequence[int]) -> list[int]:
    result, factor = [], 1
    for extent in reversed(shape):
        result.append(factor)
        factor *= extent
    return result[::-1]


def indices(shape: Sequence[int]) -> list[tuple[int, ...]]:
    return list(itertools.product(*map(range, shape)))


class Operator(NamedTuple):
    """An associative operation on tuples: code from %a0, %b0, ... to %r0, ..., and the same in Python."""

    code: list[str]
    combine: Callable[[tuple[Any, ...], tuple[Any, ...]], tuple[Any, ...]]
    is_commutative: bool
    kind: str = ""

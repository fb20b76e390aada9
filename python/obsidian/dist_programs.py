"""The programs that each rank of `dist.py` runs on its elements.

In: arrays of rank 1 of one device. Out: functions with `@obs.jit`, one for each combination of
element types, operator and neutral element, so that each is compiled once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from . import unsigned
from .control import loop, when, while_loop
from .errors import ArgumentTypeError
from .functions import ceil_div, concat, where
from .irregular import scatter
from .jit import Function
from .levels import block
from .library import filter, windows
from .programs import fill, force, par, stack, write
from .sources import full, generate, iota
from .types import ParameterType, f32, f64, i32, i64, index, parameter_type

#: The elements that are combined first, from the left. They begin at multiples of this number in
#: the whole array, on any number of ranks.
PIECE = 4096
#: The elements of a tile of the local sort, and the values of a digit.
TILE, DIGITS = 1024, 256
#: The types of an element, one for each component.
Kinds = tuple[Any, ...]


def _array(extent: str, kinds: Kinds) -> ParameterType:
    return parameter_type((extent, *kinds))


def _program(
    function: Callable[..., Any], threads: int | None = None, **types: ParameterType
) -> Function[Any]:
    """Add the types of its parameters, and `@obs.jit`, to a function."""
    function.__annotations__ = types
    return Function(function, threads)


@functools.cache
def element_map(function: Callable[..., Any], kinds: tuple[Kinds, ...]) -> Function[Any]:
    """`function` of each element, or of the elements at equal positions of several arrays."""
    if len(kinds) == 1:

        def map_one(a: Any) -> Any:
            return a.map(function)

        return _program(map_one, a=_array("n", kinds[0]))
    if len(kinds) != 2:
        raise ArgumentTypeError("map takes one or two arrays: put more into a tuple of components")

    def map_two(a: Any, b: Any) -> Any:
        return a.map(function, b)

    return _program(map_two, a=_array("n", kinds[0]), b=_array("n", kinds[1]))


@functools.cache
def piece_totals(kinds: Kinds, operator: Callable[..., Any], neutral: Any) -> Function[Any]:
    """The combination of each piece: ceil(n / PIECE) elements. A block reads a piece."""

    def totals(x: Any) -> Any:
        pieces = x.split(PIECE, pad=neutral)
        return concat((full(1, c.reduce(operator, neutral)) for c in pieces), level=block)

    return _program(totals, 256, x=_array("n", kinds))


@functools.cache
def piece_scans(
    kinds: Kinds, operator: Callable[..., Any], neutral: Any, exclusive: bool
) -> Function[Any]:
    """The scan of each piece; piece p begins with element p of `carries`."""

    def scans(x: Any, carries: Any) -> Any:
        pieces = x.split(PIECE, pad=neutral)

        def scan_piece(p: Any) -> Any:
            return pieces[p].scan(operator, carries[p], exclusive=exclusive)

        return concat((scan_piece(p) for p in iota(ceil_div(x.size, PIECE))), to=x.size)

    return _program(scans, 256, x=_array("n", kinds), carries=_array("m", kinds))


@functools.cache
def kept_elements(predicate: Callable[..., Any], kinds: Kinds) -> Function[Any]:
    """The elements for which the predicate holds, in order."""

    def kept(x: Any) -> Any:
        return filter(x, x.map(predicate).force())

    return _program(kept, x=_array("n", kinds))


@functools.cache
def bin_counts(kind: Any, bins: int) -> Function[Any]:
    """The number of occurrences of each number below `bins`, as i32."""

    def counts(x: Any) -> Any:
        return scatter(1, at=x, into=bins, init=0, combine="add")

    return _program(counts, x=_array("n", (kind,)))


@functools.cache
def window_map(function: Callable[..., Any], kinds: Kinds, size: int) -> Function[Any]:
    """`function` of each `size` neighbouring elements: n - size + 1 elements."""

    def neighbours(x: Any) -> Any:
        return windows(x, size).map(function)

    return _program(neighbours, x=_array("n", kinds))


def key_type(kind: Any) -> Any:
    """The integers of the same order and size as a type of keys."""
    found = {i32: i32, f32: i32, i64: i64, f64: i64}.get(kind)
    if found is None:
        raise ArgumentTypeError(f"sort takes keys of type i32, i64, f32 or f64, not {kind}")
    return found


@functools.cache
def ordered_keys(kind: Any) -> Function[Any]:
    """Floats as integers of the same order: -NaN, -infinity, ..., -0, +0, ..., infinity, NaN."""
    key = key_type(kind)

    def ordered(x: Any) -> Any:
        return x.bitcast(key).map(lambda v: where(v < 0, v ^ key.max, v))

    return _program(ordered, x=_array("n", (kind,)))


@functools.cache
def unordered_keys(kind: Any) -> Function[Any]:
    """The inverse of `ordered_keys`."""
    key = key_type(kind)

    def unordered(x: Any) -> Any:
        return x.map(lambda v: where(v < 0, v ^ key.max, v)).bitcast(kind)

    return _program(unordered, x=_array("n", (key,)))


@functools.cache
def local_sort(kind: Any) -> Function[Any]:
    """The keys of type i32 or i64 in ascending order: a radix sort by 8 bits in each pass."""

    def one_pass(keys: Any, shift: Any) -> Any:
        n = keys.size
        tiles = ceil_div(n, TILE)

        def digits(tile: Any) -> Any:
            def digit(j: Any) -> Any:
                i = tile * TILE + j
                key = where(i < n, keys[where(i < n, i, 0)], kind(-1))
                return (unsigned.shr(key, shift) & 255).to(i32)

            return generate(TILE)(digit)

        def count(tile: Any) -> Any:
            return scatter(1, at=digits(tile), into=DIGITS, init=0, combine="add").force("shared")

        counts = stack((count(t) for t in iota(tiles)), level=block).T.reshape(tiles * DIGITS)
        begins = counts.force().scan(lambda a, b: a + b, 0, exclusive=True, strategy="one_pass")
        begins = begins.force()

        @fill(n, kind, unchecked=True)
        def moved() -> None:
            @par(tiles, level=block)
            def move(tile: Any) -> None:
                own = digits(tile).force("shared")
                ranks, counts = force(*own.rank(DIGITS))
                starts = counts.scan(lambda a, b: a + b, 0, exclusive=True).force()

                @par(TILE)
                def write_key(j: Any) -> None:
                    i = tile * TILE + j

                    @when(i < n)
                    def _() -> None:
                        d = own[j].to(index)
                        place = begins[d * tiles + tile] + (ranks[j] - starts[d])
                        write(keys[i], at=place)

        return moved.force()

    def sort(keys: Any) -> Any:
        turned = (keys ^ kind.min).force()

        @loop(kind.bits // 8, turned)
        def passes(p: Any, found: Any) -> Any:
            return one_pass(found, (p * 8).to(kind))

        return passes ^ kind.min

    return _program(sort, 256, keys=_array("n", (kind,)))


@functools.cache
def merge_two(kind: Any) -> Function[Any]:
    """The keys of two sorted arrays in ascending order, those of the first before equal ones.

    The position of each key is found by binary search in the other array.
    """

    def merged(a: Any, b: Any) -> Any:
        def before(keys: Any, stops: Callable[[Any], Any]) -> Any:
            """The number of keys before the first one at which the search stops."""

            def narrow(low: Any, high: Any) -> Any:
                middle = (low + high) // 2
                found = stops(keys[middle])
                return where(found, low, middle + 1), where(found, middle, high)

            return while_loop(lambda low, high: low < high, index(0), keys.size)(narrow)[0]

        @fill(a.size + b.size, kind, unchecked=True)
        def result() -> None:
            @par(a.size)
            def first(i: Any) -> None:
                write(a[i], at=i + before(b, lambda key: key >= a[i]))

            @par(b.size)
            def second(j: Any) -> None:
                write(b[j], at=j + before(a, lambda key: key > b[j]))

        return result

    return _program(merged, 256, a=_array("n", (kind,)), b=_array("m", (kind,)))

"""Checks of the arguments of all operations, and operators without an initial value.

In: arguments of the operations. Out: the same with known ranks, or a located TraceError.
"""

from __future__ import annotations

import inspect
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..branching import choose
from ..collectives import Operator
from ..errors import TraceError
from ..functions import max as larger
from ..functions import min as smaller
from ..levels import Level
from ..maps import map_arrays
from ..pull_push import Pull
from ..reading import largest, smallest
from ..regions import Array, as_leaves
from ..scalars import Scalar
from ..trace import current
from ..types import Element, i1

#: A marker of `replicate` and `slice`: this dimension stays.
ALL = slice(None)


def require(array: Any, name: str, rank: int = 0) -> Pull:
    """A pull array with at least `rank` dimensions. Otherwise, an error names the operation."""
    if isinstance(array, Array) and not isinstance(array, Pull):
        raise TraceError(f"{name} takes a pull array: force the push array first, as in a.force()")
    if not isinstance(array, Pull):
        kind = "a scalar" if isinstance(array, Scalar) else f"a {type(array).__name__}"
        raise TraceError(
            f"{name} takes an array, not {kind}: an argument of the program, arrays.generate or "
            "obs.table is one"
        )
    if array.ndim < rank:
        raise TraceError(f"{name} takes an array of rank {rank} or more, not {array.ndim}")
    return array


def require_function(function: Any, name: str, count: int) -> None:
    """An error if an argument of an operation is not a function of `count` arguments."""
    if not callable(function):
        raise TraceError(f"{name} takes a function, not a {type(function).__name__}")
    try:
        signature = inspect.signature(function)
    except ValueError:
        # Some functions of C have no signature.
        return
    try:
        signature.bind(*range(count))
    except TypeError as error:
        many = "1 argument" if count == 1 else f"{count} arguments"
        raise TraceError(f"the function of {name} has {many} here: {error}") from None


def parts_of(array: Pull) -> int:
    """The number of arguments of a function of one element."""
    shape = array.type.element.shape
    return len(shape[1]) if shape is not None and shape[0] is tuple else 1


def require_grid(name: str) -> None:
    """An error if the code is not at level grid."""
    if current().level is not Level.grid:
        raise TraceError(
            f"arrays.{name} works on whole arrays, at level grid: inside a sub-program or a "
            "function of elements, use the methods of arrays, such as a.reduce(f, z)"
        )


def require_level(level: Any, name: str) -> None:
    """An error if `level=` is not a level."""
    if level is not None and not isinstance(level, Level):
        raise TraceError(f"level= of {name} is obs.thread, obs.warp, obs.block or obs.grid")


def extents_of(shape: Any) -> tuple[Any, ...]:
    """The extents of a shape. Rank 0 is an array of one element."""
    given = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    return given or (1,)


def indices_of(shape: Any, indices: Sequence[Any]) -> Sequence[Any]:
    """The indices that a function of a shape takes: none for rank 0."""
    return () if isinstance(shape, (tuple, list)) and not shape else indices


#: A thread has a row of up to `SHORT` elements. It also folds rows of up to `STAGED` elements, if
#: their length is known and they are at least `MANY`: blocks copy them to shared memory together.
SHORT, STAGED, MANY = 1 << 4, 1 << 6, 1 << 15


def likely_extents(array: Array) -> list[int | None]:
    """The extents of the type, or those for which the program should be fast."""
    given = array.likely or [None] * array.type.rank
    return [n if n is not None else m for n, m in zip(array.type.extents, given)]


def row_level(array: Pull, of_thread: int = STAGED, of_warp: int = 1024) -> Level:
    """The level of one row, by its length: a thread up to `of_thread`, a warp, or a block.

    Blocks process rows whose length is known only at run time and has no bound.
    """
    *rows, likely = likely_extents(array)
    length = array.type.extents[-1]
    bound = array.type.bounds[-1] if likely is None else likely
    if bound is None or bound > of_warp:
        return Level.block
    are_many = None in rows or math.prod(n for n in rows if n is not None) >= MANY
    is_staged = length is not None and length <= of_thread and are_many
    return Level.thread if bound <= SHORT or is_staged else Level.warp


def is_short(array: Pull) -> bool:
    """True if a thread has each row, also if rows share elements or are columns in memory."""
    bound = array.type.bounds[-1]
    return bound is not None and bound <= SHORT


#: The whole grid shares the rows if there are fewer than this, and they are longer: with a block
#: for each row, some of the multiprocessors have no work. Parts of rows have at least `PART`
#: elements.
FEW, LONG, PART = 264, 1 << 14, 1 << 12
#: The blocks that keep a GPU busy, and the multiple of elements that a part has; also a smaller one
#: for parts of equal lengths.
BLOCKS, ALIGNED, WIDTH = 1 << 10, 1 << 7, 1 << 3


def scan_level(array: Pull) -> Level:
    """The level of a scan of one row. Long rows of warps take shared memory of other warps."""
    return row_level(array, 1 << 7, 1 << 9)


def are_few(array: Pull) -> bool:
    """True if an array has few long rows, which the whole grid shares."""
    *rows, length = likely_extents(array)
    if length is None or length <= LONG or None in rows:
        return False
    return math.prod(n for n in rows if n is not None) < FEW


def start_of(array: Pull, init: Any) -> Any:
    """An initial value as an element of an array."""
    kind = array.type.element
    return kind.value(as_leaves(init, kind)[0])


def value_of(element: Element, parts: Sequence[Any]) -> Any:
    """The element from its parts, which `map` passes; the inverse of `Element.arguments`."""
    is_plain = element.shape is not None and element.shape[0] is tuple
    return tuple(parts) if is_plain else parts[0]


#: Operators that users give, and their neutral elements by the kind of the elements. Minus zero is
#: that of floats: 0 + -0 is 0.
_NEUTRAL: dict[Any, Callable[[Any], Any]] = {
    operator.add: lambda kind: -0.0 if kind.kind == "float" else 0,
    operator.mul: lambda kind: 1,
    operator.or_: lambda kind: False if kind.kind == "bool" else 0,
    operator.xor: lambda kind: False if kind.kind == "bool" else 0,
    operator.and_: lambda kind: True if kind.kind == "bool" else -1,
}
_LEAST = (larger, largest)
_MOST = (smaller, smallest)


def _neutral(function: Operator, element: Element) -> Any:
    """The neutral element of a known operator; None for other operators."""
    kind = element.leaves[0]
    if element.shape is not None or not isinstance(kind, type):
        return None
    if function in _NEUTRAL:
        return _NEUTRAL[function](kind)
    if function in _LEAST or function in _MOST:
        sign = -1 if function in _LEAST else 1
        if kind.kind == "float":
            return sign * np.inf
        return getattr(kind, "min" if sign < 0 else "max", None)
    return None


def without_init(
    function: Operator, array: Pull
) -> tuple[Operator, Any, Pull, Callable[[Array], Any]]:
    """An operator without an initial value, as an operator with a neutral element.

    The results are the operator, its neutral element, the array that it combines, and a function
    from combined elements to elements. An unknown operator combines pairs: a flag that is false for
    the neutral element, and a value.
    """
    element = array.type.element
    neutral = _neutral(function, element)
    if neutral is not None:
        return function, neutral, array, lambda combined: combined

    def lifted(left: Any, right: Any) -> Any:
        (has_left, a), (has_right, b) = left, right

        def combined() -> Any:
            return element.value(as_leaves(function(a, b), element)[0])

        value = choose(has_right, lambda: choose(has_left, combined, lambda: b), lambda: a)
        return has_left | has_right, value

    pairs = array.map(lambda *parts: (i1(True), value_of(element, parts)))
    zero = element.value(as_leaves(0, element)[0])
    return lifted, (i1(False), zero), pairs, lambda c: map_arrays(lambda _, value: value, (c,))

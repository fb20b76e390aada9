"""Stencils: functions of the elements around each index.

In: arrays, and functions of windows. Out: arrays of the same shape, which are stored once when an
operation that is not elementwise reads them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..errors import TraceError
from ..library import beyond
from ..pending import Pending, pending
from ..pull_push import Pull
from ..regions import static_number
from ..sources import generate
from .checks import require, require_function, require_grid


class Window:
    """The elements around one index of an array.

    `w[0]` is the element at the index, and `w[-1]` the element before it. In two dimensions,
    `w[0, 1]` is the right neighbour. The boundary defines the elements outside of the array.
    """

    def __init__(self, read: Callable[..., Any], place: tuple[Any, ...]) -> None:
        """Make a window at an index, from a function that reads at any index."""
        self._read, self._place = read, place

    def __getitem__(self, offsets: Any) -> Any:
        parts = offsets if isinstance(offsets, tuple) else (offsets,)
        if len(parts) != len(self._place):
            raise TraceError(
                f"a window of an array of rank {len(self._place)} takes {len(self._place)} "
                f"distances, not {len(parts)}"
            )
        for part in parts:
            static_number(part)
        return self._read(
            *(i if isinstance(d, int) and d == 0 else i + d for i, d in zip(self._place, parts))
        )

    def __iter__(self) -> Any:
        raise TraceError("a window has no end: name its elements, as in w[-1], w[0], w[1]")


def _apply(
    function: Callable[..., Any], arrays: list[Pull], boundaries: list[Any], name: str
) -> Pull:
    require_grid(name)
    require_function(function, name, len(arrays))
    sources = [_read_often(require(array, name, 1)) for array in arrays]
    ranks = [array.ndim for array in sources]
    if len(set(ranks)) > 1:
        raise TraceError(f"{name} takes two arrays of one rank, not of {ranks[0]} and {ranks[1]}")
    for rule in boundaries:
        if callable(rule):
            require_function(rule, f"the boundary of {name}", ranks[0])
        elif rule is None:
            raise TraceError(
                f'a boundary of {name} is "clamp", "mirror", "wrap", an element or a function'
            )
    reads = [beyond(array, rule) for array, rule in zip(sources, boundaries)]
    shape = sources[0].shape
    found = generate(*shape)(lambda *place: function(*(Window(read, place) for read in reads)))
    return pending(found.push(), shape)


def _read_often(array: Pull) -> Pull:
    """Run a pending array now, because its elements are read several times."""
    if isinstance(array, Pending):
        _ = array.name
    return array


def stencil(function: Callable[[Any], Any], array: Pull, boundary: Any) -> Pull:
    """`r[i]` is the function of the elements around index i, with the shape of the array.

    The function takes a `Window`. `boundary` defines the elements outside of the array: "clamp" is
    the nearest element, "mirror" the mirror image, which repeats the element at the border, and
    "wrap" the repeated array. A number or a tuple of numbers is the element itself. A function
    computes it from its index. Raises TraceError for arrays of rank 0, other boundaries, and
    windows with another number of distances than the array has dimensions.
    """
    return _apply(function, [array], [boundary], "stencil")


def stencil2(
    function: Callable[[Any, Any], Any], a: Pull, boundary_a: Any, b: Pull, boundary_b: Any
) -> Pull:
    """A stencil of two arrays of one rank: the function takes two windows.

    Each array has a boundary. The result has the shape of `a`. If `b` is smaller, its boundary
    applies.
    """
    return _apply(function, [a, b], [boundary_a, boundary_b], "stencil2")

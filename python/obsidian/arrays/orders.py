"""Sorting of rows by any order.

In: arrays of rows of bounded length, and orders. Out: pending arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import maps, programs
from ..branching import choose
from ..errors import TraceError
from ..levels import Level
from ..networks import bitonic_sort
from ..pending import pending
from ..pull_push import Pull
from ..regions import as_leaves
from ..sources import generate
from .checks import require, require_function, require_grid

#: Longer rows are not sorted, because a block has two copies of a row in shared memory.
MOST_SORTED = 2048


def sort(is_before: Callable[[Any, Any], Any], array: Pull, *, first: int | None = None) -> Pull:
    """The elements of each row in order. `is_before(a, b)` is true if `a` must stand before `b`.

    The order is strict, like `<`. Equal elements may change places. A block sorts each row by a
    network. With `first`, rows of the result have at most this number of elements, the first ones.
    Raises TraceError for rows of unknown length, or of more than 2048 elements.
    """
    require_grid("sort")
    require_function(is_before, "sort", 2)
    source = require(array, "sort", 1)
    kind, length = source.type.element, source.dim(-1)
    if not isinstance(length, int) or length > MOST_SORTED:
        raise TraceError(
            f"sort takes rows of a known length up to {MOST_SORTED}: "
            "examples/python/large_sort.py sorts others"
        )
    if first is not None and first < 0:
        raise TraceError(f"sort: first={first} is no number of elements")
    kept = length if first is None else min(first, length)
    if length < 2:
        return source if kept == length else source.take(*source.shape[:-1], kept)
    size = 1 << (length - 1).bit_length()
    zero = kind.value(as_leaves(0, kind)[0])

    def network(a: Any, b: Any) -> Any:
        # The elements that pad a row to a power of two are at its end.
        return a[0] & (~b[0] | is_before(a[1], b[1]))

    def sorted_row(*place: Any) -> Any:
        def element(i: Any) -> Any:
            at = (*place[: source.ndim - 1], i)
            return i < length, choose(i < length, lambda: source[at], lambda: zero)

        row = generate(size)(element)
        found = bitonic_sort(row.force(), network)[:kept]
        return found.map(lambda _, v: v)

    rows = programs.grid_of(*(source.shape[:-1] or (1,)), level=Level.block)(sorted_row)
    if source.ndim > 1:
        return pending(rows, (*source.shape[:-1], kept))
    return pending(maps.reindex(rows, lambda _, i: i, [kept], False), (kept,))

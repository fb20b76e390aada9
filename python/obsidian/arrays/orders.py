"""Sorting of rows by any order, and of vectors by small keys.

In: arrays of rows of bounded length and orders, or vectors and functions of keys. Out: pending
arrays.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from .. import maps, programs
from ..errors import TraceError
from ..levels import Level
from ..merges import LANES, items_of, merge_sort
from ..pending import Pending, pending
from ..pull_push import Pull
from ..regions import as_leaves
from ..sources import generate
from ..types import i32
from .checks import parts_of, require, require_function, require_grid
from .writes import permute

#: Longer rows are not sorted, because a block has two copies of a row in shared memory.
MOST_SORTED = 2048
#: A tile of a partition has a counter for each key.
MOST_KEYS = 4096


def sort(is_before: Callable[[Any, Any], Any], array: Pull, *, first: int | None = None) -> Pull:
    """The elements of each row in order. `is_before(a, b)` is true if `a` must stand before `b`.

    The order is strict, like `<`. Equal elements keep their order. A warp or a block sorts each
    row by merges. With `first`, rows of the result have at most this number of elements, the first
    ones. Raises TraceError for rows of unknown length, or of more than 2048 elements.
    """
    require_grid("sort")
    require_function(is_before, "sort", 2)
    source = require(array, "sort", 1)
    length = source.dim(-1)
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
    is_warp = length <= LANES * items_of(length)

    def sorted_row(*place: Any) -> Any:
        def element(i: Any) -> Any:
            at = (*place[: source.ndim - 1], i)
            return source[at]

        row = generate(length)(element)
        return merge_sort(row, is_before)[:kept]

    level = Level.warp if is_warp else Level.block
    rows = programs.grid_of(*(source.shape[:-1] or (1,)), level=level)(sorted_row)
    if source.ndim > 1:
        return pending(rows, (*source.shape[:-1], kept))
    return pending(maps.reindex(rows, lambda _, i: i, [kept], False), (kept,))


def partition(key: Callable[..., Any], count: int, array: Pull) -> Pull:
    """The elements of a vector in the order of their keys. Elements with equal keys keep theirs.

    `key` is a function of an element, which returns an integer from 0 to `count - 1`; other keys
    are undefined. `count` is a number up to 4096. Three kernels count the keys, add the counts of
    smaller keys, and move the elements. So a sort by large keys is a few partitions, by one digit
    of the keys after the other. Raises TraceError for arrays of another rank, and for a wrong
    `count`.
    """
    require_grid("partition")
    source = require(array, "partition", 1)
    require_function(key, "partition", parts_of(source))
    if source.ndim > 1:
        raise TraceError(
            f"partition takes a vector, not an array of rank {source.ndim}: "
            "arrays.reshape makes one"
        )
    if not isinstance(count, int) or not 0 < count <= MOST_KEYS:
        raise TraceError(f"count of partition is a number of keys from 1 to {MOST_KEYS}")
    if isinstance(source, Pending):
        # The elements are read twice.
        _ = source.name
    element = source.type.element

    def key_of(value: Any) -> Any:
        return key(*element.arguments(as_leaves(value, element)[0]))

    ones = generate(source.dim(0))(lambda _: i32(1))
    counts = permute("add", 0, lambda i: key_of(source[i]), ones, count)
    row = counts.reshape(1, count)
    starts = row.nest(1).each(Level.block)(lambda r: r.scan(operator.add, 0, exclusive=True))
    begins = maps.reindex(starts, lambda _, i: i, [count], False).force()
    return pending(source.partition(key_of, begins), source.shape)

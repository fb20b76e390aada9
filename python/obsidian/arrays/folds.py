"""Folds and scans along the last dimension, in the order of the elements.

In: arrays, associative operators, which need not be commutative, and initial values. Out: pending
arrays: elementwise functions before and after the collective are fused with it. The whole grid
folds a vector. For arrays of higher rank, the extent of the rows determines the level of the units
that process them, and if they share their elements.
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from typing import Any, cast

from .. import functions, maps, programs
from ..branching import choose
from ..collectives import Operator
from ..errors import TraceError
from ..levels import Level
from ..pending import pending
from ..pull_push import Pull
from ..regions import Array
from ..sources import generate
from .checks import (
    ALIGNED,
    BLOCKS,
    PART,
    WIDTH,
    are_few,
    is_short,
    likely_extents,
    require,
    require_function,
    require_grid,
    require_level,
    row_level,
    scan_level,
    start_of,
    without_init,
)
from .shared_rows import (
    are_columns,
    fold_columns,
    fold_joined,
    fold_shared,
    have_threads,
    is_shared,
    scan_columns,
)


def rows(array: Pull, level: Level, function: Callable[[Pull], Any]) -> Any:
    """A push array: one sub-program of a level for each row."""
    return programs.each(array.nest(array.ndim - 1), level, (), function)


def _checked(array: Any, function: Any, level: Any, name: str) -> Pull:
    require_grid(name)
    require_function(function, name, 2)
    require_level(level, name)
    return require(array, name, 1)


def _reduced(
    array: Pull, function: Operator, init: Any, level: Level | None, free: bool,
    neutral: bool = False,
) -> Array:  # fmt: skip
    """The push array of one element for each row."""
    if array.ndim == 1 and level in (None, Level.grid):
        return cast(Array, array.reduce(function, init, commutative=free))
    shape = array.shape[:-1] or (1,)
    if array.ndim == 1:
        array = array.reshape(1, array.dim(0))
    if level is None and is_shared(array):
        if not have_threads(array):
            return fold_shared(array, function, init)
        level = Level.thread
    joined = fold_joined(array, function, init, free) if level is None else None
    if joined is not None:
        return joined
    if level is None and not is_short(array) and are_columns(array):
        return fold_columns(array, function, init)
    if level is None and are_few(array):
        parts = _parts(array, function, free, init if neutral else None)
        return _reduced(parts, function, init, row_level(array), free)
    if level is None:
        level = row_level(array)
    if level is Level.grid:
        length, count = array.dim(-1), 1
        for extent in shape:
            count = extent if isinstance(count, int) and count == 1 else count * extent
        offsets = generate(count + 1)(lambda i: i * length)
        sums: Array = array.flatten().segmented_reduce(function, init, offsets=offsets)
        return cast(Array, maps.reshape(sums, shape))
    found = rows(array, level, lambda r: r.reduce(function, init, commutative=free))
    # Each row has one element. The compiler proves that this map is a bijection, unlike a reshape.
    return cast(Array, maps.reindex(found, lambda *place: place[:-1], shape, False))


def _size_of_parts(length: Any, count: int) -> Any:
    """The elements of a part of a row, if there are about as many parts as `count`.

    Parts begin at positions where several elements can be read.
    """
    if isinstance(length, int):
        # Parts of equal lengths need no guard of each element.
        least = -(-length // count)
        sizes = range(-(-least // WIDTH) * WIDTH, 2 * least, WIDTH)
        exact = next((size for size in sizes if length % size == 0), None)
        if exact is not None:
            return exact
    # Powers of two often divide rows.
    size = functions.ceil_div(length, ALIGNED << (count.bit_length() - 1)) * ALIGNED
    return size if isinstance(size, int) else functions.max(size, ALIGNED)


def _parts(array: Pull, function: Operator, free: bool, neutral: Any) -> Pull:
    """Few long rows, as rows of the folds of their parts. A block folds each part."""
    *likely, long = cast(list[int], likely_extents(array))
    *shape, length = array.shape
    size = _size_of_parts(length, min(-(-long // PART), BLOCKS // max(math.prod(likely), 1)))
    lifted, elements, drop = function, array, None
    if neutral is None:
        lifted, neutral, elements, drop = without_init(function, array)

    def element(*place: Any) -> Any:
        *row, part, i = place
        at = (*row, part * size + i)
        return choose(at[-1] < length, lambda: elements[at], lambda: start_of(elements, neutral))

    # No part is empty.
    extents = (*shape, functions.ceil_div(length, size), size)
    is_exact = isinstance(length, int) and length % size == 0
    pieces = elements.reshape(*extents) if is_exact else generate(*extents)(element)
    found = _reduced(pieces, lifted, neutral, Level.block, free)
    return cast(Pull, cast(Any, drop(found) if drop else found).force())


def fold(
    function: Operator,
    init: Any,
    array: Pull,
    *,
    level: Level | None = None,
    commutative: bool = False,
    neutral: bool = False,
) -> Pull:
    """`init` and the elements of each row, combined from the left, without the last dimension.

    The operator is associative. `init` is combined once, from the left, and is the result for a row
    without elements. A vector becomes an array of rank 0. `level` is the level of the units, each
    of which processes a row; by default, the extent of rows determines it. `commutative` allows
    other orders, which is faster. `neutral` says that `init` changes no element: parts of a row
    begin with it, instead of a flag that they are empty. Raises TraceError for an argument that is
    not a pull array, and for operators and initial values of other types than the elements.
    """
    source = _checked(array, function, level, "fold")
    found = _reduced(source, function, init, level, commutative, neutral)
    return pending(found, source.shape[:-1] or (1,))


def fold_all(function: Operator, init: Any, array: Pull, *, commutative: bool = False) -> Pull:
    """All elements of an array of any rank, combined in row-major order to an array of rank 0."""
    source = _checked(array, function, None, "fold_all").flatten()
    return pending(_reduced(source, function, init, None, commutative), (1,))


def fold1(
    function: Operator, array: Pull, *, level: Level | None = None, commutative: bool = False
) -> Pull:
    """A fold without an initial value. Rows have at least one element.

    If the rows have no element, raises TraceError, or RunError when the program runs.
    """
    source = _checked(array, function, level, "fold1")
    length = source.dim(-1)
    message = "fold1 needs an element in each row: use fold with an initial value"
    if isinstance(length, int) and not length:
        raise TraceError(message)
    if not isinstance(length, int):
        functions.assert_(length > 0, message)
    lifted, neutral, elements, drop = without_init(function, source)
    return pending(
        drop(_reduced(elements, lifted, neutral, level, commutative)), source.shape[:-1] or (1,)
    )


def _scanned(array: Pull, level: Level | None, name: str, function: Callable[[Pull], Any]) -> Array:
    """The push array of the scan of each row."""
    if array.ndim == 1 and level in (None, Level.grid):
        return cast(Array, function(array))
    if level is Level.grid:
        raise TraceError(f"{name} of rows has no level grid: use obs.block or obs.warp")
    if array.ndim > 1:
        return cast(Array, rows(array, scan_level(array) if level is None else level, function))
    found: Array = rows(array.reshape(1, array.dim(0)), cast(Level, level), function)
    return cast(Array, maps.reindex(found, lambda _, i: i, [maps.dim(found, 1)], False))


def scan_rows(
    function: Operator,
    init: Any,
    array: Pull,
    *,
    level: Level | None = None,
    name: str = "scan",
    exclusive: bool = False,
) -> Pull:
    """The pending scan of each row. `init` is combined once, from the left.

    In inclusive scans, `init` is neutral, or None.
    """
    if level is None and are_columns(array):
        if init is None:
            lifted, neutral, elements, drop = without_init(function, array)
            return cast(Pull, drop(scan_columns(elements, lifted, neutral, exclusive)))
        return scan_columns(array, function, init, exclusive)
    if level is None and not exclusive and array.ndim > 1 and are_few(array):
        length, count = array.dim(-1), functools.reduce(operator.mul, array.shape[:-1])
        limits = generate(count + 1)(lambda i: i * length).force()
        all_rows = array.flatten().segmented_scan(function, init, offsets=limits)
        return pending(maps.reshape(all_rows, array.shape), array.shape)
    found = _scanned(array, level, name, lambda row: row.scan(function, init, exclusive=exclusive))
    return pending(found, array.shape)


def _flipped(function: Operator) -> Operator:
    return lambda a, b: function(b, a)


def _left(
    function: Operator, init: Any, array: Pull, level: Level | None, name: str, right: bool
) -> Pull:
    """The scan with an initial value. It has one element more than the rows."""
    source = _checked(array, function, level, name)
    if right:
        source, function = source.reverse(source.ndim - 1), _flipped(function)
    length = source.dim(-1)

    def element(*place: Any) -> Any:
        # An exclusive scan never combines the last element, which is added for the end of the row.
        return choose(place[-1] < length, lambda: source[place], lambda: start_of(source, init))

    longer = generate(*source.shape[:-1], length + 1)(element)
    result = scan_rows(function, init, longer, level=level, name=name, exclusive=True)
    return result.reverse(result.ndim - 1) if right else result


def _inclusive(
    function: Operator, array: Pull, level: Level | None, name: str, right: bool
) -> Pull:
    source = _checked(array, function, level, name)
    if right:
        source, function = source.reverse(source.ndim - 1), _flipped(function)
    result = scan_rows(function, None, source, level=level, name=name)
    return result.reverse(result.ndim - 1) if right else result


def _with_total(scanned: Pull, right: bool) -> tuple[Pull, Pull]:
    """The scan without its last (or first) element, and this element of each row."""
    _ = scanned.name
    length = scanned.dim(-1) - 1
    shape, last = scanned.shape[:-1], scanned.ndim - 1
    first, total = (1, 0) if right else (0, length)
    offsets = [0] * last + [first]
    prefix = scanned.slice(offsets, [*shape, length])
    if not shape:
        return prefix, scanned.slice(total, 1)
    return prefix, scanned.ix_map(lambda *place: (*place, total), *shape)


def scanl(function: Operator, init: Any, array: Pull, *, level: Level | None = None) -> Pull:
    """All prefixes of each row, combined with `init` from the left.

    Element i combines `init` and the i elements before it, so rows of n elements become rows of
    n + 1. Errors and `level` are those of `fold`.
    """
    return _left(function, init, array, level, "scanl", False)


def scanr(function: Operator, init: Any, array: Pull, *, level: Level | None = None) -> Pull:
    """All suffixes of each row, combined with `init` from the right: the mirror image of `scanl`.

    Element i combines the elements from i on and `init`, so the last of the n + 1 is `init`.
    """
    return _left(function, init, array, level, "scanr", True)


def scanl1(function: Operator, array: Pull, *, level: Level | None = None) -> Pull:
    """Element i combines the elements up to i, without an initial value. The shape is kept."""
    return _inclusive(function, array, level, "scanl1", False)


def scanr1(function: Operator, array: Pull, *, level: Level | None = None) -> Pull:
    """Element i combines the elements from i on, without an initial value. The shape is kept."""
    return _inclusive(function, array, level, "scanr1", True)


def scanl_(
    function: Operator, init: Any, array: Pull, *, level: Level | None = None
) -> tuple[Pull, Pull]:
    """`scanl` as two arrays: its first n elements, and the last one, the fold of each row.

    It is the `scanl'` of Accelerate.
    """
    return _with_total(_left(function, init, array, level, "scanl_", False), False)


def scanr_(
    function: Operator, init: Any, array: Pull, *, level: Level | None = None
) -> tuple[Pull, Pull]:
    """`scanr` as two arrays: its last n elements, and the first one, the fold of each row.

    It is the `scanr'` of Accelerate.
    """
    return _with_total(_left(function, init, array, level, "scanr_", True), True)

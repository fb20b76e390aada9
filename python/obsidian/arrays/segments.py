"""Folds and scans of segments of rows, such as the rows of a sparse matrix.

In: arrays, operators, and segments: the lengths of all segments, or with `offsets` their limits.
Out: pending arrays. The segments are the same for each row of an array of higher rank, and cover
the rows.
"""

from __future__ import annotations

import operator
from typing import Any

from .. import maps
from ..branching import choose
from ..collectives import Operator
from ..control import while_loop
from ..errors import TraceError
from ..functions import where
from ..levels import Level
from ..pending import pending
from ..pull_push import Pull
from ..regions import Array, as_leaves
from ..sources import generate
from ..types import index
from .checks import require, without_init
from .folds import _checked, _flipped, _scanned, scanl


def _limits(segments: Any, offsets: Any, name: str) -> Pull:
    """The S + 1 limits of S segments, in memory."""
    if (segments is None) is (offsets is None):
        raise TraceError(f"{name} takes the lengths of segments, or offsets=, one of them")
    given = require(offsets if segments is None else segments, f"{name}, as its segments,", 1)
    kind = given.type.element.leaves[0]
    is_whole = isinstance(kind, type) and kind.kind in ("int", "index")
    if given.ndim != 1 or given.type.element.shape is not None or not is_whole:
        raise TraceError(
            f"the segments of {name} are a vector of integers, not {given.type}: "
            "convert them, as in a.to(obs.i32)"
        )
    limits = given if segments is None else scanl(operator.add, 0, given)
    return limits if limits.is_stored else _stored(limits)


def _stored(array: Pull) -> Pull:
    _ = array.name
    return array if array.is_stored else array.force()


def _mirrored(limits: Pull, length: Any) -> Pull:
    """The limits of the segments of reversed rows."""
    kind = limits.type.element.require_scalar()
    last = limits.dim(0) - 1
    end = length if isinstance(length, int) else length.to(kind)
    return generate(last + 1)(lambda i: end - limits[last - i]).force()


def fold_seg(
    function: Operator,
    init: Any,
    array: Pull,
    segments: Pull | None = None,
    *,
    offsets: Pull | None = None,
    level: Level | None = None,
    commutative: bool = False,
) -> Pull:
    """`init` and the elements of each segment, combined from the left.

    `segments` is a vector of integers, the lengths of the segments: rows of n elements become rows
    of as many elements as there are segments. The result of a segment without elements is `init`.
    `offsets` instead of the lengths saves a scan. `commutative` allows other orders, as in `fold`.
    Raises TraceError for segments that are not a vector of integers.
    """
    source = _checked(array, function, level, "fold_seg")
    limits = _limits(segments, offsets, "fold_seg")
    found = _folded(source, function, init, limits, level, "fold_seg", commutative)
    return pending(found, (*source.shape[:-1], limits.dim(0) - 1))


def fold1_seg(
    function: Operator,
    array: Pull,
    segments: Pull | None = None,
    *,
    offsets: Pull | None = None,
    level: Level | None = None,
    commutative: bool = False,
) -> Pull:
    """`fold_seg` without an initial value.

    The result of a segment without elements is zero, or the neutral element of a known operator,
    such as `operator.add`.
    """
    source = _checked(array, function, level, "fold1_seg")
    limits = _limits(segments, offsets, "fold1_seg")
    lifted, neutral, elements, drop = without_init(function, source)
    found = drop(_folded(elements, lifted, neutral, limits, level, "fold1_seg", commutative))
    return pending(found, (*source.shape[:-1], limits.dim(0) - 1))


def _folded(
    array: Pull,
    function: Operator,
    init: Any,
    limits: Pull,
    level: Level | None,
    name: str,
    free: bool,
) -> Array:
    """The push array of the fold of each segment."""
    return _scanned(
        array,
        level,
        name,
        lambda row: row.segmented_reduce(function, init, offsets=limits, commutative=free),
    )


def _with_ends(row: Pull, init: Any, limits: Pull, longer: Pull) -> Pull:
    """A row with an element `init` after each segment. `longer` has the limits in this row."""
    kind = row.type.element
    start = kind.value(as_leaves(init, kind)[0])
    count = limits.dim(0) - 1
    whole = limits.type.element.require_scalar()

    def element(place: Any) -> Any:
        k = place.to(whole)

        def halve(low: Any, high: Any) -> Any:
            middle = (low + high) // 2
            is_before = longer[middle] <= k
            return where(is_before, middle, low), where(is_before, high, middle)

        # The last segment that begins at or before this position.
        number, _ = while_loop(lambda low, high: high - low > 1, index(0), index(0) + count)(halve)
        source = limits[number] + (k - longer[number])
        return choose(source < limits[number + 1], lambda: row[source], lambda: start)

    return generate(row.dim(0) + count)(element)


def _left(
    function: Operator,
    init: Any,
    array: Pull,
    segments: Pull | None,
    offsets: Pull | None,
    level: Level | None,
    name: str,
    right: bool,
) -> Pull:
    source = _checked(array, function, level, name)
    limits = _limits(segments, offsets, name)
    if right:
        source, function = source.reverse(source.ndim - 1), _flipped(function)
        limits = _mirrored(limits, source.dim(-1))
    whole = limits.type.element.require_scalar()
    longer = generate(limits.dim(0))(lambda s: limits[s] + s.to(whole)).force()
    found = _scanned(
        source,
        level,
        name,
        lambda row: _with_ends(row, init, limits, longer).segmented_scan(
            function, init, offsets=longer, exclusive=True
        ),
    )
    result = maps.reverse(found, found.type.rank - 1) if right else found
    return pending(result, (*source.shape[:-1], source.dim(-1) + (limits.dim(0) - 1)))


def _primed(
    function: Operator,
    init: Any,
    array: Pull,
    segments: Pull | None,
    offsets: Pull | None,
    level: Level | None,
    name: str,
    right: bool,
) -> tuple[Pull, Pull]:
    source = _checked(array, function, level, name)
    limits = _limits(segments, offsets, name)
    last = source.ndim - 1
    if right:
        source, function = source.reverse(last), _flipped(function)
        limits = _mirrored(limits, source.dim(-1))
    scans = _scanned(
        source,
        level,
        name,
        lambda row: row.segmented_scan(function, init, offsets=limits, exclusive=True),
    )
    folds = _folded(source, function, init, limits, level, name, False)
    if right:
        scans, folds = maps.reverse(scans, last), maps.reverse(folds, last)
    count = limits.dim(0) - 1
    return pending(scans, source.shape), pending(folds, (*source.shape[:-1], count))


def _inclusive(
    function: Operator,
    array: Pull,
    segments: Pull | None,
    offsets: Pull | None,
    level: Level | None,
    name: str,
    right: bool,
) -> Pull:
    source = _checked(array, function, level, name)
    limits = _limits(segments, offsets, name)
    last = source.ndim - 1
    if right:
        source, function = source.reverse(last), _flipped(function)
        limits = _mirrored(limits, source.dim(-1))
    result = _scanned(source, level, name, lambda row: row.segmented_scan(function, offsets=limits))
    return pending(maps.reverse(result, last) if right else result, source.shape)


def scanl_seg(
    function: Operator,
    init: Any,
    array: Pull,
    segments: Pull | None = None,
    *,
    offsets: Pull | None = None,
    level: Level | None = None,
) -> Pull:
    """The `scanl` of each segment: a segment of n elements becomes one of n + 1.

    Rows of n elements with s segments become rows of n + s. See `fold_seg` for the segments.
    """
    return _left(function, init, array, segments, offsets, level, "scanl_seg", False)


def scanr_seg(
    function: Operator,
    init: Any,
    array: Pull,
    segments: Pull | None = None,
    *,
    offsets: Pull | None = None,
    level: Level | None = None,
) -> Pull:
    """The `scanr` of each segment, the mirror image of `scanl_seg`."""
    return _left(function, init, array, segments, offsets, level, "scanr_seg", True)


def scanl1_seg(
    function: Operator,
    array: Pull,
    segments: Pull | None = None,
    *,
    offsets: Pull | None = None,
    level: Level | None = None,
) -> Pull:
    """The `scanl1` of each segment. The shape is kept."""
    return _inclusive(function, array, segments, offsets, level, "scanl1_seg", False)


def scanr1_seg(
    function: Operator,
    array: Pull,
    segments: Pull | None = None,
    *,
    offsets: Pull | None = None,
    level: Level | None = None,
) -> Pull:
    """The `scanr1` of each segment. The shape is kept."""
    return _inclusive(function, array, segments, offsets, level, "scanr1_seg", True)


def scanl_seg_(
    function: Operator,
    init: Any,
    array: Pull,
    segments: Pull | None = None,
    *,
    offsets: Pull | None = None,
    level: Level | None = None,
) -> tuple[Pull, Pull]:
    """The `scanl_` of each segment: an exclusive scan of the shape of the array, and all folds."""
    return _primed(function, init, array, segments, offsets, level, "scanl_seg_", False)


def scanr_seg_(
    function: Operator,
    init: Any,
    array: Pull,
    segments: Pull | None = None,
    *,
    offsets: Pull | None = None,
    level: Level | None = None,
) -> tuple[Pull, Pull]:
    """The `scanr_` of each segment, the mirror image of `scanl_seg_`."""
    return _primed(function, init, array, segments, offsets, level, "scanr_seg_", True)

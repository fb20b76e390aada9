"""NumPy-like reading of pull arrays: elements, slices, rows; and the operators min and max.

In: a pull array and the key in brackets after it. Out: elements or virtual arrays.
"""

from __future__ import annotations

from typing import Any

from . import maps
from .errors import TraceError
from .regions import Array, as_index, static_number
from .scalars import Scalar, agree, elementwise


def read(array: Array, key: Any) -> Any:
    """The value of `array[key]`."""
    keys = list(key) if isinstance(key, tuple) else [key]
    if any(isinstance(part, Array) for part in keys):
        raise TraceError(
            "an array is no index: obs.filter(a, flags) selects elements by flags, and "
            "places.map(lambda i: a[i]) reads those at places"
        )
    rank = array.type.rank
    if len(keys) > rank:
        raise TraceError(f"{len(keys)} indices for an array of {rank} dimensions")
    if not any(isinstance(part, slice) for part in keys):
        if len(keys) < rank:
            return maps.get(maps.nest(array, len(keys)), keys)
        return maps.get(array, keys)
    keys += [slice(None)] * (rank - len(keys))
    ranges = [_range(array, d, part) for d, part in enumerate(keys)]
    if all(isinstance(part, slice) for part in keys):
        return _cut(array, keys, ranges)
    kept = [d for d, part in enumerate(keys) if isinstance(part, slice)]

    def place(*indices: Any) -> Any:
        free = dict(zip(kept, indices))
        return tuple(
            free[d] * step + offset if d in free else offset
            for d, (offset, _, step) in enumerate(ranges)
        )

    return maps.reindex(array, place, [ranges[d][1] for d in kept], False)


def _cut(array: Array, keys: list[slice], ranges: list[tuple[Any, Any, int]]) -> Any:
    """The part that slices of all dimensions select."""
    offsets, sizes, strides = [], [], []
    for offset, size, step in ranges:
        offsets.append(offset if step > 0 else offset + (size - 1) * step)
        sizes.append(size)
        strides.append(abs(step))
    if any((part.start, part.stop) != (None, None) for part in keys) or max(strides) > 1:
        array = maps.slice_array(array, offsets, sizes, strides)
    for d, (_, _, step) in enumerate(ranges):
        if step < 0:
            array = maps.reverse(array, d)
    return array


def _range(array: Array, dimension: int, part: Any) -> tuple[Any, Any, int]:
    """Offset, number of elements and step of an index or a slice."""
    if not isinstance(part, slice):
        place = maps.place_at(array, dimension, part)
        return as_index(place) if isinstance(place, Scalar) else place, 1, 1
    step = 1 if part.step is None else part.step
    if not isinstance(step, int) or step == 0:
        raise TraceError("the step of a slice is a constant other than 0")

    def end(value: Any, default: Any) -> Any:
        if value is None:
            return default()
        number = static_number(value)
        if number is None:
            return as_index(value)
        return maps.dim(array, dimension) + number if number < 0 else number

    def extent() -> Any:
        return maps.dim(array, dimension)

    if step > 0:
        start, stop = end(part.start, lambda: 0), end(part.stop, extent)
        length = stop if isinstance(start, int) and start == 0 else stop - start
    else:
        start = end(part.start, lambda: extent() - 1)
        stop = end(part.stop, lambda: -1)
        length = start - stop
    if isinstance(length, int) and length < 0:
        raise TraceError("the slice ends before it begins")
    if isinstance(length, Scalar):
        length.is_natural = True
    pace = abs(step)
    size = length if pace == 1 else (length + (pace - 1)) // pace
    return start, size, step


def smallest(a: Any, b: Any) -> Any:
    """The smaller of two numbers; a NaN if one is a NaN."""
    x, y = agree(a, b)
    least = elementwise("arith.minimumf" if x.kind == "float" else "arith.minsi", x, y)
    least.is_natural = x.is_natural and y.is_natural
    return least


def largest(a: Any, b: Any) -> Any:
    """The larger of two numbers; a NaN if one is a NaN."""
    x, y = agree(a, b)
    most = elementwise("arith.maximumf" if x.kind == "float" else "arith.maxsi", x, y)
    most.is_natural = x.is_natural or y.is_natural
    return most

"""Operations that store nothing: elementwise functions and index maps.

In: arrays, and functions of elements or of indices. Out: virtual arrays, which are fused with the
operations that read them.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any, cast

from .. import maps, sources
from ..errors import TraceError
from ..pull_push import Pull
from ..regions import Array, static_number
from .checks import ALL, extents_of, indices_of, parts_of, require, require_function


def map(function: Callable[..., Any], array: Pull) -> Pull:
    """`r[i] = function(a[i])`, with the shape of the array.

    The parts of an element that is a plain tuple are separate arguments of the function. A tuple
    that it returns is one element. Raises TraceError if an argument is not an array.
    """
    source = require(array, "map")
    require_function(function, "map", parts_of(source))
    return cast(Pull, maps.map_arrays(function, (source,)))


def zip_with(function: Callable[..., Any], *arrays: Pull) -> Pull:
    """`r[i] = function(a[i], b[i], ...)` of two or more arrays of one shape.

    Raises TraceError for arrays of different ranks or extents. The program compares extents that
    are known at run time, and stops with RunError if they differ.
    """
    if len(arrays) < 2:
        raise TraceError("zip_with takes a function and two or more arrays; map takes one")
    sources = [require(array, "zip_with") for array in arrays]
    require_function(function, "zip_with", sum(builtins.map(parts_of, sources)))
    _agree("zip_with", sources)
    return cast(Pull, maps.map_arrays(function, arrays))


def _agree(name: str, arrays: Sequence[Array]) -> None:
    """An error if arrays have different ranks, or extents that are known to differ."""
    first = arrays[0].type
    for array in arrays[1:]:
        other = array.type
        pairs = list(builtins.zip(first.extents, other.extents))
        if first.rank != other.rank or any(None not in p and p[0] != p[1] for p in pairs):
            shapes = [
                "x".join("?" if n is None else str(n) for n in kind.extents)
                for kind in (first, other)
            ]
            raise TraceError(
                f"{name} takes arrays of one shape, not of {shapes[0]} and {shapes[1]}: "
                "arrays.replicate adds dimensions, and a.take(n) drops elements"
            )


def generate(shape: Any, function: Callable[..., Any]) -> Pull:
    """`r[i] = function(i)`, with one index for each extent of `shape`; `()` is rank 0.

    Raises TraceError for extents that are not numbers or traced integers.
    """
    extents = extents_of(shape)
    require_function(function, "generate", len(indices_of(shape, extents)))
    return sources.generate(*extents)(lambda *place: function(*indices_of(shape, place)))


def backpermute(shape: Any, function: Callable[..., Any], array: Pull) -> Pull:
    """`r[i] = a[function(i)]`: the function takes an index of `shape` and returns one of the array.

    A read at an index outside of the array is undefined; the checks of the emulator stop there.
    Raises TraceError if the function returns another number of indices than the array has
    dimensions.
    """
    source, extents = require(array, "backpermute"), extents_of(shape)
    require_function(function, "backpermute", len(indices_of(shape, extents)))

    def place(*indices: Any) -> Any:
        found = function(*indices_of(shape, indices))
        return (0,) if isinstance(found, tuple) and not found else found

    return source.ix_map(place, *extents)


def _spec(spec: Any) -> tuple[Any, ...]:
    return tuple(spec) if isinstance(spec, (tuple, list)) else (spec,)


def _is_all(part: Any) -> bool:
    return isinstance(part, builtins.slice) and part == ALL


def replicate(spec: Any, array: Pull) -> Pull:
    """Repeat an array along new dimensions.

    `spec` has an entry for each dimension of the result: `ALL` for the next dimension of the array,
    or the extent of a new one. `replicate((3, ALL), v)` is a matrix of three rows that are `v`. For
    an array of rank 0, `spec` has no `ALL`. Raises TraceError if the number of `ALL` is not the
    number of dimensions of the array.
    """
    source, parts = require(array, "replicate"), _spec(spec)
    kept = [d for d, part in enumerate(parts) if _is_all(part)]
    is_single = not kept and source.type.extents == (1,)
    if len(kept) != source.ndim and not is_single:
        raise TraceError(
            f"replicate of an array of rank {source.ndim} names {source.ndim} dimensions with ALL, "
            f"and {len(kept)} are named; an extent makes a new dimension"
        )
    rest = iter(source.shape)
    extents = [next(rest) if _is_all(part) else part for part in parts]
    return source.ix_map(
        lambda *place: (0,) if is_single else tuple(place[d] for d in kept), *(extents or (1,))
    )


def slice(array: Pull, spec: Any) -> Pull:
    """A part of an array with fewer dimensions.

    `spec` has an entry for each dimension of the array: `ALL` keeps it, and an index selects one
    position in it. `slice(m, (ALL, 2))` is column 2 of a matrix. A negative index counts from the
    end. If no dimension is kept, the result has rank 0. Raises TraceError if the number of entries
    is not the number of dimensions, and for an index that is known to be outside of the array.
    """
    source, parts = require(array, "slice"), _spec(spec)
    if len(parts) != source.ndim:
        raise TraceError(
            f"slice of an array of rank {source.ndim} takes {source.ndim} parts, each ALL or an "
            f"index, and {len(parts)} are given"
        )
    for d, part in enumerate(parts):
        extent = source.type.extents[d]
        number = None if _is_all(part) else static_number(part)
        if number is not None and extent is not None and not -extent <= number < extent:
            raise TraceError(f"index {number} is out of range: the extent is {extent}")
    if any(builtins.map(_is_all, parts)):
        return cast(Pull, source[parts])
    places = [
        source.dim(d) + part if isinstance(part, int) and part < 0 else part
        for d, part in enumerate(parts)
    ]
    return source.ix_map(lambda _: tuple(places), 1)


def transpose(array: Pull, *permutation: int) -> Pull:
    """Dimension d of the result is dimension `permutation[d]`; by default the order is reversed.

    Raises TraceError if the numbers are not a permutation of the dimensions.
    """
    return require(array, "transpose").transpose(*permutation)


def reshape(shape: Any, array: Pull) -> Pull:
    """The same elements in row-major order with other extents; `()` is rank 0.

    The number of elements must be the same. Otherwise, raises CompileError if it is known when the
    program is compiled, and else RunError.
    """
    return require(array, "reshape").reshape(*extents_of(shape))


def zip(*arrays: Pull) -> Pull:
    """One array of tuples, of two or more arrays of one shape; see `zip_with`."""
    if len(arrays) < 2:
        raise TraceError("zip takes two or more arrays")
    _agree("zip", [require(array, "zip") for array in arrays])
    return cast(Pull, maps.zip_arrays(arrays))


def unzip(array: Pull) -> Any:
    """A tuple (or record) of arrays, one for each part of the elements.

    Raises TraceError if the elements are not tuples.
    """
    if require(array, "unzip").type.element.shape is None:
        raise TraceError("unzip takes an array of tuples, and the elements of this one are numbers")
    return array.unzip()

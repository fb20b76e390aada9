"""Elementwise operations and index maps.

In: pull and push arrays, Python functions of elements and indices, extents. Out: virtual arrays;
nothing is stored. The methods of the classes in pull_push.py call these functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from .errors import TraceError
from .regions import (
    Array,
    Bounded,
    Extent,
    apply,
    as_index,
    as_leaves,
    brackets,
    brief_types,
    flat_extents,
    make_array,
    make_leaf,
    names,
    new_arguments,
    new_indices,
    numbers,
    scalar_code,
    split_extents,
    static_number,
    types,
)
from .scalars import Scalar, make
from .trace import current, is_known, use
from .types import ArrayType, Element, index

#: The kind of an array, pull or push, which an index map keeps.
A = TypeVar("A", bound=Array)


def _place_of(array: Array, dimension: int) -> int:
    """The number of a dimension, which may count from the end."""
    rank = array.type.rank
    if not -rank <= dimension < rank:
        raise TraceError(f"there is no dimension {dimension}: the array has {rank}")
    return dimension % rank


def dim(array: Array, dimension: int) -> Any:
    """The extent of a dimension: a Python number, or an index that is known at run time."""
    place = _place_of(array, dimension)
    extent = array.type.extents[place]
    if extent is not None:
        return extent
    known = array.dims.get(place)
    if known is None or not is_known(known):
        text = f"obs.dim {use(array)}, {place} : {array.type}"
        known = make(index, current().emit(text, 1, is_pure=True)[0], True)
        array.dims[place] = known
        bound = array.type.bounds[place]
        if bound is not None:
            current().bounds[known.name] = bound
    return known


def _shared_type(arrays: Sequence[Array]) -> tuple[ArrayType, bool]:
    """The type of the result for arrays of equal extents, and if the text implies this type."""
    ranks = {array.type.rank for array in arrays}
    if len(ranks) > 1:
        raise TraceError(f"arrays of ranks {sorted(ranks)} do not go together: only scalars spread")
    totals = [array.name in current().totals for array in arrays]
    if any(totals) and any(array.type.extents != (1,) for array in arrays):
        raise TraceError(
            "a reduction at level grid is an array of one element, and goes together with others "
            "of one element only: read the element, as in a.max().force()[0]"
        )
    implied = next((a.type for a in arrays if None not in a.type.extents), arrays[0].type)
    extents = list(implied.extents)
    bounds = list(implied.bounds)
    for array in arrays:
        for d, (extent, bound) in enumerate(zip(array.type.extents, array.type.bounds)):
            if extents[d] is None:
                extents[d] = extent
                bounds[d] = bound if bounds[d] is None else bounds[d]
    merged = ArrayType(tuple(extents), implied.element, tuple(bounds))
    return merged, merged.extents == implied.extents and merged.bounds == implied.bounds


def map_arrays(function: Callable[..., Any], arrays: Sequence[Array]) -> Any:
    """Apply a function to each element of arrays of equal extents."""
    for array in arrays:
        if not isinstance(array, Array):
            raise TraceError("map takes arrays; a number or a scalar is part of the function")
        if array.runs_late:
            return array.mapped(function, arrays)
    return map_now(function, arrays)


def map_now(function: Callable[..., Any], arrays: Sequence[Array]) -> Any:
    """Emit the map of arrays. Pending arrays among them are read."""
    groups: list[list[Any]] = []

    def arguments() -> list[Any]:
        groups.extend(new_arguments(array.type.element.leaves) for array in arrays)
        return [leaf for group in groups for leaf in group]

    def call(_: list[Any]) -> Any:
        pairs = zip(arrays, groups)
        return apply(function, *[v for a, group in pairs for v in a.type.element.arguments(group)])

    body = scalar_code(arguments, call)
    shared, is_implied = _shared_type(arrays)
    level = next((a.type.level for a in arrays if a.type.level is not None), None)
    result = ArrayType(shared.extents, body.element, shared.bounds, level)
    ending = "" if is_implied else f" -> {result}"
    if body.short:
        text = f"obs.map {body.short} {names(arrays)} : {brief_types(arrays)}{ending}"
        found = current().emit(text, 1, is_pure=True)
    else:
        bindings = [
            f"{', '.join(leaf.name for leaf in group)} = {use(array)} : {array.type}"
            for array, group in zip(arrays, groups)
        ]
        text = f"obs.map ({', '.join(bindings)}){ending}"
        found = current().emit(text, 1, [body.region], is_pure=True)
    if any(array.name in current().totals for array in arrays):
        current().totals.update(found)
    return make_array(result, found[0])


def place_at(array: Array, dimension: int, place: Any) -> Any:
    """The index of an element in a dimension: a number, or a traced integer.

    A number may count from the end. It is an error if it is out of range, unless the array has no
    elements: code that reads elements is traced then, but does not run.
    """
    number = static_number(place)
    if number is None:
        return place
    extent = array.type.extents[dimension]
    if extent and not -extent <= number < extent:
        raise TraceError(f"index {number} is out of range: the extent is {extent}")
    return dim(array, dimension) + number if number < 0 else number


def get(array: Array, indices: Sequence[Any]) -> Any:
    """The element at an index."""
    places = [as_index(place_at(array, d, place)) for d, place in enumerate(indices)]
    leaves = array.type.element.leaves
    text = f"obs.get {use(array)}[{names(places)}] : {array.type}"
    found = current().emit(text, len(leaves))
    return array.type.element.value([make_leaf(leaf, n) for leaf, n in zip(leaves, found)])


def slice_array(array: Array, offsets: Sequence[Any], sizes: Sequence[Extent], strides: Any) -> Any:
    """The elements `offset + i * stride` of each dimension, for i below the size."""
    rank = array.type.rank
    if not len(offsets) == len(sizes) == len(strides) == rank:
        raise TraceError(f"a slice of an array of rank {rank} has {rank} offsets, sizes, strides")
    static, limits, _ = split_extents(sizes)
    implied = [
        None if bound is None else -(-bound // stride)
        for bound, stride in zip(array.type.bounds, strides)
    ]
    bounds = [b if limit is None else limit for limit, b in zip(limits, implied)]
    result = ArrayType(tuple(static), array.type.element, tuple(bounds))
    is_implied = result == ArrayType(tuple(static), array.type.element, tuple(implied))
    values = [size.extent if isinstance(size, Bounded) else size for size in sizes]
    text = (
        f"obs.slice {use(array)} {numbers(offsets)} {numbers(values)} {numbers(strides)}"
        f" : {array.type}"
    )
    if not is_implied:
        text += f" -> {result}"
    # A part of a vector with adjacent elements is also in memory.
    is_stored = array.is_stored and list(strides) == [1]
    return make_array(result, current().emit(text, 1, is_pure=True)[0], is_stored)


def reindex(
    array: Array,
    function: Callable[..., Any],
    extents: Sequence[Extent | Sequence[Extent]],
    unchecked: bool,
) -> Any:
    """Gather from a pull array, or move the elements of a push array; see `Array.ix_map`."""
    is_push = array.type.level is not None
    shape = flat_extents(extents)
    static, bounds, values = split_extents(shape)
    arity = array.type.rank if is_push else len(shape)
    target = len(shape) if is_push else array.type.rank

    def call(indices: list[Any]) -> Any:
        found = apply(function, *indices)
        places = list(found) if isinstance(found, tuple) else [found]
        if len(places) != target:
            raise TraceError(f"the function returns {len(places)} indices, and {target} are needed")
        return tuple(as_index(place) for place in places)

    body = scalar_code(lambda: new_indices(arity), call)
    result = ArrayType(tuple(static), array.type.element, tuple(bounds), array.type.level)
    arguments = ", ".join(argument.name for argument in body.arguments)
    text = f"obs.reindex ({arguments}) = {use(array)}{brackets(values)}"
    text += " unchecked" if unchecked else ""
    tail = f" : {array.type} -> {result}"
    return make_array(result, current().emit(text, 1, [body.region], tail, is_pure=True)[0])


def _same_kind(array: A, text: str, extents: Sequence[int | None], bounds: Any) -> A:
    kind = ArrayType(tuple(extents), array.type.element, tuple(bounds), array.type.level)
    return cast(A, make_array(kind, current().emit(text, 1, is_pure=True)[0]))


def reverse(array: A, dimension: int) -> A:
    """The last element first, along one dimension."""
    number = _place_of(array, dimension)
    place = f" dim {number}" if number else ""
    text = f"obs.reverse {use(array)}{place} : {array.type}"
    return _same_kind(array, text, array.type.extents, array.type.bounds)


def transpose(array: A, permutation: Sequence[int | Sequence[int]]) -> A:
    """Dimension d of the result is dimension `permutation[d]` of the array."""
    order = list(flat_extents(permutation))
    if sorted(order) != list(range(array.type.rank)):
        raise TraceError(f"{tuple(order)} is no permutation of {array.type.rank} dimensions")
    text = f"obs.transpose {use(array)} {order} : {array.type}"
    extents = [array.type.extents[d] for d in order]
    return _same_kind(array, text, extents, [array.type.bounds[d] for d in order])


def take(array: A, counts: Sequence[Extent | Sequence[Extent]]) -> A:
    """The first elements of each dimension."""
    kept = flat_extents(counts)
    static, _, _ = split_extents(kept)
    text = f"obs.take {use(array)} {numbers(kept)} : {array.type}"
    result = _same_kind(array, text, static, array.type.bounds)
    result.is_stored = array.is_stored and array.type.rank == 1
    return result


def _rest(array: Array, others: Sequence[Extent]) -> Extent:
    """The extent that -1 stands for beside others. The reshape checks the number of elements."""
    static, _, values = split_extents(others)
    known = math.prod(extent for extent in static if extent is not None)
    total = dim(array, 0)
    for d in range(1, array.type.rank):
        total = total * dim(array, d)
    if not values and (not known or (isinstance(total, int) and total % known)):
        count = f"{total} elements" if isinstance(total, int) else "elements"
        raise TraceError(
            f"-1 stands for no number: the array has {count}, and the product of the other extents "
            f"is {known}"
        )
    divisor: Any = known
    for value in values:
        divisor = value * divisor
    rest: int | Scalar = total // divisor
    if isinstance(rest, int) or values or None in array.type.bounds:
        return rest
    return Bounded(rest, math.prod(b for b in array.type.bounds if b is not None) // known)


def reshape(array: Array, extents: Sequence[Extent | Sequence[Extent]]) -> Any:
    """The same elements in row-major order with other extents, one of which may be -1."""
    shape = [*flat_extents(extents)]
    open_places = [d for d, extent in enumerate(shape) if isinstance(extent, int) and extent == -1]
    if len(open_places) > 1:
        raise TraceError("one extent of a reshape may be -1, which stands for the other elements")
    for place in open_places:
        shape[place] = _rest(array, [*shape[:place], *shape[place + 1 :]])
    static, bounds, values = split_extents(shape)
    kind = ArrayType(tuple(static), array.type.element, tuple(bounds), array.type.level)
    text = f"obs.reshape {use(array)}{brackets(values)} : {array.type} -> {kind}"
    return make_array(kind, current().emit(text, 1, is_pure=True)[0], array.is_stored)


def split(array: Array, sizes: Sequence[Any], pad: Any, strided: bool) -> Any:
    """An array of chunks of the given sizes."""
    if len(sizes) != array.type.rank:
        raise TraceError(f"split takes {array.type.rank} sizes, one for each dimension")
    static, _, _ = split_extents(sizes)
    text = f"obs.split {use(array)}{' strided' if strided else ''} by {numbers(sizes)}"
    if pad is not None:
        text += f" pad {names(as_leaves(pad, array.type.element)[0])}"
    extents, bounds = [], []
    for size, extent, bound in zip(static, array.type.extents, array.type.bounds):
        extents.append(-(-extent // size) if extent is not None and size else None)
        bounds.append(-(-bound // size) if bound is not None and size else bound)
    chunk = ArrayType(tuple(static), array.type.element)
    result = ArrayType(tuple(extents), Element((chunk,)), tuple(bounds))
    return make_array(result, current().emit(f"{text} : {array.type}", 1, is_pure=True)[0])


def _product(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a * b


def join(array: Array, to: Any, strided: bool) -> Any:
    """The inverse of `split`: one array of the elements of all chunks."""
    kind = array.type
    inner = kind.element.leaves[0]
    if isinstance(inner, ArrayType):
        rank, chunk, first, element = kind.rank, inner, 0, inner.element
    elif kind.rank % 2 == 0:
        rank, chunk, first, element = kind.rank // 2, kind, kind.rank // 2, kind.element
    else:
        raise TraceError(
            "join takes an array of arrays, or an array of an even number of dimensions"
        )
    parts = range(rank)
    extents = [_product(kind.extents[d], chunk.extents[first + d]) for d in parts]
    bounds = [_product(kind.bounds[d], chunk.bounds[first + d]) for d in parts]
    text = f"obs.join {use(array)}{' strided' if strided else ''}"
    if to is not None:
        targets = list(to) if isinstance(to, (tuple, list)) else [to]
        extents, _, _ = split_extents(targets)
        text += f" to {numbers(targets)}"
    result = ArrayType(tuple(extents), element, tuple(bounds), kind.level)
    return make_array(result, current().emit(f"{text} : {kind}", 1, is_pure=True)[0])


def nest(array: Array, dims: int) -> Any:
    """An array of arrays: the first `dims` dimensions stay outside."""
    kind = array.type
    if not 1 <= dims < kind.rank:
        if kind.rank == 1:
            raise TraceError("an array of one dimension has no rows: a.split(k) makes chunks")
        raise TraceError(f"nest keeps 1 to {kind.rank - 1} of {kind.rank} dimensions, not {dims}")
    inner = ArrayType(kind.extents[dims:], kind.element, kind.bounds[dims:])
    result = ArrayType(kind.extents[:dims], Element((inner,)), kind.bounds[:dims])
    text = f"obs.nest {use(array)} dims {dims} : {kind}"
    return make_array(result, current().emit(text, 1, is_pure=True)[0])


def unnest(array: Array) -> Any:
    """One array of the dimensions of an array of arrays and of its elements."""
    inner = array.type.element.leaves[0]
    if not isinstance(inner, ArrayType):
        raise TraceError("unnest takes an array of arrays")
    kind = array.type
    result = ArrayType(kind.extents + inner.extents, inner.element, kind.bounds + inner.bounds)
    text = f"obs.unnest {use(array)} : {kind}"
    return make_array(result, current().emit(text, 1, is_pure=True)[0])


def zip_arrays(arrays: Sequence[Array]) -> Any:
    """One array of tuples of arrays of equal extents."""
    shared, is_implied = _shared_type(arrays)
    leaves = tuple(leaf for array in arrays for leaf in array.type.element.leaves)
    element = Element(leaves, (tuple, tuple(array.type.element.shape for array in arrays)))
    result = ArrayType(shared.extents, element, shared.bounds)
    text = f"obs.zip {names(arrays)} : {brief_types(arrays)}"
    text += "" if is_implied else f" -> {result}"
    is_stored = all(array.is_stored for array in arrays)
    return make_array(result, current().emit(text, 1, is_pure=True)[0], is_stored)


def unzip(array: Array) -> Any:
    """A tuple (or a record) of arrays, one for each component of the elements."""
    kind = array.type
    leaves = kind.element.leaves
    found = current().emit(f"obs.unzip {use(array)} : {kind}", len(leaves), is_pure=True)
    parts = [
        make_array(kind.with_element(Element((leaf,))), n, array.is_stored)
        for leaf, n in zip(leaves, found)
    ]
    return kind.element.value(parts)


def concat(arrays: Sequence[Array], dimension: int) -> Any:
    """The arrays one after the other along a dimension."""
    if not arrays:
        raise TraceError("concat takes arrays, as in obs.concat(a, b), or a generator of them")
    first = arrays[0].type
    ranks = {array.type.rank for array in arrays}
    if len(ranks) > 1:
        raise TraceError(
            f"concat takes arrays of one rank, not of {sorted(ranks)}: a.reshape adds dimensions"
        )
    dimension = _place_of(arrays[0], dimension)
    extents, bounds = list(first.extents), list(first.bounds)
    for known, part in ((extents, "extents"), (bounds, "bounds")):
        sizes = [getattr(array.type, part)[dimension] for array in arrays]
        known[dimension] = None if None in sizes else sum(sizes)
    place = f" dim {dimension}" if dimension else ""
    text = f"obs.concat {names(arrays)}{place} : {brief_types(arrays)}"
    return _same_kind(arrays[0], text, extents, bounds)


def interleave(arrays: Sequence[Array]) -> Any:
    """Element `k * i + j` of the result is element i of array j of k arrays."""
    implied = next((a for a in arrays if None not in a.type.extents), arrays[0])
    count = len(arrays)
    extents = [_product(implied.type.extents[0], count), *implied.type.extents[1:]]
    bounds = [_product(implied.type.bounds[0], count), *implied.type.bounds[1:]]
    text = f"obs.interleave {names(arrays)} : {brief_types(arrays)}"
    return _same_kind(implied, text, extents, bounds)


def select_array(condition: Scalar, yes: Array, no: Array) -> Any:
    """One of two arrays of one type, by one condition."""
    if yes.type != no.type:
        raise TraceError(f"a choice between arrays of different types, {types((yes, no))}")
    text = f"arith.select {names((condition, yes, no))} : {yes.type}"
    return make_array(yes.type, current().emit(text, 1, is_pure=True)[0])

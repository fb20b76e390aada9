"""Arrays that do not depend on other arrays: generate, iota, full, zeros, ones, table, indices.

In: extents, numbers, Python functions of an index, NumPy arrays. Out: virtual pull arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from .errors import TraceError
from .literals import number_of, spell_number
from .regions import (
    Extent,
    apply,
    as_leaves,
    brackets,
    element_type_of,
    flat_extents,
    make_array,
    names,
    new_indices,
    scalar_code,
    split_extents,
)
from .scalars import Scalar, checked_type, element_type
from .trace import current
from .types import ArrayType, Element, f32, index

if TYPE_CHECKING:
    from .pull_push import Pull


def generate(*extents: Extent | Sequence[Extent]) -> Callable[[Callable[..., Any]], Pull]:
    """The array of the values of a function of the index. Use it as a decorator, or call it.

    `generate(n)(lambda i: i * i)` has n elements. The function takes one index for each extent. The
    extents may be one tuple, such as `a.shape`.
    """
    shape = flat_extents(extents)
    for extent in shape:
        if callable(extent):
            raise TraceError("generate takes the extents first: obs.generate(n)(lambda i: i * i)")

    def make(function: Callable[..., Any]) -> Pull:
        static, bounds, values = split_extents(shape)
        body = scalar_code(
            lambda: new_indices(len(shape)), lambda indices: apply(function, *indices)
        )
        kind = ArrayType(tuple(static), body.element, tuple(bounds))
        arguments = ", ".join(argument.name for argument in body.arguments)
        text = f"obs.generate ({arguments}){brackets(values)}"
        found = current().emit(text, 1, [body.region], f" : {kind}", is_pure=True)
        return cast("Pull", make_array(kind, found[0]))

    return make


def indices(*extents: Extent | Sequence[Extent]) -> Pull:
    """The array whose elements are their indices: numbers, or tuples for several extents."""
    return generate(*extents)(lambda *place: place if len(place) > 1 else place[0])


def iota(extent: Extent, dtype: type[Scalar] = index) -> Pull:
    """The array 0, 1, 2, ... of integers or indices, as many as `extent`."""
    static, bounds, values = split_extents([extent])
    kind = ArrayType(tuple(static), Element((checked_type(dtype, True),)), tuple(bounds))
    text = f"obs.iota{brackets(values)} : {kind}"
    return cast("Pull", make_array(kind, current().emit(text, 1, is_pure=True)[0]))


def full(extents: Extent | Sequence[Extent], value: Any, dtype: type[Scalar] | None = None) -> Pull:
    """The array whose elements are all equal.

    Without `dtype`, a Python number is an i32, f32 or i1.
    """
    static, bounds, values = split_extents(flat_extents([extents]))
    leaves, how = as_leaves(value, None if dtype is None else Element((checked_type(dtype),)))
    kind = ArrayType(tuple(static), element_type_of(leaves, how), tuple(bounds))
    text = f"obs.splat {names(leaves)}{brackets(values)} : {kind}"
    return cast("Pull", make_array(kind, current().emit(text, 1, is_pure=True)[0]))


def zeros(*extents: Extent | Sequence[Extent], dtype: type[Scalar] = f32) -> Pull:
    """The array of zeros. The extents may be one tuple, as in `generate`."""
    return full(flat_extents(extents), 0, dtype)


def ones(*extents: Extent | Sequence[Extent], dtype: type[Scalar] = f32) -> Pull:
    """The array of ones. The extents may be one tuple, as in `generate`."""
    return full(flat_extents(extents), 1, dtype)


def table(values: Any, dtype: type[Scalar] | None = None) -> Pull:
    """An array of constants: a NumPy array, or nested lists of numbers.

    Without `dtype`, Python integers are i32 and floats f32; a NumPy array has its own type.
    """
    try:
        numbers = np.asarray(values)
    except (ValueError, OverflowError) as error:
        raise TraceError(f"a table has rows of one length: {error}") from None
    if isinstance(values, np.ma.MaskedArray):
        raise TraceError("a table has no mask: write obs.table(x.filled(0)), and a table of flags")
    if numbers.ndim == 0 or numbers.dtype.kind not in "biuf":
        raise TraceError("a table is a list or array of numbers with at least one dimension")
    if dtype is None:
        bits = numbers.itemsize * 8
        names_of = {"b": "i1", "i": f"i{bits}", "u": f"i{bits}", "f": f"f{bits}"}
        own = names_of
        if not isinstance(values, np.ndarray):
            own = {"b": "i1", "i": "i32", "u": "i32", "f": "f32"}
        dtype = element_type(own[numbers.dtype.kind])
    kind = ArrayType(numbers.shape, Element((checked_type(dtype),)))
    extents = "x".join(map(str, numbers.shape))
    elements = _literal(numbers.tolist(), dtype)
    text = f"obs.constant dense<{elements}> : tensor<{extents}x{dtype.type_name}>"
    return cast("Pull", make_array(kind, current().emit(text, 1, is_pure=True)[0]))


def _literal(values: Any, dtype: type[Scalar]) -> str:
    if isinstance(values, list):
        return f"[{', '.join(_literal(value, dtype) for value in values)}]" if values else ""
    return spell_number(number_of(values, dtype), dtype)

"""Arguments of a call: checks against the types of the parameters.

In: the types of the parameters, and NumPy arrays and numbers. Out: contiguous arrays and numbers
for the backend, in the order of the program, or an error that names the parameter.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import ArgumentError, ArgumentTypeError, TraceError
from .scalars import Scalar, number_of
from .types import ParameterType, flatten


def check_arguments(parameters: dict[str, Any], given: dict[str, Any]) -> list[Any]:
    """The components of all arguments, checked."""
    values: list[Any] = []
    extents: dict[str, tuple[str, int]] = {}
    for name, kind in parameters.items():
        if isinstance(kind, ParameterType):
            values += _arrays(name, kind, given[name], extents)
        else:
            values.append(_number(name, kind, given[name]))
    return values


def _number(name: str, kind: type[Scalar], value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if kind.kind == "float" and isinstance(value, np.floating):
        value = float(value)
    elif kind.kind != "float" and isinstance(value, np.integer):
        value = int(value)
    elif isinstance(value, np.bool_):
        value = bool(value)
    is_float = isinstance(value, float)
    if not isinstance(value, (int, float)) or (is_float and kind.kind != "float"):
        raise ArgumentTypeError(f"{name} is {kind.type_name}, and {value!r} is not")
    try:
        return number_of(value, kind)
    except TraceError as error:
        raise ArgumentError(f"{name}: {error.message}") from None


def _arrays(
    name: str, kind: ParameterType, value: Any, extents: dict[str, tuple[str, int]]
) -> list[Any]:
    leaves, _ = flatten(value)
    element = kind.type.element
    if len(leaves) != len(element.leaves):
        raise ArgumentTypeError(
            f"{name} has elements of {len(element.leaves)} components, so it takes as many arrays "
            f"in a tuple, not {len(leaves)}"
        )
    arrays = [_array(name, leaf, array) for leaf, array in zip(element.leaves, leaves)]
    for array in arrays:
        if array.ndim != kind.type.rank:
            raise ArgumentTypeError(f"{name} has {kind.type.rank} dimensions, not {array.ndim}")
        if array.shape != arrays[0].shape:
            raise ArgumentError(f"the arrays of {name} differ in their extents")
    for d, (size, label) in enumerate(zip(arrays[0].shape, kind.names)):
        extent, bound = kind.type.extents[d], kind.type.bounds[d]
        if extent is not None and size != extent:
            raise ArgumentError(f"dimension {d} of {name} has {size} elements, not {extent}")
        if bound is not None and size > bound:
            raise ArgumentError(f"dimension {d} of {name} has {size} elements, more than {bound}")
        if label is not None:
            first, before = extents.setdefault(label, (name, size))
            if before != size:
                raise ArgumentError(f"{label} is {before} in {first}, {size} in {name}")
    return arrays


def _array(name: str, leaf: Any, value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        raise ArgumentTypeError(
            f"{name} is an array of {leaf.type_name}, not {type(value).__name__}: "
            f"pass a NumPy array, as in np.asarray(x, np.{leaf.dtype})"
        )
    is_unsigned = value.dtype.kind == "u" and value.dtype.itemsize == leaf.dtype.itemsize
    if value.dtype != leaf.dtype and not (is_unsigned and leaf.kind in ("int", "index")):
        raise ArgumentTypeError(
            f"the elements of {name} are {leaf.type_name}, and the array has {value.dtype}: "
            f"convert it, as in x.astype(np.{leaf.dtype})"
        )
    return np.ascontiguousarray(value).reshape(value.shape)

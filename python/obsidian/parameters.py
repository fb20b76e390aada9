"""The parameters of a program, and the checks of the arguments of a call.

In: the types of the parameters, and values: arrays of any framework, and numbers. Out: views and
numbers in the order of the program, or an error that names the parameter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

from . import interop
from .errors import ArgumentError, ArgumentTypeError, TraceError
from .literals import number_of
from .scalars import Scalar, most
from .types import ParameterType, flatten, spell
from .views import CPU, DTYPES, Traced, View, place_of

#: The element types of arrays that a parameter accepts in addition to its own.
_ALSO = {"i8": "u8", "i16": "u16", "i32": "u32", "i64": "u64", "bf16": "u16"}
#: The named extents: the first parameter with the name, and the number.
Sizes = dict[str, tuple[str, int]]


class Parameter:
    """A parameter of a program: an array, or a number."""

    name: str
    #: The number of values that the program takes for it.
    components = 1
    #: The name of the type of a number; None for an array.
    number: str | None = None
    #: Of an array, the names of the elements of its components, and the number of dimensions.
    elements: Sequence[str] = ()
    rank = 0
    #: The dimensions that are checked: number, extent, bound, name.
    dimensions: Sequence[tuple[int, int | None, int | None, str | None]] = ()

    def add(self, value: Any, items: list[Any], sizes: Sizes) -> None:
        """Check a value, and append the values for the program: views, or a number."""
        raise NotImplementedError


class _Number(Parameter):
    def __init__(self, name: str, kind: type[Scalar]) -> None:
        self.name, self._kind = name, kind
        self.number = spell(kind)
        self._is_float = kind.kind == "float"
        #: A float with at most this magnitude needs no other test; the largest is enough.
        self._most: float = getattr(kind, "max", 0)

    def add(self, value: Any, items: list[Any], sizes: Sizes) -> None:
        if self._is_float and type(value) is float and -self._most <= value <= self._most:
            items.append(value)
            return
        view = interop.view_of(value, self.name)
        if view is not None:
            if type(view) is Traced:
                self._check_traced(view)
                items.append(view)
                return
            if view.device != CPU:
                raise ArgumentTypeError(
                    f"{self.name} is a number, and this one is {place_of(view.device)}, so that "
                    f"the host would wait for it: pass {self.name}.item()"
                )
            if not view.shape and view.element != "bf16":
                value = view.framework.to_host(view)
        items.append(_number_of(self.name, self._kind, value))

    def _check_traced(self, view: View) -> None:
        kind = DTYPES[view.element].kind if view.element != "bf16" else "f"
        expected = {"float": "f", "bool": "b"}.get(self._kind.kind, "iu")
        if view.shape or kind not in expected:
            raise ArgumentTypeError(
                f"{self.name} is {self._kind.type_name}, and JAX traces {view.element} with "
                f"{view.ndim} dimensions"
            )


def _number_of(name: str, kind: type[Scalar], value: Any) -> Any:
    """A number of the host in the form that the program takes, in the range of its type.

    An unsigned number of NumPy of the same size stands for its bits, as in arrays.
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    is_bits = isinstance(value, np.unsignedinteger) and value.dtype.itemsize * 8 == kind.bits
    if kind.kind == "float" and isinstance(value, np.floating):
        value = float(value)
    elif kind.kind != "float" and isinstance(value, np.integer):
        value = int(value)
    elif isinstance(value, np.bool_):
        value = bool(value)
    is_float = isinstance(value, float)
    if not isinstance(value, (int, float)) or (is_float and kind.kind != "float"):
        raise ArgumentTypeError(f"{name} is {kind.type_name}, and {value!r} is not")
    if kind.kind == "int" and not is_bits and most(kind) < value < 1 << kind.bits:
        raise ArgumentError(
            f"{name}: {value} is out of the range of {kind.type_name}: "
            f"np.uint{kind.bits}({value}) stands for its bits"
        )
    try:
        return number_of(value, kind)
    except TraceError as error:
        raise ArgumentError(f"{name}: {error.message}") from None


class _Array(Parameter):
    def __init__(self, name: str, kind: ParameterType) -> None:
        self.name = name
        leaves = kind.type.element.leaves
        self.components = len(leaves)
        self._is_plain = kind.type.element.shape is None
        self._leaves: tuple[Any, ...] = leaves
        names = ["i64" if spell(leaf) == "index" else spell(leaf) for leaf in leaves]
        self.elements = names
        self._accepted = [{name, _ALSO.get(name, name)} for name in names]
        self.rank = kind.type.rank
        self.dimensions = [
            dimension
            for dimension in zip(range(self.rank), kind.type.extents, kind.type.bounds, kind.names)
            if dimension[1:] != (None, None, None)
        ]

    def add(self, value: Any, items: list[Any], sizes: Sizes) -> None:
        view = interop.view_of(value, self.name) if self.components == 1 else None
        if view is not None:
            shape = view.shape
            if view.element not in self._accepted[0] or len(shape) != self.rank:
                self._refuse(0, view)
            items.append(view)
        else:
            shape = self._views(value, items)
        for d, extent, bound, label in self.dimensions:
            size = shape[d]
            if extent is not None and size != extent:
                raise ArgumentError(
                    f"dimension {d} of {self.name} has {size} elements, not {extent}"
                )
            if bound is not None and size > bound:
                raise ArgumentError(
                    f"dimension {d} of {self.name} has {size} elements, more than {bound}"
                )
            if label is not None:
                first, before = sizes.setdefault(label, (self.name, size))
                if before != size:
                    raise ArgumentError(f"{label} is {before} in {first}, {size} in {self.name}")

    def _views(self, value: Any, items: list[Any]) -> tuple[int, ...]:
        """Append the views of the components, and return their extents."""
        # A list of numbers is no array, and not a tuple of arrays either.
        leaves = [value] if self._is_plain else flatten(value)[0]
        if len(leaves) != self.components:
            raise ArgumentTypeError(
                f"{self.name} has elements of {self.components} components, so it takes as many "
                f"arrays in a tuple, not {len(leaves)}"
            )
        views = []
        for number, leaf in enumerate(leaves):
            view = interop.view_of(leaf, self.name)
            if view is None:
                raise ArgumentTypeError(
                    f"{self.name} is an array of {self._leaves[number].type_name}, not "
                    f"{type(leaf).__name__}: pass an array, as in "
                    f"np.asarray(x, np.{self._leaves[number].dtype})"
                )
            if view.element not in self._accepted[number] or len(view.shape) != self.rank:
                self._refuse(number, view)
            views.append(view)
        if any(tuple(view.shape) != tuple(views[0].shape) for view in views):
            raise ArgumentError(f"the arrays of {self.name} differ in their extents")
        items += views
        return views[0].shape

    def _refuse(self, number: int, view: View) -> NoReturn:
        leaf = self._leaves[number]
        if view.element in self._accepted[number]:
            raise ArgumentTypeError(
                f"{self.name} has {self.rank} dimensions, not {len(view.shape)}"
            )
        dtype = "bfloat16" if view.element == "bf16" else view.dtype
        is_torch = view.framework.name == "PyTorch"
        form = f"to(torch.{leaf.dtype})" if is_torch else f"astype(np.{leaf.dtype})"
        raise ArgumentTypeError(
            f"the elements of {self.name} are {leaf.type_name}, and the array has {dtype}: "
            f"convert it, as in x.{form}"
        )


def parameters_of(kinds: Mapping[str, Any]) -> list[Parameter]:
    """The parameters with these types."""
    return [
        _Array(name, kind) if isinstance(kind, ParameterType) else _Number(name, kind)
        for name, kind in kinds.items()
    ]

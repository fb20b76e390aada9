"""Element types, elements that are tuples, and array types.

In: annotations such as `f32`, `(i32, f32)`, a NamedTuple, a dataclass, `Pull["n", f32]` or
`Annotated[Pull, "n", f32]`. Out: `Element` and `ArrayType`, which print as types of the dialect.
They flatten values of Python into leaves, and make values of leaves.
"""

from __future__ import annotations

import dataclasses
import math
import re
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Union

import numpy as np

from .errors import TraceError
from .levels import Level
from .scalars import Scalar, register


class _Integer(Scalar):
    kind = "int"
    #: The largest and the smallest number with a sign.
    max: ClassVar[int]
    min: ClassVar[int]


class _Float(Scalar):
    kind = "float"
    #: The largest and the smallest finite number, and infinity.
    max: ClassVar[float]
    min: ClassVar[float]
    inf: ClassVar[float] = float("inf")


@register
class i1(Scalar):
    """True or false."""

    type_name, kind, bits, dtype = "i1", "bool", 1, np.dtype(np.bool_)


@register
class i8(_Integer):
    """An integer of 8 bits."""

    type_name, bits, dtype, max, min = "i8", 8, np.dtype(np.int8), 2**7 - 1, -(2**7)


@register
class i16(_Integer):
    """An integer of 16 bits."""

    type_name, bits, dtype, max, min = "i16", 16, np.dtype(np.int16), 2**15 - 1, -(2**15)


@register
class i32(_Integer):
    """An integer of 32 bits."""

    type_name, bits, dtype, max, min = "i32", 32, np.dtype(np.int32), 2**31 - 1, -(2**31)


@register
class i64(_Integer):
    """An integer of 64 bits."""

    type_name, bits, dtype, max, min = "i64", 64, np.dtype(np.int64), 2**63 - 1, -(2**63)


@register
class index(_Integer):
    """An extent, an index of an array, or a count: an integer of 64 bits."""

    type_name, bits, dtype, max, min = "index", 64, np.dtype(np.int64), 2**63 - 1, -(2**63)
    kind = "index"


@register
class f16(_Float):
    """A float of 16 bits."""

    type_name, bits, dtype, max, min = "f16", 16, np.dtype(np.float16), 65504.0, -65504.0


@register
class bf16(_Float):
    """A float of 16 bits with the exponents of f32. NumPy arrays hold its bits as uint16."""

    type_name, bits, dtype = "bf16", 16, np.dtype(np.uint16)
    max, min = 255 * 2.0**120, -255 * 2.0**120


@register
class f32(_Float):
    """A float of 32 bits."""

    type_name, bits, dtype = "f32", 32, np.dtype(np.float32)
    max, min = float(np.finfo(np.float32).max), float(np.finfo(np.float32).min)


@register
class f64(_Float):
    """A float of 64 bits."""

    type_name, bits, dtype = "f64", 64, np.dtype(np.float64)
    max, min = float(np.finfo(np.float64).max), float(np.finfo(np.float64).min)


#: A component of an element in the program: a scalar or a pull array.
Leaf = Union[type[Scalar], "ArrayType"]
#: The form of a Python value: None for a leaf, or a class and the forms of its parts.
Shape = tuple[type, tuple["Shape", ...]] | None


def _fields(kind: type) -> list[str]:
    """The names of the fields of a NamedTuple or dataclass class."""
    if dataclasses.is_dataclass(kind):
        return [f.name for f in dataclasses.fields(kind)]
    return list(kind._fields)  # type: ignore[attr-defined]


def _is_record(kind: object) -> bool:
    return isinstance(kind, type) and (
        dataclasses.is_dataclass(kind) or (issubclass(kind, tuple) and hasattr(kind, "_fields"))
    )


def flatten(value: object) -> tuple[list[Any], Shape]:
    """The leaves of a value in order, and the form of the value."""
    parts: list[object]
    kind = type(value)
    if _is_record(kind):
        parts = [getattr(value, name) for name in _fields(kind)]
    elif kind in (tuple, list):
        kind, parts = tuple, list(typing.cast("tuple[object]", value))
    else:
        return [value], None
    flat = [flatten(part) for part in parts]
    return [leaf for leaves, _ in flat for leaf in leaves], (kind, tuple(s for _, s in flat))


def build(shape: Shape, leaves: Iterator[Any]) -> Any:
    """The inverse of `flatten`."""
    if shape is None:
        return next(leaves)
    kind, parts = shape
    values = [build(part, leaves) for part in parts]
    if kind is tuple:
        return tuple(values)
    return kind(**dict(zip(_fields(kind), values)))


@dataclass(frozen=True)
class Element:
    """The type of the elements of an array: one leaf, or several that form a Python value."""

    leaves: tuple[Leaf, ...]
    shape: Shape = None

    def __str__(self) -> str:
        return ", ".join(map(str, map(spell, self.leaves)))

    def value(self, leaves: list[Any]) -> Any:
        """The Python value of an element with these leaves."""
        return build(self.shape, iter(leaves))

    def arguments(self, leaves: list[Any]) -> list[Any]:
        """The arguments of a function of the element: the parts of a plain tuple, or one value."""
        value = self.value(leaves)
        is_plain = self.shape is not None and self.shape[0] is tuple
        return list(value) if is_plain else [value]

    def require_scalar(self) -> type[Scalar]:
        """The type of an element that is one scalar; an error if it is not."""
        leaf = self.leaves[0]
        if self.shape is not None or isinstance(leaf, ArrayType):
            raise TraceError(
                f"the elements are {'tuples' if self.shape else 'arrays'}, not numbers: "
                "use map with a function of an element"
            )
        return leaf


def spell(leaf: Leaf) -> str:
    """The type of a leaf in the program text."""
    return str(leaf) if isinstance(leaf, ArrayType) else leaf.type_name


def element_of(annotation: object) -> Element:
    """The element type of an annotation."""
    if isinstance(annotation, type) and issubclass(annotation, Scalar):
        return Element((annotation,))
    if isinstance(annotation, ArrayType):
        return Element((annotation,))
    if isinstance(annotation, Element):
        return annotation
    kind: type
    parts: list[object]
    if isinstance(annotation, tuple):
        kind, parts = tuple, list(annotation)
    elif typing.get_origin(annotation) is tuple:
        kind, parts = tuple, list(typing.get_args(annotation))
    elif _is_record(annotation):
        kind = typing.cast(type, annotation)
        hints = typing.get_type_hints(kind)
        parts = [hints[name] for name in _fields(kind)]
    else:
        raise TraceError(
            f"{annotation!r} is not an element type: element types are i1, i8, i16, i32, i64, "
            "index, f16, bf16, f32, f64, tuples of them, NamedTuples and dataclasses"
        )
    if not parts:
        raise TraceError("an element has one number or more, and this type has none")
    elements = [element_of(part) for part in parts]
    leaves = tuple(leaf for element in elements for leaf in element.leaves)
    return Element(leaves, (kind, tuple(element.shape for element in elements)))


@dataclass(frozen=True)
class ArrayType:
    """An array type: extents (None if known at run time), their bounds, elements, and a level.

    The level is that of a push array; a pull array has None.
    """

    extents: tuple[int | None, ...]
    element: Element
    bounds: tuple[int | None, ...] = ()
    level: Level | None = None

    def __post_init__(self) -> None:
        bounds = self.bounds or (None,) * len(self.extents)
        known = tuple(b if e is None else e for e, b in zip(self.extents, bounds))
        object.__setattr__(self, "bounds", known)

    @cached_property
    def _most(self) -> int:
        """The number of elements, with those of inner arrays, as far as bounds are known."""
        inner = [leaf._most for leaf in self.element.leaves if isinstance(leaf, ArrayType)]
        return math.prod(b for b in self.bounds if b is not None) * max(inner, default=1)

    def check_size(self) -> None:
        """Refuse a type of more elements than the language has (`[type-size]`)."""
        if self._most > 1 << 48:
            raise TraceError(f"an array has at most 2^48 elements, and this one has {self._most}")

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.extents)

    @cached_property
    def _text(self) -> str:
        extents = " x ".join("?" if e is None else str(e) for e in self.extents)
        kind = "pull<" if self.level is None else f"push<{self.level}, "
        needed = any(e is None and b is not None for e, b in zip(self.extents, self.bounds))
        bounds = ", ".join("?" if b is None else str(b) for b in self.bounds)
        return f"!obs.{kind}{extents} x {self.element}{f' bound [{bounds}]' if needed else ''}>"

    def __str__(self) -> str:
        return self._text

    def with_element(self, element: Element) -> ArrayType:
        """The same extents with other elements."""
        return dataclasses.replace(self, element=element)

    def with_level(self, level: Level | None) -> ArrayType:
        """The push type of a level, or for None the pull type."""
        return dataclasses.replace(self, level=level)


@dataclass(frozen=True)
class ParameterType:
    """The type of an array parameter, with the names of its extents (None for no name).

    The element of an open type has no leaves: the argument has the type of the elements. Extents
    with a name in `static` are those of the argument, too.
    """

    type: ArrayType
    names: tuple[str | None, ...]
    static: frozenset[str] = frozenset()

    @property
    def is_open(self) -> bool:
        """True if the argument determines the type of the elements, or extents."""
        return not self.type.element.leaves or bool(self.static)

    def with_sizes(self, sizes: Mapping[str, int]) -> ParameterType:
        """The same type with these extents, which are known when the program is traced."""
        extents = [sizes.get(n or "", e) for n, e in zip(self.names, self.type.extents)]
        return ParameterType(
            dataclasses.replace(self.type, extents=tuple(extents), bounds=self.type.bounds),
            self.names,
        )


_EXTENT = re.compile(r"\s*(?:(static)\s+)?([^\W\d]\w*)\s*(?:<=\s*(\d+)\s*)?$")


def parameter_type(parts: tuple[object, ...]) -> ParameterType:
    """The type of `Pull[parts]`: extents, then the types of the elements.

    An extent is a number, a name, a name with a bound (`"n <= 1024"`), a static name
    (`"static n"`), or None. In place of the elements, None is any type.
    """
    extents: list[int | None] = []
    names: list[str | None] = []
    bounds: list[int | None] = []
    static: set[str] = set()
    rest = list(parts)
    while rest and (rest[0] is None or isinstance(rest[0], (int, str))):
        part = rest.pop(0)
        match = _EXTENT.match(part) if isinstance(part, str) else None
        if isinstance(part, str) and match is None:
            raise TraceError(
                f"{part!r} is no extent: write a name, a bound as in 'n <= 1024', or 'static n'"
            )
        if isinstance(part, int) and (isinstance(part, bool) or part < 0):
            raise TraceError(f"{part} is no extent: extents are numbers from 0 on")
        extents.append(part if isinstance(part, int) else None)
        names.append(match[2] if match else None)
        bounds.append(int(match[3]) if match and match[3] else None)
        if match and match[1]:
            static.add(match[2])
    if not rest and len(extents) > 1 and parts[-1] is None:
        for known in (extents, names, bounds):
            known.pop()
        element = Element(())
    elif not extents or not rest:
        raise TraceError('an array type has extents, then elements, as in Pull["n", f32]')
    else:
        element = element_of(rest[0] if len(rest) == 1 else tuple(rest))
    if any(isinstance(leaf, ArrayType) for leaf in element.leaves):
        raise TraceError("the elements of a parameter are scalars")
    kind = ArrayType(tuple(extents), element, tuple(bounds))
    kind.check_size()
    return ParameterType(kind, tuple(names), frozenset(static))


def element_type_for(dtype: np.dtype[Any]) -> type[Scalar] | None:
    """The element type of the elements of a NumPy array; None if there is none."""
    for kind in (i1, i8, i16, i32, i64, f16, f32, f64):
        if kind.dtype == dtype:
            return kind
    return None


def element_by_name(name: str) -> type[Scalar]:
    """The element type with this name in a program text. Raises KeyError if there is none."""
    kinds = (i1, i8, i16, i32, i64, index, f16, bf16, f32, f64)
    return {kind.type_name: kind for kind in kinds}[name]

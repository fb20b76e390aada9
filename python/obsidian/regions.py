"""The base of array values, and regions: tracing a Python function as the body of an operation.

In: array types, and Python functions of elements or indices. Out: array values, blocks of traced
operations with the values that they yield, and the text of bindings, bounds and result types.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

import numpy as np

from .errors import TraceError
from .levels import Level
from .scalars import Scalar, ScalarLike, default, literal, make, same
from .trace import Region, Value, current, use
from .types import ArrayType, Element, Leaf, Shape, flatten, index, spell
from .undefined import Undefined


class Array(Value):
    """An array of the program; the classes Pull and Push have its operations."""

    __slots__ = ("dims", "is_stored", "likely", "type")

    #: The class of pull arrays and the class of push arrays.
    classes: ClassVar[tuple[type[Array], type[Array]]]

    #: True if the program of the array runs when the array is read; see pending.py.
    runs_late: ClassVar[bool] = False

    #: Extents, elements, bounds and level.
    type: ArrayType
    #: True if the array is in memory at level grid.
    is_stored: bool
    #: The extents that the program has read, by dimension.
    dims: dict[int, Scalar]
    #: Extents for which the program should be fast; None for those of the type. The program is
    #: right for all extents.
    likely: Sequence[int | None] | None

    __hash__ = Value.__hash__

    def __repr__(self) -> str:
        return f"<traced {self.type} {self.name}>"

    def mapped(self, function: Callable[..., Any], arrays: Sequence[Array]) -> Any:
        """The map of arrays for a pending array, which is this one or another of them."""
        raise NotImplementedError

    def __bool__(self) -> bool:
        raise TraceError(
            "an array is neither true nor false: reduce it, as in a.any() or a.all(), and combine "
            "conditions by &, | and ~, as in (0 < a) & (a < 2)"
        )

    def _no_number(self) -> NoReturn:
        raise TraceError(
            "Python needs a number here, and this is an array: a[i] is an element, a.to(obs.i32) "
            "converts all elements, and functions such as obs.sqrt take arrays"
        )

    __index__ = __int__ = __float__ = _no_number


@dataclass(frozen=True)
class Bounded:
    """An extent that is known at run time, and its limit; see `up_to`."""

    extent: Scalar
    bound: int


#: An extent: a Python number is static, a traced scalar is known at run time.
Extent = int | Scalar | Bounded


def flat_extents(extents: Sequence[Any]) -> Sequence[Any]:
    """Extents or dimensions that are given one by one, or as one tuple such as `a.shape`."""
    if len(extents) == 1 and isinstance(extents[0], (tuple, list)):
        return extents[0]
    return extents


def up_to(extent: Scalar, bound: int) -> Bounded:
    """An extent that is known at run time and is at most `bound`, which determines the memory."""
    is_number = isinstance(bound, (int, np.integer)) and not isinstance(bound, bool)
    if not is_number or bound < 0:
        raise TraceError(f"the bound of an extent is a number from 0 on, not {bound!r}")
    if isinstance(extent, int) and extent > bound:
        raise TraceError(f"up_to({extent}, {bound}) is an extent above its bound")
    return Bounded(extent, int(bound))


def make_array(kind: ArrayType, name: str, is_stored: bool = False) -> Any:
    """The array value for a value of the program that the current block defines."""
    kind.check_size()
    array = object.__new__(Array.classes[kind.level is not None])
    array.name, array.block, array.type = name, current().block, kind
    array.is_stored, array.dims, array.likely = is_stored, {}, None
    return array


def make_leaf(leaf: Leaf, name: str, is_natural: bool = False) -> Any:
    """The scalar or array for a value of the program."""
    return make_array(leaf, name) if isinstance(leaf, ArrayType) else make(leaf, name, is_natural)


def new_arguments(leaves: Iterable[Leaf]) -> list[Any]:
    """Arguments of the region that is traced."""
    return [make_leaf(leaf, current().new_name()) for leaf in leaves]


def new_indices(count: int) -> list[index]:
    """Arguments of a region that are indices."""
    return [make(index, current().new_name(), True) for _ in range(count)]


def names(values: Iterable[Value]) -> str:
    """The names of values in the text."""
    return ", ".join(map(use, values))


def leaf_type(value: Any) -> Leaf:
    """The type of a traced value."""
    if isinstance(value, Array):
        return value.type
    return type(value)


def types(values: Iterable[Value]) -> str:
    """The types of values in the text."""
    return ", ".join(spell(leaf_type(value)) for value in values)


def brief_types(values: Sequence[Value]) -> str:
    """The types of values; one type if all are the same."""
    spelt = [spell(leaf_type(value)) for value in values]
    return spelt[0] if len(set(spelt)) == 1 else ", ".join(spelt)


def as_leaf(value: Any, like: Leaf | None = None) -> Any:
    """A traced value; a number takes the type `like`, or by default i32, f32 or i1."""
    if isinstance(value, Array):
        if isinstance(like, type):
            raise TraceError(f"an array stands where a number of type {like.type_name} is expected")
        return value
    if isinstance(value, (Scalar, int, float, np.generic)):
        if isinstance(like, ArrayType):
            raise TraceError("a number stands where an array is expected")
        return default(value) if like is None else same(value, like)
    if isinstance(value, Undefined):
        value.refuse()
    if value is None:
        raise TraceError("the function returns nothing: a value is missing after `return`")
    raise TraceError(f"{type(value).__name__} is no value of a program: {_way_out(value)}")


def _way_out(value: object) -> str:
    """The value in place of one that is no value of a program."""
    if isinstance(value, dict):
        return "return a tuple, a NamedTuple or a dataclass"
    if isinstance(value, str):
        return "it consists of numbers and arrays, and obs.print shows numbers while it runs"
    if isinstance(value, np.ndarray):
        return "pass the array as an argument, or write obs.table(array) for a constant"
    if isinstance(value, Iterator):
        return "obs.concat and obs.stack take a generator, as in obs.concat(f(r) for r in a.rows())"
    if inspect.iscoroutine(value):
        value.close()
        return "a function of a program is no `async` function"
    if callable(value):
        return "call it, as in f(x), or as in obs.generate(n)(f) if it returns a function"
    return f"it consists of numbers and arrays, and this is {value!r}"


def apply(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function of the user; a TraceError if it does not take so many arguments."""
    try:
        return function(*arguments)
    except TypeError:
        if not callable(function):
            raise TraceError(f"a function stands here, not {function!r}") from None
        if _takes(function, len(arguments)):
            raise
    raise TraceError(
        f"this function takes another number of arguments than {len(arguments)}: each index, and "
        "each part of an element that is a tuple, is an argument, as in lambda x, y: x + y"
    )


def _takes(function: Callable[..., Any], count: int) -> bool:
    """True if a function may take a number of arguments."""
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    except ValueError:  # A function of C has no signature.
        return True
    return True


def as_leaves(value: Any, like: Element | None = None) -> tuple[list[Any], Shape]:
    """The leaves of a Python value, as traced values of the types of an element.

    One number stands for an element of equal numbers.
    """
    flat, shape = flatten(value)
    if like is None:
        return [as_leaf(leaf) for leaf in flat], shape
    if len(flat) == 1 and shape is None and not isinstance(flat[0], Value):
        flat = flat * len(like.leaves)
    if len(flat) != len(like.leaves):
        raise TraceError(f"an element consists of {len(like.leaves)} values, not of {len(flat)}")
    return [as_leaf(leaf, kind) for leaf, kind in zip(flat, like.leaves)], like.shape


def element_type_of(leaves: Iterable[Any], shape: Shape) -> Element:
    """The element type of traced values."""
    kinds = tuple(leaf_type(leaf) for leaf in leaves)
    if any(isinstance(kind, ArrayType) and kind.level is not None for kind in kinds):
        raise TraceError("a push array is no element of an array: force it first")
    return Element(kinds, shape)


def yield_values(leaves: Sequence[Value], operation: str = "obs.yield") -> None:
    """End a region."""
    text = f"{operation} {names(leaves)} : {types(leaves)}" if leaves else operation
    current().emit(text)


@dataclass
class Body:
    """A traced region of scalar code: its arguments by array, its block, and the yielded values."""

    arguments: list[Any]
    region: Region
    leaves: list[Any]
    shape: Shape

    @property
    def element(self) -> Element:
        """The type of the yielded values."""
        return element_type_of(self.leaves, self.shape)

    @property
    def short(self) -> str | None:
        """The one operation that the region consists of, if it takes all arguments in order."""
        entries = self.region.block.entries
        if len(entries) != 2 or entries[0].short is None or len(self.leaves) != 1:
            return None
        short = entries[0].short
        arguments = tuple(argument.name for argument in self.arguments)
        is_all = short.operands == arguments and self.leaves[0].name == short.result
        return f"{{ {short.operation} loc(#l{entries[0].place}) }}" if is_all else None


def scalar_code(
    arguments: Callable[[], list[Any]],
    function: Callable[[list[Any]], Any],
    like: Element | None = None,
) -> Body:
    """Trace a function as a region of scalar code, which computes one element."""
    with current().open(Level.thread) as block:
        given = arguments()
        leaves, shape = as_leaves(function(given), like)
        yield_values(leaves)
    return Body(given, Region(block), leaves, shape)


def split_extents(
    extents: Sequence[Extent],
) -> tuple[list[int | None], list[int | None], list[Any]]:
    """Static extents, bounds, and the values of the extents that are known at run time."""
    static: list[int | None] = []
    bounds: list[int | None] = []
    values: list[Any] = []
    for extent in extents:
        value = extent.extent if isinstance(extent, Bounded) else extent
        bound = current().bounds.get(value.name) if isinstance(value, Scalar) else None
        bound = extent.bound if isinstance(extent, Bounded) else bound
        number = static_number(value)
        if number is not None and number < 0:
            raise TraceError(f"{number} is no extent: extents are numbers from 0 on")
        static.append(number)
        bounds.append(bound)
        if number is None:
            values.append(as_index(value))
    return static, bounds, values


def static_number(value: object) -> int | None:
    """A Python number, or None for a traced scalar."""
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return int(value)
    if isinstance(value, Scalar) and value.kind in ("int", "index"):
        return None
    hint = ": write x.to(obs.index)" if isinstance(value, Scalar) else ""
    raise TraceError(
        f"an extent or index is a whole number or a traced integer, not {value!r}{hint}"
    )


def as_index(value: ScalarLike | Bounded) -> index:
    """A number or an integer of any type as an index; integers keep their sign."""
    if isinstance(value, Scalar):
        if value.kind not in ("int", "index"):
            raise TraceError(
                f"an index is an integer, not {value.type_name}: write x.to(obs.index)"
            )
        return value.to(index)
    if isinstance(value, Bounded):
        raise TraceError(
            "an extent with a bound belongs to a new array or a slice, as in "
            "a.slice(0, obs.up_to(n, 64))"
        )
    return literal(value, index)


def brackets(values: Iterable[Value]) -> str:
    """A list of values in brackets with a space before it; nothing if there are none."""
    text = names(values)
    return f" [{text}]" if text else ""


def numbers(values: Iterable[Any]) -> str:
    """A list of constants and values in brackets."""
    return "[" + ", ".join(str(v) if isinstance(v, int) else use(as_index(v)) for v in values) + "]"

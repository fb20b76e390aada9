"""Tensors of a graph as arrays of a program: types, extents, index maps.

In: fake tensors of PyTorch, and arrays. Out: `Tensor`, an array with the shape and the type that
PyTorch has for it. A tensor without dimensions is an array of one element.
"""

from __future__ import annotations

import importlib
import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .. import functions
from ..maps import map_arrays
from ..scalars import Scalar
from ..sources import generate as generate_array
from ..types import bf16, f16, f32, f64, i1, i8, i16, i32, i64

torch: Any = importlib.import_module("torch")

#: The types of elements in memory. `uint8` is stored as its bits.
KINDS: dict[Any, type[Scalar]] = {
    torch.bool: i1, torch.uint8: i8, torch.int8: i8, torch.int16: i16, torch.int32: i32,
    torch.int64: i64, torch.float16: f16, torch.bfloat16: bf16, torch.float32: f32,
    torch.float64: f64,
}  # fmt: skip
#: The types of arithmetic that differ from the types of the elements.
_WIDE = {torch.bool: i32, torch.uint8: i32, torch.float16: f32, torch.bfloat16: f32}
#: A virtual array with more paths to stored elements than this number is stored.
MOST_PATHS = 32
_JOINS: dict[str, Callable[[Any, Any], Any]] = {
    "Add": operator.add, "Mul": operator.mul, "FloorDiv": operator.floordiv,
    "CleanDiv": operator.floordiv, "Mod": operator.mod, "PythonMod": operator.mod,
    "Max": functions.max, "Min": functions.min,
    "IntTrueDiv": lambda a, b: number(a, f64) / number(b, f64), "FloatTrueDiv": operator.truediv,
    "FloatPow": lambda a, b: functions.sqrt(a) if b == 0.5 else functions.pow(a, number(b, f64)),
}  # fmt: skip


class UnsupportedError(Exception):
    """Raised for an operation that the importer cannot express. The message is the reason."""


def kind_of(dtype: Any) -> type[Scalar]:
    """The type of elements in memory."""
    if dtype not in KINDS:
        raise UnsupportedError(f"elements of {dtype}")
    return KINDS[dtype]


def wide(dtype: Any) -> type[Scalar]:
    """The type of arithmetic. PyTorch computes halves in f32, and rounds each result."""
    return _WIDE.get(dtype) or kind_of(dtype)


def widen(x: Any, dtype: Any, kind: type[Scalar] | None = None) -> Any:
    """An element in its type of arithmetic, or in another one."""
    return x.to(kind or wide(dtype), unsigned=dtype == torch.uint8)


def narrow(x: Any, dtype: Any) -> Any:
    """A result of arithmetic as an element."""
    if dtype == torch.bool:
        return x if x.kind == "bool" else x != 0
    return (x.to(i32) if dtype == torch.uint8 and x.kind == "float" else x).to(kind_of(dtype))


def convert(x: Any, source: Any, target: Any) -> Any:
    """An element of one type as one of another."""
    return x if source == target else narrow(widen(x, source), target)


def literal(value: Any, kind: type[Scalar]) -> Any:
    """A number of Python as one of a type. Floats are rounded, so that large ones are infinite."""
    if kind is f32:
        return torch.tensor(value, dtype=torch.float32).item()
    return {"float": float, "bool": bool}.get(kind.kind, int)(value)


def number(value: Any, kind: type[Scalar]) -> Any:
    """A number of Python, or a traced one, as a scalar of a type."""
    return value.to(kind) if isinstance(value, Scalar) else kind(literal(value, kind))


def value_of(node: Any) -> Any:
    """The fake value of a node: a tensor, several tensors, or a number; None if it is unknown."""
    return node.meta.get("val")


def specialize(node: Any) -> None:
    """Replace symbols that PyTorch has found to be numbers, by these, in the value of a node."""

    def known(n: Any) -> Any:
        constant = n.node.maybe_as_int() if isinstance(n, torch.SymInt) else None
        return n if constant is None else constant

    def replaced(value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or value.layout is not torch.strided:
            return known(value)
        parts = value.shape, value.stride(), [value.storage_offset()]
        shape, strides, (offset,) = found = [[known(n) for n in part] for part in parts]
        is_known = all(m is n for part, new in zip(parts, found) for m, n in zip(part, new))
        return value if is_known else value.as_strided(shape, strides, offset)

    node.meta["val"] = torch.utils._pytree.tree_map(replaced, value_of(node))


def is_tensor(node: Any) -> bool:
    """True if the value of a node is one tensor."""
    return isinstance(value_of(node), torch.Tensor)


def listed(value: Any) -> list[Any]:
    """The parts of a value of several parts, or the value alone."""
    return list(value) if isinstance(value, (list, tuple)) else [value]


def is_static(shape: Sequence[Any]) -> bool:
    """True if all extents are numbers."""
    return all(isinstance(n, int) for n in shape)


def are_same(a: Sequence[Any], b: Sequence[Any]) -> bool:
    """True if two shapes are known to be equal."""

    def key(n: Any) -> Any:
        return n if isinstance(n, int) else n.node.expr

    return len(a) == len(b) and all(key(m) == key(n) for m, n in zip(a, b))


def is_one(n: Any) -> bool:
    """True if an extent is known to be 1, such as the quotient of two numbers that are equal."""
    known = torch.fx.experimental.symbolic_shapes.statically_known_true
    if isinstance(n, torch.SymInt):
        return likely(n) == 1 and bool(known(n == 1))
    return isinstance(n, int) and n == 1


def likely(n: Any) -> Any:
    """An extent; of a symbol, the number for which PyTorch compiles, or None.

    Programs are right for all numbers, and fast for those near this one.
    """
    return n if isinstance(n, int) else getattr(n.node, "hint", None)


def likely_product(extents: Sequence[Any]) -> Any:
    """The likely number of elements; None if it is not known."""
    found = [likely(n) for n in extents]
    return None if None in found else math.prod(found)


def product(extents: Sequence[Any]) -> Any:
    """The number of elements."""
    count: Any = 1
    for n in extents:
        count = n if is_one(count) else count if is_one(n) else count * n
    return count


@dataclass
class Tensor:
    """A value of a graph. `shape` has the extents of PyTorch, which may be symbols."""

    array: Any
    dtype: Any
    shape: tuple[Any, ...]
    #: The paths to stored elements: the stored arrays, and the index maps before them.
    paths: frozenset[Any] = frozenset()
    #: True if the elements are those of one stored array, without arithmetic.
    is_view: bool = False
    #: The number to which all elements are equal; None if they differ.
    fill: Any = None

    @property
    def rank(self) -> int:
        """The number of dimensions in PyTorch."""
        return len(self.shape)

    def read(self, *place: Any) -> Any:
        """The element at an index."""
        return self.array[place or (0,)]

    def read_wide(self, *place: Any) -> Any:
        """The element at an index, in its type of arithmetic."""
        return widen(self.read(*place), self.dtype)


class Builder:
    """The state of a lowering: the symbols of extents, and functions that make tensors."""

    def __init__(self, symbols: dict[Any, Any]) -> None:
        """Store the traced value of each symbol."""
        self.symbols = symbols
        self._count = 0

    def extent(self, n: Any) -> Any:
        """The value of an extent or a number of PyTorch: a number, or a traced scalar."""
        return self._value(n.node.expr) if hasattr(n, "node") else n

    def extents(self, shape: Sequence[Any]) -> tuple[Any, ...]:
        """The extents of an array of a shape; one element for no dimensions."""
        return tuple(map(self.extent, shape)) or (1,)

    def _value(self, expr: Any) -> Any:
        if expr.is_Integer:
            return int(expr)
        if expr.is_Float:
            return float(expr)
        if expr.is_Symbol:
            return self.symbols[expr]
        name, parts = type(expr).__name__, expr.args
        if name == "Pow" and parts[1].is_Integer and parts[1] > 0:
            name, parts = "Mul", [parts[0]] * int(parts[1])
        if name == "ToFloat":
            return number(self._value(parts[0]), f64)
        if name not in _JOINS:
            raise UnsupportedError(f"an extent that is {expr}")
        found, *rest = map(self._value, parts)
        for value in rest:
            found = _JOINS[name](found, value)
        return found

    def new(self, array: Any, dtype: Any, shape: Sequence[Any], *sources: Tensor) -> Tensor:
        """A tensor that reads others through an index map; without sources, a stored tensor."""
        self._count += 1
        paths = frozenset((*path, self._count) for t in sources for path in t.paths)
        return self._tensor(array, dtype, shape, paths or frozenset([(self._count,)]), not sources)

    def _tensor(
        self, array: Any, dtype: Any, shape: Sequence[Any], paths: Any, is_view: bool
    ) -> Tensor:
        found = Tensor(array, dtype, tuple(shape), paths, is_view)
        return self.stored(found) if len(paths) > MOST_PATHS else found

    def stored(self, tensor: Tensor) -> Tensor:
        """The tensor in memory, or a view of one: for operations that read elements often."""
        _ = tensor.array.name
        if tensor.array.is_stored or tensor.is_view:
            return tensor
        return self.new(tensor.array.force(), tensor.dtype, tensor.shape)

    def moved(self, tensor: Tensor, array: Any, shape: Sequence[Any]) -> Tensor:
        """A tensor whose elements are elements of another tensor at other indices."""
        found = self.new(array, tensor.dtype, shape, tensor)
        found.is_view = tensor.is_view
        return found

    def remap(self, tensor: Tensor, shape: Sequence[Any], place: Callable[..., Any]) -> Tensor:
        """`r[i] = t[place(i)]`. `place` takes and returns one index for each dimension."""
        rank = len(shape)
        array = tensor.array.ix_map(
            lambda *i: tuple(place(*i[:rank])) or (0,), *self.extents(shape)
        )
        return self.moved(tensor, array, shape)

    def broadcast(self, tensor: Tensor, shape: Sequence[Any]) -> Tensor:
        """The tensor with the extents of a larger shape; dimensions of 1 are repeated."""
        shift, rank = len(shape) - tensor.rank, range(tensor.rank)
        if are_same(tensor.shape, shape[shift:]) and all(map(is_one, shape[:shift])):
            return self.reshape(tensor, shape)
        kept = [not is_one(n) for n in tensor.shape]
        return self.remap(tensor, shape, lambda *i: [i[shift + d] if kept[d] else 0 for d in rank])

    def reshape(self, tensor: Tensor, shape: Sequence[Any]) -> Tensor:
        """The same elements in row-major order with other extents."""
        old = [d for d, n in enumerate(tensor.shape) if not is_one(n)]
        new = [d for d, n in enumerate(shape) if not is_one(n)]
        places = dict(zip(old, new))
        if are_same(self._extents(tensor.shape), self._extents(shape)):
            return Tensor(**{**vars(tensor), "shape": tuple(shape)})
        is_unit = are_same([tensor.shape[d] for d in old], [shape[d] for d in new])
        if is_unit and not tensor.array.is_stored:
            # Only dimensions of 1 differ, so that indices need no division.
            return self.remap(
                tensor, shape,
                lambda *i: [i[places[d]] if d in places else 0 for d in range(tensor.rank)],
            )  # fmt: skip
        return self.moved(tensor, tensor.array.reshape(*self.extents(shape)), shape)

    @staticmethod
    def _extents(shape: Sequence[Any]) -> Sequence[Any]:
        return tuple(shape) or (1,)

    def permute(self, tensor: Tensor, dims: Sequence[int]) -> Tensor:
        """Dimension d of the result is dimension `dims[d]`."""
        if list(dims) == sorted(dims):
            return tensor
        return self.moved(tensor, tensor.array.transpose(*dims), [tensor.shape[d] for d in dims])

    def generate(
        self, shape: Sequence[Any], dtype: Any, function: Callable[..., Any], *sources: Tensor
    ) -> Tensor:
        """The tensor of a function of the index that reads `sources`."""
        rank = len(shape)
        found = generate_array(*self.extents(shape))(lambda *i: function(*i[:rank]))
        return self.new(found, dtype, shape, *sources)

    def map(
        self, shape: Sequence[Any], dtype: Any, function: Callable[..., Any],
        tensors: Sequence[Tensor],
    ) -> Tensor:  # fmt: skip
        """A function of the elements of tensors of a shape."""
        paths = frozenset(path for t in tensors for path in t.paths)
        array = map_arrays(function, [t.array for t in tensors])
        return self._tensor(array, dtype, shape, paths, False)

    def converted(self, tensor: Tensor, dtype: Any) -> Tensor:
        """The tensor with elements of another type."""
        if tensor.dtype == dtype:
            return tensor
        return self.map(tensor.shape, dtype, lambda x: convert(x, tensor.dtype, dtype), [tensor])

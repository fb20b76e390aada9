"""Tensors of a graph as arrays of a program: types, extents, broadcasting.

In: nodes of ATen graphs with the fake tensors of PyTorch. Out: `Tensor`, an array of the program
with the shape and the type that PyTorch has for it. A tensor without dimensions is an array of one
element.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import functions
from ..maps import map_arrays
from ..scalars import Scalar
from ..sources import generate
from ..types import bf16, f16, f32, f64, i1, i8, i16, i32, i64

torch: Any = importlib.import_module("torch")
aten = torch.ops.aten

#: The types of elements in memory. `uint8` is its bits.
KINDS: dict[Any, type[Scalar]] = {
    torch.bool: i1, torch.uint8: i8, torch.int8: i8, torch.int16: i16, torch.int32: i32,
    torch.int64: i64, torch.float16: f16, torch.bfloat16: bf16, torch.float32: f32,
    torch.float64: f64,
}  # fmt: skip
#: The types that arithmetic has, where it is not that of the elements.
_WIDE = {torch.bool: i32, torch.uint8: i32, torch.float16: f32, torch.bfloat16: f32}
#: A virtual array with more reads of stored elements than this is stored.
MOST_READS = 32


class UnsupportedError(Exception):
    """An operation that the importer cannot express; the message is the reason."""


def kind_of(dtype: Any) -> type[Scalar]:
    """The type of elements in memory."""
    if dtype not in KINDS:
        raise UnsupportedError(f"elements of {dtype}")
    return KINDS[dtype]


def wide(dtype: Any) -> type[Scalar]:
    """The type of arithmetic: PyTorch computes with halves in f32, and rounds each result."""
    kind = kind_of(dtype)
    return _WIDE.get(dtype, kind)


def widen(x: Any, dtype: Any, kind: type[Scalar]) -> Any:
    """An element of a type of PyTorch as a scalar of a type of arithmetic."""
    return x.to(kind, unsigned=dtype == torch.uint8)


def narrow(x: Any, dtype: Any) -> Any:
    """A result of arithmetic as an element of a type of PyTorch."""
    return (x.to(i32) if dtype == torch.uint8 and x.kind == "float" else x).to(kind_of(dtype))


def number(value: Any, kind: type[Scalar]) -> Any:
    """A number of Python, or a traced index, as a scalar of a type."""
    if isinstance(value, Scalar):
        return value.to(kind)
    return kind(float(value) if kind.kind == "float" else int(value))


def is_static(shape: Sequence[Any]) -> bool:
    """If all extents are numbers."""
    return all(isinstance(n, int) for n in shape)


def is_same(a: Any, b: Any) -> bool:
    """If two extents are known to be equal."""
    if isinstance(a, int) or isinstance(b, int):
        return isinstance(a, int) and isinstance(b, int) and a == b
    return bool(a.node.expr == b.node.expr)


def are_same(a: Sequence[Any], b: Sequence[Any]) -> bool:
    """If two shapes are known to be equal."""
    return len(a) == len(b) and all(map(is_same, a, b))


def is_one(n: Any) -> bool:
    """If an extent is known to be 1."""
    return isinstance(n, int) and n == 1


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
    #: What the array reads of memory: names of arrays, or of index maps of them.
    reads: frozenset[Any] = field(default_factory=frozenset)
    #: The number that all elements are; None if they differ.
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
        return widen(self.read(*place), self.dtype, wide(self.dtype))


class Builder:
    """What the lowering of an operation needs: the symbols of extents, and new tensors."""

    def __init__(self, symbols: dict[Any, Any]) -> None:
        """Take the traced value of each symbol."""
        self.symbols = symbols
        self._maps = 0

    def extent(self, n: Any) -> Any:
        """The value of an extent: a number, or an index of the program."""
        if isinstance(n, (int, float, Scalar)):
            return n
        return self._value(n.node.expr)

    def extents(self, shape: Sequence[Any]) -> tuple[Any, ...]:
        """The extents of an array of a shape; one element for no dimensions."""
        return tuple(map(self.extent, shape)) or (1,)

    def _value(self, expr: Any) -> Any:
        if expr.is_Integer:
            return int(expr)
        if expr.is_Symbol:
            return self.symbols[expr]
        name = type(expr).__name__
        if name == "Pow" and expr.args[1].is_Integer and expr.args[1] > 0:
            return product([self._value(expr.args[0])] * int(expr.args[1]))
        join: dict[str, Callable[[Any, Any], Any]] = {
            "Add": lambda a, b: a + b, "Mul": lambda a, b: a * b,
            "FloorDiv": lambda a, b: a // b, "CleanDiv": lambda a, b: a // b,
            "Mod": lambda a, b: a % b, "PythonMod": lambda a, b: a % b,
            "Max": functions.max, "Min": functions.min,
        }  # fmt: skip
        if name not in join:
            raise UnsupportedError(f"an extent that is {expr}")
        found = self._value(expr.args[0])
        for part in expr.args[1:]:
            value = self._value(part)
            found = join[name](found, value) if isinstance(found, Scalar) or name not in (
                "Max", "Min") else join[name](value, found)  # fmt: skip
        return found

    def stored(self, tensor: Tensor) -> Tensor:
        """The tensor in memory: for operations that read each element often."""
        array = tensor.array
        _ = array.name
        if not array.is_stored and not self._is_view(tensor):
            array = array.force()
        return self.tensor(array, tensor.dtype, tensor.shape)

    def _is_view(self, tensor: Tensor) -> bool:
        return len(tensor.reads) == 1 and next(iter(tensor.reads))[0] == "view"

    def tensor(self, array: Any, dtype: Any, shape: Sequence[Any], reads: Any = None) -> Tensor:
        """A tensor of an array; without `reads` it is in memory, or will be."""
        if reads is None:
            self._maps += 1
            reads = frozenset([("view", self._maps)])
        if len(reads) > MOST_READS:
            return self.stored(Tensor(array, dtype, tuple(shape), frozenset([("sum",)])))
        return Tensor(array, dtype, tuple(shape), reads)

    def mapped(self, tensor: Tensor, array: Any, shape: Sequence[Any]) -> Tensor:
        """A tensor whose elements are elements of another one."""
        self._maps += 1
        reads = frozenset((kind, *rest, self._maps) for kind, *rest in tensor.reads)
        return Tensor(array, tensor.dtype, tuple(shape), reads)

    def remap(self, tensor: Tensor, shape: Sequence[Any], place: Callable[..., Any]) -> Tensor:
        """`r[i] = t[place(i)]`; both take and return as many indices as there are dimensions."""
        rank = len(shape)

        def reindexed(*indices: Any) -> Any:
            return tuple(place(*indices[:rank])) or (0,)

        array = tensor.array.ix_map(reindexed, *self.extents(shape))
        return self.mapped(tensor, array, shape)

    def broadcast(self, tensor: Tensor, shape: Sequence[Any]) -> Tensor:
        """The tensor with the extents of a larger shape; dimensions of 1 are repeated."""
        if are_same(tensor.shape, shape):
            return tensor
        shift = len(shape) - tensor.rank
        if shift >= 0 and are_same(tensor.shape, shape[shift:]) and all(map(is_one, shape[:shift])):
            return self.reshape(tensor, shape)
        kept = [not is_one(n) for n in tensor.shape]
        return self.remap(
            tensor, shape, lambda *i: [i[shift + d] if kept[d] else 0 for d in range(tensor.rank)]
        )

    def reshape(self, tensor: Tensor, shape: Sequence[Any]) -> Tensor:
        """The same elements in row-major order with other extents."""
        if are_same(tensor.shape, shape) or (tensor.rank == 0 and are_same(shape, [1])):
            return Tensor(tensor.array, tensor.dtype, tuple(shape), tensor.reads)
        old = [d for d, n in enumerate(tensor.shape) if not is_one(n)]
        new = [d for d, n in enumerate(shape) if not is_one(n)]
        is_unit = are_same([tensor.shape[d] for d in old], [shape[d] for d in new])
        if is_unit and not tensor.array.is_stored:
            places = dict(zip(old, new))
            return self.remap(
                tensor, shape,
                lambda *i: [i[places[d]] if d in places else 0 for d in range(tensor.rank)],
            )  # fmt: skip
        found = tensor.array.reshape(*self.extents(shape))
        return self.mapped(tensor, found, shape)

    def generate(
        self, shape: Sequence[Any], dtype: Any, function: Callable[..., Any], *sources: Tensor
    ) -> Tensor:
        """The tensor of a function of the index that reads `sources`."""
        rank = len(shape)
        found = generate(*self.extents(shape))(lambda *i: function(*i[:rank]))
        self._maps += 1
        reads = frozenset(
            (kind if kind == "sum" else "fun", *rest, self._maps)
            for t in sources
            for kind, *rest in t.reads
        )
        return self.tensor(found, dtype, shape, reads)

    def map(
        self,
        shape: Sequence[Any],
        dtype: Any,
        function: Callable[..., Any],
        tensors: Sequence[Tensor],
    ) -> Tensor:
        """A function of the elements of tensors of a shape."""
        reads = frozenset(("fun", *rest) for t in tensors for _, *rest in t.reads)
        return self.tensor(map_arrays(function, [t.array for t in tensors]), dtype, shape, reads)

    def converted(self, tensor: Tensor, dtype: Any) -> Tensor:
        """The tensor with elements of another type."""
        if tensor.dtype == dtype:
            return tensor
        return self.map(tensor.shape, dtype, lambda x: convert(x, tensor.dtype, dtype), [tensor])

    def permute(self, tensor: Tensor, dims: Sequence[int]) -> Tensor:
        """Dimension d of the result is dimension `dims[d]`."""
        if list(dims) == list(range(tensor.rank)) or tensor.rank < 2:
            return tensor
        shape = [tensor.shape[d] for d in dims]
        return self.mapped(tensor, tensor.array.transpose(*dims), shape)


def convert(x: Any, source: Any, target: Any) -> Any:
    """An element of one type of PyTorch as one of another."""
    if source == target:
        return x
    if target == torch.bool:
        return x != 0
    return narrow(widen(x, source, _WIDE.get(source, type(x))), target)

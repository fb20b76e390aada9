"""Pull arrays and push arrays, with NumPy-like reading.

In: other arrays, scalars and numbers. Out: virtual arrays. Only `force` stores elements.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

from . import collectives, functions, maps, numpy_names, programs, reading
from .collectives import Operator
from .errors import TraceError
from .levels import Level, Storage
from .operators import Operators
from .regions import Array, Extent
from .scalars import Scalar, least, most
from .types import ParameterType, i32, parameter_type

if TYPE_CHECKING:
    from typing_extensions import Self

F = TypeVar("F", bound=Callable[..., Any])


def _explained(hint: str) -> Callable[[F], F]:
    """Let the error for wrong arguments of a method have a hint: as a decorator."""

    def decorate(method: F) -> F:
        signature = inspect.signature(method)

        @functools.wraps(method)
        def checked(*arguments: Any, **keywords: Any) -> Any:
            try:
                signature.bind(*arguments, **keywords)
            except TypeError as error:
                raise TraceError(f"{method.__name__}: {error}: {hint}") from None
            return method(*arguments, **keywords)

        return cast(F, checked)

    return decorate


_whole = _explained(
    "it combines the elements of one dimension, such as a row: "
    "obs.concat(r.sum() for r in m.rows()), or m.flatten().sum()"
)
_started = _explained(
    "an operator and an initial value, as in a.scan(operator.add, 0) or a.reduce(obs.min, i32.max)"
)


class _Common(Operators):
    """The operations that pull arrays and push arrays have in common."""

    __slots__ = ()

    __hash__ = Array.__hash__

    def __len__(self) -> int:
        extent = self.type.extents[0]
        if extent is None:
            raise TraceError(
                "the program knows this length only when it runs, so len() cannot tell it: "
                "use a.size, or a static length, as in a.split(512) or Pull[512, f32]"
            )
        return extent

    def dim(self, dimension: int) -> Any:
        """The extent of a dimension: an int, or an `index` that is known at run time."""
        return maps.dim(self, dimension)

    @property
    def shape(self) -> tuple[Any, ...]:
        """All extents."""
        return tuple(maps.dim(self, d) for d in range(self.type.rank))

    @property
    def size(self) -> Any:
        """The number of elements."""
        count: Any = 1
        for extent in self.shape:
            count = extent if isinstance(count, int) and count == 1 else count * extent
        return count

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self.type.rank

    def map(self, function: Callable[..., Any], *others: Array) -> Self:
        """Apply a function to the elements of this array and of others of equal extents.

        The parts of an element that is a plain tuple are separate arguments. The function may
        return a tuple, a NamedTuple, a dataclass or, for pull arrays, an array. At most one of the
        arrays is a push array; the result is then a push array.
        """
        return self._each(function, *others)

    def to(self, kind: type[Scalar], *, unsigned: bool = False) -> Self:
        """Convert each element to another type, as `Scalar.to` does."""
        return self._each(lambda x: x.to(kind, unsigned=unsigned))

    def as_unsigned(self) -> Self:
        """Read each integer without its sign, as an `index`."""
        return self._each(lambda x: x.as_unsigned())

    def bitcast(self, kind: type[Scalar]) -> Self:
        """The same bits as elements of another type of the same size."""
        return self._each(lambda x: x.bitcast(kind))

    def ix_map(
        self,
        function: Callable[..., Any],
        *extents: Extent | Sequence[Extent],
        unchecked: bool = False,
    ) -> Self:
        """Move elements: a gather from a pull array, a scatter of a push array.

        On a pull array, the function takes an index of the result and returns the index of the
        element that is read. On a push array, it takes the index of an element and returns its
        index in the result. This map must be a bijection, which the compiler proves, or which
        `unchecked` promises. `extents` are those of the result; by default, those of this array.
        """
        return cast("Self", maps.reindex(self, function, extents or self.shape, unchecked))

    def reverse(self, dim: int = 0) -> Self:
        """The last element first, along a dimension."""
        return maps.reverse(self, dim)

    def transpose(self, *permutation: int | Sequence[int]) -> Self:
        """Permute the dimensions, by numbers or one tuple; by default, reverse their order."""
        return maps.transpose(self, permutation or tuple(reversed(range(self.type.rank))))

    def __getattr__(self, name: str) -> Any:
        if name in numpy_names.METHODS:
            raise TraceError(f"an array has no {name}: write {numpy_names.METHODS[name]}")
        raise AttributeError(f"an array has no {name}")

    def __setitem__(self, key: Any, value: Any) -> None:
        raise TraceError(
            "arrays never change: make a new one, as with obs.generate, a.map or obs.fill"
        )

    @property
    def T(self) -> Self:
        """The array with its dimensions in the reverse order."""
        return self.transpose()

    def take(self, *counts: Extent | Sequence[Extent]) -> Self:
        """The first elements of each dimension."""
        return maps.take(self, counts)

    def reshape(self, *extents: Extent | Sequence[Extent]) -> Self:
        """The same elements in row-major order with other extents, or with those of one tuple.

        One extent may be -1: it is the number of elements divided by the other extents.
        """
        return cast("Self", maps.reshape(self, extents))

    def flatten(self) -> Self:
        """All elements in row-major order, in one dimension."""
        return self if self.type.rank == 1 else cast("Self", maps.reshape(self, (self.size,)))

    def join(self, to: Any = None, *, strided: bool = False) -> Self:
        """The elements of all chunks in one array: the inverse of `split`.

        It takes an array of arrays, or an array of even rank whose first half counts chunks. `to`
        is the extent of the result (a tuple for several); elements past it are dropped.
        """
        return cast("Self", maps.join(self, to, strided))

    def push(self) -> Push:
        """The push array of the level of the code around."""
        return cast("Push", programs.push(self))

    def force(
        self,
        storage: Storage | None = None,
        *,
        kernel: str | None = None,
        threads: int | None = None,
        unchecked: bool = False,
        into: Array | Sequence[Array] = (),
    ) -> Pull:
        """Compute and store the elements, at the level of the code around; see `obsidian.force`."""
        return cast(
            "Pull",
            programs.force(
                self,
                storage=storage,
                kernel=kernel,
                threads=threads,
                unchecked=unchecked,
                into=into,
            ),
        )


class Pull(_Common):
    """A pull array: extents, and a function from an index to an element.

    Reading an element computes it. `Pull["n", f32]` is the type of a parameter: extents (a name, a
    number, a name with a bound such as `"n <= 1024"`, or None), and then the types of the elements.
    `Annotated[Pull, "n", f32]` means the same, and type checkers accept it.
    """

    __slots__ = ()

    __hash__ = Array.__hash__

    def __class_getitem__(cls, parts: object) -> ParameterType:
        return parameter_type(parts if isinstance(parts, tuple) else (parts,))

    def __getitem__(self, key: Any) -> Any:
        """An element, a part, or, with fewer indices than dimensions, a row.

        An index is a number (a negative one counts from the end) or a traced integer. A slice has
        steps of any constant size; it must lie within the array.
        """
        return reading.read(self, key)

    def __iter__(self) -> Iterator[Any]:
        return programs.Walk(self)

    def slice(
        self,
        offsets: Any,
        sizes: Extent | Sequence[Extent],
        strides: Any = None,
    ) -> Pull:
        """The elements `offset + i * stride` for i below the size, in each dimension."""
        first = offsets if isinstance(offsets, (tuple, list)) else (offsets,)
        counts = sizes if isinstance(sizes, (tuple, list)) else (sizes,)
        steps = strides if isinstance(strides, (tuple, list)) else (strides or 1,) * len(first)
        return cast(Pull, maps.slice_array(self, first, counts, steps))

    def halve(self) -> tuple[Pull, Pull]:
        """The first half and the second half of an array of even length."""
        size = self.dim(0)
        if isinstance(size, int) and size % 2:
            raise TraceError(f"an array of {size} elements has no halves")
        functions.assert_(size % 2 == 0, "halve: the number of elements is odd")
        half = size // 2
        return self.slice(0, half), self.slice(half, half)

    def split(
        self, size: Extent | Sequence[Extent], *, pad: Any = None, strided: bool = False
    ) -> Pull:
        """The array of chunks of a size (a tuple for several dimensions).

        `pad` is the element past the end; without it the size divides the extent. With `strided`,
        neighbouring elements belong to neighbouring chunks.
        """
        sizes = size if isinstance(size, (tuple, list)) else (size,)
        return cast(Pull, maps.split(self, sizes, pad, strided))

    def nest(self, dims: int) -> Pull:
        """The array of arrays whose first `dims` dimensions stay outside."""
        return cast(Pull, maps.nest(self, dims))

    def unnest(self) -> Pull:
        """The inverse of `nest`: one array of the dimensions of both."""
        return cast(Pull, maps.unnest(self))

    def rows(self) -> Pull:
        """The array of the parts `a[i]`; for a matrix, of its rows."""
        return self.nest(1)

    def unzip(self) -> Any:
        """A tuple (or record) of arrays, one for each component of the elements."""
        return maps.unzip(self)

    def each(self, level: Level, *others: Array) -> Callable[[Callable[..., Any]], Any]:
        """One sub-program for each element, as a decorator: `@a.split(512).each(block)`.

        The result is a push array with the extents of this array and of one sub-program; `join`
        makes one array of the chunks.
        """
        return lambda function: programs.each(self, level, others, function)

    @_started
    def reduce(
        self,
        operator: Operator,
        init: Any,
        *,
        commutative: bool = False,
        strategy: str | None = None,
    ) -> Any:
        """Combine all elements by an associative operator. The result of an empty array is `init`.

        `init` is the left-most operand, once. The order is kept unless `commutative`. Below level
        grid, the result is an element; at level grid, a push array of one element.
        """
        return collectives.reduce(self, operator, init, commutative, strategy)

    @_started
    def scan(
        self,
        operator: Operator,
        init: Any = None,
        *,
        exclusive: bool = False,
        total: bool = False,
        commutative: bool = False,
        strategy: str | None = None,
    ) -> Any:
        """Combine all elements up to each one by an associative operator.

        Element i combines `init` and the elements up to i; with `exclusive`, those before i. With
        `total`, the combination of all elements is a second result. Without both, `init` may be
        None: then element i combines the elements up to i.
        """
        return collectives.scan(self, operator, init, exclusive, total, commutative, strategy)

    def segmented_reduce(
        self,
        operator: Operator,
        init: Any,
        *,
        flags: Array | None = None,
        offsets: Array | None = None,
        extent: Extent | None = None,
        commutative: bool = False,
        strategy: str | None = None,
    ) -> Push:
        """The reduction of each segment.

        `offsets` has the S + 1 limits of S segments. Instead of it, `flags` marks the first element
        of each segment, and `extent` is the number of elements of the result.
        """
        return cast(
            Push,
            collectives.segmented_reduce(
                self, operator, init, flags, offsets, extent, commutative, strategy
            ),
        )

    def segmented_scan(
        self,
        operator: Operator,
        init: Any = None,
        *,
        flags: Array | None = None,
        offsets: Array | None = None,
        exclusive: bool = False,
        commutative: bool = False,
        strategy: str | None = None,
    ) -> Push:
        """The scan of each segment; see `segmented_reduce`."""
        return cast(
            Push,
            collectives.segmented_scan(
                self, operator, init, flags, offsets, exclusive, commutative, strategy
            ),
        )

    def compact(
        self,
        flags: Array,
        *,
        init: Any = None,
        dtype: type[Scalar] = i32,
        strategy: str | None = None,
    ) -> tuple[Push, Push]:
        """The elements whose flag is set, in order, and their count as an array of one element.

        The first result has the extent of this array; elements past the count are `init`, or are
        not written.
        """
        return collectives.compact(self, flags, init, dtype, strategy)

    def rank(
        self, count: int, *, dtype: type[Scalar] = i32, strategy: str | None = None
    ) -> tuple[Push, Push]:
        """The index of each key in stable sorted order, and the number of occurrences of each key.

        Keys are from 0 to `count - 1`. The operation is only allowed below level grid.
        """
        return collectives.rank(self, count, dtype, strategy)

    def matmul(
        self,
        other: Pull,
        *,
        init: Any = 0,
        dtype: type[Scalar] | None = None,
        strategy: str | None = None,
    ) -> Push:
        """The product of this matrix and another one of the same type: `self @ other`.

        Element `[i, j]` is `init` plus the sum of `self[i, k] * other[k, j]` for all k, in any
        order. The dimensions before the last two are batches, the same in both arrays. `dtype` is
        the type of the result, by default that of the operands, or a wider type. At level grid,
        blocks compute tiles of the result. In a block and in a grid, tensor cores multiply `f16`
        and `bf16` if `dtype` is `f32`.
        """
        product: Push = collectives.matmul(self, other, init, dtype, strategy)
        return product

    def __matmul__(self, other: object) -> Push:
        product: Push = collectives.matmul(self, other, 0, None, None)
        return product

    def __rmatmul__(self, other: object) -> NoReturn:
        raise TraceError("@ takes pull arrays, not an array of NumPy: pass it as an argument")

    def partition(self, key: Callable[[Any], Any], starts: Array) -> Push:
        """All elements, moved to the ranges of their keys. Equal keys keep their order.

        `key(element)` is an integer from 0 to the extent of `starts` - 1. The elements with key k
        have indices from `starts[k]` on. The operation is only allowed at level grid.
        """
        moved: Push = collectives.partition(self, key, starts)
        return moved

    @_whole
    def sum(self, *, commutative: bool | None = None) -> Any:
        """The sum of all elements. Sums of floats keep the order unless `commutative`."""
        return self._folded(operator.add, 0, commutative)

    @_whole
    def prod(self, *, commutative: bool | None = None) -> Any:
        """The product of all elements. That of floats keeps the order unless `commutative`."""
        return self._folded(operator.mul, 1, commutative)

    def _folded(self, operator: Operator, init: Any, commutative: bool | None) -> Any:
        is_exact = self.type.element.require_scalar().kind != "float"
        return self.reduce(
            operator, init, commutative=is_exact if commutative is None else commutative
        )

    @_whole
    def max(self) -> Any:
        """The largest element. For an empty array, the smallest number (for floats -infinity)."""
        kind = self.type.element.require_scalar()
        return self.reduce(reading.largest, least(kind), commutative=True)

    @_whole
    def min(self) -> Any:
        """The smallest element. For an empty array, the largest number (for floats infinity)."""
        kind = self.type.element.require_scalar()
        return self.reduce(reading.smallest, most(kind), commutative=True)

    @_whole
    def any(self) -> Any:
        """True if one of the elements (of i1) is true."""
        return self.reduce(operator.or_, False, commutative=True)

    @_whole
    def all(self) -> Any:
        """True if all elements (of i1) are true."""
        return self.reduce(operator.and_, True, commutative=True)


class Push(_Common):
    """A push array: extents, a level, and a program of that level that writes the elements.

    It cannot be read. `force` runs the program, and its result is a pull array in memory.
    """

    __slots__ = ()

    __hash__ = Array.__hash__

    def __getitem__(self, key: Any) -> Any:
        raise TraceError("a push array cannot be read: store it first, as in a.force()[i]")

    def __iter__(self) -> Iterator[Any]:
        raise TraceError("a push array cannot be read: store it first, as in a.force()")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(Pull, name):
            return super().__getattr__(name)
        raise TraceError(
            f"{name} reads an array, and a push array cannot be read: store it first, as in "
            f"a.force().{name}"
        )


Array.classes = (Pull, Push)

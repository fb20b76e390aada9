"""Results of whole-array collectives, which are stored once, and only if an operation reads them.

In: a push array of level grid. Out: a `Pending` array, which is used like a pull array. When an
operation reads it, its program becomes a separate kernel, and the array is then in memory. If only
one elementwise function uses the array, this function is fused into the program instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from . import maps, programs
from .levels import Level
from .pull_push import Pull
from .regions import Array, flat_extents
from .trace import current, is_known
from .types import build, flatten

if TYPE_CHECKING:
    from typing_extensions import Self


class Pending(Pull):
    """An array whose program has not run yet.

    `writer` is its program. `root` is the collective with which the program begins: the array
    itself, or the array whose elements `remake` maps after they are in memory.
    """

    __slots__ = ("_name", "order", "remake", "root", "writer")

    runs_late = True

    writer: Array
    root: Pending
    #: Makes the array from the stored elements of its root; None for a root.
    remake: Callable[[], Array] | None
    #: The dimensions of the root, if they are in another order, such as columns of a matrix.
    order: Sequence[int] | None
    _name: str | None

    __hash__ = Pull.__hash__

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of the array in the text. A use of the name reads the array."""
        if self._name is None:
            with current().before(self.block):
                found = programs.force(self.writer) if self.remake is None else self.remake()
            self.is_stored = self.remake is None
            self._name = found.name
        return self._name

    @property
    def has_run(self) -> bool:
        """True if the elements of the root are in memory."""
        return self.root._name is not None

    @property
    def _is_open(self) -> bool:
        """True if the program has not run, and this code is at level grid and may extend it."""
        return not self.has_run and is_known(self) and current().level is Level.grid

    def mapped(self, function: Callable[..., Any], arrays: Sequence[Array]) -> Any:
        """The array of an elementwise function of this array and others."""
        related = [a for a in arrays if isinstance(a, Pending) and a.root is self.root]
        if len(related) > 1 or not self._is_open:
            return maps.map_now(function, arrays)
        operands = [self.writer if array is self else array for array in arrays]
        return self._later(
            maps.map_now(function, operands), self.shape, lambda: maps.map_now(function, arrays)
        )

    def _later(self, writer: Array, shape: Sequence[Any], remake: Callable[[], Array]) -> Pending:
        """A function of this array, which extends its program or reads its stored elements."""
        result = pending(writer, shape)
        result.root, result.order = self.root, self.order

        def read() -> Array:
            # The root is read first. The result is then a function of stored elements.
            _ = self.root.name
            return remake()

        result.remake = read
        return result

    def reverse(self, dim: int = 0) -> Self:
        """The last element first, along a dimension. The program writes in the other order."""
        if not self._is_open:
            return super().reverse(dim)
        writer = maps.reverse(self.writer, dim)
        return cast("Self", self._later(writer, self.shape, lambda: maps.reverse(self, dim)))

    def transpose(self, *permutation: int | Sequence[int]) -> Self:
        """Permute the dimensions. Another order in memory than that of the program is a copy."""
        places = list(range(self.ndim))
        order = list(flat_extents(permutation or tuple(reversed(places))))
        is_back = self.order is not None and [*map(self.order.index, places)] == order
        if not is_back or not self._is_open:
            return super().transpose(*permutation)
        return cast("Self", self.ordered(order, None))

    def ordered(self, permutation: Sequence[int], order: Sequence[int] | None) -> Pending:
        """The transposition as a pending array, whose program keeps its order in memory.

        `order` is the permutation of the dimensions of the program; None if they are in order.
        """
        writer = maps.transpose(self.writer, permutation)
        shape = [self.shape[d] for d in permutation]
        result = self._later(writer, shape, lambda: maps.transpose(self, permutation))
        result.order = order
        return result

    @property
    def is_last(self) -> bool:
        """True if nothing reads the root after this region. It has the order of the result."""
        return not self.has_run and self.order is None and self.root.block is current().block


def pending(writer: Array, shape: Sequence[Any]) -> Pending:
    """The array that a program of level grid writes; `shape` has its extents."""
    array: Pending = object.__new__(Pending)
    array.writer, array.root, array.remake, array._name = writer, array, None, None
    array.order, array.likely = None, None
    array.block, array.type = current().block, writer.type.with_level(None)
    array.is_stored = False
    array.dims = {d: n for d, n in enumerate(shape) if not isinstance(n, int)}
    return array


def stored(leaves: Sequence[Any]) -> list[Any]:
    """The leaves of a result. Arrays that are not in memory are forced, all by one kernel.

    Elementwise functions are fused into the programs of pending arrays of the same region.
    """
    roots = Counter(id(leaf.root) for leaf in leaves if isinstance(leaf, Pending))
    virtual = []
    for leaf in leaves:
        is_late = isinstance(leaf, Pending) and leaf.is_last and roots[id(leaf.root)] == 1
        if isinstance(leaf, Array) and not is_late:
            _ = leaf.name
        if isinstance(leaf, Array) and not leaf.is_stored:
            virtual.append(leaf.writer if isinstance(leaf, Pending) and is_late else leaf)
    if not virtual:
        return list(leaves)
    forced = programs.force(*virtual)
    rest = iter(forced if isinstance(forced, tuple) else (forced,))
    return [
        next(rest) if isinstance(leaf, Array) and not leaf.is_stored else leaf for leaf in leaves
    ]


def finish(value: Any) -> Any:
    """A value of Python, with its arrays in memory; see `stored`."""
    leaves, shape = flatten(value)
    return build(shape, iter(stored(leaves)))

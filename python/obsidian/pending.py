"""Results of whole-array collectives, which are stored once, and only if something reads them.

In: a push array of level grid. Out: a `Pending` array, which is used like a pull array. Its program
runs in a kernel of its own as soon as an operation reads it, and the array is then in memory. A
function of its elements that nothing else reads is fused behind the program instead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from . import maps, programs
from .levels import Level
from .pull_push import Pull
from .regions import Array
from .trace import current, is_known
from .types import build, flatten


class Pending(Pull):
    """An array whose program has not run yet.

    `writer` is its program. `root` is the collective that the program begins with: the array
    itself, or the one whose elements `remake` maps, once they are in memory.
    """

    __slots__ = ("_name", "remake", "root", "writer")

    runs_late = True

    writer: Array
    root: Pending
    #: Makes the array from the stored elements of its root; None for a root.
    remake: Callable[[], Array] | None
    _name: str | None

    __hash__ = Pull.__hash__

    @property
    def name(self) -> str:  # type: ignore[override]
        """The name of the array in the text: whoever asks for it reads the array."""
        if self._name is None:
            with current().before(self.block):
                found = programs.force(self.writer) if self.remake is None else self.remake()
            self.is_stored = self.remake is None
            self._name = found.name
        return self._name

    @property
    def has_run(self) -> bool:
        """If the elements of the root are in memory."""
        return self.root._name is not None

    def mapped(self, function: Callable[..., Any], arrays: Sequence[Array]) -> Any:
        """The array of a function of the elements of this array and of others."""
        related = [a for a in arrays if isinstance(a, Pending) and a.root is self.root]
        is_here = is_known(self) and current().level is Level.grid
        if self.has_run or len(related) > 1 or not is_here:
            return maps.map_now(function, arrays)
        operands = [self.writer if array is self else array for array in arrays]
        result = pending(maps.map_now(function, operands), self.shape)
        result.root = self.root

        def remake() -> Array:
            # The root is read first: this array is then a function of stored elements.
            _ = self.root.name
            array: Array = maps.map_now(function, arrays)
            return array

        result.remake = remake
        return result

    @property
    def is_last(self) -> bool:
        """If the program has not run, and nothing can read its root after the current region."""
        return not self.has_run and self.root.block is current().block


def pending(writer: Array, shape: Sequence[Any]) -> Pending:
    """The array that a program of level grid writes; `shape` has its extents."""
    array: Pending = object.__new__(Pending)
    array.writer, array.root, array.remake, array._name = writer, array, None, None
    array.block, array.type = current().block, writer.type.with_level(None)
    array.is_stored = False
    array.dims = {d: n for d, n in enumerate(shape) if not isinstance(n, int)}
    return array


def stored(leaves: Sequence[Any]) -> list[Any]:
    """The leaves of a result: arrays that are not in memory are forced, all by one kernel.

    Functions of elements are fused behind the programs of pending arrays of the same region.
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

"""Folds and scans of rows that read the same elements of memory, or neighbouring ones.

In: an array whose rows are computed from elements that all of them read, such as the forces between
all bodies, or whose rows are columns in memory. Out: a push array of the fold of each row. The
threads of a warp have neighbouring rows and the same place in them, so they read one element or
neighbours together. The threads of a block with a row each would read far from each other.
"""

from __future__ import annotations

import functools
import math
import operator
import re
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import Any, cast

from .. import functions, maps, programs
from ..branching import choose
from ..levels import Level
from ..pending import Pending, pending
from ..pull_push import Pull
from ..reading import read
from ..regions import Array
from ..sources import generate
from ..trace import Block, Entry, current
from .checks import is_short, likely_extents, row_level, scan_level, start_of

#: A block has a row for each thread of a warp, and each warp a part of these rows.
ROWS, PARTS = 32, 8
#: With fewer rows, there is no work for some of the multiprocessors. With many, there is work for
#: all threads if each of them has a row.
FEWEST, MANY = 512, 1 << 16
#: Up to this many neighbouring rows are components of one element. With as many rows of such
#: elements, a warp for each of them keeps a GPU busy.
JOINED, WARPS = 4, 1 << 11
#: The threads that a GPU has for columns. A piece of a column has a multiple of `STEPS` elements.
THREADS, STEPS = 1 << 18, 1 << 5

#: The dimensions on which an index depends: the row, or the place in a row.
Dims = frozenset[str]
_NONE, _ROW, _PLACE = frozenset[str](), frozenset({"row"}), frozenset({"place"})
_NAME = r"%[\w$.-]+"


class _UnknownError(Exception):
    """The reads of an operation are not known."""


def _reads(array: Pull) -> list[list[Dims]] | None:
    """The indices of the reads of memory for an element.

    None if the reads of an operation are not known.
    """
    reads = _Reads()
    try:
        reads.visit(array.name, [_NONE] * (array.ndim - 2) + [_ROW, _PLACE])
    except _UnknownError:
        return None
    return reads.found


def _is_shared(index: Sequence[Dims]) -> bool:
    return not _NONE.union(*index) >= _ROW | _PLACE


def _are_many(outer: Sequence[int | None]) -> bool:
    """True if a GPU has work for rows of these extents, and a warp for the last of them."""
    return _product(outer, FEWEST) >= FEWEST and _product(outer[-1:], ROWS) >= ROWS


def is_shared(array: Pull) -> bool:
    """True if there are many rows, and each read depends on the row or the place in it, not both.

    Rows of up to 16 elements have another level, and False, in any case. False also if the reads of
    an operation are not known.
    """
    are_many = _are_many(array.type.extents[:-1]) and not is_short(array)
    found = _reads(array) if are_many else None
    return found is not None and all(map(_is_shared, found))


def are_columns(array: Pull) -> bool | None:
    """True if neighbouring rows are neighbours in memory, and elements of a row are not.

    Other reads may be shared. None if the reads of an operation are not known.
    """
    reads = _reads(array) if _product(array.type.extents[:-1], ROWS) > 1 else []
    if reads is None:
        return None
    found = [index for index in reads if not _is_shared(index)]
    return bool(found) and all(index[-1] == _ROW for index in found)


def have_threads(array: Pull) -> bool:
    """True if it is known that there are rows for all threads."""
    return _product(array.type.extents[:-1], 0) >= MANY


def _product(extents: Sequence[int | None], unknown: int) -> int:
    """The product of extents, with a number for each one that is not known."""
    return math.prod(unknown if extent is None else extent for extent in extents)


class _Reads:
    """The reads of memory for one element of an array: the dimensions of their indices."""

    def __init__(self) -> None:
        self.found: list[list[Dims]] = []
        #: The operations that define the values of the program, by name.
        self._entries: dict[str, Entry] = {}
        for block in current().stack:
            self._enter(block)

    def _enter(self, block: Block) -> None:
        for entry in block.entries:
            self._entries.update((name, entry) for name in _parts(entry)[0])
            for region in entry.regions:
                self._enter(region.block)

    def visit(self, name: str, index: Sequence[Dims]) -> None:
        """Find the reads for the element of an array at an index."""
        entry = self._entries.get(name)
        _, kind, rest = _parts(entry) if entry else ([], "", "")
        everything = _NONE.union(*index)
        if entry is None or kind in ("obs.force", "obs.constant", "obs.view", "scf.for"):
            # The elements are in memory.
            self.found.append([*index])
        elif kind == "obs.generate":
            self._run(entry, index)
        elif kind == "obs.map" and entry.regions:
            for source in re.findall(rf"= ({_NAME}) :", rest):
                self.visit(source, index)
            self._run(entry, [everything] * len(re.findall(_NAME, rest)))
        elif kind in ("obs.map", "obs.zip"):
            for source in re.findall(_NAME, rest.rpartition("}")[2]):
                self.visit(source, index)
        elif kind == "obs.reindex":
            self.visit(re.findall(_NAME, rest)[len(index)], self._run(entry, index))
        elif kind == "obs.transpose":
            source, permutation = re.findall(rf"({_NAME}) \[(.*?)\]", rest)[0]
            order = [int(d) for d in permutation.split(",")]
            self.visit(source, [index[order.index(d)] for d in range(len(order))])
        elif kind in ("obs.reverse", "obs.slice", "obs.take", "obs.unzip"):
            self.visit(re.findall(_NAME, rest)[0], index)
        elif kind == "obs.reshape":
            # The first and the last dimensions of equal extents are the same. Any other index of
            # the source may depend on all others of the result.
            source, result = (re.findall(r"[\d?]+(?= x )", part) for part in rest.split("->"))
            inner = len(result) - len(index)
            source, result = source[: len(source) - inner], result[: len(index)]
            first = _equal(source, result)
            last = _equal(source[first:][::-1], result[first:][::-1])
            end = len(index) - last
            others = [_NONE.union(*index[first:end])] * (len(source) - first - last)
            place = [*index[:first], *others, *index[end:]]
            self.visit(re.findall(_NAME, rest)[0], place)
        elif kind not in ("obs.iota", "obs.splat"):
            raise _UnknownError

    def _run(self, entry: Entry, arguments: Sequence[Dims]) -> list[Dims]:
        """Find the reads of a region; the result is what the values that it yields depend on."""
        names = re.findall(_NAME, _parts(entry)[2])
        return self._code(entry.regions[0].block, dict(zip(names, arguments)))

    def _code(self, block: Block, values: dict[str, Dims]) -> list[Dims]:
        """The same for scalar code. `values` has the dimensions on which its values depend."""
        found: list[Dims] = []
        for entry in block.entries:
            results, kind, rest = _parts(entry)
            names = re.findall(_NAME, rest)
            found = [values.get(name, _NONE) for name in names]
            if kind == "obs.get":
                self.visit(names[0], found[1:])
            elif kind == "scf.if":
                found += [d for r in entry.regions for d in self._code(r.block, values)]
            elif not kind.startswith(("arith.", "math.", "obs.dim", "obs.yield", "scf.yield")):
                raise _UnknownError
            values.update((name, _NONE.union(*found)) for name in results)
        return found


def _parts(entry: Entry) -> tuple[list[str], str, str]:
    """The names of the results of an operation, its kind, and the text after that."""
    found = re.match(r"(?:(%.*?) = )?(\S+)(.*)", entry.head, re.DOTALL)
    results, kind, text = found.groups("") if found else ("", "", "")
    return re.findall(_NAME, results), kind, text


def _equal(some: Sequence[str], others: Sequence[str]) -> int:
    """The number of extents at the beginning that are known and equal."""
    return len(list(takewhile(lambda pair: pair[0] == pair[1] != "?", zip(some, others))))


def fold_shared(array: Pull, function: Callable[[Any, Any], Any], init: Any) -> Array:
    """The push array of the fold of each row, by blocks of `ROWS` rows.

    A thread folds a part of a row, and then one of `ROWS` threads the parts of a row, in order.
    """
    *outer, rows, length = array.shape
    # A row without elements has no parts.
    size = functions.max(functions.ceil_div(length, PARTS), 1)
    count = functions.ceil_div(length, size)

    def tile(*place: Any) -> Pull:
        *first, number = place

        def part(p: Any, r: Any) -> Any:
            # Threads behind the last row fold it once more.
            row, own = functions.min(number * ROWS + r, rows - 1), p * size
            behind = functions.min(own + size, length)

            def element(i: Any) -> Any:
                return read(array, (*first, row, own + i))

            left = choose(own < length, lambda: element(0), lambda: start_of(array, init))
            rest = generate(functions.max(behind - own - 1, 0))(lambda i: element(1 + i))
            return rest.reduce(function, left)

        parts = generate(PARTS, ROWS)(part).force()
        return generate(*(1,) * len(outer), ROWS)(
            lambda *at: generate(count)(lambda p: parts[p, at[-1]]).reduce(function, init)
        )

    tiles = programs.grid_of(*outer, functions.ceil_div(rows, ROWS), level=Level.block)(tile)
    return cast(Array, maps.join(tiles, [*outer, rows], False))


def fold_joined(
    array: Pull, function: Callable[[Any, Any], Any], init: Any, free: bool
) -> Array | None:
    """The push array of the folds of a few neighbouring rows that read the same elements.

    These rows are components of one element, so that what they share is computed once, such as the
    distances of points for each of their coordinates. None for other arrays.
    """
    *outer, width, length = array.shape
    is_few = isinstance(width, int) and 0 < width <= JOINED
    if not is_few or not _are_many(array.type.extents[:-2]):
        return None

    def element(*place: Any) -> Any:
        return tuple(read(array, (*place[:-1], c, place[-1])) for c in range(width))

    source = generate(*outer, length)(element)
    if len(source.type.element.leaves) != width or not is_shared(source):
        return None

    def row(*place: Any) -> Any:
        own = generate(length)(lambda i: read(source, (*place, i)))
        start, combine = (init,) * width, lambda a, b: tuple(map(function, a, b))
        first, *rest = own.reduce(combine, start, commutative=free)

        def component(c: Any) -> Any:
            wanted = first
            for k, one in enumerate(rest, 1):
                wanted = functions.where(c == k, one, wanted)
            return wanted

        return generate(width)(component)

    few = Level.warp if _product(source.type.extents[:-1], 0) >= WARPS else Level.block
    level = Level.thread if have_threads(source) else few
    return cast(Array, programs.grid_of(*outer, level=level)(row))


def _fold_pieces(array: Pull, function: Callable[[Any, Any], Any], size: Any) -> Pull:
    """The stored folds of the pieces of columns, which have `size` elements.

    A thread folds a piece. The result has a row for each column.
    """
    *outer, rows, length = array.shape
    pieces = functions.ceil_div(length, size)
    shape, last = (*outer, pieces, rows), len(outer)

    def total(*place: Any) -> Array:
        *first, piece, row = place
        begin = piece * size
        count = functions.min(length - begin, size)
        rest = generate(count - 1)(lambda i: read(array, (*first, row, begin + 1 + i)))
        return cast(Array, rest.reduce(function, read(array, (*first, row, begin))))

    totals = programs.grid_of(*shape, level=Level.thread)(total)
    stored = maps.reindex(totals, lambda *place: place[:-1], shape, False).force()
    columns: Pull = stored.transpose(*range(last), last + 1, last)
    columns.likely = [*likely_extents(array)[:-1], _likely_pieces(array)]
    return columns


def _size_of_pieces(extents: Sequence[Any]) -> Any:
    """The number of elements of a piece of a column, so that about `THREADS` threads have one."""
    *outer, length = extents
    count = functools.reduce(operator.mul, outer)
    wanted = functions.ceil_div(THREADS, functions.max(count, 1))
    steps = functions.ceil_div(functions.ceil_div(length, wanted), STEPS)
    return functions.max(functions.min(steps * STEPS, length), 1)


def _likely_pieces(array: Pull) -> int | None:
    """The number of pieces for the likely extents; None if these are not known."""
    extents = likely_extents(array)
    if None in extents:
        return None
    return int(functions.ceil_div(extents[-1], _size_of_pieces(extents)))


def fold_columns(array: Pull, function: Callable[[Any, Any], Any], init: Any) -> Array:
    """The push array of the fold of each row, if these are columns in memory.

    Threads fold columns, or pieces of columns if there is not a column for each of them. Other
    units then fold the results of the pieces, in order.
    """
    *outer, rows, _ = array.shape
    columns, unit = array, Level.thread
    if _likely_pieces(array) != 1:
        columns = _fold_pieces(array, function, _size_of_pieces(array.shape))
        is_known = likely_extents(columns)[-1] is not None
        unit = row_level(columns) if is_known else Level.thread
    sums = programs.each(
        columns.nest(len(outer) + 1), unit, (), lambda row: row.reduce(function, init)
    )
    return cast(Array, maps.reindex(sums, lambda *place: place[:-1], [*outer, rows], False))


def scan_columns(
    array: Pull, function: Callable[[Any, Any], Any], init: Any, exclusive: bool
) -> Pending:
    """The scan of each row, if these are columns in memory, in whose order the result is stored.

    A thread scans a piece of a column. Before that, threads fold the pieces, and a scan of these
    folds is the start of each piece.
    """
    *outer, rows, length = array.shape
    is_whole = _likely_pieces(array) == 1
    size = length if is_whole else _size_of_pieces(array.shape)
    last = len(outer)

    def scan(start: Any, *place: Any) -> Array:
        *first, piece, row = place

        def element(i: Any) -> Any:
            at = (*first, row, piece * size + i)
            return choose(at[-1] < length, lambda: array[at], lambda: start_of(array, init))

        found: Array = generate(size)(element).scan(function, start, exclusive=exclusive)
        extents = [*[1] * last, size, 1]
        return cast(Array, maps.reindex(found, lambda i: (*[0] * last, i, 0), extents, False))

    # A column without elements that is divided has no piece.
    pieces = 1 if is_whole else functions.ceil_div(length, size)
    grid = programs.grid_of(*outer, pieces, rows, level=Level.thread)
    if is_whole:
        tiles = grid(lambda *place: scan(init, *place))
    else:
        totals = _fold_pieces(array, function, size)
        starts = programs.each(
            totals.nest(last + 1), scan_level(totals), (),
            lambda row: row.scan(function, init, exclusive=True),
        ).force()  # fmt: skip
        tiles = grid(lambda *place: scan(read(starts, (*place[:-2], *place[:-3:-1])), *place))
    order = [*range(last), last + 1, last]
    shape = (*outer, length, rows)
    return pending(maps.join(tiles, shape, False), shape).ordered(order, order)

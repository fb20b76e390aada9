"""Reductions of rows and the operations around them as one kernel: one unit processes each row.

In: the nodes of a program in order. Out: groups of nodes whose values are rows of one shape, or one
element for each row. An example is a whole softmax or layer norm. The values of a group are not in
memory. A unit keeps the elements that it needs again, if a row has up to `KEPT` elements. It reads
longer rows again, from the caches.
"""

from __future__ import annotations

import functools
import operator
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import functions as fn
from .. import programs
from ..arrays.checks import FEW, LONG, MANY, SHORT, STAGED
from ..functions import spread
from ..levels import Level
from ..regions import Array
from ..scalars import least
from ..sources import full, generate
from .elementwise import elementwise, lower_elementwise, name_of
from .folds import FOLDS, fold_of, folded_dims
from .moves import VIRTUAL, found_place
from .values import (
    Builder,
    Tensor,
    are_same,
    is_one,
    is_static,
    is_tensor,
    likely,
    likely_product,
    listed,
    product,
    torch,
    value_of,
)  # fmt: skip

_RESHAPES = {"view", "unsqueeze", "squeeze", "expand"}
#: Operations that read a few elements of each row.
_PLACES = {"gather", "index", "select"}
#: An element is computed from at most this number of others, if reductions in it have no kernels.
MOST_READ = 64
#: One kernel computes at most this number of reductions of rows that it does not keep.
MOST_FOLDS = 8
#: A unit keeps rows of up to this number of elements, in at most this number of words of 32 bits.
KEPT, WORDS = 1 << 14, {Level.thread: 64, Level.warp: 4 * 512, Level.block: 1 << 15}

#: Long rows of a softmax: the elements that are combined before the others, with one maximum, and
#: the threads of a block. On an H100, a softmax of 8192 x 32000 takes 1.00 ms, and 1.28 ms with 256
#: threads. Other lengths are slower than by two readings.
NEIGHBOURS, THREADS = 8, 512


@dataclass
class Group:
    """Nodes whose values belong to the rows of a shape; a row is the last `dims` dimensions.

    A view with other extents has the same elements in the same order, and so the same rows.
    """

    shape: tuple[Any, ...]
    dims: int
    members: list[Any] = field(default_factory=list)

    @property
    def rows(self) -> tuple[Any, ...]:
        """The extents that count rows."""
        return self.shape[: -self.dims]

    @property
    def length(self) -> Any:
        """The number of elements of a row."""
        return product(self.shape[-self.dims :])

    def form(self, node: Any) -> str | None:
        """A value has an element for each one of the rows, or for each row; None for others."""
        count = product(getattr(value_of(node), "shape", (0,)))
        kept = product(self.rows)
        forms = {"row": kept * self.length, "kept": kept}
        return next((form for form, n in forms.items() if are_same([count], [n])), None)

    def accepts(self, other: Group | Folds) -> bool:
        """True if rows of another group are as many and as long."""
        return isinstance(other, Group) and are_same(
            *([product(g.rows), g.length] for g in (self, other))
        )


@dataclass
class Folds:
    """Other reductions along the same dimensions, which read common arrays in one kernel."""

    shape: tuple[Any, ...]
    dims: list[int]
    #: The nodes in memory from which elements are computed.
    sources: set[Any]
    members: list[Any] = field(default_factory=list)

    def accepts(self, other: Group | Folds) -> bool:
        """True if a kernel reads less if it computes other reductions, too."""
        return (
            isinstance(other, Folds) and are_same(self.shape, other.shape)
            and self.dims == other.dims and bool(self.sources & other.sources)
            and len(self.members) < MOST_FOLDS
        )  # fmt: skip


def _is_repeated(kept: Any, node: Any) -> bool:
    """True if broadcasting repeats each element of a node, one for each row, for a whole row."""
    small, large = value_of(kept).shape, value_of(node).shape
    small = (*[1] * (len(large) - len(small)), *small)
    last = max((d for d, n in enumerate(small) if not is_one(n)), default=-1) + 1
    return are_same(small[:last], large[:last])


def _is_fold(node: Any) -> bool:
    return name_of(node.target) in FOLDS


def _rows_of(node: Any) -> Group | None:
    """The rows that a reduction combines; None for other nodes and other reductions."""
    if not _is_fold(node):
        return None
    shape = tuple(value_of(node.args[0]).shape)
    dims = set(folded_dims(node.args, node.kwargs, len(shape)))
    last = 0
    while len(shape) - last - 1 in dims:
        last += 1
    # A dimension of extent 1 may also be a dimension of the rows.
    if not last or any(not is_one(shape[d]) for d in dims if d < len(shape) - last):
        return None
    group = Group(shape, last)
    count, length = likely_product(group.rows), likely_product(shape[-last:])
    is_few = None not in (count, length) and count < FEW and length > LONG
    # All blocks combine the elements of a whole tensor, because the next one may be longer.
    is_whole = not is_static(shape) and not group.rows
    is_empty = 0 in (count, length)
    return None if is_few or is_whole or is_empty or is_one(group.length) else group


def _virtual(nodes: Sequence[Any], extent: Callable[[Any], Any]) -> set[Any]:
    """The nodes that are functions of the index, which are computed where they are read."""
    return {n for n in nodes if name_of(n.target) in VIRTUAL
            or n.target is operator.getitem or elementwise(n, extent) is not None}  # fmt: skip


def _sources(node: Any, virtual: Container[Any]) -> list[Any]:
    """The other nodes, from which a node is computed."""
    seen = list(node.all_input_nodes)
    for n in seen:
        seen += [m for m in n.all_input_nodes if n in virtual and m not in seen]
    return [n for n in seen if n not in virtual]


def find_inline(nodes: Sequence[Any], extent: Callable[[Any], Any]) -> set[Any]:
    """The short reductions that are computed where they are read.

    Either their results take more memory than what they read, such as the distances of all pairs of
    points, and others read each result a few times. Or they combine a few elements that are not
    neighbours, such as the channels of a pixel, and others read results about as often as these.
    """
    inside, virtual = set(nodes), _virtual(nodes, extent)
    #: The number of elements that are read for one result of an inline reduction.
    found: dict[Any, int] = {}

    def readers(node: Any) -> list[Any] | None:
        """The nodes behind a node that are stored or reduced; None if others read it, too."""
        seen, ends = [node], []
        for n in seen:
            others = [u for u in n.users if u not in virtual]
            folds = [u for u in others if u in inside]
            seen += [u for u in n.users if u in virtual and u not in seen]
            ends += [n] * (len(folds) + (len(folds) < len(others)))
            if not all(map(_is_fold, folds)):
                return None
        return ends

    def is_inline(node: Any) -> bool:
        shape, own, ends = value_of(node.args[0]).shape, _sources(node, virtual), readers(node)
        dims = folded_dims(node.args, node.kwargs, len(shape))
        length = product([shape[d] for d in dims if shape])
        values = [listed(value_of(n))[0] for n in (node, *own, *(ends or ()))]
        if ends is None or not isinstance(length, int) or not 0 < length <= SHORT:
            return False
        if not all(isinstance(v, torch.Tensor) and likely_product(v.shape) for v in values):
            return False
        size, *others = [likely_product(v.shape) for v in values]
        read, count = others[: len(own)], sum(others[len(own) :])
        if _rows_of(node) is not None:
            is_stored = any(user not in inside for user in node.users)
            memory = sum(n * v.itemsize for n, v in zip(read, values[1:]))
            is_large = memory < size * values[0].itemsize
            return is_large and not is_stored and count * length <= SHORT * size
        found[node] = length * max((found.get(n, 1) for n in own), default=1)
        kernels = {tuple(n for n in map(likely, v.shape) if n != 1) for v in values[1 + len(own) :]}
        return found[node] <= MOST_READ and len(kernels) <= 2 and count <= 2 * length * size

    return {node for node in nodes if _is_fold(node) and is_inline(node)}


def find_groups(
    nodes: Sequence[Any], extent: Callable[[Any], Any], inline: set[Any]
) -> dict[Any, Group | Folds]:
    """The group of each node that is in one; `inline` are reductions that are in none."""
    owner: dict[Any, Group | Folds] = {}
    inside, virtual = set(nodes), _virtual(nodes, extent)

    def folds_of(node: Any) -> Folds:
        shape = tuple(value_of(node.args[0]).shape)
        dims = folded_dims(node.args, node.kwargs, len(shape))
        return Folds(shape, dims, set(_sources(node, virtual)))

    def depends(node: Any, group: Group | Folds) -> bool:
        """True if a value that the node takes from outside of the group needs the group."""
        stack = [n for n in node.all_input_nodes if owner.get(n) is not group]
        seen: set[Any] = set()
        while stack:
            found = stack.pop()
            if owner.get(found) is group:
                return True
            if found in inside and found not in seen:
                around = owner[found].members if found in owner else [found]
                seen.update(around)
                stack += [n for m in around for n in m.all_input_nodes]
        return False

    groups: list[Group | Folds] = []
    fitting: list[Group | Folds]
    for node in nodes:
        if _is_fold(node) and node not in inline:
            rows = _rows_of(node) or folds_of(node)
            fitting = [g for g in groups if g.accepts(rows)]
            groups += [] if any(not depends(node, g) for g in fitting) else [rows]
            fitting.append(rows)
        else:
            near = {id(g): g for n in node.all_input_nodes for g in [owner.get(n)] if g}
            fitting = [g for g in near.values() if _fits(node, g, owner, extent)]
        found = next((g for g in fitting if not depends(node, g)), None)
        if found is not None:
            owner[node] = found
            found.members.append(node)
            if isinstance(found, Folds):
                found.sources |= folds_of(node).sources
    return owner


def _fits(
    node: Any, group: Group | Folds, owner: dict[Any, Any], extent: Callable[[Any], Any]
) -> bool:
    """True if a node can be computed from the rows of a group."""
    if isinstance(group, Folds) or node.target is operator.getitem:
        return isinstance(group, Group)
    form, is_view = group.form(node), name_of(node.target) in _RESHAPES
    if _is_place_in_row(node, group):
        return True
    if form is None or not (is_view or elementwise(node, extent) is not None):
        return False
    own = [n for n in node.all_input_nodes if owner.get(n) is group]
    return all(group.form(n) == form or _is_repeated(n, node) for n in own)


def _is_place_in_row(node: Any, group: Group) -> bool:
    """True if a node gathers one element of each row of a group."""
    return (
        name_of(node.target) == "gather" and group.dims == 1 and group.form(node) == "kept"
        and node.args[1] % len(group.shape) == len(group.shape) - 1
        and are_same(value_of(node.args[0]).shape, group.shape)
        and are_same(value_of(node.args[2]).shape[:-1], group.rows)
    )  # fmt: skip


def units_of(nodes: Sequence[Any], owner: dict[Any, Group | Folds]) -> list[Any]:
    """Groups, and nodes without a group, in an order of execution."""
    done: dict[int, Any] = {}
    inside = set(nodes)
    stack = [(n, False) for n in reversed(nodes)]
    while stack:
        node, is_ready = stack.pop()
        unit = owner.get(node, node)
        if id(unit) in done:
            continue
        if is_ready:
            done[id(unit)] = unit
            continue
        members = getattr(unit, "members", [unit])
        stack.append((node, True))
        stack += [(i, False) for m in members for i in m.all_input_nodes
                  if i in inside and owner.get(i, i) is not unit]  # fmt: skip
    return list(done.values())


def _level(group: Group) -> Level:
    """The unit of a row."""
    length, count = likely_product(group.shape[-group.dims :]), likely_product(group.rows)
    if length is None or length > 512:
        return Level.block
    is_staged = isinstance(group.length, int) and (count is None or count >= MANY)
    if length <= (STAGED if is_staged else SHORT):
        return Level.thread
    return Level.block if count is not None and count < 1024 and length > 128 else Level.warp


def lower_group(
    b: Builder, group: Group, tensor_of: Callable[[Any], Tensor], outputs: Container[Any]
) -> dict[Any, Tensor]:
    """The tensors of the members of a group that are used outside, in one kernel.

    The kernel also stores the rows that it computes from operands, if they are `outputs`.
    """
    producers = _producers(group, b, tensor_of)
    rank, nodes = len(group.rows), [*producers, *group.members]
    members = set(nodes)
    length, flat = b.extent(group.length), [*group.rows, group.length]
    computations = {n: elementwise(n, b.extent) for n in nodes if not _is_fold(n)
                    and n.target is not operator.getitem}  # fmt: skip
    outside: dict[Any, Any] = {}
    uses: Counter[Any] = Counter()
    for node in nodes:
        found, is_place = computations.get(node), _is_place_in_row(node, group)
        is_row = _is_fold(node) or group.form(node) == "row"
        given = node.args[:1] if _is_fold(node) else node.args[::2] if is_place else ()
        for operand in found.nodes if found else given:
            uses[operand] += is_row
            if operand not in members:
                tensor = tensor_of(operand)
                tensor = b.broadcast(tensor, value_of(node).shape) if found else tensor
                is_whole = is_row or (is_place and operand is node.args[0])
                outside[operand, node] = b.reshape(tensor, flat if is_whole else group.rows)
    kept = _kept(group, uses)
    is_long = isinstance(group.length, int) and group.length > KEPT
    sums = _sums_of_exponentials(group) if is_long and group.length % NEIGHBOURS == 0 else {}

    def body(*place: Any) -> Any:
        own: dict[Any, Any] = {}

        def operand(n: Any, node: Any, is_row: bool) -> Any:
            if n in own:
                return own[n]
            array, at = outside[n, node].array, place[:rank]
            found = array if is_row and not at else array[at or 0]
            if group.form(n) == "row":
                own[n] = found = found.force() if n in kept else found
            return found

        def element(n: Any, user: Any, i: Any) -> Any:
            """The element of a row at an index, from memory and from what belongs to the row."""
            if n not in members:
                at = (*place[:rank], i)
                return outside[n, user].array[at]
            if group.form(n) != "row":
                return own[n]
            found = computations.get(n)
            parts = [element(m, n, i) for m in (found.nodes if found else n.args[:1])]
            return found.function(*parts) if found else parts[0]

        for node in nodes:
            is_row, found = group.form(node) == "row", computations.get(node)
            if node.target is operator.getitem:
                own[node] = own[node.args[0]][node.args[1]]
            elif node in sums:
                row = operand(node.args[0], node, True)
                own[node], own[sums[node]] = _exponentials(row, length)
            elif node in own:
                continue
            elif _is_fold(node):
                own[node] = _row_fold(node, operand(node.args[0], node, True), length)
            elif _is_place_in_row(node, group):
                i = operand(node.args[2], node, False)
                own[node] = element(node.args[0], node, found_place(b, group.shape, rank, i))
            elif found is None:
                value = own[node.args[0]]
                is_spread = is_row and not isinstance(value, Array)
                own[node] = generate(length)(lambda _, v=value: v) if is_spread else value
            else:
                operands = [operand(n, node, is_row) for n in found.nodes]
                own[node] = _apply(found.function, operands, length, is_row)
            if node in kept:
                own[node] = own[node].force()
        results = [own[n] for n in wanted]
        return tuple(r if isinstance(r, Array) else full(1, r) for r in results)

    outer = {n: [u for u in n.users if u not in group.members] for n in group.members
             if is_tensor(n)}  # fmt: skip
    # A row of which few elements are read is not stored. They are computed from the reductions.
    rows = [n for n in outer if computations.get(n) and group.form(n) == "row"]
    virtual = [
        n for n in rows if outer[n] and _PLACES.issuperset(name_of(u.target) for u in outer[n])
    ]
    needed, roots = list(virtual), set[Any]()
    for node in needed:
        found = computations[node]
        operands = [n for n in found.nodes if n in group.members] if found else []
        needed += [n for n in operands if n in rows and n not in needed]
        roots.update(n for n in operands if n not in rows)
    wanted = [n for n in outer if n in roots or (outer[n] and n not in virtual)]
    wanted += [n for n in producers if n in outputs]
    written = programs.grid_of(*b.extents(group.rows), level=_level(group))(body)
    stored = programs.force(*written, threads=THREADS if sums else None)
    results: dict[Any, Any] = {}
    for node, array in zip(wanted, [stored] if len(wanted) == 1 else stored):
        shape = value_of(node).shape
        results[node] = b.new(array.reshape(*b.extents(shape)), value_of(node).dtype, shape)

    def computed(node: Any) -> Tensor:
        if node in group.members and node not in results:
            results[node] = lower_elementwise(b, node, computed)
        found: Tensor = results[node] if node in results else tensor_of(node)
        return found

    for node in virtual:
        computed(node)
    return results


def _producers(group: Group, b: Builder, tensor_of: Callable[[Any], Tensor]) -> list[Any]:
    """The elementwise operations that compute the rows that a group reads, in order."""
    found: dict[Any, None] = {}

    def visit(node: Any) -> None:
        if node in found or node in group.members or group.form(node) != "row":
            return
        tensor, computation = tensor_of(node), elementwise(node, b.extent)
        if not (tensor.array.is_stored or tensor.is_view) and computation and computation.nodes:
            for operand in computation.nodes:
                visit(operand)
            found[node] = None

    for member in group.members:
        for node in member.all_input_nodes:
            visit(node)
    return list(found)


def _kept(group: Group, uses: Mapping[Any, int]) -> set[Any]:
    """The rows that are kept because they are used again: the first ones that fit."""
    level = _level(group)
    if not isinstance(group.length, int) or group.length > KEPT:
        return set()
    # A thread has longer rows in shared memory.
    if level is Level.thread and group.length > SHORT:
        return set()
    found, words, most = set(), 0, WORDS[level]
    for node, count in uses.items():
        value = value_of(node)
        is_copy = name_of(node.target) in _RESHAPES and node in group.members
        if count > 1 and group.form(node) == "row" and not is_copy:
            words += group.length * -(-value.dtype.itemsize // 4)
            found |= {node} if words <= most else set()
    return found


def _sums_of_exponentials(group: Group) -> dict[Any, Any]:
    """The sum of exponentials of distances to a maximum, by this maximum, as in a softmax."""

    def inner(node: Any, name: str) -> Any:
        is_inside = node in group.members and name_of(node.target) == name
        return node if is_inside and value_of(node).dtype.itemsize > 2 else None

    found = {}
    for total in group.members:
        power = inner(total.args[0], "exp") if inner(total, "sum") else None
        distance = inner(power.args[0], "sub") if power else None
        largest = inner(distance.args[1], "amax") if distance else None
        if distance and largest and distance.args == (largest.args[0], largest):
            found[largest] = total
    return found


def _exponentials(row: Any, length: Any) -> tuple[Any, Any]:
    """The maximum of a row, and the sum of exponentials of the distances. Elements are read once.

    From: M. Milakov and N. Gimelshein, "Online normalizer calculation for softmax", 2018.
    """
    kind = type(row[0])

    def combine(a: Any, b: Any) -> Any:
        (x, u), (y, v) = a, b
        scale = fn.where(x == y, 1.0, fn.exp(-abs(x - y)))
        return fn.max(x, y), fn.where(x >= y, u + v * scale, u * scale + v)

    def combined(first: Any) -> Any:
        """The pair of some neighbours. An infinite maximum has no distance to itself."""
        values = [row[first + k] for k in range(NEIGHBOURS)]
        most = functools.reduce(fn.max, values)
        powers = [fn.where(value == most, 1.0, fn.exp(value - most)) for value in values]
        return most, functools.reduce(operator.add, powers)

    pairs = generate(length // NEIGHBOURS)(lambda i: combined(i * NEIGHBOURS))
    largest, total = pairs.reduce(combine, (kind(least(kind)), kind(0.0)), commutative=True)
    # The distance to an infinite maximum is not a number.
    return largest, total + (largest - largest)


def _apply(function: Callable[..., Any], operands: list[Any], length: Any, is_row: bool) -> Any:
    """A function of elements of rows, and of elements that belong to the whole row."""
    if is_row and not any(isinstance(o, Array) for o in operands):
        return generate(length)(lambda _: function(*operands))
    return spread(function, operands)


def _row_fold(node: Any, row: Any, length: Any) -> Any:
    """The result of a reduction of a row: one element, or a list of them."""
    out, source = value_of(node), value_of(node.args[0]).dtype
    fold = fold_of(name_of(node.target), source, listed(out), length)
    prepared = generate(length)(lambda i: fold.prepare(row[i], i))
    if isinstance(length, int) and 0 < length <= SHORT:
        # Without a loop, the elements are loaded together, and places in a window are constants.
        total = functools.reduce(fold.combine, [prepared[k] for k in range(length)])
    else:
        total = prepared.reduce(fold.combine, fold.init(), commutative=True)
    found = fold.finish(total, length)
    return found if isinstance(out, (list, tuple)) else found[0]

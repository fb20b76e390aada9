"""Reductions of rows and what surrounds them as one kernel: a unit of a level has a row.

In: the nodes of a program in order. Out: groups of nodes whose values are rows of one shape, or one
element for each row, such as all of a softmax or a layer norm. The values of a group are not in
memory: a row is read again where it is needed, which the caches serve.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import programs
from ..functions import max as larger
from ..levels import Level
from ..maps import map_arrays
from ..regions import Array
from ..sources import full, generate
from .elementwise import elementwise, name_of
from .folds import FOLDS, correction_of, fold_of, folded_dims
from .values import (
    Builder,
    Tensor,
    are_same,
    is_one,
    is_static,
    narrow,
    number,
    product,
    torch,
    wide,
    widen,
)

_RESHAPES = {"view", "unsqueeze", "squeeze", "expand", "_unsafe_view", "reshape"}
#: Fewer rows that are longer are shared by the whole grid.
FEW, LONG = 64, 1 << 15


@dataclass
class Group:
    """Nodes whose values belong to the rows of a shape; a row is the last `dims` dimensions."""

    shape: tuple[Any, ...]
    dims: int
    members: list[Any] = field(default_factory=list)

    @property
    def rows(self) -> tuple[Any, ...]:
        """The extents that count rows."""
        return self.shape[: len(self.shape) - self.dims]

    def form(self, shape: Sequence[Any]) -> str | None:
        """If a value is a row ("row"), or an element for each ("kept" or "flat"); else None."""
        if are_same(shape, self.shape):
            return "row"
        if are_same(shape, (*self.rows, *[1] * self.dims)):
            return "kept"
        return "flat" if are_same(shape, self.rows) else None


def _value(node: Any) -> Any:
    return node.meta.get("val")


def _rows_of(node: Any) -> Group | None:
    """The rows that a reduction combines; None if the node is none, or combines other things."""
    name = name_of(node.target)
    if name not in FOLDS:
        return None
    shape = tuple(_value(node.args[0]).shape)
    dims = folded_dims(node.args, node.kwargs, len(shape))
    count = len(dims)
    if not count or dims != list(range(len(shape) - count, len(shape))):
        return None
    group = Group(shape, count)
    length = product(shape[-count:])
    if is_one(length) or (
        is_static(shape) and product(group.rows) < FEW and product(shape[-count:]) > LONG
    ):
        return None
    return group


def find_groups(nodes: Sequence[Any], extent: Callable[[Any], Any]) -> dict[Any, Group]:
    """The group of each node that is in one."""
    owner: dict[Any, Group] = {}
    groups: list[Group] = []
    inside = set(nodes)

    def depends(node: Any, group: Group) -> bool:
        """If a value that the node takes from outside of the group needs the group."""
        stack = [n for n in node.all_input_nodes if owner.get(n) is not group]
        seen: set[Any] = set()
        while stack:
            current = stack.pop()
            if current in seen or current not in inside:
                continue
            seen.add(current)
            if owner.get(current) is group:
                return True
            around = owner[current].members if current in owner else [current]
            seen.update(around)
            stack += [n for m in around for n in m.all_input_nodes]
        return False

    for node in nodes:
        found = _rows_of(node)
        if found is not None:
            same = (
                g for g in groups
                if g.dims == found.dims and are_same(g.shape, found.shape) and not depends(node, g)
            )  # fmt: skip
            group = next(same, found)
            if group is found:
                groups.append(group)
            owner[node] = group
            group.members.append(node)
            continue
        for group in {id(owner[n]): owner[n] for n in node.all_input_nodes if n in owner}.values():
            if _fits(node, group, owner, extent) and not depends(node, group):
                owner[node] = group
                group.members.append(node)
                break
    return owner


def _fits(node: Any, group: Group, owner: dict[Any, Group], extent: Callable[[Any], Any]) -> bool:
    """If a node can be computed from the rows of a group."""
    if node.target is operator.getitem:
        return True
    value = _value(node)
    form = group.form(value.shape) if isinstance(value, torch.Tensor) else None
    if form is None:
        return False
    forms = [group.form(_value(n).shape) for n in node.all_input_nodes if owner.get(n) is group
             and isinstance(_value(n), torch.Tensor)]  # fmt: skip
    if name_of(node.target) in _RESHAPES:
        return (
            forms == [form]
            or (forms[0] in ("kept", "flat") and form != "row")
            or (forms == ["kept"] and form == "row" and name_of(node.target) == "expand")
        )
    if elementwise(node, extent) is None:
        return False
    allowed = {"row": ("row", "kept"), "kept": ("kept",), "flat": ("flat",)}[form]
    return all(f in allowed for f in forms)


def _level(b: Builder, group: Group) -> Level:
    """The unit of a row."""
    length, count = product(group.shape[-group.dims :]), product(group.rows)
    if not isinstance(length, int) or length > 1024:
        return Level.block
    if length <= 8:
        return Level.thread
    return Level.block if isinstance(count, int) and count < 1024 and length > 128 else Level.warp


def lower_group(
    b: Builder, group: Group, tensor_of: Callable[[Any], Tensor], wanted: Iterable[Any]
) -> dict[Any, Tensor]:
    """The tensors of the members of a group that are used outside, in one kernel."""
    members = set(group.members)
    rows, length = b.extents(group.rows), product(b.extents(group.shape[-group.dims :]))
    rank = len(group.rows)
    flat = [*group.rows, product(group.shape[-group.dims :])]
    outside: dict[Any, Any] = {}

    def external(node: Any, form: str) -> Tensor:
        """A value from outside, as rows or with one element for each row."""
        if (node, form) not in outside:
            shape = {"row": group.shape, "kept": (*group.rows, *[1] * group.dims),
                     "flat": group.rows}[form]  # fmt: skip
            tensor = b.broadcast(tensor_of(node), shape)
            outside[node, form] = b.reshape(tensor, flat) if form == "row" else tensor
        return outside[node, form]  # type: ignore[no-any-return]

    computations = {n: elementwise(n, b.extent) for n in group.members if n.target is not
                    operator.getitem and name_of(n.target) not in FOLDS}  # fmt: skip
    for node in group.members:
        found = computations.get(node)
        operands = [node.args[0]] if name_of(node.target) in FOLDS else found.nodes if found else []
        form = "row" if name_of(node.target) in FOLDS else group.form(_form_shape(node))
        for operand in operands:
            if operand not in members:
                external(operand, str(form))

    def body(*place: Any) -> Any:
        own: dict[Any, Any] = {}
        index = place[:rank]

        def operand(node: Any, form: str) -> Any:
            if node in members:
                return own[node]
            array = outside[node, form].array
            if form != "row":
                at = (*index, *[0] * (array.ndim - rank))
                return array[at] if rank else array[0]
            return array[index] if rank else array

        for node in group.members:
            name = name_of(node.target)
            if node.target is operator.getitem:
                own[node] = own[node.args[0]][node.args[1]]
                continue
            if name in FOLDS:
                row = operand(node.args[0], "row")
                own[node] = _row_fold(node, name, row, length)
                continue
            form = str(group.form(_value(node).shape))
            if name in _RESHAPES:
                value = own[node.args[0]]
                is_spread = form == "row" and not isinstance(value, Array)
                own[node] = generate(length)(lambda _, v=value: v) if is_spread else value
                continue
            found = computations[node]
            assert found is not None
            own[node] = _apply(
                found.function, [operand(n, form) for n in found.nodes], length, form == "row"
            )
        results = [own[n] for n in results_of]
        return tuple(r if isinstance(r, Array) else full(1, r) for r in results)

    results_of = [n for n in wanted if n in members]
    found = programs.grid_of(*rows, level=_level(b, group))(body)
    stored = programs.force(*found)
    arrays = [stored] if len(results_of) == 1 else list(stored)
    results = {}
    for node, array in zip(results_of, arrays):
        value = _value(node)
        shape = b.extents(value.shape)
        results[node] = b.tensor(array.reshape(*shape), value.dtype, value.shape)
    return results


def _form_shape(node: Any) -> Any:
    value = _value(node)
    return value.shape if isinstance(value, torch.Tensor) else ()


def _apply(function: Callable[..., Any], operands: list[Any], length: Any, is_row: bool) -> Any:
    """A function of elements of rows, and of elements that belong to the whole row."""
    arrays = [o for o in operands if isinstance(o, Array)]
    if not arrays:
        return generate(length)(lambda _: function(*operands)) if is_row else function(*operands)

    def call(*elements: Any) -> Any:
        rest = iter(elements)
        return function(*(next(rest) if isinstance(o, Array) else o for o in operands))

    return map_arrays(call, arrays)


def _row_fold(node: Any, name: str, row: Any, length: Any) -> Any:
    """The result of a reduction of a row: one element, or a list of them."""
    out, source = _value(node), _value(node.args[0]).dtype
    outs = out if isinstance(out, (list, tuple)) else [out]
    if name in ("var", "var_mean"):
        found = _variance(row, source, length, correction_of(node.args, node.kwargs))
    else:
        name = f"a{name}" if name in ("max", "min") and len(outs) == 1 else name
        fold = fold_of(name, source, outs[0].dtype)
        prepared = generate(length)(lambda i: fold.prepare(row[i], i))
        found = list(fold.finish(prepared.reduce(fold.combine, fold.init()), length))
    return found if isinstance(out, (list, tuple)) else found[0]


def _variance(row: Any, dtype: Any, length: Any, correction: float) -> list[Any]:
    """The variance of a row, and its mean, in two passes."""
    kind = wide(dtype)
    count = number(length, kind)
    values = row.map(lambda v: widen(v, dtype, kind))
    mean = values.reduce(operator.add, kind(-0.0)) / count
    squares = values.map(lambda v: (v - mean) * (v - mean))
    divisor = larger(count - correction, 0.0)
    variance = squares.reduce(operator.add, kind(-0.0)) / divisor
    return [narrow(variance, dtype), narrow(mean, dtype)]

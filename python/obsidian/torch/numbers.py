"""Numbers in ATen graphs: extents of tensors, and symbols that stand for them.

A program computes the numbers that it needs from the extents of its inputs. PyTorch computes those
that its own operations take, and the results.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from .values import is_tensor, torch, value_of

SYMBOLIC = (torch.SymInt, torch.SymFloat)
_NUMBERS = (int, float, torch.SymInt, torch.SymFloat, torch.SymBool)


def is_number(node: Any) -> bool:
    """True if the value of a node is a number, such as an extent. The host computes it."""
    return isinstance(value_of(node), _NUMBERS)


def symbols_of(node: Any) -> set[Any]:
    """The symbols in the extents of a node, and in the numbers among its arguments."""
    leaves = torch.utils._pytree.tree_leaves
    given = leaves((node, node.args, node.kwargs))
    values = leaves([value_of(v) if isinstance(v, torch.fx.Node) else v for v in given])
    symbolic = tuple(v for v in values if isinstance(v, (*SYMBOLIC, torch.Tensor)))
    return {*torch.fx.experimental.symbolic_shapes.free_symbols(symbolic)}


def numbers_from_inputs(graph: Any) -> None:
    """Compute extents of tensors from the numbers of the inputs: no tensor is stored for them."""
    tracer, sympy = torch.fx.proxy.GraphAppendingTracer(graph), torch.utils._sympy
    symbols = {
        value_of(n).node.expr: torch.fx.Proxy(n, tracer)
        for n in graph.nodes
        if n.op == "placeholder" and isinstance(value_of(n), torch.SymInt)
    }
    for node in [n for n in graph.nodes if n.op == "call_function" and is_number(n)]:
        value = value_of(node)
        made = [n for n in node.all_input_nodes if is_tensor(n) and n.op != "placeholder"]
        if not (made and isinstance(value, torch.SymInt)):
            continue
        if not {*value.node.expr.free_symbols} <= symbols.keys():
            continue
        with graph.inserting_before(node):
            found = sympy.interp.sympy_interp(
                sympy.reference.PythonReferenceAnalysis, symbols, value.node.expr
            )
        if isinstance(found, torch.fx.Proxy):
            _set_values(found.node)
            node.replace_all_uses_with(found.node)


def _set_values(node: Any) -> None:
    """Set the value of a number, and those of the operands."""
    if "val" not in node.meta:
        for operand in node.all_input_nodes:
            _set_values(operand)
        node.meta["val"] = node.target(*torch.fx.node.map_arg(node.args, value_of))


def unused_numbers(calls: Sequence[Any], in_torch: Collection[Any]) -> set[Any]:
    """The numbers that only programs use: neither an operation `in_torch` nor a result."""
    unused: set[Any] = set()
    for node in reversed(calls):
        outside = [u for u in node.users if u.op != "call_function" or u in in_torch]
        if is_number(node) and unused.issuperset(outside):
            unused.add(node)
    return unused

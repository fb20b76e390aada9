"""From an ATen graph to programs: the nodes of each program, and the nodes that run in PyTorch.

In: a graph of ATen operations with fake tensors, and options. Out: a function of the inputs of the
graph. All operations between two operations of PyTorch are one program.
"""

from __future__ import annotations

import inspect
import json
import operator
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..backend import CompileOptions, backend
from ..calls import Call
from ..errors import CompileError, TraceError
from ..jit import trace_program
from ..locations import Location
from ..trace import Trace, current
from ..types import ArrayType, Element, ParameterType, f64, index
from ..views import ALIGNMENT
from .decompositions import is_of_library
from .elementwise import elementwise, lower_elementwise, name_of
from .folds import fold_rows
from .moves import LOWERINGS
from .numbers import SYMBOLIC, is_number, numbers_from_inputs, symbols_of, unused_numbers
from .reports import Fallback, GraphReport, note, warn_of
from .rows import Folds, Group, find_groups, find_inline, lower_group, units_of
from .values import (
    Builder,
    Tensor,
    UnsupportedError,
    is_tensor,
    kind_of,
    likely,
    listed,
    specialize,
    torch,
    value_of,
)  # fmt: skip

#: Arguments that the fake tensor of the result also determines.
_OF_RESULT = {"dtype", "layout", "device", "pin_memory", "memory_format"}
_HOST = torch.device("cpu")
#: Views that cost nothing in PyTorch.
_VIEWS = {"permute", "view", "expand", "unsqueeze", "squeeze", "slice", "select", "alias",
          "as_strided", "diagonal", "unfold"}  # fmt: skip
#: The code of PyTorch.
_FOLDER = os.path.dirname(torch.__file__) + os.sep
_FRAME = re.compile(r'File "([^"]+)", line (\d+)')


class RefusedError(Exception):
    """A node that cannot be compiled, and the reason."""

    def __init__(self, node: Any, reason: str) -> None:
        self.node, self.reason = node, reason


def place_of(node: Any) -> Location:
    """The line of the user's program for a node: the innermost one outside of PyTorch.

    PyTorch knows no line for some nodes, such as a sum of gradients. These have the line of an
    operand or of a user. Without any, the place is the name of the node.
    """
    for near in (node, *node.all_input_nodes, *node.users):
        found = _FRAME.findall(near.meta.get("stack_trace") or "")
        if found:
            own = [frame for frame in found if not frame[0].startswith(_FOLDER)]
            file, line = (own or found)[-1]
            return Location(file, int(line))
    return Location(f"<node {node.name} of a graph>", 1)


def _is_view(node: Any) -> bool:
    """True for a view of the first argument, and for one of several such views."""
    given = node.args[0] if node.target is operator.getitem else node
    return name_of(given.target) in _VIEWS


def _rebase(node: Any) -> None:
    """Make a view of memory one of the tensor that owns it, because its offset is one in this.

    A program stores the tensors between them, such as a row, in other memory.
    """
    view, shape, strides, *given = node.args
    offset = given[0] if given else value_of(view).storage_offset()
    if not isinstance(offset, torch.SymInt):
        node.args = (_base_of(view), shape, strides, offset)


def _base_of(node: Any) -> Any:
    """The node whose memory a view is a part of; the node itself if it is no view."""
    while _is_view(node):
        node = node.args[0]
    return node


def _separate_views(graph: Any) -> None:
    """Give results that are views of inputs, or of other results, nodes that nothing else reads.

    These are views of PyTorch, which reads their offsets and strides. Programs compute others.
    """
    output = graph.output_node()

    def copied(node: Any) -> Any:
        if not _is_view(node):
            return node
        base = copied(node.args[0])
        with graph.inserting_before(output):
            return graph.node_copy(node, lambda n: base if n is node.args[0] else n)

    for node in output.all_input_nodes:
        base = _base_of(node)
        if base is not node and (base.op == "placeholder" or output in base.users):
            output.replace_input_with(node, copied(node))


def _tensors(node: Any) -> list[Any]:
    return [v for v in listed(value_of(node)) if isinstance(v, torch.Tensor)]


def refusal(node: Any, device: Any, products: str) -> str | None:
    """The reason why a node runs in PyTorch; None if a program may contain it."""
    name = name_of(node.target)
    if is_number(node) or node.target is operator.getitem:
        return None
    if not name:
        return "an operation outside of ATen"
    if not _tensors(node):
        return "the result is no tensor"
    for tensor in [t for n in (node, *node.all_input_nodes) for t in _tensors(n)]:
        if tensor.layout is not torch.strided:
            return f"a tensor of the layout {tensor.layout}"
        if tensor.device != device and (tensor.device.type != "cpu" or tensor.dim()):
            return f"tensors on {tensor.device} and {device}"
        unbacked = torch.fx.experimental.symbolic_shapes.free_unbacked_symbols
        if any(unbacked(n) for n in tensor.shape):
            return "an extent that only a run knows"
    given = [n for n in node.args if isinstance(n, torch.fx.Node)]
    if name == "convolution_backward":
        # The first argument is the gradient of the result.
        name, given = "convolution", given[1:]
    if len(given) > 1 and is_of_library(name, value_of(given[0]), value_of(given[1]), products):
        return "the library of PyTorch computes this product"
    if name in ("as_strided", "as_strided_scatter") and not _fills(value_of(given[0])):
        return "a view of memory that a tensor does not fill row by row"
    try:
        for tensor in [t for n in (node, *node.all_input_nodes) for t in _tensors(n)]:
            kind_of(tensor.dtype)
        is_known = name in LOWERINGS or elementwise(node, lambda n: n) is not None
    except UnsupportedError as error:
        return str(error)
    return None if is_known else "no lowering"


def order_of(tensor: Any) -> list[int] | None:
    """The dimensions by their strides, the largest first; None if memory is in row-major order.

    It is also None for tensors that do not fill their memory. These are copied.
    """
    sizes, strides = ([likely(n) for n in numbers] for numbers in (tensor.shape, tensor.stride()))
    if None in (*sizes, *strides):
        return None
    dims = [d for d in range(tensor.dim()) if sizes[d] != 1]
    by_stride, expected = sorted(dims, key=lambda d: -strides[d]), 1
    for d in reversed(by_stride):
        if strides[d] != expected or not sizes[d]:
            return None
        expected *= sizes[d]
    rest = iter(by_stride)
    order = [next(rest) if d in dims else d for d in range(tensor.dim())]
    return order if by_stride != dims else None


def _is_dense(tensor: Any) -> bool:
    """True unless a tensor is a view with gaps. Numbers and several tensors have none."""
    return not isinstance(tensor, torch.Tensor) or (
        bool(tensor.is_contiguous()) or order_of(tensor) is not None
    )


def _inverse(order: Sequence[int]) -> list[int]:
    return [list(order).index(d) for d in range(len(order))]


def _fills(tensor: Any) -> bool:
    """True if a tensor is its whole memory, in row-major order."""
    size = tensor.untyped_storage().nbytes()
    return tensor.is_contiguous() and bool(size == tensor.numel() * tensor.itemsize)


@dataclass
class Part:
    """The nodes of one program."""

    nodes: list[Any] = field(default_factory=list)
    inputs: list[Any] = field(default_factory=list)
    outputs: list[Any] = field(default_factory=list)
    #: The compiled program, and the nodes whose values it takes: the inputs, and those of symbols.
    sources: list[Any] = field(default_factory=list)
    run: Callable[..., list[Any]] | None = None


class Importer:
    """The programs of one graph."""

    def __init__(self, module: Any, kind: str, products: str) -> None:
        """Read a graph module of ATen operations. `kind` is forward, backward or inference."""
        for node in module.graph.nodes:
            specialize(node)
            if name_of(node.target) == "as_strided":
                _rebase(node)
        _separate_views(module.graph)
        numbers_from_inputs(module.graph)
        module.graph.eliminate_dead_code()
        self.module = module
        self.nodes = list(module.graph.nodes)
        self.calls = [n for n in self.nodes if n.op == "call_function"]
        self.report = GraphReport(kind)
        devices = [t.device for n in self.nodes for t in _tensors(n)]
        self.device = next((d for d in devices if d.type == "cuda"), torch.device("cpu"))
        reasons = {n: refusal(n, self.device, products) for n in self.calls}
        self.refused = {n: reason for n, reason in reasons.items() if reason is not None}

    def compiled(self) -> Callable[[list[Any]], Any]:
        """A function of the list of inputs."""
        steps = None
        while steps is None:
            self.report.programs.clear()
            self.report.remarks.clear()
            try:
                steps = self._steps()
                for part in steps:
                    if isinstance(part, Part):
                        self._compile(part)
            except RefusedError as error:
                self.refused[error.node], steps = error.reason, None
        for node, reason in self.refused.items():
            if node.target is not operator.getitem:
                fallback = Fallback(str(node.target), place_of(node), reason)
                self.report.fallbacks.append(fallback)
                warn_of(fallback)
        note(self.report)
        return _assembled(self.module, steps)

    def _eager(self) -> set[Any]:
        """Nodes that run in PyTorch: refused ones, numbers, and views between such nodes.

        Results that are views of others, or of inputs, are views of PyTorch, too. PyTorch reads
        their offsets and strides to make views of the inputs of the caller. So are results that do
        not fill their memory, which the caller sees in their strides.
        """
        found = {n for n in self.calls if is_number(n)}
        for node in self.calls:
            if node.target is operator.getitem and node.args[0] in self.refused:
                self.refused[node] = self.refused[node.args[0]]
        found.update(self.refused)
        for node in reversed(self.calls):
            base = _base_of(node)
            output = self.nodes[-1]
            is_end = (base in self.refused or base.op == "placeholder" or output in base.users
                      or not _is_dense(value_of(node)))  # fmt: skip
            if base is not node and found | ({output} if is_end else set()) >= set(node.users):
                found.add(node)
        return found

    def _steps(self) -> list[Any]:
        """Parts, and nodes that run in PyTorch, in an order of execution."""
        depth: dict[Any, int] = {}
        parts: dict[int, Part] = {}
        eager: dict[int, list[Any]] = {}
        in_torch = self._eager()
        # Programs compute their own numbers from symbols.
        unused = unused_numbers(self.calls, in_torch)
        calls = [n for n in self.calls if n not in unused]
        for node in calls:
            is_eager = node in in_torch
            needed = [n for n in node.all_input_nodes
                      if n in depth and (is_eager or not is_number(n))]  # fmt: skip
            behind = [depth[n] + (n in in_torch and not is_eager) for n in needed]
            depth[node] = max(behind, default=0)
        for node in reversed(calls):
            # The first program that needs a value computes it.
            users = node.users.keys() - unused
            if users and node not in in_torch and depth.keys() >= users:
                depth[node] = min(depth[user] for user in users)
        for node in calls:
            # The results of one operation belong to one program.
            if node.target is operator.getitem and node not in in_torch:
                depth[node] = depth[node.args[0]]
        for node in calls:
            if node in in_torch:
                eager.setdefault(depth[node], []).append(node)
            else:
                parts.setdefault(depth[node], Part()).nodes.append(node)
        steps: list[Any] = []
        for level in sorted({*parts, *eager}):
            part = parts.get(level, Part())
            own = {*part.nodes}
            used = dict.fromkeys(i for n in part.nodes for i in n.all_input_nodes)
            part.inputs = [i for i in used if i not in own and is_tensor(i)]
            inside = own | unused
            part.outputs = [
                n for n in part.nodes if is_tensor(n) and any(u not in inside for u in n.users)
            ]
            steps += [part] if part.outputs else []
            steps += eager.get(level, [])
        return steps

    def _compile(self, part: Part) -> None:
        """Compile the program of a part."""
        tracer = _Tracer(part, self.nodes, self.device)
        begin, end = place_of(part.nodes[0]), place_of(part.nodes[-1])
        is_on_gpu = self.device.type == "cuda"
        trace = Trace()
        trace.default_kernel, trace.contracts = "program", is_on_gpu
        program = trace_program(trace, tracer.run, tracer.parameters, begin, end)
        try:
            artifact = backend().compile(program.text, CompileOptions())
            call = Call(program, artifact, backend(), begin)
            # Compile the PTX, too: the compiler may refuse a program for a GPU only.
            _ = call.show("ptx") if is_on_gpu else None
        except CompileError as error:
            # The operation that was refused is unknown, so all of them run in PyTorch.
            reason = f"the compiler refuses the program: {error}".split("\n")[0]
            self.refused.update(dict.fromkeys(part.nodes, reason))
            raise RefusedError(part.nodes[0], reason) from None
        kernels = [str(k["entry"]) for k in json.loads(call.show("contract"))["kernels"]]
        self.report.programs.append((len(part.nodes), kernels, program.plain_text))
        self.report.remarks += [str(d) for d in artifact.diagnostics if d.severity == "remark"]
        part.sources, part.run = tracer.nodes, tracer.step(call)


@dataclass
class _Source:
    """An argument of a program: the value of a node, a symbol of it, or any array."""

    node: Any
    #: The order of the dimensions in memory.
    order: list[int] | None = None
    symbol: Any = None
    dim: int | None = None
    #: A constant of the graph on the device of the program: a copy makes the host wait.
    constant: Any = None

    def view(self, value: Any) -> Any:
        """The argument without a copy, from the value of the node."""
        if self.symbol is not None:
            return value if self.dim is None else value.shape[self.dim]
        if self.constant is not None:
            return self.constant
        value = value.permute(self.order) if self.order else value
        return value if value.dim() else value.reshape(1)

    def copied(self, view: Any, device: Any) -> Any:
        """The argument as kernels take it, from a view: a copy if it is not."""
        if self.symbol is not None:
            return view
        if view.device != device:
            view = view.to(device)
            self.constant = view if self.node.op == "get_attr" else None
        view = view.contiguous()
        # Kernels read several elements at once, so a tensor with another alignment is copied.
        return view.clone() if view.data_ptr() % ALIGNMENT and view.device != _HOST else view


class _Tracer:
    """The trace of one part."""

    def __init__(self, part: Part, nodes: Sequence[Any], device: Any) -> None:
        self.part, self.device = part, device
        self.parameters: dict[str, Any] = {}
        self.sources: list[_Source] = []
        self.orders = [order_of(value_of(n)) for n in part.outputs]
        for node in part.inputs:
            order = order_of(value_of(node))
            shape = [value_of(node).shape[d] for d in order or range(value_of(node).dim())] or [1]
            self._array(node.name, value_of(node).dtype, shape)
            self.sources.append(_Source(node, order))
        self._numbers(nodes)
        #: The first array determines the framework and the device of the results.
        self.like: list[Any] = []
        if not part.inputs:
            self._array("like", torch.float32, [1])
            # While PyTorch compiles gradients, new tensors would have no memory.
            with torch._subclasses.fake_tensor.unset_fake_temporarily():
                self.like = [torch.zeros(1, device=device)]

    @property
    def nodes(self) -> list[Any]:
        """The nodes whose values the program takes."""
        return [s.node for s in self.sources]

    def _array(self, name: str, dtype: Any, shape: Sequence[Any]) -> None:
        extents = tuple(n if isinstance(n, int) else None for n in shape)
        names = tuple(
            str(n.node.expr) if isinstance(n, torch.SymInt) and n.node.expr.is_Symbol else None
            for n in shape
        )
        kind = ArrayType(extents, Element((kind_of(dtype),)))
        self.parameters[name] = ParameterType(kind, names)

    def _numbers(self, nodes: Sequence[Any]) -> None:
        """Parameters for the symbols that are not extents of arrays of the program."""
        part = self.part
        known = {getattr(n.node, "expr", None) for i in part.inputs for n in value_of(i).shape
                 if isinstance(n, torch.SymInt)}  # fmt: skip
        needed = {s for n in part.nodes for s in symbols_of(n)}
        for node in [n for n in nodes if n.op == "placeholder"]:
            value = value_of(node)
            is_scalar = isinstance(value, SYMBOLIC)
            for d, n in enumerate([value] if is_scalar else getattr(value, "shape", ())):
                symbol = n.node.expr if isinstance(n, SYMBOLIC) else None
                if symbol in needed and symbol not in known:
                    known.add(symbol)
                    self.sources.append(_Source(node, None, symbol, None if is_scalar else d))
                    self.parameters[str(symbol)] = f64 if isinstance(n, torch.SymFloat) else index

    def run(self, **given: Any) -> Any:
        """Trace all nodes; the results are arrays."""
        self.tensors: dict[Any, Any] = {}
        self.builder = b = Builder({})
        with current().at(place_of(self.part.nodes[0])):
            for s in self.sources:
                if s.symbol is not None:
                    b.symbols[s.symbol] = given[str(s.symbol)]
                else:
                    self._enter(s, given[s.node.name])
        inline = find_inline(self.part.nodes, b.extent)
        owner = find_groups(self.part.nodes, b.extent, inline)
        for unit in units_of(self.part.nodes, owner):
            node = getattr(unit, "members", [unit])[0]
            try:
                with current().at(place_of(node)):
                    self._lower(unit)
            except (UnsupportedError, TraceError) as error:
                raise RefusedError(node, getattr(error, "message", str(error))) from error
            except (IndexError, KeyError, TypeError, ValueError) as error:
                # Arguments of a form that the lowering does not support.
                reason = f"its arguments: {type(error).__name__}: {error}"
                raise RefusedError(node, reason) from error
        with current().at(place_of(self.part.nodes[-1])):
            return self._results()

    def _enter(self, source: _Source, array: Any) -> None:
        """A parameter as a tensor, with the symbols of its extents."""
        value = value_of(source.node)
        for d, k in enumerate(source.order or range(value.dim())):
            n = value.shape[k]
            if isinstance(n, torch.SymInt) and n.node.expr.is_Symbol:
                self.builder.symbols.setdefault(n.node.expr, array.dim(d))
        found = array.transpose(*_inverse(source.order)) if source.order else array
        self.tensors[source.node] = Tensor(
            found, value.dtype, tuple(value.shape), frozenset([(source.node,)]), is_view=True
        )

    def _lower(self, unit: Any) -> None:
        b, tensors = self.builder, self.tensors
        if isinstance(unit, Group):
            tensors.update(lower_group(b, unit, tensors.__getitem__, self.part.outputs))
            return
        if isinstance(unit, Folds):
            given = [(name_of(n.target), tensors[n.args[0]], value_of(n)) for n in unit.members]
            tensors.update(zip(unit.members, fold_rows(b, unit.dims, given)))
            return
        if unit.target is operator.getitem:
            tensors[unit] = tensors[unit.args[0]][unit.args[1]]
            return
        tensors[unit] = lower_elementwise(b, unit, tensors.__getitem__)
        if tensors[unit] is None:
            name = name_of(unit.target)
            if name not in LOWERINGS:
                raise UnsupportedError("an operation without tensors")

            def argument(node: Any) -> Any:
                return tensors[node] if node in tensors else b.extent(value_of(node))

            given, named = torch.fx.node.map_arg((unit.args, dict(unit.kwargs)), argument)
            named = {k: v for k, v in named.items() if k not in _OF_RESULT}
            lower = LOWERINGS[name]
            if "name" in inspect.signature(lower).parameters:
                named["name"] = name
            tensors[unit] = lower(b, value_of(unit), *given, **named)

    def _results(self) -> Any:
        """The arrays of the results. None shares memory with another one or an argument."""
        results: list[Any] = []
        taken = {(node,) for node in self.part.inputs}
        for node, order in zip(self.part.outputs, self.orders):
            tensor = self.tensors[node]
            array = tensor.array.transpose(*order) if order else tensor.array
            if tensor.is_view:
                (path,) = tensor.paths
                if path[:1] in taken and (array.is_stored or array.name is None):
                    array = array.map(lambda v: v).force()
                taken.add(path[:1])
            results.append(array)
        return tuple(results) if len(results) > 1 else results[0]

    def step(self, call: Call) -> Callable[..., list[Any]]:
        """The call of the compiled program, as a function of the values of `nodes`."""
        sources, device, like = self.sources, self.device, self.like
        forms = [
            (_inverse(order) if order else None, value_of(n).dim(), value_of(n).dtype)
            for n, order in zip(self.part.outputs, self.orders)
        ]

        def run(*values: Any) -> list[Any]:
            given = [s.view(v) for s, v in zip(sources, values)]
            found = call.fast([*given, *like])
            if found is None:
                found = call([*(s.copied(v, device) for s, v in zip(sources, given)), *like])
                found = found if len(forms) > 1 else [found]
            results = []
            for (order, rank, dtype), result in zip(forms, found):
                result = result.view(dtype) if dtype == torch.uint8 else result
                result = result if rank else result.reshape(())
                results.append(result.permute(order) if order else result)
            return results

        return run


def _assembled(module: Any, steps: Sequence[Any]) -> Callable[[list[Any]], Any]:
    """Programs and operations of PyTorch as one function of a list of inputs, which it empties.

    PyTorch writes the code of this function, which frees each value after its last use.
    """
    graph, found = torch.fx.Graph(), dict[Any, Any]()
    for node in module.graph.nodes:
        if node.op in ("placeholder", "get_attr"):
            found[node] = graph.node_copy(node)
    for step in steps:
        if isinstance(step, torch.fx.Node):
            found[step] = graph.node_copy(step, found.__getitem__)
            continue
        results = graph.call_function(step.run, tuple(found[n] for n in step.sources))
        for k, node in enumerate(step.outputs):
            found[node] = graph.call_function(operator.getitem, (results, k))
    graph.node_copy(module.graph.output_node(), found.__getitem__)
    graph.set_codegen(torch.fx.graph._BoxedCodeGen())
    forward = torch.fx.GraphModule(module, graph).forward

    def run(arguments: list[Any]) -> Any:
        return forward(arguments)

    run._boxed_call = True  # type: ignore[attr-defined]
    return run


def compile_graph(module: Any, kind: str, products: str) -> Callable[[list[Any]], Any]:
    """Compile a graph of ATen operations; see the module."""
    return Importer(module, kind, products).compiled()

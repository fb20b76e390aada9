"""From an ATen graph to programs: which nodes belong to one program, and what runs in PyTorch.

In: a graph of ATen operations with fake tensors, and options. Out: a function of the inputs of the
graph. All operations between two operations of PyTorch are one program.
"""

from __future__ import annotations

import inspect
import json
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..backend import CompileOptions, backend
from ..calls import Call
from ..errors import CompileError, TraceError
from ..jit import Program, trace_program
from ..locations import Location
from ..trace import current
from ..types import ArrayType, Element, ParameterType, f64, index
from .elementwise import elementwise, lower_elementwise, name_of
from .folds import _fold  # noqa: F401  enters the reductions into LOWERINGS
from .indexing import LOWERINGS
from .reports import Fallback, GraphReport, note, warn_of
from .rows import Group, find_groups, lower_group
from .values import Builder, Tensor, UnsupportedError, is_static, kind_of, torch

#: Products of at least this many multiplications run in the library of PyTorch, on a GPU.
LARGE_PRODUCT = 1 << 18
_PRODUCTS = {"mm", "addmm", "bmm", "baddbmm", "convolution"}
_SYMBOLIC = (torch.SymInt, torch.SymFloat)
#: What the fake tensor of the result says as well.
_OF_RESULT = {"dtype", "layout", "device", "pin_memory", "memory_format"}
_FRAME = re.compile(r'File "([^"]+)", line (\d+)')


class RefusedError(Exception):
    """A node that no program can have, and the reason."""

    def __init__(self, node: Any, reason: str) -> None:
        self.node, self.reason = node, reason


def place_of(node: Any) -> Location:
    """The line of the user's program that a node comes from."""
    found = _FRAME.findall(node.meta.get("stack_trace") or "")
    return Location(found[-1][0], int(found[-1][1])) if found else Location("<graph>", 1)


def _tensors(value: Any) -> list[Any]:
    found = value if isinstance(value, (list, tuple)) else [value]
    return [v for v in found if isinstance(v, torch.Tensor)]


def _is_number(node: Any) -> bool:
    """If the value of a node is a number, such as an extent: the host computes it."""
    return isinstance(
        node.meta.get("val"), (int, float, torch.SymInt, torch.SymFloat, torch.SymBool)
    )


def symbols_of(value: Any) -> set[Any]:
    """The symbols in extents and numbers."""
    if isinstance(value, torch.Tensor):
        value = tuple(value.shape)
    if isinstance(value, (list, tuple)):
        return {s for part in value for s in symbols_of(part)}
    if isinstance(value, torch.fx.Node):
        return symbols_of(value.meta.get("val"))
    return set(value.node.expr.free_symbols) if isinstance(value, _SYMBOLIC) else set()


def refusal(node: Any, device: Any, products: str) -> str | None:
    """Why a node runs in PyTorch; None if a program may have it."""
    name = name_of(node.target)
    if node.target is operator.getitem:
        return None
    if not name:
        return "an operation outside of ATen"
    symbols = torch.fx.experimental.symbolic_shapes
    value = node.meta.get("val")
    tensors = [t for n in (node, *node.all_input_nodes) for t in _tensors(n.meta.get("val"))]
    if not _tensors(value):
        return "the result is no tensor"
    for tensor in tensors:
        if tensor.layout is not torch.strided:
            return f"a tensor of the layout {tensor.layout}"
        if tensor.device != device and not (tensor.device.type == "cpu" and not tensor.dim()):
            return f"tensors on {tensor.device} and {device}"
        try:
            kind_of(tensor.dtype)
        except UnsupportedError as error:
            return str(error)
        for n in tensor.shape:
            if symbols.free_unbacked_symbols(n):
                return "an extent that only a run knows"
    if name == "as_strided" and not node.args[0].meta["val"].is_contiguous():
        return "a view of memory that is not row by row"
    is_product = name in _PRODUCTS and device.type == "cuda" and products != "program"
    if is_product and (products == "library" or _size_of(node, name) >= LARGE_PRODUCT):
        return "a large product, which the library of PyTorch computes"
    try:
        is_known = name in LOWERINGS or elementwise(node, lambda n: n) is not None
    except UnsupportedError as error:
        return str(error)
    return None if is_known else "no lowering"


def _size_of(node: Any, name: str) -> int:
    """The number of multiplications of a product, about."""
    first = node.args[1 if name in ("addmm", "baddbmm") else 0].meta["val"]
    out = node.meta["val"]
    inner = node.args[1].meta["val"][0].numel() if name == "convolution" else first.shape[-1]
    return int(out.numel()) * int(inner)


def order_of(tensor: Any) -> list[int] | None:
    """The dimensions by their strides, the largest first; None if memory is row by row."""

    def size(n: Any) -> int:
        return int(n.node.hint if isinstance(n, torch.SymInt) else n)

    dims = [d for d in range(tensor.dim()) if size(tensor.shape[d]) != 1]
    if any(size(tensor.shape[d]) == 0 or size(tensor.stride(d)) == 0 for d in dims):
        return None
    sorted_dims = sorted(dims, key=lambda d: -size(tensor.stride(d)))
    expected = 1
    for d in reversed(sorted_dims):
        if size(tensor.stride(d)) != expected:
            return None
        expected *= size(tensor.shape[d])
    if sorted_dims == dims:
        return None
    rest = iter(sorted_dims)
    return [next(rest) if d in dims else d for d in range(tensor.dim())]


def _inverse(order: Sequence[int]) -> list[int]:
    return [list(order).index(d) for d in range(len(order))]


@dataclass
class Part:
    """The nodes of one program."""

    nodes: list[Any] = field(default_factory=list)
    inputs: list[Any] = field(default_factory=list)
    outputs: list[Any] = field(default_factory=list)


class Importer:
    """The programs of one graph."""

    def __init__(self, module: Any, kind: str, products: str) -> None:
        """Take a graph module of ATen operations; `kind` is forward, backward or inference."""
        module.graph.eliminate_dead_code()
        self.module, self.nodes = module, list(module.graph.nodes)
        self.refused: dict[Any, str] = {}
        self.devices = {
            t.device
            for n in self.nodes if n.op == "call_function"
            for t in _tensors(n.meta.get("val"))
            if t.dim() or t.device.type != "cpu"
        }  # fmt: skip
        self.report = GraphReport(kind)
        self.views = _views(self.nodes)
        self._products = products

    @property
    def device(self) -> Any:
        """The device of the programs: a GPU, if a tensor is on one."""
        return next((d for d in self.devices if d.type == "cuda"), torch.device("cpu"))

    def compiled(self) -> Callable[[list[Any]], Any]:
        """A function of the list of inputs."""
        calls = [n for n in self.nodes if n.op == "call_function"]
        for node in calls:
            reason = None if _is_number(node) else refusal(node, self.device, self._products)
            if reason is not None:
                self.refused[node] = reason
        while True:
            steps = self._steps(calls)
            try:
                plan = [self._program(s) if isinstance(s, Part) else s for s in steps]
                break
            except RefusedError as error:
                self.refused[error.node] = error.reason
        for node, reason in self.refused.items():
            if node.target is not operator.getitem and node not in self.views:
                fallback = Fallback(str(node.target), place_of(node), reason)
                self.report.fallbacks.append(fallback)
                warn_of(fallback)
        note(self.report)
        return _Plan(self.nodes, plan, self.views)

    def _steps(self, calls: Sequence[Any]) -> list[Any]:
        """Parts, and nodes that run in PyTorch, in an order in which they can run."""
        depth: dict[Any, int] = {}
        parts: dict[int, Part] = {}
        eager: dict[int, list[Any]] = {}
        for node in calls:
            source = node.args[0] if node.target is operator.getitem else None
            if source is not None:
                if source in self.refused:
                    self.refused[node] = self.refused[source]
                else:
                    self.refused.pop(node, None)
            is_refused = node in self.refused or _is_number(node)
            depth[node] = max(
                (
                    depth[n] + (n in self.refused and not is_refused)
                    for n in node.all_input_nodes
                    if n in depth and (is_refused or not _is_number(n))
                ),
                default=0,
            )  # fmt: skip
            if is_refused:
                eager.setdefault(depth[node], []).append(node)
            else:
                parts.setdefault(depth[node], Part()).nodes.append(node)
        steps: list[Any] = []
        for level in sorted({*parts, *eager}):
            part = parts.get(level)
            if part is not None:
                own = set(part.nodes)
                used = dict.fromkeys(i for n in part.nodes for i in n.all_input_nodes)
                part.inputs = [i for i in used if i not in own and not _is_number(i)]
                part.outputs = [
                    n for n in part.nodes
                    if any(u not in own and u not in self.views for u in n.users)
                    and isinstance(n.meta["val"], torch.Tensor) and n not in self.views
                ]  # fmt: skip
                steps += [part] if part.outputs else []
            steps += eager.get(level, [])
        return steps

    def _program(self, part: Part) -> _Step:
        """The compiled program of a part."""
        tracer = _Tracer(part, self.nodes, self.device)
        try:
            program = tracer.program()
            artifact = backend().compile(program.text, CompileOptions())
        except CompileError as error:
            # Nothing says which operation it is: all of them run in PyTorch.
            reason = f"the compiler refuses the program: {error}".split("\n")[0]
            for node in part.nodes[1:]:
                self.refused[node] = reason
            raise RefusedError(part.nodes[0], reason) from None
        call = Call(program, artifact, backend())
        contract = json.loads(call.show("contract"))
        self.report.programs.append(
            (len(part.nodes), [str(k["entry"]) for k in contract["kernels"]], program.plain_text)
        )
        self.report.remarks += [str(d) for d in artifact.diagnostics if d.severity == "remark"]
        return _Step(call, tracer.sources, part.outputs, tracer.orders, self.device)


@dataclass
class _Source:
    """An argument of a program: the value of a node, an extent of it, or a number."""

    node: Any
    #: The order of the dimensions in memory.
    order: list[int] | None = None
    symbol: Any = None
    dim: int | None = None

    def of(self, values: dict[Any, Any], device: Any) -> Any:
        """The argument, from the values of nodes."""
        if self.node is None:
            return torch.zeros(1, device=device)
        value = values[self.node]
        if self.symbol is not None:
            return value if self.dim is None else value.shape[self.dim]
        value = value.detach()
        if value.device != device:
            value = value.to(device)
        if self.order:
            value = value.permute(self.order)
        return value.contiguous() if value.dim() else value.reshape(1)


class _Tracer:
    """The trace of one part."""

    def __init__(self, part: Part, nodes: Sequence[Any], device: Any) -> None:
        self.part = part
        self.device = device
        self.parameters: dict[str, Any] = {}
        #: For each parameter: what it is at run time.
        self.sources: list[_Source] = []
        self.orders: list[list[int] | None] = [order_of(n.meta["val"]) for n in part.outputs]
        for node in part.inputs:
            if isinstance(node.meta.get("val"), torch.Tensor):
                self._parameter(node)
        self._symbols(nodes)
        if not any(isinstance(k, ParameterType) for k in self.parameters.values()):
            # Results belong to the framework and the device of the first array.
            self.parameters["like"] = ParameterType(
                ArrayType((1,), Element((kind_of(torch.float32),))), (None,)
            )
            self.sources.append(_Source(None))

    def _parameter(self, node: Any) -> None:
        value = node.meta["val"]
        order = order_of(value)
        shape = [value.shape[d] for d in order] if order else list(value.shape)
        extents, names = [], []
        for n in shape or [1]:
            is_symbol = isinstance(n, torch.SymInt) and not n.node.expr.is_Integer
            extents.append(None if is_symbol else int(n))
            names.append(str(n.node.expr) if is_symbol and n.node.expr.is_Symbol else None)
        self.parameters[node.name] = ParameterType(
            ArrayType(tuple(extents), Element((kind_of(value.dtype),))), tuple(names)
        )
        self.sources.append(_Source(node, order))

    def _symbols(self, nodes: Sequence[Any]) -> None:
        """Parameters for the symbols that are no extent of an array of the program."""
        known = {
            n.node.expr for source in self.sources for n in source.node.meta["val"].shape
            if isinstance(n, torch.SymInt)
        }  # fmt: skip
        needed = {s for n in self.part.nodes for v in (n, n.args, *n.kwargs.values())
                  for s in symbols_of(v)}  # fmt: skip
        for symbol in sorted(needed - known, key=str):
            for node in nodes:
                value = node.meta.get("val") if node.op == "placeholder" else None
                if isinstance(value, _SYMBOLIC) and value.node.expr == symbol:
                    self.sources.append(_Source(node, symbol=symbol))
                    break
                shape = value.shape if isinstance(value, torch.Tensor) else ()
                found = [d for d, n in enumerate(shape) if isinstance(n, torch.SymInt)
                         and n.node.expr == symbol]  # fmt: skip
                if found:
                    self.sources.append(_Source(node, symbol=symbol, dim=found[0]))
                    break
            else:
                continue
            is_float = isinstance(value, torch.SymFloat)
            self.parameters[str(symbol)] = f64 if is_float else index

    def program(self) -> Program:
        """Trace the part."""
        first = place_of(self.part.nodes[0])
        last = place_of(self.part.nodes[-1])
        return trace_program(
            self._run, "program", self.parameters, first, last,
            contracts=self.device.type == "cuda",
        )  # fmt: skip

    def _run(self, **given: Any) -> Any:
        self.tensors: dict[Any, Any] = {}
        symbols: dict[Any, Any] = {}
        self.builder = b = Builder(symbols)
        for source in self.sources:
            node, order = source.node, source.order
            if source.symbol is not None:
                symbols[source.symbol] = given[str(source.symbol)]
            if source.symbol is not None or node is None:
                continue
            value, array = node.meta["val"], given[node.name]
            with current().at(place_of(self.part.nodes[0])):
                for d, k in enumerate(order or range(value.dim())):
                    n = value.shape[k]
                    if isinstance(n, torch.SymInt) and n.node.expr.is_Symbol:
                        symbols.setdefault(n.node.expr, array.dim(d))
                reads = frozenset([("param", node.name)])
                tensor = Tensor(array, value.dtype, tuple(value.shape), reads)
                if order:
                    tensor.array = array.transpose(*_inverse(order))
                self.tensors[node] = tensor
        owner = find_groups(self.part.nodes, b.extent)
        for unit in _units(self.part.nodes, owner):
            node = unit.members[0] if isinstance(unit, Group) else unit
            try:
                with current().at(place_of(node)):
                    self._lower(unit)
            except (UnsupportedError, TraceError, KeyError) as error:
                reason = error.message if isinstance(error, TraceError) else str(error)
                if isinstance(error, KeyError):
                    reason = f"the extent {error} is not known"
                raise RefusedError(node, reason) from error
        return self._results()

    def _lower(self, unit: Any) -> None:
        b = self.builder
        if isinstance(unit, Group):
            members = set(unit.members)
            outside = [n for n in unit.members if any(u not in members for u in n.users)
                       and not isinstance(n.meta["val"], (list, tuple))]  # fmt: skip
            self.tensors.update(lower_group(b, unit, self.tensors.__getitem__, outside))
            return
        if unit.target is operator.getitem:
            self.tensors[unit] = self.tensors[unit.args[0]][unit.args[1]]
            return
        found = lower_elementwise(b, unit, self.tensors.__getitem__)
        if found is None:
            name = name_of(unit.target)
            if name not in LOWERINGS:
                raise UnsupportedError("no lowering")
            arguments = torch.fx.node.map_arg(unit.args, self._argument)
            keywords = torch.fx.node.map_arg(unit.kwargs, self._argument)
            keywords = {k: v for k, v in keywords.items() if k not in _OF_RESULT}
            function = LOWERINGS[name]
            if "name" in inspect.signature(function).parameters:
                keywords["name"] = name
            try:
                found = function(b, unit.meta["val"], *arguments, **keywords)
            except TypeError as error:
                raise UnsupportedError(f"its arguments: {error}") from error
        self.tensors[unit] = found

    def _argument(self, node: Any) -> Any:
        value = node.meta["val"]
        return self.tensors[node] if isinstance(value, torch.Tensor) else value

    def _results(self) -> Any:
        results = []
        seen: set[Any] = set()
        with current().at(place_of(self.part.nodes[-1])):
            for node, order in zip(self.part.outputs, self.orders):
                tensor = self.tensors[node]
                array = tensor.array.transpose(*order) if order else tensor.array
                own = next(iter(tensor.reads)) if len(tensor.reads) == 1 else None
                if own is not None and own[0] in ("param", "view"):
                    # No result shares memory with an argument or another result.
                    _ = array.name if own[:2] in seen or own[0] == "param" else None
                    if array.is_stored and (own[:2] in seen or own[0] == "param"):
                        array = array.map(lambda v: v).force()
                    seen.add(own[:2])
                results.append(array)
        return tuple(results) if len(results) != 1 else results[0]


def _units(nodes: Sequence[Any], owner: dict[Any, Group]) -> list[Any]:
    """Groups, and nodes without one, in an order in which they can be computed."""
    units: dict[int, Any] = {}
    for node in nodes:
        unit = owner.get(node, node)
        units.setdefault(id(unit), unit)
    of = {n: id(owner.get(n, n)) for n in nodes}
    done: dict[int, Any] = {}

    def visit(start: int) -> None:
        stack = [(start, False)]
        while stack:
            key, is_ready = stack.pop()
            if key in done:
                continue
            if is_ready:
                done[key] = units[key]
                continue
            stack.append((key, True))
            unit = units[key]
            members = unit.members if isinstance(unit, Group) else [unit]
            needed = [of[i] for n in members for i in n.all_input_nodes if i in of]
            stack += [(k, False) for k in needed if k != key and k not in done]

    for key in units:
        visit(key)
    return list(done.values())


class _Step:
    """A program of a plan, with the nodes that it takes and makes."""

    def __init__(
        self, call: Call, sources: list[_Source], outputs: list[Any],
        orders: list[list[int] | None], device: Any,
    ) -> None:  # fmt: skip
        self.call, self.sources, self.outputs, self.device = call, sources, outputs, device
        self._ends = [
            (_inverse(order) if order else None, not n.meta["val"].dim(),
             n.meta["val"].dtype if n.meta["val"].dtype == torch.uint8 else None)
            for n, order in zip(outputs, orders)
        ]  # fmt: skip

    def __call__(self, values: dict[Any, Any]) -> None:
        """Run the program, and add its results to the values of nodes."""
        arguments = [source.of(values, self.device) for source in self.sources]
        found = self.call(arguments)
        results = found if len(self.outputs) > 1 else (found,)
        for node, result, (order, is_scalar, dtype) in zip(self.outputs, results, self._ends):
            if dtype is not None:
                result = result.view(dtype)
            if is_scalar:
                result = result.reshape(())
            values[node] = result.permute(order) if order else result


class _Plan:
    """A graph as programs and operations of PyTorch."""

    def __init__(self, nodes: Sequence[Any], steps: Sequence[Any], views: dict[Any, Any]) -> None:
        self._views = [(n, base, n.meta["val"]) for n, base in views.items()]
        self._inputs = [n for n in nodes if n.op == "placeholder"]
        self._attributes = [n for n in nodes if n.op == "get_attr"]
        self._output = next(n for n in nodes if n.op == "output")
        self._steps = list(steps)
        self._last = self._last_uses()

    def _last_uses(self) -> list[list[Any]]:
        """The nodes whose values nothing needs after each step."""
        kept = set(self._output.all_input_nodes)
        found: list[list[Any]] = [[] for _ in self._steps]
        for number in reversed(range(len(self._steps))):
            step = self._steps[number]
            nodes = step.all_input_nodes if isinstance(step, torch.fx.Node) else [
                s.node for s in step.sources if s.node is not None]  # fmt: skip
            found[number] = [n for n in nodes if n not in kept]
            kept.update(nodes)
        return found

    def __call__(self, arguments: list[Any]) -> Any:
        values = dict(zip(self._inputs, arguments))
        arguments.clear()
        for node in self._attributes:
            values[node] = getattr(node.graph.owning_module, node.target)
        for step, last in zip(self._steps, self._last):
            if isinstance(step, torch.fx.Node):
                given = torch.fx.node.map_arg(step.args, values.__getitem__)
                more = torch.fx.node.map_arg(step.kwargs, values.__getitem__)
                values[step] = step.target(*given, **more)
            else:
                step(values)
            for node in last:
                values.pop(node, None)
        for node, base, like in self._views:
            values[node] = values[base].as_strided(like.shape, like.stride(), like.storage_offset())
        return torch.fx.node.map_arg(self._output.args[0], values.__getitem__)


def _views(nodes: Sequence[Any]) -> dict[Any, Any]:
    """The results of a graph that share the memory of another one, with this one."""
    output = next(n for n in nodes if n.op == "output")
    results = [n for n in output.all_input_nodes if n.op == "call_function"
               and isinstance(n.meta.get("val"), torch.Tensor)]  # fmt: skip
    bases: dict[Any, Any] = {}
    for node in results:
        value = node.meta["val"]
        is_whole = value.is_contiguous() and is_static(value.shape) and not value.storage_offset()
        if is_whole and value.untyped_storage().nbytes() == value.numel() * value.itemsize:
            bases.setdefault(value.untyped_storage()._cdata, node)
    found = {n: bases.get(n.meta["val"].untyped_storage()._cdata) for n in results}
    return {
        n: base for n, base in found.items()
        if base is not None and base is not n and is_static(n.meta["val"].shape)
        and n.meta["val"].dtype == base.meta["val"].dtype
        and all(u is output for u in n.users)
    }  # fmt: skip


def compile_graph(module: Any, kind: str, products: str) -> Callable[[list[Any]], Any]:
    """Compile a graph of ATen operations; see the module."""
    plan = Importer(module, kind, products).compiled()

    def run(arguments: list[Any]) -> Any:
        return plan(arguments)

    # The caller gives a list, which is emptied, so that inputs can be freed.
    run._boxed_call = True  # type: ignore[attr-defined]
    return run

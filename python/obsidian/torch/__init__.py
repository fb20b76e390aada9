"""A backend of `torch.compile`: graphs of PyTorch as programs of whole arrays.

In: functions that PyTorch compiles, as with `torch.compile(f, backend="obsidian")`. Out: programs
with as few kernels as `obsidian.arrays` needs. Operations that a program cannot have run in
PyTorch, with a warning. Gradients are those of PyTorch's autograd, as further graphs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .graphs import compile_graph
from .reports import Explanation, Fallback, FallbackWarning, GraphReport, listening
from .values import aten, torch

__all__ = ["Explanation", "Fallback", "FallbackWarning", "GraphReport", "backend", "explain"]

#: Operations that are decomposed besides those that PyTorch decomposes for every compiler.
_DECOMPOSED = (
    "_softmax", "_log_softmax", "_softmax_backward_data", "_log_softmax_backward_data",
    "native_layer_norm", "native_layer_norm_backward", "native_group_norm",
    "native_group_norm_backward", "_native_batch_norm_legit", "_native_batch_norm_legit_functional",
    "_native_batch_norm_legit_no_training", "native_batch_norm", "native_batch_norm_backward",
    "gelu_backward", "_adaptive_avg_pool2d", "grid_sampler_2d", "dist", "addmv", "roll",
    "max_pool2d_with_indices_backward", "index_add", "index_copy", "slice_backward",
    "select_backward", "embedding_dense_backward", "std_mean", "std", "replication_pad1d_backward",
    "replication_pad2d_backward", "reflection_pad1d_backward", "reflection_pad2d_backward",
)  # fmt: skip
#: Operations that the importer lowers better than their decompositions.
_KEPT = ("var", "var_mean", "max_pool2d_with_indices_backward", "floor_divide", "sum")
_PRODUCTS = ("auto", "program", "library")


@functools.cache
def _decompositions() -> dict[Any, Any]:
    decomp = torch._decomp
    table = dict(decomp.core_aten_decompositions())
    packets = [getattr(aten, name) for name in _DECOMPOSED if hasattr(aten, name)]
    table.update(decomp.get_decompositions(packets))
    for name in _KEPT:
        packet = getattr(aten, name)
        for overload in packet.overloads():
            table.pop(getattr(packet, overload), None)
    return table


def backend(
    module: Any,
    inputs: Sequence[Any],
    options: Mapping[str, Any] | None = None,
    mode: str | None = None,
    **_: Any,
) -> Callable[..., Any]:
    """Compile a graph module of PyTorch: `torch.compile(f, backend="obsidian")` calls it.

    `options={"products": ...}` says where products of matrices and convolutions run: "program",
    "library" (that of PyTorch), or by default "auto", which is the library for large ones on a GPU.
    Raises ValueError for other options.
    """
    products = str((options or {}).get("products", "auto"))
    if set(options or {}) - {"products"} or products not in _PRODUCTS:
        raise ValueError(
            f"the option of the backend obsidian is products, one of {', '.join(_PRODUCTS)}"
        )
    common: Any = torch._dynamo.backends.common
    partition = torch._functorch.partitioners.min_cut_rematerialization_partition

    def compiler(kind: str) -> Callable[[Any, Any], Any]:
        return lambda graph, _: compile_graph(graph, kind, products)

    compile_module = common.aot_autograd(
        fw_compiler=compiler("forward"),
        bw_compiler=compiler("backward"),
        inference_compiler=compiler("inference"),
        decompositions=_decompositions(),
        partition_fn=partition,
    )
    compiled: Callable[..., Any] = compile_module(module, inputs)
    return compiled


def explain(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Explanation:
    """Compile a function for arguments, run it, and say what became of it.

    The result has the programs and the fallbacks of each graph, and the reasons of graph breaks.
    Where results need gradients, it has the backward graph as well. Nothing is warned of.
    """
    dynamo = torch._dynamo
    dynamo.reset()
    with listening() as explanation:
        result = torch.compile(function, backend=backend)(*arguments, **keywords)
        leaves = torch.utils._pytree.tree_leaves(result)
        roots = [r for r in leaves if isinstance(r, torch.Tensor) and r.requires_grad]
        if roots:
            inputs = [
                a for a in torch.utils._pytree.tree_leaves((arguments, keywords))
                if isinstance(a, torch.Tensor) and a.requires_grad
            ]  # fmt: skip
            if inputs:
                torch.autograd.grad(
                    roots, inputs, [torch.ones_like(r) for r in roots], allow_unused=True
                )
    dynamo.reset()
    broken = dynamo.explain(function)(*arguments, **keywords)
    explanation.breaks += [str(reason.reason) for reason in broken.break_reasons]
    dynamo.reset()
    return explanation


def _register() -> None:
    """Enter the backend by its name, unless the package is installed, which does the same."""
    import importlib

    importlib.import_module("torch._dynamo")
    importlib.import_module("torch._functorch.partitioners")
    importlib.import_module("torch._dynamo.backends.common")
    importlib.import_module("torch.fx.experimental.symbolic_shapes")
    if "obsidian" not in torch._dynamo.list_backends(exclude_tags=()):
        torch._dynamo.register_backend(compiler_fn=backend, name="obsidian")


_register()

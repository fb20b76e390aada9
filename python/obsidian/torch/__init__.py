"""A backend of `torch.compile`: graphs of PyTorch as programs of whole arrays.

In: functions that PyTorch compiles, as with `torch.compile(f, backend="obsidian")`. Out: programs
with as few kernels as `obsidian.arrays` needs. Operations that the backend cannot compile run in
PyTorch, with a warning. PyTorch's autograd computes gradients, as further graphs.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .decompositions import decompositions
from .graphs import compile_graph
from .reports import Explanation, Fallback, FallbackWarning, GraphReport, listening
from .values import torch

__all__ = ["Explanation", "Fallback", "FallbackWarning", "GraphReport", "backend", "explain"]

_PRODUCTS = ("auto", "program", "library")


def backend(
    module: Any,
    inputs: Sequence[Any],
    options: Mapping[str, Any] | None = None,
    mode: str | None = None,
    **_: Any,
) -> Callable[..., Any]:
    """Compile a graph module of PyTorch: `torch.compile(f, backend="obsidian")` calls it.

    `options={"products": ...}` selects where products of matrices and convolutions run: "program",
    "library" (that of PyTorch), or "auto", the default: the library for large products on a GPU.
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
        decompositions=decompositions(products),
        partition_fn=partition,
    )
    # On a GPU, the library computes attention. Elsewhere it is products and a softmax.
    is_on_gpu = any(isinstance(i, torch.Tensor) and i.is_cuda for i in inputs)
    attention = torch.nn.attention
    with (
        contextlib.nullcontext() if is_on_gpu else attention.sdpa_kernel(attention.SDPBackend.MATH)
    ):
        compiled: Callable[..., Any] = compile_module(module, inputs)
    return compiled


def explain(function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Explanation:
    """Compile a function for arguments, run it, and report its programs.

    The result has the programs and the fallbacks of each graph, and the reasons for graph breaks.
    If results need gradients, it also has the backward graph. There are no warnings.
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
    """Register the backend by its name, unless the installed package has registered it."""
    import importlib

    importlib.import_module("torch._dynamo")
    importlib.import_module("torch._functorch.partitioners")
    importlib.import_module("torch._dynamo.backends.common")
    importlib.import_module("torch.fx.experimental.symbolic_shapes")
    importlib.import_module("torch.utils._sympy.interp")
    importlib.import_module("torch.utils._sympy.reference")
    if "obsidian" not in torch._dynamo.list_backends(exclude_tags=()):
        torch._dynamo.register_backend(compiler_fn=backend, name="obsidian")


_register()

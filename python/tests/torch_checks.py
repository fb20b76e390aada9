"""Checks of the backend of torch.compile: results, gradients and kernels of a function."""

from __future__ import annotations

import json
import warnings
from typing import Any

import pytest
import torch

import obsidian.torch as backend
from obsidian.backend import CompileOptions
from obsidian.backend import backend as compiler
from obsidian.costs import read_costs


@pytest.fixture(autouse=True)
def fresh() -> Any:
    torch._dynamo.reset()
    torch.manual_seed(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", backend.FallbackWarning)
        yield
    torch._dynamo.reset()


def same(found: Any, expected: Any, exact: bool = False) -> None:
    """The same values, types, shapes and strides."""
    pairs = zip(torch.utils._pytree.tree_leaves(found), torch.utils._pytree.tree_leaves(expected))
    for one, other in pairs:
        if exact:
            torch.testing.assert_close(one, other, rtol=0, atol=0, equal_nan=True)
        else:
            torch.testing.assert_close(one, other, equal_nan=True)


def compiled(function: Any, **options: Any) -> Any:
    return torch.compile(function, backend="obsidian", fullgraph=True, **options)


def gradients(function: Any, arguments: list[Any]) -> list[Any]:
    """The results of a function, and its gradients."""
    leaves = [a.detach().clone().requires_grad_(a.is_floating_point()) for a in arguments]
    result = function(*leaves)
    total = sum(
        (r.float() * torch.linspace(0.5, 1.5, r.numel()).view(r.shape)).sum()
        for r in torch.utils._pytree.tree_leaves(result)
        if r.is_floating_point() and r.requires_grad
    )
    wanted = [leaf for leaf in leaves if leaf.requires_grad]
    return [result, *torch.autograd.grad(total, wanted, allow_unused=True)]


def kernels_of(function: Any, *arguments: Any) -> list[tuple[int, int, int, int]]:
    """Of each kernel: blocks, threads of a block, and the bytes that it reads and writes."""
    found = []
    for graph in backend.explain(function, *arguments).graphs:
        for _, _, text in graph.programs:
            artifact = compiler().compile(text, CompileOptions())
            form = {f: compiler().show(artifact, f)[0] for f in ("contract", "cost_json")}
            costs = {k.name: k for k in read_costs(json.loads(form["cost_json"]))}
            for kernel in json.loads(form["contract"])["kernels"]:
                traffic = costs[kernel["entry"]].memory["global"]
                bytes_of = [
                    int(str(f).removeprefix("at most ")) for f in (traffic.read, traffic.written)
                ]
                found.append((int(kernel["grid"]), kernel["block"], *bytes_of))
    return found

"""Operations of ATen as compositions of others, in addition to the decompositions of PyTorch.

In: tensors of PyTorch. Out: tensors, or NotImplemented. Then the operation stays in the graph.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from .values import torch

aten: Any = torch.ops.aten
#: Decompositions of PyTorch that it uses for some compilers only.
_OF_TORCH = (
    "_softmax", "_log_softmax", "_softmax_backward_data", "_log_softmax_backward_data",
    "native_layer_norm", "native_layer_norm_backward", "native_group_norm",
    "native_group_norm_backward", "_native_batch_norm_legit", "_native_batch_norm_legit_functional",
    "_native_batch_norm_legit_no_training", "native_batch_norm", "native_batch_norm_backward",
    "gelu_backward", "_adaptive_avg_pool2d", "grid_sampler_2d", "dist", "addmv", "roll",
    "index_add", "index_copy", "index_select", "slice_backward", "select_backward",
    "embedding", "embedding_dense_backward", "std_mean", "std", "elu", "leaky_relu", "hardtanh",
    "replication_pad1d_backward", "replication_pad2d_backward", "reflection_pad1d_backward",
    "reflection_pad2d_backward", "linalg_vector_norm", "t", "transpose", "unbind", "split",
    "split_with_sizes",
)  # fmt: skip
#: Products of at least this many multiplications run in the library of PyTorch, on a GPU.
LARGE_PRODUCT = 1 << 18


def is_of_library(name: str, x: Any, y: Any, products: str) -> bool:
    """True if the library of PyTorch computes a product of `x` and `y`."""
    if name not in ("mm", "bmm", "convolution") or products != "auto":
        return products == "library" and name in ("mm", "bmm", "convolution")
    # For a convolution with strides, this number is too large.
    count = x.numel() * (y[:, 0].numel() if name == "convolution" else y.shape[-1])
    return bool(x.device.type == "cuda" and count >= LARGE_PRODUCT)


def _pair(value: Any, default: Any = (1, 1)) -> tuple[int, int]:
    found = [value] if isinstance(value, int) else list(value) or list(default)
    return found[0], found[-1]


def _var_mean(x: Any, dim: Any = None, *, correction: Any = 1, keepdim: bool = False) -> Any:
    dims = list(range(x.dim())) if dim is None or dim == [] else dim
    wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    mean = wide.mean(dims, keepdim=True)
    count = math.prod(x.shape[d] for d in dims) if x.dim() else 1
    total = (wide - mean).square().sum(dims, keepdim=keepdim)
    divisor = count - (1 if correction is None else correction)
    variance = total / (divisor if not isinstance(divisor, (int, float)) else max(divisor, 0))
    mean = mean if keepdim or not x.dim() else mean.squeeze(dims)
    return variance.to(x.dtype), mean.to(x.dtype)


def _var(x: Any, dim: Any = None, **keywords: Any) -> Any:
    return _var_mean(x, dim, **keywords)[0]


def _windows(x: Any, size: Any, stride: Any, padding: Any, border: float) -> Any:
    """The elements of each window of images, in one last dimension."""
    (high, wide), (down, right) = _pair(size), _pair(stride, _pair(size))
    above, left = _pair(padding)
    x = aten.constant_pad_nd(x, [left, left, above, above], border)
    return x.unfold(-2, high, down).unfold(-2, wide, right).flatten(-2)


def _max_pool(
    x: Any, size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil: bool = False
) -> Any:
    if ceil or _pair(dilation) != (1, 1) or not x.is_floating_point():
        return NotImplemented
    values, at = _windows(x, size, stride, padding, -math.inf).max(-1)
    (_, wide), steps, widths = _pair(size), _pair(stride, _pair(size)), _pair(padding)
    rows = torch.arange(values.shape[-2], device=x.device)[:, None] * steps[0] - widths[0]
    columns = torch.arange(values.shape[-1], device=x.device) * steps[1] - widths[1]
    return values, (rows + at // wide) * x.shape[-1] + columns + at % wide


def _max_pool_backward(grad: Any, x: Any, *more: Any) -> Any:
    flat = torch.zeros_like(x).flatten(-2)
    return flat.scatter_add(-1, more[-1].flatten(-2), grad.flatten(-2)).view(x.shape)


def _avg_pool(
    x: Any, size: Any, stride: Any = (), padding: Any = 0, ceil: bool = False,
    count_include_pad: bool = True, divisor: Any = None,
) -> Any:  # fmt: skip
    if ceil or not x.is_floating_point():
        return NotImplemented
    total = _windows(x, size, stride, padding, 0.0).sum(-1)
    if count_include_pad or divisor:
        return total / (divisor or math.prod(_pair(size)))
    return total / _windows(torch.ones_like(x), size, stride, padding, 0.0).sum(-1)


def _avg_pool_backward(
    grad: Any, x: Any, size: Any, stride: Any, padding: Any, ceil: bool, include: bool, by: Any
) -> Any:
    """Each element is the sum of the windows around it: windows of the gradient with gaps."""
    if ceil or not include:
        return NotImplemented
    (high, wide), (down, right) = _pair(size), _pair(stride, _pair(size))
    above, left = _pair(padding)
    gaps = aten.constant_pad_nd(grad.unsqueeze(-1).unsqueeze(-3), [0, right - 1, 0, 0, 0, down - 1])
    gaps = gaps.flatten(-2).flatten(-3, -2)
    before = [wide - 1 - left, high - 1 - above]
    behind = [x.shape[-k] + size - 1 - gaps.shape[-k] - b
              for k, size, b in zip((1, 2), (wide, high), before)]  # fmt: skip
    gaps = aten.constant_pad_nd(gaps, [before[0], behind[0], before[1], behind[1]])
    return _windows(gaps, [high, wide], 1, 0, 0.0).sum(-1) / (by or high * wide)


def _convolution(
    x: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool,
    _: Any, groups: int,
) -> Any:  # fmt: skip
    """The sum over channels and taps of the products of windows and weights."""
    if transposed:
        return NotImplemented
    space, dtype = x.dim() - 2, x.dtype
    stride, padding, dilation = (
        [*v, *v[-1:] * (space - len(v))] for v in (stride, padding, dilation)
    )
    if dtype in (torch.float16, torch.bfloat16):
        x, weight = x.float(), weight.float()
    x = aten.constant_pad_nd(x, [p for d in reversed(range(space)) for p in 2 * [padding[d]]])
    for d in range(space):
        x = x.unfold(2 + d, (weight.shape[2 + d] - 1) * dilation[d] + 1, stride[d])
        x = x[..., :: dilation[d]]
    # Dimensions: batch, groups, channels of a group, positions, taps. Channels join the taps.
    x = x.unflatten(1, (groups, x.shape[1] // groups)).movedim(2, 2 + space).unsqueeze(2)
    weight = weight.unflatten(0, (groups, weight.shape[0] // groups))
    weight = weight.view([1, *weight.shape[:2], *[1] * space, *weight.shape[2:]])
    found = (x * weight).sum(list(range(3 + space, 4 + 2 * space))).flatten(1, 2)
    return (found if bias is None else found + bias.view([-1, *[1] * space])).to(dtype)


def _addmm(c: Any, x: Any, y: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    found = aten.mm(x, y) if x.dim() == 2 else aten.bmm(x, y)
    if not x.is_floating_point():
        beta, alpha = int(beta), int(alpha)
    found = found if alpha == 1 else found * alpha
    return found if beta == 0 else found + (c if beta == 1 else c * beta)


def _histc(x: Any, bins: int = 100, low: Any = 0, high: Any = 0) -> Any:
    if low == high:
        return NotImplemented
    at = ((x.flatten() - low) * bins / (high - low)).long()
    at = torch.where(at == bins, bins - 1, at)
    is_in = (x.flatten() >= low) & (x.flatten() <= high)
    counts = torch.zeros(bins + 1, dtype=x.dtype, device=x.device)
    ones = torch.ones_like(x.flatten())
    return counts.scatter_add(0, torch.where(is_in, at, bins), ones)[:bins]


def _scatter_reduce(
    x: Any, dim: int, at: Any, source: Any, reduce: str, *, include_self: bool = True
) -> Any:
    """Means, and reductions in which written elements do not include the initial ones."""
    if include_self and reduce != "mean":
        return NotImplemented
    # A maximum may include one of its elements twice.
    start = {"prod": 1, "amax": source, "amin": source}.get(reduce, 0)
    kept = x if include_self else x.scatter(dim, at, start)
    if reduce != "mean":
        return kept.scatter_reduce(dim, at, source, reduce)
    ones = torch.ones_like(x)
    ones = ones if include_self else ones.scatter(dim, at, 0)
    count = ones.scatter_add(dim, at, torch.ones_like(source))
    mode = None if x.is_floating_point() else "floor"
    return kept.scatter_add(dim, at, source).div(count, rounding_mode=mode)


_OWN: dict[str, Callable[..., Any]] = {
    "scatter_reduce.two": _scatter_reduce,
    "var.correction": _var, "var_mean.correction": _var_mean, "addmm.default": _addmm,
    "baddbmm.default": _addmm, "histc.default": _histc, "avg_pool2d.default": _avg_pool,
    "avg_pool2d_backward.default": _avg_pool_backward,
    "max_pool2d_with_indices.default": _max_pool,
    "max_pool2d_with_indices_backward.default": _max_pool_backward,
}  # fmt: skip


@functools.cache
def decompositions(products: str) -> dict[Any, Any]:
    """The table for `aot_autograd`, for a choice of where products run."""

    def convolution(x: Any, weight: Any, *more: Any) -> Any:
        if is_of_library("convolution", x, weight, products):
            return NotImplemented
        return _convolution(x, weight, *more)

    table = dict(torch._decomp.core_aten_decompositions())
    packets = [getattr(aten, name) for name in _OF_TORCH if hasattr(aten, name)]
    table.update(torch._decomp.get_decompositions(packets))
    for name, function in {**_OWN, "convolution.default": convolution}.items():
        packet, overload = name.split(".")
        operation = getattr(aten, packet)
        for other in operation.overloads():
            table.pop(getattr(operation, other), None)
        table[getattr(operation, overload)] = function
    return table

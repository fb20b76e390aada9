"""Operations of ATen as compositions of others, in addition to the decompositions of PyTorch.

In: tensors of PyTorch. Out: tensors, or NotImplemented. Then the operation stays in the graph.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

from ..arrays.checks import SHORT
from ..arrays.orders import MOST_SORTED
from .rows import KEPT
from .values import is_one, is_static, torch

aten: Any = torch.ops.aten
#: Decompositions of PyTorch that it uses for some compilers only. The table of later versions has
#: more of them than that of 2.11.
_OF_TORCH = (
    "_log_softmax", "_softmax_backward_data", "_log_softmax_backward_data",
    "native_layer_norm", "native_layer_norm_backward", "native_group_norm",
    "native_group_norm_backward", "_native_batch_norm_legit", "_native_batch_norm_legit_functional",
    "_native_batch_norm_legit_no_training", "native_batch_norm", "native_batch_norm_backward",
    "gelu_backward", "grid_sampler_2d", "dist", "addmm", "addmv", "baddbmm", "roll",
    "index_add", "index_copy", "index_select", "slice_backward", "select_backward",
    "embedding", "embedding_dense_backward", "std_mean", "std", "elu", "leaky_relu", "hardtanh",
    "reflection_pad1d_backward", "reflection_pad2d_backward", "reflection_pad3d_backward",
    "linalg_vector_norm", "t", "transpose", "unbind", "split", "split_with_sizes",
    "tril_indices", "triu_indices",
)  # fmt: skip
#: Decompositions of PyTorch of operations that are in programs.
_WITHOUT = (
    "_unsafe_index", "replication_pad1d", "replication_pad2d", "replication_pad3d",
    "reflection_pad1d", "reflection_pad2d", "reflection_pad3d",
)  # fmt: skip
#: Products of at least this many multiplications run in the library of PyTorch, on a GPU.
LARGE_PRODUCT = 1 << 18
#: Matrices of a batch with at most this many multiplications are too small for the library.
SMALL_MATRICES = 1 << 9


def is_of_library(name: str, x: Any, y: Any, products: str) -> bool:
    """True if the library of PyTorch computes a product of `x` and `y`."""
    if name not in ("mm", "bmm", "convolution") or products != "auto":
        return products == "library" and name in ("mm", "bmm", "convolution")
    if name == "bmm":
        sizes = (x.shape[1], y.shape[2], x.shape[2])
        # Such a product takes the time of its reads.
        is_small = is_static(sizes) and math.prod(sizes) <= SMALL_MATRICES
        if is_small or any(map(is_one, sizes[:2])):
            return False
    # For a convolution with strides, this number is too large.
    count = x.numel() * (y[:, 0].numel() if name == "convolution" else y.shape[-1])
    return bool(x.device.type == "cuda" and count >= LARGE_PRODUCT)


def _spread(value: Any, space: int, default: Any = (1,)) -> list[int]:
    """A number for each dimension of space."""
    found = [value] if isinstance(value, int) else list(value) or list(default)
    return found * space if len(found) == 1 else found


def _var_mean(x: Any, dim: Any = None, *, correction: Any = 1, keepdim: bool = False) -> Any:
    dims = list(range(x.dim())) if dim is None or dim == [] else dim
    correction = 1 if correction is None else correction
    if _are_read_again(x, dims):
        if correction == 0:
            return NotImplemented
        count = math.prod(x.shape[d] for d in dims)
        variance, mean = aten.var_mean.correction(x, dims, correction=0, keepdim=keepdim)
        return variance * count / max(count - correction, 0), mean
    wide = _wide(x)
    mean = wide.mean(dims, keepdim=True)
    count = math.prod(x.shape[d] for d in dims) if x.dim() else 1
    total = (wide - mean).square().sum(dims, keepdim=keepdim)
    divisor = count - correction
    variance = total / (divisor if not isinstance(divisor, (int, float)) else max(divisor, 0))
    mean = mean if keepdim or not x.dim() else mean.squeeze(dims)
    return variance.to(x.dtype), mean.to(x.dtype)


def _var(x: Any, dim: Any = None, **keywords: Any) -> Any:
    return aten.var_mean.correction(x, dim, **keywords)[0]


def _are_read_again(x: Any, dims: Sequence[int]) -> bool:
    """True if no unit keeps a row, so that the mean and the squares would be two readings of it."""
    count = math.prod(x.shape[d] for d in dims)
    last = sorted(d % x.dim() for d in dims) == list(range(x.dim() - len(dims), x.dim()))
    return isinstance(count, int) and count > (KEPT if last else SHORT)


def _softmax(x: Any, dim: int, half_to_float: bool) -> Any:
    """One division for each row, whose sum is at least 1. The result is contiguous in PyTorch."""
    wide = _wide(x)
    powers = (wide - wide.amax(dim, True) if x.numel() else wide).exp()
    found = (powers * powers.sum(dim, True).reciprocal()).contiguous()
    return found if half_to_float else found.to(x.dtype)


def _windows(
    x: Any, size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil: bool = False,
    border: float = 0.0,
) -> Any:  # fmt: skip
    """The elements of each window of images. Their places in the window are the last dimensions."""
    space = len(size)
    stride, padding, dilation = (_spread(v, space, size) for v in (stride, padding, dilation))
    first, widths, reaches = x.dim() - space, list[Any](), list[int]()
    for d in range(space):
        n, reach, behind = x.shape[first + d], (size[d] - 1) * dilation[d] + 1, padding[d]
        if ceil:
            # The last window may end behind the border, and begins before it.
            count = (n + 2 * padding[d] - reach + stride[d] - 1) // stride[d]
            count -= (count * stride[d]) >= n + padding[d]
            behind = max(count * stride[d] + reach - n - padding[d], behind)
        widths, reaches = [padding[d], behind, *widths], [*reaches, reach]
    x = aten.constant_pad_nd(x, widths, border)
    for d in range(space):
        x = x.unfold(first + d, reaches[d], stride[d])[..., :: dilation[d]]
    return x


def _maxima(x: Any, windows: Any, begins: Sequence[Any], dilation: Sequence[int]) -> Any:
    """The maximum of each window, and its place in the image. Windows begin at `begins`."""
    space, sizes = len(begins), windows.shape[x.dim() :]
    values, at = windows.flatten(-space).max(-1)
    place = 0
    for d, begin in enumerate(begins):
        tap = at // math.prod(sizes[d + 1 :]) % sizes[d]
        first = begin.view([-1, *[1] * (space - 1 - d)])
        place = place * x.shape[x.dim() - space + d] + first + tap * dilation[d]
    return values, place


def _max_pool(
    space: int, x: Any, size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1,
    ceil: bool = False,
) -> Any:  # fmt: skip
    if not x.is_floating_point():
        return NotImplemented
    size = _spread(size, space)
    windows = _windows(x, size, stride, padding, dilation, ceil, -math.inf)
    stride, padding, dilation = (_spread(v, space, size) for v in (stride, padding, dilation))
    begins = [
        torch.arange(n, device=x.device) * step - before
        for n, step, before in zip(windows.shape[x.dim() - space :], stride, padding)
    ]
    return _maxima(x, windows, begins, dilation)


def _max_pool_backward(space: int, grad: Any, x: Any, *more: Any) -> Any:
    flat = torch.zeros_like(x).flatten(-space)
    return flat.scatter_add(-1, more[-1].flatten(-space), grad.flatten(-space)).view(x.shape)


def _pool_divisor(x: Any, size: Any, stride: Any, padding: Any, ceil: bool, include: bool) -> Any:
    """The numbers of elements of the windows of an average, if they are not all equal."""
    ones, space = torch.ones_like(x), len(size)
    if include:
        widths = [p for p in reversed(_spread(padding, space)) for _ in range(2)]
        ones, padding = aten.constant_pad_nd(ones, widths, 1.0), 0
    return _windows(ones, size, stride, padding, 1, ceil).flatten(-space).sum(-1)


def _avg_pool(
    space: int, x: Any, size: Any, stride: Any = (), padding: Any = 0, ceil: bool = False,
    include: bool = True, divisor: Any = None,
) -> Any:  # fmt: skip
    if not x.is_floating_point():
        return NotImplemented
    size = _spread(size, space)
    total = _windows(x, size, stride or size, padding, 1, ceil).flatten(-space).sum(-1)
    if divisor or (include and not ceil):
        return total / (divisor or math.prod(size))
    return total / _pool_divisor(x, size, stride or size, padding, ceil, include)


def _avg_pool_backward(
    space: int, grad: Any, x: Any, size: Any, stride: Any, padding: Any, ceil: bool, include: bool,
    divisor: Any,
) -> Any:  # fmt: skip
    """Each element is the sum of the windows around it: windows of the gradient with gaps."""
    size, first = _spread(size, space), x.dim() - space
    stride, padding = _spread(stride, space, size), _spread(padding, space)
    if divisor or (include and not ceil):
        grad = grad / (divisor or math.prod(size))
    else:
        grad = grad / _pool_divisor(x, size, stride, padding, ceil, include)
    before = [n - 1 - p for n, p in zip(size, padding)]
    behind = [
        x.shape[first + d] + size[d] - 1 - (grad.shape[first + d] - 1) * stride[d] - 1 - before[d]
        for d in range(space)
    ]
    return _windows(_spaced(grad, before, behind, stride), size, 1).flatten(-space).sum(-1)


def _adaptive_windows(x: Any, size: Sequence[Any], border: float) -> tuple[Any, Any, list[Any]]:
    """The windows of adaptive pooling, which differ by one element, with `border` at their ends.

    Places in a window are the last dimensions. Also the elements of each window, and the first
    index of the windows in each dimension.
    """
    first, begins = x.dim() - len(size), list[Any]()
    count = torch.ones((), dtype=x.dtype, device=x.device)
    for d, (out, n) in enumerate(zip(size, x.shape[first:])):
        number = torch.arange(out, device=x.device)
        begin, end = number * n // out, ((number + 1) * n + out - 1) // out
        most = n // out + (0 if n % out == 0 else 1 if out % (n % out) == 0 else 2)
        at = begin[:, None] + torch.arange(most, device=x.device)
        x = aten._unsafe_index(x, [None] * (first + d) + [at.clamp(max=n - 1)])
        is_in = (at < end[:, None]).view([out, *[1] * (x.dim() - first - d - 2), most])
        x = torch.where(is_in, x.movedim(first + d + 1, -1), border)
        count = count.unsqueeze(-1) * (end - begin)
        begins.append(begin)
    return x, count, begins


def _adaptive_max_pool(space: int, x: Any, size: Any) -> Any:
    windows, _, begins = _adaptive_windows(x, size, -math.inf)
    return _maxima(x, windows, begins, [1] * space)


def _adaptive_avg_pool(space: int, x: Any, size: Any) -> Any:
    windows, count, _ = _adaptive_windows(x, size, 0.0)
    return windows.flatten(-space).sum(-1) / count


def _adaptive_avg_pool_backward(space: int, grad: Any, x: Any) -> Any:
    """An element is in the windows whose numbers are its window, if all roles are exchanged."""
    _, count, _ = _adaptive_windows(x, grad.shape[-space:], 0.0)
    windows, _, _ = _adaptive_windows(grad / count, x.shape[-space:], 0.0)
    return windows.flatten(-space).sum(-1)


def _replication_backward(grad: Any, x: Any, widths: Any) -> Any:
    """The gradients of the borders, which are copies of the outer elements, are added to these."""
    for k in range(len(widths) // 2):
        dim, before, behind = x.dim() - 1 - k, widths[2 * k], widths[2 * k + 1]
        inner, rest = aten.constant_pad_nd(grad, [0, 0] * k + [-before, -behind]), x.shape[dim] - 1
        if before > 0:
            total = grad.narrow(dim, 0, before).sum(dim, True)
            inner = inner + aten.constant_pad_nd(total, [0, 0] * k + [0, rest])
        if behind > 0:
            total = grad.narrow(dim, grad.shape[dim] - behind, behind).sum(dim, True)
            inner = inner + aten.constant_pad_nd(total, [0, 0] * k + [rest, 0])
        grad = inner
    return grad


def _spaced(x: Any, before: Sequence[Any], behind: Sequence[Any], gaps: Sequence[int]) -> Any:
    """Images with `gaps` positions for each element, which is at the first, and with borders."""
    first, widths = x.dim() - len(gaps), list[Any]()
    for d, gap in enumerate(gaps):
        size = [0, 0] * (len(gaps) - 1 - d) + [0, gap - 1]
        x = aten.constant_pad_nd(x.unsqueeze(first + d + 1), size).flatten(first + d, first + d + 1)
        # There is no gap behind the last element.
        widths = [before[d], behind[d] - gap + 1, *widths]
    return aten.constant_pad_nd(x, widths)


def _convolution(
    x: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool,
    behind: Any, groups: int,
) -> Any:  # fmt: skip
    """The sum over channels and taps of the products of windows and weights.

    A transposed convolution is one of the turned weights, after gaps are put between the elements.
    """
    space, dtype = x.dim() - 2, x.dtype
    if transposed:
        taps = [(n - 1) * d for n, d in zip(weight.shape[2:], _spread(dilation, space))]
        before = [n - p for n, p in zip(taps, _spread(padding, space))]
        behind = [n + more for n, more in zip(before, _spread(behind, space))]
        x = _spaced(x, before, behind, _spread(stride, space))
        weight = weight.flip(list(range(2, 2 + space)))
        weight = weight.unflatten(0, (groups, -1)).transpose(1, 2).flatten(0, 1)
        stride, padding = 1, 0
    x = _windows_of_groups(x, weight.shape[2:], stride, padding, dilation, groups)
    weight = _wide(weight).unflatten(0, (groups, weight.shape[0] // groups))
    weight = weight.view([1, *weight.shape[:2], *[1] * space, *weight.shape[2:]])
    found = (x * weight).sum(list(range(3 + space, 4 + 2 * space))).flatten(1, 2)
    return (found if bias is None else found + bias.view([-1, *[1] * space])).to(dtype)


def _convolution_backward(
    grad: Any, x: Any, weight: Any, bias_sizes: Any, stride: Any, padding: Any, dilation: Any,
    transposed: bool, behind: Any, groups: int, mask: Sequence[bool],
) -> Any:  # fmt: skip
    """The gradients of the argument, the weights and the bias, where `mask` is true.

    That of the argument is the opposite convolution. That of a weight is the sum over images and
    positions of the products of the elements that the weight multiplies.
    """
    space, found = x.dim() - 2, list[Any]([None, None, None])
    if transposed and any(n >= s for n, s in zip(behind, _spread(stride, space))):
        # More windows begin in the result than the argument has elements.
        return NotImplemented
    image, other = (grad, x) if transposed else (x, grad)
    if mask[0]:
        steps = zip(x.shape[2:], grad.shape[2:], weight.shape[2:],
                    *(_spread(v, space) for v in (stride, padding, dilation)))  # fmt: skip
        rest = [n - ((m - 1) * s - 2 * p + (k - 1) * d + 1) for n, m, k, s, p, d in steps]
        found[0] = _convolution(
            grad, weight, None, stride, padding, dilation, not transposed, rest, groups
        )
    if mask[1]:
        windows = _windows_of_groups(image, weight.shape[2:], stride, padding, dilation, groups)
        other = _wide(other).unflatten(1, (groups, other.shape[1] // groups))
        products = windows * other.view([*other.shape, *[1] * (1 + space)])
        total = products.sum([0, *range(3, 3 + space)])
        found[1] = total.flatten(0, 1).to(weight.dtype)
    if mask[2]:
        found[2] = grad.sum([0, *range(2, 2 + space)])
    return tuple(found)


def _wide(x: Any) -> Any:
    """The tensor in the type in which PyTorch sums its elements."""
    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x


def _windows_of_groups(
    x: Any, size: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    """The windows of images by groups of channels.

    Dimensions: batch, groups, 1, positions, channels of a group, places in a window.
    """
    x = _windows(_wide(x), size, stride, padding, dilation)
    x = x.unflatten(1, (groups, x.shape[1] // groups))
    return x.movedim(2, 2 + len(size)).unsqueeze(2)


def _cdist(x: Any, y: Any, p: float, _: Any = None) -> Any:
    """The distances of all pairs of points with few coordinates."""
    if p not in (1, 2) or not _has_few_coordinates(x):
        return NotImplemented
    apart = x.unsqueeze(-2) - y.unsqueeze(-3)
    return apart.abs().sum(-1) if p == 1 else apart.square().sum(-1).sqrt()


def _cdist_backward(grad: Any, x: Any, y: Any, p: float, distance: Any) -> Any:
    if p not in (1, 2) or not _has_few_coordinates(x):
        return NotImplemented
    apart = x.unsqueeze(-2) - y.unsqueeze(-3)
    if p == 1:
        return (grad.unsqueeze(-1) * apart.sign()).sum(-2)
    scale = torch.where(distance == 0, 0, grad / distance)
    return (scale.unsqueeze(-1) * apart).sum(-2)


def _has_few_coordinates(x: Any) -> bool:
    """True if sums of coordinates are computed where they are read. Others are products."""
    return isinstance(x.shape[-1], int) and x.shape[-1] <= SHORT


def _is_sorted(x: Any, dim: int) -> bool:
    """True if rows are sorted in programs."""
    return bool(x.dim()) and isinstance(x.shape[dim], int) and 0 < x.shape[dim] <= MOST_SORTED


def _kth_value(x: Any, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    if not _is_sorted(x, dim):
        return NotImplemented
    found = [t.narrow(dim, k - 1, 1) for t in x.sort(dim)]
    return tuple(t if keepdim else t.squeeze(dim) for t in found)


def _median(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The lower one of two elements in the middle, or a NaN, which sorting moves to the end."""
    if dim is None:
        found = _median(x.flatten(), 0)
        return found if found is NotImplemented else found[0]
    if not _is_sorted(x, dim):
        return NotImplemented
    in_order, n = x.sort(dim), x.shape[dim]
    last, middle = ([t.narrow(dim, k, 1) for t in in_order] for k in (n - 1, (n - 1) // 2))
    found = [torch.where(last[0].isnan(), a, b) for a, b in zip(last, middle)]
    return tuple(t if keepdim else t.squeeze(dim) for t in found)


def _stack(tensors: Any, dim: int = 0) -> Any:
    return aten.cat([t.unsqueeze(dim) for t in tensors], dim)


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


#: Operations on lists of tensors whose operation on tensors has another name.
_NAMES = {"norm": "linalg_vector_norm", "maximum": "clamp_min", "minimum": "clamp_max"}


def _of_each(name: str, *given: Any, **named: Any) -> Any:
    """An operation on lists of tensors: the operation on tensors, for each element of the lists."""
    packet = getattr(aten, name)
    # The schema has the names of all arguments, because some of them are not positional.
    names = [a.name for a in getattr(packet, packet.overloads()[0])._schema.arguments]
    count = next(len(g) for g in given if isinstance(g, (list, tuple)))
    if any(isinstance(g, torch.Tensor) for g in given[3:]):
        # The host would read the elements of this tensor.
        return NotImplemented
    rows = [[g[k] if isinstance(g, (list, tuple)) else g for g in given] for k in range(count)]
    return [packet(**dict(zip(names, row)), **named) for row in rows]


def _of_lists() -> dict[str, Callable[..., Any]]:
    """The operations on lists, without those that write to their arguments."""
    found: dict[str, Callable[..., Any]] = {}
    for full in torch._C._dispatch_get_all_op_names():
        name, _, overload = full.removeprefix("aten::_foreach_").partition(".")
        base = _NAMES.get(name, name)
        is_writing = name.endswith("_") or overload.endswith("out")
        if full.startswith("aten::_foreach_") and not is_writing and hasattr(aten, base):
            found[f"_foreach_{name}.{overload or 'default'}"] = functools.partial(_of_each, base)
    return found


def _in_format(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of images: if channels are neighbours in memory, they are so in the results."""

    def decomposition(*given: Any) -> Any:
        found = function(*given)
        images = [t for t in given if isinstance(t, torch.Tensor)]
        forms = {torch._prims_common.suggest_memory_format(t) for t in images}
        form = next(iter(forms - {torch.contiguous_format}), torch.contiguous_format)

        def stored(t: Any) -> Any:
            is_image = isinstance(t, torch.Tensor) and t.dim() == images[0].dim()
            return t.contiguous(memory_format=form) if is_image else t

        return tuple(map(stored, found)) if isinstance(found, tuple) else stored(found)

    return decomposition


_OWN: dict[str, Callable[..., Any]] = {
    "scatter_reduce.two": _scatter_reduce,
    "_softmax.default": _softmax, "var.correction": _var, "var_mean.correction": _var_mean,
    "histc.default": _histc, "_cdist_forward.default": _cdist,
    "_cdist_backward.default": _cdist_backward, "kthvalue.default": _kth_value,
    "median.default": _median, "median.dim": _median, "stack.default": _stack,
    "_efficientzerotensor.default": torch.zeros,
}  # fmt: skip
for _space in (1, 2, 3):
    _OWN[f"replication_pad{_space}d_backward.default"] = _replication_backward
for _space in (2, 3):
    for _name, _pool in (
        ("avg_pool{}d", _avg_pool),
        ("avg_pool{}d_backward", _avg_pool_backward),
        ("max_pool{}d_with_indices", _max_pool),
        ("max_pool{}d_with_indices_backward", _max_pool_backward),
        ("_adaptive_avg_pool{}d", _adaptive_avg_pool),
        ("_adaptive_avg_pool{}d_backward", _adaptive_avg_pool_backward),
        ("adaptive_max_pool{}d", _adaptive_max_pool),
        ("adaptive_max_pool{}d_backward", _max_pool_backward),
    ):
        _OWN[_name.format(_space) + ".default"] = _in_format(functools.partial(_pool, _space))


@functools.cache
def decompositions(products: str) -> dict[Any, Any]:
    """The table for `aot_autograd`, for a choice of where products run."""

    def convolution(x: Any, weight: Any, *more: Any) -> Any:
        if is_of_library("convolution", x, weight, products):
            return NotImplemented
        return _convolution(x, weight, *more)

    def convolution_backward(grad: Any, x: Any, weight: Any, *more: Any) -> Any:
        if is_of_library("convolution", x, weight, products):
            return NotImplemented
        return _convolution_backward(grad, x, weight, *more)

    table = dict(torch._decomp.core_aten_decompositions())
    packets = [getattr(aten, name) for name in _OF_TORCH if hasattr(aten, name)]
    table.update(torch._decomp.get_decompositions(packets))
    own = {
        **_of_lists(), **_OWN, "convolution.default": _in_format(convolution),
        "convolution_backward.default": _in_format(convolution_backward),
    }  # fmt: skip
    for packet in {*_WITHOUT, *(name.split(".")[0] for name in own)}:
        for other in getattr(aten, packet).overloads():
            table.pop(getattr(getattr(aten, packet), other), None)
    for name, function in own.items():
        packet, overload = name.split(".")
        table[getattr(getattr(aten, packet), overload)] = function
    return table

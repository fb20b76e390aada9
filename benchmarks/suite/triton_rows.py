"""Softmax and layer norm of rows in Triton: one program for each row, which keeps it in registers.

Annotations of this module stay objects, as Triton needs.
"""

# mypy: ignore-errors

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x, out, columns, block: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    i = tl.arange(0, block)
    value = tl.load(x + row + i, mask=i < columns, other=float("-inf"))
    e = tl.exp(value - tl.max(value, axis=0))
    tl.store(out + row + i, e / tl.sum(e, axis=0), mask=i < columns)


@triton.jit
def layer_norm_kernel(x, weights, offsets, out, columns, e, block: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    i = tl.arange(0, block)
    inside = i < columns
    value = tl.load(x + row + i, mask=inside, other=0.0)
    d = tl.where(inside, value - tl.sum(value, axis=0) / columns, 0.0)
    scale = 1 / tl.sqrt(tl.sum(d * d, axis=0) / columns + e)
    weight, offset = tl.load(weights + i, mask=inside), tl.load(offsets + i, mask=inside)
    tl.store(out + row + i, d * scale * weight + offset, mask=inside)


def shape(x):
    """The block, and the number of warps: at least 4 elements for each thread, at most 16 warps."""
    block = triton.next_power_of_2(x.shape[1])
    return block, min(16, max(4, block // 256))


def softmax(x):
    """The softmax of the rows of an array of CuPy, as a tensor."""
    given = torch.from_dlpack(x)
    out = torch.empty_like(given)
    block, warps = shape(x)
    softmax_kernel[(x.shape[0],)](given, out, x.shape[1], block, num_warps=warps)
    return out


def layer_norm(x, weights, offsets, e):
    """The layer norm of the rows of an array of CuPy, as a tensor."""
    given = [torch.from_dlpack(a) for a in (x, weights, offsets)]
    out = torch.empty_like(given[0])
    block, warps = shape(x)
    layer_norm_kernel[(x.shape[0],)](*given, out, x.shape[1], e, block, num_warps=warps)
    return out

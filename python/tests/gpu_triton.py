"""Saxpy in Triton, for gpu_interop.py. Annotations of this module stay objects, as Triton needs."""

import torch
import triton
import triton.language as tl


@triton.jit
def kernel(k, x, y, r, n, block: tl.constexpr):
    i = tl.program_id(0) * block + tl.arange(0, block)
    inside = i < n
    tl.store(r + i, k * tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


def saxpy_of_triton(x, y, k):
    r = torch.empty_like(x)
    n = x.numel()
    kernel[((n + 255) // 256,)](k, x, y, r, n, 256)
    return r

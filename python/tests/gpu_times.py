"""Times of a call of saxpy for 1000 elements, for gpu_interop.py: Obsidian, CuPy and Triton."""

from __future__ import annotations

import contextlib
import ctypes
import time
from collections.abc import Callable
from typing import Any

import cupy
import numpy as np
import torch

from obsidian import interop
from obsidian.calls import Call
from obsidian.native import NativeArtifact, NativeBackend
from obsidian.views import Allocator

#: A batch has fewer calls than fit in the queue of the GPU: the host does not wait for it.
BATCHES, CALLS, SIZE = 40, 250, 1000


def microseconds(function: Callable[[], object]) -> float:
    """The time of a call: the least of the batches. The GPU is idle before each."""
    for _ in range(100):
        function()
    times = []
    for _ in range(BATCHES):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(CALLS):
            function()
        times.append((time.perf_counter() - begin) / CALLS * 1e6)
    torch.cuda.synchronize()
    return round(min(times), 2)


def launch_of_the_driver(
    ptx: bytes, x: torch.Tensor, y: torch.Tensor, r: torch.Tensor
) -> Callable[[], object]:
    """One cuLaunchKernel of the kernel of saxpy by ctypes, with everything prepared."""
    cuda = ctypes.CDLL("libcuda.so.1")
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    assert not cuda.cuModuleLoadData(ctypes.byref(module), ptx)
    assert not cuda.cuModuleGetFunction(ctypes.byref(function), module, b"saxpy")
    n = ctypes.c_int64(len(x))
    pointers = [ctypes.c_uint64(t.data_ptr()) for t in (x, y, r)]
    values = [ctypes.c_float(2), pointers[0], n, pointers[1], n, pointers[2], n]
    words = (ctypes.c_void_p * len(values))(*[ctypes.addressof(v) for v in values])
    stream = ctypes.c_void_p(1)
    given = (function, 4, 1, 1, 256, 1, 1, 0, stream, words, None)
    given = tuple(ctypes.c_uint(g) if isinstance(g, int) else g for g in given)
    keep = values, words
    return lambda: (cuda.cuLaunchKernel(*given), keep)


def times(backend: NativeBackend, saxpy: Call, artifact: NativeArtifact) -> dict[str, float]:
    """The times of calls, and of the parts of one with tensors, in microseconds."""
    x, y = torch.randn(SIZE, device="cuda"), torch.randn(SIZE, device="cuda")
    a, b = cupy.asarray(x), cupy.asarray(y)
    raw = cupy.RawKernel(
        'extern "C" __global__ void saxpy(float k, const float *x, const float *y, float *r, int n)'
        "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) r[i] = k * x[i] + y[i]; }",
        "saxpy",
    )
    k, count = np.float32(2), np.int32(SIZE)

    def of_cupy() -> object:
        r = cupy.empty_like(a)
        raw((4,), (256,), (k, a, b, r, count))
        return r

    general = Call(saxpy.program, artifact, backend)
    general._fast_call = lambda first: None  # type: ignore[method-assign]
    ptx = backend.show(artifact, "ptx")[0].encode()
    found: dict[str, float] = {
        "driver_launch": microseconds(launch_of_the_driver(ptx, x, y, torch.empty_like(x))),
        "obsidian_torch": microseconds(lambda: saxpy([2.0, x, y])),
        "obsidian_cupy": microseconds(lambda: saxpy([2.0, a, b])),
        "obsidian_torch_not_fast": microseconds(lambda: general([2.0, x, y])),
        "obsidian_cupy_not_fast": microseconds(lambda: general([2.0, a, b])),
        "cupy_raw_kernel": microseconds(of_cupy),
        "torch_add_alpha": microseconds(lambda: torch.add(y, x, alpha=2.0)),
        "torch_empty_like": microseconds(lambda: torch.empty_like(x)),
        "cupy_empty_like": microseconds(lambda: cupy.empty_like(a)),
    }
    with contextlib.suppress(ImportError):
        from gpu_triton import saxpy_of_triton

        found["triton"] = microseconds(lambda: saxpy_of_triton(x, y, 2.0))
    return {**found, **parts(backend, artifact, x, y)}


def parts(
    backend: NativeBackend, artifact: NativeArtifact, x: torch.Tensor, y: torch.Tensor
) -> dict[str, float]:
    """The parts of a call with tensors."""
    views: list[Any] = [interop.view_of(x), interop.view_of(y)]
    framework, items = views[0].framework, [2.0, *views]
    loaded = artifact.on_gpus[0, framework.allocator]
    run, memory = backend._library.obs_run_packed, loaded.allocator
    given, found = loaded.arguments.address, loaded.results.address
    handle = loaded.handle.value

    class Constant(Allocator):
        """The same memory for every run: only library and driver are left."""

        block = torch.empty(2 * SIZE, device="cuda").data_ptr()

        def allocate(self, size: int) -> int:
            return self.block

    backend.run_on_gpu(artifact, items, 0, 1, Constant, 0)
    other = artifact.on_gpus[0, Constant].handle.value

    def run_and_forget() -> None:
        run(handle, given, found, 1)
        memory.forget()

    def allocate() -> None:
        memory.allocate(4 * SIZE)
        memory.forget()

    on_gpu, kind = backend.run_on_gpu, framework.allocator
    prototype = torch.empty(0, device="cuda")
    a, b = cupy.asarray(x), cupy.asarray(y)
    device = torch.device("cuda", 0)
    return {
        "part_two_views": microseconds(lambda: (interop.view_of(x), interop.view_of(y))),
        "part_two_views_cupy": microseconds(lambda: (interop.view_of(a), interop.view_of(b))),
        "part_stream": microseconds(lambda: framework.stream(0)),
        "part_write": microseconds(lambda: loaded.arguments.write(items)),
        "part_obs_run": microseconds(run_and_forget),
        "part_obs_run_constant_allocator": microseconds(lambda: run(other, given, found, 1)),
        "part_allocate": microseconds(allocate),
        "part_read_result": microseconds(lambda: loaded.results.shape(0, 1)),
        "part_run_on_gpu": microseconds(lambda: on_gpu(artifact, items, 1, 1, kind, 0)),
        "probe_empty": microseconds(lambda: torch.empty(1000, dtype=torch.float32, device=device)),
        "probe_new_empty": microseconds(lambda: prototype.new_empty(1000)),
        "probe_new_empty_tuple": microseconds(lambda: prototype.new_empty((1000,))),
    }

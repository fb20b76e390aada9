"""The functions of the CUDA driver that interoperation needs, by ctypes.

In: numbers of GPUs, streams and pointers, as integers. Out: memory from the pool of the driver,
copies, and the order between streams. If PyTorch or CuPy owns the arrays, these
functions are only used for arrays of different streams, and to load programs while a CUDA graph is
captured.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
from collections.abc import Iterator
from ctypes import byref, c_char, c_int, c_size_t, c_uint64, c_ushort, c_void_p
from typing import Any

from .errors import ObsidianError

#: The streams that every context has, as `CUstream` spells them.
LEGACY_STREAM = 1
_DISABLE_TIMING = 2
_RELAXED = 2
_DEVICE_ORDINAL = 9
_PINNED = _DEVICE = 1
_RELEASE_THRESHOLD = 4
#: A pool keeps this part of the memory of its GPU when a stream is waited for. Without it, the
#: driver would map the memory again for each call, which takes about a millisecond.
_KEPT = 8


class _PoolProperties(ctypes.Structure):
    """The structure `CUmemPoolProps`."""

    _fields_ = (
        ("allocation_type", c_int), ("handle_types", c_int), ("location_type", c_int),
        ("location", c_int), ("security", c_void_p), ("largest", c_size_t), ("usage", c_ushort),
        ("reserved", c_char * 54),
    )  # fmt: skip


class Driver:
    """The driver, with the primary contexts that the frameworks use as well."""

    def __init__(self) -> None:
        """Load the driver. Raises ObsidianError if this machine has none."""
        try:
            # The same library that the compiler loads.
            self._library = ctypes.CDLL(os.environ.get("OBS_CUDA_DRIVER") or "libcuda.so.1")
        except OSError as error:
            raise ObsidianError(f"there is no CUDA driver: {error}") from None
        self._contexts: dict[int, c_void_p] = {}
        self._pools: dict[int, c_void_p] = {}
        self._call("cuInit", c_int(0))

    def _call(self, name: str, *words: Any) -> None:
        status = getattr(self._library, name)(*words)
        if status:
            text = ctypes.c_char_p()
            self._library.cuGetErrorString(status, byref(text))
            reason = text.value.decode() if text.value else f"error {status}"
            raise ObsidianError(f"{name}: {reason}")

    def enter(self, index: int) -> None:
        """Make the primary context of a GPU the current one of this thread."""
        context = self._contexts.get(index)
        if context is None:
            device, context = c_int(), c_void_p()
            self._call("cuDeviceGet", byref(device), c_int(index))
            self._call("cuDevicePrimaryCtxRetain", byref(context), device)
            self._contexts[index] = context
        self._call("cuCtxSetCurrent", context)

    def device_of(self, pointer: int) -> int:
        """The number of the GPU with this memory. Raises ObsidianError if it is not on a GPU."""
        if not pointer:
            return 0
        self.enter(0)
        index = c_int()
        attribute, address = c_int(_DEVICE_ORDINAL), c_uint64(pointer)
        self._call("cuPointerGetAttribute", byref(index), attribute, address)
        return index.value

    def allocate(self, index: int, size: int, stream: int) -> int:
        """`size` bytes of the pool of a GPU, in the order of a stream; 0 if there are none left."""
        self.enter(index)
        pointer, words = c_uint64(), (c_size_t(max(size, 1)), self._pool(index), c_void_p(stream))
        try:
            self._call("cuMemAllocFromPoolAsync", byref(pointer), *words)
        except ObsidianError:
            return 0
        return pointer.value

    def _pool(self, index: int) -> c_void_p:
        """The pool of this package on a GPU, whose context is the current one."""
        pool = self._pools.get(index)
        if pool is None:
            pool, size, device = c_void_p(), c_size_t(), c_int()
            self._call("cuDeviceGet", byref(device), c_int(index))
            self._call("cuDeviceTotalMem_v2", byref(size), device)
            properties = _PoolProperties(_PINNED, 0, _DEVICE, index)
            self._call("cuMemPoolCreate", byref(pool), byref(properties))
            kept = c_uint64(size.value // _KEPT)
            self._call("cuMemPoolSetAttribute", pool, c_int(_RELEASE_THRESHOLD), byref(kept))
            self._pools[index] = pool
        return pool

    def free(self, index: int, pointer: int, stream: int) -> None:
        """Give memory back to the pool, in the order of a stream."""
        self.enter(index)
        self._call("cuMemFreeAsync", c_uint64(pointer), c_void_p(stream))

    def synchronize(self, index: int, stream: int) -> None:
        """Wait for all work of a stream."""
        self.enter(index)
        self._call("cuStreamSynchronize", c_void_p(stream))

    def upload(self, index: int, pointer: int, data: int, size: int, stream: int) -> None:
        """Copy `size` bytes of the host to a GPU, behind the work of a stream."""
        self.enter(index)
        words = c_uint64(pointer), c_void_p(data), c_size_t(size), c_void_p(stream)
        self._call("cuMemcpyHtoDAsync_v2", *words)
        self._call("cuStreamSynchronize", c_void_p(stream))

    def download(self, index: int, data: int, pointer: int, size: int, stream: int) -> None:
        """Copy `size` bytes of a GPU to the host, behind the work of a stream, and wait."""
        self.enter(index)
        words = c_void_p(data), c_uint64(pointer), c_size_t(size), c_void_p(stream)
        self._call("cuMemcpyDtoHAsync_v2", *words)
        self._call("cuStreamSynchronize", c_void_p(stream))

    def order(self, index: int, before: int, after: int) -> None:
        """Let later work of the stream `after` wait for the work that `before` has now."""
        if before == after:
            return
        self.enter(index)
        event = c_void_p()
        self._call("cuEventCreate", byref(event), c_int(_DISABLE_TIMING))
        try:
            self._call("cuEventRecord", event, c_void_p(before))
            self._call("cuStreamWaitEvent", c_void_p(after), event, c_int(0))
        finally:
            self._call("cuEventDestroy_v2", event)

    @contextlib.contextmanager
    def relaxed_capture(self) -> Iterator[None]:
        """Allow this thread to load programs while a stream is captured into a graph."""
        mode = c_int(_RELAXED)
        self._call("cuThreadExchangeStreamCaptureMode", byref(mode))
        try:
            yield
        finally:
            self._call("cuThreadExchangeStreamCaptureMode", byref(mode))


@functools.cache
def driver() -> Driver:
    """The driver of this machine; see `Driver`."""
    return Driver()

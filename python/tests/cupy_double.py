"""A small CuPy on NumPy, for tests without CuPy: what the package uses of it on GPU 0.

The real one is tested by gpu_interop.py.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np


class Memory:
    """An address in a block of memory."""

    def __init__(self, owner: Any, offset: int = 0) -> None:
        self.owner, self.offset = owner, offset
        self.mem = SimpleNamespace(size=owner.nbytes)
        self.device_id = 0

    @property
    def ptr(self) -> int:
        return int(self.owner.ctypes.data) + self.offset

    def __add__(self, offset: int) -> Memory:
        return Memory(self.owner, self.offset + offset)


def alloc(size: int) -> Memory:
    memory = np.empty(size + 16, np.uint8)
    begin = -memory.ctypes.data % 16
    return Memory(memory[begin : begin + size])


class ndarray:
    """An array in the memory of the host, which says that it is on GPU 0."""

    def __init__(self, shape: Any, dtype: Any, memptr: Memory) -> None:
        self.shape, self.dtype, self.data = tuple(shape), np.dtype(dtype), memptr
        self.flags = SimpleNamespace(c_contiguous=True)

    def copy(self) -> ndarray:
        return ascontiguousarray(self)


def array(values: Any, dtype: Any = None) -> ndarray:
    values = np.asarray(values, dtype)
    memory = alloc(values.nbytes)
    memory.owner[...] = values.reshape(-1).view(np.uint8)
    return ndarray(values.shape, values.dtype, memory)


def ascontiguousarray(value: ndarray) -> ndarray:
    return ndarray(value.shape, value.dtype, alloc(value.data.mem.size))


@contextmanager
def installed() -> Iterator[None]:
    """CuPy is this module."""
    cupy = ModuleType("cupy")
    stream = SimpleNamespace(ptr=0)
    runtime = SimpleNamespace(getDeviceCount=lambda: 1, getDevice=lambda: 0)
    cuda = SimpleNamespace(
        alloc=alloc, Device=None, runtime=runtime, get_current_stream=lambda index: stream
    )
    vars(cupy).update(ndarray=ndarray, ascontiguousarray=ascontiguousarray, cuda=cuda)
    sys.modules["cupy"] = cupy
    try:
        yield
    finally:
        del sys.modules["cupy"]

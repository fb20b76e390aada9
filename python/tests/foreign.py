"""Shared by the tests of interoperation: programs, arrays of others, a driver that pretends."""

from __future__ import annotations

import contextlib
import ctypes
import os
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest

import obsidian as obs
from obsidian import Pull, bf16, f32, i1, i8, i32, index, native
from obsidian.backend import CompileOptions
from obsidian.calls import Call

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = Path(os.environ.get("OBS_LIBRARY", ROOT / "build" / "lib" / "libobsidian.so"))
#: The driver of the unit tests: kernels do nothing, and its memory is that of the host.
FAKE_CUDA = LIBRARY.parents[1] / "unittests" / "Runtime" / "libObsFakeCuda.so"
needs_library = pytest.mark.skipif(not LIBRARY.exists(), reason="the library is not built")
needs_fake_cuda = pytest.mark.skipif(
    not (LIBRARY.exists() and FAKE_CUDA.exists()), reason="the driver for tests is not built"
)


@obs.jit
def saxpy(k: f32, x: Annotated[Pull, "n", f32], y: Annotated[Pull, "n", f32]) -> Any:
    return k * x + y


@obs.jit
def twice(a: Annotated[Pull, "r", 3, bf16]) -> Any:
    return a + a


@obs.jit
def pairs(p: Annotated[Pull, "n <= 100", (i32, i8)], k: index, flip: i1) -> Any:
    return p.map(lambda a, b: a + b.to(i32)), obs.where(flip, k, 0)


@obs.jit
def same(a: Annotated[Pull, "n", i32]) -> Any:
    return a, (a + 1).force()


@obs.jit(donate="a")
def increment(a: Annotated[Pull, "n", i32]) -> Any:
    return (a + 1).force(into=a)


@obs.jit
def kept(a: Annotated[Pull, "n", i32]) -> Any:
    found, count = obs.force(*a.compact(a.map(lambda v: v > 0)))
    return found.take(count[0])


def program_of(function: Any) -> Any:
    given, static = function._bind((), {}, is_call=False)
    kinds = {name: function._parameter(name, value) for name, value in given.items()}
    return function._program(kinds, static)[0]


def call_of(function: Any, backend: native.NativeBackend) -> Call:
    program = program_of(function)
    return Call(program, backend.compile(program.text, CompileOptions()), backend)


class Exporter:
    """An object with DLPack alone."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **_: Any) -> Any:
        return self.array.__dlpack__()

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


class Described:
    """An object with an attribute that describes it."""

    def __init__(self, name: str, array: Any, **changes: Any) -> None:
        self.array = array
        setattr(self, name, {**array.__array_interface__, **changes})


#: The GPUs of arrays, by their addresses; others are on GPU 0.
DEVICES: dict[int, int] = {}


class FakeDriver:
    """Memory of the host in the place of that of a GPU."""

    def __init__(self) -> None:
        self.live: dict[int, Any] = {}
        self.orders: list[tuple[int, int]] = []
        self.is_full = False

    def allocate(self, index: int, size: int, stream: int) -> int:
        del index, stream
        if self.is_full:
            return 0
        block = ctypes.create_string_buffer(size + 16)
        pointer = -(-ctypes.addressof(block) // 16) * 16
        self.live[pointer] = block
        DEVICES.pop(pointer, None)
        return pointer

    def free(self, index: int, pointer: int, stream: int) -> None:
        del index, stream
        del self.live[pointer]

    def device_of(self, pointer: int) -> int:
        return DEVICES.get(pointer, 0)

    def order(self, index: int, before: int, after: int) -> None:
        if before != after:
            self.orders.append((before, after))

    def upload(self, index: int, pointer: int, data: int, size: int, stream: int) -> None:
        ctypes.memmove(pointer, data, size)

    def download(self, index: int, data: int, pointer: int, size: int, stream: int) -> None:
        ctypes.memmove(data, pointer, size)

    def synchronize(self, index: int, stream: int) -> None:
        self.orders.append((stream, stream))

    def relaxed_capture(self) -> Any:
        return contextlib.nullcontext()


def on_gpu(array: Any, device: int = 0, offset: int = 0, **changes: Any) -> Any:
    """An array with `__cuda_array_interface__`, `offset` bytes after a multiple of 16."""
    memory = np.zeros(array.nbytes + 32, np.uint8)
    begin = -memory.ctypes.data % 16 + offset
    DEVICES[memory.ctypes.data + begin] = device
    moved = memory[begin : begin + array.nbytes].view(array.dtype).reshape(array.shape)
    moved[...] = array
    return Described("__cuda_array_interface__", moved, **{"version": 3, "stream": 1, **changes})

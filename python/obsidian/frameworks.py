"""PyTorch, CuPy, JAX and NumPy: views of their arrays, and results in their memory.

In: arrays of a framework that the user has imported. Out: `Framework` objects. A framework is
imported here only when `interop.py` has found one of its arrays.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import dlpack
from .device_arrays import PLAIN, PoolAllocator
from .driver import LEGACY_STREAM, driver
from .errors import ArgumentTypeError
from .views import (
    CPU,
    DTYPES,
    ELEMENTS,
    Allocator,
    Framework,
    Traced,
    View,
    refuse_type,
)


class NumPy(Framework):
    """NumPy, and all objects in the memory of the host that become a NumPy array without a copy."""

    name = "NumPy"

    def view(self, value: Any) -> View:
        """See `Framework`."""
        array = np.asarray(value)
        element = element_of(array.dtype)
        if element is None:
            raise refuse_type(value, array.dtype)
        copied = not array.flags.c_contiguous
        if copied:
            array = np.ascontiguousarray(array)
        pointer = array.__array_interface__["data"][0]
        return View(self, CPU, pointer, array.shape, element, array, copied)

    def to_host(self, view: View) -> Any:
        """See `Framework`."""
        return view.owner.view(np.uint16) if view.element == "bf16" else view.owner

    def is_writable(self, view: View) -> bool:
        """See `Framework`."""
        return bool(view.owner.flags.writeable)

    def from_host(self, array: Any, element: str, like: View | None) -> Any:
        """See `Framework`. The elements of bf16 have the type of `like`, or are bits."""
        if element == "bf16" and like is not None and like.element == "bf16":
            return array.view(like.owner.dtype)
        return array


@functools.cache
def element_of(dtype: Any) -> str | None:
    """The name of NumPy's type in the language, or None. Other orders of bytes have none."""
    if dtype.name == "bfloat16":
        return "bf16"
    return ELEMENTS.get((dtype.kind, dtype.itemsize)) if dtype.isnative else None


class _TorchAllocator(Allocator):
    """Tensors from the caching allocator of PyTorch, on its current stream.

    A run allocates the same blocks in the same order as the run before. So a block that became a
    result is allocated as this result the next time, and no view of it is needed. After two equal
    runs, this happens before the run begins, if the run frees no block before: a call from C to
    Python takes longer than an allocation.
    """

    #: The number of blocks that may be allocated before a run.
    _MOST = 64

    def __init__(self, index: int, element: str) -> None:
        """See `Allocator`."""
        super().__init__(index, element)
        self._framework = torch_framework()
        torch = self._framework.torch
        #: A tensor without elements on the GPU.
        self.like = torch.empty(0, dtype=torch.uint8, device=torch.device("cuda", index))
        # Faster than torch.empty, which reads its keywords.
        self._bytes = self.like.new_empty
        #: Faster still, for the current GPU.
        self._strided = self._framework.empty_strided() if torch.cuda.device_count() == 1 else None
        #: For the number of a block: its bytes, and the function that makes it.
        self._results: dict[int, tuple[int, Callable[[], Any]]] = {}
        #: The numbers of those that are allocated before the run.
        self._early: list[int] = []
        self.prepared = (ctypes.c_uint64 * (2 * self._MOST))()
        #: The numbers and the bytes of the blocks of this run that have no type, by address.
        self._plain: dict[int, tuple[int, int]] = {}
        self._count = 0
        self._has_freed = False

    def begin(self) -> None:
        """See `Allocator`."""
        for number in self._early:
            block = self._results[number][1]()
            self.prepared[2 * number + 1] = pointer = block.data_ptr()
            self.blocks[pointer] = block

    def allocate(self, size: int) -> int:
        """See `Allocator`."""
        while self._count in self._early:
            self._count += 1
        known = self._results.get(self._count)
        if known is not None and known[0] == size:
            block = known[1]()
            if not self._has_freed and self._count < self._MOST:
                self._early.append(self._count)
                self.prepared[2 * self._count] = size
            pointer: int = block.data_ptr()
        else:
            block = self._bytes(size)
            pointer = block.data_ptr()
            self._plain[pointer] = self._count, size
        self._count += 1
        self.blocks[pointer] = block
        return pointer

    def free(self, pointer: int) -> None:
        """See `Allocator`."""
        self._has_freed = True
        self.blocks.pop(pointer, None)

    def forget(self) -> None:
        """See `Allocator`."""
        self.blocks.clear()
        if self._plain:
            self._plain.clear()
        self._count = 0
        self._has_freed = False
        if any(self.prepared[2 * number + 1] for number in self._early):
            # This run allocated other blocks.
            ctypes.memset(self.prepared, 0, ctypes.sizeof(self.prepared))
            self._early.clear()
            self._results.clear()

    def size_of(self, block: Any) -> int:
        """See `Allocator`."""
        return int(block.numel()) * int(block.element_size())

    def part(self, block: Any, offset: int, shape: tuple[int, ...], element: str) -> Any:
        """See `Allocator`."""
        dtype = self._framework.dtypes[element]
        if not offset and block.dtype is dtype and block.shape == shape:
            return block
        found = self._framework.slice(block, offset, shape, element)
        number, size = self._plain.get(block.data_ptr(), (-1, 0))
        if size and size == self.size_of(found):
            self._results[number] = size, self._maker(shape, dtype)
        return found

    def _maker(self, shape: tuple[int, ...], dtype: Any) -> Callable[[], Any]:
        """A function that allocates a contiguous tensor."""
        if self._strided is not None:
            strides = [math.prod(shape[d + 1 :]) for d in range(len(shape))]
            return functools.partial(self._strided, shape, tuple(strides), dtype)
        # PyTorch reads one number faster than a tuple.
        extents = shape[0] if len(shape) == 1 else shape
        return functools.partial(self.like.to(dtype).new_empty, extents)


class Torch(Framework):
    """PyTorch."""

    name = "PyTorch"
    allocator = _TorchAllocator
    fast = (
        (
            "{a}.dtype is {dtype} and {a}.get_device() == {index} and {a}.is_contiguous()"
            " and not {a}.is_neg()"
        ),
        "{a}.data_ptr()",
    )
    fast_writable = "not {a}.requires_grad"

    def __init__(self) -> None:
        """Import PyTorch."""
        self.torch: Any = importlib.import_module("torch")
        names = {
            "bool": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
            "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
            "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64",
        }  # fmt: skip
        #: The types of PyTorch by their names in the language; old versions lack some.
        self.dtypes = {
            e: getattr(self.torch, n) for n, e in names.items() if hasattr(self.torch, n)
        }
        self._elements = {dtype: element for element, dtype in self.dtypes.items()}
        # PyTorch's own compiler gets the stream in this way, in a fraction of the time.
        self._raw_stream = getattr(self.torch._C, "_cuda_getCurrentRawStream", self._public_stream)

    def fast_classes(self) -> tuple[type, ...]:
        """See `Framework`."""
        return self.torch.Tensor, self.torch.nn.Parameter

    def fast_dtype(self, element: str) -> Any:
        """See `Framework`."""
        return self.dtypes.get(element)

    def accelerated(self, memory: Allocator, elements: Sequence[str]) -> dict[str, Any]:
        """See `Framework`. Versions from 2.10 on describe tensors to C."""
        assert isinstance(memory, _TorchAllocator)
        return {
            "is_torch": True,
            "exchange": getattr(self.torch.Tensor, "__dlpack_c_exchange_api__", None),
            "device": self.dlpack_device(memory.index),
            "stream": self._raw_stream,
            "bytes": memory.like.new_empty,
            "empty": self.empty_strided(),
            "current": self._current_device(),
            "array": None,
            "makes": [
                (self.dtypes[element], memory.like.to(self.dtypes[element]).new_empty)
                for element in elements
            ],
        }

    def empty_strided(self) -> Any:
        """The function by which PyTorch's own compiler allocates on the current GPU, or None."""
        guards = getattr(getattr(self.torch._C, "_dynamo", None), "guards", None)
        return getattr(guards, "_empty_strided_cuda", None)

    def _current_device(self) -> Any:
        """The function that returns the number of the current GPU; None if there is only one."""
        if self.torch.cuda.device_count() == 1:
            return None
        # The public function initialises CUDA in each call.
        return getattr(self.torch._C, "_cuda_getDevice", self.torch.cuda.current_device)

    def dlpack_device(self, index: int) -> tuple[int, int]:
        """The kind and the number of a GPU, as DLPack spells them."""
        return dlpack.CUDA, index

    def _public_stream(self, index: int) -> int:
        return int(self.torch.cuda.current_stream(index).cuda_stream)

    def view(self, value: Any) -> View:
        """See `Framework`."""
        element = self._elements.get(value.dtype)
        if element is None:
            raise refuse_type(value, value.dtype)
        device = value.get_device()
        if device < 0 and value.device.type != "cpu":
            raise ArgumentTypeError(f"a tensor is on the device {value.device}: only CPU and CUDA")
        copied = not value.is_contiguous() or value.is_neg()
        if copied:
            value = value.detach().resolve_neg().contiguous()
        return View(self, device, value.data_ptr(), value.shape, element, value, copied)

    def to_host(self, view: View) -> Any:
        """See `Framework`."""
        tensor = view.owner.detach()
        if view.element == "bf16":
            return tensor.view(self.torch.int16).numpy().view(np.uint16)
        return tensor.numpy()

    def from_host(self, array: Any, element: str, like: View | None) -> Any:
        """See `Framework`."""
        if element == "bf16":
            return self.torch.from_numpy(array.view(np.int16)).view(self.torch.bfloat16)
        return self.torch.from_numpy(array)

    def stream(self, index: int) -> int:
        """See `Framework`."""
        return self._raw_stream(index) or LEGACY_STREAM

    def copy(self, view: View) -> View:
        """See `Framework`."""
        return self.view(view.owner.detach().clone())

    def part(self, view: View, offset: int, shape: tuple[int, ...], element: str) -> Any:
        """See `Framework`."""
        tensor = view.owner.detach()
        if not offset and element == view.element and shape == tuple(view.shape):
            return tensor
        return self.slice(tensor, offset, shape, element)

    def is_writable(self, view: View) -> bool:
        """See `Framework`. A tensor with a gradient may be needed to compute the gradient."""
        return not view.owner.requires_grad

    def slice(self, tensor: Any, offset: int, shape: tuple[int, ...], element: str) -> Any:
        """A part of the memory of a contiguous tensor, in another shape and type."""
        size = math.prod(shape) * int(DTYPES[element].itemsize)
        flat = tensor.reshape(-1)
        if offset or flat.numel() * flat.element_size() != size:
            flat = flat.view(self.torch.uint8)[offset : offset + size]
        return flat.view(self.dtypes[element]).view(shape)

    def adopt(self, array: Any) -> Any:
        """See `Framework`."""
        return self.torch.from_dlpack(array)


_torch: Torch | None = None


def torch_framework() -> Torch:
    """PyTorch, which is imported by now."""
    global _torch
    if _torch is None:
        _torch = Torch()
    return _torch


class _CuPyAllocator(Allocator):
    """Memory from the current allocator of CuPy, on its current stream."""

    def __init__(self, index: int, element: str) -> None:
        super().__init__(index, element)
        cupy = importlib.import_module("cupy")
        self._allocate, self._device = cupy.cuda.alloc, cupy.cuda.Device
        self._array = cupy.ndarray
        runtime = cupy.cuda.runtime
        self._is_only, self._current = runtime.getDeviceCount() == 1, runtime.getDevice

    def block(self, size: int) -> Any:
        """Memory on the GPU, which need not be the current one."""
        if self._is_only or self._current() == self.index:
            return self._allocate(size)
        with self._device(self.index):
            return self._allocate(size)

    def allocate(self, size: int) -> int:
        """See `Allocator`."""
        block = self.block(size)
        pointer: int = block.ptr
        self.blocks[pointer] = block
        return pointer

    def size_of(self, block: Any) -> int:
        """See `Allocator`."""
        return int(block.mem.size)

    def part(self, block: Any, offset: int, shape: tuple[int, ...], element: str) -> Any:
        """See `Allocator`."""
        return self._array(shape, DTYPES[element], block + offset if offset else block)


class CuPy(Framework):
    """CuPy. The elements of bf16 are their bits, or those of `ml_dtypes`."""

    name = "CuPy"
    allocator = _CuPyAllocator
    fast = (
        "{a}.dtype == {dtype} and {a}.data.device_id == {index} and {a}.flags.c_contiguous",
        "{a}.data.ptr",
    )

    def __init__(self) -> None:
        """Import CuPy."""
        self._cupy: Any = importlib.import_module("cupy")
        self._stream = self._cupy.cuda.get_current_stream

    def fast_classes(self) -> tuple[type, ...]:
        """See `Framework`."""
        return (self._cupy.ndarray,)

    def fast_dtype(self, element: str) -> Any:
        """See `Framework`."""
        return DTYPES[element] if element != "bf16" else None

    def accelerated(self, memory: Allocator, elements: Sequence[str]) -> dict[str, Any]:
        """See `Framework`."""
        assert isinstance(memory, _CuPyAllocator)
        return {
            "is_torch": False,
            "exchange": None,
            "device": (dlpack.CUDA, memory.index),
            "stream": self._stream,
            "bytes": memory.block,
            "empty": None,
            "current": None,
            "array": self._cupy.ndarray,
            "makes": [(DTYPES[element], None) for element in elements],
        }

    def view(self, value: Any) -> View:
        """See `Framework`."""
        element = element_of(value.dtype)
        if element is None:
            raise refuse_type(value, value.dtype)
        copied = not value.flags.c_contiguous
        if copied:
            value = self._cupy.ascontiguousarray(value)
        memory = value.data
        return View(self, memory.device_id, memory.ptr, value.shape, element, value, copied)

    def from_host(self, array: Any, element: str, like: View | None) -> Any:
        """See `Framework`."""
        return self._cupy.asarray(array)

    def stream(self, index: int) -> int:
        """See `Framework`."""
        return self._stream(index).ptr or LEGACY_STREAM

    def copy(self, view: View) -> View:
        """See `Framework`."""
        with self._cupy.cuda.Device(view.device):
            return self.view(view.owner.copy())

    def is_writable(self, view: View) -> bool:
        """See `Framework`."""
        return True

    def part(self, view: View, offset: int, shape: tuple[int, ...], element: str) -> Any:
        """See `Framework`."""
        return self._cupy.ndarray(shape, DTYPES[element], view.owner.data + offset)

    def adopt(self, array: Any) -> Any:
        """See `Framework`."""
        return self._cupy.from_dlpack(array)


class JAX(Framework):
    """JAX. Its streams are not accessible, so a call on a GPU waits for arguments and results.

    Calls in `jax.jit` do not wait: see `jax_calls.py`.
    """

    name = "JAX"
    allocator = PoolAllocator

    def __init__(self) -> None:
        """Import JAX."""
        self._jax: Any = importlib.import_module("jax")
        self._dlpack: Any = importlib.import_module("jax.dlpack")

    def view(self, value: Any) -> View:
        """See `Framework`."""
        if isinstance(value, self._jax.core.Tracer):
            element = element_of(value.dtype)
            if element is None:
                raise refuse_type(value, value.dtype)
            return Traced(self, CPU, 0, value.shape, element, value)
        if len(value.devices()) != 1:
            raise ArgumentTypeError("an array of JAX is spread over several devices")
        (device,) = value.devices()
        if device.platform == "cpu":
            view = NUMPY.view(np.asarray(value))
            view.framework, view.owner = self, (value, view.owner)
            return view
        value.block_until_ready()
        view = PLAIN.from_dlpack(value)
        view.framework, view.stream, view.owner = self, None, (value, view.owner)
        return view

    def to_host(self, view: View) -> Any:
        """See `Framework`."""
        array = view.owner[1]
        return array.view(np.uint16) if view.element == "bf16" else array

    def from_host(self, array: Any, element: str, like: View | None) -> Any:
        """See `Framework`. JAX makes 32 bits of 64 unless `jax_enable_x64` is set."""
        if element == "bf16":
            array = array.view(self._jax.numpy.bfloat16)
        return self._jax.numpy.asarray(array)

    def stream(self, index: int) -> int:
        """See `Framework`."""
        return LEGACY_STREAM

    def copy(self, view: View) -> View:
        """See `Framework`."""
        return PLAIN.copy(view)

    def is_writable(self, view: View) -> bool:
        """See `Framework`. Arrays of JAX never change."""
        return False

    def part(self, view: View, offset: int, shape: tuple[int, ...], element: str) -> Any:
        """See `Framework`."""
        return PLAIN.part(view, offset, shape, element)

    def adopt(self, array: Any) -> Any:
        """See `Framework`."""
        return self._dlpack.from_dlpack(array)

    def finish(self, index: int, stream: int) -> None:
        """See `Framework`."""
        driver().synchronize(index, stream)


NUMPY = NumPy()

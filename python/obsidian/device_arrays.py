"""Arrays on a GPU that belong to no known framework: those of callers, and those of this package.

In: objects with `__cuda_array_interface__` or `__dlpack__`. Out: views of these objects. Results
are of the class `DeviceArray`. It has both interfaces, so every framework accepts it without a
copy.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import dlpack
from .driver import LEGACY_STREAM, driver
from .errors import ArgumentError, ArgumentTypeError, ObsidianError
from .gpu import Foreign
from .views import DTYPES, ELEMENTS, Allocator, Framework, View, refuse_type


class PoolBlock:
    """Memory of the pool of the driver, which is freed with this object."""

    def __init__(self, index: int, size: int, stream: int) -> None:
        self.index, self.size, self.stream = index, size, stream
        self.pointer = 0
        self._driver = driver()
        self.pointer = self._driver.allocate(index, size, stream)

    def __del__(self) -> None:
        # After a failed kernel, or when the process ends, an error cannot be reported.
        with contextlib.suppress(ObsidianError):
            if self.pointer:
                self._driver.free(self.index, self.pointer, self.stream)


class DeviceArray:
    """A contiguous array on a GPU, for any consumer of the two interfaces.

    `torch.from_dlpack(x)`, `cupy.from_dlpack(x)`, `cupy.asarray(x)` and `jax.dlpack.from_dlpack(x)`
    share its memory.
    """

    def __init__(
        self,
        owner: object,
        device: int,
        pointer: int,
        shape: tuple[int, ...],
        element: str,
        stream: int,
    ) -> None:
        """An array in the memory of `owner`, which the work of `stream` writes."""
        self._owner = owner
        self.device, self.pointer, self.shape = device, pointer, shape
        self.element, self.stream = element, stream

    def __repr__(self) -> str:
        extents = "x".join(map(str, self.shape))
        return f"<DeviceArray of {extents} {self.element} on GPU {self.device}>"

    @property
    def dtype(self) -> Any:
        """NumPy's type of the elements; the bits of bf16 are uint16."""
        return DTYPES[self.element]

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": self.shape,
            "typestr": "<V2" if self.element == "bf16" else self.dtype.str,
            "data": (self.pointer, False),
            "strides": None,
            "version": 3,
            "stream": self.stream,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        """The kind of the device, and its number."""
        return dlpack.CUDA, self.device

    def __dlpack__(self, *, stream: int | None = None, **_: object) -> object:
        """A capsule for the consumer. Its work on `stream` waits for the work on this array."""
        if stream != -1:
            driver().order(self.device, self.stream, stream or LEGACY_STREAM)
        kind = "bf" if self.element == "bf16" else self.dtype.kind
        place = dlpack.CUDA, self.device
        return dlpack.offer(self, self.pointer, place, self.shape, kind, self.dtype.itemsize)

    def numpy(self) -> Any:
        """A copy in the memory of the host, after the array is complete."""
        array = np.empty(self.shape, self.dtype)
        if array.nbytes:
            target = array.__array_interface__["data"][0]
            driver().download(self.device, target, self.pointer, array.nbytes, self.stream)
        return array


class PoolAllocator(Allocator):
    """Memory from the pool of the driver, for arrays of no framework."""

    def allocate(self, size: int) -> int:
        """See `Allocator`."""
        block = PoolBlock(self.index, size, self.stream)
        if block.pointer:
            self.blocks[block.pointer] = block
        return block.pointer

    def size_of(self, block: Any) -> int:
        """See `Allocator`."""
        return int(block.size)

    def part(self, block: Any, offset: int, shape: tuple[int, ...], element: str) -> Any:
        """See `Allocator`."""
        pointer = block.pointer + offset
        return DeviceArray(block, self.index, pointer, shape, element, self.stream)


class Plain(Framework):
    """Objects with `__cuda_array_interface__` or `__dlpack__` that belong to no known framework."""

    name = "DeviceArray"
    allocator = PoolAllocator

    def view(self, value: Any) -> View:
        """See `Framework`."""
        interface = getattr(value, "__cuda_array_interface__", None)
        return self.from_dlpack(value) if interface is None else self._parse(value, interface)

    def _parse(self, value: Any, interface: dict[str, Any]) -> View:
        what = f"the __cuda_array_interface__ of {type(value).__name__}"
        version = interface.get("version", 0)
        if version not in (2, 3):
            raise ArgumentTypeError(f"{what} has version {version}, and 2 and 3 are understood")
        if interface.get("mask") is not None:
            raise ArgumentTypeError(f"{what} has a mask, which the language does not have")
        dtype = np.dtype(interface["typestr"])
        element = ELEMENTS.get((dtype.kind, dtype.itemsize)) if dtype.isnative else None
        if element is None:
            raise refuse_type(value, dtype)
        shape = tuple(interface["shape"])
        strides = interface.get("strides")
        if strides is not None:
            _check_strides(what, shape, [stride / dtype.itemsize for stride in strides])
        pointer = interface["data"][0] or 0
        stream = interface.get("stream") if version == 3 else None
        if stream == 0:
            raise ArgumentError(f"{what} has the stream 0, which names none: 1 is the default one")
        return View(
            self, driver().device_of(pointer), pointer, shape, element, value, False, stream
        )

    def from_dlpack(self, value: Any) -> View:
        """The view of an array with `__dlpack__` on a GPU, ready for work of the default stream."""
        kind, index = value.__dlpack_device__()
        stream = LEGACY_STREAM if kind in (dlpack.CUDA, dlpack.CUDA_MANAGED) else None
        if stream is None:
            raise ArgumentTypeError(
                f"{type(value).__name__} is on a device of DLPack's kind {kind}: only CPU and CUDA"
            )
        borrowed = dlpack.borrow(value, stream)
        element = borrowed_element(value, borrowed)
        what = f"the array of {type(value).__name__}"
        _check_strides(what, borrowed.shape, borrowed.strides)
        owner = (borrowed.capsule, value)
        return View(self, index, borrowed.pointer, borrowed.shape, element, owner, False, stream)

    def from_host(self, array: Any, element: str, like: View | None) -> Any:
        """See `Framework`."""
        return array

    def stream(self, index: int) -> int:
        """See `Framework`."""
        return LEGACY_STREAM

    def copy(self, view: View) -> View:
        """See `Framework`."""
        raise ArgumentError(
            "an array does not begin at a multiple of 16 bytes: copy it first, into memory of its "
            "own"
        )

    def is_writable(self, view: View) -> bool:
        """See `Framework`. DLPack does not have this information; the other interface has it."""
        interface = getattr(view.owner, "__cuda_array_interface__", None)
        return interface is not None and not interface["data"][1]

    def part(self, view: View, offset: int, shape: tuple[int, ...], element: str) -> Any:
        """See `Framework`."""
        stream = view.stream or LEGACY_STREAM
        pointer = view.pointer + offset
        return DeviceArray(view.owner, view.device, pointer, shape, element, stream)

    def adopt(self, array: Any) -> Any:
        """See `Framework`."""
        view = self.view(array)
        return self.part(view, 0, view.shape, view.element)


def borrowed_element(value: Any, borrowed: dlpack.Borrowed) -> str:
    """The name of the elements of a borrowed array."""
    element = ELEMENTS.get((borrowed.kind, borrowed.itemsize))
    if element is None:
        raise refuse_type(value, f"{borrowed.kind}{8 * borrowed.itemsize}")
    return element


def host_array(value: Any) -> tuple[Any, str]:
    """A NumPy array with the memory of an object with `__dlpack__` on the host, and its elements.

    The array of bf16 has the bits.
    """
    borrowed = dlpack.borrow(value, None)
    element = borrowed_element(value, borrowed)
    dtype = DTYPES[element]
    if math.prod(borrowed.shape) == 0:
        return np.empty(borrowed.shape, dtype), element
    strides = tuple(stride * dtype.itemsize for stride in borrowed.strides)
    return np.asarray(_Interface(borrowed, dtype.str, strides)), element


class _Interface:
    """A borrowed array as NumPy reads it; NumPy keeps it alive."""

    def __init__(self, borrowed: dlpack.Borrowed, typestr: str, strides: tuple[int, ...]) -> None:
        self._borrowed = borrowed
        self.__array_interface__ = {
            "shape": borrowed.shape,
            "typestr": typestr,
            "data": (borrowed.pointer, True),
            "strides": strides,
            "version": 3,
        }


def run_from_host(run: Callable[..., list[Any]], values: Sequence[Any], results: int) -> list[Any]:
    """Run a program on the GPU that OBS_DEVICE names with copies of NumPy arrays.

    `run` is `NativeBackend.run_on_gpu` of an artifact. Results are new NumPy arrays and scalars.
    """
    index = int(os.environ.get("OBS_DEVICE") or 0)
    found = run_resident(run, upload(values, index), results, index)
    return [r.numpy() if isinstance(r, DeviceArray) else r for r in found]


def upload(values: Sequence[Any], index: int) -> list[Any]:
    """The values with views of copies on a GPU in place of NumPy arrays."""
    return [_upload(v, index) if isinstance(v, np.ndarray) else v for v in values]


def on_gpu(value: Any) -> Any:
    """A copy of a NumPy array on the GPU that OBS_DEVICE names; another value itself."""
    if not isinstance(value, np.ndarray):
        return value
    view = _upload(value, int(os.environ.get("OBS_DEVICE") or 0))
    return DeviceArray(view, view.device, view.pointer, view.shape, view.element, LEGACY_STREAM)


def run_resident(
    run: Callable[..., list[Any]], views: Sequence[Any], results: int, index: int
) -> list[Any]:
    """Run a program as `run_from_host` does, with arrays that are on the GPU already.

    Results are arrays of type `DeviceArray`, and scalars.
    """
    found = run(views, results, LEGACY_STREAM, PoolAllocator, index)
    return [
        DeviceArray(views, index, r.pointer, r.shape, r.element, LEGACY_STREAM)
        if isinstance(r, Foreign)
        else r
        for r in found
    ]


def _upload(array: Any, index: int) -> View:
    """A copy of a contiguous NumPy array on a GPU."""
    block = PoolBlock(index, array.nbytes, LEGACY_STREAM)
    if not block.pointer:
        raise ObsidianError(f"GPU {index} has no {array.nbytes} bytes left")
    if array.nbytes:
        source = array.__array_interface__["data"][0]
        driver().upload(index, block.pointer, source, array.nbytes, LEGACY_STREAM)
    element = ELEMENTS[array.dtype.kind, array.dtype.itemsize]
    return View(PLAIN, index, block.pointer, array.shape, element, block)


def _check_strides(what: str, shape: tuple[int, ...], strides: Any) -> None:
    """Refuse an array that is not contiguous: it cannot be copied here. Strides count elements."""
    if 0 in shape:
        return
    if any(stride < 0 for stride, size in zip(strides, shape) if size > 1):
        raise ArgumentError(f"{what} has negative strides: pass a contiguous copy")
    for stride, expected, size in zip(strides, dlpack.row_major(shape), shape):
        if size > 1 and stride != expected:
            raise ArgumentError(f"{what} is not contiguous, row by row: pass a contiguous copy")


PLAIN = Plain()

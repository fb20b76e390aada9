"""The classes for arrays of all frameworks, which a framework must implement.

In: nothing. Out: `View`, an array in a call; `Framework`, which makes views of its arrays and
arrays of results; `Allocator`, which allocates the memory of results for a run on a GPU.
"""

from __future__ import annotations

import ctypes
import math
import warnings
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from .errors import ArgumentTypeError, PerformanceWarning
from .locations import Location, here

#: NumPy's types of the elements, by their names in the language. bf16 is stored as its bits.
#: Unsigned numbers have names, too: the language reads their bits as signed numbers.
DTYPES = {
    "i1": np.dtype(np.bool_),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "u8": np.dtype(np.uint8),
    "u16": np.dtype(np.uint16),
    "u32": np.dtype(np.uint32),
    "u64": np.dtype(np.uint64),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(np.uint16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}
#: The names of the elements by kind and bytes, as DLPack and `__cuda_array_interface__` have them.
ELEMENTS: dict[tuple[str, int], str] = {
    (d.kind, d.itemsize): name for name, d in DTYPES.items() if name != "bf16"
}
ELEMENTS.update({("bf", 2): "bf16", ("V", 2): "bf16"})
#: The device of arrays in the memory of the host.
CPU = -1
#: Kernels read several elements at once, from addresses that are multiples of this number of bytes.
ALIGNMENT = 16


class View:
    """An array of a call: contiguous, in row-major order.

    `device` is the number of a GPU or CPU, `pointer` the address of the first element there,
    `element` a key of DTYPES. `owner` is the array of the framework that owns the memory; the view
    keeps it alive. `stream` is the stream that writes it, if the array has this information.
    `copied` is true if the argument was not contiguous and this is a copy.
    """

    __slots__ = (
        "copied", "device", "element", "framework", "owner", "pointer", "shape", "stream",
    )  # fmt: skip

    def __init__(
        self,
        framework: Framework,
        device: int,
        pointer: int,
        shape: tuple[int, ...],
        element: str,
        owner: Any,
        copied: bool = False,
        stream: int | None = None,
    ) -> None:
        """Store the members; see the class."""
        self.framework = framework
        self.device = device
        self.pointer = pointer
        self.shape = shape
        self.element = element
        self.owner = owner
        self.copied = copied
        self.stream = stream

    def __repr__(self) -> str:
        extents = "x".join(map(str, self.shape))
        return f"<{extents} {self.element} of {self.framework.name}, {place_of(self.device)}>"

    @property
    def dtype(self) -> Any:
        """NumPy's type of the elements; the bits of bf16 are uint16."""
        return DTYPES[self.element]

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        """The bytes of all elements."""
        return math.prod(self.shape) * int(self.dtype.itemsize)


class Traced(View):
    """An array or a number that JAX traces: it has a shape, and no elements yet."""

    __slots__ = ()


class Allocator:
    """Memory on one GPU for one loaded program, which runs once at a time.

    A block is valid until it is freed or the run ends. The arrays of `take` keep their memory.
    """

    def __init__(self, index: int, element: str) -> None:
        """Allocate on the GPU `index`. `element` is the type of most results; see DTYPES."""
        self.index = index
        self.element = element
        #: The stream of the run.
        self.stream = 0
        #: The exception of the run, because callbacks of C cannot raise it.
        self.error: BaseException | None = None
        self.blocks: dict[int, Any] = {}
        #: `obs_device_options.prepared`; empty if this class prepares nothing.
        self.prepared: Any = (ctypes.c_uint64 * 0)()

    def begin(self) -> None:
        """Before a run: prepare blocks, so that the run need not call `allocate` for them."""

    def allocate(self, size: int) -> int:
        """The address of at least `size` bytes; 0 if there are none left."""
        raise NotImplementedError

    def free(self, pointer: int) -> None:
        """Free a block, in the order of the stream."""
        self.blocks.pop(pointer, None)

    def forget(self) -> None:
        """End the run: blocks that are not part of a result are freed."""
        self.blocks.clear()

    def size_of(self, block: Any) -> int:
        """The bytes of a block."""
        raise NotImplementedError

    def part(self, block: Any, offset: int, shape: tuple[int, ...], element: str) -> Any:
        """The array that begins `offset` bytes after the beginning of a block, without a copy."""
        raise NotImplementedError

    def take(self, pointer: int, shape: tuple[int, ...], element: str) -> Any:
        """The array of the framework at an address in a block; None if it is in no block."""
        block = self.blocks.get(pointer)
        if block is not None:
            return self.part(block, 0, shape, element)
        for base, other in self.blocks.items():
            if base < pointer < base + self.size_of(other):
                return self.part(other, pointer - base, shape, element)
        return None


class Framework:
    """A library that makes and owns arrays, such as NumPy or PyTorch."""

    name: ClassVar[str]
    #: The class that allocates the memory of results on a GPU.
    allocator: type[Allocator]
    #: For `fast_calls.py`, in Python: the test that an array {a} of the usual class is contiguous,
    #: on the GPU {index}, and has elements of {dtype}; and its address. None if this takes more.
    fast: ClassVar[tuple[str, str] | None] = None
    #: The test that a program may write such an array.
    fast_writable: ClassVar[str] = "True"

    def view(self, value: Any) -> View:
        """The view of an array. The framework copies an array that is not contiguous.

        Raises ArgumentTypeError if the array cannot be an argument.
        """
        raise NotImplementedError

    def fast_classes(self) -> tuple[type, ...]:
        """The classes of the arrays that `fast` reads."""
        raise NotImplementedError

    def fast_dtype(self, element: str) -> Any:
        """The element type with which `fast` compares; None if there is none."""
        raise NotImplementedError

    def accelerated(self, memory: Allocator, elements: Sequence[str]) -> dict[str, Any]:
        """For `accelerator.py`: how C reads the arrays that `fast` reads, and makes results.

        `memory` is an allocator of this framework, and `elements` are those of the results. The
        members are arguments of `Call.prepare` in `obsidian_accelerator.c`. `makes` has two
        for each of the elements: `dtype` and `make` of a result.
        """
        raise NotImplementedError

    def to_host(self, view: View) -> Any:
        """An array of the host as NumPy's, with the same memory. The bits of bf16 are uint16."""
        raise NotImplementedError

    def from_host(self, array: Any, element: str, like: View | None) -> Any:
        """An array of this framework with the elements of a NumPy array that has no other users.

        `like` is the argument that determines the framework.
        """
        raise NotImplementedError

    def stream(self, index: int) -> int:
        """The current stream of the framework on a GPU, as a `CUstream`; never 0."""
        raise NotImplementedError

    def copy(self, view: View) -> View:
        """A copy on the GPU of the view, which begins at a multiple of ALIGNMENT."""
        raise NotImplementedError

    def part(self, view: View, offset: int, shape: tuple[int, ...], element: str) -> Any:
        """The array that begins `offset` bytes after the beginning of an argument on a GPU."""
        raise NotImplementedError

    def adopt(self, array: Any) -> Any:
        """An array of this framework in the memory of an array of another one, on a GPU."""
        raise NotImplementedError

    def is_writable(self, view: View) -> bool:
        """True if a program may write the memory of an argument of this framework."""
        raise NotImplementedError

    def finish(self, index: int, stream: int) -> None:
        """Called after a run on a GPU. Frameworks that follow the order of streams do nothing."""


def place_of(device: int) -> str:
    """The name of a device in messages."""
    return "in the memory of the host" if device == CPU else f"on GPU {device}"


def refuse_type(value: Any, dtype: object) -> ArgumentTypeError:
    """The error for elements that the language does not have."""
    form = ""
    if isinstance(dtype, np.dtype) and not dtype.isnative and dtype.names is None:
        form = f", as in x.astype(np.{dtype.newbyteorder('=')})"
    return ArgumentTypeError(
        f"an array of {type(value).__module__.partition('.')[0]} has elements of type {dtype}, "
        f"which the language does not have: convert it{form}"
    )


#: The remarks that Python has shown: it shows each one once for each location.
_shown: dict[str | tuple[str, type[Warning], int], int] = {}


def remark(message: str, place: Location | None = None) -> None:
    """Warn about slow code at a place: by default, the line of the user that is running.

    Python shows a warning once for each location in the user's program.
    """
    place = place or here()
    warnings.warn_explicit(message, PerformanceWarning, place.file, place.line, registry=_shown)


def contains(view: View, pointer: int, shape: Sequence[int], itemsize: int) -> bool:
    """True if an array is in the memory of an argument."""
    end = pointer + math.prod(shape) * itemsize
    return view.pointer <= pointer and end <= view.pointer + view.nbytes


def overlap(one: View, other: View) -> bool:
    """True if two arrays of one device have an element in common."""
    first, last = sorted((one, other), key=lambda view: view.pointer)
    return min(one.nbytes, other.nbytes) > 0 and last.pointer < first.pointer + first.nbytes

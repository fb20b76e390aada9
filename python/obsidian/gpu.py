"""A program that is loaded on a GPU: the words that a call writes, and its allocator.

In: the types of parameters and results. Out: `Arguments` and `Results`, whose memory is laid out
once, so that a call writes and reads pointers, extents and numbers only; `Loaded`, which
`native.py` keeps for each GPU and framework; `Foreign`, a result in the memory of an argument.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .accelerator import Accelerated
from .views import Allocator

#: The elements of `obs_type`, by their names in `views.DTYPES`.
ELEMENTS = ("i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "i64")
_INTEGERS = {0: "<B", 1: "<B", 2: "<H", 3: "<I", 4: "<Q", 9: "<Q"}
_FLOATS = {7: "<f", 8: "<d"}
_WORD = 8
#: The bits of a number in the type with a code, as an array of NumPy without dimensions.
Bits = Callable[[Any, int], Any]


@dataclass(frozen=True)
class Foreign:
    """A result that is an argument, or a part of one: an address on the GPU, extents, elements."""

    pointer: int
    shape: tuple[int, ...]
    element: str


class Arguments:
    """The words of `obs_run_packed` for a program."""

    def __init__(self, slots: Sequence[tuple[int, int]], bits: Bits) -> None:
        """Lay out each slot: the code of its type, and its rank or -1."""
        words = sum(1 + max(rank, 0) for _, rank in slots)
        self.memory = (ctypes.c_uint64 * max(words, 1))()
        self.address = ctypes.addressof(self.memory)
        self._words = memoryview(self.memory).cast("B").cast("Q")
        self._plan: list[tuple[int, Callable[[Any], None] | None]] = []
        free = 0
        for code, rank in slots:
            writer = _writer(self.memory, _WORD * free, code, bits) if rank < 0 else None
            self._plan.append((free, writer))
            free += 1 + max(rank, 0)

    def write(self, values: Sequence[Any]) -> None:
        """Put a view or a number into each slot. They fit the slots."""
        words = self._words
        for (place, writer), value in zip(self._plan, values):
            if writer is not None:
                writer(value)
                continue
            words[place] = value.pointer
            for size in value.shape:
                place += 1
                words[place] = size


class Results:
    """The words that `obs_run_packed` writes."""

    def __init__(self, slots: Sequence[tuple[int, int]]) -> None:
        """Lay out each slot: the code of its type, and its rank or -1."""
        words = sum(1 + max(rank, 0) for _, rank in slots)
        self._memory = (ctypes.c_uint64 * max(words, 1))()
        self.address = ctypes.addressof(self._memory)
        self._words = memoryview(self._memory).cast("B").cast("Q")
        #: The place of each slot, the code of its type, and its rank or -1.
        self.slots: list[tuple[int, int, int]] = []
        free = 0
        for code, rank in slots:
            self.slots.append((free, code, rank))
            free += 1 + max(rank, 0)

    def pointer(self, place: int) -> int:
        """The address of an array."""
        return self._words[place]

    def shape(self, place: int, rank: int) -> tuple[int, ...]:
        """The extents of an array."""
        words = self._words
        return (words[place + 1],) if rank == 1 else tuple(words[place + 1 : place + 1 + rank])

    def raw(self, place: int) -> memoryview:
        """The bytes of a scalar, and those behind them."""
        return self._words[place : place + 1].cast("B")


def _writer(memory: Any, offset: int, code: int, bits: Bits) -> Callable[[Any], None]:
    """A function that writes a number of a type at an offset."""
    if code in _INTEGERS:
        layout = struct.Struct(_INTEGERS[code])
        mask = (1 << 8 * layout.size) - 1
        return lambda value: layout.pack_into(memory, offset, int(value) & mask)

    def write_bits(value: Any) -> None:
        data = bits(value, code).tobytes()
        ctypes.memmove(ctypes.addressof(memory) + offset, data, len(data))

    if code not in _FLOATS:
        return write_bits
    pack = struct.Struct(_FLOATS[code]).pack_into

    def write(value: Any) -> None:
        try:
            pack(memory, offset, value)
        except OverflowError:
            write_bits(value)

    return write


class Loaded:
    """A program on a GPU, with the memory of its arguments and its allocator."""

    def __init__(self, arguments: Arguments, results: Results, allocator: Allocator) -> None:
        """The handle is set later, because loading needs the callbacks."""
        self.arguments = arguments
        self.results = results
        self.allocator = allocator
        self.handle: Any = None
        #: The program in the accelerator, if there is one; see `accelerator.py`.
        self.accelerated: Accelerated | None = None

    def allocate(self, _: object, size: int) -> int:
        """`obs_device_options.allocate`. The allocator keeps an exception until the run ends."""
        try:
            return self.allocator.allocate(size)
        except BaseException as error:
            self.allocator.error = error
            return 0

    def free(self, _: object, pointer: int) -> None:
        """`obs_device_options.free`."""
        self.allocator.free(pointer)

    def take_error(self) -> BaseException | None:
        """The exception that the allocator raised in the last run."""
        error, self.allocator.error = self.allocator.error, None
        return error

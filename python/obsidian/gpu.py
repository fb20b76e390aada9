"""A program that is loaded onto a GPU: the structures of C that a call fills, and its allocator.

In: the types of the parameters. Out: `Arguments`, whose memory is laid out once, so that a call
writes pointers, extents and numbers only; `Loaded`, which `native.py` keeps for each GPU and
framework; `Foreign`, a result in the memory of an argument.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .views import Allocator

#: The elements of `obs_type`, by their names in `views.DTYPES`.
ELEMENTS = ("i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64", "i64")
_INTEGERS = {0: "<B", 1: "<B", 2: "<H", 3: "<I", 4: "<Q", 9: "<Q"}
_FLOATS = {7: "<f", 8: "<d"}
_WORD = 8
#: The words of an `obs_value`.
_TYPE, _EXTENTS, _DATA, _WORDS = 0, 1, 2, 3
#: The bits of a number in the type with a code, as an array of NumPy without dimensions.
Bits = Callable[[Any, int], Any]


@dataclass(frozen=True)
class Foreign:
    """A result that is an argument, or a part of one: an address on the GPU, extents, elements."""

    pointer: int
    shape: tuple[int, ...]
    element: str


class Arguments:
    """The array of `obs_value` of a program, and all that it points to."""

    def __init__(self, slots: Sequence[tuple[int, int]], bits: Bits) -> None:
        """Lay out one value for each slot: the code of its type, and its rank or -1."""
        self.count = len(slots)
        words = _WORDS * self.count + sum(max(rank, 1) for _, rank in slots)
        self._memory = (ctypes.c_uint64 * max(words, 1))()
        self.address = ctypes.addressof(self._memory)
        self._words = memoryview(self._memory).cast("B").cast("Q")
        self._plan: list[tuple[int, int, Callable[[Any], None] | None]] = []
        free = _WORDS * self.count
        for number, (code, rank) in enumerate(slots):
            value, place = _WORDS * number, self.address + _WORD * free
            self._words[value + _TYPE] = code | (rank & 0xFFFFFFFF) << 32
            if rank < 0:
                self._words[value + _DATA] = place
                writer = _writer(self._memory, _WORD * free, code, bits)
                self._plan.append((value, free, writer))
            else:
                self._words[value + _EXTENTS] = place
                self._plan.append((value + _DATA, free, None))
            free += max(rank, 1)

    def write(self, values: Sequence[Any]) -> None:
        """Put a view or a number into each value. They fit the slots."""
        words = self._words
        for (data, free, writer), value in zip(self._plan, values):
            if writer is not None:
                writer(value)
                continue
            words[data] = value.pointer
            for size in value.shape:
                words[free] = size
                free += 1


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

    def __init__(self, arguments: Arguments, allocator: Allocator) -> None:
        """The handle follows, since loading needs the callbacks."""
        self.arguments = arguments
        self.allocator = allocator
        self.handle: Any = None
        #: The arguments as C has them, and what C calls, kept alive.
        self.values: Any = None
        self.callbacks: tuple[Any, ...] = ()

    def allocate(self, _: object, size: int) -> int:
        """`obs_device_options.allocate`; an exception waits in the allocator for the end."""
        try:
            return self.allocator.allocate(size)
        except BaseException as error:
            self.allocator.error = error
            return 0

    def free(self, _: object, pointer: int) -> None:
        """`obs_device_options.free`."""
        self.allocator.free(pointer)

    def take_error(self) -> BaseException | None:
        """What the allocator raised in the last run."""
        error, self.allocator.error = self.allocator.error, None
        return error

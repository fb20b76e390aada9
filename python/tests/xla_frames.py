"""The side of XLA in a call of a foreign function: the call frame, and functions for its handler.

The structures are those of `xla/ffi/api/c_api.h` of jaxlib.
"""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_size_t, c_void_p
from typing import Any

import numpy as np

#: The numbers of element types, by the kind and the bytes.
TYPES = {
    "b1": 1, "i1": 2, "i2": 3, "i4": 4, "i8": 5, "u1": 6, "u2": 7, "u4": 8, "u8": 9, "f2": 10,
    "f4": 11, "f8": 12,
}  # fmt: skip
EXECUTE, METADATA = 3, 1
SCALAR, STRING = 3, 4


def _structure(name: str, *fields: tuple[str, Any]) -> type[Any]:
    """A structure that begins with its size and a pointer to extensions."""
    head = (("size", c_size_t), ("extension", c_void_p))
    return type(name, (Structure,), {"_fields_": (*head, *fields)})


Version = _structure("Version", ("major", c_int), ("minor", c_int))
Error = _structure("Error", ("message", c_char_p), ("code", c_int))
Destroyed = _structure("Destroyed", ("error", c_void_p))
Stream = _structure("Stream", ("context", c_void_p), ("stream", c_void_p))
Allocation = _structure(
    "Allocation", ("context", c_void_p), ("bytes", c_size_t), ("alignment", c_size_t),
    ("data", c_void_p),
)  # fmt: skip
Deallocation = _structure(
    "Deallocation", ("context", c_void_p), ("bytes", c_size_t), ("data", c_void_p)
)
Api = _structure(
    "Api",
    ("version", Version),
    ("internal", c_void_p),
    ("create_error", CFUNCTYPE(c_void_p, POINTER(Error))),
    ("get_message", c_void_p),
    ("destroy_error", CFUNCTYPE(None, POINTER(Destroyed))),
    ("register", c_void_p),
    ("get_stream", CFUNCTYPE(c_void_p, POINTER(Stream))),
    ("types", c_void_p * 4),
    ("allocate", CFUNCTYPE(c_void_p, POINTER(Allocation))),
    ("free", CFUNCTYPE(c_void_p, POINTER(Deallocation))),
)
Buffer = _structure(
    "Buffer", ("type", c_int), ("data", c_void_p), ("rank", c_int64), ("extents", POINTER(c_int64))
)
Buffers = _structure(
    "Buffers", ("count", c_int64), ("kinds", c_void_p), ("buffers", POINTER(POINTER(Buffer)))
)


class Metadata(Structure):
    _fields_ = (("size", c_size_t), ("version", Version), ("traits", ctypes.c_uint32))


class Extension(Structure):
    _fields_ = (
        ("size", c_size_t), ("type", c_int), ("next", c_void_p), ("metadata", POINTER(Metadata)),
    )  # fmt: skip


class Text(Structure):
    _fields_ = (("data", c_char_p), ("length", c_size_t))


class Scalar(Structure):
    _fields_ = (("type", c_int), ("value", c_void_p))


Attributes = _structure(
    "Attributes", ("count", c_int64), ("kinds", POINTER(c_int)), ("names", POINTER(POINTER(Text))),
    ("values", POINTER(c_void_p)),
)  # fmt: skip
Frame = _structure(
    "Frame",
    ("api", POINTER(Api)),
    ("context", c_void_p),
    ("stage", c_int),
    ("arguments", Buffers),
    ("results", Buffers),
    ("attributes", Attributes),
)


class Xla:
    """Calls a handler as XLA does. Every byte of its n-th piece of memory is n at first."""

    def __init__(self, handler: Any) -> None:
        """The handler is a function of the library."""
        self.errors: list[str] = []
        self.live: dict[int, Any] = {}
        self.pieces = 0
        self.is_full = False
        self.handler = handler
        self._keep: list[Any] = []
        types = dict(Api._fields_)
        functions = {
            "create_error": self._create_error,
            "destroy_error": lambda _: None,
            "get_stream": self._get_stream,
            "allocate": self._allocate,
            "free": self._free,
        }
        self.api = Api(**{name: types[name](f) for name, f in functions.items()})
        self.api.version.minor = 3

    def _create_error(self, given: Any) -> int:
        self.errors.append(given.contents.message.decode())
        return 1

    def _get_stream(self, given: Any) -> None:
        given.contents.stream = 9

    def _allocate(self, given: Any) -> int | None:
        if self.is_full:
            return 1
        self.pieces += 1
        block = np.full(given.contents.bytes, self.pieces, np.uint8)
        given.contents.data = block.ctypes.data
        self.live[block.ctypes.data] = block
        return None

    def _free(self, given: Any) -> None:
        assert self.live.pop(given.contents.data).size == given.contents.bytes

    def _kept(self, value: Any) -> Any:
        self._keep.append(value)
        return value

    def _buffers(self, arrays: list[Any]) -> Any:
        made = (POINTER(Buffer) * len(arrays))()
        for place, array in enumerate(arrays):
            extents = (c_int64 * array.ndim)(*array.shape)
            code = TYPES[f"{array.dtype.kind}{array.dtype.itemsize}"]
            buffer = Buffer(type=code, data=array.ctypes.data, rank=array.ndim, extents=extents)
            made[place] = ctypes.pointer(self._kept(buffer))
        return Buffers(count=len(arrays), buffers=self._kept(made))

    def _attributes(self, program: str, numbers: dict[int, int]) -> Any:
        named = {"program": (STRING, Text(program.encode(), len(program)))}
        for slot, bits in numbers.items():
            value = self._kept(ctypes.c_uint64(bits))
            named[f"number_{slot}"] = SCALAR, Scalar(9, ctypes.addressof(value))
        count = len(named)
        names = (POINTER(Text) * count)(
            *(ctypes.pointer(self._kept(Text(n.encode(), len(n)))) for n in named)
        )
        values = (c_void_p * count)(
            *(ctypes.addressof(self._kept(value)) for _, value in named.values())
        )
        kinds = (c_int * count)(*(kind for kind, _ in named.values()))
        return Attributes(count=count, kinds=kinds, names=names, values=values)

    def call(
        self,
        program: str,
        given: list[Any],
        results: list[Any],
        numbers: dict[int, int] | None = None,
    ) -> Any:
        """The error of a call, or None. Numbers are the bits of parameter slots."""
        frame = Frame(
            api=ctypes.pointer(self.api),
            stage=EXECUTE,
            arguments=self._buffers(given),
            results=self._buffers(results),
            attributes=self._attributes(program, numbers or {}),
        )
        found = self.handler(ctypes.addressof(frame))
        assert not self.live
        return found

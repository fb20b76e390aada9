"""Arrays in the form of DLPack, from other libraries and for other libraries.

In: an object with `__dlpack__` and `__dlpack_device__`, or a pointer and its type. Out: the
pointer, the extents and the type; or a capsule, which keeps an object alive until its consumer is
done.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import (
    POINTER,
    Structure,
    byref,
    c_char_p,
    c_int32,
    c_int64,
    c_uint8,
    c_uint64,
    c_void_p,
)
from dataclasses import dataclass
from typing import Any

from .errors import ArgumentTypeError

#: Kinds of devices, `DLDeviceType`.
CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13
_CODES = {"i": 0, "u": 1, "f": 2, "bf": 4, "b": 6}
_KINDS = {code: kind for kind, code in _CODES.items()}


def type_of(element: str) -> tuple[int, int]:
    """The code and the bits of the elements of arrays, such as `bf16`. Truth values are bytes."""
    if element == "i1":
        return _CODES["b"], 8
    kind = element.rstrip("0123456789")
    return _CODES[kind], int(element[len(kind) :])


class _Tensor(Structure):
    _fields_ = (
        ("data", c_void_p),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("rank", c_int32),
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    )


class _Managed(Structure):
    _fields_ = (("tensor", _Tensor), ("context", c_void_p), ("deleter", c_void_p))


_Deleter = ctypes.CFUNCTYPE(None, POINTER(_Managed))
_Destructor = ctypes.CFUNCTYPE(None, c_void_p)
_NAME = b"dltensor"
_python = ctypes.pythonapi
_get_pointer = ctypes.PYFUNCTYPE(c_void_p, ctypes.py_object, c_char_p)(
    ("PyCapsule_GetPointer", _python)
)
_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, c_void_p, c_char_p, c_void_p)(
    ("PyCapsule_New", _python)
)
# The capsule is being destroyed, so the destructor must not make a reference to it.
_raw_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, c_void_p, c_char_p)(("PyCapsule_IsValid", _python))
_raw_pointer = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", _python))


@dataclass
class Borrowed:
    """An array of another library, which lives as long as this object. Strides count elements."""

    pointer: int
    device: tuple[int, int]
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    #: The kind (`i`, `u`, `f`, `bf` or `b`), and the bytes of an element.
    kind: str
    itemsize: int
    capsule: object


def borrow(value: Any, stream: int | None) -> Borrowed:
    """The array that an object offers; on a GPU, ready for work of `stream`.

    Raises ArgumentTypeError if the language does not have the type of its elements.
    """
    capsule = value.__dlpack__() if stream is None else value.__dlpack__(stream=stream)
    tensor = ctypes.cast(_get_pointer(capsule, _NAME), POINTER(_Managed)).contents.tensor
    kind = _KINDS.get(tensor.code)
    if kind is None or tensor.lanes != 1 or tensor.bits % 8:
        raise ArgumentTypeError(
            f"the elements of this {type(value).__name__} are of DLPack's type {tensor.code} with "
            f"{tensor.bits} bits, which the language does not have"
        )
    shape = tuple(tensor.shape[d] for d in range(tensor.rank))
    if tensor.strides:
        strides = tuple(tensor.strides[d] for d in range(tensor.rank))
    else:
        strides = row_major(shape)
    pointer = (tensor.data or 0) + tensor.byte_offset
    device = tensor.device_type, tensor.device_id
    return Borrowed(pointer, device, shape, strides, kind, tensor.bits // 8, capsule)


def row_major(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides, in elements, of a contiguous array."""
    strides = [1] * len(shape)
    for d in range(len(shape) - 2, -1, -1):
        strides[d] = strides[d + 1] * shape[d + 1]
    return tuple(strides)


#: The objects that exported capsules keep alive, by the address of their array.
_offered: dict[int, tuple[object, ...]] = {}


def _release_array(managed: Any) -> None:
    _offered.pop(ctypes.addressof(managed.contents), None)


def _drop_capsule(capsule: int) -> None:
    # A consumer renames the capsule, and calls the deleter itself.
    if _raw_is_valid(capsule, _NAME):
        _offered.pop(_raw_pointer(capsule, _NAME), None)


_release, _drop = _Deleter(_release_array), _Destructor(_drop_capsule)


def offer(
    owner: object,
    pointer: int,
    device: tuple[int, int],
    shape: Sequence[int],
    kind: str,
    itemsize: int,
) -> object:
    """A capsule with a contiguous array of `owner`; `kind` is as in `Borrowed`."""
    rank = len(shape)
    extents = (c_int64 * rank)(*shape)
    strides = (c_int64 * rank)(*row_major(shape))
    tensor = _Tensor(pointer, *device, rank, _CODES[kind], 8 * itemsize, 1, extents, strides, 0)
    managed = _Managed(tensor, None, ctypes.cast(_release, c_void_p))
    address = ctypes.addressof(managed)
    _offered[address] = (managed, extents, strides, owner)
    return _new_capsule(byref(managed), _NAME, ctypes.cast(_drop, c_void_p))

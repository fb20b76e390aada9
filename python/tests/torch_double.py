"""A small PyTorch on NumPy, for tests without PyTorch: what the package uses of it.

The real one is tested by gpu_interop.py.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from obsidian import dlpack


class DType:
    """A type of elements: its name, and NumPy's type with the same bits."""

    def __init__(self, name: str, numpy: Any) -> None:
        self.name, self.numpy = name, np.dtype(numpy)

    def __repr__(self) -> str:
        return f"torch.{self.name}"


DTYPES = {
    name: DType(name, {"bool": np.bool_, "bfloat16": np.int16}.get(name, name))
    for name in (
        "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "float16", "bfloat16",
        "float32", "float64", "complex64",
    )
}  # fmt: skip


class Tensor:
    """A tensor in the memory of the host; with the device "cuda", it says that it is on GPU 0."""

    #: The function that the allocator calls before it allocates.
    hook: ClassVar[Callable[[], None] | None] = None

    def __init__(self, array: Any, dtype: DType, device: str = "cpu") -> None:
        self.array, self.dtype, self.device = array, dtype, SimpleNamespace(type=device)
        self.requires_grad = self.negative = False
        #: The text that `_describe` has written.
        self.extents: Any = None

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.array.shape)

    def _with(self, array: Any) -> Tensor:
        return Tensor(array, self.dtype, self.device.type)

    def get_device(self) -> int:
        return 0 if self.device.type == "cuda" else -1

    def is_contiguous(self) -> bool:
        return bool(self.array.flags.c_contiguous)

    def is_neg(self) -> bool:
        return self.negative

    def detach(self) -> Tensor:
        found = self._with(self.array)
        found.negative = self.negative
        return found

    def resolve_neg(self) -> Tensor:
        return self._with(-self.array if self.negative else self.array)

    def contiguous(self) -> Tensor:
        return self._with(np.ascontiguousarray(self.array))

    def clone(self) -> Tensor:
        return self._with(self.array.copy())

    def data_ptr(self) -> int:
        return int(self.array.ctypes.data)

    def untyped_storage(self) -> Tensor:
        return self

    def numel(self) -> int:
        return int(self.array.size)

    def element_size(self) -> int:
        return int(self.array.itemsize)

    def reshape(self, *shape: int) -> Tensor:
        return self._with(self.array.reshape(*shape))

    def __getitem__(self, key: Any) -> Tensor:
        return self._with(self.array[key])

    def view(self, form: Any) -> Tensor:
        if isinstance(form, DType):
            return Tensor(self.array.view(form.numpy), form, self.device.type)
        return self._with(self.array.reshape(form))

    def to(self, dtype: DType) -> Tensor:
        return Tensor(self.array.astype(dtype.numpy), dtype, self.device.type)

    def numpy(self) -> Any:
        assert self.dtype is not DTYPES["bfloat16"]
        return self.array

    def new_empty(self, shape: Any, dtype: DType | None = None) -> Tensor:
        run_hook()
        dtype = dtype or self.dtype
        return Tensor(np.empty(shape, dtype.numpy), dtype, self.device.type)


class Parameter(Tensor):
    """A tensor that a module learns."""


def run_hook() -> None:
    if Tensor.hook is not None:
        Tensor.hook()


def tensor(values: Any, dtype: str) -> Tensor:
    return Tensor(np.asarray(values, DTYPES[dtype].numpy), DTYPES[dtype])


def empty(shape: Any, dtype: DType, device: Any) -> Tensor:
    return Tensor(np.empty(shape, dtype.numpy), dtype, device.type)


def from_numpy(array: Any) -> Tensor:
    return tensor(array, array.dtype.name)


def _describe(tensor: Tensor, place: int) -> int:
    """Writes a tensor as DLPack describes it to C; -1 if it cannot be described."""
    if tensor.dtype.name == "complex64":
        return -1
    array, code = tensor.array, {"b": 6, "i": 0, "u": 1, "f": 2}[tensor.dtype.numpy.kind]
    rank = array.ndim
    strides = [stride // array.itemsize for stride in array.strides]
    extents = (ctypes.c_int64 * (2 * rank))(*array.shape, *strides)
    found = dlpack._Tensor.from_address(place)
    found.data, found.byte_offset, found.rank = array.ctypes.data - 8, 8, rank
    found.device_type, found.device_id = (2 if tensor.device.type == "cuda" else 1), 0
    found.code = 4 if tensor.dtype.name == "bfloat16" else code
    found.bits, found.lanes = 8 * array.itemsize, 1
    found.shape = ctypes.cast(extents, type(found.shape))
    found.strides = ctypes.cast(ctypes.addressof(extents) + 8 * rank, type(found.strides))
    tensor.extents = extents
    return 0


_FUNCTION = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_void_p)(_describe)
#: The members of `DLPackExchangeAPI`: the version, and functions, of which one is used.
_EXCHANGE = (ctypes.c_uint64 * 7)(1, 0, 0, 0, 0, ctypes.cast(_FUNCTION, ctypes.c_void_p).value, 0)


def exchange() -> object:
    """The attribute `__dlpack_c_exchange_api__` of a class of tensors that describes them to C."""
    make = ctypes.pythonapi.PyCapsule_New
    make.restype = ctypes.py_object
    make.argtypes = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
    capsule: object = make(ctypes.addressof(_EXCHANGE), b"dlpack_exchange_api", None)
    return capsule


def empty_strided(shape: tuple[int, ...], strides: tuple[int, ...], dtype: DType) -> Tensor:
    array = np.empty(shape, dtype.numpy)
    assert array.size == 0 or array.strides == tuple(s * array.itemsize for s in strides)
    run_hook()
    return Tensor(array, dtype, "cuda")


class Operator:
    """The class of the results of `torch.library.custom_op`."""

    def __init__(self, name: str, run: Callable[..., Any], schema: str) -> None:
        self.name, self.run, self.schema = name, run, schema
        self.fake: Any = None

    def __call__(self, *arguments: Any) -> Any:
        return self.run(*arguments)

    def register_fake(self, fake: Any) -> None:
        self.fake = fake


def custom_op(name: str, run: Any, mutates_args: tuple[str, ...], schema: str) -> Operator:
    assert mutates_args == ()
    return Operator(name, run, schema)


@contextmanager
def installed() -> Iterator[None]:
    """PyTorch is this module."""
    torch, library = ModuleType("torch"), ModuleType("torch.library")
    vars(torch).update(
        DTYPES,
        Tensor=Tensor,
        from_numpy=from_numpy,
        empty=empty,
        device=lambda kind, index: SimpleNamespace(type=kind, index=index),
        nn=SimpleNamespace(Parameter=Parameter),
        sym_max=max,
        cuda=SimpleNamespace(device_count=lambda: 1),
        library=library,
        _C=SimpleNamespace(_cuda_getCurrentRawStream=lambda index: 7 * index),
    )
    context = SimpleNamespace(new_dynamic_size=lambda: 99)
    vars(library).update(custom_op=custom_op, get_ctx=lambda: context)
    before = {name: sys.modules.get(name) for name in ("torch", "torch.library")}
    sys.modules.update({"torch": torch, "torch.library": library})
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module

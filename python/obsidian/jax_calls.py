"""Calls of programs inside `jax.jit`, as foreign functions of XLA.

In: a compiled program, and arguments whose shapes and types JAX knows, but not their elements. Out:
a call in the program of JAX. It runs on the emulator in the memory of the host, or on a GPU on the
stream of JAX. The launch contract determines the extents of the results.

XLA calls a handler with one structure, the call frame; `xla/ffi/api/c_api.h` of jaxlib describes
it. The handler here is a function of Python.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import math
import threading
from collections.abc import Callable, Sequence
from ctypes import POINTER, Structure, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_void_p
from typing import TYPE_CHECKING, Any

import numpy as np

from .backend import RunOptions
from .device_arrays import PLAIN, DeviceArray, PoolAllocator, PoolBlock
from .driver import LEGACY_STREAM, driver
from .errors import ArgumentTypeError, ObsidianError
from .extents import ResultExtents
from .parameters import number_of_type
from .types import ArrayType
from .views import CPU, DTYPES, Traced, View, place_of

if TYPE_CHECKING:
    from .calls import Call

_METADATA, _EXECUTE, _INTERNAL = 1, 3, 13
#: The codes of the types of buffers that programs take.
_TYPES = {
    1: "i1", 2: "i8", 3: "i16", 4: "i32", 5: "i64", 6: "u8", 7: "u16", 8: "u32", 9: "u64",
    10: "f16", 11: "f32", 12: "f64", 16: "bf16",
}  # fmt: skip
#: The names of the attributes that hold the numbers, which follow the place of an argument.
_NUMBER = "number_"


class _Version(Structure):
    _fields_ = (("size", c_size_t), ("extension", c_void_p), ("major", c_int), ("minor", c_int))


class _Metadata(Structure):
    _fields_ = (("size", c_size_t), ("version", _Version), ("traits", c_uint32))


class _Extension(Structure):
    _fields_ = (
        ("size", c_size_t), ("type", c_int), ("next", c_void_p), ("metadata", POINTER(_Metadata)),
    )  # fmt: skip


class _Error(Structure):
    _fields_ = (
        ("size", c_size_t), ("extension", c_void_p), ("message", c_char_p), ("code", c_int),
    )  # fmt: skip


class _Stream(Structure):
    _fields_ = (
        ("size", c_size_t), ("extension", c_void_p), ("context", c_void_p), ("stream", c_void_p),
    )  # fmt: skip


class Api(Structure):
    """The first members of XLA's interface."""

    _fields_ = (
        ("size", c_size_t),
        ("extension", c_void_p),
        ("version", _Version),
        ("internal", c_void_p),
        ("create_error", ctypes.CFUNCTYPE(c_void_p, POINTER(_Error))),
        ("unused", c_void_p * 3),
        ("get_stream", ctypes.CFUNCTYPE(c_void_p, POINTER(_Stream))),
    )


class Buffer(Structure):
    """An array of XLA."""

    _fields_ = (
        ("size", c_size_t),
        ("extension", c_void_p),
        ("type", c_int),
        ("data", c_void_p),
        ("rank", c_int64),
        ("extents", POINTER(c_int64)),
    )


class Buffers(Structure):
    """The arguments, or the results."""

    _fields_ = (
        ("size", c_size_t),
        ("extension", c_void_p),
        ("count", c_int64),
        ("kinds", c_void_p),
        ("buffers", POINTER(POINTER(Buffer))),
    )


class _Text(Structure):
    _fields_ = (("data", c_void_p), ("length", c_size_t))


class _Scalar(Structure):
    _fields_ = (("type", c_int), ("value", c_void_p))


class Attributes(Structure):
    """The attributes of a call: its arguments that are not arrays."""

    _fields_ = (
        ("size", c_size_t),
        ("extension", c_void_p),
        ("count", c_int64),
        ("kinds", c_void_p),
        ("names", POINTER(POINTER(_Text))),
        ("values", POINTER(POINTER(_Scalar))),
    )


class Frame(Structure):
    """One call of a handler."""

    _fields_ = (
        ("size", c_size_t),
        ("extension", POINTER(_Extension)),
        ("api", POINTER(Api)),
        ("context", c_void_p),
        ("stage", c_int),
        ("arguments", Buffers),
        ("results", Buffers),
        ("attributes", Attributes),
    )


_Handler = ctypes.CFUNCTYPE(c_void_p, POINTER(Frame))
#: The registered programs, by the names of the foreign functions. They are never deleted, because
#: XLA may call them until the process ends.
_targets: dict[str, list[Any]] = {}
_lock = threading.Lock()


def call_traced(call: Call, items: Sequence[Any]) -> list[Any]:
    """The results of a program for arguments of which some are traced by JAX.

    `items` are checked views and numbers, one for each component of a parameter. Raises
    ArgumentTypeError or ObsidianError if JAX cannot call the program.
    """
    jax: Any = importlib.import_module("jax")
    if call.program.donated:
        raise ArgumentTypeError("arrays of JAX never change: omit donate= for jax.jit")
    shapes = _shapes(call, items)
    types = [_type_of(jax, element) for element in call.elements]
    results = [jax.ShapeDtypeStruct(shape, kind) for shape, kind in zip(shapes, types)]
    arrays = [_array_of(item) for item in items if isinstance(item, View)]
    numbers = {
        f"{_NUMBER}{place}": np.float64(item) if isinstance(item, float) else np.int64(item)
        for place, item in enumerate(items)
        if not isinstance(item, View)
    }
    return list(foreign(call, results)(*arrays, **numbers))


def foreign(call: Call, results: Sequence[Any]) -> Callable[..., Sequence[Any]]:
    """The foreign function of a program, whose results have JAX's shapes and types `results`.

    Elements keep their bits: an unsigned type stands for the type of obs with the same length. A
    result without dimensions may be an array of one element of the program.
    """
    ffi: Any = importlib.import_module("jax.ffi")
    function: Callable[..., Sequence[Any]] = ffi.ffi_call(
        _register(ffi, call), results, vmap_method="sequential"
    )
    return function


def _array_of(view: View) -> Any:
    """The value that JAX receives for a view."""
    if isinstance(view, Traced):
        return view.owner
    if view.framework.name == "JAX":
        return view.owner[0]
    if view.device != CPU:
        raise ArgumentTypeError(
            f"an array of {view.framework.name} is {place_of(view.device)}: in jax.jit, pass "
            "jax.dlpack.from_dlpack(x)"
        )
    return view.framework.to_host(view)


def _type_of(jax: Any, element: str) -> Any:
    """JAX's type of the elements of a result."""
    if element == "bf16":
        return jax.numpy.bfloat16
    dtype = DTYPES["i64" if element == "index" else element]
    if dtype.itemsize == 8 and not jax.config.jax_enable_x64:
        raise ArgumentTypeError(
            f"a result has elements of type {element}, and JAX has 64 bits only with "
            "jax.config.update('jax_enable_x64', True)"
        )
    return dtype


def _shapes(call: Call, items: Sequence[Any]) -> list[tuple[int, ...]]:
    """The extents of each component of the results."""
    known: list[tuple[Any, ...]] = [
        result.extents if isinstance(result, ArrayType) else ()
        for result in call.program.results
        for _ in (result.element.leaves if isinstance(result, ArrayType) else (None,))
    ]
    if all(None not in extents for extents in known):
        return known
    extents = ResultExtents(json.loads(call.show("contract")))
    sizes: dict[str, Any] = {}
    for name, item, is_array in zip(extents.names, items, _are_arrays(call)):
        if is_array:
            sizes[name] = item.shape
        elif not isinstance(item, Traced):
            sizes[name] = item
    found = []
    for number, static in enumerate(known):
        try:
            found.append(static if None not in static else extents.of(number, sizes))
        except KeyError as name:
            raise ArgumentTypeError(
                f"the extents of a result depend on {name.args[0]}, which is traced by JAX: make "
                "it static, as in jax.jit(f, static_argnames=...)"
            ) from None
    return found


def _are_arrays(call: Call) -> list[bool]:
    """If each component of the parameters is an array."""
    return [p.number is None for p in call.parameters for _ in range(p.components)]


def _register(ffi: Any, call: Call) -> str:
    """The name of the foreign function of a program.

    It is a hash of the program, because JAX stores compiled functions on disk by these names.
    """
    name = f"obsidian_{call.artifact.key}"
    with _lock:
        if name not in _targets:
            handlers = [_Handler(handler(call, run)) for run in (run_on_host, run_on_gpu)]
            for handle, platform in zip(handlers, ("cpu", "CUDA")):
                ffi.register_ffi_target(name, ffi.pycapsule(handle), platform=platform)
            _targets[name] = handlers
    return name


Run = Callable[["Call", Any, list[Any], list[Any]], None]


def handler(call: Call, run: Run) -> Callable[[Any], int | None]:
    """The handler that XLA calls for a program; `run` is that of a platform."""

    def handle(pointer: Any) -> int | None:
        frame = pointer.contents
        try:
            if frame.extension and frame.extension.contents.type == _METADATA:
                metadata = frame.extension.contents.metadata.contents
                # XLA refuses a handler of another major version. Minor versions only add members.
                metadata.version.major = 0
                metadata.version.minor = frame.api.contents.version.minor
                metadata.traits = 0
            elif frame.stage == _EXECUTE:
                given, results = _buffers(frame.arguments), _buffers(frame.results)
                run(call, frame, _merge(call, given, _numbers(frame.attributes)), results)
        except BaseException as error:
            # An exception cannot pass through XLA. JAX raises an exception with this text.
            text = str(error) or type(error).__name__
            message = _Error(ctypes.sizeof(_Error), None, text.encode(), _INTERNAL)
            return int(frame.api.contents.create_error(message))
        return None

    return handle


def _buffers(given: Any) -> list[Any]:
    return [given.buffers[i].contents for i in range(given.count)]


def _numbers(given: Any) -> dict[int, Any]:
    """The numbers among the attributes, by the position of the argument."""
    found: dict[int, Any] = {}
    for i in range(given.count):
        text = given.names[i].contents
        name = ctypes.string_at(text.data, text.length).decode()
        scalar = given.values[i].contents
        dtype = DTYPES[_TYPES[scalar.type]]
        raw = ctypes.string_at(scalar.value, dtype.itemsize)
        found[int(name.removeprefix(_NUMBER))] = np.frombuffer(raw, dtype)[0].item()
    return found


def _merge(call: Call, buffers: Sequence[Any], numbers: dict[int, Any]) -> list[Any]:
    """Buffers and numbers in the order of the program."""
    rest = iter(buffers)
    return [numbers[i] if i in numbers else next(rest) for i in range(len(_are_arrays(call)))]


def _shape_of(buffer: Any) -> tuple[int, ...]:
    return tuple(buffer.extents[: buffer.rank])


def _on_host(buffer: Any) -> Any:
    """A buffer in the memory of the host as a NumPy array; the bits of bf16 are uint16."""
    dtype, shape = DTYPES[_TYPES[buffer.type]], _shape_of(buffer)
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    if not size:
        return np.empty(shape, dtype)
    memory: Any = (ctypes.c_char * size).from_address(buffer.data)
    return np.frombuffer(memory, dtype).reshape(shape)


def _number(call: Call, place: int, array: Any, element: str) -> Any:
    """An element that is a number of the program."""
    value = array[()]
    if element == "bf16":
        value = (array.astype(np.uint32) << 16).view(np.float32)[()]
    return number_of_type(call.program.parameters, place, value)


def run_on_host(call: Call, frame: Any, items: list[Any], results: list[Any]) -> None:
    """Run a program on the emulator, from and to buffers in the memory of the host."""
    del frame
    values = []
    for place, (item, is_array) in enumerate(zip(items, _are_arrays(call))):
        array = _on_host(item) if isinstance(item, Buffer) else item
        if not is_array and isinstance(item, Buffer):
            array = _number(call, place, array, _TYPES[item.type])
        values.append(array)
    found = call.backend.run(call.artifact, values, len(results), RunOptions())
    for result, buffer in zip(found, results):
        _check(result.shape, buffer)
        target = _on_host(buffer)
        np.copyto(target, result.view(target.dtype).reshape(target.shape))


class _Target:
    """A buffer of XLA for a result."""

    def __init__(self, pointer: int, size: int) -> None:
        self.pointer, self.size = pointer, size


class XlaAllocator(PoolAllocator):
    """The buffers of XLA for the results, and the pool of the driver for other memory.

    Most programs allocate in the same order in each run. This object remembers which allocation
    became which result. In the next run, this allocation gets the buffer of XLA, so that the
    result needs no copy. If the order has changed, a result is in other memory.
    """

    def __init__(self, index: int, element: str) -> None:
        """See `Allocator`."""
        super().__init__(index, element)
        self._results: dict[int, int] = {}
        self._numbers: dict[int, int] = {}
        self._allocated = self._taken = 0

    def allocate(self, size: int) -> int:
        """See `Allocator`."""
        number = self._allocated
        self._allocated += 1
        pointer, room = self.targets[self._results[number]] if number in self._results else (0, 0)
        if not pointer or size > room or pointer in self.blocks:
            pointer = super().allocate(size)
        else:
            self.blocks[pointer] = _Target(pointer, size)
        self._numbers[pointer] = number
        return pointer

    def take(self, pointer: int, shape: tuple[int, ...], element: str) -> Any:
        """See `Allocator`."""
        if pointer in self.blocks:
            self._results[self._numbers[pointer]] = self._taken
        self._taken += 1
        return super().take(pointer, shape, element)

    def forget(self) -> None:
        """See `Allocator`."""
        super().forget()
        self._numbers.clear()
        self._allocated = self._taken = 0


def run_on_gpu(call: Call, frame: Any, items: list[Any], results: list[Any]) -> None:
    """Run a program on a GPU, on the stream of JAX. The host waits for traced numbers only."""
    given = _Stream(ctypes.sizeof(_Stream), None, frame.context)
    error = frame.api.contents.get_stream(given)
    if error:
        raise ObsidianError("JAX has no stream for the program")
    stream = given.stream or LEGACY_STREAM
    pointers = (b.data for b in (*items, *results) if isinstance(b, Buffer) and b.data)
    index = driver().device_of(next(pointers, 0))
    values = []
    for place, (item, is_array) in enumerate(zip(items, _are_arrays(call))):
        if isinstance(item, Buffer):
            element, shape = _TYPES[item.type], _shape_of(item)
            view = View(PLAIN, index, item.data or 0, shape, element, None)
            if is_array:
                item = view
            else:
                array = DeviceArray(None, index, item.data, shape, element, stream).numpy()
                item = _number(call, place, array, element)
        values.append(item)
    artifact = call.artifact
    places = [n for n, (_, rank) in enumerate(artifact.results) if rank >= 0]
    targets = [(results[n].data or 0, _size_of(results[n])) for n in places]
    count = len(results)
    found = call.backend.run_on_gpu(artifact, values, count, stream, XlaAllocator, index, targets)
    for result, buffer in zip(found, results):
        _check(result.shape, buffer)
    # A result in the buffer of another result moves first.
    for place in places:
        size, source = _size_of(results[place]), found[place].pointer
        if source != results[place].data and any(p <= source < p + n for p, n in targets):
            found[place] = block = PoolBlock(index, size, stream)
            if not block.pointer:
                raise ObsidianError(f"GPU {index} has no {size} bytes left")
            driver().copy(index, block.pointer, source, size, stream)
    for result, buffer in zip(found, results):
        size = _size_of(buffer)
        if isinstance(result, np.generic):
            data = np.asarray(result)
            driver().upload(index, buffer.data, data.__array_interface__["data"][0], size, stream)
        elif size and result.pointer != buffer.data:
            driver().copy(index, buffer.data, result.pointer, size, stream)


def _size_of(buffer: Any) -> int:
    """The bytes of a buffer."""
    return math.prod(_shape_of(buffer)) * int(DTYPES[_TYPES[buffer.type]].itemsize)


def _check(shape: Sequence[int], buffer: Any) -> None:
    expected = _shape_of(buffer)
    if tuple(shape) != expected and (expected or tuple(shape) != (1,)):
        raise ObsidianError(f"a result has the extents {tuple(shape)}, not {_shape_of(buffer)}")

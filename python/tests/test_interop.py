"""Arrays of other libraries, on the emulator, and on a GPU that only pretends."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest

import obsidian as obs
from obsidian import (
    Pull,
    bf16,
    calls,
    device_arrays,
    f32,
    i1,
    i8,
    i32,
    index,
    interop,
    native,
    views,
)
from obsidian.backend import CompileOptions, RunOptions
from obsidian.calls import Call
from obsidian.device_arrays import DeviceArray
from obsidian.extents import ResultExtents

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = Path(os.environ.get("OBS_LIBRARY", ROOT / "build" / "lib" / "libobsidian.so"))
#: The driver of the unit tests: kernels do nothing, and its memory is that of the host.
FAKE_CUDA = ROOT / "build-asserts" / "unittests" / "Runtime" / "libObsFakeCuda.so"
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


@obs.jit
def kept(a: Annotated[Pull, "n", i32]) -> Any:
    found, count = obs.force(*a.compact(a.map(lambda v: v > 0)))
    return found.take(count[0])


@pytest.fixture(scope="module")
def backend() -> Iterator[native.NativeBackend]:
    os.environ.setdefault("OBS_CUDA_DRIVER", str(FAKE_CUDA))
    yield native.NativeBackend(LIBRARY)


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


# ------------------------------------------------------------------------------ Detection


def test_what_is_no_array_has_no_view() -> None:
    for value in (1, 2.0, True, "text", (1, 2), [1], np.float32(1), None, object()):
        assert interop.view_of(value) is None
    assert "torch" not in sys.modules
    assert "cupy" not in sys.modules


@pytest.mark.parametrize(
    "make",
    [
        lambda a: a,
        Exporter,
        memoryview,
        bytearray,
        lambda a: Described("__array_interface__", a),
        lambda a: a.view(type("Sub", (np.ndarray,), {})),
    ],
)
def test_arrays_of_the_host_share_their_memory(make: Any) -> None:
    array = np.arange(6, dtype=np.uint8)
    view = interop.view_of(make(array))
    assert view is not None
    assert (view.device, view.shape, view.element) == (views.CPU, (6,), "u8")
    assert view.framework.to_host(view).tolist() == [0, 1, 2, 3, 4, 5]
    if make is not bytearray:
        assert view.pointer == array.ctypes.data


@pytest.mark.parametrize("make", [lambda a: a, Exporter])
def test_arrays_that_are_not_contiguous_are_copied(make: Any) -> None:
    array = np.arange(12, dtype=np.int32).reshape(3, 4)
    for part in (array.T, array[:, ::2], array[::-1]):
        view = interop.view_of(make(part))
        assert view is not None
        assert view.copied
        np.testing.assert_array_equal(view.framework.to_host(view), part)
    empty = interop.view_of(make(np.zeros((0, 3), np.float64)))
    assert empty is not None
    assert (empty.shape, empty.element, empty.nbytes) == ((0, 3), "f64", 0)


def test_types_that_the_language_lacks() -> None:
    with pytest.raises(obs.ArgumentTypeError, match="elements of type complex64"):
        interop.view_of(np.zeros(3, np.complex64))
    with pytest.raises(obs.ArgumentTypeError, match="elements of type >i4"):
        interop.view_of(np.zeros(3, ">i4"))
    with pytest.raises(obs.ArgumentTypeError, match="type 5 with 64 bits"):
        interop.view_of(Exporter(np.zeros(3, np.complex64)))


# ------------------------------------------------------------------------------ The emulator


@needs_library
def test_calls_take_arrays_of_the_host(backend: native.NativeBackend) -> None:
    call = call_of(saxpy, backend)
    x = np.arange(5, dtype=np.float32)
    for given in (x, Exporter(x), memoryview(x), Described("__array_interface__", x)):
        found = call([2.0, given, x])
        assert type(found) is np.ndarray
        assert found.tolist() == [0, 3, 6, 9, 12]
    for options in (RunOptions(device="interpret"), RunOptions(check=True)):
        assert call([np.float32(2), x, x[::-1]], options).tolist() == [4, 5, 6, 7, 8]
    assert call([np.array(2.0), x, x]).tolist() == [0, 3, 6, 9, 12]
    with pytest.raises(obs.ArgumentError, match="y is not contiguous"):
        call([2.0, x, x[::-1]], copy=False)


@needs_library
def test_tuples_bounds_and_numbers(backend: native.NativeBackend) -> None:
    call = call_of(pairs, backend)
    a, b = np.arange(4, dtype=np.int32), np.arange(4, dtype=np.uint8)
    assert call([(a, b), 7, True])[0].tolist() == [0, 2, 4, 6]
    wrong: list[tuple[Any, type[Exception], str]] = [
        (a, obs.ArgumentTypeError, "p has elements of 2 components.* not 1"),
        ((a, b[:2]), obs.ArgumentError, "the arrays of p differ"),
        ((a, 1), obs.ArgumentTypeError, "p is an array of i8, not int"),
        ((a, a), obs.ArgumentTypeError, r"elements of p are i8.* int32: .*x.astype\(np.int8\)"),
        ((a, b.reshape(2, 2)), obs.ArgumentTypeError, "p has 1 dimensions, not 2"),
        (
            (np.zeros(101, np.int32), np.zeros(101, np.int8)),
            obs.ArgumentError,
            "dimension 0 of p has 101 elements, more than 100",
        ),
    ]
    for value, kind, message in wrong:
        with pytest.raises(kind, match=message):
            call([value, 7, True])


@needs_library
def test_errors_name_the_parameter(backend: native.NativeBackend) -> None:
    call, x = call_of(saxpy, backend), np.zeros(5, np.float32)
    with pytest.raises(obs.ArgumentError, match="n is 5 in x, 4 in y"):
        call([1.0, x, x[:4]])
    with pytest.raises(obs.ArgumentTypeError, match="k is f32, and"):
        call([x, x, x])
    with pytest.raises(obs.ArgumentTypeError, match="x is an array of f32, not str"):
        call([1.0, "text", x])
    with pytest.raises(obs.ArgumentError, match="dimension 1 of a has 2 elements, not 3"):
        call_of(twice, backend)([np.zeros((2, 2), np.uint16)])


@needs_library
def test_bf16_of_other_packages(backend: native.NativeBackend) -> None:
    call = call_of(twice, backend)
    bits = np.full((1, 3), 0x3F80, np.uint16)
    assert call([bits]).tolist() == [[0x4000] * 3]
    ml_dtypes = pytest.importorskip("ml_dtypes")
    found = call([bits.view(ml_dtypes.bfloat16)])
    assert found.dtype == ml_dtypes.bfloat16
    assert found.tolist() == [[2.0] * 3]


@needs_library
def test_arrays_of_jax(backend: native.NativeBackend) -> None:
    jax = pytest.importorskip("jax")
    call, x = call_of(saxpy, backend), jax.numpy.arange(5, dtype=np.float32)
    if next(iter(x.devices())).platform != "cpu":
        pytest.skip("JAX uses a GPU")
    found = call([2.0, x, x])
    assert isinstance(found, jax.Array)
    assert found.tolist() == [0, 3, 6, 9, 12]
    with pytest.raises(obs.ArgumentTypeError, match="a traced array of JAX"):
        jax.jit(lambda v: call([2.0, v, v]))(x)


@needs_library
def test_slow_calls_say_so_once(
    backend: native.NativeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "MANY", 4)
    call, x = call_of(saxpy, backend), np.zeros(5, np.float32)
    with pytest.warns(views.PerformanceWarning, match="5 elements on the emulator"):
        call([1.0, x, x])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call([1.0, x, x])


# ------------------------------------------------------------------------------ A GPU


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

    def relaxed_capture(self) -> Any:
        return contextlib.nullcontext()


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> FakeDriver:
    fake = FakeDriver()
    for module in (calls, device_arrays, native):
        monkeypatch.setattr(module, "driver", lambda: fake)
    return fake


def on_gpu(array: Any, device: int = 0, offset: int = 0, **changes: Any) -> Any:
    """An array with `__cuda_array_interface__`, `offset` bytes after a multiple of 16."""
    memory = np.zeros(array.nbytes + 32, np.uint8)
    begin = -memory.ctypes.data % 16 + offset
    DEVICES[memory.ctypes.data + begin] = device
    moved = memory[begin : begin + array.nbytes].view(array.dtype).reshape(array.shape)
    moved[...] = array
    return Described("__cuda_array_interface__", moved, **{"version": 3, "stream": 1, **changes})


def test_cuda_array_interface(driver: FakeDriver) -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    view = interop.view_of(on_gpu(array, device=1, stream=7))
    assert view is not None
    assert (view.device, view.shape, view.element, view.stream) == (1, (2, 3), "f32", 7)
    old = interop.view_of(on_gpu(array, version=2, strides=(12, 4)))
    assert old is not None
    assert old.stream is None
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"version": 1}, "has version 1"),
        ({"mask": object()}, "has a mask"),
        ({"strides": (12, -4)}, "has negative strides"),
        ({"strides": (4, 8)}, "is not contiguous"),
        ({"typestr": "<c8"}, "elements of type complex64"),
        ({"stream": 0}, "stream 0"),
    ]
    for changes, message in wrong:
        with pytest.raises(obs.ObsidianError, match=message):
            interop.view_of(on_gpu(array, **changes))


@needs_fake_cuda
def test_results_are_in_memory_of_the_allocator(
    backend: native.NativeBackend, driver: FakeDriver
) -> None:
    call, x = call_of(saxpy, backend), on_gpu(np.ones(100, np.float32))
    first, second = call([2.0, x, x]), call([2.0, x, x])
    assert isinstance(first, DeviceArray)
    assert (first.shape, first.element, len(driver.live)) == ((100,), "f32", 2)
    del first
    gc.collect()
    assert len(driver.live) == 1
    assert call([2.0, second, x]).shape == (100,)
    empty = on_gpu(np.zeros(0, np.float32))
    assert call([2.0, empty, empty]).shape == (0,)
    del second
    gc.collect()
    assert not driver.live


@needs_fake_cuda
def test_results_in_arguments_share_their_memory(
    backend: native.NativeBackend, driver: FakeDriver
) -> None:
    a = on_gpu(np.arange(8, dtype=np.int32))
    found, new = call_of(same, backend)([a])
    assert found.pointer == a.array.ctypes.data
    assert new.pointer in driver.live
    assert found.numpy().tolist() == [*range(8)]


@needs_fake_cuda
def test_devices_streams_and_addresses(backend: native.NativeBackend, driver: FakeDriver) -> None:
    call, ones = call_of(saxpy, backend), np.ones(8, np.float32)
    x = on_gpu(ones, stream=5)
    call([1.0, x, on_gpu(ones, stream=9)])
    assert driver.orders == [(9, 5)]
    with pytest.raises(obs.ArgumentTypeError, match="x is on GPU 0, y is on GPU 1"):
        call([1.0, x, on_gpu(ones, device=1)])
    with pytest.raises(obs.ArgumentTypeError, match="y is in the memory of the host"):
        call([1.0, x, ones])
    with pytest.raises(obs.ArgumentTypeError, match="x is on GPU 0, and the run was to emulate"):
        call([1.0, x, x], RunOptions())
    with pytest.raises(obs.ArgumentTypeError, match="k is a number, and this one is on GPU 0"):
        call([on_gpu(np.ones((), np.float32)), x, x])
    with (
        pytest.warns(views.PerformanceWarning, match="y does not begin at a multiple of 16"),
        pytest.raises(obs.ArgumentError, match="copy it first"),
    ):
        call([1.0, x, on_gpu(ones, offset=4)])
    with pytest.raises(obs.ArgumentError, match="y does not begin at a multiple of 16"):
        call([1.0, x, on_gpu(ones, offset=4)], copy=False)


@needs_fake_cuda
def test_arrays_of_the_host_on_a_gpu(backend: native.NativeBackend, driver: FakeDriver) -> None:
    a = np.arange(8, dtype=np.int32)
    found, new = call_of(same, backend)([a], RunOptions(device="cuda"))
    assert found.tolist() == a.tolist()
    assert (type(new), new.shape) == (np.ndarray, (8,))
    gc.collect()
    assert not driver.live


@needs_fake_cuda
def test_memory_that_ends(backend: native.NativeBackend, driver: FakeDriver) -> None:
    call, x = call_of(saxpy, backend), on_gpu(np.ones(100, np.float32))
    call([2.0, x, x])
    driver.is_full = True
    with pytest.raises(obs.RunError, match="out of device memory: 400 bytes"):
        call([2.0, x, x])
    with pytest.raises(obs.ObsidianError, match="no 400 bytes left"):
        call([2.0, x.array, x.array], RunOptions(device="cuda"))
    driver.is_full = False
    assert call([2.0, x, x]).shape == (100,)


@needs_fake_cuda
def test_what_an_allocator_raises_reaches_the_user(
    backend: native.NativeBackend, driver: FakeDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> int:
        raise KeyboardInterrupt

    call, x = call_of(saxpy, backend), on_gpu(np.ones(100, np.float32))
    monkeypatch.setattr(driver, "allocate", fail)
    with pytest.raises(KeyboardInterrupt):
        call([2.0, x, x])
    monkeypatch.undo()
    monkeypatch.setattr(device_arrays, "driver", lambda: driver)
    assert call([2.0, x, x]).shape == (100,)


@needs_fake_cuda
def test_a_process_that_was_forked_is_refused(
    backend: native.NativeBackend, driver: FakeDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    call, x = call_of(saxpy, backend), on_gpu(np.ones(8, np.float32))
    monkeypatch.setattr(backend, "_process", -1)
    with pytest.raises(obs.ObsidianError, match="a process that was forked"):
        call([2.0, x, x])


def test_device_arrays_have_both_interfaces(driver: FakeDriver) -> None:
    source = on_gpu(np.arange(6, dtype=np.int32).reshape(2, 3))
    view = interop.view_of(source)
    assert view is not None
    array = DeviceArray(source, 0, view.pointer, view.shape, view.element, 5)
    assert repr(array) == "<DeviceArray of 2x3 i32 on GPU 0>"
    assert array.numpy().tolist() == [[0, 1, 2], [3, 4, 5]]
    other = Exporter(array)
    borrowed = interop.view_of(other)
    assert borrowed is not None
    assert (borrowed.pointer, borrowed.shape, borrowed.element) == (view.pointer, (2, 3), "i32")
    assert driver.orders == [(5, 1)]
    again = interop.view_of(array)
    assert again is not None
    assert (again.pointer, again.stream) == (view.pointer, 5)


# ------------------------------------------------------------------------------ Extents


@needs_library
def test_extents_of_results(backend: native.NativeBackend) -> None:
    def extents(function: Any) -> ResultExtents:
        artifact = backend.compile(program_of(function).text, CompileOptions())
        return ResultExtents(json.loads(backend.show(artifact, "contract")[0]))

    assert extents(saxpy).of(0, {"k": 1, "x": (77,), "y": (77,)}) == (77,)
    assert extents(same).of(0, {"a": (5,)}) == (5,)
    with pytest.raises(obs.ObsidianError, match="the host reads an element"):
        extents(kept).of(0, {"a": (5,)})


def test_extents_through_loops_and_branches() -> None:
    def extents(steps: list[Any], value: str) -> ResultExtents:
        parameters = [{"name": "a", "rank": 1}, {"name": "k"}]
        function = {"parameters": parameters, "results": [{"value": value}], "steps": steps}
        return ResultExtents({"functions": [function], "kernels": []})

    first = {"step": "allocate", "name": "v0", "extents": ["uceildiv(dim(a, 0), max(k, 4))"]}
    second = {"step": "allocate", "name": "v1", "extents": ["uceildiv(dim(a, 0), max(k, 4))"]}
    other = {"step": "allocate", "name": "v1", "extents": ["umin(k, 9)"]}

    def loop(kind: str, **members: Any) -> Any:
        carried = [{"name": "v2", "initial": "v0"}]
        return {"step": kind, "carried": carried, "results": ["v4"], "steps": [], **members}

    swap = loop("for", name="v3", next=["select(k, v1, v2)"])
    until = loop("while", test=[], names=["v3"], passed=["v2"], next=["v3"])
    branch = {"step": "if", "results": ["v4"], "thenValues": ["v0"], "elseValues": ["v1"]}
    sizes = {"a": (9,), "k": 2}
    for step in (swap, until, branch):
        assert extents([first, second, step], "v4").of(0, sizes) == (3,)
    for step in (swap, branch):
        with pytest.raises(obs.ObsidianError, match="which way the program takes"):
            extents([first, other, step], "v4").of(0, sizes)
    assert extents([first, other], "v1").of(0, sizes) == (2,)
    assert extents([], "a").of(0, sizes) == (9,)
    alias = {"step": "allocate", "name": "v5", "extents": ["(dim(v0, 0) << 1)"]}
    assert extents([first, alias], "v5").of(0, sizes) == (6,)
    with pytest.raises(obs.ObsidianError, match="they come from v9"):
        extents([], "v9").of(0, sizes)

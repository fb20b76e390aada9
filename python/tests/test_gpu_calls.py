"""Arrays of a GPU, on a driver that pretends; and the extents of results before a run."""

from __future__ import annotations

import gc
import importlib
import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from foreign import (
    FAKE_CUDA,
    LIBRARY,
    Exporter,
    FakeDriver,
    call_of,
    increment,
    kept,
    needs_fake_cuda,
    needs_library,
    on_gpu,
    program_of,
    same,
    saxpy,
)

import obsidian as obs
from obsidian import calls, device_arrays, interop, native, timing
from obsidian.backend import CompileOptions, RunOptions
from obsidian.device_arrays import DeviceArray
from obsidian.driver import Driver
from obsidian.errors import PerformanceWarning
from obsidian.extents import ResultExtents


@pytest.fixture(scope="module")
def backend() -> Iterator[native.NativeBackend]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OBS_CUDA_DRIVER", str(FAKE_CUDA))
        yield native.NativeBackend(LIBRARY)


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> FakeDriver:
    fake = FakeDriver()
    for module in (calls, device_arrays, native, timing):
        monkeypatch.setattr(module, "driver", lambda: fake)
    return fake


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
def test_donated_arguments(backend: native.NativeBackend, driver: FakeDriver) -> None:
    call, numbers = call_of(increment, backend), np.arange(8, dtype=np.int32)
    a = on_gpu(numbers)
    found = call([a])
    assert found.pointer == a.array.ctypes.data
    assert not driver.live
    assert call([found]).pointer == found.pointer
    for wrong, message in (
        (on_gpu(numbers, offset=4), "does not begin at a multiple of 16"),
        (on_gpu(numbers, data=(a.array.ctypes.data, True)), "read-only: pass a copy"),
        (Exporter(found), "read-only: pass a copy"),
    ):
        with pytest.raises(obs.ArgumentError, match=message):
            call([wrong])


@needs_fake_cuda
def test_bench(
    backend: native.NativeBackend, driver: FakeDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("jit", "tools"):
        module = importlib.import_module(f"obsidian.{name}")
        monkeypatch.setattr(module, "backend", lambda: backend)
    function = obs.jit(saxpy.__wrapped__)
    x, y = on_gpu(np.ones(100, np.float32)), on_gpu(np.ones(100, np.float32))
    report = function.bench(2.0, x, y, repeat=3)
    assert (report.device, len(report.seconds), report.bytes) == ("cuda", 3, 1200)
    assert driver.orders == [(1, 1)] * 4
    assert report.copy_bytes_per_second is None
    monkeypatch.setattr(device_arrays.Plain, "copy", lambda self, view: view)
    report = function.bench(2.0, x, y, repeat=3)
    assert report.copy_bytes_per_second > 0
    assert "a copy of the largest argument has" in str(report)


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
        pytest.warns(PerformanceWarning, match="y does not begin at a multiple of 16"),
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
    monkeypatch.setattr(native, "_forks", 1)
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


@needs_fake_cuda
def test_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    """The calls of the driver itself, whose memory here is that of the host."""
    monkeypatch.setenv("OBS_CUDA_DRIVER", str(FAKE_CUDA))
    one, stream = Driver(), 1
    source, middle, target = np.arange(9, dtype=np.int64), np.zeros(9), np.zeros(9, np.int64)
    places = [a.ctypes.data for a in (source, middle, target)]
    one.upload(0, places[1], places[0], source.nbytes, stream)
    one.download(0, places[2], places[1], source.nbytes, stream)
    one.synchronize(0, stream)
    assert target.tolist() == source.tolist()
    one.order(0, stream, stream)
    one.order(0, stream, 2)
    assert one.device_of(0) == 0
    with pytest.raises(obs.ObsidianError, match="cuDeviceGet"):
        one.enter(99)
    monkeypatch.setenv("OBS_CUDA_DRIVER", "/nowhere/libcuda.so")
    with pytest.raises(obs.ObsidianError, match="there is no CUDA driver"):
        Driver()


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
    for text, message in (
        ("log2(k)", r"the contract has the function log2"),
        ("k if k else 1", r"the contract has k if k else 1"),
    ):
        unknown = {"step": "allocate", "name": "v1", "extents": [text]}
        with pytest.raises(obs.ObsidianError, match=message):
            extents([unknown], "v1").of(0, sizes)
    step = loop("for", name="v3", next=["v0"], passed=["f(v0)"])
    with pytest.raises(obs.ObsidianError, match=r"an array is f\(v0\)"):
        extents([first, step], "v4").of(0, sizes)
    with pytest.raises(obs.ObsidianError, match=r"no steps for foo\.bar"):
        ResultExtents(
            {"functions": [{"parameters": [], "unsupported": "foo.bar"}], "kernels": []}
        ).of(0, sizes)
    alias = {"step": "allocate", "name": "v5", "extents": ["(dim(v0, 0) << 1)"]}
    assert extents([first, alias], "v5").of(0, sizes) == (6,)
    cast = {"step": "cast", "name": "v6", "array": "v0", "extents": ["-1"]}
    part = {"step": "part", "name": "v7", "array": "v6", "extents": ["2", "k"], "dropped": [0]}
    assert extents([first, cast], "v6").of(0, sizes) == (3,)
    assert extents([first, cast, part], "v7").of(0, sizes) == (2,)
    let = {"step": "let", "name": "v8", "op": "arith.addui_extended"}
    unknown = {"step": "allocate", "name": "v10", "extents": ["v8"]}
    with pytest.raises(obs.ObsidianError, match="they depend on v8"):
        extents([let, unknown], "v10").of(0, sizes)
    with pytest.raises(obs.ObsidianError, match="they come from v9"):
        extents([], "v9").of(0, sizes)

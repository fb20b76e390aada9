"""The accelerator: it makes the calls that test_fast_calls.py describes, and keeps nothing."""

from __future__ import annotations

import gc
import importlib
import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import cupy_double as cupy
import numpy as np
import pytest
import torch_double as torch
from foreign import (
    FAKE_CUDA,
    LIBRARY,
    FakeDriver,
    call_of,
    kept,
    needs_fake_cuda,
    same,
    saxpy,
    twice,
)
from torch_double import DTYPES, Tensor

import obsidian as obs
from obsidian import Pull, accelerator, calls, f32, frameworks, i32, interop, native
from obsidian.calls import Call

needs_accelerator = pytest.mark.skipif(
    accelerator.accelerator() is None, reason="the accelerator is not built"
)


@pytest.fixture
def backend(monkeypatch: pytest.MonkeyPatch) -> Iterator[native.NativeBackend]:
    """The compiler, a driver that pretends, and a PyTorch and a CuPy for it."""
    monkeypatch.setenv("OBS_CUDA_DRIVER", str(FAKE_CUDA))
    fake = FakeDriver()
    for module in (calls, native):
        monkeypatch.setattr(module, "driver", lambda: fake)
    monkeypatch.setattr(frameworks, "_torch", None)
    with torch.installed(), cupy.installed():
        monkeypatch.setattr(interop, "_frameworks", {})
        monkeypatch.setattr(interop, "_classes", dict(interop._classes))
        yield native.NativeBackend(LIBRARY)


def tensor(values: Any, dtype: str = "float32") -> Tensor:
    """A tensor on the GPU, at a multiple of 16 bytes."""
    values = np.asarray(values, DTYPES[dtype].numpy)
    array = cupy.alloc(values.nbytes).owner.view(values.dtype).reshape(values.shape)
    array[...] = values
    return Tensor(array, DTYPES[dtype], "cuda")


def is_accelerated(call: Call) -> bool:
    return call.accelerated is not None


def instances() -> int:
    """The programs and functions in the accelerator."""
    # The programs of earlier tests go with their compiler.
    gc.collect()
    gc.collect()
    module = accelerator.accelerator()
    return sum(type(o) in (module.Call, module.Entry) for o in gc.get_objects())


@needs_fake_cuda
@needs_accelerator
def test_calls_are_accelerated(backend: native.NativeBackend) -> None:
    call, x = call_of(saxpy, backend), tensor(np.ones(8))
    call([2.0, x, x])
    assert is_accelerated(call)
    assert call._fast is not None
    assert call._fast.__self__ is call.accelerated  # type: ignore[attr-defined]


@needs_fake_cuda
def test_cupy(backend: native.NativeBackend) -> None:
    """CuPy, with and without the accelerator."""
    call, x = call_of(saxpy, backend), cupy.array(np.ones(8), np.float32)
    first = call([2.0, x, x])
    fast = call._fast
    assert fast is not None
    assert is_accelerated(call) == (accelerator.accelerator() is not None)
    for n in (8, 8, 31, 0):
        y = cupy.array(np.ones(n), np.float32)
        (found,) = fast([2.0, y, y]) or []
        assert (type(found), found.shape, found.dtype) == (cupy.ndarray, (n,), np.float32)
        assert found.data.ptr != first.data.ptr
    (loaded,) = call.artifact.on_gpus.values()
    assert list(loaded.arguments.memory)[2::2] == [0, 0]
    strided = cupy.array(np.ones(8), np.float32)
    strided.flags.c_contiguous = False
    elsewhere = cupy.array(np.ones(8), np.float32)
    elsewhere.data.device_id = 1
    moved = cupy.ndarray((7,), np.float32, x.data + 4)
    for other in (strided, elsewhere, moved, cupy.array(np.ones(8)), cupy.array(np.ones(9), "f4")):
        assert fast([2.0, x, other]) is None
    call = call_of(same, backend)
    a = cupy.array([1, 2, 3], np.int32)
    for _ in range(3):
        found, new = call([a])
        assert found.data.ptr == a.data.ptr
        assert (new.shape, new.dtype) == ((3,), np.int32)


@needs_fake_cuda
@pytest.mark.parametrize("shapes", [[(5, 3)] * 3, [(1, 3), (2, 3), (1, 3), (0, 3), (0, 3)]])
def test_shapes_of_results(backend: native.NativeBackend, shapes: list[tuple[int, int]]) -> None:
    call = call_of(twice, backend)
    for shape in shapes:
        found = call([tensor(np.ones(shape), "bfloat16")])
        assert (found.shape, found.dtype) == (shape, DTYPES["bfloat16"])


@obs.jit
def outer_sum(a: Annotated[Pull, "n", f32], b: Annotated[Pull, "m", f32]) -> Any:
    return obs.generate(a.size, b.size)(lambda i, j: a[i] + b[j])


@needs_fake_cuda
def test_shapes_of_equal_size(backend: native.NativeBackend) -> None:
    call = call_of(outer_sum, backend)
    for n, m in ((3, 4), (3, 4), (4, 3), (2, 6), (2, 6), (12, 1), (0, 5), (7, 0)):
        assert call([tensor(np.ones(n)), tensor(np.ones(m))]).shape == (n, m)


@needs_fake_cuda
def test_a_call_in_a_call(backend: native.NativeBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    """The allocator of a framework may run any code, such as a call of another program."""
    call, x = call_of(saxpy, backend), tensor(np.ones(8))
    other = call_of(outer_sum, backend)
    found = [call([2.0, x, x]), other([x, x]), call([2.0, x, x]), other([x, x])]

    def call_other() -> None:
        monkeypatch.setattr(Tensor, "hook", None)
        found.append(other([x, x]))

    monkeypatch.setattr(Tensor, "hook", call_other)
    found.append(call([2.0, x, x]))
    assert [one.shape for one in found] == [(8,), (8, 8), (8,), (8, 8), (8, 8), (8,)]
    assert len({one.data_ptr() for one in found}) == 6


@needs_fake_cuda
def test_blocks_are_freed(backend: native.NativeBackend) -> None:
    """Only results survive a run, and each result of another size is right."""
    call = call_of(kept, backend)
    for n in (1000, 10, 1000, 1000, 33):
        found = call([tensor(np.ones(n), "int32")])
        assert found.dtype is DTYPES["int32"]
    del found
    gc.collect()
    before = sum(type(o) is Tensor for o in gc.get_objects())
    for _ in range(10):
        call([tensor(np.ones(50), "int32")])
        assert sum(type(o) is Tensor for o in gc.get_objects()) == before


@needs_fake_cuda
@needs_accelerator
def test_nothing_leaks(backend: native.NativeBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    before = instances()
    call, x, y = call_of(saxpy, backend), tensor(np.ones(8)), tensor(np.ones(9))
    pair, a = call_of(same, backend), tensor([1, 2], "int32")
    other = call_of(twice, backend)
    other([tensor(np.ones((2, 3)), "bfloat16")])
    watched = [x, y, a, DTYPES["float32"], None, True, saxpy, backend._lock, 1.5]

    def fail() -> None:
        raise MemoryError

    def work(call: Call, pair: Call) -> None:
        for _ in range(20):
            call([1.5, x, x])
            pair([a])
            with pytest.raises(obs.ArgumentError):
                call([1.5, x, y])
        monkeypatch.setattr(Tensor, "hook", fail)
        for _ in range(20):
            with pytest.raises(MemoryError):
                call([1.5, x, x])
        monkeypatch.setattr(Tensor, "hook", None)

    work(call, pair)
    gc.collect()
    counts = [sys.getrefcount(one) for one in watched]
    for _ in range(5):
        work(call, pair)
    gc.collect()
    # None has other users.
    after = [sys.getrefcount(one) for one in watched]
    assert all(abs(one - other) < 20 for one, other in zip(counts, after)), (counts, after)
    assert instances() == before + 3
    del call, pair
    gc.collect()
    # The next use of the compiler destroys the programs, also if it is a fast call.
    rows = tensor(np.ones((2, 3)), "bfloat16")
    assert len(backend._dead) == 4
    other([rows])
    assert not backend._dead
    assert instances() == before + 1


@needs_fake_cuda
def test_threads(backend: native.NativeBackend) -> None:
    """Each thread gets results of the extents of its arguments."""
    call = call_of(saxpy, backend)
    call([2.0, tensor(np.ones(1)), tensor(np.ones(1))])
    wrong: list[Any] = []

    def work(n: int) -> None:
        x = tensor(np.ones(n))
        for _ in range(300):
            try:
                found = call([2.0, x, x])
            except BaseException as error:
                wrong.append(error)
                return
            if found.shape != (n,):
                wrong.append((n, found.shape))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 9)]
    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(switch)
    assert not wrong


@needs_fake_cuda
def test_fork(backend: native.NativeBackend) -> None:
    call, x = call_of(saxpy, backend), tensor(np.ones(8))
    call([2.0, x, x])
    call([2.0, x, x])
    with warnings.catch_warnings():
        # Python warns because other tests have left threads.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        try:
            call([2.0, x, x])
        except obs.ObsidianError as error:
            os._exit(7 if "a process that was forked" in str(error) else 1)
        os._exit(2)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 7
    assert call([2.0, x, x]).shape == (8,)


@needs_fake_cuda
def test_functions(backend: native.NativeBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    """A whole call of the user: captured values may change, and results lie in arguments."""
    monkeypatch.setattr(importlib.import_module("obsidian.jit"), "backend", lambda: backend)
    scale = 2.0

    @obs.jit
    def shifted(a: Annotated[Pull, "n", f32]) -> Any:
        return a * scale + len((1, 2)) + _counted

    @obs.jit
    def both(a: Annotated[Pull, "n", i32]) -> Any:
        return a, (a + 1).force()

    x = tensor(np.ones(8))
    is_there = accelerator.accelerator() is not None

    def check(programs: int) -> None:
        """A call with new values compiles a program, and later ones are accelerated."""
        before = shifted._entry
        for _ in range(3):
            assert shifted(x).shape == (8,)
        assert len(shifted._programs) == programs
        assert (shifted._entry is not before) == is_there

    check(1)
    scale = 3.0
    check(2)
    monkeypatch.setitem(globals(), "_counted", 1)
    check(3)
    with pytest.raises(obs.ArgumentTypeError, match="missing"):
        shifted()
    with pytest.raises(obs.ArgumentTypeError, match="a has 1 dimensions, not 2"):
        shifted(tensor(np.ones((2, 2))))
    # Arrays of the host, and then those of the GPU.
    assert shifted(np.ones(2, np.float32)).tolist() == [6, 6]
    assert shifted(x).shape == (8,)
    a = tensor([1, 2, 3], "int32")
    for _ in range(4):
        found, new = both(a)
        assert found.array.ctypes.data == a.array.ctypes.data
        assert new.array.ctypes.data != a.array.ctypes.data
    assert (both._entry is not None) == is_there
    shifted.forget()
    assert shifted._entry is None

    @obs.jit
    def outer(a: Annotated[Pull, "n", i32]) -> Any:
        return both(a)[1] + 1

    @obs.jit
    def columns(a: Annotated[Pull, "n", "static m", None]) -> Any:
        return a + a.shape[1]

    # The types of arguments may choose the program: its call refuses other types.
    wide, narrow = tensor(np.ones((2, 8))), tensor(np.ones((2, 3)))
    for argument in (wide, wide, narrow, wide, tensor(np.ones((1, 8)), "int32"), narrow):
        assert columns(argument).shape == argument.shape
        assert (columns._entry is not None) == is_there
        if is_there:
            others = {id(x): x for x in (wide, narrow)}.values()
            assert [columns._entry((x,)) is not None for x in others] == [
                x is argument for x in others
            ]
    assert len(columns._programs) == 3

    # A function that is traced calls the function, and not its program.
    assert "arith.constant" in outer.mlir()
    assert outer(np.int32([1])).tolist() == [3]


_counted = 0


@needs_accelerator
def test_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    named = os.environ.get("OBS_ACCELERATOR")
    monkeypatch.setattr(accelerator, "_VERSION", 0)
    with pytest.warns(obs.PerformanceWarning, match="has version 2, and this package needs 0"):
        assert accelerator._load.__wrapped__(named) is None


def test_a_file_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "obsidian_accelerator.abi3.so"
    for text in (None, "nothing"):
        if text is not None:
            path.write_text(text)
        with pytest.raises(obs.ObsidianError, match=f"OBS_ACCELERATOR names {path}"):
            accelerator._load.__wrapped__(str(path))
    assert accelerator._load.__wrapped__("") is None


def test_the_package_does_not_need_it() -> None:
    """Without the module, an import of the package has no error and no warning."""
    text = (
        "import sys; sys.modules['obsidian_accelerator'] = None; "
        "import obsidian.accelerator as a; assert a.accelerator() is None"
    )
    environment = {k: v for k, v in os.environ.items() if k != "OBS_ACCELERATOR"}
    subprocess.run([sys.executable, "-W", "error", "-c", text], check=True, env=environment)

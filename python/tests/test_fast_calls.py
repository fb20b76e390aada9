"""Calls that need no preparation write the same words as any other call, or leave it alone."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Annotated, Any

import numpy as np
import pytest
import torch_double as torch
from foreign import (
    FAKE_CUDA,
    LIBRARY,
    FakeDriver,
    call_of,
    needs_fake_cuda,
    needs_library,
    pairs,
    same,
    saxpy,
    twice,
)
from torch_double import DTYPES, Tensor

import obsidian as obs
from obsidian import (
    Pull,
    calls,
    f32,
    f64,
    frameworks,
    i1,
    i8,
    i16,
    i32,
    i64,
    index,
    interop,
    native,
)
from obsidian.accelerator import accelerator
from obsidian.backend import RunOptions
from obsidian.calls import Call


@obs.jit
def numbers(
    a: Annotated[Pull, "n", i32], b: i1, c: i8, d: i16, e: i64, f: f64, g: index, h: i32
) -> Any:
    return a.map(lambda v: v + c.to(i32)), obs.where(b, d, 0), e + 1, f + 1.0, g, h


@obs.jit
def blocks(a: Annotated[Pull, "n <= 9", 4, f32], b: Annotated[Pull, 4, "n", f32]) -> Any:
    return a + b.T


#: Old versions of PyTorch, and those that describe tensors to C. Only the accelerator uses that.
VERSIONS = ["old", "new"] if accelerator() is not None else ["old"]


@pytest.fixture(params=VERSIONS)
def backend(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[native.NativeBackend]:
    """The compiler, a driver that pretends, and a PyTorch whose tensors say that they are there."""
    if request.param == "new":
        monkeypatch.setattr(Tensor, "__dlpack_c_exchange_api__", torch.exchange(), raising=False)
        monkeypatch.setattr(frameworks.Torch, "empty_strided", lambda self: torch.empty_strided)
    monkeypatch.setenv("OBS_CUDA_DRIVER", str(FAKE_CUDA))
    fake = FakeDriver()
    for module in (calls, native):
        monkeypatch.setattr(module, "driver", lambda: fake)
    monkeypatch.setattr(frameworks, "_torch", None)
    with torch.installed():
        monkeypatch.setattr(interop, "_frameworks", {})
        monkeypatch.setattr(interop, "_classes", dict(interop._classes))
        yield native.NativeBackend(LIBRARY)


def on_gpu(values: Any, dtype: str = "float32", offset: int = 0) -> Tensor:
    """A tensor that begins `offset` elements behind a multiple of 16 bytes."""
    values = np.asarray(values, DTYPES[dtype].numpy)
    memory = np.empty(values.nbytes + 64, np.uint8)
    begin = -memory.ctypes.data % 16 + offset * values.itemsize
    found = memory[begin : begin + values.nbytes].view(values.dtype).reshape(values.shape)
    found[...] = values
    return Tensor(found, DTYPES[dtype], "cuda")


def words_of(call: Call) -> list[int]:
    (loaded,) = call.artifact.on_gpus.values()
    return list(loaded.arguments.memory)


def outcome(call: Call, values: list[Any]) -> Any:
    """The words of a call, and the kinds of its results; or its error."""
    try:
        found = call(values)
    except obs.ObsidianError as error:
        return type(error), str(error)
    found = found if isinstance(found, tuple) else (found,)
    return words_of(call), [(type(one), one.shape, one.dtype) for one in found]


def compare(call: Call, values: list[Any], is_fast: bool) -> None:
    """A call is the same as without the fast one, which takes it or not."""
    general = call_of_same(call)
    expected = outcome(general, values)
    fast = call._fast
    assert fast is not None
    assert (fast(values) is not None) == is_fast
    assert outcome(call, values) == expected


def call_of_same(call: Call) -> Call:
    """The same program, whose calls are never fast."""
    other = Call(call.program, call.artifact, call.backend)
    other._fast_call = lambda first: None  # type: ignore[method-assign]
    return other


@needs_fake_cuda
@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 1000])
def test_saxpy(backend: native.NativeBackend, n: int) -> None:
    call, x, y = call_of(saxpy, backend), on_gpu(np.ones(n)), on_gpu(np.ones(n))
    call([2.0, x, y])
    for k in (2.5, -0.0, float("inf"), float("nan"), 1e-45):
        compare(call, [k, x, y], is_fast=True)
    # Numbers that Python or the type must convert, and those that do not fit.
    for other in (2, True, np.float32(3), np.float64(0.1), 1e39, "2", None):
        compare(call, [other, x, y], is_fast=False)


@needs_fake_cuda
def test_numbers(backend: native.NativeBackend) -> None:
    call, a = call_of(numbers, backend), on_gpu([1, 2], "int32")
    good = [a, True, -128, 32767, -(2**63), 1.5, 2**63 - 1, -(2**31)]
    call(good)
    compare(call, good, is_fast=True)
    compare(call, [a, False, 127, -32768, 0, -0.0, -1, 2**31 - 1], is_fast=True)
    for place, wrong in (
        (1, 1),
        (2, 128),
        (3, -32769),
        (4, 2**63),
        (5, 1),
        (6, -(2**63) - 1),
        (7, 2**31),
    ):
        compare(call, [*good[:place], wrong, *good[place + 1 :]], is_fast=False)
    compare(call, [a, True, np.int8(1), 1, 1, 1.0, 1, 1], is_fast=False)


@needs_fake_cuda
def test_extents(backend: native.NativeBackend) -> None:
    call = call_of(blocks, backend)
    call([on_gpu(np.ones((3, 4))), on_gpu(np.ones((4, 3)))])
    for n in (0, 1, 9):
        compare(call, [on_gpu(np.ones((n, 4))), on_gpu(np.ones((4, n)))], is_fast=True)
    for one, other in (((10, 4), (4, 10)), ((3, 4), (4, 2)), ((3, 5), (5, 3)), ((12,), (4, 3))):
        compare(call, [on_gpu(np.ones(one)), on_gpu(np.ones(other))], is_fast=False)


@needs_fake_cuda
@pytest.mark.filterwarnings("ignore::obsidian.PerformanceWarning")
def test_other_arrays(backend: native.NativeBackend) -> None:
    call, x = call_of(saxpy, backend), on_gpu(np.ones(8))
    call([2.0, x, x])
    negative = on_gpu(np.ones(8))
    negative.negative = True

    class Own(Tensor):
        pass

    for y in (
        on_gpu(np.ones(8), "float64"),
        on_gpu(np.ones(8, np.int32), "int32"),
        on_gpu(np.ones((2, 4))),
        Tensor(np.ones(8, np.float32), DTYPES["float32"]),
        np.ones(8, np.float32),
        Own(x.array, x.dtype, "cuda"),
        None,
    ):
        compare(call, [2.0, x, y], is_fast=False)
    # These are copied, to an address that is another each time.
    for y in (on_gpu(np.ones(16))[::2], on_gpu(np.ones(8), offset=1), negative):
        fast = call._fast
        assert fast is not None
        assert fast([2.0, x, y]) is None
        assert call([2.0, x, y]).shape == (8,)
        assert words_of(call)[3] != y.data_ptr()
    # A call with options is no such call either.
    with pytest.raises(obs.ArgumentTypeError, match="the run was to emulate"):
        call([2.0, x, x], RunOptions())


@needs_fake_cuda
def test_a_result_that_is_an_argument(backend: native.NativeBackend) -> None:
    call, a = call_of(same, backend), on_gpu([1, 2, 3], "int32")
    for _ in range(3):
        found, new = call([a])
        assert found.array.ctypes.data == a.array.ctypes.data
        assert (new.shape, new.dtype) == ((3,), DTYPES["int32"])
        assert new.array.ctypes.data != a.array.ctypes.data
    assert call._fast is not None


@needs_fake_cuda
def test_results_are_new(backend: native.NativeBackend) -> None:
    call, x = call_of(saxpy, backend), on_gpu(np.ones(8))
    found = [call([2.0, x, x]) for _ in range(4)]
    assert len({one.array.ctypes.data for one in found}) == 4


@obs.jit
def sums_of_sums(a: Annotated[Pull, "n", f32], k: f32) -> Any:
    """The first sums, of 4,000,000 bytes, are no result; short arrays are pieces of one block."""
    sums = a.scan(operator.add, 0.0).force()
    back = (sums[::-1] + k).force()
    return back, back.scan(operator.add, 0.0).force()[::-1].scan(operator.add, 0.0).force()


@needs_fake_cuda
@pytest.mark.parametrize("function", [saxpy, sums_of_sums])
def test_results_are_allocated_before_a_run(
    backend: native.NativeBackend, monkeypatch: pytest.MonkeyPatch, function: Any
) -> None:
    sizes: list[int] = []
    allocate = frameworks._TorchAllocator.allocate

    def count(self: Any, size: int) -> int:
        # Without a pool for the stream, short arrays are pieces of a block of this size.
        sizes.extend([size] if size != 1 << 15 else [])
        return allocate(self, size)

    monkeypatch.setattr(frameworks._TorchAllocator, "allocate", count)
    call = call_of(function, backend)
    seen = []
    # The blocks of a run with other extents have other sizes.
    for n in (64, 64, 64, 100, 100, 100, 100, 64, 1, *[10**6] * 4):
        x = on_gpu(np.ones(n))
        values = [2.0, x, x] if function is saxpy else [x, 3.0]
        found = call(values)
        for one in found if isinstance(found, tuple) else (found,):
            assert one.array.ctypes.data not in {other.array.ctypes.data for other in seen}
            seen.append(one)
        assert seen[-1].shape == (n,)
        sizes.append(-1)
    assert sizes[: sizes.index(-1)]
    if accelerator() is None:
        runs = [run.split() for run in " ".join(map(str, sizes)).split("-1")]
        # Blocks are prepared after two equal runs, which follow a run that had prepared others.
        for n in (2, 6, 12):
            assert runs[n] == ([] if function is saxpy or n < 10 else ["4000000"])
        (loaded,) = call.artifact.on_gpus.values()
        assert not loaded.allocator.blocks and not any(loaded.allocator.prepared[1::2])


@needs_fake_cuda
def test_parameters_of_modules(backend: native.NativeBackend) -> None:
    call, x = call_of(saxpy, backend), on_gpu(np.ones(8))
    call([2.0, x, x])
    compare(call, [2.0, torch.Parameter(x.array, x.dtype, "cuda"), x], is_fast=True)


@needs_fake_cuda
def test_programs_without_fast_calls(backend: native.NativeBackend) -> None:
    """Arrays of tuples."""
    call, values = call_of(pairs, backend), [(on_gpu([1], "int32"), on_gpu([1], "int8")), 1, True]
    call(values)
    assert call._fast is None
    call(values)
    call, rows = call_of(twice, backend), on_gpu(np.ones((2, 3)), "bfloat16")
    call([rows])
    compare(call, [rows], is_fast=True)


@obs.jit(donate="a")
def add_into(a: Annotated[Pull, "n", i32], b: Annotated[Pull, "n", i32]) -> Any:
    return (a + b).force(into=a), b


@needs_fake_cuda
def test_donated_arguments(backend: native.NativeBackend) -> None:
    call = call_of(add_into, backend)
    memory = on_gpu(np.arange(16), "int32")
    a, b = memory[:8], memory[8:]
    call([a, b])
    empty = on_gpu([], "int32")
    for values in ([a, b], [b, a], [empty, empty]):
        compare(call, values, is_fast=True)
    for _ in range(3):
        found, same_b = call([a, b])
        assert [found.data_ptr(), same_b.data_ptr()] == [a.data_ptr(), b.data_ptr()]
        assert found is not a
    needed = on_gpu(np.arange(8), "int32")
    needed.requires_grad = True
    for values in ([a, a], [memory[:8], memory[4:12]], [memory[4:12], memory[:8]], [needed, b]):
        compare(call, values, is_fast=False)
    compare(call, [a, needed], is_fast=True)


@needs_fake_cuda
def test_errors(backend: native.NativeBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    call, x = call_of(saxpy, backend), on_gpu(np.ones(8))
    call([2.0, x, x])

    def fail() -> None:
        raise KeyboardInterrupt

    for _ in range(2):
        monkeypatch.setattr(Tensor, "hook", fail)
        with pytest.raises(KeyboardInterrupt):
            call([2.0, x, x])
        monkeypatch.setattr(Tensor, "hook", None)
        assert call([2.0, x, x]).shape == (8,)
    monkeypatch.setattr(native, "_forks", native._forks + 1)
    with pytest.raises(obs.ObsidianError, match="a process that was forked"):
        call([2.0, x, x])


@needs_library
def test_static_values_by_identity() -> None:
    """Equal values of other types are others, and values that are gone leave nothing behind."""

    @obs.jit
    def scaled(a: Annotated[Pull, "n", f32], *, by: Any = 1, shift: Any = 0.0) -> Any:
        return a * (10.0 if by is True else float(by[0] if isinstance(by, tuple) else by)) + shift

    a = np.float32([1, 2])
    for _ in range(3):
        assert scaled(a).tolist() == [1, 2]
        assert scaled(a, by=1).tolist() == [1, 2]
        assert scaled(a, by=True).tolist() == [10, 20]
        assert scaled(a, by=1.0, shift=0.5).tolist() == [1.5, 2.5]
        assert scaled(a, shift=1.0, by=2).tolist() == [3, 5]
        assert scaled(a=a, by=3).tolist() == [3, 6]
        for k in range(100):
            # A new tuple each time, often where the last one was.
            assert scaled(a, by=(k % 3, "x" * k)[:1]).tolist() == [k % 3, 2 * (k % 3)]
    with pytest.raises(obs.ArgumentTypeError, match="other"):
        scaled(a, other=1)
    with pytest.raises(obs.ArgumentTypeError):
        scaled(a, a)
    assert len(scaled._known) <= 64


@needs_library
def test_captured_values_that_change() -> None:
    factor = 2.0

    @obs.jit
    def scaled(a: Annotated[Pull, "n", f32], *, shift: float = 0.0) -> Any:
        return a * factor + shift

    a = np.float32([1, 2])
    assert scaled(a, shift=1.0).tolist() == scaled(a, shift=1.0).tolist() == [3, 5]
    factor = 3.0
    assert scaled(a, shift=1.0).tolist() == [4, 7]
    assert scaled(a).tolist() == [3, 6]

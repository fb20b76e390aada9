"""Programs on a GPU with arrays of PyTorch, CuPy, JAX and others: results, streams, graphs, times.

    OBS_LIBRARY=.../libobsidian.so PYTHONPATH=python python3 python/tests/gpu_interop.py

Needs a GPU, PyTorch and CuPy; Triton and JAX where they are. Prints one object of JSON: each check
with "ok" or what went wrong, and times of a call in microseconds. The exit status is the number of
checks that failed.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import operator
import os
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "python"))

import cupy
import large_sort
import numpy as np
import torch
from gpu_times import times

import obsidian as obs
from obsidian import Pull, bf16, f32, i32, index
from obsidian.backend import CompileOptions, RunOptions
from obsidian.calls import Call
from obsidian.errors import PerformanceWarning
from obsidian.native import NativeBackend
from obsidian.torch_op import register

BACKEND = NativeBackend(os.environ["OBS_LIBRARY"])
CHECKS: list[Callable[[], object]] = []

F = Annotated[Pull, "n", f32]
I = Annotated[Pull, "n", i32]  # noqa: E741


@obs.jit(threads=256)
def saxpy(k: f32, x: F, y: F) -> Any:
    return k * x + y


@obs.jit
def total(a: I) -> Any:
    return a.sum()


@obs.jit
def scan(a: I) -> Any:
    return a.scan(operator.add, 0)


@obs.jit
def both(a: I, k: i32) -> Any:
    return (a + k).force(), a


@obs.jit
def half(a: Annotated[Pull, "n", bf16]) -> Any:
    return a + a


@obs.jit
def kept(a: I) -> Any:
    kept, count = obs.force(*a.compact(a.map(lambda v: v > 0)))
    return kept.take(count[0])


@obs.jit
def table(n: index, a: Annotated[Pull, "r", "c", f32]) -> Any:
    return a.map(lambda v: v + 1.0)


def program_of(function: Any) -> Any:
    given, static = function._bind((), {}, is_call=False)
    kinds = {name: function._parameter(name, value) for name, value in given.items()}
    return function._program(kinds, static)[0]


def call_of(function: Any) -> tuple[Call, Any]:
    """A function as a call, and its artifact."""
    artifact = BACKEND.compile(program_of(function).text, CompileOptions())
    return Call(program_of(function), artifact, BACKEND), artifact


SAXPY, SAXPY_ARTIFACT = call_of(saxpy)
TOTAL, SCAN, BOTH, HALF = (call_of(f)[0] for f in (total, scan, both, half))
KEPT, TABLE, SORT = (call_of(f)[0] for f in (kept, table, large_sort.large_sort))
LENGTHS = (0, 1, 31, 32, 33, 1000, 10**6)


def check(function: Callable[[], object]) -> Callable[[], object]:
    CHECKS.append(function)
    return function


def ints(n: int) -> torch.Tensor:
    return torch.randint(-1000, 1000, (n,), dtype=torch.int32, device="cuda")


@check
def results_equal_those_of_torch() -> None:
    for n in LENGTHS:
        x, y = torch.randn(2, n, device="cuda").unbind()
        y = y.clone()
        found = SAXPY([2.0, x, y])
        assert found.dtype == torch.float32
        assert found.device == x.device
        torch.testing.assert_close(found, 2 * x + y)
        a = ints(n)
        assert TOTAL([a]).item() == a.sum().item()
        assert torch.equal(SCAN([a]), a.cumsum(0, dtype=torch.int32))
        assert torch.equal(SORT([a]), a.sort().values)
        assert torch.equal(KEPT([a]), a[a > 0])


@check
def results_equal_those_of_cupy() -> None:
    for n in LENGTHS:
        x, y = cupy.random.rand(n, dtype=cupy.float32), cupy.ones(n, cupy.float32)
        found = SAXPY([2.0, x, y])
        assert isinstance(found, cupy.ndarray)
        cupy.testing.assert_allclose(found, 2 * x + y, rtol=1e-6)
        a = cupy.random.randint(-1000, 1000, n).astype(cupy.int32)
        assert TOTAL([a]).item() == a.sum().item()
        assert bool((SCAN([a]) == cupy.cumsum(a)).all())
        assert bool((SORT([a]) == cupy.sort(a)).all())


@check
def results_equal_those_of_the_emulator() -> None:
    x, y = np.random.default_rng(1).random((2, 1000), np.float32)
    expected = SAXPY([2.0, x, y])
    on_gpu = SAXPY([2.0, x, y], RunOptions(device="cuda"))
    assert isinstance(on_gpu, np.ndarray)
    np.testing.assert_array_equal(on_gpu, expected)
    for n in (0, 1, 1000):
        a = np.arange(n, dtype=np.int32)[::-1].copy()
        for call in (TOTAL, SCAN, SORT, KEPT):
            np.testing.assert_array_equal(call([a], RunOptions(device="cuda")), call([a]))


@check
def a_call_without_arrays_runs_where_its_options_say() -> None:
    @obs.jit
    def squares(n: obs.index) -> Any:
        return obs.iota(n).map(lambda i: i * i), n + 1

    numbers, following = squares.run(obs.RunOptions(device="cuda"), 1000)
    np.testing.assert_array_equal(numbers, np.arange(1000) ** 2)
    assert following == 1001


@check
def tensors_of_the_host_run_on_the_emulator() -> None:
    found = SAXPY([2.0, torch.arange(5.0), torch.ones(5)])
    assert found.device.type == "cpu"
    assert found.tolist() == [1, 3, 5, 7, 9]
    a = torch.arange(5, dtype=torch.bfloat16)
    assert torch.equal(HALF([a]), a + a)


@check
def elements_of_bf16_and_two_dimensions() -> None:
    a = torch.randn(1000, device="cuda", dtype=torch.bfloat16)
    assert torch.equal(HALF([a]), a + a)
    b = torch.randn(30, 50, device="cuda")
    torch.testing.assert_close(TABLE([3, b]), b + 1)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        torch.testing.assert_close(TABLE([3, b.T]), b.T + 1)
    assert [w.category for w in seen] == [PerformanceWarning]


@check
def a_result_that_is_an_argument_shares_its_memory() -> None:
    a = ints(1000)
    first, second = BOTH([a, 1])
    assert second.data_ptr() == a.data_ptr()
    assert torch.equal(first, a + 1)


@check
def arrays_at_odd_addresses_are_copied() -> None:
    x = torch.randn(1001, device="cuda")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PerformanceWarning)
        torch.testing.assert_close(SAXPY([2.0, x[1:], x[:-1]]), 2 * x[1:] + x[:-1])
    with contextlib.suppress(obs.ArgumentError):
        SAXPY([2.0, x[1:], x[:-1]], copy=False)
        raise AssertionError("copy=False copies")


@check
def streams_other_than_the_default() -> None:
    stream = torch.cuda.Stream()
    x = torch.zeros(10**7, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        for _ in range(20):
            x = SAXPY([1.0, x, torch.ones_like(x)])
    other = torch.cuda.Stream()
    other.wait_stream(stream)
    with torch.cuda.stream(other):
        y = SAXPY([2.0, x, x])
    other.synchronize()
    assert bool((y == 60).all())
    with cupy.cuda.Stream(non_blocking=True) as mine:
        a = cupy.zeros(10**7, cupy.float32)
        for _ in range(20):
            a = SAXPY([1.0, a, cupy.ones_like(a)])
        mine.synchronize()
        assert bool((a == 20).all())
        mixed = SAXPY([1.0, a, torch.ones(10**7, device="cuda")])
        assert isinstance(mixed, cupy.ndarray)
        assert bool((mixed == 21).all())


@check
def a_run_does_not_wait() -> float:
    x = torch.zeros(10**6, device="cuda")
    SAXPY([1.0, x, x])
    torch.cuda.synchronize()
    begin = time.perf_counter()
    torch.cuda._sleep(200_000_000)
    SAXPY([1.0, x, x])
    waited = time.perf_counter() - begin
    torch.cuda.synchronize()
    assert waited < 0.02
    return waited


def capture(calls: list[Call]) -> None:
    """Capture saxpy, scan and sort in one graph, and replay it with other elements."""
    saxpy_call, scan_call, sort_call = calls
    x, a = torch.ones(1000, device="cuda"), ints(1000)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = saxpy_call([2.0, x, x])
        y = saxpy_call([1.0, y, x])
        b, c = scan_call([a]), sort_call([a])
    for value in (1, 5):
        x.fill_(value)
        a.copy_(ints(1000))
        graph.replay()
        torch.cuda.synchronize()
        assert bool((y == 4 * value).all())
        assert torch.equal(b, a.cumsum(0, dtype=torch.int32))
        assert torch.equal(c, a.sort().values)


@check
def a_graph_of_loaded_programs() -> None:
    capture([SAXPY, SCAN, SORT])


@check
def a_graph_that_loads_the_programs() -> None:
    capture([call_of(f)[0] for f in (saxpy, scan, large_sort.large_sort)])


@check
def an_operator_under_torch_compile() -> None:
    op = register("obsidian_test::saxpy", SAXPY)
    x = torch.randn(1000, device="cuda")
    torch.testing.assert_close(op(2.0, x, x), 3 * x)
    torch.library.opcheck(op, (2.0, x, x))

    def relu(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.relu(op(2.0, a + 1, b)).sum()

    compiled = torch.compile(relu, fullgraph=True, dynamic=True)
    for n in (1000, 77, 4096):
        a, b = torch.randn(2, n, device="cuda").unbind()
        torch.testing.assert_close(compiled(a, b), relu(a, b))


@check
def an_operator_with_extents_of_the_run() -> None:
    call, _ = call_of(kept)
    with contextlib.suppress(obs.ObsidianError):
        register("obsidian_test::refused", call)
        raise AssertionError("unknown extents are not refused")
    op = register("obsidian_test::kept", call, dynamic=True)
    a = ints(1000)
    compiled = torch.compile(lambda v: op(v) * 2, fullgraph=True)
    assert torch.equal(compiled(a), a[a > 0] * 2)


@check
def arrays_of_no_framework() -> None:
    class Other:
        def __init__(self, array: Any) -> None:
            self.__cuda_array_interface__ = array.__cuda_array_interface__
            self.array = array

    class Exporter:
        def __init__(self, array: Any) -> None:
            self.__dlpack__, self.__dlpack_device__ = array.__dlpack__, array.__dlpack_device__

    x = cupy.arange(1000, dtype=cupy.float32)
    for kind in (Other, Exporter):
        found = SAXPY([2.0, kind(x), x])
        assert type(found).__name__ == "DeviceArray"
        np.testing.assert_array_equal(found.numpy(), 3 * x.get())
        assert torch.from_dlpack(found).sum().item() == 3 * x.sum().item()
        assert bool((cupy.asarray(found) == 3 * x).all())


@check
def arrays_of_jax() -> str:
    try:
        import jax
    except ImportError:
        return "no JAX"
    x = jax.numpy.arange(1000, dtype=jax.numpy.float32)
    place = next(iter(x.devices())).platform
    found = SAXPY([2.0, x, x])
    assert isinstance(found, jax.Array)
    assert bool((found == 3 * x).all())
    a = x.astype(jax.numpy.bfloat16)
    assert bool((HALF([a]) == a + a).all())
    return place


@check
def programs_from_files() -> None:
    """A stub of `export` runs on tensors and on arrays of CuPy, on their streams."""
    with tempfile.TemporaryDirectory() as folder:
        saxpy.export(folder, name="exported_saxpy")
        sys.path.insert(0, folder)
        try:
            function = importlib.import_module("exported_saxpy").exported_saxpy
        finally:
            sys.path.remove(folder)
    for n in LENGTHS:
        x, y = torch.randn(n, device="cuda"), torch.randn(n, device="cuda")
        assert torch.equal(function(2.0, x, y), SAXPY([2.0, x, y]))
        a, b = cupy.arange(n, dtype=cupy.float32), cupy.ones(n, cupy.float32)
        assert bool((function(2.0, a, b) == 2 * a + b).all())


@check
def programs_in_jax_jit() -> str:
    """On the stream of JAX, between its own kernels; a traced number is read on the host."""
    try:
        import jax
    except ImportError:
        return "no JAX"
    place = jax.default_backend()

    @jax.jit
    def f(x: Any, k: Any) -> Any:
        for _ in range(20):
            x = SAXPY([0.5, x + 1, x - 1])
        return x, SAXPY([k, x, x])

    for n in (0, 1, 1000, 10**6):
        x = np.arange(n, dtype=np.float32) % 16
        expected = x
        for _ in range(20):
            expected = np.float32(0.5) * (expected + 1) + (expected - 1)
        found, more = f(x, 3.0)
        np.testing.assert_allclose(found, expected, rtol=1e-5)
        np.testing.assert_allclose(more, 4 * expected, rtol=1e-5)
    half = jax.jit(lambda a: HALF([a]) + 1)(jax.numpy.ones((4,), jax.numpy.bfloat16))
    assert half.tolist() == [3.0] * 4
    return place


@check
def threads_with_streams_of_their_own() -> None:
    wrong: list[object] = []

    def work(number: int) -> None:
        try:
            with torch.cuda.stream(torch.cuda.Stream()):
                x = torch.full((10**5,), float(number), device="cuda")
                y = x
                for _ in range(100):
                    y = SAXPY([1.0, x, y])
                if not bool((y == 101 * number).all()):
                    wrong.append(number)
        except Exception as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong, wrong


@check
def memory_is_given_back() -> None:
    a = ints(10**5)
    SORT([a])
    before = torch.cuda.memory_allocated()
    for _ in range(20):
        SORT([a]), KEPT([a])
    assert torch.cuda.memory_allocated() == before


@check
def errors_leave_the_next_call_alone() -> None:
    x = torch.ones(10, device="cuda")
    wrong = [[1.0, x, x.cpu()], [1.0, x, x[:5]], [1.0, x, x.double()], [1.0, x, [1.0]]]
    for values in wrong:
        with contextlib.suppress(obs.ObsidianError):
            SAXPY(values)
            raise AssertionError("a wrong argument is not refused")
    before = torch.cuda.memory_allocated()
    torch.cuda.set_per_process_memory_fraction(0.01)
    # One array fits, and its result does not.
    size = torch.cuda.get_device_properties(0).total_memory * 6 // 1000 // 4
    big = torch.empty(size, device="cuda")
    try:
        SAXPY([1.0, big, big])
        raise AssertionError("memory does not end")
    except torch.OutOfMemoryError:
        pass
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    del big
    assert torch.cuda.memory_allocated() == before
    assert SAXPY([1.0, x, x]).sum().item() == 20


def main() -> int:
    report: dict[str, Any] = {"versions": f"torch {torch.__version__}, cupy {cupy.__version__}"}
    failed = 0
    for function in CHECKS:
        begin = time.perf_counter()
        try:
            found = function()
            report[function.__name__] = "ok" if found is None else f"ok: {found}"
        except Exception:
            failed += 1
            report[function.__name__] = traceback.format_exc()[-1500:]
        print(function.__name__, round(time.perf_counter() - begin, 2), "s", file=sys.stderr)
    try:
        report["microseconds"] = times(BACKEND, SAXPY, SAXPY_ARTIFACT)
    except Exception:
        failed += 1
        report["microseconds"] = traceback.format_exc()[-1500:]
    print(json.dumps(report, indent=1))
    return failed


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Measures the time of the host in a call of a compiled program.

The program is saxpy of 1000 elements. Each time is the least of many batches, since other processes
may use the CPU. The table has a column for calls without and with the accelerator of
python/accelerator, which is compiled first.

By default, no GPU is needed: the functions of the CUDA driver are replaced by functions that do
nothing, and tensors of a GPU by tensors of the host, whose methods cost the same. So these are
times of a CPU: of the work of Python and of the library in a call. With --gpu, calls run on a GPU,
beside the launch of the driver, PyTorch, and CuPy.

Needs PyTorch, a C compiler (cc), Python.h and OBS_LIBRARY; --gpu also needs CuPy. OBS_ACCELERATOR
may name the compiled accelerator.

  OBS_LIBRARY=... PYTHONPATH=python benchmarks/call_overhead.py --out call-overhead.json
  OBS_LIBRARY=... PYTHONPATH=python benchmarks/call_overhead.py --gpu --out call-overhead-gpu.json
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any

import torch

import obsidian as obs
from obsidian import Pull, calls, f32, frameworks, native, views

ROOT = Path(__file__).resolve().parent.parent
SIZE = 1000
STREAM = 2
#: The functions of the driver whose results matter; the others return 0, which is success.
ANSWERS = """
int cuDeviceGetCount(int *count) { *count = 1; return 0; }
int cuDeviceGetAttribute(int *value) { *value = 1 << 20; return 0; }
int cuFuncGetAttribute(int *value, int attribute) { *value = attribute ? 0 : 1024; return 0; }
"""


def driver_without_work(folder: Path) -> Path:
    """A library with the functions of the driver that the runtime loads."""
    header = (ROOT / "include/Obsidian/Runtime/CudaDriver.h").read_text()
    names = set(re.findall(r'"(cu[A-Z]\w+)"', header)) | {"cuThreadExchangeStreamCaptureMode"}
    names |= {"cuDeviceGet", "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent", "cuGetErrorString"}
    names -= set(re.findall(r"int (\w+)\(", ANSWERS))
    text = ANSWERS + "".join(f"int {name}() {{ return 0; }}\n" for name in sorted(names))
    (folder / "driver.c").write_text(text)
    path = folder / "driver.so"
    subprocess.run(
        ["cc", "-w", "-O2", "-shared", "-fPIC", "-o", path, folder / "driver.c"], check=True
    )
    return path


def build_accelerator(folder: Path) -> Path:
    """The accelerator that OBS_ACCELERATOR names, or that of the sources."""
    if named := os.environ.get("OBS_ACCELERATOR"):
        return Path(named).resolve()
    include = Path(sysconfig.get_path("include"))
    path = folder / "obsidian_accelerator.abi3.so"
    source = ROOT / "python" / "accelerator" / "obsidian_accelerator.c"
    subprocess.run(
        ["cc", "-O2", "-shared", "-fPIC", f"-I{include}", "-o", path, source], check=True
    )
    return path


def microseconds(function: Callable[[], object], batches: int, calls: int = 500) -> float:
    """The least time of a call in a batch."""
    for _ in range(200):
        function()
    best = float("inf")
    for _ in range(batches):
        begin = time.perf_counter()
        for _ in range(calls):
            function()
        best = min(best, time.perf_counter() - begin)
    return round(best / calls * 1e6, 2)


def measure(batches: int) -> dict[str, float]:
    """The times of a call with tensors, and of its parts, in microseconds."""
    torch.set_num_threads(1)
    # Tensors of the host have the device -1. Here, this is a GPU.
    calls.CPU = -2  # type: ignore[misc]
    framework = frameworks.torch_framework()
    # Only the accelerator uses these.
    framework._raw_stream = {-1: STREAM}.__getitem__
    framework._empty_strided = lambda: torch._C._dynamo.guards._empty_strided_cpu
    framework._current_device = lambda: None
    framework.dlpack_device = lambda index: (1, 0)  # type: ignore[method-assign]

    cpu = torch.device("cpu")
    framework.torch = SimpleNamespace(
        Tensor=torch.Tensor,
        empty=torch.empty,
        uint8=torch.uint8,
        device=lambda kind, index: cpu,
    )

    class Constant(views.Allocator):
        def allocate(self, size: int) -> int:
            return 4096

    @obs.jit
    def saxpy(k: f32, x: Annotated[Pull, "n", f32], y: Annotated[Pull, "n", f32]) -> Any:
        return k * x + y

    x, y = torch.randn(SIZE), torch.randn(SIZE)
    found = saxpy(2.0, x, y)
    assert found.shape == (SIZE,) and found.dtype == torch.float32
    (call,) = saxpy._calls.values()
    general = calls.Call(call.program, call.artifact, call.backend)
    general._fast_call = lambda first: None  # type: ignore[method-assign]
    backend, artifact = call.backend, call.artifact
    assert isinstance(backend, native.NativeBackend) and call._fast is not None
    items = [2.0, framework.view(x), framework.view(y)]
    backend.run_on_gpu(artifact, items, 1, STREAM, Constant, -1)
    handles = {}
    for (_, allocator), loaded in artifact.on_gpus.items():
        words = loaded.handle.value, loaded.arguments.address, loaded.results.address
        handles[allocator] = words, loaded.allocator
    run, (constant, _), (given, memory) = (
        backend._run_packed,
        handles[Constant],
        handles[framework.allocator],
    )

    def run_and_forget() -> None:
        run(*given, STREAM)
        memory.forget()

    return {
        "an empty function of Python": microseconds(lambda: None, batches),
        "tensor.new_empty": microseconds(lambda: memory._bytes(4 * SIZE), batches),
        "obs_run_packed, memory that is there": microseconds(
            lambda: run(*constant, STREAM), batches
        ),
        "obs_run_packed, memory of PyTorch": microseconds(run_and_forget, batches),
        "a call that tests each argument on its own": microseconds(
            lambda: general([2.0, x, y]), batches
        ),
        "a fast call": microseconds(lambda: call([2.0, x, y]), batches),
        "f(2.0, x, y)": microseconds(lambda: saxpy(2.0, x, y), batches),
    }


def measure_on_gpu() -> dict[str, float]:
    """The times of calls on a GPU in microseconds. The host waits only between batches."""
    sys.path.insert(0, str(ROOT / "python" / "tests"))
    import cupy
    from gpu_times import launch_of_the_driver
    from gpu_times import microseconds as on_gpu

    @obs.jit(threads=256)
    def saxpy(k: f32, x: Annotated[Pull, "n", f32], y: Annotated[Pull, "n", f32]) -> Any:
        return k * x + y

    x, y = torch.randn(SIZE, device="cuda"), torch.randn(SIZE, device="cuda")
    a, b = cupy.asarray(x), cupy.asarray(y)
    for _ in range(3):
        torch.testing.assert_close(saxpy(2.0, x, y), 2 * x + y)
        assert cupy.allclose(saxpy(2.0, a, b), 2 * a + b)
    launch = launch_of_the_driver(saxpy.ptx().encode(), x, y, torch.empty_like(x))
    return {
        "the launch of the driver, by ctypes": on_gpu(launch),
        "f(2.0, x, y), PyTorch": on_gpu(lambda: saxpy(2.0, x, y)),
        "f(2.0, a, b), CuPy": on_gpu(lambda: saxpy(2.0, a, b)),
        "torch.add(y, x, alpha=2.0)": on_gpu(lambda: torch.add(y, x, alpha=2.0)),
        "torch.empty_like(x)": on_gpu(lambda: torch.empty_like(x)),
    }


def main() -> None:
    """Print the table, and write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="write the times as JSON")
    parser.add_argument("--gpu", action="store_true", help="measure calls on a GPU")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--batches", type=int, default=100, help="batches for each time")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure_on_gpu() if options.gpu else measure(options.batches)))
        return
    with tempfile.TemporaryDirectory() as folder:
        variables = {**os.environ, "OBS_CACHE_DIR": folder}
        if not options.gpu:
            variables["OBS_CUDA_DRIVER"] = str(driver_without_work(Path(folder)))

        def run(accelerator: Path | None) -> dict[str, float]:
            command = [sys.executable, __file__, "--one", f"--batches={options.batches}"]
            command += ["--gpu"] if options.gpu else []
            variables["OBS_ACCELERATOR"] = str(accelerator or "")
            done = subprocess.run(command, env=variables, check=True, stdout=subprocess.PIPE)
            times: dict[str, float] = json.loads(done.stdout)
            return times

        found, faster = run(None), run(build_accelerator(Path(folder)))
    what = "microseconds of a CPU, with a driver that does nothing; no times of a GPU"
    if options.gpu:
        what = f"microseconds of the host, on {torch.cuda.get_device_name()}"
    print(what)
    print("  Python  accelerator")
    for name, number in found.items():
        print(f"{number:8.2f}     {faster[name]:8.2f}  {name}")
    if options.out:
        about = {
            "what": what,
            "python": platform.python_version(),
            "command": " ".join(["benchmarks/call_overhead.py", *sys.argv[1:]]),
        }
        times = {"microseconds": found, "microseconds_with_accelerator": faster}
        options.out.write_text(json.dumps({**about, **times}, indent=1) + "\n")


if __name__ == "__main__":
    main()

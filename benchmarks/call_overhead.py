#!/usr/bin/env python3
"""Measures the time of the host in a call of a compiled program, without a GPU.

The functions of the CUDA driver are replaced by functions that do nothing, and tensors of a GPU by
tensors of the host, whose methods cost the same. So these are times of a CPU: of the work of Python
and of the library in a call. `python/tests/gpu_times.py` measures times on a GPU. The program is
saxpy of 1000 elements. Each time is the least of many batches, since other processes may use the
CPU. Needs PyTorch, a C compiler (cc) and OBS_LIBRARY.

  OBS_LIBRARY=... PYTHONPATH=python benchmarks/call_overhead.py --out call-overhead.json
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
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
    framework._raw_stream = lambda index: STREAM

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


def main() -> None:
    """Print the table, and write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="write the times as JSON")
    parser.add_argument("--batches", type=int, default=100, help="batches for each time")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["OBS_CUDA_DRIVER"] = str(driver_without_work(Path(folder)))
        os.environ["OBS_CACHE_DIR"] = folder
        found = measure(options.batches)
    print("microseconds of a CPU, with a driver that does nothing (no times of a GPU)")
    for name, number in found.items():
        print(f"{number:8.2f}  {name}")
    if options.out:
        about = {
            "what": "microseconds of a CPU, with a driver that does nothing; no times of a GPU",
            "python": platform.python_version(),
            "command": " ".join(["benchmarks/call_overhead.py", *sys.argv[1:]]),
        }
        options.out.write_text(json.dumps({**about, "microseconds": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()

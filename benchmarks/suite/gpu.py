"""The GPU: the library of peers, and times.

In: calls that enqueue work on the default stream. Out: milliseconds between two events. CuPy has
the memory; results of both sides come from its pool.
"""

from __future__ import annotations

import ctypes
import glob
import hashlib
import importlib
import itertools
import os
import site
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

PEERS = Path(__file__).resolve().parents[1] / "peers"
#: The bytes of all copies of an input together: more than twice the L2 cache of an H200.
ROTATED = 160 << 20
#: The bytes that peers get for their own use. Half of it is the most that one copy moves.
SCRATCH = 4 << 30


def build_peers(folder: Path, nvcc: str, architecture: str) -> Path:
    """Compile benchmarks/peers to a shared library, unless `folder` has it; its path.

    Raises RuntimeError with the messages of nvcc.
    """
    sources = sorted(PEERS.glob("*.cu"))
    mark = hashlib.sha256(architecture.encode())
    for path in [*sources, PEERS / "peers.h"]:
        mark.update(path.read_bytes())
    library = folder / f"libpeers-{architecture}-{mark.hexdigest()[:12]}.so"
    if library.exists():
        return library
    folder.mkdir(parents=True, exist_ok=True)
    code = architecture.replace("sm_", "compute_")
    flags = ["-O3", "-std=c++17", f"-gencode=arch={code},code={architecture}", "-Xcompiler=-fPIC"]

    def compile(source: Path) -> str:
        out = folder / f"{source.stem}.o"
        _call([nvcc, *flags, "-c", str(source), "-o", str(out)])
        return str(out)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compile, sources))
    unfinished = library.with_suffix(".tmp")
    _call([nvcc, "-shared", *flags, *objects, "-lcublas", "-lcusparse", "-o", str(unfinished)])
    unfinished.rename(library)
    return library


def _call(command: Sequence[str]) -> None:
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}:\n{done.stderr.strip()[:3000]}")


def _load_library_of_cuda(name: str) -> None:
    """Load cuBLAS or cuSPARSE, from where the loader, a package or the toolkit has it."""
    places = [p for folder in site.getsitepackages() for p in (f"{folder}/nvidia/*/lib",)]
    found = [
        path
        for place in [*places, "/usr/local/cuda*/lib64", "/usr/local/cuda*/targets/*/lib"]
        for path in sorted(glob.glob(f"{place}/{name}.so.*"))
    ]
    for path in [f"{name}.so", *found]:
        try:
            ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
            return
        except OSError:
            continue


class Machine:
    """The GPU, for one worker process."""

    def __init__(self, library: Path) -> None:
        """Take the library of peers."""
        self.xp: Any = importlib.import_module("cupy")
        self._runtime = self.xp.cuda.runtime
        properties = self._runtime.getDeviceProperties(0)
        self.name = properties["name"].decode()
        self.multiprocessors = int(properties["multiProcessorCount"])
        #: The number of elements of the job at hand.
        self.elements = 0
        for name in "libcublasLt", "libcublas", "libnvJitLink", "libcusparse":
            _load_library_of_cuda(name)
        self._library = ctypes.CDLL(str(library))
        self._scratch = self.xp.cuda.alloc(SCRATCH)
        self._scratch_words = ctypes.c_void_p(self._scratch.ptr), ctypes.c_size_t(SCRATCH)
        self._events = self.xp.cuda.Event(), self.xp.cuda.Event()
        self._kept: dict[Any, Any] = {}
        self._captured: dict[Any, Callable[[], Any]] = {}
        self._copied = 0

    def describe(self) -> dict[str, str]:
        """The device, and versions."""
        version = self._runtime.runtimeGetVersion()
        return {
            "device": self.name,
            "driver": str(self._runtime.driverGetVersion()),
            "cuda": f"{version // 1000}.{version % 1000 // 10}",
            "cupy": str(self.xp.__version__),
            "python": sys.version.split()[0],
        }

    def call(self, function: str, arrays: Sequence[Any], numbers: Sequence[int]) -> None:
        """Call a peer; see `PEER` of peers.h. Arrays are of CuPy, or of NumPy in host memory.

        Raises RuntimeError with the number of the error.
        """
        pointers = (ctypes.c_void_p * len(arrays))(
            *(a.ctypes.data if isinstance(a, np.ndarray) else a.data.ptr for a in arrays)
        )
        words = (ctypes.c_int64 * len(numbers))(*(int(n) for n in numbers))
        status = getattr(self._library, function)(pointers, words, *self._scratch_words)
        if status:
            raise RuntimeError(f"{function} returns the error {status}")

    def copy(self, size: int) -> None:
        """Copy `size` bytes, at most half of SCRATCH, from another place each time."""
        half = SCRATCH // 2
        offset = self._copied % (half - size + 1) & -256
        self._copied += size
        begin = self._scratch.ptr + offset
        pointers = (ctypes.c_void_p * 2)(begin, begin + half)
        status = self._library.copy(pointers, (ctypes.c_int64 * 1)(size), *self._scratch_words)
        if status:
            raise RuntimeError(f"a copy of {size} bytes returns the error {status}")

    def kept(self, array: Any, name: str) -> Any:
        """An array as another one, the same for each call with this name."""
        key = array.shape, array.dtype, name
        if key not in self._kept:
            self._kept[key] = self.xp.empty_like(array)
        return self._kept[key]

    def capture(self, run: Callable[..., Any], inputs: Sequence[Any]) -> Callable[[], Any]:
        """A CUDA graph of a call, by PyTorch: a function that replays it, and returns its result.

        The same inputs give the same graph. Raises ImportError without PyTorch.
        """
        key = run, tuple(value.data.ptr for value in inputs)
        if key not in self._captured:
            torch = importlib.import_module("torch")
            given = [torch.from_dlpack(value) for value in inputs]
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                result = run(*given)

            def replay() -> Any:
                graph.replay()
                return result

            self._captured[key] = replay
        return self._captured[key]

    def synchronize(self) -> None:
        """Wait for the GPU. Raises an exception of CuPy for errors of kernels."""
        self._runtime.deviceSynchronize()

    def clean(self) -> None:
        """Give back the memory of a job."""
        self._kept.clear()
        self._captured.clear()
        self.xp.get_default_memory_pool().free_all_blocks()

    def rotate(self, inputs: Sequence[Any]) -> Callable[[], list[Any]]:
        """The inputs at another place each time, so that small ones are not in the cache."""
        sources: list[Callable[[int], Any]] = []
        for value in inputs:
            if isinstance(value, self.xp.ndarray) and value.nbytes:
                sources.append(self._copies(value))
            else:
                sources.append(lambda k, value=value: value)  # type: ignore[misc]
        numbers = itertools.count()

        def following() -> list[Any]:
            k = next(numbers)
            return [source(k) for source in sources]

        return following

    def _copies(self, array: Any) -> Callable[[int], Any]:
        # A multiple of 16 elements lies between copies, so their alignment is that of the first.
        step = -(-array.size // 256) * 256
        count = max(1, min(ROTATED // (step * array.itemsize), 4096))
        if count == 1:
            return lambda k: array
        copies = self.xp.empty((count, step), array.dtype)
        copies[:, : array.size] = array.reshape(-1)
        return lambda k: copies[k % count, : array.size].reshape(array.shape)

    def time(self, run: Callable[[], object], spin: int) -> float:
        """Milliseconds of what `run` enqueues, behind `spin` nanoseconds of other work.

        The host enqueues while the GPU is busy, so the time has the gaps between kernels, and not
        the time of the host, if this is shorter than `spin`.
        """
        begin, end = self._events
        if spin:
            self.call("spin", [], [spin])
        begin.record()
        run()
        end.record()
        end.synchronize()
        return float(self.xp.cuda.get_elapsed_time(begin, end))

    def host_time(self, run: Callable[[], object]) -> float:
        """Nanoseconds that the host takes to enqueue."""
        self.synchronize()
        begin = time.perf_counter_ns()
        run()
        taken = time.perf_counter_ns() - begin
        self.synchronize()
        return taken

    def limits(self) -> dict[str, float]:
        """Bytes per second of a copy, read plus written, and operations of f32 per second."""
        size, rounds, blocks = 1 << 30, 4096, 16 * self.multiprocessors
        out = self.xp.zeros(2, np.float32)
        copies, chains = [], []
        for _ in range(9):
            copies.append(self.time(lambda: self.copy(size), 50_000))
            chains.append(self.time(lambda: self.call("fma_rate", [out], [blocks, rounds]), 50_000))
        operations = 2.0 * 8 * rounds * blocks * 256
        return {
            "copy_bytes_per_s": 2e3 * size / float(np.median(copies[2:])),
            "f32_operations_per_s": 1e3 * operations / float(np.median(chains[2:])),
        }

#!/usr/bin/env python3
"""Measures programs of the Dag paper on a GPU, beside the kernels that Dag's own compiler makes.

The peers are written here in CUDA with the schedule of `dagc`: blocks of 256 threads, eight
consecutive elements of the last dimension for each thread, the first dimension varies fastest, no
shared memory. They test the bounds, which `dagc` does not. Each program runs through `obs-run` with
its default candidate. Times are with contraction to FMAs on both sides, as nvcc does it; results
are compared without it. A time is that of the kernel alone, the median of the repetitions. Needs
a GPU, NumPy and CuPy.

  benchmarks/dag.py --obs-run build-static/bin/obs-run --out dag-cuda.json

The exit status is the number of programs whose results differ or whose goal is missed.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import cupy
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
BLOCK, WALK = 256, 8
PEERS = r"""
extern "C" __global__ void wait(long long cycles) {
  for (long long begin = clock64(); clock64() - begin < cycles;)
    ;
}

extern "C" __global__ void matmul(int *c, const int *a, const int *b, int n) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  int row = id % n, first = id / n * 8;
  for (int col = first; col < first + 8 && col < n; ++col) {
    int sum = 0;
    for (int k = 0; k < n; ++k)
      sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
  }
}

extern "C" __global__ void convolve(float *out, const float *image, const float *mask, int n) {
  int m = n - 2, first = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  for (int p = first; p < first + 8 && p < m * m; ++p) {
    int i = p / m * n + p % m;
    out[p] = image[i] * mask[0] + image[i + 1] * mask[1] + image[i + 2] * mask[2] +
             image[i + n] * mask[3] + image[i + n + 1] * mask[4] + image[i + n + 2] * mask[5] +
             image[i + n + n] * mask[6] + image[i + n + n + 1] * mask[7] +
             image[i + n + n + 2] * mask[8];
  }
}

extern "C" __global__ void julia(bool *out, int d) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  int y = id % d, first = id / d * 8;
  float size = d;
  for (int x = first; x < first + 8 && x < d; ++x) {
    float re = 1.5f * (size - x) / size, im = 1.5f * (size - y) / size;
#pragma unroll
    for (int step = 0; step < 50; ++step) {
      float square = re * re - im * im, twice = re * im + im * re;
      re = square - 0.8f;
      im = twice + 0.156f;
    }
    out[y * d + x] = re * re + im * im <= 1000.0f;
  }
}
"""
#: For each program: its size, the goal of the ratio, and elements of the result.
GOALS = {
    "matmul": (1024, 5.0, 1024**2),
    "convolve": (2048, 2.0, 2046**2),
    "julia": (1024, 1.0, 1024**2),
}


def arguments(name: str, n: int) -> tuple[list[Any], Any]:
    """The arguments of a program, without the extent, and its empty result."""
    rng = np.random.default_rng(1)
    if name == "matmul":
        return [rng.integers(0, 100, (n, n), np.int32) for _ in range(2)], np.empty(
            (n, n), np.int32
        )
    if name == "convolve":
        image = rng.integers(0, 500, n * n).astype(np.float32)
        return [image, np.full(9, 0.111, np.float32)], np.empty((n - 2) ** 2, np.float32)
    return [], np.empty((n, n), np.bool_)


def ours(tool: str, name: str, n: int, given: list[Any], repeat: int) -> tuple[Any, float]:
    """The result of the program, and the milliseconds of its kernels."""
    with tempfile.TemporaryDirectory() as folder:
        words = []
        for number, array in enumerate(given):
            np.save(f"{folder}/{number}.npy", array)
            words.append(f"{folder}/{number}.npy")
        if name != "matmul":
            words.append(str(n))
        program = ROOT / "examples/dag" / f"{name}.dag"
        line = [tool, program, *words, "--device=cuda", f"--out={folder}/out.npy"]
        subprocess.run(line, check=True, capture_output=True)
        found = np.load(f"{folder}/out.npy")
        line = [tool, program, *words, "--device=cuda", "--out=/dev/null"]
        line += ["--fp-contract=fast", "--time"]
        run = subprocess.run(
            [*line, f"--repeat={repeat}"], check=True, capture_output=True, text=True
        )
        print(run.stdout + run.stderr, file=sys.stderr)
        times = re.findall(r"time: kernel \w+: ([\d.]+) ms", run.stdout + run.stderr)
        return found, sum(map(float, times))


def theirs(
    name: str,
    n: int,
    given: list[Any],
    result: Any,
    elements: int,
    repeat: int,
    options: tuple[str, ...],
) -> tuple[Any, float]:
    """The same of the peer."""
    kernel, wait = (cupy.RawKernel(PEERS, n, options=options) for n in (name, "wait"))
    out = cupy.empty(result.shape, result.dtype)
    words = (out, *map(cupy.asarray, given), np.int32(n))
    grid = -(-elements // (BLOCK * WALK))
    times = []
    for _ in range(repeat + 3):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        # The GPU is busy while the host enqueues the launch.
        wait((1,), (1,), (np.int64(200_000),))
        begin.record()
        kernel((grid,), (BLOCK,), words)
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(begin, end))
    return out.get(), statistics.median(times[3:])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--obs-run", required=True, help="the tool of a build that needs no LLVM")
    parser.add_argument("--out", required=True, help="the file of the results")
    parser.add_argument("--repeat", type=int, default=30)
    options = parser.parse_args()
    name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    report: dict[str, Any] = {"command": "benchmarks/dag.py", "device": name, "programs": {}}
    failed = 0
    for name, (n, goal, elements) in GOALS.items():
        given, result = arguments(name, n)
        found, mine = ours(options.obs_run, name, n, given, options.repeat)
        exact, _ = theirs(name, n, given, result, elements, 1, ("--fmad=false",))
        _, peer = theirs(name, n, given, result, elements, options.repeat, ())
        right = bool(np.array_equal(found.reshape(exact.shape).astype(exact.dtype), exact))
        ratio = peer / mine if mine else float("nan")
        failed += not right or not ratio >= goal
        report["programs"][name] = {
            "size": n, "right": right, "obsidian_ms": mine, "dagc_schedule_ms": round(peer, 5),
            "ratio": round(ratio, 2), "goal": goal,
        }  # fmt: skip
    Path(options.out).write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps(report, indent=1))
    return failed


if __name__ == "__main__":
    sys.exit(main())

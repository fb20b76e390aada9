#!/usr/bin/env python3
"""Measures programs of the Dag paper on a GPU, beside the kernels that Dag's own compiler makes.

The peers are written here in CUDA with the schedule of `dagc`: blocks of 256 threads, eight
consecutive elements of the last dimension for each thread, the first dimension varies fastest, no
shared memory. Unlike `dagc`, they test the bounds. Each program runs through `obs-run` with
its default candidate. Times are with contraction to FMAs on both sides, as nvcc does it; results
are compared without it. A time is that of the kernel alone, as ncu measures it. Needs a GPU, ncu,
NumPy and CuPy.

  benchmarks/dag.py --obs-run build-static/bin/obs-run --out dag-cuda.json

The exit status is the number of programs whose results differ or whose goal is missed.
"""

from __future__ import annotations

import argparse
import csv
import json
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


def microseconds(command: list[Any], kernel: str) -> float:
    """The median time of a kernel, by ncu with cold caches and the clocks of normal runs."""
    line = [
        "ncu",
        "--csv",
        "--clock-control",
        "none",
        "--print-units",
        "base",
        "--metrics",
        "gpu__time_duration.sum",
    ]
    line += ["-k", f"regex:{kernel}", *command]
    done = subprocess.run(line, check=False, capture_output=True, text=True)
    rows = csv.reader(r for r in done.stdout.splitlines() if r.startswith('"'))
    times = [float(r[-1].replace(",", "")) for r in rows if r[-3] == "gpu__time_duration.sum"]
    if done.returncode or not times:
        sys.exit(f"{' '.join(map(str, line))}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return statistics.median(times) / 1e3


def ours(tool: str, name: str, n: int, given: list[Any], repeat: int) -> tuple[Any, float]:
    """The result of the program, and the microseconds of its kernel."""
    with tempfile.TemporaryDirectory() as folder:
        words = []
        for number, array in enumerate(given):
            np.save(f"{folder}/{number}.npy", array)
            words.append(f"{folder}/{number}.npy")
        if name != "matmul":
            words.append(str(n))
        program = ROOT / "examples/dag" / f"{name}.dag"
        line = [tool, program, *words, "--device=cuda"]
        subprocess.run([*line, f"--out={folder}/out.npy"], check=True, capture_output=True)
        found = np.load(f"{folder}/out.npy")
        line += ["--fp-contract=fast", f"--repeat={repeat}", "--out=/dev/null"]
        return found, microseconds(line, "^dag_")


def theirs(name: str, n: int, repeat: int, options: tuple[str, ...]) -> Any:
    """The result of the peer."""
    given, result = arguments(name, n)
    kernel = cupy.RawKernel(PEERS, name, options=options)
    out = cupy.empty(result.shape, result.dtype)
    words = (out, *map(cupy.asarray, given), np.int32(n))
    for _ in range(repeat):
        kernel((-(-GOALS[name][2] // (BLOCK * WALK)),), (BLOCK,), words)
    return out.get()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--obs-run", help="the tool of a build that needs no LLVM")
    parser.add_argument("--out", help="the file of the results")
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--peer", choices=GOALS, help="runs this peer, for ncu")
    options = parser.parse_args()
    if options.peer:
        theirs(options.peer, GOALS[options.peer][0], options.repeat, ())
        return 0
    name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    report: dict[str, Any] = {"command": "benchmarks/dag.py", "device": name, "programs": {}}
    failed = 0
    for name, (n, goal, _) in GOALS.items():
        given, _ = arguments(name, n)
        found, mine = ours(options.obs_run, name, n, given, options.repeat)
        exact = theirs(name, n, 1, ("--fmad=false",))
        line = [sys.executable, __file__, "--peer", name, "--repeat", str(options.repeat)]
        peer = microseconds(line, f"^{name}")
        right = bool(np.array_equal(found.reshape(exact.shape).astype(exact.dtype), exact))
        ratio = peer / mine
        failed += not right or not ratio >= goal
        report["programs"][name] = {
            "size": n, "right": right, "obsidian_us": mine, "dagc_schedule_us": peer,
            "ratio": round(ratio, 2), "goal": goal,
        }  # fmt: skip
    Path(options.out).write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps(report, indent=1))
    return failed


if __name__ == "__main__":
    sys.exit(main())

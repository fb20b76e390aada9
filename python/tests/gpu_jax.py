"""Functions of JAX on a GPU: results against XLA, and times beside it.

    OBS_LIBRARY=.../libobsidian.so PYTHONPATH=python python3 python/tests/gpu_jax.py

Needs a GPU, JAX with CUDA, and PyTorch, whose profiler measures the kernels of both. Functions are
those of jax_functions, and arguments are large. Prints one object of JSON, and keeps it in
$OUT/gpu_jax.json as it grows: for each function "ok" or what went wrong, microseconds of all its
kernels and copies with cold caches, and microseconds of a call from Python. A ratio is the time of
XLA divided by ours. Products of matrices have the precision of f32 on both sides. Arguments are the
seconds (240) after which no other function begins, and names of functions. The exit status is the
number of functions that are wrong.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch
from jax_functions import CASES, floats, integers

from obsidian.jax import jit

jax.config.update("jax_platforms", os.environ.get("JAX_PLATFORMS", "cuda,cpu"))
jax.config.update("jax_default_matmul_precision", "highest")

K, M = 1 << 10, 1 << 20
#: The large arguments of functions. Those of the other functions stay small: only their results
#: are compared.
LARGE: dict[str, Callable[[], list[Any]]] = {
    "saxpy": lambda: [floats(16 * M), floats(16 * M, seed=1)],
    "gelu": lambda: [floats(16 * M)],
    "activations": lambda: [floats(4 * M)],
    "trigonometry": lambda: [floats(4 * M)],
    "roots": lambda: [abs(floats(4 * M)) + np.float32(0.1)],
    "inverses": lambda: [floats(4 * M)],
    "errors": lambda: [floats(4 * M)],
    "clipped": lambda: [floats(4 * K, 4 * K)],
    "joined": lambda: [floats(2 * K, 2 * K), floats(2 * K, K, seed=1)],
    "padded": lambda: [floats(2 * K, 2 * K)],
    "softmax": lambda: [floats(20000, 1000)],
    "layer_norm": lambda: [floats(20000, 1024), floats(1024, seed=1), floats(1024, seed=2)],
    "log_sum_exp": lambda: [floats(8 * K, 2 * K)],
    "sums": lambda: [floats(64, 512, 700) / 8],
    "moments": lambda: [floats(8 * K, 2 * K)],
    "places": lambda: [floats(4 * K, 4 * K)],
    "flags": lambda: [integers(16 * M, high=2)],
    "pairs": lambda: [floats(8 * K, 2000)],
    "long_rows": lambda: [floats(2, M), floats(3, M)],
    "long_columns": lambda: [floats(60000, 48), floats(3000, 10000)],
    "statistics": lambda: [floats(4 * M)],
    "matmul": lambda: [floats(2 * K, 2 * K), floats(2 * K, 2 * K, seed=1)],
    "bfloat_layer": lambda: [
        a.astype(jnp.bfloat16)
        for a in (floats(4 * K, 4 * K) / 8, floats(4 * K, 4 * K, seed=1) / 8, floats(4 * K, seed=2))
    ],
    "matvec": lambda: [floats(8 * K, 8 * K), floats(8 * K, seed=1)],
    "batched": lambda: [floats(3, 512, 512), floats(3, 512, 512, seed=1)],
    "product_of_few": lambda: [floats(10000, 1000), floats(1000, 128, seed=1)],
    "integer_product": lambda: [integers(K, K), integers(K, K, seed=1)],
    "perceptron": lambda: [
        floats(2 * K, 512), floats(512, K, seed=1), floats(K, seed=2), floats(K, 256, seed=3)
    ],
    "n_body": lambda: [floats(4 * K, 2)],
    "kernel_matrix": lambda: [floats(8 * K, 3), floats(4 * K, 3, seed=1)],
    "means_of_channels": lambda: [floats(32, 112, 112, 64)],
    "softmax_of_few": lambda: [floats(M, 7)],
    "cross_entropy": lambda: [floats(8 * K, 1000), integers(8 * K, high=1000)],
    "columns": lambda: [floats(2 * K, 2000, 3), floats(2 * K, 2000, 2, seed=1)],
    "centred": lambda: [floats(4 * M, 3) / 8],
    "cumulative": lambda: [floats(4 * M) / 1000],
    "cumulative_rows": lambda: [floats(4 * K, 2 * K)],
    "cumulative_column_sums": lambda: [floats(4 * K, 4 * K)],
    "recurrence": lambda: [floats(4 * M) / 8, floats(4 * M, seed=1)],
    "segmented_sums": lambda: [integers(4 * M, high=2), floats(4 * M)],
    "state_space": lambda: [floats(8, 4 * K, 128) / 8, floats(8, 4 * K, 128, seed=1)],
    "matrix_scan": lambda: [floats(256 * K, 2, 2) / 2],
    "pooling": lambda: [floats(4 * K, 4 * K)],
    "convolution": lambda: [floats(8, 64, 56, 56) / 8, floats(64, 64, 3, 3, seed=1) / 8],
    "largest_of_windows": lambda: [floats(32, 64, 112, 112)],
    "heat": lambda: [floats(2 * K, 2 * K)],
    "take": lambda: [floats(64 * K, 64), integers(256 * K, high=64 * K)],
    "take_along": lambda: [floats(64 * K, 256), integers(64 * K, high=256)],
    "updates": lambda: [floats(M), integers(4 * M, high=M)],
    "segments": lambda: [integers(4 * M, high=10), floats(4 * M) / 100],
    "histogram": lambda: [floats(4 * M)],
    "search": lambda: [np.sort(floats(64 * K)), floats(M, seed=1)],
    "sort": lambda: [floats(M)],
    "sort_rows": lambda: [integers(K, K, high=100000)],
    "sorted_columns": lambda: [floats(512, 10000)],
    "medians": lambda: [floats(4 * K, 2 * K)],
    "payload": lambda: [integers(M, high=1000), floats(M)],
    "long_sort": lambda: [floats(M)],
    "top": lambda: [floats(4 * K, 2 * K)],
    "gradient": lambda: [floats(8 * K, K)],
    "training": lambda: [floats(8 * K, 256), floats(256, 128, seed=1), floats(8 * K, 128, seed=2)],
    "shuffled": lambda: [np.uint32([0, 7]), floats(256 * K)],
    "mapped": lambda: [abs(floats(4 * K, K))],
}  # fmt: skip
#: Functions that multiply many elements or reorder long sums: an error of one is large.
LOOSE = {"cumulative": 1e-3, "segments": 1e-3, "mapped": 1e-3}
#: XLA has no such functions for a GPU.
ON_HOST = {"convolution_of_batches"}
#: The caches of the GPU hold less than this.
COLD = 256 << 20
ROUNDS = 7


def compare(found: Any, expected: Any, limit: float) -> None:
    assert jax.tree.structure(found) == jax.tree.structure(expected)
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected)):
        assert a.dtype == b.dtype and a.shape == b.shape
        x, y = np.asarray(a), np.asarray(b)
        if x.dtype.kind == "f" or str(x.dtype) == "bfloat16":
            x, y = x.astype(np.float64), y.astype(np.float64)
            scale = float(np.abs(y[np.isfinite(y)]).max(initial=1))
            limit = 1e-2 if a.dtype.itemsize == 2 else limit
            np.testing.assert_allclose(x, y, rtol=limit, atol=limit * scale)
        else:
            np.testing.assert_array_equal(x, y)


def kernels(call: Callable[[], Any]) -> float:
    """Microseconds in which the GPU executes kernels and copies of a call; the median.

    A kernel can start while it still waits for the one in front of it, so the times of kernels
    overlap.
    """
    scratch = torch.empty(COLD, dtype=torch.int8, device="cuda")
    activities = [torch.profiler.ProfilerActivity.CUDA, torch.profiler.ProfilerActivity.CPU]
    totals = []
    for _ in range(ROUNDS):
        scratch.fill_(1)
        torch.cuda.synchronize()
        with torch.profiler.profile(activities=activities) as profile:
            jax.block_until_ready(call())
            torch.cuda.synchronize()
        busy, last = 0.0, 0.0
        for start, end in sorted(
            (event.time_range.start, event.time_range.end)
            for event in profile.events()
            if event.device_type == torch.autograd.DeviceType.CUDA
        ):
            busy += max(0.0, end - max(start, last))
            last = max(last, end)
        totals.append(busy)
    return statistics.median(totals)


def wall(call: Callable[[], Any]) -> float:
    """Microseconds of a call from Python, where the host waits for the last one only."""
    # The pools of both get their memory in the first calls.
    jax.block_until_ready([call() for _ in range(10)])
    begin = time.perf_counter()
    for _ in range(10):
        found = call()
    jax.block_until_ready(found)
    return (time.perf_counter() - begin) / 10 * 1e6


def measure(name: str) -> dict[str, Any]:
    function, small = CASES[name]
    arguments = jax.device_put(LARGE[name]() if name in LARGE else small)
    limit = LOOSE.get(name, 2e-4)
    mine, theirs = jit(function), jax.jit(function, backend="cpu" if name in ON_HOST else None)
    compare(mine(*small), theirs(*small), limit)
    begin = time.perf_counter()
    found = jax.block_until_ready(mine(*arguments))
    result: dict[str, Any] = {"check": "", "compile_s": round(time.perf_counter() - begin, 2)}
    compare(found, theirs(*arguments), limit)
    assert all(a.devices() == {jax.devices()[0]} for a in jax.tree.leaves(found))
    result["check"] = "ok"
    if name in LARGE and torch.cuda.is_available():
        for label, call in (("obsidian", mine), ("xla", theirs)):
            result[f"{label}_us"] = round(kernels(lambda c=call: c(*arguments)), 1)
            result[f"{label}_call_us"] = round(wall(lambda c=call: c(*arguments)), 1)
        if result["obsidian_us"]:
            result["ratio"] = round(result["xla_us"] / result["obsidian_us"], 3)
        result["call_ratio"] = round(result["xla_call_us"] / result["obsidian_call_us"], 3)
    return result


def summary(functions: dict[str, Any], key: str) -> dict[str, Any]:
    ratios = {n: r[key] for n, r in functions.items() if r.get(key)}
    if not ratios:
        return {}
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    ordered = sorted(ratios.items(), key=lambda pair: pair[1])
    return {"geometric_mean": round(mean, 3), "lowest": ordered[:8], "highest": ordered[-8:]}


def main() -> int:
    limit = float(sys.argv[1]) if len(sys.argv) > 1 else 240.0
    names = sys.argv[2:] or [*LARGE, *(n for n in CASES if n not in LARGE)]
    out = Path(os.environ.get("OUT", ".")) / "gpu_jax.json"
    device = f"{jax.devices()[0].device_kind}, jax {jax.__version__}"
    functions: dict[str, Any] = {}
    report: dict[str, Any] = {"device": device, "functions": functions}
    begin = time.perf_counter()
    for name in names:
        if time.perf_counter() - begin > limit:
            report.setdefault("left_out", []).append(name)
            continue
        try:
            functions[name] = measure(name)
        except Exception:
            functions[name] = {"check": traceback.format_exc()[-1500:]}
        report["right"] = sum(r["check"] == "ok" for r in functions.values())
        report["kernels"] = summary(functions, "ratio")
        report["calls"] = summary(functions, "call_ratio")
        out.write_text(json.dumps(report, indent=1))
        print(name, round(time.perf_counter() - begin, 1), "s", file=sys.stderr)
    print(json.dumps(report, indent=1))
    return sum(r["check"] != "ok" for r in functions.values())


if __name__ == "__main__":
    sys.exit(main())

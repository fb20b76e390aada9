"""The backend of torch.compile on a GPU: results against eager mode, and times beside Inductor's.

    OBS_LIBRARY=.../libobsidian.so PYTHONPATH=python python3 python/tests/gpu_torch.py

Needs a GPU and PyTorch with Triton. Prints one object of JSON, and keeps it in $OUT/gpu_torch.json
as it grows: for each function "ok" or what went wrong, and microseconds with cold caches. The GPU
is busy for more than a millisecond before a call, so the time does not contain the host. A ratio is
the time of Inductor divided by ours. If the GPU waits for the host, a call takes the "alone" time,
and "call" is the time of a call from Python. Arguments are the seconds (420) after which no other
function begins, and names of functions. The exit status is the number of functions that are wrong.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch_functions import CASES, Case

import obsidian.torch as backend

LEAVES = torch.utils._pytree.tree_leaves
#: Functions whose gradients are compared as well.
GRADIENTS = ("softmax", "layer_norm", "rms_norm", "gelu", "mlp", "attention", "cross_entropy")
#: The caches of the GPU hold less than this.
COLD = 256 << 20
#: Cycles of the GPU in which a call from Python ends: more than a millisecond.
WAIT = 2_000_000


def compare(found: Any, expected: Any) -> None:
    for one, other in zip(LEAVES(found), LEAVES(expected)):
        # Sums of many elements have no order.
        loose = {"rtol": 2e-4, "atol": 2e-4} if other.dtype == torch.float32 else {}
        torch.testing.assert_close(one, other, equal_nan=True, **loose)


def on_gpu(call: Callable[[], Any], cycles: int = 0) -> float:
    """The time on the GPU with cold caches, after it has waited for `cycles`."""
    scratch = torch.empty(COLD, dtype=torch.int8, device="cuda")
    times = []
    for _ in range(20):
        scratch.zero_()
        if cycles:
            torch.cuda._sleep(cycles)
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        call()
        end.record()
        times.append((begin, end))
        if cycles:
            torch.cuda.synchronize()
    torch.cuda.synchronize()
    return statistics.median(begin.elapsed_time(end) * 1e3 for begin, end in times)


def microseconds(call: Callable[[], Any]) -> tuple[float, float]:
    """The time on the GPU with cold caches, and that of a call from Python."""
    for _ in range(3):
        call()
    gpu = on_gpu(call)
    start = time.perf_counter()
    for _ in range(20):
        call()
    torch.cuda.synchronize()
    return gpu, (time.perf_counter() - start) / 20 * 1e6


def gradients(function: Callable[..., Any], arguments: list[Any]) -> list[Any]:
    leaves = [
        a.detach().clone().requires_grad_() if a.is_floating_point() else a for a in arguments
    ]
    total = sum((r * r).sum() for r in LEAVES(function(*leaves)) if r.requires_grad)
    return list(torch.autograd.grad(total, [a for a in leaves if a.requires_grad]))


def measure(one: Case) -> dict[str, Any]:
    torch.manual_seed(1)
    arguments = one.arguments(one.gpu, "cuda")
    small = one.arguments(33, "cuda")
    torch._dynamo.reset()
    begin = time.perf_counter()
    mine = torch.compile(one.function, backend="obsidian", dynamic=False)
    compare(mine(*small), one.function(*small))
    found = mine(*arguments)
    torch.cuda.synchronize()
    result: dict[str, Any] = {"compile_s": round(time.perf_counter() - begin, 2)}
    compare(found, one.function(*arguments))
    assert all(t.device.type == "cuda" for t in LEAVES(found))
    if one.name in GRADIENTS:
        compare(gradients(mine, small), gradients(one.function, small))
    result["check"] = "ok"

    def measure_side(name: str, function: Callable[..., Any]) -> None:
        alone, call = microseconds(lambda: function(*arguments))
        result[f"{name}_us"] = round(on_gpu(lambda: function(*arguments), WAIT), 1)
        result[f"{name}_alone_us"], result[f"{name}_call_us"] = round(alone, 1), round(call, 1)

    measure_side("obsidian", mine)
    measure_side("eager", one.function)
    torch._dynamo.reset()
    inductor = torch.compile(one.function, dynamic=False)
    measure_side("inductor", inductor)
    result["ratio"] = round(result["inductor_us"] / result["obsidian_us"], 3)
    result["call_ratio"] = round(result["inductor_call_us"] / result["obsidian_call_us"], 3)
    torch._dynamo.reset()
    explanation = backend.explain(one.function, *arguments)
    result["kernels"] = [len(kernels) for g in explanation.graphs for _, kernels, _ in g.programs]
    result["fallbacks"] = sorted({f.operation for f in explanation.fallbacks})
    return result


def streams() -> str:
    """Results on a stream of the user, behind work that is not done when the call returns."""
    function = torch.compile(lambda x: (x * 2 + 1).softmax(-1), backend="obsidian", dynamic=False)
    x = torch.zeros(64, 64, device="cuda")
    function(x)
    stream = torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(100_000_000)
        x.add_(torch.arange(64.0, device="cuda"))
        begin = time.perf_counter()
        found = function(x)
        waited = time.perf_counter() - begin
        expected = (x * 2 + 1).softmax(-1)
    torch.cuda.synchronize()
    torch.testing.assert_close(found, expected)
    assert waited < 0.02, f"a call waits {waited} s"
    return "ok"


def main() -> int:
    limit = float(sys.argv[1]) if len(sys.argv) > 1 else 420.0
    names = sys.argv[2:]
    out = Path(os.environ.get("OUT", ".")) / "gpu_torch.json"
    device = f"{torch.cuda.get_device_name()}, torch {torch.__version__}"
    report: dict[str, Any] = {"device": device, "functions": {}}
    warnings.simplefilter("ignore")
    begin, failed = time.perf_counter(), 0
    for name, check in (("streams", streams),):
        try:
            report[name] = check()
        except Exception:
            failed += 1
            report[name] = traceback.format_exc()[-1500:]
    for one in CASES:
        if not one.gpu or (names and one.name not in names):
            continue
        if time.perf_counter() - begin > limit:
            report.setdefault("left_out", []).append(one.name)
            continue
        try:
            report["functions"][one.name] = measure(one)
        except Exception:
            failed += 1
            report["functions"][one.name] = {"check": traceback.format_exc()[-1500:]}
        ratios = {n: r["ratio"] for n, r in report["functions"].items() if "ratio" in r}
        if ratios:
            logs = [math.log(r) for r in ratios.values()]
            report["geometric_mean"] = round(math.exp(sum(logs) / len(logs)), 3)
            report["lowest"] = sorted(ratios.items(), key=lambda p: p[1])[:8]
            report["highest"] = sorted(ratios.items(), key=lambda p: -p[1])[:8]
        report["right"] = sum(r["check"] == "ok" for r in report["functions"].values())
        out.write_text(json.dumps(report, indent=1))
        print(one.name, round(time.perf_counter() - begin, 1), "s", file=sys.stderr)
    print(json.dumps(report, indent=1))
    return failed


if __name__ == "__main__":
    sys.exit(main())

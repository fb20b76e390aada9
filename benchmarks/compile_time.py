#!/usr/bin/env python3
"""Measures the time to compile to PTX, on the CPU: all examples, and nvcc on the same kernels.

  benchmarks/compile_time.py --obs-translate OBS_TRANSLATE --out DIR [--nvcc nvcc]

A time is the processor time of a process and its children, which depends little on other work of
the machine. It is the median of --runs, after one run that fills the caches of files. Programs of
benchmarks/compile are the kernels of the example with that name, written for nvcc. Programs that
include CUB are a separate group. Writes compile-time.json and compile-time.md to --out. Without
nvcc, only our times are measured. Needs Python only.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import resource
import shutil
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
KERNELS = Path(__file__).resolve().parent / "compile"


def seconds_of(command: Sequence[str], runs: int) -> list[float]:
    """The processor time of each run of a command, in seconds.

    Raises RuntimeError with its messages if it fails.
    """

    def spent() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    taken = []
    for _ in range(runs + 1):
        begin = spent()
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        taken.append(spent() - begin)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()[:500]}")
    return taken[1:]


def uses_cub(source: Path) -> bool:
    """If a program for nvcc includes CUB."""
    return re.search(r"#include <cub/", source.read_text()) is not None


def summarise(
    examples: Mapping[str, float], kernels: Sequence[Mapping[str, Any]]
) -> dict[str, float]:
    """The values that goals.py has goals for: the smallest ratios, and the longest time."""
    summary = {"slowest example, s": round(max(examples.values()), 4)} if examples else {}
    for name, is_cub in (("kernels without CUB", False), ("kernels with CUB", True)):
        ratios = [kernel["ratio"] for kernel in kernels if kernel["cub"] == is_cub]
        if ratios:
            summary[name] = min(ratios)
    return summary


def write_report(result: Mapping[str, Any]) -> str:
    """The times as Markdown."""
    lines = [
        "# Time to compile to PTX",
        "",
        (f"`{result['command']}`, on {result['cpu']}; processor time, the median of "
        f"{result['runs']} runs."),
        "",
        "| kernel | nvcc -ptx, s | obs-translate, s | ratio |",
        "| --- | --- | --- | --- |",
    ]
    for kernel in result["kernels"]:
        name = kernel["name"] + (" (CUB)" if kernel["cub"] else "")
        lines.append(
            f"| {name} | {kernel['nvcc']:.3f} | {kernel['ours']:.3f} | {kernel['ratio']:.1f} |"
        )
    lines += ["", "| example | obs-translate, s |", "| --- | --- |"]
    for name, taken in sorted(result["examples"].items(), key=lambda item: -item[1]):
        lines.append(f"| {name} | {taken:.3f} |")
    return "\n".join(lines) + "\n"


def find_cpu() -> str:
    """The processor, and the number of its cores."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        text = ""
    model = re.search(r"model name\s*: (.*)", text)
    return f"{model[1] if model else platform.processor()}, {os.cpu_count()} cores"


def main() -> int:
    """The command line; the exit status is 1 if a program does not compile."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--obs-translate", required=True)
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--only", nargs="+", metavar="EXAMPLE", help="the names of some examples")
    options = parser.parse_args()
    sources = sorted((ROOT / "examples").glob("*.mlir"))
    if options.only:
        sources = [source for source in sources if source.stem in options.only]
    has_nvcc = shutil.which(options.nvcc) is not None
    examples: dict[str, float] = {}
    kernels: list[dict[str, Any]] = []
    failed = 0
    for source in sources:
        own = [options.obs_translate, "--obs-to-ptx", str(source), "-o", os.devnull]
        peer = KERNELS / f"{source.stem}.cu"
        theirs = [options.nvcc, "-O3", "-std=c++17", "-arch=sm_90", "-ptx", str(peer)]
        try:
            ours = statistics.median(seconds_of(own, options.runs))
            examples[source.stem] = round(ours, 4)
            print(f"{ours:7.3f} s  {source.stem}", flush=True)
            if has_nvcc and peer.exists():
                nvcc = statistics.median(seconds_of([*theirs, "-o", os.devnull], options.runs))
                kernels.append(
                    {
                        "name": source.stem, "cub": uses_cub(peer), "ours": round(ours, 4),
                        "nvcc": round(nvcc, 4), "ratio": round(nvcc / ours, 2),
                    }
                )  # fmt: skip
                print(f"{nvcc:7.3f} s  by nvcc: {nvcc / ours:.1f}", flush=True)
        except RuntimeError as error:
            failed += 1
            print(error)
    result = {
        "command": f"benchmarks/compile_time.py --runs {options.runs}",
        "cpu": find_cpu(),
        "runs": options.runs,
        "examples": examples,
        "kernels": kernels,
        "summary": summarise(examples, kernels),
    }
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "compile-time.json").write_text(json.dumps(result, indent=1) + "\n")
    (options.out / "compile-time.md").write_text(write_report(result))
    return 1 if failed or not examples else 0


if __name__ == "__main__":
    sys.exit(main())

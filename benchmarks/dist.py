#!/usr/bin/env python3
"""Measures `obsidian.dist` on the GPUs of one machine: rates of one and of all of them.

Each GPU has 2^30 elements of type int32 (--size). The works are reduce, histogram, scan and sort.
The program starts one process for each GPU, first on one GPU, and then on two (--ranks). It checks
that results of equal arrays are the same, bit for bit, on all numbers of GPUs. Needs PyTorch with NCCL and OBS_LIBRARY.

  OBS_LIBRARY=... PYTHONPATH=python benchmarks/dist.py --out dist.json
  benchmarks/dist.py --emulator --ranks 1 2 --size 20000 --repeat 2 --out dist.json   without GPUs

The file has, for each work and number of ranks, the median of the seconds of a call on the slowest
rank, the elements in a second on all ranks, and `scaling`: this rate over the number of ranks times
the rate of one.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

BINS = 256
#: The elements of the array whose results are compared between numbers of ranks.
CHECKED = 100_003


def add(a: Any, b: Any) -> Any:
    """The operator of the reduction and of the scan."""
    return a + b


def low_byte(v: Any) -> Any:
    """The bin of an element."""
    return v & (BINS - 1)


def work_on(rank: int, size: int, options: argparse.Namespace) -> None:
    """One process: measures all works and writes its times as JSON."""
    import torch
    from obsidian import dist

    warnings.simplefilter("ignore")
    is_gpu = not options.emulator
    if is_gpu:
        torch.cuda.set_device(rank)
    torch.distributed.init_process_group(
        "nccl" if is_gpu else "gloo",
        init_method=f"file://{options.worker}/store-{size}",
        rank=rank,
        world_size=size,
    )
    group = dist.Group(timeout=options.timeout)

    def ready() -> None:
        if is_gpu:
            torch.cuda.synchronize()
        torch.distributed.barrier()

    def hashes(n: int, first: int) -> Any:
        """The elements from `first` on of an array that looks random, in parts that fit."""
        found = torch.empty(n, dtype=torch.int32, device=group.device)
        for begin in range(0, n, 1 << 26):
            end = min(n, begin + (1 << 26))
            x = torch.arange(first + begin, first + end, device=group.device)
            for shift, factor in ((16, 0x45D9F3B), (16, 0x45D9F3B), (16, 1)):
                x = ((x ^ (x >> shift)) * factor) & 0xFFFFFFFF
            found[begin:end] = x.to(torch.int32)
        return found

    def works(array: Any) -> dict[str, Callable[[], Any]]:
        bins = array.map(low_byte)
        return {
            "reduce": lambda: array.reduce(add, 0),
            "histogram": lambda: bins.histogram(BINS),
            "scan": lambda: array.scan(add, 0),
            "sort": lambda: array.sort(),
        }

    def digest(value: Any) -> str:
        whole = value.gather() if isinstance(value, dist.ShardedArray) else value
        return hashlib.sha256(whole.cpu().numpy().tobytes()).hexdigest()

    checked = dist.shard(hashes(CHECKED, 0), group)
    floats = checked.map(to_float)
    found: dict[str, Any] = {
        "digests": {
            **{name: digest(work()) for name, work in works(checked).items()},
            "reduce_floats": digest(floats.reduce(add, 0.0)),
            "scan_floats": digest(floats.scan(add, 0.0)),
        },
        "seconds": {},
    }
    array = dist.ShardedArray.from_local(hashes(options.size, rank * options.size), group)
    for name, work in works(array).items():
        if name not in options.works:
            continue
        times = []
        for repetition in range(options.repeat + 1):
            ready()
            start = time.perf_counter()
            result = work()
            if is_gpu:
                torch.cuda.synchronize()
            if repetition:
                times.append(time.perf_counter() - start)
            del result
        found["seconds"][name] = times
    if is_gpu:
        found["device"] = torch.cuda.get_device_name(rank)
    Path(options.worker, f"{rank}-of-{size}.json").write_text(json.dumps(found))
    torch.distributed.destroy_process_group()


def to_float(v: Any) -> Any:
    """A float of an element, so that sums are rounded."""
    import obsidian as obs

    return v.to(obs.f32) * 1e-5


def measure(size: int, options: argparse.Namespace, folder: str) -> list[dict[str, Any]]:
    """Run one process for each rank: what each has found."""
    command = [sys.executable, __file__, *sys.argv[1:], "--worker", folder]
    processes = [
        subprocess.Popen(command, env={**os.environ, "OBS_DIST_RANK": f"{rank}/{size}"})
        for rank in range(size)
    ]
    statuses = [process.wait() for process in processes]
    if any(statuses):
        raise SystemExit(f"{size} ranks: a process failed")
    return [json.loads(Path(folder, f"{rank}-of-{size}.json").read_text()) for rank in range(size)]


def main() -> None:
    """Measure on each number of ranks, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="the file of the results")
    parser.add_argument("--size", type=int, default=1 << 30, help="elements on each rank")
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repeat", type=int, default=10)
    parser.add_argument("--timeout", type=float, default=120, help="seconds that ranks wait")
    parser.add_argument("--emulator", action="store_true", help="no GPUs: gloo and the emulator")
    parser.add_argument(
        "--works", nargs="+", default=["reduce", "histogram", "scan", "sort"], metavar="WORK"
    )
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        rank, size = map(int, os.environ["OBS_DIST_RANK"].split("/"))
        work_on(rank, size, options)
        return
    table: dict[str, Any] = {"size": options.size, "type": "int32", "works": {}}
    with tempfile.TemporaryDirectory() as folder:
        for size in options.ranks:
            found = measure(size, options, folder)
            digests = table.setdefault("digests", found[0]["digests"])
            if any(one["digests"] != digests for one in found):
                raise SystemExit(f"{size} ranks: the results differ from those of other numbers")
            table["device"] = found[0].get("device", "emulator")
            for name in found[0]["seconds"]:
                each = zip(*(one["seconds"][name] for one in found))
                seconds = statistics.median(max(times) for times in each)
                rate = size * options.size / seconds
                work = table["works"].setdefault(name, {})
                work[str(size)] = {"seconds": seconds, "elements_per_second": rate}
                first = work.get("1")
                if first:
                    scaling = rate / (size * first["elements_per_second"])
                    work[str(size)]["scaling"] = round(scaling, 4)
                print(name, size, work[str(size)], flush=True)
                if options.out:
                    options.out.write_text(json.dumps(table, indent=2) + "\n")


if __name__ == "__main__":
    main()

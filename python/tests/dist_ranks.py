"""One process of the tests of `obsidian.dist`.

    python dist_ranks.py TASK FOLDER RANK SIZE LENGTHS

TASK is `results`, which writes FOLDER/RANK-of-SIZE-LENGTH.npz, or the name of a failure, which
writes FOLDER/RANK.txt: the class and the text of the exception of each operation.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch

import obsidian as obs
from obsidian import dist

#: The number of seconds that ranks wait for each other in the tests of failures.
TIMEOUT = 3.0
BINS = 10
RULES = ("clamp", "mirror", "wrap", 7)


def add(a: Any, b: Any) -> Any:
    return a + b


def after(f: Any, g: Any) -> Any:
    """The function x -> f[0] * x + f[1], and then g: this does not commute."""
    return f[0] * g[0], g[0] * f[1] + g[1]


def rotate(f: Any, g: Any) -> Any:
    """The product of complex numbers, in floats: it is not exactly associative."""
    return f[0] * g[0] - f[1] * g[1], f[0] * g[1] + f[1] * g[0]


def is_odd(v: Any) -> Any:
    return (v & 1) == 1


def weighted(w: Any) -> Any:
    return w[0] + 2 * w[1] - w[2] + 3 * w[3] - 4 * w[4]


def low_digit(v: Any) -> Any:
    return (v & 0xFFFF) % (BINS + 2)


def plus_half(v: Any, f: Any) -> Any:
    return v.to(obs.f32) + 0.5 * f


def inputs(n: int) -> dict[str, Any]:
    """Arrays of n elements, the same in every process."""
    random = np.random.default_rng(n)
    ints = random.integers(-(2**31), 2**31, n).astype(np.int32)
    floats = (random.standard_normal(n) * 10.0 ** random.integers(-9, 9, n)).astype(np.float32)
    if n > 5:
        floats[1:6] = np.array([np.inf, -np.inf, 0.0, -0.0, np.nan], np.float32)
    angles = random.uniform(0, 6, n)
    return {
        "ints": ints,
        "few": random.integers(0, 3, n),
        "floats": floats,
        "finite": random.standard_normal(n).astype(np.float32),
        "cos": np.cos(angles).astype(np.float32),
        "sin": np.sin(angles).astype(np.float32),
        # The beginnings of uneven, perhaps empty parts, as fractions of the length.
        "cuts": np.sort(random.integers(0, n + 1, 16)),
    }


def results(group: dist.Group, n: int) -> dict[str, Any]:
    """The results of all operations, as whole arrays."""
    given = inputs(n)

    def spread(*names: str) -> dist.ShardedArray:
        parts = tuple(torch.from_numpy(given[name]) for name in names)
        return dist.shard(parts if len(parts) > 1 else parts[0], group)

    ints, finite, pairs = spread("ints"), spread("finite"), spread("ints", "ints")
    turns = spread("cos", "sin")
    ends = [0, *given["cuts"][: group.size - 1], n]
    begin, end = ends[group.rank], ends[group.rank + 1]
    uneven = dist.ShardedArray.from_local(
        torch.from_numpy(given["finite"][begin:end].copy()), group
    )
    arrays = {
        "map": ints.map(lambda v: v * 3),
        "map_two": ints.map(plus_half, finite),
        "scan": ints.scan(add, 0),
        "scan_exclusive": ints.scan(add, 0, exclusive=True),
        "scan_functions": pairs.scan(after, (1, 0)),
        "scan_floats": finite.scan(add, 0.0),
        "scan_turns": turns.scan(rotate, (1.0, 0.0)),
        "scan_uneven": uneven.scan(add, 0.0),
        "compact": ints.compact(is_odd),
        "compact_pairs": pairs.compact(lambda a, b: is_odd(a & b)),
        "sort": ints.sort(),
        "sort_few": spread("few").sort(),
        "sort_floats": spread("floats").sort(),
        "sort_uneven": uneven.sort(),
        "rebalanced": uneven.rebalanced(),
    }
    for rule in RULES:
        arrays[f"stencil_{rule}"] = ints.stencil(weighted, 2, rule)
    arrays["stencil_uneven"] = uneven.stencil(lambda w: w[0] - w[2], 1, "wrap")
    arrays["stencil_alone"] = ints.stencil(lambda w: w[0] + 1, 0)
    # The parts of a result of one operation are those of the next one.
    arrays["chain"] = ints.sort().compact(is_odd).scan(add, 0)
    found = {name: array.gather() for name, array in arrays.items()}
    for name, array in arrays.items():
        assert len(array) == array.lengths[group.rank] == len(array.components[0]), name
    for array in (arrays["sort"], arrays["sort_few"], arrays["compact"], arrays["rebalanced"]):
        spare = array.size / group.size / 4 if array is arrays["sort"] else 0
        assert max(array.lengths) <= array.size / group.size + 4096 + spare, array.lengths
    found["reduce"] = ints.reduce(add, 0)
    found["reduce_functions"] = pairs.reduce(after, (1, 0))
    found["reduce_floats"] = finite.reduce(add, 0.0)
    found["reduce_turns"] = turns.reduce(rotate, (1.0, 0.0))
    found["histogram"] = ints.map(low_digit).histogram(BINS)
    return {
        f"{name}.{i}": part.numpy()
        for name, value in found.items()
        for i, part in enumerate(value if isinstance(value, tuple) else (value,))
    }


def fail(task: str, folder: Path, group: dist.Group) -> None:
    """Rank 1 fails in the way of the task; all ranks write what happens to them."""
    array = dist.shard(torch.arange(20000, dtype=torch.int32), group)
    array.reduce(add, 0)
    array.scan(add, 0)
    array.stencil(weighted, 2)

    def wrong(_: Any) -> Any:
        raise ValueError("a mistake")

    lines = []
    operations = [
        (lambda: array.stencil(weighted, 2)) if task.endswith("stencil") else None,
        lambda: array.scan(add, 0),
        lambda: array.sort(),
    ]
    if group.rank == 1:
        if task.startswith("killed"):
            os.kill(os.getpid(), signal.SIGKILL)
        if task.startswith("late"):
            time.sleep(2.5 * TIMEOUT)
        if task.startswith("raises"):
            operations.insert(0, lambda: array.map(wrong))
    for operation in filter(None, operations):
        start = time.monotonic()
        try:
            operation()
            lines.append("none")
        except Exception as error:
            lines.append(f"{type(error).__name__}: {str(error).splitlines()[0]}")
        assert time.monotonic() - start < TIMEOUT + 3, lines
    (folder / f"{group.rank}.txt").write_text("\n".join(lines))
    # The threads of gloo wait for the rank that is lost until their own limit.
    os._exit(0)


def main() -> None:
    task, folder, rank, size = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{folder}/store", rank=rank, world_size=size
    )
    if task != "results":
        fail(task, folder, dist.Group(timeout=TIMEOUT))
    group = dist.Group(timeout=300.0)
    for n in map(int, sys.argv[5].split(",")):
        np.savez(folder / f"{rank}-of-{size}-{n}.npz", **results(group, n))
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()

"""The programs of examples/arrays on a GPU: results against NumPy, and times beside peers.

    OBS_LIBRARY=.../libobsidian.so PYTHONPATH=python python3 python/tests/gpu_arrays.py

Needs a GPU, PyTorch with Triton, and pytest, whose cases it takes. Prints one object of JSON, and
keeps it in $OUT/gpu_arrays.json: for each program the number of cases that were right, or what went
wrong, and microseconds on the GPU with cold caches for one large case. A peer is a library, or the
same program in PyTorch, compiled by Inductor where it can. A ratio is the time of the peer divided
by ours. The exit status is the number of programs that failed.

Arguments are names of programs; without any, all run. With --dry, nothing runs on a GPU: programs
run on the emulator, peers in PyTorch on the CPU, and the large cases are made.
"""

from __future__ import annotations

import functools
import json
import math
import os
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
from test_arrays_examples import CASES, RNG, flat, floats, load

import obsidian as obs
from obsidian import Pull, f32, i32, index

#: For each program: what the peer is, the peer, and the arguments of the large case.
PEERS: dict[str, tuple[str, Callable[..., Any], Callable[[], tuple[Any, ...]]]] = {}


def peer(label: str, large: Callable[[], tuple[Any, ...]]) -> Callable[[Any], Any]:
    """Enter a function as the peer of the program with its name."""

    def enter(function: Any) -> Any:
        PEERS[function.__name__] = (label, function, large)
        return function

    return enter


def options(n: int) -> tuple[Any, ...]:
    rng = RNG(1)
    return floats(rng, 5, 30, n), floats(rng, 1, 100, n), floats(rng, 0.25, 10, n), 0.02, 0.3


@peer("Inductor", lambda: options(1 << 22))
def black_scholes(price: Any, strike: Any, years: Any, rate: float, deviation: float) -> Any:
    spread = deviation * years.sqrt()
    d = ((price / strike).log() + (rate + deviation * deviation / 2) * years) / spread
    first, second = (0.5 * torch.erfc(-v * math.sqrt(0.5)) for v in (d, d - spread))
    later = strike * (-rate * years).exp()
    calls = price * first - later * second
    return calls, calls - price + later


def bodies(n: int) -> tuple[Any, ...]:
    rng = RNG(2)
    places, speeds = (tuple(floats(rng, -1, 1, 3, n)) for _ in range(2))
    return places, speeds, floats(rng, 0.5, 2, n), 0.125


@peer("Inductor", lambda: bodies(1 << 13))
def n_body(places: Any, speeds: Any, masses: Any, time: float) -> Any:
    d = [p[None, :] - p[:, None] for p in places]
    square = sum(v * v for v in d) + 0.001
    weight = masses[None, :] * square**-1.5
    after = [s + (weight * v).sum(1) * time for s, v in zip(speeds, d)]
    return [p + s * time for p, s in zip(places, after)], after


def groups(n: int) -> tuple[Any, ...]:
    rng = RNG(3)
    points, start = (tuple(floats(rng, -50, 50, k) for _ in range(2)) for k in (n, 16))
    return points, start, 4


@peer("Inductor", lambda: groups(1 << 20))
def k_means(points: Any, centres: Any, steps: int) -> Any:
    (x, y), (u, v) = points, centres
    for step in range(steps + 1):
        group = ((x[:, None] - u).square() + (y[:, None] - v).square()).argmin(1)
        if step < steps:
            zeros = torch.zeros_like(u)
            count = zeros.index_add(0, group, torch.ones_like(x))
            u, v = (
                torch.where(count > 0, zeros.index_add(0, group, a) / count, c)
                for a, c in ((x, u), (y, v))
            )
    return u, v, group


def spheres(k: int, n: int) -> tuple[Any, ...]:
    rng = RNG(5)
    balls = [*floats(rng, -1.5, 1.5, 2, k), floats(rng, 4, 6, k), floats(rng, 0.3, 1, k)]
    return tuple(balls), n, n


@peer("Inductor", lambda: spheres(16, 2048))
def ray_casting(balls: Any, rows: int, columns: int) -> Any:
    def line(n: int) -> Any:
        return (2 * torch.arange(n, device=balls[0].device) + 1).float() * (2 / max(n, 1)) - 2

    x, y = line(columns)[None, :], line(rows)[:, None]
    depth = torch.full((rows, columns), math.inf, device=balls[0].device)
    picture = torch.zeros_like(depth)
    for u, v, z, r in zip(*(part.unbind() for part in balls)):
        square = r * r - (x - u).square() - (y - v).square()
        front = torch.where(square >= 0, z - square.clamp(min=0).sqrt(), math.inf)
        light = (x - u) / r * -0.48 + (y - v) / r * 0.6 + (front - z) / r * -0.64
        picture = torch.where(front < depth, light.clamp(min=0.2), picture)
        depth = torch.minimum(front, depth)
    return picture


@peer("Inductor", lambda: (RNG(6).integers(0, 2, (4096, 4096)).astype(np.int8), 8))
def game_of_life(cells: Any, steps: int) -> Any:
    for _ in range(steps):
        rows = cells.roll(1, 0) + cells + cells.roll(-1, 0)
        count = rows.roll(1, 1) + rows + rows.roll(-1, 1) - cells
        cells = ((count == 3) | ((count == 2) & (cells == 1))).to(cells.dtype)
    return cells


def liquid(n: int) -> tuple[Any, ...]:
    u, v, smoke = floats(RNG(7), -2, 2, 3, n, n)
    return (u, v), smoke, 0.25, 10


@peer("Inductor", lambda: liquid(1024))
def fluid(speed: Any, smoke: Any, time: float, iterations: int) -> Any:
    (x, y), (h, w) = speed, smoke.shape
    rows, columns = (torch.arange(n, device=smoke.device) for n in (h, w))

    def carried(a: Any, u: Any, v: Any) -> Any:
        i = (rows[:, None] - time * v).clamp(0, h - 1)
        j = (columns[None, :] - time * u).clamp(0, w - 1)
        top, left = i.long(), j.long()
        low, right = (top + 1).clamp(max=h - 1), (left + 1).clamp(max=w - 1)
        b, c = i - top, j - left
        first = a[top, left] * (1 - c) + a[top, right] * c
        return first * (1 - b) + (a[low, left] * (1 - c) + a[low, right] * c) * b

    def at(a: Any, i: int, j: int) -> Any:
        near_rows, near_columns = (rows + i).clamp(0, h - 1), (columns + j).clamp(0, w - 1)
        return a[near_rows][:, near_columns]

    x, y = carried(x, x, y), carried(y, x, y)
    sources = 0.5 * (at(x, 0, 1) - at(x, 0, -1) + at(y, 1, 0) - at(y, -1, 0))
    p = torch.zeros_like(smoke)
    for _ in range(iterations):
        p = (at(p, -1, 0) + at(p, 1, 0) + at(p, 0, -1) + at(p, 0, 1) - sources) / 4
    x, y = x - 0.5 * (at(p, 0, 1) - at(p, 0, -1)), y - 0.5 * (at(p, 1, 0) - at(p, -1, 0))
    return x, y, carried(smoke, x, y)


@peer("torch.bincount", lambda: (floats(RNG(8), -1, 5, 1 << 22), 0.0, 4.0, 256))
def histogram(a: Any, low: float, high: float, bins: int) -> Any:
    place = ((a - low) / (high - low) * bins).floor()
    inside = (place >= 0) & (place < bins)
    # The last one counts those outside.
    return torch.bincount(torch.where(inside, place, bins).long(), minlength=bins + 1)[:bins]


@peer("torch.sort", lambda: (RNG(9).integers(-(2**31), 2**31, 1 << 22).astype(np.int32),))
def radix_sort(a: Any) -> Any:
    return a.sort().values


def quicksort_step(numbers: Any, heads: Any) -> Any:
    n = len(numbers)
    place = torch.arange(n, device=numbers.device)
    begins = torch.where(heads, place, 0).cummax(0).values
    is_last = torch.cat([heads[1:], heads.new_ones(1)])
    ends = torch.where(is_last, place + 1, n).flip(0).cummin(0).values.flip(0)
    pivots = numbers[begins]
    small, same = numbers < pivots, numbers == pivots
    zero = place[:1] * 0
    below, equal = (torch.cat([zero, group.cumsum(0)]) for group in (small, same))
    smaller, equals = (count[ends] - count[begins] for count in (below, equal))
    s, t = below[:-1] - below[begins], equal[:-1] - equal[begins]
    offset = torch.where(small, 0, torch.where(same, smaller, smaller + equals))
    rank = torch.where(small, s, torch.where(same, t, place - begins - s - t))
    target = begins + offset + rank
    moved = torch.zeros_like(numbers).scatter(0, target, numbers)
    return moved, torch.zeros_like(heads).scatter(0, target, rank == 0)


# torch.sort needs no steps, and is the program to use. The peer of the example has its steps.
@peer(
    "the same steps, Inductor",
    lambda: (RNG(11).integers(-(2**31), 2**31, 1 << 16).astype(np.int32),),
)
def quicksort(numbers: Any) -> Any:
    heads = torch.arange(len(numbers), device=numbers.device) == 0
    while (numbers[:-1] > numbers[1:]).any():
        numbers, heads = quicksort_step(numbers, heads)
    return numbers


def sparse(rows: int, columns: int) -> tuple[Any, ...]:
    rng = RNG(10)
    lengths = rng.integers(0, 40, rows).astype(np.int32)
    n = int(lengths.sum())
    place = rng.integers(0, columns, n).astype(np.int32)
    return floats(rng, -1, 1, n), place, lengths, floats(rng, -1, 1, columns)


@peer("cuSPARSE by PyTorch", lambda: sparse(1 << 17, 1 << 17))
def sparse_product(values: Any, place: Any, lengths: Any, x: Any) -> Any:
    ends = lengths.cumsum(0, dtype=torch.int32)
    begins = torch.cat([torch.zeros_like(ends[:1]), ends]) if len(ends) else ends.new_zeros(1)
    matrix = torch.sparse_csr_tensor(begins, place, values, (len(lengths), len(x)))
    return matrix @ x


# Inductor repeats all earlier steps in each step, and does not compile 16 of them in minutes.
@peer("PyTorch", lambda: (2048, 2048, -2.0, -1.0, 1.5e-3, 1e-3, 16))
def mandelbrot(
    rows: int, columns: int, x0: float, y0: float, dx: float, dy: float, limit: int
) -> Any:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = (x0 + torch.arange(columns, device=device).float() * dx)[None, :].expand(rows, columns)
    y = (y0 + torch.arange(rows, device=device).float() * dy)[:, None].expand(rows, columns)
    u, v, count = torch.zeros_like(x), torch.zeros_like(x), torch.zeros_like(x, dtype=torch.int32)
    for _ in range(limit):
        go = u * u + v * v <= 4
        u, v = torch.where(go, u * u - v * v + x, u), torch.where(go, 2 * u * v + y, v)
        count = count + go
    return count


#: Programs without a peer, and their large case.
ALONE = {"canny": lambda: (RNG(4).integers(0, 256, (1024, 1024)).astype(np.int32), 10**5, 10**6)}


def moved(value: Any, device: str) -> Any:
    """The same with tensors of a device."""
    if isinstance(value, tuple):
        return tuple(moved(part, device) for part in value)
    return torch.from_numpy(np.array(value)).to(device) if isinstance(value, np.ndarray) else value


def parts_of(value: Any) -> list[np.ndarray]:
    """The arrays of a result, as NumPy's."""
    leaves = torch.utils._pytree.tree_leaves(value)
    return [leaf.cpu().numpy() if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves]


def compare(found: Any, expected: Any, tolerance: float) -> None:
    for one, other in zip(parts_of(found), flat(expected), strict=True):
        if tolerance:
            np.testing.assert_allclose(one, other, tolerance, tolerance)
        else:
            np.testing.assert_array_equal(one, other)


@obs.jit
def fractal(
    like: Annotated[Pull, 1, f32],
    rows: index, columns: index, x: f32, y: f32, dx: f32, dy: f32, limit: i32,
) -> Any:  # fmt: skip
    """The program of a Mandelbrot set, with an array that says on which device it runs."""
    return load("mandelbrot").mandelbrot(rows, columns, x, y, dx, dy, limit)


def program_of(name: str, entry: str, device: str) -> Callable[..., Any]:
    """A program of the examples, which runs on a device."""
    if name == "mandelbrot":
        return functools.partial(fractal, torch.zeros(1, device=device))
    program: Callable[..., Any] = getattr(load(name), entry)
    return program


def run(name: str, device: str = "cuda") -> str:
    """All cases of one program."""
    right = 0
    for entry, values, expected, tolerance in CASES[name]():
        program = program_of(name, entry, device)
        compare(program(*moved(values, device)), expected, tolerance)
        right += 1
    return f"ok: {right} cases"


def times(name: str) -> dict[str, Any]:
    """The times of the large case, whose results are those of the peer."""
    from gpu_torch import microseconds

    label, function, large = PEERS.get(name) or ("", None, ALONE[name])
    given = moved(large(), "cuda")
    entry = next(CASES[name]())[0]
    program = program_of(name, entry, "cuda")
    ours, call = microseconds(lambda: program(*given))
    result: dict[str, Any] = {"obsidian_us": round(ours, 1), "obsidian_call_us": round(call, 1)}
    if function is None:
        return result
    theirs = torch.compile(function, dynamic=False) if "Inductor" in label else function
    gpu, call = microseconds(lambda: theirs(*given))
    result |= {"peer": label, "peer_us": round(gpu, 1), "peer_call_us": round(call, 1)}
    result["ratio"] = round(gpu / ours, 3)
    if name not in ("n_body", "ray_casting", "k_means"):
        # Theirs are sums in another order, and choices between numbers that are nearly equal.
        compare(program(*given), tuple(parts_of(theirs(*given))), 1e-3)
    return result


def dry(name: str) -> str:
    """A peer in PyTorch on the CPU against the cases, and its large case."""
    run(name, "cpu")
    if name not in PEERS:
        return f"no peer, {len(ALONE[name]())} arguments"
    _, function, large = PEERS[name]
    right = 0
    for _, values, expected, tolerance in CASES[name]():
        if min((a.size for a in flat(values)), default=1):
            compare(function(*moved(values, "cpu")), expected, max(tolerance, 1e-5))
            right += 1
    return f"ok: {right} cases, and {len(moved(large(), 'cpu'))} arguments"


def main() -> int:
    """Run all programs."""
    warnings.simplefilter("ignore")
    is_dry, out = "--dry" in sys.argv, Path(os.environ.get("OUT", ".")) / "gpu_arrays.json"
    results: dict[str, Any] = {}
    failed = 0
    names = [word for word in sys.argv[1:] if word != "--dry"]
    for name in names or CASES:
        results[name] = {}
        for key, step in (("check", dry),) if is_dry else (("check", run), ("times", times)):
            if key == "times" and not str(results[name]["check"]).startswith("ok"):
                continue
            try:
                results[name][key] = step(name)
            except Exception:
                failed += 1
                results[name][key] = traceback.format_exc()[-1500:]
        if not is_dry:
            out.write_text(json.dumps(results, indent=1))
    print(json.dumps(results, indent=1))
    return failed


if __name__ == "__main__":
    sys.exit(main())

"""Every program of examples/arrays against NumPy, on the interpreter and the emulator."""

from __future__ import annotations

import doctest
import importlib.util
import sys
from collections.abc import Callable, Iterator
from math import erfc
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.filterwarnings("ignore::obsidian.PerformanceWarning")
FOLDER = Path(__file__).resolve().parents[2] / "examples" / "arrays"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))
SIZES = (0, 1, 31, 33, 1000)
RNG = np.random.default_rng
#: A program's arguments, what is right, and the tolerance (0: the same bits).
Case = tuple[str, tuple[Any, ...], Any, float]


def load(name: str) -> ModuleType:
    """The module of an example, under a name that no other example has."""
    full = f"arrays_example_{name}"
    if full not in sys.modules:
        spec = importlib.util.spec_from_file_location(full, FOLDER / f"{name}.py")
        assert spec is not None and spec.loader is not None
        sys.modules[full] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[full])
    return sys.modules[full]


def floats(rng: Any, low: float, high: float, *shape: int) -> np.ndarray:
    return rng.uniform(low, high, shape).astype(np.float32)


def black_scholes() -> Iterator[Case]:
    rng = RNG(1)
    for n in SIZES:
        s, x, t = floats(rng, 5, 30, n), floats(rng, 1, 100, n), floats(rng, 0.25, 10, n)
        r, v = 0.02, 0.3
        p, k, years = (a.astype(np.float64) for a in (s, x, t))
        d = (np.log(p / k) + (r + v * v / 2) * years) / (v * np.sqrt(years))

        def normal(y: Any) -> Any:
            return np.array([0.5 * erfc(-z / 2**0.5) for z in y])

        first, second = normal(d), normal(d - v * np.sqrt(years))
        later = k * np.exp(-r * years)
        calls = p * first - later * second
        yield "black_scholes", (s, x, t, r, v), (calls, calls - p + later), 2e-4


def mandelbrot() -> Iterator[Case]:
    for rows, columns, limit in [(0, 3, 9), (1, 1, 9), (31, 33, 20), (3, 100, 50)]:
        dx, dy = np.float32(3) / np.float32(max(columns, 1)), np.float32(0.0625)
        x = np.float32(-2) + np.arange(columns, dtype=np.float32)[None, :] * dx
        y = np.float32(-1) + np.arange(rows, dtype=np.float32)[:, None] * dy
        x, y = np.broadcast_arrays(x, y)
        u, v, count = np.zeros_like(x), np.zeros_like(x), np.zeros(x.shape, np.int32)
        for _ in range(limit):
            go = u * u + v * v <= 4
            u, v = np.where(go, u * u - v * v + x, u), np.where(go, 2 * u * v + y, v)
            count += go
        yield "mandelbrot", (rows, columns, -2.0, -1.0, dx, dy, limit), count, 0


def n_body() -> Iterator[Case]:
    rng = RNG(2)
    for n in (0, 1, 31, 33, 200):
        places, speeds = floats(rng, -1, 1, 3, n), floats(rng, -1, 1, 3, n)
        masses, time = floats(rng, 0.5, 2, n), 0.125
        p, m = places.astype(np.float64), masses.astype(np.float64)
        d = p[:, None, :] - p[:, :, None]
        square = (d * d).sum(0) + 0.001
        a = (m[None, :] * square**-1.5 * d).sum(2)
        after = speeds + a * time
        moved = p + after * time
        yield "step", (tuple(places), tuple(speeds), masses, time), (*moved, *after), 1e-3


def k_means() -> Iterator[Case]:
    rng = RNG(3)
    for n, k, steps in [(0, 1, 2), (1, 3, 2), (33, 4, 0), (200, 5, 3), (1000, 33, 2)]:
        # Whole numbers, so that sums are exact and no two distances are nearly equal.
        x, y = (rng.integers(-50, 50, n).astype(np.float32) for _ in range(2))
        start = tuple(rng.integers(-50, 50, k).astype(np.float32) for _ in range(2))
        u, v = start
        for step in range(steps + 1):
            square = (x[:, None] - u) * (x[:, None] - u) + (y[:, None] - v) * (y[:, None] - v)
            group = square.argmin(1) if n else np.zeros(0, int)
            if step < steps:
                count = np.bincount(group, minlength=k).astype(np.float32)
                sums = [np.bincount(group, a, k).astype(np.float32) for a in (x, y)]
                with np.errstate(invalid="ignore", divide="ignore"):
                    u, v = (np.where(count > 0, s / count, c) for s, c in zip(sums, (u, v)))
        yield "k_means", ((x, y), start, steps), (u, v, group), 0


def pad(a: np.ndarray, width: int, **how: Any) -> np.ndarray:
    return np.pad(a, width, **how) if a.size else np.zeros(np.add(a.shape, 2 * width), a.dtype)


def canny() -> Iterator[Case]:
    rng = RNG(4)
    for h, w in [(0, 3), (1, 1), (5, 6), (31, 33), (40, 17)]:
        a = rng.integers(0, 256, (h, w)).astype(np.int32)
        a[h // 4 : h // 2, w // 3 :] += 1000
        low, high = 100_000, 600_000
        weights = (1, 4, 6, 4, 1)
        p = pad(a, 2, mode="edge")[2 : 2 + h]
        rows = (sum(c * p[:, k : k + w] for k, c in enumerate(weights)) + 8) // 16
        p = pad(rows, 2, mode="edge")[:, 2 : 2 + w]
        b = pad((sum(c * p[k : k + h] for k, c in enumerate(weights)) + 8) // 16, 1, mode="edge")

        def at(q: np.ndarray, i: int, j: int) -> np.ndarray:
            return q[1 + i : 1 + i + h, 1 + j : 1 + j + w]

        x = sum(c * (at(b, i, 1) - at(b, i, -1)) for i, c in ((-1, 1), (0, 2), (1, 1)))
        y = sum(c * (at(b, 1, j) - at(b, -1, j)) for j, c in ((-1, 1), (0, 2), (1, 1)))
        s = pad(x * x + y * y, 1)
        here = at(s, 0, 0)
        flat, steep = 5 * abs(y) < 2 * abs(x), 2 * abs(y) > 5 * abs(x)
        falling = (x > 0) != (y > 0)
        thin = np.zeros_like(here)
        for where, (i, j) in [
            (flat, (0, 1)), (steep & ~flat, (1, 0)),
            (~flat & ~steep & ~falling, (1, 1)), (~flat & ~steep & falling, (1, -1)),
        ]:  # fmt: skip
            top = (at(s, i, j) <= here) & (at(s, -i, -j) <= here)
            thin = np.where(where & top, here, thin)
        edges, weak = thin > high, thin > low
        while True:
            q = pad(edges, 1)
            near = np.any([at(q, i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)], axis=0)
            grown = edges | (weak & near)
            if (grown == edges).all():
                break
            edges = grown
        yield "canny", (a, low, high), (edges, np.flatnonzero(edges)), 0


def ray_casting() -> Iterator[Case]:
    rng = RNG(5)
    for k, h, w in [(0, 3, 3), (1, 1, 1), (3, 31, 33), (9, 16, 5), (3, 0, 4)]:
        balls = [*floats(rng, -1.5, 1.5, 2, k), floats(rng, 4, 6, k), floats(rng, 0.3, 1, k)]
        x = ((2 * np.arange(w) + 1).astype(np.float32) * 2 / np.float32(w) - 2)[None, :]
        y = ((2 * np.arange(h) + 1).astype(np.float32) * 2 / np.float32(max(h, 1)) - 2)[:, None]
        depth, picture = np.full((h, w), np.inf), np.zeros((h, w))
        for u, v, z, r in zip(*balls):
            square = r * r - (x - u) ** 2 - (y - v) ** 2
            front = np.where(square >= 0, z - np.sqrt(np.maximum(square, 0)), np.inf)
            light = (x - u) / r * -0.48 + (y - v) / r * 0.6
            with np.errstate(invalid="ignore"):
                light = np.maximum(0.2, light + (front - z) / r * -0.64)
            picture = np.where(front < depth, light, picture)
            depth = np.minimum(front, depth)
        yield "cast", (tuple(balls), h, w), picture, 1e-4


def game_of_life() -> Iterator[Case]:
    rng = RNG(6)
    for h, w, steps in [(0, 3, 2), (1, 1, 1), (31, 33, 5), (3, 100, 0)]:
        cells = rng.integers(0, 2, (h, w)).astype(np.int8)
        a = cells
        for _ in range(steps):
            around = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
            count = sum(np.roll(a, d, (0, 1)) for d in around)
            a = ((count == 3) | ((count == 2) & (a == 1))).astype(np.int8)
        yield "life", (cells, steps), a, 0


def carried(a: np.ndarray, u: np.ndarray, v: np.ndarray, time: float) -> np.ndarray:
    h, w = a.shape
    y = np.clip(np.arange(h)[:, None] - time * v, 0, h - 1)
    x = np.clip(np.arange(w)[None, :] - time * u, 0, w - 1)
    i, j = y.astype(int), x.astype(int)
    k, m = np.minimum(i + 1, h - 1), np.minimum(j + 1, w - 1)
    b, c = y - i, x - j
    return (a[i, j] * (1 - c) + a[i, m] * c) * (1 - b) + (a[k, j] * (1 - c) + a[k, m] * c) * b


def fluid() -> Iterator[Case]:
    rng = RNG(7)
    for h, w, iterations in [(1, 1, 3), (4, 4, 0), (31, 33, 10), (17, 5, 3)]:
        u, v, smoke = floats(rng, -2, 2, 3, h, w)
        time = 0.25
        x, y, s = (a.astype(np.float64) for a in (u, v, smoke))
        x, y = carried(x, x, y, time), carried(y, x, y, time)
        p, q = np.pad(x, 1, mode="edge"), np.pad(y, 1, mode="edge")
        sources = 0.5 * (p[1:-1, 2:] - p[1:-1, :-2] + q[2:, 1:-1] - q[:-2, 1:-1])
        pressure = np.zeros((h, w))
        for _ in range(iterations):
            p = np.pad(pressure, 1, mode="edge")
            around = p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:]
            pressure = (around - sources) / 4
        p = np.pad(pressure, 1, mode="edge")
        x = x - 0.5 * (p[1:-1, 2:] - p[1:-1, :-2])
        y = y - 0.5 * (p[2:, 1:-1] - p[:-2, 1:-1])
        yield "step", ((u, v), smoke, time, iterations), (x, y, carried(s, x, y, time)), 1e-3


def histogram() -> Iterator[Case]:
    rng = RNG(8)
    for n in SIZES:
        for bins in (1, 33, 1000):
            a = (rng.integers(-64, 320, n) / 64).astype(np.float32)
            a[:1] = 1e30
            place = np.floor(a / np.float32(4) * np.float32(bins))
            inside = place[(place >= 0) & (place < bins)].astype(int)
            yield "histogram", (a, 0.0, 4.0, bins), np.bincount(inside, minlength=bins), 0


def radix_sort() -> Iterator[Case]:
    for n in SIZES:
        a = RNG(9).integers(-(2**31), 2**31, n).astype(np.int32)
        yield "radix_sort", (a,), np.sort(a), 0
        yield "radix_sort", (a >> 29,), np.sort(a >> 29), 0


def sparse_product() -> Iterator[Case]:
    rng = RNG(10)
    for rows, columns in [(0, 1), (1, 31), (33, 33), (100, 1000)]:
        lengths = rng.integers(0, min(columns, 40) + 1, rows).astype(np.int32)
        n = int(lengths.sum())
        place, x = rng.integers(0, columns, n).astype(np.int32), floats(rng, -1, 1, columns)
        values = floats(rng, -1, 1, n)
        owner = np.repeat(np.arange(rows), lengths)
        expected = np.zeros(rows)
        np.add.at(expected, owner, values.astype(np.float64) * x[place])
        yield "multiply", (values, place, lengths, x), expected, 1e-4


def quicksort() -> Iterator[Case]:
    for n in SIZES:
        a = RNG(11).integers(-100, 100, n).astype(np.int32)
        yield "quicksort", (a,), np.sort(a), 0
    for n in (31, 33):
        yield "quicksort", (np.arange(n, dtype=np.int32),), np.arange(n), 0
        yield "quicksort", (np.arange(n, 0, -1, dtype=np.int32),), np.arange(1, n + 1), 0


CASES: dict[str, Callable[[], Iterator[Case]]] = {
    f.__name__: f
    for f in (
        black_scholes, canny, fluid, game_of_life, histogram, k_means, mandelbrot, n_body,
        quicksort, radix_sort, ray_casting, sparse_product,
    )
}  # fmt: skip


def flat(value: Any) -> list[np.ndarray]:
    if isinstance(value, tuple):
        return [part for item in value for part in flat(item)]
    return [np.asarray(value)]


def test_there_are_twelve() -> None:
    assert sorted(CASES) == NAMES and len(NAMES) == 12


@pytest.mark.parametrize("executor", ["interpret", "emulate"])
@pytest.mark.parametrize("name", NAMES)
def test_example(name: str, executor: str) -> None:
    for entry, values, expected, tolerance in CASES[name]():
        program = getattr(load(name), entry)
        if executor == "interpret":
            found = program.interpret(*values)
        else:
            found = program.emulate(*values, check=True)
        parts, right = flat(found), flat(expected)
        assert len(parts) == len(right)
        for one, other in zip(parts, right):
            what = f"{name} {[np.shape(v) for v in flat(values)]}"
            assert one.shape == other.shape, what
            if tolerance:
                np.testing.assert_allclose(one, other, tolerance, tolerance, err_msg=what)
            else:
                np.testing.assert_array_equal(one, other, err_msg=what)


@pytest.mark.parametrize("name", NAMES)
def test_documented_call(name: str) -> None:
    result = doctest.testmod(load(name))
    assert result.attempted > 0
    assert result.failed == 0


def test_black_scholes_computes_nothing_twice() -> None:
    """One kernel reads each number once, and has each function of the formula once or twice."""
    program = load("black_scholes").black_scholes
    (kernel,) = program.cost().kernels
    assert [a.kind for a in kernel.accesses].count("read") == 3
    assert program.cost(n=1000).bytes() == 5 * 4 * 1000
    assert "each element is computed" not in str([d.message for d in program.artifact.diagnostics])
    # One logarithm, square root and exponential for each option; the normal distribution of two
    # numbers. The kernel has the code of an option several times, for several at once.
    code = program.kernels()
    counts = {f: code.count(f"math.{f} ") for f in ("log", "sqrt", "exp", "erfc")}
    copies = counts["log"]
    assert copies and counts == {"log": copies, "sqrt": copies, "exp": copies, "erfc": 2 * copies}


def test_kernels() -> None:
    """Collectives are fused with the functions before and behind them."""
    entries = ("black_scholes.black_scholes", "mandelbrot.mandelbrot", "n_body.step")
    for name in (*entries, "ray_casting.cast"):
        module, _, entry = name.partition(".")
        assert len(getattr(load(module), entry).cost().kernels) == 1, name

"""Random programs: the tracer and the emulator against NumPy.

A program is a list of steps. Each step is a function of the language and the same function of
NumPy, with random numbers as parameters.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Annotated, Any

import numpy as np
import pytest

import obsidian as obs
from obsidian import Pull, block, i32, thread, warp
from obsidian.backend import RunOptions

PROGRAMS = 500
LENGTHS = (0, 1, 2, 31, 32, 33, 64, 100, 257)

#: A function of the language, and the same function of NumPy.
Step = tuple[Callable[[Any], Any], Callable[[Any], Any]]


def elementwise(random: Any, a: Any) -> Step:
    k = int(random.integers(-100, 100))
    shift = int(random.integers(0, 8))
    steps: list[Step] = [
        (lambda x: x * k + 1, lambda x: x * np.int32(k) + np.int32(1)),
        (lambda x: x ^ (x >> shift), lambda x: x ^ (x >> shift)),
        (lambda x: obs.max(x, k) - x, lambda x: np.maximum(x, k) - x),
        (
            lambda x: x.map(lambda e: obs.where(e % 3 == 0, e, -e)),
            lambda x: np.where(x % 3 == 0, x, -x),
        ),
        (lambda x: x // (abs(k) + 1), lambda x: x // np.int32(abs(k) + 1)),
        (
            branch_above(k),
            lambda x: np.where((x > k) & (x % 2 == 0), x - k, x + np.int32(1)),
        ),
    ]
    return steps[random.integers(len(steps))]


def branch_above(k: int) -> Any:
    """A map with a condition."""

    def branch(x: Any) -> Any:
        return x.map(lambda e: obs.when((e > k) & (e % 2 == 0))(lambda: e - k, lambda: e + 1))

    return branch


def moved(random: Any, a: Any) -> Step:
    n = len(a)
    begin = int(random.integers(0, n + 1))
    step = int(random.integers(1, 4)) * int(random.choice([1, -1]))
    roll = int(random.integers(0, 50))
    steps: list[Step] = [
        (lambda x: x[::-1], lambda x: x[::-1]),
        (lambda x: x[begin:], lambda x: x[begin:]),
        (lambda x: x.take(begin), lambda x: x[:begin]),
        (lambda x: x[::step], lambda x: x[::step]),
        (lambda x: x.ix_map(lambda i: (i - roll) % x.size), lambda x: np.roll(x, roll)),
        (lambda x: obs.concat(x, x[:begin]), lambda x: np.append(x, x[:begin])),
        (lambda x: obs.interleave(x, x + 1), lambda x: np.stack([x, x + np.int32(1)], 1).ravel()),
        (lambda x: x.force(kernel="step"), lambda x: x),
    ]
    return steps[random.integers(len(steps))]


def combined(random: Any, a: Any) -> Step:
    exclusive = bool(random.integers(2))

    def scanned(x: Any) -> Any:
        sums = np.cumsum(x, dtype=np.int32)
        return np.append(np.int32(0), sums)[:-1] if exclusive else sums

    limit = int(np.median(a)) if len(a) else 0
    steps: list[Step] = [
        (
            lambda x: x.scan(operator.add, 0, exclusive=exclusive).force(kernel="scan"),
            scanned,
        ),
        (lambda x: obs.filter(x, lambda e: e > limit), lambda x: x[x > limit]),
        (
            lambda x: obs.scatter(x, at=x & 15, into=16, init=0, combine="add").force(kernel="add"),
            lambda x: np.array([x[x & 15 == k].sum(dtype=np.int32) for k in range(16)], np.int32),
        ),
    ]
    return steps[random.integers(len(steps))]


def chunked(random: Any, a: Any) -> Step:
    size = int(random.choice([1, 2, 8, 30, 32, 64]))
    level = (thread, warp, block)[random.integers(3)]
    power = size & (size - 1) == 0
    inner: list[Step] = [
        (lambda c: c[::-1].force(), lambda m: m[:, ::-1]),
        (lambda c: c.scan(operator.add, 0), lambda m: np.cumsum(m, axis=1, dtype=np.int32)),
        (lambda c: c + c.sum(), lambda m: m + m.sum(1, keepdims=True, dtype=np.int32)),
        (
            lambda c: obs.tree_reduce(c.force(), operator.add, ordered=True),
            lambda m: m.sum(1, keepdims=True, dtype=np.int32),
        ),
        (lambda c: c.max(), lambda m: m.max(1, initial=i32.min, keepdims=True)),
        (
            lambda c: obs.bitonic_sort(c) if power else obs.odd_even_sort(c),
            lambda m: np.sort(m, axis=1),
        ),
        (
            lambda c: obs.concat((d.force() * 2 for d in c.split(4, pad=0)), to=size),
            lambda m: m * np.int32(2),
        ),
    ]
    body, oracle = inner[random.integers(len(inner))]

    def by_numpy(x: Any) -> Any:
        rows = -(-len(x) // size)
        padded = np.append(x, np.full(rows * size - len(x), 5, np.int32))
        return oracle(padded.reshape(rows, size)).ravel()

    return lambda x: obs.concat((body(c) for c in x.split(size, pad=5)), level=level).force(
        kernel="chunks"
    ), by_numpy


def draw(random: Any) -> tuple[Any, Any, list[Callable[[Any], Any]]]:
    """An input, the result of NumPy, and the steps of the program."""
    array = random.integers(-(2**31), 2**31, int(random.choice(LENGTHS))).astype(np.int32)
    result, steps = array, []
    for _ in range(int(random.integers(1, 6))):
        kind = (elementwise, elementwise, moved, moved, combined, chunked, chunked)
        step, oracle = kind[random.integers(len(kind))](random, result)
        result = oracle(result)
        steps.append(step)
    return array, np.asarray(result, np.int32), steps


# The parts are tests of their own, which run side by side.
@pytest.mark.parametrize("seed", range(PROGRAMS), ids=lambda seed: f"part{seed % 6}-{seed}")
def test_random_program(seed: int) -> None:
    with np.errstate(over="ignore"):
        array, expected, steps = draw(np.random.default_rng(seed))

    @obs.jit
    def program(a: Annotated[Pull, "n", i32]):
        for step in steps:
            a = step(a)
        return a

    options = RunOptions(check=True, schedule="random", seed=seed)
    np.testing.assert_array_equal(program.run(options, array), expected)

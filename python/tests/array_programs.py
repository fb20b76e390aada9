"""The runs of programs, the shapes and the operators of the tests of obsidian.arrays."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import numpy as np

import obsidian as obs
from obsidian import Pull, f32, i32

Numbers = Annotated[Pull, "n", i32]
Others = Annotated[Pull, "m", i32]
Floats = Annotated[Pull, "n", f32]
SIZES = (0, 1, 31, 33, 1000)
#: The shapes of each rank: extents at the edges of a warp, and arrays without elements.
SHAPES: dict[int, list[tuple[int, ...]]] = {
    1: [(n,) for n in SIZES],
    2: [(0, 3), (3, 0), (1, 1), (5, 31), (3, 33), (2, 1000), (33, 2)],
    3: [(2, 0, 3), (2, 3, 31), (1, 2, 33)],
    4: [(2, 1, 3, 33), (1, 2, 2, 0)],
}
LEVELS = (None, obs.thread, obs.warp, obs.block)


@functools.cache
def vector(rank: int, kind: Any = i32) -> Any:
    """The type of arrays of a rank."""
    return Pull[(*(None,) * rank, kind)]


#: The last programs of `run`: arrays of one rank and all shapes have the same one. They are few,
#: since each has memory for the threads of the emulator.
PROGRAMS: dict[Any, Any] = {}


def run(function: Callable[..., Any], types: Any, *values: Any, **static: Any) -> Any:
    """The results of a program on the interpreter, after the emulator has given the same."""
    captured = tuple(cell.cell_contents for cell in function.__closure__ or ())
    key = (function.__code__, tuple(types), captured)
    if key not in PROGRAMS:
        function.__annotations__ = dict(zip(function.__code__.co_varnames, types))
        PROGRAMS[key] = obs.jit(function)
        if len(PROGRAMS) > 4:
            del PROGRAMS[next(iter(PROGRAMS))]
    return both(PROGRAMS[key], *values, **static)


def both(program: Any, *values: Any, **static: Any) -> Any:
    """The results of the interpreter; the emulator, with all checks, has the same."""
    expected = program.interpret(*values, **static)
    found = program.emulate(*values, check=True, schedule="random", seed=1, **static)
    for one, other in zip(flat(found), flat(expected)):
        np.testing.assert_array_equal(one, other)
    return expected


def flat(value: Any) -> list[np.ndarray]:
    if isinstance(value, tuple):
        return [part for item in value for part in flat(item)]
    return [np.asarray(value)]


def equal(found: Any, *expected: Any) -> None:
    parts = flat(found)
    assert len(parts) == len(expected)
    for one, other in zip(parts, expected):
        other = np.asarray(other)
        assert one.shape == other.shape, (one.shape, other.shape)
        np.testing.assert_array_equal(one, other)


def numbers(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(-50, 50, shape).astype(np.int32)


def shapes(*ranks: int) -> list[tuple[int, ...]]:
    return [shape for rank in ranks for shape in SHAPES[rank]]


# Operators that are associative and not commutative, for single numbers: affine maps x -> p x + q,
# packed as p and q in one i32 modulo 2^16, and "the last number that is not zero".
def affine(a: Any, b: Any) -> Any:
    p = (a >> 16) * (b >> 16)
    q = (a & 0xFFFF) * (b >> 16) + (b & 0xFFFF)
    return (p << 16) | (q & 0xFFFF)


def affine_of_numpy(a: int, b: int) -> int:
    a, b = int(a) & 0xFFFFFFFF, int(b) & 0xFFFFFFFF
    p = (a >> 16) * (b >> 16) & 0xFFFF
    q = ((a & 0xFFFF) * (b >> 16) + (b & 0xFFFF)) & 0xFFFF
    return int(np.uint32(p << 16 | q).view(np.int32))


ONE = 1 << 16
START = 5 << 16 | 7


def folded(row: Any, start: int | None = START) -> Iterator[int]:
    """All prefixes of a row, combined with affine_of_numpy."""
    state = start
    if state is not None:
        yield state
    for x in row:
        state = int(x) if state is None else affine_of_numpy(state, x)
        yield state


def by_rows(function: Callable[[np.ndarray], Any], a: np.ndarray, length: int) -> np.ndarray:
    """Apply a function to all rows of an array."""
    count = int(np.prod(a.shape[:-1]))
    rows = [function(row) for row in a.reshape(count, a.shape[-1])]
    return np.array(rows, np.int32).reshape(*a.shape[:-1], length)


def prefixes(a: np.ndarray, start: int | None = START) -> np.ndarray:
    extra = start is not None
    return by_rows(lambda r: list(folded(r, start)), a, a.shape[-1] + extra)


def backwards(row: np.ndarray, start: int | None = START) -> list[int]:
    state, found = start, [] if start is None else [start]
    for x in row[::-1]:
        state = int(x) if state is None else affine_of_numpy(x, state)
        found.append(state)
    return found[::-1]


def suffixes(a: np.ndarray, start: int | None = START) -> np.ndarray:
    return by_rows(lambda r: backwards(r, start), a, a.shape[-1] + (start is not None))


def maps_of(shape: tuple[int, ...]) -> np.ndarray:
    """Random affine maps."""
    rng = np.random.default_rng(4)
    return (rng.integers(1, 4, shape) << 16 | rng.integers(0, 100, shape)).astype(np.int32)

"""Every operation of the dialect has a name in Python, and its program has the right results.

The table of operations is compared with the definitions of the dialect, so a new operation without
a Python name fails a test. Each entry of the table is a program, with the values of NumPy.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest

import obsidian as obs
from obsidian import Pull, block, f32, grid, i1, i8, i32, i64, index, thread, warp

DEFINITIONS = (
    Path(__file__).resolve().parents[2] / "include" / "Obsidian" / "Dialect" / "Obs" / "IR"
)
#: Operations that only the compiler writes, and those of memory, which a program does not name.
INTERNAL = {
    "arrive", "await", "barrier", "kernel", "launch", "mma", "part", "publish", "ticket",
    "worker_count", "worker_id",
}  # fmt: skip

Ints = Annotated[Pull, "n", i32]
Matrix = Annotated[Pull, "h", "w", i32]
A = np.random.default_rng(1).integers(-50, 50, 100).astype(np.int32)
B = np.random.default_rng(2).integers(-50, 50, 100).astype(np.int32)
M = A[:96].reshape(8, 12)


def in_block(function: Callable[[Any], Any], size: int = 100) -> Callable[[Any], Any]:
    """The function as a program of one block."""
    return lambda a: obs.concat((function(c) for c in a.split(size)), level=block)


def bits(values: Any, function: Callable[[int], int]) -> Any:
    """A function of small integers for each element."""
    return np.array([function(int(v)) for v in values], np.int32)


def partitioned(a: Any) -> Any:
    """The elements, sorted by their last bits."""
    counts = obs.scatter(1, at=a & 7, into=8, init=0, combine="add").force()
    return a.partition(lambda x: x & 7, counts.scan(operator.add, 0, exclusive=True).force())


def flip_pairs(a: Any) -> Any:
    """Exchange neighbours by writes."""
    return obs.fill(a.size, i32, over=a.size // 2)(
        lambda t: {2 * t: a[2 * t + 1], 2 * t + 1: a[2 * t]}
    )


def two_programs(a: Any) -> Any:
    """The array twice, by `put`."""

    @obs.fill(2 * a.size, i32)
    def twice() -> None:
        obs.put(a.push(), at=0)
        obs.put(a, at=a.size)

    return twice


def by_par(a: Any) -> Any:
    """A transposition by a loop over blocks and one over threads."""

    @obs.fill((12, 8), i32)
    def turned() -> None:
        @obs.par(8, level=block)
        def rows(i: Any) -> None:
            obs.par(12)(lambda j: obs.write(a[i, j], at=(j, i)))

    return turned


def asserted(a: Any) -> Any:
    obs.assert_(a.size > 0, "there is an element")
    return a + 1


def printed(a: Any) -> Any:
    obs.print("n = {}", a.size)
    return a + 1


#: For each operation: the types of the parameters, the program, the arguments, the result.
PROGRAMS: dict[str, tuple[Any, Callable[..., Any], Any, Any]] = {
    "assert": (Ints, asserted, A, A + 1),
    "bit.flip": (Ints, lambda a: obs.bit.flip(a[0], 3) + a, A, (A[0] ^ 8) + A),
    "bit.flip_low": (Ints, lambda a: obs.bit.flip_low(a[0], 3) + a, A, (A[0] ^ 15) + A),
    "bit.insert_zero": (
        Ints,
        lambda a: a.map(lambda x: obs.bit.insert_zero(x, 1)),
        A,
        bits(A, lambda v: (v & ~1) * 2 | (v & 1)),
    ),
    "bit.reverse": (
        Ints,
        lambda a: a.map(lambda x: obs.bit.reverse(x, 2)),
        A,
        bits(A, lambda v: v & ~3 | (v & 1) << 1 | (v >> 1) & 1),
    ),
    "bit.rotate": (
        Ints,
        lambda a: a.map(lambda x: obs.bit.rotate(x, 1, 3)),
        A,
        bits(A, lambda v: v & ~7 | (v << 1) & 7 | (v >> 2) & 1),
    ),
    "bit.swap": (
        Ints,
        lambda a: a.map(lambda x: obs.bit.swap(x, 0, 2)),
        A,
        bits(A, lambda v: v & ~5 | (v & 1) << 2 | (v >> 2) & 1),
    ),
    "compact": (Ints, lambda a: a.compact(a > 0, init=0)[0], A, np.append(A[A > 0], 0 * A[A <= 0])),
    "concat": (Ints, lambda a: obs.concat(a, a[:3]), A, np.append(A, A[:3])),
    "constant": (Ints, lambda a: a.map(lambda x: obs.table([5, 7])[x & 1]), A, 5 + 2 * (A & 1)),
    "dim": (Ints, lambda a: a + a.dim(0).to(i32), A, A + 100),
    "distribute": (
        Ints,
        lambda a: obs.stack((c[::-1] for c in a.split(20)), level=warp),
        A,
        A.reshape(5, 20)[:, ::-1],
    ),
    "expand": (
        Ints,
        lambda a: obs.expand(a & 3, 300, init=-1)(lambda i, j: (i * 10 + j).to(i32))[0],
        A,
        np.array(
            ([i * 10 + j for i, v in enumerate(A) for j in range(v & 3)] + [-1] * 300)[:300],
            np.int32,
        ),
    ),
    "fill": (Ints, flip_pairs, A, A.reshape(-1, 2)[:, ::-1].ravel()),
    "force": (Ints, lambda a: (a + 1).force(kernel="first") * 2, A, (A + 1) * 2),
    "generate": (
        Ints,
        lambda a: obs.generate(5, 4)(lambda i, j: a[i * 4 + j]),
        A,
        A[:20].reshape(5, 4),
    ),
    "get": (Ints, lambda a: a + a[-1] + a[2], A, A + A[-1] + A[2]),
    "interleave": (Ints, lambda a: obs.interleave(a, -a), A, np.stack([A, -A], 1).ravel()),
    "iota": (Ints, lambda a: a + obs.iota(a.size, i32), A, A + np.arange(100, dtype=np.int32)),
    "join": (Ints, lambda a: a.split(20).join(), A, A),
    "map": (Ints, lambda a: a.map(lambda x, y: x * y, a), A, A * A),
    "matmul": (Matrix, lambda a: a.matmul(a.transpose(1, 0), init=3), M, M @ M.T + 3),
    "nest": (Matrix, lambda a: a.rows().map(lambda row: row.sum()), M, M.sum(1, dtype=np.int32)),
    "par": (Matrix, by_par, M, M.T),
    "partition": (Ints, partitioned, A, A[np.argsort(A & 7, kind="stable")]),
    "print": (Ints, printed, A, A + 1),
    "push": (Ints, lambda a: obs.concat(a.push(), (a + 1).push()), A, np.append(A, A + 1)),
    "put": (Ints, two_programs, A, np.append(A, A)),
    "rank": (
        Ints,
        in_block(lambda c: (c & 15).force().rank(16)[0]),
        A,
        np.argsort(np.argsort(A & 15, kind="stable")).astype(np.int32),
    ),
    "reduce": (Ints, lambda a: a.reduce(operator.add, 7), A, np.array([A.sum() + 7], np.int32)),
    "reindex": (Ints, lambda a: a.ix_map(lambda i: (i + 1) % a.size), A, np.roll(A, -1)),
    "reshape": (Ints, lambda a: a.reshape(20, 5), A, A.reshape(20, 5)),
    "reverse": (Matrix, lambda a: a.reverse(1), M, M[:, ::-1]),
    "scan": (Ints, lambda a: a.scan(operator.add, 0), A, np.cumsum(A, dtype=np.int32)),
    "scatter": (
        Ints,
        lambda a: obs.scatter(a, at=a & 7, into=8, init=0, combine="add"),
        A,
        np.array([A[k == A & 7].sum() for k in range(8)], np.int32),
    ),
    "segmented_reduce": (
        Ints,
        lambda a: a.segmented_reduce(operator.add, 0, offsets=obs.table([0, 10, 10, 100])),
        A,
        np.array([A[:10].sum(), 0, A[10:].sum()], np.int32),
    ),
    "segmented_scan": (
        Ints,
        lambda a: a.segmented_scan(
            operator.add, 0, flags=obs.iota(a.size).map(lambda i: i % 25 == 0)
        ),
        A,
        np.cumsum(A.reshape(4, 25), axis=1, dtype=np.int32).ravel(),
    ),
    "slice": (Ints, lambda a: a[10:90:7], A, A[10:90:7]),
    "splat": (Ints, lambda a: a + obs.full(100, 3), A, A + 3),
    "split": (
        Ints,
        lambda a: a.split(30, pad=9).unnest(),
        A,
        np.append(A, np.full(20, 9, np.int32)).reshape(4, 30),
    ),
    "take": (Ints, lambda a: a.take(17), A, A[:17]),
    "transpose": (Matrix, lambda a: a.T, M, M.T),
    "unnest": (Ints, lambda a: a.split(50, strided=True).unnest(), A, A.reshape(50, 2).T),
    "unzip": (Ints, lambda a: obs.zip(a, -a).unzip()[1], A, -A),
    "write": (
        Ints,
        lambda a: obs.fill(a.size, i32, over=a.size)(lambda i: obs.write(a[i], at=a.size - 1 - i)),
        A,
        A[::-1],
    ),
    "view": (Ints, lambda a: (a + 1).force(into=a), A.copy(), A + 1),
    "yield": (Ints, lambda a: a.map(lambda x: x), A, A),
    "zip": (Ints, lambda a: obs.zip(a, a + 1).map(lambda x, y: x * y), A, A * (A + 1)),
}


def defined_operations() -> set[str]:
    """The operations that the dialect defines."""
    found: set[str] = set()
    for path in DEFINITIONS.glob("*.td"):
        pattern = r"^def Obs_\w+Op : Obs_(\w*)Op<\"([\w.]+)\""
        for family, name in re.findall(pattern, path.read_text(), re.MULTILINE):
            found.add(f"bit.{name}" if family == "Bit" else name)
    return found


@pytest.mark.skipif(not DEFINITIONS.exists(), reason="the definitions of the dialect are not here")
def test_each_operation_has_a_name() -> None:
    found = defined_operations()
    assert len(found) > 40
    assert found == set(PROGRAMS) | INTERNAL


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_operation(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    hint, program, argument, expected = PROGRAMS[name]

    def function(a: Any) -> Any:
        return program(a)

    function.__annotations__["a"] = hint
    compiled = obs.jit(function, donate="a" if name == "view" else ())
    assert re.search(rf"\bobs\.{re.escape(name)}\b", compiled.mlir())
    found = compiled(argument)
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == np.asarray(expected).dtype
    if name == "print":
        assert "n = 100" in capfd.readouterr().out


def test_contracts() -> None:
    """Each meaning of several writes; a commutative function of two elements is one."""
    keys = (A & 7).astype(np.int32)
    groups = [A[keys == k] for k in range(8)]
    for combine, expected in (
        ("add", [g.sum() for g in groups]),
        ("min", [g.min() for g in groups]),
        ("max", [g.max() for g in groups]),
        ("umin", [g.view(np.uint32).min().astype(np.int32) for g in groups]),
        ("or", [np.bitwise_or.reduce(g) for g in groups]),
        ("and", [np.bitwise_and.reduce(g) for g in groups]),
        ("xor", [np.bitwise_xor.reduce(g) for g in groups]),
        (lambda x, y: obs.max(x, y), [g.max() for g in groups]),
    ):

        @obs.jit
        def grouped(a: Ints, k: Ints):
            start = {"min": i32.max, "max": i32.min, "umin": -1, "and": -1}
            init = start.get(combine, 0) if isinstance(combine, str) else i32.min
            return obs.scatter(a, at=k, into=8, init=init, combine=combine)

        np.testing.assert_array_equal(grouped(A, keys), np.array(expected, np.int32))


def test_scatter_fetch_numbers_the_elements() -> None:
    @obs.jit
    def numbered(k: Ints):
        return obs.scatter(1, at=k, into=8, init=0, combine="add", fetch=True)

    counts, found = numbered(A & 7)
    np.testing.assert_array_equal(counts, np.bincount(A & 7, minlength=8))
    for key in range(8):
        assert sorted(found[key == A & 7]) == list(range(counts[key]))


def test_functions_of_numbers() -> None:
    x = np.linspace(-0.9, 3, 64, dtype=np.float32)
    for name in ("exp", "sin", "cos", "tanh", "floor", "ceil", "trunc", "log1p", "cbrt"):

        @obs.jit
        def apply(x: Annotated[Pull, "n", f32]):
            return getattr(obs, name)(x)

        np.testing.assert_allclose(apply(x), getattr(np, name)(x), rtol=1e-5, atol=1e-6)


def test_unsigned_numbers() -> None:
    @obs.jit
    def apply(a: Ints, b: Ints):
        u = obs.unsigned
        return (
            u.less(a, b), u.less_equal(a, b), u.min(a, b), u.max(a, b), u.shr(a, 3),
            u.div(a, b), u.rem(a, b)
        )  # fmt: skip

    b = np.where(B == 0, 1, B)
    x, y = A.view(np.uint32), b.view(np.uint32)
    expected = (x < y, x <= y, np.minimum(x, y), np.maximum(x, y), x >> 3, x // y, x % y)
    for found, wanted in zip(apply(A, b), expected):
        np.testing.assert_array_equal(
            found, wanted.view(np.int32) if wanted.dtype != bool else wanted
        )


def test_division_rounds_as_in_python() -> None:
    b = np.where(B == 0, 1, B)

    @obs.jit
    def apply(a: Ints, b: Ints):
        return a // b, a % b, a.map(obs.div, b), a.map(obs.rem, b)

    quotient, rest, truncated, remainder = apply(A, b)
    np.testing.assert_array_equal(quotient, A // b)
    np.testing.assert_array_equal(rest, A % b)
    np.testing.assert_array_equal(truncated, np.trunc(A / b).astype(np.int32))
    np.testing.assert_array_equal(remainder, np.fmod(A, b))

    @obs.jit
    def floats(x: Annotated[Pull, "n", f32], y: Annotated[Pull, "n", f32]):
        return x // y, x % y

    x, y = A.astype(np.float32), b.astype(np.float32)
    # 1 / 0.1 is rounded up to 10.
    special = np.float32([1, 0.1, 0, -0.0, -1, 3, -0.3, 7.5, 1e20, -1e-20, np.inf, -np.inf, np.nan])
    left, right = (side.ravel() for side in np.meshgrid(special, special))
    for dividend, divisor in ((x, y), (left, right)):
        with np.errstate(all="ignore"):
            expected = dividend // divisor, dividend % divisor
        for found, wanted in zip(floats(dividend, divisor), expected):
            np.testing.assert_array_equal(found, wanted)
            numbers = ~np.isnan(wanted)
            np.testing.assert_array_equal(np.signbit(found[numbers]), np.signbit(wanted[numbers]))


def test_index_arithmetic_below_zero() -> None:
    """Indices may be negative between the steps of a computation."""

    @obs.jit
    def roll(a: Ints):
        return a.ix_map(lambda i: (i - 7) % a.size)

    for n in (1, 5, 32, 100):
        np.testing.assert_array_equal(roll(A[:n]), np.roll(A[:n], 7))


def test_conversions() -> None:
    @obs.jit
    def apply(a: Annotated[Pull, "n", i8]):
        return (
            a.to(i32), a.to(i32, unsigned=True), a.as_unsigned(), a.to(f32), a.to(i1),
            a.to(i64).to(i8)
        )  # fmt: skip

    x = np.array([-128, -1, 0, 1, 127], np.int8)
    expected = (x, x.view(np.uint8), x.view(np.uint8), x, x != 0, x)
    for found, wanted in zip(apply(x), expected):
        np.testing.assert_array_equal(found, wanted)


#: Shapes before and after a reshape: dimensions that stay, are divided, joined, added and dropped.
RESHAPES: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((4, 6, 10), (4, 2, 3, 1, 10)), ((4, 2, 3, 1, 10), (4, 6, 10)), ((2, 3, 1, 5), (6, 5)),
    ((6, 4), (4, 6)), ((5, 2, 3), (5, 3, 2)), ((2, 3, 4), (24,)), ((24,), (2, 3, 4)),
    ((2, 1, 12, 1), (1, 2, 3, 4)), ((1, 1), (1,)), ((3, 0), (0, 5)), ((4, 6, 35), (8, 3, 5, 7)),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), RESHAPES, ids=str)
@pytest.mark.parametrize("is_static", [True, False])
def test_reshapes(before: Any, after: Any, is_static: bool) -> None:
    """Reshapes of a virtual array, and of a push array, with extents that are known or not."""

    def program(a: Any) -> Any:
        # The number of elements does not show that the first extent is known.
        first = after[0] if is_static else a.shape[0] * after[0] // max(before[0], 1)
        return (2 * a).reshape(first, *after[1:]), (3 * a).push().reshape(first, *after[1:]).force()

    extents = before if is_static else (None, *before[1:])
    program.__annotations__["a"] = Pull[(*extents, i32)]
    compiled = obs.jit(program)
    a = np.arange(np.prod(before), dtype=np.int32).reshape(before)
    for run in (compiled.interpret, lambda a: compiled.emulate(a, check=True)):
        for found, factor in zip(run(a), (2, 3)):
            np.testing.assert_array_equal(found, factor * a.reshape(after))


def test_levels_are_dynamic_scope() -> None:
    """One function at each level; the levels show in the text only."""

    def largest(c: Any) -> Any:
        return c.force().max()

    for level in (thread, warp, block):

        @obs.jit
        def maxima(a: Ints):
            return obs.concat((largest(c) for c in a.split(33, pad=i32.min)), level=level)

        padded = np.append(A, np.full(32, i32.min, np.int32)).reshape(4, 33)
        np.testing.assert_array_equal(maxima(A), padded.max(1))
        assert f"obs.distribute {level} in grid" in maxima.mlir()
    assert grid.below is block
    assert str(index.max) == str(2**63 - 1)

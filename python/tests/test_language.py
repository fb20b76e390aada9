"""The language: parameters, keys, elements, reading, control flow; for many lengths."""

from __future__ import annotations

import linecache
import operator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest

import obsidian as obs
from obsidian import Pull, block, f16, f32, f64, i8, i32, i64, index, thread, warp
from obsidian.backend import RunOptions

SIZES = (0, 1, 31, 32, 33, 100, 257, 1000, 1025)
Ints = Annotated[Pull, "n", i32]
Floats = Annotated[Pull, "n", f32]


def integers(n: int, seed: int = 3) -> Any:
    return np.random.default_rng(seed).integers(-(2**31), 2**31, n).astype(np.int32)


def chunks(a: Any, size: int, pad: int) -> Any:
    rows = -(-len(a) // size)
    return np.append(a, np.full(rows * size - len(a), pad, a.dtype)).reshape(rows, size)


class Affine(NamedTuple):
    """The function x -> factor * x + offset."""

    factor: i32
    offset: i32


@dataclass
class Body:
    place: tuple[f32, f32]
    mass: f32


def then(f: Affine, g: Affine) -> Affine:
    return Affine(f.factor * g.factor, g.factor * f.offset + g.offset)


@pytest.mark.parametrize("n", SIZES)
def test_lengths(n: int) -> None:
    """Sub-programs of each level, a scan that does not commute, and whole-array reductions."""

    def reverse_sums(c: Any) -> Any:
        return c[::-1].scan(operator.add, 0)

    @obs.jit
    def levels(a: Ints):
        return tuple(
            obs.concat((reverse_sums(c) for c in a.split(48, pad=0)), level=level)
            for level in (thread, warp, block)
        )

    @obs.jit
    def whole(m: Ints, c: Ints):
        steps = m.map(Affine, c)
        return steps.scan(then, Affine(1, 0)).map(lambda f: f.factor + f.offset), m.max(), c.sum()

    a, b = integers(n), integers(n, 4)
    expected = np.cumsum(chunks(a, 48, 0)[:, ::-1], axis=1, dtype=np.int32).ravel()
    for found in levels(a):
        np.testing.assert_array_equal(found, expected)
    states, x = [], 1
    for m, c in zip(a.tolist(), b.tolist()):
        x = (m * x + c) % 2**32
        states.append(x)
    found, largest, total = whole(a, b)
    np.testing.assert_array_equal(found.view(np.uint32), np.array(states, np.uint32))
    assert largest[0] == a.max(initial=i32.min)
    assert total[0] == b.sum(dtype=np.int32)


@pytest.mark.parametrize("device", ["interpret", "emulate"])
def test_devices_and_schedules(device: Any) -> None:
    @obs.jit
    def sums(a: Ints):
        return obs.concat(obs.tree_reduce(c, operator.add) for c in a.split(64, pad=0))

    a = integers(300)
    is_random = device == "emulate"
    options = RunOptions(
        device, check=is_random, schedule="random" if is_random else "ticket", seed=7
    )
    np.testing.assert_array_equal(sums.run(options, a), chunks(a, 64, 0).sum(1, dtype=np.int32))


def test_reading() -> None:
    a, m = integers(100), integers(96).reshape(8, 12)
    cases: list[tuple[Any, Any]] = [
        (np.s_[::-1], a), (np.s_[3:], a), (np.s_[:-3], a), (np.s_[-20:90:4], a),
        (np.s_[90:10:-7], a),         (np.s_[::3], a), (np.s_[2:9:5], a), (np.s_[5:5], a),
        (np.s_[1], m), (np.s_[-1], m), (np.s_[:, 3], m), (np.s_[1:5, ::-2], m),
        (np.s_[2, 1:7:2], m), (np.s_[::-1, ::-1], m), (np.s_[1:3], m),
    ]  # fmt: skip
    for key, array in cases:
        for extents in ((None,) * array.ndim, array.shape):

            def part(x: Any) -> Any:
                return x[key]

            part.__annotations__["x"] = Pull[(*extents, i32)]
            np.testing.assert_array_equal(obs.jit(part)(array), array[key], err_msg=str(key))


def test_traced_slices() -> None:
    @obs.jit
    def part(a: Ints, first: index, last: index):
        return a[first:last], a[last:first:-1], a[first]

    a = integers(50)
    up, down, one = part(a, 7, 30)
    np.testing.assert_array_equal(up, a[7:30])
    np.testing.assert_array_equal(down, a[30:7:-1])
    assert one == a[7]


def test_elements_are_records() -> None:
    @obs.jit
    def shift(bodies: Annotated[Pull, "n", Body], d: f32):
        def moved(body: Body) -> Body:
            x, y = body.place
            return Body((x + d, y - d), body.mass * 2)

        return bodies.map(moved)

    x, y, m = (np.random.default_rng(k).random(40, np.float32) for k in range(3))
    found = shift(Body((x, y), m), 0.5)
    assert isinstance(found, Body)
    np.testing.assert_array_equal(found.place[0], x + np.float32(0.5))
    np.testing.assert_array_equal(found.place[1], y - np.float32(0.5))
    np.testing.assert_array_equal(found.mass, 2 * m)


def test_traced_once_for_each_key() -> None:
    traces = iter(range(100))
    factor = 2

    @obs.jit
    def scaled(a: Ints, *, plus: int = 0):
        next(traces)
        return a * factor + plus

    a = integers(10)
    np.testing.assert_array_equal(scaled(a), a * 2)
    np.testing.assert_array_equal(scaled(integers(33)), integers(33) * 2)
    assert next(traces) == 1
    np.testing.assert_array_equal(scaled(a, plus=5), a * 2 + 5)
    assert next(traces) == 3
    factor = 3
    np.testing.assert_array_equal(scaled(a), a * 3)
    assert next(traces) == 5
    factor = 2
    np.testing.assert_array_equal(scaled(a), a * 2)
    assert next(traces) == 6


def test_captured_arrays_and_functions_count_by_value() -> None:
    weights = np.array([1, 2, 3], np.int32)
    steps = [lambda x: x + 1]

    @obs.jit
    def apply(a: Ints):
        table = obs.table(weights)
        return a.map(lambda x: steps[0](x) * table[x & 1])

    a = np.arange(6, dtype=np.int32)
    np.testing.assert_array_equal(apply(a), (a + 1) * weights[a & 1])
    weights[0] = 9
    np.testing.assert_array_equal(apply(a), (a + 1) * weights[a & 1])
    steps[0] = lambda x: x - 1
    np.testing.assert_array_equal(apply(a), (a - 1) * weights[a & 1])


def test_parameters_without_annotations_take_the_type_of_the_argument() -> None:
    @obs.jit
    def twice(a, k):
        return a * k

    np.testing.assert_array_equal(twice(integers(5), np.int32(3)), integers(5) * np.int32(3))
    x = np.linspace(0, 1, 5)
    np.testing.assert_array_equal(twice(x, np.float64(3)), x * 3)
    assert "f64" in twice.mlir(x, np.float64(3))


def test_a_jit_function_in_another_one_is_a_part_of_it() -> None:
    @obs.jit
    def inner(a: Ints, *, k: int = 1):
        return a + k

    @obs.jit
    def outer(a: Ints):
        return inner(inner(a), k=5)

    np.testing.assert_array_equal(outer(integers(9)), integers(9) + 6)
    assert outer.mlir().count("obs.force") == 1


def test_types_of_parameters() -> None:
    @obs.jit
    def typed(x: Pull[4, f64], n: i64, b: obs.i1):
        return x * obs.where(b, n.to(f64), f64(0.0))

    x = np.arange(4.0)
    np.testing.assert_array_equal(typed(x, 3, True), x * 3)
    np.testing.assert_array_equal(typed(x, 3, False), x * 0)
    assert "!obs.pull<4 x f64>" in typed.mlir()


def test_without_source() -> None:
    """A function of a REPL needs no source; it uses the functional forms."""
    text = """
@obs.jit
def powers(a: Annotated[Pull, "n", i32], k: i32):
    count = obs.loop(k, 1, start=i32(0))(lambda _, p: p * 2)
    return a.map(lambda x: obs.when(x > 0)(lambda: x * count, lambda: 0))
"""
    names: dict[str, Any] = {"obs": obs, "Annotated": Annotated, "Pull": Pull, "i32": i32}
    exec(text, names)
    a = np.array([3, -1, 2], np.int32)
    np.testing.assert_array_equal(names["powers"](a, 4), [48, 0, 32])


def test_functional_control_flow() -> None:
    @obs.jit
    def collatz(a: Ints):
        def steps(x: Any) -> Any:
            _, count = obs.while_loop(lambda x, _: x != 1, x, 0)(
                lambda x, n: (obs.where(x % 2 == 0, x // 2, 3 * x + 1), n + 1)
            )
            return count

        return a.map(steps)

    def plain(x: int) -> int:
        n = 0
        while x != 1:
            x, n = (x // 2 if x % 2 == 0 else 3 * x + 1), n + 1
        return n

    a = np.arange(1, 40, dtype=np.int32)
    np.testing.assert_array_equal(collatz(a), [plain(int(x)) for x in a])


@obs.function
def classify(x: Any) -> Any:
    """A helper function with early returns."""
    if x < 0:
        return -1
    if x == 0 or x > 100:
        return 0
    kind = 1
    if not 10 <= x < 20:
        kind += 1
    else:
        kind = x if x % 2 == 0 else -x
    return kind


def test_rewritten_control_flow() -> None:
    @obs.jit
    def classes(a: Ints):
        return a.map(classify)

    def plain(x: int) -> Any:
        return classify.__wrapped__(x)

    a = np.arange(-5, 130, dtype=np.int32)
    np.testing.assert_array_equal(classes(a), [plain(int(x)) for x in a])
    assert classify(15) == -15
    assert classify(16) == 16


def test_rewritten_loops() -> None:
    @obs.jit
    def first_negative(a: Ints):
        def from_here(i: Any) -> Any:
            k, found = i, False
            while k < a.size and not found:
                found = a[k] < 0
                if not found:
                    k += 1
            total = 0
            for j in obs.range(i, k):
                square = a[j] * a[j]
                total += square
            return k.to(i32), total

        return obs.generate(a.size)(from_here)

    a = np.random.default_rng(5).integers(-3, 30, 60).astype(np.int32)
    places, totals = first_negative(a)
    for i in range(60):
        k = next((k for k in range(i, 60) if a[k] < 0), 60)
        assert places[i] == k
        assert totals[i] == (a[i:k] ** 2).sum()


def test_short_circuit_guards_a_read() -> None:
    """The second operand of `and` is computed only if the first is true."""

    @obs.jit
    def rises(a: Ints):
        return obs.generate(a.size)(lambda i: a[i] > a[i - 1] if i > 0 else True), obs.generate(
            a.size
        )(lambda i: i > 0 and a[i] > a[i - 1])

    a = integers(40)
    up = np.append(True, a[1:] > a[:-1])
    checked = RunOptions(check=True)
    one, other = rises.run(checked, a)
    np.testing.assert_array_equal(one, up)
    up[0] = False
    np.testing.assert_array_equal(other, up)


def test_python_control_flow_unrolls() -> None:
    @obs.jit
    def powers(a: Ints, *, stages: int = 3):
        for _ in range(stages):
            if stages > 100:
                break
            a = a * a
        return a

    np.testing.assert_array_equal(powers(integers(9)), integers(9) ** 8)


@pytest.mark.parametrize("size", [64, 512, 1024])
def test_sort_runs(size: int) -> None:
    @obs.jit
    def sort(a: Ints):
        return obs.stack((obs.sort_runs(c, size) for c in a.split(1024)), level=block)

    a = integers(3072)
    np.testing.assert_array_equal(sort(a).reshape(-1, size), np.sort(a.reshape(-1, size)))


@pytest.mark.parametrize(
    ("size", "level"),
    [(n, u) for n in (1, 2, 31, 33, 100, 224) for u in (thread, warp, block)]
    + [(n, block) for n in (1000, 1793)],
)
def test_merge_sort(size: int, level: obs.Level) -> None:
    """By the tens, and in the reverse order. Equal elements keep their order."""

    @obs.jit
    def sort(a: Annotated[Pull, 3, size, i32]):
        def tens(row):
            places = obs.iota(size, i32)
            return obs.merge_sort(obs.zip(row, places), lambda x, y: x[0] // 10 < y[0] // 10)

        def falling(row):
            return obs.merge_sort(row, lambda x, y: x > y)

        return [obs.stack((f(r) for r in a.rows()), level=level) for f in (tens, falling)]

    a = integers(3 * size).reshape(3, size)
    order = np.argsort(a // 10, kind="stable", axis=-1)
    (values, places), falling = sort(a)
    np.testing.assert_array_equal(places, order)
    np.testing.assert_array_equal(values, np.take_along_axis(a, order, -1))
    np.testing.assert_array_equal(falling, np.sort(a)[:, ::-1])


def test_merge_sort_of_the_grid() -> None:
    @obs.jit
    def sort(a: Annotated[Pull, 100, i32]):
        return obs.merge_sort(a)

    a = integers(100)
    np.testing.assert_array_equal(sort(a), np.sort(a))


def test_merge_runs() -> None:
    # A rising half and a falling half: the columns of the bits of a run sort it.
    @obs.jit
    def merge(a: Ints):
        return obs.stack((obs.merge_runs(c, 7) for c in a.split(1024)), level=block)

    a = integers(2048)
    halves = np.sort(a.reshape(-1, 2, 64))
    halves[:, 1] = halves[:, 1, ::-1]
    expected = np.sort(a.reshape(-1, 128))
    np.testing.assert_array_equal(merge(halves.ravel()).reshape(-1, 128), expected)


@pytest.mark.parametrize("size", [32, 96, 2048])
def test_sort_runs_of_other_sizes(size: int) -> None:
    @obs.jit
    def sort(a: Ints):
        return obs.stack((obs.sort_runs(c, size) for c in a.split(1024)), level=block)

    with pytest.raises(obs.TraceError, match=f"runs of {size} elements"):
        sort(integers(1024))


def test_library() -> None:
    a = integers(256)
    rows = a.reshape(4, 64)
    scans = (obs.kogge_stone, obs.sklansky, obs.brent_kung)
    for level in (warp, block):
        for network in (obs.bitonic_sort, obs.odd_even_sort):

            @obs.jit
            def sort(a: Ints):
                return obs.stack((network(c) for c in a.split(64)), level=level)

            np.testing.assert_array_equal(sort(a), np.sort(rows, axis=1))
        for scan in scans:

            @obs.jit
            def states(m: Ints):
                steps = m.map(lambda x: Affine(x, x + 1))
                return obs.stack(
                    (scan(c, then).map(lambda f: f.offset) for c in steps.split(64)), level=level
                )

            expected = np.zeros_like(rows)
            for row, out in zip(rows, expected):
                x = 0
                for k, m in enumerate(row.tolist()):
                    x = (m * x + m + 1) % 2**32
                    out[k] = x - 2**32 if x >= 2**31 else x
            np.testing.assert_array_equal(states(a), expected)


@pytest.mark.parametrize("n", [0, 1, 33, 100])
def test_borders(n: int) -> None:
    a = integers(n)
    for rule, mode in (
        ("clamp", "edge"),
        ("mirror", "symmetric"),
        ("wrap", "wrap"),
        (7, "constant"),
    ):
        if n == 0 and rule != 7:
            continue

        @obs.jit
        def padded(a: Ints):
            return obs.pad(a, 5, rule), obs.tiles(a, 16, border=3, rule=rule).unnest()

        options: dict[str, Any] = {"constant_values": 7} if mode == "constant" else {}
        whole, tiles = padded(a)
        np.testing.assert_array_equal(whole, np.pad(a, 5, mode, **options))  # type: ignore[call-overload]
        wide = np.pad(a, (3, 3 + -n % 16), mode, **options)  # type: ignore[call-overload]
        for k in range(-(-n // 16)):
            np.testing.assert_array_equal(tiles[k], wide[16 * k : 16 * k + 22])


def test_filter_and_windows() -> None:
    @obs.jit
    def apply(a: Ints):
        return obs.filter(a, lambda x: x % 3 == 0), obs.windows(a, 5).map(lambda w: w.sum())

    a = integers(101)
    kept, sums = apply(a)
    np.testing.assert_array_equal(kept, a[a % 3 == 0])
    np.testing.assert_array_equal(
        sums, np.convolve(a, np.ones(5, np.int32), "valid").astype(np.int32)
    )


@pytest.mark.parametrize("sizes", [(33, 20, 17), (65, 33, 130), (0, 3, 4), (3, 0, 4), (1, 1, 1)])
@pytest.mark.parametrize(
    ("element", "options"),
    [
        (f32, {}),
        (f64, {}),
        (i8, {}),
        (f32, {"level": obs.warp}),
        (i32, {"level": obs.thread, "tile": (4, 3, 4)}),
        (i32, {"tile": (8, 4, 24)}),
        (i64, {"tile": (3, 5, 7)}),
    ],
)
def test_matmul(element: Any, options: dict[str, Any], sizes: tuple[int, int, int]) -> None:
    def program(a: Any, b: Any) -> Any:
        return obs.matmul(a, b, **options)

    program.__annotations__ = {"a": Pull["m", "k", element], "b": Pull["k", "n", element]}
    product = obs.jit(program)
    m, k, n = sizes
    x = np.random.default_rng(1).integers(-9, 9, (m, k)).astype(element.dtype)
    y = np.random.default_rng(2).integers(-9, 9, (k, n)).astype(element.dtype)
    np.testing.assert_array_equal(product(x, y), x @ y)
    np.testing.assert_array_equal(product.interpret(x, y), x @ y)


@pytest.mark.parametrize("threads", [1, 17, 128, 1024])
def test_matmul_on_threads(threads: int) -> None:
    @obs.jit(threads=threads)
    def product(a: Annotated[Pull, "m", "k", f32], b: Annotated[Pull, "k", "n", f32]):
        return obs.matmul(a, b)

    x = np.random.default_rng(1).integers(-9, 9, (70, 40)).astype(np.float32)
    y = np.random.default_rng(2).integers(-9, 9, (40, 30)).astype(np.float32)
    np.testing.assert_array_equal(product(x, y), x @ y)


@pytest.mark.parametrize("threads", [None, 17, 256])
def test_products_of_halves(threads: int | None) -> None:
    """By tensor cores, with sums that are exact in any order."""

    def product(a: Any, b: Any) -> Any:
        return a.matmul(b, init=1, dtype=f32)

    def program(rows: Any, inner: Any, columns: Any) -> Any:
        product.__annotations__ = {"a": Pull[rows, inner, f16], "b": Pull[inner, columns, f16]}
        found = obs.jit(product, threads=threads)
        assert ("mma.sync" in found.ptx()) == (threads != 17 and rows != 0 and rows != 3)
        return found

    unknown = program("m", "k", "n")
    for m, k, n in [(0, 3, 4), (3, 0, 4), (17, 33, 16), (130, 72, 257), (128, 64, 256)]:
        x = np.random.default_rng(1).integers(-9, 9, (m, k)).astype(np.float16)
        y = np.random.default_rng(2).integers(-9, 9, (k, n)).astype(np.float16)
        for found in (program(m, k, n), unknown):
            expected = x.astype(np.float32) @ y.astype(np.float32) + 1
            np.testing.assert_array_equal(found(x, y), expected)


@pytest.mark.parametrize("sizes", [(2, 3, 4, 5), (3, 33, 20, 70), (0, 17, 16, 16), (2, 64, 0, 64)])
@pytest.mark.parametrize("element", [f32, i32, f16])
def test_products_of_batches(element: Any, sizes: tuple[int, int, int, int]) -> None:
    """By tiles in registers, with known and unknown extents."""
    b, m, k, n = sizes
    rng = np.random.default_rng(1)
    x = rng.integers(-4, 4, (b, m, k)).astype(element.dtype)
    y = rng.integers(-4, 4, (b, k, n)).astype(element.dtype)

    def product(a: Any, b: Any) -> Any:
        return a @ b, a @ b + 1

    for batch, rows, inner, columns in (sizes, ("b", "m", "k", "n")):
        product.__annotations__ = {
            "a": Pull[batch, rows, inner, element],
            "b": Pull[batch, inner, columns, element],
        }
        program = obs.jit(product)
        for found in (program(x, y), program.interpret(x, y)):
            np.testing.assert_array_equal(found[0], x @ y)
            np.testing.assert_array_equal(found[1], x @ y + 1)


def test_extremes_of_python_integers() -> None:
    @obs.jit
    def program(x: Floats):
        assert (obs.min(3, 1, 2), obs.max(3, 1, 2)) == (1, 3)
        return x * obs.max(2, 3), obs.min(x, 2)

    a = np.arange(4, dtype=np.float32)
    tripled, limited = program(a)
    np.testing.assert_array_equal(tripled, 3 * a)
    np.testing.assert_array_equal(limited, np.minimum(a, 2))


def test_numpy_numbers_and_python_globals() -> None:
    @obs.jit
    def scaled(x: Floats):
        return np.float32(2) * x + x * np.float32(0.5), np.float32(3) * x[0]

    x = np.linspace(1, 2, 9, dtype=np.float32)
    found, first = scaled(x)
    np.testing.assert_array_equal(found, 2 * x + x * np.float32(0.5))
    assert first == 3 * x[0]


def test_arguments_and_constants_are_results() -> None:
    @obs.jit
    def same(a: Ints, k: i32):
        return a, k, 7, a[:3]

    a = integers(5)
    array, number, seven, part = same(a, 4)
    np.testing.assert_array_equal(array, a)
    np.testing.assert_array_equal(part, a[:3])
    assert (number, seven) == (4, 7)


def test_static_values_differ_by_type() -> None:
    @obs.jit
    def add(a: Ints, *, k: Any = 1):
        return a + (10 if isinstance(k, bool) else k)

    a = integers(5)
    np.testing.assert_array_equal(add(a, k=1), a + 1)
    np.testing.assert_array_equal(add(a, k=True), a + 10)


def test_bounded_arrays_and_initial_contents() -> None:
    @obs.jit
    def apply(a: Annotated[Pull, "n <= 64", i32], b: Annotated[Pull, "m", i32]):
        n = a.size

        @obs.grid_of(1, level=block)
        def shifted(_: Any) -> Any:
            stored = a.force("shared")
            return obs.fill(obs.up_to(n, 64), i32, over=n // 2, onto=stored)(
                lambda t: {2 * t: stored[2 * t] + 1}
            )

        return shifted.join(to=n), b.take(4)

    a = integers(33)
    found, _ = apply(a, integers(9))
    expected = a.copy()
    expected[0:32:2] += 1
    np.testing.assert_array_equal(found, expected)


def test_softmax_at_each_level() -> None:
    """One word moves the rows from threads to warps to blocks; results differ in last bits only."""

    @obs.jit
    def softmax(x: Annotated[Pull, "r", 128, f32], *, level: obs.Level = block):
        def row(r: Any) -> Any:
            r = r.force()
            e = obs.exp(r - r.max()).force()
            return e / e.sum()

        return obs.stack((row(r) for r in x.rows()), level=level)

    x = np.random.default_rng(1).standard_normal((7, 128)).astype(np.float32)
    e = np.exp(x - x.max(1, keepdims=True))
    for level in (thread, warp, block):
        np.testing.assert_allclose(softmax(x, level=level), e / e.sum(1, keepdims=True), rtol=1e-5)
        assert f"obs.distribute {level} in grid" in softmax.mlir(level=level)


def test_unrolled_sorting_network() -> None:
    def column(s: Any, bit: int, other: Any) -> Any:
        @obs.fill(128, i32, over=64)
        def compare(t: Any) -> Any:
            i = obs.bit.insert_zero(t, bit)
            j = other(i, bit)
            return {i: obs.min(s[i], s[j]), j: obs.max(s[i], s[j])}

        return compare.force()

    @obs.jit
    def sort(a: Ints):
        def network(c: Any) -> Any:
            for stage in range(7):
                c = column(c, stage, obs.bit.flip_low)
                for bit in reversed(range(stage)):
                    c = column(c, bit, obs.bit.flip)
            return c

        return obs.concat((network(c) for c in a.split(128, pad=i32.max)), to=a.size)

    a = integers(300)
    np.testing.assert_array_equal(sort(a), np.sort(chunks(a, 128, i32.max), axis=1).ravel()[:300])


def test_notebook() -> None:
    """The source of a cell is in the cache of lines, so control flow is rewritten."""
    text = """
@obs.jit
def clipped(a: Annotated[Pull, "n", i32]):
    def clip(x):
        if x > 3:
            return 3
        return x
    return a.map(clip)
"""
    linecache.cache["<cell 1>"] = (len(text), None, text.splitlines(True), "<cell 1>")
    names: dict[str, Any] = {"obs": obs, "Annotated": Annotated, "Pull": Pull, "i32": i32}
    exec(compile(text, "<cell 1>", "exec"), names)
    np.testing.assert_array_equal(
        names["clipped"](np.arange(6, dtype=np.int32)), [0, 1, 2, 3, 3, 3]
    )
    assert 'loc("<cell 1>":5:' in names["clipped"].mlir(locations=True)


def test_threads_trace_side_by_side() -> None:
    def work(k: int) -> Any:
        @obs.jit
        def f(a: Ints):
            for _ in range(20):
                a = a + k
            return a

        return f(np.zeros(3, np.int32))[0]

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(8))) == [20 * k for k in range(8)]


def test_generators_in_generators() -> None:
    @obs.jit
    def apply(a: Ints):
        return obs.stack(
            (obs.concat((d[::-1] for d in c.split(4)), level=warp) for c in a.split(16)),
            level=block,
        )

    a = integers(64)
    np.testing.assert_array_equal(apply(a), a.reshape(4, 4, 4)[:, :, ::-1].reshape(4, 16))


def test_sub_programs_with_several_results() -> None:
    @obs.jit
    def apply(a: Ints, b: Ints):
        pairs = zip(a.split(10), b.split(10))
        return obs.concat(((x + y, (x * y).sum()) for x, y in pairs), level=block)

    a, b = integers(100), integers(100, 5)
    sums, dots = apply(a, b)
    np.testing.assert_array_equal(sums, a + b)
    np.testing.assert_array_equal(dots, (a * b).reshape(10, 10).sum(1, dtype=np.int32))


def test_memory_is_returned_without_a_copy() -> None:
    @obs.jit
    def views(a: Ints, b: Ints, m: Annotated[Pull, "h", "w", i32], n: index):
        stored = (a + 1).force(kernel="only")
        u = obs.loop(n, stored)(lambda k, x: (x * 2).force(kernel="twice"))
        first, second = obs.zip(a, b).unzip()
        return (
            obs.zip(stored, b), a.take(3), a[2:7], m.reshape(m.size), u, first, second, m[1:],
            m.take(2, 3),
        )  # fmt: skip

    a, b, m = integers(9), integers(9, 5), integers(12).reshape(3, 4)
    for n in (0, 2):
        (x, y), *others = views(a, b, m, n)
        np.testing.assert_array_equal(x, a + 1)
        np.testing.assert_array_equal(y, b)
        expected = (a[:3], a[2:7], m.ravel(), (a + 1) * 2**n, a, b, m[1:], m[:2, :3])
        for one, other in zip(others, expected):
            np.testing.assert_array_equal(one, other)
    assert views.mlir().count("obs.force") == 3


def test_contract() -> None:
    """A product and a sum have one rounding, on every device: 1 + 2^-11 + 2^-24 needs 25 bits."""

    @obs.jit(fp_contract=True)
    def once(a: Annotated[Pull, "n", f32]) -> Any:
        return a.map(lambda x: x * x - 1.00048828125)

    @obs.jit
    def twice(a: Annotated[Pull, "n", f32]) -> Any:
        return a.map(lambda x: x * x - 1.00048828125)

    a = np.full(33, 1 + 2**-12, np.float32)
    for run in (once, once.interpret, once.emulate):
        np.testing.assert_array_equal(run(a), np.full(33, 2**-24, np.float32))
    np.testing.assert_array_equal(twice(a), np.zeros(33, np.float32))


def test_fp_contract_of_sums() -> None:
    """A thread that adds an array of products rounds each product and sum once."""

    def add(x: Any) -> Any:
        def product(k: Any) -> Any:
            return obs.where(k == 0, f32(-1.00048828125), x) * obs.where(k == 0, f32(1), x)

        return obs.generate(2)(product).sum()

    @obs.jit(fp_contract=True)
    def once(a: Annotated[Pull, "n", f32]) -> Any:
        return a.map(add)

    @obs.jit
    def twice(a: Annotated[Pull, "n", f32]) -> Any:
        return a.map(add)

    a = np.full(33, 1 + 2**-12, np.float32)
    for run in (once, once.interpret, once.emulate):
        np.testing.assert_array_equal(run(a), np.full(33, 2**-24, np.float32))
    np.testing.assert_array_equal(twice(a), np.zeros(33, np.float32))

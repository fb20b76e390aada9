"""Runs an example program on inputs of many sizes and compares with NumPy.

Usage: check.py OBS-RUN EXAMPLES-FOLDER NAME [--every=N] [OBS-RUN OPTION ...]

NAME is the example's file name without `.mlir`, that of its test, or `all`; `small` stands for lengths 0
and 1 where the inputs of the examples leave them out, and `large` for inputs that take long. With
--every, N - 1 of N inputs are left out. The inputs are random but the same every time. Their sizes
straddle the edges of warps, blocks and chunks.
"""

import concurrent.futures
import functools
import itertools
import math
import pathlib
import subprocess
import sys
import tempfile
import typing

import numpy as np

SIZES = (0, 1, 31, 32, 33, 100, 257, 1000, 1024, 1025, 5000)
SHAPES = ((0, 0), (1, 1), (1, 33), (31, 32), (33, 1), (2, 257), (100, 17), (65, 64))


class Case(typing.NamedTuple):
    """One run. Functions of CASES may yield plain tuples with the first fields."""
    inputs: list
    expected: typing.Any  # An array, or a tuple of them.
    tolerance: float = 0  # The largest difference of results; 0 stands for the same bits.
    entry: str = "main"


def integers(random, shape, kind=np.int32):
    """Any values of the type, so that sums overflow."""
    limits = np.iinfo(kind)
    return random.integers(limits.min, limits.max, shape, kind, endpoint=True)


def chunks(array, size, pad):
    """The rows of a matrix whose last row is padded."""
    rows = -(-len(array) // size)
    return np.append(array, np.full(rows * size - len(array), pad, array.dtype)).reshape(rows, size)


def map_fusion(random):
    for n in SIZES:
        a = integers(random, n)
        yield [a], (a + np.int32(1)) ** 2 - a


def reverse(random):
    for n in SIZES:
        a = integers(random, n, np.int8)
        yield [a], np.flip(a)


def saxpy(random):
    for n in SIZES:
        k = np.float32(random.standard_normal())
        x, y = (random.standard_normal(n, np.float32) for _ in range(2))
        yield [k, x, y], k * x + y


def sum_chunks(random):
    for n in SIZES:
        a = integers(random, n)
        yield [a], chunks(a, 512, 0).sum(axis=1, dtype=np.int32)


def odd_even_sort(random):
    for n in SIZES:
        if n <= 1024:
            a = integers(random, n)
            yield [a], np.sort(a)
    # Equal elements, and the order that needs every iteration.
    yield [np.repeat(np.int32([3, 1, 2]), 11)], np.repeat(np.int32([1, 2, 3]), 11)
    yield [np.arange(100, 0, -1, np.int32)], np.arange(1, 101, dtype=np.int32)


def large_sort(random):
    for n in (0, 1, 33, 511, 512, 513, 1025, 4097):
        a = integers(random, n)
        yield [a], np.sort(a)
    # Sorted, reversed, equal, few distinct, organ pipe.
    up = np.arange(1500, dtype=np.int32)
    for a in (up, np.flip(up), up * 0, up % 7, np.minimum(up, np.flip(up))):
        yield [a.copy()], np.sort(a)


def bitonic_merge(random):
    for n in SIZES:
        a = integers(random, n)
        for begin in range(0, n, 256):
            a[begin:begin + 256].sort()
        result = a.copy()
        for begin in range(0, n, 512):
            result[begin:begin + 512].sort()
        yield [a], result


def transpose(random):
    for shape in SHAPES:
        a = integers(random, shape)
        for entry in ("main", "swizzled"):
            yield Case([a], a.T, entry=entry)


def stencil(random):
    for shape in SHAPES:
        a = integers(random, shape)
        if a.size == 0:
            yield [a], a
            continue
        border = np.pad(a, 1, mode="symmetric")
        h, w = shape
        yield [a], sum((border[i:i + h, j:j + w] for i in range(3) for j in range(3)),
                       np.zeros(shape, np.int32))


def histogram(random):
    for n in SIZES:
        a = integers(random, n, np.int8)
        yield [a], np.bincount(a.view(np.uint8), minlength=256).astype(np.int32)
    a = np.full(3000, -1, np.int8)
    yield [a], np.bincount(a.view(np.uint8), minlength=256).astype(np.int32)


def warp_sort(random):
    for n in SIZES:
        a = integers(random, n)
        yield [a], np.sort(chunks(a, 32, np.iinfo(np.int32).max), axis=1).ravel()[:n]


def prefix_sum(random):
    for n in SIZES:
        a = integers(random, n)
        yield [a], np.cumsum(chunks(a, 256, 0), axis=1, dtype=np.int32).ravel()[:n]


def scan(random):
    for n in SIZES:
        a = integers(random, n)
        yield [a], np.cumsum(chunks(a, 1000, 0), axis=1, dtype=np.int32).ravel()[:n]


def dot_product(random):
    for n in (*SIZES, 4096, 4097, 20000):
        a, b = integers(random, n), integers(random, n)
        yield [a, b], np.array([np.dot(a, b)])


def large_scan(random):
    for n in (*SIZES, 4096, 4097, 20000):
        m, c = integers(random, n), integers(random, n)
        x, states = 1, []
        for k, d in zip(m.tolist(), c.tolist()):
            x = (k * x + d) % 2**32
            states.append(x)
        yield [m, c], np.array(states, np.uint32).view(np.int32)


def max_segment(random):
    for n in SIZES:
        a = integers(random, n, np.int16)
        # The largest difference of two prefix sums, the later less the earlier.
        sums = np.cumsum(chunks(a, 4096, 0), axis=1, dtype=np.int64)
        sums = np.pad(sums, ((0, 0), (1, 0)))
        best = (sums - np.minimum.accumulate(sums, axis=1)).max(axis=1)
        yield [a], best.astype(np.int32)


def matmul(random):
    for h, k, w in ((0, 3, 4), (4, 0, 3), (1, 1, 1), (16, 16, 16), (17, 33, 15), (50, 70, 33)):
        a, b = (random.standard_normal(s, np.float32) for s in ((h, k), (k, w)))
        c = np.zeros((h, w), np.float32)
        for t in range(k):  # One rounding for each product, one for each sum.
            c += np.outer(a[:, t], b[t])
        yield [a, b], c


def black_scholes(random):
    normal = np.vectorize(lambda d: math.erfc(-d / math.sqrt(2)) / 2, otypes=[float])
    for n in SIZES:
        s, x = (random.uniform(5, 100, n).astype(np.float32) for _ in range(2))
        t = random.uniform(0.25, 10, n).astype(np.float32)
        r, v = np.float32(0.02), np.float32(0.3)
        d1 = (np.log(s / np.float64(x)) + (r + v * v / 2.0) * t) / (v * np.sqrt(np.float64(t)))
        d2 = d1 - v * np.sqrt(np.float64(t))
        later = x * np.exp(np.float64(-r) * t)
        call = s * normal(d1) - later * normal(d2)
        put = later * normal(-d2) - s * normal(-d1)
        yield [s, x, t, r, v], (call.astype(np.float32), put.astype(np.float32)), 5e-5


def outside(rule, a, radius):
    """An image with its border."""
    h, w = a.shape
    if rule == "function":
        i, j = np.mgrid[-radius:h + radius, -radius:w + radius]
        b = (100 * i + j).astype(np.int32)
        b[radius:radius + h, radius:radius + w] = a
        return b
    if rule == "constant":
        return np.pad(a, radius, constant_values=7)
    return np.pad(a, radius, {"clamp": "edge", "mirror": "symmetric", "wrap": "wrap"}[rule])


RULES = ("clamp", "mirror", "wrap", "constant", "function")


def convolved(random, shape, rule, form, k):
    a, weights = integers(random, shape), integers(random, (k, k))
    h, w = shape
    r = np.zeros(shape, np.int32)
    if a.size:
        b = outside(rule, a, k // 2)
        for (u, v), weight in np.ndenumerate(weights):
            r += weight * b[u:u + h, v:v + w]
    inputs = [a, weights] + [7] * (rule == "constant")
    return Case(inputs, r, entry=f"{rule}_{form}")


def convolution(random):
    entries = [(rule, form, k) for rule in RULES for form in ("direct", "tiled") for k in (3, 5)]
    for number, (rule, form, k) in enumerate(entries):
        yield convolved(random, SHAPES[number % len(SHAPES)], rule, form, k)


def convolution_small(random):
    for rule in RULES:
        for form, k in (("direct", 3), ("direct", 5), ("tiled", 3), ("tiled", 5)):
            for shape in ((0, 0), (1, 1)):
                yield convolved(random, shape, rule, form, k)


def escape(zx, zy, cx, cy, steps):
    """For each pixel the steps until the point is further than 2 from 0, in f32."""
    zx, zy, cx, cy = (np.array(a, np.float32) for a in np.broadcast_arrays(zx, zy, cx, cy))
    count = np.zeros(zx.shape, np.int32)
    for _ in range(steps):
        near = zx * zx + zy * zy <= 4
        count += near
        zx, zy = (np.where(near, zx * zx - zy * zy + cx, zx),
                  np.where(near, (zx + zx) * zy + cy, zy))
    return count


def mandelbrot(random):
    for h, w in SHAPES[::2]:
        x, y, d = np.float32([-0.75, 0.1, 2.5 / max(h, w, 1)])
        cx, cy = np.float32([0.285, 0.01]) + random.uniform(-0.01, 0.01, 2).astype(np.float32)
        px = x + (np.arange(w) - w // 2).astype(np.float32) * d
        py = y + (np.arange(h) - h // 2).astype(np.float32)[:, np.newaxis] * d
        yield Case([h, w, x, y, d, 40], escape(0, 0, px, py, 40), entry="mandelbrot")
        yield Case([h, w, x, y, d, cx, cy, 40], escape(px, py, cx, cy, 40), entry="julia")


def jacobi(random):
    for shape, steps in zip(SHAPES, (3, 1, 2, 5, 0, 1, 20, 6)):
        a = random.standard_normal(shape, np.float32)
        u = a.copy()
        for _ in range(steps):
            if min(shape) > 2:
                u[1:-1, 1:-1] = ((u[:-2, 1:-1] + u[2:, 1:-1]) + (u[1:-1, :-2] + u[1:-1, 2:])) * np.float32(0.25)
        yield [a, steps], u


def n_body(random):
    for n in (0, 1, 33, 257, 300):
        x, y, z, m = (random.standard_normal(n, np.float32) for _ in range(4))
        e = np.float32(0.01)
        sums = [np.zeros(n, np.float32) for _ in range(3)]
        for j in range(n):
            d = [p[j] - p for p in (x, y, z)]
            square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + e
            s = m[j] / (square * np.sqrt(square))
            for total, distance in zip(sums, d):
                total += s * distance
        for entry in ("threads", "blocks"):
            yield Case([x, y, z, m, e], tuple(sums), entry=entry)


def weighted_histogram(random):
    for n, bins in ((0, 5), (1, 1), (33, 0), (257, 1024), (1025, 7), (5000, 300)):
        keys = random.integers(-1, bins + 2, n, np.int32)
        weights = integers(random, n)
        r = np.zeros(bins + 2, np.int32)
        np.add.at(r, np.where((keys < 0) | (keys >= bins), bins, keys), weights)
        for entry in ("direct", "blocks"):
            yield Case([keys, weights, bins], r[:bins], entry=entry)
    for n, bins, entry in ((0, 16, "thread"), (5000, 16, "thread"), (1, 128, "warp"), (5000, 128, "warp"),
                           (33, 128, "block"), (9000, 128, "block")):
        keys, weights = random.integers(-1, bins + 2, n, np.int32), integers(random, n)
        r = np.zeros(bins + 2, np.int32)
        np.add.at(r, np.where((keys < 0) | (keys >= bins), bins, keys), weights)
        yield Case([keys, weights], r[:bins], entry="per_" + entry)
    for n in (0, 33, 9000, 50000):
        keys, weights = random.integers(-1, 130, n, np.int32), random.integers(-9, 99, n, np.int32)
        r = np.zeros(130, np.int32)
        np.add.at(r, np.where(keys < 0, 128, keys), weights)
        bits = np.array([int(sum).bit_length() for sum in r[:128].view(np.uint32)], np.int32)
        yield Case([keys, weights], bits, entry="bits")


def spmv(random):
    for rows, width, length in ((0, 5, 0), (1, 1, 1), (1, 300, 1000), (33, 40, 3), (100, 1000, 60), (300, 17, 1)):
        counts = random.integers(0, 2 * length + 1, rows)
        counts[rows // 2:rows // 2 + 1] = 0
        offsets = np.append(0, np.cumsum(counts)).astype(np.int32)
        columns = random.integers(0, width, offsets[-1], np.int32)
        # Small integers, so that sums are exact in any order.
        values = random.integers(-8, 9, offsets[-1]).astype(np.float32)
        x = random.integers(-8, 9, width).astype(np.float32)
        y = np.zeros(rows, np.float32)
        np.add.at(y, np.repeat(np.arange(rows), counts), values * x[columns])
        for level in ("thread", "warp", "block"):
            yield Case([offsets, columns, values, x], y, entry=level + "_per_row")
    for rows, width, n in ((0, 3, 1), (7, 0, 1), (20, 300, 16)):
        x = random.integers(-8, 9, n).astype(np.float32)
        y = [sum(j * x[(r + j) % n] for j in range(width)) for r in range(rows)]
        yield Case([rows, width, x], np.array(y, np.float32), entry="band")


def k_means_step(x, y, cx, cy):
    """The new centres, and the centre of each point."""
    distances = (x[:, np.newaxis] - cx) ** 2 + (y[:, np.newaxis] - cy) ** 2
    labels = np.argmin(distances, axis=1).astype(np.int32)
    mx, my = cx.copy(), cy.copy()
    for c in np.unique(labels):
        # Exact in double precision; int() rounds towards zero.
        mx[c], my[c] = (int(v[labels == c].sum() / np.count_nonzero(labels == c)) for v in (x, y))
    return mx, my, labels


def k_means(random):
    for n, k in ((0, 1), (1, 1), (33, 5), (257, 300), (1000, 7), (5000, 2)):
        x, y = (random.integers(-16000, 16000, n, np.int32) for _ in range(2))
        cx, cy = (random.integers(-16000, 16000, k, np.int32) for _ in range(2))
        cx[k // 2], cy[k // 2] = cx[0], cy[0]  # Of equal centres the first one counts.
        yield Case([x, y, cx, cy], k_means_step(x, y, cx, cy), entry="step")
        if n in (0, 33, 257):
            for limit in (0, 100):
                tx, ty, steps, moves = cx, cy, 0, True
                while moves and steps < limit:
                    ux, uy, _ = k_means_step(x, y, tx, ty)
                    moves = bool((ux != tx).any() or (uy != ty).any())
                    tx, ty, steps = ux, uy, steps + 1
                yield Case([x, y, cx, cy, limit], (tx, ty, np.array(steps, np.int32)), entry="until_stable")


def k_means_small(random):
    one, centre = np.array([5], np.int32), np.array([-3], np.int32)
    for limit, found, steps in ((0, centre, 0), (9, one, 2)):
        yield Case([one, one, centre, centre, limit], (found, found, np.array(steps, np.int32)), entry="until_stable")


def counting_sort(random):
    for n, bound in ((0, 0), (1, 1), (100, 1), (257, 5000), (5000, 300)):
        keys = random.integers(0, max(bound, 1), n, np.int32)
        yield Case([keys, bound], np.sort(keys), entry="counting")
        yield Case([keys, bound], np.unique(keys), entry="occurrence")
    # Ranges around what a block or a byte counts, with the first key and the last one. A block does not
    # pass over 65536 counts or more for its 4096 keys.
    for bound in (1, 2, 255, 256, 257, 65536, 65537, 70000):
        yield from counting_sort_range(random, 700, bound)


def counting_sort_range(random, n, bound):
    keys = random.integers(0, bound, n, np.int32)
    keys[:2] = 0, bound - 1
    random.shuffle(keys)
    counts = [0] * bound
    for key in keys.tolist():
        counts[key] += 1
    yield Case([keys, bound], np.repeat(np.arange(bound, dtype=np.int32), counts), entry="counting")
    yield Case([keys, bound], np.flatnonzero(counts).astype(np.int32), entry="occurrence")


def counting_sort_largest(random):
    """As many keys as the emulator can take in some seconds."""
    yield from counting_sort_range(random, 2**18, 2**24)


def run_length(random, sizes=((0, 1), (33, 1), (1025, 3))):
    for n, kinds in sizes:
        a = random.integers(0, kinds, n, np.int32)
        starts = np.flatnonzero(np.append(True, a[1:] != a[:-1])[:n])
        lengths = np.diff(np.append(starts, n)).astype(np.int32)
        yield Case([a], (a[starts], lengths), entry="encode")
        yield Case([a], a[starts], entry="unique")
        lengths = lengths.copy()
        lengths[len(lengths) // 2:][:1] = 0
        yield Case([a[starts], lengths], np.repeat(a[starts], lengths), entry="decode")
        yield Case([a, 1, kinds // 2 + 1], a[(a >= 1) & (a < kinds // 2 + 1)], entry="filter")


def run_length_small(random):
    return run_length(random, ((1, 1),))


def total_order(a):
    """Floats in the order of IEEE 754-2008."""
    bits = a.view(np.int32).astype(np.int64)
    return a[np.argsort(np.where(bits < 0, ~bits - 2**31, bits), kind="stable")]


def radix_sort(random):
    # A tile has 5632 keys.
    for n in (0, 1, 5631, 5633):
        a = integers(random, n)
        yield Case([a], np.sort(a.view(np.uint32)).view(np.int32), entry="u32")
    for a in (integers(random, 1500), np.arange(1023, -1, -1, np.int32)):
        yield Case([a], np.sort(a), entry="i32")
    a = random.standard_normal(1100, np.float32)
    a[::7] = random.choice(np.float32([np.nan, -np.nan, np.inf, -np.inf, 0, -0.0]), len(a[::7]))
    yield Case([a], total_order(a), entry="f32")
    # A tile has 4096 pairs.
    for n in (0, 33, 4097):
        # Few keys, so that their values show whether equal keys keep their order.
        a, values = random.integers(0, 1000, n, np.int32) * 7919, np.arange(n, dtype=np.int32)
        order = np.argsort(a, kind="stable")
        yield Case([a, values], (a[order], values[order]), entry="pairs")


def radix_sort_small(random):
    for n in (0, 1, 2):
        a = integers(random, n)
        yield Case([a], np.sort(a), entry="i32")
        a = np.float32([0, -0.0])[:n]
        yield Case([a], total_order(a), entry="f32")
    for n in (0, 1):
        a, values = integers(random, n), integers(random, n)
        yield Case([a, values], (a, values), entry="pairs")


def radix_sort_64(random):
    # A tile has 4096 keys.
    for n in (0, 1, 1100, 4097):
        a = integers(random, n, np.int64)
        yield Case([a], np.sort(a.view(np.uint64)).view(np.int64), entry="u64")


def radix_sort_64_small(random):
    for n in (0, 1):
        a = integers(random, n, np.int64)
        yield Case([a], a, entry="u64")


def spmv_small(random):
    x, none = np.float32([2]), np.zeros(0, np.int32)
    for level in ("thread", "warp", "block"):
        yield Case([np.int32([0, 0]), none, np.zeros(0, np.float32), x], np.float32([0]), entry=level + "_per_row")
        yield Case([np.int32([0, 1]), np.int32([0]), np.float32([3]), x], np.float32([6]), entry=level + "_per_row")


def weighted_histogram_small(random):
    for entry, bins in (("thread", 16), ("warp", 128), ("block", 128)):
        for n in (0, 1):
            weights = integers(random, n)
            r = np.zeros(bins, np.int32)
            r[3:3 + n] = weights
            yield Case([np.full(n, 3, np.int32), weights], r, entry="per_" + entry)
    yield Case([np.full(1, 3, np.int32), np.full(1, 5, np.int32)], np.repeat(np.int32([0, 3, 0]), [3, 1, 124]),
               entry="bits")


def large_reduce(random):
    for n in (0, 1, 33, 1025, 20000):
        a = integers(random, n)
        yield Case([a], a.min(initial=2**31 - 1, keepdims=True), entry="minimum")
        a = random.integers(-40, 40, n, np.int32)
        place = np.array([a.argmax() if n else -1], np.int32)
        yield Case([a], (a[place] if n else np.array([-2**31], np.int32), place), entry="first_largest")
        a = integers(random, n, np.int16)
        sums = np.append(0, np.cumsum(a, dtype=np.int64))
        best = (sums - np.minimum.accumulate(sums)).max(keepdims=True)
        yield Case([a], best, entry="largest_segment")
    a = np.full(5000, -2**31, np.int32)  # The initial value may be an element.
    yield Case([a], (a[:1], np.zeros(1, np.int32)), entry="first_largest")


CASES = {
    "map-fusion": map_fusion,
    "reverse": reverse,
    "saxpy": saxpy,
    "sum-chunks": sum_chunks,
    "sum-chunks-loop": sum_chunks,
    "large-sort": large_sort,
    "odd-even-sort": odd_even_sort,
    "bitonic-merge": bitonic_merge,
    "transpose": transpose,
    "stencil": stencil,
    "histogram": histogram,
    "warp-sort": warp_sort,
    "prefix-sum": prefix_sum,
    "matmul": matmul,
    "matmul-naive": matmul,
    "matmul-registers": matmul,
    "reduce": sum_chunks,
    "scan": scan,
    "max-segment": max_segment,
    "dot-product": dot_product,
    "large-scan": large_scan,
    "black-scholes": black_scholes,
    "convolution": convolution,
    "mandelbrot": mandelbrot,
    "jacobi": jacobi,
    "n-body": n_body,
    "weighted-histogram": weighted_histogram,
    "spmv": spmv,
    "k-means": k_means,
    "large-reduce": large_reduce,
    "counting-sort": counting_sort,
    "run-length": run_length,
    "radix-sort": radix_sort,
    "radix-sort-64": radix_sort_64,
}


# Lengths 0 and 1 for the functions that have not both of them above.
SMALL = {
    "convolution": convolution_small,
    "k-means": k_means_small,
    "radix-sort": radix_sort_small,
    "radix-sort-64": radix_sort_64_small,
    "run-length": run_length_small,
    "spmv": spmv_small,
    "weighted-histogram": weighted_histogram_small,
}


# Tests that take longer than a test may.
LARGE = {"counting-sort": counting_sort_largest}


def run(obs_run, program, options, arguments, entry, count, scratch):
    """The results of the program, or what went wrong as text. `obs_run` may be a list of words."""
    words = []
    for number, argument in enumerate(arguments):
        if isinstance(argument, np.ndarray):
            words.append(f"{scratch}/{number}.npy")
            np.save(words[-1], argument)
        elif isinstance(argument, int):
            words.append(str(argument))
        else:
            words.append(repr(float(argument)))
    outs = [pathlib.Path(scratch, f"result{i}.npy") for i in range(count)]
    for out in outs:
        out.unlink(missing_ok=True)
    tool = [obs_run] if isinstance(obs_run, str) else obs_run
    result = subprocess.run([*tool, str(program), "--entry=" + entry, *options, *words,
                             *(f"--out={out}" for out in outs)],
                            check=False, text=True, capture_output=True)
    if result.returncode:
        return result.stdout + result.stderr
    return [np.load(out) if out.exists() else "no result" for out in outs]


def compare(found, expected, tolerance):
    """The difference as text, or nothing. Without a tolerance all bits count."""
    if isinstance(found, str):
        return found
    if found.dtype != expected.dtype or found.shape != expected.shape:
        return f"got {found.dtype} {found.shape}, expected {expected.dtype} {expected.shape}"
    if tolerance:
        wrong = np.argwhere(~(np.abs(found - expected) <= tolerance))
    else:
        bytes_of = [np.ascontiguousarray(a).view(np.uint8).reshape(a.shape + (a.itemsize,))
                    for a in (found, expected)]
        wrong = np.argwhere((bytes_of[0] != bytes_of[1]).any(axis=-1))
    if len(wrong) == 0:
        return ""
    first = tuple(wrong[0])
    return f"{len(wrong)} of {found.size} elements differ; at {list(map(int, first))} got {found[first]}, expected {expected[first]}"


def check(obs_run, folder, options, name, inputs=CASES):
    """Runs one example; says what it found and if all was well."""
    program = pathlib.Path(folder, name + ".mlir")
    every = max([int(o[8:]) for o in options if o.startswith("--every=")], default=1)
    options = [o for o in options if not o.startswith("--every=")]
    count = problems = 0
    with tempfile.TemporaryDirectory() as scratch, np.errstate(over="ignore"):
        cases = itertools.islice(inputs[name](np.random.default_rng(22)), every // 2, None, every)
        for case in (Case(*c) for c in cases):
            count += 1
            expected = case.expected if isinstance(case.expected, tuple) else (case.expected,)
            found = run(obs_run, program, options, case.inputs, case.entry, len(expected), scratch)
            if isinstance(found, str):
                problem = found
            else:
                problem = "; ".join(filter(None, (
                    compare(f, e, case.tolerance) for f, e in zip(found, expected))))
            if problem:
                problems += 1
                print("{} {}, {}, inputs {}: {}".format(
                    program, " ".join(options), case.entry,
                    [getattr(a, "shape", a) for a in case.inputs], problem))
    print(f"{name}: {count} inputs, {problems} problems", flush=True)
    return count > 0 and problems == 0


def main(obs_run, folder, name, *options):
    name = name.removesuffix(".test")
    names = sorted(CASES) if name == "all" else [name]
    if name in ("small", "large"):
        inputs = SMALL if name == "small" else LARGE
        good = [check(obs_run, folder, options, program, inputs) for program in inputs]
        return 0 if all(good) else 1
    if len(names) == 1:
        return 0 if check(obs_run, folder, options, name) else 1
    programs = sorted(path.stem for path in pathlib.Path(folder).glob("*.mlir"))
    if programs != names:
        print(f"programs without a check, or checks without one: {sorted(set(programs) ^ set(names))}")
        return 1
    with concurrent.futures.ProcessPoolExecutor() as pool:
        good = list(pool.map(functools.partial(check, obs_run, folder, options), names))
    return 0 if all(good) else 1


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))

"""Runs functions of the Dag examples on inputs of many sizes and compares with NumPy.

Usage: check.py OBS-RUN EXAMPLES-FOLDER NAME [--every=N] [--candidates=OBS-TRANSLATE] [OBS-RUN OPTION ...]

NAME is the name of a program without `.dag`. With --every, N - 1 of N inputs are left out. With
--candidates, each candidate of the search runs instead of the best one, on one input, and --every
leaves out functions. The references are written from the meaning of the language; `-` in `reduce` is
a left fold, rows of different lengths are padded with 0, and their lengths are one more result.
"""

import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

SIZES = (0, 1, 2, 3, 31, 32, 33, 100, 257, 1000, 1025)
SHAPES = ((0, 0), (0, 3), (3, 0), (1, 1), (2, 3), (1, 33), (33, 1), (31, 32), (5, 100))


def ints(random, *shape):
    return random.integers(-1000, 1000, shape, np.int32)


def floats(random, *shape):
    """Small numbers with few bits: sums are exact in any order."""
    return random.integers(-64, 64, shape).astype(np.float32) / 4


def i32(values):
    return np.asarray(values, np.int64).astype(np.int32)


def exclusive(xs, first=0):
    return i32(np.append(np.int64(first), first + np.cumsum(xs.astype(np.int64)))[:-1]) \
        if len(xs) else xs


def pad(rows, width):
    """Rows of different lengths as a matrix, and their lengths."""
    matrix = np.zeros((len(rows), width), np.int32)
    for i, row in enumerate(rows):
        matrix[i, :len(row)] = row
    return matrix, i32([len(row) for row in rows])


def fold(combine, first, values):
    for value in values:
        first = combine(first, value)
    return first


def even(xs):
    return xs[xs % 2 == 0]


def remainder(x, y):
    """The remainder of C, with the sign of x."""
    return np.fmod(x, y)


def julia(d):
    d32 = np.float32(d)
    at = np.float32(1.5) * (d32 - np.arange(d, dtype=np.float32)) / d32
    re, im = np.broadcast_to(at, (d, d)), np.broadcast_to(at[:, None], (d, d))
    with np.errstate(all="ignore"):
        for _ in range(50):
            re, im = re * re - im * im + np.float32(-0.8), re * im + im * re + np.float32(0.156)
        return re * re + im * im <= 1000


def convolve(image, mask, n):
    square, m = image.reshape(n, n), n - 2
    total = None
    for k in range(9):
        part = square[k // 3:k // 3 + m, k % 3:k % 3 + m] * mask[k]
        total = part if total is None else total + part
    return total.reshape(-1)


def flat(function, sizes=SIZES):
    return lambda r: [((xs,), function(xs)) for xs in (ints(r, n) for n in sizes)]


def matrix(function, shapes=SHAPES):
    return lambda r: [((m,), function(m)) for m in (ints(r, *s) for s in shapes)]


def product(a, b):
    return (a.astype(np.int64) @ b).astype(np.int32)


def products(r):
    for n, k, m in ((0, 0, 0), (1, 1, 1), (2, 3, 4), (0, 2, 3), (3, 0, 2), (33, 20, 17), (1, 100, 32)):
        yield ints(r, n, k), ints(r, k, m)


def row_map(function, dtype=np.int32):
    return lambda m: np.array([function(row) for row in m], dtype).reshape(len(m))


def scan_structs(r):
    for n in SIZES:
        keys, weights = ints(r, n), floats(r, n)
        yield (keys, weights), (exclusive(keys),
                                np.maximum.accumulate(np.append(np.float32(0), weights))[:n])


def subtract_scan(xs):
    return i32(np.append(100, 100 - np.cumsum(xs.astype(np.int64)))[:len(xs)])


def filter_structs(r):
    for n in SIZES:
        a, b, c = ints(r, n), ints(r, n), ints(r, n)
        kept = np.maximum(a, np.minimum(b, c)) < 100
        yield (a, b, c), i32((a + b + c)[kept].sum())


def smooth_twice(xs):
    ys = xs[:-2] + xs[1:-1] + xs[2:]
    return ys[:-2] * ys[1:-1] * ys[2:]


def three(n, r):
    return ints(r, n), ints(r, n), ints(r, n)


CASES = {
    "matmul": {"mmult": lambda r: [((a, b), product(a, b)) for a, b in products(r)]},
    "convolve": {"convolve": lambda r: [
        ((i, k, n), convolve(i, k, n))
        for n in (2, 3, 5, 34, 50) for i, k in [(floats(r, n * n), floats(r, 9))]]},
    "saxpy": {
        "saxpy_int": lambda r: [((a, b, c), a * b + c) for a, b, c in (three(n, r) for n in SIZES)],
        "saxpy_float": lambda r: [((a, b, c), a * b + c) for n in SIZES
                                  for a, b, c in [(floats(r, n), floats(r, n), floats(r, n))]]},
    "sum": {
        "sum_int": lambda r: [((a, b), i32((a + b).sum()))
                              for a, b, c in (three(n, r) for n in SIZES)],
        "sum_float": lambda r: [((a, b), np.float32((a + b).sum(dtype=np.float64)))
                                for n in SIZES for a, b in [(floats(r, n), floats(r, n))]]},
    "reduce-scan": {"total": flat(lambda xs: i32(xs.sum())), "prefixes": flat(exclusive)},
    "julia": {"julia": lambda r: [((d,), julia(d)) for d in (0, 1, 8, 33, 64)]},
    "features": {
        "filter_flat": flat(even),
        "filter_rows": matrix(lambda m: m[m.sum(1) % 2 == 0]),
        "filter_each": matrix(lambda m: pad([even(row) for row in m], m.shape[1])),
        "count": flat(lambda xs: i32(len(even(xs)))),
        "count_each": matrix(row_map(lambda row: len(even(row)))),
        "count_nested": matrix(lambda m: row_map(lambda row: len(even(row)))(m[m.sum(1) % 2 == 0])),
        "filter_sum": flat(lambda xs: i32(even(xs).sum())),
        "filter_add": flat(lambda xs: even(xs) + np.int32(1)),
        "filter_small": flat(lambda xs: xs[xs <= 10] + np.int32(100)),
        "filter_divide": matrix(lambda m: pad([1000 // (even(row) ** 2 + 1) for row in m], m.shape[1])),
        "filter_twice": flat(lambda xs: even(xs)[remainder(even(xs), 3) <= 0]),
        "filter_scan": flat(lambda xs: exclusive(even(xs))),
        "triangle": lambda r: [((n,), pad([range(i) for i in range(n)], max(n - 1, 0)))
                               for n in (0, 1, 2, 5, 33)],
        "triangle_sums": lambda r: [((n,), i32([i * (i - 1) // 2 for i in range(n)]))
                                    for n in (0, 1, 2, 5, 33)],
        "matrix_vector": lambda r: [((m, v), product(m, v)) for s in SHAPES
                                    for m, v in [(ints(r, *s), ints(r, s[1]))]],
        "product_transposed": lambda r: [((a, b), product(a, b).T) for a, b in products(r)],
        "product": lambda r: [((a, b), product(a, b)) for a, b in products(r)],
        "product3": lambda r: [((a, b, c), product(product(a, b), c)) for a, b in products(r)
                               for c in [ints(r, b.shape[1], 5)]],
        "chain": flat(lambda xs: (xs * xs + 1) * 3),
        "normalize": matrix(lambda m: i32(m * (m.sum(1, keepdims=True) + 1))),
        "subtract_column": matrix(lambda m: i32(m - m.sum(0, keepdims=True))),
        "invariant": lambda r: [
            ((xs, ys), i32(xs * ys.sum() + max([0, *ys])))
            for n in (0, 1, 33, 257) for k in (0, 1, 100) for xs, ys in [(ints(r, n), ints(r, k))]],
        "transposed": matrix(lambda m: m.T),
        "transposed_each": matrix(lambda m: np.broadcast_to(m.T, (len(m), *m.T.shape))),
        "copy3": lambda r: [((a,), a) for s in ((0, 0, 0), (1, 1, 1), (2, 3, 4), (3, 0, 2))
                            for a in [ints(r, *s)]],
        "smooth_twice": flat(smooth_twice, [n for n in SIZES if n >= 2]),
        "copy2d": lambda r: [((m.reshape(-1), m), m.reshape(-1)) for s in SHAPES
                             for m in [ints(r, *s)]],
        "row_scans": matrix(lambda m: np.array([exclusive(row) for row in m], np.int32).reshape(m.shape)),
        "scan_sum": matrix(lambda m: i32(sum(max([0, *exclusive(row)]) for row in m))),
        "reduce_function": flat(lambda xs: i32(xs.sum())),
        "all_positive": lambda r: [((xs,), np.bool_((xs > 0).all())) for n in SIZES
                                   for xs in (ints(r, n), np.abs(ints(r, n)) + np.int32(1))],
        "subtract_all": flat(lambda xs: i32(100 - xs.sum())),
        "subtract_scan": flat(subtract_scan),
        "running_max": flat(lambda xs: np.maximum.accumulate(np.append(np.int32(0), xs))[:len(xs)]),
        "largest": matrix(row_map(lambda row: max([0, *row]))),
        "running_min": flat(lambda xs: np.minimum.accumulate(np.append(np.int32(0), xs))[:len(xs)]),
        "reduce_structs": lambda r: [((k, w), (i32(k.sum()), np.float32(max([0, *w]))))
                                     for n in SIZES for k, w in [(ints(r, n), floats(r, n))]],
        "scan_structs": scan_structs,
        "filter_structs": filter_structs,
        "reverse_each": matrix(lambda m: pad([even(row)[::-1] + 100 // max(len(even(row)), 1) for row in m],
                                             m.shape[1])),
        "scan_reversed": matrix(lambda m: pad([exclusive(even(row)[::-1]) for row in m], m.shape[1])),
        "zip3": lambda r: [((a, b, c), a + b * c) for a, b, c in (three(n, r) for n in SIZES)],
        "zip_min": lambda r: [((a, b), np.minimum(a, b)) for a, b, c in (three(n, r) for n in SIZES)],
        "lengths": matrix(row_map(len)),
        "zip_rows": lambda r: [((a, b), i32((a * b).sum(1))) for s in SHAPES
                               for a, b in [(ints(r, *s), ints(r, *s))]],
        "halves": flat(lambda xs: i32(np.trunc(xs / 2))),
        "logs": lambda r: [((xs,), i32([0 if x <= 1 else int(x).bit_length() - 1 for x in xs]))
                           for n in SIZES for xs in [np.abs(ints(r, n))]],
        "floats": lambda r: [((xs,), np.maximum(remainder(-xs, np.float32(2.5)),
                                                np.minimum(xs, np.float32(0.25))))
                             for n in SIZES for xs in [floats(r, n)]],
        "bits": flat(lambda xs: (((xs & 255) << 3) | (xs >> 1)) ^ ~xs),
        "guarded": flat(lambda xs: np.append(False, xs < 5)[:len(xs)]),
        "literal": lambda r: [((), i32(3))],
        "nothing": lambda r: [((), i32([]))],
        "identity": flat(lambda xs: xs),
        "one_row": matrix(lambda m: m[1], ((2, 3), (5, 0), (4, 33))),
        "one_element": matrix(lambda m: m[1][2], ((2, 3), (5, 33))),
        "field": lambda r: [((), i32(3))],
        "flags": lambda r: [((xs, flip), (xs < 5) & flip | (xs > 7)) for n in SIZES
                            for flip in (False, True) for xs in [ints(r, n)]],
        "length": lambda r: [((floats(r, n),), i32(n)) for n in SIZES],
    },
}


def run(command, inputs, expected):
    """The difference between the results of a run and what is expected; None if there is none."""
    expected = expected if isinstance(expected, tuple) else (expected,)
    with tempfile.TemporaryDirectory() as folder:
        words = []
        for number, value in enumerate(inputs):
            if isinstance(value, np.ndarray):
                words.append(f"{folder}/in{number}.npy")
                np.save(words[-1], value)
            else:
                words.append(str(value).lower())
        outputs = [f"{folder}/out{k}.npy" for k in range(len(expected))]
        done = subprocess.run([*command, *words, *(f"--out={o}" for o in outputs)], text=True,
                              capture_output=True, check=False)
        if done.returncode:
            return done.stderr
        for output, value in zip(outputs, expected):
            result, value = np.load(output), np.asarray(value)
            if result.shape != value.shape or result.dtype != value.dtype \
                    or not np.array_equal(result, value):
                return f"expected {value.dtype} {value.shape}\n{value}\n" \
                       f"found {result.dtype} {result.shape}\n{result}"
    return None


def main():
    tool, folder, name, *options = sys.argv[1:]
    every = next((int(o.removeprefix("--every=")) for o in options if o.startswith("--every=")), 1)
    options = [o for o in options if not o.startswith("--every=")]
    translate = next((o.removeprefix("--candidates=") for o in options if o.startswith("--candidates=")), None)
    options = [o for o in options if not o.startswith("--candidates=")]
    tasks = []
    folder_of_candidates = tempfile.TemporaryDirectory()
    for position, (entry, cases) in enumerate(CASES[name].items()):
        if translate and position % every:
            continue
        program = str(pathlib.Path(folder) / f"{name}.dag")
        inputs = list(cases(np.random.default_rng(1)))
        if not translate:
            tasks += [(entry, [tool, program, f"--entry={entry}", *options], *case) for case in inputs]
            continue
        command = [translate, "--dag-to-obs", f"--dag-entry={entry}", program]
        listed = subprocess.run([*command, "--dag-explain"], text=True, capture_output=True, check=True)
        count = int(re.match(r"dag: (\d+) candidates", listed.stderr)[1])
        # One that is neither empty nor large.
        case = inputs[min(len(inputs) - 1, 6)]
        for number in range(count):
            candidate = f"{folder_of_candidates.name}/{entry}-{number}.mlir"
            subprocess.run([*command, f"--dag-candidate={number}", "-o", candidate], check=True)
            tasks.append((f"{entry}, candidate {number}", [tool, candidate, *options], *case))
    if not translate:
        tasks = tasks[::every]
    errors = 0
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for (entry, _, inputs, _), difference in zip(tasks, pool.map(lambda t: run(*t[1:]), tasks)):
            if difference is not None:
                errors += 1
                print(entry, [getattr(i, "shape", i) for i in inputs], difference, sep="\n")
    print(f"{name}: {len(tasks)} runs, {errors} errors")
    return errors > 0


if __name__ == "__main__":
    sys.exit(main())

"""Inputs that are hard for the sorting programs of examples/, with the results of NumPy.

In: the number of an input and a seed. Out: the program and the case; or what is wrong with its result.
"""

import argparse
import concurrent.futures
import os
import tempfile

import numpy as np

from obstest import ROOT, oracles

check = oracles.examples()

EDGES = sorted({0, 1, 2, 3} | {edge + d for edge in (32, 64, 96, 128, 160, 255, 256, 511, 512, 768, 1023, 1024,
                                                     1536, 2048, 3072, 4096, 8192) for d in (-1, 0, 1)})


def order(kind, values, random):
    """The values in an order that is hard for some sorter."""
    if kind == "random":
        return random.permutation(values)
    values = np.sort(values)
    if kind == "reversed":
        return values[::-1].copy()
    if kind == "equal":
        return np.full_like(values, values[0] if len(values) else 0)
    if kind == "few":
        return random.choice(values[:3], len(values)) if len(values) else values
    if kind == "pipe":
        return np.concatenate([values[::2], values[1::2][::-1]])
    return values


def total_order(a):
    """Floats in the order of IEEE 754-2008."""
    bits = a.view(np.int32).astype(np.int64)
    return a[np.argsort(np.where(bits < 0, ~bits - 2**31, bits), kind="stable")]


def make(number, seed, limit):
    """Program and case of an input."""
    random = np.random.default_rng((seed, number))
    sizes = [size for size in EDGES if size <= limit]
    n = int(random.choice(sizes)) if random.random() < 0.8 else int(random.integers(0, limit + 1))
    kind = random.choice(["random", "sorted", "reversed", "equal", "few", "pipe"])
    sorter = random.choice(["large", "u32", "i32", "f32", "u64", "pairs", "counting", "occurrence"])
    if sorter == "f32":
        a = order(kind, random.standard_normal(n, np.float32), random)
        special = random.random(n) < 0.2
        a[special] = random.choice(np.float32([np.nan, -np.nan, np.inf, -np.inf, 0, -0.0]), special.sum())
        return "radix-sort", kind, check.Case([a], total_order(a), entry="f32")
    if sorter in ("counting", "occurrence"):
        bound = int(random.choice([1, 2, 300, 5000, 100000]))
        a = order(kind, random.integers(0, bound, n, np.int32), random)
        expected = np.sort(a) if sorter == "counting" else np.unique(a)
        return "counting-sort", kind, check.Case([a, bound], expected, entry=sorter)
    a = order(kind, check.integers(random, n, np.int64 if sorter == "u64" else np.int32), random)
    if sorter == "u64":
        return "radix-sort-64", kind, check.Case([a], np.sort(a.view(np.uint64)).view(np.int64), entry="u64")
    if sorter == "pairs":
        values, places = np.arange(n, dtype=np.int32), np.argsort(a.view(np.uint32), kind="stable")
        return "radix-sort", kind, check.Case([a, values], (a[places], values[places]), entry="pairs")
    if sorter == "u32":
        return "radix-sort", kind, check.Case([a], np.sort(a.view(np.uint32)).view(np.int32), entry="u32")
    if sorter == "i32":
        return "radix-sort", kind, check.Case([a], np.sort(a), entry="i32")
    return "large-sort", kind, check.Case([a], np.sort(a))


def one(number, options, more):
    """The problem of an input, or nothing."""
    program, kind, case = make(number, options.seed, options.limit)
    expected = case.expected if isinstance(case.expected, tuple) else (case.expected,)
    with tempfile.TemporaryDirectory() as scratch:
        found = check.run(options.obs_run, ROOT / "examples" / (program + ".mlir"), more, case.inputs,
                          case.entry, len(expected), scratch)
    problem = found if isinstance(found, str) else "; ".join(
        filter(None, (check.compare(f, e, 0) for f, e in zip(found, expected))))
    return problem and f"input {number}, {program} @{case.entry}, {len(case.inputs[0])} elements, {kind}: {problem}"


def main(description):
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--obs-run", required=True, help="the tool")
    parser.add_argument("--count", type=int, default=10000, help="how many inputs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, default=8193, help="the largest size")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options, more = parser.parse_known_args()
    problems = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for problem in pool.map(lambda number: one(number, options, more), range(options.count)):
            if problem:
                problems += 1
                print(problem, flush=True)
    print(f"{options.count} inputs, {problems} problems")
    return 1 if problems or not options.count else 0

"""`obsidian.dist`: results on 1, 2, 3 and 5 processes against NumPy, and processes that fail.

The programs of one process run everywhere; the rest needs PyTorch, with gloo. With
OBS_TEST_LARGE=1, arrays have up to 2^20 + 7 elements.
"""

from __future__ import annotations

import functools
import importlib.util
import itertools
import operator
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import obsidian as obs
from obsidian import dist_programs as programs
from obsidian.types import f32, f64, i8, i32, i64

HERE = Path(__file__).resolve().parent
needs_torch = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="PyTorch is not installed"
)
SIZES = (1, 2, 3, 5)
#: 10007 elements are three pieces, so that some of five ranks are empty.
LENGTHS = (0, 1, 7, 1000, 10007) + ((2**20 + 7,) if "OBS_TEST_LARGE" in os.environ else ())


# --------------------------------------------------------------------- Programs of one process


@pytest.mark.parametrize("n", [0, 1, 4095, 4096, 4097, 10007])
def test_pieces(n: int) -> None:
    x = np.random.default_rng(n).integers(-(2**31), 2**31, n).astype(np.int32)
    begins = np.arange(0, n, programs.PIECE)
    totals = np.add.reduceat(x, begins, dtype=np.int32) if n else x
    found = programs.piece_totals((i32,), operator.add, 0)(x)
    np.testing.assert_array_equal(found, totals)
    carries = np.arange(len(begins), dtype=np.int32)
    with np.errstate(over="ignore"):
        parts = [
            np.cumsum(np.append(c, p), dtype=np.int32)
            for c, p in zip(carries, np.split(x, begins[1:]))
        ]
    for exclusive, cut in ((True, np.s_[:-1]), (False, np.s_[1:])):
        found = programs.piece_scans((i32,), operator.add, 0, exclusive)(x, carries)
        np.testing.assert_array_equal(found, np.concatenate([x[:0], *(p[cut] for p in parts)]))


@pytest.mark.parametrize("n", [0, 1, 33, 1024, 3000])
@pytest.mark.parametrize("kind", [i32, i64])
def test_local_sort_and_merge(n: int, kind: Any) -> None:
    random = np.random.default_rng(n)
    x = random.integers(np.iinfo(kind.dtype).min, np.iinfo(kind.dtype).max, n, kind.dtype)
    np.testing.assert_array_equal(programs.local_sort(kind)(x), np.sort(x))
    few = random.integers(0, 9, n, kind.dtype)
    for a, b in ((x[: n // 3], x[n // 3 :]), (few, few), (x, x[:0])):
        found = programs.merge_two(kind)(np.sort(a), np.sort(b))
        np.testing.assert_array_equal(found, np.sort(np.append(a, b)))


@pytest.mark.parametrize("kind", [f32, f64])
def test_keys_of_floats(kind: Any) -> None:
    values = [-np.inf, -2.5, -1e-40, -0.0, 0.0, 1e-40, 1.0, np.inf, np.nan]
    x = np.array(values, kind.dtype)
    keys = programs.ordered_keys(kind)(x)
    assert (np.diff(keys.astype(object)) > 0).all()
    np.testing.assert_array_equal(
        programs.unordered_keys(kind)(keys).view(keys.dtype), x.view(keys.dtype)
    )
    with pytest.raises(obs.ArgumentTypeError, match="i32, i64, f32 or f64"):
        programs.key_type(i8)


def test_other_programs() -> None:
    x = np.arange(100, dtype=np.int32) % 7
    np.testing.assert_array_equal(programs.bin_counts(i32, 5)(x), np.bincount(x)[:5])
    keep = programs.kept_elements(lambda v: v > 4, (i32,))
    np.testing.assert_array_equal(keep(x), x[x > 4])
    ends = programs.window_map(lambda w: w[2] - w[0], (i32,), 3)
    np.testing.assert_array_equal(ends(x), x[2:] - x[:-2])
    one = programs.element_map(lambda v: -v, ((i32,),))
    np.testing.assert_array_equal(one(x), -x)
    two = programs.element_map(lambda v, w, z: v - z, ((i32,), (i32, i32)))
    np.testing.assert_array_equal(two(x, (x, 2 * x)), -x)
    with pytest.raises(obs.ArgumentTypeError, match="one or two arrays"):
        programs.element_map(max, ((i32,),) * 3)


# --------------------------------------------------------------------- Several processes


def start(task: str, folder: Path, size: int, lengths: str = "") -> list[subprocess.Popen[str]]:
    """Start the processes of `dist_ranks.py`."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(HERE.parent)}
    environment["GLOO_SOCKET_IFNAME"] = "lo"
    return [
        subprocess.Popen(
            [sys.executable, HERE / "dist_ranks.py", task, folder, str(rank), str(size), lengths],
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(size)
    ]


def finish(processes: list[subprocess.Popen[str]], limit: float) -> list[tuple[int, str]]:
    """The exit status and the errors of each process, all of which end within the limit."""
    try:
        return [(p.communicate(timeout=limit)[1], p.returncode)[::-1] for p in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[int, int, int], Any]:
    """The results of each rank, number of ranks and length."""
    found = {}
    for size in SIZES:
        folder = tmp_path_factory.mktemp(f"ranks-{size}")
        for status, errors in finish(
            start("results", folder, size, ",".join(map(str, LENGTHS))), 3000
        ):
            assert status == 0, errors
        for rank, n in itertools.product(range(size), LENGTHS):
            found[rank, size, n] = dict(np.load(folder / f"{rank}-of-{size}-{n}.npz"))
    return found


def wrap(values: list[int]) -> Any:
    """Integers as those of 32 bits."""
    return np.array([v & 0xFFFFFFFF for v in values], np.uint32).astype(np.int32)


def after(f: tuple[int, int], g: tuple[int, int]) -> tuple[int, int]:
    return f[0] * g[0] & 0xFFFFFFFF, g[0] * f[1] + g[1] & 0xFFFFFFFF


def expected(n: int) -> Iterator[tuple[str, Any]]:
    """The exact results by NumPy and functools."""
    ranks = pytest.importorskip("dist_ranks")
    given = ranks.inputs(n)
    x, finite = given["ints"], given["finite"]
    sums = np.cumsum(np.append(np.int32(0), x), dtype=np.int32)
    odd = x[x & 1 == 1]
    yield "map.0", wrap([int(v) * 3 for v in x])
    yield "map_two.0", x.astype(np.float32) + np.float32(0.5) * finite
    yield "scan.0", sums[1:]
    yield "scan_exclusive.0", sums[:-1]
    yield "reduce.0", sums[-1:]
    pairs = [(int(v), int(v)) for v in x]
    functions = [*itertools.accumulate(pairs, after, initial=(1, 0))]
    for i in range(2):
        yield f"scan_functions.{i}", wrap([f[i] for f in functions[1:]])
        yield f"reduce_functions.{i}", wrap([functools.reduce(after, pairs, (1, 0))[i]])
        yield f"compact_pairs.{i}", odd
    yield "compact.0", odd
    yield "sort.0", np.sort(x)
    yield "sort_few.0", np.sort(given["few"])
    yield "sort_uneven.0", np.sort(finite)
    bits = given["floats"].view(np.int32)
    order = np.argsort(np.where(bits < 0, bits ^ 0x7FFFFFFF, bits))
    yield "sort_floats.0", given["floats"][order]
    yield "rebalanced.0", finite
    yield "chain.0", np.cumsum(np.sort(odd), dtype=np.int32)
    digits = (x & 0xFFFF) % (ranks.BINS + 2)
    yield "histogram.0", np.bincount(digits, minlength=ranks.BINS)[: ranks.BINS]
    for rule, mode in zip(ranks.RULES, ("edge", "symmetric", "wrap", "constant")):
        more = {"constant_values": rule} if mode == "constant" else {}
        p = np.pad(x, 2, mode=mode, **more) if n else np.zeros(4, np.int32)
        w = [p[i : i + n] for i in range(5)]
        yield f"stencil_{rule}.0", w[0] + 2 * w[1] - w[2] + 3 * w[3] - 4 * w[4]
    yield "stencil_uneven.0", np.roll(finite, 1) - np.roll(finite, -1)
    yield "stencil_alone.0", x + 1


@needs_torch
@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("size", SIZES)
def test_results(results: dict[tuple[int, int, int], Any], size: int, n: int) -> None:
    """Exact results are those of NumPy; all are the same bits on every rank and number of ranks."""
    one = results[0, 1, n]
    with np.errstate(over="ignore"):
        wanted = dict(expected(n))
    assert wanted.keys() < one.keys()
    for rank in range(size):
        found = results[rank, size, n]
        assert found.keys() == one.keys()
        for name, value in found.items():
            assert value.dtype == one[name].dtype
            assert value.tobytes() == one[name].tobytes(), (name, rank)
            if name in wanted:
                np.testing.assert_array_equal(value, wanted[name], err_msg=name)


@needs_torch
@pytest.mark.parametrize("n", LENGTHS)
def test_floats(results: dict[tuple[int, int, int], Any], n: int) -> None:
    """Sums and products of floats are near those of NumPy in 64 bits."""
    ranks = pytest.importorskip("dist_ranks")
    given, found = ranks.inputs(n), results[0, 1, n]
    sums = np.cumsum(np.append(0.0, given["finite"].astype(np.float64)))
    near = {"rtol": 1e-3, "atol": 1e-2}
    np.testing.assert_allclose(found["scan_floats.0"], sums[1:], **near)
    np.testing.assert_allclose(found["reduce_floats.0"], sums[-1:], **near)
    assert found["scan_floats.0"].tobytes() == found["scan_uneven.0"].tobytes()
    turns = given["cos"].astype(np.complex128) + 1j * given["sin"]
    products = np.cumprod(np.append(1.0, turns))
    for i, part in enumerate((products.real, products.imag)):
        np.testing.assert_allclose(found[f"scan_turns.{i}"], part[1:], rtol=0, atol=0.2)
        np.testing.assert_allclose(found[f"reduce_turns.{i}"], part[-1:], rtol=0, atol=0.2)


@needs_torch
@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("task", ["killed", "killed-stencil", "late", "late-stencil", "raises"])
def test_failures(task: str, size: int, tmp_path: Path) -> None:
    """A rank that is killed, late or wrong is a DistError on all others, and none hangs."""
    found = finish(start(task, tmp_path, size), 120)
    for rank, (status, errors) in enumerate(found):
        if task.startswith("killed") and rank == 1:
            assert status != 0
            continue
        assert status == 0, errors
        lines = (tmp_path / f"{rank}.txt").read_text().splitlines()
        if task == "raises" and rank == 1:
            assert "a mistake" in lines.pop(0)
        elif task == "raises":
            assert lines[0].startswith("DistError: scan: rank 1 failed in map: ")
            assert "a mistake" in lines[0]
        elif rank != 1:
            assert lines[0].startswith(f"DistError: {'stencil' if 'stencil' in task else 'scan'}: ")
            assert "late" in lines[0]
        # The late rank gets an error, too, and no operation after a failure runs.
        assert lines[-1].startswith("DistError: sort: this group has failed before: ")

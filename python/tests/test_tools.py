"""The tools of functions, on programs whose numbers follow by hand."""

from __future__ import annotations

import json
import operator
from pathlib import Path
from typing import Annotated

import numpy as np
import pytest

import obsidian as obs
from obsidian import (
    ArgumentError,
    ArgumentTypeError,
    CompileError,
    ObsidianError,
    Pull,
    RunError,
    block,
    f32,
    i32,
    index,
    warp,
)
from obsidian.formulas import Formula
from obsidian.native import NativeBackend

Floats = Annotated[Pull, "n", f32]
Ints = Annotated[Pull, "n", i32]
LINES = Path(__file__).read_text().splitlines()
A = np.arange(1000, dtype=np.int32)


def line(mark: str) -> int:
    """The line that ends with a mark."""
    return next(k for k, text in enumerate(LINES, 1) if text.endswith(f"# <- {mark}"))


@obs.jit
def saxpy(k: f32, x: Floats, y: Floats):
    return k * x + y  # <- saxpy


@obs.jit(threads=128)
def sums(a: Ints, *, size=512, level=block):
    """The sums of chunks, by halves."""

    def tree(c):
        while len(c) > 1:
            low, high = c.halve()
            c = (low + high).force()  # <- tree
        return c

    return obs.concat((tree(c) for c in a.split(size, pad=0)), level=level)


@obs.jit
def twice(x: Annotated[Pull, None, f32]):
    """Two kernels: the second reads what the first stored."""
    return obs.force(x + x).reverse()


@obs.jit
def steps(x: Floats, count: index):
    for _ in obs.range(count):
        x = obs.force(x + 1)
    return x


@obs.jit
def racing(a: Ints):
    """All write element 0; the author says wrongly that the writes are disjoint."""

    @obs.fill(1, i32, over=a.size, init=0, unchecked=True)
    def all_at_once(t):
        return {t * 0: a[t]}

    return all_at_once.force()


def test_cost_of_saxpy() -> None:
    """It reads two floats of 4 bytes for each element, and writes one."""
    report = saxpy.cost(n=1000)
    assert report.read_bytes() == 8 * 1000
    assert report.written_bytes() == 4 * 1000
    assert report.bytes() == 12_000
    assert report.bytes(n=1) == 12
    (kernel,) = report.kernels
    assert (kernel.name, kernel.barriers, kernel.shared_bytes) == ("saxpy", 0, 0)
    assert kernel.memory["global"].read == "8 * n"
    assert kernel.operations == {"float": Formula("2 * n")}
    assert [a.sectors for a in kernel.accesses] == [4, 4, 4]
    for access in kernel.accesses:
        assert access.location is not None
        assert (access.location.file, access.location.line) == (__file__, line("saxpy"))
    assert "8 * n bytes read, 4 * n bytes written" in report.text
    assert "8000 bytes read, 4000 bytes written" in str(report)
    assert "8 * n" in report._repr_html_()


def test_cost_without_sizes_is_a_formula() -> None:
    report = saxpy.cost()
    with pytest.raises(ArgumentError, match=r"depends on n: pass n=\.\.\."):
        report.bytes()
    assert report.bytes(n=10) == 120


def test_cost_of_arguments() -> None:
    x = np.zeros(50, np.float32)
    assert saxpy.cost(2.0, x, x).bytes() == 600
    assert saxpy.cost(2.0, x, x).bytes(n=5) == 60


def test_cost_of_a_tree() -> None:
    """By hand, for chunks of 512 on 128 threads.

    The first half-step has 256 elements, 2 for each thread, which stay in registers. The step to
    128 reads them there. 7 barriers: one after each step that another thread reads. Shared memory
    holds 128 + 64 + 32 elements at most.
    """
    report = sums.cost(n=1024)
    assert report.barriers == 7
    assert report.shared_bytes == 4 * (128 + 64 + 32)
    assert report.written_bytes() == 2 * 4
    # An upper limit: the last chunk may be shorter.
    assert report.read_bytes() == 1024 * 4
    assert report["sums"].memory["global"].read.is_bound
    assert report.bytes("shared") == 2 * 2 * 4 * (128 + 64 + 32 + 16 + 8 + 4 + 2)
    assert "<svg" in report._repr_html_()


def test_one_word_moves_the_tree_to_a_warp() -> None:
    report = sums.cost(size=64, level=warp)
    assert report.barriers == 0
    assert report.shared_bytes == 0
    assert [s.lanes for s in report["sums"].shuffles]
    assert len(sums.explain(size=64, level=warp)) == 0


def test_cost_of_two_kernels_and_of_loops() -> None:
    """Each kernel reads and writes n floats."""
    report = twice.cost(x_dim0=100)
    assert report.bytes() == len(report.kernels) * 800
    looped = steps.cost(count=5, n=10)
    kernels = [launch.kernel for launch in looped.launches()]
    assert len(kernels) >= 5
    assert looped.bytes() >= 5 * 2 * 40
    assert looped.bytes(count=6) - looped.bytes() == 2 * 40
    with pytest.raises(ObsidianError, match="number of iterations"):
        steps.cost(n=10).bytes()


def test_size_that_does_not_exist() -> None:
    with pytest.raises(ArgumentTypeError, match=r"m=5.*sizes are: n"):
        saxpy.cost(m=5)
    with pytest.raises(ArgumentTypeError, match=r"n=1\.5"):
        saxpy.cost(n=1.5)


def test_explain() -> None:
    report = sums.explain()
    assert report.kernels == ("sums",)
    assert len(report) == sums.cost().barriers
    assert [b.level for b in report] == ["block"] * 2 + ["warp"] * 5
    for barrier in report:
        assert barrier.location is not None
        assert (barrier.location.file, barrier.location.line) == (__file__, line("tree"))
        assert "read after write" in [reason.hazard for reason in barrier.reasons]
        for reason in barrier.reasons:
            assert [p.line for _, p in reason.accesses] == [line("tree")] * 2
    assert "c = (low + high).force()" in str(report)


def test_races() -> None:
    good = sums.races()
    assert good
    assert good.races == ()
    assert [p.message.split(",")[0] for p in good.proofs] == [
        "kernel 'sums' is proved free of races"
    ]
    (proof,) = good.data["proofs"]
    assert (proof["kernel"], proof["unbounded"]) == ("sums", len(good.assumptions))
    assert f" 1 of {proof['accesses']} accesses" in good.proofs[0].message


def test_a_race_is_no_exception_here(monkeypatch: pytest.MonkeyPatch) -> None:
    race = {"text": "[race] write: threads 0 and 1", "location": None, "notes": []}
    answers = {"version": 1, "proofs": [], "races": [race], "unproved": []}
    monkeypatch.setattr(NativeBackend, "show", lambda *_: (json.dumps(answers), []))
    report = sums.races()
    assert not report
    assert report.races == (obs.Diagnostic("error", "[race] write: threads 0 and 1"),)


def test_interpret_and_emulate() -> None:
    x = np.arange(100, dtype=np.float32)
    expected = 2 * x + x
    assert np.array_equal(saxpy.interpret(2.0, x, x), expected)
    assert np.array_equal(saxpy.emulate(2.0, x, x), expected)
    for seed in (1, 2):
        found = saxpy.emulate(2.0, x, x, check=True, schedule="random", seed=seed)
        assert np.array_equal(found, expected)
    chunks = A[:960].reshape(15, 64).sum(1)
    assert np.array_equal(sums.emulate(A[:960], size=64, check=True), chunks)


def test_bench() -> None:
    x = np.zeros(1000, np.float32)
    report = saxpy.bench(2.0, x, x, repeat=3)
    assert (len(report.seconds), report.bytes, report.device) == (3, 12_000, "emulate")
    assert report.bytes_per_second == pytest.approx(12_000 / report.median)
    assert "on the emulator, not a GPU" in str(report)
    assert "the interpreter" in str(saxpy.bench(2.0, x, x, repeat=1, device="interpret"))


def test_bench_of_bytes_that_depend_on_elements() -> None:
    @obs.jit
    def part(a: Ints):
        return obs.force(a[: a[0].to(index)])

    report = part.bench(np.full(8, 5, np.int32), repeat=1)
    assert report.bytes is None


def test_other_forms() -> None:
    assert ".visible .entry saxpy(" in saxpy.ptx()
    assert ".target sm_80" in saxpy.ptx(chip="sm_80")
    assert ".maxntid 64, 1, 1" in saxpy.ptx(threads=64)
    assert "gpu.func @saxpy" in saxpy.kernels()
    contract = saxpy.contract()
    assert [kernel["entry"] for kernel in contract["kernels"]] == ["saxpy"]
    assert contract["target"] == "sm_90"
    assert "cuLaunchKernel" in saxpy.host_c()
    assert saxpy.artifact is saxpy.artifact
    assert saxpy.artifact.diagnostics == []


def test_equal_kernels_are_compiled_once() -> None:
    """The first scan reads the parameter, and the others are one kernel, which works in place.

    A kernel with other code has another name.
    """

    def entries(count: int, last: int) -> list[str]:
        @obs.jit
        def scans(a: Annotated[Pull, 1000, i32]):
            for k in range(count):
                a = (a + (last if k == count - 1 else 1)).scan(operator.add, 0).force(kernel="s")
            return a

        expected = A[:1000].astype(np.int32)
        found = scans(expected)
        for k in range(count):
            expected = np.cumsum(expected + (last if k == count - 1 else 1), dtype=np.int32)
        np.testing.assert_array_equal(found, expected)
        return [kernel["entry"] for kernel in scans.contract()["kernels"]]

    assert entries(1, 1) == ["s"]
    assert len(entries(10, 1)) == 2
    others = entries(10, 2)
    assert len(set(others)) == len(others) == 3


def test_chip_that_is_not_known() -> None:
    with pytest.raises(CompileError, match="sm_7"):
        saxpy.ptx(chip="sm_7")


def test_argument_without_annotation() -> None:
    @obs.jit
    def f(a):
        return a + a

    with pytest.raises(ArgumentTypeError, match="a has no annotation"):
        f.cost()
    report = f.cost(A)
    assert (report.read_bytes(), report.written_bytes()) == (4000, 4000)


def test_races_of_computed_extents() -> None:
    @obs.jit
    def upsample(m: Annotated[Pull, "h", "w", f32]):
        h, w = m.shape
        return obs.generate(2 * h, 2 * w)(lambda i, j: m[i // 2, j // 2])

    assert upsample.races()
    m = np.arange(6, dtype=np.float32).reshape(2, 3)
    np.testing.assert_array_equal(upsample(m), m.repeat(2, 0).repeat(2, 1))


def test_emulator_finds_that_a_promise_is_false() -> None:
    """The proof assumes the promise, and reports this."""
    report = racing.races()
    assert report
    assert "under contract" in str(report)
    assert "written as 'disjoint'" in [a.message.split(",")[0] for a in report.assumptions]
    with pytest.raises(RunError, match="false-claim"):
        racing.emulate(A, check=True)

"""`obs.check` and the plugin for pytest: correct programs pass, and each mistake fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest

import obsidian as obs
from obsidian import (
    ArgumentTypeError,
    Pull,
    RunError,
    bf16,
    block,
    f16,
    f32,
    f64,
    i1,
    i8,
    i32,
    i64,
    index,
    testing,
)
from obsidian.backend import RunOptions
from obsidian.native import NativeBackend
from obsidian.testing import Case, assert_equal, cases, check, random_arguments

Ints = Annotated[Pull, "n", i32]
Floats = Annotated[Pull, "n", f32]


@check(oracle=lambda k, x, y: k * x + y)
@obs.jit
def test_saxpy(k: f32, x: Floats, y: Floats):
    return k * x + y


def sums_by_numpy(a: Any, *, size: int) -> Any:
    padded = np.concatenate([a, np.zeros(-len(a) % size, np.int32)])
    return padded.reshape(-1, size).sum(1, dtype=np.int32)


@check(oracle=sums_by_numpy, static={"size": 64}, lengths=(0, 1, 63, 64, 65, 300))
@obs.jit
def test_sums(a: Ints, *, size):
    return obs.concat((obs.full(1, c.sum()) for c in a.split(size, pad=0)), level=block)


@check(lengths=({"m": 3, "n": 40}, {"m": 0, "n": 1}), threads=(None, 33))
@obs.jit
def test_against_the_interpreter(a: Annotated[Pull, "m", "n", f32]):
    return a.transpose(), a.flatten().max()


def sorted_arguments(length: Any, rng: np.random.Generator) -> Any:
    return [np.sort(rng.integers(0, 9, length)).astype(np.int32)]


@check(arguments=sorted_arguments, oracle=lambda a: a[::-1], threads=(17,))
@obs.jit
def test_arguments_of_the_user(a: Ints):
    return a.reverse()


@check(oracle=lambda x: np.exp(x), rtol=1e-6, lengths=(33,), threads=(None,))
@obs.jit
def test_tolerance(x: Floats):
    return obs.exp(x)


def test_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(testing, "has_gpu", lambda: False)
    names = [str(case) for case in cases((0, 1), (None, 17))]
    assert names == [
        "n=0-interpret",
        "n=0-ticket",
        "n=0-random1",
        "n=0-random2",
        "n=0-threads=17-ticket",
        "n=0-threads=17-random1",
        "n=0-threads=17-random2",
        *(name.replace("n=0", "n=1") for name in NAMES),
    ]
    monkeypatch.setattr(testing, "has_gpu", lambda: True)
    assert [c.executor for c in cases((5,), (None,))][-1] == "cuda"
    assert str(Case({"m": 3, "n": 4}, 17, "ticket")) == "m=3-n=4-threads=17-ticket"


NAMES = (
    "n=0-interpret",
    "n=0-ticket",
    "n=0-random1",
    "n=0-random2",
    "n=0-threads=17-ticket",
    "n=0-threads=17-random1",
    "n=0-threads=17-random2",
)


@obs.jit
def double(a: Ints):
    return a + a


def test_the_default_is_that_of_the_documentation() -> None:
    test = check(double)
    assert {c.length for c in test.cases} == {0, 1, 31, 32, 33, 1000}
    assert {c.threads for c in test.cases} == {None, 17, 128}
    assert {c.executor for c in test.cases} >= {"interpret", "ticket", "random1", "random2"}
    assert test.function is double
    assert test.__name__ == "double"


@pytest.mark.parametrize(
    ("oracle", "message"),
    [
        (lambda a: a * 3, r"double n=40-ticket: \d+ of 40 elements are wrong; at \[\d+\]: "),
        (lambda a: a[1:] * 2, r"extents \(40,\), not \(39,\)"),
        (lambda a: (a * 2, a), "1 results, not 2"),
    ],
)
def test_a_wrong_result_fails(oracle: Any, message: str) -> None:
    with pytest.raises(AssertionError, match=message):
        check(double, oracle=oracle)(Case(40, None, "ticket"))


def test_options_of_the_executors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each case compiles for its threads, and runs with all checks in its order."""
    threads: list[int] = []
    runs: list[RunOptions] = []
    compile_, run = NativeBackend.compile, NativeBackend.run

    def compile_and_note(self: Any, text: str, options: Any) -> Any:
        threads.append(options.threads)
        return compile_(self, text, options)

    def run_and_note(self: Any, artifact: Any, values: Any, count: int, options: Any) -> Any:
        runs.append(options)
        return run(self, artifact, values, count, options)

    monkeypatch.setattr(NativeBackend, "compile", compile_and_note)
    monkeypatch.setattr(NativeBackend, "run", run_and_note)
    monkeypatch.setattr(testing, "has_gpu", lambda: False)

    @obs.jit
    def f(a: Ints):
        return a + 1

    test = check(f, oracle=lambda a: a + 1, lengths=(5,), threads=(None, 17))
    for case in test.cases:
        test(case)
    assert threads == [0, 17]
    assert runs[0].device == "interpret"
    orders = [("ticket", 0), ("random", 1), ("random", 2)]
    assert [(r.schedule, r.seed) for r in runs[1:]] == orders * 2
    assert all(r.device == "emulate" and r.check for r in runs[1:])


def test_a_wrong_promise_fails() -> None:
    @obs.jit
    def racing(a: Ints):
        @obs.fill(1, i32, over=a.size, init=0, unchecked=True)
        def all_at_once(t):
            return {t * 0: a[t]}

        return all_at_once.force()

    with pytest.raises(RunError, match="false-claim"):
        check(racing, oracle=lambda a: a[:1])(Case(40, None, "random1"))


def test_random_arguments() -> None:
    @obs.jit
    def f(
        a: Annotated[Pull, "n", 3, f32],
        b: Annotated[Pull, "m <= 8", i8],
        c: Annotated[Pull, None, (i1, i64)],
        d: Annotated[Pull, "n", index],
        k: f64,
        j: index,
        *,
        size=2,
    ):
        return a

    rng = np.random.default_rng(1)
    a, b, c, d, k, j = random_arguments(f, 20, rng)
    assert (a.shape, a.dtype) == ((20, 3), np.float32)
    assert np.array_equal(a * 4, np.round(a * 4))
    assert abs(a).max() <= 8
    assert (b.shape, b.dtype) == ((8,), np.int8)
    assert [x.dtype for x in c] == [np.bool_, np.int64]
    assert [x.shape for x in c] == [(20,), (20,)]
    assert d.min() >= 0
    assert isinstance(k, np.float64)
    assert j >= 0
    named = random_arguments(f, {"n": 4, "m": 2, "c_dim0": 7}, rng)
    assert [named[0].shape, named[1].shape, named[2][0].shape] == [(4, 3), (2,), (7,)]
    with pytest.raises(ArgumentTypeError, match="no c_dim0"):
        random_arguments(f, {"n": 4, "m": 2}, rng)


def test_small_floats() -> None:
    @obs.jit
    def f(a: Annotated[Pull, "n", f16], b: Annotated[Pull, "n", bf16]):
        return a

    a, b = random_arguments(f, 500, np.random.default_rng(1))
    assert (a.dtype, b.dtype) == (np.float16, np.uint16)
    wide = (b.astype(np.uint32) << 16).view(np.float32)
    assert abs(wide).max() == 8
    assert np.array_equal(wide * 4, np.round(wide * 4))


def test_argument_without_annotation() -> None:
    @obs.jit
    def f(a):
        return a

    with pytest.raises(ArgumentTypeError, match="no annotation"):
        random_arguments(f, 3, np.random.default_rng(1))


def test_comparison() -> None:
    nan = np.array([1.0, np.nan], np.float32)
    assert_equal(nan, nan.copy(), 0, 0, "x")
    assert_equal((np.float32(1), nan), (1.0, nan), 0, 0, "x")
    assert_equal(np.float32([1]), np.float32([1.01]), 0.1, 0, "x")
    assert_equal(np.float32([0]), np.float32([0.01]), 0, 0.1, "x")
    with pytest.raises(AssertionError, match=r"x, result 1: 1 of 2 .* at \[0\]: 1.0, not 2.0"):
        assert_equal((nan, nan), (nan, np.float32([2, np.nan])), 0, 0, "x")
    with pytest.raises(AssertionError, match=r"at \[\]: 1, not 2"):
        assert_equal(np.int32(1), np.int32(2), 0, 0, "x")
    with pytest.raises(AssertionError, match="1 of 2"):
        assert_equal(nan, np.float32([1, 1]), 0.1, 0, "x")


def test_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without the driver has no GPU."""

    def missing(_: str) -> Any:
        raise OSError

    testing.has_gpu.cache_clear()
    monkeypatch.setattr("ctypes.CDLL", missing)
    assert not testing.has_gpu()
    testing.has_gpu.cache_clear()


PROGRAM = """\
from typing import Annotated
import obsidian as obs
from obsidian import Pull, i32
from obsidian.testing import check

Ints = Annotated[Pull, "n", i32]

@check(oracle=lambda a: a + a, lengths=(0, 33), threads=(None, 17))
@obs.jit
def double(a: Ints):
    return a + a

@check(oracle=lambda a: a * 3, lengths=(33,), threads=(None,))
@obs.jit
def wrong(a: Ints):
    return a + a

helper = obs.jit(lambda a: a)
"""


@pytest.mark.parametrize(
    ("with_plugin", "passed", "failed"), [(True, 2 * (1 + 3 + 3), 1 + 3), (False, 0, 0)]
)
def test_plugin(tmp_path: Path, with_plugin: bool, passed: int, failed: int) -> None:
    """The plugin collects checks by what they are; without it their names decide."""
    (tmp_path / "test_of_a_user.py").write_text(PROGRAM)
    words = ["-p", "obsidian.testing"] if with_plugin else []
    # A GPU would add tests.
    environment = {
        **os.environ,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "CUDA_VISIBLE_DEVICES": "",
    }
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        cwd=tmp_path,
    )
    if not with_plugin:
        assert "no tests ran" in result.stdout
        return
    assert f"{failed} failed, {passed} passed" in result.stdout, result.stdout
    assert "wrong[n=33-ticket]" in result.stdout
    assert "elements are wrong" in result.stdout

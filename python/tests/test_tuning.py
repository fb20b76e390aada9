"""The search for the fastest number of threads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import obsidian as obs
from obsidian import Pull, f32, i32, tuning

Numbers = Annotated[Pull, "n", i32]


def threads_of(function: obs.Function) -> set[str]:
    """The numbers of threads in the launches of a function."""
    steps = function.contract()["functions"][0]["steps"]
    return {step["block"] for step in steps if step["step"] == "launch"}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OBS_TUNED", str(tmp_path / "tuned.json"))
    return tmp_path / "tuned.json"


def test_the_compiler_reads_the_file(place: Path) -> None:
    def add(a: Numbers) -> object:
        return a + 1

    x = np.arange(1000, dtype=np.int32)
    f = obs.jit(add)
    assert threads_of(f) == {"256"}
    took = {0: 4.0, 64: 3.0, 128: 1.0, 512: 2.0}
    order = iter(took.values())
    report = obs.tune(lambda: f(x), threads=(64, 128, 512), measure=lambda: next(order))
    assert report.seconds == took and report.threads == 128 and len(report.programs) == 1
    assert "128 is chosen" in repr(report) and "default: 4e+06" in repr(report)
    assert json.loads(place.read_text()) == {report.programs[0]: 128}
    assert threads_of(f) == {"128"} and threads_of(obs.jit(add)) == {"128"}
    assert_array_equal(f(x), x + 1)
    # A function that names its threads keeps them.
    assert threads_of(obs.jit(add, threads=32)) == {"32"}


def test_a_small_gain_keeps_the_default(place: Path) -> None:
    @obs.jit
    def add(a: Numbers) -> object:
        return a + 3

    x = np.arange(10, dtype=np.int32)
    order = iter([1.0, 0.5, 1.0, 0.99])
    assert obs.tune(lambda: add(x), threads=[64], measure=lambda: next(order)).threads == 64
    assert obs.tune(lambda: add(x), threads=[64], measure=lambda: next(order)).threads == 0
    assert json.loads(place.read_text()) == {} and threads_of(add) == {"256"}


def test_times_of_a_function(place: Path) -> None:
    @obs.jit
    def total(a: Annotated[Pull, "n", f32]) -> object:
        return a.sum()

    x = np.random.default_rng(1).random(5000, np.float32)
    report = total.tune(x, threads=(96, 256), repeat=2)
    assert list(report.seconds) == [0, 96, 256] and all(s > 0 for s in report.seconds.values())
    assert place.exists()


def test_wrong_results_and_refused_numbers_are_no_candidates(tmp_path: Path) -> None:
    @obs.jit
    def add(a: Numbers) -> object:
        return a + 5

    x = np.arange(10, dtype=np.int32)
    calls = 0

    def run() -> object:
        nonlocal calls
        calls += 1
        return add(x) + (calls == 4)

    order = iter([4.0, 3.0, 1.0])
    file = tmp_path / "other.json"
    found = obs.tune(run, threads=(64, 2000, 32), file=file, measure=lambda: next(order))
    assert list(found.seconds) == [0, 64] and found.threads == 64
    assert list(json.loads(file.read_text()).values()) == [64]


def test_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @obs.jit
    def add(a: Numbers) -> object:
        return a + 7

    x = np.arange(10, dtype=np.int32)
    monkeypatch.delenv("OBS_TUNED", raising=False)
    with pytest.raises(obs.ArgumentError, match="name a file=, or set OBS_TUNED"):
        add.tune(x)
    file = tmp_path / "tuned.json"
    with pytest.raises(obs.ArgumentError, match="at least 1 run"):
        add.tune(x, repeat=0, file=file)
    with pytest.raises(obs.ArgumentError, match="threads= or donate="):
        obs.jit(add.__wrapped__, threads=64).tune(x, file=file)
    with pytest.raises(obs.ArgumentError, match="inside of"):
        obs.tune(lambda: add.tune(x, file=file), file=file)
    for text in ("no JSON", "[1]", '{"a": 0}'):
        file.write_text(text)
        with pytest.raises(obs.ArgumentError, match="no file of tuned programs"):
            add.tune(x, file=file)
        monkeypatch.setenv("OBS_TUNED", str(file))
        tuning._tables.clear()
        with pytest.raises(obs.ArgumentError, match="no file of tuned programs"):
            obs.jit(add.__wrapped__)(x)
        monkeypatch.delenv("OBS_TUNED")
    (tmp_path / "plain").write_text("")
    with pytest.raises(obs.ArgumentError, match="plain"):
        add.tune(x, repeat=1, threads=(), file=tmp_path / "plain" / "tuned.json")
    assert_array_equal(add(x), x + 7)

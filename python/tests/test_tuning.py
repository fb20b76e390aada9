"""The search for the fastest options of the compiler."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import obsidian as obs
from obsidian import Pull, Tuning, f32, i32, tuning
from obsidian.__main__ import main
from obsidian.tune_command import argument_of

Numbers = Annotated[Pull, "n", i32]
#: The number of threads is the only dimension.
THREADS = {"tiles": (True,), "plain": (False,)}


def threads_of(function: obs.Function) -> set[str]:
    """The numbers of threads in the launches of a function."""
    steps = function.contract()["functions"][0]["steps"]
    return {step["block"] for step in steps if step["step"] == "launch"}


def clock(*times: float) -> Callable[[], float]:
    """A measure that returns these times, one after another."""
    order = iter(times)
    return lambda: next(order)


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
    report = obs.tune(
        lambda: f(x), threads=(64, 128, 512), measure=clock(4.0, 3.0, 1.0, 2.0), **THREADS
    )
    assert report.seconds == {
        Tuning(): 4.0, Tuning(64): 3.0, Tuning(128): 1.0, Tuning(512): 2.0
    }  # fmt: skip
    assert report.threads == 128 and len(report.programs) == 1
    assert "chosen: 128 threads" in repr(report) and "default: 4e+06" in repr(report)
    assert json.loads(place.read_text()) == {report.programs[0]: {"threads": 128}}
    assert threads_of(f) == {"128"} and threads_of(obs.jit(add)) == {"128"}
    assert_array_equal(f(x), x + 1)
    # A function that names its threads keeps them.
    assert threads_of(obs.jit(add, threads=32)) == {"32"}


def test_the_file_belongs_to_several_processes(place: Path) -> None:
    @obs.jit
    def add(a: Numbers) -> object:
        return a + 3

    other = {"of another program": {"threads": 64}}
    times = iter((4.0, 1.0))

    def measure() -> float:
        # Another process finishes in the meantime.
        place.write_text(json.dumps(other))
        place.chmod(0o640)
        return next(times)

    x = np.arange(100, dtype=np.int32)
    report = obs.tune(lambda: add(x), threads=(128,), measure=measure, **THREADS)
    assert json.loads(place.read_text()) == {**other, report.programs[0]: {"threads": 128}}
    assert place.stat().st_mode & 0o777 == 0o640
    assert list(place.parent.iterdir()) == [place]


def test_a_file_that_cannot_be_written_is_an_error_at_once(tmp_path: Path) -> None:
    def run() -> object:
        raise AssertionError("this must not run")

    (tmp_path / "plain").write_text("")
    with pytest.raises(obs.ArgumentError, match="plain"):
        obs.tune(run, file=tmp_path / "plain" / "tuned.json")


def test_a_small_gain_keeps_the_default(place: Path) -> None:
    @obs.jit
    def add(a: Numbers) -> object:
        return a + 3

    x = np.arange(10, dtype=np.int32)

    def tune(*times: float) -> int:
        return obs.tune(lambda: add(x), threads=[64], measure=clock(*times), **THREADS).threads

    assert tune(1.0, 0.5) == 64
    assert tune(1.0, 0.99) == 0
    assert json.loads(place.read_text()) == {} and threads_of(add) == {"256"}


def test_tiles_and_blocks(place: Path) -> None:
    """A map has no collectives, so its code is the same with plain ones, and is timed once."""

    @obs.jit
    def add(a: Numbers) -> object:
        return a + 9

    x = np.arange(3000, dtype=np.int32)
    lines: list[str] = []
    report = obs.tune(
        lambda: add(x),
        threads=(),
        blocks=(7,),
        measure=clock(4.0, 3.0, 2.0, 1.0),
        progress=lines.append,
    )
    assert report.seconds == {
        Tuning(): 4.0,
        Tuning(tiles=False): 3.0,
        Tuning(blocks=7): 2.0,
        Tuning(blocks=7, tiles=False): 1.0,
    }
    assert report.chosen == Tuning(blocks=7, tiles=False)
    assert str(report.chosen) == "7 blocks, no tiles"
    entry = json.loads(place.read_text())[report.programs[0]]
    assert entry == {"blocks": 7, "tiles": False}
    assert len(lines) == 8
    assert lines[0] == "1 of 8: default: 4e+06 µs"
    assert lines[1] == "2 of 8: plain collectives: the code is that of default"
    steps = add.contract()["functions"][0]["steps"]
    assert [step["grid"] for step in steps if step["step"] == "launch"] == ["7"]
    assert_array_equal(add(x), x + 9)


def test_plain_collectives_are_a_candidate(place: Path) -> None:
    @obs.jit
    def total(a: Numbers) -> object:
        return a.sum()

    x = np.arange(5000, dtype=np.int32)
    kernels = total.kernels()
    report = total.tune(x, threads=(), tiles=(True,), repeat=1)
    assert set(report.seconds) == {Tuning(), Tuning(plain=True)}
    file = {report.programs[0]: {"plain": True}}
    place.write_text(json.dumps(file))
    tuning._tables.clear()
    total.forget()
    assert obs.jit(total.__wrapped__).kernels() != kernels
    assert total(x) == 5000 * 4999 // 2


def test_candidates_that_move_many_bytes_are_not_tried(tmp_path: Path) -> None:
    @obs.jit
    def add(a: Numbers) -> object:
        return a + 11

    x = np.arange(100, dtype=np.int32)
    bytes_of = {Tuning(): 100, Tuning(64): 201, Tuning(128): 200}
    lines: list[str] = []
    report = obs.tune(
        lambda: add(x),
        threads=(64, 128),
        file=tmp_path / "tuned.json",
        measure=clock(2.0, 1.0),
        bytes_of=lambda tuning: bytes_of[tuning],
        progress=lines.append,
        **THREADS,
    )
    assert report.seconds == {Tuning(): 2.0, Tuning(128): 1.0}
    assert lines[1] == "2 of 3: 64 threads: moves 201 bytes, and the default 100"


def test_times_of_a_function(place: Path) -> None:
    @obs.jit
    def total(a: Annotated[Pull, "n", f32]) -> object:
        return a.sum()

    x = np.random.default_rng(1).random(5000, np.float32)
    report = total.tune(x, threads=(96, 256), repeat=2, **THREADS)
    assert Tuning() in report.seconds and all(s > 0 for s in report.seconds.values())
    assert set(report.seconds) <= {Tuning(), Tuning(96), Tuning(256)}
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
        return add(x) + (calls == 3)

    file = tmp_path / "other.json"
    lines: list[str] = []
    found = obs.tune(
        run,
        threads=(64, 2000, 32),
        file=file,
        measure=clock(4.0, 3.0, 1.0),
        progress=lines.append,
        **THREADS,
    )
    assert found.seconds == {Tuning(): 4.0, Tuning(64): 3.0} and found.threads == 64
    assert list(json.loads(file.read_text()).values()) == [{"threads": 64}]
    assert "3 of 4: 2000 threads: refused: " in lines[2]
    assert lines[3] == "4 of 4: 32 threads: the results differ"


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
    wrong = ("no JSON", "[1]", '{"a": 0}', '{"a": {"threads": 2000}}', '{"a": {"tiles": 1}}')
    for text in (*wrong, '{"a": {"colour": 1}}'):
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
        add.tune(x, repeat=1, threads=(), **THREADS, file=tmp_path / "plain" / "tuned.json")
    assert_array_equal(add(x), x + 7)


# ---------------------------------------------------------------------------------------------
# The command
# ---------------------------------------------------------------------------------------------

MLIR = """\
func.func @main(%k: i32, %a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %r = obs.map (%x = %a : !obs.pull<? x i32>) {
    %s = arith.addi %x, %k : i32
    obs.yield %s : i32
  }
  %f = obs.force %r {kernel = "add"} : !obs.pull<? x i32>
  return %f : !obs.pull<? x i32>
}
"""


def test_command_on_mlir(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "add.mlir"
    program.write_text(MLIR)
    times = clock(4.0, 3.0, 1.0, 2.0)
    run = obs.tune

    def tune(*arguments: object, **keywords: object) -> object:
        return run(*arguments, measure=times, **keywords)  # type: ignore[arg-type]

    monkeypatch.setattr("obsidian.tune_command.tune", tune)
    words = ["tune", str(program), "-5", "iota:1000xi32", "--device=emulate", "--threads=64"]
    assert main(words) == 0
    shown = capsys.readouterr()
    assert shown.out == f"64 threads takes 1e+06 µs; {place}\n"
    assert "not those of a GPU" in shown.err and "8 of 8: 64 threads, no tiles" in shown.err
    (entry,) = json.loads(place.read_text()).values()
    assert entry == {"threads": 64}
    assert main([str(program), "contract"]) == 0
    contract = json.loads(capsys.readouterr().out)
    assert [kernel["block"] for kernel in contract["kernels"]] == [64]
    assert main(["tune", str(program), "1", "--device=emulate"]) == 1
    assert "takes 2 arguments, not 1" in capsys.readouterr().err


def test_command_on_a_function(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "tuned_function.py"
    source.write_text(
        "import obsidian as obs\nfrom typing import Annotated\nfrom obsidian import Pull, i32\n\n"
        '@obs.jit\ndef twice(a: Annotated[Pull, "n", i32]):\n    return a + a\n'
    )
    words = ["--threads=64", "--repeat=1", "--device=emulate"]
    assert main(["tune", f"{source}:twice", "random:100xi32:1", *words]) == 0
    assert "of 8: default: " in capsys.readouterr().err and place.exists()
    with pytest.raises(SystemExit):
        main(["tune", str(tmp_path / "missing.mlir")])
    with pytest.raises(SystemExit):
        main(["tune", f"{source}:other"])


def test_arguments_of_the_command(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(3))
    assert_array_equal(argument_of(str(tmp_path / "a.npy")), [0, 1, 2])
    # Programs read elements in row-major order, with the bytes of this machine.
    matrix = np.arange(6, dtype=np.int32).reshape(2, 3)
    for other in (np.asfortranarray(matrix), matrix.astype(">i4")):
        np.save(tmp_path / "b.npy", other)
        found = argument_of(str(tmp_path / "b.npy"))
        assert found.flags.c_contiguous and found.dtype.isnative
        assert_array_equal(found, matrix)
    assert_array_equal(argument_of("iota:2x3xi8"), np.int8([[0, 1, 2], [3, 4, 5]]))
    assert argument_of("iota:2x3xi8").dtype == np.int8
    assert not argument_of("zeros:4xf32").any()
    bits = argument_of("random:1000xi32:1")
    assert (bits.shape, bits.dtype) == ((1000,), np.int32) and bits.min() < 0 < bits.max()
    assert set(argument_of("random:100xi1").tolist()) == {False, True}
    floats = argument_of("random:10x10xf32:2")
    assert floats.dtype == np.float32 and ((floats >= 0) & (floats < 1)).all()
    assert [argument_of(w) for w in ("12", "0x1f", "-3", "0.5", "true")] == [12, 31, -3, 0.5, True]
    many = 10**20
    large = (
        f"iota:{many}xi8",
        f"zeros:{many}x3xi8",
        f"random:{many}xf32",
        "iota:99999999x99999999xi8",
    )
    for wrong in ("iota:3xi7", "hello", "missing.npy", "random:xi32", *large):
        with pytest.raises(obs.ArgumentError):
            argument_of(wrong)

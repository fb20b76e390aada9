"""Programs as files, and functions from these files, in processes that compile nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import util
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest
from foreign import FAKE_CUDA, LIBRARY, FakeDriver, increment, needs_fake_cuda, on_gpu, saxpy

import obsidian as obs
from obsidian import Pull, bf16, calls, device_arrays, export, f32, i8, i32, index, native, warp
from obsidian.backend import RunOptions, backend

Ints = Annotated[Pull, "n", i32]
A = np.arange(1000, dtype=np.int32)


@obs.jit
def sums(a: Ints, *, size=512, level=warp):
    return obs.concat((obs.full(1, c.sum()) for c in a.split(size, pad=0)), level=level)


class Extremes(NamedTuple):
    least: Any
    largest: Any


@obs.jit
def mixed(p: Annotated[Pull, "h", 3, (i32, f32)], k: index, a: Annotated[Pull, "n <= 9", i8]):
    """Results of several kinds: a named tuple of arrays, elements that are tuples, a number."""
    numbers = p.map(lambda x, y: x).flatten()
    ends = Extremes(numbers.min(), numbers.max())
    return ends, p.map(lambda x, y: (y, (x, y + 1))), k + 1, a.reverse()


@obs.jit
def printing(a: Ints):
    obs.print("{} numbers", a.size)
    return a + 1


def load(folder: Path, name: str) -> Any:
    """The function of a stub, in this process."""
    spec = util.spec_from_file_location(name, folder / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def test_files(tmp_path: Path) -> None:
    paths = saxpy.export(tmp_path / "new")
    suffixes = ("ptx", "json", "c", "kernels.mlir", "mlir", "py")
    assert [p.name for p in paths] == [f"saxpy.{s}" for s in suffixes]
    assert paths[0].read_text() == saxpy.ptx()
    assert json.loads(paths[1].read_text()) == saxpy.contract()
    assert paths[2].read_text() == saxpy.host_c()
    assert paths[3].read_text() == saxpy.kernels()
    assert paths[4].read_text() == saxpy.mlir()
    named = sums.export(tmp_path, name="chunks", size=64)
    assert named[0].name == "chunks.ptx"
    np.testing.assert_array_equal(load(tmp_path, "chunks")(A[:960]), A[:960].reshape(15, 64).sum(1))
    for wrong in ("a/b", "class", "ä"):
        with pytest.raises(obs.ArgumentError, match="no name for files"):
            saxpy.export(tmp_path, name=wrong)


ALONE = """
import sys, numpy as np
from obsidian import native
def refuse(*_): raise AssertionError("this process compiles nothing")
native.NativeBackend._compile = refuse
from saxpy import saxpy
from mixed import mixed
for n in (0, 1, 31, 32, 33, 1000, 1025):
    x = np.arange(n, dtype=np.float32)
    np.testing.assert_array_equal(saxpy(2.0, x, x + 1), 2 * x + (x + 1))
    if n:
        i, j = np.arange(3 * n, dtype=np.int32).reshape(n, 3), np.float32(5 * np.ones((n, 3)))
        (least, largest), (y, (z, w)), k, b = mixed((i, j), n, np.arange(9, dtype=np.int8))
        assert (least[0], largest[0], k) == (0, 3 * n - 1, n + 1)
        np.testing.assert_array_equal(y, j)
        np.testing.assert_array_equal(z, i)
        np.testing.assert_array_equal(w, j + 1)
        np.testing.assert_array_equal(b, np.arange(9)[::-1])
print("equal", saxpy.__name__, "obsidian.cache" in sys.modules)
"""


def test_a_process_that_compiles_nothing(tmp_path: Path) -> None:
    saxpy.export(tmp_path)
    mixed.export(tmp_path)
    environment = {**os.environ, "OBS_CACHE_DIR": ""}
    done = subprocess.run(
        [sys.executable, "-c", ALONE], cwd=tmp_path, env={**environment, "PYTHONPATH": PATH},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.stdout.startswith("equal saxpy"), done.stderr


PATH = os.pathsep.join([".", *filter(None, sys.path)])


def test_stub_shows_its_signature(tmp_path: Path) -> None:
    saxpy.export(tmp_path)
    text = (tmp_path / "saxpy.py").read_text()
    assert 'def saxpy(k: f32, x: Annotated[Pull, "n", f32], y: Annotated[Pull, "n", f32]):' in text
    function = load(tmp_path, "saxpy")
    assert function.__doc__ == "saxpy(k: f32, x: f32[?], y: f32[?]) -> (f32[?])"
    assert repr(function) == "<program saxpy from files>"
    mixed.export(tmp_path)
    text = (tmp_path / "mixed.py").read_text()
    assert 'p: Annotated[Pull, "h", 3, (i32, f32)], k: index' in text
    assert '"n <= 9"' in text
    assert "results=((0, 1), (2, (3, 4)), 5, 6)" in text


def test_arguments_of_loaded_programs(tmp_path: Path) -> None:
    """They are checked as those of the function are."""
    saxpy.export(tmp_path)
    function, x = load(tmp_path, "saxpy"), np.ones(4, np.float32)
    for arguments, message in (
        ((2.0, x), "saxpy has 3 parameters, and 2 were given"),
        ((2.0, x, x[:3]), "n is 4 in x, 3 in y"),
        ((2.0, x, A), "the elements of y are f32"),
        (("2", x, x), "k is f32"),
    ):
        with pytest.raises(obs.ObsidianError, match=message):
            function(*arguments)
    np.testing.assert_array_equal(function(2.0, x, x), 3 * x)
    with pytest.raises(obs.ArgumentTypeError, match="no source to interpret"):
        function.run(RunOptions("interpret"), 2.0, x, x)
    checked = RunOptions("emulate", True, "random", 3)
    np.testing.assert_array_equal(function.run(checked, 2.0, x, x), 3 * x)


def test_donated_parameters_of_loaded_programs(tmp_path: Path) -> None:
    increment.export(tmp_path)
    function, a = load(tmp_path, "increment"), np.int32([1, 2, 3])
    assert function(a) is a
    assert a.tolist() == [2, 3, 4]
    a.flags.writeable = False
    with pytest.raises(obs.ArgumentError, match="read-only"):
        function(a)


def test_types_of_arguments(tmp_path: Path) -> None:
    """A parameter without an annotation has the type of the argument; elements of bf16 work."""

    @obs.jit
    def double(a):
        return a + a

    double.export(tmp_path, A)
    np.testing.assert_array_equal(load(tmp_path, "double")(A), 2 * A)

    @obs.jit
    def halves(a: Annotated[Pull, None, bf16]):
        return a

    halves.export(tmp_path)
    bits = np.uint16([0x3F80, 0x4000])
    np.testing.assert_array_equal(load(tmp_path, "halves")(bits), bits)


def test_numbers_alone(tmp_path: Path) -> None:
    @obs.jit
    def table(n: index):
        return obs.iota(n)

    table.export(tmp_path)
    assert load(tmp_path, "table")(3).tolist() == [0, 1, 2]

    @obs.jit
    def nothing():
        return obs.iota(4)

    nothing.export(tmp_path)
    assert load(tmp_path, "nothing")().tolist() == [0, 1, 2, 3]


def test_prints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printing.export(tmp_path)
    load(tmp_path, "printing")(A)
    assert capsys.readouterr().out == "1000 numbers\n"


def test_files_that_do_not_fit(tmp_path: Path) -> None:
    saxpy.export(tmp_path)
    sums.export(tmp_path)
    text = (tmp_path / "sums.json").read_text()
    (tmp_path / "saxpy.json").write_text(text)
    with pytest.raises(obs.ArgumentError, match=r"does not fit saxpy\.json"):
        load(tmp_path, "saxpy")
    for wrong in ("", "{", "{}", text.replace('"version": 2', '"version": 99')):
        (tmp_path / "sums.json").write_text(wrong)
        with pytest.raises(obs.CompileError):
            load(tmp_path, "sums")
    (tmp_path / "sums.json").unlink()
    with pytest.raises(FileNotFoundError, match=r"sums\.json"):
        load(tmp_path, "sums")


def test_kernels_that_cannot_be_read(tmp_path: Path) -> None:
    """The emulator needs them, and reports this."""
    sums.export(tmp_path)
    (tmp_path / "sums.kernels.mlir").write_text("")
    function = load(tmp_path, "sums")
    with pytest.raises(obs.RunError):
        function(A)


def test_a_machine_without_a_gpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saxpy.export(tmp_path)
    monkeypatch.setenv("OBS_CUDA_DRIVER", str(tmp_path / "libcuda.so"))
    function, x = load(tmp_path, "saxpy"), np.ones(4, np.float32)
    device_arrays.driver.cache_clear()
    with pytest.raises(obs.ObsidianError, match="there is no CUDA driver"):
        function.run(RunOptions("cuda"), 2.0, x, x)
    device_arrays.driver.cache_clear()


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeDriver]:
    fake = FakeDriver()
    monkeypatch.setenv("OBS_CUDA_DRIVER", str(FAKE_CUDA))
    one = native.NativeBackend(LIBRARY)
    monkeypatch.setattr(export, "backend", lambda: one)
    for module in (calls, device_arrays, native):
        monkeypatch.setattr(module, "driver", lambda: fake)
    yield fake
    assert backend() is not one


@needs_fake_cuda
def test_launches_on_a_driver_that_pretends(tmp_path: Path, driver: FakeDriver) -> None:
    """The PTX of the file is loaded, and results are in memory of the allocator."""
    saxpy.export(tmp_path)
    x = on_gpu(np.ones(100, np.float32))
    found = load(tmp_path, "saxpy")(2.0, x, x)
    assert isinstance(found, device_arrays.DeviceArray)
    assert (found.shape, found.element) == ((100,), "f32")
    assert [*driver.live] == [found.pointer]

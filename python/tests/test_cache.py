"""Programs that are compiled once, and read from the disk after that."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest
from foreign import (
    FAKE_CUDA,
    LIBRARY,
    FakeDriver,
    call_of,
    kept,
    needs_fake_cuda,
    needs_library,
    on_gpu,
    pairs,
    program_of,
    saxpy,
)

import obsidian as obs
from obsidian import Pull, cache, calls, device_arrays, f32, native
from obsidian.backend import CompileOptions, RunOptions, library_path

pytestmark = needs_library
X = np.arange(100, dtype=np.float32)


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A cache of its own for each test."""
    monkeypatch.setenv("OBS_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def compile_now(*_: Any) -> Any:
    raise AssertionError("the program is compiled")


def reader(monkeypatch: pytest.MonkeyPatch) -> native.NativeBackend:
    """A backend that cannot compile."""
    backend = native.NativeBackend(LIBRARY)
    monkeypatch.setattr(backend, "_compile", compile_now)
    return backend


def test_the_second_backend_compiles_nothing(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    first = call_of(saxpy, native.NativeBackend(LIBRARY))
    (entry,) = folder.iterdir()
    second = call_of(saxpy, reader(monkeypatch))
    assert (first.artifact.is_read, second.artifact.is_read) == (False, True)
    for size in (0, 1, 33, 100):
        x, y = X[:size], X[:size] * 2
        np.testing.assert_array_equal(second([3.0, x, y]), 3 * x + y)
    assert first.artifact.parameters == second.artifact.parameters
    assert first.artifact.results == second.artifact.results
    assert [entry] == [*folder.iterdir()]


def test_programs_whose_host_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = np.array([3, -1, 0, 5, 7, -2], np.int32)
    small = np.arange(6, dtype=np.int8)
    for backend in (native.NativeBackend(LIBRARY), reader(monkeypatch)):
        np.testing.assert_array_equal(call_of(kept, backend)([numbers]), [3, 5, 7])
        sums, chosen = call_of(pairs, backend)([(numbers, small), 9, True])
        np.testing.assert_array_equal(sums, numbers + small)
        assert chosen == 9
        big = np.zeros(101, np.int32), np.zeros(101, np.int8)
        with pytest.raises(obs.ArgumentError):
            call_of(pairs, backend)([big, 9, True])


def test_another_program_is_another_entry(folder: Path) -> None:
    backend = native.NativeBackend(LIBRARY)
    text = program_of(saxpy).text
    for options in (CompileOptions(), CompileOptions(threads=64), CompileOptions(chip="sm_80")):
        backend.compile(text, options)
    backend.compile(text + "\n", CompileOptions())
    assert len([*folder.iterdir()]) == 4


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "no contract", "nonsense"])
def test_damaged_entries_are_compiled_again(damage: str, folder: Path) -> None:
    call_of(saxpy, native.NativeBackend(LIBRARY))
    (entry,) = folder.iterdir()
    good = entry.read_bytes()

    def sealed(texts: Any) -> bytes:
        body = json.dumps(texts).encode()
        return hashlib.sha256(body).hexdigest().encode() + body

    texts = json.loads(good[64:])
    contract = texts["contract"].replace('"launch"', '"lunch"')
    bad = {
        "cut": good[: len(good) // 2],
        "changed": good[:-9] + b"?" + good[-8:],
        "empty": b"",
        "no contract": sealed({**texts, "contract": "{}"}),
        "nonsense": sealed({**texts, "contract": contract}),
    }[damage]
    entry.write_bytes(bad)
    call = call_of(saxpy, native.NativeBackend(LIBRARY))
    assert not call.artifact.is_read
    np.testing.assert_array_equal(call([3.0, X, X]), 4 * X)
    assert entry.read_bytes() == good


def test_no_cache_and_a_folder_that_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("no folder")
    for name in ("", str(tmp_path / "file" / "cache")):
        monkeypatch.setenv("OBS_CACHE_DIR", name)
        call = call_of(saxpy, native.NativeBackend(LIBRARY))
        np.testing.assert_array_equal(call([3.0, X, X]), 4 * X)
    monkeypatch.delenv("OBS_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.folder() == tmp_path / "obsidian"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.folder() == tmp_path / ".cache" / "obsidian"


def test_what_only_a_compilation_has(monkeypatch: pytest.MonkeyPatch) -> None:
    native.NativeBackend(LIBRARY).compile(program_of(saxpy).text, CompileOptions())
    backend = native.NativeBackend(LIBRARY)
    artifact = backend.compile(program_of(saxpy).text, CompileOptions())
    assert artifact.is_read
    assert '"version": 2' in backend.show(artifact, "contract")[0]
    assert "gpu.func" in backend.show(artifact, "kernels")[0]
    assert artifact.is_read
    assert "kernel 'saxpy'" in backend.show(artifact, "cost")[0]
    assert not artifact.is_read
    artifact = backend.compile(program_of(saxpy).text, CompileOptions())
    (found,) = backend.run(artifact, [np.float32(3), X, X], 1, RunOptions(device="interpret"))
    np.testing.assert_array_equal(found, 4 * X)


@obs.jit
def mirrored(a: Annotated[Pull, "n", f32]) -> Any:
    b = obs.exp(a)
    return b + b.reverse()


def test_messages_are_kept() -> None:
    text = program_of(mirrored).text
    first = native.NativeBackend(LIBRARY).compile(text, CompileOptions())
    second = native.NativeBackend(LIBRARY).compile(text, CompileOptions())
    assert second.is_read
    assert "computed in 2 places" in first.diagnostics[0].message
    assert first.diagnostics == second.diagnostics


_SCRIPT = """
import sys
import numpy as np
sys.path.insert(0, sys.argv[1])
from foreign import LIBRARY, call_of, saxpy
from obsidian import native
x = np.arange(100, dtype=np.float32)
for _ in range(5):
    assert (call_of(saxpy, native.NativeBackend(LIBRARY))([3.0, x, x]) == 4 * x).all()
print("done")
"""


def test_many_processes(folder: Path) -> None:
    here = str(Path(__file__).parent)
    environment = {**os.environ, "OBS_CACHE_DIR": str(folder), "OBS_LIBRARY": str(LIBRARY)}
    path = os.pathsep.join([str(Path(obs.__file__).parents[1]), *sys.path])
    environment["PYTHONPATH"] = path
    running = [
        subprocess.Popen(
            [sys.executable, "-c", _SCRIPT, here], env=environment, stdout=subprocess.PIPE
        )
        for _ in range(4)
    ]
    for process in running:
        assert process.communicate(timeout=120)[0] == b"done\n"
    (entry,) = folder.iterdir()
    assert cache.read(entry.name)


@needs_fake_cuda
def test_ptx_is_kept(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("OBS_CUDA_DRIVER", str(FAKE_CUDA))
    fake = FakeDriver()
    for module in (calls, device_arrays, native):
        monkeypatch.setattr(module, "driver", lambda: fake)
    x = on_gpu(X)
    call_of(saxpy, native.NativeBackend(LIBRARY))([2.0, x, x])
    (entry,) = folder.iterdir()
    texts = cache.read(entry.name)
    assert texts is not None
    assert ".visible .entry saxpy" in texts["ptx"]
    found = call_of(saxpy, reader(monkeypatch))([2.0, x, x])
    assert found.shape == (100,)


def test_folders_of_the_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An empty name, and a user without a home, mean no cache."""
    monkeypatch.setenv("OBS_CACHE_DIR", "")
    assert cache.folder() is None
    cache.write("key", {"a": "b"})
    assert cache.read("key") is None
    monkeypatch.delenv("OBS_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.folder() == tmp_path / "obsidian"
    monkeypatch.delenv("XDG_CACHE_HOME")

    def no_home() -> Path:
        raise RuntimeError("no home")

    monkeypatch.setattr(Path, "home", no_home)
    assert cache.folder() is None


def test_an_interrupted_write_leaves_no_file(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        cache.write("key", {"a": "b"})
    assert not list(folder.iterdir())


def test_the_file_of_the_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OBS_LIBRARY", str(tmp_path / "missing.so"))
    with pytest.raises(obs.ObsidianError, match=r"OBS_LIBRARY names .*missing\.so"):
        library_path()
    monkeypatch.delenv("OBS_LIBRARY")
    monkeypatch.setattr(Path, "exists", lambda _: False)
    with pytest.raises(obs.ObsidianError, match="this package has no compiler in it"):
        library_path()


def test_older_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """A library that lacks a function is named, and so is the function."""

    class Older:
        @staticmethod
        def obs_get_api_version() -> int:
            return 1

    monkeypatch.setattr(native.ctypes, "CDLL", lambda path: Older)
    with pytest.raises(obs.ObsidianError, match=r"old\.so has no function obs_get_version"):
        native.open_library("old.so")
    monkeypatch.setattr(Older, "obs_get_api_version", staticmethod(lambda: 2))
    with pytest.raises(obs.ObsidianError, match=r"old\.so has version 2 of the C API"):
        native.open_library("old.so")
    monkeypatch.delattr(Older, "obs_get_api_version")
    with pytest.raises(obs.ObsidianError, match="no function obs_get_api_version"):
        native.open_library("old.so")

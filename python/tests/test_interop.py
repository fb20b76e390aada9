"""Arrays of other libraries, on the emulator."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
import pytest
from foreign import LIBRARY, Described, Exporter, call_of, needs_library, pairs, saxpy, twice

import obsidian as obs
from obsidian import calls, interop, native, views
from obsidian.backend import RunOptions
from obsidian.errors import PerformanceWarning


@pytest.fixture(scope="module")
def backend() -> native.NativeBackend:
    return native.NativeBackend(LIBRARY)


# ------------------------------------------------------------------------------ Detection


def test_what_is_no_array_has_no_view() -> None:
    for value in (1, 2.0, True, "text", (1, 2), [1], np.float32(1), None, object()):
        assert interop.view_of(value) is None
    assert "torch" not in sys.modules
    assert "cupy" not in sys.modules


@pytest.mark.parametrize(
    "make",
    [
        lambda a: a,
        Exporter,
        memoryview,
        bytearray,
        lambda a: Described("__array_interface__", a),
        lambda a: a.view(type("Sub", (np.ndarray,), {})),
    ],
)
def test_arrays_of_the_host_share_their_memory(make: Any) -> None:
    array = np.arange(6, dtype=np.uint8)
    view = interop.view_of(make(array))
    assert view is not None
    assert (view.device, view.shape, view.element) == (views.CPU, (6,), "u8")
    assert view.framework.to_host(view).tolist() == [0, 1, 2, 3, 4, 5]
    if make is not bytearray:
        assert view.pointer == array.ctypes.data


@pytest.mark.parametrize("make", [lambda a: a, Exporter])
def test_arrays_that_are_not_contiguous_are_copied(make: Any) -> None:
    array = np.arange(12, dtype=np.int32).reshape(3, 4)
    for part in (array.T, array[:, ::2], array[::-1]):
        view = interop.view_of(make(part))
        assert view is not None
        assert view.copied
        np.testing.assert_array_equal(view.framework.to_host(view), part)
    empty = interop.view_of(make(np.zeros((0, 3), np.float64)))
    assert empty is not None
    assert (empty.shape, empty.element, empty.nbytes) == ((0, 3), "f64", 0)


def test_types_that_the_language_lacks() -> None:
    with pytest.raises(obs.ArgumentTypeError, match="elements of type complex64"):
        interop.view_of(np.zeros(3, np.complex64))
    with pytest.raises(obs.ArgumentTypeError, match="elements of type >i4"):
        interop.view_of(np.zeros(3, ">i4"))
    with pytest.raises(obs.ArgumentTypeError, match="type 5 with 64 bits"):
        interop.view_of(Exporter(np.zeros(3, np.complex64)))


# ------------------------------------------------------------------------------ The emulator


@needs_library
def test_calls_take_arrays_of_the_host(backend: native.NativeBackend) -> None:
    call = call_of(saxpy, backend)
    x = np.arange(5, dtype=np.float32)
    for given in (x, Exporter(x), memoryview(x), Described("__array_interface__", x)):
        found = call([2.0, given, x])
        assert type(found) is np.ndarray
        assert found.tolist() == [0, 3, 6, 9, 12]
    for options in (RunOptions(device="interpret"), RunOptions(check=True)):
        assert call([np.float32(2), x, x[::-1]], options).tolist() == [4, 5, 6, 7, 8]
    assert call([np.array(2.0), x, x]).tolist() == [0, 3, 6, 9, 12]
    with pytest.raises(obs.ArgumentError, match="y is not contiguous"):
        call([2.0, x, x[::-1]], copy=False)


@needs_library
def test_tuples_bounds_and_numbers(backend: native.NativeBackend) -> None:
    call = call_of(pairs, backend)
    a, b = np.arange(4, dtype=np.int32), np.arange(4, dtype=np.uint8)
    assert call([(a, b), 7, True])[0].tolist() == [0, 2, 4, 6]
    wrong: list[tuple[Any, type[Exception], str]] = [
        (a, obs.ArgumentTypeError, "p has elements of 2 components.* not 1"),
        ((a, b[:2]), obs.ArgumentError, "the arrays of p differ"),
        ((a, 1), obs.ArgumentTypeError, "p is an array of i8, not int"),
        ((a, a), obs.ArgumentTypeError, r"elements of p are i8.* int32: .*x.astype\(np.int8\)"),
        ((a, b.reshape(2, 2)), obs.ArgumentTypeError, "p has 1 dimensions, not 2"),
        (
            (np.zeros(101, np.int32), np.zeros(101, np.int8)),
            obs.ArgumentError,
            "dimension 0 of p has 101 elements, more than 100",
        ),
    ]
    for value, kind, message in wrong:
        with pytest.raises(kind, match=message):
            call([value, 7, True])


@needs_library
def test_errors_name_the_parameter(backend: native.NativeBackend) -> None:
    call, x = call_of(saxpy, backend), np.zeros(5, np.float32)
    with pytest.raises(obs.ArgumentError, match="n is 5 in x, 4 in y"):
        call([1.0, x, x[:4]])
    with pytest.raises(obs.ArgumentTypeError, match="k is f32, and"):
        call([x, x, x])
    with pytest.raises(obs.ArgumentTypeError, match="x is an array of f32, not str"):
        call([1.0, "text", x])
    with pytest.raises(obs.ArgumentError, match="dimension 1 of a has 2 elements, not 3"):
        call_of(twice, backend)([np.zeros((2, 2), np.uint16)])


@needs_library
def test_bf16_of_other_packages(backend: native.NativeBackend) -> None:
    call = call_of(twice, backend)
    bits = np.full((1, 3), 0x3F80, np.uint16)
    assert call([bits]).tolist() == [[0x4000] * 3]
    ml_dtypes = pytest.importorskip("ml_dtypes")
    found = call([bits.view(ml_dtypes.bfloat16)])
    assert found.dtype == ml_dtypes.bfloat16
    assert found.tolist() == [[2.0] * 3]


@needs_library
def test_arrays_of_jax(backend: native.NativeBackend) -> None:
    jax = pytest.importorskip("jax")
    call, x = call_of(saxpy, backend), jax.numpy.arange(5, dtype=np.float32)
    if next(iter(x.devices())).platform != "cpu":
        pytest.skip("JAX uses a GPU")
    found = call([2.0, x, x])
    assert isinstance(found, jax.Array)
    assert found.tolist() == [0, 3, 6, 9, 12]
    assert jax.jit(lambda v: call([2.0, v, v]))(x).tolist() == [0, 3, 6, 9, 12]


@needs_library
def test_slow_calls_without_arrays_say_so_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "MANY", 4)

    @obs.jit
    def numbers(n: obs.index):
        return obs.iota(n), n + 1

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        numbers(3)
    with pytest.warns(PerformanceWarning, match=r"4 elements on the emulator.*RunOptions"):
        numbers(4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        numbers(4)
        array, following = numbers.run(obs.RunOptions(device="emulate"), 5)
    assert (array.tolist(), following) == ([0, 1, 2, 3, 4], 6)


@needs_library
def test_slow_calls_say_so_once(
    backend: native.NativeBackend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "MANY", 4)
    call, x = call_of(saxpy, backend), np.zeros(5, np.float32)
    with pytest.warns(PerformanceWarning, match="5 elements on the emulator"):
        call([1.0, x, x])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        call([1.0, x, x])

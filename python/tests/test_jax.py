"""Programs in `jax.jit`, and their handlers on buffers of a GPU that pretends."""

from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

import numpy as np
import pytest
from foreign import (
    FAKE_CUDA,
    LIBRARY,
    FakeDriver,
    call_of,
    increment,
    kept,
    needs_fake_cuda,
    needs_library,
    on_gpu,
    pairs,
    same,
    saxpy,
    twice,
)
from xla_frames import EXECUTE, METADATA, Extension, Frame, Metadata, Xla

import obsidian as obs
from obsidian import Pull, calls, device_arrays, f32, f64, i1, i8, i32, index, native
from obsidian.backend import RunOptions

try:
    import jax
except ImportError:
    jax = None
needs_jax = pytest.mark.skipif(
    jax is None or jax.default_backend() != "cpu", reason="JAX on the processor is not here"
)


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeDriver]:
    fake = FakeDriver()
    monkeypatch.setenv("OBS_CUDA_DRIVER", str(FAKE_CUDA))
    for module in (calls, device_arrays, native):
        monkeypatch.setattr(module, "driver", lambda: fake)
    yield fake


class Ends(NamedTuple):
    least: Any
    most: Any


@obs.jit
def several(a: Annotated[Pull, "n", i32], k: i8, flag: i1):
    """A named tuple, a number, and elements that are tuples."""
    ends = Ends(a.min(), a.max())
    return ends, obs.where(flag, k, 0), a.map(lambda x: (x, x.to(f32) / 2))


@obs.jit
def table(n: index):
    return obs.iota(n)


@obs.jit
def limited(a: Annotated[Pull, "n", i32], k: index):
    assert k < 10, "k is too large"
    return a.map(lambda x: x + k.to(i32))


@needs_jax
@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 1000, 1025])
def test_results_equal_those_of_numpy(n: int) -> None:
    """Numbers are of Python, or traced."""
    x, y = np.arange(n, dtype=np.float32), np.ones(n, np.float32)

    @jax.jit
    def f(x: Any, y: Any, k: Any) -> Any:
        return saxpy(2.0, x, y), saxpy(k, x * 2, y)

    for k in (3.0, -1.0):
        one, other = f(x, y, k)
        np.testing.assert_array_equal(one, 2 * x + y)
        np.testing.assert_array_equal(other, k * 2 * x + y)


@needs_jax
def test_forms_of_arguments_and_results() -> None:
    a = np.int32([5, -3, 7, 1])

    @jax.jit
    def f(a: Any, k: Any) -> Any:
        return several(a, k, True)

    ends, number, (whole, halves) = f(a, 4)
    assert type(ends) is Ends
    assert (ends.least[0], ends.most[0], number) == (-3, 7, 4)
    assert number.shape == ()
    np.testing.assert_array_equal(whole, a)
    np.testing.assert_array_equal(halves, a / 2)
    p = jax.jit(lambda a, b: twice(a) + b)(
        jax.numpy.ones((2, 3), jax.numpy.bfloat16), jax.numpy.bfloat16(1)
    )
    assert p.dtype == jax.numpy.bfloat16
    assert p.tolist() == [[3.0] * 3] * 2
    unsigned = np.uint32([1, 2**31])
    ends, _, _ = jax.jit(lambda a: several(a, 1, False))(unsigned)
    assert ends.least[0] == -(2**31)


@needs_jax
def test_numbers_of_all_types() -> None:
    @obs.jit
    def f(a: Annotated[Pull, "n", f32], b: obs.bf16, c: obs.f16, d: i1, e: obs.i64):
        return a.map(lambda x: obs.where(d, x + b.to(f32) + c.to(f32), e.to(f32)))

    x, numbers = np.float32([1, 2]), (jax.numpy.bfloat16(0.5), np.float16(0.25), True, 7)
    np.testing.assert_array_equal(jax.jit(f)(x, *numbers), x + 0.75)
    np.testing.assert_array_equal(jax.jit(f)(x, *numbers[:2], False, 7), [7, 7])
    np.testing.assert_array_equal(jax.jit(lambda x: f(x, 0.5, 0.25, True, 7))(x), x + 0.75)

    @obs.jit
    def bits(a: Annotated[Pull, "n", i32], k: i32):
        return a + k

    ints = np.int32([1, 2])
    np.testing.assert_array_equal(jax.jit(bits)(ints, np.uint32(2**32 - 1)), ints - 1)


@needs_jax
def test_denormals() -> None:
    """XLA calls foreign functions by rules that treat denormals as zero."""

    @obs.jit
    def halves(a: Annotated[Pull, "n", f32]):
        return a * 0.5

    x = np.float32([1e-44, -3e-39, 2e-38])
    np.testing.assert_array_equal(jax.jit(halves)(x), x * np.float32(0.5))


@needs_jax
def test_arrays_that_are_not_traced() -> None:
    """They are constants of JAX's program."""
    x = np.arange(5, dtype=np.float32)
    for y in (x, jax.numpy.asarray(x), memoryview(x)):
        np.testing.assert_array_equal(jax.jit(lambda v: saxpy(1.0, v, y))(x), 2 * x)
    np.testing.assert_array_equal(jax.jit(lambda k: saxpy(k, x, x))(1.0), 2 * x)


@needs_jax
def test_transformations() -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    np.testing.assert_array_equal(jax.vmap(lambda v: saxpy(2.0, v, v))(x), 3 * x)
    np.testing.assert_array_equal(
        jax.jit(lambda v: jax.lax.fori_loop(0, 3, lambda _, w: saxpy(1.0, w, w), v))(x[0]), 8 * x[0]
    )
    shape = jax.eval_shape(lambda v: saxpy(2.0, v, v), x[0])
    assert (shape.shape, shape.dtype) == ((4,), np.float32)
    with pytest.raises(ValueError, match="differentiated"):
        jax.grad(lambda v: saxpy(2.0, v, v).sum())(x[0])


@needs_jax
def test_what_jax_cannot_call() -> None:
    x, a = np.ones(4, np.float32), np.arange(4, dtype=np.int32)
    for function, arguments, message in (
        (lambda v: saxpy(1.0, v, v[:3]), (x,), "n is 4 in x, 3 in y"),
        (lambda v: saxpy(1.0, v, v), (a,), "the elements of x are f32"),
        (lambda v: saxpy(v, v, v), (x,), "k is f32, and JAX traces f32 with 1 dim"),
        (lambda v: saxpy(v, x, x), (1,), "k is f32, and JAX traces i32 with 0 dim"),
        (lambda v: saxpy(1.0, v, v), (x + 1j,), "elements of type complex64"),
        (increment, (a,), "arrays of JAX never change: omit donate="),
        (kept, (a,), "the host reads an element"),
        (table, (4,), "extents of a result depend on n, which is traced by JAX"),
        (lambda v: pairs((v, np.zeros(4, np.int8)), 3, True), (a,), "only with"),
        (lambda v: saxpy.run(RunOptions(), 1.0, v, v), (x,), "JAX says where a program runs"),
    ):
        with pytest.raises(obs.ObsidianError, match=message):
            jax.jit(function)(*arguments)


@needs_jax
def test_arrays_of_a_gpu_of_others(driver: FakeDriver) -> None:
    x = np.ones(4, np.float32)
    with pytest.raises(obs.ArgumentTypeError, match=r"DeviceArray is on GPU 0: in jax\.jit, pass"):
        jax.jit(lambda v: saxpy(1.0, v, on_gpu(x)))(x)
    del driver


@needs_jax
def test_elements_of_64_bits() -> None:
    @obs.jit
    def wide(a: Annotated[Pull, "n", f64], k: f64):
        return a + k, obs.iota(a.size)

    with jax.enable_x64(True):
        x = jax.numpy.asarray([1.0, 1e300])
        found, places = jax.jit(lambda v: wide(v, 1 / 3))(x)
        assert found.dtype == np.float64
        assert found.tolist() == [1.0 + 1 / 3, 1e300]
        assert places.tolist() == [0, 1]


@needs_jax
def test_programs_that_stop() -> None:
    """JAX raises its own error, with the text of this package; the next call works."""
    f, a = jax.jit(limited), np.arange(4, dtype=np.int32)
    with pytest.raises(jax.errors.JaxRuntimeError, match="k is too large"):
        f(a, 10).block_until_ready()
    np.testing.assert_array_equal(f(a, 3), a + 3)
    with pytest.raises(jax.errors.JaxRuntimeError, match="k: 300"):
        jax.jit(lambda v, k: several(v, k, True))(a, 300)[1].block_until_ready()


@needs_jax
def test_threads() -> None:
    """Handlers of XLA wait for calls of this package, and the other way round."""
    f = jax.jit(lambda x: saxpy(2.0, x, x) + saxpy(1.0, x, x))
    errors: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for n in range(100, 110):
                x = np.arange(n, dtype=np.float32) + number
                np.testing.assert_array_equal(f(x), 5 * x)
                np.testing.assert_array_equal(saxpy(1.0, x, jax.numpy.asarray(x)), 2 * x)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


@needs_jax
def test_a_program_is_one_foreign_function() -> None:
    """An attribute names it, and numbers are attributes."""
    x = np.ones(4, np.float32)
    texts = [jax.jit(lambda v: saxpy(k, v, v)).lower(x).as_text() for k in (1.0, 2.0)]
    names = [re.findall(r'program = "(\w+)"', text) for text in texts]
    assert names[0] == names[1]
    assert len(names[0]) == 1
    assert texts[0] != texts[1]


# ------------------------------------------------------------------------------ Handlers


def xla_of(function: Any, platform: str = "CUDA") -> tuple[Xla, str]:
    """The caller of a program, and the name of the program."""
    call = call_of(function, native.NativeBackend(LIBRARY))
    return Xla(call.backend.xla_handlers()[platform]), call.backend.add_to_xla(call.artifact)


@needs_library
def test_what_handlers_tell_xla() -> None:
    """The version of the interface; and nothing happens before the execution."""
    xla, _ = xla_of(same, "cpu")
    metadata = Metadata()
    frame = Frame(api=ctypes.pointer(xla.api), stage=EXECUTE - 1)
    assert xla.handler(ctypes.addressof(frame)) is None
    extension = Extension(type=METADATA, metadata=ctypes.pointer(metadata))
    frame.extension = ctypes.addressof(extension)
    metadata.version.major = 9
    assert xla.handler(ctypes.addressof(frame)) is None
    assert (metadata.version.major, metadata.version.minor) == (0, 3)
    assert xla.errors == []


@needs_library
def test_buffers_of_the_host() -> None:
    xla, program = xla_of(several, "cpu")
    a = np.int32([5, -3, 7, 1])
    ends, number = [np.zeros(1, np.int32) for _ in range(2)], np.zeros((), np.int8)
    rest = [np.zeros(4, np.int32), np.zeros(4, np.float32)]
    for k in (np.asarray(-7, np.int8), np.asarray(-7, np.int64), np.asarray(249, np.uint8)):
        given = [a, k, np.asarray(1, np.uint8)]
        assert xla.call(program, given, [*ends, number, *rest]) is None, xla.errors
        assert (ends[0][0], ends[1][0], number) == (-3, 7, -7)
    assert xla.call(program, [a], [*ends, number, *rest], {1: 5, 2: 1}) is None, xla.errors
    assert number == 5
    for k, text in (
        (np.asarray(128, np.int16), "k: 128 is out of the range of i8"),
        (np.asarray(-129, np.int32), "k: -129 is out of the range of i8"),
        (np.asarray(1 << 31, np.uint32), "k: 2147483648 is out of the range of i8"),
        (np.asarray(1, np.float32), "k is i8, and XLA has a number of another kind"),
    ):
        assert xla.call(program, [a, k, given[2]], [*ends, number, *rest]) == 1
        assert xla.errors.pop() == text
    for arguments, results, text in (
        ([a], [], "3 arguments and 5 results, and the call has 1 and 0"),
        ([a, k, k, k], [a] * 5, "3 arguments and 5 results, and the call has 4 and 5"),
        (given, [], "3 arguments and 5 results, and the call has 3 and 0"),
        ([a.astype(np.int64), *given[1:]], [*ends, number, *rest], "an element of XLA has 8 bytes"),
        (given, [*ends, number, rest[0][:3], rest[1]], r"a result has the extents (4,), not (3,)"),
    ):
        assert xla.call(program, arguments, results) == 1
        assert text in xla.errors.pop()
    assert xla.call("other", [a], []) == 1
    assert xla.errors == ["this process has no program 'other'"]


@needs_library
def test_numbers_of_other_floats() -> None:
    @obs.jit
    def scaled(a: Annotated[Pull, "n", f64], k: f64, half: obs.f16):
        return (a * k + half.to(f64)).force()

    xla, program = xla_of(scaled, "cpu")
    a, found = np.arange(5.0), np.zeros(5)
    for kind in (np.float16, np.float32, np.float64):
        given = [a, np.asarray(0.25, kind), np.asarray(1 / 3, kind)]
        assert xla.call(program, given, [found]) is None, xla.errors
        np.testing.assert_array_equal(found, a / 4 + np.float64(np.float16(kind(1 / 3))))


@needs_fake_cuda
def test_buffers_of_a_gpu(driver: FakeDriver) -> None:
    """A result in an argument is copied. Kernels do nothing here."""
    xla, program = xla_of(same)
    a = np.arange(8, dtype=np.int32)
    results = [np.zeros(8, np.int32), np.zeros(8, np.int32)]
    assert xla.call(program, [a], results) is None, xla.errors
    assert results[0].tolist() == [*range(8)]
    assert xla.call(program, [a[:0]], [results[0][:0], results[1][:0]]) is None, xla.errors
    assert xla.call(program, [a], [results[0][:4], results[1]]) == 1
    assert xla.errors == ["a result has the extents (8,), not (4,)"]
    del driver


@obs.jit
def two(a: Annotated[Pull, "n", i32]):
    """Two results of one length, after memory that is not a result."""
    both = (a * 2).force().scan(lambda x, y: x + y, init=0).force()
    return (both + 1).force(), (a * 3).force()


@needs_fake_cuda
def test_results_without_copies(driver: FakeDriver) -> None:
    """From the second run on, kernels write the buffers of XLA. Here they write nothing."""
    xla, program = xla_of(two)
    for run, n in enumerate((64, 64, 1000, 0, 64)):
        results = [np.zeros(n, np.int32) for _ in range(2)]
        xla.pieces = 0
        for order in (results, results[::-1]):
            assert xla.call(program, [np.arange(n, dtype=np.int32)], order) is None, xla.errors
            assert all((r != 0).all() for r in results) == (run == 0 or n == 0)
    del driver


@obs.jit
def exchanged(a: Annotated[Pull, "n", i32], k: index):
    """Two arrays that change places in each turn."""
    return obs.loop(k, (a + 1).force(), (a + 2).force())(lambda _, x, y: (y, x))


@needs_fake_cuda
def test_results_in_other_buffers(driver: FakeDriver) -> None:
    """The memory of a result of one run has another result in the next run."""
    xla, program = xla_of(exchanged)
    a = np.zeros(8, np.int32)
    one, two = (np.full(8, k, np.int32) for k in (1, 2))
    assert xla.call(program, [a], [one, two], {1: 0}) is None, xla.errors
    one[:], two[:] = 1, 2
    assert xla.call(program, [a], [one, two], {1: 1}) is None, xla.errors
    assert (one.tolist(), two.tolist()) == ([2] * 8, [1] * 8)
    xla.is_full = True
    assert xla.call(program, [a], [one, two], {1: 1}) is None, xla.errors
    assert xla.call(program, [a], [one, two], {1: 0}) == 1
    assert xla.errors == ["the GPU has no 32 bytes left"]
    del driver


@needs_fake_cuda
def test_numbers_in_buffers_of_a_gpu(driver: FakeDriver) -> None:
    """A traced number is read from the GPU, and a number of the results is written there."""
    xla, program = xla_of(several)
    a = np.arange(8, dtype=np.int32)
    ends, number = [np.zeros(1, np.int32) for _ in range(2)], np.zeros((), np.int8)
    rest = [np.zeros(8, np.int32), np.zeros(8, np.float32)]
    given = [a, np.asarray(7, np.int8), np.asarray(1, np.uint8)]
    assert xla.call(program, given, [*ends, number, *rest]) is None, xla.errors
    assert number == 7
    assert xla.call(program, [a, np.asarray(300, np.int32), given[2]], [*ends, number, *rest]) == 1
    assert "k: 300" in xla.errors[0]
    del driver


@needs_library
def test_programs_that_cannot_be_given() -> None:
    """The error of the text that XLA asks for is the error of the call."""
    backend = native.NativeBackend(LIBRARY)
    call = call_of(saxpy, backend)
    call.artifact.key = "broken"
    call.artifact.saved.clear()

    def show(*_: Any) -> Any:
        raise obs.ObsidianError("there is no such text")

    backend.show = show  # type: ignore[method-assign]
    xla = Xla(backend.xla_handlers()["cpu"])
    assert xla.call(backend.add_to_xla(call.artifact), [], []) == 1
    assert xla.errors == ["there is no such text"]

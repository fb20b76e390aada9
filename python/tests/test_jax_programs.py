"""Functions of JAX as whole programs: the same results as XLA on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax")
jax.config.update("jax_platforms", "cpu")

import jax.numpy as jnp  # noqa: E402
from jax import lax  # noqa: E402
from jax_functions import CASES, ROWS, floats, integers  # noqa: E402

from obsidian import ArgumentTypeError, CompileError  # noqa: E402
from obsidian.jax import jit  # noqa: E402


def check(function: Callable[..., Any], arguments: list[Any]) -> None:
    """Compare the results of obs with those of XLA."""
    expected = jax.jit(function)(*arguments)
    found = jit(function)(*arguments)
    assert jax.tree.structure(found) == jax.tree.structure(expected)
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected)):
        assert a.dtype == b.dtype and a.shape == b.shape
        if np.issubdtype(a.dtype, np.floating) or a.dtype == jnp.bfloat16:
            short = a.dtype in (jnp.float16, jnp.bfloat16)
            x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
            scale = np.abs(y[np.isfinite(y)]).max(initial=1)
            limit = 1e-2 if short else 2e-5
            np.testing.assert_allclose(x, y, rtol=limit, atol=limit * scale)
        else:
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("name", CASES)
def test_as_jax(name: str) -> None:
    check(*CASES[name])


@pytest.mark.parametrize("n", [0, 1, 2, 31, 32, 33, 100, 1000, 1024, 1025, 2049])
def test_lengths(n: int) -> None:
    def several(x: Any) -> Any:
        total = jnp.sum(x), jnp.cumsum(x), jnp.sort(x), x[::-1]
        return *total, jnp.concatenate([x, x + 1]), jnp.zeros(5).at[: min(n, 5)].add(1)

    check(several, [floats(n)])


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1), (1, 33), (33, 1), (17, 32), (9, 1025)])
def test_shapes(shape: tuple[int, int]) -> None:
    def several(m: Any) -> Any:
        rows = m.sum(1), m.sum(0), m.T, jnp.cumsum(m, 1), jnp.sort(m, 0)
        return *rows, m @ m.T, jnp.pad(m, 1), jax.nn.softmax(m, axis=0) if m.size else m

    check(several, [floats(*shape)])


@pytest.mark.parametrize("name", ROWS)
def test_rows(name: str) -> None:
    check(*ROWS[name])


@pytest.mark.parametrize(
    "dtype", ["float32", "bfloat16", "int8", "uint8", "int16", "int32", "uint32", "bool"]
)
def test_long_vectors(dtype: str) -> None:
    """They are sorted by digits. Special floats have the order of JAX."""
    x = floats(33000) * 40
    x[:8] = [0, -0.0, np.nan, np.inf, -np.inf, -np.nan, 1, 1]
    keys = jnp.asarray(x if dtype in ("float32", "bfloat16") else np.clip(x[8:], -128, 127))
    keys = keys.astype(dtype)

    def several(keys: Any) -> Any:
        return jnp.sort(keys, descending=True), jnp.argsort(keys)

    def pairs(keys: Any) -> Any:
        return lax.sort((keys, jnp.arange(keys.size)[::-1]), num_keys=1)

    check(several, [keys])
    check(pairs, [keys])


@pytest.mark.parametrize("rows", [1, 3, 1030])
@pytest.mark.parametrize("length", [1, 2, 16, 17, 32, 33, 129, 513, 1000, 1025, 9000])
def test_softmax(rows: int, length: int) -> None:
    if rows * length < 200000:
        check(jax.nn.softmax, [floats(rows, length)])


PLACES, PLACES_OF_ROWS = np.array([1, 1, 3, -1]), np.array([5, 2, 9])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_gamma_functions(dtype: str) -> None:
    """Also beside poles, for large numbers, and for those that are not finite."""
    few = [0, -0.0, 0.5, 1, 2, 3, -1, -2, 1e4, np.inf, -np.inf, np.nan, 1e-3, -1e-3, -100.5]
    tolerance = {"float16": 2e-3, "float32": 3e-6, "float64": 1e-13}[dtype]
    with jax.enable_x64(True):
        x = np.append(np.linspace(-6.3, 12, 300), few).astype(dtype)
        for function in (lax.lgamma, lax.digamma):
            found, expected = jit(function)(x), jax.jit(function)(x)
            assert found.dtype == expected.dtype
            np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_inverse_error_function(dtype: str) -> None:
    """Also beside 1, where it is steep, and outside of its domain. XLA has errors of 2e-11."""
    few = [0, -0.0, 1, -1, 1.5, np.nan, 1e-30, -1e-30, 0.5]
    tolerance = {"float16": 2e-3, "float32": 3e-6, "float64": 1e-10}[dtype]
    near = 1 - 10.0 ** -np.arange(1, {"float16": 4, "float32": 7, "float64": 17}[dtype])
    with jax.enable_x64(True):
        x = np.concatenate([np.linspace(-0.99, 0.99, 299), near, -near, few]).astype(dtype)
        found, expected = jit(lax.erf_inv)(x), jax.jit(lax.erf_inv)(x)
        assert found.dtype == expected.dtype
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=0)


@pytest.mark.parametrize("bits", [(5, 10), (8, 7), (4, 3), (8, 23), (3, 0)])
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_fewer_bits(dtype: str, bits: tuple[int, int]) -> None:
    few = [65519, 65520, 7e4, 1e-5, 6.1e-5, 5.9e-5, 0, -0.0, np.inf, np.nan, -1e10, 464, 465]
    with np.errstate(over="ignore"):
        x = np.append(np.linspace(-20, 20, 300), few).astype(dtype)
    function = lambda x: lax.reduce_precision(x, *bits)  # noqa: E731
    np.testing.assert_array_equal(jit(function)(x), jax.jit(function)(x))


def test_scatters_whose_functions_are_not_commutative() -> None:
    x = floats(8)
    check(lambda x: x.at[PLACES].subtract(x[:4]), [x])
    check(lambda x: x.at[PLACES].subtract(3), [integers(8).astype(np.uint8)])
    check(jax.grad(lambda x: (x.at[PLACES].subtract(x[:4] ** 2) ** 2).sum()), [x])
    unique: dict[str, Any] = {"unique_indices": True, "mode": "drop"}
    check(lambda x: x.at[PLACES_OF_ROWS].apply(jnp.sin, **unique), [x])
    check(lambda x: x.at[PLACES_OF_ROWS].subtract(x[:3], **unique), [x])
    check(lambda x: x.at[:, PLACES_OF_ROWS].multiply(3, **unique), [floats(3, 6)])
    text = refusal(lambda x: x.at[PLACES].apply(jnp.sin), x)
    assert "needs unique_indices; x.at[i].set(f(x[i]))" in text


def refusal(function: Callable[..., Any], *arguments: Any) -> str:
    with pytest.raises(CompileError) as error:
        jit(function)(*arguments)
    return str(error.value)


def test_refusals() -> None:
    def solve(a: Any) -> Any:
        return jnp.linalg.solve(a, a)

    def printed(a: Any) -> Any:
        jax.debug.print("{}", a)
        return a

    assert "custom_call" in refusal(solve, floats(3, 3))
    assert "xla_ffi_python_cpu_callback" in refusal(printed, floats(3))
    assert "complex" in refusal(lambda x: jnp.abs(jnp.fft.fft(x)), floats(8))
    assert '"ApproxTopK"' in refusal(lambda x: lax.approx_max_k(x, 2), floats(8))
    with pytest.raises(ArgumentTypeError, match="complex64"):
        jit(jnp.fft.fft)(floats(8))


def test_line_of_errors() -> None:
    def place(x: Any) -> Any:
        y = x * 2
        return lax.rng_uniform(0.0, 1.0, (3,)) + y[0]

    assert "rng" in refusal(place, floats(3))
    with pytest.raises(CompileError) as error:
        jit(place)(floats(3))
    message = error.value.diagnostics[0]
    assert message.location is not None
    assert message.location.file == __file__
    assert message.location.line == place.__code__.co_firstlineno + 2


def test_static_arguments() -> None:
    @jit(static_argnums=1, static_argnames="scale", threads=64)  # type: ignore[untyped-decorator]
    def f(x: Any, n: int, *, scale: float = 1.0) -> Any:
        return x[:n] * scale

    x = floats(10)
    np.testing.assert_array_equal(f(x, 3), x[:3])
    np.testing.assert_array_equal(f(x, 5, scale=2.0), x[:5] * 2)
    assert "stablehlo.slice" in f.stablehlo(x, 3)


@pytest.mark.parametrize("kind", [jnp.bfloat16, jnp.float16])
@pytest.mark.parametrize("turned", ["", "a", "b", "ab"])
@pytest.mark.parametrize(
    "shape", [(16, 8, 16), (17, 9, 18), (100, 70, 50), (33, 257, 40), (130, 64, 200), (64, 0, 64)]
)
def test_products_of_halves(shape: tuple[int, int, int], turned: str, kind: Any) -> None:
    """Small integers, so that the sums are exact in any order."""
    m, k, n = shape
    a, b = (
        jnp.asarray(integers(*s, seed=i, high=7) - 3, kind)
        for i, s in enumerate(
            [(k, m) if "a" in turned else (m, k), (n, k) if "b" in turned else (k, n)]
        )
    )

    def product(a: Any, b: Any) -> Any:
        return (a.T if "a" in turned else a) @ (b.T if "b" in turned else b)

    exact = product(np.asarray(a, np.float64), np.asarray(b, np.float64))
    np.testing.assert_array_equal(jit(product)(a, b), jnp.asarray(exact, kind))


def test_functions_of_products() -> None:
    """The bias, the activation and the conversion are in the kernel of the product."""
    x, w = (floats(70, 48).astype(jnp.bfloat16), floats(48, 96, seed=1).astype(jnp.bfloat16))
    b = floats(96, seed=2).astype(jnp.bfloat16)
    check(lambda x, w, b: jax.nn.gelu(x @ w + b) * 2, [x, w, b])
    check(lambda x, w, b: jnp.tanh(x @ w) + (x @ w).sum() + b, [x, w, b])

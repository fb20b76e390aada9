"""Functions of JAX with arguments, for the tests of whole programs and the times on a GPU.

The file is long because it is a list: a few lines for each function, in groups of one kind.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

Case = tuple[Callable[..., Any], list[Any]]
CASES: dict[str, Case] = {}
#: Reductions of rows, and arrays that read them.
ROWS: dict[str, Case] = {}


def floats(*shape: int, seed: int = 0) -> Any:
    """Random floats."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def integers(*shape: int, high: int = 100, seed: int = 0) -> Any:
    """Random integers from 0 on."""
    return np.random.default_rng(seed).integers(0, high, shape).astype(np.int32)


def case(
    *arguments: Any, cases: dict[str, Case] = CASES
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add a function that is run for these arguments."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        assert function.__name__ not in cases
        cases[function.__name__] = (function, list(arguments))
        return function

    return add


# Elementwise functions.


@case(floats(33), floats(33, seed=1))
def saxpy(x: Any, y: Any) -> Any:
    return 2.5 * x + y


@case(floats(100))
def gelu(x: Any) -> Any:
    return jax.nn.gelu(x)


@case(floats(31))
def activations(x: Any) -> Any:
    return jax.nn.relu(x), jax.nn.silu(x), jax.nn.elu(x), jax.nn.softplus(x), jax.nn.sigmoid(x)


@case(floats(64))
def trigonometry(x: Any) -> Any:
    return jnp.sin(x) + jnp.cos(2 * x), jnp.tan(x), jnp.arctan2(x, x + 1), jnp.tanh(x)


@case(abs(floats(64)) + 0.1)
def roots(x: Any) -> Any:
    return jnp.sqrt(x), lax.rsqrt(x), jnp.cbrt(x), jnp.log(x), jnp.log1p(x), x**1.5, jnp.expm1(x)


@case(floats(64))
def inverses(x: Any) -> Any:
    y = jnp.tanh(x)
    return jnp.arcsin(y), jnp.arccos(y), jnp.arctan(x), jnp.arcsinh(x), jnp.arctanh(y)


@case(floats(64))
def errors(x: Any) -> Any:
    return jax.scipy.special.erf(x), jax.scipy.special.erfc(x), jax.scipy.stats.norm.cdf(x)


@case(np.float32([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, np.nan, np.inf, -np.inf, 0.0, -0.0]))
def rounding(x: Any) -> Any:
    return jnp.round(x), jnp.floor(x), jnp.ceil(x), jnp.trunc(x), jnp.sign(x), jnp.isfinite(x)


@case(np.int32([7, -7, 7, -7, 0, 5, -(2**31)]), np.int32([2, 2, -2, -2, 3, 0, -1]))
def divisions(a: Any, b: Any) -> Any:
    return lax.div(a, b), lax.rem(a, b), jnp.floor_divide(a, jnp.where(b == 0, 1, b))


@case(integers(50, high=2**31 - 1), integers(50, high=40, seed=1))
def bits(a: Any, b: Any) -> Any:
    u = a.astype(jnp.uint32)
    shifts = lax.shift_left(a, b), lax.shift_right_arithmetic(-a, b)
    return *shifts, u >> 3, a ^ b, ~a & b, lax.population_count(u), lax.clz(u)


@case(floats(40), integers(40))
def conversions(x: Any, n: Any) -> Any:
    return (x * 100).astype(jnp.int32), n.astype(jnp.float32), x.astype(jnp.float16), n > 50, n != 0


@case(floats(40).astype(jnp.bfloat16))
def short_floats(x: Any) -> Any:
    return x * x + 1, jnp.sum(x.astype(jnp.float32)), x.astype(jnp.float16)


@case(floats(17), np.float32(0.5), np.int32(3))
def scalars(x: Any, limit: Any, n: Any) -> Any:
    return jnp.where(x > limit, x * n, -limit), limit + n, jnp.float32(3)


@case(floats(5, 7))
def clipped(x: Any) -> Any:
    return jnp.clip(x, -0.5, 0.75), jnp.maximum(x, 0), jnp.minimum(x, x.T[0, 0])


# Shapes.


@case(floats(3, 4), floats(4))
def broadcast(m: Any, v: Any) -> Any:
    return m + v, m * v[None, :] - m[:, :1], jnp.broadcast_to(v, (2, 3, 4))


@case(floats(4, 6))
def views(m: Any) -> Any:
    return m.T, m.reshape(3, 8), m[::-1, 1::2], m[1:3, -2:], jnp.moveaxis(m[None], 0, 2)


@case(floats(4, 5), floats(4, 3, seed=1))
def joined(a: Any, b: Any) -> Any:
    return jnp.concatenate([a, b], axis=1), jnp.stack([a, 2 * a]), jnp.roll(a, 3, axis=1)


@case(floats(4, 5))
def padded(a: Any) -> Any:
    both = lax.pad(a, np.float32(9), ((1, -1, 2), (0, 3, 0)))
    cut = lax.pad(a, 0.0, ((-1, -1, 0), (0, 0, 1)))
    return jnp.pad(a, 2), both, jnp.pad(a, 1, mode="edge"), cut


@case(floats(5, 5))
def triangles(m: Any) -> Any:
    return jnp.tril(m), jnp.triu(m, 1), jnp.eye(5) @ m, jnp.diagonal(m), jnp.trace(m)


@case(floats(3))
def grids(x: Any) -> Any:
    a, b = jnp.meshgrid(x, jnp.arange(4.0))
    return a * b, jnp.linspace(0, 1, 7), jnp.tile(x, 3), jnp.repeat(x, 2), jnp.outer(x, x)


# Reductions.


@case(floats(100, 33))
def softmax(x: Any) -> Any:
    return jax.nn.softmax(x)


@case(floats(7, 100), floats(100, seed=1), floats(100, seed=2))
def layer_norm(x: Any, scale: Any, bias: Any) -> Any:
    mean = x.mean(-1, keepdims=True)
    var = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(var + 1e-5) * scale + bias


@case(floats(8, 31))
def log_sum_exp(x: Any) -> Any:
    return jax.scipy.special.logsumexp(x, axis=1), jax.nn.log_softmax(x, axis=0)


@case(floats(6, 5, 7))
def sums(x: Any) -> Any:
    return x.sum(), x.sum(0), x.sum(1), x.sum((0, 2)), x.max(-1), x.min((1, 2)), x.prod(1)


@case(floats(33, 9))
def moments(x: Any) -> Any:
    return x.mean(), x.var(0), x.std(1), jnp.linalg.norm(x), jnp.linalg.norm(x, axis=1)


@case(floats(9, 33))
def places(x: Any) -> Any:
    return jnp.argmax(x, 1), jnp.argmin(x, 0), jnp.argmax(x), jnp.ptp(x, axis=1)


@case(integers(1025, high=2))
def flags(x: Any) -> Any:
    return (x > 0).any(), (x > 0).all(), (x > 0).sum(), jnp.count_nonzero(x)


@case(floats(8, 20))
def pairs(x: Any) -> Any:
    """A function of tuples that JAX does not know."""

    def larger(a: Any, b: Any) -> Any:
        return jnp.maximum(a[0], b[0]), a[1] + b[1]

    return lax.reduce((x, x * x), (np.float32(-np.inf), np.float32(0)), larger, (1,))


@case(floats(2, 2049), floats(3, 40000))
def long_rows(x: Any, y: Any) -> Any:
    return x.sum(1), jax.nn.softmax(x, axis=1), y.sum(1), y.max(1), jnp.argmax(y, 1)


@case(floats(6000, 48), floats(300, 1000))
def long_columns(x: Any, y: Any) -> Any:
    return x.sum(0), y.max(0), (y * y).mean(0)


@case(floats(3000))
def statistics(x: Any) -> Any:
    return (x - x.mean()) / x.std(), jnp.cov(jnp.stack([x, x * x]))


# Products.


@case(floats(33, 17), floats(17, 9, seed=1))
def matmul(a: Any, b: Any) -> Any:
    return a @ b


@case(
    *(a.astype(jnp.bfloat16) for a in (floats(70, 48), floats(48, 96, seed=1), floats(96, seed=2)))
)
def bfloat_layer(x: Any, w: Any, b: Any) -> Any:
    return jax.nn.gelu(x @ w + b)


@case(floats(40, 20), floats(20, 33, seed=1), floats(3, 40, 2, seed=2))
def products_of_bits(a: Any, b: Any, c: Any) -> Any:
    """A bit of the product is set if both bits of one pair are."""
    some, rare = (a > 0) @ (b > 0), (a > 1) @ (b > 1)
    return some, rare, (c > 0) @ (c[0] > 0).T, (c > 1)[0, :2] @ (c > 0)[1, :2]


@case(floats(20, 9), floats(9, 30, seed=1))
def integers_of_floats(a: Any, b: Any) -> Any:
    """The products of floats are added before they become integers."""

    def product(a: Any, b: Any) -> Any:
        return lax.dot_general(a, b, (([1], [0]), ([], [])), preferred_element_type=jnp.int32)

    return product(a * 4, b), product(a[:3].astype(jnp.float16), b[:, :2].astype(jnp.float16))


@case(floats(70, 40), floats(40, 65, seed=1))
def large_matmul(a: Any, b: Any) -> Any:
    return a @ b


@case(floats(64, 4096), floats(4096, 70, seed=1))
def long_sums(a: Any, b: Any) -> Any:
    """Few tiles, whose sums are divided into parts."""
    return a @ b, a.T[:99] @ b[:64]


@case(floats(2, 16, 1024), floats(2, 1024, 17, seed=1))
def long_batches(a: Any, b: Any) -> Any:
    """Parts of the sums of two products."""
    return a @ b, a[:1] @ b


@case(floats(13, 512, 8), floats(8, 512, seed=1))
def large_tiles(a: Any, b: Any) -> Any:
    return a @ b


@case(floats(300, 2100), floats(300, seed=1))
def few_rows(m: Any, v: Any) -> Any:
    """Few rows or columns, whose neighbours are neighbours in memory, or are not."""
    other = m.T + 1
    return v @ m, m.T @ v, other @ v, v @ other.T, m.T @ m[:, :3]


@case(floats(40, 33), floats(33, seed=1))
def matvec(a: Any, v: Any) -> Any:
    return a @ v, v @ a.T, v @ v


@case(floats(3, 20, 18), floats(3, 18, 17, seed=1))
def batched(a: Any, b: Any) -> Any:
    return jnp.einsum("bij,bjk->bik", a, b), jnp.einsum("bij,bjk->ik", a, b)


@case(integers(19, 20), integers(20, 18, seed=1))
def integer_product(a: Any, b: Any) -> Any:
    return a @ b


@case(floats(17, 8), floats(17, 8, seed=1), floats(17, 8, seed=2))
def attention(q: Any, k: Any, v: Any) -> Any:
    scores = q @ k.T / np.sqrt(8)
    mask = jnp.tril(jnp.ones((17, 17), bool))
    return jax.nn.softmax(jnp.where(mask, scores, -jnp.inf)) @ v


@case(floats(2, 9, 16), floats(16, 48, seed=1))
def heads(x: Any, w: Any) -> Any:
    q, k, v = jnp.split((x @ w).reshape(2, 9, 4, 12), 3, axis=-1)
    weights = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k))
    return jnp.einsum("bhqk,bkhd->bqhd", weights, v)


@case(floats(10, 6), floats(6, 12, seed=1), floats(12, seed=2), floats(12, 3, seed=3))
def perceptron(x: Any, w: Any, b: Any, v: Any) -> Any:
    return jax.nn.relu(x @ w + b) @ v


@case(floats(16))
def fourier(x: Any) -> Any:
    """The FFT by matrices, as pairs of floats."""
    k = jnp.arange(16)
    angle = -2 * np.pi * jnp.outer(k, k) / 16
    return jnp.cos(angle) @ x, jnp.sin(angle) @ x


@case(floats(50, 3), floats(4, 3, seed=1))
def k_means(points: Any, centers: Any) -> Any:
    distances = ((points[:, None] - centers[None]) ** 2).sum(-1)
    nearest = jnp.argmin(distances, axis=1)
    total = jax.ops.segment_sum(points, nearest, 4)
    count = jax.ops.segment_sum(jnp.ones(50), nearest, 4)
    return total / jnp.maximum(count, 1)[:, None], nearest


@case(floats(20, 2))
def n_body(x: Any) -> Any:
    d = x[None] - x[:, None]
    r = (d**2).sum(-1) + 0.01
    return (d / (r * jnp.sqrt(r))[..., None]).sum(1)


@case(floats(20, 3), floats(30, 3, seed=1))
def kernel_matrix(x: Any, y: Any) -> Any:
    """The distances are read by three reductions, and twice by the result."""
    d = ((x[:, None] - y[None]) ** 2).sum(-1)
    return jax.nn.softmax(-d), d.min(1)


@case(floats(4, 30, 3), floats(5, 40, 2, seed=1))
def columns(x: Any, y: Any) -> Any:
    """Reductions of a few columns, whose elements are neighbours in memory."""
    return jax.nn.softmax(x, 1), x.mean(1), jnp.argmax(y, 1)


@case(floats(1 << 15, 3) / 8)
def centred(x: Any) -> Any:
    return (x - x.mean(0)) / x.std(0), x.max(0)


@case(floats(2, 5, 6, 20))
def means_of_channels(x: Any) -> Any:
    return x.mean((1, 2))


@case(floats(40, 7))
def softmax_of_few(x: Any) -> Any:
    return jax.nn.softmax(x, -1)


@case(floats(9, 20), integers(9, high=20))
def cross_entropy(x: Any, labels: Any) -> Any:
    return -jnp.take_along_axis(jax.nn.log_softmax(x), labels[:, None], 1).mean()


@case(floats(130, 40), floats(40, 33, seed=1))
def product_of_few(x: Any, y: Any) -> Any:
    return x @ y


# Scans.


@case(floats(1000))
def cumulative(x: Any) -> Any:
    return jnp.cumsum(x), jnp.cumprod(1 + x / 100), lax.cummax(x), lax.cummin(x, reverse=True)


@case(floats(7, 40))
def cumulative_rows(x: Any) -> Any:
    return jnp.cumsum(x, 1), jnp.cumsum(x, 0), lax.cumlogsumexp(x, axis=1)


@case(integers(100, 5, high=90), floats(3, 70, 4), floats(2, 33, 3, seed=1))
def cumulative_columns(x: Any, y: Any, z: Any) -> Any:
    """Pieces of columns: 32 elements, and fewer in the last one."""
    sums = jnp.cumsum(x, 0), lax.cumsum(x, 0, reverse=True), jnp.cumsum(x[:0], 0)
    return sums, lax.cummax(y, 1), jnp.cumsum(jnp.exp(y), 1), lax.cumprod(z, 1, reverse=True)


@case(floats(50, 9))
def cumulative_column_sums(x: Any) -> Any:
    return jnp.cumsum(x, 0)


@case(floats(33), floats(33, seed=1))
def recurrence(a: Any, b: Any) -> Any:
    """A linear recurrence, by an associative function of pairs."""

    def combine(x: Any, y: Any) -> Any:
        return x[0] * y[0], x[1] * y[0] + y[1]

    return lax.associative_scan(combine, (a, b))[1]


@case(floats(1 << 14) / 8)
def long_recurrence(a: Any) -> Any:
    """Each stage reads two elements of the last one: some stages are stored."""

    def combine(x: Any, y: Any) -> Any:
        return x[0] * y[0], x[1] * y[0] + y[1]

    return lax.associative_scan(combine, (a, a))[1]


@case(integers(100, high=2), floats(100))
def segmented_sums(flags: Any, x: Any) -> Any:
    """The function reads the flags of the second segment only."""

    def combine(a: Any, b: Any) -> Any:
        return a[0] | b[0], jnp.where(b[0], b[1], a[1] + b[1])

    return lax.associative_scan(combine, (flags > 0, x))[1]


@case(floats(3, 65, 4), floats(3, 65, 4, seed=1))
def state_space(a: Any, b: Any) -> Any:
    """Recurrences along the middle dimension, backwards, too. Both results are used."""

    def combine(x: Any, y: Any) -> Any:
        return x[0] * y[0], x[1] * y[0] + y[1]

    products, states = lax.associative_scan(combine, (a / 8, b), axis=1)
    return products, states + lax.associative_scan(jnp.add, b, axis=1, reverse=True)


@case(*(integers(33, high=5, seed=seed) for seed in range(4)))
def matrices_in_numbers(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Some components depend on others only by way of a third one; the scan is in a branch."""

    def multiply(x: Any, y: Any) -> Any:
        top = x[0] * y[0] + x[1] * y[2], x[0] * y[1] + x[1] * y[3]
        return *top, x[2] * y[0] + x[3] * y[2], x[2] * y[1] + x[3] * y[3]

    def scan(*parts: Any) -> Any:
        return lax.associative_scan(multiply, parts)

    return lax.cond(a[0] >= 0, scan, lambda *parts: parts, a, b, c, d)


@case(integers(130, high=200), floats(130) - 4, floats(130, seed=2) - 4)
def unusual_scans(i: Any, x: Any, y: Any) -> Any:
    """Constants, a component that only the second operand gives, one array twice, bits."""

    def combine(a: Any, b: Any) -> Any:
        return a[0] + b[0], jnp.minimum(jnp.maximum(a[1] + b[0], b[1]), 3.0), a[2] * b[2] % 7

    three = lax.associative_scan(combine, (x, y, i))
    bits = lax.associative_scan(jnp.logical_xor, i > 100)
    return three[1], three[2], bits, lax.associative_scan(jnp.maximum, x) + x[::-1]


@case(floats(64), floats(64, seed=1))
def almost_scans(x: Any, y: Any) -> Any:
    """Interleaved arrays that are no scans: a stage has another function or another array."""

    def scan(first: Any, others: Any) -> Any:
        if first.shape[0] < 2:
            return first
        odd = scan(others(first[:-1:2], first[1::2]), jnp.add)
        even = jnp.concatenate([first[:1], odd[:-1] + first[2::2]])
        return lax.pad(even, 0.0, [(0, 1, 1)]) + lax.pad(odd, 0.0, [(1, 0, 1)])

    return scan(x, jnp.add), scan(x, jnp.maximum), scan(x, lambda a, b: a + b + y[: a.shape[0]])


@case(floats(17, 2, 2))
def matrix_scan(m: Any) -> Any:
    return lax.associative_scan(jnp.matmul, m / 2)


@case(floats(20))
def scan_loop(x: Any) -> Any:
    def step(carry: Any, y: Any) -> Any:
        carry = 0.9 * carry + y
        return carry, carry * 2

    return lax.scan(step, 0.0, x)


# Windows.


@case(floats(9, 11))
def pooling(x: Any) -> Any:
    largest = lax.reduce_window(x, -jnp.inf, lax.max, (2, 3), (2, 2), "SAME")
    return largest, lax.reduce_window(x, 0.0, lax.add, (3, 3), (1, 1), "VALID") / 9


@case(floats(20))
def dilated(x: Any) -> Any:
    spread = lax.reduce_window(
        x, 0.0, lax.add, (3,), (2,), ((1, 2),), base_dilation=(3,), window_dilation=(2,)
    )
    return spread, lax.reduce_window(x, 0.0, lax.add, (4,), (1,), ((3, 0),))


@case(floats(12, 12))
def heat(x: Any) -> Any:
    def step(_: Any, u: Any) -> Any:
        near = jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1)
        return u + 0.1 * (near - 4 * u)

    return lax.fori_loop(0, 5, step, x)


@case(integers(10, 10, high=2))
def life(x: Any) -> Any:
    p = jnp.pad(x, 1)
    n = sum(p[i : i + 10, j : j + 10] for i in range(3) for j in range(3)) - x
    return ((n == 3) | ((n == 2) & (x == 1))).astype(jnp.int32)


# Places that depend on values.


@case(floats(20, 3), integers(9, high=20))
def take(x: Any, i: Any) -> Any:
    return x[i], x[i, 1], jnp.take(x, i - 25, axis=0, mode="clip"), x[3]


@case(floats(6, 9), integers(6, high=9))
def take_along(x: Any, i: Any) -> Any:
    found = jnp.take_along_axis(x, i[:, None], axis=1)
    return found, jax.vmap(lambda row, j: row[j])(x, i)


@case(floats(10), integers(33, high=12))
def updates(x: Any, i: Any) -> Any:
    return x.at[i].add(1.5), x.at[i].max(0.25), x.at[3].set(7), x.at[i].set(2.0), x.at[i].min(-1)


@case(floats(6, 8), integers(4, high=6))
def row_updates(x: Any, i: Any) -> Any:
    rows = jnp.arange(32.0).reshape(4, 8)
    return x.at[i].add(rows), x.at[2, 1:4].set(9.0), x.at[:, 3].multiply(2), x.at[-1].set(0)


@case(integers(257, high=10), floats(257))
def segments(keys: Any, x: Any) -> Any:
    total = jax.ops.segment_sum(x, keys, 10)
    return total, jax.ops.segment_max(x, keys, 10), jax.ops.segment_prod(x, keys, 10)


@case(floats(1000))
def histogram(x: Any) -> Any:
    return jnp.histogram(x, bins=7, range=(-2, 2))[0], jnp.bincount((x > 0).astype(int), length=2)


@case(floats(12), np.int32(4), np.int32(30))
def dynamic(x: Any, i: Any, j: Any) -> Any:
    part = lax.dynamic_slice(x, (i,), (5,))
    late = lax.dynamic_slice(x, (j,), (5,))
    return part, late, lax.dynamic_update_slice(x, part, (j,)), x[jnp.argmax(x) - 1]


@case(np.sort(floats(50)), floats(20, seed=1))
def search(a: Any, v: Any) -> Any:
    return jnp.searchsorted(a, v), jnp.interp(v, a, jnp.cumsum(a)), jnp.digitize(v, a)


# Sorts.


@case(floats(100))
def sort(x: Any) -> Any:
    return jnp.sort(x), jnp.argsort(x), -jnp.sort(-x)


@case(integers(9, 40, high=7))
def sort_rows(x: Any) -> Any:
    return jnp.sort(x, axis=0), jnp.argsort(x, axis=1), jnp.sort(x.astype(jnp.uint8), axis=1)


@case(integers(300, high=5), floats(300))
def payload(keys: Any, x: Any) -> Any:
    return lax.sort((keys, x), num_keys=1), jnp.lexsort((x, keys))


@case(floats(2500))
def long_sort(x: Any) -> Any:
    return jnp.sort(x), jnp.median(x), jnp.quantile(x, 0.3)


@case(np.float32([3, np.nan, -np.inf, np.inf, -0.0, 0.0, 1, np.nan, -2]))
def special_sort(x: Any) -> Any:
    return jnp.sort(x), jnp.argsort(x), jnp.unique(x, size=4)


@case(floats(5, 30))
def top(x: Any) -> Any:
    return lax.top_k(x, 4)


@case(floats(6, 50))
def medians(x: Any) -> Any:
    return jnp.median(x, 1)


@case(floats(70, 12))
def sorted_columns(x: Any) -> Any:
    return jnp.sort(x, 0)


@case(*(integers(3, n, high=9, seed=n) for n in (2, 33, 100, 224, 225, 1024, 1030)))
def ties_of_rows(*rows: Any) -> Any:
    """Rows that a thread, a warp, a block and the grid sort. Equal keys keep their order."""
    pairs = [lax.sort((x, jnp.arange(x.size).reshape(x.shape)), num_keys=1) for x in rows]
    return pairs, [jnp.sort(x.T, 0) for x in rows]


@case(integers(9, 700, high=50), floats(2, 3, 65), integers(1200, high=9))
def top_of_ties(x: Any, y: Any, z: Any) -> Any:
    """Equal elements are in the order of their places, and NaNs are first."""
    y = y.at[0, 0, 5].set(jnp.nan).at[1, 1, 7:20].set(-jnp.inf)
    few = (lax.top_k(x, k) for k in (1, 3, 8, 9))
    long = lax.top_k(jnp.tile(z, 9) % 8, 2)
    return *few, lax.top_k(y, 5), lax.top_k(-abs(y) / 0, 7), lax.top_k(z, 6), long


@case(integers(40, high=6))
def ranks(x: Any) -> Any:
    return jnp.unique(x, size=6, return_counts=True), jnp.argsort(jnp.argsort(x))


# Control flow.


@case(floats(9))
def branches(x: Any) -> Any:
    first = lax.cond(x.sum() > 0, lambda y: y * 2, lambda y: y - 1, x)
    return first, lax.switch(7, [jnp.sin, jnp.cos, jnp.exp], x), jnp.select([x > 1, x > 0], [x, -x])


@case(np.float32(1000.0), floats(9))
def newton(a: Any, x: Any) -> Any:
    root = lax.while_loop(lambda r: abs(r * r - a) > 1e-2, lambda r: (r + a / r) / 2, a)
    large = lax.while_loop(lambda y: jnp.abs(y).max() < 50, lambda y: 2 * y, x)
    return root, large


@case(floats(8, 8))
def power_iteration(m: Any) -> Any:
    s = m @ m.T

    def step(_: Any, v: Any) -> Any:
        w = s @ v
        return w / jnp.linalg.norm(w)

    return lax.fori_loop(0, 10, step, jnp.ones(8))


@case(np.int32(13))
def collatz(n: Any) -> Any:
    def step(state: Any) -> Any:
        k, steps = state
        return jnp.where(k % 2 == 0, k // 2, 3 * k + 1), steps + 1

    return lax.while_loop(lambda s: s[0] != 1, step, (n, 0))


@case(floats(4, 6))
def mapped(x: Any) -> Any:
    return jax.vmap(lambda row: jnp.cumsum(row) / row.sum())(x), lax.map(jnp.sum, x)


# Derivatives and random numbers.


@case(floats(5, 7))
def gradient(x: Any) -> Any:
    return jax.grad(lambda a: (jax.nn.softmax(a)[:, 0] ** 2).sum())(x)


@case(floats(6, 4), floats(4, 3, seed=1), floats(6, 3, seed=2))
def training(x: Any, w: Any, y: Any) -> Any:
    def loss(v: Any) -> Any:
        return ((jnp.tanh(x @ v) - y) ** 2).mean()

    value, slope = jax.value_and_grad(loss)(w)
    return value, w - 0.1 * slope


@case(np.uint32([0, 42]))
def random(key: Any) -> Any:
    a, b = jax.random.split(key)
    bits = jax.random.bits(a, (5,))
    return bits, jax.random.uniform(a, (33,)), jax.random.normal(b, (7, 3))


@case(np.uint32([0, 7]), floats(20))
def shuffled(key: Any, x: Any) -> Any:
    return jax.random.permutation(key, x), jax.random.randint(key, (9,), 0, 100)


@case({"a": floats(3), "b": [floats(2, 2), np.float32(2)]})
def trees(tree: Any) -> Any:
    return jax.tree.map(lambda leaf: leaf * 2, tree)


@case(floats(30), np.float32(1))
def repeated(x: Any, p: Any) -> Any:
    """Equal operations, some of them in branches and loops, or of other operands."""

    @jax.jit
    def mean(x: Any) -> Any:
        return x.sum() / 30

    chosen = lax.cond(p > 0, lambda: mean(x) * 2, lambda: x.max())
    added = lax.fori_loop(0, 3, lambda i, s: s + mean(x) + (x - i).min(), 0.0)
    return chosen, mean(x), mean(x) - mean(x + 1), added, x.max(), (x - 1).min(), x.var()


# Convolutions, and the gradients of maxima of windows.

IMAGES = ("NHWC", "HWIO", "NHWC")


@case(floats(2, 5, 6, 4), floats(3, 3, 2, 6, seed=1))
def convolution_of_groups(x: Any, w: Any) -> Any:
    def strided(x: Any, w: Any) -> Any:
        return lax.conv_general_dilated(
            x, w, (2, 1), ((1, 1), (0, 2)), (1, 2), (2, 1), dimension_numbers=IMAGES,
            feature_group_count=2,
        )  # fmt: skip

    gradients = jax.grad(lambda x, w: (strided(x, w) ** 2).sum(), (0, 1))(x, w)
    return strided(x, w), gradients


@case(floats(2, 7, 6, 4), floats(3, 3, 1, 8, seed=1))
def convolution_of_channels(x: Any, w: Any) -> Any:
    """Each channel on its own, with two kernels. Channels or positions are neighbours."""
    last = lax.conv_general_dilated(
        x, w, (1, 1), "SAME", dimension_numbers=IMAGES, feature_group_count=4
    )
    first = lax.conv_general_dilated(
        x.transpose(0, 3, 1, 2), w.transpose(3, 2, 0, 1), (2, 1), "VALID", feature_group_count=4
    )
    return last, first


@case(floats(2, 3, 6, 7), floats(4, 3, 2, 2, seed=1))
def convolution_of_a_part(x: Any, w: Any) -> Any:
    return lax.conv_general_dilated(x, w, (1, 1), ((-1, 1), (2, -2)))


@case(floats(2, 9, 8, 7), floats(20, 9, 3, 3, seed=1))
def convolution_of_tiles(x: Any, w: Any) -> Any:
    """The rows of tiles are kernels, or positions if channels are neighbours in memory."""
    last = lax.conv_general_dilated(
        x.transpose(0, 2, 3, 1), w.transpose(2, 3, 1, 0), (2, 1), "SAME", dimension_numbers=IMAGES
    )
    return lax.conv(x, w, (1, 2), "SAME"), lax.conv(x, w, (1, 1), "VALID"), last


@case(floats(2, 5, 6, 6), floats(16, 5, 3, 3, seed=1))
def convolution(x: Any, w: Any) -> Any:
    return lax.conv(x, w, (1, 1), "SAME")


@case(floats(2, 3, 7, 9))
def largest_of_windows(x: Any) -> Any:
    ones = ((0, 0), (0, 0), (1, 1), (1, 1))
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 3, 3), (1, 1, 2, 2), ones)


@case(floats(7), floats(3, seed=1))
def convolution_of_vectors(x: Any, y: Any) -> Any:
    return jnp.convolve(x, y), jnp.convolve(x, y, "same"), jnp.correlate(x, y)


@case(floats(2, 3, 4, 4, 4), floats(4, 3, 2, 2, 2, seed=1))
def convolution_of_volumes(x: Any, w: Any) -> Any:
    return lax.conv(x, w, (1, 1, 2), "SAME"), lax.conv(x[:0], w, (1, 1, 1), "VALID")


@case(floats(2, 5, 5, 3), floats(3, 3, 3, 4, seed=1))
def convolution_transposed(x: Any, w: Any) -> Any:
    short = x.astype(jnp.bfloat16), w.astype(jnp.bfloat16)
    return lax.conv_transpose(x, w, (2, 2), "SAME"), lax.conv_transpose(*short, (1, 1), "VALID")


@case(integers(4, 3, 5, 5, high=9), integers(6, 3, 3, 3, high=9, seed=1))
def convolution_of_batches(x: Any, w: Any) -> Any:
    points = lax.conv(x[:, :, 0, 0], w[:, :, 0, 0], (), "VALID")
    return lax.conv_general_dilated(x, w, (1, 1), "SAME", batch_group_count=2), points


@case(integers(2, 7, 7, 3, high=9).astype(np.float32))
def gradient_of_pooling(x: Any) -> Any:
    def pooled(x: Any) -> Any:
        windows = (1, 3, 3, 1), (1, 2, 2, 1), "SAME"
        return (lax.reduce_window(x, -jnp.inf, lax.max, *windows) ** 2).sum()

    return jax.grad(pooled)(x), jax.grad(
        lambda x: (lax.reduce_window(x, jnp.inf, lax.min, (9,), (1,), "VALID") ** 2).sum()
    )(x.ravel())


# XLA takes arguments that are denormals for zeros on a CPU, so there are none.
@case(np.float32([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 2.0**-126, 3e38]))
def neighbours(x: Any) -> Any:
    pairs = jnp.meshgrid(x, x)
    bits = jnp.nextafter(*pairs).view(jnp.int32)
    return jnp.where(jnp.isnan(sum(pairs)), 0, bits), jnp.nextafter(*pairs)


@case()
def truncated_numbers() -> Any:
    return jax.nn.initializers.lecun_normal()(jax.random.PRNGKey(3), (4, 5))


# Rows.

with_rows = partial(case, cases=ROWS)


@with_rows(floats(33, 33))
def column_of_square(x: Any) -> Any:
    """The reduction of another row."""
    return x - x.max(1)[None, :]


@with_rows(floats(33, 20))
def other_rows(x: Any) -> Any:
    return x - x.sum(1)[::-1][:, None], x.max(1)[jnp.array([3, 1])]


@with_rows(floats(9, 33))
def reduction_and_rows(x: Any) -> Any:
    return x - x.max(1)[:, None], x.max(1), jax.scipy.special.logsumexp(x, axis=1)


@with_rows(floats(7, 5, 11))
def two_dimensions(x: Any) -> Any:
    return (x - x.mean((1, 2), keepdims=True)) / x.std((1, 2), keepdims=True)


@with_rows(floats(40, 33))
def tuples(x: Any) -> Any:
    return jnp.where(jnp.arange(x.shape[1]) == jnp.argmax(x, 1)[:, None], x, 0)


@with_rows(floats(12, 50))
def in_loops(x: Any) -> Any:
    x = lax.fori_loop(0, 3, lambda _, v: jax.nn.softmax(v) + v, x)
    return lax.while_loop(lambda v: v[0, 0] < 3, lambda v: v + 1 + jax.nn.softmax(v), x)


@with_rows(abs(floats(4, 5, 6)) + 1, floats(20, 7))
def reshaped_rows(x: Any, y: Any) -> Any:
    return y * x.sum(2).reshape(20)[:, None] + y.max(1)[:, None], x / x.reshape(20, 6).sum(
        1
    ).reshape(4, 5, 1)


@with_rows(floats(3, 40, 16), floats(3, 50, 16), floats(3, 50, 24))
def attention_of_heads(q: Any, k: Any, v: Any) -> Any:
    scores = jnp.einsum("hid,hjd->hij", q, k)
    return jnp.einsum("hij,hjd->hid", jax.nn.softmax(scores, axis=-1), v)


@with_rows(abs(floats(30, 70)) + 1)
def moved_rows(x: Any) -> Any:
    y = x / x.sum(1)[:, None]
    return jnp.pad(y, 1), y.T, y[:, :10], jnp.cumsum(y, 1)


@with_rows(floats(30, 70), floats(70, 70))
def chain(x: Any, w: Any) -> Any:
    return jax.nn.softmax(jax.nn.softmax(jax.nn.softmax(x) * 3) @ w)


@with_rows(abs(floats(30, 70)))
def sums_of_sums(x: Any) -> Any:
    return x.sum(1) / x.sum(), x.max(1) - x.min(1), x.sum(0) + x.sum()


@with_rows(floats(30, 70), floats(70, seed=1))
def gradient_of_norm(x: Any, scale: Any) -> Any:
    def norm(x: Any, scale: Any) -> Any:
        y = (x - x.mean(1, keepdims=True)) * lax.rsqrt(x.var(1, keepdims=True) + 1e-5)
        return (jnp.tanh(y * scale) ** 2).sum()

    return jax.grad(norm, argnums=(0, 1))(x, scale)


@with_rows(floats(1, 5, 9))
def one_row(x: Any) -> Any:
    return x - x.max(2)[..., None], x[:, :1, :1] - x[:, :1, :1].max(2, keepdims=True)

"""Functions of ordinary use with arguments, for the tests of the backend of torch.compile.

Each case has a function, and a function of a size and a device that makes its arguments.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F


@dataclass
class Case:
    name: str
    function: Callable[..., Any]
    arguments: Callable[..., list[Any]]
    #: If results are equal bit for bit.
    exact: bool = False
    #: The size for times on a GPU; 0 for none.
    gpu: int = 1024


CASES: list[Case] = []


def case(
    arguments: Callable[..., list[Any]], *, exact: bool = False, gpu: int = 1024,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:  # fmt: skip
    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        CASES.append(Case(function.__name__, function, arguments, exact, gpu))
        return function

    return enter


def floats(*shape: int, device: str = "cpu", dtype: Any = torch.float32) -> torch.Tensor:
    return torch.randn(*shape, device=device, dtype=torch.float32).to(dtype)


def ints(*shape: int, high: int, device: str = "cpu", dtype: Any = torch.int64) -> torch.Tensor:
    return torch.randint(0, high, shape, device=device, dtype=dtype)


def matrix(n: int, device: str) -> list[Any]:
    return [floats(n, 3 * n + 1, device=device)]


def vectors(n: int, device: str) -> list[Any]:
    return [floats(n * n, device=device), floats(n * n, device=device)]


def whole(n: int, device: str) -> list[Any]:
    return [
        ints(n, n, high=1000, device=device) - 500,
        ints(n, n, high=40, device=device, dtype=torch.int32) - 60,
    ]


def images(n: int, device: str) -> list[Any]:
    return [floats(2, 3, n, n, device=device)]


# Elements.


@case(vectors, gpu=2048)
def gelu(x, y):
    return F.gelu(x), F.gelu(y, approximate="tanh")


@case(vectors, gpu=2048)
def large_numbers(x, y):
    """Numbers that f32 does not hold are infinite, as in eager mode."""
    return x * 1e39, torch.where(y > 1e39, x, 0.1), x.half() * 70000.0, y.double() * 1e300


@case(vectors, gpu=2048)
def activations(x, y):
    return F.silu(x) * F.softplus(y) + F.elu(x) - F.hardswish(y) + F.mish(x), F.leaky_relu(y)


@case(vectors, gpu=2048)
def black_scholes(x, y):
    price, strike = x.abs() + 1, y.abs() + 1
    d1 = (torch.log(price / strike) + 0.06) / 0.3
    cdf = 0.5 * (1 + torch.erf(d1 / math.sqrt(2)))
    rest = 0.5 * (1 + torch.erf((d1 - 0.3) / math.sqrt(2)))
    return price * cdf - strike * math.exp(-0.02) * rest


@case(vectors, gpu=2048)
def trigonometry(x, y):
    return torch.sin(x) ** 2 + torch.cos(x) ** 2, torch.atan2(x, y), torch.sinh(x).clamp(-3, 3)


@case(vectors, exact=True, gpu=2048)
def arithmetic(x, y):
    return x * y - x / (y + 2), (x - y).abs(), torch.round(x * 10), x.sign() * y.floor()


@case(vectors, exact=True, gpu=2048)
def remainders(x, y):
    return x % 0.7, torch.fmod(x, y), torch.div(x, y, rounding_mode="floor"), x // 0.3


@case(vectors, exact=True, gpu=2048)
def masks(x, y):
    mask = (x > 0) & ~(y < 0) | x.isnan()
    return torch.where(mask, x, y), mask, x.masked_fill(mask, -1.0), torch.where(x > y, 1.0, x)


@case(vectors, exact=True, gpu=2048)
def limits(x, y):
    z = torch.where(x > 1, math.nan, y)
    extremes = torch.maximum(z, x), torch.minimum(z, x), torch.fmax(z, x), torch.fmin(x, z)
    return extremes, z.clamp(-0.5), z.nan_to_num(7.0), z.relu()


@case(whole, exact=True, gpu=2048)
def integers(a, b):
    return a * b + 3, a // b, a % b, torch.div(a, b, rounding_mode="trunc"), (a - 1).abs(), -a


@case(whole, exact=True, gpu=2048)
def bits(a, b):
    return a & 255, b | 3, a ^ b, ~b, (a + 500) << 2, a >> 3, (a > 0) ^ (b > -40)


@case(whole, exact=True, gpu=2048)
def bytes_of_both_signs(a, b):
    u, s = a.to(torch.uint8), a.to(torch.int8)
    return u + 7, u // 5, u.to(torch.float32), s * 3, s.to(torch.int16), u > 200, ~u, u >> 1


@case(whole, exact=True, gpu=2048)
def conversions(a, b):
    return a.float() / 7, b.to(torch.float64), (a / b).to(torch.int32), a.bool(), b.half()


@case(lambda n, d: [t.half() for t in vectors(n, d)], gpu=4096)
def halves(x, y):
    return (x * 2 + y).tanh(), x * y, x * 0.1, x.exp() / (1 + y * y)


@case(lambda n, d: [t.bfloat16() for t in matrix(n, d)], gpu=2048)
def bfloat_softmax(x):
    return x.softmax(-1), x.float().mean(0), x.sum(1)


@case(
    lambda n, d: [floats(n, 1, device=d), floats(n + 1, device=d), floats((), device=d)], gpu=2048
)
def broadcasts(x, y, z):
    return x * y + z, x - z, (y == y[:1]).sum(), z * 2


# Rows.


@case(matrix, gpu=2048)
def softmax(x):
    return x.softmax(-1)


@case(matrix, gpu=2048)
def log_softmax_of_columns(x):
    return x.log_softmax(0)


@case(
    lambda n, d: [*matrix(n, d), floats(3 * n + 1, device=d), floats(3 * n + 1, device=d)], gpu=2048
)
def layer_norm(x, w, b):
    return F.layer_norm(x, w.shape, w, b)


@case(lambda n, d: [*matrix(n, d), floats(3 * n + 1, device=d)], gpu=2048)
def rms_norm(x, w):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * w


@case(
    lambda n, d: [floats(2, 6, n, n, device=d), floats(6, device=d), floats(6, device=d)], gpu=256
)
def group_norm(x, w, b):
    return F.group_norm(x, 3, w, b)


@case(images, gpu=512)
def instance_norm(x):
    """The rows of two reductions lie behind a dimension of extent 1."""
    return F.instance_norm(x).relu()


@case(lambda n, d: [*images(n, d), *floats(4, 3, device=d).abs()], gpu=1024)
def batch_norm(x, mean, var, w, b):
    return F.batch_norm(x, mean, var, w, b)


@case(matrix, gpu=2048)
def normalized(x):
    return F.normalize(x, dim=1), (x - x.mean(0)) / x.std(0)


@case(matrix, gpu=2048)
def moments(x):
    return x.mean(), x.var(1), x.std(0, correction=0), x.sum((0, 1)), x.logsumexp(1)


@case(matrix, exact=True, gpu=2048)
def extremes(x):
    return x.amax(1), x.amin(0), x.max(), x.min(1), x.argmax(0), x.argmin(), x.aminmax(dim=1)


@case(lambda n, d: [ints(n, n, high=5, device=d)], exact=True, gpu=2048)
def sums_of_integers(a):
    return a.sum(0), a.sum(), a.prod(1), (a > 3).any(1), (a >= 0).all(), (a == 2).sum(0), a.sum(1)


@case(lambda n, d: [ints(n, n, high=5, device=d)], exact=True, gpu=2048)
def ties(a):
    return a.argmax(1), a.argmin(0), a.max(1), a.min(0)


@case(lambda n, d: [*matrix(n, d), ints(n, high=3 * n + 1, device=d)], gpu=2048)
def cross_entropy(x, target):
    return F.cross_entropy(x, target), F.nll_loss(x, target, reduction="none")


@case(lambda n, d: [floats(n, n, device=d), torch.rand(n, n, device=d)], gpu=2048)
def losses(x, y):
    return (
        F.mse_loss(x, y), F.smooth_l1_loss(x, y), F.binary_cross_entropy_with_logits(x, y),
        F.huber_loss(x, y, delta=0.5), F.l1_loss(x, y, reduction="none"),
        F.kl_div(x.log_softmax(1), y, reduction="batchmean"),
    )  # fmt: skip


@case(lambda n, d: [floats(n, 16, device=d), floats(n, 16, device=d)], gpu=1 << 18)
def cosine_similarity(x, y):
    return F.cosine_similarity(x, y), F.pairwise_distance(x, y)


@case(lambda n, d: [floats(8, n * n, device=d), torch.rand(8, n * n, device=d)], gpu=1000)
def dice(x, target):
    """Three sums of the same few rows."""
    x = x.sigmoid()
    overlap, total = (x * target).sum(1), x.sum(1) + target.sum(1)
    return (1 - (2 * overlap + 1) / (total + 1)).mean()


# Scans.


@case(lambda n, d: [ints(n, 2 * n, high=9, device=d)], exact=True, gpu=1024)
def running_sums(a):
    return a.cumsum(0), a.cumsum(1), a.flatten().cumsum(0), (a % 2 * 2 - 1).cumprod(1)


@case(matrix, gpu=1024)
def running_floats(x):
    return x.cumsum(-1), (1 + x / 100).cumprod(0), x.logcumsumexp(1)


@case(matrix, exact=True, gpu=1024)
def running_extremes(x):
    return x.cummax(1), x.cummin(0)


# Inductor compiles no such scan together with a reduction.
@case(lambda n, d: [floats(3, 10 * n + 1, n + 2, device=d)], gpu=0)
def columns(x):
    """Scans and folds along the second of three dimensions, whose results are read further."""
    x = x.round()
    turned = x.flip(1).cumsum(1).flip(1) + x.sum(1, keepdim=True)
    return turned, x.argmax(1), x.permute(2, 0, 1).sum((1, 2)), x.cummax(1), x.cumprod(1)


@case(matrix, gpu=1024)
def decayed_returns(x):
    weights = 0.9 ** torch.arange(x.shape[1], device=x.device)
    return ((x * weights).flip(1).cumsum(1)).flip(1) / weights


# Places.


@case(lambda n, d: [floats(n, 8, device=d), ints(n, 8, high=n, device=d)], exact=True, gpu=1 << 18)
def gathers(x, at):
    return x.gather(0, at), x[at[:, 0]], x[at[:, 0], at[:, 1] % 8], x.index_select(0, at[:, 2])


@case(lambda n, d: [floats(n, 8, device=d), ints(3, n, high=n, device=d)], exact=True, gpu=1 << 17)
def embedding(table, at):
    return F.embedding(at, table), table[at[0] - n_of(table)], table[:, :1].expand(-1, 3)


def n_of(x: Any) -> int:
    return x.shape[0]


@case(lambda n, d: [floats(n, 8, device=d), ints(n, 8, high=n, device=d)], gpu=1 << 18)
def scatters(x, at):
    zeros = torch.zeros_like(x)
    means = zeros.scatter_reduce(0, at, x, "mean", include_self=False)
    return zeros.scatter_add(0, at, x), zeros.scatter_reduce(0, at, x, "amax"), means


@case(lambda n, d: [floats(n, 8, device=d), ints(n, high=8, device=d)], exact=True, gpu=1 << 18)
def one_hot(x, at):
    hot = torch.zeros_like(x).scatter(1, at[:, None], 1.0)
    return hot, (at[:, None] == torch.arange(8, device=x.device)).to(x.dtype)


@case(lambda n, d: [floats(n, 8, device=d), ints(n, high=max(n // 3, 1), device=d)], gpu=1 << 18)
def segment_sums(x, segment):
    return torch.zeros(x.shape[0], 8, device=x.device).index_add(0, segment, x)


@case(lambda n, d: [ints(n * n, high=16, device=d), floats(n * n, device=d)], exact=True, gpu=2048)
def histograms(a, x):
    ones = torch.ones_like(a)
    return torch.zeros(16, dtype=a.dtype, device=a.device).scatter_add(0, a, ones), torch.histc(
        x, 20, -2.0, 2.0
    )


@case(lambda n, d: [floats(n, 5, device=d), torch.randperm(n, device=d)], exact=True, gpu=1 << 18)
def writes(x, at):
    y = x.clone()
    y[at] = x * 2
    y[:, 1] = 7
    y[1:, 2:4] += 1
    return y, x.index_fill(0, at[:2], 0.0), x.index_copy(0, at, x)


# Order.


@case(lambda n, d: [floats(n, 2 * n, device=d), ints(n, n, high=4, device=d)], exact=True, gpu=512)
def sorts(x, a):
    return (
        x.sort(1),
        x.sort(0, descending=True),
        a.sort(stable=True, dim=1),
        a.argsort(stable=True, dim=0),
    )


@case(lambda n, d: [floats(n, 2 * n, device=d)], exact=True, gpu=512)
def largest(x):
    return x.topk(3, 1), x.topk(2, 1, largest=False).values


# Shapes.


@case(lambda n, d: [floats(n, 4, 6, device=d)], exact=True, gpu=1 << 16)
def views(x):
    return (
        x.permute(2, 0, 1) + 1, x.reshape(-1, 8) * 2, x.transpose(0, 1).flatten(1) - 1,
        x[:, 1] + x[:, -1], x[::2, :, 1:5:3] * 3, x.unsqueeze(1).expand(-1, 2, -1, -1) + 0,
    )  # fmt: skip


@case(lambda n, d: [floats(n, 4, device=d), floats(n, 3, device=d)], exact=True, gpu=1 << 18)
def joins(x, y):
    return torch.cat([x, y, x], 1), torch.stack([x, x * 2], 1), torch.cat([x, y[:, :1] * 0], 1)


@case(lambda n, d: [floats(n, 12, device=d)], exact=True, gpu=1 << 18)
def parts(x):
    a, b, c = x.split([2, 4, 6], 1)
    d, e, f = x.chunk(3, 1)
    return a * 2, b + c[:, :4], d - e * f, [row + 1 for row in x.t()[:2].unbind()]


@case(lambda n, d: [floats(n, 5, device=d)], exact=True, gpu=1 << 16)
def moved(x):
    return x.roll(2, 0), x.roll((1, -1), (0, 1)), x.flip(0, 1) + 1, x.repeat(2, 3), x.rot90()


@case(lambda n, d: images(n, d), exact=True, gpu=1024)
def pads(x):
    return F.pad(x, (1, 2)), F.pad(x, (0, 0, 2, 1), value=3.0), F.pad(x, (1, 1, 1, 1), "replicate")


@case(lambda n, d: [floats(n, n, device=d)], exact=True, gpu=2048)
def triangles(x):
    return x.tril(), x.triu(1), x.diagonal() * 2, torch.diag_embed(x[0]), x.t()


# Products.


@case(
    lambda n, d: [floats(n, 17, device=d), floats(17, n + 3, device=d), floats(n + 3, device=d)],
    gpu=1024,
)
def products(x, y, b):
    return x @ y, torch.addmm(b, x, y), x @ y[:, 0], (x * 2).relu() @ (y + 1)


@case(
    lambda n, d: [floats(3, n, 9, device=d), floats(3, 9, 5, device=d), floats(7, 9, device=d)],
    gpu=16384,
)
def batched_products(x, y, w):
    return x @ y, torch.einsum("bij,kj->bik", x, w), torch.einsum("bij,bjk->bk", x, y)


@case(lambda n, d: [floats(n, 3, 3, device=d), floats(n, 3, device=d)], gpu=1 << 16)
def products_of_points(m, v):
    return torch.einsum("bij,bj->bi", m, v), m @ m.transpose(1, 2)


@case(
    lambda n, d: [ints(n, 6, high=9, device=d), ints(6, 5, high=9, device=d)],
    exact=True,
    gpu=0,  # PyTorch has no such products on a GPU.
)
def products_of_integers(a, c):
    return a @ c, (a[:, :, None] * c).sum(1)


@case(
    lambda n, d: [floats(n, 16, device=d), floats(n, 16, device=d), floats(n, 16, device=d)],
    gpu=2048,
)
def attention(q, k, v):
    scores = q @ k.t() / 4
    mask = torch.ones(q.shape[0], q.shape[0], dtype=torch.bool, device=q.device).tril()
    return scores.masked_fill(~mask, -math.inf).softmax(-1) @ v


@case(lambda n, d: [floats(2, 3, n, 8, device=d) for _ in range(3)], gpu=0)
def attention_of_torch(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


@case(
    lambda n, d: [
        floats(n, 12, device=d), floats(32, 12, device=d), floats(32, device=d),
        floats(4, 32, device=d),
    ], gpu=1 << 16)  # fmt: skip
def mlp(x, w1, b1, w2):
    return F.linear(F.gelu(F.linear(x, w1, b1)), w2).softmax(-1)


@case(lambda n, d: [*images(n, d), floats(4, 3, 3, 3, device=d), floats(4, device=d)], gpu=512)
def convolution(x, w, b):
    return F.conv2d(x, w, b, padding=1).relu(), F.conv2d(x, w, stride=2, padding=(1, 2))


@case(lambda n, d: [floats(2, 4, n, device=d), floats(6, 2, 3, device=d)], gpu=1 << 16)
def convolution_of_groups(x, w):
    return F.conv1d(x, w, groups=2, padding=2, dilation=2)


@case(images, gpu=1022)
def pooling(x):
    x = F.pad(x, (0, 2, 0, 2))
    return F.max_pool2d(x, 2), F.max_pool2d(x, 3, 2, 1, return_indices=True), F.avg_pool2d(x, 2)


@case(images, gpu=1024)
def adaptive_pooling(x):
    return F.adaptive_avg_pool2d(x, 1), F.avg_pool2d(F.pad(x, (1, 1, 1, 1)), 3, 1, 1)


@case(images, gpu=1024)
def hue_saturation_value(x):
    """The largest and smallest channels of a pixel, and the place of the largest one."""
    (high, at), low = x.max(1), x.amin(1)
    difference = torch.where(high == low, 1.0, high - low)
    r, g, b = (high.unsqueeze(1) - x).unbind(1)
    hue = torch.stack([b - g, r - b + 2 * difference, g - r + 4 * difference], 1)
    hue = (hue / difference.unsqueeze(1)).gather(1, at.unsqueeze(1)).squeeze(1)
    return torch.stack([hue / 6 % 1.0, (high - low) / (high.abs() + 1), high], 1)


@case(images, gpu=512)
def resized(x):
    return F.interpolate(x, scale_factor=2, mode="nearest"), F.interpolate(
        x, size=(5, 7), mode="bilinear", align_corners=False
    )


# Programs of several steps.


@case(lambda n, d: [floats(n, 2, device=d), floats(4, 2, device=d)], gpu=1 << 18)
def k_means_step(points, centres):
    distance = (points[:, None] - centres).pow(2).sum(-1)
    nearest = distance.argmin(1)
    sums = torch.zeros_like(centres).index_add(0, nearest, points)
    counts = torch.zeros(4, device=points.device).index_add(
        0, nearest, torch.ones_like(points[:, 0])
    )
    return sums / counts.clamp(min=1)[:, None], nearest


@case(lambda n, d: [floats(n, 3, device=d)], gpu=2048)
def n_body_forces(x):
    d = x[:, None] - x
    return (d / (d.pow(2).sum(-1, keepdim=True) + 0.1) ** 1.5).sum(1)


@case(lambda n, d: [floats(n, n, device=d)], gpu=4096)
def heat_step(x):
    y = F.pad(x, (1, 1, 1, 1))
    return x + 0.1 * (y[:-2, 1:-1] + y[2:, 1:-1] + y[1:-1, :-2] + y[1:-1, 2:] - 4 * x)


@case(lambda n, d: [(floats(n, n, device=d) > 0).to(torch.int32)], exact=True, gpu=4096)
def game_of_life(a):
    count = sum(a.roll((i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)) - a
    return ((count == 3) | ((a == 1) & (count == 2))).to(a.dtype)


@case(lambda n, d: [floats(n, 8, device=d), torch.rand(n, 4, device=d)], gpu=1 << 18)
def rotary_embedding(x, angle):
    even, odd = x[:, ::2], x[:, 1::2]
    sin, cos = angle.sin(), angle.cos()
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1).flatten(1)


@case(lambda n, d: [floats(n, 8, device=d)], gpu=1 << 16)
def top_experts(x):
    weights, experts = x.softmax(-1).topk(2, -1)
    return torch.zeros_like(x).scatter(1, experts, weights / weights.sum(-1, keepdim=True))


@case(lambda n, d: [floats(n, device=d), floats(n, device=d), floats(n, device=d)], gpu=1 << 22)
def adam_step(p, g, m):
    m = 0.9 * m + 0.1 * g
    v = 0.001 * g * g
    return p - 0.01 * (m / 0.1) / ((v / 0.001).sqrt() + 1e-8), m, v

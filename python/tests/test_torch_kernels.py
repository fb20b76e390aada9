"""The kernels of functions that PyTorch compiles with the backend obsidian, and what they read."""

from __future__ import annotations

import json
import math
import warnings
from typing import Any

import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional

from torch_checks import compiled, fresh, gradients, kernels_of, same  # noqa: E402, F401

import obsidian as obs  # noqa: E402
import obsidian.torch as backend  # noqa: E402
from obsidian.backend import CompileOptions  # noqa: E402
from obsidian.backend import backend as compiler  # noqa: E402
from obsidian.costs import read_costs  # noqa: E402
from obsidian.torch.reports import listening  # noqa: E402


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.softmax(-1), lambda x: torch.nn.functional.layer_norm(x, (32,)),
        lambda x: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6),
        lambda x: ((x * 2).relu() + x.sigmoid()).mean(),
        lambda x: (x - x.amax(-1, keepdim=True)).exp().sum(-1).log(),
    ],
)  # fmt: skip
def test_programs_are_fused(function: Any) -> None:
    explanation = backend.explain(function, torch.randn(64, 32))
    assert [len(kernels) for g in explanation.graphs for _, kernels, _ in g.programs] == [1]


@pytest.mark.parametrize("length", [33, 512, 513, 1025, 8192])
def test_a_row_is_read_once(length: int) -> None:
    """A warp or a block keeps the rows of a softmax, and those before its first reduction."""
    x, words = torch.randn(3, length), 3 * length
    for function, results in (
        (lambda x: x.softmax(-1), words),
        (lambda x: (x * 2 + 1).log_softmax(-1), words),
        (lambda x: x / x.square().sum(-1, keepdim=True), words),
        (lambda x: (x - x.mean(-1, keepdim=True)).square().sum(-1), 3),
    ):
        ((blocks, threads, read, written),) = kernels_of(function, x)
        assert (read, written) == (4 * words, 4 * results)
        # Several warps share a row of more than 128 elements.
        assert blocks * threads >= 32 * 3 * (1 if length <= 128 else 2)
        same(compiled(function)(x), function(x))


def distances(x: Any, y: Any) -> Any:
    """The squared distances of all pairs of points."""
    return (x[:, None] - y).square().sum(-1)


@pytest.mark.parametrize(
    ("function", "kernels"),
    [
        (lambda x, y: (-distances(x, y)).softmax(-1), 1),
        (lambda x, y: distances(x, y).argmin(1), 1),
        (lambda x, y: (distances(x, y) + 1).sqrt(), 1),
        (lambda x, y: ((d := distances(x, y)).exp(), d.amax(1)), 2),
        # These are stored: a result, an operand of a product, and what a scan reads.
        (lambda x, y: (d := distances(x, y), d.amin(1)), 2),
        (lambda x, y: distances(x, y) @ y, 2),
        (lambda x, y: distances(x, y).cumsum(1), 2),
        # Few results, and results that are read many times.
        (lambda x, y: (x.square().sum(1) + 1).softmax(0), 2),
        (lambda x, y: (distances(x, y) * torch.arange(9)[:, None, None]).amax(-1), 2),
    ],
)  # fmt: skip
def test_short_reductions_are_computed_where_they_are_read(function: Any, kernels: int) -> None:
    x, y = torch.randn(20, 3), torch.randn(30, 3)
    explanation = backend.explain(function, x, y)
    assert [len(names) for g in explanation.graphs for _, names, _ in g.programs] == [kernels]
    same(compiled(function)(x, y), function(x, y))


#: Functions of a tensor of 4 dimensions that read a view of the rows of a norm or softmax.
VIEWS_OF_ROWS: dict[str, Any] = {
    "instance norm": lambda x: F.instance_norm(x).relu(),
    "instance norm and its argument": lambda x: F.instance_norm(x) * 2 + x,
    "group norm": lambda x: F.group_norm(x, 2) * x[0, :, :1, :1] + x[:, :1, :1],
    "layer norm": lambda x: F.layer_norm(x, x.shape[-1:]).flatten(1).relu(),
    "softmax": lambda x: x.flatten(2).softmax(-1).view(x.shape) * x,
    "sums": lambda x: x.sum((2, 3)).view(-1, 1, 1) + x.flatten(0, 1),
    "two norms": lambda x: F.layer_norm(F.instance_norm(x).flatten(2), (x[0, 0].numel(),)),
}


@pytest.mark.parametrize("name", VIEWS_OF_ROWS)
def test_views_of_rows_belong_to_their_kernel(name: str) -> None:
    function = VIEWS_OF_ROWS[name]
    for shape in ((2, 4, 5, 7), (1, 4, 1, 33), (3, 2, 16, 20)):
        x = torch.randn(*shape)
        same(compiled(function, dynamic=False)(x), function(x))
        ((*_, written),) = kernels_of(function, x)
        assert written == x.nbytes
        same(gradients(compiled(function), [x]), gradients(function, [x]))
    same(compiled(function, dynamic=True)(x), function(x))


@pytest.mark.parametrize("n", [0, 1, 3, 8, 33])
def test_results_for_each_row_are_not_always_repeated_for_rows(n: int) -> None:
    """The shapes fit, but the sum of a row belongs to a column, or to other rows."""

    def function(x: Any) -> Any:
        total = x.sum(1)
        columns = x + total, x.t() * total[:, None], x.view(-1) + total.repeat(n), total + x[:1]
        return *columns, x.view(n, 1, n) + total.view(1, n, 1)

    x = torch.randn(n, n)
    same(compiled(function, dynamic=False)(x), function(x))
    same(compiled(function, dynamic=True)(x), function(x))


CHANNELS: dict[str, Any] = {
    "softmax": lambda x: x.softmax(1),
    "norm": lambda x: (x - x.mean(1, keepdim=True)) / (x.var(1, keepdim=True) + 1),
    "places": lambda x: x.gather(1, x.argmin(1, keepdim=True)) + x.argmax(1, keepdim=True),
    "maxima": lambda x: torch.cat([x.max(1, True)[0] - x, x - x.min(1, True)[0]], 1),
    "masks": lambda x: x * (x > 0).any(1, keepdim=True) + (x > -1).all(1, keepdim=True),
    "two dimensions": lambda x: x.amax((0, 2), keepdim=True) - x + x.mean((0, 2), keepdim=True),
}


@pytest.mark.parametrize("name", CHANNELS)
@pytest.mark.parametrize("channels", [1, 3, 8, 9])
def test_reductions_of_channels_are_computed_where_they_are_read(name: str, channels: int) -> None:
    """Nothing but the result of a few channels is stored."""
    function = CHANNELS[name]
    for columns in (1, 33, 100):
        x = torch.randint(-9, 9, (2, channels, columns)).float() / 4
        x = x.movedim(1, 2).contiguous() if name == "two dimensions" else x
        same(compiled(function)(x), function(x))
    same(compiled(function, dynamic=True)(x), function(x))
    kernels = kernels_of(function, x)
    if channels <= 3:
        assert len(kernels) == 1
        assert kernels[0][-1] == 4 * function(x).numel()


@pytest.mark.parametrize("shape", [(0, 3, 5), (2, 0, 5), (2, 3, 0), (3, 1, 257)], ids=str)
def test_empty_reductions_of_channels(shape: Any) -> None:
    function = lambda x: (x.sum(1, True) * x + x.prod(1, True), x.var(1), x.cumsum(1))  # noqa: E731
    x = torch.randn(*shape)
    same(compiled(function)(x), function(x))


def test_maxima_that_are_not_numbers() -> None:
    x = torch.tensor([1, math.nan, math.inf, -math.inf, -0.0])
    x = torch.cartesian_prod(x, x, x).t().contiguous()

    def function(x: Any) -> Any:
        (high, i), (low, j) = x.max(0), x.min(0)
        return high + 1, i + 1, low + 1, j + 1, x.argmax(0) - 1, x.softmax(0)

    same(compiled(function)(x), function(x))


@pytest.mark.parametrize("fold", ["sum", "mean", "amax"])
@pytest.mark.parametrize("columns", [2, 4])
def test_few_columns_of_rows_that_share_their_elements(columns: int, fold: str) -> None:
    """One kernel computes each distance once for all columns, and writes its result only."""

    def function(x: Any, y: Any) -> Any:
        d = x[:, None] - y
        return getattr(d / (d.square().sum(-1, keepdim=True) + 0.1), fold)(1) + 1

    x, y = torch.randn(600, columns), torch.randn(40, columns)
    ((*_, written),) = kernels_of(function, x, y)
    assert written == x.nbytes
    same(compiled(function)(x, y), function(x, y))
    same(compiled(function, dynamic=True)(x, y), function(x, y))


@pytest.mark.parametrize("rows", [600, 1 << 11, 1 << 16])
def test_one_column_of_rows_that_share_their_elements(rows: int) -> None:
    def function(x: Any, y: Any) -> Any:
        return (x[:, None] * y).amin(1)

    x, y = torch.randn(rows, 1), torch.randn(17, 1)
    ((*_, written),) = kernels_of(function, x, y)
    assert written == x.nbytes
    same(compiled(function)(x, y), function(x, y))


@pytest.mark.parametrize("length", [1, 3, 33, 257, 1025])
def test_places_of_rows_are_read_in_their_kernel(length: int) -> None:
    """A cross entropy stores one number of each row."""
    x, at = torch.randn(5, length), torch.randint(-length, length, (5, 1))
    target = at[:, 0] % length
    for function in (
        lambda x: F.cross_entropy(x * 2, target, label_smoothing=0.1, reduction="none"),
        lambda x: x.softmax(-1).gather(1, target[:, None]) + 1,
        lambda x: x.gather(1, x.argmax(1, True)) - x.mean(1, True),
    ):
        kernels = kernels_of(function, x)
        if length > 16:
            assert kernels[0][-1] == 4 * 5
            assert kernels[0][-2] < 4 * x.numel() + 100
        same(gradients(compiled(function), [x]), gradients(function, [x]))
    same(
        compiled(lambda x: x.exp().cumsum(1).gather(1, at % length))(x),
        x.exp().cumsum(1).gather(1, at % length),
    )


def test_a_wrong_place_in_a_row_stops_the_program() -> None:
    function = compiled(lambda x, i: x.log_softmax(1).gather(1, i))
    x = torch.randn(4, 33)
    with pytest.raises(obs.RunError, match="an index is outside of dimension 1"):
        function(x, torch.tensor([[1], [33], [0], [2]]))
    with pytest.raises(obs.RunError, match="an index is outside of dimension 1"):
        function(x, torch.tensor([[1], [0], [-1], [-34]]))


@pytest.mark.parametrize("length", [33, 1025])
def test_rows_of_which_little_is_read_are_not_stored(length: int) -> None:
    """A cross entropy stores a number of each row, not the logarithms of a softmax."""
    x, target = torch.randn(5, length), torch.randint(0, length, (5,))
    function = torch.nn.functional.cross_entropy
    rows, *others = kernels_of(function, x, target)
    assert rows[2:] == (4 * 5 * length + 5 * 12, 4 * 5)
    assert all(read + written < 8 * 5 * length for *_, read, written in others)
    same(compiled(function)(x, target), function(x, target))


@pytest.mark.parametrize("length", [513, 1025])
def test_rows_in_any_order_take_few_shuffles(length: int) -> None:
    """PyTorch gives sums no order: lanes add their elements, and then shuffle once."""
    (graph,) = backend.explain(lambda x: x.sum(1), torch.randn(3, length)).graphs
    artifact = compiler().compile(graph.programs[0][2], CompileOptions())
    (cost,) = read_costs(json.loads(compiler().show(artifact, "cost_json")[0]))
    assert len(cost.shuffles) == 5


@pytest.mark.parametrize(
    ("function", "shape", "passes"),
    [
        (lambda x: torch.nn.functional.group_norm(x, 2), (1, 4, 150, 151), 2),
        (lambda x: torch.nn.functional.adaptive_avg_pool2d(x, 1), (1, 3, 190, 181), 1),
        (lambda x: torch.batch_norm(x, *4 * [None], True, 0.1, 1e-5, False), (4, 2, 99, 101), 2),
        (lambda x: x.argmax(1), (2, 40_001), 1),
        (lambda x: x.amax((0, 2)), (3, 5, 12_000), 1),
    ],
)  # fmt: skip
def test_long_rows_have_many_blocks(function: Any, shape: Any, passes: int) -> None:
    """Few long rows are reduced in parts, each by a block; nothing of their size is stored."""
    x = torch.randn(*shape)
    kernels = kernels_of(function, x)
    size = 4 * x.numel()
    large = [k for k in kernels if k[2] >= size]
    assert len(kernels) <= 2 * passes + 1
    assert len(large) <= passes + 1
    assert all(blocks * threads * 64 >= x.numel() for blocks, threads, *_ in large)
    assert sum(written for *_, written in kernels) <= size + (size >> 5)
    same(compiled(function)(x), function(x))


def test_the_backward_graph_of_a_softmax_is_one_kernel() -> None:
    explanation = backend.explain(lambda x: x.softmax(-1), torch.randn(8, 32, requires_grad=True))
    kernels = {g.kind: [len(k) for _, k, _ in g.programs] for g in explanation.graphs}
    assert kernels == {"forward": [1], "backward": [1]}


def test_products_of_the_library_need_no_copies() -> None:
    """PyTorch makes views for its products and of them, and masks are where they are read."""

    def perceptron(x: Any, w: Any, v: Any) -> Any:
        return (torch.nn.functional.gelu(x @ w.t()) @ v.t()).softmax(-1)

    def attention(x: Any, w: Any, v: Any) -> Any:
        mask = torch.ones(5, 5, dtype=torch.bool).tril()
        return (w @ w.t()).masked_fill(~mask, -9.0).softmax(-1) @ w

    def batches(x: Any, w: Any, v: Any) -> Any:
        return torch.einsum("bi,kj->bkij", x, w).sum(0), (x[None] @ w.t()[None]).squeeze(0)

    x, w, v = torch.randn(3, 4), torch.randn(5, 4), torch.randn(2, 5)
    warnings.simplefilter("ignore", backend.FallbackWarning)
    for function, programs in ((perceptron, 2), (attention, 1), (batches, 1)):
        with listening() as explanation:
            found = compiled(function, options={"products": "library"})(x, w, v)
        same(found, function(x, w, v))
        (graph,) = explanation.graphs
        assert [len(kernels) for _, kernels, _ in graph.programs] == [1] * programs
        assert {f.operation for f in graph.fallbacks} <= {"aten.mm.default", "aten.bmm.default"}


def sobel(x: Any) -> Any:
    y = F.pad(x, (1, 1, 1, 1), "replicate")
    smooth, steep = y[..., :-2] + 2 * y[..., 1:-1] + y[..., 2:], y[..., 2:] - y[..., :-2]
    rows = smooth[..., 2:, :] - smooth[..., :-2, :]
    columns = steep[..., :-2, :] + 2 * steep[..., 1:-1, :] + steep[..., 2:, :]
    return (rows * rows + columns * columns).sqrt()


@pytest.mark.parametrize(
    "function",
    [
        sobel, lambda x: F.avg_pool2d(F.pad(x, (1, 1, 1, 1), "reflect"), 3, 1),
        lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
        lambda x: F.interpolate(x, size=(7, 40)),
    ],
)  # fmt: skip
def test_images_are_read_by_one_kernel_without_checks(function: Any) -> None:
    """PyTorch has computed the indices of these operations, so that they are not checked."""
    for size in (3, 31, 33, 100):
        x = torch.randn(1, 2, size, size)
        same(compiled(function, dynamic=False)(x), function(x))
    (graph,) = backend.explain(function, x).graphs
    ((_, kernels, text),) = graph.programs
    assert len(kernels) == 1
    assert "obs.assert" not in text


@pytest.mark.parametrize(
    ("function", "shape", "kernels"),
    [
        (lambda x, y: (x * y).sum(1) / (x.sum(1) + y.sum(1)), (3, 20_000), 3),
        (lambda x, y: (x.amax(1), x.argmax(1), (x < y).any(1), (x * y).mean(1)), (3, 20_001), 2),
        (lambda x, y: (x.sum((0, 2)), (x * y).sum((0, 2))), (5, 3, 6_000), 2),
        (lambda x, y: (x.sum(0), (x * y).sum(0), y.amin(0), x.argmin(0)), (60, 33), 2),
    ],
)  # fmt: skip
def test_reductions_of_the_same_rows_are_one(function: Any, shape: Any, kernels: int) -> None:
    """Elements are read once. Another kernel combines the parts of long rows."""
    x, y = torch.randn(2, *shape).round(decimals=1)
    found = kernels_of(function, x, y)
    assert len(found) == kernels
    assert sum(read for *_, read, _ in found) < 2 * x.nbytes * 1.1
    same(compiled(function)(x, y), function(x, y))
    same(compiled(function, dynamic=True)(x, y), function(x, y))


def test_reductions_behind_each_other_are_not_one() -> None:
    def function(x: Any) -> Any:
        total = x.sum(0)
        return total, (x - total).square().sum(0), (x + 1).prod(0), x[:, :0].sum(0), x[:0].sum(0)

    for shape in (0, 4), (1, 1), (31, 5), (100, 33):
        x = torch.rand(shape) / 9
        same(compiled(function, dynamic=False)(x), function(x))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16], ids=str)
@pytest.mark.parametrize(
    ("shape", "dims"),
    [((3, 17_001), 1), ((33, 100), 0), ((5, 3, 4_000), (0, 2)), ((20_000,), None)],
)
def test_variances_of_elements_that_are_read_once(shape: Any, dims: Any, dtype: Any) -> None:
    """The mean is far from 0, or infinite; the elements are equal, or too large to be squared."""

    def function(x: Any) -> Any:
        return *torch.var_mean(x, dims), x.std(dims, correction=0), x.var(dims, correction=10**6)

    x = torch.randn(shape).to(dtype) + 1000
    ((*_, read, _), *others) = kernels_of(lambda x: torch.var_mean(x, dims), x)
    assert x.nbytes <= read < 1.2 * x.nbytes
    assert all(one[2] < x.nbytes for one in others)
    program = compiled(function, dynamic=False)
    large = 1e20 if dtype != torch.float16 else 1e4
    # The mean is rounded, and is 1000 times the deviation.
    error = {torch.float64: 1e-12, torch.float32: 1e-4, torch.float16: 1e-3}[dtype]
    for one in (x, x * 0 + 7, x * 0 + large):
        for found, expected in zip(program(one), function(one.double())):
            torch.testing.assert_close(found.double(), expected, rtol=error, atol=0, equal_nan=True)
    x -= 1000
    for special in (math.inf, -math.inf, math.nan):
        x.view(-1)[-1] = special
        same(program(x), function(x))

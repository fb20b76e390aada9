"""Functions with symbolic extents that PyTorch compiles with the backend obsidian."""

from __future__ import annotations

import re
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch_checks import compiled, fresh, same  # noqa: E402, F401
from torch_functions import CASES  # noqa: E402

from obsidian.torch.reports import listening  # noqa: E402


def test_symbolic_extents() -> None:
    """One program for all sizes, and the same results as in PyTorch."""

    def function(x: Any, w: Any) -> Any:
        y = torch.softmax(x @ w, -1)
        z = torch.cat([y, x], 1)[:, 1:].cumsum(0)
        return y.sum(0), z, x.reshape(-1), x[: x.shape[0] // 2] * x.shape[1], x.mean()

    function = compiled(function, dynamic=True)
    with torch._dynamo.config.patch(error_on_recompile=True):
        for n in (6, 9, 33, 100):
            x, w = torch.randn(n, 7), torch.randn(7, 4)
            y = torch.softmax(x @ w, -1)
            z = torch.cat([y, x], 1)[:, 1:].cumsum(0)
            same(function(x, w), (y.sum(0), z, x.reshape(-1), x[: n // 2] * 7, x.mean()))


DYNAMIC = [
    "gelu", "masks", "integers", "softmax", "layer_norm", "rms_norm", "moments", "extremes",
    "cross_entropy", "running_sums", "gathers", "scatters", "segment_sums", "views", "joins",
    "parts", "moved", "pads", "triangles", "products", "batched_products", "attention", "mlp",
    "convolution", "pooling", "heat_step", "n_body_forces", "rotary_embedding", "k_means_step",
    "group_norm", "writes",
]  # fmt: skip


@pytest.mark.parametrize("name", DYNAMIC)
def test_function_of_symbolic_extents(name: str) -> None:
    one = next(c for c in CASES if c.name == name)
    function = compiled(one.function, dynamic=True)
    for size in (9, 14):
        arguments = one.arguments(size, "cpu")
        same(function(*arguments), one.function(*arguments), one.exact)


@pytest.mark.parametrize(
    ("operation", "shape", "levels"),
    [
        ("sum", (40, 70), []),
        ("sum", (4000, 5), ["thread"]),
        ("sum", (4000, 33), ["warp"]),
        ("sum", (40, 2000), ["block"]),
        # All blocks share few long rows, and then a block has the parts of a row.
        ("sum", (3, 40000), ["block", "block"]),
        ("amax", (2, 1 << 20), ["block", "block"]),
        ("softmax", (4000, 33), ["warp"]),
        ("softmax", (40, 2000), ["block"]),
        ("cumsum", (4000, 33), ["warp"]),
        ("cumsum", (40, 2000), ["block"]),
        # A thread has a column, or a piece of a column.
        ("columns", (10, 300000), ["thread"]),
        ("columns", (3000, 100), ["thread", "warp"]),
    ],
)  # fmt: skip
def test_levels_for_symbolic_extents(
    operation: str, shape: tuple[int, int], levels: list[str]
) -> None:
    """Programs of all extents are fast for those of the first call, and right for others."""

    def function(x: Any) -> Any:
        if operation == "columns":
            return x.sum(0)
        return x.sum() if not levels else getattr(x, operation)(1)

    mine = compiled(function, dynamic=True)
    with listening() as explanation:
        x = torch.randint(-9, 9, shape).float()
        same(mine(x), function(x))
    ((_, _, text),) = explanation.graphs[0].programs
    assert re.findall(r"obs.distribute (\w+) in grid", text) == levels
    for other in ((3, 2), (2, 300), (70, 33), (33, 2)):
        x = torch.randint(-9, 9, other).float()
        same(mine(x), function(x))


def test_numbers_of_symbolic_extents() -> None:
    """Floats that PyTorch computes from extents: scales of attention and of images."""

    def function(x: Any, image: Any) -> Any:
        scales = x * (x.shape[1] / x.shape[0]) ** 1.5, x / x.shape[0] ** 0.5
        attention = torch.nn.functional.scaled_dot_product_attention(x[None], x[None], x[None])
        return *scales, attention, torch.nn.functional.interpolate(image, scale_factor=2)

    function_of_all = compiled(function, dynamic=True)
    with torch._dynamo.config.patch(error_on_recompile=True):
        for n in (5, 8):
            x, image = torch.randn(n, n + 1), torch.randn(1, 2, n)
            same(function_of_all(x, image), function(x, image))


@pytest.mark.parametrize("is_training", [False, True])
def test_extents_need_no_tensors(is_training: bool) -> None:
    """PyTorch reads the extents of windows, which are views: only the results are stored."""

    def function(image: Any) -> Any:
        return torch.nn.functional.avg_pool2d(image, 3, 2, 1)

    mine = compiled(function, dynamic=True)
    with listening() as explanation:
        for height, width in ((20, 22), (9, 33)):
            image = torch.randn(2, 3, height, width, requires_grad=is_training)
            found = mine(image)
            same(found, function(image))
            if is_training:
                other = image.detach().clone().requires_grad_()
                (function(other) ** 2).sum().backward()
                (found**2).sum().backward()
                same(image.grad, other.grad)
    programs = [program for graph in explanation.graphs for program in graph.programs]
    assert len(programs) == 1 + is_training
    for _, _, text in programs:
        (results,) = re.findall(r"^  return (.*) : ", text, re.MULTILINE)
        assert len(results.split(", ")) == 1


VIEWS: dict[str, Any] = {
    "slice": lambda a: a[a.shape[0] // 2 :],
    "chunk": lambda a: a.chunk(2),
    "chunk of columns": lambda a: a.reshape(2, -1).chunk(2, 1)[1].t(),
    "tensor_split": lambda a: a.tensor_split(2),
    "narrow": lambda a: a.narrow(0, 1, a.shape[0] - 1),
    "as_strided": lambda a: a.as_strided((a.shape[0] - 1,), (1,), 1),
    "detach": lambda a: a.chunk(2)[1].detach(),
    "diagonal": lambda a: a.reshape(2, -1).diagonal(),
    "with others": lambda a: (a * 2, a[1:], (a + 1)[1:]),
    "of a concatenation": lambda a: torch.cat([a.reshape(2, -1)] * 2, 1).chunk(2, 1),
    "read by a program": lambda a: (a[a.shape[0] // 2 :], a[a.shape[0] // 2 :].exp()),
    "read by a program, too": lambda a: [(v, v.exp()) for v in a.chunk(2)],
    "repeated": lambda a: [(v, v.cumsum(0)) for v in [a.expand(2, a.shape[0])]],
    "of a result": lambda a: [(v, v.exp(), b) for b in [a * 2] for v in b.chunk(2)],
    "of a result that is no result": lambda a: [(v, v.exp()) for v in (a * 2).chunk(2)],
    "of a repetition": lambda a: a.repeat(2, 2)[:, : a.shape[0] + 1],
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_with_symbolic_extents(name: str) -> None:
    """PyTorch makes views of the inputs from the offsets and strides of the results."""
    function = compiled(VIEWS[name])
    for n in (4, 6, 8, 12):
        a = torch.arange(float(n))
        found, expected = function(a), VIEWS[name](a)
        same(found, expected, exact=True)
        for one, other in zip(*map(torch.utils._pytree.tree_leaves, (found, expected))):
            assert one.stride() == other.stride()


def test_numbers_of_python() -> None:
    def function(x: Any, n: int, s: float) -> Any:
        return x * n + s, x[:n], torch.full((n,), s) + torch.arange(n)

    x = torch.randn(9)
    program = torch.compile(function, backend="obsidian")
    for n, s in ((2, 0.5), (3, 0.25), (4, 7.0), (5, 0.125)):
        same(program(x, n, s), function(x, n, s))


NUMBERS: dict[str, Any] = {
    "select": lambda x, k: x[k] * 2,
    "select from the end": lambda x, k: x[-k] * 2,
    "slice": lambda x, k: x[k : 2 * k] * 2,
    "slice from the end": lambda x, k: (x[-k:] * 2, x[:-k] * 2, x[-2 * k : -k] * 2),
    "slice with a step": lambda x, k: x[k::k] * 2,
    "select_scatter": lambda x, k: x.select_scatter(x[0], 0, -k),
    "slice_scatter": lambda x, k: torch.slice_scatter(x, x[:k] * 3, 0, -k),
    "slice_scatter with a step": lambda x, k: torch.slice_scatter(x, x[::k] * 3, 0, step=k),
    "narrow": lambda x, k: x.narrow(0, -k, k) * 2,
    "roll": lambda x, k: x.roll((k, -k), (0, 1)) * 2,
    "as_strided": lambda x, k: x.as_strided((2, 3), (k, 1), k) * 2,
    "add": lambda x, k: torch.add(x, x, alpha=k) + torch.sub(x, x, alpha=k / 2),
    "repeat": lambda x, k: x.repeat(k, 1) * 2,
    "full": lambda x, k: torch.full((k, 3), k) + 1,
}


@pytest.mark.parametrize("name", NUMBERS)
def test_symbolic_numbers_as_arguments(name: str) -> None:
    function = compiled(NUMBERS[name], dynamic=True)
    x = torch.randn(9, 11)
    for k in (2, 3, 4):
        same(function(x, k), NUMBERS[name](x, k))


def test_symbolic_extents_that_are_one() -> None:
    """PyTorch repeats the elements of an extent that is a quotient of equal numbers."""

    def function(x: Any) -> Any:
        return torch.arange(6.0).view(2, 3) + x[: x.shape[0] // 4, None], x.view(1, -1) * 2

    x = torch.randn(4)
    same(compiled(function, dynamic=True)(x), function(x))

"""Functions that PyTorch compiles with the backend obsidian, against PyTorch itself."""

from __future__ import annotations

import linecache
import math
import warnings
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional

from torch_checks import compiled, fresh, gradients, same  # noqa: E402, F401
from torch_functions import CASES, Case  # noqa: E402

import obsidian as obs  # noqa: E402
import obsidian.torch as backend  # noqa: E402
from obsidian.frameworks import Torch  # noqa: E402
from obsidian.torch.graphs import place_of  # noqa: E402


@pytest.mark.parametrize("size", [9, 33])
@pytest.mark.parametrize("one", CASES, ids=lambda c: c.name)
def test_function(one: Case, size: int) -> None:
    arguments = one.arguments(size, "cpu")
    same(compiled(one.function, dynamic=False)(*arguments), one.function(*arguments), one.exact)


DIFFERENTIABLE = [
    "gelu", "activations", "black_scholes", "masks", "broadcasts", "softmax",
    "log_softmax_of_columns", "layer_norm", "rms_norm", "group_norm", "moments",
    "cross_entropy", "losses", "cosine_similarity", "running_floats", "gathers", "embedding",
    "scatters", "segment_sums", "views", "joins", "moved", "products", "batched_products",
    "attention", "mlp", "heat_step", "n_body_forces", "rotary_embedding", "top_experts", "largest",
    "adaptive_pooling", "halves",
]  # fmt: skip


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradients(name: str) -> None:
    one = next(c for c in CASES if c.name == name)
    arguments = one.arguments(9, "cpu")
    found = gradients(compiled(one.function, dynamic=False), arguments)
    same(found, gradients(one.function, arguments))


def _written(x: Any) -> Any:
    square, rest = x[0, :, :5].clone(), x.clone()
    rest[1].diagonal(1).mul_(3)
    return square.fill_diagonal_(2), rest


#: Operations that must not be fallbacks: a function of floats, and their shape.
WITHOUT_FALLBACK: dict[str, tuple[Callable[[Any], Any], tuple[int, ...]]] = {
    "hypot": (lambda x: torch.hypot(x, x.flip(0) - 1), (40,)),
    "round": (lambda x: (x.round(decimals=1), (x * 100).round(decimals=-1)), (40,)),
    "diagonals": (lambda x: x.diagonal_scatter(x[:, 0] * 2, 1, 2, 1), (3, 7, 5)),
    "written_diagonals": (_written, (2, 5, 7)),
    "searches": (lambda x: torch.searchsorted(x.sort()[0].detach(), x * 2), (3, 33)),
    "buckets": (lambda x: torch.bucketize(x, torch.linspace(-1, 1, 9), right=True), (4, 33)),
    "medians": (lambda x: (*x.median(0), x.median(), *x.kthvalue(3, 1, True)), (5, 8)),
    "distances": (lambda x: (torch.cdist(x, x[:3] + 1), torch.cdist(x, x[:4] - 9, 1)), (30, 5)),
    "pools_of_lines": (
        lambda x: (F.max_pool1d(x, 3, 2, 1), F.avg_pool1d(x, 4, 3, 2, True, False)), (2, 3, 17),
    ),
    "pools_that_end_behind": (
        lambda x: (
            *F.max_pool2d(x, 3, 2, 1, ceil_mode=True, return_indices=True),
            F.avg_pool2d(x, 3, 2, 1, ceil_mode=True),
            F.avg_pool2d(x, (2, 3), (3, 2), (1, 1), ceil_mode=True, count_include_pad=False),
            F.avg_pool2d(x, 2, divisor_override=3),
        ), (2, 3, 10, 8),
    ),
    "pools_with_gaps": (
        lambda x: F.max_pool2d(x, (2, 3), 1, 1, 2, return_indices=True), (2, 3, 9, 8),
    ),
    "borders": (
        lambda x: [
            F.pad(x.flatten(0, 3 - space), [2, 1, 0, 2, 1, 1][: 2 * space], mode)
            for mode in ("reflect", "replicate") for space in (1, 2, 3)
        ], (1, 2, 3, 4, 5),
    ),
    "borders_that_remove_elements": (lambda x: F.pad(x, (-2, 3, 1, -1), "replicate"), (2, 3, 5, 4)),
    "adaptive_pools": (
        lambda x: (
            *F.adaptive_max_pool2d(x, (3, 5), return_indices=True),
            F.adaptive_avg_pool2d(x, (7, 3)), F.adaptive_avg_pool3d(x, (3, 9, 4)),
        ), (1, 4, 9, 8),
    ),
    "gammas": (lambda x: (torch.lgamma(x * 4), torch.digamma(x.detach() * 4)), (100,)),
    "pools_of_volumes": (
        lambda x: (
            *F.max_pool3d(x, 2, (2, 1, 2), 1, return_indices=True), F.avg_pool3d(x, (1, 2, 3), 2),
        ), (1, 2, 5, 6, 7),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WITHOUT_FALLBACK)
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.filterwarnings("error::obsidian.torch.FallbackWarning")
def test_operations_without_fallback(name: str, dynamic: bool) -> None:
    function, shape = WITHOUT_FALLBACK[name]
    if dynamic and name in ("medians", "searches", "distances"):
        pytest.skip("rows of symbolic length are sorted, and subtracted, by PyTorch")
    x = torch.randn(shape)
    program = compiled(function, dynamic=dynamic)
    same(program(x), function(x))
    if any(r.is_floating_point() for r in torch.utils._pytree.tree_leaves(function(x))):
        same(gradients(program, [x]), gradients(function, [x]))


CONVOLUTIONS: list[tuple[str, dict[str, Any]]] = [
    ("conv", {}), ("conv", {"stride": 2, "padding": 1}), ("conv", {"stride": 3, "dilation": 2}),
    ("conv", {"groups": 2, "padding": 2}), ("conv", {"groups": 4, "stride": 2, "padding": 1}),
    ("conv_transpose", {}), ("conv_transpose", {"stride": 2, "padding": 1}),
    ("conv_transpose", {"stride": 3, "output_padding": 2, "dilation": 2}),
    ("conv_transpose", {"groups": 2, "padding": 2}),
    ("conv_transpose", {"stride": 2, "groups": 4, "padding": 1, "output_padding": 1}),
]  # fmt: skip


@pytest.mark.parametrize("name, options", CONVOLUTIONS, ids=str)
def test_convolutions_and_their_gradients(name: str, options: dict[str, Any]) -> None:
    for space in (1, 2):
        convolve, groups = getattr(F, f"{name}{space}d"), options.get("groups", 1)
        function = lambda x, w, b: convolve(x, w, b, **options).sigmoid()  # noqa: E731
        shape, channels = ((4, 3), 3 * groups) if "transpose" in name else ((8, 4 // groups), 8)
        for size in (5, 9):
            x, w = torch.randn(2, 4, *[size] * space), torch.randn(*shape, *(3, 2)[:space])
            arguments = [x, w, torch.randn(channels)]
            found = gradients(compiled(function, dynamic=False), arguments)
            same(found, gradients(function, arguments))


def test_gradients_of_a_convolution_of_halves() -> None:
    function = lambda x, w: F.conv2d(x, w, padding=1)  # noqa: E731
    x, w = torch.randn(2, 4, 6, 6), torch.randn(8, 4, 3, 3)
    exact = gradients(function, [x.half().float(), w.half().float()])
    for found, expected in zip(gradients(compiled(function), [x.half(), w.half()]), exact):
        torch.testing.assert_close(found.float(), expected, rtol=2e-3, atol=2e-2)


@pytest.mark.parametrize("kind", [torch.int64, torch.int32, torch.int8, torch.uint8], ids=str)
def test_powers_of_integers(kind: Any) -> None:
    values = torch.tensor([0, 1, -1, 2, -2, 3, 7, -7, 100, -128], dtype=torch.int64).to(kind)
    exponents = torch.tensor([0, 1, 2, 3, 7, 31, 62, 63, 127, -1, -2, -3])
    exponents = exponents[: 9 if kind == torch.uint8 else 12].to(kind)

    def function(x: Any, n: Any) -> Any:
        return x[:, None] ** n, 3**n, x**3

    same(compiled(function)(values, exponents), function(values, exponents), True)


def test_gammas_that_are_not_finite() -> None:
    x = torch.tensor([-3, -2.5, -0.5, 0, -0.0, 0.5, 1, 2, 1e-30, 30, 1e10, 1e35, math.inf])
    x = torch.cat([x, torch.tensor([-math.inf, math.nan, -1e-30, -33.3])])
    for one in x, x.double():
        same(compiled(torch.lgamma)(one), torch.lgamma(one))
        same(compiled(torch.digamma)(one), torch.digamma(one))


def test_values_that_are_not_finite() -> None:
    inf, nan = torch.inf, torch.nan
    y = torch.tensor([nan, inf, 0, 4, inf, 1, 1e30])
    x = torch.tensor([inf, nan, 0, 3, -inf, nan, 1e30])
    same(compiled(torch.hypot)(x, y), torch.hypot(x, y))
    m = torch.tensor([[nan, 1, 2], [3, nan, nan], [5, 7, 6]])
    function = lambda m: (m.median(1)[0], m.kthvalue(2, 1)[0], m[2].median())  # noqa: E731
    same(compiled(function)(m), function(m))
    limits = torch.tensor([-1.0, 0, 2, nan])
    same(compiled(torch.bucketize)(m, limits), torch.bucketize(m, limits))


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_gradients_of_group_norm(size: int) -> None:
    """Small images are short rows, which threads copy to shared memory."""
    norm = torch.nn.GroupNorm(2, 8)
    x = torch.randn(2, 8, size, size)
    same(gradients(compiled(norm), [x]), gradients(norm, [x]))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_softmax_of_rows_that_are_not_kept(dtype: Any, monkeypatch: Any) -> None:
    """One reading combines the maximum and the sum of exponentials, also of infinite elements."""
    monkeypatch.setattr("obsidian.torch.rows.KEPT", 600)
    x = torch.randn(7, 704, dtype=dtype) * 50
    x[1], x[2, 5:], x[3, 5], x[4, 9] = -math.inf, -math.inf, math.inf, math.nan

    def function(x: Any) -> Any:
        return x.softmax(-1), x.log_softmax(-1), x.logsumexp(-1)

    same(compiled(function, dynamic=False)(x), function(x))
    (graph,) = backend.explain(lambda x: x.softmax(-1), x).graphs
    assert graph.programs[0][2].count("obs.reduce") == 1


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (1, 5), (5, 1), (1, 1)], ids=str)
def test_empty_and_single(shape: tuple[int, int]) -> None:
    def function(x: Any) -> Any:
        y = x.softmax(1) * 2 + x.sum(0) + x.sum()
        return y, x.sum(1), x.cumsum(1), torch.cat([x, x]), x.t() @ x, x.mean(0), x.var(1), x[:1]

    x = torch.randn(*shape)
    same(compiled(function)(x), function(x))


def test_tensors_without_dimensions() -> None:
    """They are arrays of one element in programs."""

    def function(x: Any, i: Any) -> Any:
        y = x.scatter_reduce(0, i, x * 2, "sum")
        return y, x.gather(0, i), x.cummax(0), x.max(0), x.sum(), x.sort(0), x.softmax(0), x.t() + 1

    x, i = torch.tensor(1.5), torch.tensor(0)
    same(compiled(function)(x, i), function(x, i))


@pytest.mark.parametrize("widths", [(1, -1), (-1, 1), (-2, 3, 0, -1)], ids=str)
def test_pads_that_remove_elements(widths: tuple[int, ...]) -> None:
    def function(x: Any) -> Any:
        return torch.nn.functional.pad(x, widths, value=7.0)

    x = torch.randn(3, 4)
    same(gradients(compiled(function), [x]), gradients(function, [x]), True)


def test_signs() -> None:
    """The sign of a NaN is 0."""
    x = torch.tensor([2.5, -2.5, math.inf, -math.inf, 0.0, -0.0, math.nan])
    found = compiled(torch.sign)(x)
    assert found.tolist() == [1, -1, 1, -1, 0, 0, 0]
    assert not found.signbit()[4:].any()


def test_views_as_another_type() -> None:
    """They have the same bits; elements of another width run in PyTorch."""

    def function(x: Any, n: Any) -> Any:
        bits = (x * 2).view(torch.int32) ^ 1
        short = (n + 1).view(torch.int8) // 2, x.bfloat16().view(torch.float16) + 1
        return bits, bits.view(torch.float32), bits.sum(-1), *short

    x, n = torch.randn(3, 5), torch.arange(250, 255).to(torch.uint8)
    same(compiled(function)(x, n), function(x, n), True)
    warnings.simplefilter("ignore", backend.FallbackWarning)
    wide = lambda x: (x * 2).view(torch.uint8) + 1  # noqa: E731
    same(compiled(wide)(x), wide(x), True)


@pytest.mark.parametrize("kind", [torch.float32, torch.int32, torch.uint8], ids=str)
@pytest.mark.parametrize("include_self", [True, False])
def test_reductions_of_scatters(kind: Any, include_self: bool) -> None:
    def function(x: Any, at: Any, source: Any) -> Any:
        return [x.scatter_reduce(0, at, source, how, include_self=include_self)
                for how in ("sum", "prod", "mean", "amax", "amin")]  # fmt: skip

    at = torch.tensor([[0, 1, 3, 0], [2, 1, 3, 0], [0, 1, 1, 0]])
    x, source = torch.randint(1, 6, (4, 4)).to(kind), torch.randint(1, 6, (3, 4)).to(kind)
    same(compiled(function)(x, at, source), function(x, at, source))


def test_products_and_windows_of_integers() -> None:
    def function(x: Any, y: Any) -> Any:
        return torch.addmm(x, x, y, beta=2, alpha=3), torch.nn.functional.conv1d(x, y[:, :, None])

    x, y = torch.randint(0, 9, (4, 4)), torch.randint(0, 9, (4, 4))
    y = y.contiguous()
    same(compiled(function)(x, y), function(x, y), True)


def test_views_of_larger_memory() -> None:
    """An operation of PyTorch reads memory outside of the tensor that it takes."""
    warnings.simplefilter("ignore", backend.FallbackWarning)
    x = torch.arange(10.0)[:5]
    function = lambda x: torch.as_strided(x, (2, 2), (2, 1), 6) + 1  # noqa: E731
    same(compiled(function)(x), function(x))


@pytest.mark.parametrize("offset", [None, 0, 12])
@pytest.mark.parametrize("part", [lambda x: x[1], lambda x: x.t()[1:], lambda x: x[1:, 2:].t()])
def test_views_of_the_memory_of_a_view(part: Any, offset: int | None) -> None:
    """The offset of such a view is one in the memory of a tensor, of which a program has a part."""

    def function(x: Any) -> Any:
        y = part(x * 2)
        return y.as_strided((2, 3), (3, 1), offset) + 1, y.exp().sum(), y.as_strided((2,), (1,), 4)

    x = torch.randn(4, 6)
    same(compiled(function)(x), function(x))


def test_strides() -> None:
    """Inputs in any order, and results with the strides that PyTorch gives them."""

    def function(x: Any, y: Any) -> Any:
        return x + 1, (y * 2).t(), x.sum(0), x @ x.t(), x.softmax(-1), (x + 1).t().contiguous()

    base = torch.randn(12, 16)
    inputs = [base.t(), base[::2, 1:9], base[:, 3:4].expand(-1, 5), base.t()[2:7]]
    for x in inputs:
        found, expected = compiled(function)(x, base), function(x, base)
        same(found, expected)
        if x.is_contiguous() or x is inputs[0]:
            assert [t.stride() for t in found] == [t.stride() for t in expected]
    image = torch.randn(2, 3, 5, 5).to(memory_format=torch.channels_last)
    found = compiled(lambda t: t * 2)(image)
    assert found.stride() == image.stride()
    same(found, image * 2)


def test_results_of_one_operation_before_and_after_a_fallback() -> None:
    functions = [
        lambda x: torch.special.bessel_j0(x.max(-1)[0]) * x.max(-1)[1],
        lambda x: (lambda v, i: (torch.special.bessel_j0(v) * i, v + 1))(*x.sort(-1)),
        lambda x: (lambda v, i: torch.special.bessel_j0(v) * i)(*torch.cummax(x, -1)),
    ]
    for function in functions:
        with pytest.warns(backend.FallbackWarning):
            found = torch.compile(function, backend="obsidian")(torch.ones(3, 5).cumsum(1))
        same(found, function(torch.ones(3, 5).cumsum(1)))


MASK = torch.arange(35).reshape(5, 7) % 3 > 0
ATTENTION: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "plain": ((2, 3, 5, 4), (2, 3, 7, 4), {}),
    "causal": ((1, 2, 5, 4), (1, 2, 5, 4), {"is_causal": True}),
    "mask": ((2, 3, 5, 4), (2, 3, 7, 4), {"attn_mask": MASK}),
    "rows without keys": (
        (2, 3, 5, 4),
        (2, 3, 7, 4),
        {"attn_mask": MASK & (torch.arange(5) != 2)[:, None]},
    ),
    "bias": ((2, 3, 5, 4), (2, 3, 7, 4), {"attn_mask": MASK.float()}),
    "scale": ((1, 2, 5, 4), (1, 2, 5, 4), {"scale": 0.3}),
    "groups": ((2, 4, 5, 4), (2, 2, 7, 4), {"enable_gqa": True}),
}


@pytest.mark.parametrize("name", ATTENTION)
def test_gradients_of_attention(name: str) -> None:
    of_queries, of_keys, options = ATTENTION[name]
    arguments = [torch.randn(shape) for shape in (of_queries, of_keys, of_keys)]

    def attention(*given: Any) -> Any:
        result = torch.nn.functional.scaled_dot_product_attention(*given, **options)
        return result * torch.linspace(-1, 1, result.numel()).reshape(result.shape)

    same(gradients(compiled(attention), arguments), gradients(attention, arguments))


def test_results_are_new_memory() -> None:
    def function(x: Any) -> Any:
        y = x + 1
        return x.clone(), y, y.clone(), y.view(-1), x.reshape(-1)[2:].clone()

    x = torch.randn(3, 4)
    found = compiled(function)(x)
    same(found, function(x))
    addresses = [t.data_ptr() for t in (x, found[0], found[1], found[2], found[4])]
    assert len(set(addresses)) == 5
    assert found[3].data_ptr() == found[1].data_ptr()


def test_arguments_that_are_written() -> None:
    def function(x: Any, y: Any) -> Any:
        x.mul_(2).add_(y)
        y[0] = 5
        return x.sum()

    x, y = torch.randn(4), torch.randn(4)
    a, b = x.clone(), y.clone()
    same(compiled(function)(x, y), function(a, b))
    same((x, y), (a, b))


def test_a_wrong_index_stops_the_program() -> None:
    function = compiled(lambda x, i: x[i] * 2)
    with pytest.raises(obs.RunError, match="an index is outside of dimension 0") as caught:
        function(torch.randn(4), torch.tensor([1, 4]))
    place = caught.value.location
    assert place.file == __file__
    assert "x[i] * 2" in linecache.getline(__file__, place.line)


def test_warnings_of_a_call_name_the_line_of_the_function() -> None:
    """PyTorch generates the code that calls a program."""

    def function(x: Any) -> Any:
        y = x + 1
        return y * 2

    with pytest.warns(obs.PerformanceWarning, match="elements on the emulator") as seen:
        compiled(function)(torch.zeros(1 << 20))
    assert [w.filename for w in seen] == [__file__]
    assert "y = x + 1" in linecache.getline(__file__, seen[0].lineno)


def test_places_of_nodes() -> None:
    """The innermost line outside of PyTorch, that of a neighbour, or the name of the node."""
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    step = graph.call_function(torch.mul, (x, x))
    behind = graph.call_function(torch.neg, (step,))
    alone = graph.call_function(torch.relu, (x,))
    inside = f'  File "{torch.__path__[0]}/optim/adam.py", line 7, in g\n    h()'
    step.meta["stack_trace"] = f'  File "user.py", line 3, in f\n  File "step.py", line 5\n{inside}'
    assert place_of(step) == place_of(behind) == obs.Location("step.py", 5)
    step.meta["stack_trace"] = inside
    assert place_of(step).line == 7
    assert place_of(alone).file == "<node relu of a graph>"


def test_fallbacks() -> None:
    """Programs before and behind an operation of PyTorch, and what is said of it."""

    def function(x: Any) -> Any:
        y = (x @ x.t()).softmax(-1)
        z = torch.special.bessel_j0(y * 3)
        return (z * 2).sum(1), y + 1

    x = torch.randn(4, 4)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        found = compiled(function)(x)
        torch._dynamo.reset()
        compiled(function)(x)
    same(found, function(x))
    fallen = [w for w in seen if w.category is backend.FallbackWarning]
    assert [str(w.message) for w in fallen] == [
        "aten.special_bessel_j0.default runs in PyTorch: no lowering"
    ]
    assert fallen[0].filename == __file__
    assert "bessel_j0(y" in linecache.getline(__file__, fallen[0].lineno)
    explanation = backend.explain(function, x)
    assert [len(g.programs) for g in explanation.graphs] == [2]
    assert [f.operation for f in explanation.fallbacks] == ["aten.special_bessel_j0.default"]
    assert explanation.breaks == []


def test_programs_without_arguments_before_gradients() -> None:
    """PyTorch compiles a function with gradients while new tensors have no memory."""

    def function(x: Any) -> Any:
        return torch.special.bessel_j0(x * 2) * (torch.arange(3) * 2 + 1)

    x = torch.linspace(0.5, 1, 3)
    warnings.simplefilter("ignore", backend.FallbackWarning)
    same(gradients(compiled(function), [x]), gradients(function, [x]))


def test_refused_operations_behind_a_program() -> None:
    """The scatter is refused while its program is traced, after the first program."""

    def function(x: Any, i: Any) -> Any:
        mask = torch.special.bessel_j0(x * 2) > 0.5
        return mask.scatter_reduce(0, i, mask, "amax")

    x, i = torch.linspace(0, 1, 8), torch.arange(8) % 3
    (graph,) = backend.explain(function, x, i).graphs
    assert [operations for operations, *_ in graph.programs] == [1, 1]
    assert [f.operation.split(".")[1] for f in graph.fallbacks] == [
        "special_bessel_j0", "scatter_reduce",
    ]  # fmt: skip
    warnings.simplefilter("ignore", backend.FallbackWarning)
    same(compiled(function)(x, i), function(x, i), True)


def test_types_that_programs_lack() -> None:
    function = lambda x: torch.view_as_real(torch.fft.fft(x * 2)).sum(-1) + 1  # noqa: E731
    x = torch.randn(8)
    warnings.simplefilter("ignore", backend.FallbackWarning)
    same(compiled(function)(x), function(x))
    reasons = {f.operation: f.reason for f in backend.explain(function, x).fallbacks}
    assert reasons["aten._fft_r2c.default"] == "elements of torch.complex64"


def test_random_numbers_are_those_of_torch() -> None:
    def function(x: Any) -> Any:
        return x * torch.rand_like(x) + 1

    x = torch.randn(50)
    warnings.simplefilter("ignore", backend.FallbackWarning)
    program = compiled(function)
    torch.manual_seed(5)
    found = program(x)
    torch.manual_seed(5)
    same(found, function(x))


def test_explanation() -> None:
    def function(x: Any) -> Any:
        y = x.relu() * 2
        print("a break")
        return y.sum()

    explanation = backend.explain(function, torch.randn(5, requires_grad=True))
    assert [g.kind for g in explanation.graphs] == ["forward", "forward", "backward", "backward"]
    assert len(explanation.breaks) == 1
    assert "print" in explanation.breaks[0]
    assert str(explanation).startswith("forward graph: 1 program\n  ")


def test_results_are_made_as_in_the_run_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first run views its blocks as results; later ones have them in their type."""
    host = torch.device("cpu")
    with monkeypatch.context() as patch:
        patch.setattr(torch, "device", lambda *_: host)
        memory = Torch.allocator(0, "f32")
    numbers: list[int] = []

    def allocate(number: int, size: int) -> int:
        """What the library does for each allocation of a run."""
        known, pointer = memory.prepared[2 * number : 2 * number + 2]
        if known == size and pointer:
            memory.prepared[2 * number + 1] = 0
            return int(pointer)
        numbers.append(number)
        return int(memory.allocate(size))

    for run in range(3):
        memory.begin()
        first, scratch, second = (allocate(n, size) for n, size in enumerate((24, 100, 40)))
        memory.free(scratch)
        third = allocate(3, 12)
        places = (first, (2, 3), "f32"), (second, (5,), "i64"), (third, (3,), "i32")
        found = [memory.take(*place) for place in places]
        part = memory.take(second + 8, (2,), "i64")
        memory.forget()
        assert [t.shape for t in found] == [(2, 3), (5,), (3,)]
        assert [t.dtype for t in found] == [torch.float32, torch.int64, torch.int32]
        assert [t.data_ptr() for t in (*found, part)] == [first, second, third, second + 8]
        assert [t._is_view() for t in found] == [run == 0] * 3
    # Memory of the block that was freed may become the last result, which is allocated late.
    assert numbers == [0, 1, 2, 3, 0, 1, 2, 3, 1, 3]
    # Other sizes are no error, and no block stays.
    memory.begin()
    first = allocate(0, 16)
    assert memory.take(first, (2, 2), "i32").data_ptr() == first
    memory.forget()
    assert not memory.blocks and not any(memory.prepared)


def test_options() -> None:
    x = torch.randn(4, 4)
    warnings.simplefilter("ignore", backend.FallbackWarning)
    program = compiled(lambda x: x @ x + 1, options={"products": "library"})
    same(program(x), x @ x + 1)
    with pytest.raises(Exception, match="products, one of auto, program, library"):
        compiled(lambda x: x + 1, options={"products": "cublas"})(x)


def test_the_name_of_the_backend() -> None:
    assert "obsidian" in torch._dynamo.list_backends()


def test_programs_are_kept_on_disk(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OBS_CACHE_DIR", str(tmp_path))
    x, function = torch.randn(6), lambda x: x * 3 + 1
    same(compiled(function)(x), x * 3 + 1)
    entries = sorted(path.name for path in tmp_path.iterdir())
    assert len(entries) == 1
    torch._dynamo.reset()
    same(compiled(function)(x), x * 3 + 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == entries


def test_long_chains_are_stored() -> None:
    """Programs do not grow with the paths to an element."""

    def function(x: Any) -> Any:
        for k in range(1, 12):
            x = x * 0.5 + x.roll(k) - x.flip(0)
        return x

    x = torch.randn(64)
    same(compiled(function)(x), function(x))


@pytest.mark.parametrize(
    "shape", [(0,), (1,), (2,), (5,), (300,), (3, 0), (3, 5), (70, 3), (3, 300)]
)
def test_signs_of_sums(shape: tuple[int, ...]) -> None:
    """A sum of PyTorch begins with 0, so that no sum is -0."""

    def function(x: Any) -> Any:
        sums = x.sum(), x.sum(0), x.sum(-1), x.cumsum(0), x.cumsum(-1), x.half().cumsum(-1)
        return [torch.signbit(y) for y in (*sums, x.mean())]

    x = torch.full(shape, -0.0)
    for one, other in zip(compiled(function, dynamic=False)(x), function(x)):
        assert one.shape == other.shape
        if x.numel():
            assert not one.any() and not other.any()
    for y in torch.full((shape[0],), -0.0), torch.zeros(0):
        assert 1 / compiled(torch.sum)(y) == torch.inf

"""What training needs of the backend obsidian: optimizers, gradients, metrics, memory formats."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional

from torch_checks import compiled, fresh, gradients, same  # noqa: E402, F401

import obsidian.torch as backend  # noqa: E402

OPTIMIZERS: dict[str, dict[str, Any]] = {
    "SGD": {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01},
    "Adam": {"amsgrad": True}, "AdamW": {}, "Adagrad": {}, "Adadelta": {}, "Adamax": {},
    "NAdam": {}, "RAdam": {}, "RMSprop": {"momentum": 0.9, "centered": True}, "Rprop": {},
}  # fmt: skip


@pytest.mark.parametrize("foreach", [False, True])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps_of_optimizers(name: str, foreach: bool) -> None:
    """On a GPU, an optimizer calls operations on lists of tensors. A step is one kernel."""
    results = []
    for is_compiled in (False, True):
        torch.manual_seed(2)
        weights = [torch.nn.Parameter(torch.randn(shape)) for shape in ((5, 4), (7,), (2, 3, 2))]
        optimizer = getattr(torch.optim, name)(weights, foreach=foreach, **OPTIMIZERS[name])
        step = torch.compile(optimizer.step, backend="obsidian") if is_compiled else optimizer.step
        for _ in range(3):
            for weight in weights:
                weight.grad = torch.randn_like(weight)
            step()
        results.append([weight.detach() for weight in weights])
    same(*results)


@pytest.mark.parametrize("order", [1.0, 2.0, float("inf")])
def test_gradients_that_are_clipped(order: float) -> None:
    def clip(*given: Any) -> Any:
        weights = [torch.nn.Parameter(torch.zeros_like(g)) for g in given]
        for weight, grad in zip(weights, given):
            weight.grad = grad.clone()
        norm = torch.nn.utils.get_total_norm([w.grad for w in weights], order, foreach=True)
        torch.nn.utils.clip_grads_with_norm_(weights, 1.0, norm, foreach=True)
        return norm, [w.grad for w in weights]

    given = [torch.randn(5, 4), torch.randn(7)]
    same(torch.compile(clip, backend="obsidian")(*given), clip(*given))
    assert not backend.explain(clip, *given).fallbacks


def test_operations_on_lists() -> None:
    def function(*x: Any) -> Any:
        powers = torch._foreach_pow(x, 2), torch._foreach_pow(2.0, x), torch._foreach_pow(x, [2, 3])
        limits = torch._foreach_maximum(x, 0.5), torch._foreach_minimum(x, x[::-1])
        scaled = torch._foreach_addcmul(x, x, x, value=3.0), torch._foreach_lerp(x, x[::-1], 0.3)
        other = torch._foreach_add(x, x[::-1], alpha=2), torch._foreach_div(x, [2.0, 3.0])
        copies = [torch.zeros_like(t) for t in x]
        torch._foreach_copy_(copies, x)
        return powers, limits, scaled, other, copies, torch._foreach_exp(x)

    given = torch.randn(2, 3, 4).unbind()
    same(compiled(function)(*given), function(*given))


@pytest.mark.parametrize("kind", ["GRU", "RNN"])
def test_recurrent_networks(kind: str) -> None:
    """PyTorch divides the gates of a step by views of memory."""
    with torch._dynamo.config.patch(allow_rnn=True):
        network = getattr(torch.nn, kind)(5, 6, bidirectional=True)
        program = compiled(network)
        x = torch.randn(3, 2, 5)
        found, expected = (gradients(lambda x, f=f: f(x)[0], [x]) for f in (program, network))
        same(found, expected)


def test_gradients_of_products_of_extents_that_become_known() -> None:
    """PyTorch finds the length of a row while it traces the gradient: a symbol is a number."""
    x = torch.randn(3, 40)
    x[1, 7] = 0
    program = compiled(lambda x: x.cumprod(-1), dynamic=True)
    same(gradients(program, [x]), gradients(lambda x: x.cumprod(-1), [x]))


def test_counts_of_pairs() -> None:
    """A view shows how many counts there are. Without it, their number is known at run time."""
    warnings.simplefilter("ignore", backend.FallbackWarning)

    def confusion(found: Any, wanted: Any) -> Any:
        counts = torch.bincount(wanted * 5 + found, minlength=25).view(5, 5)
        return counts, counts.diagonal() / counts.sum(1)

    def present(found: Any, wanted: Any) -> Any:
        return torch.bincount(found) * 2, torch.bincount(wanted)[:, None] + 1, found + wanted

    found, wanted = torch.randint(0, 5, (2, 300))
    same(compiled(confusion)(found, wanted), confusion(found, wanted))
    same(compiled(present)(found, wanted), present(found, wanted))


FORMATS: dict[str, Any] = {
    "max_pool": lambda x: F.max_pool2d(x, 3, 2, 1, return_indices=True),
    "avg_pool": lambda x: F.avg_pool2d(x, 2),
    "adaptive_avg_pool": lambda x: F.adaptive_avg_pool2d(x, 3),
    "adaptive_max_pool": lambda x: F.adaptive_max_pool2d(x, (3, 5)),
    "convolution": lambda x: F.conv2d(x, torch.ones(6, 4, 3, 3), padding=1).relu(),
    "transposed": lambda x: F.conv_transpose2d(x, torch.ones(4, 6, 3, 3), stride=2),
    "volumes": lambda x: F.max_pool3d(
        x.unflatten(1, (2, 2)).contiguous(memory_format=torch.channels_last_3d), (1, 2, 2)
    ),
    "norm": lambda x: F.batch_norm(x, None, None, training=True),
    "resized": lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
}


@pytest.mark.parametrize("name", FORMATS)
def test_channels_that_are_neighbours_in_memory(name: str) -> None:
    function = FORMATS[name]
    for form in (torch.contiguous_format, torch.channels_last):
        x = torch.randn(2, 4, 8, 8).to(memory_format=form)
        for program in (compiled(function), compiled(function, dynamic=True)):
            found, expected = program(x), function(x)
            same(found, expected)
            leaves = torch.utils._pytree.tree_leaves
            assert [t.stride() for t in leaves(found)] == [t.stride() for t in leaves(expected)]


class Small(torch.nn.Module):
    """A network of convolutions, normalisation and a classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.features = torch.nn.Sequential(
            torch.nn.Conv2d(1, 4, 3, padding=1), torch.nn.BatchNorm2d(4), torch.nn.ReLU(),
            torch.nn.MaxPool2d(2), torch.nn.AdaptiveAvgPool2d(2), torch.nn.Flatten(),
        )  # fmt: skip
        self.classifier = torch.nn.Linear(16, 3)

    def forward(self, x: Any) -> Any:
        return self.classifier(self.features(x))


def test_module_in_eval_mode() -> None:
    module = Small().eval()
    x = torch.randn(2, 1, 9, 9)
    with torch.no_grad():
        same(torch.compile(module, backend="obsidian", fullgraph=True)(x), module(x))


def test_training_of_an_mlp() -> None:
    """Three steps of a network, with the same weights as in PyTorch."""

    def train(wrap: Any) -> list[Any]:
        torch.manual_seed(3)
        network = torch.nn.Sequential(
            torch.nn.Linear(10, 32), torch.nn.LayerNorm(32), torch.nn.GELU(),
            torch.nn.Linear(32, 4),
        )  # fmt: skip
        loss = wrap(lambda x, y: torch.nn.functional.cross_entropy(network(x), y))
        optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
        losses = []
        for _ in range(3):
            optimizer.zero_grad()
            value = loss(torch.randn(17, 10), torch.randint(0, 4, (17,)))
            value.backward()
            optimizer.step()
            losses.append(value.detach())
        return [*losses, *network.parameters()]

    same(train(compiled), train(lambda f: f))


def test_gradients_of_second_derivatives() -> None:
    """PyTorch knows that some of them are zero, and makes tensors without memory."""

    def function(w: Any, x: Any) -> Any:
        loss = lambda w: F.mse_loss(torch.tanh(x @ w), torch.ones(5, 2))  # noqa: E731
        return torch.func.hessian(loss)(w)

    arguments = [torch.randn(3, 2), torch.randn(5, 3)]
    same(gradients(compiled(function), arguments), gradients(function, arguments))


def test_optimizers_have_no_fallback() -> None:
    """The steps of an optimizer round products and sums once, as PyTorch does."""

    def step(m: Any, v: Any, g: Any) -> Any:
        return m.mul(0.9).add(g, alpha=0.1), v.mul(0.999).addcmul(g, g, value=0.001)

    def once(a: Any, b: Any, c: Any) -> Any:
        return torch.ops.prims.fma(a, b, c)

    m, v, g = torch.randn(3, 100)
    assert not backend.explain(step, m, v, g).fallbacks
    same(compiled(step)(m, v, g), step(m, v, g))
    # 1 - 2^-24 is no result of two roundings.
    x = torch.tensor([1 + 2.0**-12])
    (found,) = compiled(once)(x, 1 - (x - 1), torch.tensor([-1.0]))
    assert found == -(2.0**-24)
    assert not backend.explain(once, m, v, g).fallbacks

"""Tensors of PyTorch in calls, and programs as its operators, on a PyTorch that pretends."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import numpy as np
import pytest
import torch_double as torch
from foreign import increment, kept, pairs, same, saxpy, twice
from torch_double import Tensor, tensor

import obsidian as obs
from obsidian import Pull, f32, frameworks, i32, interop
from obsidian.errors import PerformanceWarning


@pytest.fixture(autouse=True)
def double(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(frameworks, "_torch", None)
    monkeypatch.setattr(interop, "_frameworks", {})
    monkeypatch.setattr(interop, "_classes", dict(interop._classes))
    with torch.installed():
        yield


def test_results_are_tensors() -> None:
    x, y = tensor([1, 2, 3], "float32"), tensor([10, 20, 30], "float32")
    found = saxpy(2.0, x, y)
    assert isinstance(found, Tensor)
    assert found.dtype is torch.DTYPES["float32"]
    assert found.numpy().tolist() == [12, 24, 36]
    assert saxpy(2.0, x, y.numpy()).numpy().tolist() == [12, 24, 36]
    one = tensor(0x3F80 * np.ones((2, 3)), "bfloat16")
    double = twice(one)
    assert double.dtype is torch.DTYPES["bfloat16"]
    assert double.array.tolist() == [[0x4000] * 3] * 2


def test_tensors_that_are_copied() -> None:
    """Tensors that are not contiguous, or that PyTorch negates lazily."""
    x = tensor(np.arange(6), "float32")
    zeros = tensor(np.zeros(3), "float32")
    with pytest.warns(PerformanceWarning, match="x is not contiguous"):
        assert saxpy(1.0, x[::2], zeros).numpy().tolist() == [0, 2, 4]
    y = x[:3]
    y.negative = True
    with pytest.warns(PerformanceWarning, match="x is not contiguous"):
        assert saxpy(1.0, y, zeros).numpy().tolist() == [0, -1, -2]


def test_tensors_that_are_refused() -> None:
    x = tensor([1, 2], "float32")
    for wrong, message in (
        (tensor([1, 2], "complex64"), "has elements of type torch.complex64"),
        (tensor([1, 2], "float64"), r"convert it, as in x\.to\(torch\.float32\)"),
        (Tensor(x.array, x.dtype, "meta"), "only CPU and CUDA"),
    ):
        with pytest.raises(obs.ArgumentTypeError, match=message):
            saxpy(1.0, wrong, x)


def test_donated_tensors() -> None:
    a = tensor([1, 2], "int32")
    assert increment(a) is a
    assert a.numpy().tolist() == [2, 3]
    a.requires_grad = True
    with pytest.raises(obs.ArgumentError, match="this array of PyTorch is read-only"):
        increment(a)


def test_framework() -> None:
    """The functions that calls on a GPU use."""
    framework = frameworks.torch_framework()
    assert (framework.stream(0), framework.stream(2)) == (1, 14)
    view = framework.view(tensor([1, 2, 3, 4], "int32"))
    assert framework.part(view, 8, (2,), "i32").numpy().tolist() == [3, 4]
    assert framework.part(view, 0, (2, 2), "i32").numpy().tolist() == [[1, 2], [3, 4]]
    assert framework.copy(view).owner.numpy().tolist() == [1, 2, 3, 4]


def test_operator() -> None:
    operator = saxpy.torch_op("tests::saxpy")
    assert operator.schema == "(float k, Tensor x, Tensor y) -> Tensor"
    x, y = tensor([1, 2], "float32"), tensor([3, 4], "float32")
    assert operator(2.0, x, y).numpy().tolist() == [5, 8]
    fake = operator.fake(2.0, tensor(np.zeros(7), "float32"), tensor(np.zeros(7), "float32"))
    assert (fake.shape, fake.dtype) == ((7,), torch.DTYPES["float32"])


def test_operator_whose_result_is_an_argument() -> None:
    """PyTorch demands new memory, for each result."""
    operator, a = same.torch_op("tests::same"), tensor([1, 2], "int32")
    first, second = operator(a)
    assert first.data_ptr() != a.data_ptr()
    assert (first.numpy().tolist(), second.numpy().tolist()) == ([1, 2], [2, 3])
    assert [one.shape for one in operator.fake(a)] == [(2,), (2,)]


def test_operator_of_tuples() -> None:
    @obs.jit
    def swapped(p: Annotated[Pull, 4, (i32, f32)], q: Annotated[Pull, "n", i32]):
        return p.map(lambda a, b: (b, a)), q.reverse()

    operator = swapped.torch_op("tests::swapped")
    assert operator.schema == "(Tensor p_0, Tensor p_1, Tensor q) -> (Tensor, Tensor, Tensor)"
    given = tensor(range(4), "int32"), tensor(np.ones(4), "float32"), tensor([1, 2], "int32")
    found = operator(*given)
    assert [one.numpy().tolist() for one in found] == [[1.0] * 4, [0, 1, 2, 3], [2, 1]]
    assert [one.shape for one in operator.fake(*given)] == [(4,), (4,), (2,)]


def test_extents_of_the_run() -> None:
    a = tensor([3, -1, 4], "int32")
    with pytest.raises(obs.ObsidianError, match="the host reads an element"):
        kept.torch_op("tests::kept")
    operator = kept.torch_op("tests::kept", dynamic=True)
    assert operator(a).numpy().tolist() == [3, 4]
    assert operator.fake(a).shape == (99,)


def test_programs_that_are_no_operators() -> None:
    @obs.jit
    def table(n: obs.index):
        return obs.iota(n)

    for function, message in (
        (increment, "omit donate="),
        (table, "takes at least one array"),
        (pairs, "the results of an operator of PyTorch are arrays"),
    ):
        with pytest.raises(obs.ArgumentTypeError, match=message):
            function.torch_op("tests::wrong")

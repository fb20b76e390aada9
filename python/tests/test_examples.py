"""Every program of examples/, written in Python, against the oracle of the .mlir program."""

from __future__ import annotations

import doctest
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "python"
sys.path[:0] = [str(FOLDER), str(ROOT / "test" / "Examples")]
check = pytest.importorskip("check")
import obsidian as obs  # noqa: E402

NAMES = sorted(path.stem for path in (ROOT / "examples").glob("*.mlir"))
#: The oracle has many sizes; this is the largest number of inputs of one run here.
LIMIT = 12


def entry(name: str, case: Any) -> tuple[Any, dict[str, Any]]:
    """The Python function for an entry of the .mlir program, and its static values."""
    module = importlib.import_module(name.replace("-", "_"))
    if name == "convolution":
        rule, form = case.entry.split("_")
        static = {"rule": {"constant": 7, "function": module.by_index}.get(rule, rule)}
        if form == "tiled":
            static["k"] = len(case.inputs[1])
        return getattr(module, form), static
    if name == "spmv" and case.entry.endswith("_per_row"):
        return module.spmv, {"level": getattr(obs, case.entry.split("_")[0])}
    if name == "weighted-histogram" and case.entry.startswith("per_"):
        bins = {"per_thread": 16}.get(case.entry, 128)
        return module.strategies, {"bins": bins, "strategy": case.entry}
    if name.startswith("radix-sort") and case.entry != "pairs":
        return getattr(module, f"sort_{case.entry}"), {}
    wanted = module.__name__ if case.entry == "main" else case.entry
    return getattr(module, wanted), {}


def arguments(name: str, case: Any) -> list[Any]:
    """The arguments of a case; points are tuples of arrays in Python."""
    values = list(case.inputs)
    if name == "convolution":
        return values[:2]
    if name == "k-means":
        return [tuple(values[:2]), tuple(values[2:4]), *values[4:]]
    if name == "n-body":
        return [tuple(values[:4]), values[4]]
    return values


def cases(name: str) -> Iterator[Any]:
    """Inputs of the oracle, evenly chosen, and the small ones."""
    with np.errstate(over="ignore"):
        found = [check.Case(*case) for case in check.CASES[name](np.random.default_rng(22))]
        yield from found[:: -(-len(found) // LIMIT)]
        if name in check.SMALL:
            yield from (check.Case(*c) for c in check.SMALL[name](np.random.default_rng(22)))


def components(value: Any) -> list[Any]:
    """The arrays of a result."""
    if isinstance(value, tuple):
        return [part for item in value for part in components(item)]
    return [np.asarray(value)]


@pytest.mark.parametrize("name", NAMES)
def test_example(name: str) -> None:
    """Results are those of NumPy, bit for bit where the .mlir program has them so."""
    for case in cases(name):
        function, static = entry(name, case)
        found = components(function(*arguments(name, case), **static))
        expected = case.expected if isinstance(case.expected, tuple) else (case.expected,)
        assert len(found) == len(expected)
        for one, other in zip(found, expected):
            problem = check.compare(one, np.asarray(other), case.tolerance)
            assert not problem, (
                f"{name} {case.entry} {[np.shape(i) for i in case.inputs]}: {problem}"
            )


@pytest.mark.parametrize("name", sorted({p.stem for p in FOLDER.glob("*.py")} - {"sizes"}))
def test_documented_call(name: str) -> None:
    """The call in the head of each file has the result that stands there."""
    module = importlib.import_module(name)
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0

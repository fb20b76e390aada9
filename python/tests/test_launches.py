"""Formulas, and the launches of contracts that are written by hand: no compiler is needed."""

from __future__ import annotations

from typing import Any

import pytest
from contracts import array, extent, launch, pointer, program, scalar

from obsidian import ArgumentError, ObsidianError
from obsidian.formulas import Formula
from obsidian.launches import HostProgram


@pytest.mark.parametrize(
    ("text", "sizes", "value"),
    [
        ("0", {}, 0),
        ("4 * n", {"n": 1000}, 4000),
        ("at most 4 * n", {"n": 3}, 12),
        ("n * m + 2 * n - 3", {"n": 5, "m": 7}, 42),
        ("-2 * n + 9", {"n": 4}, 1),
        ("arg0.dim0 * arg0.dim0", {"arg0.dim0": 12}, 144),
        ("1024 * ceil(n / 512)", {"n": 513}, 2048),
        ("4 * floor(n / 2)", {"n": 7}, 12),
        ("min(n, 64) + max(n, 64)", {"n": 100}, 164),
        # The compiler writes no parentheses around a product that divides.
        ("ceil(n / 4096 * max(ceil(n / 8192), 1))", {"n": 100_000}, 2),
        ("ceil((n + 1) / 64)", {"n": 64}, 2),
        ("max(4 * n, 0)", {"n": 0}, 0),
    ],
)
def test_formula(text: str, sizes: dict[str, int], value: int) -> None:
    formula = Formula(text)
    assert formula.evaluate(sizes) == value
    assert set(formula.sizes) == set(sizes)
    assert str(formula) == text
    assert formula.is_known


def test_formula_properties() -> None:
    assert Formula("at most 4 * n").is_bound
    assert not Formula("4 * n").is_bound
    assert Formula("12") == 12
    assert Formula("4 * n") != 12
    assert Formula("4 * n") == "4 * n"
    assert Formula("4 * n") == Formula("4 * n")
    assert len({Formula("n"), Formula("n")}) == 1
    assert Formula("4 * n").constant is None
    assert Formula("?").constant is None
    assert not Formula("?").is_known


def test_formula_without_its_sizes() -> None:
    with pytest.raises(ArgumentError, match=r"depends on n: pass n=\.\.\."):
        Formula("4 * n").evaluate({"m": 1})
    with pytest.raises(ObsidianError, match="depends on elements"):
        Formula("?").evaluate({"n": 1})


@pytest.mark.parametrize("text", ["4 *", "ceil(n, 2)", "(n", "n n", "", "* 3", "min(n / 2)"])
def test_text_that_is_no_formula(text: str) -> None:
    with pytest.raises(ObsidianError, match="no formula"):
        Formula(text).evaluate({"n": 1})


ONE = [pointer("p"), extent("p_extent", "p")]


def test_launch_of_one_kernel() -> None:
    contract = program(
        [scalar("k"), array("x"), array("y")],
        [
            {"step": "let", "name": "v0", "value": "uceildiv(dim(x, 0), 512)", "type": "index"},
            {"step": "allocate", "name": "v1", "extents": ["v0"]},
            launch("f", "k", "x", "dim(x, 0)", "v1", "v0", "(v0 + 1)"),
        ],
        f=[
            scalar("k"),
            pointer("x"),
            extent("x_extent", "x"),
            pointer("o"),
            extent("o_extent", "o"),
            extent("count"),
        ],
    )
    host = HostProgram(contract, [(), ("n",), ("m",)])
    assert host.sizes == ("n", "m")
    (found,) = host.launches({"k": 3, "n": 1025, "m": 4})
    assert found.kernel == "f"
    assert found.sizes == {"arg0": 3, "arg1.dim0": 1025, "arg2.dim0": 3, "arg3": 4}
    assert host.names() == {"f": {"arg0": "k", "arg1.dim0": "n", "arg2.dim0": "arg2.dim0"}}
    assert HostProgram(contract).sizes == ("x_dim0", "y_dim0")
    # Without sizes, only launches that need none are known.
    assert host.launches({})[0].sizes == {}


def test_result_with_the_extent_of_a_parameter_is_named() -> None:
    contract = program(
        [array("x")],
        [
            {"step": "allocate", "name": "v0", "extents": ["dim(x, 0)"]},
            launch("f", "v0", "dim(x, 0)"),
        ],
        f=ONE,
    )
    assert HostProgram(contract, [("n",)]).names() == {"f": {"arg0.dim0": "n"}}


def test_views_of_every_kind() -> None:
    """A name for an extent, a cast, strides, a dimension that goes, and a word that is missing."""
    contract = program(
        [array("x")],
        [
            {"step": "let", "name": "n", "value": "dim(x, 0)", "type": "index"},
            {"step": "let", "name": "m", "op": "arith.addui_extended", "type": "index"},
            {"step": "cast", "name": "v0", "array": "x", "extents": ["-1"]},
            {"step": "strided", "name": "v1", "array": "v0", "extents": ["n", "3"]},
            {"step": "part", "name": "v2", "array": "v1", "extents": ["n", "1"], "dropped": [1]},
            {"step": "allocate", "name": "v3", "extents": ["n"]},
            launch("f", "v2", "dim(v2, 0)"),
            launch("g", "v3", "m"),
        ],
        f=ONE,
        g=ONE,
    )
    host = HostProgram(contract, [("n",)])
    assert [one.sizes for one in host.launches({"n": 5})] == [{"arg0.dim0": 5}, {"arg0.dim0": 5}]
    assert host.names()["g"] == {"arg0.dim0": "n"}


def test_kernel_with_two_sizes_has_no_names() -> None:
    contract = program(
        [array("x"), array("y")],
        [launch("f", "x", "dim(x, 0)"), launch("f", "y", "dim(y, 0)")],
        f=ONE,
    )
    host = HostProgram(contract, [("n",), ("m",)])
    assert host.names() == {"f": {}}
    sizes = [one.sizes["arg0.dim0"] for one in host.launches({"n": 5, "m": 6})]
    assert sizes == [5, 6]


def test_loops_and_branches_of_the_host() -> None:
    """A tree: n, n / 2, ..., 1 elements; then a loop of 3; then a branch."""
    contract = program(
        [array("x")],
        [
            {
                "step": "while",
                "carried": [{"name": "w0", "initial": "dim(x, 0)"}],
                "test": [],
                "condition": "ugt(w0, 1)",
                "passed": ["w0"],
                "names": ["w1"],
                "results": ["w2"],
                "steps": [
                    {"step": "let", "name": "w3", "value": "udiv(w1, 2)"},
                    {"step": "allocate", "name": "w4", "extents": ["w3"]},
                    launch("f", "w4", "w3"),
                ],
                "next": ["w3"],
            },
            {
                "step": "for",
                "name": "i",
                "from": "0",
                "to": "6",
                "by": "2",
                "carried": [{"name": "a0", "initial": "x"}],
                "steps": [
                    {"step": "view", "name": "a1", "array": "a0", "extents": ["(dim(a0, 0) + i)"]},
                    launch("f", "a1", "dim(a1, 0)"),
                ],
                "next": ["a1"],
                "results": ["a2"],
            },
            {
                "step": "if",
                "condition": "sgt(dim(a2, 0), 10)",
                "then": [launch("f", "a2", "dim(a2, 0)")],
                "else": [],
                "thenValues": ["w2"],
                "elseValues": ["7"],
                "results": ["r"],
            },
            {"step": "allocate", "name": "last", "extents": ["r"]},
            launch("f", "last", "r"),
        ],
        f=ONE,
    )
    host = HostProgram(contract, [("n",)])
    sizes = [one.sizes["arg0.dim0"] for one in host.launches({"n": 8})]
    assert sizes == [4, 2, 1, 8, 10, 14, 14, 1]
    assert [one.sizes["arg0.dim0"] for one in host.launches({"n": 1})] == [1, 3, 7, 7]


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (
            {
                "step": "for",
                "name": "i",
                "from": "0",
                "to": "e",
                "by": "1",
                "carried": [],
                "steps": [],
                "next": [],
                "results": [],
            },
            "number of iterations",
        ),
        (
            {
                "step": "for",
                "name": "i",
                "from": "0",
                "to": "1000000",
                "by": "1",
                "carried": [],
                "steps": [],
                "next": [],
                "results": [],
            },
            "more than 100000 iterations",
        ),
        (
            {
                "step": "while",
                "carried": [],
                "test": [],
                "condition": "e",
                "passed": [],
                "names": [],
                "results": [],
                "steps": [],
                "next": [],
            },
            "condition of a loop",
        ),
        (
            {
                "step": "if",
                "condition": "e",
                "then": [launch("f", "x", "1")],
                "else": [],
                "thenValues": [],
                "elseValues": [],
                "results": [],
            },
            "a condition of the host",
        ),
    ],
)
def test_launches_that_depend_on_elements(step: Any, message: str) -> None:
    load = {"step": "load", "name": "e", "array": "x", "at": ["0"]}
    host = HostProgram(program([array("x")], [load, step], f=ONE), [("n",)])
    with pytest.raises(ObsidianError, match=message):
        host.launches({"n": 8})


def test_branch_without_launches_leaves_its_results_open() -> None:
    branch = {
        "step": "if",
        "condition": "e",
        "then": [],
        "else": [],
        "thenValues": ["1"],
        "elseValues": ["2"],
        "results": ["r"],
    }
    steps = [branch, {"step": "allocate", "name": "v", "extents": ["r"]}, launch("f", "v", "r")]
    host = HostProgram(program([array("x")], steps, f=ONE), [("n",)])
    assert host.launches({"n": 8})[0].sizes == {}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(9 - 2)", 7),
        ("(6 & 3)", 2),
        ("(6 | 3)", 7),
        ("(6 ^ 3)", 5),
        ("(1 << 4)", 16),
        ("(256 >> 4)", 16),
        ("max(-3, 2)", 2),
        ("umax(-3, 2)", -3),
        ("umin(-3, 2)", 2),
        ("abs(-3)", 3),
        ("ceildiv(-7, 2)", -3),
        ("floordiv(-7, 2)", -4),
        ("truncdiv(-7, 2)", -3),
        ("truncmod(-7, 2)", -1),
        ("udiv(-1, 2)", 2**63 - 1),
        ("umod(7, 4)", 3),
        ("ushr(-1, 60)", 15),
        ("ones(-1)", 64),
        ("(9223372036854775807 + 1)", -(2**63)),
        ("select(eq(1, 1), 5, 6)", 5),
        ("select(slt(2, 1), 5, 6)", 6),
        ("select(unknown, 5, 5)", 5),
        ("select(unknown, 5, 6)", None),
        ("udiv(1, 0)", None),
        ("sqrt(4)", None),
        ("dim(x, 0)", 8),
        ("dim(n, 0)", None),
        ("1.5", None),
        ("not_there", None),
    ],
)
def test_expression(text: str, value: int | None) -> None:
    steps = [{"step": "let", "name": "v", "value": text}, launch("f", "v")]
    host = HostProgram(program([array("x")], steps, f=[scalar("v")]), [("n",)])
    assert host.launches({"n": 8})[0].sizes.get("arg0") == value


def test_host_without_steps() -> None:
    contract = {"functions": [{"name": "main", "unsupported": "foo.bar"}], "kernels": []}
    with pytest.raises(ObsidianError, match=r"foo\.bar"):
        HostProgram(contract)

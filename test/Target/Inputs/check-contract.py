"""Reads the launch contract of launch-contract.mlir as another language would."""

import json
import sys

with open(sys.argv[1]) as file:
    contract = json.load(file)

assert contract["version"] == 2
assert contract["target"] == "sm_80"
(kernel,) = contract["kernels"]
assert kernel["sharedBytes"] == 384
assert kernel["workspace"] == []
assert kernel["launches"] == [{"function": "main", "grid": kernel["grid"]}]

a, n, x, sums, b = kernel["parameters"]
assert [p["kind"] for p in (a, n, x, sums, b)] == [
    "pointer", "extent", "scalar", "pointer", "pointer"]
assert (a["access"], sums["access"], b["access"]) == ("read", "accumulate", "write")
assert a["extents"] == ["n", 4] and sums["extents"] == [8]
assert (n["pointer"], n["dimension"], n["size"]) == ("a", 0, 8)
assert (x["elementType"], x["size"]) == ("f16", 2)
assert (sums["elementType"], sums["size"], sums["alignment"]) == ("i64", 8, 8)
assert sums["initial"] == {"fill": 7}
assert "initial" not in a
assert a["aliases"] == ["b"] and b["aliases"] == ["a"] and sums["aliases"] == []

# The grid is an expression of the parameters.
operators = {"umax": max, "uceildiv": lambda p, q: -(-p // q)}
assert eval(kernel["grid"], operators, {"n": 0}) == 1
assert eval(kernel["grid"], operators, {"n": 96}) == 2
assert eval(kernel["grid"], operators, {"n": 97}) == 3

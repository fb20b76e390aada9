"""Prints the names in a launch contract that is read from the input."""

import json
import sys

contract = json.load(sys.stdin)
for kernel in contract["kernels"]:
    print("kernel {}: {}".format(kernel["entry"], " ".join(p["name"] for p in kernel["parameters"])))
for function in contract["functions"]:
    print("function {}: {} -> {}".format(function["name"], " ".join(p["name"] for p in function["parameters"]),
                                     " ".join(r["value"] for r in function["results"])))

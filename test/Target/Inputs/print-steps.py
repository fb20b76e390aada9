"""Prints the steps of the functions in a launch contract that is read from the input, one in a line."""

import json
import sys

for function in json.load(sys.stdin)["functions"]:
    print("function", function["name"])
    if "unsupported" in function:
        print("unsupported", function["unsupported"])
        continue
    for step in function["steps"]:
        members = sorted((k, " ".join(map(str, v)) if isinstance(v, list) else v) for k, v in step.items()
                         if k not in ("step", "location"))
        print(step["step"], *("{}={}".format(*member) for member in members))
    for result in function["results"]:
        print("result", result["value"])

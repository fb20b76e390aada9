"""Runs functions of a launch contract without a GPU and prints what one would be told, and the results.

  run-plan.py PLAN.PY CONTRACT FUNCTION ARGUMENTS...

An array is given by its extents, as 4x8.
"""

import importlib.util
import json
import math
import sys

plan_file, contract, function, *words = sys.argv[1:]
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("plan", plan_file)
plan = importlib.util.module_from_spec(spec)
spec.loader.exec_module(plan)
with open(contract, encoding="utf-8") as file:
    device = plan.DryRun()
    program = plan.Plan(json.load(file), function, device)
arguments = []
for parameter, word in zip(program.function["parameters"], words):
    if parameter["kind"] == "array":
        extents = [int(extent) for extent in word.split("x")]
        memory = plan.Memory(device, math.prod(extents) * parameter["size"])
        arguments.append(plan.Array(memory, parameter["elementType"], parameter["size"], extents))
    else:
        arguments.append(float(word) if parameter["elementType"][0] in "fb" else int(word))
for result in program.run(*arguments):
    print("result", result.extents if isinstance(result, plan.Array) else result)

"""Runs functions of scalars from C, from the launch contract and by obs-run's interpreter, which is right.

  host-scalars.py PROGRAM PLAN.PY SHARED-LIBRARY CONTRACT OBS-RUN

Lines `// CALL: name arguments...` of the program say what to run. Prints how many calls agree.
"""

import ctypes
import importlib.util
import json
import math
import re
import subprocess
import sys

program, plan_file, library, contract, obs_run = sys.argv[1:]
spec = importlib.util.spec_from_file_location("plan", plan_file)
plan = importlib.util.module_from_spec(spec)
spec.loader.exec_module(plan)
library = ctypes.CDLL(library)
with open(contract, encoding="utf-8") as file:
    contract = json.load(file)
functions = {f["name"]: f for f in contract["functions"]}
TYPES = {"i1": ctypes.c_bool, "i8": ctypes.c_int8, "i16": ctypes.c_int16, "i32": ctypes.c_int32,
         "i64": ctypes.c_int64, "index": ctypes.c_int64, "f32": ctypes.c_float, "f64": ctypes.c_double}


def same(a, b):
    """Floats within two units of the last place of f32: libraries of functions differ."""
    if isinstance(a, float) or isinstance(b, float):
        if math.isnan(a) or math.isnan(b):
            return math.isnan(a) and math.isnan(b)
        return math.copysign(1, a) == math.copysign(1, b) and (
            a == b or math.isclose(a, b, rel_tol=2.5e-7))
    return a == b


def read(text, kind):
    if kind == "i1":
        return int(text == "true")
    return float(text) if kind.startswith("f") else int(text)


agree = 0
with open(program, encoding="utf-8") as file:
    calls = re.findall(r"^// CALL: (\w+)(.*)", file.read(), re.MULTILINE)
for name, words in calls:
    words = words.split()
    kinds = [p["elementType"] for p in functions[name]["parameters"]]
    result_kinds = [r["elementType"] for r in functions[name]["results"]]
    done = subprocess.run([obs_run, program, "--entry=" + name, "--device=interpret", "--", *words],
                          capture_output=True, text=True, check=True)
    want = [read(text, kind) for text, kind in zip(done.stdout.split(), result_kinds)]
    values = [read(word, kind) for word, kind in zip(words, kinds)]
    by_plan = plan.Plan(contract, name, None).run(*values)
    results = [TYPES[kind]() for kind in result_kinds]
    status = getattr(library, "obs_" + name)(*(TYPES[k](v) for k, v in zip(kinds, values)), *map(ctypes.byref, results))
    by_c = [r.value for r in results]
    assert len(want) == len(by_plan) == len(by_c) and status == 0
    for what, got in (("plan", by_plan), ("C", by_c)):
        wrong = [i for i, (a, b) in enumerate(zip(want, got)) if not same(a, b)]
        agree += not wrong
        for i in wrong:
            print(f"{what} of {name} {' '.join(words)}: result {i} is {got[i]!r}, not {want[i]!r}")
print(f"{agree} of {2 * len(calls)} agree")

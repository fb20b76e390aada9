"""Runs cases over arrays of many or no elements and compares what they store with Python.

usage: check.py [--obs-run OBS-RUN] [--on EXECUTOR]... [--size N]... CASES.py [CASE...]

The executors are the interpreter, the emulator with all of its checks, and, as `loops`, the
emulator with the checks alone that are always on: its loops are fast.

Each case runs with static extents and with extents that are known at run time. All cases
of one size run in one call. If a result is wrong, or if the call fails, each case runs on
its own, so that the message names it."""

import argparse
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))

from programs import Size

EXECUTORS = {"interpret": ["--device=interpret"], "emulate": ["--device=emulate", "--check"],
             "loops": ["--device=emulate"]}
BITS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}


def function(size, name, body):
    """The text of one case, the types of its results and its arguments."""
    last = body.rstrip().splitlines()[-1]
    types = re.match(r"\s*return .*? : (.*)", last).group(1)
    parameters = ", ".join(f"%{p}: index" for p, _ in size.parameters)
    text = f"func.func private @{name}({parameters}) -> ({types}) {{\n{body}}}\n"
    return text, types, [number for _, number in size.parameters]


def build(module, names, n, isStatic):
    """One program that runs the cases, its arguments, and the expected results."""
    text, calls, parameters, arguments, results, types, expected = "", "", [], [], [], [], []
    for name in names:
        size = Size(n, isStatic)
        body, lists = module.CASES[name](size)
        part, kinds, numbers = function(size, name, body)
        text += part
        own = [f"%{name}_{i}" for i in range(len(numbers))]
        parameters += [f"{p}: index" for p in own]
        arguments += numbers
        calls += f"  %{name}:{len(lists)} = func.call @{name}({', '.join(own)}) : ({', '.join(['index'] * len(own))}) -> ({kinds})\n"
        results += [f"%{name}#{i}" for i in range(len(lists))]
        types.append(kinds)
        elements = re.findall(r" x (\w+)(?: bound \[[^]]*\])?>", kinds)
        assert len(elements) == len(lists), (name, kinds)
        expected += [(name, i, kind, values) for i, (kind, values) in enumerate(zip(elements, lists))]
    text += f"func.func @main({', '.join(parameters)}) -> ({', '.join(types)}) {{\n{calls}"
    text += f"  return {', '.join(results)} : {', '.join(types)}\n}}\n"
    return text, arguments, expected


def wrap(values, kind):
    """The numbers as signed numbers of this type."""
    half = 1 << (BITS[kind] - 1)
    return [(x + half) % (2 * half) - half for x in values]


def flat(values):
    return [y for x in values for y in flat(x)] if isinstance(values, list) else [values]


def parse(output):
    """The arrays that obs-run printed."""
    decoder, at, arrays = json.JSONDecoder(), 0, []
    while output[at:].strip():
        at += len(output[at:]) - len(output[at:].lstrip())
        array, at = decoder.raw_decode(output, at)
        arrays.append(flat(array))
    return arrays


def errors(options, module, names, n, isStatic, executor):
    """The errors of these cases, as text, or nothing."""
    text, arguments, expected = build(module, names, n, isStatic)
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as f:
        f.write(text)
        f.flush()
        try:
            run = subprocess.run([options.obs_run, f.name, "--entry=main", *EXECUTORS[executor], *map(str, arguments)],
                                 check=False, capture_output=True, text=True, timeout=options.timeout)
        except subprocess.TimeoutExpired:
            return "no result in time"
    if run.returncode != 0:
        return f"status {run.returncode}: {run.stderr.strip()}"
    found = parse(run.stdout)
    if len(found) != len(expected):
        return f"{len(found)} results instead of {len(expected)}"
    return "\n".join(f"{name}, result {i}: {got} instead of {wrap(values, kind)}"
                     for (name, i, kind, values), got in zip(expected, found) if got != wrap(values, kind))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--obs-run", default="obs-run")
    parser.add_argument("--on", action="append", choices=list(EXECUTORS), help="the executors")
    parser.add_argument("--size", action="append", type=int)
    parser.add_argument("--extents", choices=["static", "dynamic"], help="one kind only")
    parser.add_argument("--timeout", type=float, default=120)
    parser.add_argument("--alone", action="store_true", help="run each case on its own")
    parser.add_argument("--print", action="store_true", help="print the programs only")
    parser.add_argument("module", type=pathlib.Path)
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    spec = importlib.util.spec_from_file_location("cases", options.module)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    names = options.cases or list(module.CASES)
    failed = 0
    for n in options.size or [1 << 31, 1 << 32]:
        for isStatic in {"static": [True], "dynamic": [False]}.get(options.extents, [True, False]):
            if options.print:
                text, arguments, _ = build(module, names, n, isStatic)
                print(f"// {' '.join(map(str, arguments))}\n{text}")
                continue
            for executor in options.on or ["interpret", "emulate"]:
                if not options.alone and not errors(options, module, names, n, isStatic, executor):
                    continue
                for name in names:
                    message = errors(options, module, [name], n, isStatic, executor)
                    if message:
                        failed += 1
                        print(f"{name}, {n} elements, {'static' if isStatic else 'at run time'}, {executor}:\n{message}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

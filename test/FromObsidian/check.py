"""Runs the functions of a program of this folder and compares them with Python.

usage: check.py OBS-RUN PROGRAM.mlir

ORACLES has an entry for each function: the names of its arguments and a Python
function from these to its results. All functions run in one call, of a driver
that this script writes: on the interpreter, and on the emulator with all of its
checks, on several lengths and launches. A function of PROGRAM that has no entry
is an error, unless it is private."""
import array
import os
import random
import re
import subprocess
import sys
import tempfile

from oracles import ORACLES

CODES = {"i1": "b", "i8": "b", "i32": "i", "i64": "q", "index": "q", "f32": "f", "f64": "d"}
LENGTHS = [0, 1, 4, 7, 33, 100]
LAUNCHES = [[], ["--threads=32", "--blocks=2"], ["--threads=17", "--blocks=3", "--schedule=random", "--seed=5"],
            ["--threads=1"], ["--threads=128", "--schedule=random", "--seed=1"], ["--threads=96"]]
FUNCTION = re.compile(r"^func\.func @(\w+)\((.*?)\)(?: -> (.*?))?(?: attributes .*)? \{$", re.MULTILINE)


def arguments(n):
    """Arguments that functions may ask for by name, on arrays of n elements."""
    rng = random.Random(n)

    def ints(count, low=-50, high=50):
        return [rng.randint(low, high) for _ in range(count)]
    return {
        "n": n, "a": ints(n), "b": ints(n), "c": ints(n), "d": ints(n // 2 + 1), "m": ints(n),
        "pairs": (ints(n), ints(n)), "flags": ints(n, 0, 1), "rows": ints(3 * n),
        "s8": ints(8), "t8": ints(8), "s12": ints(12), "s16": ints(16), "s64": ints(64), "t64": ints(64), "s96": ints(96), "s256": ints(256),
        "keys": ints(n, 0, 9), "places": rng.sample(range(n), n), "reads": ints(n, 0, max(n - 1, 0)),
        "order8": rng.sample(range(8), 8),
        "k": 3, "x": rng.randint(-99, 99), "y": rng.randint(1, 9999), "two": 2,
        "counter": [0],
    }


def split_types(text):
    """Splits a list of types at its outer commas."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += c in "<([{"
        depth -= c in ")]}" or (c == ">" and text[i - 1] != "-")
        if c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    last = text[start:].strip()
    return parts + [last] if last else parts


def elements(kind, aliases):
    """The element types of an array type, or the scalar type."""
    kind = aliases.get(kind, kind)
    found = re.match(r"(?:!obs\.pull<|memref<)(.*)>$", kind)
    if not found:
        return [kind], False
    inside = re.sub(r" bound \[.*\]", "", found.group(1))
    parts = split_types(inside)
    parts[0] = re.split(r"x(?= |[a-z])", parts[0])[-1]
    return [p.strip() for p in parts], True


def signature(program):
    aliases = dict(re.findall(r"^(!\w+) = (.*)$", program, re.MULTILINE))
    result = {}
    for name, params, results in FUNCTION.findall(program):
        types = [p.split(":", 1)[1].strip() for p in split_types(params)]
        if results.startswith("("):
            results = results[1:-1]
        result[name] = (types, split_types(results or ""), aliases)
    return result


def flat(values):
    """The elements of nested lists."""
    return [y for x in values for y in flat(x)] if isinstance(values, list) else [values]


def driver(functions, chosen, oracles):
    """A function that calls `chosen` and returns all that they return."""
    params, calls, results, types = [], [], [], []
    for name in chosen:
        args, _, kinds = oracles[name][0].split(), functions[name], functions[name][0]
        # An argument has a parameter of its own for each function: types differ.
        own = [f"%{name}_{a}" for a in args]
        params += ["{}: {}".format(*p) for p in zip(own, kinds)]
        out = functions[name][1]
        bundle = f"%{name}:{len(out)}"
        calls.append("  {} = func.call @{}({}) : ({}) -> ({})".format(bundle, name, ", ".join(own), ", ".join(kinds), ", ".join(out)))
        results += [f"%{name}#{i}" for i in range(len(out))]
        types += out
    return "func.func @driver({}) -> ({}) {{\n{}\n  return {} : {}\n}}\n".format(
        ", ".join(params), ", ".join(types), "\n".join(calls), ", ".join(results), ", ".join(types))


def main(tool, path):
    with open(path) as f:
        program = f.read()
    stem = os.path.splitext(os.path.basename(path))[0]
    oracles, functions = ORACLES[stem], signature(program)
    failed = 0
    for name in set(functions) ^ set(oracles):
        print(f"{name} is not both a function of {path} and in oracles.py")
        failed += 1
    if failed:
        return 1
    with tempfile.TemporaryDirectory() as folder:
        for number, n in enumerate(LENGTHS):
            given = arguments(n)
            chosen = [f for f in functions if n >= (oracles[f] + (0,))[2]]
            source = os.path.join(folder, "program.mlir")
            with open(source, "w") as f:
                f.write(program + driver(functions, chosen, oracles))
            command, wanted = [tool, source, "--entry=driver"], []
            for name in chosen:
                kinds, results, aliases = functions[name]
                values = [given[a] for a in oracles[name][0].split()]
                for value, kind in zip(values, kinds):
                    types, is_array = elements(kind, aliases)
                    for data, element in zip(value if isinstance(value, tuple) else (value,), types):
                        if not is_array:
                            command.append(str(data))
                            continue
                        file = os.path.join(folder, f"in{len(command)}")
                        with open(file, "wb") as f:
                            array.array(CODES[element], data).tofile(f)
                        shape = "3x4x" if "4 x 3" in kind else f"{n}x3x" if "? x 3" in kind else ""
                        command.append(file + ":" + shape + element)
                want = oracles[name][1](*values)
                want = want if isinstance(want, tuple) else (want,)
                position = 0
                for kind in results:
                    for element in elements(kind, aliases)[0]:
                        wanted.append((name, position, element, flat([want[position]])))
                        position += 1
                if position != len(want):
                    print(f"{name}: {position} results, not {len(want)}")
                    failed += 1
            for options in [["--device=interpret"], ["--device=emulate", "--check"] + LAUNCHES[number]]:
                outs = [os.path.join(folder, f"out{i}") for i in range(len(wanted))]
                done = subprocess.run(command + options + ["--out=" + o for o in outs], check=False, capture_output=True, text=True)
                if done.returncode:
                    print(f"length {n}, {' '.join(options)}: {done.stderr}")
                    failed += 1
                    continue
                for out, (name, position, element, want) in zip(outs, wanted):
                    got = array.array(CODES[element])
                    with open(out, "rb") as f:
                        got.frombytes(f.read())
                    if list(got) != want:
                        print(f"{name}, result {position}, length {n}, {' '.join(options)}: {list(got)[:20]}, not {want[:20]}")
                        failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

"""Elements of several types that a function combines as a whole: scatters and fills at
every level, in one word, in privatised copies of threads, warps and blocks, and the values that
fetches find, on the interpreter and the emulator, against loops in Python. Prints how many
results agree; exits with 1 if one does not."""

import argparse
import pathlib
import random
import struct
import subprocess
import sys

BINS = 5
DATA = "!obs.pull<? x i32>"


def wrap(value, bits):
    return (value + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


def least(key):
    """The lesser of two pairs of a `key` and an i32: by the key, then by the number."""
    return f"""%l = arith.cmpi slt, %b0, %a0 : {key}
  %e = arith.cmpi eq, %b0, %a0 : {key}
  %k = arith.cmpi slt, %b1, %a1 : i32
  %t = arith.andi %e, %k : i1
  %u = arith.ori %l, %t : i1
  %r0 = arith.select %u, %b0, %a0 : {key}
  %r1 = arith.select %u, %b1, %a1 : i32"""


# Types, function, start, what element i of value x is, the same in Python, and combination.
ELEMENTS = {
    "argmin": (
        ["i32", "i32"],
        least("i32"),
        (1000, 1000000),
        "%v0 = arith.addi %x, %zero : i32\n%v1 = arith.index_cast %i : index to i32",
        lambda x, i: (x, i),
        min,
    ),
    "small": (
        ["i8", "i1", "f16"],
        """%r0 = arith.addi %a0, %b0 : i8
  %r1 = arith.ori %a1, %b1 : i1
  %r2 = arith.maximumf %a2, %b2 : f16""",
        (3, 0, -1.0),
        """%v0 = arith.trunci %x : i32 to i8
    %five = arith.constant 5 : i32
    %v1 = arith.cmpi eq, %x, %five : i32
    %v2 = arith.sitofp %x : i32 to f16""",
        lambda x, i: (wrap(x, 8), int(x == 5), float(x)),
        lambda a, b: (wrap(a[0] + b[0], 8), a[1] | b[1], max(a[2], b[2])),
    ),
    "long": (
        ["i64", "i32"],
        least("i64"),
        (1 << 50, 1000000),
        "%v0 = arith.extsi %x : i32 to i64\n%v1 = arith.index_cast %i : index to i32",
        lambda x, i: (x, i),
        min,
    ),
    "statistics": (
        ["i32", "i64", "f32"],
        """%r0 = arith.addi %a0, %b0 : i32
  %r1 = arith.addi %a1, %b1 : i64
  %r2 = arith.maximumf %a2, %b2 : f32""",
        (0, 7, -1.0),
        """%v0 = arith.constant 1 : i32
    %v1 = arith.extsi %x : i32 to i64
    %v2 = arith.sitofp %x : i32 to f32""",
        lambda x, i: (1, x, float(x)),
        lambda a, b: (a[0] + b[0], a[1] + b[1], max(a[2], b[2])),
    ),
    "pair": (
        ["i32", "i32"],
        "%r0 = arith.addi %a0, %b0 : i32\n%r1 = arith.addi %a1, %b1 : i32",
        (0, 0),
        "%v0 = arith.constant 1 : i32\n%v1 = arith.addi %x, %zero : i32",
        lambda x, i: (1, x),
        lambda a, b: (a[0] + b[0], a[1] + b[1]),
    ),
    "longPair": (
        ["i32", "i64"],
        "%r0 = arith.addi %a0, %b0 : i32\n%r1 = arith.addi %a1, %b1 : i64",
        (0, 0),
        "%v0 = arith.constant 1 : i32\n%v1 = arith.extsi %x : i32 to i64",
        lambda x, i: (1, x),
        lambda a, b: (a[0] + b[0], a[1] + b[1]),
    ),
}
STRATEGIES = {
    "grid": ["atomic", "per_thread", "per_warp", "per_block"],
    "block": ["atomic", "per_thread", "per_warp"],
    "warp": ["atomic", "per_thread"],
    "thread": ["atomic"],
}


def names(letter, types):
    return ", ".join(f"%{letter}{k}" for k in range(len(types)))


def function(name):
    types, body, *_ = ELEMENTS[name]
    arguments = ", ".join(f"%{side}{k}: {t}" for side in "ab" for k, t in enumerate(types))
    listed = ", ".join(types)
    return f"""func.func private @{name}({arguments}) -> ({listed}) {{
  {body}
  return {names("r", types)} : {listed}
}}
"""


def code(case):
    """The collective of part %first of the data, as %p, and %q for what it finds."""
    types, _, start, element, *_ = ELEMENTS[case["element"]]
    listed = ", ".join(types)
    extent = "?" if case["level"] == "grid" else str(case["length"])
    size = "[%n]" if extent == "?" else ""
    keys, array = f"!obs.pull<{extent} x i32>", f"!obs.pull<{extent} x {listed}>"
    result = f"!obs.push<{case['level']}, {BINS} x {listed}>"
    kind = case["kind"] or f"@{case['element']}"
    strategy = f' {{strategy = "{case["strategy"]}"}}' if case["strategy"] else ""
    lines = [f"%s{k} = arith.constant " + ("false" if t == "i1" else f"{s} : {t}")
             for k, (t, s) in enumerate(zip(types, start))]
    lines.append(f"""
    %k = obs.generate (%t) {size} {{
      %i = arith.addi %t, %first : index
      %x = obs.get %keys[%i] : {DATA}
      obs.yield %x : i32
    }} : {keys}
    %a = obs.generate (%t) {size} {{
      %i = arith.addi %t, %first : index
      %x = obs.get %data[%i] : {DATA}
      {element}
      obs.yield {names("v", types)} : {listed}
    }} : {array}""")
    before = "init " + names("s", types)
    if case["form"] == "scatter":
        fetch = " fetch" if case["fetch"] else ""
        found = f", !obs.push<{case['level']}, {extent} x {listed}>" if fetch else ""
        lines.append(f"%p{', %q' if fetch else ''} = obs.scatter %a at %k {before} reduce({kind}){fetch}{strategy} : "
                     f"{array}, {keys} -> {result}{found}")
        return "\n    ".join(lines)
    if case["form"] == "onto":
        lines.append(f"%o = obs.splat {names('s', types)} : !obs.pull<{BINS} x {listed}>")
        push = f"!obs.push<{case['level']}, {BINS} x {listed}>"
        lines.append(f"%op = obs.push %o : !obs.pull<{BINS} x {listed}> -> {push}")
        lines.append(f"%of = obs.force %op : {push} -> !obs.pull<{BINS} x {listed}>")
        before = f"onto %of : !obs.pull<{BINS} x {listed}>"
    count = "%n"
    if extent != "?":
        lines.append(f"%count = arith.constant {extent} : index")
        count = "%count"
    values = f"%e:{len(types)}"
    used = ", ".join(f"%e#{k}" for k in range(len(types)))
    lines.append(f"""%bins = arith.constant {BINS} : index
    %p = obs.fill {before} reduce({kind}) par (%t) in ({count}) {{
      %key = obs.get %k[%t] : {keys}
      %j = arith.index_cast %key : i32 to index
      %is = arith.cmpi ult, %j, %bins : index
      scf.if %is {{
        {values} = obs.get %a[%t] : {array}
        obs.write {used} at [%j] : {listed}
      }}
    }}{strategy} : {result}""")
    return "\n    ".join(lines)


def program(case):
    types = ELEMENTS[case["element"]][0]
    listed = ", ".join(types)
    level, length, parts = case["level"], case["length"], case["parts"]
    head = function(case["element"]) + f"func.func @main(%keys: {DATA}, %data: {DATA}) -> "
    if level == "grid":
        pulls = [f"!obs.pull<{BINS} x {listed}>", f"!obs.pull<? x {listed}>"][:1 + case["fetch"]]
        pushes = [f"!obs.push<grid, {BINS} x {listed}>", f"!obs.push<grid, ? x {listed}>"][:1 + case["fetch"]]
        body = f"""%first = arith.constant 0 : index
    %n = obs.dim %keys, 0 : {DATA}
    {code(case)}"""
        arrays = ["%p", "%q"][:1 + case["fetch"]]
    else:
        pulls = [f"!obs.pull<{parts} x {BINS} x {listed}>",
                 f"!obs.pull<{parts} x {length} x {listed}>"][:1 + case["fetch"]]
        pushes = [f"!obs.push<grid, {parts} x {BINS} x {listed}>",
                  f"!obs.push<grid, {parts} x {length} x {listed}>"][:1 + case["fetch"]]
        inner = [f"!obs.push<{level}, {BINS} x {listed}>", f"!obs.push<{level}, {length} x {listed}>"]
        arrays = ["%all0", "%all1"][:1 + case["fetch"]]
        body = f"""%parts = obs.iota : !obs.pull<{parts} x index>
    %length = arith.constant {length} : index
    {", ".join(arrays)} = obs.distribute {level} (%part = %parts : !obs.pull<{parts} x index>) -> ({", ".join(pushes)}) {{
    %first = arith.muli %part, %length : index
    {code(case)}
    obs.yield {", ".join(["%p", "%q"][:1 + case["fetch"]])} : {", ".join(inner[:1 + case["fetch"]])}
    }}"""
    results = ["%r0", "%r1"][:1 + case["fetch"]]
    return head + f"""({", ".join(pulls)}) {{
    %zero = arith.constant 0 : i32
    {body}
    {", ".join(results)} = obs.force {", ".join(arrays)} : {", ".join(pushes)} -> ({", ".join(pulls)})
    return {", ".join(results)} : {", ".join(pulls)}
}}
"""


def expected(case, keys, data):
    _, _, start, _, make, combine = ELEMENTS[case["element"]]
    parts = []
    for part in range(case["parts"]):
        bins = [start] * BINS
        for i in range(part * case["length"], (part + 1) * case["length"]):
            if 0 <= keys[i] < BINS:
                bins[keys[i]] = combine(bins[keys[i]], make(data[i], i))
        parts.append(bins)
    return parts


def read(folder, case):
    """The results, for each part a list of elements."""
    types = ELEMENTS[case["element"]][0]
    results = []
    for first in range(0, len(types) * (1 + case["fetch"]), len(types)):
        columns = []
        for k, t in enumerate(types):
            layout = {"i1": "?", "i8": "b", "i32": "i", "i64": "q", "f16": "e", "f32": "f"}[t]
            raw = (folder / f"{first + k}.out").read_bytes()
            columns.append([x for (x,) in struct.iter_unpack("<" + layout, raw)])
        elements = list(zip(*columns))
        extent = BINS if first == 0 else case["length"]
        results.append([elements[p * extent:(p + 1) * extent] for p in range(case["parts"])])
    return results


def checkFound(case, found, keys, data):
    """There is an order in which each element of a list finds the sum of those before it."""
    for part in range(case["parts"]):
        lists = {}
        for i in range(case["length"]):
            at = part * case["length"] + i
            if 0 <= keys[at] < BINS:
                lists.setdefault(keys[at], []).append((found[part][i], data[at]))
            elif found[part][i] != (0, 0):
                return False
        for elements in lists.values():
            total = 0
            for number, ((count, before), x) in enumerate(sorted(elements)):
                if (count, before) != (number, total):
                    return False
                total += x
    return True


def cases(rng, few):
    """Every combination, or a sample that has each level and element."""
    everything = []
    for level, strategies in STRATEGIES.items():
        for element in ELEMENTS:
            isLong = element in ("long", "statistics", "longPair")
            for form in ("scatter", "init", "onto"):
                known = strategies
                if isLong:
                    known = ["per_thread"] if level != "thread" else []
                elif form != "scatter" and level == "thread":
                    known = []
                for strategy in [None] + known:
                    everything.append(dict(level=level, element=element, form=form,
                                           strategy=strategy, fetch=0, kind=None))
            if element == "pair" or element == "longPair" and level == "thread":
                for kind in ("addi", None):
                    everything.append(dict(level=level, element=element, form="scatter",
                                           strategy=None, fetch=1, kind=kind))
    if few:
        rng.shuffle(everything)
        chosen, seen = [], set()
        for case in everything:
            key = (case["level"], case["element"], case["fetch"])
            if key not in seen:
                seen.add(key)
                chosen.append(case)
        everything = chosen[:few]
    return everything


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--obs-run", default="obs-run")
    parser.add_argument("--few", type=int, default=0, help="so many combinations only")
    parser.add_argument("--lengths", type=int, nargs="+", default=[0, 1, 33, 1000])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("folder", help="of the programs and their data")
    arguments = parser.parse_args()
    folder = pathlib.Path(arguments.folder)
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(arguments.seed)
    agreed = wrong = 0
    for case in cases(rng, arguments.few):
        lengths = arguments.lengths
        if arguments.few:
            lengths = [rng.choice(lengths)]
        for length in lengths:
            case["length"] = length
            case["parts"] = 1 if case["level"] == "grid" else 3
            n = case["parts"] * length
            keys = [rng.randint(-1, BINS) for _ in range(n)]
            data = [rng.randint(-60, 60) for _ in range(n)]
            for name, values in (("keys", keys), ("data", data)):
                (folder / f"{name}.bin").write_bytes(
                    b"".join(v.to_bytes(4, "little", signed=True) for v in values))
            source = folder / "program.mlir"
            source.write_text(program(case))
            wanted = expected(case, keys, data)
            launches = [["--device=interpret"]]
            for threads in (1, 17, 96, 256) if not arguments.few else [rng.choice([1, 17, 96, 256])]:
                launches.append(["--device=emulate", "--check=all", f"--threads={threads}",
                                 f"--blocks={rng.choice([1, 3, 20])}", "--schedule=random",
                                 f"--seed={rng.randint(1, 99)}"])
            for options in launches:
                outs = len(ELEMENTS[case["element"]][0]) * (1 + case["fetch"])
                command = [arguments.obs_run, str(source), *options,
                           *(f"--out={folder}/{k}.out" for k in range(outs)),
                           f"{folder}/keys.bin:i32", f"{folder}/data.bin:i32"]
                run = subprocess.run(command, check=False, capture_output=True, text=True)
                isRight = run.returncode == 0
                if isRight:
                    tuples = read(folder, case)
                    isRight = tuples[0] == wanted and (
                        not case["fetch"] or checkFound(case, tuples[1], keys, data))
                if isRight:
                    agreed += 1
                else:
                    wrong += 1
                    print(case, " ".join(command), run.stdout[:2000], run.stderr[:2000], wanted,
                          sep="\n")
                    if wrong == 5:
                        sys.exit(1)
    print(f"{agreed} results agree, {wrong} do not")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()

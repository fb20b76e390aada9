#!/usr/bin/env python3
"""Reductions and scans by all blocks (obs.reduce, obs.scan and their segmented
forms at level grid) on the interpreter and the emulator, against plain loops in
Python.

Usage: grid-collectives.py --obs-run OBS-RUN [--extents N ...] [--operators O ...]
           [--device DEVICE ...] [--launches T:B ...] [--strategy STRATEGY]
           [--reduce STRATEGY] [--option=OPTION ...]

The operators are those of collective-matrix.py; half of them are not
commutative, and all have an initial value that is not neutral. One run of a
program computes all results for one extent. `--launches` are threads and blocks.
A map is before each collective, and after some. `--strategy` selects the strategy of
all scans and segmented forms, and `--reduce` that of reductions. Prints the problems
and a summary; exits with 1 if there is a problem.
"""

import argparse
import itertools
import os
import random
import sys
import tempfile

from obstest import runs
from obstest.collectives.operators import OPERATORS

EXTENTS = (0, 1, 31, 32, 33, 511, 512, 513, 1000, 5000, 100000)


def segments_of(data):
    """The starts of the segments (element 0, and each element with a flag), and the end."""
    return [i for i, x in enumerate(data) if i == 0 or x & 127 == 0] + [len(data)]


def running(operator, elements):
    """The initial value, and what follows after each element."""
    return list(itertools.accumulate(elements, operator.combine, initial=operator.init))


def expect(operator, data):
    """The columns of each result of the program, in order."""
    elements = [operator.element(x, i) for i, x in enumerate(data)]
    everything = running(operator, elements)
    bounds = segments_of(data)
    parts = [running(operator, elements[begin:end]) for begin, end in zip(bounds, bounds[1:])]
    sums = [part[-1] for part in parts]

    def twice(row):
        return operator.combine(row, row)

    rows = [
        [everything[-1]],                                  # reduce
        [twice(everything[-1])],                           # and a map of it
        everything[1:],                                    # scan inclusive
        [twice(row) for row in everything[:-1]],           # exclusive, and a map
        [everything[-1]],                                  # its total
        [row for part in parts for row in part[1:]],       # segments by flags
        [row for part in parts for row in part[:-1]],      # by offsets
        sums + [operator.init] * (len(data) - len(sums)),  # by flags
        sums,                                              # by offsets, sequential
        sums,                                              # by offsets, by all blocks
    ]
    return [[row[k] for row in result] for result in rows for k in range(len(operator.types))]


def write_program(operator, strategy, reduce):
    k = len(operator.types)
    types = ", ".join(operator.types)
    vector, push = f"!obs.pull<? x {types}>", f"!obs.push<grid, ? x {types}>"
    single, single_push = f"!obs.pull<1 x {types}>", f"!obs.push<grid, 1 x {types}>"
    flags, table = "!obs.pull<? x i1>", "!obs.pull<? x i32>"
    lines, results, result_types = [], [], []
    out = lines.append

    def names(prefix):
        return ", ".join(f"%{prefix}{j}" for j in range(k))

    def collective(result, kind, result_type, segments="", options="", segment_type=""):
        wanted = reduce if kind == "reduce" else strategy
        if wanted and (kind == "reduce" or not options):
            attributes = [options.strip(" {}")] if options else []
            options = " {" + ", ".join(attributes + [f'strategy = "{wanted}"']) + "}"
        out(f"  {result} = obs.{kind} ({names('a')}, {names('b')}) = %a init {names('z')}"
            f"{segments}{options} : {vector}{segment_type} -> {result_type} {{\n"
            f"        {operator.body}\n        obs.yield {names('r')} : {types}\n  }}")

    def twice(result, source, kind):
        """x ∘ x for each element."""
        body = operator.body
        for j in range(k):
            body = body.replace(f"%b{j}", f"%a{j}")
        out(f"  {result} = obs.map ({names('a')} = {source} : {kind}) -> {kind} {{\n"
            f"        {body}\n        obs.yield {names('r')} : {types}\n  }}")

    def give(array_name, push_type, pull_type, shape):
        number = len(results)
        out(f"  %f{number} = obs.force {array_name} : {push_type} -> {pull_type}")
        columns = [f"%u{number}_{j}" for j in range(k)]
        out(f"  {', '.join(columns)} = obs.unzip %f{number} : {pull_type}")
        results.extend(columns)
        result_types.extend(f"!obs.pull<{shape} x {t}>" for t in operator.types)

    for value in (0, 1, 15, 127, 128, 255):
        out(f"  %c{value} = arith.constant {value} : i32")
    for j, (value, t) in enumerate(zip(operator.init, operator.types)):
        out(f"  %z{j} = arith.constant {value} : {t}")
    out(f"""  %n = obs.dim %d, 0 : {table}
  %a = obs.generate (%i) [%n] {{
    %x = obs.get %d[%i] : {table}
    %j = arith.index_cast %i : index to i32""")
    for line in operator.make:
        out("    " + line)
    out(f"    obs.yield {', '.join(operator.made)} : {types}\n  }} : {vector}")
    out(f"""  %s = obs.map (%x = %d : {table}) -> {flags} {{
    %m = arith.andi %x, %c127 : i32
    %f = arith.cmpi eq, %m, %c0 : i32
    obs.yield %f : i1
  }}""")
    collective("%p0", "reduce", single_push, options=" {commutative}" if operator.commutative else "")
    give("%p0", single_push, single, 1)
    collective("%p1", "reduce", single_push)
    twice("%q1", "%p1", single_push)
    give("%q1", single_push, single, 1)
    collective("%p2", "scan inclusive", push)
    give("%p2", push, vector, "?")
    collective(f"%p3, {names('t')}", "scan exclusive", f"({push}, {types})")
    twice("%q3", "%p3", push)
    give("%q3", push, vector, "?")
    out(f"  %total = obs.splat {names('t')} : {single}")
    out(f"  %p4 = obs.push %total : {single} -> {single_push}")
    give("%p4", single_push, single, 1)
    collective("%p5", "segmented_scan inclusive", push, " flags %s", segment_type=", " + flags)
    give("%p5", push, vector, "?")
    collective("%p6", "segmented_scan exclusive", push, " offsets %o", segment_type=", " + table)
    give("%p6", push, vector, "?")
    collective("%p7", "segmented_reduce", push, " flags %s [%n]", segment_type=", " + flags)
    give("%p7", push, vector, "?")
    for name, options in (("%p8", ' {strategy = "sequential"}'),
                          ("%p9", f' {{strategy = "{strategy or "three_kernels"}"}}')):
        collective(name, "segmented_reduce", push, " offsets %o", options, ", " + table)
        give(name, push, vector, "?")
    out(f"  return {', '.join(results)} : {', '.join(result_types)}")
    head = f"func.func @main(%d: {table}, %o: {table}) -> ({', '.join(result_types)}) {{"
    return "\n".join([head, *lines, "}"]) + "\n"


def run(obs_run, program, operator, data, expected, options, scratch):
    """The problem, or None."""
    offsets = segments_of(data)
    runs.write(os.path.join(scratch, "d.bin"), data)
    runs.write(os.path.join(scratch, "o.bin"), offsets)
    command = [obs_run, program, *options,
               f"{scratch}/d.bin:{len(data)}xi32", f"{scratch}/o.bin:{len(offsets)}xi32"]
    width = len(operator.types)
    results, error = runs.run(command, os.path.join(scratch, "r"), operator.types * (len(expected) // width))
    if error:
        return error
    for number, (got, wanted) in enumerate(zip(results, expected)):
        problem = runs.difference(got, wanted)
        if problem:
            return f"result {number // width}, component {number % width} {problem}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    runs.add_launch_arguments(parser, EXTENTS)
    parser.add_argument("--operators", nargs="+", default=list(OPERATORS),
                        choices=list(OPERATORS))
    parser.add_argument("--strategy", help="of scans and segmented forms")
    parser.add_argument("--reduce", help="strategy of reductions")
    arguments = parser.parse_args()

    rng = random.Random(1)
    data = [runs.wrap(rng.getrandbits(32)) for _ in range(max(arguments.extents))]
    count = failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        program = os.path.join(scratch, "program.mlir")
        for name, extent in itertools.product(arguments.operators, arguments.extents):
            operator = OPERATORS[name]
            with open(program, "w") as file:
                file.write(write_program(operator, arguments.strategy, arguments.reduce))
            expected = expect(operator, data[:extent])
            for options in runs.launches_of(arguments):
                problem = run(arguments.obs_run, program, operator, data[:extent], expected,
                              options, scratch)
                count += 1
                if problem:
                    failures += 1
                    print(name, extent, *options)
                    print("  " + problem.replace("\n", "\n  "), flush=True)
    print(f"{count} runs, {failures} problems")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Compares fills and scatters with contract reduce, with privatised copies for threads,
warps, blocks or none, on the emulator with those on the interpreter, bit by bit.

Usage: grid-copies.py --obs-run OBS-RUN [--extents N ...] [--launches T:B ...]
           [--keys equal|different ...] [--strategy STRATEGY] [--option=OPTION ...]

One program has results of all sizes around which the choice of privatised copies changes, for
operations with a name and for functions, which have no neutral element. A third of the
values of functions is the pattern that means "no value" in their copies. Keys are all
equal, or consecutive. Prints the problems and a summary; exits with 1 if there is a
problem.
"""

import argparse
import pathlib
import sys
import tempfile

from obstest import runs

# Name, number of elements, element type, operator, the pattern, and how a value is made of %v of i32.
RESULTS = [
    ("registers", 8, "i32", "addi", None, "arith.addi %v, %none : i32"),
    ("small", 9, "i32", "addi", None, "arith.addi %v, %none : i32"),
    ("wide_registers", 16, "i64", "addi", None, "arith.extsi %v : i32 to i64"),
    ("warps", 17, "i64", "addi", None, "arith.extsi %v : i32 to i64"),
    ("wide", 256, "i32", "maxs", None, "arith.addi %v, %none : i32"),
    ("block", 257, "i32", "xori", None, "arith.addi %v, %none : i32"),
    ("huge", 8193, "i32", "addi", None, "arith.addi %v, %none : i32"),
    ("flags", 32, "f32", "@least", "0x80000001", "arith.bitcast %v : i32 to f32"),
    ("marks", 33, "i32", "@product", "-2147483647", "arith.ori %v, %one : i32"),
    ("long_marks", 129, "i64", "@mix", "-9223372036854775807", "arith.extsi %v : i32 to i64"),
]
CODES = {"f32": "i32"}  # As bits.

FUNCTIONS = """
func.func private @least(%x: f32, %y: f32) -> f32 {
  %r = arith.minimumf %x, %y : f32
  return %r : f32
}
func.func private @product(%x: i32, %y: i32) -> i32 {
  %r = arith.muli %x, %y : i32
  return %r : i32
}
func.func private @mix(%x: i64, %y: i64) -> i64 {
  %r = arith.xori %x, %y : i64
  return %r : i64
}
"""
START = """
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
"""
# Writes twice, the second time in a branch, and in a loop.
FILL = """
  %start_{name} = arith.constant {start} : {type}
  %p_{name} = obs.fill init %start_{name} reduce({operator}) par (%t) in (%n) {{
    %k = obs.get %a[%t] : !obs.pull<? x i32>
    %j = arith.index_castui %k : i32 to index
    %size = arith.constant {size} : index
    %i = arith.remui %j, %size : index
    %s = arith.index_cast %t : index to i32
    %factor = arith.constant 1103515245 : i32
    %u = arith.muli %s, %factor : i32
    // Exponents of small floats.
    %mask = arith.constant 0x3fffffff : i32
    %v = arith.andi %u, %mask : i32
    %w = {value}
    {mark}
    obs.write {written} at [%i] : {type}
    %r = arith.remui %s, %three : i32
    %b = arith.cmpi eq, %r, %one : i32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.if %b {{
      scf.for %l = %c0 to %c2 step %c1 {{
        %m = arith.addi %i, %l : index
        %o = arith.remui %m, %size : index
        obs.write %w at [%o] : {type}
      }}
    }}
  }}{strategy} : !obs.push<grid, {size} x {type}>
  %{name} = obs.force %p_{name} : !obs.push<grid, {size} x {type}> -> !obs.pull<{size} x {type}>
"""
MARK = """%pattern = arith.constant {mark} : {type}
    %q = arith.remui %s, %three : i32
    %d = arith.cmpi eq, %q, %none : i32
    %x = arith.select %d, %pattern, %w : {type}"""


def make_program(strategy):
    fills = ""
    for name, size, kind, operator, mark, value in RESULTS:
        fills += FILL.format(name=name, size=size, type=kind, operator=operator, value=value,
                             start="9.0" if kind == "f32" else "7",
                             mark=MARK.format(mark=mark, type=kind) if mark else "",
                             written="%x" if mark else "%w",
                             strategy=f' {{strategy = "{strategy}"}}' if strategy and size < 8192 else "")
    types = ", ".join(f"!obs.pull<{size} x {kind}>" for _, size, kind, *_ in RESULTS)
    return (FUNCTIONS + f"func.func @main(%a: !obs.pull<? x i32>) -> ({types}) {{" + START
            + fills + "  return " + ", ".join("%" + name for name, *_ in RESULTS) + f" : {types}\n}}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    runs.add_launch_arguments(parser, [0, 1, 33, 4097, 9001])
    parser.add_argument("--keys", nargs="+", choices=("equal", "different"), default=["equal", "different"])
    parser.add_argument("--strategy", default="", help="of all fills but the longest; by default the choice of the compiler")
    arguments = parser.parse_args()
    arguments.device = ["emulate"]
    kinds = [CODES.get(kind, kind) for _, _, kind, *_ in RESULTS]
    count = problems = 0
    with tempfile.TemporaryDirectory() as folder:
        program, data = pathlib.Path(folder, "program.mlir"), pathlib.Path(folder, "keys.bin")
        program.write_text(make_program(arguments.strategy))
        for extent in arguments.extents:
            for keys in arguments.keys:
                runs.write(data, [3] * extent if keys == "equal" else range(extent))
                command = [arguments.obs_run, str(program), f"{data}:{extent}xi32"]
                expected, error = runs.run([*command, "--device=interpret"], folder + "/expected", kinds)
                if error:
                    sys.exit(error)
                for launch in runs.launches_of(arguments):
                    count += 1
                    found = list(runs.find_failures(command, folder + "/result", [launch], list(zip(kinds, expected))))
                    problems += bool(found)
                    for number, _, problem in found:
                        name = "the program" if number is None else RESULTS[number][0]
                        print(f"{extent} {keys} keys, {' '.join(launch)}: {name} {problem}", flush=True)
    print(f"{count} runs, {problems} problems")
    return 1 if problems or not count else 0


if __name__ == "__main__":
    sys.exit(main())

"""Histograms whose number of bins is known when the program runs, against NumPy.

Usage: run-time-bins.py [--runs=N] [--seed=N] OBS-RUN [OBS-RUN OPTION ...]

Each run draws a program (scatter or fill, element type, combination, what is done to the
result), a length, and numbers of bins on both sides of every limit at which the host takes
another kernel; on the emulator a launch, too.
"""

import argparse
import random
import sys

import keyed_values
import numpy as np

# The host changes the kernel behind 1024, 2048 and 4 * 32768 words of 32 bits.
BINS = [1, 31, 257, 1024, 1025, 2048, 2049, 16385, 32768, 32769, 65537, 131072, 131073]
SIZES = [0, 1, 33, 1000, 2047, 2048, 2049, 4097, 6500]
TYPES = {"i32": np.int32, "i64": np.int64, "f32": np.float32}
KINDS = {"addi": np.add, "maxs": np.maximum, "muli": np.multiply, "@sum": np.add, "addf": np.add}
FUNCTION = """func.func @sum(%x: TYPE, %y: TYPE) -> TYPE {
  %z = arith.addi %x, %y : TYPE
  return %z : TYPE
}
"""


def build_program(form, element, kind, is_mapped):
    values, result = f"!obs.pull<? x {element}>", f"!obs.push<grid, ? x {element}>"
    if form == "scatter":
        body = f"""%p = obs.scatter %values at %keys init %init reduce({kind}) [%bins] : {values}, !obs.pull<? x i32> -> {result}"""
    else:
        body = f"""%n = obs.dim %keys, 0 : !obs.pull<? x i32>
  %p = obs.fill init %init reduce({kind}) [%bins] par (%t) in (%n) {{
    %k = obs.get %keys[%t] : !obs.pull<? x i32>
    %at = arith.index_cast %k : i32 to index
    %inside = arith.cmpi ult, %at, %bins : index
    scf.if %inside {{
      %v = obs.get %values[%t] : {values}
      obs.write %v at [%at] : {element}
    }}
  }} : {result}"""
    last = "%p"
    if is_mapped:
        body += f"\n  %q = obs.reverse %p : {result}"
        last = "%q"
    function = FUNCTION.replace("TYPE", element) if kind == "@sum" else ""
    return f"""{function}func.func @main(%keys: !obs.pull<? x i32>, %values: {values}, %bins: index, %init: {element}) -> {values} {{
  {body}
  %r = obs.force {last} : {result} -> {values}
  return %r : {values}
}}
"""


def cases(rng, options):
    draw = np.random.default_rng(options.seed)
    for number in range(options.runs):
        element = rng.choice(list(TYPES))
        kind = "addf" if element == "f32" else rng.choice(["addi", "maxs", "muli", "@sum"])
        form, is_mapped = rng.choice(["scatter", "fill"]), rng.random() < 0.3
        bins, n = BINS[(number + options.seed) % len(BINS)], rng.choice(SIZES)
        keys = draw.integers(-1, rng.choice([1, bins + 1]), n, np.int32)
        # Small whole numbers, so that sums of floats are exact.
        values = draw.integers(-9, 10, n).astype(TYPES[element])
        expected = np.full(bins, 1, TYPES[element])
        inside = (keys >= 0) & (keys < bins)
        KINDS[kind].at(expected, keys[inside], values[inside])
        yield keyed_values.Case(f"{form} {element} {kind} bins {bins} mapped {is_mapped}",
                                build_program(form, element, kind, is_mapped), keys, values, [str(bins), "1"],
                                expected[::-1] if is_mapped else expected)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    return keyed_values.check(options.command, cases(rng, options), rng)


if __name__ == "__main__":
    sys.exit(main())

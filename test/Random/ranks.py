"""Ranks and counts of keys, against NumPy.

Usage: ranks.py [--runs=N] [--seed=N] OBS-RUN [OBS-RUN OPTION ...]

Each run draws a level, the number of keys and of their kinds, a type, how keys are distributed, and
whether their number is static; on the emulator a launch, too.
"""

import argparse
import random
import sys

import keyed_values
import numpy as np

# A warp ranks 32 keys at a time. A block has chunks of at least 128 keys, and at most 8 of them.
SIZES = [0, 1, 31, 32, 33, 100, 127, 128, 129, 257, 1000, 1024, 1025, 2048]
# A table has 4096 entries, so there are fewer chunks of many kinds.
KINDS = [1, 2, 5, 16, 255, 256, 257, 1000, 4096, 4097]
TYPES = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}
ROWS = 3


def build_program(level, n, kinds, element, is_static):
    extent, bound = (str(n), "") if is_static else ("?", f" bound [{max(n, 1)}]")
    whole, whole_bound = (str(n + kinds), "") if is_static else ("?", f" bound [{max(n, 1) + kinds}]")
    rows = f"{ROWS} x {whole} x i32" + ("" if is_static else f" bound [{ROWS}, {max(n, 1) + kinds}]")
    size = "" if is_static else " [%n]"
    keys = f"!obs.pull<{extent} x {element}{bound}>"
    convert = {"index": "arith.index_cast %k : i32 to index", "i32": "arith.addi %k, %zero : i32",
               "i64": "arith.extui %k : i32 to i64"}.get(element, f"arith.trunci %k : i32 to {element}")
    return f"""func.func @main(%all: !obs.pull<? x i32>, %values: !obs.pull<? x i32>, %n: index) -> !obs.pull<{rows}> {{
  %zero = arith.constant 0 : i32
  %rows = obs.iota : !obs.pull<{ROWS} x index>
  %p = obs.distribute {level} in grid (%row = %rows : !obs.pull<{ROWS} x index>) {{
    %first = arith.muli %row, %n : index
    %keys = obs.generate (%j){size} {{
      %i = arith.addi %first, %j : index
      %k = obs.get %all[%i] : !obs.pull<? x i32>
      %key = {convert}
      obs.yield %key : {element}
    }} : {keys}
    %ranks, %counts = obs.rank %keys : {keys} -> !obs.push<{level}, {extent} x i32{bound}>, !obs.push<{level}, {kinds} x i32>
    %both = obs.concat %ranks, %counts : !obs.push<{level}, {extent} x i32{bound}>, !obs.push<{level}, {kinds} x i32> -> !obs.push<{level}, {whole} x i32{whole_bound}>
    obs.yield %both : !obs.push<{level}, {whole} x i32{whole_bound}>
  }}
  %r = obs.force %p : !obs.push<grid, {rows}>
  return %r : !obs.pull<{rows}>
}}
"""


def cases(rng, options):
    draw = np.random.default_rng(options.seed)
    for number in range(options.runs):
        level = rng.choice(["block", "block", "warp", "thread"])
        # A warp has less memory than a block.
        n = min(SIZES[(number + options.seed) % len(SIZES)], 257 if level == "warp" else 2048)
        kinds = rng.choice(KINDS if level == "block" else KINDS[:5])
        element = rng.choice([t for t, bits in TYPES.items() if kinds <= 2**bits])
        is_static = rng.random() < 0.5
        # All keys equal, a few kinds, or all.
        keys = draw.integers(0, rng.choice([1, min(kinds, 3), kinds]), (ROWS, n), np.int32)
        keys = (kinds - 1 - keys).astype(np.int32)
        expected = np.concatenate([
            np.argsort(np.argsort(keys, axis=1, kind="stable"), axis=1, kind="stable"),
            np.array([np.bincount(row, minlength=kinds) for row in keys]).reshape(ROWS, kinds),
        ], axis=1).astype(np.int32)
        yield keyed_values.Case(f"{level} {element} kinds {kinds} static {is_static}",
                                build_program(level, n, kinds, element, is_static),
                                keys.reshape(-1), np.zeros(1, np.int32), [str(n)], expected)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=14)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    return keyed_values.check(options.command, cases(rng, options), rng)


if __name__ == "__main__":
    sys.exit(main())

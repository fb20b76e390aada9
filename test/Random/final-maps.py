"""Maps of what writes of contract reduce combine, against NumPy.

Usage: final-maps.py [--runs=N] [--seed=N] [--emit=FOLDER] OBS-RUN [OBS-RUN OPTION ...]

Each run draws a program (level, scatter or fill, combination, strategy, what is done to
the map's operand and to its result), a length, keys, and for the emulator a launch.
With --emit the programs of all levels are written into a folder and nothing is run.
"""

import argparse
import pathlib
import random
import sys

import keyed_values
import numpy as np

# More than 256 are several for each thread that maps them.
BINS = [10, 10, 300]
LEVELS = ["grid", "block", "warp", "thread"]
SIZES = [0, 1, 33, 1000]
# Text of the map, its result type, and the same for NumPy. Element i is mapped with i.
MAPS = {
    "percent": ("""%f = arith.sitofp %x : i32 to f32
      %g = arith.mulf %f, %hundred : f32
      obs.yield %g : f32""", "f32", lambda x, i: x.astype(np.float32) * np.float32(100)),
    "log": ("""%f = arith.extui %x : i32 to i64
      %g = math.ctlz %f : i64
      %h = arith.subi %c64, %g : i64
      obs.yield %h : i64""", "i64",
            lambda x, i: np.array([int(v).bit_length() for v in x.view(np.uint32)], np.int64)),
    "index": ("""%f = arith.muli %x, %x : i32
      %g = arith.addi %f, %i : i32
      obs.yield %g : i32""", "i32", lambda x, i: x * x + i),
}
KINDS = {"addi": np.add, "maxs": np.maximum, "xori": np.bitwise_xor, "@sum": np.add}


class Choice:
    def __init__(self, rng, level=None):
        self.level = level or rng.choice(LEVELS)
        self.form = rng.choice(["scatter", "fill", "onto"])
        self.kind = rng.choice(list(KINDS))
        self.map = rng.choice(list(MAPS))
        self.twice = rng.random() < 0.3
        self.isReversed, self.isReversedBefore = rng.random() < 0.4, rng.random() < 0.3
        levels = ["per_thread", "per_warp", "per_block"]
        allowed = ["atomic"] + levels[:max(0, ["thread", "warp", "block", "grid"].index(self.level))]
        self.strategy = rng.choice(allowed + [None, None])
        self.init = rng.choice([0, 3, -1])
        self.bins = rng.choice(BINS) if self.level == "grid" else BINS[0]
        self.isDynamic = self.level == "grid" and self.form != "onto" and rng.random() < 0.4

    def program(self):
        level = self.level
        array, number = ("? x i32 bound [1000]", "? x i32") if level != "grid" else ("? x i32", "? x i32")
        attribute = f' {{strategy = "{self.strategy}"}}' if self.strategy else ""
        extent, limit, size = (f"{self.bins}", "", "")
        if self.isDynamic:
            extent, limit, size = ("?", f" bound [{self.bins + 6}]", " [%bins]")
        bins = f"!obs.push<{level}, {extent} x i32{limit}>"
        lines = []
        if self.form == "scatter":
            lines.append(f"%p0 = obs.scatter %values at %keys init %init reduce({self.kind}){size}{attribute} : "
                         f"!obs.pull<{array}>, !obs.pull<{array}> -> {bins}")
        else:
            start = "init %init" if self.form == "fill" else f"onto %start : !obs.pull<{self.bins} x i32>"
            lines.append(f"""%m = obs.dim %keys, 0 : !obs.pull<{array}>
    %p0 = obs.fill {start} reduce({self.kind}){size} par (%t) in (%m) {{
      %k = obs.get %keys[%t] : !obs.pull<{array}>
      %at = arith.index_cast %k : i32 to index
      %inside = arith.cmpi ult, %at, %bins : index
      scf.if %inside {{
        %v = obs.get %values[%t] : !obs.pull<{array}>
        obs.write %v at [%at] : i32
      }}
    }}{attribute} : {bins}""")
        last = "%p0"
        if self.isReversedBefore:
            lines.append(f"%p1 = obs.reverse {last} : {bins}")
            last = "%p1"
        if self.twice:
            lines.append(f"""%p2 = obs.map (%x = {last} : {bins}) -> {bins} {{
      %y = arith.addi %x, %one : i32
      obs.yield %y : i32
    }}""")
            last = "%p2"
        text, element, _ = MAPS[self.map]
        result = f"!obs.push<{level}, {extent} x {element}{limit}>"
        lines.append(f"""%q = obs.map (%x = {last} : {bins}, %i = %iota : !obs.pull<{self.bins} x i32>) -> {result} {{
      {text}
    }}""")
        last = "%q"
        if self.isReversed:
            lines.append(f"%r = obs.reverse {last} : {result}")
            last = "%r"
        body = "\n    ".join(lines)
        head = f"""func.func @sum(%x: i32, %y: i32) -> i32 {{
  %z = arith.addi %x, %y : i32
  return %z : i32
}}
func.func @main(%all_keys: !obs.pull<? x i32>, %all_values: !obs.pull<? x i32>, %init: i32) -> !obs.pull<{"" if level == "grid" else "2 x "}{extent} x {element}{limit}> {{
  %one = arith.constant 1 : i32
  %c64 = arith.constant 64 : i64
  %bins = arith.constant {self.bins} : index
  %hundred = arith.constant 100.0 : f32
  %iota = obs.iota : !obs.pull<{self.bins} x i32>
  %start = obs.map (%x = %iota : !obs.pull<{self.bins} x i32>) -> !obs.pull<{self.bins} x i32> {{
    %y = arith.addi %x, %init : i32
    obs.yield %y : i32
  }}"""
        if level == "grid":
            start = ""
            if self.form == "onto":
                start = f"""
    %start_push = obs.push %start : !obs.pull<{self.bins} x i32> -> !obs.push<grid, {self.bins} x i32>
    %stored = obs.force %start_push : !obs.push<grid, {self.bins} x i32> -> !obs.pull<{self.bins} x i32>"""
                body = body.replace("onto %start", "onto %stored")
            body = body.replace("%keys", "%all_keys").replace("%values", "%all_values")
            return f"""{head}{start}
    {body}
  %f = obs.force {last} {{kernel = "mapped"}} : {result} -> !obs.pull<{extent} x {element}{limit}>
  return %f : !obs.pull<{extent} x {element}{limit}>
}}
"""
        # The second instance leaves out the first element, if there is one.
        part = f"2 x {self.bins} x {element}"
        return f"""{head}
  %two = obs.iota : !obs.pull<2 x index>
  %n = obs.dim %all_keys, 0 : !obs.pull<? x i32>
  %d = obs.distribute {level} (%b = %two : !obs.pull<2 x index>) -> !obs.push<grid, {part}> {{
    %first = arith.minui %b, %n : index
    %count = arith.subi %n, %first : index
    %keys = obs.generate (%i) [%count] {{
      %j = arith.addi %i, %first : index
      %x = obs.get %all_keys[%j] : !obs.pull<? x i32>
      obs.yield %x : i32
    }} : !obs.pull<{array}>
    %values = obs.generate (%i) [%count] {{
      %j = arith.addi %i, %first : index
      %x = obs.get %all_values[%j] : !obs.pull<? x i32>
      obs.yield %x : i32
    }} : !obs.pull<{array}>
    {body}
    obs.yield {last} : {result}
  }}
  %f = obs.force %d {{kernel = "mapped"}} : !obs.push<grid, {part}> -> !obs.pull<{part}>
  return %f : !obs.pull<{part}>
}}
"""

    def expect(self, keys, values, init):
        place = np.arange(self.bins, dtype=np.int32)
        first = place + np.int32(init) if self.form == "onto" else np.full(self.bins, init, np.int32)
        rows = []
        for begin in [0] if self.level == "grid" else [0, 1]:
            row = first.copy()
            inside = (keys[begin:] >= 0) & (keys[begin:] < self.bins)
            KINDS[self.kind].at(row, keys[begin:][inside], values[begin:][inside])
            row = row[::-1] if self.isReversedBefore else row
            row = row + np.int32(1) if self.twice else row
            row = MAPS[self.map][2](row, place)
            rows.append(row[::-1] if self.isReversed else row)
        return rows[0] if self.level == "grid" else np.stack(rows)


def cases(rng, options):
    draw = np.random.default_rng(options.seed)
    for number in range(options.runs):
        choice = Choice(rng, LEVELS[number % len(LEVELS)])
        n = rng.choice(SIZES + ([5000] if choice.level == "grid" else []))
        keys = draw.integers(-1, rng.choice([1, choice.bins + 1]), n, np.int32)
        values = draw.integers(-1000, 1000, n, np.int32)
        yield keyed_values.Case(str(vars(choice)), choice.program(), keys, values, [str(choice.init)],
                                choice.expect(keys, values, choice.init))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--emit", type=pathlib.Path)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    if options.emit:
        options.emit.mkdir(parents=True, exist_ok=True)
        for number in range(options.runs):
            choice = Choice(rng, LEVELS[number % len(LEVELS)])
            (options.emit / f"{number}.mlir").write_text(choice.program())
        return 0
    return keyed_values.check(options.command, cases(rng, options), rng)


if __name__ == "__main__":
    sys.exit(main())

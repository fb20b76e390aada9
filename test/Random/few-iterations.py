"""Random programs whose loops have few iterations, as far as types and counts say:
arrays of a run-time length with a small bound, and few parts for blocks or warps.
Writes them into a folder, one file each; they are for scripts/check-races.py."""

import argparse
import pathlib
import random

STRATEGIES = ["sequential", "sklansky", "kogge_stone", "brent_kung", "raking"]


def scan(rng, level, before, array):
    strategy = rng.choice(STRATEGIES)
    return f"""
    %p = obs.scan inclusive (%x, %y) = {before} init %zero {{strategy = "{strategy}"}} : !obs.pull<{array}> -> !obs.push<{level}, {array}> {{
      %z = arith.addi %x, %y : i32
      obs.yield %z : i32
    }}"""


def push(rng, level, before, array):
    return f"""
    %p = obs.push {before} : !obs.pull<{array}> -> !obs.push<{level}, {array}>"""


def program(rng):
    level = rng.choice(["block", "block", "warp"])
    parts = rng.choice([1, 2, 5, 8, 9])
    bound = rng.choice([1, 2, 7, 20, 32, 33, 64, 65, 130])
    isDynamic = rng.random() < 0.7
    extent, limit = ("?", f" bound [{bound}]") if isDynamic else (str(bound), "")
    array = f"{extent} x i32{limit}"
    whole = f"{parts} x {extent} x i32" + (f" bound [{parts}, {bound}]" if isDynamic else "")
    size = "[%n]" if isDynamic else ""
    threads = rng.choice([32, 96, 128, 256])
    lines = [f"""
func.func @main(%d: !obs.pull<4096 x i32>, %n: index) -> !obs.pull<{whole}> {{
  %zero = arith.constant 0 : i32
  %parts = obs.iota : !obs.pull<{parts} x index>
  %all = obs.distribute {level} (%b = %parts : !obs.pull<{parts} x index>) -> !obs.push<grid, {whole}> {{
    %a0 = obs.generate (%i) {size} {{
      %j = arith.addi %i, %b : index
      %x = obs.get %d[%j] : !obs.pull<4096 x i32>
      obs.yield %x : i32
    }} : !obs.pull<{array}>"""]
    last = "%a0"
    for step in range(rng.randint(1, 2)):
        text = rng.choice([scan, push])(rng, level, last, array).replace("%p", f"%p{step}")
        lines.append(text + f"""
    %f{step} = obs.force %p{step} in shared : !obs.push<{level}, {array}> -> !obs.pull<{array}>
    %a{step + 1} = obs.reverse %f{step} : !obs.pull<{array}>""")
        last = f"%a{step + 1}"
    lines.append(f"""
    %o = obs.push {last} : !obs.pull<{array}> -> !obs.push<{level}, {array}>
    obs.yield %o : !obs.push<{level}, {array}>
  }}
  %r = obs.force %all {{threads = {threads}}} : !obs.push<grid, {whole}> -> !obs.pull<{whole}>
  return %r : !obs.pull<{whole}>
}}
""")
    return "".join(lines).lstrip()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=int, default=7)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(options.seed)
    for i in range(options.programs):
        (options.folder / f"{i}.mlir").write_text(program(rng))


if __name__ == "__main__":
    main()

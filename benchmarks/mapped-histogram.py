#!/usr/bin/env python3
"""How long a histogram with a map behind it takes: as one kernel, where the part that is done with a
bin last maps it ("fused"), and as two ("apart": the histogram is forced first).

  benchmarks/mapped-histogram.py prepare DIR --obs-translate build/bin/obs-translate [--bins N ...]
  benchmarks/mapped-histogram.py measure DIR --out OUT [--elements N ...] [--repeat N]
      [--emulate build/bin/obs-run]

`prepare` needs no GPU. The compiler fuses up to CopyLimits::mappedElements bins (Copies.h); DIR/kernels.json
says how many kernels each function has. To measure more bins fused, raise that limit for the compiler given.
`measure` is as in scatter-privatisation.py: the results are compared with NumPy, a time is the median of runs
whose inputs are in no cache, and has memsets and kernels. Writes OUT/mapped-histogram.txt, milliseconds. Exits
with 1 if a result is wrong. Needs Python and NumPy.
"""

import argparse
import importlib
import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
histograms = importlib.import_module("scatter-privatisation")

BINS = [64, 256, 512, 1024, 2048, 4096, 8192, 32768]
FUNCTION = """func.func @{how}_{bins}(%keys: !obs.pull<? x i32>) -> !obs.pull<{bins} x i32> {{
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %mask = arith.constant {mask} : i32
  %n = obs.dim %keys, 0 : !obs.pull<? x i32>
  %p = obs.fill init %zero reduce(addi) par (%t) in (%n) {{
    %x = obs.get %keys[%t] : !obs.pull<? x i32>
    %y = arith.andi %x, %mask : i32
    %k = arith.index_castui %y : i32 to index
    obs.write %one at [%k] : i32
  }} : !obs.push<grid, {bins} x i32>
{stored}  %m = obs.map (%x = {counts}) -> {array} {{
    %y = arith.muli %x, %three : i32
    %z = arith.addi %y, %one : i32
    obs.yield %z : i32
  }}
{mapped}  return %r : !obs.pull<{bins} x i32>
}}
"""


def make_function(how, bins):
    push, pull = f"!obs.push<grid, {bins} x i32>", f"!obs.pull<{bins} x i32>"
    force = "  %{} = obs.force %{} : " + f"{push} -> {pull}\n"
    if how == "fused":
        parts = dict(stored="", counts=f"%p : {push}", array=push, mapped=force.format("r", "m"))
    else:
        parts = dict(stored=force.format("f", "p"), counts=f"%f : {pull}", array=pull,
                     mapped=f"  %q = obs.push %m : {pull} -> {push}\n" + force.format("r", "q"))
    return FUNCTION.format(how=how, bins=bins, mask=bins - 1, **parts)


def prepare(options):
    options.dir.mkdir(parents=True, exist_ok=True)
    program = options.dir / "mapped.mlir"
    program.write_text("".join(make_function(how, bins) for bins in options.bins for how in ("fused", "apart")))
    for form, suffix in ("ptx", ".ptx"), ("launch-json", ".json"):
        histograms.call([options.obs_translate, "--obs-to-" + form, program, "-o", program.with_suffix(suffix)])
    contract = json.loads(program.with_suffix(".json").read_text())
    kernels = {entry["name"]: json.dumps(entry).count('"launch"') for entry in contract["functions"]}
    (options.dir / "kernels.json").write_text(json.dumps(kernels, indent=1) + "\n")
    print(kernels)
    return 0


def measure(options):
    kernels = json.loads((options.dir / "kernels.json").read_text())
    all_keys = histograms.make_keys(max(options.elements))
    if options.emulate:
        runner = histograms.OnEmulator(options.dir / "mapped", options.emulate, all_keys, None)
    else:
        runner = histograms.OnGpu(options.dir / "mapped", histograms.Gpu(), all_keys, None)
    wrong = 0
    options.out.mkdir(parents=True, exist_ok=True)
    with open(options.out / "mapped-histogram.txt", "w") as table:
        def tell(line):
            print(line)
            print(line, file=table, flush=True)
        tell(f"{'elements':>9} {'keys':8} {'bins':>6} {'fused':>8} {'apart':>8}")
        for n in options.elements:
            for keys, values in all_keys.items():
                for bins in sorted({int(name.split("_")[1]) for name in kernels}):
                    expected = 3 * np.bincount(values[:n] & (bins - 1), minlength=bins) + 1
                    times = []
                    for how in "fused", "apart":
                        passed, found = runner.run(f"{how}_{bins}", keys, n, np.int32, options.repeat)
                        wrong += not np.array_equal(found, expected)
                        times.append(passed)
                    tell(f"{n:9} {keys:8} {bins:6} {times[0]:8.4f} {times[1]:8.4f}"
                         f" {'' if kernels[f'fused_{bins}'] == 1 else ' not fused'}")
        tell(f"{wrong} wrong")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("prepare")
    command.add_argument("dir", type=pathlib.Path)
    command.add_argument("--obs-translate", required=True)
    command.add_argument("--bins", type=int, nargs="+", default=BINS)
    command = commands.add_parser("measure")
    command.add_argument("dir", type=pathlib.Path)
    command.add_argument("--out", required=True, type=pathlib.Path)
    command.add_argument("--elements", type=int, nargs="+", default=[1 << 14, 1 << 19, 1 << 24])
    command.add_argument("--repeat", type=int, default=15)
    command.add_argument("--emulate", help="obs-run, to try this script")
    options = parser.parse_args()
    return prepare(options) if options.command == "prepare" else measure(options)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""How long histograms take with each strategy of `obs.fill ... reduce`: copies of the
bins for each thread, warp or block, or none; and which one the compiler chooses.

  benchmarks/scatter-privatisation.py --obs-run build/bin/obs-run --out DIR
      [--device cuda] [--bins N ...] [--elements N] [--operator addi|function]
      [--repeat N] [--budget SECONDS]

For each number of bins one program has a kernel for each strategy that fits, and
one without; it runs for uniform keys and for keys that are all equal. Every result
is compared with NumPy. Prints the best time of each kernel, in milliseconds, with
the fastest strategy and the chosen one, and writes that and
DIR/scatter-privatisation.json. A choice that takes more than 1.2 times as long as
the fastest is marked. Starts no run after the budget. Exits with 1 if a run fails or
a result is wrong. Needs Python and NumPy.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import time

import numpy as np

# Bytes of bins for which a strategy is tried. 128 are the most in registers, and
# 227 KiB what a block of sm_90 has.
LARGEST = {"per_thread": 128, "per_warp": 227 * 1024 // 8, "per_block": 227 * 1024, "atomic": 1 << 62}
OPERATORS = {"addi": "addi", "function": "@sum"}
SLOWER = 1.2

FILL = """  %p{number} = obs.fill init %zero reduce({operator}) par (%t) in (%n) {{
    %x = obs.get %keys[%t] : !obs.pull<? x i32>
    %y = arith.andi %x, %mask : i32
    %k = arith.index_castui %y : i32 to index
    obs.write %one at [%k] : i32
  }} {strategy} : !obs.push<grid, {bins} x i32>
  %r{number} = obs.force %p{number} {{kernel = "{name}"}} : !obs.push<grid, {bins} x i32> -> !obs.pull<{bins} x i32>
"""
PROGRAM = """func.func private @sum(%x: i32, %y: i32) -> i32 {{
  %z = arith.addi %x, %y : i32
  return %z : i32
}}
func.func @main(%keys: !obs.pull<? x i32>) -> ({types}) {{
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %mask = arith.constant {mask} : i32
  %n = obs.dim %keys, 0 : !obs.pull<? x i32>
{fills}  return {results} : {types}
}}
"""


def make_program(bins, names, operator):
    """A histogram by each of the strategies; the last one is the compiler's choice."""
    fills = "".join(FILL.format(number=number, operator=OPERATORS[operator], bins=bins, name=name,
                                strategy="" if name == "default" else f'{{strategy = "{name}"}}')
                    for number, name in enumerate(names))
    return PROGRAM.format(mask=bins - 1, fills=fills, types=", ".join([f"!obs.pull<{bins} x i32>"] * len(names)),
                          results=", ".join(f"%r{number}" for number in range(len(names))))


def measure(options, bins, names, keys, argument, folder):
    """The best time of each kernel, and the strategy that was chosen."""
    program = folder / "program.mlir"
    program.write_text(make_program(bins, names, options.operator))
    outs = [folder / f"result{number}.bin" for number in range(len(names))]
    done = subprocess.run(
        [options.obs_run, program, f"--device={options.device}", "--time", "--report", f"--repeat={options.repeat}", argument,
         *(f"--out={out}" for out in outs)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[:500])
    expected = np.bincount(keys & (bins - 1), minlength=bins)
    for name, out in zip(names, outs):
        if not np.array_equal(np.fromfile(out, "<i4"), expected):
            raise RuntimeError(f"the result of {name} is wrong")
    text = done.stdout + done.stderr
    scale = {"s": 1e3, "ms": 1, "us": 1e-3}
    # Several runs have a median, and the shortest and the longest time.
    times = {name: float(least or only) * scale[unit] for name, only, unit, least in re.findall(
        r"^time: kernel (\w+): (\S+) (ms|us|s)(?: \(median of \d+; (\S+) to \S+\))?$", text, re.MULTILINE)}
    # Strategies differ in what they need of shared memory.
    shared = dict(re.findall(r"^launch: kernel=(\w+) .*shared-bytes=(\d+)", text, re.MULTILINE))
    if set(times) != set(names) or set(shared) != set(names):
        raise RuntimeError(f"no times of all kernels in {text[:500]}")
    chosen = [name for name in names[:-1] if shared[name] == shared["default"]]
    if len(chosen) != 1:
        raise RuntimeError(f"the default has {shared['default']} bytes of shared memory, as {len(chosen)} strategies")
    return times, chosen[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--obs-run", required=True)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--bins", type=int, nargs="+", help="powers of two",
                        default=[16, 64, 256, 1024, 4096, 16384, 65536, 1 << 20])
    parser.add_argument("--elements", type=int, default=1 << 24)
    parser.add_argument("--operator", choices=OPERATORS, default="addi",
                        help="function: one without a neutral element, by compare-and-swap")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--budget", type=float, default=80, help="in seconds")
    options = parser.parse_args()
    if any(bins < 1 or bins & (bins - 1) for bins in options.bins):
        sys.exit("numbers of bins are powers of two")
    options.out.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    uniform = np.random.default_rng(1).integers(0, 1 << 31, options.elements, dtype=np.int32)
    uniform.tofile(options.out / "keys.bin")
    inputs = {"uniform": (uniform, f"{options.out / 'keys.bin'}:i32"),
              "equal": (np.zeros_like(uniform), f"zeros:{options.elements}xi32")}
    columns = [*LARGEST, "default"]
    rows, failed, left = [], 0, 0
    print(f"{options.elements} elements, {options.operator}, {options.device}; milliseconds")
    print(f"{'keys':8}{'bins':>8}" + "".join(f"{name:>12}" for name in columns) + "  best        chosen")
    for keys, (values, argument) in inputs.items():
        for bins in options.bins:
            if time.monotonic() - begin > options.budget:
                left += 1
                continue
            names = [name for name, most in LARGEST.items() if 4 * bins <= most] + ["default"]
            try:
                times, chosen = measure(options, bins, names, values, argument, options.out)
            except RuntimeError as error:
                failed += 1
                print(f"{keys:8}{bins:8}  {error}", flush=True)
                continue
            best = min(names[:-1], key=times.get)
            is_slow = times[chosen] > SLOWER * times[best]
            rows.append({"keys": keys, "bins": bins, "ms": times, "best": best, "chosen": chosen, "slow": is_slow})
            print(f"{keys:8}{bins:8}" + "".join(f"{times[n]:12.4f}" if n in times else f"{'-':>12}" for n in columns)
                  + f"  {best:12}{chosen}{' SLOW' if is_slow else ''}", flush=True)
    (options.out / "keys.bin").unlink()
    for path in [options.out / "program.mlir", *options.out.glob("result*.bin")]:
        path.unlink(missing_ok=True)
    (options.out / "scatter-privatisation.json").write_text(json.dumps(
        {"elements": options.elements, "operator": options.operator, "device": options.device,
         "repeat": options.repeat, "rows": rows, "failed": failed, "left": left}, indent=1) + "\n")
    slow = sum(row["slow"] for row in rows)
    print(f"{len(rows)} measured, {failed} failed, {left} left for lack of time; the choice is slow in {slow}; "
          f"{time.monotonic() - begin:.0f} s")
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())

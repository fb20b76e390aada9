#!/usr/bin/env python3
"""compact, expand and scatter by all blocks, on the interpreter and the emulator,
against plain loops in Python.

Usage: grid-irregular.py --obs-run OBS-RUN [--extents N ...] [--device DEVICE ...]
           [--launches T:B ...] [--strategy STRATEGY] [--copies STRATEGY]
           [--fills STRATEGY] [--places N] [--option=OPTION ...]

One run of a program computes all results for one extent. `--launches` are threads
and blocks. `--strategy` selects the strategy of compact and expand, `--copies` that
of a scatter of maxima, and `--fills` that of a fill of sums. `--places` is the
extent of the results of scatters. The values that a scatter fetches depend on the
order, so only this is checked: the elements at one index fetch the numbers from 0
on, each once. Prints the problems and a summary; exits with 1 if there is a
problem.
"""

import argparse
import collections
import os
import random
import sys
import tempfile

from obstest import runs

EXTENTS = (0, 1, 31, 32, 33, 1000, 1024, 1025, 5000, 100000)

PROGRAM = """
func.func @main(%a: !v) -> (!v, !one, !v, !v, !one, !obs.pull<PLACES x i32>, !v, !obs.pull<PLACES x i32>, !obs.pull<PLACES x i32>, !obs.pull<PLACES x i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %seven = arith.constant 7 : i32
  %high = arith.constant 24 : i32
  %none = arith.constant -1 : i32
  %i0 = arith.constant 0 : index
  %i7 = arith.constant 7 : index
  %n = obs.dim %a, 0 : !v
  %flags = obs.map (%x = %a : !v) -> !flags {
    %m = arith.andi %x, %three : i32
    %f = arith.cmpi eq, %m, %zero : i32
    obs.yield %f : i1
  }
  %k, %nk = obs.compact %a flags %flags init %noneSTRATEGY : !v, !flags -> !p, !single
  // Every eighth length is 0 to 7, the others 0.
  %lengths = obs.generate (%i) [%n] {
    %x = obs.get %a[%i] : !v
    %m = arith.andi %x, %seven : i32
    %r = arith.andi %i, %i7 : index
    %e = arith.addi %i, %i7 : index
    %h = arith.cmpi eq, %r, %i0 : index
    %w = arith.cmpi slt, %e, %n : index
    %b = arith.andi %h, %w : i1
    %l = arith.select %b, %m, %zero : i32
    obs.yield %l : i32
  } : !v
  %e, %ne = obs.expand (%i, %j) = %lengths [%n] init %none, %noneSTRATEGY : !v -> !obs.push<grid, ? x i32, i32>, !single {
    %x = obs.get %a[%i] : !v
    %y = arith.index_cast %j : index to i32
    obs.yield %x, %y : i32, i32
  }
  // -128 to 127.
  %at = obs.map (%x = %a : !v) -> !v {
    %s = arith.shli %x, %high : i32
    %t = arith.shrsi %s, %high : i32
    obs.yield %t : i32
  }
  %ones = obs.splat %one [%n] : !v
  %s, %f = obs.scatter %ones at %at init %zero reduce(addi) fetch : !v, !v -> !obs.push<grid, PLACES x i32>, !p
  %t = obs.scatter %a at %at init %one reduce(@product) : !v, !v -> !obs.push<grid, PLACES x i32>
  %u = obs.scatter %a at %at init %none reduce(maxs)COPIES : !v, !v -> !obs.push<grid, PLACES x i32>
  %places = arith.constant PLACES : index
  // The sum at each place, and of all at place 0.
  %h = obs.fill init %one reduce(addi) par (%i) in (%n) {
    %x = obs.get %at[%i] : !v
    %y = obs.get %a[%i] : !v
    %j = arith.index_cast %x : i32 to index
    %b = arith.cmpi ult, %j, %places : index
    scf.if %b {
      obs.write %y at [%j] : i32
    }
    obs.write %y at [%i0] : i32
  }FILLS : !obs.push<grid, PLACES x i32>
  %8 = obs.force %h : !obs.push<grid, PLACES x i32> -> !obs.pull<PLACES x i32>
  %7 = obs.force %u : !obs.push<grid, PLACES x i32> -> !obs.pull<PLACES x i32>
  %0 = obs.force %k : !p -> !v
  %1 = obs.force %nk : !single -> !one
  %2 = obs.force %e : !obs.push<grid, ? x i32, i32> -> !obs.pull<? x i32, i32>
  %3 = obs.force %ne : !single -> !one
  %4 = obs.force %s : !obs.push<grid, PLACES x i32> -> !obs.pull<PLACES x i32>
  %5 = obs.force %f : !p -> !v
  %6 = obs.force %t : !obs.push<grid, PLACES x i32> -> !obs.pull<PLACES x i32>
  %x, %y = obs.unzip %2 : !obs.pull<? x i32, i32>
  return %0, %1, %x, %y, %3, %4, %5, %6, %7, %8 : !v, !one, !v, !v, !one, !obs.pull<PLACES x i32>, !v, !obs.pull<PLACES x i32>, !obs.pull<PLACES x i32>, !obs.pull<PLACES x i32>
}

// Modulo 2^32; that of two odd numbers is odd.
func.func private @product(%x: i32, %y: i32) -> i32 {
  %one = arith.constant 1 : i32
  %a = arith.ori %x, %one : i32
  %b = arith.ori %y, %one : i32
  %p = arith.muli %a, %b : i32
  return %p : i32
}
"""
TYPES = {"!v": "!obs.pull<? x i32>", "!p": "!obs.push<grid, ? x i32>",
         "!one": "!obs.pull<1 x i32>", "!single": "!obs.push<grid, 1 x i32>",
         "!flags": "!obs.pull<? x i1>"}


def expect(data, places):
    """The results in order, None for what was fetched. A scatter drops what goes past its places."""
    n = len(data)
    kept = [x for x in data if x & 3 == 0]
    pairs = [(data[i], j) for i in range(0, n - 7, 8) for j in range(data[i] & 7)]
    counts, products, maxima = [0] * places, [1] * places, [-1] * places
    sums = [1] * places
    sums[0] = runs.wrap(sum(data) + 1)
    for x in data:
        at = (x & 255) - 256 if x & 128 else x & 255
        if 0 <= at < places:
            counts[at] += 1
            maxima[at] = max(maxima[at], x)
            products[at] = runs.wrap(products[at] * (x | 1))
            sums[at] = runs.wrap(sums[at] + x)
    rest = [-1] * (n - len(pairs))
    return [kept + [-1] * (n - len(kept)), [len(kept)],
            [x for x, _ in pairs] + rest, [j for _, j in pairs] + rest, [len(pairs)],
            counts, None, products, maxima, sums]


def check_found(data, places, found):
    numbers_at = collections.defaultdict(list)
    for x, number in zip(data, found):
        at = (x & 255) - 256 if x & 128 else x & 255
        if not 0 <= at < places:
            if number != 0:
                return f"gives {number} to an element without an index"
        else:
            numbers_at[at].append(number)
    for at, numbers in numbers_at.items():
        if sorted(numbers) != list(range(len(numbers))):
            return f"gives {sorted(numbers)[:10]} to the elements at index {at}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    runs.add_launch_arguments(parser, EXTENTS)
    parser.add_argument("--strategy", default="")
    parser.add_argument("--copies", default="", help="strategy of the scatter with maxs")
    parser.add_argument("--fills", default="", help="strategy of the fill that adds up")
    parser.add_argument("--places", type=int, default=50, help="elements of results of scatters")
    arguments = parser.parse_args()

    rng = random.Random(1)
    count = problems = 0
    with tempfile.TemporaryDirectory() as scratch:
        program = os.path.join(scratch, "program.mlir")
        strategy = f' {{strategy = "{arguments.strategy}"}}' if arguments.strategy else ""
        with open(program, "w") as file:
            for name, meaning in TYPES.items():
                file.write(f"{name} = {meaning}\n")
            copies = f' {{strategy = "{arguments.copies}"}}' if arguments.copies else ""
            file.write(PROGRAM.replace("STRATEGY", strategy).replace("COPIES", copies)
                       .replace("FILLS", f' {{strategy = "{arguments.fills}"}}' if arguments.fills else "")
                       .replace("PLACES", str(arguments.places)))
        data_file = os.path.join(scratch, "data.bin")
        for extent in arguments.extents:
            data = [runs.wrap(rng.getrandbits(32)) for _ in range(extent)]
            runs.write(data_file, data)
            expected = expect(data, arguments.places)
            for options in runs.launches_of(arguments):
                results, wrong = runs.run([arguments.obs_run, program, f"{data_file}:{extent}xi32", *options],
                                          os.path.join(scratch, "r"), ["i32"] * len(expected))
                count += 1
                for number, (got, want) in enumerate(zip(results or [], expected)):
                    problem = (check_found(data, arguments.places, got) if want is None
                               else runs.difference(got, want))
                    if problem and not wrong:
                        wrong = f"result {number} {problem}"
                if wrong:
                    problems += 1
                    print(f"{extent} elements, {' '.join(options)}: {wrong}", flush=True)
    print(f"{count} runs, {problems} problems")
    return 1 if problems or not count else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# ===- host-loops.py - Arrays that random host programs carry ---------------===#
#
# Part of the Obsidian project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Host functions of nested loops and branches that carry arrays, of lengths that
change, from one kernel to the next. The interpreter knows nothing of buffers; the
emulator runs what the compiler has made of them, and reports races and reads of
memory that nobody has written. The plan of the compiler must allocate nothing in an
iteration: no array is longer than the argument.
"""

import argparse
import random
import subprocess
import sys
import tempfile

# %m is half the length of %x, rounded up.
HALF = """  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = obs.dim %x, 0 : !ints
  %n1 = arith.addi %n, %c1 : index
  %m = arith.divui %n1, %c2 : index"""

KERNELS = """!ints = !obs.pull<? x i32>
func.func private @next(%x: !ints) -> !ints {
  %three = arith.constant 3 : i32
  %m = obs.map (%e = %x : !ints) -> !ints {
    %s = arith.muli %e, %three : i32
    obs.yield %s : i32
  }
  %p = obs.push %m : !ints -> !obs.push<grid, ? x i32>
  %f = obs.force %p {kernel = "next"} : !obs.push<grid, ? x i32> -> !ints
  return %f : !ints
}
// Each element of x and one of y, from its end on.
func.func private @mix(%x: !ints, %y: !ints) -> !ints {
  %c1 = arith.constant 1 : index
  %n = obs.dim %x, 0 : !ints
  %m = obs.dim %y, 0 : !ints
  %last = arith.subi %m, %c1 : index
  %g = obs.generate (%i) [%n] {
    %k = arith.remui %i, %m : index
    %j = arith.subi %last, %k : index
    %a = obs.get %x[%i] : !ints
    %b = obs.get %y[%j] : !ints
    %s = arith.addi %a, %b : i32
    obs.yield %s : i32
  } : !ints
  %p = obs.push %g : !ints -> !obs.push<grid, ? x i32>
  %f = obs.force %p {kernel = "mix"} : !obs.push<grid, ? x i32> -> !ints
  return %f : !ints
}
// Every other element.
func.func private @half(%x: !ints) -> !ints {
@HALF@
  %t = obs.slice %x [0] [%m] [2] : !ints -> !ints
  %p = obs.push %t : !ints -> !obs.push<grid, ? x i32>
  %f = obs.force %p {kernel = "half"} : !obs.push<grid, ? x i32> -> !ints
  return %f : !ints
}
// x, with elements of y, from its end on, in place of every other one.
func.func private @onto(%x: !ints, %y: !ints) -> !ints {
@HALF@
  %k = obs.dim %y, 0 : !ints
  %last = arith.subi %k, %c1 : index
  %p = obs.fill onto %x : !ints [%n] par (%i) in (%m) {
    %r = arith.remui %i, %k : index
    %j = arith.subi %last, %r : index
    %e = obs.get %y[%j] : !ints
    %to = arith.muli %i, %c2 : index
    obs.write %e at [%to] : i32
  } : !obs.push<grid, ? x i32>
  %f = obs.force %p {kernel = "onto"} : !obs.push<grid, ? x i32> -> !ints
  return %f : !ints
}
// x, with twice their value for the first half of it.
func.func private @double(%x: !ints) -> !ints {
@HALF@
  %p = obs.fill onto %x : !ints [%n] par (%i) in (%m) {
    %e = obs.get %x[%i] : !ints
    %s = arith.addi %e, %e : i32
    obs.write %s at [%i] : i32
  } : !obs.push<grid, ? x i32>
  %f = obs.force %p {kernel = "double"} : !obs.push<grid, ? x i32> -> !ints
  return %f : !ints
}
// A stored array is not stored again.
func.func private @same(%x: !ints) -> !ints {
  %p = obs.push %x : !ints -> !obs.push<grid, ? x i32>
  %f = obs.force %p {kernel = "same"} : !obs.push<grid, ? x i32> -> !ints
  return %f : !ints
}
// Parts of x, which nothing copies.
func.func private @front(%x: !ints) -> !ints {
@HALF@
  %t = obs.take %x [%m] : !ints -> !ints
  return %t : !ints
}
func.func private @back(%x: !ints) -> !ints {
@HALF@
  %o = arith.subi %n, %m : index
  %t = obs.slice %x [%o] [%m] [1] : !ints -> !ints
  return %t : !ints
}
""".replace("@HALF@", HALF)

PASSES = (
    "inline,obs-expand-collectives,obs-unroll-loops,canonicalize,cse,obs-fuse-arrays,"
    "obs-batch-distribute,obs-fuse-arrays,canonicalize,cse,obs-to-launches"
)


def list_types(count):
    return ", ".join(["!ints"] * count)


class Program:
    """The text of one function; `known` are the arrays at some place, the latest last."""

    def __init__(self, seed):
        self.rng, self.count, self.lines = random.Random(seed), 0, []
        known = ["%a"]
        # Nothing is written onto a part, nor onto what may be one.
        self.others = self.rng.choice([["front", "back"], ["onto", "onto", "double", "same"]])
        if self.rng.random() < 0.6:
            self.add_kernel(known)
        self.add_for(known, 0, None)
        if self.rng.random() < 0.4:
            self.add_for(known, 1, None)
        results = known[-3:]
        self.text = (
            KERNELS
            + f"func.func @main(%a: !ints, %turns: index) -> ({list_types(len(results))}) {{\n"
            + "".join(f"  %c{i} = arith.constant {i} : index\n" for i in range(4))
            + "\n".join(self.lines)
            + f"\n  return {', '.join(results)} : {list_types(len(results))}\n}}\n"
        )

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def names(self, count):
        return [self.name() for _ in range(count)]

    def emit(self, text):
        self.lines.append("  " + text)

    def pick(self, known):
        return self.rng.choice(known[-4:] if self.rng.random() < 0.8 else known)

    def choose(self, known, count):
        """Arrays to pass on; now and then one of them twice."""
        if self.rng.random() < 0.2 or len(known) < count:
            return [self.pick(known) for _ in range(count)]
        return self.rng.sample(known[-(count + 1) :], count)

    def add_kernel(self, known):
        kernel = self.rng.choice(["next", "mix", "mix", "half"] + self.others)
        arguments = [self.pick(known) for _ in range(2 if kernel in ("mix", "onto") else 1)]
        result = self.name()
        self.emit(f"{result} = func.call @{kernel}({', '.join(arguments)}) : ({list_types(len(arguments))}) -> !ints")
        known.append(result)

    def add_block(self, known, depth, turn):
        for _ in range(self.rng.randint(1, 3)):
            if self.rng.random() < 0.5:
                self.add_kernel(known)
            draw = self.rng.random() if depth < 3 else 1
            if draw < 0.25:
                self.add_for(known, depth, turn)
            elif draw < 0.33:
                self.add_while(known, depth)
            elif draw < 0.5:
                self.add_if(known, depth, turn)
            else:
                self.add_kernel(known)

    def add_results(self, known, result, count):
        known.extend(f"{result}#{i}" for i in range(count))

    def add_for(self, known, depth, turn):
        count = self.rng.randint(1, 3)
        result, counter, carried = self.name(), self.name(), self.names(count)
        inits = ", ".join(f"{a} = {b}" for a, b in zip(carried, self.choose(known, count)))
        end = self.rng.choice(["%c2", "%c3", "%turns", turn or "%c3"])
        self.emit(
            f"{result}:{count} = scf.for {counter} = %c0 to {end} step %c1 iter_args({inits}) "
            f"-> ({list_types(count)}) {{"
        )
        inner = (known if self.rng.random() < 0.4 else known[:1]) + carried
        self.add_block(inner, depth + 1, counter)
        self.emit(f"scf.yield {', '.join(self.choose(inner, count))} : {list_types(count)}")
        self.emit("}")
        self.add_results(known, result, count)

    def add_while(self, known, depth):
        count = self.rng.randint(1, 2)
        types = list_types(count)
        result, counter, turn, go, following = self.names(5)
        before, after = self.names(count), self.names(count)
        inits = ", ".join(f"{a} = {b}" for a, b in zip(before, self.choose(known, count)))
        self.emit(f"{result}:{count + 1} = scf.while ({inits}, {counter} = %c0) : ({types}, index) -> ({types}, index) {{")
        self.emit(f"{go} = arith.cmpi ult, {counter}, %turns : index")
        passed = ", ".join(self.rng.sample(before, count))
        self.emit(f"scf.condition({go}) {passed}, {counter} : {types}, index")
        self.emit("} do {")
        self.emit(f"^bb0({', '.join(a + ': !ints' for a in after)}, {turn}: index):")
        inner = (known if self.rng.random() < 0.4 else known[:1]) + after
        self.add_block(inner, depth + 1, turn)
        self.emit(f"{following} = arith.addi {turn}, %c1 : index")
        self.emit(f"scf.yield {', '.join(self.choose(inner, count))}, {following} : {types}, index")
        self.emit("}")
        self.add_results(known, result, count)

    def add_if(self, known, depth, turn):
        count = self.rng.randint(1, 2)
        result, odd, condition = self.names(3)
        self.emit(f"{odd} = arith.andi {turn or '%turns'}, %c1 : index")
        self.emit(f"{condition} = arith.cmpi eq, {odd}, %c1 : index")
        self.emit(f"{result}:{count} = scf.if {condition} -> ({list_types(count)}) {{")
        for end in "} else {", "}":
            inner = list(known)
            if self.rng.random() < 0.7:
                self.add_block(inner, depth + 1, turn)
            self.emit(f"scf.yield {', '.join(self.choose(inner, count))} : {list_types(count)}")
            self.emit(end)
        self.add_results(known, result, count)


def run(command):
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    return done.returncode, done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("obs_run")
    parser.add_argument("obs_opt")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10)
    options = parser.parse_args()
    for seed in range(options.seed, options.seed + options.count):
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
            file.write(Program(seed).text)
            file.flush()
            command = [options.obs_run, file.name, "--entry=main", "iota:13xi32", str((0, 1, 2, 3, 7)[seed % 5])]
            want = run(command + ["--device=interpret"])
            # To find reads of memory that nobody has written, no two arrays share memory.
            results = [run(command + ["--device=emulate", "--check=" + check]) for check in ("all", "races")]
            got = next((result for result in results if result != want), want)
            plan = run([options.obs_opt, f"--pass-pipeline=builtin.module({PASSES})", file.name])
        if plan[0] != 0 or "in each iteration" in plan[1]:
            sys.exit(f"seed {seed}: {plan[1]}")
        if want[0] != 0 or got != want:
            sys.exit(f"seed {seed}: {got[1]} emulated, {want[1]} interpreted, of\n{Program(seed).text}")
    print(f"{options.count} programs")


main()

#!/usr/bin/env python3
# ===- place-barriers.py - Barriers against all pairs of threads ------------===#
#
# Part of the Obsidian project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Kernels of level IR whose loops over threads write and read one array at
random indices, with loops of the block around them. `obs-place-barriers` puts
in barriers; then every iteration is run here, and between a write and a read of one
element by two threads there must be a barrier for them. Numbers that the
compiler does not know get several values.
"""

import argparse
import random
import subprocess
import sys

SIZE = 128
UNKNOWN = (0, 1, 7, 64, 1000)


class Expression:
    """Index arithmetic as text of MLIR and of Python; never negative."""

    def __init__(self, rng, variables):
        self.rng, self.variables, self.lines, self.count = rng, variables, [], 0

    def emit(self, operation, kind="index"):
        name = f"%e{id(self) % 9973}_{len(self.lines)}"
        self.lines.append(f"{name} = {operation} : {kind}")
        return name

    def constant(self, value):
        return self.emit(f"arith.constant {value}"), str(value)

    def build(self, depth):
        rng = self.rng
        if depth == 0 or rng.random() < 0.15:
            if rng.random() < 0.75:
                name = rng.choice(self.variables)
                return f"%{name}", name
            return self.constant(rng.choice((0, 1, 2, 3, 5, 8, 31, 32, 33, 64)))
        choice = rng.randrange(14)
        a, x = self.build(depth - 1)
        if choice < 4:
            b, y = self.build(depth - 1)
            name, sign = (("addi", "+"), ("addi", "+"), ("xori", "^"), ("ori", "|"))[
                choice
            ]
            return self.emit(f"arith.{name} {a}, {b}"), f"({x} {sign} {y})"
        if choice == 4:
            b, y = self.build(depth - 1)
            name = rng.choice(("min", "max"))
            return self.emit(f"arith.{name}ui {a}, {b}"), f"{name}({x}, {y})"
        if choice == 5:
            return self.choose(depth - 1, a, x)
        if choice == 6:
            # A difference, or 0 if it is negative.
            b, y = self.build(depth - 1)
            difference = self.emit(f"arith.subi {a}, {b}")
            zero, _ = self.constant(0)
            return self.emit(f"arith.maxsi {difference}, {zero}"), f"max({x} - {y}, 0)"
        if choice == 7:
            # In 32 bits, which may wrap.
            value = rng.choice((3, 32, 0x10000001, 0x7FFFFFFF))
            narrow = self.emit(f"arith.index_castui {a}", "index to i32")
            factor = self.emit(f"arith.constant {value}", "i32")
            product = self.emit(f"arith.muli {narrow}, {factor}", "i32")
            wide = self.emit(f"arith.index_castui {product}", "i32 to index")
            return wide, f"(({x}) * {value} & 0xffffffff)"
        name, sign, value = rng.choice(
            (
                ("muli", "*", rng.choice((2, 3, 4, 8, 32))),
                ("divui", "//", rng.choice((2, 3, 8, 32))),
                ("remui", "%", rng.choice((2, 3, 16, 32, 40))),
                ("andi", "&", rng.choice((1, 7, 31, 62, 64))),
                ("shrui", ">>", rng.choice((1, 2, 5))),
                ("xori", "^", rng.choice((1, 2, 16, 31, 32))),
                ("addi", "+", rng.choice((1, 8, 31, 32))),
            )
        )
        b, y = self.constant(value)
        return self.emit(f"arith.{name} {a}, {b}"), f"({x} {sign} {y})"

    def condition(self, depth):
        a, x = self.build(depth)
        b, y = self.build(depth)
        name, sign = self.rng.choice((("ult", "<"), ("eq", "=="), ("uge", ">=")))
        return self.emit(f"arith.cmpi {name}, {a}, {b}"), f"({x} {sign} {y})"

    def choose(self, depth, a, x):
        condition, text = self.condition(depth)
        b, y = self.build(depth)
        name = self.emit(f"arith.select {condition}, {a}, {b}")
        return name, f"({x} if {text} else {y})"

    def index(self, depth):
        """An index into the array."""
        a, x = self.build(depth)
        b, y = self.constant(SIZE)
        return self.emit(f"arith.remui {a}, {b}"), f"({x}) % {y}"


class Leaf:
    def __init__(self, rng, uniform, level="block"):
        self.isWrite = rng.random() < 0.5
        self.count = rng.choice((1, 16, 32, 33, 64, 100))
        expression = Expression(rng, ["t"] + ["t"] * len(uniform) + uniform)
        guard = None
        if rng.random() < 0.3:
            guard, self.guard = expression.condition(1)
        else:
            self.guard = "True"
        index, self.index = expression.index(rng.choice((0, 1, 2, 2, 3)))
        self.lines = [f"scf.forall (%t) in ({self.count}) {{"]
        self.lines += expression.lines
        if guard:
            self.lines.append(f"scf.if {guard} {{")
        if self.isWrite:
            self.lines.append(f"memref.store %x, %a[{index}] : !array")
        else:
            self.lines.append(f"%v = memref.load %a[{index}] : !array")
            self.lines.append("memref.store %v, %b[%t] : !private")
        if guard:
            self.lines.append("}")
        self.isBlocked = rng.random() < 0.15
        end = f"}} {{mapping = [#obs.map<{level}, thread>]"
        if self.isBlocked:
            end += ", obs.distribution = #obs.distribution<blocked>"
        self.lines.append(end + "}")
        code = f"lambda {', '.join(['t', 'n'] + [u for u in uniform if u != 'n'])}: "
        self.getIndex = eval(code + self.index)
        self.getGuard = eval(code + self.guard)

    def getWorker(self, t, workers):
        """The worker, of `workers`, that runs iteration `t`."""
        return t // -(-self.count // workers) if self.isBlocked else t % workers

    def text(self):
        return self.lines


class Warps:
    """A loop over the warps of the block."""

    def __init__(self, rng, uniform):
        self.count = rng.choice((1, 2, 3, 4))
        self.body = [
            Leaf(rng, uniform + ["w"], "warp") for _ in range(rng.choice((1, 2, 2)))
        ]

    def text(self):
        lines = [f"scf.for %w = %first to %c{self.count} step %warps {{"]
        lines += [line for leaf in self.body for line in leaf.text()]
        return lines + ["} {obs.map = #obs.map<block, warp>}"]


class Loop:
    def __init__(self, rng, uniform, depth):
        self.name, self.carried = f"k{depth}", f"u{depth}"
        self.turns = rng.choice((1, 2, 3, 4))
        uniform = uniform + [self.name, self.carried]
        self.body = body(rng, uniform, depth + 1)
        self.next = Expression(rng, uniform)
        self.result, text = self.next.index(2)
        self.getNext = eval(f"lambda {', '.join(uniform)}: {text}")

    def text(self):
        first = (
            f"%r{id(self)} = scf.for %{self.name} = %c0 to %c{self.turns} step %c1 "
            f"iter_args(%{self.carried} = %c1) -> (index) {{"
        )
        lines = [line for one in self.body for line in one.text()] + self.next.lines
        return [first] + lines + [f"scf.yield {self.result} : index", "}"]


def body(rng, uniform, depth):
    parts = []
    for _ in range(rng.choice((1, 2, 2, 3))):
        if depth < 2 and rng.random() < 0.4:
            parts.append(Loop(rng, uniform, depth))
        elif rng.random() < 0.2:
            parts.append(Warps(rng, uniform))
        else:
            parts.append(Leaf(rng, uniform))
    return parts


class Kernel:
    def __init__(self, rng, number):
        self.name = f"k{number}"
        self.threads = rng.choice((32, 48, 64, 96))
        self.body = body(rng, ["n"], 0)

    def text(self):
        lines = [
            (f"obs.kernel @{self.name}(%n: index) "
            f"attributes {{threads = {self.threads} : i64}} {{")
        ]
        lines += [f"%c{i} = arith.constant {i} : index" for i in range(5)]
        lines += [
            "%x = arith.constant 0 : i32",
            "%a = memref.alloc() : !array",
            "%b = memref.alloc() : !private",
        ]
        code = [line for one in self.body for line in one.text()]
        if any("%warps" in line for line in code):
            lines.append("%first = obs.worker_id <block, warp>")
            lines.append("%warps = obs.worker_count <block, warp>")
        return lines + code + ["}"]


def parse(lines, parts):
    """The statements of `parts` and the barriers between them."""
    result = []
    rest = list(parts)
    while lines:
        line = lines.pop(0).strip()
        if line.startswith("obs.barrier"):
            result.append(line.split()[1])
        elif line.startswith("scf.forall"):
            result.append(rest.pop(0))
            while not lines.pop(0).strip().startswith("} {mapping"):
                pass
        elif "scf.for " in line:
            loop = rest.pop(0)
            result.append((loop, parse(lines, loop.body)))
        elif line == "}" or line.startswith("} {obs.map"):
            break
    assert not rest
    return result


class Run:
    """One run of a kernel: after `execute`, `problem` is the first pair of
    threads without a barrier."""

    def __init__(self, kernel):
        self.threads = kernel.threads
        # Of all warps, where there are loops over warps.
        self.warps = -(-kernel.threads // 32)
        # By element, thread and whether it wrote: the barriers since (1: of the
        # warp), and in which run and iteration of a loop over warps it was.
        self.touched = {}
        self.problem = None
        self.stamp = 0

    def wait(self, scope, warp=None):
        for key, (level, stamp) in list(self.touched.items()):
            if scope == "block":
                del self.touched[key]
            elif warp is None or key[1] // 32 == warp:
                self.touched[key] = (1, stamp)

    def access(self, leaf, values, first, workers, stamp):
        new = {}
        for t in range(leaf.count):
            if leaf.getGuard(t, *values):
                threads = new.setdefault(leaf.getIndex(t, *values), set())
                threads.add(first + leaf.getWorker(t, workers))
        for (element, other, wasWrite), (level, when) in self.touched.items():
            # The writes of one array are disjoint.
            if leaf.isWrite == wasWrite:
                continue
            for thread in new.get(element, ()):
                isNear = thread // 32 == other // 32
                # Nothing orders iterations that are side by side.
                if stamp and when and stamp[0] == when[0] and stamp != when:
                    continue
                if thread != other and level < (1 if isNear else 2):
                    self.problem = (values, element, other, thread)
                    return
        for element, threads in new.items():
            for thread in threads:
                self.touched[(element, thread, leaf.isWrite)] = (0, stamp)

    def runWarps(self, statements, loop, values):
        self.stamp += 1
        for warp in range(self.warps):
            for w in range(warp, loop.count, self.warps):
                for statement in statements:
                    if isinstance(statement, str):
                        self.wait(statement, warp)
                    else:
                        stamp = (self.stamp, w)
                        self.access(statement, values + (w,), warp * 32, 32, stamp)
                    if self.problem:
                        return

    def execute(self, statements, values):
        for statement in statements:
            if isinstance(statement, str):
                self.wait(statement)
            elif not isinstance(statement, tuple):
                self.access(statement, values, 0, self.threads, None)
            elif isinstance(statement[0], Warps):
                self.runWarps(statement[1], statement[0], values)
            else:
                loop, carried = statement[0], 1
                for turn in range(loop.turns):
                    inner = values + (turn, carried)
                    self.execute(statement[1], inner)
                    carried = loop.getNext(*inner)
            if self.problem:
                return


def run(kernel, statements, n):
    """The first pair of threads without a barrier, if there is one."""
    one = Run(kernel)
    one.execute(statements, (n,))
    return one.problem


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--obs-opt", default="obs-opt")
    parser.add_argument("--kernels", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)
    kernels = [Kernel(rng, i) for i in range(arguments.kernels)]
    text = [
        f"!array = memref<{SIZE}xi32, #obs.home<block, shared>>",
        "!private = memref<100xi32, #obs.home<block, registers>>",
    ]
    text += [line for kernel in kernels for line in kernel.text()]
    placed = subprocess.run(
        [arguments.obs_opt, "--obs-place-barriers"],
        check=False, input="\n".join(text),
        capture_output=True,
        text=True,
    )
    if placed.returncode:
        sys.exit(placed.stderr)
    parts = placed.stdout.split("obs.kernel @")[1:]
    assert len(parts) == len(kernels)
    failures = barriers = single = needed = 0
    for kernel, part in zip(kernels, parts):
        statements = parse(part.splitlines()[1:], kernel.body)
        barriers += part.count("obs.barrier")
        for n in UNKNOWN:
            problem = run(kernel, statements, n)
            if problem:
                values, element, first, second = problem
                print(f"{kernel.name}: no barrier for element {element} of threads")
                print(f"{first} and {second}, with n and counters {values}")
                print("\n".join(kernel.text()))
                failures += 1
                break
        bare = [s for s in statements if not isinstance(s, str)]
        if part.count("obs.barrier") == 1 and len(bare) < len(statements):
            single += 1
            needed += any(run(kernel, bare, n) for n in UNKNOWN)
    print(
        f"{len(kernels)} kernels, {barriers} barriers, {failures} races; "
        f"{needed} of {single} single barriers needed for these numbers"
    )
    return failures != 0 or needed == 0


if __name__ == "__main__":
    sys.exit(main())

"""Random programs from the combinators of the Obsidian papers, each as text and as a function on lists.

In: a seed. Out: each program whose results on the interpreter or the emulator are not those of Python.
"""

import argparse
import pathlib
import random
import tempfile

from fuzzing import writer
from fuzzing.compare import INTERPRET, THREADS, disagreements, emulation
from fuzzing.model import LEVELS
from fuzzing.report import Tally, in_order, ranges
from fuzzing.values import to_bytes
from obstest import runs

GROUP = 10  # programs of one module: one process runs them all


class Text(writer.Text):
    """Writes one function."""

    def let(self, text):
        name = self.name()
        self.line(f"{name} = {text}")
        return name


def pull(n):
    return f"!obs.pull<{n} x i32>"


def push(level, n):
    return f"!obs.push<{level}, {n} x i32>"


def force(t, x, n, level):
    p = t.let(f"obs.push {x} : {pull(n)} -> {push(level, n)}")
    return t.let(f"obs.force {p} : {push(level, n)} -> {pull(n)}")


def cut(t, x, offset, size, stride, n):
    return t.let(f"obs.slice {x} [{offset}] [{size}] [{stride}] : {pull(n)} -> {pull(size)}")


def distribute(t, level, x, nested, result, program, n):
    """A program of a level for each of the arrays of n elements that are the elements of x."""
    d, element = t.name(), t.name()
    t.line(f"{d} = obs.distribute {level} ({element} = {x} : {nested}) -> {result} {{")
    t.indent += 1
    y = program.emit(t, element, n, level)
    q = t.let(f"obs.push {y} : {pull(n)} -> {push(level, n)}")
    t.line(f"obs.yield {q} : {push(level, n)}")
    t.indent -= 1
    t.line("}")
    return d


def concat(t, x, y, n, m):
    return t.let(f"obs.concat {x}, {y} : {pull(n)}, {pull(m)} -> {pull(n + m)}")


# Every program is a class with `run` on a list, `emit` as text, and `fits`: the
# lengths that it takes. All keep the length.


class Id:
    def fits(self, n): return True
    def run(self, xs): return xs
    def emit(self, t, x, n, level): return x


class Reverse(Id):
    def run(self, xs): return xs[::-1]
    def emit(self, t, x, n, level): return t.let(f"obs.reverse {x} : {pull(n)}")


class Force(Id):
    def emit(self, t, x, n, level): return force(t, x, n, level)


class Riffle(Id):
    def fits(self, n): return n % 2 == 0
    def run(self, xs):
        h = len(xs) // 2
        return [x for pair in zip(xs[:h], xs[h:]) for x in pair]
    def emit(self, t, x, n, level):
        a, b = cut(t, x, 0, n // 2, 1, n), cut(t, x, n // 2, n // 2, 1, n)
        return t.let(f"obs.interleave {a}, {b} : {pull(n // 2)}, {pull(n // 2)} -> {pull(n)}")


class Unriffle(Id):
    def fits(self, n): return n % 2 == 0
    def run(self, xs): return xs[::2] + xs[1::2]
    def emit(self, t, x, n, level):
        return concat(t, cut(t, x, 0, n // 2, 2, n), cut(t, x, 1, n // 2, 2, n), n // 2, n // 2)


class Mix(Id):
    """3 x - i: neither commutes with permutations."""
    def run(self, xs): return [runs.wrap(3 * x - i) for i, x in enumerate(xs)]
    def emit(self, t, x, n, level):
        i = t.let(f"obs.iota : {pull(n)}")
        r = t.name()
        t.line(f"{r} = obs.map (%x = {x} : {pull(n)}, %i = {i} : {pull(n)}) -> {pull(n)} {{")
        t.line("  %three = arith.constant 3 : i32")
        t.line("  %m = arith.muli %x, %three : i32")
        t.line("  %d = arith.subi %m, %i : i32")
        t.line("  obs.yield %d : i32")
        t.line("}")
        return r


class SortPairs(Id):
    """Comparators on (0, 1), (2, 3), ..., by reading."""
    def fits(self, n): return n % 2 == 0
    def run(self, xs):
        return [y for i in range(0, len(xs), 2) for y in sorted(xs[i:i + 2])]
    def emit(self, t, x, n, level):
        r = t.name()
        t.line(f"{r} = obs.generate (%i) {{")
        for text in ["%c0 = arith.constant 0 : index", "%j = obs.bit.flip %i, %c0 : index",
                     f"%a = obs.get {x}[%i] : {pull(n)}", f"%b = obs.get {x}[%j] : {pull(n)}",
                     "%min = arith.minsi %a, %b : i32", "%max = arith.maxsi %a, %b : i32",
                     "%low = arith.cmpi ult, %i, %j : index",
                     "%s = arith.select %low, %min, %max : i32", "obs.yield %s : i32"]:
            t.line("  " + text)
        t.line(f"}} : {pull(n)}")
        return r


class SortBit(Id):
    """Comparators on numbers that differ in bit `bit`, by writing both."""
    def __init__(self, bit): self.bit = bit
    def fits(self, n): return n % (2 << self.bit) == 0
    def run(self, xs):
        ys = list(xs)
        for i in range(len(xs)):
            j = i ^ (1 << self.bit)
            if i < j:
                ys[i], ys[j] = sorted((xs[i], xs[j]))
        return ys
    def emit(self, t, x, n, level):
        half, bit = t.let(f"arith.constant {n // 2} : index"), t.let(f"arith.constant {self.bit} : index")
        p = t.name()
        t.line(f"{p} = obs.fill par (%t) in ({half}) {{")
        for text in [f"%i = obs.bit.insert_zero %t, {bit} : index", f"%j = obs.bit.flip %i, {bit} : index",
                     f"%a = obs.get {x}[%i] : {pull(n)}", f"%b = obs.get {x}[%j] : {pull(n)}",
                     "%min = arith.minsi %a, %b : i32", "%max = arith.maxsi %a, %b : i32",
                     "obs.write %min at [%i] : i32", "obs.write %max at [%j] : i32"]:
            t.line("  " + text)
        t.line(f"}} : {push(level, n)}")
        return t.let(f"obs.force {p} : {push(level, n)} -> {pull(n)}")


class Seq(Id):
    def __init__(self, *parts): self.parts = parts
    def fits(self, n): return all(p.fits(n) for p in self.parts)
    def run(self, xs):
        for p in self.parts:
            xs = p.run(xs)
        return xs
    def emit(self, t, x, n, level):
        for p in self.parts:
            x = p.emit(t, x, n, level)
        return x


class Parl(Id):
    """`first` on the first half, `second` on the rest."""
    def __init__(self, first, second): self.first, self.second = first, second
    def fits(self, n): return n >= 2 and self.first.fits(n // 2) and self.second.fits(n - n // 2)
    def run(self, xs):
        h = len(xs) // 2
        return self.first.run(xs[:h]) + self.second.run(xs[h:])
    def emit(self, t, x, n, level):
        h = n // 2
        a = self.first.emit(t, cut(t, x, 0, h, 1, n), h, level)
        b = self.second.emit(t, cut(t, x, h, n - h, 1, n), n - h, level)
        return concat(t, a, b, h, n - h)


class Ilv(Id):
    """`body` on the even and on the odd elements."""
    def __init__(self, body): self.body = body
    def fits(self, n): return n % 2 == 0 and self.body.fits(n // 2)
    def run(self, xs):
        return Riffle().run(self.body.run(xs[::2]) + self.body.run(xs[1::2]))
    def emit(self, t, x, n, level):
        return Riffle().emit(t, Parl(self.body, self.body).emit(t, Unriffle().emit(t, x, n, level), n, level), n, level)


class Chunks(Id):
    """`body` on chunks of `size` by sub-programs of `inner`, stored at the end."""
    def __init__(self, size, inner, strided, body):
        self.size, self.inner, self.strided, self.body = size, inner, strided, body
    def fits(self, n): return n % self.size == 0 and self.body.fits(self.size)
    def run(self, xs):
        k, c = self.size, len(xs) // self.size
        index = [[j + i * c if self.strided else j * k + i for i in range(k)] for j in range(c)]
        ys = [0] * len(xs)
        for chunk in index:
            for i, y in zip(chunk, self.body.run([xs[i] for i in chunk])):
                ys[i] = y
        return ys
    def emit(self, t, x, n, level):
        k, c = self.size, n // self.size
        how = " strided" if self.strided else ""
        nested = f"!obs.pull<{c} x {pull(k)}>"
        s = t.let(f"obs.split {x}{how} by [{k}] : {pull(n)} -> {nested}")
        d = distribute(t, self.inner, s, nested, f"!obs.push<{level}, {c} x {k} x i32>", self.body, k)
        j = t.let(f"obs.join {d}{how} : !obs.push<{level}, {c} x {k} x i32> -> {push(level, n)}")
        return t.let(f"obs.force {j} : {push(level, n)} -> {pull(n)}")


class Loop(Id):
    def __init__(self, times, body): self.times, self.body = times, body
    def fits(self, n): return self.body.fits(n)
    def run(self, xs):
        for _ in range(self.times):
            xs = self.body.run(xs)
        return xs
    def emit(self, t, x, n, level):
        zero, one, times = (t.let(f"arith.constant {c} : index") for c in (0, 1, self.times))
        r, y, i = t.name(), t.name(), t.name()
        t.line(f"{r} = scf.for {i} = {zero} to {times} step {one} iter_args({y} = {x}) -> {pull(n)} {{")
        t.indent += 1
        z = self.body.emit(t, y, n, level)
        t.line(f"scf.yield {z} : {pull(n)}")
        t.indent -= 1
        t.line("}")
        return r


def draw(rng, n, level, depth):
    """A program on arrays of `n` at `level`."""
    while True:
        kind = rng.randrange(14) if depth > 0 else rng.randrange(7)
        lower = rng.choice(LEVELS[:LEVELS.index(level) + 1])
        divisors = [k for k in range(2, n + 1) if n % k == 0] or [n]
        size = rng.choice(divisors)
        sub = lambda m, l=level: draw(rng, m, l, depth - 1)
        if kind < 7:
            program = [Id(), Reverse(), Riffle(), Unriffle(), Mix(), SortPairs(), SortBit(rng.randrange(5))][kind]
        elif kind == 7:
            program = Force()
        elif kind in (8, 9):
            program = Seq(*(sub(n) for _ in range(rng.randint(2, 3))))
        elif kind == 10 and n >= 2:
            program = Parl(sub(n // 2), sub(n - n // 2))
        elif kind == 11 and n % 2 == 0 and n >= 2:
            program = Ilv(sub(n // 2))
        elif kind == 12:
            program = Chunks(size, lower, rng.random() < 0.5, sub(size, lower))
        elif kind == 13:
            program = Loop(rng.randint(0, 3), sub(n))
        else:
            continue
        if program.fits(n):
            return program


class Case:
    """One program with its chunk length and level, on arrays of any length."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.seed = seed
        self.level = rng.choice(["block", "block", "block", "warp", "thread"])
        self.n = rng.choice([8, 12, 16] if self.level == "thread" else [7, 8, 12, 16, 32, 33, 48, 64])
        self.program = Seq(*(draw(rng, self.n, self.level, 3) for _ in range(2)))

    def run(self, xs):
        n = self.n
        padded = xs + [0] * (-len(xs) % n)
        ys = [y for i in range(0, len(padded), n) for y in self.program.run(padded[i:i + n])]
        return ys[:len(xs)]

    def emit(self, t):
        n, level = self.n, self.level
        zero, length = t.let("arith.constant 0 : i32"), t.let("obs.dim %input, 0 : !obs.pull<? x i32>")
        nested = f"!obs.pull<? x {pull(n)}>"
        s = t.let(f"obs.split %input by [{n}] pad {zero} : !obs.pull<? x i32> -> {nested}")
        d = distribute(t, level, s, nested, f"!obs.push<grid, ? x {n} x i32>", self.program, n)
        j = t.let(f"obs.join {d} to [{length}] : !obs.push<grid, ? x {n} x i32> -> !obs.push<grid, ? x i32>")
        return t.let(f"obs.force {j} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>")


def module(cases):
    t = Text()
    results = [case.emit(t) for case in cases]
    types = ", ".join(["!obs.pull<? x i32>"] * len(cases))
    t.line(f"return {', '.join(results)} : {types}")
    return f"func.func @main(%input: !obs.pull<? x i32>) -> ({types}) {{\n" + "\n".join(t.lines) + "\n}\n"


def test_group(seeds, options, folder):
    """Runs the programs of `seeds`; returns descriptions of failures."""
    rng = random.Random(seeds[0] * 7919 + 1)
    cases = [Case(seed) for seed in seeds]
    length = rng.choice([0, 1, 7, 31, 33, 64, 100, 200, 257])
    xs = [rng.randrange(-2**31, 2**31) for _ in range(length)]
    path, source = folder / f"{seeds[0]}.mlir", folder / f"{seeds[0]}.in"
    path.write_text(module(cases))
    source.write_bytes(to_bytes(xs, "i32"))
    launches = [INTERPRET]
    for _ in range(2):
        threads = rng.choice(THREADS)
        blocks = rng.choice([1, 2, max(1, length // 8), length + 3])
        schedule = rng.randrange(1000) if rng.random() < 0.5 else None
        launches.append(emulation(threads, blocks, schedule, options.check))
    if options.cuda:
        launches.append(["--device=cuda", f"--threads={rng.choice(THREADS)}"])
    wanted = [("i32", case.run(xs)) for case in cases]
    failures = []
    for found in disagreements(options.obs_run, path, [f"{source}:i32"], launches, wanted, seconds=600):
        if found.result is None and len(cases) > 1:
            # Each program runs alone, to find the one that fails.
            return [f for seed in seeds for f in test_group([seed], options, folder)]
        failures.append((seeds[found.result or 0], found.launch, found.why[:600]))
    return failures


def main(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--obs-run", default="obs-run")
    parser.add_argument("--programs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cuda", action="store_true", help="run on the GPU, too")
    parser.add_argument("--check", action="store_true", help="with all checks of the emulator")
    parser.add_argument("--print", action="store_true", help="print the program of --seed and stop")
    options = parser.parse_args()
    if options.print:
        print(module([Case(options.seed)]))
        return 0
    groups = list(ranges(options.seed, options.programs, GROUP))
    failures, tally = [], Tally(100 * GROUP)
    with tempfile.TemporaryDirectory() as folder:
        def test(seeds):
            return test_group(seeds, options, pathlib.Path(folder))

        for seeds, found in in_order(test, groups, options.jobs):
            failures += found
            tally.failures = len(failures)
            tally.add(len(seeds))
    for seed, launch, why in failures[:20]:
        print(f"seed {seed}, {' '.join(launch)}: {why}")
    print(f"{options.programs} programs from seed {options.seed}: {len(failures)} failures")
    return 1 if failures else 0

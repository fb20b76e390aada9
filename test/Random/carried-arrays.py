#!/usr/bin/env python3
# ===- carried-arrays.py - Arrays that random programs carry ----------------===#
#
# Part of the Obsidian project, under the Apache License v2.0 with LLVM
# Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===------------------------------------------------------------------------===#
"""Programs of threads, warps, blocks and the grid whose nested loops and branches carry
arrays: virtual ones and stored ones, of one and of two types of elements, of fixed length
and of one that changes, beside scalars; also in programs of a smaller unit inside. The
condition region of a `while` makes arrays too, and passes on those, its arguments and
arrays from outside, in any order and more than once. Each program is also run in Python,
on lists; interpreter and emulator must agree with it, at any number of threads, and the
emulator must find no race and no read of what nobody has written.
"""

import argparse
import pathlib
import random
import subprocess
import sys

from tuples import wrap

BITS = {"i32": 32, "i16": 16}
# A kind of value: its elements, and its length if that changes.
ELEMENTS = {"one": ["i32"], "two": ["i32", "i16"], "some": ["i32"]}
THREADS = (1, 17, 32, 33, 96, 128, 1024)


class Program:
    """The text of a function, and `run`, which does the same to a list in Python: each
    statement is a function that changes the values of names."""

    def __init__(self, seed, level=None):
        self.rng, self.count, self.lines = random.Random(seed), 0, []
        self.level = level or self.rng.choice(["thread", "warp", "block", "block", "grid"])
        self.length = self.rng.choice([1, 2, 7, 8] if self.level == "thread" else [1, 7, 32, 40, 70])
        self.instances = self.rng.choice({"thread": [1, 3, 37], "grid": [1]}.get(self.level, [1, 2, 5]))
        self.types = {
            "one": f"!obs.pull<{self.length} x i32>",
            "two": f"!obs.pull<{self.length} x i32, i16>",
            "some": f"!obs.pull<? x i32 bound [{self.length}]>",
            "int": "i32",
            "index": "index",
        }
        self.body = []
        known = [("%c", "one"), ("%k5", "int")]
        self.make(known, self.body, "two")
        self.make(known, self.body, "some")
        self.base = list(known)
        if seed % 3 == 0:
            self.add_for(known, self.body, 0, permutes=True)
        for _ in range(self.rng.randint(1, 2) - (seed % 3 == 0)):
            self.add_control(known, self.body, 0)
        self.finish(known)

    # Names, and text.

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def emit(self, text):
        self.lines.append("    " + text)

    def list_types(self, values):
        return ", ".join(self.types[kind] for _, kind in values)

    def list_names(self, values):
        return ", ".join(name for name, _ in values)

    def list_results(self, values):
        return f"({self.list_types(values)})"

    def pick(self, known, *kinds):
        fit = [value for value in known if not kinds or value[1] in kinds]
        return self.rng.choice(fit[-3:] if self.rng.random() < 0.8 else fit)

    def choose(self, known, kinds):
        """Values of these kinds to pass on, now and then one of them twice."""
        chosen = []
        for kind in kinds:
            value = self.pick(known, kind)
            if value in chosen and self.rng.random() < 0.7:
                value = self.pick(known, kind)
            chosen.append(value)
        return chosen

    # Arrays.

    def map(self, source, kind, code, compute):
        """An array of `kind` from one: `code` makes %r0, and %r1 if there are two types, of %a0, %a1 and %s."""
        result = self.name()
        (array, of), scalar = source
        arguments = ", ".join(f"%a{i}" for i in range(len(ELEMENTS[of])))
        results = [f"%r{i}" for i in range(len(ELEMENTS[kind]))]
        self.emit(f"{result} = obs.map ({arguments} = {array} : {self.types[of]}) -> {self.types[kind]} {{")
        for line in code:
            self.emit("  " + line.replace("%s", scalar[0]))
        self.emit(f"  obs.yield {', '.join(results)} : {', '.join(ELEMENTS[kind])}")
        self.emit("}")
        bits = [BITS[element] for element in ELEMENTS[kind]]

        def run(env):
            s = env[scalar[0]]
            env[result] = [tuple(map(wrap, compute(*e, s), bits)) for e in env[array]]

        return (result, kind), run

    def change(self, array, scalar):
        code = ["%t = arith.muli %a0, %k3 : i32", "%r0 = arith.addi %t, %s : i32"]
        compute = lambda a, s: (3 * a + s,)
        if array[1] == "two":
            code += ["%u = arith.trunci %s : i32 to i16", "%r1 = arith.subi %u, %a1 : i16"]
            compute = lambda a, b, s: (3 * a + s, s - b)
        return self.map((array, scalar), array[1], code, compute)

    def change_all(self, arrays, body):
        changed = []
        for array in arrays:
            value, run = self.change(array, ("%k5", "int"))
            changed.append(value)
            body.append(run)
        return changed

    def make(self, known, body, kind=None):
        """One more array, virtual or stored."""
        form = self.rng.choice(["map", "map", "reverse", "mix", "convert"]) if kind is None else "convert"
        if form == "convert":
            value, run = self.convert(known, kind or self.rng.choice(["one", "two", "some"]))
        elif form == "map":
            value, run = self.change(self.pick(known, "one", "two", "some"), self.pick(known, "int"))
        elif form == "reverse":
            source, kind = self.pick(known, "one", "two", "some")
            value = (self.name(), kind)
            self.emit(f"{value[0]} = obs.reverse {source} : {self.types[kind]}")

            def run(env, source=source, name=value[0]):
                env[name] = env[source][::-1]

        else:
            value, run = self.mix(self.pick(known, "one"), self.pick(known, "one"))
        body.append(run)
        known.append(value)
        if self.rng.random() < 0.5:
            name, kind = value
            stored, push = self.name(), f"!obs.push<{self.level}, {self.types[kind][len('!obs.pull<'):]}"
            self.emit(f"{stored}p = obs.push {name} : {self.types[kind]} -> {push}")
            self.emit(f"{stored} = obs.force {stored}p : {push} -> {self.types[kind]}")
            body.append(lambda env: env.update({stored: env[name]}))
            known.append((stored, kind))

    def mix(self, first, second):
        """An element of `first` and one of `second` from its end on."""
        result, back, kind = self.name(), self.name(), self.types["one"]
        self.emit(f"{back} = obs.reverse {second[0]} : {kind}")
        self.emit(f"{result} = obs.map (%a = {first[0]} : {kind}, %b = {back} : {kind}) -> {kind} {{")
        self.emit("  %t = arith.muli %a, %k3 : i32")
        self.emit("  %r = arith.addi %t, %b : i32")
        self.emit("  obs.yield %r : i32")
        self.emit("}")

        def run(env):
            env[result] = [
                (wrap(3 * a + b, 32),) for (a,), (b,) in zip(env[first[0]], reversed(env[second[0]]))
            ]

        return (result, "one"), run

    def convert(self, known, kind):
        """An array of `kind` from one of another."""
        zero = ("%k5", "int")
        if kind == "two":
            code = ["%r0 = arith.addi %a0, %s : i32", "%r1 = arith.trunci %a0 : i32 to i16"]
            return self.map((self.pick(known, "one"), zero), kind, code, lambda a, s: (a + s, a))
        if kind == "one":
            array = self.pick(known, "one", "two")
            if array[1] == "one":
                return self.map((array, zero), kind, ["%r0 = arith.subi %s, %a0 : i32"], lambda a, s: (s - a,))
            code = ["%t = arith.extsi %a1 : i16 to i32", "%r0 = arith.addi %a0, %t : i32"]
            return self.map((array, zero), kind, code, lambda a, b, s: (a + b,))
        # Half of one that is not empty, and never nothing.
        (source, of), result = self.pick(known, "one", "some"), self.name()
        extent, more, half = self.name(), self.name(), self.name()
        self.emit(f"{extent} = obs.dim {source}, 0 : {self.types[of]}")
        self.emit(f"{more} = arith.addi {extent}, %c1 : index")
        self.emit(f"{half} = arith.divui {more}, %c2 : index")
        self.emit(f"{result} = obs.take {source} [{half}] : {self.types[of]} -> {self.types['some']}")
        return (result, "some"), lambda env: env.update({result: env[source][: (len(env[source]) + 1) // 2]})

    def add_scalar(self, known, body):
        """The first element of an array, or the sum of two numbers."""
        result = self.name()
        if self.rng.random() < 0.5:
            source, of = self.pick(known, "one", "some")
            self.emit(f"{result} = obs.get {source}[%c0] : {self.types[of]}")
            body.append(lambda env: env.update({result: env[source][0][0]}))
        else:
            a, b = self.pick(known, "int")[0], self.pick(known, "int")[0]
            self.emit(f"{result} = arith.addi {a}, {b} : i32")
            body.append(lambda env: env.update({result: wrap(env[a] + env[b], 32)}))
        known.append((result, "int"))

    # Control flow.

    def add_block(self, known, body, depth):
        for _ in range(self.rng.randint(1, 2)):
            draw = self.rng.random()
            if draw < 0.25:
                self.add_scalar(known, body)
            elif draw < 0.25 + 0.3 / (depth + 1) and depth < 3:
                self.add_control(known, body, depth)
            elif draw > 0.93 and self.level in ("warp", "block"):
                self.add_parts(known, body, depth)
            else:
                self.make(known, body)

    def add_control(self, known, body, depth):
        self.rng.choice([self.add_for, self.add_while, self.add_while, self.add_if])(known, body, depth)

    def choose_kinds(self, low=1):
        kinds = self.rng.choices(["one", "two", "some", "int"], [5, 2, 2, 2], k=self.rng.randint(low, 3))
        return kinds if "int" not in kinds[:1] else ["one"] + kinds[1:]

    def inside(self, known, carried):
        """The values that a region uses: those carried, and all around it or few."""
        return (known if self.rng.random() < 0.5 else self.base) + carried

    def name_all(self, kinds):
        return [(self.name(), kind) for kind in kinds]

    @staticmethod
    def bind(env, targets, values):
        """At once: the values may be old values of the targets."""
        new = [env[name] for name, _ in values]
        env.update({name: value for (name, _), value in zip(targets, new)})

    def add_results(self, known, result, kinds):
        values = [(f"{result}#{i}" if len(kinds) > 1 else result, kind) for i, kind in enumerate(kinds)]
        known.extend(value for value in values if value[1] != "index")
        return values

    def permute(self, carried, body, depth):
        """The carried arrays in any order. One more loop makes one of them anew; nothing else needs
        its old value."""
        old = self.rng.choice([value for value in carried if value[1] != "int"])
        known = list(self.base)
        if self.rng.random() < 0.4:
            self.add_for(known, body, depth, captured=old)
        else:
            self.add_for(known, body, depth, [old])
        made = [value for value in known if value[1] == old[1]][-1]
        again = [made if value == old else value for value in carried]
        for kind in ELEMENTS:
            places = [i for i, value in enumerate(again) if value[1] == kind]
            values = [again[i] for i in self.rng.sample(places, len(places))]
            for i, value in zip(places, values):
                again[i] = value
        return again

    def add_for(self, known, body, depth, inits=None, captured=None, permutes=False):
        """A loop that starts from `inits`; one loop in it may start from `captured`. The arrays
        that it carries may change places."""
        permutes |= not inits and not captured and depth < 2 and self.rng.random() < 0.3
        changes = inits
        if permutes:
            kind = self.rng.choice(["one", "one", "two", "some"])
            inits = [self.pick(known, kind) for _ in range(self.rng.randint(2, 3))]
            for i in range(1, len(inits)):
                inits[i:] = self.change_all(inits[i:], body)
        inits = inits or self.choose(known, [captured[1]] if captured else self.choose_kinds())
        kinds = [kind for _, kind in inits]
        result, counter, carried = self.name(), self.name(), self.name_all(kinds)
        turns = self.rng.choice([0, 1, 2, 3, 3])
        starts = ", ".join(f"{a} = {b}" for (a, _), (b, _) in zip(carried, inits))
        self.emit(
            f"{result}:{len(kinds)} = scf.for {counter} = %c0 to %c{turns} step %c1 iter_args({starts}) "
            f"-> {self.list_results(carried)} {{"
        )
        inner, inside = [], self.inside(known, carried)
        if captured:
            self.add_for(inside, inner, depth + 1, [captured])
            again = self.change_all(inside[-1:], inner)
        elif changes:
            again = self.change_all(carried, inner)
        elif permutes:
            again = self.permute(carried, inner, depth + 1)
        else:
            self.add_block(inside, inner, depth + 1)
            again = self.choose(inside, kinds)
        self.emit(f"scf.yield {self.list_names(again)} : {self.list_types(again)}")
        self.emit("}")
        results = self.add_results(known, result, kinds)

        def run(env):
            self.bind(env, carried, inits)
            for _ in range(turns):
                for statement in inner:
                    statement(env)
                self.bind(env, carried, again)
            self.bind(env, results, carried)

        body.append(run)

    def add_while(self, known, body, depth):
        """A counter is among what both regions carry, somewhere."""
        rng = self.rng
        kinds, passed_kinds = self.choose_kinds(), self.choose_kinds()
        result, go, turn, following = self.name(), self.name(), self.name(), self.name()
        carried, after = self.name_all(kinds), self.name_all(passed_kinds)
        inits, turns = self.choose(known, kinds), rng.randint(0, 3)
        place, passed_place = rng.randint(0, len(kinds)), rng.randint(0, len(passed_kinds))
        counter, zero = (self.name(), "index"), ("%c0", "index")
        carried_all, inits_all = list(carried), list(inits)
        carried_all.insert(place, counter)
        inits_all.insert(place, zero)
        results_like = list(after)
        results_like.insert(passed_place, (turn, "index"))
        starts = ", ".join(f"{a} = {b}" for (a, _), (b, _) in zip(carried_all, inits_all))
        self.emit(
            f"{result}:{len(results_like)} = scf.while ({starts}) : "
            f"{self.list_results(carried_all)} -> {self.list_results(results_like)} {{"
        )
        before_body, inside = [], self.inside(known, carried)
        if rng.random() < 0.8:
            self.add_block(inside, before_body, depth + 1)
        self.emit(f"{go} = arith.cmpi ult, {counter[0]}, %c{turns} : index")
        data = None
        if rng.random() < 0.4:
            # Also by what an array holds, which is not the same in all instances.
            data, of = self.pick(inside, "one", "some")
            both = self.name()
            self.emit(f"{both}e = obs.get {data}[%c0] : {self.types[of]}")
            self.emit(f"{both}r = arith.andi {both}e, %k3 : i32")
            self.emit(f"{both}c = arith.cmpi ne, {both}r, %k3 : i32")
            self.emit(f"{both} = arith.andi {go}, {both}c : i1")
            go = both
        passed = self.choose(inside, passed_kinds)
        passed.insert(passed_place, counter)
        self.emit(f"scf.condition({go}) {self.list_names(passed)} : {self.list_types(passed)}")
        self.emit("} do {")
        arguments = ", ".join(f"{name}: {self.types[kind]}" for name, kind in results_like)
        self.emit(f"^bb0({arguments}):")
        after_body, inside = [], self.inside(known, after)
        if rng.random() < 0.8:
            self.add_block(inside, after_body, depth + 1)
        self.emit(f"{following} = arith.addi {turn}, %c1 : index")
        again = self.choose(inside, kinds)
        again.insert(place, (following, "index"))
        self.emit(f"scf.yield {self.list_names(again)} : {self.list_types(again)}")
        self.emit("}")
        results = self.add_results(known, result, [kind for _, kind in results_like])

        def run(env):
            self.bind(env, carried_all, inits_all)
            while True:
                for statement in before_body:
                    statement(env)
                goes = env[counter[0]] < turns and (data is None or env[data][0][0] & 3 != 3)
                self.bind(env, results_like, passed)
                if not goes:
                    break
                for statement in after_body:
                    statement(env)
                env[following] = env[turn] + 1
                self.bind(env, carried_all, again)
            self.bind(env, results, results_like)

        body.append(run)

    def add_if(self, known, body, depth):
        kinds = self.choose_kinds()
        result, condition = self.name(), self.name()
        data, of = self.pick(known, "one", "some")
        self.emit(f"{condition}e = obs.get {data}[%c0] : {self.types[of]}")
        self.emit(f"{condition} = arith.trunci {condition}e : i32 to i1")
        types = ", ".join(self.types[kind] for kind in kinds)
        self.emit(f"{result}:{len(kinds)} = scf.if {condition} -> ({types}) {{")
        arms = []
        for end in "} else {", "}":
            inner, inside = [], self.inside(known, [])
            if self.rng.random() < 0.7:
                self.add_block(inside, inner, depth + 1)
            chosen = self.choose(inside, kinds)
            self.emit(f"scf.yield {self.list_names(chosen)} : {self.list_types(chosen)}")
            self.emit(end)
            arms.append((inner, chosen))
        results = self.add_results(known, result, kinds)

        def run(env):
            inner, chosen = arms[0 if env[data][0][0] & 1 else 1]
            for statement in inner:
                statement(env)
            self.bind(env, results, chosen)

        body.append(run)

    def add_parts(self, known, body, depth):
        """An array each element of which is from a program of threads or warps, with loops."""
        outer, length = self.level, self.length
        self.level = "warp" if outer == "block" and self.rng.random() < 0.5 else "thread"
        ids, parts, result, number = self.name(), self.name(), self.name(), self.name()
        inner, inside = [], self.inside(known, [(f"{number}i", "int")])
        part = f"!obs.push<{self.level}, 1 x i32>"
        self.emit(f"{ids} = obs.iota : !obs.pull<{length} x index>")
        self.emit(
            f"{parts} = obs.distribute {self.level} ({number} = {ids} : !obs.pull<{length} x index>) "
            f"-> !obs.push<{outer}, {length} x 1 x i32> {{"
        )
        self.emit(f"{number}i = arith.index_cast {number} : index to i32")
        self.make(inside, inner)
        self.add_control(inside, inner, max(depth, 1))
        source = self.pick(inside, "one")[0]
        self.emit(f"{result}e = obs.get {source}[{number}] : {self.types['one']}")
        self.emit(f"{result}s = obs.splat {result}e : !obs.pull<1 x i32>")
        self.emit(f"{result}q = obs.push {result}s : !obs.pull<1 x i32> -> {part}")
        self.emit(f"obs.yield {result}q : {part}")
        self.emit("}")
        self.level = outer
        push = f"!obs.push<{outer}, {length} x i32>"
        self.emit(f"{result}j = obs.join {parts} : !obs.push<{outer}, {length} x 1 x i32> -> {push}")
        self.emit(f"{result} = obs.force {result}j : {push} -> {self.types['one']}")

        def run(env):
            found = []
            for t in range(length):
                env[f"{number}i"] = t
                for statement in inner:
                    statement(env)
                found.append(env[source][t])
            env[result] = found

        body.append(run)
        known.append((result, "one"))

    # The function.

    def finish(self, known):
        """Adds up arrays of each kind, and a number, the latest with other weights."""
        final = [value for value in known if value[1] == "one"][-3:]
        for kind in "two", "some":
            final += [value for value in known if value[1] == kind][-2:]
        scalar = self.pick(known, "int")
        length, one = self.length, self.types["one"]
        self.emit("%sum = obs.generate (%i) {")
        total = scalar[0]
        for k, (name, kind) in enumerate(final):
            value, at = f"%f{k}", "%i"
            if kind == "some":
                self.emit(f"  {value}n = obs.dim {name}, 0 : {self.types[kind]}")
                self.emit(f"  {value}i = arith.remui %i, {value}n : index")
                at = f"{value}i"
            results = ", ".join(f"{value}e{i}" for i in range(len(ELEMENTS[kind])))
            self.emit(f"  {results} = obs.get {name}[{at}] : {self.types[kind]}")
            self.emit(f"  {value}w = arith.constant {2 * k + 3} : i32")
            part = f"{value}e0"
            if kind == "two":
                self.emit(f"  {value}x = arith.extsi {value}e1 : i16 to i32")
                self.emit(f"  {value}y = arith.xori {value}e0, {value}x : i32")
                part = f"{value}y"
            self.emit(f"  {value}t = arith.muli {total}, {value}w : i32")
            self.emit(f"  {value} = arith.addi {value}t, {part} : i32")
            total = value
        self.emit(f"  obs.yield {total} : i32")
        self.emit(f"}} : {one}")

        def run(env):
            rows = []
            for i in range(length):
                total = env[scalar[0]]
                for k, (name, kind) in enumerate(final):
                    e = env[name][i % len(env[name])]
                    total = wrap(total * (2 * k + 3) + (e[0] ^ e[1] if kind == "two" else e[0]), 32)
                rows.append(total)
            env["%sum"] = rows

        self.body.append(run)
        if self.level == "grid":
            self.text = self.build_host()
            return
        all_type = f"!obs.pull<{self.instances * length} x i32>"
        parts = f"!obs.pull<{self.instances} x {one}>"
        grid = f"!obs.push<grid, {self.instances} x {length} x i32>"
        flat = f"!obs.push<grid, {self.instances * length} x i32>"
        own = f"!obs.push<{self.level}, {length} x i32>"
        self.text = "\n".join(
            [
                f"func.func @main(%all: {all_type}) -> {all_type} {{",
                f"  %w = obs.split %all by [{length}] : {all_type} -> {parts}",
                f"  %d = obs.distribute {self.level} (%c = %w : {parts}) -> {grid} {{",
                *self.build_constants(),
                *self.lines,
                f"    %q = obs.push %sum : {one} -> {own}",
                f"    obs.yield %q : {own}",
                "  }",
                f"  %j = obs.join %d : {grid} -> {flat}",
                f"  %f = obs.force %j : {flat} -> {all_type}",
                f"  return %f : {all_type}",
                "}",
                "",
            ]
        )

    def build_constants(self):
        constants = [f"    %c{i} = arith.constant {i} : index" for i in range(4)]
        return constants + [f"    %k{i} = arith.constant {i} : i32" for i in (3, 5)]

    def build_host(self):
        one, push = self.types["one"], f"!obs.push<grid, {self.length} x i32>"
        return "\n".join(
            [
                f"func.func @main(%c: {one}) -> {one} {{",
                *self.build_constants(),
                *self.lines,
                f"    %q = obs.push %sum : {one} -> {push}",
                f"    %f = obs.force %q : {push} -> {one}",
                f"    return %f : {one}",
                "}",
                "",
            ]
        )

    def run(self):
        """The results of @main for 0, 1, 2, ..."""
        found = []
        for k in range(self.instances):
            env = {"%c": [(k * self.length + i,) for i in range(self.length)], "%k5": 5, "%c0": 0}
            for statement in self.body:
                statement(env)
            found += env["%sum"]
        return found


def run(command):
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return "timeout"
    if done.returncode:
        return f"exit code {done.returncode}: {done.stderr}"
    return done.stdout.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("obs_run")
    parser.add_argument("directory", help="where a program is put")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--all-threads", action="store_true", help="each program with every number of threads")
    parser.add_argument("--go-on", action="store_true", help="after a failure too")
    options = parser.parse_args()
    directory = pathlib.Path(options.directory)
    directory.mkdir(parents=True, exist_ok=True)
    failures = 0
    for seed in range(options.seed, options.seed + options.count):
        program = Program(seed)
        path = directory / "program.mlir"
        path.write_text(program.text)
        command = [options.obs_run, str(path), f"iota:{program.instances * program.length}xi32"]
        want = str(program.run())
        chosen = THREADS if options.all_threads else [THREADS[seed % len(THREADS)]]
        launches = [["--device=interpret"]]
        for threads in chosen:
            launch = ["--device=emulate", "--check", f"--threads={threads}"]
            launches.append(launch + (["--schedule=random", f"--seed={seed}"] if seed % 2 else []))
        for launch in launches:
            got = run(command + launch)
            if got != want:
                failures += 1
                kept = directory / f"failed-{seed}.mlir"
                kept.write_text(program.text)
                print(f"seed {seed}, {' '.join(launch)}, {kept}:\n{got[:900]}\nnot\n{want[:300]}")
                if not options.go_on:
                    sys.exit(1)
                break
    print(f"{options.count - failures} programs")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()

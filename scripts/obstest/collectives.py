"""Programs with one collective or irregular operation, and what they compute in Python.

In: cases, each a kind, level, extent, number of threads, operator and strategy. Out: modules with many
cases, and each case whose results differ, or that is refused for another reason than its size.
"""

import argparse
import itertools
import multiprocessing
import os
import random
import subprocess
import tempfile
import time

from obstest import runs

SIZE = 4096  # of the data, a power of two
EXTENTS = (0, 1, 31, 32, 33, 100, 257, 1000, 4096)
THREADS = (1, 17, 32, 96, 128, 160, 1024)
LEVELS = ("thread", "warp", "block")
INSTANCES = {"thread": 5, "warp": 3, "block": 2}
REDUCE = ("default", "sequential", "adjacent_tree", "halving_tree", "raking", "warps")
SCAN = ("default", "sequential", "sklansky", "kogge_stone", "brent_kung", "raking", "warps")
STRATEGIES = {
    "reduce": REDUCE, "scan": SCAN, "segmented_scan": SCAN,
    "segmented_reduce": SCAN, "compact": SCAN, "rank": SCAN, "expand": SCAN,
    "scatter": ("default",),
}
IRREGULAR = ("compact", "rank", "expand", "scatter")
KEYS = 16  # of rank, and indices of scatter


# Operators: element types, how an element is made from the number x and the
# index i, the initial value, and the combination; the latter in Python and in
# MLIR, where operands are %a0, ..., %b0, ... and results %r0, ...

class AddInteger:
    types, commutative, init = ("i32",), True, (7,)
    element = staticmethod(lambda x, i: (x,))
    make = ()
    made = ("%x",)
    combine = staticmethod(lambda a, b: (runs.wrap(a[0] + b[0]),))
    body = "%r0 = arith.addi %a0, %b0 : i32"


class AddFloat:
    """Of integers that are so small that the sum is the same in every order."""
    types, commutative, init = ("f32",), True, (7.0,)
    element = staticmethod(lambda x, i: (float(x & 15),))
    make = ("%m = arith.andi %x, %c15 : i32", "%e = arith.sitofp %m : i32 to f32")
    made = ("%e",)
    combine = staticmethod(lambda a, b: (a[0] + b[0],))
    body = "%r0 = arith.addf %a0, %b0 : f32"


class Maximum:
    types, commutative, init = ("i32",), True, (-5,)
    element = staticmethod(lambda x, i: (x,))
    make = ()
    made = ("%x",)
    combine = staticmethod(lambda a, b: (max(a[0], b[0]),))
    body = "%r0 = arith.maxsi %a0, %b0 : i32"


class Append:
    """Intervals: begin, end, and whether all that were joined did touch. The
    first one joins -3 to 0."""
    types, commutative, init = ("i32", "i32", "i32"), False, (-3, 0, 1)
    element = staticmethod(lambda x, i: (i, i + 1, 1))
    make = ("%e = arith.addi %j, %c1 : i32",)
    made = ("%j", "%e", "%c1")
    combine = staticmethod(lambda a, b: (a[0], b[1], int(a[1] == b[0]) & a[2] & b[2]))
    body = """%t = arith.cmpi eq, %a1, %b0 : i32
        %u = arith.extui %t : i1 to i32
        %v = arith.andi %a2, %b2 : i32
        %r2 = arith.andi %u, %v : i32
        %r0 = arith.addi %a0, %c0 : i32
        %r1 = arith.addi %b1, %c0 : i32"""


class MaximumSegment:
    """Sum, largest sum of a prefix, of a suffix, of any segment."""
    types, commutative, init = ("i32",) * 4, False, (-9, -2, 3, 4)
    element = staticmethod(lambda x, i: ((x & 255) - 128,) * 4)
    make = ("%m = arith.andi %x, %c255 : i32", "%e = arith.subi %m, %c128 : i32")
    made = ("%e",) * 4
    combine = staticmethod(lambda a, b: (
        a[0] + b[0], max(a[1], a[0] + b[1]), max(b[2], a[2] + b[0]),
        max(a[3], b[3], a[2] + b[1])))
    body = """%r0 = arith.addi %a0, %b0 : i32
        %p = arith.addi %a0, %b1 : i32
        %r1 = arith.maxsi %a1, %p : i32
        %q = arith.addi %a2, %b0 : i32
        %r2 = arith.maxsi %b2, %q : i32
        %t = arith.addi %a2, %b1 : i32
        %u = arith.maxsi %a3, %b3 : i32
        %r3 = arith.maxsi %t, %u : i32"""


class Matrix:
    """Products of 2 by 2 matrices, modulo 2^32."""
    types, commutative, init = ("i32",) * 4, False, (1, 2, 3, 5)
    element = staticmethod(lambda x, i: (x, runs.wrap(x * 255), runs.wrap(x + 15), 1))
    make = ("%e = arith.muli %x, %c255 : i32", "%f = arith.addi %x, %c15 : i32")
    made = ("%x", "%e", "%f", "%c1")
    combine = staticmethod(lambda a, b: (
        runs.wrap(a[0] * b[0] + a[1] * b[2]), runs.wrap(a[0] * b[1] + a[1] * b[3]),
        runs.wrap(a[2] * b[0] + a[3] * b[2]), runs.wrap(a[2] * b[1] + a[3] * b[3])))
    body = "\n".join(
        f"""        %m{k}l = arith.muli %a{k & 2}, %b{k & 1} : i32
        %m{k}r = arith.muli %a{k | 1}, %b{k & 1 | 2} : i32
        %r{k} = arith.addi %m{k}l, %m{k}r : i32""" for k in range(4)).strip()


OPERATORS = {"add-i32": AddInteger, "add-f32": AddFloat, "max": Maximum,
             "append": Append, "mss": MaximumSegment, "matrix": Matrix}

DIMENSIONS = ("kind", "level", "extent", "threads", "operator", "strategy")


def is_valid(case):
    """Whether a combination makes sense, and stays small enough."""
    kind, level, extent, _, operator, strategy = case
    if strategy not in STRATEGIES[kind]:
        return False
    if strategy == "warps" and level != "block":
        return False
    if kind in ("rank", "scatter") and operator != "add-i32":
        return False
    if strategy == "halving_tree" and not OPERATORS[operator].commutative:
        return False
    # Each thread stores arrays in memory of its own. More than this would not fit on
    # the stack of an emulated thread.
    if level == "thread" and strategy not in ("default", "sequential") and extent > 257:
        return False
    return True


def is_large(case):
    """Whether the arrays of all warps of a block may not fit into its memory."""
    kind, level, extent, threads, operator, strategy = case
    if level != "warp" or kind == "segmented_reduce" and strategy == "sequential":
        return False
    if kind in ("rank", "scatter"):
        return (threads + 31) // 32 * extent * 40 > 100000
    if kind == "reduce" and strategy not in ("adjacent_tree", "halving_tree"):
        return False
    bytes_of_element = 4 * len(OPERATORS[operator].types) + (9 if "segmented" in kind else 0)
    return (threads + 31) // 32 * extent * bytes_of_element * 6 > 230000


def result_types(case):
    """The element types of the results, each an array of its own."""
    types = OPERATORS[case[4]].types
    if case[0] == "rank":
        return ("i32", "i32")
    if case[0] == "scatter":
        return ("i32", "i32", "i32")
    return types + ("i32",) if case[0] in IRREGULAR else types


def all_cases(kinds):
    strategies = sorted(set(itertools.chain(*STRATEGIES.values())))
    return [case for case in itertools.product(
        kinds, LEVELS, EXTENTS, THREADS, OPERATORS, strategies) if is_valid(case)]


def pairs(case):
    return itertools.combinations(enumerate(case), 2)


def covering_sample(cases, rng):
    """Cases in which every pair of values that any case has occurs."""
    rng.shuffle(cases)
    # Small ones are preferred, as they are quicker.
    missing = set(itertools.chain.from_iterable(map(pairs, cases)))
    sample = []
    while missing:
        candidates = rng.sample(cases, min(300, len(cases)))
        target = next(iter(sorted(missing, key=str)))
        candidates = [c for c in candidates if target in set(pairs(c))] or [
            c for c in cases if target in set(pairs(c))][:60]
        best = max(candidates, key=lambda c: sum(p in missing for p in pairs(c)))
        sample.append(best)
        missing.difference_update(pairs(best))
    return sample


# Variants that are no dimension: chosen by the number of the case, the same for
# all levels, block sizes and strategies, so that results can be shared.

class Variant:
    def __init__(self, case):
        number = EXTENTS.index(case[2]) + 3 * list(OPERATORS).index(case[4])
        self.exclusive = number % 2 == 1
        self.by_offsets = number % 4 < 2 if case[0] == "segmented_scan" else number % 3 != 2
        # Extents of the type: static, or a bound.
        self.dynamic = (number // 2 + LEVELS.index(case[1]) + THREADS.index(case[3])) % 2 == 1


OFFSETS = (0, 0, 1, 1, 1, 3, 4, 8, 9, 9, 15, 16, 16)  # sixteenths of the extent


class Oracle:
    def __init__(self, data):
        self.data, self.cache = data, {}

    def combine(self, operator, elements):
        """The initial value, and what follows after each element."""
        value = operator.init
        yield value
        for element in elements:
            value = operator.combine(value, element)
            yield value

    def instance(self, kind, extent, operator, variant, number):
        source = [(b := (i + 977 * number) % SIZE, self.data[b]) for i in range(extent)]
        elements = [operator.element(x, i) for i, (_, x) in enumerate(source)]
        if kind in ("reduce", "scan"):
            running = list(self.combine(operator, elements))
            if kind == "reduce":
                return [running[-1]]
            return (running[:-1] if variant.exclusive else running[1:]) + [running[-1]]
        if variant.by_offsets:
            bounds = [extent * o // 16 for o in OFFSETS]
        else:
            flags = [self.data[(b * 7 + 3) % SIZE] & 7 == 0 for b, _ in source]
            bounds = [i for i in range(extent) if i == 0 or flags[i]] + [extent]
        results = []
        for begin, end in zip(bounds, bounds[1:]):
            running = list(self.combine(operator, elements[begin:end]))
            if kind == "segmented_reduce":
                results.append(running[-1])
            else:
                results += running[:-1] if variant.exclusive else running[1:]
        if kind == "segmented_reduce" and not variant.by_offsets:
            results += [operator.init] * (extent - len(results))
        return results

    def irregular(self, kind, extent, operator, number):
        """One list for each result."""
        source = [(b := (i + 977 * number) % SIZE, self.data[b]) for i in range(extent)]
        if kind == "rank":
            keys = [x & (KEYS - 1) for _, x in source]
            order = sorted(range(extent), key=lambda i: keys[i])
            ranks = [0] * extent
            for place, i in enumerate(order):
                ranks[i] = place
            return [ranks, [keys.count(key) for key in range(KEYS)]]
        if kind == "scatter":
            counts, sums, products = [0] * KEYS, [0] * KEYS, [1] * KEYS
            for _, x in source:
                at = (x & 31) - 8
                if 0 <= at < KEYS:
                    sums[at] += counts[at]
                    counts[at] += 1
                    products[at] = runs.wrap(products[at] * (x | 1))
            return [counts, sums, products]
        elements = [operator.element(x, i) for i, (_, x) in enumerate(source)]
        rows = []
        for i, (b, x) in enumerate(source):
            if kind == "compact":
                rows += [elements[i]] * (self.data[(b * 7 + 3) % SIZE] & 3 == 0)
            elif i % 4 == 0 and i + 3 < extent:
                rows += [operator.element(x, j) for j in range(min(x & 7, 4))]
        count = len(rows)
        rows += [operator.init] * (extent - count)
        return [[row[k] for row in rows] for k in range(len(operator.types))] + [[count]]

    def expect(self, case):
        """The expected result for each element type, in row-major order."""
        kind, level, extent, _, name, _ = case
        if kind in IRREGULAR:
            parts = [self.irregular(kind, extent, OPERATORS[name], number)
                     for number in range(INSTANCES[level])]
            return [list(itertools.chain.from_iterable(lists)) for lists in zip(*parts)]
        variant = Variant(case)
        key = (kind, extent, name, INSTANCES[level])
        if key not in self.cache:
            rows = itertools.chain.from_iterable(
                self.instance(kind, extent, OPERATORS[name], variant, number)
                for number in range(INSTANCES[level]))
            rows = list(rows)
            self.cache[key] = [[row[k] for row in rows]
                               for k in range(len(OPERATORS[name].types))]
        return self.cache[key]


# Programs.

PROLOGUE = """  %stride = arith.constant 977 : index
  %last = arith.constant 4095 : index
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %i3 = arith.constant 3 : index
  %i7 = arith.constant 7 : index
  %i16 = arith.constant 16 : index
  %w7 = arith.constant 7 : i32"""


# Modulo 2^32; the product of two odd numbers is odd.
PRODUCT = """func.func private @product(%x: i32, %y: i32) -> i32 {
  %one = arith.constant 1 : i32
  %a = arith.ori %x, %one : i32
  %b = arith.ori %y, %one : i32
  %p = arith.muli %a, %b : i32
  return %p : i32
}"""


def write_irregular(case, name):
    """The same for operations with two results."""
    kind, level, extent, threads, operator, strategy = case
    op, variant = OPERATORS[operator], Variant(case)
    count, k = INSTANCES[level], len(op.types)
    # Extents, and what stands behind the types that have them.
    n = "?" if variant.dynamic else str(extent)
    bound = f" bound [{extent + extent // 3 + 1}]" if variant.dynamic else ""
    size = " [%n]" if variant.dynamic else ""
    types = ", ".join(op.types)
    if kind == "rank":
        parts = [(f"{n} x i32", bound), (f"{KEYS} x i32", "")]
    elif kind == "scatter":
        parts = [(f"{KEYS} x i32, i32", ""), (f"{KEYS} x i32", "")]
    else:
        parts = [(f"{n} x {types}", bound), ("1 x i32", "")]
    inner = ", ".join(f"!obs.push<{level}, {p}{b}>" for p, b in parts)
    outer = ", ".join(f"!obs.push<grid, {count} x {p}>" for p, _ in parts)
    whole = ", ".join(f"!obs.pull<{count} x {p}>" for p, _ in parts)
    length = KEYS if kind == "scatter" else n
    results = [f"!obs.pull<{count} x {length} x {t}>" for t in result_types(case)[:-1]]
    results.append(f"!obs.pull<{count} x {parts[1][0]}>")
    pulls = ", ".join(results)
    elements = f"!obs.pull<{n} x {types}{bound}>"
    out = [f"func.func private @{name}(%d: !obs.pull<{SIZE} x i32>, %n: index) -> ({pulls}) {{"]
    out += [f"  %c{value} = arith.constant {value} : i32" for value in (0, 1, 4, 15, 128, 255)]
    out += [f"  %z{j} = arith.constant {value} : {t}"
            for j, (value, t) in enumerate(zip(op.init, op.types))]
    out.append(PROLOGUE)
    init = ", ".join(f"%z{j}" for j in range(k))
    attributes = "" if strategy == "default" else f' {{strategy = "{strategy}"}}'

    def generate(result, body, yields, element):
        """An array made from the index %i and the number %x for it."""
        lines = "\n      ".join(body)
        return f"""    {result} = obs.generate (%i){size} {{
      %k0 = arith.addi %i, %offset : index
      %k = arith.andi %k0, %last : index
      %x = obs.get %d[%k] : !obs.pull<{SIZE} x i32>
      {lines}
      obs.yield {yields} : {element}
    }} : !obs.pull<{n} x {element}{bound}>"""

    out.append(f"""  %batch = obs.iota : !obs.pull<{count} x index>
  %p, %q = obs.distribute {level} (%b = %batch : !obs.pull<{count} x index>) -> ({outer}) {{
    %offset = arith.muli %b, %stride : index""")
    if kind == "rank":
        out.append(generate("%a", ["%key = arith.andi %x, %c15 : i32"], "%key", "i32"))
        out.append(f"    %r, %s = obs.rank %a{attributes} : !obs.pull<{n} x i32{bound}> -> {inner}")
    elif kind == "scatter":
        out.append(generate("%a", ["%w31 = arith.constant 31 : i32", "%w8 = arith.constant 8 : i32",
                                   "%low = arith.andi %x, %w31 : i32",
                                   "%at = arith.subi %low, %w8 : i32"], "%x, %at", "i32, i32"))
        pull, places = f"!obs.pull<{n} x i32{bound}>", f"{KEYS} x i32"
        scatter = f"!obs.push<{level}, {places}>, !obs.push<{level}, {n} x i32{bound}>"
        out.append(f"""    %x, %at = obs.unzip %a : !obs.pull<{n} x i32, i32{bound}>
    %ones = obs.splat %c1{size} : {pull}
    %r0, %r1 = obs.scatter %ones at %at init %c0 reduce(addi) fetch : {pull}, {pull} -> {scatter}
    %counts, %found = obs.force %r0, %r1 : {scatter} -> (!obs.pull<{places}>, {pull})
    %r2 = obs.scatter %found at %at init %c0 reduce(addi) : {pull}, {pull} -> !obs.push<{level}, {places}>
    %sums = obs.force %r2 : !obs.push<{level}, {places}> -> !obs.pull<{places}>
    %both = obs.zip %counts, %sums : !obs.pull<{places}>, !obs.pull<{places}>
    %r = obs.push %both : !obs.pull<{places}, i32> -> !obs.push<{level}, {places}, i32>
    %s = obs.scatter %x at %at init %c1 reduce(@product) : {pull}, {pull} -> !obs.push<{level}, {places}>""")
    elif kind == "compact":
        out.append(generate("%a", ["%j = arith.index_cast %i : index to i32", *op.make],
                            ", ".join(op.made), types))
        out.append(generate("%f", [
            "%b7 = arith.muli %k0, %i7 : index", "%b3 = arith.addi %b7, %i3 : index",
            "%bk = arith.andi %b3, %last : index",
            f"%y = obs.get %d[%bk] : !obs.pull<{SIZE} x i32>",
            "%w3 = arith.constant 3 : i32",
            "%m3 = arith.andi %y, %w3 : i32", "%f3 = arith.cmpi eq, %m3, %c0 : i32"],
            "%f3", "i1"))
        out.append(f"    %r, %s = obs.compact %a flags %f init {init}{attributes} : "
                   f"{elements}, !obs.pull<{n} x i1{bound}> -> {inner}")
    else:
        out.append(generate("%l", [
            "%i4 = arith.andi %i, %i3 : index", "%isHead = arith.cmpi eq, %i4, %i0 : index",
            "%end = arith.addi %i, %i3 : index", "%isIn = arith.cmpi slt, %end, %n : index",
            "%both = arith.andi %isHead, %isIn : i1", "%y = arith.andi %x, %w7 : i32",
            "%w = arith.minsi %y, %c4 : i32", "%len = arith.select %both, %w, %c0 : i32"],
            "%len", "i32"))
        made = "\n      ".join(op.make)
        out.append(f"""    %r, %s = obs.expand (%i, %jj) = %l{size} init {init}{attributes} : !obs.pull<{n} x i32{bound}> -> {inner} {{
      %k0 = arith.addi %i, %offset : index
      %k = arith.andi %k0, %last : index
      %x = obs.get %d[%k] : !obs.pull<{SIZE} x i32>
      %j = arith.index_cast %jj : index to i32
      {made}
      obs.yield {", ".join(op.made)} : {types}
    }}""")
    out.append(f"""    obs.yield %r, %s : {inner}
  }}
  %f, %g = obs.force %p, %q {{kernel = "{name}", threads = {threads} : i64}} : {outer} -> ({whole})""")
    first = [f"%u{j}" for j in range(len(results) - 1)]
    out.append(f"  {', '.join(first)} = obs.unzip %f : {whole.rsplit(', !obs', 1)[0]}")
    out.append(f"  return {', '.join(first)}, %g : {pulls}\n}}")
    return "\n".join(out), pulls


def write_function(case, name):
    """A function that returns one array for each element type."""
    if case[0] in IRREGULAR:
        return write_irregular(case, name)
    kind, level, extent, threads, operator, strategy = case
    op, variant = OPERATORS[operator], Variant(case)
    types = ", ".join(op.types)
    k = len(op.types)

    def array(n, elements, kind="pull", where=""):
        head = f"!obs.{kind}<{where + ', ' if where else ''}"
        if not variant.dynamic:
            return f"{head}{n} x {elements}>"
        return f"{head}? x {elements} bound [{n + n // 3 + 1}]>"

    def names(prefix):
        return ", ".join(f"%{prefix}{j}" for j in range(k))

    size = " [%n]" if variant.dynamic else ""
    elements = array(extent, types)
    count = INSTANCES[level]
    segments = len(OFFSETS) - 1
    has_total = kind == "scan"
    if kind == "reduce":
        part = f"1 x {types}"
    elif kind == "segmented_reduce" and variant.by_offsets:
        part = f"{segments} x {types}"
    else:
        part = ("?" if variant.dynamic else str(extent)) + f" x {types}"
    part_push = (array(extent, types, "push", level) if part.startswith("?")
                 else f"!obs.push<{level}, {part}>")
    lines = []
    out = lines.append
    # With a total, it stands behind the elements of its instance.
    whole = f"{count} x {part}"
    if has_total:
        whole = f"{count} x " + ("?" if variant.dynamic else str(extent + 1)) + f" x {types}"
    pulls = ", ".join(f"!obs.pull<{whole.rsplit(' x ', 1)[0]} x {t}>" for t in op.types)
    out(f"func.func private @{name}(%d: !obs.pull<{SIZE} x i32>, %n: index) -> ({pulls}) {{")
    for value in (0, 1, 15, 128, 255):
        out(f"  %c{value} = arith.constant {value} : i32")
    for j, (value, t) in enumerate(zip(op.init, op.types)):
        out(f"  %z{j} = arith.constant {value} : {t}")
    out(PROLOGUE)
    out(f"  %batch = obs.iota : !obs.pull<{count} x index>")
    out(f"  %all = obs.distribute {level} (%b = %batch : !obs.pull<{count} x index>) -> !obs.push<grid, {whole}> {{")
    out("    %offset = arith.muli %b, %stride : index")
    out(f"""    %a = obs.generate (%i){size} {{
      %k0 = arith.addi %i, %offset : index
      %k = arith.andi %k0, %last : index
      %x = obs.get %d[%k] : !obs.pull<{SIZE} x i32>
      %j = arith.index_cast %i : index to i32""")
    for line in op.make:
        out("      " + line)
    out(f"      obs.yield {', '.join(op.made)} : {types}\n    }} : {elements}")
    head = f"({names('a')}, {names('b')}) = %a init {names('z')}"
    if kind.startswith("segmented"):
        if variant.by_offsets:
            out(f"""    %table = obs.constant dense<{list(OFFSETS)}> : tensor<{len(OFFSETS)}xindex>
    %s = obs.map (%o = %table : !obs.pull<{len(OFFSETS)} x index>) -> !obs.pull<{len(OFFSETS)} x index> {{
      %p = arith.muli %o, %n : index
      %q = arith.divui %p, %i16 : index
      obs.yield %q : index
    }}""")
            head += " offsets %s"
            segment_type = f"!obs.pull<{len(OFFSETS)} x index>"
        else:
            segment_type = array(extent, "i1")
            out(f"""    %s = obs.generate (%i){size} {{
      %k0 = arith.addi %i, %offset : index
      %k1 = arith.muli %k0, %i7 : index
      %k2 = arith.addi %k1, %i3 : index
      %k = arith.andi %k2, %last : index
      %x = obs.get %d[%k] : !obs.pull<{SIZE} x i32>
      %m = arith.andi %x, %w7 : i32
      %f = arith.cmpi eq, %m, %c0 : i32
      obs.yield %f : i1
    }} : {segment_type}""")
            head += " flags %s"
            if kind == "segmented_reduce":
                head += size
    order = "exclusive " if variant.exclusive else "inclusive "
    attributes = []
    if strategy != "default":
        attributes.append(f'strategy = "{strategy}"')
    if op.commutative and not (strategy == "default" and variant.dynamic):
        attributes.append("commutative")
    attributes = f" {{{', '.join(attributes)}}}" if attributes else ""
    operands = elements + (", " + segment_type if "segment" in kind else "")
    if kind == "reduce":
        results, result_types = names("r"), f"({types})"
    elif kind == "scan":
        results, result_types = f"%p, {names('t')}", f"({part_push}, {types})"
    else:
        results, result_types = "%p", part_push
    if kind.endswith("reduce"):
        order = ""
    out(f"    {results} = obs.{kind} {order}{head}{attributes} : {operands} -> {result_types} {{")
    out("        " + op.body)
    out(f"        obs.yield {names('r')} : {types}\n    }}")
    if kind == "reduce":
        out(f"    %one = obs.splat {names('r')} : !obs.pull<1 x {types}>")
        out(f"    %p = obs.push %one : !obs.pull<1 x {types}> -> {part_push}")
        out(f"    obs.yield %p : {part_push}")
    elif has_total:
        longer = (f"!obs.push<{level}, ? x {types} bound [{extent + extent // 3 + 2}]>"
                  if variant.dynamic else f"!obs.push<{level}, {extent + 1} x {types}>")
        out(f"    %one = obs.splat {names('t')} : !obs.pull<1 x {types}>")
        out(f"    %q = obs.push %one : !obs.pull<1 x {types}> -> !obs.push<{level}, 1 x {types}>")
        out(f"    %both = obs.concat %p, %q : {part_push}, !obs.push<{level}, 1 x {types}> -> {longer}")
        out(f"    obs.yield %both : {longer}")
    else:
        out(f"    obs.yield %p : {part_push}")
    out("  }")
    pull = f"!obs.pull<{whole}>"
    out(f'  %f = obs.force %all {{kernel = "{name}", threads = {threads} : i64}} : '
        f"!obs.push<grid, {whole}> -> {pull}")
    out(f"  {names('u')} = obs.unzip %f : {pull}")
    out(f"  return {names('u')} : {pulls}\n}}")
    return "\n".join(lines), pulls


def write_module(cases):
    """One function for each case, and main, which calls them all."""
    functions, calls, results, types = [], [], [], []
    for number, case in enumerate(cases):
        text, pulls = write_function(case, f"case{number}")
        functions.append(text)
        k = len(result_types(case))
        calls.append(f"  %r{number}:{k} = func.call @case{number}(%d, %n{EXTENTS.index(case[2])}) : "
                     f"(!obs.pull<{SIZE} x i32>, index) -> ({pulls})")
        results += [f"%r{number}#{j}" for j in range(k)]
        types.append(pulls)
    functions.append(PRODUCT)
    arguments = ", ".join(f"%n{i}: index" for i in range(len(EXTENTS)))
    main = [f"func.func @main(%d: !obs.pull<{SIZE} x i32>, {arguments}) -> ({', '.join(types)}) {{",
            *calls, f"  return {', '.join(results)} : {', '.join(types)}", "}"]
    return "\n".join(functions + main) + "\n"


def is_refused(arguments, case, scratch):
    """Whether the compiler says that the arrays of a case do not fit into shared memory."""
    program = os.path.join(scratch, "case.mlir")
    with open(program, "w") as file:
        file.write(write_module([case]))
    opt = os.path.join(os.path.dirname(arguments.obs_run), "obs-opt")
    result = subprocess.run([opt, program, "--obs-to-gpu", "-o", os.devnull], capture_output=True, text=True)
    return result.returncode != 0 and "[shared-limit]" in result.stderr


def run(arguments, cases, oracle, data_file, device, scratch):
    """A list of (case, problem or None)."""
    program = os.path.join(scratch, "cases.mlir")
    with open(program, "w") as file:
        file.write(write_module(cases))
    command = [arguments.obs_run, program, "--entry=main", "--device=" + device,
               f"{data_file}:{SIZE}xi32", *map(str, EXTENTS)]
    if device == "emulate" and arguments.check:
        command.append("--check=" + arguments.check)
    types = [t for case in cases for t in result_types(case)]
    results, error = runs.run(command, os.path.join(scratch, "r"), types)
    if error:
        if len(cases) == 1:
            return [(cases[0], "too large" if "[shared-limit]" in error else error)]
        # One of them is at fault; the others count.
        half = len(cases) // 2
        return (run(arguments, cases[:half], oracle, data_file, device, scratch)
                + run(arguments, cases[half:], oracle, data_file, device, scratch))
    report, results = [], iter(results)
    for case in cases:
        problem = None
        for j, (expected, values) in enumerate(zip(oracle.expect(case), results)):
            wrong = runs.difference(values, expected)
            if wrong and not problem:
                problem = f"component {j} {wrong}"
        report.append((case, problem))
    return report


def start(*shared):
    """Keeps what all modules of a process need."""
    global SHARED
    SHARED = shared


def run_module(task):
    """The result of `run` for one module, in a process of the pool."""
    device, cases = task
    arguments, oracle, data_file = SHARED
    if arguments.end and time.time() > arguments.end:
        return device, [(case, "no time") for case in cases]
    with tempfile.TemporaryDirectory() as scratch:
        refused = [case for case in cases if device != "interpret" and is_large(case)
                   and is_refused(arguments, case, scratch)]
        left = [case for case in cases if case not in refused]
        return device, ([(case, "too large") for case in refused]
                        + (run(arguments, left, oracle, data_file, device, scratch) if left else []))


def main(description):
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--obs-run", required=True)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--kind", nargs="+", default=list(STRATEGIES), choices=list(STRATEGIES))
    parser.add_argument("--device", nargs="+", default=["interpret", "emulate"])
    parser.add_argument("--check", default="", help="checks of the emulator")
    parser.add_argument("--limit", type=int, default=0, help="stop after so many cases")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, help="no module begins after so many seconds; those that do are "
                        "drawn at random, and the summary counts what was run")
    arguments = parser.parse_args()

    rng = random.Random(arguments.seed)
    data = [runs.wrap(rng.getrandbits(32)) for _ in range(SIZE)]
    oracle = Oracle(data)
    cases = all_cases(arguments.kind)
    possible = len(cases)
    if not arguments.full:
        cases = covering_sample([c for c in cases if not is_large(c)], rng)
    if arguments.limit:
        cases = cases[:arguments.limit]
    counts, failures, too_large, left_out = {}, 0, 0, 0
    arguments.end = arguments.seconds and time.time() + arguments.seconds
    with tempfile.TemporaryDirectory() as scratch:
        data_file = os.path.join(scratch, "data.bin")
        runs.write(data_file, data)
        tasks = []
        for device in arguments.device:
            # The interpreter knows neither strategies nor threads.
            mine = cases
            if device == "interpret":
                mine = list({case[:3] + (32, case[4], "default"): None for case in cases})
            # Those that may be refused are translated alone first, for one refused function refuses its module.
            large = [c for c in mine if is_large(c)] if device != "interpret" else []
            alone = set(large)
            mine = [c for c in mine if c not in alone]
            # A process on the GPU begins with making a context, one process after the other: few processes.
            size = 60 if device != "cuda" else 240
            for group in (mine, large):
                tasks += [(device, group[begin:begin + size]) for begin in range(0, len(group), size)]
        if arguments.end:
            rng.shuffle(tasks)
        with multiprocessing.Pool(arguments.jobs, start, (arguments, oracle, data_file)) as pool:
            for device, report in pool.imap_unordered(run_module, tasks):
                for case, problem in report:
                    if problem == "no time":
                        left_out += 1
                        continue
                    key = (device, case[0])
                    counts[key] = counts.get(key, 0) + 1
                    if problem == "too large":
                        too_large += 1
                    elif problem:
                        failures += 1
                        print(device, *(f"{d}={v}" for d, v in zip(DIMENSIONS, case)))
                        print("  " + problem.replace("\n", "\n  "), flush=True)
    for (device, kind), count in sorted(counts.items()):
        print(f"{device}, {kind}: {count} cases")
    if arguments.end:
        print(f"for {left_out} there was no time")
    print(f"{len(cases) - left_out} of {possible} combinations, {too_large} refused for shared memory, "
          f"{failures} problems")
    return 1 if failures or not cases else 0

"""Collectives and irregular operations over empty arrays, at each level, and what they store: no
elements, initial contents, or the value of an empty reduction. check.py runs them with N = 0."""

import re

from empty_bodies import Body, values
from programs import registry

CASES, case = registry()


def atLevels(s, b, name, extents, expected, body, kind="index", levels=("grid", "block", "warp", "thread"), bound=None):
    """Forces the result %p of `body`, which is text with LEVEL in it, at each level."""
    for level in levels:
        shape = b.extents(extents)
        if level == "grid":
            b.add(re.sub(r"%([pqc])\b", rf"%{name}_\1", body.replace("LEVEL", level)))
            b.force(f"{name}_p", extents, expected, kind, push="grid")
            continue
        b.add(f"""
  %{name}_{level} = obs.distribute {level} in grid (%u = %unit : !obs.pull<1 x index>) {{
{body.replace("LEVEL", level)}
    obs.yield %p : !obs.push<{level}, {shape} x {kind}>
  }}
""").force(f"{name}_{level}", ["1", *extents], expected, kind, push="grid")


UNIT = "  %unit = obs.iota : !obs.pull<1 x index>\n  %z = arith.constant 5 : index\n  %zi = arith.constant 5 : i32\n"


@case
def reduce(s):
    n, b = s.n, Body(s)
    t = f"!obs.pull<{s.t(n)} x index>"
    b.add(UNIT + s.vector("a", n))
    for mark in "", " {commutative}":
        name = "m" if mark else "o"
        atLevels(s, b, name, ["1"], [5 + sum(values(n))], f"""
    %r = obs.reduce {{ arith.addi }} %a init %z{mark} : {t}
    %q = obs.splat %r : !obs.pull<1 x index>
    %p = obs.push LEVEL %q : !obs.pull<1 x index>
""", levels=("block", "warp", "thread"))
        b.add(f"  %{name}_g = obs.reduce grid {{ arith.addi }} %a init %z{mark} : {t}")
        b.force(name + "_g", ["1"], [5 + sum(values(n))], push="grid")
    return b.done()


GRID = {"reduce": ["one_kernel", "two_kernels"], "scan": ["one_pass", "three_kernels"]}
BLOCK = {"reduce": ["sequential", "halving_tree", "adjacent_tree", "raking", "block_stride", "warps"],
         "scan": ["sequential", "sklansky", "kogge_stone", "brent_kung", "raking", "warps"]}


@case
def reduce_strategies(s):
    n, b = s.n, Body(s)
    b.add(UNIT + s.vector("a", n))
    bound = "" if s.isStatic else " bound [8]"
    b.add(f"  %d = obs.take %a [{n if s.isStatic else '%a_n'}] : !obs.pull<{s.t(n)} x index> -> !obs.pull<{s.t(n)} x index{bound}>")
    for strategy in BLOCK["reduce"]:
        atLevels(s, b, strategy, ["1"], [5 + sum(values(n))], f"""
    %r = obs.reduce {{ arith.addi }} %d init %z {{commutative, strategy = "{strategy}"}} : !obs.pull<{s.t(n)} x index{bound}>
    %q = obs.splat %r : !obs.pull<1 x index>
    %p = obs.push LEVEL %q : !obs.pull<1 x index>
""", levels=("block",) if strategy in ("warps", "block_stride") else ("block", "warp"))
    for strategy in GRID["reduce"]:
        b.add(f"""  %{strategy} = obs.reduce grid {{ arith.addi }} %a init %z {{strategy = "{strategy}"}} : !obs.pull<{s.t(n)} x index>""")
        b.force(strategy, ["1"], [5 + sum(values(n))], push="grid")
    b.add(f"""
  %ai = obs.iota {s.o('%a_n')} : !obs.pull<{s.t(n)} x i32>
  %atomic = obs.reduce grid {{ arith.addi }} %ai init %zi {{strategy = "atomic"}} : !obs.pull<{s.t(n)} x i32>
""")
    return b.force("atomic", ["1"], [5 + sum(range(n))], "i32", push="grid").done()


def prefix(numbers, init, inclusive=True):
    result, sum = [], init
    for x in numbers:
        result.append(sum + x if inclusive else sum)
        sum += x
    return result


@case
def scan(s):
    n, b = s.n, Body(s)
    bound = "" if s.isStatic else " bound [8]"
    t = f"!obs.pull<{s.t(n)} x index{bound}>"
    b.add(UNIT + s.vector("a", n))
    b.add(f"  %d = obs.take %a [{n if s.isStatic else '%a_n'}] : !obs.pull<{s.t(n)} x index> -> {t}")
    for kind in "inclusive", "exclusive":
        expected = prefix(values(n), 5, kind == "inclusive")
        atLevels(s, b, kind, [n], expected, f"""
    %p = obs.scan LEVEL {kind} {{ arith.addi }} %a init %z : !obs.pull<{s.t(n)} x index>
""")
        b.add(f"  %{kind}_s, %{kind}_t = obs.scan grid {kind} {{ arith.addi }} %a init %z total : !obs.pull<{s.t(n)} x index>")
        b.force(f"{kind}_s", [n], expected, push="grid")
        b.add(f"  %{kind}_u = obs.splat %{kind}_t : !obs.pull<1 x index>").force(f"{kind}_u", ["1"], [5 + sum(values(n))])
        atLevels(s, b, kind + "_v", ["1"], [5 + sum(values(n))], f"""
    %r, %l = obs.scan LEVEL {kind} {{ arith.addi }} %d init %z total : {t}
    %q = obs.splat %l : !obs.pull<1 x index>
    %p = obs.push LEVEL %q : !obs.pull<1 x index>
""", levels=("block", "warp", "thread"))
    return b.done()


@case
def scan_strategies(s):
    n, b = s.n, Body(s)
    bound = "" if s.isStatic else " bound [8]"
    t = f"{s.t(n)} x index{bound}>"
    b.add(UNIT + s.vector("a", n))
    b.add(f"  %d = obs.take %a [{n if s.isStatic else '%a_n'}] : !obs.pull<{s.t(n)} x index> -> !obs.pull<{t}")
    expected = prefix(values(n), 5)
    for strategy in BLOCK["scan"]:
        for level in ("block",) if strategy in ("warps", "block_stride") else ("block", "warp"):
            name = f"{strategy}_{level}"
            b.add(f"""
  %{name} = obs.distribute {level} in grid (%u = %unit : !obs.pull<1 x index>) {{
    %p = obs.scan {level} inclusive {{ arith.addi }} %d init %z {{strategy = "{strategy}"}} : !obs.pull<{t}
    obs.yield %p : !obs.push<{level}, {t}
  }}
""").force(name, ["1", n], expected, "index" + ("" if s.isStatic else " bound [1, 8]"), push="grid")
    for strategy in GRID["scan"]:
        b.add(f"""  %{strategy} = obs.scan grid inclusive {{ arith.addi }} %a init %z {{strategy = "{strategy}"}} : !obs.pull<{s.t(n)} x index>""")
        b.force(strategy, [n], expected, push="grid")
    return b.done()


@case
def segmented(s):
    """No elements in no segments, in two segments by offsets, and by flags."""
    n, b = s.n, Body(s)
    bound = "" if s.isStatic else " bound [8]"
    t = f"!obs.pull<{s.t(n)} x index{bound}>"
    flags = f"!obs.pull<{s.t(n)} x i1{bound}>"
    b.add(UNIT + s.vector("v", n) + f"""
  %a = obs.take %v [{n if s.isStatic else '%v_n'}] : !obs.pull<{s.t(n)} x index> -> {t}
  %true = arith.constant true
  %f = obs.splat %true {s.o('%v_n')} : {flags}
  %o1 = obs.splat %v_n : !obs.pull<1 x index>
  %o0 = obs.constant dense<[0, 0, 0]> : tensor<3xindex>
  %o = obs.concat %o0, %o1 : !obs.pull<3 x index>, !obs.pull<1 x index>
""")
    atLevels(s, b, "ro", ["3"], [5, 5, 5 + sum(values(n))], f"""
    %p = obs.segmented_reduce LEVEL {{ arith.addi }} %a init %z offsets %o : {t}, !obs.pull<4 x index>
""")
    atLevels(s, b, "so", [n], prefix(values(n), 5), f"""
    %p = obs.segmented_scan LEVEL inclusive {{ arith.addi }} %a init %z offsets %o : {t}, !obs.pull<4 x index> -> !obs.push<LEVEL, {s.t(n)} x index>
""")
    atLevels(s, b, "rf", [n], [5 + x for x in values(n)], f"""
    %p = obs.segmented_reduce LEVEL {{ arith.addi }} %a init %z flags %f {s.o('%v_n')} : {t}, {flags} -> !obs.push<LEVEL, {s.t(n)} x index>
""")
    atLevels(s, b, "sf", [n], [5 + x for x in values(n)], f"""
    %p = obs.segmented_scan LEVEL inclusive {{ arith.addi }} %a init %z flags %f : {t}, {flags} -> !obs.push<LEVEL, {s.t(n)} x index>
""")
    atLevels(s, b, "rx", ["4"], [5 + x for x in values(n)] + [5] * (4 - n), f"""
    %p = obs.segmented_reduce LEVEL {{ arith.addi }} %a init %z flags %f : {t}, {flags} -> !obs.push<LEVEL, 4 x index>
""")
    return b.done()


@case
def segmented_none(s):
    """One offset: no segments and no elements."""
    b = Body(s)
    b.add(UNIT + s.number("n", 0) + f"""
  %a = obs.iota {s.o('%n')} : !obs.pull<{s.t(0)} x index>
  %o = obs.constant dense<[0]> : tensor<1xindex>
""")
    for name, strategy in ("s", "sequential"), ("t", "three_kernels"), ("x", "one_pass"):
        b.add(f"""
  %{name} = obs.segmented_reduce grid {{ arith.addi }} %a init %z offsets %o {{strategy = "{strategy}"}} : !obs.pull<{s.t(0)} x index>, !obs.pull<1 x index>
""").force(name, ["0"], [], push="grid")
    atLevels(s, b, "l", ["0"], [], f"""
    %p = obs.segmented_reduce LEVEL {{ arith.addi }} %a init %z offsets %o : !obs.pull<{s.t(0)} x index>, !obs.pull<1 x index>
""", levels=("block", "warp", "thread"))
    return b.done()


@case
def compact(s):
    """Nothing to keep, and nothing kept."""
    n, b = s.n, Body(s)
    bound = "" if s.isStatic else " bound [8]"
    t, flags = f"!obs.pull<{s.t(n)} x index{bound}>", f"!obs.pull<{s.t(n)} x i1{bound}>"
    b.add(UNIT + s.vector("v", n) + f"""
  %a = obs.take %v [{n if s.isStatic else '%v_n'}] : !obs.pull<{s.t(n)} x index> -> {t}
""")
    for keep in "true", "false":
        b.add(f"  %{keep} = arith.constant {keep}\n  %f{keep} = obs.splat %{keep} {s.o('%v_n')} : {flags}")
        kept = n if keep == "true" else 0
        atLevels(s, b, "r" + keep, [n], values(kept) + [5] * (n - kept), f"""
    %p, %c = obs.compact %a flags %f{keep} init %z : {t}, {flags} -> !obs.push<LEVEL, {s.t(n)} x index>, !obs.push<LEVEL, 1 x i32>
""")
        atLevels(s, b, "c" + keep, ["1"], [kept], f"""
    %q, %p = obs.compact %a flags %f{keep} init %z : {t}, {flags} -> !obs.push<LEVEL, {s.t(n)} x index>, !obs.push<LEVEL, 1 x i32>
""", "i32")
        b.add(f"""
  %b{keep}, %n{keep} = obs.compact %a flags %f{keep} init %z : {t}, {flags} -> !obs.push<grid, {s.t(n)} x index>, !obs.push<grid, 1 x i32>
""").force("b" + keep, [n], values(kept) + [5] * (n - kept), push="grid").force("n" + keep, ["1"], [kept], "i32", push="grid")
    return b.done()


@case
def rank(s):
    """No keys, and no counts of no keys."""
    n, b = s.n, Body(s)
    bound = "" if s.isStatic else " bound [8]"
    b.add(UNIT + s.number("n", n) + f"  %a = obs.iota {s.o('%n')} : !obs.pull<{s.t(n)} x i32{bound}>")
    for name, kinds in ("a", 8),:
        for level in "block", "warp", "thread":
            b.add(f"""
  %{name}_{level}, %{name}_{level}_c = obs.distribute {level} in grid (%u = %unit : !obs.pull<1 x index>) {{
    %p, %q = obs.rank %a : !obs.pull<{s.t(n)} x i32{bound}> -> !obs.push<{level}, {s.t(n)} x index{bound}>, !obs.push<{level}, {kinds} x i32>
    obs.yield %p, %q : !obs.push<{level}, {s.t(n)} x index{bound}>, !obs.push<{level}, {kinds} x i32>
  }}
""")
            b.force(f"{name}_{level}", ["1", n], list(range(n)), "index" + ("" if s.isStatic else " bound [1, 8]"), push="grid")
            b.force(f"{name}_{level}_c", ["1", str(kinds)], [1] * n + [0] * (kinds - n), "i32", push="grid")
    return b.done()


@case
def expand(s):
    """No lengths; lengths of 0; and a result without elements."""
    n, b = s.n, Body(s)
    bound = "" if s.isStatic else " bound [8]"
    b.add(UNIT + s.number("n", n) + f"""
  %ones = obs.splat %one {s.o('%n')} : !obs.pull<{s.t(n)} x i32{bound}>
  %zeros = obs.constant dense<0> : tensor<3xi32>
""".replace("  %ones", "  %one = arith.constant 1 : i32\n  %ones"))
    for name, lengths, count, total in ("a", f"%ones : !obs.pull<{s.t(n)} x i32{bound}>", n, n), ("b", "%zeros : !obs.pull<3 x i32>", n, 0):
        array, kind = lengths.split(" : ")
        operation = f"""obs.expand (%i, %j) = {array} {s.o('%n')} init %z : {kind} -> !obs.push<LEVEL, {s.t(n)} x index>, !obs.push<LEVEL, 1 x i32> {{
      obs.yield %i : index
    }}"""
        atLevels(s, b, name, [n], list(range(total)) + [5] * (n - total), f"    %p, %c = {operation}\n")
        atLevels(s, b, name + "c", ["1"], [total], f"    %c, %p = {operation}\n", "i32")
    return b.done()


@case
def scatter(s):
    """No elements into four; four elements into none, which none of them reaches; and with fetch."""
    n, b = s.n, Body(s)
    t = f"!obs.pull<{s.t(n)} x i32>"
    b.add(UNIT + s.number("n", n) + f"""
  %a = obs.iota {s.o('%n')} : {t}
  %four = obs.iota : !obs.pull<4 x i32>
""")
    for name, contract in ("d", ""), ("y", "any "), ("r", "reduce(addi) "):
        found = [(5 if contract.startswith("reduce") else 0) + i for i in range(n)] + [5] * (4 - n)
        atLevels(s, b, name, ["4"], found, f"""
    %p = obs.scatter %a at %a init %zi {contract}: {t}, {t} -> !obs.push<LEVEL, 4 x i32>
""", "i32")
        atLevels(s, b, name + "n", [n], found[:n], f"""
    %p = obs.scatter %four at %four init %zi {contract}{s.o('%n')} : !obs.pull<4 x i32>, !obs.pull<4 x i32> -> !obs.push<LEVEL, {s.t(n)} x i32>
""", "i32")
    b.add(f"""
  %x, %xf = obs.scatter %a at %a init %zi reduce(addi) fetch : {t}, {t} -> !obs.push<grid, 4 x i32>, !obs.push<grid, {s.t(n)} x i32>
  %y, %yf = obs.scatter %four at %four init %zi reduce(addi) {s.o('%n')} fetch : !obs.pull<4 x i32>, !obs.pull<4 x i32> -> !obs.push<grid, {s.t(n)} x i32>, !obs.push<grid, 4 x i32>
""")
    return (b.force("x", ["4"], [5 + i for i in range(n)] + [5] * (4 - n), "i32", push="grid").force("xf", [n], [5] * n, "i32", push="grid")
            .force("y", [n], [5 + i for i in range(n)], "i32", push="grid").force("yf", ["4"], [5] * 4, "i32", push="grid").done())

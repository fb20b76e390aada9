"""Collectives over N elements that nothing stores, and their results. Each is a loop of
arithmetic, which the emulator, without its checks, runs in seconds; the interpreter would
take minutes. check.py runs them for large N."""

from programs import FACTOR, few, registry, returns, value

CASES, case = registry()


def total(n):
    """The sum of value(i) for i < n."""
    return FACTOR * (n * (n - 1) // 2) + n


def one(s, level, body, kind="index", elements=1):
    """Runs `body`, which pushes %p at LEVEL, in one sub-program, and stores %f."""
    return f"""
  %unit = obs.iota : !obs.pull<1 x index>
  %all = obs.distribute {level} in grid (%u = %unit : !obs.pull<1 x index>) {{
{body}
    obs.yield %p : !obs.push<{level}, {elements} x {kind}>
  }}
  %j = obs.join %all : !obs.push<grid, 1 x {elements} x {kind}>
  %f = obs.force %j : !obs.push<grid, {elements} x {kind}>
""" + returns(("f", f"!obs.pull<{elements} x {kind}>"))


def reduction(level, mark=""):
    def run(s):
        return (s.vector("a", s.n) + "  %z = arith.constant 7 : index" + one(s, level, f"""
    %r = obs.reduce {{ arith.addi }} %a init %z{mark} : !obs.pull<{s.t(s.n)} x index>
    %q = obs.splat %r : !obs.pull<1 x index>
    %p = obs.push {level} %q : !obs.pull<1 x index>"""), [[7 + total(s.n)]])
    return run


for name, level, mark in (("thread", "thread", ""), ("warp", "warp", ""), ("block", "block", ""),
                          ("block_commutative", "block", " {commutative}")):
    CASES["reduce_" + name] = reduction(level, mark)


def gridReduction(strategy):
    def run(s):
        return (s.vector("a", s.n) + f"""
  %z = arith.constant 7 : index
  %p = obs.reduce grid {{ arith.addi }} %a init %z {{strategy = "{strategy}"}} : !obs.pull<{s.t(s.n)} x index>
  %p_f = obs.force %p : !obs.push<grid, 1 x index>
""" + returns(few("p", elements=1)), [[7 + total(s.n)]])
    return run


for strategy in "one_kernel", "two_kernels":
    CASES["reduce_" + strategy] = gridReduction(strategy)


@case
def reduce_atomic(s):
    n = s.n
    return (s.number("n", n) + f"""
  %z = arith.constant 7 : i64
  %a = obs.iota {s.o('%n')} : !obs.pull<{s.t(n)} x i64>
  %p = obs.reduce grid {{ arith.addi }} %a init %z {{strategy = "atomic"}} : !obs.pull<{s.t(n)} x i64>
  %p_f = obs.force %p : !obs.push<grid, 1 x i64>
""" + returns(few("p", "i64", 1)), [[7 + n * (n - 1) // 2]])


@case
def reduce_pairs(s):
    """The largest element and its index, which is N - 1."""
    n = s.n
    return (s.number("n", n) + f"""
  %z = arith.constant -1 : index
  %a = obs.iota {s.o('%n')} : !obs.pull<{s.t(n)} x index>
  %b = obs.zip %a, %a : !obs.pull<{s.t(n)} x index>
""" + one(s, "block", f"""
    %m, %i = obs.reduce (%x, %xi, %y, %yi) = %b init %z, %z : !obs.pull<{s.t(n)} x index, index> {{
      %less = arith.cmpi slt, %x, %y : index
      %m0 = arith.select %less, %y, %x : index
      %i0 = arith.select %less, %yi, %xi : index
      obs.yield %m0, %i0 : index, index
    }}
    %q = obs.splat %i : !obs.pull<1 x index>
    %p = obs.push block %q : !obs.pull<1 x index>"""), [[n - 1]])


@case
def scan_total(s):
    return (s.vector("a", s.n) + "  %z = arith.constant 7 : index" + one(s, "thread", f"""
    %r, %t = obs.scan thread exclusive {{ arith.addi }} %a init %z total : !obs.pull<{s.t(s.n)} x index>
    %q = obs.splat %t : !obs.pull<1 x index>
    %p = obs.push thread %q : !obs.pull<1 x index>"""), [[7 + total(s.n)]])


@case
def scan(s):
    """The last elements of a scan by one thread."""
    n = s.n
    return (s.vector("a", n) + "  %z = arith.constant 7 : index" + one(s, "thread", f"""
    %s = obs.scan thread exclusive {{ arith.addi }} %a init %z : !obs.pull<{s.t(n)} x index>
    %r = obs.reverse %s : !obs.push<thread, {s.t(n)} x index>
    %p = obs.take %r [2] : !obs.push<thread, {s.t(n)} x index>""", elements=2), [[7 + total(n - 1), 7 + total(n - 2)]])


@case
def segmented_scan(s):
    """The last two segments, which begin at N - 1 and N - 3."""
    n = s.n
    return (s.vector("a", n) + s.number("n", n) + f"""
  %z = arith.constant 7 : index
  %three = arith.constant 3 : index
  %s0 = arith.subi %n, %three : index
  %s1 = arith.subi %n, %a_1 : index
  %flags = obs.generate (%i) {s.o('%n')} {{
    %x = arith.cmpi eq, %i, %s0 : index
    %y = arith.cmpi eq, %i, %s1 : index
    %w = arith.ori %x, %y : i1
    obs.yield %w : i1
  }} : !obs.pull<{s.t(n)} x i1>
""" + one(s, "thread", f"""
    %s = obs.segmented_scan thread inclusive {{ arith.addi }} %a init %z flags %flags : !obs.pull<{s.t(n)} x index>, !obs.pull<{s.t(n)} x i1>
    %r = obs.reverse %s : !obs.push<thread, {s.t(n)} x index>
    %p = obs.take %r [4] : !obs.push<thread, {s.t(n)} x index>""", elements=4),
        [[7 + value(n - 1), 7 + value(n - 3) + value(n - 2), 7 + value(n - 3), 7 + total(n - 3)]])


@case
def segmented_reduce(s):
    """Three segments by offsets: all elements but one, none, and the last."""
    n = s.n
    return (s.vector("a", n) + s.number("n", n) + """
  %z = arith.constant 7 : index
  %last = arith.subi %n, %a_1 : index
  %zero = arith.constant 0 : index
  %o = obs.generate (%i) {
    %isFirst = arith.cmpi eq, %i, %zero : index
    %c3 = arith.constant 3 : index
    %isEnd = arith.cmpi eq, %i, %c3 : index
    %x = arith.select %isFirst, %zero, %last : index
    %y = arith.select %isEnd, %n, %x : index
    obs.yield %y : index
  } : !obs.pull<4 x index>
""" + one(s, "thread", f"""
    %p = obs.segmented_reduce thread {{ arith.addi }} %a init %z offsets %o : !obs.pull<{s.t(n)} x index>, !obs.pull<4 x index>""", elements=3),
        [[7 + total(n - 1), 7, 7 + value(n - 1)]])


@case
def compact_count(s):
    """The number of elements that are not multiples of 4, as index and i64."""
    n = s.n
    return (s.number("n", n) + f"""
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : index
  %a = obs.iota {s.o('%n')} : !obs.pull<{s.t(n)} x index>
  %flags = obs.map (%x = %a : !obs.pull<{s.t(n)} x index>) {{
    %y = arith.andi %x, %c3 : index
    %w = arith.cmpi ne, %y, %zero : index
    obs.yield %w : i1
  }}
  %q, %p = obs.compact %a flags %flags : !obs.pull<{s.t(n)} x index>, !obs.pull<{s.t(n)} x i1> -> !obs.push<grid, {s.t(n)} x index>, !obs.push<grid, 1 x i64>
  %p_f = obs.force %p : !obs.push<grid, 1 x i64>
""" + returns(few("p", "i64", 1)), [[n // 4 * 3]])


@case
def compact(s):
    """The elements from N - 3 on, by one thread."""
    n = s.n
    return (s.vector("a", n) + s.number("first", n - 3) + f"""
  %flags = obs.generate (%i) {s.o('%a_n')} {{
    %w = arith.cmpi uge, %i, %first : index
    obs.yield %w : i1
  }} : !obs.pull<{s.t(n)} x i1>
""" + one(s, "thread", f"""
    %q, %c = obs.compact %a flags %flags : !obs.pull<{s.t(n)} x index>, !obs.pull<{s.t(n)} x i1> -> !obs.push<thread, {s.t(n)} x index>, !obs.push<thread, 1 x i64>
    %p = obs.take %q [3] : !obs.push<thread, {s.t(n)} x index>""", elements=3), [[value(i) for i in range(n - 3, n)]])


@case
def expand(s):
    """Three short lengths, in a result of N elements."""
    n = s.n
    return (s.number("n", n) + """
  %l = obs.constant dense<[1, 0, 3]> : tensor<3xi64>
""" + one(s, "thread", f"""
    %q, %c = obs.expand (%i, %j) = %l {s.o('%n')} : !obs.pull<3 x i64> -> !obs.push<thread, {s.t(n)} x index>, !obs.push<thread, 1 x i64> {{
      %x = arith.muli %i, %n : index
      %y = arith.addi %x, %j : index
      obs.yield %y : index
    }}
    %p = obs.take %q [4] : !obs.push<thread, {s.t(n)} x index>""", elements=4), [[0, 2 * n, 2 * n + 1, 2 * n + 2]])


@case
def expand_long(s):
    """One length of N - 3 elements before another of three, of which the last ones are stored."""
    n = s.n
    return (s.number("n", n) + s.number("long", n - 3) + """
  %zero = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %l = obs.generate (%i) {
    %isFirst = arith.cmpi eq, %i, %zero : index
    %x = arith.select %isFirst, %long, %c3 : index
    obs.yield %x : index
  } : !obs.pull<2 x index>
""" + one(s, "thread", f"""
    %q, %c = obs.expand (%i, %j) = %l {s.o('%n')} : !obs.pull<2 x index> -> !obs.push<thread, {s.t(n)} x index>, !obs.push<thread, 1 x i64> {{
      %x = arith.muli %i, %n : index
      %y = arith.addi %x, %j : index
      obs.yield %y : index
    }}
    %r = obs.reverse %q : !obs.push<thread, {s.t(n)} x index>
    %p = obs.take %r [4] : !obs.push<thread, {s.t(n)} x index>""", elements=4), [[n + 2, n + 1, n, n - 4]])


@case
def scatter(s):
    """N elements into four, at the indices N - 1 to 0: the last four, by one thread."""
    n = s.n
    return (s.vector("a", n) + f"""
  %z = arith.constant 7 : index
  %last = arith.subi %a_n, %a_1 : index
  %at = obs.generate (%i) {s.o('%a_n')} {{
    %x = arith.subi %last, %i : index
    obs.yield %x : index
  }} : !obs.pull<{s.t(n)} x index>
""" + one(s, "thread", f"""
    %p = obs.scatter %a at %at init %z : !obs.pull<{s.t(n)} x index>, !obs.pull<{s.t(n)} x index> -> !obs.push<thread, 4 x index>""", elements=4),
        [[value(n - 1 - i) for i in range(4)]])


@case
def segmented_reduce_flags(s):
    """Three segments of four elements, in a result of N elements."""
    n = s.n
    return (s.number("n", n) + """
  %v = obs.constant dense<[1, 2, 3, 4]> : tensor<4xindex>
  %flags = obs.constant dense<[true, true, false, true]> : tensor<4xi1>
""" + one(s, "thread", f"""
    %s = obs.segmented_reduce thread {{ arith.addi }} %v init %n flags %flags {s.o('%n')} : !obs.pull<4 x index>, !obs.pull<4 x i1> -> !obs.push<thread, {s.t(n)} x index>
    %p = obs.take %s [4] : !obs.push<thread, {s.t(n)} x index>""", elements=4), [[n + 1, n + 5, n + 4, n]])

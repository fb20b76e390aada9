"""Programs over push arrays of N elements that write a few of them, and the elements that
they write last. check.py runs them for large N, except on the interpreter, which keeps all
elements of a push array and refuses N."""

from programs import FACTOR, few, lastValues, registry, returns, value

CASES, case = registry()


@case
def fill(s):
    return s.fill("a", s.n) + s.pushTail("a", s.n) + returns(few("a")), [lastValues(s.n)[::-1]]


@case
def fill_init(s):
    """Initial contents of the elements that are stored."""
    n = s.n
    t = f"!obs.push<grid, {s.t(n)} x index>"
    return (s.number("n", n) + f"""
  %z = arith.constant -5 : index
  %one = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %o = arith.subi %n, %c3 : index
  %a = obs.fill init %z {s.o('%n')} par (%t) in (%one) {{
    obs.write %o at [%o] : index
  }} : {t}
""" + s.pushTail("a", n) + returns(few("a")), [[-5, -5, n - 3, -5]])


@case
def fill_reduce(s):
    """Two writes of the last element, combined."""
    n = s.n
    t = f"!obs.push<grid, {s.t(n)} x i64>"
    return (s.number("n", n) + f"""
  %z = arith.constant -5 : i64
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %o = arith.subi %n, %one : index
  %v = arith.index_cast %n : index to i64
  %a = obs.fill init %z reduce(addi) {s.o('%n')} par (%t) in (%two) {{
    obs.write %v at [%o] : i64
  }} : {t}
""" + s.pushTail("a", n, "i64") + returns(few("a", "i64")), [[2 * n - 5, -5, -5, -5]])


@case
def fill_onto(s):
    """Initial contents from an array of as many elements."""
    n = s.n
    t = f"!obs.push<thread, {s.t(n)} x index>"
    return (s.vector("b", n) + s.number("n", n) + f"""
  %one = obs.iota : !obs.pull<1 x index>
  %p = obs.distribute thread in grid (%z = %one : !obs.pull<1 x index>) {{
    %c3 = arith.constant 3 : index
    %o = arith.subi %n, %c3 : index
    %a = obs.fill onto %b : !obs.pull<{s.t(n)} x index> {s.o('%n')} {{
      obs.write %o at [%o] : index
    }} : {t}
    %r = obs.reverse %a : {t}
    %h = obs.take %r [4] : {t}
    obs.yield %h : !obs.push<thread, 4 x index>
  }}
  %j = obs.join %p : !obs.push<grid, 1 x 4 x index>
  %f = obs.force %j : !obs.push<grid, 4 x index>
""" + returns(("f", "!obs.pull<4 x index>")), [[value(n - 1), value(n - 2), n - 3, value(n - 4)]])


@case
def fill_2d(s):
    """Elements at the ends of both dimensions, of which one has N elements."""
    n = s.n
    text, results, expected = "", [], []
    for name, rows, columns in ("a", n, 3), ("b", 3, n):
        t = f"!obs.push<grid, {s.t(rows)} x {s.t(columns)} x index>"
        text += s.number(name + "_n", rows) + s.number(name + "_m", columns) + f"""
  %{name}_2 = arith.constant 2 : index
  %{name}_k = arith.constant {FACTOR} : index
  %{name}_i = arith.subi %{name}_n, %{name}_2 : index
  %{name}_j = arith.subi %{name}_m, %{name}_2 : index
  %{name} = obs.fill {s.o(f'%{name}_n', f'%{name}_m')} par (%x, %y) in (%{name}_2, %{name}_2) {{
    %i = arith.addi %{name}_i, %x : index
    %j = arith.addi %{name}_j, %y : index
    %u = arith.muli %i, %{name}_k : index
    %v = arith.addi %u, %j : index
    obs.write %v at [%i, %j] : index
  }} : {t}
  %{name}_x = obs.reverse %{name} : {t}
  %{name}_y = obs.reverse %{name}_x dim 1 : {t}
  %{name}_t = obs.take %{name}_y [2, 2] : {t}
  %{name}_f = obs.force %{name}_t : !obs.push<grid, 2 x 2 x index>
"""
        results.append((name + "_f", "!obs.pull<2 x 2 x index>"))
        expected.append([FACTOR * i + j for i in (rows - 1, rows - 2) for j in (columns - 1, columns - 2)])
    return text + returns(*results), expected


@case
def par(s):
    """Loops over N times none and none times N iterations; and N times one below a condition."""
    n = s.n
    return (s.number("n", n) + """
  %zero = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %x = arith.constant 9 : index
  %none = arith.subi %n, %n : index
  %a = obs.fill init %x {
    obs.par (%i, %j) in (%n, %none) {
      obs.write %i at [%j] : index
    }
    obs.par (%i, %j) in (%zero, %n) {
      obs.write %j at [%i] : index
    }
  } : !obs.push<grid, 4 x index>
  %a_f = obs.force %a : !obs.push<grid, 4 x index>
""" + returns(few("a")), [[9] * 4])


@case
def put(s):
    """At half of the elements and at their end, in two levels."""
    n = s.n
    t, u = f"!obs.push<grid, {s.t(n)} x index>", f"!obs.push<grid, {s.t(2 * n)} x index>"
    return (s.vector("a", n) + s.number("n", n) + s.number("m", 2 * n) + f"""
  %two = arith.constant 2 : index
  %o = arith.subi %n, %two : index
  %top = arith.subi %m, %two : index
  %h = arith.shrui %n, %a_1 : index
  %b = obs.slice %a [%o] [2] [1] : !obs.pull<{s.t(n)} x index>
  %p = obs.push grid %b : !obs.pull<2 x index>
  %i = obs.fill {s.o('%n')} {{
    obs.put %p at [%h] : !obs.push<grid, 2 x index>
  }} : {t}
  %q = obs.fill {s.o('%m')} {{
    obs.put %i at [%h] : {t}
    obs.put %p at [%top] : !obs.push<grid, 2 x index>
  }} : {u}
  %e = obs.reindex (%x) = %q {s.o('%m')} {{
    %y = arith.xori %x, %n : index
    obs.yield %y : index
  }} : {u} -> {u}
  %r = obs.take %e [2] : {u}
  %e_f = obs.force %r : !obs.push<grid, 2 x index>
""" + s.pushTail("q", 2 * n, elements=2) + returns(few("q", elements=2), few("e", elements=2)),
        [lastValues(n, 2)[::-1], lastValues(n, 2)])


@case
def map(s):
    """A push array and a pull array, which is read where the program writes."""
    n = s.n
    return (s.fill("a", n) + s.number("n", n) + f"""
  %i = obs.iota {s.o('%n')} : !obs.pull<{s.t(n)} x index>
  %b = obs.map {{ arith.subi }} %a, %i : !obs.push<grid, {s.t(n)} x index>, !obs.pull<{s.t(n)} x index>
""" + s.pushTail("b", n) + returns(few("b")), [[value(i) - i for i in reversed(range(n - 4, n))]])


@case
def take(s):
    """All elements but two."""
    n = s.n
    return (s.fill("a", n) + s.number("less", n - 2) + f"""
  %b = obs.take %a [{n - 2 if s.isStatic else '%less'}] : !obs.push<grid, {s.t(n)} x index>
""" + s.pushTail("b", n - 2, elements=2) + returns(few("b", elements=2)), [lastValues(n)[1::-1]])


@case
def reindex(s):
    """The order of the bits of an index; and N - 1 - i."""
    n = s.n
    t = f"!obs.push<grid, {s.t(n)} x index>"
    return (s.fill("a", n) + s.number("n", n) + s.number("width", n.bit_length() - 1) + f"""
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %last = arith.subi %n, %one : index
  %c = obs.reindex (%i) = %a {s.o('%n')} {{
    %x = arith.subi %last, %i : index
    obs.yield %x : index
  }} : {t} -> {t}
  %d = obs.take %c [4] : {t}
  %d_f = obs.force %d : !obs.push<grid, 4 x index>
  %b = obs.reindex (%i) = %a {s.o('%n')} {{
    %x = obs.bit.reverse %i, %width : index
    %y = obs.bit.flip %x, %one : index
    obs.yield %y : index
  }} : {t} -> {t}
  %e = obs.fill init %n {s.o('%n')} {{
    obs.put %b at [%zero] : {t}
  }} : {t}
""" + s.pushTail("e", n, elements=3) + returns(few("d"), few("e", elements=3)),
        # Reversed, N - 1 is N - 1, and without bit 1 it is N - 3. The other three are not among the last ones.
        [lastValues(n)[::-1], [n, n, value(n - 1)]])


@case
def transpose(s):
    n = s.n
    t, u = f"!obs.push<grid, {s.t(2)} x {s.t(n)} x index>", f"!obs.push<grid, {s.t(n)} x {s.t(2)} x index>"
    return (s.number("n", n) + f"""
  %two = arith.constant 2 : index
  %o = arith.subi %n, %two : index
  %a = obs.fill {s.o('%two', '%n')} par (%x, %y) in (%two, %two) {{
    %j = arith.addi %o, %y : index
    %v = arith.addi %j, %x : index
    obs.write %v at [%x, %j] : index
  }} : {t}
  %b = obs.transpose %a [1, 0] : {t}
  %r = obs.reverse %b : {u}
  %h = obs.take %r [2, 2] : {u}
  %f = obs.force %h : !obs.push<grid, 2 x 2 x index>
""" + returns(("f", "!obs.pull<2 x 2 x index>")), [[n - 1, n, n - 2, n - 1]])


@case
def reshape(s):
    """From one dimension to two, and from two to one of 4 N elements."""
    n = s.n
    t, u = f"!obs.push<grid, {s.t(n)} x index>", f"!obs.push<grid, {s.t(n // 2)} x {s.t(2)} x index>"
    m, l = f"!obs.push<grid, {s.t(n)} x {s.t(4)} x index>", f"!obs.push<grid, {s.t(4 * n)} x index>"
    return (s.fill("a", n) + s.number("n", n) + s.number("half", n // 2) + s.number("all", 4 * n) + f"""
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %last = arith.subi %n, %one : index
  %b = obs.reshape %a {s.o('%half', '%two')} : {t} -> {u}
  %r = obs.reverse %b : {u}
  %h = obs.take %r [2, 2] : {u}
  %f = obs.force %h : !obs.push<grid, 2 x 2 x index>
  %c = obs.fill {s.o('%n', '%c4')} par (%j) in (%c4) {{
    %v = arith.addi %last, %j : index
    obs.write %v at [%last, %j] : index
  }} : {m}
  %d = obs.reshape %c {s.o('%all')} : {m} -> {l}
""" + s.pushTail("d", 4 * n) + returns(("f", "!obs.pull<2 x 2 x index>"), few("d")),
        [[value(n - 2), value(n - 1), value(n - 4), value(n - 3)], [n + 2, n + 1, n, n - 1]])


@case
def concat(s):
    """The end of the second array; and of a concatenation of rows."""
    n = s.n
    t, u, v = (f"!obs.push<grid, {s.t(k)} x index>" for k in (n, 2 * n, 3 * n))
    w, x = (f"!obs.push<grid, {s.t(2)} x {s.t(k)} x index>" for k in (n, 2 * n))
    return (s.fill("a", n) + s.fill("b", 2 * n) + s.number("n", n) + f"""
  %c = obs.concat %a, %b : {t}, {u} -> {v}
  %two = arith.constant 2 : index
  %last = arith.subi %n, %a_1 : index
  %d = obs.fill {s.o('%two', '%n')} par (%i) in (%two) {{
    %y = arith.addi %i, %last : index
    obs.write %y at [%i, %last] : index
  }} : {w}
  %e = obs.concat %d, %d dim 1 : {w} -> {x}
  %r = obs.reverse %e dim 1 : {x}
  %h = obs.take %r [2, 1] : {x}
  %f = obs.force %h : !obs.push<grid, 2 x 1 x index>
""" + s.pushTail("c", 3 * n) + returns(few("c"), ("f", "!obs.pull<2 x 1 x index>")),
        [lastValues(2 * n)[::-1], [n - 1, n]])


@case
def interleave(s):
    n = s.n
    t, u = (f"!obs.push<grid, {s.t(k)} x index>" for k in (n, 3 * n))
    return (s.fill("a", n) + f"""
  %i = obs.iota {s.o('%a_n')} : !obs.pull<{s.t(n)} x index>
  %b = obs.map {{ arith.subi }} %a, %i : {t}, !obs.pull<{s.t(n)} x index>
  %c = obs.interleave %a, %b, %a : {t} -> {u}
""" + s.pushTail("c", 3 * n) + returns(few("c")),
        [[value(n - 1), value(n - 1) - (n - 1), value(n - 1), value(n - 2)]])


@case
def distribute(s):
    """Two sub-programs of N elements each, joined in both ways; and arrays of N rows."""
    n = s.n
    t, u = f"!obs.push<grid, 2 x {s.t(n)} x index>", f"!obs.push<grid, {s.t(2 * n)} x index>"
    text = s.number("n", n) + f"""
  %k = arith.constant {FACTOR} : index
  %c2 = arith.constant 2 : index
  %o = arith.subi %n, %c2 : index
  %two = obs.iota : !obs.pull<2 x index>
  %a = obs.distribute block in grid (%c = %two : !obs.pull<2 x index>) {{
    %p = obs.fill {s.o('%n')} par (%t) in (%c2) {{
      %i = arith.addi %o, %t : index
      %x = arith.muli %i, %k : index
      %y = arith.addi %x, %c : index
      obs.write %y at [%i] : index
    }} : !obs.push<block, {s.t(n)} x index>
    obs.yield %p : !obs.push<block, {s.t(n)} x index>
  }}
  %b = obs.join %a : {t} -> {u}
  %d = obs.join %a strided : {t} -> {u}
  %m = arith.addi %n, %n : index
  %rest = arith.subi %m, %c2 : index
"""
    return (text + s.pushTail("b", 2 * n, elements=2) + s.pushTail("d", 2 * n)
            + returns(few("b", elements=2), few("d")),
            [[FACTOR * i + 1 for i in (n - 1, n - 2)], [FACTOR * i + j for i in (n - 1, n - 2) for j in (1, 0)]])


# Irregular operations.


@case
def scatter(s):
    """To the end of N elements; and the indices that lie outside of 4 elements, of which some
    would lie inside without their upper bits."""
    n = s.n
    t = f"!obs.push<grid, {s.t(n)} x i32>"
    text = s.number("n", n) + f"""
  %c4 = arith.constant 4 : index
  %o = arith.subi %n, %c4 : index
  %z = arith.constant -5 : i32
  %v = obs.constant dense<[10, 20, 30, 40]> : tensor<4xi32>
  %at = obs.generate (%i) {{
    %x = arith.addi %o, %i : index
    obs.yield %x : index
  }} : !obs.pull<4 x index>
  %a = obs.scatter %v at %at {s.o('%n')} : !obs.pull<4 x i32>, !obs.pull<4 x index> -> {t}
  %far = obs.constant dense<[{s.n}, {-s.n}, {s.n + 1}, 2]> : tensor<4xi64>
  %b = obs.scatter %v at %far init %z : !obs.pull<4 x i32>, !obs.pull<4 x i64> -> !obs.push<grid, 4 x i32>
  %b_f = obs.force %b : !obs.push<grid, 4 x i32>
  %negative = obs.constant dense<[-1, -2, 1, -3]> : tensor<4xi32>
  %c = obs.scatter %v at %negative init %z {s.o('%n')} : !obs.pull<4 x i32>, !obs.pull<4 x i32> -> {t}
  %e = obs.take %c [4] : {t}
  %e_f = obs.force %e : !obs.push<grid, 4 x i32>
"""
    return (text + s.pushTail("a", n, "i32") + s.pushTail("c", n, "i32")
            + returns(few("a", "i32"), few("b", "i32"), few("e", "i32"), few("c", "i32")),
            [[40, 30, 20, 10], [-5, -5, 40, -5], [-5, 30, -5, -5], [-5] * 4])

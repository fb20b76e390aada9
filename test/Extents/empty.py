"""Programs over empty arrays without collectives, and what they store: no elements, or initial
contents. check.py runs them with N = 0, and some with N = 1, for which they store something."""

from empty_bodies import Body, values
from programs import registry, value, value2

CASES, case = registry()


@case
def sources(s):
    n, b = s.n, Body(s)
    b.add(s.number("n", n) + f"""
  %seven = arith.constant 7 : i32
  %a = obs.iota {s.o('%n')} : !obs.pull<{s.t(n)} x i32>
  %b = obs.splat %seven {s.o('%n')} : !obs.pull<{s.t(n)} x i32>
""")
    b.force("a", [n], list(range(n)), "i32").force("b", [n], [7] * n, "i32")
    b.add(s.vector("c", n)).force("c", [n], values(n))
    for name, rows, columns in ("d", n, 3), ("e", 3, n), ("g", n, n):
        b.add(s.matrix(name, rows, columns))
        b.force(name, [rows, columns], [value2(i, j) for i in range(rows) for j in range(columns)])
    return b.done()


@case
def constant(s):
    """A table without elements, also as a matrix, and one that is forced in constant memory."""
    b = Body(s)
    b.add("""
  %a = obs.constant dense<> : tensor<0xi32>
  %b = obs.constant dense<> : tensor<0x3xi32>
  %c = obs.constant dense<> : tensor<2x0xi32>
  %d = obs.iota : !obs.pull<0 x i32>
  %d_c = obs.force %d in constant : !obs.pull<0 x i32>
  %e = obs.reverse %d_c : !obs.pull<0 x i32>
""")
    return (b.force("a", ["0"], [], "i32").force("b", ["0", "3"], [], "i32").force("c", ["2", "0"], [], "i32")
            .force("e", ["0"], [], "i32").done())


@case
def get(s):
    """A read that no element asks for."""
    n, b = s.n, Body(s)
    b.add(s.vector("a", n) + f"""
  %b = obs.generate (%i) {s.o('%a_n')} {{
    %x = obs.get %a[%i] : !obs.pull<{s.t(n)} x index>
    obs.yield %x : index
  }} : !obs.pull<{s.t(n)} x index>
""")
    return b.force("b", [n], values(n)).done()


@case
def dim(s):
    n, b = s.n, Body(s)
    t = f"!obs.pull<{s.t(n)} x index>"
    b.add(s.vector("a", n) + f"""
  %z = arith.constant 0 : index
  %b = obs.concat %a, %a : {t} -> !obs.pull<{s.t(2 * n)} x index>
  %c = obs.split %a by [4] pad %z : {t}
  %i = obs.dim %a, 0 : {t}
  %j = obs.dim %b, 0 : !obs.pull<{s.t(2 * n)} x index>
  %k = obs.dim %c, 0 : !obs.pull<{s.t(-(-n // 4))} x !obs.pull<4 x index>>
  %x = obs.splat %i : !obs.pull<1 x index>
  %y = obs.splat %j : !obs.pull<1 x index>
  %w = obs.splat %k : !obs.pull<1 x index>
""")
    return b.force("x", ["1"], [n]).force("y", ["1"], [2 * n]).force("w", ["1"], [-(-n // 4)]).done()


@case
def map(s):
    n, b = s.n, Body(s)
    t = f"!obs.pull<{s.t(n)} x index>"
    b.add(s.vector("a", n) + f"""
  %b = obs.map {{ arith.addi }} %a, %a : {t}
  %p = obs.push grid %a : {t}
  %c = obs.map {{ arith.addi }} %p, %a : !obs.push<grid, {s.t(n)} x index>, {t}
""")
    return b.force("b", [n], [2 * x for x in values(n)]).force("c", [n], [2 * x for x in values(n)], push="grid").done()


@case
def reindex(s):
    """A gather from no elements to none, a gather of no elements from four, and a permutation."""
    n, b = s.n, Body(s)
    t = f"{s.t(n)} x index>"
    b.add(s.vector("a", n) + f"""
  %last = arith.subi %a_n, %a_1 : index
  %four = obs.iota : !obs.pull<4 x index>
  %b = obs.reindex (%i) = %a {s.o('%a_n')} {{
    %j = arith.subi %last, %i : index
    obs.yield %j : index
  }} : !obs.pull<{t} -> !obs.pull<{t}
  %c = obs.reindex (%i) = %four {s.o('%a_n')} {{
    obs.yield %i : index
  }} : !obs.pull<4 x index> -> !obs.pull<{t}
  %p = obs.push grid %a : !obs.pull<{t}
  %d = obs.reindex (%i) = %p {s.o('%a_n')} {{
    %j = arith.subi %last, %i : index
    obs.yield %j : index
  }} : !obs.push<grid, {t} -> !obs.push<grid, {t}
""")
    return (b.force("b", [n], values(n)[::-1]).force("c", [n], list(range(n)))
            .force("d", [n], values(n)[::-1], push="grid").done())


@case
def reverse(s):
    n, b = s.n, Body(s)
    b.add(s.vector("a", n) + s.matrix("m", 2, n) + f"""
  %b = obs.reverse %a : !obs.pull<{s.t(n)} x index>
  %c = obs.reverse %m dim 1 : !obs.pull<{s.t(2)} x {s.t(n)} x index>
  %p = obs.push grid %a : !obs.pull<{s.t(n)} x index>
  %d = obs.reverse %p : !obs.push<grid, {s.t(n)} x index>
""")
    return (b.force("b", [n], values(n)[::-1]).force("c", [2, n], [value2(i, j) for i in (0, 1) for j in reversed(range(n))])
            .force("d", [n], values(n)[::-1], push="grid").done())


@case
def slice(s):
    """No elements of none; none of four, from the first and from behind the last; and every
    1000th of none."""
    n, b = s.n, Body(s)
    size = n if s.isStatic else "%a_n"
    t = f"!obs.pull<{s.t(n)} x index>"
    b.add(s.vector("a", n) + s.number("four", n + 4) + s.number("o", 4) + s.number("c1000", 1000) + f"""
  %l = obs.iota {s.o('%four')} : !obs.pull<{s.t(n + 4)} x index>
  %b = obs.slice %a [0] [{size}] [1] : {t}
  %c = obs.slice %l [0] [{size}] [1] : !obs.pull<{s.t(n + 4)} x index>
  %d = obs.slice %l [%o] [{size}] [1] : !obs.pull<{s.t(n + 4)} x index>
  %e = obs.slice %l [4] [{size}] [%c1000] : !obs.pull<{s.t(n + 4)} x index>
""")
    b.force("b", [n], values(n)).force("c", [n], list(range(n)))
    return b.force("d", [n], list(range(4, n + 4))).force("e", [n], [4] * n).done()


@case
def take(s):
    n, b = s.n, Body(s)
    b.add(s.vector("a", n) + f"""
  %l = obs.iota : !obs.pull<{max(n, 4)} x index>
  %b = obs.take %l [{n if s.isStatic else '%a_n'}] : !obs.pull<{max(n, 4)} x index>
  %c = obs.take %a [{n if s.isStatic else '%a_n'}] : !obs.pull<{s.t(n)} x index>
  %p = obs.push grid %l : !obs.pull<{max(n, 4)} x index>
  %d = obs.take %p [{n if s.isStatic else '%a_n'}] : !obs.push<grid, {max(n, 4)} x index>
""")
    bound = "" if s.isStatic else f" bound [{max(n, 4)}]"
    return (b.force("b", [n], list(range(n)), "index" + bound).force("c", [n], values(n))
            .force("d", [n], list(range(n)), "index" + bound, push="grid").done())


@case
def split_join(s):
    """Chunks of no array, joined again in both ways, with pad values and without."""
    n, b = s.n, Body(s)
    b.add(s.vector("a", n) + "  %z = arith.constant -5 : index")
    t = f"!obs.pull<{s.t(n)} x index>"
    count = n if s.isStatic else "%a_n"
    for name, pad, size in ("b", "pad %z ", 4), ("c", "", 1), ("d", "pad %z ", 1000):
        chunks = -(-n // size)
        u = f"!obs.pull<{s.t(chunks)} x !obs.pull<{size} x index>>"
        b.add(f"""
  %{name}_s = obs.split %a by [{size}] {pad}: {t}
  %{name}_t = obs.split %a strided by [{size}] {pad}: {t}
  %{name}_c = obs.join %{name}_s to [{count}] : {u}
  %{name}_d = obs.join %{name}_t strided to [{count}] : {u}
  %{name}_e = obs.join %{name}_s : {u}
""")
        whole = values(n) + [-5] * (chunks * size - n)
        b.force(name + "_c", [n], values(n)).force(name + "_d", [n], values(n)).force(name + "_e", [chunks * size], whole)
    return b.done()


@case
def join(s):
    """N chunks of three, and three chunks of N elements, which the array has in two dimensions."""
    n, b = s.n, Body(s)
    for name, rows, columns in ("a", n, 3), ("b", 3, n):
        t = f"{s.t(rows)} x {s.t(columns)} x index>"
        u = f"{s.t(rows * columns)} x index>"
        whole = [value2(i, j) for i in range(rows) for j in range(columns)]
        turned = [value2(i, j) for j in range(columns) for i in range(rows)]
        b.add(s.matrix(name, rows, columns) + f"""
  %{name}_p = obs.push grid %{name} : !obs.pull<{t}
  %{name}_c = obs.join %{name} : !obs.pull<{t} -> !obs.pull<{u}
  %{name}_d = obs.join %{name} strided : !obs.pull<{t} -> !obs.pull<{u}
  %{name}_e = obs.join %{name}_p : !obs.push<grid, {t} -> !obs.push<grid, {u}
""")
        b.force(name + "_c", [rows * columns], whole).force(name + "_d", [rows * columns], turned)
        b.force(name + "_e", [rows * columns], whole, push="grid")
    return b.done()


@case
def nest_unnest(s):
    """No rows, and rows without elements: their sums and the rows themselves."""
    n, b = s.n, Body(s)
    b.add("  %z = arith.constant 0 : index")
    for name, rows, columns in ("a", n, 3), ("b", 3, n), ("c", n, n):
        t, r = f"!obs.pull<{s.t(rows)} x {s.t(columns)} x index>", f"!obs.pull<{s.t(columns)} x index>"
        b.add(s.matrix(name, rows, columns) + f"""
  %{name}_r = obs.nest %{name} dims 1 : {t}
  %{name}_s = obs.map (%row = %{name}_r : !obs.pull<{s.t(rows)} x {r}>) {{
    %sum = obs.reduce {{ arith.addi }} %row init %z : {r}
    obs.yield %sum : index
  }}
  %{name}_u = obs.unnest %{name}_r : !obs.pull<{s.t(rows)} x {r}>
""")
        b.force(name + "_s", [rows], [sum(value2(i, j) for j in range(columns)) for i in range(rows)])
        b.force(name + "_u", [rows, columns], [value2(i, j) for i in range(rows) for j in range(columns)])
    return b.done()


@case
def transpose(s):
    n, b = s.n, Body(s)
    for name, rows, columns in ("a", n, 3), ("b", 3, n):
        t = f"{s.t(rows)} x {s.t(columns)} x index>"
        turned = [value2(i, j) for j in range(columns) for i in range(rows)]
        b.add(s.matrix(name, rows, columns) + f"""
  %{name}_t = obs.transpose %{name} [1, 0] : !obs.pull<{t}
  %{name}_p = obs.push grid %{name} : !obs.pull<{t}
  %{name}_q = obs.transpose %{name}_p [1, 0] : !obs.push<grid, {t}
""")
        b.force(name + "_t", [columns, rows], turned).force(name + "_q", [columns, rows], turned, push="grid")
    return b.done()


@case
def reshape(s):
    n, b = s.n, Body(s)
    t, u, v = f"{s.t(n)} x {s.t(3)} x index>", f"{s.t(3 * n)} x index>", f"{s.t(3)} x {s.t(n)} x index>"
    whole = [value2(i, j) for i in range(n) for j in range(3)]
    b.add(s.matrix("m", n, 3) + s.number("all", 3 * n) + f"""
  %p = obs.push grid %m : !obs.pull<{t}
  %a = obs.reshape %m {s.o('%all')} : !obs.pull<{t} -> !obs.pull<{u}
  %b = obs.reshape %m {s.o('%m_m', '%m_n')} : !obs.pull<{t} -> !obs.pull<{v}
  %c = obs.reshape %a {s.o('%m_n', '%m_m')} : !obs.pull<{u} -> !obs.pull<{t}
  %d = obs.reshape %p {s.o('%m_m', '%m_n')} : !obs.push<grid, {t} -> !obs.push<grid, {v}
""")
    return (b.force("a", [3 * n], whole).force("b", [3, n], whole).force("c", [n, 3], whole)
            .force("d", [3, n], whole, push="grid").done())


@case
def concat(s):
    """An empty array before, between and after others; empty rows; push arrays."""
    n, b = s.n, Body(s)
    t, u, v = f"{s.t(n)} x index>", f"{s.t(2 * n)} x index>", f"{s.t(2 * n + 2)} x index>"
    b.add(s.vector("a", n) + s.matrix("m", 2, n) + f"""
  %two = obs.iota : !obs.pull<2 x index>
  %b = obs.concat %a, %two, %a : !obs.pull<{t}, !obs.pull<2 x index>, !obs.pull<{t} -> !obs.pull<{v}
  %c = obs.concat %a, %a : !obs.pull<{t} -> !obs.pull<{u}
  %d = obs.concat %m, %m dim 1 : !obs.pull<{s.t(2)} x {t} -> !obs.pull<{s.t(2)} x {u}
  %p = obs.push grid %a : !obs.pull<{t}
  %q = obs.push grid %two : !obs.pull<2 x index>
  %e = obs.concat %p, %q, %p : !obs.push<grid, {t}, !obs.push<grid, 2 x index>, !obs.push<grid, {t} -> !obs.push<grid, {v}
  %g = obs.concat %p, %p : !obs.push<grid, {t} -> !obs.push<grid, {u}
""")
    both, rows = values(n) + [0, 1] + values(n), [[value2(i, j) for j in range(n)] for i in (0, 1)]
    return (b.force("b", [2 * n + 2], both).force("c", [2 * n], values(n) * 2)
            .force("d", [2, 2 * n], rows[0] * 2 + rows[1] * 2)
            .force("e", [2 * n + 2], both, push="grid").force("g", [2 * n], values(n) * 2, push="grid").done())


@case
def interleave(s):
    n, b = s.n, Body(s)
    t, u = f"{s.t(n)} x index>", f"{s.t(3 * n)} x index>"
    b.add(s.vector("a", n) + f"""
  %c = obs.iota {s.o('%a_n')} : !obs.pull<{t}
  %d = obs.interleave %a, %c, %a : !obs.pull<{t} -> !obs.pull<{u}
  %p = obs.push grid %a : !obs.pull<{t}
  %q = obs.push grid %c : !obs.pull<{t}
  %e = obs.interleave %p, %q, %p : !obs.push<grid, {t} -> !obs.push<grid, {u}
""")
    whole = [x for i in range(n) for x in (value(i), i, value(i))]
    return b.force("d", [3 * n], whole).force("e", [3 * n], whole, push="grid").done()


@case
def zip_unzip(s):
    """Also stored as pairs."""
    n, b = s.n, Body(s)
    t, u = f"!obs.pull<{s.t(n)} x index>", f"!obs.pull<{s.t(n)} x index, i32>"
    b.add(s.vector("a", n) + f"""
  %c = obs.iota {s.o('%a_n')} : !obs.pull<{s.t(n)} x i32>
  %d = obs.zip %a, %c : {t}, !obs.pull<{s.t(n)} x i32>
  %e = obs.force %d : {u}
  %g, %h = obs.unzip %e : {u}
""")
    return b.force("g", [n], values(n)).force("h", [n], list(range(n)), "i32").done()


@case
def bits(s):
    """Permutations of no elements, and of one."""
    n, b = s.n, Body(s)
    t = f"{s.t(n)} x index>"
    b.add(s.vector("a", n) + f"  %c0 = arith.constant 0 : index\n  %one = arith.constant 1 : index\n  %p = obs.push grid %a : !obs.pull<{t}\n")
    for name, numbers in ("rotate", "%c0, %one"), ("reverse", "%c0"), ("swap", "%c0, %c0"):
        b.add(f"""
  %{name} = obs.reindex (%i) = %a {s.o('%a_n')} {{
    %j = obs.bit.{name} %i, {numbers} : index
    obs.yield %j : index
  }} : !obs.pull<{t} -> !obs.pull<{t}
""").force(name, [n], values(n))
    for name in "insert_zero", "flip", "flip_low":
        b.add(f"""
  %{name} = obs.generate (%i) {s.o('%a_n')} {{
    %j = obs.bit.{name} %i, %c0 : index
    obs.yield %j : index
  }} : !obs.pull<{t}
""").force(name, [n], [2 * i if name == "insert_zero" else i ^ 1 for i in range(n)])
    return b.done()


@case
def fill(s):
    """Without writes, with initial contents of each kind, of two dimensions and with contracts."""
    n, b = s.n, Body(s)
    t, m = f"{s.t(n)} x index>", f"{s.t(2)} x {s.t(n)} x index>"
    b.add(s.vector("a", n) + s.number("two", 2) + f"""
  %z = arith.constant -5 : index
  %zi = arith.constant -5 : i32
  %b = obs.fill {s.o('%a_n')} par (%i) in (%a_n) {{
    %x = obs.get %a[%i] : !obs.pull<{t}
    obs.write %x at [%i] : index
  }} : !obs.push<grid, {t}
  %c = obs.fill init %z {s.o('%a_n')} {{
  }} : !obs.push<grid, {t}
  %d_o = obs.force %a : !obs.pull<{t}
  %d = obs.fill onto %d_o : !obs.pull<{t} {s.o('%a_n')} {{
  }} : !obs.push<grid, {t}
  %e = obs.fill init %z {s.o('%two', '%a_n')} par (%i, %j) in (%two, %a_n) {{
    %x = arith.addi %i, %j : index
    obs.write %x at [%i, %j] : index
  }} : !obs.push<grid, {m}
  %one = arith.constant 1 : i32
  %g = obs.fill init %zi reduce(addi) {s.o('%a_n')} par (%i, %j) in (%a_n, %two) {{
    obs.write %one at [%i] : i32
  }} : !obs.push<grid, {s.t(n)} x i32>
  %h = obs.fill any {s.o('%a_n')} par (%i, %j) in (%two, %a_n) {{
    obs.write %one at [%j] : i32
  }} : !obs.push<grid, {s.t(n)} x i32>
""")
    return (b.force("b", [n], values(n), push="grid").force("c", [n], [-5] * n, push="grid")
            .force("d", [n], values(n), push="grid")
            .force("e", [2, n], [i + j for i in range(2) for j in range(n)], push="grid")
            .force("g", [n], [-3] * n, "i32", push="grid").force("h", [n], [1] * n, "i32", push="grid").done())


@case
def par(s):
    """Loops without iterations, at each level, and of -1 iterations."""
    n, b = s.n, Body(s)
    b.add(s.number("n", n) + """
  %x = arith.constant 9 : index
  %m1 = arith.constant -1 : index
  %y = arith.constant 3 : index
  %zero = arith.constant 0 : index
""")
    for level in "thread", "warp", "block":
        inner = """
      obs.par (%j) in (%n) {
        obs.write %y at [%i] : index
      }""" if level != "thread" else """
      obs.write %y at [%i] : index"""
        b.add(f"""
  %{level} = obs.fill init %x any {{
    obs.par {level} (%i) in (%n) {{{inner}
    }}
    obs.par {level} (%i) in (%m1) {{
      obs.par (%j) in (%y) {{
        obs.write %y at [%i] : index
      }}
    }}
  }} : !obs.push<grid, 4 x index>
""" if level != "thread" else f"""
  %{level} = obs.fill init %x any {{
    obs.par (%i) in (%n) {{{inner}
    }}
    obs.par (%i) in (%m1) {{
      obs.write %y at [%i] : index
    }}
  }} : !obs.push<grid, 4 x index>
""")
        b.force(level, ["4"], [3] * n + [9] * (4 - n), push="grid")
    return b.done()


@case
def put(s):
    """Empty arrays in front of, behind and in others."""
    n, b = s.n, Body(s)
    t, u = f"{s.t(n)} x index>", f"{s.t(2 * n + 2)} x index>"
    b.add(s.vector("a", n) + s.number("m", 2 * n + 2) + s.number("o", n + 2) + f"""
  %zero = arith.constant 0 : index
  %two = obs.iota : !obs.pull<2 x index>
  %p = obs.push grid %a : !obs.pull<{t}
  %q = obs.push grid %two : !obs.pull<2 x index>
  %b = obs.fill {s.o('%m')} {{
    obs.put %p at [%zero] : !obs.push<grid, {t}
    obs.put %q at [%a_n] : !obs.push<grid, 2 x index>
    obs.put %p at [%o] : !obs.push<grid, {t}
  }} : !obs.push<grid, {u}
  %c = obs.fill {s.o('%a_n')} {{
    obs.put %p at [%zero] : !obs.push<grid, {t}
  }} : !obs.push<grid, {t}
""")
    return (b.force("b", [2 * n + 2], values(n) + [0, 1] + values(n), push="grid")
            .force("c", [n], values(n), push="grid").done())


@case
def distribute(s):
    """No sub-programs, and sub-programs without elements, at each level; with forces inside."""
    n, b = s.n, Body(s)
    b.add(s.number("n", n))
    for level in "block", "warp", "thread":
        for name, rows, columns in (level + "_a", n, 3), (level + "_b", 3, n):
            b.add(s.number(name + "_c", columns) + s.number(name + "_r", rows) + f"""
  %{name}_i = obs.iota {s.o(f'%{name}_r')} : !obs.pull<{s.t(rows)} x index>
  %{name} = obs.distribute {level} in grid (%i = %{name}_i : !obs.pull<{s.t(rows)} x index>) {{
    %row = obs.generate (%j) {s.o(f'%{name}_c')} {{
      %x = arith.muli %i, %j : index
      obs.yield %x : index
    }} : !obs.pull<{s.t(columns)} x index>
    %p = obs.push {level} %row : !obs.pull<{s.t(columns)} x index>
    obs.yield %p : !obs.push<{level}, {s.t(columns)} x index>
  }}
  %{name}_j = obs.join %{name} : !obs.push<grid, {s.t(rows)} x {s.t(columns)} x index>
""")
            whole = [i * j for i in range(rows) for j in range(columns)]
            b.force(name, [rows, columns], whole, push="grid").force(name + "_j", [rows * columns], whole, push="grid")
    return b.done()


@case
def stored_below_grid(s):
    """Arrays of a block, warp or thread that may be empty."""
    n, b = s.n, Body(s)
    b.add(s.number("n", n) + "  %three = obs.iota : !obs.pull<3 x index>")
    bound = "" if s.isStatic else " bound [8]"
    for level in "block", "warp", "thread":
        b.add(f"""
  %{level} = obs.distribute {level} in grid (%i = %three : !obs.pull<3 x index>) {{
    %row = obs.generate (%j) {s.o('%n')} {{
      %x = arith.addi %i, %j : index
      obs.yield %x : index
    }} : !obs.pull<{s.t(n)} x index{bound}>
    %f = obs.force %row : !obs.pull<{s.t(n)} x index{bound}>
    %r = obs.reverse %f : !obs.pull<{s.t(n)} x index{bound}>
    %g = obs.force %r : !obs.pull<{s.t(n)} x index{bound}>
    %p = obs.push {level} %g : !obs.pull<{s.t(n)} x index{bound}>
    obs.yield %p : !obs.push<{level}, {s.t(n)} x index{bound}>
  }}
""")
        b.force(level, ["3", n], [i + j for i in range(3) for j in reversed(range(n))],
                "index" + ("" if s.isStatic else " bound [3, 8]"), push="grid")
    return b.done()


@case
def control(s):
    """Empty arrays that loops and branches carry."""
    n, b = s.n, Body(s)
    t = f"!obs.pull<{s.t(n)} x index>"
    b.add(s.vector("a", n) + f"""
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %b = scf.for %k = %c0 to %c3 step %a_1 iter_args(%x = %a) -> ({t}) {{
    %y = obs.map {{ arith.addi }} %x, %a : {t}
    scf.yield %y : {t}
  }}
  %isEmpty = arith.cmpi eq, %a_n, %c0 : index
  %c = scf.if %isEmpty -> ({t}) {{
    %r = obs.reverse %a : {t}
    scf.yield %r : {t}
  }} else {{
    scf.yield %a : {t}
  }}
""")
    return b.force("b", [n], [4 * x for x in values(n)]).force("c", [n], values(n)).done()

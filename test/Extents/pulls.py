"""Programs over pull arrays of N elements that store a few of them, and the elements that
they store. check.py runs them for large N."""

from programs import few, lastValues, registry, returns, value, value2

CASES, case = registry()


# Sources.


@case
def iota(s):
    n = s.n
    text = s.number("n", n)
    for name, kind in ("a", "index"), ("b", "i64"), ("c", "i32"), ("d", "i8"):
        text += f"  %{name} = obs.iota {s.o('%n')} : !obs.pull<{s.t(n)} x {kind}>\n" + s.tail(name, n, kind)
    return (text + returns(few("a"), few("b", "i64"), few("c", "i32"), few("d", "i8")),
            [list(range(n - 4, n))] * 4)


@case
def splat(s):
    n = s.n
    text = s.number("n", n) + f"""
  %x = arith.constant 7 : i32
  %y = arith.constant -1 : i64
  %a = obs.splat %x, %y {s.o('%n')} : !obs.pull<{s.t(n)} x i32, i64>
  %l, %m = obs.unzip %a : !obs.pull<{s.t(n)} x i32, i64>
""" + s.tail("l", n, "i32") + s.tail("m", n, "i64")
    return text + returns(few("l", "i32"), few("m", "i64")), [[7] * 4, [-1] * 4]


@case
def generate(s):
    n = s.n
    return s.vector("a", n) + s.tail("a", n) + returns(few("a")), [lastValues(n)]


@case
def generate_2d(s):
    """Many rows, long rows, and as many rows as columns."""
    text, results, expected = "", [], []
    side = 1 << (s.n.bit_length() // 2)
    for name, rows, columns in ("a", s.n, 3), ("b", 3, s.n), ("c", side, s.n // side):
        text += s.matrix(name, rows, columns) + f"""
  %{name}_2 = arith.constant 2 : index
  %{name}_i = arith.subi %{name}_n, %{name}_2 : index
  %{name}_j = arith.subi %{name}_m, %{name}_2 : index
  %{name}_t = obs.slice %{name} [%{name}_i, %{name}_j] [2, 2] [1, 1] : !obs.pull<{s.t(rows)} x {s.t(columns)} x index>
  %{name}_f = obs.force %{name}_t : !obs.pull<2 x 2 x index>
"""
        results.append((name + "_f", "!obs.pull<2 x 2 x index>"))
        expected.append([value2(i, j) for i in (rows - 2, rows - 1) for j in (columns - 2, columns - 1)])
    return text + returns(*results), expected


# Reading.


@case
def get(s):
    """The elements N - 1, N / 2, N / 2 - 1 and 0, whose indices have different highest bits."""
    n = s.n
    text = s.vector("a", n) + f"""
  %c3 = arith.constant 3 : index
  %last = arith.subi %a_n, %a_1 : index
  %g = obs.generate (%i) {{
    %j = arith.subi %c3, %i : index
    %at = arith.shrui %last, %i : index
    %isThird = arith.cmpi eq, %i, %c3 : index
    %zero = arith.constant 0 : index
    %index = arith.select %isThird, %zero, %at : index
    %x = obs.get %a[%index] : !obs.pull<{s.t(n)} x index>
    obs.yield %x : index
  }} : !obs.pull<4 x index>
  %g_f = obs.force %g : !obs.pull<4 x index>
"""
    return text + returns(few("g")), [[value(n - 1), value((n - 1) >> 1), value((n - 1) >> 2), value(0)]]


@case
def dim(s):
    """The extents of results of operations."""
    n = s.n
    t, v, m = f"!obs.pull<{s.t(n)} x index>", f"!obs.pull<{s.t(2 * n)} x index>", f"!obs.pull<{s.t(n)} x {s.t(5)} x index>"
    text = s.vector("a", n) + s.matrix("b", n, 5) + f"""
  %c = obs.concat %a, %a : {t} -> {v}
  %l = obs.interleave %c, %c : {v}
  %s = obs.split %a by [65536] : {t}
  %x = obs.transpose %b [1, 0] : {m}
  %d0 = obs.dim %a, 0 : {t}
  %d1 = obs.dim %c, 0 : {v}
  %d2 = obs.dim %l, 0 : !obs.pull<{s.t(4 * n)} x index>
  %d3 = obs.dim %s, 0 : !obs.pull<{s.t(n // 65536)} x !obs.pull<65536 x index>>
  %d4 = obs.dim %x, 0 : !obs.pull<{s.t(5)} x {s.t(n)} x index>
  %d5 = obs.dim %x, 1 : !obs.pull<{s.t(5)} x {s.t(n)} x index>
""" + "".join(f"""
  %a{i} = obs.splat %d{i} : !obs.pull<1 x index>
  %r{i}_f = obs.force %a{i} : !obs.pull<1 x index>
""" for i in range(6))
    return (text + returns(*(few(f"r{i}", elements=1) for i in range(6))),
            [[n], [2 * n], [4 * n], [n // 65536], [5], [n]])


# Elementwise.


@case
def map(s):
    n = s.n
    t = f"!obs.pull<{s.t(n)} x index>"
    text = s.vector("a", n) + s.number("n", n) + f"""
  %b = obs.iota {s.o('%n')} : {t}
  %c = obs.map (%x = %a, %y = %b : {t}) {{
    %d = arith.subi %x, %y : index
    obs.yield %d, %y : index, index
  }}
  %u, %v = obs.unzip %c : !obs.pull<{s.t(n)} x index, index>
  %w = obs.map {{ arith.xori }} %u, %v : {t}
""" + s.tail("u", n) + s.tail("w", n)
    at = range(n - 4, n)
    return text + returns(few("u"), few("w")), [[value(i) - i for i in at], [((value(i) - i) % 2**64) ^ i for i in at]]


# Index maps of pull arrays.


@case
def reindex(s):
    n = s.n
    t = f"!obs.pull<{s.t(n)} x index>"
    text = s.vector("a", n) + s.number("n", n) + f"""
  %one = arith.constant 1 : index
  %last = arith.subi %n, %one : index
  %r = obs.reindex (%i) = %a {s.o('%n')} {{
    %j = arith.xori %i, %last : index
    %k = arith.xori %j, %one : index
    obs.yield %k : index
  }} : {t} -> {t}
  %q = obs.reindex (%i) = %a {{
    %j = arith.subi %last, %i : index
    obs.yield %j : index
  }} : {t} -> !obs.pull<4 x index>
  %q_f = obs.force %q : !obs.pull<4 x index>
  %h = obs.take %r [4] : {t}
  %h_f = obs.force %h : !obs.pull<4 x index>
""" + s.tail("r", n)
    # N is a power of two, so i xor (N - 1) is N - 1 - i.
    return (text + returns(few("q"), few("h"), few("r")),
            [[value(n - 1 - i) for i in range(4)], [value((n - 1 - i) ^ 1) for i in range(4)],
             [value((n - 1 - i) ^ 1) for i in range(n - 4, n)]])


@case
def reverse(s):
    n = s.n
    text = s.vector("a", n) + s.matrix("b", 2, n) + f"""
  %r = obs.reverse %a : !obs.pull<{s.t(n)} x index>
  %h = obs.take %r [4] : !obs.pull<{s.t(n)} x index>
  %h_f = obs.force %h : !obs.pull<4 x index>
  %q = obs.reverse %b dim 1 : !obs.pull<{s.t(2)} x {s.t(n)} x index>
  %w = obs.take %q [2, 2] : !obs.pull<{s.t(2)} x {s.t(n)} x index>
  %w_f = obs.force %w : !obs.pull<2 x 2 x index>
""" + s.tail("r", n)
    return (text + returns(few("h"), ("w_f", "!obs.pull<2 x 2 x index>"), few("r")),
            [lastValues(n)[::-1], [value2(i, j) for i in (0, 1) for j in (n - 1, n - 2)],
             [value(i) for i in (3, 2, 1, 0)]])


@case
def slice(s):
    """All elements but one; every N/4-th; the ends; and a slice of a slice."""
    n = s.n
    t = f"!obs.pull<{s.t(n)} x index>"
    if s.isStatic:
        rest = f"%b = obs.slice %a [1] [{n - 1}] [1] : {t}"
        wide = f"%c = obs.slice %a [{n // 4 - 1}] [4] [{n // 4}] : {t}"
        ends = f"%d = obs.slice %a [0] [2] [{n - 1}] : {t}"
    else:
        rest = f"%b = obs.slice %a [1] [%less] [1] : {t}"
        wide = f"%c = obs.slice %a [%first] [4] [%step] : {t}"
        ends = f"%d = obs.slice %a [0] [2] [%less] : {t}"
    text = s.vector("a", n) + s.number("less", n - 1) + s.number("first", n // 4 - 1) + s.number("step", n // 4) + f"""
  {rest}
  {wide}
  {ends}
  %e = obs.slice %b [3] [{n // 4 if s.isStatic else '%step'}] [3] : !obs.pull<{s.t(n - 1)} x index>
  %c_f = obs.force %c : !obs.pull<4 x index>
  %d_f = obs.force %d : !obs.pull<2 x index>
""" + s.tail("b", n - 1) + s.tail("e", n // 4)
    return (text + returns(few("c"), few("d", elements=2), few("b"), few("e")),
            [[value((i + 1) * (n // 4) - 1) for i in range(4)], [value(0), value(n - 1)], lastValues(n),
             [value(4 + 3 * i) for i in range(n // 4 - 4, n // 4)]])


@case
def take(s):
    n = s.n
    t = f"!obs.pull<{s.t(n)} x index>"
    text = s.vector("a", n) + s.number("less", n - 1) + s.number("n", n) + f"""
  %b = obs.take %a [{n - 1 if s.isStatic else '%less'}] : {t}
  %c = obs.take %a [{n if s.isStatic else '%n'}] : {t}
""" + s.tail("b", n - 1) + s.tail("c", n)
    return text + returns(few("b"), few("c")), [[value(i) for i in range(n - 5, n - 1)], lastValues(n)]


def readChunks(s, name, chunks, size, rows=2, columns=2):
    """Stores the last elements of the last chunks of %NAME, as %NAME_f. %NAME_c and
    %NAME_k are the numbers of chunks and of the elements of one."""
    return s.number(name + "_c", chunks) + s.number(name + "_k", size) + f"""
  %{name}_ro = arith.constant {rows} : index
  %{name}_co = arith.constant {columns} : index
  %{name}_i0 = arith.subi %{name}_c, %{name}_ro : index
  %{name}_j0 = arith.subi %{name}_k, %{name}_co : index
  %{name}_g = obs.generate (%i, %j) {{
    %outer = arith.addi %{name}_i0, %i : index
    %inner = arith.addi %{name}_j0, %j : index
    %chunk = obs.get %{name}[%outer] : !obs.pull<{s.t(chunks)} x !obs.pull<{s.t(size)} x index>>
    %x = obs.get %chunk[%inner] : !obs.pull<{s.t(size)} x index>
    obs.yield %x : index
  }} : !obs.pull<{rows} x {columns} x index>
  %{name}_f = obs.force %{name}_g : !obs.pull<{rows} x {columns} x index>
"""


@case
def split(s):
    """Short chunks, long chunks, and one chunk of all."""
    n = s.n
    text, results, expected = s.vector("a", n), [], []
    for name, size in ("b", 8), ("c", 65536), ("d", n // 2), ("e", n):
        rows = min(2, n // size)
        text += s.number(name + "_s", size)
        text += f"  %{name} = obs.split %a by [{size if s.isStatic else f'%{name}_s'}] : !obs.pull<{s.t(n)} x index>\n"
        text += readChunks(s, name, n // size, size, rows)
        results.append((name + "_f", f"!obs.pull<{rows} x 2 x index>"))
        expected.append([value(c * size + i) for c in range(n // size - rows, n // size) for i in (size - 2, size - 1)])
    return text + returns(*results), expected


@case
def split_strided(s):
    n = s.n
    text, results, expected = s.vector("a", n), [], []
    for name, size in ("b", 8), ("c", 65536), ("d", n // 2):
        chunks = n // size
        text += s.number(name + "_s", size)
        text += f"  %{name} = obs.split %a strided by [{size if s.isStatic else f'%{name}_s'}] : !obs.pull<{s.t(n)} x index>\n"
        text += readChunks(s, name, chunks, size)
        results.append((name + "_f", "!obs.pull<2 x 2 x index>"))
        expected.append([value(c + i * chunks) for c in (chunks - 2, chunks - 1) for i in (size - 2, size - 1)])
    return text + returns(*results), expected


@case
def split_pad(s):
    """Chunks that do not divide N: the last one ends with pad values."""
    n = s.n
    text, results, expected = s.vector("a", n) + "  %z = arith.constant -5 : index\n", [], []
    for name, size, kind in ("b", 7, ""), ("c", 65537, ""), ("d", n // 2 + 1, ""), ("e", n + 1, ""), ("f", 7, "strided "):
        chunks = -(-n // size)
        rows = min(2, chunks)
        text += s.number(name + "_s", size)
        text += f"  %{name} = obs.split %a {kind}by [{size if s.isStatic else f'%{name}_s'}] pad %z : !obs.pull<{s.t(n)} x index>\n"
        text += readChunks(s, name, chunks, size, rows)
        results.append((name + "_f", f"!obs.pull<{rows} x 2 x index>"))
        at = [(c + i * chunks) if kind else (c * size + i)
              for c in range(chunks - rows, chunks) for i in (size - 2, size - 1)]
        expected.append([value(i) if i < n else -5 for i in at])
    return text + returns(*results), expected


@case
def join(s):
    """Chunks that a split made; arrays of arrays; an array of rank 2; and fewer elements than
    the chunks have."""
    n = s.n
    half, t = n // 2, f"!obs.pull<{s.t(n)} x index>"
    text = s.vector("a", n) + s.number("half", half) + s.number("k", 65536) + s.number("l", 7) + s.number("n", n) + f"""
  %z = arith.constant -5 : index
  %s0 = obs.split %a by [{65536 if s.isStatic else '%k'}] : {t}
  %j0 = obs.join %s0 : !obs.pull<{s.t(n // 65536)} x !obs.pull<{s.t(65536)} x index>>
  %s1 = obs.split %a strided by [{half if s.isStatic else '%half'}] : {t}
  %j1 = obs.join %s1 strided : !obs.pull<{s.t(2)} x !obs.pull<{s.t(half)} x index>>
  %s2 = obs.split %a by [{7 if s.isStatic else '%l'}] pad %z : {t}
  %j2 = obs.join %s2 to [{n if s.isStatic else '%n'}] : !obs.pull<{s.t(-(-n // 7))} x !obs.pull<{s.t(7)} x index>>
""" + s.matrix("m", n, 4) + f"""
  %j3 = obs.join %m : !obs.pull<{s.t(n)} x {s.t(4)} x index>
  %j4 = obs.join %m strided : !obs.pull<{s.t(n)} x {s.t(4)} x index>
""" + s.tail("j0", n) + s.tail("j1", n) + s.tail("j2", n) + s.tail("j3", 4 * n) + s.tail("j4", 4 * n)
    return (text + returns(few("j0"), few("j1"), few("j2"), few("j3"), few("j4")),
            [lastValues(n)] * 3 + [[value2(n - 1, j) for j in range(4)], [value2(i, 3) for i in range(n - 4, n)]])


@case
def nest(s):
    """Many rows and long rows."""
    n = s.n
    text, results, expected = "", [], []
    for name, rows, columns in ("a", n, 3), ("b", 3, n):
        text += s.matrix(name, rows, columns) + f"""
  %{name}_r = obs.nest %{name} dims 1 : !obs.pull<{s.t(rows)} x {s.t(columns)} x index>
""" + readChunks(s, name + "_r", rows, columns)
        results.append((name + "_r_f", "!obs.pull<2 x 2 x index>"))
        expected.append([value2(i, j) for i in (rows - 2, rows - 1) for j in (columns - 2, columns - 1)])
    return text + returns(*results), expected


@case
def unnest(s):
    n = s.n
    text, results, expected = s.vector("a", n) + s.number("h", n // 2), [], []
    for name, size in ("b", 8), ("c", n // 2):
        chunks = n // size
        text += s.number(name + "_s", size) + f"""
  %{name}_x = obs.split %a by [{size if s.isStatic else f'%{name}_s'}] : !obs.pull<{s.t(n)} x index>
  %{name}_y = obs.unnest %{name}_x : !obs.pull<{s.t(chunks)} x !obs.pull<{s.t(size)} x index>>
  %{name}_2 = arith.constant 2 : index
""" + s.number(name + "_c", chunks) + f"""
  %{name}_i = arith.subi %{name}_c, %{name}_2 : index
  %{name}_j = arith.subi %{name}_s, %{name}_2 : index
  %{name}_t = obs.slice %{name}_y [%{name}_i, %{name}_j] [2, 2] [1, 1] : !obs.pull<{s.t(chunks)} x {s.t(size)} x index>
  %{name}_f = obs.force %{name}_t : !obs.pull<2 x 2 x index>
"""
        results.append((name + "_f", "!obs.pull<2 x 2 x index>"))
        expected.append([value(c * size + i) for c in (chunks - 2, chunks - 1) for i in (size - 2, size - 1)])
    return text + returns(*results), expected


@case
def transpose(s):
    n = s.n
    text = s.matrix("a", 3, n) + f"""
  %b = obs.transpose %a [1, 0] : !obs.pull<{s.t(3)} x {s.t(n)} x index>
  %two = arith.constant 2 : index
  %o = arith.subi %a_m, %two : index
  %t = obs.slice %b [%o, 1] [2, 2] [1, 1] : !obs.pull<{s.t(n)} x {s.t(3)} x index>
  %f = obs.force %t : !obs.pull<2 x 2 x index>
"""
    return (text + returns(("f", "!obs.pull<2 x 2 x index>")), [[value2(i, j) for j in (n - 2, n - 1) for i in (1, 2)]])


@case
def reshape(s):
    """To a matrix of many rows, of long rows and of rank 3; and back from two matrices, one of
    which has 4 N elements."""
    n, h = s.n, s.n // 2
    t, m = f"!obs.pull<{s.t(n)} x index>", f"!obs.pull<{s.t(n)} x {s.t(4)} x index>"
    text = s.vector("a", n) + s.matrix("m", n, 4) + s.number("h", h) + s.number("quarter", n // 4) + s.number("all", 4 * n) + s.number("n", n) + f"""
  %c2 = arith.constant 2 : index
  %o = arith.subi %h, %c2 : index
  %b = obs.reshape %a {s.o('%h', '%c2')} : {t} -> !obs.pull<{s.t(h)} x {s.t(2)} x index>
  %c = obs.reshape %a {s.o('%c2', '%h')} : {t} -> !obs.pull<{s.t(2)} x {s.t(h)} x index>
  %d = obs.reshape %a {s.o('%c2', '%quarter', '%c2')} : {t} -> !obs.pull<{s.t(2)} x {s.t(n // 4)} x {s.t(2)} x index>
  %e = obs.reshape %m {s.o('%all')} : {m} -> !obs.pull<{s.t(4 * n)} x index>
  %g = obs.reshape %b {s.o('%n')} : !obs.pull<{s.t(h)} x {s.t(2)} x index> -> {t}
  %b_t = obs.slice %b [%o, 0] [2, 2] [1, 1] : !obs.pull<{s.t(h)} x {s.t(2)} x index>
  %c_t = obs.slice %c [0, %o] [2, 2] [1, 1] : !obs.pull<{s.t(2)} x {s.t(h)} x index>
  %r = arith.subi %quarter, %c2 : index
  %d_t = obs.slice %d [1, %r, 0] [1, 2, 2] [1, 1, 1] : !obs.pull<{s.t(2)} x {s.t(n // 4)} x {s.t(2)} x index>
  %b_f = obs.force %b_t : !obs.pull<2 x 2 x index>
  %c_f = obs.force %c_t : !obs.pull<2 x 2 x index>
  %d_f = obs.force %d_t : !obs.pull<1 x 2 x 2 x index>
""" + s.tail("e", 4 * n) + s.tail("g", n)
    return (text + returns(("b_f", "!obs.pull<2 x 2 x index>"), ("c_f", "!obs.pull<2 x 2 x index>"),
                           ("d_f", "!obs.pull<1 x 2 x 2 x index>"), few("e"), few("g")),
            [lastValues(n), [value(h - 2), value(h - 1), value(n - 2), value(n - 1)], lastValues(n),
             [value2(n - 1, j) for j in range(4)], lastValues(n)])


@case
def concat(s):
    """The end of the first array, the beginning of the second, and the end of the third."""
    n = s.n
    t, u = f"!obs.pull<{s.t(n)} x index>", f"!obs.pull<{s.t(2)} x {s.t(n)} x index>"
    text = s.vector("a", n) + s.number("n", n) + f"""
  %b = obs.iota {s.o('%n')} : {t}
  %c = obs.concat %a, %b, %a : {t} -> !obs.pull<{s.t(3 * n)} x index>
  %two = arith.constant 2 : index
  %o = arith.subi %n, %two : index
  %d = obs.slice %c [%o] [4] [1] : !obs.pull<{s.t(3 * n)} x index>
  %d_f = obs.force %d : !obs.pull<4 x index>
""" + s.tail("c", 3 * n) + s.matrix("m", 2, n) + f"""
  %x = obs.concat %m, %m dim 1 : {u} -> !obs.pull<{s.t(2)} x {s.t(2 * n)} x index>
  %p = arith.addi %o, %n : index
  %w = obs.slice %x [0, %p] [2, 2] [1, 1] : !obs.pull<{s.t(2)} x {s.t(2 * n)} x index>
  %w_f = obs.force %w : !obs.pull<2 x 2 x index>
"""
    return (text + returns(few("d"), few("c"), ("w_f", "!obs.pull<2 x 2 x index>")),
            [lastValues(n, 2) + [0, 1], lastValues(n), [value2(i, j) for i in (0, 1) for j in (n - 2, n - 1)]])


@case
def interleave(s):
    n = s.n
    t = f"!obs.pull<{s.t(n)} x index>"
    text = s.vector("a", n) + s.number("n", n) + f"""
  %b = obs.iota {s.o('%n')} : {t}
  %c = obs.interleave %a, %b : {t} -> !obs.pull<{s.t(2 * n)} x index>
  %d = obs.interleave %a, %b, %a : {t} -> !obs.pull<{s.t(3 * n)} x index>
""" + s.tail("c", 2 * n) + s.tail("d", 3 * n)
    return (text + returns(few("c"), few("d")),
            [[value(n - 2), n - 2, value(n - 1), n - 1], [value(n - 2), value(n - 1), n - 1, value(n - 1)]])


@case
def zip_unzip(s):
    n = s.n
    t, u = f"!obs.pull<{s.t(n)} x index>", f"!obs.pull<{s.t(n)} x i32>"
    text = s.vector("a", n) + s.number("n", n) + f"""
  %b = obs.iota {s.o('%n')} : {u}
  %c = obs.zip %a, %b : {t}, {u} -> !obs.pull<{s.t(n)} x index, i32>
  %d, %e = obs.unzip %c : !obs.pull<{s.t(n)} x index, i32>
""" + s.tail("d", n) + s.tail("e", n, "i32")
    return text + returns(few("d"), few("e", "i32")), [lastValues(n), list(range(n - 4, n))]


@case
def bits(s):
    """The operations on bits, on indices around bits 30 to 33."""
    n = s.n
    bit = n.bit_length() - 1
    operations = {
        "insert_zero": ([bit - 2], lambda i: (i & ((1 << (bit - 2)) - 1)) | (i >> (bit - 2) << (bit - 1))),
        "flip": ([bit], lambda i: i ^ (1 << bit)),
        "flip_low": ([bit], lambda i: i ^ (2 * n - 1)),
        "rotate": ([2, bit + 1], lambda i: (i << 2 | i >> (bit - 1)) & (2 * n - 1)),
        "reverse": ([bit + 1], lambda i: int(format(i, f"0{bit + 1}b")[::-1], 2)),
        "swap": ([0, bit - 1], lambda i: i & ~(1 | n >> 1) | i >> (bit - 1) & 1 | (i & 1) << (bit - 1)),
    }
    text, results, expected = s.number("n", n), [], []
    for name, (numbers, f) in operations.items():
        for k, number in enumerate(numbers):
            text += s.number(f"{name}_{k}", number)
        numbersText = ", ".join(f"%{name}_{k}" for k in range(len(numbers)))
        text += f"""
  %{name} = obs.generate (%i) {s.o('%n')} {{
    %x = obs.bit.{name} %i, {numbersText} : index
    obs.yield %x : index
  }} : !obs.pull<{s.t(n)} x index>
""" + s.tail(name, n)
        results.append(few(name))
        expected.append([f(i) for i in range(n - 4, n)])
    return text + returns(*results), expected


@case
def assertion(s):
    """Conditions on large numbers, on the host and in threads."""
    n = s.n
    text = s.vector("a", n) + """
  %ok = arith.cmpi ugt, %a_n, %a_1 : index
  obs.assert %ok, "more than one element"
""" + s.tail("a", n) + f"""
  %p = obs.fill par (%t) in (%a_tc) {{
    %i = arith.addi %a_to, %t : index
    %x = obs.get %a[%i] : !obs.pull<{s.t(n)} x index>
    %below = arith.cmpi ult, %i, %a_n : index
    obs.assert %below, "within the array"
    obs.write %x at [%t] : index
  }} : !obs.push<grid, 4 x index>
  %p_f = obs.force %p : !obs.push<grid, 4 x index>
"""
    return text + returns(few("a"), few("p")), [lastValues(n)] * 2

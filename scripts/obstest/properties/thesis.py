"""Properties Q1 to Q9 of Obsidian's thesis."""

import random

from obstest import random_programs as rp
from obstest.properties.module import numbers, pick_length, pick_level, prop, pull, push
from obstest.runs import wrap

# --- Q1 to Q5: permutations and programs on parts -----------------------------
#
# Programs are classes as in obstest/random_programs.py, but for any length: the first
# half has the middle element, as in the thesis.


def ceil_half(n):
    return n - n // 2


class Riffle(rp.Id):
    def run(self, xs):
        h = ceil_half(len(xs))
        return [x for i in range(h) for x in ([xs[i], xs[h + i]] if h + i < len(xs) else [xs[i]])]
    def emit(self, t, x, n, level):
        h, k = ceil_half(n), n // 2
        a, b = rp.cut(t, x, 0, k, 1, n), rp.cut(t, x, h, k, 1, n)
        pairs = t.let(f"obs.interleave {a}, {b} : {pull(k)}, {pull(k)} -> {pull(2 * k)}")
        return pairs if h == k else rp.concat(t, pairs, rp.cut(t, x, k, 1, 1, n), 2 * k, 1)


class Unriffle(rp.Id):
    def run(self, xs): return xs[::2] + xs[1::2]
    def emit(self, t, x, n, level):
        h, k = ceil_half(n), n // 2
        return rp.concat(t, rp.cut(t, x, 0, h, 2, n), rp.cut(t, x, min(1, n), k, 2, n), h, k)


class Sort2(rp.Id):
    """Comparators on (0, 1), (2, 3), ...; an element without partner stays."""
    def run(self, xs): return [y for i in range(0, len(xs), 2) for y in sorted(xs[i:i + 2])]
    def emit(self, t, x, n, level):
        last, zero = t.index(max(n, 1) - 1), t.index(0)
        return t.generate(n, None, [
            f"%p = obs.bit.flip %i, {zero} : index", f"%j = arith.minui %p, {last} : index",
            f"%a = obs.get {x}[%i] : {pull(n)}", f"%b = obs.get {x}[%j] : {pull(n)}",
            "%min = arith.minsi %a, %b : i32", "%max = arith.maxsi %a, %b : i32",
            "%low = arith.cmpi ult, %i, %p : index", "%y = arith.select %low, %min, %max : i32"])


class Parl(rp.Id):
    def __init__(self, first, second): self.first, self.second = first, second
    def run(self, xs):
        h = ceil_half(len(xs))
        return self.first.run(xs[:h]) + self.second.run(xs[h:])
    def emit(self, t, x, n, level):
        h, k = ceil_half(n), n // 2
        a = self.first.emit(t, rp.cut(t, x, 0, h, 1, n), h, level)
        b = self.second.emit(t, rp.cut(t, x, h, k, 1, n), k, level)
        return rp.concat(t, a, b, h, k)


def two(x):
    return Parl(x, x)


def ilv(x):
    return rp.Seq(Unriffle(), two(x), Riffle())


def draw(rng, depth):
    """A program, and its depth as property Q5 counts it."""
    kind = rng.randrange(9) if depth else rng.randrange(5)
    if kind < 5:
        return [rp.Id(), rp.Reverse(), Sort2(), Riffle(), Unriffle()][kind], 0
    x, dx = draw(rng, depth - 1)
    if kind == 5:
        return two(x), dx + 1
    if kind == 6:
        return ilv(x), dx + 1
    y, dy = draw(rng, depth - 1)
    if kind == 7:
        return Parl(x, y), max(dx, dy) + 1
    # In the thesis these programs store nothing; ours may.
    middle = [rp.Force()] if rng.random() < 0.5 else []
    return rp.Seq(x, *middle, y), max(dx, dy)


def run_programs(m, rng, programs, n, label="result"):
    """Each program on the same input, on parts of n elements. Returns the input."""
    level = pick_level(rng)
    count = 1 if level == "grid" or n == 0 else rng.randint(1, 4)
    xs = numbers(rng, n * count)
    x = m.argument(xs, n * count)
    for program in programs:
        r = m.at_level(level, x, n, lambda part, at: program.emit(m, part, n, at), count)
        want = [y for i in range(count) for y in program.run(xs[i * n:(i + 1) * n])]
        m.result(r, n * count, want, label=label)
    return xs


@prop("Q1-reverse")
def q1(m, rng):
    """rev; sync reverses any list."""
    xs = numbers(rng, pick_length(rng, 300))
    n = rng.choice([None, len(xs)])
    x = m.argument(xs, n)
    r = m.at_level(pick_level(rng), x, n, lambda part, level: m.force(m.reverse(part, n), n, level))
    m.result(r, n, xs[::-1])


@prop("Q2-reverse-twice")
def q2(m, rng):
    """rev; rev is the identity."""
    xs = numbers(rng, max(1, pick_length(rng, 300)))
    n = rng.choice([None, len(xs)])
    x = m.argument(xs, n)
    r = m.at_level(pick_level(rng), x, n, lambda part, level: m.reverse(m.reverse(part, n), n))
    m.result(r, n, xs)


@prop("Q3-riffles")
def q3(m, rng):
    """k riffles of 2^k elements are the identity; k - 1 are not."""
    form = rng.choice(["virtual", "forced", "rotate"])
    k = rng.randint(1, {"virtual": 5, "forced": 8, "rotate": 10}[form])
    n = 2**k
    xs = random.Random(rng.random()).sample(range(10 * n), n)
    x = m.argument(xs, n)

    def riffle(x, level):
        if form == "rotate":
            r, bits = m.name(), m.index(k)
            # Element i of the result is element (i rotated right) of the source.
            back = m.index(k - 1)
            m.block(f"{r} = obs.reindex (%i) = {x} {{",
                    [f"%j = obs.bit.rotate %i, {back}, {bits} : index", "obs.yield %j : index"],
                    f"}} : {pull(n)} -> {pull(n)}")
            return r
        y = Riffle().emit(m, x, n, level)
        return m.force(y, n, level) if form == "forced" else y

    def all_riffles(part, level):
        for _ in range(k):
            part = riffle(part, level)
        return part
    level = pick_level(rng, "warp", "block", "grid")
    m.result(m.at_level(level, x, n, all_riffles), n, xs)
    m.result(m.at_level(level, x, n, riffle), n, Riffle().run(xs), label="one riffle")
    ys = xs
    for _ in range(k - 1):
        ys = Riffle().run(ys)
    assert k == 1 or ys != xs, "too few riffles do the same"


@prop("Q4-two-distributes")
def q4(m, rng):
    """two (x; y) = two x; two y, for odd lengths, too."""
    n = max(1, pick_length(rng, 100))
    (x, _), (y, _) = draw(rng, 1), draw(rng, 1)
    run_programs(m, rng, [two(rp.Seq(x, y)), rp.Seq(two(x), two(y))], n)


@prop("Q5-two-ilv")
def q5(m, rng):
    """two (ilv x) = ilv (two x) if 4 divides the length, else not for every x."""
    x, depth = draw(rng, 1)
    n = rng.choice([rng.randint(1, 6) * 2**(2 + depth), 4 * rng.randint(1, 12)])
    run_programs(m, rng, [two(ilv(x)), ilv(two(x))], n)
    odd = rng.choice([6, 10, 14])
    programs = [two(ilv(rp.Reverse())), ilv(two(rp.Reverse()))]
    run_programs(m, rng, programs, odd, "without the condition")
    assert programs[0].run(list(range(odd))) != programs[1].run(list(range(odd))), "the condition is not needed"


# --- Q6, Q7: odd-even transposition sort ---------------------------------------


def oet(xs, last=True):
    """n / 2 iterations, and for odd lengths one more column."""
    ys = list(xs)
    columns = [k % 2 for k in range(len(xs) // 2 * 2)] + ([0] if last and len(xs) % 2 else [])
    for parity in columns:
        for i in range(parity, len(ys) - 1, 2):
            ys[i:i + 2] = sorted(ys[i:i + 2])
    return ys


def emit_column(m, x, n, length, parity, level, form):
    """Comparators on (parity, parity + 1), (parity + 2, ...), ..., forced."""
    one = m.index(1)
    if form == "pull":
        zero, p = m.index(0), m.index(parity)
        return m.force(m.generate(n, length, [
            f"%s = arith.addi %i, {p} : index", f"%side = arith.andi %s, {one} : index",
            f"%low = arith.cmpi eq, %side, {zero} : index",
            f"%up = arith.addi %i, {one} : index", f"%down = arith.subi %i, {one} : index",
            "%other = arith.select %low, %up, %down : index",
            f"%in = arith.cmpi ult, %other, {length} : index",  # -1 is large
            "%j = arith.select %in, %other, %i : index",
            f"%a = obs.get {x}[%i] : {pull(n)}", f"%b = obs.get {x}[%j] : {pull(n)}",
            "%min = arith.minsi %a, %b : i32", "%max = arith.maxsi %a, %b : i32",
            "%y = arith.select %low, %min, %max : i32"]), n, level)
    # The first element has no partner if parity is 1, the last one perhaps.
    first = m.let(f"arith.minui {length}, {m.index(parity)} : index")
    rest = m.let(f"arith.subi {length}, {first} : index")
    pairs, tail = m.let(f"arith.shrui {rest}, {one} : index"), m.let(f"arith.andi {rest}, {one} : index")
    end = m.let(f"arith.subi {length}, {one} : index")
    p = m.name()
    columns = [f"obs.par (%t) in ({pairs}) {{", "  %d = arith.addi %t, %t : index",
               f"  %i = arith.addi %d, {first} : index", f"  %j = arith.addi %i, {one} : index",
               f"  %a = obs.get {x}[%i] : {pull(n)}", f"  %b = obs.get {x}[%j] : {pull(n)}",
               "  %min = arith.minsi %a, %b : i32", "  %max = arith.maxsi %a, %b : i32",
               "  obs.write %min at [%i] : i32", "  obs.write %max at [%j] : i32", "}"]
    onto = f" onto {x}" if form == "onto" else ""
    if form == "push":
        columns += [f"obs.par (%t) in ({first}) {{", f"  %a = obs.get {x}[%t] : {pull(n)}",
                    "  obs.write %a at [%t] : i32", "}",
                    f"obs.par (%t) in ({tail}) {{", f"  %a = obs.get {x}[{end}] : {pull(n)}",
                    f"  obs.write %a at [{end}] : i32", "}"]
    of = f" : {pull(n)}" if onto else ""
    m.block(f"{p} = obs.fill{onto}{of}{m.dynamic(n, length)} {{", columns, f"}} : {push(level, n)}")
    return m.force_push(p, n, level)


def emit_oet(m, x, n, level, form, last=True):
    length, zero, one = m.length(x, n), m.index(0), m.index(1)
    halves, odd = m.let(f"arith.shrui {length}, {one} : index"), m.let(f"arith.andi {length}, {one} : index")

    def round_(k, y):
        y = emit_column(m, y, n, length, 0, level, form)
        return [emit_column(m, y, n, length, 1, level, form)]
    y, = m.loop(zero, halves, [(x, pull(n))], round_)
    if last:
        y, = m.loop(zero, odd, [(y, pull(n))], lambda k, y: [emit_column(m, y, n, length, 0, level, form)])
    return y


@prop("Q6-Q7-odd-even-sort")
def q6(m, rng):
    """sortOET sorts any list; without its last column it fails for odd lengths."""
    level, form = pick_level(rng), rng.choice(["pull", "push", "onto"])
    most = {"grid": 9, "thread": 24, "warp": 70, "block": 512 if m.large else 100}[level]
    xs = numbers(rng, pick_length(rng, most))
    n = rng.choice([None, len(xs)])
    x = m.argument(xs, n)
    m.result(m.at_level(level, x, n, lambda part, at: emit_oet(m, part, n, at, form)), n, sorted(xs))
    odd = rng.choice([3, 5, 7, 9])
    xs = list(range(odd, 0, -1))
    x = m.argument(xs, odd)
    m.result(m.at_level(level, x, odd, lambda part, at: emit_oet(m, part, odd, at, form, False)), odd,
             oet(xs, False), label="without the last column")
    assert oet(xs) == sorted(xs) != oet(xs, False), "the last column is not needed"


# --- Q8, Q9: reductions that keep the length ----------------------------------


PAIRS = {"add": (lambda a, b: (wrap(a + b), b), "%y = arith.addi %a, %b : i32"),
         "max": (lambda a, b: (max(a, b), b), "%y = arith.maxsi %a, %b : i32")}


def reduce_in_place(xs, f):
    """While s elements live: f on (0, 1), (2, 3), ...; unriffle; half of them live."""
    ys, s = list(xs), len(xs)
    while s > 1:
        for i in range(0, s - 1, 2):
            ys[i:i + 2] = f(ys[i], ys[i + 1])
        ys[:s] = ys[:s:2] + ys[1:s:2]
        s -= s // 2
    return ys


def emit_reduce(m, x, n, level, op, form):
    one, length = m.index(1), m.length(x, n)
    y, s, r = m.name(), m.name(), m.name()
    types = f"{pull(n)}, index"
    m.line(f"{r}:2 = scf.while ({y} = {x}, {s} = {length}) : ({types}) -> ({types}) {{")
    more = m.let(f"arith.cmpi ugt, {s}, {one} : index")
    m.line(f"  scf.condition({more}) {y}, {s} : {types}")
    m.line("} do {")
    y, s = m.name(), m.name()
    m.line(f"^bb0({y}: {pull(n)}, {s}: index):")
    m.indent += 1
    k, odd = m.let(f"arith.shrui {s}, {one} : index"), m.let(f"arith.andi {s}, {one} : index")
    h = m.let(f"arith.addi {k}, {odd} : index")
    if form == "pull":
        # reduce2: every element is computed; those that do not live are copied.
        z = m.force(m.generate(n, length, [
            f"%lives = arith.cmpi ult, %i, {s} : index", f"%low = arith.cmpi ult, %i, {h} : index",
            "%left = arith.addi %i, %i : index", f"%o = arith.subi %i, {h} : index",
            "%o2 = arith.addi %o, %o : index", f"%right = arith.addi %o2, {one} : index",
            "%inner = arith.select %low, %left, %right : index", "%j = arith.select %lives, %inner, %i : index",
            f"%next = arith.addi %j, {one} : index", f"%in = arith.cmpi ult, %next, {s} : index",
            "%both = arith.andi %low, %in : i1", "%k = arith.select %both, %next, %j : index",
            f"%a = obs.get {y}[%j] : {pull(n)}", f"%b = obs.get {y}[%k] : {pull(n)}",
            PAIRS[op][1].replace("%y", "%ab"), "%y = arith.select %both, %ab, %a : i32"]), n, level)
    else:
        # reduce: s / 2 iterations write the elements that live, onto the others.
        p, last = m.name(), m.let(f"arith.subi {s}, {one} : index")
        place = m.let(f"arith.shrui {last}, {one} : index")
        m.block(f"{p} = obs.fill onto {y} : {pull(n)}{m.dynamic(n, length)} {{", [
            f"obs.par (%t) in ({k}) {{", "  %i = arith.addi %t, %t : index", f"  %j = arith.addi %i, {one} : index",
            f"  %a = obs.get {y}[%i] : {pull(n)}", f"  %b = obs.get {y}[%j] : {pull(n)}", "  " + PAIRS[op][1],
            f"  %o = arith.addi %t, {h} : index", "  obs.write %y at [%t] : i32", "  obs.write %b at [%o] : i32", "}",
            f"obs.par (%t) in ({odd}) {{", f"  %a = obs.get {y}[{last}] : {pull(n)}",
            f"  obs.write %a at [{place}] : i32", "}"], f"}} : {push(level, n)}")
        z = m.force_push(p, n, level)
    m.line(f"scf.yield {z}, {h} : {types}")
    m.indent -= 1
    m.line("}")
    return f"{r}#0"


@prop("Q8-reduces-agree")
def q8(m, rng):
    """reduce addpair and reduce2 addpair have the same whole arrays as results."""
    level, op = pick_level(rng, "warp", "block", "block", "grid"), rng.choice(list(PAIRS))
    xs = numbers(rng, pick_length(rng, 512 if m.large else 140))
    n = rng.choice([None, len(xs)])
    x = m.argument(xs, n)
    for form in ("pull", "push"):
        r = m.at_level(level, x, n, lambda part, at: emit_reduce(m, part, n, at, op, form))
        m.result(r, n, reduce_in_place(xs, PAIRS[op][0]), label=form)


@prop("Q9-reduce-sums")
def q9(m, rng):
    """The head of reduce addpair is the sum."""
    level = pick_level(rng, "warp", "block", "block", "grid")
    xs = numbers(rng, max(1, pick_length(rng, 512 if m.large else 140)))
    n, form = rng.choice([None, len(xs)]), rng.choice(["pull", "push"])
    x = m.argument(xs, n)
    r = m.at_level(level, x, n, lambda part, at: emit_reduce(m, part, n, at, "add", form))
    head = m.let(f"obs.take {r} [1] : {pull(n)} -> {pull(1)}")
    m.result(m.force(head, 1, "grid"), 1, [wrap(sum(xs))])

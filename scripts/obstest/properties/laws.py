"""Laws that the papers on Obsidian use: of both forms of arrays, comparators,
chunks, scans, reductions, sorting by counting, and sorting networks."""

import itertools

from obstest import random_programs as rp
from obstest.properties.module import numbers, pick_length, pick_level, prop, pull, push
from obstest.runs import wrap

# --- pull and push forms agree -------------------------------------------------


def push_of(m, x, n, level, element="i32"):
    return m.let(f"obs.push {x} : {pull(n, element)} -> {push(level, n, element)}")


@prop("pull-push-concat")
def concat_both(m, rng):
    """concat of pull arrays, and of push arrays, of any lengths."""
    sizes = [pick_length(rng, 60) for _ in range(rng.randint(2, 3))]
    n = sum(sizes)
    xs, level = numbers(rng, n), pick_level(rng)
    x = m.argument(xs, n)
    # The parts in another order, so that there is something to do.
    order = list(range(len(sizes)))
    rng.shuffle(order)
    starts = [sum(sizes[:k]) for k in range(len(sizes))]

    def body(part, at, form):
        parts = [m.cut(part, n, min(starts[k], max(n - 1, 0)), sizes[k]) if sizes[k] < n else part for k in order]
        kind = pull
        if form == "push":
            parts = [push_of(m, p, sizes[k], at) for p, k in zip(parts, order)]
            kind = lambda size: push(at, size)
        r = m.let(f"obs.concat {', '.join(parts)} : {', '.join(kind(sizes[k]) for k in order)} -> {kind(n)}")
        return m.force_push(r, n, at) if form == "push" else r
    want = [v for k in order for v in xs[starts[k]:starts[k] + sizes[k]]]
    for form in ("pull", "push"):
        m.result(m.at_level(level, x, n, lambda p, at: body(p, at, form)), n, want, label=form)


@prop("pull-push-interleave")
def interleave_both(m, rng):
    """interleave; and unpair: writing both elements of a pair."""
    k, h = rng.randint(2, 4), pick_length(rng, 60)
    n = k * h
    xs, level = numbers(rng, n), pick_level(rng)
    x = m.argument(xs, n)

    def body(part, at, form):
        parts = [m.cut(part, n, min(j * h, max(n - 1, 0)), h) for j in range(k)]
        if form == "unpair":
            count, factor, p = m.index(h), m.index(k), m.name()
            lines = [f"%base = arith.muli %t, {factor} : index"]
            for j, array in enumerate(parts):
                lines += [f"%o{j} = arith.constant {j} : index", f"%i{j} = arith.addi %base, %o{j} : index",
                          f"%x{j} = obs.get {array}[%t] : {pull(h)}", f"obs.write %x{j} at [%i{j}] : i32"]
            m.block(f"{p} = obs.fill par (%t) in ({count}) {{", lines, f"}} : {push(at, n)}")
            return m.force_push(p, n, at)
        kind = pull
        if form == "push":
            parts, kind = [push_of(m, p, h, at) for p in parts], lambda size: push(at, size)
        r = m.let(f"obs.interleave {', '.join(parts)} : {', '.join([kind(h)] * k)} -> {kind(n)}")
        return m.force_push(r, n, at) if form == "push" else r
    want = [xs[j * h + i] for i in range(h) for j in range(k)]
    for form in ("pull", "push", "unpair"):
        m.result(m.at_level(level, x, n, lambda p, at: body(p, at, form)), n, want, label=form)


@prop("pull-push-reverse")
def reverse_both(m, rng):
    xs, level = numbers(rng, pick_length(rng, 200)), pick_level(rng)
    n = rng.choice([None, len(xs)])
    x = m.argument(xs, n)

    def body(part, at):
        p = push_of(m, part, n, at)
        return m.force_push(m.let(f"obs.reverse {p} : {push(at, n)}"), n, at)
    m.result(m.at_level(level, x, n, lambda p, at: m.reverse(p, n)), n, xs[::-1], label="pull")
    m.result(m.at_level(level, x, n, body), n, xs[::-1], label="push")


# --- comparators ---------------------------------------------------------------
#
# A column is (kind, lowest bit, highest bit): an element meets the one with the
# bits between flipped; the one with the highest bit 0 keeps the minimum.


def column(kind, i, j=0):
    return {"ilv": (kind, i, i), "vee": (kind, 0, i), "ilvVee": (kind, i, i + j)}[kind]


def run_column(xs, c):
    _, low, top = c
    ys = list(xs)
    for i in range(len(xs)):
        if not i >> top & 1:
            j = i ^ ((2 << top) - (1 << low))
            ys[i], ys[j] = min(xs[i], xs[j]), max(xs[i], xs[j])
    return ys


def emit_comparators(m, x, n, c, level, form, element="i32"):
    """Push form: n / 2 iterations that write two elements each. On i64 each of
    the 64 bits is an input by itself."""
    kind, low, top = c
    a, b = m.index(low), m.index(top)
    mask = m.index((2 << top) - (1 << low))
    partner = {"ilv": f"obs.bit.flip %i, {a} : index", "vee": f"obs.bit.flip_low %i, {b} : index",
               "ilvVee": f"arith.xori %i, {mask} : index"}[kind]
    least, most = ("andi", "ori") if element == "i64" else ("minsi", "maxsi")
    compare = [f"%j = {partner}", f"%a = obs.get {x}[%i] : {pull(n, element)}",
               f"%b = obs.get {x}[%j] : {pull(n, element)}",
               f"%min = arith.{least} %a, %b : {element}", f"%max = arith.{most} %a, %b : {element}"]
    if form == "pull":
        y = m.generate(n, None, compare + [
            "%low = arith.cmpi ult, %i, %j : index",
            f"%y = arith.select %low, %min, %max : {element}"], element)
        return m.force(y, n, level, element)
    half, p = m.index(n // 2), m.name()
    m.block(f"{p} = obs.fill par (%t) in ({half}) {{",
            [f"%i = obs.bit.insert_zero %t, {b} : index"] + compare +
            [f"obs.write %min at [%i] : {element}", f"obs.write %max at [%j] : {element}"],
            f"}} : {push(level, n, element)}")
    return m.force_push(p, n, level, element)


@prop("comparators")
def comparators(m, rng):
    """ilvVee i 0 = ilv i, ilvVee 0 j = vee j; both forms of each are equal."""
    i, j = rng.randint(0, 4), rng.randint(0, 3)
    sides = rng.choice([[column("ilvVee", i), column("ilv", i)],
                        [column("ilvVee", 0, i), column("vee", i)], [column("ilvVee", i, j)]])
    size = 2 << max(c[2] for c in sides)
    n, level = size * rng.randint(1, max(1, 100 // size)), pick_level(rng)
    xs = numbers(rng, n)
    x = m.argument(xs, n)
    for c, form in itertools.product(sides, ("pull", "push")):
        r = m.at_level(level, x, n, lambda p, at: emit_comparators(m, p, n, c, at, form))
        m.result(r, n, run_column(xs, sides[0]), label=f"{c}, {form}")


@prop("every-index-once")
def every_index_once(m, rng):
    """insert_zero and the partner cover every index once: nothing else is written,
    and the contract says that no element is written twice."""
    kind = rng.choice(["ilv", "vee", "ilvVee"])
    c = column(kind, rng.randint(0, 4), rng.randint(0, 3))
    _, low, top = c
    h = (1 << top) * rng.randint(1, max(1, 60 >> top))
    n, level = 2 * h, pick_level(rng)
    xs = numbers(rng, n)
    x = m.argument(xs, n)
    mask = (2 << top) - (1 << low)

    def body(part, at):
        count, bit, flips, p = m.index(h), m.index(top), m.index(mask), m.name()
        m.block(f"{p} = obs.fill par (%t) in ({count}) {{", [
            f"%i = obs.bit.insert_zero %t, {bit} : index", f"%j = arith.xori %i, {flips} : index",
            f"%k = arith.addi %t, {count} : index",
            f"%a = obs.get {part}[%t] : {pull(n)}", f"%b = obs.get {part}[%k] : {pull(n)}",
            "obs.write %a at [%i] : i32", "obs.write %b at [%j] : i32"], f"}} : {push(at, n)}")
        return m.force_push(p, n, at)
    want = [None] * n
    for t in range(h):
        i = t + (t & ~((1 << top) - 1))
        assert want[i] is None and want[i ^ mask] is None, "not a bijection"
        want[i], want[i ^ mask] = xs[t], xs[h + t]
    m.result(m.at_level(level, x, n, body), n, want)


# --- chunks --------------------------------------------------------------------


@prop("chunks")
def chunks(m, rng):
    """split, then join of the same kind, is the identity; of the other kind it transposes."""
    xs, k = numbers(rng, pick_length(rng, 150)), rng.randint(1, 9)
    n, level = len(xs), pick_level(rng, "thread", "warp", "block")
    x = m.argument(xs, n)
    first, second = rng.choice(["", " strided"]), rng.choice(["", " strided"])
    zero = m.let("arith.constant 0 : i32")
    c = -(-n // k)
    nested, parts = f"!obs.pull<{c} x {pull(k)}>", f"!obs.push<grid, {c} x {k} x i32>"
    s = m.let(f"obs.split {x}{first} by [{k}] pad {zero} : {pull(n)} -> {nested}")
    d, part = m.name(), m.name()
    m.line(f"{d} = obs.distribute {level} ({part} = {s} : {nested}) -> {parts} {{")
    m.indent += 1
    y = m.force(part, k, level) if rng.random() < 0.5 else part
    m.line(f"obs.yield {push_of(m, y, k, level)} : {push(level, k)}")
    m.indent -= 1
    m.line("}")
    j = m.let(f"obs.join {d}{second} to [{n}] : {parts} -> {push('grid', n)}")
    want = [0] * (k * c)
    for a, b in itertools.product(range(c), range(k)):
        source, target = (a + b * c if strided else a * k + b for strided in (first, second))
        want[target] = xs[source] if source < n else 0
    if first == second:
        assert want[:n] == xs, "not the identity"
    m.result(m.force_push(j, n, "grid"), n, want[:n])


@prop("chunks-that-fit")
def chunks_that_fit(m, rng):
    """splitUp drops a last part that is no whole chunk; asThread, asWarp, asBlock keep the rest."""
    xs, k = numbers(rng, max(1, pick_length(rng, 150))), rng.randint(1, 9)
    n, c = len(xs), len(xs) // k
    level = pick_level(rng, "thread", "warp", "block")
    x = m.argument(xs, n)
    kept = m.let(f"obs.take {x} [{c * k}] : {pull(n)} -> {pull(c * k)}")
    nested, parts = f"!obs.pull<{c} x {pull(k)}>", f"!obs.push<grid, {c} x {k} x i32>"
    s = m.let(f"obs.split {kept} by [{k}] : {pull(c * k)} -> {nested}")
    d, part = m.name(), m.name()
    m.line(f"{d} = obs.distribute {level} ({part} = {s} : {nested}) -> {parts} {{")
    m.line(f"  obs.yield {push_of(m, part, k, level)} : {push(level, k)}")
    m.line("}")
    j = m.let(f"obs.join {d} : {parts} -> {push('grid', c * k)}")
    m.result(m.force_push(j, c * k, "grid"), c * k, xs[:c * k])


@prop("load-store")
def load_store(m, rng):
    """load k copies with n / k iterations of k elements each, and so does store k."""
    k, workers = rng.randint(1, 8), pick_length(rng, 40)
    n, level = k * workers, pick_level(rng)
    xs = numbers(rng, n)
    x = m.argument(xs, n)

    def body(part, at):
        for _ in range(2):
            count, zero, one, last, p = m.index(workers), m.index(0), m.index(1), m.index(k), m.name()
            m.block(f"{p} = obs.fill par (%t) in ({count}) {{", [
                f"scf.for %j = {zero} to {last} step {one} {{", f"  %o = arith.muli %j, {count} : index",
                "  %i = arith.addi %t, %o : index", f"  %a = obs.get {part}[%i] : {pull(n)}",
                "  obs.write %a at [%i] : i32", "}"], f"}} : {push(at, n)}")
            part = m.force_push(p, n, at)
        return part
    m.result(m.at_level(level, x, n, body), n, xs)


# --- scans and reductions ------------------------------------------------------
#
# The elements are functions x -> a x + b modulo 2^32, as pairs (a, b); the operator
# is composition, the left one first, which is associative and does not commute.

PAIR = "i32, i32"


def then(f, g):
    return wrap(f[0] * g[0]), wrap(f[1] * g[0] + g[1])


def composed(left, right, result):
    """Lines that compose; names stand for pairs: %x is %xa, %xb."""
    return [f"{result}a = arith.muli {left}a, {right}a : i32", f"{result}m = arith.muli {left}b, {right}a : i32",
            f"{result}b = arith.addi {result}m, {right}b : i32"]


def fold(fs, start=(1, 0)):
    out = [start]
    for f in fs:
        out.append(then(out[-1], f))
    return out


def functions(m, rng, n, extent):
    """An array of pairs; with odd factors, so that none is lost."""
    fs = [(2 * rng.randint(-9, 9) + 1, rng.randint(-99, 99)) for _ in range(n)]
    a, b = m.argument([f[0] for f in fs], extent), m.argument([f[1] for f in fs], extent)
    return fs, m.let(f"obs.zip {a}, {b} : {pull(extent)}, {pull(extent)}")


def result_of_pairs(m, r, n, want, label):
    a, b = m.name(), m.name()
    m.line(f"{a}, {b} = obs.unzip {r} : {pull(n, PAIR)}")
    m.result(a, n, [f[0] for f in want], label=label + ", factors")
    m.result(b, n, [f[1] for f in want], label=label + ", summands")


def emit_stage(m, x, n, k, level, form):
    """Stage k of Sklansky's network, or of that of Kogge and Stone."""
    bit, one, p = m.index(k), m.index(1), m.name()
    get = lambda v, i: f"{v}a, {v}b = obs.get {x}[{i}] : {pull(n, PAIR)}"
    put = lambda v, i: f"obs.write {v}a, {v}b at [{i}] : i32, i32"
    kind = push(level, n, PAIR)
    if form == "sklansky push":
        half = m.index(n // 2)
        m.block(f"{p} = obs.fill par (%t) in ({half}) {{", [
            f"%i = obs.bit.insert_zero %t, {bit} : index", f"%j = obs.bit.flip %i, {bit} : index",
            f"%run = arith.shrui %j, {bit} : index", f"%s = arith.shli %run, {bit} : index",
            f"%e = arith.subi %s, {one} : index", get("%k", "%i"), get("%l", "%e"), get("%r", "%j"),
            *composed("%l", "%r", "%y"), put("%k", "%i"), put("%y", "%j")], f"}} : {kind}")
        return m.force_push(p, n, level, PAIR)
    if form == "kogge push":
        distance = min(1 << k, n)
        stay, rest = m.index(distance), m.index(n - distance)
        m.block(f"{p} = obs.fill {{", [
            f"obs.par (%t) in ({stay}) {{", get("%k", "%t"), put("%k", "%t"), "}",
            f"obs.par (%t) in ({rest}) {{", f"%i = arith.addi %t, {stay} : index", get("%l", "%t"), get("%r", "%i"),
            *composed("%l", "%r", "%y"), put("%y", "%i"), "}"], f"}} : {kind}")
        return m.force_push(p, n, level, PAIR)
    if form == "sklansky pull":
        where = [f"%run = arith.shrui %i, {bit} : index", f"%odd = arith.andi %run, {one} : index",
                 "%zero = arith.constant 0 : index", "%has = arith.cmpi ne, %odd, %zero : index",
                 f"%s = arith.shli %run, {bit} : index", "%j0 = arith.select %has, %s, %i : index",
                 f"%j1 = arith.subi %j0, {one} : index", "%j = arith.select %has, %j1, %i : index"]
    else:
        distance = m.index(1 << k)
        where = [f"%has = arith.cmpi uge, %i, {distance} : index", f"%j0 = arith.subi %i, {distance} : index",
                 "%j = arith.select %has, %j0, %i : index"]
    m.block(f"{p} = obs.generate (%i) {{", where + [
        get("%l", "%j"), get("%r", "%i"), *composed("%l", "%r", "%c"),
        "%ya = arith.select %has, %ca, %ra : i32", "%yb = arith.select %has, %cb, %rb : i32",
        "obs.yield %ya, %yb : i32, i32"], f"}} : {pull(n, PAIR)}")
    return m.force(p, n, level, PAIR)


@prop("scan-networks")
def scan_networks(m, rng):
    """Sklansky's and Kogge's and Stone's networks are the sequential scan."""
    k, level = rng.randint(0, 7), pick_level(rng)
    form = rng.choice(["sklansky pull", "sklansky push", "kogge pull", "kogge push"])
    n = 1 << k
    if form.startswith("kogge") and n > 1:
        n -= rng.randint(0, n // 2 - 1)  # any length in k stages
    count = 1 if level == "grid" else rng.randint(1, 3)
    fs, x = functions(m, rng, n * count, n * count)

    def body(part, at):
        for stage in range(k):
            part = emit_stage(m, part, n, stage, at, form)
        return part
    want = [f for i in range(count) for f in fold(fs[i * n:(i + 1) * n])[1:]]
    result_of_pairs(m, m.at_level(level, x, n, body, count, PAIR), n * count, want, form)


STRATEGIES = ["", "sequential", "sklansky", "kogge_stone", "brent_kung", "raking"]


@prop("scans")
def scans(m, rng):
    """obs.scan is the sequential scan, whatever its kind, level and strategy."""
    level, kind = pick_level(rng), rng.choice(["inclusive", "exclusive"])
    strategy = rng.choice(STRATEGIES[:2] if level == "grid" else STRATEGIES)
    n = pick_length(rng, 60 if level == "thread" else 200)
    # The arrays of a bound for each of 32 warps would not fit into a block.
    extent = n if level == "warp" else rng.choice([None, n])
    fs, x = functions(m, rng, n, extent)
    start = (rng.randint(-9, 9), rng.randint(-9, 9))
    named = f' {{strategy = "{strategy}"}}' if strategy and level != "grid" else ""

    def body(part, at):
        a, b = (m.let(f"arith.constant {v} : i32") for v in start)
        p = m.name()
        m.block(f"{p} = obs.scan {kind} (%la, %lb, %ra, %rb) = {part} init {a}, {b}{named} : "
                f"{pull(extent, PAIR)} -> {push(at, extent, PAIR)} {{",
                [*composed("%l", "%r", "%y"), "obs.yield %ya, %yb : i32, i32"], "}")
        return m.force_push(p, extent, at, PAIR)
    want = fold(fs, start)
    result_of_pairs(m, m.at_level(level, x, extent, body, 1, PAIR), extent,
                    want[1:] if kind == "inclusive" else want[:-1], f"{kind} {strategy}")


def combine_model(fs, first, tree, cutoff, each):
    """Each iteration combines `each` elements, adjacent or strided; then pairs,
    adjacent or of halves, until `cutoff` are left; then these in their order."""
    c = -(-len(fs) // each)
    padded = fs + [(1, 0)] * (c * each - len(fs))
    ys = [fold([padded[t + j * c if first == "strided" else t * each + j] for j in range(each)])[-1]
          for t in range(c)]
    while len(ys) > max(1, cutoff):
        k = len(ys) // 2
        pairs = [(ys[2 * i], ys[2 * i + 1]) if tree == "adjacent" else (ys[i], ys[i + k]) for i in range(k)]
        ys = [then(f, g) for f, g in pairs] + ys[2 * k:]
    return fold(ys)[-1]


@prop("reductions")
def reductions(m, rng):
    """red1, ..., red7 of any length: adjacent pairs keep the order, halves and strided
    chunks do not."""
    first, tree = rng.choice(["adjacent", "strided"]), rng.choice(["adjacent", "halves"])
    each, cutoff = rng.choice([1, 1, 2, 3, 8]), rng.randint(1, 3)
    level, n = pick_level(rng), max(1, pick_length(rng, 150))
    fs, x = functions(m, rng, n, n)
    start = [m.let(f"arith.constant {v} : i32") for v in (1, 0)]

    def body(part, at):
        size, zero, one = n, m.index(0), m.index(1)
        if each > 1:
            c = -(-n // each)
            how = " strided" if first == "strided" else ""
            nested = f"!obs.pull<{c} x {pull(each, PAIR)}>"
            s = m.let(f"obs.split {part}{how} by [{each}] pad {start[0]}, {start[1]} : {pull(n, PAIR)} -> {nested}")
            y, end = m.name(), m.index(each)
            m.block(f"{y} = obs.map (%c = {s} : {nested}) -> {pull(c, PAIR)} {{", [
                (f"%ya, %yb = scf.for %j = {zero} to {end} step {one} iter_args(%la = {start[0]}, %lb = {start[1]}) "
                "-> (i32, i32) {"), f"  %ra, %rb = obs.get %c[%j] : {pull(each, PAIR)}",
                *composed("%l", "%r", "%z"), "scf.yield %za, %zb : i32, i32", "}",
                "obs.yield %ya, %yb : i32, i32"], "}")
            part, size = m.force(y, c, at, PAIR), c
        while size > cutoff:
            k = size // 2
            left, right = ((0, 2), (1, 2)) if tree == "adjacent" else ((0, 1), (k, 1))
            a = m.cut(part, size, left[0], k, left[1], PAIR)
            b = m.cut(part, size, right[0], k, right[1], PAIR)
            y = m.name()
            m.block(f"{y} = obs.map (%la, %lb = {a} : {pull(k, PAIR)}, %ra, %rb = {b} : {pull(k, PAIR)}) "
                    f"-> {pull(k, PAIR)} {{", [*composed("%l", "%r", "%y"), "obs.yield %ya, %yb : i32, i32"], "}")
            if size % 2:
                last = m.cut(part, size, size - 1, 1, 1, PAIR)
                y = m.let(f"obs.concat {y}, {last} : {pull(k, PAIR)}, {pull(1, PAIR)} -> {pull(k + 1, PAIR)}")
            size -= k
            part = m.force(y, size, at, PAIR)
        y, end = m.name(), m.index(size)
        m.block(f"{y} = obs.generate (%i) {{", [
            (f"%ya, %yb = scf.for %j = {zero} to {end} step {one} iter_args(%la = {start[0]}, %lb = {start[1]}) "
            "-> (i32, i32) {"), f"  %ra, %rb = obs.get {part}[%j] : {pull(size, PAIR)}",
            *composed("%l", "%r", "%z"), "scf.yield %za, %zb : i32, i32", "}",
            "obs.yield %ya, %yb : i32, i32"], f"}} : {pull(1, PAIR)}")
        return y
    want = combine_model(fs, first, tree, cutoff, each)
    ordered = (first == "adjacent" or each == 1) and tree == "adjacent"
    if ordered:
        assert want == fold(fs)[-1], "the order is lost"
    r = m.at_level(level, x, n, body, 1, PAIR, to=1)
    result_of_pairs(m, r, 1, [want], f"{first} {each}, {tree} to {cutoff}")
    # The halves of 4 functions in their order, and not.
    four = [(3, 1), (1, 5), (7, 2), (5, 9)]
    assert combine_model(four, "adjacent", "adjacent", 1, 1) == fold(four)[-1] != combine_model(
        four, "adjacent", "halves", 1, 1), "the operator commutes"


# --- sorting by counting -------------------------------------------------------


def grid_fill(m, head, lines, n):
    p = m.name()
    m.block(f"{p} = obs.fill {head} {{", lines, f"}} : {push('grid', n)}")
    return m.force_push(p, n, "grid")


def emit_positions(m, counts, n):
    """The exclusive scan."""
    p, zero = m.name(), m.let("arith.constant 0 : i32")
    m.block(f"{p} = obs.scan exclusive (%l, %r) = {counts} init {zero} : {pull(n)} -> {push('grid', n)} {{",
            ["%y = arith.addi %l, %r : i32", "obs.yield %y : i32"], "}")
    return m.force_push(p, n, "grid")


@prop("counting-sorts")
def counting_sorts(m, rng):
    """Counting sort sorts, occurrence sort drops the duplicates, too; a histogram
    sums to the number of keys. For a range of one key, and of many more than there are."""
    n, keys = pick_length(rng, 200), rng.choice([1, 2, rng.randint(1, 300), 2000])
    xs = [rng.randrange(keys) for _ in range(n)]
    x = m.argument(xs, n)
    r, one = keys + 1, m.let("arith.constant 1 : i32")
    zero, count, range_, next_ = m.let("arith.constant 0 : i32"), m.index(n), m.index(keys), m.index(1)
    at_key = [f"%x = obs.get {x}[%t] : {pull(n)}", "%k = arith.index_cast %x : i32 to index",
              f"obs.write {one} at [%k] : i32"]
    histogram = grid_fill(m, f"init {zero} reduce(addi) par (%t) in ({count})", at_key, r)
    m.result(histogram, r, [xs.count(k) for k in range(keys)] + [0], label="histogram")
    occurs = grid_fill(m, f"init {zero} any par (%t) in ({count})", at_key, r)
    bounds = lambda p: [f"%h = arith.addi %g, {next_} : index", f"%from = obs.get {p}[%g] : {pull(r)}",
                        f"%to = obs.get {p}[%h] : {pull(r)}", "%begin = arith.index_cast %from : i32 to index",
                        "%end = arith.index_cast %to : i32 to index", "%key = arith.index_cast %g : index to i32"]
    p = emit_positions(m, histogram, r)
    total = m.let(f"obs.get {p}[{range_}] : {pull(r)}")
    totals = m.let(f"obs.splat {total} : {pull(1)}")
    m.result(totals, 1, [n], label="sum of the histogram")
    fill = rng.choice(["", f"init {zero} "]) + "unchecked "
    s = grid_fill(m, f"{fill}par (%g) in ({range_})", bounds(p) + [
        f"scf.for %i = %begin to %end step {next_} {{", "  obs.write %key at [%i] : i32", "}"], n)
    m.result(s, n, sorted(xs), label="counting sort")
    q = emit_positions(m, occurs, r)
    unique = sorted(set(xs))
    u = grid_fill(m, f"{fill}par (%g) in ({range_})", bounds(q) + [
        "%is = arith.cmpi ult, %begin, %end : index", "scf.if %is {", "  obs.write %key at [%begin] : i32", "}"],
        len(unique))
    m.result(u, len(unique), unique, label="occurrence sort")


# --- sorting networks ----------------------------------------------------------


def network(name, k):
    """Columns on 2^k elements, as in the paper of 2012."""
    if name == "tsort":
        return [c for s in range(k) for c in [column("vee", s)] + [column("ilv", i) for i in range(s - 1, -1, -1)]]
    return [column("ilvVee", k - i, i - j) for i in range(1, k + 1) for j in range(1, i + 1)]  # vsort


@prop("zero-one")
def zero_one(m, rng):
    """tsort and vsort sort all inputs of zeros and ones: 64 of them in each word."""
    k = rng.randint(1, 4 if m.large else 3)
    name, form, level = rng.choice(["tsort", "vsort"]), rng.choice(["pull", "push"]), pick_level(rng, "warp", "block")
    n = 1 << k
    inputs = 1 << n
    count = max(1, inputs // 64)
    columns = network(name, k)

    def words(bit):
        """For each group of 64 inputs, the word of each element."""
        return [w - (1 << 64) if w >> 63 else w for g in range(count) for i in range(n)
                for w in [sum(bit(v, i) << (v - 64 * g) for v in range(64 * g, min(64 * g + 64, inputs)))]]
    ones = [bin(v).count("1") for v in range(inputs)]
    x = m.argument(words(lambda v, i: v >> i & 1), n * count, "i64")

    def body(part, at, columns):
        for c in columns:
            part = emit_comparators(m, part, n, c, at, form, "i64")
        return part
    r = m.at_level(level, x, n, lambda p, at: body(p, at, columns), count, "i64")
    m.result(r, n * count, words(lambda v, i: int(ones[v] >= n - i)), "i64", f"{name} {k}, {form}")
    for drop in range(len(columns)):
        ys = [run_all(columns[:drop] + columns[drop + 1:], [v >> i & 1 for i in range(n)]) for v in range(min(inputs, 256))]
        assert k == 4 or any(y != sorted(y) for y in ys), "a column is not needed"


def run_all(columns, xs):
    for c in columns:
        xs = run_column(xs, c)
    return xs


@prop("sorting")
def sorting(m, rng):
    """tsort and vsort sort any numbers."""
    k = rng.randint(1, 9 if m.large else 6)
    name, form = rng.choice(["tsort", "vsort"]), rng.choice(["pull", "push"])
    level, n = pick_level(rng, "thread", "warp", "block") if k < 6 else "block", 1 << k
    count = rng.randint(1, 3)
    xs = numbers(rng, n * count)
    x = m.argument(xs, n * count)

    def body(part, at):
        for c in network(name, k):
            part = emit_comparators(m, part, n, c, at, form)
        return part
    want = [y for i in range(count) for y in sorted(xs[i * n:(i + 1) * n])]
    m.result(m.at_level(level, x, n, body, count), n * count, want, label=f"{name} {k}, {form}")


# --- launches ------------------------------------------------------------------


@prop("launches")
def launches(m, rng):
    """A program of several levels on an array of any length: its chunks are no
    multiple of the blocks, nor its elements of the threads."""
    case = rp.Case(rng.randrange(2**31))
    xs = numbers(rng, rng.choice([0, 1, 7, 31, 33, 64, 100, 200, 257]))
    x, first = m.argument(xs, None), len(m.lines)
    r = case.emit(m)
    free = "!obs.pull<? x i32>"
    m.lines[first:] = [line.replace("%input", x) for line in m.lines[first:]]
    m.arguments[-1] = (x, free, "i32", xs)
    m.results.append((r, free, "i32", case.run(xs), "result", m.owner))

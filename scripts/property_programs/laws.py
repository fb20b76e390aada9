"""Laws that the papers on Obsidian use: of both forms of arrays, comparators,
chunks, scans, reductions, sorting by counting, and sorting networks."""

import itertools

from property_programs.module import *

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
    """splitUp drops what is no whole chunk; asThread, asWarp, asBlock give the rest back."""
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

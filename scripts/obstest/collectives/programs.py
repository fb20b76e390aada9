"""The text of programs with one collective, and of modules with many of them."""

from obstest.collectives.cases import (
    EXTENTS, INSTANCES, IRREGULAR, KEYS, OFFSETS, SIZE, Variant, result_types)
from obstest.collectives.operators import OPERATORS

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

"""Runs programs of linalg and tensor of many extents, static and dynamic, and compares with NumPy.

Usage: check.py OBS-RUN [--every=N] [OBS-RUN OPTION ...]

With --every, N - 1 of N programs are left out. Elements are small numbers with few bits, so that sums
of floats are exact in any order.
"""

import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

SIZES = (0, 1, 2, 33, 1000)
SHAPES = ((0, 3), (3, 0), (1, 1), (2, 9), (33, 5), (5, 33), (3, 1000), (1000, 2))
PRODUCTS = ((0, 2, 3), (2, 0, 3), (1, 1, 1), (3, 5, 2), (33, 17, 40), (70, 20, 65), (1, 1000, 33))
NAMES = {"float32": "f32", "int32": "i32", "bool": "i1", "int64": "i64"}


def numbers(shape, seed=0, dtype=np.float32):
    random = np.random.default_rng(seed)
    if dtype == np.bool_:
        return random.integers(0, 8, shape) != 0
    if dtype == np.int32:
        return random.integers(-1000, 1000, shape, np.int32)
    return random.integers(-32, 32, shape).astype(dtype) / 4


class Program:
    """A function `main` whose parameters are the arrays, dynamic or not."""

    def __init__(self, *arrays, dynamic):
        self.arrays, self.dynamic, self.lines = arrays, dynamic, []
        self.count = 0

    def type(self, array_or_shape, element="f32"):
        if isinstance(array_or_shape, np.ndarray):
            array_or_shape, element = array_or_shape.shape, NAMES[str(array_or_shape.dtype)]
        dims = "".join(("?" if self.dynamic else str(n)) + "x" for n in array_or_shape)
        return f"tensor<{dims}{element}>"

    def line(self, text):
        self.count += 1
        self.lines.append(f"  %v{self.count} = {text}")
        return f"%v{self.count}"

    def empty(self, shape, element="f32"):
        sizes = [self.line(f"arith.constant {n} : index") for n in shape] if self.dynamic else []
        return self.line(f"tensor.empty({', '.join(sizes)}) : {self.type(shape, element)}")

    def fill(self, value, shape, element="f32"):
        out, number = self.empty(shape, element), self.line(f"arith.constant {value} : {element}")
        kind = self.type(shape, element)
        return self.line(f"linalg.fill ins({number} : {element}) outs({out} : {kind}) -> {kind}")

    def op(self, name, ins, outs, attributes="", body=""):
        """A structured operation; `ins` and `outs` are pairs of a name and a type."""
        names = [", ".join(name for name, _ in pairs) for pairs in (ins, outs)]
        types = [", ".join(kind for _, kind in pairs) for pairs in (ins, outs)]
        reads = f" ins({names[0]} : {types[0]})" if ins else ""
        result = types[1] if len(outs) == 1 else f"({types[1]})"
        return self.line(f"{name}{attributes}{reads} outs({names[1]} : {types[1]}){body} -> {result}")

    def generic(self, ins, outs, maps, kinds, body):
        maps = ", ".join(f"affine_map<{m}>" for m in maps)
        kinds = ", ".join('"parallel"' if k == "p" else '"reduction"' for k in kinds)
        code = "; ".join(body)
        return self.op("linalg.generic", ins, outs,
                       f" {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}",
                       " {\n  " + code.replace("; ", "\n    ") + "\n  }")

    def text(self, results, types):
        parameters = ", ".join(f"%a{k}: {self.type(a)}" for k, a in enumerate(self.arrays))
        listed = ", ".join(types)
        return (f"func.func @main({parameters}) -> ({listed}) {{\n" + "\n".join(self.lines)
                + f"\n  return {', '.join(results)} : {listed}\n}}\n")

    def argument(self, k):
        return f"%a{k}", self.type(self.arrays[k])


def elementwise(p, x, y):
    out = p.empty(x.shape), p.type(x)
    s = p.op("linalg.mul", [p.argument(0), p.argument(1)], [out])
    r = p.op("linalg.abs", [(s, p.type(x))], [out])
    return [r], [np.abs(x * y)]


def selected(p, x, y):
    out = p.empty(x.shape), p.type(x)
    c = p.line(f"arith.cmpf olt, %a0, %a1 : {p.type(x)}")
    s = p.line(f"arith.select {c}, %a0, %a1 : {p.type(x.shape, 'i1')}, {p.type(x)}")
    r = p.op("linalg.elementwise kind=#linalg.elementwise_kind<negf>", [(s, p.type(x))], [out])
    return [r], [-np.minimum(x, y)]


def transposed(p, x):
    out = p.empty(x.shape[::-1]), p.type(x.shape[::-1])
    p.count += 1
    p.lines.append(f"  %v{p.count} = linalg.transpose ins(%a0 : {p.type(x)})"
                   f" outs({out[0]} : {out[1]}) permutation = [1, 0]")
    return [f"%v{p.count}"], [x.T]


def broadcast(p, x, y):
    """The sum of a column and a row, times the number of the column."""
    shape = x.shape + y.shape
    r = p.generic([p.argument(0), p.argument(1)], [(p.empty(shape), p.type(shape))],
                  ["(d0, d1) -> (d0)", "(d0, d1) -> (d1)", "(d0, d1) -> (d0, d1)"], "pp",
                  ["^bb0(%x: f32, %y: f32, %o: f32):", "%i = linalg.index 1 : index",
                   "%j = arith.index_cast %i : index to i32", "%k = arith.sitofp %j : i32 to f32",
                   "%s = arith.addf %x, %y : f32", "%r = arith.mulf %s, %k : f32",
                   "linalg.yield %r : f32"])
    return [r], [(x[:, None] + y) * np.arange(len(y), dtype=np.float32)]


def accumulate(p, x, y):
    """The result is read: y is twice what it was, and x."""
    r = p.generic([p.argument(0)], [p.argument(1)], ["(d0) -> (d0)"] * 2, "p",
                  ["^bb0(%x: f32, %o: f32):", "%s = arith.addf %o, %o : f32",
                   "%r = arith.addf %s, %x : f32", "linalg.yield %r : f32"])
    return [r], [y + y + x]


def reduction(operator, function, kind, dims):
    def build(p, x, *init):
        """From an array of initial values, or from the one in all places if there is none."""
        shape = tuple(n for d, n in enumerate(x.shape) if d not in dims)
        element = NAMES[str(x.dtype)]
        first = "1" if element == "i1" else "3" if element == "i32" else "3.0"
        out = p.argument(1) if init else (p.fill(first, shape, element), p.type(shape, element))
        start = init[0] if init else np.full(shape, element == "i1" or 3, x.dtype)
        p.count += 1
        p.lines.append(f"  %v{p.count} = linalg.reduce {{ {operator} }} ins(%a0 : {p.type(x)})"
                       f" outs({out[0]} : {out[1]}) dimensions = {list(dims)}")
        result = function(start, function.reduce(x, axis=dims, initial=kind)).astype(x.dtype)
        return [f"%v{p.count}"], [result]
    return build


def total_and_largest(p, x):
    """Two results of one operation: a sum and a maximum of each row."""
    shape, kind = x.shape[:1], p.type(x.shape[:1])
    p.generic([p.argument(0)], [(p.fill("0.0", shape), kind), (p.fill("-100.0", shape), kind)],
              ["(d0, d1) -> (d0, d1)", "(d0, d1) -> (d0)", "(d0, d1) -> (d0)"], "pr",
              ["^bb0(%x: f32, %s: f32, %m: f32):", "%t = arith.addf %s, %x : f32",
               "%n = arith.maximumf %x, %m : f32", "linalg.yield %t, %n : f32, f32"])
    p.lines[-1] = p.lines[-1].replace(" = ", ":2 = ", 1)
    return [f"%v{p.count}#0", f"%v{p.count}#1"], [x.sum(1), x.max(1, initial=-100)]


def largest_place(p, x):
    """The first place of the maximum of each row, and the maximum."""
    shape = x.shape[:1]
    p.generic([p.argument(0)], [(p.fill("-100.0", shape), p.type(shape)),
                                (p.fill("-1", shape, "i32"), p.type(shape, "i32"))],
              ["(d0, d1) -> (d0, d1)", "(d0, d1) -> (d0)", "(d0, d1) -> (d0)"], "pr",
              ["^bb0(%x: f32, %m: f32, %k: i32):", "%i = linalg.index 1 : index",
               "%j = arith.index_cast %i : index to i32", "%c = arith.cmpf ogt, %x, %m : f32",
               "%n = arith.select %c, %x, %m : f32", "%l = arith.select %c, %j, %k : i32",
               "linalg.yield %n, %l : f32, i32"])
    p.lines[-1] = p.lines[-1].replace(" = ", ":2 = ", 1)
    # A NaN is never larger.
    clean = np.where(np.isnan(x), np.float32(-200), x)
    largest = clean.max(1, initial=-100)
    found = clean.argmax(1) if x.shape[1] else np.full(shape, -1)
    return ([f"%v{p.count}#0", f"%v{p.count}#1"],
            [largest, np.where(largest > -100, found, -1).astype(np.int32)])


def horner(p, x, y):
    """No associative operator: the order of the iterations counts, and the first value once."""
    r = p.generic([p.argument(0)], [p.argument(1)], ["(d0, d1) -> (d0, d1)", "(d0, d1) -> (d1)"], "rp",
                  ["^bb0(%x: i32, %o: i32):", "%c = arith.constant 31 : i32",
                   "%s = arith.muli %o, %c : i32", "%r = arith.addi %s, %x : i32",
                   "linalg.yield %r : i32"])
    for row in x:
        y = y * np.int32(31) + row
    return [r], [y]


def matmul(p, x, y):
    shape = x.shape[0], y.shape[1]
    r = p.op("linalg.matmul", [p.argument(0), p.argument(1)], [(p.fill("2.0", shape), p.type(shape))])
    return [r], [x @ y + 2]


def matmul_onto(p, x, y, z):
    r = p.op("linalg.matmul", [p.argument(0), p.argument(1)], [p.argument(2)])
    return [r], [x @ y + z]


def matmul_transposed(p, x, y):
    """x^T y^T as a generic, with its result transposed."""
    shape = y.shape[0], x.shape[1]
    r = p.generic([p.argument(0), p.argument(1)], [(p.fill("0.0", shape), p.type(shape))],
                  ["(d0, d1, d2) -> (d2, d0)", "(d0, d1, d2) -> (d1, d2)", "(d0, d1, d2) -> (d1, d0)"],
                  "ppr", ["^bb0(%x: f32, %y: f32, %o: f32):", "%s = arith.mulf %y, %x : f32",
                          "%r = arith.addf %s, %o : f32", "linalg.yield %r : f32"])
    return [r], [(x.T @ y.T).T]


def batch_matmul(p, x, y):
    shape = x.shape[:2] + y.shape[2:]
    r = p.op("linalg.batch_matmul", [p.argument(0), p.argument(1)],
             [(p.fill("0.0", shape), p.type(shape))])
    return [r], [x @ y]


def matvec(p, x, y):
    r = p.op("linalg.matvec", [p.argument(0), p.argument(1)],
             [(p.fill("0.0", x.shape[:1]), p.type(x.shape[:1]))])
    return [r], [x @ y]


def dot(p, x, y):
    r = p.op("linalg.dot", [p.argument(0), p.argument(1)], [(p.fill("1.0", ()), p.type(()))])
    return [r], [np.atleast_1d(x @ y + 1).astype(np.float32)]


def windows(x, size, stride=1):
    """The windows of the second and third dimension of x."""
    found = np.lib.stride_tricks.sliding_window_view(x, size, (1, 2))
    return found[:, ::stride, ::stride]


def conv(p, x, k):
    expected = np.einsum("nhwcij,ijcf->nhwf", windows(x, k.shape[:2]), k)
    r = p.op("linalg.conv_2d_nhwc_hwcf", [p.argument(0), p.argument(1)],
             [(p.fill("0.0", expected.shape), p.type(expected.shape))])
    return [r], [expected.astype(np.float32)]


def pooling(p, x):
    expected = windows(x, (2, 3), 2).max((4, 5))
    r = p.op("linalg.pooling_nhwc_max", [p.argument(0), (p.empty((2, 3)), p.type((2, 3)))],
             [(p.fill("-100.0", expected.shape), p.type(expected.shape))],
             " {strides = dense<2> : vector<2xi64>}")
    return [r], [expected]


def softmax(p, x):
    """Maximum, exponentials, sum and quotient as generics: the dimension of a row is reduced."""
    rows, row = p.type(x), p.type(x.shape[:1])
    full, part = "(d0, d1) -> (d0, d1)", "(d0, d1) -> (d0)"
    m = p.generic([("%a0", rows)], [(p.fill("0xFF800000", x.shape[:1]), row)], [full, part], "pr",
                  ["^bb0(%x: f32, %o: f32):", "%r = arith.maximumf %x, %o : f32",
                   "linalg.yield %r : f32"])
    e = p.generic([("%a0", rows), (m, row)], [(p.empty(x.shape), rows)], [full, part, full], "pp",
                  ["^bb0(%x: f32, %m: f32, %o: f32):", "%s = arith.subf %x, %m : f32",
                   "%r = math.exp %s : f32", "linalg.yield %r : f32"])
    s = p.generic([(e, rows)], [(p.fill("0.0", x.shape[:1]), row)], [full, part], "pr",
                  ["^bb0(%x: f32, %o: f32):", "%r = arith.addf %x, %o : f32", "linalg.yield %r : f32"])
    r = p.generic([(e, rows), (s, row)], [(p.empty(x.shape), rows)], [full, part, full], "pp",
                  ["^bb0(%x: f32, %m: f32, %o: f32):", "%r = arith.divf %x, %m : f32",
                   "linalg.yield %r : f32"])
    e = np.exp(x - x.max(1, keepdims=True, initial=-np.inf))
    return [r], [e / e.sum(1, keepdims=True)]


def index(p, number):
    return p.line(f"arith.constant {number} : index") if p.dynamic else str(number)


def slices(p, x):
    """Every second row from the second one, without the first column."""
    rows, columns = len(x[1::2]), x.shape[1] - 1
    r = p.line(f"tensor.extract_slice %a0[{index(p, 1)}, 1] [{index(p, rows)}, {index(p, columns)}]"
               f" [2, 1] : {p.type(x)} to {p.type((rows, columns))}")
    row = p.line(f"tensor.extract_slice %a0[{index(p, len(x) - 1)}, 0] [1, {index(p, x.shape[1])}]"
                 f" [1, 1] : {p.type(x)} to {p.type(x.shape[1:])}")
    return [r, row], [x[1::2, 1:], x[-1]]


def inserted(p, x, y):
    r = p.line(f"tensor.insert_slice %a1 into %a0[{index(p, 1)}, 0] [1, {index(p, len(y))}] [1, 2]"
               f" : {p.type(y)} into {p.type(x)}")
    z = x.copy()
    z[1, ::2] = y
    return [r], [z]


def padded(p, x):
    shape = x.shape[0] + 3, x.shape[1] + 2
    r = p.line(f"tensor.pad %a0 low[{index(p, 1)}, 0] high[2, {index(p, 2)}] {{\n  ^bb0(%i: index, %j: index):"
               "\n    %s = arith.addi %i, %j : index\n    %k = arith.index_cast %s : index to i32"
               "\n    %f = arith.sitofp %k : i32 to f32"
               f"\n    tensor.yield %f : f32\n  }} : {p.type(x)} to {p.type(shape)}")
    expected = np.add.outer(np.arange(shape[0]), np.arange(shape[1])).astype(np.float32)
    expected[1:-2, :-2] = x
    return [r], [expected]


def joined(p, x, y):
    shape = x.shape[0], x.shape[1] + y.shape[1]
    r = p.line(f"tensor.concat dim(1) %a0, %a1 : ({p.type(x)}, {p.type(y)}) -> {p.type(shape)}")
    return [r], [np.concatenate([x, y], 1)]


def reshaped(p, x):
    total = x.size
    c = p.line(f"tensor.collapse_shape %a0 [[0, 1]] : {p.type(x)} into {p.type((total,))}")
    sizes = f"1, {index(p, x.shape[1])}, {index(p, x.shape[0])}"
    kind = f"tensor<1x{'?x?' if p.dynamic else f'{x.shape[1]}x{x.shape[0]}'}xf32>"
    r = p.line(f"tensor.expand_shape {c} [[0, 1, 2]] output_shape [{sizes}]"
               f" : {p.type((total,))} into {kind}")
    return [(r, kind)], [x.reshape(1, x.shape[1], x.shape[0])]


def gathered(p, x, places):
    """Rows at places, and elements at places."""
    count = len(places)
    rows = p.line(f"tensor.gather %a0[%a1] gather_dims([0])"
                  f" : ({p.type(x)}, {p.type(places)[:-4]}i32>) -> {p.type((count, x.shape[1]))}")
    p.lines[-1] = p.lines[-1].replace(p.type(places), column(p, count))
    return [rows], [x[places[:, 0]]]


def column(p, count):
    return f"tensor<{'?' if p.dynamic else count}x1xi32>"


def generated(p, x):
    """Elements that an operation of tensor reads by itself: the reverse, cast to static extents."""
    n = len(x)
    sizes = index(p, n) if p.dynamic else ""
    last = p.line(f"arith.constant {n - 1} : index")
    g = p.line(f"tensor.generate {sizes} {{\n  ^bb0(%i: index):\n    %j = arith.subi {last}, %i : index"
               f"\n    %e = tensor.extract %a0[%j] : {p.type(x)}\n    tensor.yield %e : f32\n  }} : {p.type(x)}")
    s = p.line("arith.constant 2.0 : f32")
    t = p.line(f"tensor.splat {s}{'[' + index(p, n) + ']' if p.dynamic else ''} : {p.type(x)}")
    r = p.line(f"arith.mulf {g}, {t} : {p.type(x)}")
    if p.dynamic:
        r = p.line(f"tensor.cast {r} : {p.type(x)} to tensor<{n}xf32>")
    return [(r, f"tensor<{n}xf32>")], [2 * x[::-1]]


def scaled(p, x):
    """A scalar that the host reads from an array."""
    zero = p.line("arith.constant 0 : index")
    first = p.line(f"tensor.extract %a0[{zero}] : {p.type(x)}")
    n = p.line(f"tensor.dim %a0, {zero} : {p.type(x)}")
    k = p.line(f"arith.index_cast {n} : index to i32")
    f = p.line(f"arith.sitofp {k} : i32 to f32")
    t = p.line(f"tensor.from_elements {first}, {f} : tensor<2xf32>")
    r = p.generic([p.argument(0)], [(p.empty(x.shape), p.type(x))], ["(d0) -> (d0)"] * 2, "p",
                  ["^bb0(%x: f32, %o: f32):", f"%r = arith.addf %x, {first} : f32",
                   "linalg.yield %r : f32"])
    return [r, (t, "tensor<2xf32>")], [x + x[0], np.array([x[0], len(x)], np.float32)]


def cases():
    """Each case: its name, its code, and its arguments."""
    for n in SIZES:
        x, y = numbers(n, 1), numbers(n, 2)
        for build in (elementwise, selected, accumulate, dot):
            yield build.__name__, build, (x, y)
        yield "broadcast", broadcast, (x, numbers(5, 2))
        yield "generated", generated, (x,)
        if n:
            yield "scaled", scaled, (x,)
    for shape in SHAPES:
        x = numbers(shape, 3)
        for build in (transposed, total_and_largest, largest_place, reshaped, padded):
            yield build.__name__, build, (x,)
        holes = np.where(np.random.default_rng(20).random(shape) < 0.3, np.float32(np.nan), x)
        yield "largest_place of holes", largest_place, (holes,)
        if shape[0]:
            holes[0] = np.nan
            yield "largest_place of none", largest_place, (holes,)
        for name, operator, function, first, dtype in (
                ("sum", "arith.addf", np.add, 0, np.float32),
                ("max", "arith.maximumf", np.maximum, -np.inf, np.float32),
                ("min", "arith.minsi", np.minimum, 2**31 - 1, np.int32),
                ("xor", "arith.xori", np.bitwise_xor, 0, np.int32),
                ("and", "arith.andi", np.logical_and, True, np.bool_)):
            for dims in ((0,), (1,), (0, 1)):
                build = reduction(operator, function, first, dims)
                kept = tuple(n for d, n in enumerate(shape) if d not in dims)
                values = numbers(shape, 4, dtype)
                yield f"{name} {dims}", build, (values,)
                if kept and dtype != np.bool_:
                    yield f"{name} onto {dims}", build, (values, numbers(kept, 5, dtype))
        yield "horner", horner, (numbers(shape, 6, np.int32), numbers(shape[1:], 7, np.int32))
        yield "matvec", matvec, (x, numbers(shape[1], 8))
        yield "joined", joined, (x, numbers((shape[0], 4), 9))
        if shape[1]:
            yield "softmax", softmax, (x,)
        if shape[0] > 1 and shape[1]:
            yield "slices", slices, (x,)
            yield "inserted", inserted, (x, numbers((shape[1] + 1) // 2, 10))
        if shape[0]:
            places = np.random.default_rng(11).integers(0, shape[0], (7, 1), np.int32)
            yield "gathered", gathered, (x, places)
    for m, k, n in PRODUCTS:
        x, y = numbers((m, k), 12), numbers((k, n), 13)
        yield "matmul", matmul, (x, y)
        yield "matmul_onto", matmul_onto, (x, y, numbers((m, n), 14))
        yield "matmul_transposed", matmul_transposed, (x.T.copy(), y.T.copy())
        yield "batch_matmul", batch_matmul, (numbers((3, m, k), 15), numbers((3, k, n), 16))
    for shape, kernel in (((1, 3, 3, 1), (3, 3, 1, 1)), ((2, 7, 9, 3), (3, 2, 3, 5)),
                          ((0, 4, 4, 2), (1, 1, 2, 2))):
        yield "conv", conv, (numbers(shape, 17), numbers(kernel, 18))
    for shape in ((1, 4, 5, 1), (2, 9, 33, 3)):
        yield "pooling", pooling, (numbers(shape, 19),)


def run(tool, options, folder, name, build, arrays, dynamic):
    program = Program(*arrays, dynamic=dynamic)
    results, expected = build(program, *arrays)
    types = []
    for k, (result, value) in enumerate(zip(results, expected)):
        if isinstance(result, tuple):
            results[k], kind = result
            types.append(kind)
        else:
            rank0 = name in ("dot",) or name.endswith("(0, 1)")
            types.append(program.type(() if rank0 else value.shape, NAMES[str(value.dtype)]))
    text = program.text(results, types)
    if name == "gathered":
        text = text.replace(f"%a1: {program.type(arrays[1])}", f"%a1: {column(program, len(arrays[1]))}")
    folder.mkdir()
    (folder / "program.mlir").write_text(text)
    command = [tool, folder / "program.mlir", *options]
    for k, array in enumerate(arrays):
        np.save(folder / f"a{k}.npy", array)
        command.append(folder / f"a{k}.npy")
    for k in range(len(expected)):
        command.append(f"--out={folder / f'r{k}.npy'}")
    ran = subprocess.run(command, check=False, capture_output=True, text=True)
    title = f"{name} {[a.shape for a in arrays]} {'dynamic' if dynamic else 'static'}"
    if ran.returncode:
        return f"{title}: {ran.stderr}\n{text}"
    for k, value in enumerate(expected):
        found = np.load(folder / f"r{k}.npy")
        value = np.atleast_1d(value)
        if found.shape != value.shape or not np.allclose(
                found.astype(np.float64), value.astype(np.float64), 1e-5, 1e-6, equal_nan=True):
            return f"{title}: result {k} is\n{found}\nnot\n{value}\n{text}"
    return None


def main():
    tool, *options = sys.argv[1:]
    every = 1
    if options and options[0].startswith("--every="):
        every = int(options.pop(0).split("=")[1])
    jobs = [(*case, dynamic) for case in cases() for dynamic in (False, True)]
    jobs = [job for k, job in enumerate(jobs) if k * 7919 % every == 0]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(run, tool, options, pathlib.Path(folder) / str(k), *job)
                   for k, job in enumerate(jobs)]
        wrong = [text for text in (future.result() for future in futures) if text]
    print("\n".join(wrong[:10]))
    print(f"{len(jobs)} programs, {len(wrong)} wrong")
    sys.exit(bool(wrong))


main()

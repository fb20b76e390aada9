"""Runs a whole program of many kernels from Python, by ctypes and the CUDA driver, from its PTX and launch contract:

    obs-translate --obs-to-ptx examples/large-sort.mlir -o large-sort.ptx
    obs-translate --obs-to-launch-json examples/large-sort.mlir -o large-sort.json
    python3 plan.py large-sort.ptx large-sort.json [COUNT]

The launch contract has the steps of the host: the arrays that are allocated and filled, the kernels with their
arguments, and the loops around them. This script works for any program, except that it checks the result of a sort:
main of large-sort.mlir, or i32 of radix-sort.mlir (--function=i32). --dry-run prints the steps with their numbers,
and needs no GPU. Without a GPU, the exit status is 77.
"""

import argparse
import array
import ast
import ctypes
import functools
import json
import math
import operator
import re
import struct
import sys

CODES = {"i8": "b", "i16": "h", "i32": "i", "i64": "q", "index": "q", "i1": "?", "f16": "e", "f32": "f", "f64": "d",
         "bf16": None}  # the upper half of a f32
WIDTHS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}


class Unsupported(Exception):
    """This machine, or this script, cannot run the program."""


class Driver:
    """Memory and launches of the first GPU."""

    def __init__(self, code):
        with open(code, "rb") as file:
            image = file.read() + b"\0"
        try:
            self.cuda = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            raise Unsupported(f"no CUDA driver: {error}") from error
        if self.cuda.cuInit(0):
            raise Unsupported("no GPU that the CUDA driver can use")
        device, context, self.module = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.call("cuModuleLoadData", ctypes.byref(self.module), image)

    def call(self, name, *words):
        status = getattr(self.cuda, name)(*words)
        if status:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorString(status, ctypes.byref(text))
            sys.exit("{}: {}".format(name, (text.value or b"error %d" % status).decode()))

    def allocate(self, size):
        data = ctypes.c_uint64()
        if size:
            self.call("cuMemAlloc_v2", ctypes.byref(data), ctypes.c_size_t(size))
        return data.value

    def free(self, data):
        if data:
            self.call("cuMemFree_v2", ctypes.c_uint64(data))

    def upload(self, data, raw):
        if raw:
            self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(data), bytes(raw), ctypes.c_size_t(len(raw)))

    def download(self, data, size):
        raw = ctypes.create_string_buffer(size)
        if size:
            self.call("cuMemcpyDtoH_v2", raw, ctypes.c_uint64(data), ctypes.c_size_t(size))
        return raw.raw

    def copy(self, to, data, size):
        if size:
            self.call("cuMemcpyDtoD_v2", ctypes.c_uint64(to), ctypes.c_uint64(data), ctypes.c_size_t(size))

    def fill(self, data, element, count):
        if element == element[:1] * len(element):
            element, count = element[:1], count * len(element)
        if not count:
            return
        if len(element) == 8:
            self.upload(data, element * count)
            return
        name = {1: "cuMemsetD8_v2", 2: "cuMemsetD16_v2", 4: "cuMemsetD32_v2"}[len(element)]
        value = ctypes.c_uint32(int.from_bytes(element, "little"))
        self.call(name, ctypes.c_uint64(data), value, ctypes.c_size_t(count))

    def prepare(self, kernel, grid, block, shared, values):
        """The arguments of cuLaunchKernel, and the values to which they point."""
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), self.module, kernel.encode())
        if shared > 48 * 1024:
            self.call("cuFuncSetAttribute", function, 8, shared)  # MAX_DYNAMIC_SHARED_SIZE_BYTES
        words = (ctypes.c_void_p * len(values))(*[ctypes.addressof(v) for v in values])
        return (function, grid, 1, 1, block, 1, 1, shared, None, words, None), values

    def launch(self, kernel, grid, block, shared, values):
        arguments, _ = self.prepare(kernel, grid, block, shared, values)
        self.call("cuLaunchKernel", *arguments)
        self.call("cuCtxSynchronize")


class DryRun:
    """Prints the calls of the driver instead. Arrays have invented addresses, and zeros."""

    def __init__(self):
        self.next = 0

    def allocate(self, size):
        self.next += 1
        print(f"allocate #{self.next}: {size} bytes")
        return self.next << 40

    def free(self, data):
        print(f"free #{data >> 40}")

    def upload(self, data, raw):
        print(f"upload {len(raw)} bytes to {self.place(data)}")

    def download(self, data, size):
        print(f"download {size} bytes from {self.place(data)}")
        return bytes(size)

    def copy(self, to, data, size):
        print(f"copy {size} bytes from {self.place(data)} to {self.place(to)}")

    def fill(self, data, element, count):
        print(f"fill {self.place(data)} with {count} times {element.hex()}")

    @staticmethod
    def place(data):
        within = data % 2**40
        return f"#{data >> 40}" + (f"+{within}" if within else "")

    def launch(self, kernel, grid, block, shared, values):
        words = [self.place(v.value) if isinstance(v, ctypes.c_uint64) else str(v.value) for v in values]
        print(f"launch {kernel}: {grid} blocks of {block} threads, {shared} bytes shared, ({', '.join(words)})")


class Memory:
    """Device memory, until nothing refers to it."""

    def __init__(self, device, size):
        self.device, self.data = device, device.allocate(size)

    def free(self):
        if self.device:
            self.device.free(self.data)
            self.device = None

    __del__ = free


class Array:
    """An array in device memory, or in a bytearray of the host."""

    def __init__(self, memory, element, size, extents, offset=0, strides=None, base=None):
        self.memory, self.element, self.size, self.extents, self.offset = memory, element, size, extents, offset
        self.base = offset if base is None else base
        self.strides = strides or [math.prod(extents[d + 1:]) for d in range(len(extents))]

    def begin(self, at=()):
        return (self.offset + sum(i * s for i, s in zip(at, self.strides))) * self.size

    def bytes(self):
        return math.prod(self.extents) * self.size

    def read(self, at, size):
        if isinstance(self.memory, bytearray):
            return bytes(self.memory[at:at + size])
        return self.memory.device.download(self.memory.data + at, size)

    def write(self, at, raw):
        if isinstance(self.memory, bytearray):
            self.memory[at:at + len(raw)] = raw
        else:
            self.memory.device.upload(self.memory.data + at, raw)


def wrap(value, kind):
    """An integer in the range of its type, or a float that is rounded to its type."""
    if isinstance(value, float):
        return round_to(value, kind)
    bits = WIDTHS.get(kind)
    if not bits or not isinstance(value, int):
        return value
    value &= (1 << bits) - 1
    return value - (1 << bits) if bits > 1 and value >> (bits - 1) else value


def unsigned(value):
    return value % 2**64


def total(function, *arguments):
    """The result by IEEE 754, even if Python raises an error."""
    try:
        return float(function(*arguments))
    except OverflowError:
        return math.inf
    except ValueError:
        return math.nan


def round_to(value, kind):
    """A number that is rounded to the type."""
    if kind == "bf16" and value and math.isfinite(value):
        last = max(math.frexp(value)[1] - 8, -133)  # the power of two of the last bit
        rounded = math.ldexp(round(math.ldexp(value, -last)), last)
        return math.copysign(math.inf if abs(rounded) >= 2.0**128 else rounded, value)
    if kind not in ("f16", "f32"):
        return float(value)
    try:
        return struct.unpack("<" + CODES[kind], struct.pack("<" + CODES[kind], value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def pack(value, kind):
    """The bytes of a number."""
    value = round_to(value, kind) if kind in ("bf16", "f16", "f32", "f64") else value
    return struct.pack("<f", value)[2:] if kind == "bf16" else struct.pack("<" + CODES[kind], value)


def unpack(raw, kind):
    """The number that has these bytes."""
    return struct.unpack("<f", bytes(2) + raw)[0] if kind == "bf16" else struct.unpack("<" + CODES[kind], raw)[0]


def show(value, kind):
    """A number as obs-run prints it. A float has the fewest digits that identify it in its type."""
    if kind == "i1":
        return "true" if value else "false"
    if kind not in ("bf16", "f16", "f32") or not math.isfinite(value):
        return str(value)
    return str(next(short for short in (float("%.*g" % (digits, value)) for digits in range(1, 18))
                    if round_to(short, kind) == value))


def divide(a, b):
    if b != 0 or a != a:
        return a / b if b != 0 else a
    return math.nan if a == 0 else math.copysign(math.inf, a) * math.copysign(1, b)


def maximum(a, b):
    """NaN if one of them is a NaN; -0 is less than +0."""
    if a != a or b != b:
        return math.nan
    return max(a, b) if a != b else b if math.copysign(1, a) < 0 else a


def logarithm(function):
    return lambda a: -math.inf if a == 0 else total(function, a)


def bits(value, source, to):
    return unpack(pack(value, source), to)


FUNCTIONS = {
    "max": max, "min": min, "abs": abs, "ceildiv": lambda a, b: -(-a // b), "floordiv": lambda a, b: a // b,
    "truncdiv": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "truncmod": lambda a, b: abs(a) % abs(b) * (-1 if a < 0 else 1),
    "umax": lambda a, b: max(unsigned(a), unsigned(b)), "umin": lambda a, b: min(unsigned(a), unsigned(b)),
    "uceildiv": lambda a, b: -(-unsigned(a) // unsigned(b)), "udiv": lambda a, b: unsigned(a) // unsigned(b),
    "umod": lambda a, b: unsigned(a) % unsigned(b), "ushr": lambda a, b: unsigned(a) >> b,
    "ones": lambda a: bin(unsigned(a)).count("1"), "leading": lambda a, w: w - (a % 2**w).bit_length(),
    "trailing": lambda a, w: (a % 2**w & -(a % 2**w)).bit_length() - 1 if a % 2**w else w,
    "select": lambda c, a, b: a if c else b, "dim": lambda a, d: a.extents[d],
    "real": float, "ureal": lambda a: float(unsigned(a)), "integer": int, "bits": bits,
    "fdiv": divide, "neg": lambda a: -a, "fmod": lambda a, b: total(math.fmod, a, b), "maximum": maximum,
    "minimum": lambda a, b: -maximum(-a, -b), "fmax": lambda a, b: b if a != a else a if b != b else maximum(a, b),
    "fmin": lambda a, b: b if a != a else a if b != b else -maximum(-a, -b), "fabs": math.fabs,
    "rsqrt": lambda a: divide(1.0, total(math.sqrt, a)), "exp2": lambda a: total(math.pow, 2.0, a),
    "roundeven": lambda a: a if not math.isfinite(a) else math.copysign(round(a), a),
    "ffalse": lambda a, b: 0, "ftrue": lambda a, b: 1, "ford": lambda a, b: int(a == a and b == b),
    "funo": lambda a, b: int(a != a or b != b),
    "foeq": lambda a, b: int(a == b), "fone": lambda a, b: int(a < b or a > b),
    "fueq": lambda a, b: int(not (a < b or a > b)), "fune": lambda a, b: int(a != b),
    "eq": lambda a, b: int(a == b), "ne": lambda a, b: int(a != b),
}
for NAME in ("pow", "sqrt", "exp", "sin", "cos", "tan", "atan", "atan2", "tanh"):
    FUNCTIONS[NAME] = functools.partial(total, getattr(math, NAME))
for NAME in ("floor", "ceil", "trunc"):
    FUNCTIONS[NAME] = lambda a, f=getattr(math, NAME): math.copysign(f(a), a) if math.isfinite(a) else a
for NAME in ("log", "log2", "log10"):
    FUNCTIONS[NAME] = logarithm(getattr(math, NAME))
for NAME in ("isnan", "isinf", "isfinite"):
    FUNCTIONS[NAME] = lambda a, f=getattr(math, NAME): int(f(a))
for NAME, TEST, OTHERWISE in (("lt", operator.lt, operator.ge), ("le", operator.le, operator.gt),
                              ("gt", operator.gt, operator.le), ("ge", operator.ge, operator.lt)):
    FUNCTIONS["s" + NAME] = lambda a, b, f=TEST: int(f(a, b))
    FUNCTIONS["u" + NAME] = lambda a, b, f=TEST: int(f(unsigned(a), unsigned(b)))
    FUNCTIONS["fo" + NAME] = FUNCTIONS["s" + NAME]
    FUNCTIONS["fu" + NAME] = lambda a, b, f=OTHERWISE: int(not f(a, b))

INFIX = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.BitAnd: operator.and_,
         ast.BitOr: operator.or_, ast.BitXor: operator.xor, ast.LShift: operator.lshift, ast.RShift: operator.rshift}
SIGNS = {ast.USub: operator.neg, ast.UAdd: operator.pos}
CONSTANTS = {"inf": math.inf, "nan": math.nan, **{kind: kind for kind in CODES}}


@functools.lru_cache(None)
def parse(text):
    """An expression, whose names may be words of Python."""
    return ast.parse(re.sub(r"(?<![\w.])[A-Za-z_]\w*", lambda name: name[0] + "_", text), mode="eval").body


def evaluate(node, names):
    """The value of an expression; integers have 64 bits, and wrap."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return names[node.id[:-1]] if node.id[:-1] in names else CONSTANTS[node.id[:-1]]
    if isinstance(node, ast.UnaryOp):
        return SIGNS[type(node.op)](evaluate(node.operand, names))
    if isinstance(node, ast.BinOp):
        operands = evaluate(node.left, names), evaluate(node.right, names)
        return wrap(INFIX[type(node.op)](*operands), "i64")
    return wrap(FUNCTIONS[node.func.id[:-1]](*(evaluate(a, names) for a in node.args)), "i64")


class Plan:
    """A function of the launch contract, run on a device."""

    def __init__(self, contract, name, device):
        functions = {f["name"]: f for f in contract["functions"]}
        if name not in functions:
            sys.exit("no function {}; there are: {}".format(name, ", ".join(functions)))
        self.function, self.device, self.launches = functions[name], device, 0
        if "steps" not in self.function:
            raise Unsupported("the plan has no step for " + self.function["unsupported"])
        self.kernels = {k["entry"]: k for k in contract["kernels"]}

    def run(self, *arguments):
        names = {p["name"]: a if isinstance(a, Array) else wrap(a, p["elementType"])
                 for p, a in zip(self.function["parameters"], arguments)}
        self.steps(self.function["steps"], names)
        return [self.value(r["value"], names) for r in self.function["results"]]

    @staticmethod
    def value(text, names):
        return evaluate(parse(text), names)

    def values(self, texts, names):
        return [self.value(t, names) for t in texts]

    def steps(self, steps, names):
        for step in steps:
            getattr(self, "do_" + step["step"])(step, names)

    def do_let(self, step, names):
        if "value" not in step:
            raise Unsupported("expressions have no word for " + step["op"])
        names[step["name"]] = wrap(self.value(step["value"], names), step["type"])

    def do_allocate(self, step, names):
        extents = self.values(step["extents"], names)
        if math.prod(max(e, 1) for e in extents) * step["size"] >= 2**63:
            sys.exit("error: an array of more than 2^63 bytes cannot be allocated")
        memory = Memory(self.device, math.prod(extents) * step["size"])
        names[step["name"]] = Array(memory, step["elementType"], step["size"], extents)

    def do_host(self, step, names):
        extents = self.values(step["extents"], names)
        memory = bytearray(math.prod(extents) * step["size"])
        names[step["name"]] = Array(memory, step["elementType"], step["size"], extents)

    def do_free(self, step, names):
        names[step["array"]].memory.free()

    def do_fill(self, step, names):
        a = names[step["array"]]
        element = pack(self.value(step["value"], names), a.element)
        self.device.fill(a.memory.data + a.begin(), element, math.prod(a.extents))

    def do_copy(self, step, names):
        to, a = names[step["array"]], names[step["from"]]
        if isinstance(to.memory, bytearray) or isinstance(a.memory, bytearray):
            to.write(to.begin(), a.read(a.begin(), a.bytes()))
        else:
            self.device.copy(to.memory.data + to.begin(), a.memory.data + a.begin(), a.bytes())

    def do_view(self, step, names):
        a = names[step["array"]]
        offset = a.offset + self.value(step.get("offset", "0"), names)
        names[step["name"]] = Array(a.memory, a.element, a.size, self.values(step["extents"], names), offset)

    def do_strided(self, step, names):
        a, strides = names[step["array"]], self.values(step["strides"], names)
        offset = a.base + self.value(step["offset"], names)
        names[step["name"]] = Array(a.memory, a.element, a.size, self.values(step["extents"], names), offset, strides,
                                    a.base)

    def do_part(self, step, names):
        a, kept = names[step["array"]], [d for d in range(len(step["extents"])) if d not in step.get("dropped", ())]
        offset = a.begin(self.values(step["offsets"], names)) // a.size
        extents, steps = self.values(step["extents"], names), self.values(step["strides"], names)
        names[step["name"]] = Array(a.memory, a.element, a.size, [extents[d] for d in kept], offset,
                                    [a.strides[d] * steps[d] for d in kept], a.base)

    def do_cast(self, step, names):
        a, extents = names[step["array"]], self.values(step["extents"], names)
        if any(e not in (-1, size) for e, size in zip(extents, a.extents)):
            sys.exit("error: an array is no {}".format(step["type"]))
        names[step["name"]] = a

    def do_load(self, step, names):
        a = names[step["array"]]
        names[step["name"]] = unpack(a.read(a.begin(self.values(step["at"], names)), a.size), a.element)

    def do_store(self, step, names):
        a = names[step["array"]]
        raw = pack(self.value(step["value"], names), a.element)
        a.write(a.begin(self.values(step["at"], names)), raw)

    def do_launch(self, step, names):
        if any(side in step for side in ("gridY", "gridZ", "blockY", "blockZ")):
            raise Unsupported("kernels here have blocks in one dimension")
        parameters, words = self.kernels[step["kernel"]]["parameters"], []
        for parameter, value in zip(parameters, self.values(step["arguments"], names)):
            if parameter["kind"] == "pointer":
                words.append(ctypes.c_uint64(value.memory.data + value.begin()))
                continue
            element = parameter["elementType"]
            if element in ("f16", "bf16"):
                words.append(ctypes.c_uint16(int.from_bytes(pack(value, element), "little")))
                continue
            words.append({"f32": ctypes.c_float, "f64": ctypes.c_double, "i1": ctypes.c_bool, "i8": ctypes.c_int8,
                          "i16": ctypes.c_int16, "i32": ctypes.c_int32}.get(element, ctypes.c_int64)(value))
        self.launches += 1
        self.device.launch(step["kernel"], *self.values([step[k] for k in ("grid", "block", "sharedBytes")], names),
                           words)

    # Arrays of the body of a loop or a branch are freed with its names.

    def do_for(self, step, names):
        carried = [self.value(c["initial"], names) for c in step["carried"]]
        first, last, by = (self.value(step[k], names) for k in ("from", "to", "by"))
        for i in range(first, last, by):
            inner = {**names, step["name"]: i, **dict(zip((c["name"] for c in step["carried"]), carried))}
            self.steps(step["steps"], inner)
            carried = self.values(step["next"], inner)
        names.update(zip(step["results"], carried))

    def do_while(self, step, names):
        carried = [self.value(c["initial"], names) for c in step["carried"]]
        while True:
            inner = {**names, **dict(zip((c["name"] for c in step["carried"]), carried))}
            self.steps(step["test"], inner)
            passed = self.values(step["passed"], inner)
            if not self.value(step["condition"], inner):
                break
            inner.update(zip(step["names"], passed))
            self.steps(step["steps"], inner)
            carried = self.values(step["next"], inner)
        names.update(zip(step["results"], passed))

    def do_if(self, step, names):
        branch = "then" if self.value(step["condition"], names) else "else"
        inner = dict(names)
        self.steps(step[branch], inner)
        names.update(zip(step["results"], self.values(step[branch + "Values"], inner)))

    def do_assert(self, step, names):
        if not self.value(step["condition"], names):
            sys.exit("error: assertion failed: " + step["message"])

    def do_print(self, step, names):
        # Two braces are a pair within another pair, not an escape.
        first, *rest = step["format"].split("{}")
        values = map(show, self.values(step["values"], names), step["types"])
        print(first + "".join(value + text for value, text in zip(values, rest)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("code", help="PTX, or machine code of --obs-to-cubin")
    parser.add_argument("contract", help="the launch contract")
    parser.add_argument("count", nargs="?", type=int, default=1000003, help="how many numbers to sort")
    parser.add_argument("--function", default="main", help="which function of the program")
    parser.add_argument("--dry-run", action="store_true", help="print the steps")
    options = parser.parse_args()
    with open(options.contract, encoding="utf-8") as file:
        contract = json.load(file)
    device = DryRun() if options.dry_run else Driver(options.code)
    plan = Plan(contract, options.function, device)
    shapes = [(p["kind"], p["elementType"]) for kind in ("parameters", "results") for p in plan.function[kind]]
    if shapes != [("array", "i32")] * 2:
        raise Unsupported("this script knows what to give to functions that sort numbers, and to no other")
    state, numbers = 1, array.array("i", bytes(4 * options.count))
    for i in range(options.count):
        state = (state * 1664525 + 1013904223) % 2**32
        numbers[i] = state - 2**31
    given = Array(Memory(device, 4 * options.count), "i32", 4, [options.count])
    given.write(0, numbers.tobytes())
    result, = plan.run(given)
    found = array.array("i", result.read(result.begin(), result.bytes()))
    given.memory.free()
    result.memory.free()
    if options.dry_run:
        print(f"{plan.launches} launches")
        return 0
    good = found.tolist() == sorted(numbers)
    print("%d numbers, %d launches, %s" % (len(found), plan.launches, "sorted" if good else "wrong"))
    return 0 if good else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Unsupported as problem:
        print(f"unsupported: {problem}", file=sys.stderr)
        sys.exit(77)

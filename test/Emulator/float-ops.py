"""Runs float-ops.mlir on both executors and compares it with exact arithmetic.

usage: float-ops.py OBS-RUN PROGRAM.mlir"""
import array
import math
import os
import random
import subprocess
import sys
import tempfile
from fractions import Fraction

# Bits of exponent and of fraction.
FORMATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}
NAN = "nan"
INFINITY = Fraction(2) ** 5000


def decode(bits, type):
    """The value, INFINITY or -INFINITY, or NAN; and whether its sign is minus."""
    exponent_bits, fraction_bits = FORMATS[type]
    minus = bits >> (exponent_bits + fraction_bits) & 1
    exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1)
    fraction = bits & ((1 << fraction_bits) - 1)
    if exponent == (1 << exponent_bits) - 1:
        if fraction:
            return NAN, minus
        value = INFINITY
    else:
        if exponent:
            fraction |= 1 << fraction_bits
        bias = (1 << (exponent_bits - 1)) - 1
        value = fraction * Fraction(2) ** (max(exponent, 1) - bias - fraction_bits)
    return (-value if minus else value), minus


def encode(value, minus, type):
    """The bits next to `value`, ties to even. `minus` is the sign of a zero."""
    exponent_bits, fraction_bits = FORMATS[type]
    minus = value < 0 or (value == 0 and minus)
    sign = minus << (exponent_bits + fraction_bits)
    value = abs(value)
    infinity = ((1 << exponent_bits) - 1) << fraction_bits
    if value == INFINITY:
        return sign | infinity
    least = 2 - (1 << (exponent_bits - 1))
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if value < Fraction(2) ** exponent:
        exponent -= 1
    exponent = max(exponent, least) if value else least
    # round() of a fraction is to even.
    units = round(value / Fraction(2) ** (exponent - fraction_bits))
    return sign | min(units + ((exponent - least) << fraction_bits), infinity)


def fma(a, b, c, type):
    (a, minus_a), (b, minus_b), (c, minus_c) = (decode(bits, type) for bits in (a, b, c))
    if NAN in (a, b, c):
        return NAN
    infinite = [abs(x) == INFINITY for x in (a, b, c)]
    minus = minus_a ^ minus_b
    if infinite[0] or infinite[1]:
        if a == 0 or b == 0 or (infinite[2] and minus != minus_c):
            return NAN
        return encode(-INFINITY if minus else INFINITY, minus, type)
    if infinite[2]:
        return encode(c, minus_c, type)
    return encode(a * b + c, minus and minus_c, type)


def rsqrt(bits, type):
    value, minus = decode(bits, type)
    if value == NAN or value < 0:
        return NAN
    if value == 0:
        return encode(-INFINITY if minus else INFINITY, minus, type)
    if value == INFINITY:
        return encode(Fraction(0), 0, type)
    # 64 bits of the root, the last of which is set if any after it is.
    scale = 4 ** (64 + abs(value.numerator.bit_length() - value.denominator.bit_length()))
    root = math.isqrt(math.floor(value * scale))
    root |= root * root != value * scale
    root, _ = decode(encode(Fraction(root, math.isqrt(scale)), 0, "f32"), "f32")
    inverse, _ = decode(encode(1 / root, 0, "f32"), "f32")
    return encode(inverse, 0, type)


def convert(bits, source, type):
    value, minus = decode(bits, source)
    return NAN if value == NAN else encode(value, minus, type)


def signed(bits, width):
    return bits - (1 << width) if bits >> (width - 1) else bits


def classes(bits, type):
    value, _ = decode(bits, type)
    if value == NAN:
        return 8
    if abs(value) == INFINITY:
        return 1
    least = Fraction(2) ** (2 - (1 << (FORMATS[type][0] - 1)))
    return 4 | 2 * (abs(value) >= least)


RESULTS = [
    ("fma f16", "f16", lambda a, b, c, w, l: fma(a, b, c, "f16")),
    ("fma bf16", "bf16", lambda a, b, c, w, l: fma(a, b, c, "bf16")),
    ("rsqrt f16", "f16", lambda a, b, c, w, l: rsqrt(a, "f16")),
    ("rsqrt bf16", "bf16", lambda a, b, c, w, l: rsqrt(a, "bf16")),
    ("sitofp i32", "bf16", lambda a, b, c, w, l: encode(Fraction(signed(w, 32)), 0, "bf16")),
    ("uitofp i32", "bf16", lambda a, b, c, w, l: encode(Fraction(w), 0, "bf16")),
    ("sitofp i64", "bf16", lambda a, b, c, w, l: encode(Fraction(signed(l, 64)), 0, "bf16")),
    ("uitofp i64", "bf16", lambda a, b, c, w, l: encode(Fraction(l), 0, "bf16")),
    ("truncf f16", "f16", lambda a, b, c, w, l: convert(l, "f64", "f16")),
    ("truncf bf16", "bf16", lambda a, b, c, w, l: convert(l, "f64", "bf16")),
    ("classes f16", None, lambda a, b, c, w, l: classes(a, "f16")),
    ("classes bf16", None, lambda a, b, c, w, l: classes(a, "bf16")),
    ("classes f32", None, lambda a, b, c, w, l: classes(w, "f32")),
    ("classes f64", None, lambda a, b, c, w, l: classes(l, "f64")),
]


def some_half(rng, type):
    exponent_bits, fraction_bits = FORMATS[type]
    special = [0, 1, (1 << fraction_bits) - 1, 1 << fraction_bits]
    special += [((1 << exponent_bits) - 1 << fraction_bits) + d for d in (-1, 0, 1)]
    if rng.random() < 0.1:
        return rng.choice(special) | rng.getrandbits(1) << 15
    return rng.getrandbits(16)


def some_factors(rng):
    """Three bf16: a product halfway between two of them, and less than any bit
    of f32 there."""
    while True:
        a, b = (rng.randrange(128, 256) for _ in range(2))
        product = a * b
        unit = 1 << (product.bit_length() - 8)
        if product % unit == unit // 2:
            break
    scale = Fraction(2) ** rng.randrange(-20, 20)
    tiny = product * scale ** 2 / 2 ** rng.randrange(25, 60)
    return [encode(x * rng.choice((1, -1)), 0, "bf16") for x in (a * scale, b * scale, tiny)]


def some_integer(rng, width):
    """Random bits, or what is at or next to halfway between two bf16."""
    if rng.random() < 0.3:
        return rng.getrandbits(width)
    shift = rng.randrange(0, width - 10)
    value = (rng.randrange(256, 1024) << shift) + rng.choice((0, 1, -1))
    return rng.choice((value, -value)) % (1 << width)


def some_double(rng):
    """Random bits, or what is at or next to halfway between two f16 or bf16."""
    kind = rng.random()
    if kind < 0.2:
        return rng.getrandbits(64)
    if kind < 0.3:
        return (0x7FF << 52) + rng.choice((-1, 0, 1)) | rng.getrandbits(1) << 63
    type, end = rng.choice((("f16", 0x7B00), ("bf16", 0x7F00)))
    bits = rng.randrange(end)
    middle = (decode(bits, type)[0] + decode(bits + 1, type)[0]) / 2
    return encode(middle, 0, "f64") + rng.choice((0, 1, -1)) | rng.getrandbits(1) << 63


def main():
    obs_run, program = sys.argv[1:]
    rng = random.Random(1)
    rows = []
    for i in range(600):
        a, b, c = some_factors(rng) if i % 3 == 0 else [some_half(rng, ("f16", "bf16")[i % 2]) for _ in range(3)]
        rows.append((a, b, c, some_integer(rng, 32), some_double(rng) if i % 2 else some_integer(rng, 64)))
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        arguments = []
        for name, code, type, column in zip("abcwl", "HHHIQ", ("i16", "i16", "i16", "i32", "i64"), zip(*rows)):
            path = os.path.join(folder, name)
            with open(path, "wb") as file:
                array.array(code, column).tofile(file)
            arguments.append(f"{path}:{type}")
        for device in ("interpret", "emulate"):
            paths = [os.path.join(folder, f"{device}{i}") for i in range(len(RESULTS))]
            subprocess.run([obs_run, program, f"--device={device}"] + arguments + ["--out=" + path for path in paths],
                           check=True)
            for (name, type, oracle), path in zip(RESULTS, paths):
                with open(path, "rb") as file:
                    found = array.array("H", file.read())
                if len(found) != len(rows):
                    sys.exit(f"{device}: {name}: {len(found)} results")
                for row, bits in zip(rows, found):
                    expected = oracle(*row)
                    # NaN has many bits.
                    if bits != expected and not (expected == NAN and decode(bits, type)[0] == NAN):
                        wrong += 1
                        print(f"{device}: {name} of {[hex(x) for x in row]}: {bits:#x}, not",
                              NAN if expected == NAN else hex(expected))
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()

"""Compares a program of this folder with an independent oracle.

usage: check.py OBS-RUN PROGRAM ENTRY ORACLE [SIZE ...]

For every SIZE, ORACLE makes the arguments of the function and the results that
it must give. Interpreter and emulator must give them, the emulator on several
numbers of threads and blocks, in order and in random order, with all of its
checks."""
import array
import os
import random
import struct
import subprocess
import sys
import tempfile


def ints(values, code="i"):
    """A 1-D array of 32-bit (code i) or 64-bit (q, Q) integers."""
    return array.array(code, values)


TYPES = {"i": "i32", "q": "i64", "Q": "i64", "f": "f32"}

# --- oracles: size, random numbers -> arguments, results ---------------------


def chunked(make):
    """Chunks of `size` = 2^k elements from `make`, each to be sorted: three small
    ones, or a large one."""
    def oracle(size, rng):
        chunks = [make(size, rng) for _ in range(3 if size < 256 else 1)]
        k = size.bit_length() - 1
        return ([k, ints(x for c in chunks for x in c)],
                [ints(x for c in chunks for x in sorted(c))])
    return oracle


def numbers(size, rng):
    # Few different values, so that there are equal ones.
    return [rng.randint(-size, size) for _ in range(size)]


def bitonic(size, rng):
    values, cut, turn = numbers(size, rng), rng.randrange(size), rng.randrange(size)
    wave = sorted(values[:cut]) + sorted(values[cut:], reverse=True)
    return wave[turn:] + wave[:turn]


def halves(size, rng):
    values = numbers(size, rng)
    return sorted(values[:size // 2]) + sorted(values[size // 2:])


def interleaved(size, rng):
    values = halves(size, rng)
    return [values[i // 2 + (i % 2) * (size // 2)] for i in range(size)]


def zero_one(size, rng):
    """All 2^size inputs of zeros and ones, 64 of them in the bits of a word."""
    count = 1 << size
    words = max(1, count // 64)
    lanes = min(64, count)

    def word(bit):
        return [sum(bit(64 * w + l) << l for l in range(lanes)) for w in range(words)]
    inputs = [word(lambda v: v >> i & 1) for i in range(size)]
    sums = [bin(v).count("1") for v in range(count)]
    outputs = [word(lambda v: int(sums[v] >= size - i)) for i in range(size)]
    return ([size.bit_length() - 1, ints((inputs[i][w] for w in range(words) for i in range(size)), "Q")],
            [ints((outputs[i][w] for w in range(words) for i in range(size)), "Q")])


def sort16(size, rng):
    values = numbers(size, rng)
    return ([ints(values)],
            [ints(x for i in range(0, size, 16) for x in sorted(values[i:i + 16]))])


def sort_any(size, rng):
    values = numbers(size, rng)
    return [ints(values)], [ints(sorted(values))]


def tau(size, rng):
    """tau n on 2^(n+1) elements: reverse the upper half, then tau n-1 on both."""
    def permute(x):
        if len(x) <= 2:
            return x
        h = len(x) // 2
        return permute(x[:h]) + permute(x[h:][::-1])
    values = numbers(size, rng)
    return [ints(values)], [ints(permute(values))]


def wrap(x):
    return (x + 2**31) % 2**32 - 2**31


def affine(f, g):
    """g after f, as a pair (factor, summand) modulo 2^32: does not commute."""
    return wrap(f[0] * g[0]), wrap(f[1] * g[0] + g[1])


def scan(chunk):
    """Inclusive scan of chunks of functions x -> a x + b under composition."""
    def oracle(size, rng):
        pairs = [(rng.randint(-9, 9), rng.randint(-99, 99)) for _ in range(size)]
        out = []
        for start in range(0, size, chunk or max(1, size)):
            acc = (1, 0)
            for p in pairs[start:start + chunk if chunk else size]:
                acc = affine(acc, p)
                out.append(acc)
        return ([ints(p[0] for p in pairs), ints(p[1] for p in pairs)],
                [ints(p[0] for p in out), ints(p[1] for p in out)])
    return oracle


def sums(chunk):
    def oracle(size, rng):
        values = numbers(size, rng)
        return [ints(values)], [ints(sum(values[i:i + chunk]) for i in range(0, size, chunk))]
    return oracle


def distance(size, rng):
    """Edit distance of two strings over three letters."""
    a = [rng.randint(0, 2) for _ in range(size)]
    b = [rng.randint(0, 2) for _ in range(rng.randint(0, size))]
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (x != y))
    return [ints(a), ints(b)], [ints([row[-1]])]


def scan8(size, rng):
    """Sums of each run of 8 up to each element."""
    values = numbers(8 * size, rng)
    return ([ints(values)],
            [ints(sum(values[i - i % 8:i + 1]) for i in range(8 * size))])


def collatz(size, rng):
    """Steps of the 3n+1 problem until 1, at most 50, and where they end."""
    values = [rng.randint(1, 1000) for _ in range(size)]
    counts, ends = [], []
    for x in values:
        n = 0
        while x != 1 and n < 50:
            x, n = (x // 2 if x % 2 == 0 else 3 * x + 1), n + 1
        counts.append(n)
        ends.append(x)
    return [ints(values)], [ints(counts), ints(ends)]


def logistic(size, rng):
    """Ten times x -> x x + 1 modulo 2^32."""
    values, out = numbers(size, rng), []
    for x in values:
        for _ in range(10):
            x = wrap(x * x + 1)
        out.append(x)
    return [ints(values)], [ints(out)]


def mandelbrot(size, rng):
    """A plate of size x size; every operation rounds to 32 bits."""
    def f32(x):
        return struct.unpack("f", struct.pack("f", x))[0]
    dx, dy = (f32(f32(x) / max(1, size)) for x in (3.2, 2.4))
    plate = []
    for row in range(size):
        for column in range(size):
            cx = f32(-2.0 + f32(column * dx))
            cy = f32(f32(1.2) - f32(row * dy))
            x = y = xx = yy = 0.0
            count = 1
            while f32(xx + yy) < 4.0 and count < 512:
                xy = f32(x * y)
                x, y = f32(f32(xx - yy) + cx), f32(f32(xy + xy) + cy)
                xx, yy, count = f32(x * x), f32(y * y), count + 1
            plate.append(count % 16 * 16)
    return [size], [ints(plate, "B")]


ORACLES = {
    "sort": chunked(numbers), "bitonic": chunked(bitonic), "halves": chunked(halves),
    "interleaved": chunked(interleaved), "zero-one": zero_one, "sort-any": sort_any, "sort16": sort16,
    "tau": tau, "scan": scan(0), "scan256": scan(256), "sums512": sums(512),
    "edit-distance": distance, "scan8": scan8, "collatz": collatz, "logistic": logistic,
    "mandelbrot": mandelbrot,
}

# --- runs --------------------------------------------------------------------

EMULATED = [[], ["--threads=1", "--blocks=2"], ["--threads=32", "--schedule=random", "--seed=3"],
            ["--threads=17", "--blocks=2"], ["--threads=128", "--schedule=random", "--seed=9"]]


def run(tool, program, entry, arguments, results, options, folder):
    """Runs `entry` once; says how it differs from `results`, or None."""
    command = [tool, program, "--entry=" + entry] + options
    for n, a in enumerate(arguments):
        if isinstance(a, array.array):
            path = os.path.join(folder, f"in{n}")
            with open(path, "wb") as f:
                a.tofile(f)
            a = path + ":" + TYPES[a.typecode]
        command.append(str(a))
    outs = [os.path.join(folder, f"out{n}") for n in range(len(results))]
    done = subprocess.run(command + ["--out=" + o for o in outs], check=False, capture_output=True, text=True)
    if done.returncode:
        return f"exit status {done.returncode}\n{done.stderr}"
    for n, (path, want) in enumerate(zip(outs, results)):
        with open(path, "rb") as f:
            data = f.read()
        if data != want.tobytes():
            got = ints([], want.typecode)
            got.frombytes(data)
            where = next((i for i, (g, w) in enumerate(zip(got, want)) if g != w),
                         min(len(got), len(want)))
            return f"result {n} differs from element {where}: {list(got[where:where + 4])}, not {list(want[where:where + 4])}"
    return None


def main(tool, program, entry, oracle, *sizes):
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, size in enumerate(map(int, sizes)):
            arguments, results = ORACLES[oracle](size, random.Random(size))
            runs = [["--device=interpret"]]
            # Two launches for each size, others for the next.
            for k in (0, 1):
                launch = EMULATED[(2 * number + k) % len(EMULATED)]
                runs.append(["--device=emulate", "--check"] + launch)
            for options in runs:
                problem = run(tool, program, entry, arguments, results, options, folder)
                if problem:
                    failed += 1
                    print(f"{entry}, size {size}, {' '.join(options)}: {problem}")
    return 1 if failed or not sizes else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

"""Runs functions of a program on iotas of some lengths, interpreted and emulated:

  compare.py OBS_RUN PROGRAM FUNCTION,... LENGTH... [--with NUMBER...]

with each NUMBER as second argument. Fails if the two differ, or differ from the results that the
function names here."""

import itertools
import math
import subprocess
import sys


def rotate(a, by):
    by %= len(a)
    return a[by:] + a[:by]


def chunks(a):
    twice = [2 * x for x in a] + [0] * (-len(a) % 64)
    return [x for i in range(0, len(twice), 64) for x in reversed(twice[i:i + 64])][:len(a)]


def exchange(a, mask):
    return [2 * a[i ^ mask if i ^ mask < len(a) else i] for i in range(len(a))]


def fibonacci(turns):
    x, y = 1, 1
    for _ in range(turns):
        x, y = x + y, x
    return x


def mirrored(x, y):
    return [p + q for p, q in zip(x, reversed(y))]


def leapfrog(a, turns, b=None):
    x, y = a, b or a
    for _ in range(turns):
        x, y = mirrored(x, y), x
    return x, y


def inner(a, turns):
    x, y = a, a
    for i in range(turns):
        x, y = leapfrog(x, i, y)
        x, y = (y, x) if i % 3 == 1 else (mirrored(x, y), x)
    return x


def cut(a, turns):
    for _ in range(turns):
        length = 8 if len(a) < 3 else min(len(a) - 3, 8)
        a = [a[k % len(a)] for k in range(length)]
    return a


def kept(a, turns):
    for i in range(turns):
        s = a
        for _ in range(i):
            s = mirrored(s, s)
        a = mirrored(s, a)
    return a


def mix(x, y, n):
    return [wrap(x[i % len(x)] + y[-1 - i % len(y)]) for i in range(n)]


def wrap(x):
    return (x + 2**31) % 2**32 - 2**31


def repeat(x, turns, turn):
    for i in range(turns):
        x = turn(x, i, len(x))
    return x


def past_for(x, i, n):
    s = repeat(x, i, lambda s, *_: mix(s, s, n))
    return mix(mix(s, x, n), s, n)


def past_while(x, i, n):
    s = mix(x, x, n) if i % 2 else x
    f = mix(x, x, n)
    return mix(mix(f, f, n), s, n)


def past_if(x, i, n):
    s = mix(mix(x, x, n), x, n) if i % 2 else x
    return mix(mix(x, x, n), s, n)


def carried_twice(x, turns):
    n = len(x)
    y = mix(x, x, n)
    for _ in range(turns):
        x = y = mix(y, mix(mix(x, y, n), x, n), n)
    return x


def swapped(x, turns):
    n = len(x)
    y = mix(x, x, n)
    for i in range(turns):
        s, t = (y, x) if i % 2 else (x, y)
        x, y = mix(s, x, n), t
    return x


def parts(a, turns):
    n, x, y = len(a), a, a
    m = (n + 1) // 2
    for i in range(turns):
        f = mix(x, y, n)
        x, y = f[n - m:], f[:m]
        for _ in range(i):
            x = mix(x, y, n)[n - m:]
    return x


EXPECTED = {
    "maps": lambda a, turns=3: [x << turns for x in a],
    "own_maps": lambda a, turns: [x << turns for x in rotate(a, 1)],
    "turns": lambda a, turns=2: rotate(a, turns),
    "own_turns": lambda a, turns: rotate([2 * x for x in a], turns),
    "nested": lambda a, turns: rotate(a, turns + sum(i // 2 for i in range(turns))),
    "shrink": lambda a, turns: a[turns:],
    "chunks": chunks,
    "reversed": chunks,
    "onto": lambda a: [7] + [2 * x for x in a[1:]],
    "some": lambda a: [2 * x for x in a],
    "neighbours": lambda a: exchange(a, 1),
    "too_early": lambda a: exchange(a, 1),
    "partners": lambda a, k: exchange(a, 1 << k),
    "swap": lambda a: exchange(a, 1),
    "history": lambda a, turns: [fibonacci(turns) * x for x in a],
    "fibonacci": lambda a, turns: [fibonacci(turns) * x for x in a],
    "leapfrog": lambda a, turns: leapfrog(a, turns)[0],
    "inner": inner,
    "halves": lambda a: [sum(a)],
    "pascal": lambda a, turns: [math.comb(turns, k) for k in range(turns + 1)],
    "doubled": lambda a, turns: a * 2 ** turns,
    "kept": kept,
    "diagonals": lambda a, n: [a[0] + 2 * n - 1],
    "cut": cut,
    "past_for": lambda a, turns: repeat(a, turns, past_for),
    "past_while": lambda a, turns: repeat(a, turns, past_while),
    "past_if": lambda a, turns: repeat(a, turns, past_if),
    "carried_twice": carried_twice,
    "swapped": swapped,
    "parts": parts,
    "exchanged": lambda a, turns: mirrored([2 * x for x in a] if turns in (1, 3) else a, a),
}


def run(command):
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, universal_newlines=True)
    if done.returncode != 0:
        sys.exit("failed: " + " ".join(command))
    return done.stdout


def main():
    words = sys.argv[1:]
    numbers = [[]]
    if "--with" in words:
        at = words.index("--with")
        numbers = [[number] for number in words[at + 1:]]
        words = words[:at]
    obs_run, program, functions = words[:3]
    for function, length, more in itertools.product(functions.split(","), words[3:], numbers):
        command = [obs_run, program, "--entry=" + function, f"iota:{length}xi32"] + more
        want = run(command + ["--device=interpret"])
        # To find reads of memory that nobody has written, no two arrays share memory.
        for check in "--check=races", "--check=all":
            got = run(command + ["--device=emulate", check, "--schedule=random", "--seed=5"])
            if want != got:
                sys.exit("{} {}: {} emulated, {} interpreted".format(" ".join(command), check, got, want))
        if function in EXPECTED:
            result = EXPECTED[function](list(range(int(length))), *map(int, more))
            first = got.split("]")[0].replace("[", "").replace("\n", "")
            if [int(x) for x in first.split(",") if x.strip()] != result:
                sys.exit("{}: {}, not {}".format(" ".join(command), got, result))


main()

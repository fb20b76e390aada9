"""Runs functions of a program on iotas of some lengths, interpreted and emulated:

  compare.py OBS_RUN PROGRAM FUNCTION,... LENGTH... [--with NUMBER...]

with each NUMBER as second argument. Fails where the two differ, or differ from what the
function says of itself here."""

import itertools
import subprocess
import sys

EXPECTED = {
    "maps": lambda a, turns=3: [x << turns for x in a],
    "own_maps": lambda a, turns: [x << turns for x in rotate(a, 1)],
    "turns": lambda a, turns=2: rotate(a, turns),
    "own_turns": lambda a, turns: rotate([2 * x for x in a], turns),
    "nested": lambda a, turns: rotate(a, turns + sum(i // 2 for i in range(turns))),
    "shrink": lambda a, turns: a[turns:],
    "chunks": lambda a: chunks(a),
    "reversed": lambda a: chunks(a),
    "onto": lambda a: [7] + [2 * x for x in a[1:]],
    "history": lambda a, turns: [fibonacci(turns) * x for x in a],
}


def rotate(a, by):
    by %= len(a)
    return a[by:] + a[:by]


def chunks(a):
    twice = [2 * x for x in a] + [0] * (-len(a) % 64)
    return [x for i in range(0, len(twice), 64) for x in reversed(twice[i:i + 64])][:len(a)]


def fibonacci(turns):
    x, y = 1, 1
    for _ in range(turns):
        x, y = x + y, x
    return x


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, universal_newlines=True)
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
        command = [obs_run, program, "--entry=" + function, "iota:%sxi32" % length] + more
        want = run(command + ["--device=interpret"])
        got = run(command + ["--device=emulate", "--check", "--schedule=random", "--seed=5"])
        if want != got:
            sys.exit("%s: %s emulated, %s interpreted" % (" ".join(command), got, want))
        if function in EXPECTED:
            result = EXPECTED[function](list(range(int(length))), *map(int, more))
            first = got.split("]")[0].replace("[", "").replace("\n", "")
            if [int(x) for x in first.split(",") if x.strip()] != result:
                sys.exit("%s: %s, not %s" % (" ".join(command), got, result))


main()

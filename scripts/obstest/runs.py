"""Runs obs-run on files of arrays, for the scripts that compare its results with those
of Python."""

import array
import concurrent.futures
import pathlib
import subprocess

CODES = {"i32": "i", "i64": "q", "f32": "f"}


def wrap(x):
    """The number of i32 with the low 32 bits of x."""
    return (x + 2**31) % 2**32 - 2**31


def write(path, values, element="i32"):
    """Stores an array as obs-run takes it."""
    with open(path, "wb") as file:
        array.array(CODES[element], values).tofile(file)


def read(path, element="i32"):
    """The elements of an array that obs-run has stored."""
    return array.array(CODES[element], pathlib.Path(path).read_bytes()).tolist()


def run(command, base, elements):
    """Runs obs-run, with results of these element types in files whose names begin
    with `base`. Returns them and None; or None and what is wrong."""
    outs = [f"{base}.out{k}" for k in range(len(elements))]
    try:
        done = subprocess.run([*command, *(f"--out={out}" for out in outs)], check=False, capture_output=True, text=True,
                              timeout=600)
    except subprocess.TimeoutExpired:
        return None, "timeout"
    if done.returncode:
        return None, done.stderr.strip() or f"exit code {done.returncode}"
    return [read(out, element) for out, element in zip(outs, elements)], None


def difference(got, want):
    """The difference between a result and a list; None if there is none."""
    if len(got) != len(want):
        return f"has {len(got)} elements, not {len(want)}"
    for i, (a, b) in enumerate(zip(got, want)):
        if a != b:
            return f"is {got[i:i + 3]} from element {i} on, not {want[i:i + 3]}"
    return None


def find_failures(command, base, launches, results):
    """Runs a program on each launch. Yields the number of a result that is not as in
    `results`, pairs of an element type and a list, with the launch and what is wrong;
    None for the number if the program fails."""
    for launch in launches:
        found, error = run([*command, *launch], base, [element for element, _ in results])
        if error:
            yield None, launch, error[:600]
            continue
        for number, (got, (_, want)) in enumerate(zip(found, results)):
            problem = difference(got, want)
            if problem:
                yield number, launch, problem


def in_groups(test, things, size, jobs):
    """The results of `test` for all items, in order; runs that many at a time."""
    groups = [things[i:i + size] for i in range(0, len(things), size)]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(test, groups)


def add_launch_arguments(parser, extents):
    """The arguments of scripts that run a program for several extents and launches."""
    parser.add_argument("--obs-run", required=True)
    parser.add_argument("--extents", nargs="+", type=int, default=extents)
    parser.add_argument("--device", nargs="+", default=["interpret", "emulate"])
    parser.add_argument("--launches", nargs="+", default=["17:1", "32:2", "128:3", "1024:64"],
                        help="threads and blocks")
    parser.add_argument("--option", action="append", default=[],
                        help="passed on to obs-run for other devices than the interpreter")


def launches_of(arguments):
    """The options of each run. The interpreter has no launches."""
    for device in arguments.device:
        if device == "interpret":
            yield ["--device=interpret"]
            continue
        for launch in arguments.launches:
            threads, blocks = launch.split(":")
            yield ["--device=" + device, f"--threads={threads}", f"--blocks={blocks}", *arguments.option]

"""Runs the properties on random programs and inputs.

In: properties and seeds. Out: each case whose results on the interpreter or the emulator are not those of
Python, with its launch.
"""

import argparse
import os
import pathlib
import random
import tempfile

from obstest import runs
from obstest.properties import PROPERTIES, Module

THREADS = [1, 17, 32, 96, 128, 1024]
GROUP = 9  # cases of one module: one process runs them all


# --- running ------------------------------------------------------------------


def launches_of(cases, options):
    """Interpreter and emulator; with --sweep many launches of the emulator."""
    rng = random.Random(str(cases))
    emulate = ["--device=emulate", "--check"]
    yield ["--device=interpret"]
    if options.sweep:
        for threads in (1, 17, 32, 96, 128, 160, 512, 1024):
            for blocks in (1, 2, 3, 7, 400):
                yield emulate + [f"--threads={threads}", f"--blocks={blocks}"]
        return
    for k in range(2):
        order = ["--schedule=random", f"--seed={rng.randrange(1000)}"] if k else []
        yield emulate + [f"--threads={rng.choice(THREADS)}", f"--blocks={rng.choice([1, 2, 3, 7, 400])}"] + order
    if options.cuda:
        yield ["--device=cuda", f"--threads={rng.choice(THREADS)}"]


def build(cases, options):
    m = Module(options.large)
    for case in cases:
        m.owner = case
        PROPERTIES[case[0]](m, random.Random(f"{case[0]} {case[1]}"))
    return m


def run_group(cases, options, folder):
    """Runs the cases, pairs of property and seed, in one module; returns failures."""
    try:
        m = build(cases, options)
    except AssertionError as error:
        if len(cases) > 1:
            return [f for case in cases for f in run_group([case], options, folder)]
        return [(cases[0], [], f"the property cannot fail: {error}")]
    base = os.path.join(folder, f"{cases[0][0]}.{cases[0][1]}.{len(cases)}")
    pathlib.Path(base + ".mlir").write_text(m.text())
    words = []
    for k, (_, _, element, values) in enumerate(m.arguments):
        runs.write(f"{base}.in{k}", values, element)
        words.append(f"{base}.in{k}:{element}")
    command = [options.obs_run, base + ".mlir", *words]
    results = [(element, want) for _, _, element, want, _, _ in m.results]
    failures = []
    for number, launch, why in runs.find_failures(command, base, launches_of(cases, options), results):
        if number is not None:
            _, _, _, _, label, owner = m.results[number]
            failures.append((owner, launch, f"{label} {why}"))
        elif len(cases) > 1:
            # Runs of one case each find the case that fails.
            return [f for case in cases for f in run_group([case], options, folder)]
        else:
            failures.append((cases[0], launch, why))
    for file in pathlib.Path(folder).glob(os.path.basename(base) + ".*"):
        file.unlink()
    return failures


def main(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--obs-run", default="obs-run")
    parser.add_argument("--programs", type=int, default=200, help="the number of cases")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--cuda", action="store_true", help="run on the GPU, too")
    parser.add_argument("--large", action="store_true", help="larger inputs")
    parser.add_argument("--sweep", action="store_true", help="many launches of each program")
    parser.add_argument("--only", default="", help="part of the name of the properties to test")
    parser.add_argument("--print", action="store_true", help="print the programs of the seed and stop")
    options = parser.parse_args()
    names = [name for name in PROPERTIES if options.only in name]
    if not names:
        parser.error(f"no property has '{options.only}' in its name")
    if options.print:
        for name in names:
            print(f"// {name}\n" + build([(name, options.seed)], options).text())
        return 0
    cases = [(names[k % len(names)], options.seed + k // len(names)) for k in range(options.programs)]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for found in runs.in_groups(lambda g: run_group(g, options, folder), cases, GROUP, options.jobs):
            failures += found
    for (name, seed), launch, why in failures[:20]:
        print(f"{name}, seed {seed}, {' '.join(launch)}: {why}")
    print(f"{len(set(name for name, _ in cases))} properties, {len(cases)} programs "
          f"from seed {options.seed}: {len(failures)} failures")
    return 1 if failures else 0

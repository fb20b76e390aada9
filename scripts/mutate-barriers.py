#!/usr/bin/env python3
"""Shows that every barrier is needed: without it, the emulator finds a race.

  scripts/mutate-barriers.py --obs-opt build/bin/obs-opt --obs-run build/bin/obs-run [NAME...]

Takes the goldens and examples with the inputs of their RUN lines and of the lines
on how to run them, lowers each to kernels that one block runs, and runs it with all checks: nothing
may be reported. Then, one at a time, deletes each barrier, and lets each barrier
of a block wait for its warp only, where the block has several warps: each of these
must be reported on one of the inputs. Ends with the numbers; exits with 1 if a
change goes unnoticed.
"""

import argparse
import concurrent.futures
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BARRIER = re.compile(r"^\s*(gpu\.barrier|nvvm\.bar\.warp\.sync)\b")


def collect(names):
    """For each file and entry the lists of arguments that it is run with."""
    found = {}
    for path in sorted((ROOT / "test/Golden").glob("*.mlir")):
        for line in path.read_text().splitlines():
            match = re.match(r"// RUN: obs-run %s (.*--device=emulate[^|>]*)", line)
            if match and not re.search("%[tS]|--schedule|--threads|--blocks|--report", line):
                add(found, path, shlex.split(match[1]))
    for path in sorted((ROOT / "examples").glob("*.mlir")):
        for line in path.read_text().splitlines():
            match = re.match(r"// .*obs-run examples/\S+ (.*)", line)
            if match:
                words = shlex.split(match[1])
                add(found, path, words)
                # Enough for a block to take several chunks.
                add(found, path, [re.sub(r"^iota:(\d+)x", lambda m: f"iota:{9 * int(m[1]) + 1}x", w)
                                  for w in words])
    return {key: value for key, value in found.items()
            if not names or any(name in str(key[0]) for name in names)}


def add(found, path, words):
    entry = next((w[8:] for w in words if w.startswith("--entry=")), "main")
    inputs = [w for w in words if not w.startswith("--")]
    lists = found.setdefault((path, entry), [])
    if inputs not in lists:
        lists.append(inputs)


def find_barriers(text, entry):
    """Line numbers of barriers in the kernels that `entry` launches, and whether
    the block has several warps."""
    lines = text.splitlines()
    functions = {}
    current = None
    for number, line in enumerate(lines):
        match = re.match(r"\s*(?:gpu\.func|func\.func) @(\w+)", line)
        if match:
            current = functions.setdefault(match[1], {"lines": [], "head": line})
        if current is not None:
            current["lines"].append(number)
    launched = {name for number in functions.get(entry, {"lines": []})["lines"]
                for name in re.findall(r"gpu\.launch_func\s+@\w+::@(\w+)", lines[number])}
    barriers = []
    for name in sorted(launched):
        size = re.search(r"known_block_size = array<i32: (\d+)", functions[name]["head"])
        several = size is not None and int(size[1]) > 32
        barriers += [(number, several) for number in functions[name]["lines"] if BARRIER.match(lines[number])]
    return barriers


def run(obs_run, file, entry, inputs):
    done = subprocess.run([obs_run, file, f"--entry={entry}", "--device=emulate", "--check", *inputs],
                          capture_output=True, text=True, timeout=300)
    return done.returncode, done.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--obs-opt", default="obs-opt")
    parser.add_argument("--obs-run", default="obs-run")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("names", nargs="*", help="parts of file names; all programs without any")
    options = parser.parse_args()
    mutants = reported = noisy = programs = 0
    missed = []
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:

        def attempt(job):
            index, text, entry, lists, what = job
            file = f"{folder}/{index}.mlir"
            pathlib.Path(file).write_text(text)
            for inputs in lists:
                code, error = run(options.obs_run, file, entry, inputs)
                if code != 0:
                    return what, error
            return what, None

        jobs = []
        for (path, entry), lists in collect(options.names).items():
            lowered = subprocess.run([options.obs_opt, "--obs-to-gpu=blocks=1", "--mlir-print-debuginfo", str(path)],
                                     capture_output=True, text=True)
            if lowered.returncode != 0:
                sys.exit(f"{path}: {lowered.stderr}")
            barriers = find_barriers(lowered.stdout, entry)
            if not barriers:
                continue
            programs += 1
            place = f"{path.relative_to(ROOT)}, {entry}"
            jobs.append((len(jobs), lowered.stdout, entry, lists, (place, "unchanged")))
            lines = lowered.stdout.splitlines()
            for number, several in barriers:
                without = lines[:number] + lines[number + 1:]
                jobs.append((len(jobs), "\n".join(without), entry, lists, (place, f"line {number + 1} deleted")))
                if "gpu.barrier" in lines[number] and several:
                    weak = ["%mutant = arith.constant -1 : i32", "nvvm.bar.warp.sync %mutant : i32"]
                    weakened = lines[:number] + weak + lines[number + 1:]
                    jobs.append((len(jobs), "\n".join(weakened), entry, lists,
                                 (place, f"line {number + 1} weakened")))
        for (place, change), error in pool.map(attempt, jobs):
            if change == "unchanged":
                if error:
                    noisy += 1
                    missed.append(f"{place}: reported although unchanged: {error[:300]}")
                continue
            mutants += 1
            if error and "race" in error:
                reported += 1
            else:
                missed.append(f"{place}: {change}: {'not reported' if not error else error[:200]}")
    for line in missed:
        print(line)
    print(f"{programs} programs, {mutants} mutants, {reported} reported by the emulator, {noisy} false alarms")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

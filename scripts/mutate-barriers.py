#!/usr/bin/env python3
"""Shows that barriers are needed: without one of them, the emulator finds a race.

  scripts/mutate-barriers.py --obs-opt build/bin/obs-opt --obs-run build/bin/obs-run [NAME...]

Takes the goldens and examples with the inputs of their RUN lines and of the lines
on how to run them, and lowers each for several launches: as it says, and for 32,
96 and 128 threads, on one block and on two. Each must run with all checks and
nothing reported. Then, one at a time, deletes each barrier, and lets each barrier
of a block wait for its warp only, where the block has several warps: the emulator
must report a race in that kernel with one of the inputs; or a read of memory that
is not written yet; or an index out of bounds that came from such a read. Prints the changes that
nothing noticed, and the numbers. Kernels with barriers that are known not to be
needed are in test/Golden/Inputs/unneeded-barriers.txt with their number. Exits
with 1 if a program as it is was reported, or if there are more of them; with
--least if fewer changes are noticed.
"""

import argparse
import array
import concurrent.futures
import importlib.util
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BARRIER = re.compile(r"^\s*(gpu\.barrier|nvvm\.bar\.warp\.sync)\b")
FUNCTION = re.compile(r"(\s*)(gpu|func)\.func (?:private )?@(\w+)")
# What a missing barrier is reported as.
REPORT = re.compile(r"^\S+: error: (race|uninit|out-of-bounds): ")
UNNEEDED = ROOT / "test/Golden/Inputs/unneeded-barriers.txt"
# Threads and blocks; 0: as the program says.
LAUNCHES = [(0, 1), (32, 1), (96, 2), (128, 1), (0, 2)]
# More elements than this are not run.
LARGEST = 20000


def load_oracles():
    spec = importlib.util.spec_from_file_location("check", ROOT / "test/Networks/check.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def oracle_inputs(check, oracle, size, base):
    """Writes the arguments that an oracle of test/Networks makes; returns them."""
    words = []
    for k, argument in enumerate(check.ORACLES[oracle](size, random.Random(size))[0]):
        if isinstance(argument, array.array):
            path = f"{base}.{oracle}.{size}.{k}"
            with open(path, "wb") as f:
                argument.tofile(f)
            argument = f"{path}:{check.TYPES[argument.typecode]}"
        words.append(str(argument))
    return words


def examples_inputs(folder):
    """More inputs of examples, where one argument must fit another or numbers must be
    small, for blocks that take several parts: pairs of example and arguments."""
    rng = random.Random(1)

    def file(values, kind="i32"):
        path = f"{folder}/example{rng.random()}"
        with open(path, "wb") as f:
            array.array("f" if kind == "f32" else "i", values).tofile(f)
        return f"{path}:{kind}"

    def drawn(n, least, most):
        return [rng.randint(least, most) for _ in range(n)]
    for level in ("warp", "block"):
        lengths = drawn(20, 0, 300)
        total = sum(lengths)
        offsets = [sum(lengths[:k]) for k in range(21)]
        yield "spmv", [f"--entry={level}_per_row", file(offsets), file(drawn(total, 0, 99)),
                       file(drawn(total, -8, 8), "f32"), file(drawn(100, -8, 8), "f32")]
    for entry, bins, more in (("blocks", 300, ["300"]), ("per_warp", 128, []), ("per_block", 128, [])):
        keys, weights = file(drawn(9000, -1, bins)), file(drawn(9000, -9, 9))
        yield "weighted-histogram", [f"--entry={entry}", keys, weights, *more]
    for entry in ("counting", "occurrence"):
        yield "counting-sort", [f"--entry={entry}", file(drawn(9000, 0, 4999)), "5000"]
    for entry in ("encode", "unique", "decode", "filter"):
        values = file(drawn(9000, 0, 2))
        yield "run-length", [f"--entry={entry}", values] + {
            "decode": [file(drawn(9000, 0, 2))], "filter": ["1", "2"]}.get(entry, [])
    for entry, border in (("clamp_tiled3", []), ("mirror_tiled5", []), ("wrap_tiled3", []),
                          ("constant_tiled3", ["7"]), ("function_tiled5", [])):
        yield "convolution", [f"--entry={entry}", "iota:70x70xi32", f"iota:{entry[-1]}x{entry[-1]}xi32", *border]


def collect(names, folder):
    """For each file and entry the lists of arguments that it is run with."""
    found, check, more = {}, load_oracles(), list(examples_inputs(folder))
    for path in sorted((ROOT / "test/Golden").glob("*.mlir")) + sorted((ROOT / "examples").glob("*.mlir")):
        if names and not any(name in str(path) for name in names):
            continue
        base = f"{folder}/{path.stem}"
        for example, words in more:
            if example == path.stem:
                add(found, path, words)
        for line in path.read_text().splitlines():
            line = line.replace("%t", base).replace("%python", sys.executable)
            run = re.match(r"// RUN: (?:%python )?(.*)", line)
            if run and run[1].startswith(sys.executable + " -c") and ".tofile(" in run[1]:
                subprocess.run(shlex.split(run[1]), check=True)
            elif run and "/Networks/check.py obs-run %s" in run[1]:
                entry, oracle, *sizes = shlex.split(run[1])[4:]
                if oracle.startswith(("sums", "scan")):
                    sizes = [int(sizes[0]), 4 * int(sizes[-1])]  # several chunks for each block
                for size in sizes:
                    add(found, path, [f"--entry={entry}"] + oracle_inputs(check, oracle, int(size), base))
            elif run and run[1].startswith("obs-run %s ") and "--device=emulate" in run[1]:
                add(found, path, shlex.split(re.split(r" [|>]| 2>", run[1])[0])[2:])
            elif not run and re.match(r"// .*obs-run examples/\S+ ", line):
                add(found, path, shlex.split(re.sub(r".*obs-run examples/\S+ ", "", line)))
    return found


def elements(word):
    """The number of elements of iota:3x4xi32 and the like; 0 for others."""
    match = re.match(r"(?:iota|zeros|random):((?:\d+x)+)", word)
    count = 1 if match else 0
    for extent in match[1].split("x")[:-1] if match else []:
        count *= int(extent)
    return count


def add(found, path, words):
    entry = next((w[8:] for w in words if w.startswith("--entry=")), "main")
    inputs = [w for w in words if not w.startswith("--")]
    lists = found.setdefault((path, entry), [])
    # Nine times as many, and one: enough for a block to take several chunks.
    more = [re.sub(r"^(iota|random):(\d+)x(?=[a-z])", lambda m: f"{m[1]}:{9 * int(m[2]) + 1}x", w) for w in inputs]
    for words in (inputs, more):
        if words not in lists and sum(map(elements, words)) <= LARGEST:
            lists.append(words)


def functions(lines):
    """For each function its kind, name, and first and last line."""
    found, begin = [], None
    for number, line in enumerate(lines):
        match = FUNCTION.match(line)
        if match and begin is None:
            begin = (match[1], match[2], match[3], number)
        if begin and line.startswith(begin[0] + "}"):
            found.append((*begin[1:], number))
            begin = None
    return found


def isolate(text, entry):
    """The lines of one host function and the kernels that it launches."""
    lines = text.splitlines()
    parts = functions(lines)
    launched = {name for kind, host, begin, end in parts if kind == "func" and host == entry
                for line in lines[begin:end + 1] for name in re.findall(r"gpu\.launch_func\s+@\w+::@(\w+)", line)}
    gone = set()
    for kind, name, begin, end in parts:
        if name != entry if kind == "func" else name not in launched:
            gone.update(range(begin, end + 1))
    return [line for number, line in enumerate(lines) if number not in gone]


def find_changes(lines):
    """What to change: the number of the line, how, the kernel, and the lines then."""
    for kind, kernel, begin, end in functions(lines):
        size = re.search(r"known_block_size = array<i32: (\d+)", lines[begin])
        several = size is not None and int(size[1]) > 32
        for number in range(begin, end + 1) if kind == "gpu" else []:
            if not BARRIER.match(lines[number]):
                continue
            yield number + 1, "deleted", kernel, lines[:number] + lines[number + 1:]
            if "gpu.barrier" in lines[number] and several:
                weak = ["%mutant = arith.constant -1 : i32", "nvvm.bar.warp.sync %mutant : i32"]
                yield number + 1, "weakened", kernel, lines[:number] + weak + lines[number + 1:]


def check_known(missed, kernels):
    """The number of kernels with more barriers that are not needed than listed; and of
    those of `kernels`, of which all barriers were tried, that are listed for nothing."""
    known = {words[0]: int(words[1]) for words in map(str.split, UNNEEDED.read_text().splitlines())
             if words and words[0] != "#"}
    wrong = 0
    for (kernel, where), lines in missed.items():
        if len(lines) > known.get(kernel, 0):
            wrong += 1
            print(f"{where}, {kernel}: {len(lines)} barriers are not needed, {known.get(kernel, 0)} known")
    for kernel in sorted((set(known) & kernels) - {kernel for kernel, _ in missed}):
        wrong += 1
        print(f"{UNNEEDED.name}: all barriers of {kernel} are needed")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--obs-opt", default="obs-opt")
    parser.add_argument("--obs-run", default="obs-run")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--sample", action="store_true", help="one launch of each program, in turn")
    parser.add_argument("--most", type=int, help="so many changes of each launch of a program, and no more")
    parser.add_argument("--least", type=float, help="percentage of the changes to notice, in place of the file")
    parser.add_argument("--summary", help="a file for the last line, too")
    parser.add_argument("names", nargs="*", help="parts of file names; all programs without any")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:

        def run(file, entry, device, inputs):
            done = subprocess.run([options.obs_run, file, f"--entry={entry}", *device, *inputs],
                                  capture_output=True, text=True, timeout=300)
            return done.stderr if done.returncode else None

        def lower(job):
            """The program for one launch, unchanged: its lines, the inputs that it
            takes, and what the emulator reports."""
            (path, entry), lists, (threads, blocks) = job
            done = subprocess.run([options.obs_opt, f"--obs-to-gpu=threads={threads} blocks={blocks}",
                                   "--mlir-print-debuginfo", str(path)], capture_output=True, text=True)
            if done.returncode != 0:
                return job, None, [], done.stderr
            lines = isolate(done.stdout, entry)
            if not any(map(BARRIER.match, lines)):
                return job, None, [], None
            file = f"{folder}/{path.stem}.{entry}.{threads}.{blocks}.mlir"
            pathlib.Path(file).write_text("\n".join(lines))
            good, report = [], None
            for inputs in lists:
                error = run(file, entry, ["--device=emulate", "--check"], inputs)
                if not error:
                    good.append(inputs)
                # Input that the interpreter refuses is no input.
                elif not run(str(path), entry, ["--device=interpret"], inputs):
                    report = error
            return job, lines, good, report

        def attempt(mutant):
            """The label of the report, or why there is none."""
            number, job, lists, _, _, kernel, lines = mutant
            file = f"{folder}/mutant{number}.mlir"
            pathlib.Path(file).write_text("\n".join(lines))
            errors = []
            for inputs in lists:
                error = run(file, job[0][1], ["--device=emulate", "--check"], inputs)
                label = error and REPORT.match(error)
                if label and f"in kernel '{kernel}'" in error:
                    return mutant, label[1], ""
                errors += [error] if error else []
            return mutant, None, errors[0][:200] if errors else "not reported"

        jobs = [(key, lists, launch) for number, (key, lists) in enumerate(collect(options.names, folder).items())
                for launch in (LAUNCHES[number % len(LAUNCHES):][:1] if options.sample else LAUNCHES)]
        mutants, programs, lowered, noisy = [], set(), 0, 0
        place = lambda job: "{}, {}, threads={} blocks={}".format(
            job[0][0].relative_to(ROOT), job[0][1], *job[2])
        for job, lines, good, report in pool.map(lower, jobs):
            if report:
                noisy += 1
                print(f"{place(job)}: reported although unchanged: {report[:300]}")
            if lines and good:
                programs.add(job[0])
                lowered += 1
                changes = list(find_changes(lines))
                step = -(-len(changes) // (options.most or len(changes)))
                mutants += [(job, good, *change) for change in changes[::step]]
        mutants = [(number, *mutant) for number, mutant in enumerate(mutants)]
        reports, missed = [], {}
        for (_, job, _, line, how, kernel, _), label, why in pool.map(attempt, mutants):
            reports.append(label)
            if not label:
                print(f"{place(job)}, {kernel}: line {line} {how}: {why}")
                missed.setdefault((kernel, place(job)), set()).add(line)
    # Of a sample nothing is listed for nothing.
    tried = set() if options.sample or options.most else {mutant[5] for mutant in mutants}
    wrong = check_known(missed, tried) if options.least is None else 0
    percent = 100 - 100 * reports.count(None) / max(1, len(reports))
    if percent < (options.least or 0):
        wrong += 1
    summary = (f"barriers: {len(programs)} programs, {lowered} launches, {len(mutants)} mutants; "
               f"{reports.count('race')} race, {reports.count('uninit') + reports.count('out-of-bounds')} "
               f"read what is not written, {reports.count(None)} unnoticed ({percent:.1f} % found); "
               f"{noisy} false alarms")
    print(summary)
    if options.summary:
        pathlib.Path(options.summary).write_text(summary + "\n")
    return 1 if noisy or wrong or not mutants else 0


if __name__ == "__main__":
    sys.exit(main())

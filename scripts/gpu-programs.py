#!/usr/bin/env python3
"""Runs the programs of examples/ on an NVIDIA GPU in many ways, without LLVM.

  scripts/gpu-programs.py --obs-run build-static/bin/obs-run --out DIR

Needs NumPy; `obs-translate` beside obs-run, a C compiler and cuda.h for the sorts and scans that run
many times in one process; compute-sanitizer. Sections:

  examples    the inputs of test/Examples/check.py, of many lengths, against NumPy
  shapes      the same with other threads and blocks
  graph       the same with --graph, twice in a process
  sorts       many inputs of scripts/check-sorts.py, by the C files of obs-translate; some by obs-run
  large       sorts of 2^28 elements; counting sorts of the largest range
  scans       1000 one-pass scans of 2^24 with an operator that does not commute, and 1000 deterministic
              ones of floats, which must have the same bits
  sanitizer   each function of each example under memcheck (with leaks), racecheck, synccheck, initcheck
  launches    the number of kernels of the large sorter, counting sort and the dot product
  interop     the programs of examples/interop/
  errors      out of memory, launches that are too large, no GPU, violated conditions of programs: one
              clear error, and no leak

Writes DIR/gpu-programs.log with a line for each item. Its last line is `N passed, N failed, N not run`.
Items that have not begun when the budget is spent are not run.
"""

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

from obstest import ROOT, oracles, sorts
from obstest.host_library import Array, Library

EXAMPLES = ROOT / "examples"
check = oracles.examples()

# Functions m x + c one after the other, over floats.
FLOAT_SCAN = (EXAMPLES / "large-scan.mlir").read_text()
for old, new in (("constant 1 :", "constant 1.0 :"), ("constant 0 :", "constant 0.0 :"), ("muli", "mulf"),
                 ("addi", "addf"), ("i32", "f32")):
    FLOAT_SCAN = FLOAT_SCAN.replace(old, new)

# The first array can be had, the second one not.
TWO_ARRAYS = """
func.func @main(%n: index, %m: index) -> !obs.pull<? x i32> {
  %a = obs.generate (%i) [%n] {
    %x = arith.index_cast %i : index to i32
    obs.yield %x : i32
  } : !obs.pull<? x i32>
  %p = obs.push %a : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  %s = obs.force %p : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  %b = obs.generate (%i) [%m] {
    %j = arith.remui %i, %n : index
    %x = obs.get %s[%j] : !obs.pull<? x i32>
    obs.yield %x : i32
  } : !obs.pull<? x i32>
  %q = obs.push %b : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %q : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}
"""

# A kernel with a launch that needs more than any GPU has.
LAUNCH = """
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @nothing() kernel {
      gpu.return
    }
  }
  func.func @main(%%blocks: index) {
    %%c1 = arith.constant 1 : index
    %%shared = arith.constant %d : i32
    gpu.launch_func @kernels::@nothing blocks in (%%blocks, %%c1, %%c1) threads in (%%c1, %%c1, %%c1)
        dynamic_shared_memory_size %%shared
    return
  }
}
"""


def worker_sorts(folder, first, step, count, until):
    """Inputs `first`, `first + step`, ... of check-sorts.py. Prints problems, and how many were done."""
    libraries, done, problems = {}, 0, 0
    for number in range(first, count, step):
        if time.time() > until:
            break
        program, kind, case = sorts.make(number, 1, 8193)
        library = libraries.setdefault(program, None) or Library(pathlib.Path(folder, program + ".so"))
        libraries[program] = library
        expected = case.expected if isinstance(case.expected, tuple) else (case.expected,)
        given = [library.upload(a) if isinstance(a, np.ndarray) else a for a in case.inputs]
        found = library.call(case.entry, given, expected)
        for a in given:
            if isinstance(a, Array):
                library.release(a)
        problem = "; ".join(filter(None, (check.compare(f, e, 0) for f, e in zip(found, expected))))
        done += 1
        if problem:
            problems += 1
            print(f"input {number}, {program} @{case.entry}, {len(case.inputs[0])} elements, {kind}: {problem}")
    print(done, problems)


def worker_scans(folder, name, runs):
    """The scan `name` of 2^24 elements, again and again. Prints what it found."""
    n, runs = 2**24, int(runs)
    random = np.random.default_rng(7)
    library = Library(pathlib.Path(folder, name + ".so"))
    if name == "large-scan":
        m, c = check.integers(random, n), check.integers(random, n)
        x, states = 1, np.empty(n, np.uint32)
        for i, (k, d) in enumerate(zip(m.tolist(), c.tolist())):
            x = (k * x + d) & 0xffffffff
            states[i] = x
        expected = states.view(np.int32)
    else:
        m, c = random.uniform(-1, 1, n).astype(np.float32), random.uniform(-1, 1, n).astype(np.float32)
        expected = np.empty(n, np.float32)
    given = [library.upload(a) for a in (m, c)]
    wrong, first = 0, None
    for number in range(runs):
        found, = library.call("main", given, [expected])
        if name != "large-scan" and first is None:
            # The recurrence itself, in double precision, at the first elements and the last ones.
            first = found.view(np.int32)
            for begin in (0, n - 2000):
                x = 1.0 if begin == 0 else float(found[begin - 1])
                for i in range(begin, begin + 2000):
                    x = float(m[i]) * x + float(c[i])
                    if abs(x - found[i]) > 1e-3:
                        print(f"element {i} is {found[i]}, expected {x}")
                        wrong += 1
                        break
            expected = found
        wrong += not np.array_equal(found.view(np.int32), expected.view(np.int32))
    print(f"{runs} runs of {n} elements, {wrong} wrong")
    return 1 if wrong else 0


class Programs:
    def __init__(self, options, scratch):
        self.options, self.scratch = options, pathlib.Path(scratch)
        self.device = ["--device=" + options.device]
        self.translate = pathlib.Path(options.obs_run).with_name("obs-translate")
        nvcc = shutil.which("nvcc")
        self.cuda = pathlib.Path(nvcc).resolve().parent.parent if nvcc else pathlib.Path("/usr/local/cuda")
        self.deadline = time.time() + options.budget
        self.log, self.counts, self.times = [], {"ok": 0, "FAIL": 0, "not run": 0}, {}

    # Items: name, and a function that returns the problem (or nothing) and a message.

    def in_folder(self, work):
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            return work(pathlib.Path(folder))

    def command(self, words, timeout=150):
        done = subprocess.run(["timeout", "-k", "5", str(timeout)] + [str(w) for w in words], check=False, cwd=ROOT,
                              text=True, errors="replace", capture_output=True,
                              env=None if not isinstance(words, Words) else {**os.environ, **words.environment})
        return done.returncode, done.stdout, done.stderr

    def cases(self, options, every=1, prefix=()):
        for name in sorted(check.CASES):
            inputs = [which[name] for which in (check.CASES, check.SMALL) if name in which]
            with np.errstate(all="ignore"):
                found = [check.Case(*c) for cases in inputs for c in cases(np.random.default_rng(22))]
            for number, case in enumerate(found):
                if number % every == every // 2:
                    yield name, case, lambda name=name, case=case: self.in_folder(
                        lambda folder: (self.run_case(name, case, options, prefix, folder), ""))

    def run_case(self, name, case, options, prefix, folder):
        expected = case.expected if isinstance(case.expected, tuple) else (case.expected,)
        found = check.run(["timeout", "-k", "5", "150", *prefix, self.options.obs_run], EXAMPLES / (name + ".mlir"),
                          self.device + list(options), case.inputs, case.entry, len(expected), folder)
        if isinstance(found, str):
            return found.strip() or "no result in time"
        return "; ".join(filter(None, (check.compare(f, e, case.tolerance) for f, e in zip(found, expected))))

    @staticmethod
    def title(name, case):
        return "{} @{} {}".format(name, case.entry, " ".join(
            "x".join(map(str, a.shape)) if isinstance(a, np.ndarray) else str(a) for a in case.inputs))

    def examples(self):
        for name, case, work in self.cases([]):
            yield self.title(name, case), work

    def shapes(self):
        for every, options in ((3, ["--threads=96", "--blocks=3"]), (4, ["--threads=1024", "--blocks=1"])):
            for name, case, work in self.cases(options, every):
                yield " ".join([self.title(name, case), *options]), work

    def graph(self):
        for name, case, work in self.cases(["--graph", "--repeat=2"], 4):
            def recorded(work=work):
                problem, _ = work()
                if "cannot be recorded" in problem and problem.count("error:") == 1:
                    return "", "the host reads between launches, and says so"
                return problem, ""
            yield self.title(name, case) + " --graph", recorded

    def compile(self, name, text=None, options=()):
        """A program as a shared library in the scratch folder."""
        source = EXAMPLES / (name + ".mlir")
        if text:
            source = self.scratch / (name + ".mlir")
            source.write_text(text)
        target, c = self.scratch / (name + ".so"), self.scratch / (name + ".c")
        for words in ([self.translate, "--obs-to-host-c", *options, source, "-o", c],
                      ["cc", "-std=c99", "-O1", "-shared", "-fPIC", f"-I{self.cuda / 'include'}", c, "-o", target]):
            code, _, error = self.command(words)
            if code:
                return error.strip() or "no result in time"
        return ""

    def sorts(self):
        jobs, count = self.options.jobs, self.options.sorts
        broken = "; ".join(filter(None, map(self.compile, ("large-sort", "radix-sort", "radix-sort-64",
                                                            "counting-sort"))))
        until = min(self.deadline, time.time() + 150)

        def some(first):
            if broken:
                return broken, ""
            code, text, error = self.command([sys.executable, __file__, "--worker", "sorts", self.scratch, first, jobs,
                                              count, until], 300)
            lines = text.splitlines()
            if code or not lines:
                return text + error[-500:], ""
            done, problems = map(int, lines[-1].split())
            wanted = len(range(first, count, jobs))
            problem = "\n".join(lines[:-1]) or (f"{done} of {wanted} inputs in time" if done < wanted else "")
            return problem, f"{done} inputs, {problems} problems"

        if self.options.device == "cuda":
            for first in range(jobs):
                yield f"sorts {first}, {first + jobs}, ... of {count}", lambda first=first: some(first)

        def by_obs_run(first):
            options = argparse.Namespace(obs_run=self.options.obs_run, seed=2, limit=8193)
            problems = filter(None, (sorts.one(number, options, self.device) for number in range(first, first + 10)))
            return "\n".join(problems), "10 inputs"

        for first in range(0, 300 if self.options.device == "cuda" else 20, 10):
            yield f"sorts {first} to {first + 9} by obs-run", lambda first=first: by_obs_run(first)

    def interop(self):
        here = EXAMPLES / "interop"
        include, link = f"-I{self.cuda / 'include'}", [f"-L{self.cuda / 'lib64' / 'stubs'}", "-lcuda"]

        def steps(make):
            def work():
                def all_steps(folder):
                    for words in make(folder):
                        code, text, error = self.command(words)
                        if code:
                            return (text + error).strip()[-500:] or "no result in time", ""
                    return "", text.strip()
                return self.in_folder(all_steps)
            return work

        def translated(kind, name, to):
            return [self.translate, "--obs-to-" + kind, EXAMPLES / (name + ".mlir"), "-o", to]

        def by_contract(kind, launcher):
            def make(folder):
                code, contract, tool = folder / "kernel", folder / "kernel.json", folder / "launch"
                yield translated(kind, "saxpy", code)
                yield translated("launch-json", "saxpy", contract)
                if launcher == "kernel.py":
                    yield [sys.executable, here / launcher, code, contract]
                    return
                yield ["c++", include, here / launcher, "-o", tool, *link]
                yield [tool, code]
            return make

        def program(folder):
            yield translated("host-c", "sum-chunks", folder / "sum_chunks.c")
            yield ["cc", include, f"-I{folder}", here / "program.c", "-o", folder / "program", *link]
            yield [folder / "program"]

        def library(folder):
            yield translated("host-c", "sum-chunks", folder / "sum_chunks.c")
            yield ["cc", "-shared", "-fPIC", include, folder / "sum_chunks.c", "-o", folder / "program.so", *link]
            yield [sys.executable, here / "program.py", folder / "program.so"]

        def sort(folder):
            yield translated("host-c", "large-sort", folder / "sort.c")
            yield ["cc", include, "-c", folder / "sort.c", "-o", folder / "sort.o"]
            yield ["c++", include, here / "sort.cpp", folder / "sort.o", "-o", folder / "sort", *link]
            yield [folder / "sort"]

        def by_plan(kind, name, function):
            def make(folder):
                code, contract = folder / "code", folder / "contract.json"
                yield translated(kind, name, code)
                yield translated("launch-json", name, contract)
                for count in (0, 1, 5000, 1000003):
                    yield [sys.executable, here / "plan.py", code, contract, count, "--function=" + function]
            return make

        for name, make in (("kernel.cpp with PTX", by_contract("ptx", "kernel.cpp")),
                           ("kernel.py with PTX", by_contract("ptx", "kernel.py")),
                           ("kernel.py with a cubin", by_contract("cubin", "kernel.py")),
                           ("program.c", program), ("program.py", library), ("sort.cpp", sort),
                           ("plan.py with PTX of large-sort", by_plan("ptx", "large-sort", "main")),
                           ("plan.py with a cubin of radix-sort", by_plan("cubin", "radix-sort", "i32"))):
            yield name, steps(make)

    def large(self):
        def sort(name, entry, n, folder):
            a = np.random.default_rng(n).integers(-2**31, 2**31, n, np.int32)
            np.save(folder / "in.npy", a)
            begin = time.time()
            code, _, error = self.command([self.options.obs_run, EXAMPLES / (name + ".mlir"), "--entry=" + entry,
                                           *self.device, folder / "in.npy", f"--out={folder / 'out.npy'}"], 280)
            if code:
                return error.strip() or "no result in time", ""
            took = time.time() - begin
            return check.compare(np.load(folder / "out.npy"), np.sort(a), 0), f"whole process {took:.1f} s"

        def count_keys(entry, n, bound, folder):
            keys = np.random.default_rng(n).integers(0, bound, n, np.int32)
            keys[:2] = 0, bound - 1
            np.save(folder / "in.npy", keys)
            expected = np.sort(keys) if entry == "counting" else np.flatnonzero(np.bincount(keys)).astype(np.int32)
            code, _, error = self.command([self.options.obs_run, EXAMPLES / "counting-sort.mlir", "--entry=" + entry,
                                           *self.device, folder / "in.npy", bound,
                                           f"--out={folder / 'out.npy'}"], 280)
            if code:
                return error.strip() or "no result in time", ""
            return check.compare(np.load(folder / "out.npy"), expected, 0), f"{len(expected)} results"

        sizes = ((2**24, 2**20), (2**24, 2**24), (2**20, 2**24), (1, 2**24))
        for bound, n in sizes if self.options.device == "cuda" else ((2**14, 2**12),):
            for entry in ("counting", "occurrence"):
                yield f"counting-sort @{entry} of {n} keys below {bound}", (
                    lambda entry=entry, n=n, bound=bound: self.in_folder(
                        lambda folder: count_keys(entry, n, bound, folder)))

        n = 2**28 if self.options.device == "cuda" else 2**12
        for name, entry, count in (("large-sort", "main", n), ("radix-sort", "i32", n)):
            yield f"{name} @{entry} of {count} elements", lambda name=name, entry=entry, count=count: (
                self.in_folder(lambda folder: sort(name, entry, count, folder)))

        def long():
            count = 2**33 + 7 if self.options.device == "cuda" else 2**12 + 7
            code, text, error = self.command([sys.executable, ROOT / "test/Examples/Inputs/long-arrays.py",
                                              self.options.obs_run, count, *self.device], 280)
            return (text + error).strip() if code else "", text.strip()

        yield "collectives over more elements than 32 bits count", long

    def launches(self):
        big = 2**24 if self.options.device == "cuda" else 2**13
        numbers = f"random:{big}xi32:1"
        for name, entry, words, limit in (("large-sort", "main", [numbers], 71),
                                          ("counting-sort", "counting", ["iota:1000000xi32", 1000000], 4),
                                          ("counting-sort", "occurrence", ["iota:1000000xi32", 1000000], 4),
                                          ("dot-product", "main", [numbers, numbers], 1)):
            if self.options.device != "cuda":
                words = ["iota:5000xi32", *words[1:]] if name == "counting-sort" else words

            def work(name=name, entry=entry, words=words, limit=limit):
                code, text, error = self.command([self.options.obs_run, EXAMPLES / (name + ".mlir"), "--entry=" + entry,
                                                  *self.device, "--report", "--out=/dev/null", *words])
                count = (text + error).count("launch: kernel=")
                said = f"{count} kernels, at most {limit} are wanted"
                return (error.strip() or said, "") if code or not 0 < count <= limit else ("", said)

            yield " ".join([name, "@" + entry, *map(str, words)]), work

    def scans(self):
        if self.options.device != "cuda":
            return
        broken = {"large-scan": self.compile("large-scan"),
                  "float-scan": self.compile("float-scan", FLOAT_SCAN, ["--deterministic"])}

        def scan(name):
            if broken[name]:
                return broken[name], ""
            code, text, error = self.command([sys.executable, __file__, "--worker", "scans", self.scratch, name,
                                              self.options.scans], 300)
            return (text + error[-500:] or "no result in time") if code else "", text.strip()

        yield "one-pass scan of functions m x + c over i32", lambda: scan("large-scan")
        yield "--deterministic scan of functions m x + c over f32, same bits", lambda: scan("float-scan")

    def sanitizer(self):
        smallest = {}
        for name, case, _ in self.cases([]):
            # The largest of the small inputs of a function.
            size = sum(a.size if isinstance(a, np.ndarray) else 1 for a in case.inputs)
            if case.entry not in smallest.setdefault(name, {}) or smallest[name][case.entry][0] < size <= 3000:
                smallest[name][case.entry] = size, case
        for tool in ("memcheck", "racecheck", "synccheck", "initcheck"):
            for name in smallest:
                for _, case in smallest[name].values():
                    def work(name=name, case=case, tool=tool):
                        return self.in_folder(lambda folder: self.sanitize(name, case, tool, folder))
                    yield f"{tool} {self.title(name, case)}", work

    def sanitizing(self, tool, log):
        if self.options.device != "cuda":
            return []
        return ["compute-sanitizer", "--tool=" + tool, "--error-exitcode=99", f"--log-file={log}",
                *(["--leak-check=full", "--report-api-errors=no"] if tool == "memcheck" else [])]

    def sanitize(self, name, case, tool, folder):
        log = folder / "log"
        problem = self.run_case(name, case, [], self.sanitizing(tool, log), folder)
        return self.read_log(problem, log)

    def read_log(self, problem, log):
        """Joins the text of the problem with the log of the sanitizer."""
        text = log.read_text(errors="replace") if log.exists() else ""
        lines = [line.strip("= ") for line in text.splitlines()]
        summary = [line for line in lines if "SUMMARY" in line]
        dirty = [line for line in summary if " 0 " not in line]
        if self.options.device == "cuda" and (dirty or not summary):
            problem = "; ".join(filter(None, [problem, "the sanitizer says: " + " | ".join(lines[:6] + summary)]))
        return problem, ", ".join(summary)

    def errors(self):
        cuda = self.options.device == "cuda"
        files = {}
        for name, text in (("two", TWO_ARRAYS), ("blocks", LAUNCH % 0), ("shared", LAUNCH % 2**20)):
            files[name] = self.scratch / f"error-{name}.mlir"
            files[name].write_text(text)
        memory = "out of device memory" if cuda else "out of memory"
        items = [
            ("a result of 4 TB",
             [EXAMPLES / "mandelbrot.mlir", "--entry=mandelbrot", 10**6, 10**6, "0.0", "0.0", "0.1", 1], memory),
            ("a second array of 4 TB", [files["two"], 1000000, 10**12], memory),
            # A failed assertion of a program ends its context, which frees its memory.
            ("keys outside of a range",
             Words([EXAMPLES / "counting-sort.mlir", "--entry=counting", "iota:10xi32", 5], {}), "error:"),
        ]
        if cuda:
            items += [
                ("3 * 10^9 blocks", [files["blocks"], 3 * 10**9], "cannot be launched with 3000000000 blocks"),
                ("1 MiB of shared memory", [files["shared"], 1],
                 "cannot be launched with 1048576 bytes of shared memory"),
                ("GPU 99", [EXAMPLES / "saxpy.mlir", "--gpu=99", "1.0", "iota:3xf32", "iota:3xf32"],
                 "there is no GPU 99"),
                ("no GPU", Words([EXAMPLES / "saxpy.mlir", "1.0", "iota:3xf32", "iota:3xf32"],
                                 {"CUDA_VISIBLE_DEVICES": ""}), "finds no GPU on this machine"),
            ]
        for title, words, message in items:
            def work(words=words, message=message):
                return self.in_folder(lambda folder: refuse(words, message, folder))
            yield "refused: " + title, work

        def refuse(words, message, folder):
            # Without a GPU there is nothing that the sanitizer could watch.
            bare = isinstance(words, Words)
            prefix = [] if bare else self.sanitizing("memcheck", folder / "log")
            words = Words([*prefix, self.options.obs_run, *self.device, *words], words.environment if bare else {})
            code, _, error = self.command(words)
            first = error.strip().splitlines()[:1]
            problem = ""
            if code != 1 or error.count("error:") != 1 or message not in error:
                problem = f"exit status {code}, said: {error.strip()[:400]}"
            if prefix:
                problem, summary = self.read_log(problem, folder / "log")
                return problem, " ".join(first + [summary])
            return problem, " ".join(first)

    def one(self, section, name, work):
        if time.time() > self.deadline:
            return section, name, "not run", "", 0
        begin = time.time()
        try:
            problem, text = work()
        except Exception as failure:  # One item must not stop the others.
            problem, text = f"{type(failure).__name__}: {failure}", ""
        return section, name, "FAIL" if problem else "ok", problem or text, time.time() - begin

    def run(self, sections):
        # The longest items begin first.
        items = []
        for section in sorted(sections, key=SECTIONS.index):
            items += [(section, name, work) for name, work in getattr(self, section)()]
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            for future in concurrent.futures.as_completed([pool.submit(self.one, *item) for item in items]):
                section, name, state, text, took = future.result()
                text = " / ".join(text.splitlines())[:1200]
                text = text.replace(f"{ROOT}/", "")
                self.log.append("{} {}: {}{}".format(state, section, name, ": " + text if text else ""))
                self.counts[state] += 1
                counts = self.times.setdefault(section, {"ok": 0, "FAIL": 0, "not run": 0, "seconds": 0})
                counts[state] += 1
                counts["seconds"] += took
                if state == "FAIL":
                    print(self.log[-1], flush=True)


class Words(list):
    """Words of a command with variables of its environment."""

    def __init__(self, words, environment):
        super().__init__(words)
        self.environment = environment


SECTIONS = ["large", "scans", "sorts", "examples", "launches", "interop", "errors", "sanitizer", "shapes", "graph"]


def main():
    if sys.argv[1:2] == ["--worker"]:
        if sys.argv[2] == "sorts":
            folder, first, step, count, until = sys.argv[3:]
            return worker_sorts(folder, int(first), int(step), int(count), float(until))
        return worker_scans(*sys.argv[3:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--obs-run", required=True, help="the tool; obs-translate is looked for beside it")
    parser.add_argument("--out", required=True, help="folder for the log")
    parser.add_argument("--device", default="cuda", choices=["cuda", "emulate"], help="emulate: to try this script")
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections, separated by commas")
    parser.add_argument("--jobs", type=int, default=15)
    parser.add_argument("--sorts", type=int, default=10000, help="inputs of section sorts")
    parser.add_argument("--scans", type=int, default=1000, help="runs of each of section scans")
    parser.add_argument("--budget", type=float, default=330, help="seconds after which no item begins")
    options = parser.parse_args()
    options.obs_run = str(pathlib.Path(options.obs_run).resolve())
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    sections = options.only.split(",")
    if options.device != "cuda":
        sections = [s for s in sections if s not in ("graph", "scans", "interop", "sanitizer")]
    begin = time.time()
    with tempfile.TemporaryDirectory() as scratch:
        programs = Programs(options, scratch)
        programs.run(sections)
    lines = sorted(programs.log)
    summary = ["%s: %d passed, %d failed, %d not run, %.0f s of %d processes" % (
        section, c["ok"], c["FAIL"], c["not run"], c["seconds"], options.jobs) for section, c in programs.times.items()]
    summary.append("%d passed, %d failed, %d not run" % tuple(programs.counts.values()))
    (out / "gpu-programs.log").write_text("\n".join(lines + summary) + "\n")
    print("\n".join(summary))
    print(f"{time.time() - begin:.0f} s")
    return 0 if programs.counts["ok"] == sum(programs.counts.values()) > 0 else 1


if __name__ == "__main__":
    sys.exit(main())

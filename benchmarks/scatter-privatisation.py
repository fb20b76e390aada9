#!/usr/bin/env python3
"""How long `obs.fill ... reduce` takes with each strategy: copies of the bins for each
thread, warp or block, or none; and which one the compiler chooses.

  benchmarks/scatter-privatisation.py prepare DIR --obs-translate build/bin/obs-translate
      [--nvcc nvcc] [--operators NAME ...] [--bins N ...]
  benchmarks/scatter-privatisation.py measure DIR --out OUT
      [--elements N] [--repeat N] [--budget SECONDS] [--peers]
      [--emulate build/bin/obs-run]

`prepare` needs no GPU: DIR/OPERATOR.mlir has a function for each number of bins and
each strategy that fits, and one without a strategy, and beside it lie the PTX and the
launch contract; DIR/chosen.json says whose code the last one has.
`measure` runs all of it in one process, through examples/interop/plan.py. Keys are
uniform; or all are equal; or 15 of 16 are in four bins ("hot"): all programs with the
first, then all with the second, so that a small budget cuts the last. Numbers of
elements grow up to the last; a strategy that takes 50 times as long as the best one
of its size is left there. Operations that device memory lacks get a quarter of
--elements, functions a sixteenth.

Each result is compared with NumPy. A time is the median of runs that begin with 1 GiB
written to other memory, so that nothing is in a cache, and has the fill of the result
and the kernel. Peers (--peers) are measured in the same way with keys already masked:
CUB's DeviceHistogram (with --nvcc), PyTorch and CuPy, where they can do it. Prints
and writes OUT/scatter-privatisation.txt and .json, milliseconds, row by row; a choice
that takes more than 1.2 times as long as the fastest is marked. Begins no run after
the budget; a row that is not complete then is left. --emulate runs on the emulator,
for tests: its times mean nothing. Exits with 1 if a run fails or a result is wrong.
Needs Python and NumPy.
"""

import argparse
import collections
import ctypes
import json
import pathlib
import re
import statistics
import subprocess
import sys
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "examples" / "interop"))
import plan

# Bytes of bins for which a strategy is tried. 128 are the most in registers, and
# 227 KiB what a block of sm_90 has.
LARGEST = {"per_thread": 1024, "per_warp": 227 * 1024 // 8, "per_block": 227 * 1024, "atomic": 1 << 62}
# Where there is nothing to choose, nothing is measured.
BINS = [8, 16, 32, 64, 1024, 2048, 4096, 16384, 32768]
SLOWER, HOPELESS = 1.2, 50

# What is combined by which operator, what the bins begin with, which part of the
# elements it gets, and the values: sums of floats and of wide integers are exact in
# binary64. Of `count` all values are 1, and it reads none.
Operator = collections.namedtuple("Operator", "kind type start part combine values")


def random_floats(random, n):
    return random.standard_normal(n, dtype=np.float32)


def random_bits(random, n):
    return random.integers(0, 2, n).astype(np.float32)


def random_wide(random, n):
    return random.integers(-(1 << 26), 1 << 26, n) << 12


def random_integers(random, n):
    return random.integers(-1000, 1000, n, dtype=np.int32)


OPERATORS = {
    "count": Operator("addi", "i32", "0", 1, np.add, None),
    "addf-f32": Operator("addf", "f32", "0.0", 1, np.add, random_bits),
    "addi-i64": Operator("addi", "i64", "0", 1, np.add, random_wide),
    "maxs-i32": Operator("maxs", "i32", "-2147483648", 1, np.maximum, random_integers),
    "maximumf-f32": Operator("maximumf", "f32", "0xFF800000", 4, np.maximum, random_floats),
    "function-i32": Operator("@sum", "i32", "0", 16, np.add, random_integers),
    "function-f32": Operator("@sum", "f32", "0.0", 16, np.add, random_bits),
}
NUMPY_TYPES = {"i32": np.int32, "i64": np.int64, "f32": np.float32}

#===----------------------------------------------------------------------===//
# Programs
#===----------------------------------------------------------------------===//

SUM = """func.func private @sum(%x: {type}, %y: {type}) -> {type} {{
  %z = arith.add{letter} %x, %y : {type}
  return %z : {type}
}}
"""
FUNCTION = """func.func @{name}(%keys: !obs.pull<? x i32>{parameter}) -> !obs.pull<{bins} x {type}> {{
  %start = arith.constant {start} : {type}
  %mask = arith.constant {mask} : i32
{one}  %n = obs.dim %keys, 0 : !obs.pull<? x i32>
  %p = obs.fill init %start reduce({kind}) par (%t) in (%n) {{
    %x = obs.get %keys[%t] : !obs.pull<? x i32>
    %y = arith.andi %x, %mask : i32
    %k = arith.index_castui %y : i32 to index
{get}    obs.write %v at [%k] : {type}
  }} {strategy}: !obs.push<grid, {bins} x {type}>
  %r = obs.force %p {{kernel = "{name}"}} : !obs.push<grid, {bins} x {type}> -> !obs.pull<{bins} x {type}>
  return %r : !obs.pull<{bins} x {type}>
}}
"""


def find_strategies(operator, bins):
    size = bins * np.dtype(NUMPY_TYPES[operator.type]).itemsize
    return [name for name, most in LARGEST.items() if size <= most]


def make_program(operator, all_bins):
    text = SUM.format(type=operator.type, letter=operator.type[0]) if operator.kind == "@sum" else ""
    has_values = operator.values is not None
    for bins in all_bins:
        for strategy in [*find_strategies(operator, bins), "default"]:
            text += FUNCTION.format(
                name=f"{strategy}_{bins}", bins=bins, mask=bins - 1, type=operator.type, start=operator.start,
                kind=operator.kind, strategy="" if strategy == "default" else f'{{strategy = "{strategy}"}} ',
                parameter=f", %values: !obs.pull<? x {operator.type}>" if has_values else "",
                one="" if has_values else f"  %v = arith.constant 1 : {operator.type}\n",
                get=f"    %v = obs.get %values[%t] : !obs.pull<? x {operator.type}>\n" if has_values else "")
    return text


def find_chosen(code, operator, all_bins):
    """For each number of bins the strategy whose PTX is that of the default."""
    bodies = {}
    for kernel in code.split(".visible .entry ")[1:]:
        name = re.match(r"\w+", kernel)[0]
        bodies[name] = re.sub(r"\$L__BB\d+_|//.*", "", kernel.replace(name, "")).split()
    chosen = {}
    for bins in all_bins:
        same = [strategy for strategy in find_strategies(operator, bins)
                if bodies[f"{strategy}_{bins}"] == bodies[f"default_{bins}"]]
        if len(same) != 1:
            raise RuntimeError(f"the code of {len(same)} strategies for {bins} bins is that of the default")
        chosen[bins] = same[0]
    return chosen


def call(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{command[0]}: {done.stderr.strip()[:1000]}")


def prepare(options):
    options.dir.mkdir(parents=True, exist_ok=True)
    chosen = {}
    for name in options.operators:
        operator, files = OPERATORS[name], options.dir / name
        bins = [number for number in options.bins if len(find_strategies(operator, number)) > 1]
        program = files.with_suffix(".mlir")
        program.write_text(make_program(operator, bins))
        code = files.with_suffix(".ptx")
        call([options.obs_translate, "--obs-to-ptx", program, "-o", code])
        call([options.obs_translate, "--obs-to-launch-json", program, "-o", files.with_suffix(".json")])
        chosen[name] = find_chosen(code.read_text(), operator, bins)
    if options.nvcc:
        call([options.nvcc, "-O3", "-arch=sm_90", "-shared", "-Xcompiler", "-fPIC",
              ROOT / "benchmarks" / "cub-histogram.cu", "-o", options.dir / "cub-histogram.so"])
    (options.dir / "chosen.json").write_text(json.dumps(chosen, indent=1) + "\n")
    return 0


#===----------------------------------------------------------------------===//
# Runs
#===----------------------------------------------------------------------===//

class Gpu(plan.Driver):
    """Keeps what a plan lets the device do, so that it can be done again and timed."""

    FLUSHED = 1 << 30

    def __init__(self):
        self.work, self.dead = [], []
        self.begin, self.end = ctypes.c_void_p(), ctypes.c_void_p()
        self.scratch = None

    def call(self, name, *words):
        """One failure is not the end of the script."""
        try:
            super().call(name, *words)
        except SystemExit as failure:
            raise RuntimeError(str(failure)) from failure

    def load(self, code):
        super().__init__(code)
        if not self.scratch:
            self.scratch = self.allocate(self.FLUSHED)
            for event in self.begin, self.end:
                self.call("cuEventCreate", ctypes.byref(event), 0)

    def fill(self, data, element, count):
        self.enqueue(lambda: super(Gpu, self).fill(data, element, count))

    def launch(self, kernel, grid, block, shared, values):
        prepared = self.prepare(kernel, grid, block, shared, values)
        self.enqueue(lambda: self.call("cuLaunchKernel", *prepared[0]))

    def enqueue(self, work):
        work()
        self.work.append(work)

    def free(self, data):
        """Memory may be in use when the work is done again."""
        self.dead.append(data)

    def forget(self):
        for data in self.dead:
            super().free(data)
        self.work, self.dead = [], []

    def time(self, work):
        """Milliseconds from the first to the last of what `work` enqueues. The host
        does that while the device still writes other memory."""
        self.call("cuCtxSynchronize")
        self.call("cuMemsetD32_v2", ctypes.c_uint64(self.scratch), 0, ctypes.c_size_t(self.FLUSHED // 4))
        self.call("cuEventRecord", self.begin, None)
        work()
        self.call("cuEventRecord", self.end, None)
        self.call("cuCtxSynchronize")
        passed = ctypes.c_float()
        self.call("cuEventElapsedTime", ctypes.byref(passed), self.begin, self.end)
        return passed.value

    def median(self, work, repeat):
        return statistics.median(self.time(work) for _ in range(repeat))


class OnGpu:
    """Functions of one program on a GPU."""

    def __init__(self, files, gpu, keys, values):
        self.gpu, self.contract = gpu, json.loads(files.with_suffix(".json").read_text())
        gpu.load(files.with_suffix(".ptx"))
        self.module = gpu.module
        self.arrays = {name: self.upload(array, "i32") for name, array in keys.items()}
        self.values = self.upload(values, {"i": "i", "f": "f"}[values.dtype.kind] + str(8 * values.itemsize)) \
            if values is not None else None

    def upload(self, array, element):
        memory = plan.Memory(self.gpu, array.nbytes)
        self.gpu.upload(memory.data, array.tobytes())
        return plan.Array(memory, element, array.itemsize, [len(array)])

    def run(self, name, keys, n, type, repeat):
        """Median milliseconds, and the result."""
        self.gpu.forget()
        self.gpu.module = self.module
        inputs = [array for array in (self.arrays[keys], self.values) if array]
        given = [plan.Array(array.memory, array.element, array.size, [n]) for array in inputs]
        result, = plan.Plan(self.contract, name, self.gpu).run(*given)
        self.gpu.call("cuCtxSynchronize")
        found = np.frombuffer(result.read(result.begin(), result.bytes()), type)
        again = list(self.gpu.work)

        def work():
            for step in again:
                step()
        passed = self.gpu.median(work, repeat)
        return passed, found

    def close(self):
        for array in (*self.arrays.values(), self.values):
            if array:
                array.memory.free()
        self.gpu.forget()
        self.gpu.call("cuModuleUnload", self.module)


class OnEmulator:
    """The same on the emulator, in processes whose time is taken."""

    def __init__(self, files, obs_run, keys, values):
        self.files, self.obs_run, self.keys, self.values = files, obs_run, keys, values

    def run(self, name, keys, n, type, repeat):
        inputs = [self.keys[keys][:n]] + ([] if self.values is None else [self.values[:n]])
        names = [self.files.with_name(f"input{i}.npy") for i in range(len(inputs))]
        for file, array in zip(names, inputs):
            np.save(file, array)
        out = self.files.with_name("result.npy")
        begin = time.monotonic()
        call([self.obs_run, self.files.with_suffix(".mlir"), "--device=emulate", "--entry=" + name,
              f"--repeat={repeat}", f"--out={out}", *names])
        passed = (time.monotonic() - begin) * 1e3
        found = np.load(out)
        for file in out, *names:
            file.unlink()
        return passed, found

    def close(self):
        pass


def make_peers(folder, problems):
    """What does the same: functions of keys, values or None, and the start of a maximum
    or None, whose result has for a number of bins what enqueues the work, and what
    returns its result. What cannot be loaded is a problem."""
    peers = {}
    try:
        import torch

        def with_torch(keys, values, start):
            all_keys = torch.from_numpy(keys).cuda()
            numbers = None if values is None else torch.from_numpy(values).cuda()

            def at(bins):
                given, outs = all_keys & (bins - 1), []
                # Indices of maxima have 64 bits.
                wide = None if start is None else given.long()

                def work():
                    if numbers is None:
                        outs[:] = [torch.histc(given, bins, 0, bins - 1)]
                        return
                    out = torch.full((bins,), start or 0, dtype=numbers.dtype, device="cuda")
                    outs[:] = [out.index_add_(0, given, numbers) if start is None
                               else out.scatter_reduce_(0, wide, numbers, "amax")]
                return work, lambda: outs[0].cpu().numpy()
            return at
        peers["torch"] = with_torch

        library = ctypes.CDLL(str(folder.resolve() / "cub-histogram.so"))

        def with_cub(keys, values, start):
            if values is not None:
                return None
            all_keys = torch.from_numpy(keys).cuda()

            def at(bins):
                given, out = all_keys & (bins - 1), torch.empty(bins, dtype=torch.int32, device="cuda")
                size = ctypes.c_size_t()

                def count(scratch):
                    if library.count(scratch, ctypes.byref(size), ctypes.c_void_p(given.data_ptr()), len(given),
                                     ctypes.c_void_p(out.data_ptr()), bins):
                        raise RuntimeError("CUB refused")
                count(None)
                scratch = torch.empty(size.value, dtype=torch.uint8, device="cuda")
                return lambda: count(ctypes.c_void_p(scratch.data_ptr())), lambda: out.cpu().numpy()
            return at
        peers["cub"] = with_cub
    except (ImportError, OSError) as error:
        problems.append(str(error))
    try:
        import cupy
        import cupyx

        def with_cupy(keys, values, start):
            all_keys = cupy.asarray(keys)
            # Sums of int64 are not there; those of uint64 have the same bits.
            numbers = None if values is None else cupy.asarray(
                values.view(np.uint64) if values.dtype == np.int64 else values)
            combine = cupyx.scatter_add if start is None else cupyx.scatter_max

            def at(bins):
                given, outs = all_keys & (bins - 1), []

                def work():
                    outs[:] = [cupy.full(bins, start or 0, np.int32 if numbers is None else numbers.dtype)]
                    combine(outs[0], given, 1 if numbers is None else numbers)

                def read():
                    found = cupy.asnumpy(outs[0])
                    return found.view(np.int64) if found.dtype == np.uint64 else found
                return work, read
            return at
        peers["cupy"] = with_cupy
    except ImportError as error:
        problems.append(str(error))
    return peers


#===----------------------------------------------------------------------===//
# Measurements
#===----------------------------------------------------------------------===//

def make_keys(n):
    random = np.random.default_rng(1)
    uniform = random.integers(0, 1 << 31, n, dtype=np.int32)
    hot = np.where(random.integers(0, 16, n) > 0, 1 + (uniform & 3) * 2, uniform).astype(np.int32)
    return {"uniform": uniform, "equal": np.zeros_like(uniform), "hot": hot}


def find_least(operator):
    """What a maximum begins with."""
    type = NUMPY_TYPES[operator.type]
    return -np.inf if operator.type[0] == "f" else np.iinfo(type).min


def combine_all(operator, keys, values, most):
    """The result for the largest number of bins, by NumPy; those for others follow from it."""
    keys = keys & (most - 1)
    type = NUMPY_TYPES[operator.type]
    if operator.values is None:
        return np.bincount(keys, minlength=most)
    if operator.combine is np.add:
        return np.bincount(keys, weights=values.astype(np.float64), minlength=most)
    result = np.full(most, find_least(operator), type)
    operator.combine.at(result, keys, values)
    return result


def fold(operator, whole, bins):
    return operator.combine.reduce(whole.reshape(-1, bins), axis=0).astype(NUMPY_TYPES[operator.type])


class OutOfTime(Exception):
    pass


class Clock:
    def __init__(self, budget):
        self.began, self.budget = time.monotonic(), budget

    def passed(self):
        return time.monotonic() - self.began

    def check(self):
        if self.passed() > self.budget:
            raise OutOfTime


def measure_bins(runner, operator, keys, bins, expected, sizes, repeat, clock):
    """Milliseconds of each strategy, and where the others were left."""
    type, left = NUMPY_TYPES[operator.type], {}
    names = find_strategies(operator, bins)
    for n in sizes:
        is_last = n == sizes[-1]
        times = {}
        for name in names:
            clock.check()
            times[name], found = runner.run(f"{name}_{bins}", keys, n, type, repeat if is_last else 1)
            if is_last and not np.array_equal(found, expected):
                raise RuntimeError(f"the result of {name} is wrong")
        best = min(times.values())
        if not is_last:
            left.update({name: {"elements": n, "ms": times[name], "best": best} for name in names
                         if times[name] > HOPELESS * best})
            names = [name for name in names if name not in left]
    return times, left


class Peers:
    """What the peers take for one array of keys."""

    def __init__(self, makers, gpu, keys, values, operator, problems):
        self.gpu, self.operator, self.problems, self.peers = gpu, operator, problems, {}
        self.makers = {} if operator.kind[0] == "@" else makers
        self.data = keys, values, None if operator.combine is np.add else find_least(operator)

    def measure(self, bins, expected, repeat):
        times = {}
        for name, make in self.makers.items():
            try:
                if name not in self.peers:
                    self.peers[name] = make(*self.data)
                if not self.peers[name]:
                    continue
                work, read = self.peers[name](bins)
                work()
                passed = self.gpu.median(work, repeat)
                if not np.array_equal(read().astype(expected.dtype), expected):
                    raise RuntimeError("the result is wrong")
                times[name] = passed
            except Exception as error:  # What a peer cannot do is no failure of ours.
                self.problems.append(f"{name}, {self.operator.kind} of {self.operator.type}: {str(error)[:200]}")
        return times


class Report:
    """What is printed, and written as well."""

    def __init__(self, path):
        self.file = open(path, "w", encoding="utf-8")

    def __call__(self, text):
        print(text, flush=True)
        print(text, file=self.file, flush=True)


def format_row(row, peers):
    times, left, chosen = row["ms"], row["left"], row["chosen"]
    text = f"{row['keys']:8}{row['bins']:8}"
    for name in LARGEST:
        text += f"{times[name]:12.4f}" if name in times else f"{'>50 x' if name in left else '-':>12}"
    text += f"  {row['best']:11}{chosen:11}{row['slower']:6.2f}{' SLOW' if row['is_slow'] else '     '}"
    for name in peers:
        text += f"{row['peers'][name]:10.4f}" if name in row["peers"] else f"{'-':>10}"
    if row["peers"] and chosen in times:
        text += f"{times[chosen] / min(row['peers'].values()):8.2f}"
    return text


class Measurement:
    """What is measured, and written after each row."""

    def __init__(self, options):
        self.options, self.clock = options, Clock(options.budget)
        self.report = Report(options.out / "scatter-privatisation.txt")
        self.rows, self.failed, self.left, self.problems = [], 0, 0, []
        self.gpu = None if options.emulate else Gpu()
        self.makers = {}

    def write(self):
        (self.options.out / "scatter-privatisation.json").write_text(json.dumps(
            {"repeat": self.options.repeat, "rows": self.rows, "failed": self.failed, "left": self.left,
             "peers": self.problems}, indent=1) + "\n")

    def make_runner(self, name, keys):
        """Runs the functions of one program, of its part of the elements."""
        operator, files = OPERATORS[name], self.options.dir / name
        n = self.options.elements // operator.part
        keys = {kind: array[:n] for kind, array in keys.items()}
        values = operator.values and operator.values(np.random.default_rng(2), n)
        runner = OnEmulator(files, self.options.emulate, keys, values) if self.options.emulate \
            else OnGpu(files, self.gpu, keys, values)
        if self.options.peers and self.gpu and not self.makers:
            self.makers = make_peers(self.options.dir, self.problems)
        return runner, keys, values

    def measure_row(self, name, chosen, runner, kind, bins, expected, n, others):
        operator, repeat = OPERATORS[name], self.options.repeat
        sizes = [n] if self.options.emulate else [size for size in (1 << 13, 1 << 16, 1 << 19) if size < n] + [n]
        times, left = measure_bins(runner, operator, kind, bins, expected, sizes, repeat, self.clock)
        best = min(times, key=times.get)
        slower = times[chosen] / times[best] if chosen in times else HOPELESS
        theirs = others.measure(bins, expected, repeat) if others else {}
        self.rows.append({"operator": name, "keys": kind, "bins": bins, "elements": n, "ms": times, "left": left,
                          "best": best, "chosen": chosen, "slower": slower, "is_slow": slower > SLOWER,
                          "peers": theirs})
        self.report(format_row(self.rows[-1], self.makers))
        self.write()

    def measure_operator(self, name, chosen, runner, kind, keys, values):
        operator, n = OPERATORS[name], len(keys)
        self.report(f"\n{name}: {n} elements")
        self.report(f"{'keys':8}{'bins':>8}" + "".join(f"{s:>12}" for s in LARGEST)
                    + "  best       chosen     slower     " + "".join(f"{peer:>10}" for peer in self.makers)
                    + ("   ratio" if self.makers else ""))
        whole = combine_all(operator, keys, values, max(map(int, chosen)))
        others = Peers(self.makers, self.gpu, keys, values, operator, self.problems) if self.makers else None
        for bins in map(int, chosen):
            try:
                self.clock.check()
                self.measure_row(name, chosen[str(bins)], runner, kind, bins, fold(operator, whole, bins), n, others)
            except OutOfTime:
                self.left += 1
            except RuntimeError as error:
                self.failed += 1
                self.report(f"{kind:8}{bins:8}  {error}")

    def run(self):
        all_chosen = json.loads((self.options.dir / "chosen.json").read_text())
        all_keys, runners = make_keys(self.options.elements), {}
        for kind in all_keys:
            for name, chosen in all_chosen.items():
                if self.clock.passed() > self.clock.budget:
                    self.left += len(chosen)
                    continue
                if name not in runners:
                    runners[name] = self.make_runner(name, all_keys)
                runner, keys, values = runners[name]
                self.measure_operator(name, chosen, runner, kind, keys[kind], values)
        for runner, _, _ in runners.values():
            runner.close()
        self.write()
        for problem in dict.fromkeys(self.problems):
            self.report(f"not measured: {problem}")
        self.report(f"\n{len(self.rows)} measured, {self.failed} failed, {self.left} left for lack of time; the choice "
                    f"is slow in {sum(row['is_slow'] for row in self.rows)}; {self.clock.passed():.0f} s")
        return 1 if self.failed or not self.rows else 0


def measure(options):
    options.out.mkdir(parents=True, exist_ok=True)
    return Measurement(options).run()


def parse_bins(text):
    bins = int(text)
    if bins < 1 or bins & (bins - 1):
        raise argparse.ArgumentTypeError("numbers of bins are powers of two")
    return bins


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    parts = {run: commands.add_parser(run.__name__) for run in (prepare, measure)}
    for run, part in parts.items():
        part.set_defaults(run=run)
        part.add_argument("dir", type=pathlib.Path)
    parts[prepare].add_argument("--obs-translate", required=True)
    parts[prepare].add_argument("--nvcc", help="compiles the histogram of CUB")
    parts[prepare].add_argument("--operators", nargs="+", choices=OPERATORS, default=list(OPERATORS))
    parts[prepare].add_argument("--bins", type=parse_bins, nargs="+", default=BINS)
    parts[measure].add_argument("--out", required=True, type=pathlib.Path)
    parts[measure].add_argument("--elements", type=int, default=1 << 24)
    parts[measure].add_argument("--repeat", type=int, default=5)
    parts[measure].add_argument("--budget", type=float, default=110, help="in seconds")
    parts[measure].add_argument("--peers", action="store_true", help="measure CUB, PyTorch and CuPy, too")
    parts[measure].add_argument("--emulate", metavar="OBS_RUN")
    options = parser.parse_args()
    try:
        return options.run(options)
    except plan.Unsupported as problem:
        print(f"unsupported: {problem}", file=sys.stderr)
        return 77


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Compares the cost report with the counters of a GPU, as ncu reads them.

  benchmarks/counters.py --tools build-static/bin --out benchmarks/results

Each case is a program of examples/ with arguments. The report of `obs-opt` and the plan of
`obs-translate` give the numbers of each kernel for these arguments, and ncu counts the same while
`obs-run` runs the program once. A kernel agrees if every number that the report knows is within 5%.
Writes counters.json and counters.md to --out after every case, so that a run that is cut short
leaves its results. Needs a GPU, ncu, Python and NumPy; with --dry-run or --recorded, no GPU.

The exit status is 1 if fewer than --least kernels agree.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "examples" / "python")]

from obsidian.costs import Access, KernelCost, read_costs  # noqa: E402
from obsidian.errors import ObsidianError  # noqa: E402
from obsidian.formulas import Formula  # noqa: E402
from obsidian.launches import HostProgram, Launch  # noqa: E402

#: The largest difference of a number that agrees, in per cent.
LIMIT = 5.0


@dataclass(frozen=True)
class Quantity:
    """A number of a kernel: the accesses and the field of the report, and the metrics of ncu."""

    title: str
    memory: str
    kinds: tuple[str, ...]
    field: str
    #: Sets of metrics that count it. The sum of the first set that this ncu has is taken.
    metrics: tuple[tuple[str, ...], ...]


def _shared(name: str, *operations: str) -> tuple[tuple[str, ...], ...]:
    """A metric of shared memory: as instructions cause it, or else as the hardware counts it."""
    prefixes = ("smsp__sass_l1tex_", "sm__sass_l1tex_", "l1tex__")
    return tuple(
        tuple(f"{prefix}{name}_pipe_lsu_mem_shared_op_{op}.sum" for op in operations)
        for prefix in prefixes
    )


def _wavefronts(operation: str) -> tuple[tuple[str, ...], ...]:
    name = f"data_pipe_lsu_wavefronts_mem_shared_op_{operation}.sum"
    return tuple(
        (f"{prefix}{name}",) for prefix in ("smsp__sass_l1tex_", "sm__sass_l1tex_", "l1tex__")
    )


def _bytes(operation: str) -> tuple[tuple[str, ...], ...]:
    name = f"sass_data_bytes_mem_global_op_{operation}.sum"
    return (f"smsp__{name}",), (f"sm__{name}",)


QUANTITIES = {
    "bytes_read": Quantity("bytes read", "global", ("read",), "bytes", _bytes("ld")),
    "bytes_written": Quantity("bytes written", "global", ("write",), "bytes", _bytes("st")),
    "sectors_read": Quantity(
        "sectors read", "global", ("read",), "total_sectors",
        (("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",),),
    ),
    "sectors_written": Quantity(
        "sectors written", "global", ("write",), "total_sectors",
        (("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",),),
    ),
    "wavefronts_read": Quantity(
        "wavefronts of shared reads", "shared", ("read",), "wavefronts", _wavefronts("ld")
    ),
    "wavefronts_written": Quantity(
        "of shared writes", "shared", ("write",), "wavefronts", _wavefronts("st")
    ),
    "conflicts": Quantity(
        "bank conflicts", "shared", ("read", "write"), "total_conflicts",
        _shared("data_bank_conflicts", "ld", "st"),
    ),
}  # fmt: skip
#: Read too, but not compared: the traffic of the memory also depends on caches.
INFORMATION = ("dram__bytes_read.sum", "dram__bytes_write.sum", "gpu__time_duration.sum")


@dataclass(frozen=True)
class Case:
    """A run of a program: its file in examples/, its function, and the arguments of obs-run."""

    name: str
    program: str
    arguments: tuple[str, ...]
    entry: str = "main"


def _sizes(name: str, program: str, sizes: Iterable[int], *arguments: str) -> list[Case]:
    """A case for each number of elements."""
    return [
        Case(f"{name} {size}", program, tuple(a.replace("N", str(size)) for a in arguments))
        for size in sizes
    ]


_BODIES = tuple(f"random:8192xf32:{seed}" for seed in (1, 2, 3, 4))
_MATRICES = ("random:512x512xf32:1", "random:512x512xf32:2")
CASES: tuple[Case, ...] = (
    *_sizes("map", "map-fusion.mlir", (2**20, 2**24), "iota:Nxi32"),
    *_sizes("saxpy", "saxpy.mlir", (2**20, 2**24), "2.0", "iota:Nxf32", "iota:Nxf32"),
    *_sizes(
        "black-scholes", "black-scholes.mlir", (2**20,),
        "random:Nxf32:1", "random:Nxf32:2", "random:Nxf32:3", "0.02", "0.3",
    ),
    *_sizes("reverse", "reverse.mlir", (2**20, 2**24), "iota:Nxi8"),
    *_sizes("sums by warps", "reduce.mlir", (2**20, 2**24), "iota:Nxi32"),
    *_sizes("sums by trees", "sum-chunks.mlir", (2**20, 2**24), "iota:Nxi32"),
    *_sizes("sums by trees in a loop", "sum-chunks-loop.mlir", (2**20,), "iota:Nxi32"),
    *_sizes("largest segment", "max-segment.mlir", (2**20,), "random:Nxi16:1"),
    *_sizes("scan of 256", "prefix-sum.mlir", (2**20,), "iota:Nxi32"),
    *_sizes("scan of 1000", "scan.mlir", (1000 * 1024,), "iota:Nxi32"),
    *_sizes("sort of 32", "warp-sort.mlir", (2**20,), "random:Nxi32:1"),
    *_sizes("bitonic merge", "bitonic-merge.mlir", (2**20,), "random:Nxi32:1"),
    Case("transpose 2048", "transpose.mlir", ("iota:2048x2048xi32",)),
    Case("transpose swizzled 2048", "transpose.mlir", ("iota:2048x2048xi32",), "swizzled"),
    Case("box filter 2048", "stencil.mlir", ("iota:2048x2048xi32",)),
    Case(
        "convolution 2048", "convolution.mlir", ("iota:2048x2048xi32", "iota:3x3xi32"),
        "clamp_tiled",
    ),
    Case("matrix product 512", "matmul.mlir", _MATRICES),
    # Smaller launches have too few tiles for several elements of a thread.
    Case(
        "matrix product, naive 2048",
        "matmul-naive.mlir",
        ("random:2048x2048xf32:1", "random:2048x2048xf32:2"),
    ),
    Case("n-body in blocks 8192", "n-body.mlir", (*_BODIES, "0.01"), "blocks"),
    Case(
        "mandelbrot 1024", "mandelbrot.mlir",
        ("1024", "1024", "-0.75", "0.0", "0.002", "64"), "mandelbrot",
    ),
    Case(
        "softmax 4096 x 1024", "python/rows.py:softmax_of(1024)", ("random:4096x1024xf32:1",)
    ),
    # The report has upper limits of these, or depends on elements.
    *_sizes("dot product", "dot-product.mlir", (2**24,), "iota:Nxi32", "iota:Nxi32"),
    *_sizes("histogram", "histogram.mlir", (2**24,), "random:Nxi8:1"),
    Case("filter 2^22", "run-length.mlir", (f"random:{2**22}xi32:1", "0", "1000000"), "filter"),
    Case("radix sort 2^20", "radix-sort.mlir", (f"random:{2**20}xi32:1",), "u32"),
)  # fmt: skip


# ---------------------------------------------------------------------------------------------
# The report
# ---------------------------------------------------------------------------------------------


def run(command: Sequence[Any], seconds: float = 120) -> str:
    """The standard output of a command. Raises RuntimeError with its messages if it fails."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"{words[0]} took more than {seconds:.0f} s") from None
    except OSError as error:
        raise RuntimeError(f"{words[0]}: {error.strerror}") from None
    if done.returncode:
        text = "\n".join((done.stderr, done.stdout)).strip()
        raise RuntimeError(f"{Path(words[0]).name} failed: {text[-600:]}")
    return done.stdout


def program_of(case: Case, folder: Path) -> Path:
    """The file of a program. A function of `examples/python` is traced, and written to `folder`."""
    if ".py:" not in case.program:
        return ROOT / "examples" / case.program
    file, call = case.program.split(":")
    path = folder / "traced.mlir"
    names: dict[str, Any] = {}
    exec(f"from {Path(file).stem} import *\ntext = {call}.mlir()", names)
    path.write_text(names["text"])
    return path


def values_of(arguments: Sequence[str], parameters: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """The sizes of a program by name: extents of arrays, and numbers."""
    sizes: dict[str, int] = {}
    for word, parameter in zip(arguments, parameters, strict=True):
        name = parameter["name"]
        array = re.match(r"\w+:((?:\d+x)+)\w+", word)
        if array:
            extents = array[1].rstrip("x").split("x")
            sizes.update((f"{name}_dim{d}", int(extent)) for d, extent in enumerate(extents))
        elif re.fullmatch(r"-?\d+", word):
            sizes[name] = int(word)
    return sizes


def launches_of(contract: Mapping[str, Any], case: Case) -> list[Launch]:
    """The launches of the function of a case."""
    functions = [f for f in contract["functions"] if f["name"] == case.entry]
    if not functions:
        raise RuntimeError(f"{case.program} has no function {case.entry}")
    host = HostProgram({**contract, "functions": functions})
    return host.launches(values_of(case.arguments, functions[0]["parameters"]))


@dataclass
class Number:
    """A number of the report: None if it is not known. It may be an upper limit."""

    value: int | None = 0
    is_limit: bool = False

    def add(self, formula: Formula, sizes: Mapping[str, int]) -> None:
        """Add the number of one access in one launch."""
        if not formula.is_known or self.value is None:
            self.value = None
            return
        self.value += formula.evaluate(sizes)
        self.is_limit |= formula.is_bound


def numbers_of(cost: KernelCost, launches: Sequence[Launch]) -> dict[str, Number]:
    """The numbers of a kernel in the report, for all its launches together."""

    def is_meant(access: Access, quantity: Quantity) -> bool:
        return access.memory == quantity.memory and access.kind in quantity.kinds

    found = {}
    for name, quantity in QUANTITIES.items():
        number = found[name] = Number()
        for launch in launches:
            for access in cost.accesses:
                if is_meant(access, quantity):
                    number.add(getattr(access, quantity.field), launch.sizes)
    return found


def report_of(case: Case, tools: Path, folder: Path) -> dict[str, dict[str, Number]]:
    """The numbers of the kernels that a case launches."""
    program = program_of(case, folder)
    report = run([tools / "obs-opt", "--obs-report-cost=json", program, "-o", "/dev/null"])
    contract = run([tools / "obs-translate", "--obs-to-launch-json", program])
    launches: dict[str, list[Launch]] = defaultdict(list)
    for launch in launches_of(json.loads(contract), case):
        launches[launch.kernel].append(launch)
    costs = {cost.name: cost for cost in read_costs(json.loads(report))}
    return {kernel: numbers_of(costs[kernel], found) for kernel, found in launches.items()}


# ---------------------------------------------------------------------------------------------
# The counters
# ---------------------------------------------------------------------------------------------


def choose_metrics(known: str) -> dict[str, tuple[str, ...]]:
    """The metrics of each quantity that ncu has, if its list of metrics is not empty."""
    names = set(re.findall(r"^(\w+__\w+)", known, re.MULTILINE))
    return {
        name: next(
            (
                metrics
                for metrics in quantity.metrics
                if names.issuperset(metric.split(".")[0] for metric in metrics)
            ),
            quantity.metrics[0],
        )
        for name, quantity in QUANTITIES.items()
    }


def read_counters(text: str) -> dict[str, dict[str, float]]:
    """The sums over all launches of each kernel, by metric: the CSV output of ncu."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    found: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for row in csv.DictReader(lines):
        kernel = row["Kernel Name"].split("(")[0]
        try:
            found[kernel][row["Metric Name"]] += float(row["Metric Value"].replace(",", ""))
        except ValueError:  # "n/a"
            found[kernel][row["Metric Name"]] = float("nan")
    return {kernel: dict(metrics) for kernel, metrics in found.items()}


def measure(
    case: Case, tools: Path, ncu: str, metrics: Mapping[str, tuple[str, ...]], folder: Path
) -> str:
    """The output of ncu for a run of a case."""
    names = list(dict.fromkeys([n for group in metrics.values() for n in group] + [*INFORMATION]))
    command = [ncu, "--csv", "--print-units", "base", "--clock-control", "none"]
    program = program_of(case, folder)
    line = [tools / "obs-run", program, f"--entry={case.entry}", "--device=cuda", *case.arguments]
    results = ["--out=/dev/null"] * results_of(case, tools, program)
    return run([*command, "--metrics", ",".join(names), *line, *results])


def results_of(case: Case, tools: Path, program: Path) -> int:
    """The number of results of the function of a case."""
    contract = json.loads(run([tools / "obs-translate", "--obs-to-launch-json", program]))
    function = next(f for f in contract["functions"] if f["name"] == case.entry)
    return len(function["results"])


# ---------------------------------------------------------------------------------------------
# The comparison
# ---------------------------------------------------------------------------------------------


def compare(
    numbers: Mapping[str, Number],
    counters: Mapping[str, float] | None,
    metrics: Mapping[str, tuple[str, ...]],
) -> dict[str, Any]:
    """The numbers of a kernel side by side; `agrees` is None if nothing was counted."""
    line: dict[str, Any] = {"quantities": {}}
    differences = []
    for name, number in numbers.items():
        entry: dict[str, Any] = {"report": number.value}
        if number.is_limit:
            entry["is_limit"] = True
        counted = None
        if counters is not None:
            counted = sum(counters.get(metric, float("nan")) for metric in metrics[name])
            counted = None if counted != counted else counted
        if counted is not None:
            entry["ncu"] = counted
        if number.value is not None and counted is not None:
            whole = counted
            if name == "conflicts":
                # Few of many wavefronts are conflicts, so these are the measure.
                whole = sum(
                    line["quantities"][f"wavefronts_{k}"].get("ncu", 0) for k in ("read", "written")
                )
            entry["percent"] = percent(number.value, counted, whole)
            differences.append(abs(entry["percent"]))
        line["quantities"][name] = entry
    line["agrees"] = max(differences) <= LIMIT if differences else None
    line["is_complete"] = all(number.value is not None for number in numbers.values())
    if counters is not None:
        line["information"] = {m: counters[m] for m in INFORMATION if m in counters}
    return line


def percent(reported: float, counted: float, whole: float) -> float:
    """The difference in per cent of `whole`; 100 if something is there that should be nothing."""
    if reported == counted:
        return 0.0
    return round(100 * (reported - counted) / whole, 2) if whole else 100.0


def summarise(lines: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """The numbers of kernels that agree. A kernel agrees if it does so at all of its sizes."""
    kernels: dict[str, list[bool]] = defaultdict(list)
    for line in lines:
        if line["agrees"] is not None:
            name = f"{line['program']}: {line['kernel']}"
            kernels[name].append(line["agrees"] and line["is_complete"])
    return {"kernels": len(kernels), "agree": sum(map(all, kernels.values()))}


def render(result: Mapping[str, Any]) -> str:
    """The table in Markdown."""
    summary = result["summary"]
    rows = [
        "# The cost report and the counters of a GPU",
        "",
        f"`{result['command']}` on {result['device']}.",
        "",
        (f"{summary['agree']} of {summary['kernels']} kernels agree: every number of the report is "
        f"within {LIMIT:g}% of the counters. A kernel that is run at several sizes counts once."),
        "",
        ("A cell has the number of the report, and its difference from the counter. ≤ marks an "
        "upper limit, and `?` a number that depends on elements. The difference of bank conflicts "
        "is a share of all wavefronts."),
        "",
        "| case | kernel | " + " | ".join(q.title for q in QUANTITIES.values()) + " | agrees |",
        "|---|---|" + "---:|" * len(QUANTITIES) + "---|",
    ]
    for line in result["lines"]:
        cells = [_cell(line["quantities"][name]) for name in QUANTITIES]
        agrees = {None: "not counted", True: "yes", False: "no"}[line["agrees"]]
        if line["agrees"] and not line["is_complete"]:
            agrees = "as far as known"
        rows.append(f"| {line['case']} | `{line['kernel']}` | {' | '.join(cells)} | {agrees} |")
    for failure in result["failures"]:
        rows += ["", f"- {failure['case']} failed: {failure['reason'].splitlines()[-1]}"]
    return "\n".join(rows) + "\n"


def _cell(entry: Mapping[str, Any]) -> str:
    value = entry["report"]
    text = "?" if value is None else f"{'≤ ' if entry.get('is_limit') else ''}{value:,}"
    if "percent" in entry:
        return f"{text} ({entry['percent']:+.1f}%)"
    return f"{text} (ncu: {entry['ncu']:,.0f})" if "ncu" in entry else text


def describe_device() -> str:
    """The name of the GPU."""
    try:
        return run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]).splitlines()[0]
    except (RuntimeError, IndexError):
        return "an unknown GPU"


def parse(words: Sequence[str] | None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", type=Path, default=ROOT / "build-static" / "bin")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the results")
    parser.add_argument("--ncu", default=shutil.which("ncu") or "ncu")
    parser.add_argument("--only", nargs="+", default=[], help="cases whose names contain a word")
    parser.add_argument(
        "--budget", type=float, default=420, help="begin no case after these seconds"
    )
    parser.add_argument("--least", type=int, default=10, help="the kernels that have to agree")
    parser.add_argument("--dry-run", action="store_true", help="the report alone, without a GPU")
    parser.add_argument("--csv", type=Path, help="a folder for the output of ncu of each case")
    parser.add_argument(
        "--recorded", type=Path, help="the folder of an earlier --csv, without a GPU"
    )
    return parser.parse_args(words)


def file_of(case: Case) -> str:
    """The name of the file with the output of ncu."""
    return re.sub(r"\W+", "-", case.name) + ".csv"


def counters_of(
    case: Case, options: argparse.Namespace, metrics: Mapping[str, tuple[str, ...]], folder: Path
) -> dict[str, dict[str, float]]:
    """The counters of a case by kernel: measured now, or read; none in a dry run."""
    if options.dry_run:
        return {}
    if options.recorded:
        return read_counters((options.recorded / file_of(case)).read_text())
    text = measure(case, options.tools, options.ncu, metrics, folder)
    if options.csv:
        options.csv.mkdir(parents=True, exist_ok=True)
        (options.csv / file_of(case)).write_text(text)
    return read_counters(text)


def add_case(
    case: Case,
    options: argparse.Namespace,
    metrics: Mapping[str, tuple[str, ...]],
    result: dict[str, Any],
) -> None:
    """Add the kernels of a case to the result, or the reason why there are none."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            report = report_of(case, options.tools, Path(folder))
            counters = counters_of(case, options, metrics, Path(folder))
        except (RuntimeError, ObsidianError, KeyError, OSError, ValueError) as error:
            result["failures"].append({"case": case.name, "reason": f"{error}"})
            print(f"{case.name}: {error}", file=sys.stderr)
            return
    for kernel, numbers in report.items():
        line = compare(numbers, counters.get(kernel), metrics)
        names = {"case": case.name, "program": case.program, "kernel": kernel}
        result["lines"].append({**names, **line})


def write_files(result: dict[str, Any], out: Path) -> None:
    """Write the result so far as JSON and as a table."""
    result["summary"] = summarise(result["lines"])
    out.mkdir(parents=True, exist_ok=True)
    (out / "counters.json").write_text(json.dumps(result, indent=1) + "\n")
    (out / "counters.md").write_text(render(result))


def main(words: Sequence[str] | None = None) -> int:
    """Compare all cases."""
    options = parse(words)
    begin = time.monotonic()
    wanted = [c for c in CASES if not options.only or any(w in c.name for w in options.only)]
    is_now = not options.dry_run and not options.recorded
    known = ""
    if options.recorded:
        known = "\n".join(path.read_text() for path in sorted(options.recorded.glob("*.csv")))
        known = known.replace('"', "\n")
    elif is_now:
        try:
            known = run([options.ncu, "--query-metrics"])
        except RuntimeError as error:
            print(f"the metrics of ncu are not known: {error}", file=sys.stderr)
    metrics = choose_metrics(known)
    result: dict[str, Any] = {
        "command": " ".join(
            ["benchmarks/counters.py", *(["--dry-run"] if options.dry_run else [])]
        ),
        "device": describe_device() if is_now else "no GPU",
        "metrics": metrics,
        "lines": [],
        "failures": [],
    }
    for case in wanted:
        if time.monotonic() - begin > options.budget:
            result["failures"].append({"case": case.name, "reason": "no time was left"})
        else:
            add_case(case, options, metrics, result)
            print(f"{case.name}: {time.monotonic() - begin:.0f} s", file=sys.stderr)
        write_files(result, options.out)
    summary = summarise(result["lines"])
    print(f"{summary['agree']} of {summary['kernels']} kernels agree within {LIMIT:g}%")
    return 0 if options.dry_run or summary["agree"] >= options.least else 1


if __name__ == "__main__":
    sys.exit(main())

"""The goals: for each work, the required ratio of the time of a peer to our time.

The most important goals are first: if the budget of a run ends, the last ones are not measured.
"""

from __future__ import annotations

from dataclasses import dataclass

MATRIX = 8192 * 8192
BATCHES = 147_456 * 512


@dataclass(frozen=True)
class Goal:
    """One goal: the time of a peer divided by ours, for a work of `works.py` and a size."""

    #: The line of the table of goals to which it belongs.
    row: str
    work: str
    size: int
    goal: float
    #: The beginning of the peer's title; the fastest peer counts if this is empty.
    peer: str = ""


@dataclass(frozen=True)
class Variant:
    """A work of another type or size, whose ratio is to be near that of a usual one."""

    work: str
    size: int
    usual: str
    usual_size: int


@dataclass(frozen=True)
class Unmeasured:
    """A goal that no run can measure yet, and the reason."""

    row: str
    what: str
    reason: str


@dataclass(frozen=True)
class CompileGoal:
    """A goal of compile_time.py: its name there, and the value to reach."""

    row: str
    name: str
    goal: float
    #: If values below the goal meet it: a time, not a ratio.
    is_time: bool = False


def _all(row: str, size: int, **goals: float) -> list[Goal]:
    """Goals of one size; a name stands for the work with `-` in place of `_`."""
    return [Goal(row, name.replace("_", "-"), size, goal) for name, goal in goals.items()]


def _ranges(row: str, work: str, goals: tuple[float, ...]) -> list[Goal]:
    # The goals are those against Thrust with memory of its own.
    return [
        Goal(row, f"{work}-{log}", 1 << 25, goal, "thrust::sort")
        for log, goal in zip((8, 12, 16, 20, 24), goals)
    ]


def _histograms() -> list[Goal]:
    row, bins = "histogram 2^25", (256, 1024, 4096, 65536)
    known = [
        Goal(row, f"histogram-{b}{how}", 1 << 25, goal)
        for how in ("-known", "")
        for b, goal in zip(bins, (2.1, 10, 8.5, 16))
    ]
    return known + [Goal(row, f"histogram-{b}-equal", 1 << 25, 2) for b in bins]


GOALS: list[Goal] = [
    *_all("maps", 1 << 28, increment_f32=1.0, saxpy_f32=1.0),
    Goal("reduce i32", "reduce-i32", 1 << 28, 1.0),
    Goal("reduce i32", "reduce-i32", 1 << 24, 1.05),
    Goal("reduce i32", "reduce-i32", 1 << 20, 1.15),
    *_all(
        "reduce f32, in order", 1 << 28,
        reduce_f32=1.0, reduce_mapped_f32=1.0, reduce_in_order=1.0,
    ),
    Goal("dot", "dot-f32", 1 << 26, 1.08),
    Goal("scan i32", "scan-i32", 1 << 28, 1.2),
    Goal("scan i32", "scan-i32", 1 << 24, 1.2),
    Goal("scan i32", "scan-i32", 1 << 20, 1.2),
    Goal("scan i32", "scan-mapped-i32", 1 << 28, 1.2),
    *_all("scan f32, affine", 1 << 28, scan_f32=1.15, scan_affine=2.5),
    Goal("compact 2^26", "compact-i32", 1 << 26, 1.2),
    *_histograms(),
    Goal("batches of 512", "sort-batches-512", BATCHES, 3.0),
    *_ranges("counting sort 2^25", "counting-sort", (10, 10, 7, 2.5, 0.9)),
    *_ranges("occurrence sort 2^25", "occurrence-sort", (15, 15, 15, 12, 3)),
    Goal("radix sort", "radix-sort-u32", 1 << 24, 1.1),
    Goal("radix sort", "radix-sort-u32", 1 << 28, 1.15),
    Goal("radix sort", "radix-sort-pairs", 1 << 26, 1.0),
    Goal("radix sort", "radix-sort-u64", 1 << 26, 1.0),
    Goal("large network sort 2^24", "network-sort", 1 << 24, 4.0),
    Goal("large network sort 2^24", "network-sort-radix", 1 << 24, 0.3),
    Goal("Black-Scholes 2^26", "black-scholes", 1 << 26, 1.28),
    Goal("transpose 8192^2", "transpose-i32", MATRIX, 1.08),
    Goal("convolution 8192^2", "convolution-3-clamp-i32", MATRIX, 1.8),
    Goal("convolution 8192^2", "convolution-3-clamp-f32", MATRIX, 1.8),
    Goal("convolution 8192^2", "convolution-3-mirror-f32", MATRIX, 1.62),
    Goal("convolution 8192^2", "convolution-3-wrap-f32", MATRIX, 1.62),
    Goal("convolution 8192^2", "convolution-3-constant-f32", MATRIX, 1.62),
    Goal("convolution 8192^2", "convolution-5-clamp-f32", MATRIX, 1.62),
    Goal("Julia 8192^2", "julia", MATRIX, 1.1),
    Goal("matrix product", "matmul-registers-f32", 4096 * 4096, 0.85),
    Goal("matrix product", "matmul-registers-f32", 1024 * 1024, 0.85),
    Goal("rows", "softmax-1000", 10**8, 0.98, "cudaMemcpy"),
    Goal("rows", "softmax-8192", MATRIX, 1.0, "cudaMemcpy"),
    Goal("rows", "layer-norm-1000", 10**8, 0.98, "cudaMemcpy"),
    Goal("rows", "softmax-1000", 10**8, 1.0, "Triton"),
    Goal("rows", "softmax-8192", MATRIX, 1.0, "Triton"),
    Goal("rows", "layer-norm-1000", 10**8, 1.0, "Triton"),
    Goal("sparse product, k-means, n-body", "spmv-f32", 1 << 26, 0.9),
    Goal("sparse product, k-means, n-body", "k-means", 1 << 24, 1.0),
    Goal("sparse product, k-means, n-body", "n-body", 1 << 16, 1.0),
    Goal("5 small kernels", "small-kernels-graph", 1 << 16, 0.95),
]  # fmt: skip


def _variants() -> list[Variant]:
    found = []
    for work, base in (("increment", "f32"), ("reduce", "i32"), ("scan", "i32")):
        for kind, size in (("i8", 28), ("i16", 28), ("f16", 28), ("i64", 27), ("f64", 27)):
            # The order of a sum of floats is kept, that of integers need not be.
            same = "f32" if kind.startswith("f") else base
            if kind != "f16" or work == "increment":
                found.append(Variant(f"{work}-{kind}", 1 << size, f"{work}-{same}", 1 << 28))
    works = (
        "increment-f32", "saxpy-f32", "black-scholes", "reduce-i32", "reduce-f32", "dot-f32",
        "scan-i32", "scan-f32", "scan-affine", "compact-i32", "histogram-256-known",
        "histogram-4096", "counting-sort-16", "radix-sort-u32", "radix-sort-pairs",
    )  # fmt: skip
    for name in works:
        found.append(Variant(name, 1000, name, 1 << 10))
        found.append(Variant(name, (1 << 20) + 17, name, 1 << 20))
        found.append(Variant(name, (1 << 24) - 1, name, 1 << 24))
    return found


#: The part of the ratio of a usual type and size that other types and sizes keep.
KEPT = 0.8
VARIANTS = _variants()

UNMEASURED: list[Unmeasured] = [
    Unmeasured(
        "scan i32", "without bulk copies, goal 1.1", "no switch chooses between the two forms yet"
    ),
]

COMPILE_GOALS: list[CompileGoal] = [
    CompileGoal("compile to PTX", "kernels without CUB", 20),
    CompileGoal("compile to PTX", "kernels with CUB", 100),
    CompileGoal("compile to PTX", "slowest example, s", 0.2, is_time=True),
]

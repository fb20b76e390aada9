"""The works that are timed: our program, its peers, their inputs, and an oracle for each.

Our programs are those of `examples/python`, with their default parameters. A `Work` does not depend
on the machine: `run` takes arrays of NumPy (then it runs on the emulator) or of CuPy.
"""

from __future__ import annotations

import dataclasses
import importlib
import math
import sys
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args

import numpy as np

from . import data

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "examples" / "python")]

import obsidian as obs  # noqa: E402

(black_scholes, convolution, counting_sort, jacobi, k_means) = map(
    importlib.import_module,
    ("black_scholes", "convolution", "counting_sort", "jacobi", "k_means"),
)
(large_reduce, large_scan, large_sort, mandelbrot, matmul, matmul_registers) = map(
    importlib.import_module,
    ("large_reduce", "large_scan", "large_sort", "mandelbrot", "matmul", "matmul_registers"),
)
(n_body, radix_sort, radix_sort_64, rows, saxpy, spmv, transpose, warp_sort) = map(
    importlib.import_module,
    ("n_body", "radix_sort", "radix_sort_64", "rows", "saxpy", "spmv", "transpose", "warp_sort"),
)
(weighted_histogram, whole_arrays) = map(
    importlib.import_module, ("weighted_histogram", "whole_arrays")
)

#: The sizes of the charts.
POWERS = tuple(2**k for k in range(10, 29, 2))
CENTRES = 64
STEPS = 256
WEIGHTS = {3: (1, 2, 1, 2, 4, 2, 1, 2, 1), 5: tuple(1 + (7 * k) % 5 for k in range(25))}

Inputs = list[Any]
#: Runs a peer: a function of the machine and the inputs.
Run = Callable[[Any, Inputs], Any]


@dataclass(frozen=True)
class Peer:
    """A peer: its name in the table, and how it runs on a machine of `gpu.py`."""

    title: str
    run: Run
    #: Makes what `run` takes of the inputs, outside of the time: copies for what works in place.
    prepare: Run | None = None
    #: If the result is comparable with ours.
    has_result: bool = True


@dataclass(frozen=True)
class Work:
    """One thing that is timed, of any number of elements."""

    name: str
    #: The chart that shows it.
    family: str
    #: The file of the program.
    program: str
    #: The inputs for a module of arrays and a number of elements.
    inputs: Callable[[Any, int], Inputs]
    run: Callable[..., Any]
    #: The result, by NumPy or CuPy: a function of the module and the inputs.
    oracle: Callable[..., Any]
    peers: tuple[Peer, ...]
    #: The bytes that must be moved, for a number of elements.
    bytes: Callable[[int], float]
    #: The operations of f32 that must be done, for the inputs and the result.
    flops: Callable[[Inputs, Any], float] = lambda inputs, result: 0.0
    #: The arrays of a result that are compared.
    view: Callable[[Any], Any] = lambda result: result
    #: The part of an array that peers compute, too.
    common: Callable[[Any], Any] = lambda array: array
    #: The largest difference of floats, relative to 1 + |x|; 0 means equal.
    tolerance: float = 0.0
    #: The share of elements that may differ on a GPU, where peers round in another way.
    differing: float = 0.0
    #: The sizes of the chart.
    sizes: tuple[int, ...] = POWERS
    #: Small sizes, for the comparison with the oracle.
    small: tuple[int, ...] = (1, 33, 1025)
    #: If CuPy computes the oracle at full size, in place of a peer.
    oracle_at_full_size: bool = False
    #: If the host waits for the GPU inside of the call.
    waits: bool = False
    #: Calls in one measurement. With more than one, the time of the host counts.
    calls: int = 1
    #: If the call is captured into a CUDA graph, which is replayed.
    is_captured: bool = False


# ---------------------------------------------------------------------------------------------
# Peers
# ---------------------------------------------------------------------------------------------


def like(*places: int) -> Callable[[Any, Inputs], list[Any]]:
    """Results that are as the inputs at these places."""
    return lambda machine, inputs: [machine.xp.empty_like(inputs[i]) for i in places]


def new(*kinds: tuple[Any, Any]) -> Callable[[Any, Inputs], list[Any]]:
    """Results of these shapes and types."""
    return lambda machine, inputs: [machine.xp.empty(shape, kind) for shape, kind in kinds]


def from_library(
    title: str,
    function: str,
    results: Callable[[Any, Inputs], list[Any]],
    numbers: Callable[[Inputs], Sequence[int]] = lambda inputs: (inputs[0].size,),
) -> Peer:
    """A peer of the library: it takes the arrays among the inputs, and the results."""

    def run(machine: Any, inputs: Inputs) -> Any:
        made = results(machine, inputs)
        arrays = [i for i in inputs if isinstance(i, machine.xp.ndarray)]
        machine.call(function, [*arrays, *made], numbers(inputs))
        return made[0] if len(made) == 1 else tuple(made)

    return Peer(title, run)


def copy_of(count: Callable[[int], float]) -> Peer:
    """A copy that moves as many bytes, read plus written, as `count` says."""

    def prepare(machine: Any, inputs: Inputs) -> Inputs:
        return [int(count(machine.elements)) // 2]

    def run(machine: Any, inputs: Inputs) -> Any:
        machine.copy(inputs[0])

    return Peer("cudaMemcpy of the same bytes", run, prepare, has_result=False)


def thrust(title: str, function: str) -> tuple[Peer, ...]:
    """Peers of Thrust that sort in place, so they get a copy.

    The first is Thrust as it comes: each call allocates and frees memory. The second gets scratch
    memory. The host gets the number of keys.
    """

    def prepare(machine: Any, inputs: Inputs) -> Inputs:
        return [inputs[0].copy(), *inputs[1:]]

    def with_memory(is_given: int) -> Run:
        def run(machine: Any, inputs: Inputs) -> Any:
            count = np.zeros(1, np.int64)
            machine.call(function, [inputs[0], count], [inputs[0].size, is_given])
            return inputs[0][: int(count[0])]

        return run

    return (
        Peer(title, with_memory(0), prepare),
        Peer(f"with scratch memory, {title}", with_memory(1), prepare),
    )


def triton(function: str) -> Peer:
    """A kernel of triton_rows.py."""

    def run(machine: Any, inputs: Inputs) -> Any:
        rows_of_triton = importlib.import_module("suite.triton_rows")
        return getattr(rows_of_triton, function)(*inputs)

    return Peer("Triton", run)


# ---------------------------------------------------------------------------------------------
# Works
# ---------------------------------------------------------------------------------------------


def retyped(function: Any, element: Any, by: Any) -> Any:
    """The program of a function for other elements: the same source, with other annotations."""
    old = function.__wrapped__
    new_one = types.FunctionType(
        old.__code__, old.__globals__, old.__name__, old.__defaults__, old.__closure__
    )
    new_one.__kwdefaults__ = old.__kwdefaults__

    def change(hint: Any) -> Any:
        if not hasattr(hint, "__metadata__"):
            return by if hint is element else hint
        parts = tuple(by if part is element else part for part in get_args(hint))
        annotated: Any = Annotated
        return annotated[parts]

    new_one.__annotations__ = {k: change(hint) for k, hint in old.__annotations__.items()}
    return obs.Function(new_one, function.threads)


def contracted(function: Any) -> Any:
    """The program of a function with products and sums rounded once, as nvcc and cuBLAS do."""
    return obs.Function(function.__wrapped__, function.threads, fp_contract=True)


def side(count: int) -> int:
    """The side of a square of about that many elements."""
    return max(1, math.isqrt(count))


def square_of(array: Any, count: int) -> Any:
    n = side(count)
    return array[: n * n].reshape(n, n)


def maps() -> list[Work]:
    def options(xp: Any, n: int) -> Inputs:
        return [
            data.floats(xp, n, 5, 30, 1), data.floats(xp, n, 1, 100, 2),
            data.floats(xp, n, 0.25, 10, 3), 0.02, 0.3,
        ]  # fmt: skip

    def prices(xp: Any, s: Any, x: Any, t: Any, r: float, v: float) -> Any:
        s, x, t = (a.astype(np.float64) for a in (s, x, t))

        def normal(d: Any) -> Any:
            k = 1 / (1 + 0.2316419 * abs(d))
            weights = (0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429)
            tail: Any = sum(w * k ** (i + 1) for i, w in enumerate(weights))
            tail = tail * xp.exp(-d * d / 2) * 0.398942280
            return xp.where(d > 0, 1 - tail, tail)

        d = (xp.log(s / x) + (r + v * v / 2) * t) / (v * xp.sqrt(t))
        low, high = normal(d), normal(d - v * xp.sqrt(t))
        later = x * xp.exp(-r * t)
        return s * low - later * high, later * (1 - high) - s * (1 - low)

    return [
        Work(
            "saxpy-f32", "maps", "saxpy.py: saxpy",
            lambda xp, n: [2.5, data.floats(xp, n, seed=1), data.floats(xp, n, seed=2)],
            saxpy.saxpy, lambda xp, k, x, y: np.float32(k) * x + y,
            (copy_of(lambda n: 12.0 * n),), lambda n: 12.0 * n, tolerance=1e-6,
            oracle_at_full_size=True,
        ),
        Work(
            "black-scholes", "maps", "black_scholes.py: black_scholes",
            options, contracted(black_scholes.black_scholes), prices,
            (from_library("nvcc, one option per thread", "nvcc_black_scholes", like(0, 0)),),
            lambda n: 20.0 * n, tolerance=1e-4,
        ),
    ]  # fmt: skip


def typed() -> list[Work]:
    """Maps, sums and prefix sums of each element type."""

    def make(kind: str) -> list[Work]:
        dtype = data.DTYPES[kind]
        # CUDA's integers wrap, too; sums of floats are compared with those of f64.
        wide = dtype if kind.startswith("i") else np.float64
        width = np.dtype(dtype).itemsize
        tolerance = 0.0 if kind.startswith("i") else 1e-4
        sizes = POWERS if kind in ("i32", "f32") else ()

        def inputs(xp: Any, n: int) -> Inputs:
            return [data.of_type(xp, n, kind)]

        increment = Work(
            f"increment-{kind}", "maps", "whole_arrays.py: increment", inputs,
            whole_arrays.increment, lambda xp, a: a + dtype(1),
            (copy_of(lambda n: 2.0 * width * n),),
            lambda n: 2.0 * width * n, oracle_at_full_size=True, sizes=sizes,
        )  # fmt: skip
        if kind == "f16":
            return [increment]  # Sums of many numbers are beyond its range.
        total = Work(
            f"reduce-{kind}", "reductions", "whole_arrays.py: total", inputs, whole_arrays.total,
            lambda xp, a: a.sum(dtype=wide).reshape(1),
            (from_library("cub::DeviceReduce", f"cub_reduce_{kind}", new((1, dtype))),),
            lambda n: 1.0 * width * n, tolerance=tolerance, sizes=sizes,
        )  # fmt: skip
        sums = Work(
            f"scan-{kind}", "scans", "whole_arrays.py: sums", inputs, whole_arrays.sums,
            lambda xp, a: xp.cumsum(a, dtype=wide),
            (from_library("cub::DeviceScan", f"cub_scan_{kind}", like(0)),),
            lambda n: 2.0 * width * n, tolerance=tolerance, sizes=sizes,
        )  # fmt: skip
        return [increment, total, sums]

    kinds = ("f32", "i32", "i8", "i16", "i64", "f16", "f64")
    return [work for kind in kinds for work in make(kind)]


def reductions() -> list[Work]:
    def numbers(xp: Any, n: int) -> Inputs:
        return [data.integers(xp, n, 1 << 32)]

    def fractions(xp: Any, n: int) -> Inputs:
        return [data.floats(xp, n)]

    def largest(xp: Any, a: Any) -> Any:
        return a.max().reshape(1), a.argmax().astype(np.int32).reshape(1)

    def sum_of(xp: Any, a: Any) -> Any:
        return a.sum(dtype=np.float64).reshape(1)

    one_i32, one_f32 = new((1, np.int32)), new((1, np.float32))
    return [
        Work(
            "reduce-mapped-f32", "reductions", "whole_arrays.py: squares", fractions,
            whole_arrays.squares, lambda xp, a: sum_of(xp, a.astype(np.float64) ** 2),
            (from_library("cub::DeviceReduce", "cub_reduce_squares_f32", one_f32),),
            lambda n: 4.0 * n, tolerance=1e-4,
        ),
        Work(
            "reduce-in-order", "reductions", "large_reduce.py: first_largest", numbers,
            large_reduce.first_largest, largest,
            (dataclasses.replace(
                from_library("cub::DeviceReduce, sum of the same bytes", "cub_reduce_i32", one_i32),
                has_result=False,
            ),),
            lambda n: 4.0 * n, oracle_at_full_size=True,
        ),
        Work(
            "dot-f32", "reductions", "whole_arrays.py: dot",
            lambda xp, n: [data.floats(xp, n, seed=1), data.floats(xp, n, seed=2)],
            whole_arrays.dot, lambda xp, a, b: sum_of(xp, a.astype(np.float64) * b),
            (from_library("cuBLAS dot, which torch.dot calls", "cublas_dot_f32", one_f32),),
            lambda n: 8.0 * n, tolerance=1e-4,
        ),
    ]  # fmt: skip


def scans() -> list[Work]:
    def states(xp: Any, m: Any, c: Any) -> Any:
        x, found = 1, []
        for factor, term in zip(m.tolist(), c.tolist()):
            x = (factor * x + term) % 2**32
            found.append(x)
        return np.array(found, np.uint32).view(np.int32)

    def sums(xp: Any, a: Any) -> Any:
        return xp.cumsum(a, dtype=np.int32)

    def numbers(xp: Any, n: int) -> Inputs:
        return [data.integers(xp, n, 1 << 32)]

    def affine_pairs(machine: Any, inputs: Inputs) -> Inputs:
        return [machine.xp.stack([machine.xp.asarray(a) for a in inputs], axis=1)]

    pairs = from_library(
        "cub::DeviceScan of pairs", "cub_scan_affine_pairs", like(0), lambda i: (len(i[0]),)
    )
    return [
        Work(
            "scan-mapped-i32", "scans", "whole_arrays.py: mapped_sums", numbers,
            whole_arrays.mapped_sums, lambda xp, a: sums(xp, 2 * a + 1) ^ 0x55,
            (from_library("cub::DeviceScan", "cub_scan_maps_i32", like(0)),), lambda n: 8.0 * n,
        ),
        Work(
            "scan-affine", "scans", "large_scan.py: large_scan",
            lambda xp, n: [data.integers(xp, n, 1 << 32, s) for s in (1, 2)],
            large_scan.large_scan, states,
            (
                from_library("cub::DeviceScan, zipped", "cub_scan_affine", like(0)),
                dataclasses.replace(pairs, prepare=affine_pairs, has_result=False),
            ),
            lambda n: 12.0 * n,
        ),
    ]  # fmt: skip


def compaction() -> list[Work]:
    def kept(xp: Any, a: Any, limit: int) -> Any:
        return a[a < limit]

    def inputs(xp: Any, n: int) -> Inputs:
        return [data.integers(xp, n, 1 << 20), 1 << 19]

    def results(machine: Any, given: Inputs) -> list[Any]:
        return [machine.xp.empty_like(given[0]), machine.xp.empty(1, np.int32)]

    def view(result: Any) -> Any:
        return result if not isinstance(result, tuple) else result[0][: int(result[1][0])]

    return [
        Work(
            "compact-i32", "compaction", "whole_arrays.py: below", inputs, whole_arrays.below, kept,
            (from_library(
                "cub::DeviceSelect", "cub_select_i32", results, lambda i: (i[0].size, i[1])
            ),),
            lambda n: 6.0 * n, view=view,
        )
    ]  # fmt: skip


def histograms() -> list[Work]:
    def make(bins: int, is_known: bool, keys: str) -> Work:
        def inputs(xp: Any, n: int) -> Inputs:
            if keys == "equal":
                return [xp.full(n, bins // 3, np.int32), bins]
            return [data.integers(xp, n, bins), bins]

        def known(a: Any, count: int) -> Any:
            return whole_arrays.occurrences_of(a, bins=count)

        return Work(
            f"histogram-{bins}" + ("-known" if is_known else "") + ("-equal" if keys else ""),
            "histograms", f"whole_arrays.py: occurrences{'_of' if is_known else ''}",
            inputs, known if is_known else whole_arrays.occurrences,
            lambda xp, a, count: xp.bincount(a, minlength=count).astype(np.int32),
            (from_library(
                "cub::DeviceHistogram", "cub_histogram_i32", new((bins, np.int32)),
                lambda i: (i[0].size, i[1]),
            ),),
            lambda n: 4.0 * n, sizes=POWERS if bins in (256, 4096) and not keys else (),
            small=(1, 1025),
        )  # fmt: skip

    kinds = [(True, ""), (False, ""), (False, "equal")]
    return [make(bins, *kind) for kind in kinds for bins in (256, 1024, 4096, 65536)]


def strategies() -> list[Work]:
    """The copies of bins that the compiler chooses, against those that a program can ask for."""
    #: The most bytes of bins for which a strategy is tried.
    limits = {"per_thread": 1024, "per_warp": 29_056, "per_block": 232_448, "atomic": 1 << 30}

    def make(bins: int) -> Work:
        def inputs(xp: Any, n: int) -> Inputs:
            return [data.integers(xp, n, bins), data.integers(xp, n, 1000, 1)]

        def run(strategy: str | None) -> Callable[..., Any]:
            return lambda keys, weights: weighted_histogram.strategies(
                keys, weights, bins=bins, strategy=strategy
            )

        def peer(strategy: str) -> Peer:
            return Peer(strategy, lambda machine, inputs: run(strategy)(*inputs))

        return Work(
            f"strategies-{bins}", "strategies of scatter", "weighted_histogram.py: strategies",
            inputs, run(None),
            lambda xp, keys, weights: xp.bincount(keys, weights, bins).astype(np.int32),
            tuple(peer(name) for name, most in limits.items() if 4 * bins <= most),
            lambda n: 8.0 * n, sizes=(1 << 14, 1 << 19, 1 << 24), small=(1025,),
        )  # fmt: skip

    return [make(bins) for bins in (16, 128, 1024, 16384)]


def batch_sorts() -> list[Work]:
    names = {
        "cub::BlockMergeSort, 128 threads": "cub_batches_merge_128",
        "cub::BlockMergeSort, 64 threads": "cub_batches_merge_64",
        "cub::BlockRadixSort, 128 threads": "cub_batches_radix_128",
        "cub::BlockRadixSort, 64 threads": "cub_batches_radix_64",
        "cub::WarpMergeSort": "cub_batches_warp",
    }
    return [
        Work(
            "sort-batches-512", "sorts of batches", "warp_sort.py: batches",
            lambda xp, n: [data.integers(xp, n, 1 << 32)], warp_sort.batches,
            lambda xp, a: xp.sort(a.reshape(-1, 512), axis=1).reshape(-1),
            tuple(from_library(title, name, like(0)) for title, name in names.items()),
            lambda n: 8.0 * n, small=(2048, 6144), sizes=tuple(s for s in POWERS if s >= 2048),
        )
    ]  # fmt: skip


def key_sorts() -> list[Work]:
    def keys_below(limit: int) -> Callable[[Any, int], Inputs]:
        def inputs(xp: Any, n: int) -> Inputs:
            most = min(limit, max(256, 16 * n))
            return [data.integers(xp, n, most), most]

        return inputs

    found = []
    for log in (8, 12, 16, 20, 24):
        sizes = POWERS if log in (8, 16) else ()
        found.append(
            Work(
                f"counting-sort-{log}", "counting sorts", "counting_sort.py: counting",
                keys_below(1 << log), counting_sort.counting, lambda xp, a, limit: xp.sort(a),
                thrust("thrust::sort", "thrust_sort_i32"), lambda n: 8.0 * n, sizes=sizes,
                small=(1, 33, 300),
            )
        )  # fmt: skip
        found.append(
            Work(
                f"occurrence-sort-{log}", "occurrence sorts", "counting_sort.py: occurrence",
                keys_below(1 << log), counting_sort.occurrence, lambda xp, a, limit: xp.unique(a),
                thrust("thrust::sort and unique", "thrust_sort_unique_i32"), lambda n: 4.0 * n,
                sizes=sizes, small=(1, 33, 300),
                waits=True,
            )
        )  # fmt: skip
    return found


def sorts() -> list[Work]:
    def unsigned(kind: Any, signed: Any) -> Callable[..., Any]:
        return lambda xp, a: xp.sort(a.view(kind)).view(signed)

    def pairs(xp: Any, keys: Any, values: Any) -> Any:
        order = xp.argsort(keys.view(np.uint32), kind="stable")
        return keys[order], values[order]

    def numbers(xp: Any, n: int) -> Inputs:
        return [data.integers(xp, n, 1 << 32)]

    def with_values(xp: Any, n: int) -> Inputs:
        return [data.integers(xp, n, 1 << 32), xp.arange(n, dtype=np.int32)]

    radix = "cub::DeviceRadixSort"
    return [
        Work(
            "radix-sort-u32", "radix sorts", "radix_sort.py: sort_u32", numbers,
            radix_sort.sort_u32, unsigned(np.uint32, np.int32),
            (from_library(radix, "cub_sort_u32", like(0)),), lambda n: 36.0 * n,
        ),
        Work(
            "radix-sort-pairs", "radix sorts", "radix_sort.py: pairs", with_values,
            radix_sort.pairs, pairs, (from_library(radix, "cub_sort_pairs", like(0, 1)),),
            lambda n: 68.0 * n,
        ),
        Work(
            "radix-sort-u64", "radix sorts", "radix_sort_64.py: sort_u64",
            lambda xp, n: [data.wide(xp, n)], radix_sort_64.sort_u64,
            unsigned(np.uint64, np.int64), (from_library(radix, "cub_sort_u64", like(0)),),
            lambda n: 136.0 * n,
        ),
        Work(
            "network-sort", "network sorts", "large_sort.py: large_sort", numbers,
            large_sort.large_sort, lambda xp, a: xp.sort(a),
            (from_library("bitonic sort, nvcc", "nvcc_bitonic_sort", like(0)),),
            lambda n: 8.0 * n, small=(1024, 4096),
        ),
        Work(
            "network-sort-radix", "network sorts", "large_sort.py: large_sort", numbers,
            large_sort.large_sort, lambda xp, a: xp.sort(a),
            (from_library(radix, "cub_sort_i32", like(0)),), lambda n: 8.0 * n, small=(1025,),
            sizes=(),
        ),
    ]  # fmt: skip


def images() -> list[Work]:
    def extents(inputs: Inputs) -> tuple[int, int]:
        height, width = inputs[0].shape
        return height, width

    def convolve(k: int, rule: str, kind: str) -> Work:
        reach = k // 2
        dtype = {"f32": np.float32, "i32": np.int32}[kind]
        mode = {"clamp": "edge", "mirror": "symmetric", "wrap": "wrap", "constant": "constant"}
        border: Any = 0 if rule == "constant" else rule
        direct = convolution.direct
        program = direct if kind == "i32" else contracted(retyped(direct, obs.i32, obs.f32))

        def inputs(xp: Any, n: int) -> Inputs:
            pixels = square_of(data.integers(xp, n, 1 << 10), n).astype(dtype)
            return [pixels, xp.asarray(WEIGHTS[k], dtype).reshape(k, k)]

        def oracle(xp: Any, a: Any, weights: Any) -> Any:
            padded = xp.pad(a, reach, mode=mode[rule])
            height, width = a.shape
            return sum(
                weights[u, v] * padded[u : u + height, v : v + width]
                for u in range(k) for v in range(k)
            )  # fmt: skip

        def call(machine: Any, given: Inputs) -> Any:
            out = machine.xp.empty_like(given[0])
            numbers = [*given[0].shape, *WEIGHTS[k]]
            machine.call(f"nvcc_convolution_{k}_{kind}", [given[0], out], numbers)
            return out

        return Work(
            f"convolution-{k}-{rule}-{kind}", "images", "convolution.py: direct", inputs,
            lambda a, weights: program(a, weights, k=k, rule=border), oracle,
            (Peer("nvcc, no border", call),), lambda n: 8.0 * n,
            common=lambda image: image[reach:-reach, reach:-reach],
            sizes=POWERS if (k, rule) == (3, "clamp") else (), small=(400,),
        )  # fmt: skip

    # A call without arrays would run on the emulator: the extents are those of a picture.
    @obs.jit(threads=mandelbrot.julia.threads, fp_contract=True)
    def julia(
        picture: Annotated[obs.Pull, "h", "w", obs.i32],
        x: obs.f32, y: obs.f32, d: obs.f32, cx: obs.f32, cy: obs.f32, steps: obs.i32,
    ) -> Any:  # fmt: skip
        return mandelbrot.julia(*picture.shape, x, y, d, cx, cy, steps)

    def sets(xp: Any, picture: Any, x: float, y: float, d: float,
             cx: float, cy: float, steps: int) -> Any:  # fmt: skip
        one, (height, width) = np.float32, picture.shape
        zx = (xp.arange(width) - width // 2).astype(one)[None, :] * one(d) + one(x)
        zy = (xp.arange(height) - height // 2).astype(one)[:, None] * one(d) + one(y)
        zx, zy = (a + xp.zeros((height, width), one) for a in (zx, zy))
        counts = xp.zeros((height, width), np.int32)
        for _ in range(steps):
            inside = zx * zx + zy * zy <= 4
            counts += inside
            following = zx * zx - zy * zy + one(cx)
            zy = xp.where(inside, (zx + zx) * zy + one(cy), zy)
            zx = xp.where(inside, following, zx)
        return counts

    def julia_inputs(xp: Any, n: int) -> Inputs:
        d = float(np.float32(3) / np.float32(side(n)))
        picture = xp.zeros((side(n), side(n)), np.int32)
        return [picture, 0.0, 0.0, d, -0.8, 0.156, STEPS]

    def julia_peer(machine: Any, given: Inputs) -> Any:
        out = machine.xp.empty_like(given[0])
        machine.call("nvcc_julia", [out], [*out.shape, STEPS])
        return out

    return [
        Work(
            "transpose-i32", "images", "transpose.py: transpose",
            lambda xp, n: [square_of(data.integers(xp, n, 1 << 32), n)], transpose.transpose,
            lambda xp, a: a.T,
            (from_library("nvcc, tile of 32 x 33", "nvcc_transpose", like(0), extents),),
            lambda n: 8.0 * n, small=(1, 1089),
        ),
        convolve(3, "clamp", "i32"),
        convolve(3, "clamp", "f32"),
        convolve(3, "mirror", "f32"),
        convolve(3, "wrap", "f32"),
        convolve(3, "constant", "f32"),
        convolve(5, "clamp", "f32"),
        Work(
            "julia", "images", "mandelbrot.py: julia", julia_inputs, julia, sets,
            (Peer("nvcc, one pixel per thread", julia_peer),), lambda n: 4.0 * n,
            flops=lambda inputs, result: 10.0 * float(result.sum(dtype=np.float64)),
            differing=0.02, small=(400,),
        ),
    ]  # fmt: skip


def products() -> list[Work]:
    def inputs(xp: Any, n: int) -> Inputs:
        return [square_of(data.floats(xp, n, -0.5, 0.5, s), n) for s in (1, 2)]

    def product(xp: Any, a: Any, b: Any) -> Any:
        return a.astype(np.float64) @ b.astype(np.float64)

    def prepare(machine: Any, given: Inputs) -> Inputs:
        return [*given, machine.xp.asarray([1, 0], np.float32)]

    def blas(machine: Any, given: Inputs) -> Any:
        a, b, numbers = given
        out = machine.xp.empty((a.shape[0], b.shape[1]), np.float32)
        extents = [a.shape[0], b.shape[1], a.shape[1]]
        machine.call("cublas_matmul_f32", [a, b, out, numbers], extents)
        return out

    def make(name: str, program: Any, source: str) -> Work:
        return Work(
            name, "matrix products", source, inputs, program, product,
            (Peer("cuBLAS, f32", blas, prepare),), lambda n: 12.0 * n,
            flops=lambda given, result: 2.0 * len(given[0]) ** 3, tolerance=1e-3,
            sizes=tuple(2**k for k in range(16, 27, 2)), small=(1, 4900),
        )  # fmt: skip

    return [
        make("matmul-f32", contracted(matmul.matmul), "matmul.py: matmul"),
        make(
            "matmul-registers-f32", contracted(matmul_registers.matmul_registers),
            "matmul_registers.py: matmul_registers",
        ),
    ]  # fmt: skip


def row_works() -> list[Work]:
    def softmax(xp: Any, x: Any) -> Any:
        e = xp.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    def layer_norm(xp: Any, x: Any, weights: Any, offsets: Any, e: float) -> Any:
        x = x.astype(np.float64)
        d = x - x.mean(axis=1, keepdims=True)
        return d / xp.sqrt((d * d).mean(axis=1, keepdims=True) + e) * weights + offsets

    def matrix(xp: Any, n: int, columns: int) -> Any:
        count = max(1, n // columns)
        return data.floats(xp, count * columns, -4, 4).reshape(count, columns)

    def make(name: str, columns: int, has_weights: bool) -> Work:
        def inputs(xp: Any, n: int) -> Inputs:
            x = matrix(xp, n, columns)
            if not has_weights:
                return [x]
            return [x, data.floats(xp, columns, seed=1), data.floats(xp, columns, seed=2), 1e-5]

        program = rows.layer_norm_of if has_weights else rows.softmax_of
        kind = "layer_norm" if has_weights else "softmax"
        return Work(
            name, "rows", f"rows.py: {kind}_of({columns})", inputs, program(columns),
            layer_norm if has_weights else softmax,
            (copy_of(lambda n: 8.0 * n), triton(kind)), lambda n: 8.0 * n, tolerance=1e-4,
            small=(3 * columns,), oracle_at_full_size=True,
            sizes=tuple(s for s in POWERS if s >= columns),
        )  # fmt: skip

    return [
        make("softmax-1000", 1000, False),
        make("softmax-8192", 8192, False),
        make("layer-norm-1000", 1000, True),
    ]


def others() -> list[Work]:
    def sparse(xp: Any, n: int) -> Inputs:
        count = max(1, n // 32)
        offsets = xp.zeros(count + 1, np.int32)
        offsets[1:] = xp.cumsum(16 + data.integers(xp, count, 33, 1), dtype=np.int32)
        k = int(offsets[-1])
        columns = data.integers(xp, k, count, 2)
        return [offsets, columns, data.floats(xp, k, seed=3), data.floats(xp, count, seed=4)]

    def product(xp: Any, offsets: Any, columns: Any, values: Any, x: Any) -> Any:
        lengths = np.diff(offsets)
        places = np.repeat(np.arange(len(lengths)), lengths)
        weights = values.astype(np.float64) * x[columns]
        return np.bincount(places, weights=weights, minlength=len(lengths))

    def sparse_result(machine: Any, inputs: Inputs) -> list[Any]:
        return [machine.xp.empty(inputs[0].size - 1, np.float32)]

    def sparse_extents(inputs: Inputs) -> Sequence[int]:
        count = inputs[0].size - 1
        return count, count, inputs[1].size

    def points(xp: Any, n: int) -> Inputs:
        return [
            *(data.integers(xp, n, 1000, s) for s in (1, 2)),
            *(data.integers(xp, CENTRES, 1000, s) for s in (3, 4)),
        ]

    def step(xp: Any, x: Any, y: Any, cx: Any, cy: Any) -> Any:
        distances = (x[:, None] - cx) ** 2 + (y[:, None] - cy) ** 2
        labels = distances.argmin(axis=1).astype(np.int32)
        count = np.bincount(labels, minlength=CENTRES)
        means = []
        for values, old in ((x, cx), (y, cy)):
            total = np.bincount(labels, weights=values, minlength=CENTRES).astype(np.int64)
            means.append(np.where(count == 0, old, total // np.maximum(count, 1)))
        return (*(m.astype(np.int32) for m in means), labels)

    def step_peer(machine: Any, inputs: Inputs) -> Any:
        out = [machine.xp.empty_like(inputs[i]) for i in (2, 3, 0)]
        numbers = [inputs[0].size, CENTRES, 4 * machine.multiprocessors]
        machine.call("nvcc_k_means", [*inputs, *out], numbers)
        return tuple(out)

    def flat(result: Any) -> Any:
        return (*result[0], result[1]) if len(result) == 2 else result

    def bodies(xp: Any, n: int) -> Inputs:
        return [*(data.floats(xp, n, -1, 1, s) for s in (1, 2, 3)), data.floats(xp, n, seed=4)]

    def accelerations(xp: Any, *given: Any) -> Any:
        x, y, z, m = (a.astype(np.float64) for a in given)
        d = [a[None, :] - a[:, None] for a in (x, y, z)]
        square = d[0] ** 2 + d[1] ** 2 + d[2] ** 2 + 0.0625
        scale = m / (square * xp.sqrt(square))
        return tuple((scale * part).sum(axis=1) for part in d)

    def grid(xp: Any, u: Any) -> Any:
        for _ in range(5):
            old, u = u, u.copy()
            if min(u.shape) > 2:
                u[1:-1, 1:-1] = (
                    (old[:-2, 1:-1] + old[2:, 1:-1]) + (old[1:-1, :-2] + old[1:-1, 2:])
                ) * np.float32(0.25)
        return u

    def graph(machine: Any, inputs: Inputs) -> Any:
        u, a, b = inputs
        machine.call("graph_jacobi", [u, a, b], u.shape)
        return a

    def two_more(machine: Any, inputs: Inputs) -> Inputs:
        return [inputs[0], *(machine.kept(inputs[0], name) for name in "ab")]

    def small_kernels(name: str, is_captured: bool = False) -> Work:
        return Work(
            name, "small kernels", "jacobi.py: jacobi, 5 steps",
            lambda xp, n: [square_of(data.floats(xp, n), n)], lambda u: jacobi.jacobi(u, 5), grid,
            (Peer("CUDA graph of the same", graph, two_more),), lambda n: 40.0 * n, tolerance=1e-6,
            sizes=POWERS[:7], small=(1, 1089), calls=50, is_captured=is_captured,
        )  # fmt: skip

    attracted = contracted(n_body.blocks)
    return [
        Work(
            "spmv-f32", "sparse products", "spmv.py: spmv", sparse, spmv.spmv, product,
            (from_library("cuSPARSE, CSR", "cusparse_spmv_f32", sparse_result, sparse_extents),),
            lambda n: 8.5 * n, tolerance=1e-4, small=(32, 4096),
            # The matrix of fewer elements is not sparse.
            sizes=tuple(s for s in POWERS if s >= 2**14),
        ),
        Work(
            "k-means", "k-means", "k_means.py: step", points,
            lambda x, y, cx, cy: k_means.step((x, y), (cx, cy)), step,
            (Peer("nvcc", step_peer),), lambda n: 12.0 * n,
            flops=lambda inputs, result: 12.0 * inputs[0].size * CENTRES, view=flat,
            # With more points the sums no longer fit in 32 bits.
            sizes=tuple(s for s in POWERS if s <= 2**26), small=(1, 1025),
        ),
        Work(
            "n-body", "n-body", "n_body.py: blocks", bodies,
            lambda *given: attracted(given, 0.0625), accelerations,
            (from_library("nvcc", "nvcc_n_body", like(0, 0, 0)),), lambda n: 28.0 * n,
            flops=lambda inputs, result: 20.0 * inputs[0].size ** 2, tolerance=1e-3,
            sizes=tuple(2**k for k in range(12, 18)), small=(1, 300), view=tuple,
        ),
        small_kernels("small-kernels"),
        small_kernels("small-kernels-graph", is_captured=True),
    ]  # fmt: skip


def all_works() -> dict[str, Work]:
    """Every work, by name."""
    groups = (
        typed(), maps(), reductions(), scans(), compaction(), histograms(), strategies(),
        batch_sorts(), key_sorts(), sorts(), images(), products(), row_works(), others(),
    )  # fmt: skip
    return {work.name: work for group in groups for work in group}

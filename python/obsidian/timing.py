"""Times of runs.

In: a function without arguments that runs a program, and the bytes that its kernels move. Out:
`BenchReport`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .backend import Device
from .driver import driver
from .errors import ArgumentError
from .views import View

_NAMES = {
    "interpret": "the interpreter, not a GPU",
    "emulate": "the emulator, not a GPU",
    "cuda": "the GPU",
}


@dataclass(frozen=True, repr=False)
class BenchReport:
    """The times of some runs: `f.bench(...)`.

    A time is the time of a call from Python: checks of the arguments, copies, and all kernels.
    """

    device: Device
    #: Seconds of each run, in order.
    seconds: tuple[float, ...]
    #: Bytes of global memory that the kernels of one run move, by the cost report; None if they
    #: are unknown.
    bytes: int | None
    #: Bytes per second, read and written, of a copy of the largest argument on its GPU; None
    #: without a GPU.
    copy_bytes_per_second: float | None = None

    @property
    def best(self) -> float:
        """The shortest time, in seconds."""
        return min(self.seconds)

    @property
    def median(self) -> float:
        """The median of the times, in seconds."""
        return float(np.median(self.seconds))

    @property
    def bytes_per_second(self) -> float | None:
        """The bytes of the cost report divided by the median time; None if they are unknown."""
        return None if self.bytes is None else self.bytes / self.median

    def __str__(self) -> str:
        text = (
            f"{_seconds(self.median)} median, {_seconds(self.best)} best of {len(self.seconds)} "
            f"runs on {_NAMES[self.device]}"
        )
        if self.bytes is not None and self.bytes_per_second is not None:
            rate = self.bytes_per_second / 1e9
            text += f"; {self.bytes} bytes of global memory by the cost report, {rate:.3g} GB/s"
        if self.copy_bytes_per_second is not None:
            rate = self.copy_bytes_per_second / 1e9
            text += f"; a copy of the largest argument has {rate:.3g} GB/s"
        return text

    __repr__ = __str__


def _seconds(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def seconds_of(run: Callable[[], object], repeat: int) -> tuple[float, ...]:
    """The times of `repeat` runs, after one run without measurement.

    Raises ArgumentError if `repeat` is below 1.
    """
    if repeat < 1:
        raise ArgumentError(f"repeat is {repeat}, and at least 1 run has a time")
    run()
    seconds = []
    for _ in range(repeat):
        begin = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - begin)
    return tuple(seconds)


def measure_on_gpu(
    run: Callable[[], object], repeat: int, view: View, bytes: int | None
) -> BenchReport:
    """The times of runs until the GPU is done, and of copies; `view` is the largest argument."""
    index = view.device
    stream = view.framework.stream(index) if view.stream is None else view.stream

    def finished(work: Callable[[], object]) -> Callable[[], None]:
        def run_and_wait() -> None:
            work()
            driver().synchronize(index, stream)

        return run_and_wait

    seconds = seconds_of(finished(run), repeat)
    try:
        copies = seconds_of(finished(lambda: view.framework.copy(view)), repeat)
        rate = 2 * view.nbytes / float(np.median(copies))
    except ArgumentError:
        # An array of no framework cannot be copied.
        return BenchReport("cuda", seconds, bytes)
    return BenchReport("cuda", seconds, bytes, rate)

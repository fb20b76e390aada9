"""Search for the fastest number of threads.

In: a call of functions, with arrays as large as in use. Out: `TuneReport`, and a file that the
compiler reads if OBS_TUNED names it. The file has the number of threads of a block for each
program, by a digest of its text: a program that changes is compiled with the default again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from .device_arrays import DeviceArray
from .driver import driver
from .errors import ArgumentError, ObsidianError
from .interop import view_of
from .types import flatten
from .views import CPU

#: The default is replaced only by a number of threads that takes at most this part of its time.
_GAIN = 0.98


class _Tuned(Protocol):
    def forget(self) -> None:
        """Compile the next call again."""


@dataclass(frozen=True, repr=False)
class TuneReport:
    """The times of a search: `obs.tune(...)`."""

    #: Seconds of a call by the number of threads; 0 is the default of the compiler. A number for
    #: which the program cannot be compiled or run is missing.
    seconds: dict[int, float]
    #: The fastest number of threads; 0 if no number is clearly faster than the default.
    threads: int
    #: The digests of the programs that the call ran.
    programs: tuple[str, ...]

    def __repr__(self) -> str:
        times = ", ".join(f"{n or 'default'}: {s * 1e6:.4g} µs" for n, s in self.seconds.items())
        return f"{times}; {self.threads or 'default'} is chosen"


class _Trial:
    """The number of threads that all programs have for some time, and the programs."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.programs: dict[str, None] = {}


_trial: _Trial | None = None
_functions: weakref.WeakSet[Any] = weakref.WeakSet()
_tables: dict[str, dict[str, int]] = {}


def threads_of(function: _Tuned, text: str) -> int:
    """The tuned number of threads of a program, or 0. `function` forgets its calls for a trial."""
    _functions.add(function)
    place = os.environ.get("OBS_TUNED", "")
    if _trial is None and not place:
        return 0
    digest = hashlib.sha256(text.encode()).hexdigest()
    if _trial is not None:
        _trial.programs[digest] = None
        return _trial.threads
    if place not in _tables:
        _tables[place] = _read(Path(place))
    return _tables[place].get(digest, 0)


def tune(
    run: Callable[[], Any],
    *,
    threads: Sequence[int] = (64, 128, 256, 512),
    repeat: int = 20,
    file: str | os.PathLike[str] | None = None,
    measure: Callable[[], float] | None = None,
) -> TuneReport:
    """Find the number of threads of a block with which a call is fastest, and keep it in a file.

    `run` calls functions with `@obs.jit`, always with the same arrays, and returns their results.
    All programs of the call get the same number. A number of threads is timed only if the results
    have the same bits as with the default. `measure` returns the seconds of a call, if the median
    of `repeat` calls is not a good measure. `file`, or else the file that OBS_TUNED names, gets the
    result; other programs keep their entries. Functions with `threads=` keep their number.

    Raises ArgumentError if there is no file to write, or a file is no file of tuned programs.
    """
    named = os.environ.get("OBS_TUNED") if file is None else os.fspath(file)
    if not named:
        raise ArgumentError("the result needs a place: name a file=, or set OBS_TUNED")
    if repeat < 1:
        raise ArgumentError(f"repeat is {repeat}, and at least 1 run has a time")
    entries = _read(Path(named))

    def seconds() -> float:
        times = []
        for _ in range(repeat):
            begin = time.perf_counter()
            _finish(run())
            times.append(time.perf_counter() - begin)
        return float(np.median(times))

    found: dict[int, float] = {}
    programs: dict[str, None] = {}
    expected: list[str] = []
    for number in dict.fromkeys((0, *threads)):
        with _all_have(number) as trial:
            try:
                digests = _digests(run())
            except ObsidianError:
                if number == 0:
                    raise
                continue
            if number == 0:
                expected, programs = digests, trial.programs
            if digests == expected:
                found[number] = (measure or seconds)()
    best = min(found, key=lambda number: found[number])
    chosen = best if found[best] <= _GAIN * found[0] else 0
    for digest in programs:
        entries.pop(digest, None)
        if chosen:
            entries[digest] = chosen
    _write(Path(named), entries)
    _tables.pop(named, None)
    return TuneReport(found, chosen, tuple(programs))


@contextlib.contextmanager
def _all_have(threads: int) -> Iterator[_Trial]:
    global _trial
    if _trial is not None:
        raise ArgumentError("obs.tune cannot run inside of obs.tune")
    _trial = _Trial(threads)
    try:
        _forget_all()
        yield _trial
    finally:
        _trial = None
        _forget_all()


def _forget_all() -> None:
    for function in list(_functions):
        function.forget()


def _finish(results: Any) -> None:
    """Wait until the GPU has computed the results."""
    for leaf in flatten(results)[0]:
        view = view_of(leaf)
        if view is not None and view.device != CPU:
            stream = view.framework.stream(view.device) if view.stream is None else view.stream
            driver().synchronize(view.device, stream)
            return


def _digests(results: Any) -> list[str]:
    """Digests of the bits of all results."""
    _finish(results)
    digests = []
    for leaf in flatten(results)[0]:
        view = view_of(leaf)
        if view is not None and view.device != CPU:
            stream = view.framework.stream(view.device) if view.stream is None else view.stream
            array = DeviceArray(
                leaf, view.device, view.pointer, view.shape, view.element, stream
            ).numpy()
        else:
            array = np.asarray(leaf)
        digests.append(hashlib.sha256(array.tobytes()).hexdigest())
    return digests


def _read(place: Path) -> dict[str, int]:
    try:
        entries = json.loads(place.read_text())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ArgumentError(f"{place} is no file of tuned programs: {error}") from None
    if not isinstance(entries, dict) or not all(
        isinstance(n, int) and 1 <= n <= 1024 for n in entries.values()
    ):
        raise ArgumentError(f"{place} is no file of tuned programs: it has digests and threads")
    return entries


def _write(place: Path, entries: dict[str, int]) -> None:
    """Another process reads either the old file or the new one."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=place.parent)
        with os.fdopen(handle, "w") as file:
            json.dump(entries, file, indent=1, sort_keys=True)
        os.replace(name, place)
    except OSError as error:
        raise ArgumentError(f"{place} cannot be written: {error}") from None

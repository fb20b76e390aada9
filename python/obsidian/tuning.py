"""Search for the options of the compiler with which a call is fastest.

In: a call of functions, with arrays as large as in use. Out: `TuneReport`, and a file that the
compiler reads if OBS_TUNED names it. The file has the options for each program, by a digest of its
text: a program that changes is compiled with the defaults again.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import itertools
import json
import os
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from . import cache
from .backend import CompileOptions, backend
from .device_arrays import DeviceArray
from .driver import driver
from .errors import ArgumentError, ObsidianError
from .interop import view_of
from .types import flatten
from .views import CPU

#: The default is replaced only by options with which a call takes at most this part of its time.
_GAIN = 0.98
#: Options that move more than this many times the bytes of the default are not tried.
_MOST_BYTES = 2


class _Tuned(Protocol):
    def forget(self) -> None:
        """Compile the next call again."""


@dataclass(frozen=True, order=True)
class Tuning:
    """Options of the compiler that change no results. `Tuning()` has the defaults."""

    #: Threads of a block, and blocks of every launch. With 0, the compiler chooses.
    threads: int = 0
    blocks: int = 0
    #: If threads execute several iterations of a loop over the grid together.
    tiles: bool = True
    #: If collectives have the simplest strategies.
    plain: bool = False

    def __str__(self) -> str:
        words = [f"{n} {w}" for n, w in ((self.threads, "threads"), (self.blocks, "blocks")) if n]
        words += ["no tiles"] * (not self.tiles) + ["plain collectives"] * self.plain
        return ", ".join(words) or "default"

    def applied(self, options: CompileOptions) -> CompileOptions:
        """Options of the compiler with these in place of the defaults."""
        return dataclasses.replace(
            options,
            threads=self.threads,
            blocks=self.blocks,
            tiles=self.tiles,
            plain_collectives=self.plain,
        )

    def entry(self) -> dict[str, int]:
        """The options that are not the defaults, as the file has them."""
        return {k: v for k, v in dataclasses.asdict(self).items() if v != getattr(Tuning(), k)}


@dataclass(frozen=True, repr=False)
class TuneReport:
    """The times of a search: `obs.tune(...)`."""

    #: Seconds of a call by the options. Options with which the program cannot be compiled or run,
    #: or whose results are different, are missing, and so are those that need not be tried.
    seconds: dict[Tuning, float]
    #: The fastest options; the defaults if no others are clearly faster.
    chosen: Tuning
    #: The digests of the programs that the call ran.
    programs: tuple[str, ...]

    @property
    def threads(self) -> int:
        """The chosen number of threads; 0 is the default of the compiler."""
        return self.chosen.threads

    def __repr__(self) -> str:
        times = "; ".join(f"{tuning}: {s * 1e6:.4g} µs" for tuning, s in self.seconds.items())
        return f"{times}; chosen: {self.chosen}"


class _Trial:
    """The options that all programs have for some time, and the programs by their digests."""

    def __init__(self, tuning: Tuning) -> None:
        self.tuning = tuning
        self.programs: dict[str, str] = {}


_trial: _Trial | None = None
_functions: weakref.WeakSet[Any] = weakref.WeakSet()
_tables: dict[str, dict[str, Tuning]] = {}


def tuning_of(function: _Tuned | None, text: str) -> Tuning:
    """The tuned options of a program. `function` forgets its calls for a trial."""
    if function is not None:
        _functions.add(function)
    place = os.environ.get("OBS_TUNED", "")
    if _trial is None and not place:
        return Tuning()
    digest = hashlib.sha256(text.encode()).hexdigest()
    if _trial is not None:
        _trial.programs[digest] = text
        return _trial.tuning
    if place not in _tables:
        _tables[place] = _read(Path(place))
    return _tables[place].get(digest, Tuning())


def tune(
    run: Callable[[], Any],
    *,
    threads: Sequence[int] = (64, 128, 256, 512),
    blocks: Sequence[int] = (),
    tiles: Sequence[bool] = (True, False),
    plain: Sequence[bool] = (False, True),
    repeat: int = 20,
    file: str | os.PathLike[str] | None = None,
    measure: Callable[[], float] | None = None,
    bytes_of: Callable[[Tuning], int] | None = None,
    progress: Callable[[str], None] | None = None,
) -> TuneReport:
    """Find the options of the compiler with which a call is fastest, and keep them in a file.

    `run` calls functions with `@obs.jit`, always with the same arrays, and returns their results.
    All programs of the call get the same options. Candidates are the defaults, and all combinations
    of `threads` and `blocks`, the defaults included, with and without `tiles`, and with or without
    `plain` collectives. Not tried are candidates with the same code as an earlier one, and those
    for which `bytes_of`, the bytes of the cost report, is more than twice that of the defaults. A
    candidate is timed only if the results have the same bits as with the defaults. `measure`
    returns the seconds of a call, if the median of `repeat` calls is not a good measure. `progress`
    receives a line about each candidate. `file`, or else the file that OBS_TUNED names, gets the
    result; other programs keep their entries. Functions with `threads=` keep their number.

    Raises ArgumentError if there is no file to write, or a file is no file of tuned programs.
    """
    named = os.environ.get("OBS_TUNED") if file is None else os.fspath(file)
    if not named:
        raise ArgumentError("the result needs a place: name a file=, or set OBS_TUNED")
    if repeat < 1:
        raise ArgumentError(f"repeat is {repeat}, and at least 1 run has a time")
    place = Path(named)
    # A file that cannot be read or written is an error before all measurements.
    _write(place, _read(place))

    def seconds() -> float:
        times = []
        for _ in range(repeat):
            begin = time.perf_counter()
            finish(run())
            times.append(time.perf_counter() - begin)
        return float(np.median(times))

    candidates = list(
        dict.fromkeys(
            itertools.starmap(
                Tuning,
                [
                    (0, 0, True, False),
                    *itertools.product((0, *threads), (0, *blocks), tiles, plain),
                ],
            )
        )
    )
    search = _Search(run, measure or seconds, bytes_of)
    for number, tuning in enumerate(candidates, 1):
        outcome = search.attempt(tuning)
        if progress is not None:
            progress(f"{number} of {len(candidates)}: {tuning}: {outcome}")
    chosen = search.best()
    # Another process may have tuned other programs since.
    entries = _read(place)
    for digest in search.programs:
        entries.pop(digest, None)
        if chosen != Tuning():
            entries[digest] = chosen
    _write(place, entries)
    _tables.pop(named, None)
    return TuneReport(search.seconds, chosen, tuple(search.programs))


class _Search:
    """The candidates so far."""

    def __init__(
        self,
        run: Callable[[], Any],
        measure: Callable[[], float],
        bytes_of: Callable[[Tuning], int] | None,
    ) -> None:
        self._run, self._measure, self._bytes_of = run, measure, bytes_of
        self.seconds: dict[Tuning, float] = {}
        self.programs: dict[str, str] = {}
        #: The candidates by the code of all programs.
        self._codes: dict[tuple[str, ...], Tuning] = {}
        self._expected: list[str] = []
        self._bytes: int | None = None

    def attempt(self, tuning: Tuning) -> str:
        """Run and measure a candidate, unless that can bring nothing. Returns what was found."""
        is_first = tuning == Tuning()
        try:
            if not is_first and (reason := self._reason_against(tuning)):
                return reason
            with _all_have(tuning) as trial:
                digests = digests_of(self._run())
                if is_first:
                    self._expected, self.programs = digests, trial.programs
                    self._reason_against(tuning)
                if digests != self._expected:
                    return "the results differ"
                self.seconds[tuning] = self._measure()
        except ObsidianError as error:
            if is_first:
                raise
            return f"refused: {str(error).splitlines()[0]}"
        return f"{self.seconds[tuning] * 1e6:.4g} µs"

    def _reason_against(self, tuning: Tuning) -> str:
        """A reason not to run a candidate, by its code and its costs; empty if there is none."""
        options = tuning.applied(CompileOptions())
        code = tuple(
            backend().show(backend().compile(text, options), "kernels")[0]
            for text in self.programs.values()
        )
        if (earlier := self._codes.setdefault(code, tuning)) != tuning:
            return f"the code is that of {earlier}"
        if self._bytes_of is None:
            return ""
        with contextlib.suppress(ObsidianError):  # The number may depend on elements.
            count = self._bytes_of(tuning)
            if self._bytes is None:
                self._bytes = count
            if count > _MOST_BYTES * self._bytes:
                return f"moves {count} bytes, and the default {self._bytes}"
        return ""

    def best(self) -> Tuning:
        """The fastest candidate, or the defaults."""
        best = min(self.seconds, key=lambda tuning: self.seconds[tuning])
        is_faster = self.seconds[best] <= _GAIN * self.seconds[Tuning()]
        return best if is_faster else Tuning()


@contextlib.contextmanager
def _all_have(tuning: Tuning) -> Iterator[_Trial]:
    global _trial
    if _trial is not None:
        raise ArgumentError("obs.tune cannot run inside of obs.tune")
    _trial = _Trial(tuning)
    try:
        _forget_all()
        yield _trial
    finally:
        _trial = None
        _forget_all()


def _forget_all() -> None:
    for function in list(_functions):
        function.forget()


def finish(results: Any) -> None:
    """Wait until the GPU has computed the results."""
    for leaf in flatten(results)[0]:
        view = view_of(leaf)
        if view is not None and view.device != CPU:
            stream = view.framework.stream(view.device) if view.stream is None else view.stream
            driver().synchronize(view.device, stream)
            return


def digests_of(results: Any) -> list[str]:
    """Digests of the bits of all results."""
    finish(results)
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


def _read(place: Path) -> dict[str, Tuning]:
    try:
        entries = json.loads(place.read_text())
        tunings = {digest: Tuning(**entry) for digest, entry in entries.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise ArgumentError(f"{place} is no file of tuned programs: {error}") from None
    for tuning in tunings.values():
        numbers = (tuning.threads, tuning.blocks)
        switches = (tuning.tiles, tuning.plain)
        if not (
            all(type(n) is int and n >= 0 for n in numbers)
            and tuning.threads <= 1024
            and all(type(switch) is bool for switch in switches)
        ):
            raise ArgumentError(f"{place} is no file of tuned programs: it has wrong options")
    return tunings


def _write(place: Path, entries: dict[str, Tuning]) -> None:
    """Another process reads either the old file or the new one."""
    try:
        # Others may read the file, as any other file that a program writes.
        mode = place.stat().st_mode & 0o777 if place.exists() else 0o644
        texts = {digest: tuning.entry() for digest, tuning in entries.items()}
        cache.replace(place, json.dumps(texts, indent=1, sort_keys=True).encode(), mode)
    except OSError as error:
        raise ArgumentError(f"{place} cannot be written: {error}") from None

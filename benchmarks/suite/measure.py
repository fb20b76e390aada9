"""Checks and times of one work and its peers.

In: a work and a size. Out: `Measurement`, which becomes JSON.
"""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from .works import Peer, Work

#: The fewest repetitions that have a median and a spread.
FEWEST = 3


@dataclass
class Times:
    """The times of one side, in order."""

    title: str
    #: Milliseconds.
    ms: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """The median."""
        return statistics.median(self.ms)


@dataclass
class Measurement:
    """The results of a work at a size."""

    work: str
    size: int
    ours: Times | None = None
    peers: list[Times] = field(default_factory=list)
    #: The time that the limit of the machine allows, in milliseconds.
    limit_ms: float | None = None
    #: If two runs on equal inputs gave the same bits.
    same_bits: bool | None = None
    #: The error, or empty.
    error: str = ""
    #: Errors of peers, and numbers of repetitions that the time limit reduced.
    notes: list[str] = field(default_factory=list)
    #: The seconds of the first call of our program in this process: compiler, driver, and run.
    first_s: float = 0.0
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """The measurement as JSON has it."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Measurement:
        """The measurement of `to_json`."""
        ours = Times(**value["ours"]) if value["ours"] else None
        peers = [Times(**peer) for peer in value["peers"]]
        return cls(**{**value, "ours": ours, "peers": peers})

    def peer(self, title: str = "") -> Times | None:
        """The fastest peer whose title begins so."""
        found = [peer for peer in self.peers if peer.ms and peer.title.startswith(title)]
        return min(found, key=lambda peer: peer.median, default=None)

    def ratio(self, title: str = "") -> float | None:
        """The median time of a peer divided by ours."""
        peer = self.peer(title)
        return peer.median / self.ours.median if peer and self.ours and self.ours.ms else None

    @property
    def share(self) -> float | None:
        """The time of the limit of the machine divided by ours."""
        if not self.limit_ms or not self.ours or not self.ours.ms:
            return None
        return self.limit_ms / self.ours.median

    def spread(self, title: str = "") -> float | None:
        """Half the distance of the quartiles of the ratios of single repetitions, by the median."""
        peer = self.peer(title)
        if not peer or not self.ours or len(self.ours.ms) < FEWEST:
            return None
        ratios = [theirs / own for theirs, own in zip(peer.ms, self.ours.ms)]
        low, middle, high = statistics.quantiles(ratios, n=4)
        return (high - low) / 2 / middle


class WrongResult(Exception):
    """A result that is not the expected one."""


def to_arrays(value: Any) -> list[Any]:
    """The arrays of a result."""
    if isinstance(value, (tuple, list)):
        return [array for part in value for array in to_arrays(part)]
    return [value]


def compare(xp: Any, work: Work, found: Any, expected: Any, who: str) -> None:
    """Raise WrongResult unless two results agree, as far as the work says."""
    ones, others = to_arrays(found), to_arrays(expected)
    if len(ones) != len(others):
        raise WrongResult(f"{who} has {len(ones)} arrays, and {len(others)} are expected")
    for number, (one, other) in enumerate(zip(ones, others)):
        one, other = xp.asarray(one), xp.asarray(other)
        if one.shape != other.shape:
            raise WrongResult(f"{who} has the shape {one.shape}, and {other.shape} is expected")
        if work.tolerance:
            agree = abs(one - other) <= work.tolerance * (1 + abs(other))
        else:
            agree = one == other
        wrong = one.size - int(xp.count_nonzero(agree))
        if wrong > work.differing * one.size:
            raise WrongResult(f"{who}: {wrong} of {one.size} elements of array {number} are wrong")


def check_small(work: Work, sizes: Sequence[int] = ()) -> int:
    """Compare our program on the emulator with the oracle; the number of runs."""
    for size in sizes or work.small:
        inputs = work.inputs(np, size)
        with warnings.catch_warnings(), np.errstate(over="ignore"):
            warnings.simplefilter("ignore")
            found, expected = work.run(*inputs), work.oracle(np, *inputs)
        compare(np, work, work.view(found), expected, f"{work.name} of {size}")
    return len(sizes or work.small)


class Runner:
    """Measures works on one machine."""

    def __init__(self, machine: Any, limits: dict[str, float], repeat: int, seconds: float):
        """Take the limits of the machine, the number of repetitions, and seconds for each work."""
        self._machine, self._limits = machine, limits
        self._repeat, self._seconds = repeat, seconds
        #: The errors in small results, by work and side; empty if they were right.
        self._small: dict[tuple[str, str], str] = {}
        #: The seconds of our first calls, by work.
        self._first: dict[str, float] = {}

    def measure(self, work: Work, size: int, repeat: int = 0) -> Measurement:
        """Check and time a work; errors are in the measurement."""
        begin = time.monotonic()
        result = Measurement(work.name, size)
        try:
            self._measure(work, size, repeat or self._repeat, result, begin + self._seconds)
        except Exception as error:  # A work that fails is not the end of the others.
            result.error = describe(error)
        result.seconds = round(time.monotonic() - begin, 2)
        return result

    def _measure(
        self, work: Work, size: int, repeat: int, result: Measurement, deadline: float
    ) -> None:
        machine, ours = self._machine, our_side(work)
        self._check_small(work, ours)
        result.first_s = self._first.get(work.name, 0.0)
        machine.elements = size
        inputs = work.inputs(machine.xp, size)
        found = self._check_ours(work, ours, inputs, result)
        sides = [(Times("ours"), ours)]
        for peer in work.peers:
            try:
                self._check_small(work, peer)
                machine.elements = size
                self._check_peer(work, peer, inputs, found)
                sides.append((Times(peer.title), peer))
            except Exception as error:  # A peer that fails is not the end of the work.
                result.notes.append(f"{peer.title}: {describe(error)}")
        del found
        machine.synchronize()
        following: Callable[[], list[Any]] = (
            machine.rotate(inputs) if work.calls == 1 else lambda: inputs
        )
        spins = [self._spin(work, peer, following()) for _, peer in sides]
        result.ours, *result.peers = (times for times, _ in sides)
        for number in range(repeat + 1):
            for (times, peer), spin in zip(sides, spins):
                passed = self._time(work, peer, following(), spin)
                if number:  # The first round is a warm-up.
                    times.ms.append(round(passed, 6))
            if time.monotonic() > deadline and number >= FEWEST:
                result.notes.append(f"{number} repetitions in the time limit")
                break
        if len(sides) == 1:
            raise RuntimeError("no peer ran: " + "; ".join(result.notes))

    def _check_small(self, work: Work, side: Peer) -> None:
        """Compare a side with the oracle of NumPy, at the last small size, once."""
        key = work.name, side.title
        if key not in self._small:
            try:
                self._compare_small(work, side)
                self._small[key] = ""
            except Exception as error:
                text = str(error) if isinstance(error, WrongResult) else describe(error)
                self._small[key] = f"at {work.small[-1]} elements: {text}"
        if self._small[key]:
            raise WrongResult(self._small[key])

    def _compare_small(self, work: Work, side: Peer) -> None:
        machine, xp, size = self._machine, self._machine.xp, work.small[-1]
        machine.elements = size
        on_host = work.inputs(np, size)
        with np.errstate(over="ignore"):
            expected = work.oracle(np, *on_host)
        inputs = [xp.asarray(i) if isinstance(i, np.ndarray) else i for i in on_host]
        if side.title != "ours":
            self._check_peer(work, side, inputs, expected)
            return
        begin = time.monotonic()
        found = self._run(side, inputs)
        machine.synchronize()
        self._first[work.name] = round(time.monotonic() - begin, 2)
        compare(xp, work, work.view(found), expected, side.title)

    def _check_ours(
        self, work: Work, ours: Peer, inputs: list[Any], result: Measurement
    ) -> list[Any]:
        """Run twice at full size; the arrays of the result. CuPy checks them, or later the peer."""
        xp = self._machine.xp
        found = self._run(ours, inputs)
        self._machine.synchronize()
        arrays = [xp.asarray(array) for array in to_arrays(work.view(found))]
        if ours.prepare:
            arrays = [array.copy() for array in arrays]  # A replay writes to the same memory.
        again = [xp.asarray(array) for array in to_arrays(work.view(self._run(ours, inputs)))]
        result.same_bits = all(bool((a == b).all()) for a, b in zip(arrays, again))
        if work.oracle_at_full_size:
            compare(xp, work, arrays, work.oracle(xp, *inputs), "ours")
        copy, arithmetic = (self._limits[k] for k in ("copy_bytes_per_s", "f32_operations_per_s"))
        result.limit_ms = 1e3 * max(
            work.bytes(self._machine.elements) / copy, work.flops(inputs, found) / arithmetic
        )
        return arrays

    def _check_peer(self, work: Work, peer: Peer, inputs: list[Any], expected: Any) -> None:
        """Run a peer, and compare its result, if that is comparable."""
        machine = self._machine
        found = self._run(peer, inputs)
        machine.synchronize()
        if peer.has_result:
            one, other = (
                [work.common(machine.xp.asarray(array)) for array in to_arrays(value)]
                for value in (work.view(found), expected)
            )
            compare(machine.xp, work, one, other, peer.title)

    def _run(self, side: Peer, inputs: list[Any]) -> Any:
        machine = self._machine
        return side.run(machine, side.prepare(machine, inputs) if side.prepare else inputs)

    def _spin(self, work: Work, side: Peer, inputs: list[Any]) -> int:
        """The nanoseconds in which the host enqueues one call, with a reserve."""
        if work.calls > 1:
            return 0
        given = side.prepare(self._machine, inputs) if side.prepare else inputs
        taken = self._machine.host_time(lambda: side.run(self._machine, given))
        return 50_000 if work.waits else int(min(2 * taken + 50_000, 20_000_000))

    def _time(self, work: Work, side: Peer, inputs: list[Any], spin: int) -> float:
        machine = self._machine
        given = side.prepare(machine, inputs) if side.prepare else inputs

        def run() -> None:
            for _ in range(work.calls):
                side.run(machine, given)

        return float(machine.time(run, spin)) / work.calls


def our_side(work: Work) -> Peer:
    """Our program, as the peers are."""
    if work.is_captured:
        return Peer(
            "ours",
            lambda machine, given: given[0](),
            lambda machine, inputs: [machine.capture(work.run, inputs)],
        )
    return Peer("ours", lambda machine, inputs: work.run(*inputs))


def describe(error: Exception) -> str:
    """An error in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:500]

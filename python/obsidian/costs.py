"""The cost report of the compiler, as data.

In: the text of a report; `docs/generated/ReportPasses.md` describes it. Out: one `KernelCost` for
each kernel.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from .errors import ObsidianError
from .formulas import Formula
from .locations import Location


@dataclass(frozen=True)
class StoredArray:
    """An array in shared memory or registers.

    `type` contains the extents and the element type, as in `128 x i32`. `level` is the level of the
    array. It is live from the location `first` to the location `last`.
    """

    type: str
    level: str
    location: Location | None
    first: Location | None
    last: Location | None


@dataclass(frozen=True)
class SharedArray(StoredArray):
    """An array in shared memory, in the bytes from `begin` to `end`, without `end`."""

    begin: int
    end: int


@dataclass(frozen=True)
class RegisterArray(StoredArray):
    """An array in `registers` of each thread; there are `count` such arrays.

    With `is_indexed` the array is in local memory, unless its indices become constants.
    """

    registers: int
    count: int
    is_indexed: bool


@dataclass(frozen=True)
class Access:
    """One access to memory in the code of a kernel.

    `kind` is read, write or atomic. `memory` is global, shared, constant or `?`. `type` is that of
    an element, or `4 x f32` for a vector. If all threads of a level make one access together,
    `level` is this level; in a loop over threads, it is None. `sectors` is the average number of
    sectors of 32 bytes of global memory for a request of a warp, and `conflicts` the maximum
    bank-conflict degree in shared memory; both are None if they are not known. `requests` is the
    text of the report. `bytes` are those of all threads of one launch.
    """

    kind: str
    memory: str
    type: str
    location: Location | None
    level: str | None
    sectors: float | None
    conflicts: int | None
    requests: str
    bytes: Formula


@dataclass(frozen=True)
class Shuffle:
    """A read of the registers of other lanes; `lanes` describes these lanes."""

    type: str
    location: Location | None
    lanes: str


@dataclass(frozen=True)
class Loop:
    """A loop over the threads of a level.

    `operations` are those of one iteration, by kind: float, function, integer, index. A thread
    executes `items` neighbouring iterations together.
    """

    iterations: Formula
    level: str
    location: Location | None
    operations: dict[str, Formula]
    items: int


@dataclass(frozen=True)
class Traffic:
    """Bytes of one kind of memory in one launch of a kernel."""

    read: Formula
    written: Formula
    atomic: Formula


@dataclass(frozen=True)
class Virtual:
    """A virtual array: the numbers of computed elements, and of places that compute them."""

    operation: str
    location: Location | None
    places: int
    computed: str


@dataclass
class KernelCost:
    """The costs of one kernel."""

    name: str
    location: Location | None
    #: Threads of a block in the program, and as they are launched.
    threads: int = 0
    launched_threads: int = 0
    #: Registers of 32 bits of a thread: of arrays that are alive at one time, and of loops.
    array_registers: int = 0
    loop_registers: int = 0
    registers: list[RegisterArray] = field(default_factory=list)
    #: Bytes of shared memory of a block.
    shared_bytes: int = 0
    shared: list[SharedArray] = field(default_factory=list)
    #: Barriers in the code: of a block, and of a warp.
    block_barriers: int = 0
    warp_barriers: int = 0
    #: The number of their executions for one part of the grid.
    executed_block_barriers: Formula = field(default_factory=lambda: Formula("0"))
    executed_warp_barriers: Formula = field(default_factory=lambda: Formula("0"))
    loops: list[Loop] = field(default_factory=list)
    accesses: list[Access] = field(default_factory=list)
    shuffles: list[Shuffle] = field(default_factory=list)
    #: By kind of memory.
    memory: dict[str, Traffic] = field(default_factory=dict)
    #: The operations of all loops over threads, by kind.
    operations: dict[str, Formula] = field(default_factory=dict)
    virtual: list[Virtual] = field(default_factory=list)

    @property
    def barriers(self) -> int:
        """All barriers in the code."""
        return self.block_barriers + self.warp_barriers


_PLACE = r"(\?|[^,]+?:\d+:\d+)"
_LEVEL = r"(thread|warp|block|grid)"
_STORED = (
    rf"(.+) of a {_LEVEL} at {_PLACE}(, in local memory.*?)?(?:, alive from {_PLACE} to {_PLACE})?"
)
_KERNEL = re.compile(rf"kernel '(.+)' at {_PLACE}")
_THREADS = re.compile(r"threads of a block: (\d+) logical, (\d+) launched")
_REGISTERS = re.compile(r"registers of a thread: (\d+) hold .*, (\d+) carry")
_REGISTER_ARRAY = re.compile(rf"(?:(\d+) times )?(\d+): {_STORED}")
_SHARED = re.compile(r"shared memory of a block: (\d+) bytes")
_SHARED_ARRAY = re.compile(rf"(\d+) to (-?\d+): {_STORED}")
_BARRIERS = re.compile(
    r"barriers: (\d+) of a block, (\d+) of a warp"
    r"(?:; executed for each part of the grid: (.+) and (.+))?"
)
_LOOP = re.compile(
    rf"(.+) iterations? in a {_LEVEL} at {_PLACE}(?:, (\d+) of a thread side by side)?, each (.+)"
)
_ACCESS = re.compile(
    rf"(read|write|atomic) (\w+|\?) (.+) at {_PLACE}(?: by all threads of a {_LEVEL})?"
    r"(, .* per request.*?|, bank-conflict degree .*?|, no requests .*?)?, ([^?]*|\?) bytes"
)
_SECTORS = re.compile(r"([\d.]+) sectors? per request")
_CONFLICTS = re.compile(r"bank-conflict degree (\d+)")
_SHUFFLE = re.compile(rf"shuffle (.+) at {_PLACE}, lanes: (.+)")
_TRAFFIC = re.compile(
    r"(\w+|\?) memory: (.+) bytes read, (.+?) bytes written(?:, (.+) bytes by atomic operations)?"
)
_OPERATIONS = re.compile(r"in loops over threads: (.+)")
_OPERATION = re.compile(r"(.+?) (float|function|integer|index)(?:, | and | operations?$)")
_VIRTUAL = re.compile(rf"(obs\.\w+) at {_PLACE}, in (\d+) places?: (.+)")


def parse_costs(text: str, files: Mapping[str, str] | None = None) -> list[KernelCost]:
    """The kernels of a report.

    The report names a file without its folder; `files` gives the path of each. Raises ObsidianError
    at a line that does not belong to a report.
    """
    return _Reader(files or {}).read(text)


class _Reader:
    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files
        self._kernels: list[KernelCost] = []

    def read(self, text: str) -> list[KernelCost]:
        for line in text.splitlines():
            words = line.strip()
            if words and not self._line(words):
                raise ObsidianError(f"the cost report has a line that is not known: {words}")
        return self._kernels

    def _place(self, text: str | None) -> Location | None:
        if not text or text == "?":
            return None
        file, line, column = text.rsplit(":", 2)
        return Location(self._files.get(file, file), int(line), int(column))

    def _line(self, words: str) -> bool:
        """Read a line; False if its form is unknown."""
        if match := _KERNEL.fullmatch(words):
            self._kernels.append(KernelCost(match[1], self._place(match[2])))
            return True
        return bool(self._kernels) and (
            self._numbers(self._kernels[-1], words) or self._parts(self._kernels[-1], words)
        )

    def _numbers(self, kernel: KernelCost, words: str) -> bool:
        """A line with numbers of the whole kernel."""
        if match := _THREADS.fullmatch(words):
            kernel.threads, kernel.launched_threads = int(match[1]), int(match[2])
        elif match := _REGISTERS.match(words):
            kernel.array_registers, kernel.loop_registers = int(match[1]), int(match[2])
        elif match := _SHARED.fullmatch(words):
            kernel.shared_bytes = int(match[1])
        elif match := _BARRIERS.fullmatch(words):
            kernel.block_barriers, kernel.warp_barriers = int(match[1]), int(match[2])
            kernel.executed_block_barriers = Formula(match[3] or "0")
            kernel.executed_warp_barriers = Formula(match[4] or "0")
        elif match := _OPERATIONS.fullmatch(words):
            kernel.operations = _operations(match[1])
        elif match := _TRAFFIC.fullmatch(words):
            numbers = [Formula(match[n] or "0") for n in (2, 3, 4)]
            kernel.memory[match[1]] = Traffic(*numbers)
        else:
            return words in (
                "none",
                "loops over threads and accesses:",
                "virtual arrays computed:",
            ) or bool(re.fullmatch(rf"obs\.\w+ at {_PLACE} takes .*", words))
        return True

    def _stored(
        self, words: tuple[str, ...]
    ) -> tuple[str, str, Location | None, Location | None, Location | None]:
        kind, level, place, _, first, last = words
        return kind, level, self._place(place), self._place(first), self._place(last)

    def _parts(self, kernel: KernelCost, words: str) -> bool:
        """A line about one array, loop or access."""
        if match := _SHARED_ARRAY.fullmatch(words):
            stored = self._stored(match.groups()[2:])
            kernel.shared.append(SharedArray(*stored, int(match[1]), int(match[2]) + 1))
        elif match := _REGISTER_ARRAY.fullmatch(words):
            stored = self._stored(match.groups()[2:])
            count, registers = int(match[1] or 1), int(match[2])
            kernel.registers.append(RegisterArray(*stored, registers, count, bool(match[6])))
        elif match := _LOOP.fullmatch(words):
            place, operations, items = self._place(match[3]), _operations(match[5]), match[4]
            loop = Loop(Formula(match[1]), match[2], place, operations, int(items or 1))
            kernel.loops.append(loop)
        elif match := _SHUFFLE.fullmatch(words):
            kernel.shuffles.append(Shuffle(match[1], self._place(match[2]), match[3]))
        elif match := _ACCESS.fullmatch(words):
            kernel.accesses.append(self._access(match))
        elif match := _VIRTUAL.fullmatch(words):
            place = self._place(match[2])
            kernel.virtual.append(Virtual(match[1], place, int(match[3]), match[4]))
        else:
            return False
        return True

    def _access(self, match: re.Match[str]) -> Access:
        requests = (match[6] or "").removeprefix(", ")
        sectors, conflicts = _SECTORS.match(requests), _CONFLICTS.match(requests)
        return Access(
            kind=match[1],
            memory=match[2],
            type=match[3],
            location=self._place(match[4]),
            level=match[5],
            sectors=float(sectors[1]) if sectors else None,
            conflicts=int(conflicts[1]) if conflicts else None,
            requests=requests,
            bytes=Formula(match[7]),
        )


def _operations(text: str) -> dict[str, Formula]:
    return {match[2]: Formula(match[1]) for match in _OPERATION.finditer(text)}

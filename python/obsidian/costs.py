"""The cost report of the compiler, as data.

In: a report as JSON; `docs/Embedding.md` describes it. Out: one `KernelCost` for each kernel.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

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
    text of the report. The other numbers are those of all threads of one launch. The requests of
    warps move `total_sectors` sectors of global memory, or take `wavefronts` cycles of shared
    memory, `total_conflicts` of which are due to bank conflicts.
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
    total_sectors: Formula
    wavefronts: Formula
    total_conflicts: Formula


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


_Stored = tuple[str, str, "Location | None", "Location | None", "Location | None"]
_SIZE = re.compile(r"\barg\d+(?:\.dim\d+)?\b")


def rename_sizes(text: str, names: Mapping[str, str]) -> str:
    """A text with the names of the program for sizes of the arguments of a kernel."""
    return _SIZE.sub(lambda match: names.get(match[0], match[0]), text)


def read_place(data: Mapping[str, Any] | None) -> Location | None:
    """A location of a report."""
    return Location(data["file"], data["line"], data["column"]) if data else None


def read_costs(
    report: Mapping[str, Any], names: Mapping[str, Mapping[str, str]] | None = None
) -> list[KernelCost]:
    """The kernels of a report.

    `names` has for each kernel the names that replace the sizes of its arguments.
    """
    return [_kernel(data, (names or {}).get(data["name"], {})) for data in report["kernels"]]


def _kernel(data: Mapping[str, Any], names: Mapping[str, str]) -> KernelCost:
    def number(text: str | None) -> Formula:
        return Formula(rename_sizes(text or "0", names))

    def numbers(texts: Mapping[str, str]) -> dict[str, Formula]:
        return {kind: number(text) for kind, text in texts.items()}

    def stored(array: Mapping[str, Any]) -> _Stored:
        location, first, last = (read_place(array[n]) for n in ("location", "first", "last"))
        return array["type"], array["level"], location, first, last

    def access(one: Mapping[str, Any]) -> Access:
        texts = (one.get(name) for name in ("bytes", "sectors", "wavefronts", "conflicts"))
        return Access(
            one["kind"],
            one["memory"],
            one["type"],
            read_place(one["location"]),
            one["level"],
            one.get("sectorsPerRequest"),
            one.get("conflictDegree"),
            one["requests"],
            *map(number, texts),
        )

    # Arrays in registers that differ in nothing are one.
    registers = Counter(
        (stored(array), array["registers"], array["isIndexed"])
        for array in data["arrays"]
        if "registers" in array
    )
    barriers = data["barriers"]
    return KernelCost(
        name=data["name"],
        location=read_place(data["location"]),
        threads=data["threads"],
        launched_threads=data["launchedThreads"],
        array_registers=data["registers"]["arrays"],
        loop_registers=data["registers"]["loops"],
        registers=[
            RegisterArray(*array, size, count, is_indexed)
            for (array, size, is_indexed), count in registers.items()
        ],
        shared_bytes=data["sharedBytes"],
        shared=[
            SharedArray(*stored(array), array["begin"], array["end"])
            for array in data["arrays"]
            if "begin" in array
        ],
        block_barriers=barriers["block"],
        warp_barriers=barriers["warp"],
        executed_block_barriers=number(barriers["executedBlock"]),
        executed_warp_barriers=number(barriers["executedWarp"]),
        loops=[
            Loop(
                number(loop["iterations"]),
                loop["level"],
                read_place(loop["location"]),
                numbers(loop["operations"]),
                loop["items"],
            )
            for loop in data["loops"]
        ],
        accesses=[access(one) for one in data["accesses"]],
        shuffles=[
            Shuffle(one["type"], read_place(one["location"]), one["lanes"])
            for one in data["shuffles"]
        ],
        memory={space: Traffic(**numbers(sums)) for space, sums in data["memory"].items()},
        operations=numbers(data["operations"]),
        virtual=[
            Virtual(
                one["operation"],
                read_place(one["location"]),
                one["places"],
                rename_sizes(one["computed"], names),
            )
            for one in data["virtual"]
        ],
    )

"""The builder of program text: one `Trace` for each function that is traced.

In: operations as text, in the order in which the Python function runs them. Out: the text of a
program in the `obs` dialect, in which each operation has its location in the Python source. A trace
has a stack of blocks. Each block is a region of the program and has a level, which operations
inherit.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Any, NoReturn

from . import numpy_names
from .errors import TraceError
from .levels import Level
from .locations import Location, here

if TYPE_CHECKING:
    from .regions import Array
    from .types import ArrayType


@dataclass(frozen=True)
class Short:
    """An operation that has a short form as the body of a region, such as `arith.addi`."""

    operation: str
    operands: tuple[str, ...]
    result: str


@dataclass
class Region:
    """A block of operations with the text that opens it, such as `{` or `else {`."""

    block: Block
    opening: str = "{"


@dataclass
class Entry:
    """One operation: its text, its regions, and the text after them."""

    head: str
    place: int
    regions: tuple[Region, ...] = ()
    tail: str = ""
    short: Short | None = None
    #: True if the operation may run although its result is not needed.
    is_pure: bool = False


@dataclass
class Block:
    """A region of the program. It is open while the code that belongs to it is traced."""

    level: Level
    owner: Trace
    is_open: bool = True
    entries: list[Entry] = field(default_factory=list)

    @property
    def is_pure(self) -> bool:
        """True if all operations may run although their results are not needed."""
        return all(entry.is_pure for entry in self.entries)


_LOCATION = re.compile(r" loc\(#l\d+\)(?= })")
#: The operations of floats that may share one rounding.
_CONTRACTED = frozenset({"arith.addf", "arith.subf", "arith.mulf"})


class Value:
    """A value of the program: its name in the text, and the block that defines it.

    Functions of NumPy do not take such a value. Only its operators do, as in `np.float32(2) * x`:
    they are those of the class of the value.
    """

    __slots__ = ("block", "name")

    name: str
    block: Block

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        name = numpy_names.OPERATORS.get(ufunc.__name__)
        is_operator = method == "__call__" and not keywords and name is not None
        if is_operator and len(inputs) == 2 and not isinstance(inputs[0], Value):
            # In a comparison, NumPy makes an array of a number.
            left = inputs[0][()] if getattr(inputs[0], "shape", None) == () else inputs[0]
            return getattr(self, str(name))(left)
        raise TraceError(numpy_names.refusal(ufunc.__name__))

    def __array_function__(self, function: Any, *_: Any) -> NoReturn:
        raise TraceError(numpy_names.refusal(function.__name__))

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        raise TraceError(
            "an array of NumPy has numbers, and the program knows this value only when it runs: "
            "obs.generate, obs.stack and obs.concat make arrays of the program"
        )

    def __format__(self, spec: str) -> str:
        raise TraceError(
            "the program knows this value only when it runs, so Python cannot format it: "
            'obs.print("x = {}", x) shows a number then, and repr(x) shows its type'
        )


class Trace:
    """The program text that one function makes, as a tree of blocks."""

    def __init__(self, level: Level = Level.grid) -> None:
        """Begin with an empty function of a level."""
        self.body = Block(level, self)
        self.stack = [self.body]
        self.constants: dict[str, str] = {}
        self.functions: list[str] = []
        #: Name and threads of kernels for which the program names none. Equal kernels of one name
        #: become one, and others get numbers from the compiler.
        self.default_kernel = "kernel"
        self.default_threads: int | None = None
        #: True if a product and a sum of floats may be rounded once.
        self.contracts = False
        #: The memory that a force may write again, by the array of its contents: the names and
        #: types of one memref for each leaf.
        self.memory: dict[str, tuple[list[str], list[str]]] = {}
        #: The names of the arrays whose memory a force has written.
        self.targets: set[str] = set()
        #: The names of the arrays of one element that reductions at level grid make.
        self.totals: set[str] = set()
        #: The bounds of extents that are known at run time, by the name of the extent.
        self.bounds: dict[str, int] = {}
        #: The types of the fills around the code, innermost last.
        self.fills: list[ArrayType] = []
        #: The generator that `concat` runs; the arrays over which it iterates, with their
        #: arguments; and the frame that runs it.
        self.walk: tuple[Iterator[Any], list[tuple[Array, list[Any]]], FrameType] | None = None
        #: The number of times that code of a region has added operations before it.
        self._insertions = 0
        self._fixed: Location | None = None
        self._places: dict[Location, int] = {}
        self._count = 0

    @property
    def block(self) -> Block:
        """The block that operations are added to."""
        return self.stack[-1]

    @property
    def level(self) -> Level:
        """The level of the code that is traced."""
        return self.stack[-1].level

    @property
    def size(self) -> int:
        """The number of values so far, a measure for the length of the program."""
        return self._count

    def new_name(self) -> str:
        """A name for a value."""
        self._count += 1
        return f"%{self._count}"

    def place(self, location: Location | None = None) -> int:
        """The number of a location: by default, of the location in the user's code."""
        found = location or self._fixed or here()
        return self._places.setdefault(found, len(self._places))

    @contextmanager
    def at(self, location: Location) -> Iterator[None]:
        """Set the location of operations without a line in the user's code."""
        self._fixed = location
        try:
            yield
        finally:
            self._fixed = None

    def constant(self, literal: str) -> str:
        """The name of a constant, such as `1 : i32`. Constants are first in the function."""
        name = self.constants.get(literal)
        if name is None:
            name = self.constants[literal] = f"%c{len(self.constants)}"
        return name

    @contextmanager
    def open(self, level: Level) -> Iterator[Block]:
        """Trace the code of a new region. The caller adds it to an operation, or drops it."""
        block = Block(level, self)
        self.stack.append(block)
        try:
            yield block
        finally:
            block.is_open = False
            self.stack.pop()

    @contextmanager
    def reopen(self, block: Block) -> Iterator[None]:
        """Add operations to a region that was traced before."""
        block.is_open = True
        self.stack.append(block)
        try:
            yield
        finally:
            block.is_open = False
            self.stack.pop()

    @contextmanager
    def before(self, block: Block) -> Iterator[None]:
        """Add operations to an open region around the code that is traced, before that code."""
        self._insertions += 1
        self.stack.append(block)
        try:
            yield
        finally:
            self.stack.pop()

    @contextmanager
    def rehearse(self) -> Iterator[None]:
        """Trace code only for the value that it returns. It does not become part of the program."""
        constants, functions = dict(self.constants), self.functions
        self.functions = list(functions)
        insertions = self._insertions
        try:
            with self.open(self.level):
                yield
        finally:
            # Operations that were added before the code stay, with their constants and functions.
            if insertions == self._insertions:
                self.constants, self.functions = constants, functions

    def emit(
        self,
        text: str,
        results: int = 0,
        regions: Sequence[Region] = (),
        tail: str = "",
        is_pure: bool = False,
    ) -> list[str]:
        """Add an operation to the block, and return the names of its results."""
        names = [self.new_name() for _ in range(results)]
        head = f"{', '.join(names)} = {text}" if names else text
        self.block.entries.append(Entry(head, self.place(), tuple(regions), tail, is_pure=is_pure))
        return names

    def emit_short(self, operation: str, operands: tuple[str, ...], type_name: str) -> str:
        """Add an operation of scalars that has one result and one type."""
        result = self.new_name()
        flags = " fastmath<contract>" if self.contracts and operation in _CONTRACTED else ""
        head = f"{result} = {operation} {', '.join(operands)}{flags} : {type_name}"
        # The short form of a body has no place for flags: they are an attribute there.
        named = f"{operation} {{fastmath = #arith.fastmath<contract>}}" if flags else operation
        short = Short(named, operands, result)
        self.block.entries.append(Entry(head, self.place(), short=short, is_pure=True))
        return result

    def text(self, head: str, locations: bool = True) -> str:
        """The program: `head` is the text of the function before its body."""
        lines = [*self.functions, f"{head} {{"]
        lines += [f"  {name} = arith.constant {text}" for text, name in self.constants.items()]
        self._render(self.body, "  ", lines, locations)
        lines.append("}")
        if locations:
            lines += [
                f"#l{number} = loc({quoted(p.file)}:{p.line}:{p.column})"
                for p, number in self._places.items()
            ]
        return "\n".join(lines) + "\n"

    def _render(self, block: Block, margin: str, lines: list[str], locations: bool) -> None:
        for entry in block.entries:
            head = entry.head
            if not locations and "loc(" in head:
                # A short body has the location of its operation.
                head = _LOCATION.sub("", head)
            text = margin + head
            for region in entry.regions:
                lines.append(f"{text} {region.opening}")
                self._render(region.block, margin + "  ", lines, locations)
                text = f"{margin}}}"
            place = f" loc(#l{entry.place})" if locations else ""
            lines.append(text + entry.tail + place)


def quoted(text: str) -> str:
    """A string of the program text."""
    spelt = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c >= " " else f"\\{ord(c):02X}" for c in spelt) + '"'


class _State(threading.local):
    trace: Trace | None = None


thread_state = _State()


def current() -> Trace:
    """The trace of the function that is being traced; an error if there is none."""
    if thread_state.trace is None:
        raise TraceError(
            "arrays and scalars of a program exist only while a function is traced: "
            "use this operation in a function with @obs.jit"
        )
    return thread_state.trace


@contextmanager
def tracing(trace: Trace) -> Iterator[Trace]:
    """Make a trace the current one of this thread."""
    before, thread_state.trace = thread_state.trace, trace
    try:
        yield trace
    finally:
        thread_state.trace = before
        for block in trace.stack:
            block.is_open = False


def is_tracing() -> bool:
    """True if a function is being traced in this thread."""
    return thread_state.trace is not None


def is_known(value: Value) -> bool:
    """True if the code that is being traced can use a value."""
    return value.block.is_open and value.block.owner is thread_state.trace


def use(value: Value) -> str:
    """The name of a value that an operation uses; an error if it is not defined here."""
    if not is_known(value):
        raise TraceError(
            "this value was made inside of a function that is done (a loop, a branch, a map, "
            "a sub-program, or another trace): return it from there, or make it here"
        )
    return value.name

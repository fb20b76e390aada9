"""Runs a tool under limits and judges the end of the run.

In: a command with its limits of time and memory. Out: `Done`, its exit code and its text, and a `Verdict`
on them. The tool accepts the program, refuses it with an error, or has a problem. A problem is one of timeout,
memory, crash, crash in MLIR, round trip, round trip in MLIR, error with exit code 0, and no located diagnostic.
"""

from __future__ import annotations

import os
import pathlib
import re
import resource
import signal
import subprocess
from collections.abc import Sequence
from typing import NamedTuple

ERROR = re.compile(
    r"^(?:within split at (?P<file>[^\n]*?):(?P<base>\d+) offset )?(?P<name>[^\n:]*):(?P<line>\d+):"
    r"(?P<column>\d+): error: (?P<text>[^\n]*)",
    re.MULTILINE,
)
ANY_ERROR = re.compile(r"^(?!\s).*\berror: .*", re.MULTILINE)
CRASH = re.compile(
    r"PLEASE submit a bug report|Assertion `|UNREACHABLE executed|LLVM ERROR|Stack dump:|"
    r"terminate called|AddressSanitizer"
)
MEMORY = re.compile(r"out of memory|bad_alloc|Cannot allocate|Allocation failed")
LABEL = re.compile(r"\[(?:[A-Za-z0-9]+-[a-z-]+|race)\]")
# Classes of MLIR's readers and printers in an anonymous namespace. The tools may contain MLIR.
READERS = (
    "AttrTypeReader|BuiltinDialectBytecodeInterface|BytecodeDialect|DialectReader|EncodingReader|"
    "PropertiesSectionReader|ResourceSectionReader|StringSectionReader|OperationParser|CustomOpAsmParser|OperationPrinter"
)
# Functions of Obsidian on a stack, but for `main`, and those that every crash has.
OWN = re.compile(rf"\bobs::|/Obs/|/Obsidian/|^\(anonymous namespace\)(?!::(?:{READERS})\b)")
LIBRARY = re.compile(
    r"llvm::sys::|(?:__)?(?:raise|abort|gsignal|assert|pthread|libc|call_init)|_nl_|main\b|_start|"
    r"SignalHandler|PrintStackTrace"
)
# MLIR asks `array<index: ...>` for the width of its elements, which an index does not have. It looks for the size of
# a gpu.alloc in a dimension that does not exist: mlir-opt crashes, too.
MLIR_DEFECT = re.compile(r"mlir::detail::Parser::parseDenseArrayAttr|printDenseArrayAttr|SimplifyDimOfAllocOp")


# The dialect of the operation that an error names. The error on a round trip itself names builtin.module.
DIALECT = re.compile(r"error: '(\w+)\.[\w.]+' op ")
NOT_UPSTREAM = {"obs", "builtin"}


class Limits(NamedTuple):
    """Seconds until a tool is ended, seconds of its processor time, and MiB of its memory."""

    wall: int
    processor: int | None = None
    memory: int | None = None


class Done(NamedTuple):
    code: int
    out: str
    err: str


class Verdict(NamedTuple):
    """Whether a tool accepts a program, and a problem of the tool; the detail is an error or a stack."""

    accepted: bool
    problem: str | None = None
    detail: str = ""


def execute(command: Sequence[str], limits: Limits, has_stack: bool = True) -> Done:
    """Without `has_stack`, a crash does not take time to print the names of functions."""

    def limit() -> None:
        if limits.processor is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (limits.processor, limits.processor + 1))
        if limits.memory is not None:
            resource.setrlimit(resource.RLIMIT_AS, (limits.memory << 20, limits.memory << 20))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    is_limited = limits.processor is not None or limits.memory is not None
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            check=False,
            preexec_fn=limit if is_limited else None,
            env=None if has_stack else dict(os.environ, LLVM_DISABLE_SYMBOLIZATION="1"),
            timeout=limits.wall,
        )
    except subprocess.TimeoutExpired:
        return Done(-signal.SIGXCPU, "", "timeout")
    return Done(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


def is_abnormal(done: Done) -> bool:
    return done.code < 0 or done.code > 1 or CRASH.search(done.err) is not None


def judge(done: Done) -> Verdict:
    if done.code in (-signal.SIGXCPU, -signal.SIGKILL):
        return Verdict(False, "timeout")
    if MEMORY.search(done.err):
        return Verdict(False, "memory", first_line(done.err, re.compile("memory|alloc")))
    if is_abnormal(done):
        ending = f"signal {-done.code}" if done.code < 0 else f"exit code {done.code}"
        return Verdict(False, "crash", first_line(done.err, CRASH) or ending)
    errors = ANY_ERROR.findall(done.err)
    located = [error for error in errors if (match := ERROR.match(error)) and match["name"] != "<unknown>"]
    if "roundTrip" in done.err:
        return Verdict(False, "round trip", errors[0])
    if done.code == 0:
        return Verdict(True, "error with exit code 0" if errors else None, errors[0] if errors else "")
    if not located:
        return Verdict(False, "no located diagnostic", errors[0] if errors else done.err[:200])
    return Verdict(False, None, located[0])


def first_line(text: str, pattern: re.Pattern[str]) -> str:
    return next((line for line in text.splitlines() if pattern.search(line)), "")


def label(verdict: Verdict) -> str | None:
    """The label of a refusal, such as [R8-inside]."""
    match = LABEL.search(verdict.detail)
    return match[0] if match and not verdict.accepted and verdict.problem is None else None


def shape(message: str) -> str:
    """The same for messages that differ in names, numbers and types only."""
    message = re.sub(r"^.*?error: ", "", message)
    message = re.sub(r"^\S*: (?=\S+:\d+: )", "", message)
    return re.sub(
        r"%\S+|@\w+|(?<=kernel )'\w+'|\b\d+\b|\b(?:i|f|bf)\d+\b|!obs\.\w+<[^>]*>+|(?:tensor|memref)<[^>]*>",
        "_",
        message,
    )


def cause(command: Sequence[str], verdict: Verdict) -> str:
    """The same for findings that look alike."""
    return f"{verdict.problem}: {shape(verdict.detail) or ' '.join(command)}"


def names_upstream(verdict: Verdict) -> bool:
    """Whether an error names an operation of a dialect of MLIR."""
    match = DIALECT.search(verdict.detail)
    return match is not None and match[1] not in NOT_UPSTREAM


class Runner:
    """The tools of one folder, or of PATH, under the same limits."""

    def __init__(self, tools: pathlib.Path | None, limits: Limits) -> None:
        self.tools, self.limits = tools, limits

    def tool(self, name: str) -> str:
        return str(self.tools / name) if self.tools else name

    def run(self, command: Sequence[str], has_stack: bool = False) -> Done:
        """The command begins with the name of a tool."""
        return execute([self.tool(command[0]), *command[1:]], self.limits, has_stack)

    def explain(self, command: Sequence[str], verdict: Verdict, library: str = "mlir::") -> Verdict:
        """A crash with the functions that it is in. Needs llvm-symbolizer. It is one of MLIR if no function
        is one of Obsidian, and the name of one has `library` in it, if that is not empty."""
        stack = self.run(command, has_stack=True).err
        frames = re.findall(r"^ *#\d+ 0x\w+ (.*)$", stack, re.MULTILINE)
        is_own = any(OWN.search(frame) for frame in frames)
        is_own &= not any(MLIR_DEFECT.search(frame) for frame in frames)
        is_upstream = not is_own and (not library or any(library in frame for frame in frames))
        named = [frame.replace("(anonymous namespace)", "") for frame in frames if not frame.startswith("(/")]
        named = [re.sub(r"[(/].*", "", frame).strip() for frame in named]
        inner = [frame for frame in named if frame and not LIBRARY.match(frame)]
        detail = verdict.detail
        if "bug report" in detail:
            detail = " < ".join(inner[:4]) or detail
        return Verdict(False, "crash in MLIR" if is_upstream else "crash", detail)

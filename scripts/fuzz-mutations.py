#!/usr/bin/env python3
"""Mutants of the programs in examples/ and test/: no tool crashes, hangs or fails without a reason.

  scripts/fuzz-mutations.py --tools build/bin --programs 5000 --seed 1
  scripts/fuzz-mutations.py --tools build/bin --programs 100000 --seed 7 --keep DIR --reduce

A mutant is a program with a few lines, tokens, numbers, types, operations, levels, operands or
attributes changed, or with lines of another program. All are parsed, verified, printed and read again
(obs-opt --verify-roundtrip); those that pass are lowered, to PTX and by one more pipeline. One process
takes many mutants (--split-input-file); where one of them ends it, halves of the group tell which.

Reported are crashes, more than --seconds of processor time, more than --memory MiB, a failure without
`file:line:column: error:`, an error with exit code 0, and a program that changes when it is printed and
read again. A crash without a function of Obsidian on the stack is one of MLIR, which is listed but no
failure (llvm-symbolizer has to be in PATH for that). Programs that verify and fail later without a label
such as [R2-bounded] are listed with --unlabelled, where they count as failures too. Findings with one
cause count once; each is printed with the command, and kept in the folder --keep. Ends with the number of
programs and of failures; exits with 1 if there are failures or no programs.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parent.parent
MARKER = "// -----"
GROUP = 40  # mutants of one process
# What follows the tool of each way to lower a program.
PARSE = ["obs-opt", "--verify-roundtrip"]
PTX = ["obs-translate", "--obs-to-ptx"]
PIPELINES = [
    ["obs-opt", "--obs-to-gpu=threads=17 blocks=3"],
    ["obs-opt", "--obs-to-gpu=threads=1024 verify-levels", "--obs-check-races"],
    ["obs-opt", "--obs-to-gpu=runtime-checks deterministic"],
    ["obs-opt", "--obs-to-gpu", "--obs-report-cost"],
    ["obs-opt", "--obs-to-cpu=threads=96 verify-levels"],
    ["obs-opt", "--obs-to-cpu=reuse-buffers"],
    ["obs-opt", "--obs-to-nvvm"],
    ["obs-opt", "--obs-explain-barriers"],
    ["obs-opt", "--canonicalize", "--cse", "--canonicalize"],
    ["obs-opt", "--inline", "--obs-unroll-loops", "--obs-expand-collectives", "--obs-fuse-arrays"],
    ["obs-translate", "--obs-to-host-c"],
    ["obs-translate", "--obs-to-launch-json"],
]
TYPES = ["i1", "i8", "i16", "i32", "i64", "index", "f16", "bf16", "f32", "f64", "i128", "i7", "f80"]
LEVELS = ["thread", "warp", "block", "grid"]
NUMBERS = [
    "0",
    "-1",
    "1",
    "2",
    "3",
    "31",
    "33",
    "1000",
    "1024",
    "65537",
    "2147483647",
    "2147483648",
    "4294967296",
    "281474976710657",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
]
ARITH = [
    "addi",
    "subi",
    "muli",
    "divui",
    "divsi",
    "remui",
    "remsi",
    "andi",
    "ori",
    "xori",
    "shli",
    "shrui",
    "shrsi",
    "minsi",
    "maxsi",
    "minui",
    "maxui",
    "floordivsi",
    "ceildivsi",
    "addf",
    "mulf",
    "divf",
    "subf",
    "maximumf",
    "minnumf",
]
KINDS = [
    "addi",
    "muli",
    "andi",
    "ori",
    "xori",
    "mins",
    "maxs",
    "minu",
    "maxu",
    "addf",
    "mulf",
    "minimumf",
    "maxnumf",
]
STRATEGIES = [
    "sequential",
    "halving_tree",
    "adjacent_tree",
    "sklansky",
    "kogge_stone",
    "brent_kung",
    "raking",
    "warps",
    "atomic",
    "one_kernel",
    "two_kernels",
    "three_kernels",
    "one_pass",
    "per_thread",
    "per_warp",
    "per_block",
    "unknown",
]
ATTRIBUTES = [
    "unchecked",
    "commutative",
    "threads = 0 : i64",
    "threads = 96 : i64",
    "threads = 2048 : i64",
    'kernel = "k"',
    'kernel = "a-b"',
    "obs.unroll",
    "obs.level = #obs.level<block>",
    "strided",
]
HOMES = ["registers", "shared", "global", "constant"]
TOKEN = re.compile(
    r'"[^"]*"|%[\w$.#]+|[@!#^][\w$.]+|-?\d+\.\d+(?:e-?\d+)?|-?\d+(?![\w])|[A-Za-z_][\w.$]*|\s+|.'
)
NUMBER = re.compile(r"(?<![\w.%@#])-?\d+(?![\w.])")
EXTENT = re.compile(r"(?<=[< ])(?:\d+|\?)(?= x )")
TYPE = re.compile(r"(?<![\w%@.#])(?:i1|i8|i16|i32|i64|index|f16|bf16|f32|f64)\b")
ERROR = re.compile(
    r"^(?:within split at (?P<file>[^\n]*?):(?P<base>\d+) offset )?(?P<name>[^\n:]*):(?P<line>\d+):"
    r"(?P<column>\d+): error: (?P<text>[^\n]*)",
    re.M,
)
ANY_ERROR = re.compile(r"^(?!\s).*\berror: .*", re.M)
CRASH = re.compile(
    r"PLEASE submit a bug report|Assertion `|UNREACHABLE executed|LLVM ERROR|Stack dump:|"
    r"terminate called|AddressSanitizer"
)
LABEL = re.compile(r"\[(?:[A-Za-z0-9]+-[a-z-]+|race)\]")
# Functions of Obsidian on a stack, but for `main`, and those that every crash has.
OWN = re.compile(r"\bobs::|/Obs/|/Obsidian/|^\(anonymous namespace\)")
LIBRARY = re.compile(
    r"llvm::sys::|(?:__)?(?:raise|abort|gsignal|assert|pthread|libc|call_init)|_nl_|main\b|_start"
)
# Refusals that need no label, since they say all.
CLEAR = re.compile(r"the program has no kernels|is never launched")


class Verdict(NamedTuple):
    """What a tool does with a program: whether it accepts it, and what is wrong with that."""

    accepted: bool
    problem: str | None = None
    detail: str = ""


class Finding(NamedTuple):
    number: int
    command: list[str]
    verdict: Verdict
    text: str


class Done(NamedTuple):
    code: int
    out: str
    err: str


# Programs and mutations.


def read_corpus(root: pathlib.Path, limit: int = 9000) -> list[str]:
    """The programs of all .mlir files, without comments; long ones are left out."""
    programs: list[str] = []
    for folder in ("examples", "test"):
        for path in sorted((root / folder).rglob("*.mlir")):
            for part in path.read_text(errors="replace").split(MARKER):
                lines = [re.sub(r"\s*//.*", "", line) for line in part.splitlines()]
                text = "\n".join(line for line in lines if line.strip())
                if "obs." in text and len(text) < limit:
                    programs.append(text + "\n")
    return programs


def tokens(line: str) -> list[str]:
    return TOKEN.findall(line)


def operations(programs: list[str]) -> list[str]:
    found = {name for text in programs for name in re.findall(r"\b(?:obs|scf)\.[a-z_.]+\b", text)}
    return sorted(name for name in found if name not in ("obs.pull", "obs.push", "obs.name", "obs.level"))


class Mutator:
    """Changes a program at random; the same way for the same generator."""

    def __init__(self, programs: list[str], rng: random.Random) -> None:
        self.programs, self.rng = programs, rng
        self.names = operations(programs)
        self.ways: list[tuple[Callable[[str], str], int]] = [
            (self.delete_line, 2),
            (self.double_line, 2),
            (self.swap_lines, 2),
            (self.delete_token, 3),
            (self.double_token, 1),
            (self.swap_tokens, 2),
            (self.change_number, 6),
            (self.change_type, 4),
            (self.change_all_types, 5),
            (self.change_extents, 6),
            (self.change_operation, 3),
            (self.change_level, 3),
            (self.drop_operand, 3),
            (self.change_operand, 6),
            (self.change_attribute, 3),
            (self.splice, 2),
            (self.change_arithmetic, 4),
            (self.delete_region, 1),
        ]

    def mutant(self) -> str:
        text = self.rng.choice(self.programs)
        methods, weights = zip(*self.ways)
        for way in self.rng.choices(methods, weights, k=self.rng.choice([1, 1, 1, 1, 2, 2, 3, 5])):
            text = way(text)
        return text.replace(MARKER, "")

    def at_line(self, text: str, change: Callable[[list[str], int], None]) -> str:
        lines = text.splitlines()
        if lines:
            change(lines, self.rng.randrange(len(lines)))
        return "\n".join(lines) + "\n"

    def at_match(self, text: str, pattern: re.Pattern[str], new: Callable[[str], str]) -> str:
        found = list(pattern.finditer(text))
        if not found:
            return text
        match = self.rng.choice(found)
        return text[: match.start()] + new(match[0]) + text[match.end() :]

    def at_all(self, text: str, pattern: re.Pattern[str], choices: list[str]) -> str:
        """All places that are alike become alike."""
        found = sorted(set(pattern.findall(text)))
        if not found:
            return text
        old, new = self.rng.choice(found), self.rng.choice(choices)
        return pattern.sub(lambda match: new if match[0] == old else match[0], text)

    def delete_line(self, text: str) -> str:
        return self.at_line(text, lambda lines, i: lines.__delitem__(i))

    def double_line(self, text: str) -> str:
        return self.at_line(text, lambda lines, i: lines.insert(i, lines[i]))

    def swap_lines(self, text: str) -> str:
        def swap(lines: list[str], i: int) -> None:
            j = self.rng.choice([i - 1, self.rng.randrange(len(lines))])
            lines[i], lines[j] = lines[j], lines[i]

        return self.at_line(text, swap)

    def at_token(self, text: str, change: Callable[[list[str], list[int]], None]) -> str:
        def edit(lines: list[str], i: int) -> None:
            parts = tokens(lines[i])
            solid = [k for k, part in enumerate(parts) if not part.isspace()]
            if solid:
                change(parts, solid)
                lines[i] = "".join(parts)

        return self.at_line(text, edit)

    def delete_token(self, text: str) -> str:
        return self.at_token(text, lambda parts, solid: parts.__delitem__(self.rng.choice(solid)))

    def double_token(self, text: str) -> str:
        def double(parts: list[str], solid: list[int]) -> None:
            k = self.rng.choice(solid)
            parts.insert(k, parts[k] + self.rng.choice([" ", ", ", ""]))

        return self.at_token(text, double)

    def swap_tokens(self, text: str) -> str:
        def swap(parts: list[str], solid: list[int]) -> None:
            j, k = self.rng.choice(solid), self.rng.choice(solid)
            parts[j], parts[k] = parts[k], parts[j]

        return self.at_token(text, swap)

    def number(self, old: str) -> str:
        near = [str(int(old) + 1), str(int(old) - 1), str(int(old) * 2)]
        return self.rng.choice(NUMBERS + near * 4)

    def change_number(self, text: str) -> str:
        return self.at_match(text, NUMBER, self.number)

    def change_type(self, text: str) -> str:
        return self.at_match(text, TYPE, lambda _: self.rng.choice(TYPES))

    def change_all_types(self, text: str) -> str:
        return self.at_all(text, TYPE, TYPES)

    def change_extents(self, text: str) -> str:
        return self.at_all(
            text,
            EXTENT,
            [
                "?",
                "0",
                "1",
                "2",
                "7",
                "33",
                "1024",
                "65536",
                "4294967296",
                "281474976710656",
                "4 x 4",
                "? x 3",
                "1 x 1",
            ],
        )

    def change_operation(self, text: str) -> str:
        return self.at_match(
            text, re.compile(r"\b(?:obs|scf)\.[a-z_.]+\b(?!<)"), lambda _: self.rng.choice(self.names)
        )

    def change_level(self, text: str) -> str:
        pattern = re.compile(r"\b(?:thread|warp|block|grid)\b")
        if self.rng.random() < 0.5:
            return self.at_all(text, pattern, LEVELS)
        return self.at_match(text, pattern, lambda _: self.rng.choice(LEVELS))

    def drop_operand(self, text: str) -> str:
        return self.at_match(text, re.compile(r"%[\w$.#]+(?:, )?|, %[\w$.#]+|\[[^\[\]\n]*\] ?"), lambda _: "")

    def change_operand(self, text: str) -> str:
        names = re.findall(r"%[\w$.#]+", text)
        return self.at_match(text, re.compile(r"%[\w$.#]+"), lambda _: self.rng.choice(names))

    def change_attribute(self, text: str) -> str:
        draw = self.rng.random()
        if draw < 0.2:
            return self.at_match(
                text, re.compile(r'strategy = "\w+"'), lambda _: f'strategy = "{self.rng.choice(STRATEGIES)}"'
            )
        if draw < 0.35:
            return self.at_match(
                text, re.compile(r"reduce\(\w+\)"), lambda _: f"reduce({self.rng.choice(KINDS)})"
            )
        if draw < 0.45:
            return self.at_match(
                text,
                re.compile(r" reduce\([@\w]+\)| any\b"),
                lambda _: self.rng.choice(["", " any", " disjoint", " reduce(addi)"]),
            )
        if draw < 0.55:
            return self.at_match(
                text,
                re.compile(r"\binclusive\b|\bexclusive\b|\bstrided\b|\bcommutative\b"),
                lambda _: self.rng.choice(["inclusive", "exclusive", "strided", ""]),
            )
        if draw < 0.7:
            return self.at_match(
                text,
                re.compile(r"(?<=obs\.force) %[\w#]+(?: in \w+)?"),
                lambda old: f"{old.split(' in ')[0]} in {self.rng.choice(HOMES)}",
            )
        attribute = self.rng.choice(ATTRIBUTES + [f'strategy = "{self.rng.choice(STRATEGIES)}"'])
        if draw < 0.85:
            return self.at_match(text, re.compile(r"\{[^{}\n]*=[^{}\n]*\}"), lambda _: f"{{{attribute}}}")
        return self.at_match(text, re.compile(r" : (?=!obs|\()"), lambda _: f" {{{attribute}}} : ")

    def splice(self, text: str) -> str:
        other = self.rng.choice(self.programs).splitlines()
        begin = self.rng.randrange(len(other))
        part = other[begin : begin + self.rng.randint(1, 6)]

        def insert(lines: list[str], i: int) -> None:
            lines[i : i + self.rng.randint(0, 2)] = part

        return self.at_line(text, insert)

    def change_arithmetic(self, text: str) -> str:
        return self.at_match(
            text, re.compile(r"(?<=arith\.)(?:" + "|".join(ARITH) + r")\b"), lambda _: self.rng.choice(ARITH)
        )

    def delete_region(self, text: str) -> str:
        """The lines of a region, or those and the lines around them."""

        def delete(lines: list[str], i: int) -> None:
            if not lines[i].rstrip().endswith("{"):
                return
            depth = 0
            for end in range(i, len(lines)):
                depth += lines[end].count("{") - lines[end].count("}")
                if depth <= 0:
                    break
            if self.rng.random() < 0.5:
                del lines[i : end + 1]
            else:
                del lines[i + 1 : end]

        return self.at_line(text, delete)


# Processes.


class Runner:
    """Runs tools under limits of time and memory."""

    def __init__(self, tools: pathlib.Path | None, folder: pathlib.Path, seconds: int, memory: int) -> None:
        self.tools, self.folder, self.seconds, self.memory = tools, folder, seconds, memory
        self.processes = 0

    def command(self, stage: list[str], path: str | pathlib.Path) -> list[str]:
        tool = str(self.tools / stage[0]) if self.tools else stage[0]
        return [tool, *stage[1:], str(path)]

    def run(self, command: list[str], stack: bool = False) -> Done:
        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_CPU, (self.seconds, self.seconds + 1))
            resource.setrlimit(resource.RLIMIT_AS, (self.memory << 20, self.memory << 20))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        self.processes += 1
        environment = os.environ if stack else dict(os.environ, LLVM_DISABLE_SYMBOLIZATION="1")
        # The limit of processor time ends it; this one is for a tool that sleeps.
        try:
            done = subprocess.run(
                command, capture_output=True, preexec_fn=limit, env=environment, timeout=20 * self.seconds
            )
        except subprocess.TimeoutExpired:
            return Done(-signal.SIGXCPU, "", "")
        return Done(
            done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        )

    def judge_one(self, stage: list[str], text: str, name: str = "one.mlir") -> Verdict:
        path = self.folder / name
        path.write_text(text)
        command = self.command([*stage, "--mlir-disable-threading"], path)
        verdict = judge(self.run(command), stage)
        return self.explain(command, verdict) if verdict.problem == "crash" else verdict

    def explain(self, command: list[str], verdict: Verdict, library: str = "mlir::") -> Verdict:
        """A crash with the functions that it is in. Needs llvm-symbolizer. It is one of MLIR if no function
        is one of Obsidian, and the name of one has `library` in it, if that is not empty."""
        stack = self.run(command, stack=True).err
        frames = re.findall(r"^ *#\d+ 0x\w+ (.*)$", stack, re.M)
        is_own = any(OWN.search(frame) for frame in frames)
        is_upstream = not is_own and (not library or any(library in frame for frame in frames))
        named = [
            re.sub(r"\(anonymous namespace\)", "", frame) for frame in frames if not frame.startswith("(/")
        ]
        named = [re.sub(r"[(/].*", "", frame).strip() for frame in named]
        inner = [frame for frame in named if frame and not LIBRARY.match(frame)]
        detail = verdict.detail
        if "bug report" in detail:
            detail = " < ".join(inner[:4]) or detail
        return Verdict(False, "crash in MLIR" if is_upstream else "crash", detail)

    def judge_all(self, stage: list[str], texts: list[str], name: str) -> list[Verdict]:
        """What the tool does with each program; a process that ends early is tried again in halves."""
        if len(texts) == 1:
            return [self.judge_one(stage, texts[0], name)]
        path = self.folder / name
        path.write_text(f"{MARKER}\n".join(texts))
        split = ["--split-input-file", "--mlir-disable-threading"]
        if stage[0] == "obs-translate":
            split.append(f"--output-split-marker={MARKER}")
        done = self.run(self.command([*stage, *split], path))
        if is_abnormal(done):
            half = len(texts) // 2
            return self.judge_all(stage, texts[:half], name) + self.judge_all(stage, texts[half:], name)
        begins = [1]
        for text in texts[:-1]:
            begins.append(begins[-1] + text.count("\n") + 1)
        errors: dict[int, list[str]] = collections.defaultdict(list)
        strange = []
        for error in ANY_ERROR.findall(done.err):
            match = ERROR.match(error)
            if not match:
                strange.append(error)
                continue
            line = int(match["base"]) if match["base"] else int(match["line"])
            number = max(k for k, begin in enumerate(begins) if begin <= max(line, 1))
            # A translation counts the lines from the marker on.
            if match["base"] and number + 1 < len(begins) and line + 1 == begins[number + 1]:
                number += 1
            errors[number].append(error)
        outs = re.split(rf"^{MARKER}$\n?", done.out, flags=re.M)
        verdicts = []
        for number, text in enumerate(texts):
            accepted = number < len(outs) and bool(outs[number].strip())
            told = errors[number]
            is_clear = len(outs) == len(texts) and accepted != bool(told) and not strange
            if is_clear and not any("roundTrip" in error for error in told):
                verdicts.append(Verdict(accepted, None, told[0] if told else ""))
            else:
                verdicts.append(self.judge_one(stage, text, name))
        return verdicts


def is_abnormal(done: Done) -> bool:
    return done.code < 0 or done.code > 1 or CRASH.search(done.err) is not None


def judge(done: Done, stage: list[str]) -> Verdict:
    """What is wrong with the way that a tool ended."""
    if done.code in (-signal.SIGXCPU, -signal.SIGKILL):
        return Verdict(False, "timeout", "")
    if re.search(r"out of memory|bad_alloc|Cannot allocate|Allocation failed", done.err):
        return Verdict(False, "memory", first_line(done.err, "memory|alloc"))
    if is_abnormal(done):
        signal_name = f"signal {-done.code}" if done.code < 0 else f"exit code {done.code}"
        return Verdict(False, "crash", first_line(done.err, CRASH.pattern) or signal_name)
    errors = ANY_ERROR.findall(done.err)
    located = [error for error in errors if (match := ERROR.match(error)) and match["name"] != "<unknown>"]
    if "roundTrip" in done.err:
        return Verdict(False, "round trip", errors[0])
    if done.code == 0:
        return Verdict(True, "error with exit code 0" if errors else None, errors[0] if errors else "")
    if not located:
        return Verdict(False, "no located diagnostic", errors[0] if errors else done.err[:200])
    return Verdict(False, None, located[0])


def first_line(text: str, pattern: str) -> str:
    return next((line for line in text.splitlines() if re.search(pattern, line)), "")


def cause(stage: list[str], verdict: Verdict) -> str:
    """The same for findings that look alike."""
    detail = re.sub(r"^.*?error: ", "", verdict.detail)
    detail = re.sub(r"^\S*: (?=\S+:\d+: )", "", detail)
    detail = re.sub(
        r"%\S+|@\w+|(?<=kernel )'\w+'|\b\d+\b|\b(?:i|f|bf)\d+\b|!obs\.\w+<[^>]*>+|(?:tensor|memref)<[^>]*>",
        "_",
        detail,
    )
    return f"{verdict.problem}: {detail or ' '.join(stage)}"


def is_unlabelled(verdict: Verdict) -> bool:
    return (
        not verdict.accepted
        and verdict.problem is None
        and not (LABEL.search(verdict.detail) or CLEAR.search(verdict.detail))
    )


# Smaller programs with the same finding.


def pieces(text: str, by_token: bool) -> list[str]:
    """Lines, or tokens with the space behind them."""
    if not by_token:
        return text.splitlines(keepends=True)
    parts: list[str] = []
    for token in (
        tokens(text) if "\n" not in text else [t for line in text.splitlines(True) for t in tokens(line)]
    ):
        if token.isspace() and parts:
            parts[-1] += token
        else:
            parts.append(token)
    return parts


def reduce(text: str, is_same: Callable[[str], bool], budget: int = 400) -> str:
    """Takes away lines, then tokens, while the finding stays."""
    for by_token in (False, True):
        parts = pieces(text, by_token)
        size = max(1, len(parts) // 2)
        while size and budget > 0:
            start, is_changed = 0, False
            while start < len(parts) and budget > 0:
                fewer = parts[:start] + parts[start + size :]
                budget -= 1
                if len("".join(fewer)) < len("".join(parts)) and is_same("".join(fewer)):
                    parts, is_changed = fewer, True
                else:
                    start += size
            if size == 1 and not is_changed:
                break
            size = max(1, size // 2) if size > 1 or is_changed else 0
        text = "".join(parts)
    return text


# The whole.


class Worker:
    """The mutants of one range of numbers."""

    def __init__(self, options: argparse.Namespace, programs: list[str], folder: pathlib.Path) -> None:
        self.options, self.programs = options, programs
        self.runner = Runner(options.tools, folder, options.seconds, options.memory)

    def group(self, numbers: range) -> tuple[int, list[Finding]]:
        """How many mutants are valid, and what is found."""
        rng = random.Random(f"{self.options.seed}:{numbers.start}")
        mutator = Mutator(self.programs, rng)
        mutants = [mutator.mutant() for _ in numbers]
        second = rng.choice(PIPELINES)
        findings: list[Finding] = []
        name = f"group{numbers.start}.mlir"

        def examine(stage: list[str], chosen: list[int]) -> list[int]:
            if not chosen:
                return []
            verdicts = self.runner.judge_all(stage, [mutants[k] for k in chosen], name)
            for k, verdict in zip(chosen, verdicts):
                if stage is not PARSE and self.options.unlabelled and is_unlabelled(verdict):
                    verdict = verdict._replace(problem="no label")
                if verdict.problem:
                    findings.append(Finding(numbers.start + k, stage, verdict, mutants[k]))
            return [k for k, verdict in zip(chosen, verdicts) if verdict.accepted]

        valid = examine(PARSE, list(range(len(mutants))))
        for stage in (PTX, second):
            examine(stage, valid)
        (self.runner.folder / name).unlink(missing_ok=True)
        return len(valid), findings

    def reduce(self, finding: Finding) -> str:
        wanted = cause(finding.command, finding.verdict)

        def is_same(text: str) -> bool:
            verdict = self.runner.judge_one(finding.command, text, "reduced.mlir")
            if finding.verdict.problem == "no label" and is_unlabelled(verdict):
                verdict = verdict._replace(problem="no label")
            return verdict.problem is not None and cause(finding.command, verdict) == wanted

        return reduce(finding.text, is_same)


def report(finding: Finding, text: str, keep: pathlib.Path | None, count: int) -> None:
    command = " ".join(f"'{word}'" if " " in word else word for word in finding.command)
    print(f"number {finding.number}: {finding.verdict.problem}: {finding.verdict.detail[:400]}")
    if keep is None:
        print(f"command: {command}\n{text}", flush=True)
        return
    keep.mkdir(parents=True, exist_ok=True)
    path = keep / f"finding{count}.mlir"
    path.write_text(f"// {command}\n// {finding.verdict.problem}: {finding.verdict.detail[:400]}\n{text}")
    print(f"command: {command} {path}", flush=True)


def ranges(begin: int, count: int, size: int) -> Iterator[range]:
    for start in range(begin, begin + count, size):
        yield range(start, min(start + size, begin + count))


def add_arguments(parser: argparse.ArgumentParser, programs: int) -> None:
    parser.add_argument(
        "--tools", type=pathlib.Path, help="folder of obs-opt and obs-translate (default: PATH)"
    )
    parser.add_argument("--programs", type=int, default=programs)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=10, help="processor time of one program")
    parser.add_argument("--memory", type=int, default=2048, help="MiB of one program")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for findings")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="folder with examples/ and test/")
    parser.add_argument("--show", type=int, metavar="CAUSES", default=20, help="so many causes are printed")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_arguments(parser, 1000)
    parser.add_argument(
        "--unlabelled", action="store_true", help="report valid programs refused without a label"
    )
    parser.add_argument("--reduce", action="store_true", help="make the programs of findings small")
    options = parser.parse_args()
    programs = read_corpus(options.root)
    causes: collections.Counter[str] = collections.Counter()
    tried = valid = failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        worker = Worker(options, programs, pathlib.Path(scratch))
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            groups = list(ranges(0, options.programs if programs else 0, GROUP))
            for numbers, (good, findings) in zip(groups, pool.map(worker.group, groups)):
                tried, valid = tried + len(numbers), valid + good
                for finding in findings:
                    key = cause(finding.command, finding.verdict)
                    causes[key] += 1
                    failures += causes[key] == 1 and finding.verdict.problem != "crash in MLIR"
                    if causes[key] == 1 and len(causes) <= options.show:
                        text = worker.reduce(finding) if options.reduce else finding.text
                        report(finding, text, options.keep, len(causes))
                if tried % (50 * GROUP) == 0:
                    print(f"{tried} programs, {valid} valid, {failures} failures", flush=True)
    for key, count in causes.most_common():
        print(f"{count} times {key}")
    print(f"{valid} of the mutants are valid")
    print(f"{tried} programs, {failures} failures")
    return 1 if failures or not tried or not valid else 0


if __name__ == "__main__":
    sys.exit(main())

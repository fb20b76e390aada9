"""Changes programs at random.

In: the programs of examples/ and test/. Out: mutants: a program with a few lines, tokens, numbers, types,
operations, levels, operands or attributes changed, or with lines of another program. A random generator makes
the same mutants again.
"""

from __future__ import annotations

import pathlib
import random
import re
from collections.abc import Callable

from fuzzing.model import LEVELS
from fuzzing.reduction import tokens

MARKER = "// -----"
TYPES = ["i1", "i8", "i16", "i32", "i64", "index", "f16", "bf16", "f32", "f64", "i128", "i7", "f80"]
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
    "block_stride",
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
NUMBER = re.compile(r"(?<![\w.%@#])-?\d+(?![\w.])")
EXTENT = re.compile(r"(?<=[< ])(?:\d+|\?)(?= x )")
TYPE = re.compile(r"(?<![\w%@.#])(?:i1|i8|i16|i32|i64|index|f16|bf16|f32|f64)\b")
OPERATION = re.compile(r"\b(?:obs|scf)\.[a-z_.]+\b")


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


def operations(programs: list[str]) -> list[str]:
    found = {name for text in programs for name in OPERATION.findall(text)}
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
        """Replaces one of the texts that the pattern has, in all places."""
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
        """The lines of a region, perhaps with its first and last line."""

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

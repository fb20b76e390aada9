#!/usr/bin/env python3
"""Checks that each operation of a generated page has a grammar and an example.

Usage: check-syntax.py PAGE.md...

The part `Syntax:` of an operation stands before its part `Example:`. It is a
block of rules `NAME ::= ...`. The first rule is that of `operation`, and each
of its alternatives begins with the name of the operation. Every name in the
rules is the name of a rule or one of LEAVES, and every rule is used. Exits with
1 and names every operation with a problem.
"""

import pathlib
import re
import sys
from collections.abc import Iterator

# The description of the dialect explains these names.
LEAVES = frozenset(
    ["array", "attr-dict", "index-value", "integer", "keyword", "literal", "location", "memref", "name", "operation-name", "region", "string", "symbol", "type", "value"])

HEADING = re.compile(r"^### `(obs\.[\w.]+)`.*\n", re.MULTILINE)
SYNTAX = re.compile(r"^Syntax:\n\n```\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLE = re.compile(r"^Example:\n\n```mlir\n", re.MULTILINE)
RULE = re.compile(r"^([a-z][a-z-]*(?:, [a-z][a-z-]*)*) ::= ", re.MULTILINE)
LITERAL = re.compile(r"`[^`\n]+`")
NAME = re.compile(r"[a-z][a-z-]*")


def operations(page: str) -> Iterator[tuple[str, str]]:
    """Yields (operation, text below its heading) for the operations of `page`."""
    headings = list(HEADING.finditer(page))
    for heading in headings:
        following = re.compile(r"^##?#? ", re.MULTILINE).search(page, heading.end())
        end = following.start() if following else len(page)
        yield heading[1], page[heading.end():end]


def alternatives(body: str) -> list[str]:
    """The alternatives of a rule: the parts between `|` outside of parentheses."""
    parts, depth = [""], 0
    for token in re.findall(r"`[^`\n]+`|\s+|[^\s`]", body):
        depth += (token == "(") - (token == ")")
        if token == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += token
    return [part.strip() for part in parts]


def grammar_problems(operation: str, grammar: str) -> Iterator[str]:
    """Yields the problems of the grammar of `operation`."""
    rules: dict[str, str] = {}
    heads = list(RULE.finditer(grammar))
    if not heads or heads[0].start() != 0 or heads[0][1] != "operation":
        yield "the grammar does not begin with 'operation ::= '"
        return
    for head, following in zip(heads, heads[1:] + [None]):
        body = grammar[head.end():following.start() if following else len(grammar)]
        for name in head[1].split(", "):
            if name in rules or name in LEAVES:
                yield f"'{name}' has two meanings"
            rules[name] = body
    for part in alternatives(rules["operation"]):
        if not re.match(rf"`{re.escape(operation)}`(\s|$)", part):
            first = part.split(maxsplit=1)[0] if part else "nothing"
            yield f"an alternative begins with {first}, not with the name of the operation"
    used = {"operation"}
    for body in rules.values():
        rest = LITERAL.sub(" ", body)
        if re.search(r"[^\sa-z()|?*-]", rest) or rest.count("(") != rest.count(")"):
            yield f"the rule '{' '.join(body.split())}' has text that is not a grammar"
        used.update(NAME.findall(rest))
    for name in sorted(used - rules.keys() - LEAVES):
        yield f"'{name}' has no rule"
    for name in sorted(rules.keys() - used):
        yield f"the rule '{name}' is not used"


def problems(operation: str, text: str) -> Iterator[str]:
    """Yields the problems of the description of `operation`."""
    grammars = list(SYNTAX.finditer(text))
    example = EXAMPLE.search(text)
    if not example:
        yield "there is no part 'Example:'"
    if len(grammars) != 1:
        yield f"there are {len(grammars)} parts 'Syntax:' with a grammar, not 1"
        return
    if example and example.start() < grammars[0].start():
        yield "the part 'Syntax:' stands after the example"
    yield from grammar_problems(operation, grammars[0][1])


def main(pages: list[str]) -> int:
    count, failures = 0, []
    for page in pages:
        found = list(operations(pathlib.Path(page).read_text(encoding="utf-8")))
        if not found:
            failures.append(f"{page} has no operations")
        for operation, text in found:
            count += 1
            failures += [f"{operation}: {problem}" for problem in problems(operation, text)]
    for failure in failures:
        print(failure)
    print(f"{count} operations, {len(failures)} problems")
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))

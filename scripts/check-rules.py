#!/usr/bin/env python3
"""Compares the labels of docs/Spec.md with the code and with the tests.

Every reason for a refusal has a label such as [R1-level]. In docs/Spec.md it
stands in bold, in lib/ it starts a message, in include/ a declaration of a
discardable attribute has it as its last argument, and under test/ it stands in
a line that FileCheck or --verify-diagnostics compares. Every label of the
specification must be in the code and in a test; every label of the code must be
in the specification, and so must every label of a rule in the tests. Exits with
1 and names every difference.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAME = r"[A-Za-z][A-Za-z0-9]*(?:-[a-z0-9]+)+"
IN_SPEC = re.compile(rf"\*\*\[({NAME})\]\*\*")
IN_CODE = re.compile(rf"\"\[({NAME})\]")
IN_DECLARATION = re.compile(rf"(?:, |label = )\"({NAME})\">")
# In tests the brackets may be escaped, for FileCheck and for regular
# expressions.
IN_TEST = re.compile(rf"\[(?:\\?\[)?({NAME})\\?\]")
COMPARED = re.compile(r"expected-error|//\s*[A-Z][A-Z0-9_]*(-[A-Z]+)?:|^CHECK")
RULE = re.compile(r"R\d")


def labels(files, pattern, line_filter=None):
    """The labels in `files`, each with the first place where it stands."""
    found = {}
    for file in sorted(files):
        for number, line in enumerate(
                file.read_text(errors="replace").splitlines(), 1):
            if line_filter and not line_filter.search(line):
                continue
            for label in pattern.findall(line):
                found.setdefault(
                    label, f"{file.relative_to(ROOT)}:{number}")
    return found


def main():
    page = ROOT / "docs" / "Spec.md"
    spec = labels([page] if page.exists() else [], IN_SPEC)
    code = labels((ROOT / "lib").rglob("*.cpp"), IN_CODE)
    code |= labels((ROOT / "include").rglob("*.td"), IN_DECLARATION)
    tests = labels(
        (f for f in (ROOT / "test").rglob("*") if f.suffix in (".mlir", ".test")),
        IN_TEST, COMPARED)

    problems = []
    for label in sorted(spec.keys() - code.keys()):
        problems.append(f"{spec[label]}: {label} is enforced nowhere")
    for label in sorted(spec.keys() - tests.keys()):
        problems.append(f"{spec[label]}: {label} has no negative test")
    for label in sorted(code.keys() - spec.keys()):
        problems.append(f"{code[label]}: {label} is not in docs/Spec.md")
    for label in sorted(tests.keys() - spec.keys()):
        if RULE.match(label):
            problems.append(f"{tests[label]}: {label} is not in docs/Spec.md")
    for problem in problems:
        print(problem)
    print(f"{len(spec)} labels, {len(problems)} problems")
    return 1 if problems or not spec else 0


if __name__ == "__main__":
    sys.exit(main())

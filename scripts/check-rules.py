#!/usr/bin/env python3
"""Compares the rules of docs/Spec.md with the code and with the tests.

A rule has a label such as [R1-level]. Every rule of the specification must be
enforced somewhere in lib/ and have a negative test: a line with expected-error
or CHECK under test/ that holds the label. Code and tests may hold no label
that the specification does not have. Exits with 1 and names every difference.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# In tests the brackets may be escaped, for FileCheck and for regular
# expressions.
LABEL = re.compile(r"\[\\?\[?(R\d+-[a-z0-9-]+)\\?\]")


def labels(files, line_filter=None):
    """The labels in `files`, each with the first place where it stands."""
    found = {}
    for file in sorted(files):
        for number, line in enumerate(
                file.read_text(errors="replace").splitlines(), 1):
            if line_filter and not line_filter.search(line):
                continue
            for label in LABEL.findall(line):
                found.setdefault(
                    label, "%s:%d" % (file.relative_to(ROOT), number))
    return found


def main():
    page = ROOT / "docs" / "Spec.md"
    spec = labels([page] if page.exists() else [])
    code = labels((ROOT / "lib").rglob("*.cpp"))
    tests = labels(
        (f for f in (ROOT / "test").rglob("*") if f.suffix in (".mlir", ".test")),
        re.compile(r"expected-error|CHECK"))

    problems = []
    for label in sorted(spec.keys() - code.keys()):
        problems.append("%s: rule %s is enforced nowhere in lib/"
                        % (spec[label], label))
    for label in sorted(spec.keys() - tests.keys()):
        problems.append("%s: rule %s has no negative test" % (spec[label], label))
    for place in (code, tests):
        for label in sorted(place.keys() - spec.keys()):
            problems.append("%s: rule %s is not in docs/Spec.md"
                            % (place[label], label))
    for problem in problems:
        print(problem)
    print("%d rules, %d problems" % (len(spec), len(problems)))
    return 1 if problems or not spec else 0


if __name__ == "__main__":
    sys.exit(main())

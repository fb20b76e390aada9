#!/usr/bin/env python3
"""Adds up the results of lit runs and prints 'N passed, N failed, N skipped'.

Usage: lit-summary.py RESULTS.json...   (each written by lit -o RESULTS.json)

Exits with 1 when a test failed, and when there was no test at all.
"""

import json
import sys

PASSED = {"PASS", "XFAIL", "FLAKYPASS"}
SKIPPED = {"UNSUPPORTED", "SKIPPED", "EXCLUDED"}


def main(paths):
    if not paths:
        sys.exit(__doc__)
    passed, failed, skipped = 0, [], 0
    for path in paths:
        with open(path) as file:
            tests = json.load(file)["tests"]
        for test in tests:
            if test["code"] in PASSED:
                passed += 1
            elif test["code"] in SKIPPED:
                skipped += 1
            else:
                failed.append("{}: {}".format(test["code"], test["name"]))
    for line in failed:
        print(line)
    print(f"{passed} passed, {len(failed)} failed, {skipped} skipped")
    return 1 if failed or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

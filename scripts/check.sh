#!/bin/sh
# Builds Obsidian with assertions and runs its tests. The last line is
# 'N passed, N failed, N skipped'.
#
# Usage: check.sh [--full]    --full also builds the release tools, runs the
# tests that start them as a user does, and the exhaustive matrices.
set -eu
cd "$(dirname "$0")/.."

lit="${LLVM_PREFIX:-/usr/lib/llvm-22}/bin/lit"
full=""
exhaustive=""
if [ "${1:-}" = "--full" ]; then
  full=1
  exhaustive="--param exhaustive=1 --param test_timeout=7200"
fi

step() { echo "== $*"; }
log="$(mktemp)"
trap 'rm -f "$log"' EXIT

step "build with assertions (build-asserts/)"
cmake --preset asserts >"$log" 2>&1 || { cat "$log"; exit 1; }
cmake --build build-asserts --target obs-test-depends
if [ -n "$full" ]; then
  step "release build (build/)"
  cmake --preset release >"$log" 2>&1 || { cat "$log"; exit 1; }
  cmake --build build --target obs-tools
fi

# Every part runs, even when one before it failed.
rm -f build/lit.json build-asserts/lit.json
step "all tests, with assertions"
# shellcheck disable=SC2086 # a list of words
"$lit" -sv --no-progress-bar -o build-asserts/lit.json $exhaustive build-asserts/test </dev/null || true
results="build-asserts/lit.json"
if [ -n "$full" ]; then
  step "tests on the release tools"
  "$lit" -sv --no-progress-bar -o build/lit.json build/test/Examples build/test/Tools </dev/null || true
  results="$results build/lit.json"
fi

step "result"
# The counts of the tests of the goldens, and of those of the barriers.
cat build-asserts/test/Golden/Output/counts*.summary 2>/dev/null || true
cat build-asserts/test/Golden/Output/mutants*.summary 2>/dev/null || true
cat build-asserts/test/Golden/Output/races*.summary build-asserts/test/Examples/Output/races*.summary 2>/dev/null || true
# shellcheck disable=SC2086 # a list of files
python3 scripts/lit-summary.py $results

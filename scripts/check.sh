#!/bin/sh
# Builds Obsidian twice and runs its tests: the release tools with the tests
# that start them as a user does, and our code with assertions with every test.
# The last line is 'N passed, N failed, N skipped'.
#
# Usage: check.sh [--full]    --full also runs the exhaustive matrices.
set -eu
cd "$(dirname "$0")/.."

lit="${LLVM_PREFIX:-/usr/lib/llvm-22}/bin/lit"
exhaustive=""
if [ "${1:-}" = "--full" ]; then
  exhaustive="--param exhaustive=1 --param test_timeout=7200"
fi
# The part of the suite that the release tools run too: all of it twice would
# take too long.
release_tests=""
for folder in Examples Tools; do
  if [ -d "test/$folder" ]; then
    release_tests="$release_tests build/test/$folder"
  fi
done

step() { echo "== $*"; }
log="$(mktemp)"
trap 'rm -f "$log"' EXIT

step "release build (build/)"
cmake --preset release >"$log" 2>&1 || { cat "$log"; exit 1; }
cmake --build build --target obs-tools

step "build with assertions (build-asserts/)"
cmake --preset asserts >"$log" 2>&1 || { cat "$log"; exit 1; }
cmake --build build-asserts --target obs-test-depends

# Every part runs, even when one before it failed.
step "tests on the release tools ($release_tests)"
rm -f build/lit.json build-asserts/lit.json
# shellcheck disable=SC2086 # a list of words
"$lit" -sv --no-progress-bar -o build/lit.json $release_tests </dev/null || true

step "all tests, with assertions"
# shellcheck disable=SC2086 # a list of words
"$lit" -sv --no-progress-bar -o build-asserts/lit.json $exhaustive build-asserts/test </dev/null || true

step "result"
# The counts of the tests of the goldens, and of those of the barriers.
cat build-asserts/test/Golden/Output/counts*.summary 2>/dev/null || true
cat build-asserts/test/Golden/Output/mutants*.summary 2>/dev/null || true
cat build-asserts/test/Golden/Output/races*.summary build-asserts/test/Examples/Output/races*.summary 2>/dev/null || true
python3 scripts/lit-summary.py build/lit.json build-asserts/lit.json

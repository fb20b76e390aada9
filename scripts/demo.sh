#!/bin/sh
# Installs what is missing, builds the release tools, and runs examples on real
# data: demo.py compiles them to PTX, runs them with the emulator (and on the
# GPU, where there is a driver), and checks the results.
set -eu
cd "$(dirname "$0")/.."

step() { echo; echo "== $*"; }
log="$(mktemp)"
trap 'rm -f "$log"' EXIT

step "1/3 build tools and LLVM/MLIR 22"
if [ -x "${LLVM_PREFIX:-/usr/lib/llvm-22}/bin/mlir-opt" ] &&
   [ -x "${LLVM_PREFIX:-/usr/lib/llvm-22}/bin/clang++" ] &&
   command -v cmake >/dev/null && command -v ninja >/dev/null &&
   command -v python3 >/dev/null; then
  echo "found"
else
  ./scripts/install-deps.sh
fi

step "2/3 build (a few minutes the first time)"
cmake --preset release >"$log" 2>&1 || { cat "$log"; exit 1; }
cmake --build build --target obs-tools

step "3/3 run examples: compile to PTX, emulate, check, count"
PATH="$PWD/build/bin:$PATH" python3 scripts/demo.py build/demo

step "done"
cat <<'END'
Try next:
  cat examples/stencil.mlir build/demo/stencil.ptx       a program and its PTX
  build/bin/obs-run examples/saxpy.mlir --device=emulate --report 2.0 iota:10xf32 iota:10xf32
                                                         a program on your own data
  build/bin/obs-run --help                               all kinds of arguments
  build/bin/obs-opt --help                               passes and pipelines
  make check                                             every test
END

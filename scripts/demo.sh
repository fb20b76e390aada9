#!/bin/sh
# Installs what is missing, builds the release tools, and runs the examples:
# each is compiled to PTX and run by the emulator (and by the GPU, where there
# is a driver) with the arguments on its `// demo:` lines.
set -eu
cd "$(dirname "$0")/.."

step() { echo; echo "== $*"; }
log="$(mktemp)"
trap 'rm -f "$log"' EXIT

step "1/3 build tools and LLVM/MLIR 22"
if [ -x "${LLVM_PREFIX:-/usr/lib/llvm-22}/bin/mlir-opt" ] &&
   [ -x "${LLVM_PREFIX:-/usr/lib/llvm-22}/bin/clang++" ] &&
   command -v cmake >/dev/null && command -v ninja >/dev/null; then
  echo "found"
else
  ./scripts/install-deps.sh
fi

step "2/3 build (a few minutes the first time)"
cmake --preset release >"$log" 2>&1 || { cat "$log"; exit 1; }
cmake --build build --target obs-tools

step "3/3 run the examples"
PATH="$PWD/build/bin:$PATH"
devices="interpret emulate"
if [ -e /dev/nvidiactl ]; then
  devices="$devices cuda"
fi
for example in examples/*.mlir; do
  lines="$(sed -n 's|^// demo: *||p' "$example")"
  [ -n "$lines" ] || continue
  echo
  echo "-- $example"
  ptx="build/$(basename "$example" .mlir).ptx"
  obs-translate --obs-to-ptx "$example" -o "$ptx"
  echo "PTX: $ptx ($(wc -l <"$ptx") lines)"
  echo "$lines" | while IFS= read -r arguments; do
    for device in $devices; do
      echo "\$ obs-run $example --device=$device $arguments"
      # shellcheck disable=SC2086 # a list of words
      obs-run "$example" --device="$device" $arguments
    done
  done
done

step "done"
cat <<'END'
Try next:
  build/bin/obs-opt --help                       passes and pipelines
  build/bin/obs-run examples/saxpy.mlir --help   how to run a program
  make check                                     every test
END

#!/bin/sh
# Compares docs/generated/ with what the TableGen descriptions say, and fails
# when a page is out of date.
#
# Usage: check-docs.sh [--update]    --update rewrites the pages instead.
set -eu
cd "$(dirname "$0")/.."

prefix="${LLVM_PREFIX:-/usr/lib/llvm-22}"
out="$(mktemp -d)"
trap 'rm -rf "$out"' EXIT

# Drops the syntax that mlir-tblgen derives from an assembly format, with $NAME for
# operands: the description of each operation has a grammar.
drop_derived_syntax() {
  awk '
    /^Syntax:$/ { part = $0; fences = 0; next }
    part != "" {
      part = part "\n" $0
      if (/^```/ && ++fences == 2) {
        if (part !~ /operation ::=.*\$/) print part
        part = ""
      }
      next
    }
    { print }'
}

# page NAME FILE GENERATOR...: writes one page from one .td file.
page() {
  name="$1" file="include/Obsidian/$2"
  shift 2
  if [ ! -f "$file" ]; then
    return
  fi
  {
    echo "<!-- Written by scripts/check-docs.sh --update from $file. -->"
    echo
    "$prefix/bin/mlir-tblgen" "$@" -I include -I "$prefix/include" "$file" |
      drop_derived_syntax
  } | sed -e 's/[[:space:]]*$//' -e '/^\[TOC\]$/d' | cat -s >"$out/$name.md"
}

page ObsDialect Dialect/Obs/IR/ObsOps.td -gen-dialect-doc -dialect=obs
page ObsCollectives Dialect/Obs/IR/ObsCollectiveOps.td -gen-op-doc
page ObsIrregular Dialect/Obs/IR/ObsIrregularOps.td -gen-op-doc
page ObsInterfaces Dialect/Obs/IR/ObsInterfaces.td -gen-op-interface-docs
page InterpreterInterfaces Interpreter/InterpreterInterfaces.td -gen-op-interface-docs
page ArrayPasses Transforms/Arrays/Passes.td -gen-pass-doc
page CollectivePasses Transforms/Collectives/Passes.td -gen-pass-doc
page HostPasses Transforms/Host/Passes.td -gen-pass-doc
page LevelPasses Transforms/Level/Passes.td -gen-pass-doc
page GPUPasses Transforms/GPU/Passes.td -gen-pass-doc
page ConversionPasses Conversion/Passes.td -gen-pass-doc
page FrontEndPasses FrontEnd/Passes.td -gen-pass-doc
page EmulatorPasses Emulator/Passes.td -gen-pass-doc
page ReportPasses Reports/Passes.td -gen-pass-doc
page TargetPasses Target/Passes.td -gen-pass-doc

if [ "${1:-}" = "--update" ]; then
  mkdir -p docs/generated
  rm -f docs/generated/*.md
  cp "$out"/*.md docs/generated/
  echo "docs/generated: $(ls docs/generated | wc -l) pages written."
elif ! diff -ru docs/generated "$out"; then
  echo "docs/generated is out of date: run 'make docs' and commit the result." >&2
  exit 1
fi

// Translations convert functions on tensors, as obs-run does.

// RUN: obs-translate --obs-to-ptx %s | FileCheck %s --check-prefix=PTX
// RUN: obs-translate --obs-to-launch-json %s | FileCheck %s --check-prefix=JSON
// RUN: obs-translate --obs-to-host-c %s | FileCheck %s --check-prefix=C
// RUN: sed 's/arith.addf %a, %b/tensor.insert %c into %a[%i]/' %s | not obs-translate --obs-to-ptx 2>&1 | FileCheck %s --check-prefix=ERROR
// PTX: .visible .entry add_kernel(
// JSON: "name": "add"
// C: obs_add(
// ERROR: <stdin>:[[#@LINE+3]]:8: error: 'tensor.insert' op has no counterpart in obs
func.func @add(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: f32, %i: index) -> tensor<?xf32> {
  // A program on arrays.
  %r = arith.addf %a, %b : tensor<?xf32>
  return %r : tensor<?xf32>
}

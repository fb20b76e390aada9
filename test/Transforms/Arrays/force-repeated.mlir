// One program that a force names twice.
//
// DEFINE: %{entry} = both
// DEFINE: %{run} = obs-run %s --device=emulate --check=all --entry=%{entry} iota:5xi32
// RUN: obs-opt %s --obs-to-gpu | FileCheck %s
// RUN: %{run} | FileCheck %s --check-prefix=BOTH
// REDEFINE: %{entry} = equal
// RUN: %{run} | FileCheck %s --check-prefix=EQUAL
// REDEFINE: %{entry} = given
// RUN: %{run} zeros:5xi32 zeros:5xi32 | FileCheck %s --check-prefix=BOTH

!ints = !obs.pull<? x i32>

// It is stored once.
// CHECK-LABEL: func.func @both(
// CHECK: %[[M:.*]] = gpu.alloc
// CHECK-NOT: gpu.alloc
// CHECK: return %[[M]], %[[M]]
// BOTH: [4, 3, 2, 1, 0]
// BOTH-NEXT: [4, 3, 2, 1, 0]
func.func @both(%a: !ints) -> (!ints, !ints) {
  %r = obs.reverse %a dim 0 : !ints
  %p = obs.push %r : !ints -> !obs.push<grid, ? x i32>
  %f, %g = obs.force %p, %p : !obs.push<grid, ? x i32>, !obs.push<grid, ? x i32> -> (!ints, !ints)
  return %f, %g : !ints, !ints
}

// Two that are equal become one.
// EQUAL: [4, 3, 2, 1, 0]
func.func @equal(%a: !ints) -> !ints {
  %r = obs.reverse %a dim 0 : !ints
  %p = obs.push %r : !ints -> !obs.push<grid, ? x i32>
  %q = obs.push %r : !ints -> !obs.push<grid, ? x i32>
  %f, %g = obs.force %p, %q : !obs.push<grid, ? x i32>, !obs.push<grid, ? x i32> -> (!ints, !ints)
  return %g : !ints
}

// Given memories are both written.
func.func @given(%a: !ints, %m: memref<?xi32>, %n: memref<?xi32>) -> (!ints, !ints) {
  %r = obs.reverse %a dim 0 : !ints
  %p = obs.push %r : !ints -> !obs.push<grid, ? x i32>
  %f, %g = obs.force %p, %p into %m, %n : !obs.push<grid, ? x i32>, !obs.push<grid, ? x i32> into memref<?xi32>, memref<?xi32> -> (!ints, !ints)
  return %f, %g : !ints, !ints
}

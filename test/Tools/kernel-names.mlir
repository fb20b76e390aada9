// A kernel without a name is called after its function, whose name may be none in PTX.

// RUN: obs-translate --obs-to-ptx %s | FileCheck %s

// CHECK: .visible .entry foo_bar_kernel(
func.func @"foo-bar"(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %r = obs.reverse %a : !obs.pull<? x i32>
  %p = obs.push %r : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  %s = obs.force %p : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %s : !obs.pull<? x i32>
}

// CHECK: .visible .entry f1st_kernel(
func.func @"1st"(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %p = obs.push %a : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  %s = obs.force %p : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %s : !obs.pull<? x i32>
}

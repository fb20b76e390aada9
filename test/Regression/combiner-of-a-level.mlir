// A function of a level that only a contract names.
// RUN: obs-run %s --device=interpret iota:6xi32 iota:6xi32 | FileCheck %s
// RUN: obs-run %s --device=emulate iota:6xi32 iota:6xi32 | FileCheck %s

// CHECK: [0, 1, 2, 3, 4, 5, 0, 0]
func.func private @larger(%a: i32, %b: i32) -> i32 attributes {obs.level = #obs.level<thread>} {
  %r = arith.maxsi %a, %b : i32
  return %r : i32
}
func.func @main(%a: !obs.pull<? x i32>, %k: !obs.pull<? x i32>) -> !obs.pull<8 x i32> {
  %c = arith.constant 0 : i32
  %p = obs.scatter %a at %k init %c reduce(@larger) : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 8 x i32>
  %r = obs.force %p : !obs.push<grid, 8 x i32>
  return %r : !obs.pull<8 x i32>
}

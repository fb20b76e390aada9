// With a sign, true is -1: the smaller of two truth values is true if one of them is, the larger one if both are. A
// compaction by such flags has elements, and barriers.
// RUN: obs-run %s --device=emulate --threads=32 --check=all iota:44xi32 | FileCheck %s
// RUN: obs-run %s iota:44xi32 | FileCheck %s
// RUN: obs-opt --obs-to-gpu --obs-check-races %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=RACES
// RACES-NOT: error
// RACES: is proved free of races

// The elements 0, 1, 3, 5, ..., and how many they are; then those that are odd and the first one: none.
// CHECK: [0, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 35, 37, 39, 41, 43, -1,
// CHECK: [23]
// CHECK: [-1, -1,
// CHECK: [0]
func.func @main(%a: !obs.pull<44 x i32>) -> (!obs.pull<1 x 44 x i32>, !obs.pull<1 x 1 x i32>, !obs.pull<1 x 44 x i32>, !obs.pull<1 x 1 x i32>) {
  %none = arith.constant -1 : i32
  %once = obs.iota : !obs.pull<1 x index>
  %r:4 = obs.distribute warp (%e = %once : !obs.pull<1 x index>) -> (!obs.push<grid, 1 x 44 x i32>, !obs.push<grid, 1 x 1 x i32>, !obs.push<grid, 1 x 44 x i32>, !obs.push<grid, 1 x 1 x i32>) {
    %c0 = arith.constant 0 : index
    %any = obs.generate (%i) {
      %odd = arith.index_cast %i : index to i1
      %first = arith.cmpi eq, %i, %c0 : index
      %m = arith.minsi %odd, %first : i1
      obs.yield %m : i1
    } : !obs.pull<44 x i1>
    %both = obs.generate (%i) {
      %odd = arith.index_cast %i : index to i1
      %first = arith.cmpi eq, %i, %c0 : index
      %m = arith.maxsi %odd, %first : i1
      obs.yield %m : i1
    } : !obs.pull<44 x i1>
    %p, %q = obs.compact %a flags %any init %none : !obs.pull<44 x i32>, !obs.pull<44 x i1> -> !obs.push<warp, 44 x i32>, !obs.push<warp, 1 x i32>
    %s, %t = obs.force %p, %q in shared : !obs.push<warp, 44 x i32>, !obs.push<warp, 1 x i32> -> (!obs.pull<44 x i32>, !obs.pull<1 x i32>)
    %u, %v = obs.compact %a flags %both init %none : !obs.pull<44 x i32>, !obs.pull<44 x i1> -> !obs.push<warp, 44 x i32>, !obs.push<warp, 1 x i32>
    %w, %x = obs.force %u, %v in shared : !obs.push<warp, 44 x i32>, !obs.push<warp, 1 x i32> -> (!obs.pull<44 x i32>, !obs.pull<1 x i32>)
    %y0 = obs.push %s : !obs.pull<44 x i32> -> !obs.push<warp, 44 x i32>
    %y1 = obs.push %t : !obs.pull<1 x i32> -> !obs.push<warp, 1 x i32>
    %y2 = obs.push %w : !obs.pull<44 x i32> -> !obs.push<warp, 44 x i32>
    %y3 = obs.push %x : !obs.pull<1 x i32> -> !obs.push<warp, 1 x i32>
    obs.yield %y0, %y1, %y2, %y3 : !obs.push<warp, 44 x i32>, !obs.push<warp, 1 x i32>, !obs.push<warp, 44 x i32>, !obs.push<warp, 1 x i32>
  }
  %f:4 = obs.force %r#0, %r#1, %r#2, %r#3 : !obs.push<grid, 1 x 44 x i32>, !obs.push<grid, 1 x 1 x i32>, !obs.push<grid, 1 x 44 x i32>, !obs.push<grid, 1 x 1 x i32>
  return %f#0, %f#1, %f#2, %f#3 : !obs.pull<1 x 44 x i32>, !obs.pull<1 x 1 x i32>, !obs.pull<1 x 44 x i32>, !obs.pull<1 x 1 x i32>
}

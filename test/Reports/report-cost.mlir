// RUN: obs-opt --obs-report-cost=threads=48 %s -o /dev/null | FileCheck %s
// RUN: obs-opt --obs-report-cost=threads=48 %s | FileCheck %s --check-prefix=IR
// RUN: obs-opt --obs-to-gpu %s | not obs-opt --obs-report-cost 2>&1 | FileCheck %s --check-prefix=LOWERED

// Parts of 64 numbers: a block reverses a part in shared memory, then every warp
// reverses 32 of them.

// CHECK: kernel 'turn' at report-cost.mlir:[[@LINE+36]]:8
// A kernel with code for warps launches whole ones.
// CHECK-NEXT: threads of a block: 48 logical, 64 launched
// An element of the array of a warp is in one lane.
// CHECK-NEXT: registers of a thread: 1 hold arrays at one time, 0 carry values around loops
// CHECK-NEXT: {{^}}    1: 32 x i32 of a warp at report-cost.mlir:[[@LINE+22]]:13, used from report-cost.mlir:[[@LINE+21]]:13 to report-cost.mlir:[[@LINE+30]]:11
// CHECK-NEXT: shared memory of a block: 256 bytes
// CHECK-NEXT: {{^}}    0 to 255: 64 x i32 of a block at report-cost.mlir:[[@LINE+15]]:10, used from report-cost.mlir:[[@LINE+14]]:10 to report-cost.mlir:[[@LINE+28]]:11
// After the writes, and before those for the next part.
// CHECK-NEXT: barriers: 2 of a block, 0 of a warp; executed for each part of the grid: 2 and 0
// CHECK-NEXT: loops over threads and accesses:
// The index, and two comparisons and a sum that find the padding: (part * 64) + i.
// CHECK-NEXT: {{^}}    64 iterations in a block at report-cost.mlir:[[@LINE+9]]:10, each 3 index operations
// Rounds of 48 and 16 threads: warps with 32, 16 and 16 active lanes.
// CHECK-NEXT: read global i32 at {{.*}}, 2.67 sectors per request (at most 4), at most 256 * ceil(arg0.dim0 / 64) bytes
// IR: obs.distribute block
// LOWERED: error: [report-stage] has lowered kernels, which no longer contain the information for the report; give the program before lowering
func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %zero = arith.constant 0 : i32
  %parts = obs.split %a by [64] pad %zero : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<64 x i32>>
  %turned = obs.distribute block (%c = %parts : !obs.pull<? x !obs.pull<64 x i32>>) -> !obs.push<grid, ? x 64 x i32> {
    %p = obs.push %c : !obs.pull<64 x i32> -> !obs.push<block, 64 x i32>
    %s = obs.force %p : !obs.push<block, 64 x i32> -> !obs.pull<64 x i32>
    %r = obs.reverse %s : !obs.pull<64 x i32>
    %halves = obs.split %r by [32] : !obs.pull<64 x i32> -> !obs.pull<2 x !obs.pull<32 x i32>>
    %q = obs.distribute warp (%h = %halves : !obs.pull<2 x !obs.pull<32 x i32>>) -> !obs.push<block, 2 x 32 x i32> {
      %hp = obs.push %h : !obs.pull<32 x i32> -> !obs.push<warp, 32 x i32>
      %hs = obs.force %hp : !obs.push<warp, 32 x i32> -> !obs.pull<32 x i32>
      %hr = obs.reverse %hs : !obs.pull<32 x i32>
      %hq = obs.push %hr : !obs.pull<32 x i32> -> !obs.push<warp, 32 x i32>
      obs.yield %hq : !obs.push<warp, 32 x i32>
    }
    %j = obs.join %q : !obs.push<block, 2 x 32 x i32> -> !obs.push<block, 64 x i32>
    obs.yield %j : !obs.push<block, 64 x i32>
  }
  %flat = obs.join %turned : !obs.push<grid, ? x 64 x i32> -> !obs.push<grid, ? x i32>
  %f = obs.force %flat {kernel = "turn"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %f : !obs.pull<? x i32>
}

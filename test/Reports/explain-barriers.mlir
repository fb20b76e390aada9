// RUN: obs-opt --obs-explain-barriers=threads=64 %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=BLOCK
// RUN: obs-opt --obs-explain-barriers=threads=32 %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=WARP
// RUN: obs-opt --obs-explain-barriers=threads=1 %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONE
// RUN: obs-opt --obs-explain-barriers %s | FileCheck %s --check-prefix=IR
// RUN: obs-opt --obs-to-gpu %s | not obs-opt --obs-explain-barriers 2>&1 | FileCheck %s --check-prefix=LOWERED

// A block reverses the array that it has stored: threads read each other's writes.

// BLOCK: explain-barriers.mlir:27:11: remark: barrier of a block
// BLOCK: explain-barriers.mlir:27:11: note: read after write of the array at explain-barriers.mlir:22:10, written at explain-barriers.mlir:21:10, read at explain-barriers.mlir:27:11
// BLOCK: remark: kernel 'turn': 1 barrier of a block{{$}}
// WARP: remark: barrier of a warp
// WARP: remark: kernel 'turn': 1 barrier of a warp{{$}}
// ONE-NOT: remark: barrier
// ONE: remark: kernel 'turn': no barrier{{$}}
// IR: obs.distribute block
// LOWERED: error: [report-stage] has lowered kernels, which no longer contain the information for the report; give the program before lowering
func.func @main(%a: !obs.pull<64 x i32>) -> !obs.pull<64 x i32> {
  %parts = obs.split %a by [64] : !obs.pull<64 x i32> -> !obs.pull<1 x !obs.pull<64 x i32>>
  %turned = obs.distribute block (%c = %parts : !obs.pull<1 x !obs.pull<64 x i32>>) -> !obs.push<grid, 1 x 64 x i32> {
    %p = obs.push %c : !obs.pull<64 x i32> -> !obs.push<block, 64 x i32>
    %s = obs.force %p : !obs.push<block, 64 x i32> -> !obs.pull<64 x i32>
    %r = obs.reverse %s : !obs.pull<64 x i32>
    %q = obs.push %r : !obs.pull<64 x i32> -> !obs.push<block, 64 x i32>
    obs.yield %q : !obs.push<block, 64 x i32>
  }
  %flat = obs.join %turned : !obs.push<grid, 1 x 64 x i32> -> !obs.push<grid, 64 x i32>
  %f = obs.force %flat {kernel = "turn"} : !obs.push<grid, 64 x i32> -> !obs.pull<64 x i32>
  return %f : !obs.pull<64 x i32>
}

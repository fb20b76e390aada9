// RUN: obs-opt --obs-fuse-arrays %s | FileCheck %s
// RUN: not obs-opt --obs-fuse-arrays %S/Inputs/doubling.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SIZE

// Permutations that split an array and put its parts together again read the
// same array in both arms. However many follow each other, one read is left.
// CHECK-LABEL: func.func @riffles
// CHECK: obs.get
// CHECK-NOT: obs.get
// CHECK: return
func.func @riffles(%input: !obs.pull<64 x i32>) -> !obs.pull<64 x i32> {
  %a0 = obs.slice %input [0] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %b0 = obs.slice %input [32] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %c0 = obs.interleave %a0, %b0 : !obs.pull<32 x i32>, !obs.pull<32 x i32> -> !obs.pull<64 x i32>
  %a1 = obs.slice %c0 [0] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %b1 = obs.slice %c0 [32] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %c1 = obs.interleave %a1, %b1 : !obs.pull<32 x i32>, !obs.pull<32 x i32> -> !obs.pull<64 x i32>
  %a2 = obs.slice %c1 [0] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %b2 = obs.slice %c1 [32] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %c2 = obs.interleave %a2, %b2 : !obs.pull<32 x i32>, !obs.pull<32 x i32> -> !obs.pull<64 x i32>
  %a3 = obs.slice %c2 [0] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %b3 = obs.slice %c2 [32] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %c3 = obs.interleave %a3, %b3 : !obs.pull<32 x i32>, !obs.pull<32 x i32> -> !obs.pull<64 x i32>
  %a4 = obs.slice %c3 [0] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %b4 = obs.slice %c3 [32] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %c4 = obs.interleave %a4, %b4 : !obs.pull<32 x i32>, !obs.pull<32 x i32> -> !obs.pull<64 x i32>
  %a5 = obs.slice %c4 [0] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %b5 = obs.slice %c4 [32] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %c5 = obs.interleave %a5, %b5 : !obs.pull<32 x i32>, !obs.pull<32 x i32> -> !obs.pull<64 x i32>
  %a6 = obs.slice %c5 [0] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %b6 = obs.slice %c5 [32] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %c6 = obs.interleave %a6, %b6 : !obs.pull<32 x i32>, !obs.pull<32 x i32> -> !obs.pull<64 x i32>
  %a7 = obs.slice %c6 [0] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %b7 = obs.slice %c6 [32] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %c7 = obs.interleave %a7, %b7 : !obs.pull<32 x i32>, !obs.pull<32 x i32> -> !obs.pull<64 x i32>
  %a8 = obs.slice %c7 [0] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %b8 = obs.slice %c7 [32] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %c8 = obs.interleave %a8, %b8 : !obs.pull<32 x i32>, !obs.pull<32 x i32> -> !obs.pull<64 x i32>
  %a9 = obs.slice %c8 [0] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %b9 = obs.slice %c8 [32] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %c9 = obs.interleave %a9, %b9 : !obs.pull<32 x i32>, !obs.pull<32 x i32> -> !obs.pull<64 x i32>
  %a10 = obs.slice %c9 [0] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %b10 = obs.slice %c9 [32] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %c10 = obs.interleave %a10, %b10 : !obs.pull<32 x i32>, !obs.pull<32 x i32> -> !obs.pull<64 x i32>
  %a11 = obs.slice %c10 [0] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %b11 = obs.slice %c10 [32] [32] [1] : !obs.pull<64 x i32> -> !obs.pull<32 x i32>
  %c11 = obs.interleave %a11, %b11 : !obs.pull<32 x i32>, !obs.pull<32 x i32> -> !obs.pull<64 x i32>
  %p = obs.push %c11 : !obs.pull<64 x i32> -> !obs.push<grid, 64 x i32>
  %r = obs.force %p : !obs.push<grid, 64 x i32> -> !obs.pull<64 x i32>
  return %r : !obs.pull<64 x i32>
}

// Arrays that read two elements of the one before, without a force: one more
// doubles the program.
// SIZE: doubling.mlir:{{.*}} error: {{.*}}[fuse-size] is read in more than 4096 places after fusion; force it, or an array that depends on it

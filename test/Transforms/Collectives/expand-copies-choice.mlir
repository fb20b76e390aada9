// RUN: obs-opt %s --obs-expand-collectives=plain --canonicalize | FileCheck %s --check-prefixes=CHECK,MUCH
// RUN: obs-opt %s "--obs-expand-collectives=plain shared-bytes=65536" --canonicalize | FileCheck %s --check-prefixes=CHECK,LITTLE

// A scatter combines into privatised copies of one level. The size of the result, the atomic operations
// of memory, and the shared memory of a block (227 KiB, or 64) select the level.

// Shared memory adds integers of 32 bits at full speed. Copies in registers are faster up to 8 elements,
// CHECK-LABEL: @one(
// CHECK: obs.push<block, 256 x i32>
func.func @one(%a: !obs.pull<? x i32>, %i: !obs.pull<? x i32>, %z: i32) -> !obs.pull<1 x i32> {
  %p = obs.scatter %a at %i init %z reduce(addi) : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 1 x i32>
  %r = obs.force %p : !obs.push<grid, 1 x i32> -> !obs.pull<1 x i32>
  return %r : !obs.pull<1 x i32>
}

// CHECK-LABEL: @registers(
// CHECK: obs.push<block, 2048 x i32>
func.func @registers(%a: !obs.pull<? x i32>, %i: !obs.pull<? x i32>, %z: i32) -> !obs.pull<8 x i32> {
  %p = obs.scatter %a at %i init %z reduce(addi) : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 8 x i32>
  %r = obs.force %p : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}

// then those of blocks,
// CHECK-LABEL: @block(
// CHECK: obs.force %{{.*}} : !obs.push<block, 9 x i32>
func.func @block(%a: !obs.pull<? x i32>, %i: !obs.pull<? x i32>, %z: i32) -> !obs.pull<9 x i32> {
  %p = obs.scatter %a at %i init %z reduce(addi) : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 9 x i32>
  %r = obs.force %p : !obs.push<grid, 9 x i32> -> !obs.pull<9 x i32>
  return %r : !obs.pull<9 x i32>
}

// while they have 128 KiB, where there is as much,
// CHECK-LABEL: @half(
// CHECK: obs.force %{{.*}} : !obs.push<block, 16384 x i32>
func.func @half(%a: !obs.pull<? x i32>, %i: !obs.pull<? x i32>, %z: i32) -> !obs.pull<16384 x i32> {
  %p = obs.scatter %a at %i init %z reduce(maxs) : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 16384 x i32>
  %r = obs.force %p : !obs.push<grid, 16384 x i32> -> !obs.pull<16384 x i32>
  return %r : !obs.pull<16384 x i32>
}

// CHECK-LABEL: @most(
// MUCH: obs.force %{{.*}} : !obs.push<block, 32768 x i32>
// LITTLE-NOT: obs.par block
// LITTLE: return
func.func @most(%a: !obs.pull<? x i32>, %i: !obs.pull<? x i32>, %z: i32) -> !obs.pull<32768 x i32> {
  %p = obs.scatter %a at %i init %z reduce(maxs) : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 32768 x i32>
  %r = obs.force %p : !obs.push<grid, 32768 x i32> -> !obs.pull<32768 x i32>
  return %r : !obs.pull<32768 x i32>
}

// but no larger ones.
// CHECK-LABEL: @more(
// CHECK-NOT: obs.par block
// CHECK: return
func.func @more(%a: !obs.pull<? x i32>, %i: !obs.pull<? x i32>, %z: i32) -> !obs.pull<32769 x i32> {
  %p = obs.scatter %a at %i init %z reduce(addi) : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 32769 x i32>
  %r = obs.force %p : !obs.push<grid, 32769 x i32> -> !obs.pull<32769 x i32>
  return %r : !obs.pull<32769 x i32>
}

// Only device memory can combine these atomically: 16 elements are in registers,
// CHECK-LABEL: @wide(
// CHECK: obs.push<block, 4096 x i64>
func.func @wide(%a: !obs.pull<? x i64>, %i: !obs.pull<? x i32>, %z: i64) -> !obs.pull<16 x i64> {
  %p = obs.scatter %a at %i init %z reduce(addi) : !obs.pull<? x i64>, !obs.pull<? x i32> -> !obs.push<grid, 16 x i64>
  %r = obs.force %p : !obs.push<grid, 16 x i64> -> !obs.pull<16 x i64>
  return %r : !obs.pull<16 x i64>
}

// CHECK-LABEL: @float(
// CHECK: obs.push<block, 4096 x f32>
func.func @float(%a: !obs.pull<? x f32>, %i: !obs.pull<? x i32>, %z: f32) -> !obs.pull<16 x f32> {
  %p = obs.scatter %a at %i init %z reduce(addf) : !obs.pull<? x f32>, !obs.pull<? x i32> -> !obs.push<grid, 16 x f32>
  %r = obs.force %p : !obs.push<grid, 16 x f32> -> !obs.pull<16 x f32>
  return %r : !obs.pull<16 x f32>
}

// 1024 in privatised copies of warps,
// CHECK-LABEL: @float_warps(
// CHECK: obs.force %{{.*}} : !obs.push<block, 8 x 17 x f32>
func.func @float_warps(%a: !obs.pull<? x f32>, %i: !obs.pull<? x i32>, %z: f32) -> !obs.pull<17 x f32> {
  %p = obs.scatter %a at %i init %z reduce(addf) : !obs.pull<? x f32>, !obs.pull<? x i32> -> !obs.push<grid, 17 x f32>
  %r = obs.force %p : !obs.push<grid, 17 x f32> -> !obs.pull<17 x f32>
  return %r : !obs.pull<17 x f32>
}

// CHECK-LABEL: @wide_warps(
// CHECK: obs.force %{{.*}} : !obs.push<block, 8 x 1024 x i64>
func.func @wide_warps(%a: !obs.pull<? x i64>, %i: !obs.pull<? x i32>, %z: i64) -> !obs.pull<1024 x i64> {
  %p = obs.scatter %a at %i init %z reduce(addi) : !obs.pull<? x i64>, !obs.pull<? x i32> -> !obs.push<grid, 1024 x i64>
  %r = obs.force %p : !obs.push<grid, 1024 x i64> -> !obs.pull<1024 x i64>
  return %r : !obs.pull<1024 x i64>
}

// and more in one of the block.
// CHECK-LABEL: @wide_block(
// CHECK: obs.force %{{.*}} : !obs.push<block, 1025 x i64>
func.func @wide_block(%a: !obs.pull<? x i64>, %i: !obs.pull<? x i32>, %z: i64) -> !obs.pull<1025 x i64> {
  %p = obs.scatter %a at %i init %z reduce(addi) : !obs.pull<? x i64>, !obs.pull<? x i32> -> !obs.push<grid, 1025 x i64>
  %r = obs.force %p : !obs.push<grid, 1025 x i64> -> !obs.pull<1025 x i64>
  return %r : !obs.pull<1025 x i64>
}

// No memory can combine these: they are in registers up to 32 elements, if those have 128 bytes,
// CHECK-LABEL: @loop(
// CHECK: obs.push<block, 8192 x i32>
func.func @loop(%a: !obs.pull<? x i32>, %i: !obs.pull<? x i32>, %z: i32) -> !obs.pull<32 x i32> {
  %p = obs.scatter %a at %i init %z reduce(muli) : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 32 x i32>
  %r = obs.force %p : !obs.push<grid, 32 x i32> -> !obs.pull<32 x i32>
  return %r : !obs.pull<32 x i32>
}

// CHECK-LABEL: @wide_loop(
// CHECK: obs.force %{{.*}} : !obs.push<block, 8 x 17 x i64>
func.func @wide_loop(%a: !obs.pull<? x i64>, %i: !obs.pull<? x i32>, %z: i64) -> !obs.pull<17 x i64> {
  %p = obs.scatter %a at %i init %z reduce(muli) : !obs.pull<? x i64>, !obs.pull<? x i32> -> !obs.push<grid, 17 x i64>
  %r = obs.force %p : !obs.push<grid, 17 x i64> -> !obs.pull<17 x i64>
  return %r : !obs.pull<17 x i64>
}

// and in privatised copies of warps up to 4096, if those fit.
// CHECK-LABEL: @loop_warps(
// CHECK: obs.force %{{.*}} : !obs.push<block, 8 x 33 x i32>
func.func @loop_warps(%a: !obs.pull<? x i32>, %i: !obs.pull<? x i32>, %z: i32) -> !obs.pull<33 x i32> {
  %p = obs.scatter %a at %i init %z reduce(muli) : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 33 x i32>
  %r = obs.force %p : !obs.push<grid, 33 x i32> -> !obs.pull<33 x i32>
  return %r : !obs.pull<33 x i32>
}

// CHECK-LABEL: @loop_most_warps(
// MUCH: obs.force %{{.*}} : !obs.push<block, 8 x 4096 x i32>
// LITTLE: obs.force %{{.*}} : !obs.push<block, 4096 x i32>
func.func @loop_most_warps(%a: !obs.pull<? x i32>, %i: !obs.pull<? x i32>, %z: i32) -> !obs.pull<4096 x i32> {
  %p = obs.scatter %a at %i init %z reduce(muli) : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 4096 x i32>
  %r = obs.force %p : !obs.push<grid, 4096 x i32> -> !obs.pull<4096 x i32>
  return %r : !obs.pull<4096 x i32>
}

// CHECK-LABEL: @loop_block(
// CHECK: obs.force %{{.*}} : !obs.push<block, 4097 x i32>
func.func @loop_block(%a: !obs.pull<? x i32>, %i: !obs.pull<? x i32>, %z: i32) -> !obs.pull<4097 x i32> {
  %p = obs.scatter %a at %i init %z reduce(muli) : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 4097 x i32>
  %r = obs.force %p : !obs.push<grid, 4097 x i32> -> !obs.pull<4097 x i32>
  return %r : !obs.pull<4097 x i32>
}

// CHECK-LABEL: @wide_loop_block(
// CHECK: obs.force %{{.*}} : !obs.push<block, 4096 x i64>
func.func @wide_loop_block(%a: !obs.pull<? x i64>, %i: !obs.pull<? x i32>, %z: i64) -> !obs.pull<4096 x i64> {
  %p = obs.scatter %a at %i init %z reduce(muli) : !obs.pull<? x i64>, !obs.pull<? x i32> -> !obs.push<grid, 4096 x i64>
  %r = obs.force %p : !obs.push<grid, 4096 x i64> -> !obs.pull<4096 x i64>
  return %r : !obs.pull<4096 x i64>
}

// So few elements that they are one part with privatised copies of warps,
// CHECK-LABEL: @one_part_of_warps(
// CHECK: obs.force %{{.*}} : !obs.push<block, 2048 x i32>
func.func @one_part_of_warps(%a: !obs.pull<32768 x i32>, %i: !obs.pull<32768 x i32>, %z: i32) -> !obs.pull<2048 x i32> {
  %p = obs.scatter %a at %i init %z reduce(muli) : !obs.pull<32768 x i32>, !obs.pull<32768 x i32> -> !obs.push<grid, 2048 x i32>
  %r = obs.force %p : !obs.push<grid, 2048 x i32> -> !obs.pull<2048 x i32>
  return %r : !obs.pull<2048 x i32>
}

// or with any,
// CHECK-LABEL: @one_part(
// CHECK-NOT: obs.par block
// CHECK: return
func.func @one_part(%a: !obs.pull<32768 x i32>, %i: !obs.pull<32768 x i32>, %z: i32) -> !obs.pull<16384 x i32> {
  %p = obs.scatter %a at %i init %z reduce(addi) : !obs.pull<32768 x i32>, !obs.pull<32768 x i32> -> !obs.push<grid, 16384 x i32>
  %r = obs.force %p : !obs.push<grid, 16384 x i32> -> !obs.pull<16384 x i32>
  return %r : !obs.pull<16384 x i32>
}

// and one more.
// CHECK-LABEL: @two_parts(
// CHECK: obs.force %{{.*}} : !obs.push<block, 16384 x i32>
func.func @two_parts(%a: !obs.pull<32769 x i32>, %i: !obs.pull<32769 x i32>, %z: i32) -> !obs.pull<16384 x i32> {
  %p = obs.scatter %a at %i init %z reduce(addi) : !obs.pull<32769 x i32>, !obs.pull<32769 x i32> -> !obs.push<grid, 16384 x i32>
  %r = obs.force %p : !obs.push<grid, 16384 x i32> -> !obs.pull<16384 x i32>
  return %r : !obs.pull<16384 x i32>
}

// RUN: obs-opt %s --obs-expand-collectives --canonicalize | FileCheck %s

// Who has copies of a result that scatters combine, by its size and by what memory can do.

// Shared memory adds integers of 32 bits at full speed: a copy for each block, of the smallest result
// CHECK-LABEL: @one(
// CHECK: obs.force %{{.*}} : !obs.push<block, 1 x i32>
func.func @one(%a: !obs.pull<? x i32>, %i: !obs.pull<? x i32>, %z: i32) -> !obs.pull<1 x i32> {
  %p = obs.scatter %a at %i init %z reduce(addi) : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 1 x i32>
  %r = obs.force %p : !obs.push<grid, 1 x i32> -> !obs.pull<1 x i32>
  return %r : !obs.pull<1 x i32>
}

// and of the largest that fits, of 65536 bytes,
// CHECK-LABEL: @largest(
// CHECK: obs.force %{{.*}} : !obs.push<block, 16384 x i32>
func.func @largest(%a: !obs.pull<? x i32>, %i: !obs.pull<? x i32>, %z: i32) -> !obs.pull<16384 x i32> {
  %p = obs.scatter %a at %i init %z reduce(addi) : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 16384 x i32>
  %r = obs.force %p : !obs.push<grid, 16384 x i32> -> !obs.pull<16384 x i32>
  return %r : !obs.pull<16384 x i32>
}

// but no larger one.
// CHECK-LABEL: @larger(
// CHECK-NOT: obs.par block
// CHECK: return
func.func @larger(%a: !obs.pull<? x i32>, %i: !obs.pull<? x i32>, %z: i32) -> !obs.pull<16385 x i32> {
  %p = obs.scatter %a at %i init %z reduce(addi) : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 16385 x i32>
  %r = obs.force %p : !obs.push<grid, 16385 x i32> -> !obs.pull<16385 x i32>
  return %r : !obs.pull<16385 x i32>
}

// Of others 64 bytes are in registers of threads,
// CHECK-LABEL: @wide(
// CHECK: obs.push<block, 2048 x i64>
func.func @wide(%a: !obs.pull<? x i64>, %i: !obs.pull<? x i32>, %z: i64) -> !obs.pull<8 x i64> {
  %p = obs.scatter %a at %i init %z reduce(addi) : !obs.pull<? x i64>, !obs.pull<? x i32> -> !obs.push<grid, 8 x i64>
  %r = obs.force %p : !obs.push<grid, 8 x i64> -> !obs.pull<8 x i64>
  return %r : !obs.pull<8 x i64>
}

// 1024 bytes in copies of warps,
// CHECK-LABEL: @wide_warps(
// CHECK: obs.force %{{.*}} : !obs.push<block, 8 x 9 x i64>
func.func @wide_warps(%a: !obs.pull<? x i64>, %i: !obs.pull<? x i32>, %z: i64) -> !obs.pull<9 x i64> {
  %p = obs.scatter %a at %i init %z reduce(addi) : !obs.pull<? x i64>, !obs.pull<? x i32> -> !obs.push<grid, 9 x i64>
  %r = obs.force %p : !obs.push<grid, 9 x i64> -> !obs.pull<9 x i64>
  return %r : !obs.pull<9 x i64>
}

// CHECK-LABEL: @wide_most_warps(
// CHECK: obs.force %{{.*}} : !obs.push<block, 8 x 128 x i64>
func.func @wide_most_warps(%a: !obs.pull<? x i64>, %i: !obs.pull<? x i32>, %z: i64) -> !obs.pull<128 x i64> {
  %p = obs.scatter %a at %i init %z reduce(addi) : !obs.pull<? x i64>, !obs.pull<? x i32> -> !obs.push<grid, 128 x i64>
  %r = obs.force %p : !obs.push<grid, 128 x i64> -> !obs.pull<128 x i64>
  return %r : !obs.pull<128 x i64>
}

// and more in one of the block.
// CHECK-LABEL: @wide_block(
// CHECK: obs.force %{{.*}} : !obs.push<block, 129 x i64>
func.func @wide_block(%a: !obs.pull<? x i64>, %i: !obs.pull<? x i32>, %z: i64) -> !obs.pull<129 x i64> {
  %p = obs.scatter %a at %i init %z reduce(addi) : !obs.pull<? x i64>, !obs.pull<? x i32> -> !obs.push<grid, 129 x i64>
  %r = obs.force %p : !obs.push<grid, 129 x i64> -> !obs.pull<129 x i64>
  return %r : !obs.pull<129 x i64>
}

// Floats are added by loops in shared memory.
// CHECK-LABEL: @float(
// CHECK: obs.push<block, 4096 x f32>
func.func @float(%a: !obs.pull<? x f32>, %i: !obs.pull<? x i32>, %z: f32) -> !obs.pull<16 x f32> {
  %p = obs.scatter %a at %i init %z reduce(addf) : !obs.pull<? x f32>, !obs.pull<? x i32> -> !obs.push<grid, 16 x f32>
  %r = obs.force %p : !obs.push<grid, 16 x f32> -> !obs.pull<16 x f32>
  return %r : !obs.pull<16 x f32>
}

// What memory cannot do at all is in registers up to 128 bytes.
// CHECK-LABEL: @loop(
// CHECK: obs.push<block, 8192 x i32>
func.func @loop(%a: !obs.pull<? x i32>, %i: !obs.pull<? x i32>, %z: i32) -> !obs.pull<32 x i32> {
  %p = obs.scatter %a at %i init %z reduce(muli) : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 32 x i32>
  %r = obs.force %p : !obs.push<grid, 32 x i32> -> !obs.pull<32 x i32>
  return %r : !obs.pull<32 x i32>
}

// CHECK-LABEL: @loop_warps(
// CHECK: obs.force %{{.*}} : !obs.push<block, 8 x 33 x i32>
func.func @loop_warps(%a: !obs.pull<? x i32>, %i: !obs.pull<? x i32>, %z: i32) -> !obs.pull<33 x i32> {
  %p = obs.scatter %a at %i init %z reduce(muli) : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 33 x i32>
  %r = obs.force %p : !obs.push<grid, 33 x i32> -> !obs.pull<33 x i32>
  return %r : !obs.pull<33 x i32>
}

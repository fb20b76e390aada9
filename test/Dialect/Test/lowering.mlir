// RUN: obs-test opt %s --obs-to-gpu | FileCheck %s --check-prefix=GPU
// RUN: obs-test opt %s --obs-to-gpu | obs-test opt --obs-check-races -o /dev/null 2>&1 | FileCheck %s --check-prefix=RACES
// RUN: obs-test opt %s --obs-report-cost -o /dev/null 2>&1 | FileCheck %s --check-prefix=COST
// RUN: obs-test translate --obs-to-ptx %s | FileCheck %s --check-prefix=PTX
// RUN: obs-test opt %s | obs-test opt --verify-roundtrip -o /dev/null

!ints = !obs.pull<? x i32>

// An index map of an array in memory that says so is passed on as a part of the memory.

// GPU-LABEL: func.func @contiguous
// GPU: gpu.launch_func @kernels::@store
// GPU: scf.for
// GPU-NOT: gpu.alloc
// GPU-NOT: gpu.launch_func
// GPU: [[PART:%.+]] = obs.part {{.*}} from %c1
// GPU-NEXT: scf.yield [[PART]]
// GPU: gpu.launch_func @kernels::@double
// GPU-NOT: gpu.launch_func
// GPU: return
func.func @contiguous(%a: !ints, %k: index) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %s = obs.force %a {kernel = "store"} : !ints
  %l = scf.for %i = %c0 to %k step %c1 iter_args(%x = %s) -> (!ints) {
    %d = test.drop %x, %c1 : !ints -> !ints
    scf.yield %d : !ints
  }
  %m = obs.map { arith.addi } %l, %l : !ints
  %r = obs.force %m {kernel = "double"} : !ints
  return %r : !ints
}

// A pull array operation fuses with what is around it: one kernel.

// GPU-LABEL: func.func @fused
// GPU-COUNT-1: gpu.launch_func
// GPU-NOT: gpu.launch_func
// GPU: return
func.func @fused(%a: !ints) -> !ints {
  %b = obs.map { arith.addi } %a, %a : !ints
  %w = test.window %b size 3 : !ints -> !ints
  %v = obs.reverse %w : !ints
  %r = obs.force %v {kernel = "fused"} : !ints
  return %r : !ints
}

// A collective by all blocks has as many kernels as its strategy forces.

// GPU-LABEL: func.func @grid
// GPU-COUNT-2: gpu.launch_func
// GPU-NOT: gpu.launch_func
// GPU: return
func.func @grid(%a: !ints, %base: i32) -> !obs.pull<1 x i32> {
  %d = test.digest %a base %base : !ints -> !obs.push<grid, 1 x i32>
  %r = obs.force %d {kernel = "digest"} : !obs.push<grid, 1 x i32>
  return %r : !obs.pull<1 x i32>
}

// Other threads read the elements in shared memory, after a barrier.

// GPU-LABEL: gpu.func @shared
// GPU: memref.store {{.*}}workgroup
// GPU-NOT: memref.load {{.*}}workgroup
// GPU: gpu.barrier
// GPU: memref.load {{.*}}workgroup
func.func @shared(%a: !obs.pull<? x 128 x i32>) -> !obs.pull<? x 124 x i32> {
  %rows = obs.nest %a dims 1 : !obs.pull<? x 128 x i32>
  %p = obs.distribute block (%t = %rows : !obs.pull<? x !obs.pull<128 x i32>>) -> !obs.push<grid, ? x 124 x i32> {
    %u = test.window %t size 3 : !obs.pull<128 x i32> -> !obs.pull<126 x i32>
    %s = obs.force %u : !obs.pull<126 x i32>
    %v = test.window %s size 3 : !obs.pull<126 x i32> -> !obs.pull<124 x i32>
    %q = obs.push block %v : !obs.pull<124 x i32>
    obs.yield %q : !obs.push<block, 124 x i32>
  }
  %r = obs.force %p {kernel = "shared"} : !obs.push<grid, ? x 124 x i32>
  return %r : !obs.pull<? x 124 x i32>
}

// RACES: kernel 'store' is proved free of races
// RACES: kernel 'double' is proved free of races
// RACES: kernel 'fused' is proved free of races
// RACES: kernel 'digest' is proved free of races
// RACES: kernel 'shared' is proved free of races

// COST: kernel 'fused'
// COST: read global i32
// COST: write global i32

// PTX: .entry store(
// PTX: .entry fused(
// PTX: .entry shared(

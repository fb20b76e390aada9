// RUN: obs-opt %s --obs-to-levels | FileCheck %s --check-prefix=LEVELS
// RUN: obs-opt %s --obs-to-gpu | obs-translate --obs-to-ptx | FileCheck %s --check-prefix=PTX
// RUN: obs-opt %s --obs-to-gpu | obs-opt --obs-check-races -o /dev/null 2>&1 | FileCheck %s --check-prefix=RACES
// RUN: obs-opt %s --obs-to-gpu=threads=100 | obs-opt --obs-check-races -o /dev/null 2>&1 | FileCheck %s --check-prefix=RACES

// RACES-COUNT-4: is proved free of races
// RACES-NOT: error

// A tile of a scan in one pass is scanned by 256 threads: a warp has eight rows of 128 neighbouring elements, a lane
// four neighbours of each.

// Elements stay in registers from the load to the store: only the sums of the warps are in shared memory, beside the
// number of the tile and what is before it. Three barriers stand between those.
// LEVELS: obs.kernel {{.*}}entry = "sums"
// LEVELS-COUNT-40: memref.alloc() : memref<256xi32, #obs.home<block, registers>>
// LEVELS-NOT: memref<256xi32, #obs.home<block, registers>>
// LEVELS: memref.alloc() {{.*}} : memref<256xi32, #obs.home<block, shared>>
// LEVELS-NOT: memref.alloc() {obs.offset
// LEVELS: obs.barrier block
// LEVELS: memref.alloc() {{.*}} : memref<1xi32, #obs.home<block, shared>>
// LEVELS-NOT: memref.alloc() {obs.offset
// LEVELS: obs.barrier block
// LEVELS-NOT: obs.barrier
// LEVELS: obs.kernel {{.*}}entry = "floats"

// PTX: .entry sums(
// PTX-COUNT-3: bar.sync
// PTX-NOT: bar.sync
// PTX-COUNT-8: st.global.v4.b32
// PTX: ret;
func.func @sums(%x: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %z = arith.constant 0 : i32
  %p = obs.scan grid inclusive { arith.addi } %x init %z : !obs.pull<? x i32>
  %r = obs.force %p {kernel = "sums"} : !obs.push<grid, ? x i32>
  return %r : !obs.pull<? x i32>
}

// Floats round in the same way in every run: a warp combines the groups of 32 tiles from left to right, and then the
// tiles of its own group.
// PTX: .entry floats(
// PTX-NOT: fence
// PTX-COUNT-8: st.global.v4.b32
func.func @floats(%x: !obs.pull<? x f32>) -> !obs.pull<? x f32> {
  %z = arith.constant 0.0 : f32
  %p = obs.scan grid inclusive { arith.addf } %x init %z : !obs.pull<? x f32>
  %r = obs.force %p {kernel = "floats"} : !obs.push<grid, ? x f32>
  return %r : !obs.pull<? x f32>
}

// Maps before and after are part of the kernel. An exclusive scan combines no element with itself.
// PTX: .entry exclusive(
// PTX-COUNT-8: ld.global.nc.v4.b32
// PTX-COUNT-8: st.global.v4.b32
func.func @exclusive(%x: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %z = arith.constant 5 : i32
  %a = obs.map (%e = %x : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
    %y = arith.muli %e, %e : i32
    obs.yield %y : i32
  }
  %p = obs.scan grid exclusive { arith.addi } %a init %z : !obs.pull<? x i32>
  %q = obs.map (%e = %p : !obs.push<grid, ? x i32>) -> !obs.push<grid, ? x i32> {
    %y = arith.xori %e, %z : i32
    obs.yield %y : i32
  }
  %r = obs.force %q {kernel = "exclusive"} : !obs.push<grid, ? x i32>
  return %r : !obs.pull<? x i32>
}

// If much is computed for an element, a thread has one, and the code is there once.
func.func @expensive(%x: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %z = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %a = obs.map (%e = %x : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
    %y = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %e) -> i32 {
      %t = arith.muli %s, %e : i32
      scf.yield %t : i32
    }
    obs.yield %y : i32
  }
  %p = obs.scan grid inclusive { arith.addi } %a init %z : !obs.pull<? x i32>
  %r = obs.force %p {kernel = "expensive"} : !obs.push<grid, ? x i32>
  return %r : !obs.pull<? x i32>
}

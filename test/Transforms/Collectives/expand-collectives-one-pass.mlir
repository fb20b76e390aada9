// RUN: obs-opt %s --obs-expand-collectives | FileCheck %s
// RUN: obs-opt %s --obs-to-gpu | FileCheck %s --check-prefix=KERNELS
// RUN: obs-opt %s --obs-to-gpu=deterministic | FileCheck %s --check-prefix=FIXED

// Tiles are drawn, so the number of blocks that run at once does not matter.
// The map in front is computed once; the one behind is part of the kernel.
// CHECK-LABEL: @maps_around(
// KERNELS-LABEL: @maps_around(
// FIXED-LABEL: @maps_around(
func.func @maps_around(%a: !obs.pull<? x i32>, %z: i32) -> !obs.pull<? x i32> {
  // CHECK: %[[FLAGS:.*]] = memref.alloc
  // CHECK: gpu.memset %[[FLAGS]]
  // CHECK: obs.par block
  // CHECK: %[[CELL:.*]] = memref.alloc() : memref<index, #obs.home<block, shared>>
  // CHECK: obs.ticket %[[FLAGS]][%{{.*}}] via %[[CELL]]
  // CHECK: scf.while
  // KERNELS: gpu.memset
  // KERNELS-COUNT-1: gpu.launch_func
  // KERNELS-NOT: gpu.launch_func
  // FIXED: gpu.memset
  // FIXED-COUNT-1: gpu.launch_func
  // FIXED-NOT: gpu.launch_func
  // FIXED: return
  %b = obs.map (%x = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
    %y = arith.muli %x, %x : i32
    obs.yield %y : i32
  }
  %p = obs.scan inclusive (%x, %y) = %b init %z {strategy = "one_pass"} : !obs.pull<? x i32> -> !obs.push<grid, ? x i32> {
    %s = arith.addi %x, %y : i32
    obs.yield %s : i32
  }
  %q = obs.map (%x = %p : !obs.push<grid, ? x i32>) -> !obs.push<grid, ? x i32> {
    %y = arith.muli %x, %x : i32
    obs.yield %y : i32
  }
  %r = obs.force %q : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// The kernel draws every tile once, so an array that is stored twice is scanned
// once: both are one array.
// KERNELS-LABEL: @stored_twice(
// KERNELS-COUNT-1: gpu.launch_func
// KERNELS-NOT: gpu.launch_func
func.func @stored_twice(%a: !obs.pull<? x i32>, %z: i32) -> (!obs.pull<? x i32>, !obs.pull<? x i32>) {
  %p = obs.scan inclusive (%x, %y) = %a init %z {strategy = "one_pass"} : !obs.pull<? x i32> -> !obs.push<grid, ? x i32> {
    %s = arith.addi %x, %y : i32
    obs.yield %s : i32
  }
  %q = obs.force %p : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  %r = obs.force %p : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %q, %r : !obs.pull<? x i32>, !obs.pull<? x i32>
}

// The same holds for an array that is stored in a loop,
// KERNELS-LABEL: @stored_in_loop(
// KERNELS: gpu.launch_func
// KERNELS-NOT: gpu.launch_func
func.func @stored_in_loop(%a: !obs.pull<? x i32>, %z: i32, %n: index) -> !obs.pull<? x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p = obs.scan inclusive (%x, %y) = %a init %z {strategy = "one_pass"} : !obs.pull<? x i32> -> !obs.push<grid, ? x i32> {
    %s = arith.addi %x, %y : i32
    obs.yield %s : i32
  }
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %a) -> !obs.pull<? x i32> {
    %q = obs.force %p : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
    scf.yield %q : !obs.pull<? x i32>
  }
  return %r : !obs.pull<? x i32>
}

// and with one whose total is asked for before it is forced: the total is known
// when the kernel is done.
// KERNELS-LABEL: @early_total(
// KERNELS: gpu.launch_func
// KERNELS: gpu.memcpy
// KERNELS: gpu.launch_func
// KERNELS-NOT: gpu.launch_func
func.func @early_total(%a: !obs.pull<? x i32>, %z: i32) -> !obs.pull<? x i32> {
  %p, %t = obs.scan exclusive (%x, %y) = %a init %z {strategy = "one_pass"} : !obs.pull<? x i32> -> (!obs.push<grid, ? x i32>, i32) {
    %s = arith.addi %x, %y : i32
    obs.yield %s : i32
  }
  %q = obs.map (%x = %p : !obs.push<grid, ? x i32>) -> !obs.push<grid, ? x i32> {
    %s = arith.subi %t, %x : i32
    obs.yield %s : i32
  }
  %r = obs.force %q : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

// If it is asked for behind that, there is one kernel, which leaves the total
// where the host reads it.
// KERNELS-LABEL: @total(
// KERNELS: gpu.launch_func
// KERNELS: gpu.memcpy
// KERNELS-NOT: gpu.launch_func
func.func @total(%a: !obs.pull<? x i32>, %z: i32) -> (!obs.pull<? x i32>, i32) {
  %p, %t = obs.scan exclusive (%x, %y) = %a init %z {strategy = "one_pass"} : !obs.pull<? x i32> -> (!obs.push<grid, ? x i32>, i32) {
    %s = arith.addi %x, %y : i32
    obs.yield %s : i32
  }
  %r = obs.force %p : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r, %t : !obs.pull<? x i32>, i32
}

// A sum of floats by atomic additions is rounded in any order, unless the order
// is fixed: then the last block adds up what the others published.
// KERNELS-LABEL: @sum(
// KERNELS-COUNT-1: gpu.launch_func
// KERNELS-NOT: gpu.launch_func
// FIXED-LABEL: @sum(
// FIXED: gpu.memset
// FIXED-COUNT-1: gpu.launch_func
// FIXED-NOT: gpu.launch_func
func.func @sum(%a: !obs.pull<? x f32>, %z: f32) -> !obs.pull<1 x f32> {
  %p = obs.reduce (%x, %y) = %a init %z {commutative, strategy = "atomic"} : !obs.pull<? x f32> -> !obs.push<grid, 1 x f32> {
    %s = arith.addf %x, %y fastmath<reassoc> : f32
    obs.yield %s : f32
  }
  %r = obs.force %p : !obs.push<grid, 1 x f32> -> !obs.pull<1 x f32>
  return %r : !obs.pull<1 x f32>
}

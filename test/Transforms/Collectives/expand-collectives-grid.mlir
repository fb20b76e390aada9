// RUN: obs-opt %s --obs-expand-collectives | FileCheck %s
// RUN: obs-opt %s --obs-to-gpu | FileCheck %s --check-prefix=KERNELS
// RUN: obs-opt %s --obs-to-gpu --obs-check-races -o /dev/null 2>&1 | FileCheck %s --check-prefix=RACES --implicit-check-not="computed in"

// Each block reduces a part, and adds its result to that of the others.
// CHECK-LABEL: @atomic(
// KERNELS-LABEL: @atomic(
func.func @atomic(%a: !obs.pull<? x i32>, %z: i32) -> !obs.pull<1 x i32> {
  // CHECK: obs.fill init %{{.*}} reduce(addi) {
  // CHECK: obs.par block
  // CHECK: obs.force %{{.*}} : !obs.push<block, ? x i32 bound [256]>
  // CHECK: obs.par (%{{.*}}) in (%{{.*}}) {
  // CHECK: obs.write
  // CHECK: obs.force %{{.*}} {kernel = "sum"}
  // KERNELS-COUNT-1: gpu.launch_func
  // KERNELS-NOT: gpu.launch_func
  %p = obs.reduce (%x, %y) = %a init %z : !obs.pull<? x i32> -> !obs.push<grid, 1 x i32> {
    %s = arith.addi %x, %y : i32
    obs.yield %s : i32
  }
  %r = obs.force %p {kernel = "sum"} : !obs.push<grid, 1 x i32> -> !obs.pull<1 x i32>
  return %r : !obs.pull<1 x i32>
}

// A map of the result needs it complete. So the block that is done last combines
// the results of all blocks, and the map is part of its writes.
// CHECK-LABEL: @map_after(
// KERNELS-LABEL: @map_after(
func.func @map_after(%a: !obs.pull<? x i32>, %z: i32) -> !obs.pull<1 x i32> {
  // CHECK-NOT: reduce(addi)
  // CHECK: %[[PARTS:.*]] = memref.alloc({{.*}}) : memref<?xi32>
  // CHECK: %[[COUNTER:.*]] = memref.alloc({{.*}}) : memref<?xi32>
  // CHECK: gpu.memset %[[COUNTER]]
  // CHECK: obs.par block
  // CHECK: memref.store %{{.*}}, %[[PARTS]][%{{.*}}]
  // CHECK: %[[LAST:.*]] = obs.arrive %[[COUNTER]][%{{.*}}] after %{{.*}} via
  // CHECK: scf.if %[[LAST]]
  // CHECK: memref.load %[[PARTS]][%{{.*}}]
  // CHECK: obs.map
  // KERNELS: gpu.memset
  // KERNELS-COUNT-1: gpu.launch_func
  // KERNELS-NOT: gpu.launch_func
  %p = obs.reduce (%x, %y) = %a init %z : !obs.pull<? x i32> -> !obs.push<grid, 1 x i32> {
    %s = arith.addi %x, %y : i32
    obs.yield %s : i32
  }
  %q = obs.map (%x = %p : !obs.push<grid, 1 x i32>) -> !obs.push<grid, 1 x i32> {
    %y = arith.muli %x, %x : i32
    obs.yield %y : i32
  }
  %r = obs.force %q : !obs.push<grid, 1 x i32> -> !obs.pull<1 x i32>
  return %r : !obs.pull<1 x i32>
}

// Unless atomic additions are asked for: then it is a kernel of its own.
// CHECK-LABEL: @map_after_atomic(
// KERNELS-LABEL: @map_after_atomic(
func.func @map_after_atomic(%a: !obs.pull<? x i32>, %z: i32) -> !obs.pull<1 x i32> {
  // CHECK: reduce(addi)
  // CHECK: obs.force
  // CHECK: obs.map
  // KERNELS-COUNT-2: gpu.launch_func
  // KERNELS-NOT: gpu.launch_func
  %p = obs.reduce (%x, %y) = %a init %z {strategy = "atomic"} : !obs.pull<? x i32> -> !obs.push<grid, 1 x i32> {
    %s = arith.addi %x, %y : i32
    obs.yield %s : i32
  }
  %q = obs.map (%x = %p : !obs.push<grid, 1 x i32>) -> !obs.push<grid, 1 x i32> {
    %y = arith.muli %x, %x : i32
    obs.yield %y : i32
  }
  %r = obs.force %q : !obs.push<grid, 1 x i32> -> !obs.pull<1 x i32>
  return %r : !obs.pull<1 x i32>
}

// Sums of floats depend on the order, which atomic additions do not keep.
// CHECK-LABEL: @float(
// CHECK-NOT: reduce(addf)
// CHECK-NOT: obs.least_threads
// CHECK: obs.arrive
// CHECK-NOT: obs.least_threads
// KERNELS-LABEL: @float(
// KERNELS-COUNT-1: gpu.launch_func
// KERNELS-NOT: gpu.launch_func
// RACES: kernel 'float_kernel' is proved free of races
func.func @float(%a: !obs.pull<? x f32>, %z: f32) -> !obs.pull<1 x f32> {
  %p = obs.reduce (%x, %y) = %a init %z {commutative} : !obs.pull<? x f32> -> !obs.push<grid, 1 x f32> {
    %s = arith.addf %x, %y : f32
    obs.yield %s : f32
  }
  %r = obs.force %p : !obs.push<grid, 1 x f32> -> !obs.pull<1 x f32>
  return %r : !obs.pull<1 x f32>
}

// Two kernels, if they are asked for, need no counter.
// CHECK-LABEL: @two_kernels(
// KERNELS-LABEL: @two_kernels(
// KERNELS-NOT: gpu.memset
// KERNELS-COUNT-2: gpu.launch_func
// KERNELS-NOT: gpu.launch_func
func.func @two_kernels(%a: !obs.pull<? x f32>, %z: f32) -> !obs.pull<1 x f32> {
  %p = obs.reduce (%x, %y) = %a init %z {strategy = "two_kernels"} : !obs.pull<? x f32> -> !obs.push<grid, 1 x f32> {
    %s = arith.addf %x, %y : f32
    obs.yield %s : f32
  }
  %r = obs.force %p : !obs.push<grid, 1 x f32> -> !obs.pull<1 x f32>
  return %r : !obs.pull<1 x f32>
}

// The counter is used up, so an array that is stored twice is reduced once: both
// are one array.
// A reduction in order limits its registers.
// CHECK-LABEL: @stored_twice(
// CHECK: obs.arrive {{.*}} {obs.least_threads = 512 : i32}
// KERNELS-LABEL: @stored_twice(
// KERNELS-COUNT-1: gpu.memset
// KERNELS-COUNT-1: gpu.launch_func
// KERNELS-NOT: gpu.launch_func
func.func @stored_twice(%a: !obs.pull<? x f32, i1>, %z: f32, %t: i1) -> (!obs.pull<1 x f32, i1>, !obs.pull<1 x f32, i1>) {
  %p = obs.reduce (%x, %u, %y, %v) = %a init %z, %t : !obs.pull<? x f32, i1> -> !obs.push<grid, 1 x f32, i1> {
    %s = arith.addf %x, %y : f32
    %w = arith.xori %u, %v : i1
    obs.yield %s, %w : f32, i1
  }
  %q = obs.force %p : !obs.push<grid, 1 x f32, i1> -> !obs.pull<1 x f32, i1>
  %r = obs.force %p : !obs.push<grid, 1 x f32, i1> -> !obs.pull<1 x f32, i1>
  return %q, %r : !obs.pull<1 x f32, i1>, !obs.pull<1 x f32, i1>
}

// Both, the operation and the addition, allow it.
// CHECK-LABEL: @fast_float(
// CHECK: reduce(addf)
// KERNELS-LABEL: @fast_float(
// KERNELS-COUNT-1: gpu.launch_func
// KERNELS-NOT: gpu.launch_func
func.func @fast_float(%a: !obs.pull<? x f32>, %z: f32) -> !obs.pull<1 x f32> {
  %p = obs.reduce (%x, %y) = %a init %z {commutative} : !obs.pull<? x f32> -> !obs.push<grid, 1 x f32> {
    %s = arith.addf %x, %y fastmath<reassoc> : f32
    obs.yield %s : f32
  }
  %r = obs.force %p : !obs.push<grid, 1 x f32> -> !obs.pull<1 x f32>
  return %r : !obs.pull<1 x f32>
}

// One block is enough for few elements.
// CHECK-LABEL: @few(
// CHECK-NOT: reduce(addi)
// KERNELS-LABEL: @few(
// KERNELS-COUNT-1: gpu.launch_func
// KERNELS-NOT: gpu.launch_func
func.func @few(%a: !obs.pull<4096 x i32>, %z: i32) -> !obs.pull<1 x i32> {
  %p = obs.reduce (%x, %y) = %a init %z : !obs.pull<4096 x i32> -> !obs.push<grid, 1 x i32> {
    %s = arith.addi %x, %y : i32
    obs.yield %s : i32
  }
  %r = obs.force %p : !obs.push<grid, 1 x i32> -> !obs.pull<1 x i32>
  return %r : !obs.pull<1 x i32>
}

// Parts, a scan of their results, and the parts again: maps before the scan
// are computed twice, maps behind it in the last kernel.
// CHECK-LABEL: @scan(
// KERNELS-LABEL: @scan(
func.func @scan(%a: !obs.pull<? x i32>, %z: i32) -> !obs.pull<? x i32> {
  // CHECK-COUNT-3: obs.par block
  // CHECK-NOT: obs.par block
  // CHECK: obs.map
  // KERNELS-COUNT-3: gpu.launch_func
  // KERNELS-NOT: gpu.launch_func
  %b = obs.map (%x = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
    %y = arith.muli %x, %x : i32
    obs.yield %y : i32
  }
  %p = obs.scan inclusive (%x, %y) = %b init %z {strategy = "three_kernels"} : !obs.pull<? x i32> -> !obs.push<grid, ? x i32> {
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

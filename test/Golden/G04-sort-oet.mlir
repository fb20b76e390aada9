// RUN: obs-opt %s --obs-to-gpu | FileCheck %s %no_other_code
// RUN: obs-run %s --device=emulate --report iota:9xi32 2>&1 | FileCheck %s --check-prefix=COST
// RUN: %python %S/../Networks/check.py obs-run %s sort_oet sort-any 0 1 2 3 7 8 33 100

// sortOETParam: (n+1)/2 times a stage that compares the pairs from 0 on and one
// that compares those from 1 on; n is known at run time only. Two arrays alternate
// for all stages; two barriers for each iteration; only selects on the path of the
// data; the bound of the loop is uniform.
// CHECK: threads in (%c1024, %c1, %c1) dynamic_shared_memory_size %c8192_i32
// CHECK: gpu.func @sort_oet
// CHECK: scf.if
// CHECK: scf.for %{{.*}} = %thread_id_x to %[[N:.*]] step %c1024
// CHECK: memref.load %reinterpret_cast[
// CHECK: memref.store %{{.*}}, %view[%c0,
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c1 iter_args(%[[FROM:.*]] = %c0)
// CHECK: gpu.barrier
// CHECK: scf.for %[[I:.*]] = %thread_id_x to %[[N]] step %c1024
// CHECK: arith.select {{.*}} : index
// CHECK: arith.select {{.*}} : index
// CHECK: memref.load %view[%[[FROM]], %[[I]]]
// CHECK: memref.load %view[%[[FROM]],
// CHECK: arith.select {{.*}} : i32
// CHECK: memref.store %{{.*}}, %view[%{{.*}}, %[[I]]]
// CHECK: scf.for %[[K:.*]] = %thread_id_x to %[[N]] step %c1024
// CHECK: memref.load %view[%{{.*}}, %[[K]]]
// CHECK: scf.if
// CHECK: memref.store %{{.*}}, %reinterpret_cast_0[%[[K]]]
// CHECK: gpu.return

// Five iterations for nine elements.
// COST: threads=1024 shared-bytes=8192 block-barriers=10 warp-barriers=0 bytes-loaded=36 bytes-stored=36 atomics=0{{$}}

!array = !obs.pull<? x i32 bound [1024]>
!column = !obs.push<block, ? x i32 bound [1024]>

// Compares the pairs (first, first + 1), (first + 2, first + 3), ...; an element
// without a partner stays.
func.func private @pairs(%x: !array, %n: index, %first: index) -> !array attributes {obs.level = #obs.level<block>} {
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %g = obs.generate (%i) [%n] {
    %sum = arith.addi %i, %first : index
    %parity = arith.andi %sum, %one : index
    %low = arith.cmpi eq, %parity, %zero : index
    %up = arith.addi %i, %one : index
    %down = arith.subi %i, %one : index
    %partner = arith.select %low, %up, %down : index
    // Below 0 is above every length as an unsigned number.
    %meets = arith.cmpi ult, %partner, %n : index
    %j = arith.select %meets, %partner, %i : index
    %u = obs.get %x[%i] : !array
    %v = obs.get %x[%j] : !array
    %min = arith.minsi %u, %v : i32
    %max = arith.maxsi %u, %v : i32
    %y = arith.select %low, %min, %max : i32
    obs.yield %y : i32
  } : !array
  %p = obs.push %g : !array -> !column
  %f = obs.force %p : !column -> !array
  return %f : !array
}

func.func @sort_oet(%a: !array) -> !array {
  %n = obs.dim %a, 0 : !array
  %whole = obs.generate (%i) {
    obs.yield %a : !array
  } : !obs.pull<1 x !obs.pull<? x i32 bound [1024]>>
  %parts = obs.distribute block (%c = %whole : !obs.pull<1 x !obs.pull<? x i32 bound [1024]>>) -> !obs.push<grid, 1 x ? x i32 bound [1, 1024]> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %up = arith.addi %n, %c1 : index
    %rounds = arith.shrui %up, %c1 : index
    %stages = arith.shli %rounds, %c1 : index
    %s = scf.for %k = %c0 to %stages step %c1 iter_args(%x = %c) -> !array {
      %first = arith.andi %k, %c1 : index
      %y = func.call @pairs(%x, %n, %first) : (!array, index, index) -> !array
      scf.yield %y : !array
    }
    %q = obs.push %s : !array -> !column
    obs.yield %q : !column
  }
  %flat = obs.join %parts to [%n] : !obs.push<grid, 1 x ? x i32 bound [1, 1024]> -> !obs.push<grid, ? x i32 bound [1024]>
  %r = obs.force %flat {kernel = "sort_oet", threads = 1024 : i64} : !obs.push<grid, ? x i32 bound [1024]> -> !array
  return %r : !array
}

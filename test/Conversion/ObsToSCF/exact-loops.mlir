// The counters of loops in kernels are signed and do not wrap: scf.for of the program becomes a wider loop, or a
// loop over the number of its iteration, if the sum of the counter and the step may not fit.
// RUN: obs-opt %s --convert-obs-to-scf | FileCheck %s

// CHECK-LABEL: obs.kernel @exact
obs.kernel @exact(%m: memref<?xi32>, %s: index, %k: i32, %out: memref<1xi32>) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %m, %c0 : memref<?xi32>
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %most = arith.constant 2147483647 : i32
  %two = arith.constant 2 : i32
  %p = obs.fill par (%t) in (%c1) {
    // Extents are at most 2^48. From 0, a larger step ends the loop.
    // CHECK: %[[N:.*]] = memref.dim
    // CHECK: scf.forall
    // CHECK: scf.for %{{.*}} = %c0 to %[[N]] step %c2
    %a = scf.for %i = %c0 to %n step %c2 iter_args(%x = %z) -> i32 {
      %y = arith.addi %x, %one : i32
      scf.yield %y : i32
    }
    // CHECK: scf.for %{{.*}} = %c0 to %[[N]] step %{{arg[0-9]+}}
    %b = scf.for %i = %c0 to %n step %s iter_args(%x = %a) -> i32 {
      %y = arith.addi %x, %one : i32
      scf.yield %y : i32
    }
    // A step of 1 reaches each end.
    // CHECK: scf.for %{{.*}} = %[[K:arg[0-9]+]] to %c2147483647_i32 step %c1_i32 iter_args({{.*}}) -> (i32) : i32
    %c = scf.for %i = %k to %most step %one iter_args(%x = %b) -> i32 : i32 {
      %y = arith.addi %x, %one : i32
      scf.yield %y : i32
    }
    obs.write %c at [%t] : i32
  } : !obs.push<grid, 1 x i32>
  %r = obs.force %p into %out : !obs.push<grid, 1 x i32> into memref<1xi32>
}

// CHECK-LABEL: obs.kernel @rewritten
obs.kernel @rewritten(%f: i32, %n: i32, %a: i64, %b: i64, %s: i64, %out: memref<1xi32>) attributes {threads = 32 : i64} {
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %p = obs.fill par (%t) in (%c1) {
    // CHECK: %[[FROM:.*]] = arith.index_cast %{{.*}} : i32 to index
    // CHECK: %[[TO:.*]] = arith.index_cast %{{.*}} : i32 to index
    // CHECK: %[[STEP:.*]] = arith.index_cast %{{.*}} : i32 to index
    // CHECK: scf.for %[[I:.*]] = %[[FROM]] to %[[TO]] step %[[STEP]]
    // CHECK: %[[OLD:.*]] = arith.index_cast %[[I]] : index to i32
    // CHECK: arith.addi %{{.*}}, %[[OLD]] : i32
    %x = scf.for %i = %f to %n step %two iter_args(%x = %z) -> i32 : i32 {
      %y = arith.addi %x, %i : i32
      scf.yield %y : i32
    }
    // CHECK: arith.index_castui %{{.*}} : i32 to index
    // CHECK: scf.for %{{[^ ]+}} = %{{[^ ]+}} to
    // CHECK: arith.index_castui %{{.*}} : index to i32
    %y = scf.for unsigned %i = %f to %n step %two iter_args(%v = %x) -> i32 : i32 {
      %w = arith.addi %v, %i : i32
      scf.yield %w : i32
    }
    // CHECK: %[[POSITIVE:.*]] = arith.cmpi ugt, %[[S:.*]], %c0_i64
    // CHECK: cf.assert %[[POSITIVE]], "the step of a loop must be positive"
    // CHECK: %[[RUNS:.*]] = arith.cmpi ult, %[[A:.*]], %[[B:.*]] : i64
    // CHECK: %[[LENGTH:.*]] = arith.subi %[[B]], %[[A]] : i64
    // CHECK: %[[COUNT:.*]] = arith.ceildivui
    // CHECK: %[[END:.*]] = arith.select %[[RUNS]], %[[COUNT]], %c0{{.*}} : index
    // CHECK: scf.for %[[I:.*]] = %c0{{.*}} to %[[END]] step %c1
    // CHECK: %[[NUMBER:.*]] = arith.index_castui %[[I]] : index to i64
    // CHECK: %[[PASSED:.*]] = arith.muli %[[NUMBER]], %[[S]] : i64
    // CHECK: arith.addi %[[A]], %[[PASSED]] : i64
    %q = scf.for unsigned %i = %a to %b step %s iter_args(%v = %y) -> i32 : i64 {
      %j = arith.trunci %i : i64 to i32
      %w = arith.addi %v, %j : i32
      scf.yield %w : i32
    }
    obs.write %q at [%t] : i32
  } : !obs.push<grid, 1 x i32>
  %r = obs.force %p into %out : !obs.push<grid, 1 x i32> into memref<1xi32>
}

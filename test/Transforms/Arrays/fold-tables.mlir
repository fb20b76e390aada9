// RUN: obs-opt --obs-fold-tables --split-input-file %s | FileCheck %s

// Two arrays of different types, one of them of pairs of two dimensions, from a
// loop, a float and a table that was folded before.
// CHECK-LABEL: @tables
// CHECK: %[[A:.*]] = obs.constant dense<[1, 2, 6]> : tensor<3xi64>
// CHECK: %[[X:.*]] = obs.constant dense<{{\[}}[5.000000e-01, 1.500000e+00], [2.500000e+00, 3.500000e+00]]> : tensor<2x2xf32>
// CHECK: %[[Y:.*]] = obs.constant dense<{{\[}}[false, true], [true, true]]> : tensor<2x2xi1>
// CHECK: %[[B:.*]] = obs.zip %[[X]], %[[Y]]
// CHECK: %[[C:.*]] = obs.constant dense<[6, 2, 1]> : tensor<3xi64>
// CHECK: return %[[A]], %[[B]], %[[C]]
func.func @tables() -> (!obs.pull<3 x i64>, !obs.pull<2 x 2 x f32, i1>, !obs.pull<3 x i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1 : i64
  %half = arith.constant 0.5 : f32
  %factorials = obs.generate (%i) {
    %n = arith.addi %i, %c2 : index
    %f = scf.for %k = %c1 to %n step %c1 iter_args(%x = %one) -> i64 {
      %y = arith.index_cast %k : index to i64
      %z = arith.muli %x, %y : i64
      scf.yield %z : i64
    }
    obs.yield %f : i64
  } : !obs.pull<3 x i64>
  %pairs = obs.generate (%i, %j) {
    %row = arith.muli %i, %c2 : index
    %k = arith.addi %row, %j : index
    %l = arith.index_cast %k : index to i32
    %m = arith.sitofp %l : i32 to f32
    %u = arith.addf %m, %half : f32
    %v = arith.cmpi ne, %k, %c0 : index
    obs.yield %u, %v : f32, i1
  } : !obs.pull<2 x 2 x f32, i1>
  %p = obs.push %factorials : !obs.pull<3 x i64> -> !obs.push<grid, 3 x i64>
  %q = obs.push %pairs : !obs.pull<2 x 2 x f32, i1> -> !obs.push<grid, 2 x 2 x f32, i1>
  %a, %b = obs.force %p, %q in constant : !obs.push<grid, 3 x i64>, !obs.push<grid, 2 x 2 x f32, i1> -> (!obs.pull<3 x i64>, !obs.pull<2 x 2 x f32, i1>)
  %turned = obs.reverse %a : !obs.pull<3 x i64>
  %r = obs.push %turned : !obs.pull<3 x i64> -> !obs.push<grid, 3 x i64>
  %c = obs.force %r in constant : !obs.push<grid, 3 x i64> -> !obs.pull<3 x i64>
  return %a, %b, %c : !obs.pull<3 x i64>, !obs.pull<2 x 2 x f32, i1>, !obs.pull<3 x i64>
}

// -----

// Other homes are left alone; a table of no elements is one, too.
// CHECK-LABEL: @others
// CHECK: obs.force
// CHECK: obs.constant dense<> : tensor<0xi32>
func.func @others() -> (!obs.pull<4 x i32>, !obs.pull<0 x i32>) {
  %x = arith.constant 7 : i32
  %s = obs.splat %x : !obs.pull<4 x i32>
  %p = obs.push %s : !obs.pull<4 x i32> -> !obs.push<grid, 4 x i32>
  %a = obs.force %p : !obs.push<grid, 4 x i32> -> !obs.pull<4 x i32>
  %t = obs.splat %x : !obs.pull<0 x i32>
  %q = obs.push %t : !obs.pull<0 x i32> -> !obs.push<grid, 0 x i32>
  %b = obs.force %q in constant : !obs.push<grid, 0 x i32> -> !obs.pull<0 x i32>
  return %a, %b : !obs.pull<4 x i32>, !obs.pull<0 x i32>
}

// -----

// Host code reads memory only, so the arrays that it reads are there, too.
// CHECK-LABEL: @host
// CHECK: %[[T:.*]] = obs.zip
// CHECK: %[[M:.*]] = obs.force %[[T]] :
// CHECK: %[[C:.*]]:2 = obs.unzip %[[M]]
// CHECK: %[[A:.*]]:2 = obs.unzip %[[T]]
// CHECK: obs.get %[[C]]#0[
// CHECK: obs.get %[[M]][
// CHECK: obs.map ({{.*}} = %[[A]]#1
func.func @host(%k: index) -> (i32, i32, i32, !obs.pull<2 x i32>) {
  %one = arith.constant 1 : i32
  %g = obs.generate (%i) {
    %j = arith.index_cast %i : index to i32
    %n = arith.addi %j, %one : i32
    obs.yield %j, %n : i32, i32
  } : !obs.pull<2 x i32, i32>
  %p = obs.push %g : !obs.pull<2 x i32, i32> -> !obs.push<grid, 2 x i32, i32>
  %t = obs.force %p in constant : !obs.push<grid, 2 x i32, i32> -> !obs.pull<2 x i32, i32>
  %a, %b = obs.unzip %t : !obs.pull<2 x i32, i32>
  %x = obs.get %a[%k] : !obs.pull<2 x i32>
  %y, %z = obs.get %t[%k] : !obs.pull<2 x i32, i32>
  %m = obs.map (%u = %b : !obs.pull<2 x i32>) -> !obs.pull<2 x i32> {
    %w = arith.addi %u, %one : i32
    obs.yield %w : i32
  }
  return %x, %y, %z, %m : i32, i32, i32, !obs.pull<2 x i32>
}

// -----

// A scan, writes that are combined, and operations on floats that upstream does not fold.
// CHECK-LABEL: @programs
// CHECK: obs.constant dense<[0, 1, 3, 6, 10, 15]> : tensor<6xi32>
// CHECK: obs.constant dense<[4, 4, 3, 3]> : tensor<4xi32>
// CHECK: obs.constant dense<[5.000000e-01, 1.000000e+00, 1.500000e+00]> : tensor<3xf32>
// CHECK: obs.constant dense<[0.000000e+00, 1.000000e-01]> : tensor<2xf32>
func.func @programs() -> (!obs.pull<6 x i32>, !obs.pull<4 x i32>, !obs.pull<3 x f32>, !obs.pull<2 x f32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c3 = arith.constant 3 : index
  %c14 = arith.constant 14 : index
  %half = arith.constant 0.5 : f32
  %tenth = arith.constant 0.1 : f64
  %numbers = obs.iota : !obs.pull<6 x i32>
  %sums = obs.scan inclusive (%x, %y) = %numbers init %zero : !obs.pull<6 x i32> -> !obs.push<grid, 6 x i32> {
    %z = arith.addi %x, %y : i32
    obs.yield %z : i32
  }
  %a = obs.force %sums in constant : !obs.push<grid, 6 x i32>
  %counts = obs.fill init %zero reduce(addi) par (%t) in (%c14) {
    %k = arith.andi %t, %c3 : index
    obs.write %one at [%k] : i32
  } : !obs.push<grid, 4 x i32>
  %b = obs.force %counts in constant : !obs.push<grid, 4 x i32>
  %products = obs.generate (%i) {
    %k = arith.index_cast %i : index to i32
    %f = arith.sitofp %k : i32 to f32
    %r = math.fma %f, %half, %half : f32
    obs.yield %r : f32
  } : !obs.pull<3 x f32>
  %c = obs.force %products in constant : !obs.pull<3 x f32>
  %rounded = obs.generate (%i) {
    %k = arith.index_cast %i : index to i32
    %f = arith.sitofp %k : i32 to f64
    %r = arith.mulf %f, %tenth : f64
    %s = arith.truncf %r : f64 to f32
    obs.yield %s : f32
  } : !obs.pull<2 x f32>
  %d = obs.force %rounded in constant : !obs.pull<2 x f32>
  return %a, %b, %c, %d : !obs.pull<6 x i32>, !obs.pull<4 x i32>, !obs.pull<3 x f32>, !obs.pull<2 x f32>
}

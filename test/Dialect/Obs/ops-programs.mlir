// Push arrays, programs and force survive printing and parsing.
// RUN: obs-opt %s | obs-opt | FileCheck %s
// RUN: obs-opt %s --mlir-print-op-generic | obs-opt | FileCheck %s
// RUN: obs-opt %s --verify-roundtrip -o %t

// CHECK-LABEL: @push(
func.func @push(%a: !obs.pull<? x i32>, %b: !obs.pull<8 x i32, f32>) {
  // CHECK: obs.push grid %{{.*}} : !obs.pull<? x i32>
  %p = obs.push %a : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  // CHECK: obs.push grid %{{.*}} : !obs.pull<8 x i32, f32> -> !obs.push<grid, ? x i32, f32 bound [16]>
  %q = obs.push %b : !obs.pull<8 x i32, f32> -> !obs.push<grid, ? x i32, f32 bound [16]>
  return
}

// CHECK-LABEL: @fill(
// CHECK-SAME: %[[X:.*]]: i32, %[[N:.*]]: index, %[[A:.*]]: !obs.pull<8 x i32>
func.func @fill(%x: i32, %n: index, %a: !obs.pull<8 x i32>) {
  // CHECK: obs.fill {
  // CHECK-NEXT: } : !obs.push<grid, 8 x i32>
  %0 = obs.fill {
  } : !obs.push<grid, 8 x i32>
  // CHECK: obs.fill init %[[X]], %[[X]] [%[[N]]] {
  // CHECK-NEXT: } : !obs.push<grid, ? x i32, i32>
  %1 = obs.fill init %x, %x [%n] {
  } : !obs.push<grid, ? x i32, i32>
  // CHECK: obs.fill onto %[[A]] : !obs.pull<8 x i32> any {
  %2 = obs.fill onto %a : !obs.pull<8 x i32> any {
  } : !obs.push<grid, 8 x i32>
  // CHECK: obs.fill init %[[X]] reduce(maxs) par (%[[I:.*]]) in (%[[N]]) {
  // CHECK-NEXT: obs.write %[[X]] at [%[[I]]] : i32
  // CHECK-NEXT: } : !obs.push<grid, 8 x i32>
  %3 = obs.fill init %x reduce(maxs) par (%i) in (%n) {
    obs.write %x at [%i] : i32
  } : !obs.push<grid, 8 x i32>
  // CHECK: obs.fill unchecked [%[[N]], %[[N]]] par (%{{.*}}, %{{.*}}) in (%[[N]], %[[N]]) {
  // CHECK: } {name = "square"} : !obs.push<grid, ? x ? x i32>
  %4 = obs.fill disjoint unchecked [%n, %n] par (%i, %j) in (%n, %n) {
    obs.write %x at [%i, %j] : i32
  } {name = "square"} : !obs.push<grid, ? x ? x i32>
  return
}

// CHECK-LABEL: @program(
func.func @program(%a: !obs.pull<4 x 8 x f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: obs.fill {
  %p = obs.fill {
    // CHECK-NEXT: obs.par block (%[[I:.*]]) in (%{{.*}}) {
    obs.par block (%i) in (%n) {
      // CHECK-NEXT: obs.par warp (%[[J:.*]], %{{.*}}) in (%{{.*}}, %{{.*}}) {
      obs.par warp (%j, %k) in (%n, %n) {
        // CHECK-NEXT: obs.par (%{{.*}}) in (%{{.*}}) {
        obs.par (%l) in (%n) {
          // CHECK-NEXT: obs.get %{{.*}}[%[[I]], %[[J]]] : !obs.pull<4 x 8 x f32>
          %x = obs.get %a[%i, %j] : !obs.pull<4 x 8 x f32>
          // CHECK-NEXT: obs.write %{{.*}} at [%{{.*}}, %{{.*}}] {contract = #obs.contract<reduce>, kind = "addf"} : f32
          obs.write %x at [%j, %i] {contract = #obs.contract<reduce>, kind = "addf"} : f32
        }
      }
    }
  } : !obs.push<grid, 8 x 4 x f32>
  // CHECK: %[[T:.*]] = obs.transpose
  %t = obs.transpose %p [1, 0] : !obs.push<grid, 8 x 4 x f32>
  %q = obs.fill {
    // CHECK: scf.for
    scf.for %i = %c0 to %n step %c1 {
      // CHECK-NEXT: obs.put %[[T]] at [%{{.*}}, %{{.*}}] : !obs.push<grid, 4 x 8 x f32>
      obs.put %t at [%i, %c0] : !obs.push<grid, 4 x 8 x f32>
    }
  } : !obs.push<grid, 16 x 8 x f32>
  return
}

// A thread writes without a loop, and forces what it keeps for itself.
// CHECK-LABEL: @thread(
func.func @thread(%a: !obs.pull<4 x f32>, %i: index) attributes {obs.level = #obs.level<thread>} {
  %p = obs.push %a : !obs.pull<4 x f32> -> !obs.push<thread, 4 x f32>
  // CHECK: obs.force %{{.*}} in registers : !obs.push<thread, 4 x f32>
  %r = obs.force %p in registers : !obs.push<thread, 4 x f32> -> !obs.pull<4 x f32>
  // CHECK: obs.fill {
  %q = obs.fill {
    %x = obs.get %r[%i] : !obs.pull<4 x f32>
    // CHECK: obs.write %{{.*}} at [%{{.*}}] : f32
    obs.write %x at [%i] : f32
  } : !obs.push<thread, 1 x f32>
  return
}

// CHECK-LABEL: @distribute(
func.func @distribute(%a: !obs.pull<4 x !obs.pull<8 x i32>>, %b: !obs.pull<4 x i32, index>) {
  // CHECK: obs.distribute warp in grid (%[[C:.*]] = %{{.*}} : !obs.pull<4 x !obs.pull<8 x i32>>, %{{.*}}, %{{.*}} = %{{.*}} : !obs.pull<4 x i32, index>) {
  %r = obs.distribute warp (%c = %a : !obs.pull<4 x !obs.pull<8 x i32>>, %x, %y = %b : !obs.pull<4 x i32, index>) -> !obs.push<grid, 4 x 8 x i32> {
    // CHECK-NEXT: obs.push warp %[[C]]
    %p = obs.push %c : !obs.pull<8 x i32> -> !obs.push<warp, 8 x i32>
    // CHECK-NEXT: obs.force %{{.*}} in shared : !obs.push<warp, 8 x i32>
    %f = obs.force %p in shared : !obs.push<warp, 8 x i32> -> !obs.pull<8 x i32>
    %q = obs.push %f : !obs.pull<8 x i32> -> !obs.push<warp, 8 x i32>
    // CHECK: obs.yield %{{.*}} : !obs.push<warp, 8 x i32>
    obs.yield %q : !obs.push<warp, 8 x i32>
  }
  // The same level, and two results.
  // CHECK: obs.distribute grid in grid (%{{.*}} = %{{.*}} : !obs.pull<4 x !obs.pull<8 x i32>>) {
  %s:2 = obs.distribute grid (%c = %a : !obs.pull<4 x !obs.pull<8 x i32>>) -> (!obs.push<grid, 4 x 8 x i32>, !obs.push<grid, 4 x 2 x 4 x i32>) {
    %p = obs.push %c : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
    %q = obs.reshape %p : !obs.push<grid, 8 x i32> -> !obs.push<grid, 2 x 4 x i32>
    // CHECK: obs.yield %{{.*}}, %{{.*}} : !obs.push<grid, 8 x i32>, !obs.push<grid, 2 x 4 x i32>
    obs.yield %p, %q : !obs.push<grid, 8 x i32>, !obs.push<grid, 2 x 4 x i32>
  }
  return
}

// CHECK-LABEL: @force(
func.func @force(%p: !obs.push<grid, ? x i32, f32>, %q: !obs.push<grid, 8 x i32>, %m: memref<?xi32>, %n: memref<?xf32>) {
  // CHECK: obs.force %{{.*}} {kernel = "k", threads = 96 : i64} : !obs.push<grid, 8 x i32>
  %r = obs.force %q {kernel = "k", threads = 96 : i64} : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  // CHECK: obs.force %{{.*}} in constant : !obs.push<grid, 8 x i32>
  %s = obs.force %q in constant : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  // CHECK: obs.force %{{.*}}, %{{.*}} : !obs.push<grid, 8 x i32>, !obs.push<grid, ? x i32, f32>
  %t:2 = obs.force %q, %p : !obs.push<grid, 8 x i32>, !obs.push<grid, ? x i32, f32> -> (!obs.pull<8 x i32>, !obs.pull<? x i32, f32>)
  // CHECK: obs.force %{{.*}} into %{{.*}}, %{{.*}} {unchecked} : !obs.push<grid, ? x i32, f32> into memref<?xi32>, memref<?xf32>
  %u = obs.force %p into %m, %n {unchecked} : !obs.push<grid, ? x i32, f32> into memref<?xi32>, memref<?xf32> -> !obs.pull<? x i32, f32>
  return
}

// CHECK-LABEL: @checks(
func.func @checks(%c: i1, %x: i32, %y: f32) {
  // CHECK: obs.assert %{{.*}}, "must hold"
  obs.assert %c, "must hold"
  // A text alone ends before the next operation.
  // CHECK: obs.print "here"
  // CHECK: arith.addi
  obs.print "here"
  %behind = arith.addi %x, %x : i32
  // CHECK: obs.print "{} and {}", %{{.*}}, %{{.*}} : i32, f32
  obs.print "{} and {}", %x, %y : i32, f32
  return
}

// The attributes behind the short form are those of the fill.
// CHECK-LABEL: @strategy(
func.func @strategy(%x: i32, %n: index) {
  // CHECK: obs.fill init %{{.*}} reduce(addi) par (%{{.*}}) in (%{{.*}}) {
  // CHECK: } {strategy = "atomic"} : !obs.push<grid, 8 x i32>
  %0 = obs.fill init %x reduce(addi) par (%i) in (%n) {
    obs.write %x at [%i] : i32
  } {strategy = "atomic"} : !obs.push<grid, 8 x i32>
  // CHECK: obs.fill {
  // CHECK: obs.par (%{{.*}}) in (%{{.*}}) {
  // CHECK: } {mine}
  // CHECK: } {yours} : !obs.push<grid, 8 x i32>
  %1 = obs.fill {
    obs.par (%i) in (%n) {
      obs.write %x at [%i] : i32
    } {mine}
  } {yours} : !obs.push<grid, 8 x i32>
  return
}

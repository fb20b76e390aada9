// RUN: obs-opt %s --obs-expand-collectives --canonicalize | FileCheck %s
// RUN: obs-opt %s --obs-to-gpu | obs-translate --obs-to-ptx | FileCheck %s --check-prefix=PTX
// RUN: obs-opt %s --obs-to-gpu | obs-translate --obs-to-ptx | FileCheck %s --check-prefix=ROWS
// RUN: obs-run %s --entry=main iota:80xi32 random:2600xi32:1 > %t.expected
// RUN: obs-run %s --entry=main --device=emulate iota:80xi32 random:2600xi32:1 | diff %t.expected -
// RUN: obs-run %s --entry=main --device=emulate --threads=96 iota:80xi32 random:2600xi32:1 | diff %t.expected -
// RUN: obs-run %s --entry=rows random:3x100xi32:1 > %t.expected
// RUN: obs-run %s --entry=rows --device=emulate random:3x100xi32:1 | diff %t.expected -
// RUN: obs-run %s --entry=rows --device=emulate --threads=17 random:3x100xi32:1 | diff %t.expected -

// Sums by one warp each, of 0, 1, 2, ... elements. The number is known at run time only; the lanes are in registers
// nevertheless. A lane combines every 32nd element, and five stages combine the lanes that have elements. The first two
// elements of a lane are loaded before they are combined; without a second one, it is the last element, and is not used.
// CHECK-LABEL: @main(
// CHECK: obs.distribute warp
// CHECK: %[[N:.*]] = obs.dim
// CHECK: %[[LANES:.*]] = obs.generate (%[[L:.*]]) {
// CHECK: arith.cmpi slt, %[[L]], %[[N]]
// CHECK-DAG: %[[X:.*]] = obs.get %{{.*}}[%[[L]]]
// CHECK-DAG: %[[NEXT:.*]] = arith.addi %[[L]], %c32
// CHECK: %[[LAST:.*]] = arith.subi %[[N]], %c1
// CHECK: %[[PLACE:.*]] = arith.minsi %[[NEXT]], %[[LAST]]
// CHECK: %[[Y:.*]] = obs.get %{{.*}}[%[[PLACE]]]
// CHECK: %[[BOTH:.*]] = arith.cmpi slt, %[[NEXT]], %[[N]]
// CHECK: %[[SUM:.*]] = scf.if %[[BOTH]]
// CHECK: arith.addi %[[X]], %[[Y]]
// CHECK: scf.if
// CHECK: scf.for %{{.*}} step %c32 iter_args(%{{.*}} = %[[SUM]])
// CHECK: obs.push<warp, 32 x i32>
// CHECK-COUNT-5: obs.push<warp, 32 x i32>
// CHECK-NOT: obs.push<warp, 32 x i32>

// The last shuffle gives all lanes the result.
// PTX-NOT: .shared
// PTX-COUNT-6: shfl.sync
// PTX-NOT: shfl.sync
// PTX: .entry rows(
func.func @main(%lengths: !obs.pull<? x i32>, %a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %zero = arith.constant 0 : i32
  %c1 = arith.constant 1 : index
  %k = obs.dim %a, 0 : !obs.pull<? x i32>
  %sums = obs.distribute warp in grid (%length = %lengths : !obs.pull<? x i32>) {
    %n = arith.index_cast %length : i32 to index
    // These elements end at the end of the array.
    %first = arith.subi %k, %n : index
    %part = obs.slice %a [%first] [%n] [1] : !obs.pull<? x i32>
    %s = obs.reduce { arith.addi } %part init %zero {commutative} : !obs.pull<? x i32>
    %one = obs.splat %s : !obs.pull<1 x i32>
    %p = obs.push warp %one : !obs.pull<1 x i32>
    obs.yield %p : !obs.push<warp, 1 x i32>
  }
  %flat = obs.join %sums : !obs.push<grid, ? x 1 x i32>
  %r = obs.force %flat : !obs.push<grid, ? x i32>
  return %r : !obs.pull<? x i32>
}

// A static number: each lane reads its four elements, of which the last one is under a condition, and a row that is stored is in
// registers.
// CHECK-LABEL: @rows(
// CHECK: obs.distribute warp
// CHECK: obs.force
// CHECK-NOT: scf.for
// CHECK-COUNT-3: obs.get
// CHECK: scf.if
// CHECK-COUNT-6: obs.push<warp, 32 x i32>
// CHECK: return
// ROWS: .entry rows(
// ROWS-NOT: .shared
// ROWS-COUNT-4: ld.global
// ROWS-COUNT-5: shfl.sync.bfly
// ROWS-COUNT-4: st.global
func.func @rows(%a: !obs.pull<? x 100 x i32>) -> !obs.pull<? x 100 x i32> {
  %zero = arith.constant 0 : i32
  %n = obs.nest %a dims 1 : !obs.pull<? x 100 x i32>
  %parts = obs.distribute warp in grid (%row = %n : !obs.pull<? x !obs.pull<100 x i32>>) {
    %r = obs.force %row : !obs.pull<100 x i32>
    %s = obs.reduce { arith.addi } %r init %zero {commutative} : !obs.pull<100 x i32>
    %d = obs.map (%v = %r : !obs.pull<100 x i32>) {
      %y = arith.subi %v, %s : i32
      obs.yield %y : i32
    }
    %p = obs.push warp %d : !obs.pull<100 x i32>
    obs.yield %p : !obs.push<warp, 100 x i32>
  }
  %r = obs.force %parts {kernel = "rows"} : !obs.push<grid, ? x 100 x i32>
  return %r : !obs.pull<? x 100 x i32>
}

// RUN: obs-opt --obs-fuse-arrays --obs-tile-transposes --obs-to-launches %s | FileCheck %s
// RUN: obs-run %s --entry=transposed --device=interpret iota:33x40xi32 3 --out=%t.interpret
// RUN: obs-run %s --entry=transposed --device=emulate --schedule=random iota:33x40xi32 3 --out=%t.emulate
// RUN: cmp %t.interpret %t.emulate
// RUN: obs-run %s --entry=transposed --device=interpret iota:33x40xi32 3 | FileCheck --check-prefix=TRANSPOSED %s
// RUN: obs-run %s --entry=reversed --device=emulate --schedule=random iota:6xi32 2 | FileCheck --check-prefix=REVERSED %s
// RUN: obs-run %s --entry=prefix --device=emulate --schedule=random iota:6xi32 2 | FileCheck --check-prefix=PREFIX %s
// RUN: obs-run %s --entry=part --device=emulate --schedule=random iota:6xi32 iota:6xi32 2 | FileCheck --check-prefix=PART %s

// Initial contents that are not in memory, or that are a function of the place,
// are written by a kernel of their own, whatever its loop is.

// A loop over blocks copies a transposed matrix through shared memory.
// CHECK-LABEL: obs.kernel @ones_init
// CHECK: obs.par block
// CHECK-LABEL: obs.kernel @ones(
// CHECK-NOT: obs.par block
// CHECK: obs.par
// CHECK-LABEL: func.func @transposed
// CHECK: obs.launch @ones_init
// CHECK: obs.launch @ones

// Element [i, j] is 40 j + i, and the elements [j, j] are one more.
// TRANSPOSED: {{\[\[1, 40, 80, .*}}
// TRANSPOSED: {{\[1, 42, 81, .*}}
// TRANSPOSED: {{\[2, 42, 83, .*}}
func.func @transposed(%a: !obs.pull<? x ? x i32>, %n: index) -> !obs.pull<? x ? x i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %t = obs.transpose %a [1, 0] : !obs.pull<? x ? x i32>
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %h = obs.dim %t, 0 : !obs.pull<? x ? x i32>
  %w = obs.dim %t, 1 : !obs.pull<? x ? x i32>
  %p = obs.fill init %zero any [%h, %w] {
    obs.par (%i) in (%n) {
      obs.write %one at [%i, %i] : i32
    }
  } : !obs.push<grid, ? x ? x i32>
  %s = obs.map { arith.addi } %t, %p : !obs.pull<? x ? x i32>, !obs.push<grid, ? x ? x i32>
  %f = obs.force %s {kernel = "ones"} : !obs.push<grid, ? x ? x i32>
  return %f : !obs.pull<? x ? x i32>
}

// REVERSED: [7, 7, 3, 2, 1, 0]
func.func @reversed(%a: !obs.pull<6 x i32>, %n: index) -> !obs.pull<6 x i32> {
  %seven = arith.constant 7 : i32
  %v = obs.reverse %a : !obs.pull<6 x i32>
  %p = obs.fill onto %v : !obs.pull<6 x i32> par (%i) in (%n) {
    obs.write %seven at [%i] : i32
  } : !obs.push<grid, 6 x i32>
  %f = obs.force %p : !obs.push<grid, 6 x i32>
  return %f : !obs.pull<6 x i32>
}

// A sum is added to each initial element.
// PREFIX: [1, 2, 2, 3]
func.func @prefix(%a: !obs.pull<6 x i32>, %n: index) -> !obs.pull<4 x i32> {
  %one = arith.constant 1 : i32
  %b = obs.map (%x = %a : !obs.pull<6 x i32>) {
    obs.yield %x : i32
  }
  %s = obs.force %b : !obs.pull<6 x i32>
  %c4 = arith.constant 4 : index
  %v = obs.take %s [4] : !obs.pull<6 x i32>
  %p = obs.fill onto %v : !obs.pull<4 x i32> reduce(addi) par (%i) in (%n) {
    obs.write %one at [%i] : i32
  } : !obs.push<grid, 4 x i32>
  %f = obs.force %p : !obs.push<grid, 4 x i32>
  return %f : !obs.pull<4 x i32>
}

// PART: [7, 7, 4, 6, 8, 10]
func.func @part(%a: !obs.pull<6 x i32>, %b: !obs.pull<6 x i32>, %n: index) -> !obs.pull<6 x i32> {
  %seven = arith.constant 7 : i32
  %z = obs.map (%x = %a : !obs.pull<6 x i32>, %y = %b : !obs.pull<6 x i32>) {
    %s = arith.addi %x, %y : i32
    obs.yield %x, %s : i32, i32
  }
  %s = obs.force %z : !obs.pull<6 x i32, i32>
  %u, %v = obs.unzip %s : !obs.pull<6 x i32, i32>
  %p = obs.fill onto %v : !obs.pull<6 x i32> par (%i) in (%n) {
    obs.write %seven at [%i] : i32
  } : !obs.push<grid, 6 x i32>
  %f = obs.force %p : !obs.push<grid, 6 x i32>
  return %f : !obs.pull<6 x i32>
}

// Maps of combined values change final values: these are stored before.
// RUN: obs-opt %s --obs-fuse-arrays --canonicalize | FileCheck %s
// RUN: obs-run %s --device=interpret | FileCheck %s --check-prefix=OUT
// RUN: obs-run %s --device=emulate --check=all | FileCheck %s --check-prefix=OUT
// RUN: obs-run %s --device=emulate --threads=33 --blocks=2 --schedule=random --seed=7 | FileCheck %s --check-prefix=OUT

// Of 7 numbers, 4 are even and 3 are odd; nobody writes element 2. Squares, and one more, backwards.
// CHECK-LABEL: func.func @grid
// CHECK: %[[SUMS:.*]] = obs.fill init %c0_i32 reduce(addi) par
// CHECK: %[[FINAL:.*]] = obs.force %[[SUMS]] {threads = 64 : i64}
// CHECK: obs.get %[[FINAL]]
// CHECK-NEXT: arith.muli
// CHECK: obs.force %{{.*}} {kernel = "squares", threads = 64 : i64}
func.func @grid() -> !obs.pull<3 x i32> {
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %p = obs.fill init %zero reduce(addi) par (%i) in (%c7) {
    %k = arith.remui %i, %c2 : index
    obs.write %one at [%k] : i32
  } : !obs.push<grid, 3 x i32>
  %m = obs.map (%x = %p : !obs.push<grid, 3 x i32>) -> !obs.push<grid, 3 x i32> {
    %y = arith.muli %x, %x : i32
    obs.yield %y : i32
  }
  %n = obs.map (%x = %m : !obs.push<grid, 3 x i32>) -> !obs.push<grid, 3 x i32> {
    %y = arith.addi %x, %one : i32
    obs.yield %y : i32
  }
  %r = obs.reverse %n : !obs.push<grid, 3 x i32>
  %f = obs.force %r {kernel = "squares", threads = 64 : i64} : !obs.push<grid, 3 x i32> -> !obs.pull<3 x i32>
  return %f : !obs.pull<3 x i32>
}

// In a block the map is the step behind the sums, and an element has another type.
// CHECK-LABEL: func.func @block
// CHECK: obs.par block
// CHECK: %[[SUMS:.*]] = obs.fill init %c0_i32 reduce(addi) par
// CHECK: %[[FINAL:.*]] = obs.force %[[SUMS]]
// CHECK: obs.par
// CHECK-NEXT: obs.get %[[FINAL]]
// CHECK-NEXT: arith.sitofp
func.func @block() -> !obs.pull<2 x 3 x f32> {
  %c7 = arith.constant 7 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = obs.iota : !obs.pull<2 x index>
  %d = obs.distribute block (%b = %two : !obs.pull<2 x index>) -> !obs.push<grid, 2 x 3 x f32> {
    %b2 = arith.muli %b, %c2 : index
    %n = arith.addi %c7, %b2 : index
    %p = obs.fill init %zero reduce(addi) par (%i) in (%n) {
      %k = arith.remui %i, %c2 : index
      obs.write %one at [%k] : i32
    } : !obs.push<block, 3 x i32>
    %m = obs.map (%x = %p : !obs.push<block, 3 x i32>) -> !obs.push<block, 3 x f32> {
      %y = arith.sitofp %x : i32 to f32
      obs.yield %y : f32
    }
    obs.yield %m : !obs.push<block, 3 x f32>
  }
  %f = obs.force %d : !obs.push<grid, 2 x 3 x f32> -> !obs.pull<2 x 3 x f32>
  return %f : !obs.pull<2 x 3 x f32>
}

// A kernel puts the array that another one combines and a third one maps.
// CHECK-LABEL: func.func @put
// CHECK: %[[SUMS:.*]] = obs.fill init %c5_i32 reduce(addi)
// CHECK: %[[FINAL:.*]] = obs.force %[[SUMS]]
// CHECK: obs.fill init %c0_i32 par
// CHECK: obs.get %[[FINAL]]
func.func @put() -> !obs.pull<4 x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %five = arith.constant 5 : i32
  %p = obs.fill init %five reduce(addi) par (%i) in (%c1) {
    obs.write %one at [%c0] : i32
  } : !obs.push<grid, 2 x i32>
  %m = obs.map (%x = %p : !obs.push<grid, 2 x i32>) -> !obs.push<grid, 2 x i32> {
    %y = arith.muli %x, %three : i32
    obs.yield %y : i32
  }
  %q = obs.fill init %zero {
    obs.put %m at [%c1] : !obs.push<grid, 2 x i32>
  } : !obs.push<grid, 4 x i32>
  %f = obs.force %q : !obs.push<grid, 4 x i32> -> !obs.pull<4 x i32>
  return %f : !obs.pull<4 x i32>
}

// Neither runs unless it is forced, and each force runs it.
// CHECK-LABEL: func.func @chosen
// CHECK: %[[SUMS:.*]] = obs.fill init %c0_i32 reduce(addi)
// CHECK: scf.if
// CHECK-NEXT: obs.force %[[SUMS]]
// CHECK: else
// CHECK-NEXT: obs.force %[[SUMS]]
func.func @chosen(%c: i1) -> !obs.pull<2 x i32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %p = obs.fill init %zero reduce(addi) par (%i) in (%c4) {
    obs.write %one at [%c0] : i32
  } : !obs.push<grid, 2 x i32>
  %m = obs.map (%x = %p : !obs.push<grid, 2 x i32>) -> !obs.push<grid, 2 x i32> {
    %y = arith.addi %x, %x : i32
    obs.yield %y : i32
  }
  %r = scf.if %c -> !obs.pull<2 x i32> {
    %b = obs.reverse %m : !obs.push<grid, 2 x i32>
    %f = obs.force %b : !obs.push<grid, 2 x i32> -> !obs.pull<2 x i32>
    scf.yield %f : !obs.pull<2 x i32>
  } else {
    %f = obs.force %m : !obs.push<grid, 2 x i32> -> !obs.pull<2 x i32>
    scf.yield %f : !obs.pull<2 x i32>
  }
  return %r : !obs.pull<2 x i32>
}

// OUT: [1, 10, 17]
// OUT: [4.0, 3.0, 0.0]
// OUT: [5.0, 4.0, 0.0]
// OUT: [0, 18, 15, 0]
// OUT: [8, 0]
func.func @main() -> (!obs.pull<3 x i32>, !obs.pull<2 x 3 x f32>, !obs.pull<4 x i32>, !obs.pull<2 x i32>) {
  %a = func.call @grid() : () -> !obs.pull<3 x i32>
  %b = func.call @block() : () -> !obs.pull<2 x 3 x f32>
  %c = func.call @put() : () -> !obs.pull<4 x i32>
  %false = arith.constant false
  %d = func.call @chosen(%false) : (i1) -> !obs.pull<2 x i32>
  return %a, %b, %c, %d : !obs.pull<3 x i32>, !obs.pull<2 x 3 x f32>, !obs.pull<4 x i32>, !obs.pull<2 x i32>
}

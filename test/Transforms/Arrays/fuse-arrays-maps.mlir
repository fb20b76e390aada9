// Maps of push arrays with initial contents, or of which several writes meet: they
// change the written values and the initial contents.
// RUN: obs-opt %s --obs-expand-collectives --obs-fuse-arrays --canonicalize | FileCheck %s
// RUN: obs-run %s --device=interpret | FileCheck %s --check-prefix=OUT
// RUN: obs-run %s --device=emulate --check=all | FileCheck %s --check-prefix=OUT
// RUN: obs-run %s --device=emulate --threads=33 --blocks=2 --schedule=random --seed=7 | FileCheck %s --check-prefix=OUT

// Even places have 7 + their half, odd ones the initial 5. All are doubled and
// reversed, and the first five of these are taken.
// CHECK-LABEL: func.func @moved
// CHECK: obs.fill init %c10_i32 par
func.func @moved() -> !obs.pull<5 x i32> {
  %c4 = arith.constant 4 : index
  %five = arith.constant 5 : i32
  %seven = arith.constant 7 : i32
  %two = arith.constant 2 : i32
  %p = obs.fill init %five par (%i) in (%c4) {
    %j = arith.addi %i, %i : index
    %x = arith.index_cast %i : index to i32
    %y = arith.addi %x, %seven : i32
    obs.write %y at [%j] : i32
  } : !obs.push<grid, 8 x i32>
  %m = obs.map (%x = %p : !obs.push<grid, 8 x i32>) -> !obs.push<grid, 8 x i32> {
    %y = arith.muli %x, %two : i32
    obs.yield %y : i32
  }
  %r = obs.reverse %m : !obs.push<grid, 8 x i32>
  %t = obs.take %r [5] : !obs.push<grid, 8 x i32> -> !obs.push<grid, 5 x i32>
  %f = obs.force %t : !obs.push<grid, 5 x i32> -> !obs.pull<5 x i32>
  return %f : !obs.pull<5 x i32>
}

// All four iterations write 9 to element 1. Initial contents that differ from index to
// index are written by a loop of their own.
// CHECK-LABEL: func.func @any
// CHECK: obs.par (%{{.*}}) in (%c3)
// CHECK: obs.write {{.*}} {obs.contract = "init"}
// CHECK: obs.write {{.*}} {contract = #obs.contract<any>}
func.func @any() -> !obs.pull<3 x i32> {
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %nine = arith.constant 9 : i32
  %w = obs.iota : !obs.pull<3 x i32>
  %p = obs.fill init %one any par (%i) in (%c4) {
    obs.write %nine at [%c1] : i32
  } : !obs.push<grid, 3 x i32>
  %m = obs.map (%x = %p : !obs.push<grid, 3 x i32>, %i = %w : !obs.pull<3 x i32>) -> !obs.push<grid, 3 x i32> {
    %y = arith.addi %x, %i : i32
    obs.yield %y : i32
  }
  %f = obs.force %m : !obs.push<grid, 3 x i32> -> !obs.pull<3 x i32>
  return %f : !obs.pull<3 x i32>
}

// The array that another starts from is mapped, too.
func.func @onto() -> !obs.pull<4 x i32> {
  %c2 = arith.constant 2 : index
  %ten = arith.constant 10 : i32
  %one = arith.constant 1 : i32
  %a = obs.iota : !obs.pull<4 x i32>
  %p = obs.fill onto %a : !obs.pull<4 x i32> par (%i) in (%c2) {
    obs.write %ten at [%i] : i32
  } : !obs.push<grid, 4 x i32>
  %m = obs.map (%x = %p : !obs.push<grid, 4 x i32>) -> !obs.push<grid, 4 x i32> {
    %y = arith.addi %x, %one : i32
    obs.yield %y : i32
  }
  %f = obs.force %m : !obs.push<grid, 4 x i32> -> !obs.pull<4 x i32>
  return %f : !obs.pull<4 x i32>
}

// In blocks: the even elements of each row, then 100, all tripled.
func.func @blocks() -> (!obs.pull<2 x 4 x i32>, !obs.pull<2 x 1 x i32>) {
  %hundred = arith.constant 100 : i32
  %three = arith.constant 3 : i32
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %a = obs.iota : !obs.pull<8 x i32>
  %rows = obs.split %a by [4] : !obs.pull<8 x i32> -> !obs.pull<2 x !obs.pull<4 x i32>>
  %d, %e = obs.distribute block (%row = %rows : !obs.pull<2 x !obs.pull<4 x i32>>) -> (!obs.push<grid, 2 x 4 x i32>, !obs.push<grid, 2 x 1 x i32>) {
    %c = obs.map (%x = %row : !obs.pull<4 x i32>) -> !obs.pull<4 x i1> {
      %y = arith.andi %x, %one : i32
      %f = arith.cmpi eq, %y, %zero : i32
      obs.yield %f : i1
    }
    %k, %n = obs.compact %row flags %c init %hundred : !obs.pull<4 x i32>, !obs.pull<4 x i1> -> !obs.push<block, 4 x i32>, !obs.push<block, 1 x i32>
    %m = obs.map (%x = %k : !obs.push<block, 4 x i32>) -> !obs.push<block, 4 x i32> {
      %y = arith.muli %x, %three : i32
      obs.yield %y : i32
    }
    obs.yield %m, %n : !obs.push<block, 4 x i32>, !obs.push<block, 1 x i32>
  }
  %f:2 = obs.force %d, %e : !obs.push<grid, 2 x 4 x i32>, !obs.push<grid, 2 x 1 x i32> -> (!obs.pull<2 x 4 x i32>, !obs.pull<2 x 1 x i32>)
  return %f#0, %f#1 : !obs.pull<2 x 4 x i32>, !obs.pull<2 x 1 x i32>
}

// The count may be mapped as well: elements 0, 2, .., 8 of ten, negated.
func.func @count() -> (!obs.pull<10 x i32>, !obs.pull<1 x i32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %minus = arith.constant -1 : i32
  %a = obs.iota : !obs.pull<10 x i32>
  %c = obs.map (%x = %a : !obs.pull<10 x i32>) -> !obs.pull<10 x i1> {
    %y = arith.andi %x, %one : i32
    %f = arith.cmpi eq, %y, %zero : i32
    obs.yield %f : i1
  }
  %k, %n = obs.compact %a flags %c init %one : !obs.pull<10 x i32>, !obs.pull<10 x i1> -> !obs.push<grid, 10 x i32>, !obs.push<grid, 1 x i32>
  %m = obs.map (%x = %k : !obs.push<grid, 10 x i32>) -> !obs.push<grid, 10 x i32> {
    %y = arith.muli %x, %minus : i32
    obs.yield %y : i32
  }
  %l = obs.map (%x = %n : !obs.push<grid, 1 x i32>) -> !obs.push<grid, 1 x i32> {
    %y = arith.muli %x, %minus : i32
    obs.yield %y : i32
  }
  %f:2 = obs.force %l, %m : !obs.push<grid, 1 x i32>, !obs.push<grid, 10 x i32> -> (!obs.pull<1 x i32>, !obs.pull<10 x i32>)
  return %f#1, %f#0 : !obs.pull<10 x i32>, !obs.pull<1 x i32>
}

// OUT: [10, 20, 10, 18, 10]
// OUT: [1, 10, 3]
// OUT: [11, 11, 3, 4]
// OUT: [0, 6, 300, 300],
// OUT: [12, 18, 300, 300]
// OUT: [2],
// OUT: [2]
// OUT: [0, -2, -4, -6, -8, -1, -1, -1, -1, -1]
// OUT: [-5]
func.func @main() -> (!obs.pull<5 x i32>, !obs.pull<3 x i32>, !obs.pull<4 x i32>, !obs.pull<2 x 4 x i32>, !obs.pull<2 x 1 x i32>, !obs.pull<10 x i32>, !obs.pull<1 x i32>) {
  %a = func.call @moved() : () -> !obs.pull<5 x i32>
  %b = func.call @any() : () -> !obs.pull<3 x i32>
  %c = func.call @onto() : () -> !obs.pull<4 x i32>
  %d:2 = func.call @blocks() : () -> (!obs.pull<2 x 4 x i32>, !obs.pull<2 x 1 x i32>)
  %e:2 = func.call @count() : () -> (!obs.pull<10 x i32>, !obs.pull<1 x i32>)
  return %a, %b, %c, %d#0, %d#1, %e#0, %e#1 : !obs.pull<5 x i32>, !obs.pull<3 x i32>, !obs.pull<4 x i32>, !obs.pull<2 x 4 x i32>, !obs.pull<2 x 1 x i32>, !obs.pull<10 x i32>, !obs.pull<1 x i32>
}

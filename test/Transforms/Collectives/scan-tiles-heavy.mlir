// A block scans rows of more than 512 elements in tiles. If the operator takes more than four operations, a thread has
// four neighbours of one row, else elements of four rows. The operator composes maps x -> a x + b: it does not commute.
// RUN: obs-opt %s --obs-expand-collectives | FileCheck %s
// RUN: obs-run %s --entry=heavy --device=interpret --out=%t.1 random:3x2300xi32:1 random:3x2300xi32:2
// RUN: obs-run %s --entry=heavy --device=emulate --check --schedule=random --seed=1 --out=%t.2 random:3x2300xi32:1 random:3x2300xi32:2
// RUN: cmp %t.1 %t.2
// RUN: obs-run %s --entry=heavy --device=emulate --threads=96 --out=%t.3 random:3x2300xi32:1 random:3x2300xi32:2
// RUN: cmp %t.1 %t.3
// RUN: obs-run %s --entry=same --device=interpret --out=%t.a random:3x2300xi32:1
// RUN: obs-run %s --entry=same --device=interpret --out=%t.b random:3x2300xi32:2
// RUN: %python -c "import sys, array; a, b, r = (array.array('i', open(f, 'rb').read()) for f in sys.argv[1:]); w = lambda v: (v + 2**31) % 2**32 - 2**31; s = [(k // 2300, k % 2300) for k in range(6900)]; x = {}; [x.__setitem__((i, j), (a[i * 2300 + j], b[i * 2300 + j]) if j == 0 else (w(x[i, j-1][0] * a[i * 2300 + j]), w(x[i, j-1][1] * a[i * 2300 + j] + b[i * 2300 + j]))) for i, j in s]; sys.exit([x[k][1] for k in s] != list(r))" %t.a %t.b %t.1

!matrix = !obs.pull<3 x 2300 x i32>

// CHECK-LABEL: func.func @heavy
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c1024
func.func @heavy(%a: !matrix, %b: !matrix) -> !matrix {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %both = obs.zip %a, %b : !matrix
  %rows = obs.nest %both dims 1 : !obs.pull<3 x 2300 x i32, i32>
  %p = obs.distribute block in grid (%row = %rows : !obs.pull<3 x !obs.pull<2300 x i32, i32>>) {
    %s = obs.scan block inclusive (%x, %y, %u, %v) = %row init %c1, %c0 : !obs.pull<2300 x i32, i32> {
      %f = arith.muli %x, %u : i32
      %g = arith.muli %y, %u : i32
      %h = arith.addi %g, %v : i32
      %k = arith.xori %h, %c0 : i32
      %l = arith.xori %k, %c0 : i32
      obs.yield %f, %l : i32, i32
    }
    obs.yield %s : !obs.push<block, 2300 x i32, i32>
  }
  %m = obs.map (%x, %y = %p : !obs.push<grid, 3 x 2300 x i32, i32>) {
    obs.yield %y : i32
  }
  %r = obs.force %m : !obs.push<grid, 3 x 2300 x i32>
  return %r : !matrix
}

func.func @same(%a: !matrix) -> !matrix {
  return %a : !matrix
}

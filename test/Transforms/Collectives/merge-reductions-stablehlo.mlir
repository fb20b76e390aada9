// Reductions of whole arrays that read the same array become one reduction of tuples, and so do reductions of the same rows.

// RUN: obs-opt --allow-unregistered-dialect --obs-import-stablehlo %s -o %t
// RUN: obs-opt %t --obs-merge-reductions --canonicalize --cse | FileCheck %s
// RUN: obs-opt --obs-report-cost %t -o /dev/null | FileCheck %s --check-prefix=COST
// DEFINE: %{entry} =
// DEFINE: %{args} =
// DEFINE: %{check} = obs-run %t --entry=%{entry} %{args} --device=emulate --check=all | FileCheck %s --check-prefix=%{entry} && \
// DEFINE:   obs-run %t --entry=%{entry} %{args} --device=emulate --threads=17 --blocks=3 | FileCheck %s --check-prefix=%{entry} && \
// DEFINE:   obs-run %t --entry=%{entry} %{args} --device=interpret | FileCheck %s --check-prefix=%{entry}

// The sum n (n - 1) / 2, the maximum n - 1 and the sum of squares (n - 1) n (2 n - 1) / 6 of 0, 1, ..., n - 1, modulo
// 2^32.
// CHECK-LABEL: func.func @three(
// CHECK:      obs.reduce grid {{.*}} {commutative} : !obs.pull<5000 x i32, i32, i32>
// CHECK:        arith.addi
// CHECK:        arith.maxsi
// CHECK:        arith.addi
// CHECK-NOT:  obs.reduce
// CHECK:      return
// REDEFINE: %{entry} = three
// REDEFINE: %{args} = iota:5000xi32
// RUN: %{check}
// three: [12497500]
// three: [4999]
// three: [-1295505460]
"func.func"() <{function_type = (tensor<5000xi32>) -> (tensor<i32>, tensor<i32>, tensor<i32>), sym_name = "three"}> ({
^bb0(%x: tensor<5000xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %low = "stablehlo.constant"() <{value = dense<-1> : tensor<i32>}> : () -> tensor<i32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<5000xi32>, tensor<i32>) -> tensor<i32>
  %m = "stablehlo.reduce"(%x, %low) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.maximum"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<5000xi32>, tensor<i32>) -> tensor<i32>
  %y = "stablehlo.multiply"(%x, %x) : (tensor<5000xi32>, tensor<5000xi32>) -> tensor<5000xi32>
  %q = "stablehlo.reduce"(%y, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<5000xi32>, tensor<i32>) -> tensor<i32>
  "func.return"(%s, %m, %q) : (tensor<i32>, tensor<i32>, tensor<i32>) -> ()
}) : () -> ()

// The sum of x - (maximum of x) depends on the maximum; y is another array. The sum of x - 99 is 4950 - 9900.
// CHECK-LABEL: func.func @apart(
// CHECK-COUNT-3: obs.reduce grid
// CHECK:      return
// REDEFINE: %{entry} = apart
// REDEFINE: %{args} = iota:100xi32 iota:100xi32
// RUN: %{check}
// apart: [-4950]
// apart: [99]
"func.func"() <{function_type = (tensor<100xi32>, tensor<100xi32>) -> (tensor<i32>, tensor<i32>), sym_name = "apart"}> ({
^bb0(%x: tensor<100xi32>, %y: tensor<100xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %m = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.maximum"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<100xi32>, tensor<i32>) -> tensor<i32>
  %all = "stablehlo.broadcast_in_dim"(%m) <{broadcast_dimensions = array<i64>}> : (tensor<i32>) -> tensor<100xi32>
  %d = "stablehlo.subtract"(%x, %all) : (tensor<100xi32>, tensor<100xi32>) -> tensor<100xi32>
  %s = "stablehlo.reduce"(%d, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<100xi32>, tensor<i32>) -> tensor<i32>
  %n = "stablehlo.reduce"(%y, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.maximum"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<100xi32>, tensor<i32>) -> tensor<i32>
  "func.return"(%s, %n) : (tensor<i32>, tensor<i32>) -> ()
}) : () -> ()

// The sums 400 r + 190, the maxima 20 r + 19 and the sums of 1 of the rows, by one unit for each row. The sums of the columns,
// 4 c + 120, have other rows.
// Each of the 80 elements is read once.
// COST-LABEL: kernel 'rows_kernel'
// COST:       global memory: 320 bytes read, 64 bytes written
// CHECK-LABEL: func.func @rows(
// CHECK:      obs.distribute warp in grid
// CHECK:        obs.reduce ({{.*}}) = {{.*}} : !obs.pull<20 x i32, i32, i64>
// CHECK:          arith.addi
// CHECK:          arith.maxsi
// CHECK:          arith.addi
// CHECK:      obs.force
// CHECK:      obs.distribute
// CHECK:        obs.reduce { arith.addi }
// CHECK:      obs.force
// CHECK-NOT:  obs.force
// CHECK:      return
// REDEFINE: %{entry} = rows
// REDEFINE: %{args} = iota:4x20xi32
// RUN: %{check}
// rows: [190, 590, 990, 1390]
// rows: [120, 124, 128, 132, 136, 140, 144, 148, 152, 156, 160, 164, 168, 172, 176, 180, 184, 188, 192, 196]
// rows: [19, 39, 59, 79]
// rows: [20, 20, 20, 20]
"func.func"() <{function_type = (tensor<4x20xi32>) -> (tensor<4xi32>, tensor<20xi32>, tensor<4xi32>, tensor<4xi64>), sym_name = "rows"}> ({
^bb0(%x: tensor<4x20xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %long = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<4x20xi32>, tensor<i32>) -> tensor<4xi32>
  %t = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<4x20xi32>, tensor<i32>) -> tensor<20xi32>
  %m = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.maximum"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<4x20xi32>, tensor<i32>) -> tensor<4xi32>
  %is = "stablehlo.compare"(%x, %x) <{comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<4x20xi32>, tensor<4x20xi32>) -> tensor<4x20xi1>
  %one = "stablehlo.convert"(%is) : (tensor<4x20xi1>) -> tensor<4x20xi64>
  %n = "stablehlo.reduce"(%one, %long) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    "stablehlo.return"(%c) : (tensor<i64>) -> ()
  }) : (tensor<4x20xi64>, tensor<i64>) -> tensor<4xi64>
  "func.return"(%s, %t, %m, %n) : (tensor<4xi32>, tensor<20xi32>, tensor<4xi32>, tensor<4xi64>) -> ()
}) : () -> ()

// The sum over j of x[i, j] - (maximum of row j), 400 i - 3990, needs the maxima of all rows, so it is not joined with them and with
// the sums 400 i + 190.
// CHECK-LABEL: func.func @other_rows(
// CHECK:      obs.distribute warp in grid
// CHECK:        obs.reduce ({{.*}}) = {{.*}} : !obs.pull<20 x i32, i32>
// CHECK:      obs.distribute warp in grid
// CHECK:        obs.reduce { arith.addi }
// CHECK:      return
// REDEFINE: %{entry} = other_rows
// REDEFINE: %{args} = iota:20x20xi32
// RUN: %{check}
// other_rows: [190, 590, 990, 1390,
// other_rows: [-3990, -3590, -3190, -2790,
"func.func"() <{function_type = (tensor<20x20xi32>) -> (tensor<20xi32>, tensor<20xi32>, tensor<20xi32>), sym_name = "other_rows"}> ({
^bb0(%x: tensor<20x20xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %r = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<20x20xi32>, tensor<i32>) -> tensor<20xi32>
  %m = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.maximum"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<20x20xi32>, tensor<i32>) -> tensor<20xi32>
  %all = "stablehlo.broadcast_in_dim"(%m) <{broadcast_dimensions = array<i64: 1>}> : (tensor<20xi32>) -> tensor<20x20xi32>
  %d = "stablehlo.subtract"(%x, %all) : (tensor<20x20xi32>, tensor<20x20xi32>) -> tensor<20x20xi32>
  %s = "stablehlo.reduce"(%d, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<20x20xi32>, tensor<i32>) -> tensor<20xi32>
  "func.return"(%r, %s, %m) : (tensor<20xi32>, tensor<20xi32>, tensor<20xi32>) -> ()
}) : () -> ()

// Rows of two arrays are apart.
// CHECK-LABEL: func.func @other_arrays(
// CHECK:      obs.distribute warp in grid
// CHECK:      obs.distribute warp in grid
// CHECK:      return
"func.func"() <{function_type = (tensor<4x20xi32>, tensor<4x20xi32>) -> (tensor<4xi32>, tensor<4xi32>), sym_name = "other_arrays"}> ({
^bb0(%x: tensor<4x20xi32>, %y: tensor<4x20xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<4x20xi32>, tensor<i32>) -> tensor<4xi32>
  %t = "stablehlo.reduce"(%y, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<4x20xi32>, tensor<i32>) -> tensor<4xi32>
  "func.return"(%s, %t) : (tensor<4xi32>, tensor<4xi32>) -> ()
}) : () -> ()

// A block combines 8 bytes for each element at most: the third result has a kernel of its own.
// CHECK-LABEL: func.func @long_rows(
// CHECK:      obs.distribute block in grid
// CHECK:        obs.reduce ({{.*}}) = {{.*}} : !obs.pull<2000 x i32, i32>
// CHECK:      obs.distribute block in grid
// CHECK:        obs.reduce { arith.minsi }
// CHECK:      return
"func.func"() <{function_type = (tensor<4x2000xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>), sym_name = "long_rows"}> ({
^bb0(%x: tensor<4x2000xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<4x2000xi32>, tensor<i32>) -> tensor<4xi32>
  %m = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.maximum"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<4x2000xi32>, tensor<i32>) -> tensor<4xi32>
  %n = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.minimum"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<4x2000xi32>, tensor<i32>) -> tensor<4xi32>
  "func.return"(%s, %m, %n) : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> ()
}) : () -> ()

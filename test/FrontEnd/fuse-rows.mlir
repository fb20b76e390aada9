// Reductions of rows become one program with the arrays that read them at the same row. A row that several parts of the
// program read is stored once, by the unit of the row.

// RUN: obs-opt --allow-unregistered-dialect --obs-import-stablehlo %s -o %t
// RUN: FileCheck %s --input-file=%t
// DEFINE: %{entry} =
// DEFINE: %{args} =
// DEFINE: %{check} = obs-run %t --entry=%{entry} %{args} --device=emulate --check=all | FileCheck %s --check-prefix=%{entry} && \
// DEFINE:   obs-run %t --entry=%{entry} %{args} --device=interpret | FileCheck %s --check-prefix=%{entry}

// x - (sum of the row), and the sums: row r of 0, 1, 2, ... has the sum 9 r + 3.
// CHECK-LABEL: func.func @differences(
// CHECK:      [[ROWS:%.+]]:2 = obs.distribute thread in grid
// CHECK:        [[ROW:%.+]] = obs.force
// CHECK:        obs.reduce
// CHECK-NOT:    obs.get %arg0
// CHECK:        obs.push thread
// CHECK:        obs.push thread
// CHECK:      obs.force [[ROWS]]#0, [[ROWS]]#1
// CHECK-NOT:  obs.force
// CHECK:      return
// REDEFINE: %{entry} = differences
// REDEFINE: %{args} = iota:4x3xi32
// RUN: %{check}
// differences: [-3, -2, -1]
// differences: [-9, -8, -7]
// differences: [-15, -14, -13]
// differences: [-21, -20, -19]
// differences: [3, 12, 21, 30]
"func.func"() <{function_type = (tensor<4x3xi32>) -> (tensor<4x3xi32>, tensor<4xi32>), sym_name = "differences"}> ({
^bb0(%x: tensor<4x3xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<4x3xi32>, tensor<i32>) -> tensor<4xi32>
  %all = "stablehlo.broadcast_in_dim"(%s) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xi32>) -> tensor<4x3xi32>
  %d = "stablehlo.subtract"(%x, %all) : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
  "func.return"(%d, %s) : (tensor<4x3xi32>, tensor<4xi32>) -> ()
}) : () -> ()

// x + y, and the difference of x + y and its sum of each row: one program computes and stores both. Row r of x + x has the
// sum 2 (9 r + 3).
// CHECK-LABEL: func.func @both(
// CHECK:      [[ROWS:%.+]]:2 = obs.distribute thread in grid
// CHECK:        [[ROW:%.+]] = obs.force
// CHECK:        obs.push thread
// CHECK:        obs.push thread
// CHECK:      obs.force [[ROWS]]#0, [[ROWS]]#1
// CHECK-NOT:  obs.force
// CHECK:      return
// REDEFINE: %{entry} = both
// REDEFINE: %{args} = iota:3x3xi32 iota:3x3xi32
// RUN: %{check}
// both: [0, 2, 4]
// both: [6, 8, 10]
// both: [12, 14, 16]
// both: [-6, -4, -2]
// both: [-18, -16, -14]
// both: [-30, -28, -26]
"func.func"() <{function_type = (tensor<3x3xi32>, tensor<3x3xi32>) -> (tensor<3x3xi32>, tensor<3x3xi32>), sym_name = "both"}> ({
^bb0(%x: tensor<3x3xi32>, %y: tensor<3x3xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %z = "stablehlo.add"(%x, %y) : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi32>
  %s = "stablehlo.reduce"(%z, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<3x3xi32>, tensor<i32>) -> tensor<3xi32>
  %all = "stablehlo.broadcast_in_dim"(%s) <{broadcast_dimensions = array<i64: 0>}> : (tensor<3xi32>) -> tensor<3x3xi32>
  %d = "stablehlo.subtract"(%z, %all) : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi32>
  "func.return"(%z, %d) : (tensor<3x3xi32>, tensor<3x3xi32>) -> ()
}) : () -> ()

// The sum of row j is read at row i: it is stored first.
// CHECK-LABEL: func.func @other_row(
// CHECK:      obs.distribute thread in grid
// CHECK:      [[SUMS:%.+]] = obs.force
// CHECK-NOT:  obs.distribute
// CHECK:      obs.force
// CHECK:      return
// REDEFINE: %{entry} = other_row
// REDEFINE: %{args} = iota:3x3xi32
// RUN: %{check}
// other_row: [-3, -11, -19]
// other_row: [0, -8, -16]
// other_row: [3, -5, -13]
"func.func"() <{function_type = (tensor<3x3xi32>) -> tensor<3x3xi32>, sym_name = "other_row"}> ({
^bb0(%x: tensor<3x3xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<3x3xi32>, tensor<i32>) -> tensor<3xi32>
  %all = "stablehlo.broadcast_in_dim"(%s) <{broadcast_dimensions = array<i64: 1>}> : (tensor<3xi32>) -> tensor<3x3xi32>
  %d = "stablehlo.subtract"(%x, %all) : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi32>
  "func.return"(%d) : (tensor<3x3xi32>) -> ()
}) : () -> ()

// Two reductions of the same rows, and their difference: 2 in each row of three.
// CHECK-LABEL: func.func @spread(
// CHECK:      obs.distribute thread in grid
// CHECK:        obs.force
// CHECK:        obs.reduce { arith.maxsi }
// CHECK:        obs.reduce { arith.minsi }
// CHECK:      obs.force
// CHECK-NOT:  obs.force
// CHECK:      return
// REDEFINE: %{entry} = spread
// REDEFINE: %{args} = iota:5x3xi32
// RUN: %{check}
// spread: [2, 2, 2, 2, 2]
"func.func"() <{function_type = (tensor<5x3xi32>) -> tensor<5xi32>, sym_name = "spread"}> ({
^bb0(%x: tensor<5x3xi32>):
  %low = "stablehlo.constant"() <{value = dense<-1000> : tensor<i32>}> : () -> tensor<i32>
  %high = "stablehlo.constant"() <{value = dense<1000> : tensor<i32>}> : () -> tensor<i32>
  %m = "stablehlo.reduce"(%x, %low) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.maximum"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<5x3xi32>, tensor<i32>) -> tensor<5xi32>
  %n = "stablehlo.reduce"(%x, %high) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.minimum"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<5x3xi32>, tensor<i32>) -> tensor<5xi32>
  %d = "stablehlo.subtract"(%m, %n) : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
  "func.return"(%d) : (tensor<5xi32>) -> ()
}) : () -> ()

// One unit for each of two long rows would leave most of a GPU idle: the sums are stored first.
// CHECK-LABEL: func.func @few_long_rows(
// CHECK-COUNT-2: obs.force
// CHECK-NOT:  obs.force
// CHECK:      return
"func.func"() <{function_type = (tensor<2x4097xi32>) -> tensor<2x4097xi32>, sym_name = "few_long_rows"}> ({
^bb0(%x: tensor<2x4097xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<2x4097xi32>, tensor<i32>) -> tensor<2xi32>
  %all = "stablehlo.broadcast_in_dim"(%s) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2xi32>) -> tensor<2x4097xi32>
  %d = "stablehlo.subtract"(%x, %all) : (tensor<2x4097xi32>, tensor<2x4097xi32>) -> tensor<2x4097xi32>
  "func.return"(%d) : (tensor<2x4097xi32>) -> ()
}) : () -> ()

// x - (first element of the row) - (sum of the row), j - 9 r - 3 at column j of row r: the element and the sum are those of the own row. Nothing reads the sum
// of all elements, so it is no reason to store the sums.
// CHECK-LABEL: func.func @first_of_row(
// CHECK:      obs.distribute thread in grid
// CHECK:        [[ROW:%.+]] = obs.force
// CHECK-NOT:    obs.get %arg0
// CHECK:      obs.force
// CHECK-NOT:  obs.force
// CHECK:      return
// REDEFINE: %{entry} = first_of_row
// REDEFINE: %{args} = iota:4x3xi32
// RUN: %{check}
// first_of_row: [-3, -2, -1]
// first_of_row: [-12, -11, -10]
// first_of_row: [-21, -20, -19]
// first_of_row: [-30, -29, -28]
"func.func"() <{function_type = (tensor<4x3xi32>) -> tensor<4x3xi32>, sym_name = "first_of_row"}> ({
^bb0(%x: tensor<4x3xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<4x3xi32>, tensor<i32>) -> tensor<4xi32>
  %unused = "stablehlo.reduce"(%s, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
  %column = "stablehlo.slice"(%x) <{start_indices = array<i64: 0, 0>, limit_indices = array<i64: 4, 1>, strides = array<i64: 1, 1>}> : (tensor<4x3xi32>) -> tensor<4x1xi32>
  %first = "stablehlo.broadcast_in_dim"(%column) <{broadcast_dimensions = array<i64: 0, 1>}> : (tensor<4x1xi32>) -> tensor<4x3xi32>
  %all = "stablehlo.broadcast_in_dim"(%s) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xi32>) -> tensor<4x3xi32>
  %e = "stablehlo.subtract"(%x, %first) : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
  %d = "stablehlo.subtract"(%e, %all) : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
  "func.return"(%d) : (tensor<4x3xi32>) -> ()
}) : () -> ()

// Threads process rows of up to 64 elements, if there are many: `obs-stage-rows` copies them to shared memory.
// CHECK-LABEL: func.func @many(
// CHECK:      obs.distribute thread in grid
// CHECK-NOT:  obs.force %{{.*}} : !obs.pull<33 x f32>
// CHECK:        obs.push thread
// CHECK:      return
"func.func"() <{function_type = (tensor<32768x33xf32>) -> tensor<32768x33xf32>, sym_name = "many"}> ({
^bb0(%x: tensor<32768x33xf32>):
  %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%c) : (tensor<f32>) -> ()
  }) : (tensor<32768x33xf32>, tensor<f32>) -> tensor<32768xf32>
  %all = "stablehlo.broadcast_in_dim"(%s) <{broadcast_dimensions = array<i64: 0>}> : (tensor<32768xf32>) -> tensor<32768x33xf32>
  %d = "stablehlo.subtract"(%x, %all) : (tensor<32768x33xf32>, tensor<32768x33xf32>) -> tensor<32768x33xf32>
  "func.return"(%d) : (tensor<32768x33xf32>) -> ()
}) : () -> ()

// CHECK-LABEL: func.func @fewer(
// CHECK:      obs.distribute warp in grid
// CHECK:        obs.force %{{.*}} : !obs.pull<33 x f32>
// CHECK:      return
"func.func"() <{function_type = (tensor<32767x33xf32>) -> tensor<32767x33xf32>, sym_name = "fewer"}> ({
^bb0(%x: tensor<32767x33xf32>):
  %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%c) : (tensor<f32>) -> ()
  }) : (tensor<32767x33xf32>, tensor<f32>) -> tensor<32767xf32>
  %all = "stablehlo.broadcast_in_dim"(%s) <{broadcast_dimensions = array<i64: 0>}> : (tensor<32767xf32>) -> tensor<32767x33xf32>
  %d = "stablehlo.subtract"(%x, %all) : (tensor<32767x33xf32>, tensor<32767x33xf32>) -> tensor<32767x33xf32>
  "func.return"(%d) : (tensor<32767x33xf32>) -> ()
}) : () -> ()

// The sums s of the rows, and the sums u of x - 2 s, are one program. An array between them, 2 s, is also read after the
// program, from where the sums are stored. Row r has s = 9 r + 3, u = s - 6 s, and 20 s + u = 135 r + 45.
// CHECK-LABEL: func.func @between(
// CHECK:      [[ROWS:%.+]]:2 = obs.distribute thread in grid
// CHECK:        obs.reduce
// CHECK:        obs.reduce
// CHECK:      obs.force [[ROWS]]#0, [[ROWS]]#1
// CHECK:      obs.reduce grid
// CHECK:      obs.force
// CHECK-NOT:  obs.force
// CHECK:      return
// REDEFINE: %{entry} = between
// REDEFINE: %{args} = iota:4x3xi32
// RUN: %{check}
// between: [990]
"func.func"() <{function_type = (tensor<4x3xi32>) -> tensor<i32>, sym_name = "between"}> ({
^bb0(%x: tensor<4x3xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %ten = "stablehlo.constant"() <{value = dense<10> : tensor<4xi32>}> : () -> tensor<4xi32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<4x3xi32>, tensor<i32>) -> tensor<4xi32>
  %t = "stablehlo.add"(%s, %s) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %all = "stablehlo.broadcast_in_dim"(%t) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xi32>) -> tensor<4x3xi32>
  %d = "stablehlo.subtract"(%x, %all) : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
  %u = "stablehlo.reduce"(%d, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<4x3xi32>, tensor<i32>) -> tensor<4xi32>
  %v = "stablehlo.multiply"(%t, %ten) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %w = "stablehlo.add"(%v, %u) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %r = "stablehlo.reduce"(%w, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
  "func.return"(%r) : (tensor<i32>) -> ()
}) : () -> ()

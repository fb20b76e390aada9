// One unit combines a few neighbouring columns: the elements at their indices are components of one element.

// RUN: obs-opt --allow-unregistered-dialect --obs-import-stablehlo %s -o %t
// RUN: FileCheck %s --input-file=%t
// DEFINE: %{entry} =
// DEFINE: %{args} =
// DEFINE: %{check} = obs-run %t --entry=%{entry} %{args} --device=emulate --check=all | FileCheck %s --check-prefix=%{entry} && \
// DEFINE:   obs-run %t --entry=%{entry} %{args} --device=interpret | FileCheck %s --check-prefix=%{entry}

// Element (i, j, c) is 40 i + 2 j + c, so sum c of row i is 800 i + 380 + 20 c. One kernel stores all sums.
// CHECK-LABEL: func.func @pairs(
// CHECK:      obs.distribute warp in grid (%{{[^,]*}} = %{{[^,]*}} : !obs.pull<3 x index>)
// CHECK:        obs.reduce ({{.*}}) = {{.*}} : !obs.pull<20 x i32, i32>
// CHECK:        obs.push warp %{{.*}} : !obs.pull<2 x i32>
// CHECK:      obs.force
// CHECK-NOT:  obs.force
// CHECK:      return
// REDEFINE: %{entry} = pairs
// REDEFINE: %{args} = iota:3x20x2xi32
// RUN: %{check}
// pairs: [380, 400]
// pairs: [1180, 1200]
// pairs: [1980, 2000]
"func.func"() <{function_type = (tensor<3x20x2xi32>) -> tensor<3x2xi32>, sym_name = "pairs"}> ({
^bb0(%x: tensor<3x20x2xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<3x20x2xi32>, tensor<i32>) -> tensor<3x2xi32>
  "func.return"(%s) : (tensor<3x2xi32>) -> ()
}) : () -> ()

// The columns of two dimensions, in order, of a function that is not commutative: the last element of each column.
// CHECK-LABEL: func.func @last(
// CHECK:      obs.reduce ({{.*}}) = {{.*}} : !obs.pull<18 x i32, i32, i32, i32>
// CHECK:      return
// REDEFINE: %{entry} = last
// REDEFINE: %{args} = iota:2x18x2x2xi32
// RUN: %{check}
// last: [68, 69]
// last: [70, 71]
// last: [140, 141]
// last: [142, 143]
"func.func"() <{function_type = (tensor<2x18x2x2xi32>) -> tensor<2x2x2xi32>, sym_name = "last"}> ({
^bb0(%x: tensor<2x18x2x2xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %none = "stablehlo.constant"() <{value = dense<-1> : tensor<i32>}> : () -> tensor<i32>
  %s = "stablehlo.reduce"(%x, %none) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %isNone = "stablehlo.compare"(%b, %none) <{comparison_direction = #stablehlo<comparison_direction EQ>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c = "stablehlo.select"(%isNone, %a, %b) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<2x18x2x2xi32>, tensor<i32>) -> tensor<2x2x2xi32>
  "func.return"(%s) : (tensor<2x2x2xi32>) -> ()
}) : () -> ()

// All blocks share two long columns, where otherwise two blocks would combine one each. Sum c of 2 j + c is 2^15 (2^15 - 1) + 2^15 c.
// CHECK-LABEL: func.func @long(
// CHECK:      obs.reduce grid ({{.*}}) = {{.*}} : !obs.pull<32768 x i32, i32>
// CHECK:      return
// REDEFINE: %{entry} = long
// REDEFINE: %{args} = iota:32768x2xi32
// RUN: %{check}
// long: [1073709056, 1073741824]
"func.func"() <{function_type = (tensor<32768x2xi32>) -> tensor<2xi32>, sym_name = "long"}> ({
^bb0(%x: tensor<32768x2xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<32768x2xi32>, tensor<i32>) -> tensor<2xi32>
  "func.return"(%s) : (tensor<2xi32>) -> ()
}) : () -> ()

// One column is a vector.
// CHECK-LABEL: func.func @one_column(
// CHECK:      obs.reduce grid { arith.addi } {{.*}} : !obs.pull<32768 x i32>
// CHECK:      return
// REDEFINE: %{entry} = one_column
// REDEFINE: %{args} = iota:32768x1xi32
// RUN: %{check}
// one_column: [536854528]
"func.func"() <{function_type = (tensor<32768x1xi32>) -> tensor<1xi32>, sym_name = "one_column"}> ({
^bb0(%x: tensor<32768x1xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<32768x1xi32>, tensor<i32>) -> tensor<1xi32>
  "func.return"(%s) : (tensor<1xi32>) -> ()
}) : () -> ()

// A warp combines each column of one short matrix: as components, they would need a second kernel.
// CHECK-LABEL: func.func @short(
// CHECK:      obs.distribute warp in grid
// CHECK:        obs.reduce { arith.addi }
// CHECK:      obs.force
// CHECK-NOT:  obs.force
// CHECK:      return
// REDEFINE: %{entry} = short
// REDEFINE: %{args} = iota:20x2xi32
// RUN: %{check}
// short: [380, 400]
"func.func"() <{function_type = (tensor<20x2xi32>) -> tensor<2xi32>, sym_name = "short"}> ({
^bb0(%x: tensor<20x2xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<20x2xi32>, tensor<i32>) -> tensor<2xi32>
  "func.return"(%s) : (tensor<2xi32>) -> ()
}) : () -> ()

// Five columns are not joined.
// CHECK-LABEL: func.func @five(
// CHECK:      obs.distribute warp in grid
// CHECK:        obs.reduce { arith.addi }
// CHECK:      return
"func.func"() <{function_type = (tensor<3x20x5xi32>) -> tensor<3x5xi32>, sym_name = "five"}> ({
^bb0(%x: tensor<3x20x5xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<3x20x5xi32>, tensor<i32>) -> tensor<3x5xi32>
  "func.return"(%s) : (tensor<3x5xi32>) -> ()
}) : () -> ()

// 4096 rows read the same 2000 pairs and one pair each: a warp for each row keeps a GPU busy, and waits for no memory.
// CHECK-LABEL: func.func @shared(
// CHECK:      obs.distribute warp in grid
// CHECK:        obs.reduce ({{.*}}) = {{.*}} : !obs.pull<2000 x f32, f32>
// CHECK:      obs.force
// CHECK-NOT:  obs.force
// CHECK:      return
"func.func"() <{function_type = (tensor<4096x2xf32>, tensor<2000x2xf32>) -> tensor<4096x2xf32>, sym_name = "shared"}> ({
^bb0(%x: tensor<4096x2xf32>, %y: tensor<2000x2xf32>):
  %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %i = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<4096x2xf32>) -> tensor<4096x2000x2xf32>
  %j = "stablehlo.broadcast_in_dim"(%y) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<2000x2xf32>) -> tensor<4096x2000x2xf32>
  %d = "stablehlo.subtract"(%i, %j) : (tensor<4096x2000x2xf32>, tensor<4096x2000x2xf32>) -> tensor<4096x2000x2xf32>
  %s = "stablehlo.reduce"(%d, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%c) : (tensor<f32>) -> ()
  }) : (tensor<4096x2000x2xf32>, tensor<f32>) -> tensor<4096x2xf32>
  "func.return"(%s) : (tensor<4096x2xf32>) -> ()
}) : () -> ()

// Each row reads elements of its own: a block for each long row loads several of them together.
// CHECK-LABEL: func.func @own(
// CHECK:      obs.distribute block in grid
// CHECK:        obs.reduce ({{.*}}) = {{.*}} : !obs.pull<2000 x f32, f32>
// CHECK:      return
"func.func"() <{function_type = (tensor<4096x2000x2xf32>) -> tensor<4096x2xf32>, sym_name = "own"}> ({
^bb0(%x: tensor<4096x2000x2xf32>):
  %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%c) : (tensor<f32>) -> ()
  }) : (tensor<4096x2000x2xf32>, tensor<f32>) -> tensor<4096x2xf32>
  "func.return"(%s) : (tensor<4096x2xf32>) -> ()
}) : () -> ()

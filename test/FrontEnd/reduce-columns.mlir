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

// Columns are divided into pieces of a multiple of 32 elements, of which the last one is shorter. The result is row 4098.
// CHECK-LABEL: func.func @pieces(
// CHECK:      obs.distribute thread in grid (%{{[^,]*}} = %{{[^,]*}}, %{{[^,]*}} = %{{[^,]*}} : !obs.pull<129 x 64 x index>)
// CHECK:        arith.minui
// CHECK:        obs.reduce { arith.maxsi } {{.*}} : !obs.pull<? x i32>
// CHECK:      obs.distribute warp in grid
// CHECK:        obs.reduce { arith.maxsi } {{.*}} : !obs.pull<129 x i32>
// CHECK:      return
// REDEFINE: %{entry} = pieces
// REDEFINE: %{args} = iota:4099x64xi32
// RUN: %{check}
// pieces: [262272, 262273, 262274,
"func.func"() <{function_type = (tensor<4099x64xi32>) -> tensor<64xi32>, sym_name = "pieces"}> ({
^bb0(%x: tensor<4099x64xi32>):
  %least = "stablehlo.constant"() <{value = dense<-2147483648> : tensor<i32>}> : () -> tensor<i32>
  %s = "stablehlo.reduce"(%x, %least) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.maximum"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<4099x64xi32>, tensor<i32>) -> tensor<64xi32>
  "func.return"(%s) : (tensor<64xi32>) -> ()
}) : () -> ()

// Neighbouring dimensions are one. Element (i, a, b, c) is 800 i + 80 a + 8 b + c.
// CHECK-LABEL: func.func @neighbours(
// CHECK:      obs.reshape {{.*}} -> !obs.pull<2 x 100 x 8 x i32>
// CHECK-NOT:  obs.reshape
// CHECK:      return
// REDEFINE: %{entry} = neighbours
// REDEFINE: %{args} = iota:2x10x10x8xi32
// RUN: %{check}
// neighbours: [39600, 39700, 39800,
// neighbours: [119600, 119700, 119800,
"func.func"() <{function_type = (tensor<2x10x10x8xi32>) -> tensor<2x8xi32>, sym_name = "neighbours"}> ({
^bb0(%x: tensor<2x10x10x8xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 2, 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<2x10x10x8xi32>, tensor<i32>) -> tensor<2x8xi32>
  "func.return"(%s) : (tensor<2x8xi32>) -> ()
}) : () -> ()

// Rows of one element need no reduction.
// CHECK-LABEL: func.func @ones(
// CHECK-NOT:  obs.reduce
// CHECK:      return
// REDEFINE: %{entry} = ones
// REDEFINE: %{args} = iota:5x1xi32
// RUN: %{check}
// ones: [0, 1, 2, 3, 4]
"func.func"() <{function_type = (tensor<5x1xi32>) -> tensor<5xi32>, sym_name = "ones"}> ({
^bb0(%x: tensor<5x1xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<5x1xi32>, tensor<i32>) -> tensor<5xi32>
  "func.return"(%s) : (tensor<5xi32>) -> ()
}) : () -> ()

// Threads scan pieces of columns from the reductions of the pieces before them. Element (i, c) is 16 i + c, so the sum of
// the first n + 1 elements of a column is 8 n (n + 1) + c (n + 1): row 40 of the prefixes, and row 50 of the suffixes.
// CHECK-LABEL: func.func @prefixes(
// CHECK:      obs.scan thread exclusive {{.*}} : !obs.pull<4 x i32>
// CHECK:      obs.scan thread inclusive {{.*}} : !obs.pull<32 x i32>
// CHECK:      obs.join {{.*}} to [100, 16]
// CHECK:      obs.join {{.*}} to [100, 16]
// CHECK:      return
// REDEFINE: %{entry} = prefixes
// REDEFINE: %{args} = iota:100x16xi32
// RUN: %{check}
// prefixes: [13120, 13161, 13202,
// prefixes: [59600, 59650, 59700,
"func.func"() <{function_type = (tensor<100x16xi32>) -> (tensor<1x16xi32>, tensor<1x16xi32>), sym_name = "prefixes"}> ({
^bb0(%x: tensor<100x16xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %p = "stablehlo.reduce_window"(%x, %zero) <{padding = dense<[[99, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 100, 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<100x16xi32>, tensor<i32>) -> tensor<100x16xi32>
  %s = "stablehlo.reduce_window"(%x, %zero) <{padding = dense<[[0, 99], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 100, 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<100x16xi32>, tensor<i32>) -> tensor<100x16xi32>
  %u = "stablehlo.slice"(%p) <{limit_indices = array<i64: 41, 16>, start_indices = array<i64: 40, 0>, strides = array<i64: 1, 1>}> : (tensor<100x16xi32>) -> tensor<1x16xi32>
  %v = "stablehlo.slice"(%s) <{limit_indices = array<i64: 51, 16>, start_indices = array<i64: 50, 0>, strides = array<i64: 1, 1>}> : (tensor<100x16xi32>) -> tensor<1x16xi32>
  "func.return"(%u, %v) : (tensor<1x16xi32>, tensor<1x16xi32>) -> ()
}) : () -> ()

// The operations of the table, one function for each group: the array operations
// that they become, and what is stored.
//
// RUN: obs-opt --allow-unregistered-dialect --obs-import-stablehlo %s | FileCheck %s

// Scalars of rank 0 stay scalars. A constant is no operand of a map.
// CHECK-LABEL: func.func @elementwise
// CHECK-SAME: (%[[X:.*]]: !obs.pull<9 x f32>, %[[K:.*]]: f32) -> !obs.pull<9 x f32>
// CHECK: %[[TWICE:.*]] = arith.addf %[[K]], %[[K]] : f32
// CHECK: %[[MAP:.*]] = obs.map (%[[E:.*]] = %[[X]] : !obs.pull<9 x f32>) {
// CHECK-NEXT: arith.mulf %[[E]], %[[TWICE]] : f32
// CHECK: %[[R:.*]] = obs.force %[[MAP]]
// CHECK: return %[[R]]
"func.func"() <{function_type = (tensor<9xf32>, tensor<f32>) -> tensor<9xf32>, sym_name = "elementwise"}> ({
^bb0(%x: tensor<9xf32>, %k: tensor<f32>):
  %twice = "stablehlo.add"(%k, %k) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %all = "stablehlo.broadcast_in_dim"(%twice) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<9xf32>
  %r = "stablehlo.multiply"(%x, %all) : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xf32>
  "func.return"(%r) : (tensor<9xf32>) -> ()
}) : () -> ()

// The sign of integers belongs to the operation.
// CHECK-LABEL: func.func @unsigned
// CHECK-SAME: !obs.pull<4 x i32>
// CHECK: arith.maxui
// CHECK: arith.cmpi {predicate = 6
"func.func"() <{function_type = (tensor<4xui32>, tensor<4xui32>) -> (tensor<4xui32>, tensor<4xi1>), sym_name = "unsigned"}> ({
^bb0(%a: tensor<4xui32>, %b: tensor<4xui32>):
  %m = "stablehlo.maximum"(%a, %b) : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  %c = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type UNSIGNED>}> : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xi1>
  "func.return"(%m, %c) : (tensor<4xui32>, tensor<4xi1>) -> ()
}) : () -> ()

// The level of a row is chosen by its length. The function of the sums is fused
// behind the reduction, so there is one force.
// CHECK-LABEL: func.func @rows
// CHECK: obs.distribute warp in grid
// CHECK: obs.reduce { arith.addf }
// CHECK-SAME: {commutative}
// CHECK-NOT: obs.force
// CHECK: obs.map { math.sqrt }
// CHECK: obs.force
// CHECK-NOT: obs.force
"func.func"() <{function_type = (tensor<5x100xf32>) -> tensor<5xf32>, sym_name = "rows"}> ({
^bb0(%x: tensor<5x100xf32>):
  %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%c) : (tensor<f32>) -> ()
  }) : (tensor<5x100xf32>, tensor<f32>) -> tensor<5xf32>
  %r = "stablehlo.sqrt"(%s) : (tensor<5xf32>) -> tensor<5xf32>
  "func.return"(%r) : (tensor<5xf32>) -> ()
}) : () -> ()

// Blocks combine parts of few long rows, and then a unit the parts of each row.
// CHECK-LABEL: func.func @long_rows
// CHECK: obs.distribute block in grid
// CHECK: obs.reduce {{.*}} !obs.pull<4096 x f32>
// CHECK: obs.distribute warp in grid
// CHECK: obs.reduce {{.*}} !obs.pull<32 x f32>
// CHECK-NOT: obs.segmented_reduce
// CHECK: return
"func.func"() <{function_type = (tensor<3x131072xf32>) -> tensor<3xf32>, sym_name = "long_rows"}> ({
^bb0(%x: tensor<3x131072xf32>):
  %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%c) : (tensor<f32>) -> ()
  }) : (tensor<3x131072xf32>, tensor<f32>) -> tensor<3xf32>
  "func.return"(%s) : (tensor<3xf32>) -> ()
}) : () -> ()

// Threads combine pieces of long columns, of which there are about as many as a
// GPU has threads. An index is not divided to find an element.
// CHECK-LABEL: func.func @long_columns
// CHECK-SAME: (%[[X:.*]]: !obs.pull<3000 x 10000 x f32>)
// CHECK-NOT: obs.reshape
// CHECK: obs.distribute thread in grid (%[[PIECE:.*]] = %{{.*}}, %[[COLUMN:.*]] = %{{.*}} : !obs.pull<24 x 10000 x index>)
// CHECK: arith.muli %[[PIECE]], %c128
// CHECK: obs.get %[[X]][%{{.*}}, %[[COLUMN]]]
// CHECK-NOT: obs.reshape
// CHECK: return
"func.func"() <{function_type = (tensor<3000x10000xf32>) -> tensor<10000xf32>, sym_name = "long_columns"}> ({
^bb0(%x: tensor<3000x10000xf32>):
  %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%c) : (tensor<f32>) -> ()
  }) : (tensor<3000x10000xf32>, tensor<f32>) -> tensor<10000xf32>
  "func.return"(%s) : (tensor<10000xf32>) -> ()
}) : () -> ()

// No number of parts divides them: they are segments that all blocks share.
// CHECK-LABEL: func.func @long_rows_of_a_prime
// CHECK: obs.segmented_reduce grid
// CHECK-SAME: strategy = "one_pass"
"func.func"() <{function_type = (tensor<3x32771xf32>) -> tensor<3xf32>, sym_name = "long_rows_of_a_prime"}> ({
^bb0(%x: tensor<3x32771xf32>):
  %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%c) : (tensor<f32>) -> ()
  }) : (tensor<3x32771xf32>, tensor<f32>) -> tensor<3xf32>
  "func.return"(%s) : (tensor<3xf32>) -> ()
}) : () -> ()

// All elements belong to the grid. The sum is read twice, so it is stored once.
// CHECK-LABEL: func.func @shares
// CHECK: %[[P:.*]] = obs.reduce grid
// CHECK: %[[S:.*]] = obs.force %[[P]]
// CHECK-NOT: obs.reduce
// CHECK: return
"func.func"() <{function_type = (tensor<40xf32>) -> (tensor<40xf32>, tensor<f32>), sym_name = "shares"}> ({
^bb0(%x: tensor<40xf32>):
  %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%c) : (tensor<f32>) -> ()
  }) : (tensor<40xf32>, tensor<f32>) -> tensor<f32>
  %all = "stablehlo.broadcast_in_dim"(%s) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<40xf32>
  %r = "stablehlo.divide"(%x, %all) : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
  "func.return"(%r, %s) : (tensor<40xf32>, tensor<f32>) -> ()
}) : () -> ()

// Windows up to each element are a scan. Other windows are folds of few elements.
// CHECK-LABEL: func.func @windows
// CHECK: obs.scan grid inclusive { arith.addi }
// CHECK: obs.generate
// CHECK: obs.reduce { arith.maxsi }
"func.func"() <{function_type = (tensor<30xi32>) -> (tensor<30xi32>, tensor<28xi32>), sym_name = "windows"}> ({
^bb0(%x: tensor<30xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %s = "stablehlo.reduce_window"(%x, %zero) <{padding = dense<[[29, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 30>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<30xi32>, tensor<i32>) -> tensor<30xi32>
  %m = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 3>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.maximum"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<30xi32>, tensor<i32>) -> tensor<28xi32>
  "func.return"(%s, %m) : (tensor<30xi32>, tensor<28xi32>) -> ()
}) : () -> ()

// A function of elements that memory has is a kind, another one a function, and
// one that returns the update keeps any of them.
// CHECK-LABEL: func.func @scatter
// CHECK: obs.fill onto %{{.*}} reduce(addi)
// CHECK: obs.fill onto %{{.*}} any
"func.func"() <{function_type = (tensor<9xi32>, tensor<5x1xi32>, tensor<5xi32>) -> (tensor<9xi32>, tensor<9xi32>), sym_name = "scatter"}> ({
^bb0(%x: tensor<9xi32>, %i: tensor<5x1xi32>, %u: tensor<5xi32>):
  %s = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<9xi32>, tensor<5x1xi32>, tensor<5xi32>) -> tensor<9xi32>
  %t = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    "stablehlo.return"(%b) : (tensor<i32>) -> ()
  }) : (tensor<9xi32>, tensor<5x1xi32>, tensor<5xi32>) -> tensor<9xi32>
  "func.return"(%s, %t) : (tensor<9xi32>, tensor<9xi32>) -> ()
}) : () -> ()

// The counter of a loop stays on the host, and its arrays are in memory. The
// function of the body is inlined.
// CHECK-LABEL: func.func @loop
// CHECK: scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (i32, !obs.pull<8 x f32>)
// CHECK: arith.cmpi slt
// CHECK: obs.force
// CHECK: scf.yield %{{.*}}, %{{.*}} : i32, !obs.pull<8 x f32>
// CHECK-NOT: func.func private
"func.func"() <{function_type = (tensor<8xf32>) -> tensor<8xf32>, sym_name = "loop"}> ({
^bb0(%x: tensor<8xf32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %r:2 = "stablehlo.while"(%zero, %x) ({
  ^bb0(%k: tensor<i32>, %y: tensor<8xf32>):
    %n = "stablehlo.constant"() <{value = dense<9> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%k, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%k: tensor<i32>, %y: tensor<8xf32>):
    %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %next = "stablehlo.add"(%k, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %z = "func.call"(%y) <{callee = @double}> : (tensor<8xf32>) -> tensor<8xf32>
    "stablehlo.return"(%next, %z) : (tensor<i32>, tensor<8xf32>) -> ()
  }) : (tensor<i32>, tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>)
  "func.return"(%r#1) : (tensor<8xf32>) -> ()
}) : () -> ()
// Up to 8 iterations on elements are maps, and nothing is stored between them: 1, 3, 5.
// CHECK-LABEL: func.func @few_iterations
// CHECK-SAME: (%[[X:.*]]: !obs.pull<8 x f32>)
// CHECK-NEXT: %[[A:.*]] = obs.map { arith.addf } %[[X]], %[[X]]
// CHECK-NEXT: %[[B:.*]] = obs.map { arith.addf } %[[A]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = obs.map { arith.addf } %[[B]], %[[B]]
// CHECK-NEXT: obs.force %[[C]]
"func.func"() <{function_type = (tensor<8xf32>) -> tensor<8xf32>, sym_name = "few_iterations"}> ({
^bb0(%x: tensor<8xf32>):
  %zero = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
  %r:2 = "stablehlo.while"(%zero, %x) ({
  ^bb0(%k: tensor<i32>, %y: tensor<8xf32>):
    %n = "stablehlo.constant"() <{value = dense<6> : tensor<i32>}> : () -> tensor<i32>
    %c = "stablehlo.compare"(%k, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%k: tensor<i32>, %y: tensor<8xf32>):
    %one = "stablehlo.constant"() <{value = dense<2> : tensor<i32>}> : () -> tensor<i32>
    %next = "stablehlo.add"(%k, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %z = "func.call"(%y) <{callee = @double}> : (tensor<8xf32>) -> tensor<8xf32>
    "stablehlo.return"(%next, %z) : (tensor<i32>, tensor<8xf32>) -> ()
  }) : (tensor<i32>, tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>)
  "func.return"(%r#1) : (tensor<8xf32>) -> ()
}) : () -> ()
"func.func"() <{function_type = (tensor<8xf32>) -> tensor<8xf32>, sym_name = "double", sym_visibility = "private"}> ({
^bb0(%x: tensor<8xf32>):
  %r = "stablehlo.add"(%x, %x) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  "func.return"(%r) : (tensor<8xf32>) -> ()
}) : () -> ()

// A product that reads each element of its operands at most 4 times does not
// store them. Its sums have any order.
// CHECK-LABEL: func.func @short_product
// CHECK: obs.map
// CHECK: arith.mulf
// CHECK-NOT: obs.force
// CHECK: obs.distribute
// CHECK: obs.reduce {{.*}}commutative
"func.func"() <{function_type = (tensor<2x5000xf32>) -> tensor<2x2xf32>, sym_name = "short_product"}> ({
^bb0(%x: tensor<2x5000xf32>):
  %y = "stablehlo.multiply"(%x, %x) : (tensor<2x5000xf32>, tensor<2x5000xf32>) -> tensor<2x5000xf32>
  %r = "stablehlo.dot_general"(%y, %y) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>}> : (tensor<2x5000xf32>, tensor<2x5000xf32>) -> tensor<2x2xf32>
  "func.return"(%r) : (tensor<2x2xf32>) -> ()
}) : () -> ()

// Two calls of a function, with equal and with other operands. Equal sums are
// one sum, with the same results.
// CHECK-LABEL: func.func @equal_sums
// CHECK: %[[X:.*]] = obs.reduce grid
// CHECK: %[[SX:.*]] = obs.force %[[X]]
// CHECK: %[[Y:.*]] = obs.reduce grid
// CHECK: %[[SY:.*]] = obs.force %[[Y]]
// CHECK-NOT: obs.reduce
// CHECK: return %[[SX]], %[[SX]], %[[SY]]
"func.func"() <{function_type = (tensor<40xf32>, tensor<40xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>), sym_name = "equal_sums"}> ({
^bb0(%x: tensor<40xf32>, %y: tensor<40xf32>):
  %a = "func.call"(%x) <{callee = @total}> : (tensor<40xf32>) -> tensor<f32>
  %b = "func.call"(%x) <{callee = @total}> : (tensor<40xf32>) -> tensor<f32>
  %c = "func.call"(%y) <{callee = @total}> : (tensor<40xf32>) -> tensor<f32>
  "func.return"(%a, %b, %c) : (tensor<f32>, tensor<f32>, tensor<f32>) -> ()
}) : () -> ()
"func.func"() <{function_type = (tensor<40xf32>) -> tensor<f32>, sym_name = "total", sym_visibility = "private"}> ({
^bb0(%x: tensor<40xf32>):
  %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%r) : (tensor<f32>) -> ()
  }) : (tensor<40xf32>, tensor<f32>) -> tensor<f32>
  "func.return"(%s) : (tensor<f32>) -> ()
}) : () -> ()

// Operations that differ in an attribute, an operand or a region are not equal.
// CHECK-LABEL: func.func @other_sums
// CHECK:      obs.reduce { arith.addf }
// CHECK:      obs.reduce { arith.addf }
// CHECK:      obs.reduce { arith.maximumf }
"func.func"() <{function_type = (tensor<5x5xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>), sym_name = "other_sums"}> ({
^bb0(%x: tensor<5x5xf32>):
  %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %a = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%r) : (tensor<f32>) -> ()
  }) : (tensor<5x5xf32>, tensor<f32>) -> tensor<5xf32>
  %b = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = "stablehlo.add"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%r) : (tensor<f32>) -> ()
  }) : (tensor<5x5xf32>, tensor<f32>) -> tensor<5xf32>
  %c = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %r = "stablehlo.maximum"(%p, %q) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%r) : (tensor<f32>) -> ()
  }) : (tensor<5x5xf32>, tensor<f32>) -> tensor<5xf32>
  "func.return"(%a, %b, %c) : (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> ()
}) : () -> ()

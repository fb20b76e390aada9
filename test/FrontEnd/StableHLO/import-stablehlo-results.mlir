// Results of imported programs, on the emulator with its checks and on the
// interpreter. They follow from the definition of each operation.
//
// RUN: obs-opt --allow-unregistered-dialect --obs-import-stablehlo %s -o %t
// DEFINE: %{entry} =
// DEFINE: %{args} =
// DEFINE: %{check} = obs-run %t --entry=%{entry} %{args} --device=emulate | FileCheck %s --check-prefix=%{entry} && \
// DEFINE:   obs-run %t --entry=%{entry} %{args} --device=interpret | FileCheck %s --check-prefix=%{entry}

// Keys 3 1 2 1 0 and their numbers: equal keys keep their order.
// REDEFINE: %{entry} = sort
// REDEFINE: %{args} = 
// RUN: %{check}
// sort: [0, 1, 1, 2, 3]
// sort: [4, 1, 3, 2, 0]
"func.func"() <{function_type = () -> (tensor<5xi32>, tensor<5xi32>), sym_name = "sort"}> ({
  %k = "stablehlo.constant"() <{value = dense<[3, 1, 2, 1, 0]> : tensor<5xi32>}> : () -> tensor<5xi32>
  %v = "stablehlo.constant"() <{value = dense<[0, 1, 2, 3, 4]> : tensor<5xi32>}> : () -> tensor<5xi32>
  %r:2 = "stablehlo.sort"(%k, %v) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %x: tensor<i32>, %y: tensor<i32>):
    %c = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }) : (tensor<5xi32>, tensor<5xi32>) -> (tensor<5xi32>, tensor<5xi32>)
  "func.return"(%r#0, %r#1) : (tensor<5xi32>, tensor<5xi32>) -> ()
}) : () -> ()

// The functions of a reduction and of a sort call a function. Rows 0 1 2 and 3 4 5.
// REDEFINE: %{entry} = calls
// REDEFINE: %{args} = iota:2x3xi32
// RUN: %{check}
// calls: [3, 12]
// calls: {{\[\[}}2, 1, 0],
// calls: [5, 4, 3]]
"func.func"() <{function_type = (tensor<2x3xi32>) -> (tensor<2xi32>, tensor<2x3xi32>), sym_name = "calls"}> ({
^bb0(%x: tensor<2x3xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "func.call"(%a, %b) <{callee = @sum}> : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<2x3xi32>, tensor<i32>) -> tensor<2xi32>
  %r = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "func.call"(%a, %b) <{callee = @larger}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }) : (tensor<2x3xi32>) -> tensor<2x3xi32>
  "func.return"(%s, %r) : (tensor<2xi32>, tensor<2x3xi32>) -> ()
}) : () -> ()
"func.func"() <{function_type = (tensor<i32>, tensor<i32>) -> tensor<i32>, sym_name = "sum", sym_visibility = "private"}> ({
^bb0(%a: tensor<i32>, %b: tensor<i32>):
  %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
  "func.return"(%c) : (tensor<i32>) -> ()
}) : () -> ()
"func.func"() <{function_type = (tensor<i32>, tensor<i32>) -> tensor<i1>, sym_name = "larger", sym_visibility = "private"}> ({
^bb0(%a: tensor<i32>, %b: tensor<i32>):
  %c = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
  "func.return"(%c) : (tensor<i1>) -> ()
}) : () -> ()

// Few long rows: with n elements, row r has n (n - 1) / 2 + r n n, in 32 bits.
// REDEFINE: %{entry} = long_rows
// REDEFINE: %{args} = iota:2x40000xi32
// RUN: %{check}
// long_rows: [799980000, -1894987296]
"func.func"() <{function_type = (tensor<2x40000xi32>) -> tensor<2xi32>, sym_name = "long_rows"}> ({
^bb0(%x: tensor<2x40000xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<2x40000xi32>, tensor<i32>) -> tensor<2xi32>
  "func.return"(%s) : (tensor<2xi32>) -> ()
}) : () -> ()

// REDEFINE: %{entry} = long_rows_of_a_prime
// REDEFINE: %{args} = iota:2x32771xi32
// RUN: %{check}
// long_rows_of_a_prime: [536952835, 1610891276]
"func.func"() <{function_type = (tensor<2x32771xi32>) -> tensor<2xi32>, sym_name = "long_rows_of_a_prime"}> ({
^bb0(%x: tensor<2x32771xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<2x32771xi32>, tensor<i32>) -> tensor<2xi32>
  "func.return"(%s) : (tensor<2xi32>) -> ()
}) : () -> ()

// [[0 1 2] [3 4 5]] times its transpose: 0+1+4, 0+4+10, 9+16+25.
// REDEFINE: %{entry} = dot
// REDEFINE: %{args} = iota:2x3xf32
// RUN: %{check}
// dot: {{\[\[}}5.0, 14.0],
// dot-NEXT: [14.0, 50.0]]
"func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x2xf32>, sym_name = "dot"}> ({
^bb0(%x: tensor<2x3xf32>):
  %r = "stablehlo.dot_general"(%x, %x) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  "func.return"(%r) : (tensor<2x2xf32>) -> ()
}) : () -> ()

// A gather moves starts that are outside into the array.
// REDEFINE: %{entry} = gather
// REDEFINE: %{args} = iota:9xi32
// RUN: %{check}
// gather: [0, 1]
// gather: [4, 5]
// gather: [7, 8]
"func.func"() <{function_type = (tensor<9xi32>) -> tensor<3x2xi32>, sym_name = "gather"}> ({
^bb0(%x: tensor<9xi32>):
  %i = "stablehlo.constant"() <{value = dense<[[-5], [4], [100]]> : tensor<3x1xi32>}> : () -> tensor<3x1xi32>
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2>}> : (tensor<9xi32>, tensor<3x1xi32>) -> tensor<3x2xi32>
  "func.return"(%r) : (tensor<3x2xi32>) -> ()
}) : () -> ()

// A scatter drops a window that is not inside as a whole.
// REDEFINE: %{entry} = scatter
// REDEFINE: %{args} = zeros:4xi32
// RUN: %{check}
// scatter: [0, 1, 2, 0]
"func.func"() <{function_type = (tensor<4xi32>) -> tensor<4xi32>, sym_name = "scatter"}> ({
^bb0(%x: tensor<4xi32>):
  %i = "stablehlo.constant"() <{value = dense<[[1], [3], [-1]]> : tensor<3x1xi32>}> : () -> tensor<3x1xi32>
  %u = "stablehlo.constant"() <{value = dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>}> : () -> tensor<3x2xi32>
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<4xi32>, tensor<3x1xi32>, tensor<3x2xi32>) -> tensor<4xi32>
  "func.return"(%r) : (tensor<4xi32>) -> ()
}) : () -> ()

// One element before, two holes between, the last element dropped.
// REDEFINE: %{entry} = pad
// REDEFINE: %{args} = 
// RUN: %{check}
// pad: [9, 1, 9, 9, 2, 9, 9]
"func.func"() <{function_type = () -> tensor<7xi32>, sym_name = "pad"}> ({
  %x = "stablehlo.constant"() <{value = dense<[1, 2, 3]> : tensor<3xi32>}> : () -> tensor<3xi32>
  %z = "stablehlo.constant"() <{value = dense<9> : tensor<i32>}> : () -> tensor<i32>
  %r = "stablehlo.pad"(%x, %z) <{edge_padding_low = array<i64: 1>, edge_padding_high = array<i64: -1>, interior_padding = array<i64: 2>}> : (tensor<3xi32>, tensor<i32>) -> tensor<7xi32>
  "func.return"(%r) : (tensor<7xi32>) -> ()
}) : () -> ()

// The starts of slices and updates stay inside: the slice is [4 5 6], and the
// update begins at 0.
// REDEFINE: %{entry} = dynamic
// REDEFINE: %{args} = iota:7xi32 9 -3
// RUN: %{check}
// dynamic: [4, 5, 6, 3, 4, 5, 6]
"func.func"() <{function_type = (tensor<7xi32>, tensor<i32>, tensor<i32>) -> tensor<7xi32>, sym_name = "dynamic"}> ({
^bb0(%x: tensor<7xi32>, %i: tensor<i32>, %j: tensor<i32>):
  %s = "stablehlo.dynamic_slice"(%x, %i) <{slice_sizes = array<i64: 3>}> : (tensor<7xi32>, tensor<i32>) -> tensor<3xi32>
  %r = "stablehlo.dynamic_update_slice"(%x, %s, %j) : (tensor<7xi32>, tensor<3xi32>, tensor<i32>) -> tensor<7xi32>
  "func.return"(%r) : (tensor<7xi32>) -> ()
}) : () -> ()

// A number out of range chooses the last branch, which adds 3.
// REDEFINE: %{entry} = case
// REDEFINE: %{args} = 7
// RUN: %{check}
// case: [4, 5]
"func.func"() <{function_type = (tensor<i32>) -> tensor<2xi32>, sym_name = "case"}> ({
^bb0(%k: tensor<i32>):
  %x = "stablehlo.constant"() <{value = dense<[1, 2]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %r = "stablehlo.case"(%k) ({
    "stablehlo.return"(%x) : (tensor<2xi32>) -> ()
  }, {
    %y = "stablehlo.negate"(%x) : (tensor<2xi32>) -> tensor<2xi32>
    "stablehlo.return"(%y) : (tensor<2xi32>) -> ()
  }, {
    %c = "stablehlo.constant"() <{value = dense<3> : tensor<2xi32>}> : () -> tensor<2xi32>
    %y = "stablehlo.add"(%x, %c) : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
    "stablehlo.return"(%y) : (tensor<2xi32>) -> ()
  }) : (tensor<i32>) -> tensor<2xi32>
  "func.return"(%r) : (tensor<2xi32>) -> ()
}) : () -> ()

// The condition reads an array: twice the elements until one is above 50.
// REDEFINE: %{entry} = while
// REDEFINE: %{args} = 
// RUN: %{check}
// while: [16, 80, 32]
"func.func"() <{function_type = () -> tensor<3xi32>, sym_name = "while"}> ({
  %x = "stablehlo.constant"() <{value = dense<[1, 5, 2]> : tensor<3xi32>}> : () -> tensor<3xi32>
  %r = "stablehlo.while"(%x) ({
  ^bb0(%y: tensor<3xi32>):
    %least = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %limit = "stablehlo.constant"() <{value = dense<50> : tensor<i32>}> : () -> tensor<i32>
    %m = "stablehlo.reduce"(%y, %least) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %c = "stablehlo.maximum"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
      "stablehlo.return"(%c) : (tensor<i32>) -> ()
    }) : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
    %go = "stablehlo.compare"(%m, %limit) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%go) : (tensor<i1>) -> ()
  }, {
  ^bb0(%y: tensor<3xi32>):
    %z = "stablehlo.add"(%y, %y) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
    "stablehlo.return"(%z) : (tensor<3xi32>) -> ()
  }) : (tensor<3xi32>) -> tensor<3xi32>
  "func.return"(%r) : (tensor<3xi32>) -> ()
}) : () -> ()

// Products from the right: 2*3*4, 3*4, 4. Sums of windows of 3 of 0 2 0 3 0 4, at
// distance 2; then the first element.
// REDEFINE: %{entry} = windows
// REDEFINE: %{args} = 
// RUN: %{check}
// windows: [24, 12, 4]
// windows: [2, 3, 2]
"func.func"() <{function_type = () -> (tensor<3xi32>, tensor<3xi32>), sym_name = "windows"}> ({
  %x = "stablehlo.constant"() <{value = dense<[2, 3, 4]> : tensor<3xi32>}> : () -> tensor<3xi32>
  %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %s = "stablehlo.reduce_window"(%x, %one) <{padding = dense<[[0, 2]]> : tensor<1x2xi64>, window_dimensions = array<i64: 3>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.multiply"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  %t = "stablehlo.reduce_window"(%x, %zero) <{base_dilations = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 3>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<3xi32>, tensor<i32>) -> tensor<2xi32>
  %u = "stablehlo.slice"(%x) <{start_indices = array<i64: 0>, limit_indices = array<i64: 1>, strides = array<i64: 1>}> : (tensor<3xi32>) -> tensor<1xi32>
  %v = "stablehlo.concatenate"(%t, %u) <{dimension = 0 : i64}> : (tensor<2xi32>, tensor<1xi32>) -> tensor<3xi32>
  "func.return"(%s, %v) : (tensor<3xi32>, tensor<3xi32>) -> ()
}) : () -> ()

// 0 1 2 3 with the weights 1 and 10, and with these in the other order.
// REDEFINE: %{entry} = convolution
// REDEFINE: %{args} = iota:1x1x4xi32
// RUN: %{check}
// convolution: {{\[\[\[}}10, 21, 32]]]
// convolution: {{\[\[\[}}1, 12, 23]]]
"func.func"() <{function_type = (tensor<1x1x4xi32>) -> (tensor<1x1x3xi32>, tensor<1x1x3xi32>), sym_name = "convolution"}> ({
^bb0(%x: tensor<1x1x4xi32>):
  %w = "stablehlo.constant"() <{value = dense<[[[1, 10]]]> : tensor<1x1x2xi32>}> : () -> tensor<1x1x2xi32>
  %a = "stablehlo.convolution"(%x, %w) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, feature_group_count = 1 : i64}> : (tensor<1x1x4xi32>, tensor<1x1x2xi32>) -> tensor<1x1x3xi32>
  %b = "stablehlo.convolution"(%x, %w) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, feature_group_count = 1 : i64, window_reversal = array<i1: true>}> : (tensor<1x1x4xi32>, tensor<1x1x2xi32>) -> tensor<1x1x3xi32>
  "func.return"(%a, %b) : (tensor<1x1x3xi32>, tensor<1x1x3xi32>) -> ()
}) : () -> ()

// Windows of 3 5 5 1 4 select the first 5 twice, then the second one.
// REDEFINE: %{entry} = selected
// REDEFINE: %{args} = 
// RUN: %{check}
// selected: [100, 103, 103, 100, 100]
"func.func"() <{function_type = () -> tensor<5xi32>, sym_name = "selected"}> ({
  %x = "stablehlo.constant"() <{value = dense<[3, 5, 5, 1, 4]> : tensor<5xi32>}> : () -> tensor<5xi32>
  %s = "stablehlo.constant"() <{value = dense<[1, 2, 3]> : tensor<3xi32>}> : () -> tensor<3xi32>
  %i = "stablehlo.constant"() <{value = dense<100> : tensor<i32>}> : () -> tensor<i32>
  %r = "stablehlo.select_and_scatter"(%x, %s, %i) <{window_dimensions = array<i64: 3>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<5xi32>, tensor<3xi32>, tensor<i32>) -> tensor<5xi32>
  "func.return"(%r) : (tensor<5xi32>) -> ()
}) : () -> ()

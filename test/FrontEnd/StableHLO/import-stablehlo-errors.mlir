// RUN: obs-opt --allow-unregistered-dialect --obs-import-stablehlo --split-input-file --verify-diagnostics %s

"func.func"() <{function_type = (tensor<?xf32>) -> tensor<?xf32>, sym_name = "main"}> ({
// expected-error @-1 {{'func.func' has a value of type 'tensor<?xf32>': extents that are known at run time are not supported}}
^bb0(%x: tensor<?xf32>):
  "func.return"(%x) : (tensor<?xf32>) -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>, sym_name = "main"}> ({
// expected-error @-1 {{has elements of a type that obs does not have: 'tensor<4xcomplex<f32>>'}}
^bb0(%x: tensor<4xcomplex<f32>>):
  "func.return"(%x) : (tensor<4xcomplex<f32>>) -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>) -> tensor<3xf32>, sym_name = "main"}> ({
^bb0(%x: tensor<f32>):
  %n = "stablehlo.constant"() <{value = dense<3> : tensor<1xi64>}> : () -> tensor<1xi64>
  // expected-error @+1 {{'stablehlo.rng' op has no counterpart in obs}}
  %r = "stablehlo.rng"(%x, %x, %n) <{rng_distribution = #stablehlo<rng_distribution UNIFORM>}> : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>
  "func.return"(%r) : (tensor<3xf32>) -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3xf32>) -> tensor<3xf32>, sym_name = "main"}> ({
^bb0(%x: tensor<3xf32>):
  // expected-error @+1 {{'stablehlo.custom_call' op calls code outside of the program: "lapack"}}
  %r = "stablehlo.custom_call"(%x) <{call_target_name = "lapack"}> : (tensor<3xf32>) -> tensor<3xf32>
  "func.return"(%r) : (tensor<3xf32>) -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3xf32>) -> tensor<3xf32>, sym_name = "main"}> ({
^bb0(%x: tensor<3xf32>):
  // expected-error @+1 {{'stablehlo.add' op takes 2 operands, no region, and has one result}}
  %r = "stablehlo.add"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  "func.return"(%r) : (tensor<3xf32>) -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3xf32>, tensor<4xf32>) -> tensor<3xf32>, sym_name = "main"}> ({
^bb0(%x: tensor<3xf32>, %y: tensor<4xf32>):
  // expected-error @+1 {{'stablehlo.add' op has operands and a result of different extents}}
  %r = "stablehlo.add"(%x, %y) : (tensor<3xf32>, tensor<4xf32>) -> tensor<3xf32>
  "func.return"(%r) : (tensor<3xf32>) -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3xi32>) -> tensor<3xi32>, sym_name = "main"}> ({
^bb0(%x: tensor<3xi32>):
  // expected-error @+1 {{'stablehlo.sqrt' op does not take elements of type 'i32'}}
  %r = "stablehlo.sqrt"(%x) : (tensor<3xi32>) -> tensor<3xi32>
  "func.return"(%r) : (tensor<3xi32>) -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x4xf32>) -> tensor<4x3xf32>, sym_name = "main"}> ({
^bb0(%x: tensor<3x4xf32>):
  // expected-error @+1 {{'stablehlo.transpose' op has the dimension 2 in permutation, which is out of range or there twice}}
  %r = "stablehlo.transpose"(%x) <{permutation = array<i64: 1, 2>}> : (tensor<3x4xf32>) -> tensor<4x3xf32>
  "func.return"(%r) : (tensor<4x3xf32>) -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x4xf32>) -> tensor<3x4xf32>, sym_name = "main"}> ({
^bb0(%x: tensor<3x4xf32>):
  // expected-error @+1 {{'stablehlo.transpose' op has a result of type 'tensor<4x3xf32>', not 'tensor<3x4xf32>'}}
  %r = "stablehlo.transpose"(%x) <{permutation = array<i64: 1, 0>}> : (tensor<3x4xf32>) -> tensor<3x4xf32>
  "func.return"(%r) : (tensor<3x4xf32>) -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<3x4xui32>) -> tensor<3x4xui32>, sym_name = "main"}> ({
^bb0(%x: tensor<3x4xui32>):
  // expected-error @+1 {{'stablehlo.transpose' op has a result of type 'tensor<4x3xui32>', not 'tensor<3x4xui32>'}}
  %r = "stablehlo.transpose"(%x) <{permutation = array<i64: 1, 0>}> : (tensor<3x4xui32>) -> tensor<3x4xui32>
  "func.return"(%r) : (tensor<3x4xui32>) -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<9xf32>) -> tensor<3xf32>, sym_name = "main"}> ({
^bb0(%x: tensor<9xf32>):
  // expected-error @+1 {{'stablehlo.slice' op is out of range in dimension 0}}
  %r = "stablehlo.slice"(%x) <{start_indices = array<i64: 7>, limit_indices = array<i64: 10>, strides = array<i64: 1>}> : (tensor<9xf32>) -> tensor<3xf32>
  "func.return"(%r) : (tensor<3xf32>) -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<9xf32>, tensor<3x2xi32>) -> tensor<3xf32>, sym_name = "main"}> ({
^bb0(%x: tensor<9xf32>, %i: tensor<3x2xi32>):
  // expected-error @+1 {{'stablehlo.gather' op has dimension numbers that do not fit its operands}}
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<9xf32>, tensor<3x2xi32>) -> tensor<3xf32>
  "func.return"(%r) : (tensor<3xf32>) -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<9xf32>, tensor<3x1xi32>) -> tensor<3xf32>, sym_name = "main"}> ({
^bb0(%x: tensor<9xf32>, %i: tensor<3x1xi32>):
  // expected-error @+1 {{'stablehlo.gather' op has dimension numbers that do not fit its operands}}
  %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [9223372036854775807], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<9xf32>, tensor<3x1xi32>) -> tensor<3xf32>
  "func.return"(%r) : (tensor<3xf32>) -> ()
}) : () -> ()

// -----

// A function of elements has scalars only.
"func.func"() <{function_type = (tensor<9xf32>, tensor<f32>) -> tensor<f32>, sym_name = "main"}> ({
^bb0(%x: tensor<9xf32>, %zero: tensor<f32>):
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    // expected-error @+1 {{'stablehlo.broadcast_in_dim' op in the function of elements of another operation has no arrays}}
    %c = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4xf32>
    "stablehlo.return"(%b) : (tensor<f32>) -> ()
  }) : (tensor<9xf32>, tensor<f32>) -> tensor<f32>
  "func.return"(%s) : (tensor<f32>) -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<f32>) -> tensor<f32>, sym_name = "main"}> ({
^bb0(%x: tensor<f32>):
  %r = "func.call"(%x) <{callee = @again}> : (tensor<f32>) -> tensor<f32>
  "func.return"(%r) : (tensor<f32>) -> ()
}) : () -> ()
"func.func"() <{function_type = (tensor<f32>) -> tensor<f32>, sym_name = "again", sym_visibility = "private"}> ({
^bb0(%x: tensor<f32>):
  // expected-error @+1 {{'func.call' op calls a function that calls itself}}
  %r = "func.call"(%x) <{callee = @again}> : (tensor<f32>) -> tensor<f32>
  "func.return"(%r) : (tensor<f32>) -> ()
}) : () -> ()

// -----

// expected-error @+1 {{'stablehlo.constant' op is not a function}}
%c = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>

// -----

"func.func"() <{function_type = (tensor<1x2x4xf32>, tensor<2x2x2xf32>) -> tensor<1x2x3xf32>, sym_name = "main"}> ({
^bb0(%x: tensor<1x2x4xf32>, %w: tensor<2x2x2xf32>):
  // expected-error @+1 {{'stablehlo.convolution' op needs dimension_numbers of all dimensions of its arrays}}
  %r = "stablehlo.convolution"(%x, %w) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 1]>, feature_group_count = 1 : i64}> : (tensor<1x2x4xf32>, tensor<2x2x2xf32>) -> tensor<1x2x3xf32>
  "func.return"(%r) : (tensor<1x2x3xf32>) -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<1x2x4xf32>, tensor<2x2x2xf32>) -> tensor<1x2x3xf32>, sym_name = "main"}> ({
^bb0(%x: tensor<1x2x4xf32>, %w: tensor<2x2x2xf32>):
  // expected-error @+1 {{'stablehlo.convolution' op needs dimension_numbers of all dimensions of its arrays}}
  %r = "stablehlo.convolution"(%x, %w) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, o, 0]->[b, f, 0]>, feature_group_count = 1 : i64}> : (tensor<1x2x4xf32>, tensor<2x2x2xf32>) -> tensor<1x2x3xf32>
  "func.return"(%r) : (tensor<1x2x3xf32>) -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<1x2x4xf32>, tensor<2x2x2xf32>) -> tensor<1x2x3xf32>, sym_name = "main"}> ({
^bb0(%x: tensor<1x2x4xf32>, %w: tensor<2x2x2xf32>):
  // expected-error @+1 {{'stablehlo.convolution' op needs dimension_numbers of all dimensions of its arrays}}
  %r = "stablehlo.convolution"(%x, %w) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]>, feature_group_count = 1 : i64}> : (tensor<1x2x4xf32>, tensor<2x2x2xf32>) -> tensor<1x2x3xf32>
  "func.return"(%r) : (tensor<1x2x3xf32>) -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<1x2x4xf32>, tensor<2x2x2xf32>) -> tensor<1x2x3xf32>, sym_name = "main"}> ({
^bb0(%x: tensor<1x2x4xf32>, %w: tensor<2x2x2xf32>):
  // expected-error @+1 {{'stablehlo.convolution' op needs dimension_numbers of all dimensions of its arrays}}
  %r = "stablehlo.convolution"(%x, %w) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0, 1]->[b, f, 0]>, feature_group_count = 1 : i64}> : (tensor<1x2x4xf32>, tensor<2x2x2xf32>) -> tensor<1x2x3xf32>
  "func.return"(%r) : (tensor<1x2x3xf32>) -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<1x2x4xf32>, tensor<2x2x2xf32>) -> tensor<1x2x3xf32>, sym_name = "main"}> ({
^bb0(%x: tensor<1x2x4xf32>, %w: tensor<2x2x2xf32>):
  // expected-error @+1 {{'stablehlo.convolution' op needs dimension_numbers of all dimensions of its arrays}}
  %r = "stablehlo.convolution"(%x, %w) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, -1]x[o, i, 0]->[b, f, 0]>, feature_group_count = 1 : i64}> : (tensor<1x2x4xf32>, tensor<2x2x2xf32>) -> tensor<1x2x3xf32>
  "func.return"(%r) : (tensor<1x2x3xf32>) -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<1x2x4xf32>, tensor<2x2x2xf32>) -> tensor<1x2x3xf32>, sym_name = "main"}> ({
^bb0(%x: tensor<1x2x4xf32>, %w: tensor<2x2x2xf32>):
  // expected-error @+1 {{'stablehlo.convolution' op has groups that do not fit its operands}}
  %r = "stablehlo.convolution"(%x, %w) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, feature_group_count = 2 : i64}> : (tensor<1x2x4xf32>, tensor<2x2x2xf32>) -> tensor<1x2x3xf32>
  "func.return"(%r) : (tensor<1x2x3xf32>) -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<1x2x4xf32>, tensor<2x2x2xf32>) -> tensor<1x2x3xf32>, sym_name = "main"}> ({
^bb0(%x: tensor<1x2x4xf32>, %w: tensor<2x2x2xf32>):
  // expected-error @+1 {{'stablehlo.convolution' op has groups that do not fit its operands}}
  %r = "stablehlo.convolution"(%x, %w) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, feature_group_count = 0 : i64}> : (tensor<1x2x4xf32>, tensor<2x2x2xf32>) -> tensor<1x2x3xf32>
  "func.return"(%r) : (tensor<1x2x3xf32>) -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<1x2x4xf32>, tensor<2x2x2xf32>) -> tensor<1x2x3xf32>, sym_name = "main"}> ({
^bb0(%x: tensor<1x2x4xf32>, %w: tensor<2x2x2xf32>):
  // expected-error @+1 {{'stablehlo.convolution' op needs a bit for each dimension in window_reversal}}
  %r = "stablehlo.convolution"(%x, %w) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, feature_group_count = 1 : i64, window_reversal = array<i1: true, true>}> : (tensor<1x2x4xf32>, tensor<2x2x2xf32>) -> tensor<1x2x3xf32>
  "func.return"(%r) : (tensor<1x2x3xf32>) -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<1x2x4xf32>, tensor<2x2x2xf32>) -> tensor<1x2x3xf32>, sym_name = "main"}> ({
^bb0(%x: tensor<1x2x4xf32>, %w: tensor<2x2x2xf32>):
  // expected-error @+1 {{'stablehlo.convolution' op needs strides and dilations of at least 1}}
  %r = "stablehlo.convolution"(%x, %w) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, feature_group_count = 1 : i64, window_strides = array<i64: 0>}> : (tensor<1x2x4xf32>, tensor<2x2x2xf32>) -> tensor<1x2x3xf32>
  "func.return"(%r) : (tensor<1x2x3xf32>) -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<1x2x4xf32>, tensor<2x2x2xf32>) -> tensor<1x2x4xf32>, sym_name = "main"}> ({
^bb0(%x: tensor<1x2x4xf32>, %w: tensor<2x2x2xf32>):
  // expected-error @+1 {{'stablehlo.convolution' op has a result of type 'tensor<1x2x3xf32>', not 'tensor<1x2x4xf32>'}}
  %r = "stablehlo.convolution"(%x, %w) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, feature_group_count = 1 : i64}> : (tensor<1x2x4xf32>, tensor<2x2x2xf32>) -> tensor<1x2x4xf32>
  "func.return"(%r) : (tensor<1x2x4xf32>) -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<5xf32>, tensor<4xf32>, tensor<f32>) -> tensor<5xf32>, sym_name = "main"}> ({
^bb0(%x: tensor<5xf32>, %s: tensor<4xf32>, %i: tensor<f32>):
  // expected-error @+1 {{'stablehlo.select_and_scatter' op needs one number for each window, and an initial one}}
  %r = "stablehlo.select_and_scatter"(%x, %s, %i) <{window_dimensions = array<i64: 3>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%c) : (tensor<f32>) -> ()
  }) : (tensor<5xf32>, tensor<4xf32>, tensor<f32>) -> tensor<5xf32>
  "func.return"(%r) : (tensor<5xf32>) -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<5xf32>, tensor<5xf32>, tensor<f32>) -> tensor<5xf32>, sym_name = "main"}> ({
^bb0(%x: tensor<5xf32>, %s: tensor<5xf32>, %i: tensor<f32>):
  // expected-error @+1 {{'stablehlo.select_and_scatter' op of a scalar or with padding is not supported}}
  %r = "stablehlo.select_and_scatter"(%x, %s, %i) <{window_dimensions = array<i64: 3>, padding = dense<1> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%c) : (tensor<f32>) -> ()
  }) : (tensor<5xf32>, tensor<5xf32>, tensor<f32>) -> tensor<5xf32>
  "func.return"(%r) : (tensor<5xf32>) -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<5xf32>, tensor<3xf32>, tensor<f32>) -> tensor<5xf32>, sym_name = "main"}> ({
^bb0(%x: tensor<5xf32>, %s: tensor<3xf32>, %i: tensor<f32>):
  // expected-error @+1 {{'stablehlo.select_and_scatter' op needs sizes and strides of at least 1}}
  %r = "stablehlo.select_and_scatter"(%x, %s, %i) <{window_dimensions = array<i64: 3>, window_strides = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction GE>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
    "stablehlo.return"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%c) : (tensor<f32>) -> ()
  }) : (tensor<5xf32>, tensor<3xf32>, tensor<f32>) -> tensor<5xf32>
  "func.return"(%r) : (tensor<5xf32>) -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<5xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<5xf32>, sym_name = "main"}> ({
^bb0(%x: tensor<5xf32>, %i: tensor<3x1xi32>, %u: tensor<3xf32>):
  // expected-error @+1 {{'stablehlo.scatter' op whose function does not use the updates, as in x.at[i].apply(f), needs unique_indices; x.at[i].set(f(x[i])) applies f once to each element}}
  %r = "stablehlo.scatter"(%x, %i, %u) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = "stablehlo.sine"(%a) : (tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%c) : (tensor<f32>) -> ()
  }) : (tensor<5xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<5xf32>
  "func.return"(%r) : (tensor<5xf32>) -> ()
}) : () -> ()

// -----

"func.func"() <{function_type = (tensor<5xf32>) -> tensor<5xf32>, sym_name = "main"}> ({
^bb0(%x: tensor<5xf32>):
  // expected-error @+1 {{'stablehlo.reduce_precision' op needs exponent_bits of at least 1 and mantissa_bits of at least 0}}
  %r = "stablehlo.reduce_precision"(%x) <{exponent_bits = 0 : i32, mantissa_bits = 3 : i32}> : (tensor<5xf32>) -> tensor<5xf32>
  "func.return"(%r) : (tensor<5xf32>) -> ()
}) : () -> ()

// -----

// The function of a custom call is no function of the program.
"func.func"() <{function_type = (tensor<f32>, tensor<f32>) -> tensor<i1>, sym_name = "greater"}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
  %c = "stablehlo.compare"(%a, %b) <{comparison_direction = #stablehlo<comparison_direction GT>}> : (tensor<f32>, tensor<f32>) -> tensor<i1>
  "stablehlo.return"(%c) : (tensor<i1>) -> ()
}) : () -> ()
"func.func"() <{function_type = (tensor<5xf32>) -> tensor<2xf32>, sym_name = "main"}> ({
^bb0(%x: tensor<5xf32>):
  // expected-error @+1 {{'stablehlo.custom_call' op calls code outside of the program: "ApproxTopK"}}
  %r = "stablehlo.custom_call"(%x) <{call_target_name = "ApproxTopK", called_computations = [@greater]}> : (tensor<5xf32>) -> tensor<2xf32>
  "func.return"(%r) : (tensor<2xf32>) -> ()
}) : () -> ()

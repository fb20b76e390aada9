// Rules of single operations: sources, maps, reading.
// RUN: obs-opt %s --split-input-file --verify-diagnostics

func.func @view_rank(%m: memref<f32>) {
  // expected-error@+1 {{[view-memory] needs ranked memrefs of at least one dimension}}
  %a = obs.view %m : memref<f32>
  return
}

// -----

func.func @view_layout(%m: memref<8xf32, strided<[2]>>) {
  // expected-error@+1 {{[view-memory] 'memref<8xf32, strided<[2]>>' has a layout; copy it to a memref without one}}
  %a = obs.view %m : memref<8xf32, strided<[2]>>
  return
}

// -----

func.func @view_elements(%m: memref<8xvector<4xf32>>) {
  // expected-error@+1 {{[type-element] 'vector<4xf32>' cannot be an element}}
  %a = obs.view %m : memref<8xvector<4xf32>>
  return
}

// -----

func.func @constant_scalar() {
  // expected-error@+1 {{[constant-type] needs a tensor literal of at least one dimension}}
  %a = obs.constant dense<1> : tensor<i32>
  return
}

// -----

func.func @constant_sparse() {
  // expected-error@+1 {{[constant-value] needs a dense literal of numbers}}
  %a = obs.constant sparse<[[1]], [5]> : tensor<4xi32>
  return
}

// -----

func.func @constant_elements() {
  // expected-error@+1 {{[type-element] 'complex<f32>' cannot be an element}}
  %a = obs.constant dense<(1.0, 2.0)> : tensor<4xcomplex<f32>>
  return
}

// -----

func.func @iota_float() {
  // expected-error@+1 {{[iota-type] is one-dimensional and of one integer or index type; use obs.generate for '!obs.pull<8 x f32>'}}
  %a = obs.iota : !obs.pull<8 x f32>
  return
}

// -----

func.func @iota_rank() {
  // expected-error@+1 {{[iota-type] is one-dimensional}}
  %a = obs.iota : !obs.pull<8 x 8 x i32>
  return
}

// -----

func.func @iota_extents(%n: index) {
  // expected-error@+1 {{[dynamic-extents] has 1 extents in brackets but its result has 0 dynamic ones; give one index for each ?}}
  %a = obs.iota [%n] : !obs.pull<8 x i32>
  return
}

// -----

func.func @splat_extents(%x: f32) {
  // expected-error@+1 {{[dynamic-extents] has 0 extents in brackets but its result has 1 dynamic ones}}
  %a = obs.splat %x : !obs.pull<? x f32>
  return
}

// -----

func.func @splat_values(%x: f32) {
  // expected-error@+1 {{[element-types] the value list has types ('f32') but ('i32') are needed}}
  %a = "obs.splat"(%x) <{operandSegmentSizes = array<i32: 1, 0>}> : (f32) -> !obs.pull<8 x i32>
  return
}

// -----

func.func @generate_extents() {
  // expected-error@+1 {{[dynamic-extents] has 0 extents in brackets but its result has 1 dynamic ones}}
  %a = obs.generate (%i) {
    obs.yield %i : index
  } : !obs.pull<? x index>
  return
}

// -----

func.func @generate_arguments() {
  // expected-error@+1 {{[region-arguments] the arguments of the region have types ('index'); ('index', 'index') are needed}}
  %a = obs.generate (%i) {
    obs.yield %i : index
  } : !obs.pull<4 x 4 x index>
  return
}

// -----

func.func @reindex_arguments(%b: !obs.pull<4 x 4 x i32>) {
  // expected-error@+1 {{[region-arguments] the arguments of the region have types ('index', 'index'); ('index') are needed}}
  %a = obs.reindex (%i, %j) = %b {
    obs.yield %i, %j : index, index
  } : !obs.pull<4 x 4 x i32> -> !obs.pull<16 x i32>
  return
}

// -----

func.func @no_yield() {
  // expected-error@+1 {{[region-yield] the region must end with obs.yield}}
  %a = "obs.generate"() ({
  ^bb0(%i: index):
    "func.return"() : () -> ()
  }) : () -> !obs.pull<4 x index>
  return
}

// -----

func.func @generate_yield(%x: f32) {
  %a = obs.generate (%i) {
    // expected-error@+1 {{[yield-types] yields ('f32') but obs.generate needs ('index')}}
    obs.yield %x : f32
  } : !obs.pull<4 x index>
  return
}

// -----

func.func @map_yield(%b: !obs.pull<4 x i32>) {
  %a = obs.map (%x = %b : !obs.pull<4 x i32>) -> !obs.pull<4 x i32, i32> {
    // expected-error@+1 {{[yield-types] yields ('i32') but obs.map needs ('i32', 'i32')}}
    obs.yield %x : i32
  }
  return
}

// -----

// A gather yields as many indices as its source has dimensions.
func.func @reindex_yield(%b: !obs.pull<4 x 4 x i32>) {
  %a = obs.reindex (%i) = %b {
    // expected-error@+1 {{[yield-types] yields ('index') but obs.reindex needs ('index', 'index')}}
    obs.yield %i : index
  } : !obs.pull<4 x 4 x i32> -> !obs.pull<4 x i32>
  return
}

// -----

// A scatter yields as many as its result has.
func.func @scatter_yield(%b: !obs.push<grid, 4 x 4 x i32>) {
  %a = obs.reindex (%i, %j) = %b {
    // expected-error@+1 {{[yield-types] yields ('index', 'index') but obs.reindex needs ('index')}}
    obs.yield %i, %j : index, index
  } : !obs.push<grid, 4 x 4 x i32> -> !obs.push<grid, 16 x i32>
  return
}

// -----

func.func @distribute_yield(%b: !obs.pull<4 x i32>) {
  %q = obs.distribute block (%x = %b : !obs.pull<4 x i32>) -> !obs.push<grid, 4 x 1 x i32> {
    // expected-error@+1 {{[yield-types] yields 0 arrays but the distribute has 1 results}}
    obs.yield
  }
  return
}

// -----

func.func @yield_elsewhere(%x: i32) {
  %p = obs.fill {
    // expected-error@+1 {{[yield-parent] ends the region of a map, generate, reindex, distribute, expand or collective; a fill writes by obs.write and obs.put}}
    obs.yield %x : i32
  } : !obs.push<grid, 8 x i32>
  return
}

// -----

func.func @map_of_nothing() {
  // expected-error@+1 {{[no-arrays] needs at least one array}}
  %a = obs.map () -> !obs.pull<8 x i32> {
    %x = arith.constant 0 : i32
    obs.yield %x : i32
  }
  return
}

// -----

func.func @two_pushes(%a: !obs.push<grid, 8 x i32>, %b: !obs.push<grid, 8 x i32>) {
  // expected-error@+1 {{[map-push] has several push operands; at most one can drive the loop: force the others}}
  %r = obs.map (%x = %a : !obs.push<grid, 8 x i32>, %y = %b : !obs.push<grid, 8 x i32>) -> !obs.push<grid, 8 x i32> {
    obs.yield %x : i32
  }
  return
}

// -----

func.func @map_kind(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{[array-kind] of pull arrays is a pull array, not '!obs.push<grid, 8 x i32>'}}
  %r = obs.map (%x = %a : !obs.pull<8 x i32>) -> !obs.push<grid, 8 x i32> {
    obs.yield %x : i32
  }
  return
}

// -----

func.func @take_kind(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{[array-kind] turns '!obs.pull<8 x i32>' into '!obs.push<grid, 4 x i32>'; an index map keeps pull arrays pull}}
  %r = obs.take %a [4] : !obs.pull<8 x i32> -> !obs.push<grid, 4 x i32>
  return
}

// -----

// Index maps do not change the level.
func.func @reshape_kind(%a: !obs.push<block, 8 x i32>) {
  // expected-error@+1 {{[array-kind] turns '!obs.push<block, 8 x i32>' into '!obs.push<grid, 2 x 4 x i32>'}}
  %r = obs.reshape %a : !obs.push<block, 8 x i32> -> !obs.push<grid, 2 x 4 x i32>
  return
}

// -----

func.func @concat_kind(%a: !obs.pull<8 x i32>, %b: !obs.push<grid, 8 x i32>) {
  // expected-error@+1 {{[array-kind] turns}}
  %r = obs.concat %a, %b : !obs.pull<8 x i32>, !obs.push<grid, 8 x i32> -> !obs.push<grid, 16 x i32>
  return
}

// -----

func.func @concat_elements(%a: !obs.pull<8 x i32>, %b: !obs.pull<8 x f32>) {
  // expected-error@+1 {{[element-types] an operand has types ('f32') but ('i32') are needed}}
  %r = obs.concat %a, %b : !obs.pull<8 x i32>, !obs.pull<8 x f32> -> !obs.pull<16 x i32>
  return
}

// -----

func.func @push_elements(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{[element-types] the result has types ('f32') but ('i32') are needed}}
  %r = obs.push %a : !obs.pull<8 x i32> -> !obs.push<grid, 8 x f32>
  return
}

// -----

func.func @reverse_dimension(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{[no-dimension] has no dimension 1; the array has rank 1}}
  %r = obs.reverse %a dim 1 : !obs.pull<8 x i32>
  return
}

// -----

func.func @dim_dimension(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{[no-dimension] has no dimension -1; the array has rank 1}}
  %n = obs.dim %a, -1 : !obs.pull<8 x i32>
  return
}

// -----

func.func @slice_lists(%a: !obs.pull<8 x 8 x i32>) {
  // expected-error@+1 {{[index-list] has 1 offsets for 2 dimensions; give one for each}}
  %r = obs.slice %a [0] [4, 4] [1, 1] : !obs.pull<8 x 8 x i32> -> !obs.pull<4 x 4 x i32>
  return
}

// -----

func.func @slice_stride(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{[index-list] 0 among the strides is too small; the least is 1}}
  %r = obs.slice %a [0] [4] [0] : !obs.pull<8 x i32> -> !obs.pull<4 x i32>
  return
}

// -----

func.func @split_lists(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{[index-list] 0 among the sizes is too small; the least is 1}}
  %r = obs.split %a by [0] : !obs.pull<8 x i32> -> !obs.pull<? x !obs.pull<? x i32>>
  return
}

// -----

func.func @take_values(%a: !obs.pull<8 x i32>, %n: index) {
  // expected-error@+1 {{[index-list] the number of values does not match the counts that are not constants}}
  %r = "obs.take"(%a, %n) <{static_counts = array<i64: 4>}> : (!obs.pull<8 x i32>, index) -> !obs.pull<4 x i32>
  return
}

// -----

func.func @split_flat(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{[split-result] gives an array of arrays, each of rank 1}}
  %r = obs.split %a by [4] : !obs.pull<8 x i32> -> !obs.pull<2 x 4 x i32>
  return
}

// -----

func.func @split_pad(%a: !obs.pull<8 x i32>, %z: f32) {
  // expected-error@+1 {{[element-types] the pad list has types ('f32') but ('i32') are needed}}
  %r = "obs.split"(%a, %z) <{operandSegmentSizes = array<i32: 1, 0, 1>, static_sizes = array<i64: 4>}> : (!obs.pull<8 x i32>, f32) -> !obs.pull<2 x !obs.pull<4 x i32>>
  return
}

// -----

func.func @join_odd(%a: !obs.pull<2 x 3 x 4 x i32>) {
  // expected-error@+1 {{[join-source] needs an array of arrays of its own rank, or an array of even rank}}
  %r = obs.join %a : !obs.pull<2 x 3 x 4 x i32> -> !obs.pull<24 x i32>
  return
}

// -----

func.func @transpose_twice(%a: !obs.pull<2 x 3 x i32>) {
  // expected-error@+1 {{[transpose-permutation] needs each of the 2 dimensions exactly once}}
  %r = obs.transpose %a [0, 0] : !obs.pull<2 x 3 x i32>
  return
}

// -----

func.func @get_indices(%a: !obs.pull<2 x 3 x i32>, %i: index) {
  // expected-error@+1 {{[get-indices] has 1 index for an array of rank 2; give one for each dimension, or read a row of an obs.nest of the array}}
  %x = obs.get %a[%i] : !obs.pull<2 x 3 x i32>
  return
}

// -----

// The error comes before the one on types of a row that is taken for an element.
func.func @get_row(%a: !obs.pull<? x 8 x i32>, %i: index) {
  // expected-error@+1 {{[get-indices] has 1 index for an array of rank 2; give one for each dimension, or read a row of an obs.nest of the array}}
  %row = obs.get %a[%i] : !obs.pull<? x 8 x i32>
  %p = obs.push %row : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  return
}

// -----

// The generic form, whose result type is given.
func.func @get_generic(%a: !obs.pull<2 x 3 x i32>, %i: index) {
  // expected-error@+1 {{[get-indices] has 1 index for an array of rank 2; give one for each dimension}}
  %x = "obs.get"(%a, %i) : (!obs.pull<2 x 3 x i32>, index) -> i32
  return
}

// -----

func.func @get_too_deep(%a: !obs.pull<8 x i32>, %i: index) {
  // expected-error@+1 {{[get-indices] has 2 indices for an array of rank 1; give one for each dimension}}
  %x = obs.get %a[%i, %i] : !obs.pull<8 x i32>
  return
}

// -----

func.func @table() {
  // expected-error@+1 {{[constant-size] is a table of more than 2^24 elements; compute them, or give them as an argument}}
  %a = obs.constant dense<3> : tensor<1000000000000xi32>
  return
}

// Rule R4: static extents agree.
// RUN: obs-opt %s --split-input-file --verify-diagnostics

func.func @map(%a: !obs.pull<8 x i32>, %b: !obs.pull<9 x i32>) {
  // expected-error@+1 {{[R4-extents] dimension 0 of an operand is 9 but that of the result is 8; the extents must agree}}
  %r = obs.map (%x = %a : !obs.pull<8 x i32>, %y = %b : !obs.pull<9 x i32>) -> !obs.pull<8 x i32> {
    obs.yield %x : i32
  }
  return
}

// -----

// The result says nothing, but the operands differ.
func.func @map_dynamic_result(%a: !obs.pull<8 x i32>, %b: !obs.pull<9 x i32>) {
  // expected-error@+1 {{[R4-extents] dimension 0 of an operand is 9 but that of the first operand is 8}}
  %r = obs.map (%x = %a : !obs.pull<8 x i32>, %y = %b : !obs.pull<9 x i32>) -> !obs.pull<? x i32> {
    obs.yield %x : i32
  }
  return
}

// -----

func.func @map_rank(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{[R4-extents] an operand has rank 1 but the result has rank 2}}
  %r = obs.map (%x = %a : !obs.pull<8 x i32>) -> !obs.pull<8 x 1 x i32> {
    obs.yield %x : i32
  }
  return
}

// -----

func.func @zip(%a: !obs.pull<8 x i32>, %b: !obs.pull<4 x i32>) {
  // expected-error@+1 {{[R4-extents] dimension 0 of an operand is 4 but that of the result is 8}}
  %r = obs.zip %a, %b : !obs.pull<8 x i32>, !obs.pull<4 x i32>
  return
}

// -----

func.func @push(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{[R4-extents] dimension 0 of the operand is 8 but that of the result is 4}}
  %p = obs.push %a : !obs.pull<8 x i32> -> !obs.push<grid, 4 x i32>
  return
}

// -----

func.func @bound(%a: !obs.pull<? x i32 bound [8]>) {
  // expected-error@+1 {{[R4-extents] dimension 0 of the operand is at most 8 but that of the result is 9}}
  %p = obs.push %a : !obs.pull<? x i32 bound [8]> -> !obs.push<grid, 9 x i32>
  return
}

// -----

func.func @view(%m: memref<8xf32>, %n: memref<9xf32>) {
  // expected-error@+1 {{[R4-extents] memrefs of one view have one shape, but 'memref<9xf32>' and 'memref<8xf32>' differ}}
  %a = obs.view %m, %n : memref<8xf32>, memref<9xf32>
  return
}

// -----

func.func @slice(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{[R4-extents] dimension 0 of the result is 3 but its size gives 4; write 4 or ?}}
  %r = obs.slice %a [0] [4] [1] : !obs.pull<8 x i32> -> !obs.pull<3 x i32>
  return
}

// -----

func.func @slice_rank(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{[R4-extents] keeps the rank, 1; the result has rank 2}}
  %r = obs.slice %a [0] [4] [1] : !obs.pull<8 x i32> -> !obs.pull<4 x 1 x i32>
  return
}

// -----

// The last element that this reads is number 1 + 3 * 2.
func.func @slice_range(%a: !obs.pull<7 x i32>) {
  // expected-error@+1 {{[R4-range] reads element 7 of dimension 0, which has 7; the part must lie within the source}}
  %r = obs.slice %a [1] [4] [2] : !obs.pull<7 x i32> -> !obs.pull<4 x i32>
  return
}

// -----

func.func @take(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{[R4-range] takes 9 elements of dimension 0, which has 8; take no more than there are}}
  %r = obs.take %a [9] : !obs.pull<8 x i32> -> !obs.pull<9 x i32>
  return
}

// -----

func.func @take_result(%a: !obs.push<grid, 8 x i32>) {
  // expected-error@+1 {{[R4-extents] dimension 0 of the result is 5 but its count gives 4}}
  %r = obs.take %a [4] : !obs.push<grid, 8 x i32> -> !obs.push<grid, 5 x i32>
  return
}

// -----

func.func @take_rank(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{[R4-extents] keeps the rank, 1; the result has rank 2}}
  %r = obs.take %a [4] : !obs.pull<8 x i32> -> !obs.pull<4 x 1 x i32>
  return
}

// -----

func.func @split_remainder(%a: !obs.pull<10 x i32>) {
  // expected-error@+1 {{[R4-split] chunks of 4 do not divide the extent 10; give a pad value for elements past the end}}
  %r = obs.split %a by [4] : !obs.pull<10 x i32> -> !obs.pull<3 x !obs.pull<4 x i32>>
  return
}

// -----

func.func @split_count(%a: !obs.pull<10 x i32>, %z: i32) {
  // expected-error@+1 {{[R4-extents] dimension 0 of the result is 2 but the number of chunks gives 3}}
  %r = obs.split %a by [4] pad %z : !obs.pull<10 x i32> -> !obs.pull<2 x !obs.pull<4 x i32>>
  return
}

// -----

func.func @split_size(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{[R4-extents] dimension 0 of the result is 2 but the chunk size gives 4}}
  %r = obs.split %a by [4] : !obs.pull<8 x i32> -> !obs.pull<2 x !obs.pull<2 x i32>>
  return
}

// -----

func.func @join(%a: !obs.push<grid, 3 x 4 x i32>) {
  // expected-error@+1 {{[R4-extents] dimension 0 of the result is 10 but gluing the chunks gives 12}}
  %r = obs.join %a : !obs.push<grid, 3 x 4 x i32> -> !obs.push<grid, 10 x i32>
  return
}

// -----

func.func @join_past_end(%a: !obs.push<grid, 3 x 4 x i32>) {
  // expected-error@+1 {{[R4-range] cannot give 13 elements in dimension 0; the chunks have 12}}
  %r = obs.join %a to [13] : !obs.push<grid, 3 x 4 x i32> -> !obs.push<grid, 13 x i32>
  return
}

// -----

func.func @join_rank(%a: !obs.pull<3 x 4 x i32>) {
  // expected-error@+1 {{[R4-extents] gives rank 1 but the result has rank 2}}
  %r = obs.join %a : !obs.pull<3 x 4 x i32> -> !obs.pull<12 x 1 x i32>
  return
}

// -----

func.func @reshape(%a: !obs.pull<12 x f32>) {
  // expected-error@+1 {{[R4-size] the source has 12 elements but the result has 10; a reshape keeps their number}}
  %r = obs.reshape %a : !obs.pull<12 x f32> -> !obs.pull<2 x 5 x f32>
  return
}

// -----

func.func @concat(%a: !obs.pull<3 x i32>, %b: !obs.pull<4 x i32>) {
  // expected-error@+1 {{[R4-extents] dimension 0 of the result is 8 but the sum of the operands gives 7}}
  %r = obs.concat %a, %b : !obs.pull<3 x i32>, !obs.pull<4 x i32> -> !obs.pull<8 x i32>
  return
}

// -----

func.func @concat_other(%a: !obs.pull<3 x 2 x i32>, %b: !obs.pull<3 x 4 x i32>) {
  // expected-error@+1 {{[R4-extents] dimension 1 differs among the operands and the result; only dimension 0 may}}
  %r = obs.concat %a, %b : !obs.pull<3 x 2 x i32>, !obs.pull<3 x 4 x i32> -> !obs.pull<6 x ? x i32>
  return
}

// -----

func.func @concat_rank(%a: !obs.pull<3 x 2 x i32>, %b: !obs.pull<3 x i32>) {
  // expected-error@+1 {{[R4-extents] an operand has rank 1 but the result has rank 2}}
  %r = obs.concat %a, %b : !obs.pull<3 x 2 x i32>, !obs.pull<3 x i32> -> !obs.pull<6 x 2 x i32>
  return
}

// -----

func.func @interleave(%a: !obs.pull<4 x i32>, %b: !obs.pull<4 x i32>) {
  // expected-error@+1 {{[R4-extents] dimension 0 of the result is 4 but interleaving the operands gives 8}}
  %r = obs.interleave %a, %b : !obs.pull<4 x i32>, !obs.pull<4 x i32> -> !obs.pull<4 x i32>
  return
}

// -----

func.func @interleave_unequal(%a: !obs.pull<4 x i32>, %b: !obs.pull<3 x i32>) {
  // expected-error@+1 {{[R4-extents] dimension 0 of an operand is 3 but that of the first operand is 4}}
  %r = obs.interleave %a, %b : !obs.pull<4 x i32>, !obs.pull<3 x i32> -> !obs.pull<7 x i32>
  return
}

// -----

func.func @distribute(%a: !obs.pull<4 x i32>, %b: !obs.pull<5 x i32>) {
  // expected-error@+1 {{[R4-extents] dimension 0 of an operand is 5 but that of the first operand is 4}}
  %q = obs.distribute thread (%x = %a : !obs.pull<4 x i32>, %y = %b : !obs.pull<5 x i32>) -> !obs.push<grid, 4 x 1 x i32> {
    %one = obs.splat %x : !obs.pull<1 x i32>
    %s = obs.push %one : !obs.pull<1 x i32> -> !obs.push<thread, 1 x i32>
    obs.yield %s : !obs.push<thread, 1 x i32>
  }
  return
}

// -----

func.func @yield_outer(%a: !obs.pull<4 x i32>) {
  %q = obs.distribute thread (%x = %a : !obs.pull<4 x i32>) -> !obs.push<grid, 5 x 1 x i32> {
    %one = obs.splat %x : !obs.pull<1 x i32>
    %s = obs.push %one : !obs.pull<1 x i32> -> !obs.push<thread, 1 x i32>
    // expected-error@+1 {{[R4-extents] dimension 0 of the result of the distribute does not agree with the extent of the parts}}
    obs.yield %s : !obs.push<thread, 1 x i32>
  }
  return
}

// -----

func.func @yield_inner(%a: !obs.pull<4 x i32>) {
  %q = obs.distribute thread (%x = %a : !obs.pull<4 x i32>) -> !obs.push<grid, 4 x 2 x i32> {
    %one = obs.splat %x : !obs.pull<1 x i32>
    %s = obs.push %one : !obs.pull<1 x i32> -> !obs.push<thread, 1 x i32>
    // expected-error@+1 {{[R4-extents] dimension 1 of the result of the distribute does not agree with the extent of the yielded array}}
    obs.yield %s : !obs.push<thread, 1 x i32>
  }
  return
}

// -----

func.func @yield_rank(%a: !obs.pull<4 x i32>) {
  %q = obs.distribute thread (%x = %a : !obs.pull<4 x i32>) -> !obs.push<grid, 4 x i32> {
    %one = obs.splat %x : !obs.pull<1 x i32>
    %s = obs.push %one : !obs.pull<1 x i32> -> !obs.push<thread, 1 x i32>
    // expected-error@+1 {{[R4-extents] the result of the distribute has rank 1 but 1 dimensions of parts and 1 of a part make 2}}
    obs.yield %s : !obs.push<thread, 1 x i32>
  }
  return
}

// -----

func.func @put(%h: !obs.push<grid, 9 x i32>) {
  %c0 = arith.constant 0 : index
  %p = obs.fill {
    // expected-error@+1 {{[R4-range] puts 9 elements into dimension 0 of a fill, which has 8}}
    obs.put %h at [%c0] : !obs.push<grid, 9 x i32>
  } : !obs.push<grid, 8 x i32>
  return
}

// -----

func.func @onto(%a: !obs.pull<9 x i32>) {
  // expected-error@+1 {{[R4-extents] dimension 0 of the array after onto is 9 but that of the result is 8}}
  %p = obs.fill onto %a : !obs.pull<9 x i32> {
  } : !obs.push<grid, 8 x i32>
  return
}

// -----

func.func @into(%p: !obs.push<grid, 8 x i32>, %m: memref<9xi32>) {
  // expected-error@+1 {{[R4-extents] dimension 0 of an array is 8 but that of its memref is 9}}
  %r = obs.force %p into %m : !obs.push<grid, 8 x i32> into memref<9xi32> -> !obs.pull<8 x i32>
  return
}

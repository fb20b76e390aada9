// Rules of collectives.
// RUN: obs-opt %s --split-input-file --verify-diagnostics

func.func @rank(%a: !obs.pull<4 x 4 x i32>, %x: i32) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[collective-rank] combines the elements of an array of rank 1, not 2; reshape it to rank 1, or distribute over its rows}}
  %0 = obs.reduce (%l, %r) = %a init %x : !obs.pull<4 x 4 x i32> -> i32 {
    obs.yield %l : i32
  }
  return
}

// -----

func.func @nested(%a: !obs.pull<4 x !obs.pull<4 x i32>>, %x: !obs.pull<4 x i32>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[R2-nested] the elements are arrays; join them first, or distribute over them}}
  %0 = obs.reduce (%l, %r) = %a init %x : !obs.pull<4 x !obs.pull<4 x i32>> -> !obs.pull<4 x i32> {
    obs.yield %l : !obs.pull<4 x i32>
  }
  return
}

// -----

func.func @init(%a: !obs.pull<4 x i32, f32>, %x: i32, %y: f32) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[element-types] the initial value has types ('f32', 'i32') but ('i32', 'f32') are needed}}
  %0:2 = "obs.reduce"(%a, %y, %x) ({
  ^bb0(%l: i32, %m: f32, %r: i32, %s: f32):
    obs.yield %l, %m : i32, f32
  }) : (!obs.pull<4 x i32, f32>, f32, i32) -> (i32, f32)
  return
}

// -----

func.func @result(%a: !obs.pull<4 x i32>, %x: i32) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[element-types] the result has types ('i64') but ('i32') are needed}}
  %0 = obs.reduce (%l, %r) = %a init %x : !obs.pull<4 x i32> -> i64 {
    obs.yield %l : i32
  }
  return
}

// -----

func.func @operator(%a: !obs.pull<4 x i32>, %x: i32) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[region-arguments] the arguments of the region have types ('i32'); ('i32', 'i32') are needed}}
  %0 = "obs.reduce"(%a, %x) ({
  ^bb0(%l: i32):
    obs.yield %l : i32
  }) : (!obs.pull<4 x i32>, i32) -> i32
  return
}

// -----

func.func @names(%a: !obs.pull<4 x i32, f32>, %x: i32, %y: f32) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{the array has 2 element types, so the operator takes 4 values, not 2}}
  %0:2 = obs.reduce (%l, %r) = %a init %x, %y : !obs.pull<4 x i32, f32> -> (i32, f32) {
    obs.yield %l, %r : i32, f32
  }
  return
}

// -----

func.func @yield(%a: !obs.pull<4 x i32>, %x: i32) attributes {obs.level = #obs.level<block>} {
  %0 = obs.reduce (%l, %r) = %a init %x : !obs.pull<4 x i32> -> i32 {
    // expected-error@+1 {{[yield-types] yields ('i32', 'i32') but obs.reduce needs ('i32')}}
    obs.yield %l, %r : i32, i32
  }
  return
}

// -----

func.func @grid(%a: !obs.pull<4 x i32>, %x: i32) {
  // expected-error@+1 {{[reduce-grid] stands at level grid, where its result is one array of one element, a push<grid, 1 x ...>; write obs.reduce grid, force the array, and get the element if the host needs it}}
  %0 = obs.reduce (%l, %r) = %a init %x : !obs.pull<4 x i32> -> i32 {
    obs.yield %l : i32
  }
  return
}

// -----

func.func @grid_two(%a: !obs.pull<4 x i32>, %x: i32) {
  // expected-error@+1 {{[reduce-grid] stands at level grid, where its result is one array of one element}}
  %0 = obs.reduce (%l, %r) = %a init %x : !obs.pull<4 x i32> -> !obs.push<grid, 2 x i32> {
    obs.yield %l : i32
  }
  return
}

// -----

func.func @grid_type(%a: !obs.pull<4 x i32>, %x: i32) {
  // expected-error@+1 {{[element-types] the result has types ('f32') but ('i32') are needed}}
  %0 = obs.reduce (%l, %r) = %a init %x : !obs.pull<4 x i32> -> !obs.push<grid, 1 x f32> {
    obs.yield %l : i32
  }
  return
}

// -----

func.func @level(%a: !obs.pull<4 x i32>, %x: i32) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[R1-level] stands in a region of level block but makes an array of level warp; use level block or move it into a distribute warp}}
  %0 = obs.scan inclusive (%l, %r) = %a init %x : !obs.pull<4 x i32> -> !obs.push<warp, 4 x i32> {
    obs.yield %l : i32
  }
  return
}

// -----

func.func @scalar(%a: !obs.pull<4 x i32>) {
  %0 = obs.map (%x = %a : !obs.pull<4 x i32>) -> !obs.pull<4 x i32> {
    // expected-error@+1 {{[R1-scalar] stands in a region that computes one element; move it out of the map, generate or reindex}}
    %1 = obs.scan inclusive (%l, %r) = %a init %x : !obs.pull<4 x i32> -> !obs.push<thread, 4 x i32> {
      obs.yield %l : i32
    }
    obs.yield %x : i32
  }
  return
}

// -----

func.func @extents(%a: !obs.pull<4 x i32>, %x: i32) {
  // expected-error@+1 {{[R4-extents] dimension 0 of the operand is 4 but that of the result is 5; the extents must agree}}
  %0 = obs.scan inclusive (%l, %r) = %a init %x : !obs.pull<4 x i32> -> !obs.push<grid, 5 x i32> {
    obs.yield %l : i32
  }
  return
}

// -----

func.func @total(%a: !obs.pull<4 x i32>, %x: i32) {
  // expected-error@+1 {{[element-types] the total has types ('i32', 'i32') but ('i32') are needed}}
  %0:3 = obs.scan inclusive (%l, %r) = %a init %x : !obs.pull<4 x i32> -> (!obs.push<grid, 4 x i32>, i32, i32) {
    obs.yield %l : i32
  }
  return
}

// -----

func.func @kind(%a: !obs.pull<4 x i32>, %x: i32) {
  // expected-error@+1 {{expected inclusive or exclusive}}
  %0 = obs.scan upward (%l, %r) = %a init %x : !obs.pull<4 x i32> -> !obs.push<grid, 4 x i32> {
    obs.yield %l : i32
  }
  return
}

// -----

func.func @segments(%a: !obs.pull<4 x i32>, %x: i32, %o: !obs.pull<4 x f32>) {
  // expected-error@+1 {{[segment-type] segments are an array of rank 1 of i1 (flags) or of integers or index (offsets), not '!obs.pull<4 x f32>'}}
  %0 = obs.segmented_scan inclusive (%l, %r) = %a init %x offsets %o : !obs.pull<4 x i32>, !obs.pull<4 x f32> -> !obs.push<grid, 4 x i32> {
    obs.yield %l : i32
  }
  return
}

// -----

func.func @keyword(%a: !obs.pull<4 x i32>, %x: i32, %o: !obs.pull<4 x i32>) {
  // expected-error@+1 {{flags are of type i1, and offsets of another integer type or index, but the segments are '!obs.pull<4 x i32>'}}
  %0 = obs.segmented_scan inclusive (%l, %r) = %a init %x flags %o : !obs.pull<4 x i32>, !obs.pull<4 x i32> -> !obs.push<grid, 4 x i32> {
    obs.yield %l : i32
  }
  return
}

// -----

func.func @flags(%a: !obs.pull<4 x i32>, %x: i32, %f: !obs.pull<5 x i1>) {
  // expected-error@+1 {{[R4-extents] dimension 0 of the operand is 4 but that of the flags is 5; the extents must agree}}
  %0 = obs.segmented_scan inclusive (%l, %r) = %a init %x flags %f : !obs.pull<4 x i32>, !obs.pull<5 x i1> -> !obs.push<grid, 4 x i32> {
    obs.yield %l : i32
  }
  return
}

// -----

func.func @offsets(%a: !obs.pull<4 x i32>, %x: i32, %o: !obs.pull<4 x i32>) {
  // expected-error@+1 {{[R4-extents] dimension 0 of the result is 4 but the number of offsets less one gives 3; write 3 or ?}}
  %0 = obs.segmented_reduce (%l, %r) = %a init %x offsets %o : !obs.pull<4 x i32>, !obs.pull<4 x i32> -> !obs.push<grid, 4 x i32> {
    obs.yield %l : i32
  }
  return
}

// -----

func.func @no_offsets(%a: !obs.pull<4 x i32>, %x: i32, %o: !obs.pull<0 x i32>) {
  // expected-error@+1 {{[segment-offsets] has no offsets; even without segments there is one, the end of the last one}}
  %0 = obs.segmented_reduce (%l, %r) = %a init %x offsets %o : !obs.pull<4 x i32>, !obs.pull<0 x i32> -> !obs.push<grid, 0 x i32> {
    obs.yield %l : i32
  }
  return
}

// -----

func.func @count(%a: !obs.pull<4 x i32>, %x: i32, %f: !obs.pull<4 x i1>) {
  // expected-error@+1 {{[dynamic-extents] has 0 extents in brackets but its result has 1 dynamic ones; give one index for each ?}}
  %0 = obs.segmented_reduce (%l, %r) = %a init %x flags %f : !obs.pull<4 x i32>, !obs.pull<4 x i1> -> !obs.push<grid, ? x i32> {
    obs.yield %l : i32
  }
  return
}

// -----

func.func @known(%a: !obs.pull<4 x i32>, %x: i32, %o: !obs.pull<4 x i32>, %n: index) {
  // expected-error@+1 {{[dynamic-extents] the number of segments follows from the offsets; drop the extents in brackets}}
  %0 = obs.segmented_reduce (%l, %r) = %a init %x offsets %o [%n] : !obs.pull<4 x i32>, !obs.pull<4 x i32> -> !obs.push<grid, ? x i32> {
    obs.yield %l : i32
  }
  return
}

// -----

func.func @scatter_unchecked(%a: !obs.pull<8 x i32>, %at: !obs.pull<8 x i32>) {
  // expected-error@+1 {{expected ':'}}
  %p = obs.scatter %a at %at disjoint unchecked : !obs.pull<8 x i32>, !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  return
}

// -----

func.func @difference(%a: !obs.pull<? x i32>, %z: i32) {
  // expected-error@+1 {{[collective-order] the operator is not associative: of 2 : i32, 3 : i32 and 5 : i32 it makes -6 : i32 from the left and 4 : i32 from the right; write an associative operator, or combine the elements one after the other: in scalar code, at level thread, or by the strategy sequential}}
  %p = obs.reduce grid { arith.subi } %a init %z : !obs.pull<? x i32>
  return
}

// -----

func.func @quotient(%a: !obs.pull<? x f32>, %z: f32) {
  // expected-error@+1 {{[collective-order] the operator is not associative: of 2.000000e+00 : f32, 3.000000e+00 : f32 and 5.000000e+00 : f32}}
  %p = obs.scan grid inclusive { arith.divf } %a init %z : !obs.pull<? x f32>
  return
}

// -----

// The constant is outside of the operator.
func.func @polynomial(%a: !obs.pull<? x f16>, %o: !obs.pull<4 x i32>, %z: f16) {
  %three = arith.constant 3.0 : f16
  // expected-error@+1 {{[collective-order]}}
  %p = obs.segmented_scan grid exclusive (%x, %y) = %a init %z offsets %o : !obs.pull<? x f16>, !obs.pull<4 x i32> {
    %m = arith.mulf %x, %three : f16
    %s = arith.addf %m, %y : f16
    obs.yield %s : f16
  }
  return
}

// -----

// The verifier looks at the operator after the rules of the operations in it.
func.func @body(%a: !obs.pull<? x i32>, %z: i32) {
  %p = obs.reduce grid (%x, %y) = %a init %z : !obs.pull<? x i32> {
    // expected-error@+1 {{op requires the same type for all operands and results}}
    %s = "arith.subi"(%x, %y) : (i32, i32) -> i64
    obs.yield %x : i32
  }
  return
}

// -----

func.func @matmul_rank(%a: !obs.pull<4 x f32>, %b: !obs.pull<4 x 4 x f32>, %x: f32) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[matmul-types] multiplies matrices of one number, whose batches have the same rank, not '!obs.pull<4 x f32>' and '!obs.pull<4 x 4 x f32>' to '!obs.push<block, 4 x 4 x f32>'}}
  %0 = obs.matmul %a, %b init %x : !obs.pull<4 x f32>, !obs.pull<4 x 4 x f32> -> !obs.push<block, 4 x 4 x f32>
  return
}

// -----

func.func @matmul_operands(%a: !obs.pull<4 x 4 x f16>, %b: !obs.pull<4 x 4 x bf16>, %x: f32) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[matmul-types] has operands of one type of numbers, and a result of this type or a wider one, not 'f16', 'bf16' and 'f32'}}
  %0 = obs.matmul %a, %b init %x : !obs.pull<4 x 4 x f16>, !obs.pull<4 x 4 x bf16> -> !obs.push<block, 4 x 4 x f32>
  return
}

// -----

func.func @matmul_narrow(%a: !obs.pull<4 x 4 x f32>, %x: f16) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[matmul-types] has operands of one type of numbers, and a result of this type or a wider one, not 'f32', 'f32' and 'f16'}}
  %0 = obs.matmul %a, %a init %x : !obs.pull<4 x 4 x f32>, !obs.pull<4 x 4 x f32> -> !obs.push<block, 4 x 4 x f16>
  return
}

// -----

func.func @matmul_half_and_half(%a: !obs.pull<4 x 4 x f16>, %x: bf16) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[matmul-types]}}
  %0 = obs.matmul %a, %a init %x : !obs.pull<4 x 4 x f16>, !obs.pull<4 x 4 x f16> -> !obs.push<block, 4 x 4 x bf16>
  return
}

// -----

func.func @matmul_inner(%a: !obs.pull<4 x 5 x f32>, %b: !obs.pull<4 x 4 x f32>, %x: f32) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[R4-extents] has as many columns of the left operand as rows of the right one, not 5 and 4}}
  %0 = obs.matmul %a, %b init %x : !obs.pull<4 x 5 x f32>, !obs.pull<4 x 4 x f32> -> !obs.push<block, 4 x 4 x f32>
  return
}

// -----

func.func @matmul_outer(%a: !obs.pull<4 x 4 x f32>, %x: f32) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[R4-extents]}}
  %0 = obs.matmul %a, %a init %x : !obs.pull<4 x 4 x f32>, !obs.pull<4 x 4 x f32> -> !obs.push<block, 4 x 5 x f32>
  return
}

// -----

func.func @matmul_batches(%a: !obs.pull<2 x 4 x 4 x f32>, %b: !obs.pull<3 x 4 x 4 x f32>, %x: f32) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[R4-extents] has operands with the same batches, not 2 and 3}}
  %0 = obs.matmul %a, %b init %x : !obs.pull<2 x 4 x 4 x f32>, !obs.pull<3 x 4 x 4 x f32> -> !obs.push<block, 2 x 4 x 4 x f32>
  return
}

// -----

func.func @matmul_ranks(%a: !obs.pull<2 x 4 x 4 x f32>, %b: !obs.pull<4 x 4 x f32>, %x: f32) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[matmul-types] multiplies matrices of one number}}
  %0 = obs.matmul %a, %b init %x : !obs.pull<2 x 4 x 4 x f32>, !obs.pull<4 x 4 x f32> -> !obs.push<block, 2 x 4 x 4 x f32>
  return
}

// -----

func.func @matmul_level(%a: !obs.pull<4 x 4 x f32>, %x: f32) attributes {obs.level = #obs.level<warp>} {
  // expected-error@+1 {{[R1-level]}}
  %0 = obs.matmul %a, %a init %x : !obs.pull<4 x 4 x f32>, !obs.pull<4 x 4 x f32> -> !obs.push<block, 4 x 4 x f32>
  return
}

// -----

func.func @mma_elements(%x: f16, %s: f32) attributes {obs.level = #obs.level<thread>} {
  // expected-error@+1 {{[mma-elements] has 8 elements of a, 4 of b, 4 of c and 4 of the result for each lane, not 4, 4, 4 and 4}}
  %d:4 = obs.mma(%x, %x, %x, %x) times (%x, %x, %x, %x) plus (%s, %s, %s, %s) : f16
  return
}

// -----

func.func @scan_exclusive_without_init(%a: !obs.pull<4 x i32>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[scan-init] has no initial value, but the first element of an exclusive scan and the total of an empty array are the initial value; add init, or make the scan inclusive without a total}}
  %0 = obs.scan block exclusive { arith.addi } %a : !obs.pull<4 x i32>
  return
}

// -----

func.func @scan_total_without_init(%a: !obs.pull<4 x i32>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[scan-init] has no initial value}}
  %0, %t = obs.scan block inclusive { arith.addi } %a total : !obs.pull<4 x i32>
  return
}

// -----

func.func @segmented_scan_exclusive_without_init(%a: !obs.pull<4 x i32>, %f: !obs.pull<4 x i1>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[scan-init] has no initial value}}
  %0 = obs.segmented_scan block exclusive { arith.addi } %a flags %f : !obs.pull<4 x i32>, !obs.pull<4 x i1>
  return
}

// -----

func.func @reduce_without_init(%a: !obs.pull<4 x i32>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{expected 'init'}}
  %0 = obs.reduce { arith.addi } %a : !obs.pull<4 x i32>
  return
}

// -----

func.func @scan_with_few_initial_values(%a: !obs.pull<4 x i32, i32>, %x: i32) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{the initial value}}
  %0 = "obs.scan"(%a, %x) <{level = #obs.level<block>}> ({
  ^bb0(%p: i32, %q: i32, %r: i32, %s: i32):
    obs.yield %p, %q : i32, i32
  }) : (!obs.pull<4 x i32, i32>, i32) -> !obs.push<block, 4 x i32, i32>
  return
}

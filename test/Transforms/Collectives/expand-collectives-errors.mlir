// RUN: obs-opt %s --obs-expand-collectives --split-input-file --verify-diagnostics

func.func @name(%a: !obs.pull<8 x i32>, %z: i32) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[strategy-name] 'rake' is not a strategy of this operation; use adjacent_tree, block_stride, halving_tree, lanes, raking, rows, sequential, warps}}
  %s = obs.reduce (%x, %y) = %a init %z {strategy = "rake"} : !obs.pull<8 x i32> -> i32 {
    obs.yield %x : i32
  }
  return
}

// -----

func.func @scan_name(%a: !obs.pull<8 x i32>, %z: i32) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[strategy-name] 'adjacent_tree' is not a strategy of this operation; use brent_kung, kogge_stone, raking, sequential, sklansky, warps}}
  %p = obs.scan inclusive (%x, %y) = %a init %z {strategy = "adjacent_tree"} : !obs.pull<8 x i32> -> !obs.push<block, 8 x i32> {
    obs.yield %x : i32
  }
  return
}

// -----

func.func @order(%a: !obs.pull<8 x i32>, %z: i32) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[strategy-order] strategy 'halving_tree' changes the order of the elements; mark the operation commutative if the operator is, or use adjacent_tree}}
  %s = obs.reduce (%x, %y) = %a init %z {strategy = "halving_tree"} : !obs.pull<8 x i32> -> i32 {
    obs.yield %x : i32
  }
  return
}

// -----

func.func @level(%a: !obs.pull<8 x i32>, %z: i32) attributes {obs.level = #obs.level<warp>} {
  // expected-error@+1 {{[strategy-level] strategy 'warps' works at level block and above, not at level warp; leave the choice to the compiler, or name another one}}
  %s = obs.reduce (%x, %y) = %a init %z {strategy = "warps"} : !obs.pull<8 x i32> -> i32 {
    obs.yield %x : i32
  }
  return
}

// -----

func.func @scalar(%a: !obs.pull<8 x !obs.pull<8 x i32>>, %z: i32) {
  %b = obs.map (%row = %a : !obs.pull<8 x !obs.pull<8 x i32>>) -> !obs.pull<8 x i32> {
    // expected-error@+1 {{[strategy-level] scalar code stores nothing, so its only strategy is sequential}}
    %s = obs.reduce (%x, %y) = %row init %z {strategy = "raking"} : !obs.pull<8 x i32> -> i32 {
      obs.yield %x : i32
    }
    obs.yield %s : i32
  }
  return
}

// -----

func.func @bound(%a: !obs.pull<? x i32>, %z: i32) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[R2-bounded] strategy 'adjacent_tree' stores the elements, but their number is not bounded; give the array a bound, as in ? x f32 bound [1024]}}
  %s = obs.reduce (%x, %y) = %a init %z {strategy = "adjacent_tree"} : !obs.pull<? x i32> -> i32 {
    obs.yield %x : i32
  }
  return
}

// -----

func.func @grid_scan(%a: !obs.pull<8 x i32>, %z: i32) {
  // expected-error@+1 {{[strategy-name] 'raking' is not a strategy of this operation at level grid; use one_pass, three_kernels}}
  %p = obs.scan inclusive (%x, %y) = %a init %z {strategy = "raking"} : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32> {
    obs.yield %x : i32
  }
  return
}

// -----

func.func @grid_reduce(%a: !obs.pull<8 x i32>, %z: i32) {
  // expected-error@+1 {{[strategy-name] 'warps' is not a strategy of this operation at level grid; use atomic, one_kernel, two_kernels}}
  %p = obs.reduce (%x, %y) = %a init %z {strategy = "warps"} : !obs.pull<8 x i32> -> !obs.push<grid, 1 x i32> {
    obs.yield %x : i32
  }
  return
}

// -----

func.func @no_atomic(%a: !obs.pull<8 x i32>, %z: i32) {
  // expected-error@+1 {{[strategy-atomic] strategy 'atomic' needs an operator that is one of addi, minsi, maxsi, minui, maxui, andi, ori, xori on i32 or i64, or addf on f32 or f64; use one_kernel}}
  %p = obs.reduce (%x, %y) = %a init %z {strategy = "atomic"} : !obs.pull<8 x i32> -> !obs.push<grid, 1 x i32> {
    obs.yield %x : i32
  }
  return
}

// -----

func.func @float_order(%a: !obs.pull<8 x f32>, %z: f32) {
  // expected-error@+1 {{[strategy-order] strategy 'atomic' changes the order of the elements; mark the operation commutative if the rounding of sums may depend on it, or use one_kernel}}
  %p = obs.reduce (%x, %y) = %a init %z {strategy = "atomic"} : !obs.pull<8 x f32> -> !obs.push<grid, 1 x f32> {
    %s = arith.addf %x, %y : f32
    obs.yield %s : f32
  }
  return
}

// -----

func.func @side_by_side(%a: !obs.pull<2 x !obs.pull<8 x i32>>, %z: i32) {
  %p = obs.distribute grid (%c = %a : !obs.pull<2 x !obs.pull<8 x i32>>) -> !obs.push<grid, 2 x 1 x i32> {
    // expected-error@+1 {{[collective-grid] stands in a distribute grid, but a collective by all blocks is not batched; use a segmented form over the joined array, or distribute block}}
    %s = obs.reduce (%x, %y) = %c init %z : !obs.pull<8 x i32> -> !obs.push<grid, 1 x i32> {
      obs.yield %x : i32
    }
    obs.yield %s : !obs.push<grid, 1 x i32>
  }
  return
}

// -----

func.func @compact_name(%a: !obs.pull<8 x i32>, %f: !obs.pull<8 x i1>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[strategy-name] 'halving_tree' is not a strategy of this operation}}
  %p, %n = obs.compact %a flags %f {strategy = "halving_tree"} : !obs.pull<8 x i32>, !obs.pull<8 x i1> -> !obs.push<block, 8 x i32>, !obs.push<block, 1 x index>
  return
}

// -----

func.func @rank_bound(%a: !obs.pull<? x i32>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[R2-bounded] stores the keys, but their number is not bounded; give the array a bound, as in ? x i32 bound [1024]}}
  %p, %n = obs.rank %a : !obs.pull<? x i32> -> !obs.push<block, ? x i32>, !obs.push<block, 8 x index>
  return
}

// -----

func.func @fetch_bound(%a: !obs.pull<? x i32>, %z: i32) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[R2-bounded] stores both results, but their extents are not bounded; give the arrays a bound, as in ? x i32 bound [1024]}}
  %p, %f = obs.scatter %a at %a init %z reduce(addi) fetch : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<block, 8 x i32>, !obs.push<block, ? x i32>
  return
}

// -----

func.func @copies_level(%a: !obs.pull<8 x i32>, %z: i32) attributes {obs.level = #obs.level<warp>} {
  // expected-error@+1 {{[strategy-name] 'per_warp' is not a strategy of such a scatter; use atomic, per_thread}}
  %p = obs.scatter %a at %a init %z reduce(addi) {strategy = "per_warp"} : !obs.pull<8 x i32>, !obs.pull<8 x i32> -> !obs.push<warp, 8 x i32>
  return
}

// -----

func.func @copies_fetch(%a: !obs.pull<8 x i32>, %z: i32) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[strategy-name] 'per_warp' is not a strategy of such a scatter; use atomic}}
  %p, %f = obs.scatter %a at %a init %z reduce(addi) fetch {strategy = "per_warp"} : !obs.pull<8 x i32>, !obs.pull<8 x i32> -> !obs.push<block, 8 x i32>, !obs.push<block, 8 x i32>
  return
}

// -----

func.func @copies_bound(%a: !obs.pull<? x i32>, %z: i32, %n: index) {
  // expected-error@+1 {{[R2-bounded] strategy 'per_block' stores copies of the result, but its extent is not bounded; give it a bound, as in ? x i32 bound [1024], or use atomic}}
  %p = obs.scatter %a at %a init %z reduce(addi) [%n] {strategy = "per_block"} : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  return
}

// -----

func.func private @sum(%x: i32, %y: i32) -> i32 {
  %s = arith.addi %x, %y : i32
  return %s : i32
}

func.func @function_copies(%a: !obs.pull<8 x i32>, %z: i32) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[strategy-name] 'per_block' is not a strategy of such a scatter; use atomic, per_thread, per_warp}}
  %p = obs.scatter %a at %a init %z reduce(@sum) {strategy = "per_block"} : !obs.pull<8 x i32>, !obs.pull<8 x i32> -> !obs.push<block, 32 x i32>
  return
}

// -----

func.func @fill_copies(%a: !obs.pull<8 x i32>, %z: i32) {
  %n = arith.constant 8 : index
  // expected-error@+1 {{[strategy-name] 'per_grid' is not a strategy of such a fill; use atomic, per_thread, per_warp, per_block}}
  %p = obs.fill init %z reduce(addi) par (%t) in (%n) {
    %x = obs.get %a[%t] : !obs.pull<8 x i32>
    obs.write %x at [%t] : i32
  } {strategy = "per_grid"} : !obs.push<grid, 8 x i32>
  return
}

// -----

func.func @fill_level(%a: !obs.pull<8 x i32>, %z: i32) attributes {obs.level = #obs.level<warp>} {
  %n = arith.constant 8 : index
  // expected-error@+1 {{[strategy-name] 'per_warp' is not a strategy of such a fill; use atomic, per_thread}}
  %p = obs.fill init %z reduce(addi) par (%t) in (%n) {
    %x = obs.get %a[%t] : !obs.pull<8 x i32>
    obs.write %x at [%t] : i32
  } {strategy = "per_warp"} : !obs.push<warp, 8 x i32>
  return
}

// -----

// A fill with two loops has no privatised copies.
func.func @fill_two_loops(%a: !obs.pull<8 x i32>, %z: i32) {
  %n = arith.constant 8 : index
  // expected-error@+1 {{[strategy-name] 'per_block' is not a strategy of such a fill; use atomic}}
  %p = obs.fill init %z reduce(addi) {
    obs.par (%t) in (%n) {
      obs.write %z at [%t] : i32
    }
    obs.par (%t) in (%n) {
      obs.write %z at [%t] : i32
    }
  } {strategy = "per_block"} : !obs.push<grid, 8 x i32>
  return
}

// -----

func.func @fill_disjoint(%a: !obs.pull<8 x i32>, %z: i32) {
  %n = arith.constant 8 : index
  // expected-error@+1 {{[strategy-name] 'per_block' is not a strategy of such a fill; use atomic}}
  %p = obs.fill init %z par (%t) in (%n) {
    %x = obs.get %a[%t] : !obs.pull<8 x i32>
    obs.write %x at [%t] : i32
  } {strategy = "per_block"} : !obs.push<grid, 8 x i32>
  return
}

// -----

func.func @fill_bound(%a: !obs.pull<8 x i32>, %z: i32, %m: index) {
  %n = arith.constant 8 : index
  // expected-error@+1 {{[R2-bounded] strategy 'per_block' stores copies of the result, but its extent is not bounded; give it a bound, as in ? x i32 bound [1024], or use atomic}}
  %p = obs.fill init %z reduce(addi) [%m] par (%t) in (%n) {
    %x = obs.get %a[%t] : !obs.pull<8 x i32>
    obs.write %x at [%t] : i32
  } {strategy = "per_block"} : !obs.push<grid, ? x i32>
  return
}

// -----

func.func private @sums(%a: i32, %b: i64, %c: i32, %d: i64) -> (i32, i64) {
  %x = arith.addi %a, %c : i32
  %y = arith.addi %b, %d : i64
  return %x, %y : i32, i64
}

func.func @long_strategy(%a: !obs.pull<8 x i32, i64>, %k: !obs.pull<8 x i32>, %x: i32, %y: i64) {
  // expected-error@+1 {{[strategy-name] 'per_block' is not a strategy for elements of 96 bits, for which there are no atomic operations; use per_thread}}
  %p = obs.scatter %a at %k init %x, %y reduce(@sums) {strategy = "per_block"} : !obs.pull<8 x i32, i64>, !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32, i64>
  return
}

// -----

func.func private @sums(%a: i32, %b: i64, %c: i32, %d: i64) -> (i32, i64) {
  %x = arith.addi %a, %c : i32
  %y = arith.addi %b, %d : i64
  return %x, %y : i32, i64
}

func.func @long_bound(%a: !obs.pull<8 x i32, i64>, %k: !obs.pull<8 x i32>, %x: i32, %y: i64, %n: index) {
  // expected-error@+1 {{[R2-bounded] stores a copy of the result for each thread, which combines elements of 96 bits there, but its extent is not bounded; give it a bound, as in ? x i32 bound [1024]}}
  %p = obs.scatter %a at %k init %x, %y reduce(@sums) [%n] : !obs.pull<8 x i32, i64>, !obs.pull<8 x i32> -> !obs.push<grid, ? x i32, i64>
  return
}

// -----

func.func private @sums(%a: i32, %b: i64, %c: i32, %d: i64) -> (i32, i64) {
  %x = arith.addi %a, %c : i32
  %y = arith.addi %b, %d : i64
  return %x, %y : i32, i64
}

func.func @long_room(%a: !obs.pull<8 x i32, i64>, %k: !obs.pull<8 x i32>, %x: i32, %y: i64) {
  // expected-error@+1 {{[R7-room] combines elements of 96 bits in a copy of the result for each thread, but one has 26000 bytes, and there is room for 16384; sort by key and reduce the segments, or use elements of at most 64 bits}}
  %p = obs.scatter %a at %k init %x, %y reduce(@sums) : !obs.pull<8 x i32, i64>, !obs.pull<8 x i32> -> !obs.push<grid, 2000 x i32, i64>
  return
}

// -----

func.func private @sums(%a: i32, %b: i64, %c: i32, %d: i64) -> (i32, i64) {
  %x = arith.addi %a, %c : i32
  %y = arith.addi %b, %d : i64
  return %x, %y : i32, i64
}

func.func @long_loops(%x: i32, %y: i64, %n: index) {
  // expected-error@+1 {{[R7-room] combines elements of 96 bits in copies for each thread, so it has rank 1 and is one loop of threads that writes; use such a fill, or elements of at most 64 bits that start from init or onto}}
  %p = obs.fill init %x, %y reduce(@sums) {
    obs.par (%t) in (%n) {
      obs.write %x, %y at [%t] : i32, i64
    }
    obs.par (%t) in (%n) {
      obs.write %x, %y at [%t] : i32, i64
    }
  } : !obs.push<grid, 8 x i32, i64>
  return
}

// -----

func.func private @sums(%a: i32, %b: i32, %c: i32, %d: i32) -> (i32, i32) {
  %x = arith.addi %a, %c : i32
  %y = arith.addi %b, %d : i32
  return %x, %y : i32, i32
}

func.func @words_bound(%a: !obs.pull<8 x i32, i32>, %k: !obs.pull<8 x i32>, %x: i32, %n: index) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[R2-bounded] combines elements of several types as one word, and stores the words, but their number is not bounded; give it a bound, as in ? x i32 bound [1024]}}
  %p = obs.scatter %a at %k init %x, %x reduce(@sums) [%n] : !obs.pull<8 x i32, i32>, !obs.pull<8 x i32> -> !obs.push<block, ? x i32, i32>
  return
}

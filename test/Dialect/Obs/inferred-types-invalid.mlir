// RUN: obs-opt %s --split-input-file --verify-diagnostics

func.func @no_level(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{expected the level of the result: thread, warp, block or grid}}
  %p = obs.push %a : !obs.pull<8 x i32>
  return
}

// -----

func.func @no_outer(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{expected 'in' and the level around}}
  %p = obs.distribute block (%x = %a : !obs.pull<8 x i32>) {
    obs.yield
  }
  return
}

// -----

func.func @other_level(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{[array-level] names level block but its result is '!obs.push<grid, 8 x i32>'; name the level of the result}}
  %p = obs.push block %a : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  return
}

// -----

func.func @wrong_level(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{[R1-level] stands in a region of level grid but makes an array of level block}}
  %p = obs.push block %a : !obs.pull<8 x i32>
  return
}

// -----

func.func @no_type(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{expected ':' and the type of the array}}
  %p = obs.map (%x = %a) {
    obs.yield %x : i32
  }
  return
}

// -----

func.func @no_array(%a: i32) {
  // expected-error@+1 {{expected a pull or push array type}}
  %p = obs.concat %a, %a : i32
  return
}

// -----

func.func @short_unknown(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{'arith.sitofp' cannot be a body of its own, because the type of its result does not follow from its operands}}
  %p = obs.map { arith.sitofp } %a : !obs.pull<8 x i32>
  return
}

// -----

func.func @short_operands(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{'arith.addi' op expected 2 operands, but found 1}}
  %p = obs.map { arith.addi } %a : !obs.pull<8 x i32>
  return
}

// -----

func.func @short_types(%a: !obs.pull<8 x f32>) {
  // expected-error@+1 {{operand #0 must be signless-integer-like}}
  %p = obs.map { arith.addi } %a, %a : !obs.pull<8 x f32>
  return
}

// -----

func.func @short_attribute(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{attribute 'overflowFlags' failed to satisfy constraint}}
  %p = obs.map { arith.addi {overflowFlags = 3 : i32} } %a, %a : !obs.pull<8 x i32>
  return
}

// -----

func.func @no_yield(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{[region-yield] the region must end with obs.yield}}
  %p = obs.map (%x = %a : !obs.pull<8 x i32>) {
  }
  return
}

// -----

func.func @segments(%a: !obs.pull<8 x i32>, %f: !obs.pull<8 x i1>, %z: i32) attributes {obs.level = #obs.level<warp>} {
  // expected-error@+1 {{[segment-extent] the number of segments does not follow from flags}}
  %p = obs.segmented_reduce warp { arith.addi } %a init %z flags %f : !obs.pull<8 x i32>, !obs.pull<8 x i1>
  return
}

// -----

func.func @level_of_reduce(%a: !obs.pull<8 x i32>, %z: i32) attributes {obs.level = #obs.level<warp>} {
  // expected-error@+1 {{[reduce-grid] makes an array at level grid only; its results here are scalars: drop the level}}
  %p = obs.reduce warp { arith.addi } %a init %z : !obs.pull<8 x i32>
  return
}

// -----

func.func @total(%a: !obs.pull<8 x i32>, %z: i32) attributes {obs.level = #obs.level<warp>} {
  // expected-error@+1 {{[scan-total] has a result for each component of the total if, and only if, it is marked total}}
  %p, %t = "obs.scan"(%a, %z) <{level = #obs.level<warp>}> ({
  ^bb0(%x: i32, %y: i32):
    obs.yield %x : i32
  }) : (!obs.pull<8 x i32>, i32) -> (!obs.push<warp, 8 x i32>, i32)
  return
}

// -----

func.func @too_large(%a: !obs.pull<? x i32>) {
  // expected-error@+1 {{[type-size]}}
  %t = obs.take %a [281474976710657] : !obs.pull<? x i32>
  return
}

// -----

func.func @unzip(%m: memref<8xf32>) {
  // expected-error@+1 {{expected a pull array type, not 'memref<8xf32>'}}
  %a = obs.unzip %m : memref<8xf32>
  return
}

// -----

func.func @get(%m: memref<8xf32>, %i: index) {
  // expected-error@+1 {{expected a pull array type, not 'memref<8xf32>'}}
  %a = obs.get %m[%i] : memref<8xf32>
  return
}

// -----

func.func @transpose(%m: memref<8xf32>) {
  // expected-error@+1 {{expected a pull or push array type, not 'memref<8xf32>'}}
  %a = obs.transpose %m [0] : memref<8xf32>
  return
}

// -----

func.func @short_unregistered(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{expected the full name of an operation, such as arith.addi}}
  %p = obs.map { arith.add } %a, %a : !obs.pull<8 x i32>
  return
}

// -----

func.func @short_dialect(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{expected the full name of an operation, such as arith.addi}}
  %p = obs.map { addi } %a, %a : !obs.pull<8 x i32>
  return
}

// -----

func.func @join_rank(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{[join-source] needs an array of arrays of its own rank, or an array of even rank, not '!obs.pull<8 x i32>'}}
  %p = obs.join %a : !obs.pull<8 x i32>
  return
}

// -----

func.func @no_list(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{expected '[' before a list of values and integers}}
  %p = obs.take %a : !obs.pull<8 x i32>
  return
}

// -----

func.func @no_entry(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{expected a value or an integer}}
  %p = obs.take %a [x] : !obs.pull<8 x i32>
  return
}

// -----

func.func @scalable(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{expected a value or an integer}}
  %p = obs.take %a [[4]] : !obs.pull<8 x i32>
  return
}

// -----

func.func @large_entry(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{integer value too large}}
  %p = obs.slice %a [0] [99999999999999999999] [1] : !obs.pull<8 x i32>
  return
}

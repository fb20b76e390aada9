// Rules for functions that combine writes.
// RUN: obs-opt %s --split-input-file --verify-diagnostics

func.func @missing(%x: i32, %n: index) {
  // expected-error@+1 {{[R7-operator] @none is not a function with one block}}
  %p = obs.fill init %x reduce(@none) par (%t) in (%n) {
    obs.write %x at [%t] : i32
  } : !obs.push<grid, 8 x i32>
  return
}

// -----

func.func private @external(i32, i32) -> i32

func.func @external_use(%x: i32, %n: index) {
  // expected-error@+1 {{[R7-operator] @external is not a function with one block}}
  %p = obs.fill init %x reduce(@external) par (%t) in (%n) {
    obs.write %x at [%t] : i32
  } : !obs.push<grid, 8 x i32>
  return
}

// -----

func.func private @add(%a: i64, %b: i64) -> i64 {
  %c = arith.addi %a, %b : i64
  return %c : i64
}

func.func @types(%x: i32, %n: index) {
  // expected-error@+1 {{[R7-operator] @add combines other elements; it has to be a function ('i32', 'i32') -> 'i32'}}
  %p = obs.fill init %x reduce(@add) par (%t) in (%n) {
    obs.write %x at [%t] : i32
  } : !obs.push<grid, 8 x i32>
  return
}

// -----

func.func private @choose(%a: i32, %b: i32) -> i32 {
  %c = arith.cmpi slt, %a, %b : i32
  // expected-note@+1 {{as here}}
  %d = scf.if %c -> i32 {
    scf.yield %a : i32
  } else {
    scf.yield %b : i32
  }
  return %d : i32
}

func.func @control(%x: i32, %n: index) {
  // expected-error@+1 {{[R7-operator] @choose is more than arithmetic on its arguments; write it without memory, arrays, calls and control flow}}
  %p = obs.fill init %x reduce(@choose) par (%t) in (%n) {
    obs.write %x at [%t] : i32
  } : !obs.push<grid, 8 x i32>
  return
}

// -----

func.func private @sub(%a: i32, %b: i32) -> i32 {
  %c = arith.subi %a, %b : i32
  return %c : i32
}

func.func @order(%x: i32, %n: index) {
  // expected-error@+1 {{[R7-order] @sub is not commutative: of 0 : i32 and 1 : i32 it makes -1 : i32, of 1 : i32 and 0 : i32 1 : i32; sort by key, or force first}}
  %p = obs.fill init %x reduce(@sub) par (%t) in (%n) {
    obs.write %x at [%t] : i32
  } : !obs.push<grid, 8 x i32>
  return
}

// -----

func.func private @mean(%a: f32, %b: f32) -> f32 {
  %half = arith.constant 0.5 : f32
  %c = arith.addf %a, %b : f32
  %d = arith.mulf %c, %half : f32
  return %d : f32
}

func.func @grouping(%x: f32, %n: index) {
  // expected-error@+1 {{[R7-order] @mean is not associative}}
  %p = obs.fill init %x reduce(@mean) par (%t) in (%n) {
    obs.write %x at [%t] : f32
  } : !obs.push<grid, 8 x f32>
  return
}

// -----

func.func private @first(%a: i32, %b: i32) -> i32 {
  return %a : i32
}

func.func @write(%x: i32, %n: index) {
  %p = obs.fill init %x par (%t) in (%n) {
    // expected-error@+1 {{[R7-order] @first is not commutative}}
    obs.write %x at [%t] {contract = #obs.contract<reduce>, kind = @first} : i32
  } : !obs.push<grid, 8 x i32>
  return
}

// -----

func.func private @first(%a: i32, %b: i32) -> i32 {
  return %a : i32
}

func.func @scatter(%a: !obs.pull<8 x i32>, %i: !obs.pull<8 x i32>, %x: i32) {
  // expected-error@+1 {{[R7-order] @first is not commutative}}
  %p = obs.scatter %a at %i init %x reduce(@first) : !obs.pull<8 x i32>, !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  return
}

// -----

func.func private @sum(%a: i32, %b: i32) -> i32 {
  %c = arith.addi %a, %b : i32
  return %c : i32
}

func.func @pairs(%x: i32, %y: f32, %n: index) {
  // expected-error@+1 {{[R7-operator] @sum combines other elements; it has to be a function ('i32', 'f32', 'i32', 'f32') -> ('i32', 'f32')}}
  %p = obs.fill init %x, %y reduce(@sum) par (%t) in (%n) {
    obs.write %x, %y at [%t] : i32, f32
  } : !obs.push<grid, 8 x i32, f32>
  return
}

// -----

// Of equal values the number of the one that comes first stays.
func.func private @least(%x: i32, %i: i32, %y: i32, %j: i32) -> (i32, i32) {
  %less = arith.cmpi slt, %y, %x : i32
  %v = arith.select %less, %y, %x : i32
  %k = arith.select %less, %j, %i : i32
  return %v, %k : i32, i32
}

func.func @ties(%a: !obs.pull<8 x i32, i32>, %i: !obs.pull<8 x i32>, %x: i32) {
  // expected-error@+1 {{[R7-order] @least is not commutative: of (0 : i32, 0 : i32) and (0 : i32, 6 : i32) it makes (0 : i32, 0 : i32), of (0 : i32, 6 : i32) and (0 : i32, 0 : i32) (0 : i32, 6 : i32); sort by key, or force first}}
  %p = obs.scatter %a at %i init %x, %x reduce(@least) : !obs.pull<8 x i32, i32>, !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32, i32>
  return
}

// -----

// A component that is not known does not hide one that is.
func.func private @unknown(%x: f32, %i: i32, %y: f32, %j: i32) -> (f32, i32) {
  %v = math.erf %x : f32
  return %v, %i : f32, i32
}

func.func @known(%a: !obs.pull<8 x f32, i32>, %i: !obs.pull<8 x i32>, %x: f32, %y: i32) {
  // expected-error@+1 {{[R7-order] @unknown is not commutative}}
  %p = obs.scatter %a at %i init %x, %y reduce(@unknown) : !obs.pull<8 x f32, i32>, !obs.pull<8 x i32> -> !obs.push<grid, 8 x f32, i32>
  return
}

// -----

func.func private @sums(%a: i32, %b: i32, %c: i32, %d: i32) -> (i32, i32) {
  %x = arith.addi %a, %c : i32
  %y = arith.addi %b, %d : i32
  return %x, %y : i32, i32
}

func.func @one_write(%x: i32, %n: index) {
  %p = obs.fill init %x, %x par (%t) in (%n) {
    // expected-error@+1 {{[R7-contract] a function combines elements of 2 types only if it is the kind of all writes; make it the kind of the fill}}
    obs.write %x, %x at [%t] {contract = #obs.contract<reduce>, kind = @sums} : i32, i32
  } : !obs.push<grid, 8 x i32, i32>
  return
}

// -----

func.func @index(%x: index, %n: index) {
  // expected-error@+1 {{[R7-kind] memory has no atomic operations on index; use elements of type i32 or i64}}
  %p = obs.fill init %x reduce(addi) par (%t) in (%n) {
    obs.write %x at [%t] : index
  } : !obs.push<grid, 8 x index>
  return
}

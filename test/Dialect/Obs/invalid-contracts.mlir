// Rule R7: operations on push arrays of which an element is written
// never or several times.
// RUN: obs-opt %s --split-input-file --verify-diagnostics

// The components of a pair could be from two different writes, so a map to
// pairs changes elements after all writes.
func.func @map_of_any(%z: i32, %n: index) {
  %p = obs.fill any par (%i) in (%n) {
    obs.write %z at [%i] : i32
  } : !obs.push<grid, 8 x i32>
  %q = obs.map (%x = %p : !obs.push<grid, 8 x i32>) -> !obs.push<grid, 8 x i32> {
    obs.yield %x : i32
  }
  // expected-error@+1 {{[R7-final] maps values that several writes may give, but elements without a write have no value; give the fill or scatter init or onto}}
  %r = obs.map (%x = %q : !obs.push<grid, 8 x i32>) -> !obs.push<grid, 8 x i32, i32> {
    obs.yield %x, %x : i32, i32
  }
  return
}

// -----

// A combined element that nobody writes has no value to change.
func.func @map_of_sum(%keys: !obs.pull<8 x index>, %c1: i32, %n: index) {
  %p = obs.fill reduce(addi) par (%i) in (%n) {
    %k = obs.get %keys[%i] : !obs.pull<8 x index>
    obs.write %c1 at [%k] : i32
  } : !obs.push<grid, 8 x i32>
  %q = obs.reverse %p : !obs.push<grid, 8 x i32>
  // expected-error@+1 {{[R7-final] maps values that several writes may give, but elements without a write have no value; give the fill or scatter init or onto}}
  %r = obs.map (%x = %q : !obs.push<grid, 8 x i32>) -> !obs.push<grid, 8 x i32> {
    obs.yield %x : i32
  }
  return
}

// -----

// Another program that runs it may leave elements out.
func.func @map_of_put(%z: i32, %n: index) {
  %p = obs.fill init %z reduce(addi) par (%i) in (%n) {
    obs.write %z at [%i] : i32
  } : !obs.push<grid, 8 x i32>
  %q = obs.fill {
    %c0 = arith.constant 0 : index
    obs.put %p at [%c0] : !obs.push<grid, 8 x i32>
  } : !obs.push<grid, 8 x i32>
  // expected-error@+1 {{[R7-final] maps values that several writes may give, but elements without a write}}
  %r = obs.map (%x = %q : !obs.push<grid, 8 x i32>) -> !obs.push<grid, 8 x i32> {
    obs.yield %x : i32
  }
  return
}

// -----

// Below level grid the combined elements need space.
func.func @map_of_unbounded(%z: i32, %n: index) attributes {obs.level = #obs.level<block>} {
  %p = obs.fill init %z reduce(addi) [%n] par (%i) in (%n) {
    obs.write %z at [%i] : i32
  } : !obs.push<block, ? x i32>
  // expected-error@+1 {{[R2-bounded] maps values that several writes may give, and stores them before, but their number is not bounded}}
  %r = obs.map (%x = %p : !obs.push<block, ? x i32>) -> !obs.push<block, ? x i32> {
    obs.yield %x : i32
  }
  return
}

// -----

func.func @map_of_argument(%p: !obs.push<grid, 8 x i32>) {
  // expected-error@+1 {{[R7-final] maps a push array whose program is not known; apply the map where the array is made}}
  %r = obs.map (%x = %p : !obs.push<grid, 8 x i32>) -> !obs.push<grid, 8 x i32> {
    obs.yield %x : i32
  }
  return
}

// -----

// A module has no order of definition, so arrays may be defined in a circle.
%p = obs.reverse %p : !obs.push<grid, 8 x i32>
// expected-error@+1 {{[R7-final] maps a push array whose program is not known; apply the map where the array is made}}
%r = obs.map (%x = %p : !obs.push<grid, 8 x i32>) -> !obs.push<grid, 8 x i32> {
  obs.yield %x : i32
}

// -----

func.func @any_of_pairs() {
  // expected-error@+1 {{[R7-contract] contract any is for one element of at most 64 bits, not for 2 element types; sort by key, or use several fills}}
  %p = obs.fill any {
  } : !obs.push<grid, 8 x i32, f32>
  return
}

// -----

// The operation combines each component.
func.func @reduce_of_pairs() {
  // expected-error@+1 {{[R7-kind] 'addi' combines integers, not 'f32'}}
  %p = obs.fill reduce(addi) {
  } : !obs.push<grid, 8 x i32, f32>
  return
}

// -----

func.func @unknown_kind() {
  // expected-error@+1 {{[R7-kind] 'subi' is not a commutative operation; use one of addi,}}
  %p = obs.fill reduce(subi) {
  } : !obs.push<grid, 8 x i32>
  return
}

// -----

// An atomic of upstream, but the last one wins: that is contract any.
func.func @assign() {
  // expected-error@+1 {{[R7-kind] 'assign' is not a commutative operation}}
  %p = obs.fill reduce(assign) {
  } : !obs.push<grid, 8 x i32>
  return
}

// -----

func.func @integers_by_float_kind() {
  // expected-error@+1 {{[R7-kind] 'addf' combines floats, not 'i32'}}
  %p = obs.fill reduce(addf) {
  } : !obs.push<grid, 8 x i32>
  return
}

// -----

func.func @floats_by_integer_kind() {
  // expected-error@+1 {{[R7-kind] 'maxs' combines integers, not 'f32'}}
  %p = obs.fill reduce(maxs) {
  } : !obs.push<grid, 8 x f32>
  return
}

// -----

func.func @contract_of_write(%x: i32, %n: index) {
  %p = obs.fill par (%i) in (%n) {
    // expected-error@+1 {{[R7-kind] 'mulf' combines floats, not 'i32'}}
    obs.write %x at [%i] {contract = #obs.contract<reduce>, kind = "mulf"} : i32
  } : !obs.push<grid, 8 x i32>
  return
}

// -----

func.func @kind_without_reduce(%x: i32, %n: index) {
  %p = obs.fill par (%i) in (%n) {
    // expected-error@+1 {{[contract-kind] has a kind exactly if its contract is reduce}}
    obs.write %x at [%i] {kind = "addi"} : i32
  } : !obs.push<grid, 8 x i32>
  return
}

// -----

func.func @reduce_without_kind() {
  // expected-error@+1 {{[contract-kind] has a kind exactly if its contract is reduce}}
  %p = "obs.fill"() <{contract = #obs.contract<reduce>, operandSegmentSizes = array<i32: 0, 0, 0>}> ({
  ^bb0:
  }) : () -> !obs.push<grid, 8 x i32>
  return
}

// -----

// Initial contents are no writes of their own.
func.func @put_of_initial(%x: i32) {
  %c0 = arith.constant 0 : index
  %p = obs.fill init %x {
  } : !obs.push<grid, 4 x i32>
  %r = obs.reverse %p : !obs.push<grid, 4 x i32>
  %q = obs.fill init %x reduce(addi) {
    // expected-error@+1 {{[R7-final] puts an array into a fill of contract reduce, which requires that each element is written once, but this array has initial contents or its own contract; force it first, and put a push of the result}}
    obs.put %r at [%c0] : !obs.push<grid, 4 x i32>
  } : !obs.push<grid, 8 x i32>
  return
}

// -----

func.func @put_of_combined(%x: i32) {
  %c0 = arith.constant 0 : index
  %p = obs.fill reduce(muli) {
  } : !obs.push<grid, 4 x i32>
  %q = obs.fill init %x any {
    // expected-error@+1 {{[R7-final] puts an array into a fill of contract any}}
    obs.put %p at [%c0] : !obs.push<grid, 4 x i32>
  } : !obs.push<grid, 8 x i32>
  return
}

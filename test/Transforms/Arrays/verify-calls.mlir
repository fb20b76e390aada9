// RUN: obs-opt %s --obs-verify-calls --split-input-file --verify-diagnostics

func.func private @f(i32) -> i32
func.func @g(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  %m = obs.map (%x = %a : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
    // expected-error@+1 {{'func.call' op [call-inline] calls 'f', which has no body}}
    %y = func.call @f(%x) : (i32) -> i32
    obs.yield %y : i32
  }
  return %m : !obs.pull<8 x i32>
}

// -----

func.func private @f(%x: i32) -> i32 {
  %c = arith.constant 0 : i32
  %b = arith.cmpi eq, %x, %c : i32
  cf.cond_br %b, ^x, ^y
^x:
  return %c : i32
^y:
  %d = arith.addi %x, %x : i32
  return %d : i32
}
func.func @a(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  %s = obs.map (%x = %a : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
    // expected-error@+1 {{[call-inline] calls 'f', which has branches between blocks; use scf.if, scf.for and scf.while there; array code calls functions that can be inlined}}
    %y = func.call @f(%x) : (i32) -> i32
    obs.yield %y : i32
  }
  return %s : !obs.pull<8 x i32>
}

// -----

func.func private @f(%x: i32) -> i32 {
  // expected-error@+1 {{[call-inline] calls 'f', which is recursive}}
  %y = func.call @f(%x) : (i32) -> i32
  return %y : i32
}
func.func @a(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  %s = obs.map (%x = %a : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
    // expected-note@+1 {{called from here}}
    %y = func.call @f(%x) : (i32) -> i32
    obs.yield %y : i32
  }
  return %s : !obs.pull<8 x i32>
}

// -----

// Through a function that could be inlined; a note says how the call is reached.

func.func private @even(%x: i32) -> i32 {
  // expected-note@+1 {{called from here}}
  %y = func.call @odd(%x) : (i32) -> i32
  return %y : i32
}
func.func private @odd(%x: i32) -> i32 {
  // expected-error@+1 {{[call-inline] calls 'even', which is recursive}}
  %y = func.call @even(%x) : (i32) -> i32
  return %y : i32
}
func.func private @level(%a: !obs.pull<8 x i32>) -> i32 attributes {obs.level = #obs.level<block>} {
  %c0 = arith.constant 0 : index
  %x = obs.get %a[%c0] : !obs.pull<8 x i32>
  // expected-note@+1 {{called from here}}
  %y = func.call @even(%x) : (i32) -> i32
  return %y : i32
}

// -----

// Arrays.

func.func private @arrays(!obs.pull<8 x i32>) -> !obs.pull<8 x i32>
func.func @host(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  // expected-error@+1 {{[call-inline] calls 'arrays', which has no body}}
  %b = func.call @arrays(%a) : (!obs.pull<8 x i32>) -> !obs.pull<8 x i32>
  return %b : !obs.pull<8 x i32>
}

// -----

// The level of the code is that of the function.

func.func private @of_block(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> attributes {obs.level = #obs.level<block>} {
  return %a : !obs.pull<8 x i32>
}
func.func @from_host(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
  // expected-error@+1 {{[call-inline] calls 'of_block', a function of level block, in code of level grid; distribute over units of its level; array code}}
  %b = func.call @of_block(%a) : (!obs.pull<8 x i32>) -> !obs.pull<8 x i32>
  return %b : !obs.pull<8 x i32>
}

// -----

// A function that is not known by its name, in scalar code of any depth.

func.func @indirect(%a: !obs.pull<8 x i32>, %f: (i32) -> i32) -> !obs.pull<8 x i32> {
  %m = obs.map (%x = %a : !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
    // expected-error@+1 {{[call-inline] calls a function that is not known by its name}}
    %y = func.call_indirect %f(%x) : (i32) -> i32
    obs.yield %y : i32
  }
  return %m : !obs.pull<8 x i32>
}

// -----

// Code of the host alone may call functions without a body.

func.func private @host_only(i32) -> i32
func.func @scalars(%x: i32) -> i32 {
  %y = func.call @host_only(%x) : (i32) -> i32
  return %y : i32
}

// -----

func.func @dimension(%a: memref<?xf32>) -> index {
  %c = arith.constant -1 : index
  // expected-error@+1 {{'memref.dim' op [memref-dim] asks for dimension -1 of memory that has 1 dimensions; the first is number 0}}
  %n = memref.dim %a, %c : memref<?xf32>
  return %n : index
}

// -----

// The two arrays are equal operations, and so are their reads, but a store is between them.
func.func @load(%n: i32) -> !obs.pull<8 x i32> {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : i32
  %r = obs.generate (%i) {
    %m = memref.alloca() : memref<8xi32>
    memref.store %n, %m[%c0] : memref<8xi32>
    // expected-note@+1 {{the array is made here}}
    %a = obs.generate (%j) {
      // expected-error@+1 {{'memref.load' op [load-memory] is in the function of an array, and the program changes the memory with stores; load before the array is made, or read an obs.view}}
      %x = memref.load %m[%c0] : memref<8xi32>
      obs.yield %x : i32
    } : !obs.pull<8 x i32>
    %u = obs.get %a[%i] : !obs.pull<8 x i32>
    memref.store %c5, %m[%c0] : memref<8xi32>
    %b = obs.generate (%j) {
      %x = memref.load %m[%c0] : memref<8xi32>
      obs.yield %x : i32
    } : !obs.pull<8 x i32>
    %v = obs.get %b[%i] : !obs.pull<8 x i32>
    %w = arith.addi %u, %v : i32
    obs.yield %w : i32
  } : !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}

// -----

// Nothing changes %m, and the load from %k is in the function that stores to it.
func.func @unchanged(%m: memref<8xi32>) -> !obs.pull<8 x i32> {
  %c0 = arith.constant 0 : index
  %r = obs.generate (%i) {
    %x = memref.load %m[%i] : memref<8xi32>
    %k = memref.alloca() : memref<1xi32>
    memref.store %x, %k[%c0] : memref<1xi32>
    %y = memref.load %k[%c0] : memref<1xi32>
    obs.yield %y : i32
  } : !obs.pull<8 x i32>
  return %r : !obs.pull<8 x i32>
}

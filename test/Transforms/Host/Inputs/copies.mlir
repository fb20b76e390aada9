// Arrays that are written onto, and arrays that are stored already.

!ints = !obs.pull<? x i32>
!pairs = !obs.pull<? x i32, i32>
!push = !obs.push<grid, ? x i32>

func.func private @reversed(%a: !ints) -> !ints {
  %r = obs.reverse %a : !ints
  %p = obs.push %r : !ints -> !push
  %f = obs.force %p {kernel = "reversed"} : !push -> !ints
  return %f : !ints
}

// Element i becomes 9.
func.func private @set(%x: !ints, %i: index) -> !ints {
  %c1 = arith.constant 1 : index
  %nine = arith.constant 9 : i32
  %n = obs.dim %x, 0 : !ints
  %at = arith.remui %i, %n : index
  %p = obs.fill onto %x : !ints [%n] par (%j) in (%c1) {
    obs.write %nine at [%at] : i32
  } : !push
  %f = obs.force %p {kernel = "set"} : !push -> !ints
  return %f : !ints
}

// Element 0 becomes the last one of y.
func.func private @first(%x: !ints, %y: !ints) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = obs.dim %x, 0 : !ints
  %last = arith.subi %n, %c1 : index
  %p = obs.fill onto %x : !ints [%n] par (%j) in (%c1) {
    %e = obs.get %y[%last] : !ints
    %s = arith.addi %e, %e : i32
    obs.write %s at [%c0] : i32
  } : !push
  %f = obs.force %p {kernel = "first"} : !push -> !ints
  return %f : !ints
}

// The first half is doubled.
func.func private @double(%x: !ints) -> !ints {
  %c2 = arith.constant 2 : index
  %n = obs.dim %x, 0 : !ints
  %m = arith.divui %n, %c2 : index
  %p = obs.fill onto %x : !ints [%n] par (%j) in (%m) {
    %e = obs.get %x[%j] : !ints
    %s = arith.addi %e, %e : i32
    obs.write %s at [%j] : i32
  } : !push
  %f = obs.force %p {kernel = "double"} : !push -> !ints
  return %f : !ints
}

// Every element but one gets the old value of its neighbour.
func.func private @shift(%x: !ints) -> !ints {
  %c1 = arith.constant 1 : index
  %n = obs.dim %x, 0 : !ints
  %m = arith.subi %n, %c1 : index
  %p = obs.fill onto %x : !ints [%n] par (%j) in (%m) {
    %k = arith.addi %j, %c1 : index
    %e = obs.get %x[%k] : !ints
    obs.write %e at [%j] : i32
  } : !push
  %f = obs.force %p {kernel = "shift"} : !push -> !ints
  return %f : !ints
}

func.func private @copy(%x: !ints, %y: !ints) -> (!ints, !ints) {
  %p = obs.push %x : !ints -> !push
  %q = obs.push %y : !ints -> !push
  %f, %g = obs.force %p, %q {kernel = "copy"} : !push, !push -> (!ints, !ints)
  return %f, %g : !ints, !ints
}

//===----------------------------------------------------------------------===//
// Written onto, in loops
//===----------------------------------------------------------------------===//

func.func @own(%a: !ints, %turns: index) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = func.call @reversed(%a) : (!ints) -> !ints
  %r = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %b) -> !ints {
    %f = func.call @set(%x, %i) : (!ints, index) -> !ints
    scf.yield %f : !ints
  }
  return %r : !ints
}

func.func @static(%a: !obs.pull<8 x i32>, %turns: index) -> !obs.pull<8 x i32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %nine = arith.constant 9 : i32
  %v = obs.reverse %a : !obs.pull<8 x i32>
  %q = obs.push %v : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  %b = obs.force %q {kernel = "reversed"} : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  %r = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %b) -> !obs.pull<8 x i32> {
    %at = arith.andi %i, %c7 : index
    %p = obs.fill onto %x : !obs.pull<8 x i32> par (%j) in (%c1) {
      obs.write %nine at [%at] : i32
    } : !obs.push<grid, 8 x i32>
    %f = obs.force %p {kernel = "set"} : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
    scf.yield %f : !obs.pull<8 x i32>
  }
  return %r : !obs.pull<8 x i32>
}

func.func @sums(%a: !ints, %turns: index) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %n = obs.dim %a, 0 : !ints
  %b = func.call @reversed(%a) : (!ints) -> !ints
  %r = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %b) -> !ints {
    %p = obs.fill onto %x : !ints reduce(addi) [%n] par (%j) in (%n) {
      %e = obs.get %a[%j] : !ints
      %k = arith.divui %j, %c3 : index
      obs.write %e at [%k] : i32
    } : !push
    %f = obs.force %p {kernel = "sums"} : !push -> !ints
    scf.yield %f : !ints
  }
  return %r : !ints
}

func.func @doubling(%a: !ints, %turns: index) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = func.call @reversed(%a) : (!ints) -> !ints
  %r = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %b) -> !ints {
    %f = func.call @double(%x) : (!ints) -> !ints
    scf.yield %f : !ints
  }
  return %r : !ints
}

// The argument stays as it is.
func.func @argument(%a: !ints, %turns: index) -> (!ints, !ints) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %a) -> !ints {
    %f = func.call @set(%x, %i) : (!ints, index) -> !ints
    %g = func.call @double(%f) : (!ints) -> !ints
    scf.yield %g : !ints
  }
  return %r, %a : !ints, !ints
}

func.func @shifted(%a: !ints, %turns: index) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = func.call @reversed(%a) : (!ints) -> !ints
  %r = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %b) -> !ints {
    %f = func.call @shift(%x) : (!ints) -> !ints
    scf.yield %f : !ints
  }
  return %r : !ints
}

// The array that the iteration before has written onto is needed, too.
func.func @before(%a: !ints, %turns: index) -> (!ints, !ints) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = func.call @reversed(%a) : (!ints) -> !ints
  %r:2 = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %b, %y = %a) -> (!ints, !ints) {
    %f = func.call @set(%x, %i) : (!ints, index) -> !ints
    scf.yield %f, %x : !ints, !ints
  }
  return %r#0, %r#1 : !ints, !ints
}

// Two arrays, each written onto with an element of the other one.
func.func @exchange(%a: !ints, %turns: index) -> (!ints, !ints) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = func.call @reversed(%a) : (!ints) -> !ints
  %c = func.call @double(%b) : (!ints) -> !ints
  %r:2 = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %b, %y = %c) -> (!ints, !ints) {
    %f = func.call @first(%x, %y) : (!ints, !ints) -> !ints
    %g = func.call @first(%y, %f) : (!ints, !ints) -> !ints
    scf.yield %g, %f : !ints, !ints
  }
  return %r#0, %r#1 : !ints, !ints
}

// One array in the first iteration, two later.
func.func @parting(%a: !ints, %turns: index) -> (!ints, !ints) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = func.call @reversed(%a) : (!ints) -> !ints
  %r:2 = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %b, %y = %b) -> (!ints, !ints) {
    %f = func.call @set(%x, %i) : (!ints, index) -> !ints
    %g = func.call @first(%y, %f) : (!ints, !ints) -> !ints
    scf.yield %f, %g : !ints, !ints
  }
  return %r#0, %r#1 : !ints, !ints
}

func.func @pairs(%a: !ints, %turns: index) -> (!ints, !ints) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = obs.dim %a, 0 : !ints
  %v = obs.reverse %a : !ints
  %z = obs.zip %a, %v : !ints, !ints
  %q = obs.push %z : !pairs -> !obs.push<grid, ? x i32, i32>
  %b = obs.force %q {kernel = "zipped"} : !obs.push<grid, ? x i32, i32> -> !pairs
  %r = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %b) -> !pairs {
    %at = arith.remui %i, %n : index
    %p = obs.fill onto %x : !pairs [%n] par (%j) in (%c1) {
      %e, %f = obs.get %x[%at] : !pairs
      obs.write %f, %f at [%at] : i32, i32
    } : !obs.push<grid, ? x i32, i32>
    %f = obs.force %p {kernel = "pair"} : !obs.push<grid, ? x i32, i32> -> !pairs
    scf.yield %f : !pairs
  }
  %s, %t = obs.unzip %r : !pairs
  return %s, %t : !ints, !ints
}

// In some iterations only.
func.func @sometimes(%a: !ints, %turns: index) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = func.call @reversed(%a) : (!ints) -> !ints
  %r = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %b) -> !ints {
    %low = arith.andi %i, %c1 : index
    %odd = arith.cmpi eq, %low, %c1 : index
    %y = scf.if %odd -> !ints {
      %f = func.call @set(%x, %i) : (!ints, index) -> !ints
      scf.yield %f : !ints
    } else {
      scf.yield %x : !ints
    }
    scf.yield %y : !ints
  }
  return %r : !ints
}

//===----------------------------------------------------------------------===//
// Written onto once
//===----------------------------------------------------------------------===//

func.func @once(%a: !ints) -> !ints {
  %b = func.call @reversed(%a) : (!ints) -> !ints
  %f = func.call @double(%b) : (!ints) -> !ints
  return %f : !ints
}

func.func @shifted_once(%a: !ints) -> !ints {
  %b = func.call @reversed(%a) : (!ints) -> !ints
  %f = func.call @shift(%b) : (!ints) -> !ints
  return %f : !ints
}

//===----------------------------------------------------------------------===//
// Stored already
//===----------------------------------------------------------------------===//

func.func @twice(%a: !ints) -> (!ints, !ints) {
  %z = arith.constant 0 : i32
  %p = obs.scan inclusive (%x, %y) = %a init %z : !ints -> !push {
    %s = arith.addi %x, %y : i32
    obs.yield %s : i32
  }
  %f = obs.force %p {kernel = "one"} : !push -> !ints
  %g = obs.force %p {kernel = "two"} : !push -> !ints
  return %f, %g : !ints, !ints
}

// The total is needed before the elements are.
func.func @early(%a: !ints) -> (!ints, i32) {
  %z = arith.constant 0 : i32
  %p, %t = obs.scan inclusive (%x, %y) = %a init %z : !ints -> (!push, i32) {
    %s = arith.addi %x, %y : i32
    obs.yield %s : i32
  }
  %u = arith.addi %t, %t : i32
  %f = obs.force %p {kernel = "scan"} : !push -> !ints
  return %f, %u : !ints, i32
}

func.func @fetch(%a: !ints) -> (!ints, !ints) {
  %z = arith.constant 0 : i32
  %c5 = arith.constant 5 : index
  %s, %f = obs.scatter %a at %a init %z reduce(addi) [%c5] fetch : !ints, !ints -> !push, !push
  %x, %y = obs.force %s, %f {kernel = "fetch"} : !push, !push -> (!ints, !ints)
  return %x, %y : !ints, !ints
}

// The caller may change the argument, which is why it is copied.
func.func @copied(%a: !ints) -> (!ints, !ints) {
  %b = func.call @reversed(%a) : (!ints) -> !ints
  %f, %g = func.call @copy(%a, %b) : (!ints, !ints) -> (!ints, !ints)
  return %f, %g : !ints, !ints
}

// Two names of one array: a write onto one leaves the other one alone.
func.func @changed(%a: !ints, %turns: index) -> (!ints, !ints, !ints) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = func.call @reversed(%a) : (!ints) -> !ints
  %f, %g = func.call @copy(%b, %b) : (!ints, !ints) -> (!ints, !ints)
  %h = func.call @double(%f) : (!ints) -> !ints
  %r = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %g) -> !ints {
    %s = func.call @set(%x, %i) : (!ints, index) -> !ints
    scf.yield %s : !ints
  }
  return %g, %h, %r : !ints, !ints, !ints
}

// Memory that is written again is no result.
func.func @reused(%a: !ints) -> (!ints, !ints) {
  %n = obs.dim %a, 0 : !ints
  %m = memref.alloc(%n) : memref<?xi32>
  %v = obs.reverse %a : !ints
  %p = obs.push %v : !ints -> !push
  %b = obs.force %p into %m {kernel = "reversed"} : !push into memref<?xi32> -> !ints
  %q = obs.push %b : !ints -> !push
  %f = obs.force %q {kernel = "copy"} : !push -> !ints
  %o = obs.push %a : !ints -> !push
  %c = obs.force %o into %m {kernel = "again"} : !push into memref<?xi32> -> !ints
  %s = obs.push %c : !ints -> !push
  %g = obs.force %s {kernel = "last"} : !push -> !ints
  return %f, %g : !ints, !ints
}

// Loops that carry several arrays, or arrays of another length in each iteration.

!ints = !obs.pull<? x i32>

func.func private @add(%x: !ints, %y: !ints) -> !ints {
  %m = obs.map (%p = %x : !ints, %q = %y : !ints) -> !ints {
    %s = arith.addi %p, %q : i32
    obs.yield %s : i32
  }
  %p = obs.push %m : !ints -> !obs.push<grid, ? x i32>
  %f = obs.force %p {kernel = "add"} : !obs.push<grid, ? x i32> -> !ints
  return %f : !ints
}

// x[i] + y[n - 1 - i]: no kernel in place.
func.func private @mirrored(%x: !ints, %y: !ints) -> !ints {
  %r = obs.reverse %y : !ints
  %f = func.call @add(%x, %r) : (!ints, !ints) -> !ints
  return %f : !ints
}

// Fibonacci numbers: the sum takes the place of the older one.
func.func @fibonacci(%a: !ints, %turns: index) -> (!ints, !ints, !ints) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %a, %y = %a) -> (!ints, !ints) {
    %f = func.call @add(%x, %y) : (!ints, !ints) -> !ints
    scf.yield %f, %x : !ints, !ints
  }
  return %r#0, %r#1, %a : !ints, !ints, !ints
}

// Both arrays are read elsewhere, too: three buffers alternate.
func.func @leapfrog(%a: !ints, %turns: index) -> (!ints, !ints, !ints) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %a, %y = %a) -> (!ints, !ints) {
    %f = func.call @mirrored(%x, %y) : (!ints, !ints) -> !ints
    scf.yield %f, %x : !ints, !ints
  }
  return %r#0, %r#1, %a : !ints, !ints, !ints
}

// The last three, until the host has seen enough.
func.func @three(%a: !ints, %limit: i32) -> (!ints, !ints) {
  %c0 = arith.constant 0 : index
  %r:3 = scf.while (%x = %a, %y = %a, %z = %a) : (!ints, !ints, !ints) -> (!ints, !ints, !ints) {
    %e = obs.get %x[%c0] : !ints
    %go = arith.cmpi slt, %e, %limit : i32
    scf.condition(%go) %x, %y, %z : !ints, !ints, !ints
  } do {
  ^bb0(%x: !ints, %y: !ints, %z: !ints):
    %f = func.call @mirrored(%x, %z) : (!ints, !ints) -> !ints
    scf.yield %f, %x, %y : !ints, !ints, !ints
  }
  return %r#0, %r#1 : !ints, !ints
}

// In an inner loop, which now and then goes another way.
func.func @inner(%a: !ints, %turns: index) -> (!ints, !ints) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r:2 = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %a, %y = %a) -> (!ints, !ints) {
    %s:2 = scf.for %j = %c0 to %i step %c1 iter_args(%v = %x, %w = %y) -> (!ints, !ints) {
      %f = func.call @mirrored(%v, %w) : (!ints, !ints) -> !ints
      scf.yield %f, %v : !ints, !ints
    }
    %odd = arith.remui %i, %c3 : index
    %is = arith.cmpi eq, %odd, %c1 : index
    %t:2 = scf.if %is -> (!ints, !ints) {
      scf.yield %s#1, %s#0 : !ints, !ints
    } else {
      %f = func.call @mirrored(%s#0, %s#1) : (!ints, !ints) -> !ints
      scf.yield %f, %s#0 : !ints, !ints
    }
    scf.yield %t#0, %t#1 : !ints, !ints
  }
  return %r#0, %r#1 : !ints, !ints
}

// The first half and the second one, added: half as many elements in each iteration.
func.func @halves(%a: !ints) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %r = scf.while (%x = %a) : (!ints) -> !ints {
    %n = obs.dim %x, 0 : !ints
    %go = arith.cmpi ugt, %n, %c1 : index
    scf.condition(%go) %x : !ints
  } do {
  ^bb0(%x: !ints):
    %n = obs.dim %x, 0 : !ints
    %n1 = arith.addi %n, %c1 : index
    %half = arith.divui %n1, %c2 : index
    %g = obs.generate (%i) [%half] {
      %j = arith.addi %i, %half : index
      %e = obs.get %x[%i] : !ints
      %is = arith.cmpi ult, %j, %n : index
      %o = scf.if %is -> i32 {
        %v = obs.get %x[%j] : !ints
        scf.yield %v : i32
      } else {
        scf.yield %zero : i32
      }
      %s = arith.addi %e, %o : i32
      obs.yield %s : i32
    } : !ints
    %p = obs.push %g : !ints -> !obs.push<grid, ? x i32>
    %f = obs.force %p {kernel = "halve"} : !obs.push<grid, ? x i32> -> !ints
    scf.yield %f : !ints
  }
  return %r : !ints
}

// Rows of Pascal's triangle: each is longer than the one before.
func.func @pascal(%one: !ints, %turns: index) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %r = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %one) -> !ints {
    %n = obs.dim %x, 0 : !ints
    %m = arith.addi %i, %c2 : index
    %g = obs.generate (%k) [%m] {
      %first = arith.cmpi eq, %k, %c0 : index
      %left = scf.if %first -> i32 {
        scf.yield %zero : i32
      } else {
        %j = arith.subi %k, %c1 : index
        %v = obs.get %x[%j] : !ints
        scf.yield %v : i32
      }
      %is = arith.cmpi ult, %k, %n : index
      %right = scf.if %is -> i32 {
        %v = obs.get %x[%k] : !ints
        scf.yield %v : i32
      } else {
        scf.yield %zero : i32
      }
      %s = arith.addi %left, %right : i32
      obs.yield %s : i32
    } : !ints
    %p = obs.push %g : !ints -> !obs.push<grid, ? x i32>
    %f = obs.force %p {kernel = "row"} : !obs.push<grid, ? x i32> -> !ints
    scf.yield %f : !ints
  }
  return %r : !ints
}

// Twice as long in each iteration: nothing is known before.
func.func @doubled(%a: !ints, %turns: index) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %a) -> !ints {
    %t = obs.concat %x, %x : !ints, !ints -> !ints
    %p = obs.push %t : !ints -> !obs.push<grid, ? x i32>
    %f = obs.force %p {kernel = "twice"} : !obs.push<grid, ? x i32> -> !ints
    scf.yield %f : !ints
  }
  return %r : !ints
}

// An array that lives on is not overwritten: the inner loop begins with it, and goes on in other buffers.
func.func @kept(%a: !ints, %turns: index) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %a) -> !ints {
    %s = scf.for %j = %c0 to %i step %c1 iter_args(%v = %x) -> !ints {
      %w = func.call @mirrored(%v, %v) : (!ints, !ints) -> !ints
      scf.yield %w : !ints
    }
    %f = func.call @mirrored(%s, %x) : (!ints, !ints) -> !ints
    scf.yield %f : !ints
  }
  return %r : !ints
}

// The host looks at an element in each iteration.
func.func @looks(%a: !ints, %turns: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %r:2 = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %a, %sum = %zero) -> (!ints, i32) {
    %f = func.call @add(%x, %x) : (!ints, !ints) -> !ints
    %e = obs.get %f[%c0] : !ints
    %s = arith.addi %sum, %e : i32
    scf.yield %f, %s : !ints, i32
  }
  return %r#1 : i32
}

// A branch where a loop only exchanges arrays: no kernel runs that loop again for each element that it reads.
func.func @exchanged(%a: !ints, %turns: index) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %b = func.call @add(%a, %a) : (!ints, !ints) -> !ints
  %many = arith.cmpi ult, %turns, %c4 : index
  %r = scf.if %many -> !ints {
    %s:2 = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %a, %y = %b) -> (!ints, !ints) {
      scf.yield %y, %x : !ints, !ints
    }
    scf.yield %s#0 : !ints
  } else {
    scf.yield %a : !ints
  }
  %f = func.call @mirrored(%r, %a) : (!ints, !ints) -> !ints
  return %f : !ints
}

// Diagonals of a square: they grow, and then they shrink, but no longer than the side.
func.func @diagonals(%a: !ints, %n: index) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n2 = arith.muli %n, %c2 : index
  %end = arith.subi %n2, %c1 : index
  %r = scf.for %d = %c0 to %end step %c1 iter_args(%x = %a) -> !ints {
    %m = obs.dim %x, 0 : !ints
    %up = arith.addi %d, %c1 : index
    %down = arith.subi %n2, %up : index
    %length = arith.minsi %up, %down : index
    %g = obs.generate (%i) [%length] {
      %j = arith.remui %i, %m : index
      %e = obs.get %x[%j] : !ints
      %one = arith.constant 1 : i32
      %s = arith.addi %e, %one : i32
      obs.yield %s : i32
    } : !ints
    %p = obs.push %g : !ints -> !obs.push<grid, ? x i32>
    %f = obs.force %p {kernel = "diagonal"} : !obs.push<grid, ? x i32> -> !ints
    scf.yield %f : !ints
  }
  return %r : !ints
}

// For n below 3 the difference n - 3 wraps around: the new array has 8 elements, and is the longer one.
func.func @cut(%a: !ints, %turns: index) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %r = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %a) -> !ints {
    %n = obs.dim %x, 0 : !ints
    %less = arith.subi %n, %c3 : index
    %m = arith.minui %less, %c8 : index
    %g = obs.generate (%k) [%m] {
      %j = arith.remui %k, %n : index
      %e = obs.get %x[%j] : !ints
      obs.yield %e : i32
    } : !ints
    %p = obs.push %g : !ints -> !obs.push<grid, ? x i32>
    %f = obs.force %p {kernel = "cut"} : !obs.push<grid, ? x i32> -> !ints
    scf.yield %f : !ints
  }
  return %r : !ints
}

// Arrays that loops carry.

!ints = !obs.pull<? x i32>

func.func private @twice(%a: !ints) -> !ints {
  %m = obs.map (%x = %a : !ints) -> !ints {
    %y = arith.addi %x, %x : i32
    obs.yield %y : i32
  }
  %p = obs.push %m : !ints -> !obs.push<grid, ? x i32>
  %f = obs.force %p {kernel = "twice"} : !obs.push<grid, ? x i32> -> !ints
  return %f : !ints
}

// Each element to the next index, around the end.
func.func private @turn(%a: !ints) -> !ints {
  %c1 = arith.constant 1 : index
  %n = obs.dim %a, 0 : !ints
  %r = obs.reindex (%i) = %a [%n] {
    %j = arith.addi %i, %c1 : index
    %k = arith.remui %j, %n : index
    obs.yield %k : index
  } : !ints -> !ints
  %p = obs.push %r : !ints -> !obs.push<grid, ? x i32>
  %f = obs.force %p {kernel = "turn"} : !obs.push<grid, ? x i32> -> !ints
  return %f : !ints
}

// One buffer, which the first iteration writes: the argument stays.
func.func @maps(%a: !ints, %turns: index) -> (!ints, !ints) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %a) -> !ints {
    %y = func.call @twice(%x) : (!ints) -> !ints
    scf.yield %y : !ints
  }
  return %r, %a : !ints, !ints
}

// The array that the loop begins with is enough.
func.func @own_maps(%a: !ints, %turns: index) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = func.call @turn(%a) : (!ints) -> !ints
  %r = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %b) -> !ints {
    %y = func.call @twice(%x) : (!ints) -> !ints
    scf.yield %y : !ints
  }
  return %r : !ints
}

// Two buffers alternate.
func.func @turns(%a: !ints, %turns: index) -> (!ints, !ints) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %a) -> !ints {
    %y = func.call @turn(%x) : (!ints) -> !ints
    scf.yield %y : !ints
  }
  return %r, %a : !ints, !ints
}

// Two, of which the loop begins with one.
func.func @own_turns(%a: !ints, %turns: index) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = func.call @twice(%a) : (!ints) -> !ints
  %r = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %b) -> !ints {
    %y = func.call @turn(%x) : (!ints) -> !ints
    scf.yield %y : !ints
  }
  return %r : !ints
}

// A loop in a loop, and branches, of which one does nothing: still two.
func.func @nested(%a: !ints, %turns: index) -> (!ints, !ints) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %a) -> !ints {
    %z = scf.for %j = %c0 to %i step %c1 iter_args(%y = %x) -> !ints {
      %odd = arith.andi %j, %c1 : index
      %is = arith.cmpi eq, %odd, %c1 : index
      %w = scf.if %is -> !ints {
        %v = func.call @turn(%y) : (!ints) -> !ints
        scf.yield %v : !ints
      } else {
        scf.yield %y : !ints
      }
      scf.yield %w : !ints
    }
    %u = func.call @turn(%z) : (!ints) -> !ints
    scf.yield %u : !ints
  }
  return %r, %a : !ints, !ints
}

// Until the first element is large.
func.func @until(%a: !ints, %limit: i32) -> (!ints, i32) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r:2 = scf.while (%x = %a, %k = %zero) : (!ints, i32) -> (!ints, i32) {
    %e = obs.get %x[%c0] : !ints
    %go = arith.cmpi slt, %e, %limit : i32
    scf.condition(%go) %x, %k : !ints, i32
  } do {
  ^bb0(%y: !ints, %k: i32):
    %z = func.call @turn(%y) : (!ints) -> !ints
    %l = arith.addi %k, %one : i32
    scf.yield %z, %l : !ints, i32
  }
  return %r#0, %r#1 : !ints, i32
}

// Both the last array and the one before it are carried. The sum replaces the latter.
func.func @history(%a: !ints, %turns: index) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %a, %y = %a) -> (!ints, !ints) {
    %m = obs.map (%p = %x : !ints, %q = %y : !ints) -> !ints {
      %s = arith.addi %p, %q : i32
      obs.yield %s : i32
    }
    %p = obs.push %m : !ints -> !obs.push<grid, ? x i32>
    %f = obs.force %p {kernel = "add"} : !obs.push<grid, ? x i32> -> !ints
    scf.yield %f, %x : !ints, !ints
  }
  return %r#0 : !ints
}

// An array that only one iteration needs is allocated once.
func.func @scratch(%a: !ints, %turns: index) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %a) -> !ints {
    %y = func.call @turn(%x) : (!ints) -> !ints
    %m = obs.map (%p = %x : !ints, %q = %y : !ints) -> !ints {
      %s = arith.addi %p, %q : i32
      obs.yield %s : i32
    }
    %t = obs.reverse %m : !ints
    %p = obs.push %t : !ints -> !obs.push<grid, ? x i32>
    %f = obs.force %p {kernel = "add"} : !obs.push<grid, ? x i32> -> !ints
    scf.yield %f : !ints
  }
  return %r : !ints
}

// Arrays that shrink are no longer than the first one.
func.func @shrink(%a: !ints, %turns: index) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %a) -> !ints {
    %n = obs.dim %x, 0 : !ints
    %m = arith.subi %n, %c1 : index
    %t = obs.slice %x [1] [%m] [1] : !ints -> !ints
    %p = obs.push %t : !ints -> !obs.push<grid, ? x i32>
    %f = obs.force %p {kernel = "tail"} : !obs.push<grid, ? x i32> -> !ints
    scf.yield %f : !ints
  }
  return %r : !ints
}

// Without elements there are no iterations; memory for n - 1 elements is none then.
func.func @differences(%a: !ints) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = obs.dim %a, 0 : !ints
  %m = arith.subi %n, %c1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a) -> !ints {
    %front = obs.slice %x [0] [%m] [1] : !ints -> !ints
    %back = obs.slice %x [1] [%m] [1] : !ints -> !ints
    %d = obs.map (%p = %back : !ints, %q = %front : !ints) -> !ints {
      %s = arith.subi %p, %q : i32
      obs.yield %s : i32
    }
    %p = obs.push %d : !ints -> !obs.push<grid, ? x i32>
    %f = obs.force %p {kernel = "differ"} : !obs.push<grid, ? x i32> -> !ints
    %z = obs.generate (%j) [%n] {
      %l = arith.remui %j, %n : index
      %last = arith.cmpi eq, %l, %m : index
      %v = scf.if %last -> i32 {
        %zero = arith.constant 0 : i32
        scf.yield %zero : i32
      } else {
        %w = obs.get %f[%l] : !ints
        scf.yield %w : i32
      }
      obs.yield %v : i32
    } : !ints
    %u = obs.push %z : !ints -> !obs.push<grid, ? x i32>
    %g = obs.force %u {kernel = "fill"} : !obs.push<grid, ? x i32> -> !ints
    scf.yield %g : !ints
  }
  return %r : !ints
}

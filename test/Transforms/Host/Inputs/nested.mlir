// Loops in loops, where arrays live on, are carried twice, change places, or are parts.

!ints = !obs.pull<? x i32>

// x[i] + y[m - 1 - i mod m]: no kernel in place of y.
func.func private @mix(%x: !ints, %y: !ints, %n: index) -> !ints {
  %c1 = arith.constant 1 : index
  %k = obs.dim %x, 0 : !ints
  %m = obs.dim %y, 0 : !ints
  %last = arith.subi %m, %c1 : index
  %g = obs.generate (%i) [%n] {
    %p = arith.remui %i, %k : index
    %r = arith.remui %i, %m : index
    %q = arith.subi %last, %r : index
    %a = obs.get %x[%p] : !ints
    %b = obs.get %y[%q] : !ints
    %s = arith.addi %a, %b : i32
    obs.yield %s : i32
  } : !ints
  %p = obs.push %g : !ints -> !obs.push<grid, ? x i32>
  %f = obs.force %p {kernel = "mix"} : !obs.push<grid, ? x i32> -> !ints
  return %f : !ints
}

// The array that an inner loop begins with is read behind it; without iterations it is the result.
func.func @past_for(%a: !ints, %turns: index) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = obs.dim %a, 0 : !ints
  %r = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %a) -> !ints {
    %s = scf.for %j = %c0 to %i step %c1 iter_args(%v = %x) -> !ints {
      %w = func.call @mix(%v, %v, %n) : (!ints, !ints, index) -> !ints
      scf.yield %w : !ints
    }
    %f = func.call @mix(%s, %x, %n) : (!ints, !ints, index) -> !ints
    %g = func.call @mix(%f, %s, %n) : (!ints, !ints, index) -> !ints
    scf.yield %g : !ints
  }
  return %r : !ints
}

// Only the result lives on. It may be the array that the outer iteration began with.
func.func @past_while(%a: !ints, %turns: index) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = obs.dim %a, 0 : !ints
  %r = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %a) -> !ints {
    %end = arith.remui %i, %c2 : index
    %s:2 = scf.while (%v = %x, %j = %c0) : (!ints, index) -> (!ints, index) {
      %go = arith.cmpi ult, %j, %end : index
      scf.condition(%go) %v, %j : !ints, index
    } do {
    ^bb0(%v: !ints, %j: index):
      %w = func.call @mix(%v, %x, %n) : (!ints, !ints, index) -> !ints
      %next = arith.addi %j, %c1 : index
      scf.yield %w, %next : !ints, index
    }
    %f = func.call @mix(%x, %x, %n) : (!ints, !ints, index) -> !ints
    %g = func.call @mix(%f, %f, %n) : (!ints, !ints, index) -> !ints
    %h = func.call @mix(%g, %s#0, %n) : (!ints, !ints, index) -> !ints
    scf.yield %h : !ints
  }
  return %r : !ints
}

// A branch passes on the array or another one, and the array lives on.
func.func @past_if(%a: !ints, %turns: index) -> !ints {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = obs.dim %a, 0 : !ints
  %r = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %a) -> !ints {
    %odd = arith.remui %i, %c2 : index
    %is = arith.cmpi eq, %odd, %c1 : index
    %s = scf.if %is -> !ints {
      %v = func.call @mix(%x, %x, %n) : (!ints, !ints, index) -> !ints
      %w = func.call @mix(%v, %x, %n) : (!ints, !ints, index) -> !ints
      scf.yield %w : !ints
    } else {
      scf.yield %x : !ints
    }
    %f = func.call @mix(%x, %x, %n) : (!ints, !ints, index) -> !ints
    %g = func.call @mix(%f, %s, %n) : (!ints, !ints, index) -> !ints
    scf.yield %g : !ints
  }
  return %r : !ints
}

// The next iteration begins with one array for both carried arrays.
func.func @carried_twice(%a: !ints, %turns: index) -> (!ints, !ints) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = obs.dim %a, 0 : !ints
  %b = func.call @mix(%a, %a, %n) : (!ints, !ints, index) -> !ints
  %r:2 = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %a, %y = %b) -> (!ints, !ints) {
    %f = func.call @mix(%x, %y, %n) : (!ints, !ints, index) -> !ints
    %g = func.call @mix(%f, %x, %n) : (!ints, !ints, index) -> !ints
    %h = func.call @mix(%y, %g, %n) : (!ints, !ints, index) -> !ints
    scf.yield %h, %h : !ints, !ints
  }
  return %r#0, %r#1 : !ints, !ints
}

// An inner loop exchanges arrays as often as the number of the outer iteration says.
func.func @swapped(%a: !ints, %turns: index) -> (!ints, !ints) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = obs.dim %a, 0 : !ints
  %b = func.call @mix(%a, %a, %n) : (!ints, !ints, index) -> !ints
  %r:2 = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %a, %y = %b) -> (!ints, !ints) {
    %s:2 = scf.for %j = %c0 to %i step %c1 iter_args(%v = %x, %w = %y) -> (!ints, !ints) {
      scf.yield %w, %v : !ints, !ints
    }
    %f = func.call @mix(%s#0, %x, %n) : (!ints, !ints, index) -> !ints
    scf.yield %f, %s#1 : !ints, !ints
  }
  return %r#0, %r#1 : !ints, !ints
}

// A part is in the buffer of the whole array.
func.func @parts(%a: !ints, %turns: index) -> (!ints, !ints) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = obs.dim %a, 0 : !ints
  %m = arith.ceildivui %n, %c2 : index
  %o = arith.subi %n, %m : index
  %r:2 = scf.for %i = %c0 to %turns step %c1 iter_args(%x = %a, %y = %a) -> (!ints, !ints) {
    %f = func.call @mix(%x, %y, %n) : (!ints, !ints, index) -> !ints
    %front = obs.take %f [%m] : !ints -> !ints
    %back = obs.slice %f [%o] [%m] [1] : !ints -> !ints
    %s = scf.for %j = %c0 to %i step %c1 iter_args(%v = %back) -> !ints {
      %w = func.call @mix(%v, %front, %n) : (!ints, !ints, index) -> !ints
      %part = obs.slice %w [%o] [%m] [1] : !ints -> !ints
      scf.yield %part : !ints
    }
    scf.yield %s, %front : !ints, !ints
  }
  return %r#0, %r#1 : !ints, !ints
}

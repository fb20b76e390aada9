// Kernels that may write the arrays that they read, and such that may not.

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

// The argument stays; the array after it is overwritten twice.
func.func @maps(%a: !ints) -> !ints {
  %b = func.call @twice(%a) : (!ints) -> !ints
  %c = func.call @twice(%b) : (!ints) -> !ints
  %d = func.call @twice(%c) : (!ints) -> !ints
  return %d : !ints
}

// An array that is read later is not overwritten.
func.func @later(%a: !ints) -> (!ints, !ints) {
  %b = func.call @twice(%a) : (!ints) -> !ints
  %c = func.call @twice(%b) : (!ints) -> !ints
  return %b, %c : !ints, !ints
}

// Each element is read by another iteration.
func.func @turns(%a: !ints) -> !ints {
  %b = func.call @turn(%a) : (!ints) -> !ints
  %c = func.call @turn(%b) : (!ints) -> !ints
  return %c : !ints
}

// A block reads its chunk, and writes it when all its threads have read.
func.func @chunks(%a: !ints) -> !ints {
  %b = func.call @twice(%a) : (!ints) -> !ints
  %zero = arith.constant 0 : i32
  %n = obs.dim %b, 0 : !ints
  %s = obs.split %b by [64] pad %zero : !ints -> !obs.pull<? x !obs.pull<64 x i32>>
  %d = obs.distribute block (%c = %s : !obs.pull<? x !obs.pull<64 x i32>>) -> !obs.push<grid, ? x 64 x i32> {
    %r = obs.reverse %c : !obs.pull<64 x i32>
    %q = obs.push %r : !obs.pull<64 x i32> -> !obs.push<block, 64 x i32>
    %f = obs.force %q : !obs.push<block, 64 x i32> -> !obs.pull<64 x i32>
    %p = obs.push %f : !obs.pull<64 x i32> -> !obs.push<block, 64 x i32>
    obs.yield %p : !obs.push<block, 64 x i32>
  }
  %j = obs.join %d to [%n] : !obs.push<grid, ? x 64 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %j {kernel = "chunks"} : !obs.push<grid, ? x i32> -> !ints
  return %r : !ints
}

// Without the force, a thread would write an element that another one reads.
func.func @reversed(%a: !ints) -> !ints {
  %b = func.call @twice(%a) : (!ints) -> !ints
  %zero = arith.constant 0 : i32
  %n = obs.dim %b, 0 : !ints
  %s = obs.split %b by [64] pad %zero : !ints -> !obs.pull<? x !obs.pull<64 x i32>>
  %d = obs.distribute block (%c = %s : !obs.pull<? x !obs.pull<64 x i32>>) -> !obs.push<grid, ? x 64 x i32> {
    %r = obs.reverse %c : !obs.pull<64 x i32>
    %q = obs.push %r : !obs.pull<64 x i32> -> !obs.push<block, 64 x i32>
    obs.yield %q : !obs.push<block, 64 x i32>
  }
  %j = obs.join %d to [%n] : !obs.push<grid, ? x 64 x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %j {kernel = "reversed"} : !obs.push<grid, ? x i32> -> !ints
  return %r : !ints
}

// The second of two results needs elements that the first would overwrite.
func.func @both(%a: !ints) -> (!ints, !ints) {
  %b = func.call @twice(%a) : (!ints) -> !ints
  %c = arith.constant 1 : i32
  %m = obs.map (%x = %b : !ints) -> !ints {
    %y = arith.addi %x, %c : i32
    obs.yield %y : i32
  }
  %p = obs.push %m : !ints -> !obs.push<grid, ? x i32>
  %w = obs.map (%x = %b : !ints) -> !ints {
    %y = arith.subi %x, %c : i32
    obs.yield %y : i32
  }
  %q = obs.push %w : !ints -> !obs.push<grid, ? x i32>
  %f, %g = obs.force %p, %q {kernel = "both"} : !obs.push<grid, ? x i32>, !obs.push<grid, ? x i32> -> (!ints, !ints)
  return %f, %g : !ints, !ints
}

// Only one iteration writes an element, in one branch or the other.
func.func @some(%a: !ints) -> !ints {
  %b = func.call @twice(%a) : (!ints) -> !ints
  %n = obs.dim %b, 0 : !ints
  %c1 = arith.constant 1 : index
  %p = obs.fill [%n] par (%i) in (%n) {
    %x = obs.get %b[%i] : !ints
    %odd = arith.andi %i, %c1 : index
    %is = arith.cmpi eq, %odd, %c1 : index
    scf.if %is {
      obs.write %x at [%i] : i32
    } else {
      obs.write %x at [%i] : i32
    }
  } : !obs.push<grid, ? x i32>
  %f = obs.force %p {kernel = "some"} : !obs.push<grid, ? x i32> -> !ints
  return %f : !ints
}

// Elements that stay need no copy of an array that nobody else reads.
func.func @onto(%a: !ints) -> !ints {
  %b = func.call @twice(%a) : (!ints) -> !ints
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %seven = arith.constant 7 : i32
  %n = obs.dim %b, 0 : !ints
  %p = obs.fill onto %b : !ints [%n] par (%i) in (%c1) {
    obs.write %seven at [%i] : i32
  } : !obs.push<grid, ? x i32>
  %f = obs.force %p {kernel = "first"} : !obs.push<grid, ? x i32> -> !ints
  return %f : !ints
}

// Each iteration reads two neighbours, and writes both after that, if they are
// two.
func.func @neighbours(%a: !ints) -> !ints {
  %b = func.call @twice(%a) : (!ints) -> !ints
  %n = obs.dim %b, 0 : !ints
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = arith.addi %n, %c1 : index
  %pairs = arith.divui %m, %c2 : index
  %p = obs.fill [%n] par (%i) in (%pairs) {
    %j = arith.muli %i, %c2 : index
    %k = arith.addi %j, %c1 : index
    %x = obs.get %b[%j] : !ints
    %two = arith.cmpi ult, %k, %n : index
    scf.if %two {
      %y = obs.get %b[%k] : !ints
      obs.write %y at [%j] : i32
      obs.write %x at [%k] : i32
    } else {
      obs.write %x at [%j] : i32
    }
  } : !obs.push<grid, ? x i32>
  %f = obs.force %p {kernel = "neighbours"} : !obs.push<grid, ? x i32> -> !ints
  return %f : !ints
}

// The second is read after it was written.
func.func @too_early(%a: !ints) -> !ints {
  %b = func.call @twice(%a) : (!ints) -> !ints
  %n = obs.dim %b, 0 : !ints
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %pairs = arith.divui %n, %c2 : index
  %p = obs.fill [%n] par (%i) in (%pairs) {
    %j = arith.muli %i, %c2 : index
    %k = arith.addi %j, %c1 : index
    %x = obs.get %b[%j] : !ints
    obs.write %x at [%k] : i32
    %y = obs.get %b[%k] : !ints
    obs.write %y at [%j] : i32
  } : !obs.push<grid, ? x i32>
  %f = obs.force %p {kernel = "too_early"} : !obs.push<grid, ? x i32> -> !ints
  return %f : !ints
}

// Partners 2^k apart change places, for any k: nobody else has either of them,
// says the contract.
func.func @partners(%a: !ints, %k: index) -> !ints {
  %b = func.call @twice(%a) : (!ints) -> !ints
  %n = obs.dim %b, 0 : !ints
  %c1 = arith.constant 1 : index
  %pairs = arith.shrui %n, %c1 : index
  %mask = arith.shli %c1, %k : index
  %p = obs.fill [%n] par (%i) in (%pairs) {
    %j = obs.bit.insert_zero %i, %k : index
    %l = arith.xori %j, %mask : index
    %x = obs.get %b[%j] : !ints
    %y = obs.get %b[%l] : !ints
    obs.write %y at [%j] : i32
    obs.write %x at [%l] : i32
  } : !obs.push<grid, ? x i32>
  %f = obs.force %p {kernel = "partners"} : !obs.push<grid, ? x i32> -> !ints
  return %f : !ints
}

// Each reads its partner, which that writes.
func.func @swap(%a: !ints) -> !ints {
  %b = func.call @twice(%a) : (!ints) -> !ints
  %n = obs.dim %b, 0 : !ints
  %c1 = arith.constant 1 : index
  %p = obs.fill [%n] par (%i) in (%n) {
    %j = arith.xori %i, %c1 : index
    %x = obs.get %b[%j] : !ints
    obs.write %x at [%i] : i32
  } : !obs.push<grid, ? x i32>
  %f = obs.force %p {kernel = "swap"} : !obs.push<grid, ? x i32> -> !ints
  return %f : !ints
}

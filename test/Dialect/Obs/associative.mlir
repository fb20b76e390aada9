// Operators that are associative on the values that occur are accepted: [collective-order] refuses none of these.
// RUN: obs-opt %s -o %t

// Rounding changes the last digits of sums of thirds.
func.func @rounding(%a: !obs.pull<? x f16>, %z: f16) {
  %third = arith.constant 0.333 : f16
  %0 = obs.reduce grid (%x, %y) = %a init %z : !obs.pull<? x f16> {
    %s = arith.addf %x, %y : f16
    %t = arith.addf %s, %third : f16
    obs.yield %t : f16
  }
  return
}

// Sums modulo 7 by one subtraction, for numbers below 7.
func.func @modulo(%a: !obs.pull<? x i32>, %z: i32) {
  %m = arith.constant 7 : i32
  %0 = obs.reduce grid (%x, %y) = %a init %z : !obs.pull<? x i32> {
    %s = arith.addi %x, %y : i32
    %less = arith.subi %s, %m : i32
    %large = arith.cmpi sge, %s, %m : i32
    %r = arith.select %large, %less, %s : i32
    obs.yield %r : i32
  }
  return
}

// A sum that stays at 4, for numbers that are not negative; products that overflow.
func.func @saturation(%a: !obs.pull<? x i8>, %z: i8) {
  %m = arith.constant 4 : i8
  %0 = obs.scan grid inclusive (%x, %y) = %a init %z : !obs.pull<? x i8> {
    %s = arith.addi %x, %y : i8
    %r = arith.minsi %s, %m : i8
    obs.yield %r : i8
  }
  %1 = obs.scan grid inclusive { arith.muli } %a init %z : !obs.pull<? x i8>
  return
}

// x -> m * x + c.
func.func @affine(%a: !obs.pull<? x f32, f32>, %z: f32) {
  %0 = obs.scan grid exclusive (%m, %c, %n, %d) = %a init %z, %z : !obs.pull<? x f32, f32> {
    %k = arith.mulf %n, %m : f32
    %t = arith.mulf %n, %c : f32
    %b = arith.addf %t, %d : f32
    obs.yield %k, %b : f32, f32
  }
  return
}

// The first of the largest elements, and its index.
func.func @argmax(%a: !obs.pull<? x f32, i32>, %z: f32, %n: i32) {
  %0 = obs.reduce grid (%x, %i, %y, %j) = %a init %z, %n : !obs.pull<? x f32, i32> {
    %more = arith.cmpf ogt, %y, %x : f32
    %v = arith.select %more, %y, %x : f32
    %k = arith.select %more, %j, %i : i32
    obs.yield %v, %k : f32, i32
  }
  return
}

// Count, mean, and sum of the squares of distances from the mean (Welford, Chan).
func.func @moments(%a: !obs.pull<? x f32, f32, f32>, %z: f32) {
  %0 = obs.reduce grid (%n, %m, %q, %k, %u, %p) = %a init %z, %z, %z : !obs.pull<? x f32, f32, f32> {
    %count = arith.addf %n, %k : f32
    %d = arith.subf %u, %m : f32
    %part = arith.divf %k, %count : f32
    %step = arith.mulf %d, %part : f32
    %mean = arith.addf %m, %step : f32
    %dn = arith.mulf %d, %n : f32
    %more = arith.mulf %dn, %step : f32
    %both = arith.addf %q, %p : f32
    %sum = arith.addf %both, %more : f32
    obs.yield %count, %mean, %sum : f32, f32, f32
  }
  return
}

// The maximum, and the sum of the exponentials of the distances from it.
func.func @softmax(%a: !obs.pull<? x bf16, bf16>, %z: bf16) {
  %0 = obs.reduce grid (%m, %s, %n, %t) = %a init %z, %z : !obs.pull<? x bf16, bf16> {
    %max = arith.maximumf %m, %n : bf16
    %dm = arith.subf %m, %max : bf16
    %dn = arith.subf %n, %max : bf16
    %em = math.exp %dm : bf16
    %en = math.exp %dn : bf16
    %p = arith.mulf %s, %em : bf16
    %q = arith.mulf %t, %en : bf16
    %sum = arith.addf %p, %q : bf16
    obs.yield %max, %sum : bf16, bf16
  }
  return
}

// Products of 2 x 2 matrices.
func.func @matrices(%a: !obs.pull<? x i32, i32, i32, i32>, %z: i32) {
  %0 = obs.scan grid inclusive (%a0, %a1, %a2, %a3, %b0, %b1, %b2, %b3) = %a init %z, %z, %z, %z : !obs.pull<? x i32, i32, i32, i32> {
    %0 = arith.muli %a0, %b0 : i32
    %1 = arith.muli %a1, %b2 : i32
    %2 = arith.addi %0, %1 : i32
    %3 = arith.muli %a0, %b1 : i32
    %4 = arith.muli %a1, %b3 : i32
    %5 = arith.addi %3, %4 : i32
    %6 = arith.muli %a2, %b0 : i32
    %7 = arith.muli %a3, %b2 : i32
    %8 = arith.addi %6, %7 : i32
    %9 = arith.muli %a2, %b1 : i32
    %10 = arith.muli %a3, %b3 : i32
    %11 = arith.addi %9, %10 : i32
    obs.yield %2, %5, %8, %11 : i32, i32, i32, i32
  }
  return
}

// The length of a run, and of its longest prefix of ones, which is no longer than the run.
func.func @prefix(%a: !obs.pull<? x i32, i32>, %z: i32) {
  %0 = obs.reduce grid (%l, %p, %m, %q) = %a init %z, %z : !obs.pull<? x i32, i32> {
    %length = arith.addi %l, %m : i32
    %is_full = arith.cmpi eq, %l, %p : i32
    %longer = arith.addi %p, %q : i32
    %r = arith.select %is_full, %longer, %p : i32
    obs.yield %length, %r : i32, i32
  }
  return
}

// The sum since the last flag, which is 0 or 1.
func.func @segments(%a: !obs.pull<? x i32, f32>, %z: i32, %w: f32) {
  %one = arith.constant 1 : i32
  %0 = obs.scan grid inclusive (%f, %x, %g, %y) = %a init %z, %w : !obs.pull<? x i32, f32> {
    %h = arith.ori %f, %g : i32
    %starts = arith.cmpi eq, %g, %one : i32
    %s = arith.addf %x, %y : f32
    %v = arith.select %starts, %y, %s : f32
    obs.yield %h, %v : i32, f32
  }
  return
}

// A value from outside is not known.
func.func @outside(%a: !obs.pull<? x i32>, %k: i32, %z: i32) {
  %0 = obs.reduce grid (%x, %y) = %a init %z : !obs.pull<? x i32> {
    %s = arith.muli %x, %k : i32
    %t = arith.addi %s, %y : i32
    obs.yield %t : i32
  }
  return
}

// One worker combines the elements in order, so the operator need not be associative.
func.func @thread(%a: !obs.pull<? x i32>, %z: i32) attributes {obs.level = #obs.level<thread>} {
  %0 = obs.scan thread inclusive { arith.subi } %a init %z : !obs.pull<? x i32>
  return
}
func.func @block(%a: !obs.pull<8 x i32>, %z: i32) -> i32 attributes {obs.level = #obs.level<block>} {
  %0 = obs.reduce { arith.subi } %a init %z {strategy = "sequential"} : !obs.pull<8 x i32> -> i32
  return %0 : i32
}
func.func @scalar(%rows: !obs.pull<4 x !obs.pull<8 x i32>>, %z: i32) {
  %0 = obs.map (%row = %rows : !obs.pull<4 x !obs.pull<8 x i32>>) -> !obs.pull<4 x i32> {
    %s = obs.reduce { arith.subi } %row init %z : !obs.pull<8 x i32> -> i32
    obs.yield %s : i32
  }
  return
}

// The two smallest elements of two sorted lists. It is not associative on lists that are not sorted.
func.func @smallest(%a: !obs.pull<? x i32, i32>, %z: i32) {
  %0 = obs.reduce grid (%x, %y, %u, %v) = %a init %z, %z : !obs.pull<? x i32, i32> {
    %first = arith.minsi %x, %u : i32
    %last = arith.maxsi %x, %u : i32
    %is_left = arith.cmpi sle, %x, %u : i32
    %next = arith.select %is_left, %y, %v : i32
    %second = arith.minsi %last, %next : i32
    obs.yield %first, %second : i32, i32
  }
  return
}

// Collectives of the grid over more elements than 32 bits count, checked on the
// device. Only arrays of bytes are stored, and the results of a function
// are numbers that have a closed form.

!bytes = !obs.pull<? x i8>
!long = !obs.pull<1 x i64>

// The number of elements in which `found` differs from its expected value.
func.func private @count(%wrong: !obs.pull<? x i64>) -> !long {
  %zero = arith.constant 0 : i64
  %p = obs.reduce (%x, %y) = %wrong init %zero {commutative} : !obs.pull<? x i64> -> !obs.push<grid, 1 x i64> {
    %s = arith.addi %x, %y : i64
    obs.yield %s : i64
  }
  %r = obs.force %p {kernel = "count"} : !obs.push<grid, 1 x i64> -> !long
  return %r : !long
}

// 0 + 1 + ... + n-1.
func.func @sum(%n: index) -> !long {
  %numbers = obs.generate (%i) [%n] {
    %x = arith.index_cast %i : index to i64
    obs.yield %x : i64
  } : !obs.pull<? x i64>
  %r = func.call @count(%numbers) : (!obs.pull<? x i64>) -> !long
  return %r : !long
}

// x + 1, then 3x + 1, and so on, n functions one after the other, as m x + c.
func.func @functions(%n: index) -> (!long, !long) {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %steps = obs.generate (%i) [%n] {
    %x = arith.index_cast %i : index to i64
    %bit = arith.andi %x, %one : i64
    %more = arith.muli %bit, %two : i64
    %m = arith.addi %more, %one : i64
    obs.yield %m, %one : i64, i64
  } : !obs.pull<? x i64, i64>
  %p = obs.reduce (%m1, %c1, %m2, %c2) = %steps init %one, %zero : !obs.pull<? x i64, i64> -> !obs.push<grid, 1 x i64, i64> {
    %m3 = arith.muli %m1, %m2 : i64
    %scaled = arith.muli %m2, %c1 : i64
    %c3 = arith.addi %scaled, %c2 : i64
    obs.yield %m3, %c3 : i64, i64
  }
  %f = obs.force %p {kernel = "functions"} : !obs.push<grid, 1 x i64, i64> -> !obs.pull<1 x i64, i64>
  %m, %c = obs.unzip %f : !obs.pull<1 x i64, i64>
  return %m, %c : !long, !long
}

// Elements of the running sum modulo 256 that are not i (i + 1) / 2.
func.func @scan(%n: index) -> !long {
  %zero = arith.constant 0 : i8
  %one = arith.constant 1 : index
  %bytes = obs.generate (%i) [%n] {
    %x = arith.index_cast %i : index to i8
    obs.yield %x : i8
  } : !bytes
  %p = obs.scan inclusive (%x, %y) = %bytes init %zero : !bytes -> !obs.push<grid, ? x i8> {
    %s = arith.addi %x, %y : i8
    obs.yield %s : i8
  }
  %sums = obs.force %p {kernel = "sums"} : !obs.push<grid, ? x i8> -> !bytes
  %wrong = obs.generate (%i) [%n] {
    %x = obs.get %sums[%i] : !bytes
    // One of i and i + 1 is even.
    %next = arith.addi %i, %one : index
    %half = arith.shrui %i, %one : index
    %halfNext = arith.shrui %next, %one : index
    %bit = arith.andi %i, %one : index
    %odd = arith.index_cast %bit : index to i1
    %a = arith.select %odd, %i, %half : index
    %b = arith.select %odd, %halfNext, %next : index
    %ab = arith.muli %a, %b : index
    %y = arith.index_cast %ab : index to i8
    %differs = arith.cmpi ne, %x, %y : i8
    %w = arith.extui %differs : i1 to i64
    obs.yield %w : i64
  } : !obs.pull<? x i64>
  %r = func.call @count(%wrong) : (!obs.pull<? x i64>) -> !long
  return %r : !long
}

// The numbers up to n that 3 divides: the number of them, and of the wrong ones.
func.func @compact(%n: index) -> (!long, !long) {
  %zero = arith.constant 0 : i8
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c251 = arith.constant 251 : index
  %none = arith.constant 0 : i64
  %bytes = obs.generate (%i) [%n] {
    %k = arith.remui %i, %c251 : index
    %x = arith.index_cast %k : index to i8
    obs.yield %x : i8
  } : !bytes
  %flags = obs.generate (%i) [%n] {
    %k = arith.remui %i, %c3 : index
    %f = arith.cmpi eq, %k, %c0 : index
    obs.yield %f : i1
  } : !obs.pull<? x i1>
  %k, %q = obs.compact %bytes flags %flags init %zero : !bytes, !obs.pull<? x i1> -> !obs.push<grid, ? x i8>, !obs.push<grid, 1 x i64>
  %kept, %count = obs.force %k, %q {kernel = "third"} : !obs.push<grid, ? x i8>, !obs.push<grid, 1 x i64> -> (!bytes, !long)
  %wrong = obs.generate (%i) [%n] {
    %x = obs.get %kept[%i] : !bytes
    %source = arith.muli %i, %c3 : index
    %k1 = arith.remui %source, %c251 : index
    %y = arith.index_cast %k1 : index to i8
    %isKept = arith.cmpi ult, %source, %n : index
    %expected = arith.select %isKept, %y, %zero : i8
    %differs = arith.cmpi ne, %x, %expected : i8
    %w = arith.extui %differs : i1 to i64
    obs.yield %w : i64
  } : !obs.pull<? x i64>
  %r = func.call @count(%wrong) : (!obs.pull<? x i64>) -> !long
  return %count, %r : !long, !long
}

// The number of times that each remainder modulo 8 occurs.
func.func @histogram(%n: index) -> !obs.pull<8 x i64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %c7 = arith.constant 7 : index
  %p = obs.fill init %zero reduce(addi) par (%t) in (%n) {
    %v = arith.andi %t, %c7 : index
    obs.write %one at [%v] : i64
  } : !obs.push<grid, 8 x i64>
  %r = obs.force %p {kernel = "remainders"} : !obs.push<grid, 8 x i64> -> !obs.pull<8 x i64>
  return %r : !obs.pull<8 x i64>
}

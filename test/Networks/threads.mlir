// RUN: %python %S/check.py obs-run %s scan8 scan8 0 1 77
// RUN: %python %S/check.py obs-run %s repeat logistic 0 1 100
// RUN: %python %S/check.py obs-run %s until collatz 0 1 100

// Sequential programs of single threads: a scan with a running sum, a loop of a
// fixed number of iterations, and one that ends by its own condition.

!array = !obs.pull<? x i32>
!result = !obs.push<grid, ? x i32>

func.func @scan8(%a: !array) -> !array {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  %runs = obs.split %a by [8] : !array -> !obs.pull<? x !obs.pull<8 x i32>>
  %parts = obs.distribute thread (%c = %runs : !obs.pull<? x !obs.pull<8 x i32>>) -> !obs.push<grid, ? x 8 x i32> {
    %p = obs.fill {
      %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %zero) -> i32 {
        %x = obs.get %c[%i] : !obs.pull<8 x i32>
        %t = arith.addi %s, %x : i32
        obs.write %t at [%i] : i32
        scf.yield %t : i32
      }
    } : !obs.push<thread, 8 x i32>
    obs.yield %p : !obs.push<thread, 8 x i32>
  }
  %flat = obs.join %parts : !obs.push<grid, ? x 8 x i32> -> !result
  %r = obs.force %flat {kernel = "scan8"} : !result -> !array
  return %r : !array
}

func.func @repeat(%a: !array) -> !array {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c10 = arith.constant 10 : index
  %one = arith.constant 1 : i32
  %m = obs.map (%x = %a : !array) -> !array {
    %y = scf.for %i = %c0 to %c10 step %c1 iter_args(%z = %x) -> i32 {
      %s = arith.muli %z, %z : i32
      %t = arith.addi %s, %one : i32
      scf.yield %t : i32
    }
    obs.yield %y : i32
  }
  %p = obs.push %m : !array -> !result
  %r = obs.force %p {kernel = "repeat"} : !result -> !array
  return %r : !array
}

func.func @until(%a: !array) -> !obs.pull<? x i32, i32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %limit = arith.constant 50 : i32
  %m = obs.map (%x = %a : !array) -> !obs.pull<? x i32, i32> {
    %count, %end = scf.while (%n = %zero, %z = %x) : (i32, i32) -> (i32, i32) {
      %far = arith.cmpi ne, %z, %one : i32
      %few = arith.cmpi slt, %n, %limit : i32
      %on = arith.andi %far, %few : i1
      scf.condition(%on) %n, %z : i32, i32
    } do {
    ^bb0(%n: i32, %z: i32):
      %odd = arith.andi %z, %one : i32
      %isOdd = arith.cmpi eq, %odd, %one : i32
      %half = arith.shrui %z, %one : i32
      %triple = arith.muli %z, %three : i32
      %up = arith.addi %triple, %one : i32
      %next = arith.select %isOdd, %up, %half : i32
      %k = arith.addi %n, %one : i32
      scf.yield %k, %next : i32, i32
    }
    obs.yield %count, %end : i32, i32
  }
  %p = obs.push %m : !obs.pull<? x i32, i32> -> !obs.push<grid, ? x i32, i32>
  %r = obs.force %p {kernel = "until"} : !obs.push<grid, ? x i32, i32> -> !obs.pull<? x i32, i32>
  return %r : !obs.pull<? x i32, i32>
}

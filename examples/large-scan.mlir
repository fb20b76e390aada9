// All states of a generator of random numbers with changing parameters: x[i] = m[i] *
// x[i-1] + c[i] modulo 2^32, from x[-1] = 1, for any number of steps. A step is a
// function x -> m * x + c. The composition of steps is an associative operator on pairs
// (m, c), but not a commutative one. So the program scans the functions, and applies
// each result to the start. From: G. Blelloch, Prefix sums and their applications, 1990.
//
// GPU: one kernel and a memset. Each block scans a tile, publishes its result, and looks
// back at the tiles before it. The map that applies the functions is part of the kernel,
// so only the states are stored.
//
// Run: obs-run examples/large-scan.mlir iota:10xi32 iota:10xi32
//      obs-run examples/large-scan.mlir --device=emulate --report iota:100000xi32 iota:100000xi32

!i32s = !obs.pull<? x i32>

func.func @main(%m: !i32s, %c: !i32s) -> !i32s {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %steps = obs.zip %m, %c : !i32s
  // The initial value is the function that changes nothing.
  %functions = obs.scan grid inclusive (%m1, %c1, %m2, %c2) = %steps init %one, %zero : !obs.pull<? x i32, i32> {
    %m3 = arith.muli %m1, %m2 : i32
    %scaled = arith.muli %m2, %c1 : i32
    %c3 = arith.addi %scaled, %c2 : i32
    obs.yield %m3, %c3 : i32, i32
  }
  %states = obs.map { arith.addi } %functions : !obs.push<grid, ? x i32, i32>
  %r = obs.force %states {kernel = "states"} : !obs.push<grid, ? x i32>
  return %r : !i32s
}

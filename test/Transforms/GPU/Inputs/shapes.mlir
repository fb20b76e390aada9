// Kernels of several functions, or for arrays of several shapes, are merged.

!ints = !obs.pull<? x i32>

func.func private @negate(%a: !ints) -> !ints {
  %zero = arith.constant 0 : i32
  %m = obs.map (%x = %a : !ints) -> !ints {
    %y = arith.subi %zero, %x : i32
    obs.yield %y : i32
  }
  %p = obs.push %m : !ints -> !obs.push<grid, ? x i32>
  %f = obs.force %p : !obs.push<grid, ? x i32> -> !ints
  return %f : !ints
}

func.func @first(%a: !ints) -> !ints {
  %b = func.call @negate(%a) : (!ints) -> !ints
  return %b : !ints
}

func.func @second(%a: !ints) -> !ints {
  %b = func.call @negate(%a) : (!ints) -> !ints
  return %b : !ints
}

// Every third element of the first 192.
func.func @thirds(%a: !obs.pull<3000 x i32>, %b: !obs.pull<500 x i32>, %c: !obs.pull<192 x i32>)
    -> (!obs.pull<64 x i32>, !obs.pull<64 x i32>, !obs.pull<64 x i32>) {
  %s = obs.slice %a [0] [64] [3] : !obs.pull<3000 x i32> -> !obs.pull<64 x i32>
  %p = obs.push %s : !obs.pull<64 x i32> -> !obs.push<grid, 64 x i32>
  %x = obs.force %p {kernel = "third"} : !obs.push<grid, 64 x i32> -> !obs.pull<64 x i32>
  %t = obs.slice %b [0] [64] [3] : !obs.pull<500 x i32> -> !obs.pull<64 x i32>
  %q = obs.push %t : !obs.pull<64 x i32> -> !obs.push<grid, 64 x i32>
  %y = obs.force %q {kernel = "third"} : !obs.push<grid, 64 x i32> -> !obs.pull<64 x i32>
  %u = obs.slice %c [0] [64] [3] : !obs.pull<192 x i32> -> !obs.pull<64 x i32>
  %r = obs.push %u : !obs.pull<64 x i32> -> !obs.push<grid, 64 x i32>
  %z = obs.force %r {kernel = "third"} : !obs.push<grid, 64 x i32> -> !obs.pull<64 x i32>
  return %x, %y, %z : !obs.pull<64 x i32>, !obs.pull<64 x i32>, !obs.pull<64 x i32>
}

// Every other one is other code, if under the same name.
func.func @other(%a: !obs.pull<190 x i32>) -> !obs.pull<64 x i32> {
  %s = obs.slice %a [0] [64] [2] : !obs.pull<190 x i32> -> !obs.pull<64 x i32>
  %p = obs.push %s : !obs.pull<64 x i32> -> !obs.push<grid, 64 x i32>
  %x = obs.force %p {kernel = "third"} : !obs.push<grid, 64 x i32> -> !obs.pull<64 x i32>
  return %x : !obs.pull<64 x i32>
}

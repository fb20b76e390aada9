// Five kernels over n or n + 1 elements: a[i] + 1, reversed, again, and both.
func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %c1 = arith.constant 1 : i32
  %one = arith.constant 1 : index
  %b = obs.map (%x = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
    %y = arith.addi %x, %c1 : i32
    obs.yield %y : i32
  }
  %p = obs.push %b : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  %first = obs.force %p {kernel = "first"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  %r = obs.reverse %first : !obs.pull<? x i32>
  %q = obs.push %r : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  %second = obs.force %q {kernel = "second"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  %s = obs.map (%x = %second : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
    %y = arith.muli %x, %x : i32
    obs.yield %y : i32
  }
  %t = obs.push %s : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  %third = obs.force %t {kernel = "third"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  %n = obs.dim %a, 0 : !obs.pull<? x i32>
  %m = arith.addi %n, %one : index
  %w = obs.generate (%i) [%m] {
    %last = arith.subi %n, %one : index
    %j = arith.minsi %i, %last : index
    %x = obs.get %third[%j] : !obs.pull<? x i32>
    obs.yield %x : i32
  } : !obs.pull<? x i32>
  %u = obs.push %w : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  %other = obs.force %u {kernel = "other"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  %z = obs.generate (%i) [%n] {
    %j = arith.addi %i, %one : index
    %x = obs.get %other[%j] : !obs.pull<? x i32>
    %y = obs.get %third[%i] : !obs.pull<? x i32>
    %d = arith.subi %y, %x : i32
    obs.yield %d : i32
  } : !obs.pull<? x i32>
  %v = obs.push %z : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  %last = obs.force %v {kernel = "last"} : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %last : !obs.pull<? x i32>
}

// The elements that are kept, and how many; an exclusive scan and the total.
func.func @kept(%a: !obs.pull<? x i32>, %f: !obs.pull<? x i1>) -> (!obs.pull<1 x i32>, !obs.pull<? x i32>) {
  %zero = arith.constant 0 : i32
  %p, %n = obs.compact %a flags %f init %zero : !obs.pull<? x i32>, !obs.pull<? x i1> -> !obs.push<grid, ? x i32>, !obs.push<grid, 1 x i32>
  %c, %r = obs.force %n, %p : !obs.push<grid, 1 x i32>, !obs.push<grid, ? x i32> -> (!obs.pull<1 x i32>, !obs.pull<? x i32>)
  return %c, %r : !obs.pull<1 x i32>, !obs.pull<? x i32>
}
func.func @total(%a: !obs.pull<? x i32>) -> (!obs.pull<? x i32>, i32) {
  %z = arith.constant 5 : i32
  %p, %t = obs.scan exclusive (%x, %y) = %a init %z {strategy = "one_pass"} : !obs.pull<? x i32> -> (!obs.push<grid, ? x i32>, i32) {
    %s = arith.addi %x, %y : i32
    obs.yield %s : i32
  }
  %r = obs.force %p : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r, %t : !obs.pull<? x i32>, i32
}

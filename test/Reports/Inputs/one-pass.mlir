// Scans and a compaction in one pass: of elements that are in one word with the state of a tile, of elements that are
// published beside it, and of floats, whose tiles are combined in order.

func.func @words(%x: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %z = arith.constant 0 : i32
  %p = obs.scan grid inclusive { arith.addi } %x init %z : !obs.pull<? x i32>
  %r = obs.force %p {kernel = "words"} : !obs.push<grid, ? x i32>
  return %r : !obs.pull<? x i32>
}

func.func @published(%x: !obs.pull<? x i64>) -> !obs.pull<? x i64> {
  %z = arith.constant 0 : i64
  %p = obs.scan grid exclusive { arith.addi } %x init %z : !obs.pull<? x i64>
  %r = obs.force %p {kernel = "published"} : !obs.push<grid, ? x i64>
  return %r : !obs.pull<? x i64>
}

func.func @in_order(%x: !obs.pull<? x f32>) -> !obs.pull<? x f32> {
  %z = arith.constant 0.0 : f32
  %p = obs.scan grid inclusive { arith.addf } %x init %z : !obs.pull<? x f32>
  %r = obs.force %p {kernel = "in_order"} : !obs.push<grid, ? x f32>
  return %r : !obs.pull<? x f32>
}

func.func @kept(%x: !obs.pull<? x i32>, %flags: !obs.pull<? x i1>) -> (!obs.pull<? x i32>, !obs.pull<1 x i32>) {
  %z = arith.constant 0 : i32
  %p, %n = obs.compact %x flags %flags init %z : !obs.pull<? x i32>, !obs.pull<? x i1> -> !obs.push<grid, ? x i32>, !obs.push<grid, 1 x i32>
  %r = obs.force %p {kernel = "kept"} : !obs.push<grid, ? x i32>
  %m = obs.force %n {kernel = "number"} : !obs.push<grid, 1 x i32>
  return %r, %m : !obs.pull<? x i32>, !obs.pull<1 x i32>
}

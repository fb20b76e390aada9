// A transposition with a map, of three dimensions, and one that is added to another array.

func.func @map(%a: !obs.pull<? x ? x i32>) -> !obs.pull<? x ? x i32> {
  %c3 = arith.constant 3 : i32
  %t = obs.transpose %a [1, 0] : !obs.pull<? x ? x i32>
  %m = obs.map (%x = %t : !obs.pull<? x ? x i32>) {
    %y = arith.muli %x, %c3 : i32
    obs.yield %y : i32
  }
  %r = obs.force %m : !obs.pull<? x ? x i32>
  return %r : !obs.pull<? x ? x i32>
}

func.func @planes(%a: !obs.pull<? x ? x ? x i8>) -> !obs.pull<? x ? x ? x i8> {
  %t = obs.transpose %a [2, 0, 1] : !obs.pull<? x ? x ? x i8>
  %r = obs.force %t : !obs.pull<? x ? x ? x i8>
  return %r : !obs.pull<? x ? x ? x i8>
}

func.func @points(%a: !obs.pull<700 x 3 x f64>) -> !obs.pull<3 x 700 x f64> {
  %t = obs.transpose %a [1, 0] : !obs.pull<700 x 3 x f64>
  %r = obs.force %t : !obs.pull<3 x 700 x f64>
  return %r : !obs.pull<3 x 700 x f64>
}

// The results of the functions are in memory already, or nearly.

!ints = !obs.pull<? x i32>
!pairs = !obs.pull<? x i32, f32>

func.func @unzip(%a: !ints) -> (!ints, !obs.pull<? x f32>) {
  %m = obs.map (%x = %a : !ints) -> !pairs {
    %c2 = arith.constant 2 : i32
    %y = arith.muli %x, %c2 : i32
    %f = arith.sitofp %x : i32 to f32
    obs.yield %y, %f : i32, f32
  }
  %p = obs.push %m : !pairs -> !obs.push<grid, ? x i32, f32>
  %s = obs.force %p {kernel = "both"} : !obs.push<grid, ? x i32, f32> -> !pairs
  %i, %f = obs.unzip %s : !pairs
  return %i, %f : !ints, !obs.pull<? x f32>
}

func.func @take(%a: !ints, %n: index) -> !ints {
  %r = obs.reverse %a : !ints
  %p = obs.push %r : !ints -> !obs.push<grid, ? x i32>
  %s = obs.force %p {kernel = "turn"} : !obs.push<grid, ? x i32> -> !ints
  %t = obs.take %s [%n] : !ints -> !ints
  return %t : !ints
}

func.func @reshape(%a: !ints, %h: index, %w: index) -> !obs.pull<? x ? x i32> {
  %r = obs.reverse %a : !ints
  %p = obs.push %r : !ints -> !obs.push<grid, ? x i32>
  %s = obs.force %p {kernel = "turn"} : !obs.push<grid, ? x i32> -> !ints
  %n = arith.muli %h, %w : index
  %t = obs.slice %s [0] [%n] [1] : !ints -> !ints
  %u = obs.reshape %t [%h, %w] : !ints -> !obs.pull<? x ? x i32>
  return %u : !obs.pull<? x ? x i32>
}

// Rows that are whole stand together; parts of rows do not.
func.func @rows(%a: !obs.pull<? x 4 x i32>, %n: index) -> !obs.pull<? x 4 x i32> {
  %t = obs.take %a [%n, 4] : !obs.pull<? x 4 x i32> -> !obs.pull<? x 4 x i32>
  return %t : !obs.pull<? x 4 x i32>
}
func.func @columns(%a: !obs.pull<? x 4 x i32>, %n: index) -> !obs.pull<? x 3 x i32> {
  %t = obs.take %a [%n, 3] : !obs.pull<? x 4 x i32> -> !obs.pull<? x 3 x i32>
  return %t : !obs.pull<? x 3 x i32>
}
func.func @later(%a: !ints, %n: index) -> !ints {
  %t = obs.slice %a [1] [%n] [1] : !ints -> !ints
  return %t : !ints
}
func.func @choice(%a: !ints, %b: !ints, %c: i1) -> !ints {
  %t = arith.select %c, %a, %b : !ints
  return %t : !ints
}
// Two arrays as one, and no element moves.
func.func @zip(%a: !ints, %b: !ints, %n: index) -> !obs.pull<? x i32, i32> {
  %z = obs.zip %b, %a : !ints, !ints
  %t = obs.take %z [%n] : !obs.pull<? x i32, i32> -> !obs.pull<? x i32, i32>
  return %t : !obs.pull<? x i32, i32>
}
// Each iteration adds the second half to the first, and carries a part on.
func.func @halves(%a: !ints) -> !ints {
  %c1 = arith.constant 1 : index
  %r = scf.while (%x = %a) : (!ints) -> !ints {
    %n = obs.dim %x, 0 : !ints
    %go = arith.cmpi ugt, %n, %c1 : index
    scf.condition(%go) %x : !ints
  } do {
  ^bb0(%y : !ints):
    %n = obs.dim %y, 0 : !ints
    %h = arith.shrui %n, %c1 : index
    %front = obs.take %y [%h] : !ints -> !ints
    %back = obs.slice %y [%h] [%h] [1] : !ints -> !ints
    %m = obs.map (%p = %front : !ints, %q = %back : !ints) -> !ints {
      %s = arith.addi %p, %q : i32
      obs.yield %s : i32
    }
    %o = obs.push %m : !ints -> !obs.push<grid, ? x i32>
    %f = obs.force %o {kernel = "add"} : !obs.push<grid, ? x i32> -> !ints
    %k = obs.take %f [%h] : !ints -> !ints
    scf.yield %k : !ints
  }
  return %r : !ints
}

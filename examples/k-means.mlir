// k-means. In a @step, each point goes to the nearest of k centres (the first one, if
// several are nearest). Then each centre moves to the mean of its points. A centre without
// points does not move. Points and centres have two coordinates. The results are the centres
// and, for each point, the number of its centre. @until_stable repeats the step until no
// centre moves, at most %limit times. It returns the centres and the number of steps.
//
// From: S. Lloyd, Least squares quantization in PCM, 1982; an example program of Accelerate.
// Coordinates are integers that differ by less than 2^15. So sums in any order are equal,
// and distances have no rounding errors. Means are rounded towards zero.
//
// GPU: a step has three kernels and memsets. In the first kernel, each thread compares its
// point with all centres. The second kernel adds and counts the points of each centre by
// atomic operations. The third kernel divides. Sums have 32 bits. In @until_stable, a
// reduction in one kernel counts the centres that moved. The host waits for this number
// after each step.
//
// Run: obs-run examples/k-means.mlir --entry=step iota:10xi32 iota:10xi32 iota:3xi32 iota:3xi32
//      obs-run examples/k-means.mlir --entry=step --device=emulate --report iota:1000xi32 iota:1000xi32 iota:7xi32 iota:7xi32
//      obs-run examples/k-means.mlir --entry=until_stable --device=emulate --report iota:100xi32 iota:100xi32 iota:3xi32 iota:3xi32 50

!points = !obs.pull<? x i32, i32>
!ints = !obs.pull<? x i32>
!sums = !obs.push<grid, ? x i32, i32, i32>

func.func @step(%points: !points, %centres: !points) -> (!points, !ints) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %far = arith.constant 0x7fffffff : i32
  %n = obs.dim %points, 0 : !points
  %k = obs.dim %centres, 0 : !points
  %some = arith.cmpi uge, %k, %c1 : index
  obs.assert %some, "there is at least one centre"

  %nearest = obs.map (%x, %y = %points : !points) {
    %best, %distance = scf.for %c = %c0 to %k step %c1 iter_args(%b = %zero, %d = %far) -> (i32, i32) {
      %cx, %cy = obs.get %centres[%c] : !points
      %dx = arith.subi %x, %cx : i32
      %dy = arith.subi %y, %cy : i32
      %xx = arith.muli %dx, %dx : i32
      %yy = arith.muli %dy, %dy : i32
      %e = arith.addi %xx, %yy : i32
      %nearer = arith.cmpi ult, %e, %d : i32
      %number = arith.index_cast %c : index to i32
      %nb = arith.select %nearer, %number, %b : i32
      %nd = arith.select %nearer, %e, %d : i32
      scf.yield %nb, %nd : i32, i32
    }
    obs.yield %best : i32
  }
  %labels = obs.force %nearest {kernel = "nearest", threads = 256} : !ints

  %s = obs.fill init %zero, %zero, %zero reduce(addi) [%k] par (%t) in (%n) {
    %x, %y = obs.get %points[%t] : !points
    %label = obs.get %labels[%t] : !ints
    %c = arith.index_castui %label : i32 to index
    obs.write %x, %y, %one at [%c] : i32, i32, i32
  } : !sums
  %sums = obs.force %s {kernel = "sums", threads = 256} : !sums
  %means = obs.map (%x, %y = %centres : !points, %u, %v, %count = %sums : !obs.pull<? x i32, i32, i32>) {
    %is_empty = arith.cmpi eq, %count, %zero : i32
    %mx, %my = scf.if %is_empty -> (i32, i32) {
      scf.yield %x, %y : i32, i32
    } else {
      %p = arith.divsi %u, %count : i32
      %q = arith.divsi %v, %count : i32
      scf.yield %p, %q : i32, i32
    }
    obs.yield %mx, %my : i32, i32
  }
  %moved = obs.force %means {kernel = "means", threads = 256} : !points
  return %moved, %labels : !points, !ints
}

func.func @until_stable(%points: !points, %centres: !points, %limit: i32) -> (!points, i32) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %yes = arith.constant true
  %last, %n, %more = scf.while (%c = %centres, %steps = %zero, %moving = %yes) : (!points, i32, i1) -> (!points, i32, i1) {
    %below = arith.cmpi slt, %steps, %limit : i32
    %go = arith.andi %below, %moving : i1
    scf.condition(%go) %c, %steps, %moving : !points, i32, i1
  } do {
  ^bb0(%c: !points, %steps: i32, %moving: i1):
    %next, %labels = func.call @step(%points, %c) : (!points, !points) -> (!points, !ints)
    %moves = obs.map (%x, %y = %c, %u, %v = %next : !points) {
      %x_moves = arith.cmpi ne, %x, %u : i32
      %y_moves = arith.cmpi ne, %y, %v : i32
      %either = arith.ori %x_moves, %y_moves : i1
      %m = arith.extui %either : i1 to i32
      obs.yield %m : i32
    }
    %sum = obs.reduce grid { arith.addi } %moves init %zero : !ints
    %moved = obs.force %sum {kernel = "moved"} : !obs.push<grid, 1 x i32>
    %count = obs.get %moved[%c0] : !obs.pull<1 x i32>
    %moves_on = arith.cmpi ne, %count, %zero : i32
    %taken = arith.addi %steps, %one : i32
    scf.yield %next, %taken, %moves_on : !points, i32, i1
  }
  return %last, %n : !points, i32
}

// One step of k-means: every point goes to the nearest of k centres (the first of
// those), and each centre moves to the mean of its points; a centre without points
// stays. Points and centres have two coordinates. The results are the centres
// and, for each point, the number of its centre.
//
// From: S. Lloyd, Least squares quantization in PCM, 1982; an example program of
// Accelerate. Coordinates are integers, less than 2^15 apart, so that sums in any
// order are the same and distances have no rounding errors; means are rounded
// towards zero.
//
// GPU: three kernels and memsets. In the first a thread goes through the centres for
// its point; the second adds up points and counts them by atomic operations; the
// third divides. Sums are of 32 bits.
//
// Run: obs-run examples/k-means.mlir iota:10xi32 iota:10xi32 iota:3xi32 iota:3xi32
//      obs-run examples/k-means.mlir --device=emulate --report iota:1000xi32 iota:1000xi32 iota:7xi32 iota:7xi32

!points = !obs.pull<? x i32, i32>
!ints = !obs.pull<? x i32>
!sums = !obs.push<grid, ? x i32>

func.func @main(%points: !points, %centres: !points) -> (!points, !ints) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %far = arith.constant 0x7fffffff : i32
  %n = obs.dim %points, 0 : !points
  %k = obs.dim %centres, 0 : !points
  %some = arith.cmpi uge, %k, %c1 : index
  obs.assert %some, "there is at least one centre"

  %nearest = obs.map (%x, %y = %points : !points) -> !ints {
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
  %np = obs.push %nearest : !ints -> !sums
  %labels = obs.force %np {kernel = "nearest", threads = 256 : i64} : !sums -> !ints

  %sx = obs.fill init %zero reduce(addi) [%k] par (%t) in (%n) {
    %x, %y = obs.get %points[%t] : !points
    %label = obs.get %labels[%t] : !ints
    %c = arith.index_castui %label : i32 to index
    obs.write %x at [%c] : i32
  } : !sums
  %sy = obs.fill init %zero reduce(addi) [%k] par (%t) in (%n) {
    %x, %y = obs.get %points[%t] : !points
    %label = obs.get %labels[%t] : !ints
    %c = arith.index_castui %label : i32 to index
    obs.write %y at [%c] : i32
  } : !sums
  %sn = obs.fill init %zero reduce(addi) [%k] par (%t) in (%n) {
    %label = obs.get %labels[%t] : !ints
    %c = arith.index_castui %label : i32 to index
    obs.write %one at [%c] : i32
  } : !sums
  %xs, %ys, %counts = obs.force %sx, %sy, %sn {kernel = "sums", threads = 256 : i64} : !sums, !sums, !sums -> (!ints, !ints, !ints)

  %means = obs.map (%x, %y = %centres : !points, %u = %xs : !ints, %v = %ys : !ints, %count = %counts : !ints) -> !points {
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
  %mp = obs.push %means : !points -> !obs.push<grid, ? x i32, i32>
  %moved = obs.force %mp {kernel = "means", threads = 256 : i64} : !obs.push<grid, ? x i32, i32> -> !points
  return %moved, %labels : !points, !ints
}

// Jacobi iteration for the equation of Laplace on a grid of points. In each step, each
// inner point becomes the mean of its four neighbours, and points of the border do not
// change. The number of steps, %steps, is known to the host only.
//
// From: the textbook method (C. G. J. Jacobi, 1845), a usual example of a stencil in a
// loop. The sum of the four neighbours is (above + below) + (left + right), so all
// devices compute the same bits.
//
// GPU: one kernel for each step. A loop of the host launches it and carries the array.
// Nothing is copied between steps. If there are no steps, the result is the input.
//
// Run: obs-run examples/jacobi.mlir iota:4x5xf32 3
//      obs-run examples/jacobi.mlir --device=emulate --report random:20x30xf32:1 5

!grid = !obs.pull<? x ? x f32>

func.func @main(%a: !grid, %steps: index) -> !grid {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %quarter = arith.constant 0.25 : f32
  %h = obs.dim %a, 0 : !grid
  %w = obs.dim %a, 1 : !grid
  %rows = arith.subi %h, %c2 : index
  %columns = arith.subi %w, %c2 : index
  %result = scf.for %step = %c0 to %steps step %c1 iter_args(%u = %a) -> !grid {
    %next = obs.generate (%i, %j) [%h, %w] {
      // As an unsigned number, an index below 0 is larger than each extent.
      %up = arith.subi %i, %c1 : index
      %west = arith.subi %j, %c1 : index
      %i_in = arith.cmpi ult, %up, %rows : index
      %j_in = arith.cmpi ult, %west, %columns : index
      %inner = arith.andi %i_in, %j_in : i1
      %v = scf.if %inner -> f32 {
        %down = arith.addi %i, %c1 : index
        %east = arith.addi %j, %c1 : index
        %n = obs.get %u[%up, %j] : !grid
        %s = obs.get %u[%down, %j] : !grid
        %e = obs.get %u[%i, %east] : !grid
        %o = obs.get %u[%i, %west] : !grid
        %ns = arith.addf %n, %s : f32
        %oe = arith.addf %o, %e : f32
        %sum = arith.addf %ns, %oe : f32
        %mean = arith.mulf %sum, %quarter : f32
        scf.yield %mean : f32
      } else {
        %old = obs.get %u[%i, %j] : !grid
        scf.yield %old : f32
      }
      obs.yield %v : f32
    } : !grid
    %f = obs.force %next {kernel = "jacobi"} : !grid
    scf.yield %f : !grid
  }
  return %result : !grid
}

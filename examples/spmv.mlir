// Product of a sparse matrix and a vector, y = A x. The matrix is in CSR form:
// row r has the elements %offsets[r] to %offsets[r + 1] - 1 of %columns and
// %values.
//
// From: N. Bell, M. Garland, Implementing sparse matrix-vector multiplication on
// throughput-oriented processors, 2009; an example program of Accelerate. A row
// is a slice of the products, which are never stored. Its sum is a reduction. The
// three entries differ in the level of the reduction only. The best level depends
// on the length of the rows. The additions of a row are in another order at each
// level. So results differ in their last bits, unless all sums are exact.
//
// @band is @block_per_row for a matrix with %width elements in each row. Its
// offsets, columns and values are functions of the index, so no matrix is in
// memory.
//
// GPU: one kernel. In @thread_per_row, a thread has a loop over the row. In
// @warp_per_row and @block_per_row, the threads share the row, and neighbouring
// threads read neighbouring elements. A tree adds the sums of the threads.
//
// Run: obs-run examples/spmv.mlir --entry=thread_per_row iota:6xi32 iota:5xi32 iota:5xf32 iota:5xf32
//      obs-run examples/spmv.mlir --entry=warp_per_row --device=emulate --report iota:101xi32 iota:100xi32 iota:100xf32 iota:100xf32
//      obs-run examples/spmv.mlir --entry=block_per_row --device=emulate --report iota:101xi32 iota:100xi32 iota:100xf32 iota:100xf32
//      obs-run examples/spmv.mlir --entry=band --device=emulate --report 20 300 iota:20xf32

!ints = !obs.pull<? x i32>
!floats = !obs.pull<? x f32>
!rows = !obs.pull<? x !floats>

// The rows of the products. The number of rows is one less than the number of offsets,
// which is at least one.
func.func private @rows(%offsets: !ints, %columns: !ints, %values: !floats, %x: !floats) -> !rows {
  %c1 = arith.constant 1 : index
  %n = obs.dim %offsets, 0 : !ints
  %ok = arith.cmpi uge, %n, %c1 : index
  obs.assert %ok, "there is at least one offset"
  %count = arith.subi %n, %c1 : index
  %products = obs.map (%c = %columns : !ints, %v = %values : !floats) {
    %j = arith.index_castui %c : i32 to index
    %y = obs.get %x[%j] : !floats
    %m = arith.mulf %v, %y : f32
    obs.yield %m : f32
  }
  %rows = obs.generate (%r) [%count] {
    %next = arith.addi %r, %c1 : index
    %o = obs.get %offsets[%r] : !ints
    %e = obs.get %offsets[%next] : !ints
    %begin = arith.index_castui %o : i32 to index
    %end = arith.index_castui %e : i32 to index
    %length = arith.subi %end, %begin : index
    %row = obs.slice %products [%begin] [%length] [1] : !floats
    obs.yield %row : !floats
  } : !rows
  return %rows : !rows
}

func.func @thread_per_row(%offsets: !ints, %columns: !ints, %values: !floats, %x: !floats) -> !floats {
  %zero = arith.constant 0.0 : f32
  %rows = func.call @rows(%offsets, %columns, %values, %x) : (!ints, !ints, !floats, !floats) -> !rows
  %y = obs.map (%row = %rows : !rows) {
    %sum = obs.reduce { arith.addf } %row init %zero : !floats
    obs.yield %sum : f32
  }
  %f = obs.force %y {kernel = "spmv_thread"} : !floats
  return %f : !floats
}

func.func @warp_per_row(%offsets: !ints, %columns: !ints, %values: !floats, %x: !floats) -> !floats {
  %zero = arith.constant 0.0 : f32
  %rows = func.call @rows(%offsets, %columns, %values, %x) : (!ints, !ints, !floats, !floats) -> !rows
  %sums = obs.distribute warp in grid (%row = %rows : !rows) {
    %sum = obs.reduce { arith.addf } %row init %zero {commutative} : !floats
    %one = obs.splat %sum : !obs.pull<1 x f32>
    %p = obs.push warp %one : !obs.pull<1 x f32>
    obs.yield %p : !obs.push<warp, 1 x f32>
  }
  %flat = obs.join %sums : !obs.push<grid, ? x 1 x f32>
  %f = obs.force %flat {kernel = "spmv_warp", threads = 128} : !obs.push<grid, ? x f32>
  return %f : !floats
}

func.func @block_per_row(%offsets: !ints, %columns: !ints, %values: !floats, %x: !floats) -> !floats {
  %zero = arith.constant 0.0 : f32
  %rows = func.call @rows(%offsets, %columns, %values, %x) : (!ints, !ints, !floats, !floats) -> !rows
  %sums = obs.distribute block in grid (%row = %rows : !rows) {
    %sum = obs.reduce { arith.addf } %row init %zero {commutative} : !floats
    %one = obs.splat %sum : !obs.pull<1 x f32>
    %p = obs.push block %one : !obs.pull<1 x f32>
    obs.yield %p : !obs.push<block, 1 x f32>
  }
  %flat = obs.join %sums : !obs.push<grid, ? x 1 x f32>
  %f = obs.force %flat {kernel = "spmv_block", threads = 128} : !obs.push<grid, ? x f32>
  return %f : !floats
}

func.func @band(%rows: index, %width: index, %x: !floats) -> !floats {
  %c1 = arith.constant 1 : index
  %n = obs.dim %x, 0 : !floats
  %bounds = arith.addi %rows, %c1 : index
  %size = arith.muli %rows, %width : index
  %offsets = obs.generate (%r) [%bounds] {
    %o = arith.muli %r, %width : index
    %i = arith.index_cast %o : index to i32
    obs.yield %i : i32
  } : !ints
  // Row r has the columns r, r + 1, ..., modulo the number of columns.
  %columns = obs.generate (%k) [%size] {
    %r = arith.divui %k, %width : index
    %j = arith.remui %k, %width : index
    %c = arith.addi %r, %j : index
    %m = arith.remui %c, %n : index
    %i = arith.index_cast %m : index to i32
    obs.yield %i : i32
  } : !ints
  %values = obs.generate (%k) [%size] {
    %j = arith.remui %k, %width : index
    %i = arith.index_cast %j : index to i32
    %v = arith.sitofp %i : i32 to f32
    obs.yield %v : f32
  } : !floats
  %y = func.call @block_per_row(%offsets, %columns, %values, %x) : (!ints, !ints, !floats, !floats) -> !floats
  return %y : !floats
}

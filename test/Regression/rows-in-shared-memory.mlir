// Softmax and layer normalisation of the rows of a matrix. A block loads a row of at most 5000 elements once, and keeps it
// in shared memory: the kernels read each element of the argument once. @softmax_online reads rows of any length twice.

// RUN: obs-opt --obs-report-cost %s -o /dev/null 2>/dev/null | FileCheck %s --check-prefix=COST
// COST-LABEL: kernel 'softmax' at
// COST:       global memory: 4 * arg0.dim0 * arg0.dim1 bytes read, 4 * arg0.dim0 * arg0.dim1 bytes written
// COST-LABEL: kernel 'layernorm' at
// COST:       read global f32 at {{.*}} 4 * arg0.dim0 * arg0.dim1 bytes
// COST-NOT:   local memory
// COST-LABEL: kernel 'softmax_online' at

// The elements of a row are equal: each of four is 1/4.
// RUN: obs-run %s --entry=softmax --device=interpret zeros:3x4xf32 2>/dev/null | FileCheck %s --check-prefix=QUARTERS
// RUN: obs-run %s --entry=softmax --device=emulate --check=all zeros:3x4xf32 2>/dev/null | FileCheck %s --check-prefix=QUARTERS
// RUN: obs-run %s --entry=softmax_online --device=emulate --check=all zeros:3x4xf32 2>/dev/null | FileCheck %s --check-prefix=QUARTERS
// QUARTERS-COUNT-3: [0.25, 0.25, 0.25, 0.25]

!matrix = !obs.pull<? x ? x f32 bound [?, 5000]>
!row = !obs.pull<? x f32 bound [5000]>
!prow = !obs.push<block, ? x f32 bound [5000]>
!pmatrix = !obs.push<grid, ? x ? x f32 bound [?, 5000]>

func.func private @rows(%a: !matrix) -> !obs.pull<? x !row> {
  %h = obs.dim %a, 0 : !matrix
  %w = obs.dim %a, 1 : !matrix
  %rows = obs.generate (%r) [%h] {
    %row = obs.generate (%c) [%w] {
      %v = obs.get %a[%r, %c] : !matrix
      obs.yield %v : f32
    } : !row
    obs.yield %row : !row
  } : !obs.pull<? x !row>
  return %rows : !obs.pull<? x !row>
}

func.func @softmax(%a: !matrix) -> !matrix {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %rows = func.call @rows(%a) : (!matrix) -> !obs.pull<? x !row>
  %s = obs.distribute block (%row = %rows : !obs.pull<? x !row>) -> !pmatrix {
    %p = obs.push %row : !row -> !prow
    %x = obs.force %p : !prow -> !row
    %max = obs.reduce (%u, %v) = %x init %least {commutative, strategy = "warps"} : !row -> f32 {
      %m = arith.maximumf %u, %v : f32
      obs.yield %m : f32
    }
    %e0 = obs.map (%v = %x : !row) -> !row {
      %d = arith.subf %v, %max : f32
      %e = math.exp %d : f32
      obs.yield %e : f32
    }
    %pe = obs.push %e0 : !row -> !prow
    %e = obs.force %pe : !prow -> !row
    %sum = obs.reduce (%u, %v) = %e init %zero {commutative, strategy = "warps"} : !row -> f32 {
      %t = arith.addf %u, %v : f32
      obs.yield %t : f32
    }
    %k = arith.divf %one, %sum : f32
    %y = obs.map (%v = %e : !row) -> !row {
      %t = arith.mulf %v, %k : f32
      obs.yield %t : f32
    }
    %q = obs.push %y : !row -> !prow
    obs.yield %q : !prow
  }
  %r = obs.force %s {kernel = "softmax", threads = 256 : i64} : !pmatrix -> !matrix
  return %r : !matrix
}

func.func @layernorm(%a: !matrix, %gamma: !row, %beta: !row, %eps: f32) -> !matrix {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %w = obs.dim %a, 1 : !matrix
  %wi = arith.index_cast %w : index to i32
  %wf = arith.sitofp %wi : i32 to f32
  %k = arith.divf %one, %wf : f32
  %rows = func.call @rows(%a) : (!matrix) -> !obs.pull<? x !row>
  %s = obs.distribute block (%row = %rows : !obs.pull<? x !row>) -> !pmatrix {
    %p = obs.push %row : !row -> !prow
    %x = obs.force %p : !prow -> !row
    %sum = obs.reduce (%u, %v) = %x init %zero {commutative, strategy = "warps"} : !row -> f32 {
      %t = arith.addf %u, %v : f32
      obs.yield %t : f32
    }
    %mean = arith.mulf %sum, %k : f32
    %squares = obs.map (%v = %x : !row) -> !row {
      %d = arith.subf %v, %mean : f32
      %t = arith.mulf %d, %d : f32
      obs.yield %t : f32
    }
    %ssum = obs.reduce (%u, %v) = %squares init %zero {commutative, strategy = "warps"} : !row -> f32 {
      %t = arith.addf %u, %v : f32
      obs.yield %t : f32
    }
    %var = arith.mulf %ssum, %k : f32
    %var_eps = arith.addf %var, %eps : f32
    %rstd = math.rsqrt %var_eps : f32
    %y = obs.map (%v = %x : !row, %g = %gamma : !row, %b = %beta : !row) -> !row {
      %d = arith.subf %v, %mean : f32
      %n = arith.mulf %d, %rstd : f32
      %gn = arith.mulf %n, %g fastmath<contract> : f32
      %t = arith.addf %gn, %b fastmath<contract> : f32
      obs.yield %t : f32
    }
    %q = obs.push %y : !row -> !prow
    obs.yield %q : !prow
  }
  %r = obs.force %s {kernel = "layernorm", threads = 256 : i64} : !pmatrix -> !matrix
  return %r : !matrix
}

!any = !obs.pull<? x ? x f32>
!arow = !obs.pull<? x f32>

func.func @softmax_online(%a: !any) -> !any {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %h = obs.dim %a, 0 : !any
  %w = obs.dim %a, 1 : !any
  %rows = obs.generate (%r) [%h] {
    %row = obs.generate (%c) [%w] {
      %v = obs.get %a[%r, %c] : !any
      obs.yield %v : f32
    } : !arow
    obs.yield %row : !arow
  } : !obs.pull<? x !arow>
  %s = obs.distribute block (%row = %rows : !obs.pull<? x !arow>) -> !obs.push<grid, ? x ? x f32> {
    %pairs = obs.map (%v = %row : !arow) -> !obs.pull<? x f32, f32> {
      obs.yield %v, %one : f32, f32
    }
    %max, %sum = obs.reduce (%m1, %s1, %m2, %s2) = %pairs init %least, %zero {commutative} : !obs.pull<? x f32, f32> -> (f32, f32) {
      // The larger one keeps its sum, the other is scaled; one exponential for both.
      %m = arith.maximumf %m1, %m2 : f32
      %l = arith.minimumf %m1, %m2 : f32
      %d0 = arith.subf %l, %m : f32
      // -inf - -inf: nothing and nothing.
      %eq = arith.cmpf oeq, %l, %m : f32
      %d = arith.select %eq, %zero, %d0 : f32
      %f = math.exp %d : f32
      %first = arith.cmpf oge, %m1, %m2 : f32
      %big = arith.select %first, %s1, %s2 : f32
      %small = arith.select %first, %s2, %s1 : f32
      %scaled = arith.mulf %small, %f : f32
      %t = arith.addf %big, %scaled : f32
      obs.yield %m, %t : f32, f32
    }
    %k = arith.divf %one, %sum : f32
    %y = obs.map (%v = %row : !arow) -> !arow {
      %d = arith.subf %v, %max : f32
      %e = math.exp %d : f32
      %t = arith.mulf %e, %k : f32
      obs.yield %t : f32
    }
    %q = obs.push %y : !arow -> !obs.push<block, ? x f32>
    obs.yield %q : !obs.push<block, ? x f32>
  }
  %r = obs.force %s {kernel = "softmax_online", threads = 256 : i64} : !obs.push<grid, ? x ? x f32> -> !any
  return %r : !any
}

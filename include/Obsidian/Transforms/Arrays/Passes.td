//===- Passes.td - Passes on arrays ------------------------*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TRANSFORMS_ARRAYS_PASSES_TD
#define OBSIDIAN_TRANSFORMS_ARRAYS_PASSES_TD

include "mlir/Pass/PassBase.td"

def ObsBatchDistributePass : Pass<"obs-batch-distribute"> {
  let summary = "Run sub-programs of one level side by side";
  let description = [{
    A `par` over instances of the level of its region has no workers that could
    execute the instances in parallel. This pass merges the instances. Each
    parallel loop of a sub-program becomes one loop over all instances. Each
    array that the sub-programs force becomes one array with the instances as
    leading dimensions. One barrier for each instance becomes one barrier for
    all.

    ```mlir
    // before, at level block
    obs.par block (%i) in (%c2) {
      %p = obs.fill par (%t) in (%c8) {
        obs.write %x at [%t] : i32
      } : !obs.push<block, 8 x i32>
      %a = obs.force %p : !obs.push<block, 8 x i32>
    }
    // after
    %p = obs.fill par (%i, %t) in (%c2, %c8) {
      obs.write %x at [%i, %t] : i32
    } : !obs.push<block, 2 x 8 x i32>
    %a = obs.force %p : !obs.push<block, 2 x 8 x i32>
    ```

    Sub-programs whose control flow depends on the instance are unchanged: they
    run one after the other.
  }];
}

def ObsContractFloatsPass : Pass<"obs-contract-floats"> {
  let summary = "Compute a product and a sum with one rounding";
  let description = [{
    The sum or difference of a product and a number becomes `math.fma` if both
    operations have the flag `contract` of `fastmath`. If both operands are
    products, the first one is contracted. Afterwards no operation has the flag,
    so the interpreter, the emulator and the GPU compute the same bits.
    Therefore the pass runs before all others, and `obs-run` runs it before it
    interprets a program. A product and a sum in different regions are not
    contracted, with one exception: a thread that adds an array of products
    contracts each product with the sum before it.

    ```mlir
    // before
    %p = arith.mulf %a, %b fastmath<contract> : f32
    %s = arith.addf %p, %c fastmath<contract> : f32
    // after
    %s = math.fma %a, %b, %c : f32
    ```
  }];
  let options = [
    Option<"all", "all", "bool", /*default=*/"false",
           "Also contract operations without the flag">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def ObsFoldTablesPass : Pass<"obs-fold-tables", "ModuleOp"> {
  let summary = "Tables in constant memory become literals";
  let description = [{
    The reference interpreter computes each table that is forced `in constant`.
    No kernel computes the table; it becomes part of the code of the kernels
    that read it.

    ```mlir
    // before
    %g = obs.generate (%i) {
      %j = arith.subi %c3, %i : index
      obs.yield %j : index
    } : !obs.pull<4 x index>
    %t = obs.force %g in constant : !obs.pull<4 x index>
    // after
    %t = obs.constant dense<[3, 2, 1, 0]> : tensor<4xindex>
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def ObsFuseArraysPass : Pass<"obs-fuse-arrays"> {
  let summary = "Fuse everything that is not forced";
  let description = [{
    A read of a pull array becomes the computation of the element. A force of a
    push array becomes the program of the array, with the memory of the force as
    its writer. An array that a loop carries is forced before the loop and at
    the end of its body. An array that a host function returns is forced. If a
    map follows writes of contract `reduce`, the combined elements are forced
    before the map.

    Afterwards, every force has one `obs.fill` for each result, and this fill
    contains no `obs.put`. Every `obs.get` reads storage: a view, a constant,
    the result of a force, or a carried array. If both arms of a select read one
    array, they share the read.

    ```mlir
    // before
    %b = obs.map (%x = %a : !obs.pull<8 x i32>) {
      %y = arith.addi %x, %x : i32
      obs.yield %y : i32
    }
    %r = obs.force %b : !obs.pull<8 x i32>
    // after
    %p = obs.fill par (%i) in (%c8) {
      %x = obs.get %a[%i] : !obs.pull<8 x i32>
      %y = arith.addi %x, %x : i32
      obs.write %y at [%i] : i32
    } : !obs.push<grid, 8 x i32>
    %r = obs.force %p : !obs.push<grid, 8 x i32>
    ```

    A remark names every virtual array whose elements take longer to compute
    than to read, and that is read at several indices or in several kernels.
  }];
}

def ObsInsertRuntimeChecksPass : Pass<"obs-insert-runtime-checks"> {
  let summary = "Check extents that the types leave open";
  let description = [{
    Rule R4 for dynamic extents: the pass puts an `obs.assert` before every
    operation whose arrays must agree in extents, or that must stay within an
    array, unless the types prove this.

    Programs that become kernels are checked, too: those of a `distribute` or a
    `fill`, the functions of a `map` or a `generate`, and a choice among arrays.
    The assertion stands in front of the program, in host code, if its numbers
    are known there: they depend on extents and parameters, not on elements or
    on the number of an instance. It holds if the program, the branch or the
    loop around the operation does not run.

    A check that only a kernel can make costs time in the kernel. With
    `host-only` the pass does not make it. Otherwise, the assertion is in the
    program, but never in scalar code. Then the pass also puts assertions on the
    lengths of `obs.expand`, which are not negative and for whose sum the result
    has room, and on the offsets of segments, which ascend. At level grid, the
    sum is one more kernel.

    ```mlir
    // before
    %z = obs.zip %a, %b : !obs.pull<? x i32>, !obs.pull<? x f32>
    // after
    %n = obs.dim %a, 0 : !obs.pull<? x i32>
    %m = obs.dim %b, 0 : !obs.pull<? x f32>
    %ok = arith.cmpi eq, %n, %m : index
    obs.assert %ok, "[R4-extents] obs.zip: the arrays have different extents"
    %z = obs.zip %a, %b : !obs.pull<? x i32>, !obs.pull<? x f32>
    ```
  }];
  let options = [
    Option<"hostOnly", "host-only", "bool", "false",
           "Make only the checks that the host can make">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def ObsProveDisjointPass : Pass<"obs-prove-disjoint"> {
  let summary = "Mark writes of `disjoint` that are not proved";
  let description = [{
    Contract `disjoint` of an `obs.fill` has three outcomes. The verifier
    refuses the fill if it finds two writes of one element. The pass asks it
    again, because indices that depend on the arguments of a call are known
    only after the call is inlined. If the algebra of
    index maps proves the contract, the writes get no mark. Otherwise the pass
    marks the writes, and later their stores, with the contract. The emulator
    then reports a collision as a broken promise, and `obs-check-races` names
    the contract as an assumption of its proof.

    ```mlir
    // before: the indices are in an array
    %j = obs.get %to[%i] : !obs.pull<? x index>
    obs.write %x at [%j] : i32
    // after
    obs.write %x at [%j] {obs.contract = "unproved"} : i32
    // in the kernel
    memref.store %x, %out[%j] {obs.contract = "disjoint"} : memref<?xi32>
    ```
  }];
}

def ObsStageRowsPass : Pass<"obs-stage-rows"> {
  let summary = "Copy the rows that threads process to shared memory";
  let description = [{
    If each thread of the grid processes one row, neighbouring threads read
    elements that are a row apart. This pass divides such a loop into parts of
    up to 512 rows. A block copies its rows to shared memory together, along the
    rows, and each thread processes its row there. If the result has rows too,
    they are stored in shared memory, and the block copies them to the result.

    ```mlir
    // before, in a program of the grid
    obs.par (%i) in (%n) {
      %s = scf.for %k = %c0 to %c33 step %c1 iter_args(%t = %zero) -> (f32) {
        %x = obs.get %a[%i, %k] : !obs.pull<? x 33 x f32>
        %u = arith.addf %t, %x : f32
        scf.yield %u : f32
      }
      obs.write %s at [%i] : f32
    }
    // after
    obs.par block (%b) in (%blocks) {
      %f = obs.fill par (%r, %k) in (%c256, %c33) {
        %x = obs.get %a[%i, %k] : !obs.pull<? x 33 x f32>
        obs.write %x at [%r, %k] : f32
      } : !obs.push<block, 256 x 33 x f32>
      %t = obs.force %f in shared : !obs.push<block, 256 x 33 x f32>
      obs.par (%r) in (%c256) {
        %s = scf.for %k = %c0 to %c33 step %c1 iter_args(%t = %zero) -> (f32) {
          %x = obs.get %t[%r, %k] : !obs.pull<256 x 33 x f32>
          ...
        }
        obs.write %s at [%i] : f32
      }
    }
    ```

    In all loops, `%i` is `256 * %b + %r`, and the last block has guards. The
    iterations of a loop with several counters are numbered.

    The pass runs on fused programs. It copies elements whose places are
    computed from the counters of the grid and of a loop of known length, if
    neighbouring iterations of this loop read neighbours, and neighbouring
    threads do not. It also copies rows of short arrays, all of whose elements a
    thread reads. What is read under a condition or behind an assertion stays
    where it is. Results have rows if each thread writes all elements of one. If
    32 rows take more than `limit`, the loop is unchanged. If the program has no
    number of threads, it is one for which all threads copy the same number of
    elements.
  }];
  let options = [
    Option<"limit", "limit", "int64_t", "49152",
           "Maximum shared memory for the rows of a block in bytes">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"
  ];
}

def ObsTileTransposesPass : Pass<"obs-tile-transposes"> {
  let summary = "Read arrays along rows that a kernel writes along columns";
  let description = [{
    In a loop over the grid, neighbouring threads have neighbouring iterations.
    If a read and a write follow different counters, one of them is a row apart
    from its neighbour. An example is a transposition. This pass divides such a
    loop into tiles of 32 x 32 iterations. A block reads a tile along the rows
    of the array, stores it in shared memory, and then executes the iterations
    of the tile along the rows of the result.

    ```mlir
    // before, in a program of the grid
    obs.par (%i, %j) in (%n, %m) {
      %x = obs.get %a[%j, %i] : !obs.pull<? x ? x f32>
      obs.write %x at [%i, %j] : f32
    }
    // after, where %n and %m are multiples of 32
    obs.par block (%p, %q) in (%rows, %columns) {
      %t = obs.fill par (%v, %u) in (%c32, %c32) {
        %x = obs.get %a[%j, %i] : !obs.pull<? x ? x f32>
        obs.write %x at [%v, %u] : f32
      } : !obs.push<block, 32 x 32 x f32>
      %s = obs.force %t in shared : !obs.push<block, 32 x 32 x f32>
      obs.par (%u, %v) in (%c32, %c32) {
        %x = obs.get %s[%v, %u] : !obs.pull<32 x 32 x f32>
        obs.write %x at [%i, %j] : f32
      }
    }
    ```

    In both loops, `%i` is `32 * %p + %u`, and `%j` is `32 * %q + %v`. If an
    extent is not a multiple of 32, the last tiles have guards. A dimension of
    up to 48 elements is not divided. If rows of fewer than 16 elements are
    written, the loop is unchanged: a warp writes several of them. If an extent
    is known at run time only, a branch chooses between tiles and the unchanged
    loop, which is faster if rows of fewer than 6 elements are read.

    The pass runs on fused programs. It changes loops that read and compute
    elements without loops and sub-programs. The tiles of a block have up to 16
    KB; other reads along columns, and reads behind an assertion, are unchanged.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"
  ];
}

def ObsUnrollLoopsPass : Pass<"obs-unroll-loops"> {
  let summary = "Unroll loops that are marked, or that carry arrays of warps";
  let description = [{
    Loops stay loops, so that code does not grow with extents. There are two
    exceptions: loops with the attribute `obs.unroll`, and loops of up to 16
    iterations at level warp that carry an array of 33 to 1024 elements. An
    example is the stages of a network, whose partners must be constants for
    arrays in registers. An array of at most 32 elements is one register of each
    lane, so that loops over it can stay loops. The bounds of a marked loop are
    constants, possibly after unrolling of the loops around it
    (`[unroll-bounds]`). It unrolls to at most 32768 operations
    (`[unroll-size]`).

    ```mlir
    // before
    %s = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x) -> i32 {
      %k = arith.index_cast %i : index to i32
      %b = arith.addi %a, %k : i32
      scf.yield %b : i32
    } {obs.unroll}
    // after
    %b = arith.addi %x, %c0_i32 : i32
    %s = arith.addi %b, %c1_i32 : i32
    ```

    No loop with `obs.unroll` remains.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ObsVerifyCallsPass : Pass<"obs-verify-calls", "::mlir::ModuleOp"> {
  let summary = "Refuse calls in array code that cannot be inlined";
  let description = [{
    Kernels contain no calls. So a function is inlined if it is called in the
    region of an array operation or in a function of a level, or if it takes or
    returns arrays. Such a function has a body of one block and is not
    recursive, and a function of a level is called in code of this level. The
    pass reports the first call that violates this, and the calls that lead to
    it. It also reports a `memref.dim` of a dimension that does not exist, and
    virtual arrays whose elements are loads from memory that the program stores
    to. It changes nothing, and runs before the inliner.

    ```mlir
    func.func private @f(i32) -> i32
    func.func @g(%a: !obs.pull<8 x i32>) -> !obs.pull<8 x i32> {
      %m = obs.map (%x = %a : !obs.pull<8 x i32>) {
        // error: 'func.call' op [call-inline] calls 'f', which has no body
        %y = func.call @f(%x) : (i32) -> i32
        obs.yield %y : i32
      }
      return %m : !obs.pull<8 x i32>
    }
    ```
  }];
}

#endif // OBSIDIAN_TRANSFORMS_ARRAYS_PASSES_TD

//===- Passes.td - Passes on GPU kernels -------------------*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TRANSFORMS_GPU_PASSES_TD
#define OBSIDIAN_TRANSFORMS_GPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def ObsAlignAccessesPass : Pass<"obs-align-accesses", "::mlir::ModuleOp"> {
  let summary = "State the alignment of loads and stores";
  let description = [{
    The code generator joins the accesses of neighbours if it knows the
    alignment of the first one. The pass counts the low bits of each address
    that are zero: those of the parameter (`obs-align-arguments`) or of the
    place in shared memory, of the indices, and of the lengths of rows. A
    branch that is executed only if a length is a multiple of a number tells
    this, too. Values that loops carry have the bits of the first value, if an
    iteration keeps them. `alignment` states what is more than the size of an
    element, up to 16 bytes. The emulator checks it.

    ```mlir
    // before
    %i = arith.muli %t, %c4 : index
    %j = arith.addi %i, %c1024 : index
    %x = memref.load %a[%j] : memref<?xf32>
    // after, if the parameter %a has `llvm.align = 16`
    %x = memref.load %a[%j] {alignment = 16 : i64} : memref<?xf32>
    ```
  }];
}

def CombineAssertsPass
    : Pass<"obs-combine-asserts", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Test several assertions by one branch";
  let description = [{
    A thread that executes several elements asserts a condition for each of
    them, and a branch for each assertion takes more time than the condition.

    - A condition `0 <= x < end` becomes one comparison without signs, with
      `max(end, 0)`. If `x` extends a narrow number, the narrow number is
      compared.
    - After the assertion, a narrow number is extended without its sign, so
      `obs-narrow-indices` knows that it is not negative. Other tests of
      `x < end` without signs are true.
    - Assertions with the same message and location become one, if only
      arithmetic is between them.

    The message of a failed assertion does not change. Run it before
    `obs-narrow-indices`.

    Example:

    ```mlir
    %i = arith.index_cast %a : i32 to index
    %l = arith.cmpi sge, %i, %c0 : index
    %h = arith.cmpi slt, %i, %n : index
    %o = arith.andi %l, %h : i1
    cf.assert %o, "out of range"
    %p = arith.index_cast %b : i32 to index
    ...
    cf.assert %q, "out of range"
    memref.store %v, %m[%i] : memref<?xf32>
    ```

    becomes

    ```mlir
    %m0 = arith.maxsi %n, %c0 : index
    %m1 = arith.minui %m0, %c2147483648 : index
    %e = arith.index_castui %m1 : index to i32
    %o = arith.cmpi ult, %a, %e : i32
    %i = arith.index_castui %a : i32 to index
    ...
    %both = arith.andi %o, %q : i1
    cf.assert %both, "out of range"
    memref.store %v, %m[%i] : memref<?xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ExpandRemaindersPass
    : Pass<"obs-expand-remainders", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Compute remainders of numbers near their range without division";
  let description = [{
    A program that continues an array past its ends, periodically or in a
    mirror, divides each index by an extent. Nearly all of these indices are in
    the array or one extent outside of it, and a division of 64 bits takes about
    as long as a hundred other operations, for all lanes of a warp. So a signed
    remainder of indices by a number that is not constant becomes a test, and
    the division is in a branch.

    ```mlir
    // before
    %r = arith.remsi %x, %n : index
    // after
    %below = arith.cmpi slt, %x, %n : index
    %minus = arith.subi %zero, %n : index
    %above = arith.cmpi slt, %minus, %x : index
    %rest = arith.subi %x, %n : index
    %positive = arith.cmpi slt, %zero, %n : index
    %less = arith.cmpi slt, %rest, %n : index
    %short = arith.andi %positive, %less : i1
    %near = arith.select %below, %above, %short : i1
    %r = scf.if %near -> (index) {
      %s = arith.select %below, %x, %rest : index
      scf.yield %s : index
    } else {
      %d = arith.remsi %x, %n : index
      scf.yield %d : index
    }
    ```

    Run it after `obs-narrow-indices`, which finds the ranges of remainders.
    Unsigned remainders stay: they split linear indices into rows and columns.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"
  ];
}

def ExpandExchangesPass : Pass<"obs-expand-exchanges", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Replace operations between blocks by accesses, fences and barriers";
  let description = [{
    - `obs.ticket`: the first thread of a block increments the counter, and all
      threads read the number after a barrier. The barrier of a block of one warp
      is one of the warp, and a block of one thread has none.
    - `obs.arrive`: the same, or one addition for each thread, between a release
      fence and an acquire fence.
    - `obs.publish`: stores, a release fence, and an exchange of the flag.
    - `obs.await`: a loop that reads the flag, an acquire fence, and loads.

    ```mlir
    // before
    %n = obs.ticket %counters[%i] via %cell : memref<?xi32>, memref<index, 3>
    // after
    %t = gpu.thread_id x
    %first = arith.cmpi eq, %t, %c0 : index
    scf.if %first {
      %old = memref.atomic_rmw addi %c1, %counters[%i] : (i32, memref<?xi32>) -> i32
      %drawn = arith.index_cast %old : i32 to index
      memref.store %drawn, %cell[] : memref<index, 3>
    }
    gpu.barrier
    %n = memref.load %cell[] : memref<index, 3>
    ```
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def ObsFreezeIntegersPass : Pass<"obs-freeze-integers", "::mlir::ModuleOp"> {
  let summary = "Hide from LLVM that unsigned integers were floats";
  let description = [{
    LLVM takes `arith.uitofp` for exact if its operand is the result of
    `arith.fptosi`, and the digits of the first float fit into those of the
    second one. It then converts the integer directly to a longer type, or does
    not convert it at all. This is wrong for a negative integer: -1 of i32 is
    2^32 - 1 as unsigned number, which f32 rounds to 2^32. If a kernel has an
    `arith.fptosi`, the pass freezes the operands of all `arith.uitofp` that may
    round, so that LLVM does not see where they come from. LLVM does not compile
    the code of the host.

    ```mlir
    // before
    %i = arith.fptosi %x : bf16 to i32
    %f = arith.uitofp %i : i32 to f32
    // after
    %i = arith.fptosi %x : bf16 to i32
    %j = llvm.freeze %i : i32
    %f = arith.uitofp %j : i32 to f32
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ObsJoinExtentsPass : Pass<"obs-join-extents", "::mlir::ModuleOp"> {
  let summary = "Use one parameter for extents that are equal in all launches";
  let description = [{
    A kernel has a parameter for each run-time extent of each array. If every
    launch passes equal values for two of them, the kernel uses the first one
    only. Values are equal if they are one value or one constant, or if an
    assertion before the launch says so. The parameters stay, in the order of
    the source. `memref.dim` of an array is the parameter, too. Kernels without
    a loop with `obs.items` are unchanged, because nothing is gained there.

    So `obs-write-tiles` sees that the indices of an array are those of another
    one, and tests one length of rows for both.

    ```mlir
    // before, if all launches pass args(%x, %n, %y, %n)
    gpu.func @square(%a: memref<f32>, %n: index, %b: memref<f32>, %m: index) kernel {
      S(%n, %m)
    // after
    gpu.func @square(%a: memref<f32>, %n: index, %b: memref<f32>, %m: index) kernel {
      S(%n, %n)
    ```
  }];
  let statistics = [
    Statistic<"joined", "parameters joined", "Parameters without uses now">
  ];
}

def ObsMergeKernelsPass : Pass<"obs-merge-kernels", "::mlir::ModuleOp"> {
  let summary = "Merge kernels with equal code";
  let description = [{
    Kernels to which the source gives the same name, or none, often have the
    same code: the same function was called for arrays of several sizes, which
    are arguments. Kernels that differ only in source locations become one
    kernel. Their launches then differ in arguments only, in one or several host
    functions. Kernels that the source names differently stay, since each name
    is an entry point.

    Kernels for arrays of several static shapes also become one kernel, if their
    code differs only in constant bounds of loops over the iterations of a grid.
    Such a bound becomes a parameter, and the launches pass the constants. The
    `llvm.range` of the parameter keeps the known range. A number that an
    iteration is subtracted from, such as `n - 1` in `n - 1 - i`, is computed
    from the parameter, once for each thread, if it is the bound plus a constant
    in all of these kernels. All other numbers are part of the code: sizes of
    shared memory, offsets, strides, divisors, and numbers that indices are
    compared with. Arrays get extents that fit all launches.

    `obs.entry` is the name in the source, for a kernel whose name was already
    in use. `obs.unnamed` marks a kernel without a name in the source.

    ```mlir
    // before
    gpu.launch_func @kernels::@square blocks in (%b, %c1, %c1) threads in (%t, %c1, %c1) args(%x : memref<f32>, %n : index)
    gpu.launch_func @kernels::@square_0 blocks in (%d, %c1, %c1) threads in (%t, %c1, %c1) args(%y : memref<f32>, %m : index)
    // after
    gpu.launch_func @kernels::@square blocks in (%b, %c1, %c1) threads in (%t, %c1, %c1) args(%x : memref<f32>, %n : index)
    gpu.launch_func @kernels::@square blocks in (%d, %c1, %c1) threads in (%t, %c1, %c1) args(%y : memref<f32>, %m : index)

    // before, and in @twice_0 up to %c1024
    gpu.func @twice(%a: memref<f32>) kernel {
      scf.for %i = %id to %c512 step %all { ... }
    // after
    gpu.func @twice(%a: memref<f32>, %n: index {llvm.range = #llvm.constant_range<i64, 512, 1025>}) kernel {
      scf.for %i = %id to %n step %all { ... }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect"];
  let statistics = [
    Statistic<"merged", "kernels merged", "Kernels that another one replaces">
  ];
}

def NarrowIndicesPass
    : Pass<"obs-narrow-indices", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Compute indices in 32 bits if they fit";
  let description = [{
    Indices have 64 bits, so that arrays may have more than 2^32 elements. The
    registers of a GPU have 32 bits. This pass computes a value in `i32` if a
    range analysis proves that it fits. The analysis uses the ids of threads and
    lanes, constant extents, bounds of loops, masks and remainders. A narrow
    value is extended where it is used as an index.

    - The values of a kernel stay the same. The only assumptions are that
      extents are not negative, and that a launch has at most 2^31 - 1 blocks of
      warps of 32 lanes. An extent that is known only at launch, and values that
      are computed from it, stay 64 bits wide, unless `llvm.range` of the
      parameter shows that they fit.
    - A value is zero-extended if it cannot be negative, and sign-extended
      otherwise. So indices before the first element keep their meaning.
    - The results of sums, differences, products and shifts to the left must
      fit. For all other operations, the operands must fit, too. If the operands
      fit, the operations in 32 bits are marked as free of overflow (`nsw`,
      `nuw`).
    - The counter of a loop is an `i32` if the step is not constant, as in loops
      over the blocks of a grid. It is unsigned if the index after the last one
      requires this. The counters of other loops are of type `index`. Sums and
      products of such a counter are left to LLVM's strength reduction, unless
      the counter is also divided.

    Run it after all analyses of accesses, and before the conversion to NVVM.

    Example:

    ```mlir
    gpu.func @k(%a: memref<f32>, %n: index) kernel
        attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c4 = arith.constant 4 : index
      %x = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [1]
          : memref<f32> to memref<?xf32>
      %t = gpu.thread_id x
      %q = arith.divui %t, %c4 : index
      %i = arith.addi %q, %n : index
      %v = memref.load %x[%i] : memref<?xf32>
      ...
    ```

    becomes

    ```mlir
      %c4 = arith.constant 4 : i32
      %t = gpu.thread_id x
      %t32 = arith.index_castui %t : index to i32
      %q32 = arith.divui %t32, %c4 : i32
      %q = arith.index_castui %q32 : i32 to index
      %i = arith.addi %q, %n : index
      %v = memref.load %x[%i] : memref<?xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ObsRestrictArgumentsPass : Pass<"obs-restrict-arguments", "::mlir::ModuleOp"> {
  let summary = "Tell the code generator which arrays of a kernel do not overlap";
  let description = [{
    Two arguments of a kernel are different arrays, except if a force works in
    place (`obs.may_alias`, rule R8). The launch contract states this to
    programs in other languages. The pass adds `llvm.noalias` to each array
    argument that a kernel only loads, or only stores. Loads of such an argument
    are `ld.global.nc` and may move before stores to other arguments. If a
    kernel both loads and stores an argument, or updates it atomically, the
    order of its accesses is unchanged, because threads may exchange data there.

    ```mlir
    // before
    gpu.func @k(%a: memref<f32>, %b: memref<f32>) kernel { ... } // loads %a, stores %b
    // after
    gpu.func @k(%a: memref<f32> {llvm.noalias}, %b: memref<f32> {llvm.noalias}) kernel { ... }
    ```
  }];
}

def ObsSaturateHalvesPass : Pass<"obs-saturate-halves", "::mlir::ModuleOp"> {
  let summary = "Convert integers that are too large for f16 to an infinity";
  let description = [{
    The result of `arith.uitofp` and `arith.sitofp` is an infinity if the integer
    is 65520 or more. If the result is converted to f32 or f64, and LLVM knows
    that the integer has few bits, LLVM converts the integer directly to the
    longer type. The result is then finite, which is wrong. The pass adds an
    `arith.select` that LLVM does not remove. Conversions of integers that are
    always less than 65520 are unchanged.

    ```mlir
    // before
    %h = arith.uitofp %i : i32 to f16
    // after
    %x = arith.uitofp %i : i32 to f16
    %large = arith.cmpi uge, %i, %c65520 : i32
    %h = arith.select %large, %inf, %x : f16
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ObsUnrollReadsPass : Pass<"obs-unroll-reads", "::mlir::ModuleOp"> {
  let summary = "Load the elements of several iterations before they are used";
  let description = [{
    A thread that combines elements in a loop, as in the first stage of a
    reduction, waits for each of them. If the elements of neighbouring threads
    are neighbours and the body only loads and computes, the pass unrolls the
    loop and moves the loads of several iterations before their other
    operations: 8 iterations with one load of global memory, or fewer if an
    iteration has several loads. The elements of threads are neighbours if the
    step of the loop is a constant of more than 1, or if a thread reads a column
    of a matrix: the counter of the loop is in an index before the last one. A
    loop of at most 32 iterations over a column is not changed. Values
    are combined in the same order, so results are equal bit for bit. The
    original loop executes the last iterations.

    The same holds for a loop that combines nothing, but stores results in
    arrays of global memory that it does not read, as at the end of a softmax of
    long rows: the loads of 8 iterations are before their stores. A loop of at
    most 32 iterations, or in a part of the array that is so short, is not
    changed.

    ```mlir
    // before
    %s = scf.for %i = %a to %n step %c256 iter_args(%t = %x) -> (f32) {
      %v = memref.load %m[%i] : memref<?xf32>
      %w = arith.addf %t, %v : f32
      scf.yield %w : f32
    }
    // after, with 2 iterations in place of 8
    %r = scf.for %i = %a to %end step %c512 iter_args(%t = %x) -> (f32) {
      %j = arith.addi %i, %c256 : index
      %v0 = memref.load %m[%i] : memref<?xf32>
      %v1 = memref.load %m[%j] : memref<?xf32>
      %w0 = arith.addf %t, %v0 : f32
      %w1 = arith.addf %w0, %v1 : f32
      scf.yield %w1 : f32
    }
    %s = scf.for %i = %rest to %n step %c256 iter_args(%t = %r) -> (f32) { ... }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def UnrollWhilePass : Pass<"obs-unroll-while", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Execute several iterations of a loop for each branch";
  let description = [{
    A loop that ends when a condition fails, at the latest after a number of
    iterations, executes a branch and two comparisons in each iteration. If an
    iteration is at most 24 operations of arithmetic, without divisions, the
    pass adds a loop in front that executes four iterations for each branch.
    After the condition has failed, it executes the rest of the four, and keeps
    the values that are used after the loop. It compares the counter once. The
    loop as it was executes the iterations that are left.

    ```mlir
    // before
    %r:2 = scf.while (%z = %a, %n = %c0) : (f32, i32) -> (f32, i32) {
      %small = arith.cmpf ole, %z, %c4 : f32
      %less = arith.cmpi slt, %n, %limit : i32
      %both = arith.andi %small, %less : i1
      scf.condition(%both) %z, %n : f32, i32
    } do {
    ^bb0(%z: f32, %n: i32):
      %y = S(%z)
      %m = arith.addi %n, %c1 : i32
      scf.yield %y, %m : f32, i32
    }
    // after, if only %r#1 is used: with %last = %limit - 3
    %q:3 = scf.while (%z = %a, %n = %c0, %on = %true) : ... {
      // %on, %z <= 4 and %n < %last
    } do {
    ^bb0(%z: f32, %n: i32, %on: i1):
      %y = S(%z)
      %m = arith.addi %n, %c1 : i32
      %on1 = arith.cmpf ole, %y, %c4 : f32
      %y1 = S(%y)
      %m1 = arith.addi %m, %c1 : i32
      %m2 = arith.select %on1, %m1, %m : i32
      ...
      scf.yield %y3, %m6, %on3 : f32, i32, i1
    }
    %r:2 = scf.while (%z = %q#0, %n = %q#1) : ... {
      // the condition as it was, and %q#2
    } do {
      // as it was
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"
  ];
}

def WaitForKernelsPass
    : Pass<"obs-wait-for-kernels", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Let a kernel start before the kernel in front of it has ended";
  let description = [{
    Between two kernels of a stream, the GPU waits until the writes of the first
    kernel are visible, and then it starts the blocks of the second. The host can
    launch the second kernel so that its blocks start earlier (programmatic
    stream serialisation), if each of them waits itself.

    The pass lets a kernel wait before its first operation that has an effect on
    memory. All threads wait, in the first block of the code. So a kernel ends
    after all kernels in front of it, and what holds for two kernels holds for
    all of them. Only the arithmetic before it, such as that of indices, can be
    executed early.

    The launch contract says which kernels wait. It is always right to launch
    them in the usual way. Needs `sm_90`. Run it last, on structured control flow
    or after it.

    ```mlir
    // before
    %i = gpu.thread_id x
    %x = memref.load %a[%i] : memref<?xf32>
    // after
    %i = gpu.thread_id x
    nvvm.griddepcontrol wait
    %x = memref.load %a[%i] : memref<?xf32>
    ```
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect"];
}

#endif // OBSIDIAN_TRANSFORMS_GPU_PASSES_TD

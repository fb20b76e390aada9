//===- Passes.td - Expansion of collectives ----------------*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TRANSFORMS_COLLECTIVES_PASSES_TD
#define OBSIDIAN_TRANSFORMS_COLLECTIVES_PASSES_TD

include "mlir/Pass/PassBase.td"

def ObsExpandCollectivesPass : Pass<"obs-expand-collectives"> {
  let summary = "Reductions and scans become core operations";
  let description = [{
    Every `obs.reduce`, `obs.scan` and segmented form becomes the code of its
    strategy: loops, `obs.generate`, `obs.force` and `obs.distribute warp`.
    Intermediate arrays of a strategy are private to the collective.
    `obs.compact`, `obs.rank` and `obs.expand` become a scan and an `obs.fill`
    that writes at the indices of the scan. `obs.partition` becomes an
    `obs.fill` whose blocks wait for the counts of the blocks before.

    ```mlir
    // before, at level block
    %s = obs.reduce { arith.addi } %a init %z : !obs.pull<4 x i32>
    // after
    %half = obs.generate (%i) {
      %k = arith.muli %i, %c2 : index
      %j = arith.addi %k, %c1 : index
      %x = obs.get %a[%k] : !obs.pull<4 x i32>
      %y = obs.get %a[%j] : !obs.pull<4 x i32>
      %r = arith.addi %x, %y : i32
      obs.yield %r : i32
    } : !obs.pull<2 x i32>
    %p = obs.push block %half : !obs.pull<2 x i32>
    %f = obs.force %p : !obs.push<block, 2 x i32>
    %one = obs.generate (%i) { ... } : !obs.pull<1 x i32>  // %z + %f[0] + %f[1]
    %q = obs.push block %one : !obs.pull<1 x i32>
    %g = obs.force %q : !obs.push<block, 1 x i32>
    %s = obs.get %g[%c0] : !obs.pull<1 x i32>
    ```

    | strategy | of | for n elements |
    |---|---|---|
    | `sequential` | both | one worker combines all elements; in a `segmented_reduce` by offsets, one worker combines each segment |
    | `halving_tree` | reduce | `a[i] ∘ a[i + n/2]`, repeatedly; only if `commutative` |
    | `adjacent_tree` | reduce | `a[2i] ∘ a[2i+1]`, repeatedly |
    | `sklansky` | scan | log n stages; the right half of each block adds the last element of the left half |
    | `kogge_stone` | scan | log n stages; each element adds the one 2^k to its left |
    | `brent_kung` | scan | pairs, a scan of n/2 elements, and the elements between; 2n operations |
    | `raking` | both | each of 128 workers (32 at level warp, 4 at level thread) combines a chunk, or if `commutative` every 128th element; then a tree, or `kogge_stone` |
    | `warps` | both | each warp combines 32 elements in its own arrays; then the same for the n/32 results. Not below level block |
    | `lanes` | reduce | if `commutative`, each of the 32 lanes of a warp combines every 32nd element; then five stages combine the lanes. Otherwise shuffles combine eight rows of 32 elements at once, and then the results of the rows. At level warp, the results of the lanes are in registers, for any n; if n is at most 1024 and static, and elements are cheap to read, lanes read them without a loop, so that an array that only such reductions read can be in registers, too. Not below level warp |
    | `block_stride` | reduce | if `commutative`, each of 256 threads combines every 256th element, and reads eight of them at once. Otherwise each warp combines 256 neighbouring elements: each lane one element of each of eight rows, which shuffles combine. If the length is a multiple of 2 or 4, a lane reads as many neighbours. Not below level block |
    | `rows` | reduce | each warp combines up to 1024 elements in rows of 128 (64 or 32 if n is not a multiple of 4; 32 for a chunk with padding, whose elements have conditions), as many in each warp but the last one. A lane combines its neighbours in a row, and shuffles combine the lanes of each row. If `commutative`, a lane combines its elements of all rows before the shuffles. All threads combine the results of the warps, at most 32. Not below level block |

    At level grid, blocks share the work. The strategies above combine elements
    inside a block. In a reduction, and in the first kernel of `three_kernels`,
    each block has a part of 4096 elements or more. There are at most 528 parts.
    A warp reads rows of 128 elements, four neighbours in each lane. If the
    order matters, a warp combines the eight rows of 1024 neighbouring elements:
    a lane combines its neighbours, shuffles combine the lanes of each row, and
    lane 0 combines the rows. If `commutative`, each of 256 workers reads four
    rows at once and has four accumulators. A thread reads one element at a time
    if an element needs a loop or more than 64 operations, or if it is not read
    from memory.

    | strategy | of | kernels |
    |---|---|---|
    | `atomic` | reduce | one, and a memset: each block adds its result to the others by one atomic operation. For an operator that is `addi`, `minsi`, `maxsi`, `minui`, `maxui`, `andi`, `ori`, `xori` on `i32` or `i64`, or if `commutative` `addf` on `f32` or `f64` |
    | `one_kernel` | reduce | one, and a memset: each block publishes the result of its part and draws a number from a counter. The block with the last number combines all results in the order of the parts. One block and no memset if n is known to be at most 4096 |
    | `two_kernels` | reduce | the parts; then one block combines their results, in the same way |
    | `three_kernels` | scan, segmented forms | the parts; one block scans their results; the parts again, each with the result of the parts before it |
    | `one_pass` | the same | one, and a memset: each block scans a tile of up to 8192 elements, publishes its result, and looks back at the tiles before it, so every element is read once. Elements stay in registers: a thread has up to four neighbours in each of up to eight rows. Two kernels if the total is used before the elements are forced |
    | `sequential` | `segmented_reduce` by offsets | one, with a thread for each segment |

    The default strategies at level grid are:

    - `sequential` for a `segmented_reduce` by offsets;
    - `atomic` for a reduction whose result is only forced, if the order does
      not change the result, or if the operation is `commutative` and its
      operator is an `addf` with `fastmath<reassoc>`;
    - `one_kernel` for all other reductions;
    - `one_pass` for scans and all other segmented forms.

    One block reduces an array that is known to have at most 4096 elements,
    unless the program names `atomic`.

    In all strategies except `atomic`, the results have the same bits in every
    run, for any number of threads and blocks: if an operation can round, the
    grouping of elements depends on their number and types only. In `one_pass`,
    tiles then form groups of 32. A tree combines the tiles before a tile in its
    group, and earlier groups are combined from left to right. The results of
    `one_kernel` and `two_kernels` are equal to each other. The speed of the
    blocks determines the order of `atomic`. This changes the rounding of floats
    and nothing else. The option `deterministic` replaces `atomic` by
    `one_kernel` for elements with floats, even if the program names it.

    The default strategies below level grid are the first of these rows that
    fits:

    | level | elements | reduce | scan |
    |---|---|---|---|
    | thread | any number | `sequential` | `sequential` |
    | warp, block | at most 2 | `sequential` | `kogge_stone` |
    | warp, block | at most 32 | `halving_tree` if `commutative`, else `adjacent_tree` | `kogge_stone` |
    | block | a static extent of 33 to 16384; elements of at most 8 bytes that are read from memory, without a loop and with at most 64 operations | `rows` | |
    | block | at most 1024 | `warps` | `warps` |
    | warp | any number | `lanes` if `commutative`, or if elements are cheap to read and have at most 8 bytes; else `raking` | `raking` |
    | block | any number of elements that are read from memory, without a loop and with at most 64 operations; of at most 8 bytes, or 16 if `commutative` | `block_stride` | |
    | block | any number | `raking` | `raking` |

    A warp or block scans an array without a bound in tiles of 128 or 1024
    elements, by the strategy for this number. If the program names none and an
    element takes at most 64 operations and no loop, the tile of a block is in
    registers: each lane of 8 warps has one element of each of four rows, which
    shuffles scan.

    A `segmented_reduce` by offsets of an array without a bound uses
    `sequential`. Strategies other than `sequential`, `raking`, `block_stride`
    and `lanes` of a reduction need a bound of n.

    With `plain`, each element is read on its own, and the host does not choose
    among kernels (see `obs.scatter`).

    For up to 128 elements, the stages are unrolled. For more elements they are
    a loop, so the code does not grow with n. `registerReduceStrategy` and
    `registerScanStrategy` (`Obsidian/Transforms/Collectives/Collectives.h`) add
    strategies.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"];
  let options = [
    Option<"deterministic", "deterministic", "bool", "false",
      "The grouping of elements never depends on the speed of blocks">,
    Option<"sharedBytes", "shared-bytes", "int64_t",
      "::mlir::obs::sharedBytesOfBlock",
      "Shared memory of a block in bytes, for privatised copies of results">,
    Option<"plain", "plain", "bool", "false",
      "Read one element at a time, and build no kernels among which the host chooses">,
    Option<"tensorCores", "tensor-cores", "bool", "true",
      "The GPU has `obs.mma` (sm_80)">,
    Option<"threads", "threads", "int64_t", "0",
      "Threads of a block, for the choice of strategies; 0: each kernel has as many as it uses">
  ];
}

def ObsMergeReductionsPass : Pass<"obs-merge-reductions"> {
  let summary = "Reductions of one array become one reduction of tuples";
  let description = [{
    Reductions of a region that read a common array, and have the same number of
    elements, become one `obs.reduce` whose elements have the components of all
    of them. The array is then read once. Each operator works on its own
    components, in the order of its elements.

    ```mlir
    // before
    %lo = obs.reduce grid { arith.minsi } %a init %c0 : !obs.pull<? x i32>
    %hi = obs.reduce grid { arith.maxsi } %a init %c1 : !obs.pull<? x i32>
    %l, %h = obs.force %lo, %hi : !obs.push<grid, 1 x i32>
    // after
    %both = obs.zip %a, %a : !obs.pull<? x i32>
    %p = obs.reduce grid (%a, %b, %c, %d) = %both init %c0, %c1 : !obs.pull<? x i32, i32> {
      %x = arith.minsi %a, %c : i32
      %y = arith.maxsi %b, %d : i32
      obs.yield %x, %y : i32, i32
    }
    %f = obs.force %p : !obs.push<grid, 1 x i32, i32>
    %l, %h = obs.unzip %f : !obs.pull<1 x i32, i32>
    ```

    The second reduction does not depend on the first one. Neither of them names
    a strategy. Their elements have at most four components, and 8 bytes at
    level block; they take at most 64 operations and no loop. The tuples are
    `commutative` if both reductions are.

    At level grid, the results may belong to two forces, whose maps of these
    results become one map. Two `obs.distribute` over equal arrays, whose
    sub-programs only reduce and yield one element, become one if their
    reductions can be merged.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect"];
}

#endif // OBSIDIAN_TRANSFORMS_COLLECTIVES_PASSES_TD

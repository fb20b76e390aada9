//===- ObsIrregularOps.td - Arrays whose indices depend on values -*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// These operations have a generated file of their own, as collectives do.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_OBSIRREGULAROPS_TD
#define OBSIDIAN_DIALECT_OBS_IR_OBSIRREGULAROPS_TD

include "Obsidian/Dialect/Obs/IR/ObsInterfaces.td"
include "Obsidian/Dialect/Obs/IR/ObsTypes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Obs_IrregularOp<string mnemonic, list<Trait> traits = []>
    : Obs_Op<mnemonic, [
        NoMemoryEffect, Obs_ArrayOpInterface, Obs_ExpandableOpInterface
      ] # traits> {
  let hasVerifier = 1;
}

/// The elements without a write have the initial contents `init`, if there are
/// any.
class Obs_InitialisedOp<string mnemonic, list<Trait> traits = []>
    : Obs_IrregularOp<mnemonic, [
        DeclareOpInterfaceMethods<Obs_ProgramOpInterface,
          ["hasInitialContents", "hasAllElements"]>
      ] # traits> {
  let extraClassDefinition = [{
    bool $cppClass::hasInitialContents(unsigned result) {
      return result == 0 && !getInit().empty();
    }
    bool $cppClass::hasAllElements(unsigned result) {
      return result != 0 || !getInit().empty();
    }
  }];
}

def Obs_CompactOp : Obs_InitialisedOp<"compact"> {
  let summary = "The elements whose flag is set";
  let description = [{
    The elements `a[i]` with `f[i]` set, in their order, one after the other
    from element 0 on. The extent of the result is that of the array, which is
    the maximum number of elements. The second result is an array of one
    element: the count of the kept elements. `obs.take` of this count yields the
    kept elements. The host does not wait for the count. Without initial
    contents, a read of an element past the count is an error.

    Syntax:

    ```
    operation ::= `obs.compact` array `flags` array initial? attr-dict
                  `:` type `,` type `->` type `,` type
    initial ::= `init` value (`,` value)*
    ```

    `initial` is the value of the elements past the count, one scalar for each
    element type. By default, these elements are not written. The types are
    those of the array, of the flags and of the two results.

    The attribute `strategy` names the algorithm that counts the flags, as for
    `obs.scan`. At level grid, the default is `one_pass` if each result is
    forced only once: both by one force, or the elements by an earlier force in
    the same region. One kernel then writes both results. Otherwise the default
    is `three_kernels`, and a separate kernel writes the count.

    Example:

    ```mlir
    func.func @positive(%a: !obs.pull<2048 x f32>) -> (!obs.pull<8 x 256 x f32>, !obs.pull<8 x 1 x i32>) {
      %zero = arith.constant 0.0 : f32
      %flags = obs.map (%x = %a : !obs.pull<2048 x f32>) {
        %f = arith.cmpf ogt, %x, %zero : f32
        obs.yield %f : i1
      }
      %tiles = obs.split %a by [256] : !obs.pull<2048 x f32>
      %marks = obs.split %flags by [256] : !obs.pull<2048 x i1>
      %p, %q = obs.distribute block in grid (%t = %tiles : !obs.pull<8 x !obs.pull<256 x f32>>, %m = %marks : !obs.pull<8 x !obs.pull<256 x i1>>) {
        %kept, %count = obs.compact %t flags %m init %zero : !obs.pull<256 x f32>, !obs.pull<256 x i1> -> !obs.push<block, 256 x f32>, !obs.push<block, 1 x i32>
        obs.yield %kept, %count : !obs.push<block, 256 x f32>, !obs.push<block, 1 x i32>
      }
      %r:2 = obs.force %p, %q : !obs.push<grid, 8 x 256 x f32>, !obs.push<grid, 8 x 1 x i32>
      return %r#0, %r#1 : !obs.pull<8 x 256 x f32>, !obs.pull<8 x 1 x i32>
    }
    ```
  }];
  let arguments = (ins Obs_PullType:$array, Obs_PullType:$flags,
    Variadic<AnyType>:$init, OptionalAttr<StrAttr>:$strategy);
  let results = (outs Obs_PushType:$result, Obs_PushType:$count);
  let assemblyFormat = [{
    $array `flags` $flags (`init` $init^)? attr-dict `:` qualified(type($array))
    `,` qualified(type($flags)) `->` qualified(type($result)) `,`
    qualified(type($count)) custom<InitTypes>(type($init), ref($init), ref(type($array)))
  }];
}

def Obs_RankOp : Obs_IrregularOp<"rank"> {
  let summary = "The index of each key in stable sorted order";
  let description = [{
    Keys are integers from 0 to K - 1. Element i of the first result is the
    index of key i in stable sorted order: the number of smaller keys plus the
    number of equal keys before it. The second result holds the number of
    occurrences of each key. Its extent K is static. The operation stands below
    level grid.

    Syntax:

    ```
    operation ::= `obs.rank` array attr-dict `:` type `->` type `,` type
    ```

    The array contains the keys. The types are those of the keys and of the two
    results. The attribute `strategy` names the algorithm that sums the
    occurrences, as for `obs.scan`.

    Example:

    ```mlir
    func.func @rank(%keys: !obs.pull<512 x i8>) -> (!obs.pull<1 x 512 x index>, !obs.pull<1 x 16 x i32>) {
      %one = obs.iota : !obs.pull<1 x index>
      %p, %q = obs.distribute block in grid (%b = %one : !obs.pull<1 x index>) {
        %places, %counts = obs.rank %keys : !obs.pull<512 x i8> -> !obs.push<block, 512 x index>, !obs.push<block, 16 x i32>
        obs.yield %places, %counts : !obs.push<block, 512 x index>, !obs.push<block, 16 x i32>
      }
      %r:2 = obs.force %p, %q : !obs.push<grid, 1 x 512 x index>, !obs.push<grid, 1 x 16 x i32>
      return %r#0, %r#1 : !obs.pull<1 x 512 x index>, !obs.pull<1 x 16 x i32>
    }
    ```
  }];
  let arguments = (ins Obs_PullType:$keys, OptionalAttr<StrAttr>:$strategy);
  let results = (outs Obs_PushType:$ranks, Obs_PushType:$counts);
  let assemblyFormat = [{
    $keys attr-dict `:` qualified(type($keys)) `->` qualified(type($ranks)) `,`
    qualified(type($counts))
  }];
}

def Obs_PartitionOp : Obs_IrregularOp<"partition", [
    Obs_ScalarScope]> {
  let summary = "All elements, moved to the ranges of their keys";
  let description = [{
    The region computes the key of an element, an integer from 0 to K - 1. The
    elements with key k have neighbouring indices in the result, from
    `starts[k]` on, and keep their order. The program knows the starts, for
    example by a fill that counts the keys and a scan of the counts. So one
    count of all digits serves all passes of a radix sort. K is the extent of
    `starts`, which is static. The result has the extent of the array. No two
    elements have the same index, and each index is in range.

    The operation stands at level grid. It has one kernel, which reads and
    writes each element once: a block counts the keys of a tile, publishes the
    count of each key, and looks back for each key at the tiles before. The tile
    is sorted in shared memory before it is written. Below level grid, `obs.rank`
    computes the indices.

    Syntax:

    ```
    operation ::= `obs.partition` `(` name (`,` name)* `)` `=` array `from` array
                  attr-dict `:` type `,` type `->` type region
    ```

    The names are the components of an element. The arrays are the elements and
    the starts. The types are those of the two arrays and of the result.

    Example:

    ```mlir
    func.func @low_digit(%a: !obs.pull<? x i32>, %starts: !obs.pull<16 x i32>) -> !obs.pull<? x i32> {
      %c15 = arith.constant 15 : i32
      %p = obs.partition (%x) = %a from %starts : !obs.pull<? x i32>, !obs.pull<16 x i32> -> !obs.push<grid, ? x i32> {
        %key = arith.andi %x, %c15 : i32
        obs.yield %key : i32
      }
      %r = obs.force %p : !obs.push<grid, ? x i32>
      return %r : !obs.pull<? x i32>
    }
    ```
  }];
  let arguments = (ins Obs_PullType:$array, Obs_PullType:$starts);
  let results = (outs Obs_PushType:$result);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
}

def Obs_ExpandOp : Obs_InitialisedOp<"expand", [
    AttrSizedOperandSegments, Obs_ScalarScope, Obs_ExtentOperands]> {
  let summary = "Elements of segments with given lengths";
  let description = [{
    Element i of the operand is a length: the number of elements that it
    contributes to the result. The region computes the element with number j of
    length i, for j from 0 on. The elements of the result are in the order of i
    and j. The workers share the elements of the result, not the lengths, so
    that one long segment keeps all of them busy.

    The second result is an array of one element: the sum of the lengths.
    Lengths are not negative. The extent of the first result is at least their
    sum. The interpreter checks both; kernels do with the option
    `--runtime-checks`, and otherwise drop the elements for which the result has
    no room. Without initial contents, a read of an element past the sum is an
    error.

    Syntax:

    ```
    operation ::= `obs.expand` `(` name `,` name `)` `=` array extents? initial?
                  attr-dict `:` type `->` type `,` type region
    extents ::= `[` (index-value (`,` index-value)*)? `]`
    initial ::= `init` value (`,` value)*
    ```

    The names are the arguments i and j of the region. `extents` is the extent
    of the first result if its type has a `?`. `initial` is the value of the
    elements past the sum, one scalar for each element type. By default, these
    elements are not written. The types are those of the lengths and of the two
    results. The attribute `strategy` names the algorithm that sums the lengths,
    as for `obs.scan`. The default at level grid is `one_pass`, in a separate
    kernel.

    Example:

    ```mlir
    func.func @decode(%runs: !obs.pull<64 x i32>, %values: !obs.pull<64 x f32>) -> !obs.pull<1 x 1000 x f32> {
      %zero = arith.constant 0.0 : f32
      %one = obs.iota : !obs.pull<1 x index>
      %p = obs.distribute block in grid (%b = %one : !obs.pull<1 x index>) {
        %q, %count = obs.expand (%i, %j) = %runs init %zero : !obs.pull<64 x i32> -> !obs.push<block, 1000 x f32>, !obs.push<block, 1 x index> {
          %x = obs.get %values[%i] : !obs.pull<64 x f32>
          obs.yield %x : f32
        }
        obs.yield %q : !obs.push<block, 1000 x f32>
      }
      %r = obs.force %p : !obs.push<grid, 1 x 1000 x f32>
      return %r : !obs.pull<1 x 1000 x f32>
    }
    ```
  }];
  let arguments = (ins Obs_PullType:$lengths, Variadic<Index>:$extents,
    Variadic<AnyType>:$init, OptionalAttr<StrAttr>:$strategy);
  let results = (outs Obs_PushType:$result, Obs_PushType:$count);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
}

def Obs_ScatterOp : Obs_InitialisedOp<"scatter", [
    AttrSizedOperandSegments, OwnExtents,
    DeclareOpInterfaceMethods<Obs_ProgramOpInterface, ["getWeakestContract"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Write elements at the indices in an array";
  let description = [{
    Element i of the first operand is written at the index that element i of the
    second operand holds. An element whose index lies outside of the result is
    not written. As in `obs.fill`, the contract defines the meaning of several
    elements at one index: `disjoint`, `any` or `reduce`. An operation after
    `reduce` combines elements of several types component by component. A
    function after `reduce` combines them as a whole. Without initial contents,
    a read of an element that is not written is an error.

    Syntax:

    ```
    operation ::= `obs.scatter` array `at` array initial? contract? extents?
                  `fetch`? attr-dict `:` type `,` type `->` type (`,` type)?
    initial ::= `init` value (`,` value)*
    contract ::= `disjoint` | `any` | `reduce` `(` (keyword | symbol) `)`
    extents ::= `[` (index-value (`,` index-value)*)? `]`
    ```

    `initial` is the value of the elements without a write, one scalar for each
    element type. By default, these elements have no value. The default contract
    is `disjoint`. `extents` is the extent of the first result if its type has a
    `?`. The types are those of the elements, of the indices and of the results.

    `fetch` adds a second result, with the extent of the operands, and requires
    contract `reduce` and `init`. By default, there is one result. The second
    result holds for each element the value that was at its index before the
    element was combined with it. Of several elements at one index, the first
    finds `init`, the second finds the value after the first, and so on. Their
    order is not determined. With `reduce(addi)` of ones, the found values
    number the elements at each index. Elements whose index lies outside of the
    result find `init`.

    Elements of several types that a function combines, or that `fetch` returns,
    are exchanged as one word of at most 64 bits that holds all components. The
    result is stored and then unpacked. Longer elements have one strategy,
    `per_thread`, with privatised copies in memory: one copy of at most 16384
    bytes for each thread. The copies are then combined element by element. For
    longer elements, `fetch` is possible at level thread only.

    With contract `reduce` and without `fetch`, the attribute `strategy` selects
    privatised copies of the result. Parts of the elements are combined in the
    copies first, and then the copies are combined. There is one copy for each
    thread (`per_thread`), warp (`per_warp`) or block (`per_block`), below the
    level of the operation, or there are no copies (`atomic`). The extent of a
    copy is static or bounded (R2). The default at level grid is the first
    strategy of this table that fits:

    | strategy | place of the copies | results |
    |---|---|---|
    | `per_thread` | registers of each thread; a thread compares each index with all indices of its copy | static extent, at most 16 elements; at most 128 bytes |
    | `per_warp` | shared memory of a block, 8 copies, one for each warp of a block of 256 threads | at most 1024 elements; 131072 bytes for all copies |
    | `per_block` | shared memory of a block | at most 131072 bytes; up to 524288 bytes, 2 to 4 blocks read the same elements, and each has a copy of a range of the result |
    | `atomic` | no copies: one atomic operation on the result for each element | more bytes |

    If the extent of the result has no bound, the host chooses when it knows the
    extent. It selects a kernel with copies of warps (at most 1024 or 4096
    elements, and only if shared memory does not have the operation), with small
    copies of blocks (at most 8192 bytes), with large copies of blocks, or
    without copies.

    For integers of 32 bits (except `muli`), copies of threads are used up to 8
    elements, and copies of warps are not used, because a multiprocessor
    combines the simultaneous writes of a warp to one element in shared memory.
    For operations that memory does not have (`muli`, operations on floats other
    than `addf` of `f32` and `f64`, integers of less than 32 bits, and
    functions), copies of threads are used up to 32 elements, and copies of
    warps up to 4096 elements. The option `shared-bytes` of `obs-to-gpu` is the
    size of the shared memory of a block. Copies that do not fit are not used.
    Copies of warps and blocks are also not used if the number of writes is
    known to be at most twice the number of elements of the copies of a block.

    Each block combines a part of 4096 elements or more in its copies; there are
    at most 528 parts. Larger copies have longer parts. A thread reads two
    groups of four neighbouring elements before it combines them, if an element
    needs few operations. A kernel with one copy for each block has 1024 threads
    and at most 256 parts, unless the force names the number of threads. If the
    elements are known to be one part, there are no copies. Blocks add their
    copies to the result by atomic operations. If a result is too long for
    registers, `per_thread` uses private memory of each thread. The default
    below level grid is `atomic`.

    Copies start from the neutral element of the operation. A function,
    `reduce(@f)`, has no neutral element. Its copies have a flag for each
    element in registers, and a bit pattern that means "no value yet" in memory.
    A combined value that is equal to this pattern is added to the result at
    once, so no value is lost.

    An `obs.fill` of rank 1 with contract `reduce` that starts from `init` or
    `onto` and is one thread-level `par` has copies in the same way, according
    to its size or an attribute `strategy`. Copies in registers require that its
    writes stand in no control flow other than `scf.if` and `scf.for`. A write
    at an index outside of the result is an error; the emulator cannot detect it
    for copies in registers.

    Example:

    ```mlir
    // The index of each element within its list, and the lengths of the lists.
    func.func @lists(%keys: !obs.pull<? x i32>) -> (!obs.pull<16 x i32>, !obs.pull<? x i32>) {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %n = obs.dim %keys, 0 : !obs.pull<? x i32>
      %ones = obs.splat %one [%n] : !obs.pull<? x i32>
      %p, %q = obs.scatter %ones at %keys init %zero reduce(addi) fetch
        : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 16 x i32>, !obs.push<grid, ? x i32>
      %lengths, %numbers = obs.force %p, %q : !obs.push<grid, 16 x i32>, !obs.push<grid, ? x i32>
      return %lengths, %numbers : !obs.pull<16 x i32>, !obs.pull<? x i32>
    }
    ```
  }];
  let arguments = (ins Obs_PullType:$array, Obs_PullType:$indices,
    Variadic<AnyType>:$init, Variadic<Index>:$extents,
    DefaultValuedAttr<Obs_ContractAttr, "Contract::Disjoint">:$contract,
    OptionalAttr<Obs_ReduceKindAttr>:$kind, OptionalAttr<StrAttr>:$strategy);
  let results = (outs Obs_PushType:$result, Optional<Obs_PushType>:$found);
  let hasCustomAssemblyFormat = 1;
}

#endif // OBSIDIAN_DIALECT_OBS_IR_OBSIRREGULAROPS_TD

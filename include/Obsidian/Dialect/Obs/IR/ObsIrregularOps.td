//===- ObsIrregularOps.td - Arrays whose places depend on values -*- tablegen -*-===//
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

def Obs_IrregularOpInterface : OpInterface<"IrregularOpInterface"> {
  let cppNamespace = "::mlir::obs";
  let description = [{
    An operation that writes elements where values say, as a program of the
    level of the region around it.
  }];
  let methods = [
    InterfaceMethod<"The name of the strategy, if one is asked for.",
      "::std::optional<::llvm::StringRef>", "getStrategy">,
    InterfaceMethod<"The weakest contract of the writes that make result `result`.",
      "::mlir::obs::Contract", "getWeakestContract", (ins "unsigned":$result), "",
      "return ::mlir::obs::Contract::Disjoint;">
  ];
}

class Obs_IrregularOp<string mnemonic, list<Trait> traits = []>
    : Obs_Op<mnemonic, [
        NoMemoryEffect, DeclareOpInterfaceMethods<Obs_ArrayOpInterface>,
        DeclareOpInterfaceMethods<Obs_IrregularOpInterface>
      ] # traits> {
  let hasVerifier = 1;
}

def Obs_CompactOp : Obs_IrregularOp<"compact"> {
  let summary = "The elements whose flag is set";
  let description = [{
    The elements `a[i]` with `f[i]` set, in their order, one after the other from
    element 0 on. The extent of the result is that of the array, the most that
    there can be; the second result is an array of one element, their number, so
    that `obs.take` of so many is what was kept, and no host has to wait for it.
    Elements past them are `init`, one scalar for each element type; without
    `init`, reading them is an error.

    `strategy` names how the flags are counted, as for `obs.scan`. At level grid
    it is `one_pass` where none is named and the elements can be forced before
    the count, which is known only behind them: so where both are forced once, by
    one force of these two or by one after the other. One kernel then writes both.
    Else it is `three_kernels`, and the count takes a kernel of its own.

    Example:

    ```mlir
    func.func @positive(%a: !obs.pull<2048 x f32>) -> (!obs.pull<8 x 256 x f32>, !obs.pull<8 x 1 x i32>) {
      %zero = arith.constant 0.0 : f32
      %flags = obs.map (%x = %a : !obs.pull<2048 x f32>) -> !obs.pull<2048 x i1> {
        %f = arith.cmpf ogt, %x, %zero : f32
        obs.yield %f : i1
      }
      %tiles = obs.split %a by [256] : !obs.pull<2048 x f32> -> !obs.pull<8 x !obs.pull<256 x f32>>
      %marks = obs.split %flags by [256] : !obs.pull<2048 x i1> -> !obs.pull<8 x !obs.pull<256 x i1>>
      %p, %q = obs.distribute block (%t = %tiles : !obs.pull<8 x !obs.pull<256 x f32>>, %m = %marks : !obs.pull<8 x !obs.pull<256 x i1>>) -> (!obs.push<grid, 8 x 256 x f32>, !obs.push<grid, 8 x 1 x i32>) {
        %kept, %count = obs.compact %t flags %m init %zero : !obs.pull<256 x f32>, !obs.pull<256 x i1> -> !obs.push<block, 256 x f32>, !obs.push<block, 1 x i32>
        obs.yield %kept, %count : !obs.push<block, 256 x f32>, !obs.push<block, 1 x i32>
      }
      %r:2 = obs.force %p, %q : !obs.push<grid, 8 x 256 x f32>, !obs.push<grid, 8 x 1 x i32> -> (!obs.pull<8 x 256 x f32>, !obs.pull<8 x 1 x i32>)
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
  let summary = "Where each key stands in sorted order";
  let description = [{
    Keys are integers from 0 to K - 1. Element i of the first result is the place
    of key i when all are sorted, equal ones in their order: the number of keys
    that are smaller, and of equal ones before it. The second result has K
    elements, which is a static extent of its type: how often each key occurs.
    The operation stands below level grid.

    `strategy` names how the occurrences are summed, as for `obs.scan`.

    Example:

    ```mlir
    func.func @rank(%keys: !obs.pull<512 x i8>) -> (!obs.pull<1 x 512 x index>, !obs.pull<1 x 16 x i32>) {
      %one = obs.iota : !obs.pull<1 x index>
      %p, %q = obs.distribute block (%b = %one : !obs.pull<1 x index>) -> (!obs.push<grid, 1 x 512 x index>, !obs.push<grid, 1 x 16 x i32>) {
        %places, %counts = obs.rank %keys : !obs.pull<512 x i8> -> !obs.push<block, 512 x index>, !obs.push<block, 16 x i32>
        obs.yield %places, %counts : !obs.push<block, 512 x index>, !obs.push<block, 16 x i32>
      }
      %r:2 = obs.force %p, %q : !obs.push<grid, 1 x 512 x index>, !obs.push<grid, 1 x 16 x i32> -> (!obs.pull<1 x 512 x index>, !obs.pull<1 x 16 x i32>)
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

def Obs_ExpandOp : Obs_IrregularOp<"expand", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<Obs_LevelScopeOpInterface, ["isScalarScope"]>]> {
  let summary = "As many elements for each one as its length says";
  let description = [{
    Element i of the operand, its length, becomes so many elements: the region
    gives the one with number j, for j from 0 on. They stand one after the other
    in the order of i and j. The workers share the elements of the result, not
    the lengths, so that one long segment keeps all of them busy.

    The extent of the result is part of its type or stands in brackets, and is at
    least the sum of the lengths, which are not negative. The second result is an
    array of one element, that sum. Elements past it are `init`, one scalar for
    each element type; without `init`, reading them is an error.

    `strategy` names how the lengths are summed, as for `obs.scan`; at level grid
    it is `one_pass` where none is named, in a kernel of its own.

    Example:

    ```mlir
    func.func @decode(%runs: !obs.pull<64 x i32>, %values: !obs.pull<64 x f32>) -> !obs.pull<1 x 1000 x f32> {
      %zero = arith.constant 0.0 : f32
      %one = obs.iota : !obs.pull<1 x index>
      %p = obs.distribute block (%b = %one : !obs.pull<1 x index>) -> !obs.push<grid, 1 x 1000 x f32> {
        %q, %count = obs.expand (%i, %j) = %runs init %zero : !obs.pull<64 x i32> -> !obs.push<block, 1000 x f32>, !obs.push<block, 1 x index> {
          %x = obs.get %values[%i] : !obs.pull<64 x f32>
          obs.yield %x : f32
        }
        obs.yield %q : !obs.push<block, 1000 x f32>
      }
      %r = obs.force %p : !obs.push<grid, 1 x 1000 x f32> -> !obs.pull<1 x 1000 x f32>
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

def Obs_ScatterOp : Obs_IrregularOp<"scatter", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<Obs_IrregularOpInterface, ["getWeakestContract"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Elements at the places that an array of indices gives";
  let description = [{
    Element i of the first operand is written at the index that element i of the
    second operand is; one that is no index of the result is not written. The
    contract says what several elements at one index mean, as in `obs.fill`:
    `disjoint` (the default), `any`, or `reduce`. Elements never written are
    `init`, one scalar for each element type; without `init`, reading them is an
    error. The extent of the result is part of its type or stands in brackets.
    Elements of several types are combined component by component by an operation
    that `reduce` names, and as a whole by a function.

    With `fetch`, which needs contract `reduce` and `init`, there is a second
    result, as long as the operands: what each element found at its index, before
    it was combined with that. Of elements at one index one finds `init`, the next
    what the first one left, and so on; which one is first is not determined.
    With `reduce(addi)` of ones these are the numbers of the elements at their
    index. Elements without an index find `init`.

    Elements of several types that a function combines, or that are found, are
    exchanged as one word of at most 64 bits, in which all components are packed.
    The result is stored and then taken apart. Longer ones have one strategy,
    `per_thread`, in memory: of each thread, of at most 16384 bytes, which are then
    combined element by element. What they found is known at level thread only.

    With contract `reduce` and without `fetch`, `strategy` says how many copies of
    the result there are, in which parts of the elements are combined before the
    copies are: `per_thread`, `per_warp` or `per_block` one for each such part, below
    the level of the operation, or `atomic` none. The extent of a copy is static or
    bounded (R2). At level grid, where none is named, the first that fits is taken:

    | strategy | where copies are | for results of |
    |---|---|---|
    | `per_thread` | registers of 256 threads of a block, each of which compares each index with all places | static extent, at most 16 elements; at most 128 bytes |
    | `per_warp` | shared memory of a block, 8 of them, for elements that a block of 256 threads reads in different warps | at most 1024 elements; 131072 bytes for all copies |
    | `per_block` | shared memory of a block | at most 131072 bytes |
    | `atomic` | nowhere: one atomic operation on the result for each element | more bytes or no bound |

    Integers of 32 bits, but for `muli`, have copies for threads up to 8 elements,
    and none for warps: a multiprocessor combines what a warp writes to one of them
    in shared memory. What memory has no operation for (`muli`, and others than
    `addf` on floats, or a function) has them up to 32 and up to 4096 elements. The
    option `shared-bytes` of `obs-to-gpu` says how much shared memory a block has;
    copies that do not fit there are none of the choice.

    Blocks combine parts of 4096 elements or more, at most 1024 of them, in their
    copies, the longer the larger those are; elements that are known to be one part
    have no copies. Blocks write what those have to the result by atomic operations. A result
    that is too long for registers has private memory of each thread as
    `per_thread`. Below level grid `atomic` is taken if none is named.

    Copies start from the neutral element of the operation. A function,
    `reduce(@f)`, has none: its copies have a flag for each element in registers,
    and in memory a pattern of bits that means "nothing". A value that happens to be
    that pattern goes to the result at once, so each value is counted.

    An `obs.fill` of rank 1 with contract `reduce` that starts from `init` or `onto`
    and is one thread-level `par` has copies in the same way, by its size or an
    attribute `strategy`; in registers if its writes stand in no other control flow
    than `scf.if` and `scf.for`. What it writes at an index that is none of the
    result is an error, which the emulator cannot see for copies in registers.

    Example:

    ```mlir
    // A place within its list for each element, and the lengths of the lists.
    func.func @lists(%keys: !obs.pull<? x i32>) -> (!obs.pull<16 x i32>, !obs.pull<? x i32>) {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %n = obs.dim %keys, 0 : !obs.pull<? x i32>
      %ones = obs.splat %one [%n] : !obs.pull<? x i32>
      %p, %q = obs.scatter %ones at %keys init %zero reduce(addi) fetch : !obs.pull<? x i32>, !obs.pull<? x i32> -> !obs.push<grid, 16 x i32>, !obs.push<grid, ? x i32>
      %lengths, %places = obs.force %p, %q : !obs.push<grid, 16 x i32>, !obs.push<grid, ? x i32> -> (!obs.pull<16 x i32>, !obs.pull<? x i32>)
      return %lengths, %places : !obs.pull<16 x i32>, !obs.pull<? x i32>
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

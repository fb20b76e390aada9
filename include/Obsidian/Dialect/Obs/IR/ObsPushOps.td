//===- ObsPushOps.td - Push arrays, the programs that write them, and force -*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_OBSPUSHOPS_TD
#define OBSIDIAN_DIALECT_OBS_IR_OBSPUSHOPS_TD

include "Obsidian/Dialect/Obs/IR/ObsPartOps.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

defvar PushArrayMethods = [DeclareOpInterfaceMethods<Obs_PushOpInterface>];

def Obs_PushOp : Obs_Op<"push", [Pure, Obs_InferredTypes] # PushArrayMethods> {
  let summary = "Pull array to push array: the parallel loop of a level";
  let description = [{
    The result writes every element of the pull array, in a loop over the
    workers of its level. The operation stands in a region of this level (R1).

    Syntax:

    ```
    operation ::= `obs.push` level? array attr-dict `:` type (`->` type)?
    level ::= `thread` | `warp` | `block` | `grid`
    ```

    `level` is the level of the result. It may be left out if `-> type` is
    there. `-> type` is the type of the result. By default, the result has the
    extents, the bounds and the element types of the pull array.

    Example:

    ```mlir
    func.func @push(%a: !obs.pull<? x f32>, %b: !obs.pull<? x f32>) -> !obs.pull<? x f32> {
      %p = obs.push grid %a : !obs.pull<? x f32>
      %q = obs.push grid %b : !obs.pull<? x f32>
      %both = obs.concat %p, %q : !obs.push<grid, ? x f32>
      %r = obs.force %both : !obs.push<grid, ? x f32>
      return %r : !obs.pull<? x f32>
    }
    ```
  }];
  let arguments = (ins Obs_PullType:$array, Obs_LevelAttr:$level);
  let results = (outs Obs_PushType:$result);
  let hasCustomAssemblyFormat = 1;
  let builders = [
    OpBuilder<(ins "::mlir::obs::Level":$level, "::mlir::Value":$array)>,
    /// The level is that of the type.
    OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$array)>
  ];
  let hasVerifier = 1;
  let extraClassDeclaration = "bool isElementwise() { return true; }";
}

def Obs_FillOp : Obs_Op<"fill", [
    Pure, AttrSizedOperandSegments, NoTerminator, Obs_ExtentOperands,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<Obs_LevelScopeOpInterface>] # PushArrayMethods # [
    DeclareOpInterfaceMethods<Obs_ProgramOpInterface, ["getWrittenArrays", "getWeakestContract", "hasInitialContents",
      "hasAllElements"]>]> {
  let summary = "Push array written by a program";
  let description = [{
    The region is a program of the level of the array, with uniform control
    flow. It may force arrays of that level, and writes the elements in three
    ways: `obs.par` is the parallel loop whose body may contain `obs.write`;
    `obs.put` runs a push array of the same level; and at thread level the
    region may contain `obs.write` directly.

    The contract defines the meaning of several writes of one element.
    `disjoint` promises that there are none (R5). With `any`, one of the writes
    wins. `reduce(kind)` combines the values by a commutative operation, named
    as in `memref.atomic_rmw`. `reduce(@function)` combines them by a function
    of two elements. The function contains only arithmetic on its arguments, and
    becomes a compare-and-swap loop.

    Elements without a write have initial contents: one scalar for each element
    type, or the contents of an array. Without initial contents, a read of such
    an element is an error. The interpreter reports it, and so does the emulator
    with `--check`.

    Syntax:

    ```
    operation ::= `obs.fill` initial? contract? `unchecked`? extents?
                  (region | `par` loop) attr-dict `:` type
    initial ::= `init` value (`,` value)* | `onto` array `:` type
    contract ::= `disjoint` | `any` | `reduce` `(` (keyword | symbol) `)`
    extents ::= `[` (index-value (`,` index-value)*)? `]`
    loop ::= level? names `in` `(` (index-value (`,` index-value)*)? `)` region
             attr-dict
    names ::= `(` (name (`,` name)*)? `)`
    level ::= `thread` | `warp` | `block` | `grid`
    ```

    `init` gives every element the same initial value. `onto` takes the initial
    values from an array of the extents and element types of the result. By
    default, there are no initial contents. The default contract is `disjoint`.
    With `unchecked`, the verifier does not search for two writes of one
    element: the author promises that there are none. `extents` has one value
    for each `?` of the type. `par` abbreviates a region that contains only this
    `obs.par`. The type is that of the result.

    `obs-outline-kernels` writes initial contents into the memory before the
    kernel. The attribute `started` marks the fill, which then has neither
    `init` nor `onto`.

    Example:

    ```mlir
    func.func @histogram(%keys: !obs.pull<? x index>) -> !obs.pull<256 x i32> {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %n = obs.dim %keys, 0 : !obs.pull<? x index>
      %p = obs.fill init %c0 reduce(addi) par (%t) in (%n) {
        %k = obs.get %keys[%t] : !obs.pull<? x index>
        obs.write %c1 at [%k] : i32
      } : !obs.push<grid, 256 x i32>
      %r = obs.force %p : !obs.push<grid, 256 x i32>
      return %r : !obs.pull<256 x i32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$init, Optional<Obs_PullType>:$onto,
    Variadic<Index>:$extents, DefaultValuedAttr<Obs_ContractAttr, "Contract::Disjoint">:$contract,
    OptionalAttr<Obs_ReduceKindAttr>:$kind, UnitAttr:$unchecked, UnitAttr:$started);
  let results = (outs Obs_PushType:$result);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Obs_ParOp : Obs_Op<"par", [
    RecursiveMemoryEffects, NoTerminator,
    DeclareOpInterfaceMethods<Obs_LevelScopeOpInterface>]> {
  let summary = "Parallel loop over the units of a level";
  let description = [{
    The iterations are independent. The loop has one or more dimensions. The
    body is a region of the level of the unit. `obs-fuse-arrays` replaces
    `obs.push` and `obs.distribute` by this operation.

    Syntax:

    ```
    operation ::= `obs.par` level? names `in` extents region attr-dict
    level ::= `thread` | `warp` | `block` | `grid`
    names ::= `(` (name (`,` name)*)? `)`
    extents ::= `(` (index-value (`,` index-value)*)? `)`
    ```

    `level` is the unit whose instances execute the iterations. The default is
    `thread`. `names` are the counters, one for each of the `extents`.

    Example:

    ```mlir
    func.func @par(%a: !obs.pull<4 x 8 x f32>) -> !obs.pull<8 x 4 x f32> {
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %p = obs.fill {
        obs.par block (%i) in (%c4) {
          obs.par (%j) in (%c8) {
            %x = obs.get %a[%i, %j] : !obs.pull<4 x 8 x f32>
            obs.write %x at [%j, %i] : f32
          }
        }
      } : !obs.push<grid, 8 x 4 x f32>
      %r = obs.force %p : !obs.push<grid, 8 x 4 x f32>
      return %r : !obs.pull<8 x 4 x f32>
    }
    ```
  }];
  let arguments = (ins Variadic<Index>:$extents,
    DefaultValuedAttr<Obs_LevelAttr, "Level::Thread">:$unit);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Obs_WriteOp : Obs_Op<"write", [
    AttrSizedOperandSegments, MemoryEffects<[MemWrite]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Write one element of the enclosing fill";
  let description = [{
    The operation stands in thread-level code (R1). After fusion, a write may
    carry the contract of the fill that it came from in the attributes
    `contract` and `kind`, if this contract differs from that of the enclosing
    fill. A write of initial contents (`obs.contract = "init"`) in nested fills
    carries the depth of its fill in `nesting`, if the depth is more than 1.

    Syntax:

    ```
    operation ::= `obs.write` value (`,` value)*
                  `at` `[` (index-value (`,` index-value)*)? `]` attr-dict
                  `:` type (`,` type)*
    ```

    There is one value for each element type, and one index for each dimension.
    The types are those of the values.

    Example:

    ```mlir
    func.func @write(%x: f32, %y: f32) -> !obs.pull<2 x f32> {
      %c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %p = obs.fill par (%t) in (%c1) {
        obs.write %x at [%c0] : f32
        obs.write %y at [%c1] : f32
      } : !obs.push<grid, 2 x f32>
      %r = obs.force %p : !obs.push<grid, 2 x f32>
      return %r : !obs.pull<2 x f32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values, Variadic<Index>:$indices,
    OptionalAttr<Obs_ContractAttr>:$contract, OptionalAttr<Obs_ReduceKindAttr>:$kind,
    DefaultValuedAttr<I64Attr, "1">:$nesting);
  let extraClassDeclaration = [{
    /// The contract of this write: its own, or that of the enclosing fill.
    ::mlir::obs::WriteContract getEffectiveContract();
  }];
  let assemblyFormat = "$values `at` ` ` `[` $indices `]` attr-dict `:` type($values)";
  let hasVerifier = 1;
}

def Obs_PutOp : Obs_Op<"put", [MemoryEffects<[MemWrite]>]> {
  let summary = "Run a push array inside a fill, at an offset";
  let description = [{
    The array has the level of the region that contains the operation (R1), and
    the rank and the element types of the enclosing fill.

    Syntax:

    ```
    operation ::= `obs.put` array `at` `[` (index-value (`,` index-value)*)? `]`
                  attr-dict `:` type
    ```

    There is one offset for each dimension. The type is that of the array.

    Example:

    ```mlir
    func.func @twice(%a: !obs.pull<8 x f32>) -> !obs.pull<16 x f32> {
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %h = obs.push grid %a : !obs.pull<8 x f32>
      %p = obs.fill {
        obs.put %h at [%c0] : !obs.push<grid, 8 x f32>
        obs.put %h at [%c8] : !obs.push<grid, 8 x f32>
      } : !obs.push<grid, 16 x f32>
      %r = obs.force %p : !obs.push<grid, 16 x f32>
      return %r : !obs.pull<16 x f32>
    }
    ```
  }];
  let arguments = (ins Obs_PushType:$array, Variadic<Index>:$offsets);
  let assemblyFormat = "$array `at` ` ` `[` $offsets `]` attr-dict `:` qualified(type($array))";
  let hasVerifier = 1;
}

def Obs_DistributeOp : Obs_Op<"distribute", [
    Pure, Obs_InferredTypes, OwnExtents,
    DeclareOpInterfaceMethods<Obs_LevelScopeOpInterface>] # PushArrayMethods # [
    DeclareOpInterfaceMethods<Obs_ProgramOpInterface, ["getWrittenArrays"]>]> {
  let summary = "One sub-program of a level for each element of an array";
  let description = [{
    The sub-programs run side by side. Their level is at most the level around
    the operation. If both levels are equal, each force in the region is one
    force for all sub-programs. The region has one argument for every element
    type of every operand. It yields push arrays of its level, whose extents are
    the same in every sub-program. The extents of the operands agree (R4). A
    result has these extents, followed by those of the yielded array. `obs.join`
    makes one array without chunks from it.

    Syntax:

    ```
    operation ::= `obs.distribute` level (`in` level)? bindings (`->` types)?
                  region attr-dict
    level ::= `thread` | `warp` | `block` | `grid`
    bindings ::= `(` binding (`,` binding)* `)`
    binding ::= name (`,` name)* `=` array (`:` type)?
    types ::= type | `(` type (`,` type)* `)`
    ```

    The first level is that of the sub-programs. `in` names the level around the
    operation, which is the level of the results. It may be left out if
    `-> types` is there. The type of a binding is also the type of the bindings
    before it that have none, so the last binding has a type. `-> types` are the
    types of the results. By default, the extents of the operands are those of
    the first operand whose extents are all static, or else of the first
    operand; the other extents and the element types are those of the yielded
    arrays.

    Example:

    ```mlir
    func.func @sort_pairs(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
      %pairs = obs.split %a by [2] : !obs.pull<? x i32>
      %sorted = obs.distribute thread in grid (%p = %pairs : !obs.pull<? x !obs.pull<2 x i32>>) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %x = obs.get %p[%c0] : !obs.pull<2 x i32>
        %y = obs.get %p[%c1] : !obs.pull<2 x i32>
        %lo = arith.minsi %x, %y : i32
        %hi = arith.maxsi %x, %y : i32
        %q = obs.fill {
          obs.write %lo at [%c0] : i32
          obs.write %hi at [%c1] : i32
        } : !obs.push<thread, 2 x i32>
        obs.yield %q : !obs.push<thread, 2 x i32>
      }
      %flat = obs.join %sorted : !obs.push<grid, ? x 2 x i32>
      %r = obs.force %flat : !obs.push<grid, ? x i32>
      return %r : !obs.pull<? x i32>
    }
    ```
  }];
  let arguments = (ins Variadic<Obs_PullType>:$arrays, Obs_LevelAttr:$level,
    Obs_LevelAttr:$outer);
  let results = (outs Variadic<Obs_PushType>:$parts);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Obs_ForceOp : Obs_Op<"force", [
    AttrSizedOperandSegments, Obs_InferredTypes,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Run arrays and store their elements";
  let description = [{
    The operation runs the programs of push arrays and stores the elements that
    they write. It first pushes a pull array at the level of the region. So an
    `obs.push` before an `obs.force` can be omitted. No other operation stores
    arrays that the program can read. The level of push arrays is that of the
    region (R1). Below level grid, the extents are static or bounded (R2). At
    level grid, a force is one kernel.

    Syntax:

    ```
    operation ::= `obs.force` array (`,` array)* attr-dict into? (`in` storage)?
                  attr-dict `:` type (`,` type)* into-types? (`->` types)?
    into ::= `into` memref (`,` memref)*
    into-types ::= `into` type (`,` type)*
    storage ::= `auto` | `registers` | `shared` | `global` | `constant`
    types ::= type | `(` type (`,` type)* `)`
    ```

    `into` names the memory, with one memref for each element type of each
    array. `into-types` are the types of the memrefs. Afterwards, the program
    reads this memory only through the result (R8). By default, the compiler
    reserves memory. `in` requests a storage. The compiler uses this storage or
    refuses the program. The default is `auto`: the compiler selects the
    storage. The attributes `kernel` and `threads` are the name of the kernel
    and the number of threads of a block. The attribute `unchecked` is for a
    program that reads the memory after `into`: the author promises that these
    reads are allowed, if the compiler cannot prove it (R8). A single type after
    the first colon is that of all arrays. `-> types` are the types of the
    results. By default, a result is the pull array with the extents, the bounds
    and the element types of its operand.

    Example:

    ```mlir
    func.func @increment(%a: !obs.pull<? x i32>, %out: memref<?xi32>) -> !obs.pull<? x i32> {
      %c1 = arith.constant 1 : i32
      %b = obs.map (%x = %a : !obs.pull<? x i32>) {
        %y = arith.addi %x, %c1 : i32
        obs.yield %y : i32
      }
      %r = obs.force %b into %out {kernel = "increment", threads = 128 : i64}
        : !obs.pull<? x i32> into memref<?xi32>
      return %r : !obs.pull<? x i32>
    }
    ```
  }];
  let arguments = (ins Variadic<Obs_AnyArray>:$arrays, Variadic<AnyMemRef>:$into,
    DefaultValuedAttr<Obs_StorageAttr, "Storage::Auto">:$storage,
    OptionalAttr<StrAttr>:$kernel, OptionalAttr<I64Attr>:$threads, UnitAttr:$unchecked);
  let results = (outs Variadic<Obs_PullType>:$results);
  let extraClassDeclaration = [{
    /// The level of the push arrays; that of the region if there are none.
    ::mlir::obs::Level getArrayLevel();
  }];
  let builders = [
    /// The arrays are stored in `into`, or in new memory if `into` is empty.
    OpBuilder<(ins "::mlir::ValueRange":$arrays, "::mlir::ValueRange":$into)>
  ];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Obs_YieldOp : Obs_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let summary = "Values of a region";
  let description = [{
    The operation ends a region and returns its values to the operation around
    it.

    Syntax:

    ```
    operation ::= `obs.yield` (value (`,` value)* `:` type (`,` type)*)? attr-dict
    ```

    The types are those of the values. A region without values has no list.

    Example:

    ```mlir
    func.func @yield(%i: index) -> index {
      %a = obs.generate (%k) {
        obs.yield %k : index
      } : !obs.pull<4 x index>
      %x = obs.get %a[%i] : !obs.pull<4 x index>
      return %x : index
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{ }]>];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

def Obs_AssertOp : Obs_Op<"assert", [MemoryEffects<[MemWrite]>]> {
  let summary = "Stop with a message if a condition does not hold";
  let description = [{
    The operation stands at any level. Above thread level, the condition is
    uniform and is checked once for each instance.

    Syntax:

    ```
    operation ::= `obs.assert` value `,` string attr-dict
    ```

    The value is the condition, of type `i1`. The string is the message.

    Example:

    ```mlir
    func.func @assert(%n: index) {
      %c0 = arith.constant 0 : index
      %ok = arith.cmpi sgt, %n, %c0 : index
      obs.assert %ok, "n must be positive"
      return
    }
    ```
  }];
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
}

def Obs_PrintOp : Obs_Op<"print", [MemoryEffects<[MemWrite]>]> {
  let summary = "Print scalars";
  let description = [{
    Each `{}` in the format stands for one value, in order. Above thread level,
    the operation prints once for each instance of the level.

    Syntax:

    ```
    operation ::= `obs.print` string values? attr-dict
    values ::= `,` value (`,` value)* `:` type (`,` type)*
    ```

    The string is the format. `values` are the values and their types. By
    default, only the format is printed.

    Example:

    ```mlir
    func.func @print(%n: index, %x: f32) {
      obs.print "n = {}, x = {}", %n, %x : index, f32
      return
    }
    ```
  }];
  let arguments = (ins StrAttr:$format, Variadic<AnyType>:$values);
  let assemblyFormat = "$format (`,` $values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
}

#endif // OBSIDIAN_DIALECT_OBS_IR_OBSPUSHOPS_TD

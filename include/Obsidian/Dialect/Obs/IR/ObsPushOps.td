//===- ObsPushOps.td - Push arrays, the programs that write them, and force -*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_OBSPUSHOPS_TD
#define OBSIDIAN_DIALECT_OBS_IR_OBSPUSHOPS_TD

include "Obsidian/Dialect/Obs/IR/ObsIndexOps.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

defvar PushArrayMethods = [
  DeclareOpInterfaceMethods<Obs_ArrayOpInterface>,
  DeclareOpInterfaceMethods<Obs_PushOpInterface>];

def Obs_PushOp : Obs_Op<"push", [Pure, Obs_InferredTypes] # PushArrayMethods> {
  let summary = "Pull array to push array: the parallel loop of a level";
  let description = [{
    Writes every element of the pull array, in a loop over the workers of the
    level in the result type, at which the operation stands (R1).

    Example:

    ```mlir
    func.func @push(%a: !obs.pull<? x f32>) -> !obs.pull<? x f32> {
      %p = obs.push %a : !obs.pull<? x f32> -> !obs.push<grid, ? x f32>
      %r = obs.force %p : !obs.push<grid, ? x f32> -> !obs.pull<? x f32>
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
}

def Obs_FillOp : Obs_Op<"fill", [
    Pure, AttrSizedOperandSegments, NoTerminator,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<Obs_LevelScopeOpInterface>] # PushArrayMethods> {
  let summary = "Push array written by a program";
  let description = [{
    The region is a program of the array's level with uniform control flow. It
    may force arrays of that level, and writes the elements in three ways:
    `obs.par` is the parallel loop whose body may `obs.write`; `obs.put` runs a
    push array of the same level there; and at thread level a bare `obs.write`.
    A fill that is one thread-level `par` may be written `obs.fill par (...)`.

    Several writes of one element: `disjoint` (the default) promises that there
    are none (R5), `any` that one of them wins, `reduce(kind)` combines them by a
    commutative operation named as in `memref.atomic_rmw`, or by a function of
    two elements, `reduce(@function)`, which is arithmetic on its arguments and
    becomes a compare-and-swap loop. Elements that are never written keep `init`: one scalar for each element type, or the contents
    of an array (`onto`). Without `init`, reading one is an error that
    interpreter and emulator report.

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
      %r = obs.force %p : !obs.push<grid, 256 x i32> -> !obs.pull<256 x i32>
      return %r : !obs.pull<256 x i32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$init, Optional<Obs_PullType>:$onto,
    Variadic<Index>:$extents, DefaultValuedAttr<Obs_ContractAttr, "Contract::Disjoint">:$contract,
    OptionalAttr<Obs_ReduceKindAttr>:$kind, UnitAttr:$unchecked);
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
    Independent iterations, in any number of dimensions, over threads or, with
    another level named first, over instances of that level; the body is a
    region of that level. `obs-fuse-arrays` turns `obs.push` and
    `obs.distribute` into it.

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
      %r = obs.force %p : !obs.push<grid, 8 x 4 x f32> -> !obs.pull<8 x 4 x f32>
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
    One value for each element type and one index for each dimension. Stands in
    thread-level code (R1). After fusion a write may carry the `contract` of the
    fill that it came from, if that differs from the enclosing one's.

    Example:

    ```mlir
    func.func @write(%x: f32, %y: f32) -> !obs.pull<2 x f32> {
      %c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %p = obs.fill par (%t) in (%c1) {
        obs.write %x at [%c0] : f32
        obs.write %y at [%c1] : f32
      } : !obs.push<grid, 2 x f32>
      %r = obs.force %p : !obs.push<grid, 2 x f32> -> !obs.pull<2 x f32>
      return %r : !obs.pull<2 x f32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values, Variadic<Index>:$indices,
    OptionalAttr<Obs_ContractAttr>:$contract, OptionalAttr<Obs_ReduceKindAttr>:$kind);
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
    The array has the level of the region that `put` stands in (R1), and rank
    and element types of the enclosing fill.

    Example:

    ```mlir
    func.func @twice(%a: !obs.pull<8 x f32>) -> !obs.pull<16 x f32> {
      %c0 = arith.constant 0 : index
      %c8 = arith.constant 8 : index
      %h = obs.push %a : !obs.pull<8 x f32> -> !obs.push<grid, 8 x f32>
      %p = obs.fill {
        obs.put %h at [%c0] : !obs.push<grid, 8 x f32>
        obs.put %h at [%c8] : !obs.push<grid, 8 x f32>
      } : !obs.push<grid, 16 x f32>
      %r = obs.force %p : !obs.push<grid, 16 x f32> -> !obs.pull<16 x f32>
      return %r : !obs.pull<16 x f32>
    }
    ```
  }];
  let arguments = (ins Obs_PushType:$array, Variadic<Index>:$offsets);
  let assemblyFormat = "$array `at` ` ` `[` $offsets `]` attr-dict `:` qualified(type($array))";
  let hasVerifier = 1;
}

def Obs_DistributeOp : Obs_Op<"distribute", [
    Pure, Obs_InferredTypes,
    DeclareOpInterfaceMethods<Obs_LevelScopeOpInterface>] # PushArrayMethods> {
  let summary = "One sub-program of a level for each element of an array";
  let description = [{
    The sub-programs run side by side. Their level is any level at or below the
    enclosing one; at the same level each force of theirs is one force of all of
    them. The region has one argument for every element type of every operand,
    and yields push arrays of its level whose extents are the same in every
    sub-program. A result has the extents of the operands (which agree, R4)
    followed by those of the yielded array; `obs.join` lays it out.

    Example:

    ```mlir
    func.func @sort_pairs(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
      %pairs = obs.split %a by [2] : !obs.pull<? x i32> -> !obs.pull<? x !obs.pull<2 x i32>>
      %sorted = obs.distribute thread (%p = %pairs : !obs.pull<? x !obs.pull<2 x i32>>) -> !obs.push<grid, ? x 2 x i32> {
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
      %flat = obs.join %sorted : !obs.push<grid, ? x 2 x i32> -> !obs.push<grid, ? x i32>
      %r = obs.force %flat : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
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
  let summary = "Make push arrays real";
  let description = [{
    Runs the programs and keeps what they write: the only operation that stores.
    The level of the arrays is that of the region (R1); below grid the extents
    are static or bounded (R2). At grid level a force is one kernel, named by the
    attribute `kernel`, on `threads` threads a block.

    `into` gives the memory, one memref for each element type of each array; what
    that memory held before is read afterwards through the result only (R8).
    `in` asks for a home (`registers`, `shared`, `global`, `constant`), which is
    obeyed or refused.

    Example:

    ```mlir
    func.func @increment(%a: !obs.pull<? x i32>, %out: memref<?xi32>) -> !obs.pull<? x i32> {
      %c1 = arith.constant 1 : i32
      %b = obs.map (%x = %a : !obs.pull<? x i32>) -> !obs.pull<? x i32> {
        %y = arith.addi %x, %c1 : i32
        obs.yield %y : i32
      }
      %p = obs.push %b : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
      %r = obs.force %p into %out {kernel = "increment", threads = 128 : i64} : !obs.push<grid, ? x i32> into memref<?xi32> -> !obs.pull<? x i32>
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
    /// The arrays live in `into`, or in fresh memory if that is empty.
    OpBuilder<(ins "::mlir::ValueRange":$arrays, "::mlir::ValueRange":$into)>
  ];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Obs_YieldOp : Obs_Op<"yield", [Pure, ReturnLike, Terminator]> {
  let summary = "Values of a region";
  let description = [{
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
    At any level; above thread level the condition is uniform and is checked
    once for each instance.

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
    `{}` in the format stands for the next value. Above thread level it prints
    once for each instance of the level.

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

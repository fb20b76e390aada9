//===- ObsKernelOps.td - Operations of the lowering: kernels, workers, barriers -*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_OBSKERNELOPS_TD
#define OBSIDIAN_DIALECT_OBS_IR_OBSKERNELOPS_TD

include "Obsidian/Dialect/Obs/IR/ObsPushOps.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

def Obs_KernelOp : Obs_Op<"kernel", [
    AutomaticAllocationScope, IsolatedFromAbove, FunctionOpInterface, NoTerminator,
    DeclareOpInterfaceMethods<Obs_LevelScopeOpInterface>]> {
  let summary = "One kernel: a program of level grid over its arguments";
  let description = [{
    Made by `obs-outline-kernels` from a grid-level force. Arrays are memrefs in
    device memory; the arguments stand in the order of the source, results last.
    `obs-set-launch` adds `threads`, the workers of a block; the number of blocks
    is known at launch only.

    Example:

    ```mlir
    obs.kernel @copy(%a: memref<?xf32>, %out: memref<?xf32>) attributes {threads = 128 : i64} {
      %v = obs.view %a : memref<?xf32>
      %p = obs.push %v : !obs.pull<? x f32> -> !obs.push<grid, ? x f32>
      %r = obs.force %p into %out : !obs.push<grid, ? x f32> into memref<?xf32> -> !obs.pull<? x f32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let extraClassDeclaration = [{
    /// Workers of a block, or nullopt before `obs-set-launch`.
    std::optional<int64_t> getThreads();
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Obs_LaunchOp : Obs_Op<"launch", [
    AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Launch a kernel from the host";
  let description = [{
    `work` says how much the kernel has to do: one number of units of a level for
    every loop that the kernel spreads over the grid. `obs-set-launch` turns it
    into the number of `blocks`.

    Example:

    ```mlir
    obs.kernel @zero(%out: memref<?xf32>) {
    }
    func.func @main(%m: memref<?xf32>) {
      %c0 = arith.constant 0 : index
      %n = memref.dim %m, %c0 : memref<?xf32>
      obs.launch @zero work [%n] [thread] args(%m) : memref<?xf32>
      return
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Optional<Index>:$blocks,
    Variadic<Index>:$work, Variadic<AnyType>:$args, OptionalAttr<ArrayAttr>:$units);
  let hasCustomAssemblyFormat = 1;
}

def Obs_PartOp : Obs_Op<"part", [Pure, ViewLikeOpInterface]> {
  let summary = "Device memory from one of its elements on";
  let description = [{
    The memory that begins `offset` elements, in row-major order, behind the
    beginning of `memory`, with extents of its own: how host functions pass on a
    part of an array without a copy. Both have the identity layout, so the result
    is memory like any other; `memref.reinterpret_cast` could say where it begins
    only in a layout, and then kernels and callers had to know it.

    Where the part begins, an element can; more is known of it only if more is
    known of `offset`.

    Example:

    ```mlir
    func.func @part(%m: memref<?xf32>, %i: index, %n: index) -> memref<?xf32> {
      %p = obs.part %m from %i extents(%n) : memref<?xf32> to memref<?xf32>
      return %p : memref<?xf32>
    }
    ```
  }];
  let arguments = (ins AnyMemRef:$memory, Index:$offset, Variadic<Index>:$extents);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    $memory `from` $offset (`extents` `(` $extents^ `)`)? attr-dict
    `:` type($memory) `to` type($result)
  }];
  let extraClassDeclaration = [{
    ::mlir::Value getViewSource() { return getMemory(); }
  }];
  let hasVerifier = 1;
}

def Obs_WorkerIdOp : Obs_Op<"worker_id", [Pure]> {
  let summary = "Number of this unit in its instance of a scope";
  let description = [{
    `obs.worker_id <block, warp>` is the number of this warp in its block.

    Example:

    ```mlir
    obs.kernel @worker_id() {
      %w = obs.worker_id <block, warp>
      %n = obs.worker_count <block, warp>
    }
    ```
  }];
  let arguments = (ins Obs_MapAttr:$map);
  let results = (outs Index:$id);
  let assemblyFormat = "$map attr-dict";
}

def Obs_WorkerCountOp : Obs_Op<"worker_count", [Pure]> {
  let summary = "Number of units in an instance of a scope";
  let description = [{
    Example:

    ```mlir
    obs.kernel @worker_count() {
      %n = obs.worker_count <grid, block>
    }
    ```
  }];
  let arguments = (ins Obs_MapAttr:$map);
  let results = (outs Index:$count);
  let assemblyFormat = "$map attr-dict";
}

def Obs_BarrierOp : Obs_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait for all threads of a warp or block";
  let description = [{
    Placed by `obs-place-barriers`. `why` keeps every hazard that needs it, until
    the last step of the lowering.

    Example:

    ```mlir
    obs.kernel @barrier() {
      obs.barrier block {why = ["read after write"]}
    }
    ```
  }];
  let arguments = (ins Obs_LevelAttr:$scope, OptionalAttr<StrArrayAttr>:$why);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif // OBSIDIAN_DIALECT_OBS_IR_OBSKERNELOPS_TD

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
    `obs-outline-kernels` makes a kernel from a force at level grid. Arrays are
    memrefs in device memory. The arguments stand in the order of the source,
    results last. Passes add attributes:

    - `entry` is the name in the source. If it is the name of another kernel or
      of a host function, the symbol of the kernel is another one.
    - `unnamed` marks a kernel without a name in the source, which is named
      after its function.
    - `threads` is the number of workers of a block (`obs-set-launch`). The
      number of blocks is known at launch only.
    - `shared_bytes` is the size of shared memory (`obs-plan-shared`).

    Syntax:

    ```
    operation ::= `obs.kernel` visibility? symbol arguments attributes? region
    visibility ::= `public` | `private` | `nested`
    arguments ::= `(` (argument (`,` argument)*)? `)`
    argument ::= name `:` type attr-dict
    attributes ::= `attributes` attr-dict
    ```

    `visibility` is that of the symbol. The default is `public`. An argument may
    have attributes. `attributes` are those of the kernel, such as
    `{threads = 128 : i64}`.

    Example:

    ```mlir
    obs.kernel @copy(%a: memref<?xf32>, %out: memref<?xf32>) attributes {threads = 128 : i64} {
      %v = obs.view %a : memref<?xf32>
      %r = obs.force %v into %out : !obs.pull<? x f32> into memref<?xf32>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs,
    OptionalAttr<StrAttr>:$entry, UnitAttr:$unnamed, OptionalAttr<I64Attr>:$threads,
    OptionalAttr<I64Attr>:$shared_bytes);
  let regions = (region AnyRegion:$body);
  let extraClassDeclaration = [{
    /// The name in the source.
    ::llvm::StringRef getSourceName() { return getEntry().value_or(getSymName()); }
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
    `obs-set-launch` computes the number of blocks from the amount of work.

    Syntax:

    ```
    operation ::= `obs.launch` symbol blocks? work? `args` values attr-dict
                  (`:` type (`,` type)*)?
    blocks ::= `blocks` index-value
    work ::= `work` `[` (index-value (`,` index-value)*)? `]`
             `[` (level (`,` level)*)? `]`
    values ::= `(` (value (`,` value)*)? `)`
    level ::= `thread` | `warp` | `block` | `grid`
    ```

    `blocks` is the number of blocks. It is absent before `obs-set-launch`.
    `work` is the amount of work of the kernel: a number of units of a level for
    each loop that the kernel spreads over the grid. `args` are the arguments of
    the kernel. Their types follow the colon. A launch without arguments has no
    colon. The attribute `by_extent` says that the number of blocks follows from
    extents, so `obs-tile-grid` may change it.

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
    Variadic<Index>:$work, Variadic<AnyType>:$args, OptionalAttr<ArrayAttr>:$units,
    UnitAttr:$by_extent);
  let hasCustomAssemblyFormat = 1;
}

def Obs_PartOp : Obs_Op<"part", [Pure, ViewLikeOpInterface]> {
  let summary = "Device memory from one of its elements on";
  let description = [{
    The memory that begins `offset` elements, in row-major order, after the
    beginning of `memory`, with its own extents. Host functions use it to pass
    on a part of an array without a copy. Both memrefs have the identity layout,
    so the result can be used like any other memory. `memref.reinterpret_cast`
    could express the offset only in a layout, which kernels and callers would
    then have to support.

    The address of the part is a multiple of the size of an element. A larger
    alignment is known only if it follows from `offset`.

    Syntax:

    ```
    operation ::= `obs.part` memref `from` index-value extents? attr-dict
                  `:` type `to` type
    extents ::= `extents` `(` (index-value (`,` index-value)*)? `)`
    ```

    The value after `from` is the offset. `extents` has one value for each `?`
    of the second type. It is absent if there is no `?`. The types are those of
    the memref and of the result.

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

    Syntax:

    ```
    operation ::= `obs.worker_id` `<` level `,` level `>` attr-dict
    level ::= `thread` | `warp` | `block` | `grid`
    ```

    The first level is the scope, and the second level is the unit. The result
    is of type `index`.

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
    `obs.worker_count <grid, block>` is the number of blocks of the launch.

    Syntax:

    ```
    operation ::= `obs.worker_count` `<` level `,` level `>` attr-dict
    level ::= `thread` | `warp` | `block` | `grid`
    ```

    The first level is the scope, and the second level is the unit. The result
    is of type `index`.

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
    `obs-place-barriers` places barriers. The attribute `why` lists every hazard
    that requires the barrier. `obs-map-levels` removes it.

    Syntax:

    ```
    operation ::= `obs.barrier` level attr-dict
    level ::= `thread` | `warp` | `block` | `grid`
    ```

    The level is the scope, whose threads wait for each other: `warp` or
    `block`. The verifier refuses the other levels.

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

def Obs_TicketOp : Obs_Op<"ticket", [Obs_CounterOpInterface]> {
  let summary = "Draw a number from a counter, one for each block";
  let description = [{
    One thread of the block adds 1 to an element of `counters`, by an atomic
    operation. The result is the value before the addition. All threads of the
    block receive it through `cell`, and wait for each other in between. So the
    operation is a barrier of the block.

    The result is uniform over the block, and differs from all other tickets of
    the counter. Blocks draw 0, 1, 2, ... from a counter that was 0, in the order
    in which they come. So all smaller tickets belong to blocks that run or have
    finished. This holds if only tickets change the counter during the launch,
    and if there are not more of them than its type has values.

    The operation stands in code of level block. `obs-expand-collectives` makes
    it, so the interpreter never runs it. `obs-expand-exchanges` replaces it, after
    the last pass of `obs-to-gpu`, so `obs-check-races` reads it.

    Syntax:

    ```
    operation ::= `obs.ticket` memref `[` (index-value (`,` index-value)*)? `]`
                  `via` memref attr-dict `:` type `,` type
    ```

    The first memref is `counters`, of type `i32` or `i64`. It has one index for
    each dimension. The second memref is `cell`: one `index` in the shared memory
    of the block. The types are those of the memrefs. The result is of type
    `index`.

    Example:

    ```mlir
    obs.kernel @ticket(%counters: memref<?xi32>) attributes {threads = 64 : i64} {
      %c0 = arith.constant 0 : index
      %tiles = memref.dim %counters, %c0 : memref<?xi32>
      %b = obs.worker_id <grid, block>
      %blocks = obs.worker_count <grid, block>
      scf.for %k = %b to %tiles step %blocks {
        %cell = memref.alloc() : memref<index, #obs.home<block, shared>>
        %tile = obs.ticket %counters[%c0] via %cell
          : memref<?xi32>, memref<index, #obs.home<block, shared>>
      } {obs.map = #obs.map<grid, block>}
    }
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead, MemWrite]>:$counters,
    Variadic<Index>:$indices, Arg<AnyMemRef, "", [MemRead, MemWrite]>:$cell);
  let results = (outs Index:$result);
  let assemblyFormat = [{
    $counters `[` $indices `]` `via` $cell attr-dict `:` type($counters) `,` type($cell)
  }];
  let hasVerifier = 1;
}

def Obs_ArriveOp : Obs_Op<"arrive", [
    AttrSizedOperandSegments, Obs_CounterOpInterface]> {
  let summary = "Count a thread or a block, and ask whether it is the last one";
  let description = [{
    A thread adds 1 to an element of `counters`, by an atomic operation. The
    result is true if the value before is `before`: the thread is then the last
    of `before + 1` threads that arrive there. Where an `scf.if` asks for the
    result, the last thread sees all that others have written before they arrive.

    With a `cell`, the operation stands in code of level block, and is a barrier
    of the block: the first thread arrives for the block, and all threads receive
    the result. All threads of the last block see all that the first threads of
    other blocks have written before they arrive.

    After the last one, no thread writes what it reads. `obs-expand-collectives`
    makes the operation, so the interpreter never runs it. `obs-expand-exchanges`
    replaces it, after the last pass of `obs-to-gpu`, so `obs-check-races` reads
    it.

    Syntax:

    ```
    operation ::= `obs.arrive` memref `[` (index-value (`,` index-value)*)? `]`
                  `after` index-value (`via` memref)? attr-dict
                  `:` type (`,` type)?
    ```

    The first memref is `counters`, of type `i32` or `i64`. It has one index for
    each dimension. The value after `after` is `before`. The second memref is
    `cell`: one `index` in the shared memory of the block. The types are those of
    the memrefs. The result is of type `i1`.

    Example:

    ```mlir
    obs.kernel @arrive(%parts: memref<64xi32>, %counters: memref<64xi32>, %out: memref<64xi32>, %last: index)
        attributes {threads = 64 : i64} {
      %c1 = arith.constant 1 : i32
      %n = obs.worker_count <grid, block>
      %b = obs.worker_id <grid, block>
      scf.for %k = %b to %last step %n {
        scf.forall (%t) in (64) {
          memref.atomic_rmw addi %c1, %parts[%t] : (i32, memref<64xi32>) -> i32
          %isLast = obs.arrive %counters[%t] after %last : memref<64xi32>
          scf.if %isLast {
            %x = memref.load %parts[%t] : memref<64xi32>
            memref.store %x, %out[%t] : memref<64xi32>
          }
        } {mapping = [#obs.map<block, thread>]}
      } {obs.map = #obs.map<grid, block>}
    }
    ```
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead, MemWrite]>:$counters,
    Variadic<Index>:$indices, Index:$before,
    Arg<Optional<AnyMemRef>, "", [MemRead, MemWrite]>:$cell);
  let results = (outs I1:$last);
  let assemblyFormat = [{
    $counters `[` $indices `]` `after` $before (`via` $cell^)? attr-dict
    `:` type($counters) (`,` type($cell)^)?
  }];
  let hasVerifier = 1;
}

def Obs_PublishOp : Obs_Op<"publish", [SameVariadicOperandSize]> {
  let summary = "Give a result to threads of other blocks";
  let description = [{
    A thread stores a result, one value in each `memory`, and then sets a flag to
    `state`, which is 1 or 2. Both are visible to all threads for which an
    `obs.await` has found the flag. Result `number` has element `number` of the
    flags, which is 0 at first, and the two elements `2 number` and `2 number + 1`
    of each memory, one for each state. A state of a result is published once, and
    1 before 2.

    The operation stands in code of level thread. `obs-expand-collectives` makes
    it, so the interpreter never runs it. `obs-expand-exchanges` replaces it,
    after the last pass of `obs-to-gpu`, so `obs-check-races` reads it.

    Syntax:

    ```
    operation ::= `obs.publish` value (`,` value)* `in` memref (`,` memref)*
                  `flag` memref `[` index-value `]` `=` integer attr-dict
                  `:` type (`,` type)* `in` type (`,` type)* `flag` type
    ```

    The first memrefs are the memory of the values. The last memref is the flags,
    of type `i32`. The index is the number of the result, and the integer is the
    state. The types are those of the values and memrefs.

    Example:

    ```mlir
    func.func @publish(%x: f64, %m: memref<?xf64>, %flags: memref<?xi32>, %i: index)
        attributes {obs.level = #obs.level<thread>} {
      obs.publish %x in %m flag %flags[%i] = 1 : f64 in memref<?xf64> flag memref<?xi32>
      return
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values,
    Arg<Variadic<AnyMemRef>, "", [MemWrite]>:$memory,
    Arg<AnyMemRef, "", [MemRead, MemWrite]>:$flags, Index:$number, I32Attr:$state);
  let assemblyFormat = [{
    $values `in` $memory `flag` $flags `[` $number `]` `=` $state attr-dict
    `:` type($values) `in` type($memory) `flag` type($flags)
  }];
  let hasVerifier = 1;
}

def Obs_AwaitOp : Obs_Op<"await"> {
  let summary = "Wait for a result of a thread of another block";
  let description = [{
    A thread waits until the flag of a result is at least `least`, which is 1 or
    2. It returns the flag, and the values that `obs.publish` has stored for this
    state. A thread waits only for blocks that run or have finished, such as those
    with smaller tickets.

    The operation stands in code of level thread. `obs-expand-collectives` makes
    it, so the interpreter never runs it. `obs-expand-exchanges` replaces it,
    after the last pass of `obs-to-gpu`, so `obs-check-races` reads it.

    Syntax:

    ```
    operation ::= `obs.await` memref (`,` memref)*
                  `flag` memref `[` index-value `]` `>=` value attr-dict
                  `:` type (`,` type)* `flag` type `->` type (`,` type)*
    ```

    The operands are those of `obs.publish`. The value after `>=` is `least`, of
    type `i32`. The types are those of the memrefs, and of the values. The results
    are the flag, of type `i32`, and the values.

    Example:

    ```mlir
    func.func @await(%m: memref<?xf64>, %flags: memref<?xi32>, %i: index)
        attributes {obs.level = #obs.level<thread>} {
      %c1 = arith.constant 1 : i32
      %flag, %x = obs.await %m flag %flags[%i] >= %c1 : memref<?xf64> flag memref<?xi32> -> f64
      return
    }
    ```
  }];
  let arguments = (ins Arg<Variadic<AnyMemRef>, "", [MemRead]>:$memory,
    Arg<AnyMemRef, "", [MemRead, MemWrite]>:$flags, Index:$number, I32:$least);
  let results = (outs I32:$flag, Variadic<AnyType>:$values);
  let assemblyFormat = [{
    $memory `flag` $flags `[` $number `]` ` ` `>` `` `=` $least attr-dict
    `:` type($memory) `flag` type($flags) `->` type($values)
  }];
  let hasVerifier = 1;
}

#endif // OBSIDIAN_DIALECT_OBS_IR_OBSKERNELOPS_TD

//===- ObsAttrs.td - Attributes of the obs dialect --------*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_OBSATTRS_TD
#define OBSIDIAN_DIALECT_OBS_IR_OBSATTRS_TD

include "Obsidian/Dialect/Obs/IR/ObsBase.td"
include "mlir/Dialect/SCF/IR/DeviceMappingInterface.td"

def Obs_LevelAttr : EnumAttr<Obs_Dialect, Obs_Level, "level"> {
  let summary = "A level of the machine: thread, warp, block or grid";
  let description = [{
    ```mlir
    #obs.level<warp>
    ```
    On a `func.func`, the attribute `obs.level` is the level of its region. A
    function without it is a host function, and its region has level grid.
  }];
  let assemblyFormat = "`<` $value `>`";
}

def Obs_ContractAttr : EnumAttr<Obs_Dialect, Obs_Contract, "contract"> {
  let summary = "The meaning of several writes to one element";
  let assemblyFormat = "`<` $value `>`";
}

def Obs_ReduceKindAttr : AnyAttrOf<[StrAttr, FlatSymbolRefAttr],
    "an operation of memref.atomic_rmw, or a function">;

def Obs_StorageAttr : EnumAttr<Obs_Dialect, Obs_Storage, "storage"> {
  let summary = "The requested storage of a forced array";
  let assemblyFormat = "`<` $value `>`";
}

def Obs_DistributionAttr : EnumAttr<Obs_Dialect, Obs_Distribution, "distribution"> {
  let summary = "The map from iterations of a leaf loop to workers and steps";
  let description = [{
    For a loop of 8 iterations on 4 workers, the worker of each iteration:

    ```
    striped:  0 1 2 3 0 1 2 3        iteration = step * workers + worker
    blocked:  0 0 1 1 2 2 3 3        iteration = worker * steps + step
    ```

    In a loop over the lanes of a warp with the distribution `owners`, the lanes
    whose registers contain the written elements execute the iteration.
  }];
  let assemblyFormat = "`<` $value `>`";
}

def Obs_MapAttr : Obs_Attr<"Map", "map",
    [DeclareAttrInterfaceMethods<DeviceMappingAttrInterface>]> {
  let summary = "A loop over units of a level inside one instance of a scope";
  let description = [{
    `#obs.map<scope, unit>` on an `scf.forall` means that its iterations are
    independent work of level `unit`, spread over the units of one instance of
    `scope`. `#obs.map<block, thread>` is a loop over the threads of a block,
    and `#obs.map<warp, thread>` is a loop over the lanes of a warp. On an
    `scf.for`, or an `scf.if` of one iteration, the attribute `obs.map` means
    that the loop is virtualised: each unit executes the iterations
    `id, id + count, id + 2 count, ...`.
  }];
  let parameters = (ins EnumParameter<Obs_Level>:$scope, EnumParameter<Obs_Level>:$unit);
  let assemblyFormat = "`<` $scope `,` $unit `>`";
}

def Obs_HomeAttr : Obs_Attr<"Home", "home"> {
  let summary = "Memory space of a buffer in level IR";
  let description = [{
    The owner is a level: each instance of this level has one such buffer.
    `convert-obs-to-scf` writes the storage that the program requests, or
    `auto`. `obs-assign-homes` replaces `auto`.

    | owner  | registers                             | shared                  |
    |--------|---------------------------------------|-------------------------|
    | thread | private memory of the thread          |                         |
    | warp   | a part of the elements in each lane   | one slice for each warp |
    | block  | a part of the elements in each thread | one array for each block |

    Arrays of the grid have no home. They are arguments of the kernel, in device
    memory.
  }];
  let parameters = (ins EnumParameter<Obs_Level>:$owner, EnumParameter<Obs_Storage>:$storage);
  let assemblyFormat = "`<` $owner `,` $storage `>`";
}

#endif // OBSIDIAN_DIALECT_OBS_IR_OBSATTRS_TD

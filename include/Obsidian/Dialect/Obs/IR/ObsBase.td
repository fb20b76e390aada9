//===- ObsBase.td - The obs dialect, its enums and base classes -*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_OBSBASE_TD
#define OBSIDIAN_DIALECT_OBS_IR_OBSBASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Obs_Dialect : Dialect {
  let name = "obs";
  let cppNamespace = "::mlir::obs";
  let summary = "Pull and push arrays on the levels of a GPU";
  let description = [{
    The `obs` dialect describes data-parallel programs by two kinds of virtual
    array. A *pull array* (`!obs.pull`) is extents and a function from index to
    element. A *push array* (`!obs.push`) is extents, a level of the machine and
    a program of that level that hands elements and their indices to a writer.
    Neither is ever in memory: `obs.force` is the only operation that makes an
    array real. What is not forced is fused.

    Levels are `thread < warp < block < grid`. A region has a level, and a scalar
    is uniform over the instance of the region that defines it, so a barrier in
    divergent control flow cannot be written. Launch parameters never change
    results: extents are virtual and any number of elements runs on any number
    of threads, warps and blocks.

    `docs/Spec.md` has the rules; the label in brackets of every diagnostic
    (`[R1-level]`) is the label of the rule there.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasCanonicalizer = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerTypes();
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

def Obs_Level : I32EnumAttr<"Level", "level of the GPU", [
    I32EnumAttrCase<"Thread", 0, "thread">,
    I32EnumAttrCase<"Warp", 1, "warp">,
    I32EnumAttrCase<"Block", 2, "block">,
    I32EnumAttrCase<"Grid", 3, "grid">]> {
  let cppNamespace = "::mlir::obs";
  let genSpecializedAttr = 0;
}

def Obs_Contract : I32EnumAttr<"Contract", "what several writes to one element mean", [
    I32EnumAttrCase<"Disjoint", 0, "disjoint">,
    I32EnumAttrCase<"Any", 1, "any">,
    I32EnumAttrCase<"Reduce", 2, "reduce">]> {
  let cppNamespace = "::mlir::obs";
  let genSpecializedAttr = 0;
}

def Obs_Storage : I32EnumAttr<"Storage", "where a forced array lives", [
    I32EnumAttrCase<"Auto", 0, "auto">,
    I32EnumAttrCase<"Registers", 1, "registers">,
    I32EnumAttrCase<"Shared", 2, "shared">,
    I32EnumAttrCase<"Global", 3, "global">,
    I32EnumAttrCase<"Constant", 4, "constant">]> {
  let cppNamespace = "::mlir::obs";
  let genSpecializedAttr = 0;
}

def Obs_Distribution : I32EnumAttr<"Distribution", "which worker runs which iteration", [
    I32EnumAttrCase<"Striped", 0, "striped">,
    I32EnumAttrCase<"Blocked", 1, "blocked">,
    I32EnumAttrCase<"Owners", 2, "owners">]> {
  let cppNamespace = "::mlir::obs";
  let genSpecializedAttr = 0;
}

//===----------------------------------------------------------------------===//
// Base classes
//===----------------------------------------------------------------------===//

class Obs_Op<string mnemonic, list<Trait> traits = []>
    : Op<Obs_Dialect, mnemonic, traits>;
class Obs_Type<string cppName, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Obs_Dialect, cppName, traits> {
  let mnemonic = typeMnemonic;
}
class Obs_Attr<string cppName, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Obs_Dialect, cppName, traits> {
  let mnemonic = attrMnemonic;
}

#endif // OBSIDIAN_DIALECT_OBS_IR_OBSBASE_TD

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
    array. A *pull array* (`!obs.pull`) consists of extents and a function from
    an index to an element. A *push array* (`!obs.push`) consists of extents, a
    level of the machine, and a program of that level. The program passes
    elements and their indices to a writer. Neither is in memory: only
    `obs.force` stores the elements of an array. Arrays that are not forced are
    fused.

    Levels are `thread < warp < block < grid`. A region has a level, and a
    scalar is uniform over the instance of the region that defines it, so a
    barrier is never in divergent control flow. Launch parameters never change
    results: any number of elements runs on any number of threads, warps and
    blocks.

    `docs/Spec.md` contains the rules. The label in brackets of every diagnostic
    (`[R1-level]`) is the label of the rule there.

    The descriptions of the operations contain grammars. Text in backquotes
    stands for itself. `?`, `*`, `|` and parentheses have the usual meaning of
    regular expressions. `array`, `memref`, `value` and `index-value` are SSA
    values, such as `%a`. `name` is the name of an argument of a region, such as
    `%x`. `symbol` is a name such as `@f`. `region` is a list of operations in
    braces. `attr-dict` is a list of attributes in braces, such as
    `{kernel = "f"}`, or nothing. `type`, `integer`, `string`, `literal`,
    `keyword` and `operation-name` are those of MLIR.
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

def Obs_Contract : I32EnumAttr<"Contract", "meaning of several writes to one element", [
    I32EnumAttrCase<"Disjoint", 0, "disjoint">,
    I32EnumAttrCase<"Any", 1, "any">,
    I32EnumAttrCase<"Reduce", 2, "reduce">]> {
  let cppNamespace = "::mlir::obs";
  let genSpecializedAttr = 0;
}

def Obs_Storage : I32EnumAttr<"Storage", "storage of a forced array", [
    I32EnumAttrCase<"Auto", 0, "auto">,
    I32EnumAttrCase<"Registers", 1, "registers">,
    I32EnumAttrCase<"Shared", 2, "shared">,
    I32EnumAttrCase<"Global", 3, "global">,
    I32EnumAttrCase<"Constant", 4, "constant">]> {
  let cppNamespace = "::mlir::obs";
  let genSpecializedAttr = 0;
}

def Obs_Distribution : I32EnumAttr<"Distribution", "assignment of iterations to workers", [
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

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

//===----------------------------------------------------------------------===//
// Discardable attributes
//===----------------------------------------------------------------------===//

// A class of values, and the rest of the diagnostic `'obs.NAME' ...` for a value
// of another class.
class Obs_Values<string attrClass, string form> {
  string storage = "::mlir::" # attrClass;
  string correction = form;
}
def Obs_NoValue : Obs_Values<"UnitAttr", "has no value">;
def Obs_Number : Obs_Values<"IntegerAttr", "is a number">;
def Obs_Numbers : Obs_Values<"DenseI64ArrayAttr", "is a list of numbers">;
def Obs_Text : Obs_Values<"StringAttr", "is a string">;

// The attribute `obs.NAME` of operations of any dialect, or of the parameters
// and results of functions. `write` is an example of it, and `label` is that of
// its rule in docs/Spec.md. From this declaration follow the class
// `ObsDialect::NameAttrHelper`, the check of the value, and a line on the page
// of the dialect.
class Obs_Discardable<string attrName, Obs_Values attrValues, string write,
    string text, string label = "obs-attribute"> {
  string name = attrName;
  Obs_Values values = attrValues;
  string example = write;
  string meaning = text;
  string rule = label;
}

defvar Obs_discardableAttrs = [
  Obs_Discardable<"level", Obs_Values<"obs::LevelAttr", "is a #obs.level attribute of a function">,
    "obs.level = #obs.level<block>",
    "The level of the region of a function. A function without it is a host function.", "obs-level">,
  Obs_Discardable<"unroll", Obs_NoValue, "obs.unroll",
    "The loop is unrolled (`obs-unroll-loops`).">,
  Obs_Discardable<"packed", Obs_NoValue, "obs.packed",
    "The function combines two elements that are packed into one word each.">,
  Obs_Discardable<"constant", Obs_NoValue, "obs.constant",
    "The table is in constant memory. On an `obs.constant`, the program requests this. "
    "On a `memref.get_global`, the lanes of a warp always read one element of the table.">,
  Obs_Discardable<"contract", Obs_Values<"StringAttr",
      "is one of disjoint, unproved, any and init">, "obs.contract = \"disjoint\"",
    "The contract of a write, or of a read that counts as one (see below).">,
  Obs_Discardable<"loop", Obs_Number, "obs.loop = 0",
    "The number of the loop among those around forces in a kernel.">,
  Obs_Discardable<"outer_loops", Obs_Numbers, "obs.outer_loops = array<i64: 0>",
    "The numbers of the loops around the force that runs the write. Each iteration of these "
    "loops runs a force of its own, and the contract covers the writes of one force.">,
  Obs_Discardable<"update", Obs_Number, "obs.update = 1",
    "The write updates the array of an earlier force in place. The value is the number of its own "
    "force in the kernel: the writes of one force are disjoint, and those of two forces need not be.">,
  Obs_Discardable<"updates", Obs_NoValue, "obs.updates",
    "A force in the loop updates an array in place, so each iteration counts as a separate force.">,
  Obs_Discardable<"copy", Obs_NoValue, "obs.copy",
    "A load, and the store of its result, copy an element from one array to another. "
    "If the source was never written, the copy counts as not written, too.">,
  Obs_Discardable<"map", Obs_Values<"obs::MapAttr", "is a #obs.map attribute">,
    "obs.map = #obs.map<block, thread>",
    "Each unit executes its share of the iterations of the loop.", "obs-map">,
  Obs_Discardable<"distribution", Obs_Values<"obs::DistributionAttr", "is a #obs.distribution attribute">,
    "obs.distribution = #obs.distribution<striped>",
    "The map from the iterations of a leaf loop to workers and steps.">,
  Obs_Discardable<"items", Obs_Values<"IntegerAttr",
      "is the number of iterations of a thread side by side: 2, 4, 8 or 16">, "obs.items = 4",
    "The number of neighbouring iterations that a thread executes side by side, on a leaf loop of a "
    "block or a grid, and on the loop that it becomes.", "obs-items">,
  Obs_Discardable<"rows", Obs_NoValue, "obs.rows",
    "The loop, in a leaf loop, is over rows that do not depend on each other.">,
  Obs_Discardable<"registers", Obs_Number, "obs.registers = 2",
    "The number of elements of the array in the registers of each thread.">,
  Obs_Discardable<"offset", Obs_Number, "obs.offset = 1024",
    "The byte of shared memory at which the array begins.">,
  Obs_Discardable<"lanes", Obs_NoValue, "obs.lanes",
    "The memory is the part of an array of a warp that a lane has in registers.">,
  Obs_Discardable<"steps", Obs_Numbers, "obs.steps = array<i64: 0, 32>",
    "The element that the access reaches in each step of its leaf loop.">,
  Obs_Discardable<"origin", Obs_Number, "obs.origin = 1",
    "Accesses with one number are copies of one access, whose contract covers all of them.">,
  Obs_Discardable<"least_threads", Obs_Number, "obs.least_threads = 512",
    "The least number of threads that a multiprocessor should execute at once in a kernel with this "
    "atomic operation. Without it, the number is 1024 if threads wait at an atomic load.">,
  Obs_Discardable<"arrays", Obs_Number, "obs.arrays = 2",
    "The number of arrays that use an allocation, one after the other.">,
  Obs_Discardable<"entry", Obs_Text, "obs.entry = \"sort\"",
    "The name that the source gives to the kernel, if the symbol is another one: a symbol is unique "
    "in its module. `obs-merge-kernels` removes the attribute.">,
  Obs_Discardable<"unnamed", Obs_NoValue, "obs.unnamed",
    "The source gives no name to the kernel, which is named after its function.">,
];

// Of the parameters and results of functions.
defvar Obs_parameterAttrs = [
  Obs_Discardable<"name", Obs_Values<"StringAttr",
      "is a string of letters, digits and '_' that does not begin with a digit">,
    "obs.name = \"keys\"",
    "The name in the launch contract and in the C code of the host.", "obs-name">,
  Obs_Discardable<"may_alias", Obs_NoValue, "obs.may_alias",
    "The parameters of a kernel with this attribute may be the same array (R8).">
];

defvar Obs_allAttrs = Obs_discardableAttrs # Obs_parameterAttrs;

// The lines of the table of `attrs` in the documentation.
class Obs_AttrTable<list<Obs_Discardable> attrs> {
  string lines = !interleave(!foreach(attr, attrs,
    "| `" # attr.example # "` | " # attr.meaning # " |"), "\n    ");
}

// The C++ initializers of `attrs`.
class Obs_AttrChecks<list<Obs_Discardable> attrs> {
  string initializers = !interleave(!foreach(attr, attrs,
    "{\"obs." # attr.name # "\", \"" # attr.rule # "\", \"" # attr.values.correction # "\", \""
    # !subst("\"", "\\\"", attr.example) # "\", [](::mlir::Attribute value) { return ::llvm::isa<"
    # attr.values.storage # ">(value); }}"), ",\n        ");
}

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

    ## Discardable attributes

    These attributes stand on operations of any dialect. A program may have the
    first two. Passes set the others.

    | Attribute | Meaning |
    | --------- | ------- |
    }] # Obs_AttrTable<Obs_discardableAttrs>.lines # [{

    `obs.contract` is one of these:

    | Contract | Meaning |
    | -------- | ------- |
    | `disjoint` | No other write of the same force has this element (R5). |
    | `unproved` | The contract is `disjoint`, which is neither proved nor refuted. |
    | `any` | Several writes may have this element; one of them wins. |
    | `init` | The write gives an element its initial contents, which later writes of the same force may replace. |

    These attributes stand at parameters and results of functions:

    | Attribute | Meaning |
    | --------- | ------- |
    }] # Obs_AttrTable<Obs_parameterAttrs>.lines # "\n";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasCanonicalizer = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let discardableAttrs = !dag(ins,
    !foreach(attr, Obs_allAttrs, attr.values.storage), !foreach(attr, Obs_allAttrs, attr.name));
  let extraClassDeclaration = [{
    void registerTypes();

    /// A discardable attribute, and the check of its value.
    struct DiscardableAttr {
      ::llvm::StringLiteral name, rule, correction, example;
      bool (*hasClass)(::mlir::Attribute value);
    };
    static ::llvm::ArrayRef<DiscardableAttr> getDiscardableAttrs() {
      static const DiscardableAttr attrs[] = {
        }] # Obs_AttrChecks<Obs_discardableAttrs>.initializers # [{};
      return attrs;
    }
    static ::llvm::ArrayRef<DiscardableAttr> getParameterAttrs() {
      static const DiscardableAttr attrs[] = {
        }] # Obs_AttrChecks<Obs_parameterAttrs>.initializers # [{};
      return attrs;
    }
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

def Obs_WriteMark : I32EnumAttr<"WriteMark", "value of obs.contract", [
    I32EnumAttrCase<"Disjoint", 0, "disjoint">,
    I32EnumAttrCase<"Unproved", 1, "unproved">,
    I32EnumAttrCase<"Any", 2, "any">,
    I32EnumAttrCase<"Initial", 3, "init">]> {
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

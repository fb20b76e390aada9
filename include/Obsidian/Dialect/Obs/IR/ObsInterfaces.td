//===- ObsInterfaces.td - Interfaces of array operations --*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_OBSINTERFACES_TD
#define OBSIDIAN_DIALECT_OBS_IR_OBSINTERFACES_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

/// The result types follow from operands, attributes and regions, and need not be
/// spelt.
class Obs_InferredTypesBase<code declarations = [{}]> : TraitList<[
    DeclareOpInterfaceMethods<InferTypeOpInterface>,
    NativeOpTrait<"InferTypeOpAdaptor", [], [{
      static ::llvm::LogicalResult
      inferTypes(::mlir::obs::TypeInference in, Adaptor adaptor);
    }] # declarations, [{
      ::llvm::LogicalResult $cppClass::inferReturnTypes(
          ::mlir::MLIRContext *context, ::std::optional<::mlir::Location> loc,
          ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
          ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
          ::llvm::SmallVectorImpl<::mlir::Type> &types) {
        return inferTypes({context, loc, types},
                          Adaptor(operands, attributes, properties, regions));
      }
    }]>
  ]>;

/// The results have exactly the inferred types.
def Obs_ExactTypes : Obs_InferredTypesBase;

/// A result may have another type than the inferred one: a static extent or a
/// bound that the operands do not have. The verifier of the operation checks its
/// types, with messages that name the rule, so nothing is refined here.
def Obs_InferredTypes : Obs_InferredTypesBase<[{
  static ::llvm::LogicalResult refineReturnTypes(
      ::mlir::MLIRContext *, ::std::optional<::mlir::Location>,
      ::mlir::ValueRange, ::mlir::DictionaryAttr, ::mlir::OpaqueProperties,
      ::mlir::RegionRange, ::llvm::SmallVectorImpl<::mlir::Type> &) {
    return ::llvm::success();
  }
}]>;

def Obs_ArrayOpInterface : OpInterface<"ArrayOpInterface"> {
  let cppNamespace = "::mlir::obs";
  let description = [{
    An operation with array results whose extents can be built from its
    operands.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds the extent of dimension `dim` of result `result` as an `index`
      value. Called for dynamic extents only. By default, results have the
      extents of the first operand, which is an array.
    }], "::mlir::Value", "buildExtent",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "unsigned":$result, "unsigned":$dim), "",
      "return ::mlir::obs::buildExtent(builder, loc, "
      "$_op->getOperand(0), dim);">,
    InterfaceMethod<[{
      True if an element of a result depends only on the elements of array
      operands at the same index. A force may then write memory that such an
      operand reads (rule R8).
    }], "bool", "isElementwise", (ins), "", "return false;">,
    InterfaceMethod<[{
      Builds, before the operation, the conditions on extents and other numbers
      under which the results exist (rule R4). It passes each condition to
      `require`, with the message for a violation. The host checks the
      conditions, if it knows the numbers. The checks of operations of the obs
      dialect are in `obs-insert-runtime-checks`. For all other operations, this
      pass also compares dynamic extents of results with their bounds.
    }], "void", "buildChecks",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::obs::CheckFn":$require), "", "return;">
  ];
}

/// The operation has its own `buildExtent`.
defvar OwnExtents =
  DeclareOpInterfaceMethods<Obs_ArrayOpInterface, ["buildExtent"]>;
/// The operands `extents` are the dynamic extents of the first result. Those of
/// other results are static.
def Obs_ExtentOperands : NativeOpTrait<"ExtentOperands", [], [{
  ::mlir::Value buildExtent(::mlir::OpBuilder &, ::mlir::Location,
                            unsigned result, unsigned dim) {
    ::mlir::Type type = getOperation()->getResult(result).getType();
    return getExtents()[::llvm::count_if(
        ::mlir::obs::getArrayExtents(type).take_front(dim),
        ::mlir::ShapedType::isDynamic)];
  }
}]>;

def Obs_PullOpInterface : OpInterface<"PullOpInterface", [Obs_ArrayOpInterface]> {
  let cppNamespace = "::mlir::obs";
  let description = [{
    An operation with results that are pull arrays and can be read without
    memory. `obs-fuse-arrays` uses arrays through this interface only, so
    another dialect can add array operations.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds, at the insertion point of `builder`, the element of result
      `result` at `indices` (one `index` value per dimension, in range): one
      value per element type. The code is pure and may read other arrays by
      `obs.get`.
    }], "::llvm::SmallVector<::mlir::Value>", "buildElement",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "unsigned":$result, "::mlir::ValueRange":$indices)>
  ];
}

def Obs_ProgramOpInterface : OpInterface<"ProgramOpInterface"> {
  let cppNamespace = "::mlir::obs";
  let description = [{
    An operation whose results that are push arrays have a known program. The
    rules on final values (R7) and on memory (R8) ask it about this program.
  }];
  let methods = [
    InterfaceMethod<[{
      The push arrays whose elements the program of result `result` writes.
    }], "::llvm::SmallVector<::mlir::Value>", "getWrittenArrays",
      (ins "unsigned":$result), "",
      "return ::mlir::obs::detail::getPushOperands($_op);">,
    InterfaceMethod<[{
      The weakest contract of the writes that make result `result`. A value that
      writes of contract `reduce` combine is final only after all of these
      writes. All other values are final where they are written, and so are
      initial contents.
    }], "::mlir::obs::Contract", "getWeakestContract", (ins "unsigned":$result),
      "",
      "return ::mlir::obs::detail::getWeakest($_op.getWrittenArrays(result));">,
    InterfaceMethod<[{
      True if the program of result `result` writes initial contents before its
      other elements.
    }], "bool", "hasInitialContents", (ins "unsigned":$result), "",
      "return ::llvm::any_of($_op.getWrittenArrays(result), "
      "::mlir::obs::hasInitialContents);">,
    InterfaceMethod<[{
      True if every element of result `result` has a value, whichever elements
      the program writes.
    }], "bool", "hasAllElements", (ins "unsigned":$result), "",
      "return ::llvm::all_of($_op.getWrittenArrays(result), "
      "::mlir::obs::hasAllElements);">
  ];
}

def Obs_PushOpInterface : OpInterface<"PushOpInterface", [Obs_ArrayOpInterface, Obs_ProgramOpInterface]> {
  let cppNamespace = "::mlir::obs";
  let description = [{
    An operation with results that are push arrays: programs that take a writer.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds the program of result `result` at the insertion point of
      `builder`, which stands in a region of the array's level, and calls
      `writer` wherever it writes an element. Code that `writer` builds stands
      in thread-level code.
    }], "void", "emit",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "unsigned":$result, "::mlir::obs::Writer":$writer)>,
    InterfaceMethod<[{
      The push operand whose writes are the writes of this array, one for one,
      at other indices or with other values. Null if there is no such operand.
      Index maps have one.
    }], "::mlir::Value", "getSource", (ins), "",
      "return ::mlir::obs::detail::getMovedArray($_op);">,
    InterfaceMethod<[{
      The initial contents of this array if every element of its source has the
      initial value `init`. Empty if they then differ between indices.
    }], "::llvm::SmallVector<::mlir::Value>", "buildInitial",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$init), "",
      "return ::llvm::to_vector(init);">
  ];
}

def Obs_IndexMapOpInterface : OpInterface<"IndexMapOpInterface", [Obs_PullOpInterface]> {
  let cppNamespace = "::mlir::obs";
  let description = [{
    An operation whose only result has the elements of one array at other
    indices. This interface implements `PullOpInterface`. If it also lists
    `PushOpInterface`, it moves push arrays, too, and has a method

    ```
    IndexChange buildTarget(OpBuilder &builder, Location loc);
    ```

    At the insertion point, this method builds the code that does not depend on
    indices. The function that it returns replaces an index of the source by the
    index of the result. The function returns the condition under which the
    result has this element, or null if it always has it.
  }];
  let methods = [
    InterfaceMethod<"The array whose elements the result has.",
      "::mlir::Value", "getArray">,
    InterfaceMethod<[{
      Builds the index of the source whose element the result has at `indices`,
      which are in range. The index that it builds is in range, too.
    }], "::llvm::SmallVector<::mlir::Value>", "buildSource",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "::mlir::ValueRange":$indices)>,
    InterfaceMethod<[{
      True if `buildTarget` never maps two indices to the same index, for any
      values of the operands. If false, `obs-check-races` and the emulator check
      the writes.
    }], "bool", "isInjective", (ins), "", "return false;">,
    InterfaceMethod<[{
      True if the elements of the result, in row-major order, are adjacent in
      the row-major source, beginning at `buildBegin`. An array in memory is
      then passed on without a copy.
    }], "bool", "isContiguous", (ins), "", "return false;">,
    InterfaceMethod<[{
      Builds the index in the source of the first element of a contiguous
      result. Empty if it is the first element of the source.
    }], "::llvm::SmallVector<::mlir::Value>", "buildBegin",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc), "",
      "return {};">
  ];
  let extraTraitClassDeclaration = [{
    ::llvm::SmallVector<::mlir::Value>
    buildElement(::mlir::OpBuilder &builder, ::mlir::Location loc, unsigned,
                 ::mlir::ValueRange indices) {
      return ::mlir::obs::buildGet(builder, loc, $_op.getArray(),
                                   $_op.buildSource(builder, loc, indices));
    }
    void emit(::mlir::OpBuilder &builder, ::mlir::Location loc, unsigned,
              ::mlir::obs::Writer writer) {
      ::mlir::obs::detail::emitMoved(builder, loc, $_op.getArray(),
                                     $_op.buildTarget(builder, loc),
                                     $_op.isInjective(), writer);
    }
  }];
  let verify = "return ::mlir::obs::detail::verifyIndexMap($_op);";
}

def Obs_ExpandableOpInterface : OpInterface<"ExpandableOpInterface", [Obs_ProgramOpInterface]> {
  let cppNamespace = "::mlir::obs";
  let description = [{
    A collective, or an operation that writes at indices that depend on values.
    All workers of the level of the region around it execute it together. Array
    results are push arrays of this level; the operation then also implements
    `ArrayOpInterface`. Before fusion, `obs-expand-collectives` replaces the
    operation by core operations.
  }];
  let methods = [
    InterfaceMethod<"The name of the strategy, if one is requested.",
      "::std::optional<::llvm::StringRef>", "getStrategy", (ins), "",
      "return ::std::nullopt;">,
    InterfaceMethod<[{
      Builds core operations at the insertion point of `builder`, which is before
      this operation, and replaces all uses of its results. The caller erases
      the operation. `getEnclosingScope` returns the level, and whether the code
      is scalar code, which cannot store. If the method fails, it has emitted an
      error. The pass itself expands operations of the obs dialect.
    }], "::llvm::LogicalResult", "expand", (ins "::mlir::OpBuilder &":$builder),
      "", "return ::mlir::obs::detail::refuseExpansion($_op);">
  ];
  let verify = "return ::mlir::obs::detail::verifyExpandable($_op);";
}

def Obs_LevelScopeOpInterface : OpInterface<"LevelScopeOpInterface"> {
  let cppNamespace = "::mlir::obs";
  let description = [{
    An operation that defines the level of its regions.
  }];
  let methods = [
    InterfaceMethod<"The level at which the regions run.",
      "::mlir::obs::Level", "getScopeLevel", (ins)>,
    InterfaceMethod<[{
      True for regions that only compute an element: thread-level code without
      storage and without push arrays.
    }], "bool", "isScalarScope", (ins), "", "return false;">
  ];
}

/// The regions compute an element, on one thread.
def Obs_ScalarScope : TraitList<[
    Obs_LevelScopeOpInterface,
    NativeOpTrait<"ScalarScope", [], [{
      ::mlir::obs::Level getScopeLevel() { return ::mlir::obs::Level::Thread; }
      bool isScalarScope() { return true; }
    }]>
  ]>;

def Obs_CounterOpInterface : OpInterface<"CounterOpInterface"> {
  let cppNamespace = "::mlir::obs";
  let description = [{
    An operation that increments an element of an array of counters. If it has a
    cell, the first thread of a block does so for the block, and all threads
    receive the result through the cell and wait for each other.
  }];
  let methods = [
    InterfaceMethod<"The array.", "::mlir::Value", "getCounters">,
    InterfaceMethod<"The indices of the element.", "::mlir::ValueRange", "getIndices">,
    InterfaceMethod<"The cell, or null.", "::mlir::Value", "getCell">
  ];
}

#endif // OBSIDIAN_DIALECT_OBS_IR_OBSINTERFACES_TD

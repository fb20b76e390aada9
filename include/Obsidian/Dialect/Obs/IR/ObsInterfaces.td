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
/// spelt. A result may have another type than the inferred one: a static extent
/// or a bound that the operands do not have. The verifier of the operation checks
/// its types, with messages that name the rule, so nothing is refined here.
def Obs_InferredTypes : InferTypeOpAdaptorBase<[{
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
      value. Called for dynamic extents only.
    }], "::mlir::Value", "buildExtent",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
           "unsigned":$result, "unsigned":$dim)>
  ];
}

def Obs_PullOpInterface : OpInterface<"PullOpInterface", [Obs_ArrayOpInterface]> {
  let cppNamespace = "::mlir::obs";
  let description = [{
    An operation with results that are pull arrays and can be read without
    memory. `obs-fuse-arrays` knows arrays by this interface alone, so another
    dialect can add array operations.
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

def Obs_PushOpInterface : OpInterface<"PushOpInterface", [Obs_ArrayOpInterface]> {
  let cppNamespace = "::mlir::obs";
  let description = [{
    An operation with results that are push arrays: a program that can be given
    a writer.
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
      The weakest contract of the writes that make result `result`. A value that
      writes of contract `reduce` combine is final only after all of these
      writes. All other values are final where they are written, and so are
      initial contents.
    }], "::mlir::obs::Contract", "getWeakestContract", (ins "unsigned":$result)>,
    InterfaceMethod<[{
      The push operand whose writes are the writes of this array, one for one,
      at other indices or with other values. Null if there is no such operand.
    }], "::mlir::Value", "getSource", (ins), "", "return {};">,
    InterfaceMethod<[{
      The initial contents of this array if every element of its source has the
      initial value `init`. Empty if they then differ between indices.
    }], "::llvm::SmallVector<::mlir::Value>", "buildInitial",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$init), "",
      "return ::llvm::to_vector(init);">
  ];
}

def Obs_LevelScopeOpInterface : OpInterface<"LevelScopeOpInterface"> {
  let cppNamespace = "::mlir::obs";
  let description = [{
    An operation whose regions run at a level of their own.
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

#endif // OBSIDIAN_DIALECT_OBS_IR_OBSINTERFACES_TD

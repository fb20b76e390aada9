//===- Importer.h - Functions of StableHLO as whole arrays ------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of StableHLO are not registered. So each method checks its
// operation before it builds code.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_FRONTEND_STABLEHLO_IMPORTER_H
#define OBSIDIAN_LIB_FRONTEND_STABLEHLO_IMPORTER_H

#include "Obsidian/FrontEnd/ArrayBuilder.h"
#include "Scalars.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::obs::stablehlo {

using Values = SmallVector<Value>;
using Numbers = SmallVector<int64_t>;

/// The lowering of one module. A method `import...` checks its operation, and
/// emits an error at it, before it builds code.
class Importer {
public:
  Importer(ModuleOp source, ModuleOp target)
      : source(source), target(target), tables(source),
        b(source.getLoc(), source.getContext()) {}
  LogicalResult run();

private:
  // Functions and blocks: ImportStableHLO.cpp and ControlFlow.cpp.
  LogicalResult importFunction(func::FuncOp function);
  FailureOr<Values> importBlock(Block &block);
  LogicalResult importOp(Operation *op);
  FailureOr<func::FuncOp> findCallee(Operation *op);
  LogicalResult importCall(Operation *op);
  LogicalResult importWhile(Operation *op);
  LogicalResult importBranches(Operation *op);
  void findDeviceScalars();

  // Checks.cpp. Each one emits an error at the operation.
  LogicalResult verifyTensor(Operation *op, Type type);
  LogicalResult verifyCounts(Operation *op, unsigned operands,
                             unsigned regions = 0, unsigned results = 1);
  LogicalResult verifyResult(Operation *op, ArrayRef<int64_t> extents,
                             Type element, unsigned number = 0);
  LogicalResult verifyDims(Operation *op, StringRef name,
                           ArrayRef<int64_t> dims, int64_t rank);
  FailureOr<Numbers> getNumbers(Operation *op, StringRef name, int64_t count);
  FailureOr<int64_t> getNumber(Operation *op, StringRef name);
  LogicalResult verifyRegion(Operation *op, unsigned region, TypeRange elements,
                             TypeRange results);
  LogicalResult verifyOperands(Operation *op);
  LogicalResult verifyScalarBlock(Block &block);

  // Values: ImportStableHLO.cpp.
  ArrayRef<int64_t> getShape(Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  }
  /// Extents in the form of the builder. A tensor of rank 0 has one element.
  SmallVector<OpFoldResult> getExtents(ArrayRef<int64_t> shape);
  Value lookup(Value value) { return values.lookup(value); }
  Value getArray(Value value);
  Value getArrays(ValueRange tensors);
  Value getHostScalar(Value value);
  Values getHostScalars(ValueRange tensors);
  /// In code for one element.
  Value getScalar(Value lowered);
  Values buildScalars(Block &block, ValueRange arguments);
  void define(Operation *op, Value array);
  Value castIndex(Value scalar, Type element);

  // Elementwise.cpp.
  LogicalResult importScalarOp(Operation *op);
  LogicalResult importConstant(Operation *op);
  LogicalResult importIota(Operation *op);
  LogicalResult importBroadcast(Operation *op);
  LogicalResult importReshape(Operation *op);
  LogicalResult importTranspose(Operation *op);
  LogicalResult importReverse(Operation *op);
  LogicalResult importSlice(Operation *op);
  LogicalResult importPad(Operation *op);
  LogicalResult importConcatenate(Operation *op);
  // Places.cpp.
  FailureOr<Values> getStarts(Operation *op, unsigned first,
                              ArrayRef<int64_t> room);
  LogicalResult importDynamicSlice(Operation *op);
  LogicalResult importDynamicUpdate(Operation *op);
  LogicalResult importGather(Operation *op);
  LogicalResult importScatter(Operation *op);
  // Collectives.cpp.
  LogicalResult importReduce(Operation *op);
  LogicalResult importReduceWindow(Operation *op);
  LogicalResult importSort(Operation *op);
  LogicalResult importTopK(Operation *op);
  LogicalResult importDot(Operation *op);

  ModuleOp source, target;
  SymbolTable tables;
  ArrayBuilder b;
  DenseMap<Value, Value> values;
  /// Tensors of rank 0 that are computed from arrays.
  DenseSet<Value> deviceScalars;
  /// The functions whose calls are being inlined.
  SmallVector<Operation *> calls;
};

/// The numbers of `name = [...]` in the text of an attribute; empty if none.
/// Emits an error at `op` for a list of other words.
FailureOr<Numbers> parseList(Operation *op, StringRef text, StringRef name);
/// The number of `name = ...` in such a text, or 0 if there is none.
int64_t parseNumber(StringRef text, StringRef name);
/// True if the function has one block, which ends with a return.
bool hasPlainBody(func::FuncOp function);

} // namespace mlir::obs::stablehlo

#endif // OBSIDIAN_LIB_FRONTEND_STABLEHLO_IMPORTER_H

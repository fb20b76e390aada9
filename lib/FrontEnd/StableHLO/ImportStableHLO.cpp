//===- ImportStableHLO.cpp - Programs of JAX as programs of obs -----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file maps operations of StableHLO to those of the builder of whole
// arrays. The operations are not registered, so each function checks its
// operation before it builds code. The new functions are built in a separate
// module. They replace the old ones if all functions were lowered.
//
// A tensor of rank 0 is a scalar of the host if the host can compute it. If it
// is computed from arrays, it is an array of extents [1].
//
//===----------------------------------------------------------------------===//

#include "Obsidian/FrontEnd/Passes.h"

#include "Importer.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringSwitch.h"

namespace mlir::obs {
#define GEN_PASS_DEF_OBSIMPORTSTABLEHLOPASS
#include "Obsidian/FrontEnd/Passes.h.inc"
} // namespace mlir::obs

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::stablehlo;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

SmallVector<OpFoldResult> Importer::getExtents(ArrayRef<int64_t> shape) {
  SmallVector<OpFoldResult> extents;
  for (int64_t extent : shape)
    extents.push_back(b.getIndexAttr(extent));
  if (extents.empty())
    extents.push_back(b.getIndexAttr(1));
  return extents;
}

Value Importer::getArray(Value value) {
  Value lowered = lookup(value);
  if (isa<PullType>(lowered.getType()))
    return lowered;
  return b.splat(lowered, getExtents({}));
}

/// Several arrays as one array of tuples.
Value Importer::getArrays(ValueRange tensors) {
  return b.zip(llvm::map_to_vector(
      tensors, [&](Value tensor) { return getArray(tensor); }));
}

Value Importer::getScalar(Value lowered) {
  return isa<PullType>(lowered.getType()) ? b.getOne(lowered, b.getIndex(0))
                                          : lowered;
}

Value Importer::getHostScalar(Value value) {
  Value lowered = lookup(value);
  if (!isa<PullType>(lowered.getType()))
    return lowered;
  if (auto same = lowered.getDefiningOp<SplatOp>())
    return same.getValues().front();
  return getScalar(b.store(lowered).front());
}

Values Importer::getHostScalars(ValueRange tensors) {
  return llvm::map_to_vector(
      tensors, [&](Value tensor) { return getHostScalar(tensor); });
}

/// The code of a verified block of scalars.
Values Importer::buildScalars(Block &block, ValueRange arguments) {
  DenseMap<Value, Value> outer = values;
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), arguments))
    values[argument] = value;
  auto find = [&](Value value) { return getScalar(lookup(value)); };
  for (Operation &op : llvm::drop_end(block)) {
    Values operands = llvm::map_to_vector(op.getOperands(), find);
    if (isScalarOp(&op)) {
      values[op.getResult(0)] = buildScalarOp(b, &op, operands);
    } else if (op.getNumOperands() == 0) {
      (void)importConstant(&op);
    } else if (op.getName().getStringRef() == "func.call") {
      Values results =
          buildScalars(findCallee(&op)->getBody().front(), operands);
      for (auto [result, value] : llvm::zip_equal(op.getResults(), results))
        values[result] = value;
    } else {
      for (auto [result, value] : llvm::zip_equal(op.getResults(), operands))
        values[result] = value;
    }
  }
  Values results = llvm::map_to_vector(block.back().getOperands(), find);
  values = std::move(outer);
  return results;
}

/// The results of `op` are the components of `array`.
void Importer::define(Operation *op, Value array) {
  for (auto [result, part] : llvm::zip_equal(op->getResults(), b.unzip(array)))
    values[result] = part;
}

Value Importer::castIndex(Value scalar, Type element) {
  if (element.isUnsignedInteger())
    return arith::IndexCastUIOp::create(b, b.getIndexType(), scalar);
  return arith::IndexCastOp::create(b, b.getIndexType(), scalar);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LogicalResult Importer::importOp(Operation *op) {
  if (failed(verifyOperands(op)))
    return failure();
  for (Type type :
       llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                llvm::to_vector(op->getResultTypes())))
    if (failed(verifyTensor(op, type)))
      return failure();
  b.setLoc(op->getLoc());
  if (isScalarOp(op))
    return importScalarOp(op);
  using Import = LogicalResult (Importer::*)(Operation *);
  Import import =
      llvm::StringSwitch<Import>(op->getName().getStringRef())
          .Case("chlo.top_k", &Importer::importTopK)
          .Case("func.call", &Importer::importCall)
          .Cases({"stablehlo.case", "stablehlo.if"}, &Importer::importBranches)
          .Case("stablehlo.broadcast_in_dim", &Importer::importBroadcast)
          .Case("stablehlo.concatenate", &Importer::importConcatenate)
          .Case("stablehlo.constant", &Importer::importConstant)
          .Cases({"stablehlo.dot", "stablehlo.dot_general"},
                 &Importer::importDot)
          .Case("stablehlo.dynamic_slice", &Importer::importDynamicSlice)
          .Case("stablehlo.dynamic_update_slice",
                &Importer::importDynamicUpdate)
          .Case("stablehlo.gather", &Importer::importGather)
          .Case("stablehlo.iota", &Importer::importIota)
          .Case("stablehlo.pad", &Importer::importPad)
          .Case("stablehlo.reduce", &Importer::importReduce)
          .Case("stablehlo.reduce_window", &Importer::importReduceWindow)
          .Case("stablehlo.reshape", &Importer::importReshape)
          .Case("stablehlo.reverse", &Importer::importReverse)
          .Case("stablehlo.scatter", &Importer::importScatter)
          .Case("stablehlo.slice", &Importer::importSlice)
          .Case("stablehlo.sort", &Importer::importSort)
          .Case("stablehlo.transpose", &Importer::importTranspose)
          .Case("stablehlo.while", &Importer::importWhile)
          .Default(nullptr);
  if (import)
    return (this->*import)(op);
  if (op->getName().getStringRef() == "stablehlo.optimization_barrier" &&
      op->getOperandTypes() == op->getResultTypes()) {
    for (auto [result, operand] :
         llvm::zip_equal(op->getResults(), op->getOperands()))
      values[result] = lookup(operand);
    return success();
  }
  if (op->getName().getStringRef() == "stablehlo.custom_call")
    return op->emitOpError("calls code outside of the program: ")
           << op->getAttr("call_target_name");
  return op->emitOpError("has no counterpart in obs");
}

/// Lowers the block, whose arguments have values, and returns its results.
FailureOr<Values> Importer::importBlock(Block &block) {
  for (Operation &op : llvm::drop_end(block))
    if (failed(importOp(&op)))
      return failure();
  if (failed(verifyOperands(&block.back())))
    return failure();
  return llvm::map_to_vector(block.back().getOperands(),
                             [&](Value value) { return lookup(value); });
}

LogicalResult Importer::importFunction(func::FuncOp function) {
  if (!hasPlainBody(function))
    return function.emitOpError("needs a body of one block");
  SmallVector<Type> types, results;
  auto convert = [](Type type) -> Type {
    auto tensor = cast<RankedTensorType>(type);
    return PullType::get(type.getContext(),
                         tensor.getRank() ? tensor.getShape()
                                          : ArrayRef<int64_t>(1),
                         convertElement(tensor.getElementType()));
  };
  for (Type type : function.getArgumentTypes()) {
    if (failed(verifyTensor(function, type)))
      return failure();
    auto tensor = cast<RankedTensorType>(type);
    types.push_back(tensor.getRank() ? convert(type)
                                     : convertElement(tensor.getElementType()));
  }
  for (Type type : function.getResultTypes()) {
    if (failed(verifyTensor(function, type)))
      return failure();
    results.push_back(convert(type));
  }
  OpBuilder::InsertionGuard guard(b);
  b.setLoc(function.getLoc());
  b.setInsertionPointToEnd(target.getBody());
  auto lowered = func::FuncOp::create(b, function.getName(),
                                      b.getFunctionType(types, results));
  Block *entry = lowered.addEntryBlock();
  for (auto [argument, value] :
       llvm::zip_equal(function.getArguments(), entry->getArguments()))
    values[argument] = value;
  b.setInsertionPointToEnd(entry);
  calls.assign(1, function);
  if (failed(importBlock(function.getBody().front())))
    return failure();
  b.setLoc(function.getBody().front().back().getLoc());
  Values arrays;
  for (Value value : function.getBody().front().back().getOperands())
    arrays.push_back(getArray(value));
  func::ReturnOp::create(b, b.store(arrays));
  b.finish(lowered);
  return success();
}

LogicalResult Importer::run() {
  findDeviceScalars();
  for (Operation &op : *source.getBody()) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function)
      return op.emitOpError("is not a function");
    if (function.isPublic() && failed(importFunction(function)))
      return failure();
  }
  return verify(target);
}

namespace {
struct ObsImportStableHLOPass
    : public mlir::obs::impl::ObsImportStableHLOPassBase<
          ObsImportStableHLOPass> {
  void runOnOperation() override {
    if (failed(importStableHLO(getOperation())))
      signalPassFailure();
  }
};
} // namespace

LogicalResult obs::importStableHLO(ModuleOp module) {
  OwningOpRef<ModuleOp> lowered = ModuleOp::create(module.getLoc());
  if (failed(Importer(module, *lowered).run()))
    return failure();
  module.getBodyRegion().takeBody(lowered->getBodyRegion());
  module->setAttrs(DictionaryAttr::get(module.getContext()));
  return success();
}

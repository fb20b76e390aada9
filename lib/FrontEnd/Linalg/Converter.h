//===- Converter.h - Programs of linalg as whole arrays ---------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table from operations on tensors to operations of the builder of whole
// arrays. All structured operations of linalg, named or generic, are one case:
// one interface has their iteration domain, index maps and elementwise
// function.
//
// A tensor of rank 0 is an array of extents [1].
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_FRONTEND_LINALG_CONVERTER_H
#define OBSIDIAN_LIB_FRONTEND_LINALG_CONVERTER_H

#include "../FunctionImporter.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::obs::fromlinalg {
/// True for a type of elements that obs has.
bool isElement(Type type);

/// A structured operation with the results of its analysis.
struct Structured {
  explicit Structured(linalg::LinalgOp op)
      : op(op), body(op.getBlock()), inputs(op.getNumDpsInputs()),
        outputs(op.getNumDpsInits()), maps(op.getIndexingMapsArray()),
        places(llvm::to_vector(llvm::seq<int64_t>(0, op.getNumLoops()))) {}

  Operation *op;
  Block *body;
  unsigned inputs, outputs;
  SmallVector<AffineMap> maps;
  /// The number of each dimension of the operation here.
  SmallVector<int64_t> places;
  /// The numbers of its dimensions, by their iterator types.
  SmallVector<int64_t> kept, reduced;
  /// The lowered operands: arrays, or scalars.
  SmallVector<Value> operands;
  /// The extents of the dimensions.
  SmallVector<OpFoldResult> domain;

  /// The argument of the body for the elements of an operand; null if none.
  Value getArgument(unsigned operand) const {
    return operand < body->getNumArguments() ? body->getArgument(operand)
                                             : Value();
  }
  Value getOutput(unsigned k) const { return getArgument(inputs + k); }
  AffineMap getOutputMap(unsigned k) const { return maps[inputs + k]; }
  Operation *getYield() const { return body->getTerminator(); }
  /// These values, and all values on which they depend in the body.
  llvm::SetVector<Value> getNeeded(ValueRange wanted) const;
  /// Numbers the dimensions of an elementwise operation in the order of its
  /// first result, which then needs no transposition.
  void numberByResult();
  /// The positions of the dimensions of a result among the kept dimensions.
  SmallVector<int64_t> getOrder(unsigned k) const {
    return llvm::map_to_vector(
        getOutputMap(k).getResults(), [&](AffineExpr expr) -> int64_t {
          return llvm::find(kept, cast<AffineDimExpr>(expr).getPosition()) -
                 kept.begin();
        });
  }
};

/// True if two extents are known to be equal.
bool isSameExtent(OpFoldResult a, OpFoldResult b);

class Converter : public FunctionImporter {
public:
  explicit Converter(ModuleOp module) : FunctionImporter(module) {}
  LogicalResult run();

private:
  // The front end.
  LogicalResult importOp(Operation *op) override;
  Type convertParameter(Operation *op, Type type) override;
  bool isTarget(func::FuncOp function);

  // Checks. Each one emits an error at the operation.
  LogicalResult verifyType(Operation *op, Type type);
  LogicalResult verifyBody(Operation *op, Block &body);
  LogicalResult verifyMaps(Structured &s);
  std::pair<Value, Value> getRange(AffineExpr expr,
                                   ArrayRef<OpFoldResult> domain);
  void assertWindows(Structured &s);
  LogicalResult findDomain(Structured &s);
  void assertSame(OpFoldResult extent, OpFoldResult other, StringRef message);
  void assertInside(tensor::InsertSliceOp op, ArrayRef<OpFoldResult> offsets,
                    ArrayRef<OpFoldResult> sizes);

  // Values.
  Value getArray(Value value);
  Extents getNumbers(ArrayRef<OpFoldResult> numbers);
  /// The extents of a type.
  Extents getShape(Type type, ValueRange dynamic);
  LogicalResult defineArray(Value result, Value array);
  void write(ValueRange arrays, ValueRange memory);

  // Elementwise functions.
  Value buildValue(Value value, IRMapping &map, ValueRange indices);
  Value buildCode(Block &body, ValueRange arguments);
  Values getPlace(AffineMap map, ValueRange indices);
  Value align(const Structured &s, unsigned operand);
  Value buildPoints(const Structured &s, ValueRange wanted);

  // Operations.
  LogicalResult convertScalar(Operation *op);
  LogicalResult convertStructured(linalg::LinalgOp op);
  Values update(const Structured &s, ArrayRef<unsigned> results,
                ValueRange elements, ValueRange values);
  Values reduceAssociative(const Structured &s, ValueRange elements);
  Value contract(const Structured &s, Value element, Value init,
                 ScalarCode combine);
  Values reduceInOrder(const Structured &s);
  Values arrange(const Structured &s, Values results);
  LogicalResult convertElementwise(Operation *op);
  LogicalResult convertSlice(tensor::ExtractSliceOp op);
  LogicalResult convertInsert(tensor::InsertSliceOp op);
  LogicalResult convertGather(tensor::GatherOp op);
  LogicalResult convertPad(tensor::PadOp op);
  LogicalResult convertExtract(tensor::ExtractOp op);

  /// The current contents of each memref.
  DenseMap<Value, Value> contents;
};

} // namespace mlir::obs::fromlinalg

#endif // OBSIDIAN_LIB_FRONTEND_LINALG_CONVERTER_H

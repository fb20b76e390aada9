//===- Converter.h - The state of a conversion of linalg programs *- C++
//-*-===//
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
// A tensor of rank 0 is an array of extents [1]. The new functions are beside
// the old ones, and replace them if all of them could be converted.
//
// The functions of `Converter` are in Checks.cpp, Values.cpp, Structured.cpp,
// Tensors.cpp and ConvertLinalgToObs.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_FRONTEND_LINALG_CONVERTER_H
#define OBSIDIAN_LIB_FRONTEND_LINALG_CONVERTER_H

#include "Obsidian/FrontEnd/ArrayBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::obs::fromlinalg {
using Values = SmallVector<Value>;
using Numbers = SmallVector<int64_t>;
using Extents = SmallVector<OpFoldResult>;

/// True for a type of elements that obs has.
bool isElement(Type type);

/// The values from outside that an operation and its regions read.
llvm::SetVector<Value> getReads(Operation *op);

/// A structured operation with the results of its analysis.
struct Structured {
  explicit Structured(linalg::LinalgOp op)
      : op(op), body(op.getBlock()), inputs(op.getNumDpsInputs()),
        outputs(op.getNumDpsInits()), maps(op.getIndexingMapsArray()) {}

  Operation *op;
  Block *body;
  unsigned inputs, outputs;
  SmallVector<AffineMap> maps;
  /// The numbers of its dimensions, by their iterator types.
  Numbers kept, reduced;
  /// The lowered operands: arrays, or scalars.
  Values operands;
  /// The extents of the dimensions.
  Extents domain;

  /// The argument of the body for the elements of an operand; null if none.
  Value getArgument(unsigned operand) const {
    return operand < body->getNumArguments() ? body->getArgument(operand)
                                             : Value();
  }
  Value getOutput(unsigned k) const { return getArgument(inputs + k); }
  AffineMap getOutputMap(unsigned k) const { return maps[inputs + k]; }
  Operation *getYield() const { return body->getTerminator(); }
  /// The positions of the dimensions of a result among the kept dimensions.
  Numbers getOrder(unsigned k) const {
    return llvm::map_to_vector(
        getOutputMap(k).getResults(), [&](AffineExpr expr) -> int64_t {
          return llvm::find(kept, cast<AffineDimExpr>(expr).getPosition()) -
                 kept.begin();
        });
  }
};

class Converter {
public:
  explicit Converter(ModuleOp module)
      : module(module), tables(module),
        b(module.getLoc(), module.getContext()) {}
  LogicalResult run();

private:
  // Functions and blocks.
  bool isTarget(func::FuncOp function);
  LogicalResult convertFunction(func::FuncOp function);
  FailureOr<Values> convertBlock(Block &block);
  LogicalResult convertOp(Operation *op);
  LogicalResult convertScalar(Operation *op);
  LogicalResult convertCall(func::CallOp op);

  // Checks. Each one emits an error at the operation.
  LogicalResult verifyType(Operation *op, Type type);
  LogicalResult verifyBody(Operation *op, Block &body);
  LogicalResult verifyMaps(Structured &s);
  LogicalResult findDomain(Structured &s);
  void assertSame(OpFoldResult extent, OpFoldResult other, StringRef message);

  // Values.
  Value lookup(Value value) { return values.lookup(value); }
  Value getArray(Value value);
  Extents getNumbers(ArrayRef<OpFoldResult> numbers);
  /// The extents of a type.
  Extents getShape(Type type, ValueRange dynamic);
  /// Rank 0 becomes one dimension of extent 1.
  Extents orOne(Extents extents) {
    return extents.empty() ? Extents{b.getIndexAttr(1)} : extents;
  }
  Values orZero(Values place) {
    return place.empty() ? Values{b.getIndex(0)} : place;
  }
  void define(Value result, Value array);
  void write(ValueRange arrays, ValueRange memory);

  // Elementwise functions.
  Value buildValue(Value value, IRMapping &map, ValueRange indices);
  Value buildCode(Block &body, ValueRange arguments);
  Values getPlace(AffineMap map, ValueRange indices);
  Value align(const Structured &s, unsigned operand);
  Value buildPoints(const Structured &s, ValueRange wanted);

  // Operations.
  LogicalResult convertStructured(linalg::LinalgOp op);
  Values update(const Structured &s, ArrayRef<unsigned> results,
                ValueRange elements, ValueRange values);
  Values reduceAssociative(const Structured &s, ValueRange elements);
  Value contract(const Structured &s, Value element, Value init,
                 ScalarCode combine);
  Values reduceInOrder(const Structured &s);
  LogicalResult convertConstant(arith::ConstantOp op);
  LogicalResult convertElementwise(Operation *op);
  LogicalResult convertSlice(tensor::ExtractSliceOp op);
  LogicalResult convertInsert(tensor::InsertSliceOp op);
  LogicalResult convertGather(tensor::GatherOp op);
  LogicalResult convertPad(tensor::PadOp op);
  LogicalResult convertExtract(tensor::ExtractOp op);

  ModuleOp module;
  SymbolTable tables;
  ArrayBuilder b;
  DenseMap<Value, Value> values;
  /// The current contents of each memref.
  DenseMap<Value, Value> contents;
  /// The functions whose calls are being inlined.
  SmallVector<Operation *> calls;
};

} // namespace mlir::obs::fromlinalg

#endif // OBSIDIAN_LIB_FRONTEND_LINALG_CONVERTER_H

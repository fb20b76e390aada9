//===- FunctionImporter.h - Functions of other dialects ---------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of a front end that does not depend on its dialect: functions,
// calls, blocks and constants. A front end lowers one operation at a time.
//
// In: a module with functions of tensors and scalars. Out: functions of arrays
// in a separate module, so the module is unchanged after an error. Calls are
// inlined. A tensor of rank 0 is an array of extents [1], or a scalar.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_FRONTEND_FUNCTIONIMPORTER_H
#define OBSIDIAN_LIB_FRONTEND_FUNCTIONIMPORTER_H

#include "Obsidian/FrontEnd/ArrayBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::obs {

class FunctionImporter {
protected:
  using Values = SmallVector<Value>;
  using Numbers = SmallVector<int64_t>;
  using Extents = SmallVector<OpFoldResult>;

  explicit FunctionImporter(ModuleOp source)
      : source(source), target(ModuleOp::create(source.getLoc())),
        tables(source), b(source.getLoc(), source.getContext()) {}
  virtual ~FunctionImporter() = default;

  //===--- The front end --------------------------------------------------===//

  /// Lowers an operation: its operands have values, and its results get some.
  /// Emits an error if this is not possible.
  virtual LogicalResult importOp(Operation *op) = 0;
  /// The type of a parameter. Null after an error, which is emitted at `op`.
  virtual Type convertParameter(Operation *op, Type type) = 0;
  /// The value of a returned tensor or scalar.
  virtual Value getReturned(Value value) { return lookup(value); }

  //===--- Functions and blocks -------------------------------------------===//

  /// Lowers a function, with its calls inlined.
  FailureOr<func::FuncOp> importFunction(func::FuncOp function);
  /// Lowers all operations of a block whose arguments have values.
  LogicalResult importBlock(Block &block);
  /// The function that is called, if its call can be inlined.
  FailureOr<func::FuncOp> findCallee(func::CallOp op);
  LogicalResult importCall(func::CallOp op);

  //===--- Values ---------------------------------------------------------===//

  Value lookup(Value value) { return values.lookup(value); }
  Values lookup(ValueRange some) {
    return llvm::map_to_vector(some, [&](Value v) { return lookup(v); });
  }
  void define(ValueRange old, ValueRange lowered) {
    for (auto [value, other] : llvm::zip_equal(old, lowered))
      values[value] = other;
  }
  /// Numbers as extents. If there are none, the array has one element.
  Extents getExtents(ArrayRef<int64_t> numbers);
  Extents orOne(Extents extents) {
    return extents.empty() ? Extents{b.getIndexAttr(1)} : extents;
  }
  Values orZero(Values place) {
    return place.empty() ? Values{b.getIndex(0)} : place;
  }
  PullType getPullType(ArrayRef<int64_t> shape, Type element) {
    return PullType::get(b.getContext(),
                         shape.empty() ? ArrayRef<int64_t>(1) : shape, element);
  }

  /// Emits an error for a tensor of too many elements.
  LogicalResult verifySize(Operation *op, ArrayRef<int64_t> shape);
  /// MLIR does not check dominance in regions of unregistered operations.
  LogicalResult verifyOperands(Operation *op);
  /// The elements of a constant, which obs stores as `element`. A splat of rank
  /// 0 is a scalar if `isScalar` is set.
  FailureOr<Value> buildConstant(Operation *op, DenseElementsAttr elements,
                                 Type element, bool isScalar);

  ModuleOp source;
  OwningOpRef<ModuleOp> target;
  SymbolTable tables;
  ArrayBuilder b;
  /// The lowered values.
  DenseMap<Value, Value> values;
  /// The functions whose calls are being inlined.
  SmallVector<Operation *> calls;
};

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_FRONTEND_FUNCTIONIMPORTER_H

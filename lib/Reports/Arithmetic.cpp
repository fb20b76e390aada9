//===- Arithmetic.cpp - The operations of a loop over threads -------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arithmetic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::obs;

Arithmetic &Arithmetic::operator+=(const Arithmetic &other) {
  floats += other.floats;
  functions += other.functions;
  integers += other.integers;
  indices += other.indices;
  return *this;
}

std::string Arithmetic::str() const {
  SmallVector<std::string> parts;
  bool isOne = false;
  auto add = [&](const Count &count, const char *kind) {
    if (count.isZero())
      return;
    isOne = parts.empty() && count.getConstant() == 1;
    parts.push_back(count.str() + " " + kind);
  };
  add(floats, "float");
  add(functions, "function");
  add(integers, "integer");
  add(indices, "index");
  if (parts.empty())
    return "no operations";
  std::string text = parts.front();
  for (unsigned i = 1; i < parts.size(); ++i)
    text += (i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return text + (isOne ? " operation" : " operations");
}

/// True for operations that become one or more instructions.
static bool isCounted(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>() || isa<CastOpInterface>(op))
    return false;
  StringRef dialect = op->getName().getDialectNamespace();
  return dialect == arith::ArithDialect::getDialectNamespace() ||
         dialect == math::MathDialect::getDialectNamespace() ||
         (isa<ObsDialect>(op->getDialect()) && isMemoryEffectFree(op) &&
          op->getNumRegions() == 0);
}

/// True for a comparison of indices. It selects a value, but is not counted.
static bool isChoice(Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (compare)
    return compare.getLhs().getType().isIndex();
  Operation *op = condition.getDefiningOp();
  return isa_and_nonnull<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op) &&
         llvm::all_of(op->getOperands(), isChoice);
}

/// The operations in `leaf` whose results are stored, or contribute to stored
/// values.
static llvm::SetVector<Operation *> getValueOps(scf::ForallOp leaf) {
  llvm::SetVector<Value> values;
  leaf.walk([&](Operation *op) {
    if (auto store = dyn_cast<memref::StoreOp>(op))
      values.insert(store.getValueToStore());
    else if (auto store = dyn_cast<vector::StoreOp>(op))
      values.insert(store.getValueToStore());
    else if (auto atomic = dyn_cast<memref::AtomicRMWOp>(op))
      values.insert(atomic.getValue());
    else if (auto yield = dyn_cast<memref::AtomicYieldOp>(op))
      values.insert(yield.getResult());
  });
  llvm::SetVector<Operation *> ops;
  for (unsigned i = 0; i < values.size(); ++i) {
    Value value = values[i];
    if (!leaf.getRegion().isAncestor(value.getParentRegion()))
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *owner = argument.getOwner()->getParentOp();
      unsigned number = argument.getArgNumber();
      if (auto loop = dyn_cast<scf::ForOp>(owner); loop && number > 0) {
        values.insert(loop.getInitArgs()[number - 1]);
        values.insert(loop.getYieldedValues()[number - 1]);
      } else if (auto loop = dyn_cast<scf::WhileOp>(owner)) {
        if (argument.getOwner() == loop.getBeforeBody()) {
          values.insert(loop.getInits()[number]);
          values.insert(loop.getYieldOp().getOperand(number));
        } else {
          values.insert(loop.getConditionOp().getArgs()[number]);
        }
      }
      continue;
    }
    Operation *op = value.getDefiningOp();
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      values.insert(branch.thenYield().getOperand(number));
      values.insert(branch.elseYield().getOperand(number));
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      values.insert(loop.getInitArgs()[number]);
      values.insert(loop.getYieldedValues()[number]);
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      values.insert(loop.getConditionOp().getArgs()[number]);
    } else if (op->getNumRegions() == 0 && isMemoryEffectFree(op)) {
      ops.insert(op);
      auto select = dyn_cast<arith::SelectOp>(op);
      for (Value operand : op->getOperands())
        if (!select || operand != select.getCondition() || !isChoice(operand))
          values.insert(operand);
    }
  }
  return ops;
}

Arithmetic obs::getArithmetic(CodeModel &model, Operation *scope) {
  Arithmetic sum;
  scf::ForallOp leaf = model.getLeaf();
  llvm::SetVector<Operation *> valueOps = getValueOps(leaf);
  leaf.walk([&](Operation *op) {
    if (!isCounted(op))
      return;
    Count runs = model.getRuns(op->getBlock(), scope);
    auto isFloat = [](Type type) {
      return getElementTypeOrSelf(type).isFloat();
    };
    bool isOnFloats = llvm::any_of(op->getOperandTypes(), isFloat);
    if (!valueOps.contains(op))
      sum.indices += runs;
    else if (isOnFloats && isa<math::MathDialect>(op->getDialect()) &&
             !isa<math::FmaOp, math::AbsFOp>(op))
      sum.functions += runs;
    else if (isOnFloats)
      sum.floats += runs;
    else
      sum.integers += runs;
  });
  return sum;
}

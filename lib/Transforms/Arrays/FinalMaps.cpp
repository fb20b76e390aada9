//===- FinalMaps.cpp - Maps of combined writes ----------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program of a push array with a map executes the map where it writes. A
// value that writes of contract `reduce` combine is final only after all of
// these writes, and several elements of a write of contract `any` would come
// from several writes. So such elements are stored first. At level grid this is
// a separate kernel. Below level grid it is a step of the same kernel, and
// barriers separate it from the next step, as for any stored array.
//
//===----------------------------------------------------------------------===//

#include "Fusion.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::obs;

namespace {
/// Rebuilds the push arrays that `user` runs.
class Rebuilder {
public:
  explicit Rebuilder(Operation *user) : user(user), builder(user) {}

  void run() {
    for (OpOperand &operand : user->getOpOperands())
      operand.set(rebuild(operand.get()));
    for (Operation *op : llvm::reverse(replaced))
      if (op->use_empty())
        op->erase();
  }

private:
  /// `array`, with forces in front of maps where they are needed. The same
  /// value if they are not.
  Value rebuild(Value array);
  /// Stores `source`, which `map` changes, and maps the stored array.
  Value forceAndMap(MapOp map, Value source);

  Operation *user;
  OpBuilder builder;
  llvm::DenseMap<Value, Value> known;
  SmallVector<Operation *> replaced;
};
} // namespace

/// True if `map` changes elements after the writes that make `source`. Then its
/// own elements are written once.
static bool needsStored(MapOp map, Value source) {
  auto op = source.getDefiningOp<PushOpInterface>();
  return op && map.getWeakestContract(0) == Contract::Disjoint &&
         op.getWeakestContract(cast<OpResult>(source).getResultNumber()) !=
             Contract::Disjoint;
}

Value Rebuilder::rebuild(Value array) {
  auto op = array.getDefiningOp<PushOpInterface>();
  if (!op || !isa<PushType>(array.getType()))
    return array;
  if (Value done = known.lookup(array))
    return done;
  IRMapping changes;
  for (Value operand : op->getOperands())
    if (Value source = rebuild(operand); source != operand)
      changes.map(operand, source);
  auto map = dyn_cast<MapOp>(op.getOperation());
  Value source = map ? changes.lookupOrDefault(map.getSource()) : Value();
  bool needsForce = map && needsStored(map, source);
  Value result = array;
  if (needsForce || !changes.getValueMap().empty()) {
    OpBuilder::InsertionGuard guard(builder);
    // A kernel cannot run other kernels, so the arrays that it puts are stored
    // before it begins.
    if (cast<PushType>(array.getType()).getLevel() == Level::Grid &&
        user->getParentOfType<FillOp>())
      builder.setInsertionPoint(op);
    result = needsForce
                 ? forceAndMap(map, source)
                 : builder.clone(*op, changes)
                       ->getResult(cast<OpResult>(array).getResultNumber());
    replaced.push_back(op);
  }
  return known[array] = result;
}

Value Rebuilder::forceAndMap(MapOp map, Value source) {
  auto type = cast<PushType>(source.getType());
  auto user = dyn_cast<ForceOp>(this->user);
  auto force = ForceOp::create(
      builder, map.getLoc(), TypeRange(type.getPullType()), source,
      ValueRange(), StorageAttr::get(builder.getContext(), Storage::Auto),
      StringAttr(), user ? user.getThreadsAttr() : IntegerAttr(), UnitAttr());
  IRMapping operands;
  operands.map(map.getSource(), force.getResults().front());
  Operation *pull = builder.clone(*map, operands);
  pull->getResult(0).setType(cast<PushType>(map.getType()).getPullType());
  return PushOp::create(builder, map.getLoc(), map.getType(),
                        pull->getResult(0));
}

void obs::forceBeforeMaps(Operation *root) {
  SmallVector<Operation *> users;
  root->walk([&](Operation *op) {
    bool isPart = isa<YieldOp>(op) && isa<DistributeOp>(op->getParentOp());
    if (isPart || isa<ForceOp, PutOp>(op))
      users.push_back(op);
  });
  for (Operation *user : users)
    Rebuilder(user).run();
}

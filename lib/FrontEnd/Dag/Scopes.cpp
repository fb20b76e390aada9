//===- Scopes.cpp - The scopes of the code of a Dag program ---------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a node. Out: the scope in which its code is inserted, and the keys under
// which a scope keeps the values that it has computed.
//
//===----------------------------------------------------------------------===//

#include "LowerGraph.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::dag;

void Lowering::addTypes(const DagType *type, Types &types) {
  switch (type->kind) {
  case DagType::Int:
    types.push_back(b.getI32Type());
    break;
  case DagType::Float:
    types.push_back(b.getF32Type());
    break;
  case DagType::Bool:
    types.push_back(b.getI1Type());
    break;
  case DagType::Struct:
    for (const Variable &field : type->fields)
      addTypes(field.type, types);
    break;
  case DagType::Array:
    addTypes(type->element, types);
    break;
  }
}

Lowering::Types Lowering::getTypes(const DagType *type) {
  Types types;
  addTypes(type, types);
  return types;
}

void Lowering::at(unsigned depth, llvm::function_ref<void()> work) {
  OpBuilder::InsertionGuard guard(b);
  std::vector<Scope> open(std::make_move_iterator(scopes.begin() + depth + 1),
                          std::make_move_iterator(scopes.end()));
  scopes.resize(depth + 1, Scope{nullptr, Level::Grid, nullptr, {}});
  Operation *inner = scopes[depth].inner;
  if (inner)
    b.setInsertionPoint(inner);
  else
    b.setInsertionPointToEnd(scopes[depth].block);
  work();
  scopes[depth].inner = inner;
  for (Scope &scope : open)
    scopes.push_back(std::move(scope));
}

void Lowering::inside(Operation *op, Block *block, Level level,
                      llvm::function_ref<void()> work) {
  OpBuilder::InsertionGuard guard(b);
  Operation *outer = scopes.back().inner;
  scopes.back().inner = op;
  scopes.push_back(Scope{block, level, nullptr, {}});
  b.setInsertionPointToEnd(block);
  work();
  scopes.pop_back();
  scopes.back().inner = outer;
}

void Lowering::bind(Node *variable, ArrayRef<Value> values) {
  bindings[variable] =
      Result{SmallVector<Value>(values.begin(), values.end()), getDepth()};
}

/// The scope of the innermost loop that `node` depends on. In a kernel, it is
/// never the scope of the host.
unsigned Lowering::getLoopDepth(Node *node) {
  unsigned depth = std::min(getDepth(), 1u);
  for (Node *variable : node->getDependences())
    if (auto it = bindings.find(variable); it != bindings.end())
      depth = std::max(depth, it->second.depth);
  return std::min(depth, getDepth());
}

/// The index of a loop around a stored value. If the loop is not open here, the
/// value is equal for all iterations.
Result Lowering::getBinding(Node *loop) {
  auto it = bindings.find(loop);
  if (it != bindings.end())
    return it->second;
  return compute(0, [&]() -> SmallVector<Value> { return {b.getIndex(0)}; });
}

std::vector<void *> Lowering::getKey(Node *node) {
  std::vector<void *> key{node};
  for (Node *variable : node->getDependences())
    if (auto it = bindings.find(variable); it != bindings.end())
      for (Value value : it->second.values)
        key.push_back(value.getAsOpaquePointer());
  return key;
}

SmallVector<Value> Lowering::getZeros(TypeRange types) {
  return llvm::map_to_vector(
      types, [&](mlir::Type type) { return b.getNumber(type, 0); });
}

SmallVector<Value> Lowering::choose(Value condition, ArrayRef<Value> others,
                                    Body body) {
  auto op = scf::IfOp::create(b, ValueRange(others).getTypes(), condition,
                              /*withElseRegion=*/true);
  // Builders of operations may have put a terminator into each block.
  for (Region &region : op->getRegions())
    region.front().clear();
  inside(op, op.thenBlock(), getLevel(),
         [&] { scf::YieldOp::create(b, body()); });
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(op.elseBlock());
  scf::YieldOp::create(b, others);
  return SmallVector<Value>(op.getResults());
}

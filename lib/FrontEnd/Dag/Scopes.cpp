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
    types.push_back(builder.getI32Type());
    break;
  case DagType::Float:
    types.push_back(builder.getF32Type());
    break;
  case DagType::Bool:
    types.push_back(builder.getI1Type());
    break;
  case DagType::Struct:
    for (const Parameter &field : type->decl->fields)
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
  OpBuilder::InsertionGuard guard(builder);
  std::vector<Scope> open(std::make_move_iterator(scopes.begin() + depth + 1),
                          std::make_move_iterator(scopes.end()));
  scopes.resize(depth + 1, Scope{nullptr, Level::Grid, nullptr, {}});
  Operation *inner = scopes[depth].inner;
  if (inner)
    builder.setInsertionPoint(inner);
  else
    builder.setInsertionPointToEnd(scopes[depth].block);
  work();
  scopes[depth].inner = inner;
  for (Scope &scope : open)
    scopes.push_back(std::move(scope));
}

void Lowering::inside(Operation *op, Block *block, Level level,
                      llvm::function_ref<void()> work) {
  OpBuilder::InsertionGuard guard(builder);
  Operation *outer = scopes.back().inner;
  scopes.back().inner = op;
  scopes.push_back(Scope{block, level, nullptr, {}});
  builder.setInsertionPointToEnd(block);
  work();
  scopes.pop_back();
  scopes.back().inner = outer;
}

void Lowering::bind(Node *variable, ArrayRef<Value> values) {
  bindings[variable] =
      Result{SmallVector<Value, 4>(values.begin(), values.end()), getDepth()};
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
  Result first;
  at(0, [&] { first.values = {constantIndex(0)}; });
  return first;
}

std::vector<void *> Lowering::getKey(Node *node) {
  std::vector<void *> key{node};
  for (Node *variable : node->getDependences())
    if (auto it = bindings.find(variable); it != bindings.end())
      for (Value value : it->second.values)
        key.push_back(value.getAsOpaquePointer());
  return key;
}

SmallVector<Value, 4> Lowering::choose(Value condition, ArrayRef<Value> others,
                                       Body body) {
  auto op = scf::IfOp::create(builder, loc, ValueRange(others).getTypes(),
                              condition, /*withElseRegion=*/true);
  // Builders of operations may have put a terminator into each block.
  for (Region &region : op->getRegions())
    region.front().clear();
  inside(op, op.thenBlock(), getLevel(),
         [&] { scf::YieldOp::create(builder, loc, body()); });
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(op.elseBlock());
  scf::YieldOp::create(builder, loc, others);
  return SmallVector<Value, 4>(op.getResults());
}

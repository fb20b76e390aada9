//===- BlockTiles.cpp - Loops and tiles of blocks -------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockTiles.h"

using namespace mlir;
using namespace mlir::obs;

SmallVector<ParOp> obs::findThreadLoops(Operation *root) {
  SmallVector<ParOp> loops;
  root->walk([&](FillOp fill) {
    if (cast<PushType>(fill.getResult().getType()).getLevel() != Level::Grid)
      return;
    for (auto loop : fill.getBody().getOps<ParOp>())
      if (loop.getUnit() == Level::Thread)
        loops.push_back(loop);
  });
  return loops;
}

ParOp obs::enterLoop(OpBuilder &b, Location loc, ValueRange extents,
                     Level unit) {
  auto par = ParOp::create(b, loc, extents, unit);
  b.createBlock(&par.getBody(), {},
                SmallVector<Type>(extents.size(), b.getIndexType()),
                SmallVector<Location>(extents.size(), loc));
  return par;
}

Value obs::storeTile(OpBuilder &b, Location loc, ArrayRef<int64_t> extents,
                     TypeRange elements, function_ref<void()> build) {
  auto type = PushType::get(b.getContext(), Level::Block, extents,
                            /*bounds=*/{}, llvm::to_vector(elements));
  auto fill =
      FillOp::create(b, loc, type, ValueRange(), Value(), ValueRange(),
                     ContractAttr::get(b.getContext(), Contract::Disjoint),
                     Attribute(), UnitAttr());
  {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&fill.getBody());
    build();
  }
  auto force = ForceOp::create(
      b, loc, TypeRange(type.getPullType()), fill.getResult(), ValueRange(),
      StorageAttr::get(b.getContext(), Storage::Shared), StringAttr(),
      IntegerAttr(), UnitAttr());
  return force.getResults().front();
}

//===- RankTables.cpp - Ranks of keys by the warps of a block -------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RankTables.h"
#include "ExpansionUtils.h"
#include "Grid.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

RankTables::RankTables(CollectiveBuilder &block, int64_t numChunks,
                       Extent numKeys)
    : numChunks(numChunks), numKeys(numKeys) {
  auto home =
      HomeAttr::get(block.builder.getContext(), block.level, Storage::Shared);
  auto allocate = [&]() -> Value {
    return memref::AllocOp::create(
        block.builder, block.loc,
        MemRefType::get({numChunks, numKeys.size}, block.elementTypes.front(),
                        MemRefLayoutAttrInterface(), home));
  };
  next = allocate();
  seen = allocate();
}

void RankTables::count(
    CollectiveBuilder &block, Value workers,
    llvm::function_ref<void(Value, llvm::function_ref<void(Value, Value)>)>
        visit) {
  Type number = block.elementTypes.front();
  forEach(block, numKeys.value, [&](Value key) {
    buildLoop(block, block.constant(0), block.constant(numChunks),
              block.constant(1), [&](Value chunk) {
                memref::StoreOp::create(
                    block.builder, block.loc,
                    convert(block, block.constant(0), number), next,
                    ValueRange{chunk, key});
              });
  });
  forEach(block, workers, [&](Value worker) {
    visit(worker, [&](Value chunk, Value key) {
      memref::AtomicRMWOp::create(block.builder, block.loc,
                                  arith::AtomicRMWKind::addi,
                                  convert(block, block.constant(1), number),
                                  next, ValueRange{chunk, key});
    });
  });
}

Value RankTables::getCount(CollectiveBuilder &block, Value chunk,
                           Value key) const {
  return toIndex(block, memref::LoadOp::create(block.builder, block.loc, next,
                                               ValueRange{chunk, key}));
}

void RankTables::start(CollectiveBuilder &block,
                       llvm::function_ref<Value(Value)> first,
                       llvm::function_ref<Value(Value, Value)> count) {
  Type number = block.elementTypes.front();
  Value zero = convert(block, block.constant(0), number);
  auto store = [&](Value value, Value memory, Value chunk, Value key) {
    memref::StoreOp::create(block.builder, block.loc, value, memory,
                            ValueRange{chunk, key});
  };
  forEach(block, numKeys.value, [&](Value key) {
    accumulate(block, block.constant(numChunks), first(key),
               [&](Value chunk, Value begin) {
                 Value end = block.add(begin, count(chunk, key));
                 store(convert(block, begin, number), next, chunk, key);
                 store(zero, seen, chunk, key);
                 return end;
               });
  });
}

RankedRow::RankedRow(CollectiveBuilder &warp, const RankTables &tables,
                     Value chunk, LaneFn key, LanesFn forEachLane)
    : warp(warp), tables(tables), chunk(chunk), key(std::move(key)),
      forEachLane(std::move(forEachLane)) {
  Extent lanes = warp.getConstantExtent(warpSize);
  Value before = warp.force(warp.generate(
      lanes, [&](Value lane) { return Values{load(tables.seen, lane)}; }));
  this->forEachLane([&](Value lane) {
    update(arith::AtomicRMWKind::xori, getBit(lane), tables.seen, lane);
  });
  equal = warp.force(warp.generate(lanes, [&](Value lane) -> Values {
    return {arith::XOrIOp::create(warp.builder, warp.loc,
                                  load(tables.seen, lane),
                                  warp.get(before, lane).front())};
  }));
}

Value RankedRow::load(Value memory, Value lane) {
  return memref::LoadOp::create(warp.builder, warp.loc, memory,
                                ValueRange{chunk, key(lane)});
}

void RankedRow::update(arith::AtomicRMWKind kind, Value value, Value memory,
                       Value lane) {
  memref::AtomicRMWOp::create(warp.builder, warp.loc, kind, value, memory,
                              ValueRange{chunk, key(lane)});
}

Value RankedRow::getBit(Value lane) {
  Type number = warp.elementTypes.front();
  return arith::ShLIOp::create(warp.builder, warp.loc,
                               convert(warp, warp.constant(1), number),
                               convert(warp, lane, number));
}

/// The lower lanes with the same key.
Value RankedRow::getLower(Value lane) {
  Value one = convert(warp, warp.constant(1), warp.elementTypes.front());
  return arith::AndIOp::create(
      warp.builder, warp.loc,
      arith::SubIOp::create(warp.builder, warp.loc, getBit(lane), one),
      warp.get(equal, lane).front());
}

Value RankedRow::getRank(Value lane) {
  Value count = math::CtPopOp::create(warp.builder, warp.loc, getLower(lane));
  return warp.add(load(tables.next, lane), count);
}

void RankedRow::finish() {
  Value zero = convert(warp, warp.constant(0), warp.elementTypes.front());
  forEachLane([&](Value lane) {
    buildIf(warp, warp.equal(getLower(lane), zero), [&] {
      Value count = math::CtPopOp::create(warp.builder, warp.loc,
                                          warp.get(equal, lane).front());
      update(arith::AtomicRMWKind::addi, count, tables.next, lane);
    });
  });
}

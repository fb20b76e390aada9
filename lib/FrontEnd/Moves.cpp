//===- Moves.cpp - Scatters and filters of whole arrays -------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//===----------------------------------------------------------------------===//

#include "Obsidian/FrontEnd/ArrayBuilder.h"

#include "Obsidian/Dialect/Obs/IR/ObsIrregular.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::obs;

Value ArrayBuilder::fill(PushType type, ValueRange init, Value onto,
                         Extents extents, const WriteContract &contract,
                         llvm::function_ref<void()> code) {
  SmallVector<Value> dynamic;
  for (OpFoldResult extent : extents)
    if (auto value = dyn_cast<Value>(extent))
      dynamic.push_back(value);
  auto fill =
      FillOp::create(*this, type, init, onto, dynamic, contract.contract,
                     contract.kind, contract.unchecked);
  OpBuilder::InsertionGuard guard(*this);
  createBlock(&fill.getBody());
  code();
  return fill.getResult();
}

void ArrayBuilder::par(Extents extents, Level unit,
                       llvm::function_ref<void(ValueRange)> code) {
  SmallVector<Value> counts;
  for (OpFoldResult extent : extents)
    counts.push_back(getIndex(extent));
  auto par = ParOp::create(*this, counts, unit);
  OpBuilder::InsertionGuard guard(*this);
  SmallVector<Type> types(counts.size(), getIndexType());
  Block *body = createBlock(&par.getBody(), {}, types,
                            SmallVector<Location>(counts.size(), getLoc()));
  code(body->getArguments());
}

SmallVector<Value>
ArrayBuilder::getWindowPlace(const IndexedWindows &windows, Value indices,
                             int64_t rank, ValueRange outer,
                             llvm::function_ref<Value(Value, int64_t)> limit) {
  SmallVector<Value> batch, place(rank);
  for (int64_t dim : windows.batchDims)
    batch.push_back(outer[dim]);
  for (auto [k, dim] : llvm::enumerate(windows.startMap)) {
    SmallVector<Value> at(batch);
    if (windows.vectorDim)
      at.insert(at.begin() + *windows.vectorDim, getIndex(k));
    if (at.empty())
      at.push_back(getIndex(0));
    place[dim] =
        limit(castToIndex(getOne(indices, at), windows.isUnsigned), dim);
  }
  for (auto [dim, other] :
       llvm::zip_equal(windows.batching, windows.indexBatching))
    place[dim] =
        batch[other - (windows.vectorDim && other > *windows.vectorDim)];
  for (auto [dim, window] :
       llvm::zip_equal(windows.offsetDims, windows.windowDims))
    place[window] = place[window] ? add(place[window], outer[dim]) : outer[dim];
  for (Value &index : place)
    if (!index)
      index = getIndex(0);
  if (place.empty())
    place.push_back(getIndex(0));
  return place;
}

Value ArrayBuilder::scatter(Value onto, Extents iterations,
                            llvm::function_ref<Target(ValueRange)> code,
                            const WriteContract &contract) {
  SmallVector<OpFoldResult> extents = getExtents(onto), counts(iterations);
  if (counts.empty())
    counts.push_back(getIndexAttr(1));
  auto like = cast<PullType>(onto.getType());
  auto type = PushType::get(getContext(), Level::Grid, like.getExtents(),
                            like.getBounds(), like.getElementTypes());
  SmallVector<Value> init;
  if (auto same = onto.getDefiningOp<SplatOp>()) {
    llvm::append_range(init, same.getValues());
    onto = Value();
  } else {
    onto = store(onto).front();
  }
  return forceOne(fill(type, init, onto, extents, contract, [&] {
    par(counts, Level::Thread, [&](ValueRange i) {
      Target target = code(i.take_front(iterations.size()));
      Value condition = target.condition, zero = getIndex(0);
      auto require = [&](Value holds) { condition = both(condition, holds); };
      for (auto [index, extent] : llvm::zip_equal(target.indices, extents)) {
        require(compare(Order::GE, index, zero));
        require(compare(Order::LT, index, getIndex(extent)));
      }
      scf::IfOp::create(*this, condition, [&](OpBuilder &, Location) {
        WriteOp::create(*this, target.values, target.indices, ContractAttr(),
                        Attribute());
        scf::YieldOp::create(*this);
      });
    });
  }));
}

/// The kind of atomic operations that corresponds to `block`, if it is one such
/// operation on its arguments; else empty.
static StringRef getKind(Block &block) {
  if (block.getOperations().size() != 2)
    return "";
  Operation &op = block.front();
  auto isArgument = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == &block;
  };
  if (op.getNumOperands() != 2 || op.getOperand(0) == op.getOperand(1) ||
      !llvm::all_of(op.getOperands(), isArgument) ||
      block.getTerminator()->getOperand(0) != op.getResult(0))
    return "";
  // Memory has no atomic operations on single bits; a function is packed.
  return llvm::StringSwitch<StringRef>(op.getName().getStringRef())
      .Case("arith.addi", "addi")
      .Case("arith.muli", "muli")
      .Case("arith.andi", "andi")
      .Case("arith.ori", "ori")
      .Case("arith.xori", "xori")
      .Case("arith.minsi", "mins")
      .Case("arith.maxsi", "maxs")
      .Case("arith.minui", "minu")
      .Case("arith.maxui", "maxu")
      .Case("arith.addf", "addf")
      .Case("arith.mulf", "mulf")
      .Case("arith.minimumf", "minimumf")
      .Case("arith.maximumf", "maximumf")
      .Case("arith.minnumf", "minnumf")
      .Case("arith.maxnumf", "maxnumf")
      .Default("");
}

WriteContract ArrayBuilder::getContract(TypeRange element, ScalarCode combine) {
  Region region;
  buildOperator(region, element, combine);
  WriteContract contract;
  contract.contract = Contract::Reduce;
  if (StringRef kind = getKind(region.front());
      !kind.empty() && element.size() == 1) {
    contract.kind = getStringAttr(kind);
    return contract;
  }
  auto module = getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToEnd(module.getBody());
  auto function = func::FuncOp::create(
      *this, "combine", getFunctionType(region.getArgumentTypes(), element));
  function.setPrivate();
  function.getBody().takeBody(region);
  Operation *yield = function.getBody().front().getTerminator();
  setInsertionPoint(yield);
  func::ReturnOp::create(*this, yield->getOperands());
  yield->erase();
  SymbolTable(module).insert(function);
  contract.kind = FlatSymbolRefAttr::get(function);
  return contract;
}

std::pair<Value, Value> ArrayBuilder::compact(Value array, Value flags,
                                              ValueRange rest) {
  auto like = cast<PullType>(array.getType());
  auto type = PushType::get(getContext(), Level::Grid, like.getExtents(),
                            like.getBounds(), like.getElementTypes());
  auto count = PushType::get(getContext(), Level::Grid, {1}, getI32Type());
  auto compact =
      CompactOp::create(*this, type, count, array, flags, rest, StringAttr());
  auto force = ForceOp::create(
      *this, ValueRange{compact.getResult(), compact.getCount()}, ValueRange());
  return {force.getResults()[0], force.getResults()[1]};
}

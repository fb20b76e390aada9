//===- ExpansionUtils.cpp - Code that expansions share --------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpansionUtils.h"
#include "Expansion.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/Regions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

Value strategies::convert(CollectiveBuilder &c, Value value, Type type,
                          bool isUnsigned) {
  Type from = value.getType();
  if (from == type)
    return value;
  if (from.isIndex() || type.isIndex())
    return isUnsigned
               ? c.builder.createOrFold<arith::IndexCastUIOp>(c.loc, type,
                                                              value)
               : c.builder.createOrFold<arith::IndexCastOp>(c.loc, type, value);
  if (from.getIntOrFloatBitWidth() > type.getIntOrFloatBitWidth())
    return c.builder.createOrFold<arith::TruncIOp>(c.loc, type, value);
  return isUnsigned
             ? c.builder.createOrFold<arith::ExtUIOp>(c.loc, type, value)
             : c.builder.createOrFold<arith::ExtSIOp>(c.loc, type, value);
}

Value strategies::toIndex(CollectiveBuilder &c, Value value, bool isUnsigned) {
  return convert(c, value, c.builder.getIndexType(), isUnsigned);
}

CollectiveBuilder strategies::getAdder(OpBuilder &builder, Operation *op) {
  builder.setInsertionPoint(op);
  Level level = getEnclosingScope(op).level;
  Type type = level == Level::Grid ? Type(builder.getIndexType())
                                   : Type(builder.getI32Type());
  auto add = [](OpBuilder &b, Location loc, ValueRange x, ValueRange y) {
    return Values{arith::AddIOp::create(b, loc, x[0], y[0])};
  };
  return CollectiveBuilder(builder, op->getLoc(), level, type,
                           /*commutative=*/true, add);
}

void strategies::buildIf(CollectiveBuilder &c, Value condition,
                         llvm::function_ref<void()> then) {
  auto branch = scf::IfOp::create(c.builder, c.loc, condition,
                                  /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(c.builder);
  c.builder.setInsertionPointToStart(branch.thenBlock());
  then();
}

void strategies::buildLoop(CollectiveBuilder &c, Value begin, Value end,
                           Value step, llvm::function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(c.builder, c.loc, begin, end, step);
  OpBuilder::InsertionGuard guard(c.builder);
  c.builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void strategies::buildUnrolled(CollectiveBuilder &c, int64_t count,
                               llvm::function_ref<void(Value)> body) {
  if (count == 1)
    return body(c.constant(0));
  auto loop = scf::ForOp::create(c.builder, c.loc, c.constant(0),
                                 c.constant(count), c.constant(1));
  MLIRContext *context = c.builder.getContext();
  auto unroll = LLVM::LoopUnrollAttr::get(
      context, {}, {}, {}, /*full=*/c.builder.getBoolAttr(true), {}, {}, {});
  loop->setAttr("loop_annotation", LLVM::LoopAnnotationAttr::get(
                                       context, {}, {}, {}, unroll, {}, {}, {},
                                       {}, {}, {}, {}, {}, {}, {}, {}));
  OpBuilder::InsertionGuard guard(c.builder);
  c.builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

Values strategies::selectItem(CollectiveBuilder &c, Value number, int64_t count,
                              llvm::function_ref<Values(int64_t)> item) {
  Values own = item(0);
  for (int64_t k = 1; k < count; ++k) {
    Value isHere = c.equal(number, c.constant(k));
    for (auto [value, other] : llvm::zip_equal(own, item(k)))
      value = arith::SelectOp::create(c.builder, c.loc, isHere, other, value);
  }
  return own;
}

Value strategies::forceInto(CollectiveBuilder &c, Value push,
                            ValueRange memory) {
  return ForceOp::create(c.builder, c.loc, push, memory).getResults().front();
}

CollectiveBuilder::Values strategies::mapElement(CollectiveBuilder &c,
                                                 MapOp map, ValueRange values,
                                                 Value i) {
  CollectiveBuilder::Values operands;
  for (Value array : map.getArrays())
    if (array == map.getSource())
      llvm::append_range(operands, values);
    else
      llvm::append_range(operands, c.get(array, i));
  return cloneBody(c.builder, map.getBody(), operands);
}

void strategies::write(CollectiveBuilder &c, ValueRange values, Value index) {
  WriteOp::create(c.builder, c.loc, values, index, ContractAttr(),
                  StringAttr());
}

void strategies::buildPar(
    CollectiveBuilder &c, Level unit, Value count,
    llvm::function_ref<void(CollectiveBuilder &, Value)> body) {
  auto par = ParOp::create(c.builder, c.loc, count, unit);
  OpBuilder::InsertionGuard guard(c.builder);
  Block *block = c.builder.createBlock(&par.getBody(), {},
                                       c.builder.getIndexType(), c.loc);
  CollectiveBuilder inner = c;
  inner.level = unit;
  body(inner, block->getArgument(0));
}

/// The arguments, `rank` indices, of a block that is added to `region`.
static ValueRange addBlock(CollectiveBuilder &c, Region &region, size_t rank) {
  return c.builder
      .createBlock(&region, {},
                   SmallVector<Type>(rank, c.builder.getIndexType()),
                   SmallVector<Location>(rank, c.loc))
      ->getArguments();
}

Value strategies::buildGenerate(
    CollectiveBuilder &c, ArrayRef<int64_t> extents,
    llvm::function_ref<Values(ValueRange)> element) {
  Region body;
  Values values;
  {
    OpBuilder::InsertionGuard guard(c.builder);
    values = element(addBlock(c, body, extents.size()));
    YieldOp::create(c.builder, c.loc, values);
  }
  auto type = PullType::get(c.builder.getContext(), extents,
                            llvm::to_vector(ValueRange(values).getTypes()));
  auto array = GenerateOp::create(c.builder, c.loc, type, ValueRange());
  array.getBody().takeBody(body);
  return array;
}

Value strategies::buildFill(CollectiveBuilder &c, PushType type, Value extent,
                            ValueRange init, bool unchecked,
                            llvm::function_ref<void()> body) {
  auto fill = FillOp::create(
      c.builder, c.loc, type, init, Value(),
      type.hasStaticExtents() ? ValueRange() : ValueRange(extent),
      ContractAttr::get(c.builder.getContext(), Contract::Disjoint),
      StringAttr(), unchecked ? c.builder.getUnitAttr() : UnitAttr());
  OpBuilder::InsertionGuard guard(c.builder);
  c.builder.createBlock(&fill.getBody());
  body();
  return fill;
}

Value strategies::buildFillByThreads(
    CollectiveBuilder &c, ArrayRef<int64_t> extents, Type element,
    ArrayRef<int64_t> counts, llvm::function_ref<void(ValueRange)> body) {
  auto type =
      PushType::get(c.builder.getContext(), Level::Block, extents, element);
  return buildFill(c, type, Value(), {}, /*unchecked=*/false, [&] {
    Values sizes;
    for (int64_t count : counts)
      sizes.push_back(c.constant(count));
    auto par = ParOp::create(c.builder, c.loc, sizes, Level::Thread);
    OpBuilder::InsertionGuard guard(c.builder);
    body(addBlock(c, par.getBody(), counts.size()));
  });
}

Value strategies::buildContractFill(CollectiveBuilder &c, Contract contract,
                                    Attribute kind, PushType type, Value extent,
                                    ValueRange init, Value onto,
                                    llvm::function_ref<void()> body) {
  auto fill = FillOp::create(
      c.builder, c.loc, type, init, onto,
      type.hasStaticExtents() ? ValueRange() : ValueRange(extent),
      ContractAttr::get(c.builder.getContext(), contract), kind,
      contract == Contract::Disjoint ? c.builder.getUnitAttr() : UnitAttr());
  OpBuilder::InsertionGuard guard(c.builder);
  c.builder.createBlock(&fill.getBody());
  body();
  return fill;
}

Values strategies::buildNeutral(OpBuilder &builder, Location loc,
                                Attribute kind, TypeRange types) {
  auto name = dyn_cast<StringAttr>(kind);
  if (!name)
    return {};
  auto which = *arith::symbolizeAtomicRMWKind(name.getValue());
  return llvm::map_to_vector(types, [&](Type type) -> Value {
    // The sum of 0 and -0 is 0.
    TypedAttr neutral =
        which == arith::AtomicRMWKind::addf
            ? builder.getFloatAttr(type, -0.0)
            : arith::getIdentityValueAttr(which, type, builder, loc);
    return arith::ConstantOp::create(builder, loc, neutral);
  });
}

void strategies::scanInOrder(
    CollectiveBuilder &c, Value array, Value n,
    llvm::function_ref<void(ValueRange, Value)> write) {
  Value zero = c.constant(0), one = c.constant(1);
  // A loop of one iteration, or of none for an empty array.
  auto first = scf::ForOp::create(c.builder, c.loc, zero, c.min(n, one), one);
  OpBuilder::InsertionGuard guard(c.builder);
  c.builder.setInsertionPointToStart(first.getBody());
  Values start = c.get(array, zero);
  write(start, zero);
  scf::ForOp::create(c.builder, c.loc, one, n, one, start,
                     [&](OpBuilder &, Location, Value i, ValueRange value) {
                       Values next = c.combine(value, c.get(array, i));
                       write(next, i);
                       scf::YieldOp::create(c.builder, c.loc, next);
                     });
}

Values strategies::getUnusedValues(CollectiveBuilder &c) {
  Values values;
  for (Type type : c.elementTypes)
    values.push_back(arith::ConstantOp::create(c.builder, c.loc,
                                               c.builder.getZeroAttr(type)));
  return values;
}

Value strategies::accumulate(CollectiveBuilder &c, Value n, Value start,
                             llvm::function_ref<Value(Value, Value)> step) {
  auto loop = scf::ForOp::create(
      c.builder, c.loc, c.constant(0), n, c.constant(1), start,
      [&](OpBuilder &b, Location loc, Value i, ValueRange carried) {
        scf::YieldOp::create(b, loc, step(i, carried.front()));
      });
  return loop.getResult(0);
}

Value strategies::findFirstAbove(CollectiveBuilder &c, Extent n, Value t,
                                 llvm::function_ref<Value(Value)> number) {
  // Each step removes at least half of the candidates.
  Value steps = c.add(c.ceilLog2(n), c.constant(1));
  auto loop = scf::ForOp::create(
      c.builder, c.loc, c.constant(0), steps, c.constant(1),
      ValueRange{c.constant(0), n.value},
      [&](OpBuilder &b, Location loc, Value, ValueRange bounds) {
        Value low = bounds[0], high = bounds[1];
        Value middle = c.div(c.add(low, high), c.constant(2));
        Value isBehind = c.less(t, number(middle));
        Value next = c.add(middle, c.constant(1));
        low = arith::SelectOp::create(b, loc, isBehind, low, next);
        high = arith::SelectOp::create(b, loc, isBehind, middle, high);
        scf::YieldOp::create(b, loc, ValueRange{low, high});
      });
  return loop.getResult(0);
}

Value strategies::buildPush(CollectiveBuilder &c, Value result, Extent n,
                            llvm::function_ref<Value(Value)> element) {
  auto type = cast<PushType>(result.getType());
  CollectiveBuilder numbers = c;
  numbers.elementTypes = {type.getElementTypes().front()};
  Value array = numbers.generate(n, [&](Value i) {
    return Values{convert(c, element(i), numbers.elementTypes.front())};
  });
  return PushOp::create(c.builder, c.loc, type, array);
}

bool strategies::isSequential(ExpandableOpInterface op,
                              const CollectiveBuilder &c) {
  return c.level == Level::Thread &&
         op.getStrategy().value_or("sequential") == "sequential";
}

FailureOr<Value>
strategies::scanNumbers(CollectiveBuilder &c, ExpandableOpInterface op,
                        Extent n, llvm::function_ref<Value(Value)> number) {
  FailureOr<const ScanStrategy *> strategy =
      findScanStrategy(op, op.getStrategy(), c.level, n);
  if (failed(strategy))
    return failure();
  Value numbers = c.generate(n, [&](Value i) { return Values{number(i)}; });
  return c.shareReads((*strategy)->scan(c, c.shareReads(numbers)));
}

Value strategies::getSum(CollectiveBuilder &c, Value scanned, Value count) {
  return c
      .choose(
          c.equal(count, c.constant(0)), [&] { return Values{c.constant(0)}; },
          [&] {
            Value last = c.sub(count, c.constant(1));
            return Values{toIndex(c, c.get(scanned, last).front())};
          })
      .front();
}

namespace {
/// The cost of an element.
struct ElementCost {
  /// Few operations, and no loop.
  bool isCheap = true;
  /// Elements of stored arrays are read.
  bool readsMemory = false;
  /// The number of bytes of the narrowest of these.
  int64_t narrowest = std::numeric_limits<int64_t>::max();
};
} // namespace

/// The cost of the elements of `arrays`, and of one execution of `body`. An
/// array that is read several times at the same index is computed once.
static ElementCost findCost(ValueRange arrays, Region *body,
                            unsigned maxOperations = 64) {
  unsigned count = 0;
  ElementCost cost;
  llvm::SetVector<Value> read(arrays.begin(), arrays.end());
  auto isComputed = [](Operation *op) {
    return !op->hasTrait<OpTrait::IsTerminator>() &&
           !op->hasTrait<OpTrait::ConstantLike>() &&
           llvm::none_of(op->getResultTypes(), llvm::IsaPred<PullType>);
  };
  auto add = [&](Operation *op) {
    count += isComputed(op);
    if (isa<LoopLikeOpInterface>(op) || count > maxOperations) {
      cost.isCheap = false;
      return WalkResult::interrupt();
    }
    if (auto get = dyn_cast<GetOp>(op))
      read.insert(get.getArray());
    return WalkResult::advance();
  };
  if (body)
    body->walk(add);
  for (unsigned next = 0; next < read.size() && cost.isCheap; ++next) {
    Value array = read[next];
    Operation *op = array.getDefiningOp();
    // Host code chooses among stored arrays only.
    if (!op || isa<ForceOp, ViewOp>(op) ||
        isa<scf::SCFDialect>(op->getDialect())) {
      cost.readsMemory = true;
      for (Type type : getArrayElementTypes(array.getType()))
        if (!isa<PullType>(type))
          cost.narrowest =
              std::min<int64_t>(cost.narrowest, getElementBytes(type));
      continue;
    }
    op->walk(add);
    for (Value operand : op->getOperands())
      if (isa<PullType>(operand.getType()))
        read.insert(operand);
  }
  return cost;
}

bool strategies::isCheap(Value array) {
  return findCost({array}, nullptr).isCheap;
}
bool strategies::isCheap(Region &body, unsigned maxOperations) {
  return findCost({}, &body, maxOperations).isCheap;
}

bool strategies::isTotal(Value array) {
  Operation *op = array.getDefiningOp();
  if (!op || isa<ForceOp, ViewOp>(op))
    return true;
  auto map = dyn_cast<MapOp>(op);
  return map && llvm::all_of(map->getOperands(), isTotal) &&
         llvm::all_of(map.getBody().getOps(),
                      [](Operation &inner) { return canSpeculate(&inner); });
}

bool strategies::profitsFromRows(ArrayRef<Value> arrays) {
  ElementCost cost = findCost(arrays, nullptr);
  return cost.isCheap && cost.readsMemory;
}

int64_t strategies::getNarrowestRead(Value array) {
  return findCost({array}, nullptr).narrowest;
}

ForceOp strategies::findOnlyForce(Value array) {
  Operation *user = nullptr;
  for (Operation *other : array.getUsers()) {
    if (isa<DimOp>(other))
      continue;
    if (user)
      return {};
    user = other;
  }
  if (!user || user->getBlock() != array.getParentBlock())
    return {};
  if (auto force = dyn_cast<ForceOp>(user))
    return force;
  if (isa<PushOpInterface>(user) && user->getNumResults() == 1)
    return findOnlyForce(user->getResult(0));
  return {};
}

bool strategies::hasCollectives(MapOp map) {
  return containsOp(map, [](ExpandableOpInterface) { return true; });
}

void strategies::storeInstead(ForceOp force, ValueRange arrays,
                              ValueRange results) {
  if (!arrays.empty()) {
    OpBuilder builder(force);
    auto other = ForceOp::create(builder, force.getLoc(), results.getTypes(),
                                 arrays, ValueRange(), force.getStorageAttr(),
                                 force.getKernelAttr(), force.getThreadsAttr(),
                                 force.getUncheckedAttr());
    for (auto [old, result] : llvm::zip_equal(results, other.getResults()))
      old.replaceAllUsesWith(result);
  }
  force.erase();
}

void strategies::removeResults(ForceOp force, ValueRange unused) {
  if (unused.empty())
    return;
  SmallVector<Value> arrays, results;
  for (auto [array, result] :
       llvm::zip_equal(force.getArrays(), force.getResults()))
    if (!llvm::is_contained(unused, result)) {
      arrays.push_back(array);
      results.push_back(result);
    }
  storeInstead(force, arrays, results);
}

bool strategies::dropUnused(Value array) {
  llvm::SetVector<Operation *> users;
  users.insert_range(array.getUsers());
  for (Operation *user : users) {
    if (isa<PushOpInterface>(user) && user->getNumResults() == 1 &&
        isMemoryEffectFree(user) && dropUnused(user->getResult(0))) {
      user->erase();
      continue;
    }
    auto force = dyn_cast<ForceOp>(user);
    if (!force || !force.getInto().empty())
      continue;
    SmallVector<Value> unused;
    for (auto [other, result] :
         llvm::zip_equal(force.getArrays(), force.getResults()))
      if (other == array && result.use_empty())
        unused.push_back(result);
    removeResults(force, unused);
  }
  return array.use_empty();
}

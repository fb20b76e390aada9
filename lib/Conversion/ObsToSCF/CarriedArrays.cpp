//===- CarriedArrays.cpp - Control flow over arrays -----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array that a loop carries is in a ring of two buffers: the array of the
// iteration in slot s, and the next one in slot 1 - s. Instead of the array,
// the loop carries the number s and the dynamic extents. With numbers instead
// of swapped pointers, every access can be analysed.
//
// An array that the condition region of a `while` makes and passes on is in a
// separate buffer. The next one is made when this one is no longer needed.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "Obsidian/Dialect/Obs/IR/IndexBuilder.h"
using namespace mlir;
using namespace mlir::obs;

static bool isArray(Value value) { return isa<PullType>(value.getType()); }

/// The values that stand for the array `array` of type `type` in a loop: its
/// slot, if it is in a ring, and its dynamic extents.
static SmallVector<Value> getCarried(PullType type, const StoredArray &array) {
  SmallVector<Value> carried(array.prefix);
  for (unsigned d = 0; d < type.getRank(); ++d)
    if (type.isDynamicExtent(d))
      carried.push_back(array.extents[d]);
  return carried;
}

/// The array that `carried` stands for, in the memory of `place`; takes its
/// values from the front.
static StoredArray takeCarried(PullType type, const StoredArray &place,
                               ValueRange &carried) {
  StoredArray array = place;
  for (Value &slot : array.prefix) {
    slot = carried.front();
    carried = carried.drop_front();
  }
  for (unsigned d = 0; d < type.getRank(); ++d) {
    if (!type.isDynamicExtent(d))
      continue;
    array.extents[d] = carried.front();
    carried = carried.drop_front();
  }
  return array;
}

/// The storage that the programs that compute `values` request for their
/// results.
static Storage getRequest(ValueRange values) {
  for (Value value : values)
    if (auto force = value.getDefiningOp<ForceOp>();
        force && force.getStorage() != Storage::Auto)
      return force.getStorage();
  return Storage::Auto;
}

/// The values of argument `number` of `loop` in its first iteration and in the
/// others.
static SmallVector<Value> getSources(Operation *loop, unsigned number) {
  if (auto counted = dyn_cast<scf::ForOp>(loop))
    return {counted.getInitArgs()[number], counted.getYieldedValues()[number]};
  auto other = cast<scf::WhileOp>(loop);
  return {other.getInits()[number], other.getYieldOp().getOperand(number)};
}

/// Fails if `values`, which become one array of `op`, request different homes.
static LogicalResult verifyRequests(Operation *op, ValueRange values) {
  ForceOp first;
  for (Value value : values) {
    auto force = value.getDefiningOp<ForceOp>();
    if (!force || force.getStorage() == Storage::Auto)
      continue;
    if (first && first.getStorage() != force.getStorage()) {
      InFlightDiagnostic error = force.emitOpError("[force-storage] requests ")
                                 << stringifyStorage(force.getStorage())
                                 << " for an array that control flow merges "
                                    "with another one, which requests "
                                 << stringifyStorage(first.getStorage())
                                 << "; request the same storage for both";
      error.attachNote(first.getLoc()) << "the other one";
      error.attachNote(op->getLoc()) << "the control flow";
      return error;
    }
    first = force;
  }
  return success();
}

Storage Emitter::getRingStorage(OpOperand &init) {
  unsigned number = init.getOperandNumber();
  if (auto loop = dyn_cast<scf::ForOp>(init.getOwner()))
    number -= loop.getNumControlOperands();
  return getRequest(getSources(init.getOwner(), number));
}

SmallVector<Value> Emitter::buildStaticExtents(Location loc, PullType type) {
  SmallVector<Value> extents;
  for (int64_t extent : type.getExtents())
    extents.push_back(index(loc, ShapedType::isDynamic(extent) ? 0 : extent));
  return extents;
}

/// A ring for arrays like `array`, without contents.
StoredArray Emitter::allocateRing(Value array, Level level, Storage storage) {
  auto type = cast<PullType>(array.getType());
  Location loc = array.getLoc();
  StoredArray ring = allocate(loc, type, buildStaticExtents(loc, type), level,
                              storage, /*isRing=*/true);
  ring.prefix = {index(array.getLoc(), 0)};
  return ring;
}

/// The forces, in the body of the loop around `loop`, that write the next array
/// into the ring of `stored`.
SmallVector<Value> Emitter::findDestinations(Operation *loop,
                                             const StoredArray &stored) {
  Operation *around = loop->getParentOp();
  while (around && !isa<scf::ForOp, scf::WhileOp, KernelOp>(around))
    around = around->getParentOp();
  SmallVector<Value> found;
  for (auto &[value, place] : destinations)
    if (place.buffers == stored.buffers &&
        value.getDefiningOp()->getParentOp() == around)
      found.push_back(value);
  return found;
}

/// True when `op` runs at most once for each time that `value` is made.
static bool runsOnce(Operation *op, Value value) {
  Block *block = op->getBlock();
  while (block != value.getParentBlock() &&
         isa<scf::IfOp>(block->getParentOp()))
    block = block->getParentOp()->getBlock();
  return block == value.getParentBlock();
}

/// A ring that holds the initial value `init` of `loop`. A value that is in a
/// ring already and dies with the loop keeps its ring, unless the other slot is
/// needed: the loop takes both.
StoredArray Emitter::enterRing(OpOperand &operand, Level level) {
  Value init = operand.get();
  Operation *loop = operand.getOwner();
  Storage storage = getRingStorage(operand);
  StoredArray stored = arrays.find(init)->second;
  bool isFree =
      llvm::all_of(findDestinations(loop, stored), [&](Value destination) {
        Operation *force = destination.getDefiningOp();
        return isa<scf::ForOp>(loop) && force->getBlock() == loop->getBlock() &&
               loop->isBeforeInBlock(force);
      });
  auto isAsked = [&](Value buffer) {
    HomeAttr home = getHome(buffer);
    return storage == Storage::Auto || (home && home.getStorage() == storage);
  };
  if (stored.prefix.size() == 1 && !stored.isShared && init.hasOneUse() &&
      runsOnce(loop, init) && isFree && llvm::all_of(stored.buffers, isAsked))
    return stored;
  StoredArray ring = allocateRing(init, level, storage);
  ring.extents = stored.extents;
  emitCopy(init.getLoc(), stored, ring, level);
  return ring;
}

/// The other slot of a ring: slots are 0 and 1.
static Value buildOtherSlot(OpBuilder &builder, Location loc, Value slot) {
  IndexBuilder index{builder, loc};
  return index.sub(index.constant(1), slot);
}

/// After `loop`, which left its array in `result`: the slot that is free for
/// the next array of the loop around it.
void Emitter::leaveRing(Operation *loop, const StoredArray &result) {
  for (Value destination : findDestinations(loop, result))
    destinations[destination].prefix = {
        buildOtherSlot(builder, destination.getLoc(), result.prefix.front())};
}

/// The array that takes the place of `current` in the next iteration.
FailureOr<StoredArray>
Emitter::storeNext(Value yielded, const StoredArray &current, Level level) {
  auto found = arrays.find(yielded);
  if (found == arrays.end())
    return failure();
  StoredArray stored = found->second;
  if (stored.buffers == current.buffers)
    return stored;
  StoredArray next = current;
  next.prefix = {
      buildOtherSlot(builder, yielded.getLoc(), current.prefix.front())};
  next.extents = stored.extents;
  emitCopy(yielded.getLoc(), stored, next, level);
  return next;
}

static LogicalResult reportNotFused(Operation *loop) {
  return loop->emitOpError("carries an array that is not fused; run "
                           "obs-fuse-arrays first");
}

/// Fails if a loop would start from an array that has no place, or carry one
/// that is to have two.
static LogicalResult
verifyStored(Operation *loop, ValueRange init,
             const llvm::DenseMap<Value, StoredArray> &arrays) {
  for (auto [number, value] : llvm::enumerate(init)) {
    if (!isArray(value))
      continue;
    if (!arrays.contains(value))
      return reportNotFused(loop);
    if (failed(verifyRequests(loop, getSources(loop, number))))
      return failure();
  }
  return success();
}

SmallVector<Value> Emitter::enterLoop(MutableOperandRange operands, Level level,
                                      SmallVectorImpl<StoredArray> &rings) {
  SmallVector<Value> init;
  for (OpOperand &operand : operands) {
    Value value = operand.get();
    if (!isArray(value)) {
      init.push_back(values.lookupOrDefault(value));
      continue;
    }
    rings.push_back(enterRing(operand, level));
    llvm::append_range(
        init, getCarried(cast<PullType>(value.getType()), rings.back()));
  }
  return init;
}

void Emitter::mapCarried(ValueRange from, ArrayRef<StoredArray> rings,
                         ValueRange carried) {
  for (Value value : from) {
    if (auto type = dyn_cast<PullType>(value.getType())) {
      arrays[value] = takeCarried(type, rings.front(), carried);
      rings = rings.drop_front();
    } else {
      values.map(value, carried.front());
      carried = carried.drop_front();
    }
  }
}

/// The array in the ring of `array` after `body`, in which loops may have taken
/// the ring over.
StoredArray Emitter::findLatest(const StoredArray &array, Block &body) {
  StoredArray latest = array;
  for (Operation &op : body)
    if (isa<scf::ForOp, scf::WhileOp>(op))
      for (Value result : op.getResults())
        if (isArray(result) && arrays[result].buffers == array.buffers)
          latest = arrays[result];
  return latest;
}

LogicalResult Emitter::emitTurn(Operation *loop, Block &body,
                                ArrayRef<StoredArray> current, Level level) {
  OperandRange yielded = body.getTerminator()->getOperands();
  // A force whose result is the next array writes it where it belongs.
  auto ring = current.begin();
  for (Value value : yielded) {
    if (!isArray(value))
      continue;
    StoredArray next = *ring++;
    auto force = value.getDefiningOp<ForceOp>();
    if (!force || force->getBlock() != &body || !force.getInto().empty() ||
        destinations.contains(value))
      continue;
    next.prefix = {
        buildOtherSlot(builder, loop->getLoc(), next.prefix.front())};
    destinations[value] = next;
  }
  if (failed(emitBlock(body, level)))
    return failure();
  SmallVector<Value> results;
  ring = current.begin();
  for (Value value : yielded) {
    if (!isArray(value)) {
      results.push_back(values.lookupOrDefault(value));
      continue;
    }
    FailureOr<StoredArray> next =
        storeNext(value, findLatest(*ring++, body), level);
    if (failed(next))
      return reportNotFused(loop);
    llvm::append_range(results,
                       getCarried(cast<PullType>(value.getType()), *next));
  }
  scf::YieldOp::create(builder, loop->getLoc(), results);
  return success();
}

LogicalResult Emitter::emitFor(scf::ForOp loop, Level level) {
  if (failed(verifyStored(loop, loop.getInitArgs(), arrays)))
    return failure();
  SmallVector<StoredArray> rings;
  SmallVector<Value> init = enterLoop(loop.getInitArgsMutable(), level, rings);
  auto emitted = scf::ForOp::create(
      builder, loop.getLoc(), values.lookupOrDefault(loop.getLowerBound()),
      values.lookupOrDefault(loop.getUpperBound()),
      values.lookupOrDefault(loop.getStep()), init,
      [](OpBuilder &, Location, Value, ValueRange) {});
  emitted->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  values.map(loop.getInductionVar(), emitted.getInductionVar());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(emitted.getBody());
    mapCarried(loop.getRegionIterArgs(), rings, emitted.getRegionIterArgs());
    SmallVector<StoredArray> current;
    for (BlockArgument argument : loop.getRegionIterArgs())
      if (isArray(argument))
        current.push_back(arrays[argument]);
    if (failed(emitTurn(loop, *loop.getBody(), current, level)))
      return failure();
  }
  markLoop(loop, emitted);
  mapCarried(loop.getResults(), rings, emitted.getResults());
  for (Value result : loop.getResults())
    if (isArray(result))
      leaveRing(loop, arrays[result]);
  return success();
}

/// Memory for the arrays that the condition region of `loop` makes and passes
/// on; the loop carries them in it. Forces write them there at once.
llvm::DenseMap<Value, StoredArray> Emitter::allocatePassed(scf::WhileOp loop,
                                                           Level level) {
  llvm::DenseMap<Value, StoredArray> made;
  for (Value value : loop.getConditionOp().getArgs()) {
    if (!isArray(value) || isa<BlockArgument>(value) ||
        value.getParentBlock() != loop.getBeforeBody() || made.contains(value))
      continue;
    auto type = cast<PullType>(value.getType());
    Location loc = value.getLoc();
    StoredArray place = allocate(loc, type, buildStaticExtents(loc, type),
                                 level, getRequest(value), /*isRing=*/false);
    made[value] = place;
    auto force = value.getDefiningOp<ForceOp>();
    if (force && force.getInto().empty())
      destinations[value] = place;
  }
  return made;
}

LogicalResult
Emitter::emitCondition(scf::WhileOp loop,
                       const llvm::DenseMap<Value, StoredArray> &made,
                       SmallVectorImpl<StoredArray> &places, Level level) {
  Location loc = loop.getLoc();
  if (failed(emitBlock(*loop.getBeforeBody(), level)))
    return failure();
  OperandRange operands = loop.getConditionOp().getArgs();
  SmallVector<Value> passed;
  for (Value value : operands) {
    if (!isArray(value)) {
      passed.push_back(values.lookupOrDefault(value));
      continue;
    }
    auto found = arrays.find(value);
    if (found == arrays.end())
      return reportNotFused(loop);
    StoredArray &stored = found->second;
    StoredArray place = stored;
    if (auto own = made.find(value); own != made.end()) {
      place = own->second;
      if (stored.buffers != place.buffers) {
        StoredArray copy = place;
        copy.extents = stored.extents;
        emitCopy(loc, stored, copy, level);
        stored = copy;
      }
    } else if (value.getParentBlock() != loop.getBeforeBody() ||
               llvm::count(operands, value) > 1) {
      place.isShared = true;
    }
    places.push_back(place);
    llvm::append_range(passed,
                       getCarried(cast<PullType>(value.getType()), stored));
  }
  scf::ConditionOp::create(
      builder, loc,
      values.lookupOrDefault(loop.getConditionOp().getCondition()), passed);
  return success();
}

LogicalResult Emitter::emitWhile(scf::WhileOp loop, Level level) {
  Location loc = loop.getLoc();
  if (failed(verifyStored(loop, loop.getInits(), arrays)))
    return failure();
  SmallVector<StoredArray> rings;
  SmallVector<Value> init = enterLoop(loop.getInitsMutable(), level, rings);
  llvm::DenseMap<Value, StoredArray> made = allocatePassed(loop, level);
  // The values that the condition passes on determine the result types. They
  // are known after its region is emitted, so the loop is built around two
  // finished blocks.
  auto before = std::make_unique<Region>();
  auto after = std::make_unique<Region>();
  auto addBlock = [&](Region &region, TypeRange types) {
    SmallVector<Location> locs(types.size(), loc);
    OpBuilder::InsertionGuard guard(builder);
    return builder.createBlock(&region, region.end(), types, locs);
  };
  SmallVector<StoredArray> places;
  SmallVector<Type> passedTypes;
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *block = addBlock(*before, ValueRange(init).getTypes());
    builder.setInsertionPointToEnd(block);
    mapCarried(loop.getBeforeArguments(), rings, block->getArguments());
    if (failed(emitCondition(loop, made, places, level)))
      return failure();
    auto condition = cast<scf::ConditionOp>(block->getTerminator());
    llvm::append_range(passedTypes, condition.getArgs().getTypes());
  }
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *block = addBlock(*after, passedTypes);
    builder.setInsertionPointToEnd(block);
    mapCarried(loop.getAfterArguments(), places, block->getArguments());
    // The current place of the array that came in through the same ring.
    SmallVector<StoredArray> current;
    for (const StoredArray &own : rings) {
      StoredArray here = own;
      for (BlockArgument argument : loop.getAfterArguments())
        if (isArray(argument) && arrays[argument].buffers == own.buffers)
          here = arrays[argument];
      current.push_back(here);
    }
    if (failed(emitTurn(loop, *loop.getAfterBody(), current, level)))
      return failure();
  }
  auto emitted = scf::WhileOp::create(builder, loc, passedTypes, init);
  emitted.getBefore().takeBody(*before);
  emitted.getAfter().takeBody(*after);
  markLoop(loop, emitted);
  mapCarried(loop.getResults(), places, emitted.getResults());
  return success();
}

/// Both arms leave their array in one buffer.
LogicalResult Emitter::emitIf(scf::IfOp branch, Level level) {
  Location loc = branch.getLoc();
  SmallVector<Type> types;
  SmallVector<StoredArray> merged;
  for (OpResult result : branch.getResults()) {
    auto type = dyn_cast<PullType>(result.getType());
    if (!type) {
      types.push_back(result.getType());
      continue;
    }
    unsigned number = result.getResultNumber();
    Value arms[] = {branch.thenYield().getOperand(number),
                    branch.elseYield().getOperand(number)};
    if (failed(verifyRequests(branch, arms)))
      return failure();
    types.append(llvm::count_if(type.getExtents(), ShapedType::isDynamic),
                 builder.getIndexType());
    merged.push_back(allocate(loc, type, buildStaticExtents(loc, type), level,
                              getRequest(arms), /*isRing=*/false));
  }
  auto emitted = scf::IfOp::create(
      builder, loc, types, values.lookupOrDefault(branch.getCondition()),
      /*addThenBlock=*/true, /*addElseBlock=*/true);
  auto emitArm = [&](Block *from, Block *to) -> LogicalResult {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(to);
    Operation *yield = from->getTerminator();
    unsigned next = 0;
    for (Value value : yield->getOperands())
      if (isArray(value)) {
        StoredArray &target = merged[next++];
        auto force = value.getDefiningOp<ForceOp>();
        if (force && force->getBlock() == from && force.getInto().empty() &&
            !destinations.contains(value))
          destinations[value] = target;
      }
    if (failed(emitBlock(*from, level)))
      return failure();
    SmallVector<Value> results;
    next = 0;
    for (Value value : yield->getOperands()) {
      auto type = dyn_cast<PullType>(value.getType());
      if (!type) {
        results.push_back(values.lookupOrDefault(value));
        continue;
      }
      auto found = arrays.find(value);
      if (found == arrays.end())
        return branch.emitOpError("yields an array that is not fused; run "
                                  "obs-fuse-arrays first");
      StoredArray stored = found->second;
      StoredArray &target = merged[next++];
      if (stored.buffers != target.buffers) {
        StoredArray sink = target;
        sink.extents = stored.extents;
        emitCopy(loc, stored, sink, level);
      }
      for (unsigned d = 0; d < type.getRank(); ++d)
        if (type.isDynamicExtent(d))
          results.push_back(stored.extents[d]);
    }
    scf::YieldOp::create(builder, loc, results);
    return success();
  };
  if (failed(emitArm(branch.thenBlock(), emitted.thenBlock())) ||
      failed(emitArm(branch.elseBlock(), emitted.elseBlock())))
    return failure();
  ValueRange results = emitted.getResults();
  unsigned next = 0;
  for (Value result : branch.getResults()) {
    auto type = dyn_cast<PullType>(result.getType());
    if (!type) {
      values.map(result, results.front());
      results = results.drop_front();
      continue;
    }
    StoredArray array = merged[next++];
    for (unsigned d = 0; d < type.getRank(); ++d)
      if (type.isDynamicExtent(d)) {
        array.extents[d] = results.front();
        results = results.drop_front();
      }
    arrays[result] = array;
  }
  return success();
}

//===- LaneArrays.cpp - Arrays of warps in registers ----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop of n iterations becomes ceil(n / 32) copies of its body, so that the
// register of each access is a constant, or one of few. Within a copy the code
// is straight: conditions around shuffles become predicates, since a lane that
// does not take part would leave the others without its element.
//
//===----------------------------------------------------------------------===//

#include "LaneArrays.h"
#include "Accesses.h"
#include "Obsidian/Dialect/Obs/Analysis/IndexQueries.h"
#include "Obsidian/Dialect/Obs/Analysis/IndexRecognition.h"
#include "Workers.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::obs;

/// Registers of one lane that an array may take.
static constexpr int64_t maxRegisters = 32;
/// Registers among which a read may choose at run time.
static constexpr unsigned maxChoices = 4;

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// The element that an access reaches in each iteration of its leaf: -1 where
/// it is none of the array, which then does not happen. Nothing if not known.
static std::optional<SmallVector<int64_t>>
evaluate(scf::ForallOp leaf, ValueRange indices, ArrayRef<int64_t> shape) {
  std::optional<int64_t> extent =
      getConstantIntValue(leaf.getMixedUpperBound()[0]);
  IndexRecognizer recognizer;
  recognizer.addLeaf(leaf.getRegion());
  recognizer.addVariable(leaf.getInductionVar(0), *extent);
  IndexExpr element = IndexExpr::constant(0);
  for (auto [index, size] : llvm::zip(indices, shape))
    element = element * IndexExpr::constant(size) + recognizer.get(index);
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  IndexEvaluator evaluator(element);
  SmallVector<int64_t> elements;
  for (int64_t t = 0; t < *extent; ++t) {
    auto values = evaluator.evaluate(t);
    if (!values)
      return std::nullopt;
    int64_t value = values->front();
    elements.push_back(value >= 0 && value < count ? value : -1);
  }
  return elements;
}

/// Which registers and lanes one copy of the body reads.
struct LaneMapper::Table {
  SmallVector<int64_t> registers;
  SmallVector<int> lanes = SmallVector<int>(warpSize, -1);
};

//===----------------------------------------------------------------------===//
// The decision
//===----------------------------------------------------------------------===//

static int64_t countRegisters(MemRefType type) {
  return llvm::divideCeil(type.getNumElements(), warpSize);
}

/// Registers that each copy of the body reads, for all copies.
static bool readsFewRegisters(ArrayRef<int64_t> elements) {
  for (size_t begin = 0; begin < elements.size(); begin += warpSize) {
    llvm::SmallSetVector<int64_t, 4> registers;
    for (int64_t element : elements.slice(
             begin, std::min<size_t>(warpSize, elements.size() - begin)))
      if (element >= 0)
        registers.insert(element / warpSize);
    if (registers.size() > maxChoices)
      return false;
  }
  return true;
}

/// True if the lane of iteration t owns element `elements[t]`, in the same
/// register as the other lanes.
static bool writesOwnElements(ArrayRef<int64_t> elements) {
  for (auto [t, element] : llvm::enumerate(elements)) {
    if (element < 0)
      continue;
    int64_t first = static_cast<int64_t>(t) - t % warpSize;
    if (element % warpSize != static_cast<int64_t>(t % warpSize))
      return false;
    for (int64_t other : elements.slice(
             first, std::min<size_t>(warpSize, elements.size() - first)))
      if (other >= 0 && other / warpSize != element / warpSize)
        return false;
  }
  return true;
}

/// True if only conditions stand between `op` and its leaf.
static bool isUnderConditions(Operation *op, scf::ForallOp leaf) {
  for (op = op->getParentOp(); op != leaf; op = op->getParentOp())
    if (!isa<scf::IfOp>(op))
      return false;
  return true;
}

bool obs::canLiveInLanes(memref::AllocOp alloc) {
  MemRefType type = alloc.getType();
  Type element = type.getElementType();
  if (!type.hasStaticShape() || type.getNumElements() == 0 ||
      countRegisters(type) > maxRegisters ||
      !(element.isIndex() || element.getIntOrFloatBitWidth() <= 64))
    return false;
  for (Operation *user : alloc->getUsers()) {
    auto load = dyn_cast<memref::LoadOp>(user);
    auto store = dyn_cast<memref::StoreOp>(user);
    if (!load && !store)
      return false;
    ValueRange indices = load ? load.getIndices() : store.getIndices();
    auto leaf = user->getParentOfType<scf::ForallOp>();
    if (!leaf) {
      // All lanes read one element.
      bool isKnown = llvm::all_of(indices, [](Value index) {
        return getConstantIntValue(index).has_value();
      });
      if (!load ||
          !(isKnown || (type.getRank() == 1 && countRegisters(type) == 1)))
        return false;
      continue;
    }
    MapAttr map = getLeafMap(leaf);
    std::optional<int64_t> extent =
        getConstantIntValue(leaf.getMixedUpperBound()[0]);
    if (!map || map.getScope() != Level::Warp || !extent ||
        *extent > maxRegisters * warpSize || !isUnderConditions(user, leaf))
      return false;
    auto elements = evaluate(leaf, indices, type.getShape());
    if (store ? !elements || !writesOwnElements(*elements)
              : (elements ? !readsFewRegisters(*elements)
                          : countRegisters(type) > 1))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

Value LaneMapper::constant(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

/// The array that `op` accesses, or null.
static Value getMemory(Operation *op) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return load.getMemRef();
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return store.getMemRef();
  return {};
}

bool LaneMapper::uses(scf::ForallOp leaf) const {
  return leaf
      .walk([&](Operation *op) {
        return arrays.contains(getMemory(op)) ? WalkResult::interrupt()
                                              : WalkResult::advance();
      })
      .wasInterrupted();
}

bool LaneMapper::readsArrays(Operation *op) const {
  return op
      ->walk([&](memref::LoadOp load) {
        return arrays.contains(load.getMemRef()) ? WalkResult::interrupt()
                                                 : WalkResult::advance();
      })
      .wasInterrupted();
}

Value LaneMapper::linearize(Value memory, ValueRange indices,
                            IRMapping &mapping) {
  Value element;
  for (auto [index, size] : llvm::zip(indices, arrays[memory])) {
    Value own = mapping.lookupOrDefault(index);
    if (element)
      own = arith::AddIOp::create(
          builder, loc,
          arith::MulIOp::create(builder, loc, element, constant(size)), own);
    element = own;
  }
  return element ? element : constant(0);
}

/// `value` of other lanes. Words of 32 bits are what lanes exchange.
Value LaneMapper::shuffle(Value value, Value index, const Table &table) {
  LanePattern pattern = classifyLanes(table.lanes);
  if (pattern.kind == LanePattern::Kind::Identity)
    return value;
  auto mode = gpu::ShuffleMode::IDX;
  Value amount;
  auto number = [&](int64_t n) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getI32IntegerAttr(n));
  };
  switch (pattern.kind) {
  case LanePattern::Kind::Xor:
    mode = gpu::ShuffleMode::XOR;
    amount = number(pattern.amount);
    break;
  case LanePattern::Kind::Up:
    mode = gpu::ShuffleMode::UP;
    amount = number(pattern.amount);
    break;
  case LanePattern::Kind::Down:
    mode = gpu::ShuffleMode::DOWN;
    amount = number(pattern.amount);
    break;
  case LanePattern::Kind::Broadcast:
    amount = number(pattern.amount);
    break;
  default:
    Value lane =
        arith::IndexCastOp::create(builder, loc, builder.getI32Type(), index);
    amount = arith::AndIOp::create(builder, loc, lane, number(warpSize - 1));
    break;
  }
  auto exchange = [&](Value word) -> Value {
    return gpu::ShuffleOp::create(builder, loc, word, amount, number(warpSize),
                                  mode)
        .getShuffleResult();
  };
  Type type = value.getType();
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  if (type.isIndex())
    value = arith::IndexCastOp::create(builder, loc, i64, value);
  else if (isa<FloatType>(type))
    value = arith::BitcastOp::create(
        builder, loc, builder.getIntegerType(type.getIntOrFloatBitWidth()),
        value);
  unsigned width = value.getType().getIntOrFloatBitWidth();
  if (width > 32) {
    Value wide =
        width == 64 ? value : arith::ExtUIOp::create(builder, loc, i64, value);
    Value shift =
        arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(32));
    Value high = arith::TruncIOp::create(
        builder, loc, i32, arith::ShRUIOp::create(builder, loc, wide, shift));
    Value low = exchange(arith::TruncIOp::create(builder, loc, i32, wide));
    high = exchange(high);
    Value joined = arith::OrIOp::create(
        builder, loc, arith::ExtUIOp::create(builder, loc, i64, low),
        arith::ShLIOp::create(builder, loc,
                              arith::ExtUIOp::create(builder, loc, i64, high),
                              shift));
    value = width == 64 ? joined
                        : arith::TruncIOp::create(builder, loc, value.getType(),
                                                  joined);
  } else if (width == 32) {
    value = exchange(value);
  } else {
    Value word = exchange(arith::ExtUIOp::create(builder, loc, i32, value));
    value = arith::TruncIOp::create(builder, loc, value.getType(), word);
  }
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, value);
  if (isa<FloatType>(type))
    return arith::BitcastOp::create(builder, loc, type, value);
  return value;
}

Value LaneMapper::emitLoad(memref::LoadOp load, IRMapping &mapping) {
  Value memory = load.getMemRef();
  Value index = linearize(memory, load.getIndices(), mapping);
  Table table;
  int64_t first = chunk * warpSize;
  if (auto elements = evaluate(leaf, load.getIndices(), arrays[memory])) {
    llvm::SmallSetVector<int64_t, 4> registers;
    int64_t end = std::min<int64_t>(first + warpSize, elements->size());
    for (int64_t t = first; t < end; ++t) {
      int64_t element = (*elements)[t];
      if (element < 0)
        continue;
      registers.insert(element / warpSize);
      table.lanes[t - first] = element % warpSize;
    }
    table.registers = registers.takeVector();
  } else {
    // One register, and any lane.
    table.registers.push_back(0);
    for (int lane = 0; lane < warpSize; ++lane)
      table.lanes[lane] = (lane * 5 + 3) % warpSize;
  }
  if (table.registers.empty())
    table.registers.push_back(0);
  Value result;
  Value number;
  for (int64_t own : table.registers) {
    Value value =
        shuffle(memref::LoadOp::create(builder, loc, memory, constant(own)),
                index, table);
    if (!result) {
      result = value;
      continue;
    }
    if (!number)
      number = arith::DivUIOp::create(builder, loc, index, constant(warpSize));
    Value isOwn = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        number, constant(own));
    result = arith::SelectOp::create(builder, loc, isOwn, value, result);
  }
  return result;
}

void LaneMapper::emitStore(memref::StoreOp store, Value active,
                           IRMapping &mapping) {
  Value memory = store.getMemRef();
  auto elements = evaluate(leaf, store.getIndices(), arrays[memory]);
  int64_t first = chunk * warpSize, own = -1;
  int64_t end = std::min<int64_t>(first + warpSize, elements->size());
  for (int64_t t = first; t < end && own < 0; ++t)
    if ((*elements)[t] >= 0)
      own = (*elements)[t] / warpSize;
  if (own < 0)
    return;
  Value value = mapping.lookupOrDefault(store.getValue());
  Value number = constant(own);
  if (active) {
    Value old = memref::LoadOp::create(builder, loc, memory, number);
    value = arith::SelectOp::create(builder, loc, active, value, old);
  }
  memref::StoreOp::create(builder, loc, value, memory, number);
}

void LaneMapper::emitIf(scf::IfOp branch, Value active, IRMapping &mapping) {
  Value condition = mapping.lookupOrDefault(branch.getCondition());
  Value no = arith::XOrIOp::create(
      builder, loc, condition,
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true)));
  auto both = [&](Value predicate) -> Value {
    return active
               ? Value(arith::AndIOp::create(builder, loc, active, predicate))
               : predicate;
  };
  emitBlock(*branch.thenBlock(), both(condition), mapping);
  if (branch.elseBlock())
    emitBlock(*branch.elseBlock(), both(no), mapping);
  for (auto [k, result] : llvm::enumerate(branch.getResults())) {
    Value a = mapping.lookupOrDefault(branch.thenYield().getOperand(k));
    Value b = mapping.lookupOrDefault(branch.elseYield().getOperand(k));
    mapping.map(
        result,
        arith::SelectOp::create(builder, loc, condition, a, b).getResult());
  }
}

void LaneMapper::emitOp(Operation &op, Value active, IRMapping &mapping) {
  loc = op.getLoc();
  if (auto load = dyn_cast<memref::LoadOp>(op);
      load && contains(load.getMemRef()))
    return mapping.map(load.getResult(), emitLoad(load, mapping));
  if (auto store = dyn_cast<memref::StoreOp>(op);
      store && contains(store.getMemRef()))
    return emitStore(store, active, mapping);
  bool hasArrays = op.walk([&](Operation *inner) {
                       return contains(getMemory(inner))
                                  ? WalkResult::interrupt()
                                  : WalkResult::advance();
                     }).wasInterrupted();
  if (auto branch = dyn_cast<scf::IfOp>(op); branch && hasArrays)
    return emitIf(branch, active, mapping);
  if (!active || (isSpeculatable(&op) && isMemoryEffectFree(&op))) {
    builder.clone(op, mapping);
    return;
  }
  auto guarded = scf::IfOp::create(builder, loc, op.getResultTypes(), active,
                                   /*withElseRegion=*/op.getNumResults() != 0);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(guarded.thenBlock());
  Operation *clone = builder.clone(op, mapping);
  if (op.getNumResults() == 0)
    return;
  scf::YieldOp::create(builder, loc, clone->getResults());
  builder.setInsertionPointToStart(guarded.elseBlock());
  SmallVector<Value> zeros;
  for (Type type : op.getResultTypes())
    zeros.push_back(arith::ConstantOp::create(builder, loc, type,
                                              builder.getZeroAttr(type)));
  scf::YieldOp::create(builder, loc, zeros);
  mapping.map(op.getResults(), guarded.getResults());
}

void LaneMapper::emitBlock(Block &block, Value active, IRMapping &mapping) {
  for (Operation &op : block.without_terminator())
    emitOp(op, active, mapping);
}

void LaneMapper::mapLeaf(scf::ForallOp op, Value lane) {
  leaf = op;
  int64_t extent = *getConstantIntValue(leaf.getMixedUpperBound()[0]);
  for (chunk = 0; chunk * warpSize < extent; ++chunk) {
    loc = leaf.getLoc();
    IRMapping mapping;
    Value iteration = lane;
    if (chunk != 0)
      iteration =
          arith::AddIOp::create(builder, loc, lane, constant(chunk * warpSize));
    mapping.map(leaf.getInductionVar(0), iteration);
    Value active;
    if ((chunk + 1) * warpSize > extent)
      active = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                     iteration, constant(extent));
    emitBlock(*leaf.getBody(), active, mapping);
  }
}

void LaneMapper::mapUniformLoad(memref::LoadOp load) {
  loc = load.getLoc();
  builder.setInsertionPoint(load);
  IRMapping mapping;
  Value memory = load.getMemRef();
  Value index = linearize(memory, load.getIndices(), mapping);
  Table table;
  int64_t own = 0, element = 0;
  bool isKnown = true;
  for (auto [value, size] : llvm::zip(load.getIndices(), arrays[memory])) {
    std::optional<int64_t> number = getConstantIntValue(value);
    isKnown &= number.has_value();
    element = element * size + number.value_or(0);
  }
  if (isKnown) {
    own = element / warpSize;
    table.lanes.assign(warpSize, element % warpSize);
  } else {
    for (int lane = 0; lane < warpSize; ++lane)
      table.lanes[lane] = (lane * 5 + 3) % warpSize;
  }
  Value value =
      shuffle(memref::LoadOp::create(builder, loc, memory, constant(own)),
              index, table);
  load.replaceAllUsesWith(value);
  load.erase();
}

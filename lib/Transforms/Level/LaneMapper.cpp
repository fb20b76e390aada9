//===- LaneMapper.cpp - Accesses to arrays of warps in registers ----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop of n iterations becomes several copies of its body, one for each of
// its steps. So the register of each access is a constant, or one of a few. A
// copy has no branches: conditions around shuffles become predicates, because
// all lanes must take part in a shuffle.
//
//===----------------------------------------------------------------------===//

#include "LaneMapper.h"
#include "Accesses.h"
#include "LeafIndices.h"
#include "Obsidian/Dialect/Obs/Analysis/LanePatterns.h"
#include "Obsidian/Dialect/Obs/IR/Regions.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::obs;

/// The registers and lanes that one copy of the body reads.
struct LaneMapper::Table {
  SmallVector<int64_t> registers;
  SmallVector<int> lanes = SmallVector<int>(warpSize, -1);
};

Value LaneMapper::constant(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

std::optional<ArrayRef<int64_t>> LaneMapper::getShape(Value memory) const {
  auto found = arrays.find(memory);
  if (found == arrays.end())
    return std::nullopt;
  return ArrayRef<int64_t>(found->second);
}

/// The iteration of each lane.
Value LaneMapper::buildIteration() {
  if (!step.ownedRegister)
    return step.iterations.front() == 0
               ? lane
               : arith::AddIOp::create(builder, loc, lane,
                                       constant(step.iterations.front()));
  BitLinearMap function = *step.fitIterations();
  // Bits that move by the same distance are moved together.
  std::map<int, int64_t> moved;
  Value sum = constant(function.getConstant());
  for (unsigned bit = 0; bit < function.getNumInputs(); ++bit) {
    uint64_t mask = function.getColumn(bit);
    if (mask == 0)
      continue;
    if (llvm::isPowerOf2_64(mask)) {
      moved[static_cast<int>(llvm::Log2_64(mask)) - static_cast<int>(bit)] |=
          int64_t(1) << bit;
      continue;
    }
    Value own = arith::AndIOp::create(
        builder, loc, arith::ShRUIOp::create(builder, loc, lane, constant(bit)),
        constant(1));
    sum = arith::XOrIOp::create(
        builder, loc, sum,
        arith::MulIOp::create(builder, loc, own, constant(mask)));
  }
  for (auto [distance, bits] : moved) {
    Value part = arith::AndIOp::create(builder, loc, lane, constant(bits));
    if (distance > 0)
      part = arith::ShLIOp::create(builder, loc, part, constant(distance));
    else if (distance < 0)
      part = arith::ShRUIOp::create(builder, loc, part, constant(-distance));
    sum = arith::XOrIOp::create(builder, loc, sum, part);
  }
  return sum;
}

/// True in the lanes whose number has this bit.
Value LaneMapper::hasBit(unsigned bit) {
  Value own =
      arith::AndIOp::create(builder, loc, lane, constant(int64_t(1) << bit));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, own,
                               constant(0));
}

/// For each owner, stores the values of the body that it keeps.
void LaneMapper::keepOwned() {
  unsigned bit = *step.findDecidingBit();
  for (auto &[memory, values] : written) {
    Value value = values[step.writes[0]];
    if (bit < 5)
      value =
          arith::SelectOp::create(builder, loc, hasBit(bit),
                                  values[step.writes[size_t(1) << bit]], value);
    memref::StoreOp::create(builder, loc, value, memory,
                            constant(*step.ownedRegister));
  }
}

bool LaneMapper::uses(scf::ForallOp leaf) const {
  return containsOp(leaf, [&](Operation *op) {
    return arrays.contains(getIndexedMemory(op).first);
  });
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

/// `value` in other lanes. Lanes exchange words of 32 bits.
Value LaneMapper::shuffle(Value value, Value index, const Table &table) {
  Value kept = value;
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
  // The reads of both elements of an exchange are one shuffle.
  case LanePattern::Kind::Exchange:
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
    value = arith::IndexCastOp::create(builder, loc, type, value);
  else if (isa<FloatType>(type))
    value = arith::BitcastOp::create(builder, loc, type, value);
  if (pattern.kind != LanePattern::Kind::Exchange)
    return value;
  Value condition = hasBit(pattern.bit);
  return pattern.own
             ? arith::SelectOp::create(builder, loc, condition, kept, value)
             : arith::SelectOp::create(builder, loc, condition, value, kept);
}

Value LaneMapper::emitLoad(memref::LoadOp load, IRMapping &mapping) {
  Value memory = load.getMemRef();
  Value index = linearize(memory, load.getIndices(), mapping);
  Table table;
  if (auto elements =
          evaluateIndices(leaf, load.getIndices(), arrays[memory])) {
    llvm::SmallSetVector<int64_t, 4> registers;
    for (auto [lane, t] : llvm::enumerate(step.iterations)) {
      int64_t element = t < 0 ? -1 : (*elements)[t];
      if (element < 0)
        continue;
      registers.insert(element / warpSize);
      table.lanes[lane] = element % warpSize;
    }
    table.registers = registers.takeVector();
  } else {
    // One register of any lane.
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
  if (step.ownedRegister) {
    written[memory].push_back(mapping.lookupOrDefault(store.getValue()));
    return;
  }
  auto elements = evaluateIndices(leaf, store.getIndices(), arrays[memory]);
  int64_t own = -1;
  for (int64_t t : step.iterations)
    if (t >= 0 && (*elements)[t] >= 0)
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
  bool hasArrays = containsOp(op, [&](Operation *inner) {
    return contains(getIndexedMemory(inner).first);
  });
  if (auto branch = dyn_cast<scf::IfOp>(op); branch && hasArrays)
    return emitIf(branch, active, mapping);
  if (!active || canSpeculate(&op)) {
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

void LaneMapper::mapLeaf(scf::ForallOp op, Value number) {
  leaf = op;
  lane = number;
  auto steps =
      findLaneSteps(leaf, [&](Value memory) { return getShape(memory); });
  int64_t extent = *getIterations(leaf);
  for (const LaneStep &next : *steps) {
    step = next;
    written.clear();
    loc = leaf.getLoc();
    IRMapping mapping;
    Value iteration = buildIteration();
    mapping.map(leaf.getInductionVar(0), iteration);
    Value active;
    if (llvm::is_contained(step.iterations, -1))
      active = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                     iteration, constant(extent));
    emitBlock(*leaf.getBody(), active, mapping);
    if (step.ownedRegister)
      keepOwned();
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

//===- HostExtents.cpp - Extents of arrays of host code -------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostExtents.h"
#include "HostMemory.h"
#include "Obsidian/Dialect/Obs/IR/IndexBuilder.h"
#include "Obsidian/Dialect/Obs/IR/Limits.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"

using namespace mlir;
using namespace mlir::obs;

/// The number that is extent `dim` of `memory`, if the operation that makes it
/// has this number as an operand.
static Value getSize(Value memory, unsigned dim) {
  unsigned number = cast<MemRefType>(memory.getType()).getDynamicDimIndex(dim);
  if (auto alloc = memory.getDefiningOp<gpu::AllocOp>())
    return alloc.getDynamicSizes()[number];
  if (auto part = memory.getDefiningOp<PartOp>())
    return part.getExtents()[number];
  auto part = memory.getDefiningOp<memref::ReinterpretCastOp>();
  return part ? dyn_cast<Value>(part.getMixedSizes()[dim]) : Value();
}

bool Extents::Extent::operator==(const Extent &other) const {
  if (value == other.value)
    return number == other.number && isDim == other.isDim;
  return !isDim && !other.isDim && value && other.value &&
         areEqualNumbers(value, other.value);
}

Extents::Extent Extents::resolve(Value number) {
  if (auto dim = number.getDefiningOp<memref::DimOp>())
    if (std::optional<unsigned> d = getKnownDimension(dim))
      return get(dim.getSource(), *d);
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return {Value(), *constant, false};
  // Sizes are not negative.
  if (auto size = number.getDefiningOp<arith::MaxSIOp>())
    if (getConstantIntValue(size.getRhs()) == 0)
      return resolve(size.getLhs());
  return {number, 0, false};
}

Extents::Extent Extents::get(Value memory, unsigned dim) {
  auto type = cast<MemRefType>(memory.getType());
  if (!type.isDynamicDim(dim))
    return {Value(), type.getDimSize(dim), false};
  if (Value size = getSize(memory, dim))
    return resolve(size);
  if (auto cast = memory.getDefiningOp<memref::CastOp>())
    return get(cast.getSource(), dim);
  if (isKept(memory))
    return get(getCarried(memory).front(), dim);
  if (SmallVector<Value> passed = getPassed(memory);
      passed.size() == 2 && !isa<LoopLikeOpInterface>(getMaker(memory))) {
    Extent first = get(passed[0], dim);
    if (first == get(passed[1], dim))
      return first;
  }
  return {memory, dim, true};
}

bool Extents::areEqual(Value a, Value b) {
  auto type = cast<MemRefType>(a.getType());
  return type == b.getType() &&
         llvm::all_of(llvm::seq<unsigned>(0, type.getRank()),
                      [&](unsigned d) { return get(a, d) == get(b, d); });
}

bool Extents::isKept(Value value) {
  SmallVector<Value> carried = getCarried(value);
  if (carried.empty() || !isa<MemRefType>(value.getType()))
    return false;
  // By induction over the iterations: the claim is assumed during its proof.
  if (!kept.insert(value).second)
    return true;
  llvm::SmallDenseSet<Value> before = kept;
  if (areEqual(carried[0], carried[1]))
    return true;
  kept = std::move(before);
  kept.erase(value);
  return false;
}

//===----------------------------------------------------------------------===//
// Maxima
//===----------------------------------------------------------------------===//

/// The loop that counts `value`; null if none does.
static scf::ForOp getCounting(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  return loop && argument == loop.getInductionVar() ? loop : scf::ForOp();
}

/// The maximum of `value`, if it is proved not to be negative; else empty.
static std::optional<int64_t> getMostNatural(Value value) {
  using Most = std::optional<int64_t>;
  constexpr int64_t any = std::numeric_limits<int64_t>::max();
  if (Most constant = getConstantIntValue(value))
    return *constant >= 0 ? constant : std::nullopt;
  if (scf::ForOp loop = getCounting(value)) {
    Most from = getMostNatural(loop.getLowerBound());
    Most step = getMostNatural(loop.getStep());
    if (loop.getUnsignedCmp() || !from)
      return std::nullopt;
    // It is below its bound, and no loop has run for more than 2^48 iterations.
    int64_t most = getMostNatural(loop.getUpperBound()).value_or(any) - 1,
            passed;
    if (step && !llvm::MulOverflow(*step, maxElements, passed) &&
        !llvm::AddOverflow(*from, passed, passed))
      most = std::min(most, passed);
    return most;
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (isa<memref::DimOp, DimOp>(op))
    return maxElements;
  auto known = dyn_cast<InferIntRangeInterface>(op);
  if (!known)
    return std::nullopt;
  // Upstream's range of a shift by any number, and of a quotient whose divisor
  // may be 0, contains negative numbers. Such operations have no result.
  if (isa<arith::ShRUIOp>(op))
    return getMostNatural(op->getOperand(0));
  bool isQuotient = isa<arith::DivSIOp, arith::CeilDivSIOp>(op);
  SmallVector<ConstantIntRanges> parts;
  for (OpOperand &part : op->getOpOperands()) {
    unsigned bits = ConstantIntRanges::getStorageBitwidth(part.get().getType());
    // Numbers are of 64 bits, apart from the condition of a choice.
    if (bits != 64 && !isa<SelectLikeOpInterface>(op))
      return std::nullopt;
    int64_t least = isQuotient && part.getOperandNumber() == 1 ? 1 : 0;
    Most most = bits == 64 ? getMostNatural(part.get()) : Most();
    parts.push_back(
        most ? ConstantIntRanges::fromSigned(
                   APInt(bits, least), APInt(bits, std::max(least, *most)))
             : ConstantIntRanges::maxRange(bits));
  }
  Most most;
  known.inferResultRanges(parts,
                          [&](Value result, const ConstantIntRanges &range) {
                            if (result == value && range.smin().isNonNegative())
                              most = range.smax().getSExtValue();
                          });
  return most;
}

bool obs::isNotNegative(Value value) {
  return getMostNatural(value).has_value();
}

/// The sum without the constant that rounds `sum / divisor` up; null if there
/// is none.
static Value getRoundedUp(Value sum, uint64_t divisor) {
  auto add = sum.getDefiningOp<arith::AddIOp>();
  if (!add)
    return {};
  std::optional<int64_t> constant = getConstantIntValue(add.getRhs());
  return constant && *constant >= 0 && uint64_t(*constant) < divisor
             ? add.getLhs()
             : Value();
}

/// A number that is not smaller than `number`, if `number` is a quotient or
/// negative; else null. For unsigned operations, a negative dividend is larger
/// than the greatest extent.
static Value getDividend(Value number) {
  Operation *op = number.getDefiningOp();
  if (!op)
    return {};
  bool isSigned = isa<arith::DivSIOp, arith::CeilDivSIOp>(op);
  bool isShift = isa<arith::ShRUIOp>(op);
  if (!isSigned && !isShift && !isa<arith::DivUIOp, arith::CeilDivUIOp>(op))
    return {};
  std::optional<int64_t> divisor = getConstantIntValue(op->getOperand(1));
  if (isSigned ? !divisor || *divisor <= 0 : !isNotNegative(op->getOperand(0)))
    return {};
  if (divisor && isShift)
    divisor = *divisor >= 0 && *divisor < 63
                  ? std::optional(int64_t(1) << *divisor)
                  : std::nullopt;
  bool roundsUp = isa<arith::CeilDivUIOp, arith::CeilDivSIOp>(op);
  if (divisor && *divisor > 0 && !roundsUp)
    if (Value rounded = getRoundedUp(op->getOperand(0), *divisor))
      return rounded;
  return op->getOperand(0);
}

/// The operands that a minimum or a similar operation cannot exceed. In
/// unsigned operations, a negative number is larger than others.
static SmallVector<Value> getBounds(Operation *op) {
  return llvm::filter_to_vector(op->getOperands(), [&](Value operand) {
    return isa<arith::MinSIOp>(op) || isNotNegative(operand);
  });
}

/// True if numbers that are known before the loop bound `number` tightly: it
/// grows with the counters of loops.
bool Maximum::canEvaluate(Value number) const {
  if (isOutside(number))
    return true;
  if (scf::ForOp count = getCounting(number))
    return !count.getUnsignedCmp() && number.getType().isIndex() &&
           canEvaluate(count.getUpperBound());
  Operation *op = number.getDefiningOp();
  if (!op)
    return false;
  auto both = [&](auto part) { return llvm::all_of(op->getOperands(), part); };
  auto evaluates = [&](Value part) { return canEvaluate(part); };
  if (isa<arith::AddIOp, arith::MaxSIOp>(op))
    return both(evaluates);
  if (isa<arith::MinSIOp, arith::MinUIOp>(op))
    return llvm::any_of(getBounds(op), evaluates);
  if (isa<arith::SubIOp>(op))
    return canEvaluate(op->getOperand(0)) &&
           (isOutside(op->getOperand(1)) || isNotNegative(op->getOperand(1)));
  if (isa<arith::MulIOp>(op))
    return both(evaluates) && both(isNotNegative);
  if (isa<arith::DivUIOp, arith::CeilDivUIOp, arith::ShRUIOp>(op))
    return canEvaluate(op->getOperand(0)) && isOutside(op->getOperand(1)) &&
           isNotNegative(op->getOperand(0));
  return isa<arith::SelectOp>(op) &&
         llvm::all_of(op->getOperands().drop_front(), evaluates);
}

Value Maximum::evaluate(OpBuilder &builder, Value number) const {
  if (isOutside(number))
    return number;
  Location loc = number.getLoc();
  IndexBuilder index{builder, loc};
  if (scf::ForOp count = getCounting(number))
    return index.sub(evaluate(builder, count.getUpperBound()),
                     index.constant(1));
  Operation *op = number.getDefiningOp();
  auto part = [&](unsigned i) { return evaluate(builder, op->getOperand(i)); };
  if (isa<arith::SelectOp>(op))
    return builder.createOrFold<arith::MaxSIOp>(loc, part(1), part(2));
  Value rhs = op->getOperand(1);
  if (isa<arith::MinSIOp, arith::MinUIOp>(op)) {
    Value least;
    for (Value bound : getBounds(op)) {
      if (!canEvaluate(bound))
        continue;
      least = index.join<arith::MinSIOp>(least, evaluate(builder, bound));
    }
    return least;
  }
  if (isa<arith::SubIOp>(op) && !isOutside(rhs))
    return part(0);
  // The last number of a counter is its end less one, and often one is added to
  // it.
  if (isa<arith::AddIOp>(op))
    return index.add(part(0), part(1));
  IRMapping mapping;
  mapping.map(op->getOperand(0), part(0));
  mapping.map(rhs, part(1));
  // A loop without iterations computes no quotient. There, a divisor may be 0,
  // and the last number of a counter may be negative.
  if (isa<arith::DivUIOp, arith::CeilDivUIOp, arith::ShRUIOp>(op)) {
    mapping.map(op->getOperand(0),
                index.natural(mapping.lookup(op->getOperand(0))));
    Value by = mapping.lookup(rhs);
    mapping.map(rhs, isa<arith::ShRUIOp>(op)
                         ? index.join<arith::MinUIOp>(by, index.constant(63))
                         : index.divisor(by));
  }
  return builder.clone(*op, mapping)->getResult(0);
}

void Maximum::addLeaf(Leaf leaf) {
  if (llvm::none_of(leaves, [&](const Leaf &other) {
        return leaf.dim == other.dim &&
               (leaf.value == other.value ||
                (!leaf.dim && areEqualNumbers(leaf.value, other.value)));
      }))
    leaves.push_back(leaf);
}

bool Maximum::addAll(ValueRange numbers) {
  return llvm::all_of(numbers, [&](Value number) { return add(number); });
}

/// It is sufficient to bound one of `numbers`.
bool Maximum::addAny(ValueRange numbers) {
  for (Value number : numbers) {
    Maximum before = *this;
    if (add(number))
      return true;
    *this = std::move(before);
  }
  return false;
}

bool Maximum::add(Value number) {
  if (auto dim = number.getDefiningOp<memref::DimOp>())
    if (std::optional<unsigned> d = getKnownDimension(dim))
      return addExtent(dim.getSource(), *d);
  if (std::optional<int64_t> constant = getConstantIntValue(number)) {
    constants.push_back(*constant);
    return true;
  }
  if (canEvaluate(number)) {
    addLeaf({number, std::nullopt});
    return true;
  }
  // By induction over the iterations: a number that occurs again is not larger
  // than before.
  if (!seen.insert({number, -1}).second)
    return true;
  if (isa<BlockArgument>(number)) {
    SmallVector<Value> carried = getCarried(number);
    return !carried.empty() && addAll(carried);
  }
  Operation *op = number.getDefiningOp();
  if (isa<scf::IfOp, arith::SelectOp>(op))
    return addAll(getPassed(number));
  if (Value dividend = getDividend(number))
    return add(dividend);
  if (isa<arith::SubIOp>(op))
    return isNotNegative(op->getOperand(1)) && add(op->getOperand(0));
  if (isa<arith::MinSIOp, arith::MinUIOp, arith::RemUIOp, arith::AndIOp>(op))
    return addAny(getBounds(op));
  return isa<arith::MaxSIOp, arith::MaxUIOp>(op) && addAll(op->getOperands());
}

bool Maximum::addExtent(Value memory, unsigned dim) {
  auto type = cast<MemRefType>(memory.getType());
  if (!type.isDynamicDim(dim)) {
    constants.push_back(type.getDimSize(dim));
    return true;
  }
  if (auto alloc = memory.getDefiningOp<gpu::AllocOp>())
    return add(alloc.getDynamicSizes()[type.getDynamicDimIndex(dim)]);
  if (isOutside(memory)) {
    addLeaf({memory, dim});
    return true;
  }
  if (!seen.insert({memory, dim}).second)
    return true;
  if (Value size = getSize(memory, dim))
    return add(size);
  SmallVector<Value> sources = isa<BlockArgument>(memory) ? getCarried(memory)
                               : memory.getDefiningOp<memref::CastOp>()
                                   ? getMemorySources(memory)
                                   : getPassed(memory);
  return !sources.empty() && llvm::all_of(sources, [&](Value source) {
    return isa<MemRefType>(source.getType()) && addExtent(source, dim);
  });
}

/// True if `size` is correct when the loop has no iterations: differences, for
/// example, may then be negative.
static bool isAlwaysSize(Value size) {
  Operation *op = size.getDefiningOp();
  if (!op || !isMemoryEffectFree(op) || op->getNumRegions() != 0 ||
      isa<memref::DimOp>(op))
    return true;
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return *constant >= 0;
  if (isa<arith::MaxSIOp>(op))
    return llvm::any_of(op->getOperands(), isAlwaysSize);
  return isa<arith::AddIOp, arith::MulIOp, arith::DivUIOp, arith::CeilDivUIOp,
             arith::RemUIOp, arith::ShRUIOp, arith::MinUIOp, arith::MinSIOp,
             arith::IndexCastOp, arith::IndexCastUIOp>(op) &&
         llvm::all_of(op->getOperands(), isAlwaysSize);
}

bool Maximum::isExactly(Value number) const {
  if (leaves.size() != 1 || !constants.empty())
    return false;
  const Leaf &leaf = leaves.front();
  if (!leaf.dim)
    return isOutside(leaf.value) && isAlwaysSize(leaf.value) &&
           areEqualNumbers(leaf.value, number);
  auto dim = number.getDefiningOp<memref::DimOp>();
  return dim && dim.getSource() == leaf.value &&
         getKnownDimension(dim) == *leaf.dim;
}

Value Maximum::buildLeaf(OpBuilder &builder, Location loc, Leaf leaf) const {
  if (leaf.dim)
    return memref::DimOp::create(builder, loc, leaf.value, *leaf.dim);
  return evaluate(builder, leaf.value);
}

Value Maximum::build(OpBuilder &builder, Location loc) const {
  IndexBuilder index{builder, loc};
  Value result;
  auto add = [&](Value number) {
    result = index.join<arith::MaxSIOp>(result, number);
  };
  for (const Leaf &leaf : leaves)
    add(buildLeaf(builder, loc, leaf));
  if (!constants.empty())
    add(index.constant(*llvm::max_element(constants)));
  if (!isAlwaysSize(result))
    add(index.constant(0));
  return result;
}

bool obs::isExact(gpu::AllocOp alloc, ArrayRef<Maximum> maxima) {
  return llvm::all_of(llvm::zip_equal(maxima, alloc.getDynamicSizes()),
                      [](const auto &pair) {
                        auto &[maximum, size] = pair;
                        return maximum.isExactly(size);
                      });
}

SmallVector<Value> obs::buildMaxima(OpBuilder &builder, Location loc,
                                    ArrayRef<Maximum> maxima) {
  return llvm::map_to_vector(maxima, [&](const Maximum &maximum) {
    return maximum.build(builder, loc);
  });
}

Value obs::buildArray(OpBuilder &builder, gpu::AllocOp alloc, Value memory,
                      ArrayRef<Value> maxima, bool isExact) {
  if (isExact)
    return memory;
  Location loc = alloc.getLoc();
  // A negative extent is larger than any other as an unsigned number.
  // Operations without effects may be moved before the assertion, and out of
  // loops.
  SmallVector<Value> sizes;
  for (auto [size, maximum] :
       llvm::zip_equal(alloc.getDynamicSizes(), maxima)) {
    Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule,
                                       size, maximum);
    cf::AssertOp::create(builder, loc, fits,
                         "[R4-extents] an extent is negative");
    sizes.push_back(
        isNotNegative(size) ? size : IndexBuilder{builder, loc}.natural(size));
  }
  return buildFirstPart(builder, loc, memory, alloc.getType(), sizes);
}

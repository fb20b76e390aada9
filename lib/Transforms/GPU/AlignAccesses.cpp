//===- AlignAccesses.cpp - Alignment of loads and stores ------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM joins accesses of neighbours if it knows the alignment of the first one.
// Its analysis of bits stops after a few operations, and does not use tests of
// extents. This analysis finds the low bits of addresses.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSALIGNACCESSESPASS
#include "Obsidian/Transforms/GPU/Passes.h"

#include "KernelRanges.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/Limits.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mlir::obs;

/// The number of low bits that the analysis looks at.
static constexpr unsigned maxBits = 7;

namespace {
/// The low `bits` bits of a number are those of `value`.
struct Low {
  unsigned bits = 0;
  uint64_t value = 0;

  static Low get(uint64_t bits, uint64_t value) {
    bits = std::min<uint64_t>(bits, maxBits);
    return {static_cast<unsigned>(bits),
            value & llvm::maskTrailingOnes<uint64_t>(bits)};
  }
  static Low constant(uint64_t value) { return get(maxBits, value); }
  /// The number of low bits that are zero.
  unsigned countZeros() const {
    return std::min(bits, unsigned(llvm::countr_zero(value)));
  }
  Low operator+(const Low &other) const {
    return get(std::min(bits, other.bits), value + other.value);
  }
  Low operator-(const Low &other) const {
    return get(std::min(bits, other.bits), value - other.value);
  }
  Low operator*(const Low &other) const {
    unsigned common = bits + other.bits;
    common = std::min(common, bits + unsigned(llvm::countr_zero(other.value)));
    common = std::min(common, other.bits + unsigned(llvm::countr_zero(value)));
    return get(common, value * other.value);
  }
  /// The low bits that two numbers have in common.
  Low join(const Low &other) const {
    unsigned equal = llvm::countr_zero(value ^ other.value);
    return get(std::min({bits, other.bits, equal}), value);
  }
};

/// The low bits of index values, at one place.
class LowBits {
public:
  explicit LowBits(Block *place);

  Low get(Value value);
  Low get(OpFoldResult value) {
    if (auto known = dyn_cast<Value>(value))
      return get(known);
    return Low::constant(cast<IntegerAttr>(cast<Attribute>(value)).getInt());
  }

private:
  void assume(Value condition);
  Low compute(Value value);
  Low getCarried(Value value, Value init, Value next);

  llvm::DenseMap<Value, Low> known;
  /// The values that loops around the place carry, of which the search is not
  /// at its end.
  llvm::DenseMap<Value, Low> assumed;
};
} // namespace

LowBits::LowBits(Block *place) {
  for (Operation *op = place->getParentOp(); op; op = op->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(op);
    if (branch && branch.getThenRegion().isAncestor(place->getParent()))
      assume(branch.getCondition());
  }
}

/// Adds what is known if `condition` is true: remainders of zero.
void LowBits::assume(Value condition) {
  Operation *op = condition.getDefiningOp();
  if (auto both = dyn_cast_or_null<arith::AndIOp>(op)) {
    assume(both.getLhs());
    assume(both.getRhs());
  }
  auto equal = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!equal || equal.getPredicate() != arith::CmpIPredicate::eq ||
      !isConstantIntValue(equal.getRhs(), 0))
    return;
  auto rest = equal.getLhs().getDefiningOp<arith::RemUIOp>();
  std::optional<int64_t> divisor =
      rest ? getConstantIntValue(rest.getRhs()) : std::nullopt;
  if (!divisor)
    return;
  Low multiple = Low::get(Low::constant(*divisor).countZeros(), 0);
  Low &low = known[resolveExtent(rest.getLhs())];
  if (multiple.bits > low.bits)
    low = multiple;
}

Low LowBits::get(Value value) {
  value = resolveExtent(value);
  if (auto found = known.find(value); found != known.end())
    return found->second;
  if (auto found = assumed.find(value); found != assumed.end())
    return found->second;
  Low low = value.getType().isIndex() ? compute(value) : Low();
  known[value] = low;
  return low;
}

/// The bits of `value`, which is `init` in the first iteration of a loop and
/// `next` in others.
Low LowBits::getCarried(Value value, Value init, Value next) {
  Low low = get(init);
  llvm::DenseMap<Value, Low> before = known;
  while (true) {
    assumed[value] = low;
    Low joined = low.join(get(next));
    assumed.erase(value);
    if (joined.bits == low.bits)
      return low;
    // Results that were computed from the assumption are wrong.
    known = before;
    low = joined;
  }
}

Low LowBits::compute(Value value) {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return Low::constant(*number);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop)
      return {};
    if (value == loop.getInductionVar()) {
      Low first = get(loop.getLowerBound());
      return first.join(first + get(loop.getStep()));
    }
    return getCarried(value, loop.getTiedLoopInit(argument)->get(),
                      loop.getTiedLoopYieldedValue(argument)->get());
  }
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  auto operand = [&](unsigned number) { return get(op->getOperand(number)); };
  if (isa<arith::AddIOp>(op))
    return operand(0) + operand(1);
  if (isa<arith::SubIOp>(op))
    return operand(0) - operand(1);
  if (isa<arith::MulIOp>(op))
    return operand(0) * operand(1);
  if (isa<arith::MinSIOp, arith::MinUIOp, arith::MaxSIOp, arith::MaxUIOp>(op))
    return operand(0).join(operand(1));
  if (isa<arith::SelectOp>(op))
    return operand(1).join(operand(2));
  if (isa<arith::RemUIOp, arith::RemSIOp>(op))
    return Low::get(std::min(operand(0).bits, operand(1).countZeros()),
                    operand(0).value);
  if (isa<arith::OrIOp, arith::XOrIOp, arith::AndIOp>(op)) {
    Low a = operand(0), b = operand(1);
    unsigned bits = std::min(a.bits, b.bits);
    if (isa<arith::OrIOp>(op))
      return Low::get(bits, a.value | b.value);
    if (isa<arith::XOrIOp>(op))
      return Low::get(bits, a.value ^ b.value);
    unsigned zeros = std::max(a.countZeros(), b.countZeros());
    return zeros > bits ? Low::get(zeros, 0)
                        : Low::get(bits, a.value & b.value);
  }
  std::optional<int64_t> second = isa<arith::ShLIOp, arith::DivUIOp>(op)
                                      ? getConstantIntValue(op->getOperand(1))
                                      : std::nullopt;
  if (second && isa<arith::ShLIOp>(op) && *second >= 0 && *second < 64)
    return operand(0) * Low::constant(uint64_t(1) << *second);
  if (second && llvm::isPowerOf2_64(*second) && *second <= 1 << maxBits) {
    unsigned shift = llvm::countr_zero(static_cast<uint64_t>(*second));
    Low low = operand(0);
    return Low::get(low.bits - std::min(low.bits, shift), low.value >> shift);
  }
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return get(branch.thenYield().getOperand(number))
        .join(get(branch.elseYield().getOperand(number)));
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return get(loop.getRegionIterArg(number));
  return {};
}

/// The number of bytes of which the address of element `indices` of `memory` is
/// a multiple, at most `widestAccess`.
static uint64_t getAlignment(Value memory, ValueRange indices, LowBits &bits) {
  auto type = cast<MemRefType>(memory.getType());
  uint64_t alignment = 1;
  SmallVector<OpFoldResult> strides;
  if (auto view = memory.getDefiningOp<memref::ReinterpretCastOp>()) {
    auto parameter = dyn_cast<BlockArgument>(view.getSource());
    auto kernel =
        parameter
            ? dyn_cast<gpu::GPUFuncOp>(parameter.getOwner()->getParentOp())
            : nullptr;
    auto stated = kernel ? kernel.getArgAttrOfType<IntegerAttr>(
                               parameter.getArgNumber(),
                               LLVM::LLVMDialect::getAlignAttrName())
                         : nullptr;
    if (!stated || !isConstantIntValue(view.getMixedOffsets().front(), 0))
      return 1;
    alignment = stated.getInt();
    strides = view.getMixedStrides();
  } else if (auto view = memory.getDefiningOp<memref::ViewOp>()) {
    if (!view.getSource().getDefiningOp<gpu::DynamicSharedMemoryOp>() ||
        !type.hasStaticShape())
      return 1;
    alignment = uint64_t(1) << bits.get(view.getByteShift()).countZeros();
    for (int64_t stride : type.getStridesAndOffset().first)
      strides.push_back(
          IntegerAttr::get(IndexType::get(type.getContext()), stride));
  }
  if (!type.getElementType().isIntOrFloat())
    return 1;
  Low element = Low::constant(0);
  for (auto [index, stride] : llvm::zip(indices, strides))
    element = element + bits.get(index) * bits.get(stride);
  uint64_t distance = getElementBytes(type.getElementType())
                      << element.countZeros();
  return std::min<uint64_t>({alignment, distance & -distance, widestAccess});
}

namespace {
struct AlignAccesses : obs::impl::ObsAlignAccessesPassBase<AlignAccesses> {
  void runOnOperation() override {
    getOperation().walk([](gpu::GPUFuncOp kernel) {
      kernel.walk([](Block *block) {
        std::optional<LowBits> bits;
        auto align = [&](auto access) {
          if (!bits)
            bits.emplace(block);
          uint64_t bytes =
              getAlignment(access.getMemRef(), access.getIndices(), *bits);
          auto type = access.getMemRefType().getElementType();
          if (bytes > access.getAlignment().value_or(1) &&
              bytes > uint64_t(getElementBytes(type)))
            access.setAlignment(bytes);
        };
        for (Operation &op : *block) {
          if (auto load = dyn_cast<memref::LoadOp>(op))
            align(load);
          else if (auto store = dyn_cast<memref::StoreOp>(op))
            align(store);
        }
      });
    });
  }
};
} // namespace

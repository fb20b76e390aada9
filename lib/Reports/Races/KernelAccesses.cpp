//===- KernelAccesses.cpp - Memory accesses of a lowered kernel -----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelAccesses.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::races;

/// The first of the parameters of a kernel that `parameter` may be one array
/// with, or itself.
static Value getRepresentative(Value parameter) {
  constexpr StringLiteral mark = "obs.may_alias";
  auto argument = dyn_cast<BlockArgument>(parameter);
  auto kernel =
      argument ? dyn_cast<gpu::GPUFuncOp>(argument.getOwner()->getParentOp())
               : gpu::GPUFuncOp();
  if (!kernel || !kernel.getArgAttr(argument.getArgNumber(), mark))
    return parameter;
  for (BlockArgument other : kernel.getArguments())
    if (other.getType() == argument.getType() &&
        kernel.getArgAttr(other.getArgNumber(), mark))
      return other;
  return parameter;
}

/// What a view, cast or part of memory is taken from.
static Value getRoot(Value memory) {
  while (Operation *op = memory.getDefiningOp()) {
    if (isa<memref::ReinterpretCastOp, memref::ViewOp, memref::SubViewOp,
            memref::CastOp>(op))
      memory = op->getOperand(0);
    else
      break;
  }
  return memory;
}

static int64_t getBytes(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * getBytes(vector.getElementType());
  if (type.isIndex())
    return 8;
  return (type.getIntOrFloatBitWidth() + 7) / 8;
}

std::optional<MemoryAccess> races::getMemoryAccess(Operation *op) {
  MemoryAccess access;
  access.op = op;
  auto set = [&](Effect effect, Value array, ValueRange indices, Type type) {
    access.effect = effect;
    access.array = array;
    access.indices.assign(indices.begin(), indices.end());
    access.bytes = getBytes(type);
    return true;
  };
  bool found =
      llvm::TypeSwitch<Operation *, bool>(op)
          .Case([&](memref::LoadOp load) {
            return set(Effect::Read, load.getMemRef(), load.getIndices(),
                       load.getType());
          })
          .Case([&](memref::StoreOp store) {
            return set(Effect::Write, store.getMemRef(), store.getIndices(),
                       store.getValue().getType());
          })
          .Case([&](vector::LoadOp load) {
            return set(Effect::Read, load.getBase(), load.getIndices(),
                       load.getType());
          })
          .Case([&](vector::StoreOp store) {
            return set(Effect::Write, store.getBase(), store.getIndices(),
                       store.getValueToStore().getType());
          })
          .Case([&](memref::AtomicRMWOp atomic) {
            return set(Effect::Atomic, atomic.getMemref(), atomic.getIndices(),
                       atomic.getType());
          })
          .Case([&](memref::GenericAtomicRMWOp atomic) {
            return set(Effect::Atomic, atomic.getMemref(), atomic.getIndices(),
                       atomic.getType());
          })
          .Default(false);
  if (!found)
    return std::nullopt;
  access.root = getRepresentative(getRoot(access.array));
  // What a thread has for itself.
  if (access.root.getDefiningOp<memref::AllocaOp>())
    return std::nullopt;
  access.isShared =
      access.root.getDefiningOp<gpu::DynamicSharedMemoryOp>() != nullptr;
  if (auto contract = op->getAttrOfType<StringAttr>("obs.contract"))
    access.contract = contract.getValue();
  return access;
}

bool races::isBarrier(Operation *op, Between between) {
  switch (between) {
  case Between::Blocks:
    return false;
  case Between::Warps:
    return isa<gpu::BarrierOp>(op);
  case Between::Lanes:
    if (auto sync = dyn_cast<NVVM::SyncWarpOp>(op)) {
      APInt mask;
      // All lanes that run: a block of 4 threads has 4 of them.
      auto size = op->getParentOfType<gpu::GPUFuncOp>().getKnownBlockSizeAttr();
      int64_t lanes = size ? std::min<int64_t>(size[0], warpSize) : warpSize;
      return matchPattern(sync.getMask(), m_ConstantInt(&mask)) &&
             mask.countr_one() >= lanes;
    }
    return isa<gpu::BarrierOp>(op);
  }
  llvm_unreachable("all pairs are listed");
}

bool races::containsBarrier(Operation *op, Between between) {
  return op
      ->walk([&](Operation *inner) {
        return isBarrier(inner, between) ? WalkResult::interrupt()
                                         : WalkResult::advance();
      })
      .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Uniformity
//===----------------------------------------------------------------------===//

bool Uniformity::isUniform(Value value, Between between) {
  auto &memory = known[static_cast<unsigned>(between)];
  auto [it, isNew] = memory.try_emplace(value, true);
  if (!isNew)
    return it->second;
  // A value carried by a loop is uniform if that follows from itself.
  bool result = compute(value, between);
  memory[value] = result;
  return result;
}

bool Uniformity::compute(Value value, Between between) {
  auto all = [&](ValueRange values) {
    return llvm::all_of(values, [&](Value v) { return isUniform(v, between); });
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (isa<gpu::GPUFuncOp>(parent))
      return true;
    if (auto loop = dyn_cast<scf::ForOp>(parent)) {
      if (!all({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}))
        return false;
      if (argument == loop.getInductionVar())
        return true;
      return isUniform(loop.getTiedLoopInit(argument)->get(), between) &&
             isUniform(loop.getTiedLoopYieldedValue(argument)->get(), between);
    }
    if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
      unsigned number = argument.getArgNumber();
      bool follows = isUniform(loop.getConditionOp().getCondition(), between);
      if (argument.getOwner() == loop.getAfterBody())
        return follows &&
               isUniform(loop.getConditionOp().getArgs()[number], between);
      return isUniform(loop.getInits()[number], between) &&
             isUniform(loop.getYieldOp().getOperand(number), between) &&
             follows;
    }
    return false;
  }
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (isa<gpu::ThreadIdOp, gpu::LaneIdOp>(op))
    return false;
  if (isa<gpu::BlockIdOp>(op))
    return between != Between::Blocks;
  if (between == Between::Lanes && isa<arith::DivUIOp>(op) &&
      op->getOperand(0).getDefiningOp<gpu::ThreadIdOp>()) {
    APInt divisor;
    if (matchPattern(op->getOperand(1), m_ConstantInt(&divisor)))
      return divisor.getZExtValue() % warpSize == 0;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return isUniform(branch.getCondition(), between) &&
           isUniform(branch.thenYield().getOperand(number), between) &&
           isUniform(branch.elseYield().getOperand(number), between);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return all({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()}) &&
           isUniform(loop.getInitArgs()[number], between) &&
           isUniform(loop.getYieldedValues()[number], between);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return isUniform(loop.getConditionOp().getCondition(), between) &&
           isUniform(loop.getConditionOp().getArgs()[number], between);
  if (op->getNumRegions() != 0)
    return false;
  // Without a race, all threads that read an element find the same in it.
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return getMemoryAccess(op) && all(load.getIndices()) &&
           isUniform(load.getMemRef(), between);
  return isMemoryEffectFree(op) && all(op->getOperands());
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

/// True for a value that is always 0 or 1: a constant, 1 - x of another one, or
/// carried by a loop that starts with one and makes one of it. The range
/// analysis gives up on what loops carry.
static bool isBit(Value value, llvm::SmallDenseSet<Value> &assumed) {
  if (!value.getType().isIndex() || !assumed.insert(value).second)
    return value.getType().isIndex();
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.ule(1);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument != loop.getInductionVar() &&
           isBit(loop.getTiedLoopInit(argument)->get(), assumed) &&
           isBit(loop.getTiedLoopYieldedValue(argument)->get(), assumed);
  }
  Operation *op = value.getDefiningOp();
  unsigned i = cast<OpResult>(value).getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return isBit(loop.getInitArgs()[i], assumed) &&
           isBit(loop.getYieldedValues()[i], assumed);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return isBit(branch.thenYield().getOperand(i), assumed) &&
           isBit(branch.elseYield().getOperand(i), assumed);
  if (auto difference = dyn_cast<arith::SubIOp>(op))
    return matchPattern(difference.getLhs(), m_One()) &&
           isBit(difference.getRhs(), assumed);
  return false;
}

struct Ranges::State {
  DataFlowSolver solver;
  llvm::DenseSet<Value> extents;
};

Ranges::Ranges(gpu::GPUFuncOp kernel) : state(std::make_unique<State>()) {
  dataflow::loadBaselineAnalyses(state->solver);
  state->solver.load<dataflow::IntegerRangeAnalysis>();
  // A failure leaves values without bounds.
  (void)state->solver.initializeAndRun(kernel);
  kernel.walk([&](memref::ReinterpretCastOp view) {
    state->extents.insert_range(view.getSizes());
  });
}

Ranges::~Ranges() = default;

std::optional<IndexRange> Ranges::get(Value value) const {
  constexpr int64_t huge = int64_t(1) << 48;
  int64_t min = std::numeric_limits<int64_t>::min();
  int64_t max = std::numeric_limits<int64_t>::max();
  if (auto *lattice =
          state->solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
      lattice && !lattice->getValue().isUninitialized()) {
    const ConstantIntRanges &range = lattice->getValue().getValue();
    if (range.smin().getBitWidth() == 1) {
      min = range.umin().getZExtValue();
      max = range.umax().getZExtValue();
    } else if (range.smin().getBitWidth() <= 64) {
      min = range.smin().getSExtValue();
      max = range.smax().getSExtValue();
    }
  }
  if (state->extents.contains(value))
    min = std::max<int64_t>(min, 0);
  if (llvm::SmallDenseSet<Value> assumed;
      (min < 0 || max > 1) && isBit(value, assumed))
    return IndexRange{0, 1};
  if (min < -huge && max > huge)
    return std::nullopt;
  return IndexRange{min, max};
}

//===- KernelAccesses.cpp - Memory accesses of a lowered kernel -----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelAccesses.h"
#include "Obsidian/Dialect/Obs/Analysis/IntegerRanges.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
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

/// The first of the values of a kernel that may be the same memory as `root`,
/// which can be itself: of the parameters that may be one array, or of the
/// operations that give the shared memory of the block.
static Value getRepresentative(Value root) {
  if (auto shared = root.getDefiningOp<gpu::DynamicSharedMemoryOp>()) {
    shared->getParentOfType<gpu::GPUFuncOp>().walk(
        [&](gpu::DynamicSharedMemoryOp first) {
          root = first;
          return WalkResult::interrupt();
        });
    return root;
  }
  auto argument = dyn_cast<BlockArgument>(root);
  auto kernel =
      argument ? dyn_cast<gpu::GPUFuncOp>(argument.getOwner()->getParentOp())
               : gpu::GPUFuncOp();
  if (!kernel || !getArgAttr<ObsDialect::MayAliasAttrHelper>(
                     kernel, argument.getArgNumber()))
    return root;
  for (BlockArgument other : kernel.getArguments())
    if (getArgAttr<ObsDialect::MayAliasAttrHelper>(kernel,
                                                   other.getArgNumber()))
      return other;
  return root;
}

int64_t races::getBytes(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getNumElements() * getBytes(vector.getElementType());
  return getElementBytes(type);
}

/// The access without the origin of its memory; no array if `op` is no access
/// that is known here.
static MemoryAccess describe(Operation *op) {
  MemoryAccess access;
  access.op = op;
  auto set = [&](Effect effect, Value array, ValueRange indices, Type type) {
    access.effect = effect;
    access.array = array;
    access.indices.assign(indices.begin(), indices.end());
    access.bytes = getBytes(type);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<memref::LoadOp, vector::LoadOp>([&](auto load) {
        set(Effect::Read, load->getOperand(0), load.getIndices(),
            load.getType());
      })
      .Case<memref::StoreOp, vector::StoreOp>([&](auto store) {
        set(Effect::Write, store->getOperand(1), store.getIndices(),
            store->getOperand(0).getType());
      })
      .Case<memref::AtomicRMWOp, memref::GenericAtomicRMWOp>([&](auto atomic) {
        set(Effect::Atomic, atomic.getMemref(), atomic.getIndices(),
            atomic.getType());
      });
  return access;
}

std::optional<MemoryAccess> races::getMemoryAccess(Operation *op) {
  MemoryAccess access = describe(op);
  if (!access.array)
    return std::nullopt;
  access.root = getRepresentative(getUnderlyingMemory(access.array));
  // An array of one thread alone.
  if (access.root.getDefiningOp<memref::AllocaOp>())
    return std::nullopt;
  access.isShared =
      access.root.getDefiningOp<gpu::DynamicSharedMemoryOp>() != nullptr;
  access.contract = getWriteMark(op);
  return access;
}

SmallVector<MemoryAccess> races::getMemoryAccesses(Operation *op) {
  SmallVector<MemoryAccess> accesses;
  if (std::optional<MemoryAccess> access = getMemoryAccess(op))
    accesses.push_back(std::move(*access));
  auto add = [&](Effect effect, Value array,
                 ValueRange indices) -> MemoryAccess & {
    MemoryAccess access;
    access.op = op;
    access.effect = effect;
    access.array = array;
    access.root = getRepresentative(getUnderlyingMemory(array));
    access.isShared = isa_and_nonnull<gpu::DynamicSharedMemoryOp>(
        access.root.getDefiningOp());
    access.indices.assign(indices.begin(), indices.end());
    access.bytes = getBytes(cast<MemRefType>(array.getType()).getElementType());
    accesses.push_back(access);
    return accesses.back();
  };
  if (auto counter = dyn_cast<CounterOpInterface>(op)) {
    Value cell = counter.getCell();
    add(Effect::Atomic, counter.getCounters(), counter.getIndices())
        .isByFirstThread = cell != nullptr;
    if (cell) {
      add(Effect::Write, cell, {}).isByFirstThread = true;
      add(Effect::Read, cell, {});
    }
  } else if (auto publish = dyn_cast<PublishOp>(op)) {
    for (Value memory : publish.getMemory()) {
      MemoryAccess &write = add(Effect::Write, memory, publish.getNumber());
      write.scale = 2;
      write.offset = publish.getState() - 1;
    }
    add(Effect::Atomic, publish.getFlags(), publish.getNumber());
  } else if (auto await = dyn_cast<AwaitOp>(op)) {
    add(Effect::Atomic, await.getFlags(), await.getNumber());
    for (Value memory : await.getMemory()) {
      // The flag decides which of two elements it is.
      MemoryAccess &read = add(Effect::Read, memory, await.getNumber());
      read.scale = 2;
      read.bytes *= 2;
    }
  }
  return accesses;
}

/// The constant that `value` is for thread `thread` of any block, if it depends
/// on the number of the thread only.
static Attribute evaluate(Value value, int64_t thread,
                          llvm::DenseMap<Value, Attribute> &known) {
  auto [found, isNew] = known.try_emplace(value);
  Operation *op = value.getDefiningOp();
  if (!isNew || !op)
    return found->second;
  Attribute result;
  if (isa<gpu::ThreadIdOp>(op)) {
    result = IntegerAttr::get(value.getType(), thread);
  } else if (op->getNumRegions() == 0 && op->getNumResults() == 1) {
    SmallVector<Attribute> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(evaluate(operand, thread, known));
      if (!operands.back())
        return {};
    }
    SmallVector<OpFoldResult> folded;
    if (succeeded(op->fold(operands, folded)) && folded.size() == 1) {
      result = dyn_cast<Attribute>(folded.front());
      if (!result)
        result = evaluate(cast<Value>(folded.front()), thread, known);
    }
  }
  known[value] = result;
  return result;
}

/// The mask of a barrier as `thread` has it; nothing if it is not known.
static std::optional<APInt> getMask(Value mask, int64_t thread) {
  llvm::DenseMap<Value, Attribute> known;
  auto number = dyn_cast_or_null<IntegerAttr>(evaluate(mask, thread, known));
  return number ? std::optional(number.getValue()) : std::nullopt;
}

/// True if `mask` is, for every thread of a block of `threads` threads, the
/// mask of the lanes of its warp: a block of 4 threads has 4 lanes, and the
/// last warp of a block of 33 threads has 1. A mask of all 32 lanes is also
/// correct, because no thread waits for lanes that do not exist.
static bool isMaskOfWarp(Value mask, int64_t threads) {
  for (int64_t thread = 0; thread < threads; ++thread) {
    std::optional<APInt> bits = getMask(mask, thread);
    if (!bits)
      return false;
    int64_t first = thread / warpSize * warpSize;
    unsigned lanes = std::min(threads - first, warpSize);
    if (!bits->isMask(lanes) && !bits->isAllOnes())
      return false;
  }
  return true;
}

bool races::isKnownMask(Value mask, int64_t threads) {
  for (int64_t thread = 0; thread < threads; ++thread)
    if (!getMask(mask, thread))
      return false;
  return true;
}

bool races::waitTogether(Value mask, int64_t first, int64_t second) {
  std::optional<APInt> one = getMask(mask, first);
  std::optional<APInt> other = getMask(mask, second);
  return one && other && *one == *other && (*one)[first % warpSize] &&
         (*one)[second % warpSize];
}

llvm::DenseSet<Operation *> races::findBarriers(gpu::GPUFuncOp kernel,
                                                Between between) {
  llvm::DenseSet<Operation *> barriers;
  if (between == Between::Blocks)
    return barriers;
  int64_t threads = kernel.getKnownBlockSizeAttr().asArrayRef().front();
  llvm::DenseMap<Value, bool> masks;
  kernel.walk([&](Operation *op) {
    auto sync = dyn_cast<NVVM::SyncWarpOp>(op);
    if (sync && between == Between::Lanes) {
      auto [mask, isNew] = masks.try_emplace(sync.getMask());
      if (isNew)
        mask->second = isMaskOfWarp(sync.getMask(), threads);
      if (mask->second)
        barriers.insert(op);
    } else if (auto counter = dyn_cast<CounterOpInterface>(op);
               isa<gpu::BarrierOp>(op) || (counter && counter.getCell())) {
      barriers.insert(op);
    }
  });
  return barriers;
}

static SmallVector<gpu::LaunchFuncOp> getLaunches(gpu::GPUFuncOp kernel) {
  SmallVector<gpu::LaunchFuncOp> launches;
  auto kernels = kernel->getParentOfType<gpu::GPUModuleOp>();
  kernels->getParentOp()->walk([&](gpu::LaunchFuncOp launch) {
    if (launch.getKernelName() == kernel.getName() &&
        launch.getKernelModuleName() == kernels.getName())
      launches.push_back(launch);
  });
  return launches;
}

LogicalResult races::requireAliasMarks(gpu::GPUFuncOp kernel,
                                       const llvm::DenseSet<Value> &written) {
  // The array of the host whose beginning a launch passes.
  auto getArray = [](Value memory) {
    while (auto view = memory.getDefiningOp<memref::ReinterpretCastOp>()) {
      if (!isConstantIntValue(view.getMixedOffsets().front(), 0))
        break;
      memory = view.getSource();
    }
    return memory;
  };
  auto arguments =
      llvm::make_filter_range(kernel.getArguments(), [](Value argument) {
        return isa<MemRefType>(argument.getType());
      });
  for (gpu::LaunchFuncOp launch : getLaunches(kernel))
    for (BlockArgument a : arguments)
      for (BlockArgument b : arguments) {
        unsigned i = a.getArgNumber(), j = b.getArgNumber();
        if (i < j && (written.contains(a) || written.contains(b)) &&
            !(getArgAttr<ObsDialect::MayAliasAttrHelper>(kernel, i) &&
              getArgAttr<ObsDialect::MayAliasAttrHelper>(kernel, j)) &&
            getArray(launch.getKernelOperand(i)) ==
                getArray(launch.getKernelOperand(j)))
          return mlir::emitError(launch.getLoc())
                 << "[race-stage] passes one array as the parameters " << i
                 << " and " << j << " of kernel '" << kernel.getName()
                 << "', which takes them for two arrays; mark both with "
                 << ObsDialect::MayAliasAttrHelper::getNameStr();
      }
  return success();
}

llvm::DenseMap<Value, Value> races::getEqualParameters(gpu::GPUFuncOp kernel) {
  SmallVector<gpu::LaunchFuncOp> launches = getLaunches(kernel);
  llvm::DenseMap<Value, Value> equal;
  if (launches.empty())
    return equal;
  for (BlockArgument parameter : kernel.getArguments())
    for (unsigned i = 0; i < parameter.getArgNumber(); ++i)
      if (llvm::all_of(launches, [&](gpu::LaunchFuncOp launch) {
            return launch.getKernelOperand(i) ==
                   launch.getKernelOperand(parameter.getArgNumber());
          })) {
        equal.try_emplace(parameter, kernel.getArgument(i));
        break;
      }
  return equal;
}

LogicalResult races::requireLowered(gpu::GPUFuncOp kernel) {
  auto refuse = [](Operation *op, const Twine &what) -> LogicalResult {
    return mlir::emitError(op->getLoc()) << "[race-stage] " << what;
  };
  auto size = kernel.getKnownBlockSizeAttr();
  if (!size || size[0] <= 0)
    return refuse(kernel, "has no known block size; run obs-to-gpu first");
  if (size[1] != 1 || size[2] != 1)
    return refuse(kernel, "has blocks of more than one dimension, which "
                          "obs-to-gpu does not make");
  if (kernel.getNumWorkgroupAttributions() != 0 ||
      kernel.getNumPrivateAttributions() != 0)
    return refuse(kernel, "has memory among its arguments, which obs-to-gpu "
                          "does not give it");
  if (!kernel.getBody().hasOneBlock())
    return refuse(kernel, "has branches between blocks; check the kernel as "
                          "obs-to-gpu leaves it");
  auto isOtherDimension = [](Operation *op) {
    return llvm::TypeSwitch<Operation *, bool>(op)
        .Case<gpu::ThreadIdOp, gpu::BlockIdOp, gpu::BlockDimOp, gpu::GridDimOp>(
            [](auto id) { return id.getDimension() != gpu::Dimension::x; })
        .Default(false);
  };
  // Others may depend on the thread, or make threads wait for each other.
  auto isUnknownOfGPU = [](Operation *op) {
    bool isOfGPU =
        isa_and_nonnull<gpu::GPUDialect, NVVM::NVVMDialect>(op->getDialect());
    return isOfGPU &&
           !isa<gpu::GPUFuncOp, gpu::ReturnOp, gpu::ThreadIdOp, gpu::LaneIdOp,
                gpu::BlockIdOp, gpu::BlockDimOp, gpu::GridDimOp,
                gpu::DynamicSharedMemoryOp, gpu::BarrierOp, gpu::ShuffleOp,
                gpu::PrintfOp, NVVM::SyncWarpOp>(op);
  };
  auto check = [&](Operation *op) -> WalkResult {
    if (isOtherDimension(op))
      return refuse(op,
                    "asks for a dimension that lowered kernels do not have");
    if (isUnknownOfGPU(op))
      return refuse(op, "is an operation that obs-to-gpu does not make");
    if (auto alloca = dyn_cast<memref::AllocaOp>(op);
        alloca && alloca.getType().getMemorySpace() &&
        alloca.getType().getMemorySpace() !=
            gpu::AddressSpaceAttr::get(op->getContext(),
                                       gpu::AddressSpace::Private))
      return refuse(op, "is private memory of another kind than obs-to-gpu "
                        "makes");
    if (auto loop = dyn_cast<scf::ForOp>(op); loop && loop.getUnsignedCmp())
      return refuse(op, "is a loop that compares without signs, which "
                        "obs-to-gpu does not make");
    if (isa<CounterOpInterface, PublishOp, AwaitOp>(op)) {
      auto counter = dyn_cast<CounterOpInterface>(op);
      for (Value operand : op->getOperands()) {
        Value root = getUnderlyingMemory(operand);
        bool isCell = counter && operand == counter.getCell();
        bool isKnown =
            isCell ? root.getDefiningOp<gpu::DynamicSharedMemoryOp>() != nullptr
                   : isa<BlockArgument>(root);
        if (isa<MemRefType>(operand.getType()) && !isKnown)
          return refuse(op, isCell ? "has a cell outside of shared memory"
                                   : "exchanges values between blocks outside "
                                     "of global memory");
      }
      return WalkResult::advance();
    }
    if (MemoryAccess access = describe(op); access.array) {
      Value memory = getUnderlyingMemory(access.array);
      Operation *root = memory.getDefiningOp();
      bool isConstant = isa_and_nonnull<memref::GetGlobalOp>(root);
      if (isConstant && access.effect != Effect::Read)
        return refuse(op, "writes to a constant");
      bool isKnown =
          root ? isConstant ||
                     isa<memref::AllocaOp, gpu::DynamicSharedMemoryOp>(root)
               : memory.getParentBlock() == &kernel.getBody().front();
      if (!isKnown)
        return refuse(op, "accesses memory of unknown origin; "
                          "check the kernel as obs-to-gpu leaves it");
      // The region of an atomic update works on values.
      return WalkResult::skip();
    }
    // The effects of a region are those of its operations.
    if (op == kernel || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
        isMemoryEffectFree(op) || op->hasTrait<OpTrait::IsTerminator>() ||
        isa<memref::AllocaOp, gpu::BarrierOp, NVVM::SyncWarpOp, LLVM::FenceOp,
            gpu::PrintfOp, cf::AssertOp>(op))
      return WalkResult::advance();
    return refuse(op, "may access memory in a way that lowered kernels do not; "
                      "check the kernel as obs-to-gpu leaves it");
  };
  return failure(kernel.walk<WalkOrder::PreOrder>(check).wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

namespace {
/// Ranges of values that loops carry. The analysis of upstream has no range for
/// them. If a range contains the first value, and one iteration does not leave
/// it, it contains all values.
class CarriedRanges {
public:
  explicit CarriedRanges(const DataFlowSolver &solver) : solver(solver) {}
  ConstantIntRanges get(Value value);

private:
  ConstantIntRanges compute(Value value);
  /// The range of a value that is `first`, and `next` after each iteration; the
  /// value itself is `argument`.
  ConstantIntRanges close(Value argument, Value first, Value next);

  const DataFlowSolver &solver;
  /// Assumptions, and what follows from them.
  llvm::DenseMap<Value, ConstantIntRanges> known;
};
} // namespace

static ConstantIntRanges getAnalyzed(const DataFlowSolver &solver,
                                     Value value) {
  auto *lattice = solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
  if (lattice && !lattice->getValue().isUninitialized())
    return lattice->getValue().getValue();
  return ConstantIntRanges::maxRange(
      ConstantIntRanges::getStorageBitwidth(value.getType()));
}

ConstantIntRanges CarriedRanges::get(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  ConstantIntRanges range =
      compute(value).intersection(getAnalyzed(solver, value));
  known.insert({value, range});
  return range;
}

ConstantIntRanges CarriedRanges::close(Value argument, Value first,
                                       Value next) {
  constexpr unsigned maxSteps = 4;
  ConstantIntRanges range = get(first);
  unsigned bits = range.smin().getBitWidth();
  auto before = known;
  for (unsigned step = 0; step < maxSteps; ++step) {
    known = before;
    known.insert({argument, range});
    ConstantIntRanges wider = range.rangeUnion(get(next));
    if (wider == range)
      return range;
    // Numbers that fall, such as extents that are halved, fall to 0 at least.
    bool falls = wider.smin().slt(range.smin()) && wider.smin().isNonNegative();
    range =
        step > 0 && falls
            ? ConstantIntRanges::fromSigned(APInt::getZero(bits), wider.smax())
            : wider;
  }
  known = before;
  return ConstantIntRanges::maxRange(bits);
}

ConstantIntRanges CarriedRanges::compute(Value value) {
  ConstantIntRanges all = ConstantIntRanges::maxRange(
      ConstantIntRanges::getStorageBitwidth(value.getType()));
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    unsigned i = argument.getArgNumber();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      return argument == loop.getInductionVar()
                 ? all
                 : close(argument, loop.getTiedLoopInit(argument)->get(),
                         loop.getTiedLoopYieldedValue(argument)->get());
    auto loop = dyn_cast<scf::WhileOp>(parent);
    if (!loop)
      return all;
    return argument.getOwner() == loop.getAfterBody()
               ? get(loop.getConditionOp().getArgs()[i])
               : close(argument, loop.getInits()[i],
                       loop.getYieldOp().getOperand(i));
  }
  Operation *op = value.getDefiningOp();
  unsigned i = cast<OpResult>(value).getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return get(loop.getRegionIterArg(i)).rangeUnion(get(loop.getInitArgs()[i]));
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return get(loop.getConditionOp().getArgs()[i]);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return get(branch.thenYield().getOperand(i))
        .rangeUnion(get(branch.elseYield().getOperand(i)));
  auto arithmetic = dyn_cast<InferIntRangeInterface>(op);
  auto isInteger = [](Type type) { return type.isIntOrIndex(); };
  if (!arithmetic || !llvm::all_of(op->getOperandTypes(), isInteger))
    return all;
  SmallVector<ConstantIntRanges> operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand));
  if (hasWrongRange(op, operands))
    return all;
  arithmetic.inferResultRanges(
      operands, [&](Value result, const ConstantIntRanges &range) {
        if (result == value)
          all = range;
      });
  return all;
}

struct Ranges::State {
  DataFlowSolver solver;
  CarriedRanges carried{solver};
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
  for (auto [parameter, equal] : getEqualParameters(kernel))
    for (auto [a, b] :
         {std::pair(parameter, equal), std::pair(equal, parameter)})
      if (state->extents.contains(a))
        state->extents.insert(b);
}

Ranges::~Ranges() = default;

std::optional<IndexRange> Ranges::get(Value value) const {
  constexpr int64_t huge = int64_t(1) << 48;
  int64_t min = std::numeric_limits<int64_t>::min();
  int64_t max = std::numeric_limits<int64_t>::max();
  if (value.getType().isIntOrIndex()) {
    ConstantIntRanges range = state->carried.get(value);
    if (range.smin().getBitWidth() == 1) {
      min = range.umin().getZExtValue();
      max = range.umax().getZExtValue();
    } else if (range.smin().getBitWidth() <= 64) {
      min = range.smin().getSExtValue();
      max = range.smax().getSExtValue();
    }
  }
  // Rule R4-extents.
  if (state->extents.contains(value)) {
    min = std::max<int64_t>(min, 0);
    max = std::min(max, maxElements);
  }
  if (min < -huge && max > huge)
    return std::nullopt;
  return IndexRange{min, max};
}

//===- MapKernel.cpp - A kernel of level IR becomes a gpu.func ------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MapKernel.h"
#include "Accesses.h"
#include "LaneMapper.h"
#include "Obsidian/Transforms/Level/LevelIR.h"
#include "OwnedArrays.h"
#include "Workers.h"
#include "WriteSteps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::obs;

/// The arrays that warps and blocks have in shared memory.
static SmallVector<memref::AllocOp> getSharedBuffers(KernelOp kernel) {
  SmallVector<memref::AllocOp> buffers;
  kernel.walk([&](memref::AllocOp alloc) {
    HomeAttr home = getHome(alloc);
    if (home && home.getStorage() == Storage::Shared)
      buffers.push_back(alloc);
  });
  return buffers;
}

/// True for an array of a warp in the registers of its lanes.
static bool isInLanes(Value array) {
  HomeAttr home = getHome(array);
  return home && home.getOwner() == Level::Warp &&
         home.getStorage() == Storage::Registers;
}

namespace {
/// Converts one kernel to a gpu.func.
class KernelMapper {
public:
  KernelMapper(KernelOp kernel, gpu::GPUModuleOp module)
      : kernel(kernel), module(module), builder(kernel.getContext()),
        loc(kernel.getLoc()), threads(*kernel.getThreads()),
        launched(getWorkers(kernel).launched), lanes(builder) {}

  gpu::GPUFuncOp run();

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  void createFunction();
  void buildWorkers();
  /// The array in shared memory that begins at byte `position`.
  Value viewArena(Location loc, MemRefType type, Value position) {
    auto shared = MemRefType::get(
        type.getShape(), type.getElementType(), MemRefLayoutAttrInterface(),
        cast<MemRefType>(arena.getType()).getMemorySpace());
    return memref::ViewOp::create(builder, loc, shared, arena, position,
                                  ValueRange());
  }
  void mapBuffer(memref::AllocOp alloc);
  void mapOwned(memref::AllocOp alloc);
  void mapLeaf(scf::ForallOp leaf);
  void mapSingle(scf::ForOp loop);
  void mapTable(memref::GetGlobalOp table);
  Value buildId(Level scope, Level unit);
  Value buildCount(Level scope, Level unit);
  Value buildWarpMask();

  KernelOp kernel;
  gpu::GPUModuleOp module;
  OpBuilder builder;
  Location loc;
  int64_t threads, launched;
  LaneMapper lanes;
  llvm::DenseMap<Operation *, OwnedArray> owned;
  int64_t nextOrigin = 0;
  gpu::GPUFuncOp function;
  /// Numbers of this thread, its block, its warp and lane; blocks of the grid;
  /// the arena; null when every launched thread has work, else whether this
  /// has.
  Value thread, block, warp, lane, blocks, arena, active;
};
} // namespace

void KernelMapper::createFunction() {
  SmallVector<Type> types;
  for (Type type : kernel.getArgumentTypes()) {
    auto memory = dyn_cast<MemRefType>(type);
    if (!memory) {
      types.push_back(type);
      continue;
    }
    types.push_back(MemRefType::get({}, memory.getElementType()));
    types.append(memory.getNumDynamicDims(), builder.getIndexType());
  }
  StringRef name = kernel.getSourceName();
  function = gpu::GPUFuncOp::create(builder, loc, name,
                                    builder.getFunctionType(types, {}));
  SymbolTable(module).insert(function);
  if (function.getName() != name)
    setAttr<ObsDialect::EntryAttrHelper>(function, builder.getStringAttr(name));
  if (kernel.getUnnamed())
    setAttr<ObsDialect::UnnamedAttrHelper>(function);
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
  function.setKnownBlockSizeAttr(
      builder.getDenseI32ArrayAttr({static_cast<int32_t>(launched), 1, 1}));

  Block &body = function.getBody().front();
  Block &old = kernel.getBody().front();
  builder.setInsertionPointToStart(&body);
  unsigned next = 0;
  for (BlockArgument argument : old.getArguments()) {
    if (getArgAttr<ObsDialect::MayAliasAttrHelper>(kernel,
                                                   argument.getArgNumber()))
      setArgAttr<ObsDialect::MayAliasAttrHelper>(function, next);
    Value value = body.getArgument(next++);
    if (auto memory = dyn_cast<MemRefType>(argument.getType())) {
      SmallVector<OpFoldResult> sizes, strides(memory.getRank());
      for (int64_t extent : memory.getShape())
        sizes.push_back(ShapedType::isDynamic(extent)
                            ? OpFoldResult(body.getArgument(next++))
                            : builder.getIndexAttr(extent));
      OpFoldResult stride = builder.getIndexAttr(1);
      for (int d = memory.getRank() - 1; d >= 0; --d) {
        strides[d] = stride;
        std::optional<int64_t> a = getConstantIntValue(stride);
        std::optional<int64_t> b = getConstantIntValue(sizes[d]);
        if (a && b)
          stride = builder.getIndexAttr(*a * *b);
        else
          stride = arith::MulIOp::create(
                       builder, loc,
                       getValueOrCreateConstantIndexOp(builder, loc, stride),
                       getValueOrCreateConstantIndexOp(builder, loc, sizes[d]))
                       .getResult();
      }
      value = memref::ReinterpretCastOp::create(
          builder, argument.getLoc(), memory, value, builder.getIndexAttr(0),
          sizes, strides);
    }
    argument.replaceAllUsesWith(value);
  }
  buildWorkers();
  body.getOperations().splice(body.end(), old.getOperations());
  builder.setInsertionPointToEnd(&body);
  gpu::ReturnOp::create(builder, loc);
}

void KernelMapper::buildWorkers() {
  thread = gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x);
  block = gpu::BlockIdOp::create(builder, loc, gpu::Dimension::x);
  blocks = gpu::GridDimOp::create(builder, loc, gpu::Dimension::x);
  warp = arith::DivUIOp::create(builder, loc, thread, constant(warpSize));
  lane = arith::RemUIOp::create(builder, loc, thread, constant(warpSize));
  if (launched != threads)
    active = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                   thread, constant(threads));
  bool hasTables = false;
  kernel.walk([&](memref::GetGlobalOp table) {
    hasTables |= bool(getAttr<ObsDialect::OffsetAttrHelper>(table));
  });
  if (hasTables || !getSharedBuffers(kernel).empty()) {
    auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                            gpu::AddressSpace::Workgroup);
    arena = gpu::DynamicSharedMemoryOp::create(
        builder, loc,
        MemRefType::get({ShapedType::kDynamic}, builder.getI8Type(),
                        MemRefLayoutAttrInterface(), space));
  }
}

Value KernelMapper::buildId(Level scope, Level unit) {
  if (scope == Level::Grid && unit == Level::Block)
    return block;
  if (scope == Level::Block && unit == Level::Warp)
    return warp;
  // grid over warp
  Value perBlock = constant(launched / warpSize);
  Value first = arith::MulIOp::create(builder, loc, block, perBlock);
  return arith::AddIOp::create(builder, loc, first, warp);
}

Value KernelMapper::buildCount(Level scope, Level unit) {
  if (scope == Level::Grid && unit == Level::Block)
    return blocks;
  Value perBlock = constant(launched / warpSize);
  if (scope == Level::Block && unit == Level::Warp)
    return perBlock;
  return arith::MulIOp::create(builder, loc, blocks, perBlock);
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

void KernelMapper::mapBuffer(memref::AllocOp alloc) {
  HomeAttr home = getHome(alloc);
  if (!home)
    return;
  MemRefType type = alloc.getType();
  Value memory;
  if (home.getStorage() == Storage::Registers) {
    // There is one for each thread, even if the surrounding code runs several
    // times.
    builder.setInsertionPointToStart(&function.getBody().front());
    if (home.getOwner() == Level::Block)
      return mapOwned(alloc);
    SmallVector<int64_t> shape(type.getShape());
    if (isInLanes(alloc))
      shape.assign(1, llvm::divideCeil(type.getNumElements(), warpSize));
    memory = memref::AllocaOp::create(
        builder, alloc.getLoc(), MemRefType::get(shape, type.getElementType()));
    if (isInLanes(alloc)) {
      setAttr<ObsDialect::LanesAttrHelper>(memory.getDefiningOp());
      lanes.addArray(memory, type.getShape());
    }
  } else {
    builder.setInsertionPoint(alloc);
    int64_t offset = getAttr<ObsDialect::OffsetAttrHelper>(alloc).getInt();
    Value position = constant(offset);
    if (home.getOwner() == Level::Warp) {
      Value mine = arith::MulIOp::create(builder, loc, warp,
                                         constant(getSliceBytes(type)));
      position = arith::AddIOp::create(builder, loc, position, mine);
    }
    memory = viewArena(alloc.getLoc(), type, position);
  }
  alloc.replaceAllUsesWith(memory);
  alloc.erase();
}

/// Each thread has separate elements of such an array.
void KernelMapper::mapOwned(memref::AllocOp alloc) {
  const OwnedArray &array = owned.find(alloc)->second;
  bool isScalar = array.elements == 1;
  Value memory = memref::AllocaOp::create(
      builder, alloc.getLoc(),
      MemRefType::get(isScalar ? ArrayRef<int64_t>() : array.elements,
                      alloc.getType().getElementType()));
  for (auto &[access, elements] : array.accesses) {
    builder.setInsertionPoint(access);
    SmallVector<Value> index;
    // A loop without iterations has no accesses.
    if (!isScalar)
      index.push_back(constant(elements.empty() ? 0 : elements.front()));
    Operation *own;
    if (auto load = dyn_cast<memref::LoadOp>(access)) {
      own = memref::LoadOp::create(builder, load.getLoc(), memory, index);
      load.replaceAllUsesWith(own->getResult(0));
    } else {
      own = memref::StoreOp::create(builder, access->getLoc(),
                                    cast<memref::StoreOp>(access).getValue(),
                                    memory, index);
    }
    if (hasAttr<ObsDialect::CopyAttrHelper>(access))
      setAttr<ObsDialect::CopyAttrHelper>(own);
    if (!llvm::all_equal(elements))
      markSteps(own, elements);
    access->erase();
  }
  alloc.erase();
}

/// A table that the kernel reads moves into the module of the kernels. If it
/// has a place in shared memory, the threads of each block copy it there.
void KernelMapper::mapTable(memref::GetGlobalOp table) {
  removeAttr<ObsDialect::ConstantAttrHelper>(table);
  auto place = removeAttr<ObsDialect::OffsetAttrHelper>(table);
  if (!module.lookupSymbol(table.getName())) {
    auto global =
        kernel->getParentOfType<ModuleOp>().lookupSymbol<memref::GlobalOp>(
            table.getName());
    builder.setInsertionPointToStart(module.getBody());
    builder.clone(*global);
  }
  if (!place)
    return;
  builder.setInsertionPointAfterValue(arena);
  MemRefType type = table.getType();
  Value source = builder.clone(*table)->getResult(0);
  Value copy = viewArena(table.getLoc(), type,
                         constant(cast<IntegerAttr>(place).getInt()));
  auto loop =
      scf::ForOp::create(builder, table.getLoc(), thread,
                         constant(type.getNumElements()), constant(launched));
  builder.setInsertionPointToStart(loop.getBody());
  Value index = loop.getInductionVar();
  Value element =
      memref::LoadOp::create(builder, table.getLoc(), source, index);
  memref::StoreOp::create(builder, table.getLoc(), element, copy, index);
  table.replaceAllUsesWith(copy);
  table.erase();
}

//===----------------------------------------------------------------------===//
// Leaf loops
//===----------------------------------------------------------------------===//

void KernelMapper::mapLeaf(scf::ForallOp leaf) {
  MapAttr map = getLeafMap(leaf);
  loc = leaf.getLoc();
  builder.setInsertionPoint(leaf);
  if (lanes.uses(leaf)) {
    numberOrigins(leaf, nextOrigin);
    lanes.mapLeaf(leaf, lane);
    leaf.erase();
    loc = kernel.getLoc();
    return;
  }
  OpFoldResult extent = leaf.getMixedUpperBound()[0];

  // The number of this thread among the workers, and the number of workers.
  Value id = thread, count;
  std::optional<int64_t> workers = threads;
  Value works = active;
  if (map.getScope() == Level::Warp) {
    id = lane;
    workers = warpSize;
    works = {};
  } else if (map.getScope() == Level::Grid) {
    workers.reset();
    Value perBlock = constant(threads);
    count = arith::MulIOp::create(builder, loc, blocks, perBlock);
    id = arith::AddIOp::create(
        builder, loc, arith::MulIOp::create(builder, loc, block, perBlock),
        thread);
  }
  if (workers)
    count = constant(*workers);

  /// Moves the body to the insertion point, for iteration `iteration`.
  auto moveBody = [&](Value iteration) {
    Block *body = leaf.getBody();
    leaf.getInductionVar(0).replaceAllUsesWith(iteration);
    builder.getInsertionBlock()->getOperations().splice(
        builder.getInsertionPoint(), body->getOperations(), body->begin(),
        std::prev(body->end()));
  };
  auto guard = [&](Value condition) {
    if (!condition)
      return;
    auto branch = scf::IfOp::create(builder, loc, condition,
                                    /*withElseRegion=*/false);
    builder.setInsertionPoint(branch.thenBlock()->getTerminator());
  };
  auto loop = [&](Value from, Value to, Value step) {
    auto op = scf::ForOp::create(builder, loc, from, to, step);
    if (auto items = getAttr<ObsDialect::ItemsAttrHelper>(leaf)) {
      numberOrigins(leaf, nextOrigin);
      setAttr<ObsDialect::ItemsAttrHelper>(op, items);
    }
    builder.setInsertionPointToStart(op.getBody());
    return op.getInductionVar();
  };

  if (hasMarkedSteps(leaf)) {
    guard(works);
    numberOrigins(leaf, nextOrigin);
    writeSteps(builder, leaf, LeafSteps::get(leaf, threads), id);
    leaf.erase();
    loc = kernel.getLoc();
    return;
  }
  auto distribution = getAttr<ObsDialect::DistributionAttrHelper>(leaf);
  std::optional<int64_t> n = getConstantIntValue(extent);
  Value bound = getValueOrCreateConstantIndexOp(builder, loc, extent);
  if (distribution && distribution.getValue() == Distribution::Blocked) {
    guard(works);
    // A loop to a negative number has no iterations.
    if (!n)
      bound = arith::MaxSIOp::create(builder, loc, bound, constant(0));
    Value steps = arith::CeilDivUIOp::create(builder, loc, bound, count);
    Value from = arith::MulIOp::create(builder, loc, id, steps);
    Value to = arith::AddIOp::create(builder, loc, from, steps);
    moveBody(loop(from, arith::MinUIOp::create(builder, loc, to, bound),
                  constant(1)));
  } else if (n && workers && *n == *workers) {
    guard(works);
    moveBody(id);
  } else if (n && workers && *n < *workers) {
    guard(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, id,
                                bound));
    moveBody(id);
  } else if (n && workers && *n % *workers == 0) {
    guard(works);
    Value step = loop(constant(0), constant(*n / *workers), constant(1));
    Value first = arith::MulIOp::create(builder, loc, step, count);
    moveBody(arith::AddIOp::create(builder, loc, first, id));
  } else {
    guard(works);
    moveBody(loop(id, bound, count));
  }
  leaf.erase();
  loc = kernel.getLoc();
}

/// A loop over units with one iteration is a branch: the first unit runs it.
void KernelMapper::mapSingle(scf::ForOp loop) {
  builder.setInsertionPoint(loop);
  loc = loop.getLoc();
  Value zero = constant(0);
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        loop.getLowerBound(), zero);
  auto branch =
      scf::IfOp::create(builder, loc, isFirst, /*withElseRegion=*/false);
  loop.getInductionVar().replaceAllUsesWith(zero);
  Block *body = loop.getBody();
  branch.thenBlock()->getOperations().splice(
      branch.thenBlock()->begin(), body->getOperations(), body->begin(),
      std::prev(body->end()));
  loop.erase();
  loc = kernel.getLoc();
}

/// The lanes of a thread's warp, as bits; the last warp may be smaller.
Value KernelMapper::buildWarpMask() {
  auto bits = [&](int64_t lanes) -> Value {
    return arith::ConstantOp::create(
        builder, loc,
        builder.getI32IntegerAttr(
            static_cast<int32_t>(llvm::maskTrailingOnes<uint32_t>(lanes))));
  };
  int64_t rest = launched % warpSize;
  if (rest == 0)
    return bits(warpSize);
  if (launched < warpSize)
    return bits(rest);
  Value isLast = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge,
                                       thread, constant(launched - rest));
  return arith::SelectOp::create(builder, loc, isLast, bits(rest),
                                 bits(warpSize));
}

/// Replaces atomic operations on private memory of a thread by loads and
/// stores: no other thread changes it, and a GPU has no atomic operations on
/// it.
static void replacePrivateAtomics(gpu::GPUFuncOp function) {
  auto isPrivate = [](Value memory) {
    Value root = getRoot(memory);
    return root && root.getDefiningOp<memref::AllocaOp>();
  };
  function.walk([&](Operation *op) {
    auto [memory, indices] = getIndexedMemory(op);
    if (!isa<memref::AtomicRMWOp, memref::GenericAtomicRMWOp>(op) ||
        !isPrivate(memory))
      return;
    OpBuilder builder(op);
    Location loc = op->getLoc();
    Value before = memref::LoadOp::create(builder, loc, memory, indices);
    Value after;
    if (auto update = dyn_cast<memref::AtomicRMWOp>(op))
      after = update.getKind() == arith::AtomicRMWKind::assign
                  ? update.getValue()
                  : arith::getReductionOp(update.getKind(), builder, loc,
                                          before, update.getValue());
    else
      after = cloneBody(builder, op->getRegion(0), before).front();
    memref::StoreOp::create(builder, loc, after, memory, indices);
    op->replaceAllUsesWith(ValueRange(before));
    op->erase();
  });
}

gpu::GPUFuncOp KernelMapper::run() {
  kernel.walk([&](memref::AllocOp alloc) {
    HomeAttr home = getHome(alloc);
    if (home && home.getOwner() == Level::Block &&
        home.getStorage() == Storage::Registers)
      if (auto array = findOwnedArray(alloc, threads))
        owned.insert({alloc, *array});
  });
  createFunction();
  SmallVector<Operation *> work;
  SmallVector<memref::LoadOp> uniformLoads;
  function.walk([&](Operation *op) {
    if (auto load = dyn_cast<memref::LoadOp>(op);
        load && isInLanes(load.getMemRef()) &&
        !load->getParentOfType<scf::ForallOp>())
      uniformLoads.push_back(load);
    if (isa<memref::AllocOp, memref::GetGlobalOp, scf::ForallOp, WorkerIdOp,
            WorkerCountOp, BarrierOp>(op))
      work.push_back(op);
  });
  for (Operation *op : work) {
    builder.setInsertionPoint(op);
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      mapBuffer(alloc);
    } else if (auto table = dyn_cast<memref::GetGlobalOp>(op)) {
      mapTable(table);
    } else if (auto leaf = dyn_cast<scf::ForallOp>(op)) {
      mapLeaf(leaf);
    } else if (auto id = dyn_cast<WorkerIdOp>(op)) {
      MapAttr map = id.getMap();
      id.replaceAllUsesWith(buildId(map.getScope(), map.getUnit()));
      op->erase();
    } else if (auto count = dyn_cast<WorkerCountOp>(op)) {
      MapAttr map = count.getMap();
      count.replaceAllUsesWith(buildCount(map.getScope(), map.getUnit()));
      op->erase();
    } else {
      auto barrier = cast<BarrierOp>(op);
      if (barrier.getScope() == Level::Block) {
        gpu::BarrierOp::create(builder, op->getLoc());
      } else {
        NVVM::SyncWarpOp::create(builder, op->getLoc(), buildWarpMask());
      }
      op->erase();
    }
  }
  for (memref::LoadOp load : uniformLoads)
    lanes.mapUniformLoad(load);
  SmallVector<scf::ForOp> spread;
  function.walk([&](scf::ForOp loop) {
    if (removeAttr<ObsDialect::MapAttrHelper>(loop) &&
        getConstantIntValue(loop.getUpperBound()) == 1)
      spread.push_back(loop);
  });
  for (scf::ForOp loop : spread)
    mapSingle(loop);
  replacePrivateAtomics(function);
  // The memory of a thread is allocated once, not in each iteration.
  function.walk([&](memref::AllocaOp alloca) {
    if (alloca->getParentOfType<LoopLikeOpInterface>())
      alloca->moveBefore(&function.getBody().front(),
                         function.getBody().front().begin());
  });
  // The checks of kernels use the contract of a store. The mark of the first of
  // several stores was only for the placement of barriers.
  function.walk([](memref::StoreOp store) {
    if (getInitialNesting(store)) {
      removeAttr<ObsDialect::ContractAttrHelper>(store);
      removeAttr<ObsDialect::OriginAttrHelper>(store);
    }
  });
  return function;
}

gpu::GPUFuncOp obs::mapKernel(KernelOp kernel, gpu::GPUModuleOp module) {
  return KernelMapper(kernel, module).run();
}

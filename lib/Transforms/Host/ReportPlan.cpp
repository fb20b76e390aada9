//===- ReportPlan.cpp - Launches of a host function -----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: host code on memrefs, in any phase. Prints its plan and changes nothing.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSREPORTPLANPASS
#include "Obsidian/Transforms/Host/Passes.h"

#include "HostMemory.h"
#include "InPlace.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"

using namespace mlir;
using namespace mlir::obs;

namespace {
/// Names the memory of one function.
class Plan {
public:
  explicit Plan(func::FuncOp function) : function(function) {}
  void report();

private:
  std::string getName(Value memory);
  std::string list(ArrayRef<Value> memories);
  std::string describe(LaunchOp launch);
  std::string getContext(Operation *op);

  func::FuncOp function;
  llvm::MapVector<Value, unsigned> buffers;
};
} // namespace

/// Adds the arguments and allocations that `memory` may be, through views and
/// control flow.
static void collectRoots(Value memory, llvm::SetVector<Value> &roots,
                         llvm::SmallPtrSetImpl<Value> &seen) {
  if (!seen.insert(memory).second)
    return;
  SmallVector<Value> sources = getMemorySources(memory);
  for (Value source : sources)
    collectRoots(source, roots, seen);
  if (sources.empty())
    roots.insert(memory);
}

/// "argument 1", "buffer 0", or "argument 1 or buffer 0" if that depends on the
/// iteration of a loop.
std::string Plan::getName(Value memory) {
  llvm::SetVector<Value> roots;
  llvm::SmallPtrSet<Value, 8> seen;
  collectRoots(memory, roots, seen);
  SmallVector<std::string> names;
  for (Value root : roots) {
    if (auto found = buffers.find(root); found != buffers.end())
      names.push_back("buffer " + std::to_string(found->second));
    else if (auto argument = dyn_cast<BlockArgument>(root))
      names.push_back("argument " + std::to_string(argument.getArgNumber()));
  }
  llvm::sort(names);
  return names.empty() ? "other memory" : llvm::join(names, " or ");
}

std::string Plan::list(ArrayRef<Value> memories) {
  SmallVector<std::string> names;
  for (Value memory : memories)
    if (std::string name = getName(memory); !llvm::is_contained(names, name))
      names.push_back(name);
  return llvm::join(names, ", ");
}

/// Adds the accesses of `user`, which is not an operation on arrays.
static void addAccesses(Operation *user, bool &isRead, bool &isStored) {
  isRead |= !isa<memref::StoreOp>(user);
  isStored |= !isa<memref::LoadOp>(user);
}

std::string Plan::describe(LaunchOp launch) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<KernelOp>(
      launch, launch.getKernelAttr());
  SmallVector<Value> reads, changes, writes;
  bool inPlace = false, inPlaceLater = false;
  for (auto [argument, parameter] :
       llvm::zip(launch.getArgs(), kernel.getBody().getArguments())) {
    if (!isa<MemRefType>(parameter.getType()))
      continue;
    bool isForced = llvm::any_of(parameter.getUsers(), llvm::IsaPred<ForceOp>);
    bool isRead = false, isStored = false;
    for (Operation *user : parameter.getUsers()) {
      // An extent is not in memory.
      if (isa<ViewOp>(user))
        isRead |= !llvm::all_of(user->getUsers(), llvm::IsaPred<DimOp>);
      else if (!isa<ForceOp>(user))
        addAccesses(user, isRead, isStored);
    }
    if (isRead && isStored && !isForced) {
      changes.push_back(argument);
      continue;
    }
    if (isRead)
      reads.push_back(argument);
    if (isForced || isStored)
      writes.push_back(argument);
    inPlace |= isRead && isForced;
    inPlaceLater |= getArgAttr<ObsDialect::MayAliasAttrHelper>(
                        kernel, parameter.getArgNumber()) != nullptr;
  }
  SmallVector<std::string> parts;
  for (auto [what, memories] :
       {std::pair<StringRef, ArrayRef<Value>>{"reads ", reads},
        {"reads and writes ", changes},
        {"writes ", writes}})
    if (!memories.empty())
      parts.push_back(what.str() + list(memories));
  std::string text = "kernel '" + kernel.getSourceName().str() + "' " +
                     llvm::join(parts, ", ");
  if (inPlace)
    text += ", in place";
  else if (inPlaceLater)
    text += ", in place after the first iteration";
  return text;
}

/// ", in a loop" or ", in a branch" for an operation that may be executed any
/// number of times.
std::string Plan::getContext(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent != function;
       parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      return ", in a loop";
  return op->getParentOp() == function ? "" : ", in a branch";
}

static std::string count(unsigned number, StringRef what) {
  return std::to_string(number) + " " + what.str() + (number == 1 ? "" : "s");
}

void Plan::report() {
  unsigned kernels = 0, memsets = 0, copies = 0, reads = 0;
  SmallVector<std::pair<Location, std::string>> steps;
  auto add = [&](Operation *op, const Twine &text) {
    steps.push_back({op->getLoc(), (text + getContext(op)).str()});
  };
  // A loop reads memory that the iteration before it has allocated.
  function.walk<WalkOrder::PreOrder>([&](gpu::AllocOp alloc) {
    unsigned number = buffers.size();
    buffers[alloc.getMemref()] = number;
  });
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto alloc = dyn_cast<gpu::AllocOp>(op)) {
      unsigned number = buffers.lookup(alloc.getMemref());
      MemRefType type = alloc.getType();
      std::string text;
      llvm::raw_string_ostream os(text);
      os << "buffer " << number << " is ";
      for (int64_t size : type.getShape()) {
        if (ShapedType::isDynamic(size))
          os << "?";
        else
          os << size;
        os << " x ";
      }
      os << type.getElementType();
      int64_t bytes = getElementBytes(type.getElementType());
      if (type.hasStaticShape())
        os << " (" << bytes * type.getNumElements() << " bytes)";
      else
        os << " (" << bytes << " bytes each)";
      if (auto arrays = getAttr<ObsDialect::ArraysAttrHelper>(alloc))
        os << ", for " << arrays.getInt() << " arrays one after the other";
      // Other buffers exist before the first iteration.
      if (alloc->getParentOfType<LoopLikeOpInterface>())
        os << ", another one in each iteration";
      add(op, text);
    } else if (auto launch = dyn_cast<LaunchOp>(op)) {
      ++kernels;
      add(op, describe(launch));
    } else if (auto set = dyn_cast<gpu::MemsetOp>(op)) {
      ++memsets;
      add(op, "memset of " + getName(set.getDst()));
    } else if (auto copy = dyn_cast<gpu::MemcpyOp>(op)) {
      bool isRead = copy.getDst().getDefiningOp<memref::AllocaOp>() != nullptr;
      ++(isRead ? reads : copies);
      // A branch that contains only the copy belongs to a kernel in place.
      bool isInPlace = isa<scf::IfOp>(copy->getParentOp()) &&
                       llvm::hasNItems(*copy->getBlock(), 2);
      add(op, isRead ? "the host reads an element of " + getName(copy.getSrc())
                     : "copy of " + getName(copy.getSrc()) + " to " +
                           getName(copy.getDst()) +
                           (isInPlace ? ", if they differ" : ""));
    } else if (auto dealloc = dyn_cast<gpu::DeallocOp>(op)) {
      add(op, "end of " + getName(dealloc.getMemref()));
    }
  });
  InFlightDiagnostic remark =
      mlir::emitRemark(function.getLoc())
      << "plan of '" << function.getName() << "': " << count(kernels, "kernel")
      << ", " << count(memsets, "memset") << ", "
      << std::to_string(copies) + (copies == 1 ? " copy" : " copies") << ", "
      << count(reads, "host read") << ", " << count(buffers.size(), "buffer");
  for (auto &[location, text] : steps)
    remark.attachNote(location) << text;
}

namespace {
struct ReportPlan : obs::impl::ObsReportPlanPassBase<ReportPlan> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isHostFunction(function))
        Plan(function).report();
    markAllAnalysesPreserved();
  }
};
} // namespace

//===- ReportCost.cpp - The costs of kernels, from their IR ---------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arithmetic.h"
#include "ArrayCost.h"
#include "CodeModel.h"
#include "Levels.h"
#include "Obsidian/Dialect/Obs/Analysis/LanePatterns.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/Transforms/LevelIR.h"
#include "Obsidian/Dialect/Obs/Transforms/Tiles.h"
#include "Obsidian/Reports/Passes.h"
#include "Source.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::obs {
#define GEN_PASS_DEF_OBSREPORTCOSTPASS
#include "Obsidian/Reports/Passes.h.inc"
} // namespace mlir::obs

using namespace mlir;
using namespace mlir::obs;

namespace {
/// Bytes that go to and from one kind of memory.
struct Traffic {
  Count read, written, atomic;
};

/// Writes the report of one kernel.
class Reporter {
public:
  Reporter(KernelOp kernel, const Lowered &lowered, const Source &source,
           raw_ostream &os)
      : kernel(kernel), lowered(lowered), source(source), os(os),
        uniform(kernel, nullptr) {}

  void run();

private:
  void reportThreads();
  void reportBarriers();
  void reportCode();
  void reportLoop(scf::ForallOp leaf);
  void reportTraffic();
  CodeModel &getModel(Operation *op, bool isInside = false);
  /// Workers of `leaf`, or of code around `op` in no leaf, by level.
  int64_t getWorkers(Level scope);
  Level getScope(Operation *op) const;
  void reportAccess(const MemoryAccess &access);
  std::optional<std::string> describeLanes(const MemoryAccess &access);
  std::string describeRequests(const MemoryAccess &access, StringRef space);

  KernelOp kernel;
  const Lowered &lowered;
  const Source &source;
  raw_ostream &os;
  CodeModel uniform;
  /// The models of leaves, in general and inside of large arrays.
  std::map<std::pair<Operation *, bool>, std::unique_ptr<CodeModel>> leaves;
  std::map<std::string, Traffic> traffic;
  Arithmetic total;
};
} // namespace

//===----------------------------------------------------------------------===//
// Threads and barriers
//===----------------------------------------------------------------------===//

void Reporter::reportThreads() {
  os << "  threads of a block: "
     << kernel.getThreads().value_or(lowered.threads) << " logical, "
     << lowered.threads << " launched\n";
}

/// The loop over parts of the grid around `op`, or the kernel.
static Operation *getGridPart(Operation *op) {
  for (; !isa<KernelOp>(op); op = op->getParentOp())
    if (auto map = op->getAttrOfType<MapAttr>("obs.map"))
      if (isa<scf::ForOp>(op) && map.getScope() == Level::Grid)
        return op;
  return op;
}

void Reporter::reportBarriers() {
  int64_t placed[2] = {0, 0};
  Count executed[2];
  kernel.walk([&](BarrierOp barrier) {
    bool isBlock = barrier.getScope() == Level::Block;
    ++placed[isBlock];
    executed[isBlock] +=
        uniform.getRuns(barrier->getBlock(), getGridPart(barrier));
  });
  os << "  barriers: " << placed[1] << " of a block, " << placed[0]
     << " of a warp";
  if (placed[0] + placed[1] > 0)
    os << "; executed for each part of the grid: " << executed[1].str()
       << " and " << executed[0].str();
  os << '\n';
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// The model of the code that `op` is in.
CodeModel &Reporter::getModel(Operation *op, bool isInside) {
  auto leaf = op->getParentOfType<scf::ForallOp>();
  if (!leaf)
    return uniform;
  std::unique_ptr<CodeModel> &model = leaves[{leaf, isInside}];
  if (!model)
    model = std::make_unique<CodeModel>(kernel, leaf, isInside);
  return *model;
}

int64_t Reporter::getWorkers(Level scope) {
  return scope == Level::Warp ? warpSize
                              : kernel.getThreads().value_or(lowered.threads);
}

/// The level of the instance whose threads run `op`.
Level Reporter::getScope(Operation *op) const {
  if (auto leaf = op->getParentOfType<scf::ForallOp>())
    return getLeafMap(leaf).getScope();
  for (; !isa<KernelOp>(op); op = op->getParentOp())
    if (auto map = op->getAttrOfType<MapAttr>("obs.map"))
      return map.getUnit();
  return Level::Grid;
}

/// The memory space of `memory`: "global", "shared", "constant", "registers",
/// or "?".
static StringRef getSpace(Value memory) {
  Value root = getRoot(memory);
  if (!root)
    return "?";
  if (auto table = root.getDefiningOp<memref::GetGlobalOp>()) {
    auto global =
        table->getParentOfType<ModuleOp>().lookupSymbol<memref::GlobalOp>(
            table.getName());
    return table->hasAttr(constantAttrName) || global->hasAttr(constantAttrName)
               ? "constant"
               : "global";
  }
  if (auto home = dyn_cast_or_null<HomeAttr>(
          cast<MemRefType>(root.getType()).getMemorySpace()))
    return home.getStorage() == Storage::Registers ? "registers" : "shared";
  return isa<BlockArgument>(root) ? "global" : "registers";
}

/// Adds the lanes that warp requests for an array of `elements` read from to
/// `patterns`; false if they are not known.
static bool addLanes(const IndexExpr &address, int64_t count,
                     ArrayRef<IndexExpr> conditions, int64_t elements,
                     SmallVectorImpl<std::string> &patterns) {
  IndexEvaluator evaluator(address);
  std::vector<IndexEvaluator> deciders;
  for (const IndexExpr &condition : conditions)
    deciders.push_back(IndexEvaluator(condition));
  // A lane that reads none of the array is not known to read nothing, but does.
  auto getSource = [&](int64_t iteration) -> std::optional<int> {
    for (IndexEvaluator &decider : deciders)
      if (std::optional<ArrayRef<int64_t>> value =
              decider.evaluate({iteration});
          value && value->front() == 0)
        return -1;
    std::optional<ArrayRef<int64_t>> value = evaluator.evaluate({iteration});
    if (!value)
      return std::nullopt;
    int64_t element = value->front();
    return element < 0 || element >= elements ? -1 : element % warpSize;
  };
  for (int64_t first = 0; first < count; first += warpSize) {
    SmallVector<int> sources(warpSize, -1);
    for (int64_t i = first; i < std::min(first + warpSize, count); ++i) {
      std::optional<int> source = getSource(i);
      if (!source)
        return false;
      sources[i - first] = *source;
    }
    LanePattern pattern = classifyLanes(sources);
    std::string text;
    switch (pattern.kind) {
    case LanePattern::Kind::Identity:
      text = "own";
      break;
    case LanePattern::Kind::Broadcast:
      text = "lane ";
      break;
    case LanePattern::Kind::Xor:
      text = "xor ";
      break;
    case LanePattern::Kind::Rotate:
      text = "rotate ";
      break;
    case LanePattern::Kind::Up:
      text = "up ";
      break;
    case LanePattern::Kind::Down:
      text = "down ";
      break;
    case LanePattern::Kind::Exchange:
      text = "own or xor ";
      break;
    case LanePattern::Kind::Indexed:
      text = "any";
      break;
    }
    if (pattern.kind != LanePattern::Kind::Identity &&
        pattern.kind != LanePattern::Kind::Indexed)
      text += std::to_string(pattern.amount);
    if (!llvm::is_contained(patterns, text))
      patterns.push_back(text);
  }
  return true;
}

/// The lanes from which an array in registers of a warp is read; nullopt if
/// each lane reads its own elements.
std::optional<std::string> Reporter::describeLanes(const MemoryAccess &access) {
  auto leaf = access.op->getParentOfType<scf::ForallOp>();
  auto distribution =
      leaf ? leaf->getAttrOfType<DistributionAttr>("obs.distribution")
           : DistributionAttr();
  SmallVector<std::string> patterns;
  int64_t elements = cast<MemRefType>(access.memory.getType()).getNumElements();
  auto query = [&](const IndexExpr &address, int64_t count,
                   ArrayRef<IndexExpr> conditions) {
    return addLanes(address, count, conditions, elements, patterns);
  };
  if (!leaf)
    return "one for all";
  // The writes of an iteration decide which thread runs it.
  if (distribution && distribution.getValue() == Distribution::Owners)
    return "any";
  if (!getModel(access.op).ask(access, warpSize, query))
    return "any";
  llvm::erase(patterns, "own");
  if (patterns.empty())
    return std::nullopt;
  return llvm::join(patterns, ", ");
}

/// The cost of the requests of warps for `access`.
std::string Reporter::describeRequests(const MemoryAccess &access,
                                       StringRef space) {
  bool isShared = space == "shared";
  if (!isShared && space != "global")
    return "";
  int64_t workers = getWorkers(getScope(access.op));
  auto leaf = access.op->getParentOfType<scf::ForallOp>();
  auto distribution =
      leaf ? leaf->getAttrOfType<DistributionAttr>("obs.distribution")
           : DistributionAttr();
  IterationLayout layout = IterationLayout::Striped;
  bool isKnown = true;
  if (distribution && distribution.getValue() == Distribution::Blocked) {
    layout = IterationLayout::Blocked;
    isKnown = getModel(access.op).getIterations().has_value();
  } else if (distribution && distribution.getValue() == Distribution::Owners) {
    isKnown = false;
  }
  unsigned bytes = getElementBytes(access.element), width = access.width;
  WarpCost cost;
  auto query = [&](const IndexExpr &address, int64_t count,
                   ArrayRef<IndexExpr> conditions) {
    std::optional<WarpCost> part =
        isShared ? getBankConflicts(address, count, workers, bytes, layout,
                                    conditions, width)
                 : getSectors(address, count, workers, bytes, layout,
                              conditions, width);
    if (!part)
      return false;
    cost.max = std::max(cost.max, part->max);
    cost.total += part->total;
    cost.requests += part->requests;
    return true;
  };
  const char *provided = "";
  if (isKnown && !leaf) {
    cost = WarpCost{1, 1, 1}; // All lanes want the same.
  } else if (isKnown) {
    CodeModel &model = getModel(access.op);
    isKnown = model.ask(access, workers, query);
    if (!isKnown || cost.requests == 0) {
      // Sizes of other arrays may say how many there are of something, not how
      // far apart they are: a filter need not be as large as the picture.
      cost = WarpCost();
      isKnown =
          !model.dependsOnOthers(access) &&
          getModel(access.op, /*isInside=*/true).ask(access, workers, query);
      provided = " inside of large arrays";
      if (isKnown && cost.requests == 0)
        return ", no requests inside of large arrays";
    }
  }
  if (!isKnown)
    return isShared ? ", bank-conflict degree ?" : ", ? sectors per request";
  // The cost of a request without conflicts.
  uint64_t least = isShared ? std::max(1u, bytes * width / 4) : 1;
  uint64_t degree = llvm::divideCeil(cost.max, least);
  std::string average = getRatio(cost.total, cost.requests * least);
  if (isShared)
    return ", bank-conflict degree " + std::to_string(degree) +
           (degree > 1 && average != std::to_string(degree)
                ? " (" + average + " on average)"
                : "") +
           provided;
  return ", " + average + (average == "1" ? " sector" : " sectors") +
         " per request" +
         (average == std::to_string(degree)
              ? ""
              : " (at most " + std::to_string(degree) + ")") +
         provided;
}

void Reporter::reportAccess(const MemoryAccess &access) {
  StringRef space = getSpace(access.memory);
  if (space == "registers") {
    // Only a read from other lanes costs more than the use of a register.
    auto home = dyn_cast_or_null<HomeAttr>(
        cast<MemRefType>(getRoot(access.memory).getType()).getMemorySpace());
    if (access.kind == MemoryAccess::Kind::Read && home &&
        home.getOwner() == Level::Warp)
      if (std::optional<std::string> lanes = describeLanes(access))
        os << "      shuffle " << access.element << " at "
           << getPlace(access.op->getLoc()) << ", lanes: " << *lanes << '\n';
    return;
  }
  Count bytes = Count(getElementBytes(access.element) * access.width) *
                getModel(access.op).getRuns(access.op->getBlock(), kernel);
  Level scope = getScope(access.op);
  bool isUniform = !access.op->getParentOfType<scf::ForallOp>();
  const char *verb = access.kind == MemoryAccess::Kind::Read    ? "read"
                     : access.kind == MemoryAccess::Kind::Write ? "write"
                                                                : "atomic";
  os << (isUniform ? "    " : "      ");
  Traffic &sum = traffic[space.str()];
  (access.kind == MemoryAccess::Kind::Read    ? sum.read
   : access.kind == MemoryAccess::Kind::Write ? sum.written
                                              : sum.atomic) += bytes;
  os << verb << ' ' << space << ' ';
  if (access.width > 1)
    os << access.width << " x ";
  os << access.element << " at " << getPlace(access.op->getLoc());
  if (isUniform)
    os << " by all threads of a " << stringifyLevel(scope);
  os << describeRequests(access, space) << ", " << bytes.str() << " bytes\n";
}

void Reporter::reportLoop(scf::ForallOp leaf) {
  CodeModel &model = getModel(leaf.getBody()->getTerminator());
  OpFoldResult extent = leaf.getMixedUpperBound()[0];
  os << "    ";
  if (std::optional<int64_t> number = getConstantIntValue(extent))
    os << *number;
  else
    os << uniform.getSize(cast<Value>(extent)).str();
  os << (getConstantIntValue(extent) == 1 ? " iteration" : " iterations")
     << " in a " << stringifyLevel(getLeafMap(leaf).getScope()) << " at "
     << getPlace(leaf.getLoc());
  if (auto items = leaf->getAttrOfType<IntegerAttr>(itemsAttrName))
    os << ", " << items.getInt() << " of a thread side by side";
  os << ", each " << getArithmetic(model, leaf).str() << '\n';
  total += getArithmetic(model, kernel);
}

void Reporter::reportCode() {
  os << "  loops over threads and accesses:\n";
  bool any = false;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto leaf = dyn_cast<scf::ForallOp>(op)) {
      any = true;
      reportLoop(leaf);
    }
    if (std::optional<MemoryAccess> access = MemoryAccess::get(op)) {
      any = true;
      reportAccess(*access);
    }
  });
  if (!any)
    os << "    none\n";
}

void Reporter::reportTraffic() {
  for (auto &[space, sum] : traffic) {
    os << "  " << space << " memory: " << sum.read.str() << " bytes read, "
       << sum.written.str() << " bytes written";
    if (!sum.atomic.isZero())
      os << ", " << sum.atomic.str() << " bytes by atomic operations";
    os << '\n';
  }
  os << "  in loops over threads: " << total.str() << '\n';
}

void Reporter::run() {
  os << "kernel '" << lowered.name << "' at " << getPlace(kernel.getLoc())
     << '\n';
  reportThreads();
  reportArrays(kernel, source, os);
  reportBarriers();
  reportCode();
  reportTraffic();
  reportPulls(
      kernel, source,
      [&](Operation *op) -> CodeModel & { return getModel(op); }, os);
}

LogicalResult obs::reportCost(ModuleOp module, int64_t threads,
                              raw_ostream &os) {
  Source source = Source::get(module);
  FailureOr<OwningOpRef<ModuleOp>> levels = getLevels(module, threads);
  if (failed(levels))
    return failure();
  FailureOr<SmallVector<Lowered>> lowered = getLowered(**levels);
  if (failed(lowered))
    return failure();
  for (auto [kernel, code] :
       llvm::zip_equal((*levels)->getOps<KernelOp>(), *lowered))
    Reporter(kernel, code, source, os).run();
  return success();
}

namespace {
struct ReportCost : obs::impl::ObsReportCostPassBase<ReportCost> {
  using ObsReportCostPassBase::ObsReportCostPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    addLoweredDialects(registry);
  }

  void runOnOperation() override {
    if (failed(reportCost(getOperation(), threads, llvm::outs())))
      return signalPassFailure();
    llvm::outs().flush();
    markAllAnalysesPreserved();
  }
};
} // namespace

//===- ReportCost.cpp - What kernels cost, from their IR ------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArrayCost.h"
#include "CodeModel.h"
#include "Levels.h"
#include "Obsidian/Reports/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

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
  Reporter(KernelOp kernel, const Lowered &lowered, raw_ostream &os)
      : kernel(kernel), lowered(lowered), os(os), uniform(kernel, nullptr) {}

  void run();

private:
  void reportThreads();
  void reportBarriers();
  void reportCode();
  void reportTraffic();
  CodeModel &getModel(Operation *op);
  /// Workers of `leaf`, or of code around `op` in no leaf, by level.
  int64_t getWorkers(Level scope);
  Level getScope(Operation *op) const;
  void reportAccess(const MemoryAccess &access);
  std::string describeRequests(const MemoryAccess &access, StringRef space);

  KernelOp kernel;
  const Lowered &lowered;
  raw_ostream &os;
  CodeModel uniform;
  llvm::MapVector<Operation *, std::unique_ptr<CodeModel>> leaves;
  std::map<std::string, Traffic> traffic;
};
} // namespace

//===----------------------------------------------------------------------===//
// Threads and barriers
//===----------------------------------------------------------------------===//

void Reporter::reportThreads() {
  os << "  threads of a block: " << kernel.getThreads().value_or(0)
     << " logical, " << lowered.threads << " launched\n";
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

CodeModel &Reporter::getModel(Operation *op) {
  auto leaf = op->getParentOfType<scf::ForallOp>();
  if (!leaf)
    return uniform;
  std::unique_ptr<CodeModel> &model = leaves[leaf];
  if (!model)
    model = std::make_unique<CodeModel>(kernel, leaf);
  return *model;
}

int64_t Reporter::getWorkers(Level scope) {
  return scope == Level::Warp ? lanesOfWarp : *kernel.getThreads();
}

/// The level of the instance whose threads run `op`.
Level Reporter::getScope(Operation *op) const {
  if (auto leaf = op->getParentOfType<scf::ForallOp>())
    return getSpread(leaf).getScope();
  for (; !isa<KernelOp>(op); op = op->getParentOp())
    if (auto map = op->getAttrOfType<MapAttr>("obs.map"))
      return map.getUnit();
  return Level::Grid;
}

/// Where `memory` is: "global", "shared", "constant", "registers", or "?".
static StringRef getSpace(Value memory) {
  Value root = getRoot(memory);
  if (!root)
    return "?";
  if (root.getDefiningOp<memref::GetGlobalOp>())
    return "constant";
  if (auto home = dyn_cast_or_null<HomeAttr>(
          cast<MemRefType>(root.getType()).getMemorySpace()))
    return home.getStorage() == Storage::Registers ? "registers" : "shared";
  return isa<BlockArgument>(root) ? "global" : "registers";
}

/// `total` / `number` with at most two digits behind the point.
static std::string getRatio(uint64_t total, uint64_t number) {
  uint64_t hundredths = (total * 100 + number / 2) / number;
  std::string text = std::to_string(hundredths / 100);
  if (hundredths % 100 == 0)
    return text;
  text += "." + std::to_string(hundredths / 10 % 10);
  if (hundredths % 10 != 0)
    text += std::to_string(hundredths % 10);
  return text;
}

/// What the requests of warps for `access` cost.
std::string Reporter::describeRequests(const MemoryAccess &access,
                                       StringRef space) {
  bool isShared = space == "shared";
  if (!isShared && space != "global")
    return "";
  int64_t workers = getWorkers(getScope(access.op));
  auto leaf = access.op->getParentOfType<scf::ForallOp>();
  std::optional<WarpCost> cost;
  auto distribution =
      leaf ? leaf->getAttrOfType<DistributionAttr>("obs.distribution")
           : DistributionAttr();
  IterationLayout layout = IterationLayout::Striped;
  bool isKnown = true;
  if (distribution && distribution.getValue() == Distribution::Blocked) {
    layout = IterationLayout::Blocked;
    isKnown = getConstantIntValue(leaf.getMixedUpperBound()[0]).has_value();
  } else if (distribution && distribution.getValue() == Distribution::Owners) {
    isKnown = false;
  }
  unsigned bytes = getElementBytes(access.element) * access.width;
  if (isKnown && !leaf)
    cost = WarpCost{1, 1, 1}; // All lanes want the same.
  else if (isKnown)
    cost = getModel(access.op).ask(
        access, workers,
        [&](const IndexExpr &address, int64_t count,
            ArrayRef<IndexExpr> conditions) {
          return isShared ? getBankConflicts(address, count, workers, bytes,
                                             layout, conditions)
                          : getSectors(address, count, workers, bytes, layout,
                                       conditions);
        });
  if (!cost || cost->requests == 0)
    return isShared ? ", bank-conflict degree ?" : ", ? sectors per request";
  // What a request without conflicts takes.
  uint64_t least = isShared ? std::max(1u, bytes / 4) : 1;
  std::string text = isShared ? ", bank-conflict degree " : ", ";
  uint64_t degree = llvm::divideCeil(cost->max, least);
  std::string average = getRatio(cost->total, cost->requests * least);
  if (isShared)
    text += std::to_string(degree) +
            (degree > 1 && average != std::to_string(degree)
                 ? " (" + average + " on average)"
                 : "");
  else
    text += average + (average == "1" ? " sector" : " sectors") +
            " per request" +
            (average == std::to_string(degree)
                 ? ""
                 : " (at most " + std::to_string(degree) + ")");
  return text;
}

void Reporter::reportAccess(const MemoryAccess &access) {
  StringRef space = getSpace(access.memory);
  Count bytes = Count(getElementBytes(access.element) * access.width) *
                getModel(access.op).getRuns(access.op->getBlock(), kernel);
  Level scope = getScope(access.op);
  bool isUniform = !access.op->getParentOfType<scf::ForallOp>();
  const char *verb = access.kind == MemoryAccess::Kind::Read    ? "read"
                     : access.kind == MemoryAccess::Kind::Write ? "write"
                                                                : "atomic";
  if (space == "registers")
    return;
  Traffic &sum = traffic[space.str()];
  (access.kind == MemoryAccess::Kind::Read    ? sum.read
   : access.kind == MemoryAccess::Kind::Write ? sum.written
                                              : sum.atomic) += bytes;
  os << "    " << verb << ' ' << space << ' ';
  if (access.width > 1)
    os << access.width << " x ";
  os << access.element << " at " << getPlace(access.op->getLoc());
  if (isUniform)
    os << " by all threads of a " << stringifyLevel(scope);
  os << describeRequests(access, space) << ", " << bytes.str() << " bytes\n";
}

void Reporter::reportCode() {
  os << "  accesses:\n";
  bool any = false;
  kernel.walk([&](Operation *op) {
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
}

void Reporter::run() {
  os << "kernel '" << getEntryName(kernel) << "' at "
     << getPlace(kernel.getLoc()) << '\n';
  reportThreads();
  reportArrays(kernel, os);
  reportBarriers();
  reportCode();
  reportTraffic();
}

namespace {
struct ReportCost : obs::impl::ObsReportCostPassBase<ReportCost> {
  using ObsReportCostPassBase::ObsReportCostPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    addLoweredDialects(registry);
  }

  void runOnOperation() override {
    FailureOr<OwningOpRef<ModuleOp>> levels =
        getLevels(getOperation(), threads);
    if (failed(levels))
      return signalPassFailure();
    FailureOr<llvm::StringMap<Lowered>> lowered = getLowered(**levels);
    if (failed(lowered))
      return signalPassFailure();
    for (KernelOp kernel : (*levels)->getOps<KernelOp>())
      Reporter(kernel, (*lowered)[kernel.getSymName()], llvm::outs()).run();
    llvm::outs().flush();
    markAllAnalysesPreserved();
  }
};
} // namespace

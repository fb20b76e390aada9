//===- ReportCost.cpp - The costs of kernels, from their IR ---------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a kernel with levels, and the kernel of threads that it becomes. Out: its
// report, as text and as data.
//
// The file is long because one class writes both: each number is computed once.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSREPORTCOSTPASS
#include "Obsidian/Reports/Passes.h"

#include "Arithmetic.h"
#include "ArrayCost.h"
#include "CodeModel.h"
#include "Levels.h"
#include "Obsidian/Dialect/Obs/Analysis/LanePatterns.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "Obsidian/Transforms/Level/LevelIR.h"
#include "Obsidian/Transforms/Level/Tiles.h"
#include "Source.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ScopedPrinter.h"
#include <numeric>
#include <set>

using namespace mlir;
using namespace mlir::obs;
namespace json = llvm::json;

namespace {
/// Bytes that go to and from one kind of memory.
struct Traffic {
  Count read, written, atomic;
};

/// The requests of warps for one access.
struct Requests {
  /// ", 4 sectors per request", or the like.
  std::string text;
  /// The cost of sample requests, if it is known.
  std::optional<WarpCost> cost;
  /// The cost of a request without conflicts.
  uint64_t least = 1;
  /// The accesses that are one request of a lane together.
  uint64_t joined = 1;
  /// The iterations of a thread for which one access is sufficient.
  int64_t sharing = 1;
};

/// Writes the report of one kernel as text, and collects it as data.
class Reporter {
public:
  Reporter(KernelOp kernel, const Lowered &lowered, const Source &source,
           raw_ostream &os)
      : kernel(kernel), lowered(lowered), source(source), os(os),
        uniform(kernel, nullptr) {}

  json::Object run();
  /// The number of points of loops that the report looked at.
  int64_t getPoints() const;

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
  void reportAccess(const ElementAccess &access);
  std::optional<std::string> describeLanes(const ElementAccess &access);
  const std::optional<LinearForm> &getAddress(const ElementAccess &access);
  std::pair<int64_t, int64_t> getJoined(const ElementAccess &access);
  std::optional<Neighbours> getNeighbours(const ElementAccess &access);
  bool hasNeighbours(scf::ForallOp leaf);
  Requests getRequests(const ElementAccess &access, StringRef space);
  void addTotals(const ElementAccess &access, const Requests &requests,
                 StringRef space, json::Object &to);

  KernelOp kernel;
  const Lowered &lowered;
  const Source &source;
  raw_ostream &os;
  CodeModel uniform;
  /// The models of leaves, in general and inside of large arrays.
  std::map<std::pair<Operation *, bool>, std::unique_ptr<CodeModel>> leaves;
  llvm::DenseMap<Operation *, std::optional<LinearForm>> addresses;
  std::map<std::string, Traffic> traffic;
  Arithmetic total;
  json::Object data;
  json::Array loops, accesses, shuffles;
};
} // namespace

//===----------------------------------------------------------------------===//
// Threads and barriers
//===----------------------------------------------------------------------===//

void Reporter::reportThreads() {
  os << "  threads of a block: "
     << kernel.getThreads().value_or(lowered.threads) << " logical, "
     << lowered.threads << " launched\n";
  data["threads"] = kernel.getThreads().value_or(lowered.threads);
  data["launchedThreads"] = lowered.threads;
}

/// The loop over parts of the grid around `op`, or the kernel.
static Operation *getGridPart(Operation *op) {
  for (; !isa<KernelOp>(op); op = op->getParentOp())
    if (auto map = getAttr<ObsDialect::MapAttrHelper>(op))
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
  data["barriers"] = json::Object{{"block", placed[1]},
                                  {"warp", placed[0]},
                                  {"executedBlock", executed[1].str()},
                                  {"executedWarp", executed[0].str()}};
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
    if (auto map = getAttr<ObsDialect::MapAttrHelper>(op))
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
    if (hasAttr<ObsDialect::OffsetAttrHelper>(table))
      return "shared";
    auto global =
        table->getParentOfType<ModuleOp>().lookupSymbol<memref::GlobalOp>(
            table.getName());
    return hasAttr<ObsDialect::ConstantAttrHelper>(table) ||
                   hasAttr<ObsDialect::ConstantAttrHelper>(global)
               ? "constant"
               : "global";
  }
  if (HomeAttr home = getHome(root))
    return home.getStorage() == Storage::Registers ? "registers" : "shared";
  return isa<BlockArgument>(root) ? "global" : "registers";
}

static std::string describe(LanePattern pattern) {
  std::string amount = std::to_string(pattern.amount);
  switch (pattern.kind) {
  case LanePattern::Kind::Identity:
    return "own";
  case LanePattern::Kind::Broadcast:
    return "lane " + amount;
  case LanePattern::Kind::Xor:
    return "xor " + amount;
  case LanePattern::Kind::Rotate:
    return "rotate " + amount;
  case LanePattern::Kind::Up:
    return "up " + amount;
  case LanePattern::Kind::Down:
    return "down " + amount;
  case LanePattern::Kind::Exchange:
    return "own or xor " + amount;
  case LanePattern::Kind::Indexed:
    return "any";
  }
  llvm_unreachable("all kinds are listed");
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
    std::string text = describe(classifyLanes(sources));
    if (!llvm::is_contained(patterns, text))
      patterns.push_back(text);
  }
  return true;
}

/// The lanes from which an array in registers of a warp is read; nullopt if
/// each lane reads its own elements.
std::optional<std::string>
Reporter::describeLanes(const ElementAccess &access) {
  auto leaf = access.op->getParentOfType<scf::ForallOp>();
  auto distribution = leaf ? getAttr<ObsDialect::DistributionAttrHelper>(leaf)
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

const std::optional<LinearForm> &
Reporter::getAddress(const ElementAccess &access) {
  auto [found, isNew] = addresses.try_emplace(access.op);
  if (isNew)
    if (auto address = getModel(access.op).getAddress(access))
      found->second = LinearForm::get(*address);
  return found->second;
}

/// The first element, counted from that of `access`, and the number of elements
/// side by side that a thread accesses in the same block. The code generator
/// makes one access of up to 16 bytes of them.
std::pair<int64_t, int64_t> Reporter::getJoined(const ElementAccess &access) {
  int64_t most = widestAccess / getElementBytes(access.element);
  if (access.width > 1 || access.kind == ElementAccess::Kind::Atomic ||
      !getAddress(access))
    return {0, 1};
  LinearForm own = *getAddress(access);
  // Two values of int64_t are no keys of a DenseSet.
  std::set<int64_t> distances;
  for (Operation &op : *access.op->getBlock()) {
    std::optional<ElementAccess> other = ElementAccess::get(&op);
    if (!other || other->kind != access.kind || other->width > 1 ||
        other->memory != access.memory || !getAddress(*other))
      continue;
    LinearForm distance = *getAddress(*other);
    distance.add(own, -1);
    if (distance.terms.empty())
      distances.insert(distance.constant);
  }
  int64_t first = 0, length = 1;
  for (; distances.count(first - 1); ++length)
    --first;
  for (; distances.count(first + length);)
    ++length;
  // One access needs an address that is a multiple of its size. Threads share
  // the begin of a tile, which is one.
  bool isUniform = llvm::all_of(
      own.terms, [](auto &term) { return term.first.isUniform(); });
  auto isAligned = [&](int64_t begin, int64_t width) {
    return (own.constant + begin) % width == 0 &&
           llvm::all_of(own.terms, [&](auto &term) {
             return (term.first.isUniform() && !isUniform) ||
                    term.second % width == 0;
           });
  };
  for (int64_t width = most; width > 1; width /= 2)
    for (int64_t begin = first; begin + width <= first + length; ++begin)
      if (begin <= 0 && 0 < begin + width && isAligned(begin, width))
        return {begin, width};
  return {0, 1};
}

/// The elements that the iterations which a thread executes side by side
/// access.
std::optional<Neighbours> Reporter::getNeighbours(const ElementAccess &access) {
  auto leaf = access.op->getParentOfType<scf::ForallOp>();
  auto items =
      leaf ? getAttr<ObsDialect::ItemsAttrHelper>(leaf) : IntegerAttr();
  if (!items || access.kind == ElementAccess::Kind::Atomic)
    return std::nullopt;
  std::optional<Neighbours> all;
  auto query = [&](const IndexExpr &address, int64_t count,
                   ArrayRef<IndexExpr>) {
    auto found = obs::getNeighbours(address, count, items.getInt());
    all = !all || all == found ? found : Neighbours::Apart;
    return found.has_value();
  };
  int64_t workers = getWorkers(getScope(access.op));
  if (getModel(access.op).ask(access, workers, query))
    return all;
  all = std::nullopt;
  if (getModel(access.op, /*isInside=*/true).ask(access, workers, query))
    return all;
  return std::nullopt;
}

/// True if each thread executes neighbouring iterations of `leaf`, because
/// their accesses can be joined (see `obs-write-tiles`). Otherwise the
/// iterations of a thread are as far apart as there are threads in a block.
bool Reporter::hasNeighbours(scf::ForallOp leaf) {
  bool any = false;
  int64_t contiguous = 0, others = 0;
  leaf.walk([&](Operation *op) {
    std::optional<ElementAccess> access = ElementAccess::get(op);
    if (!access || getSpace(access->memory) != "global" ||
        access->memory.getDefiningOp<memref::GetGlobalOp>())
      return;
    std::optional<Neighbours> found = getNeighbours(*access);
    any |= found == Neighbours::Joined;
    if (found == Neighbours::Joined || found == Neighbours::Unaligned)
      ++contiguous;
    else if (found != Neighbours::Same)
      ++others;
  });
  return any && contiguous >= others;
}

Requests Reporter::getRequests(const ElementAccess &access, StringRef space) {
  bool isShared = space == "shared";
  if (!isShared && space != "global")
    return {};
  int64_t workers = getWorkers(getScope(access.op));
  auto leaf = access.op->getParentOfType<scf::ForallOp>();
  auto distribution = leaf ? getAttr<ObsDialect::DistributionAttrHelper>(leaf)
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
  int64_t items = 1, sharing = 1;
  auto [firstElement, joined] = getJoined(access);
  if (joined > 1)
    width = joined;
  if (std::optional<Neighbours> neighbours = getNeighbours(access)) {
    int64_t all = getAttr<ObsDialect::ItemsAttrHelper>(leaf).getInt();
    if (neighbours == Neighbours::Same)
      sharing = all;
    // If accesses are joined, the total is the same.
    else if (neighbours == Neighbours::Apart && hasNeighbours(leaf))
      items = all;
  }
  auto query = [&, firstElement =
                       firstElement](const IndexExpr &own, int64_t count,
                                     ArrayRef<IndexExpr> conditions) {
    IndexExpr address = own + IndexExpr::constant(firstElement);
    std::optional<WarpCost> part =
        isShared ? getBankConflicts(address, count, workers, bytes, layout,
                                    conditions, width)
        : items > 1
            // A thread executes `items` neighbours, one after another.
            ? getSectors(address, count / items * items, count / items, bytes,
                         IterationLayout::Blocked, conditions, width)
            : getSectors(address, count, workers, bytes, layout, conditions,
                         width);
    if (!part)
      return false;
    cost.max = std::max(cost.max, part->max);
    cost.total += part->total;
    cost.requests += part->requests;
    cost.lanes += part->lanes;
    return true;
  };
  const char *provided = "";
  if (isKnown && !leaf) {
    cost = WarpCost{1, 1, 1, 1}; // All lanes want the same.
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
        return {", no requests inside of large arrays", std::nullopt};
    }
  }
  if (!isKnown)
    return {isShared ? ", bank-conflict degree ?" : ", ? sectors per request",
            std::nullopt};
  uint64_t least = isShared ? std::max(1u, bytes * width / 4) : 1;
  // The sectors of a joined request are those of all its elements.
  uint64_t share = isShared ? least : joined;
  uint64_t degree = llvm::divideCeil(cost.max, share);
  std::string average = getRatio(cost.total, cost.requests * share);
  std::string text =
      isShared ? ", bank-conflict degree " + std::to_string(degree) +
                     (degree > 1 && average != std::to_string(degree)
                          ? " (" + average + " on average)"
                          : "")
               : ", " + average + (average == "1" ? " sector" : " sectors") +
                     " per request" +
                     (average == std::to_string(degree)
                          ? ""
                          : " (at most " + std::to_string(degree) + ")");
  return {text + provided, cost, least, uint64_t(joined), sharing};
}

/// Adds the sectors of global memory, or the wavefronts in shared memory and
/// those of them that are conflicts, of all requests.
void Reporter::addTotals(const ElementAccess &access, const Requests &requests,
                         StringRef space, json::Object &to) {
  bool isShared = space == "shared";
  if (!isShared && space != "global")
    return;
  const std::optional<WarpCost> &cost = requests.cost;
  Count runs = getModel(access.op).getRuns(access.op->getBlock(), kernel);
  if (!access.op->getParentOfType<scf::ForallOp>()) {
    // Each warp makes the request. The number of blocks is not known.
    Level scope = getScope(access.op);
    runs = scope == Level::Grid
               ? Count::unknown()
               : runs * llvm::divideCeil(getWorkers(scope), warpSize);
  }
  // The samples have `part` for each active lane.
  auto getTotal = [&](uint64_t part) {
    if (!cost)
      return runs.isZero() ? Count() : Count::unknown();
    uint64_t lanes = cost->lanes * requests.joined * requests.sharing;
    uint64_t common = std::gcd(part, lanes);
    return part == 0 ? Count()
                     : Count::call("ceil", " / ", runs * (part / common),
                                   lanes / common);
  };
  uint64_t total = cost ? cost->total : 0;
  uint64_t least = cost ? cost->requests * requests.least : 0;
  to[isShared ? "wavefronts" : "sectors"] = getTotal(total).str();
  if (isShared) {
    to["conflicts"] = getTotal(total - std::min(total, least)).str();
    to["conflictDegree"] =
        cost ? json::Value(llvm::divideCeil(cost->max, requests.least))
             : json::Value(nullptr);
  } else {
    to["sectorsPerRequest"] =
        cost ? json::Value(double(cost->total) /
                           (cost->requests * requests.joined))
             : json::Value(nullptr);
  }
}

void Reporter::reportAccess(const ElementAccess &access) {
  StringRef space = getSpace(access.memory);
  if (space == "registers") {
    // Only a read from other lanes costs more than the use of a register.
    HomeAttr home = getHome(getRoot(access.memory));
    if (access.kind == ElementAccess::Kind::Read && home &&
        home.getOwner() == Level::Warp)
      if (std::optional<std::string> lanes = describeLanes(access)) {
        os << "      shuffle " << access.element << " at "
           << getPlace(access.op->getLoc()) << ", lanes: " << *lanes << '\n';
        shuffles.push_back(
            json::Object{{"type", llvm::to_string(access.element)},
                         {"location", toJSON(access.op->getLoc())},
                         {"lanes", *lanes}});
      }
    return;
  }
  Count bytes = Count(getElementBytes(access.element) * access.width) *
                getModel(access.op).getRuns(access.op->getBlock(), kernel);
  Requests requests = getRequests(access, space);
  bytes = Count::call("ceil", " / ", bytes, requests.sharing);
  Level scope = getScope(access.op);
  bool isUniform = !access.op->getParentOfType<scf::ForallOp>();
  const char *verb = access.kind == ElementAccess::Kind::Read    ? "read"
                     : access.kind == ElementAccess::Kind::Write ? "write"
                                                                 : "atomic";
  os << (isUniform ? "    " : "      ");
  Traffic &sum = traffic[space.str()];
  (access.kind == ElementAccess::Kind::Read    ? sum.read
   : access.kind == ElementAccess::Kind::Write ? sum.written
                                               : sum.atomic) += bytes;
  std::string type = llvm::to_string(access.element);
  if (access.width > 1)
    type = std::to_string(access.width) + " x " + type;
  os << verb << ' ' << space << ' ' << type << " at "
     << getPlace(access.op->getLoc());
  if (isUniform)
    os << " by all threads of a " << stringifyLevel(scope);
  os << requests.text << ", " << bytes.str() << " bytes\n";
  json::Object one{
      {"kind", verb},
      {"memory", space},
      {"type", type},
      {"location", toJSON(access.op->getLoc())},
      {"level", isUniform ? json::Value(stringifyLevel(scope)) : nullptr},
      {"requests", StringRef(requests.text).ltrim(", ").str()},
      {"bytes", bytes.str()}};
  addTotals(access, requests, space, one);
  accesses.push_back(std::move(one));
}

static json::Object toJSON(const Arithmetic &arithmetic) {
  json::Object operations;
  for (auto [kind, count] : {std::make_pair("float", &arithmetic.floats),
                             {"function", &arithmetic.functions},
                             {"integer", &arithmetic.integers},
                             {"index", &arithmetic.indices}})
    if (!count->isZero())
      operations[kind] = count->str();
  return operations;
}

void Reporter::reportLoop(scf::ForallOp leaf) {
  CodeModel &model = getModel(leaf.getBody()->getTerminator());
  OpFoldResult extent = leaf.getMixedUpperBound()[0];
  std::optional<int64_t> number = getConstantIntValue(extent);
  std::string iterations = number ? std::to_string(*number)
                                  : uniform.getSize(cast<Value>(extent)).str();
  os << "    " << iterations << (number == 1 ? " iteration" : " iterations")
     << " in a " << stringifyLevel(getLeafMap(leaf).getScope()) << " at "
     << getPlace(leaf.getLoc());
  auto items = getAttr<ObsDialect::ItemsAttrHelper>(leaf);
  if (items)
    os << ", " << items.getInt() << " of a thread side by side";
  Arithmetic each = getArithmetic(model, leaf);
  os << ", each " << each.str() << '\n';
  loops.push_back(
      json::Object{{"iterations", iterations},
                   {"level", stringifyLevel(getLeafMap(leaf).getScope())},
                   {"location", toJSON(leaf.getLoc())},
                   {"items", items ? items.getInt() : 1},
                   {"operations", toJSON(each)}});
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
    if (std::optional<ElementAccess> access = ElementAccess::get(op)) {
      any = true;
      reportAccess(*access);
    }
  });
  if (!any)
    os << "    none\n";
}

void Reporter::reportTraffic() {
  json::Object memory;
  for (auto &[space, sum] : traffic) {
    memory[space] = json::Object{{"read", sum.read.str()},
                                 {"written", sum.written.str()},
                                 {"atomic", sum.atomic.str()}};
    os << "  " << space << " memory: " << sum.read.str() << " bytes read, "
       << sum.written.str() << " bytes written";
    if (!sum.atomic.isZero())
      os << ", " << sum.atomic.str() << " bytes by atomic operations";
    os << '\n';
  }
  os << "  in loops over threads: " << total.str() << '\n';
  data["memory"] = std::move(memory);
  data["operations"] = toJSON(total);
}

json::Object Reporter::run() {
  data["name"] = lowered.name;
  data["location"] = toJSON(kernel.getLoc());
  os << "kernel '" << lowered.name << "' at " << getPlace(kernel.getLoc())
     << '\n';
  reportThreads();
  reportArrays(kernel, source, os, data);
  reportBarriers();
  reportCode();
  reportTraffic();
  data["virtual"] = reportPulls(
      kernel, source,
      [&](Operation *op) -> CodeModel & { return getModel(op); }, os);
  data["loops"] = std::move(loops);
  data["accesses"] = std::move(accesses);
  data["shuffles"] = std::move(shuffles);
  return std::move(data);
}

int64_t Reporter::getPoints() const {
  int64_t points = uniform.getPoints();
  for (auto &[leaf, model] : leaves)
    points += model->getPoints();
  return points;
}

FailureOr<json::Value> obs::reportCost(ModuleOp module,
                                       const ObsToGPUOptions &options,
                                       raw_ostream &os, int64_t *points) {
  Source source = Source::get(module);
  FailureOr<OwningOpRef<ModuleOp>> levels = getLevels(module, options);
  if (failed(levels))
    return failure();
  FailureOr<SmallVector<Lowered>> lowered = getLowered(**levels);
  if (failed(lowered))
    return failure();
  json::Array kernels;
  for (auto [kernel, code] :
       llvm::zip_equal((*levels)->getOps<KernelOp>(), *lowered)) {
    Reporter reporter(kernel, code, source, os);
    kernels.push_back(reporter.run());
    if (points)
      *points += reporter.getPoints();
  }
  return makeReport(std::move(kernels));
}

namespace {
struct ReportCost : obs::impl::ObsReportCostPassBase<ReportCost> {
  using ObsReportCostPassBase::ObsReportCostPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    addReportDialects(registry);
  }

  void runOnOperation() override {
    ObsToGPUOptions options;
    options.threads = threads;
    FailureOr<llvm::json::Value> data = reportCost(
        getOperation(), options, json ? llvm::nulls() : llvm::outs());
    if (failed(data))
      return signalPassFailure();
    if (json)
      llvm::outs() << llvm::formatv("{0:2}", *data) << '\n';
    llvm::outs().flush();
    markAllAnalysesPreserved();
  }
};
} // namespace

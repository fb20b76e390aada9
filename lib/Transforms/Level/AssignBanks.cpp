//===- AssignBanks.cpp - Spread shared arrays over the banks --------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSASSIGNBANKSPASS
#include "Obsidian/Transforms/Level/Passes.h"

#include "Accesses.h"
#include "Obsidian/Dialect/Obs/Analysis/IndexRecognition.h"
#include "Obsidian/Dialect/Obs/Analysis/MemoryCosts.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/IndexBuilder.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/BitVector.h"
#include <map>
#include <numeric>

using namespace mlir;
using namespace mlir::obs;
using Kind = IndexExpr::Kind;

/// Bytes of a row of all banks.
static constexpr int64_t rowBytes = 128;
static constexpr int64_t maxPad = 32;
/// The maximum number of iterations of a leaf that are evaluated: a few warps
/// represent all.
static constexpr int64_t maxIterations = 128;
/// The maximum number of combinations of iterations of the surrounding loops
/// that are evaluated.
static constexpr int64_t maxTurns = 64;

namespace {
/// A layout of the elements of an array.
struct Placement {
  /// The number of unused elements after each row, or at the end of one row.
  int64_t pad = 0;
  /// The last index is xored with the number of the row (of the bank row, if
  /// there is only one row), modulo this number. 1: no xor.
  int64_t swizzle = 1;
};

/// One access, in one combination of iterations.
struct Request {
  IndexMap indices;
  int64_t count;
  int64_t threads;
  /// The number of neighbours that an iteration accesses. They are one access
  /// if all rows begin at a multiple of this number.
  int64_t width = 1;
  /// The number of combinations of iterations with the same indices.
  uint64_t weight = 1;
  /// The wavefronts that it takes, as the array is, more than the least number.
  uint64_t conflicts = 0;
};

/// The requests of one access.
struct Counted {
  Operation *op;
  size_t begin, end;
};

class Array {
public:
  Array(memref::AllocOp alloc, Workers workers)
      : alloc(alloc), threads(workers.threads),
        shape(alloc.getType().getShape()) {
    if (getHome(alloc).getOwner() == Level::Warp)
      copies = llvm::divideCeil(workers.launched, warpSize);
    bytes = getElementBytes(alloc.getType().getElementType());
  }

  /// Finds the accesses; false if the array has other uses.
  bool collect();
  /// The wavefronts of all requests that can be analysed, without conflicts,
  /// and as the array is.
  uint64_t getLeast() const { return least; }
  uint64_t getCost() const { return wavefronts; }
  /// The wavefronts with another layout. If they are not fewer than `limit`,
  /// any number that is not, either.
  uint64_t getCost(const Placement &placement, uint64_t limit) const;
  int64_t getBytes() {
    return alloc.getType().getNumElements() * bytes * copies;
  }
  /// The layouts of the array that need at most `room` more bytes.
  SmallVector<Placement> getPlacements(int64_t room);
  int64_t getPadding(const Placement &placement) {
    return alloc.getType().getNumElements() / shape.back() * placement.pad *
           bytes * copies;
  }
  void place(const Placement &placement);

private:
  void addRequests(Operation *op, ValueRange indices);
  void findVectors(ArrayRef<Counted> counted);
  /// The wavefronts of a request with a layout, more than the least number.
  std::optional<WarpCost> getCost(const Request &request,
                                  const Placement &placement) const;
  /// The least number of wavefronts of `requests` warps.
  uint64_t getLeast(const Request &request, uint64_t requests) const {
    return request.weight * requests *
           std::max<int64_t>(1, bytes * request.width / 4);
  }
  /// The wavefronts of a request with a layout.
  uint64_t getTotal(const Request &request, const WarpCost &cost) const {
    return request.weight * cost.total;
  }
  IndexExpr getAddress(const IndexMap &indices,
                       const Placement &placement) const;
  bool isOneRow() const { return shape.size() == 1 || isRing(); }
  bool isRing() const { return shape.size() == 2 && shape[0] == 2; }
  int64_t getBankRow() const { return std::max<int64_t>(1, rowBytes / bytes); }

  memref::AllocOp alloc;
  int64_t threads;
  SmallVector<int64_t> shape;
  /// The number of bytes of an element.
  int64_t bytes;
  /// The number of arrays: for an array of a warp, one for each warp.
  int64_t copies = 1;
  SmallVector<Operation *> accesses;
  SmallVector<Request> requests;
  uint64_t least = 0, wavefronts = 0;
};
} // namespace

bool Array::collect() {
  if (shape.empty() || alloc.getType().getNumElements() == 0)
    return false;
  SmallVector<Counted> counted;
  for (OpOperand &use : alloc->getUses()) {
    Operation *op = use.getOwner();
    auto [memory, indices] = getIndexedMemory(op);
    // The stored value could be the array itself.
    if (memory != use.get() || indices.empty())
      return false;
    accesses.push_back(op);
    size_t before = requests.size();
    addRequests(op, indices);
    if (requests.size() > before && isa<memref::LoadOp, memref::StoreOp>(op))
      counted.push_back({op, before, requests.size()});
  }
  findVectors(counted);
  // Requests with conflicts come first: they soon show that no layout helps.
  for (Request &request : requests)
    if (std::optional<WarpCost> cost = getCost(request, {})) {
      uint64_t own = getLeast(request, cost->requests);
      least += own;
      wavefronts += getTotal(request, *cost);
      request.conflicts = getTotal(request, *cost) - own;
    }
  llvm::sort(requests, [](const Request &a, const Request &b) {
    return a.conflicts > b.conflicts;
  });
  return true;
}

/// Calls `visit` with every combination of iterations of `loops`, or with the
/// first iteration of each if there are too many, and with the number of
/// combinations that it stands for: only the counters in `used` differ.
static void forEachTurn(
    ArrayRef<scf::ForOp> loops, const llvm::DenseSet<Value> &used,
    function_ref<void(ArrayRef<std::pair<Value, int64_t>>, uint64_t)> visit) {
  SmallVector<std::array<int64_t, 3>> ranges;
  int64_t combinations = 1;
  for (scf::ForOp loop : loops) {
    int64_t from = getConstantIntValue(loop.getLowerBound()).value_or(0);
    int64_t to = getConstantIntValue(loop.getUpperBound()).value_or(from + 1);
    int64_t step = getConstantIntValue(loop.getStep()).value_or(1);
    int64_t turns =
        step > 0 && to > from ? llvm::divideCeil(to - from, step) : 1;
    ranges.push_back({from, step, turns});
    combinations = std::min(combinations * turns, maxTurns + 1);
  }
  uint64_t weight = 1;
  for (auto [counted, range] : llvm::zip_equal(loops, ranges)) {
    scf::ForOp loop = counted;
    if (combinations <= maxTurns && !used.contains(loop.getInductionVar()))
      weight *= range[2];
    else if (combinations <= maxTurns)
      continue;
    range[2] = 1;
  }
  SmallVector<std::pair<Value, int64_t>> point;
  std::function<void(size_t)> go = [&](size_t depth) {
    if (depth == loops.size())
      return visit(point, weight);
    auto [from, step, turns] = ranges[depth];
    for (int64_t turn = 0; turn < turns; ++turn) {
      scf::ForOp loop = loops[depth];
      point.push_back({loop.getInductionVar(), from + turn * step});
      go(depth + 1);
      point.pop_back();
    }
  };
  go(0);
}

/// Adds the requests of `op`.
void Array::addRequests(Operation *op, ValueRange indices) {
  auto leaf = op->getParentOfType<scf::ForallOp>();
  if (!leaf)
    return; // All threads read the same element.
  auto distribution = getAttr<ObsDialect::DistributionAttrHelper>(leaf);
  if (distribution && distribution.getValue() != Distribution::Striped)
    return;
  auto map = cast<MapAttr>(leaf.getMappingAttr()[0]);
  int64_t workers = map.getScope() == Level::Warp ? warpSize : threads;
  int64_t count =
      getIterations(leaf).value_or(std::min(workers, maxIterations));
  // Counted surrounding loops. The counters of loops over units of a level are
  // not fixed.
  SmallVector<scf::ForOp> loops;
  for (Operation *around = op->getParentOp(); !isa<KernelOp>(around);
       around = around->getParentOp())
    if (auto loop = dyn_cast<scf::ForOp>(around);
        loop && !hasAttr<ObsDialect::MapAttrHelper>(loop) &&
        (leaf->isAncestor(loop) || getConstantIntValue(loop.getUpperBound())))
      loops.push_back(loop);
  using Point = ArrayRef<std::pair<Value, int64_t>>;
  auto recognize = [&](IndexRecognizer &recognizer, Point point) {
    recognizer.addLeaf(leaf.getRegion());
    recognizer.addVariable(leaf.getInductionVar(0), count);
    for (auto [variable, value] : point)
      recognizer.define(variable, IndexExpr::constant(value));
    return llvm::map_to_vector(
        indices, [&](Value index) { return recognizer.get(index); });
  };
  llvm::DenseSet<Value> used;
  IndexRecognizer any;
  for (const IndexExpr &index : recognize(any, {}))
    for (const IndexExpr &symbol : collectLeaves(index, Kind::Symbol))
      used.insert(any.getValue(symbol.getId()));
  forEachTurn(loops, used, [&](Point point, uint64_t weight) {
    IndexRecognizer recognizer;
    Request request{{}, std::min(count, maxIterations), workers};
    request.indices = recognize(recognizer, point);
    request.weight = weight;
    requests.push_back(std::move(request));
  });
}

/// `index` as a value plus a constant.
static std::pair<Value, int64_t> splitIndex(Value index) {
  if (std::optional<int64_t> number = getConstantIntValue(index))
    return {Value(), *number};
  auto sum = index.getDefiningOp<arith::AddIOp>();
  std::optional<int64_t> number =
      sum ? getConstantIntValue(sum.getRhs()) : std::nullopt;
  return number ? std::pair(sum.getLhs(), *number)
                : std::pair(index, int64_t());
}

/// True if `value` is a product with a multiple of `width`, or a sum of such
/// values.
static bool isMultiple(Value value, int64_t width) {
  if (!value)
    return true;
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return *number % width == 0;
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<arith::AddIOp, arith::RemUIOp>(op))
    return isMultiple(op->getOperand(0), width) &&
           isMultiple(op->getOperand(1), width);
  return isa_and_nonnull<arith::MulIOp>(op) &&
         (isMultiple(op->getOperand(0), width) ||
          isMultiple(op->getOperand(1), width));
}

/// Makes one request of the accesses of each run of loads, or of stores, of one
/// block of code: of 16 bytes, or else of 8 or 4.
void Array::findVectors(ArrayRef<Counted> counted) {
  // The code, if it loads, and all indices without the constant in the last.
  using Key = std::tuple<Block *, bool, SmallVector<void *>>;
  struct Group {
    Value base;
    std::map<int64_t, const Counted *> distances;
  };
  std::map<Key, Group> groups;
  for (const Counted &access : counted) {
    SmallVector<void *> values;
    ValueRange indices = getIndexedMemory(access.op).second;
    auto [base, distance] = splitIndex(indices.back());
    for (Value index : indices.drop_back())
      values.push_back(index.getAsOpaquePointer());
    values.push_back(base.getAsOpaquePointer());
    Group &group =
        groups[{access.op->getBlock(), isa<memref::LoadOp>(access.op), values}];
    group.base = base;
    group.distances[distance] = &access;
  }
  llvm::BitVector isPart(requests.size());
  for (int64_t width = widestAccess / bytes; width > 1 && width * bytes >= 4;
       width /= 2)
    for (auto &[key, group] : groups)
      for (auto [distance, first] : group.distances) {
        auto isFree = [&](int64_t distance) {
          auto found = group.distances.find(distance);
          return found != group.distances.end() &&
                 !isPart.test(found->second->begin) &&
                 requests[found->second->begin].width == 1;
        };
        int64_t run = 0;
        while (run < width && isFree(distance + run))
          ++run;
        if (distance % width != 0 || run != width ||
            !isMultiple(group.base, width))
          continue;
        for (size_t i = first->begin; i < first->end; ++i)
          requests[i].width = width;
        for (int64_t next = 1; next < width; ++next) {
          const Counted *part = group.distances[distance + next];
          isPart.set(part->begin, part->end);
        }
      }
  size_t next = 0;
  llvm::erase_if(requests, [&](const Request &) { return isPart[next++]; });
}

/// The number of an element in memory.
IndexExpr Array::getAddress(const IndexMap &indices,
                            const Placement &placement) const {
  IndexExpr last = indices.back();
  if (placement.swizzle > 1) {
    IndexExpr row = isOneRow()
                        ? IndexExpr::binary(Kind::FloorDiv, last,
                                            IndexExpr::constant(getBankRow()))
                        : indices[indices.size() - 2];
    last = last ^ (row & IndexExpr::constant(placement.swizzle - 1));
  }
  IndexExpr address = IndexExpr::constant(0);
  for (size_t d = 0; d < indices.size(); ++d) {
    bool isLast = d + 1 == indices.size();
    int64_t extent = shape[d] + (isLast ? placement.pad : 0);
    address =
        address * IndexExpr::constant(extent) + (isLast ? last : indices[d]);
  }
  return address;
}

std::optional<WarpCost> Array::getCost(const Request &request,
                                       const Placement &placement) const {
  int64_t row = isOneRow() ? request.width : shape.back() + placement.pad;
  int64_t width = placement.swizzle > 1 ? 1 : std::gcd(request.width, row);
  WarpCost all;
  for (int64_t first = 0; first < request.width; first += width) {
    IndexMap indices = request.indices;
    if (first > 0)
      indices.back() = indices.back() + IndexExpr::constant(first);
    std::optional<WarpCost> cost = getBankConflicts(
        getAddress(indices, placement), request.count, request.threads, bytes,
        IterationLayout::Striped, {}, width);
    if (!cost)
      return std::nullopt;
    // Each more access takes an instruction, too.
    all.total += cost->total + (first > 0 ? cost->requests : 0);
    all.requests = cost->requests;
  }
  return all;
}

uint64_t Array::getCost(const Placement &placement, uint64_t limit) const {
  uint64_t total = least;
  for (const Request &request : requests) {
    if (total >= limit)
      break;
    if (std::optional<WarpCost> cost = getCost(request, placement))
      total += getTotal(request, *cost) - getLeast(request, cost->requests);
  }
  return total;
}

SmallVector<Placement> Array::getPlacements(int64_t room) {
  SmallVector<Placement> placements;
  for (int64_t pad = 1; pad <= maxPad && !isOneRow(); ++pad)
    if (Placement padded{pad, 1}; getPadding(padded) <= room)
      placements.push_back(padded);
  // Permutes the row, or the elements of each row of banks, which are whole.
  int64_t row = isOneRow() ? getBankRow() : shape.back();
  Placement permuted{int64_t(llvm::alignTo(shape.back(), row)) - shape.back(),
                     std::min<int64_t>(row, getBankRow())};
  if (llvm::isPowerOf2_64(row) && row > 1 && getPadding(permuted) <= room)
    placements.push_back(permuted);
  return placements;
}

void Array::place(const Placement &placement) {
  if (placement.pad > 0) {
    shape.back() += placement.pad;
    alloc.getResult().setType(
        MemRefType::Builder(alloc.getType()).setShape(shape));
  }
  if (placement.swizzle == 1)
    return;
  for (Operation *op : accesses) {
    OpBuilder builder(op);
    Location loc = op->getLoc();
    IndexBuilder index{builder, loc};
    ValueRange indices = getIndexedMemory(op).second;
    Value last = indices.back();
    Value row = isOneRow()
                    ? arith::DivUIOp::create(builder, loc, last,
                                             index.constant(getBankRow()))
                          .getResult()
                    : indices.drop_back().back();
    row = arith::AndIOp::create(builder, loc, row,
                                index.constant(placement.swizzle - 1));
    last = arith::XOrIOp::create(builder, loc, last, row);
    op->setOperand(op->getNumOperands() - 1, last);
  }
}

namespace {
struct AssignBanks : obs::impl::ObsAssignBanksPassBase<AssignBanks> {
  using ObsAssignBanksPassBase::ObsAssignBanksPassBase;

  void runOnOperation() override {
    Workers workers = getWorkers(getOperation());
    SmallVector<Array, 0> arrays;
    // Arrays may share memory later, so this is the maximum.
    int64_t room = limit;
    getOperation().walk([&](memref::AllocOp alloc) {
      HomeAttr home = getHome(alloc);
      if (!home || home.getStorage() != Storage::Shared)
        return;
      arrays.emplace_back(alloc, workers);
      room -= arrays.back().getBytes();
    });
    for (Array &array : arrays)
      if (array.collect())
        improve(array, room);
  }

private:
  void improve(Array &array, int64_t &room) {
    uint64_t before = array.getCost();
    if (before == array.getLeast())
      return;
    Placement best;
    uint64_t least = before;
    for (const Placement &placement : array.getPlacements(room)) {
      if (least <= array.getLeast())
        break;
      // The operations for every index must be worth the gain.
      uint64_t price = placement.swizzle > 1 ? before / 4 : 0;
      uint64_t cost = array.getCost(placement, least - price);
      if (cost + price < least) {
        best = placement;
        least = cost;
      }
    }
    if (least == before)
      return;
    ++(best.swizzle > 1 ? swizzled : padded);
    room -= array.getPadding(best);
    array.place(best);
  }
};
} // namespace

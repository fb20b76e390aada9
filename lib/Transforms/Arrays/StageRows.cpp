//===- StageRows.cpp - Rows that threads process, in shared memory --------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In:  fused programs, whose reads are of arrays in memory.
// Out: the same programs. A loop over the grid whose threads process a row each
//      has become a loop over blocks, which copy their rows to shared memory,
//      and the results back.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSSTAGEROWSPASS
#include "Obsidian/Transforms/Arrays/Passes.h"

#include "BlockTiles.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::obs;

/// The rows of a block: the largest power of two that fits. With fewer rows
/// than a warp has threads, these would wait.
static constexpr int64_t mostRows = 512, leastRows = 32;

/// With fewer blocks than `manyBlocks`, some multiprocessors have no work, and
/// blocks have up to `rowsOfFew` rows.
static constexpr int64_t manyBlocks = 264, rowsOfFew = 128;

/// A row of fewer bytes is one access of its thread, or a few that the cache
/// serves.
static constexpr int64_t leastRowBytes = 20;

/// Longer rows do not fit. The limit also keeps all numbers small.
static constexpr int64_t longestRow = 1 << 16;

/// The maximum number of threads of a block.
static constexpr int64_t mostThreads = 256;

namespace {
/// Elements in memory that each thread reads: one for each value of `counter`.
struct Row {
  Value array;
  SmallVector<Value> indices;
  /// The counter of a loop of the thread. If it is null, the last index takes
  /// all values.
  Value counter;
  int64_t length;
  /// The reads of an element, with the value of the counter.
  SmallVector<std::pair<GetOp, Value>> reads;
};

/// A loop over the grid whose threads process one row each.
struct RowLoop {
  ParOp loop;
  FillOp fill;
  SmallVector<Row> inputs;
  /// The writes, if they are along rows of the result.
  SmallVector<WriteOp> writes;

  /// Divides `loop` into blocks with up to `limit` bytes of shared memory.
  static void stage(ParOp loop, int64_t limit);
  void findInputs();
  bool findRow(GetOp get);
  void findWrites();
  /// The bytes of one row of all arrays in shared memory.
  int64_t countBytes();
  void chooseThreads(int64_t rows);
  void rewrite(int64_t rows);

  bool isOutside(Value value) {
    return value.getParentRegion()->isProperAncestor(&loop.getBody());
  }
  bool findCounters(ValueRange values, llvm::DenseSet<Value> &counters);
  bool isKnown(ValueRange values);
  std::optional<int64_t> getStride(Value value, Value counter);
};
} // namespace

/// The number of iterations of a loop with the counters 0, 1 and so on. Null if
/// it is not known.
static std::optional<int64_t> countIterations(Operation *op, unsigned dim = 0) {
  if (auto par = dyn_cast<ParOp>(op))
    return getConstantIntValue(par.getExtents()[dim]);
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop || getConstantIntValue(loop.getLowerBound()) != 0 ||
      getConstantIntValue(loop.getStep()) != 1)
    return std::nullopt;
  return getConstantIntValue(loop.getUpperBound());
}

/// The number of times that each iteration of `loop` executes `op`. Null if it
/// is not known, or if it is 0 or more than the length of the longest row.
static std::optional<int64_t> countExecutions(Operation *op, ParOp loop) {
  int64_t count = 1;
  for (Operation *around = op->getParentOp(); around != loop;
       around = around->getParentOp()) {
    // A fill executes its body once.
    if (isa<FillOp>(around))
      continue;
    auto par = dyn_cast<ParOp>(around);
    for (unsigned dim = 0, e = par ? par.getExtents().size() : 1; dim < e;
         ++dim) {
      std::optional<int64_t> here = countIterations(around, dim);
      if (!here || *here < 1 || *here > longestRow / count)
        return std::nullopt;
      count *= *here;
    }
  }
  return count;
}

/// Finds the counters, of this loop and of others in it, from which `values`
/// are computed. False if they cannot be computed from counters alone.
bool RowLoop::findCounters(ValueRange values, llvm::DenseSet<Value> &counters) {
  SetVector<Value> needed(values.begin(), values.end());
  for (unsigned i = 0; i < needed.size(); ++i) {
    Value value = needed[i];
    if (isOutside(value))
      continue;
    if (auto counter = dyn_cast<BlockArgument>(value)) {
      auto inner = dyn_cast<scf::ForOp>(counter.getOwner()->getParentOp());
      if (inner ? inner.getInductionVar() != counter
                : !isa<ParOp>(counter.getOwner()->getParentOp()))
        return false;
      counters.insert(counter);
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!isa<GetOp>(op) &&
        !(isa<arith::ArithDialect>(op->getDialect()) && isPure(op)))
      return false;
    needed.insert_range(op->getOperands());
  }
  return true;
}

/// True if `values` are computed from the counters of this loop alone.
bool RowLoop::isKnown(ValueRange values) {
  llvm::DenseSet<Value> counters;
  return findCounters(values, counters) &&
         llvm::all_of(counters, [&](Value counter) {
           return llvm::is_contained(loop.getBody().getArguments(), counter);
         });
}

/// The difference of `value` for neighbouring values of `counter`. Null if it
/// is not known.
std::optional<int64_t> RowLoop::getStride(Value value, Value counter) {
  auto isFixed = [&](Value v) {
    llvm::DenseSet<Value> counters;
    return findCounters(v, counters) && !counters.contains(counter);
  };
  if (value == counter)
    return 1;
  if (isFixed(value))
    return 0;
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  for (unsigned i : {0, 1}) {
    Value other = op->getOperand(1 - i);
    if (!isFixed(other))
      continue;
    std::optional<int64_t> stride = getStride(op->getOperand(i), counter);
    std::optional<int64_t> factor = isa<arith::SubIOp>(op) && i == 1 ? -1 : 1;
    if (isa<arith::MulIOp>(op))
      factor = getConstantIntValue(other);
    if (stride && factor)
      return *stride * *factor;
    return std::nullopt;
  }
  return std::nullopt;
}

/// True if `lhs`, for the counter of `row`, and `rhs`, for `counter`, are
/// computed in the same way.
static bool areEqual(Value lhs, Value rhs, const Row &row, Value counter) {
  SetVector<std::pair<Value, Value>> pairs;
  pairs.insert({lhs, rhs});
  for (unsigned i = 0; i < pairs.size(); ++i) {
    auto [left, right] = pairs[i];
    bool isCounter = left == row.counter && right == counter;
    if (isCounter || (left == right && left != row.counter && right != counter))
      continue;
    Operation *l = left.getDefiningOp(), *r = right.getDefiningOp();
    if (!l || !r ||
        !OperationEquivalence::isEquivalentTo(
            l, r, OperationEquivalence::ignoreValueEquivalence, nullptr,
            OperationEquivalence::IgnoreLocations) ||
        cast<OpResult>(left).getResultNumber() !=
            cast<OpResult>(right).getResultNumber())
      return false;
    for (auto [a, b] : llvm::zip_equal(l->getOperands(), r->getOperands()))
      pairs.insert({a, b});
  }
  return true;
}

/// Adds a read of one element in each iteration of a loop. False if its place
/// has another form.
bool RowLoop::findRow(GetOp get) {
  llvm::DenseSet<Value> counters;
  if (!countExecutions(get, loop) || !findCounters(get.getIndices(), counters))
    return false;
  ValueRange own = loop.getBody().getArguments();
  BlockArgument counter;
  for (Value found : counters) {
    if (llvm::is_contained(own, found))
      continue;
    if (counter)
      return false;
    counter = cast<BlockArgument>(found);
  }
  if (!counter || !counters.contains(own.back()))
    return false;
  Operation *inner = counter.getOwner()->getParentOp();
  std::optional<int64_t> length =
      countIterations(inner, isa<ParOp>(inner) ? counter.getArgNumber() : 0);
  Value last = get.getIndices().back();
  std::optional<int64_t> along = getStride(last, counter),
                         across = getStride(last, own.back());
  auto isOne = [](int64_t stride) { return stride == 1 || stride == -1; };
  if (!length || (!along && !across) || (along && !isOne(*along)) ||
      (across && isOne(*across)))
    return false;
  auto found = llvm::find_if(inputs, [&](const Row &row) {
    return row.array == get.getArray() && row.counter &&
           row.length == *length &&
           llvm::all_of(llvm::zip_equal(row.indices, get.getIndices()),
                        [&](auto pair) {
                          return areEqual(std::get<0>(pair), std::get<1>(pair),
                                          row, counter);
                        });
  });
  if (found == inputs.end())
    found = inputs.insert(
        found, Row{get.getArray(), get.getIndices(), counter, *length, {}});
  found->reads.push_back({get, counter});
  return true;
}

void RowLoop::findInputs() {
  loop->walk<WalkOrder::PreOrder>([&](Operation *op) {
    // An assertion may be about the indices of the reads behind it.
    if (isa<AssertOp>(op))
      return WalkResult::interrupt();
    auto get = dyn_cast<GetOp>(op);
    if (!get || get.getIndices().empty() || get.getExtentRead() ||
        !isOutside(get.getArray()) || findRow(get))
      return WalkResult::advance();
    ValueRange place = get.getIndices().drop_back();
    int64_t length =
        cast<PullType>(get.getArray().getType()).getExtents().back();
    llvm::DenseSet<Value> counters;
    if (ShapedType::isDynamic(length) || length > longestRow ||
        !isKnown(place) || !findCounters(place, counters) ||
        !counters.contains(loop.getBody().getArguments().back()))
      return WalkResult::advance();
    auto found = llvm::find_if(inputs, [&](const Row &row) {
      return row.array == get.getArray() && !row.counter &&
             ValueRange(row.indices).drop_back() == place;
    });
    if (found == inputs.end())
      found = inputs.insert(
          found, Row{get.getArray(), get.getIndices(), Value(), length, {}});
    found->reads.push_back({get, get.getIndices().back()});
    return WalkResult::advance();
  });
  // A row is copied as a whole.
  llvm::erase_if(inputs, [&](const Row &row) {
    int64_t count = 0;
    for (auto [get, _] : row.reads)
      count += countExecutions(get, loop).value_or(0);
    return count < row.length;
  });
}

void RowLoop::findWrites() {
  ArrayRef<int64_t> extents = fill.getResult().getType().getExtents();
  int64_t length = extents.back(), count = 0;
  bool isAlong = !ShapedType::isDynamic(length) && extents.size() > 1 &&
                 fill.getInit().empty() && !fill.getOnto() &&
                 fill.getContract() == Contract::Disjoint && !fill.getKind();
  loop->walk([&](WriteOp write) {
    if (write->getParentOfType<FillOp>() != fill)
      return;
    std::optional<int64_t> here = countExecutions(write, loop);
    ValueRange place = write.getIndices();
    isAlong &=
        here && *here > 1 && !write.getKind() && write.getNesting() == 1 &&
        !place.empty() &&
        llvm::all_of(place.drop_back(), [&](Value v) { return isKnown(v); }) &&
        !isKnown(place.back()) &&
        (writes.empty() ||
         ValueRange(writes.front().getIndices()).drop_back() ==
             place.drop_back());
    count += here.value_or(0);
    writes.push_back(write);
  });
  // No element is written twice, so all elements are written.
  if (!isAlong || count != length)
    writes.clear();
}

int64_t RowLoop::countBytes() {
  int64_t bytes = 0;
  auto add = [&](int64_t length, ArrayRef<Type> elements) {
    for (Type type : elements)
      bytes += length * getElementBytes(type);
  };
  for (Row &row : inputs)
    add(row.length, cast<PullType>(row.array.getType()).getElementTypes());
  if (!writes.empty())
    add(fill.getResult().getType().getExtents().back(),
        fill.getResult().getType().getElementTypes());
  return bytes;
}

/// All threads copy the same number of elements, so that the loops need no
/// guards, unless the program has its own number of threads.
void RowLoop::chooseThreads(int64_t rows) {
  auto force = fill.getResult().hasOneUse()
                   ? dyn_cast<ForceOp>(*fill.getResult().user_begin())
                   : ForceOp();
  if (!force || force.getThreads() ||
      !llvm::hasSingleElement(fill.getBody().front()))
    return;
  uint64_t elements = 0;
  for (Row &row : inputs)
    elements |= rows * row.length;
  if (!writes.empty())
    elements |= rows * fill.getResult().getType().getExtents().back();
  int64_t threads = std::min<int64_t>(mostThreads, elements & -elements);
  force.setThreads(threads);
}

void RowLoop::stage(ParOp loop, int64_t limit) {
  RowLoop rows;
  rows.loop = loop;
  rows.fill = cast<FillOp>(loop->getParentOp());
  rows.findInputs();
  if (rows.inputs.empty())
    return;
  rows.findWrites();
  int64_t bytes = rows.countBytes();
  if (bytes < leastRowBytes || bytes * leastRows > limit)
    return;
  int64_t count = mostRows;
  uint64_t total = 1;
  for (Value extent : loop.getExtents())
    total = llvm::SaturatingMultiply<uint64_t>(
        total, getConstantIntValue(extent).value_or(mostRows * manyBlocks));
  while (bytes * count > limit ||
         (count > rowsOfFew && total < uint64_t(count * manyBlocks)))
    count /= 2;
  rows.chooseThreads(count);
  rows.rewrite(count);
}

void RowLoop::rewrite(int64_t rows) {
  Location loc = loop.getLoc();
  OpBuilder b(loop);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  // The rows that the last counters determine have one number, if only the
  // first of their extents is dynamic: so divisions are by constants.
  OperandRange extents = loop.getExtents();
  unsigned from = extents.size() - 1;
  while (from > 0 && getConstantIntValue(extents[from]))
    --from;
  Value total = extents[from], size = constant(rows);
  for (Value extent : extents.drop_front(from + 1))
    total = b.createOrFold<arith::MulIOp>(loc, total, extent);
  SmallVector<Value> counts(extents.take_front(from));
  counts.push_back(b.createOrFold<arith::CeilDivUIOp>(loc, total, size));
  auto blocks = enterLoop(b, loc, counts, Level::Block);
  ValueRange block = blocks.getBody().getArguments();
  Value first = arith::MulIOp::create(b, loc, block.back(), size);
  std::optional<int64_t> known = getConstantIntValue(total);
  bool isWhole = known && *known % rows == 0;

  // Maps the counters of the loop to those of a row, by its number.
  auto mapRow = [&](Value number) {
    IRMapping mapping;
    ValueRange counters = loop.getBody().getArguments();
    mapping.map(counters.take_front(from), block.drop_back());
    for (unsigned dim = extents.size() - 1; dim > from; --dim) {
      mapping.map(counters[dim],
                  b.createOrFold<arith::RemUIOp>(loc, number, extents[dim]));
      number = b.createOrFold<arith::DivUIOp>(loc, number, extents[dim]);
    }
    mapping.map(counters[from], number);
    return mapping;
  };
  // In the last block, the last of `count` rows or elements takes the place of
  // those that do not exist. If these are `guarded`, the insertion point is
  // afterwards where the number is below `count`.
  auto enter = [&](Value number, Value count, bool guarded) -> Value {
    if (isWhole)
      return number;
    if (!guarded)
      return arith::MinUIOp::create(
          b, loc, number, arith::SubIOp::create(b, loc, count, constant(1)));
    Value exists =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, number, count);
    b.setInsertionPointToStart(scf::IfOp::create(b, loc, exists).thenBlock());
    return number;
  };
  // A loop over the elements of the block's rows. If all rows have one number,
  // so do all elements, and neighbouring rows need no division. Otherwise,
  // checkers of races could not compare such numbers.
  auto createCopy = [&](int64_t length, bool guarded) {
    Value size = constant(length);
    auto par =
        enterLoop(b, loc, ValueRange{constant(rows * length)}, Level::Thread);
    Value element = par.getBody().getArgument(0);
    Value row = arith::DivUIOp::create(b, loc, element, size);
    Value place = arith::RemUIOp::create(b, loc, element, size);
    SmallVector<Value> inTile = {row, place};
    if (from == 0) {
      Value start = arith::MulIOp::create(b, loc, first, size);
      Value number = enter(arith::AddIOp::create(b, loc, start, element),
                           arith::MulIOp::create(b, loc, total, size), guarded);
      row = arith::DivUIOp::create(b, loc, number, size);
      place = arith::RemUIOp::create(b, loc, number, size);
    } else {
      row = enter(arith::AddIOp::create(b, loc, first, row), total, guarded);
    }
    return std::tuple(inTile, mapRow(row), place);
  };
  // Computes numbers for the counters in `mapping`.
  std::function<Value(Value, IRMapping &)> compute = [&](Value value,
                                                         IRMapping &mapping) {
    if (isOutside(value) || mapping.contains(value))
      return mapping.lookupOrDefault(value);
    for (Value operand : value.getDefiningOp()->getOperands())
      compute(operand, mapping);
    b.clone(*value.getDefiningOp(), mapping);
    return mapping.lookup(value);
  };

  // The tile of a read, and the place in its row.
  llvm::DenseMap<Operation *, std::pair<Value, Value>> tiles;
  for (Row &row : inputs) {
    TypeRange elements = row.reads.front().first.getResultTypes();
    Value tile = storeTile(b, loc, {rows, row.length}, elements, [&] {
      auto [at, mapping, last] = createCopy(row.length, /*guarded=*/false);
      // The last index may be a number that is another index, too.
      SmallVector<Value> place(row.indices);
      if (row.counter)
        mapping.map(row.counter, last);
      else
        place.back() = last;
      for (Value &index : MutableArrayRef(place).drop_back(!row.counter))
        index = compute(index, mapping);
      auto get = GetOp::create(b, loc, elements, row.array, place);
      WriteOp::create(b, loc, get.getResults(), at, ContractAttr(),
                      Attribute());
    });
    for (auto [read, place] : row.reads)
      tiles[read] = {tile, place};
  }
  auto process = [&] {
    auto par = enterLoop(b, loc, ValueRange{size}, Level::Thread);
    Value row = par.getBody().getArgument(0);
    IRMapping mapping =
        mapRow(enter(arith::AddIOp::create(b, loc, first, row), total,
                     /*guarded=*/writes.empty()));
    for (Operation &op : loop.getBody().front()) {
      Operation *copy = b.clone(op, mapping);
      // The copy has the same operations in the same order.
      SmallVector<Operation *> old, found;
      op.walk([&](Operation *inner) { old.push_back(inner); });
      copy->walk([&](Operation *inner) { found.push_back(inner); });
      for (auto [before, after] : llvm::zip_equal(old, found)) {
        if (auto [tile, place] = tiles.lookup(before); tile) {
          auto get = cast<GetOp>(after);
          get.getArrayMutable().assign(tile);
          get.getIndicesMutable().assign(
              ValueRange{row, mapping.lookupOrDefault(place)});
        }
        if (llvm::is_contained(writes, before)) {
          auto write = cast<WriteOp>(after);
          Value last = write.getIndices().back();
          write.getIndicesMutable().assign(ValueRange{row, last});
          write.removeContractAttr();
        }
      }
    }
  };
  if (writes.empty()) {
    process();
  } else {
    PushType type = fill.getResult().getType();
    int64_t length = type.getExtents().back();
    WriteOp write = writes.front();
    Value tile =
        storeTile(b, loc, {rows, length}, type.getElementTypes(), process);
    auto [at, mapping, last] = createCopy(length, /*guarded=*/true);
    SmallVector<Value> place;
    for (Value index : write.getIndices().drop_back())
      place.push_back(compute(index, mapping));
    place.push_back(last);
    auto get = GetOp::create(b, loc, type.getElementTypes(), tile, at);
    WriteOp::create(b, loc, get.getResults(), place, write.getContractAttr(),
                    Attribute());
  }
  loop.erase();
}

namespace {
struct StageRows : obs::impl::ObsStageRowsPassBase<StageRows> {
  using ObsStageRowsPassBase::ObsStageRowsPassBase;

  void runOnOperation() override {
    for (ParOp loop : findThreadLoops(getOperation()))
      RowLoop::stage(loop, limit);
  }
};
} // namespace

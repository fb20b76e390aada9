//===- CodeModel.cpp - Executions of code, and its addresses --------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeModel.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <functional>

using namespace mlir;
using namespace mlir::obs;
using Kind = IndexExpr::Kind;

/// Points of loops at most that one question looks at.
static constexpr int64_t maxPoints = 1 << 14;
/// Iterations at most that one question evaluates requests for, one by one.
static constexpr int64_t maxIterations = 1 << 14;
/// More elements than any array has.
static constexpr int64_t maxExtent = IndexRecognizer::maxExtent;
/// The extents of large arrays: a multiple of a sector.
static constexpr int64_t largeExtent = 4096;
/// Symbols from here on are extents that no value of the kernel holds.
static constexpr unsigned firstUnknownExtent = 1u << 30;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// The most that a value carried by a loop, or that leaves it, can be.
static Count getCarried(llvm::function_ref<Count(Value)> get, Value init,
                        Value next) {
  Count first = get(init), others = get(next);
  return Count::max(first, others).asBound();
}

Count CodeModel::getSize(Value value) const {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant < 0 ? Count::unknown() : Count(*constant);
  SmallVector<Value> open;
  return getSize(value, open);
}

Count CodeModel::getSize(Value value, SmallVectorImpl<Value> &open) const {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant;
  // A loop can carry a value that depends on the iteration before.
  if (llvm::is_contained(open, value))
    return Count::unknown();
  open.push_back(value);
  llvm::scope_exit atEnd([&] { open.pop_back(); });
  auto get = [&](Value part) { return getSize(part, open); };

  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *owner = argument.getOwner()->getParentOp();
    if (owner == kernel)
      return Count::size("arg" + std::to_string(argument.getArgNumber()));
    auto loop = dyn_cast<scf::ForOp>(owner);
    if (!loop)
      return Count::unknown();
    if (argument == loop.getInductionVar())
      return (get(loop.getUpperBound()) - Count(1)).asBound();
    return getCarried(get, loop.getTiedLoopInit(argument)->get(),
                      loop.getTiedLoopYieldedValue(argument)->get());
  }
  Operation *op = value.getDefiningOp();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    unsigned number = cast<OpResult>(value).getResultNumber();
    return getCarried(get, loop.getInitArgs()[number],
                      loop.getYieldedValues()[number]);
  }
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    auto memory = dyn_cast<BlockArgument>(dim.getSource());
    std::optional<unsigned> index = getKnownDimension(dim);
    if (!memory || !index || memory.getOwner()->getParentOp() != kernel)
      return Count::unknown();
    return Count::size("arg" + std::to_string(memory.getArgNumber()) + ".dim" +
                       std::to_string(*index));
  }
  if (op->getNumOperands() == 1 && isa<arith::IndexCastOp, arith::IndexCastUIOp,
                                       arith::ExtUIOp, arith::ExtSIOp>(op))
    return get(op->getOperand(0));
  if (auto choice = dyn_cast<arith::SelectOp>(op))
    return Count::max(get(choice.getTrueValue()), get(choice.getFalseValue()))
        .asBound();
  if (op->getNumOperands() != 2)
    return Count::unknown();
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  auto divide = [&](const std::string &name, Value dividend) {
    Count divisor = get(rhs);
    if (!divisor.isExact())
      return Count::unknown();
    return divisor.getConstant() == 1
               ? get(dividend)
               : Count::call(name, " / ", get(dividend), divisor);
  };
  if (isa<arith::AddIOp>(op)) {
    Count sum = get(lhs);
    return sum += get(rhs);
  }
  if (isa<arith::SubIOp>(op))
    return getDifference(lhs, rhs, open);
  if (isa<arith::MulIOp>(op))
    return get(lhs) * get(rhs);
  if (isa<arith::MinSIOp, arith::MinUIOp>(op))
    return Count::min(get(lhs), get(rhs));
  if (isa<arith::MaxSIOp, arith::MaxUIOp>(op))
    return Count::max(get(lhs), get(rhs));
  if (isa<arith::CeilDivUIOp, arith::CeilDivSIOp>(op))
    return divide("ceil", lhs);
  if (isa<arith::RemUIOp>(op)) {
    Count dividend = get(lhs), divisor = get(rhs);
    return dividend.isExact()
               ? divisor.isExact() ? Count::call("", " mod ", dividend, divisor)
                                   : Count::unknown()
               : (divisor - Count(1)).asBound();
  }
  if (isa<arith::DivUIOp>(op)) {
    // (x + (c - 1)) / c.
    auto sum = lhs.getDefiningOp<arith::AddIOp>();
    std::optional<int64_t> divisor = getConstantIntValue(rhs);
    if (sum && divisor && getConstantIntValue(sum.getRhs()) == *divisor - 1)
      return divide("ceil", sum.getLhs());
    if (auto less = sum ? sum.getRhs().getDefiningOp<arith::SubIOp>() : nullptr)
      if (getConstantIntValue(less.getRhs()) == 1 && less.getLhs() == rhs)
        return divide("ceil", sum.getLhs());
    return divide("floor", lhs);
  }
  return Count::unknown();
}

/// The values whose sum is `value`, if it is a sum.
static SmallVector<Value> getAddends(Value value) {
  auto sum = value.getDefiningOp<arith::AddIOp>();
  if (!sum)
    return {value};
  SmallVector<Value> addends = getAddends(sum.getLhs());
  addends.append(getAddends(sum.getRhs()));
  return addends;
}

Count CodeModel::getDifference(Value lhs, Value rhs,
                               SmallVectorImpl<Value> &open) const {
  // The elements of a piece: min(n, start + size) - start.
  if (auto least = lhs.getDefiningOp<arith::MinSIOp>();
      least && !getConstantIntValue(rhs))
    return Count::min(getDifference(least.getLhs(), rhs, open),
                      getDifference(least.getRhs(), rhs, open));
  SmallVector<Value> added = getAddends(lhs), subtracted;
  for (Value value : getAddends(rhs)) {
    if (auto *same = llvm::find(added, value); same != added.end())
      added.erase(same);
    else
      subtracted.push_back(value);
  }
  Count difference, less;
  for (Value value : added)
    difference += getSize(value, open);
  for (Value value : subtracted)
    // The first thread has number 0.
    if (!leaf || value != scf::ForallOp(leaf).getInductionVar(0))
      less += getSize(value, open);
    else
      difference = difference.asBound();
  return difference - less;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

CodeModel::CodeModel(KernelOp kernel, scf::ForallOp leaf, bool isInside)
    : kernel(kernel), leaf(leaf), isInside(isInside) {
  kernel.walk([&](memref::DimOp dim) {
    if (isInside)
      recognizer.define(dim, IndexExpr::constant(largeExtent));
    else
      recognizer.setRange(dim, {0, maxExtent});
  });
  if (isInside)
    moveInside();
  kernel.walk([&](scf::ForOp loop) {
    if (!hasAttr<ObsDialect::MapAttrHelper>(loop))
      return;
    int64_t trips =
        getConstantIntValue(loop.getUpperBound()).value_or(maxExtent + 1);
    recognizer.setRange(loop.getInductionVar(),
                        {0, std::max<int64_t>(trips, 1) - 1});
  });
  if (!leaf)
    return;
  recognizer.addLeaf(leaf.getRegion());
  Value iteration = leaf.getInductionVar(0);
  // The first declaration counts.
  recognizer.addVariable(iteration,
                         obs::getIterations(leaf).value_or(maxExtent));
  // Lanes that run a loop together are in the same iteration of it, however
  // many iterations there are.
  leaf.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    if (!isCounted(loop) && recognizer.get(loop.getStep()).isUniform() &&
        !recognizer.get(loop.getLowerBound()).hasOpaque())
      recognizer.addRounds(loop);
  });
}

/// Selects one part of the grid, after the middle, so that there are elements
/// on all sides of it.
void CodeModel::moveInside() {
  auto getInside = [](int64_t size) { return size / 8 * 5 + size % 8 / 2; };
  // Numbers of tiles and elements are taken apart into rows and columns, and
  // those of rows into rows of planes.
  std::function<int64_t(Value, int64_t)> place = [&](Value counter,
                                                     int64_t trips) {
    int64_t columns = trips;
    Value row;
    for (Operation *user : counter.getUsers())
      if (isa<arith::RemUIOp, arith::DivUIOp>(user) &&
          user->getOperand(0) == counter)
        if (std::optional<int64_t> divisor =
                recognizer.get(user->getOperand(1)).getConstant()) {
          columns = std::clamp<int64_t>(*divisor, 1, trips);
          if (isa<arith::DivUIOp>(user))
            row = user->getResult(0);
        }
    if (columns == trips)
      return getInside(trips);
    int64_t rows = trips / columns;
    return (row ? place(row, rows) : getInside(rows)) * columns +
           getInside(columns);
  };
  kernel.walk([&](scf::ForOp loop) {
    auto map = getAttr<ObsDialect::MapAttrHelper>(loop);
    if (!map || map.getScope() != Level::Grid)
      return;
    std::optional<int64_t> trips =
        recognizer.get(loop.getUpperBound()).getConstant();
    if (trips && *trips > 0)
      recognizer.define(
          loop.getInductionVar(),
          IndexExpr::constant(place(loop.getInductionVar(), *trips)));
  });
  if (!leaf || getLeafMap(leaf).getScope() != Level::Grid)
    return;
  OpFoldResult extent = leaf.getMixedUpperBound()[0];
  std::optional<int64_t> trips = getConstantIntValue(extent);
  if (!trips)
    trips = recognizer.get(cast<Value>(extent)).getConstant();
  int64_t threads = kernel.getThreads().value_or(1);
  if (!trips || *trips <= 0)
    return;
  Value iteration = leaf.getInductionVar(0);
  firstIteration = place(iteration, *trips) / threads * threads;
  recognizer.define(iteration, IndexExpr::variable(0, *trips) +
                                   IndexExpr::constant(firstIteration));
}

/// True where the recognizer expresses the counter of `loop` by the number of
/// its iteration.
bool CodeModel::isCounted(scf::ForOp loop) {
  std::optional<int64_t> lower =
      recognizer.get(loop.getLowerBound()).getConstant();
  std::optional<int64_t> step = recognizer.get(loop.getStep()).getConstant();
  std::optional<IndexRange> upper =
      recognizer.get(loop.getUpperBound()).getRange();
  return lower && step && upper && *step > 0 && *lower >= 0 &&
         upper->max > *lower;
}

CodeModel::Loop CodeModel::describe(scf::ForOp loop) {
  Loop result;
  IndexExpr counter = recognizer.get(loop.getInductionVar());
  SmallVector<IndexExpr> leaves = collectLeaves(counter, Kind::Symbol);
  leaves.append(collectLeaves(counter, Kind::Variable));
  if (leaves.size() == 1)
    result.counter = leaves.front();
  IndexExpr upper = recognizer.get(loop.getUpperBound());
  if (hasAttr<ObsDialect::MapAttrHelper>(loop)) {
    // All units of the scope together do each iteration once.
    result.trips = upper;
    result.size = getSize(loop.getUpperBound());
    return result;
  }
  IndexExpr lower = recognizer.get(loop.getLowerBound());
  IndexExpr step = recognizer.get(loop.getStep());
  IndexExpr one = IndexExpr::constant(1), zero = IndexExpr::constant(0);
  IndexExpr length = IndexExpr::binary(Kind::Max, upper - lower, zero);
  result.trips = IndexExpr::binary(Kind::FloorDiv, length + (step - one), step);
  if (!isCounted(loop) && result.counter == counter) {
    result.first = lower;
    result.step = step;
  }
  if (lower.getConstant() == 0 && step.getConstant() == 1) {
    result.size = getSize(loop.getUpperBound());
    return result;
  }
  Count by = getSize(loop.getStep());
  SmallVector<Value> open;
  Count way = getDifference(loop.getUpperBound(), loop.getLowerBound(), open);
  result.size = !by.isExact()           ? Count::unknown()
                : by.getConstant() == 1 ? way
                                        : Count::call("ceil", " / ", way, by);
  if (leaf && step.getConstant())
    result.stride = Stride{lower, upper, *step.getConstant(), way};
  return result;
}

void CodeModel::joinStrides(Context &context) {
  auto *threads = llvm::find_if(context.loops,
                                [](const Loop &loop) { return loop.isLeaf; });
  if (threads == context.loops.end() || !threads->counter ||
      !context.loops.back().stride)
    return;
  Loop &inner = context.loops.back();
  // Nothing else depends on the number of the thread.
  SmallVector<IndexExpr> others = context.conditions;
  for (const Loop &loop : llvm::drop_end(context.loops))
    others.push_back(loop.trips);
  if (llvm::is_contained(collectLeaves(others, Kind::Variable),
                         *threads->counter))
    return;
  Stride &stride = *inner.stride;
  LinearForm base = LinearForm::get(stride.lower);
  auto *term = llvm::find_if(base.terms, [&](auto &term) {
    return term.first == *threads->counter && term.second == 1;
  });
  std::optional<IndexRange> range = threads->trips.getRange();
  if (term == base.terms.end() || !range || range->max > stride.step)
    return;
  base.terms.erase(term);
  context.isBound |= range->min != stride.step;
  inner.trips = IndexExpr::binary(Kind::Max, stride.upper - base.toExpr(),
                                  IndexExpr::constant(0));
  inner.size = stride.size;
  inner.counter = std::nullopt;
  threads->trips = IndexExpr::constant(1);
  threads->size = 1;
}

CodeModel::Context CodeModel::getContext(Block *block, Operation *scope) {
  Context context;
  Region *region = block->getParent();
  for (Operation *op = block->getParentOp(); op != scope && op != kernel;
       region = op->getParentRegion(), op = op->getParentOp()) {
    if (auto forall = dyn_cast<scf::ForallOp>(op)) {
      OpFoldResult bound = forall.getMixedUpperBound()[0];
      Loop loop;
      loop.isLeaf = true;
      if (std::optional<int64_t> constant = getConstantIntValue(bound)) {
        loop.trips = IndexExpr::constant(*constant);
      } else {
        Value extent = cast<Value>(bound);
        loop.trips = recognizer.get(extent);
        loop.size = getSize(extent);
      }
      if (forall == leaf)
        loop.counter = IndexExpr::variable(0);
      context.loops.push_back(loop);
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      context.loops.push_back(describe(loop));
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      IndexExpr condition = recognizer.get(branch.getCondition());
      if (region == &branch.getElseRegion())
        condition = IndexExpr::constant(1) - condition;
      context.conditions.push_back(condition);
    } else if (isa<scf::WhileOp>(op)) {
      context.isKnown = false;
    }
  }
  std::reverse(context.loops.begin(), context.loops.end());
  return context;
}

static IndexExpr fix(const IndexExpr &expr,
                     ArrayRef<std::pair<IndexExpr, int64_t>> fixed) {
  if (fixed.empty())
    return expr;
  return expr.substitute(
      [&](const IndexExpr &leaf) -> std::optional<IndexExpr> {
        for (auto &[name, value] : fixed)
          if (name.getKind() == leaf.getKind() && name.getId() == leaf.getId())
            return IndexExpr::constant(value);
        return std::nullopt;
      });
}

bool CodeModel::forEachPoint(
    ArrayRef<Loop> loops, ArrayRef<IndexExpr> needed,
    llvm::function_ref<void(const Fixed &, const Count &)> visit) {
  SmallVector<IndexExpr> leaves;
  for (const Loop &loop : loops) {
    leaves.append(collectLeaves(loop.trips, Kind::Symbol));
    leaves.append(collectLeaves(loop.trips, Kind::Variable));
  }
  leaves.append(collectLeaves(needed, Kind::Symbol));
  leaves.append(collectLeaves(needed, Kind::Variable));
  int64_t points = 0;
  Fixed fixed;
  std::function<bool(unsigned, const Count &)> run =
      [&](unsigned depth, const Count &weight) -> bool {
    if (depth == loops.size()) {
      visit(fixed, weight);
      ++allPoints;
      return ++points <= maxPoints;
    }
    const Loop &loop = loops[depth];
    std::optional<int64_t> trips = fix(loop.trips, fixed).getConstant();
    if (!trips)
      return run(depth + 1, weight * loop.size);
    if (*trips <= 0)
      return true;
    std::optional<int64_t> first = fix(loop.first, fixed).getConstant();
    std::optional<int64_t> step = fix(loop.step, fixed).getConstant();
    bool isNeeded = loop.counter && first && step &&
                    llvm::is_contained(leaves, *loop.counter);
    if (!isNeeded)
      return run(depth + 1, weight * Count(*trips));
    if (*trips > maxPoints)
      return false;
    for (int64_t round = 0; round < *trips; ++round) {
      fixed.push_back({*loop.counter, *first + round * *step});
      bool isDone = run(depth + 1, weight);
      fixed.pop_back();
      if (!isDone)
        return false;
    }
    return true;
  };
  return run(0, Count(1));
}

Count CodeModel::getRuns(Block *block, Operation *scope) {
  auto found = runs.find({block, scope});
  if (found != runs.end())
    return found->second;
  Context context = getContext(block, scope);
  joinStrides(context);
  // Conditions on sizes are not known at any point.
  SmallVector<IndexExpr> counters;
  for (const Loop &loop : context.loops)
    if (loop.counter)
      counters.push_back(*loop.counter);
  bool isBound = context.isBound;
  llvm::erase_if(context.conditions, [&](const IndexExpr &condition) {
    SmallVector<IndexExpr> leaves = collectLeaves(condition, Kind::Symbol);
    leaves.append(collectLeaves(condition, Kind::Variable));
    bool isKnown =
        !condition.hasOpaque() && llvm::all_of(leaves, [&](auto &leaf) {
          return llvm::is_contained(counters, leaf);
        });
    isBound |= !isKnown;
    return !isKnown;
  });
  Count total;
  bool isDone = forEachPoint(
      context.loops, context.conditions, [&](const Fixed &fixed, Count count) {
        for (const IndexExpr &condition : context.conditions) {
          std::optional<IndexRange> range = fix(condition, fixed).getRange();
          if (range && range->min == 0 && range->max == 0)
            return;
          if (!range || range->min != 1 || range->max != 1)
            count = count.asBound();
        }
        total += count;
      });
  if (!isDone) {
    // Without the conditions there may be few points.
    total = Count();
    isDone =
        forEachPoint(context.loops, {}, [&](const Fixed &, const Count &count) {
          total += count;
        });
    if (!context.conditions.empty())
      total = total.asBound();
  }
  if (!isDone || !context.isKnown)
    total = Count::unknown();
  if (isBound)
    total = total.asBound();
  runs.insert({{block, scope}, total});
  return total;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

IndexExpr CodeModel::getExtent(Value memory, unsigned dimension) {
  auto type = cast<MemRefType>(memory.getType());
  if (!type.isDynamicDim(dimension))
    return IndexExpr::constant(type.getDimSize(dimension));
  for (Operation *user : memory.getUsers())
    if (auto dim = dyn_cast<memref::DimOp>(user))
      if (getKnownDimension(dim) == dimension)
        return recognizer.get(dim);
  if (isInside)
    return IndexExpr::constant(largeExtent);
  auto added = unknownExtents.insert(
      {{memory, dimension}, firstUnknownExtent + unknownExtents.size()});
  return IndexExpr::symbol(added.first->second, IndexRange{0, maxExtent});
}

std::optional<IndexExpr> CodeModel::getAddress(const ElementAccess &access) {
  auto type = cast<MemRefType>(access.memory.getType());
  if (getRoot(access.memory) != access.memory || !type.getLayout().isIdentity())
    return std::nullopt;
  IndexExpr address = IndexExpr::constant(0);
  for (auto [dimension, index] : llvm::enumerate(access.indices)) {
    if (dimension > 0)
      address = address * getExtent(access.memory, dimension);
    address = address + recognizer.get(index);
  }
  return address;
}

bool CodeModel::ask(const ElementAccess &access, int64_t workers, Query query) {
  std::optional<IndexExpr> address = getAddress(access);
  if (!address)
    return false;
  Context context = getContext(access.op->getBlock(), kernel);
  IndexExpr threads = IndexExpr::constant(1);
  if (auto *loop = llvm::find_if(context.loops,
                                 [](const Loop &loop) { return loop.isLeaf; });
      loop != context.loops.end()) {
    threads = loop->trips - IndexExpr::constant(firstIteration);
    context.loops.erase(loop);
  }

  auto getCount = [&](const IndexExpr &trips) -> int64_t {
    // A length that is large or known at run time: some iterations stand for
    // all.
    constexpr int64_t rounds = 16, roundsInside = 4;
    std::optional<IndexRange> range = trips.getRange();
    int64_t most = range ? std::max<int64_t>(range->max, 0) : maxExtent;
    if (range && range->min == range->max && most <= maxIterations)
      return most;
    return std::min(most, (isInside ? roundsInside : rounds) * workers);
  };
  auto query1 = [&](const Fixed &fixed) {
    SmallVector<IndexExpr> conditions;
    for (const IndexExpr &condition : context.conditions)
      conditions.push_back(fix(condition, fixed));
    return query(fix(*address, fixed), getCount(fix(threads, fixed)),
                 conditions);
  };
  bool isExtentFixed = llvm::none_of(context.loops, [&](const Loop &loop) {
    return loop.counter &&
           llvm::is_contained(collectLeaves(threads, Kind::Symbol),
                              *loop.counter);
  });
  if (isExtentFixed && query1({}))
    return true;
  SmallVector<IndexExpr> needed = context.conditions;
  needed.push_back(*address);
  needed.push_back(threads);
  bool isKnown = true;
  int64_t iterations = 0;
  bool isDone = forEachPoint(
      context.loops, needed, [&](const Fixed &point, const Count &) {
        iterations += getCount(fix(threads, point));
        isKnown = isKnown && iterations <= maxIterations && query1(point);
      });
  return isDone && isKnown;
}

std::optional<int64_t> CodeModel::getIterations() const {
  scf::ForallOp loop = leaf;
  std::optional<int64_t> number =
      getConstantIntValue(loop.getMixedUpperBound()[0]);
  return number && *number <= maxIterations ? number : std::nullopt;
}

bool CodeModel::dependsOnOthers(const ElementAccess &access) {
  llvm::SmallPtrSet<const void *, 16> seen;
  std::function<bool(const IndexExpr &)> depends = [&](const IndexExpr &expr) {
    if (!seen.insert(expr.getIdentity()).second)
      return false;
    ArrayRef<IndexExpr> operands = expr.getOperands();
    switch (expr.getKind()) {
    case Kind::Symbol: {
      auto dim =
          recognizer.getValue(expr.getId()).getDefiningOp<memref::DimOp>();
      return dim && dim.getSource() != access.memory;
    }
    case Kind::FloorDiv:
    case Kind::Mod:
      operands = operands.take_front();
      break;
    case Kind::Select:
      operands = operands.drop_front(2);
      break;
    case Kind::Min:
    case Kind::Max:
      // Bounds are far away.
      return llvm::any_of(operands, [&](const IndexExpr &operand) {
        return !operand.isUniform() && depends(operand);
      });
    default:
      break;
    }
    return llvm::any_of(operands, depends);
  };
  return llvm::any_of(access.indices, [&](Value index) {
    return depends(recognizer.get(index));
  });
}

//===- Copies.cpp - Privatised copies of results --------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parts of the iterations write to privatised copies of the result, which are
// then combined. CopyElement.cpp has the elements of copies, and OwnCopies.cpp
// the copies that only one thread writes.
//
//===----------------------------------------------------------------------===//

#include "CopyElement.h"
#include "Expansion.h"
#include "ExpansionUtils.h"
#include "Grid.h"
#include "MappedResult.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/ObsIrregular.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

/// The number of workers of a block with copies in registers, and of those that
/// then combine all copies of one element.
static constexpr int64_t workers = 256, strands = 16;

//===----------------------------------------------------------------------===//
// Copies in memory
//===----------------------------------------------------------------------===//

/// The number of bytes of an element of the result.
static int64_t countElementBytes(const Reduction &reduction) {
  int64_t bytes = 0;
  for (Type type : reduction.getElementTypes())
    bytes += getElementBytes(type);
  return bytes;
}

/// Builds `count` iterations from `begin` on by `body`, which gets the number
/// of the thread. One thread executes these iterations together, in `groups` of
/// neighbours.
static void runIterations(
    CollectiveBuilder &c, Reduction &reduction, Value begin, Value count,
    int64_t groups, const ExpansionOptions &options,
    llvm::function_ref<void(ValueRange iterations, Value thread)> body) {
  constexpr int64_t neighbours = CopyLimits::neighbours,
                    group = workers * neighbours;
  int64_t chunk = group * groups;
  if (c.level == Level::Block && !options.plain &&
      reduction.profitsFromItems()) {
    Value chunks = c.div(count, c.constant(chunk));
    Value row = c.constant(workers);
    forEach(c, c.mul(chunks, row), [&](Value t) {
      Value first = c.add(c.mul(c.div(t, row), c.constant(chunk)),
                          c.mul(c.rem(t, row), c.constant(neighbours)));
      first = c.add(begin, first);
      Values iterations;
      for (int64_t at = 0; at < chunk; at += group)
        for (int64_t i = 0; i < neighbours; ++i)
          iterations.push_back(c.add(first, c.constant(at + i)));
      body(iterations, t);
    });
    Value done = c.mul(chunks, c.constant(chunk));
    begin = c.add(begin, done);
    count = c.sub(count, done);
  }
  forEach(c, count, [&](Value t) { body(c.add(begin, t), t); });
}

namespace {
/// The elements of the result that are in a copy.
struct CopyRange {
  /// The number of the first element; null if the copy has all elements.
  Value begin;
  Extent size;
};
} // namespace

/// Instances of the level of `c` combine `count` iterations from `begin` on in
/// several privatised copies. The copies are then combined with the result.
/// Warp w uses copy w modulo the number of copies, if the block has 32 threads
/// for each copy.
static void addPart(CollectiveBuilder c, Reduction &reduction, Value begin,
                    Value count, int64_t copies, const CopyRange &range,
                    const ExpansionOptions &options) {
  OpBuilder &builder = c.builder;
  CopyElement cells(reduction);
  c.elementTypes = llvm::to_vector(reduction.getElementTypes());
  const Extent &size = range.size;
  SmallVector<Extent> extents;
  if (copies > 1)
    extents.push_back(c.getConstantExtent(copies));
  extents.push_back(size);
  int64_t bytes = copies * size.bound * countElementBytes(reduction);
  int64_t groups = bytes > CopyLimits::smallBytes ? CopyLimits::largeGroups
                                                  : CopyLimits::groups;
  auto runAll =
      [&](llvm::function_ref<void(ValueRange, ValueRange, Value)> add) {
        runIterations(
            c, reduction, begin, count, groups, options,
            [&](ValueRange iterations, Value t) {
              SmallVector<Value> place;
              if (copies > 1)
                place.push_back(
                    c.rem(c.div(t, c.constant(warpSize)), c.constant(copies)));
              reduction.run(iterations, [&](ValueRange values, Value index) {
                if (!range.begin) {
                  place.push_back(index);
                  add(values, place, index);
                  place.pop_back();
                  return;
                }
                Value local = c.sub(index, range.begin);
                Value isInRange = arith::CmpIOp::create(
                    builder, c.loc, arith::CmpIPredicate::ult, local,
                    size.value);
                buildIf(c, isInRange, [&] { add(values, local, index); });
              });
            });
      };
  auto combineAll = [&](llvm::function_ref<Values(ValueRange)> load) {
    if (range.begin)
      return forEach(c, size.value, [&](Value i) {
        cells.write(c, load(i), c.add(range.begin, i));
      });
    reduction.addElements(c, [&](Value i) {
      auto loadFrom = [&](int64_t copy) {
        return copies == 1 ? load(i) : load(ValueRange{c.constant(copy), i});
      };
      Values cell = loadFrom(0);
      for (int64_t copy = 1; copy < copies; ++copy)
        cell = cells.combine(cell, loadFrom(copy));
      cells.write(c, cell, i);
    });
  };
  if (cells.hasNeutral()) {
    PullType type = c.getPullType(extents);
    auto copy = buildContractFill(
        c, Contract::Reduce, reduction.kind,
        PushType::get(builder.getContext(), c.level, type.getExtents(),
                      type.getBounds(), type.getElementTypes()),
        size.value, cells.empty, Value(), [&] {
          runAll([&](ValueRange values, ValueRange place, Value) {
            WriteOp::create(builder, c.loc, values, place, ContractAttr(),
                            StringAttr());
          });
        });
    Value stored =
        ForceOp::create(builder, c.loc, TypeRange(type), copy, ValueRange(),
                        StorageAttr::get(builder.getContext(), Storage::Auto),
                        StringAttr(), IntegerAttr(), UnitAttr())
            .getResults()
            .front();
    combineAll([&](ValueRange place) { return c.get(stored, place); });
    return;
  }
  SmallVector<int64_t> shape;
  for (const Extent &extent : extents)
    shape.push_back(extent.bound);
  MarkedMemory memory(c, reduction, shape);
  forEach(c, size.value, [&](Value i) {
    for (int64_t copy = 0; copy < copies; ++copy)
      if (copies == 1)
        memory.clear(i);
      else
        memory.clear(ValueRange{c.constant(copy), i});
  });
  runAll([&](ValueRange values, ValueRange place, Value index) {
    memory.add(values.front(), place, index);
  });
  combineAll([&](ValueRange place) { return memory.load(place); });
}

/// The result, to which instances of `unit` add the values that `body` builds
/// for each of `count` parts. If blocks also map the result, the mapped result.
static Value
buildParts(Reduction &reduction, Level unit, Value count,
           llvm::function_ref<void(CollectiveBuilder &, Value)> body) {
  CollectiveBuilder &c = reduction.c;
  auto buildAll = [&] { buildPar(c, unit, count, body); };
  MapOp map = unit == Level::Block ? findMapOfResult(reduction) : MapOp();
  if (!map)
    return buildContractFill(c, Contract::Reduce, reduction.kind,
                             reduction.getType(), reduction.size.value,
                             reduction.init, reduction.onto, buildAll);
  // The map may read values that are defined after the reduction. If there are
  // no elements, one part without elements maps the result.
  OpBuilder::InsertionGuard guard(c.builder);
  c.builder.setInsertionPoint(map);
  count = c.max(count, c.constant(1));
  MappedResult mapped(reduction, map, count);
  reduction.mapped = &mapped;
  Value result = buildContractFill(c, Contract::Disjoint, Attribute(),
                                   cast<PushType>(map.getType()),
                                   reduction.size.value, /*init=*/{},
                                   /*onto=*/Value(), buildAll);
  reduction.mapped = nullptr;
  mapped.replaceMap(result);
  return result;
}

/// Each instance of level `unit` has a copy.
static Value buildInMemory(Reduction &reduction, Level unit,
                           const ExpansionOptions &options) {
  CollectiveBuilder &c = reduction.c;
  // Parts are so long that the cost of combining the copies is small.
  int64_t least = unit == Level::Warp ? 1024 : 32;
  int64_t length = std::max(least, 8 * reduction.size.bound);
  Extent parts = c.ceilDiv(reduction.n, length);
  return buildParts(reduction, unit, parts.value,
                    [&](CollectiveBuilder &inner, Value number) {
                      Value begin = c.mul(number, c.constant(length));
                      Value count = c.min(c.sub(reduction.n.value, begin),
                                          c.constant(length));
                      addPart(inner, reduction, begin, count, 1,
                              {Value(), reduction.size}, options);
                    });
}

/// The maximum number of bytes of all copies of a block.
static int64_t getMostBytes(const ExpansionOptions &options) {
  return std::min(CopyLimits::blockBytes, options.sharedBytes);
}

ForceOp strategies::findForceAlone(Operation *op) {
  ForceOp force = findOnlyForce(op->getResult(0));
  return force && force.getInto().empty() &&
                 llvm::is_contained(force.getArrays(), op->getResult(0))
             ? force
             : ForceOp();
}

/// The maximum number of parts for blocks of many threads, which have copies of
/// `bytes` bytes: as many blocks as a GPU executes at the same time.
static int64_t getMaxParts(int64_t bytes) {
  return bytes > CopyLimits::smallBytes ? CopyLimits::busyParts
                                        : CopyLimits::parts;
}

/// Sets a large number of threads for `force`, unless the program names one.
/// Returns the maximum number of parts for these threads.
static int64_t chooseParts(ForceOp force, int64_t bytes) {
  if (!force || force.getThreads() || force.getArrays().size() != 1)
    return GridParts::maxParts;
  force.setThreadsAttr(Builder(force).getI64IntegerAttr(CopyLimits::threads));
  return getMaxParts(bytes);
}

/// At level grid: each block combines a part in privatised copies. There are at
/// most `maxParts` parts.
static Value buildInBlocks(Reduction &reduction, int64_t copies,
                           int64_t maxParts, const ExpansionOptions &options) {
  CollectiveBuilder &c = reduction.c;
  // The copies of a part then cost less than its elements, if there are enough
  // parts.
  Value least = c.min(c.mul(reduction.size.value, c.constant(8 * copies)),
                      c.ceilDiv(reduction.n, CopyLimits::busyParts).value);
  GridParts parts(c, reduction.n, least, maxParts);
  int64_t most = getMostBytes(options) / countElementBytes(reduction);
  auto buildPart = [&](CollectiveBuilder &block, Value number,
                       const CopyRange &range) {
    Value begin = block.mul(number, parts.length);
    Value count = block.min(block.sub(parts.n.value, begin), parts.length);
    addPart(block, reduction, begin, count, copies, range, options);
  };
  if (copies > 1 || reduction.size.isAtMost(most))
    return buildParts(reduction, Level::Block, parts.count.value,
                      [&](CollectiveBuilder &block, Value number) {
                        buildPart(block, number, {Value(), reduction.size});
                      });
  // Neighbouring blocks read the same elements.
  Value ranges = c.ceilDiv(reduction.size, most).value;
  return buildParts(reduction, Level::Block, c.mul(parts.count.value, ranges),
                    [&](CollectiveBuilder &block, Value number) {
                      Value begin = block.mul(block.rem(number, ranges),
                                              block.constant(most));
                      Value size =
                          block.min(block.sub(reduction.size.value, begin),
                                    block.constant(most));
                      buildPart(block, block.div(number, ranges),
                                {begin, {size, ShapedType::kDynamic, most}});
                    });
}

//===----------------------------------------------------------------------===//
// Copies in registers
//===----------------------------------------------------------------------===//

/// At level grid: each thread has all elements of the result in registers, and
/// compares each index with all of them.
static Value buildInRegisters(Reduction &reduction) {
  CollectiveBuilder &c = reduction.c;
  OpBuilder &builder = c.builder;
  int64_t size = reduction.size.size;
  CopyElement cells(reduction);
  unsigned width = cells.empty.size();
  Values emptyRow;
  for (int64_t place = 0; place < size; ++place)
    llvm::append_range(emptyRow, cells.empty);
  auto update = [&](ValueRange row, ValueRange values, Value index) {
    Values next;
    for (int64_t place = 0; place < size; ++place)
      llvm::append_range(
          next, cells.combine(
                    row.slice(place * width, width),
                    cells.makeIf(c.equal(index, c.constant(place)), values)));
    return next;
  };
  GridParts parts(c, reduction.n);
  return buildParts(
      reduction, Level::Block, parts.count.value,
      [&](CollectiveBuilder &block, Value number) {
        Value begin = block.mul(number, parts.length);
        Value end = block.min(block.add(begin, parts.length), parts.n.value);
        Value row = block.constant(workers), step = block.constant(strands);
        // The values of all workers for element i are neighbours.
        Value stored = cells.forceFill(
            {block.getConstantExtent(size * workers)}, row,
            [&](Value w, auto write) {
              auto loop = scf::ForOp::create(
                  builder, block.loc, block.add(begin, w), end, row, emptyRow,
                  [&](OpBuilder &, Location, Value i, ValueRange carried) {
                    scf::YieldOp::create(
                        builder, block.loc,
                        reduction.fold(i, Values(carried), update));
                  });
              for (int64_t i = 0; i < size; ++i)
                write(loop.getResults().slice(i * width, width),
                      block.add(block.constant(i * workers), w));
            });
        Value few = cells.force(cells.generate(
            block.getConstantExtent(size * strands), [&](Value q) {
              Value first = block.mul(block.div(q, step), row);
              return cells.fold(stored, block.add(first, block.rem(q, step)),
                                block.add(first, row), step);
            }));
        reduction.addElements(block, [&](Value i) {
          Value first = block.mul(i, step);
          cells.write(block, cells.fold(few, first, block.add(first, step)), i);
        });
      });
}
//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// Bytes of the result.
static int64_t countBytes(const Reduction &reduction) {
  return reduction.size.bound * countElementBytes(reduction);
}

static UpdateCost findUpdateCost(const Reduction &reduction) {
  using Kind = arith::AtomicRMWKind;
  std::optional<Kind> kind = getNamedKind(reduction);
  if (!kind || *kind == Kind::muli)
    return UpdateCost::Loop;
  auto isEach = [&](llvm::function_ref<bool(Type)> holds) {
    return llvm::all_of(reduction.getElementTypes(), holds);
  };
  if (*kind == Kind::addf)
    return isEach([](Type type) { return type.isF32() || type.isF64(); })
               ? UpdateCost::Device
               : UpdateCost::Loop;
  if (isEach([](Type type) { return type.isInteger(32); }))
    return UpdateCost::Shared;
  return isEach(
             [](Type type) { return type.isInteger(32) || type.isInteger(64); })
             ? UpdateCost::Device
             : UpdateCost::Loop;
}

/// True if the copy of a thread can be in registers.
static bool fitsRegisters(const Reduction &reduction) {
  return reduction.size.isStatic() && reduction.size.size > 0 &&
         countBytes(reduction) <= CopyLimits::registerBytes &&
         reduction.canFold();
}

/// The owners of copies at level grid if the strategy names none.
static Copies chooseCopies(const Reduction &reduction,
                           const ExpansionOptions &options) {
  // For a single part, clearing and combining copies costs more than they save.
  if (!reduction.size.isBounded())
    return options.plain || reduction.n.isAtMost(GridParts::unit)
               ? Copies::None
               : Copies::AtRunTime;
  int64_t most = getMostBytes(options);
  // One block also maps the result.
  if (reduction.n.isAtMost(GridParts::unit))
    return findMapOfResult(reduction) && countBytes(reduction) <= most
               ? Copies::Block
               : Copies::None;
  auto fit = [&](int64_t copies, int64_t ranges = 1) {
    return copies * countBytes(reduction) <= ranges * most &&
           !reduction.n.isAtMost(2 * copies * reduction.size.bound);
  };
  int64_t size = reduction.size.bound;
  auto cost = static_cast<unsigned>(findUpdateCost(reduction));
  if (size <= CopyLimits::registerElements[cost] && fitsRegisters(reduction))
    return Copies::Thread;
  if (size <= CopyLimits::warpElements[cost] && fit(CopyLimits::warpCopies))
    return Copies::Warp;
  int64_t ranges = options.plain ? 1 : CopyLimits::maxRanges;
  return fit(1, ranges) ? Copies::Block : Copies::None;
}

FailureOr<Copies> strategies::findCopies(Operation *op,
                                         std::optional<StringRef> strategy,
                                         const Reduction *reduction,
                                         const ExpansionOptions &options) {
  Level level = getEnclosingScope(op).level;
  if (!strategy)
    return reduction && level == Level::Grid ? chooseCopies(*reduction, options)
                                             : Copies::None;
  SmallVector<std::pair<StringRef, Copies>> known{{"atomic", Copies::None}};
  if (reduction && level > Level::Thread)
    known.emplace_back("per_thread", Copies::Thread);
  if (reduction && level > Level::Warp)
    known.emplace_back("per_warp", Copies::Warp);
  if (reduction && level > Level::Block)
    known.emplace_back("per_block", Copies::Block);
  for (auto [candidate, copies] : known)
    if (candidate == *strategy) {
      if (copies != Copies::None && !reduction->size.isBounded())
        return op->emitOpError("[R2-bounded] strategy '")
               << *strategy
               << "' stores copies of the result, but its extent is not "
                  "bounded; give it a bound, as in ? x i32 bound [1024], or "
                  "use atomic";
      if (copies != Copies::None &&
          reduction->size.bound > maxElements / CopyLimits::warpCopies)
        return op->emitOpError("[R7-room] strategy '")
               << *strategy << "' stores copies of the result, but it has "
               << reduction->size.bound << " elements; use atomic";
      return copies;
    }
  InFlightDiagnostic diagnostic =
      op->emitOpError("[strategy-name] '")
      << *strategy << "' is not a strategy of such a "
      << (isa<FillOp>(op) ? "fill" : "scatter") << "; use ";
  llvm::interleaveComma(llvm::make_first_range(known), diagnostic);
  return diagnostic;
}

Value strategies::buildCopies(Reduction &reduction, Copies copies,
                              const ExpansionOptions &options) {
  bool isGrid = reduction.c.level == Level::Grid;
  switch (copies) {
  case Copies::Thread:
    return isGrid && fitsRegisters(reduction)
               ? buildInRegisters(reduction)
               : buildInMemory(reduction, Level::Thread, options);
  case Copies::Warp:
    return isGrid ? buildInBlocks(reduction, CopyLimits::warpCopies,
                                  GridParts::maxParts, options)
                  : buildInMemory(reduction, Level::Warp, options);
  case Copies::Block:
    return buildInBlocks(
        reduction, 1,
        options.plain
            ? GridParts::maxParts
            : chooseParts(findForceAlone(reduction.op), countBytes(reduction)),
        options);
  case Copies::None:
  case Copies::AtRunTime:
    break;
  }
  llvm_unreachable("there are no copies to build");
}

Values
strategies::buildAtRunTime(ArrayRef<Reduction *> reductions,
                           const ExpansionOptions &options,
                           llvm::function_ref<Value(unsigned)> buildPlain) {
  CollectiveBuilder &c = reductions.front()->c;
  Extent size = reductions.front()->size;
  // For one kernel, in case all blocks run at the same time.
  int64_t bytes = 0;
  unsigned cost = 0;
  for (Reduction *reduction : reductions) {
    bytes += countElementBytes(*reduction);
    cost = std::max(cost, static_cast<unsigned>(findUpdateCost(*reduction)));
  }
  ExpansionOptions share = options;
  share.sharedBytes = getMostBytes(options) / reductions.size();
  int64_t most = getMostBytes(options) / bytes;
  // The maximum number of elements for each kernel, in order.
  SmallVector<std::pair<int64_t, Copies>> kernels;
  auto add = [&](int64_t limit, Copies copies) {
    if (limit > (kernels.empty() ? 0 : kernels.back().first))
      kernels.emplace_back(limit, copies);
  };
  add(std::min(CopyLimits::warpElements[cost], most / CopyLimits::warpCopies),
      Copies::Warp);
  ForceOp alone = findForceAlone(reductions.front()->op);
  bool choosesThreads = !(alone && alone.getThreads());
  int64_t small =
      choosesThreads ? std::min(CopyLimits::smallBytes, options.sharedBytes / 2)
                     : CopyLimits::narrowBytes;
  add(std::min(small / bytes, most), Copies::Block);
  add(CopyLimits::maxRanges * most, Copies::Block);
  auto forceAll = [&](llvm::function_ref<Value(unsigned)> build,
                      bool isWide) -> Values {
    IRMapping mapping;
    Values pushes;
    for (unsigned i = 0; i < reductions.size(); ++i) {
      pushes.push_back(build(i));
      mapping.map(reductions[i]->op->getResult(0), pushes.back());
    }
    Operation *force = alone ? c.builder.clone(*alone, mapping)
                             : forceAtGrid(c, pushes.front()).getDefiningOp();
    if (isWide)
      cast<ForceOp>(force).setThreadsAttr(
          c.builder.getI64IntegerAttr(CopyLimits::threads));
    return Values(force->getResults());
  };
  std::function<Values(unsigned)> build = [&](unsigned next) {
    if (next == kernels.size())
      return forceAll(buildPlain, /*isWide=*/false);
    int64_t limit = kernels[next].first;
    Copies copies = kernels[next].second;
    bool isWide = copies == Copies::Block && choosesThreads;
    auto buildOne = [&](unsigned i) {
      Reduction &reduction = *reductions[i];
      Extent known = reduction.size;
      reduction.size.bound = limit;
      Value push = buildInBlocks(
          reduction, copies == Copies::Block ? 1 : CopyLimits::warpCopies,
          isWide ? getMaxParts(limit * bytes) : GridParts::maxParts, share);
      reduction.size = known;
      return push;
    };
    return c.choose(
        c.less(size.value, c.constant(limit + 1)),
        [&] { return forceAll(buildOne, isWide); },
        [&] { return build(next + 1); });
  };
  Values stored = build(0);
  Values results;
  for (Reduction *reduction : reductions) {
    unsigned place = 0;
    if (alone)
      place = llvm::find(alone.getArrays(), reduction->op->getResult(0)) -
              alone.getArrays().begin();
    results.push_back(
        PushOp::create(c.builder, c.loc, reduction->getType(), stored[place]));
  }
  if (alone) {
    alone.getResults().replaceAllUsesWith(stored);
    alone.erase();
  }
  return results;
}

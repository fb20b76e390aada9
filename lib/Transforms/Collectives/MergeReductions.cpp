//===- MergeReductions.cpp - One reduction for several of one array -------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A minimum and a maximum of x are two reductions that read x. The pass makes
// one reduction of pairs of them. Both operators work on their own components,
// so the order of their operands is the order of the reduction of pairs.
//
// At level grid, the two results may belong to two forces. The pair is then
// stored by a force in front of the first of them. Sub-programs that only
// reduce rows are joined in the same way: one of them reduces the row for both.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSMERGEREDUCTIONSPASS
#include "Obsidian/Transforms/Collectives/Passes.h"

#include "ExpansionUtils.h"
#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "Obsidian/Dialect/Obs/IR/Regions.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

/// The maximum number of components of an element: a thread has four
/// accumulators for each.
static constexpr size_t maxComponents = 4;
/// The maximum number of bytes of an element that a block reads several times
/// before it combines.
static constexpr int64_t maxBytesOfBlock = 8;

//===----------------------------------------------------------------------===//
// Reductions that can be one
//===----------------------------------------------------------------------===//

namespace {
/// Compares values that operations without effects compute.
struct Equality {
  /// Values of the second program that are values of the first.
  IRMapping known;

  bool operator()(Value a, Value b) {
    if (a == known.lookupOrDefault(b))
      return true;
    Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
    if (!first || !second || !isMemoryEffectFree(first) ||
        cast<OpResult>(a).getResultNumber() !=
            cast<OpResult>(b).getResultNumber())
      return false;
    return OperationEquivalence::isEquivalentTo(
        first, second, [&](Value x, Value y) { return success((*this)(x, y)); },
        [&](Value x, Value y) { known.map(y, x); },
        OperationEquivalence::IgnoreLocations);
  }
};
} // namespace

/// The number of elements of `array`, in terms of the arrays from which it is
/// computed. New operations are built by `scratch`.
static Value findExtent(OpBuilder &scratch, Value array) {
  Value number = buildExtent(scratch, array.getLoc(), array, 0);
  while (auto dim = number.getDefiningOp<DimOp>()) {
    Value of = dim.getArray();
    auto maker = of.getDefiningOp<ArrayOpInterface>();
    if (!maker || !ShapedType::isDynamic(
                      getArrayExtents(of.getType())[dim.getDimension()]))
      break;
    number = maker.buildExtent(scratch, array.getLoc(),
                               cast<OpResult>(of).getResultNumber(),
                               dim.getDimension());
  }
  return number;
}

/// True if both arrays of rank 1 have the same type of extent, and the same
/// number of elements. What `areEqual` learns about temporary operations is
/// forgotten.
static bool haveEqualExtents(Value a, Value b, Equality areEqual) {
  auto first = cast<PullType>(a.getType()),
       second = cast<PullType>(b.getType());
  if (first.getExtents() != second.getExtents() ||
      first.getBounds() != second.getBounds())
    return false;
  Block block;
  OpBuilder scratch(a.getContext());
  scratch.setInsertionPointToStart(&block);
  return areEqual(findExtent(scratch, a), findExtent(scratch, b));
}

/// The stored arrays, and the arrays of the program around it, that `array`
/// reads.
static llvm::SetVector<Value> getSources(Value array) {
  llvm::SetVector<Value> arrays, sources;
  arrays.insert(array);
  for (unsigned next = 0; next < arrays.size(); ++next) {
    Operation *op = arrays[next].getDefiningOp();
    if (!isa_and_nonnull<PullOpInterface>(op) || isa<ViewOp>(op)) {
      sources.insert(arrays[next]);
      continue;
    }
    for (Value value : getReads(op))
      if (isa<PullType>(value.getType()))
        arrays.insert(value);
  }
  return sources;
}

/// True if `a` and `b` read a common array, and one reduction of tuples is as
/// fast as each of them.
static bool canMerge(ReduceOp a, ReduceOp b, Equality &areEqual) {
  size_t components = a.getInit().size() + b.getInit().size();
  if (a.getStrategyAttr() || b.getStrategyAttr() || components > maxComponents)
    return false;
  ScopeInfo scope = getEnclosingScope(a);
  int64_t bytes = 0;
  for (ReduceOp reduce : {a, b})
    for (Type type : getArrayElementTypes(reduce.getArray().getType())) {
      if (isa<PullType>(type))
        return false;
      bytes += getElementBytes(type);
    }
  if (scope.level == Level::Block && bytes > maxBytesOfBlock)
    return false;
  if (!haveEqualExtents(a.getArray(), b.getArray(), areEqual))
    return false;
  llvm::SetVector<Value> sources = getSources(a.getArray());
  return llvm::any_of(getSources(b.getArray()),
                      [&](Value source) {
                        return sources.contains(
                            areEqual.known.lookupOrDefault(source));
                      }) &&
         profitsFromRows({a.getArray(), b.getArray()});
}

/// True for computations, and for stored arrays in memory of their own.
static bool hasNoEffect(Operation *op) {
  auto force = dyn_cast<ForceOp>(op);
  return force ? force.getInto().empty() : isMemoryEffectFree(op);
}

/// Moves `ops`, and what they need, before `first`, which is in the same block.
/// False if one of these depends on `first`, or if an operation between, such
/// as an assertion, has effects.
static bool moveBefore(ArrayRef<Operation *> ops, Operation *first) {
  llvm::SetVector<Operation *> needed;
  for (Operation *op : ops)
    if (!op->isBeforeInBlock(first))
      needed.insert(op);
  for (unsigned next = 0; next < needed.size(); ++next) {
    Operation *op = needed[next];
    if (op == first)
      return false;
    for (Value value : getReads(op))
      if (Operation *source = value.getDefiningOp();
          source && source->getBlock() == first->getBlock() &&
          !source->isBeforeInBlock(first))
        needed.insert(source);
  }
  SmallVector<Operation *> ordered = needed.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  if (!ordered.empty() &&
      !std::all_of(first->getIterator(), ++ordered.back()->getIterator(),
                   [](Operation &op) { return hasNoEffect(&op); }))
    return false;
  for (Operation *op : ordered)
    op->moveBefore(first);
  return true;
}

/// The reduction of tuples of the elements of both arrays, without results.
static ReduceOp buildMerged(OpBuilder &builder, Location loc, ReduceOp a,
                            ReduceOp b, TypeRange results) {
  Value pairs =
      ZipOp::create(builder, loc, ValueRange{a.getArray(), b.getArray()});
  SmallVector<Value> init(a.getInit());
  llvm::append_range(init, b.getInit());
  bool isCommutative = a.getCommutative() && b.getCommutative();
  auto merged = ReduceOp::create(
      builder, loc, results, pairs, init, a.getLevelAttr(),
      isCommutative ? builder.getUnitAttr() : UnitAttr(), StringAttr());
  OpBuilder::InsertionGuard guard(builder);
  auto types = llvm::to_vector(ValueRange(init).getTypes());
  Block *block = &merged.getBody().emplaceBlock();
  size_t count = types.size(), begin = 0;
  for (unsigned side = 0; side < 2; ++side)
    block->addArguments(types, SmallVector<Location>(count, loc));
  builder.setInsertionPointToEnd(block);
  SmallVector<Value> combined;
  for (ReduceOp reduce : {a, b}) {
    size_t size = reduce.getInit().size();
    SmallVector<Value> both;
    for (size_t side = 0; side < 2; ++side)
      llvm::append_range(
          both, block->getArguments().slice(side * count + begin, size));
    llvm::append_range(combined, cloneBody(builder, reduce.getBody(), both));
    begin += size;
  }
  YieldOp::create(builder, loc, combined);
  return merged;
}

//===----------------------------------------------------------------------===//
// Below level grid
//===----------------------------------------------------------------------===//

/// Merges two reductions of `block`. False if there are none.
static bool mergeTwo(Block &block) {
  auto reductions = llvm::to_vector(block.getOps<ReduceOp>());
  for (auto [i, first] : llvm::enumerate(reductions))
    for (ReduceOp second : ArrayRef(reductions).drop_front(i + 1)) {
      Equality areEqual;
      if (!canMerge(first, second, areEqual) || !moveBefore({second}, first))
        continue;
      OpBuilder builder(first);
      SmallVector<Type> types(first->getResultTypes());
      llvm::append_range(types, second->getResultTypes());
      ReduceOp merged = buildMerged(
          builder, builder.getFusedLoc({first.getLoc(), second.getLoc()}),
          first, second, types);
      size_t count = first->getNumResults();
      first->replaceAllUsesWith(merged->getResults().take_front(count));
      second->replaceAllUsesWith(merged->getResults().drop_front(count));
      first->erase();
      second->erase();
      return true;
    }
  return false;
}

//===----------------------------------------------------------------------===//
// At level grid
//===----------------------------------------------------------------------===//

namespace {
/// A program that one force stores.
struct Program {
  ForceOp force;
  unsigned number;
  /// A reduction by all blocks, or a `distribute` whose sub-programs only
  /// reduce.
  Operation *head = nullptr;
  /// The operations from `head` on: those that move its elements, then maps.
  SmallVector<Operation *> moves, maps;

  /// The stored array, and its program.
  Value getResult() const { return ForceOp(force).getResults()[number]; }
  Value getArray() const { return ForceOp(force).getArrays()[number]; }
};
} // namespace

/// The array of which each sub-program of `rows` pushes its only element. Null
/// if sub-programs store other elements, or if they do not only reduce.
static Value getReduced(DistributeOp rows) {
  Block &body = rows.getBody().front();
  Operation *end = body.getTerminator();
  auto push = end->getNumOperands() == 1
                  ? end->getOperand(0).getDefiningOp<PushOp>()
                  : PushOp();
  bool hasOthers = containsOp(body, [&](Operation *op) {
    return isa<ForceOp, DistributeOp>(op) ||
           (isa<ExpandableOpInterface>(op) &&
            (!isa<ReduceOp>(op) || op->getBlock() != &body));
  });
  if (!push || hasOthers ||
      !llvm::all_of(getArrayExtents(push.getType()),
                    [](int64_t n) { return n == 1; }))
    return {};
  return push.getArray();
}

/// The program of array `number` of `force`, if it can be merged with others.
static std::optional<Program> getProgram(ForceOp force, unsigned number) {
  Program program;
  program.force = force;
  program.number = number;
  for (Value current = program.getArray(); !program.head;) {
    Operation *op = current.getDefiningOp();
    if (!op || !isa<PushType>(current.getType()) ||
        op->getBlock() != force->getBlock() || op->getNumResults() != 1 ||
        !current.hasOneUse())
      return {};
    if (isa<ReduceOp, DistributeOp>(op)) {
      program.head = op;
      break;
    }
    auto push = dyn_cast<PushOpInterface>(op);
    current = push ? push.getSource() : Value();
    if (!current || (isa<MapOp>(op) && !program.moves.empty()))
      return {};
    (isa<MapOp>(op) ? program.maps : program.moves).push_back(op);
  }
  std::reverse(program.maps.begin(), program.maps.end());
  std::reverse(program.moves.begin(), program.moves.end());
  auto rows = dyn_cast<DistributeOp>(program.head);
  return rows && !getReduced(rows) ? std::nullopt : std::optional(program);
}

/// True if both operations move elements to the same places.
static bool areEqualMoves(Operation *a, Operation *b, Equality &areEqual) {
  if (a->getName() != b->getName() ||
      a->getAttrDictionary() != b->getAttrDictionary() ||
      a->getNumOperands() != b->getNumOperands() ||
      getArrayExtents(a->getResult(0).getType()) !=
          getArrayExtents(b->getResult(0).getType()))
    return false;
  for (auto [x, y] : llvm::zip_equal(a->getOperands(), b->getOperands()))
    if (!isa<PushType>(x.getType()) && !areEqual(x, y))
      return false;
  return llvm::all_of(
      llvm::zip_equal(a->getRegions(), b->getRegions()), [&](auto regions) {
        return OperationEquivalence::isRegionEquivalentTo(
            &std::get<0>(regions), &std::get<1>(regions),
            [&](Value x, Value y) { return success(areEqual(x, y)); },
            [&](Value x, Value y) { areEqual.known.map(y, x); },
            OperationEquivalence::IgnoreLocations);
      });
}

/// The type `like` with elements of other types.
static PushType getTypeLike(Type like, ArrayRef<Type> elements) {
  auto type = cast<PushType>(like);
  return PushType::get(type.getContext(), type.getLevel(), type.getExtents(),
                       type.getBounds(), elements);
}

/// The element types of the results of both programs at one of their stages.
static SmallVector<Type> getBothTypes(Value a, Value b) {
  SmallVector<Type> types(getArrayElementTypes(a.getType()));
  llvm::append_range(types, getArrayElementTypes(b.getType()));
  return types;
}

/// Makes one `distribute` of both, whose sub-programs yield pairs.
static Value joinRows(OpBuilder &builder, Location loc, DistributeOp a,
                      DistributeOp b) {
  Value first = a.getParts().front(), second = b.getParts().front();
  auto joined = DistributeOp::create(
      builder, loc,
      TypeRange(getTypeLike(first.getType(), getBothTypes(first, second))),
      a.getArrays(), a.getLevelAttr(), a.getOuterAttr());
  Value pushed = getReduced(a), other = getReduced(b);
  joined.getBody().takeBody(a.getBody());
  Block &body = joined.getBody().front(), &rest = b.getBody().front();
  rest.getTerminator()->erase();
  for (auto [argument, same] :
       llvm::zip_equal(rest.getArguments(), body.getArguments()))
    argument.replaceAllUsesWith(same);
  Operation *end = body.getTerminator();
  body.getOperations().splice(end->getIterator(), rest.getOperations());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(end);
  Value pairs = ZipOp::create(builder, loc, ValueRange{pushed, other});
  end->setOperand(0, PushOp::create(builder, loc, joined.getLevel(), pairs));
  // The new bodies must be complete before their reductions are compared.
  while (mergeTwo(body))
    ;
  return joined.getParts().front();
}

/// Applies the maps of both programs to the pairs of `push`.
static Value mapBoth(OpBuilder &builder, Location loc, Value push,
                     const Program &first, const Program &second) {
  if (first.maps.empty() && second.maps.empty())
    return push;
  SmallVector<Value> arrays = {push};
  for (const Program *program : {&first, &second})
    for (Operation *map : program->maps)
      for (Value array : map->getOperands())
        if (isa<PullType>(array.getType()))
          arrays.push_back(array);
  SmallVector<Type> elements;
  for (Value array : arrays)
    llvm::append_range(elements, getArrayElementTypes(array.getType()));
  auto all = MapOp::create(
      builder, loc,
      getTypeLike(push.getType(),
                  getBothTypes(first.getArray(), second.getArray())),
      arrays);
  OpBuilder::InsertionGuard guard(builder);
  Block *body =
      builder.createBlock(&all.getBody(), {}, elements,
                          SmallVector<Location>(elements.size(), loc));
  ValueRange rest = body->getArguments();
  auto take = [&](size_t count) {
    Values values(rest.take_front(count));
    rest = rest.drop_front(count);
    return values;
  };
  auto countElements = [](Value array) {
    return getArrayElementTypes(array.getType()).size();
  };
  // The value of a program before its first map.
  auto getStart = [&](const Program &program) {
    Value start = program.maps.empty()
                      ? program.getArray()
                      : cast<MapOp>(program.maps.front()).getSource();
    return take(countElements(start));
  };
  Values ofFirst = getStart(first), ofSecond = getStart(second);
  auto applyMaps = [&](const Program &program, Values values) {
    for (Operation *op : program.maps) {
      Values operands;
      for (Value array : op->getOperands())
        llvm::append_range(operands, isa<PushType>(array.getType())
                                         ? values
                                         : take(countElements(array)));
      values = cloneBody(builder, cast<MapOp>(op).getBody(), operands);
    }
    return values;
  };
  Values results = applyMaps(first, ofFirst);
  llvm::append_range(results, applyMaps(second, ofSecond));
  YieldOp::create(builder, loc, results);
  return all.getResult();
}

/// Stores the results of both programs by one, before the force of the first.
static void merge(const Program &first, const Program &second) {
  ForceOp force = first.force, other = second.force;
  OpBuilder builder(force);
  Location loc =
      builder.getFusedLoc({first.head->getLoc(), second.head->getLoc()});
  Value a = first.head->getResult(0), b = second.head->getResult(0), push;
  if (auto reduce = dyn_cast<ReduceOp>(first.head))
    push = buildMerged(builder, loc, reduce, cast<ReduceOp>(second.head),
                       TypeRange(getTypeLike(a.getType(), getBothTypes(a, b))))
               ->getResult(0);
  else
    push = joinRows(builder, loc, cast<DistributeOp>(first.head),
                    cast<DistributeOp>(second.head));
  for (Operation *op : first.moves) {
    IRMapping map;
    map.map(cast<PushOpInterface>(op).getSource(), push);
    Operation *move = builder.clone(*op, map);
    push = move->getResult(0);
    push.setType(getTypeLike(push.getType(), getBothTypes(a, b)));
  }
  push = mapBoth(builder, loc, push, first, second);
  // A force whose arrays are all in the new one leaves its name.
  SmallVector<Value> old = {first.getResult(), second.getResult()};
  StringAttr name;
  for (ForceOp storing : {force, other})
    if (!name && llvm::all_of(storing.getResults(), [&](Value result) {
          return llvm::is_contained(old, result);
        }))
      name = storing.getKernelAttr();
  Value stored =
      ForceOp::create(builder, loc,
                      TypeRange(cast<PushType>(push.getType()).getPullType()),
                      push, ValueRange(), force.getStorageAttr(), name,
                      force.getThreadsAttr(), force.getUncheckedAttr())
          .getResults()
          .front();
  ValueRange parts = UnzipOp::create(builder, loc, stored).getParts();
  for (Value result : old) {
    size_t count = getArrayElementTypes(result.getType()).size();
    result.replaceAllUsesWith(
        count == 1
            ? parts.front()
            : ZipOp::create(builder, loc, parts.take_front(count)).getResult());
    parts = parts.drop_front(count);
  }
  removeResults(force, old);
  if (other != force)
    removeResults(other, old);
  for (const Program *program : {&first, &second}) {
    for (Operation *op : llvm::reverse(program->maps))
      op->erase();
    for (Operation *op : llvm::reverse(program->moves))
      op->erase();
    program->head->erase();
  }
}

/// True if one program can compute the results of both, before the first force.
/// Moves what it needs.
static bool canMerge(const Program &first, const Program &second) {
  ForceOp force = first.force, other = second.force;
  if (first.head->getName() != second.head->getName() ||
      first.moves.size() != second.moves.size() || !force.getInto().empty() ||
      !other.getInto().empty() || force.getStorage() != other.getStorage() ||
      force.getThreadsAttr() != other.getThreadsAttr())
    return false;
  Equality areEqual;
  for (auto [x, y] : llvm::zip_equal(first.moves, second.moves))
    if (!areEqualMoves(x, y, areEqual))
      return false;
  if (auto a = dyn_cast<ReduceOp>(first.head)) {
    if (!canMerge(a, cast<ReduceOp>(second.head), areEqual))
      return false;
  } else {
    auto rows = cast<DistributeOp>(first.head),
         others = cast<DistributeOp>(second.head);
    if (rows.getLevel() != others.getLevel() ||
        rows.getArrays().size() != others.getArrays().size())
      return false;
    for (auto [x, y] : llvm::zip_equal(rows.getArrays(), others.getArrays()))
      if (!areEqual(x, y))
        return false;
    Block &body = rows.getBody().front(), &rest = others.getBody().front();
    areEqual.known.map(rest.getArguments(), body.getArguments());
    if (llvm::none_of(body.getOps<ReduceOp>(), [&](ReduceOp a) {
          return llvm::any_of(rest.getOps<ReduceOp>(), [&](ReduceOp b) {
            return canMerge(a, b, areEqual);
          });
        }))
      return false;
  }
  return force == other ||
         moveBefore({second.getArray().getDefiningOp()}, force);
}

/// Merges two programs of `block`. False if there are none.
static bool mergeTwoPrograms(Block &block) {
  SmallVector<Program> programs;
  for (auto force : block.getOps<ForceOp>())
    for (unsigned number = 0; number < force.getArrays().size(); ++number)
      if (auto program = getProgram(force, number))
        programs.push_back(*program);
  for (auto [i, first] : llvm::enumerate(programs))
    for (const Program &second : ArrayRef(programs).drop_front(i + 1))
      if (canMerge(first, second)) {
        merge(first, second);
        return true;
      }
  return false;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct MergeReductions
    : obs::impl::ObsMergeReductionsPassBase<MergeReductions> {
  void runOnOperation() override {
    llvm::SetVector<Block *> blocks, rows;
    getOperation()->walk([&](Operation *op) {
      if (!isa<ForceOp, ReduceOp>(op))
        return;
      ScopeInfo scope = getEnclosingScope(op);
      if (scope.level == Level::Grid && isa<ForceOp>(op))
        blocks.insert(op->getBlock());
      if (scope.level != Level::Grid && !scope.isScalar && isa<ReduceOp>(op))
        rows.insert(op->getBlock());
    });
    for (Block *block : rows)
      while (mergeTwo(*block))
        ;
    for (Block *block : blocks)
      while (mergeTwoPrograms(*block))
        ;
  }
};
} // namespace

//===- Matmul.cpp - Products of matrices ----------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The strategy `tensor_cores`. In: an `obs.matmul` of f16 or bf16 at level
// block. Out: a loop over the columns of the left operand, in steps of 64. The
// threads load those of the next step to registers while the warps add the
// products of one step, whose elements are in shared memory.
//
// The order of the columns of the left operand, which are the rows of the right
// one, is free within a step, if it is the same in both. So a lane takes four
// neighbours of a row of the left operand together, and four neighbours of a
// column of the right one. If these are no neighbours in global memory, threads
// load four elements of two rows and store pairs.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "ExpansionUtils.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include <numeric>

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

/// The matrices of `obs.mma`.
static constexpr int64_t mmaRows = 16, mmaColumns = 8, mmaDepth = 16;
/// The columns of the left operand that a step loads, and the number for short
/// sums. With 64, a product of 4096 x 4096 takes 0.87 of the time of 32 (H100).
static constexpr int64_t longDepth = 64, shortDepth = 32;
/// The elements of a line that a thread loads together, 16 bytes, and those
/// that a lane reads together, 8 bytes. If lines are no neighbours in memory, a
/// thread loads pairs of four of them, and lanes write neighbouring 16 bytes.
static constexpr int64_t group = 8, four = 4, pair = 2;
/// Each part of a multiprocessor has a warp, unless tiles are small. A block
/// has at most 8 warps by default, which keep their sums in registers.
static constexpr int64_t fewWarps = 4, mostWarps = 8, smallTile = 16 * 16;

namespace {
/// The tiles of the warps that compute a result.
struct WarpTiles {
  WarpTiles(int64_t height, int64_t width);

  int64_t rows, columns, warps;
};

/// One operand. A line is a row of the left operand, or a column of the right
/// one.
struct Side {
  Value array;
  int64_t lines;
  /// The elements of a line are neighbours in memory.
  bool hasLines;
  bool isLeft;
};

/// Builds the product of one block.
class ProductByTensorCores : CollectiveBuilder {
public:
  ProductByTensorCores(OpBuilder &builder, MatmulOp op);

  /// The push array of the result.
  Value build();

private:
  /// The stored array whose element `i` has the components that `code` builds.
  Value forceEach(int64_t count, llvm::function_ref<Values(Value)> code);
  /// The push array of these extents that `count` threads write.
  Value fill(ArrayRef<int64_t> extents, Type element, int64_t count,
             llvm::function_ref<void(Value)> code);
  void write(Value value, ValueRange place) {
    WriteOp::create(builder, loc, value, place, ContractAttr(), Attribute());
  }
  Value addConstant(Value a, int64_t b) { return add(a, constant(b)); }

  /// Element `k` of a line, or zero past the end.
  Value readOne(const Side &side, Value line, Value k);
  /// The number of groups that threads load together: 8 elements of a line, or
  /// pairs of 4 lines.
  int64_t countGroups(const Side &side) {
    return side.lines * depth / (side.hasLines ? group : pair * four);
  }
  /// The number of threads that load groups, all of them equally many.
  int64_t countLoaders(const Side &side) {
    return std::gcd(countGroups(side), tiles.warps * warpSize);
  }
  /// The first line and the first column of `left` (row of `right`) of each
  /// group of a thread.
  void forEachGroup(const Side &side, Value thread,
                    llvm::function_ref<void(Value, Value)> code);
  /// Loads the elements of one step to registers.
  Value load(const Side &side, Value step);
  /// Stores them in shared memory: lines of `depth` elements, or rows of pairs,
  /// one pair for each line.
  Value store(const Side &side, Value loaded);
  /// Four elements of a line of what `store` returned, from `k` on, a multiple
  /// of 4.
  Values readFour(const Side &side, Value stored, Value line, Value k);
  /// The sums after the products of one step.
  Value addProducts(Value sums, Value left, Value right);
  /// The row and the column of the first sum of a thread.
  std::pair<Value, Value> getPlace(Value thread);

  MatmulOp op;
  Side left, right;
  Value count;
  std::optional<int64_t> staticCount;
  Type element, sum;
  int64_t depth;
  WarpTiles tiles;
};
} // namespace

/// The largest of 64, 32, 16, ... that divides `extent`.
static int64_t getTile(int64_t extent) {
  int64_t tile = 64;
  while (extent % tile != 0)
    tile /= 2;
  return tile;
}

WarpTiles::WarpTiles(int64_t height, int64_t width)
    : rows(getTile(height)), columns(getTile(width)) {
  auto count = [&] { return height / rows * (width / columns); };
  while (count() < fewWarps && rows * columns > smallTile)
    (rows >= columns ? rows : columns) /= 2;
  warps = count();
}

ProductByTensorCores::ProductByTensorCores(OpBuilder &builder, MatmulOp op)
    : CollectiveBuilder(builder, op.getLoc(), Level::Block, {},
                        /*commutative=*/true, /*combineFn=*/nullptr),
      op(op), tiles(op.getResult().getType().getExtents()[0],
                    op.getResult().getType().getExtents()[1]) {
  PushType type = op.getResult().getType();
  left = {op.getLeft(), type.getExtents()[0], !op.getLeftColumns(), true};
  right = {op.getRight(), type.getExtents()[1], op.getRightColumns(), false};
  count = buildExtent(builder, loc, op.getLeft(), 1);
  staticCount = getConstantIntValue(count);
  depth = staticCount && *staticCount <= shortDepth ? shortDepth : longDepth;
  element = getArrayElementTypes(op.getLeft().getType()).front();
  sum = type.getElementTypes().front();
}

Value ProductByTensorCores::forceEach(int64_t count,
                                      llvm::function_ref<Values(Value)> code) {
  Region body;
  Values values;
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *block = builder.createBlock(&body, {}, builder.getIndexType(), loc);
    values = code(block->getArgument(0));
    YieldOp::create(builder, loc, values);
  }
  auto type = PullType::get(builder.getContext(), count,
                            llvm::to_vector(ValueRange(values).getTypes()));
  auto array = GenerateOp::create(builder, loc, type, ValueRange());
  array.getBody().takeBody(body);
  return force(array);
}

Value ProductByTensorCores::fill(ArrayRef<int64_t> extents, Type element,
                                 int64_t count,
                                 llvm::function_ref<void(Value)> code) {
  auto type =
      PushType::get(builder.getContext(), Level::Block, extents, element);
  return buildFill(*this, type, Value(), {}, /*unchecked=*/false, [&] {
    buildPar(*this, Level::Thread, constant(count),
             [&](CollectiveBuilder &, Value i) { code(i); });
  });
}

Value ProductByTensorCores::readOne(const Side &side, Value line, Value k) {
  Value place[] = {line, k};
  if (!side.isLeft)
    std::swap(place[0], place[1]);
  return get(side.array, place).front();
}

void ProductByTensorCores::forEachGroup(
    const Side &side, Value thread,
    llvm::function_ref<void(Value, Value)> code) {
  int64_t loaders = countLoaders(side);
  int64_t inner = side.hasLines ? depth / group : side.lines / four;
  for (int64_t first = 0; first < countGroups(side); first += loaders) {
    Value outer, number = thread;
    // The threads load whole lines.
    if (loaders % inner == 0) {
      outer = addConstant(div(thread, constant(inner)), first / inner);
    } else {
      number = addConstant(thread, first);
      outer = div(number, constant(inner));
    }
    Value place = mul(rem(number, constant(inner)),
                      constant(side.hasLines ? group : four));
    if (side.hasLines)
      code(outer, place);
    else
      code(place, mul(outer, constant(pair)));
  }
}

Value ProductByTensorCores::load(const Side &side, Value step) {
  Value first = mul(step, constant(depth));
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
  bool isWhole = staticCount && *staticCount % depth == 0;
  // The elements at `k` and its neighbours, or zeros past the end. One
  // comparison is enough if the number of elements is a multiple of theirs.
  auto read = [&](Value k, int64_t neighbours,
                  llvm::function_ref<Values(int64_t)> readAt) {
    bool areOne = isWhole || (staticCount && *staticCount % neighbours == 0);
    int64_t together = areOne ? neighbours : 1;
    Values values;
    for (int64_t first = 0; first < neighbours; first += together) {
      auto readAll = [&] {
        Values found;
        for (int64_t e = first; e < first + together; ++e)
          llvm::append_range(found, readAt(e));
        return found;
      };
      if (isWhole) {
        llvm::append_range(values, readAll());
        continue;
      }
      size_t size = 0;
      llvm::append_range(values, choose(
                                     below(addConstant(k, first), count),
                                     [&] {
                                       Values found = readAll();
                                       size = found.size();
                                       return found;
                                     },
                                     [&] { return Values(size, zero); }));
    }
    return values;
  };
  return forceEach(countLoaders(side), [&](Value thread) {
    Values values;
    forEachGroup(side, thread, [&](Value line, Value k) {
      k = add(first, k);
      if (side.hasLines)
        return llvm::append_range(
            values, read(k, group, [&](int64_t e) -> Values {
              return {readOne(side, line, addConstant(k, e))};
            }));
      llvm::append_range(values, read(k, pair, [&](int64_t e) {
                           Values neighbours;
                           for (int64_t f = 0; f < four; ++f)
                             neighbours.push_back(readOne(side,
                                                          addConstant(line, f),
                                                          addConstant(k, e)));
                           return neighbours;
                         }));
    });
    return values;
  });
}

Value ProductByTensorCores::store(const Side &side, Value loaded) {
  int64_t extents[] = {side.lines, depth};
  if (!side.hasLines)
    extents[0] = depth / pair, extents[1] = pair * side.lines;
  return fill(extents, element, countLoaders(side), [&](Value thread) {
    Values values = get(loaded, thread);
    auto next = values.begin();
    forEachGroup(side, thread, [&](Value line, Value k) {
      if (side.hasLines) {
        for (int64_t e = 0; e < group; ++e)
          write(*next++, {line, addConstant(k, e)});
        return;
      }
      Value row = div(k, constant(pair)), place = mul(line, constant(pair));
      for (int64_t f = 0; f < four; ++f)
        for (int64_t e = 0; e < pair; ++e)
          write(next[e * four + f], {row, addConstant(place, pair * f + e)});
      next += pair * four;
    });
  });
}

SmallVector<Value> ProductByTensorCores::readFour(const Side &side,
                                                  Value stored, Value line,
                                                  Value k) {
  Values values;
  for (int64_t e = 0; e < four; ++e) {
    Values place = {line, addConstant(k, e)};
    if (!side.hasLines)
      place = {addConstant(div(k, constant(pair)), e / pair),
               addConstant(mul(line, constant(pair)), e % pair)};
    llvm::append_range(values, get(stored, place));
  }
  return values;
}

std::pair<Value, Value> ProductByTensorCores::getPlace(Value thread) {
  Value warp = div(thread, constant(warpSize)),
        lane = rem(thread, constant(warpSize));
  Value inRow = constant(right.lines / tiles.columns);
  Value row = mul(div(warp, inRow), constant(tiles.rows)),
        column = mul(rem(warp, inRow), constant(tiles.columns));
  return {add(row, div(lane, constant(4))),
          add(column, mul(rem(lane, constant(4)), constant(2)))};
}

Value ProductByTensorCores::addProducts(Value sums, Value x, Value y) {
  return forceEach(tiles.warps * warpSize, [&](Value thread) {
    Values values = get(sums, thread);
    Value lane = rem(thread, constant(warpSize)),
          inFour = rem(lane, constant(four));
    auto [row, column] = getPlace(thread);
    // A lane has other columns of the right operand than of the sums.
    Value line =
        add(sub(column, mul(inFour, constant(2))), div(lane, constant(four)));
    for (int64_t k = 0; k < depth; k += mmaDepth) {
      Value own = addConstant(mul(inFour, constant(four)), k);
      // The first two elements of each line, then the other two.
      auto addLines = [&](SmallVector<Values> &fragments,
                          ArrayRef<Values> lines) {
        Values &fragment = fragments.emplace_back();
        for (int64_t half : {0, 2})
          for (const Values &elements : lines)
            llvm::append_range(fragment, ArrayRef(elements).slice(half, 2));
      };
      SmallVector<Values> lefts, rights;
      for (int64_t r = 0; r < tiles.rows; r += mmaRows)
        addLines(lefts, {readFour(left, x, addConstant(row, r), own),
                         readFour(left, x, addConstant(row, r + 8), own)});
      for (int64_t c = 0; c < tiles.columns; c += mmaColumns)
        addLines(rights, {readFour(right, y, addConstant(line, c), own)});
      auto place = values.begin();
      for (const Values &a : lefts)
        for (const Values &b : rights) {
          auto product =
              MmaOp::create(builder, loc, a, b, Values(place, place + 4));
          place = llvm::copy(product.getResults(), place);
        }
    }
    return values;
  });
}

Value ProductByTensorCores::build() {
  int64_t numSums = tiles.rows * tiles.columns / warpSize;
  Value zero = constant(0), one = constant(1),
        steps = IndexBuilder::ceilDiv(count, constant(depth)),
        last = sub(steps, one);
  Value none = forceEach(tiles.warps * warpSize,
                         [&](Value) { return Values(numSums, op.getInit()); });
  auto storeBoth = [&](ArrayRef<Value> loaded) -> Values {
    Value both[] = {store(left, loaded[0]), store(right, loaded[1])};
    auto force = ForceOp::create(builder, loc, both, ValueRange());
    force.setStorage(Storage::Shared);
    return llvm::to_vector_of<Value>(force.getResults());
  };
  auto loadBoth = [&](Value step) -> Values {
    return {load(left, step), load(right, step)};
  };
  Values start = {none};
  llvm::append_range(start, storeBoth(loadBoth(zero)));
  auto loop = scf::ForOp::create(
      builder, loc, zero, steps, one, start,
      [&](OpBuilder &, Location, Value step, ValueRange carried) {
        Value next =
            builder.createOrFold<arith::MinSIOp>(loc, add(step, one), last);
        Values loaded = loadBoth(next);
        Values found = {addProducts(carried[0], carried[1], carried[2])};
        llvm::append_range(found, storeBoth(loaded));
        scf::YieldOp::create(builder, loc, found);
      });
  auto writeSums = [&](Value thread) {
    Values values = get(loop.getResult(0), thread);
    auto [row, column] = getPlace(thread);
    auto next = values.begin();
    for (int64_t r = 0; r < tiles.rows; r += mmaRows)
      for (int64_t c = 0; c < tiles.columns; c += mmaColumns)
        for (int64_t below : {0, 8})
          for (int64_t beside : {0, 1})
            write(*next++, {addConstant(row, r + below),
                            addConstant(column, c + beside)});
  };
  return fill({left.lines, right.lines}, sum, tiles.warps * warpSize,
              writeSums);
}

/// True if the tiles of one block for `op` fit into its shared memory, and its
/// types are those of `obs.mma`.
static bool canUseTensorCores(MatmulOp op, int64_t sharedBytes) {
  PushType type = op.getResult().getType();
  Type element = getArrayElementTypes(op.getLeft().getType()).front();
  if (type.getLevel() != Level::Block || !type.hasStaticExtents() ||
      !(element.isF16() || element.isBF16()) ||
      !type.getElementTypes().front().isF32())
    return false;
  int64_t rows = type.getExtents()[0], columns = type.getExtents()[1];
  // Two copies, with unused elements after each row.
  constexpr int64_t copies = 2, bytes = 2, unused = 16;
  return rows > 0 && columns > 0 && rows % mmaRows == 0 &&
         columns % mmaColumns == 0 &&
         WarpTiles(rows, columns).warps <= mostWarps &&
         copies * bytes * (rows + columns + unused) * (longDepth + unused) <=
             sharedBytes;
}

LogicalResult strategies::expandMatmul(OpBuilder &builder, MatmulOp op,
                                       const ExpansionOptions &options) {
  bool isPossible = canUseTensorCores(op, options.sharedBytes);
  StringRef strategy = op.getStrategy().value_or(
      isPossible && options.hasTensorCores && !options.plain ? "tensor_cores"
                                                             : "sequential");
  if (strategy != "tensor_cores" && strategy != "sequential")
    return op.emitOpError("[strategy-name] '")
           << strategy
           << "' is not a strategy of this operation; use sequential, "
              "tensor_cores";
  builder.setInsertionPoint(op);
  if (strategy == "sequential")
    return op.expand(builder);
  if (!isPossible)
    return op.emitOpError(
        "[strategy-type] strategy 'tensor_cores' adds products of f16 or bf16 "
        "in f32 at level block; the height of the result is a multiple of 16, "
        "its width is a multiple of 8, at most 8 warps compute tiles of it, "
        "and both operands fit into shared memory; use sequential");
  if (!options.hasTensorCores)
    return op.emitOpError("[strategy-chip] strategy 'tensor_cores' needs "
                          "sm_80 or later; leave the choice to the compiler");
  op.getResult().replaceAllUsesWith(ProductByTensorCores(builder, op).build());
  return success();
}

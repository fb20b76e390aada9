//===- TensorCores.cpp - Tiles of products by tensor cores ----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: two matrices of f16 or bf16, and a tile of their product. Out: a loop of
// a block over the columns of the left operand, in steps of 64. The threads
// load those of the next step to registers while the warps add the products of
// one step, whose elements are in shared memory.
//
// The order of the columns of the left operand, which are the rows of the right
// one, is free within a step, if it is the same in both. The order of the lines
// is free, too. So the elements that a lane takes for one `obs.mma` are
// neighbours in shared memory, 16 bytes in the order of its operands: four
// elements of two lines. The instruction needs neighbouring registers, and a
// load of 16 bytes writes these. The slots are the places of such elements.
//
// A row in shared memory has the slots of two lines, and 16 bytes that are not
// used. With these, there are no bank conflicts: threads with neighbouring
// elements of a line write neighbouring slots of a row, threads with
// neighbouring groups of 8 lines write one slot of neighbouring rows, and lanes
// read four neighbouring slots of two rows, of which one is four rows after the
// other. The lanes that have one row of the result have neighbours of it.
//
//===----------------------------------------------------------------------===//

#include "ExpansionUtils.h"
#include "ProductTiles.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include <numeric>

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

/// The matrices of `obs.mma`.
static constexpr int64_t mmaRows = 16, mmaColumns = 8, mmaDepth = 16;
/// The columns of the left operand that a step loads, and the number for short
/// sums. With 64, a product of 4096 x 4096 takes 0.87 of the time of 32 (H100).
static constexpr int64_t longDepth = 64, shortDepth = 32;
/// The elements that a thread loads together, 16 bytes, and the elements of a
/// line that a lane takes for one product.
static constexpr int64_t group = 8, four = 4;
/// Each part of a multiprocessor has a warp, unless tiles are small. A block
/// has at most 8 warps by default, which keep their sums in registers.
static constexpr int64_t fewWarps = 4, mostWarps = 8, smallTile = 16 * 16;

namespace {
/// The tiles of the warps that compute a result.
struct WarpTiles {
  WarpTiles(int64_t height, int64_t width);

  int64_t rows, columns, warps;
};

/// One operand, and the lines of it that belong to the tile of the block.
struct Side : ProductOperand {
  int64_t lines;
  bool isLeft;
  /// The lines of the tile of a warp, at most 64.
  int64_t tile;
  /// The lines of a row in shared memory. A slot has four elements of each.
  int64_t together;

  int64_t getSlotSize() const { return four * together; }
  /// The line and the column of an element of a slot, in the order of the
  /// operands of `obs.mma`.
  std::pair<int64_t, int64_t> getPlace(int64_t element) const {
    if (isLeft)
      return {element / 2 % 2, element / 4 * 2 + element % 2};
    return {element / four, element % four};
  }
  /// The groups of 8 lines. The first rows have the first lines of all groups.
  int64_t countGroups() const { return lines / group; }
  /// The number of products whose lines belong to the tile.
  int64_t countProducts() const { return tile / (8 * together); }
};

/// Builds the product of one block.
class ProductByTensorCores : CollectiveBuilder {
public:
  ProductByTensorCores(OpBuilder &builder, Location loc,
                       const ProductTile &tile);

  /// The push array of the result.
  Value build();

private:
  /// The stored array whose element `i` has the components that `code` builds.
  Value forceEach(int64_t count, llvm::function_ref<Values(Value)> code);
  void write(Value value, ValueRange place) {
    WriteOp::create(builder, loc, value, place, ContractAttr(), Attribute());
  }
  Value addConstant(Value a, int64_t b) { return add(a, constant(b)); }

  /// Element `k` of a line of the matrix, which exists.
  Value readOne(const Side &side, Value line, Value k);
  /// The number of pieces that a thread loads at once: 8 elements of the lines
  /// of a row in shared memory, or four elements of 8 lines.
  int64_t countPieces(const Side &side) {
    return side.lines * depth /
           (side.hasLines ? side.together * group : group * four);
  }
  /// The number of threads that load pieces, all of them equally many.
  int64_t countLoaders(const Side &side) {
    return std::gcd(countPieces(side), tiles.warps * warpSize);
  }
  /// The first line of each piece of a thread, and its slot.
  void forEachPiece(const Side &side, Value thread,
                    llvm::function_ref<void(Value, Value)> code);
  /// Loads the elements of one step to registers.
  Value load(const Side &side, Value step);
  /// Stores them in shared memory.
  Value store(const Side &side, Value loaded);
  /// The group of lines to which row `row` of one product belongs, and its
  /// number in the group. The tile begins at `line`.
  std::pair<Value, Value> getGroup(const Side &side, Value line,
                                   int64_t product, Value row);
  /// The first line of this row.
  Value getLine(const Side &side, Value line, int64_t product, Value row);
  /// The elements that a lane takes from what `store` returned, for one product
  /// at `k`.
  Values read(const Side &side, Value stored, Value line, int64_t product,
              Value lane, int64_t k);
  /// The number of the elements of `side` that are neighbours in memory, if
  /// groups of them may not exist as a whole; null if all of them exist.
  Value getNeighbours(const Side &side) const {
    return side.hasLines ? count : side.all;
  }
  /// `sums` and the products of the steps from `begin` to `end`.
  Value addSteps(Value sums, Value begin, Value end);
  /// What `code` builds if `condition` holds, or else `sums`.
  Value addIf(Value condition, Value sums, llvm::function_ref<Value()> code);
  /// The sums after the products of one step.
  Value addProducts(Value sums, Value left, Value right);
  /// The first row and the first column of the tile of a warp.
  std::pair<Value, Value> getTile(Value thread);

  Side left, right;
  Value init, count;
  ProductPart part;
  Type element;
  int64_t depth;
  WarpTiles tiles;
  /// True in code for unknown extents that are multiples of a group, and in
  /// code for steps that may have columns that do not exist.
  bool haveGroups = false, haveEnd = false;
};
} // namespace

/// The largest of 64, 32, 16, ... that divides `extent`.
static int64_t getExtentOfTile(int64_t extent) {
  int64_t tile = 64;
  while (extent % tile != 0)
    tile /= 2;
  return tile;
}

WarpTiles::WarpTiles(int64_t height, int64_t width)
    : rows(getExtentOfTile(height)), columns(getExtentOfTile(width)) {
  auto count = [&] { return height / rows * (width / columns); };
  while (count() < fewWarps && rows * columns > smallTile)
    (rows >= columns ? rows : columns) /= 2;
  warps = count();
}

ProductByTensorCores::ProductByTensorCores(OpBuilder &builder, Location loc,
                                           const ProductTile &tile)
    : CollectiveBuilder(builder, loc, Level::Block, {}, /*commutative=*/true,
                        /*combineFn=*/nullptr),
      init(tile.init), part(tile.part), depth(tile.depth),
      tiles(tile.height, tile.width) {
  left = {tile.left, tile.height, true, tiles.rows, 2};
  right = {tile.right, tile.width, false, tiles.columns,
           std::min<int64_t>(2, tiles.columns / mmaColumns)};
  count = buildExtent(builder, loc, left.array, left.batch.size() + 1);
  element = getArrayElementTypes(left.array.getType()).front();
}

Value ProductByTensorCores::forceEach(int64_t count,
                                      llvm::function_ref<Values(Value)> code) {
  return force(
      buildGenerate(*this, count, [&](ValueRange i) { return code(i[0]); }));
}

Value ProductByTensorCores::readOne(const Side &side, Value line, Value k) {
  Values place(side.batch);
  place.append({side.isLeft ? line : k, side.isLeft ? k : line});
  return get(side.array, place).front();
}

void ProductByTensorCores::forEachPiece(
    const Side &side, Value thread,
    llvm::function_ref<void(Value, Value)> code) {
  int64_t loaders = countLoaders(side);
  // The pieces with the same lines, or the same slot.
  int64_t inner = side.hasLines ? depth / group : side.countGroups();
  for (int64_t first = 0; first < countPieces(side); first += loaders) {
    Value outer, number = thread;
    // The threads load whole lines.
    if (loaders % inner == 0) {
      outer = addConstant(div(thread, constant(inner)), first / inner);
    } else {
      number = addConstant(thread, first);
      outer = div(number, constant(inner));
    }
    Value last = rem(number, constant(inner));
    if (side.hasLines)
      code(mul(outer, constant(side.together)), last);
    else
      code(mul(last, constant(group)), outer);
  }
}

Value ProductByTensorCores::load(const Side &side, Value step) {
  Value first = mul(step, constant(depth));
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
  // The elements that `code` reads if `condition` holds or is null, or else
  // zeros.
  auto readIf = [&](Value condition, llvm::function_ref<Values()> code) {
    if (!condition)
      return code();
    size_t size = 0;
    return choose(
        condition,
        [&] {
          Values found = code();
          size = found.size();
          return found;
        },
        [&] { return Values(size, zero); });
  };
  // The results for lines that do not exist are not written. A thread reads
  // others instead of them, so that it has no branches: `number` lines from
  // `line` on, a multiple of `number`, as the number of all lines is.
  auto clamp = [&](Value line, int64_t number) {
    if (!side.first)
      return line;
    Value found = add(side.first, line);
    if (!side.all)
      return found;
    return builder.createOrFold<arith::MinUIOp>(
        loc, found, sub(side.all, constant(number)));
  };
  Value end = haveEnd ? count : Value();
  auto exists = [&](Value k) { return end ? below(k, end) : Value(); };
  Value neighbours = getNeighbours(side);
  std::optional<int64_t> known;
  if (neighbours)
    known = getConstantIntValue(neighbours);
  bool areWhole = !neighbours || (known ? *known % group == 0 : haveGroups);
  return forceEach(countLoaders(side), [&](Value thread) {
    Values values;
    forEachPiece(side, thread, [&](Value line, Value slot) {
      if (side.hasLines) {
        Value k = add(first, mul(slot, constant(group)));
        for (int64_t l = 0; l < side.together; ++l) {
          Value own = clamp(addConstant(line, l), 1);
          auto readFrom = [&](int64_t e, int64_t number) {
            return readIf(exists(addConstant(k, e)), [&] {
              Values found;
              for (int64_t n = e; n < e + number; ++n)
                found.push_back(readOne(side, own, addConstant(k, n)));
              return found;
            });
          };
          int64_t number = !end || areWhole ? group : 1;
          for (int64_t e = 0; e < group; e += number)
            llvm::append_range(values, readFrom(e, number));
        }
        return;
      }
      Value half = constant(depth / group);
      Value k = add(first, add(mul(rem(slot, half), constant(group)),
                               mul(div(slot, half), constant(four))));
      for (int64_t e = 0; e < four; ++e) {
        Value own = addConstant(k, e);
        if (areWhole) {
          Value begin = clamp(line, group);
          llvm::append_range(values, readIf(exists(own), [&] {
                               Values found;
                               for (int64_t l = 0; l < group; ++l)
                                 found.push_back(
                                     readOne(side, addConstant(begin, l), own));
                               return found;
                             }));
          continue;
        }
        Value begin = add(side.first, line);
        for (int64_t l = 0; l < group; ++l) {
          Value other = addConstant(begin, l);
          llvm::append_range(
              values,
              readIf(both(exists(own), below(other, side.all)),
                     [&]() -> Values { return {readOne(side, other, own)}; }));
        }
      }
    });
    return values;
  });
}

Value ProductByTensorCores::store(const Side &side, Value loaded) {
  int64_t extents[] = {side.lines / side.together, side.together * depth};
  return buildFillByThreads(
      *this, extents, element, countLoaders(side), [&](ValueRange thread) {
        Values values = get(loaded, thread);
        auto next = values.begin();
        forEachPiece(side, thread[0], [&](Value line, Value slot) {
          Value row = div(line, constant(group));
          if (side.hasLines)
            row = add(row, mul(div(rem(line, constant(group)),
                                   constant(side.together)),
                               constant(side.countGroups())));
          auto writeSlot =
              [&](Value row, Value slot,
                  llvm::function_ref<Value(int64_t, int64_t)> code) {
                Value first = mul(slot, constant(side.getSlotSize()));
                for (int64_t e = 0; e < side.getSlotSize(); ++e) {
                  auto [line, column] = side.getPlace(e);
                  write(code(line, column), {row, addConstant(first, e)});
                }
              };
          if (side.hasLines) {
            // The other four elements of each line have a slot of the second
            // half.
            for (int64_t half : {0, 1})
              writeSlot(row, addConstant(slot, half * depth / group),
                        [&](int64_t line, int64_t column) {
                          return next[line * group + half * four + column];
                        });
            next += side.together * group;
            return;
          }
          for (int64_t l = 0; l < group; l += side.together)
            writeSlot(addConstant(row, l / side.together * side.countGroups()),
                      slot, [&](int64_t line, int64_t column) {
                        return next[column * group + l + line];
                      });
          next += group * four;
        });
      });
}

std::pair<Value, Value> ProductByTensorCores::getGroup(const Side &side,
                                                       Value line,
                                                       int64_t product,
                                                       Value row) {
  Value tile = div(line, constant(side.tile));
  int64_t groups = side.tile / group;
  if (groups == 1)
    return {tile, row};
  // Two neighbouring rows belong to groups with this distance, if need be of
  // two parts of the tile, between which there are those of other tiles.
  int64_t distance = side.lines % (2 * four * group) == 0 ? four : groups / 2;
  int64_t inside = 2 * distance / groups;
  Value first = add(mul(div(tile, constant(inside)), constant(2 * distance)),
                    mul(rem(tile, constant(inside)), constant(groups / 2)));
  // The rows of one group that belong to one product.
  int64_t rows = groups == 2 ? four : 2, rest = four / rows;
  Value pair = div(row, constant(2));
  Value found = add(add(first, div(pair, constant(rows))),
                    mul(rem(row, constant(2)), constant(distance)));
  return {addConstant(found, product / rest * rest),
          addConstant(mul(rem(pair, constant(rows)), constant(rest)),
                      product % rest)};
}

Value ProductByTensorCores::getLine(const Side &side, Value line,
                                    int64_t product, Value row) {
  auto [found, number] = getGroup(side, line, product, row);
  return add(mul(found, constant(group)), mul(number, constant(side.together)));
}

Values ProductByTensorCores::read(const Side &side, Value stored, Value line,
                                  int64_t product, Value lane, int64_t k) {
  auto [found, number] =
      getGroup(side, line, product, div(lane, constant(four)));
  int64_t size = side.getSlotSize();
  Value first = mul(rem(lane, constant(four)), constant(size));
  Value place[] = {add(mul(number, constant(side.countGroups())), found), {}};
  Values values;
  for (int64_t e = 0; e < size; ++e) {
    place[1] = addConstant(first, k / four * size + e);
    llvm::append_range(values, get(stored, place));
  }
  return values;
}

std::pair<Value, Value> ProductByTensorCores::getTile(Value thread) {
  Value warp = div(thread, constant(warpSize)),
        inRow = constant(right.lines / tiles.columns);
  return {mul(div(warp, inRow), constant(tiles.rows)),
          mul(rem(warp, inRow), constant(tiles.columns))};
}

Value ProductByTensorCores::addProducts(Value sums, Value x, Value y) {
  return forceEach(tiles.warps * warpSize, [&](Value thread) {
    Values values = get(sums, thread);
    Value lane = rem(thread, constant(warpSize));
    auto [row, column] = getTile(thread);
    // All operands of a side for the products at `k`.
    auto readSide = [&](const Side &side, Value stored, Value line, int64_t k) {
      int64_t size = side.isLeft ? side.getSlotSize() : four;
      SmallVector<Values> operands;
      for (int64_t product = 0; product < side.countProducts(); ++product) {
        Values found = read(side, stored, line, product, lane, k);
        for (size_t e = 0; e < found.size(); e += size)
          operands.emplace_back(ArrayRef(found).slice(e, size));
      }
      return operands;
    };
    for (int64_t k = 0; k < depth; k += mmaDepth) {
      SmallVector<Values> lefts = readSide(left, x, row, k),
                          rights = readSide(right, y, column, k);
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

Value ProductByTensorCores::addIf(Value condition, Value sums,
                                  llvm::function_ref<Value()> code) {
  if (std::optional<int64_t> known = getConstantIntValue(condition))
    return *known ? code() : sums;
  return choose(
             condition, [&] { return Values{code()}; },
             [&] { return Values{sums}; })
      .front();
}

Value ProductByTensorCores::addSteps(Value sums, Value begin, Value end) {
  Value one = constant(1), last = sub(end, one);
  auto storeBoth = [&](ArrayRef<Value> loaded) -> Values {
    Value both[] = {store(left, loaded[0]), store(right, loaded[1])};
    auto force = ForceOp::create(builder, loc, both, ValueRange());
    force.setStorage(Storage::Shared);
    return llvm::to_vector_of<Value>(force.getResults());
  };
  auto loadBoth = [&](Value step) -> Values {
    return {load(left, step), load(right, step)};
  };
  Values start = {sums};
  llvm::append_range(start, storeBoth(loadBoth(begin)));
  auto loop = scf::ForOp::create(
      builder, loc, begin, end, one, start,
      [&](OpBuilder &, Location, Value step, ValueRange carried) {
        Value next =
            builder.createOrFold<arith::MinSIOp>(loc, add(step, one), last);
        Values loaded = loadBoth(next);
        Values found = {addProducts(carried[0], carried[1], carried[2])};
        llvm::append_range(found, storeBoth(loaded));
        scf::YieldOp::create(builder, loc, found);
      });
  return loop.getResult(0);
}

Value ProductByTensorCores::build() {
  int64_t numSums = tiles.rows * tiles.columns / warpSize;
  Value sums = forceEach(tiles.warps * warpSize,
                         [&](Value) { return Values(numSums, init); });
  // All columns of most steps exist. If groups of neighbours exist, too, one
  // access loads them. A test before the steps costs less than one in each.
  ProductPart::Steps steps = part.getSteps(
      builder, loc, IndexBuilder::ceilDiv(count, constant(depth)));
  Value whole = steps.end, isFirst = steps.exist;
  if (getConstantIntValue(rem(count, constant(depth))) != 0) {
    whole = builder.createOrFold<arith::MinUIOp>(
        loc, div(count, constant(depth)), steps.end);
    isFirst = below(steps.begin, whole);
  }
  for (const Side *side : {&left, &right}) {
    Value neighbours = getNeighbours(*side);
    if (!neighbours || getConstantIntValue(neighbours))
      continue;
    haveGroups = true;
    isFirst =
        both(isFirst, equal(rem(neighbours, constant(group)), constant(0)));
  }
  sums =
      addIf(isFirst, sums, [&] { return addSteps(sums, steps.begin, whole); });
  Value rest =
      builder.createOrFold<arith::SelectOp>(loc, isFirst, whole, steps.begin);
  haveGroups = false;
  haveEnd = true;
  sums = addIf(below(rest, steps.end), sums,
               [&] { return addSteps(sums, rest, steps.end); });
  auto writeSums = [&](Value thread) {
    Values values = get(sums, thread);
    Value lane = rem(thread, constant(warpSize));
    auto [row, column] = getTile(thread);
    int64_t beside = right.countProducts();
    for (int64_t r = 0; r < left.countProducts(); ++r)
      for (int64_t below : {0, 1})
        for (int64_t second : {0, 1})
          for (int64_t c = 0; c < beside; ++c)
            for (int64_t e = 0; e < right.together; ++e) {
              int64_t product = (r * beside + c) * right.together + e;
              Value inRow = div(lane, constant(four)),
                    inColumn = addConstant(
                        mul(rem(lane, constant(four)), constant(2)), second);
              write(values[4 * product + 2 * below + second],
                    {addConstant(getLine(left, row, r, inRow), below),
                     addConstant(getLine(right, column, c, inColumn), e)});
            }
  };
  return buildFillByThreads(*this, {left.lines, right.lines}, init.getType(),
                            tiles.warps * warpSize,
                            [&](ValueRange thread) { writeSums(thread[0]); });
}

int64_t strategies::chooseProductDepth(int64_t height, int64_t width,
                                       int64_t count, int64_t sharedBytes) {
  if (height <= 0 || width <= 0 || height % mmaRows || width % mmaColumns ||
      WarpTiles(height, width).warps > mostWarps)
    return 0;
  bool isShort = !ShapedType::isDynamic(count) && count <= shortDepth;
  for (int64_t depth : {isShort ? shortDepth : longDepth, shortDepth}) {
    // Two copies, with unused elements after each row.
    constexpr int64_t copies = 2, bytes = 2, unused = 16;
    if (copies * bytes * (height + width + unused) * (depth + unused) <=
        sharedBytes)
      return depth;
  }
  return 0;
}

Value strategies::buildProductByTensorCores(OpBuilder &builder, Location loc,
                                            const ProductTile &tile) {
  return ProductByTensorCores(builder, loc, tile).build();
}

//===- RegisterTiles.cpp - Tiles of products in registers -----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the chunks of two matrices, and the number of a tile of their product.
// Out: a loop of a block over the chunks. The threads load those of the next
// step to registers, in the order of memory, while they add the products of one
// step, whose elements are in shared memory. Each thread has sums in registers,
// so it reads a fraction of an element for each product. From: V. Volkov, J.
// Demmel, Benchmarking GPUs to tune dense linear algebra, 2008.
//
//===----------------------------------------------------------------------===//

#include "ExpansionUtils.h"
#include "ProductTiles.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

namespace {
/// Builds the product of one block.
class ProductByRegisters : CollectiveBuilder {
public:
  ProductByRegisters(OpBuilder &builder, MatmulOp op, Value left, Value right,
                     Value init, const TileShape &shape, ValueRange number,
                     const ProductPart &part);

  /// The push array of the result.
  Value build();

private:
  /// The positions of the sums of a thread in one dimension of the tile, of
  /// which there are `count` threads: groups of neighbours, which one access
  /// reads or writes.
  Values getPlaces(Value thread, int64_t count);
  /// The rows and the columns of the sums of a thread.
  std::pair<Values, Values> getSums(ValueRange thread) {
    return {getPlaces(thread[0], threads[0]), getPlaces(thread[1], threads[1])};
  }
  /// One operand: its chunks, the lines of the tile, which are rows of the left
  /// operand or columns of the right one, and if the elements of a line are
  /// neighbours in memory.
  struct Side {
    Value chunks;
    int64_t lines;
    bool isLeft, hasLines;
  };

  /// The chunks of step `step` in registers, in the order of memory; zeros if
  /// `isStep` is false, or null if it is always true.
  Values load(Value step, Value isStep);
  Value loadChunk(const Side &side, Value step, Value isStep);
  /// The same chunks in shared memory. A thread reads neighbours of several
  /// lines, so these are neighbours there.
  Values store(ValueRange chunks);
  /// The sums after the products of one step.
  Value addProducts(Value sums, Value left, Value right);

  MatmulOp op;
  Side sides[2];
  Value init;
  ProductPart::Steps steps;
  TileShape shape;
  Values number;
  Type element;
  int64_t threads[2];
};
} // namespace

ProductByRegisters::ProductByRegisters(OpBuilder &builder, MatmulOp op,
                                       Value left, Value right, Value init,
                                       const TileShape &shape,
                                       ValueRange number,
                                       const ProductPart &part)
    : CollectiveBuilder(builder, op.getLoc(), Level::Block, {},
                        /*commutative=*/false, /*combineFn=*/nullptr),
      op(op),
      sides{{left, shape.height, true, hasLines(op.getLeft(), true)},
            {right, shape.width, false, hasLines(op.getRight(), false)}},
      init(init), shape(shape), number(number),
      element(getArrayElementTypes(op.getLeft().getType()).front()),
      threads{shape.height / shape.side, shape.width / shape.side} {
  steps = part.getSteps(builder, loc,
                        buildExtent(builder, loc, left, number.size() - 1));
}

Values ProductByRegisters::getPlaces(Value thread, int64_t count) {
  int64_t group = std::min<int64_t>(shape.side, 4);
  Value start = mul(thread, constant(group));
  Values places;
  for (int64_t k = 0; k < shape.side; ++k)
    places.push_back(
        add(start, constant(k / group * group * count + k % group)));
  return places;
}

Value ProductByRegisters::loadChunk(const Side &side, Value step,
                                    Value isStep) {
  Values place(number);
  (side.isLeft ? place.back() : place.end()[-2]) = step;
  int64_t extents[] = {side.lines, shape.depth};
  if (!side.hasLines)
    std::swap(extents[0], extents[1]);
  return buildGenerate(*this, extents, [&](ValueRange i) {
    auto read = [&]() -> Values {
      Values at(number.size() - 2, constant(0));
      at.append({i[0], i[1]});
      if (side.hasLines != side.isLeft)
        std::swap(at.back(), at.end()[-2]);
      return get(get(side.chunks, place).front(), at);
    };
    if (!isStep)
      return read();
    return choose(isStep, read, [&]() -> Values {
      return {arith::ConstantOp::create(builder, loc,
                                        builder.getZeroAttr(element))};
    });
  });
}

Values ProductByRegisters::load(Value step, Value isStep) {
  Value both[] = {loadChunk(sides[0], step, isStep),
                  loadChunk(sides[1], step, isStep)};
  return llvm::to_vector_of<Value>(
      ForceOp::create(builder, loc, both, ValueRange()).getResults());
}

Values ProductByRegisters::store(ValueRange chunks) {
  Values both;
  for (auto [side, chunk] : llvm::zip_equal(sides, chunks)) {
    if (!side.hasLines) {
      both.push_back(chunk);
      continue;
    }
    both.push_back(buildFillByThreads(
        *this, {shape.depth, side.lines}, element, {side.lines, shape.depth},
        [&, &chunk = chunk](ValueRange i) {
          WriteOp::create(builder, loc, get(chunk, i), ValueRange{i[1], i[0]},
                          ContractAttr(), Attribute());
        }));
  }
  auto shared = ForceOp::create(builder, loc, both, ValueRange());
  shared.setStorage(Storage::Shared);
  return llvm::to_vector_of<Value>(shared.getResults());
}

Value ProductByRegisters::addProducts(Value sums, Value x, Value y) {
  return force(buildGenerate(*this, threads, [&](ValueRange i) {
    auto [rows, columns] = getSums(i);
    auto loop = scf::ForOp::create(
        builder, loc, constant(0), constant(shape.depth), constant(1),
        get(sums, i),
        [&, &rows = rows, &columns = columns](OpBuilder &, Location, Value k,
                                              ValueRange sums) {
          Values lefts, rights, found;
          for (Value row : rows)
            llvm::append_range(lefts, get(x, {k, row}));
          for (Value column : columns)
            llvm::append_range(rights, get(y, {k, column}));
          for (auto [place, sum] : llvm::enumerate(sums))
            found.push_back(op.buildSum(builder, loc, lefts[place / shape.side],
                                        rights[place % shape.side], sum));
          scf::YieldOp::create(builder, loc, found);
        });
    return llvm::to_vector_of<Value>(loop.getResults());
  }));
}

Value ProductByRegisters::build() {
  Values none(shape.side * shape.side, init);
  auto type = PullType::get(builder.getContext(), threads,
                            llvm::to_vector(ValueRange(none).getTypes()));
  Values start = {SplatOp::create(builder, loc, type, none, ValueRange())};
  Value one = constant(1), last = sub(steps.end, one);
  llvm::append_range(
      start,
      store(load(steps.begin,
                 getConstantIntValue(steps.exist) ? Value() : steps.exist)));
  auto loop = scf::ForOp::create(
      builder, loc, steps.begin, steps.end, one, start,
      [&](OpBuilder &, Location, Value step, ValueRange carried) {
        Values chunks = load(min(add(step, one), last), Value());
        Values found = {addProducts(carried[0], carried[1], carried[2])};
        llvm::append_range(found, store(chunks));
        scf::YieldOp::create(builder, loc, found);
      });
  return buildFillByThreads(
      *this, {shape.height, shape.width}, init.getType(), threads,
      [&](ValueRange i) {
        auto [rows, columns] = getSums(i);
        for (auto [k, sum] : llvm::enumerate(get(loop.getResult(0), i)))
          WriteOp::create(
              builder, loc, sum,
              ValueRange{rows[k / shape.side], columns[k % shape.side]},
              ContractAttr(), Attribute());
      });
}

Value strategies::buildProductByRegisters(OpBuilder &builder, MatmulOp op,
                                          Value left, Value right, Value init,
                                          const TileShape &shape,
                                          ValueRange number,
                                          const ProductPart &part) {
  return ProductByRegisters(builder, op, left, right, init, shape, number, part)
      .build();
}

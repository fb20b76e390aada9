//===- ProductTiles.cpp - Shapes of tiles of products ---------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: the extents of a product by all blocks. Out: the shape of the tiles, and
// the number of parts of each sum, for which a model of the GPU estimates the
// least time.
//
//===----------------------------------------------------------------------===//

#include "ProductTiles.h"

#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/IndexBuilder.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

ProductPart::Steps ProductPart::getSteps(OpBuilder &builder, Location loc,
                                         Value steps) const {
  IndexBuilder index{builder, loc};
  if (!number)
    return {index.constant(0), steps, index.below(index.constant(0), steps)};
  Value length = index.ceilDiv(steps, all), begin = index.mul(number, length),
        end = index.add(begin, length);
  std::optional<int64_t> known = getConstantIntValue(steps),
                         parts = getConstantIntValue(all);
  if (known && parts && *known > 0 && *known % *parts == 0)
    return {begin, end, arith::ConstantIntOp::create(builder, loc, 1, 1)};
  end = builder.createOrFold<arith::MinUIOp>(loc, end, steps);
  return {begin, end, index.below(begin, end)};
}

/// The rates of one, two, ... blocks on each multiprocessor that can be
/// resident together. Those of FMAs are of an H100 (`matmul` in
/// benchmarks/results/jax-h100.json), those of tensor cores of an H200
/// (benchmarks/results/bfloat-products-h200.txt).
static SmallVector<double> getRates(const TileShape &shape) {
  if (shape.byTensorCores) {
    if (shape.getThreads() > 128)
      return {0.846};
    if (shape.height >= 128 && shape.width >= 128)
      return {0.46, 0.748};
    if (shape.height >= 128 || shape.width >= 128)
      return {0.367, 0.556};
    return {0.178, 0.32, 0.424};
  }
  if (shape.side < 4)
    return {0.07, 0.12, 0.15};
  if (shape.side < 8)
    return {0.27, 0.42, 0.5};
  return {0.59, 0.80, 0.865};
}

/// The microseconds that a GPU takes for `blocks` blocks with `steps` products
/// of one tile each. There are 132 multiprocessors with 128 FMAs in each cycle,
/// or 1024 by tensor cores.
static double estimateTiles(const TileShape &shape, int64_t blocks,
                            int64_t steps) {
  const double perMicrosecond = shape.byTensorCores ? 1744e3 : 218e3;
  SmallVector<double> rates = getRates(shape);
  auto resident = static_cast<int64_t>(rates.size());
  // Before the first step, a block waits for its tiles. Other blocks may work.
  const int64_t waiting = !shape.byTensorCores ? 48 : resident > 1 ? 192 : 256;
  double block = static_cast<double>(shape.height * shape.width) *
                 static_cast<double>(steps + waiting) / perMicrosecond;
  int64_t waves = blocks / (multiprocessors * resident);
  int64_t last =
      llvm::divideCeil(blocks % (multiprocessors * resident), multiprocessors);
  double time = static_cast<double>(waves * resident) / rates.back();
  if (last > 0)
    time += static_cast<double>(last) / rates[last - 1];
  return time * block;
}

std::optional<ProductTiles>
strategies::chooseProductTiles(MatmulOp op, bool byTensorCores, bool areWhole,
                               int64_t sharedBytes) {
  constexpr int64_t shortest = 64, mostParts = 256;
  // A kernel adds the parts.
  constexpr double launch = 2, bytesPerMicrosecond = 3e6, moreWork = 1.05;
  PullType left = op.getLeft().getType();
  PushType type = op.getResult().getType();
  unsigned batches = op.getBatchRank();
  int64_t length = left.getExtentBound(batches + 1);
  const TileShape small{16, 16, 1}, medium{64, 64, 4};
  SmallVector<TileShape> shapes = {{64, 128, 8}, {128, 64, 8}, medium, small};
  if (byTensorCores) {
    shapes = {{128, 256}, {128, 128}, {64, 128}, {128, 64}, {64, 64}};
    for (TileShape &shape : shapes) {
      shape.byTensorCores = true;
      shape.depth =
          chooseProductDepth(shape.height, shape.width, length, sharedBytes);
    }
    llvm::erase_if(shapes,
                   [](const TileShape &shape) { return shape.depth == 0; });
    if (shapes.empty())
      return std::nullopt;
  } else {
    // Two copies of a step. The smallest tiles always fit.
    int64_t bytes = 2 * getElementBytes(left.getElementTypes().front());
    llvm::erase_if(shapes, [&](const TileShape &shape) {
      return shape.side > 1 &&
             bytes * shape.depth * (shape.height + shape.width) > sharedBytes;
    });
  }
  if (!left.hasStaticExtents() || !type.hasStaticExtents()) {
    auto isAtLeast = [&](int64_t size) {
      return llvm::all_of(ArrayRef{batches, batches + 1}, [&](unsigned dim) {
        int64_t bound = type.getExtentBound(dim);
        return ShapedType::isDynamic(bound) || bound >= size;
      });
    };
    // A larger tile is for larger matrices, but a few of 64 x 128 sums are not
    // slower than twice as many of 64 x 64.
    constexpr int64_t widest = 128;
    auto fits = [&](const TileShape &shape) {
      return shape.width <= widest &&
             isAtLeast(std::min(shape.height, shape.width));
    };
    auto found = llvm::find_if(shapes, fits);
    ProductTiles tiles{found == shapes.end() ? shapes.back() : *found, 1};
    constexpr int64_t severalParts = 512;
    if (!areWhole && (ShapedType::isDynamic(length) || length >= severalParts))
      tiles.fewer = byTensorCores ? shapes.back() : tiles.shape;
    return tiles;
  }
  ArrayRef<int64_t> extents = type.getExtents();
  int64_t results = ShapedType::getNumElements(extents),
          matrices = ShapedType::getNumElements(extents.take_front(batches));
  ProductTiles best{shapes.back(), 1};
  double least = std::numeric_limits<double>::infinity();
  for (const TileShape &shape : shapes) {
    int64_t tiles = matrices *
                    llvm::divideCeil(extents[batches], shape.height) *
                    llvm::divideCeil(extents[batches + 1], shape.width);
    for (int64_t parts = 1; parts <= (areWhole ? 1 : mostParts); ++parts) {
      if (length % parts || (parts > 1 && length / parts < shortest))
        continue;
      double time = estimateTiles(shape, tiles * parts, length / parts);
      if (parts > 1)
        time = moreWork * time + launch +
               static_cast<double>(
                   (parts + 1) * results *
                   getElementBytes(left.getElementTypes().front())) /
                   bytesPerMicrosecond;
      if (time < least)
        std::tie(least, best) = std::pair(time, ProductTiles{shape, parts});
    }
  }
  return best;
}

//===- Matmul.cpp - Products of matrices ----------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The strategy `tensor_cores`. In: an `obs.matmul` of f16 or bf16. Out: at
// level block, the program of `TensorCores.cpp`; at level grid, blocks with
// this program, each for a tile of the result.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "Obsidian/Dialect/Obs/IR/IndexBuilder.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "TensorCores.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

/// The height and the width of the tiles of a matrix: those of the block if
/// `type` belongs to one. Of a grid, the largest tiles of which each
/// multiprocessor has one.
static std::pair<int64_t, int64_t> chooseTile(PushType type) {
  constexpr int64_t multiprocessors = 132;
  if (type.getLevel() == Level::Block)
    return {type.getExtents()[0], type.getExtents()[1]};
  if (!type.hasStaticExtents())
    return {128, 128};
  std::pair<int64_t, int64_t> shapes[] = {
      {128, 256}, {128, 128}, {64, 128}, {64, 64}};
  for (auto [height, width] : shapes)
    if (llvm::divideCeil(type.getExtents()[0], height) *
            llvm::divideCeil(type.getExtents()[1], width) >=
        multiprocessors)
      return {height, width};
  return std::end(shapes)[-1];
}

/// True if `op` multiplies f16 or bf16 and adds f32, at a level at which
/// blocks do so. Of few rows or columns, most of a tile would be unused.
static bool isForTensorCores(MatmulOp op) {
  PushType type = op.getResult().getType();
  Type element = getArrayElementTypes(op.getLeft().getType()).front();
  if (!(element.isF16() || element.isBF16()) ||
      !type.getElementTypes().front().isF32())
    return false;
  constexpr int64_t few = 16;
  if (type.getLevel() == Level::Grid)
    return llvm::all_of(type.getExtents(), [](int64_t extent) {
      return ShapedType::isDynamic(extent) || extent >= few;
    });
  return type.getLevel() == Level::Block && type.hasStaticExtents();
}

/// The product of whole matrices by blocks, an array of level grid.
static Value buildTiles(OpBuilder &builder, MatmulOp op, int64_t height,
                        int64_t width, int64_t depth) {
  Location loc = op.getLoc();
  MLIRContext *context = builder.getContext();
  IndexBuilder index{builder, loc};
  PushType type = op.getResult().getType();
  Value extents[] = {buildExtent(builder, loc, op.getLeft(), 0),
                     buildExtent(builder, loc, op.getRight(), 1)};
  Value sizes[] = {index.constant(height), index.constant(width)};
  SmallVector<int64_t> parts;
  SmallVector<Value> dynamic, dynamicParts;
  for (auto [extent, value, size] :
       llvm::zip_equal(type.getExtents(), extents, sizes)) {
    int64_t constant = *getConstantIntValue(size);
    bool isDynamic = ShapedType::isDynamic(extent);
    parts.push_back(isDynamic ? extent
                              : int64_t(llvm::divideCeil(extent, constant)));
    if (!isDynamic)
      continue;
    dynamic.push_back(value);
    dynamicParts.push_back(index.ceilDiv(value, size));
  }
  // The number of the tile of each block, in one dimension.
  auto number = [&](unsigned dim) -> Value {
    auto numbers = GenerateOp::create(
        builder, loc, PullType::get(context, parts, builder.getIndexType()),
        dynamicParts);
    OpBuilder::InsertionGuard guard(builder);
    Type types[] = {builder.getIndexType(), builder.getIndexType()};
    Block *body =
        builder.createBlock(&numbers.getBody(), {}, types, {loc, loc});
    YieldOp::create(builder, loc, ValueRange(body->getArgument(dim)));
    return numbers;
  };
  Value numbers[] = {number(0), number(1)};
  SmallVector<int64_t> all = parts;
  all.append({height, width});
  auto distribute = DistributeOp::create(
      builder, loc,
      TypeRange(PushType::get(context, Level::Grid, all,
                              type.getElementTypes().front())),
      numbers, LevelAttr::get(context, Level::Block),
      LevelAttr::get(context, Level::Grid));
  {
    OpBuilder::InsertionGuard guard(builder);
    Type types[] = {builder.getIndexType(), builder.getIndexType()};
    Block *body =
        builder.createBlock(&distribute.getBody(), {}, types, {loc, loc});
    auto getOperand = [&](unsigned dim, Value array,
                          bool hasLines) -> ProductOperand {
      bool isWhole = !ShapedType::isDynamic(type.getExtents()[dim]) &&
                     type.getExtents()[dim] % (dim == 0 ? height : width) == 0;
      return {array, hasLines, index.mul(body->getArgument(dim), sizes[dim]),
              isWhole ? Value() : extents[dim]};
    };
    ProductTile tile = {getOperand(0, op.getLeft(), !op.getLeftColumns()),
                        getOperand(1, op.getRight(), op.getRightColumns()),
                        height,
                        width,
                        depth,
                        op.getInit()};
    YieldOp::create(builder, loc,
                    buildProductByTensorCores(builder, loc, tile));
  }
  return JoinOp::create(
      builder, loc, type, distribute.getParts().front(), dynamic,
      builder.getDenseI64ArrayAttr(type.getExtents()), UnitAttr());
}

/// The threads for which the force of an array asks; 0 if it asks for none.
static int64_t getThreads(Value array) {
  while (array.hasOneUse()) {
    Operation *user = *array.user_begin();
    if (auto force = dyn_cast<ForceOp>(user))
      return force.getThreads().value_or(0);
    if (user->getNumResults() != 1)
      break;
    array = user->getResult(0);
  }
  return 0;
}

LogicalResult strategies::expandMatmul(OpBuilder &builder, MatmulOp op,
                                       const ExpansionOptions &options) {
  int64_t height = 0, width = 0, depth = 0;
  if (isForTensorCores(op)) {
    std::tie(height, width) = chooseTile(op.getResult().getType());
    depth = chooseProductDepth(height, width,
                               getArrayExtents(op.getLeft().getType())[1],
                               options.sharedBytes);
  }
  // Fewer threads would keep the sums of several warps each.
  constexpr int64_t fewest = 128;
  bool isGrid = op.getResult().getType().getLevel() == Level::Grid;
  int64_t threads =
      options.threads > 0 ? options.threads : getThreads(op.getResult());
  bool areFew = isGrid && threads > 0 && threads < fewest;
  StringRef strategy = op.getStrategy().value_or(
      depth && options.hasTensorCores && !options.plain && !areFew
          ? "tensor_cores"
          : "sequential");
  if (strategy != "tensor_cores" && strategy != "sequential")
    return op.emitOpError("[strategy-name] '")
           << strategy
           << "' is not a strategy of this operation; use sequential, "
              "tensor_cores";
  builder.setInsertionPoint(op);
  if (strategy == "sequential")
    return op.expand(builder);
  if (!depth)
    return op.emitOpError(
        "[strategy-type] strategy 'tensor_cores' adds products of f16 or bf16 "
        "in f32 at level block or grid; in a block, the height of the result "
        "is a multiple of 16, its width is a multiple of 8, at most 8 warps "
        "compute tiles of it, and both operands fit into shared memory; of a "
        "grid, the result has at least 16 rows and columns; use sequential");
  if (!options.hasTensorCores)
    return op.emitOpError("[strategy-chip] strategy 'tensor_cores' needs "
                          "sm_80 or later; leave the choice to the compiler");
  Value product;
  if (isGrid) {
    product = buildTiles(builder, op, height, width, depth);
  } else {
    ProductTile tile = {{op.getLeft(), !op.getLeftColumns(), Value(), Value()},
                        {op.getRight(), op.getRightColumns(), Value(), Value()},
                        height,
                        width,
                        depth,
                        op.getInit()};
    product = buildProductByTensorCores(builder, op.getLoc(), tile);
  }
  op.getResult().replaceAllUsesWith(product);
  return success();
}

//===- Matmul.cpp - Products of matrices ----------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The strategies of `obs.matmul`. In: products of matrices. Out: at level
// block, a program by tensor cores (`TensorCores.cpp`); at level grid, blocks
// with this program, or with the one of `RegisterTiles.cpp`, each for a tile of
// the result; or one thread for each sum.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "ExpansionUtils.h"
#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "Obsidian/Dialect/Obs/IR/IndexBuilder.h"
#include "ProductTiles.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

/// Most of a tile would be unused for fewer rows or columns.
static constexpr int64_t fewLines = 16;

/// True if `op` multiplies f16 or bf16 and adds f32, at a level at which blocks
/// do so.
static bool isForTensorCores(MatmulOp op) {
  PushType type = op.getResult().getType();
  Type element = getArrayElementTypes(op.getLeft().getType()).front();
  if (!(element.isF16() || element.isBF16()) ||
      !type.getElementTypes().front().isF32())
    return false;
  if (type.getLevel() == Level::Grid)
    return llvm::all_of(type.getExtents().take_back(2), [](int64_t extent) {
      return ShapedType::isDynamic(extent) || extent >= fewLines;
    });
  return type.getLevel() == Level::Block && type.hasStaticExtents() &&
         op.getBatchRank() == 0;
}

/// True if tiles of `op`, of level grid, have enough sums and products.
static bool isLarge(MatmulOp op) {
  constexpr int64_t fewProducts = 8;
  PushType type = op.getResult().getType();
  auto isAtLeast = [](int64_t bound, int64_t least) {
    return ShapedType::isDynamic(bound) || bound >= least;
  };
  unsigned batches = op.getBatchRank();
  return isAtLeast(type.getExtentBound(batches), fewLines) &&
         isAtLeast(type.getExtentBound(batches + 1), fewLines) &&
         isAtLeast(op.getLeft().getType().getExtentBound(batches + 1),
                   fewProducts);
}

/// `operand` of a product by tensor cores, without its place.
static ProductOperand getOperand(Value array, bool isLeft) {
  auto rank = static_cast<unsigned>(getArrayExtents(array.getType()).size());
  unsigned lines = isLeft ? rank - 1 : rank - 2;
  // Rows of a matrix of unknown memory are the more likely ones.
  return {array,
          {},
          findInnermost(array).value_or(rank - 1) == lines,
          Value(),
          Value()};
}

namespace {
/// Builds the product of whole matrices by blocks, an array of level grid.
class ProductByBlocks : IndexBuilder {
public:
  /// `left` and `right` are the operands of `op`, or these with a dimension for
  /// the parts of a sum after those of batches.
  ProductByBlocks(OpBuilder &builder, MatmulOp op, Value left, Value right,
                  Value init, const TileShape &shape)
      : IndexBuilder{builder, op.getLoc()}, op(op), left(left), right(right),
        init(init), shape(shape) {}

  Value build(PushType type);

private:
  /// The tile of a block, of rank 2.
  Value buildTile(PushType type, ArrayRef<Value> extents, ValueRange number);

  MatmulOp op;
  Value left, right, init;
  TileShape shape;
};
} // namespace

Value ProductByBlocks::buildTile(PushType type, ArrayRef<Value> extents,
                                 ValueRange number) {
  ProductTile tile = {getOperand(left, true),
                      getOperand(right, false),
                      shape.height,
                      shape.width,
                      shape.depth,
                      init};
  std::pair<ProductOperand &, int64_t> sides[] = {{tile.left, shape.height},
                                                  {tile.right, shape.width}};
  size_t rank = number.size();
  for (auto [dim, side] : llvm::enumerate(sides)) {
    auto &[operand, size] = side;
    unsigned line = rank - 2 + dim;
    operand.batch = llvm::to_vector(number.drop_back(2));
    operand.first = mul(number[line], constant(size));
    int64_t extent = type.getExtents()[line];
    if (ShapedType::isDynamic(extent) || extent % size != 0)
      operand.all = extents[line];
  }
  return buildProductByTensorCores(builder, loc, tile);
}

Value ProductByBlocks::build(PushType type) {
  MLIRContext *context = builder.getContext();
  size_t rank = type.getExtents().size();
  SmallVector<Value> extents = buildExtents(builder, loc, left);
  extents.back() = buildExtent(builder, loc, right, rank - 1);
  SmallVector<int64_t> tiles(type.getExtents()), inner(rank, 1);
  SmallVector<Value> dynamic, dynamicTiles;
  inner[rank - 2] = shape.height;
  inner[rank - 1] = shape.width;
  for (auto [tile, extent, size] : llvm::zip_equal(tiles, extents, inner)) {
    if (!ShapedType::isDynamic(tile)) {
      tile = llvm::divideCeil(tile, size);
      continue;
    }
    dynamic.push_back(extent);
    dynamicTiles.push_back(ceilDiv(extent, constant(size)));
  }
  // The number of the tile of each block, in one dimension.
  SmallVector<Type> types(rank, builder.getIndexType());
  SmallVector<Location> locs(rank, loc);
  auto numberTiles = [&](size_t dim) -> Value {
    auto numbers = GenerateOp::create(
        builder, loc, PullType::get(context, tiles, builder.getIndexType()),
        dynamicTiles);
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&numbers.getBody(), {}, types, locs);
    YieldOp::create(builder, loc, ValueRange(body->getArgument(dim)));
    return numbers;
  };
  auto numbers = llvm::map_to_vector(llvm::seq<size_t>(0, rank), numberTiles);
  Type sum = type.getElementTypes().front();
  Value leftChunks = left, rightChunks = right;
  if (!shape.byTensorCores) {
    auto split = [&](Value array, int64_t rows, int64_t columns) -> Value {
      Value zero = arith::ConstantOp::create(
          builder, loc,
          builder.getZeroAttr(getArrayElementTypes(array.getType()).front()));
      SmallVector<int64_t> sizes(rank, 1);
      sizes[rank - 2] = rows;
      sizes[rank - 1] = columns;
      return SplitOp::create(builder, loc, array, ValueRange(), zero, sizes,
                             /*strided=*/false);
    };
    leftChunks = split(left, shape.height, shape.depth);
    rightChunks = split(right, shape.depth, shape.width);
  }
  SmallVector<int64_t> all(tiles);
  all.append(inner);
  auto distribute = DistributeOp::create(
      builder, loc, TypeRange(PushType::get(context, Level::Grid, all, sum)),
      numbers, LevelAttr::get(context, Level::Block),
      LevelAttr::get(context, Level::Grid));
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&distribute.getBody(), {}, types, locs);
    Value tile =
        shape.byTensorCores
            ? buildTile(type, extents, body->getArguments())
            : buildProductByRegisters(builder, op, leftChunks, rightChunks,
                                      init, shape, body->getArguments());
    if (rank > 2)
      tile = ReshapeOp::create(builder, loc,
                               PushType::get(context, Level::Block, inner, sum),
                               tile, ValueRange());
    YieldOp::create(builder, loc, tile);
  }
  return JoinOp::create(
      builder, loc, type, distribute.getParts().front(), dynamic,
      builder.getDenseI64ArrayAttr(type.getExtents()), UnitAttr());
}

/// The sums of `parts` parts of each sum of `op`, whose extents are known: a
/// product with one more batch, whose results are stored and added.
static Value buildParts(OpBuilder &builder, MatmulOp op, const TileShape &shape,
                        int64_t parts) {
  Location loc = op.getLoc();
  PushType type = op.getResult().getType();
  MLIRContext *context = builder.getContext();
  unsigned batches = op.getBatchRank();
  auto split = [&](Value array, unsigned dim) -> Value {
    auto source = cast<PullType>(array.getType());
    SmallVector<int64_t> extents(source.getExtents());
    extents[dim] /= parts;
    extents.insert(extents.begin() + dim, parts);
    return ReshapeOp::create(
        builder, loc, PullType::get(context, extents, source.getElementTypes()),
        array, ValueRange());
  };
  // From batches, rows, parts and columns to batches, parts, rows and columns.
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, batches + 3));
  std::swap(order[batches], order[batches + 1]);
  Value left = TransposeOp::create(builder, loc,
                                   split(op.getLeft(), batches + 1), order),
        right = split(op.getRight(), batches);
  Type sum = type.getElementTypes().front();
  SmallVector<int64_t> extents(type.getExtents());
  extents.insert(extents.begin() + batches, parts);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(sum));
  Value product = ProductByBlocks(builder, op, left, right, zero, shape)
                      .build(PushType::get(context, Level::Grid, extents, sum));
  auto stored = ForceOp::create(builder, loc, product, ValueRange());
  stored.setThreads(shape.getThreads());
  auto sums = GenerateOp::create(builder, loc,
                                 PullType::get(context, type.getExtents(), sum),
                                 ValueRange());
  {
    OpBuilder::InsertionGuard guard(builder);
    size_t rank = type.getExtents().size();
    Block *body = builder.createBlock(
        &sums.getBody(), {}, SmallVector<Type>(rank, builder.getIndexType()),
        SmallVector<Location>(rank, loc));
    IndexBuilder index{builder, loc};
    auto addPart = [&](Value soFar, Value part) -> Value {
      auto place = llvm::to_vector_of<Value>(body->getArguments());
      place.insert(place.begin() + batches, part);
      Value next =
          buildGet(builder, loc, stored.getResults().front(), place).front();
      if (isa<FloatType>(sum))
        return arith::AddFOp::create(builder, loc, soFar, next);
      return arith::AddIOp::create(builder, loc, soFar, next);
    };
    // A thread without a loop adds several neighbours together.
    constexpr int64_t fewParts = 4;
    Value total = op.getInit();
    if (parts <= fewParts)
      for (int64_t part = 0; part < parts; ++part)
        total = addPart(total, index.constant(part));
    else
      total = scf::ForOp::create(
                  builder, loc, index.constant(0), index.constant(parts),
                  index.constant(1), total,
                  [&](OpBuilder &, Location, Value part, ValueRange soFar) {
                    scf::YieldOp::create(builder, loc,
                                         addPart(soFar.front(), part));
                  })
                  .getResult(0);
    YieldOp::create(builder, loc, total);
  }
  return PushOp::create(builder, loc, Level::Grid, sums);
}

LogicalResult strategies::expandMatmul(OpBuilder &builder, MatmulOp op,
                                       const ExpansionOptions &options) {
  constexpr StringLiteral tensorCores = "tensor_cores", registers = "registers",
                          sequential = "sequential";
  PushType type = op.getResult().getType();
  bool isGrid = type.getLevel() == Level::Grid, isNamed = !!op.getStrategy();
  // Without a name, results may be sums of parts.
  auto choose = [&](bool byTensorCores) {
    return chooseProductTiles(op, byTensorCores, /*areWhole=*/isNamed,
                              options.sharedBytes);
  };
  std::optional<ProductTiles> tiles;
  int64_t depth = 0;
  if (isForTensorCores(op)) {
    if (isGrid) {
      tiles = choose(/*byTensorCores=*/true);
      depth = tiles ? tiles->shape.depth : 0;
    } else {
      depth = chooseProductDepth(type.getExtents()[0], type.getExtents()[1],
                                 getArrayExtents(op.getLeft().getType())[1],
                                 options.sharedBytes);
    }
  }
  // Fewer threads would keep the sums of several warps each.
  constexpr int64_t fewest = 128;
  ForceOp force = findOnlyForce(op.getResult());
  int64_t threads = options.threads;
  if (threads <= 0 && force)
    threads = force.getThreads().value_or(0);
  bool areFew = isGrid && threads > 0 && threads < fewest;
  StringRef strategy = sequential;
  if (op.getStrategy())
    strategy = *op.getStrategy();
  else if (depth && options.hasTensorCores && !options.plain && !areFew)
    strategy = tensorCores;
  else if (isGrid && isLarge(op) && !options.plain && !areFew)
    strategy = registers;
  if (!llvm::is_contained({tensorCores, registers, sequential}, strategy))
    return op.emitOpError("[strategy-name] '")
           << strategy
           << "' is not a strategy of this operation; use sequential, "
              "registers, tensor_cores";
  builder.setInsertionPoint(op);
  if (strategy == sequential)
    return op.expand(builder);
  if (strategy == registers && !isGrid)
    return op.emitOpError("[strategy-type] strategy 'registers' computes tiles "
                          "of a product of level grid by blocks; use "
                          "sequential, or leave the choice to the compiler");
  if (strategy == registers)
    tiles = choose(/*byTensorCores=*/false);
  else if (!depth)
    return op.emitOpError(
        "[strategy-type] strategy 'tensor_cores' adds products of f16 or bf16 "
        "in f32 at level block or grid; in a block, the height of the result "
        "is a multiple of 16, its width is a multiple of 8, there are no "
        "batches, at most 8 warps compute tiles of it, and both operands fit "
        "into shared memory; of a grid, the result has at least 16 rows and "
        "columns; use sequential");
  else if (!options.hasTensorCores)
    return op.emitOpError("[strategy-chip] strategy 'tensor_cores' needs "
                          "sm_80 or later; leave the choice to the compiler");
  Value product;
  if (!isGrid) {
    ProductTile tile = {getOperand(op.getLeft(), true),
                        getOperand(op.getRight(), false),
                        type.getExtents()[0],
                        type.getExtents()[1],
                        depth,
                        op.getInit()};
    product = buildProductByTensorCores(builder, op.getLoc(), tile);
  } else if (tiles->parts > 1) {
    product = buildParts(builder, op, tiles->shape, tiles->parts);
  } else {
    product = ProductByBlocks(builder, op, op.getLeft(), op.getRight(),
                              op.getInit(), tiles->shape)
                  .build(type);
    if (force && !force.getThreads())
      force.setThreads(tiles->shape.getThreads());
  }
  op.getResult().replaceAllUsesWith(product);
  return success();
}

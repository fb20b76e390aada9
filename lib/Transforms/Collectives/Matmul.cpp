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
#include "Obsidian/Dialect/Obs/IR/Regions.h"
#include "ProductTiles.h"
#include "mlir/IR/IRMapping.h"

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

bool strategies::hasLines(Value array, bool isLeft) {
  auto rank = static_cast<unsigned>(getArrayExtents(array.getType()).size());
  // Rows of a matrix of unknown memory are the more likely ones.
  return findInnermost(array).value_or(rank - 1) ==
         (isLeft ? rank - 1 : rank - 2);
}

/// `operand` of a product by tensor cores, without its place.
static ProductOperand getOperand(Value array, bool isLeft) {
  return {array, {}, hasLines(array, isLeft), Value(), Value()};
}

namespace {
/// Builds the product of whole matrices by blocks, an array of level grid.
class ProductByBlocks : IndexBuilder {
public:
  ProductByBlocks(OpBuilder &builder, MatmulOp op, const TileShape &shape)
      : IndexBuilder{builder, op.getLoc()}, op(op), shape(shape),
        batches(op.getBatchRank()) {
    for (unsigned dim = 0; dim < batches + 2; ++dim)
      extents.push_back(op.buildExtent(builder, loc, 0, dim));
  }

  /// The sums of all products.
  Value build() { return buildTiles(op.getResult().getType(), op.getInit()); }
  /// The sums of `parts` parts of each sum, which blocks compute and store, and
  /// which are then added.
  Value buildParts(OpFoldResult parts);
  /// The number of tiles.
  Value countTiles();

private:
  /// The product of type `type`. If there are `parts`, these are a dimension
  /// after those of batches.
  Value buildTiles(PushType type, Value init, Value parts = {});
  /// The tile `number` of a block by tensor cores, of rank 2.
  Value buildTile(Value init, ValueRange number, const ProductPart &part);
  /// The operand in chunks of the shape of a tile.
  Value split(Value array, int64_t rows, int64_t columns);

  MatmulOp op;
  TileShape shape;
  unsigned batches;
  /// Those of the result.
  SmallVector<Value> extents;
};
} // namespace

Value ProductByBlocks::countTiles() {
  Value rows = ceilDiv(extents[batches], constant(shape.height)),
        columns = ceilDiv(extents[batches + 1], constant(shape.width)),
        tiles = mul(rows, columns);
  for (unsigned dim = 0; dim < batches; ++dim)
    tiles = mul(tiles, extents[dim]);
  return tiles;
}

Value ProductByBlocks::buildTile(Value init, ValueRange number,
                                 const ProductPart &part) {
  ProductTile tile = {getOperand(op.getLeft(), true),
                      getOperand(op.getRight(), false),
                      shape.height,
                      shape.width,
                      shape.depth,
                      init,
                      part};
  std::pair<ProductOperand &, int64_t> sides[] = {{tile.left, shape.height},
                                                  {tile.right, shape.width}};
  for (auto [dim, side] : llvm::enumerate(sides)) {
    auto &[operand, size] = side;
    unsigned line = batches + dim;
    operand.batch = llvm::to_vector(number.drop_back(2));
    operand.first = mul(number[line], constant(size));
    std::optional<int64_t> extent = getConstantIntValue(extents[line]);
    if (!extent || *extent % size != 0)
      operand.all = extents[line];
  }
  return buildProductByTensorCores(builder, loc, tile);
}

Value ProductByBlocks::split(Value array, int64_t rows, int64_t columns) {
  Type element = getArrayElementTypes(array.getType()).front();
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
  SmallVector<int64_t> sizes(batches, 1);
  sizes.append({rows, columns});
  return SplitOp::create(builder, loc, array, ValueRange(), zero, sizes,
                         /*strided=*/false);
}

Value ProductByBlocks::buildTiles(PushType type, Value init, Value parts) {
  MLIRContext *context = builder.getContext();
  size_t rank = type.getExtents().size();
  SmallVector<Value> all(extents);
  if (parts)
    all.insert(all.begin() + batches, parts);
  SmallVector<int64_t> tiles(type.getExtents()), inner(rank, 1);
  SmallVector<Value> dynamic, dynamicTiles;
  inner[rank - 2] = shape.height;
  inner[rank - 1] = shape.width;
  for (auto [tile, extent, size] : llvm::zip_equal(tiles, all, inner)) {
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
  Value left, right;
  if (!shape.byTensorCores) {
    left = split(op.getLeft(), shape.height, shape.depth);
    right = split(op.getRight(), shape.depth, shape.width);
  }
  Type sum = type.getElementTypes().front();
  SmallVector<int64_t> both(tiles);
  both.append(inner);
  auto distribute = DistributeOp::create(
      builder, loc, TypeRange(PushType::get(context, Level::Grid, both, sum)),
      numbers, LevelAttr::get(context, Level::Block),
      LevelAttr::get(context, Level::Grid));
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&distribute.getBody(), {}, types, locs);
    auto number = llvm::to_vector_of<Value>(body->getArguments());
    ProductPart part;
    if (parts) {
      part = {number[batches], parts};
      number.erase(number.begin() + batches);
    }
    Value tile = shape.byTensorCores
                     ? buildTile(init, number, part)
                     : buildProductByRegisters(builder, op, left, right, init,
                                               shape, number, part);
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

Value ProductByBlocks::buildParts(OpFoldResult parts) {
  PushType type = op.getResult().getType();
  MLIRContext *context = builder.getContext();
  Type sum = type.getElementTypes().front();
  std::optional<int64_t> known = getConstantIntValue(parts);
  Value number = getValueOrCreateConstantIndexOp(builder, loc, parts);
  SmallVector<int64_t> shape(type.getExtents());
  shape.insert(shape.begin() + batches, known.value_or(ShapedType::kDynamic));
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(sum));
  auto stored = ForceOp::create(
      builder, loc,
      buildTiles(PushType::get(context, Level::Grid, shape, sum), zero, number),
      ValueRange());
  stored.setThreads(this->shape.getThreads());
  SmallVector<Value> dynamic;
  for (auto [extent, value] : llvm::zip_equal(type.getExtents(), extents))
    if (ShapedType::isDynamic(extent))
      dynamic.push_back(value);
  auto sums = GenerateOp::create(
      builder, loc,
      PullType::get(context, type.getExtents(), type.getBounds(), sum),
      dynamic);
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(
      &sums.getBody(), {},
      SmallVector<Type>(extents.size(), builder.getIndexType()),
      SmallVector<Location>(extents.size(), loc));
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
  if (known && *known <= fewParts)
    for (int64_t part = 0; part < *known; ++part)
      total = addPart(total, constant(part));
  else
    total =
        scf::ForOp::create(
            builder, loc, constant(0), number, constant(1), total,
            [&](OpBuilder &, Location, Value part, ValueRange soFar) {
              scf::YieldOp::create(builder, loc, addPart(soFar.front(), part));
            })
            .getResult(0);
  YieldOp::create(builder, loc, total);
  builder.setInsertionPointAfter(sums);
  return PushOp::create(builder, loc, Level::Grid, sums);
}

/// The operations from the product `op` to `force`, which only store it; empty
/// if others read what they make, or if they have collectives of their own.
static SmallVector<Operation *> findChain(MatmulOp op, ForceOp force) {
  SmallVector<Operation *> chain;
  if (!force || force->getNumOperands() != 1)
    return chain;
  Operation *last = op;
  do {
    if (!last->hasOneUse())
      return {};
    last = *last->user_begin();
    if (containsOp(*last, [](ExpandableOpInterface) { return true; }))
      return {};
    chain.push_back(last);
  } while (last != force);
  return chain;
}

/// Replaces `chain`, from `op` to a force, by a choice of the host: if there
/// are few tiles of shape `large`, blocks compute parts of the sums of smaller
/// tiles.
static void buildVersions(OpBuilder &builder, MatmulOp op,
                          ArrayRef<Operation *> chain, const TileShape &large,
                          const TileShape &small) {
  // Two blocks for each multiprocessor are enough, of at least 256 products.
  constexpr int64_t wanted = 2 * multiprocessors, shortest = 256;
  Location loc = op.getLoc();
  auto force = cast<ForceOp>(chain.back());
  builder.setInsertionPoint(force);
  IndexBuilder index{builder, loc};
  Value areFew = index.below(ProductByBlocks(builder, op, large).countTiles(),
                             index.constant(multiprocessors));
  auto branch = scf::IfOp::create(builder, loc, force.getResultTypes(), areFew,
                                  /*withElseRegion=*/true);
  auto buildIn = [&](Block *block, const TileShape &shape,
                     llvm::function_ref<Value(ProductByBlocks &)> code) {
    builder.setInsertionPointToStart(block);
    ProductByBlocks blocks(builder, op, shape);
    IRMapping mapping;
    mapping.map(op.getResult(), code(blocks));
    Operation *last = nullptr;
    for (Operation *next : chain)
      last = builder.clone(*next, mapping);
    scf::YieldOp::create(builder, loc, last->getResults());
    return cast<ForceOp>(last);
  };
  buildIn(branch.thenBlock(), small, [&](ProductByBlocks &blocks) {
    Value length =
              buildExtent(builder, loc, op.getLeft(), op.getBatchRank() + 1),
          most = index.div(length, index.constant(shortest)),
          parts = index.div(index.constant(wanted),
                            index.divisor(blocks.countTiles()));
    return blocks.buildParts(
        index.divisor(builder.createOrFold<arith::MinUIOp>(loc, parts, most)));
  });
  ForceOp direct =
      buildIn(branch.elseBlock(), large,
              [](ProductByBlocks &blocks) { return blocks.build(); });
  if (!direct.getThreads())
    direct.setThreads(large.getThreads());
  force->replaceAllUsesWith(branch);
  for (Operation *next : llvm::reverse(chain))
    next->erase();
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
                        op.getInit(),
                        {}};
    product = buildProductByTensorCores(builder, op.getLoc(), tile);
  } else {
    ProductByBlocks blocks(builder, op, tiles->shape);
    if (tiles->parts > 1) {
      product = blocks.buildParts(builder.getIndexAttr(tiles->parts));
    } else if (SmallVector<Operation *> chain = findChain(op, force);
               tiles->fewer && !chain.empty()) {
      buildVersions(builder, op, chain, tiles->shape, *tiles->fewer);
      return success();
    } else {
      product = blocks.build();
      if (force && !force.getThreads())
        force.setThreads(tiles->shape.getThreads());
    }
  }
  op.getResult().replaceAllUsesWith(product);
  return success();
}

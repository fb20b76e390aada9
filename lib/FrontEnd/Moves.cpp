//===- Moves.cpp - Scatters, sorts and filters of whole arrays ------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sort merges runs whose length doubles in each stage. Each element finds its
// position in the merged run by a binary search in the other half. So any
// strict order and any number of components are possible, and the sort is
// stable.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/FrontEnd/ArrayBuilder.h"

#include "Obsidian/Dialect/Obs/IR/ObsIrregular.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::obs;

Value ArrayBuilder::fill(PushType type, ValueRange init, Value onto,
                         Extents extents, const WriteContract &contract,
                         llvm::function_ref<void()> code) {
  SmallVector<Value> dynamic;
  for (OpFoldResult extent : extents)
    if (auto value = dyn_cast<Value>(extent))
      dynamic.push_back(value);
  auto fill =
      FillOp::create(*this, type, init, onto, dynamic, contract.contract,
                     contract.kind, contract.unchecked);
  OpBuilder::InsertionGuard guard(*this);
  createBlock(&fill.getBody());
  code();
  return fill.getResult();
}

void ArrayBuilder::par(Extents extents, Level unit,
                       llvm::function_ref<void(ValueRange)> code) {
  SmallVector<Value> counts;
  for (OpFoldResult extent : extents)
    counts.push_back(getIndex(extent));
  auto par = ParOp::create(*this, counts, unit);
  OpBuilder::InsertionGuard guard(*this);
  SmallVector<Type> types(counts.size(), getIndexType());
  Block *body = createBlock(&par.getBody(), {}, types,
                            SmallVector<Location>(counts.size(), getLoc()));
  code(body->getArguments());
}

SmallVector<Value>
ArrayBuilder::getWindowPlace(const IndexedWindows &windows, Value indices,
                             int64_t rank, ValueRange outer,
                             llvm::function_ref<Value(Value, int64_t)> limit) {
  SmallVector<Value> batch, place(rank);
  for (int64_t dim : windows.batchDims)
    batch.push_back(outer[dim]);
  for (auto [k, dim] : llvm::enumerate(windows.startMap)) {
    SmallVector<Value> at(batch);
    if (windows.vectorDim)
      at.insert(at.begin() + *windows.vectorDim, getIndex(k));
    if (at.empty())
      at.push_back(getIndex(0));
    place[dim] =
        limit(castToIndex(getOne(indices, at), windows.isUnsigned), dim);
  }
  for (auto [dim, other] :
       llvm::zip_equal(windows.batching, windows.indexBatching))
    place[dim] =
        batch[other - (windows.vectorDim && other > *windows.vectorDim)];
  for (auto [dim, window] :
       llvm::zip_equal(windows.offsetDims, windows.windowDims))
    place[window] = place[window] ? add(place[window], outer[dim]) : outer[dim];
  for (Value &index : place)
    if (!index)
      index = getIndex(0);
  if (place.empty())
    place.push_back(getIndex(0));
  return place;
}

Value ArrayBuilder::scatter(Value onto, Extents iterations,
                            llvm::function_ref<Target(ValueRange)> code,
                            const WriteContract &contract) {
  SmallVector<OpFoldResult> extents = getExtents(onto), counts(iterations);
  if (counts.empty())
    counts.push_back(getIndexAttr(1));
  auto like = cast<PullType>(onto.getType());
  auto type = PushType::get(getContext(), Level::Grid, like.getExtents(),
                            like.getBounds(), like.getElementTypes());
  SmallVector<Value> init;
  if (auto same = onto.getDefiningOp<SplatOp>()) {
    llvm::append_range(init, same.getValues());
    onto = Value();
  } else {
    onto = store(onto).front();
  }
  return forceOne(fill(type, init, onto, extents, contract, [&] {
    par(counts, Level::Thread, [&](ValueRange i) {
      Target target = code(i.take_front(iterations.size()));
      Value condition = target.condition, zero = getIndex(0);
      auto require = [&](Value holds) { condition = both(condition, holds); };
      for (auto [index, extent] : llvm::zip_equal(target.indices, extents)) {
        require(compare(Order::GE, index, zero));
        require(compare(Order::LT, index, getIndex(extent)));
      }
      scf::IfOp::create(*this, condition, [&](OpBuilder &, Location) {
        WriteOp::create(*this, target.values, target.indices, ContractAttr(),
                        Attribute());
        scf::YieldOp::create(*this);
      });
    });
  }));
}

/// The kind of atomic operations that corresponds to `block`, if it is one such
/// operation on its arguments; else empty.
static StringRef getKind(Block &block) {
  if (block.getOperations().size() != 2)
    return "";
  Operation &op = block.front();
  auto isArgument = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == &block;
  };
  if (op.getNumOperands() != 2 || op.getOperand(0) == op.getOperand(1) ||
      !llvm::all_of(op.getOperands(), isArgument) ||
      block.getTerminator()->getOperand(0) != op.getResult(0))
    return "";
  // Memory has no atomic operations on single bits; a function is packed.
  return llvm::StringSwitch<StringRef>(op.getName().getStringRef())
      .Case("arith.addi", "addi")
      .Case("arith.muli", "muli")
      .Case("arith.andi", "andi")
      .Case("arith.ori", "ori")
      .Case("arith.xori", "xori")
      .Case("arith.minsi", "mins")
      .Case("arith.maxsi", "maxs")
      .Case("arith.minui", "minu")
      .Case("arith.maxui", "maxu")
      .Case("arith.addf", "addf")
      .Case("arith.mulf", "mulf")
      .Case("arith.minimumf", "minimumf")
      .Case("arith.maximumf", "maximumf")
      .Case("arith.minnumf", "minnumf")
      .Case("arith.maxnumf", "maxnumf")
      .Default("");
}

WriteContract ArrayBuilder::getContract(TypeRange element, ScalarCode combine) {
  SmallVector<Type> both(element);
  llvm::append_range(both, element);
  Region region;
  buildBlock(region, both, combine);
  WriteContract contract;
  contract.contract = Contract::Reduce;
  if (StringRef kind = getKind(region.front());
      !kind.empty() && element.size() == 1) {
    contract.kind = getStringAttr(kind);
    return contract;
  }
  auto module = getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToEnd(module.getBody());
  auto function =
      func::FuncOp::create(*this, "combine", getFunctionType(both, element));
  function.setPrivate();
  function.getBody().takeBody(region);
  Operation *yield = function.getBody().front().getTerminator();
  setInsertionPoint(yield);
  func::ReturnOp::create(*this, yield->getOperands());
  yield->erase();
  SymbolTable(module).insert(function);
  contract.kind = FlatSymbolRefAttr::get(function);
  return contract;
}

/// The number of stages that merge `count` runs of one element.
static int64_t countStages(int64_t count) {
  return count <= 1 ? 0 : llvm::Log2_64_Ceil(count);
}

Value ArrayBuilder::findMergePlace(
    Value i, Value width, Value length, ValueRange element,
    llvm::function_ref<SmallVector<Value>(Value)> read, ScalarCode less) {
  auto smaller = [&](Value a, Value b) -> Value {
    return arith::MinUIOp::create(*this, a, b);
  };
  Value twice = add(width, width);
  Value begin = mul(arith::DivUIOp::create(*this, i, twice), twice);
  Value middle = smaller(add(begin, width), length);
  Value end = smaller(add(begin, twice), length);
  Value isLeft = compare(Order::LT, i, middle, /*isUnsigned=*/true);
  Value one = getIndex(1);
  auto search = scf::WhileOp::create(
      *this, TypeRange{getIndexType(), getIndexType()},
      ValueRange{select(isLeft, middle, begin), select(isLeft, end, middle)},
      [&](OpBuilder &, Location, ValueRange range) {
        Value isOpen =
            compare(Order::LT, range[0], range[1], /*isUnsigned=*/true);
        scf::ConditionOp::create(*this, isOpen, range);
      },
      [&](OpBuilder &, Location, ValueRange range) {
        Value center =
            arith::ShRUIOp::create(*this, add(range[0], range[1]), one);
        SmallVector<Value> pair, other = read(center);
        // An element of the left half is placed before equal elements of the
        // right half.
        for (auto [x, y] : llvm::zip_equal(element, other))
          pair.push_back(select(isLeft, y, x));
        for (auto [x, y] : llvm::zip_equal(element, other))
          pair.push_back(select(isLeft, x, y));
        Value isRight = compare(Order::EQ, less(pair).front(), isLeft);
        scf::YieldOp::create(
            *this, ValueRange{select(isRight, add(center, one), range[0]),
                              select(isRight, range[1], center)});
      });
  return sub(add(i, search.getResult(0)), middle);
}

Value ArrayBuilder::sort(Value array, int64_t dim, ScalarCode less) {
  /// The longest row that one block sorts.
  constexpr int64_t chunk = 1024;
  auto source = cast<PullType>(array.getType());
  int64_t rank = source.getRank();
  SmallVector<int64_t> order;
  for (int64_t d = 0; d < rank; ++d)
    if (d != dim)
      order.push_back(d);
  order.push_back(dim);
  Value rows = transpose(array, order);
  SmallVector<OpFoldResult> extents = getExtents(rows);
  OpFoldResult count = getProduct(ArrayRef(extents).drop_back());
  if (rank == 1) {
    rows = store(rows).front();
    if (Value sorted = sortByDigits(rows, less))
      return sorted;
  }
  rows = store(reshape(rows, {count, extents.back()})).front();
  Value length = getIndex(extents.back());
  int64_t bound = source.getExtentBound(dim);
  int64_t tile = ShapedType::isDynamic(bound) ? chunk : std::min(bound, chunk);
  if (bound == 0 || bound == 1)
    tile = 1;

  WriteContract once;
  once.unchecked = true;
  auto like = cast<PullType>(rows.getType());
  ArrayRef<Type> element = source.getElementTypes();
  auto type = PushType::get(getContext(), Level::Grid, like.getExtents(),
                            like.getBounds(), element);
  SmallVector<OpFoldResult> shape = getExtents(rows);
  Value zero = getIndex(0), one = getIndex(1);

  // Each block, or warp, sorts one tile. Positions past the end of a row are
  // neither read nor written.
  Value size = getIndex(tile);
  OpFoldResult tiles = getIndexAttr(1);
  if (ShapedType::isDynamic(bound) || bound > tile) {
    tiles = createOrFold<arith::CeilDivUIOp>(length, size);
    if (!ShapedType::isDynamic(source.getExtents()[dim]))
      tiles = getIndexAttr(llvm::divideCeil(bound, tile));
  }
  Level level = tile <= 64 ? Level::Warp : Level::Block;
  auto tileType = PushType::get(getContext(), level, {tile}, element);
  rows = forceOne(fill(type, {}, Value(), shape, once, [&] {
    par({shape[0], tiles}, level, [&](ValueRange at) {
      Value first = mul(at[1], size);
      Value rest = arith::MinUIOp::create(*this, sub(length, first), size);
      auto isIn = [&](Value i) -> Value {
        return compare(Order::LT, i, rest, /*isUnsigned=*/true);
      };
      Value own = forceOne(
          generate({getIndexAttr(tile)},
                   [&](ValueRange i) {
                     return choose(
                         isIn(i[0]),
                         [&] { return get(rows, {at[0], add(first, i[0])}); },
                         [&] {
                           return llvm::map_to_vector(element, [&](Type type) {
                             return getNumber(type, 0);
                           });
                         });
                   }),
          Storage::Shared);
      auto stages = scf::ForOp::create(
          *this, zero, getIndex(countStages(tile)), one, ValueRange{own},
          [&](OpBuilder &, Location, Value stage, ValueRange carried) {
            Value run = carried.front();
            Value width = arith::ShLIOp::create(*this, one, stage);
            Value merged = fill(tileType, {}, Value(), {}, once, [&] {
              par({getIndexAttr(tile)}, Level::Thread, [&](ValueRange i) {
                auto write = [&](OpBuilder &, Location) {
                  SmallVector<Value> own = get(run, i);
                  Value place = findMergePlace(
                      i[0], width, rest, own,
                      [&](Value k) { return get(run, k); }, less);
                  WriteOp::create(*this, own, place, ContractAttr(),
                                  Attribute());
                  scf::YieldOp::create(*this);
                };
                scf::IfOp::create(*this, isIn(i[0]), write);
              });
            });
            scf::YieldOp::create(*this, forceOne(merged, Storage::Shared));
          });
      Value sorted = stages.getResult(0);
      par({getIndexAttr(tile)}, Level::Thread, [&](ValueRange i) {
        scf::IfOp::create(*this, isIn(i[0]), [&](OpBuilder &, Location) {
          Value place = add(first, i[0]);
          WriteOp::create(*this, get(sorted, i), ValueRange{at[0], place},
                          ContractAttr(), Attribute());
          scf::YieldOp::create(*this);
        });
      });
    });
  }));

  // The grid merges the tiles.
  if (ShapedType::isDynamic(bound) || bound > tile) {
    auto merge = scf::WhileOp::create(
        *this, TypeRange{rows.getType(), getIndexType()},
        ValueRange{rows, size},
        [&](OpBuilder &, Location, ValueRange carried) {
          Value isOpen =
              compare(Order::LT, carried[1], length, /*isUnsigned=*/true);
          scf::ConditionOp::create(*this, isOpen, carried);
        },
        [&](OpBuilder &, Location, ValueRange carried) {
          Value runs = carried[0], width = carried[1];
          Value merged = fill(type, {}, Value(), shape, once, [&] {
            par(shape, Level::Thread, [&](ValueRange i) {
              SmallVector<Value> own = get(runs, i);
              Value place = findMergePlace(
                  i[1], width, length, own,
                  [&](Value k) { return get(runs, {i[0], k}); }, less);
              WriteOp::create(*this, own, ValueRange{i[0], place},
                              ContractAttr(), Attribute());
            });
          });
          Value doubled = add(width, width);
          scf::YieldOp::create(*this, ValueRange{forceOne(merged), doubled});
        });
    rows = merge.getResult(0);
  }
  SmallVector<int64_t> back(rank);
  for (auto [place, from] : llvm::enumerate(order))
    back[from] = place;
  return transpose(reshape(rows, extents), back);
}

Value ArrayBuilder::sortFirst(Value array, int64_t dim, int64_t count,
                              ScalarCode less) {
  /// The largest number of elements that a thread keeps in registers.
  constexpr int64_t largest = 8;
  auto source = cast<PullType>(array.getType());
  SmallVector<OpFoldResult> extents = getExtents(array), zeros, taken(extents);
  taken[dim] = getIndexAttr(count);
  if (count == 0 || count > largest || source.isDynamicExtent(dim) ||
      source.getExtents()[dim] < 8 * count) {
    zeros.assign(extents.size(), getIndexAttr(0));
    return slice(sort(array, dim, less), zeros, taken,
                 SmallVector<int64_t>(extents.size(), 1));
  }

  // A reduction over lists in order. An element of a list has a flag that is
  // true if there is an element, its components, and its index.
  ArrayRef<Type> element = source.getElementTypes();
  size_t size = element.size() + 2, slots = llvm::PowerOf2Ceil(count);
  SmallVector<Value> none = {getNumber(getI1Type(), 0)};
  for (Type type : element)
    none.push_back(getNumber(type, 0));
  none.push_back(getIndex(0));
  SmallVector<Value> empty;
  for (size_t k = 0; k < slots; ++k)
    llvm::append_range(empty, none);
  Value lists = generate(extents, [&](ValueRange i) {
    SmallVector<Value> list = {getNumber(getI1Type(), 1)};
    llvm::append_range(list, get(array, i));
    list.push_back(i[dim]);
    list.append(empty.begin() + size, empty.end());
    return list;
  });
  auto isBefore = [&](ValueRange a, ValueRange b) -> Value {
    auto isSmaller = [&](ValueRange x, ValueRange y) {
      SmallVector<Value> both(x.slice(1, element.size()));
      llvm::append_range(both, y.slice(1, element.size()));
      return less(both).front();
    };
    Value truth = getNumber(getI1Type(), 1);
    Value isLess = isSmaller(a, b);
    Value isMore = arith::XOrIOp::create(*this, isSmaller(b, a), truth);
    Value isEarlier =
        compare(Order::LT, a.back(), b.back(), /*isUnsigned=*/true);
    isEarlier = arith::AndIOp::create(*this, isMore, isEarlier);
    Value isFirst = arith::OrIOp::create(*this, isLess, isEarlier);
    Value isNone = arith::XOrIOp::create(*this, b.front(), truth);
    isFirst = arith::OrIOp::create(*this, isNone, isFirst);
    return arith::AndIOp::create(*this, a.front(), isFirst);
  };
  CollectiveOptions options;
  options.commutative = options.neutral = true;
  Value found = reduce(
      lists, empty, dim,
      [&](ValueRange both) {
        // The first elements of both lists together, and a bitonic merge.
        SmallVector<SmallVector<Value>> list(slots);
        auto order = [&](ValueRange a, ValueRange b, SmallVector<Value> &first,
                         SmallVector<Value> *second) {
          Value keeps = isBefore(a, b);
          SmallVector<Value> x, y;
          for (auto [u, v] : llvm::zip_equal(a, b)) {
            x.push_back(select(keeps, u, v));
            if (second)
              y.push_back(select(keeps, v, u));
          }
          first = x;
          if (second)
            *second = y;
        };
        for (size_t k = 0; k < slots; ++k)
          order(both.slice(k * size, size),
                both.slice((2 * slots - 1 - k) * size, size), list[k], nullptr);
        for (size_t step = slots / 2; step > 0; step /= 2)
          for (size_t k = 0; k < slots; ++k)
            if (!(k & step)) {
              SmallVector<Value> a = list[k], b = list[k + step];
              order(a, b, list[k], &list[k + step]);
            }
        SmallVector<Value> merged;
        for (const SmallVector<Value> &one : list)
          llvm::append_range(merged, one);
        return merged;
      },
      options);

  return generate(taken, [&](ValueRange i) {
    SmallVector<Value> place;
    for (auto [d, index] : llvm::enumerate(i))
      if (static_cast<int64_t>(d) != dim)
        place.push_back(index);
    if (place.empty())
      place.push_back(getIndex(0));
    SmallVector<Value> list = get(found, place);
    SmallVector<Value> result(ArrayRef(list).slice(1, element.size()));
    for (int64_t k = 1; k < count; ++k) {
      Value isHere = compare(Order::EQ, i[dim], getIndex(k));
      for (auto [n, value] : llvm::enumerate(result))
        value = select(isHere, list[k * size + 1 + n], value);
    }
    return result;
  });
}

std::pair<Value, Value> ArrayBuilder::compact(Value array, Value flags,
                                              ValueRange rest) {
  auto like = cast<PullType>(array.getType());
  auto type = PushType::get(getContext(), Level::Grid, like.getExtents(),
                            like.getBounds(), like.getElementTypes());
  auto count = PushType::get(getContext(), Level::Grid, {1}, getI32Type());
  auto compact =
      CompactOp::create(*this, type, count, array, flags, rest, StringAttr());
  auto force = ForceOp::create(
      *this, ValueRange{compact.getResult(), compact.getCount()}, ValueRange());
  return {force.getResults()[0], force.getResults()[1]};
}

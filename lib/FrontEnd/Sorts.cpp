//===- Sorts.cpp - Sorts of whole arrays ----------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sort merges runs whose length doubles in each stage. Any strict order and
// any number of components are possible, and the sort is stable. A warp or a
// block sorts a tile of a row in shared memory: each thread sorts a few
// neighbours, and in each stage writes as many elements of a merged run. After
// that, the grid merges tiles: each element finds its position in the merged
// run by a binary search in the other half.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/FrontEnd/ArrayBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::obs;

/// The number of stages that merge `count` runs of one element.
static int64_t countStages(int64_t count) {
  return count <= 1 ? 0 : llvm::Log2_64_Ceil(count);
}

/// The first place from `low` on, and before `high`, for which `isBelow` is
/// false; else `high`. Where `isBelow` is false, it is also false behind.
static Value findFirst(ArrayBuilder &b, Value low, Value high,
                       llvm::function_ref<Value(Value)> isBelow) {
  using Order = ArrayBuilder::Order;
  Value one = b.getIndex(1);
  auto search = scf::WhileOp::create(
      b, TypeRange{b.getIndexType(), b.getIndexType()}, ValueRange{low, high},
      [&](OpBuilder &, Location, ValueRange range) {
        Value isOpen =
            b.compare(Order::LT, range[0], range[1], /*isUnsigned=*/true);
        scf::ConditionOp::create(b, isOpen, range);
      },
      [&](OpBuilder &, Location, ValueRange range) {
        Value center =
            arith::ShRUIOp::create(b, b.add(range[0], range[1]), one);
        Value below = isBelow(center);
        scf::YieldOp::create(
            b, ValueRange{b.select(below, b.add(center, one), range[0]),
                          b.select(below, range[1], center)});
      });
  return search.getResult(0);
}

ArrayBuilder::TileOfSort::TileOfSort(int64_t size) {
  constexpr int64_t lanes = 32, mostItems = 7;
  items = std::min<int64_t>(llvm::divideCeil(size, lanes), mostItems);
  workers = llvm::divideCeil(size, items);
  level = workers <= lanes ? Level::Warp : Level::Block;
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
  Value found =
      findFirst(*this, select(isLeft, middle, begin),
                select(isLeft, end, middle), [&](Value center) -> Value {
                  SmallVector<Value> pair, other = read(center);
                  // An element of the left half is placed before equal elements
                  // of the right half.
                  for (auto [x, y] : llvm::zip_equal(element, other))
                    pair.push_back(select(isLeft, y, x));
                  for (auto [x, y] : llvm::zip_equal(element, other))
                    pair.push_back(select(isLeft, x, y));
                  return compare(Order::EQ, less(pair).front(), isLeft);
                });
  return sub(add(i, found), middle);
}

void ArrayBuilder::sortItems(Value begin, int64_t count, Value end,
                             llvm::function_ref<SmallVector<Value>(Value)> read,
                             llvm::function_ref<void(Value, ValueRange)> write,
                             ScalarCode less) {
  SmallVector<Value> places, exist;
  SmallVector<SmallVector<Value>> items;
  for (int64_t k = 0; k < count; ++k) {
    places.push_back(add(begin, getIndex(k)));
    items.push_back(read(places.back()));
    exist.push_back(
        compare(Order::LT, places.back(), end, /*isUnsigned=*/true));
  }
  // Neighbours change places only if the second one is less, so the order of
  // equal elements stays. From: D. E. Knuth, The Art of Computer Programming 3,
  // 5.3.4, the odd-even transposition sort.
  for (int64_t round = 0; round < count; ++round)
    for (int64_t k = round % 2; k + 1 < count; k += 2) {
      SmallVector<Value> &x = items[k], &y = items[k + 1], pair(y);
      llvm::append_range(pair, x);
      Value swaps =
          arith::AndIOp::create(*this, exist[k + 1], less(pair).front());
      for (auto [a, b] : llvm::zip_equal(x, y))
        std::tie(a, b) = std::pair(select(swaps, b, a), select(swaps, a, b));
    }
  for (auto [place, item] : llvm::zip_equal(places, items))
    write(place, item);
}

void ArrayBuilder::mergeItems(
    const MergedRuns &runs, Value begin, int64_t count,
    llvm::function_ref<SmallVector<Value>(Value)> read,
    llvm::function_ref<void(Value, ValueRange)> write, ScalarCode less) {
  Value zero = getIndex(0), one = getIndex(1);
  Value before = sub(begin, runs.begin),
        lengthOfRight = sub(runs.end, runs.middle),
        lengthOfLeft = sub(runs.middle, runs.begin);
  // The number of elements of the left run among the first `before` ones.
  auto isRightLess = [&](ValueRange left, ValueRange right) {
    SmallVector<Value> pair(right);
    llvm::append_range(pair, left);
    return less(pair).front();
  };
  Value least = arith::MaxSIOp::create(*this, sub(before, lengthOfRight), zero),
        most = arith::MinSIOp::create(*this, before, lengthOfLeft);
  Value ofLeft = findFirst(*this, least, most, [&](Value center) -> Value {
    Value onRight = sub(sub(before, one), center);
    Value isRight = isRightLess(read(add(runs.begin, center)),
                                read(add(runs.middle, onRight)));
    return arith::XOrIOp::create(*this, isRight, getNumber(getI1Type(), 1));
  });
  Value left = add(runs.begin, ofLeft),
        right = add(runs.middle, sub(before, ofLeft));
  // The next element of each run. Past the end of a run, it is not used.
  Value last = sub(runs.end, one);
  auto readNext = [&](Value place) {
    return read(arith::MinUIOp::create(*this, place, last));
  };
  SmallVector<Value> a = readNext(left), b = readNext(right);
  for (int64_t k = 0; k < count; ++k) {
    Value isLeftDone =
        compare(Order::GE, left, runs.middle, /*isUnsigned=*/true);
    Value hasRight = compare(Order::LT, right, runs.end, /*isUnsigned=*/true);
    Value isRight = arith::AndIOp::create(
        *this, hasRight,
        arith::OrIOp::create(*this, isLeftDone, isRightLess(a, b)));
    SmallVector<Value> found;
    for (auto [x, y] : llvm::zip_equal(a, b))
      found.push_back(select(isRight, y, x));
    write(add(begin, getIndex(k)), found);
    if (k + 1 == count)
      break;
    left = select(isRight, left, add(left, one));
    right = select(isRight, add(right, one), right);
    SmallVector<Value> next = readNext(select(isRight, right, left));
    for (auto [x, y, z] : llvm::zip_equal(a, b, next))
      std::tie(x, y) = std::pair(select(isRight, x, z), select(isRight, z, y));
  }
}

Value ArrayBuilder::sortTile(Value tile, Value rest, const TileOfSort &form,
                             ScalarCode less) {
  WriteContract once;
  once.unchecked = true;
  auto like = cast<PullType>(tile.getType());
  auto type = PushType::get(getContext(), form.level, like.getExtents(), {},
                            like.getElementTypes());
  Value one = getIndex(1), items = getIndex(form.items);
  auto limit = [&](Value place, Value end) -> Value {
    return arith::MinUIOp::create(*this, place, end);
  };
  auto whereIn = [&](Value place, llvm::function_ref<void()> code) {
    Value isIn = compare(Order::LT, place, rest, /*isUnsigned=*/true);
    scf::IfOp::create(*this, isIn, [&](OpBuilder &, Location) {
      code();
      scf::YieldOp::create(*this);
    });
  };
  auto write = [&](Value place, ValueRange values) {
    whereIn(place, [&] {
      WriteOp::create(*this, values, place, ContractAttr(), Attribute());
    });
  };
  // `code` takes the number of a thread, and its first position.
  auto process = [&](llvm::function_ref<void(Value, Value)> code) {
    Value written = fill(type, {}, Value(), {}, once, [&] {
      par({getIndexAttr(form.workers)}, Level::Thread, [&](ValueRange i) {
        Value begin = mul(i[0], items);
        whereIn(begin, [&] { code(i[0], begin); });
      });
    });
    return forceOne(written, Storage::Shared);
  };
  Value last = getIndex(like.getExtents().front() - 1);
  Value runs = process([&](Value, Value begin) {
    auto read = [&](Value k) { return get(tile, limit(k, last)); };
    sortItems(begin, form.items, rest, read, write, less);
  });
  auto stages = scf::ForOp::create(
      *this, getIndex(0), getIndex(countStages(form.workers)), one, runs,
      [&](OpBuilder &, Location, Value stage, ValueRange carried) {
        auto read = [&](Value k) { return get(carried.front(), k); };
        Value merged = process([&](Value worker, Value begin) {
          Value width = arith::ShLIOp::create(*this, items, stage);
          Value twice = add(width, width);
          Value pair = arith::ShRUIOp::create(*this, worker, add(stage, one));
          Value run = mul(pair, twice);
          mergeItems(
              {run, limit(add(run, width), rest), limit(add(run, twice), rest)},
              begin, form.items, read, write, less);
        });
        scf::YieldOp::create(*this, merged);
      });
  return stages.getResult(0);
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

  // Each block, or warp, sorts one tile. Positions past the end of a row are
  // neither read nor written.
  Value size = getIndex(tile);
  OpFoldResult tiles = getIndexAttr(1);
  if (ShapedType::isDynamic(bound) || bound > tile) {
    tiles = createOrFold<arith::CeilDivUIOp>(length, size);
    if (!ShapedType::isDynamic(source.getExtents()[dim]))
      tiles = getIndexAttr(llvm::divideCeil(bound, tile));
  }
  TileOfSort form(tile);
  Value ofTiles = fill(type, {}, Value(), shape, once, [&] {
    par({shape[0], tiles}, form.level, [&](ValueRange at) {
      Value first = mul(at[1], size);
      Value rest = arith::MinUIOp::create(*this, sub(length, first), size);
      auto isIn = [&](Value i) -> Value {
        return compare(Order::LT, i, rest, /*isUnsigned=*/true);
      };
      Value own = generate({getIndexAttr(tile)}, [&](ValueRange i) {
        return choose(
            isIn(i[0]), [&] { return get(rows, {at[0], add(first, i[0])}); },
            [&] {
              return llvm::map_to_vector(
                  element, [&](Type type) { return getNumber(type, 0); });
            });
      });
      Value sorted = sortTile(forceOne(own, Storage::Shared), rest, form, less);
      par({getIndexAttr(tile)}, Level::Thread, [&](ValueRange i) {
        scf::IfOp::create(*this, isIn(i[0]), [&](OpBuilder &, Location) {
          Value place = add(first, i[0]);
          WriteOp::create(*this, get(sorted, i), ValueRange{at[0], place},
                          ContractAttr(), Attribute());
          scf::YieldOp::create(*this);
        });
      });
    });
  });
  auto force = ForceOp::create(*this, ofTiles, ValueRange());
  if (form.level == Level::Block)
    force.setThreads(form.getThreads());
  rows = force.getResults().front();

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

//===- FuseRows.cpp - Reductions of rows and the arrays that read them ----===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A softmax has two reductions of each row, and an elementwise function that
// reads their results at its own row. Each of them is a kernel that reads the
// whole array. This file makes one program of them: one unit processes each
// row.
//
//   %m = force (distribute over i: reduce max of x[i, _])
//   %s = force (distribute over i: reduce add of exp(x[i, _] - %m[i]))
//   %r = force (exp(x[i, j] - %m[i]) / %s[i])
//
// becomes
//
//   %r = force (distribute over i:
//     row = force x[i, _]
//     m = reduce max of row
//     s = reduce add of exp(row[_] - m)
//     exp(row[_] - m) / s)
//
// In: a function in which reductions of rows are stored. Out: a reduction is
// fused into a force of the same block if this force and other fused reductions
// read it at the index of their own row, and all other operations that read it
// come later. For these, the program stores it, too. Other arrays of the force
// are part of the program if they read the same rows. In the new program, an
// array of equal elements stands for the results of the reduction, because the
// program reads its own element only. A row that several parts of the program
// read, or compute by folds of other rows, stays in the memory of the unit, if
// it fits.
//
//===----------------------------------------------------------------------===//

#include "RowFolds.h"
#include "RowLevels.h"

#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "Obsidian/Dialect/Obs/IR/Regions.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::obs;

/// The number of elements that one unit of a program may process while the rest
/// of the GPU is idle: another kernel would take as long.
static constexpr int64_t longRow = 4096;

/// The number of rows that keep a GPU busy, about one for each multiprocessor.
static constexpr int64_t fewRows = 128;

/// The number of rows that keep a GPU busy if a warp processes each of them.
static constexpr int64_t rowsOfWarps = 2048;

namespace {
/// The arrays of one force, and the folds that are fused with them.
class RowProgram {
public:
  RowProgram(ArrayBuilder &b, ForceOp last) : b(b), last(last) {}

  /// Selects some of `all` for the program. False if there are none.
  bool select(ArrayRef<RowFold> all);
  /// Replaces the force and the folds by one program.
  void build();

private:
  /// Adds the other arrays of `last` that read rows of which the program reads
  /// the same row. `reads` are those of the program.
  void addOthers(const llvm::MapVector<Value, RowReads> &reads);
  /// The reads of the code that computes an array of `last`, or a fold.
  RowReads findReads(Value array, bool foldsAreArrays = false) const;
  /// True if `op` comes after the program.
  bool isLater(Operation *op) const;
  /// True if all operations that read the result of a fold are in the program
  /// or after it.
  bool isReadInside(const RowFold &fold) const;
  /// True if an operation after the program reads an array, also through arrays
  /// that are not stored.
  bool isReadLater(Value array) const;
  /// The arrays of which the program stores one row, because several parts of
  /// the program read or compute it.
  SmallVector<Value> findKept(Level level) const;
  /// True if the elements that the folds read are those of the row or of the
  /// position in it, not of both: all rows read the same elements, which the
  /// caches have.
  bool areShared() const;
  /// The unit of a row. If rows are shared, a warp waits for no memory, and the
  /// results of lanes need no barrier of a block.
  Level getLevel() const;
  /// The same array in the program, where `map` has other arrays.
  Value clone(Value array);
  /// The components of the element of a fold.
  SmallVector<Value> cloneElement(RowFold &fold, ValueRange place);

  ArrayBuilder &b;
  ForceOp last;
  /// The arrays of `last` that are in the program; its operand if `last` stores
  /// a fold.
  llvm::SetVector<Value> arrays;
  /// The folds by their results, in order.
  llvm::MapVector<Value, RowFold> folds;
  /// The extents of the rows, and the number of elements of the longest row.
  SmallVector<int64_t> outer;
  int64_t length = 1;
  IRMapping map;
};
} // namespace

RowReads RowProgram::findReads(Value array, bool foldsAreArrays) const {
  RowReads reads(outer.size(), foldsAreArrays);
  std::optional<RowFold> fold;
  if (auto force = array.getDefiningOp<ForceOp>())
    fold = getRowFold(force);
  else if (isa<PushType>(array.getType()))
    fold = getRowFold(last);
  if (fold)
    reads.readFold(*fold);
  else
    reads.readElement(array);
  return reads;
}

bool RowProgram::isLater(Operation *op) const {
  op = last->getBlock()->findAncestorOpInBlock(*op);
  return op && last->isBeforeInBlock(op);
}

bool RowProgram::isReadInside(const RowFold &fold) const {
  auto stores =
      findStores(fold.getResult(), [&](Operation *op) { return isLater(op); });
  return stores && llvm::all_of(*stores, [&](OpOperand *use) {
           auto force = cast<ForceOp>(use->getOwner());
           return force == last ? arrays.contains(use->get())
                                : force->getNumResults() == 1 &&
                                      folds.contains(force->getResult(0));
         });
}

bool RowProgram::isReadLater(Value array) const {
  llvm::SetVector<Value> values;
  values.insert(array);
  for (unsigned next = 0; next < values.size(); ++next)
    for (Operation *user : values[next].getUsers()) {
      Operation *op = last->getBlock()->findAncestorOpInBlock(*user);
      if (isLater(user))
        return true;
      if (op && !isa<ForceOp>(op))
        values.insert_range(op->getResults());
    }
  return false;
}

bool RowProgram::select(ArrayRef<RowFold> all) {
  if (!last.getInto().empty())
    return false;
  llvm::MapVector<Value, RowFold> earlier;
  for (RowFold fold : all)
    if (fold.force->getBlock() == last->getBlock() &&
        fold.force->isBeforeInBlock(last))
      earlier.insert({fold.getResult(), fold});

  // The rows are those of the last fold that an array reads at its own row.
  std::optional<RowFold> own = getRowFold(last);
  llvm::MapVector<Value, RowReads> reads;
  auto fits = [](const RowFold &fold, const std::set<Place> &places) {
    return llvm::all_of(places, [&](const Place &place) {
      return llvm::all_of(llvm::enumerate(fold.getExtents()), [&](auto extent) {
        return extent.value() == 1 ||
               place[extent.index()] == static_cast<int64_t>(extent.index());
      });
    });
  };
  for (Value array : last.getArrays()) {
    auto type = dyn_cast<PullType>(array.getType());
    if (!own && (!type || ArrayBuilder::isStored(array) || type.isNested() ||
                 !type.hasStaticExtents()))
      continue;
    ArrayRef<int64_t> extents =
        own ? own->getExtents() : ArrayRef(type.getExtents());
    if (own)
      outer.assign(extents.begin(), extents.end());
    RowReads found = findReads(array);
    RowFold *latest = nullptr;
    for (RowFold &fold : llvm::make_second_range(earlier)) {
      auto places = found.places.find(fold.getResult());
      if (places != found.places.end() && fits(fold, places->second) &&
          extents.take_front(fold.getExtents().size()) == fold.getExtents() &&
          (!own || extents == fold.getExtents()))
        latest = &fold;
    }
    if (!latest || (!arrays.empty() && latest->getExtents() != ArrayRef(outer)))
      continue;
    outer.assign(latest->getExtents().begin(), latest->getExtents().end());
    arrays.insert(array);
    reads.insert({array, found});
    length =
        std::max(length, own ? own->length
                             : countElements(extents.drop_front(outer.size())));
  }

  // The folds that these arrays read, and the folds that those read.
  for (bool isChanged = !arrays.empty(); isChanged;) {
    isChanged = false;
    for (const RowFold &fold : llvm::make_second_range(earlier)) {
      Value result = fold.getResult();
      if (fold.getExtents() == ArrayRef(outer) && !folds.contains(result) &&
          llvm::any_of(reads, [&](auto &entry) {
            return entry.second.places.contains(result);
          })) {
        folds.insert({result, fold});
        reads.insert({result, findReads(result)});
        isChanged = true;
      }
    }
  }
  // Removes folds that the program cannot have, and arrays that read none.
  auto readsOne = [&](Value array, const RowFold &fold, bool isWrong) {
    auto &found = reads.find(array)->second.places;
    auto places = found.find(fold.getResult());
    return places != found.end() && !(isWrong && fits(fold, places->second));
  };
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    SmallVector<RowFold> current =
        llvm::to_vector(llvm::make_second_range(folds));
    for (const RowFold &fold : current)
      if (!isReadInside(fold) || llvm::any_of(reads, [&](auto &reader) {
            return readsOne(reader.first, fold, /*isWrong=*/true);
          })) {
        reads.erase(fold.getResult());
        folds.erase(fold.getResult());
        isChanged = true;
      }
    for (Value array : llvm::to_vector(arrays))
      if (llvm::none_of(llvm::make_second_range(folds),
                        [&](const RowFold &fold) {
                          return readsOne(array, fold, /*isWrong=*/false);
                        })) {
        reads.erase(array);
        arrays.remove(array);
        isChanged = true;
      }
  }
  auto ordered = folds.takeVector();
  llvm::sort(ordered, [](auto &a, auto &b) {
    return ForceOp(a.second.force)->isBeforeInBlock(b.second.force);
  });
  for (auto &[result, fold] : ordered) {
    folds.insert({result, fold});
    length = std::max(length, fold.length);
  }
  if (folds.empty())
    return false;
  if (!own)
    addOthers(reads);
  // One unit for each of few long rows would leave most of the GPU idle.
  return length <= longRow || countElements(outer) >= fewRows;
}

void RowProgram::addOthers(const llvm::MapVector<Value, RowReads> &reads) {
  auto isOwnRow = [&](const Place &place) {
    return place.size() > outer.size() &&
           llvm::equal(ArrayRef(place).take_front(outer.size()),
                       llvm::seq<int64_t>(0, outer.size()));
  };
  llvm::DenseSet<Value> sources;
  for (auto &[reader, found] : reads)
    for (auto &[source, places] : found.places)
      if (llvm::all_of(places, isOwnRow))
        sources.insert(source);
  for (Value array : last.getArrays()) {
    auto type = dyn_cast<PullType>(array.getType());
    if (arrays.contains(array) || !type || ArrayBuilder::isStored(array) ||
        type.isNested() || !type.hasStaticExtents() ||
        ArrayRef(type.getExtents()).take_front(outer.size()) != ArrayRef(outer))
      continue;
    auto places = findReads(array).places;
    bool sharesRow = llvm::any_of(places, [&](auto &entry) {
      return sources.contains(entry.first) &&
             llvm::all_of(entry.second, isOwnRow);
    });
    if (sharesRow && llvm::none_of(places, [&](auto &entry) {
          return folds.contains(entry.first);
        }))
      arrays.insert(array);
  }
}

bool RowProgram::areShared() const {
  auto isOfAll = [&](const Place &place) {
    auto isOfRow = [&](int64_t index) {
      return index >= 0 && index < static_cast<int64_t>(outer.size());
    };
    bool isOfOneRow = llvm::any_of(place, isOfRow);
    bool isOfPosition = llvm::any_of(place, [&](int64_t index) {
      return index >= static_cast<int64_t>(outer.size());
    });
    return !llvm::is_contained(place, unknown) && !(isOfOneRow && isOfPosition);
  };
  SmallVector<Value> combined = llvm::to_vector(llvm::make_first_range(folds));
  if (getRowFold(last))
    llvm::append_range(combined, arrays);
  return llvm::all_of(combined, [&](Value fold) {
    return llvm::all_of(findReads(fold).places, [&](auto &entry) {
      return folds.contains(entry.first) || llvm::all_of(entry.second, isOfAll);
    });
  });
}

Level RowProgram::getLevel() const {
  if (isRowOfThread(length, countElements(outer)))
    return Level::Thread;
  if (countElements(outer) >= rowsOfWarps && areShared() &&
      findKept(Level::Block).empty())
    return Level::Warp;
  bool isBlock = length > 512 || (length > 128 && countElements(outer) < 1024);
  return isBlock ? Level::Block : Level::Warp;
}

SmallVector<Value> RowProgram::findKept(Level level) const {
  llvm::MapVector<Value, unsigned> readers;
  Place own = llvm::to_vector(llvm::seq<int64_t>(0, outer.size()));
  llvm::SetVector<Value> others;
  auto add = [&](Value array) {
    for (auto &[source, places] :
         findReads(array, /*foldsAreArrays=*/true).places)
      if (llvm::all_of(places, [&](ArrayRef<int64_t> place) {
            return place.size() == own.size() + 1 &&
                   place.drop_back() == ArrayRef(own);
          }))
        ++readers[source];
      else
        others.insert(source);
  };
  for (Value array : arrays)
    add(array);
  for (auto &[result, fold] : folds)
    add(result);
  // Registers of a unit, in words of 32 bits. A thread has longer rows in
  // shared memory.
  int64_t room = level == Level::Thread ? (length <= shortRow ? 64 : 0)
                 : level == Level::Warp ? 2048
                                        : 24576;
  SmallVector<Value> kept;
  for (auto [array, count] : readers) {
    int64_t words = 0;
    for (Type element : getArrayElementTypes(array.getType()))
      words += llvm::divideCeil(getElementBytes(element), 4);
    int64_t row = getArrayExtents(array.getType()).back();
    if (count < 2 || ShapedType::isDynamic(row) || others.contains(array) ||
        row > room / words)
      continue;
    room -= row * words;
    kept.push_back(array);
  }
  return kept;
}

Value RowProgram::clone(Value array) {
  if (Value same = map.lookupOrNull(array))
    return same;
  Operation *op = array.getDefiningOp();
  if (!op || !isa<ObsDialect>(op->getDialect()) || isa<ForceOp>(op))
    return array;
  bool isSame = true;
  for (Value value : getReads(op))
    isSame &= !isa<PullType>(value.getType()) || clone(value) == value;
  if (isSame)
    return array;
  b.clone(*op, map);
  return map.lookup(array);
}

SmallVector<Value> RowProgram::cloneElement(RowFold &fold, ValueRange place) {
  Block &body = fold.rows.getBody().front();
  map.map(body.getArguments(), place);
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(fold.rows->getRegions(), used);
  for (Value value : used)
    if (isa<PullType>(value.getType()))
      clone(value);
  for (Operation &op : body.without_terminator())
    if (!isa<PushOp>(op))
      b.clone(op, map);
  return llvm::map_to_vector(fold.element,
                             [&](Value v) { return map.lookupOrDefault(v); });
}

void RowProgram::build() {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(last);
  b.setLoc(last.getLoc());
  auto getAttrs = [&](ArrayRef<int64_t> extents) {
    return llvm::map_to_vector(
        extents, [&](int64_t n) { return OpFoldResult(b.getIndexAttr(n)); });
  };
  Level level = getLevel();
  SmallVector<OpFoldResult> rows = getAttrs(outer), one = getAttrs(1);
  std::optional<RowFold> own = getRowFold(last);
  // The folds that are also stored.
  SmallVector<Value> later;
  for (Value fold : llvm::make_first_range(folds))
    if (isReadLater(fold))
      later.push_back(fold);
  auto buildRow = [&](ValueRange place) {
    for (Value array : findKept(level)) {
      SmallVector<OpFoldResult> extents = b.getExtents(array);
      Value row = b.generate(extents.back(), [&](ValueRange j) {
        SmallVector<Value> indices(place);
        indices.push_back(j.front());
        return b.get(array, indices);
      });
      row = ForceOp::create(b, row, ValueRange()).getResults().front();
      map.map(array, b.generate(extents, [&](ValueRange indices) {
        return b.get(row, indices.back());
      }));
    }
    for (auto &[result, fold] : folds)
      map.map(result, b.splat(cloneElement(fold, place), rows));
    SmallVector<Value> results;
    for (Value fold : later)
      results.push_back(b.splat(
          cast<SplatOp>(map.lookup(fold).getDefiningOp()).getValues(), one));
    for (Value array : arrays) {
      if (own) {
        results.push_back(b.splat(cloneElement(*own, place), one));
        continue;
      }
      Value whole = clone(array);
      auto extents = getArrayExtents(array.getType()).drop_front(outer.size());
      if (extents.empty()) {
        results.push_back(b.splat(b.get(whole, place), one));
        continue;
      }
      results.push_back(b.generate(getAttrs(extents), [&](ValueRange j) {
        SmallVector<Value> indices(place);
        llvm::append_range(indices, j);
        return b.get(whole, indices);
      }));
    }
    return results;
  };
  SmallVector<Value> stored = b.distribute(rows, level, buildRow);

  llvm::DenseMap<Value, Value> results;
  auto [ofFolds, ofArrays] =
      std::pair(ArrayRef(stored).take_front(later.size()),
                ArrayRef(stored).drop_front(later.size()));
  // Operations after the program read the stored folds, also through arrays
  // before it, of which they get copies.
  IRMapping stores;
  for (auto [fold, value] : llvm::zip_equal(later, ofFolds))
    stores.map(fold, b.reshape(value, rows));
  for (Operation &op : llvm::make_range(last->getBlock()->begin(),
                                        Block::iterator(last.getOperation()))) {
    if (isa<ObsDialect>(op.getDialect()) && !isa<ForceOp>(op) &&
        llvm::any_of(getReads(&op),
                     [&](Value v) { return stores.contains(v); }))
      b.clone(op, stores);
  }
  for (auto [before, after] : stores.getValueMap())
    Value(before).replaceUsesWithIf(
        after, [&](OpOperand &use) { return isLater(use.getOwner()); });
  for (auto [array, value] : llvm::zip_equal(arrays, ofArrays))
    results[array] =
        b.reshape(value, getAttrs(getArrayExtents(array.getType())));
  SmallVector<Value> rest;
  for (Value array : last.getArrays())
    if (!arrays.contains(array))
      rest.push_back(array);
  if (!rest.empty()) {
    auto others = ForceOp::create(b, rest, ValueRange());
    for (auto [array, value] : llvm::zip_equal(rest, others.getResults()))
      results[array] = value;
  }
  for (auto [array, result] :
       llvm::zip_equal(last.getArrays(), last.getResults()))
    result.replaceAllUsesWith(results[array]);
  Block *block = last->getBlock();
  last.erase();
  // No operation reads the folds any more, except for those that nothing reads.
  eraseUnused(*block);
}

void ArrayBuilder::fuseRows(FunctionOpInterface function) {
  // A force takes as many of the folds before it as it can.
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    SmallVector<RowFold> folds;
    SmallVector<ForceOp> forces;
    function.walk([&](ForceOp force) {
      if (getEnclosingScope(force).level != Level::Grid)
        return;
      forces.push_back(force);
      if (auto fold = getRowFold(force))
        folds.push_back(*fold);
    });
    for (ForceOp force : llvm::reverse(forces)) {
      RowProgram program(*this, force);
      if (!program.select(folds))
        continue;
      program.build();
      isChanged = true;
      break;
    }
  }
}

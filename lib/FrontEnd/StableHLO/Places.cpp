//===- Places.cpp - Slices and elements at run-time positions -------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::stablehlo;

/// True for types of indices.
static bool isIndexType(Type element) {
  return isa<IntegerType>(element) && !element.isInteger(1);
}

/// An index between 0 and `most`.
static Value clampIndex(ArrayBuilder &b, Value index, int64_t most) {
  index = arith::MaxSIOp::create(b, index, b.getIndex(0));
  return arith::MinSIOp::create(b, index, b.getIndex(most));
}

/// The tensors, clamped to 0 to `room`. They are scalars of the host, or code
/// for one element if they are arrays.
SmallVector<Value> Importer::getStarts(ValueRange tensors,
                                       ArrayRef<int64_t> room) {
  Values starts;
  for (auto [start, most] : llvm::zip_equal(tensors, room)) {
    Value index = b.castToIndex(getScalar(lookup(start)),
                                getElement(start).isUnsignedInteger());
    starts.push_back(clampIndex(b, index, most));
  }
  return starts;
}

/// Checks that `starts` are positions of a window of `sizes` in an array. The
/// result is the largest position in each dimension.
SmallVector<int64_t> Importer::getRoom(Operation *op, ArrayRef<int64_t> from,
                                       ArrayRef<int64_t> sizes,
                                       ValueRange starts) {
  Numbers room;
  require(op,
          from.size() == sizes.size() && from.size() == starts.size() &&
              llvm::all_of(starts,
                           [&](Value start) {
                             return getShape(start).empty() &&
                                    isIndexType(getElement(start));
                           }),
          "needs a start that is an integer for each dimension");
  if (!isInvalid)
    for (auto [extent, size] : llvm::zip_equal(from, sizes)) {
      room.push_back(extent - size);
      require(op, size >= 0 && size <= extent,
              "has a size that is larger than the extent");
    }
  return room;
}

void Importer::importDynamicSlice(Operation *op) {
  Value operand = op->getOperand(0);
  ValueRange tensors = op->getOperands().drop_front();
  ArrayRef<int64_t> from = getShape(operand);
  Numbers sizes = getNumbers(op, "slice_sizes", from.size());
  Numbers room = getRoom(op, from, sizes, tensors);
  requireResult(op, sizes, getElement(operand));
  if (isInvalid)
    return;
  Value array = getArray(operand);
  bool isOnHost = llvm::none_of(tensors, [&](Value start) {
    return isa<PullType>(lookup(start).getType());
  });
  if (isOnHost) {
    Values starts = getStarts(tensors, room);
    Extents offsets(starts.begin(), starts.end());
    return defineArray(op, b.slice(array, offsets, getExtents(sizes),
                                   Numbers(from.size(), 1)));
  }
  defineArray(op, b.gather(array, getExtents(sizes), [&](ValueRange i) {
    Values places = getStarts(tensors, room);
    for (auto [place, index] : llvm::zip_equal(places, i))
      place = b.add(place, index);
    return places;
  }));
}

void Importer::importDynamicUpdate(Operation *op) {
  require(op, op->getNumOperands() > 1, "needs two operands");
  if (isInvalid)
    return;
  Value operand = op->getOperand(0), update = op->getOperand(1);
  ValueRange tensors = op->getOperands().drop_front(2);
  ArrayRef<int64_t> from = getShape(operand), sizes = getShape(update);
  Numbers room = getRoom(op, from, sizes, tensors);
  require(op, getElement(update) == getElement(operand),
          "needs an update of the element type");
  requireResult(op, from, getElement(operand));
  if (isInvalid)
    return;
  if (from == sizes)
    return define(op->getResults(), lookup(update));
  Value part = getArray(update);
  auto write = [&](ValueRange i) {
    Target target{{}, b.get(part, i), Value()};
    target.indices = getStarts(tensors, room);
    for (auto [place, index] : llvm::zip_equal(target.indices, i))
      place = b.add(place, index);
    return target;
  };
  defineArray(op, b.scatter(getArray(operand), getExtents(sizes), write,
                            WriteContract()));
}

/// The dimensions of a gather or scatter, under the names of a gather, and the
/// extents of the windows.
struct Importer::Window : IndexedWindows {
  Numbers sizes;
};

/// Reads the dimensions of an operation. `array` is the shape of the array, and
/// `outer` is the shape of the result of a gather or of the updates.
Importer::Window Importer::parseWindow(Operation *op, StringRef text,
                                       ArrayRef<StringRef> names, Value indices,
                                       ArrayRef<int64_t> array,
                                       ArrayRef<int64_t> outer) {
  Window w;
  Numbers without;
  Numbers *lists[] = {&w.offsetDims, &without, &w.batching, &w.indexBatching,
                      &w.startMap};
  for (auto [list, name] : llvm::zip_equal(lists, names))
    *list = parseList(op, text, name);
  int64_t rank = array.size(), outerRank = outer.size(), vectorDim = 0;
  size_t begin = text.find("index_vector_dim = ");
  if (begin != StringRef::npos)
    text.drop_front(begin + 19)
        .take_while([](char c) { return llvm::isDigit(c); })
        .getAsInteger(10, vectorDim);
  llvm::append_range(without, w.batching);
  Numbers counts(getShape(indices));
  int64_t indexRank = counts.size(), components = vectorDim == indexRank;
  if (vectorDim < indexRank) {
    w.vectorDim = vectorDim;
    components = counts[vectorDim];
    counts.erase(counts.begin() + vectorDim);
  }
  w.isUnsigned = getElement(indices).isUnsignedInteger();
  auto isDims = [&](ArrayRef<int64_t> dims, int64_t count) {
    // Two values of int64_t are no keys of a DenseSet.
    SmallVector<bool> seen(count);
    return llvm::all_of(dims, [&](int64_t dim) {
      return dim >= 0 && dim < count && !std::exchange(seen[dim], true);
    });
  };
  auto size = [](ArrayRef<int64_t> list) -> int64_t { return list.size(); };
  bool isValid = !text.empty() && isIndexType(getElement(indices)) &&
                 isDims(w.offsetDims, outerRank) && isDims(without, rank) &&
                 isDims(w.startMap, rank) &&
                 isDims(w.indexBatching, indexRank) &&
                 !llvm::is_contained(w.indexBatching, vectorDim) &&
                 size(w.batching) == size(w.indexBatching) &&
                 components == size(w.startMap) &&
                 size(w.offsetDims) + size(without) == rank &&
                 size(w.offsetDims) + size(counts) == outerRank &&
                 llvm::none_of(w.batching, [&](int64_t dim) {
                   return llvm::is_contained(w.startMap, dim);
                 });
  w.sizes.assign(rank, 1);
  if (isValid) {
    for (int64_t d = 0; d < outerRank; ++d)
      if (!llvm::is_contained(w.offsetDims, d))
        w.batchDims.push_back(d);
    for (int64_t d = 0; d < rank; ++d)
      if (!llvm::is_contained(without, d))
        w.windowDims.push_back(d);
    for (auto [dim, count] : llvm::zip_equal(w.batchDims, counts))
      isValid &= outer[dim] == count;
    for (auto [dim, window] : llvm::zip_equal(w.offsetDims, w.windowDims))
      w.sizes[window] = outer[dim];
    for (auto [dim, other] : llvm::zip_equal(w.batching, w.indexBatching))
      isValid &= array[dim] == getShape(indices)[other];
  }
  require(op, isValid, "has dimension numbers that do not fit its operands");
  return w;
}

void Importer::importGather(Operation *op) {
  Value operand = op->getOperand(0), indices = op->getOperand(1);
  ArrayRef<int64_t> from = getShape(operand), to = getShape(op->getResult(0));
  Window w = parseWindow(op, getText(op, "dimension_numbers"),
                         {"offset_dims", "collapsed_slice_dims",
                          "operand_batching_dims",
                          "start_indices_batching_dims", "start_index_map"},
                         indices, from, to);
  Numbers sizes = getNumbers(op, "slice_sizes", from.size());
  for (auto [d, size] : llvm::enumerate(sizes)) {
    bool isWindow = llvm::is_contained(w.windowDims, d);
    require(op,
            size >= 0 && size <= from[d] &&
                (isWindow ? size == w.sizes[d] : size <= 1),
            "has a slice size out of range");
  }
  if (isInvalid)
    return;
  Value starts = getArray(indices), array = getArray(operand);
  defineArray(op, b.gather(array, getExtents(to), [&](ValueRange i) {
    return b.getWindowPlace(
        w, starts, from.size(), i, [&](Value start, int64_t dim) {
          return clampIndex(b, start, from[dim] - sizes[dim]);
        });
  }));
}

void Importer::importScatter(Operation *op) {
  unsigned count = op->getNumResults();
  auto inputs = op->getOperands().take_front(count),
       updates = op->getOperands().drop_front(count + 1);
  Value indices = op->getOperand(count);
  ArrayRef<int64_t> into = getShape(inputs[0]), from = getShape(updates[0]);
  require(op, !into.empty(), "into a scalar is not supported");
  Window w = parseWindow(
      op, getText(op, "scatter_dimension_numbers"),
      {"update_window_dims", "inserted_window_dims", "input_batching_dims",
       "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"},
      indices, into, from);
  requireArrays(op, inputs, updates, from);
  if (isInvalid)
    return;

  // If the function returns the new element, one of the updates is kept.
  Block &body = op->getRegion(0).front();
  WriteContract contract;
  if (llvm::equal(body.back().getOperands(),
                  body.getArguments().drop_front(count))) {
    auto unique = op->getAttrOfType<BoolAttr>("unique_indices");
    contract.unchecked = unique && unique.getValue();
    if (!contract.unchecked)
      contract.contract = Contract::Any;
    require(op, contract.unchecked || count == 1,
            "of several arrays needs unique_indices or a function that "
            "combines elements");
    if (isInvalid)
      return;
  } else {
    contract = b.getContract(
        llvm::map_to_vector(getElements(inputs), convertElementType),
        [&](ValueRange x) { return buildScalars(body, x); });
  }
  Value starts = getArray(indices), part = getArrays(updates);
  Value onto = getArrays(inputs);
  auto write = [&](ValueRange i) {
    Target target;
    // A window that is partly outside of the array is not written.
    auto limit = [&](Value start, int64_t dim) {
      Value last = b.getIndex(into[dim] - w.sizes[dim]);
      Value isIn =
          b.both(b.compare(ScalarBuilder::Order::GE, start, b.getIndex(0)),
                 b.compare(ScalarBuilder::Order::LE, start, last));
      target.condition = b.both(target.condition, isIn);
      return start;
    };
    target.indices = b.getWindowPlace(w, starts, into.size(), i, limit);
    target.values = b.get(part, orZero(Values(i)));
    return target;
  };
  defineArray(op, b.scatter(onto,
                            ArrayRef(getExtents(from)).take_front(from.size()),
                            write, contract));
}

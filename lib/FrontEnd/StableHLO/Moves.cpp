//===- Moves.cpp - Sources, index maps, gathers and scatters --------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::stablehlo;

SmallVector<Value> Importer::importConstant(OpReader &op) {
  Value result = op->getResult(0);
  auto value = dyn_cast_or_null<DenseElementsAttr>(op->getAttr("value"));
  if (!op.require(value && value.getType() == result.getType(),
                  "needs a dense value of the type of its result"))
    return {};
  FailureOr<Value> constant =
      buildConstant(op, value, convertElementType(getElement(result)),
                    /*isScalar=*/true);
  if (succeeded(constant))
    return {*constant};
  op.setInvalid();
  return {};
}

SmallVector<Value> Importer::importIota(OpReader &op) {
  Value result = op->getResult(0);
  Type element = getElement(result), integer = b.getI64Type();
  int64_t dim = op.getDim("iota_dimension", getShape(result).size());
  if (!op.require(!element.isInteger(1), "has elements that are numbers"))
    return {};
  return {b.generate(getExtents(getShape(result)), [&](ValueRange i) -> Values {
    Value number = arith::IndexCastOp::create(b, integer, i[dim]);
    return {convertScalar(b, number, integer, element)};
  })};
}

SmallVector<Value> Importer::importBroadcast(OpReader &op) {
  ArrayRef<int64_t> from = getShape(op->getOperand(0)),
                    to = getShape(op->getResult(0));
  Numbers dims = op.getDims("broadcast_dimensions", from.size(), to.size());
  for (auto [extent, dim] : llvm::zip_equal(from, dims))
    op.require(!op.isValid() || extent == 1 || extent == to[dim],
               "has an extent that is neither 1 nor that of the result");
  if (!op.isValid())
    return {};
  return {b.broadcast(getArray(op->getOperand(0)), getExtents(to), dims)};
}

SmallVector<Value> Importer::importReshape(OpReader &op) {
  auto from = cast<RankedTensorType>(op->getOperand(0).getType()),
       to = cast<RankedTensorType>(op->getResult(0).getType());
  if (!op.require(from.getNumElements() == to.getNumElements(),
                  "changes the number of elements"))
    return {};
  return {b.reshape(getArray(op->getOperand(0)), getExtents(to.getShape()))};
}

SmallVector<Value> Importer::importTranspose(OpReader &op) {
  int64_t rank = getShape(op->getOperand(0)).size();
  Numbers order = op.getDims("permutation", rank, rank);
  if (!op.isValid())
    return {};
  return {b.transpose(getArray(op->getOperand(0)), order)};
}

SmallVector<Value> Importer::importReverse(OpReader &op) {
  Numbers dims =
      op.getDims("dimensions", -1, getShape(op->getOperand(0)).size());
  if (!op.isValid())
    return {};
  return {b.reverse(getArray(op->getOperand(0)), dims)};
}

SmallVector<Value> Importer::importSlice(OpReader &op) {
  ArrayRef<int64_t> from = getShape(op->getOperand(0));
  Numbers starts = op.getNumbers("start_indices", from.size()),
          limits = op.getNumbers("limit_indices", from.size()),
          strides = op.getNumbers("strides", from.size()), sizes;
  for (auto [d, extent] : llvm::enumerate(from))
    if (op.require(starts[d] >= 0 && starts[d] <= limits[d] &&
                       limits[d] <= extent && strides[d] > 0,
                   "is out of range in dimension ", d))
      sizes.push_back(llvm::divideCeil(limits[d] - starts[d], strides[d]));
  if (!op.isValid())
    return {};
  return {b.slice(getArray(op->getOperand(0)), getExtents(starts),
                  getExtents(sizes), strides)};
}

SmallVector<Value> Importer::importPad(OpReader &op) {
  Value operand = op->getOperand(0), padding = op->getOperand(1);
  ArrayRef<int64_t> from = getShape(operand);
  Numbers low = op.getNumbers("edge_padding_low", from.size()),
          high = op.getNumbers("edge_padding_high", from.size()),
          holes = op.getNumbers("interior_padding", from.size());
  for (auto [d, extent] : llvm::enumerate(from)) {
    int64_t inside = extent + std::max<int64_t>(extent - 1, 0) * holes[d];
    op.require(holes[d] >= 0, "has negative padding between elements");
    op.require(inside + low[d] + high[d] >= 0,
               "drops more elements than there are");
  }
  if (!op.require(getShape(padding).empty() &&
                      getElement(padding) == getElement(operand),
                  "needs a padding value of the element type"))
    return {};
  Value number = getHostScalar(padding);
  return {b.pad(getArray(operand), getExtents(low), getExtents(high), holes,
                [&](ValueRange) -> Values { return {number}; })};
}

SmallVector<Value> Importer::importConcatenate(OpReader &op) {
  Numbers extents(getShape(op->getOperand(0)));
  int64_t dim = op.getDim("dimension", extents.size());
  Values arrays;
  for (Value operand : op->getOperands()) {
    Numbers own(getShape(operand));
    if (!op.require(own.size() == extents.size() &&
                        getElement(operand) == getElement(op->getOperand(0)),
                    "has operands of different ranks or types"))
      return {};
    own[dim] = extents[dim];
    op.require(own == extents, "has operands of different extents");
    arrays.push_back(getArray(operand));
  }
  if (!op.isValid())
    return {};
  return {b.concat(arrays, dim)};
}

//===----------------------------------------------------------------------===//
// Positions that are known at run time
//===----------------------------------------------------------------------===//

/// True for types of indices.
static bool isIndexType(Type element) {
  return isa<IntegerType>(element) && !element.isInteger(1);
}

/// An index between 0 and `most`.
static Value clampIndex(ArrayBuilder &b, Value index, int64_t most) {
  index = arith::MaxSIOp::create(b, index, b.getIndex(0));
  return arith::MinSIOp::create(b, index, b.getIndex(most));
}

/// The tensors, clamped to 0 to `room`, plus the offsets. They are scalars of
/// the host, or code for one element if they are arrays.
SmallVector<Value> Importer::getStarts(ValueRange tensors,
                                       ArrayRef<int64_t> room,
                                       ValueRange offsets) {
  Values starts;
  for (auto [start, most] : llvm::zip_equal(tensors, room)) {
    Value index = b.castToIndex(getScalar(lookup(start)),
                                getElement(start).isUnsignedInteger());
    starts.push_back(clampIndex(b, index, most));
  }
  for (auto [start, offset] : llvm::zip(starts, offsets))
    start = b.add(start, offset);
  return starts;
}

/// Checks that `starts` are positions of a window of `sizes` in an array. The
/// result is the largest position in each dimension.
SmallVector<int64_t> Importer::getRoom(OpReader &op, ArrayRef<int64_t> from,
                                       ArrayRef<int64_t> sizes,
                                       ValueRange starts) {
  Numbers room;
  auto isStart = [](Value start) {
    return getShape(start).empty() && isIndexType(getElement(start));
  };
  if (op.require(from.size() == sizes.size() && from.size() == starts.size() &&
                     llvm::all_of(starts, isStart),
                 "needs a start that is an integer for each dimension"))
    for (auto [extent, size] : llvm::zip_equal(from, sizes)) {
      room.push_back(extent - size);
      op.require(size >= 0 && size <= extent,
                 "has a size that is larger than the extent");
    }
  return room;
}

SmallVector<Value> Importer::importDynamicSlice(OpReader &op) {
  Value operand = op->getOperand(0);
  ValueRange tensors = op->getOperands().drop_front();
  ArrayRef<int64_t> from = getShape(operand);
  Numbers sizes = op.getNumbers("slice_sizes", from.size()),
          room = getRoom(op, from, sizes, tensors);
  if (!op.isValid())
    return {};
  Value array = getArray(operand);
  bool isOnHost = llvm::none_of(tensors, [&](Value start) {
    return isa<PullType>(lookup(start).getType());
  });
  if (!isOnHost)
    return {b.gather(array, getExtents(sizes), [&](ValueRange i) {
      return getStarts(tensors, room, i);
    })};
  Extents offsets(llvm::to_vector_of<OpFoldResult>(getStarts(tensors, room)));
  return {b.slice(array, offsets, getExtents(sizes), Numbers(from.size(), 1))};
}

SmallVector<Value> Importer::importDynamicUpdate(OpReader &op) {
  if (!op.require(op->getNumOperands() > 1, "needs two operands"))
    return {};
  Value operand = op->getOperand(0), update = op->getOperand(1);
  ValueRange tensors = op->getOperands().drop_front(2);
  ArrayRef<int64_t> from = getShape(operand), sizes = getShape(update);
  Numbers room = getRoom(op, from, sizes, tensors);
  if (!op.require(getElement(update) == getElement(operand),
                  "needs an update of the element type"))
    return {};
  if (from == sizes)
    return {lookup(update)};
  Value part = getArray(update);
  auto write = [&](ValueRange i) {
    Values elements = b.get(part, i);
    return Target{getStarts(tensors, room, i), elements, Value()};
  };
  return {
      b.scatter(getArray(operand), getExtents(sizes), write, WriteContract())};
}

/// The dimensions of a gather or scatter, under the names of a gather, and the
/// extents of the windows.
struct Importer::Window : IndexedWindows {
  Numbers sizes;
};

/// Reads the dimensions of an operation from its fields, whose `names` are in
/// the order of `lists`. `array` is the shape of the array, and `outer` is the
/// shape of the result of a gather or of the updates.
Importer::Window Importer::parseWindow(OpReader &op, DictionaryAttr fields,
                                       ArrayRef<StringRef> names, Value indices,
                                       ArrayRef<int64_t> array,
                                       ArrayRef<int64_t> outer) {
  Window w;
  Numbers without, counts(getShape(indices));
  Numbers *lists[] = {&w.offsetDims, &without, &w.batching, &w.indexBatching,
                      &w.startMap};
  for (auto [list, name] : llvm::zip_equal(lists, names))
    *list = op.getList(fields, name);
  llvm::append_range(without, w.batching);
  int64_t rank = array.size(), outerRank = outer.size(),
          indexRank = counts.size(), vectorDim = 0;
  if (auto dim =
          fields ? fields.getAs<IntegerAttr>("index_vector_dim") : nullptr)
    vectorDim = dim.getValue().getSExtValue();
  int64_t components = vectorDim == indexRank;
  if (vectorDim >= 0 && vectorDim < indexRank) {
    w.vectorDim = vectorDim;
    components = counts[vectorDim];
    counts.erase(counts.begin() + vectorDim);
  }
  w.isUnsigned = getElement(indices).isUnsignedInteger();
  auto size = [](ArrayRef<int64_t> list) -> int64_t { return list.size(); };
  bool isValid = fields && isIndexType(getElement(indices)) &&
                 areDims(w.offsetDims, outerRank) && areDims(without, rank) &&
                 areDims(w.startMap, rank) &&
                 areDims(w.indexBatching, indexRank) &&
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
  op.require(isValid, "has dimension numbers that do not fit its operands");
  return w;
}

SmallVector<Value> Importer::importGather(OpReader &op) {
  Value operand = op->getOperand(0), indices = op->getOperand(1);
  ArrayRef<int64_t> from = getShape(operand), to = getShape(op->getResult(0));
  Window w = parseWindow(op, op.getFields("dimension_numbers"),
                         {"offset_dims", "collapsed_slice_dims",
                          "operand_batching_dims",
                          "start_indices_batching_dims", "start_index_map"},
                         indices, from, to);
  Numbers sizes = op.getNumbers("slice_sizes", from.size());
  for (auto [d, size] : llvm::enumerate(sizes)) {
    bool isWindow = llvm::is_contained(w.windowDims, d);
    op.require(size >= 0 && size <= from[d] &&
                   (isWindow ? size == w.sizes[d] : size <= 1),
               "has a slice size out of range");
  }
  if (!op.isValid())
    return {};
  Value starts = getArray(indices), array = getArray(operand);
  return {b.gather(array, getExtents(to), [&](ValueRange i) {
    return b.getWindowPlace(
        w, starts, from.size(), i, [&](Value start, int64_t dim) {
          return clampIndex(b, start, from[dim] - sizes[dim]);
        });
  })};
}

SmallVector<Value> Importer::importScatter(OpReader &op) {
  unsigned count = op->getNumResults();
  auto inputs = op->getOperands().take_front(count),
       updates = op->getOperands().drop_front(count + 1);
  ArrayRef<int64_t> into = getShape(inputs[0]), from = getShape(updates[0]);
  op.require(!into.empty(), "into a scalar is not supported");
  Value indices = op->getOperand(count);
  Window w = parseWindow(
      op, op.getFields("scatter_dimension_numbers"),
      {"update_window_dims", "inserted_window_dims", "input_batching_dims",
       "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"},
      indices, into, from);
  op.requireArrays(inputs, updates, from);
  if (!op.isValid())
    return {};

  Block &body = op->getRegion(0).front();
  ValueRange all = body.getArguments(), added = all.drop_front(count),
             found = body.back().getOperands();
  auto unique = op->getAttrOfType<BoolAttr>("unique_indices");
  bool isUnique = unique && unique.getValue(),
       isReplaced = llvm::equal(found, added);
  // A difference is the sum with the negative update, in any order.
  Operation *last = count == 1 ? found[0].getDefiningOp() : nullptr;
  bool isDifference = !isUnique && last &&
                      last->getName().getStringRef() == "stablehlo.subtract" &&
                      llvm::equal(last->getOperands(), all) &&
                      !getElement(inputs[0]).isInteger(1);
  auto combine = [&](ValueRange x) -> Values {
    return isDifference ? Values{b.add(x[0], x[1])} : buildScalars(body, x);
  };
  WriteContract contract;
  contract.unchecked = isUnique;
  if (isReplaced && !isUnique) {
    // One of the updates is kept.
    contract.contract = Contract::Any;
    op.require(count == 1,
               "of several arrays needs unique_indices or a function that "
               "combines elements");
  } else if (!isUnique) {
    op.require(llvm::any_of(added, [](Value v) { return !v.use_empty(); }),
               "whose function does not use the updates, as in "
               "x.at[i].apply(f), needs unique_indices; x.at[i].set(f(x[i])) "
               "applies f once to each element");
    if (op.isValid())
      contract = b.getContract(
          llvm::map_to_vector(getElements(inputs), convertElementType),
          combine);
  }
  if (!op.isValid())
    return {};
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
    if (isDifference)
      target.values = {b.negate(target.values[0])};
    if (isUnique && !isReplaced) {
      // No other update has this element.
      Values place = target.indices;
      for (auto [index, extent] : llvm::zip_equal(place, into))
        index = clampIndex(b, index, std::max<int64_t>(extent - 1, 0));
      Values pairs = b.get(onto, place);
      llvm::append_range(pairs, target.values);
      target.values = combine(pairs);
    }
    return target;
  };
  return {b.scatter(onto, ArrayRef(getExtents(from)).take_front(from.size()),
                    write, contract)};
}

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

/// The operands from `first` on, clamped to 0 to `room`. They are scalars of
/// the host, or code for one element if they are arrays.
FailureOr<Values> Importer::getStarts(Operation *op, unsigned first,
                                      ArrayRef<int64_t> room) {
  Values starts;
  for (auto [k, most] : llvm::enumerate(room)) {
    Value start = op->getOperand(first + k);
    Type element = getElement(start);
    if (!getShape(start).empty() || !isa<IntegerType>(element) ||
        element.isInteger(1))
      return op->emitOpError("needs starts that are integers");
    Value index = castIndex(getScalar(lookup(start)), element);
    index = arith::MaxSIOp::create(b, index, b.getIndex(0));
    starts.push_back(arith::MinSIOp::create(b, index, b.getIndex(most)));
  }
  return starts;
}

LogicalResult Importer::importDynamicSlice(Operation *op) {
  if (op->getNumOperands() < 1)
    return op->emitOpError("needs an operand");
  Value operand = op->getOperand(0);
  Numbers from(getShape(operand));
  if (failed(verifyCounts(op, from.size() + 1)))
    return failure();
  FailureOr<Numbers> sizes = getNumbers(op, "slice_sizes", from.size());
  if (failed(sizes) || failed(verifyResult(op, *sizes, getElement(operand))))
    return failure();
  Numbers room;
  for (auto [extent, size] : llvm::zip_equal(from, *sizes)) {
    if (size < 0 || size > extent)
      return op->emitOpError("has a size that is larger than the extent");
    room.push_back(extent - size);
  }
  if (from.empty()) {
    values[op->getResult(0)] = lookup(operand);
    return success();
  }
  Value array = getArray(operand);
  bool isOnHost = llvm::none_of(op->getOperands().drop_front(), [&](Value v) {
    return isa<PullType>(lookup(v).getType());
  });
  if (isOnHost) {
    FailureOr<Values> starts = getStarts(op, 1, room);
    if (failed(starts))
      return failure();
    SmallVector<OpFoldResult> offsets(starts->begin(), starts->end());
    values[op->getResult(0)] =
        b.slice(array, offsets, getExtents(*sizes), Numbers(from.size(), 1));
    return success();
  }
  bool isValid = true;
  Value result = b.gather(array, getExtents(*sizes), [&](ValueRange i) {
    Values places(i);
    FailureOr<Values> starts = getStarts(op, 1, room);
    isValid = succeeded(starts);
    if (isValid)
      for (auto [place, start] : llvm::zip_equal(places, *starts))
        place = arith::AddIOp::create(b, start, place);
    return places;
  });
  values[op->getResult(0)] = result;
  return success(isValid);
}

LogicalResult Importer::importDynamicUpdate(Operation *op) {
  if (op->getNumOperands() < 2)
    return op->emitOpError("needs two operands");
  Value operand = op->getOperand(0), update = op->getOperand(1);
  Numbers from(getShape(operand)), sizes(getShape(update));
  if (failed(verifyCounts(op, from.size() + 2)) ||
      failed(verifyResult(op, from, getElement(operand))))
    return failure();
  if (sizes.size() != from.size() || getElement(update) != getElement(operand))
    return op->emitOpError("needs an update of the rank and element type");
  Numbers room;
  for (auto [extent, size] : llvm::zip_equal(from, sizes)) {
    if (size > extent)
      return op->emitOpError("has an update that is larger than the array");
    room.push_back(extent - size);
  }
  if (from == sizes) {
    values[op->getResult(0)] = lookup(update);
    return success();
  }
  Value part = getArray(update);
  bool isValid = true;
  Value result = b.scatter(
      getArray(operand), getExtents(sizes),
      [&](ValueRange i) {
        Target target{Values(i), b.get(part, i), Value()};
        FailureOr<Values> starts = getStarts(op, 2, room);
        isValid = succeeded(starts);
        if (isValid)
          for (auto [place, start] : llvm::zip_equal(target.indices, *starts))
            place = arith::AddIOp::create(b, start, place);
        return target;
      },
      WriteContract());
  values[op->getResult(0)] = result;
  return success(isValid);
}

namespace {
/// The dimensions of a gather or scatter, under the names of a gather.
struct Places {
  Numbers offsetDims, collapsed, batching, indexBatching, startMap;
  int64_t vectorDim;
  /// The dimensions of the result that correspond to the start indices, and
  /// those of the operand that have an offset.
  Numbers batchDims, windowDims;
};
} // namespace

/// The index in each of the `rank` dimensions of an array, for `indices` of a
/// tensor, and `outer` dimensions of the result of a gather or the updates of a
/// scatter.
static FailureOr<Places> parsePlaces(Operation *op, StringRef text,
                                     ArrayRef<StringRef> names, Value indices,
                                     int64_t rank, int64_t outer) {
  Places p;
  Numbers *lists[] = {&p.offsetDims, &p.collapsed, &p.batching,
                      &p.indexBatching, &p.startMap};
  for (auto [list, name] : llvm::zip_equal(lists, names)) {
    FailureOr<Numbers> found = parseList(op, text, name);
    if (failed(found))
      return failure();
    *list = *found;
  }
  auto isValid = [&](ArrayRef<int64_t> dims, int64_t count) {
    DenseSet<int64_t> seen(dims.begin(), dims.end());
    return seen.size() == dims.size() && llvm::all_of(dims, [&](int64_t dim) {
             return dim >= 0 && dim < count;
           });
  };
  auto type = cast<RankedTensorType>(indices.getType());
  p.vectorDim = parseNumber(text, "index_vector_dim");
  Numbers without(p.collapsed);
  llvm::append_range(without, p.batching);
  int64_t vector = p.vectorDim == type.getRank()  ? 1
                   : p.vectorDim < type.getRank() ? type.getDimSize(p.vectorDim)
                                                  : -1;
  int64_t count = type.getRank() - (p.vectorDim < type.getRank());
  if (text.empty() || !isa<IntegerType>(type.getElementType()) ||
      type.getElementType().isInteger(1) || !isValid(p.offsetDims, outer) ||
      !isValid(without, rank) || !isValid(p.startMap, rank) ||
      !isValid(p.indexBatching, type.getRank()) ||
      llvm::is_contained(p.indexBatching, p.vectorDim) ||
      p.batching.size() != p.indexBatching.size() ||
      vector != static_cast<int64_t>(p.startMap.size()) ||
      static_cast<int64_t>(p.offsetDims.size() + without.size()) != rank ||
      static_cast<int64_t>(p.offsetDims.size()) + count != outer ||
      llvm::any_of(p.batching, [&](int64_t dim) {
        return llvm::is_contained(p.startMap, dim);
      }))
    return op->emitOpError("has dimension numbers that do not fit its "
                           "operands");
  for (int64_t d = 0; d < outer; ++d)
    if (!llvm::is_contained(p.offsetDims, d))
      p.batchDims.push_back(d);
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(without, d))
      p.windowDims.push_back(d);
  return p;
}

/// The first index of the window in each dimension of the array, for an index
/// of the outer dimensions. `limit` changes the indices that were read from the
/// tensor.
static Values buildStarts(ArrayBuilder &b, const Places &p, Value indices,
                          int64_t indexRank, bool isUnsigned, int64_t rank,
                          ValueRange i,
                          llvm::function_ref<Value(Value, int64_t)> limit) {
  Values batch, starts(rank);
  for (int64_t dim : p.batchDims)
    batch.push_back(i[dim]);
  for (auto [k, dim] : llvm::enumerate(p.startMap)) {
    Values place(batch);
    if (p.vectorDim < indexRank)
      place.insert(place.begin() + p.vectorDim, b.getIndex(k));
    if (place.empty())
      place.push_back(b.getIndex(0));
    Value start = b.getOne(indices, place);
    start = isUnsigned
                ? arith::IndexCastUIOp::create(b, b.getIndexType(), start)
                      .getResult()
                : arith::IndexCastOp::create(b, b.getIndexType(), start)
                      .getResult();
    starts[dim] = limit(start, dim);
  }
  for (auto [dim, other] : llvm::zip_equal(p.batching, p.indexBatching))
    starts[dim] = batch[other - (other > p.vectorDim)];
  for (Value &start : starts)
    if (!start)
      start = b.getIndex(0);
  return starts;
}

LogicalResult Importer::importGather(Operation *op) {
  if (failed(verifyCounts(op, 2)))
    return failure();
  Value operand = op->getOperand(0), indices = op->getOperand(1);
  Numbers from(getShape(operand)), to(getShape(op->getResult(0)));
  FailureOr<Places> p = parsePlaces(
      op, getText(op, "dimension_numbers"),
      {"offset_dims", "collapsed_slice_dims", "operand_batching_dims",
       "start_indices_batching_dims", "start_index_map"},
      indices, from.size(), to.size());
  FailureOr<Numbers> sizes = getNumbers(op, "slice_sizes", from.size());
  if (failed(p) || failed(sizes))
    return failure();
  Numbers extents(to), counts(getShape(indices));
  if (p->vectorDim < static_cast<int64_t>(counts.size()))
    counts.erase(counts.begin() + p->vectorDim);
  for (auto [dim, count] : llvm::zip_equal(p->batchDims, counts))
    extents[dim] = count;
  for (auto [dim, window] : llvm::zip_equal(p->offsetDims, p->windowDims))
    extents[dim] = (*sizes)[window];
  for (auto [d, size] : llvm::enumerate(*sizes))
    if (size < 0 || size > from[d] ||
        (!llvm::is_contained(p->windowDims, d) && size > 1))
      return op->emitOpError("has a slice size out of range");
  for (auto [dim, other] : llvm::zip_equal(p->batching, p->indexBatching))
    if (from[dim] != getShape(indices)[other])
      return op->emitOpError("has batches of different extents");
  if (failed(verifyResult(op, extents, getElement(operand))))
    return failure();
  Value starts = getArray(indices), array = getArray(operand);
  values[op->getResult(0)] = b.gather(array, getExtents(to), [&](ValueRange i) {
    Values places =
        buildStarts(b, *p, starts, getShape(indices).size(),
                    getElement(indices).isUnsignedInteger(), from.size(), i,
                    [&](Value start, int64_t dim) -> Value {
                      Value most = b.getIndex(from[dim] - (*sizes)[dim]);
                      start = arith::MaxSIOp::create(b, start, b.getIndex(0));
                      return arith::MinSIOp::create(b, start, most);
                    });
    for (auto [dim, window] : llvm::zip_equal(p->offsetDims, p->windowDims))
      places[window] = arith::AddIOp::create(b, places[window], i[dim]);
    if (places.empty())
      places.push_back(b.getIndex(0));
    return places;
  });
  return success();
}

LogicalResult Importer::importScatter(Operation *op) {
  unsigned count = op->getNumResults();
  if (failed(verifyCounts(op, 2 * count + 1, 1, std::max(count, 1u))))
    return failure();
  auto inputs = op->getOperands().take_front(count),
       updates = op->getOperands().drop_front(count + 1);
  Value indices = op->getOperand(count);
  Numbers into(getShape(inputs[0])), from(getShape(updates[0]));
  if (into.empty())
    return op->emitOpError("into a scalar is not supported");
  FailureOr<Places> p = parsePlaces(
      op, getText(op, "scatter_dimension_numbers"),
      {"update_window_dims", "inserted_window_dims", "input_batching_dims",
       "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"},
      indices, into.size(), from.size());
  if (failed(p))
    return failure();
  SmallVector<Type> elements;
  for (unsigned k = 0; k < count; ++k) {
    elements.push_back(getElement(inputs[k]));
    if (getShape(inputs[k]) != ArrayRef(into) ||
        getShape(updates[k]) != ArrayRef(from) ||
        getElement(updates[k]) != elements[k])
      return op->emitOpError("has inputs or updates of different types");
    if (failed(verifyResult(op, into, elements[k], k)))
      return failure();
  }
  Numbers counts(getShape(indices));
  if (p->vectorDim < static_cast<int64_t>(counts.size()))
    counts.erase(counts.begin() + p->vectorDim);
  for (auto [dim, extent] : llvm::zip_equal(p->batchDims, counts))
    if (from[dim] != extent)
      return op->emitOpError("has updates and indices of different extents");
  for (auto [dim, other] : llvm::zip_equal(p->batching, p->indexBatching))
    if (into[dim] != getShape(indices)[other])
      return op->emitOpError("has batches of different extents");
  Numbers sizes(into.size(), 1);
  for (auto [dim, window] : llvm::zip_equal(p->offsetDims, p->windowDims))
    sizes[window] = from[dim];
  SmallVector<Type> both(elements);
  llvm::append_range(both, elements);
  if (failed(verifyRegion(op, 0, both, elements)))
    return failure();

  // If the function returns the new element, one of the updates is kept.
  Block &body = op->getRegion(0).front();
  WriteContract contract;
  auto unique = op->getAttrOfType<BoolAttr>("unique_indices");
  if (llvm::equal(body.back().getOperands(),
                  body.getArguments().drop_front(count))) {
    contract.unchecked = true;
    if (!unique || !unique.getValue()) {
      contract.contract = Contract::Any;
      contract.unchecked = false;
      if (count > 1)
        return op->emitOpError("of several arrays needs unique_indices or a "
                               "function that combines elements");
    }
  } else {
    contract =
        b.getContract(llvm::map_to_vector(elements, convertElement),
                      [&](ValueRange x) { return buildScalars(body, x); });
  }
  Value starts = getArray(indices), part = getArrays(updates);
  Value onto = getArrays(inputs);
  define(op, b.scatter(
                 onto, ArrayRef(getExtents(from)).take_front(from.size()),
                 [&](ValueRange i) {
                   Target target;
                   // A window that is partly outside of the array is not
                   // written.
                   auto limit = [&](Value start, int64_t dim) {
                     Value last = b.getIndex(into[dim] - sizes[dim]);
                     Value isIn = arith::AndIOp::create(
                         b,
                         arith::CmpIOp::create(b, arith::CmpIPredicate::sge,
                                               start, b.getIndex(0)),
                         arith::CmpIOp::create(b, arith::CmpIPredicate::sle,
                                               start, last));
                     target.condition =
                         target.condition
                             ? arith::AndIOp::create(b, target.condition, isIn)
                                   .getResult()
                             : isIn;
                     return start;
                   };
                   target.indices =
                       buildStarts(b, *p, starts, getShape(indices).size(),
                                   getElement(indices).isUnsignedInteger(),
                                   into.size(), i, limit);
                   for (auto [dim, window] :
                        llvm::zip_equal(p->offsetDims, p->windowDims))
                     target.indices[window] = arith::AddIOp::create(
                         b, target.indices[window], i[dim]);
                   Values place(i);
                   if (place.empty())
                     place.push_back(b.getIndex(0));
                   target.values = b.get(part, place);
                   return target;
                 },
                 contract));
  return success();
}

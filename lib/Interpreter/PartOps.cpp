//===- PartOps.cpp - Meaning of operations on parts of arrays -------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::interpreter;

//===----------------------------------------------------------------------===//
// split, join
//===----------------------------------------------------------------------===//

/// Element c is the chunk c: an array whose element i is element c * k + i of
/// the source, or c + i * chunks if strided; the pad values past its end.
LogicalResult interpreter::runSplit(Frame &frame, const Instruction &inst) {
  auto op = cast<SplitOp>(inst.op);
  PullPtr source = frame.getPull(inst, 0);
  IndexVector sizes = frame.getMixed(inst, 1, op.getStaticSizes());
  unsigned firstPad = 1 + op.getSizes().size();
  DataVector pads;
  for (unsigned i = firstPad; i < inst.operands.size(); ++i)
    pads.push_back(frame.get(inst, i));
  IndexVector chunks;
  for (auto [extent, size] : llvm::zip(source->extents, sizes)) {
    if (size <= 0)
      return frame.trap(inst,
                        "[R4-split] chunks of " + Twine(size) + " elements");
    if (extent % size != 0 && pads.empty())
      return frame.trap(inst, "[R4-split] extent " + Twine(extent) +
                                  " is not a multiple of the chunk size " +
                                  Twine(size) + "; give pad values");
    chunks.push_back(extent / size + (extent % size != 0));
  }
  auto type = cast<PullType>(op.getType());
  if (failed(frame.checkExtents(inst, type.getElementTypes().front(), sizes)))
    return failure();
  bool strided = op.getStrided();
  auto readChunk = [=](Location, Index chunk, Data &out) {
    IndexVector c(chunk);
    auto array = std::make_shared<PullArray>();
    array->extents = sizes;
    array->read = [=](Location loc, Index i, Data &elements) {
      IndexVector from;
      for (unsigned d = 0; d < i.size(); ++d)
        from.push_back(strided ? c[d] + i[d] * chunks[d]
                               : c[d] * sizes[d] + i[d]);
      if (isInRange(from, source->extents))
        return source->read(loc, from, elements);
      elements.append(pads.begin(), pads.end());
      return success();
    };
    out.push_back(Datum(std::move(array)));
    return success();
  };
  return frame.setPull(inst, 0, chunks, readChunk);
}

/// The extents of all inner arrays of a nested array. For an empty array, these
/// are the extents of the first inner array, or 0 if they depend on elements.
static LogicalResult getInnerExtents(Frame &frame, const Instruction &inst,
                                     const PullArray &nested, PullType type,
                                     IndexVector &extents) {
  auto innerType = cast<PullType>(type.getElementTypes().front());
  if (innerType.hasStaticExtents()) {
    extents = IndexVector(innerType.getExtents());
    return success();
  }
  DataVector inner;
  IndexVector zero(nested.extents.size(), 0);
  auto read = [&] { return nested.read(inst.op->getLoc(), zero, inner); };
  if (getNumElements(nested.extents) != 0) {
    if (failed(read()))
      return failure();
  } else if (failed(frame.machine.probe(read))) {
    for (int64_t extent : innerType.getExtents())
      extents.push_back(ShapedType::isDynamic(extent) ? 0 : extent);
    return success();
  }
  extents = static_cast<const PullArray &>(*inner.front().object).extents;
  return success();
}

/// Element i of chunk c is element c * k + i of the result, or c + i * chunks
/// if strided.
LogicalResult interpreter::runJoin(Frame &frame, const Instruction &inst) {
  auto op = cast<JoinOp>(inst.op);
  auto pullType = dyn_cast<PullType>(op.getArray().getType());
  bool isNested = pullType && pullType.isNested();
  // Numbers of chunks and extents of a chunk.
  IndexVector chunks(frame.getExtents(inst, 0)), sizes;
  if (isNested) {
    if (failed(getInnerExtents(frame, inst, *frame.getPull(inst, 0), pullType,
                               sizes)))
      return failure();
  } else {
    sizes.assign(chunks.begin() + chunks.size() / 2, chunks.end());
    chunks.truncate(chunks.size() / 2);
  }
  IndexVector extents;
  for (auto [count, size] : llvm::zip(chunks, sizes)) {
    // A number that is no extent at all is refused where the result is made.
    int64_t extent;
    extents.push_back(llvm::MulOverflow(count, size, extent)
                          ? std::numeric_limits<int64_t>::max()
                          : extent);
  }
  if (std::optional<ArrayRef<int64_t>> to = op.getStaticExtents()) {
    IndexVector clipped = frame.getMixed(inst, 1, *to);
    for (auto [extent, limit] : llvm::zip(clipped, extents))
      if (extent > limit)
        return frame.trap(inst, "[R4-range] joins extents " +
                                    formatIndex(extents) + " to " +
                                    formatIndex(clipped));
    extents = clipped;
  }
  bool strided = op.getStrided();
  auto toSource = [=](Index index) {
    IndexVector chunk, element;
    for (unsigned d = 0; d < index.size(); ++d) {
      // Without elements, only the extents of element 0 are needed.
      int64_t divisor = std::max<int64_t>(strided ? chunks[d] : sizes[d], 1);
      int64_t quotient = index[d] / divisor, remainder = index[d] % divisor;
      chunk.push_back(strided ? remainder : quotient);
      element.push_back(strided ? quotient : remainder);
    }
    chunk.append(element);
    return chunk;
  };
  auto toTarget = [=](Index index) -> std::optional<IndexVector> {
    IndexVector target;
    unsigned rank = chunks.size();
    for (unsigned d = 0; d < rank; ++d)
      target.push_back(strided ? index[d] + index[rank + d] * chunks[d]
                               : index[d] * sizes[d] + index[rank + d]);
    if (isInRange(target, extents))
      return target;
    return std::nullopt;
  };
  if (!isNested)
    return setReindexed(frame, inst, extents, toSource, toTarget);

  PullPtr nested = frame.getPull(inst, 0);
  Machine &machine = frame.machine;
  Location joinLoc = op.getLoc();
  auto read = [=, &machine](Location loc, Index index, Data &out) {
    IndexVector source = toSource(index);
    DataVector inner;
    Index chunk = Index(source).take_front(chunks.size());
    if (failed(nested->read(loc, chunk, inner)))
      return failure();
    const auto &array = static_cast<const PullArray &>(*inner.front().object);
    if (array.extents != sizes)
      return machine.trap(joinLoc, "[R4-extents] chunk " + formatIndex(chunk) +
                                       " has extents " +
                                       formatIndex(array.extents) +
                                       ", the others " + formatIndex(sizes));
    return array.read(loc, Index(source).drop_front(chunks.size()), out);
  };
  return frame.setPull(inst, 0, extents, read);
}

//===----------------------------------------------------------------------===//
// nest, unnest
//===----------------------------------------------------------------------===//

/// Element i is the array whose element j is element (i, j) of the source.
LogicalResult interpreter::runNest(Frame &frame, const Instruction &inst) {
  PullPtr source = frame.getPull(inst, 0);
  size_t dims = cast<NestOp>(inst.op).getDims();
  auto readInner = [=](Location, Index outer, Data &out) {
    IndexVector first(outer);
    auto array = std::make_shared<PullArray>();
    array->extents.assign(source->extents.begin() + dims,
                          source->extents.end());
    array->read = [=](Location loc, Index inner, Data &elements) {
      IndexVector from(first);
      from.append(inner.begin(), inner.end());
      return source->read(loc, from, elements);
    };
    out.push_back(Datum(std::move(array)));
    return success();
  };
  return frame.setPull(
      inst, 0,
      IndexVector(source->extents.begin(), source->extents.begin() + dims),
      readInner);
}

/// Element (i, j) is element j of array i.
LogicalResult interpreter::runUnnest(Frame &frame, const Instruction &inst) {
  PullPtr nested = frame.getPull(inst, 0);
  auto type = cast<PullType>(cast<UnnestOp>(inst.op).getArray().getType());
  IndexVector inner, extents(nested->extents);
  if (failed(getInnerExtents(frame, inst, *nested, type, inner)))
    return failure();
  extents.append(inner);
  size_t rank = nested->extents.size();
  Machine &machine = frame.machine;
  Location unnestLoc = inst.op->getLoc();
  auto read = [=, &machine](Location loc, Index index, Data &out) {
    DataVector element;
    if (failed(nested->read(loc, index.take_front(rank), element)))
      return failure();
    const auto &array = static_cast<const PullArray &>(*element.front().object);
    if (array.extents != inner)
      return machine.trap(unnestLoc, "[R4-extents] array " +
                                         formatIndex(index.take_front(rank)) +
                                         " has extents " +
                                         formatIndex(array.extents) +
                                         ", the others " + formatIndex(inner));
    return array.read(loc, index.drop_front(rank), out);
  };
  return frame.setPull(inst, 0, extents, read);
}

//===----------------------------------------------------------------------===//
// Several arrays
//===----------------------------------------------------------------------===//

/// Sets the result to the elements of all operands. Pull: an element is that of
/// the operand and the index that `toSource` returns. Push: the programs run
/// one after the other, and element i of an operand goes to `toTarget`.
static LogicalResult setMerged(
    Frame &frame, const Instruction &inst, Index extents,
    const std::function<std::pair<unsigned, IndexVector>(Index)> &toSource,
    const std::function<IndexVector(unsigned, Index)> &toTarget) {
  SmallVector<PullPtr, 2> pulls;
  SmallVector<PushPtr, 2> pushes;
  bool isPull = frame.isPull(inst, 0);
  for (unsigned i = 0; i < inst.operands.size(); ++i)
    if (isPull)
      pulls.push_back(frame.getPull(inst, i));
    else
      pushes.push_back(frame.getPush(inst, i));
  if (isPull)
    return frame.setPull(inst, 0, extents,
                         [=](Location loc, Index index, Data &out) {
                           auto [which, from] = toSource(index);
                           return pulls[which]->read(loc, from, out);
                         });
  return frame.setPush(inst, 0, extents, [=](WriteFn writer) {
    for (unsigned which = 0; which < pushes.size(); ++which) {
      auto moved = [&](Location loc, DataRef values, Index index) {
        return writer(loc, values, toTarget(which, index));
      };
      if (failed(pushes[which]->run(moved)))
        return failure();
    }
    return success();
  });
}

/// Pull: element i of array a is element start(a) + i of the result. Push: the
/// programs run one after the other.
LogicalResult interpreter::runConcat(Frame &frame, const Instruction &inst) {
  unsigned dim = cast<ConcatOp>(inst.op).getDimension();
  unsigned count = inst.operands.size();
  // The other extents agree; the start of each array along `dim`.
  IndexVector extents(frame.getExtents(inst, 0)), starts;
  extents[dim] = 0;
  for (unsigned i = 0; i < count; ++i) {
    IndexVector own(frame.getExtents(inst, i));
    starts.push_back(extents[dim]);
    int64_t end = extents[dim] + own[dim];
    own[dim] = extents[dim] = end;
    if (failed(checkSameExtents(frame, inst, extents, own)))
      return failure();
  }
  return setMerged(
      frame, inst, extents,
      [=](Index index) {
        unsigned which = 0;
        // The extents of arrays in an empty array are those of element 0.
        while (which + 1 < count && index[dim] >= starts[which + 1])
          ++which;
        IndexVector from(index);
        from[dim] -= starts[which];
        return std::pair(which, from);
      },
      [=](unsigned which, Index index) {
        IndexVector to(index);
        to[dim] += starts[which];
        return to;
      });
}

/// Element i of array a of k arrays is element k * i + a of the result.
LogicalResult interpreter::runInterleave(Frame &frame,
                                         const Instruction &inst) {
  int64_t count = inst.operands.size();
  IndexVector extents(frame.getExtents(inst, 0));
  for (int64_t i = 1; i < count; ++i)
    if (failed(
            checkSameExtents(frame, inst, extents, frame.getExtents(inst, i))))
      return failure();
  extents[0] *= count;
  return setMerged(
      frame, inst, extents,
      [=](Index index) {
        IndexVector from(index);
        from[0] = index[0] / count;
        return std::pair(unsigned(index[0] % count), from);
      },
      [=](unsigned which, Index index) {
        IndexVector to(index);
        to[0] = index[0] * count + which;
        return to;
      });
}

/// Element i is the elements i of all operands.
LogicalResult interpreter::runZip(Frame &frame, const Instruction &inst) {
  SmallVector<PullPtr, 2> arrays;
  if (failed(getEqualPulls(frame, inst, arrays)))
    return failure();
  return frame.setPull(inst, 0, arrays[0]->extents,
                       [arrays](Location loc, Index index, Data &out) {
                         for (const PullPtr &array : arrays)
                           if (failed(array->read(loc, index, out)))
                             return failure();
                         return success();
                       });
}

/// Element i of result k is component k of element i.
LogicalResult interpreter::runUnzip(Frame &frame, const Instruction &inst) {
  PullPtr source = frame.getPull(inst, 0);
  for (unsigned k = 0; k < inst.results.size(); ++k) {
    auto read = [source, k](Location loc, Index index, Data &out) {
      DataVector all;
      if (failed(source->read(loc, index, all)))
        return failure();
      out.push_back(all[k]);
      return success();
    };
    // Component k of an array in memory is in memory.
    if (failed(frame.setPull(inst, k, source->extents, read, source->isStored)))
      return failure();
  }
  return success();
}

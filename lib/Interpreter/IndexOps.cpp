//===- IndexOps.cpp - Meaning of map and of the index maps ----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "Obsidian/Dialect/Obs/IR/Limits.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::interpreter;

//===----------------------------------------------------------------------===//
// map, reindex
//===----------------------------------------------------------------------===//

/// Pull: element i is the region's value for the elements i of the operands.
/// Push: the values that the push operand writes at i go through the region,
/// together with the elements i of the pull operands.
static LogicalResult runMap(Frame &frame, const Instruction &inst) {
  unsigned count = inst.operands.size();
  PushPtr push;
  SmallVector<PullPtr, 2> pulls;
  for (unsigned i = 0; i < count; ++i) {
    if (failed(checkSameExtents(frame, inst, frame.getExtents(inst, i),
                                frame.getExtents(inst, 0))))
      return failure();
    // The push operand leaves a hole in the list.
    if (frame.isPull(inst, i)) {
      pulls.push_back(frame.getPull(inst, i));
    } else {
      pulls.push_back(nullptr);
      push = frame.getPush(inst, i);
    }
  }
  auto closure = makeClosure(frame, inst);
  Location loc = inst.op->getLoc();
  // `pushed` are the values of the push operand, if there is one.
  auto apply = [closure, pulls, loc](Index index, DataRef pushed, Data &out) {
    DataVector arguments;
    for (const PullPtr &pull : pulls) {
      if (!pull)
        arguments.append(pushed.begin(), pushed.end());
      else if (failed(pull->read(loc, index, arguments)))
        return failure();
    }
    return (*closure)(arguments, out);
  };
  if (!push)
    return frame.setPull(
        inst, 0, frame.getExtents(inst, 0),
        computeOnce(frame.machine, [apply](Location, Index index, Data &out) {
          return apply(index, {}, out);
        }));
  return frame.setPush(inst, 0, push->extents, [apply, push](WriteFn writer) {
    return push->run([&](Location loc, DataRef values, Index index) {
      DataVector results;
      if (failed(apply(index, values, results)))
        return failure();
      return writer(loc, results, index);
    });
  });
}

/// Pull: element i is the source's element at the index that the region yields
/// for i. Push: the element that the source writes at i is written at the index
/// that the region yields for i.
static LogicalResult runReindex(Frame &frame, const Instruction &inst) {
  IndexVector extents =
      frame.getMixed(inst, 1, getArrayExtents(inst.op->getResult(0).getType()));
  auto closure = makeClosure(frame, inst);
  Machine &machine = frame.machine;
  Location loc = inst.op->getLoc();
  // The index that the region yields must be below `limits`.
  auto apply = [closure, &machine, loc](Index index, Index limits,
                                        IndexVector &result) {
    DataVector yielded;
    if (failed((*closure)(machine.fromIndex(index), yielded)))
      return failure();
    result = toIndex(yielded);
    // A probe asks for the extents of arrays in an empty array.
    if (machine.isProbing() || isInRange(result, limits))
      return success();
    return machine.trap(loc, "index " + formatIndex(index) + " is mapped to " +
                                 formatIndex(result) +
                                 ", outside of the extents " +
                                 formatIndex(limits));
  };
  if (frame.isPull(inst, 0)) {
    PullPtr source = frame.getPull(inst, 0);
    return frame.setPull(inst, 0, extents,
                         [apply, source](Location loc, Index index, Data &out) {
                           IndexVector from;
                           if (failed(apply(index, source->extents, from)))
                             return failure();
                           return source->read(loc, from, out);
                         });
  }
  PushPtr source = frame.getPush(inst, 0);
  return frame.setPush(
      inst, 0, extents, [apply, source, extents](WriteFn writer) {
        return source->run([&](Location loc, DataRef values, Index index) {
          IndexVector to;
          if (failed(apply(index, extents, to)))
            return failure();
          return writer(loc, values, to);
        });
      });
}

//===----------------------------------------------------------------------===//
// Named index maps
//===----------------------------------------------------------------------===//

/// Sets the result to operand 0 under other indices. Pull: element i is the
/// source's element at `toSource(i)`. Push: element i of the source goes to
/// `toTarget(i)`, or is dropped if that is nothing.
static LogicalResult
setReindexed(Frame &frame, const Instruction &inst, Index extents,
             const std::function<IndexVector(Index)> &toSource,
             const std::function<std::optional<IndexVector>(Index)> &toTarget) {
  if (frame.isPull(inst, 0)) {
    PullPtr source = frame.getPull(inst, 0);
    return frame.setPull(
        inst, 0, extents,
        [source, toSource](Location loc, Index index, Data &out) {
          return source->read(loc, toSource(index), out);
        });
  }
  PushPtr source = frame.getPush(inst, 0);
  return frame.setPush(inst, 0, extents, [source, toTarget](WriteFn writer) {
    return source->run([&](Location loc, DataRef values, Index index) {
      std::optional<IndexVector> target = toTarget(index);
      return target ? writer(loc, values, *target) : success();
    });
  });
}

/// Index i of the dimension becomes n - 1 - i, both ways.
static LogicalResult runReverse(Frame &frame, const Instruction &inst) {
  unsigned dim = cast<ReverseOp>(inst.op).getDimension();
  IndexVector extents(frame.getExtents(inst, 0));
  auto mirror = [=](Index index) {
    IndexVector result(index);
    result[dim] = extents[dim] - 1 - index[dim];
    return result;
  };
  return setReindexed(frame, inst, extents, mirror, mirror);
}

/// Element i is element offset + i * stride of the source.
static LogicalResult runSlice(Frame &frame, const Instruction &inst) {
  auto op = cast<SliceOp>(inst.op);
  unsigned first = 1;
  auto getNext = [&](ArrayRef<int64_t> statics) {
    IndexVector values = frame.getMixed(inst, first, statics);
    first += llvm::count_if(statics, ShapedType::isDynamic);
    return values;
  };
  IndexVector offsets = getNext(op.getStaticOffsets());
  IndexVector sizes = getNext(op.getStaticSizes());
  IndexVector strides = getNext(op.getStaticStrides());
  PullPtr source = frame.getPull(inst, 0);
  for (auto [dim, extent] : llvm::enumerate(source->extents)) {
    if (strides[dim] < 1)
      return frame.trap(inst, "[index-list] " + Twine(strides[dim]) +
                                  " among the strides is too small; the least "
                                  "is 1");
    if (sizes[dim] <= 0)
      continue;
    // In 128 bits: the operands are any numbers.
    __int128 begin = offsets[dim];
    __int128 last = begin + __int128(sizes[dim] - 1) * strides[dim];
    if (std::min(begin, last) < 0 || std::max(begin, last) >= extent)
      return frame.trap(inst, "[R4-range] the slice [" + Twine(offsets[dim]) +
                                  "] [" + Twine(sizes[dim]) + "] [" +
                                  Twine(strides[dim]) + "] leaves the extent " +
                                  Twine(extent) + " of dimension " +
                                  Twine(dim));
  }
  return frame.setPull(
      inst, 0, sizes,
      [source, offsets, strides](Location loc, Index index, Data &out) {
        IndexVector from;
        for (auto [i, offset, stride] : llvm::zip(index, offsets, strides))
          from.push_back(offset + i * stride);
        return source->read(loc, from, out);
      });
}

/// The elements whose index is below the counts.
static LogicalResult runTake(Frame &frame, const Instruction &inst) {
  IndexVector counts =
      frame.getMixed(inst, 1, cast<TakeOp>(inst.op).getStaticCounts());
  Index extents = frame.getExtents(inst, 0);
  for (auto [count, extent] : llvm::zip(counts, extents))
    if (count > extent)
      return frame.trap(inst, "[R4-range] takes " + formatIndex(counts) +
                                  " elements of an array with extents " +
                                  formatIndex(extents));
  auto same = [](Index index) { return IndexVector(index); };
  auto keep = [counts](Index index) -> std::optional<IndexVector> {
    if (isInRange(index, counts))
      return IndexVector(index);
    return std::nullopt;
  };
  return setReindexed(frame, inst, counts, same, keep);
}

/// Dimension d of the result is dimension permutation[d] of the source.
static LogicalResult runTranspose(Frame &frame, const Instruction &inst) {
  SmallVector<int64_t> permutation(cast<TransposeOp>(inst.op).getPermutation());
  Index extents = frame.getExtents(inst, 0);
  auto toTarget = [permutation](Index index) {
    IndexVector result;
    for (int64_t dim : permutation)
      result.push_back(index[dim]);
    return result;
  };
  auto toSource = [permutation](Index index) {
    IndexVector result(index.size());
    for (auto [d, dim] : llvm::enumerate(permutation))
      result[dim] = index[d];
    return result;
  };
  return setReindexed(frame, inst, toTarget(extents), toSource, toTarget);
}

/// Elements keep their row-major position.
static LogicalResult runReshape(Frame &frame, const Instruction &inst) {
  IndexVector from(frame.getExtents(inst, 0));
  IndexVector to =
      frame.getMixed(inst, 1, getArrayExtents(inst.op->getResult(0).getType()));
  if (llvm::any_of(to, [](int64_t extent) { return extent < 0; }) ||
      getNumElements(from) != getNumElements(to) ||
      getNumElements(to) > maxElements)
    return frame.trap(inst, "[R4-size] cannot reshape extents " +
                                formatIndex(from) + " to " + formatIndex(to));
  auto toSource = [from, to](Index index) {
    return delinearize(linearize(index, to), from);
  };
  auto toTarget = [from, to](Index index) {
    return delinearize(linearize(index, from), to);
  };
  return setReindexed(frame, inst, to, toSource, toTarget);
}

//===----------------------------------------------------------------------===//
// split, join
//===----------------------------------------------------------------------===//

/// Element c is the chunk c: an array whose element i is element c * k + i of
/// the source, or c + i * chunks if strided; the pad values past its end.
static LogicalResult runSplit(Frame &frame, const Instruction &inst) {
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
static LogicalResult runJoin(Frame &frame, const Instruction &inst) {
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
static LogicalResult runNest(Frame &frame, const Instruction &inst) {
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
static LogicalResult runUnnest(Frame &frame, const Instruction &inst) {
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

/// The operands, which all are pull arrays.
static SmallVector<PullPtr, 2> getPulls(Frame &frame, const Instruction &inst) {
  SmallVector<PullPtr, 2> arrays;
  for (unsigned i = 0; i < inst.operands.size(); ++i)
    arrays.push_back(frame.getPull(inst, i));
  return arrays;
}

/// The operands, which all are push arrays.
static SmallVector<PushPtr, 2> getPushes(Frame &frame,
                                         const Instruction &inst) {
  SmallVector<PushPtr, 2> arrays;
  for (unsigned i = 0; i < inst.operands.size(); ++i)
    arrays.push_back(frame.getPush(inst, i));
  return arrays;
}

/// Pull: element i of array a is element start(a) + i of the result. Push: the
/// programs run one after the other.
static LogicalResult runConcat(Frame &frame, const Instruction &inst) {
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
  if (frame.isPull(inst, 0)) {
    SmallVector<PullPtr, 2> arrays = getPulls(frame, inst);
    return frame.setPull(
        inst, 0, extents, [=](Location loc, Index index, Data &out) {
          unsigned which = 0;
          // The extents of arrays in an empty array are those of element 0.
          while (which + 1 < arrays.size() && index[dim] >= starts[which + 1])
            ++which;
          IndexVector from(index);
          from[dim] -= starts[which];
          return arrays[which]->read(loc, from, out);
        });
  }
  SmallVector<PushPtr, 2> arrays = getPushes(frame, inst);
  return frame.setPush(inst, 0, extents, [=](WriteFn writer) {
    for (auto [array, start] : llvm::zip(arrays, starts)) {
      int64_t offset = start;
      auto shifted = [&](Location loc, DataRef values, Index index) {
        IndexVector to(index);
        to[dim] += offset;
        return writer(loc, values, to);
      };
      if (failed(array->run(shifted)))
        return failure();
    }
    return success();
  });
}

/// Element i of array a of k arrays is element k * i + a of the result.
static LogicalResult runInterleave(Frame &frame, const Instruction &inst) {
  int64_t count = inst.operands.size();
  IndexVector extents(frame.getExtents(inst, 0));
  for (int64_t i = 1; i < count; ++i)
    if (failed(
            checkSameExtents(frame, inst, extents, frame.getExtents(inst, i))))
      return failure();
  extents[0] *= count;
  if (frame.isPull(inst, 0)) {
    SmallVector<PullPtr, 2> arrays = getPulls(frame, inst);
    return frame.setPull(
        inst, 0, extents, [=](Location loc, Index index, Data &out) {
          IndexVector from(index);
          from[0] = index[0] / count;
          return arrays[index[0] % count]->read(loc, from, out);
        });
  }
  SmallVector<PushPtr, 2> arrays = getPushes(frame, inst);
  return frame.setPush(inst, 0, extents, [=](WriteFn writer) {
    for (int64_t which = 0; which < count; ++which) {
      auto spread = [&](Location loc, DataRef values, Index index) {
        IndexVector to(index);
        to[0] = index[0] * count + which;
        return writer(loc, values, to);
      };
      if (failed(arrays[which]->run(spread)))
        return failure();
    }
    return success();
  });
}

/// Element i is the elements i of all operands.
static LogicalResult runZip(Frame &frame, const Instruction &inst) {
  SmallVector<PullPtr, 2> arrays;
  for (unsigned i = 0; i < inst.operands.size(); ++i) {
    arrays.push_back(frame.getPull(inst, i));
    if (failed(checkSameExtents(frame, inst, arrays[i]->extents,
                                arrays[0]->extents)))
      return failure();
  }
  return frame.setPull(inst, 0, arrays[0]->extents,
                       [arrays](Location loc, Index index, Data &out) {
                         for (const PullPtr &array : arrays)
                           if (failed(array->read(loc, index, out)))
                             return failure();
                         return success();
                       });
}

/// Element i of result k is component k of element i.
static LogicalResult runUnzip(Frame &frame, const Instruction &inst) {
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

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// The element at an index.
static LogicalResult runGet(Frame &frame, const Instruction &inst) {
  PullPtr array = frame.getPull(inst, 0);
  IndexVector index = frame.getIndex(inst, 1, inst.operands.size() - 1);
  bool isNested =
      llvm::any_of(inst.op->getResultTypes(), llvm::IsaPred<PullType>);
  if (frame.machine.isProbing() && !isNested) {
    for (auto [i, type] : llvm::enumerate(inst.op->getResultTypes()))
      frame.set(inst, i, Scalar(type, 0));
    return success();
  }
  if (!isInRange(index, array->extents) && !frame.machine.isProbing())
    return frame.trap(inst, "index " + formatIndex(index) +
                                " is outside of the extents " +
                                formatIndex(array->extents));
  DataVector elements;
  if (failed(array->read(inst.op->getLoc(), index, elements)))
    return failure();
  for (auto [i, element] : llvm::enumerate(elements))
    frame.set(inst, i, element);
  return success();
}

/// An extent.
static LogicalResult runDim(Frame &frame, const Instruction &inst) {
  int64_t extent =
      frame.getExtents(inst, 0)[cast<DimOp>(inst.op).getDimension()];
  frame.set(inst, 0, Scalar::fromInt(inst.op->getResult(0).getType(), extent));
  return success();
}

void interpreter::addIndexOps(HandlerTable &table) {
  table[MapOp::getOperationName()] = runMap;
  table[ReindexOp::getOperationName()] = runReindex;
  table[ReverseOp::getOperationName()] = runReverse;
  table[SliceOp::getOperationName()] = runSlice;
  table[TakeOp::getOperationName()] = runTake;
  table[TransposeOp::getOperationName()] = runTranspose;
  table[ReshapeOp::getOperationName()] = runReshape;
  table[SplitOp::getOperationName()] = runSplit;
  table[JoinOp::getOperationName()] = runJoin;
  table[NestOp::getOperationName()] = runNest;
  table[UnnestOp::getOperationName()] = runUnnest;
  table[ConcatOp::getOperationName()] = runConcat;
  table[InterleaveOp::getOperationName()] = runInterleave;
  table[ZipOp::getOperationName()] = runZip;
  table[UnzipOp::getOperationName()] = runUnzip;
  table[GetOp::getOperationName()] = runGet;
  table[DimOp::getOperationName()] = runDim;
}

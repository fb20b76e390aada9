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
LogicalResult interpreter::runMap(Frame &frame, const Instruction &inst) {
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
LogicalResult interpreter::runReindex(Frame &frame, const Instruction &inst) {
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

/// Index i of the dimension becomes n - 1 - i, both ways.
LogicalResult interpreter::runReverse(Frame &frame, const Instruction &inst) {
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
LogicalResult interpreter::runSlice(Frame &frame, const Instruction &inst) {
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
LogicalResult interpreter::runTake(Frame &frame, const Instruction &inst) {
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
LogicalResult interpreter::runTranspose(Frame &frame, const Instruction &inst) {
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
LogicalResult interpreter::runReshape(Frame &frame, const Instruction &inst) {
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
// Reading
//===----------------------------------------------------------------------===//

/// The element at an index.
LogicalResult interpreter::runGet(Frame &frame, const Instruction &inst) {
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
LogicalResult interpreter::runDim(Frame &frame, const Instruction &inst) {
  int64_t extent =
      frame.getExtents(inst, 0)[cast<DimOp>(inst.op).getDimension()];
  frame.set(inst, 0, Scalar::fromInt(inst.op->getResult(0).getType(), extent));
  return success();
}

//===- ObsPushInterfaces.cpp - The programs of push arrays ----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/ExtentHoister.h"
#include "Obsidian/Dialect/Obs/IR/IndexBuilder.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "Obsidian/Dialect/Obs/IR/ObsIrregular.h"
#include "Verification.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::obs;
using verification::getWeakestContract;

void obs::emitPush(OpBuilder &builder, Location loc, Value array,
                   Writer writer) {
  auto op = cast<PushOpInterface>(array.getDefiningOp());
  op.emit(builder, loc, cast<OpResult>(array).getResultNumber(), writer);
}

WriteContract WriteOp::getEffectiveContract() {
  if (std::optional<Contract> own = getContract())
    return {*own, getKindAttr()};
  if (FillOp fill = getEnclosingFill(*this))
    return {fill.getContract(), fill.getKindAttr()};
  return {};
}

/// The `par` of `unit` over `extents`, whose body `body` builds.
static void buildPar(OpBuilder &builder, Location loc, ValueRange extents,
                     Level unit,
                     function_ref<void(OpBuilder &, ValueRange)> body) {
  auto par = ParOp::create(builder, loc, extents, unit);
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types(extents.size(), builder.getIndexType());
  SmallVector<Location> locs(extents.size(), loc);
  Block *block = builder.createBlock(&par.getBody(), {}, types, locs);
  body(builder, block->getArguments());
}

std::optional<Contract> verification::getWeakestContract(Value array) {
  if (!isa<PushType>(array.getType()))
    return Contract::Disjoint;
  if (auto op = array.getDefiningOp<ProgramOpInterface>())
    return op.getWeakestContract(cast<OpResult>(array).getResultNumber());
  return std::nullopt;
}

bool obs::hasInitialContents(Value array) {
  auto op = array.getDefiningOp<ProgramOpInterface>();
  return op && op.hasInitialContents(cast<OpResult>(array).getResultNumber());
}

bool obs::hasAllElements(Value array) {
  auto op = array.getDefiningOp<ProgramOpInterface>();
  return !op || op.hasAllElements(cast<OpResult>(array).getResultNumber());
}

SmallVector<Value> obs::detail::getPushOperands(Operation *op) {
  return llvm::filter_to_vector(op->getOperands(), [](Value operand) {
    return isa<PushType>(operand.getType());
  });
}

Contract obs::detail::getWeakest(ValueRange arrays) {
  // An unknown contract may be the weakest.
  Contract weakest = Contract::Disjoint;
  for (Value array : arrays)
    weakest =
        std::max(weakest, getWeakestContract(array).value_or(Contract::Reduce));
  return weakest;
}

//===----------------------------------------------------------------------===//
// push, fill, distribute
//===----------------------------------------------------------------------===//

void PushOp::emit(OpBuilder &builder, Location loc, unsigned, Writer writer) {
  buildPar(builder, loc, buildExtents(builder, loc, getArray()), Level::Thread,
           [&](OpBuilder &b, ValueRange indices) {
             writer(b, loc, buildGet(b, loc, getArray(), indices), indices, {});
           });
}

/// Gives every write and put in `op`, less those of fills inside it, to
/// `writer`.
static void redirectWrites(OpBuilder &builder, Operation *op,
                           WriteContract fillContract, Writer writer) {
  if (auto write = dyn_cast<WriteOp>(op)) {
    builder.setInsertionPoint(op);
    WriteContract contract = fillContract;
    if (std::optional<Contract> own = write.getContract()) {
      contract.contract = *own;
      contract.kind = write.getKindAttr();
    }
    // Results of an earlier emission.
    if (std::optional<WriteMark> mark = getWriteMark(write)) {
      contract.initial = getInitialNesting(write);
      contract.unchecked |= mark == WriteMark::Disjoint;
      contract.unproved |= mark == WriteMark::Unproved;
    }
    writer(builder, op->getLoc(), write.getValues(), write.getIndices(),
           contract);
    op->erase();
    return;
  }
  if (auto put = dyn_cast<PutOp>(op)) {
    builder.setInsertionPoint(op);
    emitPush(builder, op->getLoc(), put.getArray(),
             [&](OpBuilder &b, Location loc, ValueRange values,
                 ValueRange indices, WriteContract contract) {
               IndexBuilder index{b, loc};
               SmallVector<Value> shifted;
               for (auto [i, offset] : llvm::zip(indices, put.getOffsets()))
                 shifted.push_back(index.add(i, offset));
               // Elements that are put are written to the fill around it.
               if (contract.contract == Contract::Disjoint &&
                   !contract.initial) {
                 contract.contract = fillContract.contract;
                 contract.kind = fillContract.kind;
               }
               writer(b, loc, values, shifted, contract);
             });
    op->erase();
    return;
  }
  if (isa<FillOp>(op))
    return;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : llvm::make_early_inc_range(block))
        redirectWrites(builder, &inner, fillContract, writer);
}

void FillOp::emit(OpBuilder &builder, Location loc, unsigned, Writer writer) {
  OpBuilder::InsertionGuard guard(builder);
  // Initial contents are separate writes, before those of the program.
  if (!getInit().empty() || getOnto()) {
    SmallVector<Value> extents;
    for (unsigned d = 0; d < getType().getRank(); ++d)
      extents.push_back(getType().isDynamicExtent(d)
                            ? buildExtent(builder, loc, 0, d)
                            : Value(arith::ConstantIndexOp::create(
                                  builder, loc, getType().getExtents()[d])));
    buildPar(builder, loc, extents, Level::Thread,
             [&](OpBuilder &b, ValueRange indices) {
               SmallVector<Value> values(getInit());
               if (getOnto())
                 values = buildGet(b, loc, getOnto(), indices);
               WriteContract initial;
               initial.initial = 1;
               writer(b, loc, values, indices, initial);
             });
  }
  IRMapping mapping;
  SmallVector<Operation *> clones;
  for (Operation &op : getBody().front())
    clones.push_back(builder.clone(op, mapping));
  Block *block = builder.getInsertionBlock();
  Block::iterator end = builder.getInsertionPoint();
  bool hasInitial = !getInit().empty() || getOnto();
  auto nested = [&](OpBuilder &b, Location l, ValueRange values,
                    ValueRange indices, WriteContract contract) {
    if (contract.initial && hasInitial)
      ++contract.initial;
    writer(b, l, values, indices, contract);
  };
  for (Operation *clone : clones)
    redirectWrites(builder, clone,
                   {getContract(), getKindAttr(), /*initial=*/0,
                    /*unchecked=*/getUnchecked()},
                   nested);
  builder.setInsertionPoint(block, end);
}

/// Calls `visit` for each operation of `fill`, less those of fills inside it,
/// which have their own writes.
static void walkOwn(FillOp fill, function_ref<void(Operation *)> visit) {
  fill.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<FillOp>(op))
      return WalkResult::skip();
    visit(op);
    return WalkResult::advance();
  });
}
SmallVector<Value> FillOp::getWrittenArrays(unsigned) {
  SmallVector<Value> arrays;
  walkOwn(*this, [&](Operation *op) {
    if (auto put = dyn_cast<PutOp>(op))
      arrays.push_back(put.getArray());
  });
  return arrays;
}
Contract FillOp::getWeakestContract(unsigned result) {
  Contract weakest =
      std::max(getContract(), detail::getWeakest(getWrittenArrays(result)));
  walkOwn(*this, [&](Operation *op) {
    if (auto write = dyn_cast<WriteOp>(op); write && write.getContract())
      weakest = std::max(weakest, *write.getContract());
  });
  return weakest;
}
bool FillOp::hasInitialContents(unsigned result) {
  return !getInit().empty() || getOnto() ||
         llvm::any_of(getWrittenArrays(result), obs::hasInitialContents);
}
bool FillOp::hasAllElements(unsigned) {
  // An unchecked fill is taken to write all elements.
  return !getInit().empty() || getOnto() ||
         (getContract() == Contract::Disjoint && getUnchecked());
}

void DistributeOp::emit(OpBuilder &builder, Location loc, unsigned result,
                        Writer writer) {
  SmallVector<Value> extents = buildExtents(builder, loc, getArrays().front());
  buildPar(builder, loc, extents, getLevel(),
           [&](OpBuilder &b, ValueRange outer) {
             SmallVector<Value> elements;
             for (Value array : getArrays())
               llvm::append_range(elements, buildGet(b, loc, array, outer));
             Value part = cloneBody(b, getBody(), elements)[result];
             emitPush(b, loc, part,
                      [&](OpBuilder &inner, Location l, ValueRange values,
                          ValueRange indices, WriteContract contract) {
                        SmallVector<Value> all(outer);
                        llvm::append_range(all, indices);
                        writer(inner, l, values, all, contract);
                      });
           });
}
Value DistributeOp::buildExtent(OpBuilder &builder, Location loc,
                                unsigned result, unsigned dim) {
  unsigned outerRank = getArrayExtents(getArrays().front().getType()).size();
  if (dim < outerRank)
    return obs::buildExtent(builder, loc, getArrays().front(), dim);
  // All instances yield the same extents, so those of the first are used. The
  // numbers of an iota differ, so no extent depends on them.
  SmallVector<Value> zeros(outerRank,
                           arith::ConstantIndexOp::create(builder, loc, 0));
  Value part = getBody().front().getTerminator()->getOperand(result);
  ExtentHoister hoister(builder, *this, /*mayRead=*/true);
  unsigned number = 0;
  for (Value array : getArrays()) {
    unsigned count = getArrayElementTypes(array.getType()).size();
    ValueRange chunks = getBody().getArguments().slice(number, count);
    number += count;
    if (array.getDefiningOp<IotaOp>())
      continue;
    SmallVector<Value> elements = buildGet(builder, loc, array, zeros);
    elements.front().getDefiningOp<GetOp>().setExtentRead(true);
    hoister.map(chunks, elements);
  }
  if (Value extent = hoister.hoistExtent(part, dim - outerRank))
    return extent;
  emitOpError(
      "[distribute-extent] yields an array whose extent differs between "
      "sub-programs, or is known only after they have run; yield an array of "
      "known extent, "
      "such as the maximum, and a separate count, or give a later "
      "obs.join the extents of its result "
      "by 'to'");
  return zeros.front();
}
SmallVector<Value> DistributeOp::getWrittenArrays(unsigned result) {
  return {getBody().front().getTerminator()->getOperand(result)};
}

//===----------------------------------------------------------------------===//
// map and index maps
//===----------------------------------------------------------------------===//

void MapOp::emit(OpBuilder &builder, Location loc, unsigned, Writer writer) {
  Value push = getSource();
  emitPush(builder, loc, push,
           [&](OpBuilder &b, Location l, ValueRange values, ValueRange indices,
               WriteContract contract) {
             SmallVector<Value> elements;
             for (Value array : getArrays()) {
               if (array == push)
                 llvm::append_range(elements, values);
               else
                 llvm::append_range(elements, buildGet(b, l, array, indices));
             }
             writer(b, l, cloneBody(b, getBody(), elements), indices, contract);
           });
}
Contract MapOp::getWeakestContract(unsigned) {
  // The elements that it changes are final.
  Contract weakest = detail::getWeakest(getArrays());
  return verification::mapsStored(weakest, getType()) ? Contract::Disjoint
                                                      : weakest;
}
Value MapOp::getSource() {
  return *llvm::find_if(getArrays(),
                        [](Value a) { return isa<PushType>(a.getType()); });
}
SmallVector<Value> MapOp::buildInitial(OpBuilder &builder, ValueRange init) {
  if (!llvm::hasSingleElement(getArrays()))
    return {};
  return cloneBody(builder, getBody(), init);
}

/// The program of `array` with its indices changed by `change`.
static void
emitChanged(OpBuilder &builder, Location loc, Value array, Writer writer,
            function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange)>
                change) {
  emitPush(builder, loc, array,
           [&](OpBuilder &b, Location l, ValueRange values, ValueRange indices,
               WriteContract contract) {
             writer(b, l, values, change(b, l, indices), contract);
           });
}

void obs::detail::emitMoved(OpBuilder &builder, Location loc, Value array,
                            const IndexChange &change, bool isInjective,
                            Writer writer) {
  emitPush(builder, loc, array,
           [&](OpBuilder &b, Location l, ValueRange values, ValueRange indices,
               WriteContract contract) {
             contract.unchecked |= !isInjective;
             SmallVector<Value> target(indices);
             Value inside = change(b, l, target);
             if (!inside)
               return writer(b, l, values, target, contract);
             auto guard = scf::IfOp::create(b, l, inside,
                                            /*withElseRegion=*/false);
             OpBuilder::InsertionGuard saved(b);
             b.setInsertionPointToStart(guard.thenBlock());
             writer(b, l, values, target, contract);
           });
}

Value obs::detail::getMovedArray(Operation *op) {
  auto map = dyn_cast<IndexMapOpInterface>(op);
  return map ? map.getArray() : Value();
}

IndexChange ReindexOp::buildTarget(OpBuilder &, Location) {
  return [&body = getBody()](OpBuilder &b, Location,
                             SmallVectorImpl<Value> &indices) {
    indices = cloneBody(b, body, indices);
    return Value();
  };
}
bool ReindexOp::isInjective() { return !getUnchecked(); }

IndexChange ReverseOp::buildTarget(OpBuilder &builder, Location loc) {
  unsigned dim = getDimension();
  IndexBuilder outer{builder, loc};
  Value last = outer.sub(obs::buildExtent(builder, loc, getArray(), dim),
                         outer.constant(1));
  return [=](OpBuilder &b, Location l, SmallVectorImpl<Value> &indices) {
    indices[dim] = IndexBuilder{b, l}.sub(last, indices[dim]);
    return Value();
  };
}
bool ReverseOp::isInjective() { return true; }

IndexChange TakeOp::buildTarget(OpBuilder &builder, Location loc) {
  SmallVector<Value> counts =
      buildMixed(builder, loc, getCounts(), getStaticCounts());
  ArrayRef<int64_t> extents = getArrayExtents(getArray().getType());
  ArrayRef<int64_t> known = getStaticCounts();
  return [=](OpBuilder &b, Location l, SmallVectorImpl<Value> &indices) {
    Value inside;
    for (unsigned d = 0; d < indices.size(); ++d) {
      if (!ShapedType::isDynamic(extents[d]) && extents[d] == known[d])
        continue;
      IndexBuilder index{b, l};
      inside = index.both(inside, index.below(indices[d], counts[d]));
    }
    return inside;
  };
}
bool TakeOp::isInjective() { return true; }

void JoinOp::emit(OpBuilder &builder, Location loc, unsigned, Writer writer) {
  ArrayRef<int64_t> source = getArrayExtents(getArray().getType());
  ArrayRef<int64_t> target = getArrayExtents(getType());
  unsigned rank = source.size() / 2;
  // A contiguous join steps by the extents of a chunk, a strided one by their
  // number. A single chunk needs no step.
  SmallVector<Value> steps(rank);
  for (unsigned d = 0; d < rank; ++d)
    if (source[d] != 1)
      steps[d] = obs::buildExtent(builder, loc, getArray(),
                                  getStrided() ? d : rank + d);
  SmallVector<Value> limits;
  if (std::optional<ArrayRef<int64_t>> to = getStaticExtents())
    limits = buildMixed(builder, loc, getExtents(), *to);
  obs::detail::emitMoved(
      builder, loc, getArray(),
      [&](OpBuilder &b, Location l, SmallVectorImpl<Value> &indices) {
        IndexBuilder index{b, l};
        Value inside;
        SmallVector<Value> joined;
        for (unsigned d = 0; d < rank; ++d) {
          Value chunk = indices[d], element = indices[rank + d];
          if (!steps[d])
            joined.push_back(element);
          else if (getStrided())
            joined.push_back(index.add(index.mul(element, steps[d]), chunk));
          else
            joined.push_back(index.add(index.mul(chunk, steps[d]), element));
          bool fits = !ShapedType::isDynamic(target[d]) &&
                      !ShapedType::isDynamic(source[d]) &&
                      !ShapedType::isDynamic(source[rank + d]) &&
                      source[d] * source[rank + d] <= target[d];
          if (limits.empty() || fits)
            continue;
          inside = index.both(inside, index.below(joined[d], limits[d]));
        }
        indices = joined;
        return inside;
      },
      /*isInjective=*/true, writer);
}
Value JoinOp::getSource() { return getArray(); }

IndexChange TransposeOp::buildTarget(OpBuilder &, Location) {
  return [dims = getPermutation()](OpBuilder &, Location,
                                   SmallVectorImpl<Value> &indices) {
    indices =
        llvm::map_to_vector<4>(dims, [&](int64_t dim) { return indices[dim]; });
    return Value();
  };
}
bool TransposeOp::isInjective() { return true; }

IndexChange ReshapeOp::buildTarget(OpBuilder &builder, Location loc) {
  SmallVector<Value> source = buildExtents(builder, loc, getArray());
  SmallVector<Value> target;
  for (auto [d, extent] : llvm::enumerate(getArrayExtents(getType())))
    target.push_back(
        ShapedType::isDynamic(extent)
            ? buildExtent(builder, loc, 0, d)
            : Value(arith::ConstantIndexOp::create(builder, loc, extent)));
  return [=](OpBuilder &b, Location l, SmallVectorImpl<Value> &indices) {
    indices = IndexBuilder{b, l}.reshape(indices, source, target);
    return Value();
  };
}
bool ReshapeOp::isInjective() { return true; }

//===----------------------------------------------------------------------===//
// Several arrays
//===----------------------------------------------------------------------===//

void ConcatOp::emit(OpBuilder &builder, Location loc, unsigned, Writer writer) {
  unsigned dim = getDimension();
  IndexBuilder outer{builder, loc};
  Value start = outer.constant(0);
  for (Value array : getArrays()) {
    emitChanged(builder, loc, array, writer,
                [&](OpBuilder &b, Location l, ValueRange indices) {
                  SmallVector<Value> target(indices);
                  target[dim] = IndexBuilder{b, l}.add(target[dim], start);
                  return target;
                });
    start = outer.add(start, obs::buildExtent(builder, loc, array, dim));
  }
}

void InterleaveOp::emit(OpBuilder &builder, Location loc, unsigned,
                        Writer writer) {
  for (auto [number, array] : llvm::enumerate(getArrays())) {
    int64_t offset = number;
    emitChanged(builder, loc, array, writer,
                [&](OpBuilder &b, Location l, ValueRange indices) {
                  IndexBuilder index{b, l};
                  SmallVector<Value> target(indices);
                  target[0] = index.add(
                      index.mul(target[0], index.constant(getArrays().size())),
                      index.constant(offset));
                  return target;
                });
  }
}

//===- Marks.cpp - Arrays of marks as words of bits -----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fill of contract `any` that starts from false and writes true marks its
// elements. Marks are combined by `or`, so 32 of them are the bits of a word,
// and the fill of words has contract `reduce(ori)`: it can have privatised
// copies in shared memory, for 32 times as many marks as elements.
//
//===----------------------------------------------------------------------===//

#include "Copies.h"
#include "Expansion.h"
#include "ExpansionUtils.h"
#include "Obsidian/Dialect/Obs/IR/Regions.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::strategies;

/// The number of marks of a word, and its logarithm.
static constexpr int64_t wordMarks = 32, wordShift = 5;

/// True if all elements of `fill` start from false, and are marked with true.
static bool isMarking(FillOp fill) {
  PushType type = fill.getType();
  if (fill.getContract() != Contract::Any || type.getLevel() != Level::Grid ||
      type.getExtents().size() != 1 || type.getElementTypes().size() != 1 ||
      !type.getElementTypes()[0].isInteger(1) || fill.getOnto() ||
      fill.getInit().size() != 1 || !matchPattern(fill.getInit()[0], m_Zero()))
    return false;
  return !containsOp(fill.getBody(), [&](Operation *op) {
    if (getEnclosingFill(op) != fill)
      return false;
    auto write = dyn_cast<WriteOp>(op);
    bool marks = write && !write.getContractAttr() && !write.getKindAttr() &&
                 matchPattern(write.getValues()[0], m_One());
    return isa<PutOp>(op) || (write && !marks);
  });
}

/// True if `array` need not be in memory: only kernels read it.
static bool isReadByKernels(Value array) {
  return llvm::all_of(array.getUsers(), [](Operation *user) {
    if (isa<DimOp, ExpandableOpInterface, PushOp, ForceOp>(user))
      return true;
    if (isa<GetOp>(user))
      return user->getParentOfType<FillOp>() || user->getParentOfType<MapOp>();
    return isa<PullOpInterface>(user) && user->getNumResults() == 1 &&
           isReadByKernels(user->getResult(0));
  });
}

FillOp strategies::packMarks(CollectiveBuilder &c, FillOp op,
                             const Extent &size) {
  ForceOp force = findForceAlone(op);
  if (!isMarking(op) || !force || force.getArrays().size() != 1 ||
      force.getStorage() != Storage::Auto ||
      !isReadByKernels(force.getResults()[0]))
    return {};
  OpBuilder &builder = c.builder;
  Type word = builder.getI32Type();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, c.loc, word, value);
  };
  auto getBit = [&](Value i) {
    Value bit =
        arith::AndIOp::create(builder, c.loc, i, c.constant(wordMarks - 1));
    return convert(c, bit, word, /*isUnsigned=*/true);
  };
  auto getWord = [&](Value i) -> Value {
    return arith::ShRUIOp::create(builder, c.loc, i, c.constant(wordShift));
  };

  Extent count = c.ceilDiv(size, wordMarks);
  CollectiveBuilder words = c;
  words.elementTypes = {word};
  PullType pull = words.getPullType(count);
  auto packed =
      FillOp::create(builder, c.loc,
                     PushType::get(builder.getContext(), Level::Grid,
                                   pull.getExtents(), pull.getBounds(), word),
                     constant(0), Value(), count.getOperands(),
                     ContractAttr::get(builder.getContext(), Contract::Reduce),
                     builder.getStringAttr("ori"), op.getUncheckedAttr());
  packed->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  packed.getBody().takeBody(op.getBody());
  packed.getBody().walk([&](WriteOp write) {
    if (getEnclosingFill(write) != packed)
      return;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(write);
    Value i = write.getIndices().front();
    // An index past the last mark stays past the last word.
    Value isInside = arith::CmpIOp::create(
        builder, c.loc, arith::CmpIPredicate::ult, i, size.value);
    Value place =
        arith::SelectOp::create(builder, c.loc, isInside, getWord(i), i);
    Value mark = arith::ShLIOp::create(builder, c.loc, constant(1), getBit(i));
    write.getValuesMutable().assign(mark);
    write.getIndicesMutable().assign(place);
  });

  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(force);
  Value stored =
      ForceOp::create(builder, c.loc, TypeRange(pull), packed.getResult(),
                      ValueRange(), StorageAttr(), force.getKernelAttr(),
                      force.getThreadsAttr(), UnitAttr())
          .getResults()
          .front();
  CollectiveBuilder marks = c;
  marks.elementTypes = {builder.getI1Type()};
  Value array = marks.generate(size, [&](Value i) {
    Value shifted = arith::ShRUIOp::create(
        builder, c.loc, c.get(stored, getWord(i)).front(), getBit(i));
    return CollectiveBuilder::Values{
        arith::TruncIOp::create(builder, c.loc, builder.getI1Type(), shifted)};
  });
  force.getResults()[0].replaceAllUsesWith(array);
  force.erase();
  op.erase();
  return packed;
}

//===- InMemory.cpp - Arrays of host code that are in memory --------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "Obsidian/Dialect/Obs/Analysis/IndexRecognition.h"

#include "Obsidian/Dialect/Obs/IR/Regions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::obs;

bool obs::isHostFunction(func::FuncOp function) {
  return !hasAttr<ObsDialect::LevelAttrHelper>(function);
}

bool obs::isControlFlow(Operation *op) {
  return isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op);
}

void obs::simplifyControlFlow(Operation *root,
                              llvm::function_ref<bool(Operation *)> isChosen) {
  SmallVector<Operation *> operations;
  root->walk([&](Operation *op) {
    if (isControlFlow(op) && isChosen(op))
      operations.push_back(op);
  });
  if (operations.empty())
    return;
  RewritePatternSet patterns(root->getContext());
  scf::ForOp::getCanonicalizationPatterns(patterns, root->getContext());
  scf::WhileOp::getCanonicalizationPatterns(patterns, root->getContext());
  scf::IfOp::getCanonicalizationPatterns(patterns, root->getContext());
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  (void)applyOpPatternsGreedily(operations, std::move(patterns), config);
}

bool obs::isVirtualChoice(scf::IfOp choice) {
  // A force has effects; to see them, all of its program would be read.
  return !containsOp(choice, [](ForceOp) { return true; }) &&
         isMemoryEffectFree(choice) &&
         !containsOp(choice, [](LoopLikeOpInterface loop) {
           return llvm::any_of(loop->getResultTypes(), llvm::IsaPred<PullType>);
         });
}

bool obs::isInMemory(Value array) {
  Operation *op = array.getDefiningOp();
  if (!op)
    return true;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([](ZipOp zip) { return llvm::all_of(zip.getArrays(), isInMemory); })
      .Case([](UnzipOp unzip) { return isInMemory(unzip.getArray()); })
      .Case([](IndexMapOpInterface map) {
        return isa<PullType>(map.getArray().getType()) && map.isContiguous() &&
               isInMemory(map.getArray());
      })
      .Case([](arith::SelectOp choice) {
        return isInMemory(choice.getTrueValue()) &&
               isInMemory(choice.getFalseValue());
      })
      .Case([&](scf::IfOp choice) {
        // Arrays of the branches are forced in the branches.
        if (!isVirtualChoice(choice))
          return true;
        unsigned number = cast<OpResult>(array).getResultNumber();
        return isInMemory(choice.thenYield().getOperand(number)) &&
               isInMemory(choice.elseYield().getOperand(number));
      })
      .Default([](Operation *other) {
        return !isa<PullOpInterface, GetOp, ConstantOp>(other);
      });
}

/// The variable of which `expr` is a sum or a difference with others, in
/// multiples; none if there are several of them, or if there is none.
static std::optional<unsigned> findUnit(const IndexExpr &expr) {
  std::optional<unsigned> found;
  for (const auto &[term, factor] : LinearForm::get(expr).terms) {
    std::optional<unsigned> unit;
    if (factor != 1 && factor != -1)
      continue;
    if (term.getKind() == IndexExpr::Kind::Variable)
      unit = term.getId();
    else if (term.getKind() == IndexExpr::Kind::Mod)
      unit = findUnit(term.getOperands().front());
    if (unit && found)
      return std::nullopt;
    if (unit)
      found = unit;
  }
  return found;
}

std::optional<unsigned> obs::findInnermost(Value array) {
  // The code that computes a place in memory from indices.
  Region region;
  OpBuilder builder(array.getContext());
  Location loc = array.getLoc();
  size_t rank = getArrayExtents(array.getType()).size();
  Block *block = builder.createBlock(
      &region, {}, SmallVector<Type>(rank, builder.getIndexType()),
      SmallVector<Location>(rank, loc));
  IndexRecognizer recognizer;
  recognizer.addLeaf(region);
  for (auto [index, extent] :
       llvm::zip_equal(block->getArguments(), getArrayExtents(array.getType())))
    recognizer.addVariable(index, ShapedType::isDynamic(extent)
                                      ? IndexRecognizer::maxExtent
                                      : extent);
  auto place = llvm::to_vector_of<Value>(block->getArguments());
  while (Operation *op = array.getDefiningOp()) {
    if (auto map = dyn_cast<MapOp>(op)) {
      array = map.getArrays().front();
    } else if (auto view = dyn_cast<IndexMapOpInterface>(op)) {
      place = view.buildSource(builder, loc, place);
      array = view.getArray();
    } else if (auto generate = dyn_cast<GenerateOp>(op)) {
      // Code that reads one element.
      Operation *last = block->empty() ? nullptr : &block->back();
      cloneBody(builder, generate.getBody(), place);
      SmallVector<GetOp> reads;
      for (Operation &copy : llvm::make_range(
               last ? std::next(last->getIterator()) : block->begin(),
               block->end()))
        copy.walk([&](GetOp read) { reads.push_back(read); });
      if (reads.size() != 1)
        return std::nullopt;
      place = llvm::to_vector_of<Value>(reads.front().getIndices());
      array = reads.front().getArray();
    } else {
      break;
    }
  }
  if (!isInMemory(array) && !array.getDefiningOp<ConstantOp>())
    return std::nullopt;
  for (auto [extent, index] :
       llvm::reverse(llvm::zip_equal(getArrayExtents(array.getType()), place)))
    if (extent != 1)
      return findUnit(recognizer.get(index));
  return std::nullopt;
}

HomeAttr obs::getHome(Value buffer) {
  return dyn_cast_or_null<HomeAttr>(
      cast<MemRefType>(buffer.getType()).getMemorySpace());
}

Value obs::getUnderlyingMemory(Value memory) {
  // In code that is not reached, views may be in a circle.
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (auto view = memory.getDefiningOp<ViewLikeOpInterface>()) {
    if (!seen.insert(view).second)
      break;
    memory = view.getViewSource();
  }
  return memory;
}

SmallVector<Value> obs::getPossibleArrays(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument.getArgNumber() == 0)
      return {};
    unsigned number = argument.getArgNumber() - 1;
    return {loop.getInitArgs()[number],
            loop.getBody()->getTerminator()->getOperand(number)};
  }
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto loop = value.getDefiningOp<scf::ForOp>())
    return {loop.getInitArgs()[number],
            loop.getBody()->getTerminator()->getOperand(number)};
  if (auto branch = value.getDefiningOp<scf::IfOp>())
    return {branch.thenYield().getOperand(number),
            branch.elseYield().getOperand(number)};
  return {};
}

ValueRange obs::getViewedMemory(Value array) {
  if (auto view = array.getDefiningOp<ViewOp>())
    return view.getMemory();
  auto force = array.getDefiningOp<ForceOp>();
  if (!force || force.getInto().empty())
    return {};
  unsigned next = 0;
  for (Value result :
       force.getResults().take_front(cast<OpResult>(array).getResultNumber()))
    next += getArrayElementTypes(result.getType()).size();
  return force.getInto().slice(next,
                               getArrayElementTypes(array.getType()).size());
}

LogicalResult obs::verifyDimension(memref::DimOp dim) {
  std::optional<int64_t> number = getConstantIntValue(dim.getDimension());
  auto type = dyn_cast<MemRefType>(dim.getSource().getType());
  if (!number || !type || (*number >= 0 && *number < type.getRank()))
    return success();
  return dim.emitOpError("[memref-dim] asks for dimension ")
         << *number << " of memory that has " << type.getRank()
         << " dimensions; the first is number 0";
}

bool obs::isContentsOf(Value array, ValueRange memory) {
  llvm::SmallPtrSet<Value, 8> seen;
  SmallVector<Value> work = {array};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (SmallVector<Value> carried = getPossibleArrays(value); !carried.empty())
      llvm::append_range(work, carried);
    else if (!llvm::equal(getViewedMemory(value), memory))
      return false;
  }
  return true;
}

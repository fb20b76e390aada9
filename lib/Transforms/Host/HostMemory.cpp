//===- HostMemory.cpp - Memory of host code -------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Properties of values and memory that several passes on host code need: the
// origin of a value, through views, choices and control flow, and its last use.
//
//===----------------------------------------------------------------------===//

#include "HostMemory.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::obs;

SmallVector<ForceOp> obs::getHostForces(func::FuncOp function) {
  SmallVector<ForceOp> forces;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto force = dyn_cast<ForceOp>(op))
      forces.push_back(force);
    return isa<FillOp, DistributeOp>(op) ? WalkResult::skip()
                                         : WalkResult::advance();
  });
  return forces;
}

SmallVector<Type> obs::getMemoryTypes(PullType type) {
  SmallVector<Type> types;
  for (Type element : type.getElementTypes())
    types.push_back(MemRefType::get(type.getExtents(), element));
  return types;
}

Operation *obs::getMaker(Value value) {
  return isa<BlockArgument>(value) ? value.getParentBlock()->getParentOp()
                                   : value.getDefiningOp();
}

SmallVector<Value> obs::getPassed(Value value) {
  if (auto choice = value.getDefiningOp<SelectLikeOpInterface>())
    return {choice.getTrueValue(), choice.getFalseValue()};
  auto flow = dyn_cast_or_null<RegionBranchOpInterface>(getMaker(value));
  if (!flow)
    return {};
  RegionBranchInverseSuccessorMapping inputs;
  flow.getSuccessorInputOperandMapping(inputs);
  SmallVector<OpOperand *> operands = inputs.lookup(value);
  // Initial values are first, then the values of the regions, in order.
  auto key = [&](OpOperand *operand) -> unsigned {
    Operation *op = operand->getOwner();
    return op == flow ? 0 : op->getParentRegion()->getRegionNumber() + 1;
  };
  llvm::sort(operands,
             [&](OpOperand *a, OpOperand *b) { return key(a) < key(b); });
  return llvm::map_to_vector(operands,
                             [](OpOperand *operand) { return operand->get(); });
}

SmallVector<Value> obs::getReceivers(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<SelectLikeOpInterface>(user))
    return {user->getResult(0)};
  auto flow = dyn_cast<RegionBranchOpInterface>(
      user->hasTrait<OpTrait::IsTerminator>() ? user->getParentOp() : user);
  if (!flow)
    return {};
  RegionBranchSuccessorMapping inputs;
  flow.getSuccessorOperandInputMapping(inputs);
  SmallVector<Value> receivers = inputs.lookup(&use);
  // Arguments of regions are first, then the result.
  llvm::sort(receivers, [](Value a, Value b) {
    return isa<BlockArgument>(a) && isa<OpResult>(b);
  });
  return receivers;
}

SmallVector<Value> obs::getCarried(Value value) {
  SmallVector<Value> passed = getPassed(value);
  Operation *loop = getMaker(value);
  if (!isa_and_nonnull<LoopLikeOpInterface>(loop))
    return {};
  if (passed.size() == 2)
    return passed;
  // A value that the condition passes on is carried if it came in.
  return passed.size() == 1 && getMaker(passed.front()) == loop
             ? getCarried(passed.front())
             : SmallVector<Value>();
}

SmallVector<Value> obs::getMemorySources(Value memory) {
  if (auto view = memory.getDefiningOp<ViewLikeOpInterface>())
    return {view.getViewSource()};
  return getPassed(memory);
}

Value obs::castTo(OpBuilder &builder, Value memory, Type type) {
  if (memory.getType() == type)
    return memory;
  return memref::CastOp::create(builder, memory.getLoc(), type, memory);
}

Value obs::buildFirstPart(OpBuilder &builder, Location loc, Value memory,
                          MemRefType type, ValueRange sizes) {
  SmallVector<OpFoldResult> extents =
      getMixedValues(type.getShape(), sizes, builder);
  SmallVector<OpFoldResult> strides(type.getRank());
  SmallVector<int64_t> known;
  int64_t offset;
  (void)type.getStridesAndOffset(known, offset);
  for (int d = type.getRank() - 1; d >= 0; --d) {
    if (!ShapedType::isDynamic(known[d])) {
      strides[d] = builder.getIndexAttr(known[d]);
      continue;
    }
    strides[d] = extents[d + 1];
    if (!isConstantIntValue(strides[d + 1], 1))
      strides[d] = builder.createOrFold<arith::MulIOp>(
          loc, getValueOrCreateConstantIndexOp(builder, loc, strides[d + 1]),
          getValueOrCreateConstantIndexOp(builder, loc, extents[d + 1]));
  }
  return memref::ReinterpretCastOp::create(
      builder, loc, type, memory, builder.getIndexAttr(0), extents, strides);
}

Operation *obs::getLastUse(Value memory, Block *block, Operation *last) {
  for (Operation *user : memory.getUsers()) {
    Operation *ancestor = block->findAncestorOpInBlock(*user);
    if (!ancestor || user->hasTrait<OpTrait::IsTerminator>() ||
        isa<RegionBranchOpInterface, gpu::DeallocOp>(user))
      return nullptr;
    if (last->isBeforeInBlock(ancestor))
      last = ancestor;
    if (isa<ViewLikeOpInterface, SelectLikeOpInterface>(user)) {
      // Passed on under another name.
      last = getLastUse(user->getResult(0), block, last);
      if (!last)
        return nullptr;
    }
  }
  return last;
}

/// True if `user`, an operation in `block`, may run after `point` in the same
/// execution of `block`.
static bool mayFollow(Operation *user, Operation *point, Block *block) {
  Operation *mine = block->findAncestorOpInBlock(*user);
  Operation *other = block->findAncestorOpInBlock(*point);
  if (mine != other)
    return other->isBeforeInBlock(mine);
  // A loop passes on its initial values under another name.
  if (mine == user)
    return false;
  auto branch = dyn_cast<scf::IfOp>(mine);
  if (!branch)
    return true;
  for (Region *region : branch.getRegions())
    if (region->isAncestor(user->getParentRegion()))
      return region->isAncestor(point->getParentRegion()) &&
             mayFollow(user, point, &region->front());
  return false;
}

/// True if `user` uses elements of `array`, not only its extents.
static bool usesElements(Operation *user, Value array) {
  auto launch = dyn_cast<LaunchOp>(user);
  if (!launch)
    return !isa<memref::DimOp>(user);
  auto kernel = SymbolTable::lookupNearestSymbolFrom<KernelOp>(
      launch, launch.getKernelAttr());
  for (auto [argument, parameter] :
       llvm::zip_equal(launch.getArgs(), kernel.getBody().getArguments()))
    if (argument == array &&
        !llvm::all_of(parameter.getUsers(), [](Operation *use) {
          return isa<ViewOp>(use) &&
                 llvm::all_of(use->getUsers(), llvm::IsaPred<DimOp>);
        }))
      return true;
  return false;
}

bool obs::isLive(Value array, Operation *point) {
  Block *block = array.getParentBlock();
  Operation *ancestor = block->findAncestorOpInBlock(*point);
  Operation *definition = array.getDefiningOp();
  if (!ancestor || (definition && !definition->isBeforeInBlock(ancestor)))
    return false;
  SmallVector<Value> names = {array};
  for (unsigned i = 0; i < names.size(); ++i)
    for (Operation *user : names[i].getUsers()) {
      if (isa<ViewLikeOpInterface>(user))
        names.push_back(user->getResult(0));
      else if (usesElements(user, names[i]) && mayFollow(user, point, block))
        return true;
    }
  return false;
}

bool obs::areEqualNumbers(Value a, Value b) {
  if (a == b)
    return true;
  Operation *first = a.getDefiningOp(), *second = b.getDefiningOp();
  if (!first || !second || first->getName() != second->getName() ||
      cast<OpResult>(a).getResultNumber() !=
          cast<OpResult>(b).getResultNumber() ||
      first->getNumRegions() != 0 || !isMemoryEffectFree(first))
    return false;
  return OperationEquivalence::isEquivalentTo(
      first, second,
      [](Value x, Value y) { return success(areEqualNumbers(x, y)); },
      /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

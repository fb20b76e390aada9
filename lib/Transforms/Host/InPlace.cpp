//===- InPlace.cpp - Kernels that can run in place ------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InPlace.h"
#include "Obsidian/Dialect/Obs/Analysis/InPlaceFills.h"

using namespace mlir;
using namespace mlir::obs;

static KernelOp getKernel(LaunchOp launch) {
  return SymbolTable::lookupNearestSymbolFrom<KernelOp>(launch,
                                                        launch.getKernelAttr());
}

/// True if the result of the kernel of `launch` is unchanged when its argument
/// `out`, which it writes, is the memory of its argument `in`, which it reads.
/// Both have the same extents.
static InPlace mayRunInPlace(LaunchOp launch, unsigned in, unsigned out) {
  KernelOp kernel = getKernel(launch);
  Value read = kernel.getBody().getArgument(in);
  Value written = kernel.getBody().getArgument(out);
  if (in == out || read.getType() != written.getType() || !written.hasOneUse())
    return InPlace::No;
  auto force = dyn_cast<ForceOp>(*written.getUsers().begin());
  if (!force)
    return InPlace::No;

  // The program that writes it.
  FillOp fill;
  unsigned next = 0;
  for (Value array : force.getArrays()) {
    unsigned count = getArrayElementTypes(array.getType()).size();
    if (llvm::is_contained(force.getInto().slice(next, count), written))
      fill = array.getDefiningOp<FillOp>();
    next += count;
  }
  SmallVector<Value> views;
  for (Operation *user : read.getUsers()) {
    auto view = dyn_cast<ViewOp>(user);
    if (!view)
      return InPlace::No;
    // Other programs of the kernel may run after this one.
    for (Operation *access : view->getUsers())
      if (!fill || (!isa<DimOp>(access) && !fill->isProperAncestor(access)))
        return InPlace::No;
    views.push_back(view.getResult());
  }
  return fill ? mayFillInPlace(fill, views) : InPlace::No;
}

/// The argument of `launch` that is `made`.
static unsigned getArgument(LaunchOp launch, Value made) {
  return llvm::find(launch.getArgs(), made) - launch.getArgs().begin();
}

Value Place::getArray() const {
  if (copy)
    return gpu::MemcpyOp(copy).getSrc();
  return launch ? LaunchOp(launch).getArgs()[argument] : Value();
}

void Place::share(Value made) {
  if (copy)
    copy.erase();
  if (!launch)
    return;
  unsigned out = getArgument(launch, made);
  KernelOp kernel = getKernel(launch);
  Block &body = kernel.getBody().front();
  body.getArgument(out).replaceAllUsesWith(body.getArgument(argument));
  (void)kernel.eraseArgument(out);
  launch.getArgsMutable().erase(out);
}

void Place::markParameters(Value made) {
  for (unsigned number : {argument, getArgument(launch, made)})
    setArgAttr<ObsDialect::MayAliasAttrHelper>(getKernel(launch), number);
}

/// The first operation in the block of `memory` that uses elements of it, after
/// `after` if it is given; null if there is none.
static Operation *getFirstUse(Value memory, Operation *after = nullptr) {
  Operation *first = nullptr;
  Block *block = memory.getParentBlock();
  for (Operation *user : memory.getUsers()) {
    Operation *ancestor = block->findAncestorOpInBlock(*user);
    if (!isa<memref::DimOp>(user) &&
        (!after || after->isBeforeInBlock(ancestor)) &&
        (!first || ancestor->isBeforeInBlock(first)))
      first = ancestor;
  }
  return first;
}

Place obs::findPlace(gpu::AllocOp alloc, const SymbolUserMap &launches,
                     function_ref<bool(Value, Operation *, LaunchOp)> isFree,
                     function_ref<bool(Value)> isAlone) {
  Value made = alloc.getMemref();
  Place place;
  Operation *first = getFirstUse(made);
  place.copy = dyn_cast_or_null<gpu::MemcpyOp>(first);
  if (place.copy && place.copy.getDst() != made)
    return {};
  auto launch = dyn_cast_or_null<LaunchOp>(
      place.copy ? getFirstUse(made, place.copy) : first);
  if (place.copy && isFree(place.copy.getSrc(), place.copy, launch))
    return place;
  if (!launch || llvm::count(launch.getArgs(), made) != 1 ||
      launches.getUsers(getKernel(launch)).size() != 1)
    return {};
  place.launch = launch;
  // Results are the last arguments.
  unsigned out = getArgument(launch, made);
  for (unsigned &in = place.argument; in < out; ++in) {
    Value array = launch.getArgs()[in];
    if ((place.copy && place.copy.getSrc() != array) ||
        llvm::count(launch.getArgs(), array) != 1 ||
        !isFree(array, launch, launch))
      continue;
    InPlace may = mayRunInPlace(launch, in, out);
    if (may != InPlace::No && (may != InPlace::OneParameter || isAlone(array)))
      return place;
  }
  return {};
}

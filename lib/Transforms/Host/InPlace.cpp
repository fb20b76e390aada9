//===- InPlace.cpp - Kernels that can run in place ------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InPlace.h"

using namespace mlir;
using namespace mlir::obs;

InPlace obs::mayRunInPlace(LaunchOp launch, unsigned in, unsigned out) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<KernelOp>(
      launch, launch.getKernelAttr());
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

void obs::mergeParameters(LaunchOp launch, unsigned in, unsigned out) {
  auto kernel = SymbolTable::lookupNearestSymbolFrom<KernelOp>(
      launch, launch.getKernelAttr());
  Block &body = kernel.getBody().front();
  body.getArgument(out).replaceAllUsesWith(body.getArgument(in));
  (void)kernel.eraseArgument(out);
  launch.getArgsMutable().erase(out);
}

//===- Regions.cpp - Questions about the code in regions ------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/Regions.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

llvm::SetVector<Value> obs::getReads(Operation *op) {
  llvm::SetVector<Value> reads;
  reads.insert_range(op->getOperands());
  getUsedValuesDefinedAbove(op->getRegions(), reads);
  return reads;
}

//===- Registry.cpp - Strategies by name ----------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Strategies.h"

using namespace mlir;
using namespace mlir::obs;
using strategies::Registry;

/// The registry, with the strategies that come with the compiler.
static Registry &getRegistry() {
  static Registry registry = [] {
    Registry initial;
    strategies::addSequential(initial);
    strategies::addTrees(initial);
    strategies::addRaking(initial);
    strategies::addWarps(initial);
    strategies::addRows(initial);
    return initial;
  }();
  return registry;
}

void obs::registerReduceStrategy(StringRef name, ReduceStrategy strategy) {
  getRegistry().reduce[name.str()] = std::move(strategy);
}

void obs::registerScanStrategy(StringRef name, ScanStrategy strategy) {
  getRegistry().scan[name.str()] = std::move(strategy);
}

template <typename Table>
static auto lookup(const Table &table, StringRef name) {
  auto found = table.find(name.str());
  return found == table.end() ? nullptr : &found->second;
}

const ReduceStrategy *obs::lookupReduceStrategy(StringRef name) {
  return lookup(getRegistry().reduce, name);
}

const ScanStrategy *obs::lookupScanStrategy(StringRef name) {
  return lookup(getRegistry().scan, name);
}

SmallVector<StringRef> obs::getReduceStrategies() {
  return llvm::to_vector(llvm::map_range(getRegistry().reduce, [](auto &entry) {
    return StringRef(entry.first);
  }));
}

SmallVector<StringRef> obs::getScanStrategies() {
  return llvm::to_vector(llvm::map_range(
      getRegistry().scan, [](auto &entry) { return StringRef(entry.first); }));
}

//===----------------------------------------------------------------------===//
// Defaults
//===----------------------------------------------------------------------===//
//
// One thread combines the elements alone. For few elements, a tree has the
// fewest stages. For up to one element for each of 1024 threads, `warps` has
// the fewest barriers of the block. If there are more elements than workers,
// each worker first combines a chunk alone. In a warp, the results of these
// chunks are in registers if the order does not matter.

StringRef obs::getDefaultReduceStrategy(Level level, Extent n,
                                        bool commutative) {
  if (level == Level::Thread || n.isAtMost(2))
    return "sequential";
  if (n.isAtMost(warpSize))
    return commutative ? "halving_tree" : "adjacent_tree";
  if (level == Level::Block && n.isAtMost(1024))
    return "warps";
  if (level == Level::Warp && commutative)
    return "lanes";
  return "raking";
}

StringRef obs::getDefaultScanStrategy(Level level, Extent n) {
  if (level == Level::Thread)
    return "sequential";
  if (n.isAtMost(warpSize))
    return "kogge_stone";
  if (level == Level::Block && n.isAtMost(1024))
    return "warps";
  return "raking";
}

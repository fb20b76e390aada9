//===- Raking.cpp - Each worker combines a chunk --------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The number of workers is that of a typical instance of the level. It does not
// depend on the launch: workers are virtual, too.
//
//===----------------------------------------------------------------------===//

#include "Strategies.h"

using namespace mlir;
using namespace mlir::obs;

static int64_t getWorkers(Level level) {
  switch (level) {
  case Level::Thread:
    return 4;
  case Level::Warp:
    return warpSize;
  default:
    return 128;
  }
}

namespace {
/// Chunks of equal length, none empty, the last perhaps shorter.
struct Chunks {
  Extent count;
  Extent length;
};
} // namespace

static Chunks getChunks(CollectiveBuilder &c, Extent n) {
  int64_t workers = getWorkers(c.level);
  Extent length = c.ceilDiv(n, workers);
  if (n.isStatic()) {
    length = c.getConstantExtent(std::max<int64_t>(length.size, 1));
    return {c.ceilDiv(n, length.size), length};
  }
  length.value = c.max(length.value, c.constant(1));
  if (length.isBounded())
    length.bound = std::max<int64_t>(length.bound, 1);
  Value last = c.sub(length.value, c.constant(1));
  Extent count = {c.div(c.add(n.value, last), length.value),
                  ShapedType::kDynamic, workers};
  if (n.isBounded())
    count.bound = std::min(count.bound, n.bound);
  return {count, length};
}

/// The combination of each chunk. If the operator is commutative, chunk w has
/// the elements w, w + count, w + 2 count, ..., so that neighbouring workers
/// read neighbouring elements.
static Value rake(CollectiveBuilder &c, Value x, Extent n, const Chunks &chunks,
                  bool deal) {
  return c.force(c.generate(chunks.count, [&](Value w) {
    if (deal)
      return c.fold(x, w, n.value, chunks.count.value);
    Value begin = c.mul(w, chunks.length.value);
    return c.fold(x, begin, c.min(c.add(begin, chunks.length.value), n.value));
  }));
}

static Value reduce(CollectiveBuilder &c, Value x) {
  Extent n = c.getExtent(x);
  return c.tree(rake(c, x, n, getChunks(c, n), c.commutative));
}

static Value scan(CollectiveBuilder &c, Value x) {
  Extent n = c.getExtent(x);
  Chunks chunks = getChunks(c, n);
  x = c.force(x);
  Value sums =
      strategies::scanKoggeStone(c, rake(c, x, n, chunks, /*deal=*/false));
  // There is a row for each worker, so the index shows that no two workers
  // write one element.
  Value rows = c.forceFill(
      {chunks.count, chunks.length}, chunks.count.value,
      [&](Value w, auto write) {
        Value zero = c.constant(0), one = c.constant(1);
        Value begin = c.mul(w, chunks.length.value);
        Value end = c.min(c.add(begin, chunks.length.value), n.value);
        auto first = c.choose(
            c.equal(w, zero), [&] { return c.get(x, begin); },
            [&] {
              return c.combine(c.get(sums, c.sub(w, one)), c.get(x, begin));
            });
        write(first, {w, zero});
        scf::ForOp::create(
            c.builder, c.loc, one, c.sub(end, begin), one, first,
            [&](OpBuilder &, Location, Value j, ValueRange value) {
              auto next = c.combine(value, c.get(x, c.add(begin, j)));
              write(next, {w, j});
              scf::YieldOp::create(c.builder, c.loc, next);
            });
      });
  return c.generate(n, [&](Value i) {
    return c.get(
        rows, {c.div(i, chunks.length.value), c.rem(i, chunks.length.value)});
  });
}

void strategies::addRaking(Registry &registry) {
  registry.reduce["raking"] = {reduce};
  registry.scan["raking"] = {scan};
}

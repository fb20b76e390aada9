//===- Trees.cpp - Reductions and scans in logarithmic time ---------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every stage of these strategies stores an array that the next one reads.
//
//===----------------------------------------------------------------------===//

#include "Strategies.h"

using namespace mlir;
using namespace mlir::obs;

using Values = CollectiveBuilder::Values;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Half of the elements: `pair` returns the two elements that are combined to
/// element i of m. Only the second element of a pair may be missing.
static Value halve(CollectiveBuilder &c, Value x, Extent n, Extent m,
                   llvm::function_ref<std::pair<Value, Value>(Value)> pair) {
  bool isEven = n.isMultipleOf(2);
  return c.generate(m, [&](Value i) {
    auto [left, right] = pair(i);
    auto both = [&, left = left, right = right] {
      return c.combine(c.get(x, left), c.get(x, right));
    };
    if (isEven)
      return both();
    return c.choose(c.less(right, n.value), both,
                    [&, left = left] { return c.get(x, left); });
  });
}

/// a[2i] ∘ a[2i+1]
static Value halveAdjacent(CollectiveBuilder &c, Value x, Extent n, Extent m) {
  return halve(c, x, n, m, [&](Value i) {
    Value left = c.mul(i, c.constant(2));
    return std::make_pair(left, c.add(left, c.constant(1)));
  });
}

/// a[i] ∘ a[i + m]
static Value halveFar(CollectiveBuilder &c, Value x, Extent n, Extent m) {
  return halve(c, x, n, m,
               [&](Value i) { return std::make_pair(i, c.add(i, m.value)); });
}

/// Builds stages until there are at most two elements.
static Value reduceByStages(CollectiveBuilder &c, Value x,
                            Value (*stage)(CollectiveBuilder &, Value, Extent n,
                                           Extent m)) {
  Extent n = c.getExtent(x);
  if (n.isAtMost(2))
    return x;
  if (n.isStatic() && n.size <= CollectiveBuilder::maxUnrolledExtent) {
    while (n.size > 2) {
      Extent m = c.ceilDiv(n, 2);
      x = c.force(stage(c, x, n, m));
      n = m;
    }
    return x;
  }
  // The first stage reads the operand; only its result is carried.
  Extent half = CollectiveBuilder::forget(c.ceilDiv(n, 2));
  Value count = c.sub(c.ceilLog2(n), c.constant(2));
  x = c.force(stage(c, x, n, half));
  x = c.repeat(count, x, [&](Value, Value y) {
    Extent length = c.getExtent(y);
    Extent m = c.ceilDiv(length, 2);
    // The loop carries one type: that of its first array.
    m.bound = half.bound;
    return c.force(stage(c, y, length, m));
  });
  Extent few = {c.min(c.getExtent(x).value, c.constant(2)),
                ShapedType::kDynamic, 2};
  return c.shareReads(c.generate(few, [&](Value i) { return c.get(x, i); }));
}

Value CollectiveBuilder::tree(Value array) {
  return reduceByStages(*this, array, commutative ? halveFar : halveAdjacent);
}

//===----------------------------------------------------------------------===//
// Scans
//===----------------------------------------------------------------------===//

/// Each element combined with the element `distance` to its left, if there is
/// one.
static Value addLeft(CollectiveBuilder &c, Value x, Extent n, Value distance) {
  return c.generate(n, [&](Value i) {
    return c.choose(
        c.less(i, distance), [&] { return c.get(x, i); },
        [&] { return c.combine(c.get(x, c.sub(i, distance)), c.get(x, i)); });
  });
}

/// Each element of the right half of a block of 2^(k+1) elements combined with
/// the last element of the left half.
static Value addLeftHalf(CollectiveBuilder &c, Value x, Extent n, Value k) {
  return c.generate(n, [&](Value i) {
    OpBuilder &b = c.builder;
    Value block = b.createOrFold<arith::ShRUIOp>(c.loc, i, k);
    Value isLeft = c.equal(c.rem(block, c.constant(2)), c.constant(0));
    return c.choose(
        isLeft, [&] { return c.get(x, i); },
        [&] {
          Value begin = b.createOrFold<arith::ShLIOp>(c.loc, block, k);
          Value last = c.sub(begin, c.constant(1));
          return c.combine(c.get(x, last), c.get(x, i));
        });
  });
}

/// Stages k = 0, 1, ...; their maximum number is the number of bits of an
/// index.
static Value
scanByStages(CollectiveBuilder &c, Value x,
             llvm::function_ref<Value(Value array, Extent n, Value k)> stage) {
  Extent n = c.getExtent(x);
  if (n.isAtMost(1))
    return x;
  x = c.force(x);
  if (n.isStatic() && n.size <= CollectiveBuilder::maxUnrolledExtent) {
    for (int64_t k = 0; (int64_t(1) << k) < n.size; ++k)
      x = c.force(stage(x, n, c.constant(k)));
    return x;
  }
  return c.repeat(c.ceilLog2(n), x, [&](Value k, Value y) {
    return c.force(stage(y, c.getExtent(y), k));
  });
}

Value strategies::scanKoggeStone(CollectiveBuilder &c, Value x) {
  return scanByStages(c, x, [&](Value y, Extent n, Value k) {
    Value distance =
        c.builder.createOrFold<arith::ShLIOp>(c.loc, c.constant(1), k);
    return addLeft(c, y, n, distance);
  });
}

static Value scanSklansky(CollectiveBuilder &c, Value x) {
  return scanByStages(c, x, [&](Value y, Extent n, Value k) {
    return addLeftHalf(c, y, n, k);
  });
}

/// Scans pairs, and then computes the elements between.
static Value scanPairs(CollectiveBuilder &c, Value x) {
  Extent n = c.getExtent(x);
  if (n.isAtMost(1))
    return x;
  Value two = c.constant(2), one = c.constant(1);
  Extent half = {c.div(n.value, two),
                 n.isStatic() ? n.size / 2 : ShapedType::kDynamic, n.bound / 2};
  Value pairs = c.force(c.generate(half, [&](Value i) {
    Value left = c.mul(i, two);
    return c.combine(c.get(x, left), c.get(x, c.add(left, one)));
  }));
  Value s = scanPairs(c, pairs);
  return c.force(c.generate(n, [&](Value i) {
    Value number = c.div(i, two);
    Value isOdd = c.equal(c.rem(i, two), one);
    return c.choose(
        isOdd, [&] { return c.get(s, number); },
        [&] {
          return c.choose(
              c.equal(i, c.constant(0)), [&] { return c.get(x, i); },
              [&] {
                return c.combine(c.get(s, c.sub(number, one)), c.get(x, i));
              });
        });
  }));
}

static Value scanBrentKung(CollectiveBuilder &c, Value x) {
  return scanPairs(c, c.force(x));
}

void strategies::addTrees(Registry &registry) {
  ReduceStrategy adjacent, far;
  adjacent.shorten = [](CollectiveBuilder &c, Value x) {
    return reduceByStages(c, x, halveAdjacent);
  };
  adjacent.storesElements = true;
  far.shorten = [](CollectiveBuilder &c, Value x) {
    return reduceByStages(c, x, halveFar);
  };
  far.storesElements = true;
  far.commutativeOnly = true;
  registry.reduce["adjacent_tree"] = adjacent;
  registry.reduce["halving_tree"] = far;
  registry.scan["kogge_stone"] = {scanKoggeStone};
  registry.scan["sklansky"] = {scanSklansky};
  registry.scan["brent_kung"] = {scanBrentKung};
}

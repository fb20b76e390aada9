//===- PublishedResults.h - Results that blocks wait for --------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A result has a state, and its components have at most 64 bits. If a result
// has at most four pieces of 32 bits, each piece is in a word of 64 bits
// together with the state, and one operation reads or writes a word. No other
// data is published then, so no fences are needed. A result of one piece has
// one word, which is overwritten. A result of several pieces has words for each
// state: a thread could otherwise read pieces of different states. A count is
// in one word of its own type: it is incremented by 1 as long as it is that of
// a tile, so that 0 means that it is not there, and the sign says that it is
// that of all elements.
//
// Other results are in memory of their own, by `obs.publish` and `obs.await`.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_PUBLISHEDRESULTS_H
#define OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_PUBLISHEDRESULTS_H

#include "Obsidian/Transforms/Collectives/Collectives.h"

namespace mlir::obs::strategies {

/// The state of a result.
enum class ResultState : int64_t {
  /// No result is published yet.
  Unknown = 0,
  /// The combination of the elements of the tile is published.
  Own = 1,
  /// The combination of all elements up to the end of the tile is published.
  Everything = 2,
};

/// The state as a value of type i32.
Value getState(CollectiveBuilder &c, ResultState state);

/// The memory in which the blocks of one kernel publish results, and a counter.
class PublishedResults {
public:
  using Values = CollectiveBuilder::Values;

  /// `number` results of the element types of the builder. If `isCount`, a
  /// result is a number of elements, of type `i32`, `i64` or `index`. Builds
  /// code of the host. `leastThreads` is the number of threads that should run
  /// at once on a multiprocessor, at least; 0 is the default.
  PublishedResults(CollectiveBuilder &c, Value number, bool isCount,
                   int64_t leastThreads = 0);

  /// At level block: the next value of the counter, from 0 on.
  Value draw(CollectiveBuilder &block);
  /// In one thread: publishes result `number`.
  void publish(CollectiveBuilder &thread, Value number, ResultState state,
               ValueRange values);
  /// In a thread: waits until result `number` has at least the state `least`,
  /// and returns it. The first value is a condition: true if the state is
  /// `Everything`.
  Values await(CollectiveBuilder &thread, Value number, Value least) {
    return await(thread, ArrayRef(number), least).front();
  }
  /// The same for several results, which are read at the same time.
  SmallVector<Values> await(CollectiveBuilder &thread, ArrayRef<Value> numbers,
                            Value least);
  /// On the host, after the kernel: result `number` of state `Everything`.
  Values get(CollectiveBuilder &c, Value number);

private:
  Value getPlace(CollectiveBuilder &c, Value number, ResultState state) const;
  Values pack(CollectiveBuilder &c, ResultState state, ValueRange values) const;
  Values unpack(CollectiveBuilder &c, ValueRange words) const;
  Value getWordState(CollectiveBuilder &c, Value word) const;
  Values read(CollectiveBuilder &thread, Value number) const;

  /// The number of results.
  Value number;
  bool isCount;
  int64_t leastThreads;
  /// The type of the words.
  IntegerType wordType;
  /// The number of words of a result for each state, and of states that have
  /// words of their own. There is one flag if results are in other memory.
  int64_t pieces, states;
  /// True if the words contain the results.
  bool isInWords;
  /// The words of each result, followed by the counter.
  Value words;
  /// Two elements for each result, one for each state, if words contain states
  /// only.
  SmallVector<Value> memory;
};

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_PUBLISHEDRESULTS_H

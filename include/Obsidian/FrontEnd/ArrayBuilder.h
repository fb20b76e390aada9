//===- ArrayBuilder.h - Whole arrays for front ends -------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The target of front ends: operations on whole arrays, in which no level is
// written. A front end is a table from its operations to these.
//
//   ArrayBuilder b(loc, context);
//   b.setInsertionPointToStart(function.addEntryBlock());
//   Value squares = b.map({x}, [&](ValueRange e) -> SmallVector<Value> {
//     return {arith::MulFOp::create(b, e[0], e[0])};
//   });
//   Value sums = b.reduce(squares, zero, /*dims=*/{1}, add);
//   func::ReturnOp::create(b, b.store(sums));
//   b.finish(function);
//
// In: arrays are values of type `!obs.pull`, of any rank from 1, with static or
// dynamic extents and one or more element types. A scalar of a language whose
// arrays have rank 0 is a scalar, or an array of extents [1] if it is the
// result of an operation on arrays. The builder stands in a host function. The
// operations of the first two groups may stand in any region.
//
// Out: elementwise functions and index maps store nothing. The result of a
// collective, a scatter or a sort is stored by one kernel. `finish` fuses a
// function of its elements behind it, if nothing else reads it. An index map or
// window whose element would take too many operations and reads has its operand
// stored first, so that a program does not grow with the number of its stages.
//
// Levels: a vector is combined by the whole grid. Of arrays of higher rank, a
// unit has a row: a thread up to 8 elements, a warp up to 1024, else a block.
// All blocks share few long rows. Reductions of columns belong to threads.
// `Choice` overrides this.
//
// Errors: the callers check ranks, extents and types, which are those of their
// own language, before they call. The verifier refuses what they let pass.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_FRONTEND_ARRAYBUILDER_H
#define OBSIDIAN_FRONTEND_ARRAYBUILDER_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::obs {

/// Builds scalar code at the insertion point of the builder: a function of
/// indices or of the components of elements, to components of an element or to
/// indices. Of an operator, the components of the left element come first.
using ScalarCode = llvm::function_ref<SmallVector<Value>(ValueRange)>;

/// What a caller of a collective may know better than the extents say.
struct Choice {
  /// Of the units which have a row each.
  std::optional<Level> level;
  /// The operator is commutative, too: the order of the elements is free.
  bool commutative = false;
  /// `init` is neutral: it may be combined more than once.
  bool neutral = false;
  /// That of the collective; see `obs-expand-collectives`.
  StringRef strategy;
};

/// What an iteration of a scatter writes.
struct Target {
  /// Of the result, one for each dimension. An element outside is dropped.
  SmallVector<Value> indices;
  SmallVector<Value> values;
  /// An i1 that says if there is something to write; null if always.
  Value condition;
};

/// Which elements of an array the windows have, for each dimension: element k
/// of window i is the one at i * stride + k * dilation - low, where the array
/// has `holes` places between two elements. Outside and in holes is padding.
struct WindowDim {
  OpFoldResult count, size;
  int64_t stride = 1, dilation = 1, low = 0, holes = 0;
};

class ArrayBuilder : public ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;
  using Extents = ArrayRef<OpFoldResult>;

  //===--- Scalars and extents --------------------------------------------===//

  /// The extents of an array: an attribute for each one that is static, else a
  /// value.
  SmallVector<OpFoldResult> getExtents(Value array);
  OpFoldResult getExtent(Value array, unsigned dim);
  /// An extent, or another number, as a value of type `index`.
  Value getIndex(OpFoldResult number);
  Value getIndex(int64_t number) { return getIndex(getIndexAttr(number)); }
  /// The product of some extents; 1 of none.
  OpFoldResult getProduct(Extents extents);
  /// A number of any type of elements.
  Value getNumber(Type type, double value);
  /// The component or components of the element at a place.
  SmallVector<Value> get(Value array, ValueRange indices);
  /// The only component.
  Value getOne(Value array, ValueRange indices) {
    return get(array, indices).front();
  }

  /// The components that one of two pieces of code builds: what the other one
  /// reads is not read.
  SmallVector<Value> choose(Value condition,
                            llvm::function_ref<SmallVector<Value>()> then,
                            llvm::function_ref<SmallVector<Value>()> otherwise);

  //===--- Elementwise functions and sources ------------------------------===//

  /// `r[i] = code(a[i], b[i], ...)`. The arrays have the same extents.
  Value map(ValueRange arrays, ScalarCode code);
  /// `r[i] = code(i)`. An element may be an array.
  Value generate(Extents extents, ScalarCode code);
  /// The same element everywhere.
  Value splat(ValueRange element, Extents extents);
  /// One array of tuples, and back: an array for each component.
  Value zip(ValueRange arrays);
  SmallVector<Value> unzip(Value array);

  //===--- Index maps -----------------------------------------------------===//

  /// `r[i] = a[place(i)]`. A place outside of the array is undefined.
  Value gather(Value array, Extents extents, ScalarCode place);
  /// `r[i] = a[i[dims[0]], i[dims[1]], ...]`. A static extent of 1 of the array
  /// is repeated.
  Value broadcast(Value array, Extents extents, ArrayRef<int64_t> dims);
  /// Dimension d of the result is dimension `permutation[d]`.
  Value transpose(Value array, ArrayRef<int64_t> permutation);
  /// The same elements in row-major order.
  Value reshape(Value array, Extents extents);
  Value slice(Value array, Extents offsets, Extents sizes,
              ArrayRef<int64_t> strides);
  Value reverse(Value array, ArrayRef<int64_t> dims);
  Value concat(ValueRange arrays, int64_t dim);
  /// The array with `low` elements before, `high` after and `holes` between its
  /// elements: `element` of their indices. Negative numbers drop elements.
  Value pad(Value array, Extents low, Extents high, ArrayRef<int64_t> holes,
            ScalarCode element);
  /// The array of the windows of an array: an array of arrays of its rank.
  Value windows(Value array, ValueRange padding, ArrayRef<WindowDim> dims);

  //===--- Collectives ----------------------------------------------------===//

  /// The elements along some dimensions, combined in row-major order with
  /// `init` from the left. These dimensions go; if all go, the extents are [1].
  Value reduce(Value array, ValueRange init, ArrayRef<int64_t> dims,
               ScalarCode combine, const Choice &choice = {});
  /// All prefixes along a dimension, combined with `init` from the left; all
  /// suffixes from the right if `reverse`. Without its own element if
  /// `exclusive`. The extents stay.
  Value scan(Value array, ValueRange init, int64_t dim, bool exclusive,
             bool reverse, ScalarCode combine, const Choice &choice = {});
  /// The same of one vector by whoever runs the code around: the components.
  SmallVector<Value> fold(Value vector, ValueRange init, ScalarCode combine,
                          bool commutative = false);
  /// `r[b, i, j]` is the fold over k of `multiply(x[b, i, k], y[b, k, j])` from
  /// `init` in order. Both arrays have rank 3.
  Value contract(Value x, Value y, ValueRange init, ScalarCode multiply,
                 ScalarCode combine, const Choice &choice = {});

  /// One program for each place of `extents`, whose results are the elements:
  /// `code` takes the indices, and builds code of `level` that returns pull
  /// arrays of equal extents, which follow `extents` in the results. Everything
  /// is stored by one kernel.
  SmallVector<Value> distribute(Extents extents, Level level, ScalarCode code);

  //===--- Moves that depend on values ------------------------------------===//

  /// `onto` after the writes of all iterations in `iterations`.
  Value scatter(Value onto, Extents iterations,
                llvm::function_ref<Target(ValueRange)> code,
                const WriteContract &contract);
  /// The contract of writes that `combine`, associative and commutative,
  /// combines: a kind, or else a new function in the module.
  WriteContract getContract(TypeRange element, ScalarCode combine);
  /// The elements of each row along a dimension, so that none is less than the
  /// one before it; `less` takes two elements. Equal elements keep their order.
  Value sort(Value array, int64_t dim, ScalarCode less);
  /// The elements of a vector whose flag is set, and their number: an array of
  /// an i32. The elements after them are `rest`, if that is not empty.
  std::pair<Value, Value> compact(Value array, Value flags,
                                  ValueRange rest = {});

  //===--- Storage --------------------------------------------------------===//

  /// If the elements are in memory.
  static bool isStored(Value array);
  /// The same arrays in memory. One kernel computes those that are not.
  SmallVector<Value> store(ValueRange arrays);
  /// Fuses functions of elements behind the programs of the function. Call it
  /// once, after its last operation.
  void finish(FunctionOpInterface function);

private:
  SmallVector<Value> buildBlock(Region &region, TypeRange arguments,
                                ScalarCode code, bool isYielded = true);
  /// The element at a place of an array with holes, or else what `padding`
  /// builds.
  SmallVector<Value>
  readPadded(Value array, ValueRange places, ArrayRef<int64_t> holes,
             llvm::function_ref<SmallVector<Value>()> padding);
  Value limitReads(Value array);
  Value forceOne(Value array, Storage storage = Storage::Auto);
  /// The push arrays that `distribute` stores.
  SmallVector<Value> distributePush(Extents extents, Level level,
                                    ScalarCode code);
  /// Into how many parts a reduction of `length` elements is cut for each of
  /// the `count` results, of which `side` neighbours read neighbouring
  /// elements.
  static int64_t countParts(int64_t length, int64_t count, int64_t side);
  /// The part of an array whose first indices are `place`.
  Value getRow(Value array, ValueRange place);
  /// The product of two arrays by tiles in shared memory.
  Value contractTiles(Value x, Value y, ValueRange init, ScalarCode multiply,
                      ScalarCode combine);
  Value fill(PushType type, ValueRange init, Value onto, Extents extents,
             const WriteContract &contract, llvm::function_ref<void()> code);
  void par(Extents extents, Level unit,
           llvm::function_ref<void(ValueRange)> code);
  /// The place of element `i` of a row of `length` after its run of `width`
  /// elements is merged with the one beside it.
  Value findMergePlace(Value i, Value width, Value length, ValueRange element,
                       llvm::function_ref<SmallVector<Value>(Value)> read,
                       ScalarCode less);
};

} // namespace mlir::obs

#endif // OBSIDIAN_FRONTEND_ARRAYBUILDER_H

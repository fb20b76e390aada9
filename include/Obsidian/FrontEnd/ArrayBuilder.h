//===- ArrayBuilder.h - Whole arrays for front ends -------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The builder that front ends use: operations on whole arrays, which do not
// name levels. A front end is a table that maps its operations to these
// operations.
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
// dynamic extents and one or more element types. If the language has arrays of
// rank 0, such an array is a scalar, or an array of extents [1] if it is the
// result of an operation on arrays. The insertion point is in a host function.
// The operations of the first two groups can be used in any region.
//
// Out: elementwise functions and index maps store nothing. The result of a
// collective, a scatter or a sort is stored by one kernel. `finish` fuses an
// elementwise function of the result into this kernel, if nothing else reads
// the result. It makes one kernel of reductions of rows and the arrays that
// read them at the same row, such as a softmax. If an element of an index map
// or window needs too many operations and reads, the operand is stored first.
// So the size of a program does not grow with the number of its stages.
//
// Levels: a vector is combined by the whole grid. For arrays of higher rank,
// one unit combines each row: a thread up to 16 elements, a warp up to 1024,
// else a block. If there are few long rows, all blocks combine them together.
// In reductions of columns, each thread combines one column. In a product of
// matrices, each block computes a tile; if there are few tiles, parts of the
// sums are computed first. `CollectiveOptions` overrides these rules.
//
// Errors: the callers check ranks, extents and types by the rules of their own
// language before they call the builder. The verifier finds errors that they do
// not check.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_FRONTEND_ARRAYBUILDER_H
#define OBSIDIAN_FRONTEND_ARRAYBUILDER_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "Obsidian/FrontEnd/ScalarBuilder.h"

namespace mlir::obs {

/// Builds scalar code at the insertion point of the builder. The arguments are
/// indices or the components of elements. The results are the components of an
/// element, or indices. For an operator, the components of the left element
/// come first.
using ScalarCode = llvm::function_ref<SmallVector<Value>(ValueRange)>;

/// Properties of a collective that a caller knows and the extents do not show.
struct CollectiveOptions {
  /// The level of the units, each of which combines one row.
  std::optional<Level> level;
  /// The operator is also commutative: elements may be combined in any order.
  bool commutative = false;
  /// `init` is a neutral element: it may be combined more than once.
  bool neutral = false;
  /// The strategy of the collective; see `obs-expand-collectives`.
  StringRef strategy;
};

/// The values that an iteration of a scatter writes.
struct Target {
  /// The index in the result, one value for each dimension. An element outside
  /// of the result is not written.
  SmallVector<Value> indices;
  SmallVector<Value> values;
  /// An i1: true if the iteration writes. Null if every iteration writes.
  Value condition;
};

/// The elements of the windows, for each dimension. Element k of window i is
/// the element at i * stride + k * dilation - low, in an array with `holes`
/// positions between two elements. Positions outside of the array and in holes
/// are padding.
struct WindowDim {
  OpFoldResult count, size;
  int64_t stride = 1, dilation = 1, low = 0, holes = 0;
};

/// Windows of an array whose first elements a tensor of indices has. An outer
/// index consists of an index into this tensor, and an offset in the window.
struct IndexedWindows {
  /// The dimensions of an outer index that belong to the tensor, in order.
  SmallVector<int64_t> batchDims;
  /// The others, and the dimension of the array for each of them.
  SmallVector<int64_t> offsetDims, windowDims;
  /// The dimension of the array for each component of an index, and the
  /// dimension of the tensor that has the components. Without it, an index has
  /// one component.
  SmallVector<int64_t> startMap;
  std::optional<int64_t> vectorDim;
  /// Dimensions of the array in which the index is that of a dimension of the
  /// tensor.
  SmallVector<int64_t> batching, indexBatching;
  /// The numbers of the tensor have no sign.
  bool isUnsigned = false;
};

class ArrayBuilder : public ScalarBuilder {
public:
  using ScalarBuilder::ScalarBuilder;
  using Extents = ArrayRef<OpFoldResult>;

  //===--- Scalars and extents --------------------------------------------===//

  /// The extents of an array: an attribute for each static extent, a value for
  /// each dynamic one.
  SmallVector<OpFoldResult> getExtents(Value array);
  OpFoldResult getExtent(Value array, unsigned dim);
  /// The product of some extents; 1 if there are none.
  OpFoldResult getProduct(Extents extents);
  /// The component or components of the element at an index.
  SmallVector<Value> get(Value array, ValueRange indices);
  /// The only component.
  Value getOne(Value array, ValueRange indices) {
    return get(array, indices).front();
  }

  /// Adds a block to the region of an operation that `code` fills. Returns the
  /// values of the code, which the block yields.
  SmallVector<Value> buildBlock(Region &region, TypeRange arguments,
                                ScalarCode code);
  /// The same for a function of two elements with these components.
  SmallVector<Value> buildOperator(Region &region, TypeRange element,
                                   ScalarCode code);
  /// The components that one of two pieces of code builds. Only the code of the
  /// branch that is executed reads arrays.
  SmallVector<Value> choose(Value condition,
                            llvm::function_ref<SmallVector<Value>()> then,
                            llvm::function_ref<SmallVector<Value>()> otherwise);

  //===--- Elementwise functions and sources ------------------------------===//

  /// `r[i] = code(a[i], b[i], ...)`. The arrays have the same extents.
  Value map(ValueRange arrays, ScalarCode code);
  /// The same for operands of which some are scalars, arrays of equal elements,
  /// or arrays of extents [1]. `code` takes one value for each operand. These
  /// operands are read by the code, and are no operands of the map. Without
  /// other operands, each element is computed.
  Value mapElements(ValueRange operands, Extents extents, ScalarCode code);
  /// `r[i] = code(i)`. An element may be an array.
  Value generate(Extents extents, ScalarCode code);
  /// An array of equal elements.
  Value splat(ValueRange element, Extents extents);
  /// `zip` makes one array of tuples; `unzip` returns one array for each
  /// component.
  Value zip(ValueRange arrays);
  SmallVector<Value> unzip(Value array);

  //===--- Index maps -----------------------------------------------------===//

  /// `r[i] = a[place(i)]`. If an index is outside of the array, the element is
  /// undefined.
  Value gather(Value array, Extents extents, ScalarCode place);
  /// `r[i] = a[i[dims[0]], i[dims[1]], ...]`. A static extent of 1 of the array
  /// is repeated.
  Value broadcast(Value array, Extents extents, ArrayRef<int64_t> dims);
  /// Dimension d of the result is dimension `permutation[d]`.
  Value transpose(Value array, ArrayRef<int64_t> permutation);
  /// The same elements in row-major order.
  Value reshape(Value array, Extents extents);
  /// Dimension `dim`, whose extent is static, becomes two: the number of the
  /// part, of which there are `parts` of equal size, and the index in the part.
  /// Unlike by `reshape`, an index is not divided.
  Value splitDim(Value array, int64_t dim, int64_t parts);
  Value slice(Value array, Extents offsets, Extents sizes,
              ArrayRef<int64_t> strides);
  Value reverse(Value array, ArrayRef<int64_t> dims);
  Value concat(ValueRange arrays, int64_t dim);
  /// The array with `low` elements before, `high` elements after and `holes`
  /// elements between its elements. `element` computes all of these from their
  /// indices. Negative numbers remove elements.
  Value pad(Value array, Extents low, Extents high, ArrayRef<int64_t> holes,
            ScalarCode element);
  /// The array of the windows of an array: an array of arrays of its rank.
  Value windows(Value array, ValueRange padding, ArrayRef<WindowDim> dims);

  //===--- Collectives ----------------------------------------------------===//

  /// The combinations of the elements along `dims`, in row-major order, with
  /// `init` as the left-most operand. The result does not have these
  /// dimensions; if no dimension is left, its extents are [1].
  Value reduce(Value array, ValueRange init, ArrayRef<int64_t> dims,
               ScalarCode combine, const CollectiveOptions &options = {});
  /// All prefixes along a dimension, combined with `init` as the left-most
  /// operand. With `reverse`, all suffixes, from the right. With `exclusive`, a
  /// prefix does not contain its own element; else `init` may be empty, and a
  /// prefix begins with its first element. The extents are unchanged.
  Value scan(Value array, ValueRange init, int64_t dim, bool exclusive,
             bool reverse, ScalarCode combine,
             const CollectiveOptions &options = {});
  /// The reduction of one vector at the level of the code around: the
  /// components.
  SmallVector<Value> fold(Value vector, ValueRange init, ScalarCode combine,
                          bool commutative = false);
  /// `r[b, i, j]` combines `multiply(x[b, i, k], y[b, k, j])` for all k in
  /// order, or in any order if the options say so, beginning with `init`. Both
  /// arrays have rank 3.
  Value contract(Value x, Value y, ValueRange init, ScalarCode multiply,
                 ScalarCode combine, const CollectiveOptions &options = {});
  /// An array of a product. The members are the positions of its dimensions:
  /// those that both arrays and the result have, those of this array only, and
  /// those over which the product sums.
  struct Side {
    Value array;
    SmallVector<int64_t> batch, own, combined;
  };
  /// The same for arrays of any rank. The dimensions of the result are those of
  /// the batch, those of `x` and those of `y`, or extents [1] if there are
  /// none. With `order`, dimension d of the result is the dimension `order[d]`
  /// of these.
  Value contract(const Side &x, const Side &y, ValueRange init,
                 ScalarCode multiply, ScalarCode combine,
                 const CollectiveOptions &options = {},
                 ArrayRef<int64_t> order = {});

  /// Executes one program for each index of `extents`. `code` takes the
  /// indices, and builds code of `level` that returns pull arrays of equal
  /// extents. The extents of the results are `extents`, followed by those of
  /// the arrays. One kernel stores all results.
  SmallVector<Value> distribute(Extents extents, Level level, ScalarCode code);

  //===--- Moves that depend on values ------------------------------------===//

  /// The index in an array of rank `rank` for an outer index of windows.
  /// `limit` changes the number that was read for a dimension of the array.
  SmallVector<Value>
  getWindowPlace(const IndexedWindows &windows, Value indices, int64_t rank,
                 ValueRange outer,
                 llvm::function_ref<Value(Value, int64_t)> limit);

  /// `onto` after the writes of all iterations in `iterations`.
  Value scatter(Value onto, Extents iterations,
                llvm::function_ref<Target(ValueRange)> code,
                const WriteContract &contract);
  /// The contract of writes that `combine` combines, which is associative and
  /// commutative: a kind if there is one, else a new function in the module.
  WriteContract getContract(TypeRange element, ScalarCode combine);
  /// Sorts each row along a dimension: no element is less than the element
  /// before it. `less` takes two elements. The sort is stable. A long vector is
  /// sorted by digits if `less` compares an integer function of the elements,
  /// and else by merges.
  Value sort(Value array, int64_t dim, ScalarCode less);
  /// The first `count` elements of each sorted row. For at most 8 of them, one
  /// reduction of each row keeps the first elements in registers.
  Value sortFirst(Value array, int64_t dim, int64_t count, ScalarCode less);
  /// The elements of a vector whose flag is set, and their number as an array
  /// of one i32. The elements after them are `rest`, if `rest` is not empty.
  std::pair<Value, Value> compact(Value array, Value flags,
                                  ValueRange rest = {});

  //===--- Storage --------------------------------------------------------===//

  /// True if the elements are in memory.
  static bool isStored(Value array);
  /// The same arrays in memory. One kernel computes all arrays that are not in
  /// memory. Values that are no arrays are unchanged.
  SmallVector<Value> store(ValueRange arrays);
  /// Fuses reductions of rows with the arrays that read them, and elementwise
  /// functions with the programs that compute their operands. Call it once,
  /// after the last operation of the function.
  void finish(FunctionOpInterface function);

private:
  /// The element at an index of an array with holes, or the result of `padding`
  /// if the index is a hole.
  SmallVector<Value>
  readPadded(Value array, ValueRange places, ArrayRef<int64_t> holes,
             llvm::function_ref<SmallVector<Value>()> padding);
  Value limitReads(Value array);
  /// True if the code of an element of `array` is short enough to be executed
  /// `times` times more.
  static bool canRepeat(Value array, unsigned times);
  /// Computes short reductions of rows where they are read, if their results
  /// would take more memory than what they read.
  void inlineFolds(FunctionOpInterface function);
  /// Makes one program of the reductions of rows that an array reads, and of
  /// this array.
  void fuseRows(FunctionOpInterface function);
  /// Stores the arrays that several operations would compute by many others. A
  /// function of n steps, each of which reduces the result of the step before,
  /// would execute n * n / 2 steps.
  void storeRepeated(FunctionOpInterface function);
  Value forceOne(Value array, Storage storage = Storage::Auto);
  /// The push arrays that `distribute` stores.
  SmallVector<Value> distributePush(Extents extents, Level level,
                                    ScalarCode code);
  /// The reductions of pieces of `size` elements along dimension `dim`, whose
  /// extent is static: the extent of the result is the number of pieces. The
  /// last piece may be shorter. Each thread has a piece. `init` is neutral or
  /// empty.
  Value foldPieces(Value array, int64_t dim, int64_t size, ValueRange init,
                   ScalarCode combine, const CollectiveOptions &options);
  /// The push array of one scan at a level.
  Value scanRow(Value row, ValueRange init, Level level, bool exclusive,
                ScalarCode combine, const CollectiveOptions &options);
  /// The push array of the scans along dimension `dim`, whose extent is static
  /// and not 0. Each thread scans a piece of `size` elements, from the
  /// reduction of the pieces before it. `init` is neutral or empty.
  Value scanPieces(Value array, ValueRange init, int64_t dim, int64_t size,
                   bool exclusive, ScalarCode combine,
                   const CollectiveOptions &options);
  /// A push array without its last dimension, whose extent is 1. `extents` are
  /// those of the result.
  Value dropLast(Value array, Extents extents);
  /// The reduction of an array that is not reduced along its last dimensions,
  /// which begin at `firstColumn`. The elements at their indices are the
  /// components of one element.
  Value reduceColumns(Value array, unsigned firstColumn, ValueRange init,
                      ArrayRef<int64_t> dims, ScalarCode combine,
                      const CollectiveOptions &options);
  /// The part of an array with the indices `place` in the first dimensions.
  Value getRow(Value array, ValueRange place);
  /// Sums of threads: neighbouring threads compute neighbours of the result,
  /// whose dimension d is dimension `order[d]` of `extents`.
  Value contractInOrder(const Side &x, const Side &y, ValueRange init,
                        ScalarCode multiply, ScalarCode combine,
                        Extents extents, ArrayRef<int64_t> order,
                        const CollectiveOptions &options);
  Value fill(PushType type, ValueRange init, Value onto, Extents extents,
             const WriteContract &contract, llvm::function_ref<void()> code);
  void par(Extents extents, Level unit,
           llvm::function_ref<void(ValueRange)> code);
  /// The sorted vector, or null if the vector is short or its order is not that
  /// of an integer function of the elements.
  Value sortByDigits(Value vector, ScalarCode less);
  /// Pairs of a key and a position, sorted by the 8 bits of the key that begin
  /// at bit `shift`.
  Value sortDigit(Value pairs, Value shift);
  /// A warp or a block sorts a tile, and each of `workers` threads has `items`
  /// neighbours of it. An odd number of them are in different banks of shared
  /// memory.
  struct TileOfSort {
    explicit TileOfSort(int64_t size);
    int64_t getThreads() const { return (workers + 31) / 32 * 32; }

    int64_t items, workers;
    Level level;
  };
  /// The sorted elements of a tile in shared memory, of which there are `rest`.
  Value sortTile(Value tile, Value rest, const TileOfSort &form,
                 ScalarCode less);
  /// Writes the elements at `count` positions from `begin` on in order. Equal
  /// elements keep theirs. There is no element from `end` on.
  void sortItems(Value begin, int64_t count, Value end,
                 llvm::function_ref<SmallVector<Value>(Value)> read,
                 llvm::function_ref<void(Value, ValueRange)> write,
                 ScalarCode less);
  /// The positions at which two neighbouring sorted runs begin and end.
  struct MergedRuns {
    Value begin, middle, end;
  };
  /// Writes the elements of two merged runs at `count` positions from `begin`
  /// on, where there are elements. From: O. Green, R. McColl, D. Bader, GPU
  /// Merge Path, 2012.
  void mergeItems(const MergedRuns &runs, Value begin, int64_t count,
                  llvm::function_ref<SmallVector<Value>(Value)> read,
                  llvm::function_ref<void(Value, ValueRange)> write,
                  ScalarCode less);
  /// The position of element `i` of a row of `length` elements after its run of
  /// `width` elements is merged with the neighbouring run.
  Value findMergePlace(Value i, Value width, Value length, ValueRange element,
                       llvm::function_ref<SmallVector<Value>(Value)> read,
                       ScalarCode less);
};

} // namespace mlir::obs

#endif // OBSIDIAN_FRONTEND_ARRAYBUILDER_H

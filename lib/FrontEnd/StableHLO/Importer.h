//===- Importer.h - Functions of StableHLO as whole arrays ------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of StableHLO are not registered, so MLIR has not verified
// them. A table has the number of operands, regions and results of each one.
// Each method reads and checks the attributes before it builds code. `define`
// compares what was built with the types of the results.
//
// A tensor of rank 0 is a scalar of the host if the host can compute it. If it
// is computed from arrays, it is an array of extents [1].
//
// Functions of JAX often compute a value twice: a mean, and in a variance the
// mean again, each in a function of its own. Calls are inlined, and an
// operation that is equal to one before it has the same results.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_FRONTEND_STABLEHLO_IMPORTER_H
#define OBSIDIAN_LIB_FRONTEND_STABLEHLO_IMPORTER_H

#include "../FunctionImporter.h"
#include "Scalars.h"

namespace mlir::obs::stablehlo {

class Importer : public FunctionImporter {
public:
  explicit Importer(ModuleOp source) : FunctionImporter(source) {}
  /// The lowered module; null after an error.
  OwningOpRef<ModuleOp> run();

private:
  struct Entry;
  static const Entry *find(Operation *op);

  // The front end.
  LogicalResult importOp(Operation *op) override;
  LogicalResult lower(Operation *op);
  Type convertParameter(Operation *op, Type type) override;
  Value getReturned(Value value) override { return getArray(value); }

  // Checks. The first error of an operation is emitted, and `isInvalid` is set.
  LogicalResult verifyTensor(Operation *op, Type type);
  void require(Operation *op, bool condition, const Twine &message);
  void requireResult(Operation *op, ArrayRef<int64_t> extents, Type element,
                     unsigned number = 0);
  /// The arrays have one shape, and so have the others, which have the same
  /// element types. The region combines two elements.
  void requireArrays(Operation *op, ValueRange arrays, ValueRange others,
                     ArrayRef<int64_t> shape);
  void requireRegion(Operation *op, unsigned region, TypeRange arguments,
                     TypeRange results);
  /// The numbers of an attribute. There are `count` of them, also after an
  /// error; if `count` is negative, any number is allowed. An attribute that is
  /// omitted has numbers that are equal to `omitted`, if that is given.
  Numbers getNumbers(Operation *op, StringRef name, int64_t count,
                     std::optional<int64_t> omitted = std::nullopt);
  int64_t getNumber(Operation *op, StringRef name);
  void requireDims(Operation *op, StringRef name, ArrayRef<int64_t> dims,
                   int64_t rank);
  /// Different dimensions of an array of rank `rank`.
  Numbers getDims(Operation *op, StringRef name, int64_t count, int64_t rank);
  /// The numbers of `name = [...]` in the text of an attribute of the dialect.
  Numbers parseList(Operation *op, StringRef text, StringRef name);

  // Values.
  ArrayRef<int64_t> getShape(Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  }
  SmallVector<Type> getElements(ValueRange tensors) {
    return llvm::map_to_vector(tensors, getElement);
  }
  bool isHostScalar(Value tensor) {
    return getShape(tensor).empty() && !deviceScalars.contains(tensor);
  }
  Value getArray(Value value);
  /// Several arrays as one array of tuples.
  Value getArrays(ValueRange tensors) {
    return b.zip(
        llvm::map_to_vector(tensors, [&](Value t) { return getArray(t); }));
  }
  Value getHostScalar(Value value);
  Values getHostScalars(ValueRange tensors) {
    return llvm::map_to_vector(tensors,
                               [&](Value t) { return getHostScalar(t); });
  }
  /// A scalar in code for one element.
  Value getScalar(Value lowered) {
    return isa<PullType>(lowered.getType()) ? b.getOne(lowered, b.getIndex(0))
                                            : lowered;
  }
  /// Scalars of the host, and arrays in memory, as `results` are.
  Values getStored(ValueRange tensors, ValueRange results);
  Values getScalars(ValueRange tensors) {
    return llvm::map_to_vector(tensors,
                               [&](Value t) { return getScalar(lookup(t)); });
  }
  /// The code of a block of scalars, in code for one element. Emits an error
  /// for an operation that cannot be there.
  Values buildScalars(Block &block, ValueRange arguments);
  void importScalar(Operation *op);
  /// The results of `op` are the components of `array`.
  void defineArray(Operation *op, Value array);

  // Equal operations.
  /// The lowered operands and results of an operation.
  struct Lowered {
    Operation *op;
    Values operands, results;
  };
  llvm::hash_code getHash(Operation *op);
  /// The lowered operation before `op` that is equal to it; null if there is
  /// none.
  const Lowered *findEqual(Operation *op);
  /// Lowers a block of a region. The operations after the region do not use its
  /// values.
  LogicalResult importRegion(Block &block);

  // Operations.
  void findDeviceScalars();
  void importScalarOp(Operation *op);
  void importBarrier(Operation *op);
  void importWhile(Operation *op);
  void importBranches(Operation *op);
  void importConstant(Operation *op);
  void importIota(Operation *op);
  void importBroadcast(Operation *op);
  void importReshape(Operation *op);
  void importTranspose(Operation *op);
  void importReverse(Operation *op);
  void importSlice(Operation *op);
  void importPad(Operation *op);
  void importConcatenate(Operation *op);
  void importDynamicSlice(Operation *op);
  void importDynamicUpdate(Operation *op);
  void importGather(Operation *op);
  void importScatter(Operation *op);
  void importReduce(Operation *op);
  void importReduceWindow(Operation *op);
  void importSort(Operation *op);
  void importTopK(Operation *op);
  void importDot(Operation *op);

  struct Window;
  Numbers getRoom(Operation *op, ArrayRef<int64_t> from,
                  ArrayRef<int64_t> sizes, ValueRange starts);
  Values getStarts(ValueRange tensors, ArrayRef<int64_t> room);
  Window parseWindow(Operation *op, StringRef text, ArrayRef<StringRef> names,
                     Value indices, ArrayRef<int64_t> array,
                     ArrayRef<int64_t> outer);

  /// An error of the current operation was emitted.
  bool isInvalid = false;
  /// Tensors of rank 0 that are computed from arrays.
  DenseSet<Value> deviceScalars;
  /// The operations whose values can be used here, and their numbers by hash. A
  /// number may be that of another operation since the end of a region.
  SmallVector<Lowered> lowered;
  DenseMap<size_t, SmallVector<size_t>> numbers;
};

} // namespace mlir::obs::stablehlo

#endif // OBSIDIAN_LIB_FRONTEND_STABLEHLO_IMPORTER_H

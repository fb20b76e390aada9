//===- Importer.h - Functions of StableHLO as whole arrays ------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table has the number of operands, regions and results of each operation.
// Each method reads and checks the attributes before it builds code, and
// returns the lowered results, which are then compared with the types of the
// results.
//
// A tensor of rank 0 is a scalar of the host if the host can compute it. If it
// is computed from arrays, it is an array of extents [1]. In the function of
// elements of another operation, all tensors are of rank 0, and scalars.
//
// Functions of JAX often compute a value twice: a mean, and in a variance the
// mean again, each in a function of its own. Calls are inlined, and an
// operation that is equal to one before it has the same results.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_FRONTEND_STABLEHLO_IMPORTER_H
#define OBSIDIAN_LIB_FRONTEND_STABLEHLO_IMPORTER_H

#include "../FunctionImporter.h"

namespace mlir::obs::stablehlo {

/// The element type and the shape of a tensor.
inline Type getElement(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}
inline ArrayRef<int64_t> getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}
inline SmallVector<Type> getElements(ValueRange tensors) {
  return llvm::map_to_vector(tensors, getElement);
}
/// The text of an attribute of the dialect; empty if the operation does not
/// have it.
StringRef getText(Operation *op, StringRef name);
/// The last word of an attribute such as `comparison_direction LT`.
StringRef getWord(Operation *op, StringRef name);
/// True if the numbers are different dimensions of an array of rank `rank`. If
/// not, `wrong` is the first one that is not.
bool areDims(ArrayRef<int64_t> dims, int64_t rank, int64_t *wrong = nullptr);

/// Reads an operation on static tensors, and checks it, because operations of
/// StableHLO are not registered and MLIR has not verified them. The first error
/// is emitted, and later ones are ignored.
class OpReader {
public:
  using Numbers = SmallVector<int64_t>;

  explicit OpReader(Operation *op) : op(op) {}
  Operation *operator->() const { return op; }
  operator Operation *() const { return op; }

  bool isValid() const { return valid; }
  void setInvalid() { valid = false; }
  /// The error consists of the parts of a message. The result is `isValid()`.
  template <typename... Parts>
  bool require(bool condition, const Parts &...parts) {
    if (!condition && valid) {
      InFlightDiagnostic error = op->emitOpError();
      (error << ... << parts);
    }
    return valid &= condition;
  }
  void requireResult(ArrayRef<int64_t> extents, Type element,
                     unsigned number = 0);
  /// A region takes and returns tensors of these types, or of rank 0 with these
  /// elements.
  void requireRegion(unsigned region, TypeRange arguments, TypeRange results);
  /// The arrays have one shape, and so have the others, which have the same
  /// element types. The region combines two elements.
  void requireArrays(ValueRange arrays, ValueRange others,
                     ArrayRef<int64_t> shape);
  void requireDims(StringRef name, ArrayRef<int64_t> dims, int64_t rank);

  /// The numbers of an attribute. There are `count` of them, also after an
  /// error; if `count` is negative, any number is allowed. An attribute that is
  /// omitted has numbers that are equal to `omitted`, if that is given.
  Numbers getNumbers(StringRef name, int64_t count,
                     std::optional<int64_t> omitted = std::nullopt);
  int64_t getNumber(StringRef name);
  /// Different dimensions of an array of rank `rank`.
  Numbers getDims(StringRef name, int64_t count, int64_t rank);
  int64_t getDim(StringRef name, int64_t rank);
  /// The fields of an attribute of the dialect; null if it has none.
  DictionaryAttr getFields(StringRef name);
  /// The numbers of a field, which may be omitted.
  Numbers getList(DictionaryAttr fields, StringRef name);

private:
  Operation *op;
  bool valid = true;
};

/// A row of the table of elementwise operations.
struct ElementOp {
  unsigned operands;
  /// The kinds of the elements that it takes.
  unsigned kinds;
  Value (*build)(ScalarBuilder &b, Operation *op, ValueRange x);
  /// The elements of the result: those of the operands, bits, or any type.
  enum Result { Same, Bit, Any } result = Same;
  bool onHost = true;

  /// The row of an operation; null for other operations.
  static const ElementOp *find(Operation *op);
  /// True if `op` is elementwise and the host can compute it.
  static bool isOnHost(Operation *op);
  /// Checks all but the shapes.
  void verify(OpReader &op) const;
};

/// Converts a value from the element type `from` of tensors to `to`.
Value convertScalar(ScalarBuilder &b, Value x, Type from, Type to);

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
  Values lower(OpReader &op);
  Type convertParameter(Operation *op, Type type) override;
  Value getReturned(Value value) override { return getArray(value); }
  LogicalResult verifyTensor(Operation *op, Type type);

  // Values.
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
  Values getScalars(ValueRange tensors) {
    return llvm::map_to_vector(tensors,
                               [&](Value t) { return getScalar(lookup(t)); });
  }
  /// Scalars of the host, and arrays in memory, as `results` are.
  Values getStored(ValueRange tensors, ValueRange results);
  /// The code of a block of scalars, in code for one element. Emits an error
  /// for an operation that cannot be there.
  Values buildScalars(Block &block, ValueRange arguments);

  // Equal operations.
  /// The lowered operands and results of an operation.
  struct Lowered {
    Operation *op;
    Values operands, results;
  };
  size_t getHash(Operation *op);
  /// The lowered operation before `op` that is equal to it; null if there is
  /// none.
  const Lowered *findEqual(Operation *op);
  /// Lowers a block of a region. The operations after the region do not use its
  /// values.
  void importRegion(Block &block);

  /// Replaces the scans in a block and its regions that JAX has unrolled into
  /// stages by one operation each.
  LogicalResult findScans(Block &block);

  // Operations.
  void findDeviceScalars();
  static bool isMove(Operation *op);
  std::optional<int64_t> countElementwise(Block &block);
  Values importElements(OpReader &op, const ElementOp &elements);
  Values importBarrier(OpReader &op);
  Values importWhile(OpReader &op);
  Values importBranches(OpReader &op);
  Values importConstant(OpReader &op);
  Values importIota(OpReader &op);
  Values importBroadcast(OpReader &op);
  Values importReshape(OpReader &op);
  Values importTranspose(OpReader &op);
  Values importReverse(OpReader &op);
  Values importSlice(OpReader &op);
  Values importPad(OpReader &op);
  Values importConcatenate(OpReader &op);
  Values importDynamicSlice(OpReader &op);
  Values importDynamicUpdate(OpReader &op);
  Values importGather(OpReader &op);
  Values importScatter(OpReader &op);
  Values importReduce(OpReader &op);
  Values importReduceWindow(OpReader &op);
  Values importSelectAndScatter(OpReader &op);
  Values importAssociativeScan(OpReader &op);
  Values importSort(OpReader &op);
  Values importTopK(OpReader &op);
  Values importDot(OpReader &op);
  Values importConvolution(OpReader &op);
  Values buildProduct(OpReader &op, ArrayBuilder::Side x, ArrayBuilder::Side y,
                      bool isSecondFirst = false, ArrayRef<int64_t> order = {});

  struct Window;
  Numbers getRoom(OpReader &op, ArrayRef<int64_t> from, ArrayRef<int64_t> sizes,
                  ValueRange starts);
  Values getStarts(ValueRange tensors, ArrayRef<int64_t> room,
                   ValueRange offsets = {});
  Window parseWindow(OpReader &op, DictionaryAttr fields,
                     ArrayRef<StringRef> names, Value indices,
                     ArrayRef<int64_t> array, ArrayRef<int64_t> outer);

  /// The location of the operation whose function of elements is lowered. The
  /// reports on costs count the operations of one location together.
  std::optional<Location> elementLoc;
  /// An operation in a region had an error, which was emitted.
  bool hasError = false;
  /// Tensors of rank 0 that are computed from arrays.
  DenseSet<Value> deviceScalars;
  /// The operations whose values can be used here, and their numbers by hash. A
  /// number may be that of another operation since the end of a region.
  SmallVector<Lowered> lowered;
  DenseMap<size_t, SmallVector<size_t>> numbers;
};

} // namespace mlir::obs::stablehlo

#endif // OBSIDIAN_LIB_FRONTEND_STABLEHLO_IMPORTER_H

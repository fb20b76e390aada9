//===- Obs.h - The obs dialect ----------------------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one header that users of the dialect include: types, attributes,
// interfaces, operations, and the few helpers that every pass needs.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_OBS_H
#define OBSIDIAN_DIALECT_OBS_IR_OBS_H

#include "Obsidian/Dialect/Obs/IR/ObsDialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <functional>

namespace mlir::obs {
/// The meaning of several writes of one element, and for `reduce` the
/// operation: the name of an operation of `memref.atomic_rmw`, or the symbol of
/// a function.
struct WriteContract {
  Contract contract = Contract::Disjoint;
  Attribute kind;
  /// Not 0 for initial contents, which later writes of the same force may
  /// replace. It is the depth of the fill in nested fills with initial
  /// contents, and 1 for the outermost one. The initial contents of a nested
  /// fill replace those of the fills around it.
  unsigned initial = 0;
  /// The author promises that no other write has the same element (R5).
  bool unchecked = false;
  /// There is no promise, but the contract of the source could not be proved.
  bool unproved = false;
};

/// The function that a push array calls for every element that it writes, with
/// one value for each element type and one index for each dimension. The
/// builder stands in thread-level code.
using Writer =
    llvm::function_ref<void(OpBuilder &builder, Location loc, ValueRange values,
                            ValueRange indices, WriteContract contract)>;

/// Replaces an index of the source by the index of the result. Returns the
/// condition under which the result has this element, or null if it always has
/// it. See IndexMapOpInterface.
using IndexChange =
    std::function<Value(OpBuilder &, Location, SmallVectorImpl<Value> &)>;

/// Takes a condition, of type `i1`, and the message if it does not hold.
using CheckFn = llvm::function_ref<void(Value condition, StringRef message)>;

/// The inference of the result types of an operation.
struct TypeInference {
  MLIRContext *context;
  std::optional<Location> loc;
  /// The types that are inferred, in order.
  SmallVectorImpl<Type> &types;
};

/// The extents and the element types of a pull or push type.
ArrayRef<int64_t> getArrayExtents(Type type);
ArrayRef<Type> getArrayElementTypes(Type type);
/// The extent of dimension `dim` of `array` as an `index` value: a constant, or
/// `obs.dim`.
Value buildExtent(OpBuilder &builder, Location loc, Value array, unsigned dim);
/// The elements of `array` at `indices`: one value for each element type.
SmallVector<Value> buildGet(OpBuilder &builder, Location loc, Value array,
                            ValueRange indices);

/// Element 0 of `array`, an array of arrays, of which only extents are used.
Value buildAnyElement(OpBuilder &builder, Location loc, Value array);

/// True if the program of `array` writes initial contents before its other
/// elements. False if the program is not known.
bool hasInitialContents(Value array);
/// True if every element of `array` has a value, whichever elements its program
/// writes. True if the program is not known.
bool hasAllElements(Value array);

/// Implementations of the interfaces.
namespace detail {
/// The array that an index map moves; null for other operations.
Value getMovedArray(Operation *op);
/// The operands that are push arrays.
SmallVector<Value> getPushOperands(Operation *op);
/// The weakest contract of the writes of `arrays`.
Contract getWeakest(ValueRange arrays);
/// The program of `array` with its indices changed.
void emitMoved(OpBuilder &builder, Location loc, Value array,
               const IndexChange &change, bool isInjective, Writer writer);
/// Emits `[index-map]`, `[array-kind]` and `[element-types]`.
LogicalResult verifyIndexMap(Operation *op);
/// Emits `[no-expansion]`.
LogicalResult refuseExpansion(Operation *op);
/// Emits `[R1-level]`, `[R1-scalar]` and `[array-extents]`.
LogicalResult verifyExpandable(Operation *op);
} // namespace detail
} // namespace mlir::obs

namespace mlir::OpTrait {
/// The regions compute an element: they are thread-level code without storage
/// and without push arrays.
template <typename ConcreteType>
class ScalarScope : public TraitBase<ConcreteType, ScalarScope> {};
/// The operands `extents` are the dynamic extents of the first result.
template <typename ConcreteType>
class ExtentOperands : public TraitBase<ConcreteType, ExtentOperands> {};
} // namespace mlir::OpTrait

#define GET_TYPEDEF_CLASSES
#include "Obsidian/Dialect/Obs/IR/ObsTypes.h.inc"

#include "Obsidian/Dialect/Obs/IR/ObsBitInterfaces.h.inc"
#include "Obsidian/Dialect/Obs/IR/ObsInterfaces.h.inc"

#define GET_OP_CLASSES
#include "Obsidian/Dialect/Obs/IR/ObsOps.h.inc"

namespace mlir::obs {

/// The level at which code runs.
struct ScopeInfo {
  Level level;
  /// Code that computes one element: no storage, no push arrays.
  bool isScalar;
};

/// The level of the region that contains `op`. A function without the attribute
/// `obs.level` is a host function, of level grid.
ScopeInfo getEnclosingScope(Operation *op);

/// The fill whose elements an `obs.write` or `obs.put` at `op` writes, or null.
FillOp getEnclosingFill(Operation *op);

/// The bound of an extent: the extent itself if it is static. kDynamic if there
/// is none.
int64_t getArrayBound(Type type, unsigned dim);

/// The number of the dimension of `dim`. nullopt if it is not a constant, or if
/// the memory does not have this dimension; the result is then undefined.
std::optional<unsigned> getKnownDimension(memref::DimOp dim);
/// True if `op` can be executed where the program does not execute it. MLIR
/// says so for remainders by any number, which the emulator and C trap if it is
/// 0.
bool canSpeculate(Operation *op);
/// All extents of `array`.
SmallVector<Value> buildExtents(OpBuilder &builder, Location loc, Value array);

/// A view of `memory`, one memref for each element type, as an array of exactly
/// `type`.
Value buildView(OpBuilder &builder, Location loc, PullType type,
                ValueRange memory);

/// Builds the program of the push array `array` with the given writer. `array`
/// must be the result of an operation with PushOpInterface.
void emitPush(OpBuilder &builder, Location loc, Value array, Writer writer);

/// Clones the single block of `region` at the insertion point of `builder` with
/// its arguments replaced. Returns the operands of its terminator.
SmallVector<Value> cloneBody(OpBuilder &builder, Region &region,
                             ValueRange arguments);

/// Builds the atomic operation that combines `memory[indices]` with `value` by
/// `kind`. If `kind` is a symbol, it is looked up from `from`. Returns the
/// value before.
Value buildAtomic(OpBuilder &builder, Location loc, Attribute kind, Value value,
                  Value memory, ValueRange indices, Operation *from);

/// The `WriteContract::initial` of a write whose contract is marked.
unsigned getInitialNesting(Operation *op);

/// The `obs.arrive` before which `write` stands, and on whose result the branch
/// around `read` depends; null if there is none. A thread that reads then comes
/// after all threads that have written and arrived at its counter.
ArriveOp findArrival(Operation *write, Operation *read);

/// The values of a list of constants and values, as in DynamicIndexList.
SmallVector<Value> buildMixed(OpBuilder &builder, Location loc,
                              ValueRange dynamic, ArrayRef<int64_t> statics);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_IR_OBS_H

//===- Verification.h - Checks that the verifiers share ---------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The dominance of the IR may not be checked yet when a verifier runs. So the
// functions here keep track of visited values when they follow operands.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_DIALECT_OBS_IR_VERIFICATION_H
#define OBSIDIAN_LIB_DIALECT_OBS_IR_VERIFICATION_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"

namespace mlir::obs::verification {

/// The information of a type on one extent: its value, its bound, or kDynamic
/// twice.
struct ExtentInfo {
  int64_t extent;
  int64_t bound;
};
ExtentInfo getExtentInfo(Type arrayType, unsigned dim);

/// False if no array can have both: unequal constants, or a constant past the
/// bound of the other.
bool extentsAgree(ExtentInfo a, ExtentInfo b);

/// Emits `[R4-extents]` unless both types have one rank and extents that may be
/// equal. `what` and `other` name the two in the message.
LogicalResult verifySameExtents(Operation *op, Type a, StringRef what, Type b,
                                StringRef other);

/// Emits `[R4-extents]` if the extent `dim` of `arrayType` cannot be `expected`
/// (kDynamic: not known).
LogicalResult verifyExtent(Operation *op, Type arrayType, unsigned dim,
                           int64_t expected, StringRef reason);

/// Emits `[element-types]` unless both lists are equal.
LogicalResult verifyElementTypes(Operation *op, TypeRange actual,
                                 TypeRange expected, StringRef what);

/// Emits `[array-level]` unless `array`, which an operation makes that names
/// `level`, has that level.
LogicalResult verifyLevel(Operation *op, Level level, Type array);

/// Emits `[no-arrays]` if `arrays` is empty.
LogicalResult verifyNotEmpty(Operation *op, ValueRange arrays);

/// Emits `[dynamic-extents]` unless there is one operand for each dynamic
/// extent of `arrayType`.
LogicalResult verifyDynamicExtents(Operation *op, Type arrayType,
                                   ValueRange extents);

/// Emits `[R1-scalar]` if `op` stands in the region of a map, generate or
/// reindex.
LogicalResult verifyNotInScalarCode(Operation *op);

/// Emits `[R1-level]` unless `op`, which `verb`s an array of `level`, stands in
/// a region of that level; and `[R1-scalar]` as above.
LogicalResult verifyStandsAt(Operation *op, Level level, StringRef verb);

/// Emits `[region-arguments]` unless the block of `body` has arguments of these
/// types, and `[region-yield]` unless it ends with `obs.yield`.
LogicalResult verifyBody(Operation *op, Region &body, TypeRange arguments,
                         bool yields);

/// Emits `[contract-kind]`, `[R7-contract]` or `[R7-kind]` unless writes of
/// these elements may have the contract.
LogicalResult verifyContract(Operation *op, Contract contract, Attribute kind,
                             ArrayRef<Type> elements);

/// If `kind` names a function, emits `[R7-operator]` unless it combines two
/// such elements by arithmetic, and `[R7-order]` if their order matters.
LogicalResult verifyOperator(Operation *op, Attribute kind,
                             ArrayRef<Type> elements,
                             SymbolTableCollection &tables);

/// Product of extents; kDynamic if one is unknown or the product overflows.
int64_t getNumElements(ArrayRef<int64_t> extents);

/// The weakest contract of the writes that make `array`, or nothing if its
/// program is not known. That of a pull array is `disjoint`.
std::optional<Contract> getWeakestContract(Value array);

/// True if a map to `result` of elements that writes of `contract` make changes
/// them after all of these writes. A write of contract `any` stores one element
/// type: several of them would come from several writes.
inline bool mapsStored(Contract contract, Type result) {
  return contract == Contract::Reduce ||
         (contract == Contract::Any &&
          getArrayElementTypes(result).size() != 1);
}

/// Emits `[R7-final]` unless each element of the array of `put` is written
/// once, if the contract of `fill` combines writes or selects one of them.
LogicalResult verifyPutOnce(PutOp put, FillOp fill);

/// Emits `[R5-disjoint]` if two writes of a `disjoint` fill certainly meet. For
/// fills whose body is verified; see ObsFillVerifier.cpp.
LogicalResult verifyDisjointWrites(FillOp fill);

/// Rule R8 for one force with `into`; see ObsViewVerifier.cpp.
LogicalResult verifyViewUses(ForceOp force);

} // namespace mlir::obs::verification

#endif // OBSIDIAN_LIB_DIALECT_OBS_IR_VERIFICATION_H

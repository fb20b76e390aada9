//===- ObsDialect.h - The dialect and its attributes ------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code without operations of the dialect includes this header for the
// attributes that operations of other dialects have.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_OBSDIALECT_H
#define OBSIDIAN_DIALECT_OBS_IR_OBSDIALECT_H

#include "mlir/Dialect/SCF/IR/DeviceMappingInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/Operation.h"

#include "Obsidian/Dialect/Obs/IR/ObsEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Obsidian/Dialect/Obs/IR/ObsAttrs.h.inc"

#include "Obsidian/Dialect/Obs/IR/ObsDialect.h.inc"

namespace mlir::obs {

// Access to a discardable attribute. `Helper` is the class that ODS generates
// for it, such as `ObsDialect::MapAttrHelper`. Unlike the methods of this
// class, these functions need no object of it, and so no dialect in the
// context.

/// The class of the values of the attribute.
template <typename Helper>
using DiscardableAttrClass =
    decltype(std::declval<Helper>().getAttr(std::declval<Operation *>()));

/// Null if `op` does not have the attribute.
template <typename Helper>
DiscardableAttrClass<Helper> getAttr(Operation *op) {
  return llvm::dyn_cast_or_null<DiscardableAttrClass<Helper>>(
      op->getDiscardableAttr(Helper::getNameStr()));
}

template <typename Helper>
bool hasAttr(Operation *op) {
  return getAttr<Helper>(op) != nullptr;
}

template <typename Helper>
void setAttr(Operation *op, DiscardableAttrClass<Helper> value) {
  op->setDiscardableAttr(Helper::getNameStr(), value);
}

/// Sets an attribute without a value.
template <typename Helper>
void setAttr(Operation *op) {
  setAttr<Helper>(op, UnitAttr::get(op->getContext()));
}

/// Sets an attribute whose value is a number.
template <typename Helper>
void setNumber(Operation *op, int64_t value) {
  setAttr<Helper>(op, Builder(op->getContext()).getI64IntegerAttr(value));
}

/// Returns the value that `op` had, or null.
template <typename Helper>
DiscardableAttrClass<Helper> removeAttr(Operation *op) {
  return llvm::dyn_cast_or_null<DiscardableAttrClass<Helper>>(
      op->removeDiscardableAttr(Helper::getNameStr()));
}

/// The same for a parameter or a result of `function`.
template <typename Helper, typename Function>
DiscardableAttrClass<Helper> getArgAttr(Function function, unsigned number) {
  return llvm::dyn_cast_or_null<DiscardableAttrClass<Helper>>(
      function.getArgAttr(number, Helper::getNameStr()));
}

template <typename Helper, typename Function>
DiscardableAttrClass<Helper> getResultAttr(Function function, unsigned number) {
  return llvm::dyn_cast_or_null<DiscardableAttrClass<Helper>>(
      function.getResultAttr(number, Helper::getNameStr()));
}

template <typename Helper, typename Function>
void setArgAttr(Function function, unsigned number,
                DiscardableAttrClass<Helper> value) {
  function.setArgAttr(number, Helper::getNameStr(), value);
}

template <typename Helper, typename Function>
void setArgAttr(Function function, unsigned number) {
  setArgAttr<Helper>(function, number, UnitAttr::get(function.getContext()));
}

template <typename Helper, typename Function>
void setResultAttr(Function function, unsigned number,
                   DiscardableAttrClass<Helper> value) {
  function.setResultAttr(number, Helper::getNameStr(), value);
}

/// The value of `obs.contract`; none if `op` does not have the attribute.
std::optional<WriteMark> getWriteMark(Operation *op);
void setWriteMark(Operation *op, WriteMark mark);

} // namespace mlir::obs

#endif // OBSIDIAN_DIALECT_OBS_IR_OBSDIALECT_H

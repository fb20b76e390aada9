//===- CopyElement.h - Elements of privatised copies ----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_COPYELEMENT_H
#define OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_COPYELEMENT_H

#include "Copies.h"
#include "ExpansionUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::obs::strategies {

/// The named operation that combines elements; none if a function combines
/// them.
std::optional<arith::AtomicRMWKind> getNamedKind(const Reduction &reduction);

/// One element of the result in a copy: its components. With a function, the
/// first component is a flag, which is true if there is a value.
class CopyElement : public CollectiveBuilder {
public:
  explicit CopyElement(const Reduction &reduction);

  /// An empty element.
  Values empty;
  bool hasNeutral() const { return isNamed; }
  /// `values` if `condition` is true, else an empty element.
  Values makeIf(Value condition, ValueRange values);
  /// Writes element i of the result, if it is not empty.
  void write(CollectiveBuilder &c, ValueRange cell, Value i);

private:
  CopyElement(const Reduction &reduction,
              std::optional<arith::AtomicRMWKind> kind);

  const Reduction &reduction;
  /// True if a named operation combines the elements.
  bool isNamed;
};

/// Copies of a result that a function combines, in the memory of a level.
class MarkedMemory {
public:
  /// `shape` is the shape of the memory.
  MarkedMemory(CollectiveBuilder &c, Reduction &reduction,
               ArrayRef<int64_t> shape);

  void clear(ValueRange place) {
    memref::StoreOp::create(c.builder, c.loc, mark, memory, place);
  }
  /// The bits of an element in memory.
  Values load(ValueRange place) {
    Value held = memref::LoadOp::create(c.builder, c.loc, memory, place);
    Value isThere = arith::XOrIOp::create(c.builder, c.loc, isMark(held), one);
    return {isThere, held};
  }
  /// Combines a value with the value at `place`, which belongs to element
  /// `index` of the result.
  void add(Value value, ValueRange place, Value index);

private:
  Value isMark(Value value);
  /// The value to store after `value`, if `held` was stored before.
  Value extend(Value held, Value value);

  CollectiveBuilder &c;
  const Reduction &reduction;
  Region &function;
  Value memory, mark, one;
};

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_COPYELEMENT_H

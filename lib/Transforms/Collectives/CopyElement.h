//===- CopyElement.h - Elements of privatised copies ----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_COPYELEMENT_H
#define OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_COPYELEMENT_H

#include "Copies.h"
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

} // namespace mlir::obs::strategies

#endif // OBSIDIAN_LIB_TRANSFORMS_COLLECTIVES_COPYELEMENT_H

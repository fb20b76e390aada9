//===- Count.h - Numbers that depend on sizes -------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_REPORTS_COUNT_H
#define OBSIDIAN_LIB_REPORTS_COUNT_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mlir::obs {

/// A number of 0 or more: a sum of products of a number and of sizes that are
/// known at run time, or not known at all.
class Count {
public:
  Count(int64_t number = 0);
  /// A size that is known at run time.
  static Count size(std::string text);
  static Count unknown();

  Count &operator+=(const Count &other);
  Count operator*(const Count &other) const;
  /// The same where the number is the most that it can be.
  Count asBound() const;

  bool isUnknown() const { return unknownNumber; }
  bool isZero() const { return !unknownNumber && terms.empty(); }
  std::optional<int64_t> getConstant() const;
  /// "4 * arg0.dim0 + 12", "at most 12", or "?".
  std::string str() const;

private:
  /// The number before each product of sizes, which are sorted.
  std::map<std::vector<std::string>, int64_t> terms;
  bool unknownNumber = false;
  bool isBound = false;
};

/// `total` / `number` with at most two digits behind the point.
std::string getRatio(uint64_t total, uint64_t number);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_REPORTS_COUNT_H

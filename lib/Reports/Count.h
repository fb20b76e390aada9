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
  /// The result of a division or the like of two numbers, written as "name(a op
  /// b)". It has to grow with both, or with `a` where `b` is no bound.
  static Count call(const std::string &name, const std::string &op,
                    const Count &a, const Count &b);
  static Count min(const Count &a, const Count &b);
  static Count max(const Count &a, const Count &b);

  Count &operator+=(const Count &other);
  Count operator*(const Count &other) const;
  /// The difference; a bound of it if only the most is known.
  Count operator-(const Count &other) const;
  /// The same where the number is the most that it can be.
  Count asBound() const;

  bool isUnknown() const { return unknownNumber; }
  /// True for a number that is known, not only the most that it can be.
  bool isExact() const { return !unknownNumber && !isBound; }
  bool isZero() const { return !unknownNumber && terms.empty(); }
  std::optional<int64_t> getConstant() const;
  /// "4 * arg0.dim0 + 12", "at most 12", or "?".
  std::string str() const;

private:
  /// False if sizes can make this less than `other`, or may.
  bool isAtLeast(const Count &other) const;
  void dropZeros();

  /// The number before each product of sizes, which are sorted.
  std::map<std::vector<std::string>, int64_t> terms;
  bool unknownNumber = false;
  bool isBound = false;
};

/// `total` / `number` with at most two digits after the point.
std::string getRatio(uint64_t total, uint64_t number);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_REPORTS_COUNT_H

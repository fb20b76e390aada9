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

/// A number that is not negative: a sum of products of a number and sizes that
/// are known at run time, or an unknown number.
class Count {
public:
  Count(int64_t number = 0);
  /// A size that is known at run time.
  static Count size(std::string text);
  static Count unknown();
  /// The result of a division or a similar operation, written as "name(a op
  /// b)". It must increase with both operands, or with `a` if `b` is exact.
  static Count call(const std::string &name, const std::string &op,
                    const Count &a, const Count &b);
  static Count min(const Count &a, const Count &b);
  static Count max(const Count &a, const Count &b);

  Count &operator+=(const Count &other);
  Count operator*(const Count &other) const;
  /// The difference, or a bound of it if this number is a bound.
  Count operator-(const Count &other) const;
  /// The same number as an upper bound.
  Count asBound() const;

  bool isUnknown() const { return unknownNumber; }
  /// True for a known number that is not only a bound.
  bool isExact() const { return !unknownNumber && !isBound; }
  bool isZero() const { return !unknownNumber && terms.empty(); }
  std::optional<int64_t> getConstant() const;
  /// "4 * arg0.dim0 + 12", "at most 12", or "?".
  std::string str() const;

private:
  /// True if this is proved to be at least `other` for all sizes.
  bool isAtLeast(const Count &other) const;
  void dropZeros();

  /// The factor of each product of sizes. The sizes of a product are sorted.
  std::map<std::vector<std::string>, int64_t> terms;
  bool unknownNumber = false;
  bool isBound = false;
};

/// `total` / `number`, with at most two digits after the decimal point.
std::string getRatio(uint64_t total, uint64_t number);

} // namespace mlir::obs

#endif // OBSIDIAN_LIB_REPORTS_COUNT_H

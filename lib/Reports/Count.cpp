//===- Count.cpp - Numbers that depend on sizes ---------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Count.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir::obs;

Count::Count(int64_t number) {
  if (number != 0)
    terms[{}] = number;
}

Count Count::size(std::string text) {
  Count count;
  count.terms[{std::move(text)}] = 1;
  return count;
}

Count Count::unknown() {
  Count count;
  count.unknownNumber = true;
  return count;
}

Count &Count::operator+=(const Count &other) {
  unknownNumber |= other.unknownNumber;
  isBound |= other.isBound;
  for (auto &[sizes, number] : other.terms) {
    int64_t &sum = terms[sizes];
    unknownNumber |= llvm::AddOverflow(sum, number, sum) != 0;
  }
  return *this;
}

Count Count::operator*(const Count &other) const {
  // Nothing, however often, is nothing.
  if (isZero() || other.isZero())
    return Count();
  Count product;
  product.unknownNumber = unknownNumber || other.unknownNumber;
  product.isBound = isBound || other.isBound;
  for (auto &[sizes, number] : terms)
    for (auto &[otherSizes, otherNumber] : other.terms) {
      std::vector<std::string> all = sizes;
      all.insert(all.end(), otherSizes.begin(), otherSizes.end());
      std::sort(all.begin(), all.end());
      int64_t factor, &sum = product.terms[all];
      product.unknownNumber |=
          llvm::MulOverflow(number, otherNumber, factor) != 0 ||
          llvm::AddOverflow(sum, factor, sum) != 0;
    }
  return product;
}

Count Count::asBound() const {
  Count count = *this;
  count.isBound = true;
  return count;
}

std::optional<int64_t> Count::getConstant() const {
  if (unknownNumber || isBound)
    return std::nullopt;
  if (terms.empty())
    return 0;
  if (terms.size() > 1 || !terms.begin()->first.empty())
    return std::nullopt;
  return terms.begin()->second;
}

std::string Count::str() const {
  if (unknownNumber)
    return "?";
  std::string text;
  for (auto term = terms.rbegin(); term != terms.rend(); ++term) {
    auto &[sizes, number] = *term;
    std::string product;
    if (number != 1 || sizes.empty())
      product = std::to_string(number);
    for (const std::string &size : sizes)
      product += (product.empty() ? "" : " * ") + size;
    text += (text.empty() ? "" : " + ") + product;
  }
  if (text.empty())
    return "0";
  return (isBound ? "at most " : "") + text;
}

std::string mlir::obs::getRatio(uint64_t total, uint64_t number) {
  uint64_t hundredths = (total * 100 + number / 2) / number;
  std::string text = std::to_string(hundredths / 100);
  if (hundredths % 100 == 0)
    return text;
  text += "." + std::to_string(hundredths / 10 % 10);
  if (hundredths % 10 != 0)
    text += std::to_string(hundredths % 10);
  return text;
}

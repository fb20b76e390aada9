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
  dropZeros();
  return *this;
}

void Count::dropZeros() {
  for (auto term = terms.begin(); term != terms.end();)
    term = term->second == 0 ? terms.erase(term) : std::next(term);
}

Count Count::operator-(const Count &other) const {
  if (other.unknownNumber)
    return unknown();
  // The number that is subtracted is 0 or more.
  if (other.isBound)
    return asBound();
  Count difference = *this;
  difference += other * Count(-1);
  return difference;
}

bool Count::isAtLeast(const Count &other) const {
  if (unknownNumber || other.unknownNumber)
    return false;
  Count difference = *this;
  for (auto &[sizes, number] : other.terms)
    difference.terms[sizes] -= number;
  for (auto &[sizes, number] : difference.terms)
    if (number < 0)
      return false;
  return true;
}

Count Count::call(const std::string &name, const std::string &op,
                  const Count &a, const Count &b) {
  // Of products that all have the divisor as a factor.
  std::optional<int64_t> divisor = b.getConstant();
  if (op == " / " && divisor && *divisor > 0 && !a.unknownNumber &&
      llvm::all_of(a.terms,
                   [&](auto &term) { return term.second % *divisor == 0; })) {
    Count quotient = a;
    for (auto &[sizes, number] : quotient.terms)
      number /= *divisor;
    return quotient;
  }
  if (a.unknownNumber || b.unknownNumber)
    return unknown();
  // A sum is bracketed on both sides of an operator, a product on its right.
  auto write = [&](Count part, bool isRight) {
    part.isBound = false;
    std::string text = part.str();
    bool isProduct =
        part.terms.size() == 1 &&
        part.terms.begin()->first.size() + (part.terms.begin()->second != 1) >
            1;
    return op != ", " && (part.terms.size() > 1 || (isRight && isProduct))
               ? "(" + text + ")"
               : text;
  };
  Count result = size(name + "(" + write(a, false) + op + write(b, true) + ")");
  // A bound that is a number is divided as one.
  Count dividend = a;
  dividend.isBound = false;
  std::optional<int64_t> n = dividend.getConstant(), d = b.getConstant();
  if (op == " / " && n && d && *n >= 0 && *d > 0)
    result = name == "ceil" ? llvm::divideCeil(*n, *d) : *n / *d;
  result.isBound = a.isBound || b.isBound;
  return result;
}

Count Count::min(const Count &a, const Count &b) {
  // The other one is a bound of the minimum.
  if (a.unknownNumber)
    return b.asBound();
  if (b.unknownNumber)
    return a.asBound();
  Count result = a.isAtLeast(b)   ? b
                 : b.isAtLeast(a) ? a
                                  : call("min", ", ", a, b);
  result.isBound = a.isBound || b.isBound;
  return result;
}

Count Count::max(const Count &a, const Count &b) {
  Count result = a.isAtLeast(b)   ? a
                 : b.isAtLeast(a) ? b
                                  : call("max", ", ", a, b);
  result.isBound = a.isBound || b.isBound;
  return result;
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
  product.dropZeros();
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
  // Products of many sizes first, a number without any last.
  std::vector<std::pair<std::vector<std::string>, int64_t>> ordered(
      terms.begin(), terms.end());
  std::stable_sort(ordered.begin(), ordered.end(), [](auto &a, auto &b) {
    return a.first.size() > b.first.size();
  });
  std::string text;
  for (auto &[sizes, number] : ordered) {
    std::string product;
    uint64_t factor = number < 0 ? -uint64_t(number) : number;
    if (factor != 1 || sizes.empty())
      product = std::to_string(factor);
    for (const std::string &size : sizes)
      product += (product.empty() ? "" : " * ") + size;
    if (number < 0)
      text += text.empty() ? "-" : " - ";
    else if (!text.empty())
      text += " + ";
    text += product;
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

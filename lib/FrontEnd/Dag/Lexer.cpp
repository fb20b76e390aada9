//===- Lexer.cpp - The tokens of a Dag program ----------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::obs::dag;

Token Lexer::take() {
  Token taken = std::exchange(token, following);
  following = next();
  if (diagnostics->hasFailed())
    stop();
  return taken;
}

Token Lexer::fail(const char *place, const Twine &message) {
  diagnostics->error(
      diagnostics->getLocation(llvm::SMLoc::getFromPointer(place)), message);
  rest = rest.take_back(0);
  return Token{Token::End, rest};
}

void Lexer::skip() {
  while (!rest.empty()) {
    StringRef begin = rest;
    rest = rest.ltrim(" \t\r\v\f\n");
    if (rest.starts_with("//")) {
      rest = rest.drop_front(std::min(rest.find('\n'), rest.size()));
    } else if (rest.starts_with("/*")) {
      const char *open = rest.data();
      unsigned depth = 0;
      do {
        bool opens = rest.starts_with("/*"), closes = rest.starts_with("*/");
        depth += opens;
        depth -= closes;
        rest = rest.drop_front(opens || closes ? 2 : 1);
      } while (depth > 0 && !rest.empty());
      if (depth > 0) {
        fail(open, "this comment has no end: each '/*' needs its own '*/'");
        return;
      }
    }
    if (rest.size() == begin.size())
      return;
  }
}

Token Lexer::lexNumber() {
  const char *begin = rest.data();
  Token token;
  token.kind = Token::Int;
  auto take = [&](size_t count) {
    token.text = rest.take_front(count);
    rest = rest.drop_front(count);
  };
  uint64_t value;
  if (rest.starts_with_insensitive("0x")) {
    StringRef digits = rest.drop_front(2).take_while(llvm::isHexDigit);
    if (digits.empty() || digits.getAsInteger(16, value) || value > UINT32_MAX)
      return fail(begin, "a hexadecimal number has 1 to 32 bits");
    token.integer = static_cast<int32_t>(static_cast<uint32_t>(value));
    take(2 + digits.size());
    return token;
  }
  // Only the number 0 begins with 0, so 007 is three numbers.
  StringRef digits =
      rest.front() == '0' ? rest.take_front() : rest.take_while(llvm::isDigit);
  if (rest.drop_front(digits.size()).starts_with(".")) {
    StringRef fraction =
        rest.drop_front(digits.size() + 1).take_while(llvm::isDigit);
    token.kind = Token::Float;
    take(digits.size() + 1 + fraction.size());
    token.text.getAsDouble(token.number);
    if (std::isinf(static_cast<float>(token.number)))
      return fail(begin, "a float is less than 3.403e38");
  } else {
    if (digits.getAsInteger(10, value) || value > INT32_MAX)
      return fail(begin, "an int is at most 2147483647; 0x80000000 is the "
                         "least one");
    token.integer = static_cast<int32_t>(value);
    take(digits.size());
  }
  if (!rest.empty() && (llvm::isAlpha(rest.front()) || rest.front() == '_'))
    return fail(begin, "a number ends before a letter: Dag has no suffixes and "
                       "no exponents, and a float is written as 1000.0");
  return token;
}

Token Lexer::next() {
  skip();
  if (rest.empty())
    return Token{Token::End, rest};
  char first = rest.front();
  if (llvm::isDigit(first))
    return lexNumber();
  Token token;
  if (llvm::isAlpha(first) || first == '_') {
    token.kind = Token::Word;
    token.text =
        rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
  } else {
    if (rest.starts_with("*/"))
      return fail(rest.data(), "'*/' ends no comment; write a space between "
                               "the operators if it is meant as two");
    token.kind = Token::Symbol;
    for (StringRef symbol : {"<<", ">>", "<=", ">=", "&&", "||"})
      if (rest.starts_with(symbol))
        token.text = rest.take_front(2);
    if (token.text.empty() &&
        StringRef("{}()[].,;=:+-*/%<>&|^~").contains(first))
      token.text = rest.take_front();
    if (token.text.empty()) {
      std::string name = llvm::isPrint(first)
                             ? std::string(1, first)
                             : "\\x" + llvm::utohexstr(uint8_t(first));
      return fail(rest.data(), "Dag has no character '" + name + "'" +
                                   (first == '!' ? "; there is no logical not "
                                                   "and no test of equality"
                                                 : ""));
    }
    // `==` would otherwise be two tokens.
    if (rest.starts_with("=="))
      return fail(rest.data(),
                  "Dag has no '=='; for ints, use a <= b && a >= b");
  }
  rest = rest.drop_front(token.text.size());
  return token;
}

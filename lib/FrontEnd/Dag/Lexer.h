//===- Lexer.h - The tokens of a Dag program --------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_FRONTEND_DAG_LEXER_H
#define OBSIDIAN_LIB_FRONTEND_DAG_LEXER_H

#include "Graph.h"
#include "llvm/Support/SMLoc.h"

namespace mlir::obs::dag {

struct Token {
  enum Kind { End, Word, Int, Float, Symbol };
  Kind kind = End;
  StringRef text;
  int32_t integer = 0;
  double number = 0;

  llvm::SMLoc getLoc() const {
    return llvm::SMLoc::getFromPointer(text.data());
  }
  bool is(StringRef spelling) const {
    return (kind == Word || kind == Symbol) && text == spelling;
  }
};

/// Splits a text into tokens. After an error, all tokens are `End`. A copy
/// starts again at its place.
class Lexer {
public:
  Lexer(StringRef text, Diagnostics &diagnostics)
      : rest(text), diagnostics(&diagnostics), token(next()),
        following(next()) {}

  /// Returns the present token, and goes to the next one.
  Token take();
  /// All further tokens are `End`.
  void stop() { token.kind = following.kind = Token::End; }

private:
  Token next();
  /// Skips white space and comments. Comments can be nested.
  void skip();
  Token lexNumber();
  Token fail(const char *place, const Twine &message);

  StringRef rest;
  Diagnostics *diagnostics;

public:
  Token token, following;
};

} // namespace mlir::obs::dag

#endif // OBSIDIAN_LIB_FRONTEND_DAG_LEXER_H

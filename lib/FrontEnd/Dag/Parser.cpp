//===- Parser.cpp - From the text of a Dag program to its tree ------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckTypes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::obs::dag;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

namespace {
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

/// Splits a text into tokens. After an error, all tokens are `End`.
class Lexer {
public:
  Lexer(StringRef text, Diagnostics &diagnostics)
      : rest(text), diagnostics(diagnostics) {}

  Token next();

private:
  /// Skips white space and comments. Comments can be nested.
  void skip();
  Token lexNumber();
  Token fail(const char *place, const Twine &message);

  StringRef rest;
  Diagnostics &diagnostics;
};
} // namespace

Token Lexer::fail(const char *place, const Twine &message) {
  diagnostics.error(diagnostics.getLocation(llvm::SMLoc::getFromPointer(place)),
                    message);
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
    return token;
  }
  if (digits.getAsInteger(10, value) || value > INT32_MAX)
    return fail(begin, "an int is at most 2147483647");
  token.integer = static_cast<int32_t>(value);
  take(digits.size());
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

//===----------------------------------------------------------------------===//
// The grammar
//===----------------------------------------------------------------------===//

/// Deeper trees are an error, because the passes over trees are recursive.
static constexpr unsigned maxDepth = 500;

StringRef mlir::obs::dag::getSpelling(Opcode op) {
  static const char *const spellings[] = {"+",  "-",  "*",  "/",  "%", "<<",
                                          ">>", "&&", "||", "&",  "|", "^",
                                          "<",  "<=", ">",  ">=", "-", "~"};
  return spellings[static_cast<unsigned>(op)];
}

/// The binary operator of a symbol, with its precedence: 0 is the lowest.
static std::optional<std::pair<Opcode, unsigned>>
getBinary(const Token &token) {
  static const unsigned levels[] = {7, 7, 8, 8, 8, 6, 6, 1,
                                    0, 4, 2, 3, 5, 5, 5, 5};
  if (token.kind == Token::Symbol)
    for (unsigned op = 0; op < std::size(levels); ++op)
      if (token.text == getSpelling(static_cast<Opcode>(op)))
        return std::make_pair(static_cast<Opcode>(op), levels[op]);
  return std::nullopt;
}

namespace {
class Parser {
public:
  explicit Parser(Diagnostics &diagnostics)
      : diagnostics(diagnostics),
        lexer(diagnostics.sources
                  .getMemoryBuffer(diagnostics.sources.getMainFileID())
                  ->getBuffer(),
              diagnostics),
        checker(program, diagnostics) {
    token = lexer.next();
    following = lexer.next();
  }

  Program parseProgram();

private:
  using ExprPtr = std::unique_ptr<Expr>;

  /// Reports that another token was expected here.
  void expected(const Twine &what);
  /// Reports an error. All further tokens are `End`.
  void fail(llvm::SMLoc loc, const char *message);
  Token take();
  bool takeIf(StringRef spelling);
  void require(StringRef spelling, const char *after);
  Token requireName(const char *what);
  bool isKeyword() const;

  const DagType *parseType(Token &name, const char *what);
  Parameter parseParameter();
  void declareOnce(std::vector<Parameter> &params, const char *what);
  std::vector<Stmt> parseBlock();
  Stmt parseStmt();
  ExprPtr parseExpr(unsigned level = 0);
  ExprPtr parseUnary();
  ExprPtr parsePrimary();
  ExprPtr parseArgument(bool isFunction);
  void parseStruct();
  void parseFunction();
  ExprPtr create(Expr::Kind kind, llvm::SMLoc loc);
  void addArg(Expr &expr, ExprPtr arg);
  /// The expression, whose parts are complete, with its type.
  ExprPtr finish(ExprPtr expr) {
    checker.check(*expr);
    return expr;
  }

  Diagnostics &diagnostics;
  Lexer lexer;
  Program program;
  Checker checker;
  Token token, following;
  unsigned nesting = 0;
};
} // namespace

void Parser::fail(llvm::SMLoc loc, const char *message) {
  diagnostics.error(loc, message);
  token.kind = following.kind = Token::End;
}

void Parser::expected(const Twine &what) {
  std::string found = token.kind == Token::End ? "the end of the file"
                                               : "'" + token.text.str() + "'";
  fail(token.getLoc(), ("expected " + what + ", found " + found).str().c_str());
}

Token Parser::take() {
  Token taken = token;
  token = following;
  following =
      diagnostics.hasFailed() ? Token{Token::End, token.text} : lexer.next();
  if (diagnostics.hasFailed())
    token.kind = Token::End;
  return taken;
}

bool Parser::takeIf(StringRef spelling) {
  if (!token.is(spelling))
    return false;
  take();
  return true;
}

void Parser::require(StringRef spelling, const char *after) {
  if (!takeIf(spelling))
    expected("'" + spelling + "' " + after);
}

bool Parser::isKeyword() const {
  return token.is("return") || token.is("for") || token.is("struct") ||
         token.is("true") || token.is("false");
}

Token Parser::requireName(const char *what) {
  if (token.kind == Token::Word && !isKeyword())
    return take();
  expected(what);
  return token;
}

/// A type and the name after it, of which `what` tells its use.
const DagType *Parser::parseType(Token &name, const char *what) {
  Token word = requireName("a type");
  unsigned rank = 0;
  while (takeIf("[")) {
    require("]", "of an array type");
    if (++rank > 8)
      fail(word.getLoc(), "an array has at most 8 dimensions");
  }
  name = requireName(what);
  if (diagnostics.hasFailed())
    return nullptr;
  const DagType *type = checker.findType(word.text, word.getLoc());
  for (; type && rank > 0; --rank)
    type = checker.getArray(type);
  return type;
}

Parameter Parser::parseParameter() {
  Token name;
  const DagType *type = parseType(name, "a name after the type");
  return Parameter{type, name.text, name.getLoc()};
}

/// Adds a parameter or field, whose name is not that of another one.
void Parser::declareOnce(std::vector<Parameter> &params, const char *what) {
  Parameter param = parseParameter();
  for (const Parameter &other : params)
    if (other.name == param.name)
      diagnostics.error(param.loc, "{0} '{1}' stands here twice", what,
                        param.name);
  params.push_back(param);
}

Parser::ExprPtr Parser::create(Expr::Kind kind, llvm::SMLoc loc) {
  auto expr = std::make_unique<Expr>();
  expr->kind = kind;
  expr->loc = loc;
  return expr;
}

void Parser::addArg(Expr &expr, ExprPtr arg) {
  expr.depth = std::max(expr.depth, arg->depth + 1);
  if (expr.depth > maxDepth)
    fail(arg->loc,
         "this expression is nested too deeply; give names to its parts");
  expr.args.push_back(std::move(arg));
}

/// An argument of a call. A function, or an operator, has no type.
Parser::ExprPtr Parser::parseArgument(bool isFunction) {
  bool isAlone = following.is(",") || following.is(")");
  if (getBinary(token) && isAlone) {
    ExprPtr expr = create(Expr::Operator, token.getLoc());
    expr->op = getBinary(token)->first;
    take();
    return isFunction ? std::move(expr) : finish(std::move(expr));
  }
  if (isFunction && isAlone && token.kind == Token::Word && !isKeyword()) {
    ExprPtr expr = create(Expr::Name, token.getLoc());
    expr->name = take().text;
    return expr;
  }
  return parseExpr();
}

Parser::ExprPtr Parser::parsePrimary() {
  llvm::SMLoc loc = token.getLoc();
  if (token.kind == Token::Int || token.kind == Token::Float) {
    ExprPtr expr =
        create(token.kind == Token::Int ? Expr::Int : Expr::Float, loc);
    expr->integer = token.integer;
    expr->number = take().number;
    return finish(std::move(expr));
  }
  if (token.is("true") || token.is("false")) {
    ExprPtr expr = create(Expr::Bool, loc);
    expr->integer = take().is("true");
    return finish(std::move(expr));
  }
  if (takeIf("(")) {
    ExprPtr expr = parseExpr();
    require(")", "after an expression");
    return expr;
  }
  if (takeIf("for")) {
    ExprPtr expr = create(Expr::For, loc);
    require("(", "after 'for'");
    llvm::SMLoc typeLoc = token.getLoc();
    Parameter variable = parseParameter();
    expr->name = variable.name;
    require(":", "after the variable of a 'for'");
    addArg(*expr, parseExpr());
    require(")", "after the array of a 'for'");
    checker.scopes.emplace_back();
    checker.checkVariable(*expr->args[0], variable, typeLoc);
    expr->body = parseBlock();
    checker.scopes.pop_back();
    for (const Stmt &stmt : expr->body)
      expr->depth = std::max(expr->depth, stmt.value->depth + 1);
    return finish(std::move(expr));
  }
  if (takeIf("struct")) {
    ExprPtr expr = create(Expr::Struct, loc);
    expr->name = requireName("the name of a struct").text;
    require("{", "after the name of a struct");
    while (token.kind != Token::End && !token.is("}")) {
      Token field = requireName("the name of a field");
      expr->fields.emplace_back(field.text, field.getLoc());
      require("=", "after the name of a field");
      addArg(*expr, parseExpr());
      require(";", "after the value of a field");
    }
    require("}", "after the fields of a struct");
    return finish(std::move(expr));
  }
  if (token.kind == Token::Word && !isKeyword()) {
    Token name = take();
    ExprPtr expr = create(token.is("(") ? Expr::Call : Expr::Name, loc);
    expr->name = name.text;
    if (takeIf("(")) {
      bool takesFunction = Checker::takesFunction(name.text);
      if (!token.is(")"))
        do
          addArg(*expr, parseArgument(takesFunction && expr->args.empty()));
        while (takeIf(","));
      require(")", "after the arguments");
    }
    return finish(std::move(expr));
  }
  expected("an expression");
  return create(Expr::Int, loc);
}

Parser::ExprPtr Parser::parseUnary() {
  if (token.is("-") || token.is("~")) {
    ExprPtr expr = create(Expr::Unary, token.getLoc());
    expr->op = take().is("-") ? Opcode::Neg : Opcode::Not;
    if (++nesting > maxDepth)
      expected("fewer operators in one expression");
    addArg(*expr, parseUnary());
    --nesting;
    return finish(std::move(expr));
  }
  ExprPtr expr = parsePrimary();
  while (token.is("[") || token.is(".")) {
    llvm::SMLoc loc = token.getLoc();
    bool isIndex = take().is("[");
    ExprPtr outer = create(isIndex ? Expr::Index : Expr::Field, loc);
    addArg(*outer, std::move(expr));
    if (isIndex) {
      addArg(*outer, parseExpr());
      require("]", "after an index");
    } else {
      Token field = requireName("the name of a field");
      outer->name = field.text;
      outer->loc = field.getLoc();
    }
    expr = finish(std::move(outer));
  }
  return expr;
}

Parser::ExprPtr Parser::parseExpr(unsigned level) {
  if (++nesting > maxDepth)
    expected("fewer parts in one expression");
  ExprPtr expr = parseUnary();
  for (auto op = getBinary(token); op && op->second >= level;
       op = getBinary(token)) {
    ExprPtr outer = create(Expr::Binary, token.getLoc());
    outer->op = op->first;
    take();
    addArg(*outer, std::move(expr));
    addArg(*outer, parseExpr(op->second + 1));
    expr = finish(std::move(outer));
  }
  --nesting;
  return expr;
}

Stmt Parser::parseStmt() {
  llvm::SMLoc loc = token.getLoc();
  Stmt stmt{takeIf("return"), "", loc, nullptr};
  Parameter variable{};
  if (!stmt.isReturn) {
    variable = parseParameter();
    stmt.name = variable.name;
    require("=", "after the name of a variable");
  }
  stmt.value = parseExpr();
  require(";", "after a statement");
  if (stmt.isReturn || diagnostics.hasFailed())
    return stmt;
  if (variable.type != stmt.value->type)
    diagnostics.error(variable.loc,
                      "'{0}' is declared as {1}, and its value is {2}",
                      stmt.name, variable.type->str(), stmt.value->type->str());
  checker.declare(variable);
  return stmt;
}

std::vector<Stmt> Parser::parseBlock() {
  require("{", "before statements");
  std::vector<Stmt> stmts;
  checker.scopes.emplace_back();
  while (token.kind != Token::End && !token.is("}")) {
    if (!stmts.empty() && stmts.back().isReturn)
      fail(token.getLoc(), "a statement after 'return' never runs");
    else
      stmts.push_back(parseStmt());
  }
  checker.scopes.pop_back();
  llvm::SMLoc end = token.getLoc();
  require("}", "after statements");
  if (stmts.empty() || !stmts.back().isReturn)
    fail(end, "these statements must end with a 'return'");
  return stmts;
}

void Parser::parseStruct() {
  auto decl = std::make_unique<StructDecl>();
  Token name = requireName("the name of a struct");
  decl->name = name.text;
  decl->loc = name.getLoc();
  require("{", "after the name of a struct");
  while (token.kind != Token::End && !token.is("}")) {
    declareOnce(decl->fields, "field");
    require(";", "after a field");
  }
  require("}", "after the fields of a struct");
  require(";", "after a struct");
  checker.declare(*decl);
  program.structs.push_back(std::move(decl));
}

void Parser::parseFunction() {
  Token name;
  auto function = std::make_unique<Function>();
  function->result = parseType(name, "the name of a function");
  function->name = name.text;
  function->loc = name.getLoc();
  require("(", "after the name of a function");
  if (!token.is(")"))
    do
      declareOnce(function->params, "parameter");
    while (takeIf(","));
  require(")", "after the parameters");
  checker.scopes.assign(1, {});
  for (const Parameter &param : function->params)
    checker.scopes.back()[param.name] = param.type;
  function->body = parseBlock();
  if (!diagnostics.hasFailed()) {
    const Stmt &end = function->body.back();
    const DagType *type = end.value->type;
    if (type != function->result)
      diagnostics.error(end.loc, "'{0}' returns {1}, not {2}", function->name,
                        function->result->str(), type->str());
    checker.declare(*function);
  }
  program.functions.push_back(std::move(function));
}

Program Parser::parseProgram() {
  while (token.kind != Token::End && !diagnostics.hasFailed())
    takeIf("struct") ? parseStruct() : parseFunction();
  if (program.functions.empty())
    fail(token.getLoc(), "the program has no function");
  return std::move(program);
}

Program mlir::obs::dag::parse(Diagnostics &diagnostics) {
  return Parser(diagnostics).parseProgram();
}

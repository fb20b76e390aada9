//===- Parser.cpp - From the text of a Dag program to its tree ------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"

using namespace mlir;
using namespace mlir::obs::dag;

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
              diagnostics) {
    token = lexer.next();
    following = lexer.next();
  }

  Program parseProgram();

private:
  using ExprPtr = std::unique_ptr<Expr>;

  /// Reports that another token was expected here. All further tokens are
  /// `End`.
  void expected(const Twine &what);
  Token take();
  bool takeIf(StringRef spelling);
  void require(StringRef spelling, const char *after);
  Token requireName(const char *what);
  bool isKeyword() const;

  TypeName parseType();
  Parameter parseParameter();
  std::vector<Stmt> parseBlock();
  Stmt parseStmt();
  ExprPtr parseExpr(unsigned level = 0);
  ExprPtr parseUnary();
  ExprPtr parsePrimary();
  ExprPtr parseArgument();
  ExprPtr create(Expr::Kind kind, llvm::SMLoc loc);
  void addArg(Expr &expr, ExprPtr arg);

  Diagnostics &diagnostics;
  Lexer lexer;
  Token token, following;
  unsigned nesting = 0;
};
} // namespace

void Parser::expected(const Twine &what) {
  std::string found = token.kind == Token::End ? "the end of the file"
                                               : "'" + token.text.str() + "'";
  diagnostics.error(token.getLoc(), "expected " + what + ", found " + found);
  token.kind = following.kind = Token::End;
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

TypeName Parser::parseType() {
  Token name = requireName("a type");
  TypeName type{name.text, 0, name.getLoc()};
  while (token.is("[")) {
    take();
    require("]", "of an array type");
    if (++type.rank > 8) {
      diagnostics.error(name.getLoc(), "an array has at most 8 dimensions");
      token.kind = Token::End;
    }
  }
  return type;
}

Parameter Parser::parseParameter() {
  TypeName type = parseType();
  Token name = requireName("a name after the type");
  return Parameter{type, name.text, name.getLoc()};
}

Parser::ExprPtr Parser::create(Expr::Kind kind, llvm::SMLoc loc) {
  auto expr = std::make_unique<Expr>();
  expr->kind = kind;
  expr->loc = loc;
  return expr;
}

void Parser::addArg(Expr &expr, ExprPtr arg) {
  expr.depth = std::max(expr.depth, arg->depth + 1);
  if (expr.depth > maxDepth && !diagnostics.hasFailed()) {
    diagnostics.error(arg->loc, "this expression is nested too deeply; give "
                                "names to its parts");
    token.kind = Token::End;
  }
  expr.args.push_back(std::move(arg));
}

Parser::ExprPtr Parser::parseArgument() {
  if (getBinary(token) && (following.is(",") || following.is(")"))) {
    ExprPtr expr = create(Expr::Operator, token.getLoc());
    expr->op = getBinary(token)->first;
    take();
    return expr;
  }
  return parseExpr();
}

Parser::ExprPtr Parser::parsePrimary() {
  llvm::SMLoc loc = token.getLoc();
  if (token.kind == Token::Int) {
    ExprPtr expr = create(Expr::Int, loc);
    expr->integer = take().integer;
    return expr;
  }
  if (token.kind == Token::Float) {
    ExprPtr expr = create(Expr::Float, loc);
    expr->number = take().number;
    return expr;
  }
  if (token.is("true") || token.is("false")) {
    ExprPtr expr = create(Expr::Bool, loc);
    expr->integer = take().is("true");
    return expr;
  }
  if (takeIf("(")) {
    ExprPtr expr = parseExpr();
    require(")", "after an expression");
    return expr;
  }
  if (takeIf("for")) {
    ExprPtr expr = create(Expr::For, loc);
    require("(", "after 'for'");
    Parameter variable = parseParameter();
    expr->typeName = variable.typeName;
    expr->name = variable.name;
    require(":", "after the variable of a 'for'");
    addArg(*expr, parseExpr());
    require(")", "after the array of a 'for'");
    expr->body = parseBlock();
    for (const Stmt &stmt : expr->body)
      expr->depth = std::max(expr->depth, stmt.value->depth + 1);
    return expr;
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
    return expr;
  }
  if (token.kind == Token::Word && !isKeyword()) {
    Token name = take();
    ExprPtr expr = create(token.is("(") ? Expr::Call : Expr::Name, loc);
    expr->name = name.text;
    if (takeIf("(")) {
      if (!token.is(")"))
        do
          addArg(*expr, parseArgument());
        while (takeIf(","));
      require(")", "after the arguments");
    }
    return expr;
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
    return expr;
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
    expr = std::move(outer);
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
    expr = std::move(outer);
  }
  --nesting;
  return expr;
}

Stmt Parser::parseStmt() {
  llvm::SMLoc loc = token.getLoc();
  Stmt stmt{takeIf("return"), {}, "", loc, nullptr};
  if (!stmt.isReturn) {
    Parameter variable = parseParameter();
    stmt.typeName = variable.typeName;
    stmt.name = variable.name;
    stmt.loc = variable.loc;
    require("=", "after the name of a variable");
  }
  stmt.value = parseExpr();
  require(";", "after a statement");
  return stmt;
}

std::vector<Stmt> Parser::parseBlock() {
  require("{", "before statements");
  std::vector<Stmt> stmts;
  llvm::SMLoc end;
  while (token.kind != Token::End && !token.is("}")) {
    if (!stmts.empty() && stmts.back().isReturn) {
      diagnostics.error(token.getLoc(),
                        "a statement after 'return' never runs");
      token.kind = Token::End;
      break;
    }
    stmts.push_back(parseStmt());
  }
  end = token.getLoc();
  require("}", "after statements");
  if (!diagnostics.hasFailed() && (stmts.empty() || !stmts.back().isReturn)) {
    diagnostics.error(end, "these statements must end with a 'return'");
    token.kind = Token::End;
  }
  return stmts;
}

Program Parser::parseProgram() {
  Program program;
  while (token.kind != Token::End) {
    if (takeIf("struct")) {
      auto decl = std::make_unique<StructDecl>();
      Token name = requireName("the name of a struct");
      decl->name = name.text;
      decl->loc = name.getLoc();
      require("{", "after the name of a struct");
      while (token.kind != Token::End && !token.is("}")) {
        decl->fields.push_back(parseParameter());
        require(";", "after a field");
      }
      require("}", "after the fields of a struct");
      require(";", "after a struct");
      program.order.emplace_back(decl.get(), nullptr);
      program.structs.push_back(std::move(decl));
      continue;
    }
    auto function = std::make_unique<Function>();
    function->resultName = parseType();
    Token name = requireName("the name of a function");
    function->name = name.text;
    function->loc = name.getLoc();
    require("(", "after the name of a function");
    if (!token.is(")"))
      do
        function->params.push_back(parseParameter());
      while (takeIf(","));
    require(")", "after the parameters");
    function->body = parseBlock();
    program.order.emplace_back(nullptr, function.get());
    program.functions.push_back(std::move(function));
  }
  if (!diagnostics.hasFailed() && program.functions.empty())
    diagnostics.error(token.getLoc(), "the program has no function");
  return program;
}

Program mlir::obs::dag::parse(Diagnostics &diagnostics) {
  return Parser(diagnostics).parseProgram();
}

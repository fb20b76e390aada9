//===- Parser.cpp - From the text of a Dag program to its graph -----------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "llvm/ADT/STLExtras.h"
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
} // namespace

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
// Operators and primitives
//===----------------------------------------------------------------------===//

namespace {
enum class Operands { Numbers, Ints, Bools };

/// A binary operator, with its precedence: 0 is the lowest.
struct Operator {
  StringLiteral spelling;
  Opcode opcode;
  unsigned precedence;
  Operands operands;
  bool isTest = false;
};
} // namespace

static const Operator operators[] = {
    {"||", Opcode::OrOr, 0, Operands::Bools},
    {"&&", Opcode::AndAnd, 1, Operands::Bools},
    {"|", Opcode::Or, 2, Operands::Ints},
    {"^", Opcode::Xor, 3, Operands::Ints},
    {"&", Opcode::And, 4, Operands::Ints},
    {"<", Opcode::Lt, 5, Operands::Numbers, /*isTest=*/true},
    {"<=", Opcode::Le, 5, Operands::Numbers, /*isTest=*/true},
    {">", Opcode::Gt, 5, Operands::Numbers, /*isTest=*/true},
    {">=", Opcode::Ge, 5, Operands::Numbers, /*isTest=*/true},
    {"<<", Opcode::Shl, 6, Operands::Ints},
    {">>", Opcode::Shr, 6, Operands::Ints},
    {"+", Opcode::Add, 7, Operands::Numbers},
    {"-", Opcode::Sub, 7, Operands::Numbers},
    {"*", Opcode::Mul, 8, Operands::Numbers},
    {"/", Opcode::Div, 8, Operands::Numbers},
    {"%", Opcode::Rem, 8, Operands::Numbers}};

static const Operator *findOperator(const Token &token) {
  const Operator *found = llvm::find_if(
      operators, [&](const Operator &op) { return token.is(op.spelling); });
  return found == std::end(operators) ? nullptr : found;
}

namespace {
/// A primitive.
struct Signature {
  StringLiteral name;
  unsigned count; ///< The number of arguments; of `zip_with` the least number.
  bool takesFunction = false;
  /// The first argument besides the function that has to be an array, as those
  /// after it.
  unsigned firstArray = 2;
};
} // namespace

/// The primitive of a name; null if there is none.
static const Signature *findPrimitive(StringRef name) {
  static const Signature signatures[] = {{"zip_with", 2, true, 0},
                                         {"map", 2, true, 0},
                                         {"filter_with", 2, false, 0},
                                         {"reduce", 3, true, 1},
                                         {"scan", 3, true, 1},
                                         {"range", 1},
                                         {"transpose", 1},
                                         {"min", 2},
                                         {"max", 2},
                                         {"log2", 1},
                                         {"float_of_int", 1},
                                         {"int_of_float", 1},
                                         {"dim", 1}};
  unsigned dimension;
  if (name.starts_with("dim") &&
      !name.drop_front(3).getAsInteger(10, dimension))
    return std::end(signatures) - 1;
  for (const Signature &signature : ArrayRef(signatures).drop_back())
    if (signature.name == name)
      return &signature;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// The grammar
//===----------------------------------------------------------------------===//

/// The parser is recursive over expressions and calls.
static constexpr unsigned maxNesting = 2000, maxCallDepth = 200;

namespace {
/// A function of the program. Each call parses its statements again, with the
/// arguments as its variables.
struct Function {
  const DagType *result;
  StringRef name;
  llvm::SMLoc loc;
  std::vector<Variable> params;
  Lexer body; ///< At the begin of the statements.
};

/// A value, and its place in the source.
struct Operand {
  Node *node;
  llvm::SMLoc loc;
};

/// An operator, or the name of a function, as the argument of a primitive.
struct Callee {
  const Operator *op = nullptr;
  StringRef name;
  llvm::SMLoc loc;
};

/// Parses a program, checks its types and makes the graph, all in one pass:
/// names are declared before their uses, so the values of all parts of an
/// expression are known when the expression is parsed. After an error, all
/// tokens are `End`, and values are arbitrary ones.
class Parser {
public:
  explicit Parser(Graph &graph)
      : graph(graph), diagnostics(graph.diagnostics),
        lexer(diagnostics.sources
                  .getMemoryBuffer(diagnostics.sources.getMainFileID())
                  ->getBuffer(),
              diagnostics) {
    for (const DagType *type : {graph.intType, graph.floatType, graph.boolType})
      namedTypes[type->name] = type;
  }

  void parseProgram(StringRef entry);

private:
  /// Reports an error. The parts replace {0}, {1} and so on in the message.
  template <typename... Parts>
  Node *error(llvm::SMLoc loc, const char *message, const Parts &...parts) {
    return error(diagnostics.getLocation(loc),
                 llvm::formatv(message, parts...).str());
  }
  Node *error(Location loc, const Twine &message) {
    diagnostics.error(loc, message);
    lexer.stop();
    graph.onlyTypes = true;
    return graph.constant(0);
  }
  /// Reports that another token was expected here.
  void expected(const Twine &what);
  const Token &token() const { return lexer.token; }
  bool takeIf(StringRef spelling);
  void require(StringRef spelling, const char *after);
  Token requireName(const char *what);
  bool isName() const;

  // Declarations.
  const DagType *parseType(Token &name, const char *what);
  Variable parseVariable();
  void declareOnce(std::vector<Variable> &variables, const char *what);
  void declare(const Variable &variable, Node *value);
  Node *find(StringRef variable) const;
  void parseStruct();
  void parseFunction();

  // Statements and expressions.
  Operand parseBlock();
  Operand parseExpr(unsigned precedence = 0);
  Operand parseUnary();
  Operand parsePrimary();
  Node *parseFor(llvm::SMLoc loc);
  Node *parseStructValue(llvm::SMLoc loc);
  Node *parseCall(const Token &name);
  bool isAlone() const;
  Callee parseCallee();
  Node *getBinary(const Operator &op, llvm::SMLoc loc, Node *left, Node *right,
                  Node *guard = nullptr);
  Node *getPrimitive(const Signature &signature, StringRef name,
                     llvm::SMLoc loc, const Callee &callee,
                     ArrayRef<Operand> args);
  const Function *findFunction(StringRef name) const;
  Node *call(const Function &function, ArrayRef<Operand> args);
  Node *evaluate(const Function &function, std::vector<Node *> args);
  Node *apply(const Callee &callee, ArrayRef<Node *> args);

  /// The next nodes are at `loc`.
  void setLoc(llvm::SMLoc loc) { graph.loc = diagnostics.getLocation(loc); }

  Graph &graph;
  Diagnostics &diagnostics;
  Lexer lexer;
  std::map<StringRef, const DagType *> namedTypes;
  std::deque<Function> functions; ///< In the order of the source.
  /// The variables of the blocks around the current place.
  std::vector<std::map<StringRef, Node *>> scopes;
  /// The function, its arguments, and the place of the call.
  using CallKey =
      std::tuple<const Function *, std::vector<Node *>, std::vector<Node *>>;
  std::map<CallKey, Node *> results;
  unsigned nesting = 0, callDepth = 0;
};
} // namespace

void Parser::expected(const Twine &what) {
  error(token().getLoc(), "expected {0}, found {1}", what.str(),
        token().kind == Token::End ? "the end of the file"
                                   : "'" + token().text.str() + "'");
}

bool Parser::takeIf(StringRef spelling) {
  bool isNext = token().is(spelling);
  if (isNext)
    lexer.take();
  return isNext;
}

void Parser::require(StringRef spelling, const char *after) {
  if (!takeIf(spelling))
    expected("'" + spelling + "' " + after);
}

bool Parser::isName() const {
  return token().kind == Token::Word && !token().is("return") &&
         !token().is("for") && !token().is("struct") && !token().is("true") &&
         !token().is("false");
}

Token Parser::requireName(const char *what) {
  if (isName())
    return lexer.take();
  expected(what);
  return token();
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

/// A type and the name after it, of which `what` tells its use.
const DagType *Parser::parseType(Token &name, const char *what) {
  Token word = requireName("a type");
  unsigned rank = 0;
  while (takeIf("[")) {
    require("]", "of an array type");
    if (++rank > 8)
      error(word.getLoc(), "an array has at most 8 dimensions");
  }
  name = requireName(what);
  auto it = namedTypes.find(word.text);
  if (it == namedTypes.end())
    error(word.getLoc(), "there is no type '{0}' above", word.text);
  const DagType *type = it == namedTypes.end() ? graph.intType : it->second;
  for (; rank > 0; --rank)
    type = graph.getArray(type);
  return type;
}

Variable Parser::parseVariable() {
  Token name;
  const DagType *type = parseType(name, "a name after the type");
  return Variable{type, name.text, name.getLoc()};
}

/// Adds a parameter or field, whose name is not that of another one.
void Parser::declareOnce(std::vector<Variable> &variables, const char *what) {
  Variable variable = parseVariable();
  for (const Variable &other : variables)
    if (other.name == variable.name)
      error(variable.loc, "{0} '{1}' stands here twice", what, variable.name);
  variables.push_back(variable);
}

Node *Parser::find(StringRef variable) const {
  for (const auto &scope : scopes)
    if (auto it = scope.find(variable); it != scope.end())
      return it->second;
  return nullptr;
}

void Parser::declare(const Variable &variable, Node *value) {
  if (find(variable.name))
    error(variable.loc, "'{0}' is already a variable here; choose another name",
          variable.name);
  scopes.back()[variable.name] = value;
}

void Parser::parseStruct() {
  Token name = requireName("the name of a struct");
  DagType type{DagType::Struct, nullptr, name.text};
  require("{", "after the name of a struct");
  while (token().kind != Token::End && !token().is("}")) {
    declareOnce(type.fields, "field");
    require(";", "after a field");
  }
  require("}", "after the fields of a struct");
  require(";", "after a struct");
  if (type.fields.empty())
    error(name.getLoc(), "a struct has at least one field");
  if (!namedTypes.try_emplace(name.text, graph.addType(type)).second)
    error(name.getLoc(), "there is already a type '{0}' above", name.text);
}

void Parser::parseFunction() {
  Token name;
  const DagType *result = parseType(name, "the name of a function");
  Function function{result, name.text, name.getLoc(), {}, lexer};
  require("(", "after the name of a function");
  if (!token().is(")"))
    do
      declareOnce(function.params, "parameter");
    while (takeIf(","));
  require(")", "after the parameters");
  function.body = lexer;
  scopes.assign(1, {});
  for (const Variable &param : function.params)
    scopes.back()[param.name] = graph.make(Node::Param, param.type, {});
  Operand value = parseBlock();
  if (value.node->type != result)
    error(value.loc, "'{0}' returns {1}, not {2}", name.text, result->str(),
          value.node->type->str());
  if (findFunction(name.text))
    error(name.getLoc(), "there is already a function '{0}' above", name.text);
  functions.push_back(std::move(function));
}

void Parser::parseProgram(StringRef name) {
  // The types of all functions are checked, also of those that are not called.
  graph.onlyTypes = true;
  while (token().kind != Token::End)
    takeIf("struct") ? parseStruct() : parseFunction();
  if (functions.empty())
    error(token().getLoc(), "the program has no function");
  if (diagnostics.hasFailed())
    return;
  const Function *entry = name.empty() ? &functions.back() : findFunction(name);
  if (!entry) {
    error(functions.back().loc,
          "the program has no function '{0}'; its last one is '{1}'", name,
          functions.back().name);
    return;
  }
  graph.onlyTypes = false;
  graph.name = entry->name;
  setLoc(entry->loc);
  std::vector<Node *> args;
  for (const Variable &param : entry->params)
    args.push_back(graph.makeParam(param.type, param.name.str(),
                                   diagnostics.getLocation(param.loc)));
  graph.result = evaluate(*entry, args);
}

//===----------------------------------------------------------------------===//
// Statements and expressions
//===----------------------------------------------------------------------===//

/// The value of the statements, at the place of the `return`.
Operand Parser::parseBlock() {
  require("{", "before statements");
  Operand result{nullptr, {}};
  scopes.emplace_back();
  while (token().kind != Token::End && !token().is("}")) {
    llvm::SMLoc loc = token().getLoc();
    if (result.node)
      error(loc, "a statement after 'return' never runs");
    if (takeIf("return")) {
      result = {parseExpr().node, loc};
    } else {
      Variable variable = parseVariable();
      require("=", "after the name of a variable");
      Node *value = parseExpr().node;
      if (variable.type != value->type)
        error(variable.loc, "'{0}' is declared as {1}, and its value is {2}",
              variable.name, variable.type->str(), value->type->str());
      declare(variable, value);
    }
    require(";", "after a statement");
  }
  scopes.pop_back();
  llvm::SMLoc end = token().getLoc();
  require("}", "after statements");
  if (!result.node)
    result = {error(end, "these statements must end with a 'return'"), end};
  return result;
}

Operand Parser::parseExpr(unsigned precedence) {
  if (++nesting > maxNesting)
    error(token().getLoc(),
          "this expression is nested too deeply; give names to its parts");
  Operand left = parseUnary();
  for (const Operator *op = findOperator(token());
       op && op->precedence >= precedence; op = findOperator(token())) {
    llvm::SMLoc loc = lexer.take().getLoc();
    // The second operand is computed at a place of its own if it is needed.
    Node *guard = nullptr;
    if (op->operands == Operands::Bools) {
      guard = graph.make(Node::Guard, nullptr, {});
      graph.chain.push_back(guard);
    }
    Node *right = parseExpr(op->precedence + 1).node;
    if (guard)
      graph.chain.pop_back();
    setLoc(loc);
    left = {getBinary(*op, loc, left.node, right, guard), loc};
  }
  --nesting;
  return left;
}

Node *Parser::getBinary(const Operator &op, llvm::SMLoc loc, Node *left,
                        Node *right, Node *guard) {
  static const char *const operands[] = {"two ints or two floats", "two ints",
                                         "two bools"};
  const DagType *type = left->type;
  bool isRight = op.operands == Operands::Bools  ? type == graph.boolType
                 : op.operands == Operands::Ints ? type == graph.intType
                                                 : type->isNumber();
  if (!isRight || type != right->type)
    return error(loc, "'{0}' takes {1}, not {2} and {3}", op.spelling,
                 operands[static_cast<unsigned>(op.operands)], type->str(),
                 right->type->str());
  std::vector<Node *> ops{left, right};
  if (guard && !right->isSafe)
    ops.push_back(guard);
  return graph.scalar(op.opcode, op.isTest ? graph.boolType : type,
                      std::move(ops));
}

Operand Parser::parseUnary() {
  llvm::SMLoc loc = token().getLoc();
  if (token().is("-") || token().is("~")) {
    bool isNot = lexer.take().is("~");
    if (++nesting > maxNesting)
      error(loc, "this expression is nested too deeply; give names to its "
                 "parts");
    Node *value = parseUnary().node;
    --nesting;
    setLoc(loc);
    if (isNot ? value->type == graph.intType : value->type->isNumber())
      return {
          graph.scalar(isNot ? Opcode::Not : Opcode::Neg, value->type, {value}),
          loc};
    return {error(loc, "'{0}' takes {1}, not {2}", isNot ? "~" : "-",
                  isNot ? "an int" : "an int or a float", value->type->str()),
            loc};
  }
  Operand value = parsePrimary();
  while (token().is("[") || token().is(".")) {
    const DagType *type = value.node->type;
    loc = token().getLoc();
    if (takeIf("[")) {
      Operand index = parseExpr();
      require("]", "after an index");
      setLoc(loc);
      value = {!type->isArray()
                   ? error(loc, "only arrays have elements; this is {0}",
                           type->str())
               : index.node->type != graph.intType
                   ? error(index.loc, "an index is an int, not {0}",
                           index.node->type->str())
                   : graph.index(value.node, index.node),
               loc};
      continue;
    }
    lexer.take();
    Token field = requireName("the name of a field");
    setLoc(loc = field.getLoc());
    int number = type->find(field.text);
    value = {
        type->kind != DagType::Struct
            ? error(loc, "only structs have fields; this is {0}", type->str())
        : number < 0 ? error(loc, "struct '{0}' has no field '{1}'", type->name,
                             field.text)
                     : graph.field(value.node, number),
        loc};
  }
  return value;
}

Operand Parser::parsePrimary() {
  Token first = token();
  llvm::SMLoc loc = first.getLoc();
  setLoc(loc);
  if (first.kind == Token::Int || first.kind == Token::Float) {
    lexer.take();
    bool isInt = first.kind == Token::Int;
    return {graph.make(Node::Const, isInt ? graph.intType : graph.floatType, {},
                       first.integer, first.number),
            loc};
  }
  if (takeIf("true") || takeIf("false"))
    return {graph.make(Node::Const, graph.boolType, {}, first.is("true")), loc};
  if (takeIf("(")) {
    Operand value = parseExpr();
    require(")", "after an expression");
    return value;
  }
  if (takeIf("for"))
    return {parseFor(loc), loc};
  if (takeIf("struct"))
    return {parseStructValue(loc), loc};
  if (!isName()) {
    expected("an expression");
    return {graph.constant(0), loc};
  }
  lexer.take();
  if (takeIf("("))
    return {parseCall(first), loc};
  Node *value = find(first.text);
  if (!value)
    value = error(loc,
                  findFunction(first.text) ? "'{0}' is a function, not a value"
                                           : "there is no variable '{0}' here",
                  first.text);
  return {value, loc};
}

Node *Parser::parseFor(llvm::SMLoc loc) {
  require("(", "after 'for'");
  llvm::SMLoc typeLoc = token().getLoc();
  Variable variable = parseVariable();
  require(":", "after the variable of a 'for'");
  Operand array = parseExpr();
  require(")", "after the array of a 'for'");
  const DagType *type = array.node->type;
  if (!type->isArray())
    return error(array.loc, "a 'for' runs over an array, not over {0}",
                 type->str());
  if (type->element != variable.type)
    return error(typeLoc, "the elements of this array are {0}, not {1}",
                 type->element->str(), variable.type->str());
  setLoc(loc);
  scopes.emplace_back();
  Node *result = graph.build(graph.getDim(array.node, 0), [&](Node *i) {
    declare(variable, graph.index(array.node, i));
    return parseBlock().node;
  });
  scopes.pop_back();
  return result;
}

Node *Parser::parseStructValue(llvm::SMLoc loc) {
  StringRef name = requireName("the name of a struct").text;
  require("{", "after the name of a struct");
  std::vector<std::pair<Token, Operand>> values;
  while (token().kind != Token::End && !token().is("}")) {
    Token field = requireName("the name of a field");
    require("=", "after the name of a field");
    values.emplace_back(field, parseExpr());
    require(";", "after the value of a field");
  }
  require("}", "after the fields of a struct");
  auto it = namedTypes.find(name);
  if (it == namedTypes.end() || it->second->kind != DagType::Struct)
    return error(loc, "there is no struct '{0}' above", name);
  const DagType *type = it->second;
  std::vector<Node *> parts(type->fields.size());
  for (auto &[field, value] : values) {
    int number = type->find(field.text);
    if (number < 0)
      return error(field.getLoc(), "struct '{0}' has no field '{1}'", name,
                   field.text);
    if (parts[number])
      return error(field.getLoc(), "field '{0}' has two values", field.text);
    const DagType *expected = type->fields[number].type;
    if (expected != value.node->type)
      return error(value.loc, "field '{0}' is {1}, not {2}", field.text,
                   expected->str(), value.node->type->str());
    parts[number] = value.node;
  }
  for (auto [field, part] : llvm::zip(type->fields, parts))
    if (!part)
      return error(loc, "field '{0}' of struct '{1}' has no value", field.name,
                   name);
  setLoc(loc);
  return graph.make(Node::Tuple, type, std::move(parts));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

const Function *Parser::findFunction(StringRef name) const {
  auto it = llvm::find_if(functions,
                          [&](const Function &f) { return f.name == name; });
  return it == functions.end() ? nullptr : &*it;
}

Node *Parser::parseCall(const Token &name) {
  llvm::SMLoc loc = name.getLoc();
  const Signature *signature = findPrimitive(name.text);
  std::optional<Callee> callee;
  SmallVector<Operand> args;
  bool takesFunction = signature && signature->takesFunction;
  if (!token().is(")"))
    do {
      if (takesFunction && !callee)
        callee = parseCallee();
      else if (isAlone() && findOperator(token()))
        error(token().getLoc(), "an operator is no value; only primitives take "
                                "one as their first argument");
      else
        args.push_back(parseExpr());
    } while (takeIf(","));
  require(")", "after the arguments");
  const Function *function = findFunction(name.text);
  if (!signature && !function)
    return error(loc,
                 "there is no function '{0}' above; functions are not "
                 "recursive",
                 name.text);
  size_t given = args.size() + callee.has_value();
  size_t count = signature ? signature->count : function->params.size();
  if (name.text == "zip_with") {
    if (given < count)
      return error(loc, "'zip_with' takes a function and its arrays");
  } else if (given != count) {
    return error(loc, "'{0}' takes {1} {2}, not {3}", name.text, count,
                 count == 1 ? "argument" : "arguments", given);
  }
  setLoc(loc);
  return signature ? getPrimitive(*signature, name.text, loc,
                                  callee.value_or(Callee()), args)
                   : call(*function, args);
}

/// True if the token is a whole argument.
bool Parser::isAlone() const {
  return lexer.following.is(",") || lexer.following.is(")");
}

Callee Parser::parseCallee() {
  llvm::SMLoc loc = token().getLoc();
  if (!isAlone() || (!isName() && !findOperator(token()))) {
    loc = parseExpr().loc;
    return Callee{nullptr, {}, loc};
  }
  const Operator *op = findOperator(token());
  return Callee{op, lexer.take().text, loc};
}

Node *Parser::call(const Function &function, ArrayRef<Operand> args) {
  std::vector<Node *> values;
  for (auto [param, arg] : llvm::zip(function.params, args)) {
    if (param.type != arg.node->type)
      return error(arg.loc, "parameter '{0}' of '{1}' is {2}, not {3}",
                   param.name, function.name, param.type->str(),
                   arg.node->type->str());
    values.push_back(arg.node);
  }
  return graph.onlyTypes ? graph.make(Node::Param, function.result, {})
                         : evaluate(function, std::move(values));
}

/// The value of a function, whose statements are parsed again.
Node *Parser::evaluate(const Function &function, std::vector<Node *> args) {
  // At one place, a function has no other inputs. Without this table, functions
  // that call others twice would be evaluated exponentially often.
  CallKey key(&function, args,
              std::vector<Node *>(graph.chain.begin(), graph.chain.end()));
  if (auto known = results.find(key); known != results.end())
    return known->second;
  if (++callDepth > maxCallDepth)
    return error(graph.loc, "more than " + Twine(maxCallDepth) +
                                " calls are inside of each other");
  Location outer = graph.loc;
  std::map<StringRef, Node *> variables;
  for (auto [param, arg] : llvm::zip(function.params, args))
    variables[param.name] = arg;
  auto outerScopes = std::exchange(scopes, {std::move(variables)});
  Lexer after = std::exchange(lexer, function.body);
  Node *value = parseBlock().node;
  lexer = after;
  if (diagnostics.hasFailed())
    lexer.stop();
  scopes = std::move(outerScopes);
  graph.loc = outer;
  --callDepth;
  return results[key] = value;
}

Node *Parser::apply(const Callee &callee, ArrayRef<Node *> args) {
  if (callee.op) {
    if (args.size() != 2)
      return error(callee.loc, "'{0}' takes 2 values, and {1} are given",
                   callee.op->spelling, args.size());
    return getBinary(*callee.op, callee.loc, args[0], args[1]);
  }
  const Function *function = findFunction(callee.name);
  if (!function || find(callee.name))
    return error(callee.loc, "expected an operator or the name of a function "
                             "that stands above");
  size_t count = function->params.size();
  if (count != args.size())
    return error(callee.loc,
                 "'{0}' has {1} parameters, and is called with {2} values",
                 callee.name, count, args.size());
  return call(*function, llvm::map_to_vector(args, [&](Node *arg) {
    return Operand{arg, callee.loc};
  }));
}

Node *Parser::getPrimitive(const Signature &signature, StringRef name,
                           llvm::SMLoc loc, const Callee &callee,
                           ArrayRef<Operand> args) {
  auto typeOf = [&](size_t k) { return args[k].node->type; };
  auto convert = [&](Opcode op, const DagType *from, const DagType *to) {
    return typeOf(0) == from ? graph.scalar(op, to, {args[0].node})
                             : error(args[0].loc, "'{0}' takes {1}, not {2}",
                                     name, from->str(), typeOf(0)->str());
  };
  for (size_t k = signature.firstArray; k < args.size(); ++k)
    if (!typeOf(k)->isArray())
      return error(args[k].loc, "'{0}' takes an array here, not {1}", name,
                   typeOf(k)->str());

  if (name == "zip_with" || name == "map") {
    Node *length = graph.getDim(args[0].node, 0);
    for (const Operand &array : args.drop_front())
      graph.expectEqual(length, graph.getDim(array.node, 0),
                        "the arrays of 'zip_with' have different lengths");
    return graph.build(length, [&](Node *i) {
      SmallVector<Node *> elements;
      for (const Operand &array : args)
        elements.push_back(graph.index(
            array.node, i, graph.getDim(array.node, 0)->free.empty()));
      return apply(callee, elements);
    });
  }
  if (name == "filter_with") {
    if (typeOf(1)->element != graph.boolType)
      return error(args[1].loc, "'filter_with' takes bool[] here, not {0}",
                   typeOf(1)->str());
    Node *array = args[0].node, *flags = args[1].node;
    Node *length = graph.getDim(array, 0);
    // Rows are not moved: the numbers of the rows are filtered.
    bool hasRows = typeOf(0)->element->hasArrays();
    Node *moved = hasRows ? graph.range(length) : array;
    Node *kept = graph.make(Node::Filter, moved->type, {moved, flags});
    graph.expectEqual(length, graph.getDim(flags, 0),
                      "the arrays of 'filter_with' have different lengths",
                      kept);
    if (!hasRows)
      return kept;
    return graph.build(graph.getDim(kept, 0), [&](Node *i) {
      return graph.index(array, graph.index(kept, i), /*isSafe=*/true);
    });
  }
  if (name == "reduce" || name == "scan") {
    const DagType *element = typeOf(1)->element;
    if (typeOf(0) != element)
      return error(args[0].loc,
                   "the first value is {0}, and the elements are {1}",
                   typeOf(0)->str(), element->str());
    if (element->hasArrays())
      return error(args[1].loc,
                   "'{0}' combines numbers, bools and structs of these, not "
                   "{1}",
                   name, element->str());
    int64_t attr = callee.op ? 1 + static_cast<int64_t>(callee.op->opcode) : 0;
    return graph.fold(
        name == "reduce" ? Node::Reduce : Node::Scan, args[0].node,
        args[1].node, attr, [&](Node *x, Node *y) {
          Node *combined = apply(callee, {x, y});
          if (combined->type != element)
            error(callee.loc,
                  "this function combines two {0} to {1}, not to {0}",
                  element->str(), combined->type->str());
          return combined;
        });
  }
  if (name == "range") {
    Node *length = args[0].node;
    if (typeOf(0) != graph.intType)
      return error(args[0].loc, "'range' takes int, not {0}", typeOf(0)->str());
    // An array with a negative number of elements is empty.
    if (!length->is(Node::ParamDim) && !length->is(Node::Count) &&
        !length->is(Node::LoopVar) && !length->isBetween(0, INT64_MAX))
      length =
          graph.scalar(Opcode::Max, graph.intType, {length, graph.constant(0)});
    return graph.range(length);
  }
  if (name == "transpose") {
    if (typeOf(0)->getRank() < 2)
      return error(args[0].loc, "'transpose' takes an array of arrays, not {0}",
                   typeOf(0)->str());
    Node *array = args[0].node;
    Node *rows = graph.getDim(array, 0), *columns = graph.getDim(array, 1);
    if (!columns)
      return error(args[0].loc,
                   "rows of different lengths have no transposition");
    return graph.build(columns, [&](Node *j) {
      return graph.build(rows, [&](Node *i) {
        return graph.index(graph.index(array, i, true), j, true);
      });
    });
  }
  unsigned dimension = 0;
  if (signature.name == "dim") {
    (void)name.drop_front(3).getAsInteger(10, dimension);
    if (typeOf(0)->getRank() <= dimension)
      return error(args[0].loc,
                   "'{0}' takes an array of more than {1} dimensions, not {2}",
                   name, dimension, typeOf(0)->str());
    Node *dim = graph.getDim(args[0].node, dimension);
    return dim ? dim
               : error(loc,
                       "the rows of this array have different lengths; ask for "
                       "dim0 of one row");
  }
  if (name == "min" || name == "max") {
    if (typeOf(0) != typeOf(1) || !typeOf(0)->isNumber())
      return error(loc, "'{0}' takes two ints or two floats, not {1} and {2}",
                   name, typeOf(0)->str(), typeOf(1)->str());
    return graph.scalar(name == "min" ? Opcode::Min : Opcode::Max, typeOf(0),
                        {args[0].node, args[1].node});
  }
  if (name == "log2")
    return convert(Opcode::Log2, graph.intType, graph.intType);
  return name == "float_of_int"
             ? convert(Opcode::FloatOfInt, graph.intType, graph.floatType)
             : convert(Opcode::IntOfFloat, graph.floatType, graph.intType);
}

void mlir::obs::dag::parse(Graph &graph, StringRef entry) {
  Parser(graph).parseProgram(entry);
}

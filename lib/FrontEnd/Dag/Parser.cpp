//===- Parser.cpp - Declarations and expressions of Dag -------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parser.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::obs::dag;

/// The parser is recursive over expressions.
static constexpr unsigned maxNesting = 2000;

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
    error(word.getLoc(),
          "there is no type '{0}' above; the types are int, float, bool, the "
          "structs above, and arrays of these",
          word.text);
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
  if (findPrimitive(name.text))
    error(name.getLoc(), "'{0}' is a primitive; choose another name",
          name.text);
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

/// True if the next statement declares a variable: it begins with a type, or
/// with a name that stands where a type has to.
bool Parser::isDeclaration() const {
  return isName() && (namedTypes.count(token().text) ||
                      lexer.following.kind == Token::Word);
}

/// Reports a statement of another language.
void Parser::rejectStatement() {
  llvm::SMLoc loc = token().getLoc();
  StringRef name = token().text;
  bool isAssigned = isName() && lexer.following.is("=");
  if (isAssigned && find(name))
    error(loc,
          "'{0}' has its value already; declare another variable, as in "
          "'int y = 3;'",
          name);
  else if (isAssigned)
    error(loc,
          "there is no variable '{0}' here; declare it with its type, as in "
          "'int {0} = 3;'",
          name);
  else if (token().is("for"))
    error(loc, "a 'for' is a value; return it, or declare a variable, as in "
               "'int[] ys = for ...;'");
  else
    expected("a statement: 'return x;', or a variable, as in 'int y = 3;'");
}

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
    } else if (!isDeclaration()) {
      rejectStatement();
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
    return error(loc, "'{0}' takes {1}, not {2} and {3}{4}", op.spelling,
                 operands[static_cast<unsigned>(op.operands)], type->str(),
                 right->type->str(),
                 type->isNumber() && right->type->isNumber() &&
                         type != right->type
                     ? "; float_of_int and int_of_float convert numbers"
                     : "");
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

void mlir::obs::dag::parse(Graph &graph, StringRef entry) {
  Parser(graph).parseProgram(entry);
}

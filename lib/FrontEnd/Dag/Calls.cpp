//===- Calls.cpp - Operators, primitives and functions of Dag -------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parser.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::dag;

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

const Operator *dag::findOperator(const Token &token) {
  const Operator *found = llvm::find_if(
      operators, [&](const Operator &op) { return token.is(op.spelling); });
  return found == std::end(operators) ? nullptr : found;
}

const Signature *dag::findPrimitive(StringRef name) {
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
// Calls
//===----------------------------------------------------------------------===//

/// The parser is recursive over calls.
static constexpr unsigned maxCallDepth = 200;

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
      return error(callee.loc, "'{0}' takes 2 values, and is called with {1}",
                   callee.op->spelling, args.size());
    return getBinary(*callee.op, callee.loc, args[0], args[1]);
  }
  const Function *function = findFunction(callee.name);
  const Signature *signature = findPrimitive(callee.name);
  if ((!function && !signature) || find(callee.name))
    return error(callee.loc, "expected an operator, a primitive or the name of "
                             "a function that stands above");
  if (signature && signature->takesFunction)
    return error(callee.loc,
                 "'{0}' takes a function itself; write a function that calls "
                 "it, and give its name here",
                 callee.name);
  size_t count = signature ? signature->count : function->params.size();
  if (count != args.size())
    return error(callee.loc, "'{0}' takes {1} {2}, and is called with {3}",
                 callee.name, count, count == 1 ? "value" : "values",
                 args.size());
  auto operands = llvm::map_to_vector(
      args, [&](Node *arg) { return Operand{arg, callee.loc}; });
  return signature ? getPrimitive(*signature, callee.name, callee.loc, Callee(),
                                  operands)
                   : call(*function, operands);
}

/// The operation that combines two values; none if it is a function of the
/// program.
static std::optional<Opcode> getOpcode(const Callee &callee) {
  if (callee.op)
    return callee.op->opcode;
  if (callee.name == "min")
    return Opcode::Min;
  if (callee.name == "max")
    return Opcode::Max;
  return std::nullopt;
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
    if (element->hasArrays())
      return error(args[1].loc,
                   "'{0}' combines numbers, bools and structs of these, not "
                   "{1}; a 'for' over the array can combine each element",
                   name, element->str());
    if (typeOf(0) != element)
      return error(args[0].loc,
                   "the first value is {0}, and the elements are {1}",
                   typeOf(0)->str(), element->str());
    std::optional<Opcode> op = getOpcode(callee);
    int64_t attr = op ? 1 + static_cast<int64_t>(*op) : 0;
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

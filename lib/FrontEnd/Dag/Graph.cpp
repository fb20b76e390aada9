//===- Graph.cpp - A Dag program as a graph of values ---------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace mlir::obs::dag;

/// The compiler is recursive over the graph, and the size of the generated code
/// grows with the number of nodes.
static constexpr unsigned maxNodes = 200000, maxNodeDepth = 3000,
                          maxCallDepth = 200;

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

static void addVariables(SmallVectorImpl<Node *> &to, ArrayRef<Node *> from) {
  for (Node *variable : from) {
    auto it = llvm::lower_bound(to, variable,
                                [](Node *a, Node *b) { return a->id < b->id; });
    if (it == to.end() || *it != variable)
      to.insert(it, variable);
  }
}

SmallVector<Node *, 4> Node::getDependences() const {
  SmallVector<Node *, 4> all = free;
  if (!isSafe)
    addVariables(all, chain);
  return all;
}

bool Node::dependsOn(Node *variable) const {
  return llvm::is_contained(free, variable);
}

Node *Graph::make(Node::Kind kind, const DagType *type, std::vector<Node *> ops,
                  int64_t attr, double number, bool isSafe) {
  Key key(kind, type, ops, attr, number);
  bool isVariable =
      kind == Node::LoopVar || kind == Node::OpVar || kind == Node::Guard;
  if (auto it = nodes.find(key); !isVariable && it != nodes.end()) {
    // The node is computed at both places, so only the loops around both
    // contain it.
    Node *node = it->second;
    size_t common = 0;
    while (common < std::min(node->chain.size(), chain.size()) &&
           node->chain[common] == chain[common])
      ++common;
    node->chain.truncate(common);
    return node;
  }
  unsigned depth = 1;
  SmallVector<Node *, 4> free;
  for (Node *op : ops) {
    depth = std::max(depth, op->depth + 1);
    isSafe &= op->isSafe;
    if (!isVariable)
      addVariables(free, op->free);
  }
  auto bind = [&](Node *variable) { llvm::erase(free, variable); };
  if (kind == Node::Build)
    bind(ops[1]);
  if (kind == Node::Reduce || kind == Node::Scan) {
    bind(ops[2]);
    bind(ops[3]);
  }
  unsigned id = storage.size();
  storage.push_back(
      Node{kind, type, std::move(ops), attr, number, loc, id, depth, free,
           SmallVector<Node *, 4>(chain.begin(), chain.end()), isSafe});
  Node *node = &storage.back();
  if (kind == Node::LoopVar || kind == Node::OpVar)
    node->free.push_back(node);
  if (id > maxNodes)
    diagnostics.error(loc,
                      "the program is too long when all calls are inlined");
  if (depth > maxNodeDepth)
    diagnostics.error(loc, "too many operations depend on each other; this is "
                           "number " +
                               Twine(depth));
  if (!isVariable)
    nodes[key] = node;
  return node;
}

Node *Graph::constant(int64_t value) {
  return make(Node::Const, intType, {}, value);
}

Node *Graph::field(Node *value, unsigned number) {
  const DagType *type = value->type->decl->fields[number].type;
  // Arrays in structs are never in memory.
  if (type->hasArrays())
    value = beta(value);
  if (value->is(Node::Tuple))
    return value->ops[number];
  return make(Node::Field, type, {value}, number);
}

Node *Graph::math(Primitive primitive, const DagType *type,
                  std::vector<Node *> ops) {
  return make(Node::Math, type, std::move(ops),
              static_cast<int64_t>(primitive));
}

Node *Graph::index(Node *array, Node *i, bool isSafe) {
  // Element i of range(n) is i.
  if (array->is(Node::Build) && array->ops[2] == array->ops[1])
    return i;
  // The loop over an array does not read past its end.
  isSafe |= i->is(Node::LoopVar) && i->ops[0] == getDim(array, 0);
  return make(Node::Index, array->type->element, {array, i}, 0, 0, isSafe);
}

Node *Graph::build(Node *length, llvm::function_ref<Node *(Node *)> element,
                   const DagType *type) {
  Node *variable = make(Node::LoopVar, intType, {length});
  chain.push_back(variable);
  Node *body = element(variable);
  chain.pop_back();
  if (!body)
    return nullptr; // An error was reported.
  return make(Node::Build, type, {length, variable, body});
}

Node *Graph::beta(Node *node) {
  if (node->is(Node::Field)) {
    Node *value = beta(node->ops[0]);
    return value->is(Node::Tuple) ? beta(value->ops[node->attr]) : node;
  }
  if (!node->is(Node::Index))
    return node;
  Node *array = beta(node->ops[0]);
  if (!array->is(Node::Build))
    return node;
  return beta(substitute(array->ops[2], array->ops[1], node->ops[1]));
}

Node *Graph::substitute(Node *node, Node *variable, Node *replacement) {
  std::map<Node *, Node *> map{{variable, replacement}};
  return substitute(node, map);
}

Node *Graph::substitute(Node *node, std::map<Node *, Node *> &map) {
  if (auto it = map.find(node); it != map.end())
    return it->second;
  if (llvm::none_of(node->free, [&](Node *v) { return map.count(v); }))
    return node;
  std::vector<Node *> ops;
  if (node->is(Node::Build)) {
    Node *length = substitute(node->ops[0], map);
    Node *variable = make(Node::LoopVar, intType, {length});
    map[node->ops[1]] = variable;
    chain.push_back(variable);
    ops = {length, variable, substitute(node->ops[2], map)};
    chain.pop_back();
  } else if (node->is(Node::Reduce) || node->is(Node::Scan)) {
    ops = {substitute(node->ops[0], map), substitute(node->ops[1], map)};
    for (Node *old : {node->ops[2], node->ops[3]})
      ops.push_back(map[old] = make(Node::OpVar, old->type, {}));
    chain.push_back(ops[3]);
    ops.push_back(substitute(node->ops[4], map));
    chain.pop_back();
  } else {
    for (Node *op : node->ops)
      ops.push_back(substitute(op, map));
  }
  bool isSafe = node->isSafe ||
                llvm::any_of(node->ops, [](Node *op) { return !op->isSafe; });
  return map[node] = make(node->kind, node->type, std::move(ops), node->attr,
                          node->number, isSafe);
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

Node *Graph::getDim(Node *array, unsigned k) {
  switch (array->kind) {
  case Node::ParamArray:
    return make(Node::ParamDim, intType, {array}, k);
  case Node::Filter:
    return make(Node::Count, intType, {array});
  case Node::Scan:
    return getDim(array->ops[1], 0);
  case Node::Build: {
    if (k == 0)
      return array->ops[0];
    Node *dim = getDim(array->ops[2], k - 1);
    return dim && !dim->dependsOn(array->ops[1]) ? dim : nullptr;
  }
  case Node::Index:
    if (Node *dim = getDim(array->ops[0], k + 1))
      return dim;
    return make(Node::Index, intType,
                {getLengths(array->ops[0], k + 1), array->ops[1]}, 0, 0,
                array->isSafe);
  default:
    // Other nodes that contain arrays were replaced by their components.
    return getDim(beta(array), k);
  }
}

Node *Graph::getBound(Node *n) {
  if (n->free.empty())
    return n;
  auto isConstant = [](Node *node) {
    return node->is(Node::Const) && node->attr >= 0;
  };
  switch (n->kind) {
  case Node::Count:
    return getBound(n->ops[0]->ops[0], 0);
  case Node::Index:
    // A bound of all elements is a bound of each element.
    while (n->is(Node::Index))
      n = n->ops[0];
    while (n->is(Node::Build))
      n = n->ops[2];
    return n->type == intType ? getBound(n) : nullptr;
  case Node::LoopVar:
    if (Node *bound = getBound(n->ops[0]))
      return make(Node::Binary, intType, {bound, constant(1)},
                  static_cast<int64_t>(Opcode::Sub));
    return nullptr;
  case Node::Math: {
    Node *a = getBound(n->ops[0]);
    Node *b = n->ops.size() > 1 ? getBound(n->ops[1]) : nullptr;
    if (n->primitive() == Primitive::Min && (!a || !b))
      return a ? a : b;
    if (!a || !b || n->type != intType)
      return nullptr;
    return math(n->primitive(), intType, {a, b});
  }
  case Node::Binary: {
    Opcode op = n->opcode();
    Node *a = getBound(n->ops[0]), *b = getBound(n->ops[1]);
    // A variable is at least 0.
    if (op == Opcode::Sub && n->ops[1]->is(Node::LoopVar))
      return a;
    if (a && b &&
        (op == Opcode::Add || (op == Opcode::Sub && n->ops[1]->free.empty()) ||
         ((op == Opcode::Mul || op == Opcode::Div) && isConstant(n->ops[1]))))
      return make(Node::Binary, intType, {a, b}, n->attr);
    return nullptr;
  }
  default:
    return nullptr;
  }
}

Node *Graph::getBound(Node *array, unsigned k) {
  if (array->is(Node::Index))
    return getBound(array->ops[0], k + 1);
  if (array->is(Node::Build) && k > 0)
    return getBound(array->ops[2], k - 1);
  if (array->is(Node::Build))
    return getBound(array->ops[0]);
  if (array->is(Node::Filter) && !array->free.empty())
    return getBound(array->ops[0], 0);
  Node *dim = getDim(array, k);
  return dim ? getBound(dim) : nullptr;
}

int64_t Graph::estimate(Node *node) {
  auto operand = [&](unsigned k) { return estimate(node->ops[k]); };
  switch (node->kind) {
  case Node::Const:
    return node->attr;
  case Node::ParamDim: {
    static const int64_t extents[] = {1 << 20, 1024, 128, 32, 16, 8, 8, 8};
    return extents[node->ops[0]->type->getRank() - 1];
  }
  case Node::LoopVar:
    return operand(0) / 2;
  case Node::Count:
    if (Node *bound = getBound(node->ops[0]->ops[0], 0))
      return std::max<int64_t>(estimate(bound) / 2, 1);
    return 1024;
  case Node::Math:
    if (node->ops.size() == 2 && node->type == intType)
      return node->primitive() == Primitive::Min
                 ? std::min(operand(0), operand(1))
                 : std::max(operand(0), operand(1));
    return 1024;
  case Node::Binary:
    switch (node->opcode()) {
    case Opcode::Add:
      return operand(0) + operand(1);
    case Opcode::Sub:
      return std::max<int64_t>(operand(0) - operand(1), 0);
    case Opcode::Mul:
      return std::min<int64_t>(operand(0) * operand(1), 1 << 26);
    case Opcode::Div:
      return operand(0) / std::max<int64_t>(operand(1), 1);
    default:
      return 1024;
    }
  default:
    return 1024;
  }
}

const DagType *Graph::getArray(const DagType *element) {
  const DagType *&array = arrays[element];
  if (!array) {
    types.push_back(DagType{DagType::Array, nullptr, element});
    array = &types.back();
  }
  return array;
}

Node *Graph::getLengths(Node *array, unsigned k) {
  if (k == 0)
    return getDim(array, 0);
  if (array->is(Node::Index)) {
    Node *all = getLengths(array->ops[0], k + 1);
    return make(Node::Index, all->type->element, {all, array->ops[1]}, 0, 0,
                array->isSafe);
  }
  array = beta(array);
  Node *inner = getLengths(array->ops[2], k - 1);
  return make(Node::Build, getArray(inner->type),
              {array->ops[0], array->ops[1], inner});
}

Node *Graph::getCountAsSum(Node *filter) {
  Node *&known = counts[filter];
  if (known)
    return known;
  Node *bits = build(
      getDim(filter->ops[0], 0),
      [&](Node *i) {
        return math(Primitive::FilterWith, intType,
                    {index(filter->ops[1], i, /*isSafe=*/true)});
      },
      getArray(intType));
  Node *x = make(Node::OpVar, intType, {}), *y = make(Node::OpVar, intType, {});
  int64_t add = static_cast<int64_t>(Opcode::Add);
  Node *sum = make(Node::Binary, intType, {x, y}, add);
  return known = make(Node::Reduce, intType, {constant(0), bits, x, y, sum},
                      1 + add);
}

void Graph::expectEqual(Node *a, Node *b, const char *message, Node *user) {
  if (a && b && a != b && a->free.empty() && b->free.empty())
    expectations.push_back({a, b, loc, message, user});
}

//===----------------------------------------------------------------------===//
// Evaluation of the tree
//===----------------------------------------------------------------------===//

Node *Graph::makeParam(const DagType *type, const std::string &name,
                       llvm::SMLoc at) {
  if (type->kind == DagType::Struct) {
    std::vector<Node *> parts;
    for (const Parameter &field : type->decl->fields)
      parts.push_back(makeParam(field.type, name + "_" + field.name.str(), at));
    return make(Node::Tuple, type, parts);
  }
  if (type->isArray() && type->getScalar()->hasArrays())
    diagnostics.error(at,
                      "'{0}' cannot be in memory: the elements of an array of "
                      "structs have no arrays as fields",
                      name);
  paramTypes.push_back(type);
  paramNames.push_back(name);
  params.push_back(make(type->isArray() ? Node::ParamArray : Node::ParamScalar,
                        type, {}, params.size()));
  return params.back();
}

Graph::Graph(const Program &program, const Function &entry,
             Diagnostics &diagnostics)
    : diagnostics(diagnostics), loc(diagnostics.getLocation(entry.loc)) {
  for (const auto &type : program.types)
    if (type->isArray())
      arrays[type->element] = type.get();
    else if (type->kind == DagType::Int)
      intType = type.get();
    else if (type->kind == DagType::Bool)
      boolType = type.get();
  std::vector<Node *> args;
  for (const Parameter &param : entry.params)
    args.push_back(makeParam(param.type, param.name.str(), param.loc));
  Node *value = diagnostics.hasFailed() ? nullptr : call(entry, args);
  if (!diagnostics.hasFailed())
    result = value;
}

Node *Graph::call(const Function &function, ArrayRef<Node *> args) {
  // At one place, a function has no other inputs. Without this table, functions
  // that call others twice would be evaluated exponentially often.
  CallKey key(&function, args, std::vector<Node *>(chain.begin(), chain.end()));
  if (auto known = results.find(key); known != results.end())
    return known->second;
  if (++callDepth > maxCallDepth) {
    diagnostics.error(loc, "more than " + Twine(maxCallDepth) +
                               " calls are inside of each other");
    return args.empty() ? constant(0) : args.front();
  }
  Env env;
  for (auto [param, arg] : llvm::zip(function.params, args))
    env[param.name] = arg;
  Node *value = evalBlock(function.body, env);
  --callDepth;
  if (value)
    results[key] = value;
  return value;
}

Node *Graph::evalBlock(const std::vector<Stmt> &stmts, Env &env) {
  for (const Stmt &stmt : stmts) {
    Node *value = eval(*stmt.value, env);
    if (diagnostics.hasFailed())
      return nullptr;
    if (stmt.isReturn)
      return value;
    env[stmt.name] = value;
  }
  llvm_unreachable("a block ends with a return");
}

Node *Graph::apply(const Expr &function, ArrayRef<Node *> args) {
  if (function.kind != Expr::Operator)
    return call(*function.function, args);
  bool divides = function.op == Opcode::Div || function.op == Opcode::Rem ||
                 function.op == Opcode::Shl || function.op == Opcode::Shr;
  bool isTest = function.op >= Opcode::Lt && function.op <= Opcode::Ge;
  return make(Node::Binary, isTest ? boolType : args[0]->type,
              {args[0], args[1]}, static_cast<int64_t>(function.op), 0,
              !divides || args[0]->type->kind == DagType::Float);
}

Node *Graph::evalBinary(const Expr &expr, Env &env) {
  Node *left = eval(*expr.args[0], env);
  if (diagnostics.hasFailed())
    return nullptr;
  bool isLazy = expr.op == Opcode::AndAnd || expr.op == Opcode::OrOr;
  Node *guard = isLazy ? make(Node::Guard, nullptr, {}) : nullptr;
  if (isLazy)
    chain.push_back(guard);
  Node *right = eval(*expr.args[1], env);
  if (isLazy)
    chain.pop_back();
  if (diagnostics.hasFailed())
    return nullptr;
  std::vector<Node *> ops{left, right};
  if (isLazy && !right->isSafe)
    ops.push_back(guard);
  // A number other than 0 divides anything, and shifts by less than 32.
  bool divides =
      expr.type == intType &&
      (expr.op == Opcode::Div || expr.op == Opcode::Rem ||
       expr.op == Opcode::Shl || expr.op == Opcode::Shr) &&
      !(right->is(Node::Const) && right->attr > 0 && right->attr < 32);
  return make(Node::Binary, expr.type, std::move(ops),
              static_cast<int64_t>(expr.op), 0, !divides);
}

Node *Graph::eval(const Expr &expr, Env &env) {
  Location outer = loc;
  auto restore = llvm::scope_exit([&] { loc = outer; });
  loc = diagnostics.getLocation(expr.loc);
  std::vector<Node *> args;
  if (expr.kind != Expr::Binary && expr.kind != Expr::Call)
    for (const auto &arg : expr.args) {
      args.push_back(eval(*arg, env));
      if (diagnostics.hasFailed())
        return nullptr;
    }
  switch (expr.kind) {
  case Expr::Int:
  case Expr::Bool:
    return make(Node::Const, expr.type, {}, expr.integer);
  case Expr::Float:
    return make(Node::Const, expr.type, {}, 0, expr.number);
  case Expr::Name:
    return env.at(expr.name);
  case Expr::Index:
    return index(args[0], args[1]);
  case Expr::Field:
    return field(args[0], expr.field);
  case Expr::Struct: {
    std::vector<Node *> parts(args.size());
    for (auto [field, value] : llvm::zip(expr.fields, args))
      parts[expr.type->decl->find(field.first)] = value;
    return make(Node::Tuple, expr.type, std::move(parts));
  }
  case Expr::Unary:
    return make(Node::Unary, expr.type, {args[0]},
                static_cast<int64_t>(expr.op));
  case Expr::Binary:
    return evalBinary(expr, env);
  case Expr::For: {
    Env inner = env;
    return build(
        getDim(args[0], 0),
        [&](Node *i) {
          inner[expr.name] = index(args[0], i);
          return evalBlock(expr.body, inner);
        },
        expr.type);
  }
  case Expr::Call:
    return evalCall(expr, env);
  case Expr::Operator:
    break;
  }
  llvm_unreachable("operators are no values");
}

Node *Graph::evalCall(const Expr &expr, Env &env) {
  std::vector<Node *> args;
  for (const auto &arg : expr.args) {
    bool isFunction =
        arg->kind == Expr::Operator || (arg->function && !arg->type);
    args.push_back(isFunction ? nullptr : eval(*arg, env));
    if (diagnostics.hasFailed())
      return nullptr;
  }
  if (!expr.primitive)
    return call(*expr.function, args);
  switch (*expr.primitive) {
  case Primitive::ZipWith:
  case Primitive::Map: {
    Node *length = getDim(args[1], 0);
    for (Node *array : ArrayRef(args).drop_front(2))
      expectEqual(length, getDim(array, 0),
                  "the arrays of 'zip_with' have different lengths");
    return build(
        length,
        [&](Node *i) {
          SmallVector<Node *> elements;
          for (Node *array : ArrayRef(args).drop_front())
            elements.push_back(index(array, i, getDim(array, 0)->free.empty()));
          return apply(*expr.args[0], elements);
        },
        expr.type);
  }
  case Primitive::FilterWith: {
    Node *length = getDim(args[0], 0);
    auto filter = [&](Node *array) {
      Node *kept =
          make(Node::Filter, getArray(array->type->element), {array, args[1]});
      expectEqual(length, getDim(args[1], 0),
                  "the arrays of 'filter_with' have different lengths", kept);
      return kept;
    };
    if (!args[0]->type->element->isArray() &&
        !args[0]->type->element->hasArrays())
      return filter(args[0]);
    // Rows are not moved: the numbers of the rows are filtered.
    Node *numbers = build(length, [](Node *i) { return i; }, getArray(intType));
    Node *kept = filter(numbers);
    return build(
        getDim(kept, 0),
        [&](Node *i) { return index(args[0], index(kept, i), true); },
        expr.type);
  }
  case Primitive::Reduce:
  case Primitive::Scan: {
    bool isReduce = *expr.primitive == Primitive::Reduce;
    const DagType *element = args[1]->type;
    Node *x = make(Node::OpVar, element, {}),
         *y = make(Node::OpVar, element, {});
    chain.push_back(y);
    Node *combined = apply(*expr.args[0], {x, y});
    chain.pop_back();
    if (diagnostics.hasFailed())
      return nullptr;
    int64_t attr = expr.args[0]->kind == Expr::Operator
                       ? 1 + static_cast<int64_t>(expr.args[0]->op)
                       : 0;
    return make(isReduce ? Node::Reduce : Node::Scan, expr.type,
                {args[1], args[2], x, y, combined}, attr);
  }
  case Primitive::Range: {
    Node *length = args[0];
    // An array with a negative number of elements is empty.
    if (!length->is(Node::ParamDim) && !length->is(Node::Count) &&
        !length->is(Node::LoopVar) &&
        !(length->is(Node::Const) && length->attr >= 0))
      length = math(Primitive::Max, intType, {length, constant(0)});
    return build(length, [](Node *i) { return i; }, expr.type);
  }
  case Primitive::Transpose: {
    Node *rows = getDim(args[0], 0), *columns = getDim(args[0], 1);
    if (!columns) {
      diagnostics.error(diagnostics.getLocation(expr.args[0]->loc),
                        "rows of different lengths have no transposition");
      return nullptr;
    }
    return build(
        columns,
        [&](Node *j) {
          return build(
              rows,
              [&](Node *i) { return index(index(args[0], i, true), j, true); },
              expr.type->element);
        },
        expr.type);
  }
  case Primitive::Dim: {
    Node *dim = getDim(args[0], expr.field);
    if (!dim)
      diagnostics.error(loc, "the rows of this array have different lengths; "
                             "ask for dim0 of one row");
    return dim;
  }
  default:
    return math(*expr.primitive, expr.type, args);
  }
}

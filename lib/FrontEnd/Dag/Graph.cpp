//===- Graph.cpp - A Dag program as a graph of values ---------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::obs::dag;

/// The compiler is recursive over the graph, and the size of the generated code
/// grows with the number of nodes.
static constexpr unsigned maxNodes = 200000, maxNodeDepth = 3000;

//===----------------------------------------------------------------------===//
// Diagnostics and types
//===----------------------------------------------------------------------===//

Location Diagnostics::getLocation(llvm::SMLoc loc) const {
  unsigned buffer = sources.getMainFileID();
  auto [line, column] = sources.getLineAndColumn(loc, buffer);
  return FileLineColLoc::get(
      context, sources.getMemoryBuffer(buffer)->getBufferIdentifier(), line,
      column);
}

void Diagnostics::error(Location loc, const Twine &message) {
  if (!failed)
    emitError(loc) << message;
  failed = true;
}

bool DagType::hasArrays() const {
  return isArray() || llvm::any_of(fields, [](const Variable &field) {
           return field.type->hasArrays();
         });
}

int DagType::find(StringRef field) const {
  auto it = llvm::find_if(
      fields, [&](const Variable &other) { return other.name == field; });
  return it == fields.end() ? -1 : it - fields.begin();
}

Graph::Graph(Diagnostics &diagnostics)
    : diagnostics(diagnostics), loc(UnknownLoc::get(diagnostics.context)) {
  intType = addType({DagType::Int, nullptr, "int"});
  floatType = addType({DagType::Float, nullptr, "float"});
  boolType = addType({DagType::Bool, nullptr, "bool"});
}

const DagType *Graph::addType(const DagType &type) {
  return &types.emplace_back(type);
}

const DagType *Graph::getArray(const DagType *element) {
  for (const DagType &type : types)
    if (type.element == element)
      return &type;
  return addType({DagType::Array, element});
}

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
  if (onlyTypes) {
    kind = Node::Param;
    ops.clear();
    attr = -1;
  }
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

Node *Graph::makeParam(const DagType *type, const std::string &name,
                       Location at) {
  if (type->kind == DagType::Struct) {
    std::vector<Node *> parts;
    for (const Variable &field : type->fields)
      parts.push_back(makeParam(field.type, name + "_" + field.name.str(), at));
    return make(Node::Tuple, type, parts);
  }
  if (type->getScalar()->hasArrays())
    diagnostics.error(at,
                      "'" + name +
                          "' cannot be in memory: the elements of an array of "
                          "structs have no arrays as fields");
  paramNames.push_back(name);
  params.push_back(make(Node::Param, type, {}, params.size()));
  return params.back();
}

Node *Graph::scalar(Opcode op, const DagType *type, std::vector<Node *> ops) {
  bool divides = op == Opcode::Div || op == Opcode::Rem || op == Opcode::Shl ||
                 op == Opcode::Shr;
  // A number other than 0 divides anything, and shifts by less than 32.
  bool isSafe = !divides || type != intType || ops[1]->isBetween(1, 32);
  return make(Node::Scalar, type, std::move(ops), static_cast<int64_t>(op), 0,
              isSafe);
}

Node *Graph::field(Node *value, unsigned number) {
  const DagType *type = value->type->fields[number].type;
  // Arrays in structs are never in memory.
  if (type->hasArrays())
    value = beta(value);
  if (value->is(Node::Tuple))
    return value->ops[number];
  return make(Node::Field, type, {value}, number);
}

Node *Graph::index(Node *array, Node *i, bool isSafe) {
  // Element i of range(n) is i.
  if (array->is(Node::Build) && array->ops[2] == array->ops[1])
    return i;
  // The loop over an array does not read past its end.
  isSafe |= i->is(Node::LoopVar) && i->ops[0] == getDim(array, 0);
  return make(Node::Index, array->type->element, {array, i}, 0, 0, isSafe);
}

Node *Graph::build(Node *length, llvm::function_ref<Node *(Node *)> element) {
  Location outer = loc;
  Node *variable = make(Node::LoopVar, intType, {length});
  chain.push_back(variable);
  Node *body = element(variable);
  chain.pop_back();
  loc = outer;
  return make(Node::Build, getArray(body->type), {length, variable, body});
}

Node *Graph::fold(Node::Kind kind, Node *init, Node *array, int64_t attr,
                  llvm::function_ref<Node *(Node *, Node *)> combine) {
  Location outer = loc;
  Node *x = make(Node::OpVar, init->type, {}),
       *y = make(Node::OpVar, init->type, {});
  chain.push_back(y);
  Node *combined = combine(x, y);
  chain.pop_back();
  loc = outer;
  const DagType *type = kind == Node::Reduce ? init->type : array->type;
  return make(kind, type, {init, array, x, y, combined}, attr);
}

void Graph::expectEqual(Node *a, Node *b, const char *message, Node *user) {
  if (a != b && a->free.empty() && b->free.empty())
    expectations.push_back({a, b, loc, message, user});
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
  std::map<Node *, Node *> map{{array->ops[1], node->ops[1]}};
  return beta(substitute(array->ops[2], map));
}

Node *Graph::substitute(Node *node, std::map<Node *, Node *> &map) {
  if (auto it = map.find(node); it != map.end())
    return it->second;
  if (llvm::none_of(node->free, [&](Node *v) { return map.count(v); }))
    return node;
  if (node->is(Node::Build))
    return map[node] = build(substitute(node->ops[0], map), [&](Node *i) {
             map[node->ops[1]] = i;
             return substitute(node->ops[2], map);
           });
  if (node->is(Node::Reduce) || node->is(Node::Scan)) {
    Node *init = substitute(node->ops[0], map),
         *array = substitute(node->ops[1], map);
    return map[node] =
               fold(node->kind, init, array, node->attr, [&](Node *x, Node *y) {
                 map[node->ops[2]] = x;
                 map[node->ops[3]] = y;
                 return substitute(node->ops[4], map);
               });
  }
  std::vector<Node *> ops;
  for (Node *op : node->ops)
    ops.push_back(substitute(op, map));
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
  case Node::Param:
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
      return scalar(Opcode::Sub, intType, {bound, constant(1)});
    return nullptr;
  case Node::Scalar: {
    if (n->ops.size() != 2)
      return nullptr;
    Opcode op = n->opcode();
    Node *a = getBound(n->ops[0]), *b = getBound(n->ops[1]);
    if (op == Opcode::Min && (!a || !b))
      return a ? a : b;
    // A variable is at least 0.
    if (op == Opcode::Sub && n->ops[1]->is(Node::LoopVar))
      return a;
    bool isMonotone = op == Opcode::Min || op == Opcode::Max ||
                      op == Opcode::Add ||
                      (op == Opcode::Sub && n->ops[1]->free.empty()) ||
                      ((op == Opcode::Mul || op == Opcode::Div) &&
                       n->ops[1]->isBetween(0, INT64_MAX));
    return a && b && isMonotone ? scalar(op, intType, {a, b}) : nullptr;
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
  case Node::Scalar:
    switch (node->opcode()) {
    case Opcode::Min:
      return std::min(operand(0), operand(1));
    case Opcode::Max:
      return std::max(operand(0), operand(1));
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
  Node *bits = build(getDim(filter->ops[0], 0), [&](Node *i) {
    return scalar(Opcode::IntOfBool, intType,
                  {index(filter->ops[1], i, /*isSafe=*/true)});
  });
  auto add = [&](Node *x, Node *y) {
    return scalar(Opcode::Add, intType, {x, y});
  };
  return known = fold(Node::Reduce, constant(0), bits,
                      1 + static_cast<int64_t>(Opcode::Add), add);
}

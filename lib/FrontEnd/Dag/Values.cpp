//===- Values.cpp - The values of the nodes of a Dag program --------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a node that is not stored, or an element of a stored one. Out: operations
// of arith, math and scf in the scope to which the value belongs.
//
//===----------------------------------------------------------------------===//

#include "LowerGraph.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::dag;

Result Lowering::emit(Node *node, bool isIndex) {
  node = resolve(node);
  std::pair<std::vector<void *>, bool> key(getKey(node), isIndex);
  for (Scope &scope : scopes)
    if (auto it = scope.known.find(key); it != scope.known.end())
      return it->second;
  Location outer = b.getLoc();
  b.setLoc(node->loc);
  Result result = isIndex ? computeIndex(node) : compute(node);
  b.setLoc(outer);
  return scopes[result.depth].known[key] = result;
}

Result Lowering::compute(unsigned depth, Body work) {
  Result result{{}, depth};
  at(depth, [&] { result.values = work(); });
  return result;
}

Result Lowering::computeFrom(Node *node, bool isIndex,
                             llvm::function_ref<Value(ValueRange)> function) {
  SmallVector<Value> values;
  unsigned depth = node->isSafe ? 0 : getLoopDepth(node);
  for (Node *op : node->ops) {
    Result operand = emit(op, isIndex);
    values.push_back(operand.values[0]);
    depth = std::max(depth, operand.depth);
  }
  return compute(depth,
                 [&]() -> SmallVector<Value> { return {function(values)}; });
}

/// True for a number that is computed from indices and extents only. With 64
/// bits, it has the same value as with 32 bits.
static bool isAffine(Node *node) {
  if (node->is(Node::Scalar))
    return node->opcode() <= Opcode::Rem && isAffine(node->ops[0]) &&
           isAffine(node->ops[1]);
  return node->is(Node::LoopVar) || node->is(Node::ParamDim) ||
         node->is(Node::Const) || node->is(Node::Param);
}

/// True for an affine number that is never negative.
static bool isNatural(Node *node) {
  if (node->is(Node::Scalar))
    return node->opcode() != Opcode::Sub && isNatural(node->ops[0]) &&
           isNatural(node->ops[1]);
  return node->is(Node::LoopVar) || node->is(Node::ParamDim) ||
         (node->is(Node::Const) && node->attr >= 0);
}

Result Lowering::computeIndex(Node *node) {
  switch (node->kind) {
  case Node::LoopVar:
    return bindings.at(node);
  case Node::ParamDim:
    return compute(0, [&]() -> SmallVector<Value> {
      if (plan.isEstimate)
        return {b.getIndex(graph.estimate(node))};
      Value array = bindings.at(node->ops[0]).values[0];
      return {DimOp::create(b, array, node->attr)};
    });
  case Node::Const:
    return compute(
        0, [&]() -> SmallVector<Value> { return {b.getIndex(node->attr)}; });
  default:
    break;
  }
  if (node->is(Node::Scalar) && isAffine(node))
    return computeFrom(node, /*isIndex=*/true, [&](ValueRange x) -> Value {
      Opcode op = node->opcode();
      if (op == Opcode::Div && isNatural(node))
        return arith::DivUIOp::create(b, x[0], x[1]);
      if (op == Opcode::Rem && isNatural(node))
        return arith::RemUIOp::create(b, x[0], x[1]);
      return computeScalar(op, x);
    });
  Result number = emit(node);
  return compute(number.depth, [&]() -> SmallVector<Value> {
    return {b.castToIndex(number.values[0])};
  });
}

Value Lowering::computeScalar(Opcode op, ValueRange x) {
  using namespace arith;
  using Order = ScalarBuilder::Order;
  mlir::Type i32 = b.getI32Type();
  switch (op) {
  case Opcode::Add:
    return b.add(x[0], x[1]);
  case Opcode::Sub:
    return b.sub(x[0], x[1]);
  case Opcode::Mul:
    return b.mul(x[0], x[1]);
  case Opcode::Div:
    return b.build<DivFOp, DivSIOp>(x[0], x[1]);
  case Opcode::Rem:
    return b.build<RemFOp, RemSIOp>(x[0], x[1]);
  case Opcode::Shl:
    return ShLIOp::create(b, x[0], x[1]);
  case Opcode::Shr:
    return ShRSIOp::create(b, x[0], x[1]);
  case Opcode::And:
  case Opcode::AndAnd:
    return AndIOp::create(b, x[0], x[1]);
  case Opcode::Or:
  case Opcode::OrOr:
    return OrIOp::create(b, x[0], x[1]);
  case Opcode::Xor:
    return XOrIOp::create(b, x[0], x[1]);
  case Opcode::Lt:
    return b.compare(Order::LT, x[0], x[1]);
  case Opcode::Le:
    return b.compare(Order::LE, x[0], x[1]);
  case Opcode::Gt:
    return b.compare(Order::GT, x[0], x[1]);
  case Opcode::Ge:
    return b.compare(Order::GE, x[0], x[1]);
  case Opcode::Neg:
    return b.negate(x[0]);
  case Opcode::Not:
    return XOrIOp::create(b, x[0], b.getNumber(i32, -1));
  case Opcode::Min:
  case Opcode::Max: {
    bool isMin = op == Opcode::Min;
    if (!isa<FloatType>(x[0].getType()))
      return isMin ? MinSIOp::create(b, x[0], x[1]).getResult()
                   : MaxSIOp::create(b, x[0], x[1]).getResult();
    // If both are equal, the result is the first one.
    Value isFirst = b.compare(isMin ? Order::LE : Order::GE, x[0], x[1]);
    return b.select(isFirst, x[0], x[1]);
  }
  case Opcode::Log2: {
    Value positive = MaxSIOp::create(b, x[0], b.getNumber(i32, 1));
    Value zeros = math::CountLeadingZerosOp::create(b, positive);
    return b.sub(b.getNumber(i32, 31), zeros);
  }
  case Opcode::FloatOfInt:
    return b.convert(x[0], b.getF32Type());
  case Opcode::IntOfFloat:
  case Opcode::IntOfBool:
    return b.convert(x[0], i32);
  }
  llvm_unreachable("all operations are above");
}

/// The second operand may read out of bounds if the first one determines the
/// result.
Result Lowering::computeLazily(Node *node) {
  Result left = emit(node->ops[0]);
  return compute(std::max(left.depth, getLoopDepth(node)), [&] {
    bool isAnd = node->opcode() == Opcode::AndAnd;
    Value decided = b.getNumber(b.getI1Type(), !isAnd);
    Value condition = left.values[0];
    if (!isAnd)
      condition = arith::XOrIOp::create(b, condition, decided);
    SmallVector<Value> values = choose(condition, decided, [&] {
      bind(node->ops[2], {});
      return emit(node->ops[1]).values;
    });
    bindings.erase(node->ops[2]);
    return values;
  });
}

Result Lowering::compute(Node *node) {
  switch (node->kind) {
  case Node::Const:
    return compute(0, [&]() -> SmallVector<Value> {
      mlir::Type type = getTypes(node->type)[0];
      return {b.getNumber(type, isa<FloatType>(type) ? node->number
                                                     : double(node->attr))};
    });
  case Node::Param:
  case Node::OpVar:
    return bindings.at(node);
  case Node::ParamDim:
  case Node::LoopVar: {
    Result index = emit(node, /*isIndex=*/true);
    return compute(index.depth, [&]() -> SmallVector<Value> {
      return {arith::IndexCastOp::create(b, b.getI32Type(), index.values[0])};
    });
  }
  case Node::Count: {
    const Stored &filter = stored.at(node->ops[0]);
    SmallVector<Value> indices;
    unsigned depth = getLoopDepth(node);
    for (Node *loop : filter.loops) {
      Result index = getBinding(loop);
      indices.push_back(index.values[0]);
      depth = std::max(depth, index.depth);
    }
    // The host knows the number of elements of a filter without loops.
    bool isOnHost = filter.loops.empty();
    return compute(isOnHost ? 0 : depth, [&]() -> SmallVector<Value> {
      if (isOnHost)
        indices.push_back(b.getIndex(0));
      Value count = b.getOne(filter.count, indices);
      return {isOnHost && plan.isEstimate
                  ? b.getNumber(b.getI32Type(), graph.estimate(node))
                  : count};
    });
  }
  case Node::Scalar:
    if (node->ops.size() == 3)
      return computeLazily(node);
    return computeFrom(node, /*isIndex=*/false, [&](ValueRange x) {
      return computeScalar(node->opcode(), x);
    });
  case Node::Tuple: {
    Result result;
    for (Node *op : node->ops) {
      Result part = emit(op);
      llvm::append_range(result.values, part.values);
      result.depth = std::max(result.depth, part.depth);
    }
    return result;
  }
  case Node::Field: {
    Result whole = emit(node->ops[0]);
    unsigned first = 0;
    const std::vector<Variable> &fields = node->ops[0]->type->fields;
    for (const Variable &field : ArrayRef(fields).take_front(node->attr))
      first += getTypes(field.type).size();
    whole.values = SmallVector<Value>(
        ArrayRef(whole.values).slice(first, getTypes(node->type).size()));
    return whole;
  }
  case Node::Index:
    return access(node->ops[0], {emit(node->ops[1], /*isIndex=*/true)},
                  node->isSafe ? 0 : getLoopDepth(node));
  case Node::Reduce:
    return reduce(node);
  default:
    llvm_unreachable("arrays have no values");
  }
}

Result Lowering::access(Node *array, SmallVector<Result, 4> indices,
                        unsigned depth) {
  Value memory;
  if (array->is(Node::Param)) {
    memory = bindings.at(array).values[0];
  } else if (isStored(array)) {
    const Stored &source = stored.at(array);
    memory = source.array;
    SmallVector<Result, 4> all;
    for (Node *loop : source.loops)
      all.push_back(getBinding(loop));
    all.append(indices);
    if (all.empty()) {
      all.push_back(
          compute(0, [&]() -> SmallVector<Value> { return {b.getIndex(0)}; }));
    }
    indices = all;
  }
  if (memory) {
    SmallVector<Value> place;
    depth = std::max(depth, std::min(getDepth(), 1u));
    for (Result &index : indices) {
      place.push_back(index.values[0]);
      depth = std::max(depth, index.depth);
    }
    return compute(depth, [&] {
      return SmallVector<Value>(GetOp::create(b, memory, place).getResults());
    });
  }
  if (array->is(Node::Index)) {
    indices.insert(indices.begin(), emit(array->ops[1], /*isIndex=*/true));
    return access(array->ops[0], indices, depth);
  }
  assert(array->is(Node::Build) && "all other arrays are stored");
  Node *variable = array->ops[1];
  std::optional<Result> outer;
  if (auto it = bindings.find(variable); it != bindings.end())
    outer = it->second;
  bindings[variable] = indices.front();
  indices.erase(indices.begin());
  Result result = indices.empty() ? emit(array->ops[2])
                                  : access(array->ops[2], indices, depth);
  if (outer)
    bindings[variable] = *outer;
  else
    bindings.erase(variable);
  return result;
}

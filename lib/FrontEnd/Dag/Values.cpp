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

Result Lowering::emit(Node *node) {
  node = resolve(node);
  std::pair<std::vector<void *>, bool> key(getKey(node), false);
  for (Scope &scope : scopes)
    if (auto it = scope.known.find(key); it != scope.known.end())
      return it->second;
  Location outer = loc;
  loc = node->loc;
  Result result = compute(node);
  loc = outer;
  return scopes[result.depth].known[key] = result;
}

Result Lowering::emitIndex(Node *node) {
  node = resolve(node);
  std::pair<std::vector<void *>, bool> key(getKey(node), true);
  for (Scope &scope : scopes)
    if (auto it = scope.known.find(key); it != scope.known.end())
      return it->second;
  Location outer = loc;
  loc = node->loc;
  Result result = computeIndex(node);
  loc = outer;
  return scopes[result.depth].known[key] = result;
}

/// True for a number that is computed from indices and extents only. With 64
/// bits, it has the same value as with 32 bits.
static bool isAffine(Node *node) {
  if (node->is(Node::Binary)) {
    Opcode op = static_cast<Opcode>(node->attr);
    return (op == Opcode::Add || op == Opcode::Sub || op == Opcode::Mul ||
            op == Opcode::Div || op == Opcode::Rem) &&
           isAffine(node->ops[0]) && isAffine(node->ops[1]);
  }
  return node->is(Node::LoopVar) || node->is(Node::ParamDim) ||
         node->is(Node::Const) || node->is(Node::ParamScalar);
}

/// True for an affine number that is never negative.
static bool isNatural(Node *node) {
  if (node->is(Node::Binary))
    return static_cast<Opcode>(node->attr) != Opcode::Sub &&
           isNatural(node->ops[0]) && isNatural(node->ops[1]);
  return node->is(Node::LoopVar) || node->is(Node::ParamDim) ||
         (node->is(Node::Const) && node->attr >= 0);
}

Result Lowering::computeIndex(Node *node) {
  Result result;
  if (node->is(Node::LoopVar))
    return bindings.at(node);
  if (node->is(Node::ParamDim)) {
    at(0, [&] {
      if (plan.isEstimate) {
        result.values = {constantIndex(graph.estimate(node))};
        return;
      }
      Value array = bindings.at(node->ops[0]).values[0];
      result.values = {DimOp::create(builder, loc, array, node->attr)};
    });
    return result;
  }
  if (node->is(Node::Const)) {
    at(0, [&] { result.values = {constantIndex(node->attr)}; });
    return result;
  }
  if (node->is(Node::Binary) && isAffine(node)) {
    Opcode op = static_cast<Opcode>(node->attr);
    Result a = emitIndex(node->ops[0]), b = emitIndex(node->ops[1]);
    result.depth = std::max(a.depth, b.depth);
    if (!node->isSafe)
      result.depth = std::max(result.depth, getLoopDepth(node));
    at(result.depth, [&] {
      Value x = a.values[0], y = b.values[0];
      bool isUnsigned = isNatural(node);
      if (op == Opcode::Div && isUnsigned)
        result.values = {arith::DivUIOp::create(builder, loc, x, y)};
      else if (op == Opcode::Rem && isUnsigned)
        result.values = {arith::RemUIOp::create(builder, loc, x, y)};
      else
        result.values = {computeBinary(op, x, y)};
    });
    return result;
  }
  Result number = emit(node);
  result.depth = number.depth;
  at(result.depth, [&] {
    result.values = {
        arith::IndexCastOp::create(builder, loc, indexType, number.values[0])};
  });
  return result;
}

Value Lowering::computeBinary(Opcode op, Value a, Value b) {
  bool isFloat = isa<FloatType>(a.getType());
  auto compare = [&](arith::CmpIPredicate i, arith::CmpFPredicate f) -> Value {
    if (isFloat)
      return arith::CmpFOp::create(builder, loc, f, a, b);
    return arith::CmpIOp::create(builder, loc, i, a, b);
  };
  switch (op) {
  case Opcode::Add:
    if (isFloat)
      return arith::AddFOp::create(builder, loc, a, b);
    return arith::AddIOp::create(builder, loc, a, b);
  case Opcode::Sub:
    if (isFloat)
      return arith::SubFOp::create(builder, loc, a, b);
    return arith::SubIOp::create(builder, loc, a, b);
  case Opcode::Mul:
    if (isFloat)
      return arith::MulFOp::create(builder, loc, a, b);
    return arith::MulIOp::create(builder, loc, a, b);
  case Opcode::Div:
    if (isFloat)
      return arith::DivFOp::create(builder, loc, a, b);
    return arith::DivSIOp::create(builder, loc, a, b);
  case Opcode::Rem:
    if (isFloat)
      return arith::RemFOp::create(builder, loc, a, b);
    return arith::RemSIOp::create(builder, loc, a, b);
  case Opcode::Shl:
    return arith::ShLIOp::create(builder, loc, a, b);
  case Opcode::Shr:
    return arith::ShRSIOp::create(builder, loc, a, b);
  case Opcode::And:
  case Opcode::AndAnd:
    return arith::AndIOp::create(builder, loc, a, b);
  case Opcode::Or:
  case Opcode::OrOr:
    return arith::OrIOp::create(builder, loc, a, b);
  case Opcode::Xor:
    return arith::XOrIOp::create(builder, loc, a, b);
  case Opcode::Lt:
    return compare(arith::CmpIPredicate::slt, arith::CmpFPredicate::OLT);
  case Opcode::Le:
    return compare(arith::CmpIPredicate::sle, arith::CmpFPredicate::OLE);
  case Opcode::Gt:
    return compare(arith::CmpIPredicate::sgt, arith::CmpFPredicate::OGT);
  case Opcode::Ge:
    return compare(arith::CmpIPredicate::sge, arith::CmpFPredicate::OGE);
  case Opcode::Neg:
  case Opcode::Not:
    break;
  }
  llvm_unreachable("the operator takes one value");
}

Value Lowering::computeMath(Node *node, ValueRange values) {
  mlir::Type type = values[0].getType();
  switch (static_cast<Primitive>(node->attr)) {
  case Primitive::Min:
  case Primitive::Max: {
    // If both are equal, the result is the first one.
    bool isMin = static_cast<Primitive>(node->attr) == Primitive::Min;
    if (!isa<FloatType>(type)) {
      if (isMin)
        return arith::MinSIOp::create(builder, loc, values[0], values[1]);
      return arith::MaxSIOp::create(builder, loc, values[0], values[1]);
    }
    Value isFirst =
        computeBinary(isMin ? Opcode::Le : Opcode::Ge, values[0], values[1]);
    return arith::SelectOp::create(builder, loc, isFirst, values[0], values[1]);
  }
  case Primitive::Log2: {
    auto number = [&](int32_t value) -> Value {
      return arith::ConstantOp::create(builder, loc,
                                       builder.getI32IntegerAttr(value));
    };
    Value positive = arith::MaxSIOp::create(builder, loc, values[0], number(1));
    Value zeros = math::CountLeadingZerosOp::create(builder, loc, positive);
    return arith::SubIOp::create(builder, loc, number(31), zeros);
  }
  case Primitive::FloatOfInt:
    return arith::SIToFPOp::create(builder, loc, builder.getF32Type(),
                                   values[0]);
  case Primitive::IntOfFloat:
    return arith::FPToSIOp::create(builder, loc, builder.getI32Type(),
                                   values[0]);
  case Primitive::FilterWith:
    return arith::ExtUIOp::create(builder, loc, builder.getI32Type(),
                                  values[0]);
  default:
    llvm_unreachable("the primitive has arrays");
  }
}

/// The second operand may read out of bounds if the first one determines the
/// result.
Result Lowering::computeLazily(Node *node) {
  Result left = emit(node->ops[0]), result;
  result.depth = std::max(left.depth, getLoopDepth(node));
  at(result.depth, [&] {
    bool isAnd = static_cast<Opcode>(node->attr) == Opcode::AndAnd;
    Value decided =
        arith::ConstantOp::create(builder, loc, builder.getBoolAttr(!isAnd));
    Value condition = left.values[0];
    if (!isAnd)
      condition = arith::XOrIOp::create(builder, loc, condition, decided);
    result.values = choose(condition, decided, [&] {
      bind(node->ops[2], {});
      return emit(node->ops[1]).values;
    });
    bindings.erase(node->ops[2]);
  });
  return result;
}

Result Lowering::compute(Node *node) {
  Result result;
  switch (node->kind) {
  case Node::Const:
    at(0, [&] {
      mlir::Type type = getTypes(node->type)[0];
      TypedAttr value =
          isa<FloatType>(type)
              ? TypedAttr(builder.getFloatAttr(type, node->number))
              : TypedAttr(builder.getIntegerAttr(type, node->attr));
      result.values = {arith::ConstantOp::create(builder, loc, value)};
    });
    return result;
  case Node::ParamScalar:
  case Node::OpVar:
    return bindings.at(node);
  case Node::ParamDim:
  case Node::LoopVar: {
    Result index = emitIndex(node);
    result.depth = index.depth;
    at(result.depth, [&] {
      result.values = {arith::IndexCastOp::create(
          builder, loc, builder.getI32Type(), index.values[0])};
    });
    return result;
  }
  case Node::Count: {
    const Stored &filter = stored.at(node->ops[0]);
    SmallVector<Result, 4> indices;
    for (Node *loop : filter.loops)
      indices.push_back(getBinding(loop));
    unsigned depth = getLoopDepth(node);
    for (Result &index : indices)
      depth = std::max(depth, index.depth);
    if (filter.loops.empty())
      depth = 0; // The host knows it already.
    result.depth = depth;
    at(depth, [&] {
      SmallVector<Value> at;
      for (Result &index : indices)
        at.push_back(index.values[0]);
      if (filter.loops.empty())
        at.push_back(constantIndex(0));
      result.values = {
          GetOp::create(builder, loc, filter.count, at).getResult(0)};
      if (plan.isEstimate && filter.loops.empty())
        result.values = {arith::ConstantOp::create(
            builder, loc, builder.getI32IntegerAttr(graph.estimate(node)))};
    });
    return result;
  }
  case Node::Unary:
  case Node::Binary:
  case Node::Math: {
    if (node->ops.size() == 3)
      return computeLazily(node);
    SmallVector<Value, 4> values;
    for (Node *op : node->ops) {
      Result operand = emit(op);
      values.push_back(operand.values[0]);
      result.depth = std::max(result.depth, operand.depth);
    }
    if (!node->isSafe)
      result.depth = std::max(result.depth, getLoopDepth(node));
    at(result.depth, [&] {
      if (node->is(Node::Math)) {
        result.values = {computeMath(node, values)};
      } else if (node->is(Node::Binary)) {
        result.values = {computeBinary(static_cast<Opcode>(node->attr),
                                       values[0], values[1])};
      } else if (isa<FloatType>(values[0].getType())) {
        result.values = {arith::NegFOp::create(builder, loc, values[0])};
      } else {
        bool isNeg = static_cast<Opcode>(node->attr) == Opcode::Neg;
        Value other = arith::ConstantOp::create(
            builder, loc, builder.getI32IntegerAttr(isNeg ? 0 : -1));
        result.values = {isNeg ? computeBinary(Opcode::Sub, other, values[0])
                               : computeBinary(Opcode::Xor, values[0], other)};
      }
    });
    return result;
  }
  case Node::Tuple:
    for (Node *op : node->ops) {
      Result part = emit(op);
      llvm::append_range(result.values, part.values);
      result.depth = std::max(result.depth, part.depth);
    }
    return result;
  case Node::Field: {
    Result whole = emit(node->ops[0]);
    unsigned first = 0;
    const std::vector<Parameter> &fields = node->ops[0]->type->decl->fields;
    for (const Parameter &field : ArrayRef(fields).take_front(node->attr))
      first += getTypes(field.type).size();
    llvm::append_range(
        result.values,
        ArrayRef(whole.values).slice(first, getTypes(node->type).size()));
    result.depth = whole.depth;
    return result;
  }
  case Node::Index:
    return access(node->ops[0], {emitIndex(node->ops[1])},
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
  if (array->is(Node::ParamArray)) {
    memory = bindings.at(array).values[0];
  } else if (isStored(array)) {
    const Stored &source = stored.at(array);
    memory = source.array;
    SmallVector<Result, 4> all;
    for (Node *loop : source.loops)
      all.push_back(getBinding(loop));
    all.append(indices);
    if (all.empty()) {
      all.emplace_back();
      at(0, [&] { all[0].values = {constantIndex(0)}; });
    }
    indices = all;
  }
  if (memory) {
    Result result;
    result.depth = std::max(depth, std::min(getDepth(), 1u));
    SmallVector<Value> at;
    for (Result &index : indices) {
      at.push_back(index.values[0]);
      result.depth = std::max(result.depth, index.depth);
    }
    this->at(result.depth, [&] {
      auto get = GetOp::create(builder, loc, memory, at);
      llvm::append_range(result.values, get.getResults());
    });
    return result;
  }
  if (array->is(Node::Index)) {
    indices.insert(indices.begin(), emitIndex(array->ops[1]));
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

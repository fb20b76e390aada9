//===- ConvertLinalgToObs.cpp - Programs of linalg as programs of obs -----===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module with functions of linalg and tensor. Out: functions of obs. The
// table of operations is `convertOp`; Converter.h describes the conversion.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/FrontEnd/Passes.h"

#include "Converter.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::obs {
#define GEN_PASS_DEF_CONVERTLINALGTOOBSPASS
#include "Obsidian/FrontEnd/Passes.h.inc"
} // namespace mlir::obs

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::fromlinalg;

/// True if the function has one block, which ends with a return.
static bool hasPlainBody(func::FuncOp function) {
  Region &body = function.getBody();
  return body.hasOneBlock() && !body.front().empty() &&
         isa<func::ReturnOp>(body.front().back());
}

LogicalResult Converter::convertScalar(Operation *op) {
  IRMapping map;
  for (Value operand : op->getOperands())
    map.map(operand, lookup(operand));
  Operation *copy = b.clone(*op, map);
  for (auto [result, value] :
       llvm::zip_equal(op->getResults(), copy->getResults()))
    values[result] = value;
  return success();
}

LogicalResult Converter::convertCall(func::CallOp op) {
  auto callee = tables.lookup<func::FuncOp>(op.getCallee());
  if (!isTarget(callee))
    return convertScalar(op);
  if (!hasPlainBody(callee))
    return op.emitOpError("calls a function without a body of one block");
  if (llvm::is_contained(calls, callee))
    return op.emitOpError("calls a function that calls itself: write a loop "
                          "of linalg instead");
  for (auto [argument, operand] :
       llvm::zip_equal(callee.getArguments(), op.getOperands()))
    values[argument] = lookup(operand);
  calls.push_back(callee);
  FailureOr<Values> results = convertBlock(callee.getBody().front());
  calls.pop_back();
  if (failed(results))
    return failure();
  for (auto [result, value] : llvm::zip_equal(op.getResults(), *results))
    values[result] = value;
  return success();
}

LogicalResult Converter::convertOp(Operation *op) {
  b.setLoc(op->getLoc());
  bool hasArrays = false;
  for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults())) {
    if (failed(verifyType(op, value.getType())))
      return failure();
    hasArrays |= isa<ShapedType>(value.getType());
  }
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return convertStructured(structured);
  auto convert = [&](Value result, Value array) {
    define(result, array);
    return success();
  };
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](arith::ConstantOp op) {
        return hasArrays ? convertConstant(op) : convertScalar(op);
      })
      .Case([&](bufferization::MaterializeInDestinationOp op) {
        Value source = lookup(op.getSource()), place = lookup(op.getDest());
        if (!isa<MemRefType>(place.getType()))
          return convert(op.getResult(), source);
        write(source, place);
        return success();
      })
      .Case([&](bufferization::ToTensorOp op) {
        return convert(op, getArray(op.getBuffer()));
      })
      .Case([&](func::CallOp op) { return convertCall(op); })
      .Case([&](memref::CopyOp op) {
        write(getArray(op.getSource()), lookup(op.getTarget()));
        return success();
      })
      .Case<memref::DimOp, tensor::DimOp>([&](auto op) -> LogicalResult {
        std::optional<int64_t> dim = op.getConstantIndex();
        int64_t rank = cast<ShapedType>(op.getSource().getType()).getRank();
        if (!dim || *dim < 0 || *dim >= rank)
          return op.emitOpError("needs a constant dimension of the array");
        values[op] = b.getIndex(b.getExtent(getArray(op.getSource()), *dim));
        return success();
      })
      .Case([&](tensor::CastOp op) {
        return convert(op, lookup(op.getSource()));
      })
      .Case([&](tensor::CollapseShapeOp op) {
        Extents from = b.getExtents(lookup(op.getSrc())), to;
        for (ArrayRef<int64_t> group : op.getReassociationIndices()) {
          Extents part;
          for (int64_t dim : group) {
            // The verifier of the operation accepts other numbers.
            if (dim < 0 || dim >= static_cast<int64_t>(from.size()))
              return LogicalResult(op.emitOpError(
                  "names a dimension that the source does not have"));
            part.push_back(from[dim]);
          }
          to.push_back(b.getProduct(part));
        }
        return convert(op, b.reshape(lookup(op.getSrc()), orOne(to)));
      })
      .Case([&](tensor::ConcatOp op) {
        Values parts = llvm::map_to_vector(
            op.getInputs(), [&](Value input) { return lookup(input); });
        return convert(op, b.concat(parts, op.getDim()));
      })
      .Case([&](tensor::EmptyOp op) {
        // The elements do not matter.
        Value zero = arith::ConstantOp::create(
            b, cast<TypedAttr>(b.getZeroAttr(op.getType().getElementType())));
        return convert(
            op, b.splat(zero, getShape(op.getType(), op.getDynamicSizes())));
      })
      .Case([&](tensor::ExpandShapeOp op) {
        return convert(op,
                       b.reshape(lookup(op.getSrc()),
                                 orOne(getNumbers(op.getMixedOutputShape()))));
      })
      .Case([&](tensor::ExtractOp op) { return convertExtract(op); })
      .Case([&](tensor::ExtractSliceOp op) { return convertSlice(op); })
      .Case([&](tensor::FromElementsOp op) -> LogicalResult {
        if (op.getElements().size() > 64 || op.getElements().empty())
          return op.emitOpError("is supported for 1 to 64 elements: give more "
                                "of them as a parameter");
        Values parts;
        for (Value element : op.getElements())
          parts.push_back(b.splat(lookup(element), orOne({})));
        return convert(
            op, b.reshape(b.concat(parts, 0), getShape(op.getType(), {})));
      })
      .Case([&](tensor::GatherOp op) { return convertGather(op); })
      .Case([&](tensor::GenerateOp op) -> LogicalResult {
        Block &body = op.getBody().front();
        if (failed(verifyBody(op, body)))
          return failure();
        return convert(
            op, b.generate(getShape(op.getType(), op.getDynamicExtents()),
                           [&](ValueRange i) -> Values {
                             return {buildCode(body, i)};
                           }));
      })
      .Case([&](tensor::InsertSliceOp op) { return convertInsert(op); })
      .Case([&](tensor::PadOp op) { return convertPad(op); })
      .Case([&](tensor::SplatOp op) {
        return convert(op,
                       b.splat(lookup(op.getInput()),
                               getShape(op.getType(), op.getDynamicSizes())));
      })
      .Default([&](Operation *op) -> LogicalResult {
        bool isScalar = llvm::is_contained({"arith", "math"},
                                           op->getName().getDialectNamespace());
        if (isScalar && hasArrays && op->hasTrait<OpTrait::Elementwise>())
          return convertElementwise(op);
        if (isScalar && !hasArrays)
          return convertScalar(op);
        return op->emitOpError("has no counterpart in obs: rewrite it by "
                               "linalg.generic and operations of tensor");
      });
}

/// The returned values of the block. Its arguments have values.
FailureOr<Values> Converter::convertBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(convertOp(&op)))
      return failure();
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value value) { return lookup(value); });
}

/// False for functions of obs and functions without arrays, which stay.
bool Converter::isTarget(func::FuncOp function) {
  auto hasTensor = [](TypeRange types) {
    return llvm::any_of(types, llvm::IsaPred<TensorType>);
  };
  WalkResult found = function.walk([&](Operation *op) {
    return isa<linalg::LinalgDialect, tensor::TensorDialect,
               bufferization::BufferizationDialect>(op->getDialect()) ||
                   hasTensor(op->getResultTypes())
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return hasTensor(function.getArgumentTypes()) ||
         hasTensor(function.getResultTypes()) || found.wasInterrupted();
}

LogicalResult Converter::convertFunction(func::FuncOp function) {
  if (!hasPlainBody(function))
    return function.emitOpError("needs a body of one block");
  SmallVector<Type> types;
  for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                            function.getResultTypes()))
    if (failed(verifyType(function, type)))
      return failure();
  for (Type type : function.getArgumentTypes()) {
    auto shaped = dyn_cast<ShapedType>(type);
    Numbers extents(shaped ? shaped.getShape() : ArrayRef<int64_t>());
    if (extents.empty())
      extents.push_back(1);
    types.push_back(
        !shaped ? type
        : isa<MemRefType>(type)
            ? Type(MemRefType::get(extents, shaped.getElementType()))
            : PullType::get(b.getContext(), extents, shaped.getElementType()));
  }
  OpBuilder::InsertionGuard guard(b);
  b.setLoc(function.getLoc());
  b.setInsertionPoint(function);
  auto lowered =
      func::FuncOp::create(b, function.getName(), b.getFunctionType(types, {}));
  Block *entry = lowered.addEntryBlock();
  for (auto [argument, value] :
       llvm::zip_equal(function.getArguments(), entry->getArguments()))
    values[argument] = value;
  b.setInsertionPointToEnd(entry);
  calls.assign(1, function);
  contents.clear();
  FailureOr<Values> results = convertBlock(function.getBody().front());
  if (failed(results)) {
    lowered.erase();
    return failure();
  }
  b.setLoc(function.getBody().front().back().getLoc());
  Values arrays;
  for (Value result : *results)
    if (isa<PullType>(result.getType()))
      arrays.push_back(result);
  arrays = b.store(arrays);
  auto next = arrays.begin();
  for (Value &result : *results)
    if (isa<PullType>(result.getType()))
      result = *next++;
  func::ReturnOp::create(b, *results);
  lowered.setFunctionType(
      b.getFunctionType(types, ValueRange(*results).getTypes()));
  b.finish(lowered);
  lowered.walk<WalkOrder::PostOrder, mlir::ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
  return success();
}

LogicalResult Converter::run() {
  SmallVector<func::FuncOp> sources, lowered;
  for (auto function : module.getOps<func::FuncOp>())
    if (isTarget(function))
      sources.push_back(function);
  LogicalResult result = success();
  for (func::FuncOp function : sources) {
    if (!function.isPublic())
      continue;
    result = convertFunction(function);
    if (failed(result))
      break;
    lowered.push_back(cast<func::FuncOp>(function->getPrevNode()));
    result = verify(lowered.back());
    if (failed(result))
      break;
  }
  for (func::FuncOp function : succeeded(result) ? sources : lowered)
    function.erase();
  return result;
}

namespace {
struct ConvertLinalgToObsPass
    : public mlir::obs::impl::ConvertLinalgToObsPassBase<
          ConvertLinalgToObsPass> {
  void runOnOperation() override {
    if (failed(convertLinalgToObs(getOperation())))
      signalPassFailure();
  }
};
} // namespace

LogicalResult obs::convertLinalgToObs(ModuleOp module) {
  return Converter(module).run();
}

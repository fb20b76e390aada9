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

#define GEN_PASS_DEF_CONVERTLINALGTOOBSPASS
#include "Obsidian/FrontEnd/Passes.h"

#include "Converter.h"
#include "Obsidian/Dialect/Obs/IR/Regions.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::fromlinalg;

LogicalResult Converter::convertScalar(Operation *op) {
  IRMapping map;
  map.map(op->getOperands(), lookup(op->getOperands()));
  define(op->getResults(), b.clone(*op, map)->getResults());
  return success();
}

LogicalResult Converter::importOp(Operation *op) {
  bool hasArrays = false;
  for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults())) {
    if (failed(verifyType(op, value.getType())))
      return failure();
    hasArrays |= isa<ShapedType>(value.getType());
  }
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return convertStructured(structured);
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](arith::ConstantOp op) {
        if (!hasArrays)
          return convertScalar(op);
        auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
        if (!dense)
          return LogicalResult(
              op.emitOpError("has elements that are not in the program: give "
                             "them as a parameter"));
        FailureOr<Value> array = buildConstant(
            op, dense, dense.getElementType(), /*isScalar=*/false);
        return failed(array) ? failure() : defineArray(op, *array);
      })
      .Case([&](bufferization::MaterializeInDestinationOp op) {
        Value source = lookup(op.getSource()), place = lookup(op.getDest());
        if (!isa<MemRefType>(place.getType()))
          return defineArray(op.getResult(), source);
        write(source, place);
        return success();
      })
      .Case([&](bufferization::ToTensorOp op) {
        return defineArray(op, getArray(op.getBuffer()));
      })
      .Case([&](func::CallOp op) {
        return isTarget(tables.lookup<func::FuncOp>(op.getCallee()))
                   ? importCall(op)
                   : convertScalar(op);
      })
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
        return defineArray(op, lookup(op.getSource()));
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
        return defineArray(op, b.reshape(lookup(op.getSrc()), orOne(to)));
      })
      .Case([&](tensor::ConcatOp op) {
        return defineArray(op, b.concat(lookup(op.getInputs()), op.getDim()));
      })
      .Case([&](tensor::EmptyOp op) {
        // The elements do not matter.
        Value zero = arith::ConstantOp::create(
            b, cast<TypedAttr>(b.getZeroAttr(op.getType().getElementType())));
        return defineArray(
            op, b.splat(zero, getShape(op.getType(), op.getDynamicSizes())));
      })
      .Case([&](tensor::ExpandShapeOp op) {
        return defineArray(
            op, b.reshape(lookup(op.getSrc()),
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
        return defineArray(
            op, b.reshape(b.concat(parts, 0), getShape(op.getType(), {})));
      })
      .Case([&](tensor::GatherOp op) { return convertGather(op); })
      .Case([&](tensor::GenerateOp op) -> LogicalResult {
        Block &body = op.getBody().front();
        if (failed(verifyBody(op, body)))
          return failure();
        return defineArray(
            op, b.generate(getShape(op.getType(), op.getDynamicExtents()),
                           [&](ValueRange i) -> Values {
                             return {buildCode(body, i)};
                           }));
      })
      .Case([&](tensor::InsertSliceOp op) { return convertInsert(op); })
      .Case([&](tensor::PadOp op) { return convertPad(op); })
      .Case([&](tensor::SplatOp op) {
        return defineArray(
            op, b.splat(lookup(op.getInput()),
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

/// False for functions of obs and functions without arrays, which stay.
bool Converter::isTarget(func::FuncOp function) {
  auto hasTensor = [](TypeRange types) {
    return llvm::any_of(types, llvm::IsaPred<TensorType>);
  };
  return hasTensor(function.getArgumentTypes()) ||
         hasTensor(function.getResultTypes()) ||
         containsOp(function, [&](Operation *op) {
           return isa<linalg::LinalgDialect, tensor::TensorDialect,
                      bufferization::BufferizationDialect>(op->getDialect()) ||
                  hasTensor(op->getResultTypes());
         });
}

Type Converter::convertParameter(Operation *op, Type type) {
  if (failed(verifyType(op, type)))
    return {};
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return type;
  PullType array = getPullType(shaped.getShape(), shaped.getElementType());
  return isa<MemRefType>(type) ? Type(MemRefType::get(array.getExtents(),
                                                      shaped.getElementType()))
                               : array;
}

LogicalResult Converter::run() {
  SmallVector<func::FuncOp> sources;
  for (auto function : source.getOps<func::FuncOp>())
    if (isTarget(function))
      sources.push_back(function);
  SmallVector<std::pair<func::FuncOp, func::FuncOp>> lowered;
  for (func::FuncOp function : sources) {
    if (!function.isPublic())
      continue;
    contents.clear();
    FailureOr<func::FuncOp> result = importFunction(function);
    if (failed(result))
      return failure();
    result->walk<WalkOrder::PostOrder, mlir::ReverseIterator>(
        [](Operation *op) {
          if (isOpTriviallyDead(op))
            op->erase();
        });
    // The verifier does not know the program in linalg.
    ScopedDiagnosticHandler explain(
        result->getContext(), [](Diagnostic &error) {
          if (StringRef(error.str()).contains("[R8-"))
            error.attachNote()
                << "in the program of linalg: copy the memory by "
                   "memref.copy before an operation writes to it, "
                   "or write to other memory";
          return failure();
        });
    if (failed(verify(*result)))
      return failure();
    lowered.emplace_back(function, *result);
  }
  for (auto [function, result] : lowered)
    result->moveBefore(function);
  for (func::FuncOp function : sources)
    function.erase();
  return success();
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

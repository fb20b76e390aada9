//===- FoldTables.cpp - Tables that are known at compile time -------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations that compute a table become a separate function, which the
// reference interpreter runs. Folders of operations would not be enough: a
// table may need loops, scans or writes that are combined, and upstream does
// not fold `math.fma`, `math.rsqrt` or an `arith.truncf` that rounds, for
// example.
//
//===----------------------------------------------------------------------===//

#define GEN_PASS_DEF_OBSFOLDTABLESPASS
#include "Obsidian/Transforms/Arrays/Passes.h"

#include "Obsidian/Interpreter/Interpreter.h"
#include "Obsidian/Transforms/Level/LevelIR.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::obs;
using interpreter::HostValue;

/// The bytes of the results of `force`; none if they are not known.
static std::optional<uint64_t> countBytes(ForceOp force) {
  uint64_t bytes = 0;
  for (Type result : force.getResultTypes()) {
    auto type = cast<PullType>(result);
    uint64_t count = 1;
    for (int64_t extent : type.getExtents()) {
      if (ShapedType::isDynamic(extent))
        return std::nullopt;
      count = llvm::SaturatingMultiply<uint64_t>(count, extent);
    }
    for (Type element : type.getElementTypes())
      bytes = llvm::SaturatingMultiplyAdd<uint64_t>(
          count, interpreter::getScalarBytes(element), bytes);
  }
  return bytes;
}

/// Adds to `inputs` what `op` and its regions use from outside of `op`.
static void collectUses(Operation *op, SmallVectorImpl<Value> &inputs) {
  op->walk([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (!op->isAncestor(operand.getParentBlock()->getParentOp()))
        inputs.push_back(operand);
  });
}

/// True if `op` has the same results at compile time and at run time.
static bool isKnown(Operation *op) {
  return !op->walk([](Operation *nested) {
              if (isa<arith::ArithDialect, math::MathDialect, scf::SCFDialect>(
                      nested->getDialect()))
                return WalkResult::advance();
              if (isa<ViewOp, PrintOp, AssertOp, LaunchOp>(nested) ||
                  !isa<ObsDialect>(nested->getDialect()))
                return WalkResult::interrupt();
              auto force = dyn_cast<ForceOp>(nested);
              return force && !force.getInto().empty() ? WalkResult::interrupt()
                                                       : WalkResult::advance();
            }).wasInterrupted();
}

/// Adds to `program` what `op` needs, each operation after those that it uses,
/// and `op` as the last one. False if a value is not known before the program
/// runs: `unknown` is that value.
static bool collectProgram(Operation *op, SetVector<Operation *> &program,
                           Value &unknown) {
  if (program.contains(op))
    return true;
  SmallVector<Value> inputs;
  collectUses(op, inputs);
  for (Value input : inputs) {
    Operation *definition = input.getDefiningOp();
    if (!definition || !isKnown(definition)) {
      unknown = input;
      return false;
    }
    if (!collectProgram(definition, program, unknown))
      return false;
  }
  program.insert(op);
  return true;
}

/// The array that `values`, one for each element type, are the contents of.
static Value createTable(OpBuilder &builder, Location loc,
                         ArrayRef<HostValue> values) {
  SmallVector<Value> tables;
  for (const HostValue &value : values) {
    SmallVector<Attribute> elements;
    for (int64_t i = 0, e = value.getNumElements(); i != e; ++i)
      elements.push_back(value.get(i).getAttr());
    auto type = RankedTensorType::get(value.extents, value.elementType);
    auto table = ConstantOp::create(builder, loc,
                                    DenseElementsAttr::get(type, elements));
    setAttr<ObsDialect::ConstantAttrHelper>(table);
    tables.push_back(table);
  }
  return tables.size() == 1 ? tables.front()
                            : ZipOp::create(builder, loc, tables).getResult();
}

/// Host code reads memory only. Its reads of `array` become reads of the result
/// of `copy`, which makes a copy when it is called.
static void copyForHost(Value array, function_ref<Value()> copy) {
  for (OpOperand &use : llvm::make_early_inc_range(array.getUses())) {
    Operation *user = use.getOwner();
    if (isa<GetOp>(user)) {
      ScopeInfo scope = getEnclosingScope(user);
      if (scope.level == Level::Grid && !scope.isScalar)
        use.set(copy());
    }
    auto unzip = dyn_cast<UnzipOp>(user);
    if (!unzip)
      continue;
    UnzipOp parts;
    for (auto [number, part] : llvm::enumerate(unzip.getResults()))
      copyForHost(part, [&, number = number]() -> Value {
        if (!parts) {
          OpBuilder builder(unzip);
          parts = UnzipOp::create(builder, unzip.getLoc(), copy());
        }
        return parts.getResult(number);
      });
  }
}

/// Replaces `force` by literals.
static LogicalResult fold(ForceOp force) {
  if (!force.getInto().empty())
    return force.emitOpError(
        "[table-known] a table in constant memory is not forced into memory");
  std::optional<uint64_t> bytes = countBytes(force);
  if (!bytes || *bytes > constantMemoryBytes) {
    InFlightDiagnostic error =
        force.emitOpError("[table-known] a table in constant memory has static "
                          "extents and at most ")
        << constantMemoryBytes << " bytes";
    if (bytes)
      error << ", but this has " << *bytes;
    return error;
  }
  SetVector<Operation *> program;
  Value unknown;
  if (!collectProgram(force, program, unknown)) {
    InFlightDiagnostic error = force.emitOpError(
        "[table-known] a table in constant memory is computed from constants");
    error.attachNote(unknown.getLoc()) << "this is not known before it runs";
    return error;
  }

  OpBuilder builder(force->getContext());
  builder.setInsertionPointToEnd(force->getParentOfType<ModuleOp>().getBody());
  auto function =
      func::FuncOp::create(builder, force.getLoc(), "obs.table",
                           builder.getFunctionType({}, force.getResultTypes()));
  builder.setInsertionPointToStart(function.addEntryBlock());
  IRMapping map;
  for (Operation *op : program)
    builder.clone(*op, map);
  func::ReturnOp::create(builder, force.getLoc(),
                         map.lookup(force.getOperation())->getResults());
  // A few seconds.
  interpreter::InterpreterOptions options;
  options.budget = uint64_t(1) << 24;
  llvm::Expected<SmallVector<HostValue>> values =
      interpreter::interpret(function, {}, options);
  function.erase();
  // The text of the error has the location in the table.
  if (!values)
    return force.emitOpError("[table-known] the table cannot be computed: ")
           << llvm::toString(values.takeError());

  builder.setInsertionPoint(force);
  ArrayRef<HostValue> rest = *values;
  for (Value result : force.getResults()) {
    size_t count = cast<PullType>(result.getType()).getElementTypes().size();
    Value table = createTable(builder, force.getLoc(), rest.take_front(count));
    rest = rest.drop_front(count);
    Value memory;
    copyForHost(result, [&] {
      if (!memory) {
        OpBuilder host(force);
        memory = ForceOp::create(host, force.getLoc(), table, ValueRange())
                     .getResults()
                     .front();
      }
      return memory;
    });
    result.replaceAllUsesWith(table);
  }
  force.erase();
  return success();
}

namespace {
struct FoldTables : mlir::obs::impl::ObsFoldTablesPassBase<FoldTables> {
  void runOnOperation() override {
    SmallVector<ForceOp> tables;
    getOperation().walk([&](ForceOp force) {
      if (force.getStorage() == Storage::Constant)
        tables.push_back(force);
    });
    // In their order: a table may be made from another one.
    for (ForceOp force : tables)
      if (failed(fold(force)))
        return signalPassFailure();
  }
};
} // namespace

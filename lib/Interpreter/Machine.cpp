//===- Machine.cpp - Numbering and execution of obs programs --------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "Obsidian/Dialect/Obs/IR/Limits.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "Obsidian/Dialect/Obs/IR/ObsIrregular.h"
#include "Obsidian/Interpreter/Execution.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::interpreter;

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

LogicalResult
interpreter::forEachIndex(Index extents,
                          llvm::function_ref<LogicalResult(Index)> fn) {
  if (llvm::is_contained(extents, 0))
    return success();
  IndexVector index(extents.size(), 0);
  while (true) {
    if (failed(fn(index)))
      return failure();
    size_t dim = extents.size();
    while (dim > 0 && ++index[dim - 1] == extents[dim - 1])
      index[--dim] = 0;
    if (dim == 0)
      return success();
  }
}

std::string interpreter::formatIndex(Index index) {
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(index, os);
  os << ']';
  return text;
}

//===----------------------------------------------------------------------===//
// Numbering
//===----------------------------------------------------------------------===//

/// Runs an operation of the arith or math dialect.
static LogicalResult runScalarOp(Frame &frame, const Instruction &inst) {
  SmallVector<Scalar, 4> operands;
  for (unsigned slot : inst.operands)
    operands.push_back(frame.slots[slot].scalar);
  SmallVector<Scalar, 2> results;
  if (llvm::Error error = inst.scalar(inst.op, operands, results))
    return frame.trap(inst, llvm::toString(std::move(error)));
  for (auto [i, result] : llvm::enumerate(results))
    frame.set(inst, i, result);
  return success();
}

/// The function that executes the operations of each name.
static const llvm::StringMap<Handler> &getHandlers() {
  static const llvm::StringMap<Handler> table = {
#define HANDLER(OP, FUNCTION) {OP::getOperationName(), FUNCTION},
#include "Handlers.def"
  };
  return table;
}

namespace {

/// Gives every value of a function or closure a slot.
class Numbering {
public:
  Numbering(Machine &machine, Code &code, Numbering *parent)
      : machine(machine), code(code), parent(parent) {}

  /// Numbers `region`, which has one block, or none if it is an absent `else`.
  LogicalResult number(Region &region, Sequence &sequence) {
    if (region.empty())
      return success();
    if (!region.hasOneBlock())
      return machine.trap(region.getLoc(),
                          "the interpreter does not execute branches between "
                          "blocks; use scf.if, scf.for and scf.while");
    Block &block = region.front();
    for (Value argument : block.getArguments())
      sequence.arguments.push_back(define(argument));
    for (Operation &op : block) {
      if (op.hasTrait<OpTrait::IsTerminator>()) {
        for (Value operand : op.getOperands())
          sequence.yields.push_back(use(operand));
        continue;
      }
      Instruction inst;
      if (failed(number(op, inst)))
        return failure();
      sequence.instructions.push_back(std::move(inst));
    }
    return success();
  }

private:
  LogicalResult number(Operation &op, Instruction &inst) {
    inst.op = &op;
    inst.scalar = lookupScalarOp(&op);
    inst.handler = inst.scalar
                       ? runScalarOp
                       : getHandlers().lookup(op.getName().getStringRef());
    if (!inst.handler && isa<InterpretableOpInterface>(op))
      inst.handler = runInterpretable;
    if (!inst.handler)
      return machine.trap(op.getLoc(), "the interpreter does not execute '" +
                                           op.getName().getStringRef() +
                                           "'; an operation of another dialect "
                                           "needs InterpretableOpInterface");
    for (Value operand : op.getOperands())
      inst.operands.push_back(use(operand));
    // The region of `par` runs immediately.
    if (isa<LevelScopeOpInterface, InterpretableOpInterface>(op) &&
        op.getNumRegions() == 1 && !isa<ParOp>(op)) {
      inst.closure = std::make_unique<Code>();
      Numbering inner(machine, *inst.closure, this);
      // Captures are first, so they are found before anything is numbered.
      Region &region = op.getRegion(0);
      region.walk([&](Operation *user) {
        for (Value operand : user->getOperands())
          if (!region.isAncestor(operand.getParentRegion()))
            inner.capture(operand);
      });
      if (failed(inner.number(region, inst.closure->body)))
        return failure();
    } else {
      for (Region &region : op.getRegions())
        if (failed(number(region, inst.bodies.emplace_back())))
          return failure();
    }
    for (Value result : op.getResults())
      inst.results.push_back(define(result));
    return success();
  }

  unsigned define(Value value) {
    return slots.try_emplace(value, code.numSlots++).first->second;
  }

  void capture(Value value) {
    if (!slots.contains(value)) {
      code.captures.push_back(parent->use(value));
      define(value);
    }
  }

  unsigned use(Value value) { return slots.lookup(value); }

  Machine &machine;
  Code &code;
  Numbering *parent;
  DenseMap<Value, unsigned> slots;
};

} // namespace

const Code *Machine::getCode(func::FuncOp function) {
  std::unique_ptr<Code> &code = codes[function];
  if (!code) {
    auto fresh = std::make_unique<Code>();
    if (failed(Numbering(*this, *fresh, nullptr)
                   .number(function.getBody(), fresh->body)))
      return nullptr;
    code = std::move(fresh);
  }
  return code.get();
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

LogicalResult Machine::trap(Location loc, const Twine &text) {
  if (message.empty())
    message = llvm::toString(makeLocatedError(loc, text));
  return failure();
}

LogicalResult Machine::trapUnwritten(Location loc, const Twine &text) {
  isUnwritten = message.empty();
  return trap(loc, text);
}

bool Machine::takeUnwritten() {
  if (!std::exchange(isUnwritten, false))
    return false;
  message.clear();
  return true;
}

LogicalResult Machine::probe(llvm::function_ref<LogicalResult()> fn) {
  bool wasProbing = std::exchange(probing, true);
  raw_ostream *output = std::exchange(options.output, nullptr);
  LogicalResult result = fn();
  options.output = output;
  probing = wasProbing;
  if (failed(result))
    message.clear();
  return result;
}

llvm::Error Machine::takeError() {
  return llvm::createStringError(std::exchange(message, std::string()));
}

LogicalResult Machine::call(Location loc, func::FuncOp function,
                            DataRef arguments, Data &results) {
  // A limit of the interpreter: endless recursion is an error and not a crash.
  constexpr unsigned maxCallDepth = 500;
  if (function.isExternal())
    return trap(loc, "function '" + function.getName() + "' has no body");
  if (callDepth == maxCallDepth)
    return trap(loc,
                "calls are nested more than " + Twine(maxCallDepth) + " deep");
  const Code *code = getCode(function);
  if (!code)
    return failure();
  Frame frame(*this, *code);
  ++callDepth;
  LogicalResult result = frame.run(code->body, arguments, results);
  --callDepth;
  if (failed(result))
    return failure();
  // The arrays that a host function returns are arrays in memory. If host code
  // calls the function, it is inlined, and they may be virtual.
  if (callDepth == 0 && isHostFunction(function))
    for (auto [type, value] : llvm::zip(function.getResultTypes(), results))
      if (failed(materialize(function.getLoc(), type, value)))
        return failure();
  return success();
}

LogicalResult Frame::run(const Sequence &sequence, DataRef arguments,
                         Data &yields) {
  for (auto [slot, argument] : llvm::zip(sequence.arguments, arguments))
    slots[slot] = argument;
  if (machine.options.budget > 0)
    --machine.options.budget;
  else if (!sequence.instructions.empty())
    return trap(sequence.instructions.front(), "the run takes too many steps");
  for (const Instruction &inst : sequence.instructions)
    if (failed(inst.handler(*this, inst)))
      return failure();
  for (unsigned slot : sequence.yields)
    yields.push_back(slots[slot]);
  return success();
}

ElementFn interpreter::computeOnce(Machine &machine, ElementFn compute) {
  struct Element {
    IndexVector index;
    DataVector values;
    uint64_t numChanges;
  };
  return [&machine, compute = std::move(compute),
          last = std::make_shared<std::optional<Element>>()](
             Location loc, Index index, Data &out) -> LogicalResult {
    if (machine.isProbing())
      return compute(loc, index, out);
    if (!*last || (*last)->numChanges != machine.numChanges ||
        Index((*last)->index) != index) {
      DataVector values;
      if (failed(compute(loc, index, values)))
        return failure();
      *last = Element{IndexVector(index), values, machine.numChanges};
    }
    out.append((*last)->values);
    return success();
  };
}

Closure::Closure(Frame &parent, const Code &code)
    : frame(parent.machine, code), code(code) {
  for (auto [slot, captured] : llvm::enumerate(code.captures))
    frame.slots[slot] = parent.slots[captured];
}

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

bool Frame::isPull(const Instruction &inst, unsigned operand) const {
  return isa<PullType>(inst.op->getOperand(operand).getType());
}

PullPtr Frame::getPull(const Instruction &inst, unsigned operand) const {
  return std::static_pointer_cast<const PullArray>(get(inst, operand).object);
}

PushPtr Frame::getPush(const Instruction &inst, unsigned operand) const {
  return std::static_pointer_cast<const PushArray>(get(inst, operand).object);
}

std::shared_ptr<Memory> Frame::getMemory(const Instruction &inst,
                                         unsigned operand) const {
  return static_cast<const Reference &>(*get(inst, operand).object).memory;
}

Index Frame::getExtents(const Instruction &inst, unsigned operand) const {
  const Object &object = *get(inst, operand).object;
  if (isPull(inst, operand))
    return static_cast<const PullArray &>(object).extents;
  return static_cast<const PushArray &>(object).extents;
}

IndexVector Frame::getIndex(const Instruction &inst, unsigned first,
                            unsigned count) const {
  IndexVector index;
  for (unsigned i = first; i < first + count; ++i)
    index.push_back(getInt(inst, i));
  return index;
}

IndexVector Frame::getMixed(const Instruction &inst, unsigned first,
                            ArrayRef<int64_t> statics) const {
  IndexVector index;
  for (int64_t value : statics)
    index.push_back(ShapedType::isDynamic(value) ? getInt(inst, first++)
                                                 : value);
  return index;
}

LogicalResult Frame::checkExtents(const Instruction &inst, Type arrayType,
                                  Index extents) {
  ArrayRef<int64_t> statics, bounds;
  llvm::TypeSwitch<Type>(arrayType).Case<PullType, PushType>([&](auto type) {
    statics = type.getExtents();
    bounds = type.getBounds();
  });
  for (auto [dim, extent] : llvm::enumerate(extents)) {
    std::string begin = ("[R4-extents] extent " + Twine(dim) +
                         " of the array would be " + Twine(extent))
                            .str();
    if (extent < 0 || extent > maxElements)
      return trap(inst, begin);
    if (!ShapedType::isDynamic(statics[dim])) {
      if (extent != statics[dim])
        return trap(inst, begin + ", but its type says " + Twine(statics[dim]));
    } else if (!bounds.empty() && !ShapedType::isDynamic(bounds[dim])) {
      if (extent > bounds[dim])
        return trap(inst, begin + ", but its type says at most " +
                              Twine(bounds[dim]));
    }
  }
  return success();
}

LogicalResult Frame::setPull(const Instruction &inst, unsigned result,
                             Index extents, ElementFn read, bool isStored) {
  if (failed(checkExtents(inst, inst.op->getResult(result).getType(), extents)))
    return failure();
  auto array = std::make_shared<PullArray>();
  array->extents = IndexVector(extents);
  array->read = std::move(read);
  array->isStored = isStored;
  set(inst, result, Datum(std::move(array)));
  return success();
}

LogicalResult Frame::setPush(const Instruction &inst, unsigned result,
                             Index extents, ProgramFn run) {
  if (failed(checkExtents(inst, inst.op->getResult(result).getType(), extents)))
    return failure();
  auto array = std::make_shared<PushArray>();
  array->extents = IndexVector(extents);
  array->run = std::move(run);
  set(inst, result, Datum(std::move(array)));
  return success();
}

LogicalResult interpreter::checkSameExtents(Frame &frame,
                                            const Instruction &inst, Index a,
                                            Index b) {
  if (a == b)
    return success();
  return frame.trap(inst, "[R4-extents] the arrays have extents " +
                              formatIndex(a) + " and " + formatIndex(b));
}

LogicalResult interpreter::getEqualPulls(Frame &frame, const Instruction &inst,
                                         SmallVectorImpl<PullPtr> &arrays) {
  for (unsigned i = 0; i < inst.operands.size(); ++i) {
    arrays.push_back(frame.getPull(inst, i));
    if (failed(checkSameExtents(frame, inst, arrays[i]->extents,
                                arrays[0]->extents)))
      return failure();
  }
  return success();
}

LogicalResult interpreter::setReindexed(
    Frame &frame, const Instruction &inst, Index extents,
    const std::function<IndexVector(Index)> &toSource,
    const std::function<std::optional<IndexVector>(Index)> &toTarget) {
  if (frame.isPull(inst, 0)) {
    PullPtr source = frame.getPull(inst, 0);
    return frame.setPull(
        inst, 0, extents,
        [source, toSource](Location loc, Index index, Data &out) {
          return source->read(loc, toSource(index), out);
        });
  }
  PushPtr source = frame.getPush(inst, 0);
  return frame.setPush(inst, 0, extents, [source, toTarget](WriteFn writer) {
    return source->run([&](Location loc, DataRef values, Index index) {
      std::optional<IndexVector> target = toTarget(index);
      return target ? writer(loc, values, *target) : success();
    });
  });
}

//===- HostProgram.cpp - Runs host functions over a device ----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Runtime/HostProgram.h"
#include "Obsidian/Artefact/Build.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/IntEqClasses.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::obs::artefact;
using namespace mlir::obs::interpreter;
using namespace mlir::obs::runtime;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using obs::artefact::Slot;

/// Prefixes `error` with `location`, unless it is success.
static Error addLocation(StringRef location, Error error) {
  if (!error || location.empty())
    return error;
  return createStringError(location + ": " + llvm::toString(std::move(error)));
}

static Error makeLocatedError(StringRef location, const Twine &text) {
  return addLocation(location, createStringError(text));
}

Type mlir::obs::runtime::getScalarType(MLIRContext &context, StringRef text) {
  Builder builder(&context);
  unsigned width;
  if (text == "index")
    return builder.getIndexType();
  if (text == "bf16")
    return builder.getBF16Type();
  if (text.starts_with("i") && !text.drop_front().getAsInteger(10, width))
    return width <= 64 ? builder.getIntegerType(width) : Type();
  return text == "f16"   ? Type(builder.getF16Type())
         : text == "f32" ? Type(builder.getF32Type())
         : text == "f64" ? Type(builder.getF64Type())
                         : Type();
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// A function, with everything that no run changes, and the values of a run.
class HostProgram::Code {
public:
  Code(const Function &function, MLIRContext &context)
      : function(function), arrays(function.values.size()),
        prepared(function.numSteps) {
    for (const obs::artefact::PlanValue &value : function.values) {
      // Values of other types occur only in steps that are not executed.
      Type type = getScalarType(context, value.elementType);
      types.push_back(type ? type : IntegerType::get(&context, 64));
      scalars.push_back(value.bits);
      if (value.rank >= 0)
        owned.push_back(types.size() - 1);
    }
  }

  Error prepare(const Artefact &artefact, MLIRContext &context) {
    Error error = Error::success();
    walk(function.steps, [&](const Step &step) {
      if (!error)
        error = prepareStep(step, artefact, context);
    });
    findNumbers(function.steps);
    findTemporaries();
    findLastUses();
    return error;
  }

  /// The parts of a step that are known before it is executed.
  struct Prepared {
    /// Of a scalar operation.
    ScalarOpFn evaluate = nullptr;
    Operation *op = nullptr;
    /// Of a launch.
    std::optional<KernelHandle> handle;
    const Kernel *kernel = nullptr;
    SmallVector<uint64_t> alignments;
    /// Arrays that each body defines.
    SmallVector<ValueList, 2> owned;
    /// Of an allocation.
    MemoryUse use = MemoryUse::Any;
  };

  const Function &function;
  SmallVector<Type> types;
  /// By the number of the value. Buffers live as long as something here, or in
  /// the results, refers to them.
  std::vector<uint64_t> scalars;
  std::vector<MemoryRef> arrays;
  std::vector<Prepared> prepared;
  /// All arrays.
  ValueList owned;
  /// For each step outside of loops and branches, the arrays that no later step
  /// uses.
  std::vector<ValueList> lastUsed;

private:
  Error prepareStep(const Step &step, const Artefact &artefact,
                    MLIRContext &context);
  Error prepareLet(const Step &step, MLIRContext &context);
  /// Finds the allocations of numbers for the host among `steps`.
  void findNumbers(ArrayRef<Step> steps);
  bool isNumberForHost(const Step &allocation, ArrayRef<Step> steps);
  /// Finds the allocations of arrays that no result shares.
  void findTemporaries();
  void findLastUses();

  /// The operations for the evaluators of scalars. The arguments of the block
  /// represent their operands.
  Block operations;
};

Error HostProgram::Code::prepareStep(const Step &step, const Artefact &artefact,
                                     MLIRContext &context) {
  Prepared &made = prepared[step.number];
  for (ArrayRef<Step> body : step.bodies) {
    ValueList &defined = made.owned.emplace_back();
    walk(body, [&](const Step &inner) {
      for (const ValueList *list : {&inner.results, &inner.inner})
        for (ValueNumber number : *list)
          if (function.values[number].rank >= 0)
            defined.push_back(number);
    });
  }
  if (step.kind == Step::Launch) {
    made.kernel = artefact.findKernel(step.text);
    for (unsigned number : llvm::seq<unsigned>(step.lists[0].size()))
      made.alignments.push_back(made.kernel && !made.kernel->contract.empty()
                                    ? made.kernel->getAlignment(number)
                                    : 1);
  }
  return step.kind == Step::Let ? prepareLet(step, context) : Error::success();
}

Error HostProgram::Code::prepareLet(const Step &step, MLIRContext &context) {
  if (step.text == "memref.dim")
    return Error::success();
  auto [name, mode] = StringRef(step.text).split(' ');
  OperationState state(UnknownLoc::get(&context), name);
  bool hasArrays = false;
  for (ValueNumber number : step.lists[0]) {
    hasArrays |= function.values[number].rank >= 0;
    state.operands.push_back(
        operations.addArgument(types[number], state.location));
  }
  for (ValueNumber number : step.results) {
    hasArrays |= function.values[number].rank >= 0;
    state.types.push_back(types[number]);
  }
  if (auto predicate = arith::symbolizeCmpIPredicate(mode);
      predicate && name == "arith.cmpi")
    state.addAttribute("predicate",
                       arith::CmpIPredicateAttr::get(&context, *predicate));
  if (auto predicate = arith::symbolizeCmpFPredicate(mode);
      predicate && name == "arith.cmpf")
    state.addAttribute("predicate",
                       arith::CmpFPredicateAttr::get(&context, *predicate));
  if (auto rounding = arith::symbolizeRoundingMode(mode);
      rounding && name == "arith.truncf")
    state.addAttribute("roundingmode",
                       arith::RoundingModeAttr::get(&context, *rounding));
  // The contract of a stranger may have anything.
  ScopedDiagnosticHandler quiet(&context,
                                [](Diagnostic &) { return success(); });
  bool isKnown = state.name.isRegistered() &&
                 (name.starts_with("arith.") || name.starts_with("math.")) &&
                 (!hasArrays || name == "arith.select");
  Prepared &made = prepared[step.number];
  if (isKnown) {
    made.op = Operation::create(state);
    operations.push_back(made.op);
    if (succeeded(verify(made.op)))
      made.evaluate = lookupScalarOp(made.op);
  }
  return made.evaluate ? Error::success()
                       : makeLocatedError(step.location,
                                          "'" + step.text +
                                              "' is not an operation on such "
                                              "scalars");
}

void HostProgram::Code::findNumbers(ArrayRef<Step> steps) {
  for (const Step &step : steps) {
    if (step.kind == Step::Allocate && isNumberForHost(step, steps))
      prepared[step.number].use = MemoryUse::Number;
    for (ArrayRef<Step> body : step.bodies)
      findNumbers(body);
  }
}

/// True if kernels only write the array of `allocation`, which is one of
/// `steps`, and a later one of these copies it to the host.
bool HostProgram::Code::isNumberForHost(const Step &allocation,
                                        ArrayRef<Step> steps) {
  ValueNumber array = allocation.results[0];
  for (ValueNumber extent : allocation.lists[0])
    if (!function.values[extent].isConstant || function.values[extent].bits > 1)
      return false;
  bool isWritten = true;
  walk(function.steps, [&](const Step &step) {
    ArrayRef<ValueNumber> operands = step.operands;
    if (step.kind == Step::Launch)
      for (auto [number, argument] : llvm::enumerate(step.lists[0]))
        isWritten &= argument != array ||
                     (prepared[step.number].kernel &&
                      prepared[step.number].kernel->onlyWrites(number));
    else if (step.kind == Step::Copy)
      isWritten &= operands[0] != array;
    else if (step.kind != Step::Free)
      isWritten &= !llvm::is_contained(operands, array) &&
                   llvm::none_of(step.lists, [&](const ValueList &list) {
                     return llvm::is_contained(list, array);
                   });
  });
  auto isRead = [&](const Step &step) {
    if (step.kind != Step::Copy || step.operands[1] != array)
      return false;
    return llvm::any_of(steps, [&](const Step &other) {
      return other.kind == Step::Host && other.results[0] == step.operands[0];
    });
  };
  return isWritten && !llvm::is_contained(function.returned, array) &&
         llvm::any_of(steps, isRead);
}

void HostProgram::Code::findTemporaries() {
  // Arrays that may share memory are in one class.
  llvm::IntEqClasses classes(function.values.size());
  walk(function.steps, [&](const Step &step) {
    std::optional<ValueNumber> first;
    auto join = [&](const ValueList &list) {
      for (ValueNumber number : list) {
        if (function.values[number].rank < 0)
          continue;
        first = first ? classes.join(*first, number) : number;
      }
    };
    if (step.kind == Step::Launch || step.kind == Step::Copy)
      return;
    join(step.results);
    join(step.operands);
    join(step.inner);
    llvm::for_each(step.lists, join);
  });
  llvm::SmallDenseSet<unsigned> returned;
  for (ValueNumber number : function.returned)
    returned.insert(classes.findLeader(number));
  walk(function.steps, [&](const Step &step) {
    MemoryUse &use = prepared[step.number].use;
    if (step.kind == Step::Allocate && use == MemoryUse::Any &&
        !returned.contains(classes.findLeader(step.results[0])))
      use = MemoryUse::Temporary;
  });
}

void HostProgram::Code::findLastUses() {
  lastUsed.resize(function.steps.size());
  std::vector<bool> isUsed(function.values.size());
  for (ValueNumber number : function.returned)
    isUsed[number] = true;
  for (unsigned index = function.steps.size(); index-- > 0;) {
    auto use = [&](const ValueList &list) {
      for (ValueNumber number : list) {
        if (!isUsed[number] && function.values[number].rank >= 0)
          lastUsed[index].push_back(number);
        isUsed[number] = true;
      }
    };
    // A body drops what it defines.
    use(function.steps[index].results);
    walk(function.steps[index], [&](const Step &step) {
      use(step.operands);
      llvm::for_each(step.lists, use);
    });
  }
}

//===----------------------------------------------------------------------===//
// Executor
//===----------------------------------------------------------------------===//

/// One run of one function. It leaves no array in the code, so that leaving it
/// in any way frees them.
class HostProgram::Executor {
public:
  Executor(HostProgram &program, Code &code)
      : program(program), code(code), device(*program.device) {}
  ~Executor() { drop(code.owned); }

  /// The whole function.
  Error execute();
  Error execute(ArrayRef<Step> steps);
  RuntimeValue get(ValueNumber number) {
    if (code.function.values[number].rank >= 0)
      return code.arrays[number];
    return getScalar(number);
  }
  void set(ValueNumber number, const RuntimeValue &value) {
    if (const auto *scalar = std::get_if<Scalar>(&value))
      code.scalars[number] = scalar->bits;
    else
      code.arrays[number] = std::get<MemoryRef>(value);
  }

private:
  Error executeStep(const Step &step);
  Error executeLet(const Step &step);
  Error executeFor(const Step &step);
  Error executeWhile(const Step &step);
  Error executeIf(const Step &step);
  Error executeSlice(const Step &step);
  Error executeLaunch(const Step &step);
  Error launch(const Step &step, const LaunchShape &shape,
               ArrayRef<void *> parameters);

  Scalar getScalar(ValueNumber number) {
    return Scalar(code.types[number], code.scalars[number]);
  }
  int64_t getInt(ValueNumber number) { return getScalar(number).getSInt(); }
  MemoryRef &getRef(ValueNumber number) { return code.arrays[number]; }
  MemoryRef &getOperand(const Step &step, unsigned number) {
    return getRef(step.operands[number]);
  }
  Type getType(ValueNumber number) { return code.types[number]; }
  SmallVector<int64_t> getInts(const ValueList &list) {
    return llvm::map_to_vector(list, [&](auto n) { return getInt(n); });
  }
  /// All at once: a source may be a target.
  void assign(ArrayRef<ValueNumber> targets, ArrayRef<ValueNumber> sources) {
    SmallVector<RuntimeValue, 4> copies;
    for (ValueNumber source : sources)
      copies.push_back(get(source));
    for (auto [target, value] : llvm::zip_equal(targets, copies))
      set(target, value);
  }
  /// Lets go of the memory of `values`.
  void drop(const ValueList &values) {
    for (ValueNumber number : values)
      code.arrays[number].buffer.reset();
  }
  /// Sets the one result of `step`.
  Error finish(const Step &step, Expected<MemoryRef> array) {
    if (!array)
      return array.takeError();
    getRef(step.results[0]) = std::move(*array);
    return Error::success();
  }
  Error checkCast(const Step &step);
  Error print(const Step &step);
  /// The element at `indices`, as an array of rank 0.
  Expected<MemoryRef> getElement(const MemoryRef &array,
                                 const ValueList &indices);

  HostProgram &program;
  Code &code;
  Device &device;
};

Error HostProgram::Executor::execute() {
  ArrayRef<Step> steps = code.function.steps;
  for (auto [index, numbers] : llvm::enumerate(code.lastUsed)) {
    if (Error error = execute(steps.slice(index, 1)))
      return error;
    drop(numbers);
  }
  return Error::success();
}

Error HostProgram::Executor::execute(ArrayRef<Step> steps) {
  for (const Step &step : steps) {
    Error error = executeStep(step);
    if (!error)
      continue;
    // Steps that contain others, and launches, have placed their errors.
    bool isPlaced = !step.bodies.empty() || step.kind == Step::Launch;
    return isPlaced ? std::move(error)
                    : addLocation(step.location, std::move(error));
  }
  return Error::success();
}

Error HostProgram::Executor::executeStep(const Step &step) {
  switch (step.kind) {
  case Step::Let:
    return executeLet(step);
  case Step::For:
    return executeFor(step);
  case Step::While:
    return executeWhile(step);
  case Step::If:
    return executeIf(step);
  case Step::Launch:
    return executeLaunch(step);
  case Step::Slice:
    return executeSlice(step);
  case Step::Print:
    return print(step);
  case Step::Allocate:
    device.setAllocationLocation(step.location);
    return finish(step, MemoryRef::allocate(device, getType(step.results[0]),
                                            getInts(step.lists[0]),
                                            code.prepared[step.number].use));
  case Step::Host:
    return finish(step, MemoryRef::allocateOnHost(getType(step.results[0]),
                                                  getInts(step.lists[0])));
  case Step::Free: {
    Buffer &buffer = *getOperand(step, 0).buffer;
    if (buffer.isFreed())
      return createStringError("an array is freed twice");
    return buffer.freeNow();
  }
  case Step::Fill:
    return fill(getOperand(step, 0), getScalar(step.operands[1]));
  case Step::Copy:
    return copy(getOperand(step, 0), getOperand(step, 1));
  case Step::View:
  case Step::Strided: {
    // The new offset does not count from that of the source.
    MemoryRef ref = getOperand(step, 0);
    SmallVector<int64_t> sizes = getInts(step.lists[0]);
    ref.sizes.assign(sizes.begin(), sizes.end());
    ref.strides.assign(sizes.size(), 1);
    for (int64_t d = sizes.size() - 2; d >= 0; --d)
      ref.strides[d] = ref.strides[d + 1] * sizes[d + 1];
    ref.offset = ref.base;
    if (step.kind == Step::Strided) {
      ref.offset += getInt(step.operands[1]);
      SmallVector<int64_t> strides = getInts(step.lists[1]);
      ref.strides.assign(strides.begin(), strides.end());
    }
    return finish(step, std::move(ref));
  }
  case Step::Part:
    return finish(step, getOperand(step, 0).getPart(getInt(step.operands[1]),
                                                    getInts(step.lists[0])));
  case Step::Cast:
    return checkCast(step);
  case Step::Load: {
    auto element = getElement(getOperand(step, 0), step.lists[0]);
    if (!element)
      return element.takeError();
    uint64_t bits = 0;
    Error error = element->copyTo(&bits);
    code.scalars[step.results[0]] =
        Scalar::load(getType(step.results[0]), &bits).bits;
    return error;
  }
  case Step::Store: {
    auto element = getElement(getOperand(step, 1), step.lists[0]);
    return element ? element->copyFrom(&code.scalars[step.operands[0]])
                   : element.takeError();
  }
  case Step::Assert:
    if (code.scalars[step.operands[0]])
      return Error::success();
    return createStringError("assertion-failed: " + step.text);
  case Step::Unsupported:
    break;
  }
  return createStringError("'" + step.text +
                           "' cannot be executed in a host function");
}

Error HostProgram::Executor::executeLet(const Step &step) {
  const ValueList &from = step.lists[0];
  const Code::Prepared &made = code.prepared[step.number];
  if (!made.evaluate) {
    const MemoryRef &ref = getRef(from[0]);
    int64_t dim = getInt(from[1]);
    if (dim < 0 || dim >= static_cast<int64_t>(ref.sizes.size()))
      return createStringError("dimension " + Twine(dim) +
                               " of an array of rank " +
                               Twine(ref.sizes.size()));
    code.scalars[step.results[0]] = ref.sizes[dim];
    return Error::success();
  }
  if (code.function.values[step.results[0]].rank >= 0) {
    getRef(step.results[0]) = getRef(from[code.scalars[from[0]] ? 1 : 2]);
    return Error::success();
  }
  SmallVector<Scalar, 4> operands;
  for (ValueNumber number : from)
    operands.push_back(getScalar(number));
  SmallVector<Scalar, 2> results;
  if (Error error = made.evaluate(made.op, operands, results))
    return error;
  for (auto [number, scalar] : llvm::zip_equal(step.results, results))
    code.scalars[number] = scalar.bits;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

Error HostProgram::Executor::executeFor(const Step &step) {
  Scalar iv = getScalar(step.operands[0]), upper = getScalar(step.operands[1]);
  Scalar by = getScalar(step.operands[2]);
  bool isUnsigned = step.text == "unsigned";
  if (isUnsigned ? by.getUInt() == 0 : by.getSInt() <= 0)
    return makeLocatedError(step.location,
                            "the step of a loop must be positive");
  ArrayRef<ValueNumber> carried = ArrayRef(step.inner).drop_back();
  assign(carried, step.lists[0]);
  while (isUnsigned ? iv.getUInt() < upper.getUInt()
                    : iv.getSInt() < upper.getSInt()) {
    code.scalars[step.inner.back()] = iv.bits;
    if (Error error = execute(step.bodies[0]))
      return error;
    assign(carried, step.lists[1]);
    drop(code.prepared[step.number].owned[0]);
    // Stops before the counter wraps around, as the trip count requires.
    uint64_t left = upper.getUInt() - iv.getUInt();
    if (Scalar(iv.type, left).getUInt() <= by.getUInt())
      break;
    iv = Scalar(iv.type, iv.bits + by.bits);
  }
  assign(step.results, carried);
  drop(step.inner);
  return Error::success();
}

Error HostProgram::Executor::executeWhile(const Step &step) {
  unsigned numCarried = step.lists[0].size();
  ArrayRef<ValueNumber> before = ArrayRef(step.inner).take_front(numCarried);
  ArrayRef<ValueNumber> after = ArrayRef(step.inner).drop_front(numCarried);
  assign(before, step.lists[0]);
  while (true) {
    if (Error error = execute(step.bodies[0]))
      return error;
    bool goesOn = code.scalars[step.operands[0]];
    assign(goesOn ? after : ArrayRef(step.results), step.lists[1]);
    drop(code.prepared[step.number].owned[0]);
    if (!goesOn)
      break;
    drop({before.begin(), before.end()});
    if (Error error = execute(step.bodies[1]))
      return error;
    assign(before, step.lists[2]);
    drop(code.prepared[step.number].owned[1]);
  }
  drop(step.inner);
  return Error::success();
}

Error HostProgram::Executor::executeIf(const Step &step) {
  unsigned branch = code.scalars[step.operands[0]] ? 0 : 1;
  if (Error error = execute(step.bodies[branch]))
    return error;
  assign(step.results, step.lists[branch]);
  drop(code.prepared[step.number].owned[branch]);
  return Error::success();
}

Error HostProgram::Executor::print(const Step &step) {
  StringRef rest = step.text;
  for (ValueNumber number : step.lists[0]) {
    auto [before, after] = rest.split("{}");
    *program.output << before << getScalar(number);
    rest = after;
  }
  *program.output << rest << '\n';
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// An error when an array that has `type` as its text, or the extents `needed`
/// where they are not negative, cannot be `array`.
static Error checkArray(const MemoryRef &array, Type elementType,
                        ArrayRef<int64_t> needed, StringRef type) {
  if (elementType != array.elementType || needed.size() != array.sizes.size())
    return createStringError("an array of rank " + Twine(array.sizes.size()) +
                             " of " + llvm::to_string(array.elementType) +
                             " stands where " + type + " is needed");
  for (auto [dim, size] : llvm::enumerate(array.sizes))
    if (needed[dim] >= 0 && needed[dim] != size)
      return createStringError("an array with " + Twine(size) +
                               " elements in dimension " + Twine(dim) +
                               " stands where " + type + " is needed");
  return Error::success();
}

Error HostProgram::Executor::checkCast(const Step &step) {
  const MemoryRef &array = getOperand(step, 0);
  if (Error error = checkArray(array, getType(step.results[0]),
                               getInts(step.lists[0]), step.text))
    return error;
  getRef(step.results[0]) = array;
  return Error::success();
}

Expected<MemoryRef>
HostProgram::Executor::getElement(const MemoryRef &array,
                                  const ValueList &indices) {
  MemoryRef element = array;
  for (auto [number, size, stride] :
       llvm::zip_equal(indices, array.sizes, array.strides)) {
    int64_t index = getInt(number);
    if (index < 0 || index >= size)
      return createStringError("index " + Twine(index) +
                               " of an array of extent " + Twine(size));
    element.offset += index * stride;
  }
  element.sizes.clear();
  element.strides.clear();
  return element;
}

Error HostProgram::Executor::executeSlice(const Step &step) {
  const MemoryRef &source = getOperand(step, 0);
  MemoryRef ref = source;
  ref.sizes.clear();
  ref.strides.clear();
  SmallVector<int64_t> offsets = getInts(step.lists[0]);
  SmallVector<int64_t> sizes = getInts(step.lists[1]);
  SmallVector<int64_t> strides = getInts(step.lists[2]);
  for (unsigned dim = 0; dim < sizes.size(); ++dim) {
    int64_t last = offsets[dim] + (sizes[dim] - 1) * strides[dim];
    if (sizes[dim] > 0 && (offsets[dim] < 0 || last < 0 ||
                           std::max(offsets[dim], last) >= source.sizes[dim]))
      return createStringError(
          "index " +
          Twine(offsets[dim] < 0 || offsets[dim] >= source.sizes[dim]
                    ? offsets[dim]
                    : last) +
          " of an array of extent " + Twine(source.sizes[dim]));
    ref.offset += offsets[dim] * source.strides[dim];
    if (llvm::is_contained(step.dropped, dim))
      continue;
    ref.sizes.push_back(sizes[dim]);
    ref.strides.push_back(strides[dim] * source.strides[dim]);
  }
  return finish(step, std::move(ref));
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

Error HostProgram::Executor::executeLaunch(const Step &step) {
  auto fail = [&](const Twine &reason) {
    return makeLocatedError(step.location,
                            "kernel '" + step.text +
                                "' cannot be launched: " + reason);
  };
  int64_t numbers[7];
  for (auto [number, operand] : llvm::zip_equal(numbers, step.operands))
    number = getInt(operand);
  auto [x, threads, shared, y, z, threadsY, threadsZ] = numbers;
  if (std::min({x, y, z, threads, threadsY, threadsZ}) < 0)
    return fail("the number of blocks or threads is negative");
  LaunchShape shape{{uint64_t(x), uint64_t(y), uint64_t(z)},
                    {uint64_t(threads), uint64_t(threadsY), uint64_t(threadsZ)},
                    code.scalars[step.operands[2]]};
  bool isEmpty = x == 0 || y == 0 || z == 0;
  if (!isEmpty && (threads == 0 || threadsY == 0 || threadsZ == 0))
    return fail("a block has no threads");

  Code::Prepared &made = code.prepared[step.number];
  if (!made.handle) {
    auto handle =
        device.getKernel(made.kernel ? made.kernel->module : "", step.text);
    if (!handle)
      return addLocation(step.location, handle.takeError());
    made.handle = *handle;
  }

  // The bits of each parameter are in a separate word.
  SmallVector<uint64_t, 16> words;
  for (ValueNumber number : step.lists[0]) {
    if (code.function.values[number].rank < 0) {
      words.push_back(code.scalars[number]);
      continue;
    }
    const MemoryRef &ref = getRef(number);
    if (!ref.buffer->isOnDevice())
      return fail("an array argument is in the memory of the host");
    if (ref.buffer->isFreed())
      return fail("an array argument was freed");
    words.push_back(ref.buffer->getAddress() +
                    ref.offset * ref.getElementBytes());
    if (uint64_t alignment = made.alignments[words.size() - 1];
        words.back() % alignment != 0)
      return fail("an array argument does not begin at a multiple of " +
                  Twine(alignment) + " bytes");
  }
  SmallVector<void *, 16> parameters;
  for (uint64_t &word : words)
    parameters.push_back(&word);

  LaunchRecord record{step.text, shape, std::nullopt, std::nullopt};
  if (program.timing)
    if (Error error = device.startTimer())
      return addLocation(step.location, std::move(error));
  if (!isEmpty)
    if (Error error = launch(step, shape, parameters))
      return error;
  if (program.timing) {
    Expected<double> milliseconds = device.stopTimer();
    if (!milliseconds)
      return addLocation(step.location, milliseconds.takeError());
    record.milliseconds = *milliseconds;
  }
  if (!isEmpty)
    record.counters = device.getLastLaunchCounters();
  program.launches.push_back(record);
  return Error::success();
}

Error HostProgram::Executor::launch(const Step &step, const LaunchShape &shape,
                                    ArrayRef<void *> parameters) {
  Error error =
      device.launch(*code.prepared[step.number].handle, shape, parameters);
  if (!error)
    return error;
  // The location of the emulator, in the kernel, is more exact.
  std::string text = llvm::toString(std::move(error));
  if (splitLocation(text).first.empty())
    return makeLocatedError(step.location, text);
  return createStringError(
      text + "\n  in kernel '" + step.text + "'" +
      (step.location.empty() ? "" : " launched at " + step.location));
}

//===----------------------------------------------------------------------===//
// HostProgram
//===----------------------------------------------------------------------===//

HostProgram::HostProgram(std::shared_ptr<const Artefact> artefact,
                         Device &device)
    : artefact(std::move(artefact)), device(&device) {}
HostProgram::HostProgram(HostProgram &&) = default;
HostProgram::~HostProgram() = default;

Expected<HostProgram>
HostProgram::create(std::shared_ptr<const Artefact> artefact, Device &device,
                    MLIRContext &context) {
  context.loadDialect<arith::ArithDialect, math::MathDialect>();
  HostProgram program(std::move(artefact), device);
  for (const Function &function : program.artefact->functions) {
    auto code = std::make_unique<Code>(function, context);
    if (Error error = code->prepare(*program.artefact, context))
      return std::move(error);
    program.functions.push_back(std::move(code));
  }
  return std::move(program);
}

Expected<HostProgram> HostProgram::create(ModuleOp module, Device &device) {
  for (auto gpuModule : module.getOps<gpu::GPUModuleOp>())
    if (Error error = device.loadModule(gpuModule))
      return std::move(error);
  Expected<Artefact> artefact = build(module, /*chip=*/"");
  if (!artefact)
    return artefact.takeError();
  return create(std::make_shared<Artefact>(std::move(*artefact)), device,
                *module.getContext());
}

/// An error when `value` cannot be of the type of `slot`.
static Error checkType(const RuntimeValue &value, const Slot &slot,
                       Type elementType) {
  if (const auto *array = std::get_if<MemoryRef>(&value))
    return checkArray(*array, slot.isScalar ? Type() : elementType,
                      slot.extents, slot.type);
  const Scalar &scalar = std::get<Scalar>(value);
  if (slot.isScalar && scalar.type == elementType)
    return Error::success();
  return createStringError("a scalar of type " + llvm::to_string(scalar.type) +
                           " stands where " + slot.type + " is needed");
}

Expected<HostProgram::Code *>
HostProgram::findEntry(StringRef entry, ArrayRef<RuntimeValue> arguments) {
  auto found = llvm::find_if(
      functions, [&](auto &code) { return code->function.name == entry; });
  if (found == functions.end())
    return createStringError("there is no function '" + entry + "'");
  Code &code = **found;
  const Function &function = code.function;
  if (function.parameters.size() != arguments.size())
    return makeLocatedError(
        function.location,
        "function '" + entry + "' takes " + Twine(function.parameters.size()) +
            " arguments, and " + Twine(arguments.size()) + " are given");
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (Error error =
            checkType(argument, function.parameters[index], code.types[index]))
      return makeLocatedError(function.location,
                              "argument " + Twine(index) + " of '" + entry +
                                  "': " + llvm::toString(std::move(error)));
  return &code;
}

Expected<SmallVector<RuntimeValue>>
HostProgram::execute(Code &code, ArrayRef<RuntimeValue> arguments) {
  Executor executor(*this, code);
  for (auto [number, argument] : llvm::enumerate(arguments))
    executor.set(number, argument);
  if (Error error = executor.execute())
    return std::move(error);
  SmallVector<RuntimeValue> results;
  for (ValueNumber number : code.function.returned)
    results.push_back(executor.get(number));
  // An array that is not read may have any size. The results are read.
  for (const RuntimeValue &result : results)
    if (const auto *array = std::get_if<MemoryRef>(&result))
      if (Error error = array->checkAccess())
        return addLocation(code.function.returnLocation, std::move(error));
  return results;
}

Expected<SmallVector<RuntimeValue>>
HostProgram::run(StringRef entry, ArrayRef<RuntimeValue> arguments) {
  Expected<Code *> code = findEntry(entry, arguments);
  if (!code)
    return code.takeError();
  // The executor is gone, and with it its buffers, before anybody waits.
  auto results = execute(**code, arguments);
  if (!results)
    return results;
  if (Error error = device->synchronize())
    return addLocation((*code)->function.location, std::move(error));
  return results;
}

Expected<SmallVector<RuntimeValue>>
HostProgram::start(StringRef entry, ArrayRef<RuntimeValue> arguments) {
  Expected<Code *> code = findEntry(entry, arguments);
  if (!code)
    return code.takeError();
  return execute(**code, arguments);
}

Expected<SmallVector<RuntimeValue>>
HostProgram::record(StringRef entry, ArrayRef<RuntimeValue> arguments,
                    WorkHandle &work) {
  Expected<Code *> code = findEntry(entry, arguments);
  if (!code)
    return code.takeError();
  if (Error error = device->beginRecording())
    return std::move(error);
  auto results = execute(**code, arguments);
  Expected<WorkHandle> recorded = device->endRecording();
  if (!results) {
    llvm::consumeError(recorded.takeError());
    return results;
  }
  if (!recorded)
    return addLocation((*code)->function.location, recorded.takeError());
  work = *recorded;
  return results;
}

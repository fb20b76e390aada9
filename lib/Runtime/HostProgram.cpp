//===- HostProgram.cpp - Runs host functions over a device ----------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an artefact and a device. A run executes the steps of a function in
// order, on the values of the run, which the device or the host has.
//
// The file is long because one class executes all kinds of steps: each of them
// reads and writes the values of the run.
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
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ScopedPrinter.h"
#include <functional>

using namespace mlir;
using namespace mlir::obs::artefact;
using namespace mlir::obs::interpreter;
using namespace mlir::obs::runtime;
using obs::artefact::Slot;

/// Prefixes `error` with `location`, unless it is success or has a location.
static Error addLocation(StringRef location, Error error) {
  if (!error || location.empty())
    return error;
  std::string text = llvm::toString(std::move(error));
  if (!splitLocation(text).first.empty())
    return createStringError(text);
  return createStringError(location + ": " + text);
}

Type mlir::obs::runtime::getScalarType(MLIRContext &context, StringRef text) {
  Builder builder(&context);
  unsigned width;
  if (text.starts_with("i") && !text.drop_front().getAsInteger(10, width))
    return width <= 64 ? builder.getIntegerType(width) : Type();
  return llvm::StringSwitch<Type>(text)
      .Case("index", builder.getIndexType())
      .Case("f16", builder.getF16Type())
      .Case("bf16", builder.getBF16Type())
      .Case("f32", builder.getF32Type())
      .Case("f64", builder.getF64Type())
      .Default(Type());
}

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

/// The elements of `source` at `offsets` plus multiples of `strides`. The
/// result does not have the dimensions for which `isDropped` returns true.
static Expected<MemoryRef> slice(const MemoryRef &source,
                                 ArrayRef<int64_t> offsets,
                                 ArrayRef<int64_t> sizes,
                                 ArrayRef<int64_t> strides,
                                 llvm::function_ref<bool(unsigned)> isDropped) {
  MemoryRef ref = source;
  ref.sizes.clear();
  ref.strides.clear();
  for (auto [dim, extent] : llvm::enumerate(source.sizes)) {
    int64_t first = offsets[dim];
    int64_t last = first + (sizes[dim] - 1) * strides[dim];
    if (sizes[dim] > 0 &&
        (first < 0 || last < 0 || std::max(first, last) >= extent))
      return createStringError(
          "index " + Twine(first < 0 || first >= extent ? first : last) +
          " of an array of extent " + Twine(extent));
    ref.offset += first * source.strides[dim];
    if (isDropped(dim))
      continue;
    ref.sizes.push_back(sizes[dim]);
    ref.strides.push_back(strides[dim] * source.strides[dim]);
  }
  return ref;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// A function, with everything that no run changes, and the values of a run.
class HostProgram::Code {
public:
  Code(const Function &function, Device &device, MLIRContext &context)
      : function(function), device(device), context(context),
        arrays(function.values.size()), prepared(function.numSteps) {
    for (const obs::artefact::PlanValue &value : function.values) {
      // Values of other types occur only in functions that are not executed.
      Type type = getScalarType(context, value.elementType);
      types.push_back(type ? type : IntegerType::get(&context, 64));
      scalars.push_back(value.bits);
      if (value.rank >= 0)
        owned.push_back(types.size() - 1);
    }
  }

  Error prepare(const Artefact &artefact) {
    Error error = Error::success();
    walk(function.steps, [&](const Step &step) {
      if (!error)
        error = addLocation(step.location, prepareStep(step, artefact));
    });
    if (error)
      return error;
    findMemoryUses();
    findLastUses();
    return Error::success();
  }

  /// Runs the function without waiting for the device at the end.
  Expected<SmallVector<RuntimeValue>> run(HostProgram &caller,
                                          ArrayRef<RuntimeValue> arguments) {
    program = &caller;
    // Leaving in any way frees all arrays that are not results.
    llvm::scope_exit dropAll([&] { drop(owned); });
    for (auto [number, argument] : llvm::enumerate(arguments))
      set(number, argument);
    for (auto [step, numbers] : llvm::zip_equal(function.steps, lastUsed)) {
      if (Error error = execute(step))
        return std::move(error);
      drop(numbers);
    }
    SmallVector<RuntimeValue> results;
    for (ValueNumber number : function.returned)
      results.push_back(get(number));
    // An array that is not read may have any size. The results are read.
    for (const RuntimeValue &result : results)
      if (const auto *array = std::get_if<MemoryRef>(&result))
        if (Error error = array->checkAccess())
          return addLocation(function.returnLocation, std::move(error));
    return results;
  }

  /// An error when the function does not have parameters for `arguments`.
  Error checkArguments(ArrayRef<RuntimeValue> arguments) const {
    StringRef location = function.location, name = function.name;
    if (function.parameters.size() != arguments.size())
      return addLocation(
          location, createStringError("function '" + name + "' takes " +
                                      Twine(function.parameters.size()) +
                                      " arguments, and " +
                                      Twine(arguments.size()) + " are given"));
    for (auto [index, argument] : llvm::enumerate(arguments))
      if (Error error = checkArgument(argument, index))
        return addLocation(
            location,
            createStringError("argument " + Twine(index) + " of '" + name +
                              "': " + llvm::toString(std::move(error))));
    return Error::success();
  }

  const Function &function;

private:
  /// An error when `value` cannot be the parameter `number`.
  Error checkArgument(const RuntimeValue &value, unsigned number) const {
    const Slot &slot = function.parameters[number];
    if (const auto *array = std::get_if<MemoryRef>(&value))
      return checkArray(*array, slot.isScalar ? Type() : types[number],
                        slot.extents, slot.type);
    const Scalar &scalar = std::get<Scalar>(value);
    if (slot.isScalar && scalar.type == types[number])
      return Error::success();
    return createStringError("a scalar of type " +
                             llvm::to_string(scalar.type) + " stands where " +
                             slot.type + " is needed");
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
    bool waits = false;
    /// Arrays that each body defines.
    SmallVector<ValueList, 2> owned;
    /// Of an allocation.
    MemoryUse use = MemoryUse::Any;
  };

  //===--------------------------------------------------------------------===//
  // Before the first run
  //===--------------------------------------------------------------------===//

  Error prepareStep(const Step &step, const Artefact &artefact) {
    Prepared &made = prepared[step.number];
    for (ArrayRef<Step> body : step.bodies) {
      ValueList &defined = made.owned.emplace_back();
      walk(body, [&](const Step &inner) {
        for (const ValueList *list : {&inner.results, &inner.inner})
          llvm::copy_if(*list, std::back_inserter(defined),
                        [&](ValueNumber number) { return isArray(number); });
      });
    }
    if (step.kind == Step::Launch) {
      made.kernel = artefact.findKernel(step.text);
      made.waits = made.kernel->waitsForKernels();
      for (unsigned number : llvm::seq<unsigned>(step.lists[0].size()))
        made.alignments.push_back(made.kernel->getAlignment(number));
    }
    if (step.kind != Step::Let || prepareLet(step, made))
      return Error::success();
    return createStringError("'" + step.text +
                             "' is not an operation on such scalars");
  }

  /// Makes the operation of a `Let` for its evaluator. False if it is not
  /// valid: the contract of a stranger may have anything.
  bool prepareLet(const Step &step, Prepared &made) {
    auto [name, mode] = StringRef(step.text).split(' ');
    OperationState state(UnknownLoc::get(&context), name);
    SmallVector<bool> areArrays;
    for (ValueNumber number : step.lists[0]) {
      areArrays.push_back(isArray(number));
      state.operands.push_back(
          operations.addArgument(types[number], state.location));
    }
    for (ValueNumber number : step.results) {
      areArrays.push_back(isArray(number));
      state.types.push_back(types[number]);
    }
    if (step.text == "memref.dim")
      return areArrays == SmallVector<bool>{true, false, false};
    bool isSelect = name == "arith.select" &&
                    areArrays == SmallVector<bool>{false, true, true, true};
    if (!state.name.isRegistered() ||
        !(name.starts_with("arith.") || name.starts_with("math.")) ||
        (!isSelect && llvm::is_contained(areArrays, true)))
      return false;
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
    ScopedDiagnosticHandler quiet(&context,
                                  [](Diagnostic &) { return success(); });
    made.op = Operation::create(state);
    operations.push_back(made.op);
    if (succeeded(verify(made.op)))
      made.evaluate = lookupScalarOp(made.op);
    return made.evaluate;
  }

  /// Finds the allocations of numbers for the host, and those of arrays that no
  /// result shares.
  void findMemoryUses() {
    // Arrays that may share memory are in one class.
    llvm::IntEqClasses classes(function.values.size());
    // True for an array that is not only written by kernels and then copied.
    std::vector<bool> hasOtherUses(function.values.size());
    walk(function.steps, [&](const Step &step) {
      if (step.kind == Step::Copy)
        hasOtherUses[step.operands[0]] = true;
      if (step.kind == Step::Launch)
        for (auto [index, number] : llvm::enumerate(step.lists[0]))
          if (!prepared[step.number].kernel->onlyWrites(index))
            hasOtherUses[number] = true;
      if (step.kind == Step::Copy || step.kind == Step::Launch ||
          step.kind == Step::Free)
        return;
      std::optional<ValueNumber> first;
      auto join = [&](const ValueList &list) {
        for (ValueNumber number : list)
          if (isArray(number))
            first = first ? classes.join(*first, number) : number;
      };
      auto use = [&](const ValueList &list) {
        join(list);
        for (ValueNumber number : list)
          hasOtherUses[number] = true;
      };
      join(step.results);
      join(step.inner);
      use(step.operands);
      llvm::for_each(step.lists, use);
    });
    llvm::SmallDenseSet<unsigned> returned;
    for (ValueNumber number : function.returned) {
      returned.insert(classes.findLeader(number));
      hasOtherUses[number] = true;
    }
    auto isNumber = [&](ValueNumber extent) {
      return function.values[extent].isConstant &&
             function.values[extent].bits <= 1;
    };
    std::function<void(ArrayRef<Step>)> visit = [&](ArrayRef<Step> steps) {
      llvm::SmallDenseSet<ValueNumber> hosts, copied;
      for (const Step &step : steps) {
        if (step.kind == Step::Host)
          hosts.insert(step.results[0]);
        if (step.kind == Step::Copy && hosts.contains(step.operands[0]))
          copied.insert(step.operands[1]);
        llvm::for_each(step.bodies, visit);
      }
      for (const Step &step : steps) {
        if (step.kind != Step::Allocate)
          continue;
        ValueNumber array = step.results[0];
        if (copied.contains(array) && !hasOtherUses[array] &&
            llvm::all_of(step.lists[0], isNumber))
          prepared[step.number].use = MemoryUse::Number;
        else if (!returned.contains(classes.findLeader(array)))
          prepared[step.number].use = MemoryUse::Temporary;
      }
    };
    visit(function.steps);
  }

  void findLastUses() {
    lastUsed.resize(function.steps.size());
    std::vector<bool> isUsed(function.values.size());
    for (ValueNumber number : function.returned)
      isUsed[number] = true;
    for (unsigned index = function.steps.size(); index-- > 0;) {
      auto use = [&](const ValueList &list) {
        for (ValueNumber number : list) {
          if (!isUsed[number] && isArray(number))
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

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  bool isArray(ValueNumber number) { return function.values[number].rank >= 0; }
  Scalar getScalar(ValueNumber number) {
    return Scalar(types[number], scalars[number]);
  }
  int64_t getInt(ValueNumber number) { return getScalar(number).getSInt(); }
  SmallVector<int64_t> getInts(const ValueList &list) {
    return llvm::map_to_vector(list, [&](auto n) { return getInt(n); });
  }
  MemoryRef &getArray(const Step &step, unsigned operand = 0) {
    return arrays[step.operands[operand]];
  }
  RuntimeValue get(ValueNumber number) {
    if (isArray(number))
      return arrays[number];
    return getScalar(number);
  }
  void set(ValueNumber number, const RuntimeValue &value) {
    if (const auto *scalar = std::get_if<Scalar>(&value))
      scalars[number] = scalar->bits;
    else
      arrays[number] = std::get<MemoryRef>(value);
  }
  /// All at once: a source may be a target.
  void assign(ArrayRef<ValueNumber> targets, ArrayRef<ValueNumber> sources) {
    auto copies = llvm::map_to_vector<4>(
        sources, [&](ValueNumber source) { return get(source); });
    for (auto [target, value] : llvm::zip_equal(targets, copies))
      set(target, value);
  }
  /// Lets go of the memory of `values`.
  void drop(ArrayRef<ValueNumber> values) {
    for (ValueNumber number : values)
      arrays[number].buffer.reset();
  }
  /// Sets the one result of `step`.
  Error finish(const Step &step, Expected<MemoryRef> array) {
    if (!array)
      return array.takeError();
    arrays[step.results[0]] = std::move(*array);
    return Error::success();
  }

  //===--------------------------------------------------------------------===//
  // Steps
  //===--------------------------------------------------------------------===//

  Error execute(ArrayRef<Step> steps) {
    for (const Step &step : steps)
      if (Error error = executeStep(step))
        return addLocation(step.location, std::move(error));
    return Error::success();
  }

  Error executeStep(const Step &step) {
    switch (step.kind) {
    case Step::Let:
      return executeLet(step);
    case Step::For:
      return executeFor(step);
    case Step::While:
      return executeWhile(step);
    case Step::If: {
      unsigned branch = scalars[step.operands[0]] ? 0 : 1;
      if (Error error = execute(step.bodies[branch]))
        return error;
      assign(step.results, step.lists[branch]);
      drop(prepared[step.number].owned[branch]);
      return Error::success();
    }
    case Step::Launch:
      return executeLaunch(step);
    case Step::Print: {
      StringRef rest = step.text;
      for (ValueNumber number : step.lists[0]) {
        auto [before, after] = rest.split("{}");
        *program->output << before << getScalar(number);
        rest = after;
      }
      *program->output << rest << '\n';
      return Error::success();
    }
    case Step::Allocate:
      device.setAllocationLocation(step.location);
      return finish(step, MemoryRef::allocate(device, types[step.results[0]],
                                              getInts(step.lists[0]),
                                              prepared[step.number].use));
    case Step::Host:
      return finish(step, MemoryRef::allocateOnHost(types[step.results[0]],
                                                    getInts(step.lists[0])));
    case Step::Free: {
      Buffer &buffer = *getArray(step).buffer;
      if (buffer.isFreed())
        return createStringError("an array is freed twice");
      return buffer.freeNow();
    }
    case Step::Fill:
      return fill(getArray(step), getScalar(step.operands[1]));
    case Step::Copy:
      return copy(getArray(step), getArray(step, 1));
    case Step::View:
    case Step::Strided: {
      // The new offset does not count from that of the source.
      MemoryRef ref = getArray(step);
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
      return finish(step, getArray(step).getPart(getInt(step.operands[1]),
                                                 getInts(step.lists[0])));
    case Step::Slice:
      return finish(step, slice(getArray(step), getInts(step.lists[0]),
                                getInts(step.lists[1]), getInts(step.lists[2]),
                                [&](unsigned dim) {
                                  return llvm::is_contained(step.dropped, dim);
                                }));
    case Step::Cast:
      if (Error error = checkArray(getArray(step), types[step.results[0]],
                                   getInts(step.lists[0]), step.text))
        return error;
      return finish(step, MemoryRef(getArray(step)));
    case Step::Load:
    case Step::Store: {
      bool isLoad = step.kind == Step::Load;
      // One element, as an array of rank 0.
      SmallVector<int64_t> ones(step.lists[0].size(), 1);
      auto element =
          slice(getArray(step, isLoad ? 0 : 1), getInts(step.lists[0]), ones,
                ones, [](unsigned) { return true; });
      if (!element)
        return element.takeError();
      if (!isLoad)
        return element->copyFrom(&scalars[step.operands[0]]);
      uint64_t bits = 0;
      Error error = element->copyTo(&bits);
      scalars[step.results[0]] =
          Scalar::load(types[step.results[0]], &bits).bits;
      return error;
    }
    case Step::Assert:
      if (scalars[step.operands[0]])
        return Error::success();
      return createStringError("assertion-failed: " + step.text);
    case Step::Unsupported:
      break;
    }
    return createStringError("'" + step.text +
                             "' cannot be executed in a host function");
  }

  Error executeLet(const Step &step) {
    const ValueList &from = step.lists[0];
    const Prepared &made = prepared[step.number];
    if (!made.evaluate) {
      ArrayRef<int64_t> sizes = arrays[from[0]].sizes;
      int64_t dim = getInt(from[1]);
      if (dim < 0 || dim >= static_cast<int64_t>(sizes.size()))
        return createStringError("dimension " + Twine(dim) +
                                 " of an array of rank " + Twine(sizes.size()));
      scalars[step.results[0]] = sizes[dim];
      return Error::success();
    }
    if (isArray(step.results[0])) {
      arrays[step.results[0]] = arrays[from[scalars[from[0]] ? 1 : 2]];
      return Error::success();
    }
    auto operands = llvm::map_to_vector<4>(
        from, [&](ValueNumber number) { return getScalar(number); });
    SmallVector<Scalar, 2> results;
    if (Error error = made.evaluate(made.op, operands, results))
      return error;
    for (auto [number, scalar] : llvm::zip_equal(step.results, results))
      scalars[number] = scalar.bits;
    return Error::success();
  }

  Error executeFor(const Step &step) {
    Scalar iv = getScalar(step.operands[0]),
           upper = getScalar(step.operands[1]),
           by = getScalar(step.operands[2]);
    bool isUnsigned = step.text == "unsigned";
    if (isUnsigned ? by.getUInt() == 0 : by.getSInt() <= 0)
      return createStringError("the step of a loop must be positive");
    ArrayRef<ValueNumber> carried = ArrayRef(step.inner).drop_back();
    assign(carried, step.lists[0]);
    while (isUnsigned ? iv.getUInt() < upper.getUInt()
                      : iv.getSInt() < upper.getSInt()) {
      scalars[step.inner.back()] = iv.bits;
      if (Error error = execute(step.bodies[0]))
        return error;
      assign(carried, step.lists[1]);
      drop(prepared[step.number].owned[0]);
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

  Error executeWhile(const Step &step) {
    unsigned numCarried = step.lists[0].size();
    ArrayRef<ValueNumber> before = ArrayRef(step.inner).take_front(numCarried);
    ArrayRef<ValueNumber> after = ArrayRef(step.inner).drop_front(numCarried);
    ArrayRef<ValueList> owned = prepared[step.number].owned;
    assign(before, step.lists[0]);
    while (true) {
      if (Error error = execute(step.bodies[0]))
        return error;
      bool goesOn = scalars[step.operands[0]];
      assign(goesOn ? after : ArrayRef(step.results), step.lists[1]);
      drop(owned[0]);
      if (!goesOn)
        break;
      drop(before);
      if (Error error = execute(step.bodies[1]))
        return error;
      assign(before, step.lists[2]);
      drop(owned[1]);
    }
    drop(step.inner);
    return Error::success();
  }

  //===--------------------------------------------------------------------===//
  // Kernels
  //===--------------------------------------------------------------------===//

  Error executeLaunch(const Step &step) {
    auto fail = [&](const Twine &reason) {
      return createStringError("kernel '" + step.text +
                               "' cannot be launched: " + reason);
    };
    int64_t numbers[7];
    for (auto [number, operand] : llvm::zip_equal(numbers, step.operands))
      number = getInt(operand);
    auto [x, threads, shared, y, z, threadsY, threadsZ] = numbers;
    if (std::min({x, y, z, threads, threadsY, threadsZ}) < 0)
      return fail("the number of blocks or threads is negative");
    Prepared &made = prepared[step.number];
    LaunchShape shape{
        {uint64_t(x), uint64_t(y), uint64_t(z)},
        {uint64_t(threads), uint64_t(threadsY), uint64_t(threadsZ)},
        scalars[step.operands[2]],
        made.waits};
    bool isEmpty = x == 0 || y == 0 || z == 0;
    if (!isEmpty && (threads == 0 || threadsY == 0 || threadsZ == 0))
      return fail("a block has no threads");

    if (!made.handle) {
      auto handle = device.getKernel(made.kernel->module, step.text);
      if (!handle)
        return handle.takeError();
      made.handle = *handle;
    }

    // The bits of each parameter are in a separate word.
    SmallVector<uint64_t, 16> words;
    for (auto [number, alignment] :
         llvm::zip_equal(step.lists[0], made.alignments)) {
      if (!isArray(number)) {
        words.push_back(scalars[number]);
        continue;
      }
      const MemoryRef &ref = arrays[number];
      if (!ref.buffer->isOnDevice())
        return fail("an array argument is in the memory of the host");
      if (ref.buffer->isFreed())
        return fail("an array argument was freed");
      words.push_back(ref.buffer->getAddress() +
                      ref.offset * ref.getElementBytes());
      if (words.back() % alignment != 0)
        return fail("an array argument does not begin at a multiple of " +
                    Twine(alignment) + " bytes");
    }
    auto parameters = llvm::map_to_vector<16>(
        words, [](uint64_t &word) -> void * { return &word; });

    LaunchRecord record{step.text, shape, std::nullopt, std::nullopt};
    if (program->timing)
      if (Error error = device.startTimer())
        return error;
    if (!isEmpty) {
      if (Error error = device.launch(*made.handle, shape, parameters)) {
        // The location of the emulator, in the kernel, is more exact.
        std::string text = llvm::toString(std::move(error));
        if (!splitLocation(text).first.empty())
          text +=
              "\n  in kernel '" + step.text + "'" +
              (step.location.empty() ? "" : " launched at " + step.location);
        return createStringError(text);
      }
    }
    if (program->timing) {
      Expected<double> milliseconds = device.stopTimer();
      if (!milliseconds)
        return milliseconds.takeError();
      record.milliseconds = *milliseconds;
    }
    if (!isEmpty)
      record.counters = device.getLastLaunchCounters();
    program->launches.push_back(record);
    return Error::success();
  }

  Device &device;
  MLIRContext &context;
  /// During a run.
  HostProgram *program = nullptr;
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
  /// The operations for the evaluators of scalars. The arguments of the block
  /// represent their operands.
  Block operations;
};

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
    auto code = std::make_unique<Code>(function, device, context);
    if (Error error = code->prepare(*program.artefact))
      return std::move(error);
    program.functions.push_back(std::move(code));
  }
  return std::move(program);
}

Expected<HostProgram> HostProgram::create(ModuleOp module, Device &device) {
  for (auto gpuModule : module.getOps<gpu::GPUModuleOp>())
    if (Error error = device.loadModule(gpuModule))
      return std::move(error);
  Expected<Artefact> artefact = build(module, device.getChip());
  if (!artefact)
    return artefact.takeError();
  return create(std::make_shared<Artefact>(std::move(*artefact)), device,
                *module.getContext());
}

Expected<HostProgram::Code *>
HostProgram::findEntry(StringRef entry, ArrayRef<RuntimeValue> arguments) {
  auto found = llvm::find_if(
      functions, [&](auto &code) { return code->function.name == entry; });
  if (found == functions.end())
    return createStringError("there is no function '" + entry + "'");
  if (Error error = (*found)->checkArguments(arguments))
    return std::move(error);
  return found->get();
}

Expected<SmallVector<RuntimeValue>>
HostProgram::run(StringRef entry, ArrayRef<RuntimeValue> arguments) {
  // Buffers are free before anybody waits.
  auto results = start(entry, arguments);
  if (!results)
    return results;
  if (Error error = device->synchronize())
    return addLocation(artefact->findFunction(entry)->location,
                       std::move(error));
  return results;
}

Expected<SmallVector<RuntimeValue>>
HostProgram::start(StringRef entry, ArrayRef<RuntimeValue> arguments) {
  Expected<Code *> code = findEntry(entry, arguments);
  if (!code)
    return code.takeError();
  return (*code)->run(*this, arguments);
}

Expected<SmallVector<RuntimeValue>>
HostProgram::record(StringRef entry, ArrayRef<RuntimeValue> arguments,
                    WorkHandle &work) {
  Expected<Code *> code = findEntry(entry, arguments);
  if (!code)
    return code.takeError();
  if (Error error = device->beginRecording())
    return std::move(error);
  auto results = (*code)->run(*this, arguments);
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

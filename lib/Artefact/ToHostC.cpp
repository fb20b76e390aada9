//===- ToHostC.cpp - Host programs in C -----------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every value becomes a variable, and control flow stays structured. Arrays
// have their device address. A list contains the memory that the program
// allocates. After each iteration, a loop frees the memory that it does not
// carry. The end of the program frees all memory that is not a result.
//
// The file is long because one class prints all kinds of steps: each of them
// uses the names and types of the values of the function.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Artefact/ToHostC.h"
#include "Obsidian/Dialect/Obs/IR/Identifiers.h"
#include "Scalars.h"
#include "mlir/Support/IndentedOstream.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::obs;
using namespace mlir::obs::artefact;
using llvm::ArrayRef;
using llvm::createStringError;
using llvm::Error;
using llvm::formatv;
using llvm::SmallVector;
using llvm::StringRef;

/// The part of the file that does not depend on the program.
static constexpr llvm::StringLiteral prelude =
#include "HostCPrelude.inc"
    ;

/// `obs_array` of the prelude has this many dimensions.
static constexpr int maxRank = 8;

/// `text` as it is written in a literal of C.
static std::string escape(StringRef text) {
  std::string escaped, safe;
  llvm::raw_string_ostream os(escaped);
  os.write_escaped(text);
  // Two question marks begin a trigraph, an old spelling of a character.
  for (char c : escaped) {
    if (c == '?' && !safe.empty() && safe.back() == '?')
      safe += '\\';
    safe += c;
  }
  return safe;
}

static std::string escapePlace(const Step &step) {
  return step.location.empty() ? "" : escape(step.location) + ": ";
}

/// True for a step that only computes its results.
static bool isPure(const Step &step) {
  return llvm::is_contained({Step::Let, Step::View, Step::Part, Step::Strided,
                             Step::Slice, Step::Cast},
                            step.kind);
}

namespace {
class FunctionPrinter {
public:
  FunctionPrinter(const Artefact &artefact, const Function &function,
                  llvm::raw_ostream &os)
      : artefact(artefact), function(function), os(os),
        isRead(function.values.size()), parameters(function.parameters.size()) {
  }

  Error print() {
    auto locate = [&](StringRef text) {
      return createStringError(function.location +
                               (function.location.empty() ? "" : ": ") + text);
    };
    if (!isIdentifier("obs_" + function.name))
      return locate(
          "'func.func' op [host-c] has a name that is not valid in C; "
          "use letters, digits and '_'");
    if (llvm::any_of(function.values, [](const PlanValue &value) {
          return value.rank > maxRank;
        }))
      return locate(
          "'func.func' op [host-c] an array of a C program has at most "
          "8 dimensions; reshape it");
    for (ValueNumber number : function.returned)
      isRead[number] = true;
    findReads(function.steps);
    SmallVector<std::string> list, arrays;
    for (auto [number, slot] : llvm::enumerate(function.parameters)) {
      parameters[number] = nameParameter(slot, number);
      list.push_back((slot.isScalar ? getCType(slot.elementType) + " "
                                    : "const obs_array *") +
                     parameters[number]);
    }
    for (auto [number, slot] : llvm::enumerate(function.results)) {
      std::string result = "result" + std::to_string(number);
      list.push_back(
          (slot.isScalar ? getCType(slot.elementType) : "obs_array") + " *" +
          result);
      if (!slot.isScalar)
        arrays.push_back(result);
    }
    // Callers use two other names beside the program.
    bool isTaken = llvm::is_contained({"array", "free"}, function.name);
    os << formatv("CUresult obs_{0}{1}({2}) {{\n", function.name,
                  isTaken ? "_" : "",
                  list.empty() ? "void" : llvm::join(list, ", "));
    os.indent() << "obsrt_program program;\n";
    for (const std::string &array : arrays)
      print("memset({0}, 0, sizeof(*{0}));", array);
    for (unsigned number = 0; number < parameters.size(); ++number)
      if (!isRead[number])
        print("(void){0};", name(number));
    os << "OBS_CALL(obsrt_begin(&program));\n";
    printArgumentChecks();
    {
      // A separate block: errors leave it before all variables are declared.
      auto block = os.scope("{\n", "}\n");
      printSteps(function.steps);
      for (auto [number, value] : llvm::enumerate(function.returned))
        print("*result{0} = {1};", number, name(value));
    }
    os.unindent() << "done:;\n";
    os.indent();
    printList("const CUdeviceptr kept",
              llvm::map_to_vector(arrays, [](const std::string &array) {
                return array + "->data";
              }));
    print("CUresult status = obsrt_end(&program, kept, {0});", arrays.size());
    for (const std::string &array : arrays)
      print("if (status != CUDA_SUCCESS)\n  memset({0}, 0, sizeof(*{0}));",
            array);
    os << "return status;\n";
    os.unindent() << "}\n";
    return problem.empty() ? Error::success() : createStringError(problem);
  }

private:
  /// Finds the values that are read. Compilers warn about variables that are
  /// not.
  void findReads(ArrayRef<Step> steps) {
    for (const Step &step : llvm::reverse(steps)) {
      if (isPure(step) &&
          llvm::none_of(step.results, [&](auto v) { return isRead[v]; }))
        continue;
      for (const ValueList &list : step.lists)
        for (ValueNumber number : list)
          isRead[number] = true;
      // Blocks have one dimension, so C code does not read the other two.
      for (ValueNumber number : ArrayRef(step.operands).take_front(3))
        isRead[number] = true;
      for (ArrayRef<Step> body : llvm::reverse(step.bodies))
        findReads(body);
    }
  }

  /// Prints checks that the arrays of callers have the extents that the types
  /// of the parameters require.
  void printArgumentChecks() {
    for (auto [number, slot] : llvm::enumerate(function.parameters)) {
      if (slot.isScalar || slot.extents.empty())
        continue;
      auto describe = [&](unsigned of) {
        return formatv("&{0}, \"{1}\"", name(of),
                       function.parameters[of].elementType)
            .str();
      };
      bool isFirst =
          number == 0 || function.parameters[number - 1].index != slot.index;
      if (!isFirst) {
        print("OBS_CALL(obsrt_agree(__func__, {0}, {1}, {2}, {3}));",
              number + 1, describe(number), describe(number - 1),
              slot.extents.size());
        continue;
      }
      SmallVector<std::string> least, most;
      for (auto [extent, bound] : llvm::zip(slot.extents, slot.bounds)) {
        int64_t limit = extent < 0 ? bound : extent;
        least.push_back(std::to_string(std::max<int64_t>(extent, 0)));
        most.push_back(limit < 0 ? "INT64_MAX" : std::to_string(limit));
      }
      if (llvm::all_of(most, [](auto &text) { return text == "INT64_MAX"; }))
        continue;
      std::string from = fresh("least"), to = fresh("most");
      printList("const int64_t " + from, least);
      printList("const int64_t " + to, most);
      print(
          "OBS_CALL(obsrt_accept(__func__, {0}, &{1}, {2}, {3}, {4}, \"{5}\", "
          "\"{6}\"));",
          number + 1, name(number), slot.extents.size(), from, to,
          slot.elementType, escape(slot.type));
    }
  }

  void printSteps(ArrayRef<Step> steps) {
    for (const Step &step : steps)
      if (!isPure(step) ||
          llvm::any_of(step.results, [&](auto v) { return isRead[v]; }))
        printStep(step);
  }

  void printStep(const Step &step) {
    auto operand = [&](unsigned number) { return name(step.operands[number]); };
    switch (step.kind) {
    case Step::Let:
      return printLet(step);
    case Step::For:
      return printLoop(step);
    case Step::While:
      return printWhile(step);
    case Step::If:
      return printIf(step);
    case Step::Launch:
      return printLaunch(step);
    case Step::Print:
      return printPrint(step);
    case Step::Allocate:
      return printAllocate(step);
    case Step::Host:
      return printHost(step);
    case Step::Slice:
      return printSlice(step);
    case Step::View:
    case Step::Part:
    case Step::Strided:
      return printView(step);
    case Step::Load:
    case Step::Store:
      return printAccess(step);
    case Step::Cast:
      return print("obs_array {0} = {1};", name(step.results[0]), operand(0));
    case Step::Free:
      return print("obsrt_release(&program, {0}.data);", operand(0));
    case Step::Fill: {
      ValueNumber array = step.operands[0];
      std::string element = fresh("t");
      print("const {0} {1} = {2};", getType(step.operands[1]), element,
            operand(1));
      return print(
          "OBS_CALL(obsrt_fill(program.stream, &{0}, {1}, &{2}, {3}));",
          operand(0), get(array).rank, element, getBytes(array));
    }
    case Step::Copy: {
      ValueNumber from = step.operands[1];
      return print(
          "OBS_CALL(obsrt_copy(program.stream, &{0}, &{1}, {2}, {3}));",
          operand(0), operand(1), get(from).rank, getBytes(from));
    }
    case Step::Assert:
      return printCheck(step, operand(0), "assertion failed: " + step.text);
    case Step::Unsupported:
      return failUnsupported(step, step.text);
    }
  }

  void printLet(const Step &step) {
    if (step.text == "memref.dim")
      return print("int64_t {0} = {1}.sizes[{2}];", name(step.results[0]),
                   name(step.lists[0][0]), name(step.lists[0][1]));
    SmallVector<Operand> operands;
    for (ValueNumber number : step.lists[0]) {
      operands.push_back({name(number), get(number).elementType});
      // Compilers warn about comparisons with a literal that are always true.
      if (get(number).isConstant) {
        operands.back().text = fresh("k");
        print("{0} {1} = {2};", getType(number), operands.back().text,
              name(number));
      }
    }
    std::string text;
    if (step.results.size() == 1)
      text = printInC(step.text, operands, get(step.results[0]).elementType);
    if (text.empty())
      return failUnsupported(step, StringRef(step.text).split(' ').first);
    std::string type = getType(step.results[0]);
    // Arrays are structures, and C has no casts of structures.
    bool isArray = get(step.results[0]).rank >= 0;
    print("{0} {1} = {2}({3});", type, name(step.results[0]),
          isArray ? "" : "(" + type + ")", text);
  }

  //===--------------------------------------------------------------------===//
  // Control flow
  //===--------------------------------------------------------------------===//

  void printLoop(const Step &step) {
    ArrayRef<ValueNumber> carried = ArrayRef(step.inner).drop_back();
    ValueNumber counter = step.inner.back();
    declare(step.results);
    assign(step.results, step.lists[0]);
    std::string mark = fresh("mark"), iv = name(counter);
    print("obsrt_buffer *{0} = program.buffers;", mark);
    std::string type =
        getCType(get(counter).elementType, step.text == "unsigned");
    std::string to = name(step.operands[1]), by = name(step.operands[2]);
    const PlanValue &stride = get(step.operands[2]);
    if (!stride.isConstant)
      printCheck(step, llvm::formatv("(({0}){1} > 0)", type, by).str(),
                 "the step of a loop must be positive");
    print("for ({0} {1} = {2}; {1} < ({0}){3}; {1} += {4}) {{", type, iv,
          name(step.operands[0]), to, by);
    auto body = os.scope("", "}\n");
    declare(carried);
    assign(carried, step.results);
    printSteps(step.bodies[0]);
    assign(step.results, step.lists[1]);
    printSweep(mark, step.results);
    // A counter that wraps could be below the end again.
    if (!stride.isConstant || stride.bits != 1)
      print("if ((uint64_t)({0}){1} - (uint64_t){2} <= (uint64_t)({0}){3}) "
            "break;",
            type, to, iv, by);
  }

  void printWhile(const Step &step) {
    unsigned numCarried = step.lists[0].size();
    ValueList before(step.inner.begin(), step.inner.begin() + numCarried);
    ArrayRef<ValueNumber> after = ArrayRef(step.inner).drop_front(numCarried);
    declare(step.results);
    declare(before);
    assign(before, step.lists[0]);
    std::string mark = fresh("mark");
    print("obsrt_buffer *{0} = program.buffers;", mark);
    auto body = os.scope("for (;;) {\n", "}\n");
    printSteps(step.bodies[0]);
    assign(step.results, step.lists[1]);
    print("if (!{0})\n  break;", name(step.operands[0]));
    declare(after);
    assign(after, step.results);
    printSteps(step.bodies[1]);
    assign(before, step.lists[2]);
    printSweep(mark, before);
  }

  void printIf(const Step &step) {
    declare(step.results);
    print("if ({0}) {{", name(step.operands[0]));
    for (unsigned branch : {0, 1}) {
      if (branch == 1 && step.bodies[1].empty() && step.results.empty())
        continue;
      auto body = os.scope(branch == 1 ? "} else {\n" : "");
      printSteps(step.bodies[branch]);
      assign(step.results, step.lists[branch]);
    }
    os << "}\n";
  }

  //===--------------------------------------------------------------------===//
  // Memory and kernels
  //===--------------------------------------------------------------------===//

  void printLaunch(const Step &step) {
    for (ValueNumber number : ArrayRef(step.operands).drop_front(3))
      if (!get(number).isConstant || get(number).bits != 1)
        fail(step,
             "[host-c] a kernel of a C program has blocks in one dimension");
    const Kernel &kernel = *artefact.findKernel(step.text);
    SmallVector<std::string> addresses, aligned;
    uint64_t alignment = 1;
    auto block = os.scope("{\n", "}\n");
    for (auto [number, operand] : llvm::enumerate(step.lists[0])) {
      std::string argument = fresh("a");
      if (uint64_t needed = kernel.getAlignment(number); needed > 1) {
        aligned.push_back(argument);
        alignment = std::max(alignment, needed);
      }
      std::string value = name(operand);
      if (get(operand).rank >= 0)
        value = formatv("{0}.data + (CUdeviceptr){0}.offset * {1}", value,
                        getBytes(operand));
      print("{0} {1} = {2};",
            get(operand).rank >= 0 ? "CUdeviceptr" : getType(operand), argument,
            value);
      addresses.push_back("&" + argument);
    }
    // Arrays of callers may have a smaller alignment.
    if (!aligned.empty())
      print("OBS_CALL(obsrt_check({0}, {1}));", llvm::join(aligned, " | "),
            alignment);
    std::string list = fresh("parameters");
    printList("void *" + list, addresses, "NULL");
    print("OBS_CALL(obsrt_launch(&program, \"{0}\", {1}, {2}, {3}, {4}, {5}));",
          step.text, name(step.operands[0]), name(step.operands[1]),
          name(step.operands[2]), kernel.waitsForKernels() ? "1" : "0", list);
  }

  void printPrint(const Step &step) {
    std::string format, arguments;
    // `printf` interprets a percent sign, so it is doubled.
    std::string text = llvm::join(llvm::split(step.text, '%'), "%%");
    StringRef rest = text;
    for (ValueNumber number : step.lists[0]) {
      auto [before, after] = rest.split("{}");
      format += before;
      rest = after;
      StringRef type = get(number).elementType;
      bool isReal = type == "f32" || type == "f64";
      if (!isReal && !type.starts_with("i"))
        failUnsupported(step, "obs.print");
      if (type == "i1") {
        format += "%s";
        arguments += ", " + name(number) + R"( ? "true" : "false")";
        continue;
      }
      format += isReal ? "%g" : "%lld";
      arguments += (isReal ? ", (double)" : ", (long long)") + name(number);
    }
    format += rest;
    print("printf(\"{0}\\n\"{1});", escape(format), arguments);
  }

  /// The view keeps the memory of the whole array, by which it is freed.
  void printView(const Step &step) {
    std::string to = name(step.results[0]);
    print("obs_array {0} = {1};", to, name(step.operands[0]));
    if (step.operands.size() > 1)
      if (std::string offset = name(step.operands[1]); offset != "INT64_C(0)")
        print("{0}.offset += {1};", to, offset);
    std::string stride = "1";
    for (int d = step.lists[0].size() - 1; d >= 0; --d) {
      if (step.kind == Step::Strided)
        stride = name(step.lists[1][d]);
      print("{0}.sizes[{1}] = {2}, {0}.strides[{1}] = {3};", to, d,
            name(step.lists[0][d]), stride);
      stride = formatv("{0}.sizes[{1}] * {0}.strides[{1}]", to, d);
    }
  }

  void printSlice(const Step &step) {
    std::string from = name(step.operands[0]), to = name(step.results[0]);
    print("obs_array {0} = {1};", to, from);
    unsigned target = 0;
    for (unsigned d = 0; d < step.lists[0].size(); ++d) {
      print("{0}.offset += {1} * {2}.strides[{3}];", to, name(step.lists[0][d]),
            from, d);
      if (llvm::is_contained(step.dropped, d))
        continue;
      print("{0}.sizes[{1}] = {2};", to, target, name(step.lists[1][d]));
      print("{0}.strides[{1}] = {2} * {3}.strides[{4}];", to, target++,
            name(step.lists[2][d]), from, d);
    }
  }

  /// Reserves memory of the host for a few elements.
  void printHost(const Step &step) {
    std::string memory = fresh("memory"), array = name(step.results[0]);
    uint64_t count = 1;
    for (ValueNumber extent : step.lists[0]) {
      if (!get(extent).isConstant)
        return failUnsupported(step, "memref.alloca");
      count *= get(extent).bits;
    }
    print("{0} {1}[{2}];", getCType(get(step.results[0]).elementType), memory,
          std::max<uint64_t>(1, count));
    print("obs_array {0} = {{0, {1}, 0, {{0}, {{0}};", array, memory);
    uint64_t stride = 1;
    for (int d = step.lists[0].size() - 1; d >= 0; --d) {
      uint64_t size = get(step.lists[0][d]).bits;
      print("{0}.sizes[{1}] = {2}, {0}.strides[{1}] = {3};", array, d, size,
            stride);
      stride *= size;
    }
  }

  void printAllocate(const Step &step) {
    ValueNumber array = step.results[0];
    print("obs_array {0};", name(array));
    std::string list = fresh("sizes");
    printList("const int64_t " + list,
              llvm::map_to_vector(
                  step.lists[0], [&](ValueNumber size) { return name(size); }));
    print("OBS_CALL(obsrt_allocate(&program, &{0}, {1}, {2}, {3}, \"{4}\"));",
          name(array), get(array).rank, list, getBytes(array),
          escapePlace(step));
  }

  /// Loads and stores.
  void printAccess(const Step &step) {
    bool isLoad = step.kind == Step::Load;
    ValueNumber array = step.operands[isLoad ? 0 : 1];
    ValueNumber element = isLoad ? step.results[0] : step.operands[0];
    std::string memory = name(array), at = memory + ".offset";
    for (auto [d, index] : llvm::enumerate(step.lists[0]))
      at += formatv(" + {0} * {1}.strides[{2}]", name(index), memory, d);
    std::string type = getType(element), value = name(element);
    if (!isLoad)
      value = fresh("t");
    print("{0} {1}{2};", type, value, isLoad ? "" : " = " + name(element));
    std::string place = formatv("(({0} *){1}.host)[{2}]", type, memory, at);
    print("if ({0}.host)\n  {1} = {2};", memory, isLoad ? value : place,
          isLoad ? place : value);
    std::string address = formatv("{0}.data + (CUdeviceptr)({1}) * {2}", memory,
                                  at, getBytes(array));
    print("else\n  OBS_CALL({0}({1}, {2}, {3}));",
          isLoad ? "cuMemcpyDtoH" : "cuMemcpyHtoD",
          isLoad ? "&" + value : address, isLoad ? address : "&" + value,
          getBytes(array));
  }

  //===--------------------------------------------------------------------===//
  // Text
  //===--------------------------------------------------------------------===//

  /// Stops the program with an error where `condition` is false.
  void printCheck(const Step &step, StringRef condition, StringRef message) {
    print("if (!{0}) {{\n"
          "  fputs(\"{1}error: {2}\\n\", stderr);\n"
          "  OBS_CALL(CUDA_ERROR_ASSERT);\n"
          "}",
          condition, escapePlace(step), escape(message));
  }

  /// Frees the memory that was allocated after `mark` and is not among `kept`.
  void printSweep(StringRef mark, const ValueList &kept) {
    SmallVector<std::string> arrays;
    for (ValueNumber number : kept)
      if (get(number).rank >= 0)
        arrays.push_back(name(number) + ".data");
    std::string list = fresh("kept");
    printList("const CUdeviceptr " + list, arrays);
    print("obsrt_sweep(&program, {0}, {1}, {2});", mark, list, arrays.size());
  }

  void declare(ArrayRef<ValueNumber> values) {
    for (ValueNumber number : values) {
      print("{0} {1};", getType(number), name(number));
      if (!isRead[number])
        print("(void){0};", name(number));
    }
  }

  /// Assigns all variables at the same time: a source may be a target.
  void assign(ArrayRef<ValueNumber> targets, ArrayRef<ValueNumber> sources) {
    SmallVector<std::string> copies;
    for (auto [target, source] : llvm::zip(targets, sources)) {
      copies.push_back(fresh("t"));
      print("{0} {1} = {2};", getType(target), copies.back(), name(source));
    }
    for (auto [target, copy] : llvm::zip(targets, copies))
      print("{0} = {1};", name(target), copy);
  }

  template <typename... Args>
  void print(const char *format, Args &&...args) {
    os << formatv(format, std::forward<Args>(args)...) << '\n';
  }

  /// An array of C, which is not empty.
  void printList(const llvm::Twine &name, ArrayRef<std::string> elements,
                 StringRef none = "0") {
    print("{0}[] = {{{1}};", name.str(),
          elements.empty() ? none.str() : llvm::join(elements, ", "));
  }

  void fail(const Step &step, const llvm::Twine &reason) {
    if (problem.empty())
      problem =
          step.location + (step.location.empty() ? "" : ": ") + reason.str();
  }

  void failUnsupported(const Step &step, StringRef op) {
    fail(step, "'" + op +
                   "' op [host-c] has no translation to C; keep it out of host "
                   "code");
  }

  const PlanValue &get(ValueNumber number) { return function.values[number]; }
  std::string getType(ValueNumber number) {
    return get(number).rank >= 0 ? "obs_array"
                                 : getCType(get(number).elementType);
  }

  unsigned getBytes(ValueNumber number) {
    return getElementBytes(get(number).elementType);
  }

  std::string name(ValueNumber number) {
    const PlanValue &value = get(number);
    if (value.isConstant)
      return printConstantInC(value.elementType, value.bits);
    if (number < parameters.size())
      return value.rank >= 0 ? "(*" + parameters[number] + ")"
                             : parameters[number];
    std::string &known = variables[number];
    if (known.empty())
      known = fresh("v");
    return known;
  }

  std::string fresh(StringRef prefix) {
    std::string text;
    do
      text = (prefix + llvm::Twine(next++)).str();
    while (given.contains(text));
    return text;
  }

  /// The name in the program, unless C or the rest of the file uses this name.
  std::string nameParameter(const Slot &slot, unsigned number) {
    static const llvm::StringSet<> taken = {
        "auto",     "bool",     "break",    "case",    "char",   "const",
        "continue", "default",  "do",       "done",    "double", "else",
        "enum",     "errno",    "extern",   "false",   "float",  "for",
        "goto",     "if",       "inline",   "int",     "kept",   "long",
        "program",  "register", "restrict", "return",  "short",  "signed",
        "sizeof",   "static",   "status",   "stderr",  "stdin",  "stdout",
        "struct",   "switch",   "true",     "typedef", "union",  "unsigned",
        "void",     "volatile", "while"};
    // Names of libraries begin with these prefixes or with a capital letter.
    auto isFree = [](StringRef text) {
      return !text.empty() && !taken.contains(text) && !isMathFunction(text) &&
             !llvm::isUpper(text.front()) && !text.starts_with("_") &&
             !text.starts_with("cu") && !text.starts_with("obs_") &&
             !text.starts_with("obsrt_") && !text.ends_with("_t") &&
             !text.starts_with("result") && !text.starts_with("arg");
    };
    std::string text = "arg" + std::to_string(number);
    if (isFree(slot.name) && !given.contains(slot.name))
      text = slot.name;
    given.insert(text);
    return text;
  }
  const Artefact &artefact;
  const Function &function;
  mlir::raw_indented_ostream os;
  /// True for a value that C code reads.
  std::vector<char> isRead;
  unsigned next = 0;
  std::string problem;
  std::vector<std::string> parameters;
  llvm::DenseMap<ValueNumber, std::string> variables;
  /// The names of the parameters.
  llvm::StringSet<> given;
};
} // namespace

Error artefact::printHostC(const Artefact &artefact, StringRef ptx,
                           llvm::raw_ostream &os) {
  std::string text;
  llvm::raw_string_ostream functions(text);
  for (const Function &function : artefact.functions) {
    functions << '\n';
    if (Error error = FunctionPrinter(artefact, function, functions).print())
      return error;
  }
  os << "/* A program for CUDA. Compile with a C99 compiler, link with -lcuda "
        "-lm. "
        "*/\n\n";
  os << "static const char obsrt_ptx[] =\n";
  SmallVector<StringRef> lines;
  ptx.split(lines, '\n');
  for (StringRef line : lines) {
    os << "    \"";
    os.write_escaped(line) << "\\n\"\n";
  }
  os << "    \"\";\n\n" << prelude << text;
  return Error::success();
}

//===- ToHostC.cpp - Host programs in C -----------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every SSA value becomes a variable, and control flow stays structured. Arrays
// carry their device address. The memory that a program allocates is in a list.
// After each iteration a loop drops the memory that it does not carry on, and
// the end of the program drops all memory that is no result.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Target/ToHostC.h"
#include "Expressions.h"
#include "ScalarsInC.h"

#include "Obsidian/Dialect/Obs/IR/ElementSizes.h"
#include "Obsidian/Dialect/Obs/IR/Identifiers.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Iterators.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/ScopedPrinter.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::obs;

/// Everything that does not depend on the program.
static constexpr llvm::StringLiteral prelude =
#include "HostCPrelude.inc"
    ;

namespace {
/// Prints one host function, whose caller sees parameters of `types`.
class FunctionPrinter {
public:
  FunctionPrinter(func::FuncOp function, ArrayRef<Type> types, raw_ostream &os)
      : function(function), types(types), os(os) {}

  LogicalResult print();

private:
  LogicalResult printBlock(Block &block);
  LogicalResult printOp(Operation *op);
  LogicalResult printScalar(Operation *op);
  LogicalResult checkRanks();
  void findUnread();
  bool isRead(Value value);
  void printArgumentChecks();
  LogicalResult printFor(scf::ForOp loop);
  LogicalResult printWhile(scf::WhileOp loop);
  LogicalResult printIf(scf::IfOp branch);
  LogicalResult printLaunch(gpu::LaunchFuncOp launch);
  LogicalResult printPrint(obs::PrintOp print);
  void printPart(obs::PartOp part);
  void printSubView(memref::SubViewOp view);
  void printAlloca(memref::AllocaOp alloca);
  void printSweep(StringRef mark, ValueRange kept);
  void declare(ValueRange values);
  void assign(ValueRange targets, ArrayRef<std::string> sources);
  raw_ostream &line() { return os.indent(indent * 2); }
  LogicalResult unsupported(Operation *op);

  std::string name(Value value);
  std::string fresh(StringRef prefix) {
    std::string text;
    do
      text = (prefix + Twine(next++)).str();
    while (given.contains(text));
    return text;
  }
  std::string nameParameter(unsigned number);
  std::string element(Value memory, ValueRange indices);
  SmallVector<std::string> getSizes(MemRefType type, ValueRange dynamic) {
    return llvm::map_to_vector(type.getShape(), [&](int64_t size) {
      if (!ShapedType::isDynamic(size))
        return std::to_string(size);
      std::string text = name(dynamic.front());
      dynamic = dynamic.drop_front();
      return text;
    });
  }
  SmallVector<std::string> names(ValueRange values) {
    return llvm::map_to_vector(values, [&](Value v) { return name(v); });
  }

  func::FuncOp function;
  ArrayRef<Type> types;
  raw_ostream &os;
  unsigned indent = 1, next = 0;
  llvm::DenseMap<Value, std::string> variables;
  /// The names of the parameters.
  llvm::StringSet<> given;
  /// Operations whose results nothing in C reads.
  llvm::DenseSet<Operation *> unread;
};
} // namespace

/// As it stands between quotes.
static std::string escape(StringRef text) {
  std::string escaped, safe;
  llvm::raw_string_ostream os(escaped);
  os.write_escaped(text);
  // Two question marks begin a character of C's old spelling.
  for (char c : escaped) {
    if (c == '?' && !safe.empty() && safe.back() == '?')
      safe += '\\';
    safe += c;
  }
  return safe;
}

/// The place of an operation in the source, for messages; empty if that is not
/// known.
static std::string formatPlace(Location loc) {
  auto place = loc->findInstanceOf<FileLineColLoc>();
  if (!place)
    return "";
  return escape(place.getFilename().getValue()) + ":" +
         std::to_string(place.getLine()) + ":" +
         std::to_string(place.getColumn()) + ": ";
}

/// Blocks have one dimension: C has no use for the others.
static bool isIgnored(OpOperand &use) {
  auto launch = dyn_cast<gpu::LaunchFuncOp>(use.getOwner());
  return launch &&
         llvm::is_contained(
             {&launch.getGridSizeYMutable(), &launch.getGridSizeZMutable(),
              &launch.getBlockSizeYMutable(), &launch.getBlockSizeZMutable()},
             &use);
}

bool FunctionPrinter::isRead(Value value) {
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    return !isIgnored(use) && !unread.contains(use.getOwner());
  });
}

/// Compilers warn of variables that nothing reads.
void FunctionPrinter::findUnread() {
  function.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
    if (op->getNumResults() > 0 && op->getNumRegions() == 0 &&
        isMemoryEffectFree(op) &&
        llvm::none_of(op->getResults(), [&](Value v) { return isRead(v); }))
      unread.insert(op);
  });
}

LogicalResult FunctionPrinter::unsupported(Operation *op) {
  return op->emitOpError("[host-c] has no translation to C; keep it out of "
                         "host code");
}

std::string FunctionPrinter::name(Value value) {
  std::string &known = variables[value];
  if (known.empty())
    known = fresh("v");
  return known;
}

void FunctionPrinter::declare(ValueRange values) {
  for (Value value : values) {
    line() << getCType(value.getType()) << ' ' << name(value) << ";\n";
    if (!isRead(value))
      line() << "(void)" << name(value) << ";\n";
  }
}

/// All at once: a source may be a target.
void FunctionPrinter::assign(ValueRange targets,
                             ArrayRef<std::string> sources) {
  SmallVector<std::string> copies;
  for (auto [target, source] : llvm::zip(targets, sources)) {
    copies.push_back(fresh("t"));
    line() << getCType(target.getType()) << ' ' << copies.back() << " = "
           << source << ";\n";
  }
  for (auto [target, copy] : llvm::zip(targets, copies))
    line() << name(target) << " = " << copy << ";\n";
}

/// The position of an element in its buffer.
std::string FunctionPrinter::element(Value memory, ValueRange indices) {
  std::string text = name(memory) + ".offset";
  for (auto [d, index] : llvm::enumerate(indices))
    text += " + " + name(index) + " * " + name(memory) + ".strides[" +
            std::to_string(d) + "]";
  return text;
}

LogicalResult FunctionPrinter::printScalar(Operation *op) {
  std::string text = printInC(op, [&](Value value) { return name(value); });
  if (text.empty())
    return unsupported(op);
  Type type = op->getResult(0).getType();
  std::string ctype = getCType(type);
  // Arrays are structures, which have no casts.
  std::string conversion = isa<MemRefType>(type) ? "" : "(" + ctype + ")";
  line() << ctype << ' ' << name(op->getResult(0)) << " = " << conversion << "("
         << text << ");\n";
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Frees what was allocated since `mark` and is not among `kept`.
void FunctionPrinter::printSweep(StringRef mark, ValueRange kept) {
  SmallVector<std::string> arrays;
  for (Value value : kept)
    if (isa<MemRefType>(value.getType()))
      arrays.push_back(name(value) + ".data");
  std::string list = fresh("kept");
  line() << "const CUdeviceptr " << list << "[] = {" << llvm::join(arrays, ", ")
         << (arrays.empty() ? "0" : "") << "};\n";
  line() << "obsrt_sweep(&program, " << mark << ", " << list << ", "
         << arrays.size() << ");\n";
}

LogicalResult FunctionPrinter::printFor(scf::ForOp loop) {
  declare(loop.getResults());
  assign(loop.getResults(), names(loop.getInitArgs()));
  std::string mark = fresh("mark");
  line() << "obsrt_buffer *" << mark << " = program.buffers;\n";
  std::string iv = name(loop.getInductionVar());
  std::string type =
      getCType(loop.getInductionVar().getType(), loop.getUnsignedCmp());
  line() << "for (" << type << ' ' << iv << " = " << name(loop.getLowerBound())
         << "; " << iv << " < (" << type << ")" << name(loop.getUpperBound())
         << "; " << iv << " += " << name(loop.getStep()) << ") {\n";
  ++indent;
  declare(loop.getRegionIterArgs());
  assign(loop.getRegionIterArgs(), names(loop.getResults()));
  if (failed(printBlock(*loop.getBody())))
    return failure();
  assign(loop.getResults(), names(loop.getYieldedValues()));
  printSweep(mark, loop.getResults());
  --indent;
  line() << "}\n";
  return success();
}

LogicalResult FunctionPrinter::printWhile(scf::WhileOp loop) {
  declare(loop.getResults());
  declare(loop.getBeforeArguments());
  assign(loop.getBeforeArguments(), names(loop.getInits()));
  std::string mark = fresh("mark");
  line() << "obsrt_buffer *" << mark << " = program.buffers;\n";
  line() << "for (;;) {\n";
  ++indent;
  if (failed(printBlock(*loop.getBeforeBody())))
    return failure();
  assign(loop.getResults(), names(loop.getConditionOp().getArgs()));
  line() << "if (!" << name(loop.getConditionOp().getCondition()) << ")\n";
  line() << "  break;\n";
  declare(loop.getAfterArguments());
  assign(loop.getAfterArguments(), names(loop.getResults()));
  if (failed(printBlock(*loop.getAfterBody())))
    return failure();
  assign(loop.getBeforeArguments(), names(loop.getYieldOp().getOperands()));
  printSweep(mark, loop.getBeforeArguments());
  --indent;
  line() << "}\n";
  return success();
}

LogicalResult FunctionPrinter::printIf(scf::IfOp branch) {
  declare(branch.getResults());
  line() << "if (" << name(branch.getCondition()) << ") {\n";
  for (Region *region : branch.getRegions()) {
    if (region->empty())
      continue;
    if (region == &branch.getElseRegion())
      line() << "} else {\n";
    ++indent;
    if (failed(printBlock(region->front())))
      return failure();
    assign(branch.getResults(),
           names(region->front().getTerminator()->getOperands()));
    --indent;
  }
  line() << "}\n";
  return success();
}

//===----------------------------------------------------------------------===//
// Memory and kernels
//===----------------------------------------------------------------------===//

/// A value or a constant.
static std::string printMixed(OpFoldResult mixed,
                              function_ref<std::string(Value)> name) {
  if (auto value = dyn_cast<Value>(mixed))
    return name(value);
  return std::to_string(cast<IntegerAttr>(cast<Attribute>(mixed)).getInt());
}

/// The memory stays that of the whole, by which it is freed.
void FunctionPrinter::printPart(obs::PartOp part) {
  std::string to = name(part.getResult());
  line() << "obs_array " << to << " = " << name(part.getMemory()) << ";\n";
  line() << to << ".offset += " << name(part.getOffset()) << ";\n";
  SmallVector<std::string> sizes =
      getSizes(cast<MemRefType>(part.getType()), part.getExtents());
  std::string stride = "1";
  for (int d = sizes.size() - 1; d >= 0; --d) {
    line() << to << ".sizes[" << d << "] = " << sizes[d] << ", " << to
           << ".strides[" << d << "] = " << stride << ";\n";
    stride = to + ".sizes[" + std::to_string(d) + "] * " + to + ".strides[" +
             std::to_string(d) + "]";
  }
}

void FunctionPrinter::printSubView(memref::SubViewOp view) {
  auto text = [&](OpFoldResult mixed) {
    return printMixed(mixed, [&](Value value) { return name(value); });
  };
  std::string from = name(view.getSource()), to = name(view.getResult());
  line() << "obs_array " << to << " = " << from << ";\n";
  llvm::SmallBitVector dropped = view.getDroppedDims();
  unsigned target = 0;
  for (auto [d, offset, size, stride] :
       llvm::enumerate(view.getMixedOffsets(), view.getMixedSizes(),
                       view.getMixedStrides())) {
    line() << to << ".offset += " << text(offset) << " * " << from
           << ".strides[" << d << "];\n";
    if (dropped[d])
      continue;
    line() << to << ".sizes[" << target << "] = " << text(size) << ";\n";
    line() << to << ".strides[" << target << "] = " << text(stride) << " * "
           << from << ".strides[" << d << "];\n";
    ++target;
  }
}

/// Memory of the host for a few elements.
void FunctionPrinter::printAlloca(memref::AllocaOp alloca) {
  MemRefType type = alloca.getType();
  std::string memory = fresh("memory"), array = name(alloca.getResult());
  line() << getCType(type.getElementType()) << ' ' << memory << "["
         << std::max<int64_t>(1, type.getNumElements()) << "];\n";
  line() << "obs_array " << array << " = {0, " << memory << ", 0, {0}, {0}};\n";
  int64_t stride = 1;
  for (int64_t d = type.getRank() - 1; d >= 0; --d) {
    line() << array << ".sizes[" << d << "] = " << type.getDimSize(d) << ", "
           << array << ".strides[" << d << "] = " << stride << ";\n";
    stride *= type.getDimSize(d);
  }
}

LogicalResult FunctionPrinter::printLaunch(gpu::LaunchFuncOp launch) {
  SmallVector<std::string> addresses, aligned;
  auto kernel = SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
      launch, launch.getKernelAttr());
  int64_t alignment = 1;
  line() << "{\n";
  ++indent;
  for (auto [number, operand] : llvm::enumerate(launch.getKernelOperands())) {
    std::string argument = fresh("a");
    if (auto needed =
            kernel ? kernel.getArgAttrOfType<IntegerAttr>(number, "llvm.align")
                   : IntegerAttr()) {
      aligned.push_back(argument);
      alignment = std::max(alignment, needed.getInt());
    }
    if (auto memory = dyn_cast<MemRefType>(operand.getType()))
      line() << "CUdeviceptr " << argument << " = " << name(operand)
             << ".data + (CUdeviceptr)" << name(operand) << ".offset * "
             << getElementBytes(memory.getElementType()) << ";\n";
    else
      line() << getCType(operand.getType()) << ' ' << argument << " = "
             << name(operand) << ";\n";
    addresses.push_back("&" + argument);
  }
  // Callers may give what is not.
  if (!aligned.empty())
    line() << "OBS_CALL(obsrt_check(" << llvm::join(aligned, " | ") << ", "
           << alignment << "));\n";
  std::string parameters = fresh("parameters");
  line() << "void *" << parameters << "[] = {" << llvm::join(addresses, ", ")
         << (addresses.empty() ? "NULL" : "") << "};\n";
  Value shared = launch.getDynamicSharedMemorySize();
  line() << "OBS_CALL(obsrt_launch(&program, \""
         << launch.getKernelName().getValue() << "\", "
         << name(launch.getGridSizeX()) << ", " << name(launch.getBlockSizeX())
         << ", " << (shared ? name(shared) : "0") << ", " << parameters
         << "));\n";
  --indent;
  line() << "}\n";
  return success();
}

LogicalResult FunctionPrinter::printPrint(obs::PrintOp print) {
  std::string format, arguments;
  // A percent sign is one of `printf`, too.
  auto addText = [&](StringRef text) {
    for (char c : text)
      format += c == '%' ? "%%" : std::string(1, c);
  };
  StringRef rest = print.getFormat();
  for (Value value : print.getValues()) {
    auto [before, after] = rest.split("{}");
    addText(before);
    rest = after;
    Type type = value.getType();
    bool isReal = type.isF32() || type.isF64();
    if (!isReal && !type.isIntOrIndex())
      return unsupported(print);
    if (type.isInteger(1)) {
      format += "%s";
      arguments += ", " + name(value) + R"( ? "true" : "false")";
      continue;
    }
    format += isReal ? "%g" : "%lld";
    arguments +=
        std::string(isReal ? ", (double)" : ", (long long)") + name(value);
  }
  addText(rest);
  line() << "printf(\"" << escape(format) << "\\n\"" << arguments << ");\n";
  return success();
}

LogicalResult FunctionPrinter::printOp(Operation *op) {
  auto bytesOf = [](Value memory) {
    return getElementBytes(cast<MemRefType>(memory.getType()).getElementType());
  };
  auto rankOf = [](Value memory) {
    return cast<MemRefType>(memory.getType()).getRank();
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp loop) { return printFor(loop); })
      .Case([&](scf::WhileOp loop) { return printWhile(loop); })
      .Case([&](scf::IfOp branch) { return printIf(branch); })
      .Case([&](gpu::LaunchFuncOp launch) { return printLaunch(launch); })
      .Case([&](obs::PrintOp print) { return printPrint(print); })
      .Case([&](cf::AssertOp check) {
        line() << "if (!" << name(check.getArg()) << ") {\n";
        line() << "  fputs(\"" << formatPlace(check.getLoc())
               << "error: assertion failed: " << escape(check.getMsg())
               << "\\n\", stderr);\n";
        line() << "  OBS_CALL(CUDA_ERROR_ASSERT);\n";
        line() << "}\n";
        return success();
      })
      .Case([&](memref::DimOp dim) {
        line() << "int64_t " << name(dim.getResult()) << " = "
               << name(dim.getSource()) << ".sizes[" << name(dim.getIndex())
               << "];\n";
        return success();
      })
      .Case([&](memref::CastOp cast) {
        line() << "obs_array " << name(cast.getResult()) << " = "
               << name(cast.getSource()) << ";\n";
        return success();
      })
      .Case([&](memref::ReinterpretCastOp cast) -> LogicalResult {
        auto text = [&](OpFoldResult mixed) {
          return printMixed(mixed, [&](Value value) { return name(value); });
        };
        // The offset counts from where the source begins.
        auto source = mlir::cast<MemRefType>(cast.getSource().getType());
        SmallVector<int64_t> strides;
        int64_t begin;
        if (failed(source.getStridesAndOffset(strides, begin)) || begin != 0)
          return unsupported(cast);
        std::string to = name(cast.getResult());
        line() << "obs_array " << to << " = " << name(cast.getSource())
               << ";\n";
        if (OpFoldResult offset = cast.getMixedOffsets().front();
            isa<Value>(offset) || !isConstantIntValue(offset, 0))
          line() << to << ".offset += " << text(offset) << ";\n";
        for (auto [d, size, stride] :
             llvm::enumerate(cast.getMixedSizes(), cast.getMixedStrides()))
          line() << to << ".sizes[" << d << "] = " << text(size) << ", " << to
                 << ".strides[" << d << "] = " << text(stride) << ";\n";
        return success();
      })
      .Case([&](obs::PartOp part) {
        printPart(part);
        return success();
      })
      .Case([&](memref::SubViewOp view) {
        printSubView(view);
        return success();
      })
      .Case([&](memref::AllocaOp alloca) -> LogicalResult {
        if (!alloca.getType().hasStaticShape())
          return unsupported(alloca);
        printAlloca(alloca);
        return success();
      })
      .Case([&](memref::LoadOp load) {
        Type type = load.getType();
        std::string from = name(load.getMemref()), to = name(load.getResult());
        std::string at = element(load.getMemref(), load.getIndices());
        line() << getCType(type) << ' ' << to << ";\n";
        line() << "if (" << from << ".host)\n";
        line() << "  " << to << " = ((" << getCType(type) << " *)" << from
               << ".host)[" << at << "];\n";
        line() << "else\n";
        line() << "  OBS_CALL(cuMemcpyDtoH(&" << to << ", " << from
               << ".data + (CUdeviceptr)(" << at << ") * "
               << getElementBytes(type) << ", " << getElementBytes(type)
               << "));\n";
        return success();
      })
      .Case([&](memref::StoreOp store) {
        Type type = store.getValue().getType();
        std::string to = name(store.getMemref()), from = name(store.getValue());
        std::string at = element(store.getMemref(), store.getIndices());
        line() << "if (" << to << ".host)\n";
        line() << "  ((" << getCType(type) << " *)" << to << ".host)[" << at
               << "] = " << from << ";\n";
        line() << "else\n";
        line() << "  OBS_CALL(cuMemcpyHtoD(" << to << ".data + (CUdeviceptr)("
               << at << ") * " << getElementBytes(type) << ", &" << from << ", "
               << getElementBytes(type) << "));\n";
        return success();
      })
      .Case([&](gpu::AllocOp alloc) {
        MemRefType type = alloc.getType();
        SmallVector<std::string> sizes =
            getSizes(type, alloc.getDynamicSizes());
        std::string array = name(alloc.getMemref()), list = fresh("sizes");
        line() << "obs_array " << array << ";\n";
        line() << "const int64_t " << list << "[] = {"
               << llvm::join(sizes, ", ") << (sizes.empty() ? "0" : "")
               << "};\n";
        line() << "OBS_CALL(obsrt_allocate(&program, &" << array << ", "
               << type.getRank() << ", " << list << ", "
               << getElementBytes(type.getElementType()) << ", \""
               << formatPlace(alloc.getLoc()) << "\"));\n";
        return success();
      })
      .Case([&](gpu::DeallocOp dealloc) {
        line() << "obsrt_release(&program, " << name(dealloc.getMemref())
               << ".data);\n";
        return success();
      })
      .Case([&](gpu::MemcpyOp copy) {
        line() << "OBS_CALL(obsrt_copy(program.stream, &" << name(copy.getDst())
               << ", &" << name(copy.getSrc()) << ", " << rankOf(copy.getSrc())
               << ", " << bytesOf(copy.getSrc()) << "));\n";
        return success();
      })
      .Case([&](gpu::MemsetOp set) {
        line() << "OBS_CALL(obsrt_fill(program.stream, &" << name(set.getDst())
               << ", " << rankOf(set.getDst()) << ", &" << name(set.getValue())
               << ", " << bytesOf(set.getDst()) << "));\n";
        return success();
      })
      .Default([&](Operation *scalar) { return printScalar(scalar); });
}

LogicalResult FunctionPrinter::printBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (!unread.contains(&op) && failed(printOp(&op)))
      return failure();
  return success();
}

/// As the program calls it, unless C or the rest of the file does so too.
std::string FunctionPrinter::nameParameter(unsigned number) {
  static const llvm::StringSet<> taken = {
      "auto",     "bool",     "break",    "case",    "char",   "const",
      "continue", "default",  "do",       "done",    "double", "else",
      "enum",     "errno",    "extern",   "false",   "float",  "for",
      "goto",     "if",       "inline",   "int",     "kept",   "long",
      "program",  "register", "restrict", "return",  "short",  "signed",
      "sizeof",   "static",   "status",   "stderr",  "stdin",  "stdout",
      "struct",   "switch",   "true",     "typedef", "union",  "unsigned",
      "void",     "volatile", "while"};
  auto name = function.getArgAttrOfType<StringAttr>(number, "obs.name");
  // Names that libraries define begin with these or with a capital letter.
  auto isFree = [](StringRef text) {
    return !taken.contains(text) && !isMathFunction(text) &&
           !llvm::isUpper(text.front()) && !text.starts_with("_") &&
           !text.starts_with("cu") && !text.starts_with("obs_") &&
           !text.starts_with("obsrt_") && !text.ends_with("_t") &&
           !text.starts_with("result") && !text.starts_with("arg");
  };
  std::string text = "arg" + std::to_string(number);
  if (name && isFree(name.getValue()) && !given.contains(name.getValue()))
    text = name.str();
  given.insert(text);
  return text;
}

/// `obs_array` of the prelude has this many dimensions.
static constexpr int64_t maxRank = 8;

LogicalResult FunctionPrinter::checkRanks() {
  auto isTooHigh = [](Type type) {
    auto memory = dyn_cast<MemRefType>(type);
    return memory && memory.getRank() > maxRank;
  };
  Operation *bad = nullptr;
  function.walk([&](Operation *op) {
    if (!bad && (llvm::any_of(op->getOperandTypes(), isTooHigh) ||
                 llvm::any_of(op->getResultTypes(), isTooHigh)))
      bad = op;
  });
  if (!bad && llvm::any_of(function.getArgumentTypes(), isTooHigh))
    bad = function;
  if (!bad)
    return success();
  return bad->emitOpError("[host-c] an array of a C program has at most ")
         << maxRank << " dimensions; reshape it";
}

/// The arrays and scalars that a parameter of the source is.
static unsigned countParts(Type type) {
  auto array = dyn_cast<PullType>(type);
  return array ? array.getElementTypes().size() : 1;
}

/// Prints checks that the arrays of callers have the extents that the types of
/// parameters say.
void FunctionPrinter::printArgumentChecks() {
  unsigned number = 0;
  auto pointer = [&](unsigned number) {
    return "&" + name(function.getArgument(number));
  };
  auto element = [&](unsigned number) {
    return "\"" +
           llvm::to_string(
               cast<MemRefType>(function.getArgument(number).getType())
                   .getElementType()) +
           "\"";
  };
  auto begin = [&](StringRef check, unsigned number) -> raw_ostream & {
    return line() << "OBS_CALL(obsrt_" << check << "(__func__, " << number + 1
                  << ", " << pointer(number) << ", ";
  };
  for (Type type : types) {
    unsigned first = number, last = number + countParts(type);
    number = last;
    auto memory = dyn_cast<MemRefType>(function.getArgument(first).getType());
    if (!memory || memory.getRank() == 0)
      continue;
    SmallVector<std::string> least, most;
    bool isOpen = true;
    for (auto [dim, extent] : llvm::enumerate(memory.getShape())) {
      bool isStatic = !ShapedType::isDynamic(extent);
      int64_t bound = extent;
      if (auto array = dyn_cast<PullType>(type); array && !isStatic)
        bound = array.getExtentBound(dim);
      bool isBounded = !ShapedType::isDynamic(bound);
      isOpen &= !isBounded;
      least.push_back(isStatic ? std::to_string(extent) : "0");
      most.push_back(isBounded ? std::to_string(bound) : "INT64_MAX");
    }
    if (!isOpen) {
      std::string from = fresh("least"), to = fresh("most");
      line() << "const int64_t " << from << "[] = {" << llvm::join(least, ", ")
             << "}, " << to << "[] = {" << llvm::join(most, ", ") << "};\n";
      begin("accept", first) << memory.getRank() << ", " << from << ", " << to
                             << ", " << element(first) << ", \""
                             << escape(llvm::to_string(type)) << "\"));\n";
    }
    for (unsigned part : llvm::seq(first + 1, last))
      begin("agree", part) << element(part) << ", " << pointer(part - 1) << ", "
                           << element(part - 1) << ", " << memory.getRank()
                           << "));\n";
  }
}

LogicalResult FunctionPrinter::print() {
  if (!isIdentifier(("obs_" + function.getName()).str()))
    return function.emitOpError("[host-c] has a name that is not valid in C; "
                                "use letters, digits and '_'");
  if (failed(checkRanks()))
    return failure();
  findUnread();
  Block &body = function.getBody().front();
  auto results = body.getTerminator()->getOperands();
  SmallVector<std::string> parameters;
  for (BlockArgument argument : body.getArguments()) {
    bool isArray = isa<MemRefType>(argument.getType());
    std::string parameter = nameParameter(argument.getArgNumber());
    parameters.push_back(
        (isArray ? "const obs_array *" : getCType(argument.getType()) + " ") +
        parameter);
    variables[argument] =
        (isArray ? "(*" : "") + parameter + (isArray ? ")" : "");
  }
  for (auto [i, value] : llvm::enumerate(results))
    parameters.push_back(getCType(value.getType()) + " *result" +
                         std::to_string(i));
  // Two names are taken by what callers use beside the program.
  StringRef suffix =
      llvm::is_contained({"array", "free"}, function.getName()) ? "_" : "";
  os << "CUresult obs_" << function.getName() << suffix << "("
     << (parameters.empty() ? "void" : llvm::join(parameters, ", ")) << ") {\n";
  line() << "obsrt_program program;\n";
  SmallVector<std::string> arrays;
  for (auto [i, value] : llvm::enumerate(results))
    if (isa<MemRefType>(value.getType()))
      arrays.push_back("result" + std::to_string(i));
  for (const std::string &array : arrays)
    line() << "memset(" << array << ", 0, sizeof(*" << array << "));\n";
  for (BlockArgument argument : body.getArguments())
    if (!isRead(argument))
      line() << "(void)" << name(argument) << ";\n";
  line() << "OBS_CALL(obsrt_begin(&program));\n";
  printArgumentChecks();
  // A block of its own: errors leave it before all is declared.
  line() << "{\n";
  ++indent;
  if (failed(printBlock(body)))
    return failure();
  for (auto [i, value] : llvm::enumerate(results))
    line() << "*result" << i << " = " << name(value) << ";\n";
  --indent;
  line() << "}\n";
  os << "done:;\n";
  SmallVector<std::string> kept = llvm::map_to_vector(
      arrays, [](const std::string &array) { return array + "->data"; });
  line() << "const CUdeviceptr kept[] = {" << llvm::join(kept, ", ")
         << (kept.empty() ? "0" : "") << "};\n";
  line() << "CUresult status = obsrt_end(&program, kept, " << kept.size()
         << ");\n";
  for (const std::string &array : arrays) {
    line() << "if (status != CUDA_SUCCESS)\n";
    line() << "  memset(" << array << ", 0, sizeof(*" << array << "));\n";
  }
  line() << "return status;\n}\n";
  return success();
}

HostSignatures obs::getHostSignatures(ModuleOp module) {
  HostSignatures signatures;
  for (auto function : module.getOps<func::FuncOp>())
    llvm::append_range(signatures[function.getName()],
                       function.getArgumentTypes());
  return signatures;
}

LogicalResult obs::translateToHostC(ModuleOp module,
                                    const HostSignatures &signatures,
                                    StringRef ptx, raw_ostream &os) {
  std::string text;
  llvm::raw_string_ostream functions(text);
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    functions << '\n';
    auto known = signatures.find(function.getName());
    ArrayRef<Type> types = function.getArgumentTypes();
    if (known != signatures.end()) {
      unsigned parts = 0;
      for (Type type : known->second)
        parts += countParts(type);
      if (parts == types.size())
        types = known->second;
    }
    if (failed(FunctionPrinter(function, types, functions).print()))
      return failure();
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
  return success();
}

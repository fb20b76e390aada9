//===- Arguments.cpp - Values from the command line -----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "Obsidian/Runtime/Npy.h"
#include "Obsidian/Tools/Inputs.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::run;
using mlir::obs::interpreter::getScalarBytes;
using mlir::obs::interpreter::getSlots;
using mlir::obs::interpreter::isScalarType;
using mlir::obs::interpreter::Scalar;
using mlir::obs::interpreter::Slot;

/// `4x?xi32`, for messages.
static std::string formatArray(ArrayRef<int64_t> extents, Type elementType) {
  std::string text;
  for (int64_t extent : extents)
    text +=
        (ShapedType::isDynamic(extent) ? "?" : std::to_string(extent)) + "x";
  return text + llvm::to_string(elementType);
}

/// An error where an array of `extents` cannot be an argument for `slot`.
static Error checkExtents(const Slot &slot, ArrayRef<int64_t> extents) {
  if (slot.allows(extents))
    return Error::success();
  return createStringError(
      "its type is " + formatArray(extents, slot.elementType) +
      ", and the parameter's " + llvm::to_string(slot.type));
}

//===----------------------------------------------------------------------===//
// Arrays that are described
//===----------------------------------------------------------------------===//

/// Parses `4x8xi32`; the extents may be missing or, as `?`, open.
static Expected<std::pair<SmallVector<int64_t>, Type>>
parseArrayType(const Slot &slot, StringRef text) {
  MLIRContext *context = slot.elementType.getContext();
  SmallVector<int64_t> extents;
  StringRef rest = text;
  while (!rest.empty() &&
         (llvm::isDigit(rest.front()) || rest.front() == '?')) {
    int64_t extent = ShapedType::kDynamic;
    if (!rest.consume_front("?") && rest.consumeInteger(10, extent))
      return createStringError("'" + text +
                               "' has an extent that is too large");
    if (!rest.consume_front("x"))
      break;
    extents.push_back(extent);
  }
  // Names only, so that a mistake is reported here and not by the parser.
  Type type;
  if (llvm::all_of(rest, llvm::isAlnum) && !rest.empty()) {
    ScopedDiagnosticHandler quiet(context,
                                  [](Diagnostic &) { return success(); });
    type = parseType(rest, context);
  }
  if (!type || !isScalarType(type))
    return createStringError("'" + text +
                             "' is not the type of an array, as 1024xi32 is");
  if (type != slot.elementType)
    return createStringError("its elements are " + llvm::to_string(type) +
                             ", and the parameter's " +
                             llvm::to_string(slot.elementType));
  return std::make_pair(std::move(extents), type);
}

/// The 64-bit mixing function of SplitMix64, of which element i of a random
/// array takes output number i: any language can make the same array.
static uint64_t getRandomBits(uint64_t seed, uint64_t index) {
  uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

static Scalar makeRandom(Type type, uint64_t bits) {
  if (isa<FloatType>(type)) {
    // As many of the upper bits as the type has digits: exact, and below 1.
    unsigned digits = cast<FloatType>(type).getFPMantissaWidth();
    return Scalar::fromDouble(
        type, std::ldexp(static_cast<double>(bits >> (64 - digits)),
                         -static_cast<int>(digits)));
  }
  return Scalar(type, bits);
}

static Scalar makeIota(Type type, int64_t index) {
  if (isa<FloatType>(type))
    return Scalar::fromDouble(type, static_cast<double>(index));
  return Scalar::fromInt(type, index);
}

/// The bytes of an array, in which an extent of 0 counts as 1; nothing where
/// they are not known, or more than 2^40.
static std::optional<int64_t> countBytes(ArrayRef<int64_t> extents, Type type) {
  int64_t bytes = getScalarBytes(type);
  for (int64_t extent : extents)
    if (ShapedType::isDynamic(extent) ||
        llvm::MulOverflow(bytes, std::max<int64_t>(extent, 1), bytes) ||
        bytes > int64_t(1) << 40)
      return std::nullopt;
  return bytes;
}

/// `zeros:`, `iota:` and `random:`.
static Expected<HostValue> makeArray(const Slot &slot, StringRef text) {
  auto [maker, description] = text.split(':');
  uint64_t seed = 0;
  if (maker == "random") {
    StringRef seedText;
    std::tie(description, seedText) = description.split(':');
    if (seedText.empty() || seedText.getAsInteger(0, seed))
      return createStringError(
          "a random array needs a seed, as in random:1024xi32:7");
  }
  auto array = parseArrayType(slot, description);
  if (!array)
    return array.takeError();
  auto &[extents, type] = *array;
  if (Error error = checkExtents(slot, extents))
    return std::move(error);
  if (!countBytes(extents, type))
    return createStringError("'" + description +
                             "' is not the extents of an array of at most "
                             "2^40 bytes");
  Expected<HostValue> value = HostValue::array(type, extents);
  if (!value || maker == "zeros")
    return value;
  for (int64_t i = 0, e = value->getNumElements(); i < e; ++i)
    value->set(i, maker == "iota" ? makeIota(type, i)
                                  : makeRandom(type, getRandomBits(seed, i)));
  return value;
}

//===----------------------------------------------------------------------===//
// Arrays in files
//===----------------------------------------------------------------------===//

static Expected<HostValue> readNpyArray(const Slot &slot, StringRef path) {
  auto read = [&]() -> Expected<runtime::NpyArray> {
    if (!isPipe(path) && !isEndlessDevice(path))
      return runtime::readNpy(path);
    auto contents = readInput(path);
    if (!contents)
      return contents.takeError();
    return runtime::parseNpy(std::move(*contents), path);
  };
  Expected<runtime::NpyArray> array = read();
  if (!array) {
    // The caller's message names the file already.
    std::string text = llvm::toString(array.takeError());
    StringRef reason = text;
    reason.consume_front(path);
    reason.consume_front(": ");
    return createStringError(reason);
  }
  if (!array->holds(slot.elementType))
    return createStringError("its elements are " + array->getTypeName() +
                             ", and the parameter's are " +
                             llvm::to_string(slot.elementType) + " (" +
                             runtime::getNpyTypeName(slot.elementType) + ")");
  if (Error error = checkExtents(slot, array->shape))
    return std::move(error);
  Expected<HostValue> value = HostValue::array(slot.elementType, array->shape);
  if (value)
    value->data.assign(array->data.begin(), array->data.end());
  return value;
}

/// Fills in the one open extent so that the array has `count` elements.
static Error completeExtents(SmallVectorImpl<int64_t> &extents, int64_t count) {
  int64_t known = 1, *open = nullptr;
  for (int64_t &extent : extents) {
    if (!ShapedType::isDynamic(extent)) {
      if (llvm::MulOverflow(known, extent, known))
        return createStringError("its extents are too large");
      continue;
    }
    if (open)
      return createStringError("its extents must be given, as in "
                               "data.bin:64x64xf32");
    open = &extent;
  }
  if (open && known != 0 && count % known == 0)
    *open = count / known;
  else if (open || known != count)
    return createStringError("it has " + Twine(count) + " elements, and " +
                             Twine(known) +
                             (open ? " must divide that" : " are needed"));
  return Error::success();
}

/// The first bytes of a device or a pipe, which may never end.
static llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
readDevice(StringRef path, uint64_t bytes) {
  auto file = llvm::sys::fs::openNativeFileForRead(path);
  if (!file)
    return llvm::errorToErrorCode(file.takeError());
  auto close = llvm::scope_exit([&] { llvm::sys::fs::closeFile(*file); });
  std::unique_ptr<llvm::WritableMemoryBuffer> buffer =
      llvm::WritableMemoryBuffer::getNewUninitMemBuffer(bytes);
  if (!buffer)
    return std::make_error_code(std::errc::not_enough_memory);
  auto rest = buffer->getBuffer();
  while (!rest.empty()) {
    auto count = llvm::sys::fs::readNativeFile(*file, rest);
    if (!count)
      return llvm::errorToErrorCode(count.takeError());
    if (*count == 0)
      return llvm::MemoryBuffer::getMemBufferCopy(
          StringRef(buffer->getBufferStart(), bytes - rest.size()));
    rest = rest.drop_front(*count);
  }
  return std::unique_ptr<llvm::MemoryBuffer>(std::move(buffer));
}

static Expected<HostValue> readRawArray(const Slot &slot, StringRef path,
                                        StringRef description) {
  auto array = parseArrayType(slot, description);
  if (!array)
    return array.takeError();
  auto &[extents, type] = *array;
  if (extents.empty())
    extents = slot.extents;
  std::optional<int64_t> needed = countBytes(extents, type);
  bool isEndless = isEndlessDevice(path), fromPipe = isPipe(path);
  if (isEndless && !needed)
    return createStringError("a device may have no end; give the extents of an "
                             "array of at most 2^40 bytes, as in " +
                             path + ":64x" + llvm::to_string(type));
  std::unique_ptr<llvm::MemoryBuffer> file;
  if (fromPipe && !needed) {
    auto contents = readInput(path);
    if (!contents)
      return contents.takeError();
    file = std::move(*contents);
  } else {
    // One byte more shows that a pipe has too many.
    auto contents =
        isEndless || fromPipe
            ? readDevice(path, (llvm::is_contained(extents, 0) ? 0 : *needed) +
                                   (fromPipe ? 1 : 0))
            : llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
    if (!contents)
      return createStringError("cannot be read: " +
                               contents.getError().message());
    file = std::move(*contents);
  }
  StringRef bytes = file->getBuffer();
  if (fromPipe && needed && bytes.size() > static_cast<uint64_t>(*needed))
    return createStringError("it has more than the " + Twine(*needed) +
                             " bytes that are needed");
  if (bytes.size() % getScalarBytes(type))
    return createStringError(
        "it has " + Twine(bytes.size()) +
        " bytes, which is not a whole number of elements of " +
        llvm::to_string(type));
  if (Error error =
          completeExtents(extents, bytes.size() / getScalarBytes(type)))
    return std::move(error);
  if (Error error = checkExtents(slot, extents))
    return std::move(error);
  if (type.isInteger(1) &&
      llvm::any_of(bytes, [](char c) { return c != 0 && c != 1; }))
    return createStringError("it has booleans that are neither 0 nor 1");
  Expected<HostValue> value = HostValue::array(type, extents);
  if (value)
    value->data.assign(bytes.begin(), bytes.end());
  return value;
}

//===----------------------------------------------------------------------===//
// All arguments
//===----------------------------------------------------------------------===//

static Expected<HostValue> readArgument(const Slot &slot, StringRef text) {
  if (slot.isScalar) {
    Expected<Scalar> scalar = Scalar::parse(slot.elementType, text);
    if (!scalar)
      return scalar.takeError();
    return HostValue::scalar(*scalar);
  }
  auto [head, tail] = text.split(':');
  if (!tail.empty() && (head == "zeros" || head == "iota" || head == "random"))
    return makeArray(slot, text);
  if (text.ends_with(".npy"))
    return readNpyArray(slot, text);
  auto [path, description] = text.rsplit(':');
  if (!path.empty() && !description.empty())
    return readRawArray(slot, path, description);
  return createStringError(
      "the parameter is an array, " + llvm::to_string(slot.type) +
      ": give FILE.npy, FILE:" + llvm::to_string(slot.elementType) +
      " or zeros:1024x" + llvm::to_string(slot.elementType));
}

Expected<std::vector<HostValue>>
mlir::obs::run::readArguments(func::FuncOp entry, ArrayRef<std::string> texts) {
  Expected<std::vector<Slot>> slots =
      getSlots(entry.getArgumentTypes(), "parameter");
  if (!slots)
    return slots.takeError();
  if (slots->size() != texts.size()) {
    std::string needed;
    for (const Slot &slot : *slots)
      needed += (needed.empty() ? "" : ", ") +
                (slot.isScalar ? llvm::to_string(slot.elementType)
                               : formatArray(slot.extents, slot.elementType));
    return createStringError(
        "'" + entry.getName() + "' needs " + Twine(slots->size()) +
        (slots->size() == 1 ? " argument" : " arguments") +
        (needed.empty() ? "" : " (" + needed + ")") + ", and " +
        Twine(texts.size()) + (texts.size() == 1 ? " is" : " are") + " given");
  }
  std::vector<HostValue> values;
  for (unsigned number = 0; number < slots->size(); ++number) {
    const Slot &slot = (*slots)[number];
    const std::string &text = texts[number];
    auto fail = [&](const Twine &reason) {
      return createStringError("argument " + Twine(number + 1) + ", '" + text +
                               "': " + reason);
    };
    Expected<HostValue> value = readArgument(slot, text);
    if (!value)
      return fail(llvm::toString(value.takeError()));
    // The arrays of an array of pairs are one array.
    if (number > 0 && (*slots)[number - 1].index == slot.index &&
        values.back().extents != value->extents)
      return fail(
          "its extents, " + formatArray(value->extents, value->elementType) +
          ", differ from those of the array before, " +
          formatArray(values.back().extents, values.back().elementType) +
          ", of the same parameter");
    values.push_back(std::move(*value));
  }
  return values;
}

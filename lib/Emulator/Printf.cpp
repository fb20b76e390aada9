//===- Printf.cpp - The printf of kernels ---------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Printf.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/ADT/bit.h"

#include <cstdio>

namespace {
/// One conversion of a format string, such as "%-5lld".
struct Conversion {
  /// The flags, width and precision.
  llvm::StringRef options;
  /// "", "hh", "h", "l", "ll", ...
  llvm::StringRef length;
  /// The letter at the end, or 0 if there is none.
  char type = 0;
};
} // namespace

/// Calls `text` for the text between the conversions, with %% as %, and
/// `conversion` for each conversion, until it returns false.
static void
parseFormat(llvm::StringRef format,
            llvm::function_ref<void(llvm::StringRef)> text,
            llvm::function_ref<bool(const Conversion &)> conversion) {
  while (!format.empty()) {
    size_t percent = format.find('%');
    if (percent != 0)
      text(format.substr(0, percent));
    if (percent == llvm::StringRef::npos)
      return;
    format = format.drop_front(percent + 1);
    if (format.consume_front("%")) {
      text("%");
      continue;
    }
    Conversion result;
    result.options = format.take_while(
        [](char c) { return llvm::StringRef("-+ #0123456789.").contains(c); });
    format = format.drop_front(result.options.size());
    result.length = format.take_while(
        [](char c) { return llvm::StringRef("hljzt").contains(c); });
    format = format.drop_front(result.length.size());
    if (!format.empty()) {
      result.type = format.front();
      format = format.drop_front();
    }
    if (!conversion(result))
      return;
  }
}

static bool isIntegerConversion(char type) {
  return type && llvm::StringRef("diuxXoc").contains(type);
}
static bool isFloatConversion(char type) {
  return type && llvm::StringRef("fFeEgGaA").contains(type);
}

std::string mlir::obs::emulator::checkPrintfFormat(llvm::StringRef format,
                                                   llvm::StringRef kinds) {
  std::string problem;
  size_t count = 0;
  parseFormat(
      format, [](llvm::StringRef) {},
      [&](const Conversion &conversion) {
        char type = conversion.type;
        bool isInt = isIntegerConversion(type) || type == 'p';
        if (!isInt && !isFloatConversion(type)) {
          problem = ("conversion number " + llvm::Twine(count + 1) +
                     " is not one of d i u x X o c p f e g a")
                        .str();
          return false;
        }
        if (count < kinds.size() && (kinds[count] == 'i') != isInt) {
          problem = ("argument number " + llvm::Twine(count + 1) + " is " +
                     (isInt ? "a float" : "an integer") + ", its conversion '" +
                     llvm::Twine(type) + "' is for " +
                     (isInt ? "integers" : "floats"))
                        .str();
          return false;
        }
        ++count;
        return true;
      });
  if (problem.empty() && count != kinds.size())
    problem = ("it has " + llvm::Twine(count) + " conversions for " +
               llvm::Twine(kinds.size()) + " arguments")
                  .str();
  return problem;
}

template <typename T>
static void appendFormatted(std::string &out, const std::string &format,
                            T value) {
  int size = std::snprintf(nullptr, 0, format.c_str(), value);
  if (size <= 0)
    return;
  size_t old = out.size();
  out.resize(old + size + 1);
  std::snprintf(&out[old], size + 1, format.c_str(), value);
  out.resize(old + size);
}

std::string mlir::obs::emulator::formatPrintf(llvm::StringRef format,
                                              const uint64_t *args) {
  std::string out;
  parseFormat(
      format, [&](llvm::StringRef text) { out += text; },
      [&](const Conversion &conversion) {
        uint64_t slot = *args++;
        std::string spec = ("%" + conversion.options).str();
        if (isFloatConversion(conversion.type)) {
          appendFormatted(out, spec + conversion.type,
                          llvm::bit_cast<double>(slot));
          return true;
        }
        if (conversion.type == 'c') {
          out.push_back(char(slot));
          return true;
        }
        bool isSigned = conversion.type == 'd' || conversion.type == 'i';
        if (conversion.type == 'p') {
          appendFormatted(out, "0x%llx", static_cast<unsigned long long>(slot));
          return true;
        }
        // Without a length, the argument is an int.
        if (conversion.length.empty() || conversion.length == "h" ||
            conversion.length == "hh")
          slot = isSigned ? uint64_t(int64_t(int32_t(slot))) : uint32_t(slot);
        if (conversion.length == "h")
          slot = isSigned ? uint64_t(int64_t(int16_t(slot))) : uint16_t(slot);
        if (conversion.length == "hh")
          slot = isSigned ? uint64_t(int64_t(int8_t(slot))) : uint8_t(slot);
        spec += "ll";
        if (isSigned)
          appendFormatted(out, spec + conversion.type,
                          static_cast<long long>(slot));
        else
          appendFormatted(out, spec + conversion.type,
                          static_cast<unsigned long long>(slot));
        return true;
      });
  return out;
}

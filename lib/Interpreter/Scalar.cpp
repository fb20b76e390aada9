//===- Scalar.cpp - One value of a scalar type ----------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Interpreter/ScalarOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/ScopedPrinter.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace mlir::obs::interpreter;
using llvm::APFloat;
using llvm::APInt;

bool mlir::obs::interpreter::isScalarType(Type type) {
  if (auto intType = dyn_cast<IntegerType>(type))
    return intType.getWidth() >= 1 && intType.getWidth() <= 64;
  return isa<IndexType, Float32Type, Float64Type, Float16Type, BFloat16Type>(
      type);
}

unsigned mlir::obs::interpreter::getScalarWidth(Type type) {
  if (isa<IndexType>(type))
    return 64;
  return type.getIntOrFloatBitWidth();
}

unsigned mlir::obs::interpreter::getScalarBytes(Type type) {
  return llvm::PowerOf2Ceil(llvm::divideCeil(getScalarWidth(type), 8));
}

Scalar::Scalar(Type type, uint64_t bits)
    : type(type),
      bits(bits & llvm::maskTrailingOnes<uint64_t>(getScalarWidth(type))) {}

Scalar Scalar::fromDouble(Type type, double value) {
  if (isa<Float32Type>(type))
    return Scalar(type, llvm::bit_cast<uint32_t>(static_cast<float>(value)));
  if (isa<Float64Type>(type))
    return Scalar(type, llvm::bit_cast<uint64_t>(value));
  APFloat number(value);
  bool losesInfo;
  number.convert(cast<FloatType>(type).getFloatSemantics(),
                 APFloat::rmNearestTiesToEven, &losesInfo);
  return Scalar(type, number.bitcastToAPInt().getZExtValue());
}

llvm::Expected<Scalar> Scalar::fromAttr(Attribute attr) {
  auto typed = dyn_cast<TypedAttr>(attr);
  if (typed && isScalarType(typed.getType())) {
    if (auto intAttr = dyn_cast<IntegerAttr>(attr))
      return Scalar(typed.getType(), intAttr.getValue().getZExtValue());
    if (auto floatAttr = dyn_cast<FloatAttr>(attr))
      return Scalar(typed.getType(),
                    floatAttr.getValue().bitcastToAPInt().getZExtValue());
  }
  return llvm::createStringError("'" + llvm::to_string(attr) +
                                 "' is not a scalar of at most 64 bits");
}

static llvm::Error makeLiteralError(Type type, StringRef text,
                                    StringRef reason) {
  return llvm::createStringError("'" + text + "' " + reason + " " +
                                 llvm::to_string(type));
}

llvm::Expected<Scalar> Scalar::parse(Type type, StringRef text) {
  if (!isScalarType(type))
    return makeLiteralError(type, text, "cannot be a value of type");
  if (auto floatType = dyn_cast<FloatType>(type)) {
    APFloat number(floatType.getFloatSemantics());
    StringRef body = text;
    bool negative = body.consume_front("-");
    if (body == "inf" || body == "nan") {
      number = body == "inf"
                   ? APFloat::getInf(floatType.getFloatSemantics(), negative)
                   : APFloat::getNaN(floatType.getFloatSemantics(), negative);
    } else {
      auto status =
          number.convertFromString(text, APFloat::rmNearestTiesToEven);
      if (!status) {
        llvm::consumeError(status.takeError());
        return makeLiteralError(type, text, "is not a number of type");
      }
      if (*status & APFloat::opOverflow)
        return makeLiteralError(type, text, "is out of the range of");
    }
    return Scalar(type, number.bitcastToAPInt().getZExtValue());
  }

  unsigned width = getScalarWidth(type);
  if (text == "true" || text == "false") {
    if (width == 1)
      return Scalar(type, text == "true");
    return makeLiteralError(type, text, "is not an integer of type");
  }
  StringRef body = text;
  bool negative = body.consume_front("-");
  uint64_t magnitude;
  // Radix 0 accepts 0x, 0b, 0o and decimal numbers. It would read a number with
  // a leading zero as octal, which users do not expect. So decimal is tried
  // first.
  if (body.empty() || !llvm::isDigit(body.front()) ||
      (body.getAsInteger(10, magnitude) && body.getAsInteger(0, magnitude)))
    return makeLiteralError(type, text, "is not an integer of type");
  uint64_t limit = negative ? uint64_t(1) << (width - 1)
                            : llvm::maskTrailingOnes<uint64_t>(width);
  if (magnitude > limit)
    return makeLiteralError(type, text, "does not fit");
  return Scalar(type, negative ? -magnitude : magnitude);
}

Scalar Scalar::load(Type type, const void *memory) {
  switch (getScalarBytes(type)) {
  case 1: {
    uint8_t value;
    std::memcpy(&value, memory, sizeof(value));
    return Scalar(type, value);
  }
  case 2: {
    uint16_t value;
    std::memcpy(&value, memory, sizeof(value));
    return Scalar(type, value);
  }
  case 4: {
    uint32_t value;
    std::memcpy(&value, memory, sizeof(value));
    return Scalar(type, value);
  }
  default: {
    uint64_t value;
    std::memcpy(&value, memory, sizeof(value));
    return Scalar(type, value);
  }
  }
}

void Scalar::store(void *memory) const {
  switch (getScalarBytes(type)) {
  case 1: {
    auto value = static_cast<uint8_t>(bits);
    std::memcpy(memory, &value, sizeof(value));
    return;
  }
  case 2: {
    auto value = static_cast<uint16_t>(bits);
    std::memcpy(memory, &value, sizeof(value));
    return;
  }
  case 4: {
    auto value = static_cast<uint32_t>(bits);
    std::memcpy(memory, &value, sizeof(value));
    return;
  }
  default:
    std::memcpy(memory, &bits, sizeof(bits));
  }
}

int64_t Scalar::getSInt() const {
  return llvm::SignExtend64(bits, getScalarWidth(type));
}

double Scalar::getDouble() const {
  if (isa<Float32Type>(type))
    return llvm::bit_cast<float>(static_cast<uint32_t>(bits));
  if (isa<Float64Type>(type))
    return llvm::bit_cast<double>(bits);
  return getAPFloat().convertToDouble();
}

APInt Scalar::getAPInt() const { return APInt(getScalarWidth(type), bits); }

APFloat Scalar::getAPFloat() const {
  return APFloat(cast<FloatType>(type).getFloatSemantics(), getAPInt());
}

TypedAttr Scalar::getAttr() const {
  if (isa<FloatType>(type))
    return FloatAttr::get(type, getAPFloat());
  return IntegerAttr::get(type, getAPInt());
}

/// Prints `text`, digits with an exponent, in positional form unless the number
/// is below 0.0001 or at least 10^16, as Python does.
static void printDigits(llvm::raw_ostream &os, StringRef text) {
  auto [mantissa, power] = text.split('e');
  int exponent = 0;
  power.consume_front("+");
  power.getAsInteger(10, exponent);
  if (exponent < -4 || exponent >= 16) {
    os << text;
    return;
  }
  if (mantissa.consume_front("-"))
    os << '-';
  std::string digits = mantissa.take_front(1).str();
  digits += mantissa.drop_front(std::min<size_t>(2, mantissa.size()));
  if (exponent < 0)
    digits.insert(0, -exponent, '0');
  size_t whole = std::max(exponent, 0) + 1;
  digits.append(std::max(whole + 1, digits.size()) - digits.size(), '0');
  os << digits.substr(0, whole) << '.' << digits.substr(whole);
}

void Scalar::print(llvm::raw_ostream &os) const {
  if (isa<FloatType>(type)) {
    APFloat number = getAPFloat();
    if (number.isNaN()) {
      os << "nan";
      return;
    }
    if (number.isInfinity()) {
      os << (number.isNegative() ? "-inf" : "inf");
      return;
    }
    // The fewest digits from which the same value can be read.
    char text[40];
    double value = getDouble();
    for (int digits = 0; digits < 17; ++digits) {
      std::snprintf(text, sizeof(text), "%.*e", digits, value);
      double back = isa<Float32Type>(type) ? std::strtof(text, nullptr)
                                           : std::strtod(text, nullptr);
      if (Scalar::fromDouble(type, back) == *this)
        break;
    }
    printDigits(os, text);
    return;
  }
  if (type.isInteger(1)) {
    os << (isTrue() ? "true" : "false");
    return;
  }
  os << getSInt();
}

llvm::raw_ostream &mlir::obs::interpreter::operator<<(llvm::raw_ostream &os,
                                                      const Scalar &scalar) {
  scalar.print(os);
  return os;
}

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

std::string mlir::obs::interpreter::formatLocation(Location loc) {
  if (auto file = dyn_cast<FileLineColLoc>(loc))
    return (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
            Twine(file.getColumn()))
        .str();
  if (auto name = dyn_cast<NameLoc>(loc))
    return formatLocation(name.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return formatLocation(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations()) {
      std::string text = formatLocation(part);
      if (!text.empty())
        return text;
    }
  return "";
}

llvm::Error mlir::obs::interpreter::makeLocatedError(Location loc,
                                                     const llvm::Twine &msg) {
  std::string text = formatLocation(loc);
  if (!text.empty())
    text += ": ";
  return llvm::createStringError(text + msg);
}

std::pair<StringRef, StringRef>
mlir::obs::interpreter::splitLocation(StringRef text) {
  auto [location, rest] = text.split(": ");
  auto [start, column] = location.rsplit(':');
  auto [file, line] = start.rsplit(':');
  unsigned number;
  if (rest.empty() || file.empty() || line.getAsInteger(10, number) ||
      column.getAsInteger(10, number))
    return {"", text};
  return {location, rest};
}

llvm::Error mlir::obs::interpreter::addLocation(Location loc,
                                                llvm::Error error) {
  if (!error)
    return error;
  return makeLocatedError(loc, llvm::toString(std::move(error)));
}

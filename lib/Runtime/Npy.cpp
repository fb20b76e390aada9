//===- Npy.cpp - NumPy's array files --------------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Runtime/Npy.h"
#include "Obsidian/Interpreter/ScalarOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::obs::runtime;
using llvm::createStringError;
using llvm::Expected;

static constexpr llvm::StringLiteral magic("\x93NUMPY");

static std::string makeTypeName(char kind, unsigned bytes) {
  if (kind == 'b')
    return "bool";
  StringRef base = kind == 'i'   ? "int"
                   : kind == 'u' ? "uint"
                   : kind == 'f' ? "float"
                                 : "void";
  return base.str() + std::to_string(bytes * 8);
}

/// The kind and size that `type` is written as.
static std::pair<char, unsigned> getStoredType(Type type) {
  unsigned bytes = mlir::obs::interpreter::getScalarBytes(type);
  if (type.isInteger(1))
    return {'b', 1};
  if (isa<BFloat16Type>(type))
    return {'u', 2};
  return {isa<FloatType>(type) ? 'f' : 'i', bytes};
}

std::string mlir::obs::runtime::getNpyTypeName(Type elementType) {
  auto [kind, bytes] = getStoredType(elementType);
  return makeTypeName(kind, bytes);
}

std::string NpyArray::getTypeName() const {
  return makeTypeName(kind, elementBytes);
}

bool NpyArray::holds(Type type) const {
  if (elementBytes != mlir::obs::interpreter::getScalarBytes(type))
    return false;
  if (type.isInteger(1))
    return kind == 'b';
  if (isa<BFloat16Type>(type))
    return kind == 'u' || kind == 'V';
  if (isa<FloatType>(type))
    return kind == 'f';
  return kind == 'i' || kind == 'u';
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// Parser of the header: a Python dictionary literal with the keys `descr`,
/// `fortran_order` and `shape`, in any order.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : rest(text) {}

  /// Returns an empty text after success, and otherwise the error.
  std::string parse(std::string &descr, bool &fortran,
                    SmallVectorImpl<int64_t> &shape) {
    bool hasDescr = false, hasOrder = false, hasShape = false;
    if (!consume("{"))
      return "its header is not a dictionary";
    while (!consume("}")) {
      std::string key;
      if (!parseString(key) || !consume(":"))
        return "its header is malformed";
      if (key == "descr") {
        hasDescr = true;
        if (!parseString(descr))
          return "it holds records, not an array of numbers";
      } else if (key == "fortran_order") {
        hasOrder = true;
        if (consume("True"))
          fortran = true;
        else if (!consume("False"))
          return "its header is malformed";
      } else if (key == "shape") {
        hasShape = true;
        if (!parseShape(shape))
          return "its shape is malformed";
      } else {
        return "its header has the unknown key '" + key + "'";
      }
      if (!consume(",") && !rest.ltrim().starts_with("}"))
        return "its header is malformed";
    }
    if (!hasDescr || !hasOrder || !hasShape)
      return "its header lacks a key";
    if (!rest.trim().empty())
      return "its header is malformed";
    return "";
  }

private:
  bool consume(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }

  bool parseString(std::string &text) {
    rest = rest.ltrim();
    if (rest.empty() || (rest.front() != '\'' && rest.front() != '"'))
      return false;
    size_t end = rest.find(rest.front(), 1);
    if (end == StringRef::npos)
      return false;
    text = rest.slice(1, end).str();
    rest = rest.drop_front(end + 1);
    return true;
  }

  bool parseShape(SmallVectorImpl<int64_t> &shape) {
    if (!consume("("))
      return false;
    while (!consume(")")) {
      rest = rest.ltrim();
      int64_t extent;
      if (rest.consumeInteger(10, extent) || extent < 0)
        return false;
      // Files that Python 2 wrote.
      rest.consume_front("L");
      shape.push_back(extent);
      if (!consume(",") && !rest.ltrim().starts_with(")"))
        return false;
    }
    return true;
  }

  StringRef rest;
};

} // namespace

Expected<NpyArray>
mlir::obs::runtime::parseNpy(std::unique_ptr<llvm::MemoryBuffer> file,
                             StringRef name) {
  auto fail = [&](const Twine &reason) {
    return createStringError(name + ": " + reason);
  };
  StringRef bytes = file->getBuffer();
  if (!bytes.starts_with(magic))
    return fail(bytes.size() < magic.size() && magic.starts_with(bytes)
                    ? "the file is truncated: it has no header"
                    : "it is not a .npy file");
  if (bytes.size() < 10)
    return fail("the file is truncated: it has no header");
  unsigned version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3)
    return fail("version " + Twine(version) + " of .npy is not known");
  size_t prefix = version == 1 ? 10 : 12;
  if (bytes.size() < prefix)
    return fail("the file is truncated: it has no header");
  uint64_t headerBytes =
      version == 1 ? llvm::support::endian::read16le(bytes.data() + 8)
                   : llvm::support::endian::read32le(bytes.data() + 8);
  if (bytes.size() - prefix < headerBytes)
    return fail("the file is truncated: its header has " +
                Twine(bytes.size() - prefix) + " of " + Twine(headerBytes) +
                " bytes");

  NpyArray array;
  std::string descr;
  bool fortran = false;
  std::string wrong = HeaderParser(bytes.substr(prefix, headerBytes))
                          .parse(descr, fortran, array.shape);
  if (!wrong.empty())
    return fail(wrong);
  StringRef type = descr;
  if (type.starts_with(">"))
    return fail("its elements ('" + descr +
                "') are big-endian; only little-endian ones are read");
  type.consume_front("<") || type.consume_front("|") || type.consume_front("=");
  bool known = !type.empty() && StringRef("biufV").contains(type.front()) &&
               !type.drop_front().getAsInteger(10, array.elementBytes);
  if (known) {
    array.kind = type.front();
    unsigned size = array.elementBytes;
    known = array.kind == 'b'   ? size == 1
            : array.kind == 'V' ? size == 2
            : array.kind == 'f'
                ? size == 2 || size == 4 || size == 8
                : size == 1 || size == 2 || size == 4 || size == 8;
  }
  if (!known)
    return fail("its element type '" + descr + "' is not supported");
  // If at most one extent is not 1, both orders are the same.
  if (fortran && llvm::count_if(array.shape,
                                [](int64_t extent) { return extent != 1; }) > 1)
    return fail("it is in Fortran order; only C order is read");

  int64_t needed = array.elementBytes;
  bool overflow = false, isEmpty = llvm::is_contained(array.shape, 0);
  for (int64_t extent : array.shape)
    overflow |= !isEmpty && llvm::MulOverflow(needed, extent, needed);
  if (isEmpty)
    needed = 0;
  if (overflow)
    return fail("its shape is too large");
  StringRef data = bytes.drop_front(prefix + headerBytes);
  if (data.size() < static_cast<uint64_t>(needed))
    return fail("the file is truncated: it has " + Twine(data.size()) + " of " +
                Twine(needed) + " bytes of elements");
  if (data.size() > static_cast<uint64_t>(needed))
    return fail("the file has " + Twine(data.size()) +
                " bytes of elements, and its shape needs " + Twine(needed));
  if (array.kind == 'b' &&
      llvm::any_of(data, [](char c) { return c != 0 && c != 1; }))
    return fail("it has booleans that are neither 0 nor 1");
  array.data = ArrayRef<char>(data.data(), data.size());
  array.file = std::move(file);
  return std::move(array);
}

Expected<NpyArray> mlir::obs::runtime::readNpy(StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return createStringError(path +
                             ": cannot be read: " + file.getError().message());
  return parseNpy(std::move(*file), path);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

std::string mlir::obs::runtime::formatNpy(Type elementType,
                                          ArrayRef<int64_t> shape,
                                          ArrayRef<char> data) {
  auto [kind, bytes] = getStoredType(elementType);
  std::string header;
  llvm::raw_string_ostream os(header);
  // Single bytes have no order, which NumPy writes as a bar.
  os << "{'descr': '" << (bytes == 1 ? '|' : '<') << kind << bytes
     << "', 'fortran_order': False, 'shape': (";
  llvm::interleaveComma(shape, os);
  os << (shape.size() == 1 ? ",), }" : "), }");
  // The elements begin at a multiple of 64, after a newline.
  constexpr size_t alignment = 64;
  bool isLong = header.size() + alignment > 0xffff;
  size_t prefix = isLong ? 12 : 10;
  header.append(llvm::offsetToAlignment(prefix + header.size() + 1,
                                        llvm::Align(alignment)),
                ' ');
  header += '\n';

  std::string file = magic.str();
  file += static_cast<char>(isLong ? 2 : 1);
  file += '\0';
  for (unsigned i = 0; i < prefix - 8; ++i)
    file += static_cast<char>(header.size() >> (8 * i));
  file += header;
  file.append(data.begin(), data.end());
  return file;
}

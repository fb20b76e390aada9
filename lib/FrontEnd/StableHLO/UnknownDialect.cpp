//===- UnknownDialect.cpp - StableHLO without its operations --------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/FrontEnd/StableHLO.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

namespace {
class UnknownDialect : public Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UnknownDialect)
  static constexpr StringLiteral getDialectNamespace() {
    return StringLiteral("stablehlo");
  }
  explicit UnknownDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<UnknownDialect>()) {
    allow(true);
  }
  void allow(bool isAllowed) { allowUnknownOperations(isAllowed); }

  Attribute parseAttribute(DialectAsmParser &parser, Type type) const override {
    return parser.getChecked<OpaqueAttr>(
        getName(parser), parser.getFullSymbolSpec(),
        type ? type : parser.getBuilder().getNoneType());
  }
  Type parseType(DialectAsmParser &parser) const override {
    return parser.getChecked<OpaqueType>(getName(parser),
                                         parser.getFullSymbolSpec());
  }

private:
  static StringAttr getName(DialectAsmParser &parser) {
    return parser.getBuilder().getStringAttr(getDialectNamespace());
  }
};
} // namespace

void obs::registerStableHLO(DialectRegistry &registry) {
  registry.insert<UnknownDialect>();
}

void obs::allowStableHLO(MLIRContext &context, bool isAllowed) {
  context.allowUnregisteredDialects(isAllowed);
  if (isAllowed)
    context.getOrLoadDialect<UnknownDialect>();
  if (auto *dialect = context.getLoadedDialect<UnknownDialect>())
    dialect->allow(isAllowed);
}

//===- AtomicsToNVVM.cpp - Scoped atomic operations -----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without a scope, an atomic operation is visible to the whole system. The
// compare-and-swap of NVPTX implements this, slowly. An update whose result is
// not used is a `red`, which does not wait for the result. An `or` with 0 is an
// atomic load: many threads may load an address at the same time. An exchange
// whose result is not used stays an exchange: on an H200, other threads see an
// atomic store later, because it waits for the stores before it (a scan of 2^28
// elements takes 0.96 ms then, not 0.65). The memory order is relaxed, because
// a kernel orders accesses by barriers.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace mlir::obs {

namespace {
constexpr unsigned kBenefit = 10;
constexpr auto kOrdering = LLVM::AtomicOrdering::monotonic;

/// The threads that an array is shared by, in LLVM's words for NVPTX.
StringRef getScope(MemRefType type) {
  return gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type) ? "block"
                                                               : "device";
}

/// An update that memory does: the instruction of LLVM, and the `red`
/// instruction of PTX for a result that is not used, without its memory and the
/// number of its bits; empty if there is none.
struct Update {
  arith::AtomicRMWKind kind;
  LLVM::AtomicBinOp instruction;
  StringRef reduction = "";
};

const Update *findUpdate(arith::AtomicRMWKind kind) {
  using arith::AtomicRMWKind;
  using LLVM::AtomicBinOp;
  static constexpr Update updates[] = {
      {AtomicRMWKind::addf, AtomicBinOp::fadd, "add.f"},
      {AtomicRMWKind::addi, AtomicBinOp::add, "add.u"},
      {AtomicRMWKind::andi, AtomicBinOp::_and, "and.b"},
      {AtomicRMWKind::assign, AtomicBinOp::xchg},
      {AtomicRMWKind::maximumf, AtomicBinOp::fmaximum},
      {AtomicRMWKind::maxnumf, AtomicBinOp::fmax},
      {AtomicRMWKind::maxs, AtomicBinOp::max, "max.s"},
      {AtomicRMWKind::maxu, AtomicBinOp::umax, "max.u"},
      {AtomicRMWKind::minimumf, AtomicBinOp::fminimum},
      {AtomicRMWKind::minnumf, AtomicBinOp::fmin},
      {AtomicRMWKind::mins, AtomicBinOp::min, "min.s"},
      {AtomicRMWKind::minu, AtomicBinOp::umin, "min.u"},
      {AtomicRMWKind::ori, AtomicBinOp::_or, "or.b"},
      {AtomicRMWKind::xori, AtomicBinOp::_xor, "xor.b"}};
  const Update *found = llvm::find_if(
      updates, [&](const Update &update) { return update.kind == kind; });
  return found == std::end(updates) ? nullptr : found;
}

/// The integer type that an element of an LLVM type has in memory.
IntegerType getMemoryType(Type type) {
  unsigned bits = std::max(8u, type.getIntOrFloatBitWidth());
  return IntegerType::get(type.getContext(), bits);
}

Value toMemory(OpBuilder &builder, Location loc, Value value) {
  IntegerType type = getMemoryType(value.getType());
  if (value.getType() == type)
    return value;
  if (isa<IntegerType>(value.getType()))
    return LLVM::ZExtOp::create(builder, loc, type, value);
  return LLVM::BitcastOp::create(builder, loc, type, value);
}

Value fromMemory(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (isa<IntegerType>(type))
    return LLVM::TruncOp::create(builder, loc, type, value);
  return LLVM::BitcastOp::create(builder, loc, type, value);
}

Value buildAtomicLoad(OpBuilder &builder, Location loc, Value pointer,
                      IntegerType type, StringRef scope) {
  return LLVM::LoadOp::create(builder, loc, type, pointer, type.getWidth() / 8,
                              /*isVolatile=*/false,
                              /*isNonTemporal=*/false, /*isInvariant=*/false,
                              /*isInvariantGroup=*/false, kOrdering, scope);
}

/// Replaces `op` by a loop that computes the new value from the old one by
/// `compute` until no other thread came in between, and `op`'s result by the
/// old value.
void rewriteAsLoop(Operation *op, Value pointer, Type type, StringRef scope,
                   ConversionPatternRewriter &rewriter,
                   function_ref<Value(Value)> compute) {
  Location loc = op->getLoc();
  IntegerType memoryType = getMemoryType(type);
  Block *before = op->getBlock();
  Block *after = rewriter.splitBlock(before, Block::iterator(op));
  Block *loop = rewriter.createBlock(after, memoryType, loc);

  rewriter.setInsertionPointToEnd(before);
  Value first = buildAtomicLoad(rewriter, loc, pointer, memoryType, scope);
  LLVM::BrOp::create(rewriter, loc, first, loop);

  rewriter.setInsertionPointToStart(loop);
  Value expected = loop->getArgument(0);
  Value value = compute(fromMemory(rewriter, loc, expected, type));
  Value exchange = LLVM::AtomicCmpXchgOp::create(
      rewriter, loc, pointer, expected, toMemory(rewriter, loc, value),
      kOrdering, kOrdering, scope);
  Value found = LLVM::ExtractValueOp::create(rewriter, loc, exchange, 0);
  Value done = LLVM::ExtractValueOp::create(rewriter, loc, exchange, 1);
  LLVM::CondBrOp::create(rewriter, loc, done, after, ValueRange(), loop,
                         ValueRange(found));

  rewriter.setInsertionPointToStart(after);
  rewriter.replaceOp(op, fromMemory(rewriter, loc, found, type));
}

/// True for (a view of) an argument, in kernels global memory. Loops do not
/// carry memory there, and the block of the argument may be replaced already.
bool isArgument(Value memory) {
  while (auto view = memory.getDefiningOp<memref::ReinterpretCastOp>())
    memory = view.getSource();
  return isa<BlockArgument>(memory);
}

struct AtomicRMWPattern : ConvertOpToLLVMPattern<memref::AtomicRMWOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(memref::AtomicRMWOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MemRefType memory = op.getMemRefType();
    Value operand = adaptor.getValue();
    Type type = operand.getType();
    if (type.getIntOrFloatBitWidth() > 64)
      return rewriter.notifyMatchFailure(op, "wider than 64 bits");
    Value pointer = getStridedElementPtr(
        rewriter, loc, memory, adaptor.getMemref(), adaptor.getIndices());
    StringRef scope = getScope(memory);
    IntegerType memoryType = getMemoryType(type);

    if (isAtomicLoad(op)) {
      Value value = buildAtomicLoad(rewriter, loc, pointer, memoryType, scope);
      rewriter.replaceOp(op, fromMemory(rewriter, loc, value, type));
      return success();
    }

    // Of the operations on bits only those in which the upper bits of a byte do
    // not matter have an instruction.
    const Update *update = findUpdate(op.getKind());
    bool isBit = type.isInteger(1);
    if (isBit && !llvm::is_contained(
                     {arith::AtomicRMWKind::andi, arith::AtomicRMWKind::ori,
                      arith::AtomicRMWKind::xori, arith::AtomicRMWKind::assign},
                     op.getKind()))
      update = nullptr;
    bool isShared = scope == "block";
    unsigned bits = type.getIntOrFloatBitWidth();
    if (update && !update->reduction.empty() && (bits == 32 || bits == 64) &&
        op->use_empty() && (isShared || isArgument(op.getMemref()))) {
      std::string code = "red.relaxed." +
                         std::string(isShared ? "cta.shared." : "gpu.global.") +
                         update->reduction.str() + std::to_string(bits) +
                         " [$0], $1;";
      bool isFloat = isa<FloatType>(type);
      bool isWide = bits == 64;
      std::string constraints =
          std::string("l,") +
          (isFloat ? (isWide ? "d" : "f") : (isWide ? "l" : "r")) +
          ",~{memory}";
      auto space = LLVM::LLVMPointerType::get(getContext(), isShared ? 3 : 1);
      if (pointer.getType() != space)
        pointer = LLVM::AddrSpaceCastOp::create(rewriter, loc, space, pointer);
      LLVM::InlineAsmOp::create(
          rewriter, loc, TypeRange(), ValueRange{pointer, operand},
          rewriter.getStringAttr(code), rewriter.getStringAttr(constraints),
          rewriter.getUnitAttr(), UnitAttr(),
          LLVM::TailCallKindAttr::get(getContext(),
                                      LLVM::tailcallkind::TailCallKind::None),
          LLVM::AsmDialectAttr(), ArrayAttr());
      rewriter.eraseOp(op);
      return success();
    }
    if (update) {
      if (isBit)
        operand = toMemory(rewriter, loc, operand);
      Value old = LLVM::AtomicRMWOp::create(rewriter, loc, update->instruction,
                                            pointer, operand, kOrdering, scope);
      if (isBit)
        old = fromMemory(rewriter, loc, old, type);
      rewriter.replaceOp(op, old);
      return success();
    }
    rewriteAsLoop(op, pointer, type, scope, rewriter, [&](Value old) -> Value {
      return combine(rewriter, loc, op.getKind(), old, operand);
    });
    return success();
  }

private:
  static Value combine(OpBuilder &builder, Location loc,
                       arith::AtomicRMWKind kind, Value old, Value operand) {
    using arith::AtomicRMWKind;
    auto select = [&](LLVM::ICmpPredicate predicate) -> Value {
      Value first = LLVM::ICmpOp::create(builder, loc, predicate, old, operand);
      return LLVM::SelectOp::create(builder, loc, first, old, operand);
    };
    switch (kind) {
    case AtomicRMWKind::mulf:
      return LLVM::FMulOp::create(builder, loc, old, operand);
    case AtomicRMWKind::muli:
      return LLVM::MulOp::create(builder, loc, old, operand);
    case AtomicRMWKind::addi:
      return LLVM::AddOp::create(builder, loc, old, operand);
    case AtomicRMWKind::maxs:
      return select(LLVM::ICmpPredicate::sgt);
    case AtomicRMWKind::mins:
      return select(LLVM::ICmpPredicate::slt);
    case AtomicRMWKind::maxu:
      return select(LLVM::ICmpPredicate::ugt);
    case AtomicRMWKind::minu:
      return select(LLVM::ICmpPredicate::ult);
    default:
      llvm_unreachable("has an instruction for every type");
    }
  }
};

struct GenericAtomicRMWPattern
    : ConvertOpToLLVMPattern<memref::GenericAtomicRMWOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(memref::GenericAtomicRMWOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto memory = cast<MemRefType>(op.getMemref().getType());
    Type type = getTypeConverter()->convertType(memory.getElementType());
    if (!type || type.getIntOrFloatBitWidth() > 64)
      return rewriter.notifyMatchFailure(op, "wider than 64 bits");
    Value pointer = getStridedElementPtr(
        rewriter, loc, memory, adaptor.getMemref(), adaptor.getIndices());
    rewriteAsLoop(
        op, pointer, type, getScope(memory), rewriter, [&](Value old) -> Value {
          // The body is not converted yet, so its operand and its result have
          // the element type of the memref.
          Type element = memory.getElementType();
          auto cast = [&](Value value, Type to) -> Value {
            if (value.getType() == to)
              return value;
            return UnrealizedConversionCastOp::create(rewriter, loc, to, value)
                .getResult(0);
          };
          IRMapping mapping;
          mapping.map(op.getCurrentValue(), cast(old, element));
          for (Operation &nested : op.getBody()->without_terminator())
            rewriter.clone(nested, mapping);
          Value result = mapping.lookupOrDefault(
              op.getBody()->getTerminator()->getOperand(0));
          return cast(result, type);
        });
    return success();
  }
};
} // namespace

bool isAtomicLoad(memref::AtomicRMWOp op) {
  return op.getKind() == arith::AtomicRMWKind::ori &&
         matchPattern(op.getValue(), m_Zero());
}

void populateAtomicsToNVVMPatterns(const LLVMTypeConverter &converter,
                                   RewritePatternSet &patterns) {
  patterns.add<AtomicRMWPattern, GenericAtomicRMWPattern>(converter, kBenefit);
}

} // namespace mlir::obs

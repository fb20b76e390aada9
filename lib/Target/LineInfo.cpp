//===- LineInfo.cpp - The lines of a program in its kernels ---------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM emits a line only for an operation in a subprogram, whose file it uses.
// So each kernel becomes a subprogram, and an operation from another file gets
// a scope in its own file. Upstream's `ensure-debug-info-scope-on-llvm-func`
// would assign the lines of all files to the file of the kernel.
//
//===----------------------------------------------------------------------===//

#include "EmitPTX.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;

static LLVM::DIFileAttr getFile(MLIRContext *context, StringRef path) {
  SmallString<128> absolute(path);
  // Without a current directory, the path stays relative.
  (void)llvm::sys::fs::make_absolute(absolute);
  return LLVM::DIFileAttr::get(context, llvm::sys::path::filename(absolute),
                               llvm::sys::path::parent_path(absolute));
}

/// The innermost location in a file that `loc` contains. An inlined operation
/// has the location in its original function.
static FileLineColLoc findPlace(Location loc) {
  return loc->findInstanceOf<FileLineColLoc>();
}

/// Puts `kernel` and its operations into scopes.
static void addScopes(LLVM::LLVMFuncOp kernel) {
  FileLineColLoc place = findPlace(kernel.getLoc());
  if (!place)
    return;
  MLIRContext *context = kernel.getContext();
  LLVM::DIFileAttr file = getFile(context, place.getFilename());
  auto unique = [&] { return DistinctAttr::create(UnitAttr::get(context)); };
  auto unit = LLVM::DICompileUnitAttr::get(
      unique(), llvm::dwarf::DW_LANG_C, file,
      StringAttr::get(context, "Obsidian"), /*isOptimized=*/true,
      LLVM::DIEmissionKind::DebugDirectivesOnly);
  auto type =
      LLVM::DISubroutineTypeAttr::get(context, llvm::dwarf::DW_CC_normal,
                                      /*types=*/{});
  auto kernelScope = LLVM::DISubprogramAttr::get(
      context, unique(), unit, file, kernel.getNameAttr(), kernel.getNameAttr(),
      file, place.getLine(), place.getLine(),
      LLVM::DISubprogramFlags::Definition | LLVM::DISubprogramFlags::Optimized,
      type, /*retainedNodes=*/{}, /*annotations=*/{});
  kernel->setLoc(FusedLoc::get({place}, kernelScope, context));
  kernel.getBody().walk([&](Operation *op) {
    FileLineColLoc line = findPlace(op->getLoc());
    if (!line) {
      op->setLoc(UnknownLoc::get(context));
      return;
    }
    LLVM::DILocalScopeAttr scope = kernelScope;
    if (line.getFilename() != place.getFilename())
      scope = LLVM::DILexicalBlockFileAttr::get(
          kernelScope, getFile(context, line.getFilename()),
          /*discriminator=*/0);
    op->setLoc(FusedLoc::get({line}, scope, context));
  });
}

void obs::detail::addLineInfo(gpu::GPUModuleOp nvvmModule) {
  for (auto kernel : nvvmModule.getOps<LLVM::LLVMFuncOp>())
    if (!kernel.isExternal())
      addScopes(kernel);
}

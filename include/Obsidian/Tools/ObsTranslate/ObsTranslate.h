//===- ObsTranslate.h - The tool that translates programs -------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TOOLS_OBSTRANSLATE_OBSTRANSLATE_H
#define OBSIDIAN_TOOLS_OBSTRANSLATE_OBSTRANSLATE_H

#include "Obsidian/RegisterAll.h"

namespace mlir::obs {

/// Adds dialects to a registry.
using RegisterDialectsFn = void (*)(DialectRegistry &);

/// Registers the translations of `obs-translate` and their options with
/// upstream's translation tool. The translations `--obs-to-...` take programs
/// over arrays, which they lower by `obs-to-gpu`, and modules that are already
/// lowered. `--dag-to-...` take Dag programs. `registerDialects` adds the
/// dialects that programs may use.
void registerObsTranslations(
    RegisterDialectsFn registerDialects = registerAllDialects);

} // namespace mlir::obs

#endif // OBSIDIAN_TOOLS_OBSTRANSLATE_OBSTRANSLATE_H

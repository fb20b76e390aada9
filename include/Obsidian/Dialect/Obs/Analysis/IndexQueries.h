//===- IndexQueries.h - What passes ask of index maps -*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_ANALYSIS_INDEXQUERIES_H
#define OBSIDIAN_DIALECT_OBS_ANALYSIS_INDEXQUERIES_H

#include "Obsidian/Dialect/Obs/Analysis/IndexBijections.h"
#include "Obsidian/Dialect/Obs/Analysis/IndexRelations.h"
#include "Obsidian/Dialect/Obs/Analysis/LanePatterns.h"
#include "Obsidian/Dialect/Obs/Analysis/MemoryCosts.h"

#endif // OBSIDIAN_DIALECT_OBS_ANALYSIS_INDEXQUERIES_H

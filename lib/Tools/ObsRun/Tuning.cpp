//===- Tuning.cpp - Options that a search has found -----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `python/obsidian/tuning.py` writes the file.
//
//===----------------------------------------------------------------------===//

#include "Tuning.h"
#include "Obsidian/Tools/Inputs.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SHA256.h"
#include <cstdlib>

using namespace mlir;
using namespace mlir::obs::run;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

namespace {
struct Entry {
  int64_t threads = 0, blocks = 0;
  bool tiles = true, plain = false;
};
} // namespace

static bool fromJSON(const llvm::json::Value &value, Entry &entry,
                     llvm::json::Path path) {
  llvm::json::ObjectMapper map(value, path);
  return map && map.mapOptional("threads", entry.threads) &&
         map.mapOptional("blocks", entry.blocks) &&
         map.mapOptional("tiles", entry.tiles) &&
         map.mapOptional("plain", entry.plain) && entry.threads >= 0 &&
         entry.threads <= 1024 && entry.blocks >= 0;
}

Error mlir::obs::run::applyTuning(StringRef text, Options &options) {
  const char *place = std::getenv("OBS_TUNED");
  if (!place || !*place)
    return Error::success();
  if (!llvm::sys::fs::exists(place))
    return Error::success();
  auto file = readInput(place);
  if (!file)
    return createStringError("OBS_TUNED: " + llvm::toString(file.takeError()));
  auto refuse = [&] {
    return createStringError(
        StringRef(place) +
        " is no file of tuned programs; OBS_TUNED names a file that "
        "'python -m obsidian tune' has written");
  };
  Expected<llvm::json::Value> table = llvm::json::parse((*file)->getBuffer());
  if (!table) {
    llvm::consumeError(table.takeError());
    return refuse();
  }
  const llvm::json::Object *entries = table->getAsObject();
  if (!entries)
    return refuse();
  std::string digest =
      llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)),
                  /*LowerCase=*/true);
  const llvm::json::Value *found = entries->get(digest);
  if (!found)
    return Error::success();
  Entry entry;
  llvm::json::Path::Root root;
  if (!fromJSON(*found, entry, root))
    return refuse();
  if (!options.threads && entry.threads)
    options.threads = entry.threads;
  if (!options.blocks && entry.blocks)
    options.blocks = entry.blocks;
  options.noTiles |= !entry.tiles;
  options.plainCollectives |= entry.plain;
  return Error::success();
}

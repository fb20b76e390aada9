//===- Artefact.cpp - Compiled programs as data ---------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Artefact/Artefact.h"
#include "Obsidian/Interpreter/Slots.h"

using namespace mlir::obs::artefact;
using llvm::ArrayRef;
using llvm::StringRef;

bool Slot::allows(ArrayRef<int64_t> given) const {
  return interpreter::allowsExtents(extents, bounds, given);
}

void mlir::obs::artefact::walk(ArrayRef<Step> steps,
                               llvm::function_ref<void(const Step &)> visit) {
  for (const Step &step : steps) {
    visit(step);
    for (ArrayRef<Step> body : step.bodies)
      walk(body, visit);
  }
}

/// The JSON object of a parameter in the contract.
static const llvm::json::Object &getParameter(const Kernel &kernel,
                                              unsigned number) {
  return *(*kernel.contract.getArray("parameters"))[number].getAsObject();
}

unsigned Kernel::getNumParameters() const {
  return contract.getArray("parameters")->size();
}

bool Kernel::isArray(unsigned parameter) const {
  return getParameter(*this, parameter).getString("kind") == "pointer";
}

StringRef Kernel::getElementType(unsigned parameter) const {
  return *getParameter(*this, parameter).getString("elementType");
}

uint64_t Kernel::getAlignment(unsigned parameter) const {
  const llvm::json::Object &object = getParameter(*this, parameter);
  uint64_t bytes = object.getInteger("alignment").value_or(1);
  return bytes > getElementBytes(getElementType(parameter)) ? bytes : 1;
}

bool Kernel::onlyWrites(unsigned parameter) const {
  return isArray(parameter) &&
         getParameter(*this, parameter).getString("access") == "write";
}

bool Kernel::waitsForKernels() const {
  return contract.getBoolean("waitsForKernels").value_or(false);
}

const Function *Artefact::findFunction(StringRef name) const {
  auto found =
      llvm::find_if(functions, [&](auto &f) { return f.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

const Kernel *Artefact::findKernel(StringRef name) const {
  auto found = llvm::find_if(kernels, [&](auto &k) { return k.name == name; });
  return found == kernels.end() ? nullptr : &*found;
}

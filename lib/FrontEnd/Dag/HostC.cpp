//===- HostC.cpp - The C function of a Dag program ------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "Obsidian/FrontEnd/Dag/Dag.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::dag;

static const char *const helpers = R"c(
/* Stops the program: a Dag function has no status. */
OBSRT void dag_check(int ok, const char *function, const char *what) {
  if (!ok) {
    fprintf(stderr, "%s: error: %s\n", function, what);
    exit(EXIT_FAILURE);
  }
}

/* A copy of an array of the host, in device memory. */
OBSRT obs_array dag_send(const char *function, const void *from, int64_t size,
                          int rank, const int *dims) {
  obs_array array;
  memset(&array, 0, sizeof(array));
  int64_t bytes = size;
  for (int d = rank; d-- > 0;) {
    dag_check(dims[d] >= 0, function, "an extent is negative");
    array.sizes[d] = dims[d];
    array.strides[d] = bytes / size;
    bytes *= dims[d];
  }
  dag_check(cuMemAlloc(&array.data, bytes ? (size_t)bytes : 1) == CUDA_SUCCESS,
            function, "there is no memory for an argument");
  dag_check(!bytes || cuMemcpyHtoD(array.data, from, (size_t)bytes) == CUDA_SUCCESS,
            function, "an argument cannot be copied");
  return array;
}

/* Copies a result to the host. Only dimension 0 may be shorter than expected. */
OBSRT int dag_receive(const char *function, const obs_array *array, void *to,
                       int64_t size, int rank, const int *dims) {
  int64_t bytes = size;
  for (int d = 0; d < rank; ++d) {
    dag_check(d == 0 ? array->sizes[d] <= dims[d] : array->sizes[d] == dims[d],
              function, "the extents given for the result are not those it has");
    bytes *= array->sizes[d];
  }
  dag_check(!bytes || cuMemcpyDtoH(to, array->data + (CUdeviceptr)(array->offset * size),
                                   (size_t)bytes) == CUDA_SUCCESS,
            function, "the result cannot be copied");
  return (int)array->sizes[0];
}
)c";

static StringRef getCType(Type type) {
  return type.isF32() ? "float" : type.isInteger(1) ? "bool" : "int";
}

static std::string list(const std::string &name, unsigned rank) {
  std::string text;
  for (unsigned d = 0; d < rank; ++d)
    text += (d ? ", " : "") + name + "_dim" + std::to_string(d);
  return text;
}

/// The name of component `number` of an array.
static std::string getPart(const std::string &name, PullType type,
                           unsigned number) {
  return type.getElementTypes().size() > 1 ? name + "_" + std::to_string(number)
                                           : name;
}

void mlir::obs::dag::printHostFunction(ModuleOp module, raw_ostream &os) {
  auto function = *module.getOps<func::FuncOp>().begin();
  std::string name = ("dag_" + function.getName()).str();
  std::string call, before, after, outputs, inputs, lengths, extents, returned;
  auto add = [](std::string &to, const Twine &what) {
    to += (to.empty() ? "" : ", ") + what.str();
  };
  std::string freed, kept;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    std::string param =
        getArgAttr<ObsDialect::NameAttrHelper>(function, i).str();
    auto type = dyn_cast<PullType>(function.getArgumentTypes()[i]);
    if (!type) {
      add(inputs, getCType(function.getArgumentTypes()[i]) + " " + param);
      add(call, param);
      continue;
    }
    unsigned rank = type.getExtents().size();
    for (auto [k, element] : llvm::enumerate(type.getElementTypes())) {
      std::string part = getPart(param, type, k);
      add(inputs, "const " + getCType(element) + " *" + part);
      before += "  obs_array d_" + part + " = dag_send(\"" + name + "\", " +
                part + ", sizeof(*" + part + "), " + std::to_string(rank) +
                ", (const int[]){" + list(param, rank) + "});\n";
      add(call, "&d_" + part);
      freed += "  cuMemFree(d_" + part + ".data);\n";
      kept += " && ROOT.data != d_" + part + ".data";
    }
    for (unsigned d = 0; d < rank; ++d)
      add(inputs, "int " + param + "_dim" + std::to_string(d));
  }
  std::string shape, results;
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    std::string result =
        getResultAttr<ObsDialect::NameAttrHelper>(function, i).str();
    auto type = dyn_cast<PullType>(function.getResultTypes()[i]);
    if (!type) {
      std::string cType = getCType(function.getResultTypes()[i]).str();
      if (function.getNumResults() == 1) {
        returned = cType;
        before += "  " + cType + " result;\n";
        add(call, "&result");
      } else {
        add(outputs, cType + " *" + result);
        add(call, result);
      }
      continue;
    }
    unsigned rank = type.getExtents().size();
    bool isLengths = StringRef(result).contains("lengths");
    if (!isLengths)
      shape = result;
    extents.clear();
    for (auto [k, element] : llvm::enumerate(type.getElementTypes())) {
      std::string part = getPart(result, type, k);
      add(outputs, getCType(element) + " *" + part);
      before += "  obs_array d_" + part + ";\n";
      add(call, "&d_" + part);
      after += "  count = dag_receive(\"" + name + "\", &d_" + part + ", " +
               part + ", sizeof(*" + part + "), " + std::to_string(rank) +
               ", (const int[]){" + list(shape, rank) + "});\n";
      std::string condition = kept;
      for (size_t at; (at = condition.find("ROOT")) != std::string::npos;)
        condition.replace(at, 4, "d_" + part);
      results += "  if (d_" + part + ".data" + condition +
                 ")\n    cuMemFree(d_" + part + ".data);\n";
    }
    // The extents follow the pointers to the array and its lengths.
    bool isLast = i + 1 == function.getNumResults() ||
                  !getResultAttr<ObsDialect::NameAttrHelper>(function, i + 1)
                       .getValue()
                       .contains("lengths");
    unsigned full = 0;
    for (unsigned j = 0; j <= i; ++j)
      if (getResultAttr<ObsDialect::NameAttrHelper>(function, j) == shape)
        full = cast<PullType>(function.getResultTypes()[j]).getExtents().size();
    for (unsigned d = 0; isLast && d < full; ++d)
      add(outputs, "int " + shape + "_dim" + std::to_string(d));
  }
  if (!inputs.empty())
    add(outputs, inputs);
  os << helpers << "\n/* The Dag function '" << function.getName()
     << "', on arrays of the host. A context of CUDA is current. The number is "
        "that of the\n"
        " * rows of the result, if that is an array. */\n"
     << (returned.empty() ? "int" : returned) << " " << name << "("
     << (outputs.empty() ? "void" : outputs) << ") {\n"
     << before << (returned.empty() ? "  int count = 0;\n" : "")
     << "  dag_check(obs_" << function.getName() << "(" << call
     << ") == CUDA_SUCCESS, \"" << name << "\", \"the program failed\");\n"
     << after << results << freed << "  return "
     << (returned.empty() ? "count" : "result") << ";\n}\n";
}

//===- Options.cpp - The command line of obs-run --------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This tool has its own parser: `llvm::cl` parses a negative number as an
// option, and its help lists the options of every library.
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <limits>

using namespace mlir;
using namespace mlir::obs::run;

StringRef mlir::obs::run::getHelpText() {
  return R"(obs-run: run a function of an obs program

usage: obs-run PROGRAM.mlir [options] [ARG ...]
       obs-run PROGRAM.dag [options] [ARG ...]

The function needs one ARG for each parameter, in order. An array of tuples
needs one for each of its element types.

  FILE.npy             an array in a NumPy file
  FILE:TYPE            an array in a file of raw little-endian elements, such as
                       data.bin:i32, or data.bin:64x64xf32 with its extents
  zeros:EXTENTSxTYPE   an array of zeros, such as zeros:1024xi32
  iota:EXTENTSxTYPE    an array of 0, 1, 2, ... in row-major order
  random:EXTENTSxTYPE:SEED
                       an array of random bits, or of floats in [0, 1)
  NUMBER               a scalar: 12, -3, 0x1f, true, 0.5, 1e-3, inf, nan

options:
  --entry=NAME         the function to run (default: the only public function,
                       or else main; in a Dag program the last function)
  --device=DEVICE      interpret: run the program without kernels, on the
                         reference interpreter (default)
                       emulate: run its GPU kernels on the emulator
                       cuda: run its GPU kernels on an NVIDIA GPU
  --gpu=N              the GPU to use (default: the environment variable
                       OBS_DEVICE, else 0)
  --threads=N          threads of a block, 1 to 1024
  --blocks=N           blocks of a grid
  --deterministic      exclude strategies of collectives that round floats
                       differently from run to run
  --fp-contract=MODE   fast: compute a product and a sum with one rounding
                       flagged: only operations with the flag contract (default)
  --no-tiles           threads execute one iteration of a loop over the grid
                       at a time, and load one element at a time
  --plain-collectives  collectives have their simplest strategies
  --line-info          the PTX has the file and the line of each instruction,
                       so that a profiler shows the program (device cuda)
  --runtime-checks     also check what only kernels know: extents, lengths of
                       obs.expand, and offsets of segments. The host always
                       checks the other extents
  --out=FILE           write a result to FILE: a NumPy file if the name ends in
                       .npy, or else raw elements. - prints the result. Give the
                       option once for each result, in order. Without it, all
                       results are printed
  --check[=LIST]       checks of the emulator, separated by commas: races
                       (accesses that no barrier orders, elements written twice
                       although the contract is disjoint), uninit (reads of
                       memory that was never written), bounds (accesses outside
                       of an array; always on), all (default of LIST)
  --schedule=ORDER     order in which the emulator runs blocks and threads:
                       ticket (default) or random
  --seed=N             seed of the random order
  --max-iterations=N   limit of the emulator for iterations of loops without a
                       bound, while no thread ends, passes a barrier or changes
                       memory by an atomic operation (default: 2147483648)
  --repeat=N           run N times, each time with the next seed
  --graph              record the launches of the first run as a CUDA graph,
                       and execute the graph in each run
  --time               print the time of each kernel and of each whole run
  --report             print a line for each launch of the last run
  --help, --version
)";
}

namespace {

class Parser {
public:
  explicit Parser(ArrayRef<const char *> arguments) : rest(arguments) {}

  Expected<Options> parse() {
    bool onlyArguments = false;
    while (!rest.empty()) {
      StringRef argument = rest.front();
      rest = rest.drop_front();
      if (onlyArguments || isPositional(argument)) {
        if (options.program.empty())
          options.program = argument.str();
        else
          options.arguments.push_back(argument.str());
        continue;
      }
      if (argument == "--") {
        onlyArguments = true;
        continue;
      }
      if (Error error = parseOption(argument))
        return std::move(error);
    }
    if (Error error = checkTogether())
      return std::move(error);
    return std::move(options);
  }

private:
  /// A name, a number, or the lone minus that stands for standard input.
  static bool isPositional(StringRef argument) {
    if (!argument.consume_front("-") || argument.empty())
      return true;
    return llvm::isDigit(argument.front()) || argument.front() == '.' ||
           argument == "inf" || argument == "nan";
  }

  Error parseOption(StringRef argument) {
    auto [name, value] = argument.split('=');
    bool hasValue = argument.contains('=');
    bool *flag = llvm::StringSwitch<bool *>(name)
                     .Cases({"--help", "-h"}, &options.help)
                     .Case("--version", &options.version)
                     .Case("--time", &options.time)
                     .Case("--report", &options.report)
                     .Case("--graph", &options.graph)
                     .Case("--deterministic", &options.deterministic)
                     .Case("--no-tiles", &options.noTiles)
                     .Case("--plain-collectives", &options.plainCollectives)
                     .Case("--line-info", &options.lineInfo)
                     .Case("--runtime-checks", &options.runtimeChecks)
                     .Default(nullptr);
    if (flag) {
      if (hasValue)
        return createStringError(name + " takes no value");
      *flag = true;
      return Error::success();
    }
    static constexpr StringRef names[] = {
        "--entry",         "--device",   "--gpu",  "--fp-contract",
        "--threads",       "--blocks",   "--out",  "-o",
        "--check",         "--schedule", "--seed", "--repeat",
        "--max-iterations"};
    if (!llvm::is_contained(names, name))
      return createStringError("unknown option '" + name + "'");
    if (!hasValue && name == "--check")
      return setCheck("all");
    if (!hasValue) {
      if (rest.empty())
        return createStringError(name + " needs a value");
      value = rest.front();
      rest = rest.drop_front();
    }
    if (value.empty())
      return createStringError(name + " needs a value");
    return setValue(name, value);
  }

  Error setValue(StringRef name, StringRef value) {
    auto setNumber = [&](uint64_t least, uint64_t most, auto &to) {
      return parseNumber(name, value, least, most, to);
    };
    constexpr uint64_t any = std::numeric_limits<uint64_t>::max();
    if (name == "--entry") {
      value.consume_front("@");
      if (value.empty())
        return createStringError("--entry needs a name");
      options.entry = value.str();
      return Error::success();
    }
    if (name == "--device")
      return setDevice(value);
    if (name == "--gpu")
      return setNumber(0, 1023, options.gpu);
    if (name == "--fp-contract") {
      options.contractsAll = value == "fast";
      return requireWord(name, value, "fast", "flagged");
    }
    if (name == "--threads")
      return setNumber(1, 1024, options.threads);
    if (name == "--blocks")
      return setNumber(1, std::numeric_limits<int32_t>::max(), options.blocks);
    if (name == "--check")
      return setCheck(value);
    if (name == "--schedule") {
      options.randomSchedule = value == "random";
      return requireWord(name, value, "ticket", "random");
    }
    if (name == "--seed")
      return setNumber(0, any, options.seed);
    if (name == "--repeat")
      return setNumber(1, 1000000000, options.repeat);
    if (name == "--max-iterations")
      return setNumber(1, any, options.maxIterations);
    return addOutput(value);
  }

  template <typename T>
  static Error parseNumber(StringRef name, StringRef value, uint64_t least,
                           uint64_t most, T &to) {
    uint64_t number;
    if (value.getAsInteger(0, number))
      return createStringError(name + " needs a number, not '" + value + "'");
    if (number < least || number > most)
      return createStringError(name + " must be from " + Twine(least) + " to " +
                               Twine(most) + ", not " + value);
    to = number;
    return Error::success();
  }

  static Error requireWord(StringRef name, StringRef value, StringRef first,
                           StringRef second) {
    if (value == first || value == second)
      return Error::success();
    return createStringError(name + " must be " + first + " or " + second +
                             ", not '" + value + "'");
  }

  Error setDevice(StringRef value) {
    auto device = llvm::StringSwitch<std::optional<Executor>>(value)
                      .Case("interpret", Executor::Interpret)
                      .Case("emulate", Executor::Emulate)
                      .Case("cuda", Executor::Cuda)
                      .Default(std::nullopt);
    if (!device)
      return createStringError("--device must be interpret, emulate or cuda, "
                               "not '" +
                               value + "'");
    options.device = *device;
    return Error::success();
  }
  Error addOutput(StringRef value) {
    if (value != "-" && value != "/dev/null" &&
        llvm::is_contained(options.outputs, value))
      return createStringError("two results cannot be written to one file, " +
                               value);
    options.outputs.push_back(value.str());
    return Error::success();
  }
  Error setCheck(StringRef value) {
    SmallVector<StringRef> checks;
    value.split(checks, ',');
    for (StringRef check : checks) {
      bool all = check == "all";
      if (!all && check != "races" && check != "bounds" && check != "uninit")
        return createStringError("unknown check '" + check +
                                 "'; there are: races, bounds, uninit, all");
      options.checkBounds |= all || check == "bounds";
      options.checkRaces |= all || check == "races";
      options.checkUninit |= all || check == "uninit";
    }
    return Error::success();
  }
  /// Checks the options against each other.
  Error checkTogether() {
    if (options.help || options.version)
      return Error::success();
    if (options.program.empty())
      return createStringError("no program is given; see obs-run --help");
    bool emulate = options.device == Executor::Emulate;
    if (options.report && options.device == Executor::Interpret)
      return createStringError(
          "--report needs --device=emulate or --device=cuda: the interpreter "
          "launches no kernels");
    if ((options.checkBounds || options.checkRaces || options.checkUninit) &&
        !emulate)
      return createStringError("--check needs --device=emulate");
    if (options.randomSchedule && !emulate)
      return createStringError("--schedule needs --device=emulate");
    if (options.maxIterations && !emulate)
      return createStringError("--max-iterations needs --device=emulate");
    if (options.seed && !options.randomSchedule)
      return createStringError("--seed needs --schedule=random");
    if (options.graph && options.device != Executor::Cuda)
      return createStringError("--graph needs --device=cuda");
    if (options.gpu && options.device != Executor::Cuda)
      return createStringError("--gpu needs --device=cuda");
    if (options.lineInfo && options.device != Executor::Cuda)
      return createStringError("--line-info needs --device=cuda");
    return Error::success();
  }

  ArrayRef<const char *> rest;
  Options options;
};

} // namespace

Expected<Options>
mlir::obs::run::parseOptions(ArrayRef<const char *> arguments) {
  return Parser(arguments).parse();
}

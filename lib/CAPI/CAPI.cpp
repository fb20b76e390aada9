//===- CAPI.cpp - Embed.h from C ------------------------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Embed.h"
#include "mlir/IR/BuiltinTypes.h"
#include "obsidian-c/Compiler.h"
#include "obsidian-c/Runtime.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/ScopedPrinter.h"
#include <cstring>

using namespace mlir;
using namespace mlir::obs;

namespace {
/// A message, or a note of the message before it.
struct FlatMessage {
  const embed::Message *message;
  int64_t parent;
};
} // namespace

struct obs_compiler {
  embed::Compiler compiler;
  /// The messages of the last call.
  std::vector<FlatMessage> messages;
  /// The message of a call that did not reach the compiler.
  embed::Message refusal;

  void addMessages(ArrayRef<embed::Message> from, int64_t parent) {
    for (const embed::Message &message : from) {
      int64_t number = messages.size();
      messages.push_back({&message, parent});
      addMessages(message.notes, number);
    }
  }
  /// The call ends with one error.
  void refuse(const Twine &reason) {
    refusal = {};
    refusal.text = reason.str();
    messages = {{&refusal, -1}};
  }
  void collectMessages() {
    messages.clear();
    addMessages(compiler.getMessages(), -1);
  }
};

struct obs_program {
  obs_compiler &owner;
  std::unique_ptr<embed::Program> program;
};

namespace {
/// The memory of the caller for the allocations of a run.
struct Allocations {
  /// The memory for the next allocation, which has this number of bytes.
  uint64_t allocate(uint64_t bytes) {
    size_t place = 2 * next++;
    if (place < prepared.size() && prepared[place] == bytes)
      if (uint64_t pointer = std::exchange(prepared[place + 1], 0))
        return pointer;
    return call(user, bytes);
  }

  uint64_t (*call)(void *user, uint64_t bytes);
  void *user;
  MutableArrayRef<uint64_t> prepared;
  size_t next = 0;
};
} // namespace

struct obs_executable {
  obs_program &owner;
  std::unique_ptr<Allocations> allocations;
  std::unique_ptr<embed::Executable> executable;
  ArrayRef<embed::Argument> results;

  void begin() {
    results = {};
    allocations->next = 0;
  }
};

static obs_text toText(StringRef text) { return {text.data(), text.size()}; }

/// The members of `given` that the caller knows, and defaults for the others.
/// If `given` has no size, nothing, and a message.
template <typename Options>
static std::optional<Options> readOptions(obs_compiler &compiler,
                                          StringRef name, const Options *given,
                                          Options defaults) {
  if (!given)
    return defaults;
  if (given->size <= sizeof(given->size)) {
    compiler.refuse("the member 'size' of " + name + " is " +
                    Twine(given->size) + ": set it to sizeof(" + name + ")");
    return std::nullopt;
  }
  std::memcpy(&defaults, given, std::min(given->size, sizeof(Options)));
  return defaults;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The types in the order of `obs_type`.
static constexpr struct {
  StringLiteral name;
  Type (*get)(Builder);
} types[] = {{"i1", [](Builder b) -> Type { return b.getI1Type(); }},
             {"i8", [](Builder b) -> Type { return b.getI8Type(); }},
             {"i16", [](Builder b) -> Type { return b.getI16Type(); }},
             {"i32", [](Builder b) -> Type { return b.getI32Type(); }},
             {"i64", [](Builder b) -> Type { return b.getI64Type(); }},
             {"f16", [](Builder b) -> Type { return b.getF16Type(); }},
             {"bf16", [](Builder b) -> Type { return b.getBF16Type(); }},
             {"f32", [](Builder b) -> Type { return b.getF32Type(); }},
             {"f64", [](Builder b) -> Type { return b.getF64Type(); }},
             {"index", [](Builder b) -> Type { return b.getIndexType(); }}};

static Type getType(MLIRContext &context, obs_type type) {
  auto number = static_cast<size_t>(type);
  return number < std::size(types) ? types[number].get(Builder(&context))
                                   : Type();
}

static obs_type getCode(StringRef type) {
  const auto *found = llvm::find_if(
      types, [&](const auto &known) { return known.name == type; });
  assert(found != std::end(types) && "not a type of slots");
  return static_cast<obs_type>(found - types);
}

//===----------------------------------------------------------------------===//
// Compilers and messages
//===----------------------------------------------------------------------===//

uint32_t obs_get_api_version(void) { return OBS_API_VERSION; }

const char *obs_get_version(void) {
  return "Obsidian on LLVM " LLVM_VERSION_STRING;
}

obs_compiler *obs_compiler_create(void) { return new obs_compiler(); }

void obs_compiler_destroy(obs_compiler *compiler) { delete compiler; }

size_t obs_compiler_get_num_messages(const obs_compiler *compiler) {
  return compiler->messages.size();
}

obs_message obs_compiler_get_message(const obs_compiler *compiler,
                                     size_t number) {
  const auto &[message, parent] = compiler->messages[number];
  // In the order of `DiagnosticSeverity`.
  static constexpr obs_severity severities[] = {OBS_NOTE, OBS_WARNING,
                                                OBS_ERROR, OBS_REMARK};
  obs_message result;
  result.severity = severities[static_cast<unsigned>(message->severity)];
  result.parent = parent;
  result.file = toText(message->file);
  result.line = message->line;
  result.column = message->column;
  result.text = toText(message->text);
  return result;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

obs_program *obs_compile(obs_compiler *compiler, const char *text,
                         size_t length, const char *file,
                         const obs_compile_options *options) {
  std::optional<obs_compile_options> read =
      readOptions(*compiler, "obs_compile_options", options, {});
  if (!read)
    return nullptr;
  const obs_compile_options &given = *read;
  embed::CompileOptions compile;
  if (given.entry)
    compile.entry = given.entry;
  if (given.chip)
    compile.chip = given.chip;
  compile.threads = given.threads;
  compile.blocks = given.blocks;
  compile.deterministic = given.flags & OBS_DETERMINISTIC;
  compile.runtimeChecks = given.flags & OBS_RUNTIME_CHECKS;
  compile.keepArraysApart = given.flags & OBS_KEEP_ARRAYS_APART;
  compile.isStableHLO = given.flags & OBS_STABLEHLO;
  compile.tiles = !(given.flags & OBS_NO_TILES);
  compile.plainCollectives = given.flags & OBS_PLAIN_COLLECTIVES;
  auto program = compiler->compiler.compile(StringRef(text, length),
                                            file ? file : "-", compile);
  compiler->collectMessages();
  return program ? new obs_program{*compiler, std::move(program)} : nullptr;
}

obs_program *obs_read(obs_compiler *compiler, const obs_saved_program *saved) {
  std::optional<obs_saved_program> read =
      readOptions(*compiler, "obs_saved_program", saved, {});
  if (!read)
    return nullptr;
  const obs_saved_program &given = *read;
  auto toRef = [](obs_text text) { return StringRef(text.data, text.length); };
  auto program = compiler->compiler.read(
      {toRef(given.contract), toRef(given.ptx), toRef(given.kernels)},
      given.entry ? given.entry : "");
  compiler->collectMessages();
  return program ? new obs_program{*compiler, std::move(program)} : nullptr;
}

void obs_program_destroy(obs_program *program) { delete program; }

obs_status obs_program_show(obs_program *program, obs_form form,
                            obs_text *text) {
  static constexpr embed::Form forms[] = {
      embed::Form::Kernels,  embed::Form::PTX,      embed::Form::Contract,
      embed::Form::HostC,    embed::Form::Cost,     embed::Form::Barriers,
      embed::Form::Races,    embed::Form::CostJSON, embed::Form::BarriersJSON,
      embed::Form::RacesJSON};
  // C has no check of this type.
  size_t number = form;
  if (number >= std::size(forms)) {
    program->owner.refuse("the form is " + Twine(number) + ", and no obs_form");
    return OBS_FAILURE;
  }
  FailureOr<StringRef> shown = program->program->show(forms[number]);
  program->owner.collectMessages();
  if (failed(shown))
    return OBS_FAILURE;
  if (text)
    *text = toText(*shown);
  return OBS_SUCCESS;
}

static obs_slot toSlot(const artefact::Slot &slot) {
  return {getCode(slot.elementType), slot.index,
          slot.isScalar ? -1 : static_cast<int32_t>(slot.extents.size()),
          slot.extents.data(), slot.bounds.data()};
}

size_t obs_program_get_num_parameters(const obs_program *program) {
  return program->program->getParameters().size();
}

obs_slot obs_program_get_parameter(const obs_program *program, size_t number) {
  return toSlot(program->program->getParameters()[number]);
}

size_t obs_program_get_num_results(const obs_program *program) {
  return program->program->getResults().size();
}

obs_slot obs_program_get_result(const obs_program *program, size_t number) {
  return toSlot(program->program->getResults()[number]);
}

//===----------------------------------------------------------------------===//
// Executables
//===----------------------------------------------------------------------===//

obs_executable *obs_load(obs_program *program,
                         const obs_device_options *options) {
  obs_device_options defaults = {};
  defaults.kind = OBS_EMULATOR;
  defaults.index = -1;
  std::optional<obs_device_options> read =
      readOptions(program->owner, "obs_device_options", options, defaults);
  if (!read)
    return nullptr;
  const obs_device_options &given = *read;
  // C has no check of this type.
  int64_t kind = given.kind;
  if (kind < OBS_INTERPRETER || kind > OBS_CUDA) {
    program->owner.refuse("the kind of device is " + Twine(kind) +
                          ", and no obs_device_kind");
    return nullptr;
  }
  embed::DeviceOptions device;
  device.kind = given.kind == OBS_INTERPRETER ? embed::DeviceKind::Interpreter
                : given.kind == OBS_CUDA      ? embed::DeviceKind::Cuda
                                              : embed::DeviceKind::Emulator;
  if (given.index >= 0)
    device.index = given.index;
  device.checkRaces = given.flags & OBS_CHECK_RACES;
  device.checkUninit = given.flags & OBS_CHECK_UNINIT;
  device.randomSchedule = given.flags & OBS_RANDOM_SCHEDULE;
  device.seed = given.seed;
  MutableArrayRef<uint64_t> prepared;
  if (given.prepared)
    prepared = {given.prepared, 2 * given.num_prepared};
  auto allocations = std::make_unique<Allocations>(
      Allocations{given.allocate, given.user, prepared});
  if (given.allocate) {
    device.allocate = [all = allocations.get()](uint64_t bytes) {
      return all->allocate(bytes);
    };
    device.free = [call = given.free, user = given.user](uint64_t pointer) {
      call(user, pointer);
    };
  }
  auto executable = embed::Executable::load(*program->program, device);
  program->owner.collectMessages();
  if (!executable)
    return nullptr;
  return new obs_executable{
      *program, std::move(allocations), std::move(executable), {}};
}

void obs_executable_destroy(obs_executable *executable) { delete executable; }

obs_status obs_run(obs_executable *executable, const obs_value *arguments,
                   size_t num_arguments, void *stream) {
  obs_compiler &compiler = executable->owner.owner;
  executable->begin();
  SmallVector<embed::Argument> given;
  for (const obs_value &value : ArrayRef(arguments, num_arguments)) {
    embed::Argument &argument = given.emplace_back();
    argument.elementType = getType(compiler.compiler.getContext(), value.type);
    if (!argument.elementType) {
      compiler.refuse("argument " + Twine(given.size()) + " has the type " +
                      Twine(static_cast<int64_t>(value.type)) +
                      ", which is no obs_type");
      return OBS_FAILURE;
    }
    argument.isScalar = value.rank < 0;
    if (value.rank > 0)
      argument.extents.assign(value.extents, value.extents + value.rank);
    argument.data = value.data;
  }
  auto results = executable->executable->run(given, stream);
  compiler.collectMessages();
  if (succeeded(results))
    executable->results = *results;
  return failed(results) ? OBS_FAILURE : OBS_SUCCESS;
}

obs_status obs_run_packed(obs_executable *executable, const uint64_t *arguments,
                          uint64_t *results, void *stream) {
  executable->begin();
  LogicalResult done =
      executable->executable->runPacked(arguments, results, stream);
  executable->owner.owner.collectMessages();
  return failed(done) ? OBS_FAILURE : OBS_SUCCESS;
}

obs_value obs_get_result(const obs_executable *executable, size_t number) {
  if (number >= executable->results.size()) {
    executable->owner.owner.refuse(
        "there is no result " + Twine(number) +
        ": the number of results of the last run is " +
        Twine(executable->results.size()));
    return {OBS_I1, -1, nullptr, nullptr};
  }
  const embed::Argument &result = executable->results[number];
  return {getCode(llvm::to_string(result.elementType)),
          result.isScalar ? -1 : static_cast<int32_t>(result.extents.size()),
          result.extents.data(), result.data};
}

obs_text obs_get_output(const obs_executable *executable) {
  return toText(executable->executable->getOutput());
}

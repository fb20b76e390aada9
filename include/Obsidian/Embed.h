//===- Embed.h - The compiler in a program ----------------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles the text of obs programs, reports on them, and runs them on the
// interpreter, the emulator or a GPU. Only one thread at a time may use a
// Compiler, its programs and their executables. Different threads may use
// different compilers at the same time.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_EMBED_H
#define OBSIDIAN_EMBED_H

#include "Obsidian/Artefact/Artefact.h"
#include "Obsidian/Interpreter/Interpreter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir::obs::embed {

/// A diagnostic of the compiler, or an error of a run.
struct Message {
  DiagnosticSeverity severity = DiagnosticSeverity::Error;
  /// Empty and 0 if the location is unknown.
  std::string file;
  unsigned line = 0, column = 0;
  std::string text;
  std::vector<Message> notes;
};

struct CompileOptions {
  /// The function to compile; empty for the only public one, or `main`.
  std::string entry;
  std::string chip = "sm_90";
  /// Threads of a block and blocks of every launch. 0: the compiler chooses.
  int64_t threads = 0, blocks = 0;
  bool deterministic = false;
  /// Threads execute several iterations of a loop over the grid at once.
  bool tiles = true;
  /// Collectives are expanded by the strategies of the option `plain` of
  /// `obs-expand-collectives`.
  bool plainCollectives = false;
  bool runtimeChecks = false;
  /// Arrays do not share memory, so that reads of unwritten memory are found.
  bool keepArraysApart = false;
  /// The text is a program of StableHLO in generic form.
  bool isStableHLO = false;
};

/// A form in which a program can be shown.
enum class Form {
  /// Kernels of the `gpu` dialect, and the host functions that launch them.
  Kernels,
  PTX,
  /// The launch contract, as JSON.
  Contract,
  /// C for the CUDA driver.
  HostC,
  /// The cost report.
  Cost,
  /// An empty text. The messages are the reasons for every barrier.
  Barriers,
  /// An empty text. The messages are proofs or races.
  Races,
  /// The reports as JSON, which docs/Embedding.md describes. The messages are
  /// those of the other forms. Races are no failure.
  CostJSON,
  BarriersJSON,
  RacesJSON
};

class Compiler;
class Executable;

/// A program that was compiled.
class Program {
public:
  ~Program();
  /// One slot for each component of a parameter or result.
  ArrayRef<artefact::Slot> getParameters() const { return entry->parameters; }
  ArrayRef<artefact::Slot> getResults() const { return entry->results; }
  /// The program in another form. The text is valid as long as the program.
  /// Fails with messages of the compiler.
  FailureOr<StringRef> show(Form form);

private:
  friend class Compiler;
  friend class Executable;
  Program(Compiler &compiler, CompileOptions options)
      : compiler(compiler), options(std::move(options)) {}
  LogicalResult initialize(OwningOpRef<ModuleOp> parsed);
  LogicalResult setArtefact(artefact::Artefact made, StringRef name);
  LogicalResult write(Form form, raw_ostream &os);
  /// The text that `show` returns; null with messages.
  const std::string *find(Form form);
  /// The module with the kernels; null with messages.
  ModuleOp getKernels();

  Compiler &compiler;
  CompileOptions options;
  /// Null if the program was read. The kernels are then parsed when they are
  /// needed.
  OwningOpRef<ModuleOp> source, kernels;
  std::shared_ptr<const artefact::Artefact> artefact;
  const artefact::Function *entry = nullptr;
  std::map<Form, std::string> shown;
};

/// A compiled program as texts. If `ptx` is empty, it cannot run on a GPU. If
/// `kernels` is empty, it cannot run on the emulator.
struct SavedProgram {
  StringRef contract, ptx, kernels;
};

/// Compiles programs. Each call that fails leaves messages.
class Compiler {
public:
  Compiler();
  ~Compiler();
  /// Compiles `text`, which `file` names in messages; null with messages.
  std::unique_ptr<Program> compile(StringRef text, StringRef file,
                                   const CompileOptions &options = {});
  /// Compiles a module that was built in the context of this compiler.
  std::unique_ptr<Program> compile(OwningOpRef<ModuleOp> module,
                                   const CompileOptions &options = {});
  /// The program with these forms. Its function is `entry`, or the only one if
  /// `entry` is empty. Only the contract is parsed, and nothing is compiled.
  /// The program has no source, so the interpreter cannot run it, and it has no
  /// reports.
  std::unique_ptr<Program> read(const SavedProgram &saved,
                                StringRef entry = "");
  /// The messages of the last call for this compiler, its programs and
  /// executables.
  ArrayRef<Message> getMessages() const { return messages; }
  /// The context, in which the dialects of programs are loaded.
  MLIRContext &getContext() { return *context; }

private:
  friend class Program;
  friend class Executable;
  /// Collects the diagnostics of one call.
  class Call;
  void addError(llvm::Error error);
  std::unique_ptr<Program> build(OwningOpRef<ModuleOp> module,
                                 const CompileOptions &options);

  std::unique_ptr<MLIRContext> context;
  std::vector<Message> messages;
};

enum class DeviceKind { Interpreter, Emulator, Cuda };

struct DeviceOptions {
  DeviceKind kind = DeviceKind::Emulator;
  /// The number of the GPU. By default that of OBS_DEVICE, or else 0.
  std::optional<int> index;
  /// Checks of the emulator, whose index checks are always on.
  bool checkRaces = false, checkUninit = false;
  bool randomSchedule = false;
  uint64_t seed = 0;
  /// Functions of the caller for memory of a GPU, such as the allocator of a
  /// framework. `allocate` returns an address that is a multiple of 16, or 0 if
  /// there is no memory left. The caller then frees the results.
  std::function<uint64_t(uint64_t bytes)> allocate;
  std::function<void(uint64_t pointer)> free;
};

/// An array, or a scalar, that a run takes or returns.
struct Argument {
  Type elementType;
  bool isScalar = false;
  SmallVector<int64_t, 4> extents;
  /// The elements in row-major order, or the bits of a scalar. Scalars are in
  /// memory of the host. Arrays are in memory of the GPU if the program runs on
  /// one.
  void *data = nullptr;
};

/// A program on a device.
class Executable {
public:
  /// Null with messages of the program's compiler.
  static std::unique_ptr<Executable> load(Program &program,
                                          const DeviceOptions &options = {});
  ~Executable();
  /// Runs the program. The results are valid until the next run, or longer if
  /// the caller has an allocator. On a GPU, all work is enqueued on `stream`, a
  /// `CUstream`, and the host waits only if the program reads an element on the
  /// host. If `stream` is null, the program runs on a separate stream and has
  /// finished when this function returns.
  FailureOr<ArrayRef<Argument>> run(ArrayRef<Argument> arguments,
                                    void *stream = nullptr);
  /// The same on a GPU, with less overhead. Each argument slot is the bits of a
  /// scalar, or the address of an array followed by its extents. The result
  /// slots are written to `results` in the same form.
  LogicalResult runPacked(const uint64_t *arguments, uint64_t *results,
                          void *stream);
  /// The output of the program in the last run.
  StringRef getOutput() const { return output; }

private:
  struct OnDevice;
  explicit Executable(Program &program);
  llvm::Error verifyArguments(ArrayRef<Argument> arguments);
  llvm::Error interpret(ArrayRef<Argument> arguments);
  llvm::Error emulate(ArrayRef<Argument> arguments);
  llvm::Error runOnGPU(ArrayRef<Argument> arguments, void *stream);
  llvm::Error runWords(const uint64_t *arguments, uint64_t *found,
                       void *stream);
  void setResults(std::vector<interpreter::HostValue> values);

  Program &program;
  std::unique_ptr<OnDevice> device;
  std::vector<interpreter::HostValue> values;
  std::vector<Argument> results;
  std::string output;
};

} // namespace mlir::obs::embed

#endif // OBSIDIAN_EMBED_H

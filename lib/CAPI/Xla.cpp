//===- Xla.cpp - Programs as foreign functions of XLA ---------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "obsidian-c/Xla.h"
#include "Obsidian/Embed.h"
#include "Obsidian/Runtime/CudaDriver.h"
#include "Obsidian/Runtime/HostProgram.h"
#include "XlaFrame.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>
#include <mutex>

using namespace mlir;
using namespace mlir::obs;
using artefact::Slot;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
namespace cuda = runtime::cuda;

//===----------------------------------------------------------------------===//
// Buffers and numbers
//===----------------------------------------------------------------------===//

static ArrayRef<int64_t> getExtents(const xla::Buffer &buffer) {
  return ArrayRef(buffer.extents, buffer.rank);
}

static uint64_t getBytes(const xla::Buffer &buffer) {
  uint64_t bytes = xla::getElementBytes(buffer.type);
  for (int64_t extent : getExtents(buffer))
    bytes *= extent;
  return bytes;
}

static unsigned getElementBytes(const Slot &slot) {
  return artefact::getElementBytes(slot.elementType);
}

/// The extents that the program has for a buffer.
static SmallVector<int64_t, 4> getExtents(const xla::Buffer &buffer,
                                          const Slot &slot) {
  if (buffer.rank == 0 && !slot.isScalar)
    return SmallVector<int64_t, 4>(slot.extents.size(), 1);
  return SmallVector<int64_t, 4>(getExtents(buffer));
}

/// `(3, 4)`, as Python spells extents.
static std::string spell(ArrayRef<int64_t> extents) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "(";
  llvm::interleaveComma(extents, os);
  os << (extents.size() == 1 ? ",)" : ")");
  return text;
}

static const llvm::fltSemantics *getSemantics(xla::Type type) {
  return type == xla::F16    ? &llvm::APFloat::IEEEhalf()
         : type == xla::BF16 ? &llvm::APFloat::BFloat()
         : type == xla::F32  ? &llvm::APFloat::IEEEsingle()
         : type == xla::F64  ? &llvm::APFloat::IEEEdouble()
                             : nullptr;
}

/// The bits of a scalar of the program that XLA has in a buffer with elements
/// of `from`. A float of another type is rounded. An integer of another length
/// must fit.
static Expected<uint64_t> readNumber(const Slot &slot, Type to, xla::Type from,
                                     const void *data) {
  unsigned bits = 8 * xla::getElementBytes(from);
  unsigned wanted = 8 * getElementBytes(slot);
  uint64_t read = 0;
  std::memcpy(&read, data, bits / 8);
  const llvm::fltSemantics *semantics = getSemantics(from);
  if (bits == 0 || bool(semantics) != isa<FloatType>(to))
    return createStringError(slot.name + " is " + slot.elementType +
                             ", and XLA has a number of another kind");
  if (auto type = dyn_cast<FloatType>(to)) {
    llvm::APFloat value(*semantics, llvm::APInt(bits, read));
    bool losesInfo;
    value.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return value.bitcastToAPInt().getZExtValue();
  }
  if (bits == wanted)
    return read;
  bool isSigned = xla::isSigned(from);
  int64_t value = isSigned ? llvm::SignExtend64(read, bits) : read;
  if (wanted < 64 && !(isSigned ? llvm::isIntN(wanted, value)
                                : llvm::isUIntN(wanted - 1, read)))
    return createStringError(slot.name + ": " + Twine(value) +
                             " is out of the range of " + slot.elementType);
  return uint64_t(value) & llvm::maskTrailingOnes<uint64_t>(wanted);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
/// The attributes of a call.
struct Attributes {
  StringRef program;
  /// The bits of scalars, by the parameter slot.
  SmallVector<std::pair<unsigned, uint64_t>, 4> numbers;

  explicit Attributes(const xla::Attributes &given) {
    for (int64_t i = 0; i < given.count; ++i) {
      StringRef name(given.names[i]->data, given.names[i]->length);
      if (name == "program") {
        const auto *text = static_cast<const xla::Text *>(given.values[i]);
        program = StringRef(text->data, text->length);
      }
      unsigned slot = 0;
      if (!name.consume_front("number_") || name.getAsInteger(10, slot))
        continue;
      uint64_t bits = 0;
      const auto *scalar = static_cast<const xla::Scalar *>(given.values[i]);
      std::memcpy(&bits, scalar->value, sizeof(bits));
      numbers.push_back({slot, bits});
    }
  }
};

/// One parameter of a call: a buffer, or the bits of a scalar.
struct Item {
  const xla::Buffer *buffer = nullptr;
  uint64_t bits = 0;
};

/// A program on the host, or on one GPU. It has a compiler of its own, so that
/// it does not wait for calls of other programs.
class Instance {
public:
  Instance(obs_xla_source source, void *user, std::optional<int> gpu)
      : source(source), user(user), gpu(gpu) {}
  /// `stream` is of the GPU. Waits for other threads.
  Error run(const xla::Frame &frame, const Attributes &attributes,
            cuda::Stream stream) {
    std::lock_guard<std::mutex> lock(mutex);
    if (!executable)
      if (Error error = load())
        return error;
    return gpu ? runOnGPU(frame, attributes, stream)
               : runOnHost(frame, attributes);
  }

private:
  /// Memory of XLA that the program has now.
  struct Block {
    uint64_t pointer;
    /// 0 if it is the buffer of a result.
    uint64_t bytes;
    /// The number of allocations of the run before this one.
    unsigned number;
  };

  Error load();
  Error runOnHost(const xla::Frame &frame, const Attributes &attributes);
  Error runOnGPU(const xla::Frame &frame, const Attributes &attributes,
                 cuda::Stream stream);
  Error takeMessages();
  Expected<SmallVector<Item>> collect(const xla::Frame &frame,
                                      const Attributes &attributes);
  uint64_t allocate(uint64_t bytes);
  uint64_t allocateScratch(uint64_t bytes);
  void free(uint64_t pointer);
  Error moveResults(ArrayRef<uint64_t> words, cuda::Stream stream);

  const obs_xla_source source;
  void *const user;
  const std::optional<int> gpu;
  std::mutex mutex;
  embed::Compiler compiler;
  std::unique_ptr<embed::Program> program;
  std::unique_ptr<embed::Executable> executable;
  const cuda::Driver *driver = nullptr;

  /// The call that runs.
  const xla::Frame *frame = nullptr;
  SmallVector<Block> blocks;
  unsigned numAllocated = 0;
  /// Most programs allocate in the same order in each run. So an allocation
  /// that became a result gets the buffer of this result in the next run. If
  /// the order has changed, the result is in other memory and is copied.
  llvm::DenseMap<unsigned, unsigned> resultOfAllocation;
};
} // namespace

/// The messages of the compiler as one error.
Error Instance::takeMessages() {
  std::string text;
  for (const embed::Message &message : compiler.getMessages()) {
    if (!text.empty())
      text += '\n';
    if (!message.file.empty() && message.line)
      text += message.file + ":" + std::to_string(message.line) + ":" +
              std::to_string(message.column) + ": ";
    text += message.text;
    for (const embed::Message &note : message.notes)
      text += "\n  " + note.text;
  }
  return createStringError(text);
}

Error Instance::load() {
  std::string failure;
  if (gpu && !(driver = cuda::Driver::get(failure)))
    return createStringError(failure);
  obs_saved_program saved = {};
  saved.size = sizeof(saved);
  if (const char *reason = source(user, gpu ? OBS_CUDA : OBS_EMULATOR, &saved))
    return createStringError(reason);
  auto toRef = [](obs_text text) { return StringRef(text.data, text.length); };
  program = compiler.read(
      {toRef(saved.contract), toRef(saved.ptx), toRef(saved.kernels)},
      saved.entry ? saved.entry : "");
  if (!program)
    return takeMessages();
  embed::DeviceOptions device;
  if (gpu) {
    device.kind = embed::DeviceKind::Cuda;
    device.index = gpu;
    device.allocate = [this](uint64_t bytes) { return allocate(bytes); };
    device.free = [this](uint64_t pointer) { free(pointer); };
  }
  executable = embed::Executable::load(*program, device);
  return executable ? Error::success() : takeMessages();
}

/// The parameters of the program.
Expected<SmallVector<Item>> Instance::collect(const xla::Frame &frame,
                                              const Attributes &attributes) {
  ArrayRef<Slot> slots = program->getParameters();
  SmallVector<Item> items(slots.size());
  for (auto [slot, bits] : attributes.numbers)
    if (slot < slots.size())
      items[slot].bits = bits;
  int64_t next = 0;
  for (auto [number, slot, item] : llvm::enumerate(slots, items)) {
    if (llvm::is_contained(llvm::make_first_range(attributes.numbers), number))
      continue;
    if (next++ >= frame.arguments.count)
      continue;
    item.buffer = frame.arguments.buffers[next - 1];
    if (!slot.isScalar &&
        xla::getElementBytes(item.buffer->type) != getElementBytes(slot))
      return createStringError(
          "the elements of " + slot.name + " are " + slot.elementType +
          ", and an element of XLA has " +
          Twine(xla::getElementBytes(item.buffer->type)) + " bytes");
  }
  if (next != frame.arguments.count ||
      frame.results.count != int64_t(program->getResults().size()))
    return createStringError(
        "the program has " + Twine(next) + " arguments and " +
        Twine(program->getResults().size()) + " results, and the call has " +
        Twine(frame.arguments.count) + " and " + Twine(frame.results.count));
  return items;
}

/// Refuses the buffer of a result that has other extents.
static Error checkResult(const xla::Buffer &buffer, const Slot &slot,
                         ArrayRef<int64_t> found) {
  if (getExtents(buffer, slot) == found &&
      xla::getElementBytes(buffer.type) == getElementBytes(slot))
    return Error::success();
  return createStringError("a result has the extents " + spell(found) +
                           ", not " + spell(getExtents(buffer)));
}

Error Instance::runOnHost(const xla::Frame &frame,
                          const Attributes &attributes) {
  Expected<SmallVector<Item>> items = collect(frame, attributes);
  if (!items)
    return items.takeError();
  SmallVector<embed::Argument> arguments;
  for (auto [slot, item] : llvm::zip_equal(program->getParameters(), *items)) {
    embed::Argument &argument = arguments.emplace_back();
    argument.elementType =
        runtime::getScalarType(compiler.getContext(), slot.elementType);
    argument.isScalar = slot.isScalar;
    argument.data = &item.bits;
    if (!item.buffer)
      continue;
    if (!slot.isScalar) {
      argument.extents = getExtents(*item.buffer, slot);
      argument.data = item.buffer->data;
      continue;
    }
    Expected<uint64_t> bits = readNumber(slot, argument.elementType,
                                         item.buffer->type, item.buffer->data);
    if (!bits)
      return bits.takeError();
    item.bits = *bits;
  }
  auto results = executable->run(arguments);
  llvm::outs() << executable->getOutput();
  llvm::outs().flush();
  if (failed(results))
    return takeMessages();
  for (auto [number, slot, result] :
       llvm::enumerate(program->getResults(), *results)) {
    const xla::Buffer &buffer = *frame.results.buffers[number];
    if (Error error = checkResult(buffer, slot, result.extents))
      return error;
    if (uint64_t bytes = getBytes(buffer))
      std::memcpy(buffer.data, result.data, bytes);
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Memory of a GPU
//===----------------------------------------------------------------------===//

static void destroy(const xla::Frame &frame, void *error) {
  xla::Destroyed destroyed = {sizeof(destroyed), nullptr, error};
  frame.api->destroyError(&destroyed);
}

uint64_t Instance::allocateScratch(uint64_t bytes) {
  // XLA refuses more than 16, and its allocator of a GPU aligns to 256.
  constexpr size_t alignment = 16;
  xla::Allocation memory = {sizeof(memory), nullptr,   frame->context,
                            bytes,          alignment, nullptr};
  if (void *error = frame->api->allocate(&memory)) {
    destroy(*frame, error);
    return 0;
  }
  return reinterpret_cast<uintptr_t>(memory.data);
}

uint64_t Instance::allocate(uint64_t bytes) {
  unsigned number = numAllocated++;
  auto found = resultOfAllocation.find(number);
  if (found != resultOfAllocation.end()) {
    const xla::Buffer &buffer = *frame->results.buffers[found->second];
    auto pointer = reinterpret_cast<uintptr_t>(buffer.data);
    auto isSame = [&](const Block &block) { return block.pointer == pointer; };
    if (pointer && bytes <= getBytes(buffer) && llvm::none_of(blocks, isSame)) {
      blocks.push_back({pointer, 0, number});
      return pointer;
    }
  }
  if (uint64_t pointer = allocateScratch(bytes))
    return blocks.emplace_back(Block{pointer, bytes, number}).pointer;
  return 0;
}

void Instance::free(uint64_t pointer) {
  Block *block = llvm::find_if(
      blocks, [&](const Block &block) { return block.pointer == pointer; });
  assert(block != blocks.end() && "not memory of this run");
  if (block->bytes) {
    xla::Deallocation memory = {sizeof(memory), nullptr, frame->context,
                                block->bytes,
                                reinterpret_cast<void *>(pointer)};
    if (void *error = frame->api->free(&memory))
      destroy(*frame, error);
  }
  blocks.erase(block);
}

/// Copies results that are not in the buffers of XLA, such as arguments.
Error Instance::moveResults(ArrayRef<uint64_t> words, cuda::Stream stream) {
  struct Move {
    uint64_t target, source, bytes;
  };
  SmallVector<Move> moves;
  auto check = [&](cuda::Result result, StringRef doing) -> Error {
    if (result == cuda::Success)
      return Error::success();
    return createStringError(doing + ": " + driver->describe(result));
  };
  for (auto [number, slot] : llvm::enumerate(program->getResults())) {
    const xla::Buffer &buffer = *frame->results.buffers[number];
    const uint64_t &word = words.front();
    words = words.drop_front();
    SmallVector<int64_t, 4> extents(words.take_front(slot.extents.size()));
    words = words.drop_front(slot.extents.size());
    if (Error error = checkResult(buffer, slot, extents))
      return error;
    auto target = reinterpret_cast<uintptr_t>(buffer.data);
    uint64_t bytes = getBytes(buffer);
    if (slot.isScalar) {
      if (Error error =
              check(driver->memcpyHtoDAsync(target, &word, bytes, stream),
                    "writing a number to the GPU"))
        return error;
      continue;
    }
    for (const Block &block : blocks)
      if (block.pointer == word)
        resultOfAllocation[block.number] = number;
    if (bytes && word != target)
      moves.push_back({target, word, bytes});
  }
  // A result in the buffer of another result moves first.
  for (Move &move : moves) {
    auto isIn = [&](const Move &other) {
      return &other != &move && move.source < other.target + other.bytes &&
             other.target < move.source + move.bytes;
    };
    if (llvm::none_of(moves, isIn))
      continue;
    uint64_t copy = allocateScratch(move.bytes);
    if (!copy)
      return createStringError("the GPU has no " + Twine(move.bytes) +
                               " bytes left");
    blocks.push_back({copy, move.bytes, ~0u});
    if (Error error = check(
            driver->memcpyDtoDAsync(copy, move.source, move.bytes, stream),
            "copying a result"))
      return error;
    move.source = copy;
  }
  for (const Move &move : moves)
    if (Error error = check(driver->memcpyDtoDAsync(move.target, move.source,
                                                    move.bytes, stream),
                            "copying a result"))
      return error;
  return Error::success();
}

Error Instance::runOnGPU(const xla::Frame &frame, const Attributes &attributes,
                         cuda::Stream stream) {
  Expected<SmallVector<Item>> items = collect(frame, attributes);
  if (!items)
    return items.takeError();
  SmallVector<uint64_t, 32> words;
  for (auto [slot, item] : llvm::zip_equal(program->getParameters(), *items)) {
    if (!item.buffer) {
      words.push_back(item.bits);
      continue;
    }
    auto pointer = reinterpret_cast<uintptr_t>(item.buffer->data);
    if (!slot.isScalar) {
      words.push_back(pointer);
      llvm::append_range(words, getExtents(*item.buffer, slot));
      continue;
    }
    uint64_t data = 0;
    if (driver->memcpyDtoHAsync(&data, pointer, getBytes(*item.buffer),
                                stream) != cuda::Success ||
        driver->streamSynchronize(stream) != cuda::Success)
      return createStringError(slot.name + " cannot be read from the GPU");
    Type type = runtime::getScalarType(compiler.getContext(), slot.elementType);
    Expected<uint64_t> bits = readNumber(slot, type, item.buffer->type, &data);
    if (!bits)
      return bits.takeError();
    words.push_back(*bits);
  }
  size_t numWords = 0;
  for (const Slot &slot : program->getResults())
    numWords += 1 + slot.extents.size();
  SmallVector<uint64_t, 32> found(numWords);
  this->frame = &frame;
  numAllocated = 0;
  llvm::scope_exit freeAll([&] {
    while (!blocks.empty())
      free(blocks.back().pointer);
  });
  bool isDone =
      succeeded(executable->runPacked(words.data(), found.data(), stream));
  llvm::outs() << executable->getOutput();
  llvm::outs().flush();
  return isDone ? moveResults(found, stream) : takeMessages();
}

//===----------------------------------------------------------------------===//
// Handlers
//===----------------------------------------------------------------------===//

namespace {
/// A program that the handlers know.
struct Known {
  Known(obs_xla_source source, void *user) : source(source), user(user) {}

  obs_xla_source source;
  void *user;
  /// By the number of the GPU; -1 is the host.
  llvm::DenseMap<int, std::unique_ptr<Instance>> instances;
};
} // namespace

static std::mutex programsMutex;

/// By name. Never deleted: XLA may call the programs until the process ends.
static llvm::StringMap<Known> &getPrograms() {
  static auto &programs = *new llvm::StringMap<Known>;
  return programs;
}

void obs_xla_add(const char *name, obs_xla_source source, void *user) {
  std::lock_guard<std::mutex> lock(programsMutex);
  getPrograms().try_emplace(name, source, user);
}

static Expected<Instance &> find(StringRef name, std::optional<int> gpu) {
  std::lock_guard<std::mutex> lock(programsMutex);
  auto known = getPrograms().find(name);
  if (known == getPrograms().end())
    return createStringError("this process has no program '" + name + "'");
  Known &program = known->second;
  std::unique_ptr<Instance> &instance = program.instances[gpu.value_or(-1)];
  if (!instance)
    instance = std::make_unique<Instance>(program.source, program.user, gpu);
  return *instance;
}

/// The GPU that has the buffers of a call; the first one if all are empty.
static Expected<int> findGPU(const xla::Frame &frame) {
  std::string failure;
  const cuda::Driver *driver = cuda::Driver::get(failure);
  if (!driver)
    return createStringError(failure);
  int index = 0;
  for (const xla::Buffers *buffers : {&frame.arguments, &frame.results})
    for (const xla::Buffer *buffer :
         ArrayRef(buffers->buffers, buffers->count)) {
      auto pointer = reinterpret_cast<uintptr_t>(buffer->data);
      if (pointer &&
          driver->pointerGetAttribute(&index, cuda::PointerDeviceOrdinal,
                                      pointer) == cuda::Success)
        return index;
    }
  return index;
}

static Error run(const xla::Frame &frame, bool isOnGPU) {
  Attributes attributes(frame.attributes);
  std::optional<int> gpu;
  cuda::Stream stream = nullptr;
  if (isOnGPU) {
    xla::StreamArguments given = {sizeof(given), nullptr, frame.context,
                                  nullptr};
    if (void *error = frame.api->getStream(&given)) {
      destroy(frame, error);
      return createStringError("XLA has no stream for the program");
    }
    stream = given.stream ? static_cast<cuda::Stream>(given.stream)
                          : cuda::getLegacyStream();
    Expected<int> found = findGPU(frame);
    if (!found)
      return found.takeError();
    gpu = *found;
  }
  Expected<Instance &> instance = find(attributes.program, gpu);
  if (!instance)
    return instance.takeError();
  return instance->run(frame, attributes, stream);
}

static void *handle(const xla::Frame &frame, bool isOnGPU) {
  if (frame.extension && frame.extension->type == xla::ExtensionMetadata) {
    xla::Metadata &metadata = *frame.extension->metadata;
    // XLA refuses a handler of another major version. Minor versions only add
    // members.
    metadata.version.major = 0;
    metadata.version.minor = frame.api->version.minor;
    metadata.traits = 0;
    return nullptr;
  }
  if (frame.stage != xla::StageExecute)
    return nullptr;
  Error error = run(frame, isOnGPU);
  if (!error)
    return nullptr;
  std::string text = llvm::toString(std::move(error));
  xla::ErrorArguments given = {sizeof(given), nullptr, text.c_str(),
                               xla::ErrorInternal};
  return frame.api->createError(&given);
}

void *obs_xla_run_on_host(void *frame) {
  return handle(*static_cast<const xla::Frame *>(frame), false);
}

void *obs_xla_run_on_gpu(void *frame) {
  return handle(*static_cast<const xla::Frame *>(frame), true);
}

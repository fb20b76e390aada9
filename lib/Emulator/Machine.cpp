//===- Machine.cpp - Runs GPU kernels on the CPU --------------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Emulator/Machine.h"

#include "JIT.h"
#include "Launch.h"

#include "Obsidian/Emulator/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;
using namespace mlir::obs::emulator;

/// More private memory than this for each thread is an error.
static constexpr size_t kMaxPrivateBytes = size_t(64) << 20;

/// The largest block of CUDA devices.
static constexpr uint64_t kMaxBlockThreads = 1024;

/// `file:line:col` of the first source position in `loc`.
static std::string describeLocation(Location loc) {
  std::string text = "<unknown>";
  loc->walk([&](Location inner) {
    auto position = dyn_cast<FileLineColLoc>(inner);
    if (!position)
      return WalkResult::advance();
    text = (position.getFilename().getValue() + ":" +
            llvm::Twine(position.getLine()) + ":" +
            llvm::Twine(position.getColumn()))
               .str();
    return WalkResult::interrupt();
  });
  return text;
}

struct Machine::Impl {
  Impl(MachineOptions options, std::shared_ptr<DeviceMemory> memory)
      : options(std::move(options)), memory(std::move(memory)) {}

  llvm::Error compile(gpu::GPUModuleOp module);
  llvm::Error readModule(ModuleOp module);

  MachineOptions options;
  std::shared_ptr<DeviceMemory> memory;
  std::optional<JIT> jit;
  std::vector<Site> sites;
  std::vector<GlobalRange> globals;
  llvm::StringMap<Kernel> kernels;
  std::vector<AccessObserver *> observers;
};

/// Reads the sites, kernels and globals of the converted module.
llvm::Error Machine::Impl::readModule(ModuleOp module) {
  for (Attribute attr : module->getAttrOfType<ArrayAttr>(kSitesAttr)) {
    auto dict = cast<DictionaryAttr>(attr);
    Site site;
    if (!parseSiteKind(dict.getAs<StringAttr>("kind").getValue(), site.kind))
      return llvm::createStringError("emulator: unknown kind of site");
    if (auto bytes = dict.getAs<IntegerAttr>("bytes"))
      site.bytes = bytes.getInt();
    if (auto align = dict.getAs<IntegerAttr>("align"))
      site.align = align.getInt();
    if (auto text = dict.getAs<StringAttr>("text"))
      site.text = text.str();
    if (auto contract = dict.getAs<StringAttr>("contract"))
      site.contract = llvm::StringSwitch<StoreContract>(contract.getValue())
                          .Case("any", StoreContract::Any)
                          .Case("disjoint", StoreContract::Disjoint)
                          .Case("copy", StoreContract::Copy)
                          .Default(StoreContract::None);
    if (auto order = dict.getAs<IntegerAttr>("order"))
      site.order = order.getInt();
    if (auto buffer = dict.getAs<LocationAttr>("buffer"))
      site.buffer = describeLocation(buffer);
    if (auto update = dict.getAs<IntegerAttr>("update"))
      site.update = update.getInt();
    site.location = describeLocation(dict.getAs<LocationAttr>("loc"));
    sites.push_back(std::move(site));
  }
  for (auto function : module.getOps<func::FuncOp>()) {
    auto info = function->getAttrOfType<DictionaryAttr>(kKernelAttr);
    if (!info)
      continue;
    Kernel kernel;
    kernel.name = function.getName().drop_front(kKernelPrefix.size()).str();
    kernel.numArgs = info.getAs<IntegerAttr>("num_args").getInt();
    kernel.privateBytes = info.getAs<IntegerAttr>("private_bytes").getInt();
    kernel.sharedBytes = info.getAs<IntegerAttr>("shared_bytes").getInt();
    kernel.mayBeIdle = info.contains("may_be_idle");
    if (kernel.privateBytes > kMaxPrivateBytes)
      return llvm::createStringError(describeLocation(function.getLoc()) +
                                     ": kernel " + kernel.name + " needs " +
                                     llvm::Twine(kernel.privateBytes) +
                                     " bytes of private memory per thread");
    if (auto size = info.getAs<DenseI32ArrayAttr>("block_size"))
      llvm::copy(size.asArrayRef(), kernel.blockSize);
    kernels[kernel.name] = std::move(kernel);
  }
  return llvm::Error::success();
}

llvm::Error Machine::Impl::compile(gpu::GPUModuleOp module) {
  MLIRContext *context = module.getContext();
  std::string diagnostics;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return success();
    if (!diagnostics.empty())
      diagnostics += "\n";
    diagnostics +=
        describeLocation(diagnostic.getLocation()) + ": " + diagnostic.str();
    return success();
  });
  auto failure = [&](llvm::StringRef what) {
    return llvm::createStringError(diagnostics.empty() ? what : diagnostics);
  };

  DialectRegistry registry;
  registerEmulatorToLLVMInterfaces(registry);
  context->appendDialectRegistry(registry);
  context->loadDialect<arith::ArithDialect, func::FuncDialect,
                       LLVM::LLVMDialect, memref::MemRefDialect,
                       NVVM::NVVMDialect, scf::SCFDialect>();
  FailureOr<OwningOpRef<ModuleOp>> converted =
      convertGPUModuleToEmulator(module, options.watchPrivate);
  if (failed(converted))
    return failure("the kernels could not be converted for the emulator");
  ModuleOp kernelModule = **converted;
  if (llvm::Error error = readModule(kernelModule))
    return error;
  std::vector<std::tuple<std::string, size_t, bool>> globalNames;
  for (auto global : kernelModule.getOps<memref::GlobalOp>()) {
    MemRefType type = global.getType();
    unsigned bits = type.getElementType().isIntOrFloat()
                        ? type.getElementType().getIntOrFloatBitWidth()
                        : 64;
    globalNames.emplace_back(global.getSymName().str(),
                             type.getNumElements() * llvm::divideCeil(bits, 8),
                             global.getConstant());
  }

  PassManager pm(context);
  pm.enableVerifier(false);
  buildEmulatorToLLVMPipeline(pm);
  if (failed(pm.run(kernelModule)))
    return failure("the kernels could not be lowered for the emulator");
  llvm::Expected<JIT> compiled = JIT::compile(kernelModule);
  if (!compiled)
    return compiled.takeError();
  jit.emplace(std::move(*compiled));

  for (auto &entry : kernels) {
    llvm::Expected<void *> address =
        jit->lookup((kKernelPrefix + entry.getKey()).str());
    if (!address)
      return address.takeError();
    entry.second.function = reinterpret_cast<KernelFunction>(*address);
  }
  for (auto &[name, bytes, constant] : globalNames) {
    llvm::Expected<void *> address = jit->lookup(name);
    if (!address)
      return address.takeError();
    globals.push_back({static_cast<const char *>(*address), bytes, constant});
  }
  return llvm::Error::success();
}

Machine::Machine(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Machine::~Machine() = default;

llvm::Expected<std::unique_ptr<Machine>>
Machine::create(gpu::GPUModuleOp module, MachineOptions options,
                std::shared_ptr<DeviceMemory> memory) {
  if (!memory)
    memory = std::make_shared<DeviceMemory>();
  auto impl = std::make_unique<Impl>(std::move(options), std::move(memory));
  if (llvm::Error error = impl->compile(module))
    return std::move(error);
  return std::unique_ptr<Machine>(new Machine(std::move(impl)));
}

llvm::Expected<void *> Machine::allocate(size_t bytes) {
  return impl->memory->allocate(bytes);
}
llvm::Error Machine::free(void *address) { return impl->memory->free(address); }
DeviceMemory &Machine::memory() { return *impl->memory; }
std::shared_ptr<DeviceMemory> Machine::sharedMemory() { return impl->memory; }
MachineOptions &Machine::options() { return impl->options; }
void Machine::addObserver(AccessObserver *observer) {
  impl->observers.push_back(observer);
}

llvm::Error Machine::launch(llvm::StringRef name, Dim3 grid, Dim3 block,
                            size_t sharedBytes, llvm::ArrayRef<void *> params,
                            LaunchStats *stats) {
  auto it = impl->kernels.find(name);
  if (it == impl->kernels.end())
    return llvm::createStringError("there is no kernel named '" + name + "'");
  const Kernel &kernel = it->second;
  if (params.size() != kernel.numArgs)
    return llvm::createStringError(
        "kernel '" + name + "' has " + llvm::Twine(kernel.numArgs) +
        " parameters, " + llvm::Twine(params.size()) + " were given");
  if (block.count() < 1 || block.count() > kMaxBlockThreads)
    return llvm::createStringError(
        "kernel '" + name + "' launched with blocks of " +
        llvm::Twine(block.count()) + " threads; it must be 1 to " +
        llvm::Twine(kMaxBlockThreads));
  if (kernel.blockSize[0] &&
      (kernel.blockSize[0] != block.x || kernel.blockSize[1] != block.y ||
       kernel.blockSize[2] != block.z))
    return llvm::createStringError(
        "kernel '" + name + "' was compiled for blocks of " +
        llvm::Twine(kernel.blockSize[0]) + "x" +
        llvm::Twine(kernel.blockSize[1]) + "x" +
        llvm::Twine(kernel.blockSize[2]) + " threads and launched with " +
        llvm::Twine(block.x) + "x" + llvm::Twine(block.y) + "x" +
        llvm::Twine(block.z));

  LaunchStats counts;
  if (grid.count() > 0) {
    // One pool for all machines: the number of mappings of a process is
    // limited, and each stack needs two.
    static thread_local StackPool stacks;
    stacks.setStackBytes(impl->options.stackBytes + kernel.privateBytes +
                         impl->jit->getFrameBytes());
    Launch::Config config{&kernel, grid, block, sharedBytes, params};
    Launch run(impl->sites, impl->globals, *impl->memory, stacks,
               impl->observers, impl->options, config);
    if (llvm::Error error = run.run(counts))
      return error;
  }
  if (stats)
    *stats = counts;
  return llvm::Error::success();
}

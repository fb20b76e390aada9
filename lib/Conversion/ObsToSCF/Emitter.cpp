//===- Emitter.cpp - From fused programs to level IR ----------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file is one recursion: the emission of operations, loops and forces calls
// itself for each nested block, with the same maps from arrays to memory.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "Obsidian/Dialect/Obs/Analysis/InPlaceFills.h"
#include "Obsidian/Dialect/Obs/IR/InMemory.h"
#include "Obsidian/Dialect/Obs/IR/IndexBuilder.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::obs;

LogicalResult Emitter::run(KernelOp kernel) {
  Block &old = kernel.getBody().front();
  auto *block = new Block();
  kernel.getBody().push_back(block);
  for (BlockArgument argument : old.getArguments())
    values.map(argument,
               block->addArgument(argument.getType(), argument.getLoc()));
  builder.setInsertionPointToStart(block);
  LogicalResult result = emitBlock(old, Level::Grid);
  // The old body goes in any case: its values are not used by the new one.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(old))) {
    op.dropAllUses();
    op.erase();
  }
  old.erase();
  return result;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult Emitter::emitBlock(Block &block, Level level) {
  for (Operation &op : block)
    if (!op.hasTrait<OpTrait::IsTerminator>() && failed(emitOp(op, level)))
      return failure();
  return success();
}

static bool carriesArrays(Operation &op) {
  auto isArray = llvm::IsaPred<PullType>;
  return llvm::any_of(op.getOperandTypes(), isArray) ||
         llvm::any_of(op.getResultTypes(), isArray);
}

LogicalResult Emitter::emitOp(Operation &op, Level level) {
  Location loc = op.getLoc();
  if (auto view = dyn_cast<ViewOp>(op)) {
    StoredArray array;
    for (Value memory : view.getMemory())
      array.buffers.push_back(values.lookupOrDefault(memory));
    for (auto [d, extent] : llvm::enumerate(view.getType().getExtents()))
      array.extents.push_back(ShapedType::isDynamic(extent)
                                  ? Value(memref::DimOp::create(
                                        builder, loc, array.buffers.front(), d))
                                  : index(loc, extent));
    arrays[view.getResult()] = array;
    return success();
  }
  if (auto constant = dyn_cast<ConstantOp>(op))
    return emitConstant(constant);
  if (isa<FillOp>(op)) // Emitted by its force.
    return success();
  if (auto force = dyn_cast<ForceOp>(op))
    return emitForce(force, level);
  if (auto par = dyn_cast<ParOp>(op))
    return emitPar(par, level);
  if (auto write = dyn_cast<WriteOp>(op))
    return emitWrite(write);
  if (auto get = dyn_cast<GetOp>(op))
    return emitGet(get);
  if (auto dim = dyn_cast<DimOp>(op)) {
    auto array = arrays.find(dim.getArray());
    if (array == arrays.end())
      return op.emitOpError("is not fused; run obs-fuse-arrays first");
    values.map(dim.getExtent(), array->second.extents[dim.getDimension()]);
    return success();
  }
  if (auto bits = dyn_cast<BitOpInterface>(op)) {
    // Expanded on the new operands, through a clone that is dropped again.
    Operation *clone = builder.clone(op, values);
    values.map(op.getResult(0), cast<BitOpInterface>(clone).expand(builder));
    clone->erase();
    return success();
  }
  if (isa<AssertOp, PrintOp>(op)) {
    emitCheck(op, level);
    return success();
  }
  // Array operations that were fused away and are dead.
  if (isa<ArrayOpInterface>(op)) {
    if (op.use_empty() || isMemoryEffectFree(&op))
      return success();
    return op.emitOpError("is not fused; run obs-fuse-arrays first");
  }
  if (carriesArrays(op)) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return emitFor(loop, level);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return emitWhile(loop, level);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return emitIf(branch, level);
    if (op.getNumRegions() == 0)
      return op.emitOpError(
          "[array-interface] takes or makes an array, but implements neither "
          "PullOpInterface, PushOpInterface nor ExpandableOpInterface");
    return op.emitOpError(
        "[control-arrays] cannot pass arrays on; use scf.for, "
        "scf.while or scf.if");
  }
  if (op.getNumRegions() != 0)
    return emitNested(op, level);
  // Strategies of collectives say whose memory it is.
  auto alloc = dyn_cast<memref::AllocOp>(op);
  if ((alloc && !getHome(alloc)) ||
      (isa<memref::AllocaOp>(op) &&
       (level != Level::Thread || !op.getOperands().empty())))
    return op.emitOpError("[R2-private] allocates in code of level ")
           << stringifyLevel(level)
           << "; a kernel has arrays of threads by memref.alloca of a static "
              "shape, and all others by obs.force";
  builder.clone(op, values);
  return success();
}

/// An operation with regions that carries no arrays, such as `scf.for` over
/// scalars: itself with its regions emitted.
LogicalResult Emitter::emitNested(Operation &op, Level level) {
  OperationState state(op.getLoc(), op.getName());
  for (Value operand : op.getOperands())
    state.addOperands(values.lookupOrDefault(operand));
  state.addTypes(op.getResultTypes());
  state.addAttributes(op.getAttrs());
  for (unsigned i = 0, e = op.getNumRegions(); i < e; ++i)
    state.addRegion();
  Operation *emitted = builder.create(state);
  values.map(op.getResults(), emitted->getResults());
  for (auto [from, to] : llvm::zip(op.getRegions(), emitted->getRegions())) {
    for (Block &block : from) {
      OpBuilder::InsertionGuard guard(builder);
      SmallVector<Location> locs(block.getNumArguments(), op.getLoc());
      Block *copy =
          builder.createBlock(&to, to.end(), block.getArgumentTypes(), locs);
      values.map(block.getArguments(), copy->getArguments());
      if (failed(emitBlock(block, level)))
        return failure();
      builder.clone(*block.getTerminator(), values);
    }
  }
  markLoop(&op, emitted);
  return success();
}

LogicalResult Emitter::emitConstant(ConstantOp constant) {
  // One private table for equal constants.
  auto type = cast<RankedTensorType>(constant.getValue().getType());
  auto memory = MemRefType::get(type.getShape(), type.getElementType());
  memref::GlobalOp table;
  for (auto global : symbols.getOps<memref::GlobalOp>())
    if (global.getInitialValue() == constant.getValue())
      table = global;
  if (!table) {
    // It is outside of the module until it has a unique name.
    OpBuilder detached(builder.getContext());
    table = memref::GlobalOp::create(detached, constant.getLoc(), "obs_table",
                                     builder.getStringAttr("private"), memory,
                                     constant.getValue(),
                                     /*constant=*/true, IntegerAttr());
    SymbolTable(symbols).insert(table, symbols.getBody()->begin());
  }
  if (hasAttr<ObsDialect::ConstantAttrHelper>(constant))
    setAttr<ObsDialect::ConstantAttrHelper>(table);
  StoredArray array;
  array.buffers.push_back(memref::GetGlobalOp::create(
      builder, constant.getLoc(), memory, table.getName()));
  for (int64_t extent : type.getShape())
    array.extents.push_back(index(constant.getLoc(), extent));
  arrays[constant.getResult()] = array;
  return success();
}

LogicalResult Emitter::emitGet(GetOp get) {
  auto found = arrays.find(get.getArray());
  if (found == arrays.end())
    return get.emitOpError("reads an array that is not fused; run "
                           "obs-fuse-arrays first");
  const StoredArray &array = found->second;
  SmallVector<Value> indices(array.prefix);
  for (Value i : get.getIndices())
    indices.push_back(values.lookupOrDefault(i));
  for (auto [result, buffer] : llvm::zip(get.getResults(), array.buffers))
    values.map(result,
               memref::LoadOp::create(builder, get.getLoc(), buffer, indices)
                   .getResult());
  return success();
}

/// Marks `store` and the load of its value, if it copies an element.
static void markCopy(memref::StoreOp store) {
  auto load = store.getValueToStore().getDefiningOp<memref::LoadOp>();
  if (!load || load->getBlock() != store->getBlock())
    return;
  setAttr<ObsDialect::CopyAttrHelper>(load);
  setAttr<ObsDialect::CopyAttrHelper>(store);
}

/// A condition: an element that any iteration may write has other bits than
/// `value`. The load counts as such a write, which it saves.
Value Emitter::buildDiffers(Location loc, Value value, Value buffer,
                            ValueRange indices) {
  auto load = memref::LoadOp::create(builder, loc, buffer, indices);
  setWriteMark(load, WriteMark::Any);
  auto getBits = [&](Value x) -> Value {
    if (!isa<FloatType>(x.getType()))
      return x;
    Type bits = builder.getIntegerType(x.getType().getIntOrFloatBitWidth());
    return arith::BitcastOp::create(builder, loc, bits, x);
  };
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne,
                               getBits(load), getBits(value));
}

/// True if an operation combines elements to one of its operands if it has
/// combined them before, and atomic operations on such elements exist.
static bool isIdempotent(Attribute kind, Type type) {
  using Kind = arith::AtomicRMWKind;
  auto name = dyn_cast<StringAttr>(kind);
  std::optional<Kind> known =
      name ? arith::symbolizeAtomicRMWKind(name.getValue()) : std::nullopt;
  return known && (type.isInteger(32) || type.isInteger(64)) &&
         llvm::is_contained({Kind::andi, Kind::ori, Kind::maxs, Kind::maxu,
                             Kind::mins, Kind::minu},
                            *known);
}

/// A condition: the combination of an element with `value` differs from the
/// element. An `or` with 0 is an atomic load.
Value Emitter::buildChanges(Location loc, Attribute kind, Value value,
                            Value buffer, ValueRange indices) {
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getIntegerAttr(value.getType(), 0));
  Value old = memref::AtomicRMWOp::create(
      builder, loc, arith::AtomicRMWKind::ori, zero, buffer, indices);
  Value next = arith::getReductionOp(
      *arith::symbolizeAtomicRMWKind(cast<StringAttr>(kind).getValue()),
      builder, loc, old, value);
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, next,
                               old);
}

void Emitter::markOuterLoops(memref::StoreOp store) {
  SmallVector<int64_t> numbers;
  for (Operation *op = running->getParentOp(); !isa<KernelOp>(op);
       op = op->getParentOp())
    if (isa<scf::ForOp, scf::WhileOp>(op))
      numbers.push_back(
          loopNumbers.try_emplace(op, loopNumbers.size()).first->second);
  if (!numbers.empty())
    setAttr<ObsDialect::OuterLoopsAttrHelper>(
        store, builder.getDenseI64ArrayAttr(numbers));
}

void Emitter::markLoop(Operation *loop, Operation *emitted) {
  if (auto found = loopNumbers.find(loop); found != loopNumbers.end())
    setNumber<ObsDialect::LoopAttrHelper>(emitted, found->second);
}

LogicalResult Emitter::emitWrite(WriteOp write) {
  Location loc = write.getLoc();
  SmallVector<Value> indices(target->prefix);
  for (Value i : write.getIndices())
    indices.push_back(values.lookupOrDefault(i));
  WriteContract contract = write.getEffectiveContract();
  if (isa_and_nonnull<FlatSymbolRefAttr>(contract.kind) &&
      write.getValues().size() > 1)
    return write.emitOpError("is combined with others by a function of several "
                             "values; run obs-expand-collectives first");
  auto markUpdate = [&](Operation *op) {
    if (target->update)
      setNumber<ObsDialect::UpdateAttrHelper>(op, target->update);
  };
  // Many iterations write few elements, often the same: a load that finds them
  // is served by a cache.
  bool canTest = write->getParentOfType<FillOp>().getStarted();
  for (auto [value, buffer] : llvm::zip(write.getValues(), target->buffers)) {
    Value stored = values.lookupOrDefault(value);
    OpBuilder::InsertionGuard guard(builder);
    auto writeIf = [&](Value condition) {
      auto branch = scf::IfOp::create(builder, loc, condition,
                                      /*withElseRegion=*/false);
      builder.setInsertionPointToStart(branch.thenBlock());
    };
    if (contract.contract == Contract::Reduce && !getWriteMark(write)) {
      if (canTest && isIdempotent(contract.kind, stored.getType()))
        writeIf(buildChanges(loc, contract.kind, stored, buffer, indices));
      markUpdate(buildAtomic(builder, loc, contract.kind, stored, buffer,
                             indices, symbols)
                     .getDefiningOp());
      continue;
    }
    bool isAny = contract.contract == Contract::Any && !getWriteMark(write);
    if (isAny && canTest)
      writeIf(buildDiffers(loc, stored, buffer, indices));
    auto store = memref::StoreOp::create(builder, loc, stored, buffer, indices);
    markUpdate(store);
    if (getInitialNesting(write))
      markCopy(store);
    std::optional<WriteMark> mark = getWriteMark(write);
    if (!mark && !isAny)
      continue;
    if (isAny)
      mark = WriteMark::Any;
    else if (mark == WriteMark::Unproved)
      mark = WriteMark::Disjoint;
    setWriteMark(store, *mark);
    markOuterLoops(store);
  }
  return success();
}

/// Prints once for each instance of the level; assertions are uniform.
void Emitter::emitCheck(Operation &op, Level level) {
  Location loc = op.getLoc();
  if (auto check = dyn_cast<AssertOp>(op)) {
    cf::AssertOp::create(builder, loc,
                         values.lookupOrDefault(check.getCondition()),
                         check.getMessage());
    return;
  }
  auto print = cast<PrintOp>(op);
  std::string format;
  unsigned next = 0;
  StringRef text = print.getFormat();
  SmallVector<Value> operands;
  auto emit = [&] {
    while (!text.empty()) {
      auto [before, after] = text.split("{}");
      for (char c : before)
        format += c == '%' ? std::string("%%") : std::string(1, c);
      bool hasValue = before.size() != text.size();
      text = after;
      if (!hasValue)
        continue;
      Value value = values.lookupOrDefault(print.getValues()[next++]);
      if (isa<FloatType>(value.getType())) {
        if (!value.getType().isF64())
          value =
              arith::ExtFOp::create(builder, loc, builder.getF64Type(), value);
        format += "%f";
      } else {
        if (value.getType().isIndex())
          value = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                             value);
        else if (value.getType().isInteger(1))
          value =
              arith::ExtUIOp::create(builder, loc, builder.getI64Type(), value);
        else if (!value.getType().isInteger(64))
          value =
              arith::ExtSIOp::create(builder, loc, builder.getI64Type(), value);
        format += "%lld";
      }
      operands.push_back(value);
    }
    gpu::PrintfOp::create(builder, loc, format + "\n", operands);
  };
  if (level == Level::Thread)
    return emit();
  emitLoop(loc, index(loc, 1), level, [&](ValueRange) { emit(); });
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The number of iterations of a loop; 0 or less if an extent is negative. The
/// last extent needs no check: if it is negative, its product with numbers of 0
/// or more is not positive.
static Value buildProduct(OpBuilder &builder, Location loc, ValueRange extents,
                          Level level) {
  IndexBuilder index{builder, loc};
  Value total;
  for (Value extent : extents.drop_back()) {
    // The outlining of a kernel handles the extents of the kernel's loops.
    if (level != Level::Grid && !extent.getDefiningOp<memref::DimOp>() &&
        getConstantIntValue(extent).value_or(-1) < 0)
      extent = index.natural(extent);
    total = index.join<arith::MulIOp>(total, extent);
  }
  return index.join<arith::MulIOp>(total, extents.back());
}

void Emitter::emitLoop(Location loc, ValueRange extents, Level level,
                       function_ref<void(ValueRange)> body) {
  OpBuilder::InsertionGuard guard(builder);
  if (level == Level::Thread) {
    // A thread has no workers: nested sequential loops.
    SmallVector<Value> indices;
    for (Value extent : extents) {
      auto loop = scf::ForOp::create(builder, loc, index(loc, 0), extent,
                                     index(loc, 1));
      builder.setInsertionPointToStart(loop.getBody());
      indices.push_back(loop.getInductionVar());
    }
    body(indices);
    return;
  }
  Value total = buildProduct(builder, loc, extents, level);
  // An extent that is not known appears as the least number.
  if (APInt number;
      matchPattern(total, m_ConstantInt(&number)) && number.isNegative())
    total = index(loc, 0);
  auto map = MapAttr::get(builder.getContext(), level, Level::Thread);
  auto forall = scf::ForallOp::create(builder, loc, OpFoldResult(total),
                                      /*outputs=*/ValueRange(),
                                      builder.getArrayAttr(map));
  builder.setInsertionPoint(forall.getTerminator());
  body(IndexBuilder{builder, loc}.delinearize(forall.getInductionVar(0),
                                              extents));
}

LogicalResult Emitter::emitPar(ParOp par, Level level) {
  Location loc = par.getLoc();
  Block &block = par.getBody().front();
  SmallVector<Value> extents;
  for (Value extent : par.getExtents())
    extents.push_back(values.lookupOrDefault(extent));
  LogicalResult result = success();
  auto emitBody = [&](ValueRange indices) {
    values.map(block.getArguments(), indices);
    result = emitBlock(block, par.getUnit());
  };
  if (par.getUnit() == Level::Thread) {
    emitLoop(loc, extents, level, emitBody);
    return result;
  }
  // Instances of the same level that depend on more than their number: one
  // after the other.
  Value total = buildProduct(builder, loc, extents, level);
  Value first = index(loc, 0), step = index(loc, 1);
  auto map = MapAttr::get(par.getContext(), level, par.getUnit());
  bool distributed = par.getUnit() != level;
  if (distributed) {
    first = WorkerIdOp::create(builder, loc, map);
    step = WorkerCountOp::create(builder, loc, map);
  }
  auto loop = scf::ForOp::create(builder, loc, first, total, step);
  if (distributed)
    setAttr<ObsDialect::MapAttrHelper>(loop, map);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  // Of one instance everything is known that its number decides, such as how
  // often a loop in it runs.
  Value number =
      isConstantIntValue(total, 1) ? index(loc, 0) : loop.getInductionVar();
  emitBody(IndexBuilder{builder, loc}.delinearize(number, extents));
  return result;
}

//===----------------------------------------------------------------------===//
// Force
//===----------------------------------------------------------------------===//

StoredArray Emitter::allocate(Location loc, PullType type, ValueRange extents,
                              Level level, Storage storage, bool isRing) {
  StoredArray array;
  SmallVector<int64_t> shape;
  if (isRing)
    shape.push_back(2);
  llvm::append_range(shape, type.getBoundedExtents());
  for (Type element : type.getElementTypes()) {
    auto memory =
        MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                        HomeAttr::get(builder.getContext(), level, storage));
    array.buffers.push_back(memref::AllocOp::create(builder, loc, memory));
  }
  array.extents.assign(extents.begin(), extents.end());
  return array;
}

/// True when `result` is made for a loop to start from: it is then written
/// where the loop expects it.
static bool entersRing(ForceOp force, Value result) {
  if (!result.hasOneUse())
    return false;
  Operation *user = *result.user_begin();
  return isa<scf::ForOp, scf::WhileOp>(user) &&
         user->getBlock() == force->getBlock();
}

/// True if nothing uses elements of `array` once `force` has run, other than
/// the program `fill` that it forces. Both are of one block.
static bool diesInForce(Value array, FillOp fill, ForceOp force) {
  Block *block = force->getBlock();
  auto isBefore = [&](Operation *op) {
    return op->getBlock() == block && op->isBeforeInBlock(force);
  };
  return array.getParentBlock() == block &&
         llvm::all_of(array.getUsers(), [&](Operation *user) {
           Operation *ancestor = block->findAncestorOpInBlock(*user);
           if (isa<DimOp>(user) || ancestor == fill)
             return true;
           // A program runs where it is forced.
           if (isa<FillOp>(ancestor))
             return llvm::all_of(ancestor->getUsers(), isBefore);
           return isBefore(ancestor);
         });
}

StoredArray *Emitter::findPlaceOfOnto(ForceOp force, Value result,
                                      FillOp fill) {
  Value onto = fill.getOnto();
  auto found = onto ? arrays.find(onto) : arrays.end();
  if (found == arrays.end() || onto.getType() != result.getType() ||
      !force.getInto().empty() || !fill->hasOneUse() ||
      isa_and_nonnull<ViewOp, ConstantOp>(onto.getDefiningOp()))
    return nullptr;
  // The result is asked to be in another place.
  StoredArray &stored = found->second;
  auto given = destinations.find(result);
  bool isInRing = !stored.prefix.empty();
  if (stored.isShared || (entersRing(force, result) && !isInRing) ||
      (given != destinations.end() && given->second.buffers != stored.buffers))
    return nullptr;
  HomeAttr home = getHome(stored.buffers.front());
  if (!home || (force.getStorage() != Storage::Auto &&
                force.getStorage() != home.getStorage()))
    return nullptr;
  bool isRead = llvm::any_of(onto.getUsers(), [&](Operation *user) {
    return !isa<DimOp>(user) && fill->isProperAncestor(user);
  });
  if (!diesInForce(onto, fill, force) ||
      (isRead && mayFillInPlace(fill, onto) == InPlace::No))
    return nullptr;
  return &stored;
}

LogicalResult Emitter::emitForce(ForceOp force, Level level) {
  unsigned next = 0;
  for (auto [array, result] :
       llvm::zip(force.getArrays(), force.getResults())) {
    auto fill = array.getDefiningOp<FillOp>();
    if (!fill)
      return force.emitOpError("is not fused; run obs-fuse-arrays first");
    auto type = cast<PullType>(result.getType());
    SmallVector<Value> extents;
    unsigned nextExtent = 0;
    for (int64_t extent : type.getExtents())
      extents.push_back(
          ShapedType::isDynamic(extent)
              ? values.lookupOrDefault(fill.getExtents()[nextExtent++])
              : index(force.getLoc(), extent));
    StoredArray stored;
    bool isInPlace = false;
    if (const StoredArray *place = findPlaceOfOnto(force, result, fill)) {
      stored = *place;
      stored.update = ++numUpdates;
      isInPlace = true;
      for (Operation *loop = builder.getInsertionBlock()->getParentOp(); loop;
           loop = loop->getParentOp())
        if (isa<scf::ForOp, scf::WhileOp>(loop))
          setAttr<ObsDialect::UpdatesAttrHelper>(loop);
    } else if (auto given = destinations.find(result);
               given != destinations.end()) {
      stored = given->second;
      stored.extents = extents;
    } else if (!force.getInto().empty()) {
      for (unsigned i = 0; i < type.getElementTypes().size(); ++i)
        stored.buffers.push_back(
            values.lookupOrDefault(force.getInto()[next++]));
      stored.extents = extents;
    } else if (entersRing(force, result)) {
      stored = allocateRing(result, level,
                            getRingStorage(*result.getUses().begin()));
      stored.extents = extents;
    } else {
      if (level == Level::Grid)
        return force.emitOpError("[R1-kernel] forces at level grid inside a "
                                 "kernel; it must be a kernel of its own");
      stored = allocate(force.getLoc(), type, extents, level,
                        force.getStorage(), /*isRing=*/false);
    }
    // The memory that is given already has its contents.
    if (fill.getOnto() && !force.getInto().empty())
      isInPlace |= isContentsOf(fill.getOnto(), getViewedMemory(result));
    ForceOp outer = std::exchange(running, force);
    if (failed(emitFill(fill, stored, level, isInPlace)))
      return failure();
    running = outer;
    arrays[result] = stored;
  }
  return success();
}

/// True if the program of `fill` stands in a loop of the level that forces it.
static bool isInLoop(FillOp fill) {
  Operation *parent = fill->getParentOp();
  while (isa<scf::IfOp>(parent))
    parent = parent->getParentOp();
  return isa<scf::ForOp, scf::WhileOp>(parent);
}

LogicalResult Emitter::emitFill(FillOp fill, const StoredArray &stored,
                                Level level, bool isInPlace) {
  Location loc = fill.getLoc();
  bool copies = fill.getOnto() && !isInPlace;
  if (copies && level != Level::Grid && isInLoop(fill))
    emitRemark(loc) << "each iteration copies the array after onto, of type "
                    << fill.getOnto().getType()
                    << ", before it writes a part of it; write the elements "
                       "of an array that a map makes, or only those that "
                       "change into an array of their own";
  if (!fill.getInit().empty() || copies) {
    emitLoop(loc, stored.extents, level, [&](ValueRange indices) {
      SmallVector<Value> to(stored.prefix), from;
      llvm::append_range(to, indices);
      const StoredArray *source = nullptr;
      if (copies) {
        source = &arrays.find(fill.getOnto())->second;
        from = source->prefix;
        llvm::append_range(from, indices);
      }
      for (auto [k, buffer] : llvm::enumerate(stored.buffers)) {
        Value value = source ? Value(memref::LoadOp::create(
                                   builder, loc, source->buffers[k], from))
                             : values.lookupOrDefault(fill.getInit()[k]);
        auto store = memref::StoreOp::create(builder, loc, value, buffer, to);
        setWriteMark(store, WriteMark::Initial);
        markCopy(store);
      }
    });
  }
  const StoredArray *outer = target;
  target = &stored;
  // A program that two results run is emitted twice: its loops have other rings
  // the second time.
  llvm::DenseMap<Value, StoredArray> outside = destinations;
  LogicalResult result = emitBlock(fill.getBody().front(), level);
  destinations = std::move(outside);
  target = outer;
  return result;
}

void Emitter::emitCopy(Location loc, const StoredArray &from,
                       const StoredArray &to, Level level) {
  emitLoop(loc, from.extents, level, [&](ValueRange indices) {
    SmallVector<Value> source(from.prefix), sink(to.prefix);
    llvm::append_range(source, indices);
    llvm::append_range(sink, indices);
    for (auto [a, b] : llvm::zip(from.buffers, to.buffers)) {
      Value value = memref::LoadOp::create(builder, loc, a, source);
      markCopy(memref::StoreOp::create(builder, loc, value, b, sink));
    }
  });
}

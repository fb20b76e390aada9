//===- PushOps.cpp - Meaning of push arrays and of force ------------------===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::interpreter;

/// Writes every element of `source`, in order.
static LogicalResult writeAll(Location loc, const PullArray &source,
                              WriteFn writer) {
  DataVector elements;
  return forEachIndex(source.extents, [&](Index index) {
    elements.clear();
    if (failed(source.read(loc, index, elements)))
      return failure();
    return writer(loc, elements, index);
  });
}

LogicalResult interpreter::runPush(Frame &frame, const Instruction &inst) {
  PullPtr source = frame.getPull(inst, 0);
  Location loc = inst.op->getLoc();
  return frame.setPush(inst, 0, source->extents, [source, loc](WriteFn writer) {
    return writeAll(loc, *source, writer);
  });
}

//===----------------------------------------------------------------------===//
// fill
//===----------------------------------------------------------------------===//

Store::WriteRule Store::getRule(Operation *op, Contract contract,
                                Attribute kind) {
  WriteRule rule;
  rule.contract = contract;
  if (auto function = dyn_cast_or_null<FlatSymbolRefAttr>(kind))
    rule.function =
        SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, function);
  else if (auto name = dyn_cast_or_null<StringAttr>(kind))
    if (auto known = arith::symbolizeAtomicRMWKind(name.getValue()))
      rule.kind = *known;
  return rule;
}

/// Runs the region, which writes to a separate store. Then writes every element
/// that has a value, once.
LogicalResult interpreter::runFill(Frame &frame, const Instruction &inst) {
  auto op = cast<FillOp>(inst.op);
  auto type = op.getType();
  unsigned numInit = op.getInit().size();
  DataVector init;
  for (unsigned i = 0; i < numInit; ++i)
    init.push_back(frame.get(inst, i));
  PullPtr onto = op.getOnto() ? frame.getPull(inst, numInit) : nullptr;
  IndexVector extents =
      frame.getMixed(inst, numInit + (onto ? 1 : 0), type.getExtents());
  if (onto && failed(checkSameExtents(frame, inst, onto->extents, extents)))
    return failure();
  auto closure = makeClosure(frame, inst);
  Store::WriteRule rule =
      Store::getRule(op, op.getContract(), op.getKindAttr());
  Machine &machine = frame.machine;
  Location loc = op.getLoc();

  auto run = [=, &machine](WriteFn writer) -> LogicalResult {
    std::shared_ptr<Store> store =
        Store::create(machine, loc, extents, type.getElementTypes());
    if (!store)
      return failure();
    store->rule = rule;
    // The initial contents.
    if (onto || !init.empty()) {
      int64_t position = 0;
      auto initialize = [&](Index index) -> LogicalResult {
        DataVector elements = init;
        if (onto && failed(onto->read(loc, index, elements))) {
          // An element that is missing there is missing here.
          ++position;
          return success(machine.takeUnwritten());
        }
        store->define(position++, elements);
        return success();
      };
      if (failed(forEachIndex(extents, initialize)))
        return failure();
    }
    // The program.
    DataVector nothing;
    closure->frame.fill = store.get();
    if (failed((*closure)({}, nothing)))
      return failure();
    // The elements that it has written.
    int64_t position = 0;
    DataVector elements;
    return forEachIndex(extents, [&](Index index) -> LogicalResult {
      int64_t current = position++;
      if (!store->isDefined(current))
        return success();
      elements.clear();
      store->read(current, elements);
      return writer(store->getWriteLoc(current, loc), elements, index);
    });
  };
  return frame.setPush(inst, 0, extents, run);
}

/// Runs the body for every index below the extents, in order.
LogicalResult interpreter::runPar(Frame &frame, const Instruction &inst) {
  IndexVector extents = frame.getIndex(inst, 0, inst.operands.size());
  for (int64_t &extent : extents)
    extent = std::max<int64_t>(extent, 0);
  DataVector nothing;
  return forEachIndex(extents, [&](Index index) {
    return frame.run(inst.bodies[0], frame.machine.fromIndex(index), nothing);
  });
}

/// Traps unless there is an enclosing fill with an element at `index`.
static LogicalResult checkTarget(Frame &frame, Location loc, Index index) {
  if (!frame.fill)
    return frame.machine.trap(loc, "writes outside of an obs.fill");
  if (isInRange(index, frame.fill->getExtents()))
    return success();
  return frame.machine.trap(loc, "writes index " + formatIndex(index) +
                                     ", outside of the extents " +
                                     formatIndex(frame.fill->getExtents()));
}

/// Hands one element to the enclosing fill.
LogicalResult interpreter::runWrite(Frame &frame, const Instruction &inst) {
  auto op = cast<WriteOp>(inst.op);
  unsigned count = op.getValues().size();
  DataVector values;
  for (unsigned i = 0; i < count; ++i)
    values.push_back(frame.get(inst, i));
  IndexVector index = frame.getIndex(inst, count, op.getIndices().size());
  if (failed(checkTarget(frame, op.getLoc(), index)))
    return failure();
  if (std::optional<Contract> contract = op.getContract())
    return frame.fill->write(frame.machine, op.getLoc(), values, index,
                             Store::getRule(op, *contract, op.getKindAttr()));
  return frame.fill->write(frame.machine, op.getLoc(), values, index);
}

/// Runs the program of an array; it writes to the enclosing fill, its indices
/// moved by the offsets.
LogicalResult interpreter::runPut(Frame &frame, const Instruction &inst) {
  PushPtr source = frame.getPush(inst, 0);
  IndexVector offsets = frame.getIndex(inst, 1, inst.operands.size() - 1);
  return source->run([&](Location loc, DataRef values, Index index) {
    IndexVector to;
    for (auto [i, offset] : llvm::zip(index, offsets))
      to.push_back(i + offset);
    if (failed(checkTarget(frame, inst.op->getLoc(), to)))
      return failure();
    return frame.fill->write(frame.machine, loc, values, to);
  });
}

//===----------------------------------------------------------------------===//
// distribute, force
//===----------------------------------------------------------------------===//

/// Runs the region for every element of the operands, in order. An element that
/// the array yielded for outer index o writes at i is written at o ++ i.
LogicalResult interpreter::runDistribute(Frame &frame,
                                         const Instruction &inst) {
  SmallVector<PullPtr, 2> arrays;
  if (failed(getEqualPulls(frame, inst, arrays)))
    return failure();
  Machine &machine = frame.machine;
  Location loc = inst.op->getLoc();
  auto closure = makeClosure(frame, inst);
  // The arrays that the sub-program with index `outer` yields.
  auto runPart = [=, &machine, &inst](Index outer,
                                      Data &parts) -> LogicalResult {
    DataVector arguments;
    for (auto [array, operand] :
         llvm::zip_equal(arrays, inst.op->getOperands())) {
      auto type = cast<PullType>(operand.getType());
      if (!machine.isProbing() || type.isNested()) {
        if (failed(array->read(loc, outer, arguments)))
          return failure();
        continue;
      }
      for (Type element : type.getElementTypes())
        arguments.push_back(Scalar(element, 0));
    }
    return (*closure)(arguments, parts);
  };
  IndexVector outerExtents = arrays[0]->extents;
  unsigned outerRank = outerExtents.size();

  // Extents of the parts that the types leave open are those of the first
  // sub-program, which is run for nothing else, or of one that is made up.
  DataVector first;
  bool isOpen = llvm::any_of(inst.op->getResultTypes(), [&](Type type) {
    return llvm::any_of(getArrayExtents(type).drop_front(outerRank),
                        ShapedType::isDynamic);
  });
  auto runFirst = [&] { return runPart(IndexVector(outerRank, 0), first); };
  if (isOpen && getNumElements(outerExtents) != 0) {
    raw_ostream *output = std::exchange(machine.options.output, nullptr);
    LogicalResult result = runFirst();
    machine.options.output = output;
    if (failed(result))
      return failure();
  } else if (isOpen && failed(machine.probe(runFirst))) {
    first.clear();
  }

  for (unsigned k = 0; k < inst.results.size(); ++k) {
    IndexVector inner;
    for (int64_t extent :
         getArrayExtents(inst.op->getResult(k).getType()).drop_front(outerRank))
      inner.push_back(ShapedType::isDynamic(extent) ? 0 : extent);
    if (!first.empty())
      inner = static_cast<const PushArray &>(*first[k].object).extents;
    IndexVector extents = outerExtents;
    extents.append(inner);
    auto run = [=, &machine](WriteFn writer) {
      return forEachIndex(outerExtents, [&](Index outer) -> LogicalResult {
        DataVector parts;
        if (failed(runPart(outer, parts)))
          return failure();
        const auto &part = static_cast<const PushArray &>(*parts[k].object);
        if (part.extents != inner)
          return machine.trap(loc, "[R4-extents] sub-program " +
                                       formatIndex(outer) +
                                       " yields an array of extents " +
                                       formatIndex(part.extents) +
                                       ", the others " + formatIndex(inner));
        return part.run([&](Location loc, DataRef values, Index index) {
          IndexVector to(outer);
          to.append(index.begin(), index.end());
          return writer(loc, values, to);
        });
      });
    };
    if (failed(frame.setPush(inst, k, extents, run)))
      return failure();
  }
  return success();
}

/// Copies the elements that a force has written to the memory after `into`.
static LogicalResult copyInto(Frame &frame, const Instruction &inst,
                              const Store &store, unsigned component,
                              Memory &memory) {
  if (failed(checkSameExtents(frame, inst, store.getExtents(), memory.extents)))
    return failure();
  int64_t count = getNumElements(memory.extents);
  DataVector elements;
  for (int64_t position = 0; position < count; ++position) {
    if (!store.isDefined(position))
      continue;
    elements.clear();
    store.read(position, elements);
    memory.bits[position] = elements[component].scalar.bits;
    memory.defined[position] = true;
  }
  ++memory.version;
  ++frame.machine.numChanges;
  return success();
}

/// Runs the programs. The results are the elements that they write. The memory
/// after `into` receives them after all programs have run, so every read before
/// this point reads the old contents. The results are stale after this memory
/// changes.
LogicalResult interpreter::runForce(Frame &frame, const Instruction &inst) {
  auto op = cast<ForceOp>(inst.op);
  Machine &machine = frame.machine;
  Location loc = op.getLoc();
  SmallVector<std::shared_ptr<Store>, 1> stores;
  for (unsigned i = 0; i < inst.results.size(); ++i) {
    Type type = op.getArrays()[i].getType();
    bool isPull = isa<PullType>(type);
    PullPtr pull = isPull ? frame.getPull(inst, i) : nullptr;
    PushPtr push = isPull ? nullptr : frame.getPush(inst, i);
    std::shared_ptr<Store> store =
        Store::create(machine, loc, isPull ? pull->extents : push->extents,
                      getArrayElementTypes(type));
    if (!store)
      return failure();
    auto write = [&](Location writeLoc, DataRef values, Index index) {
      return store->write(machine, writeLoc, values, index);
    };
    if (!machine.isProbing() &&
        failed(isPull ? writeAll(loc, *pull, write) : push->run(write)))
      return failure();
    stores.push_back(store);
  }
  // One memref for each element type of each array.
  unsigned next = op.getArrays().size();
  for (unsigned i = 0; i < inst.results.size(); ++i) {
    PullPtr stored = machine.makeStored(loc, stores[i]);
    ElementFn read = stored->read;
    if (!op.getInto().empty()) {
      Type type = op.getArrays()[i].getType();
      std::shared_ptr<Memory> memory;
      for (unsigned k = 0; k < getArrayElementTypes(type).size(); ++k) {
        memory = frame.getMemory(inst, next++);
        if (failed(copyInto(frame, inst, *stores[i], k, *memory)))
          return failure();
      }
      // All of them change together.
      uint64_t version = memory->version;
      read = [=, &machine](Location reader, Index index, Data &out) {
        if (memory->version != version)
          return machine.trap(reader, "[R8-after] reads the array forced at " +
                                          formatLocation(loc) +
                                          " after its memory has changed");
        return stored->read(reader, index, out);
      };
    }
    if (failed(frame.setPull(inst, i, stored->extents, read,
                             /*isStored=*/true)))
      return failure();
  }
  return success();
}

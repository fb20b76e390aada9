//===- Machine.h - Execution of the reference interpreter -------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions and regions are first numbered: every SSA value gets a slot. A
// region that may run later (that of a map, a fill, ...) is a closure. It has
// its own slots; the first of them contain copies of the captured values. A
// region that runs immediately (that of a loop, an if) shares the slots of the
// code around it. Since closures copy values, no closure reads a value that a
// later iteration writes to a slot.
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_LIB_INTERPRETER_MACHINE_H
#define OBSIDIAN_LIB_INTERPRETER_MACHINE_H

#include "Obsidian/Dialect/Obs/IR/Obs.h"
#include "Obsidian/Interpreter/Arrays.h"
#include "Obsidian/Interpreter/Interpreter.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::obs::interpreter {

struct Frame;
struct Code;
struct Instruction;
class Store;

/// Executes one operation: reads the slots of its operands and sets the slots
/// of its results. If it fails, the machine has recorded the trap.
using Handler = LogicalResult (*)(Frame &, const Instruction &);

/// A block with its operations. `yields` replaces the terminator.
struct Sequence {
  Sequence() = default;
  Sequence(Sequence &&) = default;

  SmallVector<unsigned, 2> arguments;
  std::vector<Instruction> instructions;
  SmallVector<unsigned, 2> yields;
};

struct Instruction {
  Operation *op = nullptr;
  Handler handler = nullptr;
  /// Set for scalar operations.
  ScalarOpFn scalar = nullptr;
  SmallVector<unsigned, 3> operands;
  SmallVector<unsigned, 1> results;
  /// Regions that run immediately.
  std::vector<Sequence> bodies;
  /// The region, if the operation makes a closure of it.
  std::unique_ptr<Code> closure;
};

/// A function or the region of a closure.
struct Code {
  Sequence body;
  unsigned numSlots = 0;
  /// The slots of the surrounding code that are copied to slots 0, 1, ...
  SmallVector<unsigned> captures;
};

/// The numbers in values of type `index`.
inline IndexVector toIndex(DataRef data) {
  IndexVector index;
  for (const Datum &value : data)
    index.push_back(value.scalar.getSInt());
  return index;
}

/// The state of all frames: options, numbered functions and the trap.
class Machine {
public:
  Machine(MLIRContext *context, const InterpreterOptions &options)
      : options(options), indexType(IndexType::get(context)) {}

  /// Values of type `index`.
  DataVector fromIndex(Index index) const {
    DataVector data;
    for (int64_t value : index)
      data.push_back(Scalar::fromInt(indexType, value));
    return data;
  }

  /// Records the reason and the location at which the program stops. Later
  /// traps are ignored.
  LogicalResult trap(Location loc, const Twine &message);
  /// The same for a read of an element that was never written.
  LogicalResult trapUnwritten(Location loc, const Twine &message);
  /// Removes the trap and returns true, if it is of the second kind. A copy of
  /// such an element counts as not written, too.
  bool takeUnwritten();
  llvm::Error takeError();

  /// The numbered body of `function`, or null after a trap.
  const Code *getCode(func::FuncOp function);

  /// Calls `function`, which has the right number of arguments.
  LogicalResult call(Location loc, func::FuncOp function, DataRef arguments,
                     Data &results);

  /// The array of the elements in `store`.
  PullPtr makeStored(Location loc, const std::shared_ptr<const Store> &store);
  /// `array` itself, if a read computes nothing or returns arrays. Otherwise an
  /// array of its elements in memory.
  llvm::FailureOr<PullPtr> materialize(Location loc, PullPtr array,
                                       PullType type);
  /// Materializes a value that a loop carries or a host function returns.
  LogicalResult materialize(Location loc, Type type, Datum &value);

  /// Runs `fn` only to find the extents of the arrays that it makes, without
  /// elements: each element that it reads is 0, nothing is stored or printed,
  /// and assertions hold. A trap is removed.
  LogicalResult probe(llvm::function_ref<LogicalResult()> fn);
  bool isProbing() const { return probing; }

  InterpreterOptions options;
  /// Counts the changes of memory.
  uint64_t numChanges = 0;
  /// Elements of obs.constant operations that ran.
  DenseMap<Operation *, std::shared_ptr<const Store>> constants;

private:
  Type indexType;
  DenseMap<Operation *, std::unique_ptr<Code>> codes;
  unsigned callDepth = 0;
  bool probing = false;
  bool isUnwritten = false;
  std::string message;
};

/// `compute`, but the element that was read last is computed once. Otherwise
/// the time for a chain of maps that each read an element twice is exponential.
ElementFn computeOnce(Machine &machine, ElementFn compute);

/// The slots of one execution of a function or closure.
struct Frame {
  Frame(Machine &machine, const Code &code)
      : machine(machine), slots(code.numSlots) {}

  Machine &machine;
  SmallVector<Datum, 8> slots;
  /// The store that `obs.write` and `obs.put` write to, in the region of a
  /// fill.
  Store *fill = nullptr;

  const Datum &get(const Instruction &inst, unsigned operand) const {
    return slots[inst.operands[operand]];
  }
  /// A scalar of an integer or index type.
  int64_t getInt(const Instruction &inst, unsigned operand) const {
    return get(inst, operand).scalar.getSInt();
  }
  bool isPull(const Instruction &inst, unsigned operand) const;
  PullPtr getPull(const Instruction &inst, unsigned operand) const;
  PushPtr getPush(const Instruction &inst, unsigned operand) const;
  std::shared_ptr<Memory> getMemory(const Instruction &inst,
                                    unsigned operand) const;
  /// Extents of a pull or push operand.
  Index getExtents(const Instruction &inst, unsigned operand) const;
  /// Operands [first, first + count) as an index.
  IndexVector getIndex(const Instruction &inst, unsigned first,
                       unsigned count) const;
  /// `statics` with its dynamic entries replaced by operands from `first` on.
  IndexVector getMixed(const Instruction &inst, unsigned first,
                       ArrayRef<int64_t> statics) const;

  void set(const Instruction &inst, unsigned result, Datum value) {
    slots[inst.results[result]] = std::move(value);
  }
  /// Traps unless `extents` are those that a pull or push type allows: the
  /// static ones, and dynamic ones within their bounds (rule R4).
  LogicalResult checkExtents(const Instruction &inst, Type arrayType,
                             Index extents);
  /// Sets a result to an array, unless the extents contradict its type.
  LogicalResult setPull(const Instruction &inst, unsigned result, Index extents,
                        ElementFn read, bool isStored = false);
  LogicalResult setPush(const Instruction &inst, unsigned result, Index extents,
                        ProgramFn run);

  LogicalResult trap(const Instruction &inst, const Twine &message) {
    return machine.trap(inst.op->getLoc(), message);
  }

  /// Runs a sequence of this frame, and appends the yielded values.
  LogicalResult run(const Sequence &sequence, DataRef arguments, Data &yields);
};

/// A region with the values that it captures: a function of its arguments. All
/// executions use one frame. They are never nested, because no array depends on
/// itself.
class Closure {
public:
  Closure(Frame &parent, const Code &code);

  LogicalResult operator()(DataRef arguments, Data &yields) {
    return frame.run(code.body, arguments, yields);
  }

  Frame frame;

private:
  const Code &code;
};

inline std::shared_ptr<Closure> makeClosure(Frame &frame,
                                            const Instruction &inst) {
  return std::make_shared<Closure>(frame, *inst.closure);
}

/// The elements that a force or a fill writes.
class Store {
public:
  /// Null after a trap: too many elements.
  static std::shared_ptr<Store> create(Machine &machine, Location loc,
                                       Index extents, ArrayRef<Type> types);

  /// The meaning of a write to an element that has a value. Under `reduce` the
  /// two are combined by `function`, or else by `kind`.
  struct WriteRule {
    Contract contract = Contract::Disjoint;
    arith::AtomicRMWKind kind = arith::AtomicRMWKind::assign;
    func::FuncOp function;
  };
  /// The rule for the contract and kind of `op`.
  static WriteRule getRule(Operation *op, Contract contract, Attribute kind);
  /// The rule of writes without a contract.
  WriteRule rule;

  /// A write of the program at `loc`; the index is in range.
  LogicalResult write(Machine &machine, Location loc, DataRef values,
                      Index index, const WriteRule &rule);
  LogicalResult write(Machine &machine, Location loc, DataRef values,
                      Index index) {
    return write(machine, loc, values, index, rule);
  }
  /// Sets an element. The contract does not count this as a write.
  void define(int64_t position, DataRef values);

  bool isDefined(int64_t position) const { return defined[position]; }
  /// The location of the write of the element, or `fallback` if the contract is
  /// not `disjoint` or the element is initial.
  Location getWriteLoc(int64_t position, Location fallback) const;
  void read(int64_t position, Data &out) const;
  Index getExtents() const { return extents; }

private:
  IndexVector extents;
  SmallVector<Type, 2> types;
  /// Bit patterns, one vector for each element type.
  SmallVector<std::vector<uint64_t>, 1> planes;
  std::vector<bool> defined;
  /// Under `disjoint`: the location of the first write of each element, or
  /// null.
  std::vector<const void *> writers;
};

/// The combination of `a` and `b` by the operation of `memref.atomic_rmw` of
/// this kind.
Scalar combine(arith::AtomicRMWKind kind, Scalar a, Scalar b);

/// Allocates memory; null after a trap.
std::shared_ptr<Memory> allocateMemory(Machine &machine, Location loc,
                                       Type elementType, Index extents);

#define HANDLER(OP, FUNCTION)                                                  \
  LogicalResult FUNCTION(Frame &frame, const Instruction &inst);
#include "Handlers.def"

/// Executes an operation of another dialect by InterpretableOpInterface.
LogicalResult runInterpretable(Frame &frame, const Instruction &inst);

/// Sets the result to operand 0 under other indices. Pull: element i is the
/// source's element at `toSource(i)`. Push: element i of the source goes to
/// `toTarget(i)`, or is dropped if that is nothing.
LogicalResult
setReindexed(Frame &frame, const Instruction &inst, Index extents,
             const std::function<IndexVector(Index)> &toSource,
             const std::function<std::optional<IndexVector>(Index)> &toTarget);

/// Traps unless both arrays have the same extents (rule R4).
LogicalResult checkSameExtents(Frame &frame, const Instruction &inst, Index a,
                               Index b);
/// The operands, which are pull arrays. Traps unless all have the same extents.
LogicalResult getEqualPulls(Frame &frame, const Instruction &inst,
                            SmallVectorImpl<PullPtr> &arrays);

} // namespace mlir::obs::interpreter

#endif // OBSIDIAN_LIB_INTERPRETER_MACHINE_H

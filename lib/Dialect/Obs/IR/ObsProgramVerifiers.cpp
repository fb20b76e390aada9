//===- ObsProgramVerifiers.cpp - Verifiers of push arrays and programs ----===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of ObsPushOps.td and ObsKernelOps.td. The result of fusion
// (loops over units inside fills, fills inside kernels) obeys the same rules.
//
//===----------------------------------------------------------------------===//

#include "Obsidian/Dialect/Obs/IR/Identifiers.h"
#include "Obsidian/Dialect/Obs/IR/Limits.h"
#include "Obsidian/Dialect/Obs/IR/ObsCollectives.h"
#include "Obsidian/Dialect/Obs/IR/ObsIrregular.h"
#include "Verification.h"

using namespace mlir;
using namespace mlir::obs;
using namespace mlir::obs::verification;

/// The nearest operation around `op` whose region is a separate program: a
/// fill, distribute, map, generate or reindex, a kernel or a function.
static Operation *getEnclosingProgram(Operation *op) {
  Operation *parent = op->getParentOp();
  while (parent && (isa<ParOp>(parent) ||
                    !isa<LevelScopeOpInterface, FunctionOpInterface>(parent)))
    parent = parent->getParentOp();
  return parent;
}

/// The fill that is the nearest program around `op`; emits `[outside-fill]` if
/// there is none.
static FailureOr<FillOp> findFill(Operation *op) {
  if (auto fill = dyn_cast_or_null<FillOp>(getEnclosingProgram(op)))
    return fill;
  return op->emitOpError("[outside-fill] writes the elements of the obs.fill "
                         "around it, but there is none; move it into one");
}

//===----------------------------------------------------------------------===//
// push
//===----------------------------------------------------------------------===//

LogicalResult PushOp::verify() {
  PullType source = getArray().getType();
  if (source.isNested())
    return emitOpError("[R2-nested] an array of arrays cannot be stored; "
                       "distribute over it, or join it first");
  if (failed(verifyElementTypes(*this, getType().getElementTypes(),
                                source.getElementTypes(), "the result")) ||
      failed(verifySameExtents(*this, source, "the operand", getType(),
                               "the result")))
    return failure();
  if (failed(verifyLevel(*this, getLevel(), getType())))
    return failure();
  return verifyStandsAt(*this, getLevel(), "makes");
}

//===----------------------------------------------------------------------===//
// fill and the operations in it
//===----------------------------------------------------------------------===//

LogicalResult FillOp::verify() {
  PushType type = getType();
  ArrayRef<Type> elements = type.getElementTypes();
  if (!getInit().empty() && getOnto())
    return emitOpError("[fill-init] has both init and onto; give the scalars "
                       "or the array that elements start from");
  if (!getInit().empty() &&
      failed(verifyElementTypes(*this, getInit().getTypes(), elements, "init")))
    return failure();
  if (getOnto() &&
      (failed(verifyElementTypes(*this, getOnto().getType().getElementTypes(),
                                 elements, "the array after onto")) ||
       failed(verifySameExtents(*this, getOnto().getType(),
                                "the array after onto", type, "the result"))))
    return failure();
  if (failed(verifyDynamicExtents(*this, type, getExtents())) ||
      failed(verifyBody(*this, getBody(), {}, /*yields=*/false)))
    return failure();
  if (failed(verifyContract(*this, getContract(), getKindAttr(), elements)))
    return failure();
  return verifyStandsAt(*this, type.getLevel(), "makes");
}

LogicalResult ParOp::verify() {
  if (getExtents().empty())
    return emitOpError("[par-extents] needs at least one extent");
  if (failed(verifyNotInScalarCode(*this)))
    return failure();
  Operation *program = getEnclosingProgram(*this);
  if (!isa_and_nonnull<FillOp, KernelOp>(program))
    return emitOpError(
        "[outside-fill] is a loop of the obs.fill around it, but "
        "there is none; move it into one, or use "
        "obs.distribute");
  Level level = getEnclosingScope(*this).level;
  if (getUnit() > level)
    return emitOpError("[R1-upward] hands work of level ")
           << stringifyLevel(getUnit()) << " up from level "
           << stringifyLevel(level) << "; name " << stringifyLevel(level)
           << " or a level below";
  return verifyBody(*this, getBody(), getExtents().getTypes(),
                    /*yields=*/false);
}

LogicalResult WriteOp::verify() {
  FailureOr<FillOp> fill = findFill(*this);
  if (failed(fill))
    return failure();
  Level level = getEnclosingScope(*this).level;
  if (level != Level::Thread)
    return emitOpError("[R1-write] stands in code of level ")
           << stringifyLevel(level)
           << ", where every thread would write; put it into an obs.par";
  PushType type = fill->getType();
  if (failed(verifyElementTypes(*this, getValues().getTypes(),
                                type.getElementTypes(), "the value list")))
    return failure();
  if (getIndices().size() != type.getRank())
    return emitOpError("[write-indices] has ")
           << getIndices().size() << " indices but the fill has rank "
           << type.getRank() << "; give one for each dimension";
  return verifyContract(*this, getContract().value_or(Contract::Disjoint),
                        getKindAttr(), type.getElementTypes());
}

LogicalResult PutOp::verify() {
  FailureOr<FillOp> fill = findFill(*this);
  if (failed(fill))
    return failure();
  PushType array = getArray().getType(), type = fill->getType();
  if (failed(verifyStandsAt(*this, array.getLevel(), "runs")) ||
      failed(verifyElementTypes(*this, array.getElementTypes(),
                                type.getElementTypes(), "the array")))
    return failure();
  if (array.getRank() != type.getRank() ||
      getOffsets().size() != type.getRank())
    return emitOpError("[put-offsets] has ")
           << getOffsets().size() << " offsets and an array of rank "
           << array.getRank() << " but the fill has rank " << type.getRank()
           << "; all three must agree";
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    int64_t extent = array.getExtents()[dim], bound = type.getExtentBound(dim);
    if (!ShapedType::isDynamic(extent) && !ShapedType::isDynamic(bound) &&
        extent > bound)
      return emitOpError("[R4-range] puts ")
             << extent << " elements into dimension " << dim
             << " of a fill, which has " << bound;
  }
  return verifyPutOnce(*this, *fill);
}

//===----------------------------------------------------------------------===//
// distribute
//===----------------------------------------------------------------------===//

LogicalResult DistributeOp::verify() {
  if (failed(verifyNotEmpty(*this, getArrays())))
    return failure();
  if (failed(verifyNotInScalarCode(*this)))
    return failure();
  Level enclosing = getEnclosingScope(*this).level;
  if (getLevel() > enclosing)
    return emitOpError("[R1-upward] hands work of level ")
           << stringifyLevel(getLevel()) << " up from level "
           << stringifyLevel(enclosing) << "; name "
           << stringifyLevel(enclosing) << " or a level below";
  SmallVector<Type> elements;
  Type first = getArrays().front().getType();
  for (Value array : getArrays()) {
    llvm::append_range(elements, getArrayElementTypes(array.getType()));
    if (failed(verifySameExtents(*this, array.getType(), "an operand", first,
                                 "the first operand")))
      return failure();
  }
  for (Value part : getParts()) {
    auto type = cast<PushType>(part.getType());
    if (failed(verifyLevel(*this, getOuter(), type)))
      return failure();
    if (type.getLevel() != enclosing)
      return emitOpError("[R1-level] stands in a region of level ")
             << stringifyLevel(enclosing) << " but gives an array of level "
             << stringifyLevel(type.getLevel()) << "; its results have level "
             << stringifyLevel(enclosing);
  }
  return verifyBody(*this, getBody(), elements, /*yields=*/true);
}

//===----------------------------------------------------------------------===//
// force
//===----------------------------------------------------------------------===//

/// Emits `[force-into]` or `[R4-extents]` unless the memory after `into` fits.
static LogicalResult verifyInto(ForceOp force) {
  size_t next = 0, needed = 0;
  for (Value array : force.getArrays())
    needed += getArrayElementTypes(array.getType()).size();
  if (force.getInto().size() != needed)
    return force.emitOpError("[force-into] has ")
           << force.getInto().size() << " memrefs after into but its arrays "
           << "have " << needed << " element types; give one memref for each";
  if (force.getStorage() != Storage::Auto)
    return force.emitOpError("[force-storage] has both into and in; the memory "
                             "given decides where the array lives");
  for (Value array : force.getArrays()) {
    for (Type element : getArrayElementTypes(array.getType())) {
      auto memory = cast<MemRefType>(force.getInto()[next++].getType());
      if (memory.getElementType() != element || memory.getRank() == 0 ||
          !memory.getLayout().isIdentity())
        return force.emitOpError("[force-into] cannot write elements of type ")
               << element << " into " << memory
               << "; give a memref of that element type without a layout";
      // A memref can have extents that no array has.
      auto contents = PullType::getChecked(
          [&] {
            return force.emitOpError("[force-into] cannot write into ")
                   << memory << ": ";
          },
          force.getContext(), memory.getShape(), ArrayRef<Type>(element));
      if (!contents ||
          failed(verifySameExtents(force, array.getType(), "an array", contents,
                                   "its memref")))
        return failure();
    }
  }
  return success();
}

/// Emits `[force-storage]` where no instance of the level could own such
/// memory.
static LogicalResult verifyStorage(ForceOp force, Level level) {
  Storage storage = force.getStorage();
  bool fits = true;
  if (level == Level::Grid)
    fits = storage != Storage::Registers && storage != Storage::Shared;
  else
    fits = storage != Storage::Constant && storage != Storage::Global;
  if (fits)
    return success();
  return force.emitOpError("[force-storage] an array of level ")
         << stringifyLevel(level) << " cannot live in "
         << stringifyStorage(storage) << "; "
         << (level == Level::Grid
                 ? "at level grid use global or constant"
                 : "below level grid use registers or shared; what is to be in "
                   "global memory is forced at level grid, or into a memref");
}

LogicalResult ForceOp::verify() {
  if (failed(verifyNotEmpty(*this, getArrays())))
    return failure();
  if (getArrays().size() != getResults().size())
    return emitOpError("[force-results] has ")
           << getArrays().size() << " arrays but " << getResults().size()
           << " results; each array gives one";
  if (failed(verifyNotInScalarCode(*this)))
    return failure();
  Level level = getArrayLevel();
  for (auto [array, result] : llvm::zip(getArrays(), getResults())) {
    auto push = dyn_cast<PushType>(array.getType());
    if (failed(verifyStandsAt(*this, push ? push.getLevel() : level, "forces")))
      return failure();
    PullType type = push ? push.getPullType() : cast<PullType>(array.getType());
    if (type != result.getType())
      return emitOpError("[force-results] gives ")
             << type << ", not " << result.getType();
    if (type.isNested())
      return emitOpError("[R2-nested] the elements are arrays; join them "
                         "first, or distribute over them");
    if (level != Level::Grid && !type.isBounded())
      return emitOpError("[R2-bounded] forces an array of unknown extent below "
                         "level grid, for which no space can be reserved; give "
                         "it static extents or a bound, as in ? x f32 bound "
                         "[1024]");
  }
  if (level != Level::Grid && (getKernel() || getThreads()))
    return emitOpError("[force-kernel] 'kernel' and 'threads' are for a force "
                       "of level grid, which is a kernel; drop them");
  // Code generators call functions of names that begin with "__", and this one.
  if (auto name = getKernel();
      name &&
      (!isIdentifier(*name) || name->starts_with("__") || *name == "vprintf"))
    return emitOpError("[force-kernel] '")
           << *name
           << "' is not a valid name of a kernel: use letters, digits and '_', "
              "do not begin with a digit or '__', and do not use 'vprintf'";
  if (getThreads() && (static_cast<int64_t>(*getThreads()) < 1 ||
                       static_cast<int64_t>(*getThreads()) > maxThreads))
    return emitOpError("[force-threads] 'threads' must be 1 to ")
           << maxThreads << ", not " << static_cast<int64_t>(*getThreads());
  if (failed(verifyStorage(*this, level)))
    return failure();
  if (getInto().empty())
    return success();
  if (failed(verifyInto(*this)))
    return failure();
  return verifyViewUses(*this);
}

//===----------------------------------------------------------------------===//
// yield
//===----------------------------------------------------------------------===//

/// Emits `[R1-yield]` or `[R4-extents]` unless the yielded arrays of a
/// distribute match its results.
static LogicalResult verifyYield(YieldOp yield, DistributeOp distribute) {
  if (yield.getValues().size() != distribute.getParts().size())
    return yield.emitOpError("[yield-types] yields ")
           << yield.getValues().size() << " arrays but the distribute has "
           << distribute.getParts().size() << " results";
  Type outer = distribute.getArrays().front().getType();
  unsigned outerRank = getArrayExtents(outer).size();
  for (auto [value, part] :
       llvm::zip(yield.getValues(), distribute.getParts())) {
    auto inner = dyn_cast<PushType>(value.getType());
    if (!inner || inner.getLevel() != distribute.getLevel())
      return yield.emitOpError("[R1-yield] a distribute ")
             << stringifyLevel(distribute.getLevel())
             << " yields push arrays of that level, not " << value.getType()
             << "; push it at level " << stringifyLevel(distribute.getLevel());
    auto result = cast<PushType>(part.getType());
    if (failed(verifyElementTypes(yield, inner.getElementTypes(),
                                  result.getElementTypes(), "the array")))
      return failure();
    if (result.getRank() != outerRank + inner.getRank())
      return yield.emitOpError("[R4-extents] the result of the distribute has "
                               "rank ")
             << result.getRank() << " but " << outerRank
             << " dimensions of parts and " << inner.getRank()
             << " of a part make " << outerRank + inner.getRank();
    for (unsigned dim = 0; dim < result.getRank(); ++dim) {
      ExtentInfo extent = dim < outerRank
                              ? getExtentInfo(outer, dim)
                              : getExtentInfo(inner, dim - outerRank);
      if (!extentsAgree(extent, getExtentInfo(result, dim)))
        return yield.emitOpError("[R4-extents] dimension ")
               << dim << " of the result of the distribute does not agree "
               << "with the extent of "
               << (dim < outerRank ? "the parts" : "the yielded array")
               << "; its extents are those of the parts, then those of a part";
    }
  }
  return success();
}

LogicalResult YieldOp::verify() {
  Operation *parent = (*this)->getParentOp();
  if (auto distribute = dyn_cast_or_null<DistributeOp>(parent))
    return verifyYield(*this, distribute);
  SmallVector<Type> expected;
  if (auto reindex = dyn_cast_or_null<ReindexOp>(parent)) {
    // A gather yields indices of the source, a scatter those of the result.
    Type source = reindex.getArray().getType();
    Type range = isa<PushType>(source) ? reindex.getType() : source;
    expected.assign(getArrayExtents(range).size(),
                    IndexType::get(getContext()));
  } else if (isa_and_nonnull<MapOp, GenerateOp, ExpandOp>(parent)) {
    llvm::append_range(expected,
                       getArrayElementTypes(parent->getResult(0).getType()));
  } else if (isa_and_nonnull<PartitionOp>(parent)) {
    // Any type of integers ([integer-type]).
    llvm::append_range(expected, getValues().getTypes());
  } else if (auto collective =
                 dyn_cast_or_null<CollectiveOpInterface>(parent)) {
    llvm::append_range(expected,
                       getArrayElementTypes(collective.getArray().getType()));
  } else {
    return emitOpError("[yield-parent] ends the region of a map, generate, "
                       "reindex, distribute, expand or collective; a fill "
                       "writes by obs.write and obs.put");
  }
  if (!llvm::equal(getValues().getTypes(), expected)) {
    InFlightDiagnostic diagnostic = emitOpError("[yield-types] yields ");
    if (getValues().empty())
      diagnostic << "nothing";
    else
      diagnostic << '(' << getValues().getTypes() << ')';
    return diagnostic << " but " << parent->getName() << " needs ("
                      << TypeRange(expected) << ')';
  }
  return success();
}

//===----------------------------------------------------------------------===//
// print, kernel, launch, barrier
//===----------------------------------------------------------------------===//

LogicalResult PrintOp::verify() {
  for (Type type : getValues().getTypes())
    if (!type.isIntOrIndexOrFloat())
      return emitOpError("[print-format] cannot print ")
             << type << "; print elements, which obs.get reads";
  size_t places = getFormat().count("{}");
  if (places == getValues().size())
    return success();
  return emitOpError("[print-format] has ")
         << places << " {} in its format but " << getValues().size()
         << " values; give one value for each";
}

/// True for the types of kernel arguments: memory and scalars.
static bool isKernelArgument(Type type) {
  return isa<MemRefType>(type) || type.isIntOrIndex() || type.isF16() ||
         type.isBF16() || type.isF32() || type.isF64();
}

LogicalResult KernelOp::verify() {
  if (!llvm::hasSingleElement(getBody()))
    return emitOpError("[kernel-body] needs a body of one block");
  for (Type type : getArgumentTypes())
    if (!isKernelArgument(type))
      return emitOpError("[kernel-arguments] cannot take ")
             << type
             << "; arguments of a kernel are memrefs, integers, index, f16, "
                "bf16, f32 and f64";
  if (!getResultTypes().empty())
    return emitOpError("[kernel-results] has results; a kernel gives its "
                       "results in the memory of its arguments");
  int64_t threads = getThreads().value_or(1);
  if (threads < 1 || threads > maxThreads)
    return emitOpError("[kernel-threads] 'threads' must be an integer from 1 "
                       "to ")
           << maxThreads;
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto kernel =
      symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel)
    return emitOpError("[launch-kernel] there is no obs.kernel of the name ")
           << getKernelAttr();
  if (!llvm::equal(getArgs().getTypes(), kernel.getArgumentTypes()))
    return emitOpError("[launch-arguments] the arguments are not those of ")
           << getKernelAttr() << ", which has type "
           << kernel.getFunctionType();
  size_t units = getUnits() ? getUnits()->size() : 0;
  if (units != getWork().size() ||
      (getUnits() && !llvm::all_of(*getUnits(), llvm::IsaPred<LevelAttr>)))
    return emitOpError("[launch-work] needs a level for each number of units "
                       "in 'work'");
  return success();
}

LogicalResult BarrierOp::verify() {
  if (!(*this)->getParentOfType<LevelScopeOpInterface>() &&
      getEnclosingScope(*this).level == Level::Grid)
    return emitOpError("[barrier-scope] stands in a host function, and waits "
                       "for threads of a kernel; the host needs no barrier");
  if (getScope() == Level::Warp || getScope() == Level::Block)
    return success();
  return emitOpError("[barrier-scope] no barrier waits for level ")
         << stringifyLevel(getScope()) << "; use warp or block";
}

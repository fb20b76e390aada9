//===- ObsTypes.td - Types of the obs dialect -------------*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_DIALECT_OBS_IR_OBSTYPES_TD
#define OBSIDIAN_DIALECT_OBS_IR_OBSTYPES_TD

include "Obsidian/Dialect/Obs/IR/ObsAttrs.td"

class Obs_ArrayType<string cppName, string typeMnemonic>
    : Obs_Type<cppName, typeMnemonic> {
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  code commonDeclarations = [{
    /// Number of dimensions; at least 1.
    unsigned getRank() const { return getExtents().size(); }
    bool isDynamicExtent(unsigned dim) const {
      return ::mlir::ShapedType::isDynamic(getExtents()[dim]);
    }
    bool hasStaticExtents() const {
      return !::mlir::ShapedType::isDynamicShape(getExtents());
    }
    /// Number of extents that are not part of the type.
    unsigned getNumDynamicExtents() const {
      return ::llvm::count_if(getExtents(), ::mlir::ShapedType::isDynamic);
    }
    /// The static extent of `dim`, its static upper bound, or kDynamic.
    int64_t getExtentBound(unsigned dim) const {
      return isDynamicExtent(dim)
                 ? (getBounds().empty() ? ::mlir::ShapedType::kDynamic : getBounds()[dim])
                 : getExtents()[dim];
    }
    /// True when space for the array can be reserved at compile time.
    bool isBounded() const {
      for (unsigned dim = 0, e = getRank(); dim < e; ++dim)
        if (::mlir::ShapedType::isDynamic(getExtentBound(dim)))
          return false;
      return true;
    }
    /// Extents with dynamic ones replaced by their bounds (kDynamic if none).
    ::llvm::SmallVector<int64_t> getBoundedExtents() const {
      ::llvm::SmallVector<int64_t> result;
      for (unsigned dim = 0, e = getRank(); dim < e; ++dim)
        result.push_back(getExtentBound(dim));
      return result;
    }
  }];
}

def Obs_PullType : Obs_ArrayType<"Pull", "pull"> {
  let summary = "Virtual array that can be read at any index";
  let description = [{
    The array consists of extents and a function from an index to an element.

    ```mlir
    !obs.pull<512 x f32>                        // static extent
    !obs.pull<? x 4 x f32>                      // rank 2, one dynamic extent
    !obs.pull<? x i32 bound [1024]>             // dynamic, at most 1024
    !obs.pull<512 x i32, f32>                   // array of pairs
    !obs.pull<? x !obs.pull<512 x f32>>         // nested: virtual only
    ```

    With several element types, `obs.get` has several results. `bound` has one
    entry for each extent: `?`, or a number that is not negative. For a static
    extent, the number is that extent.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$extents,
    ArrayRefParameter<"int64_t">:$bounds,
    ArrayRefParameter<"::mlir::Type">:$elementTypes);
  let extraClassDeclaration = commonDeclarations # [{
    /// True when the elements are arrays themselves.
    bool isNested() const {
      return ::llvm::any_of(getElementTypes(),
                            [](::mlir::Type type) { return ::mlir::isa<PullType>(type); });
    }
  }];
  let builders = [
    TypeBuilder<(ins "::llvm::ArrayRef<int64_t>":$extents,
                     "::llvm::ArrayRef<::mlir::Type>":$elementTypes), [{
      return $_get($_ctxt, extents, ::llvm::ArrayRef<int64_t>(), elementTypes);
    }]>
  ];
}

def Obs_PushType : Obs_ArrayType<"Push", "push"> {
  let summary = "Virtual array that writes all of its elements itself";
  let description = [{
    The array consists of extents, a level, and a program of that level. The
    program passes elements and their indices to a writer. The array is not in
    memory.

    ```mlir
    !obs.push<block, 512 x i32>
    !obs.push<grid, ? x 4 x i32, f32>
    !obs.push<warp, ? x f32 bound [64]>
    ```
  }];
  let parameters = (ins
    EnumParameter<Obs_Level>:$level,
    ArrayRefParameter<"int64_t">:$extents,
    ArrayRefParameter<"int64_t">:$bounds,
    ArrayRefParameter<"::mlir::Type">:$elementTypes);
  let extraClassDeclaration = commonDeclarations # [{
    /// The type of the result of a force of this array.
    ::mlir::obs::PullType getPullType() const;
  }];
  let builders = [
    TypeBuilder<(ins "Level":$level, "::llvm::ArrayRef<int64_t>":$extents,
                     "::llvm::ArrayRef<::mlir::Type>":$elementTypes), [{
      return $_get($_ctxt, level, extents, ::llvm::ArrayRef<int64_t>(), elementTypes);
    }]>
  ];
}

def Obs_AnyArray : AnyTypeOf<[Obs_PullType, Obs_PushType], "pull or push array">;

#endif // OBSIDIAN_DIALECT_OBS_IR_OBSTYPES_TD

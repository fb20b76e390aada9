//===- TestOps.td - A dialect from outside -*- tablegen -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TEST_OPS_TD
#define TEST_OPS_TD

include "Obsidian/Dialect/Obs/IR/ObsInterfaces.td"
include "Obsidian/Dialect/Obs/IR/ObsTypes.td"
include "Obsidian/Interpreter/InterpreterInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Test_Dialect : Dialect {
  let name = "test";
  let cppNamespace = "::test";
  let dependentDialects = ["::mlir::obs::ObsDialect"];
}

class Test_Op<string mnemonic, list<Trait> traits>
    : Op<Test_Dialect, mnemonic, traits>;

defvar Interpreted = DeclareOpInterfaceMethods<Obs_InterpretableOpInterface>;

//===----------------------------------------------------------------------===//
// Index maps
//===----------------------------------------------------------------------===//

def Test_DropOp : Test_Op<"drop", [Pure, Interpreted, Obs_PullOpInterface, Obs_PushOpInterface,
    DeclareOpInterfaceMethods<Obs_ArrayOpInterface, ["buildExtent", "buildChecks"]>,
    DeclareOpInterfaceMethods<Obs_IndexMapOpInterface,
      ["isInjective", "isContiguous", "buildBegin"]>]> {
  let summary = "All elements but the first `count`";
  let arguments = (ins Obs_AnyArray:$array, Index:$count);
  let results = (outs Obs_AnyArray:$result);
  let assemblyFormat = "$array `,` $count attr-dict `:` qualified(type($array)) `->` qualified(type($result))";
  let extraClassDeclaration = [{
    ::mlir::obs::IndexChange buildTarget(::mlir::OpBuilder &builder, ::mlir::Location loc);
  }];
}

def Test_EvensOp : Test_Op<"evens", [Pure, Obs_PullOpInterface,
    DeclareOpInterfaceMethods<Obs_ArrayOpInterface, ["buildExtent"]>,
    DeclareOpInterfaceMethods<Obs_IndexMapOpInterface>]> {
  let summary = "Every second element of a pull array; not interpreted";
  let arguments = (ins Obs_AnyArray:$array);
  let results = (outs Obs_AnyArray:$result);
  let assemblyFormat = "$array attr-dict `:` qualified(type($array)) `->` qualified(type($result))";
}

def Test_PairUpOp : Test_Op<"pair_up", [Pure, Interpreted, Obs_PullOpInterface, Obs_PushOpInterface,
    DeclareOpInterfaceMethods<Obs_ArrayOpInterface, ["buildExtent"]>,
    DeclareOpInterfaceMethods<Obs_IndexMapOpInterface>]> {
  let summary = "Every second element; writes two elements to one place if the source is a push array";
  let arguments = (ins Obs_AnyArray:$array);
  let results = (outs Obs_AnyArray:$result);
  let assemblyFormat = "$array attr-dict `:` qualified(type($array)) `->` qualified(type($result))";
  let extraClassDeclaration = [{
    ::mlir::obs::IndexChange buildTarget(::mlir::OpBuilder &builder, ::mlir::Location loc);
  }];
}

//===----------------------------------------------------------------------===//
// Array operations
//===----------------------------------------------------------------------===//

def Test_WindowOp : Test_Op<"window", [Pure, Interpreted,
    DeclareOpInterfaceMethods<Obs_ArrayOpInterface,
      ["buildExtent", "buildChecks", "isElementwise"]>,
    DeclareOpInterfaceMethods<Obs_PullOpInterface>]> {
  let summary = "Sums of `size` neighbours";
  let arguments = (ins Obs_PullType:$array, I64Attr:$size);
  let results = (outs Obs_PullType:$result);
  let assemblyFormat = "$array `size` $size attr-dict `:` qualified(type($array)) `->` qualified(type($result))";
}

def Test_RepeatOp : Test_Op<"repeat", [Pure, Interpreted,
    DeclareOpInterfaceMethods<Obs_ArrayOpInterface, ["buildExtent"]>,
    DeclareOpInterfaceMethods<Obs_PushOpInterface>]> {
  let summary = "Each element `times` times, written by one thread";
  let arguments = (ins Obs_PullType:$array, I64Attr:$times);
  let results = (outs Obs_PushType:$result);
  let assemblyFormat = "$array `times` $times attr-dict `:` qualified(type($array)) `->` qualified(type($result))";
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

def Test_DigestOp : Test_Op<"digest", [NoMemoryEffect, Interpreted,
    DeclareOpInterfaceMethods<Obs_ExpandableOpInterface, ["expand"]>]> {
  let summary = "The digits of an array as a number to a base";
  let description = [{
    One element of 32 bits: `(...(a[0] * b + a[1]) * b + ...) + a[n - 1]`.
    Strategies: `horner` at level thread, `stripes` and `tree` at warp and block,
    `two_kernels` at grid.
  }];
  let arguments = (ins Obs_PullType:$array, I32:$base, OptionalAttr<StrAttr>:$strategy);
  let results = (outs Obs_PushType:$result);
  let assemblyFormat = "$array `base` $base attr-dict `:` qualified(type($array)) `->` qualified(type($result))";
}

//===----------------------------------------------------------------------===//
// Operations that lack something
//===----------------------------------------------------------------------===//

def Test_ClearedOp : Test_Op<"cleared", [Pure,
    DeclareOpInterfaceMethods<Obs_PushOpInterface>,
    DeclareOpInterfaceMethods<Obs_ProgramOpInterface, ["hasInitialContents"]>]> {
  let summary = "The elements of an array, after zeros; it has no program";
  let arguments = (ins Obs_PullType:$array);
  let results = (outs Obs_PushType:$result);
  let assemblyFormat = "$array attr-dict `:` qualified(type($array)) `->` qualified(type($result))";
}

def Test_UnfinishedOp : Test_Op<"unfinished", [NoMemoryEffect, Obs_ExpandableOpInterface]> {
  let summary = "A collective that is not expanded";
  let arguments = (ins Obs_PullType:$array);
  let results = (outs Obs_PushType:$result);
  let assemblyFormat = "$array attr-dict `:` qualified(type($array)) `->` qualified(type($result))";
}

def Test_NoSourceOp : Test_Op<"no_source", [Pure, Obs_PullOpInterface,
    DeclareOpInterfaceMethods<Obs_IndexMapOpInterface>]> {
  let summary = "An index map of what is no array";
  let arguments = (ins Index:$array);
  let results = (outs Obs_PullType:$result);
  let assemblyFormat = "$array attr-dict `:` qualified(type($result))";
}

def Test_OpaqueOp : Test_Op<"opaque", [Pure]> {
  let summary = "An array operation without interfaces";
  let arguments = (ins Obs_AnyArray:$array);
  let results = (outs Obs_AnyArray:$result);
  let assemblyFormat = "$array attr-dict `:` qualified(type($array)) `->` qualified(type($result))";
}

#endif // TEST_OPS_TD

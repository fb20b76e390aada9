//===- LaunchContract.h - How to launch a program ---------------*- C++ -*-===//
//
// Part of the Obsidian project, under the Apache License v2.0 with LLVM
// Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef OBSIDIAN_TARGET_LAUNCHCONTRACT_H
#define OBSIDIAN_TARGET_LAUNCHCONTRACT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace mlir::obs {

/// The information that a program in any language needs to launch the kernels
/// of a module after `obs-to-gpu`, compiled for `chip`. One object:
///
///   { "version": 1, "target": "sm_90", "kernels": [ KERNEL... ],
///     "functions": [ FUNCTION... ] }
///
/// Each KERNEL has
/// - "entry": the name in the PTX;
/// - "parameters", in order. Each has a "name" (of the program's `obs.name`,
/// after
///   that the extents `NAME_extent`, or `arg` and its number), a "kind", an
///   "elementType" as in MLIR and its "size" in bytes. Kinds are "pointer",
///   with "access" (`none`, `read`, `write`, `readwrite` or `accumulate`, which
///   is by atomic operations alone), "alignment" in bytes, "extents" (numbers,
///   or names of parameters or other host values), "aliases" (other parameters
///   that get the same array, or may, by a kernel that works in place) and,
///   where the array must be prepared, "initial":
///   `{"fill": value}` or
///   `{"copy": name}`; "extent", with the "pointer" and the "dimension" that it
///   belongs to where it does; and "scalar";
/// - "grid": the number of blocks of one launch along x, as an expression of
///   the parameters;
/// - "block": the number of threads of a block along x;
/// - "sharedBytes": dynamic shared memory, a number or an expression;
/// - "workspace": memory beside the parameters, always empty;
/// - "launches": for each place of the program that launches it the "function"
///   and its "grid".
///
/// An expression has 64-bit integers that are not negative where it matters,
/// names, `+ - * & | ^ << >>` in parentheses, `max`, `min`, `ceildiv`,
/// `floordiv`, `mod`, `truncdiv`, `truncmod`, `select(condition, then, else)`,
/// `eq`, `ne` and `slt`, `ult` and so on; in functions `dim(array, number)`
/// too.
///
/// Each FUNCTION is a program of the host:
/// - "name", "parameters" and "results": each has its "kind", "array" or
///   "scalar", "elementType" and "size"; an array its "rank". A parameter has a
///   "name", a result its "value". Arrays are in device memory, row by row;
/// - "steps", in order. The member "step" of each is its kind:
///   - "let": "name" is "value", which is of "type";
///   - "allocate" and "host": "name" is a new array of "extents" in device
///     memory or of the host, of "elementType" and "size"; "free": "array" is
///     used no more, as is what the body of a loop has allocated and does not
///     pass on;
///   - "fill": every element of "array" is "value"; "copy": into "array"
///     "from" another one;
///   - "view": "name" is "array" with other "extents", from its element number
///     "offset" on, row by row, if there is one; "part": is the part at
///     "offsets" with "extents";
///   - "load": "name" is the element of "array" "at" some place; "store":
///     "value" is it from now on;
///   - "launch": "kernel" with "grid", "block", "sharedBytes" and "arguments";
///   - "for": "name" goes "from", "to" (without it), "by"; "carried" are pairs
///     of "name" and "initial" for the "steps", "next" their values for the
///     next iteration, and "results" the names of the last ones after it;
///   - "while": "carried" as above are for the steps of "test", after which
///     "condition" says whether to go on; "passed" become the "names" for
///     "steps", or the "results", and "next" is as above;
///   - "if": "condition", steps "then" and "else", whose "thenValues" or
///     "elseValues" become the "results";
///   - "assert": "condition" holds, or else "message"; "print": "format" with
///     "values", which are of "types", in place of each `{}`, other braces as
///     they are;
/// - "unsupported" in place of "steps" names an operation without such a step.
///
/// Chips that are not known are an error.
llvm::Expected<llvm::json::Value> getLaunchContract(ModuleOp module,
                                                    StringRef chip);

} // namespace mlir::obs

#endif // OBSIDIAN_TARGET_LAUNCHCONTRACT_H

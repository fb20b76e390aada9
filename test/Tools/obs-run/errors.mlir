// Every mistake causes one clear error and leaves nothing behind.
//
// RUN: rm -rf %t && mkdir %t
// DEFINE: %{check} = FileCheck %s --implicit-check-not=error: --check-prefix

// The program.
// RUN: not obs-run %t/none.mlir 2>&1 | %{check}=NOFILE
// NOFILE: error: cannot open input file '{{.*}}none.mlir': No such file or directory
// RUN: echo 'func.func @main( { }' > %t/bad.mlir
// RUN: not obs-run %t/bad.mlir 2>&1 | %{check}=SYNTAX
// SYNTAX: bad.mlir:1:17: error: expected
// RUN: not obs-run %s 2>&1 | %{check}=CHOOSE
// CHOOSE: error: choose a function of {{.*}}errors.mlir with --entry; its public functions: array, scalar, divide, nested
// RUN: not obs-run %s --entry=missing 2>&1 | %{check}=ENTRY
// ENTRY: error: {{.*}}errors.mlir has no function 'missing' with a body; its public functions: array, scalar, divide, nested
// RUN: not obs-run %s --entry=nested zeros:2xi32 2>&1 | %{check}=NESTED
// NESTED: error: parameter 1 of the function has the type !obs.push<grid, ? x i32>, which is neither a scalar nor an array of scalars in memory
// RUN: echo 'func.func @part(%%a: i32) -> i32 attributes {obs.level = #obs.level<block>} { return %%a : i32 }' > %t/part.mlir
// RUN: not obs-run %t/part.mlir --device=emulate 1 2>&1 | %{check}=PART
// PART: part.mlir:1:1: error: 'func.func' op [call-inline] is a function of a level
// RUN: not obs-run %s --entry=divide 1 0 2>&1 | %{check}=TRAP
// TRAP: errors.mlir:[[#@LINE+63]]:8: error: 'arith.divsi' divides by zero

// The arguments.
// RUN: not obs-run %s --entry=array 2>&1 | %{check}=FEW
// FEW: error: 'array' needs 1 argument (?x4xi32), and 0 are given
// RUN: not obs-run %s --entry=scalar 1 2 2>&1 | %{check}=MANY
// MANY: error: 'scalar' needs 1 argument (i8), and 2 are given
// RUN: not obs-run %s --entry=scalar 256 2>&1 | %{check}=FIT
// FIT: error: argument 1, '256': '256' does not fit i8
// RUN: not obs-run %s --entry=scalar 1.5 2>&1 | %{check}=INTEGER
// INTEGER: error: argument 1, '1.5': '1.5' is not an integer of type i8
// RUN: not obs-run %s --entry=array 5 2>&1 | %{check}=ARRAY
// ARRAY: error: argument 1, '5': the parameter is an array, !obs.pull<? x 4 x i32>: give FILE.npy, FILE:i32 or zeros:1024xi32
// RUN: not obs-run %s --entry=array zeros:4x4xf32 2>&1 | %{check}=TYPE
// TYPE: error: argument 1, 'zeros:4x4xf32': its elements are f32, and the parameter's i32
// RUN: not obs-run %s --entry=array zeros:4x5xi32 2>&1 | %{check}=EXTENT
// EXTENT: error: argument 1, 'zeros:4x5xi32': its type is 4x5xi32, and the parameter's !obs.pull<? x 4 x i32>
// RUN: not obs-run %s --entry=array zeros:4xi32 2>&1 | %{check}=RANK
// RANK: error: argument 1, 'zeros:4xi32': its type is 4xi32, and
// RUN: not obs-run %s --entry=array zeros:4x4xi3x 2>&1 | %{check}=SPELLING
// SPELLING: error: argument 1, 'zeros:4x4xi3x': '4x4xi3x' is not the type of an array, as 1024xi32 is
// RUN: not obs-run %s --entry=array random:4x4xi32 2>&1 | %{check}=SEED
// SEED: error: argument 1, 'random:4x4xi32': a random array needs a seed
// RUN: not obs-run %s --entry=array zeros:99999999999999x4xi32 2>&1 | %{check}=LARGE
// LARGE: error: argument 1, {{.*}} is not the extents of an array of at most 2^40 bytes

// Files of arguments.
// RUN: obs-run %s --entry=array iota:2x4xi32 --out %t/a.npy
// RUN: not obs-run %s --entry=array %t/b.npy 2>&1 | %{check}=NONPY
// NONPY: error: argument 1, '{{.*}}b.npy': cannot be read: No such file or directory
// RUN: head -c 150 %t/a.npy > %t/short.npy
// RUN: not obs-run %s --entry=array %t/short.npy 2>&1 | %{check}=SHORT
// SHORT: error: argument 1, '{{.*}}short.npy': the file is truncated: it has 22 of 32 bytes of elements
// RUN: not obs-run %s --entry=array %t/bad.mlir:i32 2>&1 | %{check}=BYTES
// BYTES: error: argument 1, '{{.*}}bad.mlir:i32': it has 21 bytes, which is not a whole number of elements of i32
// RUN: cp %t/bad.mlir %t/text.npy
// RUN: not obs-run %s --entry=array %t/text.npy 2>&1 | %{check}=MAGIC
// MAGIC: error: argument 1, '{{.*}}text.npy': it is not a .npy file
// RUN: sed -e s/i4/f4/ %t/a.npy > %t/float.npy
// RUN: not obs-run %s --entry=array %t/float.npy 2>&1 | %{check}=FLOAT
// FLOAT: error: argument 1, '{{.*}}float.npy': its elements are float32, and the parameter's are i32 (int32)
// RUN: not obs-run %s --entry=array none.bin:i32 2>&1 | %{check}=NORAW
// NORAW: error: argument 1, 'none.bin:i32': cannot be read: No such file or directory

// The results: nothing is run, and nothing written, when one cannot be.
// RUN: not obs-run %s --entry=scalar 1 --out %t/x.npy --out %t/y.npy 2>&1 | %{check}=OUTS
// OUTS: error: 'scalar' has 1 result, and --out is given 2 times
// RUN: not obs-run %s --entry=scalar 1 --out %t/no/x.npy 2>&1 | %{check}=NOFOLDER
// NOFOLDER: error: {{.*}}x.npy: cannot be written: No such file or directory
// RUN: not obs-run %s --entry=scalar 1 --out %t 2>&1 | %{check}=FOLDER
// FOLDER: error: {{.*}}: cannot be written: it is a directory
// RUN: not obs-run %s --entry=divide 1 0 --out %t/x.npy 2>&1 | %{check}=TRAP
// RUN: ls %t | FileCheck %s --check-prefix=LS
// LS-NOT: x.npy
// LS-NOT: tmp

func.func @array(%a: !obs.pull<? x 4 x i32>) -> !obs.pull<? x 4 x i32> {
  return %a : !obs.pull<? x 4 x i32>
}
func.func @scalar(%a: i8) -> i8 {
  return %a : i8
}
func.func @divide(%a: i32, %b: i32) -> i32 {
  %r = arith.divsi %a, %b : i32
  return %r : i32
}
func.func @nested(%a: !obs.push<grid, ? x i32>) {
  return
}

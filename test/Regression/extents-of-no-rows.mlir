// The extents of the rows of an empty array are those of row 0, which nothing computes. Where they depend on an element,
// the element does not exist, and they are 0. Interpreter and kernels agree.

// DEFINE: %{entry} =
// DEFINE: %{type} = index
// DEFINE: %{check} = obs-run %s --entry=%{entry} --device=interpret zeros:0x%{type} --out=%t.i.npy && obs-run %s --entry=%{entry} --device=emulate zeros:0x%{type} --out=%t.e.npy && cmp %t.i.npy %t.e.npy && %python -c "import sys; print(open(sys.argv[1], 'rb').read()[10:].decode())" %t.e.npy
// REDEFINE: %{entry} = lengths
// RUN: %{check} | FileCheck %s --check-prefix=LENGTHS
// REDEFINE: %{entry} = generated
// RUN: %{check} | FileCheck %s --check-prefix=LENGTHS
// REDEFINE: %{type} = 5xi32
// REDEFINE: %{entry} = concat
// RUN: %{check} | FileCheck %s --check-prefix=ROWS
// REDEFINE: %{entry} = reindex
// RUN: %{check} | FileCheck %s --check-prefix=ROWS
// REDEFINE: %{entry} = reshape
// RUN: %{check} | FileCheck %s --check-prefix=RESHAPE
// RUN: obs-run %s --entry=lengths --device=emulate iota:1xindex --out=- | FileCheck %s --check-prefix=ONE
// REQUIRES: python

// LENGTHS: 'shape': (0, 0)
// ROWS: 'shape': (0, 5)
// RESHAPE: 'shape': (1, 0, 5)
// ONE: {{^\[\[\]\]$}}

// Row i has as many elements as number i says.
func.func @lengths(%lengths: !obs.pull<? x index>) -> !obs.pull<? x ? x i32> {
  %rows = obs.map (%n = %lengths : !obs.pull<? x index>) {
    %row = obs.iota [%n] : !obs.pull<? x i32>
    obs.yield %row : !obs.pull<? x i32>
  }
  %flat = obs.unnest %rows : !obs.pull<? x !obs.pull<? x i32>>
  %r = obs.force %flat : !obs.pull<? x ? x i32>
  return %r : !obs.pull<? x ? x i32>
}

func.func @generated(%lengths: !obs.pull<? x index>) -> !obs.pull<? x ? x i32> {
  %h = obs.dim %lengths, 0 : !obs.pull<? x index>
  %rows = obs.generate (%i) [%h] {
    %n = obs.get %lengths[%i] : !obs.pull<? x index>
    %row = obs.iota [%n] : !obs.pull<? x i32>
    obs.yield %row : !obs.pull<? x i32>
  } : !obs.pull<? x !obs.pull<? x i32>>
  %parts = obs.distribute block in grid (%row = %rows : !obs.pull<? x !obs.pull<? x i32>>) {
    %p = obs.push block %row : !obs.pull<? x i32>
    obs.yield %p : !obs.push<block, ? x i32>
  }
  %r = obs.force %parts : !obs.push<grid, ? x ? x i32>
  return %r : !obs.pull<? x ? x i32>
}

func.func @concat(%a: !obs.pull<? x ? x i32>) -> !obs.pull<? x ? x i32> {
  %rows = obs.nest %a dims 1 : !obs.pull<? x ? x i32>
  %two = obs.concat %rows, %rows : !obs.pull<? x !obs.pull<? x i32>>
  %flat = obs.unnest %two : !obs.pull<? x !obs.pull<? x i32>>
  %r = obs.force %flat : !obs.pull<? x ? x i32>
  return %r : !obs.pull<? x ? x i32>
}

// Row i is row n - 1 - i.
func.func @reindex(%a: !obs.pull<? x ? x i32>) -> !obs.pull<? x ? x i32> {
  %c1 = arith.constant 1 : index
  %n = obs.dim %a, 0 : !obs.pull<? x ? x i32>
  %rows = obs.nest %a dims 1 : !obs.pull<? x ? x i32>
  %last = arith.subi %n, %c1 : index
  %reversed = obs.reindex (%i) = %rows [%n] {
    %j = arith.subi %last, %i : index
    obs.yield %j : index
  } : !obs.pull<? x !obs.pull<? x i32>> -> !obs.pull<? x !obs.pull<? x i32>>
  %flat = obs.unnest %reversed : !obs.pull<? x !obs.pull<? x i32>>
  %r = obs.force %flat : !obs.pull<? x ? x i32>
  return %r : !obs.pull<? x ? x i32>
}

func.func @reshape(%a: !obs.pull<? x ? x i32>) -> !obs.pull<1 x ? x ? x i32> {
  %n = obs.dim %a, 0 : !obs.pull<? x ? x i32>
  %rows = obs.nest %a dims 1 : !obs.pull<? x ? x i32>
  %one = obs.reshape %rows [%n] : !obs.pull<? x !obs.pull<? x i32>> -> !obs.pull<1 x ? x !obs.pull<? x i32>>
  %flat = obs.unnest %one : !obs.pull<1 x ? x !obs.pull<? x i32>>
  %r = obs.force %flat : !obs.pull<1 x ? x ? x i32>
  return %r : !obs.pull<1 x ? x ? x i32>
}

// The numbers of an empty array count as 0 for the programs that read them, too.
// RUN: obs-run %s --entry=stored --device=interpret zeros:0xindex iota:3xindex --out=%t.i.npy
// RUN: obs-run %s --entry=stored --device=emulate zeros:0xindex iota:3xindex --out=%t.e.npy
// RUN: cmp %t.i.npy %t.e.npy
// RUN: obs-run %s --entry=stored --device=emulate zeros:0xindex zeros:0xindex --out=%t.e.npy
// RUN: cmp %t.i.npy %t.e.npy
func.func @stored(%rows: !obs.pull<? x index>, %lengths: !obs.pull<? x index>) -> !obs.pull<? x ? x index> {
  %parts = obs.distribute block in grid (%i = %rows : !obs.pull<? x index>) {
    %n = obs.get %lengths[%i] : !obs.pull<? x index>
    %row = obs.iota [%n] : !obs.pull<? x index>
    %p = obs.push block %row : !obs.pull<? x index>
    obs.yield %p : !obs.push<block, ? x index>
  }
  %r = obs.force %parts : !obs.push<grid, ? x ? x index>
  return %r : !obs.pull<? x ? x index>
}

// A choice between such arrays.
// RUN: obs-run %s --entry=choice --device=interpret zeros:0xindex true --out=%t.i.npy
// RUN: obs-run %s --entry=choice --device=emulate zeros:0xindex true --out=%t.e.npy
// RUN: cmp %t.i.npy %t.e.npy
func.func @choice(%lengths: !obs.pull<? x index>, %c: i1) -> !obs.pull<? x ? x i32> {
  %rows = obs.map (%n = %lengths : !obs.pull<? x index>) {
    %row = obs.iota [%n] : !obs.pull<? x i32>
    obs.yield %row : !obs.pull<? x i32>
  }
  %reversed = obs.reverse %rows : !obs.pull<? x !obs.pull<? x i32>>
  %chosen = scf.if %c -> !obs.pull<? x !obs.pull<? x i32>> {
    scf.yield %reversed : !obs.pull<? x !obs.pull<? x i32>>
  } else {
    scf.yield %rows : !obs.pull<? x !obs.pull<? x i32>>
  }
  %flat = obs.unnest %chosen : !obs.pull<? x !obs.pull<? x i32>>
  %r = obs.force %flat : !obs.pull<? x ? x i32>
  return %r : !obs.pull<? x ? x i32>
}

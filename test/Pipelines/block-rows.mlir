// A block keeps a row of a static length in registers: it reads the row once, combines its elements in order and in any
// order, and writes a result for each of them.

// DEFINE: %{columns} = 1000
// DEFINE: %{program} = sed 's/1000/%{columns}/g' %s > %t.mlir
// DEFINE: %{emulate} = obs-run %t.mlir --entry=exact --device=emulate --check=all random:3x%{columns}xi32:1
// DEFINE: %{check} = %{program} && obs-run %t.mlir --entry=exact random:3x%{columns}xi32:1 > %t.want && \
// DEFINE:   %{emulate} | diff %t.want - && \
// DEFINE:   %{emulate} --threads=17 --blocks=2 | diff %t.want - && \
// DEFINE:   %{emulate} --threads=128 --blocks=1 --schedule=random --seed=2 | diff %t.want - && \
// DEFINE:   obs-opt %t.mlir --obs-to-gpu --obs-check-races -o /dev/null 2>&1 | FileCheck %s --check-prefix=RACES
// Further launches, for an even length, an odd one and a long one.
// DEFINE: %{launches} = %{emulate} --threads=1 | diff %t.want - && \
// DEFINE:   %{emulate} --threads=32 --schedule=random --seed=1 | diff %t.want - && \
// DEFINE:   %{emulate} --threads=96 | diff %t.want - && \
// DEFINE:   %{emulate} --threads=1024 | diff %t.want -
// RACES-COUNT-2: is proved free of races

// REDEFINE: %{columns} = 1
// RUN: %{check}
// REDEFINE: %{columns} = 31
// RUN: %{check}
// REDEFINE: %{columns} = 33
// RUN: %{check}
// REDEFINE: %{columns} = 257
// RUN: %{check}
// REDEFINE: %{columns} = 512
// RUN: %{check}
// REDEFINE: %{columns} = 513
// RUN: %{check}
// RUN: %{launches}
// REDEFINE: %{columns} = 999
// RUN: %{check}
// REDEFINE: %{columns} = 1000
// RUN: %{check}
// RUN: %{launches}
// REDEFINE: %{columns} = 1002
// RUN: %{check}
// REDEFINE: %{columns} = 1025
// RUN: %{check}
// REDEFINE: %{columns} = 4097
// RUN: %{check}
// RUN: %{launches}
// REDEFINE: %{columns} = 8192
// RUN: %{check}

// Each element is loaded and stored once, 16 bytes at a time. One element of each warp goes through shared memory, with
// one barrier for each reduction.
// RUN: obs-translate --obs-to-ptx %s > %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --implicit-check-not=.local --implicit-check-not=ld.global --implicit-check-not=st.global --implicit-check-not=bar. < %t.ptx
// RUN: %if ptxas %{ ptxas -arch=sm_90 -v %t.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=PTXAS %}
// PTXAS-COUNT-2: 0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
// PTX: .entry exact(
// PTX-COUNT-2: ld.global.nc.v4.b32
// PTX: bar.sync
// PTX: bar.sync
// PTX-COUNT-2: st.global.v4.b32
// PTX: .entry softmax(
// PTX: .maxntid 128, 1, 1
// PTX-COUNT-2: ld.global.nc.v4.b32
// PTX-COUNT-5: shfl.sync
// PTX-NOT: shfl.sync
// PTX: st.shared.b32
// PTX: bar.sync
// PTX: ld.shared.v4.b32
// In order: in the first of five stages, two lanes exchange a row. A sixth one combines the two rows.
// PTX-COUNT-6: shfl.sync
// PTX-NOT: shfl.sync
// PTX: st.shared.b32
// PTX: bar.sync
// PTX: ld.shared.v4.b32
// PTX-COUNT-2: st.global.v4.b32

// 32 elements of each thread.
// RUN: sed 's/1000/8192/g' %s | obs-translate --obs-to-ptx > %t.long.ptx
// RUN: grep -cE '(ld|st)\.global' %t.long.ptx | FileCheck %s --check-prefix=ACCESSES
// RUN: grep -cE '(ld|st)\.global\..*v4' %t.long.ptx | FileCheck %s --check-prefix=ACCESSES
// RUN: grep -c 'bar.sync' %t.long.ptx | FileCheck %s --check-prefix=BARRIERS
// RUN: %if ptxas %{ ptxas -arch=sm_90 -v %t.long.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=PTXAS %}
// ACCESSES: {{^}}32{{$}}
// BARRIERS: {{^}}4{{$}}

// Rows that begin anywhere are read in the widest accesses that all of them are aligned for: 4 of 8 bytes, or 8 of 4.
// RUN: sed 's/1000/1002/g' %s | obs-translate --obs-to-ptx | grep -cE '(ld|st)\.global\..*v2' | FileCheck %s --check-prefix=PAIRS
// RUN: sed 's/1000/1001/g' %s | obs-translate --obs-to-ptx | grep -cE '(ld|st)\.global\..*b32' | FileCheck %s --check-prefix=ACCESSES
// PAIRS: {{^}}16{{$}}

!m = !obs.pull<? x 1000 x i32>
!row = !obs.pull<1000 x i32>

// The composition of i -> a i + b of all elements, from left to right, is associative and does not commute.
func.func @exact(%x: !m) -> !m {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %least = arith.constant 0x80000000 : i32
  %rows = obs.nest %x dims 1 : !m
  %parts = obs.distribute block in grid (%row = %rows : !obs.pull<? x !row>) {
    %r = obs.force %row : !row
    %most = obs.reduce { arith.maxsi } %r init %least {commutative} : !row
    %d = obs.map (%v = %r : !row) {
      %y = arith.subi %v, %most : i32
      obs.yield %y : i32
    }
    %e = obs.force %d : !row
    %functions = obs.map (%v = %e : !row) -> !obs.pull<1000 x i32, i32> {
      %a = arith.ori %v, %one : i32
      obs.yield %a, %v : i32, i32
    }
    %a, %b = obs.reduce (%a1, %b1, %a2, %b2) = %functions init %one, %zero : !obs.pull<1000 x i32, i32> -> (i32, i32) {
      %a = arith.muli %a1, %a2 : i32
      %t = arith.muli %b1, %a2 : i32
      %b = arith.addi %t, %b2 : i32
      obs.yield %a, %b : i32, i32
    }
    %y = obs.map (%v = %e : !row) {
      %t = arith.muli %a, %v : i32
      %u = arith.addi %t, %b : i32
      obs.yield %u : i32
    }
    %p = obs.push block %y : !row
    obs.yield %p : !obs.push<block, 1000 x i32>
  }
  %f = obs.force %parts {kernel = "exact"} : !obs.push<grid, ? x 1000 x i32>
  return %f : !m
}

func.func @softmax(%x: !obs.pull<? x 1000 x f32>) -> !obs.pull<? x 1000 x f32> {
  %least = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %rows = obs.nest %x dims 1 : !obs.pull<? x 1000 x f32>
  %parts = obs.distribute block in grid (%row = %rows : !obs.pull<? x !obs.pull<1000 x f32>>) {
    %r = obs.force %row : !obs.pull<1000 x f32>
    %most = obs.reduce { arith.maximumf } %r init %least {commutative} : !obs.pull<1000 x f32>
    %d = obs.map (%v = %r : !obs.pull<1000 x f32>) {
      %y = arith.subf %v, %most : f32
      obs.yield %y : f32
    }
    %exps = obs.map { math.exp } %d : !obs.pull<1000 x f32>
    %e = obs.force %exps : !obs.pull<1000 x f32>
    %sum = obs.reduce { arith.addf } %e init %zero : !obs.pull<1000 x f32>
    %y = obs.map (%v = %e : !obs.pull<1000 x f32>) {
      %t = arith.divf %v, %sum : f32
      obs.yield %t : f32
    }
    %p = obs.push block %y : !obs.pull<1000 x f32>
    obs.yield %p : !obs.push<block, 1000 x f32>
  }
  %f = obs.force %parts {kernel = "softmax"} : !obs.push<grid, ? x 1000 x f32>
  return %f : !obs.pull<? x 1000 x f32>
}

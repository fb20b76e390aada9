// Loops over a grid in tiles: of one dimension, backwards, of rank 2, of neighbours in a row, transposed; and reductions
// whose loads are side by side. Results are those of the interpreter for sizes around warps, blocks and tiles, and for
// rows whose lengths are a multiple of four, and are not.

// DEFINE: %{one} = random:0xi32:1 random:1xi32:2 random:31xi32:3 random:33xi32:4 random:100xi32:5 random:257xi32:6 random:1000xi32:7 random:1023xi32:8 random:1024xi32:9 random:1025xi32:10 random:2048xi32:11 random:4099xi32:12
// RUN: obs-run %s --entry=one %{one} > %t.one
// RUN: obs-run %s --entry=one --device=emulate --check=all %{one} | diff %t.one -
// RUN: obs-run %s --entry=one --device=emulate --check=all --threads=1 %{one} | diff %t.one -
// RUN: obs-run %s --entry=one --device=emulate --check=all --threads=17 --blocks=3 %{one} | diff %t.one -
// RUN: obs-run %s --entry=one --device=emulate --check=all --threads=32 --schedule=random --seed=3 %{one} | diff %t.one -
// RUN: obs-run %s --entry=one --device=emulate --check=all --threads=96 --blocks=1 %{one} | diff %t.one -
// RUN: obs-run %s --entry=one --device=emulate --threads=1024 %{one} | diff %t.one -
// RUN: obs-run %s --entry=one --device=emulate --no-tiles %{one} | diff %t.one -

// DEFINE: %{two} = random:1x1xi32:1 random:3x4xi32:2 random:31x33xi32:3 random:33x32xi32:4 random:1x1025xi32:5 random:1000x1xi32:6 random:7x1024xi32:7 random:257x12xi32:8
// RUN: obs-run %s --entry=two %{two} > %t.two
// RUN: obs-run %s --entry=two --device=emulate --check=all %{two} | diff %t.two -
// RUN: obs-run %s --entry=two --device=emulate --check=all --threads=17 --blocks=3 %{two} | diff %t.two -
// RUN: obs-run %s --entry=two --device=emulate --check=all --threads=32 %{two} | diff %t.two -
// RUN: obs-run %s --entry=two --device=emulate --no-tiles %{two} | diff %t.two -

// RUN: obs-opt --obs-to-gpu --obs-check-races %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=RACES
// RACES-COUNT-6: is proved free of races
// RACES-NOT: error

// Sixteen bytes at once, for any type.
// RUN: obs-translate --obs-to-ptx %s | FileCheck %s --check-prefix=PTX
// RUN: sed 's/i32/i8/g' %s | obs-translate --obs-to-ptx | FileCheck %s --check-prefix=PTX
// RUN: sed 's/i32/i16/g' %s | obs-translate --obs-to-ptx | FileCheck %s --check-prefix=PTX
// RUN: sed 's/i32/i64/g' %s | obs-translate --obs-to-ptx | FileCheck %s --check-prefix=PTX
// RUN: obs-opt --obs-to-gpu='tiles=false plain-collectives' %s | obs-translate --obs-to-ptx | FileCheck %s --check-prefix=PLAIN --implicit-check-not='.v{{[24]}}.'
// PTX: .entry increment
// PTX: ld.global.nc.v{{2.b64|4.b32}}
// PTX: st.global.v{{2.b64|4.b32}}
// PTX: .entry rows
// PTX: ld.global.nc.v{{2.b64|4.b32}}
// PTX: st.global.v{{2.b64|4.b32}}
// PLAIN: .entry increment

!v = !obs.pull<? x i32>
!m = !obs.pull<? x ? x i32>
!sum = !obs.pull<1 x i32>

func.func private @increment(%x: !v) -> !v {
  %c = arith.constant 3 : i32
  %s = obs.map (%a = %x : !v) {
    %q = arith.addi %a, %c : i32
    obs.yield %q : i32
  }
  %r = obs.force %s {kernel = "increment"} : !v
  return %r : !v
}
func.func private @back(%x: !v) -> !v {
  %s = obs.reverse %x : !v
  %r = obs.force %s {kernel = "back"} : !v
  return %r : !v
}
func.func private @sum(%x: !v) -> !sum {
  %z = arith.constant 0 : i32
  %s = obs.reduce grid { arith.addi } %x init %z {commutative} : !v
  %r = obs.force %s {kernel = "sum"} : !obs.push<grid, 1 x i32>
  return %r : !sum
}
func.func private @rows(%x: !m) -> !m {
  %c = arith.constant 3 : i32
  %s = obs.map (%a = %x : !m) {
    %q = arith.addi %a, %c : i32
    obs.yield %q : i32
  }
  %r = obs.force %s {kernel = "rows"} : !m
  return %r : !m
}
func.func private @columns(%x: !m) -> !m {
  %s = obs.transpose %x [1, 0] : !m
  %r = obs.force %s {kernel = "columns"} : !m
  return %r : !m
}
// Differences of neighbours in a row; the last is that to the first of the row.
func.func private @differences(%x: !m) -> !m {
  %c1 = arith.constant 1 : index
  %h = obs.dim %x, 0 : !m
  %w = obs.dim %x, 1 : !m
  %c0 = arith.constant 0 : index
  %s = obs.generate (%i, %j) [%h, %w] {
    %next = arith.addi %j, %c1 : index
    %is_in = arith.cmpi ult, %next, %w : index
    %k = arith.select %is_in, %next, %c0 : index
    %a = obs.get %x[%i, %j] : !m
    %b = obs.get %x[%i, %k] : !m
    %q = arith.subi %b, %a : i32
    obs.yield %q : i32
  } : !m
  %r = obs.force %s {kernel = "differences"} : !m
  return %r : !m
}
func.func @one(%a0: !v, %a1: !v, %a2: !v, %a3: !v, %a4: !v, %a5: !v, %a6: !v, %a7: !v, %a8: !v, %a9: !v, %a10: !v, %a11: !v) -> (!v, !v, !sum, !v, !v, !sum, !v, !v, !sum, !v, !v, !sum, !v, !v, !sum, !v, !v, !sum, !v, !v, !sum, !v, !v, !sum, !v, !v, !sum, !v, !v, !sum, !v, !v, !sum, !v, !v, !sum) {
  %increment0 = func.call @increment(%a0) : (!v) -> !v
  %back0 = func.call @back(%a0) : (!v) -> !v
  %sum0 = func.call @sum(%a0) : (!v) -> !sum
  %increment1 = func.call @increment(%a1) : (!v) -> !v
  %back1 = func.call @back(%a1) : (!v) -> !v
  %sum1 = func.call @sum(%a1) : (!v) -> !sum
  %increment2 = func.call @increment(%a2) : (!v) -> !v
  %back2 = func.call @back(%a2) : (!v) -> !v
  %sum2 = func.call @sum(%a2) : (!v) -> !sum
  %increment3 = func.call @increment(%a3) : (!v) -> !v
  %back3 = func.call @back(%a3) : (!v) -> !v
  %sum3 = func.call @sum(%a3) : (!v) -> !sum
  %increment4 = func.call @increment(%a4) : (!v) -> !v
  %back4 = func.call @back(%a4) : (!v) -> !v
  %sum4 = func.call @sum(%a4) : (!v) -> !sum
  %increment5 = func.call @increment(%a5) : (!v) -> !v
  %back5 = func.call @back(%a5) : (!v) -> !v
  %sum5 = func.call @sum(%a5) : (!v) -> !sum
  %increment6 = func.call @increment(%a6) : (!v) -> !v
  %back6 = func.call @back(%a6) : (!v) -> !v
  %sum6 = func.call @sum(%a6) : (!v) -> !sum
  %increment7 = func.call @increment(%a7) : (!v) -> !v
  %back7 = func.call @back(%a7) : (!v) -> !v
  %sum7 = func.call @sum(%a7) : (!v) -> !sum
  %increment8 = func.call @increment(%a8) : (!v) -> !v
  %back8 = func.call @back(%a8) : (!v) -> !v
  %sum8 = func.call @sum(%a8) : (!v) -> !sum
  %increment9 = func.call @increment(%a9) : (!v) -> !v
  %back9 = func.call @back(%a9) : (!v) -> !v
  %sum9 = func.call @sum(%a9) : (!v) -> !sum
  %increment10 = func.call @increment(%a10) : (!v) -> !v
  %back10 = func.call @back(%a10) : (!v) -> !v
  %sum10 = func.call @sum(%a10) : (!v) -> !sum
  %increment11 = func.call @increment(%a11) : (!v) -> !v
  %back11 = func.call @back(%a11) : (!v) -> !v
  %sum11 = func.call @sum(%a11) : (!v) -> !sum
  return %increment0, %back0, %sum0, %increment1, %back1, %sum1, %increment2, %back2, %sum2, %increment3, %back3, %sum3, %increment4, %back4, %sum4, %increment5, %back5, %sum5, %increment6, %back6, %sum6, %increment7, %back7, %sum7, %increment8, %back8, %sum8, %increment9, %back9, %sum9, %increment10, %back10, %sum10, %increment11, %back11, %sum11 : !v, !v, !sum, !v, !v, !sum, !v, !v, !sum, !v, !v, !sum, !v, !v, !sum, !v, !v, !sum, !v, !v, !sum, !v, !v, !sum, !v, !v, !sum, !v, !v, !sum, !v, !v, !sum, !v, !v, !sum
}
func.func @two(%a0: !m, %a1: !m, %a2: !m, %a3: !m, %a4: !m, %a5: !m, %a6: !m, %a7: !m) -> (!m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m) {
  %rows0 = func.call @rows(%a0) : (!m) -> !m
  %columns0 = func.call @columns(%a0) : (!m) -> !m
  %differences0 = func.call @differences(%a0) : (!m) -> !m
  %rows1 = func.call @rows(%a1) : (!m) -> !m
  %columns1 = func.call @columns(%a1) : (!m) -> !m
  %differences1 = func.call @differences(%a1) : (!m) -> !m
  %rows2 = func.call @rows(%a2) : (!m) -> !m
  %columns2 = func.call @columns(%a2) : (!m) -> !m
  %differences2 = func.call @differences(%a2) : (!m) -> !m
  %rows3 = func.call @rows(%a3) : (!m) -> !m
  %columns3 = func.call @columns(%a3) : (!m) -> !m
  %differences3 = func.call @differences(%a3) : (!m) -> !m
  %rows4 = func.call @rows(%a4) : (!m) -> !m
  %columns4 = func.call @columns(%a4) : (!m) -> !m
  %differences4 = func.call @differences(%a4) : (!m) -> !m
  %rows5 = func.call @rows(%a5) : (!m) -> !m
  %columns5 = func.call @columns(%a5) : (!m) -> !m
  %differences5 = func.call @differences(%a5) : (!m) -> !m
  %rows6 = func.call @rows(%a6) : (!m) -> !m
  %columns6 = func.call @columns(%a6) : (!m) -> !m
  %differences6 = func.call @differences(%a6) : (!m) -> !m
  %rows7 = func.call @rows(%a7) : (!m) -> !m
  %columns7 = func.call @columns(%a7) : (!m) -> !m
  %differences7 = func.call @differences(%a7) : (!m) -> !m
  return %rows0, %columns0, %differences0, %rows1, %columns1, %differences1, %rows2, %columns2, %differences2, %rows3, %columns3, %differences3, %rows4, %columns4, %differences4, %rows5, %columns5, %differences5, %rows6, %columns6, %differences6, %rows7, %columns7, %differences7 : !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m, !m
}

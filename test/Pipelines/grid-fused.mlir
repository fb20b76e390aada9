// One kernel at level grid fuses each collective on tuples with a map before and
// a map after it. Only a reduction by `reduce(...)` is final when all is done,
// so the map after it belongs to those who read the result.
// DEFINE: %{plan} = obs-opt --pass-pipeline='builtin.module(inline,obs-expand-collectives,obs-unroll-loops,canonicalize,cse,obs-fuse-arrays,obs-batch-distribute,obs-fuse-arrays,canonicalize,cse,obs-to-launches)' -o /dev/null
// DEFINE: %{args} = random:0xi32:1 random:1xi32:2 random:33xi32:3 random:1000xi32:4
// RUN: %{plan} %s 2>&1 | FileCheck %s

// Of 0, 1, 33 and 1000 elements.
// RUN: obs-run %s --device=interpret %{args} > %t
// RUN: obs-run %s --device=emulate --check=all %{args} | diff %t -
// RUN: obs-run %s --device=emulate --threads=96 --blocks=3 --schedule=random --seed=5 %{args} | diff %t -

!v = !obs.pull<? x i32>
!vv = !obs.pull<? x i32, i32>
!flags = !obs.pull<? x i1>
!p = !obs.push<grid, ? x i32>
!pp = !obs.push<grid, ? x i32, i32>

// Pairs (x, 3 x) of small numbers: a map before.
func.func private @pairs(%a: !v) -> !vv {
  %mask = arith.constant 1023 : i32
  %three = arith.constant 3 : i32
  %r = obs.map (%x = %a : !v) -> !vv {
    %y = arith.andi %x, %mask : i32
    %z = arith.muli %y, %three : i32
    obs.yield %y, %z : i32, i32
  }
  return %r : !vv
}

// Every fourth element or so.
func.func private @flags(%a: !v) -> !flags {
  %three = arith.constant 3 : i32
  %zero = arith.constant 0 : i32
  %r = obs.map (%x = %a : !v) -> !flags {
    %y = arith.andi %x, %three : i32
    %f = arith.cmpi eq, %y, %zero : i32
    obs.yield %f : i1
  }
  return %r : !flags
}

// Sum and maximum, then their difference.
// CHECK-LABEL: remark: plan of 'reduce': 1 kernel,
func.func @reduce(%a: !v) -> !obs.pull<1 x i32> {
  %zero = arith.constant 0 : i32
  %x = func.call @pairs(%a) : (!v) -> !vv
  %s = obs.reduce (%p, %q, %r, %t) = %x init %zero, %zero : !vv -> !obs.push<grid, 1 x i32, i32> {
    %u = arith.addi %p, %r : i32
    %w = arith.maxsi %q, %t : i32
    obs.yield %u, %w : i32, i32
  }
  %m = obs.map (%p, %q = %s : !obs.push<grid, 1 x i32, i32>) -> !obs.push<grid, 1 x i32> {
    %d = arith.subi %p, %q : i32
    obs.yield %d : i32
  }
  %f = obs.force %m : !obs.push<grid, 1 x i32> -> !obs.pull<1 x i32>
  return %f : !obs.pull<1 x i32>
}

// CHECK-LABEL: remark: plan of 'scan': 1 kernel,
func.func @scan(%a: !v) -> !v {
  %zero = arith.constant 0 : i32
  %x = func.call @pairs(%a) : (!v) -> !vv
  %s = obs.scan inclusive (%p, %q, %r, %t) = %x init %zero, %zero : !vv -> !pp {
    %u = arith.addi %p, %r : i32
    %w = arith.maxsi %q, %t : i32
    obs.yield %u, %w : i32, i32
  }
  %m = obs.map (%p, %q = %s : !pp) -> !p {
    %d = arith.subi %p, %q : i32
    obs.yield %d : i32
  }
  %f = obs.force %m : !p -> !v
  return %f : !v
}

// The totals come from the same kernel.
// CHECK-LABEL: remark: plan of 'exclusive_scan': 1 kernel,
func.func @exclusive_scan(%a: !v) -> (!v, i32, i32) {
  %zero = arith.constant 0 : i32
  %x = func.call @pairs(%a) : (!v) -> !vv
  %s, %i, %j = obs.scan exclusive (%p, %q, %r, %t) = %x init %zero, %zero : !vv -> (!pp, i32, i32) {
    %u = arith.addi %p, %r : i32
    %w = arith.maxsi %q, %t : i32
    obs.yield %u, %w : i32, i32
  }
  %m = obs.map (%p, %q = %s : !pp) -> !p {
    %d = arith.subi %p, %q : i32
    obs.yield %d : i32
  }
  %f = obs.force %m : !p -> !v
  return %f, %i, %j : !v, i32, i32
}

// CHECK-LABEL: remark: plan of 'segmented_scan': 1 kernel,
func.func @segmented_scan(%a: !v) -> !v {
  %zero = arith.constant 0 : i32
  %x = func.call @pairs(%a) : (!v) -> !vv
  %c = func.call @flags(%a) : (!v) -> !flags
  %s = obs.segmented_scan inclusive (%p, %q, %r, %t) = %x init %zero, %zero flags %c : !vv, !flags -> !pp {
    %u = arith.addi %p, %r : i32
    %w = arith.maxsi %q, %t : i32
    obs.yield %u, %w : i32, i32
  }
  %m = obs.map (%p, %q = %s : !pp) -> !p {
    %d = arith.subi %p, %q : i32
    obs.yield %d : i32
  }
  %f = obs.force %m : !p -> !v
  return %f : !v
}

// Segments that there are not have the initial values, mapped, by two memsets.
// CHECK-LABEL: remark: plan of 'segmented_reduce': 1 kernel,
func.func @segmented_reduce(%a: !v) -> !vv {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = obs.dim %a, 0 : !v
  %x = func.call @pairs(%a) : (!v) -> !vv
  %c = func.call @flags(%a) : (!v) -> !flags
  %s = obs.segmented_reduce (%p, %q, %r, %t) = %x init %zero, %zero flags %c [%n] : !vv, !flags -> !pp {
    %u = arith.addi %p, %r : i32
    %w = arith.maxsi %q, %t : i32
    obs.yield %u, %w : i32, i32
  }
  %m = obs.map (%p, %q = %s : !pp) -> !pp {
    %d = arith.subi %p, %q : i32
    %e = arith.addi %p, %one : i32
    obs.yield %d, %e : i32, i32
  }
  %f = obs.force %m : !pp -> !vv
  return %f : !vv
}

// The rest has the initial values, mapped; the count comes from the same kernel.
// CHECK-LABEL: remark: plan of 'compact': 1 kernel,
func.func @compact(%a: !v) -> (!v, !obs.pull<1 x i32>) {
  %one = arith.constant 1 : i32
  %x = func.call @pairs(%a) : (!v) -> !vv
  %c = func.call @flags(%a) : (!v) -> !flags
  %k, %n = obs.compact %x flags %c init %one, %one : !vv, !flags -> !pp, !obs.push<grid, 1 x i32>
  %m = obs.map (%p, %q = %k : !pp) -> !p {
    %d = arith.addi %p, %q : i32
    obs.yield %d : i32
  }
  %f, %g = obs.force %m, %n : !p, !obs.push<grid, 1 x i32> -> (!v, !obs.pull<1 x i32>)
  return %f, %g : !v, !obs.pull<1 x i32>
}

// A scan of the lengths comes before.
// CHECK-LABEL: remark: plan of 'expand': 2 kernels,
func.func @expand(%a: !v) -> !v {
  %three = arith.constant 3 : i32
  %one = arith.constant 1 : i32
  %n = obs.dim %a, 0 : !v
  %c3 = arith.constant 3 : index
  %most = arith.muli %n, %c3 : index
  %x = func.call @pairs(%a) : (!v) -> !vv
  %l = obs.map (%y = %a : !v) -> !v {
    %z = arith.andi %y, %three : i32
    obs.yield %z : i32
  }
  %e, %s = obs.expand (%i, %j) = %l [%most] init %one, %one : !v -> !pp, !obs.push<grid, 1 x i32> {
    %y, %z = obs.get %x[%i] : !vv
    %k = arith.index_cast %j : index to i32
    obs.yield %y, %k : i32, i32
  }
  %m = obs.map (%p, %q = %e : !pp) -> !p {
    %d = arith.addi %p, %q : i32
    obs.yield %d : i32
  }
  %f = obs.force %m : !p -> !v
  return %f : !v
}

// A map after reads other arrays at the index that is written: the same initial
// contents everywhere become others, which take a kernel in place of memsets.
// CHECK-LABEL: remark: plan of 'scatter': 2 kernels, 0 memsets,
func.func @scatter(%a: !v) -> !v {
  %one = arith.constant 1 : i32
  %n = obs.dim %a, 0 : !v
  %c2 = arith.constant 2 : index
  %most = arith.muli %n, %c2 : index
  %w = obs.iota [%most] : !v
  %x = func.call @pairs(%a) : (!v) -> !vv
  %k = obs.generate (%i) [%n] {
    %j = arith.muli %i, %c2 : index
    obs.yield %j : index
  } : !obs.pull<? x index>
  %s = obs.scatter %x at %k init %one, %one [%most] : !vv, !obs.pull<? x index> -> !pp
  %m = obs.map (%p, %q = %s : !pp, %t = %w : !v) -> !p {
    %d = arith.addi %p, %q : i32
    %e = arith.muli %d, %t : i32
    obs.yield %e : i32
  }
  %f = obs.force %m : !p -> !v
  return %f : !v
}

// Pairs are added component by component. A map of what is forced is part of the
// kernel that reads it, here a reduction.
// CHECK-LABEL: remark: plan of 'histogram': 2 kernels,
func.func @histogram(%a: !v) -> (!obs.pull<8 x i32, i32>, !obs.pull<1 x i32>) {
  %zero = arith.constant 0 : i32
  %seven = arith.constant 7 : i32
  %x = func.call @pairs(%a) : (!v) -> !vv
  %k = obs.map (%y = %a : !v) -> !v {
    %z = arith.andi %y, %seven : i32
    obs.yield %z : i32
  }
  %s = obs.scatter %x at %k init %zero, %seven reduce(addi) : !vv, !v -> !obs.push<grid, 8 x i32, i32>
  %f = obs.force %s : !obs.push<grid, 8 x i32, i32> -> !obs.pull<8 x i32, i32>
  %m = obs.map (%p, %q = %f : !obs.pull<8 x i32, i32>) -> !obs.pull<8 x i32> {
    %d = arith.muli %p, %q : i32
    obs.yield %d : i32
  }
  %g = obs.reduce (%p, %q) = %m init %zero : !obs.pull<8 x i32> -> !obs.push<grid, 1 x i32> {
    %u = arith.xori %p, %q : i32
    obs.yield %u : i32
  }
  %h = obs.force %g : !obs.push<grid, 1 x i32> -> !obs.pull<1 x i32>
  return %f, %h : !obs.pull<8 x i32, i32>, !obs.pull<1 x i32>
}

// The pairs combine in privatised copies of warps or blocks, and without copies.
// CHECK-LABEL: remark: plan of 'copies': 3 kernels, 6 memsets,
func.func @copies(%a: !v) -> (!obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>) {
  %zero = arith.constant 0 : i32
  %seven = arith.constant 7 : i32
  %x = func.call @pairs(%a) : (!v) -> !vv
  %k = obs.map (%y = %a : !v) -> !v {
    %z = arith.andi %y, %seven : i32
    obs.yield %z : i32
  }
  %p = obs.scatter %x at %k init %zero, %seven reduce(maxs) {strategy = "per_warp"} : !vv, !v -> !obs.push<grid, 8 x i32, i32>
  %f = obs.force %p : !obs.push<grid, 8 x i32, i32> -> !obs.pull<8 x i32, i32>
  %q = obs.scatter %x at %k init %zero, %seven reduce(xori) {strategy = "per_block"} : !vv, !v -> !obs.push<grid, 8 x i32, i32>
  %g = obs.force %q : !obs.push<grid, 8 x i32, i32> -> !obs.pull<8 x i32, i32>
  %r = obs.scatter %x at %k init %zero, %seven reduce(addi) {strategy = "atomic"} : !vv, !v -> !obs.push<grid, 8 x i32, i32>
  %h = obs.force %r : !obs.push<grid, 8 x i32, i32> -> !obs.pull<8 x i32, i32>
  return %f, %g, %h : !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>
}

func.func private @all(%a: !v) -> (!obs.pull<1 x i32>, !v, !v, i32, i32, !v, !vv, !v, !obs.pull<1 x i32>, !v, !v, !obs.pull<8 x i32, i32>, !obs.pull<1 x i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>) {
  %reduce = func.call @reduce(%a) : (!v) -> !obs.pull<1 x i32>
  %scan = func.call @scan(%a) : (!v) -> !v
  %exclusive_scan:3 = func.call @exclusive_scan(%a) : (!v) -> (!v, i32, i32)
  %segmented_scan = func.call @segmented_scan(%a) : (!v) -> !v
  %segmented_reduce = func.call @segmented_reduce(%a) : (!v) -> !vv
  %compact:2 = func.call @compact(%a) : (!v) -> (!v, !obs.pull<1 x i32>)
  %expand = func.call @expand(%a) : (!v) -> !v
  %scatter = func.call @scatter(%a) : (!v) -> !v
  %histogram:2 = func.call @histogram(%a) : (!v) -> (!obs.pull<8 x i32, i32>, !obs.pull<1 x i32>)
  %copies:3 = func.call @copies(%a) : (!v) -> (!obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>)
  return %reduce, %scan, %exclusive_scan#0, %exclusive_scan#1, %exclusive_scan#2, %segmented_scan, %segmented_reduce, %compact#0, %compact#1, %expand, %scatter, %histogram#0, %histogram#1, %copies#0, %copies#1, %copies#2 : !obs.pull<1 x i32>, !v, !v, i32, i32, !v, !vv, !v, !obs.pull<1 x i32>, !v, !v, !obs.pull<8 x i32, i32>, !obs.pull<1 x i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>
}

func.func @main(%a: !v, %b: !v, %c: !v, %d: !v) -> (!obs.pull<1 x i32>, !v, !v, i32, i32, !v, !vv, !v, !obs.pull<1 x i32>, !v, !v, !obs.pull<8 x i32, i32>, !obs.pull<1 x i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>, !obs.pull<1 x i32>, !v, !v, i32, i32, !v, !vv, !v, !obs.pull<1 x i32>, !v, !v, !obs.pull<8 x i32, i32>, !obs.pull<1 x i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>, !obs.pull<1 x i32>, !v, !v, i32, i32, !v, !vv, !v, !obs.pull<1 x i32>, !v, !v, !obs.pull<8 x i32, i32>, !obs.pull<1 x i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>, !obs.pull<1 x i32>, !v, !v, i32, i32, !v, !vv, !v, !obs.pull<1 x i32>, !v, !v, !obs.pull<8 x i32, i32>, !obs.pull<1 x i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>) {
  %of_a:16 = func.call @all(%a) : (!v) -> (!obs.pull<1 x i32>, !v, !v, i32, i32, !v, !vv, !v, !obs.pull<1 x i32>, !v, !v, !obs.pull<8 x i32, i32>, !obs.pull<1 x i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>)
  %of_b:16 = func.call @all(%b) : (!v) -> (!obs.pull<1 x i32>, !v, !v, i32, i32, !v, !vv, !v, !obs.pull<1 x i32>, !v, !v, !obs.pull<8 x i32, i32>, !obs.pull<1 x i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>)
  %of_c:16 = func.call @all(%c) : (!v) -> (!obs.pull<1 x i32>, !v, !v, i32, i32, !v, !vv, !v, !obs.pull<1 x i32>, !v, !v, !obs.pull<8 x i32, i32>, !obs.pull<1 x i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>)
  %of_d:16 = func.call @all(%d) : (!v) -> (!obs.pull<1 x i32>, !v, !v, i32, i32, !v, !vv, !v, !obs.pull<1 x i32>, !v, !v, !obs.pull<8 x i32, i32>, !obs.pull<1 x i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>)
  return %of_a#0, %of_a#1, %of_a#2, %of_a#3, %of_a#4, %of_a#5, %of_a#6, %of_a#7, %of_a#8, %of_a#9, %of_a#10, %of_a#11, %of_a#12, %of_a#13, %of_a#14, %of_a#15, %of_b#0, %of_b#1, %of_b#2, %of_b#3, %of_b#4, %of_b#5, %of_b#6, %of_b#7, %of_b#8, %of_b#9, %of_b#10, %of_b#11, %of_b#12, %of_b#13, %of_b#14, %of_b#15, %of_c#0, %of_c#1, %of_c#2, %of_c#3, %of_c#4, %of_c#5, %of_c#6, %of_c#7, %of_c#8, %of_c#9, %of_c#10, %of_c#11, %of_c#12, %of_c#13, %of_c#14, %of_c#15, %of_d#0, %of_d#1, %of_d#2, %of_d#3, %of_d#4, %of_d#5, %of_d#6, %of_d#7, %of_d#8, %of_d#9, %of_d#10, %of_d#11, %of_d#12, %of_d#13, %of_d#14, %of_d#15 : !obs.pull<1 x i32>, !v, !v, i32, i32, !v, !vv, !v, !obs.pull<1 x i32>, !v, !v, !obs.pull<8 x i32, i32>, !obs.pull<1 x i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>, !obs.pull<1 x i32>, !v, !v, i32, i32, !v, !vv, !v, !obs.pull<1 x i32>, !v, !v, !obs.pull<8 x i32, i32>, !obs.pull<1 x i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>, !obs.pull<1 x i32>, !v, !v, i32, i32, !v, !vv, !v, !obs.pull<1 x i32>, !v, !v, !obs.pull<8 x i32, i32>, !obs.pull<1 x i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>, !obs.pull<1 x i32>, !v, !v, i32, i32, !v, !vv, !v, !obs.pull<1 x i32>, !v, !v, !obs.pull<8 x i32, i32>, !obs.pull<1 x i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>, !obs.pull<8 x i32, i32>
}

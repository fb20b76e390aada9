// Runs of equal elements. @encode computes the element and the length of each run, and @unique
// computes the elements only. @decode is the inverse of @encode. @filter keeps the elements from
// %low to %high - 1.
//
// From: the usual examples of compaction (Accelerate, Thrust). `obs.compact` keeps the elements that
// are flagged, and counts them. A run starts where an element differs from the element before it.
// Its length is the distance to the start of the next run, or to the end of the array. `obs.expand`
// is the inverse: it shares the elements of the result among the threads, for runs of any length.
//
// GPU: @unique and @filter have one kernel, which counts and moves the kept elements in one pass.
// @encode has a second kernel for its results. @decode has three kernels: they add the lengths, scan
// them, and write the elements. The host waits for one number: the length of the result.
//
// Run: obs-run examples/run-length.mlir --entry=encode zeros:10xi32
//      obs-run examples/run-length.mlir --entry=encode --device=emulate --report iota:1000xi32
//      obs-run examples/run-length.mlir --entry=unique --device=emulate --report zeros:1000xi32
//      obs-run examples/run-length.mlir --entry=decode --device=emulate --report iota:5xi32 iota:5xi32
//      obs-run examples/run-length.mlir --entry=filter --device=emulate --report iota:1000xi32 10 20

!i32_i32s = !obs.pull<? x i32, i32>
!ints = !obs.pull<? x i32>
!flags = !obs.pull<? x i1>
!one = !obs.pull<1 x i32>
!kept = !obs.push<grid, ? x i32>
!count = !obs.push<grid, 1 x i32>

// The number in an array of one element. The host waits for it.
func.func private @number(%count: !one) -> index {
  %c0 = arith.constant 0 : index
  %c = obs.get %count[%c0] : !one
  %n = arith.index_cast %c : i32 to index
  return %n : index
}

// The flag of an element is true if a run starts there.
func.func private @starts(%a: !ints) -> !flags {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = obs.dim %a, 0 : !ints
  %s = obs.generate (%i) [%n] {
    %j = arith.subi %i, %c1 : index
    %k = arith.maxsi %j, %c0 : index
    %x = obs.get %a[%i] : !ints
    %y = obs.get %a[%k] : !ints
    %first = arith.cmpi eq, %i, %c0 : index
    %differ = arith.cmpi ne, %x, %y : i32
    %f = arith.ori %first, %differ : i1
    obs.yield %f : i1
  } : !flags
  return %s : !flags
}

func.func @encode(%a: !ints) -> (!ints, !ints) {
  %c1 = arith.constant 1 : index
  %n = obs.dim %a, 0 : !ints
  %flags = func.call @starts(%a) : (!ints) -> !flags
  %places = obs.iota [%n] : !ints
  %both = obs.zip %a, %places : !ints
  %k, %c = obs.compact %both flags %flags : !i32_i32s, !flags -> !obs.push<grid, ? x i32, i32>, !count
  %runs, %count = obs.force %k, %c {kernel = "run_starts"} : !obs.push<grid, ? x i32, i32>, !count
  %number = func.call @number(%count) : (!one) -> index
  %last = arith.subi %number, %c1 : index
  %end = arith.index_cast %n : index to i32
  %encoded = obs.generate (%r) [%number] {
    %x, %start = obs.get %runs[%r] : !i32_i32s
    %is_last = arith.cmpi eq, %r, %last : index
    %next = scf.if %is_last -> i32 {
      scf.yield %end : i32
    } else {
      %s = arith.addi %r, %c1 : index
      %y, %e = obs.get %runs[%s] : !i32_i32s
      scf.yield %e : i32
    }
    %length = arith.subi %next, %start : i32
    obs.yield %x, %length : i32, i32
  } : !i32_i32s
  %elements, %lengths = obs.unzip %encoded : !i32_i32s
  %e, %l = obs.force %elements, %lengths {kernel = "runs"} : !ints
  return %e, %l : !ints, !ints
}

func.func private @kept(%a: !ints, %flags: !flags) -> !ints {
  %k, %c = obs.compact %a flags %flags : !ints, !flags -> !kept, !count
  %all, %count = obs.force %k, %c {kernel = "kept"} : !kept, !count
  %number = func.call @number(%count) : (!one) -> index
  %r = obs.take %all [%number] : !ints
  return %r : !ints
}

func.func @unique(%a: !ints) -> !ints {
  %flags = func.call @starts(%a) : (!ints) -> !flags
  %r = func.call @kept(%a, %flags) : (!ints, !flags) -> !ints
  return %r : !ints
}

func.func @filter(%a: !ints, %low: i32, %high: i32) -> !ints {
  %flags = obs.map (%x = %a : !ints) {
    %above = arith.cmpi sge, %x, %low : i32
    %below = arith.cmpi slt, %x, %high : i32
    %f = arith.andi %above, %below : i1
    obs.yield %f : i1
  }
  %r = func.call @kept(%a, %flags) : (!ints, !flags) -> !ints
  return %r : !ints
}

func.func @decode(%elements: !ints, %lengths: !ints) -> !ints {
  %zero = arith.constant 0 : i32
  %total = obs.reduce { arith.addi } %lengths init %zero : !ints -> !count
  %sum = obs.force %total {kernel = "total"} : !count
  %n = func.call @number(%sum) : (!one) -> index
  %p, %c = obs.expand (%i, %j) = %lengths [%n] : !ints -> !kept, !count {
    %x = obs.get %elements[%i] : !ints
    obs.yield %x : i32
  }
  %r = obs.force %p {kernel = "decode"} : !kept
  return %r : !ints
}

// Counting sort and occurrence sort. @counting sorts the keys. @occurrence returns each
// key that occurs, once and in order. Keys are 0 to %range - 1.
//
// From: J. Svensson, M. Sheeran, Counting and occurrence sort for GPUs using an embedded
// language, FHPC 2013. A counting sort counts how often each key occurs. Then it writes
// each key that many times ("reconstruct"). In the paper, one thread writes one key, so
// few keys leave most threads idle. Here `obs.expand` shares the elements of the result
// among the threads. A block finds the keys of its elements by a search in the start
// positions of the keys, for the first element and for the last one. An occurrence sort only
// marks the keys that occur. Many iterations write the same value, so the contract is
// `any`. `obs.compact` keeps the marked keys.
//
// GPU: @counting has three kernels. The first kernel counts: the host takes one of three
// forms of it, by the range. The second kernel scans the counts in one pass, and the third
// one writes the keys. @occurrence has a kernel that marks, also in three forms, and a
// kernel that compacts in one pass. Only kernels read the marks, so 32 marks are the bits of
// a word, and blocks mark in shared memory. The host waits for one number: the number of
// different keys.
//
// Run: obs-run examples/counting-sort.mlir --entry=counting iota:10xi32 20
//      obs-run examples/counting-sort.mlir --entry=counting --device=emulate --report iota:1000xi32 5000
//      obs-run examples/counting-sort.mlir --entry=occurrence --device=emulate --report iota:1000xi32 5000

!grid_i32s = !obs.push<grid, ? x i32>
!ints = !obs.pull<? x i32>
!marks = !obs.push<grid, ? x i1>
!count = !obs.push<grid, 1 x i32>

// Key %i of %keys as an index.
func.func private @key(%keys: !ints, %i: index, %range: index) -> index attributes {obs.level = #obs.level<thread>} {
  %x = obs.get %keys[%i] : !ints
  %k = arith.index_cast %x : i32 to index
  %ok = arith.cmpi ult, %k, %range : index
  obs.assert %ok, "a key is out of range"
  return %k : index
}

func.func @counting(%keys: !ints {obs.name = "keys"}, %range: index {obs.name = "range"}) -> !ints {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %n = obs.dim %keys, 0 : !ints
  %h = obs.fill init %zero reduce(addi) [%range] par (%i) in (%n) {
    %k = func.call @key(%keys, %i, %range) : (!ints, index, index) -> index
    obs.write %one at [%k] : i32
  } : !grid_i32s
  %counts = obs.force %h {kernel = "count"} : !grid_i32s
  %sorted, %sum = obs.expand (%k, %j) = %counts [%n] : !ints -> !grid_i32s, !count {
    %x = arith.index_cast %k : index to i32
    obs.yield %x : i32
  }
  %r = obs.force %sorted {kernel = "reconstruct", threads = 256} : !grid_i32s
  return %r : !ints
}

func.func @occurrence(%keys: !ints {obs.name = "keys"}, %range: index {obs.name = "range"}) -> !ints {
  %c0 = arith.constant 0 : index
  %no = arith.constant false
  %yes = arith.constant true
  %n = obs.dim %keys, 0 : !ints
  %m = obs.fill init %no any [%range] par (%i) in (%n) {
    %k = func.call @key(%keys, %i, %range) : (!ints, index, index) -> index
    obs.write %yes at [%k] : i1
  } : !marks
  %marks = obs.force %m {kernel = "mark"} : !marks
  %all = obs.iota [%range] : !ints
  %kept, %number = obs.compact %all flags %marks : !ints, !obs.pull<? x i1> -> !grid_i32s, !count
  %r, %count = obs.force %kept, %number {kernel = "reconstruct_once", threads = 256} : !grid_i32s, !count
  %c = obs.get %count[%c0] : !obs.pull<1 x i32>
  %size = arith.index_cast %c : i32 to index
  %result = obs.take %r [%size] : !ints
  return %result : !ints
}

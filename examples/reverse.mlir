// Reverse: r[i] = a[n - 1 - i], on bytes. From: the Obsidian papers.
//
// `obs.reverse` changes the index that is read. It moves no data. The force moves the
// data, once.
//
// GPU: one kernel. Neighbouring threads load neighbouring bytes, in descending order.
//
// Run: obs-run examples/reverse.mlir iota:10xi8
//      obs-run examples/reverse.mlir --device=emulate --report LICENSE:i8

!i8s = !obs.pull<? x i8>

func.func @main(%a: !i8s) -> !i8s {
  %b = obs.reverse %a : !i8s
  %r = obs.force %b {kernel = "reverse"} : !i8s
  return %r : !i8s
}

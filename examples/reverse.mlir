// Reverse: r[i] = a[n - 1 - i], on bytes. From: the Obsidian papers.
//
// `obs.reverse` changes which index is read. It moves no data: the force does,
// once.
//
// GPU: one kernel; neighbouring threads load neighbouring bytes, backwards.
//
// Run: obs-run examples/reverse.mlir iota:10xi8
//      obs-run examples/reverse.mlir --device=emulate --report LICENSE:i8

func.func @main(%a: !obs.pull<? x i8>) -> !obs.pull<? x i8> {
  %b = obs.reverse %a : !obs.pull<? x i8>
  %p = obs.push %b : !obs.pull<? x i8> -> !obs.push<grid, ? x i8>
  %r = obs.force %p {kernel = "reverse"} : !obs.push<grid, ? x i8> -> !obs.pull<? x i8>
  return %r : !obs.pull<? x i8>
}

// RUN: %python -c "import array, random; r = random.Random(1); n = [1, 2, 7, -1, -7, 1000, 2**31, 2**62, 2**63 - 1, -2**62, 1 - 2**63] * 40; x = [(i % 9 - 4) * n[i] + r.randint(-2, 2) if i % 3 else r.randint(-2**63 + 1, 2**63 - 1) for i in range(len(n))]; x = [max(-2**63 + 1, min(2**63 - 1, v)) for v in x]; w = [abs(a) % abs(b) * (-1 if a < 0 else 1) for a, b in zip(x, n)]; [array.array('q', v).tofile(open('%t.' + k, 'wb')) for k, v in (('x', x), ('n', n), ('want', w))]"
// RUN: obs-opt %s --obs-to-gpu | obs-opt --pass-pipeline='builtin.module(gpu.module(gpu.func(obs-expand-remainders)))' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: obs-run %t.mlir --device=emulate %t.x:i64 %t.n:i64 --out=%t.out
// RUN: cmp %t.out %t.want

// Remainders of numbers near the range and far from it, for divisors of both signs, are those of the division.
// CHECK: scf.if
// CHECK: arith.remsi
func.func @main(%x: !obs.pull<? x i64>, %n: !obs.pull<? x i64>) -> !obs.pull<? x i64> {
  %r = obs.map (%a = %x : !obs.pull<? x i64>, %b = %n : !obs.pull<? x i64>) {
    %i = arith.index_cast %a : i64 to index
    %k = arith.index_cast %b : i64 to index
    %m = arith.remsi %i, %k : index
    %v = arith.index_cast %m : index to i64
    obs.yield %v : i64
  }
  %f = obs.force %r : !obs.pull<? x i64>
  return %f : !obs.pull<? x i64>
}

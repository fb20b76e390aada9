// RUN: %python -c "import array, random; r = random.Random(1); ends = [-2**31, -2**31 + 1, -2**31 + 2, -2**31 + 3, -3, 0, 1, 3, 4, 5, 8, 100, 2**31 - 3, 2**31 - 2, 2**31 - 1]; n = [r.choice(ends) for i in range(640)]; m = [min(2**31 - 1, max(-2**31, k - r.choice([-2, 0, 1, 2, 3, 4, 5, 6, 7, 9, 60]))) for k in n]; z = [r.randrange(2**31) for k in n]; [array.array('i', v).tofile(open('%t.' + k, 'wb')) for k, v in (('z', z), ('n', n), ('m', m))]"
// RUN: obs-opt %s --obs-to-gpu | obs-opt --pass-pipeline='builtin.module(gpu.module(gpu.func(obs-unroll-while)))' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: obs-run %s %t.z:i32 %t.n:i32 %t.m:i32 > %t.want
// RUN: obs-run %t.mlir --device=emulate %t.z:i32 %t.n:i32 %t.m:i32 > %t.got
// RUN: diff %t.want %t.got

// The loop in front compares the counter once for four iterations, and has four copies of the body. Its limit is three less,
// but the least number if fewer than four iterations are allowed. Results are those of the interpreter, for limits and first
// counters near the ends of the range. The last value is a result, too: it is that of the last iteration that was executed.
// CHECK: %[[MANY:.*]] = arith.cmpi sge, %[[N:.*]], %c4_i32
// CHECK: %[[LESS:.*]] = arith.subi %[[N]], %c3_i32
// CHECK: %[[LIMIT:.*]] = arith.select %[[MANY]], %[[LESS]], %c-2147483648_i32
// CHECK: %[[FRONT:.*]]:5 = scf.while
// CHECK: arith.cmpi slt, %{{.*}}, %[[LIMIT]]
// CHECK: scf.condition
// CHECK-COUNT-4: arith.muli
// CHECK-NOT: arith.muli
// CHECK: scf.yield
// CHECK-COUNT-3: arith.select
// CHECK: scf.while (%{{.*}} = %[[FRONT]]#0
// CHECK: arith.cmpi slt, %{{.*}}, %[[N]]
// CHECK: arith.andi %{{.*}}, %[[FRONT]]#4
func.func @main(%a: !obs.pull<? x i32>, %n: !obs.pull<? x i32>, %m: !obs.pull<? x i32>) -> !obs.pull<? x i32, i32> {
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %c13 = arith.constant 13 : i32
  %c100000000 = arith.constant 100000000 : i32
  %r = obs.map (%x = %a : !obs.pull<? x i32>, %limit = %n : !obs.pull<? x i32>, %first = %m : !obs.pull<? x i32>) -> !obs.pull<? x i32, i32> {
    %last:2 = scf.while (%z = %x, %i = %first) : (i32, i32) -> (i32, i32) {
      %large = arith.cmpi ugt, %z, %c100000000 : i32
      %less = arith.cmpi slt, %i, %limit : i32
      %both = arith.andi %large, %less : i1
      scf.condition(%both) %z, %i : i32, i32
    } do {
    ^bb0(%z: i32, %i: i32):
      %p = arith.muli %z, %c13 : i32
      %q = arith.shrui %z, %c7 : i32
      %y = arith.xori %p, %q : i32
      %j = arith.addi %i, %c1 : i32
      scf.yield %y, %j : i32, i32
    }
    obs.yield %last#0, %last#1 : i32, i32
  }
  %f = obs.force %r : !obs.pull<? x i32, i32>
  return %f : !obs.pull<? x i32, i32>
}

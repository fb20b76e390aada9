// A loop without a bound that computes for long is no deadlock. Its limit is an
// option, and the error names the loop.

// RUN: obs-run %s 500000 --device emulate | FileCheck %s --check-prefix=RESULT
// RUN: not obs-run %s 500000 --device emulate --max-iterations=200000 2>&1 | FileCheck %s --check-prefix=LIMIT
// RESULT: [500000, 500000, 500000]
// LIMIT: endless-loops.mlir:[[@LINE+6]]:{{[0-9]+}}: error: endless-loop: thread {{[0-9]+}} of block 0 runs this loop, which has no bound

func.func @count(%n: index) -> !obs.pull<3 x index> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = obs.generate (%i) {
    %last = scf.while (%k = %c0) : (index) -> index {
      %more = arith.cmpi ult, %k, %n : index
      scf.condition(%more) %k : index
    } do {
    ^bb0(%k: index):
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
    obs.yield %last : index
  } : !obs.pull<3 x index>
  %r = obs.force %a : !obs.pull<3 x index>
  return %r : !obs.pull<3 x index>
}

// The options that a search has found are those of the text of the program, and of no other one.
// RUN: %python -c "import hashlib, json, sys; digest = hashlib.sha256(open(sys.argv[1], 'rb').read()).hexdigest(); print(json.dumps({digest: {'threads': 64, 'blocks': 3, 'plain': True}}))" %s > %t.json
// RUN: env OBS_TUNED=%t.json obs-run %s --entry=main --device=emulate --report iota:1000xi32 2>&1 | FileCheck %s --check-prefix=TUNED
// TUNED: [499500]
// TUNED: blocks=3 threads=64
// The command line comes first.
// RUN: env OBS_TUNED=%t.json obs-run %s --entry=main --device=emulate --report --threads=32 iota:1000xi32 2>&1 | FileCheck %s --check-prefix=GIVEN
// GIVEN: blocks=3 threads=32
// Other programs, a file that does not exist yet, and the interpreter are not affected.
// RUN: cat %s > %t.mlir
// RUN: echo "// changed" >> %t.mlir
// RUN: env OBS_TUNED=%t.json obs-run %t.mlir --entry=main --device=emulate --report iota:1000xi32 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: env OBS_TUNED=%t.none obs-run %s --entry=main --device=emulate --report iota:1000xi32 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: threads=256
// RUN: env OBS_TUNED=%t.json obs-run %s --entry=main iota:1000xi32 | FileCheck %s --check-prefix=INTERPRETED
// INTERPRETED: [499500]
// RUN: echo '{"threads": ' > %t.bad
// RUN: not env OBS_TUNED=%t.bad obs-run %s --entry=main --device=emulate iota:1000xi32 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: %python -c "import hashlib, json, sys; digest = hashlib.sha256(open(sys.argv[1], 'rb').read()).hexdigest(); print(json.dumps({digest: {'threads': 5000}}))" %s > %t.wrong
// RUN: not env OBS_TUNED=%t.wrong obs-run %s --entry=main --device=emulate iota:1000xi32 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error: {{.*}} is no file of tuned programs; OBS_TUNED names a file that 'python -m obsidian tune' has written

// The plain strategy of a scan has smaller tiles, of one element for each thread.
// RUN: obs-run %s --entry=scan --device=emulate --report iota:10000xi32 --out=%t.npy 2>&1 | FileCheck %s --check-prefix=SCAN
// SCAN: blocks=2 threads=256
// RUN: obs-run %s --entry=scan --device=emulate --report --plain-collectives iota:10000xi32 --out=%t.npy 2>&1 | FileCheck %s --check-prefix=PLAIN
// PLAIN: blocks=40 threads=256
func.func @main(%a: !obs.pull<? x i32>) -> !obs.pull<1 x i32> {
  %zero = arith.constant 0 : i32
  %s = obs.reduce grid { arith.addi } %a init %zero : !obs.pull<? x i32>
  %r = obs.force %s : !obs.push<grid, 1 x i32>
  return %r : !obs.pull<1 x i32>
}

func.func @scan(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %zero = arith.constant 0 : i32
  %s = obs.scan grid inclusive { arith.addi } %a init %zero : !obs.pull<? x i32>
  %r = obs.force %s : !obs.push<grid, ? x i32>
  return %r : !obs.pull<? x i32>
}

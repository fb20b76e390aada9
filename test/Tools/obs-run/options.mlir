// The command line itself; its mistakes have the exit status 2.
//
// RUN: obs-run --help | FileCheck %s --check-prefix=HELP
// HELP: usage: obs-run PROGRAM.mlir [options] [ARG ...]
// HELP: --device=DEVICE
// RUN: obs-run --version | FileCheck %s --check-prefix=VERSION
// VERSION: obs-run, on LLVM 22

// The only public function is the default, and options may stand anywhere.
// RUN: obs-run %s 3 | FileCheck %s
// RUN: obs-run --threads=32 --blocks 2 %s 3 --device=interpret | FileCheck %s
// RUN: obs-run %s -- 3 | FileCheck %s
// CHECK: {{^}}6{{$}}

// DEFINE: %{fail} = not obs-run %s
// DEFINE: %{check} = FileCheck %s --implicit-check-not=error: --check-prefix
// RUN: not obs-run 2>&1 | %{check}=NONE
// NONE: error: no program is given; see obs-run --help
// RUN: %{fail} --what 2>&1 | %{check}=UNKNOWN
// UNKNOWN: error: unknown option '--what'
// RUN: %{fail} --device=gpu 2>&1 | %{check}=DEVICE
// DEVICE: error: --device must be interpret, emulate or cuda, not 'gpu'
// RUN: %{fail} --threads=0 2>&1 | %{check}=THREADS
// THREADS: error: --threads must be from 1 to 1024, not 0
// RUN: %{fail} --threads=2000 2>&1 | %{check}=THREADS2
// THREADS2: error: --threads must be from 1 to 1024, not 2000
// RUN: %{fail} --blocks=many 2>&1 | %{check}=BLOCKS
// BLOCKS: error: --blocks needs a number, not 'many'
// RUN: %{fail} --time=1 2>&1 | %{check}=FLAG
// FLAG: error: --time takes no value
// RUN: %{fail} --entry 2>&1 | %{check}=VALUE
// VALUE: error: --entry needs a value
// RUN: %{fail} --entry=@ 2>&1 | %{check}=NAME
// NAME: error: --entry needs a name
// RUN: %{fail} --device=emulate --check=bounds,foo 2>&1 | %{check}=CHECKS
// CHECKS: error: unknown check 'foo'; there are: races, bounds, uninit, all
// RUN: %{fail} --report 2>&1 | %{check}=REPORT
// REPORT: error: --report needs --device=emulate or --device=cuda
// RUN: %{fail} --seed=1 2>&1 | %{check}=SEED
// SEED: error: --seed needs --schedule=random
// RUN: %{fail} --schedule=random 2>&1 | %{check}=SCHEDULE
// SCHEDULE: error: --schedule needs --device=emulate
// RUN: %{fail} --max-iterations=5 2>&1 | %{check}=ITERATIONS
// ITERATIONS: error: --max-iterations needs --device=emulate
// RUN: %{fail} --gpu=1 2>&1 | %{check}=GPU
// GPU: error: --gpu needs --device=cuda
// RUN: %{fail} --graph --device=emulate 2>&1 | %{check}=GRAPH
// GRAPH: error: --graph needs --device=cuda

func.func @twice(%a: i32) -> i32 {
  %r = func.call @add(%a, %a) : (i32, i32) -> i32
  return %r : i32
}
func.func private @add(%a: i32, %b: i32) -> i32 {
  %r = arith.addi %a, %b : i32
  return %r : i32
}

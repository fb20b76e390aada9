// A wrong command line or a wrong file causes one error, and leaves no file
// behind.

// RUN: rm -rf %t && mkdir %t
// RUN: not obs-translate --obs-to-ptx --chip=sm_1 %s -o %t/chip.ptx 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: {{^}}obs-translate{{.*}}: for the --chip option: unknown chip 'sm_1'; known are sm_70,
// RUN: not test -e %t/chip.ptx

// RUN: not obs-translate --obs-to-launch-json --chip=gpu %s 2>&1 | FileCheck %s --check-prefix=JSON
// JSON: for the --chip option: unknown chip 'gpu'

// RUN: not obs-translate --obs-to-ptx %t/absent.mlir 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: {{.*}}absent.mlir{{.*}}: No such file

// RUN: not obs-translate --obs-to-ptx %s -o %t/none/out.ptx 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: {{.*}}none/out.ptx{{.*}}: No such file

// RUN: echo "func.func @main( {" > %t/malformed.mlir
// RUN: not obs-translate --obs-to-ptx %t/malformed.mlir -o %t/malformed.ptx 2>&1 | FileCheck %s --check-prefix=MALFORMED
// MALFORMED: malformed.mlir:1:17: error:
// RUN: not test -e %t/malformed.ptx

// RUN: echo "module {}" > %t/empty.mlir
// RUN: not obs-translate --obs-to-ptx %t/empty.mlir -o %t/empty.ptx 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: empty.mlir:1:1: error: the program has no kernels
// RUN: not test -e %t/empty.ptx

// RUN: not obs-opt --obs-to-nvvm="format=fat" %s 2>&1 | FileCheck %s --check-prefix=FORMAT
// FORMAT: error: unknown format 'fat'; known are isa and nvvm

gpu.module @kernels {
  gpu.func @k() kernel {
    gpu.return
  }
}

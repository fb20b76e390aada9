// A pipeline of modules cannot run on other operations.
//
// RUN: not obs-opt --pass-pipeline='builtin.module(func.func(obs-to-gpu))' %s 2>&1 | FileCheck %s --check-prefix=GPU
// GPU: error: the pipeline 'obs-to-gpu' is for 'builtin.module', not for 'func.func'
// RUN: not obs-opt --pass-pipeline='any(obs-to-levels)' %s 2>&1 | FileCheck %s --check-prefix=LEVELS
// LEVELS: error: the pipeline 'obs-to-levels' is for 'builtin.module', not for 'any'
// RUN: not obs-opt --pass-pipeline='builtin.module(gpu.module(obs-to-nvvm))' %s 2>&1 | FileCheck %s --check-prefix=NVVM
// NVVM: error: the pipeline 'obs-to-nvvm' is for 'builtin.module', not for 'gpu.module'
// RUN: obs-opt --pass-pipeline='builtin.module(obs-to-cpu)' %s
// RUN: obs-opt --pass-pipeline='builtin.module(builtin.module(obs-to-cpu{threads=64}))' %s
module {}

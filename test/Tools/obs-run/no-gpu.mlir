// Without a driver or a GPU, --device=cuda is one clear error.
//
// DEFINE: %{check} = FileCheck %s --implicit-check-not=error: --check-prefix
// RUN: env OBS_CUDA_DRIVER=%t/none.so not obs-run %s --device=cuda 1 2>&1 \
// RUN:   | %{check}=DRIVER
// DRIVER: error: cannot use device cuda: there is no CUDA driver on this machine ({{.*}}none.so: cannot open shared object file: No such file or directory)

// A library that is not the driver: every machine has one for C.
// RUN: env OBS_CUDA_DRIVER=libc.so.6 not obs-run %s --device=cuda 1 2>&1 \
// RUN:   | %{check}=OLD
// OLD: error: cannot use device cuda: the CUDA driver libc.so.6 is too old: it has no cuInit

func.func @main(%a: i32) -> i32 {
  return %a : i32
}

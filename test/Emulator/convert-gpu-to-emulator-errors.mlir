// RUN: obs-opt %s --convert-gpu-to-emulator --split-input-file --verify-diagnostics

gpu.module @m {
  // expected-error @below {{argument 0 of type 'memref<?xf32>' is not supported by the emulator}}
  gpu.func @k(%a: memref<?xf32>) kernel {
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @k(%n: index) kernel {
    // expected-error @below {{private memory of type 'memref<?xf32>' is not supported by the emulator; its shape must be static}}
    %p = memref.alloca(%n) : memref<?xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  // expected-error @below {{'gpu.func' op in a gpu.module is not supported by the emulator; inline device functions first}}
  gpu.func @helper() {
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @k(%x: f32) kernel {
    // expected-error @below {{'gpu.all_reduce' op is not supported by the emulator}}
    %y = gpu.all_reduce add %x {} : (f32) -> f32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @k(%a: memref<f32>, %b: memref<f32>) kernel {
    // expected-error @below {{'memref.copy' op accesses memory in a way that the emulator does not check}}
    memref.copy %a, %b : memref<f32> to memref<f32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @k(%x: vector<2xf32>) kernel {
    gpu.return
  }
  // expected-error @-3 {{argument 0 of type 'vector<2xf32>' is not supported by the emulator}}
}

// -----

gpu.module @m {
  gpu.func @k(%x: i32) kernel {
    // expected-error @below {{format "%d %d": it has 2 conversions for 1 arguments}}
    gpu.printf "%d %d", %x : i32
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @k(%a: memref<2x3xf32>) kernel {
    %c2 = arith.constant 2 : index
    // expected-error @below {{'memref.dim' op [memref-dim] asks for dimension 2 of memory that has 2 dimensions}}
    %d = memref.dim %a, %c2 : memref<2x3xf32>
    gpu.return
  }
}

// RUN: obs-opt %s --obs-expand-collectives=tensor-cores=false --split-input-file --verify-diagnostics

func.func @name(%a: !obs.pull<16 x 16 x f16>, %x: f32) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[strategy-name] 'raking' is not a strategy of this operation; use sequential, registers, tensor_cores}}
  %p = obs.matmul %a, %a init %x {strategy = "raking"} : !obs.pull<16 x 16 x f16>, !obs.pull<16 x 16 x f16> -> !obs.push<block, 16 x 16 x f32>
  return
}

// -----

func.func @type(%a: !obs.pull<16 x 16 x f32>, %x: f32) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[strategy-type] strategy 'tensor_cores' adds products of f16 or bf16 in f32 at level block}}
  %p = obs.matmul %a, %a init %x {strategy = "tensor_cores"} : !obs.pull<16 x 16 x f32>, !obs.pull<16 x 16 x f32> -> !obs.push<block, 16 x 16 x f32>
  return
}

// -----

func.func @height(%a: !obs.pull<24 x 16 x f16>, %b: !obs.pull<16 x 16 x f16>, %x: f32) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[strategy-type]}}
  %p = obs.matmul %a, %b init %x {strategy = "tensor_cores"} : !obs.pull<24 x 16 x f16>, !obs.pull<16 x 16 x f16> -> !obs.push<block, 24 x 16 x f32>
  return
}

// -----

func.func @chip(%a: !obs.pull<16 x 16 x f16>, %x: f32) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[strategy-chip] strategy 'tensor_cores' needs sm_80 or later; leave the choice to the compiler}}
  %p = obs.matmul %a, %a init %x {strategy = "tensor_cores"} : !obs.pull<16 x 16 x f16>, !obs.pull<16 x 16 x f16> -> !obs.push<block, 16 x 16 x f32>
  return
}

// -----

func.func @warps(%a: !obs.pull<256 x 16 x f16>, %b: !obs.pull<16 x 256 x f16>, %x: f32) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[strategy-type]}}
  %p = obs.matmul %a, %b init %x {strategy = "tensor_cores"} : !obs.pull<256 x 16 x f16>, !obs.pull<16 x 256 x f16> -> !obs.push<block, 256 x 256 x f32>
  return
}

// -----

func.func @few(%a: !obs.pull<15 x 64 x f16>, %b: !obs.pull<64 x ? x f16>, %x: f32) -> !obs.pull<15 x ? x f32> {
  // expected-error@+1 {{[strategy-type] strategy 'tensor_cores' adds products of f16 or bf16 in f32 at level block or grid; in a block, the height of the result is a multiple of 16, its width is a multiple of 8, there are no batches, at most 8 warps compute tiles of it, and both operands fit into shared memory; of a grid, the result has at least 16 rows and columns; use sequential}}
  %p = obs.matmul %a, %b init %x {strategy = "tensor_cores"} : !obs.pull<15 x 64 x f16>, !obs.pull<64 x ? x f16> -> !obs.push<grid, 15 x ? x f32>
  %r = obs.force %p : !obs.push<grid, 15 x ? x f32>
  return %r : !obs.pull<15 x ? x f32>
}

// -----

func.func @registers(%a: !obs.pull<64 x 64 x f32>, %x: f32) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[strategy-type] strategy 'registers' computes tiles of a product of level grid by blocks; use sequential, or leave the choice to the compiler}}
  %p = obs.matmul %a, %a init %x {strategy = "registers"} : !obs.pull<64 x 64 x f32>, !obs.pull<64 x 64 x f32> -> !obs.push<block, 64 x 64 x f32>
  return
}

// -----

func.func @batches(%a: !obs.pull<2 x 16 x 16 x f16>, %x: f32) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{there are no batches}}
  %p = obs.matmul %a, %a init %x {strategy = "tensor_cores"} : !obs.pull<2 x 16 x 16 x f16>, !obs.pull<2 x 16 x 16 x f16> -> !obs.push<block, 2 x 16 x 16 x f32>
  return
}

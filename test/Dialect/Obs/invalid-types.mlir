// These are not types or attributes of the dialect.
// RUN: obs-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{[type-rank] an array has at least one dimension}}
func.func private @rank(!obs.pull<f32>)

// -----

// expected-error@+1 {{[type-element] 'vector<4xf32>' cannot be an element}}
func.func private @element(!obs.pull<4 x vector<4xf32>>)

// -----

// expected-error@+1 {{[type-element] 'si32' cannot be an element}}
func.func private @signed(!obs.pull<4 x si32>)

// -----

// A push array writes scalars, not arrays.
// expected-error@+1 {{[type-element] '!obs.pull<4 x i32>' cannot be an element}}
func.func private @nested(!obs.push<grid, 4 x !obs.pull<4 x i32>>)

// -----

// expected-error@+1 {{[type-level] expected thread, warp, block or grid, got 'lane'}}
func.func private @level(!obs.push<lane, 4 x i32>)

// -----

// expected-error@+1 {{[type-bound] 'bound' has 1 entries for 2 extents}}
func.func private @bounds(!obs.pull<? x ? x i32 bound [4]>)

// -----

// expected-error@+1 {{[type-bound] the bound of static extent 8 must equal it}}
func.func private @static_bound(!obs.pull<8 x ? x i32 bound [4, 4]>)

// -----

// expected-error@+1 {{[type-bound] a bound cannot be negative}}
func.func private @negative_bound(!obs.pull<? x i32 bound [-4]>)

// -----

// expected-error@+1 {{[type-size] an array has at most 2^48 elements}}
func.func private @square(!obs.pull<16777216 x 16777217 x i32>)

// -----

// expected-error@+1 {{[type-size] an array has at most 2^48 elements}}
func.func private @bounds(!obs.push<grid, ? x ? x i32 bound [4294967296, 4294967296]>)

// -----

// expected-error@+1 {{[type-size] an array has at most 2^48 elements}}
func.func private @nested(!obs.pull<4294967296 x !obs.pull<4294967296 x i32>>)

// -----

// Largest, empty, and not known.
func.func private @sizes(!obs.pull<16777216 x 16777216 x i32>, !obs.pull<4294967296 x 4294967296 x 0 x i32>, !obs.pull<? x 281474976710656 x i32>)

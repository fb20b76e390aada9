// Rules R1 (levels), R2 (what can be forced) and R3 (uniform scalars).
// RUN: obs-opt %s --split-input-file --verify-diagnostics

func.func @push_below(%a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{[R1-level] stands in a region of level grid but makes an array of level block; use level grid or move it into a distribute block}}
  %p = obs.push %a : !obs.pull<8 x i32> -> !obs.push<block, 8 x i32>
  return
}

// -----

func.func @push_above(%a: !obs.pull<8 x i32>) attributes {obs.level = #obs.level<warp>} {
  // expected-error@+1 {{[R1-level] stands in a region of level warp but makes an array of level block; use level warp or move it out of the warp region}}
  %p = obs.push %a : !obs.pull<8 x i32> -> !obs.push<block, 8 x i32>
  return
}

// -----

func.func @fill_below() {
  // expected-error@+1 {{[R1-level] stands in a region of level grid but makes an array of level thread}}
  %p = obs.fill {
  } : !obs.push<thread, 8 x i32>
  return
}

// -----

func.func @force_captured(%a: !obs.pull<4 x i32>, %p: !obs.push<grid, 8 x i32>) {
  %q = obs.distribute block (%x = %a : !obs.pull<4 x i32>) -> !obs.push<grid, 4 x 1 x i32> {
    // expected-error@+1 {{[R1-level] stands in a region of level block but forces an array of level grid}}
    %r = obs.force %p : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
    %one = obs.splat %x : !obs.pull<1 x i32>
    %s = obs.push %one : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
    obs.yield %s : !obs.push<block, 1 x i32>
  }
  return
}

// -----

// The region of a par runs at its unit, not at the level around it.
func.func @push_in_par(%a: !obs.pull<8 x i32>, %n: index) {
  %p = obs.fill par (%i) in (%n) {
    // expected-error@+1 {{[R1-level] stands in a region of level thread but makes an array of level grid}}
    %q = obs.push %a : !obs.pull<8 x i32> -> !obs.push<grid, 8 x i32>
  } : !obs.push<grid, 8 x i32>
  return
}

// -----

func.func @put_level(%a: !obs.pull<8 x i32>, %h: !obs.push<block, 8 x i32>) {
  %c0 = arith.constant 0 : index
  %p = obs.fill {
    // expected-error@+1 {{[R1-level] stands in a region of level grid but runs an array of level block}}
    obs.put %h at [%c0] : !obs.push<block, 8 x i32>
  } : !obs.push<grid, 8 x i32>
  return
}

// -----

func.func @result_level(%a: !obs.pull<4 x i32>) {
  // expected-error@+1 {{[R1-level] stands in a region of level grid but gives an array of level block; its results have level grid}}
  %q = obs.distribute block (%x = %a : !obs.pull<4 x i32>) -> !obs.push<block, 4 x 1 x i32> {
    %one = obs.splat %x : !obs.pull<1 x i32>
    %s = obs.push %one : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
    obs.yield %s : !obs.push<block, 1 x i32>
  }
  return
}

// -----

func.func @push_in_map(%a: !obs.pull<4 x i32>, %b: !obs.pull<8 x i32>) {
  %r = obs.map (%x = %a : !obs.pull<4 x i32>) -> !obs.pull<4 x i32> {
    // expected-error@+1 {{[R1-scalar] stands in a region that computes one element; move it out of the map, generate or reindex}}
    %p = obs.push %b : !obs.pull<8 x i32> -> !obs.push<thread, 8 x i32>
    obs.yield %x : i32
  }
  return
}

// -----

func.func @force_in_generate(%p: !obs.push<thread, 8 x i32>) {
  %r = obs.generate (%i) {
    // expected-error@+1 {{[R1-scalar] stands in a region that computes one element}}
    %f = obs.force %p : !obs.push<thread, 8 x i32> -> !obs.pull<8 x i32>
    %x = obs.get %f[%i] : !obs.pull<8 x i32>
    obs.yield %x : i32
  } : !obs.pull<8 x i32>
  return
}

// -----

func.func @distribute_in_reindex(%a: !obs.pull<8 x i32>) {
  %r = obs.reindex (%i) = %a {
    // expected-error@+1 {{[R1-scalar] stands in a region that computes one element}}
    %q = obs.distribute thread (%x = %a : !obs.pull<8 x i32>) -> !obs.push<thread, 8 x 1 x i32> {
      %one = obs.splat %x : !obs.pull<1 x i32>
      %s = obs.push %one : !obs.pull<1 x i32> -> !obs.push<thread, 1 x i32>
      obs.yield %s : !obs.push<thread, 1 x i32>
    }
    obs.yield %i : index
  } : !obs.pull<8 x i32> -> !obs.pull<8 x i32>
  return
}

// -----

func.func @distribute_upward(%a: !obs.pull<4 x i32>) attributes {obs.level = #obs.level<warp>} {
  // expected-error@+1 {{[R1-upward] hands work of level block up from level warp; name warp or a level below}}
  %q = obs.distribute block (%x = %a : !obs.pull<4 x i32>) -> !obs.push<warp, 4 x 1 x i32> {
    %one = obs.splat %x : !obs.pull<1 x i32>
    %s = obs.push %one : !obs.pull<1 x i32> -> !obs.push<block, 1 x i32>
    obs.yield %s : !obs.push<block, 1 x i32>
  }
  return
}

// -----

func.func @par_upward(%n: index) attributes {obs.level = #obs.level<thread>} {
  %p = obs.fill {
    // expected-error@+1 {{[R1-upward] hands work of level warp up from level thread; name thread or a level below}}
    obs.par warp (%i) in (%n) {
    }
  } : !obs.push<thread, 8 x i32>
  return
}

// -----

// At grid level every thread of every block would write.
func.func @bare_write(%x: i32, %i: index) {
  %p = obs.fill {
    // expected-error@+1 {{[R1-write] stands in code of level grid, where every thread would write; put it into an obs.par}}
    obs.write %x at [%i] : i32
  } : !obs.push<grid, 8 x i32>
  return
}

// -----

func.func @write_in_warp(%x: i32, %n: index) {
  %p = obs.fill {
    obs.par warp (%i) in (%n) {
      // expected-error@+1 {{[R1-write] stands in code of level warp}}
      obs.write %x at [%i] : i32
    }
  } : !obs.push<grid, 8 x i32>
  return
}

// -----

// A forced array leaves its region through a push array only.
func.func @yield_pull(%a: !obs.pull<4 x i32>) {
  %q = obs.distribute block (%x = %a : !obs.pull<4 x i32>) -> !obs.push<grid, 4 x 1 x i32> {
    %one = obs.splat %x : !obs.pull<1 x i32>
    // expected-error@+1 {{[R1-yield] a distribute block yields push arrays of that level, not '!obs.pull<1 x i32>'; push it at level block}}
    obs.yield %one : !obs.pull<1 x i32>
  }
  return
}

// -----

func.func @yield_other_level(%a: !obs.pull<4 x i32>, %p: !obs.push<grid, 1 x i32>) {
  %q = obs.distribute block (%x = %a : !obs.pull<4 x i32>) -> !obs.push<grid, 4 x 1 x i32> {
    // expected-error@+1 {{[R1-yield] a distribute block yields push arrays of that level}}
    obs.yield %p : !obs.push<grid, 1 x i32>
  }
  return
}

// -----

func.func @unbounded(%n: index) attributes {obs.level = #obs.level<block>} {
  %a = obs.iota [%n] : !obs.pull<? x i32>
  %p = obs.push %a : !obs.pull<? x i32> -> !obs.push<block, ? x i32>
  // expected-error@+1 {{[R2-bounded] forces an array of unknown extent below level grid, for which no space can be reserved; give it static extents or a bound}}
  %r = obs.force %p : !obs.push<block, ? x i32> -> !obs.pull<? x i32>
  return
}

// -----

func.func @half_bounded(%p: !obs.push<warp, ? x ? x i32 bound [?, 4]>) attributes {obs.level = #obs.level<warp>} {
  // expected-error@+1 {{[R2-bounded] forces an array of unknown extent}}
  %r = obs.force %p : !obs.push<warp, ? x ? x i32 bound [?, 4]> -> !obs.pull<? x ? x i32 bound [?, 4]>
  return
}

// -----

func.func @nested(%a: !obs.pull<4 x !obs.pull<8 x i32>>) {
  // expected-error@+1 {{[R2-nested] an array of arrays cannot be stored; distribute over it, or join it first}}
  %p = obs.push %a : !obs.pull<4 x !obs.pull<8 x i32>> -> !obs.push<grid, 4 x i32>
  return
}

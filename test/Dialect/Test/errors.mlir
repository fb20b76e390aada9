// RUN: obs-test opt %s --split-input-file --verify-diagnostics --obs-to-gpu

// Operations from outside that are used wrongly, or that lack something.

!ints = !obs.pull<? x i32>
func.func @pull_only(%a: !ints) -> !ints {
  %p = obs.push grid %a : !ints
  // expected-error@+1 {{'test.evens' op [array-kind] moves the elements of pull arrays only; force the push array first, or give the operation PushOpInterface and buildTarget}}
  %b = test.evens %p : !obs.push<grid, ? x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %b : !obs.push<grid, ? x i32>
  return %r : !ints
}

// -----

func.func @kind(%a: !obs.pull<? x i32>) -> !obs.push<grid, ? x i32> {
  // expected-error@+1 {{'test.evens' op [array-kind] turns '!obs.pull<? x i32>' into '!obs.push<grid, ? x i32>'}}
  %b = test.evens %a : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  return %b : !obs.push<grid, ? x i32>
}

// -----

func.func @elements(%a: !obs.pull<? x i32>) -> !obs.pull<? x f32> {
  // expected-error@+1 {{'test.evens' op [element-types] the result has types ('f32') but ('i32') are needed}}
  %b = test.evens %a : !obs.pull<? x i32> -> !obs.pull<? x f32>
  return %b : !obs.pull<? x f32>
}

// -----

func.func @no_source(%n: index) -> !obs.pull<? x i32> {
  // expected-error@+1 {{'test.no_source' op [index-map] has the elements of one array in one array, but its operand or its results are none}}
  %b = test.no_source %n : !obs.pull<? x i32>
  return %b : !obs.pull<? x i32>
}

// -----

!ints = !obs.pull<? x i32>
func.func @opaque_pull(%a: !ints) -> !ints {
  // expected-error@+1 {{'test.opaque' op [array-interface] takes or makes an array, but implements neither PullOpInterface, PushOpInterface nor ExpandableOpInterface}}
  %b = test.opaque %a : !ints -> !ints
  %c = obs.map { arith.addi } %b, %b : !ints
  %r = obs.force %c : !ints
  return %r : !ints
}

// -----

!ints = !obs.pull<? x i32>
func.func @opaque_push(%a: !ints) -> !ints {
  %p = obs.push grid %a : !ints
  // expected-error@+1 {{'test.opaque' op [array-interface] makes a push array, but does not implement PushOpInterface, which builds its program}}
  %b = test.opaque %p : !obs.push<grid, ? x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %b : !obs.push<grid, ? x i32>
  return %r : !ints
}

// -----

func.func @unfinished(%a: !obs.pull<? x i32>) -> !obs.pull<1 x i32> {
  // expected-error@+1 {{'test.unfinished' op [no-expansion] does not implement expand of ExpandableOpInterface, which replaces it by core operations}}
  %b = test.unfinished %a : !obs.pull<? x i32> -> !obs.push<grid, 1 x i32>
  %r = obs.force %b : !obs.push<grid, 1 x i32>
  return %r : !obs.pull<1 x i32>
}

// -----

func.func @no_extent(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  // expected-error@+1 {{'test.unfinished' op [array-extents] makes an array of dynamic extents, but does not implement ArrayOpInterface, which builds them}}
  %b = test.unfinished %a : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %b : !obs.push<grid, ? x i32>
  return %r : !obs.pull<? x i32>
}

// -----

func.func @level(%a: !obs.pull<? x i32>, %b: i32) -> !obs.pull<1 x i32> {
  // expected-error@+1 {{'test.digest' op [R1-level] stands in a region of level grid but makes an array of level block; use level grid or move it into a distribute block}}
  %d = test.digest %a base %b : !obs.pull<? x i32> -> !obs.push<block, 1 x i32>
  %r = obs.force %d : !obs.push<block, 1 x i32>
  return %r : !obs.pull<1 x i32>
}

// -----

func.func @scalar_code(%a: !obs.pull<? x i32>, %b: i32) -> !obs.pull<? x i32> {
  %r = obs.map (%x = %a : !obs.pull<? x i32>) {
    // expected-error@+1 {{'test.digest' op [R1-scalar] stands in a region that computes one element; move it out of the map, generate or reindex}}
    %d = test.digest %a base %x : !obs.pull<? x i32> -> !obs.push<thread, 1 x i32>
    obs.yield %x : i32
  }
  return %r : !obs.pull<? x i32>
}

// -----

func.func @strategy(%a: !obs.pull<? x i32>, %b: i32) -> !obs.pull<1 x i32> {
  // expected-error@+1 {{'test.digest' op [strategy-name] 'tree' is not a strategy of this operation at level grid}}
  %d = test.digest %a base %b {strategy = "tree"} : !obs.pull<? x i32> -> !obs.push<grid, 1 x i32>
  %r = obs.force %d : !obs.push<grid, 1 x i32>
  return %r : !obs.pull<1 x i32>
}

// -----

// A collective among the instances of the grid.
func.func @in_grid(%a: !obs.pull<4 x 8 x i32>, %b: i32) -> !obs.pull<4 x 1 x i32> {
  %rows = obs.nest %a dims 1 : !obs.pull<4 x 8 x i32>
  %p = obs.distribute grid (%r = %rows : !obs.pull<4 x !obs.pull<8 x i32>>) -> !obs.push<grid, 4 x 1 x i32> {
    // expected-error@+1 {{'test.digest' op [collective-grid] stands in a distribute grid, but a collective by all blocks is not batched}}
    %d = test.digest %r base %b : !obs.pull<8 x i32> -> !obs.push<grid, 1 x i32>
    obs.yield %d : !obs.push<grid, 1 x i32>
  }
  %f = obs.force %p : !obs.push<grid, 4 x 1 x i32>
  return %f : !obs.pull<4 x 1 x i32>
}

// -----

// Of an operation that reads other elements, the memory that they are in is not written.
!ints = !obs.pull<? x i32>
func.func @inside(%m: memref<?xi32>) {
  %v = obs.view %m : memref<?xi32>
  %same = test.window %v size 1 : !ints -> !ints
  %r = obs.force %same into %m : !ints into memref<?xi32>
  %two = test.window %r size 2 : !ints -> !ints
  // expected-error@+1 {{[R8-inside] reads memory that it writes, and an element may be overwritten before it is read}}
  %s = obs.force %two into %m : !ints into memref<?xi32>
  return
}

// -----

// The operation says that its program writes initial contents.
func.func @initial_contents(%a: !obs.pull<4 x i32>, %x: i32) -> !obs.pull<4 x i32> {
  %c0 = arith.constant 0 : index
  %p = test.cleared %a : !obs.pull<4 x i32> -> !obs.push<grid, 4 x i32>
  %q = obs.fill init %x any {
    // expected-error@+1 {{[R7-final] puts an array into a fill of contract any, which requires that each element is written once, but this array has initial contents or its own contract}}
    obs.put %p at [%c0] : !obs.push<grid, 4 x i32>
  } : !obs.push<grid, 4 x i32>
  %r = obs.force %q : !obs.push<grid, 4 x i32>
  return %r : !obs.pull<4 x i32>
}

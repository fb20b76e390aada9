// Rules of single operations: programs, force, kernels.
// RUN: obs-opt %s --split-input-file --verify-diagnostics

func.func @init_and_onto(%z: i32, %a: !obs.pull<8 x i32>) {
  // expected-error@+1 {{[fill-init] has both init and onto; give the scalars or the array that elements start from}}
  %p = obs.fill init %z onto %a : !obs.pull<8 x i32> {
  } : !obs.push<grid, 8 x i32>
  return
}

// -----

func.func @fill_extents() {
  // expected-error@+1 {{[dynamic-extents] has 0 extents in brackets but its result has 1 dynamic ones}}
  %p = obs.fill {
  } : !obs.push<grid, ? x i32>
  return
}

// -----

func.func @onto_elements(%a: !obs.pull<8 x f32>) {
  // expected-error@+1 {{[element-types] the array after onto has types ('f32') but ('i32') are needed}}
  %p = obs.fill onto %a : !obs.pull<8 x f32> {
  } : !obs.push<grid, 8 x i32>
  return
}

// -----

func.func @par_extents() {
  %p = obs.fill {
    // expected-error@+1 {{[par-extents] needs at least one extent}}
    obs.par () in () {
    }
  } : !obs.push<grid, 8 x i32>
  return
}

// -----

func.func @par_arguments(%n: index) {
  %p = obs.fill {
    // expected-error@+1 {{[region-arguments] the arguments of the region have types ('index'); ('index', 'index') are needed}}
    obs.par (%i) in (%n, %n) {
    }
  } : !obs.push<grid, 8 x i32>
  return
}

// -----

func.func @par_outside(%n: index) {
  // expected-error@+1 {{[outside-fill] is a loop of the obs.fill around it, but there is none; move it into one, or use obs.distribute}}
  obs.par (%i) in (%n) {
  }
  return
}

// -----

func.func @write_outside(%x: i32, %i: index) {
  // expected-error@+1 {{[outside-fill] writes the elements of the obs.fill around it, but there is none; move it into one}}
  obs.write %x at [%i] : i32
  return
}

// -----

// The distribute in the fill is a program of its own.
func.func @write_through_distribute(%a: !obs.pull<8 x i32>, %i: index) {
  %p = obs.fill {
    %q = obs.distribute thread (%x = %a : !obs.pull<8 x i32>) -> !obs.push<grid, 8 x 1 x i32> {
      // expected-error@+1 {{[outside-fill] writes the elements of the obs.fill around it, but there is none}}
      obs.write %x at [%i] : i32
      %one = obs.splat %x : !obs.pull<1 x i32>
      %s = obs.push %one : !obs.pull<1 x i32> -> !obs.push<thread, 1 x i32>
      obs.yield %s : !obs.push<thread, 1 x i32>
    }
  } : !obs.push<grid, 8 x i32>
  return
}

// -----

func.func @put_outside(%p: !obs.push<grid, 8 x i32>, %i: index) {
  // expected-error@+1 {{[outside-fill] writes the elements of the obs.fill around it, but there is none}}
  obs.put %p at [%i] : !obs.push<grid, 8 x i32>
  return
}

// -----

func.func @write_elements(%x: f32, %n: index) {
  %p = obs.fill par (%i) in (%n) {
    // expected-error@+1 {{[element-types] the value list has types ('f32') but ('i32') are needed}}
    obs.write %x at [%i] : f32
  } : !obs.push<grid, 8 x i32>
  return
}

// -----

func.func @write_indices(%x: i32, %n: index) {
  %p = obs.fill par (%i) in (%n) {
    // expected-error@+1 {{[write-indices] has 2 indices but the fill has rank 1; give one for each dimension}}
    obs.write %x at [%i, %i] : i32
  } : !obs.push<grid, 8 x i32>
  return
}

// -----

func.func @put_offsets(%h: !obs.push<grid, 8 x i32>, %i: index) {
  %p = obs.fill {
    // expected-error@+1 {{[put-offsets] has 1 offsets and an array of rank 1 but the fill has rank 2; all three must agree}}
    obs.put %h at [%i] : !obs.push<grid, 8 x i32>
  } : !obs.push<grid, 8 x 8 x i32>
  return
}

// -----

func.func @distribute_nothing() {
  // expected-error@+1 {{[no-arrays] needs at least one array}}
  "obs.distribute"() <{level = #obs.level<block>, outer = #obs.level<grid>}> ({
    obs.yield
  }) : () -> ()
  return
}

// -----

func.func @force_result(%p: !obs.push<grid, 8 x i32>) {
  // expected-error@+1 {{[force-results] gives '!obs.pull<8 x i32>', not '!obs.pull<? x i32>'}}
  %r = obs.force %p : !obs.push<grid, 8 x i32> -> !obs.pull<? x i32>
  return
}

// -----

func.func @force_results(%p: !obs.push<grid, 8 x i32>) {
  // expected-error@+1 {{[force-results] has 1 arrays but 2 results; each array gives one}}
  %r:2 = obs.force %p : !obs.push<grid, 8 x i32> -> (!obs.pull<8 x i32>, !obs.pull<8 x i32>)
  return
}

// -----

func.func @force_threads(%p: !obs.push<grid, 8 x i32>) {
  // expected-error@+1 {{[force-threads] 'threads' must be 1 to 1024, not 1025}}
  %r = obs.force %p {threads = 1025 : i64} : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return
}

// -----

func.func @negative_threads(%p: !obs.push<grid, 8 x i32>) {
  // expected-error@+1 {{[force-threads] 'threads' must be 1 to 1024, not -1}}
  %r = obs.force %p {threads = -1 : i64} : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return
}

// -----

func.func @kernel_below_grid(%p: !obs.push<block, 8 x i32>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[force-kernel] 'kernel' and 'threads' are for a force of level grid, which is a kernel; drop them}}
  %r = obs.force %p {kernel = "k"} : !obs.push<block, 8 x i32> -> !obs.pull<8 x i32>
  return
}

// -----

func.func @kernel_without_name(%p: !obs.push<grid, 8 x i32>) {
  // expected-error@+1 {{[force-kernel] '' is not a valid name of a kernel: use letters, digits and '_', do not begin with a digit or '__', and do not use 'vprintf'}}
  %r = obs.force %p {kernel = ""} : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return
}

// -----

func.func @kernel_with_dash(%p: !obs.push<grid, 8 x i32>) {
  // expected-error@+1 {{[force-kernel] 'foo-bar' is not a valid name of a kernel}}
  %r = obs.force %p {kernel = "foo-bar"} : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return
}

// -----

func.func @kernel_with_digit(%p: !obs.push<grid, 8 x i32>) {
  // expected-error@+1 {{[force-kernel] '1st' is not a valid name of a kernel}}
  %r = obs.force %p {kernel = "1st"} : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return
}

// -----

func.func @kernel_that_is_taken(%p: !obs.push<grid, 8 x i32>) {
  // expected-error@+1 {{[force-kernel] '__assertfail' is not a valid name of a kernel}}
  %r = obs.force %p {kernel = "__assertfail"} : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return
}

// -----

func.func @shared_at_grid(%p: !obs.push<grid, 8 x i32>) {
  // expected-error@+1 {{[force-storage] an array of level grid cannot live in shared; at level grid use global or constant}}
  %r = obs.force %p in shared : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return
}

// -----

func.func @constant_at_block(%p: !obs.push<block, 8 x i32>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[force-storage] an array of level block cannot live in constant; below level grid use registers or shared; what is to be in global memory is forced at level grid, or into a memref}}
  %r = obs.force %p in constant : !obs.push<block, 8 x i32> -> !obs.pull<8 x i32>
  return
}

// -----

func.func @global_at_block(%p: !obs.push<block, 8 x i32>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[force-storage] an array of level block cannot live in global; below level grid use registers or shared; what is to be in global memory is forced at level grid, or into a memref}}
  %r = obs.force %p in global : !obs.push<block, 8 x i32> -> !obs.pull<8 x i32>
  return
}

// -----

func.func @into_and_in(%p: !obs.push<grid, 8 x i32>, %m: memref<8xi32>) {
  // expected-error@+1 {{[force-storage] has both into and in; the memory given decides where the array lives}}
  %r = obs.force %p into %m in global : !obs.push<grid, 8 x i32> into memref<8xi32> -> !obs.pull<8 x i32>
  return
}

// -----

func.func @into_count(%p: !obs.push<grid, 8 x i32, f32>, %m: memref<8xi32>) {
  // expected-error@+1 {{[force-into] has 1 memrefs after into but its arrays have 2 element types; give one memref for each}}
  %r = obs.force %p into %m : !obs.push<grid, 8 x i32, f32> into memref<8xi32> -> !obs.pull<8 x i32, f32>
  return
}

// -----

func.func @into_elements(%p: !obs.push<grid, 8 x i32>, %m: memref<8xf32>) {
  // expected-error@+1 {{[force-into] cannot write elements of type 'i32' into 'memref<8xf32>'}}
  %r = obs.force %p into %m : !obs.push<grid, 8 x i32> into memref<8xf32> -> !obs.pull<8 x i32>
  return
}

// -----

func.func @print_array(%x: !obs.pull<4 x i32>) {
  // expected-error@+1 {{[print-format] cannot print '!obs.pull<4 x i32>'; print elements, which obs.get reads}}
  obs.print "{}", %x : !obs.pull<4 x i32>
  return
}

// -----

func.func @print(%x: i32) {
  // expected-error@+1 {{[print-format] has 2 {} in its format but 1 values; give one value for each}}
  obs.print "{} and {}", %x : i32
  return
}

// -----

// expected-error@+1 {{[kernel-arguments] cannot take '!obs.pull<8 x i32>'; arguments of a kernel are memrefs, integers, index, f16, bf16, f32 and f64}}
obs.kernel @pull(%a: !obs.pull<8 x i32>) {
}

// -----

// expected-error@+1 {{[kernel-results] has results; a kernel gives its results in the memory of its arguments}}
obs.kernel @result(%a: i32) -> i32 {
}

// -----

// expected-error@+1 {{[kernel-body] needs a body of one block}}
obs.kernel @declaration(i32)

// -----

// expected-error@+1 {{[kernel-threads] 'threads' must be an integer from 1 to 1024}}
obs.kernel @threads(%x: i32) attributes {threads = 0 : i64} {
}

// -----

// expected-error@+1 {{attribute 'threads' failed to satisfy constraint: 64-bit signless integer attribute}}
obs.kernel @threads_as_text(%x: i32) attributes {threads = "many"} {
}

// -----

func.func @launch_nothing() {
  // expected-error@+1 {{[launch-kernel] there is no obs.kernel of the name @nothing}}
  obs.launch @nothing args()
  return
}

// -----

obs.kernel @k(%x: i32) {
}
func.func @launch_arguments(%x: f32) {
  // expected-error@+1 {{[launch-arguments] the arguments are not those of @k, which has type '(i32) -> ()'}}
  obs.launch @k args(%x) : f32
  return
}

// -----

obs.kernel @k(%x: index) {
}
func.func @launch_work(%n: index) {
  // expected-error@+1 {{[launch-work] needs a level for each number of units in 'work'}}
  obs.launch @k work [%n, %n] [thread] args(%n) : index
  return
}

// -----

func.func @host_barrier() {
  // expected-error@+1 {{[barrier-scope] stands in a host function, and waits for threads of a kernel; the host needs no barrier}}
  obs.barrier block
  return
}

// -----

obs.kernel @barrier() {
  // expected-error@+1 {{[barrier-scope] no barrier waits for level grid; use warp or block}}
  obs.barrier grid
}

// -----

obs.kernel @ticket_of_floats(%counters: memref<?xf32>, %cell: memref<index>, %i: index) {
  // expected-error@+1 {{[counter-memory] counts in one element of type i32 or i64, with one index for each dimension; not in 'memref<?xf32>' with 1 indices}}
  %n = obs.ticket %counters[%i] via %cell : memref<?xf32>, memref<index>
}

// -----

obs.kernel @ticket_without_index(%counters: memref<?xi32>, %cell: memref<index>) {
  // expected-error@+1 {{[counter-memory] counts in one element of type i32 or i64, with one index for each dimension; not in 'memref<?xi32>' with 0 indices}}
  %n = obs.ticket %counters[] via %cell : memref<?xi32>, memref<index>
}

// -----

obs.kernel @ticket_of_several_cells(%counters: memref<?xi32>, %cell: memref<2xindex>, %i: index) {
  // expected-error@+1 {{[counter-cell] passes the number on through a memref of one index, not through 'memref<2xindex>'}}
  %n = obs.ticket %counters[%i] via %cell : memref<?xi32>, memref<2xindex>
}

// -----

obs.kernel @ticket_of_bytes(%counters: memref<?xi32>, %cell: memref<i8>, %i: index) {
  // expected-error@+1 {{[counter-cell] passes the number on through a memref of one index, not through 'memref<i8>'}}
  %n = obs.ticket %counters[%i] via %cell : memref<?xi32>, memref<i8>
}

// -----

obs.kernel @arrive_in_two_dimensions(%counters: memref<?x?xi32>, %i: index) {
  // expected-error@+1 {{[counter-memory] counts in one element of type i32 or i64, with one index for each dimension; not in 'memref<?x?xi32>' with 1 indices}}
  %n = obs.arrive %counters[%i] after %i : memref<?x?xi32>
}

// -----

obs.kernel @arrive_through_floats(%counters: memref<?xi32>, %cell: memref<f32>, %i: index) {
  // expected-error@+1 {{[counter-cell] passes the number on through a memref of one index, not through 'memref<f32>'}}
  %n = obs.arrive %counters[%i] after %i via %cell : memref<?xi32>, memref<f32>
}

// -----

obs.kernel @publish_state(%x: i32, %m: memref<?xi32>, %flags: memref<?xi32>, %i: index) {
  // expected-error@+1 {{[publish-state] publishes state 1 or 2, not 3}}
  obs.publish %x in %m flag %flags[%i] = 3 : i32 in memref<?xi32> flag memref<?xi32>
}

// -----

obs.kernel @publish_other_elements(%x: f32, %m: memref<?xi32>, %flags: memref<?xi32>, %i: index) {
  // expected-error@+1 {{[publish-memory] has memory of one dimension for each value, with elements of its type}}
  obs.publish %x in %m flag %flags[%i] = 1 : f32 in memref<?xi32> flag memref<?xi32>
}

// -----

obs.kernel @await_wide_flags(%m: memref<?xi32>, %flags: memref<?xi64>, %i: index, %s: i32) {
  // expected-error@+1 {{[publish-flags] has one flag of type i32 for each result, not 'memref<?xi64>'}}
  %f, %x = obs.await %m flag %flags[%i] >= %s : memref<?xi32> flag memref<?xi64> -> i32
}

// -----

obs.kernel @await_fewer_values(%m: memref<?xi32>, %flags: memref<?xi32>, %i: index, %s: i32) {
  // expected-error@+1 {{[publish-memory] has memory of one dimension for each value, with elements of its type}}
  %f, %x = obs.await %m, %m flag %flags[%i] >= %s : memref<?xi32>, memref<?xi32> flag memref<?xi32> -> i32
}

// -----

func.func @part_of_other_elements(%m: memref<?xi32>, %i: index) -> memref<4xf32> {
  // expected-error@+1 {{[part-memory] 'memref<4xf32>' is not a part of 'memref<?xi32>'; they differ in extents alone and have no layout}}
  %p = obs.part %m from %i : memref<?xi32> to memref<4xf32>
  return %p : memref<4xf32>
}

// -----

func.func @part_with_layout(%m: memref<?xi32>, %i: index) -> memref<4xi32, strided<[2]>> {
  // expected-error@+1 {{[part-memory] 'memref<4xi32, strided<[2]>>' is not a part of 'memref<?xi32>'}}
  %p = obs.part %m from %i : memref<?xi32> to memref<4xi32, strided<[2]>>
  return %p : memref<4xi32, strided<[2]>>
}

// -----

func.func @part_without_extents(%m: memref<?xi32>, %i: index) -> memref<?xi32> {
  // expected-error@+1 {{[part-memory] 'memref<?xi32>' has 1 dynamic extents, but 0 are given}}
  %p = obs.part %m from %i : memref<?xi32> to memref<?xi32>
  return %p : memref<?xi32>
}

// -----

func.func @kernel_that_is_a_number(%p: !obs.push<grid, 8 x i32>) {
  // expected-error@+1 {{custom op 'obs.force' attribute 'kernel' failed to satisfy constraint: string attribute}}
  %r = obs.force %p {kernel = 3} : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return
}

// -----

func.func @threads_that_are_text(%p: !obs.push<grid, 8 x i32>) {
  // expected-error@+1 {{custom op 'obs.force' attribute 'threads' failed to satisfy constraint: 64-bit signless integer attribute}}
  %r = obs.force %p {threads = "x"} : !obs.push<grid, 8 x i32> -> !obs.pull<8 x i32>
  return
}

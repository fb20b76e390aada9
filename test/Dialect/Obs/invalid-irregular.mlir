// Rules of compact, rank, partition, expand and scatter.
// RUN: obs-opt %s --split-input-file --verify-diagnostics

func.func @dimensions(%a: !obs.pull<4 x 4 x i32>, %f: !obs.pull<4 x 4 x i1>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[collective-rank] the array has rank 2, but must have rank 1; reshape it to rank 1, or distribute over its rows}}
  %0, %n = obs.compact %a flags %f : !obs.pull<4 x 4 x i32>, !obs.pull<4 x 4 x i1> -> !obs.push<block, 4 x 4 x i32>, !obs.push<block, 1 x index>
  return
}

// -----

func.func @nested(%a: !obs.pull<4 x !obs.pull<4 x i32>>, %f: !obs.pull<4 x i1>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[R2-nested] the elements of the array are arrays; join them first, or distribute over them}}
  %0, %n = obs.compact %a flags %f : !obs.pull<4 x !obs.pull<4 x i32>>, !obs.pull<4 x i1> -> !obs.push<block, 4 x i32>, !obs.push<block, 1 x index>
  return
}

// -----

func.func @flags(%a: !obs.pull<4 x i32>, %f: !obs.pull<4 x i8>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[compact-flags] the flags are an array of i1, not '!obs.pull<4 x i8>'}}
  %0, %n = obs.compact %a flags %f : !obs.pull<4 x i32>, !obs.pull<4 x i8> -> !obs.push<block, 4 x i32>, !obs.push<block, 1 x index>
  return
}

// -----

func.func @extents(%a: !obs.pull<4 x i32>, %f: !obs.pull<5 x i1>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[R4-extents]}}
  %0, %n = obs.compact %a flags %f : !obs.pull<4 x i32>, !obs.pull<5 x i1> -> !obs.push<block, 4 x i32>, !obs.push<block, 1 x index>
  return
}

// -----

func.func @result(%a: !obs.pull<4 x i32>, %f: !obs.pull<4 x i1>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[element-types] the result has types ('i64') but ('i32') are needed}}
  %0, %n = obs.compact %a flags %f : !obs.pull<4 x i32>, !obs.pull<4 x i1> -> !obs.push<block, 4 x i64>, !obs.push<block, 1 x index>
  return
}

// -----

func.func @count(%a: !obs.pull<4 x i32>, %f: !obs.pull<4 x i1>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[count-type] the count is an array of one element, of the level of the other result, as in !obs.push<block, 1 x index>, not '!obs.push<block, 4 x index>'}}
  %0, %n = obs.compact %a flags %f : !obs.pull<4 x i32>, !obs.pull<4 x i1> -> !obs.push<block, 4 x i32>, !obs.push<block, 4 x index>
  return
}

// -----

func.func @count_of_floats(%a: !obs.pull<4 x i32>, %f: !obs.pull<4 x i1>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[integer-type] the count is an array of integers or index, not '!obs.push<block, 1 x f32>'}}
  %0, %n = obs.compact %a flags %f : !obs.pull<4 x i32>, !obs.pull<4 x i1> -> !obs.push<block, 4 x i32>, !obs.push<block, 1 x f32>
  return
}

// -----

func.func @level(%a: !obs.pull<4 x i32>, %f: !obs.pull<4 x i1>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[R1-level] stands in a region of level block but makes an array of level warp}}
  %0, %n = obs.compact %a flags %f : !obs.pull<4 x i32>, !obs.pull<4 x i1> -> !obs.push<warp, 4 x i32>, !obs.push<warp, 1 x index>
  return
}

// -----

// The values that a scatter combines are final only if it has initial contents.
func.func @mapped(%a: !obs.pull<4 x i32>, %k: !obs.pull<4 x i32>) attributes {obs.level = #obs.level<block>} {
  %0 = obs.scatter %a at %k reduce(addi) : !obs.pull<4 x i32>, !obs.pull<4 x i32> -> !obs.push<block, 4 x i32>
  // expected-error@+1 {{[R7-final] maps values that several writes may give, but elements without a write}}
  %2 = obs.map (%x = %0 : !obs.push<block, 4 x i32>) -> !obs.push<block, 4 x i32> {
    obs.yield %x : i32
  }
  return
}

// -----

func.func @fetched_long(%a: !obs.pull<4 x i32, i64>, %k: !obs.pull<4 x i32>, %z: i32, %y: i64) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[scatter-fetch] fetches elements of 96 bits, but memory exchanges at most 64 bits at once, so a found value could consist of parts of several elements; use smaller types, or scatter at level thread}}
  %0, %f = obs.scatter %a at %k init %z, %y reduce(addi) fetch : !obs.pull<4 x i32, i64>, !obs.pull<4 x i32> -> !obs.push<block, 4 x i32, i64>, !obs.push<block, 4 x i32, i64>
  return
}

// -----

func.func @keys(%a: !obs.pull<4 x f32>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[integer-type] the array of keys is an array of integers or index, not '!obs.pull<4 x f32>'}}
  %0, %c = obs.rank %a : !obs.pull<4 x f32> -> !obs.push<block, 4 x index>, !obs.push<block, 16 x index>
  return
}

// -----

func.func @counts(%a: !obs.pull<4 x i32>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[rank-counts] the counts are an array of the level of the other result, with one element for each possible key, as in !obs.push<block, 256 x i32>, not '!obs.push<block, ? x index>'}}
  %0, %c = obs.rank %a : !obs.pull<4 x i32> -> !obs.push<block, 4 x index>, !obs.push<block, ? x index>
  return
}

// -----

func.func @rank_grid(%a: !obs.pull<4 x i32>) {
  // expected-error@+1 {{[rank-grid] stands at level grid; rank parts of the keys in a distribute, and scan their counts}}
  %0, %c = obs.rank %a : !obs.pull<4 x i32> -> !obs.push<grid, 4 x index>, !obs.push<grid, 16 x index>
  return
}

// -----

func.func @lengths(%a: !obs.pull<4 x i32, i32>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[integer-type] the array of lengths is an array of integers or index, not '!obs.pull<4 x i32, i32>'}}
  %0, %n = obs.expand (%i, %j) = %a : !obs.pull<4 x i32, i32> -> !obs.push<block, 4 x index>, !obs.push<block, 1 x index> {
    obs.yield %i : index
  }
  return
}

// -----

func.func @capacity(%a: !obs.pull<4 x i32>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[dynamic-extents]}}
  %0, %n = obs.expand (%i, %j) = %a : !obs.pull<4 x i32> -> !obs.push<block, ? x index>, !obs.push<block, 1 x index> {
    obs.yield %i : index
  }
  return
}

// -----

func.func @numbers(%a: !obs.pull<4 x i32>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{the region takes two numbers, that of the length and that of the element}}
  %0, %n = obs.expand (%i) = %a : !obs.pull<4 x i32> -> !obs.push<block, 4 x index>, !obs.push<block, 1 x index> {
    obs.yield %i : index
  }
  return
}

// -----

func.func @yield(%a: !obs.pull<4 x i32>, %x: i32) attributes {obs.level = #obs.level<block>} {
  %0, %n = obs.expand (%i, %j) = %a : !obs.pull<4 x i32> -> !obs.push<block, 4 x i32>, !obs.push<block, 1 x index> {
    // expected-error@+1 {{[yield-types] yields ('index') but obs.expand needs ('i32')}}
    obs.yield %i : index
  }
  return
}

// -----

// An element is computed, nothing is forced.
func.func @scalar(%a: !obs.pull<4 x i32>, %b: !obs.pull<4 x i32>, %f: !obs.pull<4 x i1>) attributes {obs.level = #obs.level<thread>} {
  %0, %n = obs.expand (%i, %j) = %a : !obs.pull<4 x i32> -> !obs.push<thread, 4 x i32>, !obs.push<thread, 1 x index> {
    // expected-error@+1 {{[R1-scalar]}}
    %1, %m = obs.compact %b flags %f : !obs.pull<4 x i32>, !obs.pull<4 x i1> -> !obs.push<thread, 4 x i32>, !obs.push<thread, 1 x index>
    %x = arith.index_cast %i : index to i32
    obs.yield %x : i32
  }
  return
}

// -----

func.func @indices(%a: !obs.pull<4 x i32>, %i: !obs.pull<5 x i32>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[R4-extents]}}
  %0 = obs.scatter %a at %i : !obs.pull<4 x i32>, !obs.pull<5 x i32> -> !obs.push<block, 8 x i32>
  return
}

// -----

func.func @scatter_result(%a: !obs.pull<4 x i32>, %i: !obs.pull<4 x i32>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[element-types] the result has types ('i8') but ('i32') are needed}}
  %0 = obs.scatter %a at %i : !obs.pull<4 x i32>, !obs.pull<4 x i32> -> !obs.push<block, 8 x i8>
  return
}

// -----

func.func @contract(%a: !obs.pull<4 x i32, i32>, %i: !obs.pull<4 x i32>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[R7-contract] contract any is for one element of at most 64 bits, not for 2 element types}}
  %0 = obs.scatter %a at %i any : !obs.pull<4 x i32, i32>, !obs.pull<4 x i32> -> !obs.push<block, 8 x i32, i32>
  return
}

// -----

func.func @fetch(%a: !obs.pull<4 x i32>, %i: !obs.pull<4 x i32>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[scatter-fetch] fetch returns the value before each combination, so it requires init and contract reduce; drop fetch, or write init %x reduce(addi)}}
  %0, %f = obs.scatter %a at %i reduce(addi) fetch : !obs.pull<4 x i32>, !obs.pull<4 x i32> -> !obs.push<block, 8 x i32>, !obs.push<block, 4 x i32>
  return
}

// -----

func.func @fetch_extent(%a: !obs.pull<4 x i32>, %i: !obs.pull<4 x i32>, %x: i32) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[R4-extents]}}
  %0, %f = obs.scatter %a at %i init %x reduce(addi) fetch : !obs.pull<4 x i32>, !obs.pull<4 x i32> -> !obs.push<block, 8 x i32>, !obs.push<block, 8 x i32>
  return
}

// -----

func.func @count(%a: !obs.pull<128 x i32>, %f: !obs.pull<128 x i1>) {
  // expected-error@+1 {{[count-range] a count of type 'i8' cannot be more than 127, but there are 128 elements; use a wider type, such as index}}
  %p, %n = obs.compact %a flags %f : !obs.pull<128 x i32>, !obs.pull<128 x i1> -> !obs.push<grid, 128 x i32>, !obs.push<grid, 1 x i8>
  return
}

// -----

func.func @ranks(%a: !obs.pull<40000 x i8>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[count-range] a rank of type 'i16' cannot be more than 32767, but there are 40000 elements}}
  %p, %n = obs.rank %a : !obs.pull<40000 x i8> -> !obs.push<block, 40000 x i16>, !obs.push<block, 4 x i32>
  return
}

// -----

func.func @counts(%a: !obs.pull<40000 x i8>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[count-range] a count of type 'i16' cannot be more than 32767, but there are 40000 elements}}
  %p, %n = obs.rank %a : !obs.pull<40000 x i8> -> !obs.push<block, 40000 x i32>, !obs.push<block, 4 x i16>
  return
}

// -----

func.func @sum(%a: !obs.pull<4 x i32>) {
  // expected-error@+1 {{[count-range] a count of type 'i8' cannot be more than 127, but there are 1000 elements}}
  %p, %n = obs.expand (%i, %j) = %a : !obs.pull<4 x i32> -> !obs.push<grid, 1000 x index>, !obs.push<grid, 1 x i8> {
    obs.yield %i : index
  }
  return
}

// -----

func.func @partition_level(%a: !obs.pull<4 x i32>, %s: !obs.pull<8 x i32>) attributes {obs.level = #obs.level<block>} {
  // expected-error@+1 {{[partition-grid] stands at level block, but must stand at level grid; below, compute indices by obs.rank, and write by a fill}}
  %p = obs.partition (%x) = %a from %s : !obs.pull<4 x i32>, !obs.pull<8 x i32> -> !obs.push<block, 4 x i32> {
    obs.yield %x : i32
  }
  return
}

// -----

func.func @partition_starts(%a: !obs.pull<4 x i32>, %s: !obs.pull<? x i32>) {
  // expected-error@+1 {{[partition-starts] the starts are an array with one element for each possible key, as in !obs.pull<256 x i32>, not '!obs.pull<? x i32>'}}
  %p = obs.partition (%x) = %a from %s : !obs.pull<4 x i32>, !obs.pull<? x i32> -> !obs.push<grid, 4 x i32> {
    obs.yield %x : i32
  }
  return
}

// -----

func.func @partition_keys(%a: !obs.pull<4 x i32>, %s: !obs.pull<5000 x i32>) {
  // expected-error@+1 {{[partition-starts] there are 5000 starts, but 1 to 4096 are possible; partition by parts of the key, the least significant one first}}
  %p = obs.partition (%x) = %a from %s : !obs.pull<4 x i32>, !obs.pull<5000 x i32> -> !obs.push<grid, 4 x i32> {
    obs.yield %x : i32
  }
  return
}

// -----

func.func @partition_range(%a: !obs.pull<40000 x i32>, %s: !obs.pull<8 x i16>) {
  // expected-error@+1 {{[count-range] a start of type 'i16' cannot be more than 32767, but there are 40000 elements}}
  %p = obs.partition (%x) = %a from %s : !obs.pull<40000 x i32>, !obs.pull<8 x i16> -> !obs.push<grid, 40000 x i32> {
    obs.yield %x : i32
  }
  return
}

// -----

func.func @partition_key(%a: !obs.pull<4 x f32>, %s: !obs.pull<8 x i32>) {
  // expected-error@+1 {{[integer-type] the region yields the key of an element, which is one integer or index}}
  %p = obs.partition (%x) = %a from %s : !obs.pull<4 x f32>, !obs.pull<8 x i32> -> !obs.push<grid, 4 x f32> {
    obs.yield %x : f32
  }
  return
}

// -----

func.func @partition_names(%a: !obs.pull<4 x i32, f32>, %s: !obs.pull<8 x i32>) {
  // expected-error@+1 {{the region takes the components of an element, 2 of them}}
  %p = obs.partition (%x) = %a from %s : !obs.pull<4 x i32, f32>, !obs.pull<8 x i32> -> !obs.push<grid, 4 x i32, f32> {
    obs.yield %x : i32
  }
  return
}

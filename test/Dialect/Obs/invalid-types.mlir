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

// expected-error@+1 {{[obs-level] 'obs.level' is a #obs.level attribute of a function}}
func.func private @level_attribute() attributes {obs.level = "block"}

// -----

func.func @level_of_op() {
  // expected-error@+1 {{[obs-level] 'obs.level' is a #obs.level attribute of a function}}
  %c = arith.constant {obs.level = #obs.level<block>} 0 : index
  return
}

// -----

// expected-error@+1 {{[obs-name] 'obs.name' is a string of letters, digits and '_' that does not begin with a digit}}
func.func private @name_of_digits(i32 {obs.name = "2nd"})

// -----

// expected-error@+1 {{[obs-name] 'obs.name' is a string of letters, digits and '_'}}
func.func private @name_of_signs(i32 {obs.name = "a-b"})

// -----

// expected-error@+1 {{[obs-name] 'obs.name' is a string}}
func.func private @name_is_number(i32) -> (i32 {obs.name = 1})

// -----

// expected-error@+1 {{[obs-name] 'obs.name' is a string}}
func.func private @empty_name(i32 {obs.name = ""})

// -----

// expected-error@+1 {{[obs-name] two parameters have the name "n"; give each of them its own name}}
func.func private @one_name(i32 {obs.name = "n"}, i32 {obs.name = "m"}, !obs.pull<? x i32> {obs.name = "n"})

// -----

// expected-error@+1 {{[obs-attribute] unknown attribute 'obs.nome' of the obs dialect at a parameter or a result}}
func.func private @other_name(i32 {obs.nome = "a"})

// -----

func.func @map_attribute() {
  // expected-error@+1 {{[obs-map] 'obs.map' must be a #obs.map attribute}}
  %c = arith.constant {obs.map = 1} 0 : index
  return
}

// -----

func.func @items(%n: index) {
  // expected-error@+1 {{[obs-items] 'obs.items' is the number of iterations of a thread side by side: 2, 4, 8 or 16}}
  scf.for %i = %n to %n step %n {
  } {obs.items = -9223372036854775808 : i64}
  return
}

// -----

func.func @attribute() {
  // expected-error@+1 {{[obs-attribute] unknown attribute 'obs.colour' of the obs dialect}}
  %c = arith.constant {obs.colour = 1} 0 : index
  return
}

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

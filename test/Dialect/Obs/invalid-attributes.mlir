// RUN: obs-opt --split-input-file --verify-diagnostics %s

// Each discardable attribute of the dialect once, with a wrong value.

// expected-error@+1 {{[obs-level] 'obs.level' is a #obs.level attribute of a function; write obs.level = #obs.level<block>}}
func.func private @level_attribute() attributes {obs.level = "block"}

// -----

func.func @level_of_op() {
  // expected-error@+1 {{[obs-level] 'obs.level' is a #obs.level attribute of a function; write obs.level = #obs.level<block>}}
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

// expected-error@+1 {{[obs-attribute] unknown attribute 'obs.nome' of the obs dialect at a parameter or a result; correct its name, or remove it}}
func.func private @other_name(i32 {obs.nome = "a"})

// -----

func.func @map_attribute() {
  // expected-error@+1 {{[obs-map] 'obs.map' is a #obs.map attribute; write obs.map = #obs.map<block, thread>}}
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
  // expected-error@+1 {{[obs-attribute] unknown attribute 'obs.colour' of the obs dialect; correct its name, or remove it}}
  %c = arith.constant {obs.colour = 1} 0 : index
  return
}

// -----

func.func @unroll() {
  // expected-error@+1 {{[obs-attribute] 'obs.unroll' has no value; write obs.unroll}}
  %c = arith.constant {obs.unroll = true} 0 : index
  return
}

// -----

func.func @packed() {
  // expected-error@+1 {{[obs-attribute] 'obs.packed' has no value; write obs.packed}}
  %c = arith.constant {obs.packed = 2} 0 : index
  return
}

// -----

func.func @constant() {
  // expected-error@+1 {{[obs-attribute] 'obs.constant' has no value; write obs.constant}}
  %c = arith.constant {obs.constant = "yes"} 0 : index
  return
}

// -----

func.func @contract() {
  // expected-error@+1 {{[obs-attribute] 'obs.contract' is one of disjoint, unproved, any and init; write obs.contract = "disjoint"}}
  %c = arith.constant {obs.contract} 0 : index
  return
}

// -----

func.func @contract_word() {
  // expected-error@+1 {{[obs-attribute] 'obs.contract' is one of disjoint, unproved, any and init}}
  %c = arith.constant {obs.contract = "initial"} 0 : index
  return
}

// -----

func.func @loop() {
  // expected-error@+1 {{[obs-attribute] 'obs.loop' is a number; write obs.loop = 0}}
  %c = arith.constant {obs.loop = "first"} 0 : index
  return
}

// -----

func.func @outer_loops() {
  // expected-error@+1 {{[obs-attribute] 'obs.outer_loops' is a list of numbers; write obs.outer_loops = array<i64: 0>}}
  %c = arith.constant {obs.outer_loops = [0]} 0 : index
  return
}

// -----

func.func @update() {
  // expected-error@+1 {{[obs-attribute] 'obs.update' is a number; write obs.update = 1}}
  %c = arith.constant {obs.update} 0 : index
  return
}

// -----

func.func @updates() {
  // expected-error@+1 {{[obs-attribute] 'obs.updates' has no value; write obs.updates}}
  %c = arith.constant {obs.updates = 1} 0 : index
  return
}

// -----

func.func @copy() {
  // expected-error@+1 {{[obs-attribute] 'obs.copy' has no value; write obs.copy}}
  %c = arith.constant {obs.copy = @a} 0 : index
  return
}

// -----

func.func @distribution() {
  // expected-error@+1 {{[obs-attribute] 'obs.distribution' is a #obs.distribution attribute; write obs.distribution = #obs.distribution<striped>}}
  %c = arith.constant {obs.distribution = "striped"} 0 : index
  return
}

// -----

func.func @rows() {
  // expected-error@+1 {{[obs-attribute] 'obs.rows' has no value; write obs.rows}}
  %c = arith.constant {obs.rows = 2} 0 : index
  return
}

// -----

func.func @registers() {
  // expected-error@+1 {{[obs-attribute] 'obs.registers' is a number; write obs.registers = 2}}
  %c = arith.constant {obs.registers = 2.0} 0 : index
  return
}

// -----

func.func @offset() {
  // expected-error@+1 {{[obs-attribute] 'obs.offset' is a number; write obs.offset = 1024}}
  %c = arith.constant {obs.offset = 4 : ui32} 0 : index
  return
}

// -----

func.func @lanes() {
  // expected-error@+1 {{[obs-attribute] 'obs.lanes' has no value; write obs.lanes}}
  %c = arith.constant {obs.lanes = 32} 0 : index
  return
}

// -----

func.func @steps() {
  // expected-error@+1 {{[obs-attribute] 'obs.steps' is a list of numbers; write obs.steps = array<i64: 0, 32>}}
  %c = arith.constant {obs.steps = 1} 0 : index
  return
}

// -----

func.func @origin() {
  // expected-error@+1 {{[obs-attribute] 'obs.origin' is a number; write obs.origin = 1}}
  %c = arith.constant {obs.origin = true} 0 : index
  return
}

// -----

func.func @least_threads() {
  // expected-error@+1 {{[obs-attribute] 'obs.least_threads' is a number; write obs.least_threads = 512}}
  %c = arith.constant {obs.least_threads = "all"} 0 : index
  return
}

// -----

func.func @arrays() {
  // expected-error@+1 {{[obs-attribute] 'obs.arrays' is a number; write obs.arrays = 2}}
  %c = arith.constant {obs.arrays = [2]} 0 : index
  return
}

// -----

func.func @entry() {
  // expected-error@+1 {{[obs-attribute] 'obs.entry' is a string; write obs.entry = "sort"}}
  %c = arith.constant {obs.entry = @sort} 0 : index
  return
}

// -----

func.func @unnamed() {
  // expected-error@+1 {{[obs-attribute] 'obs.unnamed' has no value; write obs.unnamed}}
  %c = arith.constant {obs.unnamed = false} 0 : index
  return
}

// -----

// expected-error@+1 {{[obs-attribute] 'obs.may_alias' has no value; write obs.may_alias}}
func.func private @may_alias(memref<4xi32> {obs.may_alias = 1})

// -----

// An attribute of parameters does not stand on an operation, and the other way round.
func.func @name_of_op() {
  // expected-error@+1 {{[obs-attribute] unknown attribute 'obs.name' of the obs dialect; correct its name, or remove it}}
  %c = arith.constant {obs.name = "c"} 0 : index
  return
}

// -----

// expected-error@+1 {{[obs-attribute] unknown attribute 'obs.unroll' of the obs dialect at a parameter or a result}}
func.func private @unroll_of_parameter(index {obs.unroll})

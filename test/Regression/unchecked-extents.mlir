// RUN: not obs-run %s --entry=onto --device=interpret iota:6xi32 4 2>&1 | FileCheck %s --check-prefix=ONTO
// RUN: not obs-run %s --entry=onto --device=emulate iota:6xi32 4 2>&1 | FileCheck %s --check-prefix=ONTO
// RUN: not obs-run %s --entry=join --device=interpret iota:8xi32 9 2>&1 | FileCheck %s --check-prefix=JOIN
// RUN: not obs-run %s --entry=join --device=emulate iota:8xi32 9 2>&1 | FileCheck %s --check-prefix=JOIN
// RUN: not obs-run %s --entry=sub_programs --device=interpret iota:8xi32 9 2>&1 | FileCheck %s --check-prefix=SUB_PROGRAMS
// RUN: not obs-run %s --entry=sub_programs --device=emulate iota:8xi32 9 2>&1 | FileCheck %s --check-prefix=SUB_PROGRAMS
// RUN: not obs-run %s --entry=bound --device=interpret iota:9xi32 7 2>&1 | FileCheck %s --check-prefix=BOUND
// RUN: not obs-run %s --entry=bound --device=emulate iota:9xi32 7 2>&1 | FileCheck %s --check-prefix=BOUND
// RUN: not obs-run %s --entry=into --device=interpret iota:5xi32 zeros:4xi32 2>&1 | FileCheck %s --check-prefix=INTO
// RUN: not obs-run %s --entry=into --device=emulate iota:5xi32 zeros:4xi32 2>&1 | FileCheck %s --check-prefix=INTO
// RUN: not obs-run %s --entry=view --device=interpret iota:5xi32 iota:4xi32 2>&1 | FileCheck %s --check-prefix=VIEW
// RUN: not obs-run %s --entry=view --device=emulate iota:5xi32 iota:4xi32 2>&1 | FileCheck %s --check-prefix=VIEW
// RUN: not obs-run %s --entry=distribute --device=interpret iota:6xi32 iota:5xi32 2>&1 | FileCheck %s --check-prefix=DISTRIBUTE
// RUN: not obs-run %s --entry=distribute --device=emulate iota:6xi32 iota:5xi32 2>&1 | FileCheck %s --check-prefix=DISTRIBUTE
// RUN: not obs-run %s --entry=put --device=interpret iota:2xi32 3 2 2>&1 | FileCheck %s --check-prefix=PUT
// RUN: not obs-run %s --entry=put --device=emulate iota:2xi32 3 2 2>&1 | FileCheck %s --check-prefix=PUT
// RUN: not obs-run %s --entry=segments --device=interpret iota:0xi32 iota:1xi32 2>&1 | FileCheck %s --check-prefix=SEGMENTS
// RUN: not obs-run %s --entry=segments --device=emulate iota:0xi32 iota:1xi32 2>&1 | FileCheck %s --check-prefix=SEGMENTS
// RUN: not obs-run %s --entry=choice --device=interpret iota:4xi32 true 9 2>&1 | FileCheck %s --check-prefix=CHOICE
// RUN: not obs-run %s --entry=choice --device=emulate iota:4xi32 true 9 2>&1 | FileCheck %s --check-prefix=CHOICE
// RUN: not obs-run %s --entry=choice --device=interpret iota:4xi32 true -1 2>&1 | FileCheck %s --check-prefix=CHOICE
// RUN: not obs-run %s --entry=choice --device=emulate iota:4xi32 true -1 2>&1 | FileCheck %s --check-prefix=CHOICE
// RUN: not obs-run %s --entry=chunks --device=interpret iota:4xi32 true 3 2>&1 | FileCheck %s --check-prefix=CHUNKS
// RUN: not obs-run %s --entry=chunks --device=emulate iota:4xi32 true 3 2>&1 | FileCheck %s --check-prefix=CHUNKS
// RUN: obs-run %s --entry=onto --device=emulate iota:2xi32 2 | FileCheck %s --check-prefix=GOOD-ONTO
// RUN: obs-run %s --entry=join --device=emulate iota:5xi32 6 | FileCheck %s --check-prefix=GOOD-JOIN
// RUN: obs-run %s --entry=sub_programs --device=emulate iota:5xi32 6 | FileCheck %s --check-prefix=GOOD-SUB_PROGRAMS
// RUN: obs-run %s --entry=bound --device=emulate iota:9xi32 3 | FileCheck %s --check-prefix=GOOD-BOUND
// RUN: obs-run %s --entry=into --device=emulate iota:3xi32 zeros:3xi32 | FileCheck %s --check-prefix=GOOD-INTO
// RUN: obs-run %s --entry=view --device=emulate iota:3xi32 iota:3xi32 | FileCheck %s --check-prefix=GOOD-VIEW
// RUN: obs-run %s --entry=distribute --device=emulate iota:6xi32 iota:2xi32 | FileCheck %s --check-prefix=GOOD-DISTRIBUTE
// RUN: obs-run %s --entry=put --device=emulate iota:2xi32 4 2 | FileCheck %s --check-prefix=GOOD-PUT
// RUN: obs-run %s --entry=choice --device=emulate iota:4xi32 false 9 | FileCheck %s --check-prefix=GOOD-CHOICE
// RUN: obs-run %s --entry=choice --device=emulate iota:4xi32 true 2 | FileCheck %s --check-prefix=GOOD-CHOICE-2
// RUN: obs-run %s --entry=chunks --device=emulate iota:4xi32 false 3 | FileCheck %s --check-prefix=GOOD-CHUNKS
// RUN: obs-run %s --entry=chunks --device=emulate iota:4xi32 false 0 | FileCheck %s --check-prefix=GOOD-CHUNKS
// RUN: obs-run %s --entry=turns --device=interpret -- 2 -1 | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --entry=turns --device=emulate -- 2 -1 | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --entry=tiles --device=emulate -- 2 -1 -2 | FileCheck %s --check-prefix=NONE
// RUN: obs-run %s --entry=tiles --device=emulate -- 2 1 2 | FileCheck %s --check-prefix=SOME

// The types leave these extents open. The interpreter checks them, and so does the
// host of compiled programs before any kernel that would go wrong.

!v = !obs.pull<? x i32>
!p = !obs.push<grid, ? x i32>
!b = !obs.pull<? x i32 bound [3]>
!chunks = !obs.pull<? x !obs.pull<4 x i32>>

// GOOD-ONTO: {{^}}[7, 1]{{$}}
func.func @onto(%a: !v, %n: index) -> !v {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : i32
  // ONTO: :[[#@LINE+1]]:{{.*}}: error: {{(assertion-failed: )?}}[R4-
  %p = obs.fill onto %a : !v [%n] par (%i) in (%c1) {
    obs.write %c7 at [%i] : i32
  } : !p
  %f = obs.force %p : !p -> !v
  return %f : !v
}

// GOOD-JOIN: {{^}}[0, 1, 2, 3, 4, -1]{{$}}
func.func @join(%a: !v, %n: index) -> !v {
  %pad = arith.constant -1 : i32
  %s = obs.split %a by [4] pad %pad : !v -> !chunks
  // JOIN: :[[#@LINE+1]]:{{.*}}: error: {{(assertion-failed: )?}}[R4-
  %j = obs.join %s to [%n] : !chunks -> !v
  return %j : !v
}

// GOOD-SUB_PROGRAMS: {{^}}[0, 1, 2, 3, 4, -1]{{$}}
func.func @sub_programs(%a: !v, %n: index) -> !v {
  %pad = arith.constant -1 : i32
  %s = obs.split %a by [4] pad %pad : !v -> !chunks
  %d = obs.distribute block (%c = %s : !chunks) -> !obs.push<grid, ? x 4 x i32> {
    %p = obs.push %c : !obs.pull<4 x i32> -> !obs.push<block, 4 x i32>
    obs.yield %p : !obs.push<block, 4 x i32>
  }
  // SUB_PROGRAMS: :[[#@LINE+1]]:{{.*}}: error: {{(assertion-failed: )?}}[R4-
  %j = obs.join %d to [%n] : !obs.push<grid, ? x 4 x i32> -> !p
  %f = obs.force %j : !p -> !v
  return %f : !v
}

// GOOD-BOUND: {{^}}[2, 1, 0]{{$}}
func.func @bound(%a: !v, %n: index) -> !v {
  // BOUND: :[[#@LINE+1]]:{{.*}}: error: {{(assertion-failed: )?}}[R4-
  %t = obs.take %a [%n] : !v -> !b
  %one = obs.iota : !obs.pull<1 x index>
  %d = obs.distribute block (%i = %one : !obs.pull<1 x index>) -> !obs.push<grid, 1 x ? x i32> {
    %p = obs.push %t : !b -> !obs.push<block, ? x i32 bound [3]>
    %f = obs.force %p in shared : !obs.push<block, ? x i32 bound [3]> -> !b
    %r = obs.reverse %f : !b
    %q = obs.push %r : !b -> !obs.push<block, ? x i32 bound [3]>
    obs.yield %q : !obs.push<block, ? x i32 bound [3]>
  }
  %j = obs.join %d : !obs.push<grid, 1 x ? x i32> -> !p
  %f = obs.force %j : !p -> !v
  return %f : !v
}

// GOOD-INTO: {{^}}[0, 1, 2]{{$}}
func.func @into(%a: !v, %m: memref<?xi32>) -> !v {
  %p = obs.push %a : !v -> !p
  // INTO: :[[#@LINE+1]]:{{.*}}: error: {{(assertion-failed: )?}}[R4-
  %f = obs.force %p into %m : !p into memref<?xi32> -> !v
  return %f : !v
}

// GOOD-VIEW: {{^}}[0, 2, 4]{{$}}
func.func @view(%m: memref<?xi32>, %o: memref<?xi32>) -> !v {
  // VIEW: :[[#@LINE+1]]:{{.*}}: error: {{(assertion-failed: )?}}[R4-
  %v = obs.view %m, %o : memref<?xi32>, memref<?xi32>
  %s = obs.map (%x, %y = %v : !obs.pull<? x i32, i32>) -> !v {
    %t = arith.addi %x, %y : i32
    obs.yield %t : i32
  }
  return %s : !v
}

// GOOD-DISTRIBUTE: {{^}}[0, 1, 2, 4, 5, 6]{{$}}
func.func @distribute(%a: !v, %b: !v) -> !v {
  %s = obs.split %a by [3] : !v -> !obs.pull<? x !obs.pull<3 x i32>>
  // DISTRIBUTE: :[[#@LINE+1]]:{{.*}}: error: {{(assertion-failed: )?}}[R4-
  %d = obs.distribute block (%c = %s : !obs.pull<? x !obs.pull<3 x i32>>, %w = %b : !v) -> !obs.push<grid, ? x 3 x i32> {
    %m = obs.map (%x = %c : !obs.pull<3 x i32>) -> !obs.pull<3 x i32> {
      %y = arith.addi %x, %w : i32
      obs.yield %y : i32
    }
    %p = obs.push %m : !obs.pull<3 x i32> -> !obs.push<block, 3 x i32>
    obs.yield %p : !obs.push<block, 3 x i32>
  }
  %j = obs.join %d : !obs.push<grid, ? x 3 x i32> -> !p
  %f = obs.force %j : !p -> !v
  return %f : !v
}

// GOOD-PUT: {{^}}[0, 0, 0, 1]{{$}}
func.func @put(%a: !v, %n: index, %k: index) -> !v {
  %zero = arith.constant 0 : i32
  %p = obs.fill init %zero [%n] {
    %q = obs.push %a : !v -> !p
    // PUT: :[[#@LINE+1]]:{{.*}}: error: {{writes index|assertion-failed: .R4-}}
    obs.put %q at [%k] : !p
  } : !p
  %f = obs.force %p : !p -> !v
  return %f : !v
}

func.func @segments(%a: !v, %offsets: !v) -> !obs.pull<4 x i32> {
  %zero = arith.constant 0 : i32
  // SEGMENTS: :[[#@LINE+1]]:{{.*}}: error: {{(assertion-failed: )?}}[R4-
  %p = obs.segmented_reduce (%x, %y) = %a init %zero offsets %offsets : !v, !v -> !obs.push<grid, 4 x i32> {
    %s = arith.addi %x, %y : i32
    obs.yield %s : i32
  }
  %f = obs.force %p : !obs.push<grid, 4 x i32> -> !obs.pull<4 x i32>
  return %f : !obs.pull<4 x i32>
}

// The choice is part of the kernel, and the check before it.
// GOOD-CHOICE: {{^}}[0, 1, 2, 3]{{$}}
// GOOD-CHOICE-2: {{^}}[0, 2]{{$}}
func.func @choice(%a: !v, %c: i1, %n: index) -> !v {
  %r = scf.if %c -> !v {
    // CHOICE: :[[#@LINE+1]]:{{.*}}: error: {{(assertion-failed: )?}}[R4-
    %t = obs.take %a [%n] : !v -> !v
    %m = obs.map (%x = %t : !v) -> !v {
      %y = arith.addi %x, %x : i32
      obs.yield %y : i32
    }
    scf.yield %m : !v
  } else {
    scf.yield %a : !v
  }
  %p = obs.push %r : !v -> !p
  %f = obs.force %p : !p -> !v
  return %f : !v
}

// Chunks that nobody asks for may have any size.
// GOOD-CHUNKS: {{^}}[0, 1, 2, 3]{{$}}
func.func @chunks(%a: !v, %c: i1, %n: index) -> !v {
  %r = scf.if %c -> !v {
    // CHUNKS: :[[#@LINE+1]]:{{.*}}: error: {{(assertion-failed: )?}}[R4-
    %s = obs.split %a by [%n] : !v -> !obs.pull<? x !obs.pull<? x i32>>
    %j = obs.join %s strided : !obs.pull<? x !obs.pull<? x i32>> -> !v
    scf.yield %j : !v
  } else {
    scf.yield %a : !v
  }
  %p = obs.push %r : !v -> !p
  %f = obs.force %p : !p -> !v
  return %f : !v
}

// A loop to a negative number has no iterations, and one to two of them has none.
// NONE: {{^}}[0, 0]{{$}}
// SOME: {{^}}[7, 7]{{$}}
func.func @turns(%n: index, %k: index) -> !v {
  %zero = arith.constant 0 : i32
  %c7 = arith.constant 7 : i32
  %p = obs.fill init %zero [%n] par (%i) in (%k) {
    obs.write %c7 at [%i] : i32
  } : !p
  %f = obs.force %p : !p -> !v
  return %f : !v
}
func.func @tiles(%n: index, %k: index, %l: index) -> !v {
  %zero = arith.constant 0 : i32
  %c7 = arith.constant 7 : i32
  %p = obs.fill init %zero unchecked [%n] {
    obs.par (%i, %j) in (%k, %l) {
      %row = arith.muli %i, %l : index
      %at = arith.addi %row, %j : index
      obs.write %c7 at [%at] : i32
    }
  } : !p
  %f = obs.force %p : !p -> !v
  return %f : !v
}

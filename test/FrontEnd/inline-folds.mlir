// A short reduction is computed where it is read, if its results would take more memory than what it reads.

// RUN: obs-opt --allow-unregistered-dialect --obs-import-stablehlo %s -o %t
// RUN: FileCheck %s --input-file=%t
// DEFINE: %{entry} =
// DEFINE: %{args} =
// DEFINE: %{check} = obs-run %t --entry=%{entry} %{args} --device=emulate --check=all | FileCheck %s --check-prefix=%{entry} && \
// DEFINE:   obs-run %t --entry=%{entry} %{args} --device=interpret | FileCheck %s --check-prefix=%{entry}

// The sum over j of the squared distances of the points i and j. Point i is (2 i, 2 i + 1), so the squared distance is 8 (i - j)^2.
// CHECK-LABEL: func.func @distances(
// CHECK:      obs.distribute thread in grid
// CHECK:        obs.reduce { arith.addi }
// CHECK:      obs.force
// CHECK-NOT:  obs.force
// CHECK:      return
// REDEFINE: %{entry} = distances
// REDEFINE: %{args} = iota:4x2xi32
// RUN: %{check}
// distances: [112, 48, 48, 112]
"func.func"() <{function_type = (tensor<4x2xi32>) -> tensor<4xi32>, sym_name = "distances"}> ({
^bb0(%x: tensor<4x2xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %i = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<4x2xi32>) -> tensor<4x4x2xi32>
  %j = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<4x2xi32>) -> tensor<4x4x2xi32>
  %d = "stablehlo.subtract"(%i, %j) : (tensor<4x4x2xi32>, tensor<4x4x2xi32>) -> tensor<4x4x2xi32>
  %q = "stablehlo.multiply"(%d, %d) : (tensor<4x4x2xi32>, tensor<4x4x2xi32>) -> tensor<4x4x2xi32>
  %s = "stablehlo.reduce"(%q, %zero) <{dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<4x4x2xi32>, tensor<i32>) -> tensor<4x4xi32>
  %t = "stablehlo.reduce"(%s, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<4x4xi32>, tensor<i32>) -> tensor<4xi32>
  "func.return"(%t) : (tensor<4xi32>) -> ()
}) : () -> ()

// The order of the elements stays: the second one of 2 i and 2 j + 1 is the result. An elementwise function and a reduction of
// the whole array read it.
// CHECK-LABEL: func.func @two_readers(
// CHECK-NOT:  obs.distribute
// CHECK:      obs.reduce grid
// CHECK-NOT:  obs.distribute
// CHECK:      return
// REDEFINE: %{entry} = two_readers
// REDEFINE: %{args} = iota:3x2xi64
// RUN: %{check}
// two_readers: [2, 4, 6]
// two_readers: [2, 4, 6]
// two_readers: [2, 4, 6]
// two_readers: [27]
"func.func"() <{function_type = (tensor<3x2xi64>) -> (tensor<3x3xi64>, tensor<i64>), sym_name = "two_readers"}> ({
^bb0(%x: tensor<3x2xi64>):
  %none = "stablehlo.constant"() <{value = dense<-1> : tensor<i64>}> : () -> tensor<i64>
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i64>}> : () -> tensor<i64>
  %ones = "stablehlo.constant"() <{value = dense<1> : tensor<3x3xi64>}> : () -> tensor<3x3xi64>
  %u = "stablehlo.slice"(%x) <{start_indices = array<i64: 0, 0>, limit_indices = array<i64: 3, 1>, strides = array<i64: 1, 1>}> : (tensor<3x2xi64>) -> tensor<3x1xi64>
  %v = "stablehlo.slice"(%x) <{start_indices = array<i64: 0, 1>, limit_indices = array<i64: 3, 2>, strides = array<i64: 1, 1>}> : (tensor<3x2xi64>) -> tensor<3x1xi64>
  %i = "stablehlo.broadcast_in_dim"(%u) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<3x1xi64>) -> tensor<3x3x1xi64>
  %j = "stablehlo.broadcast_in_dim"(%v) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<3x1xi64>) -> tensor<3x3x1xi64>
  %p = "stablehlo.concatenate"(%i, %j) <{dimension = 2 : i64}> : (tensor<3x3x1xi64>, tensor<3x3x1xi64>) -> tensor<3x3x2xi64>
  %s = "stablehlo.reduce"(%p, %none) <{dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    "stablehlo.return"(%b) : (tensor<i64>) -> ()
  }) : (tensor<3x3x2xi64>, tensor<i64>) -> tensor<3x3xi64>
  %t = "stablehlo.add"(%s, %ones) : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi64>
  %n = "stablehlo.reduce"(%s, %zero) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    "stablehlo.return"(%c) : (tensor<i64>) -> ()
  }) : (tensor<3x3xi64>, tensor<i64>) -> tensor<i64>
  "func.return"(%t, %n) : (tensor<3x3xi64>, tensor<i64>) -> ()
}) : () -> ()

// The squared distances of a row, less the maximum of the row: one unit computes the row once, and keeps it.
// CHECK-LABEL: func.func @kept(
// CHECK:      [[DISTANCES:%.+]] = obs.generate (%{{.*}}, %{{.*}}) {
// CHECK:      obs.distribute thread in grid
// CHECK:        obs.get [[DISTANCES]]
// CHECK:        [[ROW:%.+]] = obs.force
// CHECK-NOT:    obs.get [[DISTANCES]]
// CHECK:        obs.get [[ROW]]
// CHECK-NOT:    obs.get [[DISTANCES]]
// CHECK:        obs.reduce { arith.maxsi }
// CHECK-NOT:    obs.get [[DISTANCES]]
// CHECK:        obs.push thread
// CHECK:      obs.force
// CHECK-NOT:  obs.force
// CHECK:      return
// REDEFINE: %{entry} = kept
// REDEFINE: %{args} = iota:4x2xi32
// RUN: %{check}
// kept: [-72, -64, -40, 0]
// kept: [-24, -32, -24, 0]
// kept: [0, -24, -32, -24]
// kept: [0, -40, -64, -72]
"func.func"() <{function_type = (tensor<4x2xi32>) -> tensor<4x4xi32>, sym_name = "kept"}> ({
^bb0(%x: tensor<4x2xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %i = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<4x2xi32>) -> tensor<4x4x2xi32>
  %j = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<4x2xi32>) -> tensor<4x4x2xi32>
  %d = "stablehlo.subtract"(%i, %j) : (tensor<4x4x2xi32>, tensor<4x4x2xi32>) -> tensor<4x4x2xi32>
  %q = "stablehlo.multiply"(%d, %d) : (tensor<4x4x2xi32>, tensor<4x4x2xi32>) -> tensor<4x4x2xi32>
  %s = "stablehlo.reduce"(%q, %zero) <{dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<4x4x2xi32>, tensor<i32>) -> tensor<4x4xi32>
  %m = "stablehlo.reduce"(%s, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.maximum"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<4x4xi32>, tensor<i32>) -> tensor<4xi32>
  %all = "stablehlo.broadcast_in_dim"(%m) <{broadcast_dimensions = array<i64: 0>}> : (tensor<4xi32>) -> tensor<4x4xi32>
  %r = "stablehlo.subtract"(%s, %all) : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
  "func.return"(%r) : (tensor<4x4xi32>) -> ()
}) : () -> ()

// The results are smaller than what the reduction reads, so they are stored.
// CHECK-LABEL: func.func @smaller(
// CHECK-COUNT-2: obs.force
// CHECK-NOT:  obs.force
// CHECK:      return
"func.func"() <{function_type = (tensor<4x3x2xi32>) -> tensor<4xi32>, sym_name = "smaller"}> ({
^bb0(%x: tensor<4x3x2xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %s = "stablehlo.reduce"(%x, %zero) <{dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<4x3x2xi32>, tensor<i32>) -> tensor<4x3xi32>
  %m = "stablehlo.reduce"(%s, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.maximum"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<4x3xi32>, tensor<i32>) -> tensor<4xi32>
  "func.return"(%m) : (tensor<4xi32>) -> ()
}) : () -> ()

// The distances are a result of the function, too, so they are stored.
// CHECK-LABEL: func.func @returned(
// CHECK-COUNT-2: obs.force
// CHECK-NOT:  obs.force
// CHECK:      return
"func.func"() <{function_type = (tensor<4x2xi32>) -> (tensor<4x4xi32>, tensor<4xi32>), sym_name = "returned"}> ({
^bb0(%x: tensor<4x2xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %i = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<4x2xi32>) -> tensor<4x4x2xi32>
  %j = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<4x2xi32>) -> tensor<4x4x2xi32>
  %d = "stablehlo.multiply"(%i, %j) : (tensor<4x4x2xi32>, tensor<4x4x2xi32>) -> tensor<4x4x2xi32>
  %s = "stablehlo.reduce"(%d, %zero) <{dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<4x4x2xi32>, tensor<i32>) -> tensor<4x4xi32>
  %t = "stablehlo.reduce"(%s, %zero) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.maximum"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<4x4xi32>, tensor<i32>) -> tensor<4xi32>
  "func.return"(%s, %t) : (tensor<4x4xi32>, tensor<4xi32>) -> ()
}) : () -> ()

// An array reads each distance 9 times, so they are stored.
// CHECK-LABEL: func.func @many_reads(
// CHECK-COUNT-2: obs.force
// CHECK-NOT:  obs.force
// CHECK:      return
"func.func"() <{function_type = (tensor<4x2xi32>) -> tensor<9x4x4xi32>, sym_name = "many_reads"}> ({
^bb0(%x: tensor<4x2xi32>):
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %i = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 0, 2>}> : (tensor<4x2xi32>) -> tensor<4x4x2xi32>
  %j = "stablehlo.broadcast_in_dim"(%x) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<4x2xi32>) -> tensor<4x4x2xi32>
  %d = "stablehlo.multiply"(%i, %j) : (tensor<4x4x2xi32>, tensor<4x4x2xi32>) -> tensor<4x4x2xi32>
  %s = "stablehlo.reduce"(%d, %zero) <{dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = "stablehlo.add"(%a, %b) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%c) : (tensor<i32>) -> ()
  }) : (tensor<4x4x2xi32>, tensor<i32>) -> tensor<4x4xi32>
  %number = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<9x4x4xi32>
  %all = "stablehlo.broadcast_in_dim"(%s) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<4x4xi32>) -> tensor<9x4x4xi32>
  %t = "stablehlo.add"(%number, %all) : (tensor<9x4x4xi32>, tensor<9x4x4xi32>) -> tensor<9x4x4xi32>
  "func.return"(%t) : (tensor<9x4x4xi32>) -> ()
}) : () -> ()

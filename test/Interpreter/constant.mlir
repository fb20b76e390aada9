// RUN: obs-run %s --entry=primes | FileCheck %s --check-prefix=PRIMES
// RUN: obs-run %s --device=emulate --threads=17 --entry=primes | FileCheck %s --check-prefix=PRIMES
// RUN: obs-run %s --entry=splat | FileCheck %s --check-prefix=SPLAT
// RUN: obs-run %s --device=emulate --threads=17 --entry=splat | FileCheck %s --check-prefix=SPLAT
// RUN: obs-run %s --entry=square | FileCheck %s --check-prefix=SQUARE
// RUN: obs-run %s --device=emulate --threads=17 --entry=square | FileCheck %s --check-prefix=SQUARE

// PRIMES: {{^}}[2, 3, 5, 7]{{$}}
func.func @primes() -> !obs.pull<4 x i32> {
  %a = obs.constant dense<[2, 3, 5, 7]> : tensor<4xi32>
  return %a : !obs.pull<4 x i32>
}

// SPLAT: {{^}}[0.5, 0.5, 0.5]{{$}}
func.func @splat() -> !obs.pull<3 x f32> {
  %a = obs.constant dense<0.5> : tensor<3xf32>
  return %a : !obs.pull<3 x f32>
}

// Row-major.
// SQUARE: [1, -2],
// SQUARE-NEXT: [3, -4]
func.func @square() -> !obs.pull<2 x 2 x i8> {
  %a = obs.constant dense<[[1, -2], [3, -4]]> : tensor<2x2xi8>
  return %a : !obs.pull<2 x 2 x i8>
}

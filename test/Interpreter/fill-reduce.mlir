// RUN: obs-run %s --entry=integers | FileCheck %s --check-prefix=INTEGERS
// RUN: obs-run %s --entry=floats | FileCheck %s --check-prefix=FLOATS
// RUN: obs-run %s --entry=nan | FileCheck %s --check-prefix=NAN
// RUN: obs-run %s --entry=rounding | FileCheck %s --check-prefix=ROUNDING
// RUN: obs-run %s --device=emulate --threads=17 --entry=rounding | FileCheck %s --check-prefix=ROUNDING

// All kinds on the elements 100, -3, 50 of type i8, after 7 (0x07). The bits
// are 0x64, 0xfd, 0x32.
// addi: 154 wraps to -102. muli: 7 * 100 * -3 * 50 = -105000, modulo 256 is
// 216, that is -40. maxs 100, mins -3; unsigned -3 is 253: maxu -3, minu 7.
// andi: 0x07 & 0x64 & 0xfd & 0x32 = 0. ori: 0xff = -1.
// xori: 0x07 ^ 0x64 ^ 0xfd ^ 0x32 = 0xac = -84.
// INTEGERS: {{^}}[-102, -40, 100, -3, -3, 7, 0, -1, -84]{{$}}
func.func @integers() -> !obs.pull<9 x i8> {
  %x = arith.constant 7 : i8
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %a = obs.constant dense<[100, -3, 50]> : tensor<3xi8>
  %p0 = obs.fill init %x reduce(addi) par (%t) in (%c3) {
    %e = obs.get %a[%t] : !obs.pull<3 x i8>
    obs.write %e at [%c0] : i8
  } : !obs.push<grid, 1 x i8>
  %p1 = obs.fill init %x reduce(muli) par (%t) in (%c3) {
    %e = obs.get %a[%t] : !obs.pull<3 x i8>
    obs.write %e at [%c0] : i8
  } : !obs.push<grid, 1 x i8>
  %p2 = obs.fill init %x reduce(maxs) par (%t) in (%c3) {
    %e = obs.get %a[%t] : !obs.pull<3 x i8>
    obs.write %e at [%c0] : i8
  } : !obs.push<grid, 1 x i8>
  %p3 = obs.fill init %x reduce(mins) par (%t) in (%c3) {
    %e = obs.get %a[%t] : !obs.pull<3 x i8>
    obs.write %e at [%c0] : i8
  } : !obs.push<grid, 1 x i8>
  %p4 = obs.fill init %x reduce(maxu) par (%t) in (%c3) {
    %e = obs.get %a[%t] : !obs.pull<3 x i8>
    obs.write %e at [%c0] : i8
  } : !obs.push<grid, 1 x i8>
  %p5 = obs.fill init %x reduce(minu) par (%t) in (%c3) {
    %e = obs.get %a[%t] : !obs.pull<3 x i8>
    obs.write %e at [%c0] : i8
  } : !obs.push<grid, 1 x i8>
  %p6 = obs.fill init %x reduce(andi) par (%t) in (%c3) {
    %e = obs.get %a[%t] : !obs.pull<3 x i8>
    obs.write %e at [%c0] : i8
  } : !obs.push<grid, 1 x i8>
  %p7 = obs.fill init %x reduce(ori) par (%t) in (%c3) {
    %e = obs.get %a[%t] : !obs.pull<3 x i8>
    obs.write %e at [%c0] : i8
  } : !obs.push<grid, 1 x i8>
  %p8 = obs.fill init %x reduce(xori) par (%t) in (%c3) {
    %e = obs.get %a[%t] : !obs.pull<3 x i8>
    obs.write %e at [%c0] : i8
  } : !obs.push<grid, 1 x i8>
  %c = obs.concat %p0, %p1, %p2, %p3, %p4, %p5, %p6, %p7, %p8 : !obs.push<grid, 1 x i8>, !obs.push<grid, 1 x i8>, !obs.push<grid, 1 x i8>, !obs.push<grid, 1 x i8>, !obs.push<grid, 1 x i8>, !obs.push<grid, 1 x i8>, !obs.push<grid, 1 x i8>, !obs.push<grid, 1 x i8>, !obs.push<grid, 1 x i8> -> !obs.push<grid, 9 x i8>
  %r = obs.force %c : !obs.push<grid, 9 x i8> -> !obs.pull<9 x i8>
  return %r : !obs.pull<9 x i8>
}

// 0.5 after 2, -1, 4. addf: 5.5. mulf: -4. maximumf 4, minimumf -1.
// FLOATS: {{^}}[5.5, -4.0, 4.0, -1.0]{{$}}
func.func @floats() -> !obs.pull<4 x f32> {
  %x = arith.constant 0.5 : f32
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %a = obs.constant dense<[2.0, -1.0, 4.0]> : tensor<3xf32>
  %p0 = obs.fill init %x reduce(addf) par (%t) in (%c3) {
    %e = obs.get %a[%t] : !obs.pull<3 x f32>
    obs.write %e at [%c0] : f32
  } : !obs.push<grid, 1 x f32>
  %p1 = obs.fill init %x reduce(mulf) par (%t) in (%c3) {
    %e = obs.get %a[%t] : !obs.pull<3 x f32>
    obs.write %e at [%c0] : f32
  } : !obs.push<grid, 1 x f32>
  %p2 = obs.fill init %x reduce(maximumf) par (%t) in (%c3) {
    %e = obs.get %a[%t] : !obs.pull<3 x f32>
    obs.write %e at [%c0] : f32
  } : !obs.push<grid, 1 x f32>
  %p3 = obs.fill init %x reduce(minimumf) par (%t) in (%c3) {
    %e = obs.get %a[%t] : !obs.pull<3 x f32>
    obs.write %e at [%c0] : f32
  } : !obs.push<grid, 1 x f32>
  %c = obs.concat %p0, %p1, %p2, %p3 : !obs.push<grid, 1 x f32>, !obs.push<grid, 1 x f32>, !obs.push<grid, 1 x f32>, !obs.push<grid, 1 x f32> -> !obs.push<grid, 4 x f32>
  %r = obs.force %c : !obs.push<grid, 4 x f32> -> !obs.pull<4 x f32>
  return %r : !obs.pull<4 x f32>
}

// Of 1 and NaN, maximumf is NaN and maxnumf is 1.
// NAN: {{^}}[nan, 1.0]{{$}}
func.func @nan() -> !obs.pull<2 x f64> {
  %one = arith.constant 1.0 : f64
  %nan = arith.constant 0x7FF8000000000000 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %p0 = obs.fill init %one reduce(maximumf) par (%t) in (%c1) {
    obs.write %nan at [%c0] : f64
  } : !obs.push<grid, 1 x f64>
  %p1 = obs.fill init %one reduce(maxnumf) par (%t) in (%c1) {
    obs.write %nan at [%c0] : f64
  } : !obs.push<grid, 1 x f64>
  %c = obs.concat %p0, %p1 : !obs.push<grid, 1 x f64>, !obs.push<grid, 1 x f64> -> !obs.push<grid, 2 x f64>
  %r = obs.force %c : !obs.push<grid, 2 x f64> -> !obs.pull<2 x f64>
  return %r : !obs.pull<2 x f64>
}

// f16 has 11 bits: 2048 + 1 is a tie and stays 2048, each time.
// ROUNDING: {{^}}[2048.0]{{$}}
func.func @rounding() -> !obs.pull<1 x f16> {
  %init = arith.constant 2048.0 : f16
  %one = arith.constant 1.0 : f16
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %p = obs.fill init %init reduce(addf) par (%t) in (%c3) {
    obs.write %one at [%c0] : f16
  } : !obs.push<grid, 1 x f16>
  %r = obs.force %p : !obs.push<grid, 1 x f16> -> !obs.pull<1 x f16>
  return %r : !obs.pull<1 x f16>
}

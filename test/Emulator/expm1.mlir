// RUN: obs-run %s --device=interpret | FileCheck %s
// RUN: obs-run %s --device=emulate | FileCheck %s

// Near 0, expm1(x) is x and half its square.
// CHECK: [1e-09, -1e-10]
func.func @main() -> !obs.pull<2 x f64> {
  %x = arith.constant 1.0e-9 : f64
  %y = arith.constant -1.0e-10 : f64
  %a = obs.splat %x : !obs.pull<1 x f64>
  %b = obs.splat %y : !obs.pull<1 x f64>
  %c = obs.concat %a, %b : !obs.pull<1 x f64>, !obs.pull<1 x f64> -> !obs.pull<2 x f64>
  %m = obs.map (%z = %c : !obs.pull<2 x f64>) -> !obs.pull<2 x f64> {
    %e = math.expm1 %z : f64
    %h = arith.constant 1.0e12 : f64
    %i = arith.mulf %e, %h : f64
    %j = math.roundeven %i : f64
    %k = arith.divf %j, %h : f64
    obs.yield %k : f64
  }
  %p = obs.push %m : !obs.pull<2 x f64> -> !obs.push<grid, 2 x f64>
  %f = obs.force %p : !obs.push<grid, 2 x f64> -> !obs.pull<2 x f64>
  return %f : !obs.pull<2 x f64>
}

// Black-Scholes: prices of European options. Each option has three
// numbers: the price of the share, the strike price, and the years that
// are left. The rate of interest %r and the volatility %v are the same
// for all options. The results are the prices of the call and of the put:
//   d1 = (log(s / x) + (r + v^2 / 2) t) / (v sqrt(t)),  d2 = d1 - v sqrt(t),
//   call = s N(d1) - x exp(-r t) N(d2),  put = x exp(-r t) N(-d2) - s N(-d1).
//
// From: F. Black, M. Scholes, The pricing of options and corporate
// liabilities, 1973. N is formula 26.2.17 of Abramowitz and Stegun. The
// functions exp and log are written out below, and no library is used. So
// all devices compute the same bits, and a GPU needs no libdevice.
//
// GPU: one kernel that writes both results. It reads each option once.
//
// Run: obs-run examples/black-scholes.mlir random:10xf32:1 random:10xf32:2 random:10xf32:3 0.02 0.3
//      obs-run examples/black-scholes.mlir --device=emulate --report random:1000xf32:1 random:1000xf32:2 random:1000xf32:3 0.02 0.3

!f32s = !obs.pull<? x f32>

// exp(x) is 2^k e^r. Here k is the integer nearest to x / log 2, and |r| <= log(2) / 2.
// The function is valid for x from -87 to 88.
func.func private @exp(%x: f32) -> f32 attributes {obs.level = #obs.level<thread>} {
  %log2e = arith.constant 1.44269504 : f32
  // 1.5 * 2^23. The sum with it is an integer, and has k in its low bits.
  %round = arith.constant 12582912.0 : f32
  %high = arith.constant -0.693359375 : f32
  %low = arith.constant 2.12194440e-4 : f32
  %sum = math.fma %x, %log2e, %round : f32
  %k = arith.subf %sum, %round : f32
  %r0 = math.fma %k, %high, %x : f32
  %r = math.fma %k, %low, %r0 : f32
  // The Taylor series is sufficient, because |r| is small.
  %c0 = arith.constant 1.0 : f32
  %c2 = arith.constant 0.5 : f32
  %c3 = arith.constant 0.166666667 : f32
  %c4 = arith.constant 4.16666667e-2 : f32
  %c5 = arith.constant 8.33333333e-3 : f32
  %c6 = arith.constant 1.38888889e-3 : f32
  %p5 = math.fma %c6, %r, %c5 : f32
  %p4 = math.fma %p5, %r, %c4 : f32
  %p3 = math.fma %p4, %r, %c3 : f32
  %p2 = math.fma %p3, %r, %c2 : f32
  %p1 = math.fma %p2, %r, %c0 : f32
  %p0 = math.fma %p1, %r, %c0 : f32
  %ki = arith.bitcast %sum : f32 to i32
  %bias = arith.constant 127 : i32
  %places = arith.constant 23 : i32
  %e = arith.addi %ki, %bias : i32
  %bits = arith.shli %e, %places : i32
  %scale = arith.bitcast %bits : i32 to f32
  %y = arith.mulf %p0, %scale : f32
  return %y : f32
}

// x is 2^k (1 + f) with f from -1/3 to 1/3. The relative error is at most 4e-7.
// The function is valid for positive normal numbers.
func.func private @log(%x: f32) -> f32 attributes {obs.level = #obs.level<thread>} {
  %two_thirds = arith.constant 0x3f2aaaab : i32
  %places = arith.constant 23 : i32
  %b = arith.bitcast %x : f32 to i32
  %d = arith.subi %b, %two_thirds : i32
  %ki = arith.shrsi %d, %places : i32
  %shift = arith.shli %ki, %places : i32
  %mb = arith.subi %b, %shift : i32
  %m = arith.bitcast %mb : i32 to f32
  %k = arith.sitofp %ki : i32 to f32
  %one = arith.constant 1.0 : f32
  %f = arith.subf %m, %one : f32
  %ff = arith.mulf %f, %f : f32
  // This polynomial is equal to (log(1 + f) - f) / f^2 at the zeros of a
  // polynomial of Chebyshev.
  %c0 = arith.constant -0.5 : f32
  %c1 = arith.constant 0.333353043 : f32
  %c2 = arith.constant -0.250017792 : f32
  %c3 = arith.constant 0.198598057 : f32
  %c4 = arith.constant -0.165401295 : f32
  %c5 = arith.constant 0.167215556 : f32
  %c6 = arith.constant -0.146971881 : f32
  %p5 = math.fma %c6, %f, %c5 : f32
  %p4 = math.fma %p5, %f, %c4 : f32
  %p3 = math.fma %p4, %f, %c3 : f32
  %p2 = math.fma %p3, %f, %c2 : f32
  %p1 = math.fma %p2, %f, %c1 : f32
  %p0 = math.fma %p1, %f, %c0 : f32
  %log = math.fma %p0, %ff, %f : f32
  %ln2 = arith.constant 0.693147181 : f32
  %y = math.fma %k, %ln2, %log : f32
  return %y : f32
}

// The normal distribution function. The error of the formula is at most 7.5e-8.
func.func private @normal(%d: f32) -> f32 attributes {obs.level = #obs.level<thread>} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %k0 = arith.constant 0.2316419 : f32
  %a1 = arith.constant 0.319381530 : f32
  %a2 = arith.constant -0.356563782 : f32
  %a3 = arith.constant 1.781477937 : f32
  %a4 = arith.constant -1.821255978 : f32
  %a5 = arith.constant 1.330274429 : f32
  %root = arith.constant 0.398942280 : f32
  %far = arith.constant 12.0 : f32
  %minus_half = arith.constant -0.5 : f32
  %abs0 = math.absf %d : f32
  // Beyond this limit, the result is 0 or 1.
  %abs = arith.minimumf %abs0, %far : f32
  %q = math.fma %k0, %abs, %one : f32
  %k = arith.divf %one, %q : f32
  %p4 = math.fma %a5, %k, %a4 : f32
  %p3 = math.fma %p4, %k, %a3 : f32
  %p2 = math.fma %p3, %k, %a2 : f32
  %p1 = math.fma %p2, %k, %a1 : f32
  %p = arith.mulf %p1, %k : f32
  %square = arith.mulf %abs, %abs : f32
  %exponent = arith.mulf %square, %minus_half : f32
  %e = func.call @exp(%exponent) : (f32) -> f32
  %density = arith.mulf %e, %root : f32
  %tail = arith.mulf %density, %p : f32
  %rest = arith.subf %one, %tail : f32
  %positive = arith.cmpf ogt, %d, %zero : f32
  %r = arith.select %positive, %rest, %tail : f32
  return %r : f32
}

func.func @main(%prices: !f32s, %strikes: !f32s, %years: !f32s, %r: f32, %v: f32)
    -> !obs.pull<? x f32, f32> {
  %half = arith.constant 0.5 : f32
  %both = obs.map (%s = %prices, %x = %strikes, %t = %years : !f32s) {
    %root = math.sqrt %t : f32
    %spread = arith.mulf %v, %root : f32
    %ratio = arith.divf %s, %x : f32
    %log = func.call @log(%ratio) : (f32) -> f32
    %vh = arith.mulf %v, %half : f32
    %drift = math.fma %vh, %v, %r : f32
    %top = math.fma %drift, %t, %log : f32
    %d1 = arith.divf %top, %spread : f32
    %d2 = arith.subf %d1, %spread : f32
    %n1 = func.call @normal(%d1) : (f32) -> f32
    %n2 = func.call @normal(%d2) : (f32) -> f32
    %rt = arith.mulf %r, %t : f32
    %minus = arith.negf %rt : f32
    %discount = func.call @exp(%minus) : (f32) -> f32
    %xd = arith.mulf %x, %discount : f32
    %gain = arith.mulf %s, %n1 : f32
    %cost = arith.mulf %xd, %n2 : f32
    %call = arith.subf %gain, %cost : f32
    %one = arith.constant 1.0 : f32
    %m1 = arith.subf %one, %n1 : f32
    %m2 = arith.subf %one, %n2 : f32
    %gain2 = arith.mulf %xd, %m2 : f32
    %cost2 = arith.mulf %s, %m1 : f32
    %put = arith.subf %gain2, %cost2 : f32
    obs.yield %call, %put : f32, f32
  }
  %f = obs.force %both {kernel = "black_scholes"} : !obs.pull<? x f32, f32>
  return %f : !obs.pull<? x f32, f32>
}

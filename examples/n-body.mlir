// All-pairs n-body: the acceleration of each body by the gravitation of all bodies,
//   a_i = sum over j of m_j (p_j - p_i) / (|p_j - p_i|^2 + e)^(3/2).
// The number e limits the acceleration of close bodies. Bodies are quadruples (x, y, z, mass).
//
// From: L. Nyland, M. Harris, J. Prins, Fast N-body simulation with CUDA, GPU Gems 3, 2007; an
// example program of Accelerate. There are two forms with the same bits. In @threads, each
// body has a loop over all bodies in global memory. In @blocks, 256 bodies share a loop over
// chunks of 256 bodies. Each chunk is forced first, so an element is loaded once for 256 uses.
// The loop carries the sums.
//
// GPU: one kernel. In @blocks, a chunk is in shared memory. The position of a body and its
// three sums are in registers of its thread.
//
// Run: obs-run examples/n-body.mlir --entry=threads random:10xf32:1 random:10xf32:2 random:10xf32:3 random:10xf32:4 0.01
//      obs-run examples/n-body.mlir --entry=blocks --device=emulate --report random:300xf32:1 random:300xf32:2 random:300xf32:3 random:300xf32:4 0.01

!bodies = !obs.pull<? x f32, f32, f32, f32>
!vectors = !obs.pull<? x f32, f32, f32>
!chunk = !obs.pull<256 x f32, f32, f32, f32>
!sums = !obs.pull<256 x f32, f32, f32>

// Adds the attraction of body j to the acceleration (%ax, %ay, %az) of body i.
func.func private @sum(%bodies: !bodies, %xi: f32, %yi: f32, %zi: f32, %e: f32, %ax: f32, %ay: f32, %az: f32)
    -> (f32, f32, f32) attributes {obs.level = #obs.level<thread>} {
  %pulls = obs.map (%xj, %yj, %zj, %m = %bodies : !bodies) {
    %dx = arith.subf %xj, %xi : f32
    %dy = arith.subf %yj, %yi : f32
    %dz = arith.subf %zj, %zi : f32
    %xx = arith.mulf %dx, %dx : f32
    %yy = arith.mulf %dy, %dy : f32
    %zz = arith.mulf %dz, %dz : f32
    %xy = arith.addf %xx, %yy : f32
    %xyz = arith.addf %xy, %zz : f32
    %square = arith.addf %xyz, %e : f32
    %distance = math.sqrt %square : f32
    %cube = arith.mulf %square, %distance : f32
    %s = arith.divf %m, %cube : f32
    %sx = arith.mulf %s, %dx : f32
    %sy = arith.mulf %s, %dy : f32
    %sz = arith.mulf %s, %dz : f32
    obs.yield %sx, %sy, %sz : f32, f32, f32
  }
  %x, %y, %z = obs.reduce (%px, %py, %pz, %qx, %qy, %qz) = %pulls init %ax, %ay, %az : !vectors {
    %bx = arith.addf %px, %qx : f32
    %by = arith.addf %py, %qy : f32
    %bz = arith.addf %pz, %qz : f32
    obs.yield %bx, %by, %bz : f32, f32, f32
  }
  return %x, %y, %z : f32, f32, f32
}

func.func @threads(%bodies: !bodies, %e: f32) -> !vectors {
  %zero = arith.constant 0.0 : f32
  %a = obs.map (%xi, %yi, %zi, %mi = %bodies : !bodies) {
    %s:3 = func.call @sum(%bodies, %xi, %yi, %zi, %e, %zero, %zero, %zero)
        : (!bodies, f32, f32, f32, f32, f32, f32, f32) -> (f32, f32, f32)
    obs.yield %s#0, %s#1, %s#2 : f32, f32, f32
  }
  %r = obs.force %a {kernel = "n_body_threads"} : !vectors
  return %r : !vectors
}

func.func @blocks(%bodies: !bodies, %e: f32) -> !vectors {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = obs.dim %bodies, 0 : !bodies
  // The padding is bodies without mass, which attract no other body.
  %chunks = obs.split %bodies by [256] pad %zero, %zero, %zero, %zero : !bodies
  %count = obs.dim %chunks, 0 : !obs.pull<? x !chunk>
  %parts = obs.distribute block in grid (%own = %chunks : !obs.pull<? x !chunk>) {
    %place = obs.map (%xi, %yi, %zi, %mi = %own : !chunk) {
      obs.yield %xi, %yi, %zi : f32, f32, f32
    }
    %here = obs.force %place : !sums
    %none = obs.splat %zero, %zero, %zero : !sums
    %sum = scf.for %k = %c0 to %count step %c1 iter_args(%acc = %none) -> !sums {
      %others = obs.get %chunks[%k] : !obs.pull<? x !chunk>
      %near = obs.force %others in shared : !chunk
      // The same elements as an array of any extent, as @sum has it.
      %all = obs.slice %near [0] [256] [1] : !chunk -> !bodies
      %next = obs.map (%xi, %yi, %zi = %here, %sx, %sy, %sz = %acc : !sums) {
        %s:3 = func.call @sum(%all, %xi, %yi, %zi, %e, %sx, %sy, %sz)
            : (!bodies, f32, f32, f32, f32, f32, f32, f32) -> (f32, f32, f32)
        obs.yield %s#0, %s#1, %s#2 : f32, f32, f32
      }
      %f = obs.force %next : !sums
      scf.yield %f : !sums
    }
    %p = obs.push block %sum : !sums
    obs.yield %p : !obs.push<block, 256 x f32, f32, f32>
  }
  %flat = obs.join %parts to [%n] : !obs.push<grid, ? x 256 x f32, f32, f32>
  %r = obs.force %flat {kernel = "n_body_blocks"} : !obs.push<grid, ? x f32, f32, f32>
  return %r : !vectors
}

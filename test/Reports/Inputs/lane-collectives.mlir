// Collectives of a warp that write where a scan of flags says, several elements
// for each lane.

func.func @kept(%in: !obs.pull<? x 33 x i32>) -> !obs.pull<? x 33 x i32> {
  %zero = arith.constant 0 : i32
  %n = obs.dim %in, 0 : !obs.pull<? x 33 x i32>
  %rows = obs.iota [%n] : !obs.pull<? x index>
  %all = obs.distribute warp (%r = %rows : !obs.pull<? x index>) -> !obs.push<grid, ? x 33 x i32> {
    %row = obs.generate (%i) {
      %x = obs.get %in[%r, %i] : !obs.pull<? x 33 x i32>
      obs.yield %x : i32
    } : !obs.pull<33 x i32>
    %flags = obs.map (%x = %row : !obs.pull<33 x i32>) -> !obs.pull<33 x i1> {
      %y = arith.cmpi sgt, %x, %zero : i32
      obs.yield %y : i1
    }
    %kept, %count = obs.compact %row flags %flags init %zero {strategy = "sklansky"} : !obs.pull<33 x i32>, !obs.pull<33 x i1> -> !obs.push<warp, 33 x i32>, !obs.push<warp, 1 x i32>
    %stored = obs.force %kept : !obs.push<warp, 33 x i32> -> !obs.pull<33 x i32>
    %reversed = obs.reverse %stored : !obs.pull<33 x i32>
    %out = obs.push %reversed : !obs.pull<33 x i32> -> !obs.push<warp, 33 x i32>
    obs.yield %out : !obs.push<warp, 33 x i32>
  }
  %result = obs.force %all : !obs.push<grid, ? x 33 x i32> -> !obs.pull<? x 33 x i32>
  return %result : !obs.pull<? x 33 x i32>
}

func.func @sums(%in: !obs.pull<? x 33 x i32>) -> !obs.pull<? x 33 x i32> {
  %zero = arith.constant 0 : i32
  %n = obs.dim %in, 0 : !obs.pull<? x 33 x i32>
  %rows = obs.iota [%n] : !obs.pull<? x index>
  %all = obs.distribute warp (%r = %rows : !obs.pull<? x index>) -> !obs.push<grid, ? x 33 x i32> {
    %row = obs.generate (%i) {
      %x = obs.get %in[%r, %i] : !obs.pull<? x 33 x i32>
      obs.yield %x : i32
    } : !obs.pull<33 x i32>
    %flags = obs.map (%x = %row : !obs.pull<33 x i32>) -> !obs.pull<33 x i1> {
      %y = arith.cmpi sgt, %x, %zero : i32
      obs.yield %y : i1
    }
    %sums = obs.segmented_reduce (%x, %y) = %row init %zero flags %flags {strategy = "kogge_stone"} : !obs.pull<33 x i32>, !obs.pull<33 x i1> -> !obs.push<warp, 33 x i32> {
      %t = arith.addi %x, %y : i32
      obs.yield %t : i32
    }
    %stored = obs.force %sums : !obs.push<warp, 33 x i32> -> !obs.pull<33 x i32>
    %reversed = obs.reverse %stored : !obs.pull<33 x i32>
    %out = obs.push %reversed : !obs.pull<33 x i32> -> !obs.push<warp, 33 x i32>
    obs.yield %out : !obs.push<warp, 33 x i32>
  }
  %result = obs.force %all : !obs.push<grid, ? x 33 x i32> -> !obs.pull<? x 33 x i32>
  return %result : !obs.pull<? x 33 x i32>
}

func.func @main(%a: !obs.pull<? x i32>, %k: index) -> !obs.pull<? x i32> {
  %r = scf.index_switch %k -> !obs.pull<? x i32>
  case 0 {
    %f = obs.force %a : !obs.pull<? x i32>
    scf.yield %f : !obs.pull<? x i32>
  }
  default {
    scf.yield %a : !obs.pull<? x i32>
  }
  return %r : !obs.pull<? x i32>
}

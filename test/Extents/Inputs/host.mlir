func.func @whole(%a: !obs.pull<? x i8> {obs.name = "a"}, %k: index {obs.name = "k"}) -> (!obs.pull<? x i8>, !obs.pull<? x i8>) {
  %n = obs.dim %a, 0 : !obs.pull<? x i8>
  %r = obs.reverse %a : !obs.pull<? x i8>
  %f = obs.force %r {kernel = "turned"} : !obs.pull<? x i8>
  %m = arith.subi %n, %k : index
  %s = obs.slice %f [%k] [%m] [1] : !obs.pull<? x i8>
  return %f, %s : !obs.pull<? x i8>, !obs.pull<? x i8>
}
func.func @half(%a: !obs.pull<4294967296 x i8> {obs.name = "a"}) -> !obs.pull<2147483648 x i8> {
  %s = obs.slice %a [2147483648] [2147483648] [1] : !obs.pull<4294967296 x i8>
  return %s : !obs.pull<2147483648 x i8>
}

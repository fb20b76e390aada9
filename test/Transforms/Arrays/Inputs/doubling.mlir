// 16 arrays, each of which reads two elements of the one before.
func.func @doubling(%x0: !obs.pull<64 x i32>) -> !obs.pull<64 x i32> {
  %three = arith.constant 3 : index
  %five = arith.constant 5 : index
  %n = arith.constant 64 : index
  %x1 = obs.generate (%i) {
    %j = arith.muli %i, %three : index
    %m = arith.remui %j, %n : index
    %k = arith.muli %i, %five : index
    %l = arith.remui %k, %n : index
    %a = obs.get %x0[%l] : !obs.pull<64 x i32>
    %b = obs.get %x0[%m] : !obs.pull<64 x i32>
    %s = arith.subi %a, %b : i32
    obs.yield %s : i32
  } : !obs.pull<64 x i32>
  %x2 = obs.generate (%i) {
    %j = arith.muli %i, %three : index
    %m = arith.remui %j, %n : index
    %k = arith.muli %i, %five : index
    %l = arith.remui %k, %n : index
    %a = obs.get %x1[%l] : !obs.pull<64 x i32>
    %b = obs.get %x1[%m] : !obs.pull<64 x i32>
    %s = arith.subi %a, %b : i32
    obs.yield %s : i32
  } : !obs.pull<64 x i32>
  %x3 = obs.generate (%i) {
    %j = arith.muli %i, %three : index
    %m = arith.remui %j, %n : index
    %k = arith.muli %i, %five : index
    %l = arith.remui %k, %n : index
    %a = obs.get %x2[%l] : !obs.pull<64 x i32>
    %b = obs.get %x2[%m] : !obs.pull<64 x i32>
    %s = arith.subi %a, %b : i32
    obs.yield %s : i32
  } : !obs.pull<64 x i32>
  %x4 = obs.generate (%i) {
    %j = arith.muli %i, %three : index
    %m = arith.remui %j, %n : index
    %k = arith.muli %i, %five : index
    %l = arith.remui %k, %n : index
    %a = obs.get %x3[%l] : !obs.pull<64 x i32>
    %b = obs.get %x3[%m] : !obs.pull<64 x i32>
    %s = arith.subi %a, %b : i32
    obs.yield %s : i32
  } : !obs.pull<64 x i32>
  %x5 = obs.generate (%i) {
    %j = arith.muli %i, %three : index
    %m = arith.remui %j, %n : index
    %k = arith.muli %i, %five : index
    %l = arith.remui %k, %n : index
    %a = obs.get %x4[%l] : !obs.pull<64 x i32>
    %b = obs.get %x4[%m] : !obs.pull<64 x i32>
    %s = arith.subi %a, %b : i32
    obs.yield %s : i32
  } : !obs.pull<64 x i32>
  %x6 = obs.generate (%i) {
    %j = arith.muli %i, %three : index
    %m = arith.remui %j, %n : index
    %k = arith.muli %i, %five : index
    %l = arith.remui %k, %n : index
    %a = obs.get %x5[%l] : !obs.pull<64 x i32>
    %b = obs.get %x5[%m] : !obs.pull<64 x i32>
    %s = arith.subi %a, %b : i32
    obs.yield %s : i32
  } : !obs.pull<64 x i32>
  %x7 = obs.generate (%i) {
    %j = arith.muli %i, %three : index
    %m = arith.remui %j, %n : index
    %k = arith.muli %i, %five : index
    %l = arith.remui %k, %n : index
    %a = obs.get %x6[%l] : !obs.pull<64 x i32>
    %b = obs.get %x6[%m] : !obs.pull<64 x i32>
    %s = arith.subi %a, %b : i32
    obs.yield %s : i32
  } : !obs.pull<64 x i32>
  %x8 = obs.generate (%i) {
    %j = arith.muli %i, %three : index
    %m = arith.remui %j, %n : index
    %k = arith.muli %i, %five : index
    %l = arith.remui %k, %n : index
    %a = obs.get %x7[%l] : !obs.pull<64 x i32>
    %b = obs.get %x7[%m] : !obs.pull<64 x i32>
    %s = arith.subi %a, %b : i32
    obs.yield %s : i32
  } : !obs.pull<64 x i32>
  %x9 = obs.generate (%i) {
    %j = arith.muli %i, %three : index
    %m = arith.remui %j, %n : index
    %k = arith.muli %i, %five : index
    %l = arith.remui %k, %n : index
    %a = obs.get %x8[%l] : !obs.pull<64 x i32>
    %b = obs.get %x8[%m] : !obs.pull<64 x i32>
    %s = arith.subi %a, %b : i32
    obs.yield %s : i32
  } : !obs.pull<64 x i32>
  %x10 = obs.generate (%i) {
    %j = arith.muli %i, %three : index
    %m = arith.remui %j, %n : index
    %k = arith.muli %i, %five : index
    %l = arith.remui %k, %n : index
    %a = obs.get %x9[%l] : !obs.pull<64 x i32>
    %b = obs.get %x9[%m] : !obs.pull<64 x i32>
    %s = arith.subi %a, %b : i32
    obs.yield %s : i32
  } : !obs.pull<64 x i32>
  %x11 = obs.generate (%i) {
    %j = arith.muli %i, %three : index
    %m = arith.remui %j, %n : index
    %k = arith.muli %i, %five : index
    %l = arith.remui %k, %n : index
    %a = obs.get %x10[%l] : !obs.pull<64 x i32>
    %b = obs.get %x10[%m] : !obs.pull<64 x i32>
    %s = arith.subi %a, %b : i32
    obs.yield %s : i32
  } : !obs.pull<64 x i32>
  %x12 = obs.generate (%i) {
    %j = arith.muli %i, %three : index
    %m = arith.remui %j, %n : index
    %k = arith.muli %i, %five : index
    %l = arith.remui %k, %n : index
    %a = obs.get %x11[%l] : !obs.pull<64 x i32>
    %b = obs.get %x11[%m] : !obs.pull<64 x i32>
    %s = arith.subi %a, %b : i32
    obs.yield %s : i32
  } : !obs.pull<64 x i32>
  %x13 = obs.generate (%i) {
    %j = arith.muli %i, %three : index
    %m = arith.remui %j, %n : index
    %k = arith.muli %i, %five : index
    %l = arith.remui %k, %n : index
    %a = obs.get %x12[%l] : !obs.pull<64 x i32>
    %b = obs.get %x12[%m] : !obs.pull<64 x i32>
    %s = arith.subi %a, %b : i32
    obs.yield %s : i32
  } : !obs.pull<64 x i32>
  %x14 = obs.generate (%i) {
    %j = arith.muli %i, %three : index
    %m = arith.remui %j, %n : index
    %k = arith.muli %i, %five : index
    %l = arith.remui %k, %n : index
    %a = obs.get %x13[%l] : !obs.pull<64 x i32>
    %b = obs.get %x13[%m] : !obs.pull<64 x i32>
    %s = arith.subi %a, %b : i32
    obs.yield %s : i32
  } : !obs.pull<64 x i32>
  %x15 = obs.generate (%i) {
    %j = arith.muli %i, %three : index
    %m = arith.remui %j, %n : index
    %k = arith.muli %i, %five : index
    %l = arith.remui %k, %n : index
    %a = obs.get %x14[%l] : !obs.pull<64 x i32>
    %b = obs.get %x14[%m] : !obs.pull<64 x i32>
    %s = arith.subi %a, %b : i32
    obs.yield %s : i32
  } : !obs.pull<64 x i32>
  %x16 = obs.generate (%i) {
    %j = arith.muli %i, %three : index
    %m = arith.remui %j, %n : index
    %k = arith.muli %i, %five : index
    %l = arith.remui %k, %n : index
    %a = obs.get %x15[%l] : !obs.pull<64 x i32>
    %b = obs.get %x15[%m] : !obs.pull<64 x i32>
    %s = arith.subi %a, %b : i32
    obs.yield %s : i32
  } : !obs.pull<64 x i32>
  %p = obs.push %x16 : !obs.pull<64 x i32> -> !obs.push<grid, 64 x i32>
  %r = obs.force %p : !obs.push<grid, 64 x i32> -> !obs.pull<64 x i32>
  return %r : !obs.pull<64 x i32>
}

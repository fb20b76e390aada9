// Results become files, and files arguments, of every element type.
//
// RUN: rm -rf %t && mkdir %t

// %python checks the files against the format's description, without NumPy.
// RUN: obs-run %s --entry=two iota:2x3xi16 0.5 --out %t/a.npy --out %t/b.npy | count 0
// RUN: %python -c "import sys; d=open(sys.argv[1],'rb').read(); n=d[8]+256*d[9]; h=eval(d[10:10+n]); \
// RUN:   assert d[:8]==b'\x93NUMPY\x01\x00' and (10+n)%%64==0; \
// RUN:   assert h=={'descr':'<i2','fortran_order':False,'shape':(2,3)}, h; \
// RUN:   assert d[10+n:]==bytes([0,0,1,0,2,0,3,0,4,0,5,0])" %t/a.npy
// RUN: %python -c "import sys,struct; d=open(sys.argv[1],'rb').read(); n=d[8]+256*d[9]; h=eval(d[10:10+n]); \
// RUN:   assert h['shape']==() and h['descr']=='<f4'; assert struct.unpack('<f',d[10+n:])==(0.5,)" %t/b.npy

// A file that obs-run wrote can be read.
// RUN: obs-run %s --entry=two %t/a.npy 1 --out=- --out=%t/c.raw | FileCheck %s
// CHECK:      {{^}}{{\[\[}}0, 1, 2],{{$}}
// CHECK-NEXT: {{^}} [3, 4, 5]]{{$}}
// Any other name than .npy gets the elements alone: 1.0 is 00 00 80 3f.
// RUN: %python -c "import sys; assert open(sys.argv[1],'rb').read()==bytes([0,0,128,63])" %t/c.raw

// Nothing but the results is left.
// RUN: ls %t | FileCheck %s --check-prefix=LS
// LS: a.npy
// LS-NEXT: b.npy
// LS-NEXT: c.raw
// LS-NOT: {{.}}

func.func @two(%a: !obs.pull<? x ? x i16>, %x: f32) -> (!obs.pull<? x ? x i16>, f32) {
  return %a, %x : !obs.pull<? x ? x i16>, f32
}

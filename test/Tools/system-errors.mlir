// Memory that cannot be had and output that cannot be written are one line of error each.

// RUN: not sh -c "ulimit -v 3000000; exec obs-run %s --entry=copy iota:1073741824xi32" 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: not sh -c "ulimit -v 3000000; exec obs-run %s --entry=huge 1073741824" 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: error: {{.*}}the host has no memory for an array of extents [1073741824]
// RUN: not sh -c "ulimit -v 3000000; exec obs-run %s --entry=huge 1073741824 --device emulate" 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: [[#@LINE+90]]:8: error: the emulated device is out of memory: cannot allocate 4294967296 bytes

// RUN: not sh -c "obs-run %s --entry=copy iota:4xi32 > /dev/full" 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: not sh -c "obs-opt %s > /dev/full" 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: not sh -c "obs-translate --obs-to-ptx %s > /dev/full" 2>&1 | FileCheck %s --check-prefix=FULL
// FULL-NOT: {{.}}
// FULL: {{^}}obs-{{run|opt|translate}}: error: the output cannot be written: No space left on device
// FULL-NOT: {{.}}

// RUN: not sh -c "obs-run %s --entry=copy iota:4xi32 >&-" 2>&1 | FileCheck %s --check-prefix=CLOSED
// RUN: not sh -c "obs-opt %s >&-" 2>&1 | FileCheck %s --check-prefix=CLOSED
// CLOSED: error: the output cannot be written: Bad file descriptor

// A pipe that is closed ends the tool without a word.
// RUN: sh -c "{ obs-run %s --entry=copy iota:900xi32; obs-opt %s; } | head -c 1" 2>&1 | FileCheck %s --check-prefix=PIPE
// PIPE: {{^\[$}}
// PIPE-NOT: {{.}}

// A device has no end.
// RUN: not obs-run %s --entry=copy /dev/zero:i32 2>&1 | FileCheck %s --check-prefix=ENDLESS
// ENDLESS: error: argument 1, '/dev/zero:i32': a device may have no end; give the extents of an array of at most 2^40 bytes, as in /dev/zero:64xi32
// RUN: ln -sf /dev/zero %t.npy
// RUN: not obs-run %s --entry=copy %t.npy 2>&1 | FileCheck %s --check-prefix=PROGRAM
// RUN: not obs-run /dev/zero 2>&1 | FileCheck %s --check-prefix=PROGRAM
// RUN: not obs-opt /dev/zero 2>&1 | FileCheck %s --check-prefix=PROGRAM
// RUN: not obs-translate --obs-to-ptx /dev/zero 2>&1 | FileCheck %s --check-prefix=PROGRAM
// PROGRAM-NOT: {{.}}
// PROGRAM: {{^(obs-[a-z]+: )?error: .*}}cannot read '{{.*}}': a device may have no end; give a file or a pipe
// PROGRAM-NOT: {{.}}
// RUN: not obs-run - < /dev/zero 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: not obs-opt < /dev/zero 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: not obs-opt - < /dev/zero 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: not obs-translate --obs-to-ptx < /dev/zero 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: not obs-translate --obs-to-ptx -o %t.ptx < /dev/zero 2>&1 | FileCheck %s --check-prefix=INPUT
// INPUT-NOT: {{.}}
// INPUT: {{^(obs-[a-z]+: )?}}error: cannot read the standard input: a device may have no end; give a file or a pipe
// INPUT-NOT: {{.}}

// The writer of a pipe may never stop. Not more than 2^30 bytes of it are read, and not more than an array needs.
// RUN: not sh -c "yes | obs-run -" 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: not sh -c "yes | obs-opt" 2>&1 | FileCheck %s --check-prefix=LONG
// RUN: not sh -c "yes | obs-translate --obs-to-ptx" 2>&1 | FileCheck %s --check-prefix=LONG
// LONG-NOT: {{.}}
// LONG: {{^(obs-[a-z]+: )?}}error: cannot read the standard input: it has more than 2^30 bytes, and a pipe may have no end
// LONG-NOT: {{.}}
// Each line has a pipe of its own: a writer that lives on would write into the next one.
// RUN: rm -f %t.pipe && mkfifo %t.pipe
// RUN: not sh -c "yes > %t.pipe & obs-opt %t.pipe" 2>&1 | FileCheck %s --check-prefix=LONG-FILE
// RUN: rm -f %t.pipe && mkfifo %t.pipe
// RUN: not sh -c "yes > %t.pipe & obs-run %s --entry=copy %t.pipe:i32" 2>&1 | FileCheck %s --check-prefix=LONG-FILE
// LONG-FILE: error: {{.*}}cannot read '{{.*}}.pipe': it has more than 2^30 bytes, and a pipe may have no end
// RUN: rm -f %t.pipe && mkfifo %t.pipe
// RUN: not sh -c "yes > %t.pipe & obs-run %s --entry=copy %t.pipe:2xi32" 2>&1 | FileCheck %s --check-prefix=MORE
// MORE: error: argument 1, '{{.*}}': it has more than the 8 bytes that are needed
// RUN: rm -f %t.pipe && mkfifo %t.pipe
// RUN: sh -c "printf '\1\0\0\0' > %t.pipe & obs-run %s --entry=copy %t.pipe:1xi32" | FileCheck %s --check-prefix=ENDS
// RUN: rm -f %t.pipe && mkfifo %t.pipe
// RUN: sh -c "printf '\1\0\0\0' > %t.pipe & obs-run %s --entry=copy %t.pipe:i32" | FileCheck %s --check-prefix=ENDS
// ENDS: [1]
// RUN: rm -f %t.pipe && mkfifo %t.pipe
// RUN: sh -c "cat %s > %t.pipe & obs-opt %t.pipe" | FileCheck %s --check-prefix=TEXT
// RUN: rm -f %t.pipe && mkfifo %t.pipe
// RUN: sh -c "cat %s > %t.pipe & obs-translate --obs-to-ptx %t.pipe" | FileCheck %s --check-prefix=PTX
// TEXT: func.func @copy
// RUN: env OBS_TUNED=/dev/zero not obs-run %s --entry=copy iota:3xi32 2>&1 | FileCheck %s --check-prefix=TUNED
// TUNED: error: OBS_TUNED: cannot read '/dev/zero': a device may have no end; give a file or a pipe

// A pipe and /dev/null have an end. Nobody reads the standard input if there is a file.
// RUN: cat %s | obs-run - --entry=copy iota:3xi32 | FileCheck %s --check-prefix=READ
// RUN: obs-run %s --entry=copy iota:3xi32 < /dev/zero | FileCheck %s --check-prefix=READ
// READ: [0, 1, 2]
// RUN: obs-opt < /dev/null | FileCheck %s --check-prefix=EMPTY
// RUN: obs-opt /dev/null < /dev/zero | FileCheck %s --check-prefix=EMPTY
// EMPTY: module {
// RUN: cat %s | obs-translate --obs-to-ptx - | FileCheck %s --check-prefix=PTX
// RUN: obs-translate --obs-to-ptx %s -o - < /dev/zero | FileCheck %s --check-prefix=PTX
// RUN: obs-translate --obs-to-ptx %s -o /dev/zero < /dev/zero
// PTX: .entry copy_kernel
// RUN: obs-run %s --entry=copy /dev/zero:3xi32 | FileCheck %s --check-prefix=ZEROS
// ZEROS: [0, 0, 0]
// RUN: not obs-run %s --entry=copy /dev/null:3xi32 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: error: argument 1, '/dev/null:3xi32': it has 0 elements, and 3 are needed

func.func @copy(%a: !obs.pull<? x i32>) -> !obs.pull<? x i32> {
  %p = obs.push %a : !obs.pull<? x i32> -> !obs.push<grid, ? x i32>
  %r = obs.force %p : !obs.push<grid, ? x i32> -> !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

func.func @huge(%n: index) -> !obs.pull<? x i32> {
  %r = obs.iota [%n] : !obs.pull<? x i32>
  return %r : !obs.pull<? x i32>
}

"""Reductions in one kernel against two kernels and NumPy: one-kernel-reduce.py OBS-RUN PREFIX"""

import subprocess
import sys

import numpy

OBS_RUN, PREFIX = sys.argv[1:]

PROGRAM = """
func.func @main(%a: !obs.pull<? x f32>, %z: f32) -> !obs.pull<1 x f32> {
  %p = obs.reduce (%x, %y) = %a init %z {strategy = "STRATEGY"} : !obs.pull<? x f32> -> !obs.push<grid, 1 x f32> {
    %s = arith.addf %x, %y : f32
    obs.yield %s : f32
  }
  %r = obs.force %p : !obs.push<grid, 1 x f32> -> !obs.pull<1 x f32>
  return %r : !obs.pull<1 x f32>
}

// The sum of the elements behind that of three iterations before.
func.func @rounds(%a: !obs.pull<? x f32>, %z: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%t = %z) -> f32 {
    %p = obs.reduce (%x, %y) = %a init %t {strategy = "STRATEGY"} : !obs.pull<? x f32> -> !obs.push<grid, 1 x f32> {
      %s = arith.addf %x, %y : f32
      obs.yield %s : f32
    }
    %q = obs.force %p : !obs.push<grid, 1 x f32> -> !obs.pull<1 x f32>
    %u = obs.get %q[%c0] : !obs.pull<1 x f32>
    scf.yield %u : f32
  }
  return %r : f32
}
"""


def run(strategy, entry, data, *options):
    with open(f"{PREFIX}.mlir", "w") as file:
        file.write(PROGRAM.replace("STRATEGY", strategy))
    data.tofile(f"{PREFIX}.bin")
    done = subprocess.run([OBS_RUN, f"{PREFIX}.mlir", "--entry=" + entry, *options,
                           f"{PREFIX}.bin:{len(data)}xf32", "0.3"], check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{strategy} {entry} {options}: {done.stderr}")
    return float(done.stdout.strip().strip("[]"))


generator = numpy.random.default_rng(1)
for length in (0, 4097, 20000):
    data = generator.standard_normal(length).astype(numpy.float32)
    for entry, rounds in (("main", 1), ("rounds", 3))[:2 if length == 4097 else 1]:
        given = run("two_kernels", entry, data, "--device=emulate")
        exact = 0.3 + rounds * float(data.astype(numpy.float64).sum())
        if abs(given - exact) > 1e-3:
            sys.exit(f"{length} elements: {given} is not near {exact}")
        for options in (["--schedule=random", "--seed=4", "--threads=256"],
                        ["--schedule=random", "--seed=9", "--threads=32", "--blocks=5", "--check=all"]):
            found = run("one_kernel", entry, data, "--device=emulate", *options)
            if found != given and not (found == 0 and given == 0):
                sys.exit(f"{length} elements, {entry} {options}: {found}, not {given}")

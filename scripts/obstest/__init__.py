"""Code that the commands of scripts/ and the tests share.

Runs:
  runs.py             runs obs-run on files of arrays and compares its results with those of Python
  oracles.py          the oracles of test/Examples and test/Networks
  parts.py            parts of a list of checks, for tests side by side
  record.py           the programs that Python code gives to the compiler
  host_library.py     host programs in C as shared libraries, on a GPU

Programs with their results in Python, and the commands that run them:
  collectives/        each collective and irregular operation        collective-matrix.py
  random_programs.py  combinators of the Obsidian papers             random-programs.py
  properties/         properties of the thesis, laws of the papers   properties.py
  sorts.py            inputs that are hard for sorters               check-sorts.py
The package fuzzing/ has random programs of all kinds.

Barriers and races:
  mutants.py          kernels with one barrier deleted or weakened
  barrier_inputs.py   inputs and launches that need each barrier

Pictures:
  picture.py          an array as a grey picture                     picture.py
"""

import pathlib

#: The repository.
ROOT = pathlib.Path(__file__).resolve().parents[2]

"""The fuzzers of Obsidian. The scripts fuzz-programs.py, fuzz-mutations.py and fuzz-bytecode.py start them.

Running and reporting, for all of them and for random-programs.py:
  runner.py       runs a tool under limits and tells crash, timeout, memory and error apart
  compare.py      runs obs-run and compares its results with those of Python
  report.py       options, groups of programs, counts, and programs that are kept
  reduction.py    makes a failing program small

Random programs, by classes of which each extends the one before:
  values.py       numbers of all element types
  model.py        arrays, scalars, regions, types
  writer.py       the text of a program and the same in Python
  operators.py, conversions.py, elements.py, expressions.py             scalar code
  arrays.py, views.py, fills.py, collectives.py, irregular.py           arrays
  control.py, parts.py                                                  loops, branches, levels
  program.py      whole programs, and groups of them
  tester.py, saved.py, run_programs.py   their runs, at once or later, and the command

Mutants:
  mutator.py, run_mutations.py           of programs
  run_bytecode.py                        of bytecode
"""

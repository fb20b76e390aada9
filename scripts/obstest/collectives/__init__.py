"""Programs with one collective or irregular operation, and what they compute in Python.

operators.py has the operators, cases.py the dimensions of the matrix and its cases, oracle.py the results
in Python, programs.py the text of modules, and run.py the command collective-matrix.py.
"""

"""The modules of `benchmarks/speed.py`; benchmarks/README.md describes the command."""

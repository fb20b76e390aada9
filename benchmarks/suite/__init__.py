"""What `benchmarks/speed.py` is made of; benchmarks/README.md describes the command."""

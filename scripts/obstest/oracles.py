"""The oracles of the tests, for commands that run the same programs in other ways."""

import functools
import importlib.util

from obstest import ROOT


@functools.cache
def load(path):
    """The module of a Python file that is in no package."""
    name = path.replace("/", "_")
    specification = importlib.util.spec_from_file_location(name, ROOT / path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def examples():
    """Inputs and results of the examples. Needs NumPy."""
    return load("test/Examples/check.py")


def networks():
    """Inputs and results of the sorting networks, sums and scans of test/Networks."""
    return load("test/Networks/check.py")

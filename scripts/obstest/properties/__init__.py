"""The QuickCheck properties of Obsidian's thesis, and the laws that the later papers use.

module.py has what properties are written with, thesis.py and laws.py have the properties, and run.py
runs them.
"""

from obstest.properties import laws, thesis  # both add their properties
from obstest.properties.module import PROPERTIES, Module

__all__ = ["PROPERTIES", "Module", "laws", "thesis"]

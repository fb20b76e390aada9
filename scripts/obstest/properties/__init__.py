"""The QuickCheck properties of Obsidian's thesis, and the laws that the later papers use.

module.py has what properties are written with, thesis.py and laws.py have the properties, and run.py
runs them.
"""

from obstest.properties.module import PROPERTIES, Module
import obstest.properties.thesis  # adds its properties
import obstest.properties.laws  # adds its properties

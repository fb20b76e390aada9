"""Builds the module for the stable ABI of Python 3.10; pyproject.toml has the rest."""

from setuptools import Extension, setup

NAME = "obsidian_accelerator"
setup(
    py_modules=[],
    ext_modules=[Extension(NAME, [f"{NAME}.c"], py_limited_api=True)],
    options={"bdist_wheel": {"py_limited_api": "cp310"}},
)

"""Settings of all tests: the library that compiles and runs programs."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGED = ROOT / "python" / "obsidian" / "lib" / "libobsidian.so"


def pytest_configure(config: pytest.Config) -> None:
    """Use the library of a build folder if there is none in the package, and a cache of our own."""
    folder = tempfile.TemporaryDirectory(prefix="obsidian-cache-")
    config.add_cleanup(folder.cleanup)
    os.environ["OBS_CACHE_DIR"] = folder.name
    built = [ROOT / folder / "lib" / "libobsidian.so" for folder in ("build", "build-asserts")]
    if "OBS_LIBRARY" not in os.environ and not PACKAGED.exists():
        for library in filter(Path.exists, built):
            os.environ["OBS_LIBRARY"] = str(library)
            break

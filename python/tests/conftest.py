"""Settings of all tests: the tools that compile and run programs."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

BUILT = Path(__file__).resolve().parents[2] / "build" / "bin"


def pytest_configure(config: pytest.Config) -> None:
    """Use the tools of the build folder if no others are named."""
    del config
    if "OBS_TOOLS" not in os.environ and not shutil.which("obs-run") and BUILT.exists():
        os.environ["OBS_TOOLS"] = str(BUILT)

"""Every block of docs/Python.md, and the program of README.md, prints the text below it.

A block `python NAME` is also a file, for the commands of `console` blocks. Blocks `text` are the
output of the block before.
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from obsidian import testing

PAGE = Path(__file__).resolve().parents[2] / "docs" / "Python.md"
BLOCK = re.compile(r"^```(\S+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_python(text: str, path: Path, names: dict[str, Any]) -> str:
    """Run a block as a file, so that functions have a source; its output."""
    path.write_text(text)
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(text, str(path), "exec"), names)
    return output.getvalue()


def run_console(text: str, folder: Path) -> None:
    """Run the commands of a block, which stand behind `$`, and compare their output."""
    for part in text.split("$ ")[1:]:
        command, _, expected = part.partition("\n")
        words = shlex.split(command)
        assert words[0] == "python"
        result = subprocess.run(
            [sys.executable, *words[1:]], cwd=folder, capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, result.stderr
        assert result.stdout.replace(str(folder), "...") == expected


def test_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(testing, "has_gpu", lambda: False)
    names: dict[str, Any] = {"__name__": "page"}
    output: str | None = None
    blocks = list(BLOCK.finditer(PAGE.read_text()))
    assert len(blocks) > 20
    for number, match in enumerate(blocks):
        kind, name, text = match.groups()
        if kind == "text":
            assert output == text, f"block {number}: {output}"
            output = None
            continue
        assert not output, f"block {number} follows output that is not on the page: {output}"
        if kind == "python":
            output = run_python(text, tmp_path / (name or f"block_{number}.py"), names)
        else:
            assert kind == "console"
            run_console(text, tmp_path)


def test_headings_are_linked() -> None:
    text = PAGE.read_text()
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    links = re.findall(r"^- \[(.+)\]\(#(.+)\)$", text, re.MULTILINE)
    assert links == [(h, h.lower().replace(" ", "-")) for h in headings]


def test_readme(tmp_path: Path) -> None:
    blocks = {m[1]: m[3] for m in BLOCK.finditer((PAGE.parents[1] / "README.md").read_text())}
    printed = run_python(blocks["python"], tmp_path / "readme.py", {"__name__": "readme"})
    assert printed == blocks["text"]

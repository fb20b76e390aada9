"""Every block of the pages on Python, and the program of README.md, prints the text below it.

A block `python NAME` is also a file, for the commands of `console` blocks. Blocks `python gpu` do
not run, and blocks `python torch` run where PyTorch is. Blocks `text` are the output of the block
before.
"""

from __future__ import annotations

import builtins
import contextlib
import gc
import importlib.util
import io
import operator
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest

import obsidian as obs
from obsidian import Pull, i32, testing

Matrix = Annotated[Pull, "h", 4, i32]

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "docs" / name for name in ("Python.md", "Tutorial-Python.md", "Arrays.md", "PyTorch.md")
]
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


def run_page(page: Path, folder: Path) -> dict[str, Any]:
    """Run all blocks of a page, and compare their output; the names that the blocks define."""
    names: dict[str, Any] = {"__name__": "page"}
    output: str | None = None
    blocks = list(BLOCK.finditer(page.read_text()))
    assert len(blocks) > 15
    is_left_out = False
    for number, match in enumerate(blocks):
        kind, name, text = match.groups()
        if name == "gpu":
            continue
        if name == "torch":
            name, is_left_out = None, importlib.util.find_spec("torch") is None
        elif kind != "text":
            is_left_out = False
        if is_left_out:
            continue
        if kind == "text":
            assert output == text, f"block {number}: {output}"
            output = None
            continue
        assert not output, f"block {number} follows output that is not on the page: {output}"
        if kind == "python":
            output = run_python(text, folder / (name or f"block_{number}.py"), names)
        else:
            assert kind == "console"
            run_console(text, folder)
    return names


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(testing, "has_gpu", lambda: False)
    run_page(page, tmp_path)


def chunk_sums(a: Any, m: int, kept: int) -> Any:
    """For each chunk of 256, `kept` sums of the squares whose numbers are equal modulo `kept`."""
    rows = np.pad(a, (0, -len(a) % 256), constant_values=m).reshape(-1, 256 // kept, kept)
    return ((rows - m) ** 2).sum(1, dtype=np.int32).ravel()


#: The programs of the steps of the tutorial by NumPy.
STEPS: dict[str, Any] = {
    "deviations": lambda a, m: a - m,
    "squares": lambda a, m: (a - m) ** 2,
    "squares_in_two": lambda a, m: (a - m) ** 2,
    "sums_of_halves": lambda a, m: chunk_sums(a, m, 128),
    "sums_of_quarters": lambda a, m: chunk_sums(a, m, 64),
    "tree_sums": lambda a, m: chunk_sums(a, m, 1),
    "warp_sums": lambda a, m: chunk_sums(a, m, 1),
    "chunk_sums": lambda a, m: chunk_sums(a, m, 1),
    "window_sums": lambda a, m, begins, lengths: np.array(
        [((a[b : b + n] - m) ** 2).sum(dtype=np.int32) for b, n in zip(begins, lengths)], np.int32
    ),
    "total": lambda a, m: ((a - m) ** 2).sum(dtype=np.int32, keepdims=True),
}


def test_tutorial(tmp_path: Path) -> None:
    names = run_page(PAGES[1], tmp_path)
    text = PAGES[1].read_text()
    sections = re.findall(r"^## Step (\d+): .*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert sections == [str(number) for number in range(1, 11)]
    assert text.count("**Exercise.**") == 10
    programs = {f.__name__ for f in names.values() if isinstance(f, obs.Function)}
    assert programs == set(STEPS)
    random = np.random.default_rng(1)
    for name, oracle in STEPS.items():
        # A new function, since each compiled program has memory for the threads of the emulator.
        function = obs.jit(names[name].__wrapped__, threads=names[name].threads)
        gc.collect()
        for n in (0, 1, 31, 33, 1000):
            a = random.integers(-(2**31), 2**31, n).astype(np.int32)
            arguments = [a, np.int32(random.integers(-1000, 1000))]
            if name == "window_sums":
                begins = random.integers(0, n + 1, n // 3 + 2).astype(np.int32)
                arguments += [begins, random.integers(0, n - begins + 1).astype(np.int32)]
            with np.errstate(over="ignore"):
                expected = oracle(*arguments)
            found = [function.interpret(*arguments), function.emulate(*arguments, check=True)]
            for seed in range(2):
                options = {"check": True, "schedule": "random", "seed": seed}
                found.append(function.emulate(*arguments, **options))
            for result in found:
                np.testing.assert_array_equal(result, expected, err_msg=f"{name}, {n} samples")


def rows_of_numpy() -> list[tuple[str, str]]:
    """The expressions of the table of NumPy, and the same here."""
    text = PAGES[0].read_text()
    table = text[text.index("| NumPy | this package |") :].partition("\n\n")[0]
    return re.findall(r"^\| `(.+)` \| `(.+)` \|$", table, re.MULTILINE)


@pytest.mark.parametrize(("numpy", "here"), rows_of_numpy())
def test_table_of_numpy(numpy: str, here: str) -> None:
    x, y = np.int32([3, -1, 4, 1, -5, 2]), np.int32([2, 0, -3, 5, 1, 1])
    m = np.array([[3, 1, 2, 7], [9, -8, 5, 5], [0, 0, 1, -1]], np.int32)
    names = {"np": np, "obs": obs, "operator": operator, "abs": abs}

    @obs.jit
    def program(x: Annotated[Pull, "n", i32], y: Annotated[Pull, "n", i32], m: Matrix) -> Any:
        return eval(here, {**names, "x": x, "y": y, "m": m})

    expected = eval(numpy, {**names, "x": x, "y": y, "m": m})
    np.testing.assert_array_equal(program(x, y, m), expected)


def test_table_of_names() -> None:
    """The section on all names has each public name of the package, and no other."""
    text = PAGES[0].read_text()
    section = text[text.index("\n## All names\n") :]
    rows = re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)
    assert len(set(rows)) == len(rows)

    def listed(prefix: str) -> set[str]:
        found = (re.match(rf"{prefix}\.(\w+)(?!\.?\w)", row) for row in rows)
        return {match[1] for match in found if match}

    def public(names: Iterable[str]) -> set[str]:
        return {name for name in names if name[0] != "_"}

    hidden = {name for name in public(vars(obs)) if name in vars(builtins)}
    assert listed("obs") == set(obs.__all__) | hidden
    for name, module in (("obs.bit", obs.bit), ("obs.unsigned", obs.unsigned)):
        own = {
            n for n, v in vars(module).items() if getattr(v, "__module__", "") == module.__name__
        }
        assert listed(name) == public(own)
    # The slots of values and the hooks of the tracer are no names for users.
    inner = {
        "block", "classes", "dims", "is_stored", "likely", "mapped", "name", "runs_late", "type",
    }  # fmt: skip
    assert listed("a") == public([*dir(Pull), *dir(obs.Push)]) - inner
    assert listed("x") == public(dir(obs.Scalar)) - {"block", "is_natural", "name", "require_shift"}
    tools = re.findall(r"`f\.(\w+)", text)
    assert public(dir(obs.Function)) <= set(tools)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_headings_are_linked(page: Path) -> None:
    text = page.read_text()
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    links = re.findall(r"^- \[(.+)\]\(#(.+)\)$", text, re.MULTILINE)
    assert links == [(h, re.sub("[:,]", "", h.lower()).replace(" ", "-")) for h in headings]


def test_readme(tmp_path: Path) -> None:
    blocks = {m[1]: m[3] for m in BLOCK.finditer((ROOT / "README.md").read_text())}
    printed = run_python(blocks["python"], tmp_path / "readme.py", {"__name__": "readme"})
    assert printed == blocks["text"]

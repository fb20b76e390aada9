"""`python -m obsidian` on functions and on programs in MLIR."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import obsidian.__main__ as obsidian_main
from obsidian import f32, warp
from obsidian.__main__ import main
from obsidian.native import NativeBackend


def finds_race(location: dict[str, Any] | None) -> Any:
    """The answer of the compiler for a program with a race."""
    race = {
        "text": "[race] write of global memory: threads 0 and 1",
        "location": location,
        "notes": [],
    }

    def show(*_: Any) -> Any:
        return json.dumps({"version": 1, "proofs": [], "races": [race], "unproved": []}), []

    return show


SOURCE = """\
import obsidian as obs
from typing import Annotated
from obsidian import Pull, i32, block

@obs.jit
def double(a: Annotated[Pull, "n", i32]):
    return a + a

@obs.jit
def total(a: Annotated[Pull, "n", i32], *, size=512, level=block):
    return obs.concat((obs.full(1, c.sum()) for c in a.split(size, pad=0)), level=level)

@obs.jit
def wrong(a: Annotated[Pull, "n", i32]):
    return a + 1.5
"""

REVERSE = """\
func.func @main(%a: !obs.pull<? x i32> {obs.name = "a"}) -> !obs.pull<? x i32> {
  %r = obs.reverse %a : !obs.pull<? x i32>
  %f = obs.force %r {kernel = "reverse"} : !obs.pull<? x i32>
  return %f : !obs.pull<? x i32>
}
"""


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "programs_of_a_user.py"
    path.write_text(SOURCE)
    return str(path)


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "reverse.mlir"
    path.write_text(REVERSE)
    return str(path)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], "func.func @main(%a: !obs.pull<? x i32>"),
        (["mlir"], "arith.addi"),
        (["kernels"], "gpu.func @double"),
        (["ptx", "--chip=sm_80"], ".target sm_80"),
        (["ptx", "--threads", "64"], ".maxntid 64, 1, 1"),
        (["cost"], "* n bytes read, 4 * n bytes written"),
        (["explain"], "programs_of_a_user.py:7:5: remark: kernel 'double': no barrier"),
        (["races"], "is proved free of races"),
        (["contract"], '"target": "sm_90"'),
        (["host-c"], "cuLaunchKernel"),
    ],
)
def test_command(
    source: str, words: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([f"{source}:double", *words]) == 0
    assert expected in capsys.readouterr().out


def test_command_with_static_values(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([f"{source}:total", "mlir", "--set", "size=64", "--set", "level=warp"]) == 0
    shown = capsys.readouterr().out
    assert "by [64]" in shown
    assert "distribute warp" in shown


def test_command_on_a_program_that_is_wrong(
    source: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([f"{source}:wrong"]) == 1
    message = capsys.readouterr().err
    assert f"{source}:15:" in message
    assert "return a + 1.5" in message


def test_command_that_finds_a_race(
    source: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NativeBackend, "show", finds_race(None))
    assert main([f"{source}:double", "races"]) == 1
    assert "threads 0 and 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "value"),
    [("64", 64), ("(2, 3)", (2, 3)), ("warp", warp), ("f32", f32), ("min", "min")],
)
def test_value_of_the_command_line(text: str, value: Any) -> None:
    """Levels and types go by name; other names are text, also those of functions."""
    assert obsidian_main._value(text) == value


def test_function_on_tensors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tensors.mlir"
    path.write_text("""func.func @add(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %r = arith.addf %a, %b : tensor<?xf32>
  return %r : tensor<?xf32>
}
""")
    assert main([str(path), "cost"]) == 0
    assert "8 * arg0_dim0 bytes read, 4 * arg0_dim0 bytes written" in capsys.readouterr().out


def test_only_function_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "one_program.py"
    path.write_text(SOURCE.partition("@obs.jit\ndef total")[0])
    assert main([str(path)]) == 0
    assert "arith.addi" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["missing.py:f"], "no file missing.py"),
        (["{source}"], "name a function of .*double, total, wrong"),
        (["{source}:none"], "name a function"),
        (["{text}:f"], "is no Python file"),
        (["{source}:double", "--set", "size"], "NAME=VALUE"),
        (["{source}:double", "poem"], "invalid choice"),
        (["{program}", "--set", "n=1"], "no static values"),
    ],
)
def test_wrong_command_line(
    source: str,
    program: str,
    words: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = Path(source).with_suffix(".txt")
    text.write_text("")
    with pytest.raises(SystemExit) as caught:
        main([word.format(source=source, program=program, text=text) for word in words])
    assert caught.value.code == 2
    assert re.search(message, capsys.readouterr().err)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], "obs.reverse"),
        (["cost", "--set", "a_dim0=8"], "4 * a_dim0 bytes read, 4 * a_dim0 bytes written"),
        (["explain"], "reverse.mlir:3:8: remark: kernel 'reverse': no barrier"),
        (["races"], "reverse.mlir:3:8: remark: kernel 'reverse' is proved free of races"),
        (["ptx"], ".entry reverse("),
    ],
)
def test_command_on_mlir(
    program: str, words: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([program, *words]) == 0
    assert expected in capsys.readouterr().out


def test_sizes_of_costs(source: str, program: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`--set` of a size: the bytes of all launches are behind the report."""
    for word, size in ((f"{source}:double", "n"), (program, "a_dim0")):
        assert main([word, "cost", "--set", f"{size}=100"]) == 0
        last = capsys.readouterr().out.splitlines()[-1]
        assert last == f"all launches: 800 bytes of global memory for {size} = 100"
        assert main([word, "cost", "--set", "m=100"]) == 1
        assert (
            f"m=100 is neither a static value nor a size of this program, whose sizes are: {size}"
            in (capsys.readouterr().err)
        )


@pytest.mark.parametrize("words", [["{}", "ptx"], ["tune", "{}", "3"]])
def test_files_that_are_no_text(
    program: str, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path(program).write_bytes(b"\xff\x00")
    assert main([word.format(program) for word in words]) == 1
    assert f"{program} cannot be read: " in capsys.readouterr().err


def test_command_on_mlir_that_is_wrong(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = Path(program)
    path.write_text(REVERSE.replace("obs.reverse %a", "obs.reverse %b"))
    assert main([program, "ptx"]) == 1
    message = capsys.readouterr().err
    assert f"{program}:2:" in message
    assert "obs.reverse %b" in message


def test_command_on_mlir_that_finds_a_race(
    program: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = {"file": "<program>", "line": 3, "column": 8}
    monkeypatch.setattr(NativeBackend, "show", finds_race(place))
    assert main([program, "races"]) == 1
    assert f"{program}:3:8: error: [race]" in capsys.readouterr().out


def test_command_as_a_module(source: str) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "obsidian", f"{source}:double", "cost"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert "kernel 'double'" in result.stdout

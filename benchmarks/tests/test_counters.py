"""The comparison with ncu: a made-up report, and output of ncu that is written by hand."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(FOLDER))
import counters  # noqa: E402
from counters import CASES, QUANTITIES, Case, Number  # noqa: E402

LOAD = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
#: The output of ncu 2025.3 before and after the lines of a run, and for two launches of a kernel.
OUTPUT = f'''==PROF== Connected to process 7
[1, 2, 3]
"ID","Process ID","Kernel Name","Context","Metric Name","Metric Unit","Metric Value"
"0","7","copy(float *)","1","{LOAD}","sector","1,024"
"0","7","copy(float *)","1","dram__bytes_read.sum","byte","32768"
"1","7","copy(float *)","1","{LOAD}","sector","1000"
"2","7","other","1","{LOAD}","sector","n/a"
==PROF== Disconnected from process 7
'''


def access(kind: str, memory: str, bytes: str, **others: Any) -> dict[str, Any]:
    base = {"kind": kind, "memory": memory, "type": "f32", "location": None, "level": None}
    return {**base, "requests": "", "bytes": bytes, **others}


def report(*accesses: dict[str, Any]) -> dict[str, Any]:
    """The report of a kernel `copy` as JSON."""
    kernel = {
        "name": "copy", "location": None, "threads": 256, "launchedThreads": 256,
        "registers": {"arrays": 0, "loops": 0}, "sharedBytes": 0, "arrays": [],
        "barriers": {"block": 0, "warp": 0, "executedBlock": "0", "executedWarp": "0"},
        "loops": [], "accesses": list(accesses), "shuffles": [], "memory": {}, "operations": {},
        "virtual": [],
    }  # fmt: skip
    return {"version": 1, "kernels": [kernel]}


#: Each of n numbers of 4 bytes is read once and written twice, the second time at most.
COPY = report(
    access("read", "global", "4 * arg0.dim0", sectors="ceil(arg0.dim0 / 8)"),
    access("write", "global", "4 * arg0.dim0", sectors="ceil(arg0.dim0 / 8)"),
    access("write", "global", "at most 4 * arg0.dim0", sectors="?"),
    access("write", "shared", "256", wavefronts="100", conflicts="50"),
)
CONTRACT = {
    "kernels": [
        {"entry": "copy", "parameters": [{"kind": "pointer", "name": "p"}], "block": 256},
    ],
    "functions": [
        {"name": "other", "parameters": [], "results": [], "steps": []},
        {
            "name": "main",
            "parameters": [
                {"name": "k", "kind": "scalar"},
                {"name": "x", "kind": "array", "rank": 1},
            ],
            "results": [{}],
            "steps": [{"step": "launch", "kernel": "copy", "arguments": ["x"]}] * 2,
        },
    ],
}
CASE = Case("copy 1000", "copy.mlir", ("-1.5", "iota:1000xf32"))


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """Tools that print the report, the contract, and nothing."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "report.json").write_text(json.dumps(COPY))
    (folder / "contract.json").write_text(json.dumps(CONTRACT))
    (folder / "ncu.csv").write_text(OUTPUT)
    texts = {
        "obs-opt": f"cat {folder}/report.json",
        "obs-translate": f"cat {folder}/contract.json",
        "obs-run": "exit 1",
        "ncu": f'case "$*" in *--query-metrics*) echo "{LOAD[:-4]}  Counter";; '
        f"*--out=/dev/null) cat {folder}/ncu.csv;; *) exit 3;; esac",
        "broken": "echo no such metric >&2; exit 9",
    }
    for name, text in texts.items():
        path = folder / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return folder


def test_report_of_a_case(tools: Path, tmp_path: Path) -> None:
    """Two launches for 1000 numbers: 2 * 4000 bytes are read, and 2 * 125 sectors."""
    numbers = counters.report_of(CASE, tools, tmp_path)["copy"]
    assert numbers["bytes_read"] == Number(8000)
    assert numbers["bytes_written"] == Number(16000, is_limit=True)
    assert numbers["sectors_read"] == Number(250)
    assert numbers["sectors_written"] == Number(None)
    assert numbers["wavefronts_read"] == Number(0)
    assert numbers["wavefronts_written"] == Number(200)
    assert numbers["conflicts"] == Number(100)


def test_output_of_ncu() -> None:
    found = counters.read_counters(OUTPUT)
    assert found["copy"] == {LOAD: 2024, "dram__bytes_read.sum": 32768}
    assert found["other"][LOAD] != found["other"][LOAD]
    assert counters.read_counters("==ERROR== nothing") == {}


def test_metrics_are_those_that_ncu_has() -> None:
    first = counters.choose_metrics("")
    assert first == {name: quantity.metrics[0] for name, quantity in QUANTITIES.items()}
    known = """
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld   Counter   conflicts
l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st   Counter   conflicts
sm__sass_data_bytes_mem_global_op_ld                   Counter   bytes
"""
    chosen = counters.choose_metrics(known)
    assert chosen["conflicts"][0].startswith("l1tex__data_bank_conflicts")
    assert chosen["bytes_read"] == ("sm__sass_data_bytes_mem_global_op_ld.sum",)
    assert chosen["bytes_written"] == QUANTITIES["bytes_written"].metrics[0]


def line_of(counted: float | None, reported: Number) -> dict[str, Any]:
    metrics = counters.choose_metrics("")
    found = None if counted is None else {metrics["sectors_read"][0]: counted}
    return counters.compare({"sectors_read": reported}, found, metrics)


def test_difference_in_per_cent() -> None:
    line = line_of(1000, Number(1050))
    assert line["quantities"]["sectors_read"] == {"report": 1050, "ncu": 1000, "percent": 5.0}
    assert line["agrees"] is True
    assert line_of(1000, Number(1051))["agrees"] is False
    assert line_of(1000, Number(949))["agrees"] is False
    assert line_of(0, Number(0))["agrees"] is True
    assert line_of(0, Number(1))["quantities"]["sectors_read"]["percent"] == 100
    assert line_of(None, Number(1))["agrees"] is None
    assert line_of(float("nan"), Number(1))["agrees"] is None
    unknown = line_of(1000, Number(None))
    assert (unknown["agrees"], unknown["is_complete"]) == (None, False)


def test_bank_conflicts_are_a_share_of_wavefronts() -> None:
    metrics = counters.choose_metrics("")
    names = ("wavefronts_read", "wavefronts_written", "conflicts")
    numbers = dict(zip(names, (Number(600), Number(400), Number(10))))
    counted = dict(zip((m for n in names for m in metrics[n]), (600, 400, 50, 0)))
    line = counters.compare(numbers, counted, metrics)
    assert line["quantities"]["conflicts"] == {"report": 10, "ncu": 50, "percent": -4.0}
    assert line["agrees"]


def test_summary_counts_kernels_once() -> None:
    def line(kernel: str, agrees: bool | None, is_complete: bool = True) -> dict[str, Any]:
        program = {"program": "p.mlir", "kernel": kernel}
        return {**program, "agrees": agrees, "is_complete": is_complete}

    lines = [line("a", True), line("a", True), line("b", True), line("b", False)]
    lines += [line("c", None), line("d", True, is_complete=False)]
    assert counters.summarise(lines) == {"kernels": 3, "agree": 1}
    # The kernel of another program is another one.
    lines.append({**line("a", True), "program": "q.mlir"})
    assert counters.summarise(lines) == {"kernels": 4, "agree": 2}


def test_run_with_a_made_up_ncu(
    tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = Case("broken", "copy.mlir", ("1", "iota:5xf32"), "missing")
    monkeypatch.setattr(counters, "CASES", (CASE, broken))
    out, kept = tmp_path / "out", tmp_path / "csv"
    words = ["--tools", str(tools), "--out", str(out), "--ncu", str(tools / "ncu")]
    assert counters.main([*words, "--csv", str(kept)]) == 1
    assert "0 of 1 kernels agree within 5%" in capsys.readouterr().out
    result = json.loads((out / "counters.json").read_text())
    (line,) = result["lines"]
    assert line["quantities"]["sectors_read"] == {"report": 250, "ncu": 2024, "percent": -87.65}
    assert line["information"] == {"dram__bytes_read.sum": 32768}
    assert [failure["case"] for failure in result["failures"]] == ["broken"]
    table = (out / "counters.md").read_text()
    assert "| copy 1000 | `copy` | 8,000 | ≤ 16,000 | 250 (-87.7%) | ? |" in table
    assert (kept / "copy-1000.csv").read_text() == OUTPUT
    # The same from the files.
    again = ["--tools", str(tools), "--out", str(tmp_path / "again"), "--recorded", str(kept)]
    assert counters.main([*again, "--least", "0"]) == 0
    assert json.loads((tmp_path / "again" / "counters.json").read_text())["lines"] == [line]
    # A tool that fails is a line in the table.
    assert counters.main([*words[:-1], str(tools / "broken")]) == 1
    assert "no such metric" in capsys.readouterr().err


def test_time_is_limited(
    tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(counters, "CASES", (CASE,))
    words = ["--tools", str(tools), "--out", str(tmp_path), "--dry-run", "--budget", "-1"]
    assert counters.main(words) == 0
    assert "0 of 0 kernels" in capsys.readouterr().out


def test_cases_are_programs_of_the_examples() -> None:
    assert len({case.name for case in CASES}) == len(CASES)
    files = [counters.ROOT / "examples" / case.program.split(":")[0] for case in CASES]
    assert all(file.exists() for file in files)
    assert len({case.program for case in CASES}) >= 14


def test_sizes_of_arguments() -> None:
    parameters = [{"name": name} for name in ("k", "a", "n", "b")]
    words = ("2.5", "random:4x5xf32:1", "-3", "iota:7xi8")
    found = counters.values_of(words, parameters)
    assert found == {"a_dim0": 4, "a_dim1": 5, "n": -3, "b_dim0": 7}

"""The benchmarks without a GPU: goals, checks, times of a made-up machine, tables and charts."""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import json
import re
import stat
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(FOLDER))
import compile_time  # noqa: E402
import speed  # noqa: E402
from suite import chart, data, gpu, report  # noqa: E402
from suite.goals import COMPILE_GOALS, GOALS, UNMEASURED, VARIANTS, Goal  # noqa: E402
from suite.measure import (  # noqa: E402
    Measurement,
    Runner,
    Times,
    WrongResult,
    check_small,
    compare,
)
from suite.works import Peer, Work, all_works  # noqa: E402

WORKS = all_works()
#: The goals of each line of the table: how many there are, the smallest and the largest.
TABLE = {
    "maps": (2, 1, 1),
    "reduce i32": (3, 1, 1.15),
    "reduce f32, in order": (3, 1, 1),
    "dot": (1, 1.08, 1.08),
    "scan i32": (4, 1.2, 1.2),
    "scan f32, affine": (2, 1.15, 2.5),
    "compact 2^26": (1, 1.2, 1.2),
    "histogram 2^25": (12, 2, 16),
    "batches of 512": (1, 3, 3),
    "counting sort 2^25": (5, 0.9, 10),
    "occurrence sort 2^25": (5, 3, 15),
    "radix sort": (4, 1, 1.15),
    "large network sort 2^24": (2, 0.3, 4),
    "Black-Scholes 2^26": (1, 1.28, 1.28),
    "transpose 8192^2": (1, 1.08, 1.08),
    "convolution 8192^2": (6, 1.62, 1.8),
    "Julia 8192^2": (1, 1.1, 1.1),
    "matrix product": (2, 0.85, 0.85),
    "rows": (6, 0.98, 1),
    "sparse product, k-means, n-body": (3, 0.9, 1),
    "5 small kernels": (1, 0.95, 0.95),
}


class NoGpu:
    """A machine whose arrays are those of NumPy, and whose times are made up."""

    xp = np
    multiprocessors = 4

    def __init__(self) -> None:
        self.elements = 0
        self.called: list[str] = []
        self.now = 0.0

    def call(self, function: str, arrays: Any, numbers: Any) -> None:
        assert all(isinstance(a, np.ndarray) for a in arrays)
        assert all(int(n) == n for n in numbers)
        self.called.append(function)

    def copy(self, size: int) -> None:
        self.called.append("copy")

    def kept(self, array: Any, name: str) -> Any:
        return np.empty_like(array)

    def capture(self, run: Any, inputs: Any) -> Any:
        self.called.append("capture")
        return lambda: run(*inputs)

    def synchronize(self) -> None:
        pass

    def rotate(self, inputs: Any) -> Any:
        return lambda: list(inputs)

    def host_time(self, run: Any) -> float:
        return 1000.0

    def time(self, run: Any, spin: int) -> float:
        before = self.now
        run()
        return self.now - before


def doubled(machine: NoGpu, slower: float, ms: float) -> Work:
    """A work that takes `ms` on the machine, and a peer that takes `slower` times as long."""

    def double(a: Any) -> Any:
        machine.now += ms
        return 2 * a

    def peer(_: Any, inputs: Any) -> Any:
        machine.now += slower * ms
        return inputs[0] + inputs[0]

    return Work(
        "double", "maps", "-", lambda xp, n: [data.integers(xp, n, 100)], double,
        lambda xp, a: a * 2, (Peer("other", peer),), lambda n: 8.0 * n, small=(3,),
    )  # fmt: skip


def runner(machine: NoGpu) -> Runner:
    limits = {"copy_bytes_per_s": 1e9, "f32_operations_per_s": 1e12}
    return Runner(machine, limits, repeat=5, seconds=60)


# ---------------------------------------------------------------------------------------------
# Goals and works
# ---------------------------------------------------------------------------------------------


def test_table_of_goals_is_complete() -> None:
    found: dict[str, list[Goal]] = {}
    for goal in GOALS:
        found.setdefault(goal.row, []).append(goal)
    limits = {
        row: (len(goals), min(g.goal for g in goals), max(g.goal for g in goals))
        for row, goals in found.items()
    }
    assert limits == TABLE
    assert {problem.row for problem in UNMEASURED} <= set(TABLE)
    assert [goal.goal for goal in COMPILE_GOALS] == [20, 100, 0.2]


def test_goals_name_works_and_peers() -> None:
    for goal in GOALS:
        titles = [peer.title for peer in WORKS[goal.work].peers]
        assert any(title.startswith(goal.peer) for title in titles), goal


def test_charts_go_from_2_10_to_2_28() -> None:
    for family in ("maps", "reductions", "scans", "radix sorts", "counting sorts", "images"):
        sizes = {s for work in WORKS.values() if work.family == family for s in work.sizes}
        assert (min(sizes), max(sizes)) == (2**10, 2**28)


def test_variants_name_works_and_are_others() -> None:
    kinds = {variant.work.rpartition("-")[2] for variant in VARIANTS}
    assert kinds >= {"i8", "i16", "i64", "f16", "f64"}
    sizes = {variant.size for variant in VARIANTS}
    assert sizes >= {1000, 2**20 + 17}
    for variant in VARIANTS:
        assert variant.work in WORKS and variant.usual in WORKS
        assert (variant.work, variant.size) != (variant.usual, variant.usual_size)


@pytest.mark.parametrize("name", WORKS)
def test_peers_are_in_the_library(name: str) -> None:
    """Each peer calls a function of the library, with as many arrays as it has."""
    sources = "".join(path.read_text() for path in (FOLDER / "peers").glob("*.cu"))
    machine, work = NoGpu(), WORKS[name]
    machine.elements = work.small[-1]
    inputs = work.inputs(np, work.small[-1])
    for peer in work.peers:
        if peer.title == "Triton" or work.family == "strategies of scatter":
            continue
        peer.run(machine, peer.prepare(machine, inputs) if peer.prepare else inputs)
    for function in machine.called:
        assert f"PEER({function})" in sources


def test_inputs_are_the_same_everywhere() -> None:
    """The hash of the finaliser of MurmurHash3, by hand for one number."""
    x = (1 + 0x9E3779B9) % 2**32
    x = (x ^ x >> 16) * 0x85EBCA6B % 2**32
    x = (x ^ x >> 13) * 0xC2B2AE35 % 2**32
    assert data.bits(np, 2, seed=1)[1] == x ^ x >> 16
    assert data.integers(np, 1000, 10).max() == 9
    assert 0 <= data.floats(np, 1000).min() < 0.01 < 0.99 < data.floats(np, 1000).max() < 1


def test_check_finds_wrong_programs() -> None:
    work = doubled(NoGpu(), 1, 1)
    assert check_small(work, (0, 1, 33)) == 3
    with pytest.raises(WrongResult, match="33 of 33 elements"):
        check_small(dataclasses.replace(work, run=lambda a: 2 * a + 1), (33,))
    with pytest.raises(WrongResult, match="the shape"):
        check_small(dataclasses.replace(work, run=lambda a: a[1:]), (33,))


def test_tolerance_and_differing() -> None:
    near = dataclasses.replace(doubled(NoGpu(), 1, 1), tolerance=0.1)
    one = np.array([1, 2, 3, np.nan], np.float32)
    compare(np, near, one[:3], one[:3] + 0.1, "x")
    with pytest.raises(WrongResult, match="1 of 4"):
        compare(np, near, one, one, "x")
    some = dataclasses.replace(near, differing=0.25)
    compare(np, some, one, one, "x")
    fewer = dataclasses.replace(near, differing=0.24)
    with pytest.raises(WrongResult, match="1 of 4"):
        compare(np, fewer, one, one, "x")


# ---------------------------------------------------------------------------------------------
# Measurements
# ---------------------------------------------------------------------------------------------


def test_ratio_and_share() -> None:
    machine = NoGpu()
    found = runner(machine).measure(doubled(machine, 1.5, 2.0), 1000)
    assert not found.error and not found.notes
    assert found.ours and found.ours.ms == [2.0] * 5
    assert found.ratio() == pytest.approx(1.5)
    assert found.spread() == pytest.approx(0)
    # 8000 bytes at 1e9 bytes per second are 0.008 ms.
    assert found.share == pytest.approx(0.008 / 2)
    assert found.same_bits
    assert Measurement.from_json(json.loads(json.dumps(found.to_json()))) == found


def test_wrong_results_are_errors() -> None:
    machine = NoGpu()
    work = doubled(machine, 1, 1)
    wrong = dataclasses.replace(work, run=lambda a: a)
    assert "ours: " in runner(machine).measure(wrong, 1000).error
    lying = (*work.peers, Peer("lying", lambda machine, inputs: inputs[0]))
    found = runner(machine).measure(dataclasses.replace(work, peers=lying), 1000)
    assert not found.error and len(found.peers) == 1
    assert len(found.notes) == 1 and found.notes[0].startswith(
        "lying: WrongResult: at 3 elements: lying: "
    )
    alone = runner(machine).measure(dataclasses.replace(work, peers=lying[1:]), 1000)
    assert alone.error.startswith("RuntimeError: no peer ran")


def test_captured_calls_and_many_in_one_time() -> None:
    machine = NoGpu()
    work = dataclasses.replace(doubled(machine, 1.5, 2.0), is_captured=True, calls=4)
    found = runner(machine).measure(work, 1000)
    assert not found.error and "capture" in machine.called
    # A time is that of one call.
    assert found.ours and found.ours.ms == [2.0] * 5
    wrong = dataclasses.replace(work, run=lambda a: a)
    assert "ours: " in runner(machine).measure(wrong, 1000).error


def test_wrong_at_full_size_only() -> None:
    machine = NoGpu()
    work = doubled(machine, 1, 1)
    wrong = dataclasses.replace(work, run=lambda a: 2 * a + (len(a) > 500))
    found = runner(machine).measure(wrong, 1000)
    assert "other: " in found.error and "1000 of 1000" in found.error


def test_time_limit_keeps_three_repetitions() -> None:
    machine = NoGpu()
    limits = {"copy_bytes_per_s": 1.0, "f32_operations_per_s": 1.0}
    found = Runner(machine, limits, repeat=9, seconds=0).measure(doubled(machine, 1, 1), 10)
    assert found.ours and len(found.ours.ms) == 3
    assert found.notes == ["3 repetitions in the time limit"]


def test_small_result_that_is_wrong_stays_wrong() -> None:
    machine = NoGpu()
    work = doubled(machine, 1, 1)
    measures = runner(machine)
    wrong = dataclasses.replace(work, run=lambda a: 2 * a + (len(a) == 3))
    first, second = (measures.measure(wrong, size).error for size in (10, 20))
    assert first == second
    assert "at 3 elements" in first and "3 of 3 elements" in first


def test_fastest_peer_and_named_peer() -> None:
    found = Measurement("w", 1, Times("ours", [2, 2, 2]), [
        Times("slow", [8, 8, 8]), Times("fast", [3, 4, 5]), Times("none", []),
    ])  # fmt: skip
    assert found.ratio() == 2
    assert found.ratio("slow") == 4
    assert found.ratio("none") is None
    # The quartiles of 1.5, 2 and 2.5 are 1.5 and 2.5.
    assert found.spread() == pytest.approx(0.25)


def test_rotated_inputs() -> None:
    machine = object.__new__(gpu.Machine)
    machine.xp = np
    array = np.arange(1000, dtype=np.int32)
    following = machine.rotate([array, 7])
    sets = [following() for _ in range(3)]
    assert all((a == array).all() and b == 7 for a, b in sets)
    places = [a.ctypes.data for a, _ in sets]
    assert {q - p for p, q in itertools.pairwise(places)} == {4096}


# ---------------------------------------------------------------------------------------------
# The command
# ---------------------------------------------------------------------------------------------


def options(out: Path, **changes: Any) -> argparse.Namespace:
    values = {"out": out, "name": "speed", "budget": 100.0, "seconds": 5.0, "repeat": 3}
    return argparse.Namespace(**{**values, **changes})


def test_a_worker_that_ends_is_no_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a GPU each worker ends with an error, which stands in the results."""
    monkeypatch.setitem(sys.modules, "cupy", None)
    jobs = [("scan-i32", 1024, 3), ("julia", 1024, 3)]
    assert speed.Run(options(tmp_path)).run(tmp_path / "none.so", jobs) == 2
    run = json.loads((tmp_path / "speed.json").read_text())
    assert [m["work"] for m in run["measurements"]] == ["scan-i32", "julia"]
    assert all("the process ended with 1" in m["error"] for m in run["measurements"])


def test_no_work_begins_behind_the_budget(tmp_path: Path) -> None:
    run = speed.Run(options(tmp_path, budget=-1.0))
    assert run.run(tmp_path / "none.so", [("julia", 1024, 3)]) == 0
    assert json.loads((tmp_path / "speed.json").read_text())["measurements"] == []


def test_jobs_are_goals_first() -> None:
    given = argparse.Namespace(
        parts=["goals", "charts"], only=["scan-*"], largest=2**26, repeat=11, chart_repeat=5
    )
    jobs = speed.find_jobs(WORKS, given)
    assert jobs[:2] == [("scan-i32", 2**24, 11), ("scan-i32", 2**20, 11)]
    assert ("scan-affine", 2**16, 5) in jobs
    assert not any(name == "scan-i8" for name, _, _ in jobs)
    assert len({job[:2] for job in jobs}) == len(jobs)
    assert max(size for _, size, _ in jobs) == 2**26


def made_up_run() -> dict[str, Any]:
    """A run in which the scan meets its goal at 2^24, misses it at 2^28, and fails at 2^20."""

    def times(size: int, ours: float, peer: float) -> dict[str, Any]:
        return Measurement(
            "scan-i32", size, Times("ours", [ours] * 3), [Times("cub", [peer] * 3)], limit_ms=0.5
        ).to_json()

    return {
        "command": "speed.py", "date": "today", "commit": "abc", "machine": {"device": "a GPU"},
        "limits": {"copy_bytes_per_s": 4e12, "f32_operations_per_s": 6e13},
        "measurements": [
            times(2**24, 1.0, 1.3), times(2**28, 1.0, 1.1), times(2**16, 1.0, 0.25),
            Measurement("scan-i32", 2**20, error="it broke").to_json(),
        ],
    }  # fmt: skip


def test_report() -> None:
    text = report.write_report(
        made_up_run(), {"summary": {"kernels with CUB": 150, "slowest example, s": 0.3}}
    )
    assert "# Speed on a GPU" in text and "4000 GB/s" in text and "60.0 Tflop/s" in text
    lines = [line for line in text.splitlines() if line.startswith("| scan i32")]
    met = "| scan i32 | `scan-i32` | 2^24 | cub | 1.2 | - | 1.3 | 0% | 1 | 1.3 | 50% | yes |"
    assert met in lines
    missed = "| scan i32 | `scan-i32` | 2^28 | cub | 1.2 | - | 1.1 | 0% | 1 | 1.1 | 50% | no |"
    assert missed in lines
    assert any("2^20" in line and line.endswith("| failed |") for line in lines)
    assert any("scan-mapped-i32" in line and line.endswith("| not run |") for line in lines)
    assert "- `scan-i32` of 2^20 failed: it broke" in text
    assert "| compile to PTX | kernels with CUB | - | nvcc -ptx | 100 | - | 150 " in text
    compile_lines = [line for line in text.splitlines() if line.startswith("| compile")]
    assert [line.split(" | ")[-1] for line in compile_lines] == ["not run |", "yes |", "no |"]
    total = len(GOALS) + len(COMPILE_GOALS)
    assert f"2 of {total} goals are met, 2 are not, and {total - 4} are not known." in text
    assert text.count("Not measured") == len(UNMEASURED)


def test_report_of_variants() -> None:
    run = made_up_run()
    assert "Other types" not in report.write_report(run)
    for size, ours in ((2**10, 1.0), (1000, 1.2), (2**20 + 17, 1.3)):
        found = Measurement("scan-f32", size, Times("ours", [ours] * 3), [Times("c", [1.0] * 3)])
        run["measurements"].append(found.to_json())
    text = report.write_report(run)
    line = "| `scan-f32` | 10^3 | `scan-f32` | 2^10 | 0.833 | 1 | 0.833 | yes |"
    assert line in text
    line = "| `scan-f32` | 2^20 + 17 | `scan-f32` | 2^20 | 0.769 | - | - | not known |"
    assert line in text
    assert f"It is for 1 of {len(VARIANTS)}." in text


def test_report_shows_an_earlier_run() -> None:
    text = report.write_report(made_up_run(), before={**made_up_run(), "commit": "old"})
    assert "| scan i32 | `scan-i32` | 2^28 | cub | 1.2 | 1.1 | 1.1 | 0% |" in text
    assert "Before is today, commit old." in text


def test_report_names_a_faster_peer() -> None:
    run = made_up_run()
    peers = [Times("thrust::sort", [3.0] * 3), Times("with scratch memory", [2.0] * 3)]
    found = Measurement("counting-sort-8", 2**25, Times("ours", [1.0] * 3), peers)
    run["measurements"] = [found.to_json()]
    text = report.write_report(run)
    assert "| `counting-sort-8` | 2^25 | thrust::sort | 10 | - | 3 |" in text
    assert "- `counting-sort-8` of 2^25: the fastest peer is with scratch memory, with the" in text


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (2**28, "2^28"),
        (8192**2, "2^26"),
        (10**8, "10^8"),
        (147456 * 512, "75497472"),
        (1000, "10^3"),
        (300**2, "300^2"),
    ],
)
def test_sizes(size: int, text: str) -> None:
    assert report.spell_size(size) == text


def test_chart() -> None:
    text = chart.draw("A < B", {"one": [(2**16, 0.25), (2**28, 4.0)], "two": [(2**20, 1.0)]})
    root = ElementTree.fromstring(text)
    name = "{http://www.w3.org/2000/svg}"
    assert root.find(f"{name}title").text == "A < B"  # type: ignore[union-attr]
    lines = [p.get("d", "") for p in root.iter(f"{name}path") if p.get("fill") == "none"]
    places = [
        [tuple(map(float, place.split(","))) for place in line[1:].split("L")] for line in lines
    ]
    (first, last), (middle,) = places
    # 2^20 is a third of the way, and 1 is half way between 1/4 and 4, as both axes are logarithmic.
    assert middle[0] == pytest.approx(first[0] + (last[0] - first[0]) / 3, abs=0.1)
    assert middle[1] == pytest.approx((first[1] + last[1]) / 2, abs=0.1)
    assert first[1] > last[1]


def test_files_of_a_run_have_no_folders() -> None:
    words = ["--out", "/here", "--only", "scan-*", "--build", "/there", "--repeat", "5"]
    assert speed.spell_command(words) == "benchmarks/speed.py --only 'scan-*' --repeat 5"
    assert json.loads(speed.spell_run(made_up_run())) == made_up_run()
    assert speed.spell_run(made_up_run()).count("\n  {") == 4


def test_render_and_list(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(made_up_run()))
    paths = speed.render(json.loads(path.read_text()), tmp_path, "other", None)
    assert [p.name for p in paths] == ["other.md", "other-scans.svg"]
    command = [sys.executable, str(FOLDER / "speed.py")]
    listed = subprocess.run(
        [*command, "--list", "--only", "julia", "--parts", "goals"], check=False, capture_output=True, text=True
    )
    assert listed.stdout.split() == ["julia", str(8192 * 8192), "11"]
    for wrong, message in (
        (["--only", "nothing"], "no work has a name"),
        (["--repeat", "2"], "needs 3 repetitions"),
        ([], "--out names the folder"),
    ):
        failed = subprocess.run([*command, *wrong], check=False, capture_output=True, text=True)
        assert failed.returncode == 2 and message in failed.stderr


# ---------------------------------------------------------------------------------------------
# Compile time
# ---------------------------------------------------------------------------------------------


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_compile_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = "i=0; while [ $i -lt {} ]; do i=$((i+1)); done"
    ours = script(tmp_path / "obs-translate", work.format(2000))
    theirs = script(tmp_path / "nvcc", work.format(200000))
    out = tmp_path / "out"
    command = ["x", "--obs-translate", ours, "--nvcc", theirs, "--runs", "2", "--out", str(out)]
    monkeypatch.setattr(sys, "argv", [*command, "--only", "saxpy", "reduce", "jacobi"])
    assert compile_time.main() == 0
    found = json.loads((out / "compile-time.json").read_text())
    assert set(found["examples"]) == {"saxpy", "reduce", "jacobi"}
    assert {k["name"]: k["cub"] for k in found["kernels"]} == {"saxpy": False, "reduce": True}
    assert all(k["ratio"] > 3 for k in found["kernels"])
    assert set(found["summary"]) == {goal.name for goal in COMPILE_GOALS}
    assert "| reduce (CUB) |" in (out / "compile-time.md").read_text()
    broken = script(tmp_path / "broken", "echo no >&2; exit 1")
    command[2] = broken
    monkeypatch.setattr(sys, "argv", command)
    assert compile_time.main() == 1


def test_each_kernel_for_nvcc_has_an_example() -> None:
    names = {path.stem for path in (FOLDER / "compile").glob("*.cu")}
    assert names <= {path.stem for path in (FOLDER.parent / "examples").glob("*.mlir")}
    assert {compile_time.uses_cub(p) for p in (FOLDER / "compile").glob("*.cu")} == {True, False}
    for path in (FOLDER / "compile").glob("*.cu"):
        assert re.search(r"__global__ void \w+\(", path.read_text())

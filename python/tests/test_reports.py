"""Reports from texts that are written by hand: no compiler is needed."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest
from contracts import array, extent, launch, pointer, program, scalar

from obsidian import ArgumentError, Diagnostic, Location
from obsidian.costs import SharedArray, read_costs
from obsidian.drawing import draw_shared_memory, lifetimes
from obsidian.formulas import Formula
from obsidian.launches import HostProgram
from obsidian.reports import BarrierReport, CostReport, RaceReport, files_of
from obsidian.timing import BenchReport, seconds_of

#: The beginning of a report, as text.
REPORT = """\
kernel 'f' at a.py:3:5
  threads of a block: 48 logical, 64 launched
  global memory: 4 * arg1.dim0 bytes read, 512 bytes written, 16 bytes by atomic operations
kernel 'g' at ?
  threads of a block: 256 logical, 256 launched
"""


def place(line: int, column: int) -> dict[str, Any]:
    return {"file": "/src/a.py", "line": line, "column": column}


def stored(type: str, level: str, *places: dict[str, Any] | None, **others: Any) -> dict[str, Any]:
    names = ("location", "first", "last")
    return {"type": type, "level": level, **dict(zip(names, places)), **others}


def access(
    kind: str, memory: str, type: str, at: dict[str, Any], bytes: str, **others: Any
) -> dict[str, Any]:
    base = {"kind": kind, "memory": memory, "type": type, "location": at, "bytes": bytes}
    return {**base, "level": None, "requests": "", **others}


LANES = stored("32 x i32", "warp", place(4, 7), place(4, 7), place(6, 7))
DATA: dict[str, Any] = {
    "version": 1,
    "kernels": [
        {
            "name": "f",
            "location": place(3, 5),
            "threads": 48,
            "launchedThreads": 64,
            "registers": {"arrays": 5, "loops": 2},
            "sharedBytes": 768,
            "arrays": [
                *[{**LANES, "registers": 1, "isIndexed": False}] * 12,
                stored("2 x 2 x i32", "thread", None, None, None, registers=4, isIndexed=True),
                stored(
                    "128 x i32", "block", place(4, 7), place(4, 8), place(5, 8), begin=0, end=512
                ),
                stored(
                    "64 x i32", "block", place(5, 7), place(5, 8), place(6, 8), begin=512, end=768
                ),
                stored(
                    "32 x i32", "block", place(6, 7), place(6, 8), place(7, 8), begin=0, end=128
                ),
            ],
            "barriers": {
                "block": 2,
                "warp": 1,
                "executedBlock": "arg1.dim0 + 1",
                "executedWarp": "5",
            },
            "loops": [
                {
                    "iterations": "256",
                    "level": "block",
                    "location": place(4, 8),
                    "items": 4,
                    "operations": {"integer": "at most 1", "float": "2", "index": "6"},
                },
                {
                    "iterations": "1",
                    "level": "warp",
                    "location": place(6, 7),
                    "items": 1,
                    "operations": {},
                },
            ],
            "accesses": [
                access(
                    "read",
                    "global",
                    "4 x f32",
                    place(3, 9),
                    "4 * arg1.dim0",
                    requests="2.67 sectors per request (at most 4)",
                    sectorsPerRequest=8 / 3,
                    sectors="ceil(arg1.dim0 / 12)",
                ),
                access("read", "constant", "i32", place(3, 9), "128"),
                access(
                    "write",
                    "shared",
                    "i32",
                    place(4, 8),
                    "min(arg1.dim0, 9)",
                    requests="bank-conflict degree 8 (4.5 on average)",
                    conflictDegree=8,
                    wavefronts="9",
                    conflicts="7",
                ),
                access(
                    "atomic",
                    "shared",
                    "i32",
                    place(4, 8),
                    "?",
                    requests="bank-conflict degree ?",
                    conflictDegree=None,
                    wavefronts="?",
                    conflicts="?",
                ),
                access(
                    "read",
                    "global",
                    "f32",
                    place(7, 8),
                    "4",
                    level="grid",
                    requests="1 sector per request",
                    sectorsPerRequest=1,
                    sectors="?",
                ),
            ],
            "shuffles": [{"type": "i32", "location": place(6, 7), "lanes": "down 1"}],
            "memory": {
                "global": {"read": "4 * arg1.dim0", "written": "512", "atomic": "16"},
                "shared": {"read": "0", "written": "min(arg1.dim0, 9)", "atomic": "0"},
            },
            "operations": {"float": "2 * arg1.dim0"},
            "virtual": [
                {
                    "operation": "obs.map",
                    "location": place(3, 9),
                    "arrays": 1,
                    "places": 1,
                    "computed": "1 time each element",
                },
                {
                    "operation": "obs.generate",
                    "location": place(3, 9),
                    "arrays": 1,
                    "places": 2,
                    "computed": "2 * arg1.dim0 elements",
                },
            ],
        },
        {
            "name": "g",
            "location": None,
            "threads": 256,
            "launchedThreads": 256,
            "registers": {"arrays": 0, "loops": 0},
            "sharedBytes": 0,
            "arrays": [],
            "barriers": {"block": 0, "warp": 0, "executedBlock": "0", "executedWarp": "0"},
            "loops": [],
            "accesses": [],
            "shuffles": [],
            "memory": {},
            "operations": {},
            "virtual": [],
        },
    ],
}


def at(line: int, column: int, file: str = "/src/a.py") -> Location:
    return Location(file, line, column)


def test_numbers_of_a_kernel() -> None:
    f, g = read_costs(DATA)
    assert (f.name, f.location, f.threads, f.launched_threads) == ("f", at(3, 5), 48, 64)
    assert (f.array_registers, f.loop_registers, f.shared_bytes) == (5, 2, 768)
    assert (f.block_barriers, f.warp_barriers, f.barriers) == (2, 1, 3)
    assert f.executed_block_barriers.evaluate({"arg1.dim0": 4}) == 5
    assert f.executed_warp_barriers == 5
    assert f.memory["global"].read == "4 * arg1.dim0"
    assert f.memory["global"].atomic == 16
    assert f.memory["shared"].atomic == 0
    assert f.operations == {"float": Formula("2 * arg1.dim0")}
    assert (g.name, g.location, g.barriers, g.accesses, g.operations) == ("g", None, 0, [], {})


def test_arrays_of_a_kernel() -> None:
    f, _ = read_costs(DATA)
    assert [(a.begin, a.end, a.type) for a in f.shared] == [
        (0, 512, "128 x i32"),
        (512, 768, "64 x i32"),
        (0, 128, "32 x i32"),
    ]
    assert (f.shared[0].level, f.shared[0].first, f.shared[0].last) == ("block", at(4, 8), at(5, 8))
    lanes, local = f.registers
    assert (lanes.count, lanes.registers, lanes.type, lanes.level) == (12, 1, "32 x i32", "warp")
    assert (local.count, local.registers, local.type) == (1, 4, "2 x 2 x i32")
    assert local.is_indexed
    assert not lanes.is_indexed
    assert local.location is None
    assert local.first is None


def test_accesses_of_a_kernel() -> None:
    f, _ = read_costs(DATA)
    wide, table, banks, atomic, together = f.accesses
    assert (wide.kind, wide.memory, wide.type) == ("read", "global", "4 x f32")
    assert (wide.sectors, wide.conflicts, wide.level) == (8 / 3, None, None)
    assert wide.location == at(3, 9)
    assert (wide.bytes, wide.total_sectors) == ("4 * arg1.dim0", "ceil(arg1.dim0 / 12)")
    assert (table.memory, table.requests, table.bytes) == ("constant", "", 128)
    assert (banks.conflicts, banks.bytes) == (8, "min(arg1.dim0, 9)")
    assert (banks.wavefronts, banks.total_conflicts, banks.total_sectors) == (9, 7, 0)
    assert (atomic.kind, atomic.conflicts, atomic.bytes) == ("atomic", None, "?")
    assert (together.level, together.sectors, together.bytes) == ("grid", 1, 4)
    assert not together.total_sectors.is_known
    assert [(s.type, s.lanes) for s in f.shuffles] == [("i32", "down 1")]
    assert [(loop.iterations, loop.level) for loop in f.loops] == [(256, "block"), (1, "warp")]
    assert [loop.items for loop in f.loops] == [4, 1]
    assert f.loops[0].operations == {
        "integer": Formula("at most 1"),
        "float": Formula("2"),
        "index": Formula("6"),
    }
    assert f.loops[1].operations == {}
    assert [(v.operation, v.places) for v in f.virtual] == [("obs.map", 1), ("obs.generate", 2)]


F = [scalar("k"), pointer("p"), extent("p_extent", "p")]


def cost_report() -> CostReport:
    """f runs on x, then g, then f on the 10 elements of y."""
    contract = program(
        [array("x"), array("y")],
        [
            launch("f", "1", "x", "dim(x, 0)"),
            launch("g"),
            launch("f", "1", "y", "dim(y, 0)"),
        ],
        f=F,
        g=[],
    )
    return CostReport.read(REPORT, DATA, HostProgram(contract, [("n",), ("m",)]), {"m": 10})


def test_cost_report() -> None:
    report = cost_report()
    assert [launch.kernel for launch in report.launches(n=5)] == ["f", "g", "f"]
    assert report.read_bytes(n=1000) == 4 * 1000 + 4 * 10
    assert report.written_bytes(n=1000) == 2 * 512
    assert report.bytes(n=1000) == 4040 + 2 * (512 + 16)
    assert report.bytes("shared", n=4) == 4 + 9
    assert report.bytes("constant", n=4) == 0
    assert (report.barriers, report.shared_bytes) == (3, 768)
    assert report["g"].name == "g"
    assert report.evaluate(report["f"].memory["global"].read, **{"arg1.dim0": 3}) == 12
    with pytest.raises(KeyError):
        report["h"]
    with pytest.raises(ArgumentError, match=r"arg1\.dim0"):
        report.bytes()
    assert report.text == REPORT.rstrip("\n")


def test_report_has_the_names_of_the_program() -> None:
    contract = program([array("x")], [launch("f", "1", "x", "dim(x, 0)")], f=F)
    report = CostReport.read(REPORT, DATA, HostProgram(contract, [("n",)]))
    assert report["f"].memory["global"].read == "4 * n"
    assert report["f"].accesses[0].total_sectors == "ceil(n / 12)"
    assert report["f"].virtual[1].computed == "2 * n elements"
    assert "global memory: 4 * n bytes read" in str(report)
    assert report.read_bytes(n=7) == 28


def test_summary_of_a_report() -> None:
    """Two lines for each kernel, and the sum if all sizes are known."""
    contract = program([array("x")], [launch("f", "1", "x", "dim(x, 0)")], f=F)
    host = HostProgram(contract, [("n",)])
    one = str(CostReport.read(REPORT, DATA, host)).splitlines()
    assert one[0] == (
        "kernel 'f' at a.py:3:5: 64 threads of a block, 768 bytes of shared memory, 3 barriers"
    )
    assert one[1].startswith("  global memory: 4 * n bytes read, 512 bytes written, ")
    other = str(CostReport.read(REPORT, DATA, host, {"n": 1000})).splitlines()
    assert other[1].startswith("  global memory: 4000 bytes read, 512 bytes written, ")
    assert other[-2] == f"all launches: {4000 + 512 + 16} bytes of global memory for n = 1000"
    long = json.loads(json.dumps(DATA))
    long["kernels"][0]["memory"]["global"]["read"] = "at most " + " + ".join(["arg1.dim0"] * 20)
    assert "at most (a formula of n) bytes read" in str(CostReport.read(REPORT, long, host))
    assert len(one) == len(other) - 1


def test_table_of_a_report() -> None:
    text = cost_report()._repr_html_()
    tree = ElementTree.fromstring(f"<r>{text}</r>")
    assert [h.text for h in tree.iter("h4")] == ["kernel f at /src/a.py:3:5", "kernel g at ?"]
    cells = [cell.text for cell in next(tree.iter("table")).iter("td")]
    assert cells == ["48", "7", "768", "2", "1", "4 * arg1.dim0", "512", "16"]


def test_shared_memory_over_time() -> None:
    """The first array ends where the third takes its bytes; the second outlives that."""
    f, g = read_costs(DATA)
    assert lifetimes(f.shared) == [(0, 2), (1, 3), (2, 3)]
    assert draw_shared_memory(g) == ""
    tree = ElementTree.fromstring(draw_shared_memory(f))
    frame, *boxes = list(tree.iter("{http://www.w3.org/2000/svg}rect"))
    assert len(boxes) == 3
    bottom = float(frame.attrib["y"]) + float(frame.attrib["height"])
    scale = float(frame.attrib["height"]) / 768
    for box, (begin, end) in zip(boxes, [(0, 512), (512, 768), (0, 128)]):
        assert float(box.attrib["height"]) == pytest.approx((end - begin) * scale, abs=0.1)
        top = float(box.attrib["y"]) + float(box.attrib["height"])
        assert bottom - top == pytest.approx(begin * scale, abs=0.1)
    assert "128 x i32, bytes 0 to 511, from /src/a.py:4:8 to /src/a.py:5:8" in "".join(
        tree.itertext()
    )


def test_arrays_of_one_place_end_where_their_bytes_are_taken() -> None:
    def shared(begin: int, end: int) -> SharedArray:
        return SharedArray("i32", "block", at(4, 7), at(4, 8), at(4, 8), begin, end)

    assert lifetimes([shared(0, 512), shared(512, 768), shared(600, 640)]) == [
        (0, 3),
        (1, 2),
        (2, 3),
    ]


def message(severity: str, text: str, line: int, *notes: Diagnostic) -> Diagnostic:
    return Diagnostic(severity, text, at(line, 1), notes)


def short(line: int, column: int) -> dict[str, Any]:
    """A place of a reason, whose file has no folder."""
    return {**place(line, column), "file": "a.py"}


def barrier(level: str, line: int, *reasons: dict[str, Any]) -> dict[str, Any]:
    return {"level": level, "location": place(line, 1), "reasons": list(reasons)}


def test_barrier_report() -> None:
    reason = {
        "hazard": "read after write",
        "array": short(4, 7),
        "accesses": [
            {"kind": "written", "location": short(4, 8)},
            {"kind": "read", "location": short(5, 9)},
        ],
        "text": "read after write of the array",
    }
    other = {
        "hazard": "write after read",
        "array": None,
        "accesses": [
            {"kind": "read", "location": short(5, 9)},
            {"kind": "written", "location": None},
        ],
        "text": "write after read of argument 0",
    }
    kernels = [
        {"name": "f", "barriers": [barrier("block", 5, reason), barrier("warp", 6, other)]},
        {"name": "g", "barriers": []},
    ]
    messages = [message("remark", "barrier of a block", 5)]
    report = BarrierReport.read({"kernels": kernels}, messages, {"a.py": "/src/a.py"})
    assert report.kernels == ("f", "g")
    first, second = report
    assert (first.kernel, first.level, first.location) == ("f", "block", at(5, 1))
    (why,) = first.reasons
    assert (why.hazard, why.array) == ("read after write", at(4, 7))
    assert why.accesses == (("written", at(4, 8)), ("read", at(5, 9)))
    assert second.reasons[0].array is None
    assert second.reasons[0].accesses == (("read", at(5, 9)), ("written", None))
    assert report.of("warp") == (second,)
    assert len(report) == 2
    assert "barrier of a block" in str(report)
    assert "read after write" in report._repr_html_()
    empty = BarrierReport.read({"kernels": kernels[1:]}, [])
    assert len(empty) == 0
    assert empty


def test_race_report() -> None:
    note = {"text": "taken to be in bounds", "location": place(4, 1)}
    proof = {"text": "kernel 'f' is proved", "location": place(3, 1), "notes": [note]}
    race = {"text": "[race] read: threads 0 and 1, byte 4", "location": place(5, 1), "notes": []}
    open_ = {"text": "[race-unproved] write", "location": None, "notes": []}
    nothing: dict[str, Any] = {"proofs": [], "races": [], "unproved": []}
    good = RaceReport.read({**nothing, "proofs": [proof]})
    assert good
    assert good.assumptions == (message("note", "taken to be in bounds", 4),)
    bad = RaceReport.read({"proofs": [proof], "races": [race], "unproved": [open_]})
    assert not bad
    assert bad.races == (message("error", "[race] read: threads 0 and 1, byte 4", 5),)
    assert bad.unproved == (Diagnostic("error", "[race-unproved] write"),)
    assert str(bad).startswith("/src/a.py:5:1: error: [race]")
    assert "threads 0 and 1" in bad._repr_html_()
    assert not RaceReport.read({**nothing, "unproved": [open_]})


def test_files_of_a_program() -> None:
    text = '#l1 = loc("/src/a.py":3:4)\n#l2 = loc("/src/b.py":3:4)\n#l3 = loc("/src/a.py":9:9)'
    assert files_of(text) == {"a.py": "/src/a.py", "b.py": "/src/b.py"}


def test_times() -> None:
    report = BenchReport("emulate", (0.5, 0.25, 1.0), 1000)
    assert (report.best, report.median, report.bytes_per_second) == (0.25, 0.5, 2000)
    assert str(report).startswith("500 ms median, 250 ms best of 3 runs on the emulator, not a GPU")
    open_ = BenchReport("cuda", (2e-6,), None)
    assert open_.bytes_per_second is None
    assert str(open_) == "2 µs median, 2 µs best of 1 runs on the GPU"
    assert "5 ns median" in str(BenchReport("cuda", (5e-9,), None))
    calls: list[int] = []
    measured = seconds_of(lambda: calls.append(1), 3)
    assert (len(calls), len(measured)) == (4, 3)
    with pytest.raises(ArgumentError, match="repeat is 0"):
        seconds_of(lambda: None, 0)

"""Reports from texts that are written by hand: no compiler is needed."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest
from contracts import array, extent, launch, pointer, program, scalar

from obsidian import ArgumentError, Diagnostic, Location, ObsidianError
from obsidian.costs import SharedArray, parse_costs
from obsidian.drawing import draw_shared_memory, lifetimes
from obsidian.formulas import Formula
from obsidian.launches import HostProgram
from obsidian.reports import BarrierReport, CostReport, RaceReport, files_of
from obsidian.timing import BenchReport, seconds_of

REPORT = """\
kernel 'f' at a.py:3:5
  threads of a block: 48 logical, 64 launched
  registers of a thread: 5 hold arrays at one time, 2 carry values around loops
    12 times 1: 32 x i32 of a warp at a.py:4:7, alive from a.py:4:7 to a.py:6:7
    4: 2 x 2 x i32 of a thread at ?, in local memory unless its indices become constants
  shared memory of a block: 768 bytes
    0 to 511: 128 x i32 of a block at a.py:4:7, alive from a.py:4:8 to a.py:5:8
    512 to 767: 64 x i32 of a block at a.py:5:7, alive from a.py:5:8 to a.py:6:8
    0 to 127: 32 x i32 of a block at a.py:6:7, alive from a.py:6:8 to a.py:7:8
  obs.scan at a.py:4:7 takes 1060 bytes of shared memory and 2 registers of a thread
  barriers: 2 of a block, 1 of a warp; executed for each part of the grid: arg1.dim0 + 1 and 5
  loops over threads and accesses:
    256 iterations in a block at a.py:4:8, each at most 1 integer, 2 float and 6 index operations
      read global 4 x f32 at a.py:3:9, 2.67 sectors per request (at most 4), 4 * arg1.dim0 bytes
      read constant i32 at a.py:3:9, 128 bytes
      write shared i32 at a.py:4:8, bank-conflict degree 8 (4.5 on average), min(arg1.dim0, 9) bytes
      atomic shared i32 at a.py:4:8, bank-conflict degree ?, ? bytes
      read global f32 at a.py:5:9, no requests inside of large arrays, 0 bytes
      write global f32 at a.py:5:9, 8 sectors per request inside of large arrays, 512 bytes
      shuffle i32 at a.py:6:7, lanes: down 1
    1 iteration in a warp at a.py:6:7, each no operations
    read global f32 at a.py:7:8 by all threads of a grid, 1 sector per request, 4 bytes
  global memory: 4 * arg1.dim0 bytes read, 512 bytes written, 16 bytes by atomic operations
  shared memory: 0 bytes read, min(arg1.dim0, 9) bytes written
  in loops over threads: 2 * arg1.dim0 float operations
  virtual arrays computed:
    obs.map at a.py:3:9, in 1 place: 1 time each element
    obs.generate at a.py:3:9, in 2 places: 2 * arg1.dim0 elements
kernel 'g' at ?
  threads of a block: 256 logical, 256 launched
  registers of a thread: 0 hold arrays at one time, 0 carry values around loops
  shared memory of a block: 0 bytes
  barriers: 0 of a block, 0 of a warp
  loops over threads and accesses:
    none
  in loops over threads: no operations
"""


def at(line: int, column: int, file: str = "/src/a.py") -> Location:
    return Location(file, line, column)


def test_numbers_of_a_kernel() -> None:
    f, g = parse_costs(REPORT, {"a.py": "/src/a.py"})
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
    f, _ = parse_costs(REPORT, {"a.py": "/src/a.py"})
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
    f, _ = parse_costs(REPORT)
    wide, table, banks, atomic, never, inside, together = f.accesses
    assert (wide.kind, wide.memory, wide.type) == ("read", "global", "4 x f32")
    assert (wide.sectors, wide.conflicts, wide.level) == (2.67, None, None)
    assert wide.location == at(3, 9, "a.py")
    assert wide.bytes == "4 * arg1.dim0"
    assert (table.memory, table.requests, table.bytes) == ("constant", "", 128)
    assert (banks.conflicts, banks.bytes) == (8, "min(arg1.dim0, 9)")
    assert (atomic.kind, atomic.conflicts, atomic.bytes) == ("atomic", None, "?")
    assert (never.sectors, never.requests) == (None, "no requests inside of large arrays")
    assert (inside.sectors, inside.bytes) == (8, 512)
    assert (together.level, together.sectors, together.bytes) == ("grid", 1, 4)
    assert [(s.type, s.lanes) for s in f.shuffles] == [("i32", "down 1")]
    assert [(loop.iterations, loop.level) for loop in f.loops] == [(256, "block"), (1, "warp")]
    assert f.loops[0].operations == {
        "integer": Formula("at most 1"),
        "float": Formula("2"),
        "index": Formula("6"),
    }
    assert f.loops[1].operations == {}
    assert [(v.operation, v.places) for v in f.virtual] == [("obs.map", 1), ("obs.generate", 2)]


@pytest.mark.parametrize("text", ["hello", "kernel 'f' at a.py:1:1\n  nothing known"])
def test_line_that_is_not_known(text: str) -> None:
    with pytest.raises(ObsidianError, match="line that is not known"):
        parse_costs(text)


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
    return CostReport.parse(REPORT, HostProgram(contract, [("n",), ("m",)]), {"m": 10})


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
    assert str(report) == REPORT.rstrip("\n")


def test_report_has_the_names_of_the_program() -> None:
    contract = program([array("x")], [launch("f", "1", "x", "dim(x, 0)")], f=F)
    report = CostReport.parse(REPORT, HostProgram(contract, [("n",)]))
    assert report["f"].memory["global"].read == "4 * n"
    assert "global memory: 4 * n bytes read" in str(report)
    assert report.read_bytes(n=7) == 28


def test_table_of_a_report() -> None:
    text = cost_report()._repr_html_()
    tree = ElementTree.fromstring(f"<r>{text}</r>")
    assert [h.text for h in tree.iter("h4")] == ["kernel f at a.py:3:5", "kernel g at ?"]
    cells = [cell.text for cell in next(tree.iter("table")).iter("td")]
    assert cells == ["48", "7", "768", "2", "1", "4 * arg1.dim0", "512", "16"]


def test_shared_memory_over_time() -> None:
    """The first array ends where the third takes its bytes; the second outlives that."""
    f, g = parse_costs(REPORT)
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
    assert "128 x i32, bytes 0 to 511, from a.py:4:8 to a.py:5:8" in "".join(tree.itertext())


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


def test_barrier_report() -> None:
    reason = "read after write of the array at a.py:4:7, written at a.py:4:8, read at a.py:5:9"
    other = "write after read of argument 0, read at a.py:5:9, written at a.py:6:1"
    messages = [
        message("remark", "barrier of a block", 5, message("note", reason, 5)),
        message("remark", "barrier of a warp", 6, message("note", other, 6)),
        message("remark", "kernel 'f': 1 barrier of a block, 1 barrier of a warp", 1),
        message("remark", "kernel 'g': no barrier", 1),
    ]
    report = BarrierReport.parse(messages, {"a.py": "/src/a.py"})
    assert report.kernels == ("f", "g")
    first, second = report
    assert (first.kernel, first.level, first.location) == ("f", "block", at(5, 1))
    (why,) = first.reasons
    assert (why.hazard, why.array) == ("read after write", at(4, 7))
    assert why.accesses == (("written", at(4, 8)), ("read", at(5, 9)))
    assert second.reasons[0].array is None
    assert second.reasons[0].accesses == (("read", at(5, 9)), ("written", at(6, 1)))
    assert report.of("warp") == (second,)
    assert len(report) == 2
    assert "barrier of a block" in str(report)
    assert "read after write" in report._repr_html_()
    empty = BarrierReport.parse(messages[3:])
    assert len(empty) == 0
    assert empty


def test_reason_that_is_not_known() -> None:
    barrier = message("remark", "barrier of a block", 5, message("note", "the moon", 5))
    kernel = message("remark", "kernel 'f': 1 barrier of a block", 1)
    (only,) = BarrierReport.parse([barrier, kernel])
    assert (only.reasons[0].hazard, only.reasons[0].accesses) == ("the moon", ())


def test_race_report() -> None:
    note = message("note", "taken to be in bounds", 4)
    proof = message("remark", "kernel 'f' is proved free of races", 3, note)
    race = message("error", "[race] read of shared memory ...: threads 0 and 1, byte 4", 5)
    open_ = message("error", "[race-unproved] write of global memory", 6)
    good = RaceReport.parse([proof])
    assert good
    assert good.assumptions == (note,)
    bad = RaceReport.parse([proof, race, open_])
    assert not bad
    assert (bad.races, bad.unproved, bad.proofs) == ((race,), (open_,), (proof,))
    assert str(bad).startswith("/src/a.py:5:1: error: [race]")
    assert "threads 0 and 1" in bad._repr_html_()
    assert not RaceReport.parse([open_])


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

"""Programs that are written to a folder, to be run later or on another machine.

In: groups of programs. Out: a folder for each, with the program, its PTX, its inputs and the results that
Python computes; and of such a folder, read again, the results that differ on a device.
"""

from __future__ import annotations

import functools
import json
import os
import pathlib
from typing import Any

from fuzzing.compare import difference, message, run_program
from fuzzing.program import Group
from fuzzing.report import Tally, in_order
from fuzzing.runner import Limits, execute, judge, label
from fuzzing.tester import Tester, typed_results
from fuzzing.values import from_bytes, to_bytes

MANIFEST = "manifest.json"
Entry = dict[str, Any]  # of a group in the manifest


def write_group(tester: Tester, group: Group, folder: pathlib.Path) -> Entry | None:
    """The entry in the manifest; none if a program of the group is refused."""
    name = f"group{group.programs[0].number}"
    part = folder / name
    part.mkdir(parents=True, exist_ok=True)
    inputs = [f"{name}/" + argument.rsplit("/", 1)[1] for argument in group.write_inputs(part)]
    (part / "program.mlir").write_text(group.module(group.programs))
    results: list[dict[str, Any]] = []
    for program in group.programs:
        for x, (type, values) in zip(program.results, typed_results(group, program)):
            path = part / f"want{len(results)}.bin"
            path.write_bytes(to_bytes(values, type))
            results.append(
                {"file": f"{name}/{path.name}", "type": type, "extents": x.shape, "program": program.title}
            )
    source, ptx = part / "program.mlir", part / "program.ptx"
    if tester.run(["obs-translate", "--obs-to-ptx", str(source), "-o", str(ptx)]).code:
        return None
    return {
        "program": f"{name}/program.mlir",
        "ptx": f"{name}/program.ptx",
        "entry": "main",
        "arguments": inputs,
        "results": results,
        "programs": [program.title for program in group.programs],
        "threads": group.threads,
        "blocks": group.blocks,
    }


def write_manifest(folder: pathlib.Path, seed: int, programs: int, entries: list[Entry]) -> None:
    manifest = {"seed": seed, "programs": programs, "groups": entries}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")


def run_group(
    tester: Tester, folder: pathlib.Path, entry: Entry, device: str, ptxas: str | None
) -> tuple[bool, list[str]]:
    """True if the group is refused for this launch, and its problems. With `ptxas` the PTX is assembled, too."""
    problems = []
    ptx = folder / entry["ptx"]
    if ptxas:
        done = execute([ptxas, "-arch=sm_90", str(ptx), "-o", os.devnull], Limits(600))
        if done.code:
            problems.append(f"{ptx}: {message(done)[:400]}")
    path = folder / entry["program"]
    launch = [f"--device={device}"]
    if device != "interpret":
        launch.append(f"--threads={entry['threads']}")
    inputs = [str(folder / argument) for argument in entry["arguments"]]
    types = [result["type"] for result in entry["results"]]
    found, done = run_program(tester.tool("obs-run"), path, inputs, types, launch)
    if done.code and (reason := label(judge(done))):
        tester.reasons[reason] += len(entry["programs"])
        return True, problems
    if done.code:
        return False, [*problems, f"{path}: {message(done)[:400]}"]
    for got, result in zip(found, entry["results"]):
        problem = difference(got, from_bytes((folder / result["file"]).read_bytes(), result["type"]))
        if problem:
            problems.append(f"{path}, {result['program']}, {result['file']} {problem}")
    return False, problems


def run_saved(tester: Tester, folder: pathlib.Path, device: str, ptxas: str | None, jobs: int) -> int:
    """Runs all groups of a folder and returns the exit code."""
    entries = json.loads((folder / MANIFEST).read_text())["groups"]
    tally = Tally(1000)
    work = functools.partial(run_group, tester, folder, device=device, ptxas=ptxas)
    for entry, (is_refused, problems) in in_order(work, entries, jobs):
        tally.refused += is_refused * len(entry["programs"])
        tally.failures += len(problems)
        tally.add(len(entry["programs"]))
        for problem in problems:
            print(problem, flush=True)
    return tally.finish_with_refusals(tester.reasons)

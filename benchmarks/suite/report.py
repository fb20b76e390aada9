"""The Markdown table of a run.

In: the JSON of a run, and the goals. Out: text.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from .goals import COMPILE_GOALS, GOALS, KEPT, UNMEASURED, VARIANTS, CompileGoal, Goal, Variant
from .measure import Measurement

#: The seconds of a first call (compiler, and assembler of the driver) from which it is told.
LONG = 2.0
HEAD = ("row", "work", "elements", "peer", "goal", "before", "ratio", "spread", "ours, ms",
        "peer, ms", "of the limit", "met")  # fmt: skip
VARIANT_HEAD = ("work", "elements", "usual work", "elements", "ratio", "usual ratio", "kept", "met")


def spell_size(size: int) -> str:
    """A number of elements as a power, a square or a number."""
    if size & (size - 1) == 0:
        return f"2^{size.bit_length() - 1}"
    for power in range(16, 31):
        if 0 < abs(size - 2**power) < 100:
            return f"2^{power} {'+' if size > 2**power else '-'} {abs(size - 2**power)}"
    power = round(math.log10(size))
    if 10**power == size:
        return f"10^{power}"
    root = math.isqrt(size)
    return f"{root}^2" if root * root == size else str(size)


def _number(value: float | None, digits: int = 3) -> str:
    if value is None:
        return "-"
    return f"{value:.{digits}g}" if value < 1000 else f"{value:.0f}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.0f}%"


def by_goal(run: Mapping[str, Any]) -> dict[tuple[str, int], Measurement]:
    """The measurements of a run by work and size."""
    found = [Measurement.from_json(value) for value in run["measurements"]]
    return {(m.work, m.size): m for m in found}


def judge(goal: Goal, found: Measurement | None) -> str:
    """`yes`, `no`, or why it is not known."""
    if found is None:
        return "not run"
    if found.error:
        return "failed"
    ratio = found.ratio(goal.peer)
    if ratio is None:
        return "no peer"
    return "yes" if ratio >= goal.goal else "no"


def _line(goal: Goal, found: Measurement | None, before: Measurement | None) -> list[str]:
    start = [goal.row, f"`{goal.work}`", spell_size(goal.size)]
    old = _number(before.ratio(goal.peer)) if before and not before.error else "-"
    peer = found.peer(goal.peer) if found and not found.error else None
    if found is None or found.ours is None or peer is None:
        unknown = ["-"] * 5
        return [*start, goal.peer or "-", _number(goal.goal), old, *unknown, judge(goal, found)]
    return [
        *start, peer.title, _number(goal.goal), old, _number(found.ratio(goal.peer)),
        _percent(found.spread(goal.peer)), _number(found.ours.median, 4), _number(peer.median, 4),
        _percent(found.share), judge(goal, found),
    ]  # fmt: skip


def _compile_line(goal: CompileGoal, times: Mapping[str, Any]) -> list[str]:
    value = times.get("summary", {}).get(goal.name)
    peer = "-" if goal.is_time else "nvcc -ptx"
    verdict = "not run"
    if value is not None:
        verdict = "yes" if (value <= goal.goal if goal.is_time else value >= goal.goal) else "no"
    numbers = [_number(goal.goal), "-", _number(value)]
    return [goal.row, goal.name, "-", peer, *numbers, *["-"] * 4, verdict]


def _variant_line(variant: Variant, found: Mapping[tuple[str, int], Measurement]) -> list[str]:
    places = (variant.work, variant.size), (variant.usual, variant.usual_size)
    ratios = [found[p].ratio() if p in found and not found[p].error else None for p in places]
    names = [text for work, size in places for text in (f"`{work}`", spell_size(size))]
    ratio, usual = ratios
    if ratio is None or usual is None:
        return [*names, _number(ratio), _number(usual), "-", "not known"]
    verdict = "yes" if ratio >= KEPT * usual else "no"
    return [*names, _number(ratio), _number(usual), _number(ratio / usual), verdict]


def _table(head: Sequence[str], lines: list[list[str]]) -> str:
    rows = [list(head), ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows) + "\n"


def write_report(
    run: Mapping[str, Any],
    compile_times: Mapping[str, Any] | None = None,
    before: Mapping[str, Any] | None = None,
) -> str:
    """The Markdown text of a run.

    `compile_times` is the JSON of compile_time.py, and `before` that of an earlier run.
    """
    found = by_goal(run)
    old = by_goal(before) if before else {}
    lines = [
        _line(goal, found.get((goal.work, goal.size)), old.get((goal.work, goal.size)))
        for goal in GOALS
    ]
    lines += [_compile_line(goal, compile_times or {}) for goal in COMPILE_GOALS]
    verdicts = [line[-1] for line in lines]
    machine, limits = run["machine"], run["limits"]
    text = [
        f"# Speed on {machine.get('device', 'no GPU')}",
        "",
        f"`{run['command']}`, {run['date']}, commit {run['commit']}.",
    ]
    if limits:
        text.append(
            f"In this run a copy moved {limits['copy_bytes_per_s'] / 1e9:.0f} GB/s, read plus "
            f"written, and FMAs did {limits['f32_operations_per_s'] / 1e12:.1f} Tflop/s."
        )
    text += [
        "",
        "A ratio is the median time of the peer divided by ours: above 1 we are faster. The spread "
        "is half the distance of the quartiles of the ratios of single repetitions. The limit is "
        "the copy rate or the rate of FMAs, whichever takes longer."
        + (f" Before is {before['date']}, commit {before['commit']}." if before else ""),
        "",
        _table(HEAD, lines),
        (f"{verdicts.count('yes')} of {len(lines)} goals are met, {verdicts.count('no')} are not, "
        f"and {len(lines) - verdicts.count('yes') - verdicts.count('no')} are not known."),
        "",
    ]
    for goal in GOALS:
        measurement = found.get((goal.work, goal.size))
        if measurement and goal.peer and not measurement.error:
            own, best = measurement.ratio(goal.peer), measurement.ratio()
            fastest = measurement.peer()
            if own and best and fastest and best < 0.98 * own:
                text.append(
                    f"- `{goal.work}` of {spell_size(goal.size)}: the fastest peer is "
                    f"{fastest.title}, with the ratio {_number(best)}."
                )
    variants = [_variant_line(variant, found) for variant in VARIANTS]
    if any(line[-1] != "not known" for line in variants):
        kept = [line[-1] for line in variants].count("yes")
        text += [
            "",
            "## Other types and sizes",
            "",
            (f"The ratio is to be at least {KEPT:g} of that of the usual type and size. It is for "
            f"{kept} of {len(variants)}."),
            "",
            _table(VARIANT_HEAD, variants),
            "## Notes",
            "",
        ]
    for problem in UNMEASURED:
        text.append(f"- Not measured: {problem.row}, {problem.what}: {problem.reason}.")
    for measurement in found.values():
        place = f"`{measurement.work}` of {spell_size(measurement.size)}"
        if measurement.error:
            text.append(f"- {place} failed: {measurement.error}")
        text += [f"- {place}: {note}" for note in measurement.notes]
        if measurement.first_s > LONG:
            text.append(f"- {place}: the first call took {measurement.first_s:.1f} s.")
    return "\n".join(text) + "\n"

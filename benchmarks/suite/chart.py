"""Charts of ratios over sizes, as SVG.

In: for each work the ratios at some sizes. Out: the text of one picture. Both axes are logarithmic.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 70, 200, 40, 50
#: Colours that differ also for readers who are colour-blind, each with a mark of its own.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#999999")
MARKS = (
    "M-4,-4h8v8h-8z",
    "M0,-5L5,4H-5z",
    "M-5,0a5,5 0 1 0 10,0a5,5 0 1 0 -10,0z",
    "M0,-6L5,0L0,6L-5,0z",
)

Points = Sequence[tuple[int, float]]


def _ticks(low: float, high: float) -> list[float]:
    """At least three numbers, if there are so many, and few where the range is large."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks: list[float] = []
    for steps in ((1.0,), (1, 2, 5), (1, 1.5, 2, 3, 5, 7)):
        every = [step * 10.0**power for power in powers for step in steps]
        ticks = [value for value in every if low <= value <= high]
        if len(ticks) >= 4:
            break
    return ticks


def draw(title: str, lines: Mapping[str, Points]) -> str:
    """The chart of some lines; a line has sizes and ratios. The line of ratio 1 is thick."""
    sizes = [size for points in lines.values() for size, _ in points]
    ratios = [ratio for points in lines.values() for _, ratio in points] + [1.0]
    first, last = math.log2(min(sizes)), max(math.log2(max(sizes)), math.log2(min(sizes)) + 1)
    low, high = min(ratios) / 1.2, max(ratios) * 1.2

    def across(size: float) -> float:
        return LEFT + (math.log2(size) - first) / (last - first) * (WIDTH - LEFT - RIGHT)

    def up(ratio: float) -> float:
        part = math.log(ratio / low) / math.log(high / low)
        return HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM)

    out = [
        (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="12">'),
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="22" font-size="15">{escape(title)}</text>',
        (f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">'
        "elements</text>"),
    ]
    for ratio in _ticks(low, high):
        is_one = abs(ratio - 1) < 1e-9
        style = 'stroke="#444" stroke-width="2"' if is_one else 'stroke="#ddd"'
        y = f"{up(ratio):.1f}"
        out.append(f'<path d="M{LEFT},{y}H{WIDTH - RIGHT}" {style}/>')
        out.append(f'<text x="{LEFT - 6}" y="{y}" dy="4" text-anchor="end">{ratio:g}</text>')
    for power in range(math.ceil(first), math.floor(last) + 1, 2 if last - first > 4 else 1):
        x = f"{across(2.0**power):.1f}"
        out.append(f'<path d="M{x},{HEIGHT - BOTTOM}v5" stroke="#444"/>')
        out.append(
            f'<text x="{x}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">2^{power}</text>'
        )
    for number, (name, points) in enumerate(lines.items()):
        out += _line(number, name, [(across(size), up(ratio)) for size, ratio in points])
    return "\n".join([*out, "</svg>", ""])


def _line(number: int, name: str, places: Sequence[tuple[float, float]]) -> list[str]:
    colour, mark = COLOURS[number % len(COLOURS)], MARKS[number % len(MARKS)]
    dash = ' stroke-dasharray="6 3"' if number >= len(MARKS) else ""
    path = "L".join(f"{x:.1f},{y:.1f}" for x, y in places)
    out = [f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>']
    legend = WIDTH - RIGHT + 20, TOP + 10 + 20 * number
    for x, y in [*places, legend]:
        out.append(f'<path transform="translate({x:.1f},{y:.1f})" d="{mark}" fill="{colour}"/>')
    out.append(f'<text x="{legend[0] + 12}" y="{legend[1] + 4}">{escape(name)}</text>')
    return out

"""Pictures and tables of cost reports, for notebooks.

In: kernels of a cost report. Out: an HTML table, and an SVG of the shared memory over time. Time
goes to the right, in steps. In each step an array begins. It ends when a later array uses its
bytes, or at the location of its last use in the source.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

from .costs import KernelCost, SharedArray, Traffic
from .formulas import Formula
from .locations import Location

_STEP, _HEIGHT, _MARGIN = 72, 240, 56
_COLOURS = ("#4477aa", "#66ccee", "#228833", "#ccbb44", "#ee6677", "#aa3377")


def _position(place: Location | None) -> tuple[str, int, int]:
    return (place.file, place.line, place.column) if place else ("", 0, 0)


def lifetimes(arrays: Sequence[SharedArray]) -> list[tuple[int, int]]:
    """For each array, the first step in which it is live, and the first step after its last use.

    The report has arrays in the order of the code that makes them. An array that a loop uses again
    may live longer than the steps say.
    """
    found = []
    for number, array in enumerate(arrays):
        end = number + 1
        for later in range(number + 1, len(arrays)):
            other = arrays[later]
            if other.begin < array.end and array.begin < other.end:
                break
            if _position(other.first) <= _position(array.last):
                end = later + 1
        found.append((number, end))
    return found


def draw_shared_memory(kernel: KernelCost) -> str:
    """The SVG of the shared memory of a block; an empty text if there is none.

    Bytes go from the bottom to the top. An array shows its type, bytes and places as a tooltip.
    """
    if not kernel.shared or not kernel.shared_bytes:
        return ""
    width = _MARGIN + _STEP * len(kernel.shared) + 8
    scale = _HEIGHT / kernel.shared_bytes
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_HEIGHT + 32}" '
            'font-family="sans-serif" font-size="11">'
        ),
        f"<title>Shared memory of a block of {html.escape(kernel.name)}</title>",
        f'<text x="{_MARGIN - 6}" y="16" text-anchor="end">{kernel.shared_bytes} B</text>',
        f'<text x="{_MARGIN - 6}" y="{_HEIGHT + 8}" text-anchor="end">0 B</text>',
        (
            f'<rect x="{_MARGIN}" y="8" width="{width - _MARGIN - 8}" height="{_HEIGHT}" '
            'fill="none" stroke="#888"/>'
        ),
    ]
    for number, (array, (begin, end)) in enumerate(zip(kernel.shared, lifetimes(kernel.shared))):
        x, y = _MARGIN + begin * _STEP, 8 + _HEIGHT - array.end * scale
        high = (array.end - array.begin) * scale
        text = (
            f"{array.type}, bytes {array.begin} to {array.end - 1}, "
            f"from {array.first or '?'} to {array.last or '?'}"
        )
        parts += [
            (
                f'<rect x="{x}" y="{y:.1f}" width="{(end - begin) * _STEP}" height="{high:.1f}" '
                f'fill="{_COLOURS[number % len(_COLOURS)]}" fill-opacity="0.7" stroke="#222">'
                f"<title>{html.escape(text)}</title></rect>"
            ),
        ]
        if high >= 12:
            middle = y + high / 2 + 4
            parts.append(f'<text x="{x + 4}" y="{middle:.1f}">{html.escape(array.type)}</text>')
    parts.append(f'<text x="{_MARGIN}" y="{_HEIGHT + 26}">time</text></svg>')
    return "".join(parts)


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """An HTML table of texts."""
    lines = ["<table><tr>", *(f"<th>{html.escape(word)}</th>" for word in head), "</tr>"]
    for row in rows:
        lines += ["<tr>", *(f"<td>{html.escape(str(cell))}</td>" for cell in row), "</tr>"]
    return "".join([*lines, "</table>"])


def _short(place: Location | None) -> str:
    return f"line {place.line}" if place else "?"


def draw_kernel(kernel: KernelCost) -> str:
    """The HTML of one kernel: its numbers, its accesses, and the picture of its shared memory."""
    nothing = Traffic(Formula("0"), Formula("0"), Formula("0"))
    memory = kernel.memory.get("global", nothing)
    head = ("threads", "registers", "shared bytes", "block barriers", "warp barriers")
    numbers = table(
        (*head, "global bytes read", "written", "by atomics"),
        [
            (
                kernel.threads,
                kernel.array_registers + kernel.loop_registers,
                kernel.shared_bytes,
                kernel.block_barriers,
                kernel.warp_barriers,
                memory.read,
                memory.written,
                memory.atomic,
            )
        ],
    )
    accesses = table(
        ("access", "memory", "type", "place", "requests of a warp", "bytes"),
        (
            (a.kind, a.memory, a.type, _short(a.location), a.requests, a.bytes)
            for a in kernel.accesses
        ),
    )
    title = f"<h4>kernel {html.escape(kernel.name)} at {html.escape(str(kernel.location or '?'))}"
    return f"{title}</h4>{numbers}{accesses}{draw_shared_memory(kernel)}"

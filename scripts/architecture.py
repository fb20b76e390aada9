#!/usr/bin/env python3
"""Draws the libraries and tools of this project, from the build files.

  scripts/architecture.py            exits with 1 if docs/images/architecture.svg is out of date
  scripts/architecture.py --update   writes it

Reads the CMakeLists.txt of lib/ and tools/. A box is a library or a tool. A line goes down from a
library or tool to a library that it links. Lines that follow from others are omitted. Without
--update, the tables of docs/Architecture.md must also name the folder of each library and tool, and
no other folder.
"""

import argparse
import collections
import html
import itertools
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = "docs/Architecture.md"
PICTURE = "docs/images/architecture.svg"
TITLE = "The libraries and tools of Obsidian"

# A comment, a quoted word, a bracket, or any other word of a build file.
TOKEN = re.compile(r'#[^\n]*|"(?:\\.|[^"\\])*"|[()]|[^\s()#"]+')
TARGETS = ("add_obs_library", "add_obs_tool", "add_library")
# The words that begin other lists than LINK_LIBS.
OTHER_LISTS = {"MLIR_LIBS", "LLVM_COMPONENTS", "DEPENDS"}

# In units of the picture.
MARGIN, GAP, BOX, ROW = 20, 14, 38, 86
FILL = {"lib": "#dbe9f6", "tools": "#fde9c9"}


def commands(text):
    """The commands of a build file: the name and the words of each."""
    tokens = [token for token in TOKEN.findall(text) if not token.startswith("#")]
    found, depth = [], 0
    for before, token in zip(["", *tokens], tokens):
        depth += (token == "(") - (token == ")")
        if token == "(" and depth == 1:
            found.append((before, []))
        elif depth:
            found[-1][1].append(token.strip('"'))
    return found


def words_of_link_libs(words):
    """The words of a command that LINK_LIBS begins."""
    kept, is_inside = [], False
    for word in words:
        is_inside = word == "LINK_LIBS" or (is_inside and word not in OTHER_LISTS)
        kept += [word] if is_inside else []
    return kept


def read_targets(root):
    """The libraries of this project that each library and tool links, and the folder of each."""
    links, folders = {}, {}
    for path in sorted(p for part in FILL for p in root.glob(f"{part}/**/CMakeLists.txt")):
        for command, words in commands(path.read_text()):
            if command in TARGETS:
                links[words[0]] = words_of_link_libs(words)
                folders[words[0]] = path.parent.relative_to(root).as_posix()
            elif command == "target_link_libraries":
                links[words[0]] += words[1:]
    # Other names are libraries of upstream or of the system.
    return {
        name: {word for word in words if word in links} for name, words in links.items()
    }, folders


def reduce(links):
    """The fewest lines that say the same."""

    def below(name):
        return set().union(*({to} | below(to) for to in links[name]))

    return {
        name: sorted(
            to for to in below(name) if not any(to in below(other) for other in links[name])
        )
        for name in links
    }


def find_rows(links):
    """The row of each target, from the top: below everything that links it."""
    users = {name: [user for user in links if name in links[user]] for name in links}

    def row(name):
        return 1 + max(map(row, users[name]), default=-1)

    return {name: row(name) for name in links}


class Layout:
    """The positions of boxes and lines. A node is a target, or a point of a long line."""

    def __init__(self, links, folders):
        # Letters are 6.8 wide, and those of folders 5.
        self.widths = {name: 16 + max(6.8 * len(name), 5 * len(folders[name])) for name in links}
        rows = find_rows(links)
        self.rows = [[] for _ in range(1 + max(rows.values()))]
        self.neighbours = collections.defaultdict(list)
        self.lines = []
        for name in sorted(links):
            self.rows[rows[name]].append(name)
        for name in sorted(links):
            for to in links[name]:
                points = [(name, to, row) for row in range(rows[name] + 1, rows[to])]
                for point in points:
                    self.rows[point[2]].append(point)
                line = [name, *points, to]
                self.lines.append(line)
                for upper, lower in itertools.pairwise(line):
                    self.neighbours[upper, 1].append(lower)
                    self.neighbours[lower, -1].append(upper)
        self.sort()
        self.place()

    def width(self, node):
        return self.widths.get(node, 0)

    def sweep(self, move):
        """Calls `move` for each row, from the top and from the bottom in turn, and says which."""
        for turn in range(40):
            side = 1 if turn % 2 else -1
            for row in self.rows[::-side]:
                move(row, side)

    def sort(self):
        """Orders each row by the middles of the neighbours beside it, so that few lines cross."""

        def move(row, side):
            at = {node: k / len(other) for other in self.rows for k, node in enumerate(other)}

            def middle(node):
                near = [at[other] for other in self.neighbours[node, side]]
                return sum(near) / len(near) if near else at[node]

            row.sort(key=middle)

        self.sweep(move)

    def place(self):
        """Puts each node as near to the middle of its neighbours as its row allows."""
        self.x = {}
        for row in self.rows:
            left = 0.0
            for node in row:
                self.x[node] = left + self.width(node) / 2
                left += self.width(node) + GAP

        def move(row, side):
            # Nodes that touch are a group: the shifts that they would like, against a full row.
            offset, offsets, groups = 0.0, [], []
            for node in row:
                near = [self.x[n] for n in self.neighbours[node, side]] or [self.x[node]]
                offsets.append(offset + self.width(node) / 2)
                offset += self.width(node) + GAP
                groups.append([sum(near) / len(near) - offsets[-1]])
                while len(groups) > 1 and mean(groups[-2]) >= mean(groups[-1]):
                    last = groups.pop()
                    groups[-1] += last
            shifts = [mean(group) for group in groups for _ in group]
            self.x.update((node, at + shift) for node, at, shift in zip(row, offsets, shifts))

        self.sweep(move)
        left = min(self.x[node] - self.width(node) / 2 for node in self.x)
        self.x = {node: x - left + MARGIN for node, x in self.x.items()}


def mean(numbers):
    return sum(numbers) / len(numbers)


def curve(points):
    """A smooth line down through points."""
    (x, y), *others = points
    text = f"M{x:.0f},{y}"
    for to, below in others:
        half = (y + below) // 2
        text += f"C{x:.0f},{half} {to:.0f},{half} {to:.0f},{below}"
        x, y = to, below
    return text


def draw(links, folders):
    """The picture."""
    layout = Layout(reduce(links), folders)
    top = {node: MARGIN + 24 + ROW * k for k, row in enumerate(layout.rows) for node in row}
    right = max(x + layout.width(node) / 2 for node, x in layout.x.items())
    width, height = round(right) + MARGIN, max(top.values()) + BOX + MARGIN
    out = [
        (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
         'font-family="sans-serif" font-size="12" text-anchor="middle">'),
        "<!-- Written by scripts/architecture.py. -->",
        f"<title>{TITLE}</title>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
        (f'<text x="{MARGIN}" y="26" font-size="15" text-anchor="start">{TITLE}: a line goes down '
         "from what links to what is linked</text>"),
        '<g fill="none" stroke="#667788">',
    ]
    for line in layout.lines:
        first, *points, last = line
        passed = [(layout.x[node], y) for node in points for y in (top[node], top[node] + BOX)]
        ends = [(layout.x[first], top[first] + BOX), *passed, (layout.x[last], top[last])]
        out.append(f'<path d="{curve(ends)}"><title>{first} links {last}</title></path>')
    out.append("</g>")
    for name in sorted(links):
        x, y, box = layout.x[name], top[name], layout.width(name)
        fill = FILL[folders[name].partition("/")[0]]
        out += [
            (f'<rect x="{x - box / 2:.0f}" y="{y}" width="{box:.0f}" height="{BOX}" rx="4" '
            f'fill="{fill}" stroke="#667788"/>'),
            f'<text x="{x:.0f}" y="{y + 16}">{html.escape(name)}</text>',
            f'<text x="{x:.0f}" y="{y + 31}" font-size="9" fill="#445566">{folders[name]}</text>',
        ]
    return "\n".join([*out, "</svg>", ""])


def find_missing(page, folders):
    """The differences between the folders in the tables of a page and in the build files."""
    rows = "\n".join(line for line in page.read_text().splitlines() if line.startswith("|"))
    named = set(re.findall(r"\]\(\.\./((?:lib|tools)[^)#]*)\)", rows))
    own = set(folders.values())
    missing = [f"{page}: no table names {folder}" for folder in sorted(own - named)]
    return missing + [f"{page}: {name} has no library" for name in sorted(named - own)]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="the repository")
    options = parser.parse_args()
    links, folders = read_targets(options.root)
    text, picture = draw(links, folders), options.root / PICTURE
    if options.update:
        picture.write_text(text)
        return 0
    problems = find_missing(options.root / PAGE, folders)
    if picture.read_text() != text:
        problems.append(f"{picture} is out of date: run scripts/architecture.py --update")
    print(*problems, sep="\n", end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

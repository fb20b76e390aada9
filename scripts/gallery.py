#!/usr/bin/env python3
"""Builds docs/Gallery.md: all programs of examples/, with their kernels, costs and pictures.

  scripts/gallery.py [--bin=DIR]            exits with 1 if the page is out of date
  scripts/gallery.py --update [--bin=DIR]   writes the page and the pictures in docs/images/

DIR has the tools, unless they are in PATH. The script needs Python only. Without --update, it does not compare
pictures, launches and cost reports, which take time and have tests of their own.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import struct
import subprocess
import sys
import tempfile

from obstest import picture

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "Gallery.md"
FUSED = ["--inline", "--obs-expand-collectives", "--obs-unroll-loops", "--canonicalize", "--cse",
         "--obs-fuse-arrays", "--obs-batch-distribute", "--obs-fuse-arrays", "--canonicalize", "--cse"]

MEASURED = re.compile(r"<details><summary>Cost</summary>.*?</details>\n\n|^\|[^\n]*\n", re.DOTALL | re.MULTILINE)

# The pictures of each program: name, description, arguments, and whether large values are dark.
# EDGES, HEAT and STEPS.npy are files that `inputs` writes.
PICTURES = {
    "mandelbrot": [
        ("mandelbrot", "The Mandelbrot set", "--entry=mandelbrot 240 360 -0.6 0.0 0.009 48", True),
        ("julia", "A Julia set", "--entry=julia 240 360 0.0 0.0 0.009 -0.8 0.156 48", True)],
    "convolution": [
        ("convolution", "Edges in a picture of the Mandelbrot set",
         "--entry=mirror_tiled STEPS.npy EDGES:3x3xi32", True)],
    "jacobi": [
        ("jacobi", "Heat between two hot walls and two cold ones, after 400 steps",
         "HEAT:60x90xf32 400", False)],
    "stencil": [
        ("stencil", "A blurred picture of the Mandelbrot set", "STEPS.npy", True)],
}


def tool(environment, *command, folder=ROOT):
    """Runs a command and returns its output. Ends the script if the command fails."""
    done = subprocess.run(command, cwd=folder, env=environment, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"{shlex.join(command)}\n{done.stdout[:1000]}")
    return done.stdout


def inputs(environment, folder):
    """Writes the inputs of pictures."""
    tool(environment, "obs-run", str(ROOT / "examples/mandelbrot.mlir"), "--entry=mandelbrot",
         "--device=emulate", "--out=STEPS.npy", *"200 300 -0.6 0.0 0.0105 24".split(), folder=folder)
    (folder / "EDGES").write_bytes(struct.pack("<9i", -1, -1, -1, -1, 8, -1, -1, -1, -1))
    heat = [100.0 if i == 0 or j == 0 else 0.0 for i in range(60) for j in range(90)]
    (folder / "HEAT").write_bytes(struct.pack(f"<{len(heat)}f", *heat))


def draw(environment):
    """Makes the pictures in docs/images/."""
    (ROOT / "docs" / "images").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        inputs(environment, folder)
        for program, pictures in PICTURES.items():
            for name, _, arguments, inverted in pictures:
                tool(environment, "obs-run", str(ROOT / "examples" / (program + ".mlir")),
                     "--device=emulate", "--out=OUT.npy", *arguments.split(), folder=folder)
                picture.convert(str(folder / "OUT.npy"), str(ROOT / "docs/images" / (name + ".png")),
                             inverted)


def first_of_each(report):
    """A cost report without the copies of a kernel for other entries (NAME_0 where there is NAME), and with at
    most 40 lines for each kernel."""
    parts = {re.match(r"kernel '(\w+)'", part)[1]: part
             for part in re.split(r"(?=^kernel ')", report, flags=re.MULTILINE) if part.startswith("kernel '")}
    kept = [part.splitlines() for name, part in parts.items()
            if re.sub(r"_\d+$", "", name) == name or re.sub(r"_\d+$", "", name) not in parts]
    return "".join("\n".join(lines[:40] + ["  ..."] * (len(lines) > 40)) + "\n" for lines in kept)


def details(title, language, text):
    """A block that is closed until the reader opens it."""
    return f"<details><summary>{title}</summary>\n\n```{language}\n{text}```\n\n</details>\n\n"


def launches(environment, program, lines):
    """A table of the launches of those commands that run on the emulator."""
    rows, before = [], None
    for line in lines:
        if "--device=emulate" not in line:
            continue
        words = shlex.split(line)
        words += [] if "--report" in words else ["--report"]
        for report in tool(environment, "obs-run", *words).splitlines():
            if not report.startswith("launch: "):
                continue
            field = dict(word.split("=") for word in report.split()[1:])
            row = [field[key] for key in ("kernel", "blocks", "threads", "shared-bytes", "block-barriers",
                                          "warp-barriers", "bytes-loaded", "bytes-stored", "atomics")]
            if row == before:
                rows[-1][0] += 1
            else:
                rows.append([1, row])
            before = row
    if not rows:
        sys.exit(f"{program}: no command in its first comment has --device=emulate")
    return ("| kernel | blocks | threads | shared bytes | block barriers | warp barriers | bytes loaded | "
            "bytes stored | atomics |\n|---|---|---|---|---|---|---|---|---|\n"
            + "".join("| `{}`{} | {} |\n".format(row[0], f" x {count}" if count > 1 else "",
                                            " | ".join(row[1:])) for count, row in rows))


def entry(environment, path, measure):
    """The section of the page about one program."""
    name, text = path.stem, path.read_text()
    header = re.match(r"(?://[^\n]*\n)+", text)[0]
    about = re.sub(r"^// ?", "", header, flags=re.MULTILINE)
    about, _, run = about.partition("\nRun: ")
    lines = [re.sub(r"^\s*obs-run ", "", line) for line in run.splitlines() if "obs-run examples/" in line]
    part = f"## {name}\n\n"
    part += f"```text\n{about.strip()}\n```\n\n"
    for file, seen, _, _ in PICTURES.get(name, ()):
        part += f"![{seen}](images/{file}.png)\n"
    part += "\n" if name in PICTURES else ""
    for page in (f"docs/programs/{name}.md",):
        if (ROOT / page).exists():
            part += f"[This page](programs/{name}.md) explains the compilation step by step.\n\n"
    part += "Launches of `obs-run {}`:\n\n".format("`, `obs-run ".join(
        line for line in lines if "--device=emulate" in line))
    part += (launches(environment, name, lines) if measure else "") + "\n"
    plan = tool(environment, "obs-opt", *FUSED, "--obs-to-launches", f"examples/{name}.mlir",
                "-o", os.devnull)
    plan = "".join(re.sub(r"^\S*/", "", line) + "\n" for line in plan.splitlines()
                   if re.match(r"\S+: (remark|note): ", line))
    part += details("Plan", "text", plan)
    if measure:
        part += details("Cost", "text", first_of_each(
            tool(environment, "obs-opt", "--obs-report-cost", f"examples/{name}.mlir", "-o", os.devnull)))
    return part + details("Source", "mlir", text[len(header):].lstrip("\n"))


def build(environment, measure):
    """The text of the page."""
    paths = sorted((ROOT / "examples").glob("*.mlir"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        parts = list(pool.map(lambda path: entry(environment, path, measure), paths))
    names = ", ".join(f"[{path.stem}](#{path.stem})" for path in paths)
    return ("<!-- Written by scripts/gallery.py --update. -->\n\n# Gallery\n\n"
            "This page shows all programs of [`examples/`](../examples). Each section describes the computation "
            "and contains:\n\n"
            "- the commands that run the program on the emulator, and the launches of its kernels;\n"
            "- the plan of its host functions;\n"
            "- the cost of its kernels, as formulas of their arguments;\n"
            "- its source.\n\n{}.\n\n{}".format(names, "".join(parts).rstrip("\n") + "\n"))


def main(update, tools):
    environment = dict(os.environ, PATH="{}:{}".format(os.path.abspath(tools), os.environ["PATH"]))
    page = build(environment, update)
    if update:
        draw(environment)
        PAGE.write_text(page)
    elif not PAGE.exists() or MEASURED.sub("", PAGE.read_text()) != page:
        sys.exit("docs/Gallery.md is out of date: run scripts/gallery.py --update --bin=build/bin")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write the page and its pictures")
    parser.add_argument("--bin", default=".", help="the folder of the tools")
    options = parser.parse_args()
    main(options.update, options.bin)

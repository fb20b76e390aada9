#!/usr/bin/env python3
"""Compares README.md with the output of the tools, and finds broken links on all pages.

  scripts/check-readme.py [--bin=DIR]            prints the differences; exits with 1 if there are any
  scripts/check-readme.py --update [--bin=DIR]   writes the PTX into README.md

DIR has the tools, unless they are in PATH. README.md has one block of mlir, which is the program. The commands
of its block of console run on this program, and its block of ptx is the output of the last command. Each link to
a file of the repository, or to a heading in it, must have a target.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
README = ROOT / "README.md"


def block(text, language):
    """The only block of a language."""
    found = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    if len(found) != 1:
        sys.exit(f"README.md has {len(found)} blocks of {language}")
    return found[0]


def check_program(update, environment):
    """The differences between the program of README.md and its results."""
    text, problems, printed = README.read_text(), [], ""
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "reverse.mlir").write_text(block(text, "mlir"))
        steps = re.split(r"^\$ ", block(text, "console"), flags=re.MULTILINE)[1:]
        for step in steps:
            command, _, expected = step.partition("\n")
            words = command.replace("build/bin/", "").split()
            done = subprocess.run(words, cwd=folder, env=environment, text=True, capture_output=True, check=False)
            printed = done.stdout
            if done.returncode or (expected and printed != expected):
                problems.append(f"README.md: '{command}' prints\n{printed}{done.stderr}")
    ptx = "".join(re.findall(r"^\.visible.*?^}\n", printed, re.MULTILINE | re.DOTALL))
    # Without the comments and the empty lines of the assembler's input.
    ptx = "".join(line + "\n" for line in re.sub(r"[ \t]*//.*", "", ptx).splitlines() if line.strip())
    if ptx != block(text, "ptx"):
        if update and not problems:
            README.write_text(text.replace(block(text, "ptx"), ptx))
        else:
            problems.append("README.md: the PTX is another; if that is right, run scripts/check-readme.py --update")
    return problems


def headings(page):
    """The anchors of a page, as GitHub makes them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ +(.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def check_links(page):
    """The links of a page without a target."""
    text = re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    problems = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists():
            problems.append(f"{page.relative_to(ROOT)}: there is no {link}")
        elif anchor and target.suffix == ".md" and anchor not in headings(target):
            problems.append(f"{page.relative_to(ROOT)}: no heading is {link}")
    return problems


def main(update, tools):
    environment = dict(os.environ, PATH="{}:{}".format(os.path.abspath(tools), os.environ["PATH"]))
    problems = check_program(update, environment)
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/**/*.md")]
    for page in sorted(pages):
        problems += check_links(page)
    print("\n".join(problems + [f"{len(pages)} pages, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write the PTX")
    parser.add_argument("--bin", default=".", help="the folder of the tools")
    options = parser.parse_args()
    sys.exit(main(options.update, options.bin))

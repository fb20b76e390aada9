#!/usr/bin/env python3
"""Compares the pages of docs/programs/ with the programs and with the output of the tools.

  scripts/check-programs.py [--bin=DIR] [PAGE...]            prints the differences; exits with 1 if there are any
  scripts/check-programs.py --update [--bin=DIR] [PAGE...]   rewrites the blocks

DIR has the tools, unless they are in PATH. Two kinds of comments stand before blocks of code:

  <!-- quote FILE FROM ... TO -->   the lines of FILE from the first that contains FROM to the next
                                    that contains TO
  <!-- run COMMAND -->              the command and its output

Every program of examples/ is quoted on some page. Commands run in the root of the repository. The README.md of
the pages sets FUSED and LEVELS.
"""

import argparse
import concurrent.futures
import itertools
import os
import pathlib
import re
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "programs"
BLOCK = re.compile(r"<!-- (quote|run) ((?:(?!-->).)*?) -->\n```(\w+)\n(.*?)```\n", re.DOTALL)


def quote(words, problems):
    """A part of a file, without its indentation."""
    name, begin, end = re.fullmatch(r"(\S+) (.*) \.\.\. (.*)", words).groups()
    lines = (ROOT / name).read_text().splitlines()
    first = next((i for i, line in enumerate(lines) if begin in line), None)
    if first is None:
        problems.append(f"no line of {name} contains {begin}")
        return ""
    last = next((i for i in range(first, len(lines)) if end in lines[i]), None)
    if last is None:
        problems.append(f"no later line of {name} contains {end}")
        return ""
    return textwrap.dedent("\n".join(lines[first:last + 1])) + "\n"


def run(command, language, environment, problems):
    """A command, as a comment where the language has comments, and its output."""
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=ROOT, env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode or not done.stdout:
        problems.append(f"{command}: status {done.returncode}, output:\n{done.stdout[:1000]}")
    if done.stdout.count("\n") > 80 or len(done.stdout) > 10000:
        problems.append(f"{command}: too much output for a page")
    prompt = "// $ " if language == "mlir" else "$ "
    return prompt + command + "\n" + textwrap.dedent(done.stdout)


def check(page, update, environment):
    """The problems of a page."""
    problems = []

    def block(match):
        kind, words, language, old = match.groups()
        new = (quote(words, problems) if kind == "quote"
               else run(words, language, environment, problems))
        if new != old and not update:
            problems.append(f"'{words}' gives other text; if that is right, run scripts/check-programs.py "
                            "--update")
        return f"<!-- {kind} {words} -->\n```{language}\n{new}```\n"

    text = page.read_text()
    new = BLOCK.sub(block, text)
    comments, found = len(re.findall("^<!-- (?:quote|run) ", text, re.MULTILINE)), len(BLOCK.findall(text))
    if comments != found:
        problems.append(f"{found} of {comments} comments stand before a block")
    if update and not problems:
        page.write_text(new)
    return [f"{page.name}: {problem}" for problem in problems]


def main(update, tools, names):
    environment = dict(os.environ, PATH="{}:{}".format(os.path.abspath(tools), os.environ["PATH"]))
    for name, value in re.findall(r'^(FUSED|LEVELS)="(.*)"$', (PAGES / "README.md").read_text(), re.MULTILINE):
        environment[name] = value.replace("$FUSED", environment.get("FUSED", ""))
    pages = [p for p in sorted(PAGES.glob("*.md")) if not names or p.stem in names]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda p: check(p, update, environment), pages)
        problems = list(itertools.chain.from_iterable(found))
    if not names:
        text = "".join(p.read_text() for p in pages)
        problems += [f"no page walks through {p.name}" for p in sorted((ROOT / "examples").glob("*.mlir"))
                     if f"quote examples/{p.name} " not in text]
    print("\n".join(problems + [f"{len(pages)} pages, {len(problems)} problems"]))
    return 1 if problems or not pages else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="rewrite the blocks")
    parser.add_argument("--bin", default=".", help="the folder of the tools")
    parser.add_argument("pages", nargs="*", help="names such as saxpy; without them all")
    options = parser.parse_args()
    sys.exit(main(options.update, options.bin, options.pages))

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
        problems.append("no line of %s contains %s" % (name, begin))
        return ""
    last = next((i for i in range(first, len(lines)) if end in lines[i]), None)
    if last is None:
        problems.append("no later line of %s contains %s" % (name, end))
        return ""
    return textwrap.dedent("\n".join(lines[first:last + 1])) + "\n"


def run(command, language, environment, problems):
    """A command, as a comment where the language has comments, and its output."""
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=ROOT, env=environment,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode or not done.stdout:
        problems.append("%s: status %d, output:\n%s" % (command, done.returncode, done.stdout[:1000]))
    if done.stdout.count("\n") > 80 or len(done.stdout) > 10000:
        problems.append("%s: too much output for a page" % command)
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
            problems.append("'%s' gives other text; if that is right, run scripts/check-programs.py "
                            "--update" % words)
        return "<!-- %s %s -->\n```%s\n%s```\n" % (kind, words, language, new)

    text = page.read_text()
    new = BLOCK.sub(block, text)
    comments, found = len(re.findall("^<!-- (?:quote|run) ", text, re.MULTILINE)), len(BLOCK.findall(text))
    if comments != found:
        problems.append("%d of %d comments stand before a block" % (found, comments))
    if update and not problems:
        page.write_text(new)
    return ["%s: %s" % (page.name, problem) for problem in problems]


def main(update, tools, names):
    environment = dict(os.environ, PATH="%s:%s" % (os.path.abspath(tools), os.environ["PATH"]))
    for name, value in re.findall(r'^(FUSED|LEVELS)="(.*)"$', (PAGES / "README.md").read_text(), re.MULTILINE):
        environment[name] = value.replace("$FUSED", environment.get("FUSED", ""))
    pages = [p for p in sorted(PAGES.glob("*.md")) if not names or p.stem in names]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = sum(pool.map(lambda p: check(p, update, environment), pages), [])
    if not names:
        text = "".join(p.read_text() for p in pages)
        problems += ["no page walks through %s" % p.name for p in sorted((ROOT / "examples").glob("*.mlir"))
                     if "quote examples/%s " % p.name not in text]
    print("\n".join(problems + ["%d pages, %d problems" % (len(pages), len(problems))]))
    return 1 if problems or not pages else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="rewrite the blocks")
    parser.add_argument("--bin", default=".", help="the folder of the tools")
    parser.add_argument("pages", nargs="*", help="names such as saxpy; without them all")
    options = parser.parse_args()
    sys.exit(main(options.update, options.bin, options.pages))

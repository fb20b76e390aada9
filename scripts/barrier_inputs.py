"""The inputs and launches of the goldens and examples, for scripts/mutate-barriers.py.

Most inputs are those of a golden's RUN lines, and of an example's lines on how to
run it; the same with nine times as many elements, and with fewer, so that a block
takes several chunks, or a part of one. The others are made here: where one
argument must fit another, where numbers must be small, or where only long arrays
or many blocks have some threads wait for others.
"""

import array
import collections
import importlib.util
import math
import pathlib
import random
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# More elements than this are not made of the inputs of others.
LARGEST = 20000
# So many blocks are launched.
BLOCKS = (1, 2)
# Scans by one kernel: a block looks back over more than 32 tiles if the blocks of
# all those run side by side.
MANY_BLOCKS = {"large-scan": (1, 2, 40)}

# A function of a program, the lists of its arguments, and the numbers of blocks.
Case = collections.namedtuple("Case", "path entry inputs blocks")


def load_oracles():
    spec = importlib.util.spec_from_file_location("check", ROOT / "test/Networks/check.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def oracle_inputs(check, oracle, size, base):
    """Writes the arguments that an oracle of test/Networks makes; returns them."""
    words = []
    for k, argument in enumerate(check.ORACLES[oracle](size, random.Random(size))[0]):
        if isinstance(argument, array.array):
            path = f"{base}.{oracle}.{size}.{k}"
            with open(path, "wb") as f:
                argument.tofile(f)
            argument = f"{path}:{check.TYPES[argument.typecode]}"
        words.append(str(argument))
    return words


def examples_inputs(folder):
    """Pairs of an example and arguments."""
    rng = random.Random(1)

    def file(values, kind="i32"):
        path = f"{folder}/example{rng.random()}"
        with open(path, "wb") as f:
            array.array("f" if kind == "f32" else "i", values).tofile(f)
        return f"{path}:{kind}"

    def drawn(n, least, most):
        return [rng.randint(least, most) for _ in range(n)]
    for level in ("warp", "block"):
        lengths = drawn(20, 0, 300)
        total = sum(lengths)
        offsets = [sum(lengths[:k]) for k in range(21)]
        yield "spmv", [f"--entry={level}_per_row", file(offsets), file(drawn(total, 0, 99)),
                       file(drawn(total, -8, 8), "f32"), file(drawn(100, -8, 8), "f32")]
    yield "spmv", ["--entry=block_per_row", file([0, 5000, 9000]), file(drawn(9000, 0, 99)),
                   file(drawn(9000, -8, 8), "f32"), file(drawn(100, -8, 8), "f32")]
    yield "spmv", ["--entry=band", "3", "5000", "iota:3xf32"]
    for entry, bins, more in (("blocks", 300, ["300"]), ("per_warp", 128, []), ("per_block", 128, [])):
        keys, weights = file(drawn(9000, -1, bins)), file(drawn(9000, -9, 9))
        yield "weighted-histogram", [f"--entry={entry}", keys, weights, *more]
    for entry in ("counting", "occurrence"):
        yield "counting-sort", [f"--entry={entry}", file(drawn(9000, 0, 4999)), "5000"]
    for entry in ("encode", "unique", "decode", "filter"):
        values = file(drawn(9000, 0, 2))
        yield "run-length", [f"--entry={entry}", values] + {
            "decode": [file(drawn(9000, 0, 2))], "filter": ["1", "2"]}.get(entry, [])
    for entry, border in (("clamp_tiled3", []), ("mirror_tiled5", []), ("wrap_tiled3", []),
                          ("constant_tiled3", ["7"]), ("function_tiled5", [])):
        yield "convolution", [f"--entry={entry}", "iota:70x70xi32", f"iota:{entry[-1]}x{entry[-1]}xi32", *border]
    for points, centres in ((50, 40), (310, 300)):
        yield "k-means", ["--entry=until_stable", *[file(drawn(n, 0, 999)) for n in (points, points, centres, centres)],
                          "2"]
    # More than 32 parts.
    for entry, kind in (("first_largest", "i32"), ("largest_segment", "i16")):
        yield "large-reduce", [f"--entry={entry}", f"random:139300x{kind}:1"]
    # Three tiles, the last of them short; and more than a block looks back over at once.
    yield "large-scan", ["random:9000xi32:1", "random:9000xi32:2"]
    yield "large-scan", ["random:139300xi32:1", "random:139300xi32:2"]


def length(words):
    """The number of elements of arguments iota:3x4xi32 and the like."""
    count = 0
    for word in words:
        if match := re.match(r"(?:iota|zeros|random):((?:\d+x)+)", word):
            count += math.prod(map(int, match[1].split("x")[:-1]))
    return count


def entry_of(words):
    return next((word[8:] for word in words if word.startswith("--entry=")), "main")


def resized(words, resize):
    """The same with other extents of arrays of one dimension."""
    return [re.sub(r"^(iota|random):(\d+)x(?=[a-z])", lambda m: f"{m[1]}:{resize(int(m[2]))}x", word)
            for word in words]


def collect(names, folder):
    """The cases of the programs whose path contains one of the names."""
    found, check, more = {}, load_oracles(), list(examples_inputs(folder))

    def add(path, words, isMade=False):
        lists = found.setdefault((path, entry_of(words)), [])
        words = [word for word in words if not word.startswith("--")]
        for inputs in [words] if isMade else (words, resized(words, lambda n: 9 * n + 1),
                                              resized(words, lambda n: min(n, 37)),
                                              resized(words, lambda n: min(n, 9000))):
            if inputs not in lists and (isMade or length(inputs) <= LARGEST):
                lists.append(inputs)

    for path in sorted((ROOT / "test/Golden").glob("*.mlir")) + sorted((ROOT / "examples").glob("*.mlir")):
        if names and not any(name in str(path) for name in names):
            continue
        base = f"{folder}/{path.stem}"
        for example, words in more:
            if example == path.stem:
                add(path, words, isMade=True)
        for line in path.read_text().splitlines():
            line = line.replace("%t", base).replace("%python", sys.executable)
            run = re.match(r"// RUN: (?:%python )?(.*)", line)
            if run and run[1].startswith(sys.executable + " -c") and ".tofile(" in run[1]:
                subprocess.run(shlex.split(run[1]), check=True)
            elif run and "/Networks/check.py obs-run %s" in run[1]:
                entry, oracle, *sizes = shlex.split(run[1])[4:]
                if oracle.startswith(("sums", "scan")):
                    sizes = [int(sizes[0]), 4 * int(sizes[-1])]  # several chunks for each block
                for size in sizes:
                    add(path, [f"--entry={entry}"] + oracle_inputs(check, oracle, int(size), base))
            elif run and run[1].startswith("obs-run %s ") and "--device=emulate" in run[1]:
                add(path, shlex.split(re.split(r" [|>]| 2>", run[1])[0])[2:])
            elif not run and re.match(r"// .*obs-run examples/\S+ ", line):
                add(path, shlex.split(re.sub(r".*obs-run examples/\S+ ", "", line)))
    return [Case(path, entry, inputs, MANY_BLOCKS.get(path.stem, BLOCKS)) for (path, entry), inputs in found.items()]

"""The inputs and launches of the goldens and examples, for scripts/mutate-barriers.py.

Most inputs are those of a golden's RUN lines, and of an example's lines on how to
run it; the same with nine times as many elements, and with fewer, so that a block
takes several chunks, or a part of one. The others are made here, if one
argument must fit another, if numbers must be small, or if only long arrays
or many blocks have some threads wait for others.
"""

import array
import collections
import math
import pathlib
import random
import re
import shlex
import subprocess
import sys

from obstest import ROOT, oracles

# More elements than this are not made of the inputs of others.
LARGEST = 20000
# A function of a program and its inputs.
Case = collections.namedtuple("Case", "path entry inputs")
# A list of arguments, the numbers of blocks to launch, and the number of random
# orders of the threads.
Input = collections.namedtuple("Input", "words blocks orders", defaults=((1, 2), 1))


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
    """Pairs of an example and an input."""
    rng, made = random.Random(1), []

    def file(least, most, n, kind="i32"):
        """Numbers drawn from a range; with a list for n, these."""
        path = f"{folder}/example{len(made)}.{rng.random()}"
        values = n if isinstance(n, list) else [rng.randint(least, most) for _ in range(n)]
        with open(path, "wb") as f:
            array.array("f" if kind == "f32" else "i", values).tofile(f)
        return f"{path}:{kind}"

    def add(example, *words, **launch):
        made.append((example, Input(list(words), **launch)))

    lengths = [rng.randint(0, 300) for _ in range(20)]
    for level, ends in (("warp", lengths), ("block", lengths), ("block", [70000, 5000])):
        offsets = [sum(ends[:k]) for k in range(len(ends) + 1)]
        add("spmv", f"--entry={level}_per_row", file(0, 0, offsets), file(0, 99, offsets[-1]),
            file(-8, 8, offsets[-1], "f32"), file(-8, 8, 100, "f32"))
    add("spmv", "--entry=band", "3", "70000", "iota:3xf32")
    for entry, bins, more in (("blocks", 300, ["300"]), ("per_warp", 128, []), ("per_block", 128, []), ("bits", 128, [])):
        add("weighted-histogram", f"--entry={entry}", file(-1, bins, 9000), file(-9, 9, 9000), *more)
    for border in ("clamp", "mirror", "wrap", "constant", "function"):
        for size in (3, 5):
            add("convolution", f"--entry={border}_tiled", "iota:70x70xi32", f"iota:{size}x{size}xi32",
                *(["7"] if border == "constant" else []))
    # More centres than one part of a reduction has.
    for points, centres in ((50, 40), (50, 4200)):
        add("k-means", "--entry=until_stable", *[file(0, 999, n) for n in (points, points, centres, centres)], "2")
    # More parts than a warp has lanes.
    for entry, kind in (("first_largest", "i32"), ("largest_segment", "i16")):
        add("large-reduce", f"--entry={entry}", f"random:139300x{kind}:1", blocks=(2,), orders=1)
    # Many keys that do not occur stand between those of each tile of a block.
    add("counting-sort", "--entry=counting", file(0, 0, [0, 139999] * 4500), "140000", blocks=(1,))
    # Ranges whose privatised copies are parts of the result.
    for entry, most in (("counting", 20000), ("occurrence", 600000)):
        add("counting-sort", f"--entry={entry}", file(0, most - 1, 9000), str(most), blocks=(2,))
    # Scans in one pass: a few tiles of 4096 elements, the last one short; and more than a block looks
    # back over at once, side by side. The last tile with fewer elements than a warp takes another way.
    for n, launch in ((9000, {}), (8200, {}), (139300, {"blocks": (40,), "orders": 6})):
        add("large-scan", f"random:{n}xi32:1", f"random:{n}xi32:2", **launch)
        for entry in ("counting", "occurrence"):
            add("counting-sort", f"--entry={entry}", file(0, n - 1, 9000), str(n), **launch)
        for entry, more in (("encode", []), ("unique", []), ("decode", [file(0, 2, n)]), ("filter", ["1", "2"])):
            add("run-length", f"--entry={entry}", file(0, 2, n), *more, **launch)
    return made


def length(words):
    """The number of elements of arguments iota:3x4xi32 and the like, and about that of files."""
    count = 0
    for word in words:
        file = pathlib.Path(word.rpartition(":")[0])
        if match := re.match(r"(?:iota|zeros|random):((?:\d+x)+)", word):
            count += math.prod(map(int, match[1].split("x")[:-1]))
        elif file.is_file():
            count += file.stat().st_size // 4
    return count


def entry_of(path, words):
    """The function that the arguments are for: the only one, or @main, if they do not say."""
    public = re.findall(r"^func\.func @(\w+)", path.read_text(), re.MULTILINE)
    return next((word[8:] for word in words if word.startswith("--entry=")),
                public[0] if len(public) == 1 else "main")


def resized(words, resize):
    """The same with other extents of arrays of one dimension."""
    return [re.sub(r"^(iota|random):(\d+)x(?=[a-z])", lambda m: f"{m[1]}:{resize(int(m[2]))}x", word)
            for word in words]


def paths(names):
    """The goldens and examples whose path contains one of the names; all without any."""
    found = sorted((ROOT / "test/Golden").glob("*.mlir")) + sorted((ROOT / "examples").glob("*.mlir"))
    return [path for path in found if not names or any(name in str(path) for name in names)]


def collect(names, folder):
    """The cases of these programs."""
    found, check, more = {}, oracles.networks(), examples_inputs(folder)

    def add(path, words):
        inputs = found.setdefault((path, entry_of(path, words)), [])
        words = [word for word in words if not word.startswith("--")]
        for resize in (lambda n: n, lambda n: 9 * n + 1, lambda n: min(n, 37), lambda n: min(n, 9000)):
            new = Input(resized(words, resize))
            if new not in inputs and length(new.words) <= LARGEST:
                inputs.append(new)

    for path in paths(names):
        base = f"{folder}/{path.stem}"
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
        for example, new in more:
            if example == path.stem:
                words = [word for word in new.words if not word.startswith("--")]
                found.setdefault((path, entry_of(path, new.words)), []).append(new._replace(words=words))
    return [Case(path, entry, inputs) for (path, entry), inputs in found.items()]

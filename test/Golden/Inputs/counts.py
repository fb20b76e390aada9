"""Compares the goldens with the numbers that the papers need.

usage: counts.py OBS-OPT OBS-RUN FOLDER

For one chunk on one block: the barriers that each thread waits at, the bytes of
shared memory, and the selects in the code. A number that is larger than it should
be is an error; one that is smaller needs its reason here, and is an error without.
Prints all of them."""
import array
import functools
import re
import subprocess
import sys
import tempfile

OWN = "a thread reads what it wrote itself"
IN_RANGE = "an if, since each side reads another array"

# Bounds of run-time lengths, for which all memory is set aside.
BOUNDS = (9, 33, 1024)

# Golden, file, function, arguments; barriers, bytes and selects that are needed
# (None: not counted; a function: of the largest length that the types allow, which
# the file has as 1024); for each that differs: why.
GOLDENS = [
    ("G1", "G01-reverse", "rev", "iota:9xi32", 1, lambda n: 4 * n, 0, {"barriers": OWN}),
    ("G2", "G02-two-reverse", "two_rev", "iota:9xi32", 1, lambda n: 4 * n, 1, {"barriers": OWN}),
    ("G3", "G03-two-reverse-sync", "two_rev_sync", "iota:8xi32", 1, 32, 1,
     {"barriers": OWN, "selects": "a loop for each half"}),
    ("G4", "G04-sort-oet", "sort_oet", "iota:9xi32", 10, lambda n: 2 * 4 * n, None, {}),
    ("G5", "G05-vsort-it", "vsort_it", "iota:16xi32", 20, 128, None, {}),
    ("G6", "G06-vsort-table", "vsort_table", "iota:16xi32", 20, 128, 1, {}),
    ("G7", "G07-sum-by-pairs", "sum", "iota:8xi32", 3, 24, 0, {"barriers": OWN}),
    ("G8", "G08-map-fusion", "fused", "iota:32xi32", 0, 0, 0, {}),
    ("G9", "G09-map-unfused", "unfused", "iota:32xi32", 1, 128, 0,
     {"barriers": OWN, "bytes": "so it is a register"}),
    ("G10", "G10-sum-without-force", "sum", "iota:8xi32", 0, 0, 0, {}),
    ("G11", "G11-sum-by-halves", "sum", "iota:8xi32", 3, 24, 0, {"barriers": OWN}),
    ("G12", "G12-concat-pull", "cat", "iota:16xi32 iota:16xi32", 0, 0, 1, {"selects": IN_RANGE}),
    ("G13", "G13-concat-push", "cat", "iota:16xi32 iota:16xi32", 0, 0, 0, {}),
    ("G14 pull", "G14-interleave", "pull", "iota:32xi32 iota:32xi32", 0, 0, 1, {"selects": IN_RANGE}),
    ("G14 push", "G14-interleave", "push", "iota:32xi32 iota:32xi32", 0, 0, 0, {}),
    ("G15", "G15-bitonic-merge-pull", "merge", "iota:16xi32", 4, 128, 4, {"barriers": OWN}),
    ("G16", "G16-bitonic-merge-push", "merge", "iota:512xi32", 9, 4096, 0, {}),
    # The first column is in front of the loop over the others.
    ("G17 tsort1", "G17-tsort1", "tsort1", "iota:512xi32", 45, 4096, 2, {"barriers": OWN}),
    ("G17 vsort1", "G17-vsort1", "vsort1", "iota:512xi32", 45, 4096, 2, {"barriers": OWN}),
    ("G18 tsort2", "G18-tsort2", "tsort2", "iota:512xi32", 45, 4096, 0, {}),
    ("G18 vsort", "G18-vsort", "vsort", "iota:512xi32", 45, 4096, 0, {}),
    ("G19", "G19-sklansky", "sklansky_max", "iota:32xi32", 6, 260, 5,
     {"barriers": "results are not copied", "bytes": "a thread keeps what it reads of its own"}),
    ("G20", "G20-distribute", "add_maxima", "4 iota:10xi32 iota:3xi32", 0, 0, 0, {}),
    ("G21", "G21-histogram", "histogram", "iota:300xi32 10", 0, 0, 0, {}),
    ("G22 counting", "G22-reconstruct", "counting", "iota:6xi32 5", 0, 0, 0, {}),
    ("G22 occurrence", "G22-reconstruct", "occurrence", "iota:6xi32 5", 0, 0, 0, {}),
    ("G23", "G23-occurs", "main", "5,2,5,7,1 10", 0, 0, 0, {}),
    ("G24", "G24-increment", "inc", "iota:512xi32 --threads=512", 0, 0, 0, {}),
    ("G24 forced", "G24-increment", "inc_forced", "iota:512xi32 --threads=512", 1, 2048, 0,
     {"barriers": OWN, "bytes": "so it is registers"}),
    ("G25 reduce", "G25-reduce", "reduce_one", "iota:512xi32", 9, 1536, 0, {"barriers": OWN}),
    ("G25 red1", "G25-reductions", "red1_one", "iota:512xi32", 8, 1536, 0, {}),
    ("G25 red2", "G25-reductions", "red2_one", "iota:512xi32", 8, 1536, 0, {}),
    ("G25 red3", "G25-reductions", "red3_one", "iota:512xi32", 8, 1536, 0, {}),
    ("G25 red4", "G25-reductions", "red4_one", "iota:512xi32", 6, 384, 0, {}),
    ("G25 red5", "G25-reductions", "red5_one", "iota:512xi32", 6, 384, 0, {}),
    ("G25 red6", "G25-reductions", "red6_one", "iota:512xi32", 5, 192, 0, {}),
    ("G25 red7", "G25-reductions", "red7_one", "iota:512xi32", 4, 160, 0, {"bytes": "arrays are not aligned to 128 bytes"}),
]


@functools.cache
def call(*command):
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit("{}\n{}".format(" ".join(command), done.stderr))
    return done


def measure_bytes(obs_run, path, entry, bound):
    """The bytes of shared memory where the types have this bound."""
    with open(path) as file:
        code = re.sub("//.*", "", file.read())
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(re.sub(r"\b1024\b", str(bound), code))
        file.flush()
        done = call(obs_run, file.name, "--entry=" + entry, "--device=emulate", "--report",
                    "--blocks=1", f"iota:{bound}xi32")
    return int(re.search(r"shared-bytes=(\d+)", done.stdout + done.stderr)[1])


def measure(obs_opt, obs_run, path, entry, arguments):
    with tempfile.NamedTemporaryFile() as file:
        words = []
        for word in arguments.split():
            if "," in word:
                array.array("i", map(int, word.split(","))).tofile(file)
                file.flush()
                word = file.name + ":i32"
            words.append(word)
        report = call(obs_run, path, "--entry=" + entry, "--device=emulate", "--report",
                      "--blocks=1", *words)
    report = report.stdout + report.stderr
    kernels = re.findall(r"kernel=(\w+) .*threads=(\d+) shared-bytes=(\d+) block-barriers=(\d+) warp-barriers=(\d+)", report)
    if len(kernels) != 1:
        sys.exit(f"{entry} of {path} runs {len(kernels)} kernels, not one:\n{report}")
    name, threads, shared, block, warp = kernels[0]
    warps = -(-int(threads) // 32)
    text = call(obs_opt, "--obs-to-gpu", path).stdout
    code = re.search(rf"gpu\.func @{name}\(.*?gpu\.return", text, re.DOTALL)[0]
    return {"barriers": int(block) + int(warp) / warps, "bytes": int(shared),
            "selects": code.count("arith.select")}


def main(obs_opt, obs_run, folder):
    problems = 0
    for golden, file, entry, arguments, barriers, size, selects, reasons in GOLDENS:
        found = measure(obs_opt, obs_run, f"{folder}/{file}.mlir", entry, arguments)
        parts = []
        if callable(size):
            for bound in BOUNDS:
                taken = measure_bytes(obs_run, f"{folder}/{file}.mlir", entry, bound)
                if taken != size(bound):
                    parts.append(f"bytes {taken} of {size(bound)} at bound {bound} (WRONG)")
                    problems += 1
            size = size(BOUNDS[-1])
        for what, needed in (("barriers", barriers), ("bytes", size), ("selects", selects)):
            if needed is None:
                continue
            part = f"{what} {found[what]:g}"
            if found[what] != needed:
                part += f" of {needed} ({reasons.get(what, 'WRONG')})"
                problems += found[what] > needed or what not in reasons
            elif what in reasons:
                part += " (no reason needed any more)"
                problems += 1
            parts.append(part)
        print(f"golden {golden:<15} {', '.join(parts)}")
    print(f"goldens: {len(GOLDENS)} programs, {problems} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

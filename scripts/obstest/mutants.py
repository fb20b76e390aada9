"""Makes kernels with one barrier deleted or weakened, for scripts/check-races.py and
scripts/mutate-barriers.py."""

import collections
import random
import re
import subprocess

BARRIER = re.compile(r"^\s*(gpu\.barrier|nvvm\.bar\.warp\.sync)\b")
FUNCTION = re.compile(r"(\s*)(gpu|func)\.func (?:private )?@(\w+)")
SIZE = re.compile(r"known_block_size = array<i32: (\d+)")

# A function: whether "gpu" or "func", its name, and its first and last line.
Function = collections.namedtuple("Function", "kind name begin end")
# The barrier of a kernel with this number is "deleted", or "weakened" from one of
# the block to one of the warp.
Change = collections.namedtuple("Change", "kernel number how")


def lower(obs_opt, path, launch, *options):
    """The program for a launch, as a list of lines; or None and the reason."""
    done = subprocess.run([obs_opt, f"--obs-to-gpu={launch}", *options, str(path)], check=False, capture_output=True, text=True)
    return (done.stdout.splitlines(), None) if done.returncode == 0 else (None, done.stderr)


def functions(lines):
    found, begin = [], None
    for number, line in enumerate(lines):
        match = FUNCTION.match(line)
        if match and begin is None:
            begin = (match[1], match[2], match[3], number)
        if begin and line.startswith(begin[0] + "}"):
            found.append(Function(*begin[1:], number))
            begin = None
    return found


def remove_functions(lines, is_kept):
    gone = set()
    for function in functions(lines):
        if not is_kept(function):
            gone.update(range(function.begin, function.end + 1))
    return [line for number, line in enumerate(lines) if number not in gone]


LAUNCH = re.compile(r"gpu\.launch_func\s+@\w+::@(\w+)")


def launches(lines, function):
    """The names of the kernels that a function launches."""
    return {match[1] for line in lines[function.begin:function.end + 1] if (match := LAUNCH.search(line))}


def isolate_kernel(lines, kernel):
    """One kernel and the functions of the host that launch it, without their other launches."""
    kept = remove_functions(lines, lambda function: function.name == kernel if function.kind == "gpu"
                            else kernel in launches(lines, function))
    return [line for line in kept if not (match := LAUNCH.search(line)) or match[1] == kernel]


def isolate_host(lines, entry):
    """One function of the host and the kernels that it launches."""
    launched = {name for function in functions(lines) if function.kind == "func" and function.name == entry
                for name in launches(lines, function)}
    return remove_functions(lines, lambda function: function.name == entry if function.kind == "func"
                            else function.name in launched)


def kernels(lines):
    """The text of each kernel, without locations, and of the constants in its module."""
    constants = "\n".join(line for line in lines if line.lstrip().startswith("memref.global"))
    return {function.name: re.sub(r" loc\(.*", "", "\n".join([constants, *lines[function.begin:function.end]]))
            for function in functions(lines) if function.kind == "gpu"}


def barriers(lines, kernel):
    """The lines of the kernel's barriers."""
    return [number for function in functions(lines) if function.kind == "gpu" and function.name == kernel
            for number in range(function.begin, function.end) if BARRIER.match(lines[number])]


def find_changes(lines):
    found = []
    for function in functions(lines):
        size = SIZE.search(lines[function.begin])
        several = size is not None and int(size[1]) > 32
        for number, line in enumerate(barriers(lines, function.name)) if function.kind == "gpu" else []:
            found.append(Change(function.name, number, "deleted"))
            if several and "gpu.barrier" in lines[line]:
                found.append(Change(function.name, number, "weakened"))
    return found


def apply(lines, change):
    line = barriers(lines, change.kernel)[change.number]
    weak = ["%mutant = arith.constant -1 : i32", "nvvm.bar.warp.sync %mutant : i32"]
    return lines[:line] + (weak if change.how == "weakened" else []) + lines[line + 1:]


def describe(lines, change):
    return f"{change.kernel}, line {barriers(lines, change.kernel)[change.number] + 1} {change.how}"


def draw(things, count, seed=1):
    """So many of them, the same ones each time, in their order; all without a number."""
    if count is None or count >= len(things):
        return list(things)
    return [things[i] for i in sorted(random.Random(seed).sample(range(len(things)), count))]

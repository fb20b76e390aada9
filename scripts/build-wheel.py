#!/usr/bin/env python3
"""Builds the wheel of the Python package, with the compiler inside.

  scripts/build-wheel.py [--build build-static] [--out dist]
  scripts/build-wheel.py --library build/lib/libobsidian.so [--out dist]

Builds libobsidian.so with LLVM inside, links it for glibc 2.28 with zig, and packs it with the
files of python/obsidian into dist/obsidian_gpu-VERSION-py3-none-manylinux_2_28_x86_64.whl. With
--library, packs an existing library, for this machine: py3-none-linux_x86_64. Needs the packages
setuptools and wheel of this Python, and without --library also ziglang.
"""

from __future__ import annotations

import argparse
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
GLIBC = "2.28"
TARGET = f"x86_64-linux-gnu.{GLIBC}"


def run(command: list[str], cwd: pathlib.Path = ROOT) -> str:
    """Runs a command; ends the script with its output if it fails."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"build-wheel: {shlex.join(command)[:300]}\n{done.stdout}{done.stderr}")
    return done.stdout


def find_archive(name: str) -> str:
    """A static library of the C++ compiler."""
    return run(["/usr/lib/llvm-22/bin/clang++", f"-print-file-name={name}"]).strip()


def link(build: pathlib.Path, library: pathlib.Path) -> None:
    """Links the objects of libobsidian.so again, for an older glibc."""
    zig = [sys.executable, "-m", "ziglang", "cc", "-target", TARGET, "-O2", "-fPIC"]
    shim = library.with_suffix(".o")
    run([*zig, "-c", str(ROOT / "lib/CAPI/OlderGlibc.c"), "-o", str(shim)])
    command = run(["ninja", "-C", str(build), "-t", "commands", "lib/libobsidian.so.1"])
    words = shlex.split(command.strip().splitlines()[-1])
    inputs = list(dict.fromkeys(word for word in words if word.endswith((".o", ".a"))))
    inputs += [find_archive(name) for name in ("libstdc++.a", "libgcc_eh.a", "libgcc.a")]
    exports = ROOT / "lib/CAPI/exports.map"
    run(
        [*zig, "-shared", "-s", "-Wl,--gc-sections", f"-Wl,--version-script={exports}"]
        + ["-Wl,--start-group", str(shim), *inputs, "-Wl,--end-group"]
        + ["-ldl", "-lpthread", "-lm", "-o", str(library)],
        cwd=build,
    )
    shim.unlink()


def pack(
    library: pathlib.Path, stage: pathlib.Path, out: pathlib.Path, platform: str
) -> pathlib.Path:
    """The wheel of the package with the library in it."""
    package = stage / "obsidian"
    # `make python` leaves a library in the tree.
    unwanted = shutil.ignore_patterns("lib", "__pycache__")
    shutil.copytree(ROOT / "python" / "obsidian", package, ignore=unwanted)
    (package / "lib").mkdir()
    shutil.copy(ROOT / "python" / "pyproject.toml", stage)
    shutil.copy(library, package / "lib" / "libobsidian.so")
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        build = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
        settings = f"--config-settings=--build-option=--plat-name={platform}"
        run([*build, settings, "--wheel-dir", folder, str(stage)])
        (wheel,) = pathlib.Path(folder).glob("*.whl")
        return pathlib.Path(shutil.copy(wheel, out))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default="build-static", help="folder of the static build")
    parser.add_argument("--library", help="a library to pack, in place of a build")
    parser.add_argument("--out", default="dist", help="folder of the wheel")
    options = parser.parse_args()
    out = ROOT / options.out
    with tempfile.TemporaryDirectory() as folder:
        stage = pathlib.Path(folder) / "stage"
        if options.library:
            wheel = pack(pathlib.Path(options.library), stage, out, "linux_x86_64")
        else:
            build = (ROOT / options.build).resolve()
            if not (build / "build.ninja").exists():
                run(["cmake", "--preset", "static", "-B", str(build)])
            run(["cmake", "--build", str(build), "--target", "obsidian"])
            library = pathlib.Path(folder) / "libobsidian.so"
            link(build, library)
            wheel = pack(library, stage, out, f"manylinux_{GLIBC.replace('.', '_')}_x86_64")
    print(f"{wheel}: {wheel.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Builds the wheel of the Python package, with the compiler inside, and that of its accelerator.

  scripts/build-wheel.py [--build build-static] [--out dist]
  scripts/build-wheel.py --library build/lib/libobsidian.so [--out dist]

Builds libobsidian.so with LLVM inside, links it for glibc 2.28 with zig, and packs it with the
files of python/obsidian into dist/obsidian_gpu-VERSION-py3-none-manylinux_2_28_x86_64.whl. With
--library, packs an existing library, for this machine: py3-none-linux_x86_64. Needs the packages
setuptools and wheel of this Python, and without --library also ziglang.

The accelerator is an optional module in C (python/accelerator). Its wheel has the tag cp310-abi3, so
it serves every Python from 3.10. It is not built if there is no Python.h of this Python, or no
compiler.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
GLIBC = "2.28"
TARGET = f"x86_64-linux-gnu.{GLIBC}"


def run(command: list[str], cwd: pathlib.Path = ROOT, **variables: str) -> str:
    """Runs a command; ends the script with its output if it fails."""
    environment = {**os.environ, **variables}
    done = subprocess.run(command, check=False, cwd=cwd, capture_output=True, text=True, env=environment)
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
    return make_wheel(stage, out, platform)


def make_wheel(
    stage: pathlib.Path, out: pathlib.Path, platform: str, **variables: str
) -> pathlib.Path:
    """The wheel of a folder with a pyproject.toml."""
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        build = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"]
        settings = f"--config-settings=--build-option=--plat-name={platform}"
        run([*build, settings, "--wheel-dir", folder, str(stage)], **variables)
        (wheel,) = pathlib.Path(folder).glob("*.whl")
        return pathlib.Path(shutil.copy(wheel, out))


def pack_accelerator(
    stage: pathlib.Path, out: pathlib.Path, platform: str, compiler: str
) -> pathlib.Path | None:
    """The wheel of the accelerator; None if there is no Python.h, or no compiler."""
    header = pathlib.Path(sysconfig.get_path("include")) / "Python.h"
    for needed in (header, shutil.which(shlex.split(compiler)[0]) or compiler):
        if not pathlib.Path(needed).exists():
            print(f"build-wheel: there is no {needed}: no wheel of the accelerator")
            return None
    shutil.copytree(ROOT / "python" / "accelerator", stage)
    link = f"{compiler} -shared"
    return make_wheel(stage, out, platform, CC=compiler, LDSHARED=link, CFLAGS="-O2")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", default="build-static", help="folder of the static build")
    parser.add_argument("--library", help="a library to pack, in place of a build")
    parser.add_argument("--cc", default="cc", help="the C compiler, with --library")
    parser.add_argument("--out", default="dist", help="folder of the wheels")
    options = parser.parse_args()
    out = ROOT / options.out
    with tempfile.TemporaryDirectory() as folder:
        stage = pathlib.Path(folder) / "stage"
        if options.library:
            platform, compiler = "linux_x86_64", options.cc
            wheel = pack(pathlib.Path(options.library), stage, out, platform)
        else:
            build = (ROOT / options.build).resolve()
            if not (build / "build.ninja").exists():
                run(["cmake", "--preset", "static", "-B", str(build)])
            run(["cmake", "--build", str(build), "--target", "obsidian"])
            library = pathlib.Path(folder) / "libobsidian.so"
            link(build, library)
            platform = f"manylinux_{GLIBC.replace('.', '_')}_x86_64"
            compiler = f"{sys.executable} -m ziglang cc -target {TARGET}"
            wheel = pack(library, stage, out, platform)
        stage = pathlib.Path(folder) / "accelerator"
        accelerator = pack_accelerator(stage, out, platform, compiler)
    for one in filter(None, (wheel, accelerator)):
        print(f"{one}: {one.stat().st_size / 1e6:.2f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())

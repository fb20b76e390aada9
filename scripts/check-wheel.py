#!/usr/bin/env python3
"""Installs a wheel in a fresh virtual environment, and runs the programs of examples/python there.

  scripts/check-wheel.py dist/obsidian_gpu-*.whl [--index]

Checks the files of the wheel, installs it with NumPy and nothing else, runs every documented call
of examples/python/, the notebook and `python -m obsidian`, and prints sizes, the time of an import,
and the tag that auditwheel finds, if this Python has it. Then it installs the accelerator, if its
wheel is in the same folder, and checks that the package uses it. NumPy is that of this Python, and
nothing is downloaded. With --index, pip downloads NumPy from its index. The exit status is 0 if there
is no problem.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import shlex
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import venv
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
REPEAT = 10

#: Runs the documented call of every example; the arguments are the files.
EXAMPLES = """
import doctest, importlib, pathlib, sys
files = [pathlib.Path(f) for f in sys.argv[1:]]
sys.path.insert(0, str(files[0].parent))
for file in files:
    result = doctest.testmod(importlib.import_module(file.stem))
    assert result.attempted and not result.failed, file
print(len(files), "examples")
"""
IMPORT = """
import sys, time
begin = time.perf_counter()
import numpy
middle = time.perf_counter()
import obsidian
print(middle - begin, time.perf_counter() - middle)
assert obsidian.__file__.startswith(sys.prefix), obsidian.__file__
"""


def run(command: list[str], **options: object) -> str:
    """The output of a command; ends the script if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode:
        sys.exit(f"check-wheel: {shlex.join(command)[:300]}\n{done.stdout}{done.stderr}")
    return done.stdout


def check_files(wheel: pathlib.Path) -> None:
    """Ends the script unless the wheel has the package, the library, and nothing else."""
    package = ROOT / "python" / "obsidian"
    expected = {
        f"obsidian/{path.relative_to(package).as_posix()}" for path in package.rglob("*.py")
    }
    expected |= {"obsidian/py.typed", "obsidian/lib/libobsidian.so"}
    with zipfile.ZipFile(wheel) as file:
        found = {name for name in file.namelist() if ".dist-info/" not in name}
    if found != expected:
        sys.exit(f"check-wheel: files that should not differ: {sorted(found ^ expected)}")


def install(wheel: pathlib.Path, folder: pathlib.Path, with_index: bool) -> str:
    """Makes a virtual environment with NumPy and the wheel; its Python."""
    venv.create(folder, with_pip=False, symlinks=True)
    python = str(folder / "bin" / "python")
    if not with_index:
        import numpy

        paths = {"base": str(folder), "platbase": str(folder)}
        target = pathlib.Path(sysconfig.get_path("platlib", "venv", paths))
        for path in pathlib.Path(numpy.__file__).parent.parent.glob("numpy*"):
            (target / path.name).symlink_to(path)
    install_wheel(python, wheel, with_index)
    return python


def install_wheel(python: str, wheel: pathlib.Path, with_index: bool) -> None:
    """Installs a wheel for a Python."""
    index = [] if with_index else ["--no-index"]
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", *index]
    run([*pip, "--disable-pip-version-check", str(wheel)])


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wheel", type=pathlib.Path)
    parser.add_argument("--index", action="store_true", help="get NumPy from the index of pip")
    options = parser.parse_args()
    wheel = options.wheel.resolve()
    check_files(wheel)
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
    if subprocess.run([sys.executable, "-c", "import auditwheel"], check=False, capture_output=True).returncode:
        print("auditwheel: not installed")
    else:
        print(run([sys.executable, "-m", "auditwheel", "show", str(wheel)]).strip())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        python = install(wheel, folder / "venv", options.index)
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("OBS_", "PYTHON"))}
        environment |= {"OBS_CACHE_DIR": str(folder / "cache"), "PYTHONWARNINGS": "ignore"}

        def run_python(*words: str) -> str:
            return run([python, *words], cwd=folder, env=environment).strip()

        lines = [run_python("-c", IMPORT).split() for _ in range(REPEAT)]
        numpy, package = (statistics.median(float(x[i]) for x in lines) for i in range(2))
        (installed,) = (folder / "venv" / "lib").glob("*/site-packages/obsidian")
        size = sum(path.stat().st_size for path in installed.rglob("*"))
        version = run_python("--version")
        print(f"installed with {version} and NumPy: {size / 1e6:.1f} MB in {installed.name}/")
        print(f"import obsidian: {package:.3f} s, after {numpy:.3f} s for NumPy (medians of {REPEAT})")
        examples = sorted((ROOT / "examples" / "python").glob("*.py"))
        files = [str(path) for path in examples if path.stem != "sizes"]
        print(run_python("-c", EXAMPLES, *files))
        for accelerator in wheel.parent.glob("obsidian_gpu_accelerator-*.whl"):
            use = "from obsidian.accelerator import accelerator as found; assert found()"
            run_python("-c", use.replace("assert", "assert not"))
            install_wheel(python, accelerator, options.index)
            run_python("-W", "error", "-c", use)
            print(f"with {accelerator.name}: {accelerator.stat().st_size / 1e3:.0f} kB")
        notebook = shutil.copy(ROOT / "examples" / "python" / "tour.ipynb", folder)
        # Python 3.10 has no columns, so the notebook shows other places there.
        update = ["--update"] if sys.version_info < (3, 11) else []
        run_python(str(ROOT / "scripts" / "check-notebook.py"), *update, notebook)
        report = run_python("-m", "obsidian", f"{ROOT}/examples/python/saxpy.py:saxpy", "explain")
        print("the notebook, and", report.splitlines()[0].replace(f"{ROOT}/", ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())

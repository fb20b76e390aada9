"""Records the programs that Python code gives to the compiler, as .mlir files.

  python -m obstest.record FOLDER SOURCE

SOURCE is one of `sources()`: a Python file whose doctests run, or the works of the benchmarks, each
of which runs at its smallest size. Its k-th program is FOLDER/SOURCE/k.mlir. Fails if a doctest
fails. Needs NumPy; OBS_LIBRARY names the library of the compiler.
"""

import doctest
import importlib.util
import pathlib
import sys

from obstest import ROOT

WORKS = "benchmarks/suite/works.py"
# The one needs PyTorch, the other has no program.
LEFT_OUT = {"examples/python/dist_sum.py", "examples/python/sizes.py"}


def sources():
    """The Python files with programs, relative to the repository."""
    paths = [*(ROOT / "examples/python").glob("*.py"), *(ROOT / "examples/arrays").glob("*.py")]
    names = sorted(path.relative_to(ROOT).as_posix() for path in paths)
    return [name for name in names if name not in LEFT_OUT] + [WORKS]


def run_doctests(path):
    """Runs the examples in the docstrings of a Python file. Returns how many fail."""
    sys.path.insert(0, str(path.parent))
    specification = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(specification)
    sys.modules[path.stem] = module
    specification.loader.exec_module(module)
    return doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE).failed


def run_works():
    """Runs the works of the benchmarks on the emulator."""
    import numpy

    sys.path.insert(0, str(ROOT / "benchmarks"))
    from suite.works import all_works

    with numpy.errstate(over="ignore"):
        for work in all_works().values():
            work.run(*work.inputs(numpy, min(work.small)))
    return 0


def main(folder, source):
    from obsidian.native import NativeBackend

    texts, compile_text = [], NativeBackend.compile

    def record(backend, text, options):
        if text not in texts:
            texts.append(text)
            path = pathlib.Path(folder, source, f"{len(texts)}.mlir")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return compile_text(backend, text, options)

    NativeBackend.compile = record
    failed = run_works() if source == WORKS else run_doctests(ROOT / source)
    if not texts:
        sys.exit(f"{source} gives no program to the compiler")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

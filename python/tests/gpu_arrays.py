"""The programs of examples/arrays on a GPU against NumPy.

    OBS_LIBRARY=.../libobsidian.so PYTHONPATH=python python3 python/tests/gpu_arrays.py

Needs a GPU, CuPy and pytest, whose cases it takes. Prints one object of JSON: each program with the
number of cases that were right, or what went wrong. The exit status is the number of programs that
failed.
"""

from __future__ import annotations

import json
import sys
import traceback
import warnings
from typing import Any

import cupy
import numpy as np
from test_arrays_examples import CASES, flat, load


def moved(value: Any) -> Any:
    """The same with arrays of the GPU."""
    if isinstance(value, tuple):
        return tuple(moved(part) for part in value)
    return cupy.asarray(value) if isinstance(value, np.ndarray) else value


def run(name: str) -> str:
    """All cases of one program."""
    right = 0
    for entry, values, expected, tolerance in CASES[name]():
        on_gpu = moved(values)
        if not any(isinstance(part, cupy.ndarray) for part in flat_objects(on_gpu)):
            return "not run: no argument is an array, so it runs on the emulator"
        found = [cupy.asnumpy(part) for part in flat_objects(getattr(load(name), entry)(*on_gpu))]
        for one, other in zip(found, flat(expected), strict=True):
            if tolerance:
                np.testing.assert_allclose(one, other, tolerance, tolerance)
            else:
                np.testing.assert_array_equal(one, other)
        right += 1
    return f"ok: {right} cases"


def flat_objects(value: Any) -> list[Any]:
    """The parts of tuples in tuples."""
    if isinstance(value, tuple):
        return [part for item in value for part in flat_objects(item)]
    return [value]


def main() -> int:
    """Run all programs."""
    warnings.simplefilter("ignore")
    results = {}
    for name in CASES:
        try:
            results[name] = run(name)
        except Exception:
            results[name] = traceback.format_exc()
    print(json.dumps(results, indent=1))
    return sum(not result.startswith(("ok", "not run")) for result in results.values())


if __name__ == "__main__":
    sys.exit(main())

"""Calls on a GPU that need no preparation: one function for each program, framework and GPU.

In: the parameters of a program, and the program on a GPU. Out: `fast_call`, a function of the
values of a call. It tests that each value has the usual form: a number of Python, or a contiguous
and aligned array of one framework on one GPU, with the extents that the parameters require. Then it
packs all words of the run at once, and runs the program. For any other value, it returns None and
changes nothing. Then `calls.py` prepares the values, for example by a copy, or reports an error.

The function is a text that is compiled once, like the methods of dataclasses, because a loop over
the parameters takes longer than the tests. For `f(k: f32, x: Pull["n", f32], y: Pull["n", f32])`
and PyTorch:

    def call(values):
        a0, a1, a2 = values
        if not (type(a0) is float and type(a1) in kinds and ... and not a2.is_neg()):
            return None
        ...
        with lock:
            pack(memory, 0, a0, a1_pointer, a1_0, a2_pointer, a2_0)
            return run(stream(index))
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Sequence
from typing import Any

from .parameters import Parameter
from .views import ALIGNMENT, DTYPES, Framework

#: For the types of numbers: the class in Python, and the word of `obs_run_packed`.
NUMBERS = {
    "i1": ("bool", "?7x"),
    "i8": ("int", "b7x"),
    "i16": ("int", "h6x"),
    "i32": ("int", "i4x"),
    "i64": ("int", "q"),
    "index": ("int", "q"),
    "f32": ("float", "f4x"),
    "f64": ("float", "d"),
}
#: Runs a program after the earlier work of a stream.
Run = Callable[[int], list[Any]]
#: A function of the values of a call: the results, or None if the values have another form.
FastCall = Callable[[Sequence[Any]], list[Any] | None]


def fast_call(
    parameters: Sequence[Parameter],
    framework: Framework,
    index: int,
    lock: Any,
    memory: Any,
    run: Run,
    written: Collection[str],
) -> FastCall | None:
    """The fast call of a program for arrays of a framework on the GPU `index`.

    `written` names the parameters that the program may write: such an array must be writable, and
    share no memory with another one.

    None for parameters that need preparation: tuples of arrays, numbers of 16 bits, or elements
    that the framework does not have.
    """
    if framework.fast is None:
        return None
    test, address = framework.fast
    given: dict[str, Any] = {
        "kinds": framework.fast_classes(), "lock": lock, "memory": memory, "run": run,
        "stream": framework.stream, "error": struct.error,
    }  # fmt: skip
    tests, shapes, pointers, checks, words = [], [], [], [], []
    layout = "<"
    sizes: dict[str, str] = {}
    targets = []
    labels: dict[str, str] = {}
    for number, parameter in enumerate(parameters):
        a = f"a{number}"
        if parameter.number is not None:
            found = NUMBERS.get(parameter.number)
            if found is None:
                return None
            tests.append(f"type({a}) is {found[0]}")
            layout += found[1]
            words.append(a)
            continue
        if len(parameter.elements) != 1:
            return None
        dtype = framework.fast_dtype(parameter.elements[0])
        if dtype is None:
            return None
        given[f"dtype{number}"] = dtype
        tests.append(f"type({a}) in kinds")
        tests.append(test.format(a=a, dtype=f"dtype{number}", index=index))
        extents = [f"{a}_{d}" for d in range(parameter.rank)]
        shapes.append(f"[{', '.join(extents)}] = {a}.shape")
        pointers.append(f"{a}_pointer = {address.format(a=a)}")
        words += [f"{a}_pointer", *extents]
        itemsize = DTYPES[parameter.elements[0]].itemsize
        sizes[a] = " * ".join([str(itemsize), *extents])
        if parameter.name in written:
            tests.append(framework.fast_writable.format(a=a))
            targets.append(a)
        layout += "Q" + "q" * parameter.rank
        for d, extent, bound, label in parameter.dimensions:
            if extent is not None:
                checks.append(f"{extents[d]} == {extent}")
            if bound is not None:
                checks.append(f"{extents[d]} <= {bound}")
            if label is not None and labels.setdefault(label, extents[d]) != extents[d]:
                checks.append(f"{extents[d]} == {labels[label]}")
    if not pointers:
        return None
    given["pack"] = struct.Struct(layout).pack_into
    joined = " | ".join(line.partition(" ")[0] for line in pointers)
    checks.append(f"not ({joined}) % {ALIGNMENT}")
    for a, size in ((a, sizes[a]) for a in targets):
        for b, other in sizes.items():
            if a != b:
                checks.append(
                    f"({a}_pointer + {size} <= {b}_pointer or {b}_pointer + {other} <= {a}_pointer"
                    f" or not {size} or not {other})"
                )
    lines = [
        "def call(values):",
        f"    {''.join(f'a{n}, ' for n in range(len(parameters)))}= values",
        f"    if not ({' and '.join(tests)}):",
        "        return None",
        "    try:",
        *(f"        {line}" for line in shapes),
        "    except ValueError:",
        "        return None",
        *(f"    {line}" for line in pointers),
        f"    if not ({' and '.join(checks)}):",
        "        return None",
        "    with lock:",
        "        try:",
        f"            pack(memory, 0, {', '.join(words)})",
        "        except (error, OverflowError):",
        "            return None",
        f"        return run(stream({index}))",
    ]
    exec(compile("\n".join(lines), "<obsidian fast call>", "exec"), given)
    call: FastCall = given["call"]
    return call

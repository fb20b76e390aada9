"""Corners of calls that no other test visits."""

from __future__ import annotations

import builtins
import copy
import functools
import gc
import pickle
import re
import subprocess
import sys
import threading
import types
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest

import obsidian as obs
from obsidian import Pull, TraceError, f32, i32, index, native

Ints = Annotated[Pull, "n", i32]
A = np.array([-7, -1, 0, 1, 2, 5, 100], np.int32)

TABLE = np.int32([10, 20, 30])


def test_wrong_static_values_and_options() -> None:
    @obs.jit
    def f(a: Ints, *, size: int) -> Any:
        return a + size

    with pytest.raises(obs.ArgumentTypeError, match="size is missing"):
        f.mlir()
    with pytest.raises(TraceError, match="stands before a function"):
        obs.jit(3)  # type: ignore[type-var]

    def many(*arrays: Any) -> Any:
        return arrays

    with pytest.raises(TraceError, match=r"has no \* or \*\* parameter"):
        obs.jit(many)(A)


def test_a_number_for_an_unannotated_parameter() -> None:
    @obs.jit
    def f(a: Any, k: Any) -> Any:
        return a * k

    f.__wrapped__.__annotations__.clear()
    np.testing.assert_array_equal(f(A, np.int32(3)), 3 * A)
    # An array without dimensions is a number.
    np.testing.assert_array_equal(f(A, np.array(3, np.int32)), 3 * A)
    with pytest.raises(obs.ArgumentTypeError, match="k has no annotation"):
        f(A, "3")


@pytest.mark.parametrize("annotated", [True, False])
def test_arrays_of_other_elements_are_named(annotated: bool) -> None:
    def f(a: Any, b: Any) -> Any:
        return a + b

    f.__annotations__.clear()
    if annotated:
        f.__annotations__.update(dict.fromkeys("ab", Annotated[obs.Pull, "n", obs.i32]))
    swapped = A.astype(A.dtype.newbyteorder())
    with pytest.raises(obs.ArgumentTypeError, match=r"^b: an array.*x\.astype\(np\.int32\)"):
        obs.jit(f)(A, swapped)
    with pytest.raises(obs.ArgumentTypeError, match=r"^b: an array of numpy.*complex128"):
        obs.jit(f)(A, A + 1j)
    with pytest.raises(obs.ArgumentTypeError, match=r"^b: an array of a program has no mask"):
        obs.jit(f)(A, np.ma.masked_less(A, 0))


def test_recursion_of_values_of_python() -> None:
    """A function may call itself while Python decides the end."""

    def tree(a: Any, depth: int) -> Any:
        if depth == 0:
            return a
        return tree(a + 1, depth - 1)

    @obs.jit
    def f(a: Ints) -> Any:
        return tree(a, 5)

    np.testing.assert_array_equal(f(A), A + 5)


def test_recursion_on_values_of_the_program() -> None:
    """A condition of the program cannot end a recursion."""

    @obs.function
    def down(x: Any) -> Any:
        if x > 0:
            return down(x - 1)
        return x

    @obs.jit
    def f(a: Ints) -> Any:
        return a.map(down)

    with pytest.raises(TraceError, match="this recursion does not end"):
        f(A)
    np.testing.assert_array_equal(obs.jit(lambda a: a + 1)(A), A + 1)


def test_a_function_that_calls_itself_as_a_program() -> None:
    @obs.jit
    def f(a: Ints) -> Any:
        return f(a)

    with pytest.raises(TraceError, match="this recursion does not end"):
        f(A)


def test_printing_while_traced(capsys: pytest.CaptureFixture[str]) -> None:
    """Python's print runs once, while the function is traced; the value shows what it is."""

    @obs.jit
    def f(a: Ints) -> Any:
        print("tracing", a)
        return a + 1

    for _ in range(2):
        np.testing.assert_array_equal(f(A), A + 1)
    assert re.fullmatch(r"tracing <traced !obs\.pull<\? x i32> %\w+>\n", capsys.readouterr().out)


def test_too_large() -> None:
    """Arrays that do not fit into the shared memory of a block, or into any memory."""

    @obs.jit
    def block(a: Annotated[Pull, 2**20, i32]) -> Any:
        return obs.concat(c.force().reverse() for c in a.split(2**19))

    with pytest.raises(obs.CompileError, match=r"shared memory|bytes"):
        block(np.zeros(2**20, np.int32))

    @obs.jit
    def huge(n: index) -> Any:
        return obs.iota(n)

    with pytest.raises(obs.RunError, match=r"memory|too large|extent|bytes"):
        huge(2**61)
    with pytest.raises(obs.RunError):
        huge(-1)
    np.testing.assert_array_equal(huge(3), [0, 1, 2])


def test_threads_share_functions() -> None:
    """Several threads trace, compile and run one function and their own."""

    @obs.jit
    def shared(a: Ints, *, k: int) -> Any:
        return a * k + 1

    errors: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for k in range(number, number + 3):
                np.testing.assert_array_equal(shared(A, k=k), A * k + 1)

                @obs.jit
                def own(a: Ints) -> Any:
                    return a + k

                np.testing.assert_array_equal(own(A), A + k)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


FORKED = """
import os, numpy as np, obsidian as obs
from obsidian import Pull, i32
from typing import Annotated
def f(a: Annotated[Pull, "n", i32]): return a + 1
g, a = obs.jit(f), np.arange(5, dtype=np.int32)
assert g(a).tolist() == [1, 2, 3, 4, 5]
child = os.fork()
if child == 0:
    h = obs.jit(lambda a: a * 2)
    os._exit(0 if g(a).tolist() == [1, 2, 3, 4, 5] and h(a).tolist() == [0, 2, 4, 6, 8] else 1)
assert os.waitpid(child, 0)[1] == 0
print(g(a))
"""


def test_fork_after_use() -> None:
    """A child runs on the emulator what the parent has compiled, and compiles more."""
    done = subprocess.run(
        [sys.executable, "-c", FORKED], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.stdout, done.returncode) == ("[1 2 3 4 5]\n", 0), done.stderr


#: A program whose runs take as long as the numbers are large.
SLOW = """
import os, signal, sys, threading, time, numpy as np, obsidian as obs
from obsidian import Pull, i32
from typing import Annotated
@obs.jit
def slow(a: Annotated[Pull, "n", i32]):
    def count(x):
        y = x
        while x > 0:
            x, y = x - 1, y * y + x
        return y
    return a.map(count)
small = np.ones(4, np.int32)
slow(small)
"""

FORKED_DURING_A_RUN = (
    SLOW
    + """
large = np.full(1000, 100000, np.int32)
thread = threading.Thread(target=lambda: print(slow(large).size, flush=True))
thread.start()
time.sleep(0.1)
child = os.fork()
if child == 0:
    os._exit(0 if slow(small).tolist() == [2, 2, 2, 2] else 1)
end = time.monotonic() + 60
while not (found := os.waitpid(child, os.WNOHANG))[0] and time.monotonic() < end:
    time.sleep(0.01)
if not found[0]:
    os.kill(child, 9)
thread.join()
print(found[0] == child, found[1])
"""
)


def test_fork_during_a_run_of_another_thread(tmp_path: Path) -> None:
    """The fork waits for the run: in the child, nobody would end it."""
    (tmp_path / "forked.py").write_text(FORKED_DURING_A_RUN)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(tmp_path / "forked.py")],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.stdout == "1000\nTrue 0\n", done.stderr


def test_errors_keep_nothing() -> None:
    """Calls that fail keep no programs and no runs of the library, and the next call works."""

    @obs.jit
    def limited(a: Annotated[Pull, "n <= 9", i32], k: index) -> Any:
        assert k < 5, "k is too large"
        return a + k.to(i32)

    @obs.jit
    def overlapping(a: Annotated[Pull, 7, i32], *, k: int) -> Any:
        @obs.fill(40, i32, over=7, init=0)
        def same(t: Any) -> Any:
            return {t * 0 + k: a[t]}

        return same.force()

    def handles() -> int:
        gc.collect()
        return sum(type(one) is native._Handle for one in gc.get_objects())

    np.testing.assert_array_equal(limited(A, 1), A + 1)
    before = handles()
    for k in range(20):
        for wrong, kind in (
            (lambda: limited(A, 5), obs.RunError),
            (lambda: limited(np.zeros(10, np.int32), 1), obs.ArgumentError),
            (lambda: limited(A.astype(np.float32), 1), obs.ArgumentTypeError),
            (lambda: limited(A.reshape(1, -1), 1), obs.ArgumentTypeError),
            (lambda: limited(A, 2**64), obs.ArgumentError),
            (lambda: limited(A), obs.ArgumentTypeError),
            (lambda: overlapping(A, k=k), obs.CompileError),
        ):
            with pytest.raises(kind):
                wrong()
    assert handles() == before
    np.testing.assert_array_equal(limited(A, 2), A + 2)


@obs.jit
def doubled(a: Ints) -> Any:
    return 2 * a


def test_functions_are_pickled_by_name() -> None:
    """A process that unpickles a function imports its module, as for functions of Python."""
    for value in (doubled, [doubled], functools.partial(doubled)):
        found = pickle.loads(pickle.dumps(value))
        np.testing.assert_array_equal((found[0] if isinstance(found, list) else found)(A), 2 * A)
    assert pickle.loads(pickle.dumps(doubled)) is doubled
    assert copy.deepcopy(doubled) is doubled
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(obs.jit(lambda a: a))


def test_names_of_an_import_of_all() -> None:
    """`from obsidian import *` hides no function of Python, and these names stay attributes."""
    names: dict[str, Any] = {}
    exec("from obsidian import *", names)
    assert names.keys() & vars(builtins).keys() == {"__builtins__"} & vars(builtins).keys()
    assert {"Pull", "f32", "jit", "concat"} <= names.keys()
    hidden = {"filter", "max", "min", "pow", "print", "range", "round", "sum", "zip"}
    assert hidden == {name for name in vars(obs) if name in vars(builtins) and name[0] != "_"}
    assert set(obs.__all__) | hidden == {
        name
        for name, value in vars(obs).items()
        if name[0] != "_" and (name in obs.__all__ or not isinstance(value, types.ModuleType))
    } - {"TYPE_CHECKING"}


def test_elements_cannot_be_assigned() -> None:
    @obs.jit
    def f(a: Ints) -> Any:
        a[0] = 1
        return a

    with pytest.raises(TraceError, match="arrays never change"):
        f(A)

    @obs.jit
    def table(a: Ints) -> Any:
        TABLE[0] = 7
        return a + int(TABLE[0])

    with pytest.raises(TraceError, match="the function changes"):
        table(A)
    TABLE[0] = 10


def test_interrupt_while_traced() -> None:
    """An exception of Python in a traced function reaches the caller."""

    @obs.jit
    def f(a: Ints, *, error: type[BaseException] | None) -> Any:
        def g(x: Any) -> Any:
            if error is not None:
                raise error("stop")
            return x + 1

        return a.map(g)

    for error in (KeyboardInterrupt, ZeroDivisionError, SystemExit):
        with pytest.raises(error, match="stop"):
            f(A, error=error)
        np.testing.assert_array_equal(f(A, error=None), A + 1)


def test_read_only_arrays_are_arguments() -> None:
    @obs.jit
    def f(a: Ints) -> Any:
        return a + 1

    fixed = A.copy()
    fixed.flags.writeable = False
    np.testing.assert_array_equal(f(fixed), A + 1)


INTERRUPTED = (
    SLOW
    + """
@obs.jit
def large(a: Annotated[Pull, "n", i32], *, k):
    for _ in range(k):
        a = obs.concat(c.reverse().force().reverse() for c in a.split(32, pad=0)).force()
    return a
# A shell may start programs that ignore the signal.
signal.signal(signal.SIGINT, signal.default_int_handler)
def interrupt():
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)
for work in (lambda: slow(np.full(2000, 200000, np.int32)), lambda: large(small, k=150)):
    threading.Thread(target=interrupt).start()
    try:
        work()
        time.sleep(1)
        print("done")
    except KeyboardInterrupt:
        print("interrupted")
    print(slow(small).tolist())
"""
)


def test_interrupts(tmp_path: Path) -> None:
    """Ctrl-C in a run and in a compilation: KeyboardInterrupt when it ends; the next call works."""
    (tmp_path / "interrupted.py").write_text(INTERRUPTED)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(tmp_path / "interrupted.py")],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.stdout == "interrupted\n[2, 2, 2, 2]\n" * 2, done.stderr


@pytest.mark.parametrize("bits", [0, 1, 5, 8])
def test_bitonic_sort_of_pairs(bits: int) -> None:
    """An order of tuples: by the second component downwards, then by the first."""
    size = 1 << bits

    def is_before(x, y):
        return (x[1] > y[1]) | ((x[1] == y[1]) & (x[0] < y[0]))

    @obs.jit
    def program(a: Annotated[Pull, size, i32], b: Annotated[Pull, size, f32]):
        return obs.stack(
            (obs.bitonic_sort(c, is_before) for c in obs.zip(a, b).reshape(1, size).rows()),
            level=obs.block,
        )

    random = np.random.default_rng(bits)
    a = random.permutation(size).astype(np.int32)
    b = random.integers(0, 4, size).astype(np.float32)
    order = np.lexsort((a, -b))
    found = program(a, b)
    np.testing.assert_array_equal(found[0][0], a[order])
    np.testing.assert_array_equal(found[1][0], b[order])


@pytest.mark.parametrize("name", ["bitonic_sort", "odd_even_sort", "sort_runs"])
def test_orders_of_networks(name: str) -> None:
    """Pairs by the second component downwards; the first one of equal ones is any of them."""

    def is_before(x, y):
        return (x[1] > y[1]) | ((x[1] == y[1]) & (x[0] < y[0]))

    sizes = {"sort_runs": (128,)}.get(name, ())

    @obs.jit
    def program(a: Ints, b: Ints):
        chunks = obs.zip(a, b).split(128)
        return obs.concat(
            (getattr(obs, name)(c, *sizes, is_before=is_before) for c in chunks), level=obs.block
        )

    random = np.random.default_rng(3)
    a, b = random.permutation(256).astype(np.int32), random.integers(0, 9, 256).astype(np.int32)
    order = np.concatenate([np.lexsort((a[k : k + 128], -b[k : k + 128])) + k for k in (0, 128)])
    found = program(a, b)
    np.testing.assert_array_equal(found[0], a[order])
    np.testing.assert_array_equal(found[1], b[order])


def test_merge_runs_in_another_order() -> None:
    """A falling half and a rising half become one falling run."""

    @obs.jit
    def merge(a: Ints):
        chunks = a.split(64)
        return obs.concat(
            (obs.merge_runs(c, 6, lambda x, y: x > y) for c in chunks), level=obs.block
        )

    a = np.random.default_rng(4).permutation(128).astype(np.int32).reshape(-1, 2, 32)
    halves = -np.sort(-a)
    halves[:, 1] = halves[:, 1, ::-1]
    expected = -np.sort(-a.reshape(-1, 64))
    np.testing.assert_array_equal(merge(halves.ravel()), expected.ravel())

"""Functions of scalars that also apply to arrays: mathematics, min, max, where; bits; printing.

In: traced scalars, arrays and numbers. Out: scalars for scalars, arrays for arrays.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from typing import Any

from . import maps, reading
from .errors import TraceError
from .programs import join_all, walk
from .regions import Array, as_leaves, leaf_type, names, types
from .scalars import Scalar, agree, elementwise, make, select
from .trace import current, quoted, use
from .types import Element, i1


def spread(function: Callable[..., Any], operands: Sequence[Any]) -> Any:
    """Apply a function of scalars to scalars, or to the elements of arrays."""
    arrays = [operand for operand in operands if isinstance(operand, Array)]
    if not arrays:
        return function(*operands)

    def call(*elements: Any) -> Any:
        rest = iter(elements)
        return function(*(next(rest) if isinstance(o, Array) else o for o in operands))

    return maps.map_arrays(call, arrays)


def _function(
    name: str, kinds: str, count: int, text: str, operation: str = ""
) -> Callable[..., Any]:
    """A function of `count` operands of one type; `kinds` is float, int, or both.

    Its operation in the dialect `math` has the same name, or another one.
    """

    def apply(*operands: Any) -> Any:
        values = agree(*operands)
        kind = values[0].kind
        if kind not in kinds.split():
            raise TraceError(f"{name} takes a {kinds.split()[0]}, not {values[0].type_name}")
        return elementwise(f"math.{operation or name}", *values)

    def function(*operands: Any) -> Any:
        if len(operands) != count:
            raise TraceError(f"{name} takes {count} operands, not {len(operands)}")
        return spread(apply, operands)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = text
    return function


def _float(name: str, text: str, count: int = 1, operation: str = "") -> Callable[..., Any]:
    return _function(name, "float", count, text, operation)


exp = _float("exp", "e to the power of x.")
exp2 = _float("exp2", "2 to the power of x.")
expm1 = _float("expm1", "exp(x) - 1, precise for small x.")
log = _float("log", "The natural logarithm.")
log2 = _float("log2", "The logarithm to base 2.")
log10 = _float("log10", "The logarithm to base 10.")
log1p = _float("log1p", "log(1 + x), precise for small x.")
sqrt = _float("sqrt", "The square root, correctly rounded.")
rsqrt = _float("rsqrt", "1 / sqrt(x).")
cbrt = _float("cbrt", "The cube root.")
sin = _float("sin", "The sine of an angle in radians.")
cos = _float("cos", "The cosine of an angle in radians.")
tan = _float("tan", "The tangent of an angle in radians.")
asin = _float("asin", "The inverse sine, in radians.")
acos = _float("acos", "The inverse cosine, in radians.")
atan = _float("atan", "The inverse tangent, in radians.")
sinh = _float("sinh", "The hyperbolic sine.")
cosh = _float("cosh", "The hyperbolic cosine.")
tanh = _float("tanh", "The hyperbolic tangent.")
asinh = _float("asinh", "The inverse hyperbolic sine.")
acosh = _float("acosh", "The inverse hyperbolic cosine.")
atanh = _float("atanh", "The inverse hyperbolic tangent.")
erf = _float("erf", "The error function.")
erfc = _float("erfc", "1 - erf(x).")
floor = _float("floor", "The next whole number downwards, as a float.")
ceil = _float("ceil", "The next whole number upwards, as a float.")
trunc = _float("trunc", "The next whole number towards zero, as a float.")
round = _float("round", "The nearest whole number, ties to even, as a float.", 1, "roundeven")
atan2 = _float("atan2", "The angle of the point (x, y), in radians: atan2(y, x).", 2)
pow = _float("pow", "x to the power of y, for floats.", 2, "powf")
copysign = _float("copysign", "The magnitude of x with the sign of y.", 2)
fma = _float("fma", "a * b + c, rounded once.", 3)
ctlz = _function("ctlz", "int index", 1, "The number of leading zero bits.")
cttz = _function("cttz", "int index", 1, "The number of trailing zero bits.")
ctpop = _function("ctpop", "int index", 1, "The number of set bits.")


def _fold(function: Callable[[Any, Any], Any], operands: tuple[Any, ...]) -> Any:
    if len(operands) < 2:
        raise TraceError("min and max take two operands or more; for an array there is a.min()")
    result = operands[0]
    for operand in operands[1:]:
        result = spread(function, (result, operand))
    return result


def min(*operands: Any) -> Any:
    """The smallest of two or more scalars or arrays; a NaN if one is a NaN.

    Of Python integers the result is one, too.
    """
    if len(operands) > 1 and all(type(operand) is int for operand in operands):
        return builtins.min(operands)
    return _fold(reading.smallest, operands)


def max(*operands: Any) -> Any:
    """The largest of two or more scalars or arrays; a NaN if one is a NaN.

    Of Python integers the result is one, too.
    """
    if len(operands) > 1 and all(type(operand) is int for operand in operands):
        return builtins.max(operands)
    return _fold(reading.largest, operands)


def div(a: Any, b: Any) -> Any:
    """The quotient of integers, rounded towards zero."""
    return spread(lambda x, y: _integers("arith.divsi", x, y), (a, b))


def rem(a: Any, b: Any) -> Any:
    """The remainder that goes with `div`; it has the sign of the left operand."""
    return spread(lambda x, y: _integers("arith.remsi", x, y), (a, b))


def ceil_div(a: Any, b: Any) -> Any:
    """The quotient of integers, rounded up. Of Python numbers the result is one, too."""
    if isinstance(a, int) and isinstance(b, int):
        return -(-a // b)

    def divide(x: Any, y: Any) -> Any:
        left, right = agree(x, y)
        is_natural = left.is_natural and right.is_natural
        result = _integers("arith.ceildivui" if is_natural else "arith.ceildivsi", left, right)
        result.is_natural = is_natural
        return result

    return spread(divide, (a, b))


def _integers(operation: str, a: Any, b: Any) -> Any:
    left, right = agree(a, b)
    if left.kind not in ("int", "index"):
        raise TraceError(f"this function is for integers, not for {left.type_name}")
    text = f"{operation} {use(left)}, {use(right)} : {left.type_name}"
    return make(type(left), current().emit(text, 1)[0])


def where(condition: Any, yes: Any, no: Any) -> Any:
    """`yes` where the condition is true, else `no`; both are computed.

    Operands are scalars, tuples of scalars, or arrays. With an array as the condition, the choice
    is made for each element; with one condition, whole arrays of one type may be chosen.
    """
    if isinstance(condition, bool):
        return yes if condition else no
    if isinstance(condition, Scalar) and isinstance(yes, Array) and isinstance(no, Array):
        return maps.select_array(condition, yes, no)
    return spread(choose, (condition, yes, no))


def choose(condition: Any, yes: Any, no: Any) -> Any:
    """A choice between two elements of one type."""
    if not isinstance(condition, i1):
        raise TraceError("a condition is an i1: compare, as in x > 0")
    leaves, shape = as_leaves(yes) if has_types(yes) else as_leaves(no)
    element = Element(tuple(leaf_type(leaf) for leaf in leaves), shape)
    pairs = builtins.zip(as_leaves(yes, element)[0], as_leaves(no, element)[0])
    return element.value([select(condition, y, n) for y, n in pairs])


def has_types(value: Any) -> bool:
    """True if a value contains a traced scalar, which determines the type of numbers."""
    if isinstance(value, (tuple, list)):
        return any(map(has_types, value))
    return not isinstance(value, (int, float))


def assert_(condition: Any, message: str) -> None:
    """Stop the program with a message if the condition is false."""
    if isinstance(condition, bool):
        if not condition:
            raise TraceError(message)
        return
    current().emit(f"obs.assert {use(condition)}, {quoted(message)}")


def print(text: str, *values: Any) -> None:
    """Print scalars when the program runs; each `{}` of the text stands for one of them."""
    leaves = [leaf for value in values for leaf in as_leaves(value)[0]]
    operands = f", {names(leaves)} : {types(leaves)}" if leaves else ""
    current().emit(f"obs.print {quoted(text)}{operands}")


def _arrays(name: str, operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """The operands of a function of arrays."""
    for operand in operands or (None,):
        if not isinstance(operand, Array):
            what = type(operand).__name__ if operands else "nothing"
            raise TraceError(f"{name} takes arrays, as in obs.{name}(a, b), not {what}")
    return operands


def zip(*arrays: Any) -> Any:
    """One array of tuples, of arrays of equal extents."""
    return maps.zip_arrays(_arrays("zip", arrays))


def interleave(*arrays: Any) -> Any:
    """Element `k * i + j` is element i of array j of k arrays."""
    return maps.interleave(_arrays("interleave", arrays))


def concat(*arrays: Any, level: Any = None, to: Any = None, dim: int = 0) -> Any:
    """The arrays one after the other; or the chunks that sub-programs return, as one array.

    `concat(a, b)` joins arrays along the dimension `dim`. `concat(f(c) for c in a.split(512))` runs
    one sub-program for each chunk, as `stack` does, and joins what they return; `to` is the extent
    of the result (a tuple for several), and elements past it are dropped.
    """
    if len(arrays) == 1 and not isinstance(arrays[0], Array):
        if isinstance(arrays[0], (list, tuple)):
            return concat(*arrays[0], level=level, to=to, dim=dim)
        return join_all(walk(arrays[0], level), to)
    if level is not None or to is not None:
        raise TraceError("level= and to= belong to concat of a generator: (f(c) for c in ...)")
    return maps.concat(arrays, dim)

"""Operations on elements: the table of functions of scalars.

In: nodes of a graph. Out: their elementwise functions. A rule determines the type to which the
operands are converted: the type of the result or the common type of all operands (which is then
widened for arithmetic), truth values, or bits.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .. import functions as fn
from ..control import while_loop
from ..scalars import Scalar, agree
from ..scalars import elementwise as scalar_operation
from ..types import i1
from .values import (
    Builder,
    Tensor,
    UnsupportedError,
    convert,
    is_tensor,
    kind_of,
    literal,
    narrow,
    number,
    torch,
    value_of,
    wide,
    widen,
)  # fmt: skip


def is_float(x: Any) -> bool:
    """True if an operand is a float of the program or of Python."""
    return isinstance(x, float) or (isinstance(x, Scalar) and x.kind == "float")


def is_nan(x: Any) -> Any:
    """True if an element is a NaN."""
    return x != x if is_float(x) else i1(False)


def _scaled(b: Any, alpha: Any) -> Any:
    return b if isinstance(alpha, int) and alpha == 1 else b * alpha


def _div(a: Any, b: Any, rounding_mode: str | None = None) -> Any:
    if rounding_mode == "floor":
        return a // b
    if is_float(a) or is_float(b):
        return fn.trunc(a / b) if rounding_mode else a / b
    return fn.div(a, b)


def _fmod(a: Any, b: Any) -> Any:
    is_of_floats = is_float(a) or is_float(b)
    return scalar_operation("arith.remf", *agree(a, b)) if is_of_floats else fn.rem(a, b)


def _pow(a: Any, b: Any) -> Any:
    if isinstance(b, Scalar):
        a = number(a, type(b))
        return fn.pow(a, b) if is_float(b) else _power_of_integer(a, b)
    if not is_float(a):
        if not 0 <= b <= 64 or b != int(b):
            raise UnsupportedError(f"an integer to the power of {b}")
        return a ** int(b)
    simple: dict[float, Callable[[], Any]] = {
        2: lambda: a * a, 3: lambda: a * a * a, 0.5: lambda: fn.sqrt(a), 1: lambda: a,
        -1: lambda: 1 / a, -0.5: lambda: 1 / fn.sqrt(a), -2: lambda: 1 / (a * a),
    }  # fmt: skip
    return simple[b]() if b in simple else fn.pow(a, type(a)(float(b)))


def _power_of_integer(a: Any, b: Any) -> Any:
    """The product of squares for the bits of an exponent. Only 1 and -1 have negative powers."""
    one, zero = type(a)(1), type(a)(0)
    start = fn.where(b < 0, fn.where(abs(a) == 1, a, zero), one)

    def step(found: Any, square: Any, rest: Any) -> Any:
        return fn.where(rest & 1 == 1, found * square, found), square * square, rest >> 1

    found, _, _ = while_loop(lambda f, s, rest: rest > 0, one, a, b)(step)
    return fn.where(b >= 0, found, fn.where(b & 1 == 1, start, start * start))


#: The coefficients of the approximation of the gamma function of C. Lanczos, 1964, for g = 7.
_LANCZOS = (
    676.520368121885098567009190444019, -1259.13921672240287047156078755283,
    771.3234287776530788486528258894, -176.61502916214059906584551354,
    12.507343278686904814458936853, -0.13857109526572011689554707,
    9.984369578019570859563e-6, 1.50563273514931155834e-7,
)  # fmt: skip


def _lanczos(x: Any) -> tuple[Any, Any, Any, list[Any]]:
    """For x = 1 + z, or 1 - x if x is small: z, z + 7.5, its logarithm, and terms of a sum."""
    z = fn.where(x < 0.5, -x, x - 1)
    terms = [c / (z + (k + 1)) for k, c in enumerate(_LANCZOS)]
    return z, z + 7.5, math.log(7.5) + fn.log1p(z / 7.5), terms


def _lgamma(x: Any) -> Any:
    z, t, log_t, terms = _lanczos(x)
    total = sum(terms, 0.99999999999980993)
    found = (z + 0.5 - t / log_t) * log_t + math.log(math.sqrt(2 * math.pi)) + fn.log(total)
    # The reflection formula, for the distance to the nearest integer.
    rest = abs(x) - math.floor(abs(x))
    sine = fn.log(fn.sin(math.pi * fn.min(rest, 1 - rest)))
    turned = fn.where(abs(sine) == math.inf, -sine, math.log(math.pi) - sine - found)
    return fn.where(abs(x) == math.inf, type(x)(math.inf), fn.where(x < 0.5, turned, found))


def _digamma(x: Any) -> Any:
    z, t, log_t, terms = _lanczos(x)
    total = sum(terms, 0.99999999999980993)
    slope = sum((term / (z + (k + 1)) for k, term in enumerate(terms)), type(x)(0.0))
    found = log_t - slope / total - 7 / t
    rest = math.pi * (x + abs(math.floor(x + 0.5)))
    turned = found - math.pi * fn.cos(rest) / fn.sin(rest)
    turned = fn.where(x == math.floor(x), type(x)(math.nan), turned)
    return fn.where(x == 0, fn.copysign(type(x)(math.inf), -x), fn.where(x < 0.5, turned, found))


def _clamp(x: Any, min: Any = None, max: Any = None) -> Any:
    x = x if min is None else fn.max(x, min)
    return x if max is None else fn.min(x, max)


def _sign(x: Any) -> Any:
    one = type(x)(1)
    return fn.where(x > 0, one, fn.where(x < 0, -one, type(x)(0)))


def _round(x: Any, decimals: int = 0) -> Any:
    if not decimals or not is_float(x):
        return round(x)
    scale = 10.0 ** abs(decimals)
    return round(x * scale) / scale if decimals > 0 else round(x / scale) * scale


def _hypot(a: Any, b: Any) -> Any:
    """The root of a sum of squares, which need not be finite."""
    a, b = abs(a), abs(b)
    low, high = fn.min(a, b), fn.max(a, b)
    found = fn.where(low == 0, high, high * fn.sqrt(1 + (low / high) * (low / high)))
    return fn.where((a == math.inf) | (b == math.inf), type(a)(math.inf), found)


def _shift(is_left: bool) -> Callable[[Any, Any], Any]:
    """A shift. After a shift by the width or more, all bits are zero, or equal to the sign."""

    def shift(a: Any, b: Any) -> Any:
        a, b = agree(a, b)
        is_far = (b < 0) | (b >= a.bits)
        if is_left:
            return fn.where(is_far, type(a)(0), a << b)
        return a >> fn.where(is_far, type(a)(a.bits - 1), b)

    return shift


def _gelu(x: Any, approximate: str = "none") -> Any:
    if approximate == "tanh":
        return 0.5 * x * (1 + fn.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))))
    return x * 0.5 * (1 + fn.erf(x * math.sqrt(0.5)))


_AND, _OR, _XOR, _NOT = operator.and_, operator.or_, operator.xor, operator.invert
#: The operations by their rules. Operations of "copy" return their operand, of any type, and those
#: of "memory" take its bits.
_TABLE: dict[str, dict[str, Callable[..., Any]]] = {
    "result": {
        "add": lambda a, b, alpha=1: a + _scaled(b, alpha),
        "sub": lambda a, b, alpha=1: a - _scaled(b, alpha),
        "mul": operator.mul, "fma": fn.fma, "div": _div, "true_divide": _div,
        "remainder": operator.mod, "fmod": _fmod, "pow": _pow,
        "maximum": fn.max, "minimum": fn.min, "neg": operator.neg, "abs": abs, "sign": _sign,
        "clamp": _clamp,
        "relu": lambda x: fn.max(x, 0), "reciprocal": lambda x: 1 / x, "gelu": _gelu,
        "fmin": lambda a, b: fn.where(is_nan(a), b, fn.where(is_nan(b), a, fn.min(a, b))),
        "fmax": lambda a, b: fn.where(is_nan(a), b, fn.where(is_nan(b), a, fn.max(a, b))),
        "rsqrt": lambda x: 1 / fn.sqrt(x), "sigmoid": lambda x: 1 / (1 + fn.exp(-x)),
        "floor": math.floor, "ceil": math.ceil, "trunc": math.trunc,
        "round": _round, "hypot": _hypot, "fill": lambda _, value: value,
        "lgamma": _lgamma, "digamma": _digamma,
        "__lshift__": _shift(True), "bitwise_left_shift": _shift(True),
        "__rshift__": _shift(False), "bitwise_right_shift": _shift(False),
        **{
            name: getattr(fn, name)
            for name in (
                "sqrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos",
                "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
                "atan2", "erf", "erfc", "copysign",
            )
        },
    },
    "common": {
        "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le,
        "gt": operator.gt, "ge": operator.ge, "isnan": is_nan, "signbit": lambda x: x < 0,
        "isinf": lambda x: abs(x) == math.inf if is_float(x) else i1(False),
    },
    "truth": {
        "logical_and": _AND, "logical_or": _OR, "logical_xor": _XOR, "logical_not": _NOT,
    },
    "bits": {
        "bitwise_and": _AND, "bitwise_or": _OR, "bitwise_xor": _XOR, "bitwise_not": _NOT,
        "where": fn.where,
    },
    "memory": {"view.dtype": lambda x, kind: x.bitcast(kind)},
    "copy": {
        name: lambda x: x
        for name in (
            "_to_copy", "clone", "alias", "lift_fresh_copy", "copy", "convert_element_type"
        )
    },
}  # fmt: skip
_RULES = {name: (rule, f) for rule, table in _TABLE.items() for name, f in table.items()}


def name_of(target: Any) -> str:
    """The name of an operation of ATen without its overload; empty for other functions."""
    if not isinstance(target, torch._ops.OpOverload) or target.namespace not in ("aten", "prims"):
        return ""
    name = str(target.overloadpacket.__name__)
    # The overload is another operation: the same bits as elements of another type.
    return "view.dtype" if name == "view" and target._overloadname == "dtype" else name


@dataclass
class Elementwise:
    """An operation on elements: its tensors in order, and a function of their elements."""

    nodes: list[Any]
    function: Callable[..., Any]
    is_copy: bool


def elementwise(node: Any, extent: Callable[[Any], Any]) -> Elementwise | None:
    """A node of a graph as an operation on elements; None for other nodes.

    The function takes the elements in memory of all tensors, and returns the element of the result.
    `extent` is the value of a symbol.
    """
    rule, compute = _RULES.get(name_of(node.target), ("", None))
    if compute is None or not is_tensor(node):
        return None
    target = value_of(node).dtype
    if rule == "memory":
        if kind_of(value_of(node.args[0]).dtype).bits != kind_of(target).bits:
            raise UnsupportedError("a view with elements of another width")
        return Elementwise([node.args[0]], lambda x: compute(x, kind_of(target)), False)
    values = {**dict(enumerate(node.args)), **node.kwargs}
    if rule == "copy":
        values = {0: node.args[1 if name_of(node.target) == "copy" else 0]}
    metas = {k: value_of(v) if isinstance(v, torch.fx.Node) else v for k, v in values.items()}
    tensors = {k: m.dtype for k, m in metas.items() if isinstance(m, torch.Tensor)}
    dtype = torch.bool if rule == "truth" else _common(metas) if rule == "common" else target
    for known in (target, dtype, *tensors.values()):
        kind_of(known)
    is_arithmetic = rule in ("result", "common")
    kind = wide(dtype) if is_arithmetic else kind_of(dtype)
    # The condition of `where` is not converted like the other operands.
    types = {k: torch.bool if name_of(node.target) == "where" and k == 0 else dtype for k in metas}

    def operand(key: Any, element: Any) -> Any:
        if key not in tensors:
            value = extent(metas[key])
            is_number = isinstance(value, (Scalar, int, float))
            return _spelt(value, kind) if is_number else value
        if is_arithmetic:
            return widen(element, tensors[key]).to(kind)
        return convert(element, tensors[key], types[key])

    def function(*elements: Any) -> Any:
        given = dict(zip(tensors, elements))
        operands = {k: operand(k, given.get(k)) for k in metas}
        found = compute(
            *(v for k, v in operands.items() if isinstance(k, int)),
            **{k: v for k, v in operands.items() if isinstance(k, str)},
        )
        return narrow(number(found, kind) if not isinstance(found, Scalar) else found, target)

    return Elementwise([values[k] for k in tensors], function, rule == "copy")


def _spelt(value: Any, kind: type[Scalar]) -> Any:
    """A number as an operand beside scalars of a type."""
    if isinstance(value, float) and kind.kind != "float" and not value.is_integer():
        raise UnsupportedError(f"the number {value} with integers")
    if isinstance(value, Scalar) or kind.kind == "bool":
        return number(value, kind)
    return literal(value, kind)


def _common(metas: dict[Any, Any]) -> Any:
    """The type in which PyTorch compares operands."""
    given: list[Any] = [1 if isinstance(m, torch.SymInt) else m for m in metas.values()]
    return torch.result_type(*given) if len(given) > 1 else given[0].dtype


def lower_elementwise(b: Builder, node: Any, tensor_of: Callable[[Any], Tensor]) -> Tensor | None:
    """The tensor of an operation on elements; None if the node is another operation."""
    found = elementwise(node, b.extent)
    if found is None or not found.nodes:
        return None
    shape, dtype = value_of(node).shape, value_of(node).dtype
    operands = [b.broadcast(tensor_of(n), shape) for n in found.nodes]
    if found.is_copy and operands[0].dtype == dtype:
        return operands[0]
    return b.map(shape, dtype, found.function, operands)

"""Operations on elements: the table of functions of scalars.

In: the elements of tensors, in a type of arithmetic, and numbers. Out: elements. A rule says in
which type an operation computes: that of its result, the common type of its operands, truth values,
or bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .. import functions as fn
from ..scalars import Scalar, agree
from ..scalars import elementwise as scalar_operation
from ..types import f32, f64, i1
from .values import (
    Builder,
    Tensor,
    UnsupportedError,
    convert,
    kind_of,
    narrow,
    number,
    torch,
    wide,
    widen,
)


def is_float(x: Any) -> bool:
    """If an operand is a float of the program or of Python."""
    return isinstance(x, float) or (isinstance(x, Scalar) and x.kind == "float")


def _add(a: Any, b: Any, alpha: Any = 1) -> Any:
    return a + (b if alpha == 1 else b * alpha)


def _sub(a: Any, b: Any, alpha: Any = 1) -> Any:
    return a - (b if alpha == 1 else b * alpha)


def _div(a: Any, b: Any, rounding_mode: str | None = None) -> Any:
    if rounding_mode == "floor":
        return floor_div(a, b)
    if is_float(a) or is_float(b):
        return fn.trunc(a / b) if rounding_mode else a / b
    return fn.div(a, b)


def floor_div(a: Any, b: Any) -> Any:
    """The quotient rounded down, as PyTorch has it: exact where a float quotient is rounded."""
    if not (is_float(a) or is_float(b)):
        return a // b
    rest = fmod(a, b)
    zero = rest - rest
    quotient = (a - rest) / b
    quotient = fn.where((rest != 0) & ((b + zero < 0) ^ (rest < 0)), quotient - 1, quotient)
    floor = fn.floor(quotient)
    floor = fn.where(quotient - floor > 0.5, floor + 1, floor)
    floor = fn.where(quotient == 0, fn.copysign(zero, (a + zero) / b), floor)
    return fn.where(b + zero == 0, (a + zero) / b, floor)


def fmod(a: Any, b: Any) -> Any:
    """The remainder with the sign of `a`."""
    if is_float(a) or is_float(b):
        return scalar_operation("arith.remf", *agree(a, b))
    return fn.rem(a, b)


def _pow(a: Any, b: Any) -> Any:
    if isinstance(b, Scalar):
        if not is_float(b):
            raise UnsupportedError("a power of integers with a tensor as exponent")
        return fn.pow(number(a, type(b)), b)
    if not is_float(a):
        if not 0 <= b <= 64 or b != int(b):
            raise UnsupportedError(f"an integer to the power of {b}")
        return a ** int(b)
    simple: dict[float, Callable[[], Any]] = {
        2: lambda: a * a, 3: lambda: a * a * a, 0.5: lambda: fn.sqrt(a), 1: lambda: a,
        -1: lambda: 1 / a, -0.5: lambda: 1 / fn.sqrt(a), -2: lambda: 1 / (a * a),
    }  # fmt: skip
    return simple[b]() if b in simple else fn.pow(a, type(a)(float(b)))


def _clamp(x: Any, low: Any = None, high: Any = None) -> Any:
    x = x if low is None else fn.max(x, low)
    return x if high is None else fn.min(x, high)


def _sign(x: Any) -> Any:
    one = type(x)(1)
    zero = type(x)(0)
    return fn.where(x > 0, one, fn.where(x < 0, -one, x if is_float(x) else zero))


def _round(x: Any, decimals: int = 0) -> Any:
    if decimals:
        raise UnsupportedError("rounding to decimals")
    return fn.round(x) if is_float(x) else x


def _whole(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A function that rounds floats, and does nothing to integers."""
    return lambda x: function(x) if is_float(x) else x


def _gelu(x: Any, approximate: str = "none") -> Any:
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))
        return 0.5 * x * (1 + fn.tanh(inner))
    return x * 0.5 * (1 + fn.erf(x * math.sqrt(0.5)))


def _elu(x: Any, alpha: Any = 1, scale: Any = 1, input_scale: Any = 1) -> Any:
    return fn.where(x > 0, x * scale, fn.expm1(x * input_scale) * (alpha * scale))


def _shift_left(a: Any, b: Any) -> Any:
    return fn.where((b < 0) | (b >= a.bits), type(a)(0), a << b)


def _shift_right(a: Any, b: Any) -> Any:
    # All bits are the sign from the width on.
    last = a.bits - 1
    return a >> fn.where((b < 0) | (b > last), type(a)(last), b)


def _isnan(x: Any) -> Any:
    return x != x if is_float(x) else i1(False)


def _isinf(x: Any) -> Any:
    return abs(x) == math.inf if is_float(x) else i1(False)


def _reversed(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda a, b, **more: function(b, a, **more)


def _same(x: Any, *_: Any, **__: Any) -> Any:
    return x


def _compare(name: str) -> Callable[[Any, Any], Any]:
    return lambda a, b: getattr(a, f"__{name}__")(b)


#: Operations that compute in the type of their result.
_RESULT: dict[str, Callable[..., Any]] = {
    "add": _add, "sub": _sub, "rsub": _reversed(_sub), "mul": lambda a, b: a * b, "div": _div,
    "floor_divide": floor_div, "remainder": lambda a, b: a % b, "fmod": fmod, "pow": _pow,
    "maximum": fn.max, "minimum": fn.min, "neg": lambda x: -x, "abs": abs,
    "clamp": _clamp, "clamp_min": lambda x, low: _clamp(x, low),
    "clamp_max": lambda x, high: _clamp(x, None, high),
    "relu": lambda x: fn.max(x, 0), "sign": _sign, "square": lambda x: x * x,
    "reciprocal": lambda x: 1 / x, "sqrt": fn.sqrt, "rsqrt": lambda x: 1 / fn.sqrt(x),
    "exp": fn.exp, "exp2": fn.exp2, "expm1": fn.expm1, "log": fn.log, "log2": fn.log2,
    "log10": fn.log10, "log1p": fn.log1p, "sin": fn.sin, "cos": fn.cos, "tan": fn.tan,
    "asin": fn.asin, "acos": fn.acos, "atan": fn.atan, "sinh": fn.sinh, "cosh": fn.cosh,
    "tanh": fn.tanh, "asinh": fn.asinh, "acosh": fn.acosh, "atanh": fn.atanh,
    "atan2": fn.atan2, "erf": fn.erf, "erfc": fn.erfc, "copysign": fn.copysign,
    "sigmoid": lambda x: 1 / (1 + fn.exp(-x)), "gelu": _gelu, "elu": _elu,
    "leaky_relu": lambda x, slope=0.01: fn.where(x > 0, x, x * slope),
    "hardtanh": lambda x, low=-1.0, high=1.0: _clamp(x, low, high),
    "floor": _whole(fn.floor), "ceil": _whole(fn.ceil), "trunc": _whole(fn.trunc), "round": _round,
    "__lshift__": _shift_left, "bitwise_left_shift": _shift_left,
    "__rshift__": _shift_right, "bitwise_right_shift": _shift_right,
    "fill": lambda _, value: value,
}  # fmt: skip
#: Operations that compute in the common type of their operands.
_COMMON: dict[str, Callable[..., Any]] = {
    **{name: _compare(name) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    "isnan": _isnan, "isinf": _isinf, "signbit": lambda x: x < 0,
}  # fmt: skip
#: Operations on truth values.
_TRUTH: dict[str, Callable[..., Any]] = {
    "logical_and": lambda a, b: a & b, "logical_or": lambda a, b: a | b,
    "logical_xor": lambda a, b: a ^ b, "logical_not": lambda a: ~a,
}  # fmt: skip
#: Operations on bits, and on truth values.
_BITS: dict[str, Callable[..., Any]] = {
    "bitwise_and": lambda a, b: a & b, "bitwise_or": lambda a, b: a | b,
    "bitwise_xor": lambda a, b: a ^ b, "bitwise_not": lambda a: ~a,
    "__and__": lambda a, b: a & b, "__or__": lambda a, b: a | b, "__xor__": lambda a, b: a ^ b,
}  # fmt: skip
#: Operations that return their operand, in the type of the result.
_COPIES = ("_to_copy", "clone", "alias", "detach", "lift_fresh_copy", "lift_fresh", "contiguous")
#: Operations whose operand may be another tensor, which the result does not depend on.
_NAMES = {*_RESULT, *_COMMON, *_TRUTH, *_BITS, *_COPIES, "where", "copy"}


def name_of(target: Any) -> str:
    """The name of an operation of ATen without its overload; empty for other functions."""
    if not isinstance(target, torch._ops.OpOverload) or target.namespace != "aten":
        return ""
    return str(target.overloadpacket.__name__)


@dataclass
class Elementwise:
    """An operation on elements: its tensors in order, and a function of their elements."""

    nodes: list[Any]
    function: Callable[..., Any]


def elementwise(node: Any, extent: Callable[[Any], Any]) -> Elementwise | None:
    """A node of a graph as an operation on elements; None if it is another one.

    The function takes the elements in memory of all tensors, and returns that of the result.
    `extent` is the value of a symbol.
    """
    name = name_of(node.target)
    if name not in _NAMES or not isinstance(node.meta["val"], torch.Tensor):
        return None
    target = node.meta["val"].dtype
    kind_of(target)
    values = list(node.args)
    keys = list(node.kwargs)
    if name in _COPIES:
        values, keys = values[:1], []
    if name == "copy":
        values, keys = values[1:2], []
    values += [node.kwargs[key] for key in keys]
    metas = [v.meta["val"] if isinstance(v, torch.fx.Node) else v for v in values]
    nodes = [v for v, m in zip(values, metas) if isinstance(m, torch.Tensor)]
    compute = _computation(name, target, metas)
    dtypes = [m.dtype for m in metas if isinstance(m, torch.Tensor)]
    for dtype in dtypes:
        kind_of(dtype)

    def function(*elements: Any) -> Any:
        rest = iter(zip(elements, dtypes))
        operands = []
        for meta in metas:
            if isinstance(meta, torch.Tensor):
                operands.append(next(rest))
            else:
                operands.append((extent(meta) if _is_symbol(meta) else meta, None))
        split = len(operands) - len(keys)
        return compute(operands[:split], dict(zip(keys, operands[split:])))

    return Elementwise(nodes, function)


def _is_symbol(value: Any) -> bool:
    return isinstance(value, (torch.SymInt, torch.SymFloat))


def _computation(name: str, target: Any, metas: Sequence[Any]) -> Callable[[Any, Any], Any]:
    """The function of pairs of operands and their types, and of keywords with such pairs."""

    def given(pair: Any, dtype: Any) -> Any:
        """An operand in the type of arithmetic of a type."""
        value, source = pair
        kind = wide(dtype)
        if source is not None:
            value = widen(value, source, wide(source))
            return value.to(kind)
        return value.to(kind) if isinstance(value, Scalar) else value

    if name in _COPIES or name == "copy":
        return lambda pairs, _: convert(pairs[0][0], pairs[0][1], target)
    if name == "where":
        return lambda pairs, _: fn.where(
            pairs[0][0],
            *(
                convert(v, s, target) if s is not None else number(v, kind_of(target))
                for v, s in pairs[1:]
            ),
        )
    if name in _TRUTH:
        return lambda pairs, _: narrow(
            _TRUTH[name](*(v != 0 if v.kind != "bool" else v for v, _ in pairs)), target
        )
    if name in _BITS:
        kind = kind_of(target)
        return lambda pairs, _: _BITS[name](
            *(convert(v, s, target) if s is not None else number(v, kind) for v, s in pairs)
        )
    if name in _COMMON:
        common = _common(metas)

        def compare(pairs: Any, _: Any) -> Any:
            left = [given(p, common) for p in pairs]
            if not any(isinstance(v, Scalar) for v in left):
                raise UnsupportedError("a comparison of numbers")
            kind = wide(common)
            return narrow(_COMMON[name](*(number(v, kind) for v in left)), target)

        return compare

    def result(pairs: Any, keywords: Any) -> Any:
        kind = wide(target)
        operands = [given(p, target) for p in pairs]
        more = {k: given(p, target) for k, p in keywords.items()}
        found = _RESULT[name](
            *(_spelt(v, kind) for v in operands), **{k: _spelt(v, kind) for k, v in more.items()}
        )
        found = found if isinstance(found, Scalar) else number(found, kind)
        if target == torch.bool:
            return found != 0
        return narrow(found, target)

    return result


def _spelt(value: Any, kind: type[Scalar]) -> Any:
    """A number of Python as one that goes with scalars of a type."""
    if isinstance(value, bool) or (isinstance(value, int) and kind.kind == "float"):
        return float(value) if kind.kind == "float" else int(value)
    if isinstance(value, float) and kind.kind != "float":
        if not value.is_integer():
            raise UnsupportedError(f"the number {value} with integers")
        return int(value)
    if isinstance(value, float) and kind in (f32, f64) and value != value:
        return float("nan")
    return value


def _common(metas: Sequence[Any]) -> Any:
    """The type in which PyTorch compares operands."""
    if len(metas) == 1:
        return metas[0].dtype
    left, right = metas[:2]
    if _is_symbol(right):
        right = 1 if isinstance(right, torch.SymInt) else 1.0
    return torch.result_type(left, right)


def lower_elementwise(
    builder: Builder, node: Any, tensor_of: Callable[[Any], Tensor]
) -> Tensor | None:
    """The tensor of an operation on elements; None if the node is another operation."""
    found = elementwise(node, builder.extent)
    if found is None:
        return None
    shape, dtype = node.meta["val"].shape, node.meta["val"].dtype
    operands = [builder.broadcast(tensor_of(n), shape) for n in found.nodes]
    is_copy = len(operands) == 1 and name_of(node.target) in (*_COPIES, "copy")
    if is_copy and operands[0].dtype == dtype:
        return operands[0]
    if not operands:
        return None
    return builder.map(shape, dtype, found.function, operands)

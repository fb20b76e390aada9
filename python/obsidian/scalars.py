"""Traced scalars: numbers that are known only at run time, with the operators of Python.

In: other scalars of the same type, and Python literals, which take the type of the other operand.
Out: `arith` and `math` operations in the program text. The element types (`f32`, `index`, ...) are
subclasses of `Scalar`, in types.py.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar, Union, cast

import numpy as np

from .errors import TraceError
from .literals import number_of, spell_number
from .trace import Value, current, use

if TYPE_CHECKING:
    from typing_extensions import Self

#: A traced scalar, or a number that becomes one.
ScalarLike = Union["Scalar", int, float, np.generic]
S = TypeVar("S", bound="Scalar")

_ORDERS = {"lt": ("slt", "olt"), "le": ("sle", "ole"), "gt": ("sgt", "ogt"), "ge": ("sge", "oge")}
_EQUALITIES = {"eq": ("eq", "oeq"), "ne": ("ne", "une")}
_PREDICATES = {**_ORDERS, **_EQUALITIES}


class Scalar(Value):
    """A number of the running program. Each element type is a subclass.

    Operators need two scalars of one type. A Python number takes the type of the other operand:
    `x + 1` works for every `x`, but `1.5 + i` is an error if `i` is an integer. Integers wrap
    around, and have a sign; `//` rounds down, as in Python. `obsidian.unsigned` has the operations
    without a sign.
    """

    __slots__ = ("is_natural",)

    #: The name of the type in the program text, such as `f32`.
    type_name: ClassVar[str]
    #: One of bool, int, index, float.
    kind: ClassVar[str]
    bits: ClassVar[int]
    #: The type of such elements in a NumPy array.
    dtype: ClassVar[np.dtype[Any]]

    #: True if an index is known to be at least 0.
    is_natural: bool

    def __init__(self, value: ScalarLike) -> None:
        """Make a constant of a Python number, or convert another scalar to this type."""
        found = value.to(type(self)) if isinstance(value, Scalar) else literal(value, type(self))
        self.name, self.block, self.is_natural = found.name, found.block, found.is_natural

    def __repr__(self) -> str:
        return f"<traced {self.type_name} {self.name}>"

    def __bool__(self) -> bool:
        raise TraceError(
            "the program decides this condition only when it runs, so Python cannot: use "
            "obs.where(c, a, b), obs.when(c)(then, otherwise), obs.loop or obs.while_loop. "
            "A function with @obs.jit or @obs.function, whose source is in a file or a notebook, "
            "may also use if, while, and, or, not, but no break, return in a loop, else of a loop, "
            ":= and in: (x == 1) | (x == 2) stands for x in (1, 2), and (0 < x) & (x < 2) for "
            "0 < x < 2"
        )

    __hash__ = Value.__hash__

    def __index__(self) -> int:
        raise TraceError(
            "Python needs a number here, and the program knows it only when it runs: "
            "loop with `for k in obs.range(n)` or obs.loop(n, ...)"
        )

    def __int__(self) -> int:
        raise TraceError(
            "int() makes a number of Python, and the program knows this one only when it runs: "
            "convert it in the program, as in x.to(obs.i32)"
        )

    def __float__(self) -> float:
        raise TraceError(
            "Python needs a number here, and the program knows it only when it runs: write "
            "x.to(obs.f32) in place of float(x), and obs.sqrt in place of math.sqrt"
        )

    def __iter__(self) -> Any:
        raise TraceError(f"this is one {self.type_name}, not a tuple or an array")

    def __len__(self) -> int:
        raise TraceError(f"this is one {self.type_name}, which has no length")

    def __getitem__(self, key: object) -> NoReturn:
        raise TraceError(f"this is one {self.type_name}, which has no elements")

    def __contains__(self, value: object) -> NoReturn:
        raise TraceError(f"this is one {self.type_name}, which has no elements: compare by ==")

    def __matmul__(self, other: object) -> NoReturn:
        raise TraceError(f"@ is for matrices, and this is one {self.type_name}")

    __rmatmul__ = __matmul__

    def to(self, kind: type[S], *, unsigned: bool = False) -> S:
        """Convert to another type.

        Floats become integers by rounding towards zero. `unsigned` reads an integer without its
        sign, so an `i8` of -1 becomes 255.
        """
        checked_type(kind)
        return convert(self, kind, unsigned)

    def as_unsigned(self) -> Scalar:
        """The integer, read without its sign, as an `index`: an `i8` of -1 becomes 255."""
        return convert(self, element_type("index"), True)

    def bitcast(self, kind: type[S]) -> S:
        """The same bits as a value of another type of the same size."""
        if kind.bits != self.bits or "index" in (kind.kind, self.kind):
            raise TraceError(f"{self.type_name} and {kind.type_name} differ in their sizes")
        if isinstance(self, kind):
            return self
        text = f"arith.bitcast {use(self)} : {self.type_name} to {kind.type_name}"
        return make(kind, current().emit(text, 1, is_pure=True)[0])

    def _binary(self, other: object, of_int: str, of_float: str | None, swap: bool = False) -> Self:
        if not is_operand(other):
            return cast("Self", NotImplemented)
        if of_int not in ("andi", "ori", "xori"):
            self._require_number()
        operation = of_float if self.kind == "float" else of_int
        if operation is None:
            raise TraceError(f"this operator is for integers, not for {self.type_name}")
        if of_int.startswith("sh") and not swap:
            self.require_shift(other)
        right = same(other, type(self))
        left, right = (right, self) if swap else (self, right)
        return elementwise(f"arith.{operation}", left, right)

    def require_shift(self, amount: object) -> None:
        """Refuse a number of Python that is no number of bits by which an integer is shifted."""
        if not isinstance(amount, Scalar) and not 0 <= cast(int, amount) < self.bits:
            raise TraceError(
                f"a shift of {self.type_name} is by 0 to {self.bits - 1} bits, not by {amount}"
            )

    def _require_number(self) -> None:
        if self.kind == "bool":
            raise TraceError("an i1 is true or false: convert it first, as in x.to(obs.i32)")

    def _compare(self, other: object, name: str) -> Any:
        if not is_operand(other, name in _EQUALITIES):
            return NotImplemented
        right = same(other, type(self))
        if self.kind == "bool" and name in _ORDERS:
            raise TraceError("an i1 is true or false, and has no order")
        is_order = name in _ORDERS and type(other) is int and self.kind == "int"
        if is_order and cast(int, other) >= 1 << (self.bits - 1):
            raise TraceError(
                f"{other} is a number with a sign here, and out of the range of {self.type_name}: "
                "obsidian.unsigned compares numbers without a sign"
            )
        of_int, of_float = _PREDICATES[name]
        return compare(self, right, of_float if self.kind == "float" else of_int)

    def __add__(self, other: ScalarLike) -> Self:
        return _natural(self._binary(other, "addi", "addf"), self, other)

    def __radd__(self, other: ScalarLike) -> Self:
        return _natural(self._binary(other, "addi", "addf", True), self, other)

    def __sub__(self, other: ScalarLike) -> Self:
        return self._binary(other, "subi", "subf")

    def __rsub__(self, other: ScalarLike) -> Self:
        return self._binary(other, "subi", "subf", True)

    def __mul__(self, other: ScalarLike) -> Self:
        return _natural(self._binary(other, "muli", "mulf"), self, other)

    def __rmul__(self, other: ScalarLike) -> Self:
        return _natural(self._binary(other, "muli", "mulf", True), self, other)

    def __truediv__(self, other: ScalarLike) -> Self:
        return self._divide(other, False)

    def __rtruediv__(self, other: ScalarLike) -> Self:
        return self._divide(other, True)

    def _divide(self, other: ScalarLike, swap: bool) -> Self:
        if self.kind != "float" and is_operand(other):
            raise TraceError(
                f"/ is for floats, and this is {self.type_name}: use // (rounds down) or "
                "obs.div (rounds towards zero), or convert with .to(obs.f32) first"
            )
        return self._binary(other, "divsi", "divf", swap)

    def __floordiv__(self, other: ScalarLike) -> Self:
        return _pair(self, other, False, floor_divide)

    def __rfloordiv__(self, other: ScalarLike) -> Self:
        return _pair(self, other, True, floor_divide)

    def __mod__(self, other: ScalarLike) -> Self:
        return _pair(self, other, False, modulo)

    def __rmod__(self, other: ScalarLike) -> Self:
        return _pair(self, other, True, modulo)

    def __divmod__(self, other: ScalarLike) -> tuple[Self, Self]:
        return self // other, self % other

    def __rdivmod__(self, other: ScalarLike) -> tuple[Self, Self]:
        return other // self, other % self

    def __pow__(self, exponent: ScalarLike, modulus: object = None) -> Self:
        if modulus is not None:
            raise TraceError("pow of a program takes two operands: write x**y % m")
        if isinstance(exponent, (int, float, np.generic)):
            self._require_number()
            number = number_of(exponent, type(self))
            if 0 <= number <= 64 and float(number).is_integer():
                return _product(self, int(number))
        return _pair(self, exponent, False, power)

    def __rpow__(self, base: ScalarLike) -> Self:
        return _pair(self, base, True, power)

    def __and__(self, other: ScalarLike) -> Self:
        return _natural(self._binary(other, "andi", None), self, other)

    def __rand__(self, other: ScalarLike) -> Self:
        return _natural(self._binary(other, "andi", None, True), self, other)

    def __or__(self, other: ScalarLike) -> Self:
        return _natural(self._binary(other, "ori", None), self, other)

    def __ror__(self, other: ScalarLike) -> Self:
        return _natural(self._binary(other, "ori", None, True), self, other)

    def __xor__(self, other: ScalarLike) -> Self:
        return _natural(self._binary(other, "xori", None), self, other)

    def __rxor__(self, other: ScalarLike) -> Self:
        return _natural(self._binary(other, "xori", None, True), self, other)

    def __lshift__(self, other: ScalarLike) -> Self:
        return _natural(self._binary(other, "shli", None), self, other)

    def __rlshift__(self, other: ScalarLike) -> Self:
        return _natural(self._binary(other, "shli", None, True), self, other)

    def __rshift__(self, other: ScalarLike) -> Self:
        shift = "shrui" if self.is_natural else "shrsi"
        return _natural(self._binary(other, shift, None), self, other)

    def __rrshift__(self, other: ScalarLike) -> Self:
        return _natural(self._binary(other, "shrsi", None, True), self, other)

    def __neg__(self) -> Self:
        if self.kind == "float":
            return elementwise("arith.negf", self)
        return 0 - self

    def __pos__(self) -> Self:
        return self

    def __invert__(self) -> Self:
        return self ^ (self.kind == "bool" or -1)

    def __abs__(self) -> Self:
        return elementwise("math.absf" if self.kind == "float" else "math.absi", self)

    def __round__(self, digits: int | None = None) -> Self:
        if digits:
            raise TraceError(
                "round() of a program has no digits: write obs.round(x * 100) / 100 for two digits"
            )
        return self._whole("roundeven")

    def __floor__(self) -> Self:
        return self._whole("floor")

    def __ceil__(self) -> Self:
        return self._whole("ceil")

    def __trunc__(self) -> Self:
        return self._whole("trunc")

    def _whole(self, name: str) -> Self:
        """A whole number near this one, of the same type."""
        self._require_number()
        return elementwise(f"math.{name}", self) if self.kind == "float" else self

    def __lt__(self, other: ScalarLike) -> Any:
        return self._compare(other, "lt")

    def __le__(self, other: ScalarLike) -> Any:
        return self._compare(other, "le")

    def __gt__(self, other: ScalarLike) -> Any:
        return self._compare(other, "gt")

    def __ge__(self, other: ScalarLike) -> Any:
        return self._compare(other, "ge")

    def __eq__(self, other: object) -> Any:
        return self._compare(other, "eq")

    def __ne__(self, other: object) -> Any:
        return self._compare(other, "ne")


_types: dict[str, type[Scalar]] = {}


def register(kind: type[S]) -> type[S]:
    """Add an element type to those that `element_type` finds."""
    _types[kind.type_name] = kind
    return kind


def element_type(name: str) -> type[Scalar]:
    """The element type of a name such as `i1`."""
    return _types[name]


def make(kind: type[S], name: str, is_natural: bool = False) -> S:
    """The scalar of a type for a value of the program that the current block defines."""
    scalar = object.__new__(kind)
    scalar.name, scalar.block, scalar.is_natural = name, current().block, is_natural
    return scalar


def checked_type(kind: Any, is_whole: bool = False) -> type[Scalar]:
    """A type that the user gives; a TraceError if it is none, or none of whole numbers."""
    if not (isinstance(kind, type) and issubclass(kind, Scalar)):
        raise TraceError(f"{kind!r} is no type of the language, such as obs.f32: see Python.md")
    if is_whole and kind.kind not in ("int", "index"):
        raise TraceError(f"a type of whole numbers, such as obs.i32, not {kind.type_name}")
    return kind


def least(kind: type[Scalar]) -> int | float:
    """The smallest number of a type; for floats -infinity."""
    return -math.inf if kind.kind == "float" else -(1 << (kind.bits - 1))


def most(kind: type[Scalar]) -> int | float:
    """The largest number of a type; for floats infinity."""
    return math.inf if kind.kind == "float" else (1 << (kind.bits - 1)) - 1


def is_scalar_like(value: object) -> bool:
    """True if a value is a traced scalar or a number."""
    return isinstance(value, (Scalar, int, float, np.generic))


def is_operand(value: object, is_equality: bool = False) -> bool:
    """True if an operator takes a value as a number; False if the class of the value may take it.

    A TraceError for other values of Python. They differ from every number, so that `is_equality`
    leaves them to Python.
    """
    if is_scalar_like(value):
        return True
    if isinstance(value, np.ndarray):
        raise TraceError(
            "an array of NumPy is no array of the program: pass it as an argument, or write "
            "obs.table(array) for a constant"
        )
    if type(value).__module__ == "builtins" and not is_equality:
        raise TraceError(
            f"{type(value).__name__} is no operand: operators take numbers and values of a program"
        )
    return False


def literal(value: object, kind: type[S]) -> S:
    """The constant of a type for a Python or NumPy number."""
    number = number_of(value, kind)
    trace = current()
    spelt = spell_number(number, kind)
    typed = "" if kind.kind == "bool" else f" : {kind.type_name}"
    scalar = make(kind, trace.constant(spelt + typed), kind.kind == "index" and number >= 0)
    scalar.block = trace.body
    return scalar


def same(value: object, kind: type[S]) -> S:
    """A scalar of a type; literals are converted, other types are an error."""
    if not isinstance(value, Scalar):
        return literal(value, kind)
    if type(value) is not kind:
        raise TraceError(
            f"{value.type_name} and {kind.type_name} do not mix: "
            f"convert one of them, as in x.to(obs.{kind.type_name})"
        )
    return value


def default(value: object) -> Scalar:
    """A scalar for a number without another operand that has a type: i32, f32 or i1."""
    if isinstance(value, Scalar):
        return value
    if isinstance(value, np.generic):
        for kind in _types.values():
            if kind.dtype == value.dtype and kind.kind != "index" and kind.type_name != "bf16":
                return literal(value, kind)
    if isinstance(value, bool):
        return literal(value, element_type("i1"))
    return literal(value, element_type("f32" if isinstance(value, float) else "i32"))


def agree(*values: object) -> list[Scalar]:
    """Scalars of one type: that of the first traced one."""
    known = [value for value in values if isinstance(value, Scalar)]
    kind = type(known[0]) if known else type(default(values[0]))
    return [same(value, kind) for value in values]


def elementwise(operation: str, *operands: S) -> S:
    """One operation with operands and a result of one type."""
    trace = current()
    kind = type(operands[0])
    names = tuple(use(operand) for operand in operands)
    return make(kind, trace.emit_short(operation, names, kind.type_name))


def compare(left: Scalar, right: Scalar, predicate: str) -> Scalar:
    """Compare two scalars of one type; the predicate is that of arith.cmpi or arith.cmpf."""
    operation = "cmpf" if left.kind == "float" else "cmpi"
    text = f"arith.{operation} {predicate}, {use(left)}, {use(right)} : {left.type_name}"
    return make(element_type("i1"), current().emit(text, 1, is_pure=True)[0])


def select(condition: Scalar, yes: Scalar, no: Scalar) -> Scalar:
    """One of two scalars of one type."""
    text = f"arith.select {use(condition)}, {use(yes)}, {use(no)} : {yes.type_name}"
    name = current().emit(text, 1, is_pure=True)[0]
    return make(type(yes), name, yes.is_natural and no.is_natural)


def _natural(result: S, left: Scalar, right: object) -> S:
    """Mark a result of operands that are at least 0 as such."""
    if result is not NotImplemented and result.kind == "index" and left.is_natural:
        result.is_natural = is_natural(right)
    return result


def is_natural(value: object) -> bool:
    """True if an index or a literal is known to be at least 0."""
    return value.is_natural if isinstance(value, Scalar) else bool(cast(int, value) >= 0)


def _pair(left: S, right: object, swap: bool, function: Any) -> S:
    if not is_operand(right):
        return cast(S, NotImplemented)
    left._require_number()
    other = same(right, type(left))
    return cast(S, function(other, left) if swap else function(left, other))


def floor_divide(left: S, right: S) -> S:
    """The quotient, rounded down; for floats, the number that Python and NumPy compute.

    It is computed from the remainder, because the quotient of floats may be rounded up to an
    integer: 1.0 / 0.1 is 10.0, and 1.0 // 0.1 is 9.0.
    """
    if left.kind == "float":
        rest = elementwise("arith.remf", left, right)
        whole = elementwise("arith.divf", left - rest, right)
        whole = cast(S, select(_is_below(rest, right), whole - 1, whole))
        down = elementwise("math.floor", whole)
        nearest = select((whole - down).__gt__(0.5), down + 1, down)
        quotient = elementwise("arith.divf", left, right)
        # A zero has the sign of the quotient.
        zero = elementwise("math.copysign", whole, quotient)
        found = select(whole.__eq__(0), zero, nearest)
        return cast(S, select(right.__eq__(0), quotient, found))
    if left.is_natural and right.is_natural:
        return _natural(_impure("arith.divui", left, right), left, right)
    return _impure("arith.floordivsi", left, right)


def modulo(left: S, right: S) -> S:
    """The remainder of `floor_divide`. It has the sign of the right operand."""
    if left.kind == "float":
        rest = elementwise("arith.remf", left, right)
        signed = elementwise("math.copysign", rest, right)
        found = select(_is_below(rest, right), rest + right, rest)
        return cast(S, select(rest.__eq__(0), signed, found))
    if left.is_natural and right.is_natural:
        return _natural(_impure("arith.remui", left, right), left, right)
    rest = _impure("arith.remsi", left, right)
    if right.is_natural:
        zero = literal(0, type(left))
        result = cast(S, select(rest.__lt__(zero), rest + right, rest))
        result.is_natural = True
        return result
    return cast(S, select(_is_below(rest, right), rest + right, rest))


def power(left: S, right: S) -> S:
    """`left` to the power of `right`, for floats."""
    if left.kind != "float":
        raise TraceError(
            "** of integers takes a whole number from 0 to 64, which Python knows: write 1 << n "
            "for a power of two, or obs.pow(x.to(obs.f64), y.to(obs.f64))"
        )
    return elementwise("math.powf", left, right)


def _product(factor: S, count: int) -> S:
    """The product of `count` equal factors, by as few multiplications as squares need."""
    result, square = None, factor
    while count:
        if count & 1:
            result = square if result is None else result * square
        count >>= 1
        if count:
            square = square * square
    return literal(1, type(factor)) if result is None else result


def _is_below(rest: S, right: S) -> Scalar:
    """True if a remainder that is rounded to zero belongs to the next lower quotient."""
    zero = literal(0, type(rest))
    return cast(Scalar, rest.__ne__(zero) & (rest.__lt__(zero) ^ right.__lt__(zero)))


def _impure(operation: str, left: S, right: S) -> S:
    """A division. An executor stops the program if the divisor is 0."""
    text = f"{operation} {use(left)}, {use(right)} : {left.type_name}"
    return make(type(left), current().emit(text, 1)[0])


def convert(value: Scalar, kind: type[S], unsigned: bool) -> S:
    """Convert a scalar to another type; see `Scalar.to`."""
    source = type(value)
    if source is kind:
        return cast(S, value)
    unsigned = unsigned or source.kind == "bool"
    if kind.kind == "bool":
        return cast(S, value != 0)
    if "float" in (source.kind, kind.kind) and "index" in (source.kind, kind.kind):
        middle = element_type("i64")
        return convert(convert(value, middle, unsigned), kind, unsigned)
    if "index" in (source.kind, kind.kind):
        operation = "index_castui" if unsigned else "index_cast"
    elif source.kind == kind.kind == "float":
        if source.bits == kind.bits:
            return convert(convert(value, element_type("f32"), False), kind, False)
        operation = "extf" if source.bits < kind.bits else "truncf"
    elif source.kind == "float":
        operation = "fptoui" if unsigned else "fptosi"
    elif kind.kind == "float":
        operation = "uitofp" if unsigned else "sitofp"
    elif source.bits > kind.bits:
        operation = "trunci"
    else:
        operation = "extui" if unsigned else "extsi"
    text = f"arith.{operation} {use(value)} : {source.type_name} to {kind.type_name}"
    natural = kind.kind == "index" and unsigned
    return make(kind, current().emit(text, 1, is_pure=True)[0], natural)

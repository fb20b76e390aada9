"""The operators of Python on arrays: each applies to the elements.

In: arrays, scalars and numbers. Out: virtual arrays of the kind of the operand.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, Union, cast

from . import maps
from .errors import TraceError
from .regions import Array
from .scalars import ScalarLike, is_operand

if TYPE_CHECKING:
    from typing_extensions import Self

#: An operand of an operator of arrays.
Operand = Union["Array", ScalarLike]


class Operators(Array):
    """An array with the operators of Python."""

    __slots__ = ()

    __hash__ = Array.__hash__

    def _apply(
        self, function: Callable[[Any, Any], Any], other: Operand, swap: bool = False
    ) -> Self:
        for array in (self, other):
            if isinstance(array, Array):
                array.type.element.require_scalar()
        if isinstance(other, Array):
            result = maps.map_arrays(function, (other, self) if swap else (self, other))
        elif not is_operand(other, function in (operator.eq, operator.ne)):
            result = NotImplemented
        elif swap:
            result = maps.map_arrays(lambda x: function(other, x), (self,))
        else:
            result = maps.map_arrays(lambda x: function(x, other), (self,))
        return cast("Self", result)

    def _each(self, function: Callable[..., Any], *others: Array) -> Self:
        return cast("Self", maps.map_arrays(function, (self, *others)))

    def __add__(self, other: Operand) -> Self:
        return self._apply(operator.add, other)

    def __radd__(self, other: Operand) -> Self:
        return self._apply(operator.add, other, True)

    def __sub__(self, other: Operand) -> Self:
        return self._apply(operator.sub, other)

    def __rsub__(self, other: Operand) -> Self:
        return self._apply(operator.sub, other, True)

    def __mul__(self, other: Operand) -> Self:
        return self._apply(operator.mul, other)

    def __rmul__(self, other: Operand) -> Self:
        return self._apply(operator.mul, other, True)

    def __truediv__(self, other: Operand) -> Self:
        return self._apply(operator.truediv, other)

    def __rtruediv__(self, other: Operand) -> Self:
        return self._apply(operator.truediv, other, True)

    def __floordiv__(self, other: Operand) -> Self:
        return self._apply(operator.floordiv, other)

    def __rfloordiv__(self, other: Operand) -> Self:
        return self._apply(operator.floordiv, other, True)

    def __mod__(self, other: Operand) -> Self:
        return self._apply(operator.mod, other)

    def __rmod__(self, other: Operand) -> Self:
        return self._apply(operator.mod, other, True)

    def __and__(self, other: Operand) -> Self:
        return self._apply(operator.and_, other)

    def __rand__(self, other: Operand) -> Self:
        return self._apply(operator.and_, other, True)

    def __or__(self, other: Operand) -> Self:
        return self._apply(operator.or_, other)

    def __ror__(self, other: Operand) -> Self:
        return self._apply(operator.or_, other, True)

    def __xor__(self, other: Operand) -> Self:
        return self._apply(operator.xor, other)

    def __rxor__(self, other: Operand) -> Self:
        return self._apply(operator.xor, other, True)

    def __lshift__(self, other: Operand) -> Self:
        return self._apply(operator.lshift, other)

    def __rlshift__(self, other: Operand) -> Self:
        return self._apply(operator.lshift, other, True)

    def __rshift__(self, other: Operand) -> Self:
        return self._apply(operator.rshift, other)

    def __rrshift__(self, other: Operand) -> Self:
        return self._apply(operator.rshift, other, True)

    def __lt__(self, other: Operand) -> Self:
        return self._apply(operator.lt, other)

    def __le__(self, other: Operand) -> Self:
        return self._apply(operator.le, other)

    def __gt__(self, other: Operand) -> Self:
        return self._apply(operator.gt, other)

    def __ge__(self, other: Operand) -> Self:
        return self._apply(operator.ge, other)

    def __eq__(self, other: object) -> Any:
        return self._apply(operator.eq, cast(Operand, other))

    def __ne__(self, other: object) -> Any:
        return self._apply(operator.ne, cast(Operand, other))

    def __pow__(self, other: Operand, modulus: object = None) -> Self:
        if modulus is not None:
            raise TraceError("pow of a program takes two operands: write x**y % m")
        return self._apply(operator.pow, other)

    def __rpow__(self, other: Operand) -> Self:
        return self._apply(operator.pow, other, True)

    def __divmod__(self, other: Operand) -> tuple[Self, Self]:
        return self // other, self % other

    def __rdivmod__(self, other: Operand) -> tuple[Self, Self]:
        return other // self, other % self

    def __neg__(self) -> Self:
        return self._each(operator.neg)

    def __pos__(self) -> Self:
        return self

    def __invert__(self) -> Self:
        return self._each(operator.invert)

    def __abs__(self) -> Self:
        return self._each(abs)

    def __round__(self, digits: int | None = None) -> Self:
        return self._each(lambda x: round(x, digits))

    def __floor__(self) -> Self:
        return self._each(math.floor)

    def __ceil__(self) -> Self:
        return self._each(math.ceil)

    def __trunc__(self) -> Self:
        return self._each(math.trunc)

    def __contains__(self, value: object) -> NoReturn:
        raise TraceError(
            "the elements of an array are known only when the program runs, so `in` cannot answer: "
            "write (a == x).any()"
        )

"""Names without a value, while a rewritten function runs.

In: the reason why a name has no value, and the statement that is the cause. Out: an object in place
of the value, whose use is an error.
"""

from __future__ import annotations

from typing import Any, NoReturn

from .errors import TraceError
from .locations import Location


class Undefined:
    """The value of a name without a value: the reason, and the place of the cause if it is known.

    An operation on it is an error at the place of the operation.
    """

    def __init__(self, reason: str, cause: Location | None = None) -> None:
        self.reason = reason
        self.cause = cause

    def __repr__(self) -> str:
        return self.reason

    def refuse(self) -> NoReturn:
        """Report a name that a function returns: at the cause, because the function has ended."""
        raise TraceError(self.reason, self.cause)

    def _refuse(self, *_: Any) -> Any:
        raise TraceError(self.reason)

    __bool__ = __len__ = __iter__ = __call__ = __getitem__ = __contains__ = __format__ = _refuse
    __index__ = __int__ = __float__ = __round__ = __floor__ = __ceil__ = __trunc__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __matmul__ = _refuse
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _refuse
    __divmod__ = __rdivmod__ = __pow__ = __rpow__ = __lshift__ = __rshift__ = _refuse
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _refuse
    __lt__ = __le__ = __gt__ = __ge__ = __neg__ = __pos__ = __invert__ = __abs__ = _refuse

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_fields":
            raise AttributeError(name)
        raise TraceError(self.reason)

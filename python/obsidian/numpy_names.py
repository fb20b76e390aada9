"""Names of NumPy that this package does not have, each with the same in this package.

In: a name that a user writes by habit. Out: the expression for the message.
"""

from __future__ import annotations

import sys

#: The operators of Python with a number or an array of NumPy on the left: for the function that
#: NumPy calls, the method of the right operand.
OPERATORS = {
    "add": "__radd__",
    "subtract": "__rsub__",
    "multiply": "__rmul__",
    "divide": "__rtruediv__",
    "floor_divide": "__rfloordiv__",
    "remainder": "__rmod__",
    "divmod": "__rdivmod__",
    "power": "__rpow__",
    "matmul": "__rmatmul__",
    "bitwise_and": "__rand__",
    "bitwise_or": "__ror__",
    "bitwise_xor": "__rxor__",
    "left_shift": "__rlshift__",
    "right_shift": "__rrshift__",
    "less": "__gt__",
    "less_equal": "__ge__",
    "greater": "__lt__",
    "greater_equal": "__le__",
    "equal": "__eq__",
    "not_equal": "__ne__",
}

#: Methods and attributes of arrays.
METHODS = {
    "argmax": "a reduce of obs.zip(a, obs.iota(a.size))",
    "argmin": "a reduce of obs.zip(a, obs.iota(a.size))",
    "argsort": "obs.arrays.sort of obs.zip(a, obs.iota(a.size)), for a known length",
    "astype": "a.to(obs.f32)",
    "clip": "obs.min(obs.max(a, low), high)",
    "copy": "a.force()",
    "cumprod": "a.scan(operator.mul, 1)",
    "cumsum": "a.scan(operator.add, 0)",
    "dot": "(a * b).sum(), or a @ b for matrices",
    "item": "a.force()[0]",
    "mean": "a.sum() and divide by the size, as in a.size.to(obs.f32)",
    "nonzero": "obs.filter(obs.iota(a.size), a != 0)",
    "ravel": "a.flatten()",
    "repeat": "a.ix_map(lambda i: i // k)",
    "round": "obs.round(a)",
    "sort": "obs.arrays.sort(lambda x, y: x < y, a), for a known length",
    "squeeze": "a.reshape(a.dim(1)) or a[0]",
    "std": "sums of a and of a * a",
    "swapaxes": "a.transpose(1, 0)",
    "var": "sums of a and of a * a",
    "view": "a.bitcast(obs.f32)",
}

#: Functions of a module.
FUNCTIONS = {
    "abs": "abs(a)",
    "absolute": "abs(a)",
    "add": "a + b",
    "all": "a.all()",
    "amax": "a.max()",
    "amin": "a.min()",
    "any": "a.any()",
    "append": "obs.concat(a, b)",
    "arange": "obs.iota(n)",
    "arccos": "obs.acos(a)",
    "arccosh": "obs.acosh(a)",
    "arcsin": "obs.asin(a)",
    "arcsinh": "obs.asinh(a)",
    "arctan": "obs.atan(a)",
    "arctan2": "obs.atan2(a, b)",
    "arctanh": "obs.atanh(a)",
    "argmax": METHODS["argmax"],
    "argmin": METHODS["argmin"],
    "argsort": METHODS["argsort"],
    "array": "obs.table(numbers)",
    "asarray": "obs.table(numbers)",
    "bincount": 'obs.scatter(1, at=a, into=n, init=0, combine="add")',
    "bitwise_count": "obs.ctpop(a)",
    "clip": METHODS["clip"],
    "concatenate": "obs.concat(a, b)",
    "convolve": "obs.windows(a, k).map(f)",
    "cumprod": METHODS["cumprod"],
    "cumsum": METHODS["cumsum"],
    "diff": "a[1:] - a[:-1]",
    "divide": "a / b",
    "dot": METHODS["dot"],
    "fabs": "abs(a)",
    "flip": "a.reverse()",
    "floor_divide": "a // b",
    "full_like": "obs.full(a.shape, value)",
    "invert": "~a",
    "isfinite": "abs(a) < obs.f32.inf",
    "isinf": "abs(a) == obs.f32.inf",
    "isnan": "a != a",
    "logical_and": "a & b",
    "logical_not": "~a",
    "logical_or": "a | b",
    "max": "a.max(), or obs.max(a, b) of two arrays",
    "maximum": "obs.max(a, b)",
    "mean": METHODS["mean"],
    "min": "a.min(), or obs.min(a, b) of two arrays",
    "minimum": "obs.min(a, b)",
    "multiply": "a * b",
    "negative": "-a",
    "nonzero": METHODS["nonzero"],
    "ones_like": "obs.ones(a.shape)",
    "outer": "obs.generate(a.size, b.size)(lambda i, j: a[i] * b[j])",
    "power": "a ** b",
    "prod": "a.prod()",
    "reciprocal": "1 / a",
    "remainder": "a % b",
    "repeat": METHODS["repeat"],
    "reshape": "a.reshape(h, w)",
    "rint": "obs.round(a)",
    "roll": "a.ix_map(lambda i: (i - k) % a.size)",
    "round": "obs.round(a)",
    "shape": "a.shape",
    "sign": "obs.where(a > 0, 1, obs.where(a < 0, -1, 0))",
    "size": "a.size",
    "sort": METHODS["sort"],
    "square": "a * a",
    "subtract": "a - b",
    "sum": "a.sum(), or obs.concat(r.sum() for r in m.rows()) for the rows of a matrix",
    "transpose": "a.T",
    "where": "obs.where(condition, a, b)",
    "zeros_like": "obs.zeros(a.shape)",
}


def refusal(name: str) -> str:
    """The message for a function of NumPy with a value of a program."""
    package = sys.modules[__name__.partition(".")[0]]
    if name in FUNCTIONS:
        hint = f"write {FUNCTIONS[name]}"
    elif name in vars(package):
        hint = f"write obs.{name}"
    else:
        hint = "functions of this package take them, such as obs.sqrt; see Python.md"
    return f"np.{name} takes no values of a program: {hint}"

"""Names of NumPy that this package does not have, each with the same in this package.

In: a name that a user writes by habit. Out: the expression for the message.
"""

from __future__ import annotations

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
    "dot": "(a * b).sum(), or obs.matmul",
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
    "arange": "obs.iota(n)",
    "argsort": "obs.arrays.sort of obs.zip(a, obs.iota(a.size)), for a known length",
    "array": "obs.table(numbers)",
    "asarray": "obs.table(numbers)",
    "clip": "obs.min(obs.max(a, low), high)",
    "concatenate": "obs.concat(a, b)",
    "convolve": "obs.windows(a, k).map(f)",
    "cumprod": "a.scan(operator.mul, 1)",
    "cumsum": "a.scan(operator.add, 0)",
    "diff": "a[1:] - a[:-1]",
    "dot": "(a * b).sum(), or obs.matmul",
    "maximum": "obs.max(a, b)",
    "mean": "a.sum() and divide by the size, as in a.size.to(obs.f32)",
    "minimum": "obs.min(a, b)",
    "nonzero": "obs.filter(obs.iota(a.size), a != 0)",
    "outer": "obs.generate(a.size, b.size)(lambda i, j: a[i] * b[j])",
    "power": "obs.pow(a, b)",
    "repeat": "a.ix_map(lambda i: i // k)",
    "reshape": "a.reshape(h, w)",
    "sort": "obs.arrays.sort(lambda x, y: x < y, a), for a known length",
    "transpose": "a.T",
}

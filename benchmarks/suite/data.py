"""Inputs of the benchmarks, the same bits on every machine, by NumPy or CuPy.

In: the module of arrays (`xp`), a number of elements, and a seed. Out: arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

#: The types of NumPy by their names in the language.
DTYPES: dict[str, Any] = {
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "f16": np.float16, "f32": np.float32, "f64": np.float64,
}  # fmt: skip


def bits(xp: Any, count: int, seed: int = 0) -> Any:
    """`count` unsigned numbers of 32 bits, by a hash of their index."""
    x = xp.arange(count, dtype=np.uint32)
    x += np.uint32((seed * 0x9E3779B9) % 2**32)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        x ^= x >> np.uint32(shift)
        x *= np.uint32(factor)
    x ^= x >> np.uint32(16)
    return x


def integers(xp: Any, count: int, below: int, seed: int = 0) -> Any:
    """Numbers from 0 to `below` - 1, as i32."""
    x = bits(xp, count, seed)
    if below & (below - 1):
        x %= np.uint32(below)
    else:
        x &= np.uint32(below - 1)
    return x.view(np.int32)


def floats(xp: Any, count: int, low: float = 0.0, high: float = 1.0, seed: int = 0) -> Any:
    """Numbers from `low` to `high`, as f32."""
    x = (bits(xp, count, seed) >> np.uint32(8)).astype(np.float32)
    x *= np.float32((high - low) / 2**24)
    x += np.float32(low)
    return x


def wide(xp: Any, count: int, seed: int = 0) -> Any:
    """Numbers of 64 bits, as i64."""
    pairs = bits(xp, 2 * count, seed)
    return pairs.view(np.int64)


def of_type(xp: Any, count: int, kind: str, seed: int = 0) -> Any:
    """Numbers of a type such as `i8` or `f64`: any integers, or floats from 0 to 1."""
    if kind.startswith("f"):
        return floats(xp, count, seed=seed).astype(DTYPES[kind])
    if kind == "i64":
        return wide(xp, count, seed)
    return bits(xp, count, seed).astype(DTYPES[kind])

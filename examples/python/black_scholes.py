"""Black-Scholes: prices of European options, of calls and of puts.

Each option has three numbers: the price of the share, the strike price, and the years that are
left. The rate of interest r and the volatility v are the same for all options. From: F. Black, M.
Scholes, The pricing of options and corporate liabilities, 1973. The normal distribution is formula
26.2.17 of Abramowitz and Stegun. The functions exp and log are written out, so all devices compute
the same bits, and a GPU needs no library.

One kernel writes both results. It reads each option once.

>>> import numpy as np
>>> black_scholes(*(np.array([x], np.float32) for x in (100, 90, 1)), 0.02, 0.3)
(array([18.069061], dtype=float32), array([6.2869453], dtype=float32))
"""

import functools
from typing import Annotated

import obsidian as obs
from obsidian import Pull, f32, i32

Numbers = Annotated[Pull, "n", f32]


def polynomial(x, *coefficients):
    """The first coefficient belongs to the highest power."""
    return functools.reduce(
        lambda sum, c: obs.fma(sum, x, f32(c)), coefficients[1:], f32(coefficients[0])
    )


def exp(x):
    """2^k e^r, where k is the integer next to x / log 2. For x from -87 to 88."""
    shifted = obs.fma(x, f32(1.44269504), f32(12582912.0))  # 1.5 * 2^23: rounds to an integer.
    k = shifted - 12582912.0
    r = obs.fma(k, f32(2.12194440e-4), obs.fma(k, f32(-0.693359375), x))
    p = polynomial(r, 1.38888889e-3, 8.33333333e-3, 4.16666667e-2, 0.166666667, 0.5, 1.0, 1.0)
    return p * ((shifted.bitcast(i32) + 127) << 23).bitcast(f32)


def log(x):
    """X = 2^k (1 + f) with f from -1/3 to 1/3, to 4e-7. For x > 0.

    The polynomial is equal to (log(1 + f) - f) / f^2 at the zeros of a polynomial of Chebyshev.
    """
    bits = x.bitcast(i32)
    k = (bits - 0x3F2AAAAB) >> 23
    f = (bits - (k << 23)).bitcast(f32) - 1
    p = polynomial(
        f, -0.146971881, 0.167215556, -0.165401295, 0.198598057, -0.250017792, 0.333353043, -0.5
    )
    return obs.fma(k.to(f32), f32(0.693147181), obs.fma(p, f * f, f))


def normal(d):
    """The normal distribution function, to 7.5e-8."""
    x = obs.min(abs(d), 12)  # Further out the result is 0 or 1 in any case.
    k = 1 / polynomial(x, 0.2316419, 1.0)
    p = polynomial(k, 1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.319381530) * k
    tail = exp(x * x * -0.5) * 0.398942280 * p
    return obs.where(d > 0, 1 - tail, tail)


@obs.jit(threads=128)
def black_scholes(prices: Numbers, strikes: Numbers, years: Numbers, r: f32, v: f32):
    def option(s, x, t):
        spread = v * obs.sqrt(t)
        d1 = obs.fma(obs.fma(v * 0.5, v, r), t, log(s / x)) / spread
        n1, n2 = normal(d1), normal(d1 - spread)
        later = x * exp(0 - r * t)
        return s * n1 - later * n2, later * (1 - n2) - s * (1 - n1)

    return prices.map(option, strikes, years)

"""Black-Scholes: prices of European options, of calls and of puts.

Each option has three numbers: the price of the share, the strike price, and the years that are
left. The rate of interest r and the volatility v are the same for all options. From: F. Black, M.
Scholes, The pricing of options and corporate liabilities, 1973.

One elementwise function computes both prices. The program has one kernel, which reads each option
once. The discount, the spread and both values of the normal distribution are used several times,
and are computed once.

>>> import numpy as np
>>> calls, puts = black_scholes(*(np.array([x], np.float32) for x in (100, 90, 1)), 0.02, 0.3)
>>> round(float(calls[0]), 3), round(float(puts[0]), 3)
(18.069, 6.287)
"""

from typing import Annotated

import obsidian as obs
from obsidian import Pull, arrays, f32

Numbers = Annotated[Pull, "n", f32]


def normal(x):
    """The normal distribution function."""
    return 0.5 * obs.erfc(x * -(0.5**0.5))


@obs.jit
def black_scholes(prices: Numbers, strikes: Numbers, years: Numbers, r: f32, v: f32):
    def option(price, strike, time):
        spread = v * obs.sqrt(time)
        d = (obs.log(price / strike) + (r + v * v * 0.5) * time) / spread
        first, second = normal(d), normal(d - spread)
        later = strike * obs.exp(-r * time)
        return price * first - later * second, later * (1 - second) - price * (1 - first)

    return arrays.zip_with(option, prices, strikes, years)

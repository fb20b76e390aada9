"""Parts of a long list of checks, which tests run side by side.

In: a text such as 2/4 on a command line. Out: every fourth item, from the second one on.
"""

from typing import NamedTuple


class Part(NamedTuple):
    """The part with a number from 1 to `count`."""

    number: int = 1
    count: int = 1

    def of(self, items):
        return items[self.number - 1::self.count]


def part(text):
    """The type of a command line option; an error if there is no such part."""
    number, count = map(int, text.split("/"))
    if not 1 <= number <= count:
        raise ValueError
    return Part(number, count)

"""Makes a failing program small.

In: the text of a program, and a function that tells whether a text still has the finding. Out: a text with
fewer lines and tokens that has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

TOKEN = re.compile(
    r'"[^"]*"|%[\w$.#]+|[@!#^][\w$.]+|-?\d+\.\d+(?:e-?\d+)?|-?\d+(?![\w])|[A-Za-z_][\w.$]*|\s+|.'
)


def tokens(line: str) -> list[str]:
    return TOKEN.findall(line)


def pieces(text: str, by_token: bool) -> list[str]:
    """Lines, or tokens with the space behind them."""
    lines = text.splitlines(keepends=True)
    if not by_token:
        return lines
    parts: list[str] = []
    for token in (token for line in lines for token in tokens(line)):
        if token.isspace() and parts:
            parts[-1] += token
        else:
            parts.append(token)
    return parts


def reduce(text: str, is_same: Callable[[str], bool], budget: int = 400) -> str:
    """Takes away lines, then tokens, while the finding stays; the budget is the number of trials."""
    for by_token in (False, True):
        parts = pieces(text, by_token)
        size = max(1, len(parts) // 2)
        while size and budget > 0:
            start, is_changed = 0, False
            while start < len(parts) and budget > 0:
                fewer = parts[:start] + parts[start + size :]
                budget -= 1
                if len("".join(fewer)) < len("".join(parts)) and is_same("".join(fewer)):
                    parts, is_changed = fewer, True
                else:
                    start += size
            if size == 1 and not is_changed:
                break
            size = max(1, size // 2) if size > 1 or is_changed else 0
        text = "".join(parts)
    return text

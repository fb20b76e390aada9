"""The names that statements of Python read and assign.

In: syntax trees of statements of one function. Out: sets of names: the variables that a rewritten
branch or loop passes on.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def own_nodes(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All nodes that run in the function itself, without the bodies of functions in it."""
    for node in nodes:
        yield node
        if not isinstance(node, _SCOPES):
            yield from own_nodes(ast.iter_child_nodes(node))


def contains(nodes: Iterable[ast.AST], *kinds: type[ast.AST]) -> bool:
    """True if one of the nodes of the function itself is of one of the kinds."""
    return any(isinstance(node, kinds) for node in own_nodes(nodes))


def leaving(statements: Iterable[ast.AST]) -> ast.stmt | None:
    """The first statement that leaves the statements: return, or break or continue of a loop."""
    for node in statements:
        found = None
        if isinstance(node, (ast.Break, ast.Continue, ast.Return)):
            return node
        if isinstance(node, _SCOPES):
            continue
        if isinstance(node, (ast.For, ast.While)):
            returns = (n for n in own_nodes(node.body) if isinstance(n, ast.Return))
            found = next(returns, None) or leaving(node.orelse)
        else:
            found = leaving(ast.iter_child_nodes(node))
        if found is not None:
            return found
    return None


def assigned(nodes: Iterable[ast.AST]) -> list[str]:
    """The names that the nodes assign, in the order of the text.

    The name of an exception has no value after its handler.
    """
    names: dict[str, None] = {}
    for node in nodes:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names[node.name] = None
        elif isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            names[node.id] = None
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                names[(alias.asname or alias.name).split(".")[0]] = None
        if not isinstance(node, (*_SCOPES, *_COMPREHENSIONS)):
            names.update(dict.fromkeys(assigned(ast.iter_child_nodes(node))))
    return list(names)


def read(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that the nodes read, functions in them included."""
    found: set[str] = set()
    for root in nodes:
        for node in ast.walk(root):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found.add(node.id)
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                found.add(node.target.id)
    return found


def read_first(statements: Sequence[ast.stmt]) -> set[str]:
    """The names that the statements may read before they assign them."""
    return _scan(statements, set())[0]


def _scan(statements: Sequence[ast.stmt], known: set[str]) -> tuple[set[str], set[str]]:
    """The names read before they are known, and the names known after the statements."""
    found: set[str] = set()
    known = set(known)
    for statement in statements:
        if isinstance(statement, ast.If):
            found |= read([statement.test]) - known
            first, after_first = _scan(statement.body, known)
            second, after_second = _scan(statement.orelse, known)
            found |= first | second
            known = after_first & after_second
        elif isinstance(statement, ast.With):
            found |= read(statement.items) - known
            inner, known = _scan(statement.body, known | set(assigned(statement.items)))
            found |= inner
        else:
            found |= read([statement]) - known
            if isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.FunctionDef)):
                known |= set(assigned([statement]))
    return found, known


def always_returns(statements: Sequence[ast.stmt]) -> bool:
    """True if the statements end with a return on each path."""
    if not statements:
        return False
    last = statements[-1]
    if isinstance(last, ast.If):
        return always_returns(last.body) and always_returns(last.orelse)
    return isinstance(last, (ast.Return, ast.Raise))

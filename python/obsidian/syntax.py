"""Rewriting of control flow: `if`, `while`, `for k in obs.range(n)`, `and`, `or`, `not`, ...

In: a Python function whose source is in a file or a notebook. Out: a function with the same source
locations. When it runs, it tests at each of these constructs whether the condition is a traced
value. If it is, the functions of branching.py trace the construct. On values of Python, the
constructs keep their meaning. Without a source, or for a lambda, the function itself is the result.

A branch or a loop body becomes a function of the names that it assigns, and returns them. Some
constructs stay as they are: loops with `break`, `continue` or `return`, generators, classes, and
functions with `global` or `nonlocal`. If the condition of such a loop or branch is a traced value,
the error names the statement that keeps it as it is.
"""

from __future__ import annotations
import __future__

import ast
import copy
import functools
import inspect
import linecache
import sys
from collections.abc import Callable, Iterable, Sequence
from types import CellType, CodeType, FunctionType
from typing import Any, cast

from . import branching, control
from .errors import TraceError
from .locations import Location, of_function
from .scopes import (
    always_returns,
    assigned,
    contains,
    leaving,
    own_nodes,
    read,
    read_first,
)

_RUNTIME = "_obs_runtime"
_FUTURES = 0
for _name in __future__.all_feature_names:
    _FUTURES |= getattr(__future__, _name).compiler_flag
_OPERATORS = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}
_UNMOVABLE = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await, ast.Delete)


def check_function(function: Any, decorator: str) -> None:
    """Refuse what a decorator of this package cannot stand before."""
    if not isinstance(function, FunctionType):
        hint = ""
        if isinstance(function, (staticmethod, classmethod)):
            hint = f": @staticmethod stands above @obs.{decorator}, and a class is no argument"
        raise TraceError(f"@obs.{decorator} stands before a function{hint}")
    code = function.__code__
    is_special = code.co_flags & (
        inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
    )
    if is_special:
        raise TraceError(
            "a generator or an `async` function is no program: a function with "
            f"@obs.{decorator} runs to its end when it is traced, and returns its results",
            of_function(code),
        )


def refuse_method(function: FunctionType) -> None:
    """Refuse a function of a class that takes the object or the class."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    scope = function.__qualname__.rpartition(".")[0]
    if names[:1] in (("self",), ("cls",)) and scope and not scope.endswith("<locals>"):
        raise TraceError(
            f"a method is no program, because {names[0]} is no array: leave it out, with "
            "@staticmethod above @obs.jit, and pass what the program needs from the object as "
            "arguments or as static values",
            of_function(function.__code__),
        )


def too_deep(place: Location) -> TraceError:
    """The error for statements that Python cannot follow because they are nested."""
    return TraceError(
        "the statements are nested too deeply for Python, where each `elif`, and all that follows "
        "an `if` with a return, is nested in the `if` before: read the values from an array, as in "
        "obs.table(numbers)[i], or divide the function",
        place,
    )


def rewrite(function: FunctionType) -> Callable[..., Any]:
    """The rewritten function, or the function itself if its source is unknown."""
    try:
        return _rewrite(function)
    except RecursionError:
        raise too_deep(of_function(function.__code__)) from None


def _rewrite(function: FunctionType) -> Callable[..., Any]:
    if _RUNTIME in function.__code__.co_freevars:
        # The function is in a function that is rewritten, so this one is, too.
        return function
    node = _definition(function)
    if node is None or contains(node.body, ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom):
        return function
    code = function.__code__
    rewriter = _Rewriter(function)
    node.decorator_list = []
    # Under its own name, the function would be a variable of the factory.
    node.name = "_obs_function"
    node.body = rewriter.block(node.body, at_end=True)
    node.returns = None
    for argument in ast.walk(node.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    outer = ast.FunctionDef(
        name="_obs_factory",
        args=_parameters([_RUNTIME, *code.co_freevars]),
        body=[node],
        decorator_list=[],
        returns=None,
    )
    _without_type_parameters(outer)
    module = ast.Module(body=[outer], type_ignores=[])
    ast.copy_location(outer, node)
    ast.fix_missing_locations(module)
    flags = code.co_flags & _FUTURES
    compiled = compile(module, code.co_filename, "exec", flags=flags, dont_inherit=True)
    inner = _nested(_nested(compiled, "_obs_factory"), node.name)
    inner = inner.replace(co_name=function.__name__)
    cells = dict(zip(code.co_freevars, function.__closure__ or ()))
    cells[_RUNTIME] = CellType(branching)
    closure = tuple(cells[name] for name in inner.co_freevars)
    result = FunctionType(
        inner, function.__globals__, function.__name__, function.__defaults__, closure
    )
    result.__kwdefaults__ = function.__kwdefaults__
    result.__module__, result.__doc__ = function.__module__, function.__doc__
    result.__qualname__ = function.__qualname__
    result.__wrapped__ = function  # type: ignore[attr-defined]
    return result


def _nested(code: CodeType, name: str) -> CodeType:
    return next(c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name)


def _definition(function: FunctionType) -> ast.FunctionDef | None:
    """The syntax tree of a function, with the locations in its file."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    for node in _functions("".join(lines)):
        if node.name == function.__name__:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            names = tuple(parameter.arg for parameter in parameters)
            if first == code.co_firstlineno and names == code.co_varnames[: len(names)]:
                return copy.deepcopy(node)
    return None


@functools.lru_cache(maxsize=16)
def _functions(text: str) -> list[ast.FunctionDef]:
    """The definitions of functions in the text of a file."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return []
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def _without_type_parameters(node: ast.FunctionDef) -> None:
    """Set the list of type parameters, which a definition has since Python 3.12."""
    if sys.version_info >= (3, 12):
        node.type_params = []


def _obstacle(node: ast.If | ast.For | ast.While) -> tuple[ast.AST, str] | None:
    """The part that keeps a statement as it is, with a word for it; None if there is none."""
    if isinstance(node, (ast.For, ast.While)) and node.orelse:
        return node.orelse[0], "else"
    left = leaving([*node.body, *node.orelse])
    if left is not None:
        return left, type(left).__name__.lower()
    words = {ast.NamedExpr: ":=", ast.Delete: "del"}
    for part in own_nodes([node]):
        if isinstance(part, _UNMOVABLE):
            return part, words.get(type(part), "yield")
    return None


def _constants(names: Iterable[str | None]) -> ast.expr:
    """A tuple of strings."""
    return ast.Tuple(elts=[ast.Constant(name) for name in names], ctx=ast.Load())


def _parameters(names: Iterable[str]) -> ast.arguments:
    return ast.arguments(
        posonlyargs=[],
        args=[ast.arg(arg=name) for name in names],
        kwonlyargs=[],
        kw_defaults=[],
        defaults=[],
    )


def _load(name: str) -> ast.expr:
    return ast.Name(id=name, ctx=ast.Load())


def _lambda(value: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Lambda(args=_parameters([]), body=value), value)


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    function = ast.Attribute(value=_load(_RUNTIME), attr=name, ctx=ast.Load())
    return ast.Call(func=function, args=list(arguments), keywords=[])


def _values(names: Sequence[str]) -> ast.expr:
    """A tuple of the current values of names, with `UNDEFINED` for names without a value."""
    parts = [_call("value_of", _lambda(_load(name))) for name in names]
    return ast.Tuple(elts=cast("list[ast.expr]", parts), ctx=ast.Load())


def _tuple(names: Sequence[str], context: ast.expr_context) -> ast.expr:
    return ast.Tuple(elts=[ast.Name(id=name, ctx=context) for name in names], ctx=context)


class _Rewriter(ast.NodeTransformer):
    """Rewrites the statements of one function."""

    def __init__(self, function: FunctionType) -> None:
        self.function = function
        self.count = 0
        #: The names that are read after the statement that is rewritten.
        self.reads: set[str] = set()

    def name(self, kind: str) -> str:
        """A new name for a function."""
        self.count += 1
        return f"_obs_{kind}_{self.count}"

    def block(self, statements: Sequence[ast.stmt], at_end: bool) -> list[ast.stmt]:
        """Rewrite statements in order. `at_end` is true if the function ends after them."""
        result: list[ast.stmt] = []
        self_reads = self.reads
        # The names that the statements after each one read, for the last statement first.
        later: list[set[str]] = [set()]
        for statement in reversed(statements[1:]):
            later.append(later[-1] | read([statement]))
        for place, (statement, after) in enumerate(zip(statements, reversed(later))):
            if isinstance(statement, ast.If) and at_end and contains([statement], ast.Return):
                returned = self.returning(statement, statements[place + 1 :])
                if returned is not None:
                    return result + returned
            self.reads = self_reads | after
            found = self.visit(statement)
            result += found if isinstance(found, list) else [found]
        self.reads = self_reads
        return result

    def returning(self, node: ast.If, rest: Sequence[ast.stmt]) -> list[ast.stmt] | None:
        """An `if` with returns. The statements after it belong to the branch without a return."""
        body, orelse = list(node.body), list(node.orelse)
        if always_returns(body):
            orelse += rest
        elif always_returns(orelse):
            body += rest
        else:
            return None
        for branch in (body, orelse):
            if not always_returns(branch):
                branch.append(ast.copy_location(ast.Return(value=ast.Constant(None)), node))
        names = assigned([*body, *orelse])
        test = self.visit(node.test)
        then, otherwise = self.name("then"), self.name("else")
        definitions = [
            self.define(then, names, self.block(body, at_end=True), node),
            self.define(otherwise, names, self.block(orelse, at_end=True), node),
        ]
        call = _call("if_return", test, _load(then), _load(otherwise), _values(names))
        return [*definitions, self.placed(ast.Return(value=call), node)]

    def placed(self, new: Any, old: ast.AST) -> Any:
        """A new node at the beginning of an old one. The parts with a place keep theirs."""
        work = [new]
        while work:
            node = work.pop()
            if isinstance(node, (ast.expr, ast.stmt, ast.arg)):
                if hasattr(node, "lineno"):
                    continue
                ast.copy_location(node, old)
                node.end_lineno, node.end_col_offset = node.lineno, node.col_offset
            work += ast.iter_child_nodes(node)
        return new

    def define(
        self, name: str, names: Iterable[str], body: list[ast.stmt], place: ast.AST
    ) -> ast.stmt:
        """A function definition."""
        node = ast.FunctionDef(
            name=name, args=_parameters(names), body=body, decorator_list=[], returns=None
        )
        _without_type_parameters(node)
        return cast(ast.stmt, self.placed(node, place))

    def passing(
        self, name: str, first: list[str], names: list[str], body: list[ast.stmt], place: ast.AST
    ) -> ast.stmt:
        """A function that runs statements and returns the names that they assign."""
        done = [*body, ast.Return(value=_tuple(names, ast.Load()))]
        return self.define(name, [*first, *names], done, place)

    def bind(self, names: list[str], call: ast.expr, place: ast.AST) -> ast.stmt:
        """Assign the results of a call to names."""
        if not names:
            return cast(ast.stmt, self.placed(ast.Expr(value=call), place))
        assign = ast.Assign(targets=[_tuple(names, ast.Store())], value=call)
        return cast(ast.stmt, self.placed(assign, place))

    def visit_If(self, node: ast.If) -> Any:
        """Rewrite an `if`, unless a statement leaves it."""
        names = assigned([*node.body, *node.orelse])
        obstacle = _obstacle(node)
        if obstacle is not None:
            plain = self.generic_visit(node)
            plain.test = self.known(plain.test, *obstacle)
            return plain
        then, otherwise = self.name("then"), self.name("else")
        test = self.visit(node.test)
        definitions = [
            self.passing(then, [], names, self.block(node.body, False), node),
            self.passing(otherwise, [], names, self.block(node.orelse, False), node),
        ]
        labels = _constants(names)
        call = _call("if_", test, _load(then), _load(otherwise), _values(names), labels)
        return [*definitions, self.bind(names, call, node)]

    def known(self, value: ast.expr, obstacle: ast.AST, word: str) -> ast.expr:
        """A condition or a range that Python must know, because of a part of its statement."""
        line, column = obstacle.lineno, obstacle.col_offset + 1  # type: ignore[attr-defined]
        place = [ast.Constant(n) for n in (word, self.function.__code__.co_filename, line, column)]
        return cast(ast.expr, self.placed(_call("known", value, *place), value))

    def loop_names(self, node: ast.For | ast.While) -> tuple[list[str], ast.expr]:
        """The names that a loop assigns, and those of them that it must carry."""
        names = assigned(node.body)
        first = read_first(node.body) | self.reads
        if isinstance(node, ast.While):
            first |= read([node.test])
        return names, _constants(name for name in names if name in first)

    def loop_body(self, node: ast.For | ast.While) -> list[ast.stmt]:
        """The rewritten body of a loop. After it, the loop may read the names of its start."""
        before = self.reads
        self.reads = before | read([node])
        body = self.block(node.body, False)
        self.reads = before
        return body

    def visit_While(self, node: ast.While) -> Any:
        """Rewrite a `while`, unless a statement leaves it."""
        obstacle = _obstacle(node)
        if obstacle is not None:
            plain = self.generic_visit(node)
            plain.test = self.known(plain.test, *obstacle)
            return plain
        names, carried = self.loop_names(node)
        test, body = self.name("test"), self.name("body")
        condition = ast.Return(value=self.visit(node.test))
        definitions = [
            self.define(test, names, [self.placed(condition, node.test)], node),
            self.passing(body, [], names, self.loop_body(node), node),
        ]
        labels = _constants(names)
        call = _call("while_", _load(test), _load(body), _values(names), labels, carried)
        return [*definitions, self.bind(names, call, node)]

    def visit_For(self, node: ast.For) -> Any:
        """Rewrite a `for` over obs.range, unless a statement leaves it."""
        if not isinstance(node.target, ast.Name) or not self.is_range(node.iter):
            return self.generic_visit(node)
        obstacle = _obstacle(node)
        if obstacle is not None:
            plain = self.generic_visit(node)
            plain.iter = self.known(plain.iter, *obstacle)
            return plain
        names, carried = self.loop_names(node)
        names = [name for name in names if name != node.target.id]
        body = self.name("body")
        numbers = self.visit(node.iter)
        definition = self.passing(body, [node.target.id], names, self.loop_body(node), node)
        labels = _constants(names)
        call = _call("for_", numbers, _load(body), _values(names), labels, carried)
        return [definition, self.bind(names, call, node)]

    def is_range(self, node: ast.expr) -> bool:
        """True if an expression is a call of obs.range."""
        if not isinstance(node, ast.Call):
            return False
        function = self.function
        cells = zip(function.__code__.co_freevars, function.__closure__ or ())
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
            base, attribute = node.func.value.id, node.func.attr
        elif isinstance(node.func, ast.Name):
            base, attribute = node.func.id, ""
        else:
            return False
        value = function.__globals__.get(base)
        for name, cell in cells:
            if name == base:
                try:
                    value = cell.cell_contents
                except ValueError:
                    return False
        return (getattr(value, attribute, None) if attribute else value) is control.range

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        """Rewrite a function in the function, unless it is a generator."""
        if contains(node.body, ast.Yield, ast.YieldFrom, ast.Global, ast.Nonlocal):
            return node
        before, self.reads = self.reads, set()
        node.body = self.block(node.body, at_end=True)
        self.reads = before
        node.decorator_list = [self.visit(d) for d in node.decorator_list]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        """Leave a class as it is."""
        return node

    def generic_visit(self, node: ast.AST) -> Any:
        """Rewrite the parts of a node, lists of statements included."""
        for field, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                before = self.reads
                if isinstance(node, (ast.For, ast.While)):
                    self.reads = before | read([node])
                setattr(node, field, self.block(value, False))
                self.reads = before
            elif isinstance(value, list):
                value[:] = [self.visit(v) if isinstance(v, ast.AST) else v for v in value]
            elif isinstance(value, ast.AST):
                setattr(node, field, self.visit(value))
        return node

    def visit_Assert(self, node: ast.Assert) -> Any:
        """Rewrite an assertion."""
        test = self.visit(node.test)
        message = node.msg if node.msg is not None else ast.Constant(ast.unparse(node.test))
        call = _call("assert_", test, _lambda(self.placed(message, node)))
        return self.placed(ast.Expr(value=call), node)

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        """Rewrite `a if c else b`."""
        if contains([node], *_UNMOVABLE):
            return node
        test = self.visit(node.test)
        call = _call(
            "choose", test, _lambda(self.visit(node.body)), _lambda(self.visit(node.orelse))
        )
        return self.placed(call, node)

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        """Rewrite `a and b`, `a or b`."""
        if contains([node], *_UNMOVABLE):
            return node
        first, *others = [self.visit(value) for value in node.values]
        name = "and_" if isinstance(node.op, ast.And) else "or_"
        return self.placed(_call(name, first, *map(_lambda, others)), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        """Rewrite `not a`."""
        operand = self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            return self.placed(_call("not_", operand), node)
        node.operand = operand
        return node

    def visit_Compare(self, node: ast.Compare) -> Any:
        """Rewrite `a < b < c`."""
        names = [_OPERATORS.get(type(op)) for op in node.ops]
        if len(names) == 1 or None in names or contains([node], *_UNMOVABLE):
            return self.generic_visit(node)
        operands = [_lambda(self.visit(value)) for value in node.comparators]
        labels = _constants(names)
        return self.placed(_call("chain", labels, self.visit(node.left), *operands), node)

"""Put a mutant into a process that has imported its module: live functions get the mutated code.

All names that a function was imported under, registries and decorated functions go on to refer to
the same objects, so nothing is imported again.
"""

from __future__ import annotations

import ast
import functools
import gc
from collections.abc import Iterator
from types import CodeType, FunctionType

from tests.mutants.drawing import Function, Mutant, outermost


def swap(mutant: Mutant) -> None:
    """Make this process run the mutant."""
    function = mutant.function
    file = str(function.file.resolve())
    old = _code_of(function, compile(function.source, file, "exec"))
    new = _code_of(function, compile(mutant.text, file, "exec"))
    codes = {(code.co_qualname, number): code for number, code in _codes(new)}
    keys = {
        (code.co_qualname, code.co_firstlineno): codes.get((code.co_qualname, number))
        for number, code in _codes(old)
    }
    for live in gc.get_objects():
        if isinstance(live, FunctionType) and live.__code__.co_filename == file:
            code = keys.get((live.__code__.co_qualname, live.__code__.co_firstlineno))
            if code is not None and len(code.co_freevars) == len(live.__code__.co_freevars):
                live.__code__ = code
                if live.__qualname__ == function.qualname:
                    _set_defaults(live, mutant)
    forget_results()


def forget_results() -> None:
    """Empty the caches of functions: what is in them came of the original."""
    for live in gc.get_objects():
        if isinstance(live, functools._lru_cache_wrapper) and live.__module__.startswith(
            "envdoctor"
        ):
            live.cache_clear()


def _code_of(function: Function, module: CodeType) -> CodeType:
    place = function.qualname, function.first_line
    return next(code for code in _walk(module) if (code.co_qualname, code.co_firstlineno) == place)


def _walk(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _walk(inner)


def _codes(outermost: CodeType) -> Iterator[tuple[int, CodeType]]:
    """A function's code and the codes that are nested in it, each with its number among those of
    its name: a mutant may move lines.
    """
    counted: dict[str, int] = {}
    for code in _walk(outermost):
        number = counted[code.co_qualname] = counted.get(code.co_qualname, 0) + 1
        yield number, code


def _set_defaults(live: FunctionType, mutant: Mutant) -> None:
    """Defaults are evaluated where a function is defined, so its new code does not change them."""
    arguments = _arguments(mutant)
    if ast.dump(arguments) == ast.dump(mutant.function.node.args):
        return
    values = [_value(default, live) for default in arguments.defaults]
    live.__defaults__ = tuple(values) or None
    live.__kwdefaults__ = {
        argument.arg: _value(default, live)
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        if default is not None
    }


def _arguments(mutant: Mutant) -> ast.arguments:
    function = mutant.function
    return next(
        node.args
        for name, node in outermost(ast.parse(mutant.text))
        if (name, node.lineno) == (function.qualname, function.node.lineno)
    )


def _value(expression: ast.expr, live: FunctionType) -> object:
    return eval(ast.unparse(expression), live.__globals__)

"""Put a mutant into a process that has imported its module: live functions get the mutated code.

All names that a function was imported under, registries and decorated functions go on to refer to
the same objects, so nothing is imported again.
"""

from __future__ import annotations

import ast
import functools
import gc
from collections import Counter, defaultdict
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from tests.mutants.drawing import Function, Mutant, outermost


class Live:
    """The functions of this process, and the caches of the package, as they are now."""

    def __init__(self) -> None:
        self._functions: dict[tuple[str, str, int], list[FunctionType]] = defaultdict(list)
        self._caches: list[Any] = []
        gc.unfreeze()
        for live in gc.get_objects():
            if type(live) is FunctionType:  # isinstance() asks objects of hostile environments
                code = live.__code__
                place = code.co_filename, code.co_qualname, code.co_firstlineno
                self._functions[place].append(live)
            elif type(live) is functools._lru_cache_wrapper and _is_ours(live):
                self._caches.append(live)

    def forget_results(self) -> None:
        """Empty the caches: what is in them came of the original, or of collecting tests."""
        for cache in self._caches:
            cache.cache_clear()

    def swap(self, mutant: Mutant) -> None:
        """Make this process run the mutant."""
        function = mutant.function
        file = str(function.file.resolve())
        old = _code_of(function, compile(function.source, file, "exec"))
        new = _code_of(function, compile(mutant.text, file, "exec"))
        codes = dict(_codes(new))
        for place, code in _codes(old):
            mutated = codes.get(place)
            if mutated is None or len(mutated.co_freevars) != len(code.co_freevars):
                continue
            functions = self._functions[file, code.co_qualname, code.co_firstlineno]
            if code is old and not functions:
                raise LookupError(f"no live function is {mutant}")
            for live in functions:
                live.__code__ = mutated
                if code is old:
                    _set_defaults(live, mutant)
        self.forget_results()


def _is_ours(live: Any) -> bool:
    return str(live.__module__).startswith("envdoctor")


def _code_of(function: Function, module: CodeType) -> CodeType:
    place = function.qualname, function.first_line
    return next(code for code in _walk(module) if (code.co_qualname, code.co_firstlineno) == place)


def _walk(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _walk(inner)


def _codes(outermost: CodeType) -> Iterator[tuple[tuple[str, int], CodeType]]:
    """A function's code and the codes that are nested in it, each with its name and its number among
    those of that name: a mutant may move lines.
    """
    counted: Counter[str] = Counter()
    for code in _walk(outermost):
        counted[code.co_qualname] += 1
        yield (code.co_qualname, counted[code.co_qualname]), code


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

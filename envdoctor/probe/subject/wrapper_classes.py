"""The classes of the wrappers around an environment, and which lines of code are theirs."""

from __future__ import annotations

import dis
import types
from typing import Any, Container, Dict, Iterable, Iterator, List, Tuple

from envdoctor.probe.frameworks import names
from envdoctor.probe.growth.chains import type_name
from envdoctor.probe.sources import source_of
from envdoctor.probe.wrappers import innermost, wrappers

METHODS = ("__init__", "reset", "step", "close", "render")


def described(environment: object) -> List[Dict[str, object]]:
    """Each wrapper's class as the journal has it (`model.facts.survey.WrapperClass`), the outermost
    first.
    """
    inner = set(type(innermost(environment)).__mro__)
    kinds = dict.fromkeys(type(layer) for layer in wrappers(environment))
    return [_described(kind, inner) for kind in kinds if kind not in inner]


def _described(kind: type, inner: Container[type]) -> Dict[str, object]:
    codes = list(_functions(kind, inner))
    methods: Dict[str, object] = {}
    for base, name, code in codes:
        if name in METHODS:
            function = "%s.%s" % (base.__qualname__, name)
            place = {"file": code.co_filename, "line": code.co_firstlineno, "function": function}
            methods.setdefault(name, place)
    # To find the line of a class, Python parses its file: those of libraries are large.
    library = kind.__module__.partition(".")[0] in names.REGISTRIES
    return {
        "name": type_name(kind),
        "source": _first_method(kind, codes) if library else source_of(kind),
        "methods": methods,
        "lines": [
            {"file": code.co_filename, "first": code.co_firstlineno, "last": last_line(code)}
            for _, _, code in codes
        ],
    }


def _functions(kind: type, inner: Container[type]) -> Iterator[Tuple[type, str, types.CodeType]]:
    """The functions of a class and of those above it, without the classes in `inner` and the
    libraries' base classes: (class, name, code).
    """
    for base in kind.__mro__:
        if base not in inner and base.__module__ not in names.BASE_MODULES:
            for name, value in list(vars(base).items()):
                yield from ((base, name, code) for code in _codes(value))


def codes_of(kind: type, below: Iterable[type]) -> Iterator[Tuple[str, types.CodeType]]:
    """The functions of a class as `Class.name` with their code, without those that it has in
    common with classes of layers `below` it.
    """
    inner = {base for each in below for base in each.__mro__}
    for base, name, code in _functions(kind, inner):
        if base is not object:
            yield "%s.%s" % (base.__qualname__, name), code


def _first_method(kind: type, codes: List[Tuple[type, str, types.CodeType]]) -> object:
    """The first of a class's own functions, which stands for the line of the class."""
    own = [code for base, _, code in codes if base is kind]
    first = min(own, key=lambda code: code.co_firstlineno, default=None)
    return first and {
        "file": first.co_filename,
        "line": first.co_firstlineno,
        "function": kind.__qualname__,
    }


def _codes(value: Any) -> Iterator[types.CodeType]:
    """The code of a function of a class, and of a property's."""
    if type(value) in (staticmethod, classmethod):
        value = value.__func__
    for each in (value.fget, value.fset) if type(value) is property else (value,):
        if type(each) is types.FunctionType:
            yield each.__code__


def last_line(code: types.CodeType) -> int:
    """The last line of a function with the functions in it."""
    lines = [line for _, line in dis.findlinestarts(code) if line]
    inside = [last_line(each) for each in code.co_consts if type(each) is types.CodeType]
    return max([code.co_firstlineno, *lines, *inside])

"""The values of expressions that a file writes down in full: texts, numbers, and what is built of
them. Nothing is imported or run; all other values are unknown.
"""

from __future__ import annotations

import ast
import itertools
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field

from envdoctor.discovery.modules import Registration
from envdoctor.model.fast_dataclass import dataclass

STEPS = 300_000  # statements and expressions of one file
LONGEST = 1_000  # characters, items
PARTS = 5_000  # of a value: its items, with theirs
LARGEST = 1 << 31
#: A width in a format, or one that an argument gives: "%999d", "%*d", "{:>{}}".
WIDE = re.compile(r"\d{3}|%[^%a-zA-Z]*\*|\{[^{}]*\{[^{]")


class Unknown:
    """The value of all that is not written down."""


UNKNOWN = Unknown()


@dataclass(frozen=True)
class Named:
    """A class or a function by its full name, with the attributes that its body gives it."""

    name: str
    attributes: Mapping[str, object]

    def __hash__(self) -> int:
        return hash(self.name)


Scope = dict[str, object]


class Ended(Exception):
    """A function returned, a loop went on or broke, or all steps are taken."""

    def __init__(self, kind: type[ast.AST] | None = None, value: object = UNKNOWN) -> None:
        super().__init__()
        self.kind = kind
        self.value = value


@dataclass
class FoldingState:
    """The registrations of the file that is read, and how far that is."""

    steps: int = STEPS
    depth: int = 0
    line: int = 0  # of the statement of the file itself
    by_import: bool = True
    registered: dict[str, Registration] = field(default_factory=dict)
    entered: set[int] = field(default_factory=set)

    def step(self) -> None:
        """Take one. Raises Ended after the last."""
        self.steps -= 1
        if self.steps < 0:
            raise Ended


def is_small(value: object) -> bool:
    """Return whether a value has few parts: a list may have one list many times, or itself."""
    waiting, number = [value], 0
    while waiting:
        each = waiting.pop()
        if isinstance(each, (dict, list, tuple)):
            number += len(each)
            if number > PARTS:
                return False
            waiting += each
            waiting += each.values() if isinstance(each, dict) else ()
    return True


def copied(value: object) -> object:
    """A value whose lists and tables are not those of the first; UNKNOWN of one that is large."""
    return _copied(value) if is_small(value) else UNKNOWN


def _copied(value: object) -> object:
    if isinstance(value, dict):
        return {key: _copied(each) for key, each in value.items()}
    return list(map(_copied, value)) if isinstance(value, list) else value


OPERATORS: Mapping[type[ast.AST], Callable[..., object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitOr: operator.or_,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, items: operator.contains(items, item),
    ast.NotIn: lambda item, items: not operator.contains(items, item),
}
FUNCTIONS: Mapping[str, Callable[..., object]] = {
    "all": all,
    "any": any,
    "chr": chr,
    "copy.copy": copied,
    "copy.deepcopy": copied,
    "dict": dict,
    "enumerate": enumerate,
    "itertools.chain": itertools.chain,
    "itertools.combinations": itertools.combinations,
    "itertools.product": itertools.product,
    "int": int,
    "len": len,
    "list": list,
    "max": max,
    "min": min,
    "ord": ord,
    "range": range,
    "reversed": reversed,
    "set": dict.fromkeys,  # in the order in which it is written
    "sorted": sorted,
    "str": str,
    "sum": sum,
    "tuple": tuple,
    "zip": zip,
}
READING_ITEMS = ("all", "any", "chr", "int", "max", "min", "ord", "set", "sorted", "str", "sum")
PURE = {
    str: (
        *("capitalize", "endswith", "format", "join", "lower", "lstrip", "removeprefix"),
        *("partition", "removesuffix", "replace", "rpartition", "rsplit", "rstrip", "split"),
        *("startswith", "strip", "title", "upper", "zfill"),
    ),
    dict: ("copy", "get", "items", "keys", "values"),
    list: ("copy", "index"),
}
CHANGING = {
    dict: ("clear", "pop", "popitem", "setdefault", "update"),
    list: ("append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"),
}


def is_plain(value: object) -> bool:
    """Return whether a constant is one of those that texts are built of."""
    return value is None or isinstance(value, (str, int, float))


def is_key(value: object) -> bool:
    """Return whether a value can stand for an item: a text, a number, a class, or some of these."""
    if isinstance(value, tuple):
        return all(map(is_key, value))
    return isinstance(value, (str, int, float, Named, slice)) or value is None


def is_known(value: object) -> bool:
    """Return whether no part of a value is unknown. A large one is."""
    return is_small(value) and _is_known(value)


def _is_known(value: object) -> bool:
    if isinstance(value, dict):
        return all(map(_is_known, value)) and all(map(_is_known, value.values()))
    if isinstance(value, (list, tuple)):
        return all(map(_is_known, value))
    return not isinstance(value, (Unknown, Named))


def bounded(value: object) -> object:
    """A value that is of a plain type and not too large, or UNKNOWN."""
    if isinstance(value, (bool, float, Unknown, Named)) or value is None:
        return value
    if isinstance(value, int):
        return value if abs(value) < LARGEST else UNKNOWN
    if isinstance(value, (str, list, tuple, dict)):
        return value if len(value) <= LONGEST and is_small(value) else UNKNOWN
    if isinstance(value, Iterable):
        items = list(itertools.islice(value, LONGEST + 1))
        return items if len(items) <= LONGEST and is_small(items) else UNKNOWN
    return UNKNOWN


def called(function: Callable[..., object], *values: object, **named: object) -> object:
    """The result of a function of Python, UNKNOWN where it raises."""
    try:
        return bounded(function(*values, **named))
    except Exception:  # the text of the file is wrong there
        return UNKNOWN


def operated(kind: type[ast.AST], left: object, right: object) -> object:
    """The result of an operator between two values."""
    function = OPERATORS.get(kind)
    if function is None or not (is_known(left) and is_known(right)):
        return UNKNOWN
    if kind is ast.Mod and isinstance(left, str) and WIDE.search(left):
        return UNKNOWN
    if kind is ast.Mult and not all(isinstance(each, (int, float)) for each in (left, right)):
        factors = [each for each in (left, right) if isinstance(each, int)]
        if not factors or factors[0] > LONGEST:
            return UNKNOWN
    return called(function, left, right)


def built_in(name: str, values: list[object], named: Mapping[str, object]) -> object:
    """The result of a function of Python by its name. Items may be unknown, texts of them not."""
    function = FUNCTIONS.get(name)
    if function is None or any(isinstance(each, Unknown) for each in (*values, *named.values())):
        return UNKNOWN
    if name in READING_ITEMS and not all(map(is_known, values)):
        return UNKNOWN
    return called(function, *values, **named)


def method(value: object, name: str, values: list[object], named: Mapping[str, object]) -> object:
    """The result of a method of a text, a list or a table."""
    for kind in (str, dict, list):
        if not isinstance(value, kind):
            continue
        function = getattr(value, name, None)
        if function is None:
            return UNKNOWN
        if name in CHANGING.get(kind, ()):
            lost = name in ("pop", "remove") and not all(map(is_known, values))
            if lost and isinstance(value, (dict, list)):
                value.clear()  # any of its items may have gone
            result = called(function, *values, **named)
            keep_small(value)
            return result
        needs_all = (value, *values, *named.values()) if kind is str else values
        if name not in PURE[kind] or not all(map(is_known, needs_all)):
            return UNKNOWN
        is_wide = any(isinstance(each, int) and each > LONGEST for each in values) or (
            name == "format" and isinstance(value, str) and WIDE.search(value) is not None
        )
        return UNKNOWN if is_wide else called(function, *values, **named)
    return UNKNOWN


def keep_small(value: object) -> None:
    """Forget the items of a list or a table that has become large."""
    if isinstance(value, (dict, list)) and not (len(value) <= LONGEST and is_small(value)):
        value.clear()


def attribute(value: object, name: str) -> object:
    """An attribute of a class: one that its body gives it, or its name."""
    if not isinstance(value, Named):
        return UNKNOWN
    if name in value.attributes:
        return value.attributes[name]
    if name in ("__name__", "__qualname__"):
        return value.name.rpartition(".")[2]
    if name == "__module__":
        return value.name.rpartition(".")[0]
    return Named(f"{value.name}.{name}", {})


def item(value: object, key: object) -> object:
    """An item of a list or a table, or a part of a text."""
    if not is_key(key) or not isinstance(value, (str, list, tuple, dict)):
        return UNKNOWN
    return called(operator.getitem, value, key)


def shown(value: object, conversion: int, spec: object) -> object:
    """A value in an f-string."""
    if not (is_known(value) and isinstance(spec, str)) or WIDE.search(spec):
        return UNKNOWN
    if conversion in (ord("r"), ord("a")):
        value = called(repr if conversion == ord("r") else ascii, value)
    return called(format, value, spec)


def scope_of(
    arguments: ast.arguments,
    values: list[object],
    named: Mapping[str, object],
    value_of: Callable[[ast.expr], object],
) -> Scope:
    """The names in a function that is called. One that is not passed is unknown, or its default."""
    positional = [each.arg for each in (*arguments.posonlyargs, *arguments.args)]
    every = [*positional, *(each.arg for each in arguments.kwonlyargs)]
    scope: Scope = dict.fromkeys(every, UNKNOWN)
    defaults = [*arguments.defaults, *arguments.kw_defaults]
    for name, default in zip(every[len(every) - len(defaults) :], defaults, strict=True):
        if default is not None:
            scope[name] = value_of(default)
    scope |= dict(zip(positional, values, strict=False))
    scope |= {name: value for name, value in named.items() if name in scope}
    if arguments.vararg is not None:
        scope[arguments.vararg.arg] = values[len(positional) :]
    if arguments.kwarg is not None:
        more = {name: value for name, value in named.items() if name not in every}
        scope[arguments.kwarg.arg] = more
    return scope


def same(first: object, second: object) -> bool:
    """Return whether two values are one, also where they are unknown."""
    return first is second or (type(first) is type(second) and first == second)

"""The contents of one file, from its syntax tree: classes, functions, registrations, imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import field
from typing import Any

from envdoctor.discovery.files import SourceFile
from envdoctor.discovery.syntax import argument, full_name, imported, imports, parsed
from envdoctor.model.environment_names import TRANSITION
from envdoctor.model.fast_dataclass import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef

OPTIONAL = {"render", "close", "seed"}
WITH_DOCSTRING = 2  # statements


@dataclass(frozen=True)
class ClassSeen:
    """One class at the top of a file. `bases` are full names, as far as imports show them;
    `needs` the arguments of its constructor that have no default, None where it has none;
    `abstract` its methods that are left to others. It `returns_transition` where step() takes an
    action and returns three to five values.
    """

    name: str
    line: int
    bases: tuple[str, ...]
    methods: frozenset[str]
    needs: tuple[str, ...] | None
    abstract: frozenset[str]
    returns_transition: bool = False


@dataclass(frozen=True)
class FunctionSeen:
    """One function at the top of a file, and the full names of what it returns a call of."""

    name: str
    line: int
    needs: tuple[str, ...]
    returns: frozenset[str]


@dataclass(frozen=True)
class Registration:
    """One id that a file registers; `entry` is the full name of its entry point, if it is
    written down, and `kwargs` the names of the arguments that it gives. `by_import` is True where
    an import of the file is seen to register it, not only a call of one of its functions.
    """

    identifier: str
    line: int
    entry: str
    kwargs: frozenset[str]
    by_import: bool = False


@dataclass(frozen=True)
class ModuleSeen:
    """One file, read. `names` says for each imported name what it stands for; `used` has the line
    at which each imported thing is used first; `imports` are the full names that it imports,
    anywhere in it. It `registers` where it uses a function that registers an id, and `is_guarded`
    where it has a main block.
    """

    file: SourceFile
    classes: tuple[ClassSeen, ...] = ()
    functions: tuple[FunctionSeen, ...] = ()
    registrations: tuple[Registration, ...] = ()
    names: dict[str, str] = field(default_factory=dict)
    used: dict[str, int] = field(default_factory=dict)
    is_script: bool = False
    imports: frozenset[str] = frozenset()
    registers: bool = False
    is_guarded: bool = False


def read(file: SourceFile, registries: tuple[str, ...]) -> ModuleSeen:
    """Read a file; nothing of one that is not Python. `registries` are the packages that have a
    `register` of ids.
    """
    tree = parsed(file.text)
    is_package = file.path.endswith("__init__.py")
    names = imported(tree, file.module, is_package)
    names |= _aliases(tree, names)
    used = _used(tree, names)
    is_guarded = any(isinstance(node, ast.If) and _is_guard(node) for node in tree.body)
    return ModuleSeen(
        file,
        tuple(_class(node, names) for node in _defined(tree, ast.ClassDef)),
        tuple(
            _function(node, names)
            for kind in (ast.FunctionDef, ast.AsyncFunctionDef)
            for node in _defined(tree, kind)
        ),
        tuple(_registrations(tree, names, registries)),
        names,
        used,
        is_guarded or any(_is_call(node) for node in tree.body),
        frozenset(imports(tree, names, file.module, is_package)),
        any(is_register(name, registries) for name in used),
        is_guarded,
    )


def _aliases(tree: ast.Module, names: dict[str, str]) -> dict[str, str]:
    """The names that stand for what was imported: {"Base": "gymnasium.Env"} of
    `Base = gymnasium.Env`.
    """
    result: dict[str, str] = {}
    for node in _defined(tree, ast.Assign):
        name = full_name(node.value, {**names, **result})
        first = name.partition(".")[0]
        is_imported = any(first == each.partition(".")[0] for each in names.values())
        if isinstance(node.targets[0], ast.Name) and "." in name and is_imported:
            result[node.targets[0].id] = name
    return result


def _defined(tree: ast.Module, kind: type[object]) -> Iterator[Any]:
    """Definitions at the top, also those in an `if` or a `try` there."""
    bodies = [tree.body]
    while bodies:
        for node in bodies.pop():
            if isinstance(node, kind):
                yield node
            elif isinstance(node, (ast.If, ast.Try)) and not (
                isinstance(node, ast.If) and _is_guard(node)
            ):
                bodies += [node.body, node.orelse, *(each.body for each in _handlers(node))]


def _handlers(node: ast.If | ast.Try) -> list[ast.ExceptHandler]:
    return node.handlers if isinstance(node, ast.Try) else []


def _class(node: ast.ClassDef, names: dict[str, str]) -> ClassSeen:
    functions = [each for each in node.body if isinstance(each, Function)]
    constructor = next((each for each in functions if each.name == "__init__"), None)
    return ClassSeen(
        node.name,
        node.lineno,
        tuple(full_name(_subscripted(base), names) for base in node.bases),
        frozenset(each.name for each in functions),
        None if constructor is None else _needs(constructor.args, skipped=1),
        frozenset(each.name for each in functions if _is_abstract(each, names)),
        any(each.name == "step" and _returns_transition(each) for each in functions),
    )


def _returns_transition(step: Function) -> bool:
    """Return whether it takes an action, and returns an observation, a reward, one or two ends, and
    an info.
    """
    takes = len([*step.args.posonlyargs, *step.args.args]) > 1 or step.args.vararg is not None
    results = (each.value for each in _statements(step) if isinstance(each, ast.Return))
    return takes and any(
        isinstance(each, ast.Tuple) and len(each.elts) in TRANSITION for each in results
    )


def _subscripted(base: ast.expr) -> ast.expr:
    """`gym.Env` of `gym.Env[int, int]`."""
    return base.value if isinstance(base, ast.Subscript) else base


def _is_abstract(function: Function, names: dict[str, str]) -> bool:
    """Return whether it is declared so, or does nothing but raise NotImplementedError. Many
    environments that are complete cannot draw.
    """
    if any(full_name(each, names) == "abc.abstractmethod" for each in function.decorator_list):
        return True
    raised = getattr(function.body[-1], "exc", None)
    raised = raised.func if isinstance(raised, ast.Call) else raised
    is_stub = isinstance(raised, ast.Name) and raised.id == "NotImplementedError"
    return is_stub and function.name not in OPTIONAL and len(function.body) <= WITH_DOCSTRING


def _needs(arguments: ast.arguments, skipped: int = 0) -> tuple[str, ...]:
    """The arguments without a default; `skipped` of them, as self, come first."""
    positional = [*arguments.posonlyargs, *arguments.args]
    positional = positional[: len(positional) - len(arguments.defaults)]
    keywords = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return (
        *(each.arg for each in positional[skipped:]),
        *(each.arg for each, default in keywords if default is None),
    )


def _function(node: Function, names: dict[str, str]) -> FunctionSeen:
    """Describe a function. The result may have had a name, and been wrapped, before."""
    calls: dict[str, set[str]] = {}
    returned: set[str] = set()
    for each in _statements(node):
        if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name):
            calls.setdefault(each.targets[0].id, set()).update(_called(each.value, names, calls))
        elif isinstance(each, ast.Return) and each.value is not None:
            returned |= _called(each.value, names, calls)
    return FunctionSeen(node.name, node.lineno, _needs(node.args), frozenset(returned))


def _called(value: ast.expr, names: dict[str, str], calls: dict[str, set[str]]) -> set[str]:
    """The names of what an expression calls, also in the first argument of a wrapper."""
    if isinstance(value, ast.Name):
        return calls.get(value.id, set())
    if not isinstance(value, ast.Call):
        return set()
    inner = _called(value.args[0], names, calls) if value.args else set()
    return inner | {full_name(value.func, names)} - {""}


def _statements(function: Function) -> Iterator[ast.stmt]:
    """The statements of a function in their order, without those of functions inside."""
    bodies: list[ast.stmt] = list(function.body)
    while bodies:
        node = bodies.pop(0)
        yield node
        if not isinstance(node, (*Function.__args__, ast.ClassDef)):
            bodies[:0] = [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.stmt)]


def is_register(name: str, registries: tuple[str, ...]) -> bool:
    """Return whether a function of this full name registers an id."""
    return name.endswith(".register") and name.startswith(tuple(f"{each}." for each in registries))


def _registrations(
    tree: ast.Module, names: dict[str, str], registries: tuple[str, ...]
) -> Iterator[Registration]:
    """The ids that are written down as texts."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        if not is_register(full_name(node.func, names), registries):
            continue
        identifier = _text(argument(node, "id", 0))
        if identifier:
            yield Registration(
                identifier,
                node.lineno,
                _entry(argument(node, "entry_point", 1), names),
                _keys(argument(node, "kwargs")),
            )


def _text(value: ast.expr | None) -> str:
    return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


def _entry(value: ast.expr | None, names: dict[str, str]) -> str:
    if value is None or isinstance(value, ast.Constant):
        return _text(value).replace(":", ".")
    return full_name(value, names)


def _keys(value: ast.expr | None) -> frozenset[str]:
    if not isinstance(value, ast.Dict):
        return frozenset()
    return frozenset(_text(key) for key in value.keys) - {""}


def _used(tree: ast.Module, names: dict[str, str]) -> dict[str, int]:
    """The first line at which each imported thing is used: {full name: line}."""
    lines: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Name, ast.Attribute)):
            name = full_name(node, names)
            if "." in name:
                lines[name] = min(node.lineno, lines.get(name, node.lineno))
    return lines


def _is_guard(node: ast.If) -> bool:
    """`if __name__ == "__main__":`."""
    left = node.test.left if isinstance(node.test, ast.Compare) else None
    return isinstance(left, ast.Name) and left.id == "__name__"


def _is_call(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)

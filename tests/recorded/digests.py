"""Digests of the sources that make a recording: which of them changed since, and which recordings
that touches.

Comments, docstrings and annotations do not count. The unit is a file; in `probe/verbs/` it is a
verb, with what it calls in its own file.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from envdoctor.model import scenario
from tests.recorded import portable
from tests.recorded.traits import Traits

#: What decides which events a recording has: the probe, what it is asked to play, and their wire.
SOURCES = (
    "envdoctor/model",
    "envdoctor/plan",
    "envdoctor/probe",
    "envdoctor/run/examine.py",
    "envdoctor/run/play.py",
)
#: The aims of cures: which events a recording has does not follow from them.
OF_CURES = tuple(
    f"envdoctor/model/{name}.py"
    for name in ("environment_aims", "failure_aims", "remedy", "training_aims")
)
HOOKS = "/watch_hooks.py"  # of `watch`: no scenario plays them
VERBS, SENSORS, ADAPTERS = (f"envdoctor/probe/{name}/" for name in ("verbs", "sensors", "adapters"))

DECODED = "envdoctor/model/"  # its fields are read by their types

ROOT = portable.ROOT

Units = dict[str, str]

_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def files() -> dict[str, Path]:
    """The sources by their paths in the checkout."""
    paths = (
        file
        for name in SOURCES
        for place in [ROOT / name]
        for file in (sorted(place.rglob("*.py")) if place.is_dir() else [place])
    )
    named = {file.relative_to(ROOT).as_posix(): file for file in paths}
    return {name: file for name, file in named.items() if name not in OF_CURES}


def digest(data: bytes) -> str:
    """Twelve digits are enough to tell two states of one file apart."""
    return hashlib.sha256(data).hexdigest()[:12]


@cache
def contents() -> Mapping[str, str]:
    """Digests of the files as they are, comments included."""
    return {name: digest(file.read_bytes()) for name, file in files().items()}


@cache
def units_of(name: str) -> Units:
    """The units of one file."""
    return units_in(name, (ROOT / name).read_text(encoding="utf-8"))


def units_in(name: str, text: str) -> Units:
    """The units of a text, each with the digest of its syntax."""
    tree = _Executed(decoded=name.startswith(DECODED)).visit(ast.parse(text))
    if not name.startswith(VERBS):
        return {name: _digest_of([tree])}
    defined = dict(_definitions(tree))
    verbs = {verb for verb in defined if verb.rstrip("_") in scenario.VERBS}
    return {
        f"{name}:{verb.rstrip('_')}": _digest_of(_reached(verb, defined)) for verb in sorted(verbs)
    }


class _Executed(ast.NodeTransformer):
    """The statements without docstrings and annotations, and without what only annotations use."""

    def __init__(self, *, decoded: bool) -> None:
        self.decoded = decoded
        self.fields: set[ast.stmt] = set()
        self.types: set[str] = set()

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Remove docstrings, and the types of parameters and results."""
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        if isinstance(node, ast.ClassDef):
            self.fields |= {each for each in node.body if isinstance(each, ast.AnnAssign)}
        elif isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            node.returns = None
        return super().generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Remove the type of a variable. A field stays one by being annotated."""
        if node.value is not None and node not in self.fields:
            return self.generic_visit(ast.Assign([node.target], node.value))
        is_read = self.decoded or "ClassVar" in ast.unparse(node.annotation)
        if node not in self.fields or not is_read:
            node.annotation = ast.Constant(None)
        return self.generic_visit(node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        """Remove imports of types: a use that has an effect is there beside them."""
        if node.module != "typing":
            return node
        self.types |= {each.asname or each.name for each in node.names}
        return None

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        """Remove aliases of types (`Log = Callable[[str], None]`), and `TYPE_CHECKING = False`."""
        base = node.value.value if isinstance(node.value, ast.Subscript) else None
        is_alias = isinstance(base, ast.Name) and base.id in self.types
        if is_alias or ast.unparse(node.targets) == "TYPE_CHECKING":
            return None
        return self.generic_visit(node)

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        """Remove what only type checkers read."""
        if ast.unparse(node.test) == "TYPE_CHECKING":
            return [kept for each in node.orelse for kept in [self.visit(each)] if kept]
        return self.generic_visit(node)


def _definitions(tree: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name, node
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from ((target.id, node) for target in targets if isinstance(target, ast.Name))


def _reached(name: str, defined: Mapping[str, ast.stmt]) -> list[ast.stmt]:
    """A definition and those of the same file that it uses, in the order of their names."""
    reached, waiting = {name}, [name]
    while waiting:
        used = {node.id for node in ast.walk(defined[waiting.pop()]) if isinstance(node, ast.Name)}
        new = (used & defined.keys()) - reached - {"VERBS"}
        reached |= new
        waiting += sorted(new)
    return [defined[each] for each in sorted(reached)]


def _digest_of(nodes: Iterable[ast.AST]) -> str:
    return digest("\n".join(map(ast.dump, nodes)).encode())


def sources() -> dict[str, Any]:
    """The state of the sources, as the index keeps it."""
    units = {unit: digits for name in files() for unit, digits in units_of(name).items()}
    return {"files": dict(contents()), "units": units}


def name_of(state: Mapping[str, Any]) -> str:
    """The name of a state: its units decide."""
    return digest(
        "\n".join(f"{unit} {digits}" for unit, digits in sorted(state["units"].items())).encode()
    )


def changed(state: Mapping[str, Any]) -> frozenset[str]:
    """The units that differ from a state, are new, or are gone."""
    same = {name for name, digits in contents().items() if state["files"].get(name) == digits}
    before = {unit: digits for unit, digits in state["units"].items() if _file(unit) not in same}
    now = {
        unit: digits
        for name in contents()
        if name not in same
        for unit, digits in units_of(name).items()
    }
    return frozenset(
        unit for unit in before.keys() | now.keys() if before.get(unit) != now.get(unit)
    )


def _file(unit: str) -> str:
    return unit.partition(":")[0]


def reasons(traits: Traits, units: Iterable[str]) -> list[str]:
    """Return the reasons to play a recording again, now that these units changed. Changes of what
    all scenarios share are not among them.
    """
    return [reason for unit in sorted(units) for reason in [_reason(traits, unit)] if reason]


def _reason(traits: Traits, unit: str) -> str:
    if unit.startswith(VERBS):
        verb = unit.partition(":")[2]
        return f"the verb {verb} changed" if verb in traits.verbs else ""
    if unit.startswith(SENSORS):
        names = _named(unit) & set(traits.sensors)
        return f"the sensor {min(names)} changed" if names else ""
    if unit.startswith(ADAPTERS) and not unit.endswith(HOOKS):
        return _reason_of_adapter(traits, unit)
    return ""


def _reason_of_adapter(traits: Traits, unit: str) -> str:
    """A file that names a manager touches its recordings; another one those of all managers of its
    folder, and of the environments that have its shape.
    """
    names = _named(unit)
    folder = unit.removeprefix(ADAPTERS).rpartition("/")[0]
    if not names and folder:
        others = [other for other in contents() if other.startswith(f"{ADAPTERS}{folder}/")]
        names = frozenset().union(*map(_named, others))
        names |= {api for api in traits.apis if api.partition("-")[0] == folder}
    exercised = {*traits.managers, *traits.storages, *traits.apis, "direct"}
    hit = sorted(names & exercised)
    return f"the adapter of {hit[0]} changed" if hit else ""


@cache
def _named(name: str) -> frozenset[str]:
    """Return the name that a module of the probe gives to its sensor, manager or storage. A module
    that imports its framework has no such name.
    """
    try:
        module = importlib.import_module(name.removesuffix(".py").replace("/", "."))
    except ImportError:
        return frozenset()
    return frozenset({module.NAME} if hasattr(module, "NAME") else ())

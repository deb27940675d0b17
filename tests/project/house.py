"""Count what the architecture promises: `make house`, or `python -m tests.project.house --list codes`.

Each figure is a list of places, found with `ast` alone in all of `envdoctor/`. `house.json` holds
how many there may be at most; `--write` lowers its figures to those of today.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from tests.project.words import BANNED_NAMES, BANNED_PARTS, QUESTION
from tests.support import syntax
from tests.support.settled import FILE as SETTLED

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "envdoctor"
FIGURES = Path(__file__).with_name("house.json")

_RULE_FILE = re.compile(r"rules/\w+/([a-z]{3}\d{3})_\w+\.py")
#: Words that only one framework uses: its packages, its managers, its classes.
_FRAMEWORK = re.compile(
    r"gymnasium|(?<![a-z])gym(?![a-z])|sb3|stable.?baselines|torch_?rl|tensordict"
    r"|(?<![a-z])ding(?![a-z])|di.engine|(Async|Sync)VectorEnv|(Subproc|Dummy)VecEnv"
    r"|(Parallel|Serial)Env|tianshou|puffer|supersuit|agilerl|(?<!u)rllib|EnvManager\b|Gym(Wrapper|Env)\b|make_vec_env",
    re.IGNORECASE,
)
_NAMED_THERE = ("frameworks/", "probe/frameworks/", "probe/adapters/", "callbacks/")

#: What was added once, by the words that name it: each file with such a word
#: knows of it.
TRIALS = {
    "trial-rule": ("the rule CLS021 or its sensor", r"engine.containers|\bCLS021\b"),
    "trial-vectorizer": ("the vectorizer tianshou-subproc", r"tianshou-subproc\b"),
    "trial-option": ("the option --memory-limit", r"memory.limit"),
    "trial-format": ("the format gitlab", r"gitlab"),
}


@dataclass(frozen=True)
class Source:
    """One file of the package, parsed. `name` is its path below envdoctor/."""

    name: str
    text: str

    @property
    def tree(self) -> ast.Module:
        """Its syntax tree."""
        return syntax.tree(self.text)

    @property
    def module(self) -> str:
        """`envdoctor.model.trace`."""
        words = self.name.removesuffix(".py").removesuffix("/__init__").split("/")
        return ".".join(["envdoctor", *(word for word in words if word != "__init__")])

    @property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes of the tree: nine figures read them."""
        return syntax.nodes(self.text)

    @cached_property
    def docstrings(self) -> tuple[ast.Constant, ...]:
        """Docstrings of the module, its classes and its functions."""
        openings = (
            node.body[0]
            for node in self.nodes
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
            and node.body
        )
        return tuple(
            first.value
            for first in openings
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
        )

    @cached_property
    def code(self) -> tuple[ast.AST, ...]:
        """The nodes that are not docstrings."""
        unread = {id(node) for node in self.docstrings}
        return tuple(node for node in self.nodes if id(node) not in unread)

    def at(self, node: ast.AST, what: str) -> str:
        """`model/trace.py:12: what`."""
        return f"{self.name}:{getattr(node, 'lineno', 1)}: {what}"


@cache
def sources() -> tuple[Source, ...]:
    """Every file of the package."""
    return tuple(
        Source(file.relative_to(PACKAGE).as_posix(), file.read_text())
        for file in sorted(PACKAGE.rglob("*.py"))
    )


@cache
def rule_codes() -> frozenset[str]:
    """The codes of all rules, as their files are named."""
    names = (file.relative_to(PACKAGE).as_posix() for file in (PACKAGE / "rules").rglob("*.py"))
    return frozenset(match[1].upper() for match in map(_RULE_FILE.fullmatch, names) if match)


def codes(source: Source) -> Iterator[str]:
    """Literals of rule codes outside the rule's own file, those of its examples among them."""
    own = _RULE_FILE.fullmatch(source.name)
    for node in source.code:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for match in re.finditer(r"\b[A-Z]{3}\d{3}\b", node.value):
                is_own = own is not None and match[0] == own[1].upper()
                if match[0] in rule_codes() and not is_own:
                    yield source.at(node, match[0])


def bound_names(source: Source) -> Iterator[tuple[ast.AST, str]]:
    """Each place that gives a name: to a variable, an attribute, a parameter, a function, a class."""
    for node in source.nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node, node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node, node.attr
        elif isinstance(node, ast.arg):
            yield node, node.arg
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield node, node.name


@cache
def is_banned(name: str) -> bool:
    """Return whether a name is a banned word, or has one as a part."""
    parts = {part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}
    return name.strip("_").lower() in BANNED_NAMES or bool(parts & BANNED_PARTS)


def banned_names(source: Source) -> Iterator[str]:
    """Names with a banned word, where they are bound; files are names, too."""
    if is_banned(Path(source.name).stem):
        yield f"{source.name}:1: {Path(source.name).stem}"
    for node, name in bound_names(source):
        if is_banned(name):
            yield source.at(node, name)


def questions(source: Source) -> Iterator[str]:
    """Docstrings that open with a question word."""
    for node in source.docstrings:
        text = str(node.value).strip()
        if QUESTION.match(text):
            yield source.at(node, text.splitlines()[0])


def any_types(source: Source) -> Iterator[str]:
    """Uses of `Any`."""
    for node in source.nodes:
        if (isinstance(node, ast.Name) and node.id == "Any") or (
            isinstance(node, ast.Attribute) and node.attr == "Any"
        ):
            yield source.at(node, "Any")


def double_classes(all_sources: Sequence[Source]) -> list[str]:
    """Names of classes that more than one file defines."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for source in all_sources:
        for node in source.nodes:
            if isinstance(node, ast.ClassDef) and source.name not in places[node.name]:
                places[node.name].append(source.name)
    return [f"{name}: {', '.join(files)}" for name, files in places.items() if len(files) > 1]


def test_names() -> list[str]:
    """Tests whose names begin with a question word or a pronoun, in place of what holds."""
    pattern = re.compile(
        r"^ *(?:async )?def (test_(?:what|who|whose|why|which|how|where|when|whether|it)_\w+)"
    )
    return [
        f"{file.relative_to(ROOT).as_posix()}:{number}: {match[1]}"
        for file in sorted((ROOT / "tests").rglob("test_*.py"))
        for number, line in enumerate(file.read_text().splitlines(), start=1)
        for match in [pattern.match(line)]
        if match
    ]


def trial(pattern: str) -> list[str]:
    """The files of the tree that name what was added once, in their path or their text."""
    search = re.compile(pattern, re.IGNORECASE).search
    return [name for name, text in texts() if search(f"{name}\n{text}")]


@cache
def texts() -> tuple[tuple[str, str], ...]:
    """The names of the tree's files, but for what commands write, with their texts."""
    folders = ("envdoctor", "docs", "tests")
    files = [file for folder in folders for file in sorted((ROOT / folder).rglob("*.*"))]
    return tuple(
        (name, file.read_text("utf-8"))
        for file in files
        for name in [file.relative_to(ROOT).as_posix()]
        if file.suffix in (".py", ".md", ".json", ".toml") and name != "tests/project/house.py"
        if "/runs/" not in name and "docs/rules/" not in name and name != SETTLED
    )


def scenario_names(source: Source) -> Iterator[str]:
    """Comparisons of a scenario's name with one that is written there, outside plan/. One that a
    caller hands over (`view.trace(name)`) is a search, and not counted.
    """
    if source.name.startswith("plan/"):
        return
    for node in source.code:
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            others = [side for side in sides if not any(map(_is_name, ast.walk(side)))]
            if len(others) < len(sides) and any(map(_is_written, others)):
                yield source.at(node, ast.unparse(node))
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("startswith", "endswith", "partition")
            and _is_name(node.func.value)
        ):
            yield source.at(node, ast.unparse(node))


def _is_name(node: ast.AST) -> bool:
    """Return whether the node is `scenario.name`, of any expression that ends in `scenario`."""
    if not isinstance(node, ast.Attribute) or node.attr != "name":
        return False
    owner = node.value
    return (isinstance(owner, ast.Attribute) and owner.attr == "scenario") or (
        isinstance(owner, ast.Name) and owner.id == "scenario"
    )


def _is_written(node: ast.AST) -> bool:
    """Return whether text or a constant of a module is in the expression."""
    return any(
        (isinstance(each, ast.Constant) and isinstance(each.value, str))
        or (isinstance(each, ast.Name) and each.id.isupper())
        for each in ast.walk(node)
    )


def frameworks(source: Source) -> Iterator[str]:
    """The file, once, where it names a framework outside the rooms that may."""
    if source.name.startswith(_NAMED_THERE):
        return
    for node in source.code:
        text = _text(node)
        if _names_framework(text):
            yield source.at(node, text[:60])
            return


@cache
def _names_framework(text: str) -> bool:
    return _FRAMEWORK.search(text) is not None


def _text(node: ast.AST) -> str:
    """Return the text or the name of a node, or ""."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    for field in ("id", "attr", "arg", "module", "name"):
        value = getattr(node, field, None)
        if isinstance(value, str):
            return value
    return ""


def key_reads(source: Source) -> Iterator[str]:
    """Reads by a literal key, outside model/."""
    for node, key in _keys_read(source):
        yield source.at(node, key)


def _keys_read(source: Source) -> Iterator[tuple[ast.AST, str]]:
    if source.name.startswith("model/"):
        return
    for node in source.code:
        key: ast.AST | None = None
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            key = node.slice
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "get"
            and node.args
        ):
            key = node.args[0]
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield node, key.value


def _imports(all_sources: tuple[Source, ...]) -> dict[str, set[str]]:
    """The modules of the package that each of them imports, inside functions, too."""
    modules = {source.module for source in all_sources}
    imported: dict[str, set[str]] = {}
    for source in all_sources:
        named: set[str] = set()
        for node in source.nodes:
            if isinstance(node, ast.Import):
                named |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                named |= {f"{node.module}.{alias.name}" for alias in node.names}
                if not {f"{node.module}.{alias.name}" for alias in node.names} <= modules:
                    named.add(str(node.module))
        imported[source.module] = (named & modules) - {source.module}
    return imported


def two_way_pairs(all_sources: tuple[Source, ...]) -> list[str]:
    """Pairs of packages in probe/ that import each other."""
    rooms = {_room(source.module) for source in all_sources if source.name.count("/") > 1}
    arrows = {
        (_room(module), _room(other))
        for module, others in _imports(all_sources).items()
        for other in others
        if {_room(module), _room(other)} <= rooms - {""}
    }
    return [f"{a} <-> {b}" for a, b in sorted(arrows) if a < b and (b, a) in arrows]


def _room(module: str) -> str:
    """The package of a module in probe/, or the module itself, where it lies beside these."""
    words = module.split(".")
    return words[2] if words[:2] == ["envdoctor", "probe"] and len(words) > 2 else ""


def file_circles(all_sources: tuple[Source, ...]) -> list[str]:
    """Sets of files that import each other in a circle."""
    imports = _imports(all_sources)
    reach = {module: _reached(module, imports) for module in imports}
    circles = {
        tuple(sorted(other for other in reach[module] if module in reach[other]))
        for module in imports
        if module in reach[module]
    }
    return [" <-> ".join(circle) for circle in sorted(circles)]


def _reached(module: str, imports: dict[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = [module]
    while waiting:
        for other in imports[waiting.pop()] - reached:
            reached.add(other)
            waiting.append(other)
    return reached


#: What each figure counts.
TITLES = {
    "codes": "literals of rule codes outside the rule's own file",
    "names": "places that give a name with a banned word (tests/project/words.py)",
    "questions": "docstrings that open with a question word",
    "classes": "class names with more than one meaning",
    "any": "uses of Any",
    "frameworks": "files naming a framework outside frameworks/, probe/frameworks/, probe/adapters/ and"
    " callbacks/",
    "keys": "reads by string key outside model/",
    "tests": "tests whose name begins with a question word or a pronoun",
    "files": "files of envdoctor/",
    "lines": "lines of envdoctor/",
    **{key: f"files that name {words}" for key, (words, _) in TRIALS.items()},
}

IN_FILES: dict[str, Callable[[Source], Iterator[str]]] = {
    "codes": codes,
    "names": banned_names,
    "questions": questions,
    "any": any_types,
    "frameworks": frameworks,
    "keys": key_reads,
}


def places() -> dict[str, list[str]]:
    """The places that each figure counts."""
    everything = sources()
    lists = {
        name: [place for source in everything for place in find(source)]
        for name, find in IN_FILES.items()
    }
    lists |= {
        "classes": double_classes(everything),
        "tests": test_names(),
        "files": [source.name for source in everything],
        "lines": [line for source in everything for line in source.text.splitlines()],
        **{key: trial(pattern) for key, (_, pattern) in TRIALS.items()},
    }
    return {name: lists[name] for name in TITLES}


def limits() -> dict[str, int]:
    """The figures that are not to be passed."""
    return {str(name): int(figure) for name, figure in json.loads(FIGURES.read_text()).items()}


def main() -> None:
    """Print the table, or the places of one figure; or write down lower figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", choices=TITLES, help="print the places of this figure")
    parser.add_argument("--write", action="store_true", help="lower the limits to today's figures")
    arguments = parser.parse_args()
    lists, most = places(), limits()
    if arguments.list:
        print("\n".join(lists[arguments.list]))
        return
    if arguments.write:
        lower = {name: min(len(lists[name]), most.get(name, len(lists[name]))) for name in TITLES}
        FIGURES.write_text(json.dumps(lower, indent=2) + "\n")
        most = lower
    for name, title in TITLES.items():
        print(f"{len(lists[name]):7,}  (at most {most[name]:,})  {title}  ({name})")


if __name__ == "__main__":
    main()

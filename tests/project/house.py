"""Count what the architecture promises: `make house`, or `python -m tests.project.house --list codes`.

Each figure is a list of places in `envdoctor/`, found with `ast` alone. Comments and docstrings
(the rules' manual pages among them) are text for readers and are not counted; neither are the
rules' examples, which are tests.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "envdoctor"
LIMIT = 100  # characters of a line

_CODE = re.compile(r"\b(API|BUF|CLS|DET|DOC|HNG|LEK|MAK|PRC|REG|RUS|SFX|TRN|VEC)\d{3}\b")
_RULE_FILE = re.compile(r"rules/\w+/[a-z]{3}\d{3}_\w+\.py")
#: Words that only one framework uses: its packages, its managers, its classes.
_FRAMEWORK = re.compile(
    r"gymnasium|(?<![a-z])gym(?![a-z])|sb3|stable.?baselines|torch_?rl|tensordict"
    r"|(?<![a-z])ding(?![a-z])|di.engine|(Async|Sync)VectorEnv|(Subproc|Dummy)VecEnv"
    r"|(Parallel|Serial)Env|tianshou|puffer|supersuit|agilerl|(?<!u)rllib|EnvManager\b|Gym(Wrapper|Env)\b|make_vec_env",
    re.IGNORECASE,
)
#: The sick environment that ships with envdoctor, and what builds the rules' examples.
NO_PROGRAM = ("demo.py", "rules/engine/examples.py")
_NAMED_THERE = ("frameworks/", "probe/frameworks/", "probe/adapters/")


@dataclass(frozen=True)
class Source:
    """One file of the package, parsed. `name` is its path below envdoctor/."""

    name: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """Its syntax tree."""
        return ast.parse(self.text)

    @property
    def module(self) -> str:
        """`envdoctor.model.trace`."""
        words = self.name.removesuffix(".py").removesuffix("/__init__").split("/")
        return ".".join(["envdoctor", *(word for word in words if word != "__init__")])

    @cached_property
    def code(self) -> tuple[ast.AST, ...]:
        """The nodes that are program: no docstring, no example of a rule."""
        unread = {id(node) for node in _docstrings(self.tree)}
        for part in examples(self.tree):
            unread |= {id(node) for node in ast.walk(part)}
        return tuple(node for node in ast.walk(self.tree) if id(node) not in unread)

    def at(self, node: ast.AST, what: str) -> str:
        """`model/trace.py:12: what`."""
        return f"{self.name}:{getattr(node, 'lineno', 1)}: {what}"


def sources() -> tuple[Source, ...]:
    """Every file of the package that is program."""
    return tuple(
        Source(file.relative_to(PACKAGE).as_posix(), file.read_text())
        for file in sorted(PACKAGE.rglob("*.py"))
        if file.relative_to(PACKAGE).as_posix() not in NO_PROGRAM
    )


def _docstrings(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                yield first.value


def examples(tree: ast.Module) -> list[ast.stmt]:
    """The assignment of EXAMPLES, and the names of the module that only it uses."""
    parts = [node for node in tree.body if "EXAMPLES" in _assigned(node)]
    if not parts:
        return []
    while True:
        rest = [node for node in tree.body if node not in parts]
        used = {name for node in rest for name in _names(node) - _assigned(node)}
        here = {name for node in parts for name in _names(node)}
        more = [node for node in rest if _assigned(node) & here and not _assigned(node) & used]
        if not more:
            return parts
        parts += more


def _assigned(node: ast.stmt) -> set[str]:
    """The names that a statement of a module defines; none of what registers itself."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return set() if node.decorator_list else {node.name}
    targets = (
        node.targets
        if isinstance(node, ast.Assign)
        else [node.target]
        if isinstance(node, ast.AnnAssign)
        else []
    )
    return {
        each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)
    }


def _names(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} | _assigned_in(node)


def _assigned_in(node: ast.AST) -> set[str]:
    return _assigned(node) if isinstance(node, ast.stmt) else set()


def codes(source: Source) -> Iterator[str]:
    """Literals of rule codes outside the rules' own files."""
    if _RULE_FILE.fullmatch(source.name):
        return
    for node in source.code:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for match in _CODE.finditer(node.value):
                yield source.at(node, match[0])


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
    """Whether it is `scenario.name`, of any expression that ends in `scenario`."""
    if not isinstance(node, ast.Attribute) or node.attr != "name":
        return False
    owner = node.value
    return (isinstance(owner, ast.Attribute) and owner.attr == "scenario") or (
        isinstance(owner, ast.Name) and owner.id == "scenario"
    )


def _is_written(node: ast.AST) -> bool:
    """Whether text or a constant of a module is in it."""
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
        if text and _FRAMEWORK.search(text):
            yield source.at(node, text[:60])
            return


def _text(node: ast.AST) -> str:
    """What a node names."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    for field in ("id", "attr", "arg", "module", "name"):
        value = getattr(node, field, None)
        if isinstance(value, str):
            return value
    return ""


#: Keys of what a framework hands over, by the file of its adapter: a record of DI-engine's buffer,
#: infos of vectorizers, tensordicts. They are counted apart. No file outside an adapter's own
#: folder may be named here, and no key that its file does not read.
FOREIGN = {
    "probe/adapters/ding/storage_buffer.py": ("episode", "step"),
    "probe/adapters/gymnasium/driving.py": ("final_info", "final_obs"),
    "probe/adapters/sb3/driving.py": ("TimeLimit.truncated", "terminal_observation"),
    "probe/adapters/texts/textarena.py": ("num_players",),
    "probe/adapters/torchrl/driving.py": ("next",),
    "probe/adapters/torchrl/single.py": ("next",),
    "probe/adapters/torchrl/storages.py": ("step",),
    "probe/adapters/torchrl/tensordicts.py": ("next", "observation"),
}


def key_reads(source: Source) -> Iterator[str]:
    """Reads by a literal key, outside model/, of what is ours."""
    for node, key in _keys_read(source):
        if key not in FOREIGN.get(source.name, ()):
            yield source.at(node, key)


def foreign_keys(source: Source) -> Iterator[str]:
    """Reads by a literal key of what is a framework's."""
    for node, key in _keys_read(source):
        if key in FOREIGN.get(source.name, ()):
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


def long_lines(source: Source) -> Iterator[str]:
    """Lines of more than 100 characters."""
    for number, line in enumerate(source.text.splitlines(), start=1):
        if len(line) > LIMIT:
            yield f"{source.name}:{number}: {len(line)} characters"


def _imports(all_sources: tuple[Source, ...]) -> dict[str, set[str]]:
    """The modules of the package that each of them imports, inside functions, too."""
    modules = {source.module for source in all_sources}
    found: dict[str, set[str]] = {}
    for source in all_sources:
        named: set[str] = set()
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Import):
                named |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                named |= {f"{node.module}.{alias.name}" for alias in node.names}
                if not {f"{node.module}.{alias.name}" for alias in node.names} <= modules:
                    named.add(str(node.module))
        found[source.module] = (named & modules) - {source.module}
    return found


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
    found: set[str] = set()
    waiting = [module]
    while waiting:
        for other in imports[waiting.pop()] - found:
            found.add(other)
            waiting.append(other)
    return found


#: What each figure is called in ARCHITECTURE.md.
TITLES = {
    "codes": "literals of rule codes outside the rules' files",
    "scenarios": "branches on scenario names outside plan/",
    "frameworks": "files naming a framework outside frameworks/, probe/frameworks/ and probe/adapters/",
    "keys": "reads by string key outside model/",
    "foreign": "reads by keys of frameworks in probe/adapters/<framework>/",
    "pairs": "two-way package pairs in probe/",
    "circles": "file circles",
    "lines": "lines over 100 characters",
}


def places() -> dict[str, list[str]]:
    """The places that each figure counts."""
    everything = sources()
    in_files = {
        "codes": codes,
        "scenarios": scenario_names,
        "frameworks": frameworks,
        "keys": key_reads,
        "foreign": foreign_keys,
        "lines": long_lines,
    }
    found = {
        name: [place for source in everything for place in find(source)]
        for name, find in in_files.items()
    }
    found |= {"pairs": two_way_pairs(everything), "circles": file_circles(everything)}
    return {name: found[name] for name in TITLES}


def main() -> None:
    """Print the table, or the places of one figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", choices=TITLES, help="print the places of this figure")
    chosen = parser.parse_args().list
    found = places()
    if chosen:
        print("\n".join(found[chosen]))
        return
    for name, title in TITLES.items():
        print(f"{len(found[name]):6}  {title}  ({name})")


if __name__ == "__main__":
    main()

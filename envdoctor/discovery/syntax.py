"""Names and arguments in a syntax tree, as import statements and calls give them."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

#: The functions that import a module by a text.
BY_NAME = ("importlib.import_module", "__import__")


def parsed(text: str) -> ast.Module:
    """The tree of a text; an empty one of a text that is not Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def imported(tree: ast.AST, module: str = "", is_package: bool = False) -> dict[str, str]:
    """The names that import statements bind: {"np": "numpy", "Path": "pathlib.Path"}. Relative
    imports are among them where the dotted name of the module is given.
    """
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.name if alias.asname else alias.name.partition(".")[0]
                names[alias.asname or bound] = bound
        elif isinstance(node, ast.ImportFrom) and (module or not node.level):
            package = _package(node, module, is_package)
            for alias in node.names:
                names[alias.asname or alias.name] = f"{package}.{alias.name}".lstrip(".")
    return names


def imports(
    tree: ast.AST, names: dict[str, str], module: str = "", is_package: bool = False
) -> Iterator[str]:
    """The full names that a file imports when it runs: `a.b` of `import a.b`, `a.b` of `from a
    import b`, and the texts that it gives to `importlib.import_module`.
    """
    for node in _run(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = _package(node, module, is_package)
            yield from (f"{package}.{alias.name}".lstrip(".") for alias in node.names)
        elif isinstance(node, ast.Call) and full_name(node.func, names) in BY_NAME:
            text = getattr(argument(node, "name", 0), "value", None)
            if isinstance(text, str):
                level = len(text) - len(text.lstrip("."))
                relative = ast.ImportFrom(text.lstrip("."), [], level)
                yield _package(relative, module, is_package)


def _run(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those that only a type checker reads."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            waiting += node.orelse
        else:
            waiting += ast.iter_child_nodes(node)


def full_name(node: ast.AST | None, names: dict[str, str]) -> str:
    """`numpy.random.uniform` of `np.random.uniform`; names that are not imported stay, and other
    expressions have none.
    """
    if isinstance(node, ast.Name):
        return names.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        before = full_name(node.value, names)
        return f"{before}.{node.attr}" if before else ""
    return ""


def argument(call: ast.Call, name: str, position: int | None = None) -> ast.expr | None:
    """The expression that a call gives for an argument, by its name or at its position."""
    keyword = next((each.value for each in call.keywords if each.arg == name), None)
    if keyword is None and position is not None and position < len(call.args):
        return call.args[position]
    return keyword


def _package(node: ast.ImportFrom, module: str, is_package: bool) -> str:
    """The absolute name of the module that `from ..x import y` names."""
    if not node.level:
        return node.module or ""
    parts = module.split(".")
    kept = parts[: len(parts) - node.level + is_package]
    return ".".join([*kept, *([node.module] if node.module else [])])

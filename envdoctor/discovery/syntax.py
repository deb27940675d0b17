"""Names and arguments in a syntax tree, as import statements and calls give them."""

from __future__ import annotations

import ast


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

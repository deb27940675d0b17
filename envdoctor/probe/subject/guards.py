"""`if __name__ == "__main__":`, behind which a module does what it does only as a script."""

from __future__ import annotations

import ast


def is_guard(node: ast.AST) -> bool:
    """Return whether a statement is one, either way round, also with further conditions."""
    return isinstance(node, ast.If) and _asks(node.test)


def _asks(test: ast.expr) -> bool:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return any(map(_asks, test.values))
    if not (
        isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq)
    ):
        return False
    sides = [test.left, test.comparators[0]]
    names = [side.id for side in sides if isinstance(side, ast.Name)]
    return names == ["__name__"] and any(
        getattr(side, "value", None) == "__main__" for side in sides
    )

"""Variables of a loop that the factories made in it look up only when they are called."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from envdoctor.discovery.syntax import parsed
from envdoctor.model.training_draws import LateVariable

Factory = ast.Lambda | ast.FunctionDef
MAKES = "make"  # of gymnasium, by an id


def late_variable(text: str, line: int, owner: str) -> LateVariable | None:
    """The variable of a loop on which the instance that a line makes of a class depends, where the
    loop only collects factories, and none of them keeps the value of its round; None for all else.
    """
    tree = parsed(text)
    functions = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
    around = {each.name for each in functions if each.lineno <= line <= (each.end_lineno or 0)}
    for loop, values, factory in _collected(tree):
        names = set(_names(loop))
        for call in _calls(factory):
            called = ast.unparse(call.func).rpartition(".")[2]
            is_here = call.lineno <= line <= (call.end_lineno or 0) and called in (owner, MAKES)
            parts = (*call.args, *(each.value for each in call.keywords))
            late = [name for part in parts for name in _names(part) if name in names]
            differ = _differ(values, tree)
            if late and differ is not False and (is_here or called in around):
                return LateVariable(late[0], factory.lineno, bool(differ))
    return None


def _names(node: ast.AST) -> Iterator[str]:
    yield from (each.id for each in ast.walk(node) if isinstance(each, ast.Name))


def _collected(tree: ast.AST) -> Iterator[tuple[ast.expr, ast.expr, Factory]]:
    """The target and the values of each loop that collects factories without parameters, and these:
    no factory of a comprehension is called before its end, nor one of a list that the loop only
    appends to.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.ListComp) and len(node.generators) == 1:
            if isinstance(node.elt, ast.Lambda) and not ast.unparse(node.elt.args):
                yield node.generators[0].target, node.generators[0].iter, node.elt
        elif isinstance(node, ast.For):
            for factory in _appended(node.body):
                yield node.target, node.iter, factory


def _appended(body: Sequence[ast.stmt]) -> Iterator[Factory]:
    functions = {each.name: each for each in body if isinstance(each, ast.FunctionDef)}
    words = [ast.unparse(each) for each in body]
    for statement in body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        container = ast.unparse(call.func.value)
        is_named_again = sum(container in each for each in words) > 1
        if call.func.attr != "append" or len(call.args) != 1 or is_named_again:
            continue
        made = functions.get(ast.unparse(call.args[0]), call.args[0])
        if isinstance(made, Factory) and not ast.unparse(made.args):
            yield made


def _calls(factory: Factory) -> Iterator[ast.Call]:
    """The calls of a factory, without those of functions in it, whose parameters hide names."""
    waiting: list[ast.AST] = [factory.body] if isinstance(factory, ast.Lambda) else [*factory.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Call):
            yield node
        if not isinstance(node, Factory | ast.ListComp):
            waiting.extend(ast.iter_child_nodes(node))


def _differ(values: ast.expr, tree: ast.AST) -> bool | None:
    """Return whether a loop goes through several values, by its source; None where that does not
    show it: enumerate() numbers values that may be equal.
    """
    if isinstance(values, ast.Call) and ast.unparse(values.func) == "range":
        return ast.unparse(values) != "range(1)"
    if isinstance(values, ast.Name):
        texts = [
            each.value
            for each in ast.walk(tree)
            if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == values.id
        ]
        values = texts[0] if len(texts) == 1 else values
    items = values.elts if isinstance(values, ast.List | ast.Tuple) else []
    if not items or not all(isinstance(each, ast.Constant) for each in items):
        return None
    return len({ast.unparse(each) for each in items}) > 1

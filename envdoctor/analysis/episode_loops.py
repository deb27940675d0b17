"""Loops of a script that play one episode, and end only where that has ended."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from envdoctor.discovery.syntax import parsed

Function = ast.FunctionDef | ast.AsyncFunctionDef
Assigned = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.NamedExpr
_OF_ITS_OWN = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
ENDS = 2  # where what says that an episode is over begins among the results of step()


def step_of_episode(text: str, line: int) -> tuple[int, str] | None:
    """The line that calls step() in the innermost such loop around a line, and its function; None
    where there is none: where the loop begins an episode itself, or anything but a result of step()
    may end it.
    """
    tree = parsed(text)
    statements = (node for node in ast.walk(tree) if isinstance(node, ast.stmt))
    around = [node for node in statements if node.lineno <= line <= (node.end_lineno or 0)]
    function = next((node for node in reversed(around) if isinstance(node, Function)), None)
    inner = [node for node in around if function is None or node.lineno > function.lineno]
    loop = next((node for node in reversed(inner) if isinstance(node, ast.While)), None)
    if loop is None:
        return None
    steps = list(_calls(loop, "step"))
    begins = [call.lineno for call in _calls(function or tree, "reset")]
    is_one = any(at < loop.lineno for at in begins) and not list(_calls(loop, "reset"))
    if not steps or not is_one or not _ends_with_episode(loop):
        return None
    return steps[0].lineno, function.name if function is not None else "<module>"


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """Nodes below a node, without the functions and classes that are defined there."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, _OF_ITS_OWN):
            yield child
            yield from _own(child)


def _calls(node: ast.AST, method: str) -> Iterator[ast.Call]:
    for each in _own(node):
        if isinstance(each, ast.Call) and getattr(each.func, "attr", "") == method:
            yield each


def _ends_with_episode(loop: ast.While) -> bool:
    """Return whether a loop has a way out, and each of them is where a result of step() says so."""
    flags = _flags(loop)
    is_forever = isinstance(loop.test, ast.Constant) and bool(loop.test.value)
    if not is_forever and not _asks(loop.test, flags):
        return False
    ways = [way for each in loop.body for way in _ways_out(each, flags)]
    return all(ways) and (bool(ways) or not is_forever)


def _flags(loop: ast.While) -> set[str]:
    """The names that results of step() decide alone, in all assignments of the loop."""
    assigned = [node for node in _own(loop) if isinstance(node, Assigned)]
    results = {name for node in assigned for name in _results(node)}
    flags: set[str] = set()
    for _ in assigned:  # a name may follow from one that follows from another
        flags |= results | {
            name for node in assigned if _asks(node.value, flags) for name in _targets(node)
        }
    return flags - {
        name
        for node in assigned
        for name in _targets(node)
        if name not in _results(node) and not _asks(node.value, flags)
    }


def _results(node: Assigned) -> list[str]:
    """The names that get the flags of step() here: `_, _, done, _ = env.step(action)`."""
    if isinstance(node.value, ast.Call) and getattr(node.value.func, "attr", "") == "step":
        targets = node.targets if isinstance(node, ast.Assign) else []
        tuples = [target for target in targets if isinstance(target, ast.Tuple)]
        return [ast.unparse(each) for target in tuples for each in target.elts[ENDS:]]
    is_part = isinstance(node.value, ast.Subscript) and list(_calls(node, "step"))
    return _targets(node) if is_part else []


def _targets(node: Assigned) -> list[str]:
    targets: Sequence[ast.expr] = node.targets if isinstance(node, ast.Assign) else [node.target]
    each_target = (
        part
        for target in targets
        for part in (target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target])
    )
    return [ast.unparse(part) for part in each_target]


def _asks(test: ast.expr | None, flags: set[str]) -> bool:
    """Return whether an expression asks these names and no others: `not (done or cut)`."""
    if test is None:
        return False
    if isinstance(test, (ast.Name, ast.Attribute, ast.Subscript)):
        return ast.unparse(test) in flags
    if isinstance(test, ast.BoolOp):
        return all(_asks(value, flags) for value in test.values)
    return isinstance(test, ast.UnaryOp) and _asks(test.operand, flags)


def _ways_out(node: ast.stmt, flags: set[str], is_below: bool = False) -> Iterator[bool]:
    """For each way out of the loop in a statement of it, whether it is below such a question."""
    if isinstance(node, (ast.Break, ast.Return, ast.Raise)):
        yield is_below
    elif isinstance(node, ast.If):
        below = is_below or _asks(node.test, flags)
        for each in node.body:
            yield from _ways_out(each, flags, below)
        for each in node.orelse:
            yield from _ways_out(each, flags, is_below)
    elif isinstance(node, (ast.For, ast.While)):  # its break ends itself
        yield from (is_below for each in _own(node) if isinstance(each, (ast.Return, ast.Raise)))
    elif not isinstance(node, _OF_ITS_OWN):
        for each in _statements(node):
            yield from _ways_out(each, flags, is_below)


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Those right below a node, also in its handlers and cases."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        elif isinstance(child, (ast.excepthandler, ast.match_case)):
            yield from _statements(child)

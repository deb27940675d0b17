"""Edits that make a thread end: by the flag of its loop, or by a method of its own class."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from envdoctor.discovery.syntax import argument
from envdoctor.remedies.source import (
    Function,
    OwningClass,
    Source,
    assignments,
    last_name,
    own_attribute,
)

#: Methods that end what an object holds, the most telling first.
ENDING = (
    "close",
    "stop",
    "shutdown",
    "shut",
    "terminate",
    "quit",
    "disconnect",
    "cleanup",
    "release",
    "free",
    "destroy",
    "end",
    "kill",
    "cancel",
)
#: What runs until a method beside it ends it: {target: method}.
RUN = "run"  # the method of a thread that it is made of
BESIDE = {"serve_forever": "shutdown", "wait": "set"}
LEAVING = (ast.Break, ast.Return)


def ending_method(owner: OwningClass | None) -> str:
    """The method of a class that ends what it holds; nothing where it has none that needs no
    argument.
    """
    for name in ENDING:
        method = owner.methods.get(name) if owner else None
        if method is not None and len(method.args.args) - len(method.args.defaults) == 1:
            return name
    return ""


def tell(source: Source, attribute: str) -> str:
    """The statement that tells the thread in `self.attribute` to end; nothing where none is
    known.
    """
    for holder, value in source.assigned(attribute):
        if not isinstance(value, ast.Call):
            continue
        own = source.class_made_by(value)
        if own is not None:
            return _tell_own(own, f"self.{attribute}")
        if last_name(value.func) == "Timer":
            return f"self.{attribute}.cancel()"
        target = argument(value, "target", 1)
        if target is not None:
            return _tell_target(source, holder, value, target)
    return ""


def _tell_own(kind: OwningClass, name: str) -> str:
    """By a thread's own class: its method for that, or what its run() looks at."""
    method = ending_method(kind)
    if method:
        return f"{name}.{method}()"
    run = kind.methods.get(RUN)
    return next(_statements(run, {"self": name}), "") if run else ""


def _tell_target(source: Source, holder: OwningClass, call: ast.Call, target: ast.expr) -> str:
    """By the function that the thread runs."""
    attribute = own_attribute(target)
    if attribute:
        definition = source.method(attribute)
        names = {"self": "self", **_bound(definition[1], call, holder)} if definition else {}
        return next(_statements(definition[1], names), "") if definition else ""
    if isinstance(target, ast.Attribute):  # of something that the environment holds
        held = own_attribute(target.value)
        if held and target.attr in BESIDE:
            return f"self.{held}.{BESIDE[target.attr]}()"
        kinds = [value for _, value in source.assigned(held) if isinstance(value, ast.Call)]
        kind = source.class_made_by(kinds[0]) if held and kinds else None
        if kind is None:
            return ""
        method = ending_method(kind)
        if method:
            return f"self.{held}.{method}()"
        run = kind.methods.get(target.attr)
        return next(_statements(run, {"self": f"self.{held}"}), "") if run else ""
    function = _function(holder, target)
    return next(_statements(function, _bound(function, call, holder)), "") if function else ""


def _function(holder: OwningClass, target: ast.expr) -> Function | None:
    """The function of that name in the module."""
    functions = [node for node in holder.file.tree.body if isinstance(node, ast.FunctionDef)]
    name = target.id if isinstance(target, ast.Name) else ""
    return next((node for node in functions if node.name == name), None)


def _bound(function: Function, call: ast.Call, holder: OwningClass) -> dict[str, str]:
    """Return the function's parameters as the class has them: {"stop": "self._stop"}."""
    arguments = _value_of(argument(call, "args", 3), holder)
    values = arguments.elts if isinstance(arguments, ast.Tuple | ast.List) else []
    names = [argument.arg for argument in function.args.args if argument.arg != "self"]
    bound = dict(zip(names, map(ast.unparse, values), strict=False))
    keywords = argument(call, "kwargs", 4)
    if isinstance(keywords, ast.Dict):
        for key, value in zip(keywords.keys, keywords.values, strict=True):
            if isinstance(key, ast.Constant):
                bound[str(key.value)] = ast.unparse(value)
    return bound


def _value_of(value: ast.expr | None, holder: OwningClass) -> ast.expr | None:
    """The value of a variable that a method sets once; other expressions as they are."""
    if not isinstance(value, ast.Name):
        return value
    values = [
        made
        for node in ast.walk(holder.node)
        for target, made in assignments(node)
        if isinstance(target, ast.Name) and target.id == value.id
    ]
    return values[0] if len(values) == 1 else None


def _is_call(value: ast.expr) -> bool:
    return isinstance(value, ast.Call)


def _statements(function: Function, names: Mapping[str, str]) -> Iterator[str]:
    """Statements that end the loop of a function, in the words of its caller."""
    for node in ast.walk(function):
        if isinstance(node, ast.While):
            yield from _make(node.test, False, names)
        elif isinstance(node, ast.If) and isinstance(node.body[-1], LEAVING):
            yield from _make(node.test, True, names)
            yield from _sentinel(function, node.test, names)
        elif isinstance(node, ast.For) and _is_call(node.iter):
            assert isinstance(node.iter, ast.Call)
            if last_name(node.iter.func) == "iter" and len(node.iter.args) == 2:
                yield from _put(node.iter.args[0], node.iter.args[1], names)


def _make(test: ast.expr, wanted: bool, names: Mapping[str, str]) -> Iterator[str]:
    """Statements that make a condition true, or false."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _make(test.operand, not wanted, names)
    elif isinstance(test, ast.BoolOp):
        # One part decides: a false one of `and`, a true one of `or`.
        if isinstance(test.op, ast.Or) == wanted:
            for value in test.values:
                yield from _make(value, wanted, names)
    elif isinstance(test, ast.Call) and isinstance(test.func, ast.Attribute):
        event = _said(test.func.value, names)
        if event and test.func.attr in ("is_set", "isSet", "wait"):
            yield f"{event}.{'set' if wanted else 'clear'}()"
    elif isinstance(test, ast.Attribute):
        flag = _said(test, names)
        if flag:
            yield f"{flag} = {wanted}"


def _sentinel(function: Function, test: ast.expr, names: Mapping[str, str]) -> Iterator[str]:
    """`item = queue.get()`, `if item is None: break`."""
    if not (isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Is | ast.Eq)):
        return
    item = ast.unparse(test.left)
    for node in ast.walk(function):
        for target, value in assignments(node):
            if ast.unparse(target) == item and isinstance(value, ast.Call):
                yield from _put(value.func, test.comparators[0], names)


def _put(get: ast.expr, sentinel: ast.expr, names: Mapping[str, str]) -> Iterator[str]:
    if isinstance(get, ast.Attribute) and get.attr == "get" and isinstance(sentinel, ast.Constant):
        queue = _said(get.value, names)
        if queue:
            yield f"{queue}.put({ast.unparse(sentinel)})"


def _said(expression: ast.expr, names: Mapping[str, str]) -> str:
    """An expression in the words of the caller; nothing where a name of it is not known there."""
    text = ast.unparse(expression)
    if not re.fullmatch(r"\w+(\.\w+)*", text):
        return ""
    first, dot, rest = text.partition(".")
    return names[first] + dot + rest if first in names else ""

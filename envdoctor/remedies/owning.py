"""Edits that give each instance its own of what several share."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.model.environment_aims import ForgetGiven, MakeOwn, TakeInstance
from envdoctor.model.remedy import FIRST, MEMBER, Aim, Edit
from envdoctor.remedies.needing import needed
from envdoctor.remedies.source import (
    CONSTRUCTOR,
    Candidate,
    File,
    Function,
    OwningClass,
    Source,
    assignments,
    instead,
    last_name,
    own_attribute,
    replaced,
    takes,
)

HANDED_OUT = ("instance", "get_instance")
QT = ("QApplication", "QCoreApplication", "QGuiApplication")
DEFAULT, CLASS = "default", "class"
FREED, CLOSE = "__del__", "close"


def make_own(aim: MakeOwn, source: Source) -> Iterator[Candidate]:
    """Edits for all places of an aim, where each of them has some."""
    edits = [_own(place.kind, place.name, place.held, place.line, source) for place in aim.places]
    if all(edits):
        yield tuple(dict.fromkeys(edit for some in edits for edit in some))


def _own(kind: str, name: str, held: str, line: int, source: Source) -> Candidate:
    if kind == DEFAULT:
        return new_default(name.partition(" of ")[0], line, source)
    if held:
        return _copied_argument(held.removeprefix("self."), source)
    if kind == CLASS:
        owner, _, attribute = name.rpartition(".")
        return new_attribute(owner.rpartition(".")[2], attribute, source)
    return ()


def new_default(argument: str, line: int, source: Source) -> Candidate:
    """The default None, and one that is made in each call without it."""
    for owner in source.chain:
        for method in owner.methods.values():
            default = _default_of(method, argument)
            if method.lineno == line and default is not None:
                file = owner.file
                made = (f"if {argument} is None:", f"    {argument} = {file.text_of(default)}")
                first = Edit(file.path, FIRST, made, owner.name, method.name)
                edits = replaced(file, [(default, "None")])
                return (*edits, first) if edits else ()
    return ()


def _default_of(method: Function, argument: str) -> ast.expr | None:
    arguments = method.args
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(plain) - len(arguments.defaults))
    pairs = zip(
        [*plain, *arguments.kwonlyargs],
        [*defaults, *arguments.defaults, *arguments.kw_defaults],
        strict=True,
    )
    return next((default for each, default in pairs if each.arg == argument), None)


def _copied_argument(attribute: str, source: Source) -> Candidate:
    """A copy of what the constructor keeps in an attribute."""
    for owner, value in source.assigned(attribute):
        constructor = owner.methods.get(CONSTRUCTOR)
        if constructor is not None and value in ast.walk(constructor):
            copied = f"copy.deepcopy({owner.file.text_of(value)})"
            edits = replaced(owner.file, [(value, copied)])
            return (*edits, *needed(owner.file, (copied,))) if edits else ()
    return ()


def new_attribute(name: str, attribute: str, source: Source) -> Candidate:
    """The value that the body of a class makes once, made for each instance."""
    owner = source.owner(name)
    value = _in_body(owner, attribute) if owner is not None else None
    if owner is None or value is None:
        return ()
    made = f"self.{attribute} = {owner.file.text_of(value)}"
    uses = [
        (node, f"self.{attribute}")
        for method in owner.methods.values()
        if not method.decorator_list
        for node in ast.walk(method)
        if isinstance(node, ast.Attribute) and node.attr == attribute
        if last_name(node.value) == name
    ]
    if CONSTRUCTOR in owner.methods or owner.node.bases:
        new = Edit(owner.file.path, FIRST, (made,), owner.name, CONSTRUCTOR)
    else:
        lines = (f"def {CONSTRUCTOR}(self):", f"    {made}")
        new = Edit(owner.file.path, MEMBER, lines, owner.name)
    edits = replaced(owner.file, uses)
    return (new, *edits) if edits or not uses else ()


def _in_body(owner: OwningClass, attribute: str) -> ast.expr | None:
    for node in owner.node.body:
        for target, value in assignments(node):
            if isinstance(target, ast.Name) and target.id == attribute:
                return value
    return None


def forget_given(_aim: ForgetGiven, source: Source) -> Iterator[Candidate]:
    """Edits of classes that give back the same handle in __del__() and in another method: that one
    forgets it, and __del__() gives back only what is there.
    """
    edits: list[Edit] = []
    for file in source.files.values():
        for node in file.classes.values():
            owner = OwningClass(file, node)
            freeing = list(_giving_back(owner, FREED))
            others = [
                statement
                for name in owner.methods
                if name not in (FREED, CONSTRUCTOR)
                for statement in _giving_back(owner, name)
                if freeing and ast.dump(statement) == ast.dump(freeing[0])
            ]
            if len(freeing) != 1 or len(others) != 1:
                continue
            handle = f"self.{_handle(freeing[0])}"
            text = file.text_of(freeing[0])
            guarded = (f"if {handle} is not None:", f"    {text}")
            edits += [
                instead(file, others[0], (text, f"{handle} = None")),
                instead(file, freeing[0], guarded),
            ]
    yield tuple(edits)


def _giving_back(owner: OwningClass, method: str) -> Iterator[ast.stmt]:
    """The statements `disconnect(self.client)` of a method, each on one line."""
    definition = owner.methods.get(method)
    for node in ast.walk(definition) if definition else ():
        if isinstance(node, ast.Expr) and _handle(node) and node.lineno == node.end_lineno:
            yield node


def _handle(statement: ast.stmt) -> str:
    """The attribute that a statement hands to a function, as its only argument."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords:
        return ""
    return own_attribute(call.args[0])


def take_instance(_aim: TakeInstance, source: Source) -> Iterator[Candidate]:
    """Edits with which methods take `Application.instance()` in place of making an `Application()`,
    where there is one in a process: the class has a method that hands it out.
    """
    edits: list[Edit] = []
    for owner in source.chain:
        calls = [
            (node, text)
            for method in owner.methods.values()
            for node in ast.walk(method)
            if isinstance(node, ast.Call)
            for text in [_handed_out(owner, node, source)]
            if text
        ]
        edits += replaced(owner.file, calls)
    yield tuple(edits)


def _handed_out(owner: OwningClass, call: ast.Call, source: Source) -> str:
    name, kept = owner.file.text_of(call.func), source.owner(last_name(call.func))
    if last_name(call.func) in QT:
        return f"({name}.{HANDED_OUT[0]}() or {owner.file.text_of(call)})"
    for method in HANDED_OUT if kept is not None and not call.args else ():
        function = kept.methods.get(method) if kept is not None else None
        marks = list(map(last_name, function.decorator_list)) if function is not None else []
        makes = any(
            isinstance(node, ast.Call) and last_name(node.func) == "cls"
            for node in ast.walk(function or ast.Pass())
        )
        if marks == ["classmethod"] and makes and not call.keywords:
            return f"{name}.{method}()"
    return ""


def make_current(_aim: Aim, source: Source) -> Iterator[Candidate]:
    """Edits of the methods of an object that is the current one of all from its constructor on,
    `Context.current = self`: each makes its own current first, since another one may be it.
    """
    for file in source.files.values():
        for node in file.classes.values():
            owner = OwningClass(file, node)
            made = owner.methods.get(CONSTRUCTOR)
            for current in dict.fromkeys(_made_current(made, file) if made else ()):
                yield tuple(
                    Edit(file.path, FIRST, (f"{current} = self",), owner.name, method.name)
                    for method in owner.methods.values()
                    if method.name not in (CONSTRUCTOR, FREED, CLOSE)
                    and takes(method, "self")
                    and _reads(method, current)
                )


def _made_current(constructor: Function, file: File) -> Iterator[str]:
    """`Context.current` of `Context.current = self`, in a class of the file: not under a condition,
    since one that stays the owner is not to be replaced.
    """
    for node in constructor.body:
        for target, value in assignments(node):
            holder = last_name(target.value) if isinstance(target, ast.Attribute) else ""
            if holder in file.classes and isinstance(value, ast.Name) and value.id == "self":
                yield ast.unparse(target)


def _reads(method: Function, name: str) -> bool:
    nodes = [node for node in ast.walk(method) if isinstance(node, ast.Attribute)]
    return any(isinstance(n.ctx, ast.Load) and ast.unparse(n) == name for n in nodes)

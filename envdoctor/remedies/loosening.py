"""Edits that cut reference cycles, and hold objects weakly."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from envdoctor.model.environment_aims import BreakCycle, Remove
from envdoctor.model.remedy import MEMBER, Edit
from envdoctor.remedies.finishing import finish
from envdoctor.remedies.needing import needed
from envdoctor.remedies.removing import remove
from envdoctor.remedies.source import (
    CONSTRUCTOR,
    Candidate,
    File,
    OwningClass,
    Source,
    assignments,
    instead,
    is_empty,
    last_name,
    own_attribute,
    replaced,
)


def break_cycle(aim: BreakCycle, source: Source) -> Iterator[Candidate]:
    """Edits that keep what is made from referring to itself: a dict gets a copy of itself, what a
    method made for itself is ended, and an attribute that nothing reads becomes a weak reference.
    """
    removed = next(remove(Remove(aim.removes), source), ()) if aim.removes else ()
    if aim.removes and not removed:
        return
    if aim.place is not None and not aim.removes:
        yield from _copied(aim, source)
        yield from finish(aim.place, source)
    for owner in _classes(aim, source):
        for name, statement in _kept_arguments(owner):
            if (not aim.chain or name in aim.chain.split(".")) and not _is_read(name, source):
                yield (*_weakened(owner, name, statement), *removed)


def _copied(aim: BreakCycle, source: Source) -> Iterator[Candidate]:
    """`info["final_info"] = info`: a dict that holds itself holds a copy of itself instead."""
    assert aim.place is not None
    file, statement = source.files.get(aim.place.file), source.statement_at(aim.place)
    if file is None or not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return
    target = statement.targets[0]
    if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
        return
    name = target.value.id
    parents = {child: node for node in ast.walk(statement) for child in ast.iter_child_nodes(node)}
    texts = [
        (node, f"dict({name})")
        for node in ast.walk(statement.value)
        if isinstance(node, ast.Name)
        if node.id == name and not isinstance(parents.get(node), ast.Attribute | ast.Subscript)
    ]
    if texts:
        yield replaced(file, texts)


def _classes(aim: BreakCycle, source: Source) -> Iterator[OwningClass]:
    """The classes of which the cycle is made, but for the environment's own."""
    own = {owner.name for owner in source.chain}
    around = source.around(aim.place) if aim.place is not None else None
    names = [around[0].name] if around else []
    for name in dict.fromkeys([*names, *aim.chain.split(".")]):
        owner = source.owner(name)
        if owner is not None and owner.name not in own and not source.is_environment(owner):
            yield owner


def _kept_arguments(owner: OwningClass) -> Iterator[tuple[str, ast.Assign]]:
    """Yield the attributes in which a constructor keeps an argument as it is."""
    constructor = owner.methods.get(CONSTRUCTOR)
    arguments = {each.arg for each in constructor.args.args} if constructor else set()
    for node in constructor.body if constructor else ():
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            name = own_attribute(node.targets[0])
            if name and isinstance(node.value, ast.Name) and node.value.id in arguments:
                yield name, node


def _is_read(name: str, source: Source) -> bool:
    """Return True if the user's files read an attribute of that name, or set it in more than one
    place.
    """
    nodes = [
        node
        for file in source.files.values()
        for node in ast.walk(file.tree)
        if isinstance(node, ast.Attribute) and node.attr == name
    ]
    return len(nodes) != 1 or not isinstance(nodes[0].ctx, ast.Store)


def _weakened(owner: OwningClass, name: str, statement: ast.Assign) -> Candidate:
    value = owner.file.text_of(statement.value)
    stored = f"self._{name} = None if {value} is None else weakref.ref({value})"
    lines = (
        "@property",
        f"def {name}(self):",
        '    """None once nothing else holds it: this reference is weak."""',
        f"    return None if self._{name} is None else self._{name}()",
    )
    return (
        instead(owner.file, statement, (stored,)),
        Edit(owner.file.path, MEMBER, lines, owner.name),
        *needed(owner.file, (stored,)),
    )


def hold_weakly(chain: str, source: Source) -> Iterator[Candidate]:
    """Edits with which a registry of the module, in which objects enter themselves, holds them as
    long as something else does: `OBJECTS[self.id] = self`.
    """
    match = re.fullmatch(r"(?:\w+\.)*(\w+)\.(\w+)", chain)
    if match is None:
        return
    for file in source.files.values():
        module = file.path.rsplit("/", 1)[-1].removesuffix(".py")
        for node in file.tree.body if module == match[1] else ():
            for target, value in assignments(node):
                is_registry = last_name(target) == match[2] and _is_empty_dict(value)
                if is_registry and _enters_itself(match[2], file):
                    text = "weakref.WeakValueDictionary()"
                    yield (*replaced(file, [(value, text)]), *needed(file, [text]))


def _is_empty_dict(value: ast.expr) -> bool:
    is_dict = isinstance(value, ast.Dict) or last_name(getattr(value, "func", None)) == "dict"
    return is_dict and is_empty(value)


def _enters_itself(name: str, file: File) -> bool:
    """Return True if all that is put into a dict of the module is `self`."""
    values = [
        value
        for node in ast.walk(file.tree)
        for target, value in assignments(node)
        if isinstance(target, ast.Subscript) and last_name(target.value) == name
    ]
    return bool(values) and all(
        isinstance(value, ast.Name) and value.id == "self" for value in values
    )

"""Edits with which an instance leaves modules and classes as they were before it, so that another
one can be made in the same process.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import PurePath

from envdoctor.model.environment_aims import BlockingPlace, Unblock
from envdoctor.model.remedy import FIRST, LAST, Edit
from envdoctor.remedies.needing import needed
from envdoctor.remedies.owning import CLASS, DEFAULT, new_default
from envdoctor.remedies.source import (
    Candidate,
    File,
    Function,
    Source,
    assignments,
    instead,
    last_name,
    own_attribute,
    replaced,
)

#: Methods of containers that do not change them.
ADDS, REMOVES = "adds", "removes"
READING = frozenset(["copy", "count", "get", "index", "items", "keys", "values"])


def unblock(aim: Unblock, source: Source) -> Iterator[Candidate]:
    """Edits for all places of an aim, where each of them has some; else of close(), which ends what
    is in a container by the function that takes it out of there.
    """
    edits = [_edits_for(place, source) for place in aim.places]
    if all(edits):
        yield tuple(dict.fromkeys(edit for some in edits for edit in some))
    for place in aim.places[:1] if len(aim.places) == 1 else ():
        yield from _remove_by_module(place, source)


def _remove_by_module(place: BlockingPlace, source: Source) -> Iterator[Candidate]:
    """`traci.close(self.label)` in place of `self.connection.close()` in close(): a module keeps
    what `traci.start(self.label)` made, and its close() is the function that forgets it.
    """
    module, _, name = place.name.rpartition(".")
    home = next((f for p, f in source.files.items() if PurePath(p).stem == module), None)
    functions = [
        (function, {kind(node, name) for node in ast.walk(function) for kind in (_adds, _removes)})
        for function in (home.tree.body if home else ())
        if isinstance(function, ast.FunctionDef)
    ]
    adding = {function.name for function, kinds in functions if ADDS in kinds}
    removing = [function for function, kinds in functions if REMOVES in kinds]
    close = source.method("close")
    if close is None or len(removing) != 1:
        return
    owner, method = close
    texts: dict[str, str] = {}
    for each in owner.methods.values():
        kept = [own_attribute(target) for node in ast.walk(each) for target, _ in assignments(node)]
        for call in (node for node in ast.walk(each) if isinstance(node, ast.Call)):
            called_from, _, function = owner.file.full_name(call.func).rpartition(".")
            values = [owner.file.text_of(argument) for argument in call.args]
            fits = len(values) <= len(removing[0].args.args) and not call.keywords
            if called_from == module and function in adding and fits:
                text = f"{ast.unparse(call.func).rpartition('.')[0]}.{removing[0].name}"
                texts |= dict.fromkeys(filter(None, kept), f"{text}({', '.join(values)})")
    for node in ast.walk(method):
        ended = node.value if isinstance(node, ast.Expr) else None
        end = ended.func if isinstance(ended, ast.Call) and not ended.args else None
        attribute = own_attribute(end.value) if isinstance(end, ast.Attribute) else ""
        if isinstance(node, ast.Expr) and attribute in texts and last_name(end) == "close":
            yield (instead(owner.file, node, (texts[attribute],)),)


def _adds(node: ast.AST, name: str) -> str:
    """ADDS for `connections[label] = ...`."""
    targets = (target for target, _ in assignments(node) if isinstance(target, ast.Subscript))
    return ADDS if any(last_name(target.value) == name for target in targets) else ""


def _removes(node: ast.AST, name: str) -> str:
    """REMOVES for `connections.pop(label)`, and for `del connections[label]`."""
    parts = [each for each in getattr(node, "targets", ()) if isinstance(node, ast.Delete)]
    removed = [each.value for each in parts if isinstance(each, ast.Subscript)]
    function = node.func if isinstance(node, ast.Call) else None
    if isinstance(function, ast.Attribute) and function.attr == "pop":
        removed.append(function.value)
    return REMOVES if name in map(last_name, removed) else ""


def _edits_for(place: BlockingPlace, source: Source) -> Candidate:
    if place.kind == DEFAULT:
        return new_default(place.name.partition(" of ")[0], place.line, source)
    return _put_back(place, source) if place.before else _copied(place, source)


def _put_back(place: BlockingPlace, source: Source) -> Candidate:
    """Edits with which close() sets the variable to the value that it had at first."""
    home = source.method("close") or (source.chain[0], None) if source.chain else None
    if home is None:
        return ()
    owner, close = home
    name = place.name.rpartition(".")[2]
    target = _written(place, owner.file)
    if not target:
        return ()
    assign = f"{target} = {place.before}"
    last = Edit(owner.file.path, LAST, (assign,), owner.name, "close")
    inside = list(ast.walk(close)) if close is not None else []
    declared = any(isinstance(node, ast.Global) and name in node.names for node in inside)
    if target != name or declared:
        return (last,)
    return (Edit(owner.file.path, FIRST, (f"global {name}",), owner.name, "close"), last)


def _written(place: BlockingPlace, file: File) -> str:
    """The variable as code of a file writes it; empty where that does not have its owner."""
    owner, _, name = place.name.rpartition(".")
    module, _, last = owner.rpartition(".")
    if place.kind == CLASS:
        is_known = last in file.classes or file.imported.get(last) == f"{module}.{last}"
        return f"{last}.{name}" if is_known else ""
    if PurePath(file.path).stem == last:
        return name
    names = (local for local, full in file.imported.items() if full == owner)
    alias = next(names, "")
    return f"{alias}.{name}" if alias else ""


def _copied(place: BlockingPlace, source: Source) -> Candidate:
    """Edits with which functions copy what they take out of a container; none where they change
    the container itself: that may be meant for other instances.
    """
    edits: list[Edit] = []
    for file in {owner.file.path: owner.file for owner in source.chain}.values():
        written = _written(place, file)
        uses = list(_uses(written, _functions(file, source))) if written else []
        if None in uses:
            return ()
        texts = [(node, f"copy.deepcopy({file.text_of(node)})") for node in uses if node]
        edits += [*replaced(file, texts), *needed(file, [text for _, text in texts])]
    return tuple(edits)


def _functions(file: File, source: Source) -> list[Function]:
    """The functions of a file that an instance may call: its methods, and those of the module."""
    own = [owner for owner in source.chain if owner.file.path == file.path]
    methods = [method for owner in own for method in owner.methods.values()]
    return methods + [node for node in file.tree.body if isinstance(node, ast.FunctionDef)]


def _uses(written: str, functions: Iterable[Function]) -> Iterator[ast.expr | None]:
    """The expressions of functions that take something out of a variable, and None for one that
    changes the variable.
    """
    functions = list(functions)
    parents = {
        child: node
        for function in functions
        for node in ast.walk(function)
        for child in ast.iter_child_nodes(node)
    }
    for node in dict.fromkeys(each for function in functions for each in ast.walk(function)):
        if _means(node, written):
            assert isinstance(node, ast.expr)
            yield from _copied_part(node, parents)


def _means(node: ast.AST, written: str) -> bool:
    owner, _, name = written.rpartition(".")
    if isinstance(node, ast.Name):
        return not owner and node.id == name
    if not isinstance(node, ast.Attribute) or node.attr != name:
        return False
    return bool(owner) and last_name(node.value) in (owner, "self", "cls")


def _copied_part(node: ast.expr, parents: dict[ast.AST, ast.AST]) -> Iterator[ast.expr | None]:
    parent = parents.get(node)
    if isinstance(node, ast.Name | ast.Attribute) and not isinstance(node.ctx, ast.Load):
        yield None
    elif isinstance(parent, ast.Attribute):
        call = parents.get(parent)
        if parent.attr not in READING:
            yield None
        elif parent.attr == "get" and isinstance(call, ast.Call):
            yield call
    elif isinstance(parent, ast.Subscript) and parent.value is node:
        outermost = parent
        while isinstance(outer := parents.get(outermost), ast.Subscript):
            if outer.value is not outermost:
                break
            outermost = outer
        yield outermost if isinstance(outermost.ctx, ast.Load) else None
    elif isinstance(parent, ast.Assign | ast.Return | ast.Call | ast.keyword):
        yield node

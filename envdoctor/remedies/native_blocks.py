"""Edits that give back to a native library what one of its functions has made: by the function of
it that is named as the one that does so.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from envdoctor.model.remedy import BEFORE, FIRST, Edit
from envdoctor.remedies.applying import STEP, before_return, statement_text
from envdoctor.remedies.releasing import guarded
from envdoctor.remedies.source import (
    CONSTRUCTOR,
    Candidate,
    File,
    Function,
    OwningClass,
    Source,
    assignments,
    blocks,
    instead,
    last_name,
    name_of_made,
    own_attribute,
    stored_in,
    uses,
)

FREEING = ("delete", "destroy", "dispose", "free", "give", "release", "unmap")
TAKING = ("alloc", "create", "load", "make", "map", "new", "open", "read", "take")
ALLOCATING = ("calloc", "malloc")
#: Functions whose results have memory of their own.
COPYING = ("array", "bytes", "copy", "float", "int", "list", "string_at", "tuple")


def free_native(source: Source) -> Iterator[Candidate]:
    """Edits for all blocks that methods of the environment take, and for each of them: it is freed
    after its last use, or in close(), and before the next one takes its place.
    """
    each = [
        edits
        for owner in source.chain
        for method in owner.methods.values()
        for edits in _of_method(source, owner, method)
        if edits
    ]
    yield tuple(edit for edits in each for edit in edits)
    yield from each


def _of_method(source: Source, owner: OwningClass, method: Function) -> Iterator[Candidate]:
    for block in blocks(method):
        for at, statement in enumerate(block):
            for target, value in assignments(statement):
                attribute, freeing = own_attribute(target), _freeing(source, owner.file, value)
                if freeing and isinstance(target, ast.Name):
                    yield _after_last_use(owner.file, block, at, freeing)
                elif freeing and attribute:
                    yield _in_close(source, attribute, freeing, statement, owner, method)
                several = _freeing_each(source, owner.file, value) if attribute else ""
                if several:
                    yield _each_in_close(source, attribute, several)


def _freeing(source: Source, file: File, value: ast.expr) -> str:
    """`library.body_free({})` for `library.body_new()`, and for a function of the file that returns
    what it got so; nothing of others.
    """
    if not isinstance(value, ast.Call):
        return ""
    if isinstance(value.func, ast.Name):
        made = [node for node in file.tree.body if getattr(node, "name", "") == value.func.id]
        function = made[0] if len(made) == 1 else None
        return _of_returned(source, file, function)
    if not isinstance(value.func, ast.Attribute) or value.keywords:
        return ""
    counterparts = [
        (name, number)
        for name, number in _known(source).items()
        if _are_counterparts(value.func.attr, name)
    ]
    if len(counterparts) != 1:
        return ""
    name, number = counterparts[0]
    if number not in (1, 1 + len(value.args)):
        return ""
    others = [file.text_of(each) for each in value.args[: number - 1]]
    return f"{file.text_of(value.func.value)}.{name}({', '.join(['{}', *others])})"


def _of_returned(source: Source, file: File, function: ast.AST | None) -> str:
    """The call that frees the result of a function of the file; nothing of one that takes more."""
    body = function.body if isinstance(function, ast.FunctionDef) else []
    name = last_name(body[-1].value) if body and isinstance(body[-1], ast.Return) else ""
    values = [
        node.value
        for node in body
        if isinstance(node, ast.Assign) and name and name_of_made(node) == name
    ]
    calls = [each for each in values if isinstance(each, ast.Call)]
    if len(calls) != 1 or not isinstance(calls[0].func, ast.Attribute):
        return ""
    return _of_element(_freeing(source, file, calls[0]))


def _of_element(freeing: str) -> str:
    """A call that frees with one argument, and so each element of a list."""
    return freeing if "({})" in freeing else ""


def _freeing_each(source: Source, file: File, value: ast.expr) -> str:
    """The call that frees each element of a list that is written down, where it is the same."""
    elements: list[ast.expr] = []
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.List):
            waiting += node.elts
        elif isinstance(node, ast.ListComp | ast.GeneratorExp):
            waiting.append(node.elt)
        elif isinstance(node, ast.Starred):
            waiting.append(node.value)
        else:
            elements.append(node)
    is_list = isinstance(value, ast.List | ast.ListComp)
    freeing = {_freeing(source, file, each) for each in elements} if is_list else set()
    return _of_element(freeing.pop()) if len(freeing) == 1 else ""


def _known(source: Source) -> dict[str, int]:
    """The functions that free, and the number of their arguments, as the files have them."""
    known: dict[str, int] = {}
    for file in source.files.values():
        for node in ast.walk(file.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                known[node.func.attr] = len(node.args)
            for target, value in assignments(node):
                if last_name(target) == "argtypes" and isinstance(value, ast.List | ast.Tuple):
                    assert isinstance(target, ast.Attribute)
                    known[last_name(target.value)] = len(value.elts)
    return {name: number for name, number in known.items() if _words(name) & {*FREEING}}


def _words(name: str) -> set[str]:
    return set(name.lower().split("_"))


def _are_counterparts(taking: str, freeing: str) -> bool:
    """Return True for `read_vector` and `free_vector`, and for `malloc` and `free`."""
    if taking in ALLOCATING:
        return freeing == "free"
    same = _words(taking) & _words(freeing)
    left, right = _words(taking) - same, _words(freeing) - same
    return bool(same and right) and left <= {*TAKING} and right <= {*FREEING}


def _after_last_use(file: File, block: Sequence[ast.stmt], at: int, freeing: str) -> Candidate:
    """The block is freed after the last statement that uses it, or a view of it; nothing where it
    may be kept.
    """
    name = name_of_made(block[at])
    views, last = {name}, block[at]
    for statement in block[at + 1 :]:
        if not any(uses(statement, each) for each in views):
            continue
        value = statement.value if isinstance(statement, ast.Assign | ast.Return) else None
        is_copy = last_name(getattr(value, "func", None)) in COPYING
        is_kept = not (is_copy or all(map(_is_name, getattr(statement, "targets", ()))))
        is_used = isinstance(statement, ast.Assign | ast.Expr) or is_copy
        if not is_used or is_kept or freeing.partition("(")[0] in ast.unparse(statement):
            return ()
        views |= set() if is_copy else set(stored_in(statement))
        last = statement
    if not name or last is block[at]:
        return ()
    line = freeing.format(name)
    if isinstance(last, ast.Return):
        return (instead(file, last, before_return(file, last, (line,))),)
    return (instead(file, last, (*statement_text(file, last), line)),)


def _is_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Name)


def _in_close(
    source: Source,
    attribute: str,
    freeing: str,
    statement: ast.stmt,
    owner: OwningClass,
    method: Function,
) -> Candidate:
    if _frees(source, freeing):
        return ()
    lines, subject = (freeing.format(f"self.{attribute}"),), source.chain[0]
    ending = guarded(source, (attribute,), lines, forget=True)
    edit = Edit(subject.file.path, FIRST, ending, subject.name, "close")
    if method.name == CONSTRUCTOR:
        return (edit,)
    before = guarded(source, (attribute,), lines, forget=False)
    return (edit, Edit(owner.file.path, BEFORE, before, line=statement.lineno))


def _each_in_close(source: Source, attribute: str, freeing: str) -> Candidate:
    """`for block in self.blocks: library.free(block)`, at the beginning of close()."""
    subject, close = source.chain[0], source.method("close")
    if _frees(source, freeing) or not source.has_at_once(attribute):
        return ()
    empties = close is not None and any(
        own_attribute(target) == attribute
        for node in ast.walk(close[1])
        for target, _ in assignments(node)
    )
    lines = (
        f"for block in self.{attribute}:",
        f"{STEP}{freeing.format('block')}",
        *(() if empties else (f"self.{attribute} = []",)),
    )
    return (Edit(subject.file.path, FIRST, lines, subject.name, "close"),)


def _frees(source: Source, freeing: str) -> bool:
    """Return True if a method of the environment frees such blocks already."""
    function = freeing.partition("(")[0]
    return any(
        ast.unparse(node.func) == function
        for owner in source.chain
        for node in ast.walk(owner.node)
        if isinstance(node, ast.Call)
    )

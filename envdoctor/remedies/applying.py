"""Edits applied to the text of a file: which lines change, the text afterwards, and whether it is
still Python in which every name is known.
"""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise, takewhile

from envdoctor.analysis.undefined_names import undefined
from envdoctor.model.errors import Frame
from envdoctor.model.remedy import BEFORE, FIRST, INSTEAD, LAST, MEMBER, TOP, Change, Edit
from envdoctor.remedies.forgetting import forgetting
from envdoctor.remedies.source import (
    File,
    Function,
    OwningClass,
    Source,
    blocks,
    calls_inherited,
    instead,
)
from envdoctor.remedies.unused_imports import roots_of, without_use

STEP = "    "
PLAIN_IMPORT, STANDARD = re.compile(r"import [\w.]+"), sys.stdlib_module_names
FUTURE, PASS = "__future__", ("pass",)
INHERITED = re.compile(r"super\(.*\)\.reset")
ATTRIBUTE = re.compile(r"\w+ = ")
EMPTY = ("pass", "...")  # statements that only hold a place
HEADERS = {
    "__init__": ("def __init__(self, *args, **kwargs):", "super().__init__(*args, **kwargs)"),
    "close": ("def close(self):", "super().close()"),
    "reset": (
        "def reset(self, *, seed=None, options=None):",
        "return super().reset(seed=seed, options=options)",
    ),
}


class NoPlaceError(ValueError):
    """An edit that cannot be made. The text says why."""


def changes(edits: Iterable[Edit], source: Source) -> tuple[Change, ...]:
    """The lines that edits change, file by file and from the top, and the imports that these leave
    without a use. Raises NoPlaceError.
    """
    made: list[Change] = []
    written: dict[tuple[ast.ClassDef, str], tuple[OwningClass, list[Edit]]] = {}
    for edit in sorted(forgetting(edits, source), key=_turn):
        home = _home(edit, source) if edit.position in (FIRST, LAST) else None
        if home is None or _has_lines(home, edit.method):
            made.append(_change(edit, source, home))
        else:  # one definition takes the lines of all: a second one would replace the first
            written.setdefault((home.node, edit.method), (home, []))[1].append(edit)
    new = (_written(home, every, source) for home, every in written.values())
    ordered = merged((*made, *new), source.files)
    unused = [
        change
        for path in dict.fromkeys(each.file for each in ordered)
        for file, own in [(source.files[path], [each for each in ordered if each.file == path])]
        for change in without_use(file, changed(file, own), own, source.files.values())
    ]
    return merged((*ordered, *unused), source.files)


def _turn(edit: Edit) -> tuple[bool, bool]:
    """First edits before last ones: both may fill one method that does nothing; and of these that
    which seeds.
    """
    return edit.position == LAST, not any(map(INHERITED.match, edit.lines[:1]))


def merged(every: Iterable[Change], files: Mapping[str, File]) -> tuple[Change, ...]:
    """Changes, those of one place as one, file by file and from the top: several may fill a method
    that does nothing. Raises NoPlaceError.
    """
    places: dict[tuple[str, int, str, bool], Change] = {}
    for change in every:
        key = (change.file, change.line, change.place, change.deleted > 0)
        before = places.get(key)
        if before is None:
            places[key] = change
        elif change.deleted and change != before and not _fills(change, files[change.file]):
            raise NoPlaceError("two changes of one line")
        elif change != before and not _holds(before.lines, change.lines):
            lines = _joined(before.lines, change.lines)
            places[key] = Change(change.file, change.line, change.deleted, lines, change.place)
    ordered = sorted(places.values(), key=lambda change: (change.file, change.line))
    replaced = [change for change in ordered if change.deleted]
    for change, after in pairwise(replaced):
        if change.file == after.file and change.line + change.deleted > after.line:
            raise NoPlaceError("two changes of one line")
    return tuple(ordered)


def _fills(change: Change, file: File) -> bool:
    """Return True where the change stands instead of a statement that does nothing."""
    return change.deleted == 1 and file.lines[change.line - 1].strip() in EMPTY


def _imports_standard(line: str) -> bool:
    """Return True for `import os.path`."""
    return bool(PLAIN_IMPORT.fullmatch(line)) and line[7:].partition(".")[0] in STANDARD


def _joined(lines: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    """Lines of one place below each other; imports in their order, with the empty line of both."""
    names = {*lines, *more} - {""}
    if not all(map(_imports_standard, names)):
        return (*lines, *more)
    above, below = ("",) * (lines[0] == ""), ("",) * (lines[-1] == "")
    return (*above, *sorted(names), *below)


def _holds(lines: tuple[str, ...], part: tuple[str, ...]) -> bool:
    """Return True where the lines have the part as a block."""
    return any(lines[at : at + len(part)] == part for at in range(len(lines)))


def changed(file: File, made: Sequence[Change]) -> str:
    """The text of a file with its changes made."""
    lines = list(file.lines)
    for change in reversed(in_order(made)):
        lines[change.line - 1 : change.line - 1 + change.deleted] = change.lines
    return "\n".join(lines) + "\n"


def in_order(made: Iterable[Change]) -> list[Change]:
    """The changes of a file from its top. Lines that are put before a line come before what
    replaces it. A method that ends where its class does: its lines come before another member's.
    """
    return sorted(
        made,
        key=lambda change: (change.line, change.deleted > 0, change.place.startswith("class ")),
    )


def check(file: File, text: str, known: Iterable[str]) -> None:
    """Compile a changed text, and look for names that nothing in it defines. Raises NoPlaceError
    with the reason.
    """
    names = frozenset(known)
    try:
        compile(text, file.path, "exec", dont_inherit=True)
        earlier = _undefined(file.path, file.text, names)
        missing = _undefined(file.path, text, names)
    except (SyntaxError, ValueError, RecursionError) as error:
        raise NoPlaceError(f"it does not compile: {error}") from error
    unknown = [name for name in missing if name not in earlier]
    if unknown:
        raise NoPlaceError(f"{unknown[0]} is not defined there")


@lru_cache(maxsize=16)
def _undefined(path: str, text: str, known: frozenset[str]) -> tuple[str, ...]:
    """The undefined names of a text, which is one of few: each trial compares with the user's."""
    return tuple(each.name for each in undefined(path, text, known))


def _change(edit: Edit, source: Source, home: OwningClass | None) -> Change:
    if home is not None:
        return _in_method(home, home.methods[edit.method], edit, source)
    if edit.position == MEMBER:
        return _member(_owner(edit, source), edit.lines)
    file = _file(edit, source)
    return _at_top(file, edit) if edit.position == TOP else _at_line(file, edit, source)


def _file(edit: Edit, source: Source) -> File:
    file = source.files.get(edit.file)
    if file is None:
        raise NoPlaceError("its source is not the user's own")
    return file


def _owner(edit: Edit, source: Source) -> OwningClass:
    file = _file(edit, source)
    node = file.classes.get(edit.owner)
    if node is None:
        raise NoPlaceError(f"the class {edit.owner} was not found in its source")
    return OwningClass(file, node)


def _home(edit: Edit, source: Source) -> OwningClass:
    """The class whose method takes the lines: not a base class where only classes that inherit from
    it set the attributes that they use. Others that inherit from it have none.
    """
    owner = _owner(edit, source)
    order = [each.node for each in source.chain]  # a class may have the name of its base
    if owner.node not in order:
        return owner
    at = order.index(owner.node)
    for name in re.findall(r'self\.(\w+)|getattr\(self, "(\w+)"', "\n".join(edit.lines)):
        setting = [order.index(each.node) for each, _ in source.assigned(name[0] or name[1])]
        at = min(at, max(setting, default=at))
    return source.chain[_reached(edit.method, at, source) if edit.method == "close" else at]


def _reached(method: str, at: int, source: Source) -> int:
    """The place in the chain of a class whose method runs: a class in front of it may override the
    method and not call the inherited one. A mixin without one gets none, which would hide that of
    the next base.
    """
    before = source.chain[: at + 1]
    hiding = (
        number
        for number, each in enumerate(before)
        if method in each.methods and not calls_inherited(each.methods[method])
    )
    at = min(next(hiding, at), at)
    if at and method not in before[at].methods and not _bases(before[at]):
        return next((number for number in range(at) if method in before[number].methods), 0)
    return at


def _bases(owner: OwningClass) -> list[ast.expr]:
    return [base for base in owner.node.bases if ast.unparse(base) != "object"]


def _at_top(file: File, edit: Edit) -> Change:
    """Among the imports of the first block: a module of the standard library by its name, others
    after the last one. After the docstring where there is none.
    """
    body = file.tree.body
    docstrings = body[:1] if body and _is_docstring(body[0]) else []
    block = [*takewhile(_is_import, body[len(docstrings) :])]
    if block and all(map(_imports_standard, edit.lines)):
        return _among_standard(edit, block)
    after, lines = 0, edit.lines
    if block or docstrings:
        after = (block or docstrings)[-1].end_lineno or 0
        lines = lines if block else ("", *lines)
    return Change(edit.file, after + 1, 0, lines)


def _among_standard(edit: Edit, block: Sequence[ast.stmt]) -> Change:
    """Before the first one of the standard library that comes later, after the last one, or before
    all others, with an empty line.
    """
    known = [each for each in block if {*roots_of(each)} <= STANDARD]
    own = [each for each in known if roots_of(each) != [FUTURE]]
    name = edit.lines[0].split()[1]
    later = [each for each in own if isinstance(each, ast.ImportFrom) or roots_of(each)[0] > name]
    if later:
        return Change(edit.file, later[0].lineno, 0, edit.lines)
    if known:
        gap = () if own else ("",)
        return Change(edit.file, (known[-1].end_lineno or 0) + 1, 0, (*gap, *edit.lines))
    return Change(edit.file, block[0].lineno, 0, (*edit.lines, ""))


def _is_import(node: ast.stmt) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def _at_line(file: File, edit: Edit, source: Source) -> Change:
    is_end = edit.position == BEFORE and edit.line == len(file.lines) + 1
    if not (is_end or 1 <= edit.line <= len(file.lines)):
        raise NoPlaceError("its line is not in the source")
    if edit.position == INSTEAD and edit.lines == PASS:
        edit = _with_condition(edit, file)
    first = "" if is_end else file.lines[edit.line - 1]
    indent = first[: len(first) - len(first.lstrip())]
    deleted = (edit.end or edit.line) - edit.line + 1 if edit.position == INSTEAD else 0
    around = source.around(Frame(edit.file, edit.line))
    place = f"{around[0].name}.{around[1].name}()" if around else ""
    return Change(edit.file, edit.line, deleted, _indented(edit.lines, indent), place)


def _with_condition(edit: Edit, file: File) -> Edit:
    """The edit that leaves out an `if`, too, whose only statement goes: where it calls nothing."""
    for node in ast.walk(file.tree):
        if isinstance(node, ast.If) and not node.orelse and file.text_of(node).startswith("if"):
            (first, *others), calls = node.body, (ast.Call, ast.Await, ast.NamedExpr)
            span = (first.lineno, first.end_lineno) == (edit.line, edit.end or edit.line)
            if span and not others and not any(isinstance(n, calls) for n in ast.walk(node.test)):
                is_alone = any(block == [node] for block in blocks(file.tree))
                outer = instead(file, node, PASS if is_alone else ())
                return _with_condition(outer, file) if is_alone else outer
    return edit


def _in_method(owner: OwningClass, method: Function, edit: Edit, source: Source) -> Change:
    place = f"{owner.name}.{method.name}()"
    body = method.body[1:] if _is_docstring(method.body[0]) else method.body
    lines = _indented(edit.lines, " " * method.body[0].col_offset)
    if len(body) == 1 and _does_nothing(body[0]):
        count = (body[0].end_lineno or body[0].lineno) - body[0].lineno + 1
        return Change(owner.file.path, body[0].lineno, count, lines, place)
    if edit.position == FIRST and body and _seeds_alone(body[0], owner, source):
        body = body[1:]  # what is inherited seeds, and does nothing else
    if edit.position == FIRST and body:
        return Change(owner.file.path, start_of(body[0]), 0, lines, place)
    last = method.body[-1]
    if body and isinstance(last, ast.Return | ast.Raise):
        return Change(owner.file.path, last.lineno, 0, lines, place)
    return Change(owner.file.path, (last.end_lineno or last.lineno) + 1, 0, lines, place)


def _seeds_alone(statement: ast.stmt, owner: OwningClass, source: Source) -> bool:
    """Return True for `super().reset(seed=seed)`, where that is not a reset() of the user's."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not INHERITED.fullmatch(ast.unparse(call.func)):
        return False
    chain = source.of(owner.name, owner.file.path).chain
    return not any("reset" in each.methods for each in chain if each.node is not owner.node)


def _member(owner: OwningClass, lines: tuple[str, ...]) -> Change:
    """A method after the others; an attribute above them, after those that are there."""
    body, place = owner.node.body, f"class {owner.name}"
    if body[0].lineno == owner.node.lineno:
        raise NoPlaceError(f"{place} stands on one line")
    text, path = _indented(lines, " " * body[0].col_offset), owner.file.path
    methods = [each for each in body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)]
    if not methods or not ATTRIBUTE.match(lines[0]):
        return Change(path, (owner.node.end_lineno or 0) + 1, 0, ("", *text), place)
    above = body[: body.index(methods[0])]
    if above and isinstance(above[-1], ast.Assign | ast.AnnAssign):
        return Change(path, (above[-1].end_lineno or 0) + 1, 0, text, place)
    return Change(path, start_of(methods[0]), 0, (*text, ""), place)


def _has_lines(owner: OwningClass, name: str) -> bool:
    """Return whether a class has a method whose body begins on a line of its own."""
    method = owner.methods.get(name)
    return method is not None and not _above(owner.file, method).strip()


def _above(file: File, method: Function) -> str:
    """The text before the first statement of a method, on its line."""
    first = method.body[0]
    return file.lines[first.lineno - 1].encode()[: first.col_offset].decode()


def _written(owner: OwningClass, edits: Sequence[Edit], source: Source) -> Change:
    """A method that a class does not have, or `def close(self): self.closed = True` on its lines.
    Raises NoPlaceError.
    """
    method = owner.methods.get(edits[0].method)
    if method is None:
        return _member(owner, _new_method(owner, edits, source))
    place, line, body = f"{owner.name}.{method.name}()", method.body[0].lineno, method.body
    header = _above(owner.file, method)
    comment = owner.file.lines[line - 1].encode()[body[-1].end_col_offset :].decode().strip(" ;")
    if body[-1].end_lineno != line or owner.node.lineno == line:
        raise NoPlaceError(f"{place} begins and ends on lines of others")
    known = [owner.file.text_of(each) for each in body if not _does_nothing(each)]
    above = len(known[:1]) if _is_docstring(body[0]) else 0
    below = len(known) - isinstance(body[-1], ast.Return | ast.Raise)
    first, last = (_lines_at(position, edits) for position in (FIRST, LAST))
    lines = (*known[:above], *first, *known[above:below], *last, *known[below:])
    indent = " " * (method.col_offset + len(STEP))
    header = f"{header.rstrip()}  {comment}".rstrip()
    return Change(owner.file.path, line, 1, (header, *_indented(lines, indent)), place)


def _new_method(owner: OwningClass, edits: Sequence[Edit], source: Source) -> tuple[str, ...]:
    """A method that does what is asked for, and then what it did before."""
    name = edits[0].method
    header, inherited = HEADERS.get(name, ("", ""))
    inherits = any(name in other.methods for other in source.chain)
    abstract = name in source.framework.abstract and not inherits
    if not header or (name == "reset" and "reset" in source.framework.abstract):
        raise NoPlaceError(f"{owner.name} has no {name}() of its own")
    calls = (inherited,) if _bases(owner) and not abstract else ()
    first, last = (_lines_at(position, edits) for position in (FIRST, LAST))
    return (header, *_indented((*first, *calls, *last), STEP))


def _lines_at(position: str, edits: Iterable[Edit]) -> tuple[str, ...]:
    """The lines of all edits of one position, each block once."""
    lines: tuple[str, ...] = ()
    for edit in edits:
        if edit.position == position and not _holds(lines, edit.lines):
            lines += edit.lines
    return lines


def _indented(lines: Iterable[str], indent: str) -> tuple[str, ...]:
    return tuple(indent + line if line.strip() else "" for line in _flat(lines))


def _flat(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield from line.splitlines() or ("",)


def start_of(node: ast.stmt) -> int:
    """Its first line, that of its decorators where it has any."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _does_nothing(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass) or (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and node.value.value is Ellipsis
    )


def before_return(file: File, statement: ast.Return, lines: Sequence[str]) -> tuple[str, ...]:
    """The lines of `return value`, with others between the value and the return."""
    names = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
    name = "returned" if "result" in names else "result"
    value = statement_text(file, statement)[0].removeprefix("return ")
    return (f"{name} = {value}", *statement_text(file, statement)[1:], *lines, f"return {name}")


def statement_text(file: File, node: ast.stmt) -> tuple[str, ...]:
    """The lines of a statement without the indentation of its place."""
    lines = file.lines[node.lineno - 1 : node.end_lineno]
    return tuple(textwrap.dedent("\n".join(lines)).splitlines())

"""Edits with which a training script closes what it has only by way of something else: parts of an
object, made in its constructor, and what is handed to a function where it is made.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.model.errors import Frame
from envdoctor.model.remedy import INSTEAD, Edit
from envdoctor.remedies.applying import STEP
from envdoctor.remedies.source import (
    CONSTRUCTOR,
    Candidate,
    File,
    OwningClass,
    Source,
    assignments,
    function_at,
    innermost,
    last_name,
    name_of_made,
    own_attribute,
    uses,
)
from envdoctor.remedies.training import (
    CLOSE,
    Place,
    assigned_at,
    can_be_indented,
    close_at,
    is_given_away,
    is_left,
    makes,
    with_finally,
)

DEEP = 3  # owners of owners
NAMES = ("env", "made")


def close_owner(place: Frame, source: Source) -> Iterator[Candidate]:
    """Edits that close the object in whose constructor this line is: by its close(); or its part
    that the line makes, where it has none.
    """
    around = source.around(place)
    if around is None or around[1].name != CONSTRUCTOR:
        return
    owner = around[0]
    for _ in range(DEEP):
        has_close = CLOSE in owner.methods
        calls = list(_calls(owner, source))
        rounds = [source.around(each) for each in calls]
        makers = {each[0].name: each[0] for each in rounds if each and _is_maker(each)}
        if len(calls) == 1 and not makers:
            file = source.files[calls[0].file]
            home = assigned_at(file, calls[0].line)
            if home is not None and has_close:
                yield from close_at(file, home)
            elif home is not None and owner is around[0]:
                yield parts_closed(file, home, _part_of(source.statement_at(place)))
            return
        if not has_close or len(makers) != 1 or not all(map(_is_maker, rounds)):
            return
        owner = next(iter(makers.values()))


def _is_maker(around: tuple[OwningClass, ast.AST] | None) -> bool:
    return around is not None and getattr(around[1], "name", "") == CONSTRUCTOR


def _calls(owner: OwningClass, source: Source) -> Iterator[Frame]:
    """The lines that make instances of a class."""
    for file in source.files.values():
        for node in ast.walk(file.tree):
            if isinstance(node, ast.Call) and last_name(node.func) == owner.name:
                yield Frame(file.path, node.lineno)


def _part_of(statement: ast.stmt | None) -> tuple[str, bool]:
    """The attribute that a statement gives what it makes, and whether that is a list of them."""
    for target, value in assignments(statement) if statement is not None else ():
        is_list = isinstance(value, ast.ListComp) and isinstance(value.elt, ast.Call)
        if own_attribute(target) and (is_list or (isinstance(value, ast.Call) and makes(value))):
            return own_attribute(target), is_list
    return "", False


def parts_closed(file: File, home: Place, part: tuple[str, bool]) -> Candidate:
    """`for env in trainer.envs: env.close()`."""
    scope, block, at = home
    name, (attribute, is_list) = name_of_made(block[at]), part
    rest, parts = block[at + 1 :], f"{name}.{attribute}"
    if not attribute:
        return ()
    closes = any(
        isinstance(n, ast.Attribute) and n.attr == CLOSE for r in rest for n in ast.walk(r)
    )
    variable = next((each for each in NAMES if not uses(scope, each)), "")
    if closes or not variable or is_left(scope, block, rest, name):
        return ()
    each_one = (f"for {variable} in {parts}:", f"{STEP}{variable}.{CLOSE}()")
    return with_finally(file, block, rest, each_one if is_list else (f"{parts}.{CLOSE}()",))


def close_argument(place: Frame, source: Source) -> Iterator[Candidate]:
    """`return play(make(), genome)`: the environment gets a name, and is closed after the call."""
    file = source.files.get(place.file)
    statement = innermost(file, place.line) if file is not None else None
    if file is None or not isinstance(statement, ast.Return | ast.Expr | ast.Assign):
        return
    call = statement.value
    made = _made_in(file, call, place.line) if isinstance(call, ast.Call) else None
    scope = function_at(file, statement.lineno) or file.tree
    name = next((each for each in NAMES if not uses(scope, each)), "")
    if made is None or not name or statement.lineno != statement.end_lineno:
        return
    if not can_be_indented(file, [statement]):
        return
    line = file.lines[statement.lineno - 1].encode()
    text = (
        line[statement.col_offset : made.col_offset] + name.encode() + line[made.end_col_offset :]
    )
    yield (
        Edit(
            file.path,
            INSTEAD,
            (
                f"{name} = {file.text_of(made)}",
                "try:",
                f"{STEP}{text.decode()}",
                "finally:",
                f"{STEP}{name}.{CLOSE}()",
            ),
            line=statement.lineno,
        ),
    )


def _made_in(file: File, call: ast.Call, line: int) -> ast.Call | None:
    """The one argument of a call that makes something in a line, where the call is of a function of
    the file that neither keeps, returns nor closes it.
    """
    made = [each for each in call.args if isinstance(each, ast.Call) and makes(each)]
    functions = [
        node
        for node in file.tree.body
        if isinstance(node, ast.FunctionDef) and isinstance(call.func, ast.Name)
        if node.name == call.func.id
    ]
    if len(made) != 1 or len(functions) != 1 or made[0].lineno != line:
        return None
    (function,), at = functions, call.args.index(made[0])
    names = [each.arg for each in function.args.args][at : at + 1]
    if not names or is_given_away(function, function.body, names[0]):
        return None
    return made[0]

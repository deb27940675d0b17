"""Edits of a loop that calls step() on where an episode has ended: the loop ends there, where what
is around it resets for the next episode, and resets else.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import takewhile
from typing import TypeGuard

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.training_aims import EndEpisode, PlayFirst
from envdoctor.remedies.applying import STEP, statement_text
from envdoctor.remedies.source import (
    Candidate,
    File,
    Function,
    OwningClass,
    Source,
    block_of,
    function_at,
    innermost,
    instead,
    last_name,
    names_in,
    own_attribute,
    removed,
)
from envdoctor.remedies.training_loops import SEED

Loop = ast.For | ast.While
OLD, UNNAMED = ("done",), "_"
NAMES = {True: ("_", "_", *OLD, "_"), False: ("_", "_", "terminated", "truncated", "_")}
EPISODES = ("episode", "rollout")  # in the name of a function that plays one
_LEAVING = (ast.Break, ast.Continue, ast.Return, ast.Raise)


@dataclass(frozen=True)
class Round:
    """A statement of a function, or of the module, that plays a step: its `text` with names for
    what it says of the end of an episode, and the `condition` of an end.
    """

    function: Function | None
    statement: ast.Assign | ast.Expr
    text: tuple[str, ...]
    condition: str


def end_episode(aim: EndEpisode, source: Source) -> Iterator[Candidate]:
    """Edits of the loop around step(), or around the only call of the function that calls step()
    and returns whether the episode has ended.
    """
    file = source.files.get(aim.place.file)
    statement = innermost(file, aim.place.line) if file else None
    if file is None or not isinstance(statement, ast.Assign | ast.Expr):
        return
    call, function = statement.value, function_at(file, aim.place.line)
    if not isinstance(call, ast.Call) or last_name(call.func) != "step":
        return
    stepped: Round | None
    if _loop_of(file, function, statement) is None and isinstance(statement, ast.Assign):
        stepped = _calling(file, function, statement)
    else:
        stepped = _named(file, function, statement, aim.is_old)
    receiver = ast.unparse(call.func).removesuffix(".step")
    yield _ended(file, stepped, receiver) if stepped is not None else ()


def play_first(aim: PlayFirst, source: Source) -> Iterator[Candidate]:
    """Edits that leave out a reset() whose result has no name, and the steps that follow it, or the
    methods of the object's own that do so.
    """
    file = source.files.get(aim.place.file)
    reset = innermost(file, aim.place.line) if file else None
    receiver = _calls(file, reset, "reset") if file else ""
    if file is None or reset is None or not receiver:
        return
    block = block_of(reset, file.tree)
    following = block[block.index(reset) + 1 :]
    steps = list(takewhile(lambda each: _calls(file, each, "step") == receiver, following))
    around = next((each for each in ast.walk(file.tree) if getattr(each, "body", 0) is block), None)
    if isinstance(around, ast.If) and not around.orelse and block == [reset, *steps]:
        yield (removed(file, around),)
    elif steps:
        yield tuple(removed(file, each) for each in (reset, *steps))


def _calls(file: File, statement: ast.stmt | None, method: str) -> str:
    """The text of the object whose method a statement calls, where nothing keeps the result: `self`
    where that is by a method of the same class.
    """
    call = statement.value if isinstance(statement, ast.Expr) else None
    function = call.func if isinstance(call, ast.Call) else None
    if not isinstance(function, ast.Attribute) or statement is None:
        return ""
    own = own_attribute(function)
    classes = [
        OwningClass(file, node)
        for node in file.classes.values()
        if own and node.lineno <= statement.lineno <= (node.end_lineno or 0)
    ]
    inner = classes[-1].method(own) if classes else None
    if inner is not None:
        calls = [node for node in ast.walk(inner) if isinstance(node, ast.Call)]
        held = {own_attribute(n.func.value) for n in calls if _is_method(n.func, method)} - {""}
        return f"self.{held.pop()}" if len(held) == 1 else ""
    return ast.unparse(function.value) if function.attr == method else ""


def _is_method(function: ast.expr, name: str) -> TypeGuard[ast.Attribute]:
    return isinstance(function, ast.Attribute) and function.attr == name


def _named(
    file: File, function: Function | None, statement: ast.Assign | ast.Expr, is_old: bool
) -> Round | None:
    """`_, _, terminated, truncated, _ = env.step(0)` for `env.step(0)`; a name that a value has
    stays.
    """
    names, lines = NAMES[is_old], statement_text(file, statement)
    texts = [UNNAMED] * len(names)
    if isinstance(statement, ast.Assign):
        target = statement.targets[0]
        texts = list(map(file.text_of, target.elts)) if isinstance(target, ast.Tuple) else []
    if texts[-1:] == [f"*{UNNAMED}"]:
        texts = [*texts[:-1], *[UNNAMED] * (len(names) - len(texts) + 1)]
    if len(texts) != len(names) or len(lines) > 1 or any(text[:1] == "*" for text in texts):
        return None
    pairs = list(zip(texts, names, strict=True))
    new = [name for text, name in pairs if text == UNNAMED != name]
    parts = [name if text == UNNAMED else text for text, name in pairs]
    if not set(new).isdisjoint(names_in(function or file.tree)):
        return None
    text = (f"{', '.join(parts)} = {file.text_of(statement.value)}",) if new else lines
    return Round(function, statement, text, " or ".join(parts[2:-1]))


def _calling(file: File, function: Function | None, statement: ast.Assign) -> Round | None:
    """The only call of a function that plays a step, and returns the third of its values."""
    target = statement.targets[0]
    flag = target.elts[2] if isinstance(target, ast.Tuple) and len(target.elts) > 3 else None
    if function is None or not isinstance(flag, ast.Name):
        return None
    returns = [each for each in ast.walk(function) if isinstance(each, ast.Return)]
    if returns != function.body[-1:] or file.text_of(returns[0]) != f"return {flag.id}":
        return None
    calls = [
        each
        for each in ast.walk(file.tree)
        if isinstance(each, ast.Call) and last_name(each.func) == function.name
    ]
    around = innermost(file, calls[0].lineno) if len(calls) == 1 else None
    if not isinstance(around, ast.Assign | ast.Expr) or around.value is not calls[0]:
        return None
    lines, calling = statement_text(file, around), function_at(file, around.lineno)
    if isinstance(around, ast.Assign):
        is_name = len(around.targets) == 1 and isinstance(around.targets[0], ast.Name)
        condition = file.text_of(around.targets[0])
        return Round(calling, around, lines, condition) if is_name else None
    if len(lines) > 1 or flag.id in names_in(calling or file.tree):
        return None
    return Round(calling, around, (f"{flag.id} = {lines[0]}",), flag.id)


def _ended(file: File, stepped: Round, receiver: str) -> Candidate:
    """Edits of the loop around a round: the last lines of its body look at the condition. What
    comes after the step is still done with it.
    """
    loop = _loop_of(file, stepped.function, stepped.statement)
    if loop is None or loop.orelse or not _comes_to_its_end(loop):
        return ()
    resets = [
        each
        for each in ast.walk(stepped.function or file.tree)
        if isinstance(each, ast.Assign | ast.Expr)
        and isinstance(each.value, ast.Call)
        and ast.unparse(each.value.func) == f"{receiver}.reset"
        and function_at(file, each.lineno) is stepped.function
    ]
    above = [each for each in resets if each.lineno < loop.lineno]
    if not above or len(above) < len(resets):
        return ()
    is_of_episode = _is_of_episode(file, stepped.function, loop, above[-1])
    line = "break" if is_of_episode else _reset_again(file, above[-1])
    last, check = loop.body[-1], (f"if {stepped.condition}:", f"{STEP}{line}")
    if last is stepped.statement:
        return (instead(file, last, (*stepped.text, *check)),)
    edit = instead(file, last, (*statement_text(file, last), *check))
    if stepped.text == statement_text(file, stepped.statement):
        return (edit,)
    return (instead(file, stepped.statement, stepped.text), edit)


def _loop_of(file: File, function: Function | None, statement: ast.stmt) -> Loop | None:
    """The innermost loop of a function, or of the module, around a statement."""
    loops = [
        each
        for each in ast.walk(function or file.tree)
        if isinstance(each, Loop)
        and any(node is statement for block in each.body for node in ast.walk(block))
        and function_at(file, each.lineno) is function
    ]
    return max(loops, key=lambda each: each.lineno, default=None)


def _comes_to_its_end(loop: Loop) -> bool:
    """Return True where each round that goes on comes to the end of the body."""
    nodes = [node for each in loop.body for node in ast.walk(each)]
    inner = {id(node) for each in nodes if isinstance(each, Loop) for node in ast.walk(each)}
    own = (each for each in nodes if isinstance(each, ast.Continue) and id(each) not in inner)
    return not any(own) and not isinstance(loop.body[-1], _LEAVING)


def _is_of_episode(file: File, function: Function | None, loop: Loop, reset: ast.stmt) -> bool:
    """Return True for a loop that plays one episode: a loop around it resets before it, or the
    function has its name after that.
    """
    around = _loop_of(file, function, loop)
    if around is not None:
        return reset.lineno >= around.lineno
    return function is not None and any(each in function.name for each in EPISODES)


def _reset_again(file: File, reset: ast.Assign | ast.Expr) -> str:
    """`state, _ = env.reset()`, as the script resets above: without the seed, which would bring the
    same episode again.
    """
    call = reset.value
    assert isinstance(call, ast.Call)
    others = (*call.args, *(each for each in call.keywords if each.arg != SEED))
    made = f"{file.text_of(call.func)}({', '.join(map(file.text_of, others))})"
    return f"{file.text_of(reset).partition(file.text_of(call))[0]}{made}"

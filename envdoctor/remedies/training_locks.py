"""Edits with which each event loop of a training has a lock, or a queue, of its own."""

from __future__ import annotations

import ast

from envdoctor.model.errors import Frame
from envdoctor.model.remedy import MEMBER, Edit
from envdoctor.model.training_aims import MendFailure
from envdoctor.remedies.needing import needed
from envdoctor.remedies.source import (
    CONSTRUCTOR,
    Candidate,
    File,
    Source,
    assignments,
    instead,
    own_attribute,
    replaced,
)

OF_LOOPS = ("Lock", "Event", "Condition", "Semaphore", "BoundedSemaphore", "Queue")
RUNNING = "asyncio.get_running_loop()"


def lock_of_loop(file: File, aim: MendFailure) -> Candidate:
    """A lock that belongs to an event loop is made anew for each: asyncio.run() makes a loop for
    each call. The class around the line that raised makes one, when it is first wanted, or in its
    constructor.
    """
    around = Source({file.path: file}, "", file.path).around(Frame(aim.place.file, aim.place.line))
    made = [
        (node, target, value)
        for node in (ast.walk(around[0].node) if around else ())
        if isinstance(node, ast.Assign)
        for target, value in assignments(node)
        if target in node.targets and own_attribute(target) and isinstance(value, ast.Call)
        if file.full_name(value.func) in {f"asyncio.{name}" for name in OF_LOOPS}
    ]
    if around is None or len(made) != 1 or len(made[0][0].targets) != 1:
        return ()
    (statement, target, value), owner = made[0], around[0]
    name = own_attribute(target)
    tests = [
        node.test
        for node in ast.walk(owner.node)
        if isinstance(node, ast.If) and node.body == [statement]
    ]
    loop = f"_loop_of_{name.lstrip('_')}"
    if tests:
        test = f'getattr(self, "{loop}", None) is not {RUNNING}'
        line = f"{file.text_of(target)}, self.{loop} = {file.text_of(value)}, {RUNNING}"
        edits = (*replaced(file, [(tests[0], test)]), instead(file, statement, (line,)))
        return edits if len(edits) == 2 else ()
    constructor = owner.methods.get(CONSTRUCTOR)
    if constructor is None or statement not in constructor.body or value.args or value.keywords:
        return ()
    lines = (
        "@property",
        f"def {name}(self):",
        '    """That of the event loop that runs: asyncio.run() makes a loop for each call."""',
        f"    return self.{loop}.setdefault({RUNNING}, {file.text_of(value)})",
    )
    kept = f"self.{loop} = weakref.WeakKeyDictionary()"
    edit = instead(file, statement, (kept,))
    return (edit, Edit(file.path, MEMBER, lines, owner.name), *needed(file, (kept,)))

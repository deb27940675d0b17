"""Locks that a thread of the parent held when a process was forked: they stay held in it.

The source says which lock a line waits for, and in the blocks of which locks another line is.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import PurePath

from envdoctor.discovery.syntax import imported, parsed
from envdoctor.model.finding import Location
from envdoctor.model.training_calls import HeldLock, LostThread
from envdoctor.rules.evidence.stacks import parse_stacks

LIBRARY = "/threading.py"
ACQUIRE, RELEASE = "acquire", "release"
#: Methods of a condition that give its lock back while they wait, the innermost first.
WAITS = (("wait",), ("wait", "wait_for"))
OWNERS = ("self", "cls")


def held_before(pid: int, stacks: str, threads: Sequence[LostThread]) -> HeldLock | None:
    """The lock that the main thread of a process waits for, where one of the `threads` of its
    parent was in a block of it when the process was forked.
    """
    frame, wanted = _wanted(stacks) if threads else (None, [])
    for thread in threads if wanted else ():
        for at, outer in enumerate(thread.frames):
            if frame is None or _gives_back(thread.frames[:at]):
                continue
            held = around(_tree(outer.file), outer.line)
            known = {_full(each, frame.file, outer.file) for each in held}
            for lock in wanted:
                if _full(lock, outer.file, frame.file) in known - {""}:
                    return HeldLock(pid, lock, thread)
    return None


def _wanted(stacks: str) -> tuple[Location | None, list[str]]:
    """The innermost frame of the main thread that is not of `threading`, and the locks that its
    line acquires.
    """
    threads = parse_stacks(stacks)
    frames = (frame for frame in (threads[0] if threads else ()) if not _is_library(frame))
    frame = next(frames, None)
    return frame, [] if frame is None else list(acquired(_tree(frame.file), frame.line))


def _gives_back(inner: Sequence[Location]) -> bool:
    """Return whether the frames inside of another one wait for a condition, without its lock."""
    return tuple(each.function for each in inner) in WAITS and all(map(_is_library, inner))


def _is_library(frame: Location) -> bool:
    return frame.file.replace("\\", "/").endswith(LIBRARY)


@cache
def _tree(file: str) -> ast.AST:
    """The source of a file; an empty one where it cannot be read."""
    return parsed("".join(linecache.getlines(file)))


def acquired(tree: ast.AST, line: int) -> Iterator[str]:
    """The locks that a line acquires, as it names them: `with LOCK`, or `LOCK.acquire()`."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.With, ast.AsyncWith)):
            yield from (
                _name(item.context_expr)
                for item in node.items
                if item.context_expr.lineno == line and _name(item.context_expr)
            )
        elif getattr(node, "lineno", 0) == line:
            yield from _called(node, ACQUIRE)


def around(tree: ast.AST, line: int) -> Iterator[str]:
    """The locks in whose blocks a line is: of a `with`, or of a `try` that releases one."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.With, ast.AsyncWith)) and _has(node.body, line):
            if node.body[0].lineno > node.lineno:
                yield from filter(None, (_name(item.context_expr) for item in node.items))
        elif isinstance(node, ast.Try) and _has(node.body, line):
            for each in node.finalbody:
                yield from (name for part in ast.walk(each) for name in _called(part, RELEASE))


def _has(body: Sequence[ast.stmt], line: int) -> bool:
    return bool(body) and body[0].lineno <= line <= (body[-1].end_lineno or 0)


def _called(node: ast.AST, method: str) -> Iterator[str]:
    """`LOCK` of a call `LOCK.acquire()`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = _name(node.func.value) if node.func.attr == method else ""
        if name:
            yield name


def _name(node: ast.AST) -> str:
    """`engine.LOCK` of a name, or of an attribute of one; nothing of any other expression."""
    is_name = isinstance(node, ast.Name)
    is_attribute = isinstance(node, ast.Attribute) and bool(_name(node.value))
    return ast.unparse(node) if is_name or is_attribute else ""


def _full(lock: str, other: str, file: str) -> str:
    """A lock that a file names, as another one may name it: with the module that has it. What is an
    attribute of an object has no name elsewhere.
    """
    if file == other:
        return lock
    if lock.split(".", maxsplit=1)[0] in OWNERS:
        return ""
    first, _, rest = lock.partition(".")
    module = PurePath(file).stem
    path = imported(_tree(file), module).get(first, f"{module}.{first}")
    return ".".join([*path.split("."), *filter(None, [rest])][-2:])

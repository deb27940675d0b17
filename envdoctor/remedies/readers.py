"""Edits that end a thread which reads from a socket: what closes the socket shuts it down before,
since close() alone does not wake who reads from it, and waits for the thread after that.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from envdoctor.discovery.syntax import argument
from envdoctor.model.remedy import LAST, TOP, Edit
from envdoctor.remedies.acquisition import AcquiredResource
from envdoctor.remedies.applying import STEP
from envdoctor.remedies.calls import BOUND
from envdoctor.remedies.needing import bound_names, needed
from envdoctor.remedies.source import (
    Candidate,
    File,
    Function,
    OwningClass,
    Source,
    instead,
    own_attribute,
)

READING = ("makefile", "recv", "recv_into", "recvfrom", "accept")
SOCKET = "socket"


def stop_reading(source: Source, acquisition: AcquiredResource, ending: str) -> Candidate:
    """Edits of the method `ending` of the class that starts the thread, for a thread that one of
    its methods is the target of.
    """
    value, names = acquisition.value, acquisition.attributes[:1]
    target = argument(value, "target", 1) if isinstance(value, ast.Call) else None
    reading = source.method(own_attribute(target))
    closing = source.method(ending)
    sockets = list(dict.fromkeys(_read_sockets(source, reading[1]))) if reading else []
    if closing is None or not names or len(sockets) != 1 or acquisition.several:
        return ()
    owner, method = closing
    if any(ast.unparse(node) == f"self.{names[0]}.join" for node in ast.walk(method)):
        return ()
    return _shut_down(owner, method, sockets[0], f"self.{names[0]}.join(timeout={BOUND})")


def _read_sockets(source: Source, method: Function) -> Iterator[str]:
    """The attributes with a socket that a method reads from."""
    for node in ast.walk(method):
        if isinstance(node, ast.Attribute) and node.attr in READING:
            name = own_attribute(node.value)
            if name and any(_is_socket(each.file, made) for each, made in source.assigned(name)):
                yield name


def _is_socket(file: File, value: ast.expr) -> bool:
    made = file.full_name(value.func) if isinstance(value, ast.Call) else ""
    return made.startswith(f"{SOCKET}.")


def _shut_down(owner: OwningClass, method: Function, name: str, join: str) -> Candidate:
    """The lines in place of `self.socket.close()`, or at the end of the method."""
    close = f"self.{name}.close()"
    shut = (
        "with contextlib.suppress(OSError):  # the other end may be gone",
        f"{STEP}self.{name}.shutdown(socket.SHUT_RDWR)",
    )
    lines = (*shut, close, join)
    closes = [each for each in method.body if ast.unparse(each) == close]
    edit = (
        instead(owner.file, closes[0], lines)
        if closes
        else Edit(owner.file.path, LAST, lines, owner.name, method.name)
    )
    bound = bound_names(owner.file)
    module = () if SOCKET in bound else (Edit(owner.file.path, TOP, (f"import {SOCKET}",)),)
    return (edit, *module, *needed(owner.file, lines))

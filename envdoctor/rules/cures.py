"""Lines to paste into the subject's own code, with its own names. Where a name is not known there are none, and words have to do."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from envdoctor.model.events import ErrorValue
from envdoctor.rules.source import Use, is_statement, single_attribute, use_in
from envdoctor.rules.view import View

Lines = tuple[str, ...]
Frame = Mapping[str, Any]

CLOSABLE = ("open", "socket", "create_connection", "create_server", "TemporaryFile", "NamedTemporaryFile", "mmap")
SERVERS = ("TCPServer", "UDPServer", "HTTPServer", "ThreadingHTTPServer", "ThreadingTCPServer")
MAX_PLACES = 3
BOUND = 5.0  # seconds that a cure waits


def release(view: View, what: str, places: list[dict[str, Any]]) -> Lines:
    """How close() gives back what was taken at these places, each of which is a frame with its text."""
    snippets = [_release(view, what, place) for place in places[:MAX_PLACES]]
    return tuple(line for snippet in dict.fromkeys(snippets) for line in snippet)


def _release(view: View, what: str, place: Frame) -> Lines:
    use, owner = use_in(str(place.get("text") or "")), owner_of(view, place)
    calls = RELEASES[what](replace(use, stop=str(place.get("stop") or ""))) if use and owner else ()
    if not use or not calls:
        return ()
    where = f"in {owner}.close()" if owner == view.class_name else f"in {owner}, from what {view.class_name}.close() calls"
    body = tuple(f"    {call}" for call in (*calls, f"self.{use.name} = None"))
    return (f"# {where}", f'if getattr(self, "{use.name}", None) is not None:', *body)


def take_later(view: View, places: list[dict[str, Any]]) -> Lines:
    """How reset() takes, once, what the constructor took at these places; nothing where a line is not a whole assignment of its own."""
    uses = [(use_in(str(place.get("text") or "")), place) for place in places[:MAX_PLACES]]
    taken = {use.name: str(place["text"]) for use, place in uses if use and use.sets and _is_own(view, place) and is_statement(place["text"])}
    given = tuple(f"self.{name} = None  # in {view.class_name}.__init__()" for name in taken)
    later = [line for name, text in taken.items() for line in (f"if self.{name} is None:", f"    {text}")]
    return (*given, f"# in {view.class_name}.reset()", *later) if taken else ()


def _is_own(view: View, place: Frame) -> bool:
    return owner_of(view, place) == view.class_name


def owner_of(view: View, place: Frame) -> str:
    """The class whose method a frame is in; nothing where that is not known."""
    names = str(place.get("function") or "").split(".")
    if len(names) > 1:
        return "" if names[-2] == "<locals>" else names[-2]
    methods = (view.survey.get("methods") or {}).values()
    own = any((method["file"], method["line"]) == (place.get("file"), place.get("first")) for method in methods)
    return view.class_name if own else ""


def _close(use: Use) -> Lines:
    if use.sets and use.call == "open" and use.of == "os":
        return (f"os.close(self.{use.name})",)
    return (f"self.{use.name}.close()",) if use.sets and use.call in CLOSABLE else ()


def _stop_listening(use: Use) -> Lines:
    if use.sets and use.call in SERVERS:
        return (f"self.{use.name}.server_close()",)
    return (f"self.{use.name}.close()",) if not use.sets and use.call == "bind" else _close(use)


def _join(use: Use) -> Lines:
    if use.sets or use.call not in ("start", "submit"):
        return ()
    if use.call == "submit":
        return (f"self.{use.name}.shutdown()",)
    tell = f"self.{use.stop}.set()" if use.stop else "# tell it to end here: it has to look at an event between its steps"
    return (tell, f"self.{use.name}.join(timeout={BOUND})")


def _terminate(use: Use) -> Lines:
    if use.sets and use.call == "Popen":
        return (f"self.{use.name}.terminate()", f"self.{use.name}.wait(timeout={BOUND})")
    return (f"self.{use.name}.terminate()", f"self.{use.name}.join(timeout={BOUND})") if not use.sets and use.call == "start" else ()


def _bury(use: Use) -> Lines:
    return (f"self.{use.name}.wait(timeout={BOUND})",) if use.sets and use.call == "Popen" else ()


def _remove(use: Use) -> Lines:
    if not use.sets:
        return ()
    if "mkdtemp" in (use.call, use.inner):
        return (f"shutil.rmtree(self.{use.name}, ignore_errors=True)",)
    if use.call == "TemporaryDirectory":
        return (f"self.{use.name}.cleanup()",)
    return (f"self.{use.name}.close()", f"os.unlink(self.{use.name}.name)") if use.call == "NamedTemporaryFile" else ()


RELEASES: dict[str, Callable[[Use], Lines]] = {
    "descriptor": _close, "port": _stop_listening, "thread": _join, "process": _terminate, "zombie": _bury, "file": _remove,
}  # fmt: skip


def frame_in_close(error: ErrorValue | None) -> Frame | None:
    """The innermost frame of an error that is in a method close()."""
    frames = [frame for frame in (error or {}).get("frames") or () if str(frame.get("function", "")).split(".")[-1] == "close"]
    return frames[-1] if frames else None


def skip_what_is_gone(view: View, error: ErrorValue | None) -> Lines:
    """How close() skips what was never made, or was closed before; nothing where its line is not plain."""
    frame = frame_in_close(error)
    text = str((frame or {}).get("text") or "")
    name = single_attribute(text)
    if not name or not frame:
        return ()
    missing = re.search(r"has no attribute '(\w+)'", str((error or {}).get("message", "")))
    never_set = missing is not None and missing[1] == name
    first = (f"self.{name} = None  # in {view.class_name}.__init__()",) if never_set else ()
    forget = () if text.startswith("del ") else (f"    self.{name} = None",)
    return (*first, f"if self.{name} is not None:  # in close(), around line {frame['line']}", f"    {text}", *forget)


def report_and_go_on(error: ErrorValue | None) -> Lines:
    """How close() goes on after an error; nothing where its line is not a whole statement."""
    frame = frame_in_close(error)
    text = str((frame or {}).get("text") or "")
    if not frame or not is_statement(text):
        return ()
    module, _, kind = str((error or {}).get("type", "")).rpartition(".")
    caught = kind if module == "builtins" else "Exception"
    return (f"try:  # in close(), around line {frame['line']}", f"    {text}", f"except {caught} as error:",
            '    warnings.warn(f"close() goes on: {error}", stacklevel=2)')  # fmt: skip


def forget_in_container(view: View, chain: str) -> Lines:
    """How an instance leaves the container of a module or class that a chain ends in, where the kind of container is plain."""
    container = re.fullmatch(r"([\w.]+)(?:\[('[\w -]+'|\"[\w -]+\")\]|\.(<member>))", chain)
    if not container:
        return ()
    holder, key = _as_seen_there(view, container[1]), container[2]
    return (f"{holder}.pop({key}, None)" if key else f"{holder}.discard(self)",)


def clear(view: View, chain: str, method: str = "close") -> Lines:
    """How a container of a module, class or instance that grows is emptied."""
    if not re.fullmatch(r"\w+(\.\w+)+", chain):
        return ()
    return (f"{_as_seen_there(view, chain)}.clear()  # in {view.class_name}.{method}(), once nobody needs what is in it",)


def _as_seen_there(view: View, expression: str) -> str:
    """Without the name of the module that the environment's class stands in."""
    module = str(view.survey.get("env_class") or "").rpartition(".")[0]
    return expression[len(module) + 1 :] if module and expression.startswith(f"{module}.") else expression

"""The statements that release one kind of thing."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from envdoctor.remedies.acquisition import MAKES_FOLDER, AcquiredResource, Lines
from envdoctor.remedies.containers import removing
from envdoctor.remedies.source import Source, last_name
from envdoctor.remedies.telling import ending_method, tell

POPEN = "subprocess.Popen"
STREAMS, PIPE = ("stdin", "stdout", "stderr"), "PIPE"
BOUND = 5.0  # seconds that close() waits for what it ends
SERVERS = ("TCPServer", "UDPServer", "HTTPServer", "ThreadingHTTPServer", "ThreadingTCPServer")
POOLS = ("Pool", "ThreadPool")
DESCRIPTORS = ("os.open", "os.dup", "os.memfd_create", "os.eventfd", "os.epoll_create")
PLAIN_PATH = re.compile(r"self\.\w+")
PAIRS = ("os.pipe", "os.pipe2", "os.openpty", "pty.openpty")


def _close(acquisition: AcquiredResource) -> Lines:
    names = acquisition.attributes
    if acquisition.call == POPEN:
        return tuple(f"self.{names[0]}.{pipe}.close()" for pipe in _pipes(acquisition) if names)
    if acquisition.call in DESCRIPTORS or acquisition.call in PAIRS:
        return tuple(f"os.close(self.{name})" for name in names)
    if acquisition.call == "tempfile.mkstemp":
        return (f"os.close(self.{names[0]})",) if names else ()
    return tuple(f"self.{name}.close()" for name in names)


def _pipes(acquisition: AcquiredResource) -> list[str]:
    """The pipes that a program is started with."""
    keywords = acquisition.value.keywords if isinstance(acquisition.value, ast.Call) else []
    return [each.arg for each in keywords if each.arg in STREAMS and last_name(each.value) == PIPE]


def _stop_listening(acquisition: AcquiredResource) -> Lines:
    call = "server_close" if acquisition.call.rpartition(".")[2] in SERVERS else "close"
    return tuple(f"self.{name}.{call}()" for name in acquisition.attributes)


def _end_pool(acquisition: AcquiredResource) -> Lines:
    names = acquisition.attributes
    return (f"self.{names[0]}.terminate()", f"self.{names[0]}.join()") if names else ()


def _terminate(acquisition: AcquiredResource) -> Lines:
    kind = acquisition.call.rpartition(".")[2]
    if not acquisition.attributes or kind in POOLS:
        return _end_pool(acquisition)
    name = acquisition.attributes[0]
    wait = "wait" if kind == "Popen" else "join"
    return (f"self.{name}.terminate()", f"self.{name}.{wait}(timeout={BOUND})")


def _wait(acquisition: AcquiredResource) -> Lines:
    wait = "wait" if acquisition.call.endswith("Popen") else "join"
    return tuple(f"self.{name}.{wait}(timeout={BOUND})" for name in acquisition.attributes)


def _remove(acquisition: AcquiredResource) -> Lines:
    names, kind = acquisition.attributes, acquisition.call.rpartition(".")[2]
    if names and kind == "mkstemp":
        closing = (f"os.close(self.{names[0]})",) if len(names) > 1 else ()
        return (*closing, f"os.unlink(self.{names[-1]})")
    folder = _folder_around(acquisition)
    if folder:
        return (f"shutil.rmtree({folder}, ignore_errors=True)",)
    if names and ("mkdtemp" in _called_within(acquisition.value) or kind in MAKES_FOLDER):
        return (f"shutil.rmtree(self.{names[0]}, ignore_errors=True)",)
    if names and kind == "TemporaryDirectory":
        return (f"self.{names[0]}.cleanup()",)
    if names and kind == "NamedTemporaryFile":
        return (f"self.{names[0]}.close()", f"os.unlink(self.{names[0]}.name)")
    path = _path_in(acquisition)
    if not path:
        return ()
    closing = (f"self.{names[0]}.close()",) if names and kind in ("open", "connect") else ()
    if names and acquisition.call == "open" and not PLAIN_PATH.fullmatch(path):
        path = f"self.{names[0]}.name"  # what the path is made of may be another by then
    return (*closing, f"if os.path.exists({path}):", f"    os.unlink({path})")


def _folder_around(acquisition: AcquiredResource) -> str:
    """The folder of the only file that an attribute has the path of: what mkdtemp() returned, in
    `os.path.join(tempfile.mkdtemp(), "log")` and in `Path(tempfile.mkdtemp()) / "log"`.
    """
    value, name = acquisition.value, next(iter(acquisition.attributes), "")
    first: ast.expr | None = None
    rest: ast.expr | None = None
    pattern = f"os.path.dirname(self.{name})"
    if acquisition.call == "os.path.join" and isinstance(value, ast.Call) and len(value.args) == 2:
        first, rest = value.args
    elif isinstance(value, ast.BinOp) and isinstance(value.op, ast.Div):
        first, rest, pattern = value.left, value.right, f"self.{name}.parent"
    texts = (each.value for each in ast.walk(rest or ast.Pass()) if isinstance(each, ast.Constant))
    is_name = isinstance(rest, ast.Constant | ast.JoinedStr) and "/" not in "".join(map(str, texts))
    return pattern if name and is_name and "mkdtemp" in _called_within(first) else ""


def _unlink(acquisition: AcquiredResource) -> Lines:
    names = acquisition.attributes[:1] if acquisition.call.endswith("SharedMemory") else ()
    return tuple(f"self.{name}.{call}()" for name in names for call in ("close", "unlink"))


def _called_within(value: ast.expr | None) -> set[str]:
    """The last names of all that an expression calls: `Path(tempfile.mkdtemp())`."""
    nodes = ast.walk(value) if value is not None else ()
    return {last_name(node.func) for node in nodes if isinstance(node, ast.Call)}


def _path_in(acquisition: AcquiredResource) -> str:
    """The expression of the path that a statement writes to, where close() can say it, too."""
    value = acquisition.value
    if not isinstance(value, ast.Call):
        return ""
    writes = last_name(value.func) in ("write_text", "write_bytes", "touch")
    path = value.func.value if writes and isinstance(value.func, ast.Attribute) else None
    if path is None and value.args and last_name(value.func) in ("open", "connect"):
        path = value.args[0]
    if path is None:
        return ""
    names = {node.id for node in ast.walk(path) if isinstance(node, ast.Name)}
    module = {*acquisition.owner.file.imported, "self", "str"}
    return ast.unparse(path) if "self" in names and names <= module else ""


CALLS: dict[str, Callable[[AcquiredResource], Lines]] = {
    "descriptor": _close,
    "port": _stop_listening,
    "thread": _end_pool,
    "process": _terminate,
    "zombie": _wait,
    "file": _remove,
    "segment": _unlink,
    "container": removing,
}


def waiting(thread: str, method: str) -> Lines:
    """The statements that wait for a thread which `method` started. One that was to be started by a
    reset() which failed was not, and cannot be waited for.
    """
    joining = f"{thread}.join(timeout={BOUND})"
    if method == "__init__":
        return (joining,)
    return (f"if {thread}.is_alive():", f"    {joining}")


def calls(source: Source, what: str, acquisition: AcquiredResource) -> Lines:
    """The statements that release what was taken; none where they are not known."""
    names = [f"self.{name}" for name in acquisition.attributes]
    value = acquisition.value
    own = source.class_made_by(value)
    ending = ending_method(own)
    if names and own is not None and what != "thread":
        return (f"{names[0]}.{ending}()",) if ending else ()
    if what == "thread" and names and acquisition.call.rpartition(".")[2] not in POOLS:
        if acquisition.call.endswith("Executor"):
            return (f"{names[0]}.shutdown()",)
        statement = tell(source, acquisition.attributes[0])
        return (statement, *waiting(names[0], acquisition.method.name)) if statement else ()
    return CALLS[what](acquisition)

"""The exception that ends a process, as its own code was left by it: of a script at its exit, of a
worker of multiprocessing when it has run. That which ends a thread or a task is journaled, too, and
that which a call of an environment, or the start of a vectorizer, raised.
"""

from __future__ import annotations

import atexit
import os
import re
import sys
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Dict, Iterator, List, Optional, Set, Tuple

from envdoctor.model.page import AT_RAISE, METHODS, RAISED, UNMADE, WIDTH
from envdoctor.model.page import FIRST as FIRST_ROW
from envdoctor.probe import loaded
from envdoctor.probe.journal import encoded
from envdoctor.probe.live import terminations
from envdoctor.probe.live.counted import passing
from envdoctor.probe.live.error_details import detail_of
from envdoctor.probe.live.given_actions import misfit_of_action
from envdoctor.probe.live.rows import MAKE
from envdoctor.probe.live.unpickled import sent
from envdoctor.probe.ownership import Ownership

if TYPE_CHECKING:
    from types import ModuleType

    from envdoctor.probe.live.boot import Hook
    from envdoctor.probe.live.instances import WatchedInstances


LONGEST = 300  # characters of a message
MOST_FRAMES = 32
FIRST = 1 << 20  # among the finalizers of multiprocessing
SPAWN, SCRIPT = "multiprocessing.spawn", "__mp_main__"  # its module, and the script's in a worker
CALLS, SEND = ("reset", "step"), "send"
LOOPS = "asyncio"
PLACE = ("file", "line", "function")
REQUESTS = (SystemExit, KeyboardInterrupt, GeneratorExit)
ATEXIT, FINALIZER, LATE, TASK = "atexit", "__del__", "__del__ at exit", "task"
AGAIN, CALLER = "again", "caller"
RETURNED = "envdoctor.probe.live.returned_observations"
REMOTE = ("RemoteTraceback", "_RemoteTraceback")  # what pools raise an exception of a worker from
TRACEBACK, TEXT = "Traceback (most recent call last)", "text"  # in what an actor's error says
LINE = re.compile(r'File "(.+)", line (\d+), in (.+)')
MOST_IGNORED = 16  # lines of a process

_ignored: Set[Tuple[int, Tuple[str, int, str]]] = set()


def ends_script(hook: Hook, error: BaseException) -> None:
    """Journal what ended the script: nothing above it has caught it."""
    traceback = error.__traceback__
    if traceback is not None and traceback.tb_frame.f_back is None:
        if isinstance(error, KeyboardInterrupt):
            _tell(hook, error, frames=_frames(error))
            return
        name, method, caller = _sent(error) or _call_of_unfollowed(error)
        caller = caller or _runner_of_loop(error)
        origin = _remote(error)
        method = method or (TEXT if origin and not _is_pooled(error) else "")
        entries = list(_entries(error))
        detail = detail_of(hook, error, entries)
        detail = detail or hook.load(RETURNED).misfit_of_observation(hook, error, entries)
        detail = detail or _wrapped_again(entries) or _caller(error)
        keys: Dict[str, object] = {"method": method, "given": name, "called_at": caller}
        _tell(hook, error, "raised", origin=origin, detail=detail, **keys)


def follow_printed(hook: Hook) -> None:
    """Journal the exceptions that Python prints: those that end threads, and those that nothing can
    catch. Nothing of ours reaches the user.
    """

    def ends_thread(ending: object) -> None:
        try:
            _ends_thread(hook, getattr(ending, "exc_value", None))
        except Exception as error:
            hook.complain(type(error).__name__)

    def is_ignored(report: object) -> None:
        try:
            _is_ignored(hook, report)
        except Exception:  # while the interpreter is taken apart nothing can be said
            return

    for owner, name, call in (
        (loaded.module("threading"), "excepthook", ends_thread),
        (sys, "unraisablehook", is_ignored),
    ):
        original = getattr(owner, name, None)
        if callable(original):
            setattr(owner, name, passing(original, call))


def _ends_thread(hook: Hook, error: Optional[BaseException]) -> None:
    if error is not None and not isinstance(error, REQUESTS):
        _tell(hook, error, "thread-raised")


def _is_ignored(hook: Hook, report: object) -> None:
    """Journal an exception that nothing can catch, the first of each line: of a handler of atexit,
    or of a `__del__`, also while the interpreter is taken apart.
    """
    error = getattr(report, "exc_value", None)
    at_exit = "in atexit callback" in (getattr(report, "err_msg", None) or "")
    is_finalizer = getattr(getattr(report, "object", None), "__name__", "") == FINALIZER
    if error is None or not (at_exit or is_finalizer):
        return
    method = ATEXIT if at_exit else LATE if sys.is_finalizing() else FINALIZER
    _tell_ignored(hook, error, _places(error), method=method)


def ends_task(hook: Hook, name: str, error: BaseException) -> None:
    """Journal the exception of a task, by the name of its coroutine, that nothing retrieved."""
    if not isinstance(error, REQUESTS):
        first = [_place(frame.f_code, line) for frame, line in _entries(error)][:1]
        _tell_ignored(hook, error, _places(error) or first, method=TASK, given=name)


def _tell_ignored(
    hook: Hook, error: BaseException, places: List[Tuple[str, int, str]], **more: object
) -> None:
    if not places or len(_ignored) >= MOST_IGNORED:
        return
    handler = places[0]  # what it calls may be written to be used otherwise
    if (os.getpid(), handler) not in _ignored:
        _ignored.add((os.getpid(), handler))
        frame, origin = dict(zip(PLACE, handler)), dict(zip(PLACE, places[-1]))
        _tell(hook, error, "ignored", frame=frame, origin=origin, **more)


def ends_call(instances: WatchedInstances, at: int, error: BaseException) -> None:
    """Journal what a call of an instance raised, whose counts are at a place of the page."""
    if isinstance(error, REQUESTS):
        return
    row, column = divmod(at, WIDTH)
    method = next(name for name, first in METHODS.items() if first == column)
    raised = UNMADE if method == "make" else RAISED
    numbers, start = instances.page.numbers, row * WIDTH
    keys = {"page": instances.name, "row": row - FIRST_ROW + 1, "method": method}
    keys.update(number=numbers[start + raised], calls=numbers[start + AT_RAISE])
    place = _closed_before(instances, start, method)
    closed = {"closed_at": dict(zip(PLACE, place))} if place else {}
    detail = misfit_of_action(instances.hook, error) if method == "step" and not place else {}
    _tell(instances.hook, error, "call-raised", detail=detail, **keys, **closed)


def _closed_before(
    instances: WatchedInstances, start: int, method: str
) -> Optional[Tuple[str, int, str]]:
    """Return where the only instance of a row was closed before the call that raises now. A close()
    that raises has closed nothing before itself.
    """
    rows = instances.at(start)
    if len(rows) != 1 or rows[0].open:
        return None
    place: Optional[Tuple[str, int, str]] = rows[0].closed_at
    return None if method == "close" and place == instances.where()[0] else place


def ends_launch(
    instances: WatchedInstances, kind: type, args: Tuple[object, ...], error: BaseException
) -> None:
    """Journal that a vectorizer of a class could not be made, which was given instances."""
    lists = [each for each in args if isinstance(each, (list, tuple))]
    classes = [
        type(obj)
        for each in lists
        for obj in each
        if instances.follows(obj) or instances.wraps(type(obj))
    ]
    if classes and not isinstance(error, REQUESTS):
        keys = {"by": kind.__name__, "number": len(classes), "given": classes[0].__name__}
        _tell(instances.hook, error, "launch-raised", **keys)


def take(hook: Hook, util: ModuleType) -> None:
    """Have each worker of multiprocessing journal what ends it; `util` is the module of that, which
    waits at the exit of a process for its children: what ends the script is journaled before. So is
    the line that ends a worker.
    """
    atexit.register(hook.exits)
    terminations.follow(hook, util.process)

    def begun(_: object) -> None:
        util.Finalize(None, _ended, (hook,), exitpriority=FIRST)

    util.register_after_fork(hook, begun)
    begun(None)  # a spawned worker keeps its finalizers, and runs nothing after a fork


def _ended(hook: Hook) -> None:
    """A worker has run: an exception that ends it is on its way. Nothing of ours reaches it."""
    error = sys.exc_info()[1]
    hook.ended = hook.ended or error is not None
    try:
        hook.tell_exit()
        if isinstance(error, KeyboardInterrupt):
            hook.write(encoded("watched", {"what": "woken"}))
        elif error is not None and not isinstance(error, REQUESTS):
            name, method, caller = _sent(error) or ("", "", None)
            keys: Dict[str, object] = {"method": method, "given": name, "called_at": caller}
            detail = detail_of(hook, error, _entries(error))
            _tell(hook, error, "raised", detail=detail, **keys)
    except Exception as ours:
        hook.complain(type(ours).__name__)


def _tell(hook: Hook, error: BaseException, what: str = "raised", **more: object) -> None:
    kind = type(error)
    frame, within = _frame(error)
    place = frame and dict(zip(PLACE, frame))
    text = str(error)
    lines = text.rstrip().splitlines() if TRACEBACK in text else [text]
    message = " ".join((lines or [""])[-1].split())
    message = message if len(message) <= LONGEST else message[: LONGEST - 3] + "..."
    name = kind.__name__ if kind.__module__ == "builtins" else "%s.%s" % _named(kind)
    keys: Dict[str, object] = {"what": what, "type": name, "message": message, "frame": place}
    hook.write(encoded("watched", {**keys, "within": within, **more}))


def _frames(error: BaseException) -> List[Dict[str, object]]:
    return [dict(zip(PLACE, place)) for place in _places(error)[-MOST_FRAMES:]]


def _places(error: BaseException) -> List[Tuple[str, int, str]]:
    """The lines of the user's code that an exception left, the innermost last."""
    ownership = Ownership()
    return [
        _place(frame.f_code, line)
        for frame, line in _entries(error)
        if ownership.is_users(frame.f_code.co_filename)
    ]


def _entries(error: BaseException) -> Iterator[Tuple[FrameType, int]]:
    """The frames that an exception left, the innermost last, and their lines."""
    traceback = error.__traceback__
    while traceback is not None:
        yield traceback.tb_frame, traceback.tb_lineno
        traceback = traceback.tb_next


def _place(code: CodeType, line: int) -> Tuple[str, int, str]:
    return os.path.abspath(code.co_filename), line, code.co_name


def _call_of_unfollowed(error: BaseException) -> Tuple[str, str, Optional[Dict[str, object]]]:
    """The innermost call of reset() or step() that the exception left, and its class: one of the
    user's that has both, as an environment that inherits from no library has; or nothing. And the
    user's line that made the outermost of these calls.
    """
    ownership, name, method, caller = Ownership(), "", "", None
    for frame, line in _entries(error):
        code = frame.f_code
        if not ownership.is_users(code.co_filename):
            continue
        is_call = code.co_name in CALLS and code.co_argcount > 0
        kind = type(frame.f_locals.get(code.co_varnames[0]) if is_call else None)
        if is_call and all(callable(getattr(kind, call, None)) for call in CALLS):
            name, method = kind.__name__, code.co_name
        elif not name:
            caller = dict(zip(PLACE, _place(code, line)))
    return name, method, caller if name else None


def _caller(error: BaseException) -> Dict[str, object]:
    """The innermost line of the user's in another file than that which raised; empty where none
    is.
    """
    places = _places(error)
    others = [place for place in places if place[0] != places[-1][0]]
    return {"kind": CALLER, "frame": dict(zip(PLACE, others[-1]))} if others else {}


def _wrapped_again(entries: List[Tuple[FrameType, int]]) -> Dict[str, object]:
    """The class whose constructor was given what is wrapped in that class already, and the user's
    line that calls it; empty where none is.
    """
    ownership, caller = Ownership(), None
    for frame, line in entries:
        code, known = frame.f_code, frame.f_locals
        names = code.co_varnames[: code.co_argcount] if code.co_name == MAKE else ()
        kind = type(known.get(names[0])) if names else type(None)
        layers = [known.get(name) for name in names[1:]]
        for _ in range(loaded.MOST_LAYERS if caller else 0):
            if any(type(each) is kind and loaded.wrapped(each) is not None for each in layers):
                return {"kind": AGAIN, "names": [kind.__name__], "frame": caller}
            layers = [loaded.wrapped(each) for each in layers if each is not None]
        if ownership.is_users(code.co_filename):
            caller = dict(zip(PLACE, _place(code, line)))
    return {}


def _runner_of_loop(error: BaseException) -> Optional[Dict[str, object]]:
    """The user's line that runs the event loop which the exception left; nothing where none ran."""
    ownership, own = Ownership(), None
    for frame, line in _entries(error):
        if loaded.module_of(frame).partition(".")[0] == LOOPS:
            return own
        if ownership.is_users(frame.f_code.co_filename):
            own = dict(zip(PLACE, _place(frame.f_code, line)))
    return None


def _sent(error: BaseException) -> Optional[Tuple[str, str, Optional[Dict[str, object]]]]:
    """The part that cannot be sent to another process, and the user's line that sends it."""
    part, lines = sent(error, _entries(error), Ownership().is_users)
    return next(((part, SEND, dict(zip(PLACE, _place(each.f_code, n)))) for each, n in lines), None)


def _is_pooled(error: BaseException) -> bool:
    return type(error.__cause__).__name__ in REMOTE


def _remote(error: BaseException) -> Optional[Dict[str, object]]:
    """The innermost line of the user's code in the worker of a pool that raised it first, or in the
    traceback that its own text has, as the errors of actors have it.
    """
    if _is_pooled(error):
        text = str(getattr(error.__cause__, "tb", ""))
    elif (
        error.__cause__ is None and error.__context__ is None
    ):  # the text is not of one caught here
        text = str(error).partition(TRACEBACK)[2]
    else:
        return None
    ownership = Ownership()
    lines = [LINE.search(line) for line in text.splitlines()]
    own = [line for line in lines if line and ownership.is_users(line.group(1))]
    if not own:
        return None
    file, number, function = own[-1].groups()
    return dict(zip(PLACE, (os.path.abspath(file), int(number), function)))


def _named(kind: type) -> Tuple[str, str]:
    return kind.__module__, kind.__qualname__


def _frame(error: BaseException) -> Tuple[Optional[Tuple[str, int, str]], str]:
    """The innermost line of the user's code, or else the innermost line; and the module that raised
    it. Where that refuses to start workers while a worker imports the script, the script's line.
    """
    ownership = Ownership()
    own = last = script = None
    within = ""
    for frame, line in _entries(error):
        within = loaded.module_of(frame)
        last = _place(frame.f_code, line)
        own = last if ownership.is_users(frame.f_code.co_filename) else own
        script = last if within == SCRIPT else script
    return (script if within == SPAWN else None) or own or last, within

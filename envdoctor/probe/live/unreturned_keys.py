"""Keys of what a vectorizer returns at the end of an episode, which a line of the user's reads and
no step() has returned. No code of the user's runs for it.
"""

from __future__ import annotations

import ast
import linecache
import sys
from types import CodeType, FrameType, ModuleType
from typing import (
    TYPE_CHECKING,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Protocol,
    Set,
    Tuple,
)

from envdoctor.probe import loaded
from envdoctor.probe.live.counted import returning
from envdoctor.probe.live.missing_keys import index_of
from envdoctor.probe.ownership import frame_of

if TYPE_CHECKING:
    from envdoctor.probe.live.boot import Hook

STEP, GET = "step", "get"
VALUES = 5  # that step() returns, the infos as the last
ENDS = (2, 3)  # of these: terminated, and truncated
LEAST = 4  # ends that are seen before a key is missed
MOST_STEPS = 100_000  # of a process that are looked at
MOST_FRAMES = 16
#: Keys of infos at the end of an episode, and what says that the code knows several versions.
FINAL_OBSERVATIONS = ("final_obs", "final_observation", "terminal_observation")
FINAL_KEYS = (*FINAL_OBSERVATIONS, "final_info")
OTHER_WAYS = ("autoreset", "AutoresetMode", "NEXT_STEP", "'episode'", '"episode"')
VERSION = "__version__"


class Read(NamedTuple):
    """A key that a line of the user's reads of the infos."""

    key: str
    place: Tuple[str, int, str]


class LookedAtProcess(Protocol):
    """Instances of a process, of which something is journaled."""

    hook: Hook

    def tell(self, what: str, **keys: object) -> None:
        """Journal something."""

    def is_users(self, file: str) -> bool:
        """Return whether a file is the user's."""


class _Line:
    """A line that calls step(): the keys that are missed there so far, and the ends seen."""

    __slots__ = ("ends", "missed")

    def __init__(self, missed: Iterable[Read]) -> None:
        self.ends, self.missed = 0, tuple(missed)


class UnreturnedKeys:
    """The lines that call step() of one class of vectorizers."""

    def __init__(self, watched: LookedAtProcess) -> None:
        self._watched, self._steps = watched, 0
        self._lines: Dict[Tuple[str, int], _Line] = {}

    def returned(self, vectorizer: object, values: object) -> None:
        """A step() came back. Nothing of ours reaches the user."""
        if self._steps >= MOST_STEPS:
            return
        self._steps += 1
        try:
            self._take(vectorizer, values)
        except Exception as error:
            self._steps = MOST_STEPS
            self._watched.hook.complain(type(error).__name__)

    def _take(self, vectorizer: object, values: object) -> None:
        if type(values) is not tuple or len(values) != VALUES or type(values[-1]) is not dict:
            return
        package = type(vectorizer).__module__.partition(".")[0]
        frame = _caller(sys._getframe(1), package, self._watched.is_users)
        if frame is None:
            return
        code, at = frame.f_code, frame.f_lineno
        line = self._lines.get((code.co_filename, at))
        if line is None:
            line = self._lines[code.co_filename, at] = _Line(reads(code, at))
        if not line.missed:
            return
        if not values[-1].keys().isdisjoint(FINAL_KEYS):  # it resets in the same step
            line.missed = ()
            return
        line.ends += sum(int(values[end].sum()) for end in ENDS if hasattr(values[end], "sum"))
        if line.ends >= LEAST:
            self._tell(type(vectorizer).__name__, line)

    def _tell(self, name: str, line: _Line) -> None:
        """Enough ends were seen: what was not returned until then never is."""
        for each in line.missed:
            frame = frame_of(each.place)
            keys = {"message": each.key, "type": name, "number": line.ends, "frame": frame}
            self._watched.tell("unreturned-key", **keys)
        line.missed = ()


def follow_final_keys(watched: LookedAtProcess, hooks: object, module: ModuleType) -> None:
    """Have the keys journaled that are read at ends, and that no step() returned."""
    for name in getattr(hooks, "FINAL_KEYS", {}).get(module.__name__, ()):
        owner_name, _, method = name.partition(".")
        owner = getattr(module, owner_name)
        original = vars(owner).get(method)  # what counts its calls may be in its place already
        if callable(original):
            after = UnreturnedKeys(watched).returned
            type.__setattr__(owner, method, returning(original, after))


def _caller(
    frame: Optional[FrameType], package: str, is_users: Callable[[str], bool]
) -> Optional[FrameType]:
    """The user's frame that called step(); None where another library is between, which may add
    keys.
    """
    for _ in range(MOST_FRAMES):
        if frame is None:
            return None
        if is_users(frame.f_code.co_filename):
            return frame
        module = loaded.module_of(frame).partition(".")[0]
        if module not in (package, "envdoctor"):
            return None
        frame = frame.f_back
    return None


def reads(code: CodeType, line: int) -> Iterator[Read]:
    """The final keys that a function, or a module, reads of the infos that the step() at a line
    returns; nothing where it looks for another way, as code that knows several versions does.
    """
    lines = linecache.getlines(code.co_filename)
    source = "".join(lines)
    if VERSION in source or not any(key in source for key in FINAL_KEYS):
        return
    scope = _scope(ast.parse(source), line)
    first, last = getattr(scope, "lineno", 1), getattr(scope, "end_lineno", len(lines))
    if any(word in each for each in lines[first - 1 : last] for word in OTHER_WAYS):
        return
    names = {_infos(each) for each in ast.walk(scope) if _is_at(each, line)} - {""}
    known: List[Tuple[int, str, bool]] = sorted(_keys(scope, names))
    asked = {key for _, key, is_question in known if is_question}
    for number, key, is_question in known:
        is_of_observation = key in FINAL_OBSERVATIONS
        if not (is_of_observation and (is_question or key in asked)):
            yield Read(key, (code.co_filename, number, code.co_name))
            return


def _scope(tree: ast.AST, line: int) -> ast.AST:
    """The innermost function around a line, or the module."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    inner = [each for each in ast.walk(tree) if isinstance(each, kinds) and _is_at(each, line)]
    return max(inner, key=lambda each: each.lineno) if inner else tree


def _is_at(node: ast.AST, line: int) -> bool:
    first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
    return bool(first and first <= line <= (last or first))


def _infos(node: ast.AST) -> str:
    """The variable that gets the infos, of a line that takes five values of step()."""
    if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)):
        return ""
    target, called = node.targets[0], node.value.func
    is_step = isinstance(called, ast.Attribute) and called.attr == STEP
    parts = target.elts if is_step and isinstance(target, (ast.Tuple, ast.List)) else []
    last = parts[-1] if len(parts) == VALUES else None
    return last.id if isinstance(last, ast.Name) else ""


def _keys(scope: ast.AST, names: Set[str]) -> Iterator[Tuple[int, str, bool]]:
    """The lines at which final keys are read of variables, the keys, and whether the line asks
    first whether they are there.
    """
    for node in ast.walk(scope):
        owner, key, is_question = _read(node)
        if isinstance(owner, ast.Name) and owner.id in names and key in FINAL_KEYS:
            yield getattr(node, "lineno", 0), key, is_question


def _read(node: ast.AST) -> Tuple[Optional[ast.AST], str, bool]:
    """The node of which a key is read, the key, and whether it is asked for."""
    if isinstance(node, ast.Subscript):
        return node.value, _text(index_of(node)), False
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
        return node.comparators[0], _text(node.left), True
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        return (node.func.value if node.func.attr == GET else None), _text(node.args[0]), True
    return None, "", False


def _text(node: ast.AST) -> str:
    value = getattr(node, "value", None) if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str) else ""

"""The user's training script, run as a worker that is not forked runs it: under the name
`__mp_main__`, so that what stands below `if __name__ == "__main__":` does not run. From then on
multiprocessing takes it for the main module, and hands it to its workers.
"""

from __future__ import annotations

import ast
import contextlib
import sys
import types
from multiprocessing import process
from typing import Any, Dict, Iterator, List, Sequence

from envdoctor.probe.subject import copies
from envdoctor.probe.subject.guards import is_guard

MAIN = "__mp_main__"  # what multiprocessing calls it
MAX_BUILT = 5  # names that are reported
MAX_TEXT = 200  # characters of a line
TRAINS = ("main", "train", "run")  # functions of its own that a script calls to begin its work


def look_at(path: str) -> Dict[str, object]:
    """{path, guarded, calls}: whether the script has a guard, and the top-level call that
    begins its work ({line, text}, or None).
    """
    try:
        with open(copies.copy_of(path), encoding="utf-8", errors="replace") as source:
            text = source.read()
        tree = ast.parse(text)
    except (OSError, SyntaxError, ValueError):  # it will say so itself, when it runs
        return {"path": path, "guarded": True, "calls": None}
    lines = [node.lineno for node in tree.body if _calls_its_work(node)]
    return {
        "path": path,
        "guarded": any(map(is_guard, tree.body)),
        "calls": _line(text, lines[0]) if lines else None,
    }


def _calls_its_work(node: ast.stmt) -> bool:
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in TRAINS


def _line(text: str, number: int) -> Dict[str, object]:
    return {"line": number, "text": text.split("\n")[number - 1].strip()[:MAX_TEXT]}


def run(path: str, arguments: Sequence[str] = ()) -> None:
    """Run the script with these arguments, once a process. Raises what it raises."""
    if getattr(sys.modules.get(MAIN), "__file__", None) == path:
        return
    sys.argv = [path, *arguments]
    module = types.ModuleType(MAIN)
    with _as_in_a_worker():
        module.__dict__.update(run_top_level(path))
    sys.modules["__main__"] = sys.modules[MAIN] = module


def run_top_level(path: str) -> Dict[str, object]:
    """Run the top level, of the script's copy where it has one, and return what that defines."""
    copy = copies.copy_of(path)
    if copy == path:
        import runpy

        return runpy.run_path(path, run_name=MAIN)
    with open(copy, "rb") as file:
        code = compile(file.read(), path, "exec", dont_inherit=True)
    names: Dict[str, object] = {"__name__": MAIN, "__file__": path}
    exec(code, names)  # noqa: S102  # it is the user's own script
    return names


@contextlib.contextmanager
def _as_in_a_worker() -> Iterator[None]:
    """Context in which multiprocessing refuses to start further processes, with the sentence
    that a worker would end with.
    """
    current: Any = process.current_process()
    current._inheriting = True
    try:
        yield
    finally:
        del current._inheriting


def ran(path: str, seconds: float) -> Dict[str, object]:
    """{seconds, built: [{name, line, text}]}: environments and models that are there because
    the script was imported.
    """
    return {"seconds": seconds, "built": list(_built(path))[:MAX_BUILT]}


def _built(path: str) -> Iterator[Dict[str, object]]:
    module = sys.modules.get(MAIN)
    names = (
        [name for name, value in vars(module).items() if _is_work(value)]
        if module is not None
        else []
    )
    if names:
        with open(copies.copy_of(path), encoding="utf-8", errors="replace") as source:
            text = source.read()
        lines = _assigned(ast.parse(text))
        for name in names:
            if name in lines:  # else it was imported
                yield dict(_line(text, lines[name]), name=name)


def _is_work(value: object) -> bool:
    """Return whether it is an environment or an algorithm, not a class or module."""
    if isinstance(value, (type, types.ModuleType, types.FunctionType)):
        return False
    kind = type(value)
    return all(callable(getattr(kind, name, None)) for name in ("reset", "step")) or callable(
        getattr(kind, "learn", None)
    )


def _assigned(tree: ast.Module) -> Dict[str, int]:
    """{name: line} of what the top level assigns, the first time."""
    lines: Dict[str, int] = {}
    for node in tree.body:
        targets: List[ast.expr] = node.targets if isinstance(node, ast.Assign) else []
        for name in (
            inner.id
            for target in targets
            for inner in ast.walk(target)
            if isinstance(inner, ast.Name)
        ):
            lines.setdefault(name, node.lineno)
    return lines

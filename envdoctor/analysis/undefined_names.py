"""Names that a module uses and never defines, found by reading its text. Nothing of it is ever
imported here.

pyflakes finds candidates. Kept are those that a function looks up among the globals when it runs
and that neither the loaded module nor its builtins have: what a loop assigns later, what `exec` or
a star import brings and what an annotation names are not errors.
"""

from __future__ import annotations

import ast
import difflib
import dis
import inspect
import io
import re
import sys
import tokenize
import warnings
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict
from threading import Lock, Thread
from types import CodeType

from envdoctor.frameworks import DEFAULT
from envdoctor.model.facts import Sources, UndefinedName
from envdoctor.model.subject import SOURCE

MAX_BYTES = 1_000_000  # of one file
PATIENCE = 10.0  # seconds that the judging waits for the reading

#: What an interpreter of another age or a notebook has, and code asks for in branches of their own.
OF_OTHER_INTERPRETERS = frozenset(
    (
        "unicode",
        "xrange",
        "raw_input",
        "long",
        "basestring",
        "reduce",
        "unichr",
        "file",
        "cmp",
        "execfile",
        "buffer",
        "reload",
        "intern",
        "get_ipython",
        "display",
        "profile",
        "reveal_type",
        "WindowsError",
        "ExceptionGroup",
        "BaseExceptionGroup",
        "aiter",
        "anext",
        "_",
    )
)

#: What people call modules whose name is another.
ALIASES = {
    "np": "import numpy as np",
    "plt": "import matplotlib.pyplot as plt",
    "pd": "import pandas as pd",
    **dict(DEFAULT.aliases),
    "nn": "from torch import nn",
    "mp": "import multiprocessing as mp",
    "tf": "import tensorflow as tf",
}
LIBRARIES = frozenset(
    (
        "numpy",
        DEFAULT.package,
        "torch",
        "pygame",
        "cv2",
        "mujoco",
        "pybullet",
        "scipy",
        "matplotlib",
        "imageio",
        "psutil",
    )
)

_alone = Lock()  # filters on warnings are the whole program's

CATCHING = ("NameError", "Exception", "BaseException")


class UndefinedNames:
    """Reads the subject's files in a thread, while the doctor waits for the probe. `files` are
    those that hold its code.
    """

    def __init__(self, files: Sources) -> None:
        self._files = files
        self._undefined: list[UndefinedName] = []
        self._unread: list[str] = []
        self._read = 0
        self._thread = Thread(target=self._run, name="undefined-names", daemon=True)
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """True if all files were read."""
        return not self._thread.is_alive()

    def knowledge(self) -> dict[str, object]:
        """Return the input of the rules: `undefined`, and in `unjudged` the reason if the source
        cannot be judged.
        """
        self._thread.join(PATIENCE)
        if self._thread.is_alive():
            return {"unjudged": {SOURCE: "reading the source took too long"}}
        if not self._read:
            return {
                "unjudged": {
                    SOURCE: (
                        self._unread[0]
                        if self._unread
                        else "the environment has no source in Python"
                    )
                }
            }
        return {"undefined": [asdict(undefined) for undefined in self._undefined]}

    def _run(self) -> None:
        for module in self._files.modules:
            try:
                result = _quietly(module.file, {*module.names, *self._files.builtins})
                self._undefined += [
                    undefined
                    for undefined in result
                    if undefined.function.split(".")[0] not in module.others
                ]
                self._read += 1
            except (OSError, SyntaxError, UnicodeDecodeError, ValueError, RecursionError) as error:
                self._unread.append(
                    f"{module.file} cannot be read as Python"
                    f" {sys.version_info[0]}.{sys.version_info[1]}: {error}"
                )


def read(file: str) -> str:
    """The text of a source file. Raises OSError, SyntaxError (its encoding), UnicodeDecodeError."""
    with open(file, "rb") as source:
        return text_of(source.read(MAX_BYTES))


def text_of(data: bytes) -> str:
    """The text of these bytes of a source file, with a line feed after each line. Raises
    SyntaxError (its encoding), UnicodeDecodeError.
    """
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return io.IncrementalNewlineDecoder(None, translate=True).decode(data.decode(encoding), True)


def _quietly(file: str, known: Collection[str]) -> list[UndefinedName]:
    """Parse without Python's warnings on the style of a foreign text."""
    with _alone, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return undefined(file, read(file), known)


def undefined(file: str, text: str, known: Collection[str]) -> list[UndefinedName]:
    """The names that functions of `text` use and that are neither defined there nor `known` at
    run time. Raises SyntaxError.
    """
    from pyflakes import messages as pyflakes
    from pyflakes.checker import Checker  # 40 ms, in a thread that is not waited for

    tree = ast.parse(text)
    if _writes_globals(tree):
        return []
    messages = Checker(tree, file).messages
    candidates = {
        (str(message.message_args[0]), int(message.lineno))
        for message in messages
        if isinstance(message, pyflakes.UndefinedName)
    }
    candidates = {
        (name, line)
        for name, line in candidates
        if name not in known and name not in OF_OTHER_INTERPRETERS
    }
    if not candidates:
        return []
    guarded = set(_guarded_lines(tree))
    looked_up = _global_lookups(compile(text, file, "exec", dont_inherit=True))
    result = [
        (name, line, function)
        for name, line, function in looked_up
        if (name, line) in candidates and line not in guarded
    ]
    return [
        UndefinedName(name, file, line, function, cure(name), nearest(name, known))
        for name, line, function in dict.fromkeys(result)
    ]


def _global_lookups(code: CodeType, inside: bool = False) -> Iterator[tuple[str, int, str]]:
    """(name, line, function) of each global that a function reads. What modules and classes
    read was read when they were imported.
    """
    if inside and code.co_name != "__annotate__":
        for instruction in dis.get_instructions(code):
            line = instruction.positions.lineno if instruction.positions else None
            if instruction.opname == "LOAD_GLOBAL" and line is not None:
                yield str(instruction.argval), line, re.sub(r"\.<\w+>", "", code.co_qualname)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _global_lookups(
                constant, inside or bool(constant.co_flags & inspect.CO_OPTIMIZED)
            )


def _writes_globals(tree: ast.AST) -> bool:
    """Return True if names are made in ways that cannot be read: exec(), globals()[...], vars(), a
    module's __getattr__.
    """
    called = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    return bool(called & {"exec", "globals"})


def _guarded_lines(tree: ast.AST) -> Iterator[int]:
    """Lines in a `try` or a `suppress()` that catches what an undefined name raises: it was
    reckoned with.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Try | ast.With) and any(_catches(kind) for kind in _caught(node)):
            for statement in node.body:
                yield from range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)


def _caught(node: ast.Try | ast.With) -> list[ast.expr | None]:
    """The kinds of error that do not leave it."""
    if isinstance(node, ast.Try):
        return [handler.type for handler in node.handlers]
    calls = [item.context_expr for item in node.items if isinstance(item.context_expr, ast.Call)]
    return [
        kind for call in calls if ast.unparse(call.func).endswith("suppress") for kind in call.args
    ]


def _catches(kind: ast.expr | None) -> bool:
    if kind is None:
        return True
    named: Iterable[ast.expr] = kind.elts if isinstance(kind, ast.Tuple) else (kind,)
    return any(isinstance(node, ast.Name) and node.id in CATCHING for node in named)


def cure(name: str) -> str:
    """The import that would define the name, where it is a module that everybody knows."""
    if name in ALIASES:
        return ALIASES[name]
    return f"import {name}" if name in LIBRARIES or name in sys.stdlib_module_names else ""


def nearest(name: str, known: Collection[str]) -> str:
    """The known name that may have been meant."""
    close = difflib.get_close_matches(name, list(known), 1, 0.8)
    return close[0] if close else ""
